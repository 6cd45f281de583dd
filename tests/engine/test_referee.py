"""The referee (the slow second rulebook) against the conformance cases and examples of RULES.md."""

import gzip
import json
import random
from pathlib import Path

import pytest
from referee import Referee, pack, refused

HERE = Path(__file__).parents[1]
CONFORMANCE = HERE / "data" / "conformance.jsonl.gz"
SHARED = HERE.parents[1] / "shared" / "conformance" / "cases.jsonl.gz"


def cases():
    with gzip.open(CONFORMANCE, "rt") as lines:
        return [json.loads(line) for line in lines]


def match_of(case):
    """The referee at the start of a conformance case."""
    match_options = {
        key: case[key] for key in ("num_hands", "starting_chips", "rebuys", "tie_break", "dealer", "decks")
    }
    return Referee(case["rules"], **match_options)


def deck_with(hands, dealer, rules):
    """A pack that deals these hands (one text a seat, five or seven cards) to a full table."""
    order = [(dealer + 1 + turn) % len(hands) for turn in range(len(hands))]
    held = [hands[seat].split() for seat in order]
    dealt = [card for start, end in ((0, 3), (3, 5), (5, 7)) for hand in held for card in hand[start:end]]
    return dealt + [card for card in pack(rules) if card not in dealt]


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["id"])
def test_conformance(case):
    match = match_of(case)
    for step in case["steps"]:
        assert (match.seat, match.legal()) == (step["seat"], step["legal"])
        assert match.step(step["action"]) == step["reward"]
        if match.starting_chips is None:
            assert sum(match.net) + match.pool == 0  # R11.3
    final = case["final"]
    assert match.over
    assert (match.seat, match.legal()) == (None, [])
    assert match.result() == {
        "net": final["rewards"],
        **{key: final[key] for key in ("chips", "winners", "hands")},
    }


def test_conformance_data_is_the_shared_file():
    if not SHARED.exists():
        pytest.skip("no shared folder beside this checkout: the copy in tests/data stands alone")
    assert CONFORMANCE.read_bytes() == SHARED.read_bytes()


def test_R1_4_a_deck_with_a_fault_is_refused():
    deck = pack({})
    for faulty in (deck[:-1], [*deck, "2C"], [*deck[:-1], "2C"], [*deck[:-1], "1C"]):
        with pytest.raises(ValueError, match=r"R1\.4"):
            Referee({}, decks=[faulty])


def test_R1_5_deals_per_dealer():
    rng = random.Random(1)
    match = Referee({"num_players": 3}, deals_per_dealer=2, decks=[pack({}) for _ in range(6)])
    while not match.over:
        match.step(rng.choice(match.legal()))
    assert match.result()["hands"] == 6
    with pytest.raises(ValueError, match=r"R1\.5"):
        Referee({}, num_hands=2, deals_per_dealer=1, decks=[pack({})])


@pytest.mark.parametrize(
    ("clause", "rules"),
    [
        ("R1.1", {"num_players": 8}),
        ("R2.1", {"pack": 48}),
        ("R2.6", {"num_players": 5, "exchange": "ecarte"}),
        ("R2.6", {"num_players": 6, "pack": 28}),
        ("R3.6", {"ladder": ["WELLINGTON"]}),
        ("R3.6", {"ladder": ["SIX"]}),
        ("R3.6", {"ladder": ["THREE"], "sir_garnet": True}),
        ("R3.6", {"hand_size": 2, "ladder": ["THREE"]}),
        ("R4.4", {"revoke": "penalised", "stop_when_decided": True}),
        ("R10.1", {"hand_size": 7, "peep": True}),
        ("R15.1", {"hand_size": 6}),
        ("R16", {"num_players": 3, "dealer_sits_out": True}),
        ("R15.1", {"hand_size": 3, "exchange": "purchase"}),
        (None, {"num_players": 6, "pack": 28, "dealer_sits_out": True}),
        (None, {"num_players": 4, "exchange": "ecarte", "peep": True, "sir_garnet": True}),
    ],
)
def test_rules_that_cannot_be(clause, rules):
    assert refused(rules) == clause


def test_an_illegal_action_is_refused_and_changes_nothing():
    match = Referee({}, decks=[pack({})])
    with pytest.raises(ValueError, match="seat 1 may not BLUCHER"):  # R13.1
        match.step("BLUCHER")
    assert match.seat == 1


def play(match, actions):
    """Do the actions one after another; gives the last rewards."""
    return [match.step(action) for action in actions.split()][-1]


HANDS_5 = ["AS KS QS JS TS", "2S 3S AH KH QH", "4S 5S JH TH 9H", "6S AD KD QD JD", "7S AC KC QC JC"]


@pytest.mark.parametrize(("bid", "cost"), [("NAP", 40), ("MISERE", 12)])
def test_R13_5_a_payer_revokes(bid, cost):
    rules = {"revoke": "penalised"}
    match = Referee(rules, dealer=4, decks=[deck_with(HANDS_5, 4, rules)])
    assert play(match, f"{bid} PASS PASS PASS PASS AS AH") == [cost, -cost, 0, 0, 0]
    assert match.over


def test_R6_2_the_declarer_revokes_on_nap_holding_two_tricks():
    rules = {"revoke": "penalised", "num_players": 3}
    hands = ["AS KS QH JC 5D", "2S 3S AH 9D 8D", "4S 5S 2H 7D 6D"]
    match = Referee(rules, dealer=2, decks=[deck_with(hands, 2, rules)])
    assert play(match, "NAP PASS PASS  AS 2S 4S  KS 3S 5S  QH AH 2H  9D 7D") == [0, 0, 0]
    assert match.tricks == [2, 1, 0]
    assert match.step("JC") == [-10, 5, 5]  # he holds the five of diamonds


def test_R6_2_the_declarer_revokes_with_his_bid_already_made():
    rules = {"revoke": "penalised", "hand_size": 7, "num_players": 3}
    hands = ["AS KS QS 2H JC TC 5D", "2S 3S 4S AH 9D 8D KH", "5S 6S 7S 3H 7D 6D 2D"]
    match = Referee(rules, dealer=2, decks=[deck_with(hands, 2, rules)])
    assert play(match, "THREE PASS PASS  AS 2S 5S  KS 3S 6S  QS 4S 7S  2H AH 3H  9D 7D") == [
        0,
        0,
        0,
    ]
    assert match.tricks == [3, 1, 0]
    assert match.step("TC") == [-6, 3, 3]  # he holds the five of diamonds


def test_R13_10_the_lowest_lead_of_wellington():
    rules = {"wellington_lowest_lead": True, "num_players": 3}
    hands = ["AC KC QC JC TC", "9C 8C 7C 6C 5C", "AS 9S 4S KH 2H"]
    match = Referee(rules, dealer=2, decks=[deck_with(hands, 2, rules)])
    play(match, "NAP PASS WELLINGTON")
    assert match.legal() == ["2H", "4S"]


# What follows no conformance case tells apart from a wrong reading.


def test_R4_4_stops_when_the_bid_is_made():
    match = Referee({"stop_when_decided": True}, dealer=4, decks=[deck_with(HANDS_5, 4, {})])
    play(match, "THREE PASS PASS PASS PASS  AS 2S 4S 6S 7S  KS 3S 5S AD AC  QS AH JH KD")
    assert match.step("KC") == [12, -3, -3, -3, -3]
    assert match.over
    assert sum(match.tricks) == 3


def test_R1_7_nobody_is_left_in():
    rules = {"num_players": 3, "exchange": "purchase", "purchase_count": 1}
    match = Referee(rules, num_hands=9, starting_chips=1, decks=[pack(rules)])
    for _ in range(3):
        match.step("BUY")
        match.step(match.legal()[0])
    assert match.pool == 3
    assert play(match, "PASS PASS PASS") == [1, 1, 1]  # R11.2
    assert match.result() == {
        "net": [0, 0, 0],
        "chips": [1, 1, 1],
        "winners": [0, 1, 2],
        "hands": 1,
    }


def test_R1_8_ten_extra_hands_at_most():
    match = Referee({"num_players": 2}, tie_break=True, decks=[pack({}) for _ in range(11)])
    while not match.over:
        match.step("PASS")
    assert match.result() == {"net": [0, 0], "chips": None, "winners": [0, 1], "hands": 11}


def test_R1_8_chips_in_hand_are_needed_in_extra_hands_too():
    rules = {"num_players": 2, "exchange": "purchase", "purchase_count": 1, "peep": True}
    match = Referee(rules, tie_break=True, starting_chips=1, decks=[pack(rules)] * 2)
    play(match, "PASS PASS PASS PASS")
    assert (match.extra_hands, match.seat) == (1, 0)
    play(match, "BUY " + match.hands[0][0])
    play(match, "PASS")
    assert (match.seat, "PEEP" in match.legal()) == (0, False)
    match.step("PASS")
    assert (match.seat, "PEEP" in match.legal()) == (1, True)
