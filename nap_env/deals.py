"""What a caller may hand in, checked before anything is dealt: a match's plan, the dealer, packs and hands.

Nothing here changes a game. A deal that breaks R1.4 is refused with a `DealError` that names the fault and
says what would be right.
"""

from __future__ import annotations

import operator
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nap_env import rulebook
from nap_env.cards import CARD_NAMES, RANKS, cards_of, hand_text, mask_of, parse_cards
from nap_env.errors import DealError, RulesError
from nap_env.rules import Rules

Int8 = npt.NDArray[np.int8]
Table = npt.NDArray[np.void]
LIMIT = 1_000_000_000
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class MatchPlan:
    """How long a match is and with what chips it is played (R1.5, R1.6, R1.8)."""

    num_hands: int = 1
    starting_chips: int | None = None
    rebuys: int = 0
    tie_break: bool = False


def plan_match(
    rules: Rules,
    num_hands: int | None = None,
    deals_per_dealer: int | None = None,
    starting_chips: int | None = None,
    rebuys: int = 0,
    tie_break: bool = False,
) -> MatchPlan:
    """The plan that a caller's arguments ask for; hands, chips and re-buys are whole numbers (R1.5, R1.6).

    Raises:
        RulesError: a number out of range or of another type, ``num_hands`` together with
            ``deals_per_dealer``, or re-buys without starting chips.

    >>> plan_match(Rules(num_players=4), deals_per_dealer=2).num_hands
    8
    """
    if num_hands is not None and deals_per_dealer is not None:
        raise RulesError("num_hands and deals_per_dealer together: give one of them (R1.5)")
    if deals_per_dealer is not None:
        num_hands = rules.num_players * _whole("deals_per_dealer", deals_per_dealer, 1, "R1.5")
    hands = 1 if num_hands is None else _whole("num_hands", num_hands, 1, "R1.5")
    chips = None if starting_chips is None else _whole("starting_chips", starting_chips, 1, "R1.6")
    again = _whole("rebuys", rebuys, 0, "R1.6")
    if again and chips is None:
        raise RulesError(f"rebuys={again} without starting_chips: nobody can go out (R1.6)")
    if not isinstance(tie_break, bool | np.bool_):
        raise RulesError(f"tie_break must be True or False, not {tie_break!r} (R1.8)")
    return MatchPlan(hands, chips, again, bool(tie_break))


def parse_seed(seed: Any) -> int:
    """The seed a caller gave, 0 .. 2**64 - 1; a new one from the system for None.

    Raises:
        ValueError: out of range or no integer.
    """
    if seed is None:
        return secrets.randbits(63)
    try:
        if isinstance(seed, bool | np.bool_):
            raise TypeError
        number = operator.index(seed)
    except TypeError:
        raise ValueError(f"seed must be a whole number from 0, not {seed!r}") from None
    if not 0 <= number < 1 << 64:
        raise ValueError(f"seed must be from 0 to 2**64 - 1, not {number}")
    return number


def seed_key(seed: int) -> np.uint64:
    """The key of a game's own stream of random numbers: another for every seed."""
    return np.uint64(rulebook.mix(np.uint64(seed) ^ _GOLDEN))


def parse_dealer(dealer: Any, rules: Rules) -> int:
    """The first dealer's seat; `rulebook.NONE`, he is drawn, for None (R1.2).

    Raises:
        DealError: not a seat at this table.
    """
    return rulebook.NONE if dealer is None else _seat(dealer, rules, "dealer")


def new_table(rules: Rules, plan: MatchPlan, dealer: int, key: np.uint64) -> Table:
    """A match at its start, no card dealt yet: one `rulebook.GAME` record [1] in phase DEAL."""
    table = np.zeros(1, rulebook.GAME)
    table[0].key = key
    chips = rulebook.NONE if plan.starting_chips is None else plan.starting_chips
    rulebook.start_match(
        table[0], rules.kernel[0], dealer, plan.num_hands, chips, plan.rebuys, int(plan.tie_break)
    )
    return table


def dealt_seats(rules: Rules, dealer: int) -> list[int]:
    """The seats that get cards while all are in the match: all, or all but the dealer (R2.5).

    >>> dealt_seats(Rules(num_players=4, dealer_sits_out=True), dealer=1)
    [0, 2, 3]
    """
    return [seat for seat in range(rules.num_players) if not (rules.dealer_sits_out and seat == dealer)]


def parse_deck(deck: Any, rules: Rules, what: str = "the deck") -> Int8:
    """A whole pack, top card first, from names or numbers: int8 [pack] (R1.4, R2.3).

    Raises:
        DealError: an unknown card, one that is not in the pack, a card twice, too few or too many.
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


def parse_decks(decks: Any, rules: Rules) -> list[Int8]:
    """Packs for the hands of a match in order, each int8 [pack] (R1.4).

    Raises:
        DealError: not a list of packs, or a pack that `parse_deck` refuses; it says which.
    """
    if isinstance(decks, str | bytes) or not isinstance(decks, Sequence | np.ndarray):
        raise DealError(f"decks must be a list of packs, one a hand, not {_short(decks)} (R1.4)")
    packs = list(decks)
    if packs and all(_is_one_card(pack) for pack in packs):
        raise DealError("decks must be a list of packs, one a hand; for one pack write [pack] (R1.4)")
    return [parse_deck(pack, rules, f"deck {i} (hand {i + 1} of the match)") for i, pack in enumerate(packs)]


def parse_hands(hands: Any, rules: Rules, dealt: Iterable[int]) -> npt.NDArray[np.uint64]:
    """Some seats' cards as 64-bit sets, uint64 [7]; 0 for a seat that is dealt at random (R1.4).

    ``hands`` maps a seat to its cards, as in ``{0: "AS KS QS JS TS"}``; ``dealt`` are the seats that get cards.

    Raises:
        DealError: not such a mapping, a seat out of range or not dealt in (R2.5), a wrong number of cards,
            a card twice or in two hands, or one that is not in the pack.
    """
    if not isinstance(hands, Mapping):
        raise DealError(f"hands must map seats to cards, as in {{0: 'AS KS QS JS TS'}}, not {_short(hands)}")
    masks = np.zeros(rulebook.MAX_SEATS, np.uint64)
    takes_part, taken = set(dealt), dict[int, int]()
    for key, value in hands.items():
        seat = _seat(key, rules, "a key of hands")
        if seat not in takes_part:
            raise DealError(f"seat {seat} gets no cards in this hand, the dealer sits out (R2.5)")
        cards = _hand(value, rules, f"the hand of seat {seat}")
        for card in cards:
            if card in taken:
                raise DealError(f"{CARD_NAMES[card]} is in the hands of seats {taken[card]} and {seat} (R1.4)")
            taken[card] = seat
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
        raise DealError(f"{what} must be a list of cards, or a text such as 'AS KS', not {_short(value)}")
    try:
        return parse_cards(value)
    except ValueError as error:
        raise DealError(f"{what}: {error} (R1.4)") from None


def _check_in_pack(cards: Sequence[int], rules: Rules, what: str) -> None:
    for card in cards:
        if not rules.pack_mask >> card & 1:
            ranks = RANKS[13 - rules.pack_size // rules.suits :]
            lacks = "suits" if card // 13 >= rules.suits else f"ranks below {ranks[0]}"
            raise DealError(
                f"{what}: {CARD_NAMES[card]} is not in the pack of {rules.pack_size} cards, "
                f"which has {'fewer suits' if lacks == 'suits' else 'no ' + lacks} (R1.4, R2.1)"
            )


def _check_once(cards: Sequence[int], what: str, right: str) -> None:
    for card in cards_of(mask_of(cards)):
        if cards.count(card) > 1:
            raise DealError(f"{what}: {CARD_NAMES[card]} stands twice; {right} (R1.4)")


def _seat(value: Any, rules: Rules, what: str) -> int:
    last = rules.num_players - 1
    try:
        if isinstance(value, bool | np.bool_):
            raise TypeError
        seat = operator.index(value)
    except TypeError:
        raise DealError(f"{what} must be a seat number 0..{last}, not {value!r} (R1.1)") from None
    if not 0 <= seat <= last:
        raise DealError(f"{what} must be a seat 0..{last}, not {seat}: {rules.num_players} are playing (R1.1)")
    return seat


def _is_one_card(value: Any) -> bool:
    """Whether an entry of ``decks`` is a single card, so that the list is one pack."""
    if isinstance(value, str):
        return len(value.replace(",", " ").split()) == 1
    return isinstance(value, int | np.integer)


def _whole(name: str, value: Any, least: int, clause: str) -> int:
    try:
        if isinstance(value, bool | np.bool_):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise RulesError(f"{name} must be a whole number, not {value!r} ({clause})") from None
    if not least <= number <= LIMIT:
        raise RulesError(f"{name} must be from {least} to {LIMIT}, not {number} ({clause})")
    return number


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
