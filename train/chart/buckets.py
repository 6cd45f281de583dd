"""Buckets: hands that are worth much the same in every bid share a row of the chart.

For each class of hands (`agents.auction.hand_classes`) the chance of making each bid is estimated from deals that are
not used again; where a class is rare its estimate leans on the hands that `rules` takes to be as good. Classes with
alike expected stakes are then put together, as a regression tree does (L. Breiman et al., 1984).
"""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.auction.hand_classes import class_count, class_of, orbit, representatives
from agents.principles.counting import best_trumps, chance_of_misere, density, tricks_with
from nap_env.engine.jit import njit
from nap_env.rules import Rules
from train.chart.payoffs import Payoffs

Floats = npt.NDArray[np.float64]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Group = tuple[float, int, int, float, Int64]
LEAN = 25.0
"""So many hands of a class weigh as much as what hands alike make."""
STEPS = 200
"""Steps from the worst to the best hand, by the estimate of `rules`."""


def classes_of(payoffs: Payoffs) -> Int32:
    """The class of each hand, int32 [D, k]."""
    hands = payoffs.hands
    flat = class_of(np.ascontiguousarray(hands).reshape(-1), payoffs.source.rules)
    return flat.reshape(hands.shape).astype(np.int32)


def tally(payoffs: Payoffs, classes: Int32) -> tuple[Floats, Floats]:
    """How often each class of hands [C] was dealt, and made each bid of the ladder [R, C]."""
    rules, k = payoffs.source.rules, payoffs.source.positions
    number, rungs = class_count(rules), len(rules.bids)
    made = np.zeros((rungs, number))
    for rung in range(rungs):
        for position in range(k):
            bits = payoffs.made >> np.uint64(position * rungs + rung) & np.uint64(1)
            made[rung] += np.bincount(classes[:, position], bits.astype(np.float64), number)
    seen = np.bincount(classes.ravel(), minlength=number).astype(np.float64)
    return np.tile(seen, (rungs, 1)), made


def chances(rules: Rules, seen: Floats, made: Floats) -> Floats:
    """The chance of each class of hands to make each bid, float [C, R], from trials and successes [R, C]."""
    guesses = _guesses(rules)
    found = np.empty(seen.T.shape)
    for rung, bid in enumerate(rules.bids):
        alike = _alike(guesses[:, 1 if bid == "MISERE" else 0], seen[rung], made[rung])
        found[:, rung] = (made[rung] + LEAN * alike) / (seen[rung] + LEAN)
    return found


def _alike(guess: Floats, seen: Floats, made: Floats) -> Floats:
    """The share of successes among classes of about the same guess, float [C]."""
    order = np.argsort(guess, kind="stable")
    step = np.empty(len(guess), np.int64)
    step[order] = np.arange(len(guess)) * STEPS // len(guess)
    total = np.bincount(step, seen, STEPS)
    share = (np.bincount(step, made, STEPS) + made.sum() / max(seen.sum(), 1.0)) / (total + 1.0)
    return np.asarray(share[step])


def _guesses(rules: Rules) -> Floats:
    """What `rules` thinks of each class: tricks, and the chance of a Misere, float [C, 2]."""
    hands = representatives(rules)
    out = np.empty((len(hands), 2))
    guess_rows(hands, np.uint64(rules.pack_mask), rules.hand_size, rules.hands_dealt() - 1, out)
    return out


@njit
def guess_rows(hands: Any, pack: Any, hand_size: Any, opponents: Any, out: Any) -> None:
    """Tricks and the chance of a Misere of ``hands`` [C] into ``out`` [C, 2]."""
    for row in range(len(hands)):
        unseen = pack & ~hands[row]
        dense = density(hand_size, opponents, unseen)
        out[row, 0] = tricks_with(hands[row], best_trumps(hands[row], unseen, dense), unseen, dense)
        out[row, 1] = chance_of_misere(hands[row], unseen, dense)


def buckets(chance: Floats, rules: Rules, number: int) -> Int32:
    """The bucket of each class of hands, int32 [C]: at most ``number`` of them, the weakest hands for tricks first.

    ``chance`` float [C, R] is that of making each bid. The group of hands that differ most in expected stakes is cut in
    two at its mean, until there are so many groups; hands count as often as they are dealt.
    """
    _, columns = np.unique(chance, axis=1, return_index=True)  # bids for the same tricks count once
    columns.sort()
    swing = np.array([sum(rules.stake(rules.bids[rung])) for rung in columns], np.float64)
    points = chance[:, columns] * swing
    weights = orbit(rules).astype(np.float64)
    groups = [_group(np.arange(len(points)), points, weights)]
    while len(groups) < number and groups[0][0] < 0:
        _, _, axis, cut, rows = heapq.heappop(groups)
        upper = points[rows, axis] > cut
        for part in (rows[~upper], rows[upper]):
            heapq.heappush(groups, _group(part, points, weights))
    groups.sort(key=lambda group: float(chance[group[-1]].sum(axis=1).mean()))
    bucket = np.empty(len(points), np.int32)
    for place, group in enumerate(groups):
        bucket[group[-1]] = place
    return bucket


def _group(rows: Int64, points: Floats, weights: Floats) -> Group:
    """Classes as a group: how much they differ (squares, negative: a heap gives the least first), and where to cut."""
    own, weight = points[rows], weights[rows]
    mean = weight @ own / weight.sum()
    squares = weight @ (own - mean) ** 2
    axis = int(np.argmax(squares))
    spread = float(squares[axis]) if own[:, axis].max() > mean[axis] else 0.0  # rounding apart, all are alike
    return -spread, int(rows[0]), axis, float(mean[axis]), rows
