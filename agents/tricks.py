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
    return lowest_rank(v.legal & suit_mask(longest_suit(v.legal)))


@njit
def pay_follow(v: Any) -> Any:
    winners = winning(v.legal, v)
    if v.best == v.declarer and winners:
        return lowest_rank(winners)
    return lowest_rank(v.legal)


@njit
def play_tricks(v: Any) -> Any:
    """Everybody's card when the bid is for tricks; trumps are made, the voids must have been read."""
    if v.declarer == 0:
        return lead_trumps(v) if v.led < 0 else win_cheaply(v)
    return pay_lead(v) if v.led < 0 else pay_follow(v)
