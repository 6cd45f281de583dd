"""RULES.md R4, clause by clause: the play."""

import pytest
from at_table import FIVE, THREE, Table, names

from nap_env import Rules, RulesError

# Seat 0 loses each trick he leads to.
LOSER = ["2S 2H 2D 2C 3C", "3S AH KH QH JH", "4S 5S AD KD QD"]


def test_R4_1_the_declarer_leads_any_card_and_its_suit_is_trumps():
    table = Table(FIVE)
    table.do("PASS THREE PASS PASS PASS")
    assert table.seat == 1
    assert table.legal == names(FIVE[1])
    assert table.sees(0)["trump"] is None
    table.do("2S")
    assert table.sees(0)["trump"] == "S"
    assert "R4" in table.refuses("PASS")


def test_R4_1_no_trumps_in_misere():
    # Hearts are led; seat 2 has none and throws spades. Then spades are led: hearts win nothing.
    hands = ["2H 3S 4S 5S 6S", "3H 2D 3D 4D 5D", "7S 8S 9S TS JS"]
    table = Table(hands)
    table.do("MISERE PASS PASS 2H 3H 7S")
    assert table.sees(0)["trump"] is None
    assert table.sees(0)["won"] == [0, 1, 0]


@pytest.mark.parametrize(("option", "trump", "won"), [(True, "H", [0, 1, 1]), (False, None, [0, 0, 2])])
def test_R4_1_misere_trump(option, trump, won):
    # Seat 2 takes the heart trick and leads a spade; seat 1 has none and plays his last heart.
    hands = ["2H 3S 4S 5S 6S", "3H 4H 2D 3D 4D", "KH 7S 9S TS JS"]
    table = Table(hands, misere_trump=option)
    table.do("MISERE PASS PASS 2H 3H KH 7S 3S 4H")
    assert table.sees(0)["trump"] == trump
    assert table.sees(0)["won"] == won


def test_R4_2_follow_suit():
    table = Table(FIVE)
    table.do("THREE PASS PASS PASS PASS AS")
    assert table.legal == names("2S 3S")
    sentence = table.refuses("AH")
    assert "spades" in sentence
    assert "R4.2" in sentence


def test_R4_2_otherwise_any_card_and_no_duty_to_head():
    hands = ["2S AD KD QD JD", "3S AS 2H 3H 4H", "5H 6H 7C 8C KC"]
    table = Table(hands)
    table.do("THREE PASS PASS 2S")
    assert table.legal == names("3S AS")  # may play under or over
    table.do("3S")
    assert table.legal == names(hands[2])


def test_R4_2_only_held_cards():
    table = Table(FIVE)
    table.do("THREE PASS PASS PASS PASS")
    assert "hold" in table.refuses("2S")
    table.do("AS 2S 4S 6S 7S")
    assert "hold" in table.refuses("AS")


def test_R4_3_the_highest_trump_wins():
    hands = ["9S AD 2D 3D 4D", "TS JD KD 5D 6D", "2S 3S 2C 3C 4C"]
    table = Table(hands)
    table.do("THREE PASS PASS 9S TS 2S")
    assert table.seat == 1
    table.do("KD 3S AD")  # the three of trumps beats the ace of the suit led
    assert table.seat == 2
    assert table.sees(0)["won"] == [0, 1, 1]


def test_R4_3_without_a_trump_the_highest_of_the_suit_led():
    hands = ["AS 2D 2H 3H 4H", "2S 9D 5H 6H 7H", "3S AC KC QC 4D"]
    table = Table(hands)
    table.do("THREE PASS PASS AS 2S 3S 2D 9D 4D")
    assert (table.seat, table.sees(0)["won"]) == (1, [1, 1, 0])
    table.do("5H AC 2H")  # the ace of clubs was neither led nor trumps
    assert (table.seat, table.sees(0)["won"]) == (1, [1, 2, 0])


def test_R4_4_all_tricks_are_played():
    table = Table(THREE)
    table.do("THREE PASS PASS AS * * KS * * QS * *")
    assert not table.over  # the bid is made
    table.do("* * * * *")
    assert not table.over
    table.do("*")
    assert table.over


def test_R4_4_stop_when_made():
    table = Table(THREE, stop_when_decided=True)
    table.do("THREE PASS PASS AS 2S 4S KS 3S 5S QS AH")
    assert not table.over
    assert table.do("9H") == [6, -3, -3]
    assert table.over


def test_R4_4_stop_when_it_cannot_be_made():
    table = Table(LOSER, stop_when_decided=True)
    table.do("NAP PASS PASS 2S 3S")
    assert not table.over  # after a trick, not within one
    assert table.do("4S") == [-10, 5, 5]
    assert table.over
    table = Table(LOSER, stop_when_decided=True)
    table.do("THREE PASS PASS 2S 3S 4S AD 2D JH")
    assert not table.over  # two lost, three left: a Three can still be made
    assert table.do("KD 3C QH") == [-6, 3, 3]
    assert table.over


def test_R4_4_stop_when_a_misere_takes_a_trick():
    hands = ["AS 2H 3H 4H 5H", "2S AD KD QD JD", "3S AC KC QC JC"]
    table = Table(hands, stop_when_decided=True)
    table.do("MISERE PASS PASS AS 2S")
    assert table.do("3S") == [-6, 3, 3]
    assert table.over


def test_R4_4_a_misere_is_decided_by_its_last_trick_only():
    hands = ["2S 2H 2D 2C 3C", "3S AH KH QH JH", "4S AD KD QD 4C"]
    table = Table(hands, stop_when_decided=True)
    table.do("MISERE PASS PASS")
    assert table.finish_hand() == [6, -3, -3]
    assert sum(table.sees(0)["won"]) == 5


def test_R4_4_refused_with_penalised_revokes():
    with pytest.raises(RulesError, match=r"R4\.4"):
        Rules(stop_when_decided=True, revoke="penalised")


def test_R4_5_wellington_lowest_lead():
    hands = ["2C 3C 4C 5C 6C", "7C 8C 9C TC JC", "AS 9S 4S KH 2H"]
    table = Table(hands, wellington_lowest_lead=True)
    table.do("NAP PASS WELLINGTON")
    assert table.legal == names("4S 2H")
    assert "R4.5" in table.refuses("AS")
    table.do("4S 2C 7C")
    assert table.legal == names("AS 9S KH 2H")  # the first card only


def test_R4_5_off_and_other_bids():
    hands = ["2C 3C 4C 5C 6C", "7C 8C 9C TC JC", "AS 9S 4S KH 2H"]
    table = Table(hands)
    table.do("NAP PASS WELLINGTON")
    assert table.legal == names(hands[2])
    for auction in ("PASS PASS NAP", "NAP WELLINGTON BLUCHER"):
        table = Table(hands, wellington_lowest_lead=True)
        table.do(auction)
        assert table.legal == names(hands[2])


def test_R4_6_all_played_cards_stay_public_to_the_end():
    table = Table(FIVE)
    table.do("THREE PASS PASS PASS PASS AS 2S 4S 6S 7S KS 3S 5S QD JC QS KH")
    tricks = [
        {"leader": 0, "cards": {0: "AS", 1: "2S", 2: "4S", 3: "6S", 4: "7S"}},
        {"leader": 0, "cards": {0: "KS", 1: "3S", 2: "5S", 3: "QD", 4: "JC"}},
        {"leader": 0, "cards": {0: "QS", 1: "KH"}},
    ]
    for viewer in range(5):
        seen = [
            {
                "leader": (trick["leader"] + viewer) % 5,
                "cards": {(seat + viewer) % 5: card for seat, card in trick["cards"].items()},
            }
            for trick in table.sees(viewer)["tricks"]
        ]
        assert seen == tricks
    table.finish_hand()
    assert sum(len(trick["cards"]) for trick in table.sees(3)["tricks"]) == 25
