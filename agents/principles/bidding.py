"""Principles before the play: what a bid is worth, when passing costs more, and the specials of the variants.

Worth is counted in stakes a payer. A bid that pays as much as it costs needs one chance in two; Nap and
what stands above it pays double and needs one in three.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from agents.principles.counting import (
    best_trumps,
    chance_of_misere,
    chance_of_tricks,
    density,
    side_tricks,
    tricks_with,
)
from agents.seeing.view import above, lowest_rank
from nap_env.engine.jit import bit, count, drop_lowest, highest, lowest, njit
from nap_env.engine.records import DISCARD, NONE
from nap_env.engine.rulebook import suit_mask

_PASS, _MISERE, _NAP, _GARNET, _PEEP, _BUY = 52, 54, 56, 61, 62, 63

# Thresholds, tuned on validation deals against copies of this agent, with 3 to 7 players.
PASSED_ROUND = 0.7  # stakes a payer that passing costs when many may still bid
NOBODY_BIDS = 0.75  # chance that one more seat lets a hand go without a bid of its own
OTHERS_MAKE = 0.76  # chance that somebody else's standing bid is made
PEEP_SHORT = 1.4  # look when so many tricks, or fewer, are missing for the lowest bid
PEEP_MISERE = 0.18  # or when a Misere is at least as likely as this
GOOD_MISERE = 0.47  # a Misere hand as good as this buys nothing
BUY_FROM, BUY_TO = 1.8, 3.8  # hands worth so many tricks buy
EXCHANGE_FROM = 2.2  # the same for cards bought singly
KEEP_CARD = 0.25  # share of a trick from which on a card is not exchanged singly


@njit
def opponents(v: Any) -> Any:
    """Seats other than the viewer's that hold cards."""
    return count(np.uint64(v.dealt & ~1))


@njit
def count_hand(hand: Any, v: Any, r: Any) -> Any:
    """Tricks that a hand is worth in its best suit."""
    dense = density(r.hand_size, opponents(v), v.unseen)
    return tricks_with(hand, best_trumps(hand, v.unseen, dense), v.unseen, dense)


@njit
def duck_hand(hand: Any, v: Any, r: Any) -> Any:
    """The chance that a hand makes a Misere."""
    return chance_of_misere(hand, v.unseen, density(r.hand_size, opponents(v), v.unseen))


@njit
def worth(bid: Any, tricks: Any, misere: Any, v: Any, r: Any) -> Any:
    """Expected stakes a payer of playing a bid."""
    index = bid - 53
    dense = density(r.hand_size, opponents(v), v.unseen)
    chance = misere
    if bid != _MISERE:
        chance = chance_of_tricks(tricks, int(r.target[index]), int(r.hand_size), dense)
    return chance * r.made[index] - (1.0 - chance) * r.failed[index]


# ---- the auction ----------------------------------------------------------------------------------------


@njit
def still_to_call(v: Any) -> Any:
    """Seats that call after the viewer."""
    seats = 0
    for seat in range(1, v.n):
        if (v.dealt >> seat) & 1 and v.bids[seat] == NONE:
            seats += 1
    return seats


@njit
def worth_of_passing(v: Any, r: Any) -> Any:
    """What passing is worth, in the same stakes: somebody else may make a bid and be paid."""
    if v.contract == NONE:
        return -PASSED_ROUND * (1.0 - NOBODY_BIDS ** still_to_call(v))
    index = v.contract - 53
    return -(OTHERS_MAKE * r.made[index] - (1.0 - OTHERS_MAKE) * r.failed[index]) / v.payers


@njit
def best_bid(tricks: Any, misere: Any, v: Any, r: Any) -> Any:
    """The legal bid of most worth, or PASS when passing is worth more."""
    most = worth_of_passing(v, r)
    best = _PASS
    for bid in range(53, 61):
        if v.legal & bit(bid):
            value = worth(bid, tricks, misere, v, r)
            if value > most:
                most = value
                best = bid
    return best


@njit
def call(v: Any, r: Any) -> Any:
    """Bid, pass, look at the peep card, or take the spare hand."""
    tricks = count_hand(v.hand, v, r)
    misere = duck_hand(v.hand, v, r)
    if v.legal & bit(_PEEP) and worth_a_look(tricks, misere, v, r):
        return _PEEP
    if v.peep_card >= 0:
        tricks = count_hand(swapped(False, v, r), v, r)
        misere = duck_hand(swapped(True, v, r), v, r)
    best = best_bid(tricks, misere, v, r)
    if v.legal & bit(_GARNET) and worth_the_spare(tricks, best, v, r):
        return _GARNET
    return best


# ---- the peep card (R8) ---------------------------------------------------------------------------------


@njit
def worth_a_look(tricks: Any, misere: Any, v: Any, r: Any) -> Any:
    """Look for a stake when one better card may make a bid of the hand."""
    if v.legal & bit(_MISERE) and misere > PEEP_MISERE:
        return True
    for bid in range(53, 61):
        if v.legal & bit(bid) and bid != _MISERE and tricks > int(r.target[bid - 53]) - PEEP_SHORT:
            return True
    return False


@njit
def swapped(for_misere: Any, v: Any, r: Any) -> Any:
    """The hand after the swap that helps most, a Misere or a bid for tricks; the hand itself when none does."""
    best = v.hand
    most = duck_hand(v.hand, v, r) if for_misere else count_hand(v.hand, v, r)
    cards = v.hand
    while cards:
        card = lowest(cards)
        cards = drop_lowest(cards)
        hand = v.hand ^ bit(card) | bit(v.peep_card)
        good = duck_hand(hand, v, r) if for_misere else count_hand(hand, v, r)
        if good > most + 1e-9:
            most = good
            best = hand
    return best


@njit
def swap(v: Any, r: Any) -> Any:
    """The card to give up for the peep card, or PASS."""
    if v.peep_card < 0:
        return swap_unseen(v, r)
    hand = swapped(v.contract == _MISERE, v, r)
    given = v.hand & ~hand
    return lowest(given) if given else _PASS


@njit
def swap_unseen(v: Any, r: Any) -> Any:
    """Unseen, it is better than a card of no use: a low one outside trumps."""
    if v.contract == _MISERE:
        return _PASS
    dense = density(r.hand_size, opponents(v), v.unseen)
    side = v.hand & ~suit_mask(best_trumps(v.hand, v.unseen, dense))
    if side and side_tricks(bit(lowest_rank(side)), v.unseen, dense) < 0.1:
        return lowest_rank(side)
    return _PASS


# ---- the spare hand (R9) --------------------------------------------------------------------------------


@njit
def worth_the_spare(tricks: Any, best: Any, v: Any, r: Any) -> Any:
    """Take it when the best five of ten cards should make Nap, and no bid at hand is worth more."""
    index = _NAP - 53
    dense = density(r.hand_size, opponents(v), v.unseen)
    chance = 1.0 / (1.0 + math.exp(0.75 * (2.4 + 2.4 * dense - tricks)))
    value = chance * r.made[index] - (1.0 - chance) * r.failed[index]
    if best == _PASS:
        return value > worth_of_passing(v, r)
    return value > worth(best, tricks, duck_hand(v.hand, v, r), v, r)


# ---- discards (R7, R9) ----------------------------------------------------------------------------------


@njit
def keep_for_tricks(number: Any, v: Any, r: Any) -> Any:
    """The ``number`` best cards of the hand for a bid for tricks: trumps, then the highest others."""
    dense = density(r.hand_size, opponents(v), v.unseen)
    best = np.uint64(0)
    most = -1.0
    for suit in range(4):
        kept = np.uint64(0)
        trumps = v.hand & suit_mask(suit)
        while trumps and count(kept) < number:
            kept |= bit(highest(trumps))
            trumps &= ~kept
        side = v.hand & ~suit_mask(suit)
        while side and count(kept) < number:
            card = fewest_above(side, v.unseen)
            kept |= bit(card)
            side &= ~bit(card)
        tricks = tricks_with(kept, suit, v.unseen, dense)
        if v.hand & suit_mask(suit) and tricks > most + 1e-9:
            most = tricks
            best = kept
    return best


@njit
def fewest_above(cards: Any, unseen: Any) -> Any:
    """The card of a set that fewest unseen cards beat; the higher among equals."""
    best = lowest(cards)
    least = 1000
    while cards:
        card = lowest(cards)
        cards = drop_lowest(cards)
        beaten = 16 * count(above(card) & unseen) - card % 13
        if beaten < least:
            least = beaten
            best = card
    return best


@njit
def buy(v: Any, r: Any) -> Any:
    """R7.1: pay a stake for new cards unless the hand is good as it is, or hopeless."""
    tricks = count_hand(v.hand, v, r)
    if not v.legal & bit(_BUY) or duck_hand(v.hand, v, r) > GOOD_MISERE:
        return _PASS
    return _BUY if BUY_FROM < tricks < BUY_TO else _PASS


@njit
def discard(v: Any, r: Any) -> Any:
    """The next card to put away: of a purchase (R7.1), or of the ten of R9."""
    bought = int(r.purchase_count) if v.phase == DISCARD else 0
    kept = keep_for_tricks(max(int(r.hand_size) - bought, 0), v, r)
    rest = v.hand & ~kept
    return lowest_rank(rest if rest else v.hand)


@njit
def ecarte(v: Any, r: Any) -> Any:
    """R7.2: one by one, replace the cards that are worth less than a new one costs: no trumps, no high cards."""
    dense = density(r.hand_size, opponents(v), v.unseen)
    suit = best_trumps(v.hand, v.unseen, dense)
    side = v.hand & ~suit_mask(suit) & v.legal
    if not side:
        return _PASS
    if not v.discards:
        tricks = tricks_with(v.hand, suit, v.unseen, dense)
        if tricks < EXCHANGE_FROM or duck_hand(v.hand, v, r) > GOOD_MISERE:
            return _PASS
    worst = most_above(side, v.unseen)
    return worst if side_tricks(bit(worst), v.unseen, dense) < KEEP_CARD else _PASS


@njit
def most_above(cards: Any, unseen: Any) -> Any:
    """The card of a set that most unseen cards beat; the lower among equals."""
    worst = lowest(cards)
    most = -1000
    while cards:
        card = lowest(cards)
        cards = drop_lowest(cards)
        beaten = 16 * count(above(card) & unseen) - card % 13
        if beaten > most:
            most = beaten
            worst = card
    return worst
