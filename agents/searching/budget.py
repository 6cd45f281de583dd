"""What search agents are given: a time for each decision, and chance, one word a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from nap_env.agent import Generator
from nap_env.errors import AgentError


def check_milliseconds(value: Any) -> float | None:
    """The number itself, or None.

    Raises:
        AgentError: not a number above 0.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 < value < float("inf"):
        raise AgentError(f"milliseconds={value!r}: give a number above 0, or None")
    return float(value)


def keys_of(rngs: Sequence[Generator]) -> npt.NDArray[np.uint64]:
    """One random word of each generator, uint64 [B]."""
    return np.array([rng.integers(0, 2**64, dtype=np.uint64) for rng in rngs], np.uint64)
