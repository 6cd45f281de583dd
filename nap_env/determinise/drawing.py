"""One world after the other, drawn by the counts; none is ever thrown away."""

from __future__ import annotations

from typing import Any

import numpy as np

from nap_env.determinise.counting import choices, count_ways, digits, held_by_others
from nap_env.determinise.reading import MAX_KINDS, know
from nap_env.engine.chance import below, mix
from nap_env.engine.jit import bit, count, drop_lowest, lowest, njit, times


@njit
def world_rows(rows: Any, rules: Any, scratch: Any, keys: Any, out: Any) -> Any:
    """Fill ``out`` [B, worlds, n] from observations [B, O], world w of row b a function of ``keys[b]`` and w.

    Returns the first row that nothing fits, or -1; ``scratch`` is [1] KNOWLEDGE.
    """
    n = int(rules[0].num_players)
    k = scratch[0]
    for row in range(rows.shape[0]):
        know(rows, row, rules, scratch)
        ways = count_ways(k, n)
        if k.ways <= 0.0 or held_by_others(k, n) > count(k.unseen):
            return row
        for world in range(out.shape[1]):
            draw_world(k, ways, n, mix(keys[row] ^ mix(np.uint64(world))), out[row, world])
    return -1


@njit
def draw_world(k: Any, ways: Any, n: Any, key: Any, hands: Any) -> None:
    """Fill ``hands`` [n] with a world that is a function of ``key``; ``ways`` is what `count_ways` found."""
    draws = np.uint64(0)
    left = k.unseen
    for seat in range(n):
        hands[seat] = k.surely[seat] if seat else k.hand
    gone = np.zeros(MAX_KINDS, np.int64)
    now = np.zeros(MAX_KINDS, np.int64)
    state = 0
    for place in range(k.num_seats):
        seat = k.seats[place]
        digits(k, state, gone)
        draws = draws + np.uint64(1)
        stop = ways[place, state] * _unit(_random(key, draws))
        state = choices(k, ways, place, state, gone, stop)[1]
        digits(k, state, now)
        for kind in range(k.num_kinds):
            for _ in range(now[kind] - gone[kind]):
                draws = draws + np.uint64(1)
                card = _pick(left & k.kind[kind], _random(key, draws))
                hands[seat] = hands[seat] | card
                left = left ^ card
    for seat in range(1, n):
        for _ in range(k.unknown[seat] - count(hands[seat] & ~k.surely[seat])):
            draws = draws + np.uint64(1)
            card = _pick(left, _random(key, draws))
            hands[seat] = hands[seat] | card
            left = left ^ card


@njit
def _random(key: Any, draws: Any) -> Any:
    return mix(key ^ times(draws, np.uint64(0x9E3779B97F4A7C15)))


@njit
def _unit(word: Any) -> Any:
    """A random number in [0, 1) from the upper 53 bits."""
    return float(int(word >> np.uint64(11))) / 9007199254740992.0


@njit
def _pick(cards: Any, word: Any) -> Any:
    """One card of a set, as a set."""
    for _ in range(below(word, count(cards))):
        cards = drop_lowest(cards)
    return bit(lowest(cards))
