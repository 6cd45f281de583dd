"""What batches of tables share: threads over their rows, fast copies of their records, a check of sizes."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import numpy as np
import numpy.typing as npt

from nap_env.engine import records

LINE = 64  # bytes that a processor fetches at once
ROWS_PER_THREAD = 512  # fewer rows than this are not worth a second thread


class Crew:
    """Threads that share the rows of a call; they start when there is work for two, and anew in a fork."""

    def __init__(self, threads: int) -> None:
        self.threads = at_least_one("threads", threads)
        self._pool: ThreadPoolExecutor | None = None
        self._owner = 0  # the process that started the pool

    def parts(self, size: int) -> int:
        """How many threads share so many rows."""
        return max(1, min(self.threads, size // ROWS_PER_THREAD))

    def share(self, work: Callable[[int, int], object], size: int) -> None:
        """Call ``work(start, stop)`` for parts that together are rows 0..size-1; it releases the GIL.

        The first part is the caller's own: a thread that waits would have to be woken.
        """
        parts = self.parts(size)
        if parts == 1:
            work(0, size)
            return
        if self._pool is None or self._owner != os.getpid():
            self._pool, self._owner = ThreadPoolExecutor(self.threads), os.getpid()
        edges = [size * part // parts for part in range(parts + 1)]
        others = [self._pool.submit(work, *part) for part in itertools.pairwise(edges[1:])]
        try:
            work(0, edges[1])
        finally:
            wait(others)
        for other in others:
            other.result()

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_pool": None}


def empty_tables(number: int) -> npt.NDArray[np.void]:
    """Records of tables where nothing was dealt yet, each at the start of a cache line."""
    size = records.GAME.itemsize
    memory = np.zeros(number * size + LINE, np.uint8)
    start = -memory.ctypes.data % LINE
    return memory[start : start + number * size].view(records.GAME)


def blocks(records: npt.NDArray[np.void]) -> npt.NDArray[np.void]:
    """The same memory, each record one block of bytes: NumPy copies records field by field, slowly."""
    return records.view(np.dtype((np.void, records.itemsize)))


def at_least_one(name: str, value: Any) -> int:
    """The number itself.

    Raises:
        ValueError: not a whole number from 1.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name} must be a whole number from 1, not {value!r}")
    return int(value)
