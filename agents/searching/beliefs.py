"""How likely a seat was to bid as it did, were its hand this one: what turns worlds that fit into likely worlds.

The model is the bidder of the agent `rules`, softened: a seat chooses each legal bid, or passes, the more often the
more it seems to be worth, and now and then at random, so that no world is ruled out by a bid that `rules` would not
have made.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from agents.principles.bidding import count_hand, duck_hand, worth, worth_of_passing
from nap_env.engine.jit import bit, njit
from nap_env.engine.records import AUCTION, NONE

_PASS, _THREE = 52, 53
SOFTNESS = 0.5
"""Stakes a payer by which a bid must be better to be chosen about three times as often."""
AT_RANDOM = 0.05
"""Share of calls that follow no reason."""


@njit
def likelihood(g: Any, v: Any, r: Any, hands: Any, w: Any) -> Any:
    """The chance of all calls that other seats made, if they hold ``hands`` [n] beside what they have played.

    ``g`` is the game as the viewer sees it, ``v`` his view, ``w`` the view of each other seat, to write. Where a
    seat's cards may have changed since its call (R8.2, R9) nothing follows from it.
    """
    n = int(r.num_players)
    chance = 1.0
    standing = NONE
    seat = int(g.dealer)
    for called in range(n):
        seat = seat + 1 if seat + 1 < n else 0
        if not (v.dealt >> seat) & 1 or v.bids[seat] == NONE:
            continue
        changed = seat == g.spare_taker or (g.swapped and seat == v.declarer)
        if seat and not changed:
            _look_as(hands[seat] | v.played[seat], seat, standing, called, v, r, w)
            chance *= chance_of_call(int(v.bids[seat]), w, r)
        if v.bids[seat] != _PASS:
            standing = int(v.bids[seat])
    return chance


@njit
def _look_as(hand: Any, seat: Any, standing: Any, called: Any, v: Any, r: Any, w: Any) -> None:
    """What a seat saw when it was to call: its hand, the standing bid, and how many call after it."""
    n = int(r.num_players)
    w.n = n
    w.phase = AUCTION
    w.hand = hand
    w.discards = np.uint64(0)
    w.unseen = r.pack & ~hand
    w.payers = v.payers
    w.contract = standing
    w.legal = r.over[standing - _THREE if standing >= 0 else 8] | bit(_PASS)
    w.peep_card = NONE
    w.dealt = 0
    for other in range(n):
        place = (seat + other) % n
        w.dealt |= ((v.dealt >> place) & 1) << other
        w.bids[other] = NONE if (place - v.dealer - 1) % n > called else _PASS


@njit
def chance_of_call(call: Any, w: Any, r: Any) -> Any:
    """The chance that a seat with view ``w`` makes this call."""
    tricks = count_hand(w.hand, w, r)
    misere = duck_hand(w.hand, w, r)
    chosen = 1.0
    total = 1.0
    calls = 1
    passing = worth_of_passing(w, r)
    for bid in range(_THREE, _THREE + 8):
        if w.legal & bit(bid):
            odds = math.exp(min(max((worth(bid, tricks, misere, w, r) - passing) / SOFTNESS, -30.0), 30.0))
            total += odds
            calls += 1
            if bid == call:
                chosen = odds
    return (1.0 - AT_RANDOM) * chosen / total + AT_RANDOM / calls
