"""RULES.md R5 and R6, clause by clause: settlement and revoke."""

import pytest
from at_table import FIVE, FOUR, THREE, Table, names

from nap_env import Rules, RulesError

# ---- R5 Settlement ---------------------------------------------------------------------------------

FIGURES = {
    "THREE": (3, 3),
    "MISERE": (3, 3),
    "FOUR": (4, 4),
    "NAP": (10, 5),
    "WELLINGTON": (20, 10),
    "BLUCHER": (30, 15),
}
# Seat 2 has bid; he takes all or, leading his lowest cards, none.
TAKES_ALL = ["2S 3H 4H 5H 6H", "3S 4D 5D 6D 7D", "AS KS QS JS TS"]
TAKES_NONE = ["3C 4D 5H AS KS", "4C 5D 6H QS JS", "2C 2D 2H 2S 3S"]


@pytest.mark.parametrize("bid", FIGURES)
@pytest.mark.parametrize("made", [True, False])
def test_R5_table(bid, made):
    below = {"WELLINGTON": "PASS NAP", "BLUCHER": "NAP WELLINGTON"}.get(bid, "PASS PASS")
    table = Table(TAKES_ALL if made != (bid == "MISERE") else TAKES_NONE)
    table.do(f"{below} {bid}")
    win, lose = FIGURES[bid]
    each = win if made else -lose
    assert table.finish_hand() == [-each, -each, 2 * each]


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_R5_1_every_payer_and_nothing_for_overtricks(n):
    table = Table(FIVE[:n])
    table.do("THREE" + " PASS" * (n - 1))
    assert table.finish_hand() == [3 * (n - 1)] + [-3] * (n - 1)  # five tricks, not three


def test_R5_1_nothing_for_undertricks():
    table = Table(TAKES_NONE)
    table.do("PASS PASS FOUR")
    assert table.finish_hand() == [4, 4, -8]


@pytest.mark.parametrize("stakes", [{"NAP": [12, 6]}, {"NAP": (12, 6)}, (("NAP", (12, 6)),)])
def test_R5_2_any_figure_can_be_changed(stakes):
    table = Table(FOUR, stakes=stakes)
    table.do("NAP PASS PASS PASS")
    assert table.finish_hand() == [36, -12, -12, -12]
    assert table.rules.stake("THREE") == (3, 3)


def test_R5_2_failed_figures_and_zero():
    table = Table(TAKES_NONE, stakes={"NAP": [12, 6]})
    table.do("PASS PASS NAP")
    assert table.finish_hand() == [6, 6, -12]
    table = Table(TAKES_NONE, stakes={"NAP": [10, 0]})
    table.do("PASS PASS NAP")
    assert table.finish_hand() == [0, 0, 0]
    assert table.result["hand_winners"] == [0, 1]


@pytest.mark.parametrize(
    "stakes", [{"NAP": [10]}, {"NAP": [10, -1]}, {"NAP": [1.5, 1]}, {"NAP": 10}, {"FIVE": [1, 1]},
               {"NAP": [True, 1]}, [1, 2], 7, {"NAP": "10"}, {"NAP": [10, 10**9]}],
)  # fmt: skip
def test_R5_2_stakes_refused(stakes):
    with pytest.raises(RulesError, match=r"R5\.2|R16"):
        Rules(stakes=stakes)


# ---- R6 Revoke -------------------------------------------------------------------------------------


def test_R6_1_forbidden_is_the_default():
    assert Rules().revoke == "forbidden"


def test_R6_1_penalised_any_held_card_when_following():
    table = Table(FIVE, revoke="penalised")
    table.do("THREE PASS PASS PASS PASS AS")
    assert table.legal == names(FIVE[1])
    assert "hold" in table.refuses("KS")
    table.do("2S JH")  # seat 2 holds spades: the hand ends at once
    assert table.over
    assert table.sees(0)["won"] == [0] * 5


def test_R6_1_no_revoke_without_the_suit():
    hands = ["AS KS QS JS TS", "2H 3H 4H 5H 6H", "2D 3D 4D 5D 6D"]
    table = Table(hands, revoke="penalised")
    table.do("THREE PASS PASS AS 2H 2D")
    assert not table.over
    assert table.finish_hand() == [6, -3, -3]


def test_R6_1_the_lowest_lead_still_binds():
    hands = ["2C 3C 4C 5C 6C", "7C 8C 9C TC JC", "AS 9S 4S KH 2H"]
    table = Table(hands, revoke="penalised", wellington_lowest_lead=True)
    table.do("NAP PASS WELLINGTON")
    assert table.legal == names("4S 2H")


def test_R6_2_the_declarer_revokes():
    # He leads AS KS, then QH; seat 1 wins with AH and leads 9D, the declarer holds 5D but plays JC.
    hands = ["AS KS QH JC 5D", "2S 3S AH 9D 8D", "4S 5S 2H 7D 6D"]
    table = Table(hands, revoke="penalised")
    table.do("NAP PASS PASS AS 2S 4S KS 3S 5S QH AH 2H 9D 7D")
    assert table.do("JC") == [-10, 5, 5]
    assert table.over
    assert table.result["hand_winners"] == [1, 2]


def test_R6_2_whatever_he_has_won_so_far():
    # Seven cards: a Three with three tricks in, then a revoke.
    hands = ["AS KS QS 2H JC TC 5D", "2S 3S 4S AH 9D 8D KH", "5S 6S 7S 3H 7D 6D 2D"]
    table = Table(hands, revoke="penalised", hand_size=7)
    table.do("THREE PASS PASS AS 2S 5S KS 3S 6S QS 4S 7S 2H AH 3H 9D 7D")
    assert table.sees(0)["won"] == [3, 1, 0]
    assert table.do("TC") == [-6, 3, 3]


def test_R6_2_the_declarer_revokes_on_misere_without_a_trick():
    hands = ["2H 2D 3C 4C 5C", "AH 3D 4D 5D 6D", "KH QH JH TH 9H"]
    table = Table(hands, revoke="penalised")
    table.do("MISERE PASS PASS 2H AH 9H 3D TH")
    assert table.do("3C") == [-6, 3, 3]


def test_R6_3_he_alone_pays_and_the_bid_is_made():
    table = Table(FIVE, revoke="penalised")
    table.do("FOUR PASS PASS PASS PASS AS 2S")
    assert table.do("9H") == [16, 0, -16, 0, 0]
    assert table.result["hand_winners"] == [0]


def test_R6_3_a_bid_that_counts_as_made_takes_the_pool():
    table = Table(THREE, revoke="penalised", exchange="purchase", purchase_count=1)
    table.do("PASS BUY QH BUY 9H NAP PASS PASS AS")
    assert table.result["pool"] == 2
    assert table.do("AH") == [20 + 2, -20, 0]
    assert table.result["pool"] == 0
