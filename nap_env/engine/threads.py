"""Threads: a pool that shares the rows of a call among them, and a lock that lets one caller in at a time.

`ThreadPool.run` is the one way to share rows; `nap_env.engine.step_threads.StepPool` is the same for the steps of
`Tables`, by threads that find their work without the interpreter between them.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")

ROWS_PER_THREAD = 512  # fewer rows than this are not worth a second thread


class ThreadPool:
    """Threads that share the rows of a call; they start when there is work for two, and anew in a fork."""

    def __init__(self, threads: int) -> None:
        self.threads = at_least_one("threads", threads)
        self._pool: ThreadPoolExecutor | None = None
        self._owner = 0  # the process that started the pool

    def run(self, work: Callable[[int, int], object], size: int, piece: int | None = None) -> None:
        """Call ``work(start, stop)`` for pieces that together are rows 0..size-1; it releases the GIL.

        Without ``piece`` each thread has an equal part, none fewer than `ROWS_PER_THREAD` rows; with it, whoever is
        free takes the next ``piece`` rows: for rows of very unequal work. The first piece is the caller's own: a
        thread that waits would have to be woken. When pieces fail, all end before the first error is raised.
        """
        parts = max(1, min(self.threads, size // ROWS_PER_THREAD) if piece is None else -(-size // piece))
        if parts == 1 or self.threads == 1:
            work(0, size)
            return
        if piece is None:
            edges = [size * part // parts for part in range(parts + 1)]
        else:
            edges = [*range(0, size, piece), size]
        pool = self._started()
        others: list[Future[object]] = []
        try:
            others += [pool.submit(work, *part) for part in itertools.pairwise(edges[1:])]
            work(0, edges[1])
        finally:
            wait(others)
        for other in others:
            other.result()

    def _started(self) -> ThreadPoolExecutor:
        if self._pool is None or self._owner != os.getpid():
            self._pool, self._owner = ThreadPoolExecutor(self.threads), os.getpid()
        return self._pool

    def __reduce__(self) -> tuple[Any, ...]:
        return ThreadPool, (self.threads,)


class BusyError(RuntimeError):
    """Two threads called one object at the same time, which would change its tables under each other's hands."""


class OneCaller:
    """A lock for objects whose arrays compiled code changes without the GIL: the second caller gets an error.

    To wait would be wrong: between two calls of his the other's have changed what he decided on. Methods are marked
    by `one_at_a_time`; a copy (pickle, deepcopy) is free.
    """

    __slots__ = ("_acquire", "_what", "leave")

    def __init__(self, what: str) -> None:
        lock = threading.Lock()
        self._what, self._acquire = what, lock.acquire
        self.leave = lock.release  # a method of the lock itself: a step of one table takes a microsecond in all

    def enter(self) -> None:
        """Begin a call; `leave` ends it.

        Raises:
            BusyError: another has not ended.
        """
        if not self._acquire(False):
            raise BusyError(
                f"this {self._what} is in the midst of another call, of another thread, of an agent it asks, or of the "
                "process that was forked then: let each thread have one of its own, or lock around the calls"
            )

    def __reduce__(self) -> tuple[Any, ...]:
        return OneCaller, (self._what,)


def one_at_a_time(method: Callable[Arguments, Answer]) -> Callable[Arguments, Answer]:
    """A method that only one thread may be in, of all that are so marked; its object has a ``one_caller``."""

    @wraps(method)
    def alone(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Answer:
        one_caller: OneCaller = args[0].one_caller  # type: ignore[attr-defined]
        one_caller.enter()
        try:
            return method(*args, **kwargs)
        finally:
            one_caller.leave()

    return alone


def at_least_one(name: str, value: Any) -> int:
    """The number itself.

    Raises:
        ValueError: not a whole number from 1.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name} must be a whole number from 1, not {value!r}")
    return int(value)
