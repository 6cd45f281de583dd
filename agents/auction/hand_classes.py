"""Hands that differ only in the names of their suits are one class; classes are numbered 0 .. count-1.

52 cards have 2,598,960 hands of five and 134,459 classes. A hand is the multiset of its suits' ranks. The suits are
sorted, longest first; the lengths, such as 3-1-1-0, make a *pattern*, and the patterns have their numbers one after the
other. Inside a pattern, suits of one length are a multiset of ranks, numbered by the combinatorial number system for
multisets (D. E. Knuth, The Art of Computer Programming 4A, section 7.2.1.3). So a class is found by one look-up a suit,
sorting four numbers, and a little arithmetic; there is no table of hands.

Which hands there are is said by the rules: cards in a hand, suits, and ranks in a suit.
"""

from __future__ import annotations

import itertools
import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nap_env.cards import hand_text
from nap_env.engine.jit import count, njit
from nap_env.rules import Rules, make_rules

Words = npt.NDArray[np.uint64]
Int64 = npt.NDArray[np.int64]

_RANK_BITS = 13


class Layout(NamedTuple):
    """The numbering for one kind of hand, as kernels take it (`layout`).

    Attributes:
        sizes: int64 [3], cards in a hand, suits, ranks in a suit.
        key: int32 [8192], of a suit's set of ranks: length << 13 | its number among the sets of that length.
        cards: int64 [8, 1716], the set of ranks of a length and number.
        choices: int64 [8], sets of ranks of a length.
        pattern: int64 [4096], the pattern of four lengths as octal digits, the longest lowest; -1: no hand has it.
        lengths: int64 [P, 4], the lengths in a pattern, longest first.
        start: int64 [P], its first class.
        step: int64 [P, 4], by how much the class goes up with a suit's number.
        run: int64 [P, 4], which of the suits of its length a suit is, counted from the last.
    """

    sizes: Int64
    key: npt.NDArray[np.int32]
    cards: Int64
    choices: Int64
    pattern: Int64
    lengths: Int64
    start: Int64
    step: Int64
    run: Int64


def class_count(rules: str | Rules = "standard") -> int:
    """How many classes there are.

    >>> class_count(), class_count(Rules(num_players=2, hand_size=1, suits=2, pack=8))
    (134459, 4)
    """
    return _numbering(*_kind(rules))[1]


def class_of(hands: npt.NDArray[Any], rules: str | Rules = "standard") -> Int64:
    """The classes of hands, int64 [B]: ``hands`` are 64-bit sets, uint64 [B].

    Raises:
        ValueError: a hand of another size, or with a card that is not in the pack; it names the row.
    """
    words = np.ascontiguousarray(hands, np.uint64)
    out = np.empty(len(words), np.int64)
    wrong = class_rows(words, layout(rules), out)
    if wrong >= 0:
        size, suits, ranks = _kind(rules)
        hand = int(words[wrong])
        text = hand_text(hand & ((1 << 52) - 1)) or hex(hand)
        raise ValueError(
            f"row {wrong}: {text} is no hand of {size} cards from {suits} suits of the highest {ranks} ranks"
        )
    return out


def representative(number: int, rules: str | Rules = "standard") -> int:
    """One hand of a class, a 64-bit set: its longest suit is spades.

    >>> hand_text(representative(0))
    '6S 5S 4S 3S 2S'

    Raises:
        ValueError: no such class.
    """
    classes = class_count(rules)
    if not 0 <= number < classes:
        raise ValueError(f"no class {number}: there are {classes}, 0 to {classes - 1}")
    out = np.empty(1, np.uint64)
    hand_rows(np.array([number], np.int64), layout(rules), out)
    return int(out[0])


def representatives(rules: str | Rules = "standard") -> Words:
    """One hand of each class, uint64 [C]; read only."""
    return _all(*_kind(rules))[0]


def orbit(rules: str | Rules = "standard") -> Int64:
    """How many hands are in each class, int64 [C]; read only. They add up to all hands of the pack."""
    return _all(*_kind(rules))[1]


def layout(rules: str | Rules = "standard") -> Layout:
    """The numbering as kernels take it: ``class_of_hand(hand, layout)``."""
    return _numbering(*_kind(rules))[0]


# ---- The numbering of one kind of hand --------------------------------------------------------------------


def _kind(rules: str | Rules) -> tuple[int, int, int]:
    """Cards in a hand, suits, ranks in a suit."""
    chosen = make_rules(rules)
    return chosen.hand_size, chosen.suits, chosen.pack_size // chosen.suits


@lru_cache(maxsize=16)
def _numbering(size: int, suits: int, ranks: int) -> tuple[Layout, int]:
    """The layout, and the number of classes."""
    choices = np.array([math.comb(ranks, length) for length in range(8)], np.int64)
    key = np.full(1 << _RANK_BITS, -1, np.int32)
    cards = np.zeros((8, int(choices.max())), np.int64)
    seen = [0] * 8
    for word in range(1 << ranks):
        length = word.bit_count()
        if length < 8:
            key[word] = length << _RANK_BITS | seen[length]
            cards[length, seen[length]] = word
            seen[length] += 1
    patterns = [lengths for lengths in itertools.product(range(size, -1, -1), repeat=4) if _fits(lengths, size, suits)]
    pattern = np.full(8**4, -1, np.int64)
    start, step, run = (np.zeros((len(patterns), *more), np.int64) for more in ((), (4,), (4,)))
    classes = 0
    for number, lengths in enumerate(patterns):
        pattern[sum(length << 3 * place for place, length in enumerate(lengths))] = number
        start[number] = classes
        kinds = [int(choices[length]) for length in lengths]
        run[number] = [lengths[place:].count(length) for place, length in enumerate(lengths)]
        base = 1
        for place in (3, 2, 1, 0):
            step[number, place] = base
            if place == 0 or lengths[place - 1] != lengths[place]:
                base *= math.comb(kinds[place] + lengths.count(lengths[place]) - 1, lengths.count(lengths[place]))
        classes += base
    sizes = np.array([size, suits, ranks], np.int64)
    return Layout(sizes, key, cards, choices, pattern, np.array(patterns, np.int64), start, step, run), classes


def _fits(lengths: tuple[int, ...], size: int, suits: int) -> bool:
    return sum(lengths) == size and list(lengths) == sorted(lengths, reverse=True) and not any(lengths[suits:])


@lru_cache(maxsize=16)
def _all(size: int, suits: int, ranks: int) -> tuple[Words, Int64]:
    """A hand of each class, and how many it stands for."""
    found, classes = _numbering(size, suits, ranks)
    hands = np.empty(classes, np.uint64)
    hand_rows(np.arange(classes), found, hands)
    sizes = np.empty(classes, np.int64)
    orbit_rows(hands, found, sizes)
    hands.flags.writeable = sizes.flags.writeable = False
    return hands, sizes


# ---- Kernels ----------------------------------------------------------------------------------------------


@njit
def class_rows(hands: Any, numbering: Any, out: Any) -> Any:
    """Fill ``out`` [B] with the classes of ``hands`` [B]; the first row that is no such hand, or -1."""
    for row in range(len(hands)):
        out[row] = class_of_hand(hands[row], numbering)
        if out[row] < 0:
            return row
    return -1


@njit
def class_of_hand(hand: Any, numbering: Any) -> Any:
    """The class of one hand, a 64-bit set; -1 where it is none of these rules."""
    a, b = _suit_key(hand, 3, numbering), _suit_key(hand, 2, numbering)
    c, d = _suit_key(hand, 1, numbering), _suit_key(hand, 0, numbering)
    a, b = max(a, b), min(a, b)
    c, d = max(c, d), min(c, d)
    a, c = max(a, c), min(a, c)
    b, d = max(b, d), min(b, d)
    b, c = max(b, c), min(b, c)
    if d < 0 or count(hand) != numbering.sizes[0]:
        return -1
    pattern = numbering.pattern[a >> 13 | (b >> 13) << 3 | (c >> 13) << 6 | (d >> 13) << 9]
    if pattern < 0:
        return -1
    step = numbering.step[pattern]
    run = numbering.run[pattern]
    number = step[0] * multisets(a & 8191, run[0]) + step[1] * multisets(b & 8191, run[1])
    number += step[2] * multisets(c & 8191, run[2]) + step[3] * multisets(d & 8191, run[3])
    return numbering.start[pattern] + number


@njit
def _suit_key(hand: Any, suit: Any, numbering: Any) -> Any:
    """Length << 13 | number of the hand's cards of a suit; cards that are not in the pack are left out."""
    if suit >= numbering.sizes[1]:
        return 0
    ranks = int(numbering.sizes[2])
    word = int(hand >> np.uint64(_RANK_BITS * suit + _RANK_BITS - ranks)) & ((1 << ranks) - 1)
    return int(numbering.key[word])


@njit
def multisets(kinds: Any, size: Any) -> Any:
    """How many multisets of 1 to 4 elements there are of so many kinds."""
    if size == 1:
        return kinds
    if size == 2:
        return kinds * (kinds + 1) // 2
    if size == 3:
        return kinds * (kinds + 1) * (kinds + 2) // 6
    return kinds * (kinds + 1) * (kinds + 2) * (kinds + 3) // 24


@njit
def hand_rows(numbers: Any, numbering: Any, out: Any) -> None:
    """Fill ``out`` [B] with a hand of each class in ``numbers`` [B]; the longest suit is the last in C D H S."""
    for row in range(len(numbers)):
        pattern = len(numbering.start) - 1
        while numbering.start[pattern] > numbers[row]:
            pattern -= 1
        rest = int(numbers[row] - numbering.start[pattern])
        hand = np.uint64(0)
        for place in range(int(numbering.sizes[1])):  # the largest step first
            length, run = numbering.lengths[pattern, place], numbering.run[pattern, place]
            step = numbering.step[pattern, place]
            rank = numbering.choices[length] - 1
            while step * multisets(rank, run) > rest:
                rank -= 1
            rest -= step * multisets(rank, run)
            suit = int(numbering.sizes[1]) - 1 - place
            shift = _RANK_BITS * suit + _RANK_BITS - int(numbering.sizes[2])
            hand |= np.uint64(numbering.cards[length, rank]) << np.uint64(shift)
        out[row] = hand


@njit
def orbit_rows(hands: Any, numbering: Any, out: Any) -> None:
    """Fill ``out`` [B] with the numbers of hands that are ``hands`` [B] with the suits renamed."""
    suits = int(numbering.sizes[1])
    for row in range(len(hands)):
        ways = 1
        for suit in range(suits):
            key, same = _suit_key(hands[row], suit, numbering), 1
            for other in range(suit):
                same += _suit_key(hands[row], other, numbering) == key
            ways = ways * (suit + 1) // same  # suits! / the factorial of every number of equal suits
        out[row] = ways
