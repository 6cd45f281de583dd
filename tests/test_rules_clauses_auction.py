"""RULES.md R3 to R6, clause by clause: auction, play, settlement, revoke."""

import pytest
from at_table import FIVE, FOUR, THREE, Table, names

from nap_env import Rules, RulesError
from nap_env.rules import FIVE_CARD

BIDS = "THREE MISERE FOUR NAP WELLINGTON BLUCHER"
# Seat 0 loses each trick he leads to.
LOSER = ["2S 2H 2D 2C 3C", "3S AH KH QH JH", "4S 5S AD KD QD"]

# ---- R3 Auction ------------------------------------------------------------------------------------


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


# ---- R4 Play ---------------------------------------------------------------------------------------


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


# ---- R5 Settlement ---------------------------------------------------------------------------------

FIGURES = {"THREE": (3, 3), "MISERE": (3, 3), "FOUR": (4, 4), "NAP": (10, 5), "WELLINGTON": (20, 10), "BLUCHER": (30, 15)}
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
