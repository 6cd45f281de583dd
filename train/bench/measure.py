"""How time is measured: short slices of every case in turn, in several rounds."""

from __future__ import annotations

import gc
import statistics
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from time import perf_counter, process_time
from typing import Any, NamedTuple

COMPILED, PYTHON = "native", "python"  # who runs the loop over moves
VIEWS = ("observation", "mask")
PIECE = 0.005  # seconds that may pass undisturbed on a busy machine


class Sample(NamedTuple):
    """A piece of work that was done and timed."""

    moves: int
    seconds: float
    inside: float = 0.0  # of these seconds, those spent in the environment


Work = Callable[[], Sample]
Tell = Callable[[int, int, str], None]  # steps done, steps in all, what comes next


class Absent(Exception):
    """What a case needs is not here; the message says why."""


@dataclass(frozen=True)
class Case:
    """One thing that is measured; ``prepare`` makes everything ready and returns the work.

    Attributes:
        name: its key in the results.
        group: what ``--only`` chooses by.
        text: what it is, for the tables.
        batch: tables in a call.
        cores: how many it may use.
        writes: what the caller is given of VIEWS; a list of legal actions counts as a mask.
        loop: COMPILED or PYTHON, who runs the loop over moves (over batches of moves).
        unit: what is counted.
        heavy: one piece of work may take longer than a slice: no piece goes untimed to warm up.
        processor: its samples are of the processor's time, without what others had of it.
    """

    name: str
    group: str
    text: str
    prepare: Callable[[], Work]
    batch: int = 1
    cores: int = 1
    writes: tuple[str, ...] = ()
    loop: str = PYTHON
    unit: str = "moves"
    heavy: bool = False
    processor: bool = False


@dataclass
class Tally:
    """Samples added up."""

    moves: int = 0
    seconds: float = 0.0
    inside: float = 0.0

    def add(self, sample: Sample, wait: float) -> None:
        """Add a sample without the share of its time that is called waiting."""
        self.moves += sample.moves
        self.seconds += sample.seconds * (1 - wait)
        self.inside += sample.inside * (1 - wait)

    @property
    def rate(self) -> float:
        """Units a second."""
        return self.moves / self.seconds


@dataclass
class Measured:
    """What was found for a case, round by round."""

    case: Case
    rates: list[float] = field(default_factory=list)  # units a second, of a whole slice
    peaks: list[float] = field(default_factory=list)  # of the quickest piece of it
    shares: list[float] = field(default_factory=list)  # of that piece, inside the environment
    waits: list[float] = field(default_factory=list)  # of a slice on one core, while others had that core

    @property
    def best_round(self) -> int:
        """The one with the quickest piece."""
        return self.peaks.index(self.best)

    @property
    def best(self) -> float:
        """The rate of the quickest piece of all, the least disturbed."""
        return max(self.peaks)

    @property
    def median(self) -> float:
        """The median of the slices' rates."""
        return statistics.median(self.rates)


@dataclass
class Results:
    """All that was measured, by name; what could not be, and why; whether it was stopped early."""

    measured: dict[str, Measured] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)
    stopped: bool = False


def timed(moves: int, work: Callable[[], Any]) -> Work:
    """A piece of work that is timed as a whole."""

    def sample() -> Sample:
        start = perf_counter()
        work()
        return Sample(moves, perf_counter() - start)

    return sample


def measure(cases: Iterable[Case], seconds: float, rounds: int, tell: Tell, cpu_time: bool = False) -> Results:
    """Prepare every case, then measure each for ``seconds / rounds`` in every round; Ctrl-C ends it early.

    With ``cpu_time`` what runs on one core is not charged for the time in which it waited for that core.
    """
    results = Results()
    cases = list(cases)
    steps = len(cases) * (rounds + 1)
    try:
        ready = _prepare(cases, results, steps, tell)
        gc.collect()
        gc.freeze()  # else Python's collector walks everybody's objects during everybody's slices
        for turn in range(rounds):
            order = ready if turn % 2 == 0 else ready[::-1]
            for place, (case, work) in enumerate(order):
                tell(len(cases) + turn * len(ready) + place, steps, case.text)
                _slice(results.measured.setdefault(case.name, Measured(case)), work, seconds / rounds, cpu_time)
        tell(steps, steps, "")
    except KeyboardInterrupt:
        results.stopped = True
    finally:
        gc.unfreeze()
    in_order = [case.name for case in cases if case.name in results.measured]
    results.measured = {name: results.measured[name] for name in in_order if results.measured[name].rates}
    return results


def _prepare(cases: list[Case], results: Results, steps: int, tell: Tell) -> list[tuple[Case, Work]]:
    """The cases that can be measured, with their work."""
    ready = []
    for place, case in enumerate(cases):
        tell(place, steps, f"preparing: {case.text}")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # other people's deprecations
                ready.append((case, case.prepare()))
        except Absent as reason:
            results.absent[case.name] = str(reason)
    return ready


def _slice(measured: Measured, work: Work, seconds: float, cpu_time: bool) -> None:
    """Repeat the work for so long, at least once; note the rates of all of it and of its quickest piece."""
    case = measured.case
    if not case.heavy:
        work()
    whole, piece = Tally(), Tally()
    best: Tally | None = None
    spent, waited, passed = 0.0, 0.0, 0.0
    while spent < seconds or not whole.moves:
        wall, processor = perf_counter(), process_time()
        sample = work()
        wall = perf_counter() - wall
        wait = (
            min(max(wall - (process_time() - processor), 0.0), wall) if case.cores == 1 and not case.processor else 0.0
        )
        spent, waited, passed = spent + sample.seconds, waited + wait, passed + wall
        for tally in (whole, piece):
            tally.add(sample, wait / wall if cpu_time else 0.0)
        if piece.seconds >= PIECE:
            best = piece if best is None or piece.rate > best.rate else best
            piece = Tally()
    best = best or whole
    measured.rates.append(whole.rate)
    measured.peaks.append(best.rate)
    measured.shares.append(best.inside / best.seconds)
    if case.cores == 1:
        measured.waits.append(waited / passed)
