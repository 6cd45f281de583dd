"""What ``reset(options=...)`` may say: the first dealer, whole packs, or the hands of some seats."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nap_env.dealing import deals
from nap_env.engine import records
from nap_env.errors import DealError
from nap_env.rules import Rules


@dataclass(frozen=True)
class Start:
    """How a match begins: the dealer (`records.NONE` draws him), packs int8 [K, pack], hands uint64 [7]."""

    dealer: int
    decks: npt.NDArray[np.int8]
    hands: npt.NDArray[np.uint64]


def parse_options(options: Mapping[str, Any] | None, rules: Rules) -> Start:
    """Read the options of a reset; unknown keys are ignored, PettingZoo's own tests pass some.

    Raises:
        DealError: cards that are no proper deal (R1.4), or decks together with hands.
        ValueError: a dealer that is not at the table.
    """
    options = {} if options is None else options
    if not isinstance(options, Mapping):
        raise ValueError(f"options must be a dict, not {type(options).__name__}")
    decks, hands = options.get("decks"), options.get("hands")
    if decks is not None and hands is not None:
        raise DealError("options 'decks' and 'hands' are both given: give one of them")
    dealer = _dealer(options.get("dealer"), rules)
    packs = np.empty((0, rules.pack_size), np.int8)
    if decks is not None:
        packs = deals.parse_decks(decks, rules)
    masks = np.zeros(records.MAX_SEATS, np.uint64)
    if hands is not None:
        masks = deals.parse_hands(hands, rules, _dealt(dealer, rules))
    return Start(dealer, packs, masks)


def _dealer(dealer: Any, rules: Rules) -> int:
    if dealer is None:
        return records.NONE
    last = rules.num_players - 1
    try:
        if isinstance(dealer, bool):
            raise TypeError
        seat = operator.index(dealer)
    except TypeError:
        raise ValueError(f"option 'dealer' must be a seat 0..{last}, not {dealer!r} (R1.2)") from None
    if not 0 <= seat <= last:
        raise ValueError(f"option 'dealer' must be a seat 0..{last}, not {seat} (R1.2)")
    return seat


def _dealt(dealer: int, rules: Rules) -> list[int]:
    """The seats that get cards in the first hand (R2.5)."""
    seats = list(range(rules.num_players))
    if not rules.dealer_sits_out:
        return seats
    if dealer == records.NONE:
        raise DealError("with a dealer who sits out, 'hands' needs the option 'dealer' too (R2.5)")
    return [seat for seat in seats if seat != dealer]
