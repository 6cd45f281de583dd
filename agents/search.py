"""The agent `search`: in many worlds that it may be in, it asks what each card and each call comes to.

Perfect-information Monte Carlo (Levy 1989; Ginsberg, "GIB", 2001) with a second judge, playouts by rule: see `votes`.
The bids are another agent's, the book's by default, or are found in the same way (``bidder="simulation"``).

What each kind of decision gains over the play of `rules`, one seat among four `rules`, 5 players, 20 worlds, stakes a
hand with 95% intervals over 1,000 to 3,000 duplicate deals, by who judges:

- declarer of tricks: solver +0.01 ± 0.02, playouts +0.01 ± 0.02, both +0.01 ± 0.03. Both, half and half.
- declarer of a Misere: solver -0.23 ± 0.12 (it thinks that the payers see his cards, and gives up what they would not
  find), both +0.01 ± 0.09, playouts +0.06 ± 0.05. Playouts alone.
- payer against tricks: 0.00 ± 0.01 whoever judges. Both.
- payer against a Misere: solver -0.03 ± 0.04, playouts -0.04 ± 0.04, both -0.03 ± 0.04 (four such payers against one
  declarer: 0.00 and -0.02 ± 0.02). Not searched: the play of `rules` is kept.

To count worlds by how likely the calls are in them (``listen``) changed none of this for certain.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from agents.searching.budget import check_milliseconds
from agents.searching.keyed import KeyedAgent, Keys
from agents.searching.votes import add_played, add_solved, choose_rows
from agents.searching.workspace import games, workspace
from agents.searching.worlds import BIDS, KINDS, draw_rows
from nap_env.agent import Int8, Int64, ask, bind, names
from nap_env.cards import NUM_ACTIONS
from nap_env.engine.jit import announce
from nap_env.engine.records import GAME, MAX_SEATS, PLAY
from nap_env.engine.threads import at_least_one
from nap_env.errors import AgentError
from nap_env.observation import layout
from nap_env.rules import Rules
from nap_env.solver.api import in_threads
from nap_env.solver.ask import world_rows

SHARES = (0.5, 0.0, 0.5, 0.5, 0.0)
"""The solver's share in the votes, by `agents.searching.votes.KINDS`; the rest is the playouts'."""
SEARCHED = ("declarer tricks", "declarer misere", "payer tricks", "bids")
"""The kinds of decisions that are searched; bids only by simulation. The others are those of `rules`."""
CANDIDATES = 4
"""Worlds drawn for each that is looked at, when calls are listened to."""
CALL_WORLDS = 10
"""Worlds for a call, for each world of a card: stakes are more uncertain than tricks."""
CHUNK = 1024
"""Rows that are worked on together at most."""


class SearchAgent(KeyedAgent):
    """Perfect-information Monte Carlo over the solver and over playouts.

    Args:
        worlds: for each card; calls by simulation look at ten times as many.
        milliseconds: instead of that, how long a decision may take; the answers then depend on the machine.
        bidder: ``book``, ``rules``, ``simulation``, or any agent: who bids, buys and discards. None: the book where
            there is one for the rules, else `rules`.
        listen: whether worlds count as likely as the calls that were made in them.
        kinds: which decisions are searched, of `agents.searching.worlds.KINDS`; `rules` plays in the others.
        shares: the solver's part in the votes, one for all or five, by `agents.searching.votes.KINDS`; the rest is the
            playouts'.
        threads: how many share the rows of a batch.

    Raises:
        AgentError: a budget that is none, shares outside 0..1, no such kind of decision.
    """

    name = "search"

    def __init__(
        self,
        *,
        worlds: int = 20,
        milliseconds: float | None = None,
        bidder: Any = None,
        listen: bool = False,
        shares: float | Sequence[float] | None = None,
        kinds: Sequence[str] = SEARCHED,
        threads: int = 1,
    ) -> None:
        self.worlds = at_least_one("worlds", worlds)
        self.milliseconds = check_milliseconds(milliseconds)
        self.bidder = bidder
        self.candidates = CANDIDATES if listen else 1
        self.shares = _checked(SHARES if shares is None else shares)
        if isinstance(kinds, str) or not set(kinds) <= set(KINDS):
            raise AgentError(f"kinds={kinds!r}: give some of {', '.join(KINDS)}")
        self.kinds = tuple(kinds)
        self.threads = at_least_one("threads", threads)
        super().__init__()

    def for_rules(self, rules: Rules) -> Self:
        """This agent for these rules.

        Raises:
            AgentError: the bidder cannot play them.
        """
        bound = super().for_rules(rules)
        if self.bidder is None:
            bound.bidder = _book_or_rules(rules)
        elif self.bidder != "simulation":
            bound.bidder = bind(self.bidder, rules)
        return bound

    def _act(self, observations: Int8, action_masks: Int8, keys: Keys, *states: Int8) -> Int64:
        rules, rows, masks = self.shown(observations, action_masks)
        if self.rules is None:
            return self.for_rules(rules)._act(observations, action_masks, keys)
        votes = np.zeros((len(rows), NUM_ACTIONS))
        announce(world_rows)
        if self.milliseconds is None:
            for start in range(0, len(rows), CHUNK):
                part = slice(start, start + CHUNK)
                self._vote(rows[part], masks[part], keys[part], votes[part])
        else:
            for row in range(len(rows)):
                part = slice(row, row + 1)
                self._vote_in_time(rows[part], masks[part], keys[part], votes[part], self.milliseconds / 1000.0)
        out = np.empty(len(rows), np.int64)
        choose_rows(workspace(), rows, masks, rules.kernel, votes, out)
        self._bid(rows, masks, keys, out)
        return out

    def _vote(self, rows: Int8, masks: Int8, keys: Any, votes: Any) -> None:
        """Add to ``votes`` [B, 64] those of some worlds, which depend on ``keys`` [B]."""
        assert self.rules is not None
        kernel, size = self.rules.kernel, len(rows)
        numbers = np.array([self.worlds if kind in self.kinds else 0 for kind in KINDS])
        numbers[BIDS] *= CALL_WORLDS if self.bidder == "simulation" else 0
        seen, counts = np.zeros(size, GAME), np.zeros(size, np.int64)
        worlds = np.zeros((size, int(numbers.max()), MAX_SEATS), np.uint64)
        draw_rows(workspace(), rows, masks, kernel, keys, numbers, self.candidates, seen, counts, worlds)
        cards = np.where(seen["phase"] == PLAY, counts, 0)
        if self.shares[:BIDS].any() and cards.any():
            made = np.zeros(worlds.shape[:2], np.uint64)
            in_threads(
                lambda state, start, stop: world_rows(state, seen, kernel, worlds, cards, start, stop, made),
                size, self.threads,
            )  # fmt: skip
            add_solved(workspace(), rows, masks, kernel, made, cards, self.shares, votes)
        mine = np.zeros(size, np.uint64)

        def play(_: Any, start: int, stop: int) -> None:
            add_played(
                workspace(),
                rows,
                masks,
                kernel,
                keys,
                seen,
                worlds,
                counts,
                self.shares,
                games(),
                start,
                stop,
                votes,
                mine,
            )

        in_threads(play, size, self.threads)

    def _vote_in_time(self, rows: Int8, masks: Int8, keys: Any, votes: Any, seconds: float) -> None:
        """The same worlds as without a limit, then others, until the time is over."""
        until = time.perf_counter() + seconds
        while True:
            self._vote(rows, masks, keys, votes)
            if not votes.any() or time.perf_counter() >= until:
                return  # nothing to vote on, or nothing that helps
            keys = keys + np.uint64(1)

    def _bid(self, rows: Int8, masks: Int8, keys: Any, out: Int64) -> None:
        """What is not card play is the bidder's."""
        assert self.rules is not None
        if self.bidder == "simulation":
            return
        play = layout(self.rules)["phase"].stop - 1
        others = np.flatnonzero(rows[:, play] == 0)
        if others.size:
            fixed = getattr(self.bidder, "deterministic", False)
            chance = [np.random.default_rng(key) for key in keys[others[:1] if fixed else others]]
            out[others] = ask(self.bidder, rows[others], masks[others], chance)


def _checked(shares: Any) -> npt.NDArray[np.float64]:
    found = np.array(shares, np.float64)
    if found.shape not in ((), (len(KINDS),)) or not ((found >= 0.0) & (found <= 1.0)).all():
        raise AgentError(f"shares={shares!r}: give parts 0..1, one or {len(KINDS)}: {', '.join(KINDS)}")
    return np.broadcast_to(found, len(KINDS)).copy()


def _book_or_rules(rules: Rules) -> Any:
    if "book" in names():
        try:
            return bind("book", rules)
        except AgentError:
            pass  # no book for these rules
    return bind("rules", rules)
