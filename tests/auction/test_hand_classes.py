"""Classes of hands up to the names of the suits, against plain enumeration."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scale import examples

from agents.auction.hand_classes import class_count, class_of, orbit, representative, representatives
from nap_env.cards import cards_of, hand_text, mask_of, parse_cards
from nap_env.rules import Rules

SMALL = [
    Rules(num_players=2, hand_size=1, suits=2, pack=8),
    Rules(num_players=2, hand_size=2, suits=2, pack=10),
    Rules(num_players=3, hand_size=2, suits=3, pack=12),
    Rules(num_players=3, hand_size=3, suits=3, pack=12),
    Rules(num_players=2, hand_size=4, suits=4, pack=16),
    Rules(num_players=2, hand_size=5, pack=24),
]


def canonical(hand: int, suits: int) -> tuple[int, ...]:
    """What is left of a hand when its suits have no names."""
    return tuple(sorted(hand >> 13 * suit & 0x1FFF for suit in range(suits)))


def enumerated(rules: Rules) -> list[int]:
    """Every hand of the pack."""
    return [mask_of(cards) for cards in itertools.combinations(cards_of(rules.pack_mask), rules.hand_size)]


@pytest.mark.jit
@pytest.mark.parametrize("rules", SMALL, ids=repr)
def test_classes_are_the_hands_up_to_the_names_of_the_suits(rules: Rules) -> None:
    hands = enumerated(rules)
    numbers = class_of(np.array(hands, np.uint64), rules).tolist()
    keys = [canonical(hand, rules.suits) for hand in hands]
    assert len({*zip(numbers, keys, strict=True)}) == len({*keys}) == len({*numbers}) == class_count(rules)
    assert sorted({*numbers}) == list(range(class_count(rules)))
    assert np.bincount(numbers).tolist() == orbit(rules).tolist()


@pytest.mark.jit
@pytest.mark.parametrize("pack", [52, 40, 36, 32, 28, 24])
def test_the_classes_of_five_cards_cover_the_pack(pack: int) -> None:
    rules = Rules(num_players=3, pack=pack)
    hands = representatives(rules)
    assert np.array_equal(class_of(hands, rules), np.arange(class_count(rules)))
    assert not (hands & ~np.uint64(rules.pack_mask)).any()
    assert int(orbit(rules).sum()) == math.comb(pack, 5)


def test_there_are_134459_classes_of_five_of_52() -> None:
    assert class_count() == 134_459


@pytest.mark.jit
def test_seven_cards_too() -> None:
    assert int(orbit("seven_card").sum()) == math.comb(52, 7)
    hands = representatives("seven_card")[::1000]
    assert np.array_equal(class_of(hands, "seven_card"), np.arange(class_count("seven_card"))[::1000])


@settings(max_examples=examples(100))
@given(st.lists(st.integers(0, 51), min_size=5, max_size=5, unique=True), st.permutations(range(4)))
def test_renaming_suits_does_not_change_the_class(cards: list[int], order: list[int]) -> None:
    renamed = [13 * order[card // 13] + card % 13 for card in cards]
    pair = np.array([mask_of(cards), mask_of(renamed)], np.uint64)
    first, second = class_of(pair)
    assert first == second
    assert canonical(representative(int(first)), 4) == canonical(int(pair[0]), 4)


def test_a_representative_has_its_longest_suit_in_spades() -> None:
    hand = mask_of(parse_cards("4C 9D KD AD 2H"))
    number = int(class_of(np.array([hand], np.uint64))[0])
    assert hand_text(representative(number)) == "AS KS 9S 4H 2D"


def test_what_is_no_hand_is_refused() -> None:
    four = mask_of(parse_cards("AS KS QS JS"))
    good = mask_of(parse_cards("AS KS QS JS TS"))
    with pytest.raises(ValueError, match="row 1: AS KS QS JS is no hand of 5 cards"):
        class_of(np.array([good, four], np.uint64))
    low = mask_of(parse_cards("AS KS QS JS 2S"))
    with pytest.raises(ValueError, match="is no hand of 5 cards from 4 suits of the highest 7 ranks"):
        class_of(np.array([low], np.uint64), Rules(num_players=3, pack=28))
    with pytest.raises(ValueError, match="row 0"):
        class_of(np.array([good | 1 << 60], np.uint64))
    with pytest.raises(ValueError, match="no class 134459: there are 134459"):
        representative(134_459)
