"""Cards and bids as they are shown to people."""

from __future__ import annotations

from nap_env.cards import SUIT_SYMBOLS


def pretty(name: str) -> str:
    """An action's name with the sign of its suit."""
    return name[0] + SUIT_SYMBOLS["CDHS".index(name[1])] if len(name) == 2 else name
