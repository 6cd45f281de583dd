"""What an agent is: the protocol, and a base class that fills in what a subclass leaves out.

An agent is anything with a ``name`` and the methods ``act`` and ``act_batch``; nothing need be inherited.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
import numpy.typing as npt

from nap_env import observation
from nap_env.cards import NUM_ACTIONS
from nap_env.errors import AgentError, RulesError
from nap_env.rules import PRESETS, Rules, make_rules

Int8 = npt.NDArray[np.int8]
Int64 = npt.NDArray[np.int64]
Generator = np.random.Generator
States = Callable[[], Int8]


@runtime_checkable
class Agent(Protocol):
    """Chooses an action from what its seat may know.

    Optional beside these: ``for_rules(rules)`` returns the agent bound to those rules, or raises
    AgentError saying why it cannot play them; ``act_each(observations, action_masks, rngs)`` takes one
    generator a row; ``uniform = True`` says that it chooses uniformly among the legal actions, so that
    environments may draw for it inside their loop; ``deterministic = True`` says that the generator is
    never used; ``playout_rows(games, rules, decks, start, stop)``, compiled, lets `Tables.playout` play
    whole matches by it; ``needs_state = True`` says that the agent cheats: it is then called with one more
    argument, the ``state()`` of the game ([S] int8, or [B, S] for a batch), in which all cards are open.
    """

    @property
    def name(self) -> str:
        """What results are listed under."""

    def act(self, observation: Int8, action_mask: Int8, rng: Generator) -> int:
        """The chosen action 0..63; observation [O] int8, action_mask [64] int8."""

    def act_batch(self, observations: Int8, action_masks: Int8, rng: Generator) -> Int64:
        """The chosen actions [B] int64; observations [B, O] int8, action_masks [B, 64] int8."""


def as_shown(observations: Any, action_masks: Any) -> tuple[Int8, Int8]:
    """A batch as kernels take it: observations C-contiguous int8 [B, O] and action masks [B, 64].

    Raises:
        AgentError: arrays of other shapes.
    """
    rows = np.require(observations, np.int8, ["C", "W"])
    masks = np.require(action_masks, np.int8, ["C", "W"])
    if rows.ndim != 2 or masks.shape != (len(rows), NUM_ACTIONS):
        raise AgentError(
            f"observations and action masks must be arrays [B, O] and [B, {NUM_ACTIONS}], "
            f"not {list(rows.shape)} and {list(masks.shape)}"
        )
    return rows, masks


class BaseAgent:
    """An agent of which a subclass writes ``act`` or ``act_batch``; the other follows.

    Attributes:
        rules: what it is bound to; None: found out from the length of the first observation.
        deterministic: whether it never uses the generator.
        needs_state: whether it sees all cards (see `Agent`).
    """

    name: str = ""
    deterministic: bool = False
    needs_state: bool = False

    def __init__(self, rules: Rules | None = None) -> None:
        own = type(self)
        if own.act is BaseAgent.act and own.act_batch is BaseAgent.act_batch:
            raise TypeError(f"{own.__name__} must define act or act_batch")
        if rules is not None and not isinstance(rules, Rules):
            raise AgentError(f"{own.__name__} takes no argument {rules!r}, only a Rules")
        self.name = self.name or own.__name__
        self.rules = rules

    def act(self, observation: Int8, action_mask: Int8, rng: Generator, *state: Int8) -> int:
        """The chosen action; observation [O] int8, action_mask [64] int8."""
        rows = [np.asarray(row)[None] for row in (observation, action_mask)]
        return int(self.act_batch(rows[0], rows[1], rng, *(s[None] for s in state))[0])

    def act_batch(self, observations: Int8, action_masks: Int8, rng: Generator, *states: Int8) -> Int64:
        """The chosen actions [B] int64; observations [B, O] int8, action_masks [B, 64] int8."""
        rows = zip(observations, action_masks, *states, strict=True)
        return np.array([self.act(row[0], row[1], rng, *row[2:]) for row in rows])

    def act_each(self, observations: Int8, action_masks: Int8, rngs: Sequence[Generator], *states: Int8) -> Int64:
        """As `act_batch` with a generator a row, so that no row's answer depends on its neighbours."""
        if self.deterministic and len(rngs):
            return self.act_batch(observations, action_masks, rngs[0], *states)
        rows = zip(observations, action_masks, rngs, *states, strict=True)
        return np.array([self.act(row[0], row[1], row[2], *row[3:]) for row in rows])

    def for_rules(self, rules: Rules) -> Self:
        """This agent for these rules: a shallow copy that shares all else.

        Raises:
            AgentError: it cannot play them.
        """
        bound = copy.copy(self)
        bound.rules = rules
        return bound

    def shown(self, observations: Any, action_masks: Any) -> tuple[Rules, Int8, Int8]:
        """The rules of a batch and its arrays as kernels take them, C-contiguous int8 [B, O] and [B, 64].

        Raises:
            AgentError: arrays of other shapes, or as `rules_for`.
        """
        rows, masks = as_shown(observations, action_masks)
        return self.rules_for(rows.shape[1]), rows, masks

    def rules_for(self, length: int) -> Rules:
        """The rules that observations of this length belong to.

        Raises:
            AgentError: bound to other rules, or unbound and no preset or several could be meant.
        """
        if self.rules is None:
            return infer_rules(length)
        expected = observation.size(self.rules)
        if length != expected:
            raise AgentError(
                f"{self.name} plays {self.rules!r}, whose observations have {expected} places, and was shown "
                f"one of {length}: make it anew for the rules at hand, agents.make({self.name!r}, rules=...)"
            )
        return self.rules

    def __repr__(self) -> str:
        return f"<agent {self.name}>"


@lru_cache(maxsize=64)
def infer_rules(length: int) -> Rules:
    """The preset and number of players whose observation has this length; `standard` goes first.

    Presets that share a layout (`standard` and `penny`) count as one: the first is meant.

    Raises:
        AgentError: none has this length, or presets of different layouts have.
    """
    remedy = "say which rules are played: agents.make(name, rules=...)"
    fitting = [(preset, rules) for preset, rules in _all_presets() if observation.size(rules) == length]
    if not fitting:
        raise AgentError(f"no preset for 2 to 7 players has observations of {length} places; {remedy}")
    if len({_starts(rules) for _, rules in fitting}) > 1:
        names = " or ".join(f"{preset} with {rules.num_players}" for preset, rules in fitting)
        raise AgentError(f"observations of {length} places may belong to {names}; {remedy}")
    return fitting[0][1]


def _starts(rules: Rules) -> tuple[tuple[str, int], ...]:
    """Where each field of an observation begins."""
    return tuple((name, where.start) for name, where in observation.layout(rules).items())


def _all_presets() -> list[tuple[str, Rules]]:
    found = []
    for preset in PRESETS:
        for players in range(2, 8):
            try:
                found.append((preset, make_rules(preset, players)))
            except RulesError:
                continue
    return found


# ---- what an object lacks -----------------------------------------------------------------------------


def bound(agent: Any, rules: Rules) -> Agent:
    """An object with ``act`` or ``act_batch`` as a whole agent, bound to rules where it can be.

    Raises:
        AgentError: no such methods, or an agent that cannot play these rules.
    """
    return complete(agent.for_rules(rules) if hasattr(agent, "for_rules") else agent)


def complete(agent: Any) -> Agent:
    """The agent itself, or a wrapper that has what it lacks."""
    methods = [callable(getattr(agent, method, None)) for method in ("act", "act_batch")]
    if not any(methods):
        raise AgentError(
            f"{agent!r} is no agent: it has neither act(observation, action_mask, rng) "
            "nor act_batch(observations, action_masks, rng)"
        )
    if all(methods) and isinstance(getattr(agent, "name", None), str):
        return agent  # type: ignore[no-any-return]
    return Completed(agent)


class Completed(BaseAgent):
    """An object with only ``act``, only ``act_batch``, or no name, as a whole agent."""

    def __init__(self, inner: Any) -> None:
        given = getattr(inner, "name", None)
        self.name = given if isinstance(given, str) else type(inner).__name__
        self.deterministic = bool(getattr(inner, "deterministic", False))
        self.needs_state = bool(getattr(inner, "needs_state", False))
        self.inner = inner
        super().__init__()

    def act(self, observation: Int8, action_mask: Int8, rng: Generator, *state: Int8) -> int:
        if hasattr(self.inner, "act"):
            return self.inner.act(observation, action_mask, rng, *state)  # type: ignore[no-any-return]
        return super().act(observation, action_mask, rng, *state)

    def act_batch(self, observations: Int8, action_masks: Int8, rng: Generator, *states: Int8) -> Int64:
        if hasattr(self.inner, "act_batch"):
            return self.inner.act_batch(observations, action_masks, rng, *states)  # type: ignore[no-any-return]
        return super().act_batch(observations, action_masks, rng, *states)
