"""Records of random play, what their seats have seen, and every deal that fits it."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from nap_env import Rules, observation
from nap_env.cards import cards_of, mask_of
from nap_env.engine import loops, records, rulebook, views


def tables(rules: Rules, number: int, seed: int = 0) -> Any:
    """Records of random play, one after each action: (record [1], seat to act)."""
    nothing = np.empty((0, 52), np.int8)
    for table in range(number):
        games = np.zeros(1, records.GAME)
        loops.seed_table(games, 0, np.uint64(seed + table))
        loops.begin(games, 0, rules.kernel, -1, 1, -1, 0, False, nothing, np.zeros(7, np.uint64))
        while games[0].phase != records.OVER:
            yield games
            rulebook.apply(games[0], rules.kernel[0], rulebook.random_action(games[0]))


def seen_by(games: Any, rules: Rules, seat: int) -> np.ndarray[Any, np.dtype[np.int8]]:
    row = np.zeros(observation.size(rules), np.int8)
    views.observe(games[0], rules.kernel[0], seat, row)
    return row


def fitting(known: dict[str, Any]) -> list[tuple[int, ...]]:
    """All hands of the other seats that fit, by trying everything."""
    worlds: list[tuple[int, ...]] = [()]
    for seat in range(1, len(known["unknown"])):
        longer = []
        for world in worlds:
            free = [
                c for c in cards_of(known["unseen"] & known["may_hold"][seat]) if not any(h >> c & 1 for h in world)
            ]
            longer += [(*world, mask_of(hand)) for hand in combinations(free, known["unknown"][seat])]
        worlds = longer
    return worlds
