"""RULES.md R1.1 to R1.5, clause by clause: the table. All values are worked out by hand from the text."""

import numpy as np
import pytest
from at_table import FIVE, THREE, Table, pack, plain

from nap_env import DealError, Game, Rules, RulesError, nap_v0
from nap_env.engine import records, rulebook


def test_R1_1_seats_clockwise():
    table = Table(FIVE)
    order = []
    for _ in range(5):
        order.append(table.seat)
        table.do("PASS" if order != [0] else "THREE")
    assert order == [0, 1, 2, 3, 4]
    assert table.seat == 0
    order = []
    for _ in range(5):
        order.append(table.seat)
        table.do("*")
    assert order == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("num_players", [0, 1, 8])
def test_R1_1_two_to_seven(num_players):
    with pytest.raises(RulesError, match=r"R1\.1"):
        Rules(num_players=num_players)
    assert [Rules(num_players=n).num_players for n in range(2, 8)] == [2, 3, 4, 5, 6, 7]


def dealer_drawn(monkeypatch, draws, rules):
    """The first dealer when these cards are drawn, in seat order, round after round."""
    places = [pack(rules).index(card) for card in draws.split()]
    monkeypatch.setattr(rulebook, "draw", lambda game: places.pop(0))
    monkeypatch.setattr(rulebook, "below", lambda place, limit: place)
    dealer = plain(rulebook.draw_dealer)(np.zeros(1, records.GAME)[0], rules.kernel[0])
    assert not places
    return dealer


@pytest.mark.parametrize(
    ("draws", "rules", "dealer"),
    [
        ("KS 9D 5C", {}, 2),  # the lowest deals
        ("KS 2D 5C", {}, 1),
        ("2S 2D AC", {}, 2),  # the ace counts below the two
        ("7S AH 8C", {"pack": 32}, 1),  # and below the lowest rank of a stripped pack
        ("3S 3D 9C  KH QH", {}, 1),  # those tied for lowest draw again ...
        ("3S 9C 3D  3S 3C  AS 2S", {}, 0),  # ... from a fresh pack, until one is lowest
    ],
)
def test_R1_2_first_dealer(monkeypatch, draws, rules, dealer):
    assert dealer_drawn(monkeypatch, draws, Rules(num_players=3, **rules)) == dealer


def test_R1_2_a_card_is_drawn_once(monkeypatch):
    rules = Rules(num_players=3)
    assert dealer_drawn(monkeypatch, "5S 5S 4S 4S 3S", rules) == 2  # a card that is gone is drawn over


def test_R1_2_a_pack_of_aces_finds_a_dealer():
    env = nap_v0.raw_env(Rules(num_players=4, hand_size=1, suits=4, pack=4))
    first = set()
    for seed in range(40):
        env.reset(seed=seed)
        first.add(env.agent_selection)
    assert first == set(env.possible_agents)


def test_R1_2_a_caller_may_name_the_dealer():
    env = nap_v0.raw_env()
    for dealer in range(5):
        env.reset(seed=0, options={"dealer": dealer})
        assert env.agent_selection == f"player_{(dealer + 1) % 5}"


def test_R1_3_the_deal_moves_left_also_after_all_passed():
    table = Table(num_players=3, match={"num_hands": 5}, dealer=1)
    dealers = []
    for actions in (
        "PASS PASS PASS",
        "THREE PASS PASS",
        "PASS PASS PASS",
        "PASS MISERE PASS",
        "PASS PASS PASS",
    ):
        dealers.append(table.sees(0)["dealer"])
        assert table.seat == (dealers[-1] + 1) % 3
        table.do(actions)
        if "PASS PASS PASS" not in actions:
            table.finish_hand()
    assert dealers == [1, 2, 0, 1, 2]
    assert table.over


def test_R1_3_the_deal_skips_those_who_are_out():
    hands = ["AS KS QS JS TS", "2S AH KH QH JH", "4S 5S TH 9H 8H", "6S AD KD QD JD"]
    table = Table(hands, match={"num_hands": 9, "starting_chips": 9}, revoke="penalised", dealer=3)
    table.do("THREE PASS PASS PASS  AS AH")  # seat 1 revokes, pays 9 and is out
    assert table.result["chips"] == [18, 0, 9, 9]
    dealers = []
    for _ in range(4):
        dealers.append(table.sees(0)["dealer"])
        table.do("PASS PASS PASS")
    assert dealers == [0, 2, 3, 0]


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (lambda cards: cards[:-1], "51"),
        (lambda cards: [*cards[:-1], cards[0]], "twice"),
        (lambda cards: [*cards, cards[0]], "twice"),
        (lambda cards: [*cards[:-1], "1S"], "1S"),
    ],
)
def test_R1_4_a_misdeal_handed_in_is_refused(fault, message):
    table = Table(FIVE)
    before = table.env.state()
    with pytest.raises(DealError, match=message) as error:
        table.env.reset(options={"decks": [fault(pack(table.rules))]})
    assert "R1.4" in str(error.value)
    assert np.array_equal(table.env.state(), before)
    table.do("NAP")  # the game stands as it was


def test_R1_4_a_card_of_another_pack():
    table = Table(num_players=4, pack=32)
    with pytest.raises(DealError, match=r"2C.*R2\.1"):
        table.env.reset(options={"decks": [[*pack(table.rules)[:-1], "2C"]]})


def test_R1_4_the_same_dealer_deals_again():
    game = Game.deal(seed=1, dealer=2)
    before = game.hand(0)
    game.misdeal()
    assert game.dealer == 2
    assert game.hand(0) != before
    assert game.legal() == ["PASS", "THREE", "MISERE", "FOUR", "NAP"]


def test_R1_5_one_hand_by_default():
    table = Table(THREE)
    table.do("PASS PASS PASS")
    assert table.over
    assert table.result["hands"] == 1


@pytest.mark.parametrize(
    ("terms", "hands"), [({"num_hands": 4}, 4), ({"deals_per_dealer": 2}, 6), ({"deals_per_dealer": 1}, 3)]
)
def test_R1_5_length_of_a_match(terms, hands):
    table = Table(num_players=3, match=terms)
    for played in range(hands):
        assert not table.over
        assert table.wide("hands_left") == [hands - played]
        table.do("PASS PASS PASS")
    assert table.over
    assert table.result["hands"] == hands
    assert table.result["winners"] == [0, 1, 2]


@pytest.mark.parametrize(
    ("terms", "clause"),
    [
        ({"num_hands": 2, "deals_per_dealer": 1}, "R1.5"),
        ({"num_hands": 0}, "R1.5"),
        ({"deals_per_dealer": 0}, "R1.5"),
        ({"num_hands": -1}, "R1.5"),
        ({"num_hands": 2.0}, "R1.5"),
        ({"num_hands": True}, "R1.5"),
        ({"starting_chips": 0}, "R1.6"),
        ({"starting_chips": -5}, "R1.6"),
        ({"starting_chips": 5, "rebuys": -1}, "R1.6"),
        ({"rebuys": 1}, "R1.6"),
        ({"tie_break": 1}, "R1.8"),
    ],
)
def test_R1_5_R1_6_terms_that_cannot_be(terms, clause):
    with pytest.raises(RulesError) as error:
        nap_v0.env(**terms)
    assert f"({clause})" in str(error.value)
