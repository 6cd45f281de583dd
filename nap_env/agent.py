"""What an agent is, and the registry that knows agents by name.

An agent is anything with a ``name`` and the methods ``act`` and ``act_batch``; nothing need be
inherited. `bind` makes one of what a caller has (a name, an object with only ``act``), for given
rules; `ask` puts the question and checks the answer. Both are what environments use.
"""

from __future__ import annotations

import copy
import importlib
import inspect
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import metadata
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
import numpy.typing as npt

from nap_env import jit, observation
from nap_env.cards import ACTION_NAMES, NUM_ACTIONS
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


# ---- what environments use: bind, ask ---------------------------------------------------------------


def bind(agent: Any, rules: Rules) -> Agent:
    """An agent for these rules, of a name or of any object with ``act`` or ``act_batch``.

    Raises:
        AgentError: no such name, no such methods, or an agent that cannot play these rules.
    """
    if isinstance(agent, str):
        return make(agent, rules)
    if isinstance(agent, type):
        raise AgentError(f"{agent.__name__} is a class: give an agent made from it, {agent.__name__}(...)")
    if hasattr(agent, "for_rules"):
        agent = agent.for_rules(rules)
    return _complete(agent)


def playout_loop(agent: Any, rules: Rules) -> Callable[..., None]:
    """The compiled loop that plays whole matches with every seat as this agent (name or object) does.

    Raises:
        AgentError: no such agent, or one that has none.
    """
    found = getattr(bind(agent, rules), "playout_rows", None)
    if found is None:
        raise AgentError(
            f"{bind(agent, rules).name} cannot play inside a compiled loop (it has no playout_rows): "
            "take random, rules or simple-v1, or step the tables with its actions"
        )
    jit.announce(found)
    return found  # type: ignore[no-any-return]


def _complete(agent: Any) -> Agent:
    """The agent itself, or a wrapper that has what it lacks."""
    methods = [callable(getattr(agent, method, None)) for method in ("act", "act_batch")]
    if not any(methods):
        raise AgentError(
            f"{agent!r} is no agent: it has neither act(observation, action_mask, rng) "
            "nor act_batch(observations, action_masks, rng)"
        )
    if all(methods) and isinstance(getattr(agent, "name", None), str):
        return agent  # type: ignore[no-any-return]
    return _Completed(agent)


class _Completed(BaseAgent):
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


def ask(
    agent: Agent,
    observations: Int8,
    action_masks: Int8,
    rng: Generator | Sequence[Generator],
    states: States | None = None,
) -> Int64:
    """The agent's actions [B] int64, checked; observations [B, O] int8, action_masks [B, 64] int8.

    ``rng`` may be one generator a row. ``states`` is called, for [B, S] int8, only by an agent that
    needs the state.

    Raises:
        AgentError: the agent raised, or its answer is not one legal action a row.
    """
    more: tuple[Int8, ...] = ()
    if getattr(agent, "needs_state", False):
        if states is None:
            raise AgentError(f"{agent.name} sees all cards (needs_state), and no state is to be had here")
        more = (states(),)
    try:
        answers = _answers(agent, observations, action_masks, rng, more)
    except AgentError:
        raise
    except Exception as error:
        raise AgentError(f"{agent.name} raised {type(error).__name__}: {error}") from error
    return _checked(agent, answers, action_masks)


def _answers(agent: Any, observations: Int8, masks: Int8, rng: Any, states: tuple[Int8, ...]) -> Any:
    if isinstance(rng, Generator):
        return agent.act_batch(observations, masks, rng, *states)
    if getattr(agent, "deterministic", False):
        return agent.act_batch(observations, masks, rng[0], *states)
    if hasattr(agent, "act_each"):
        return agent.act_each(observations, masks, rng, *states)
    return [agent.act(*row) for row in zip(observations, masks, rng, *states, strict=True)]


def _checked(agent: Agent, answers: Any, masks: Int8) -> Int64:
    actions = np.asarray(answers)
    rows = len(masks)
    if actions.shape != (rows,) or (rows and actions.dtype.kind not in "iu"):
        raise AgentError(
            f"{agent.name} must answer {rows} observations with whole numbers of shape ({rows},), "
            f"not {actions.dtype} of shape {actions.shape}"
        )
    actions = actions.astype(np.int64, copy=False)
    inside = (actions >= 0) & (actions < NUM_ACTIONS)
    fine = inside & (masks[np.arange(rows), np.where(inside, actions, 0)] != 0)
    if not fine.all():
        row = int(np.argmin(fine))
        choices = ", ".join(ACTION_NAMES[a] for a in np.flatnonzero(masks[row]))
        action = int(actions[row])
        word = ACTION_NAMES[action] if inside[row] else "no action (0..63)"
        raise AgentError(f"{agent.name} chose {action}, {word}, in row {row}; legal: {choices or 'nothing'}")
    return actions


# ---- the registry -----------------------------------------------------------------------------------

GROUP = "nap_env.agents"
BUILT_IN = {  # so that a bare checkout works; the installed distribution has the same as entry points
    "random": "agents.random:RandomAgent",
    "pass": "agents.random:PassAgent",
    "simple-v1": "agents.simple:SimpleAgent",
    "rules": "agents.rules:RulesAgent",
    "search": "agents.search:SearchAgent",
    "ismcts": "agents.ismcts:IsmctsAgent",
    "cheat": "agents.cheat:CheatAgent",
    "book": "agents.book:BookAgent",
    "learned": "agents.learned:LearnedAgent",
    "chart": "agents.chart:ChartAgent",
}


def names() -> list[str]:
    """The names that `make` knows, entry points of other distributions included."""
    return sorted(_registered())


def make(name: str, rules: str | Rules | None = None, num_players: int | None = None, **options: Any) -> Agent:
    """The agent of this name: a registered one, ``"name:ARGUMENT"``, or ``"module:Name"``.

    ``rules`` is a preset's name or a `Rules`; with neither it nor ``num_players`` the agent is unbound
    and finds the rules out from the observations. ``options`` go to the agent's constructor.

    Raises:
        AgentError: no such agent, options it does not take, or rules it cannot play.
        RulesError: no such rules.
    """
    value, arguments = _find(name)
    agent = _construct(name, _load(name, value), arguments, options)
    if rules is None and num_players is None:
        return _complete(agent)
    return bind(agent, make_rules("standard" if rules is None else rules, num_players))


def _registered() -> dict[str, str]:
    others = {point.name: point.value for point in metadata.entry_points(group=GROUP)}
    return others | BUILT_IN


def _find(name: str) -> tuple[str, tuple[str, ...]]:
    """What to load, and the argument behind the colon."""
    if not isinstance(name, str):
        raise AgentError(f"an agent's name must be text, not {name!r}")
    known = _registered()
    head, colon, argument = name.partition(":")
    if head in known:
        return known[head], (argument,) if colon else ()
    if not colon or not head or not argument:
        listed = ", ".join(sorted(known))
        raise AgentError(f"no agent {name!r}: there are {listed}; or write 'module:Name'")
    return name, ()


def _load(name: str, value: str) -> Any:
    module_name, _, attribute = value.partition(":")
    if module_name.partition(".")[0] == "agents":
        check_agents_package()
    try:
        found: Any = importlib.import_module(module_name)
    except ImportError as error:
        raise AgentError(f"the agent {name!r} cannot be loaded: {error}") from error
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise AgentError(f"the agent {name!r} cannot be loaded: {module_name} has no {attribute!r}")
        found = getattr(found, part)
    return found


def check_agents_package() -> None:
    """`agents` is a common word: make sure that the package of that name is the one of nap-env."""
    try:
        package = importlib.import_module("agents")
    except ModuleNotFoundError as error:
        raise AgentError("nap-env's package `agents` is not installed beside `nap_env`") from error
    if not getattr(package, "__nap_env__", False):
        where = package.__file__ or list(package.__path__)
        raise AgentError(
            f"the package `agents` that Python finds ({where}) is not nap-env's: another distribution's "
            "`agents` shadows or has overwritten it. Install nap-env into a virtual environment of its own"
        )


def _construct(name: str, found: Any, arguments: tuple[str, ...], options: dict[str, Any]) -> Any:
    """An agent of a class or a function that makes one; an agent is taken as it is."""
    if not isinstance(found, type) and (hasattr(found, "act") or hasattr(found, "act_batch")):
        if options:
            raise AgentError(f"{name!r} is an agent, not a class: it takes no options ({', '.join(options)})")
        return found
    if not callable(found):
        raise AgentError(f"{name!r} is no agent and no class of agents, but {found!r}")
    try:
        inspect.signature(found).bind(*arguments, **options)
    except TypeError as error:
        raise AgentError(f"the agent {name!r} cannot be made so: {error}") from error
    return found(*arguments, **options)
