"""One row of observation and mask, read into one record of what the seat knows.

Seats are relative to the viewer, who is seat 0; a word of 64 bits is a set of cards or actions, bit
``c`` for card or action ``c``; NONE stands for no card, seat, suit or bid. Rule agents read this record
and nothing else. `ViewAgent` loops over the rows of a batch inside one compiled call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nap_env.agent import BaseAgent, Generator, Int8, Int64
from nap_env.engine.jit import bit, count, drop_lowest, highest, lowest, njit
from nap_env.engine.packed import eight, few, gather, marked, place, word
from nap_env.engine.records import MAX_SEATS, NONE, PLAY
from nap_env.engine.rulebook import beats, suit_mask

VIEW = np.dtype(
    (
        np.record,
        [
            ("legal", np.uint64),  # actions; cards that would revoke are left out (R6.1)
            ("hand", np.uint64),  # cards held
            ("discards", np.uint64),  # cards the viewer put away
            ("unseen", np.uint64),  # cards of the pack that may be in another hand
            ("played", np.uint64, MAX_SEATS),  # by seat, this hand
            ("void", np.int64, MAX_SEATS),  # by seat: suits it showed to have none of, once `read_voids` was called
            ("won", np.int64, MAX_SEATS),  # tricks by seat
            ("bids", np.int64, MAX_SEATS),  # action number of each seat's bid or PASS, or NONE
            ("bought", np.int64, MAX_SEATS),  # cards bought by seat
            ("table", np.int64, MAX_SEATS),  # card of each seat in the trick on the table, or NONE
            ("n", np.int64),  # seats at the table
            ("phase", np.int64),  # as in the rulebook
            ("dealer", np.int64),
            ("dealt", np.int64),  # bits of the seats that hold cards in this hand
            ("payers", np.int64),  # how many will pay or be paid by a declarer
            ("contract", np.int64),  # highest bid so far, action number
            ("declarer", np.int64),
            ("target", np.int64),  # tricks the contract asks for; 0: Misere or none yet
            ("trump", np.int64),  # suit
            ("trick", np.int64),  # number of the trick on the table
            ("leader", np.int64),  # who led it
            ("led", np.int64),  # suit led; NONE: nothing is on the table
            ("best", np.int64),  # seat that is winning the trick
            ("best_card", np.int64),
            ("later", np.int64),  # bits of the seats that play to this trick after the viewer
            ("peep_card", np.int64),  # where the viewer has seen it
            ("peeped", np.int64),  # bits of the seats that looked
            ("pool", np.int64),  # stakes
        ],
    )
)


# ---- the reading -------------------------------------------------------------------------------------


@njit
def read(row: Any, mask: Any, r: Any, v: Any) -> None:
    """Fill the record ``v`` from one observation [O] and mask [64] under the rules record ``r``."""
    n = int(r.num_players)
    v.n = n
    v.legal = word(mask, 0, 64)
    v.hand = word(row, r.at_hand, 52)
    v.phase = place(row, r.at_phase, 7) + 1
    v.dealer = place(row, r.at_dealer, n)
    v.dealt = few(row, r.at_dealt, n)
    v.payers = count(np.uint64(few(row, r.at_in_hand, n))) - 1
    v.trump = place(row, r.at_trump, 4)
    _read_specials(row, r, v)
    _read_bids(row, r, v)
    _read_tricks(row, r, v)
    seen = v.hand | v.discards
    for seat in range(n):
        seen |= v.played[seat]
    if v.peep_card >= 0:
        seen |= bit(v.peep_card)
    v.unseen = r.pack & ~seen
    if v.led >= 0:
        following = v.legal & suit_mask(v.led)
        if following:
            v.legal = following


@njit
def _read_specials(row: Any, r: Any, v: Any) -> None:
    n = int(r.num_players)
    v.discards = np.uint64(0)
    v.peep_card = NONE
    v.peeped = 0
    if r.at_discards >= 0:
        v.discards = word(row, r.at_discards, 52)
    if r.at_peeped >= 0:
        v.peeped = few(row, r.at_peeped, n)
        seen = word(row, r.at_peep_card, 52)
        if seen:
            v.peep_card = lowest(seen)
    if r.at_bought >= 0:
        for seat in range(n):
            v.bought[seat] = row[r.at_bought + seat]
    v.pool = 128 * int(row[r.at_pool]) + int(row[r.at_pool + 1])


@njit
def _read_bids(row: Any, r: Any, v: Any) -> None:
    n = int(r.num_players)
    rungs = int(r.num_bids) + 1
    rung = place(row, r.at_contract, rungs - 1)
    v.contract = NONE
    v.target = 0
    if rung >= 0:
        v.contract = _bid_at(r, rung)
        v.target = r.target[v.contract - 53]
    v.declarer = place(row, r.at_declarer, n)
    for seat in range(n):
        called = place(row, r.at_bids + seat * rungs, rungs)
        v.bids[seat] = _bid_at(r, called - 1) if called > 0 else (52 if called == 0 else NONE)


@njit
def _bid_at(r: Any, rung: Any) -> Any:
    """The action number of a rung of the ladder."""
    bid = 0
    while r.place[bid] != rung:
        bid += 1
    return 53 + bid


@njit
def _read_tricks(row: Any, r: Any, v: Any) -> None:
    """What was played, and the trick on the table."""
    n = int(r.num_players)
    tricks = 0
    for seat in range(n):
        v.played[seat] = np.uint64(0)
        won = int(row[r.at_won + seat])
        v.won[seat] = won
        tricks += won
    v.trick = tricks
    v.leader = NONE
    v.led = NONE
    v.best = NONE
    v.best_card = NONE
    v.later = 0
    if v.phase == PLAY:
        for seat in range(n):
            v.played[seat] = marked(row, r.at_played + 52 * seat, 52)
        v.leader = place(row, r.at_leaders + tricks * n, n)
        _read_table(row, r.at_trick, n, v)


@njit
def _read_table(row: Any, at_trick: Any, n: Any, v: Any) -> None:
    """The trick on the table: what was led, who is winning it, who is still to play."""
    leader = int(v.leader)
    trump = int(v.trump)
    best = NONE
    best_card = NONE
    later = 0
    seat = leader
    for _ in range(n):
        card = _on_table(row, at_trick + 17 * seat)
        v.table[seat] = card
        if card >= 0:
            if best < 0 or beats(card, best_card, trump):
                best = seat
                best_card = card
        elif seat:
            later |= 1 << seat
        seat = seat + 1 if seat + 1 < n else 0
    v.later = later & v.dealt
    v.best = best
    v.best_card = best_card
    if best >= 0:
        v.led = v.table[leader] // 13


@njit
def _on_table(row: Any, at: Any) -> Any:
    """The card of a seat in the trick on the table, or NONE."""
    found = word(row, at, 17)  # suit, then rank, one-hot
    if not found:
        return NONE
    return 13 * lowest(found) + lowest(found >> np.uint64(4))


@njit
def read_voids(row: Any, r: Any, v: Any) -> None:
    """Fill ``v.void`` from the cards that did not follow suit, in the play."""
    n = int(r.num_players)
    ones, twos, fours = _trick_planes(row, r.at_played, n)
    for seat in range(n):
        v.void[seat] = 0
    for trick in range(v.trick + 1):
        number = trick + 1
        cards = ones if number & 1 else ~ones
        cards &= twos if number & 2 else ~twos
        cards &= fours if number & 4 else ~fours
        leader = place(row, r.at_leaders + trick * n, n)
        opened = cards & v.played[leader]
        if opened:
            led = lowest(opened) // 13
            for seat in range(n):
                if cards & v.played[seat] & ~suit_mask(led):
                    v.void[seat] |= 1 << led


@njit
def _trick_planes(row: Any, at: Any, n: Any) -> Any:
    """The bits 1, 2 and 4 of the number of the trick that each card was played to, as three sets of cards."""
    ones = twos = fours = np.uint64(0)
    for start in range(0, 52, 8):
        numbers = np.uint64(0)
        for seat in range(n):
            numbers |= eight(row, at + 52 * seat + start)
        shift = np.uint64(start)
        ones |= gather(numbers) << shift
        twos |= gather(numbers >> np.uint64(1)) << shift
        fours |= gather(numbers >> np.uint64(2)) << shift
    kept = np.uint64((1 << 52) - 1)
    return ones & kept, twos & kept, fours & kept


# ---- cards by rank: "lowest" and "highest" compare ranks, then C D H S -----------------------------------


@njit
def weight(card: Any) -> Any:
    """The order of cards by rank, then C D H S."""
    return card % 13 * 4 + card // 13


@njit
def lowest_rank(cards: Any) -> Any:
    """The lowest card of a set (not empty)."""
    best = lowest(cards)
    while cards:
        card = lowest(cards)
        cards = drop_lowest(cards)
        if weight(card) < weight(best):
            best = card
    return best


@njit
def highest_rank(cards: Any) -> Any:
    """The highest card of a set (not empty)."""
    best = lowest(cards)
    while cards:
        card = lowest(cards)
        cards = drop_lowest(cards)
        if weight(card) > weight(best):
            best = card
    return best


@njit
def winning(cards: Any, v: Any) -> Any:
    """Those of ``cards`` that would take the trick as it stands; all of them when leading."""
    if v.led < 0:
        return cards
    found = np.uint64(0)
    while cards:
        card = lowest(cards)
        cards = drop_lowest(cards)
        if beats(card, v.best_card, v.trump):
            found |= bit(card)
    return found


@njit
def longest_suit(cards: Any) -> Any:
    """The suit with most cards; the first in C D H S order among equals."""
    longest = 0
    for suit in range(1, 4):
        if count(cards & suit_mask(suit)) > count(cards & suit_mask(longest)):
            longest = suit
    return longest


@njit
def above(card: Any) -> Any:
    """All higher cards of the same suit."""
    return suit_mask(card // 13) & ~((bit(card) << np.uint64(1)) - np.uint64(1))


@njit
def top(cards: Any) -> Any:
    """The highest card of a set of one suit (not empty)."""
    return highest(cards)


class ViewAgent(BaseAgent):
    """An agent that is one compiled loop over rows, ``kernel(observations, masks, rules, out)``."""

    deterministic = True
    kernel: Callable[[Int8, Int8, Any, Int64], None]

    def act_batch(self, observations: Int8, action_masks: Int8, rng: Generator, *states: Int8) -> Int64:
        """The chosen actions [B] int64; observations [B, O] int8, action_masks [B, 64] int8."""
        rules, rows, masks = self.shown(observations, action_masks)
        out = np.empty(len(rows), np.int64)
        type(self).kernel(rows, masks, rules.kernel, out)
        return out
