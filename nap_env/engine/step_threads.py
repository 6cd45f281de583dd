"""`loops.step_rows` by threads that find their work in memory, without the interpreter between them.

The arrays of many tables are written down once, by their addresses, in a record (`JOB`), those of a call with each
call: so little is handed over that a small batch costs little. A large one is cut into pieces. Whoever is there takes
the next: the caller, and helpers that watch for work a while and then sleep until they are called. The caller waits
only for pieces that somebody has taken, so a helper that comes late costs nothing.
"""

from __future__ import annotations

import os
import threading
import weakref
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from nap_env.engine import jit, memory
from nap_env.engine.jit import njit
from nap_env.engine.loops import first_illegal, random_rows, step_rows
from nap_env.engine.memory import address, array_at
from nap_env.engine.records import GAME, RULES

Int64 = npt.NDArray[np.int64]

JOB = np.dtype(
    (
        np.record,
        [
            # addresses and sizes of the tables' own arrays, see `step_rows`
            ("games", np.uint64),
            ("rules", np.uint64),
            ("decks", np.uint64),
            ("out", np.uint64),
            ("masks", np.uint64),
            ("seats", np.uint64),
            ("num_tables", np.int64),
            ("length", np.int64),
            ("num_decks", np.int64),
            ("pack", np.int64),
            # and those of a call
            ("index", np.uint64),
            ("actions", np.uint64),
            ("rewards", np.uint64),
            ("done", np.uint64),
            ("rows", np.int64),
            ("num_players", np.int64),
            ("how", np.int64),
            ("task", np.int64),  # what is to be done with the rows
        ],
    )
)

_CHECK, _STEP, _DRAW = range(3)  # tasks

# Counters, each on a cache line of its own. A task has a number, in the upper half of the first two.
_NEXT, _LIMIT, _LAST, _FINISHED, _BAD, _COMING, _WATCHING, _LEAVE = range(0, 64, 8)
_NUM_COUNTERS = 64
_CALL = 32  # bits below a task's number: the piece to be taken next, or how many there are
_PIECES = (1 << _CALL) - 1

SHARED_FROM = 1024  # rows of a call: fewer are done before a helper is there
_PIECE_ROWS, _MOST_PIECES = 128, 64
_SPINS = 100_000  # times a helper looks for work, about a fifth of a millisecond, before it sleeps
_SPINS_FOR_ANNOUNCED = 50  # times as many when work is announced, which may have been broken off


class StepPool:
    """The caller's thread and ``threads - 1`` helpers, which step tables; they start when there is work for them."""

    def __init__(self, threads: int) -> None:
        self.helpers = threads - 1
        self._owner = 0  # the process whose helpers watch
        self._job = np.zeros(1, JOB)
        self._counters = np.zeros(_NUM_COUNTERS, np.int64)

    def attach(self, games: Any, rules: Any, decks: Any, out: Any, masks: Any, seats: Any) -> None:
        """From now on step these tables; arrays as `loops.step_rows` takes them, kept here."""
        self._arrays = games, rules, decks, out, masks, seats
        if jit.DISABLED:
            return
        write_addresses(self._job, *self._arrays)
        self._step, self._draw, self._watch = _machine_code()

    def step(self, index: Int64, actions: Int64, rewards: Any, done: Any, how: int) -> int:
        """One action at each table ``index`` [K]; -1, or the first row whose action is not legal: nothing is done.

        Arrays are C-contiguous: ``index`` and ``actions`` int64 [K], ``rewards`` float32 [K, n], ``done`` bool [K].
        """
        if jit.DISABLED:
            games, rules, decks, *views = self._arrays
            size = len(index)
            wrong = int(first_illegal(games, index, actions, 0, size))
            if wrong < 0:
                step_rows(games, rules, index, actions, decks, how, 0, size, rewards, done, *views)
            return wrong
        bad: int = self._step(self._job, self._counters, index, actions, rewards, done, how, self._pieces(len(index)))
        return bad

    def draw(self, index: Int64, actions: Int64) -> None:
        """A uniformly random legal action of each table ``index`` [K], C-contiguous int64, into ``actions`` [K]."""
        if jit.DISABLED:
            random_rows(self._arrays[0], index, 0, len(index), actions)
        else:
            self._draw(self._job, self._counters, index, actions, self._pieces(len(index)))

    def _pieces(self, rows: int) -> int:
        """Into how many pieces so many rows are cut; where there are several, helpers are called."""
        if rows < SHARED_FROM or not self.helpers:
            return 1
        self._call_helpers()
        return min(rows // _PIECE_ROWS, _MOST_PIECES)

    def _call_helpers(self) -> None:
        if self._owner != os.getpid():
            self._counters = np.zeros(_NUM_COUNTERS, np.int64)
            self._owner, self._awake = os.getpid(), threading.Event()
            for _ in range(self.helpers):
                life = self._watch, self._job, self._counters, self._awake
                threading.Thread(target=_help, args=life, name="nap_env helper", daemon=True).start()
            weakref.finalize(self, _dismiss, self._counters, self._awake)
        self._counters[_COMING] = 1
        if self._counters[_WATCHING] < self.helpers:
            self._awake.set()


@cache
def _machine_code() -> tuple[Any, Any, Any]:
    """`step`, `draw` and `watch` to be called at once: no pool's arguments are of other types."""
    jit.announce(step)
    job, counters, none = np.zeros(1, JOB), np.zeros(_NUM_COUNTERS, np.int64), np.empty(0, np.int64)
    rewards, done = np.empty((0, 1), np.float32), np.empty(0, np.bool_)
    return (
        jit.direct(step, job, counters, none, none, rewards, done, 0, 1),
        jit.direct(draw, job, counters, none, none, 1),
        jit.direct(watch, job, counters, 0),
    )


def _help(watch: Any, job: Any, counters: Int64, awake: threading.Event) -> None:
    """A helper's life."""
    while not counters[_LEAVE]:
        awake.wait()
        awake.clear()
        watch(job, counters, _SPINS)
    awake.set()


def _dismiss(counters: Int64, awake: threading.Event) -> None:
    """Send all helpers away: one that is awake looks, one that sleeps is called, and calls the next."""
    counters[_LEAVE] = 1
    awake.set()


# ---- compiled ---------------------------------------------------------------------------------------


@njit
def write_addresses(job: Any, games: Any, rules: Any, decks: Any, out: Any, masks: Any, seats: Any) -> None:
    """Write down where the tables' own arrays are."""
    j = job[0]
    j.games, j.rules, j.decks = address(games), address(rules), address(decks)
    j.out, j.masks, j.seats = address(out), address(masks), address(seats)
    j.num_tables, j.length = out.shape
    j.num_decks, j.pack = decks.shape[1], decks.shape[2]


@njit
def step(job: Any, counters: Any, index: Any, actions: Any, rewards: Any, done: Any, how: Any, pieces: Any) -> Any:
    """`first_illegal`, and where all are legal `step_rows`, for these tables, cut into so many pieces."""
    j = job[0]
    j.index, j.actions, j.rows = address(index), address(actions), len(index)
    j.rewards, j.done, j.num_players, j.how = address(rewards), address(done), rewards.shape[1], how
    if pieces == 1:
        bad = first_illegal(_games(j), index, actions, 0, len(index))
        if bad < 0:
            _do(j, counters, _STEP, 0, len(index))
        return bad
    memory.store(counters, _BAD, len(index))
    _run(j, counters, _CHECK, pieces)
    bad = memory.load(counters, _BAD)
    if bad == len(index):
        bad = -1
        _run(j, counters, _STEP, pieces)
    memory.store(counters, _COMING, 0)
    return bad


@njit
def draw(job: Any, counters: Any, index: Any, actions: Any, pieces: Any) -> None:
    """`loops.random_rows` for these tables, cut into so many pieces."""
    j = job[0]
    j.index, j.actions, j.rows = address(index), address(actions), len(index)
    if pieces == 1:
        _do(j, counters, _DRAW, 0, len(index))
    else:
        _run(j, counters, _DRAW, pieces)
        memory.store(counters, _COMING, 0)


@njit
def _run(j: Any, counters: Any, task: Any, pieces: Any) -> None:
    """Do a task with whoever is there."""
    j.task = task
    call = (memory.load(counters, _NEXT) >> _CALL) + 1 << _CALL
    memory.store(counters, _FINISHED, 0)
    memory.store(counters, _LAST, 0)
    memory.store(counters, _LIMIT, call | pieces)
    memory.store(counters, _NEXT, call)
    _claim_pieces(j, counters, False)
    while memory.load(counters, _FINISHED) < pieces:
        continue


@njit
def watch(job: Any, counters: Any, spins: Any) -> None:
    """Claim pieces of all calls, until none has come for so many looks or the pool is dismissed."""
    memory.add(counters, _WATCHING, 1)
    looks = 0
    while looks < (_SPINS_FOR_ANNOUNCED * spins if memory.load(counters, _COMING) else spins):
        looks += 1
        if memory.load(counters, _NEXT) < memory.load(counters, _LIMIT):
            _claim_pieces(job[0], counters, True)
            looks = 0
        elif memory.load(counters, _LEAVE):
            break
    memory.add(counters, _WATCHING, -1)


@njit
def _claim_pieces(j: Any, counters: Any, helping: Any) -> None:
    """Do pieces as long as there are any.

    The caller takes them from the first on, helpers from the last: the same tables stay in the same core's caches.
    """
    first = 0
    while True:
        claim, limit = memory.add(counters, _NEXT, 1), memory.load(counters, _LIMIT)
        if claim >> _CALL != limit >> _CALL or claim >= limit:
            return
        pieces = limit & _PIECES
        piece = pieces - 1 - memory.add(counters, _LAST, 1) if helping else first
        first += 1
        _do(j, counters, j.task, j.rows * piece // pieces, j.rows * (piece + 1) // pieces)
        memory.add(counters, _FINISHED, 1)


@njit
def _games(j: Any) -> Any:
    return array_at(j.games, j.num_tables, GAME)


@njit
def _do(j: Any, counters: Any, task: Any, start: Any, stop: Any) -> None:
    """A task for rows start..stop-1."""
    games, tables, rows = _games(j), j.num_tables, j.rows
    index, actions = array_at(j.index, rows, np.int64), array_at(j.actions, rows, np.int64)
    if task == _DRAW:
        random_rows(games, index, start, stop, actions)
        return
    if task == _CHECK:
        bad = first_illegal(games, index, actions, start, stop)
        if bad >= 0:
            memory.lower(counters, _BAD, bad)
        return
    step_rows(
        games,
        array_at(j.rules, 1, RULES),
        index,
        actions,
        array_at(j.decks, (tables if j.num_decks else 0, j.num_decks, j.pack), np.int8),
        j.how,
        start,
        stop,
        array_at(j.rewards, (rows, j.num_players), np.float32),
        array_at(j.done, rows, np.bool_),
        array_at(j.out, (tables, j.length), np.int8),
        array_at(j.masks, (tables, 64), np.int8),
        array_at(j.seats, tables, np.int8),
    )
