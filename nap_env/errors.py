"""The things that can be wrong: rules, a deal, an action, an agent."""

from __future__ import annotations


class RulesError(ValueError):
    """A combination of rules that cannot be dealt or played; the message cites the clause."""


class DealError(ValueError):
    """Cards handed in by a caller that are no proper deal (R1.4)."""


class IllegalAction(ValueError):
    """An action that the rules do not allow now; the message names seat, action, reason and clause."""


class AgentError(ValueError):
    """An agent that cannot be had, cannot play these rules, or gave no legal answer."""
