"""English five-card Nap as a research environment.

Importing this package is cheap: the names below are loaded when they are first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from nap_env.adapters import registration

if TYPE_CHECKING:
    from nap_env import cards, nap_v0, solver
    from nap_env.errors import DealError, IllegalAction, RulesError
    from nap_env.game import Game
    from nap_env.record import MatchRecord
    from nap_env.rules import PRESETS, Rules
    from nap_env.seat import SeatEnv
    from nap_env.vector import NapVectorEnv, Tables

__version__ = "0.1.0"

_HOMES = {
    "nap_v0": "nap_env.nap_v0",
    "cards": "nap_env.cards",
    "solver": "nap_env.solver",
    "Rules": "nap_env.rules",
    "PRESETS": "nap_env.rules",
    "RulesError": "nap_env.errors",
    "DealError": "nap_env.errors",
    "IllegalAction": "nap_env.errors",
    "Tables": "nap_env.vector",
    "NapVectorEnv": "nap_env.vector",
    "SeatEnv": "nap_env.seat",
    "Game": "nap_env.game",
    "MatchRecord": "nap_env.record",
}
__all__ = [
    "PRESETS",
    "DealError",
    "Game",
    "IllegalAction",
    "MatchRecord",
    "NapVectorEnv",
    "Rules",
    "RulesError",
    "SeatEnv",
    "Tables",
    "cards",
    "nap_v0",
    "solver",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'nap_env' has no attribute {name!r}")
    module = importlib.import_module(home)
    value = module if home == f"nap_env.{name}" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])


registration.register()
