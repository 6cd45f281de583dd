"""The cards of a search as bit sets, its record, and the table of positions already solved.

A set of cards here has sixteen bits a suit (bit 16 x suit + rank), three of them always empty: the gaps
keep sums and shifts inside their suit. The declarer is seat 0, the payers follow clockwise as 1..n-1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nap_env.engine.jit import bit, count, drop_lowest, lowest, njit, times

FEW_SLOTS = (1 << 10) - 1
ALL_SLOTS = (1 << 20) - 1  # a power of two, less one: 32 MiB a thread, of which most searches touch little
PLIES = 56  # 49 cards, and a frame for each relaxation under trial
CLASSES = 3  # classes of moves that are tried before the rest

SEARCH = np.dtype(
    (
        np.record,
        [
            # the position; it changes with every card
            ("hand", np.uint64, 7),
            ("alive", np.uint64),  # all cards held
            ("pending", np.int64, 7),  # discards a payer has still to name (levels LATE and FREE)
            # the question
            ("trump", np.uint64),  # all cards of the trump suit, or none
            ("n", np.int64),
            ("misere", np.int64),
            ("free_after", np.int64),  # nodes of a question before FREE is tried
            ("late_after", np.int64),  # and before LATE is
            # one entry a card on the way from the root
            ("level", np.int64, PLIES),
            ("seat", np.int64, PLIES),
            ("position", np.int64, PLIES),  # cards on the table
            ("best", np.int64, PLIES),  # the card that is winning the trick
            ("winner", np.int64, PLIES),  # who played it
            ("led", np.uint64, PLIES),  # all cards of the suit led
            ("need", np.int64, PLIES),  # tricks the declarer must still take
            ("left", np.int64, PLIES),  # tricks still to be played, this one included
            ("moves", np.uint64, PLIES),  # still to be tried
            ("first", np.int64, PLIES),  # the card to be tried first, or NONE
            ("prefer", np.uint64, (PLIES, CLASSES)),
            ("choice", np.int64, PLIES),  # 1: there was more than one card to choose from
            ("from_top", np.int64, PLIES),  # bit k: class k is tried from its highest card down; bit CLASSES: the rest
            ("trial", np.int64, PLIES),  # the relaxation under trial below this frame
            ("mover", np.int64, PLIES),  # who played the card under trial
            ("played", np.int64, PLIES),  # that card
            ("before", np.uint64, PLIES),  # his hand
            ("waiting", np.int64, PLIES),  # and his pending discards, before it
            ("slot", np.int64, PLIES),
            ("key", np.uint64, (PLIES, 3)),
            # constant or counting
            ("eager", np.int64),  # 1: easier games are tried from the first node on, as tests want it
            ("owner", np.uint8, 64),  # 1 + seat that was dealt a card
            ("nodes", np.int64),
            ("settled", np.int64, (8, 8)),  # by tricks left and seat: the card that last settled a frame
            ("generation", np.uint64),  # of the question and its trumps; other entries of the table do not count
            ("stop", np.int64),  # nodes after which a search gives up
            ("mask", np.int64),  # slots in use, less one
            ("table", np.uint64, (ALL_SLOTS + 1, 4)),
        ],
    )
)

FAILS, MAKES, OPEN = 0, 1, 2  # what is known of the bid
EXACT, LATE, FREE = 0, 1, 2  # levels; see search.py
ANY_PAYER = 7  # on lead at level FREE
NONE = -1  # no card
PASS = 63  # a payer's discard that he names later

_SUIT = np.uint64(0x1FFF)
_PACK = np.uint64(0x1FFF_1FFF_1FFF_1FFF)
EMPTY = np.uint64(0)
_ONE = np.uint64(1)
_NOTES = np.uint64(4)  # bits of an entry's last word below its generation: tricks left, the value


# ---- Sets of cards -----------------------------------------------------------------------------------


@njit
def spread(hand: Any) -> Any:
    """A set with thirteen bits a suit as one with sixteen."""
    wide = EMPTY
    for suit in range(4):
        wide = wide | ((np.uint64(hand) >> np.uint64(13 * suit)) & _SUIT) << np.uint64(16 * suit)
    return wide


@njit
def squeeze(cards: Any) -> Any:
    """A set with sixteen bits a suit as one with thirteen."""
    hand = EMPTY
    for suit in range(4):
        hand = hand | ((cards >> np.uint64(16 * suit)) & _SUIT) << np.uint64(13 * suit)
    return hand


@njit
def suit_cards(suit: Any) -> Any:
    """All cards of a suit 0..3."""
    return _SUIT << np.uint64(16 * suit)


@njit
def suit_of(card: Any) -> Any:
    """All cards of a card's suit."""
    return _SUIT << np.uint64(int(card) & 48)


@njit
def above(card: Any) -> Any:
    """The higher cards of its suit."""
    return suit_of(card) & ~((np.uint64(2) << np.uint64(card)) - _ONE)


@njit
def under(card: Any) -> Any:
    """The lower cards of its suit."""
    return suit_of(card) & ((_ONE << np.uint64(card)) - _ONE)


@njit
def beating(card: Any, trump: Any) -> Any:
    """All cards that take a trick from a card (R4.3)."""
    return above(card) | (EMPTY if bit(card) & trump else trump)


@njit
def distinct(hand: Any, ranks: Any) -> Any:
    """The lowest card of each group of ``hand`` that no other card of ``ranks`` separates.

    ``dead`` marks ranks that do not count. A run of dead and own cards is one group; adding one at its start
    carries through the dead bits up to its first own card.
    """
    dead = _PACK & ~(ranks | hand)
    run = hand | dead
    return (dead + (run & ~(run << _ONE))) & hand


# ---- The table of solved positions ---------------------------------------------------------------------


@njit
def grown(mask: Any, most: Any) -> Any:
    """The mask of a table with four times the slots, or with all there are: ``most`` is the mask of these."""
    return min(4 * mask + 3, most)


@njit
def probe(s: Any, ply: Any) -> Any:
    """The stored value of the position, or OPEN; its key and slot are kept for `store`.

    The key holds the whole position: per suit the owners of the cards in the order of their ranks (three bits
    each, at most 39), then who leads, what is needed, the level, and the pending discards.
    """
    coarse = s.level[ply] == FREE
    tail = _owners(s, 3, coarse)
    meta = s.seat[ply] + 8 * s.need[ply]
    if s.level[ply] != EXACT:
        for seat in range(1, s.n):
            meta = 8 * meta + s.pending[seat]
    a = _owners(s, 0, coarse) | tail << np.uint64(40)
    b = _owners(s, 1, coarse) | tail >> np.uint64(24) << np.uint64(40) | np.uint64(s.level[ply]) << np.uint64(60)
    c = _owners(s, 2, coarse) | np.uint64(meta) << np.uint64(40)
    s.key[ply, 0] = a
    s.key[ply, 1] = b
    s.key[ply, 2] = c
    slot = _hash(a, b, c) & s.mask & ~1
    s.slot[ply] = slot
    for entry in s.table[slot], s.table[slot + 1]:
        if entry[3] >> _NOTES == s.generation and entry[0] == a and entry[1] == b and entry[2] == c:
            return np.int64(entry[3] & _ONE)
    return OPEN


@njit
def store(s: Any, ply: Any, value: Any) -> None:
    """Keep the value of the position that `probe` looked up at this ply.

    Two positions share a pair of slots: the one with more tricks left, which took longer, and the latest other.
    """
    slot, left = s.slot[ply], s.left[ply]
    kept = s.table[slot, 3]
    if kept >> _NOTES == s.generation and np.int64(kept >> _ONE & np.uint64(7)) > left:
        slot += 1
    elif kept >> _NOTES == s.generation:
        for word in range(4):
            s.table[slot + 1, word] = s.table[slot, word]
    for word in range(3):
        s.table[slot, word] = s.key[ply, word]
    s.table[slot, 3] = s.generation << _NOTES | np.uint64(left) << _ONE | np.uint64(value)


@njit
def _hash(a: Any, b: Any, c: Any) -> Any:
    word = (
        times(a, np.uint64(0x9E3779B97F4A7C15))
        ^ times(b, np.uint64(0xBF58476D1CE4E5B9))
        ^ times(c, np.uint64(0x94D049BB133111EB))
    )
    word = times(word ^ (word >> np.uint64(32)), np.uint64(0xD1342543DE82EF95))
    return np.int64(word >> np.uint64(40))


@njit
def _owners(s: Any, suit: Any, coarse: Any) -> Any:
    """The owners of a suit's cards by rank; coarse: in order of seats between two cards of the declarer."""
    word = EMPTY
    left = s.alive & suit_cards(suit)
    if not coarse:
        while left:
            word = word << np.uint64(3) | np.uint64(s.owner[lowest(left)])
            left = drop_lowest(left)
        return word
    mine = s.hand[0] & left
    while left:
        part = left
        if mine:
            part = left & under(lowest(mine))
        left = left & ~part
        for seat in range(1, s.n if part else 1):
            for _ in range(count(s.hand[seat] & part)):
                word = word << np.uint64(3) | np.uint64(1 + seat)
        if mine:
            left = left & ~bit(lowest(mine))
            mine = drop_lowest(mine)
            word = word << np.uint64(3) | _ONE
    return word
