"""RULES.md R15 and R16, clause by clause: research sizes, and the fields of `Rules`."""

import dataclasses
import pickle

import numpy as np
import pytest
from at_table import Table, pack

from nap_env import PRESETS, Rules, RulesError
from nap_env.rules import make_rules

# ---- R15 Research sizes ----------------------------------------------------------------------------


@pytest.mark.parametrize("hand_size", [1, 2, 3, 4])
@pytest.mark.parametrize("suits", [2, 3, 4])
def test_R15_1_dealt_in_one_round_from_the_highest_ranks(hand_size, suits):
    ranks = 5
    rules = Rules(num_players=2, hand_size=hand_size, suits=suits, pack=suits * ranks)
    assert pack(rules) == [rank + suit for suit in "CDHS"[:suits] for rank in "TJQKA"]
    order = pack(rules)
    table = Table(decks=[order], num_players=2, hand_size=hand_size, suits=suits, pack=suits * ranks)
    assert table.hand(0) == {*order[:hand_size]}
    assert table.hand(1) == {*order[hand_size : 2 * hand_size]}
    assert table.stub == order[2 * hand_size :]


@pytest.mark.parametrize(
    "fields",
    [
        {"hand_size": 3, "suits": 1},
        {"hand_size": 3, "suits": 5},
        {"hand_size": 5, "suits": 3},
        {"hand_size": 7, "suits": 3},
        {"hand_size": 3, "suits": 3, "pack": 10},
        {"hand_size": 1, "suits": 2, "pack": 28},
        {"hand_size": 1, "suits": 2, "pack": 0},
        {"hand_size": 2, "exchange": "purchase"},
        {"hand_size": 2, "exchange": "ecarte"},
        {"hand_size": 2, "peep": True},
        {"hand_size": 2, "sir_garnet": True},
    ],
)
def test_R15_1_refused(fields):
    with pytest.raises(RulesError, match=r"R15\.1"):
        Rules(num_players=2, **fields)


@pytest.mark.parametrize("hand_size", [0, 6, 8, -1])
def test_R15_1_hands_refused(hand_size):
    with pytest.raises(RulesError, match="R15"):
        Rules(num_players=2, hand_size=hand_size)


@pytest.mark.parametrize(
    ("hand_size", "ladder"),
    [
        (1, {"MISERE": 0, "NAP": 1, "WELLINGTON": 1, "BLUCHER": 1}),
        (2, {"MISERE": 0, "FOUR": 1, "NAP": 2, "WELLINGTON": 2, "BLUCHER": 2}),
        (3, {"THREE": 1, "MISERE": 0, "FOUR": 2, "NAP": 3, "WELLINGTON": 3, "BLUCHER": 3}),
        (4, {"THREE": 2, "MISERE": 0, "FOUR": 3, "NAP": 4, "WELLINGTON": 4, "BLUCHER": 4}),
    ],
)
def test_R15_2_tricks_asked_and_ladder(hand_size, ladder):
    rules = Rules(num_players=2, hand_size=hand_size)
    assert {bid: rules.tricks_asked(bid) for bid in rules.bids} == ladder
    assert list(rules.bids) == list(ladder)


@pytest.mark.parametrize(("bid", "won", "net"), [
    ("THREE", 1, 3), ("THREE", 0, -3), ("FOUR", 2, 4), ("FOUR", 1, -4), ("NAP", 3, 10), ("NAP", 2, -5),
    ("MISERE", 0, 3), ("MISERE", 1, -3),
])  # fmt: skip
def test_R15_2_stakes_as_in_R5(bid, won, net):
    mine = ["AS", "KS", "QS"][:won] + ["2C", "3C", "4C"][: 3 - won]
    theirs = ["TS", "9S", "8S"][:won] + ["AC", "KC", "QC"][: 3 - won]
    table = Table([" ".join(mine), " ".join(theirs)], hand_size=3)
    table.do(f"{bid} PASS")
    while not table.over:
        table.do(next((card for card in (*mine, *theirs) if card in table.legal), "*"))
    assert table.result["net"] == [net, -net]


# ---- R16 Fields of Rules ---------------------------------------------------------------------------


def test_R16_fields_and_defaults():
    assert {item.name: item.default for item in dataclasses.fields(Rules)} == {
        "num_players": 5, "hand_size": 5, "pack": None, "suits": 4, "ladder": None, "stakes": (),
        "misere_trump": False, "wellington_lowest_lead": False, "dealer_sits_out": False,
        "stop_when_decided": False, "exchange": "none", "purchase_count": 2, "peep": False,
        "sir_garnet": False, "peep_exchange": "peeped", "misere_below_nap": False, "revoke": "forbidden",
    }  # fmt: skip


@pytest.mark.parametrize(
    "fields",
    [
        {"exchange": "buy"}, {"exchange": None}, {"peep_exchange": "any"}, {"revoke": "allowed"},
        {"peep": 1}, {"peep": "yes"}, {"sir_garnet": None}, {"dealer_sits_out": 0},
        {"num_players": "5"}, {"num_players": 5.0}, {"num_players": True}, {"num_players": None},
        {"hand_size": 5.0}, {"hand_size": None}, {"suits": 4.0},
        {"pack": "52"}, {"pack": 52.0}, {"pack": True},
        {"purchase_count": 2.0}, {"purchase_count": None}, {"misere_trump": 2}, {"stop_when_decided": "no"},
        {"stakes": None}, {"stakes": {"NAP": None}}, {"stakes": {3: [1, 1]}},
        {"ladder": 5}, {"ladder": [["THREE"]]},
    ],
)  # fmt: skip
def test_R16_values_refused(fields):
    with pytest.raises(RulesError) as error:
        Rules(**fields)
    assert next(iter(fields)) in str(error.value)


def test_R16_unknown_fields():
    with pytest.raises(RulesError, match=r"joker.*R16"):
        Rules.from_dict({"joker": True})
    with pytest.raises(TypeError, match="num_hands"):
        Rules(num_hands=3)  # belongs to the match


def test_R16_hashable_comparable_and_immutable():
    first = Rules(stakes={"NAP": [12, 6]}, ladder=["NAP", "THREE"])
    second = Rules(stakes=(("NAP", (12, 6)),), ladder=("THREE", "NAP"))
    assert first == second
    assert hash(first) == hash(second)
    assert first.stakes == (("NAP", (12, 6)),)
    assert first.ladder == ("THREE", "NAP")
    assert Rules() != Rules(num_players=4)
    assert Rules() != "standard"
    assert len({Rules(), Rules(), Rules(peep=True)}) == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        first.peep = True


@pytest.mark.parametrize("rules", [*PRESETS.values(), Rules(num_players=2, hand_size=2, suits=3, pack=9)])
def test_R16_dict_and_pickle_round_trip(rules):
    assert Rules.from_dict(rules.to_dict()) == rules
    assert pickle.loads(pickle.dumps(rules)) == rules
    assert eval(repr(rules), {"Rules": Rules}) == rules


def test_R16_numpy_values():
    rules = Rules(num_players=np.int64(4), peep=np.bool_(True), pack=np.int32(40), stakes={"NAP": np.array([12, 6])})
    assert rules == Rules(num_players=4, peep=True, pack=40, stakes={"NAP": [12, 6]})
    assert type(rules.num_players) is int
    assert type(rules.stakes[0][1][0]) is int


@pytest.mark.parametrize("num_players", [3.0, "3", True, [3]])
def test_R16_num_players_of_the_wrong_type(num_players):
    with pytest.raises(RulesError, match="num_players"):
        make_rules("standard", num_players)
