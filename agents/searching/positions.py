"""A seat's observation as a game record, so that search can go on from it by the rules.

Seats stay relative to the viewer, who is seat 0 and to act. What he does not know is left open: the others'
hands are filled in by the caller, world by world, and `deal_rest` lays the other hidden cards out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nap_env.engine.chance import below, mix
from nap_env.engine.jit import bit, count, drop_lowest, lowest, njit, times
from nap_env.engine.packed import few, place
from nap_env.engine.records import MAX_HAND, MAX_SEATS, NONE, PLAY

_EMPTY = np.uint64(0)
_SPARE = 5  # cards of R9


@njit
def stand(row: Any, v: Any, r: Any, g: Any) -> None:
    """Fill the record ``g`` with all that view ``v``, read from ``row``, knows of the hand: one hand, no chips."""
    n = int(r.num_players)
    g.draws = _EMPTY
    g.matches = 1
    g.num_hands = 1
    g.hands = 0
    g.turn = 1
    g.starting_chips = NONE
    g.pool = v.pool
    g.alive = (1 << n) - 1
    g.extra = 0
    g.tied = 0
    g.tie_break = 0
    g.winners = 0
    g.hand_winners = 0
    g.phase = v.phase
    g.seat = 0
    g.dealer = v.dealer
    g.in_hand = few(row, r.at_in_hand, n)
    g.dealt = v.dealt
    g.contract = v.contract
    g.declarer = v.declarer
    g.revoker = NONE
    for seat in range(MAX_SEATS):
        g.hand[seat] = _EMPTY
        g.discards[seat] = _EMPTY
        g.net[seat] = 0
        g.chips[seat] = 0
        g.rewards[seat] = 0
        g.bids[seat] = v.bids[seat] if seat < n else NONE
        g.bought[seat] = v.bought[seat] if seat < n and r.at_bought >= 0 else 0
        g.won[seat] = v.won[seat] if seat < n else 0
    g.hand[0] = v.hand
    g.discards[0] = v.discards
    g.peep_card = v.peep_card
    g.peeped = v.peeped
    g.swapped = row[r.at_swapped] if r.at_swapped >= 0 else 0
    g.spare = _EMPTY
    g.spare_taker = place(row, r.at_spare_taker, n) if r.at_spare_taker >= 0 else NONE
    _lay_tricks(row, v, r, g)
    g.legal = v.legal


@njit
def _lay_tricks(row: Any, v: Any, r: Any, g: Any) -> None:
    """The cards of each trick, who led it, and what lies on the table."""
    n = int(r.num_players)
    g.trump = v.trump
    g.trick = v.trick
    g.laid = 0
    g.best = v.best
    for trick in range(MAX_HAND):
        g.leaders[trick] = NONE
        for seat in range(MAX_SEATS):
            g.played[trick, seat] = NONE
    if v.phase != PLAY:
        return
    for trick in range(v.trick + 1):
        g.leaders[trick] = place(row, r.at_leaders + trick * n, n)
    for seat in range(n):
        cards = v.played[seat]
        while cards:
            card = lowest(cards)
            cards = drop_lowest(cards)
            g.played[int(row[r.at_played + 52 * seat + card]) - 1, seat] = card
        if v.table[seat] >= 0:
            g.laid += 1


@njit
def deal_rest(g: Any, v: Any, r: Any, key: Any) -> None:
    """Lay out what nobody holds, in an order drawn from ``key``: an unseen peep card, the spare hand, the stub."""
    left = v.unseen
    for seat in range(1, int(r.num_players)):
        left = left & ~g.hand[seat]
    size = count(left)
    draws = _EMPTY
    for number in range(size):
        draws = draws + np.uint64(1)
        cards = left
        for _ in range(below(mix(key ^ times(draws, np.uint64(0x9E3779B97F4A7C15))), size - number)):
            cards = drop_lowest(cards)
        card = lowest(cards)
        g.deck[number] = card
        left = left ^ bit(card)
    g.stub = 0
    if r.peep and v.peep_card < 0 and not g.swapped:
        g.peep_card = g.deck[0]
        g.stub = 1
    if r.sir_garnet and g.spare_taker < 0 and v.phase != PLAY:
        g.spare = _EMPTY
        for _ in range(_SPARE):
            g.spare = g.spare | bit(g.deck[g.stub])
            g.stub += 1
