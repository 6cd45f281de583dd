"""`simple-v1`, the frozen yardstick: results are quoted against it, so it is never improved.

It bids once, the highest legal bid that its hand supports, by counting tricks; it never uses a
special (buying, peeping, the spare hand, the swap). It plays by the fewest rules that make sense.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.seeing.record_view import read_record
from agents.seeing.view import (
    VIEW,
    ViewAgent,
    highest_rank,
    longest_suit,
    lowest_rank,
    read,
    winning,
)
from nap_env.agent import Int8, Int64
from nap_env.engine.jit import announce, bit, count, njit
from nap_env.engine.loops import deal_row
from nap_env.engine.records import AUCTION, DEAL, OVER, PLAY
from nap_env.engine.rulebook import apply, suit_mask

_PASS, _THREE, _MISERE, _FOUR, _NAP = 52, 53, 54, 55, 56
_ACES = bit(12) | bit(25) | bit(38) | bit(51)
_RANKS_ABOVE_SIX = np.uint64(0x1FE0)  # of one suit: 7 .. A
_RANKS_ABOVE_EIGHT = np.uint64(0x1F80)  # 9 .. A


@njit
def estimate(hand: Any, suit: Any) -> Any:
    """Tricks expected with this suit as trumps, 0 to 5."""
    own = hand & suit_mask(suit)
    cards = count(own)
    tricks = count(hand & _ACES)  # the ace of the suit, and each ace outside it
    if own & bit(13 * suit + 11) and cards >= 2:
        tricks += 1
    if own & bit(13 * suit + 10) and cards >= 3:
        tricks += 1
    return min(tricks + max(cards - 3, 0), 5)


@njit
def best_suit(hand: Any) -> Any:
    """The suit of the best estimate; then the longer, then the first of C D H S."""
    best = 0
    for suit in range(1, 4):
        more = estimate(hand, suit) - estimate(hand, best)
        longer = count(hand & suit_mask(suit)) - count(hand & suit_mask(best))
        if more > 0 or (more == 0 and longer > 0):
            best = suit
    return best


@njit
def misere_hand(hand: Any) -> Any:
    """No card above the eight, at most two above the six."""
    above_six = 0
    for suit in range(4):
        if hand & (_RANKS_ABOVE_EIGHT << np.uint64(13 * suit)):
            return False
        above_six += count(hand & (_RANKS_ABOVE_SIX << np.uint64(13 * suit)))
    return above_six <= 2


@njit
def _bid(v: Any, r: Any) -> Any:
    tricks = estimate(v.hand, best_suit(v.hand))
    choice = _PASS
    height = -1
    for bid in range(_THREE, _NAP + 1):
        supported = misere_hand(v.hand) if bid == _MISERE else tricks >= (5 if bid == _NAP else _asked(bid))
        if supported and v.legal & bit(bid) and r.place[bid - _THREE] > height:
            choice = bid
            height = r.place[bid - _THREE]
    return choice


@njit
def _asked(bid: Any) -> Any:
    return 3 if bid == _THREE else 4


@njit
def _declare(v: Any) -> Any:
    """The declarer of a bid for tricks."""
    if v.led < 0:
        suit = v.trump if v.trump >= 0 else best_suit(v.hand)
        trumps = v.legal & suit_mask(suit)
        return highest_rank(trumps if trumps else v.legal)
    winners = winning(v.legal, v)
    return lowest_rank(winners if winners else v.legal)


@njit
def _pay(v: Any) -> Any:
    """The others in a bid for tricks."""
    if v.led < 0:
        return lowest_rank(v.legal & suit_mask(longest_suit(v.legal)))
    winners = winning(v.legal, v)
    if v.best == v.declarer and winners:
        return lowest_rank(winners)
    return lowest_rank(v.legal)


@njit
def _misere(v: Any) -> Any:
    """Everybody in a Misere."""
    if v.led < 0:
        return lowest_rank(v.legal)
    if not v.legal & suit_mask(v.led):
        return highest_rank(v.legal)
    staying = v.legal & ~winning(v.legal, v)
    if v.declarer == 0:
        return highest_rank(staying if staying else v.legal)
    if v.best == v.declarer and staying:
        return highest_rank(staying)
    return lowest_rank(v.legal)


@njit
def decide(v: Any, r: Any) -> Any:
    """The action of `simple-v1` in the position ``v``."""
    if v.phase == PLAY:
        if v.contract == _MISERE:
            return _misere(v)
        return _declare(v) if v.declarer == 0 else _pay(v)
    if v.phase == AUCTION:
        return _bid(v, r)
    return _PASS if v.legal & bit(_PASS) else lowest_rank(v.legal)


@njit
def act_rows(observations: Any, masks: Any, rules: Any, out: Any) -> None:
    """The actions [B] for observations [B, O] and masks [B, 64]."""
    views = np.zeros(1, VIEW)
    for row in range(len(out)):
        v = views[0]
        read(observations[row], masks[row], rules[0], v)
        out[row] = decide(v, rules[0])


@njit
def playout_rows(games: Any, rules: Any, decks: Any, start: Any, stop: Any) -> None:
    """Play the matches at tables start..stop-1 to their end, every seat as `simple-v1`."""
    r = rules[0]
    views = np.zeros(1, VIEW)
    for table in range(start, stop):
        v = views[0]
        g = games[table]
        while int(g.phase) != OVER:
            if int(g.phase) == DEAL:
                deal_row(g, r, decks, table)
            else:
                read_record(g, r, v)
                apply(g, r, decide(v, r))


class SimpleAgent(ViewAgent):
    """The frozen yardstick `simple-v1`."""

    name = "simple-v1"
    playout_rows = staticmethod(playout_rows)

    @staticmethod
    def kernel(observations: Int8, masks: Int8, rules: Any, out: Int64) -> None:
        """One compiled loop over the rows."""
        announce(act_rows)
        act_rows(observations, masks, rules, out)
