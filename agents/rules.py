"""The agent `rules`: it bids by counting tricks and plays by named principles.

The principles stand in `counting` (what a hand is worth), `bidding` (auction and specials), `tricks` and
`misere` (the play). Here is the switch between them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.principles.bidding import buy, call, discard, ecarte, opponents, swap
from agents.principles.counting import best_trumps, density
from agents.principles.misere import play_misere
from agents.principles.tricks import play_tricks
from agents.seeing.record_view import read_record
from agents.seeing.view import VIEW, ViewAgent, read, read_voids
from nap_env.agent import Int8, Int64
from nap_env.engine.jit import announce, drop_lowest, highest, lowest, njit
from nap_env.engine.loops import deal_row
from nap_env.engine.records import AUCTION, BUY, DEAL, ECARTE, NONE, OVER, PLAY, SWAP
from nap_env.engine.rulebook import apply, suit_mask

_MISERE = 54


@njit
def open_trumps(v: Any, r: Any) -> Any:
    """The first lead makes trumps: the highest card of the suit in which the hand is worth most."""
    suit = best_trumps(v.hand, v.unseen, density(r.hand_size, opponents(v), v.unseen))
    return highest(v.legal & suit_mask(suit))


@njit
def decide(v: Any, r: Any) -> Any:
    """The action in the position ``v``; in the play the voids must have been read."""
    if v.phase == PLAY:
        if v.contract != _MISERE and v.trump == NONE:
            return open_trumps(v, r)
        return play_misere(v) if v.contract == _MISERE else play_tricks(v)
    if v.phase == AUCTION:
        return call(v, r)
    if v.phase == BUY:
        return buy(v, r)
    if v.phase == ECARTE:
        return ecarte(v, r)
    if v.phase == SWAP:
        return swap(v, r)
    return discard(v, r)


@njit
def act_rows(observations: Any, masks: Any, rules: Any, out: Any) -> None:
    """The actions [B] for observations [B, O] and masks [B, 64]."""
    views = np.zeros(1, VIEW)
    for row in range(len(out)):
        v = views[0]
        read(observations[row], masks[row], rules[0], v)
        if v.phase == PLAY:
            read_voids(observations[row], rules[0], v)
        out[row] = decide(v, rules[0])


@njit
def choose(g: Any, r: Any, v: Any) -> Any:
    """The action of the seat to act in a game; ``v`` is the view to write."""
    if not drop_lowest(g.legal):
        return lowest(g.legal)  # forced: no need to look
    read_record(g, r, v)
    return decide(v, r)


@njit
def playout_rows(games: Any, rules: Any, decks: Any, start: Any, stop: Any) -> None:
    """Play the matches at tables start..stop-1 to their end, every seat by these principles."""
    r = rules[0]
    views = np.zeros(1, VIEW)
    for table in range(start, stop):
        v = views[0]
        g = games[table]
        while int(g.phase) != OVER:
            if int(g.phase) == DEAL:
                deal_row(g, r, decks, table)
            else:
                apply(g, r, choose(g, r, v))


class RulesAgent(ViewAgent):
    """Counts its tricks, bids what pays, and plays by named principles; deterministic."""

    name = "rules"
    playout_rows = staticmethod(playout_rows)

    @staticmethod
    def kernel(observations: Int8, masks: Int8, rules: Any, out: Int64) -> None:
        """One compiled loop over the rows."""
        announce(act_rows)
        act_rows(observations, masks, rules, out)
