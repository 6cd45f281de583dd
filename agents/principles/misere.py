"""Principles of the Misere: how the declarer ducks, and how the others make him win a trick.

The declarer leads once, to the first trick, and wants every card of his overtaken. The others want the
opposite: to lead below his cards, to stay under the card he has to win with, and never to be made to
overtake him. So their high cards go when they cost nothing, and the low ones are kept for leading.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from agents.principles.counting import density, misere_danger, misere_ease
from agents.seeing.view import above, highest_rank, lowest_rank, winning
from nap_env.engine.jit import bit, count, drop_lowest, highest, lowest, njit
from nap_env.engine.rulebook import suit_mask


@njit
def below(card: Any) -> Any:
    """All lower cards of the same suit."""
    return suit_mask(card // 13) & ~above(card) & ~bit(card)


# ---- the declarer -------------------------------------------------------------------------------------


@njit
def overtaken(card: Any, v: Any) -> Any:
    """The chance that somebody must overtake this card when it is led: he holds only higher ones."""
    miss = 1.0 - count(v.hand) / max(count(v.unseen), 1)  # one opponent does not hold a given unseen card
    lower = count(below(card) & v.unseen)
    forced = miss**lower * (1.0 - miss ** count(above(card) & v.unseen))
    return 1.0 - (1.0 - forced) ** (count(np.uint64(v.dealt)) - 1)


@njit
def open_misere(v: Any) -> Any:
    """The only lead: the best chance that it is overtaken and that the rest ducks."""
    dense = density(count(v.hand), count(np.uint64(v.dealt)) - 1, v.unseen)
    ease = misere_ease(v.hand, v.unseen, dense)
    best = lowest(v.legal)
    most = -1.0
    cards = v.legal
    while cards:
        card = lowest(cards)
        cards = drop_lowest(cards)
        danger = misere_danger(v.hand & ~bit(card), v.unseen, dense)
        chance = overtaken(card, v) / (1.0 + math.exp(danger - ease))
        if chance > most:
            most = chance
            best = card
    return best


@njit
def throw_burden(cards: Any, v: Any) -> Any:
    """Of ``cards`` the one without which the hand is safest; the higher among equals."""
    dense = density(count(v.hand), count(np.uint64(v.dealt)) - 1, v.unseen)
    best = highest_rank(cards)
    least = misere_danger(v.hand & ~bit(best), v.unseen, dense)
    while cards:
        card = lowest(cards)
        cards = drop_lowest(cards)
        danger = misere_danger(v.hand & ~bit(card), v.unseen, dense)
        if danger < least - 1e-9:
            least = danger
            best = card
    return best


@njit
def duck(v: Any) -> Any:
    """Follow with the highest card that does not win; else with the lowest, and hope for the next players."""
    under = v.legal & ~winning(v.legal, v)
    if not v.legal & suit_mask(v.led):
        return throw_burden(under if under else v.legal, v)
    return highest_rank(under) if under else lowest_rank(v.legal)


# ---- the others ---------------------------------------------------------------------------------------


@njit
def suspicion(card: Any) -> Any:
    """How likely the declarer is to hold a card, beside others: he bid Misere on low ones."""
    return 1.0 if card % 13 <= 6 else 0.15


@njit
def held_by_declarer(v: Any) -> Any:
    """The factor from suspicion to the chance that the declarer holds an unseen card."""
    total = 0.0
    cards = v.unseen
    while cards:
        card = lowest(cards)
        cards = drop_lowest(cards)
        if not (v.void[v.declarer] >> (card // 13)) & 1:
            total += suspicion(card)
    return min(1.0, count(v.hand) / max(total, 1.0))


@njit
def rescuers(suit: Any, v: Any) -> Any:
    """How many of the other payers may hold the suit."""
    found = 0
    for seat in range(1, v.n):
        if seat != v.declarer and (v.dealt >> seat) & 1 and not (v.void[seat] >> suit) & 1:
            found += 1
    return found


@njit
def trap(card: Any, factor: Any, v: Any) -> Any:
    """The chance that the declarer must win this lead: his lowest of the suit is higher, and nobody saves him."""
    suit = card // 13
    if (v.void[v.declarer] >> suit) & 1:
        return 0.0
    others = rescuers(suit, v)
    miss = 1.0 - count(v.hand) / max(count(v.unseen), count(v.hand))
    held = v.unseen & suit_mask(suit)
    none_lower = 1.0  # the declarer holds no card of the suit below the one looked at
    chance = 0.0
    cards = held
    while cards:
        low = lowest(cards)
        cards = drop_lowest(cards)
        holds = min(1.0, factor * suspicion(low))
        if low > card:
            saved = miss ** count(held & below(low)) * (1.0 - miss ** count(held & above(low)))
            chance += none_lower * holds * (1.0 - saved) ** others
        none_lower *= 1.0 - holds
    return chance


@njit
def lead_trap(v: Any) -> Any:
    """Lead the card that catches the declarer most often; the lower among equals."""
    factor = held_by_declarer(v)
    best = lowest_rank(v.legal)
    most = trap(best, factor, v)
    cards = v.legal
    while cards:
        card = lowest(cards)
        cards = drop_lowest(cards)
        chance = trap(card, factor, v)
        if chance > most + 1e-9:
            most = chance
            best = card
    return best


@njit
def stay_under(v: Any) -> Any:
    """Follow without saving the declarer; once he is out of danger, get rid of the highest card."""
    under = v.legal & ~winning(v.legal, v)
    if v.best == v.declarer:
        return highest_rank(under if under else v.legal)
    in_danger = (v.later >> v.declarer) & 1 and not (v.void[v.declarer] >> v.led) & 1
    if not in_danger:
        return highest_rank(v.legal)
    return highest_rank(under) if under else lowest_rank(v.legal)


@njit
def throw_rescuer(v: Any) -> Any:
    """Void: throw the highest card of the suit in which one would have to overtake, a short one first."""
    best = highest_rank(v.legal)
    most = -100
    for suit in range(4):
        cards = v.legal & suit_mask(suit)
        if cards:
            burden = 32 * (lowest(cards) % 13 - 2 * count(cards)) + highest(cards) % 13
            if burden > most:
                most = burden
                best = highest(cards)
    return best


@njit
def play_misere(v: Any) -> Any:
    """Everybody's card in a Misere; the voids must have been read."""
    if v.declarer == 0:
        return open_misere(v) if v.led < 0 else duck(v)
    if v.led < 0:
        return lead_trap(v)
    return stay_under(v) if v.legal & suit_mask(v.led) else throw_rescuer(v)
