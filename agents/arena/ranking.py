"""Tournaments: every agent in every field, all on the same deals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.arena import statistics
from agents.arena.comparing import bind_all, versus
from agents.arena.results import Difference, Interval, Result
from nap_env.errors import AgentError
from nap_env.rules import Rules, make_rules

Floats = npt.NDArray[np.float64]
Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Standing(Interval):
    """An agent's mean over all fields, and whether it is told apart from the best."""

    name: str
    per_deal: Floats
    behind: Difference  # the best's result minus its own
    p_adjusted: float  # of behind, Holm-corrected over all agents but the best; 1.0 for the best itself


@dataclass(frozen=True, eq=False)
class Tournament:
    """Every agent as one among n-1 copies of every other.

    Attributes:
        names: of the agents, as given.
        results: (i, j) -> agent i in a field of j, i != j.
        standings: best mean first. An agent's mean is over the fields of all agents; in a field of its own
            copies it is worth 0 by symmetry, which is not played.
    """

    names: tuple[str, ...]
    results: dict[tuple[int, int], Result]
    standings: tuple[Standing, ...]

    def means(self) -> Floats:
        """Mean stakes a hand of agent i in a field of j, float [A, A]."""
        table = np.zeros((len(self.names), len(self.names)))
        for (i, j), result in self.results.items():
            table[i, j] = result.mean
        return table


def tournament(
    agents: Sequence[Any],
    num_players: int | None = None,
    deals: int = 1000,
    seed: int = 0,
    rules: str | Rules = "standard",
    *,
    purpose: str = "tournament",
    allow_cheats: bool = False,
    progress: Progress | None = None,
) -> Tournament:
    """Play every agent in every field, all on the same deals; arguments and errors as `versus`.

    An agent that sees all cards (``needs_state``) is not ranked beside those that do not, unless ``allow_cheats``.

    Raises:
        AgentError: fewer than two agents, one that cannot play these rules, or one that cheats.
    """
    played_rules = make_rules(rules, num_players)
    if len(agents) < 2:
        raise AgentError("a tournament needs at least two agents")
    bound = bind_all(agents, played_rules)
    cheats = [agent.name for agent in bound if getattr(agent, "needs_state", False)]
    if cheats and not allow_cheats:
        raise AgentError(
            f"{', '.join(cheats)} sees all cards and is not ranked beside agents that do not: "
            "leave it out, or ask for it with allow_cheats=True (--allow-cheats)"
        )
    pairs = [(i, j) for i in range(len(bound)) for j in range(len(bound)) if i != j]
    tables = deals * played_rules.num_players
    results = {}
    for number, (i, j) in enumerate(pairs):
        step = _offset(progress, number * tables, len(pairs) * tables)
        results[i, j] = versus(
            bound[i], bound[j], deals=deals, seed=seed, rules=played_rules, purpose=purpose, progress=step
        )
    names = tuple(agent.name for agent in bound)
    return Tournament(names, results, _standings(names, results))


def _standings(names: tuple[str, ...], results: dict[tuple[int, int], Result]) -> tuple[Standing, ...]:
    scores = [
        np.sum([result.per_deal for (i, _), result in results.items() if i == agent], axis=0) / len(names)
        for agent in range(len(names))
    ]
    order = sorted(range(len(names)), key=lambda agent: -scores[agent].mean())
    best, *rest = order
    behind = {agent: Difference(scores[best] - scores[agent]) for agent in order}
    adjusted = statistics.holm([behind[agent].p_value for agent in rest])
    p_values = {best: 1.0} | dict(zip(rest, adjusted, strict=True))
    return tuple(Standing(names[agent], scores[agent], behind[agent], p_values[agent]) for agent in order)


def _offset(progress: Progress | None, before: int, total: int) -> Progress | None:
    if progress is None:
        return None
    return lambda done, _: progress(before + done, total)
