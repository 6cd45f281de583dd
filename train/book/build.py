"""Trials are added where the errors are largest, until all are small enough.

The errors are brought down in levels. A level sets the largest error allowed; a class and bid above it get more
trials, as many as they should need but at most as many again as they had, and are judged anew. What a class gets
depends on its own counts and on the level alone, so a build that was interrupted ends where one in a single go does.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import nap_env
from agents.auction.chances import BookError, Chances, empty, read, standard_error
from nap_env.rules import Rules
from train.book.trials import count_made

Int64 = npt.NDArray[np.int64]

FIRST_LOOK = 16
"""Trials that every class and bid gets, and of which all later additions are multiples."""

MOST = 65_520
"""Trials of a class and bid at most: counts are kept in 16 bits."""

ROWS_A_TASK = 4096
SAVE_EVERY = 30.0  # seconds


@dataclass(frozen=True)
class Quality:
    """When a build is done.

    Attributes:
        worst: largest standard error of any probability.
        rms: root mean square of all standard errors.
    """

    worst: float = 0.04
    rms: float = 0.02

    def reached(self, chances: Chances) -> bool:
        """Whether the chances are as good as that."""
        worst, rms = errors(chances)
        return worst <= self.worst and rms <= self.rms


def errors(chances: Chances) -> tuple[float, float]:
    """The largest standard error, and the root mean square of all."""
    error = standard_error(chances.made, chances.trials)
    return float(error.max()), float(np.sqrt(np.mean(error**2)))


def level_error(level: int) -> float:
    """The largest error that a level allows: 0.0977 at level 1, 0.04 at level 5, a fifth less with each."""
    return 0.04 * 1.25 ** (5 - level) if level else math.inf


@dataclass
class Build:
    """A build of one file, from where it stands.

    Attributes:
        path: the file; it is written now and then.
        level, complete: the level at work, and whether it is done.
        spent: processor-seconds of all threads, over all sittings.
    """

    path: Path
    kind: Rules
    play: str
    seed: int = 0
    threads: int = 2
    trials: Int64 = field(init=False)
    made: Int64 = field(init=False)
    level: int = field(init=False, default=0)
    complete: bool = field(init=False, default=False)
    spent: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        start = read(self.path) if self.path.is_file() else empty(self.kind, self.play, {"seed": self.seed})
        if (start.rules, start.play) != (self.kind, self.play):
            raise BookError(f"{self.path} holds chances for {start.rules!r} with {start.play} play: move it away")
        if start.origin.get("seed") != self.seed:
            begun = start.origin.get("seed")
            raise BookError(f"{self.path} was begun with seed {begun}, not {self.seed}: go on with --seed {begun}")
        self.trials, self.made = start.trials.astype(np.int64), start.made.astype(np.int64)
        self.level, self.complete = int(start.origin.get("level", 0)), bool(start.origin.get("complete"))
        self.spent = float(start.origin.get("seconds", 0.0))

    @property
    def chances(self) -> Chances:
        """The counts as they stand."""
        origin = {
            "seed": self.seed,
            "level": self.level,
            "complete": self.complete,
            "seconds": round(self.spent, 1),
            "nap_env": nap_env.__version__,
            "trials": int(self.trials.sum()),
        }
        return Chances(self.kind, self.play, self.trials.astype(np.uint16), self.made.astype(np.uint16), origin)

    def save(self) -> None:
        """Write the file."""
        self.chances.save(self.path)

    def run(self, quality: Quality, minutes: float, report: Callable[[int, int, int], None]) -> bool:
        """Add trials until the quality is reached (True) or the time is over (False; ``minutes`` 0: no limit).

        ``report(level, done, total)`` is called as trials are added, in trials of the level's present pass. What was
        done is saved whatever happens, KeyboardInterrupt included.
        """
        deadline = time.monotonic() + 60 * minutes if minutes else math.inf
        try:
            while not (self.complete and quality.reached(self.chances)):
                if self.complete:
                    self.level, self.complete = self.level + 1, False
                while (goal := self._goal()) is not None:
                    if not self._pass(goal, deadline, report):
                        return False
                self.complete = True
            return True
        finally:
            self.save()

    def _goal(self) -> Int64 | None:
        """How many trials each question and class should have now, int64 [Q, C]; None: the level is done."""
        if self.level == 0:
            goal = np.maximum(self.trials, FIRST_LOOK)
        else:
            allowed = level_error(self.level)
            share = (self.made + 1) / (self.trials + 2)
            batches = np.ceil((share * (1 - share) / allowed**2 - 3) / FIRST_LOOK)
            needed = FIRST_LOOK * batches.astype(np.int64)
            more = np.clip(needed, self.trials + FIRST_LOOK, 2 * self.trials)
            short = standard_error(self.made, self.trials) > allowed
            goal = np.where(short, np.minimum(more, MOST), self.trials)
        return goal if (goal > self.trials).any() else None

    def _pass(self, goal: Int64, deadline: float, report: Callable[[int, int, int], None]) -> bool:
        """Bring the counts up to the goal; False: the time is over."""
        total, done = int((goal - self.trials).sum()), 0
        saved = time.monotonic()
        running: dict[Future[Any], Int64] = {}
        with ThreadPoolExecutor(self.threads) as pool:
            try:
                tasks = self._tasks(goal)
                while True:
                    for numbers in tasks:
                        running[pool.submit(self._count, numbers, goal)] = numbers
                        if len(running) > self.threads:
                            break
                    if not running:
                        return True
                    for future in wait(running, return_when=FIRST_COMPLETED).done:
                        numbers = running.pop(future)
                        made, seconds = future.result()
                        done += int((goal[:, numbers] - self.trials[:, numbers]).sum())
                        self.made[:, numbers] += made
                        self.trials[:, numbers] = goal[:, numbers]
                        self.spent += seconds
                    report(self.level, done, total)
                    if time.monotonic() > deadline:
                        return False
                    if time.monotonic() > saved + SAVE_EVERY:
                        self.save()
                        saved = time.monotonic()
            finally:
                pool.shutdown(cancel_futures=True)

    def _tasks(self, goal: Int64) -> Iterator[Int64]:
        """Classes that lack trials, some thousand deals together."""
        lacking = np.flatnonzero((goal > self.trials).any(axis=0))
        deals = np.cumsum((goal - self.trials)[:, lacking].max(axis=0))
        cuts = np.searchsorted(deals, np.arange(ROWS_A_TASK, int(deals[-1]), ROWS_A_TASK))
        return (numbers for numbers in np.split(lacking, cuts) if numbers.size)

    def _count(self, numbers: Int64, goal: Int64) -> tuple[Int64, float]:
        began = time.thread_time()
        made = count_made(numbers, self.trials[:, numbers], goal[:, numbers], self.kind, self.play, self.seed)
        return made, time.thread_time() - began
