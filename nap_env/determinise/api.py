"""What people and agents ask: what a seat knows, worlds it may be in, and how many there are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from nap_env import observation as view
from nap_env.determinise.counting import ways_of
from nap_env.determinise.drawing import world_rows
from nap_env.determinise.reading import KNOWLEDGE, know
from nap_env.rules import Rules, make_rules

Weight = Callable[[npt.NDArray[np.uint64]], npt.ArrayLike]


def knowledge(observation: npt.NDArray[np.int8], rules: str | Rules) -> dict[str, Any]:
    """What a seat knows of the others' cards, from its observation; seats are relative, 0 is the viewer.

    ``unseen``: cards that may be in another hand; ``may_hold`` [n]: those that each seat may hold; ``surely`` [n]:
    those it is known to hold; ``unknown`` [n]: how many it holds beside them. All sets are 64-bit words.

    Raises:
        ValueError: the observation has not the length of these rules.
    """
    variant, rows = _checked(observation, rules)
    record = np.zeros(1, KNOWLEDGE)
    know(rows, 0, variant.kernel, record)
    n = variant.num_players
    return {
        "unseen": int(record[0].unseen),
        "may_hold": [int(cards) for cards in record[0].may_hold[:n]],
        "surely": [int(cards) for cards in record[0].surely[:n]],
        "unknown": [int(number) for number in record[0].unknown[:n]],
    }


def determinise(
    observation: npt.NDArray[np.int8],
    rules: str | Rules,
    rng: np.random.Generator,
    worlds: int = 1,
    *,
    weight: Weight | None = None,
    candidates: int = 16,
) -> npt.NDArray[np.uint64]:
    """Worlds that a seat may be in: what each seat holds, uint64 [worlds, n]; seats relative, 0 is the viewer.

    They are drawn independently and uniformly from all that fit the ``observation`` [O] int8. A seat that was
    dealt no cards has 0. With a ``weight`` they are drawn in proportion to it, approximately: ``candidates`` times as
    many are drawn uniformly, and of these as many as are asked for by systematic resampling, in random order. A
    weight takes worlds uint64 [W, n] and returns float [W], not negative: say, how likely the bids are in each.

    Raises:
        ValueError: the observation has not the length of these rules, or nothing fits it; the weights are none.
    """
    number = worlds if weight is None else worlds * candidates
    drawn: npt.NDArray[np.uint64] = determinise_batch(np.asarray(observation)[None], rules, rng, number)[0]
    if weight is None:
        return drawn
    weights = np.asarray(weight(drawn), np.float64)
    if weights.shape != (number,) or not np.isfinite(weights).all() or (weights < 0.0).any() or not weights.any():
        raise ValueError(f"weights must be {number} numbers from 0, not all 0, one a world; got {weights!r}")
    steps = (np.arange(worlds) + rng.random()) / worlds
    sums = np.cumsum(weights)
    places = np.searchsorted(sums / sums[-1], steps, side="right")
    return rng.permutation(drawn[np.minimum(places, number - 1)])


def determinise_batch(
    observations: npt.NDArray[np.int8], rules: str | Rules, rng: np.random.Generator, worlds: int = 1
) -> npt.NDArray[np.uint64]:
    """`determinise` for each row of ``observations`` [B, O] int8: uint64 [B, worlds, n].

    Raises:
        ValueError: as `determinise`; it names the row.
    """
    variant, rows = _checked(observations, rules)
    keys = rng.integers(0, 2**64, len(rows), dtype=np.uint64)
    out = np.zeros((len(rows), worlds, variant.num_players), np.uint64)
    wrong = world_rows(rows, variant.kernel, np.zeros(1, KNOWLEDGE), keys, out)
    if wrong >= 0:
        raise ValueError(f"no hands fit observation {wrong}: it does not come from a game of these rules")
    return out


def count_worlds(observation: npt.NDArray[np.int8], rules: str | Rules) -> float:
    """In how many ways the other seats' hands can fit what a seat knows (exact below 2**53).

    Raises:
        ValueError: the observation has not the length of these rules.
    """
    variant, rows = _checked(observation, rules)
    return float(ways_of(rows, variant.kernel, np.zeros(1, KNOWLEDGE)))


def _checked(observations: Any, rules: str | Rules) -> tuple[Rules, npt.NDArray[np.int8]]:
    variant = make_rules(rules)
    rows = np.atleast_2d(np.ascontiguousarray(observations, dtype=np.int8))
    if rows.ndim != 2 or rows.shape[1] != view.size(variant):
        raise ValueError(
            f"observations under these rules have length {view.size(variant)}, not {rows.shape[-1]}: other rules?"
        )
    return variant, rows
