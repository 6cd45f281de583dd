"""Questions about a deal or a position, answered by `search`: what adapters call from Python."""

from __future__ import annotations

from typing import Any

import numpy as np

from nap_env.jit import bit, count, drop_lowest, highest, lowest, njit
from nap_env.solver.bounds import most_tricks, sure_tricks
from nap_env.solver.search import lay_out, search
from nap_env.solver.table import EMPTY, EXACT, TABLE_BITS, distinct, spread, suit_cards, suit_of, under

NEVER = 1 << 62


@njit
def squeeze(cards: Any) -> Any:
    """A set with sixteen bits a suit as one with thirteen."""
    hand = EMPTY
    for suit in range(4):
        hand = hand | ((cards >> np.uint64(16 * suit)) & np.uint64(0x1FFF)) << np.uint64(13 * suit)
    return hand


@njit
def place(s: Any, seat: Any, hand: Any) -> None:
    """Give a seat, counted from the declarer, its cards (thirteen bits a suit)."""
    cards = spread(hand)
    s.hand[seat] = cards
    s.pending[seat] = 0
    s.alive = s.alive | cards
    while cards:
        s.owner[lowest(cards)] = 1 + seat
        cards = drop_lowest(cards)


@njit
def pose(s: Any, n: Any, misere: Any, left: Any) -> None:
    """Begin a question: how soon easier games are tried, and how much of the table is in use."""
    s.n = n
    s.misere = misere
    s.nodes = 0
    s.free_after = NEVER if misere or n < 4 else (50 if n < 6 else -1)
    s.late_after = 50 if misere else (NEVER if n < 4 else 500)
    s.mask = (1 << 10) - 1
    s.full = (1 << TABLE_BITS) - 1


@njit
def _try(s: Any, cards: Any, misere: Any, need: Any, left: Any) -> Any:
    """Whether the bid is made when the seat of frame 0 chooses among ``cards``, each in its own group."""
    s.level[0] = EXACT
    s.trial[0] = EXACT
    s.slot[0] = -1
    s.need[0] = need
    s.left[0] = left
    lay_out(s, 0)
    s.moves[0] = cards
    for k in range(3):
        s.prefer[0, k] = s.prefer[0, k] & cards
    return search(s)


@njit
def makes(s: Any, leads, misere, has_trump, need, left):
    """declarer leads"""
    s.seat[0] = 0
    s.position[0] = 0
    groups = distinct(s.hand[0], s.alive)
    if not has_trump:
        s.trump = EMPTY
        s.generation += np.uint64(1)
        return _try(s, groups & leads, misere, need, left)
    tried = EMPTY
    while leads & ~tried:
        cards = longest_suit(s.hand[0], leads & ~tried)
        tried |= cards
        s.trump = cards
        s.generation += np.uint64(1)
        if not misere:
            if most_tricks(s, left, True) < need:
                continue
            if leads & cards == s.hand[0] & cards and sure_tricks(s, True, True, need) >= need:
                return True
        if groups & leads & cards and _try(s, groups & leads & cards, misere, need, left):
            return True
    return False


@njit
def longest_suit(hand, leads):
    best = -1
    cards = EMPTY
    for suit in range(4):
        held = hand & suit_cards(suit)
        if leads & suit_cards(suit):
            worth = 16 * count(held) + (highest(held) & 15)
            if worth > best:
                best = worth
                cards = suit_cards(suit)
    return cards

@njit
def batch(states, hands, declarers, need, out, nodes, mt=False):
    s = states[0]
    n = hands.shape[1]
    for i in range(hands.shape[0]):
        s.alive = EMPTY
        for k in range(n):
            place(s, k, hands[i, (declarers[i] + k) % n])
        left = count(s.hand[0])
        pose(s, n, need == 0, left)
        out[i] = makes(s, s.hand[0], need == 0, need != 0 or mt, need, left)
        nodes[i, 0] = s.nodes
