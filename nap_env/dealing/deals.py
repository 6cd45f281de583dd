"""Packs and hands that a caller hands in, checked before anything is dealt (RULES R1.4).

Nothing here changes a game. What is no proper deal is refused with a `DealError` that names the fault and
says what would be right.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from nap_env.cards import CARD_NAMES, RANKS, cards_of, hand_text, mask_of, parse_cards
from nap_env.engine import records
from nap_env.errors import DealError
from nap_env.rules import Rules

Int8 = npt.NDArray[np.int8]


def parse_deck(deck: Any, rules: Rules, what: str = "the deck") -> Int8:
    """A whole pack, top card first, from names or numbers: int8 [pack] (R1.4, R2.3).

    Raises:
        DealError: an unknown card, one that is not in the pack, a card twice, too few or too many.

    >>> parse_deck("AS KS AH KH", Rules(num_players=2, hand_size=1, suits=4, pack=8))
    Traceback (most recent call last):
    ...
    nap_env.errors.DealError: the deck has 4 cards, the pack has 8: missing AD KD AC KC (R1.4)
    """
    cards = _cards(deck, what)
    _check_in_pack(cards, rules, what)
    size = rules.pack_size
    _check_once(cards, what, f"give each of the {size} cards of the pack once, {len(cards)} were given")
    if len(cards) < size:
        missing = hand_text(rules.pack_mask & ~mask_of(cards)).split()
        some = " ".join(missing[:5]) + (f" and {len(missing) - 5} more" if len(missing) > 5 else "")
        raise DealError(f"{what} has {len(cards)} cards, the pack has {size}: missing {some} (R1.4)")
    return np.array(cards, np.int8)


def parse_decks(decks: Any, rules: Rules) -> Int8:
    """Packs for the first K hands of a match, in order: int8 [K, pack] (R1.4).

    Raises:
        DealError: not a list of packs, or a pack that `parse_deck` refuses; it says which.
    """
    if isinstance(decks, str | bytes) or not isinstance(decks, Sequence | np.ndarray):
        raise DealError(f"decks must be a list of packs, one a hand, not {_short(decks)} (R1.4)")
    given = list(decks)
    if given and all(_is_one_card(pack) for pack in given):
        raise DealError("decks must be a list of packs, one a hand; for one pack write [pack] (R1.4)")
    packs = np.empty((len(given), rules.pack_size), np.int8)
    for number, pack in enumerate(given):
        packs[number] = parse_deck(pack, rules, f"decks[{number}]")
    return packs


def parse_hands(hands: Any, rules: Rules, dealt: Iterable[int]) -> npt.NDArray[np.uint64]:
    """Some seats' cards as 64-bit sets, uint64 [7]; 0 for a seat that is dealt at random (R1.4).

    ``hands`` maps seats to cards, as in ``{0: "AS KS QS JS TS"}``; ``dealt`` are the seats that get cards.

    Raises:
        DealError: not such a mapping, a seat out of range or not dealt in (R2.5), a wrong number of cards,
            a card twice or in two hands, or one that is not in the pack.
    """
    if not isinstance(hands, Mapping):
        raise DealError(f"hands must map seats to cards, as in {{0: 'AS KS QS JS TS'}}, not {_short(hands)}")
    masks = np.zeros(records.MAX_SEATS, np.uint64)
    takes_part, owner = set(dealt), dict[int, int]()
    for key, value in hands.items():
        seat = _seat(key, rules)
        if seat not in takes_part:
            raise DealError(f"hands: seat {seat} gets no cards in this hand, the dealer sits out (R2.5)")
        cards = _hand(value, rules, f"the hand of seat {seat}")
        for card in cards:
            if card in owner:
                both = f"seats {owner[card]} and {seat}"
                raise DealError(f"hands: {CARD_NAMES[card]} is in those of {both}; a card is there once (R1.4)")
            owner[card] = seat
        masks[seat] = mask_of(cards)
    return masks


def _hand(value: Any, rules: Rules, what: str) -> list[int]:
    cards = _cards(value, what)
    _check_in_pack(cards, rules, what)
    _check_once(cards, what, f"give {rules.hand_size} different cards")
    if len(cards) != rules.hand_size:
        raise DealError(f"{what} has {len(cards)} cards, {rules.hand_size} are dealt to each (R1.4)")
    return cards


def _cards(value: Any, what: str) -> list[int]:
    if isinstance(value, Mapping | set | frozenset | bytes) or not isinstance(value, Iterable):
        raise DealError(f"{what} must be a list of cards or a text such as 'AS KS', not {_short(value)}")
    try:
        return parse_cards(value)
    except (TypeError, ValueError) as error:
        raise DealError(f"{what}: {error} (R1.4)") from None


def _check_in_pack(cards: Sequence[int], rules: Rules, what: str) -> None:
    for card in cards:
        if not rules.pack_mask >> card & 1:
            lowest = RANKS[13 - rules.pack_size // rules.suits]
            reason = f"its lowest rank is {lowest}" if card // 13 < rules.suits else f"of {rules.suits} suits"
            pack = f"the pack of {rules.pack_size} cards, {reason}"
            raise DealError(f"{what}: {CARD_NAMES[card]} is not in {pack} (R1.4, R2.1)")


def _check_once(cards: Sequence[int], what: str, right: str) -> None:
    for card in cards_of(mask_of(cards)):
        if cards.count(card) > 1:
            raise DealError(f"{what}: {CARD_NAMES[card]} stands twice; {right} (R1.4)")


def _seat(value: Any, rules: Rules) -> int:
    last = rules.num_players - 1
    try:
        if isinstance(value, bool | np.bool_):
            raise TypeError
        seat = operator.index(value)
    except TypeError:
        raise DealError(f"hands: a seat is a whole number 0..{last}, not {value!r} (R1.1)") from None
    if not 0 <= seat <= last:
        raise DealError(f"hands: no seat {seat} at this table, seats are 0..{last} (R1.1)")
    return seat


def _is_one_card(value: Any) -> bool:
    """Whether an entry of ``decks`` is a single card, so that the list is one pack."""
    if isinstance(value, str):
        return len(value.replace(",", " ").split()) == 1
    return isinstance(value, int | np.integer)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
