"""The agents that play beside a learner: who sits where, what they draw from, how they are asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from nap_env.agent import Agent, BaseAgent, Completed, bind
from nap_env.errors import AgentError
from nap_env.rules import Rules

Int8 = npt.NDArray[np.int8]
Int64 = npt.NDArray[np.int64]
Generator = np.random.Generator

DEFAULT = "rules"  # who plays where a caller names nobody
TASKS = ("full", "bidding", "play")


class Company:
    """The agents at B tables, by the place they have there: 0 beside the learner, 1 to his left, and so on.

    Args:
        rules: what is played.
        num_tables: B.
        opponents: one agent for all other seats, or n-1 of them clockwise from the learner's left; names
            or objects; None is the agent "rules" at all of them.
        partner: who decides for the learner's seat where a task leaves that to an agent; None: nobody.

    Attributes:
        agents: the different agents, bound to the rules.
        roles: int8 [B, n], the number of the agent at each place; column 0 is the partner.
        uniform: bool [P], the agents that choose uniformly: kernels draw for them.
        can_fail: whether any agent is asked at all, and so could raise.
    """

    def __init__(self, rules: Rules, num_tables: int, opponents: Any, partner: Any = None) -> None:
        self.rules = rules
        self.roles: Int8 = np.zeros((num_tables, rules.num_players), np.int8)
        self._partner = partner
        self._line_up: list[list[Any]] = []  # the different line-ups in use, as bound agents
        self._known: list[tuple[Any, Agent]] = []  # what callers named, and the agent bound for it
        self._line: Int64 = np.zeros(num_tables, np.int64)  # which of them plays at each table
        self._keys: npt.NDArray[np.uint64] = np.zeros(num_tables, np.uint64)
        self._streams: dict[tuple[int, int], Generator] = {}
        self.seat_agents(opponents)

    # ---- who sits where --------------------------------------------------------------------------

    def seat_agents(self, opponents: Any, index: Int64 | None = None) -> None:
        """Let these opponents play from now on, at all tables or at those in ``index`` [K].

        Raises:
            AgentError: not one or n-1 agents, or an agent that cannot be had or cannot play these rules.
        """
        line_up, known = self._bound(opponents, [] if index is None else self._known)
        line = self._line.copy()
        line[slice(None) if index is None else index] = len(self._line_up)
        used, self._line = np.unique(line, return_inverse=True)
        everybody = [*self._line_up, line_up]
        self._line_up = [everybody[number] for number in used]
        self._number(known)

    def _bound(self, opponents: Any, known: list[tuple[Any, Agent]]) -> tuple[list[Any], list[Any]]:
        """The agents by place, the partner first; the same name or object is bound once."""
        others = self.rules.num_players - 1
        chosen = DEFAULT if opponents is None else opponents
        several = isinstance(chosen, Sequence) and not isinstance(chosen, str)
        given = list(chosen) if several else [chosen] * others
        if len(given) != others:
            raise AgentError(
                f"opponents: give one agent for all, or {others} of them, clockwise from the learner's left, "
                f"not {len(given)}"
            )
        known = list(known)
        line_up: list[Any] = [None]
        for source in given if self._partner is None else [self._partner, *given]:
            agent = next((bound for named, bound in known if _same(named, source)), None)
            if agent is None:
                agent = bind(source, self.rules)
                known.append((source, agent))
            line_up.append(agent)
        return line_up[-others - 1 :], known

    def _number(self, known: list[tuple[Any, Agent]]) -> None:
        """Number the different agents that play at any table."""
        agents = {id(agent): agent for line_up in self._line_up for agent in line_up if agent is not None}
        if len(agents) > 127:
            raise AgentError(f"{len(agents)} different agents at once: at most 127")
        numbers = {key: number for number, key in enumerate(agents)}
        self._known = [pair for pair in known if id(pair[1]) in numbers]
        self.agents: list[Any] = list(agents.values())
        uniform = {id(agent) for source, agent in self._known if source == "random"}
        self.uniform = np.array(
            [id(agent) in uniform or bool(getattr(agent, "uniform", False)) for agent in self.agents],
            np.bool_,
        )
        self.can_fail = not self.uniform.all()
        rows = [[numbers.get(id(agent), 0) for agent in line_up] for line_up in self._line_up]
        self.roles[:] = np.array(rows, np.int8)[self._line]

    # ---- chance ----------------------------------------------------------------------------------

    def seed(self, index: Int64, keys: npt.NDArray[np.uint64]) -> None:
        """Begin the agents' streams at tables ``index`` [K] anew, from ``keys`` [K]."""
        self._keys[index] = keys
        if len(index) == len(self._keys):
            self._streams.clear()
        elif self._streams:
            tables = set(index.tolist())
            self._streams = {k: rng for k, rng in self._streams.items() if k[0] not in tables}

    def _stream(self, table: int, seat: int) -> Generator:
        """The generator of one seat at one table; of table -1: of one agent for all its seats."""
        rng = self._streams.get((table, seat))
        if rng is None:
            rng = np.random.default_rng([int(self._keys[max(table, 0)]), seat, int(table < 0)])
            self._streams[table, seat] = rng
        return rng

    # ---- asking ----------------------------------------------------------------------------------

    def ask(
        self, number: int, observations: Int8, masks: Int8, tables: Int64, seats: Int8, states: Int8 | None
    ) -> Int64:
        """One agent's actions [K] for the views [K, O], masks [K, 64] of seats [K] at tables [K].

        Raises:
            AgentError: the agent raised, or gave no K integers; the message names agent and seat.
        """
        agent = self.agents[number]
        more = () if states is None else (states,)
        try:
            answers = self._answers(agent, observations, masks, tables, seats, more)
        except Exception as error:
            told = str(error) if isinstance(error, AgentError) else f"{type(error).__name__}: {error}"
            raise AgentError(f"{agent.name}, asked for {self._who(tables, seats)}, raised {told}") from error
        actions = np.asarray(answers)
        if actions.shape != (len(tables),) or actions.dtype.kind not in "iu":
            raise AgentError(
                f"{agent.name}, asked for {self._who(tables, seats)}, must answer {len(tables)} "
                f"integers, not {actions.dtype} of shape {actions.shape}"
            )
        return actions.astype(np.int64, copy=False)

    def _answers(
        self,
        agent: Any,
        observations: Int8,
        masks: Int8,
        tables: Int64,
        seats: Int8,
        states: tuple[Int8, ...],
    ) -> Any:
        if getattr(agent, "deterministic", False):
            return agent.act_batch(observations, masks, _UNUSED, *states)
        if not _draws_by_row(agent):
            rng = self._stream(-1, self.agents.index(agent))
            return agent.act_batch(observations, masks, rng, *states)
        where = zip(tables.tolist(), seats.tolist(), strict=True)
        rngs = [self._stream(table, seat) for table, seat in where]
        if hasattr(agent, "act_each"):
            return agent.act_each(observations, masks, rngs, *states)
        return [agent.act(*row) for row in zip(observations, masks, rngs, *states, strict=True)]

    def _who(self, tables: Int64, seats: Int8) -> str:
        names = ", ".join(f"player_{seat}" for seat in sorted(set(seats.tolist())))
        if len(self._keys) == 1:
            return names
        shown = ", ".join(map(str, tables[:5].tolist()))
        return f"{names} at table{'s' * (len(tables) > 1)} {shown}{', ...' * (len(tables) > 5)}"


def _draws_by_row(agent: Any) -> bool:
    """Whether asking row by row, each with its seat's own generator, costs nothing more.

    An agent that writes `act_each` wants it so; one that writes only `act_batch` is faster asked once, and
    its draws then depend on the batch.
    """
    if isinstance(agent, Completed):
        return not hasattr(agent.inner, "act_batch")
    if not isinstance(agent, BaseAgent):
        return hasattr(agent, "act_each")
    own = type(agent)
    return own.act_each is not BaseAgent.act_each or own.act_batch is BaseAgent.act_batch


def _same(source: Any, other: Any) -> bool:
    return source is other or (isinstance(source, str) and isinstance(other, str) and source == other)


_UNUSED = np.random.default_rng(0)  # for agents that draw nothing
