"""Principles of the Misere: how the declarer ducks, and how the others make him win a trick.

The declarer leads once at most, to the first trick, and wants every card of his overtaken. The others
want the opposite: to lead cards below his, to stay under the card he has to win with, and never to be
made to overtake him; so high cards go when they cost nothing, and low ones are kept for leading.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.view import above, highest_rank, lowest_rank, weight, winning
from nap_env.jit import bit, count, drop_lowest, highest, lowest, njit
from nap_env.rulebook import suit_mask

# ---- the declarer -------------------------------------------------------------------------------------


@njit
def exposure(card: Any, hand: Any, unseen: Any) -> Any:
    """How badly a card may be caught: unseen lower cards of its suit, less two for each own lower one."""
    lower = suit_mask(card // 13) & (bit(card) - np.uint64(1))
    return count(lower & unseen) - 2 * count(lower & hand)


@njit
def overtaken(card: Any, v: Any) -> Any:
    """The chance that somebody must overtake this card when it is led."""
    rank_above = above(card)
    lower = count(suit_mask(card // 13) & ~rank_above & ~bit(card) & v.unseen)
    higher = count(rank_above & v.unseen)
    opponents = count(np.uint64(v.dealt)) - 1
    miss = 1.0 - count(v.hand) / max(count(v.unseen), 1)  # one opponent does not hold a given unseen card
    forced = miss**lower * (1.0 - miss**higher)
    return 1.0 - (1.0 - forced) ** opponents


@njit
def most_exposed(cards: Any, v: Any) -> Any:
    """Of ``cards`` the one most in danger; the higher among equals."""
    best = lowest(cards)
    worst = -1000
    while cards:
        card = lowest(cards)
        cards = drop_lowest(cards)
        danger = 64 * exposure(card, v.hand, v.unseen) + weight(card)
        if danger > worst:
            worst = danger
            best = card
    return best


@njit
def open_misere(v: Any) -> Any:
    """The only lead: a card surely overtaken now that would be a burden later."""
    best = lowest(v.legal)
    value = -1000.0
    cards = v.legal
    while cards:
        card = lowest(cards)
        cards = drop_lowest(cards)
        worth = 40.0 * overtaken(card, v) + exposure(card, v.hand, v.unseen)
        if worth > value:
            value = worth
            best = card
    return best


@njit
def duck(v: Any) -> Any:
    """The declarer follows with the highest card that does not win; else he hopes for the next players."""
    if not v.legal & suit_mask(v.led):
        safe = v.legal & ~winning(v.legal, v)
        return most_exposed(safe if safe else v.legal, v)
    under = v.legal & ~winning(v.legal, v)
    if under:
        return highest_rank(under)
    return lowest_rank(v.legal)


# ---- the others ---------------------------------------------------------------------------------------


@njit
def low_prior(rank: Any, v: Any) -> Any:
    return v.x[0] if rank < v.x[2] else v.x[1]


@njit
def trap(card: Any, v: Any) -> Any:
    """The chance that the declarer must win this lead: he holds the suit, and only above the card."""
    suit = card // 13
    if (v.void[v.declarer] >> suit) & 1:
        return 0.0
    total = 0.0
    cards = v.unseen
    while cards:
        c = lowest(cards)
        cards = drop_lowest(cards)
        if not (v.void[v.declarer] >> (c // 13)) & 1:
            total += low_prior(c % 13, v)
    scale = min(1.0, (count(v.hand)) / total)
    miss = 1.0 - count(v.hand) / count(v.unseen) * v.x[6]
    payers = 0
    for seat in range(1, v.n):
        if seat != v.declarer and (v.dealt >> seat) & 1 and not (v.void[seat] >> suit) & 1:
            payers += 1
    none_lower = 1.0
    chance = 0.0
    held = v.unseen & suit_mask(suit)
    cards = held
    while cards:
        c = lowest(cards)
        cards = drop_lowest(cards)
        p = min(1.0, low_prior(c % 13, v) * scale)
        if c > card:
            below = count(held & (bit(c) - np.uint64(1)))
            over = count(held & above(c))
            rescue = miss ** below * (1.0 - miss ** over)
            chance += none_lower * p * (1.0 - rescue) ** payers
        none_lower *= 1.0 - p
    return chance


@njit
def lead_trap(v: Any) -> Any:
    """Lead the card that catches the declarer most often; the lower among equals."""
    best = lowest_rank(v.legal)
    value = trap(best, v)
    cards = v.legal
    while cards:
        card = lowest(cards)
        cards = drop_lowest(cards)
        chance = trap(card, v)
        if chance > value + 1e-9:
            value = chance
            best = card
    return best


@njit
def throw_rescuer(v: Any) -> Any:
    """Void: throw from the suit in which one would have to overtake highest, its highest card."""
    best = highest_rank(v.legal)
    worst = -1
    for suit in range(4):
        cards = v.legal & suit_mask(suit)
        if cards:
            danger = 16 * (lowest(cards) % 13) + highest(cards) % 13
            if v.x[7] == 1 and (v.void[v.declarer] >> suit) & 1:
                danger = highest(cards) % 13
            if v.x[7] == 3:
                danger = 16 * count(v.unseen & suit_mask(suit) & (bit(lowest(cards)) - np.uint64(1))) + highest(cards) % 13
            if v.x[7] == 4:
                danger = 32 * (lowest(cards) % 13) - 32*count(cards)*v.x[8] + highest(cards) % 13
            if v.x[7] == 5:
                danger = 32 * count(v.unseen & suit_mask(suit) & (bit(lowest(cards)) - np.uint64(1))) - 32*count(cards)*v.x[8]+ highest(cards) % 13
            if v.x[5] == 1:
                danger = highest(cards) % 13
            if danger > worst:
                worst = danger
                best = highest(cards)
    return best


@njit
def stay_under(v: Any) -> Any:
    """Follow without saving the declarer: highest below the card he must beat, or has won with."""
    under = v.legal & ~winning(v.legal, v)
    if v.best == v.declarer:
        return highest_rank(under if under else v.legal)
    if (v.later >> v.declarer) & 1 and not (v.void[v.declarer] >> v.led) & 1:
        if v.x[3] == 1:
            return lowest_rank(v.legal)
        if v.x[3] == 2:
            return highest_rank(under) if under else highest_rank(v.legal)
        return highest_rank(under) if under else lowest_rank(v.legal)
    if v.x[4] == 1:
        return lowest_rank(v.legal)
    return highest_rank(v.legal)  # he is out of danger: now high cards cost nothing


@njit
def play_misere(v: Any) -> Any:
    """Everybody's card in a Misere; the voids must have been read."""
    if v.declarer == 0:
        return open_misere(v) if v.led < 0 else duck(v)
    if v.led < 0:
        return lead_trap(v)
    return stay_under(v) if v.legal & suit_mask(v.led) else throw_rescuer(v)
