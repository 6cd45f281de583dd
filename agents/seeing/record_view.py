"""What the seat to act knows, read from the game itself: the record of `view.read`, without an observation between.

A playout inside one compiled loop need not write five hundred bytes a turn and read them again. Nothing is read
here that `read` and `read_voids` would not find in the observation; a test compares the two.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.seeing.view import VIEW
from nap_env.engine.jit import bit, count, njit
from nap_env.engine.records import NONE, PLAY
from nap_env.engine.rulebook import suit_mask
from nap_env.engine.views import turned

__all__ = ["VIEW", "read_record"]


@njit
def read_record(g: Any, r: Any, v: Any) -> None:
    """Fill the record ``v`` with what the seat to act in game ``g`` knows under rules ``r``, voids included."""
    n, me = int(r.num_players), int(g.seat)
    v.n = n
    v.legal = g.legal
    v.hand = g.hand[me]
    v.phase = int(g.phase)
    v.dealer = _relative(int(g.dealer), me, n)
    v.dealt = int(turned(int(g.dealt), me, n))
    v.payers = count(np.uint64(g.in_hand)) - 1
    v.contract = int(g.contract)
    v.declarer = _relative(int(g.declarer), me, n)
    v.target = int(r.target[v.contract - 53]) if v.contract != NONE else 0
    v.trump = int(g.trump)
    v.trick = int(g.trick)
    _look_at_specials(g, r, v, me)
    seat = me
    for other in range(n):
        v.bids[other] = int(g.bids[seat])
        v.won[other] = int(g.won[seat])
        v.played[other] = np.uint64(0)
        v.void[other] = 0
        v.table[other] = NONE
        seat = seat + 1 if seat + 1 < n else 0
    v.leader = v.led = v.best = v.best_card = NONE
    v.later = 0
    seen = v.hand | v.discards
    if v.phase == PLAY:
        seen = seen | _look_at_tricks(g, v, me)
    if v.peep_card >= 0:
        seen = seen | bit(v.peep_card)
    v.unseen = r.pack & ~seen
    if v.led >= 0:
        following = v.legal & suit_mask(v.led)
        if following:
            v.legal = following


@njit
def _relative(seat: Any, me: Any, n: Any) -> Any:
    """How many places to the left of the viewer a seat is; NONE stays NONE."""
    if seat < 0:
        return NONE
    return seat - me if seat >= me else seat - me + n


@njit
def _look_at_specials(g: Any, r: Any, v: Any, me: Any) -> None:
    """Discards, purchases, the peep card and the pool (R7, R8, R11)."""
    n = int(r.num_players)
    v.discards = g.discards[me]
    v.peeped = 0
    v.peep_card = NONE
    if r.at_peeped >= 0:
        v.peeped = int(turned(int(g.peeped), me, n))
        took = int(g.swapped) == 1 and int(g.declarer) == me
        if took or v.peeped & 1:
            v.peep_card = int(g.peep_card)
    if r.at_bought >= 0:
        for other in range(n):
            v.bought[other] = int(g.bought[(me + other) % n])
    v.pool = min(max(int(g.pool), -16384), 16383)


@njit
def _look_at_tricks(g: Any, v: Any, me: Any) -> Any:
    """The cards of each trick, who led it and who is winning it; all cards played."""
    n, now = v.n, v.trick
    gone = np.uint64(0)
    for trick in range(now):
        led = int(g.played[trick, g.leaders[trick]]) // 13
        seat = me
        for other in range(n):
            card = int(g.played[trick, seat])
            if card != NONE:
                gone = gone | bit(card)
                v.played[other] = v.played[other] | bit(card)
                if card // 13 != led:
                    v.void[other] |= 1 << led
            seat = seat + 1 if seat + 1 < n else 0
    leader = int(g.leaders[now])
    v.leader = _relative(leader, me, n)
    if int(g.best) == NONE:
        v.later = v.dealt & ~1
        return gone
    v.led = int(g.played[now, leader]) // 13
    v.best = _relative(int(g.best), me, n)
    v.best_card = int(g.played[now, g.best])
    seat = me
    for other in range(n):
        card = int(g.played[now, seat])
        v.table[other] = card
        if card != NONE:
            gone = gone | bit(card)
            v.played[other] = v.played[other] | bit(card)
            if card // 13 != v.led:
                v.void[other] |= 1 << v.led
        elif other and (v.dealt >> other) & 1:
            v.later |= 1 << other
        seat = seat + 1 if seat + 1 < n else 0
    return gone
