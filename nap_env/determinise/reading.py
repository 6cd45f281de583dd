"""What a seat knows of the others' cards, read from its observation into one record."""

from __future__ import annotations

from typing import Any

import numpy as np

from nap_env.engine.jit import bit, count, njit
from nap_env.engine.records import MAX_HAND, MAX_SEATS, NONE, PLAY
from nap_env.engine.rulebook import suit_mask

MAX_KINDS = 8
EMPTY = np.uint64(0)
_WELLINGTON = 57

KNOWLEDGE = np.dtype(
    (
        np.record,
        [
            ("hand", np.uint64),  # the viewer's own cards
            ("unseen", np.uint64),  # cards that may be in another hand
            ("may_hold", np.uint64, MAX_SEATS),  # by seat, 0 the viewer
            ("surely", np.uint64, MAX_SEATS),  # cards it is known to hold
            ("unknown", np.int64, MAX_SEATS),  # how many cards it holds beside those
            ("ways", np.float64),  # how the restricted seats can be dealt
            # the counting
            ("seats", np.int64, MAX_SEATS),  # restricted seats, in the order they are drawn
            ("num_seats", np.int64),
            ("kind", np.uint64, MAX_KINDS),  # the cards of each kind
            ("allowed", np.int64, MAX_KINDS),  # bits of the restricted seats (places in ``seats``) that may hold it
            ("num_kinds", np.int64),
            ("span", np.int64, MAX_KINDS),  # numbers 0..span-1 of its cards can be gone
        ],
    )
)


@njit
def know(rows: Any, row: Any, rules: Any, out: Any) -> None:
    """Fill ``out`` [1] KNOWLEDGE from an observation, up to ``unknown``."""
    know_row(rows[row], rules[0], out[0])


@njit
def know_row(o: Any, r: Any, k: Any) -> None:
    """`know` for one observation [O], a rules record and a KNOWLEDGE record."""
    n = int(r.num_players)
    k.hand = _cards(o, r.at_hand)
    gone = k.hand
    if int(r.at_discards) >= 0:
        gone = gone | _cards(o, r.at_discards)
    playing = o[r.at_phase + PLAY - 1] != 0
    for seat in range(n):
        played = _cards(o, int(r.at_played) + 52 * seat)
        gone = gone | played
        k.unknown[seat] = int(r.hand_size) - (count(played) if playing else 0) if o[r.at_dealt + seat] else 0
        k.surely[seat] = EMPTY
    k.unknown[0] = 0
    k.unseen = r.pack & ~gone
    for seat in range(MAX_SEATS):
        k.may_hold[seat] = k.unseen
    if playing:
        _read_voids(o, r, k)
    if int(r.at_peep_card) >= 0:
        _read_peep(o, r, k)


@njit
def _cards(o: Any, at: Any) -> Any:
    cards = EMPTY
    for card in range(52):
        if o[at + card]:
            cards = cards | bit(card)
    return cards


@njit
def _one(o: Any, at: Any, size: Any) -> Any:
    """The place of the 1 in a one-hot field, or NONE."""
    for place in range(size):
        if o[at + place]:
            return place
    return NONE


@njit
def _read_voids(o: Any, r: Any, k: Any) -> None:
    """R4.2: who did not follow has none of the suit led. R4.5: a Wellington declarer has none lower than his lead."""
    n = int(r.num_players)
    led = np.full(MAX_HAND, NONE, np.int64)
    for trick in range(int(r.hand_size)):
        leader = _one(o, int(r.at_leaders) + trick * n, n)
        if leader == NONE:
            break
        for card in range(52):
            if o[int(r.at_played) + 52 * leader + card] == trick + 1:
                led[trick] = card
    for seat in range(1, n):
        for card in range(52):
            trick = int(o[int(r.at_played) + 52 * seat + card]) - 1
            if trick >= 0 and led[trick] != NONE and card // 13 != led[trick] // 13:
                k.may_hold[seat] = k.may_hold[seat] & ~suit_mask(led[trick] // 13)
    declarer = _one(o, r.at_declarer, n)
    place = int(r.place[_WELLINGTON - 53])
    if r.lowest_lead and place >= 0 and o[r.at_contract + place] and led[0] != NONE:
        lower = suit_mask(led[0] // 13) & (bit(led[0]) - np.uint64(1))
        k.may_hold[declarer] = k.may_hold[declarer] & ~lower


@njit
def _read_peep(o: Any, r: Any, k: Any) -> None:
    """R8: a peep card the viewer saw lies on the table, or its new owner holds it."""
    card = _one(o, r.at_peep_card, 52)
    if card == NONE or not k.unseen & bit(card):
        return
    k.unseen = k.unseen & ~bit(card)
    for seat in range(MAX_SEATS):
        k.may_hold[seat] = k.may_hold[seat] & ~bit(card)
    if o[r.at_swapped]:
        declarer = _one(o, r.at_declarer, int(r.num_players))
        k.surely[declarer] = bit(card)
        k.unknown[declarer] -= 1
