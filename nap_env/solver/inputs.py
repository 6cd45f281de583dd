"""Hands, bids and seats that a caller hands to the solver, checked before a kernel sees them."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from nap_env.cards import ACTION_NAMES, BIDS, action_id, hand_text, mask_of, parse_cards
from nap_env.rules import PRESETS, Rules, make_rules

Words = npt.NDArray[np.uint64]
Hands = Sequence[Any] | npt.NDArray[Any]
THREE = 53


def variant(rules: str | Rules, hands: int) -> Rules:
    """The rules that are meant, for a table of so many hands.

    Raises:
        ValueError: an unknown preset (`RulesError`), or a number of hands that is no table.
    """
    chosen = PRESETS[rules] if isinstance(rules, str) and rules in PRESETS else make_rules(rules)
    most = chosen.num_players if isinstance(rules, Rules) else 7
    if not 2 <= hands <= most:
        raise ValueError(f"{hands} hands: give one a player, 2 to {most} of them")
    return chosen


def words(hands: Any) -> Words:
    """Hands as 64-bit sets, uint64 [B, n], from integers [B, n].

    Raises:
        ValueError: not a table of whole numbers.
    """
    array = np.asarray(hands)
    if array.ndim != 2 or array.dtype.kind not in "iu":
        raise ValueError(f"hands must be 64-bit sets of cards, uint64 [B, n], not {array.dtype} {list(array.shape)}")
    return np.ascontiguousarray(array, dtype=np.uint64)


def one_deal(hands: Hands) -> Words:
    """One deal's hands, each a text or a 64-bit set, as uint64 [1, n].

    Raises:
        ValueError: not a list of hands, or a card that is none or is named twice.
    """
    if isinstance(hands, str | bytes) or not isinstance(hands, Sequence | np.ndarray):
        raise ValueError(f"hands must be a list, one text such as 'AS KS 9H 4D 2C' a seat, not {hands!r}")
    return np.array([[_word(hand, seat) for seat, hand in enumerate(hands)]], np.uint64).reshape(1, -1)


def _word(hand: Any, seat: int) -> int:
    if not isinstance(hand, str):
        try:
            if isinstance(hand, bool):
                raise TypeError
            word = operator.index(hand)
        except TypeError:
            raise ValueError(f"the hand of seat {seat} must be a text or a 64-bit set, not {hand!r}") from None
        if not 0 <= word < 1 << 52:
            raise ValueError(f"the hand of seat {seat} is no set of cards 0..51: {word}")
        return word
    cards = parse_cards(hand)
    for card in cards:
        if cards.count(card) > 1:
            raise ValueError(f"the hand of seat {seat} holds {ACTION_NAMES[card]} twice")
    return mask_of(cards)


def check_hands(hands: Words, rules: Rules) -> None:
    """Whole deals, uint64 [B, n].

    Raises:
        ValueError: a card that is not in the pack or in two hands, or hands of another size than is dealt.
    """
    check_cards(hands, rules)
    sizes = np.bitwise_count(hands)
    wrong = np.argwhere(sizes != rules.hand_size)
    if wrong.size:
        row, seat = (int(index) for index in wrong[0])
        fix = ": rules='seven_card' plays hands of seven" if sizes[row, seat] == 7 else ""
        raise ValueError(
            f"{_where(hands, row)}the hand of seat {seat} has {sizes[row, seat]} cards, "
            f"these rules deal {rules.hand_size}{fix}"
        )


def check_cards(hands: Words, rules: Rules) -> None:
    """Sets of cards, uint64 [B, n].

    Raises:
        ValueError: a card that is not in the pack, or in two hands.
    """
    alien = hands & ~np.uint64(rules.pack_mask)
    if alien.any():
        row, seat = (int(index) for index in np.argwhere(alien)[0])
        cards = hand_text(int(alien[row, seat]) & ((1 << 52) - 1)) or "a card above 51"
        raise ValueError(f"{_where(hands, row)}seat {seat} holds {cards}, not in the pack of {rules.pack_size}")
    union = np.bitwise_or.reduce(hands, axis=1)
    twice = np.flatnonzero(np.bitwise_count(union) != np.bitwise_count(hands).sum(axis=1))
    if twice.size:
        row = int(twice[0])
        seen, again = 0, 0
        for word in hands[row]:
            again |= seen & int(word)
            seen |= int(word)
        raise ValueError(f"{_where(hands, row)}two hands hold {hand_text(again)}")


def _where(hands: Words, row: int) -> str:
    return f"deal {row}: " if len(hands) > 1 else ""


def bid_number(bid: Any, rules: Rules) -> int:
    """The action number of a bid on the ladder, from its name or number.

    Raises:
        ValueError: no bid, or one that these rules do not know.
    """
    try:
        if isinstance(bid, bool | np.bool_):
            raise TypeError
        number = action_id(bid) if isinstance(bid, str) else operator.index(bid)
    except (TypeError, ValueError):
        raise ValueError(f"{bid!r} is no bid: use one of {', '.join(rules.bids)}") from None
    if not THREE <= number < THREE + len(BIDS) or BIDS[number - THREE] not in rules.bids:
        name = ACTION_NAMES[number] if 0 <= number < len(ACTION_NAMES) else number
        raise ValueError(f"{name} is not on the ladder of these rules: use one of {', '.join(rules.bids)}")
    return number


def bid_numbers(bid: Any, rules: Rules, size: int) -> npt.NDArray[np.int64]:
    """A bid for each of ``size`` deals, int64 [B], from one bid or a list of them."""
    if isinstance(bid, str) or np.ndim(bid) == 0:
        return np.full(size, bid_number(bid if isinstance(bid, str) else np.asarray(bid)[()], rules), np.int64)
    if len(bid) != size:
        raise ValueError(f"{len(bid)} bids for {size} deals: give one, or one a deal")
    known = {name: bid_number(name, rules) for name in {*np.asarray(bid).tolist()}}
    return np.array([known[name] for name in np.asarray(bid).tolist()], np.int64)


def declarers(declarer: Any, size: int, n: int) -> npt.NDArray[np.int64]:
    """A declarer for each of ``size`` deals, int64 [B], from one seat or a list of them.

    Raises:
        ValueError: not a seat, or not one a deal.
    """
    seats = np.asarray(declarer)
    if seats.dtype.kind not in "iu" or seats.ndim > 1:
        raise ValueError(f"declarer must be a seat 0..{n - 1}, or one a deal, not {declarer!r}")
    if seats.ndim == 1 and len(seats) != size:
        raise ValueError(f"{len(seats)} declarers for {size} deals: give one, or one a deal")
    if seats.size and not (int(seats.min()) >= 0 and int(seats.max()) < n):
        wrong = int(seats[(seats < 0) | (seats >= n)].flat[0]) if seats.ndim else int(seats)
        raise ValueError(f"declarer {wrong} is not at the table: seats are 0..{n - 1}")
    return np.ascontiguousarray(np.broadcast_to(seats, (size,)), dtype=np.int64)
