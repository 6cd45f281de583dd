"""Auctions among bidders of the book, in compiled loops over deals whose bids were played out beforehand."""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.auction.bidder import EDGE, NO_BID, NUM_BIDS, best_call, worth_of_bid
from nap_env.engine.chance import below, mix
from nap_env.engine.jit import njit

BINS = 64
"""Bins of the logit of the book's chance, in which successes are counted for the correction."""

SHORT = 0.05
"""Bids of a smaller chance in the book are never tried."""

REACH = 6.0  # bins cover logits from -6 to 6
_EXPLORE = 0.04  # share of the calls that are made at random, so that all places come up


@njit
def legal_over(r: Any, standing: Any) -> Any:
    """The bids over a standing one (NO_BID: none), as bits."""
    return int(r.over[8 if standing == NO_BID else standing] >> np.uint64(53))


@njit
def call_on(bidder: Any, r: Any, classes: Any, seat: Any, stop: Any, standing: Any, declarer: Any) -> Any:
    """The contract and declarer after seats ``seat`` to ``stop`` - 1 have called by the bidder."""
    n = len(classes)
    while seat < stop:
        bid, _ = best_call(bidder, classes[seat], n - 1 - seat, standing, legal_over(r, standing))
        if bid != NO_BID:
            standing, declarer = bid, seat
        seat += 1
    return standing, declarer


@njit
def try_calls(
    bidder: Any, rules: Any, deals: Any, made: Any, seed: Any, final: Any, final_made: Any, bins: Any
) -> None:
    """Add up what comes of each call at each decision of the auctions on ``deals`` [D, n].

    ``final`` and ``final_made`` float64 [n, 9, 9, 9]; ``bins`` float64 [n, 9, 8, BINS, 2]: failed and made, by the
    logit of the book's chance, where the bid stood.
    """
    r = rules[0]
    n = deals.shape[1]
    for row in range(len(deals)):
        classes = deals[row]
        standing, declarer = NO_BID, -1
        key = mix(mix(seed) ^ np.uint64(row))
        for seat in range(n):
            after = n - 1 - seat
            number = classes[seat]
            legal = legal_over(r, standing)
            chosen, most = best_call(bidder, number, after, standing, legal)
            options = 1
            for call in range(NUM_BIDS + 1):
                if call != NO_BID and (not (legal >> call) & 1 or bidder.chance[number, call] < SHORT):
                    continue
                mine = standing if call == NO_BID else call
                owner = declarer if call == NO_BID else seat
                end, who = call_on(bidder, r, classes, seat + 1, n, mine, owner)
                # What is near the decision counts most: elsewhere a wrong value changes no call.
                value = (
                    bidder.passing[after, standing]
                    if call == NO_BID
                    else worth_of_bid(bidder, number, after, standing, call)
                )
                near = 1.0 / (1.0 + (abs(value - most) + abs(most - bidder.passing[after, standing])) / (n - 1))
                final[after, standing, call, end] += near
                if end != NO_BID and made[row, who, end]:
                    final_made[after, standing, call, end] += near
                if call != NO_BID and who == seat and end == call:
                    place = bin_of(bidder.chance[number, call])
                    bins[after, standing, call, place, int(made[row, seat, call])] += 1.0
                if call != NO_BID:
                    options += 1
            draw = mix(key ^ np.uint64(seat + 1))
            if below(draw, 1000) < int(1000 * _EXPLORE):
                chosen = _at_random(bidder, number, legal, below(mix(draw), options))
            if chosen != NO_BID:
                standing, declarer = chosen, seat


@njit
def _at_random(bidder: Any, number: Any, legal: Any, place: Any) -> Any:
    """The call at a place among those that are tried, passing first."""
    for bid in range(NUM_BIDS):
        if (legal >> bid) & 1 and bidder.chance[number, bid] >= SHORT:
            place -= 1
            if place == 0:
                return bid
    return NO_BID


@njit
def bin_of(chance: Any) -> Any:
    """The bin of a chance in the book."""
    p = min(max(float(chance), EDGE), 1.0 - EDGE)
    logit = np.log(p / (1.0 - p))
    return int((min(max(logit, -REACH), REACH - 1e-9) + REACH) / (2 * REACH) * BINS)


@njit
def one_among(one: Any, others: Any, rules: Any, deals: Any, made: Any, out: Any) -> None:
    """Fill ``out`` [D] with the mean stakes of ``one`` over its n seats."""
    r = rules[0]
    n = deals.shape[1]
    for row in range(len(deals)):
        classes = deals[row]
        total = 0.0
        for me in range(n):
            standing, declarer = call_on(others, r, classes, 0, me, NO_BID, -1)
            standing, declarer = call_on(one, r, classes, me, me + 1, standing, declarer)
            standing, declarer = call_on(others, r, classes, me + 1, n, standing, declarer)
            if declarer >= 0:
                stake = bidder_pay(one, standing, made[row, declarer, standing])
                total += stake if declarer == me else -stake / (r.num_players - 1)
        out[row] = total / n


@njit
def bidder_pay(bidder: Any, bid: Any, made: Any) -> Any:
    """What a declarer gains, stakes."""
    return bidder.pays[bid, 0] if made else -bidder.pays[bid, 1]
