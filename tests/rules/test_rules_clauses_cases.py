"""RULES.md R13: the cases to get right, with their exact numbers."""

import pytest
from at_table import FIVE, Table, names


def test_R13_1_bids():
    table = Table(FIVE, peep=True)
    table.do("FOUR")
    assert "R3.2" in table.refuses("FOUR")  # an equal bid
    assert "R3.3" in table.refuses("WELLINGTON")  # over Four
    table.do("NAP")
    assert "R3.3" in table.refuses("BLUCHER")  # over Nap
    table.do("WELLINGTON BLUCHER")
    assert table.legal == names("PASS PEEP")  # nobody can bid any more, PEEP remains


@pytest.mark.parametrize("n", [3, 4, 5])
def test_R13_2_three_bid_five_taken(n):
    table = Table(FIVE[:n])
    table.do("THREE" + " PASS" * (n - 1))
    assert table.finish_hand() == [3 * (n - 1)] + [-3] * (n - 1)
    assert table.sees(0)["won"][0] == 5


def test_R13_2_three_bid_no_trick():
    table = Table(["3C 4D 5H AS KS", "4C 5D 6H QS JS", "2C 2D 2H 2S 3S"])
    table.do("PASS PASS THREE")
    assert table.finish_hand() == [3, 3, -6]
    assert table.sees(2)["won"][0] == 0


def test_R13_3_misere_leading_a_two_that_nobody_holds():
    hands = ["2C 2D 2H 2S 3S", "4D 5D 4H 5H 4S", "6D 7D 6H 7H 5S"]
    table = Table(hands)
    table.do("MISERE PASS PASS 2C 4D")
    table.do("6D")
    assert table.sees(0)["won"] == [1, 0, 0]  # he wins the trick
    assert table.seat == 0
    assert table.finish_hand() == [-6, 3, 3]  # and has lost


def test_R13_4_void_and_holding_trumps_a_discard_is_legal():
    hands = ["9S 2D 3D 4D 5D", "TS JS 2H 3H 4H", "AS AD 5H 6H 7H"]
    table = Table(hands)
    table.do("THREE PASS PASS 9S TS AS AD 2D")
    assert table.legal == names("JS 2H 3H 4H")


@pytest.mark.parametrize(("bid", "pays"), [("NAP", 40), ("MISERE", 12)])
def test_R13_5_a_payer_revokes_among_five(bid, pays):
    table = Table(FIVE, revoke="penalised")
    table.do(f"{bid} PASS PASS PASS PASS AS")
    assert table.do("AH") == [pays, -pays, 0, 0, 0]  # he holds spades
    assert table.over


def test_R13_6_the_declarer_revokes_on_nap():
    # "Holding four tricks" cannot be reached with five cards: a leader cannot revoke, so he has lost a trick
    # before, and the last card is no revoke. Two tricks are the most; the figure is the same (R6.2).
    hands = ["AS KS 3D 2H 6H", "2S 3S 4S AH 4D", "5S 6S 7S 3H 5D", "8S 9S TS 4H 6D", "2C 3C 4C 5H 7D"]
    table = Table(hands, revoke="penalised")
    table.do("NAP PASS PASS PASS PASS AS 2S 5S 8S 2C KS 3S 6S 9S 3C 2H AH 3H 4H 5H 4D 5D 6D 7D")
    assert table.sees(0)["won"][0] == 2
    assert table.do("6H") == [-20, 5, 5, 5, 5]  # he holds the three of diamonds


def test_R13_6_four_tricks_in_seven_cards():
    # Seven-card Nap asks for five: with four in he loses one, and revokes on the next.
    hands = ["AS KS QS JS 2H 3H 2D", "2S 3S 4S 5S AH KD 4D", "6S 7S 8S 9S KH QD 3D"]
    table = Table(hands, revoke="penalised", hand_size=7)
    table.do("NAP PASS PASS AS 2S 6S KS 3S 7S QS 4S 8S JS 5S 9S")
    assert table.sees(0)["won"][0] == 4
    table.do("2H AH KH KD QD")
    assert table.do("3H") == [-10, 5, 5]


SIX = ["AS KS QS JS TS", "2S AH KH QH JH", "4S 5S TH 9H 8H", "6S AD KD QD JD", "7S AC KC QC JC", ""]


def test_R13_7_six_at_the_table_nap_made():
    table = Table(SIX, dealer_sits_out=True)
    table.do("NAP PASS PASS PASS PASS")
    assert table.finish_hand() == [50, -10, -10, -10, -10, -10]


def test_R13_7_six_at_the_table_nap_failed():
    hands = ["3C 4D 5H AS KS", "4C 5D 6H QS JS", "2C 2D 2H 2S 3S", "4S 5S 6S 7S 8S", "6C 7C 8C 9C TC", ""]
    table = Table(hands, dealer_sits_out=True)
    table.do("PASS PASS NAP PASS PASS")
    assert table.finish_hand() == [5, 5, -25, 5, 5, 5]


def test_R13_7_six_at_the_table_a_payers_revoke():
    table = Table(SIX, dealer_sits_out=True, revoke="penalised")
    table.do("NAP PASS PASS PASS PASS AS")
    assert table.do("AH") == [50, -50, 0, 0, 0, 0]


def test_R13_8_no_swap_for_a_declarer_who_did_not_peep():
    table = Table(FIVE, peep=True)
    table.do("NAP PEEP PASS PASS PASS PASS")
    assert table.sees(0)["phase"] == "PLAY"
    assert table.legal == names(FIVE[0])


def test_R13_8_no_spare_hand_once_nap_has_been_bid():
    table = Table(FIVE, sir_garnet=True)
    table.do("NAP")
    assert table.legal == names("PASS WELLINGTON")
    assert "R9.1" in table.refuses("GARNET")
    table.do("WELLINGTON")
    assert "R9.1" in table.refuses("GARNET")


def test_R13_9_seven_card_ladder():
    table = Table(num_players=4, hand_size=7)
    table.do("NAP")
    assert "MISERE" in table.legal
    table.do("MISERE")
    assert "R3.2" in table.refuses("NAP")
    assert "SIX" in table.legal


def test_R13_10_the_lowest_lead_of_wellington():
    hands = ["AC KC QC JC TC", "9C 8C 7C 6C 5C", "AS 9S 4S KH 2H"]
    table = Table(hands, wellington_lowest_lead=True)
    table.do("NAP PASS WELLINGTON")
    assert table.legal == names("4S 2H")
