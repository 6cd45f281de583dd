"""RULES.md R3, clause by clause: the auction."""

import pytest
from at_table import FIVE, Table, names

from nap_env import Rules, RulesError
from nap_env.rules import FIVE_CARD

BIDS = "THREE MISERE FOUR NAP WELLINGTON BLUCHER"


def test_R3_1_each_once_from_the_dealers_left_dealer_last():
    table = Table(FIVE, dealer=2)
    turns = []
    for action in ("PASS", "THREE", "PASS", "FOUR", "PASS"):
        turns.append(table.seat)
        table.do(action)
    assert turns == [3, 4, 0, 1, 2]
    assert table.sees(0)["phase"] == "PLAY"
    assert (table.seat, table.sees(0)["contract"], table.sees(0)["declarer"]) == (1, "FOUR", 1)
    assert table.sees(3)["bids"] == {0: "PASS", 1: "THREE", 2: "PASS", 3: "FOUR", 4: "PASS"}


def test_R3_1_everyone_gets_his_turn_when_passing_is_all_he_can_do():
    table = Table(FIVE)
    table.do("NAP WELLINGTON BLUCHER")
    for seat in (3, 4):
        assert (table.seat, table.legal) == (seat, {"PASS"})
        table.do("PASS")
    assert (table.seat, table.sees(0)["phase"]) == (2, "PLAY")


@pytest.mark.parametrize(
    ("standing", "legal"),
    [
        ("", "THREE MISERE FOUR NAP"),
        ("THREE", "MISERE FOUR NAP"),
        ("MISERE", "FOUR NAP"),
        ("FOUR", "NAP"),
        ("NAP", "WELLINGTON"),
        ("NAP WELLINGTON", "BLUCHER"),
        ("NAP WELLINGTON BLUCHER", ""),
    ],
)
def test_R3_2_R3_3_ladder(standing, legal):
    table = Table(FIVE)
    table.do(standing)
    assert table.legal == names(legal) | {"PASS"}
    for bid in names(BIDS) - table.legal:
        assert "R3." in table.refuses(bid)


def test_R3_2_a_lower_bid_names_the_clause():
    table = Table(FIVE)
    table.do("FOUR")
    assert "R3.2" in table.refuses("MISERE")
    assert "R3.2" in table.refuses("FOUR")


def test_R3_3_names_the_clause():
    table = Table(FIVE)
    for standing in ("", "THREE", "FOUR"):
        table.do(standing)
        assert "R3.3" in table.refuses("WELLINGTON")
        assert "R3.3" in table.refuses("BLUCHER")
    table.do("NAP")
    assert "R3.3" in table.refuses("BLUCHER")


def test_R3_4_all_pass():
    table = Table(FIVE, match={"num_hands": 2})
    assert table.do("PASS PASS PASS PASS PASS") == [0, 0, 0, 0, 0]
    assert table.result["hands"] == 1
    assert table.result["hand_winners"] == []
    assert table.sees(0)["dealer"] == 0  # R1.3


@pytest.mark.parametrize(("bid", "asked"), [("THREE", 3), ("FOUR", 4), ("NAP", 5), ("MISERE", 0)])
@pytest.mark.parametrize("won", range(6))
def test_R3_5_tricks_asked(bid, asked, won):
    # Seat 0 holds the `won` highest spades and clubs so low that all else is lost: with spades led first
    # (or, with none, clubs), he takes just `won` tricks of five.
    top = "AS KS QS JS TS".split()[:won]
    low = "2C 3C 4C 5C 6C".split()[: 5 - won]
    clubs = "AC KC QC JC TC".split()[: 5 - won]
    others = "9S 8S 7S 6S 5S".split()[:won]
    hands = [" ".join(top + low), " ".join(others + clubs), "AD KD QD JD TD"]
    table = Table(hands)
    table.do(f"{bid} PASS PASS")
    if not won:
        table.do("2C")
    while not table.over:
        mine = [card for card in (*top, *low) if card in table.legal]
        table.do(mine[0] if table.seat == 0 and mine else "*")
    assert table.sees(0)["won"][0] == won
    made = won == 0 if bid == "MISERE" else won >= asked
    assert (table.result["net"][0] > 0) == made
    assert table.result["hand_winners"] == ([0] if made else [1, 2])


@pytest.mark.parametrize("bid", ["WELLINGTON", "BLUCHER"])
def test_R3_5_all_five(bid):
    hands = ["2S 3H 4H 5H 6H", "3S 4D 5D 6D 7D", "AS KS QS JS TS"]
    below = "NAP WELLINGTON" if bid == "BLUCHER" else "PASS NAP"
    table = Table(hands)
    table.do(f"{below} {bid} AS")
    assert table.finish_hand()[2] > 0
    hands[2] = "AS KS QS JS 2D"  # four of five
    table = Table(hands)
    table.do(f"{below} {bid} AS * * KS * * QS * * JS * *")
    assert table.finish_hand()[2] < 0


@pytest.mark.parametrize(
    ("ladder", "extra"),
    [
        ([], {}),
        (["WELLINGTON"], {}),
        (["THREE", "WELLINGTON", "BLUCHER"], {}),
        (["NAP", "BLUCHER"], {}),
        (["THREE", "FOUR"], {"sir_garnet": True}),
        (["THREE", "SIX"], {}),
        (["SEVEN"], {}),
        (["FIVE"], {}),
        (["three"], {}),
        ([3], {}),
        ("NAP", {}),
        (["THREE", "THREE"], {}),
        (["THREE"], {"hand_size": 2, "num_players": 2}),
        (["FOUR"], {"hand_size": 1, "num_players": 2}),
    ],
)
def test_R3_6_ladders_refused(ladder, extra):
    with pytest.raises(RulesError, match=r"R3\.6"):
        Rules(ladder=ladder, **extra)


def test_R3_6_a_ladder_is_put_in_order():
    rules = Rules(ladder=["NAP", "MISERE", "THREE"])
    assert rules.bids == ("THREE", "MISERE", "NAP")
    table = Table(FIVE, ladder=["NAP", "MISERE", "THREE"])
    assert table.legal == names("PASS THREE MISERE NAP")
    assert "R3.6" in table.refuses("FOUR")
    table.do("MISERE")
    assert table.legal == names("PASS NAP")


def test_R3_6_the_ladder_of_all():
    assert Rules().bids == FIVE_CARD == tuple(BIDS.split())


def test_R3_no_card_during_the_auction():
    table = Table(FIVE)
    assert "R3.1" in table.refuses("AS")
    assert "R7" in table.refuses("BUY")
    assert "R8" in table.refuses("PEEP")
    assert "R9" in table.refuses("GARNET")
