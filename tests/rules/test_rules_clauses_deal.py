"""RULES.md R2, clause by clause: pack and deal."""

import itertools

import numpy as np
import pytest
from at_table import FIVE, FOUR, Table, deck, holds, pack, plain

from nap_env import Rules, RulesError, nap_v0
from nap_env.cards import card_id, card_name
from nap_env.engine import chance, records


@pytest.mark.parametrize(("size", "lowest"), [(52, "2"), (40, "5"), (36, "6"), (32, "7"), (28, "8"), (24, "9")])
def test_R2_1_packs(size, lowest):
    table = Table(num_players=4, pack=size)
    cards = set().union(*(table.hand(seat) for seat in range(4)), table.stub)
    assert len(cards) == size
    ranks = "23456789TJQKA"
    assert {card[0] for card in cards} == set(ranks[ranks.index(lowest) :])


def test_R2_1_other_packs_are_refused():
    for size in (0, 20, 44, 48, 51, 53, -52):
        with pytest.raises(RulesError, match=r"R2\.1"):
            Rules(pack=size)


def test_R2_1_rank():
    for better, worse in itertools.pairwise("A K Q J T 9 8 7 6 5 4 3 2".split()):
        for suit in "CDHS":
            assert card_id(better + suit) == card_id(worse + suit) + 1
    assert card_name(12) == "AC"


@pytest.mark.parametrize(("cut", "on_top"), [(0, 4), (44, 48)])
def test_R2_2_at_least_four_cards_in_each_packet(monkeypatch, cut, on_top):
    # Without a shuffle (each card stays where it is) the cut alone shows: `on_top` cards came from below.
    limits = []

    def below(word, limit):
        limits.append(limit)
        return cut if len(limits) == 1 else limit - 1

    monkeypatch.setattr(chance, "below", below)
    order = np.zeros(52, np.int8)
    assert plain(chance.shuffle)(np.zeros(1, records.GAME)[0], Rules().kernel[0], order) == 52
    assert limits[0] == 45  # 4 .. 48 cards
    assert order.tolist() == [*range(52 - on_top, 52), *range(52 - on_top)]


def test_R2_3_three_and_two_from_the_dealers_left():
    cards = pack(Rules())
    table = Table(decks=[cards], num_players=3, dealer=0)
    # Seats 1, 2, 0: three each from the top, then two each.
    assert holds(table, 1, " ".join(cards[0:3] + cards[9:11]))
    assert holds(table, 2, " ".join(cards[3:6] + cards[11:13]))
    assert holds(table, 0, " ".join(cards[6:9] + cards[13:15]))
    assert table.stub == cards[15:]


def test_R2_3_seven_cards_three_two_two():
    cards = pack(Rules())
    table = Table(decks=[cards], num_players=2, hand_size=7, dealer=1)
    assert holds(table, 0, " ".join(cards[0:3] + cards[6:8] + cards[10:12]))
    assert holds(table, 1, " ".join(cards[3:6] + cards[8:10] + cards[12:14]))


def test_R2_4_peep_card_then_spare_hand_then_stub():
    cards = pack(Rules())
    table = Table(decks=[cards], num_players=3, peep=True, sir_garnet=True)
    assert [card_name(c) for c in np.flatnonzero(table.state("face_down"))] == [cards[15]]
    assert [card_name(c) for c in np.flatnonzero(table.state("spare"))] == cards[16:21]
    assert table.stub == cards[21:]


def test_R2_4_the_spare_hand_alone():
    cards = pack(Rules())
    table = Table(decks=[cards], num_players=3, sir_garnet=True)
    assert [card_name(c) for c in np.flatnonzero(table.state("spare"))] == cards[15:20]
    assert table.stub == cards[20:]


def test_R2_5_the_dealer_sits_out_but_pays_and_receives():
    hands = [*FOUR, ""]
    table = Table(hands, dealer_sits_out=True)
    assert table.hand(4) == set()
    assert table.sees(4)["in_hand"] == [0, 1, 2, 3, 4]
    assert table.sees(4)["dealt"] == [1, 2, 3, 4]  # relative to seat 4
    table.do("NAP PASS PASS PASS")
    assert table.seat == 0  # no turn for the dealer
    assert table.finish_hand() == [40, -10, -10, -10, -10]


def test_R2_5_the_dealer_receives():
    hands = ["2S 2H 2D 2C 3C", "3S AH KH QH JH", "4S 5S AD KD QD", ""]
    table = Table(hands, dealer_sits_out=True)
    table.do("NAP PASS PASS")
    assert table.finish_hand() == [-15, 5, 5, 5]


def test_R2_5_from_four_in_the_hand_only():
    # Seat 1 is out after the first hand: three are left, so the dealer gets cards again.
    hands = ["AS KS QS JS TS", "2S AH KH QH JH", "4S 5S TH 9H 8H", ""]
    table = Table(hands, dealer_sits_out=True, revoke="penalised", match={"num_hands": 2, "starting_chips": 9})
    table.do("THREE PASS PASS  AS")
    assert table.do("AH") == [9, -9, 0, 0]
    assert table.sees(0)["dealer"] == 0
    assert table.sees(0)["dealt"] == [0, 2, 3]


def test_R2_5_refused_below_four():
    for n in (2, 3):
        with pytest.raises(RulesError, match=r"R2\.5"):
            Rules(num_players=n, dealer_sits_out=True)


@pytest.mark.parametrize(
    ("fits", "too_many"),
    [
        ({"num_players": 5, "pack": 28}, {"num_players": 6, "pack": 28}),  # 25, 30
        ({"num_players": 5, "pack": 28, "peep": True}, {"num_players": 5, "pack": 24}),  # 26, 25
        ({"num_players": 6, "pack": 36, "sir_garnet": True},  # 35
         {"num_players": 6, "pack": 36, "sir_garnet": True, "exchange": "purchase"}),  # 47
        ({"num_players": 7, "exchange": "purchase"},  # 49
         {"num_players": 7, "exchange": "purchase", "purchase_count": 3}),  # 56
        ({"num_players": 4, "exchange": "ecarte", "pack": 40},  # 40
         {"num_players": 4, "exchange": "ecarte", "pack": 40, "peep": True}),  # 41
        ({"num_players": 7, "hand_size": 7}, {"num_players": 6, "hand_size": 7, "pack": 40}),  # 49, 42
        ({"num_players": 6, "pack": 28, "dealer_sits_out": True},  # 25
         {"num_players": 7, "pack": 28, "dealer_sits_out": True}),  # 30
        ({"num_players": 4, "exchange": "ecarte"}, {"num_players": 5, "exchange": "ecarte"}),  # four at most
        ({"num_players": 4, "exchange": "ecarte", "dealer_sits_out": True},
         {"num_players": 5, "exchange": "ecarte", "dealer_sits_out": True}),
        ({"num_players": 2, "hand_size": 3, "suits": 2, "pack": 6},  # 6
         {"num_players": 3, "hand_size": 3, "suits": 2, "pack": 8}),  # 9
    ],
)  # fmt: skip
def test_R2_6_the_cards_must_suffice(fits, too_many):
    Rules(**fits)
    with pytest.raises(RulesError, match=r"R2\.6"):
        Rules(**too_many)
    if "hand_size" not in fits:
        with pytest.raises(RulesError):
            nap_v0.env(Rules(**too_many))


@pytest.mark.parametrize("count", [0, 6, -1])
def test_R2_6_purchases_of_one_to_five(count):
    with pytest.raises(RulesError, match=r"R2\.6"):
        Rules(num_players=3, exchange="purchase", purchase_count=count)


def test_every_helper_deck_is_a_pack():
    assert sorted(deck(FIVE, 2, Rules(), then="2C")) == sorted(pack(Rules()))
