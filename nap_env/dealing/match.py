"""The terms of a match: how many hands, with how many chips (RULES R1.5 to R1.8)."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

from nap_env.errors import RulesError

UNLIMITED = -1
_LARGEST = 10**9


@dataclass(frozen=True)
class Match:
    """How long a match is and what it is played with; made by `make_match`, which checks it."""

    num_hands: int = 1
    starting_chips: int | None = None
    rebuys: int = 0
    tie_break: bool = False

    @property
    def kernel(self) -> tuple[int, int, int, bool]:
        """The terms as the rulebook takes them."""
        chips = UNLIMITED if self.starting_chips is None else self.starting_chips
        return self.num_hands, chips, self.rebuys, self.tie_break


def make_match(
    num_players: int,
    num_hands: int | None = None,
    deals_per_dealer: int | None = None,
    starting_chips: int | None = None,
    rebuys: int = 0,
    tie_break: bool = False,
) -> Match:
    """The terms of a match, checked.

    Raises:
        RulesError: hands and deals both given, none of either, chips below one, re-buys of a single hand
            without chips (in a longer match they are of no use, and ignored).
    """
    if num_hands is not None and deals_per_dealer is not None:
        raise RulesError("num_hands and deals_per_dealer are both given: give one of them (R1.5)")
    if deals_per_dealer is not None:
        hands = _at_least(1, "deals_per_dealer", deals_per_dealer, "R1.5") * num_players
    else:
        hands = 1 if num_hands is None else _at_least(1, "num_hands", num_hands, "R1.5")
    chips = None if starting_chips is None else _at_least(1, "starting_chips", starting_chips, "R1.6")
    rebuys = _at_least(0, "rebuys", rebuys, "R1.6")
    if rebuys and chips is None:
        if hands == 1:
            raise RulesError(f"rebuys={rebuys} without starting_chips: nobody can be out of chips (R1.6)")
        rebuys = 0  # conformance cases of several hands name them without chips: they are of no use
    if not isinstance(tie_break, bool):
        raise RulesError(f"tie_break must be True or False, not {tie_break!r} (R1.8)")
    return Match(hands, chips, rebuys, tie_break)


def _at_least(least: int, name: str, value: Any, clause: str) -> int:
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise RulesError(f"{name} must be a whole number, not {value!r} ({clause})") from None
    if not least <= number <= _LARGEST:
        raise RulesError(f"{name}={number}: give {least} to {_LARGEST} ({clause})")
    return number
