"""Principles of the play for tricks: the declarer's, and those of the others, who are one side.

A *master* is a card that no unseen card of its suit can beat. The others are paid together or pay
together: to them it only matters whether the declarer wins a trick.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.view import above, highest_rank, longest_suit, lowest_rank, winning
from nap_env.jit import bit, drop_lowest, highest, lowest, njit
from nap_env.rulebook import suit_mask

# ---- the declarer -------------------------------------------------------------------------------------


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
def lead_trumps(v: Any) -> Any:
    """The declarer leads trumps from the top while he has them, then his highest card."""
    trumps = v.legal & suit_mask(v.trump) 
    if trumps:
        return highest(trumps)
    sure = masters(v.legal, v.unseen)
    return highest_rank(sure if sure else v.legal)


@njit
def win_cheaply(v: Any) -> Any:
    """The cheapest card that wins the trick as it stands, else the lowest."""
    winners = winning(v.legal, v)
    return lowest_rank(winners if winners else v.legal)


# ---- the others ---------------------------------------------------------------------------------------


@njit
def pay_lead(v: Any) -> Any:
    mode = v.x[23]
    trumps = v.legal & suit_mask(v.trump)
    sure = masters(v.legal & ~trumps, v.unseen)
    for suit in range(4):
        if v.void[v.declarer] & (1<<suit):
            sure &= ~suit_mask(suit)
    if mode == 1 and sure:
        return lowest_rank(sure)
    if mode == 2 and trumps and masters(trumps, v.unseen):
        return highest(trumps)
    if mode == 3 and trumps and masters(trumps, v.unseen):
        return highest(trumps)
    if mode == 3 and sure:
        return lowest_rank(sure)
    if mode == 4 and trumps:
        return highest(trumps)
    if mode == 5 and trumps:
        return lowest(trumps)
    if mode == 6:
        return highest_rank(v.legal)
    if mode == 7:
        side = v.legal & ~trumps
        return highest_rank(side if side else v.legal)
    if mode == 8:
        side = v.legal & ~trumps
        return lowest_rank(side if side else v.legal)
    if mode == 9:
        c = v.legal & suit_mask(longest_suit(v.legal))
        return highest_rank(c)
    if mode == 10:
        # suits the declarer is void in
        for suit in range(4):
            if v.void[v.declarer] & (1<<suit) and suit != v.trump and v.legal & suit_mask(suit):
                return lowest_rank(v.legal & suit_mask(suit))
    return lowest_rank(v.legal & suit_mask(longest_suit(v.legal)))


@njit
def pay_follow(v: Any) -> Any:
    winners = winning(v.legal, v)
    trumps = v.legal & suit_mask(v.trump)
    if v.best == v.declarer and winners:
        return lowest_rank(winners)
    following = v.legal & suit_mask(v.led)
    if (v.later >> v.declarer) & 1 and winners:
        after = 0
        # payers that play after the declarer
        seat = v.declarer
        after = v.later >> (v.declarer + 1)
        if following and v.x[20] == 1 and masters(winners, v.unseen):
            return highest_rank(winners)
        if following and v.x[20] == 2 and after == 0:
            return highest_rank(winners)
        if following and v.x[20] == 3:
            return highest_rank(winners)
        if following and v.x[20] == 4 and v.led != v.trump:
            return highest_rank(winners)
        if following and v.x[20] == 5 and above(v.best_card) & v.unseen:
            return highest_rank(winners)
        if not following and v.x[21] == 1:
            return lowest_rank(winners)
        if not following and v.x[21] == 2 and after == 0:
            return lowest_rank(winners)
        if not following and v.x[21] == 3 and above(v.best_card) & v.unseen & suit_mask(v.best_card//13):
            return lowest_rank(winners)
        if not following and v.x[21] == 4 and after == 0 and above(v.best_card) & v.unseen & suit_mask(v.best_card//13):
            return lowest_rank(winners)
    if v.x[22] == 1:
        side = v.legal & ~trumps
        return lowest_rank(side if side else v.legal)
    if v.x[22] == 2:
        side = v.legal & ~trumps & ~masters(v.legal, v.unseen)
        if not side:
            side = v.legal & ~trumps
        return lowest_rank(side if side else v.legal)
    if v.x[22] == 3 and not following:
        # cards of suits the declarer is void in are useless
        side = v.legal & ~trumps
        dead = side
        for suit in range(4):
            if not v.void[v.declarer] & (1<<suit):
                dead &= ~suit_mask(suit)
        if dead:
            return lowest_rank(dead)
        return lowest_rank(side if side else v.legal)
    return lowest_rank(v.legal)


@njit
def play_tricks(v: Any) -> Any:
    """Everybody's card when the bid is for tricks; trumps are made, the voids must have been read."""
    if v.declarer == 0:
        return lead_trumps(v) if v.led < 0 else win_cheaply(v)
    return pay_lead(v) if v.led < 0 else pay_follow(v)
