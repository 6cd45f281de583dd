"""What a comparison found: intervals over deals, and what became of the bids. Results are stakes a hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from agents.arena import statistics
from nap_env.agent import Int64
from nap_env.rules import Rules

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
