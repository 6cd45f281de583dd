"""Tables with a learner at one seat and agents at the others: what `SeatEnv` and `NapVectorEnv` share."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from nap_env import observation
from nap_env.cards import NUM_ACTIONS
from nap_env.dealing.match import UNLIMITED, Match, make_match
from nap_env.dealing.options import Start, parse_options
from nap_env.engine import jit, loops, records
from nap_env.engine.memory import blocks, empty_records
from nap_env.engine.threads import ThreadPool, at_least_one
from nap_env.errors import AgentError, RulesError
from nap_env.explain import why_illegal
from nap_env.learner import advance
from nap_env.learner.opponents import DEFAULT, TASKS, Company
from nap_env.rules import Rules, make_rules

Int8 = npt.NDArray[np.int8]
Int64 = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]
_NOBODY = np.zeros(0, np.int64)


class LearnerTables:
    """B tables of one variant, each waiting for its learner between two calls.

    The arguments are those of `nap_env.seat.SeatEnv`, with the number of tables before them.

    Attributes:
        obs: int8 [B, O], what each learner may know.
        mask: int8 [B, 64], its legal actions; zeros where its episode is over.
        reward: float64 [B], stakes won or lost since its last decision, at the last `pay`.
        skipped: float64 [B], the part of it from hands without a decision.

    The arrays are written in place.
    """

    def __init__(
        self,
        num_tables: int,
        rules: str | Rules = "standard",
        num_players: int | None = None,
        opponents: Any = None,
        seat: int | None = None,
        num_hands: int | None = None,
        starting_chips: int | None = None,
        skip_forced: bool = False,
        *,
        deals_per_dealer: int | None = None,
        rebuys: int = 0,
        tie_break: bool = False,
        task: str = "full",
        partner: Any = None,
        threads: int = 1,
    ) -> None:
        self.rules = make_rules(rules, num_players)
        n = self.rules.num_players
        self.match = make_match(n, num_hands, deals_per_dealer, starting_chips, rebuys, tie_break)
        self.penalty = -2 * self.rules.largest_stake * (n - 1)
        self.num_tables = at_least_one("num_tables", num_tables)
        self._terms = _terms(self.match, self.penalty, _seat(seat, n), skip_forced, task)
        if task == "full" and partner is not None:
            raise ValueError(f"partner={partner!r} has nothing to do in task 'full': use 'bidding' or 'play'")
        self.company = Company(self.rules, num_tables, opponents, None if task == "full" else partner or DEFAULT)
        self.games = empty_records(num_tables, records.GAME)
        self.places = np.zeros(num_tables, advance.PLACE)
        self.places["waits"] = advance.ENDED
        self.obs: Int8 = np.zeros((num_tables, observation.size(self.rules)), np.int8)
        self.mask: Int8 = np.zeros((num_tables, NUM_ACTIONS), np.int8)
        self.reward = np.zeros(num_tables, np.float64)
        self.skipped = np.zeros(num_tables, np.float64)
        self._kernel = self.rules.kernel
        self._decks: Int8 = np.zeros((num_tables, 0, self.rules.pack_size), np.int8)
        self._all = np.arange(num_tables, dtype=np.int64)
        self._pool = ThreadPool(threads)

    # ---- what callers do: seed, begin, act, then pay and show ------------------------------------

    def seed(self, index: Int64, keys: npt.NDArray[np.uint64]) -> None:
        """Put tables ``index`` [K] at the start of the streams of ``keys`` [K]; then `begin` them."""
        jit.announce(advance.begin_rows)
        advance.seed_rows(self.games, self.places, self._kernel, index, keys)
        self.company.seed(index, keys)

    def begin(self, index: Int64, start: Start | None = None) -> None:
        """A new episode at tables ``index`` [K]; then `play_on` to the learners' first decisions.

        What a hand without a decision brings on the way is paid with the next reward.
        """
        if not len(index):
            return
        dealer, hands = records.NONE, np.zeros(records.MAX_SEATS, np.uint64)
        packs = 0
        if start is not None:
            dealer, hands, packs = start.dealer, start.hands, len(start.decks)
            self._keep_decks(index, start.decks)
        advance.begin_rows(
            self.games, self.places, self._kernel, self._terms, self.company.roles, self.company.uniform,
            self._decks, index, dealer, packs, hands,
        )  # fmt: skip

    def act(self, index: Int64, actions: Int64) -> None:
        """The actions int64 [K] of those for whom tables ``index`` [K] wait; then `play_on`.

        A learner's action that is not legal ends his episode with ``penalty``.
        """

        def work(start: int, stop: int) -> None:
            advance.act_rows(
                self.games, self.places, self._kernel, self._terms, self.company.roles, self.company.uniform,
                self._decks, index, actions, start, stop,
            )  # fmt: skip

        self._pool.run(work, len(index))

    def play_on(self) -> None:
        """Ask agents, each for all its seats at once, until every table waits for its learner.

        Raises:
            AgentError: an agent raised or answered with an illegal action; see `as_it_stood`.
            RulesError: a thousand matches passed without a decision of the learner.
        """
        waits = self.places["waits"]
        waiting = np.flatnonzero(waits >= 0) if self.company.can_fail else _NOBODY
        while waiting.size:
            for number, rows in self._by_agent(waits, waiting):
                self.act(rows, self._ask(number, rows))
            waiting = np.flatnonzero(waits >= 0)
        if (waits == advance.STUCK).any():
            raise RulesError(
                f"{advance.MOST_IDLE} matches in a row passed without a decision for the learner: under these "
                "rules, with this task and these agents, he has nothing to decide"
            )

    def pay(self, index: Int64) -> None:
        """Move what the learners at ``index`` [K] won since the last time into ``reward`` and ``skipped``."""
        advance.pay_rows(self.places, index, self.reward, self.skipped)

    def show(self, index: Int64, obs: Int8 | None = None, mask: Int8 | None = None) -> None:
        """Write what the learners at ``index`` [K] may know and do into ``obs`` and ``mask`` or others."""
        views = self.obs if obs is None else obs
        masks = self.mask if mask is None else mask

        def work(start: int, stop: int) -> None:
            advance.show_rows(self.games, self.places, self._kernel, index, start, stop, views, masks)

        self._pool.run(work, len(index))

    @contextmanager
    def as_it_stood(self) -> Iterator[None]:
        """Undo all changes of games when an agent fails inside."""
        if not self.company.can_fail:
            yield
            return
        before = self.games.tobytes(), self.places.tobytes()
        try:
            yield
        except BaseException:
            for array, image in zip((self.games, self.places), before, strict=True):
                array.view(np.uint8)[:] = np.frombuffer(image, np.uint8)
            raise

    def parse_start(self, options: dict[str, Any] | None) -> Start | None:
        """What ``reset(options=...)`` says of the first dealer and the cards; None: nothing.

        Raises:
            DealError, ValueError: as `nap_env.dealing.options.parse_options`.
        """
        if not options:
            return None
        return parse_options(options, self.rules)

    # ---- what is known ---------------------------------------------------------------------------

    @property
    def ended(self) -> Bool:
        """Where the learner's episode is over, bool [B]."""
        ended: Bool = self.places["waits"] == advance.ENDED
        return ended

    @property
    def illegal(self) -> Bool:
        """Where an illegal action ended it, bool [B]."""
        illegal: Bool = self.places["illegal"] != 0
        return illegal

    @property
    def seat(self) -> Int64:
        """The learners' seats, int64 [B]."""
        return self.places["seat"].astype(np.int64)

    # ---- inside ----------------------------------------------------------------------------------

    def _by_agent(self, waits: Int8, waiting: Int64) -> list[tuple[int, Int64]]:
        """The tables that wait for each agent."""
        if len(self.company.agents) == 1:
            return [(0, waiting)]
        asked = waits[waiting]
        return [(number, waiting[asked == number]) for number in np.unique(asked).tolist()]

    def _ask(self, number: int, rows: Int64) -> Int64:
        size = len(rows)
        obs = np.empty((size, self.obs.shape[1]), np.int8)  # fresh ones: an agent may keep what it is shown
        masks = np.empty((size, NUM_ACTIONS), np.int8)
        seats = np.empty(size, np.int8)

        def work(start: int, stop: int) -> None:
            advance.ask_rows(self.games, self._kernel, rows, start, stop, obs, masks, seats)

        self._pool.run(work, size)
        states = self._states(rows) if getattr(self.company.agents[number], "needs_state", False) else None
        actions = self.company.ask(number, obs, masks, rows, seats, states)
        bad = loops.first_illegal(self.games, rows, actions, 0, len(rows))
        if bad >= 0:
            self._refuse(number, int(rows[bad]), int(actions[bad]))
        return actions

    def _refuse(self, number: int, table: int, action: int) -> None:
        if not 0 <= action < NUM_ACTIONS:
            reason = f"player_{self.games[table]['seat']}: {action} is no action: actions are 0..63 (R14)"
        else:
            reason = str(why_illegal(self.games[table], self._kernel[0], action))
        where = f" at table {table}" if self.num_tables > 1 else ""
        raise AgentError(f"{self.company.agents[number].name} chose an illegal action{where}: {reason}")

    def _states(self, rows: Int64) -> Int8:
        out = np.empty((len(rows), observation.state_size(self.rules)), np.int8)
        loops.state_rows(blocks(self.games)[rows].view(records.GAME), self._kernel, out)
        return out

    def _keep_decks(self, index: Int64, packs: Int8) -> None:
        hands = len(packs)
        if hands > self._decks.shape[1]:
            wider = np.zeros((self.num_tables, hands, self.rules.pack_size), np.int8)
            wider[:, : self._decks.shape[1]] = self._decks
            self._decks = wider
        self._decks[index, :hands] = packs


def _terms(match: Match, penalty: int, seat: int, skip_forced: bool, task: str) -> npt.NDArray[np.void]:
    """The terms of every episode as the kernels take them."""
    if task not in TASKS:
        raise ValueError(f"task={task!r}: use one of {', '.join(map(repr, TASKS))}")
    play = 1 << records.PLAY
    everything = (1 << len(records.PHASES)) - 1
    array = np.zeros(1, advance.TERMS)
    record = array[0]
    record.phases = {"full": everything, "bidding": everything & ~play, "play": play}[task]
    record.penalty = penalty
    record.num_hands = match.num_hands
    record.starting_chips = UNLIMITED if match.starting_chips is None else match.starting_chips
    record.rebuys = match.rebuys
    record.tie_break = match.tie_break
    record.seat = seat
    record.skip_forced = bool(skip_forced)
    return array


def _seat(seat: Any, num_players: int) -> int:
    if seat is None:
        return records.NONE
    try:
        if isinstance(seat, bool):
            raise TypeError
        number = operator.index(seat)
    except TypeError:
        raise ValueError(f"seat must be a seat 0..{num_players - 1} or None, not {seat!r} (R1.1)") from None
    if not 0 <= number < num_players:
        raise ValueError(f"seat must be 0..{num_players - 1} or None, not {number} (R1.1)")
    return number
