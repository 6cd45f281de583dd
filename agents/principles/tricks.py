"""Principles of the play for tricks: the declarer's, and those of the others, who are one side.

A *master* is a card that no unseen card of its suit beats. The others are paid together or pay
together (R5.1): to them it only matters whether the declarer wins a trick.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.seeing.view import above, highest_rank, lowest_rank, winning
from nap_env.engine.jit import bit, count, drop_lowest, highest, lowest, njit
from nap_env.engine.rulebook import suit_mask


@njit
def masters(cards: Any, unseen: Any) -> Any:
    """Those of ``cards`` that no unseen card of their suit beats."""
    found = np.uint64(0)
    while cards:
        card = lowest(cards)
        cards = drop_lowest(cards)
        if not above(card) & unseen:
            found |= bit(card)
    return found


@njit
def beat_cheaply(cards: Any, v: Any) -> Any:
    """The cheapest card that wins the trick as it stands, else the lowest."""
    winners = winning(cards, v)
    return lowest_rank(winners if winners else cards)


# ---- the declarer -------------------------------------------------------------------------------------


@njit
def can_lose_one(v: Any) -> Any:
    """Whether the bid can still be made after losing a trick, and is not made yet."""
    needed = v.target - v.won[0]
    return 0 < needed < count(v.hand)


@njit
def keep_last_trump(v: Any, trumps: Any) -> Any:
    """Whether a last trump that may be beaten serves better for coming in again than for leading."""
    return count(trumps) == 1 and trumps != v.legal and can_lose_one(v) and not masters(trumps, v.unseen)


@njit
def draw_trumps(v: Any) -> Any:
    """The declarer leads his trumps from the top, then a master, then his highest card."""
    trumps = v.legal & suit_mask(v.trump)
    if trumps and not keep_last_trump(v, trumps):
        return highest(trumps)
    if trumps:
        return highest_rank(v.legal & ~trumps)
    sure = masters(v.legal, v.unseen)
    return highest_rank(sure if sure else v.legal)


# ---- the others ---------------------------------------------------------------------------------------


@njit
def dead_suits(cards: Any, v: Any) -> Any:
    """Those of ``cards``, no trumps, in suits that the declarer has shown to be out of."""
    dead = np.uint64(0)
    for suit in range(4):
        if suit != v.trump and (v.void[v.declarer] >> suit) & 1:
            dead |= cards & suit_mask(suit)
    return dead


@njit
def lead_against(v: Any) -> Any:
    """Draw his trumps with a master; else make him ruff; else lead the highest card outside trumps."""
    trumps = v.legal & suit_mask(v.trump)
    if masters(trumps, v.unseen):
        return highest(trumps)
    dead = dead_suits(v.legal, v)
    if dead:
        return highest_rank(dead)
    side = v.legal & ~trumps
    return highest_rank(side if side else v.legal)


@njit
def cover(v: Any, following: Any) -> Any:
    """Before the declarer has played: the highest card, if it takes the trick, so that he must beat it."""
    winners = winning(following, v)
    return highest_rank(winners) if winners else lowest_rank(following)


@njit
def throw_away(v: Any) -> Any:
    """Cards of suits that the declarer is out of first; trumps last; the lowest among equals."""
    dead = dead_suits(v.legal, v)
    if dead:
        return lowest_rank(dead)
    side = v.legal & ~suit_mask(v.trump)
    return lowest_rank(side if side else v.legal)


@njit
def follow_against(v: Any) -> Any:
    """Beat the declarer cheaply, cover before him, and waste nothing on a trick he has lost."""
    if v.best == v.declarer and winning(v.legal, v):
        return beat_cheaply(v.legal, v)
    following = v.legal & suit_mask(v.led)
    if following and (v.later >> v.declarer) & 1:
        return cover(v, following)
    return lowest_rank(following) if following else throw_away(v)


@njit
def play_tricks(v: Any) -> Any:
    """Everybody's card once trumps are made; the voids must have been read."""
    if v.declarer == 0:
        return draw_trumps(v) if v.led < 0 else beat_cheaply(v.legal, v)
    return lead_against(v) if v.led < 0 else follow_against(v)
