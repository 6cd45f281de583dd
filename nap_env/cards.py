"""Numbers below, text above: the names of the cards and actions of RULES R14.

Cards are 0..51 = 13 x suit + rank with suits C D H S and ranks 2..A, so 0 is ``2C`` and 51 is
``AS``. The other actions follow: 52 ``PASS``, the bids 53 ``THREE`` .. 60 ``SEVEN``, 61 ``GARNET``,
62 ``PEEP``, 63 ``BUY``. A set of cards is a 64-bit word with bit ``card`` set.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from typing import SupportsIndex

RANKS = "23456789TJQKA"
SUITS = "CDHS"
SUIT_SYMBOLS = "♣♦♥♠"
NUM_CARDS = 52
NUM_ACTIONS = 64

CARD_NAMES: tuple[str, ...] = tuple(rank + suit for suit in SUITS for rank in RANKS)
BIDS: tuple[str, ...] = ("THREE", "MISERE", "FOUR", "NAP", "WELLINGTON", "BLUCHER", "SIX", "SEVEN")
ACTION_NAMES: tuple[str, ...] = (*CARD_NAMES, "PASS", *BIDS, "GARNET", "PEEP", "BUY")

PASS = 52
THREE, MISERE, FOUR, NAP, WELLINGTON, BLUCHER, SIX, SEVEN = range(53, 61)
GARNET, PEEP, BUY = 61, 62, 63

_ACTION_IDS = {name: number for number, name in enumerate(ACTION_NAMES)}
_ALIASES = {"10" + suit: "T" + suit for suit in SUITS} | {"MISÈRE": "MISERE", "BLÜCHER": "BLUCHER"}


def card_id(name: str) -> int:
    """The number of a card written rank then suit; case does not matter, ``10S`` is ``TS``.

    Raises:
        ValueError: the text names no card.

    >>> card_id("AS"), card_id("2C")
    (51, 0)
    """
    number = _lookup(name)
    if number is None or number >= NUM_CARDS:
        raise ValueError(
            f"{name!r} is no card: write rank then suit, one of {RANKS} and one of {SUITS}, as in 'AS' or 'TD'"
        )
    return number


def card_name(card: SupportsIndex) -> str:
    """The text of a card number 0..51.

    >>> card_name(51)
    'AS'
    """
    number = _integer(card, "a card number", NUM_CARDS)
    return CARD_NAMES[number]


def action_id(name: str) -> int:
    """The number of an action: a card, ``PASS``, a bid, ``GARNET``, ``PEEP`` or ``BUY`` (R14).

    Raises:
        ValueError: the text names no action.

    >>> action_id("PASS"), action_id("nap")
    (52, 56)
    """
    number = _lookup(name)
    if number is None:
        raise ValueError(f"{name!r} is no action: a card such as 'AS', or one of {', '.join(ACTION_NAMES[NUM_CARDS:])}")
    return number


def action_name(action: SupportsIndex) -> str:
    """The text of an action number 0..63.

    >>> action_name(56)
    'NAP'
    """
    return ACTION_NAMES[_integer(action, "an action number", NUM_ACTIONS)]


def parse_cards(cards: str | Iterable[str | SupportsIndex]) -> list[int]:
    """Card numbers of ``"AS KS QS"`` (spaces or commas between) or of a list of names or numbers.

    Raises:
        ValueError: an entry is no card.

    >>> parse_cards("AS KS 2C")
    [51, 50, 0]
    """
    if isinstance(cards, str):
        return [card_id(word) for word in cards.replace(",", " ").split()]
    return [card_id(c) if isinstance(c, str) else _integer(c, "a card number", NUM_CARDS) for c in cards]


def cards_of(mask: SupportsIndex) -> Iterator[int]:
    """The card numbers in a 64-bit set, lowest first."""
    left = operator.index(mask)
    while left:
        lowest = left & -left
        yield lowest.bit_length() - 1
        left ^= lowest


def mask_of(cards: Iterable[int]) -> int:
    """The 64-bit set of some card numbers."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def hand_text(mask: SupportsIndex) -> str:
    """A set of cards as people hold it: spades first, high cards first.

    >>> hand_text(mask_of(parse_cards("2C AS KS")))
    'AS KS 2C'
    """
    return " ".join(CARD_NAMES[card] for card in reversed(list(cards_of(mask))))


def _lookup(name: str) -> int | None:
    if not isinstance(name, str):
        raise ValueError(f"a name must be text such as 'AS' or 'PASS', not {name!r} ({type(name).__name__})")
    text = name.strip().upper()
    return _ACTION_IDS.get(_ALIASES.get(text, text))


def _integer(value: SupportsIndex, what: str, limit: int) -> int:
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise ValueError(f"{value!r} is not {what}: give an integer 0..{limit - 1}") from None
    if not 0 <= number < limit:
        raise ValueError(f"{number} is not {what}: give an integer 0..{limit - 1}")
    return number
