"""The little statistics that honest comparison needs: t intervals, paired tests, Holm, bootstrap."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
_NORMAL = NormalDist()


def mean_and_error(values: Floats) -> tuple[float, float]:
    """Mean and standard error of independent values [D]; the error of fewer than two is infinite."""
    if len(values) < 2:
        return (float(values[0]) if len(values) else math.nan), math.inf
    return float(values.mean()), float(values.std(ddof=1) / math.sqrt(len(values)))


def t_quantile(probability: float, degrees: int) -> float:
    """The quantile of Student's t, by Wallace's approximation (1959), good to a percent from 3 degrees on."""
    if degrees < 1:
        return math.inf
    z = _NORMAL.inv_cdf(probability) * (8 * degrees + 3) / (8 * degrees + 1)
    return math.copysign(math.sqrt(degrees * math.expm1(z * z / degrees)), z)


def t_two_sided(t: float, degrees: int) -> float:
    """The chance of a value at least as far from 0 as ``t``, by the same approximation."""
    if math.isnan(t) or degrees < 1:
        return 1.0
    if math.isinf(t):
        return 0.0
    z = math.sqrt(degrees * math.log1p(t * t / degrees)) * (8 * degrees + 1) / (8 * degrees + 3)
    return math.erfc(z / math.sqrt(2))


def interval(values: Floats, level: float = 0.95) -> tuple[float, float, float, float]:
    """Mean, low, high and standard error of independent values [D]."""
    mean, error = mean_and_error(values)
    if error == 0:
        return mean, mean, mean, error
    reach = t_quantile((1 + level) / 2, len(values) - 1) * error
    return mean, mean - reach, mean + reach, error


def paired_p(differences: Floats) -> float:
    """The two-sided p-value of mean 0 for paired differences [D]; 1 where all are 0."""
    mean, error = mean_and_error(differences)
    if error == 0:
        return 1.0 if mean == 0 else 0.0
    return t_two_sided(mean / error, len(differences) - 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down correction: adjusted p-values in the order given.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted = [0.0] * len(p_values)
    worst = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        worst = max(worst, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = worst
    return adjusted


def bootstrap(values: Floats, level: float = 0.95, samples: int = 2000, seed: int = 0) -> tuple[float, float]:
    """The percentile bootstrap interval of the mean of independent values [D]."""
    rng = np.random.default_rng(seed)
    size = len(values)
    means = np.array([values[rng.integers(size, size=size)].mean() for _ in range(samples)])
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
