"""The things that can be wrong: rules, a deal, an action, an agent."""

from __future__ import annotations

from nap_env.engine.threads import BusyError

__all__ = ["AgentError", "BusyError", "DealError", "IllegalAction", "NapError", "RecordError", "RulesError"]


class NapError(ValueError):
    """Whatever a caller can put right; the message says how."""


class RulesError(NapError):
    """A combination of rules that cannot be dealt or played; the message cites the clause."""


class DealError(NapError):
    """Cards handed in by a caller that are no proper deal (R1.4)."""


class IllegalAction(NapError):
    """An action that the rules do not allow now; the message names seat, action, reason and clause."""


class AgentError(NapError):
    """An agent that cannot be had, cannot play these rules, or gave no legal answer."""


class RecordError(NapError):
    """A record that cannot be written, read or replayed; the message names the line."""
