"""RULES.md R1.6 to R1.9, clause by clause: balances, the end of a match, winners, extra hands."""

from at_table import FOUR, THREE, Table


def test_R1_6_a_settlement_is_paid_in_full():
    table = Table(FOUR, match={"num_hands": 5, "starting_chips": 4})
    table.do("NAP PASS PASS PASS")
    assert table.finish_hand() == [30, -10, -10, -10]
    assert table.result["chips"] == [34, -6, -6, -6]
    assert table.over  # fewer than two are left
    assert table.result["winners"] == [0]


def test_R1_6_at_zero_is_out():
    hands = ["AS KS QS JS TS", "2S AH KH QH JH", "4S 5S TH 9H 8H"]
    table = Table(hands, match={"num_hands": 5, "starting_chips": 6}, revoke="penalised")
    table.do("THREE PASS PASS  AS AH")  # he alone pays 6
    assert table.result["chips"] == [12, 0, 6]
    assert table.sees(0)["out"] == [1]
    assert table.sees(0)["in_hand"] == [0, 2]
    assert not table.over


def test_R1_6_a_rebuy_adds_the_starting_chips_once():
    hands = ["AS KS QS JS TS", "2S AH KH QH JH", "4S 5S TH 9H 8H"]
    match = {"num_hands": 5, "starting_chips": 4, "rebuys": 2}
    table = Table(hands, match=match, revoke="penalised")
    rewards = table.do("NAP PASS PASS  AS AH")
    assert rewards == [20, -20, 0]  # a re-buy is no reward
    assert table.result["chips"] == [24, 4 - 20 + 4, 4]  # still below zero, and still in
    assert table.result["net"] == [20, -20, 0]
    assert table.sees(0)["out"] == []
    assert table.sees(1)["rebuys"] == [1, 2, 2]
    table.do("PASS PASS PASS")  # the question comes up again
    assert table.result["chips"] == [24, -8, 4]
    assert table.sees(0)["out"] == []
    assert table.sees(1)["rebuys"] == [0, 2, 2]
    table.do("PASS PASS PASS")  # nothing left to re-buy with
    assert table.result["chips"] == [24, -8, 4]
    assert table.sees(0)["out"] == [1]


def test_R1_6_the_question_comes_up_after_the_last_hand_too():
    hands = ["AS KS QS JS TS", "2S AH KH QH JH", "4S 5S TH 9H 8H"]
    match = {"num_hands": 1, "starting_chips": 4, "rebuys": 1}
    table = Table(hands, match=match, revoke="penalised")
    table.do("NAP PASS PASS  AS AH")
    assert table.over
    assert table.result["chips"] == [24, -12, 4]


def test_R1_6_without_chips_everything_can_be_afforded():
    table = Table(num_players=2, exchange="ecarte", peep=True, match={"num_hands": 40})
    assert table.result["chips"] is None
    for _ in range(39):
        for _ in range(2):
            assert len(table.legal) == 6
            table.do("* * * * *")
        assert "PEEP" in table.legal
        table.do("PEEP PASS PEEP PASS")
    assert table.result["net"] == [-39 * 6, -39 * 6]
    assert table.sees(0)["out"] == []


def test_R1_7_ends_when_fewer_than_two_are_left():
    table = Table(THREE, match={"num_hands": 9, "starting_chips": 3})
    table.do("THREE PASS PASS")
    table.finish_hand()
    assert table.over
    assert table.result == {
        "net": [6, -3, -3], "chips": [9, 0, 0], "pool": 0, "winners": [0], "hands": 1, "hand_winners": [0],
    }  # fmt: skip


def test_R1_7_nobody_is_left():
    # Each puts his only chip into the pool and all pass: all three stand at zero and are out, so the three
    # who played the hand count as still in and share the pool.
    table = Table(num_players=3, exchange="purchase", purchase_count=1, match={"num_hands": 9, "starting_chips": 1})
    table.do("BUY * BUY * BUY *")
    assert table.result["chips"] == [0, 0, 0]
    assert table.do("PASS PASS PASS") == [1, 1, 1]
    assert table.over
    assert table.result["winners"] == [0, 1, 2]
    assert (table.result["net"], table.result["pool"]) == ([0, 0, 0], 0)


def test_R1_8_the_winner_has_the_highest_net_and_rebuys_do_not_count():
    # Seat 1 loses 20, re-buys 100: his balance is the highest, his net the lowest.
    hands = ["AS KS QS JS TS", "2S AH KH QH JH", "4S 5S TH 9H 8H"]
    match = {"num_hands": 1, "starting_chips": 20, "rebuys": 1}
    table = Table(hands, match=match, revoke="penalised")
    table.do("NAP PASS PASS  AS AH")
    assert table.result["chips"] == [40, 20, 20]
    assert table.result["winners"] == [0]


def test_R1_8_a_tie_is_shared_by_default():
    table = Table(THREE)
    table.do("PASS PASS PASS")
    assert table.over
    assert table.result["winners"] == [0, 1, 2]


def test_R1_8_one_who_is_out_cannot_win():
    # Seat 1 falls out in the first hand at -6. Then seat 2 loses so much that his net is below seat 1's,
    # but he is in, by a re-buy: among those in, seat 0 leads; seat 1 is not asked.
    hands = ["AS KS QS JS TS", "2S AH KH QH JH", "4S 5S TH 9H 8H"]
    table = Table(hands, match={"num_hands": 2, "starting_chips": 6}, revoke="penalised")
    table.do("THREE PASS PASS  AS AH  PASS PASS")
    assert table.over
    assert table.result["net"] == [6, -6, 0]
    assert table.result["winners"] == [0]


def test_R1_8_extra_hands_among_those_tied():
    # Seat 0 fails a Three: the other three lead with +3 each and play on; seat 0 neither plays nor pays.
    loser = ["2S 2H 2D 2C 3C", "3S AH KH QH JH", "4S 5S AD KD QD", "AC KC QC JC TC"]
    winner = ["", "AS KS QS JS TS", "2S AH KH QH JH", "3S AD KD QD JD"]
    table = Table(loser, match={"tie_break": True}, more=((winner, 0),))
    table.do("THREE PASS PASS PASS")
    assert table.finish_hand() == [-9, 3, 3, 3]
    assert not table.over
    assert table.sees(0)["in_hand"] == [1, 2, 3]
    assert table.sees(0)["extra_hand"] == 1
    assert (table.sees(0)["dealer"], table.seat) == (1, 2)  # the deal goes on round the table
    table.do("PASS PASS")
    assert table.seat == 1
    table.do("PASS")
    assert table.sees(1)["extra_hand"] == 2  # nobody leads yet
    assert table.sees(0)["dealer"] == 2


def test_R1_8_an_extra_hand_decides():
    loser = ["2S 2H 2D 2C 3C", "3S AH KH QH JH", "4S 5S AD KD QD", "AC KC QC JC TC"]
    winner = ["", "2S AH KH QH JH", "AS KS QS JS TS", "3S AD KD QD JD"]
    table = Table(loser, match={"tie_break": True}, more=((winner, 1),))
    table.do("THREE PASS PASS PASS")
    table.finish_hand()
    table.do("FOUR PASS PASS")
    assert table.finish_hand() == [0, -4, 8, -4]
    assert table.over
    assert table.result["winners"] == [2]
    assert table.result["hands"] == 2


def test_R1_8_who_no_longer_shares_the_lead_drops_out():
    # In the extra hand of 1, 2 and 3 seat 2 fails a Three: 1 and 3 lead and play the next hand alone.
    loser = ["2S 2H 2D 2C 3C", "3S AH KH QH JH", "4S 5S AD KD QD", "AC KC QC JC TC"]
    again = ["", "3S AH KH QH JH", "2S 2H 2D 2C 3C", "AS AD KD QD JD"]
    table = Table(loser, match={"tie_break": True}, more=((again, 1),))
    table.do("THREE PASS PASS PASS")
    table.finish_hand()
    table.do("THREE PASS PASS")
    assert table.finish_hand() == [0, 3, -6, 3]
    assert table.sees(0)["in_hand"] == [1, 3]
    assert table.sees(0)["extra_hand"] == 2
    assert (table.sees(0)["dealer"], table.seat) == (3, 1)  # left of seat 1, skipping 2


def test_R1_8_ten_extra_hands_at_most():
    table = Table(num_players=2, match={"tie_break": True})
    for hand in range(11):
        assert table.sees(0)["extra_hand"] == hand
        table.do("PASS PASS")
    assert table.over
    assert table.result["hands"] == 11
    assert table.result["winners"] == [0, 1]


def test_R1_8_nobody_goes_out_or_rebuys_during_extra_hands():
    # All have 2 chips; the extra hands' Three is lost by seat 0, who then stands at -1 and re-buys nothing.
    loser = ["2S 2H 2D 2C 3C", "3S AH KH QH JH", "4S 5S AD KD QD"]
    match = {"tie_break": True, "starting_chips": 2, "rebuys": 1}
    table = Table(["2S 3S 4S 5S 6S", "2H 3H 4H 5H 6H", "2D 3D 4D 5D 6D"], match=match, more=((loser, 0),))
    table.do("PASS PASS PASS")
    assert table.seat == 1
    table.do("PASS PASS THREE")
    assert table.finish_hand() == [-6, 3, 3]
    assert table.result["chips"] == [-4, 5, 5]
    assert table.sees(0)["rebuys"] == [1, 1, 1]
    assert table.sees(0)["out"] == []
    assert table.sees(0)["in_hand"] == [1, 2]


def test_R1_8_chips_in_hand_are_needed_during_extra_hands():
    table = Table(num_players=2, exchange="purchase", purchase_count=1, peep=True,
                  match={"tie_break": True, "starting_chips": 1})  # fmt: skip
    table.do("PASS PASS PASS PASS")
    assert table.sees(0)["extra_hand"] == 1
    buyer = table.seat
    table.do("BUY * PASS")
    assert table.seat == buyer
    assert "PEEP" not in table.legal
    assert "R1.6" in table.refuses("PEEP")


def test_R1_9_settlement_then_pool_then_eliminations():
    # Seat 0 has one chip left of three when he makes Nap; he gets 5 x 2 and the pool of 3 in one.
    table = Table(THREE, exchange="purchase", purchase_count=1, match={"num_hands": 9, "starting_chips": 3})
    table.do("PASS BUY 2S BUY 4S")
    assert table.result["pool"] == 2
    table.do("NAP PASS PASS")
    assert table.finish_hand() == [20 + 2, -10, -10]
    assert table.result["chips"] == [25, -8, -8]
    assert table.over  # the others are out


def test_R1_9_the_pool_is_shared_after_the_eliminations():
    # Last hand: seat 1 revokes against a Three and is out; the pool of 1 he paid goes to the two still in.
    hands = ["AS KS QS JS TS", "2S AH KH QH JH", "4S 5S TH 9H 8H"]
    table = Table(hands, then="2C 3C 4C", exchange="purchase", purchase_count=1, revoke="penalised",
                  match={"starting_chips": 6})  # fmt: skip
    table.do("PASS BUY JH BUY 8H  THREE PASS PASS  AS")
    assert table.do("AH") == [6 + 1, -6, 1]  # R11.2: one chip each to seats 0 and 2
    assert table.result["chips"] == [13, -1, 6]
    assert table.result["winners"] == [0]
