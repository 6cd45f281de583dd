"""What a hand is worth before the play: tricks counted with a trump suit, and the safety of a Misere.

Strategy books count sure and plausible tricks. Here every card is worth the share of a trick that it
won on average, in random deals of all sizes of table and pack; the shares turned out to depend on the
number of unseen higher cards and on the *density*, the share of the unseen cards that is in play
(0.21 with three players, 0.43 with five, 0.64 with seven; full pack, five cards).
"""

from __future__ import annotations

import math
from typing import Any

from agents.seeing.view import above
from nap_env.engine.jit import bit, count, drop_lowest, highest, lowest, njit
from nap_env.engine.rulebook import suit_mask


@njit
def density(hand_size: Any, opponents: Any, unseen: Any) -> Any:
    """The share of the unseen cards that the opponents hold before the play."""
    return min(1.0, hand_size * opponents / max(count(unseen), 1))


@njit
def trump_tricks(cards: Any, unseen: Any, dense: Any) -> Any:
    """Tricks that the cards of the trump suit are worth: for their rank, and for their number."""
    left = cards
    tricks = 0.0
    number = 0
    rank_worth = 1.0 - math.exp(-3.6 * dense)  # of a master; a crowd makes rank dear, and length cheap
    while left:
        card = highest(left)
        left = left ^ bit(card)
        tricks += rank_worth * (0.9 - 0.5 * dense) ** count(above(card) & unseen)
        number += 1
        tricks += max(0.125 / (dense + 0.01) - 0.05, 0.0) if number <= 2 else 0.85
    return tricks


@njit
def side_tricks(cards: Any, unseen: Any, dense: Any) -> Any:
    """Tricks that cards of the other suits are worth, for their rank."""
    tricks = 0.0
    while cards:
        card = lowest(cards)
        cards = drop_lowest(cards)
        tricks += 0.75 * (0.8 - 0.5 * dense) ** count(above(card) & unseen)
    return tricks


@njit
def tricks_with(hand: Any, suit: Any, unseen: Any, dense: Any) -> Any:
    """Tricks that a declarer may expect with this trump suit."""
    trumps = hand & suit_mask(suit)
    return trump_tricks(trumps, unseen, dense) + side_tricks(hand & ~trumps, unseen, dense)


@njit
def best_trumps(hand: Any, unseen: Any, dense: Any) -> Any:
    """The trump suit with which a hand is worth most, the first in C D H S order among equals."""
    best = 0
    most = -1.0
    for suit in range(4):
        tricks = tricks_with(hand, suit, unseen, dense)
        if hand & suit_mask(suit) and tricks > most + 1e-9:
            most = tricks
            best = suit
    return best


@njit
def chance_of_tricks(tricks: Any, asked: Any, hand_size: Any, dense: Any) -> Any:
    """The chance to win at least ``asked`` of ``hand_size`` tricks with a hand worth ``tricks``."""
    even = asked - 1.25 + 1.8 * dense if asked == hand_size else asked - 0.85 + 0.75 * dense
    return 1.0 / (1.0 + math.exp((even - tricks) * (1.6 + 1.5 * dense)))


@njit
def misere_danger(hand: Any, unseen: Any, dense: Any) -> Any:
    """Dangerous places of a Misere hand, weighed: the lowest card of each suit counts most, the second less.

    A card is in danger from unseen lower ones, the more the more of them are in play.
    """
    free = max(6.0 * dense - 0.5, 0.0)
    danger = 0.0
    for suit in range(4):
        cards = hand & suit_mask(suit)
        if not cards:
            continue
        full = 13.0 / max(count(suit_mask(suit) & (unseen | hand)), 1)
        low = lowest(cards)
        under = full * count(suit_mask(suit) & unseen & ~above(low))
        danger += (0.12 + 0.24 * dense) * max(0.0, under - free)
        danger -= 1.05 * dense - 0.15
        cards = drop_lowest(cards)
        if cards:
            under = full * count(suit_mask(suit) & unseen & ~above(lowest(cards)))
            danger += 0.2 * dense * max(0.0, under - free)
            cards = drop_lowest(cards)
        danger -= 0.35 * dense * count(cards)
    return danger


@njit
def misere_ease(hand: Any, unseen: Any, dense: Any) -> Any:
    """The danger at which a Misere of this many cards is made as often as not."""
    ranks = count((unseen | hand) & suit_mask(0))
    return 1.3 - 8.0 * (dense - 0.35) ** 2 - 0.55 * (count(hand) - 5) - 0.12 * (13 - ranks)


@njit
def chance_of_misere(hand: Any, unseen: Any, dense: Any) -> Any:
    """The chance to win no trick."""
    return 1.0 / (1.0 + math.exp(misere_danger(hand, unseen, dense) - misere_ease(hand, unseen, dense)))
