"""The registry that knows agents by name: those of this distribution, and the entry points of others."""

from __future__ import annotations

import importlib
import inspect
from importlib import metadata
from typing import Any

from nap_env.agent.protocol import Agent, bound, complete
from nap_env.errors import AgentError
from nap_env.rules import Rules, make_rules

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
        return complete(agent)
    return bound(agent, make_rules("standard" if rules is None else rules, num_players))


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
