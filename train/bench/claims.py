"""What is concluded from the measurements: ratios, and the claims they bear out or do not.

A ratio is worked out from everybody's quickest piece of work, and again from each round by itself: the
median of these says whether the machine was quiet enough to believe the first.
"""

from __future__ import annotations

import operator
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from nap_env.engine import records
from train.bench.measure import Measured, Results
from train.bench.ours import BATCH, variants
from train.bench.settings import Settings
from train.bench.solving import MANY, QUESTIONS


@dataclass(frozen=True)
class Found:
    """What was measured in one round, or in everybody's quickest piece; KeyError: it was not measured."""

    measured: dict[str, Measured]
    turn: int | None = None  # None: the quickest piece

    def rate(self, name: str) -> float:
        """Units a second of a case."""
        found = self.measured[name]
        return found.best if self.turn is None else found.rates[self.turn]

    def share(self, name: str) -> float:
        """Of a case's time, that inside the environment."""
        found = self.measured[name]
        return found.shares[found.best_round if self.turn is None else self.turn]


Formula = Callable[[Found], float]


@dataclass(frozen=True)
class Claim:
    """Something that should be so: ``formula`` gives at least, or at most, ``limit``."""

    number: int
    text: str
    limit: float
    formula: Formula
    at_most: bool = False


@dataclass(frozen=True)
class Verdict:
    """What was found for a claim; None where it was not measured."""

    claim: Claim
    best: float | None
    median: float | None

    @property
    def holds(self) -> bool | None:
        """Whether the quickest pieces bear it out."""
        return self._holds(self.best)

    @property
    def sure(self) -> bool:
        """Whether the median of the rounds says the same."""
        return self._holds(self.median) == self.holds

    def _holds(self, found: float | None) -> bool | None:
        if found is None:
            return None
        return bool((operator.le if self.claim.at_most else operator.ge)(found, self.claim.limit))

    def as_json(self) -> dict[str, Any]:
        """JSON-ready values."""
        return {
            "claim": self.claim.number,
            "text": self.claim.text,
            "at_most" if self.claim.at_most else "at_least": self.claim.limit,
            "best": self.best,
            "median": self.median,
            "holds": self.holds,
            "sure": self.sure,
        }


def judge(results: Results, settings: Settings) -> list[Verdict]:
    """Every claim beside what was found."""
    return [Verdict(claim, *work_out(results, claim.formula)) for claim in claims(settings)]


def work_out(results: Results, formula: Formula) -> tuple[float | None, float | None]:
    """The formula of the quickest pieces, and the median of what it gives round by round."""
    measured = results.measured
    try:
        best = formula(Found(measured))
    except KeyError:
        return None, None
    rounds = min((len(found.rates) for found in measured.values()), default=0)
    each = [formula(Found(measured, turn)) for turn in range(rounds)]
    return best, statistics.median(each) if each else best


# ---- the claims ------------------------------------------------------------------------------------


def claims(settings: Settings) -> Iterator[Claim]:
    """All of them, in the order in which they were asked for."""
    sizes = settings.batches
    step, bare, loop = f"step {BATCH}", f"bare {BATCH}", f"loop {BATCH}"
    yield Claim(1, "kernel / OpenSpiel euchre", 60, partial(ratio, "kernel", "euchre"))
    yield Claim(2, f"random_actions + step, B={BATCH:,} / euchre", 25, partial(ratio, loop, "euchre"))
    yield Claim(2, f"time of step / without views, B={BATCH:,}", 3, partial(ratio, bare, step), True)
    yield Claim(3, f"step: slowest / fastest batch, {sizes[0]}..{sizes[-1]:,}", 1.75, partial(_spread, sizes), True)
    yield Claim(3, "bytes of state a table", 512, _state_bytes, True)
    yield Claim(3, "two cores / one, kernel", 1.7, partial(ratio, "kernel, 2 threads", "kernel"))
    for size in (BATCH, sizes[-1]):
        one = f"step {size}"
        yield Claim(3, f"two cores / one, step, B={size:,}", 1.7, partial(ratio, f"{one}, 2 threads", one))
    for what in ("kernel", "step"):
        yield Claim(4, f"slowest variant / standard, {what}", 0.5, partial(_slowest, what))
    yield from learning_claims()
    yield from solver_claims()


def learning_claims() -> Iterator[Claim]:
    """Those about learning with SB3."""
    ours = "collect: ours, 1"
    yield Claim(5, "environment's share of collection", 0.15, partial(_share, ours), True)
    for size, limit in ((8, 8), (256, 3)):
        yield Claim(
            5, f"collection / over DummyVecEnv of {size}", limit,
            partial(ratio, ours, f"collect: dummy {size}, 1"),
        )  # fmt: skip
    for number, limit in ((1, 2), (2, 3)):
        threads = "1 thread" if number == 1 else f"{number} threads"
        yield Claim(5, f"with updates / DummyVecEnv of 8, {threads}", limit, partial(_learning_ratio, number))


def solver_claims() -> Iterator[Claim]:
    """Thousand deals that the solver answers in a second, and how long one may take."""
    limits = (300, 80, 6, 120, 20, 1, 0.2)
    for asked, limit in zip(QUESTIONS, limits, strict=True):
        text = f"solver, {asked.bid}, {asked.players} x {asked.cards}: thousands/s"
        yield Claim(6, text, limit, partial(_rate, asked.name))
    for cards, seconds in ((5, 0.25), (7, 1)):
        text = f"solver, longest of {MANY:,}, 7 x {cards}: s"
        yield Claim(6, text, seconds, partial(_seconds, f"longest: {cards}"), True)


def ratio(one: str, other: str, found: Found) -> float:
    """How many times as fast the first is."""
    return found.rate(one) / found.rate(other)


def learning_rate(name: str, number: int, found: Found) -> float:
    """Decisions a second when collection and updates take turns."""
    return 1 / (1 / found.rate(f"collect: {name}, {number}") + 1 / found.rate(f"update: {number}"))


def _learning_ratio(number: int, found: Found) -> float:
    return learning_rate("ours", number, found) / learning_rate("dummy 8", number, found)


def _rate(name: str, found: Found) -> float:
    return found.rate(name) / 1000


def _seconds(name: str, found: Found) -> float:
    return 1 / found.rate(name)


def _share(name: str, found: Found) -> float:
    return found.share(name)


def _state_bytes(_: Found) -> float:
    return float(records.GAME.itemsize)


def _spread(sizes: tuple[int, ...], found: Found) -> float:
    """How many times as long a table's step takes in the slowest batch as in the fastest."""
    rates = [found.rate(f"step {size}") for size in sizes]
    return max(rates) / min(rates)


def _slowest(what: str, found: Found) -> float:
    """The slowest variant's rate beside the standard one's."""
    return min(found.rate(f"{name}: {what}") for name in variants()) / found.rate(f"standard: {what}")
