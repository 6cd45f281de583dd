"""The agent `rules`."""

from __future__ import annotations

from typing import Any

import numpy as np

from agents import simple
from agents.counting import (
    best_trumps,
    chance_of_misere,
    chance_of_tricks,
    density,
    tricks_with,
)
from agents.misere import play_misere
from agents.tricks import play_tricks
from agents.view import VIEW, ViewAgent, lowest_rank, read, read_voids,highest_rank
from nap_env.agent import Int8, Int64
from nap_env.jit import bit, count, njit
from nap_env.rulebook import AUCTION, NONE, PLAY, suit_mask

_PASS, _MISERE = 52, 54
X = np.zeros(64)


@njit
def decide(row: Any, v: Any, r: Any) -> Any:
    if v.phase == PLAY:
        read_voids(row, r, v)
        if v.contract == _MISERE:
            return play_misere(v)
        if v.trump<0:
            dense = density(r.hand_size, count(np.uint64(v.dealt)) - 1, v.unseen)
            trumps = v.legal & suit_mask(best_trumps(v.legal, v.unseen, dense))
            return highest_rank(trumps if trumps else v.legal)
        return play_tricks(v)
    if v.phase == AUCTION:
        return call(v, r)
    return simple.decide(v, r)


@njit
def call(v: Any, r: Any) -> Any:
    dense = density(r.hand_size, count(np.uint64(v.dealt)) - 1, v.unseen)
    tricks = tricks_with(v.hand, best_trumps(v.hand, v.unseen, dense), v.unseen, dense)
    misere = chance_of_misere(v.hand, v.unseen, dense)
    to_come = 0
    for seat in range(1, v.n):
        if (v.dealt >> seat) & 1 and v.bids[seat] == NONE:
            to_come += 1
    if v.contract == NONE:
        least = -v.x[10] * (1.0 - v.x[11] ** to_come)
    else:
        b = v.contract - 53
        least = -(v.x[12] * r.made[b] - (1.0 - v.x[12]) * r.failed[b]) / v.payers - v.x[13]*to_come
        tricks -= v.x[15]
    best = _PASS
    for bid in range(53, 61):
        if not v.legal & bit(bid):
            continue
        b = bid - 53
        p = misere if bid == _MISERE else chance_of_tricks(tricks, int(r.target[b]), int(r.hand_size), dense)
        value = p * r.made[b] - (1.0 - p) * r.failed[b] + v.x[14] * r.place[b] * to_come
        if value > least:
            least = value
            best = bid
    return best


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
