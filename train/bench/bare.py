"""`Tables` that write neither observation nor mask: the step beside which `Tables.step` is judged."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from nap_env import jit, rulebook
from nap_env.rulebook import DEAL, OVER, apply, deal, restart
from nap_env.vector import Tables


@jit.njit
def bare_step_rows(
    games: Any,
    rules: Any,
    index: Any,
    actions: Any,
    start: Any,
    stop: Any,
    rewards: Any,
    done: Any,
    seats: Any,
) -> None:
    """`rulebook.step_rows` with ``auto_deal`` and without given packs, observations and masks."""
    r = rules[0]
    n = int(r.num_players)
    for row in range(start, stop):
        table = index[row]
        g = games[table]
        apply(g, r, actions[row])
        for seat in range(n):
            rewards[row, seat] = g.rewards[seat]
        over = int(g.phase) == OVER
        done[row] = over
        if over:
            restart(g, r)
            deal(g, r)
        elif int(g.phase) == DEAL:
            deal(g, r)
        seats[table] = g.seat


class BareTables(Tables):
    """Tables whose `step` checks, plays, rewards and deals as ever, and leaves ``obs`` and ``mask`` alone."""

    def step(self, actions: Any, index: Any = None) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
        """As `Tables.step`, which see; ``obs`` and ``mask`` stay as they were."""
        rows = self._rows(index)
        chosen = np.asarray(actions).astype(np.int64, copy=False)
        if rulebook.first_illegal(self.games, rows, chosen) >= 0:
            raise ValueError("an illegal action")
        rewards = np.empty((len(rows), self.num_players), np.float32)
        done = np.empty(len(rows), np.bool_)

        def work(start: int, stop: int) -> None:
            bare_step_rows(self.games, self._kernel, rows, chosen, start, stop, rewards, done, self.seat)

        self._crew.share(work, len(rows))
        return rewards, done
