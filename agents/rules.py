"""The agent `rules`."""

from __future__ import annotations

from typing import Any

import numpy as np

from agents import simple
from agents.misere import play_misere
from agents.tricks import play_tricks
from agents.view import VIEW, ViewAgent, lowest_rank, read, read_voids,highest_rank
from nap_env.agent import Int8, Int64
from nap_env.jit import bit, njit
from nap_env.rulebook import AUCTION, PLAY, suit_mask

_PASS, _MISERE = 52, 54
X = np.zeros(64)


@njit
def decide(row: Any, v: Any, r: Any) -> Any:
    if v.phase == PLAY:
        read_voids(row, r, v)
        if v.contract == _MISERE:
            return play_misere(v)
        if v.trump<0:
            trumps = v.legal & suit_mask(simple.best_suit(v.hand))
            return highest_rank(trumps if trumps else v.legal)
        return play_tricks(v)
    return simple.decide(v, r)


@njit
def act_rows(observations: Any, masks: Any, rules: Any, out: Any, x: Any) -> None:
    """The actions [B] for observations [B, O] and masks [B, 64]."""
    v = np.zeros(1, VIEW)[0]
    for i in range(64):
        v.x[i] = x[i]
    for row in range(len(out)):
        read(observations[row], masks[row], rules[0], v)
        out[row] = decide(observations[row], v, rules[0])


class RulesAgent(ViewAgent):
    name = "rules"

    @staticmethod
    def kernel(observations: Int8, masks: Int8, rules: Any, out: Int64) -> None:
        act_rows(observations, masks, rules, out, X)
