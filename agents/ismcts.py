"""The agent `ismcts`: searches calls and cards by information-set Monte Carlo tree search (`tree`).

It knows the rules and, but for the playouts, nothing about how to play well. Discards, purchases and swaps (R7 to R9)
are left to the agent `rules`.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from agents.rules import RulesAgent
from agents.searching.budget import check_milliseconds
from agents.searching.keyed import KeyedAgent, Keys
from agents.searching.tree import MAX_DEPTH, NODE, most_visited, tree_rows
from agents.searching.workspace import games, workspace
from nap_env.agent import Int8, Int64
from nap_env.engine.jit import announce
from nap_env.engine.threads import at_least_one
from nap_env.errors import AgentError
from nap_env.solver.api import in_threads

PLAYOUTS = ("rules", "random")
_SLICE = 50  # iterations between two looks at the clock
_MOST = 200_000  # iterations within a time, so that the tree has an end


class IsmctsAgent(KeyedAgent):
    """Information-set Monte Carlo tree search, single observer.

    Args:
        iterations: of one decision.
        milliseconds: instead of them, how long a decision may take; the answers then depend on the machine.
        exploration: the factor of UCB1's second term; rewards are 0..1.
        playouts: how a hand is finished below the tree: by the agent ``rules``, or ``random``.
        threads: how many share the rows of a batch.

    Raises:
        AgentError: a budget that is none, an unknown kind of playouts.
    """

    name = "ismcts"

    def __init__(
        self,
        *,
        iterations: int = 400,
        milliseconds: float | None = None,
        exploration: float = 0.7,
        playouts: str = "rules",
        threads: int = 1,
    ) -> None:
        if playouts not in PLAYOUTS:
            raise AgentError(f"playouts={playouts!r}: there are {' and '.join(PLAYOUTS)}")
        if not exploration >= 0.0:
            raise AgentError(f"exploration={exploration!r}: give a number from 0")
        self.iterations = at_least_one("iterations", iterations)
        self.milliseconds = check_milliseconds(milliseconds)
        self.exploration, self.playouts = float(exploration), playouts
        self.threads = at_least_one("threads", threads)
        super().__init__()

    def _act(self, observations: Int8, action_masks: Int8, keys: Keys, *states: Int8) -> Int64:
        rules, rows, masks = self.shown(observations, action_masks)
        kernel = rules.kernel
        out = np.empty(len(rows), np.int64)
        RulesAgent.kernel(rows, masks, kernel, out)
        visits = np.zeros((len(rows), 64), np.int64)
        announce(tree_rows)
        if self.milliseconds is None:
            self._by_number(rows, masks, kernel, keys, visits)
        else:
            for row in range(len(rows)):
                self._by_time(row, rows, masks, kernel, keys, visits, self.milliseconds / 1000.0)
        searched = np.flatnonzero(visits.any(axis=1))
        best = np.empty(len(searched), np.int64)
        most_visited(visits[searched], masks[searched], best)
        out[searched] = best
        return out

    def _by_number(self, rows: Int8, masks: Int8, kernel: Any, keys: Any, visits: Int64) -> None:
        def work(_: Any, start: int, stop: int) -> None:
            nodes, path = np.zeros(self.iterations + 1, NODE), np.zeros(MAX_DEPTH, np.int64)
            tree_rows(
                nodes, path, workspace(), games(), rows, masks, kernel, keys, 0, self.iterations, self.exploration,
                self.playouts == "rules", start, stop, visits,
            )  # fmt: skip

        in_threads(work, len(rows), self.threads)

    def _by_time(
        self, row: int, rows: Int8, masks: Int8, kernel: Any, keys: Any, visits: Int64, seconds: float
    ) -> None:
        nodes, path = np.zeros(_MOST + 1, NODE), np.zeros(MAX_DEPTH, np.int64)
        until = time.perf_counter() + seconds
        done = 0
        while done < _MOST and (done == 0 or time.perf_counter() < until):
            tree_rows(
                nodes, path, workspace(), games(), rows, masks, kernel, keys, done, done + _SLICE, self.exploration,
                self.playouts == "rules", row, row + 1, visits,
            )  # fmt: skip
            done += _SLICE
