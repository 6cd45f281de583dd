"""Packs and hands that a caller hands in (R1.4, R2.5): what is taken, and what each refusal says."""

import numpy as np
import pytest

from nap_env.cards import CARD_NAMES, cards_of, hand_text, parse_cards
from nap_env.dealing.deals import parse_deck, parse_decks, parse_hands
from nap_env.engine import records
from nap_env.errors import DealError
from nap_env.game import Game
from nap_env.rules import Rules, make_rules

STANDARD = make_rules()
STRIPPED = Rules(num_players=4, pack=32)
FULL = list(CARD_NAMES)


def reverse(pack):
    return list(reversed(pack))


def test_R1_4_a_pack_may_be_names_numbers_text_or_an_array():
    numbers = [51 - place for place in range(52)]
    for deck in (
        reverse(FULL),
        " ".join(reverse(FULL)),
        ",".join(reverse(FULL)).lower(),
        numbers,
        np.array(numbers),
    ):
        parsed = parse_deck(deck, STANDARD)
        assert parsed.dtype == np.int8
        assert parsed.tolist() == numbers


def test_R2_1_a_stripped_pack_is_a_pack():
    pack = [name for name in FULL if name[0] in "789TJQKA"]
    assert parse_deck(pack, STRIPPED).tolist() == parse_cards(pack)
    small = Rules(num_players=2, hand_size=2, suits=2, pack=8)
    assert parse_deck("AC KC QC JC AD KD QD JD", small).shape == (8,)


@pytest.mark.parametrize(
    ("deck", "rules", "words"),
    [
        (FULL[:-1], STANDARD, ["51 cards", "52", "missing AS", "R1.4"]),
        (FULL[:40], STANDARD, ["missing AS KS QS JS TS and 7 more"]),
        ("", STANDARD, ["0 cards"]),
        ([*FULL, "AS"], STANDARD, ["AS stands twice", "52", "53 were given"]),
        ([*FULL[:-1], "2C"], STANDARD, ["2C stands twice"]),
        ([*FULL[:-1], "1S"], STANDARD, ["'1S' is no card", "rank then suit"]),
        ([*FULL[:-1], "PASS"], STANDARD, ["'PASS' is no card"]),
        ([*range(51), 52], STANDARD, ["52 is not a card number", "0..51"]),
        ([*range(51), 51.0], STANDARD, ["51.0 is not a card number"]),
        ([*range(51), True], STANDARD, ["True is not a card number"]),
        ([*range(51), None], STANDARD, ["None is not a card number"]),
        (np.arange(52.0), STANDARD, ["not a card number"]),
        (np.zeros((2, 52), np.int8), STANDARD, ["not a card number"]),
        (FULL, STRIPPED, ["2C is not in the pack of 32 cards", "lowest rank is 7", "R2.1"]),
        (["AS"], Rules(num_players=2, hand_size=1, suits=2, pack=8), ["AS is not in the pack", "2 suits"]),
        (set(FULL), STANDARD, ["must be a list of cards"]),
        (dict.fromkeys(FULL), STANDARD, ["must be a list of cards"]),
        (None, STANDARD, ["must be a list of cards", "None"]),
        (7, STANDARD, ["must be a list of cards", "7"]),
        (b"AS", STANDARD, ["must be a list of cards"]),
    ],
)
def test_R1_4_a_wrong_pack_is_refused_by_its_fault(deck, rules, words):
    with pytest.raises(DealError) as refusal:
        parse_deck(deck, rules)
    for word in words:
        assert word in str(refusal.value)


def test_R1_4_packs_for_several_hands():
    packs = parse_decks([FULL, " ".join(reverse(FULL))], STANDARD)
    assert packs.shape == (2, 52)
    assert packs.dtype == np.int8
    assert packs[1].tolist() == reverse(range(52))
    assert parse_decks([], STANDARD).shape == (0, 52)
    assert parse_decks(packs, STANDARD).tolist() == packs.tolist()


@pytest.mark.parametrize(
    ("decks", "words"),
    [
        (FULL, ["list of packs", "[pack]"]),
        (list(range(52)), ["list of packs", "[pack]"]),
        (np.arange(52), ["[pack]"]),
        (" ".join(FULL), ["list of packs"]),
        ({0: FULL}, ["list of packs"]),
        (5, ["list of packs, one a hand, not 5"]),
        ([FULL, FULL[1:]], ["decks[1]", "missing 2C"]),
        ([FULL, None], ["decks[1]"]),
    ],
)
def test_R1_4_wrong_packs_say_which(decks, words):
    with pytest.raises(DealError) as refusal:
        parse_decks(decks, STANDARD)
    for word in words:
        assert word in str(refusal.value)


def test_R1_4_hands_of_some_seats():
    masks = parse_hands({0: "AS KS QS JS TS", np.int64(3): [0, 1, 2, 3, "6C"]}, STANDARD, range(5))
    assert masks.dtype == np.uint64
    assert masks.shape == (7,)
    assert hand_text(int(masks[0])) == "AS KS QS JS TS"
    assert list(cards_of(int(masks[3]))) == [0, 1, 2, 3, 4]
    assert not masks[[1, 2, 4, 5, 6]].any()


@pytest.mark.parametrize(
    ("hands", "words"),
    [
        ({0: "AS KS QS JS"}, ["seat 0 has 4 cards, 5 are dealt"]),
        ({0: "AS KS QS JS TS 9S"}, ["6 cards"]),
        ({0: "AS KS QS JS AS"}, ["seat 0: AS stands twice"]),
        ({0: "AS KS QS JS TS", 2: "AS 2C 3C 4C 5C"}, ["AS", "seats 0 and 2"]),
        ({0: "AS KS QS JS XX"}, ["seat 0", "'XX' is no card"]),
        ({5: "AS KS QS JS TS"}, ["no seat 5", "0..4"]),
        ({-1: "AS KS QS JS TS"}, ["no seat -1"]),
        ({"0": "AS KS QS JS TS"}, ["'0'", "whole number 0..4"]),
        ({"player_0": "AS KS QS JS TS"}, ["'player_0'"]),
        ({True: "AS KS QS JS TS"}, ["True"]),
        ({1.0: "AS KS QS JS TS"}, ["1.0"]),
        ({0: None}, ["seat 0", "None"]),
        (["AS KS QS JS TS"], ["hands must map seats to cards"]),
        ("AS", ["hands must map seats to cards"]),
    ],
)
def test_R1_4_wrong_hands_are_refused_by_their_fault(hands, words):
    with pytest.raises(DealError) as refusal:
        parse_hands(hands, STANDARD, range(5))
    for word in words:
        assert word in str(refusal.value)


def test_R2_5_no_hand_for_a_dealer_who_sits_out():
    rules = make_rules("six_handed")
    with pytest.raises(DealError, match=r"seat 2 gets no cards.*R2\.5"):
        parse_hands({2: "AS KS QS JS TS"}, rules, [0, 1, 3, 4, 5])


def test_R2_1_hands_of_a_stripped_pack():
    with pytest.raises(DealError, match="6S is not in the pack of 32 cards"):
        parse_hands({0: "AS KS QS JS 6S"}, STRIPPED, range(4))


@pytest.mark.parametrize("seed", range(8))
def test_R2_3_given_hands_are_dealt_and_the_rest_is_a_whole_pack(seed):
    hands = {1: "AS KS QS JS TS", 4: "2C 3C 4C 5C 6C"}
    game = Game.deal(seed=seed, hands=hands)
    assert game.hand(1) == hands[1]
    assert set(game.hand(4).split()) == set(hands[4].split())
    dealt = [card for seat in range(5) for card in game.hand(seat).split()]
    assert len(set(dealt)) == 25
    assert sorted(game.record().hands[0].deck) == sorted(FULL)


def test_R2_3_the_order_of_the_deal():
    """A round of three, then a round of two, from the dealer's left."""
    game = Game.deal(seed=1, num_players=3, dealer=2, deck=FULL)
    for seat, cards in enumerate(("2C 3C 4C JC QC", "5C 6C 7C KC AC", "8C 9C TC 2D 3D")):
        assert set(game.hand(seat).split()) == set(cards.split())
    assert records.PHASES[4] == "AUCTION"
