"""RULES.md R11, clause by clause: the pool."""

import pytest
from at_table import FOUR, THREE, Table

LOSER = ["2S 2H 2D 2C 3C", "3S AH KH QH JH", "4S 5S AD KD QD"]  # seat 0 takes no trick


def test_R11_1_fed_by_buying_and_peeping_only():
    table = Table(FOUR, exchange="purchase", purchase_count=1, peep=True, num_players=4)
    table.do("BUY AS PASS BUY 4S PASS")
    assert table.result["pool"] == 2
    table.do("PEEP PASS PEEP PASS THREE PASS")
    assert table.result["pool"] == 4
    assert table.result["net"] == [-2, -1, -1, 0]


@pytest.mark.parametrize(("bid", "takes"), [("NAP", True), ("FOUR", False), ("THREE", False)])
def test_R11_1_it_goes_to_a_great_bid_that_is_made(bid, takes):
    table = Table(THREE, peep=True, then="2C", match={"num_hands": 2})
    table.do(f"PEEP {bid} PASS PEEP PASS PASS")
    win = {"NAP": 10, "FOUR": 4, "THREE": 3}[bid]
    assert table.finish_hand() == [2 * win + 2 * takes, -win, -win]
    assert table.result["pool"] == (0 if takes else 2)  # carries over


@pytest.mark.parametrize("bid", ["WELLINGTON", "BLUCHER"])
def test_R11_1_wellington_and_blucher_take_it_too(bid):
    hands = ["2S 3H 4H 5H 6H", "3S 4D 5D 6D 7D", "AS KS QS JS TS"]
    table = Table(hands, then="2C", peep=True, match={"num_hands": 2})
    table.do(f"PEEP {'PASS NAP' if bid == 'WELLINGTON' else 'NAP WELLINGTON'} {bid}")
    win = {"WELLINGTON": 20, "BLUCHER": 30}[bid]
    assert table.finish_hand() == [-win, -win, 2 * win + 1]


def test_R11_1_misere_does_not_take_it():
    table = Table(LOSER, then="4C", peep=True, match={"num_hands": 2})
    table.do("PEEP MISERE PASS PASS PASS 2S 3S 4S")
    assert table.finish_hand() == [6, -3, -3]
    assert table.result["pool"] == 1


def test_R11_1_a_failed_one_leaves_it_alone():
    table = Table(LOSER, then="4C", peep=True, match={"num_hands": 2})
    table.do("PEEP NAP PASS PASS PASS 2S 3S 4S")
    assert table.finish_hand() == [-10, 5, 5]
    assert table.result["pool"] == 1


def test_R11_2_shared_at_the_end_the_odd_chips_from_the_last_dealers_left():
    # Five players, dealer 2, five peeps and two chips more by purchases: 7 = 5 + 2, to seats 3 and 4.
    table = Table(num_players=5, dealer=2, peep=True, exchange="purchase", purchase_count=1)
    table.do("BUY * BUY * PASS PASS PASS")
    table.do("PEEP PASS " * 4 + "PEEP")
    assert table.result["pool"] == 7
    assert table.do("PASS") == [1, 1, 1, 2, 2]
    assert table.result["pool"] == 0
    assert table.result["net"] == [0, 0, 0, 0, 0]


def test_R11_2_fewer_chips_than_players():
    table = Table(num_players=5, dealer=4, peep=True)
    table.do("PASS PASS PEEP PASS PEEP PASS")
    assert table.do("PASS") == [1, 1, 0, 0, 0]


def test_R11_2_after_each_extra_hand_among_those_playing_it():
    # Four tie at zero. Extra hand 1: seat 1 (dealer's left) peeps, all pass; the chip goes to the left of
    # the dealer, seat 0, which is seat 1: nobody leads, and it was shared at once.
    table = Table(num_players=4, peep=True, match={"tie_break": True})
    table.do("PASS PASS PASS PASS")
    assert table.sees(0)["dealer"] == 0
    table.do("PEEP PASS PASS PASS")
    assert table.do("PASS") == [0, 1, 0, 0]
    assert table.sees(0)["extra_hand"] == 2
    table.do("PASS PEEP PASS PASS")  # dealer 1; seat 3 peeps: seat 2 gets the chip and leads
    assert table.do("PASS") == [0, 0, 1, 0]
    assert table.over
    assert table.result["winners"] == [2]
    assert table.result["net"] == [0, 0, 1, -1]


def test_R11_2_those_who_do_not_play_an_extra_hand_get_nothing():
    # Seat 0 fails a Three; the others tie, peep and all pass: a chip to each of them.
    hands = ["2S 2H 2D 2C 3C", "3S AH KH QH JH", "4S 5S AD KD QD", "AC KC QC JC TC"]
    table = Table(hands, then="4C", peep=True, match={"tie_break": True})
    table.do("THREE PASS PASS PASS")
    assert table.finish_hand() == [-9, 3, 3, 3]
    table.do("PEEP PASS PEEP PASS PEEP")
    assert table.do("PASS") == [0, 1, 1, 1]


def test_R11_2_a_dealer_who_sits_out_an_extra_hand_is_among_them():
    # The three others put in two each: 6 chips among four are one each and one more to seats 1 and 2.
    # The dealer, who paid nothing, leads by it and has won.
    table = Table(num_players=4, dealer_sits_out=True, peep=True, exchange="purchase", purchase_count=1,
                  match={"tie_break": True})  # fmt: skip
    table.do("PASS PASS PASS PASS PASS PASS")
    assert (table.sees(0)["dealer"], table.sees(0)["dealt"]) == (0, [1, 2, 3])
    table.do("BUY * BUY * BUY *  PEEP PASS PEEP PASS PEEP")
    assert table.do("PASS") == [1, 2, 2, 1]
    assert table.result["net"] == [1, 0, 0, -1]
    assert table.result["winners"] == [0]


def test_R11_2_the_last_dealer_out_of_the_match_still_counts_as_dealer():
    # Seat 2 deals, revokes and is out; the odd chip goes clockwise from his left.
    hands = ["2S AH KH QH JH", "4S 5S TH 9H 8H", "3S AC KC QC JC", "AS KS QS JS TS"]
    table = Table(hands, then="2C", dealer=2, peep=True, revoke="penalised", match={"starting_chips": 9})
    table.do("PEEP THREE PASS PASS PASS PASS AS 2S 4S")
    assert table.do("AC") == [0, 0, -9, 9 + 1]
    assert table.result["chips"] == [9, 9, 0, 18]
    assert table.sees(0)["out"] == [2]


def test_R11_3_whole_chips_that_sum_to_zero():
    table = Table(FOUR, exchange="ecarte", peep=True, sir_garnet=True, match={"num_hands": 6})
    while not table.over:
        table.do("*")
        result = table.result
        assert sum(result["net"]) + result["pool"] == 0
        assert all(type(value) is int for value in [*result["net"], result["pool"]])
