"""Is this agent better? Deals played in every rotation, with intervals over deals.

`versus` seats one candidate among n-1 others, `crowd` one other among n-1 candidates; the two can
disagree. `compare` sets two results on the same deals against each other, and `tournament` plays every
agent in every field. The unit is the deal: its value is the mean over the rotations of the candidate's
seat, so that identical deterministic agents differ by exactly 0. Results are stakes a hand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.arena import duplicate
from agents.arena.results import BidCount, Difference, Result
from nap_env.agent import Agent, Int64, bind
from nap_env.cards import BIDS, THREE
from nap_env.errors import AgentError
from nap_env.rules import Rules, make_rules

Floats = npt.NDArray[np.float64]
Progress = Callable[[int, int], None]


def versus(
    candidate: Any,
    field: Any,
    num_players: int | None = None,
    deals: int = 1000,
    seed: int = 0,
    rules: str | Rules = "standard",
    *,
    purpose: str = "arena",
    progress: Progress | None = None,
) -> Result:
    """One candidate against n-1 copies of an agent, or against a list of n-1, seated in its order.

    Agents are names or objects. Deals ``0 .. deals-1`` of the evaluation stream (purpose, seed) are
    played in all n rotations. ``progress(done, total)`` counts tables.

    Raises:
        AgentError: no such agent, one that cannot play these rules, or a field of the wrong number.
    """
    played_rules = make_rules(rules, num_players)
    n = played_rules.num_players
    others = list(field) if isinstance(field, list | tuple) else [field] * (n - 1)
    if len(others) != n - 1:
        raise AgentError(f"a field for {n} players has {n - 1} agents, not {len(others)}")
    roles = [*range(1, n)] if isinstance(field, list | tuple) else [1] * (n - 1)
    agents = bind_all([candidate, *(others if isinstance(field, list | tuple) else others[:1])], played_rules)
    table = _Table(agents, [0, *roles], played_rules, deals, purpose, seed, progress)
    return _result(
        table, table.alone(table.played.stakes), [0], agents[0].name, tuple(agents[role].name for role in roles)
    )


def crowd(
    candidate: Any,
    other: Any,
    num_players: int | None = None,
    deals: int = 1000,
    seed: int = 0,
    rules: str | Rules = "standard",
    *,
    purpose: str = "arena",
    progress: Progress | None = None,
) -> Result:
    """The other table: n-1 copies of the candidate against one other; stakes a candidate's seat.

    Arguments and errors are those of `versus`.
    """
    played_rules = make_rules(rules, num_players)
    n = played_rules.num_players
    agents = bind_all([candidate, other], played_rules)
    table = _Table(agents, [1] + [0] * (n - 1), played_rules, deals, purpose, seed, progress)
    totals = -table.alone(table.played.stakes)  # R11.3: they are what the other has lost
    return _result(table, totals, list(range(1, n)), agents[0].name, (agents[1].name,))


def compare(first: Result, second: Result) -> Difference:
    """How much more the first won than the second, deal by deal.

    Raises:
        ValueError: the two were not played on the same deals.
    """
    same = [(r.rules, r.purpose, r.seed, r.deals) for r in (first, second)]
    if same[0] != same[1]:
        raise ValueError("the two results come from other deals: give both the same rules, purpose, seed and deals")
    return Difference(first.per_deal - second.per_deal)


def bind_all(agents: Sequence[Any], rules: Rules) -> list[Agent]:
    return [bind(agent, rules) for agent in agents]


class _Table:
    """Deals 0 .. D-1 in all rotations of a seating; ``around`` [n] is who sits where in rotation 0."""

    def __init__(
        self,
        agents: list[Agent],
        around: list[int],
        rules: Rules,
        deals: int,
        purpose: str,
        seed: int,
        progress: Progress | None,
    ) -> None:
        if isinstance(deals, bool) or not isinstance(deals, int | np.integer) or deals < 1:
            raise ValueError(f"deals must be a whole number from 1, not {deals!r}")
        self.rules, self.purpose, self.seed = rules, purpose, seed
        self.n = rules.num_players
        self.deals = int(deals)
        rotations = np.array([np.roll(around, k) for k in range(self.n)], np.int64)
        seating = np.tile(rotations, (self.deals, 1))
        numbers = np.repeat(np.arange(self.deals), self.n)
        total = len(numbers)
        report = None if progress is None else lambda done: progress(done, total)
        self.played = duplicate.play(agents, seating, numbers, rules, purpose=purpose, seed=seed, progress=report)

    def alone(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Of values [T, n] those of the seat that is seat 0 before rotation, [D, n]."""
        return self._around(values, 0).reshape(self.deals, self.n)

    def _around(self, values: npt.NDArray[Any], place: int) -> npt.NDArray[Any]:
        rows = np.arange(len(values))
        return values[rows, (rows + place) % self.n]

    def counts(self, places: list[int]) -> tuple[tuple[BidCount, ...], int]:
        """What those who sit at ``places`` before rotation bid."""
        played = self.played
        seats = [(np.arange(len(played.dealers)) + place) % self.n for place in places]
        turns = sum(int(self._around(played.turns, place).sum()) for place in places)
        counts = []
        for name in self.rules.bids:
            bid = BIDS.index(name)
            calls = sum(int(self._around(played.bids, place)[:, bid].sum()) for place in places)
            mine = played.contract == THREE + bid
            mine &= np.any([played.declarer == seat for seat in seats], axis=0)
            made = int((mine & played.made).sum())
            counts.append(BidCount(name, calls, calls / max(turns, 1), int(mine.sum()), made))
        return tuple(counts), turns


def _result(table: _Table, totals: Int64, places: list[int], candidate: str, field: tuple[str, ...]) -> Result:
    n = table.n
    dealers = table.played.dealers.reshape(table.deals, n)
    bids, turns = table.counts(places)
    return Result(
        candidate=candidate,
        field=field,
        rules=table.rules,
        purpose=table.purpose,
        seed=table.seed,
        totals=totals,
        seats=len(places),
        positions=(np.arange(n) - dealers) % n,
        bids=bids,
        turns=turns,
    )
