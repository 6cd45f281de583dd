"""The threshold is found, not assumed: bidders of the book play each other until their values say what happens.

Deals are drawn once, and each seat's bids are played out on them by rule beforehand, so that an auction costs a few
look-ups. Then, in rounds: all seats bid by the values of the round before; at every decision that comes up each call is
tried, the others going on as they bid; it is counted which contract came of it and whether it was made. From the
counts the next values: how often a bid stands, what passing costs, and a logistic correction of the book's chance for
each contract, number of seats to call after, and standing bid. Counts of earlier rounds fade, as in smoothed
fictitious play.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import nap_env
from agents.auction.auctions import BINS, REACH, SHORT, one_among, try_calls
from agents.auction.bidder import NO_BID, NUM_BIDS, Bidder, Tuning, chance_table, plain, tuned
from agents.auction.chances import Chances
from agents.auction.hand_classes import class_of
from agents.searching.playouts import made_batch
from nap_env.cards import BIDS
from nap_env.engine.chance import below, mix
from nap_env.engine.jit import bit, drop_lowest, lowest, njit, times
from nap_env.rules import Rules

Floats = npt.NDArray[np.float64]

KEEP = 0.5
"""Share of the weight of earlier rounds that is kept in each round."""

PRIOR = 200.0
"""Weight of the pooled rates in those of a place that seldom comes up, in decisions."""


@dataclass(frozen=True, eq=False)
class Deals:
    """Deals with all that auctions on them can come to.

    Attributes:
        classes: int64 [D, n], the class of each seat's hand; seat 0 calls first.
        made: bool [D, n, 8], whether the seat makes the bid, played out by rule; False where its chance is `SHORT`.
    """

    classes: npt.NDArray[np.int64]
    made: npt.NDArray[np.bool_]


def draw(chances: Chances, number: int, seed: int, threads: int, report: Callable[[float], None]) -> Deals:
    """Draw deals and play out all bids on them; ``report(share)`` is called as it goes."""
    kind = chances.rules
    n = kind.num_players
    hands = np.empty((number, n), np.uint64)
    random_deals(np.uint64(kind.pack_mask), kind.hand_size, np.uint64(seed), hands)
    classes = class_of(hands.ravel(), kind).reshape(number, n)
    chance = chance_table(chances, kind)
    made = np.zeros((number, n, NUM_BIDS), np.bool_)
    asked = [(seat, bid) for seat in range(n) for bid in kind.bids]
    for place, (seat, bid) in enumerate(asked):
        column = BIDS.index(bid)
        if column and BIDS[column - 1] in kind.bids and chances.row(bid) == chances.row(BIDS[column - 1]):
            made[:, seat, column] = made[:, seat, column - 1]
            continue
        rows = np.flatnonzero(chance[classes[:, seat], column] >= SHORT)
        made[rows, seat, column] = made_batch(hands[rows], seat, bid, kind, threads)
        report((place + 1) / len(asked))
    return Deals(classes, made)


@njit
def random_deals(pack: Any, size: Any, seed: Any, out: Any) -> None:
    """Fill ``out`` [D, n] with hands dealt from the stream ``seed``."""
    cards = np.zeros(52, np.int64)
    number, left = 0, pack
    while left:
        cards[number] = lowest(left)
        left = drop_lowest(left)
        number += 1
    for row in range(len(out)):
        key = mix(mix(seed) ^ np.uint64(row))
        draw = 0
        for seat in range(out.shape[1]):
            hand = np.uint64(0)
            for _ in range(size):
                word = mix(key ^ times(np.uint64(draw + 1), np.uint64(0x9E3779B97F4A7C15)))
                place = draw + below(word, number - draw)
                cards[draw], cards[place] = cards[place], cards[draw]
                hand |= bit(cards[draw])
                draw += 1
            out[row, seat] = hand


# ---- From counts to values ----------------------------------------------------------------------------------


def _shares(final: Floats, final_made: Floats) -> tuple[Floats, Floats]:
    """Shares of the final contracts, and of those made, each place drawn to the mean of all like it."""
    pooled = final.sum(axis=1, keepdims=True)  # over the standing bids
    shares = (pooled + 1e-3) / (pooled + 1e-3).sum(axis=-1, keepdims=True)
    shares = np.broadcast_to(shares, final.shape).copy()
    for standing in range(NUM_BIDS):  # nothing lower than what stands, or than the call, can be final
        shares[:, standing, :, NO_BID] = 0.0
        for call in range(NUM_BIDS + 1):
            lowest_end = standing if call == NO_BID else call
            shares[:, standing, call, :lowest_end] = 0.0
            shares[0, standing, call] = 0.0  # nobody calls after the last
            shares[0, standing, call, lowest_end] = 1.0
    shares[0, NO_BID] = np.eye(NUM_BIDS + 1)
    total = shares.sum(axis=-1, keepdims=True)
    shares = np.divide(shares, total, out=np.zeros_like(shares), where=total > 0)
    found = (final + PRIOR * shares) / (final.sum(axis=-1, keepdims=True) + PRIOR)
    by_contract = (final_made.sum(axis=(0, 1, 2)) + 1.0) / (final.sum(axis=(0, 1, 2)) + 2.0)
    made = (final_made + PRIOR / 4 * by_contract) / (final + PRIOR / 4)
    return found, made


def _corrections(bins: Floats) -> Floats:
    """a and s for each place and bid, float64 [n, 9, 8, 2]: s of the bid over all places, a of each place."""
    middles = (np.arange(BINS) + 0.5) / BINS * 2 * REACH - REACH
    found = np.zeros((*bins.shape[:3], 2))
    found[..., 1] = 1.0
    for bid in range(NUM_BIDS):
        failed, made = bins[:, :, bid, :, 0], bins[:, :, bid, :, 1]
        a, s = _logistic(middles, failed.sum(axis=(0, 1)), made.sum(axis=(0, 1)))
        found[:, :, bid] = a, s
        for _ in range(8):  # Newton steps to each place's own a, drawn to that of all
            p = 1 / (1 + np.exp(-(found[:, :, bid, :1] + s * middles)))
            number = failed + made
            slope = (made - number * p).sum(axis=-1) - PRIOR / 8 * (found[:, :, bid, 0] - a)
            found[:, :, bid, 0] += np.clip(slope / ((number * p * (1 - p)).sum(axis=-1) + PRIOR / 8), -1, 1)
    return found


def _logistic(x: Floats, failed: Floats, made: Floats) -> tuple[float, float]:
    """Logistic regression on binned counts, drawn slightly to (0, 1)."""
    beta = np.array([0.0, 1.0])
    design = np.stack([np.ones_like(x), x], axis=1)
    for _ in range(30):
        p = 1 / (1 + np.exp(-design @ beta))
        weight = (failed + made) * p * (1 - p)
        slope = design.T @ (made - (failed + made) * p) - 10.0 * (beta - [0.0, 1.0])
        curve = (design * weight[:, None]).T @ design + 10.0 * np.eye(2)
        beta = beta + np.clip(np.linalg.solve(curve, slope), -1, 1)
    return float(beta[0]), float(beta[1])


def tune(
    chances: Chances,
    rules: Rules,
    deals: int = 300_000,
    rounds: int = 16,
    seed: int = 0,
    threads: int = 2,
    report: Callable[[str, float], None] = lambda stage, share: None,
) -> Tuning:
    """Find the values of bidders that play each other; ``report(stage, share)`` is called as it goes.

    The deals come from the training stream ``seed``, of which no evaluation deal is a part.
    """
    drawn = draw(chances, deals, seed, threads, lambda share: report("playing out", share))
    n = chances.rules.num_players
    final, final_made = np.zeros((2, n, NUM_BIDS + 1, NUM_BIDS + 1, NUM_BIDS + 1))
    bins = np.zeros((n, NUM_BIDS + 1, NUM_BIDS, BINS, 2))
    bidder = plain(chances, -0.5, rules)
    found: Tuning | None = None
    for number in range(rounds):
        for counts in (final, final_made, bins):
            counts *= KEEP
        try_calls(
            bidder, rules.kernel, drawn.classes, drawn.made, np.uint64(seed + 1 + number), final, final_made, bins
        )
        shares, made = _shares(final, final_made)
        origin = {"deals": deals, "rounds": rounds, "seed": seed, "nap_env": nap_env.__version__}
        parts = [part.astype(np.float32) for part in (_corrections(bins), shares, made)]
        found = Tuning(chances.rules, chances.play, parts[0], parts[1], parts[2], origin)
        bidder = tuned(chances, found, rules)
        report("bidding", (number + 1) / rounds)
    assert found is not None
    return found


# ---- How good it is -----------------------------------------------------------------------------------------


def compare(one: Bidder, others: Bidder, rules: Rules, deals: Deals) -> tuple[float, float]:
    """Stakes a hand of one bidder among n-1 others, each deal in all rotations: mean and standard error."""
    stakes = np.zeros(len(deals.classes))
    one_among(one, others, rules.kernel, deals.classes, deals.made, stakes)
    return float(stakes.mean()), float(stakes.std() / np.sqrt(len(stakes)))
