"""The time that a search agent may take for each decision."""

from __future__ import annotations

from typing import Any

from nap_env.errors import AgentError


def check_milliseconds(value: Any) -> float | None:
    """The number itself, or None.

    Raises:
        AgentError: not a number above 0.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 < value < float("inf"):
        raise AgentError(f"milliseconds={value!r}: give a number above 0, or None")
    return float(value)
