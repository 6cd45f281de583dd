"""Agents: what one is (`protocol`), how environments ask it (`asking`), how it is found by name (`registry`)."""

from nap_env.agent.asking import ask, bind, playout_loop
from nap_env.agent.protocol import Agent, BaseAgent, Completed, Generator, Int8, Int64, States, as_shown, infer_rules
from nap_env.agent.registry import check_agents_package, make, names

__all__ = [
    "Agent",
    "BaseAgent",
    "Completed",
    "Generator",
    "Int8",
    "Int64",
    "States",
    "as_shown",
    "ask",
    "bind",
    "check_agents_package",
    "infer_rules",
    "make",
    "names",
    "playout_loop",
]
