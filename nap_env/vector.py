"""Many tables at once: `Tables`, where every seat is played from outside, and what is built on it.

All arrays are indexed by table first. B tables, n seats, O observation, K rows of a call.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from nap_env import observation
from nap_env.agent import playout_loop
from nap_env.cards import NUM_ACTIONS, cards_of
from nap_env.dealing import deals, seeds
from nap_env.dealing.match import Match, make_match
from nap_env.engine import loops, records
from nap_env.engine.memory import blocks, empty_records
from nap_env.engine.step_threads import StepPool
from nap_env.engine.threads import OneCaller, ThreadPool, at_least_one, one_at_a_time
from nap_env.errors import DealError, IllegalAction
from nap_env.explain import why_illegal
from nap_env.rules import Rules, make_rules
from nap_env.vector_env import NapVectorEnv

__all__ = ["NapVectorEnv", "Tables"]

Int8 = npt.NDArray[np.int8]
Index = npt.NDArray[np.int64]
_INTEGER, _FLOAT, _BOOL = np.dtype(np.int64), np.dtype(np.float32), np.dtype(np.bool_)


class Tables:
    """B tables of one variant, dealt at once, stepped together by compiled loops.

    Args:
        num_tables: B.
        rules: a preset's name or a `Rules`.
        seed: table i plays as an environment of seed ``seed + i``; None takes a fresh seed.
        num_players: re-makes a preset for so many.
        threads: how many share the work of a call (they pay from some hundred tables each).
        match: the terms of each match; None is one hand.
        auto_deal: start the next match where one is over; else the table waits for `reset`.

    The arrays ``obs``, ``mask`` and ``seat`` are written in place by each call; copy what must last. One thread may
    call at a time: a second gets a `nap_env.errors.BusyError`.

    >>> tables = Tables(2, seed=1)
    >>> rewards, done = tables.step(tables.random_actions())
    >>> rewards.shape, done.tolist()
    ((2, 5), [False, False])
    """

    _with_views = True  # whether `step` writes ``obs`` and ``mask``

    def __init__(
        self,
        num_tables: int,
        rules: str | Rules = "standard",
        seed: int | None = None,
        num_players: int | None = None,
        threads: int = 1,
        *,
        match: Match | None = None,
        auto_deal: bool = True,
    ) -> None:
        self.num_tables = at_least_one("num_tables", num_tables)
        self.one_caller = OneCaller("Tables")
        self._pool = ThreadPool(threads)
        self.rules = make_rules(rules, num_players)
        self.num_players = self.rules.num_players
        self.match = match or make_match(self.num_players)
        self.auto_deal = bool(auto_deal)
        self._games = empty_records(self.num_tables, records.GAME)
        self._obs: Int8 = np.zeros((self.num_tables, observation.size(self.rules)), np.int8)
        self._mask: Int8 = np.zeros((self.num_tables, NUM_ACTIONS), np.int8)
        self._seat: Int8 = np.zeros(self.num_tables, np.int8)
        self._kernel = self.rules.kernel
        self._all = np.arange(self.num_tables, dtype=np.int64)
        self._decks: Int8 = _no_decks(self.rules)
        self._steps = StepPool(threads)
        self._attach()
        self.reset(seeds.fresh_seed() if seed is None else seed)

    # ---- dealing ---------------------------------------------------------------------------------

    @one_at_a_time
    def reset(
        self,
        seed: int | None = None,
        *,
        decks: Any = None,
        dealers: Any = None,
        index: Any = None,
        keys: Any = None,
    ) -> None:
        """Deal a new match at every table, or at those in ``index`` [K].

        Args:
            seed: row i begins the stream of ``seed + table``; None goes on with each table's own stream.
            decks: packs, top card first, int [K, pack] for the first hand or [K, H, pack] for H hands.
            dealers: the first dealers [K]; None draws them (R1.2).
            index: table numbers [K], each at most once; None is all.
            keys: stream keys uint64 [K] (see `nap_env.dealing.seeds`) instead of a seed.

        Raises:
            DealError: a pack that is none, named with its row.
            ValueError: arrays of the wrong shape, seats or seeds that cannot be. All stands as it was.
        """
        rows = self._rows(index)
        packs = self._parse_decks(decks, len(rows))
        first = self._parse_dealers(dealers, len(rows))
        streams = self._parse_keys(seed, keys, rows)
        if packs is not None:
            self._keep_decks(rows, packs)
        elif len(rows) == self.num_tables and self._decks.shape[0]:
            self._decks = _no_decks(self.rules)
            self._attach()
        elif self._decks.shape[0]:
            raise ValueError("some tables play given decks: reset these with decks of their own too")
        loops.begin_rows(self._games, self._kernel, rows, streams, first, *self.match.kernel, self._decks)
        self._observe(rows)

    def step(self, actions: Any, index: Any = None) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
        """One action at each table, or at each of those in ``index`` [K].

        Args:
            actions: integers [K], each legal at its table.
            index: table numbers [K], each at most once; None is all.

        Returns:
            rewards float32 [K, n], stakes, of every seat; done bool [K], whether the match ended. With
            ``auto_deal`` the next match is dealt at once, and ``obs`` and ``mask`` are already its own.

        Raises:
            IllegalAction: an action that is not legal, named with table, seat and clause.
            ValueError: wrong shape or dtype, or a table whose match is over. All stands as it was.
        """
        rows = self._all if index is None else self._rows(index)
        size = len(rows)
        chosen = _actions(actions, size)
        rewards, done = np.empty((size, self.num_players), _FLOAT), np.empty(size, _BOOL)
        self.one_caller.enter()
        try:
            bad = self._steps.step(rows, chosen, rewards, done, self.auto_deal | self._with_views << 1)
        finally:
            self.one_caller.leave()
        if bad >= 0:
            self._refuse(int(rows[bad]), int(chosen[bad]))
        return rewards, done

    # ---- for search and Monte Carlo --------------------------------------------------------------

    def random_actions(self, index: Any = None) -> Index:
        """A uniformly random legal action [K] for each table; a function of its stream and turn alone."""
        rows = self._rows(index)
        out = np.empty(len(rows), np.int64)
        self.one_caller.enter()
        try:
            self._steps.draw(rows, out)
        finally:
            self.one_caller.leave()
        return out

    @one_at_a_time
    def playout(self, policy: Any = "random") -> npt.NDArray[np.int32]:
        """Play every match to its end inside one compiled loop; net results, stakes, int32 [B, n].

        ``policy`` plays every seat: an agent, or its name, that can play inside the loop (it has a
        ``playout_rows``): ``"random"`` chooses uniformly, ``"rules"`` and ``"simple-v1"`` by rule.

        Raises:
            AgentError: no such agent, or one that must be asked from outside.
        """
        rows = playout_loop(policy, self.rules)

        def work(start: int, stop: int) -> None:
            rows(self._games, self._kernel, self._decks, start, stop)

        self._pool.run(work, self.num_tables)
        self._observe(self._all)
        return self.net.copy()

    @one_at_a_time
    def random_moves(self, moves: int) -> None:
        """``moves`` random actions at every table inside the kernel, dealing on (for benchmarks)."""

        def work(start: int, stop: int) -> None:
            loops.random_moves(self._games, self._kernel, start, stop, moves)

        self._pool.run(work, self.num_tables)
        self._observe(self._all)

    @one_at_a_time
    def copy_table(self, source: int, index: Any = None) -> None:
        """Put the match of one table at all tables, or at those in ``index`` [K]; then `reseed` them."""
        rows = self._rows(index)
        table = self._rows([source])[0]
        blocks(self._games)[rows] = blocks(self._games)[table]
        self._observe(rows)

    @one_at_a_time
    def put(self, games: npt.NDArray[np.void], index: Any = None) -> None:
        """Put matches ``games`` [K], taken from `Tables.games` under equal rules, at tables ``index`` [K].

        Raises:
            ValueError: records of another kind or number. All stands as it was.
        """
        rows = self._rows(index)
        if games.dtype != records.GAME or games.shape != rows.shape:
            raise ValueError(f"games must be {len(rows)} records of Tables.games, not {games.dtype} {games.shape}")
        blocks(self._games)[rows] = blocks(np.ascontiguousarray(games))
        self._observe(rows)

    @one_at_a_time
    def reseed(self, seed: int, index: Any = None) -> None:
        """Give tables streams of their own, ``seed + table``: what is dealt so far stays."""
        rows = self._rows(index)
        loops.seed_rows(self._games, rows, self._parse_keys(seed, None, rows))

    @one_at_a_time
    def clone(self) -> Tables:
        """An independent copy of all tables as they stand."""
        other = type(self).__new__(type(self))
        copies = {name: getattr(self, name).copy() for name in ("_obs", "_mask", "_seat", "_decks")}
        games = empty_records(self.num_tables, records.GAME)
        other.__setstate__(self.__getstate__() | copies | {"one_caller": OneCaller("Tables"), "_games": games})
        blocks(other._games)[:] = blocks(self._games)
        return other

    @one_at_a_time
    def use_buffers(self, obs: Int8, mask: Int8) -> None:
        """Write observations [B, O] and masks [B, 64] into the caller's own int8 arrays from now on.

        Raises:
            ValueError: wrong shape, dtype or layout.
        """
        _check_buffer("obs", obs, self._obs.shape)
        _check_buffer("mask", mask, self._mask.shape)
        self._obs, self._mask = obs, mask
        self._attach()
        self._observe(self._all)

    # ---- what is known ---------------------------------------------------------------------------

    @property
    def games(self) -> npt.NDArray[np.void]:
        """The records of all tables, `records.GAME` [B]."""
        return self._games

    @property
    def obs(self) -> Int8:
        """The view of the seat to act at each table, int8 [B, O]."""
        return self._obs

    @property
    def mask(self) -> Int8:
        """Its legal actions, int8 [B, 64]; zeros where the match is over."""
        return self._mask

    @property
    def seat(self) -> Int8:
        """The seat to act at each table, int8 [B]."""
        return self._seat

    @property
    def net(self) -> npt.NDArray[np.int32]:
        """Net results of the matches so far, stakes, int32 [B, n] (a view)."""
        return self._games["net"][:, : self.num_players]

    @property
    def over(self) -> npt.NDArray[np.bool_]:
        """Where the match is over, bool [B]; never with ``auto_deal``."""
        over: npt.NDArray[np.bool_] = self._games["phase"] == records.OVER
        return over

    @one_at_a_time
    def observe(self, seats: Any, out: Int8 | None = None) -> Int8:
        """The views of the given seats [B] (or one seat for all), int8 [B, O], into ``out`` where it is given.

        Raises:
            ValueError: no such seat, or ``out`` of another shape, dtype or layout.
        """
        viewers = np.asarray(seats)
        if viewers.dtype.kind not in "iu" or viewers.shape not in ((), (self.num_tables,)):
            raise ValueError(
                f"seats must be one seat, or integers [{self.num_tables}], not {viewers.dtype} {viewers.shape}"
            )
        if not (viewers.min() >= 0 and viewers.max() < self.num_players):
            raise ValueError(f"seats must be seats 0..{self.num_players - 1}")
        viewers = np.broadcast_to(viewers.astype(np.int8), self.num_tables)
        if out is None:
            out = np.empty_like(self._obs)
        _check_buffer("out", out, self._obs.shape)
        loops.observe_seats(self._games, self._kernel, viewers, out)
        return out

    @one_at_a_time
    def state(self) -> Int8:
        """Everything at each table, int8 [B, S] (see `nap_env.observation.state_layout`)."""
        out = np.empty((self.num_tables, observation.state_size(self.rules)), np.int8)
        loops.state_rows(self._games, self._kernel, out)
        return out

    # ---- inside ----------------------------------------------------------------------------------

    def _attach(self) -> None:
        """Tell the threads where these tables' arrays are: once they are there, and when one is exchanged."""
        self._steps.attach(self._games, self._kernel, self._decks, self._obs, self._mask, self._seat)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_steps"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._steps = StepPool(self._pool.threads)
        self._attach()

    def _observe(self, rows: Index) -> None:
        def work(start: int, stop: int) -> None:
            loops.observe_rows(self._games, self._kernel, rows, start, stop, self._obs, self._mask, self._seat)

        self._pool.run(work, len(rows))

    def _rows(self, index: Any) -> Index:
        if index is None:
            return self._all
        rows = np.atleast_1d(np.asarray(index))
        if rows.dtype == np.bool_ or (rows.size and not np.issubdtype(rows.dtype, np.integer)) or rows.ndim != 1:
            raise ValueError(f"index must be table numbers, integers [K], not {rows.dtype} {rows.shape}")
        rows = rows.astype(np.int64)
        if rows.size and not (rows.min() >= 0 and rows.max() < self.num_tables):
            raise ValueError(f"index has tables outside 0..{self.num_tables - 1}")
        if np.unique(rows).size != rows.size:
            raise ValueError("index names a table twice: one action a table in a call")
        return rows

    def _parse_decks(self, decks: Any, rows: int) -> Int8 | None:
        if decks is None:
            return None
        packs = np.asarray(decks)
        if packs.ndim == 2:
            packs = packs[:, None, :]
        size = self.rules.pack_size
        if packs.ndim != 3 or packs.shape[0] != rows or packs.shape[2] != size or not packs.shape[1]:
            raise DealError(
                f"decks must have shape ({rows}, {size}) or ({rows}, hands, {size}), not {np.shape(decks)} (R1.4)"
            )
        if not np.issubdtype(packs.dtype, np.integer):
            raise DealError(f"decks must be card numbers, integers, not {packs.dtype}")
        whole = np.fromiter(cards_of(self.rules.pack_mask), np.int8)
        bad = np.flatnonzero((np.sort(packs, axis=2) != whole).any(axis=(1, 2)))
        if bad.size:
            row, hand = int(bad[0]), 0
            for hand in range(packs.shape[1]):
                try:
                    deals.parse_deck(packs[row, hand], self.rules)
                except DealError as error:
                    raise DealError(f"row {row}, hand {hand}: {error}") from None
        return np.ascontiguousarray(packs, np.int8)

    def _keep_decks(self, rows: Index, packs: Int8) -> None:
        if len(rows) == self.num_tables:
            self._decks = packs[np.argsort(rows)]
            self._attach()
        elif self._decks.shape[1:] == packs.shape[1:] and self._decks.shape[0]:
            self._decks[rows] = packs
        else:
            raise ValueError("decks for some tables: first give all tables as many decks")

    def _parse_dealers(self, dealers: Any, rows: int) -> Index:
        if dealers is None:
            return np.full(rows, records.NONE, np.int64)
        first = np.asarray(dealers)
        if first.shape != (rows,) or not np.issubdtype(first.dtype, np.integer):
            raise ValueError(f"dealers must be seats, integers [{rows}], not {first.dtype} {first.shape}")
        if first.size and not (first.min() >= 0 and first.max() < self.num_players):
            raise ValueError(f"dealers must be seats 0..{self.num_players - 1}")
        return first.astype(np.int64)

    def _parse_keys(self, seed: Any, keys: Any, rows: Index) -> npt.NDArray[np.uint64]:
        if keys is not None:
            if seed is not None:
                raise ValueError("seed and keys are both given: give one of them")
            streams = np.asarray(keys)
            if streams.dtype != np.uint64 or streams.shape != rows.shape:
                raise ValueError(f"keys must be uint64 [{len(rows)}], not {streams.dtype} {streams.shape}")
            return streams
        if seed is None:
            return np.zeros(0, np.uint64)
        base = seeds.first_of(seed, self.num_tables)
        return np.uint64(base) + rows.astype(np.uint64)

    def _refuse(self, table: int, action: int) -> None:
        if not 0 <= action < NUM_ACTIONS:
            raise IllegalAction(f"table {table}: {action} is no action: actions are 0..63 (R14)")
        if int(self._games[table]["phase"]) == records.OVER:
            raise ValueError(f"table {table}: the match is over; reset it, or use auto_deal=True")
        raise IllegalAction(f"table {table}: {why_illegal(self._games[table], self._kernel[0], action)}")


def _actions(actions: Any, rows: int) -> Index:
    if type(actions) is np.ndarray and actions.dtype is _INTEGER and actions.shape == (rows,) and actions.flags.carray:
        return actions  # as `random_actions` gives them
    chosen = np.asarray(actions)
    if chosen.dtype.kind not in "iu":
        raise ValueError(f"actions must be integers, not {chosen.dtype}")
    if chosen.shape != (rows,):
        raise ValueError(f"actions must have shape ({rows},), one a table, not {chosen.shape}")
    return np.require(chosen, np.int64, ["C_CONTIGUOUS", "ALIGNED"])


def _check_buffer(name: str, array: Any, shape: tuple[int, ...]) -> None:
    if not isinstance(array, np.ndarray) or array.dtype != np.int8 or array.shape != shape:
        raise ValueError(f"{name} must be an int8 array of shape {shape}")
    if not array.flags.c_contiguous or not array.flags.writeable:
        raise ValueError(f"{name} must be writeable and C-contiguous")


def _no_decks(rules: Rules) -> Int8:
    return np.empty((0, 0, rules.pack_size), np.int8)
