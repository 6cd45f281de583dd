"""RULES.md R7 to R9, clause by clause: purchases, peep, spare hand."""

import pytest
from at_table import FIVE, FOUR, THREE, Table, names

LOSER = ["2S 2H 2D 2C 3C", "3S AH KH QH JH", "4S 5S AD KD QD"]  # seat 0 takes no trick
CLUBS = "4C 5C 6C 7C 8C 9C TC JC QC KC"  # comes after the hands


# ---- R7 Buying cards before the auction ------------------------------------------------------------


def test_R7_1_purchase_order_and_price():
    table = Table(FOUR, then=CLUBS, dealer=1, exchange="purchase")
    assert (table.seat, table.legal) == (2, names("PASS BUY"))
    assert table.do("BUY") == [0, 0, -1, 0]
    assert table.result["pool"] == 1
    assert table.legal == names(FOUR[2])
    assert "R7.1" in table.refuses("PASS")  # exactly so many
    assert table.do("4S") == [0, 0, 0, 0]
    assert table.legal == names(FOUR[2]) - {"4S"}
    table.do("5S")
    assert table.hand(2) == names("JH TH 9H 4C 5C")
    assert table.seat == 3
    table.do("PASS")
    assert table.seat == 0
    table.do("BUY TS JS")
    assert table.hand(0) == names("AS KS QS 6C 7C")
    assert table.seat == 1  # the dealer last
    table.do("PASS")
    assert (table.seat, table.sees(0)["phase"]) == (2, "AUCTION")
    assert table.result["net"] == [-1, 0, -1, 0]
    assert table.stub == "8C 9C TC JC QC KC".split() + table.stub[6:]


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_R7_1_purchase_count(count):
    table = Table(THREE, then=CLUBS, exchange="purchase", purchase_count=count)
    table.do("BUY " + " ".join(THREE[0].split()[:count]))
    assert table.hand(0) == {*THREE[0].split()[count:], *CLUBS.split()[:count]}
    assert table.result["pool"] == 1  # flat
    assert table.seat == 1


def test_R7_1_each_once():
    table = Table(THREE, exchange="purchase", purchase_count=1)
    table.do("BUY AS PASS PASS")
    assert table.sees(0)["phase"] == "AUCTION"
    assert "R7" in table.refuses("BUY")


@pytest.mark.parametrize("count", range(6))
def test_R7_2_ecarte_none_to_five(count):
    table = Table(FOUR, then=CLUBS, exchange="ecarte")
    away = THREE[0].split()[:count]
    for number, card in enumerate(away):
        assert table.legal == names(THREE[0]) - {*away[:number]} | {"PASS"}
        rewards = table.do(card)
    if count < 5:
        assert sum(table.result["net"]) == 0  # he pays when he stops
        rewards = table.do("PASS")
    assert rewards == [-count, 0, 0, 0]  # the fifth discard stops by itself
    assert table.result["pool"] == count
    assert table.hand(0) == {*THREE[0].split()[count:], *CLUBS.split()[:count]}
    assert table.seat == 1


def test_R7_2_ecarte_same_order_and_the_stub_goes_on():
    table = Table(FOUR, then=CLUBS, exchange="ecarte", dealer=0)
    order = []
    for actions in ("2S PASS", "4S 5S PASS", "PASS", "TS PASS"):
        order.append(table.seat)
        table.do(actions)
    assert order == [1, 2, 3, 0]
    assert table.hand(1) - names(FOUR[1]) == {"4C"}
    assert table.hand(2) - names(FOUR[2]) == names("5C 6C")
    assert table.hand(0) - names(FOUR[0]) == {"7C"}
    assert (table.seat, table.sees(0)["phase"]) == (1, "AUCTION")
    assert table.result["net"] == [-1, -1, -2, 0]


def test_R7_3_all_discards_before_the_first_new_card():
    table = Table(THREE, then=CLUBS, exchange="ecarte")
    table.do("AS KS QS JS")
    assert table.hand(0) == {"TS"}
    assert "hold" in table.refuses("AS")  # the choice is final
    table.do("PASS")
    assert table.hand(0) == names("TS 4C 5C 6C 7C")


def test_R7_3_discards_are_secret_and_their_number_public():
    table = Table(THREE, then=CLUBS, exchange="ecarte")
    table.do("JS TS PASS PASS JH PASS")
    assert {*table.sees(0)["discards"]} == {"JS", "TS"}
    assert table.sees(1)["discards"] == []
    for viewer in range(3):
        assert table.sees(viewer)["bought"] == [[2, 0, 1][(viewer + k) % 3] for k in range(3)]
    assert table.discards(0) == names("JS TS")


def test_R7_3_discards_are_dead():
    table = Table(THREE, then=CLUBS, exchange="ecarte")
    table.do("JS TS PASS PASS PASS THREE PASS PASS")
    assert table.legal == names("AS KS QS 4C 5C")
    assert "JS" not in table.stub


def test_R7_4_who_cannot_pay_still_acts():
    # Seat 1 stands at -16 after a re-buy and stays in: he gets his turn, and PASS is his only action.
    hands = ["AS KS QS JS TS", "2S AH KH QH JH", "4S 5S TH 9H 8H"]
    match = {"num_hands": 2, "starting_chips": 2, "rebuys": 1}
    table = Table(hands, exchange="purchase", revoke="penalised", match=match)
    table.do("PASS PASS PASS NAP PASS PASS AS AH")
    assert table.result["chips"] == [22, -16, 2]
    assert (table.seat, table.legal) == (1, {"PASS"})
    assert "R1.6" in table.refuses("BUY")


def test_R7_4_ecarte_not_for_another_card():
    table = Table(THREE, then=CLUBS, exchange="ecarte", match={"starting_chips": 2})
    assert table.legal == names(THREE[0]) | {"PASS"}
    table.do("AS KS")
    assert table.legal == {"PASS"}
    sentence = table.refuses("QS")
    assert "R7.4" in sentence
    assert table.do("PASS") == [-2, 0, 0]
    assert table.result["chips"] == [0, 2, 2]


# ---- R8 Peep Nap -----------------------------------------------------------------------------------


def test_R8_1_peep_costs_a_stake_and_comes_before_the_bid():
    table = Table(THREE, then="2C", peep=True)
    assert "PEEP" in table.legal
    assert table.do("PEEP") == [-1, 0, 0]
    assert (table.seat, table.result["pool"]) == (0, 1)
    assert table.legal == names("PASS THREE MISERE FOUR NAP")
    assert "R8.1" in table.refuses("PEEP")  # once
    table.do("NAP")
    assert table.seat == 1


def test_R8_1_that_he_looked_is_public_and_what_he_saw_is_not():
    table = Table(THREE, then="2C", peep=True)
    table.do("PEEP")
    assert [table.sees(seat)["peeped"] for seat in range(3)] == [[0], [2], [1]]
    assert [table.sees(seat)["peep_card"] for seat in range(3)] == ["2C", None, None]


def test_R8_1_also_when_no_bid_is_open():
    table = Table(FIVE, peep=True)
    table.do("NAP")
    assert table.legal == names("PASS PEEP WELLINGTON")
    table.do("WELLINGTON BLUCHER")
    assert table.legal == names("PASS PEEP")
    table.do("PEEP")
    assert table.legal == {"PASS"}


def test_R8_1_it_needs_the_chip_in_hand():
    table = Table(THREE, peep=True, exchange="purchase", purchase_count=1, match={"starting_chips": 1})
    table.do("BUY AS PASS PASS")
    assert "PEEP" not in table.legal
    assert "R1.6" in table.refuses("PEEP")


def test_R8_2_a_declarer_who_peeped_may_swap():
    table = Table(THREE, then="2C", peep=True)
    table.do("PEEP NAP PASS PASS")
    assert (table.seat, table.sees(0)["phase"]) == (0, "SWAP")
    assert table.legal == names(THREE[0]) | {"PASS"}
    assert "R8.2" in table.refuses("2C")
    table.do("TS")
    assert table.hand(0) == names("AS KS QS JS 2C")
    assert table.discards(0) == {"TS"}
    assert table.sees(0)["phase"] == "PLAY"
    for seat in range(3):
        assert table.sees(seat)["swapped"]  # public
    assert table.sees(1)["discards"] == []  # which card is not


def test_R8_2_pass_keeps_the_hand():
    table = Table(THREE, then="2C", peep=True)
    table.do("PEEP NAP PASS PASS PASS")
    assert table.hand(0) == names(THREE[0])
    assert not table.sees(1)["swapped"]
    assert table.sees(0)["phase"] == "PLAY"


def test_R8_2_others_who_peeped_do_not_swap():
    table = Table(THREE, then="2C", peep=True)
    table.do("THREE PEEP PASS PASS")
    assert (table.seat, table.sees(0)["phase"]) == (0, "PLAY")


@pytest.mark.parametrize("looked", [True, False])
def test_R8_2_any_declarer_by_option(looked):
    table = Table(THREE, then="2C", peep=True, peep_exchange="declarer")
    table.do("PEEP FOUR PASS PASS" if looked else "FOUR PASS PASS")
    assert table.sees(0)["phase"] == "SWAP"
    assert table.sees(0)["peep_card"] == ("2C" if looked else None)  # he takes it unseen
    table.do("TS")
    assert "2C" in table.hand(0)
    assert table.sees(0)["peep_card"] == "2C"
    assert table.sees(1)["peep_card"] is None


# ---- R9 Sir Garnet ---------------------------------------------------------------------------------

SPARE = "2C 3C 4C 5C 6C"


def test_R9_1_ten_cards_five_discards_then_the_next_acts():
    table = Table(THREE, then=SPARE, sir_garnet=True)
    assert "GARNET" in table.legal
    assert table.do("GARNET") == [0, 0, 0]
    assert table.legal == names(THREE[0]) | names(SPARE)
    assert "R9.1" in table.refuses("PASS")
    for number, card in enumerate("2C 3C 4C 5C 6C".split()):
        assert (table.seat, len(table.hand(0))) == (0, 10 - number)
        table.do(card)
    assert table.hand(0) == names(THREE[0])
    assert table.discards(0) == names(SPARE)
    assert table.sees(1)["discards"] == []
    assert table.seat == 1
    assert table.sees(1)["spare_taker"] == 2
    assert table.sees(1)["bids"] == {2: "NAP"}
    table.do("PASS PASS")
    assert table.finish_hand() == [20, -10, -10]  # stakes as Nap


def test_R9_1_a_failed_one_pays_as_nap():
    table = Table(LOSER, then="4C 5C 6C 7C 8C", sir_garnet=True)
    table.do("GARNET 4C 5C 6C 7C 8C PASS PASS 2S 3S 4S")
    assert table.finish_hand() == [-10, 5, 5]


def test_R9_1_only_while_nap_would_be_a_legal_bid():
    table = Table(FIVE, sir_garnet=True, peep=True)
    for bid in ("THREE", "MISERE", "FOUR"):
        table.do(bid)
        assert "GARNET" in table.legal
    table.do("NAP")
    assert table.legal == names("PASS WELLINGTON PEEP")
    assert "R9.1" in table.refuses("GARNET")


def test_R9_1_wellington_may_still_be_bid_over_it():
    table = Table(THREE, then=SPARE, sir_garnet=True)
    table.do("GARNET 2C 3C 4C 5C 6C")
    assert table.legal == names("PASS WELLINGTON")
    sentence = table.refuses("GARNET")
    assert "taken" in sentence
    assert "R9.1" in sentence
    table.do("WELLINGTON")
    assert table.sees(1)["declarer"] == 0


def test_R9_1_a_declarer_who_peeped_and_took_the_spare_hand_may_swap_too():
    # R8.1: "He then bids, takes the spare hand (R9) or passes."
    table = Table(THREE, then="2D " + SPARE, sir_garnet=True, peep=True)
    table.do("PEEP GARNET 2C 3C 4C 5C 6C PASS PASS")
    assert table.sees(0)["phase"] == "SWAP"
    table.do("TS")
    assert table.hand(0) == names("AS KS QS JS 2D")
    assert table.discards(0) == names(SPARE) | {"TS"}
