"""Is this agent better? Deals played in every rotation, with intervals over deals.

`versus` seats one candidate among n-1 others, `crowd` one other among n-1 candidates; the two can
disagree. `compare` sets two results on the same deals against each other, and `tournament` plays every
agent in every field. The unit is the deal: its value is the mean over the rotations of the candidate's
seat, so that identical deterministic agents differ by exactly 0. Results are stakes a hand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from agents import duplicate, statistics
from nap_env.agent import Agent, Int64, bind
from nap_env.cards import BIDS, THREE
from nap_env.errors import AgentError
from nap_env.rules import Rules, make_rules

Floats = npt.NDArray[np.float64]
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class BidCount:
    """What became of one bid: how often the candidate bid it, was declarer in it, and made it."""

    name: str
    bid: int
    share: float  # of the candidate's turns in the auction
    played: int
    made: int

    @property
    def success(self) -> float:
        """Share of the played contracts that were made; nan where none was."""
        return self.made / self.played if self.played else float("nan")


class Interval:
    """Statistics of independent values, one a deal: mean, 95% t interval, standard error."""

    per_deal: Floats

    @cached_property
    def _statistics(self) -> tuple[float, float, float, float]:
        return statistics.interval(self.per_deal)

    @property
    def mean(self) -> float:
        """Stakes a hand."""
        return self._statistics[0]

    @property
    def low(self) -> float:
        """Lower end of the 95% interval, stakes a hand."""
        return self._statistics[1]

    @property
    def high(self) -> float:
        """Upper end of the 95% interval, stakes a hand."""
        return self._statistics[2]

    @property
    def std_error(self) -> float:
        """Standard error of the mean, stakes a hand."""
        return self._statistics[3]

    @property
    def deals(self) -> int:
        """Number of deals, the independent observations."""
        return len(self.per_deal)

    @property
    def p_value(self) -> float:
        """Two-sided, of a true mean of 0."""
        return statistics.paired_p(self.per_deal)

    def bootstrap(self, samples: int = 2000, seed: int = 0) -> tuple[float, float]:
        """The 95% percentile bootstrap interval over deals, a check of ``low`` and ``high``."""
        return statistics.bootstrap(self.per_deal, samples=samples, seed=seed)


@dataclass(frozen=True, eq=False)
class Result(Interval):
    """What a candidate won.

    Attributes:
        candidate, field: names of the agents.
        totals: int64 [D, n], stakes of all the candidate's seats together by deal and rotation; rotation k
            is the one in which the agent that is alone at the table has seat k.
        seats: how many seats the candidate has.
        positions: int [D, n], how many seats left of the dealer that agent sat; 1 bids first, 0 is the
            dealer.
        bids: what the candidate bid, from the lowest bid of the ladder; `passes` is the rest.
        turns: the candidate's turns in the auction.
    """

    candidate: str
    field: tuple[str, ...]
    rules: Rules
    purpose: str
    seed: int
    totals: Int64
    seats: int
    positions: Int64
    bids: tuple[BidCount, ...]
    turns: int

    @cached_property
    def stakes(self) -> Floats:
        """Stakes a candidate's seat by deal and rotation, float [D, n]."""
        return np.asarray(self.totals / self.seats)

    @cached_property
    def per_deal(self) -> Floats:  # type: ignore[override]
        """The mean over rotations, float [D]; whole numbers are added up, so that 0 is exactly 0."""
        return np.asarray(self.totals.sum(axis=1) / (self.seats * self.totals.shape[1]))

    @property
    def passes(self) -> float:
        """Share of the candidate's turns in the auction at which it passed."""
        return 1.0 - sum(bid.share for bid in self.bids)

    def by_rotation(self) -> list[tuple[int, float, float]]:
        """(rotation, mean, standard error) of each rotation alone; the rotations are not independent."""
        return [(k, *statistics.mean_and_error(column)) for k, column in enumerate(self.stakes.T)]

    def by_position(self) -> list[tuple[int, float, float, int]]:
        """(seats left of the dealer, mean, standard error, hands), the dealer (0) last."""
        rows = []
        for place in (*range(1, self.stakes.shape[1]), 0):
            values = self.stakes[self.positions == place]
            rows.append((place, *statistics.mean_and_error(values), len(values)))
        return rows

    def __str__(self) -> str:
        return f"{self.candidate}: {self.mean:+.3f} [{self.low:+.3f}, {self.high:+.3f}], {self.deals} deals"


@dataclass(frozen=True, eq=False)
class Difference(Interval):
    """One result minus another on the same deals; ``per_deal`` is float [D]."""

    per_deal: Floats


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
    agents = _bind_all([candidate, *(others if isinstance(field, list | tuple) else others[:1])], played_rules)
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
    agents = _bind_all([candidate, other], played_rules)
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


# ---- a tournament -----------------------------------------------------------------------------------


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
    bound = _bind_all(agents, played_rules)
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


# ---- inside -----------------------------------------------------------------------------------------


def _bind_all(agents: Sequence[Any], rules: Rules) -> list[Agent]:
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
