"""RULES.md R10, R12, R14, R15 and R16, clause by clause: seven cards, presets, names, research sizes, fields."""

import dataclasses
import itertools
import pickle

import gymnasium
import numpy as np
import pytest
from at_table import Table, pack

from nap_env import PRESETS, Rules, RulesError, cards, nap_v0
from nap_env.rules import make_rules

# Seat 0 takes all seven with spades; seat 0 of NONE_OF_SEVEN takes none.
ALL_SEVEN = ["AS KS QS JS TS 9S 8S", "2S 3S AH KH QH JH TH", "4S 5S AD KD QD JD TD"]
NONE_OF_SEVEN = ["2C 2D 2H 2S 3S 4S 5S", "3C 4D 5H AS KS QS JS", "4C 5D 6H TS 9S 8S 7S"]


# ---- R10 Seven-card Nap ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "ladder"), [(False, "THREE FOUR NAP MISERE SIX SEVEN"), (True, "THREE FOUR MISERE NAP SIX SEVEN")]
)
def test_R10_1_ladder(option, ladder):
    bids = ladder.split()
    table = Table(num_players=7, hand_size=7, misere_below_nap=option)
    for rung, bid in enumerate(bids):
        assert table.legal == {*bids[rung:], "PASS"}
        table.do(bid)
    assert table.legal == {"PASS"}
    for other in ("WELLINGTON", "BLUCHER", "GARNET", "PEEP", "BUY"):
        table.refuses(other)


@pytest.mark.parametrize(
    ("bid", "asked"), [("THREE", 3), ("FOUR", 4), ("NAP", 5), ("SIX", 6), ("SEVEN", 7), ("MISERE", 0)]
)
@pytest.mark.parametrize("won", range(8))
def test_R10_1_tricks_asked(bid, asked, won):
    top = "AS KS QS JS TS 9S 8S".split()[:won]
    low = "2C 3C 4C 5C 6C 7C 2H".split()[: 7 - won]
    high = "AC KC QC JC TC 9C".split()[: 7 - won]
    others = "7S 6S 5S 4S 3S 2S 2D".split()
    hands = [" ".join(top + low), " ".join((high + others)[:7]), "AD KD QD JD TD 9D 8D"]
    table = Table(hands, hand_size=7)
    table.do(f"{bid} PASS PASS")
    while not table.over:
        mine = [card for card in (*top, *low) if card in table.legal]
        others_best = [card for card in (*high, *others) if card in table.legal]
        table.do((mine or others_best or ["*"])[0] if table.seat < 2 else "*")
    taken = table.sees(0)["won"][0]
    assert taken == won
    assert (table.result["net"][0] > 0) == (taken == 0 if bid == "MISERE" else taken >= asked)


@pytest.mark.parametrize(
    "extra",
    [
        {"exchange": "purchase"},
        {"exchange": "ecarte", "num_players": 3},
        {"peep": True},
        {"sir_garnet": True},
        {"ladder": ["NAP", "WELLINGTON"]},
        {"ladder": ["NAP", "WELLINGTON", "BLUCHER"]},
    ],
)
def test_R10_1_what_it_does_not_have(extra):
    with pytest.raises(RulesError, match=r"R10\.1"):
        Rules(hand_size=7, **extra)


def test_R10_1_misere_below_nap_belongs_to_seven_cards():
    with pytest.raises(RulesError, match=r"R10\.1"):
        Rules(misere_below_nap=True)


@pytest.mark.parametrize(
    ("bid", "win", "lose"),
    [("THREE", 3, 3), ("FOUR", 4, 4), ("NAP", 10, 5), ("MISERE", 10, 5), ("SIX", 18, 9), ("SEVEN", 24, 12)],
)
def test_R10_2_stakes(bid, win, lose):
    good, bad = (NONE_OF_SEVEN, ALL_SEVEN) if bid == "MISERE" else (ALL_SEVEN, NONE_OF_SEVEN)
    table = Table(good, hand_size=7)
    table.do(f"{bid} PASS PASS")
    assert table.finish_hand() == [2 * win, -win, -win]
    table = Table(bad, hand_size=7)
    table.do(f"{bid} PASS PASS")
    assert table.finish_hand() == [-2 * lose, lose, lose]


def test_R10_2_stakes_are_laid_over():
    table = Table(ALL_SEVEN, hand_size=7, stakes={"SEVEN": [48, 24]})
    table.do("SEVEN PASS PASS")
    assert table.finish_hand() == [96, -48, -48]


# ---- R12 Presets -----------------------------------------------------------------------------------


def test_R12_presets():
    assert {name: rules.to_dict() for name, rules in PRESETS.items()} == {
        "standard": {"num_players": 5},
        "seven_card": {"num_players": 5, "hand_size": 7},
        "purchase": {"num_players": 5, "exchange": "purchase"},
        "ecarte": {"num_players": 4, "exchange": "ecarte"},
        "peep": {"num_players": 5, "peep": True},
        "sir_garnet": {"num_players": 5, "sir_garnet": True},
        "no_overcalls": {"num_players": 5, "ladder": ["THREE", "MISERE", "FOUR", "NAP"]},
        "no_misere": {"num_players": 5, "ladder": ["THREE", "FOUR", "NAP", "WELLINGTON", "BLUCHER"]},
        "six_handed": {"num_players": 6, "dealer_sits_out": True},
        "penny": {"num_players": 5, "stakes": {"NAP": [12, 6], "WELLINGTON": [24, 12], "BLUCHER": [36, 18]}},
    }


@pytest.mark.parametrize("name", PRESETS)
def test_R12_a_preset_by_name(name):
    env = nap_v0.env(name)
    assert env.rules == PRESETS[name]
    assert nap_v0.env(PRESETS[name]).rules == PRESETS[name]
    assert len(env.possible_agents) == PRESETS[name].num_players


def test_R12_num_players_remakes_a_preset():
    assert nap_v0.env("six_handed", num_players=7).rules == Rules(num_players=7, dealer_sits_out=True)
    with pytest.raises(RulesError, match=r"R2\.6"):
        nap_v0.env("ecarte", num_players=5)
    assert nap_v0.env(Rules(num_players=3), num_players=3).rules.num_players == 3
    with pytest.raises(RulesError, match="num_players"):
        nap_v0.env(Rules(num_players=3), num_players=4)


@pytest.mark.parametrize("rules", ["nap", "", "STANDARD", None, 5, {"num_players": 3}])
def test_R12_unknown_rules(rules):
    with pytest.raises(RulesError, match="standard"):
        nap_v0.env(rules)


def test_R12_any_option_combines_with_any_other():
    options = {
        "wellington_lowest_lead": True,
        "misere_trump": True,
        "dealer_sits_out": True,
        "exchange": "purchase",
        "peep": True,
        "sir_garnet": True,
        "revoke": "penalised",
        "peep_exchange": "declarer",
        "stakes": {"NAP": [1, 1]},
        "ladder": ["THREE", "NAP"],
    }
    for first, second in itertools.combinations(options, 2):
        Rules(num_players=4, **{first: options[first], second: options[second]})
    env = nap_v0.raw_env(Rules(num_players=4, **options), num_hands=3, starting_chips=4, rebuys=1)
    env.reset(seed=3)
    for _ in env.agent_iter():
        observation, _, over, _, _ = env.last()
        env.step(None if over else int(np.flatnonzero(observation["action_mask"])[-1]))
    assert not env.agents


# ---- R14 Action names and numbers ------------------------------------------------------------------


def test_R14_cards():
    assert cards.CARD_NAMES == tuple(rank + suit for suit in "CDHS" for rank in "23456789TJQKA")
    assert [cards.card_id(name) for name in ("2C", "AC", "2D", "AS")] == [0, 12, 13, 51]
    for number, name in enumerate(cards.CARD_NAMES):
        assert (cards.card_id(name), cards.card_name(number)) == (number, name)
        assert cards.card_id(name) == cards.action_id(name)


def test_R14_the_other_actions():
    others = "PASS THREE MISERE FOUR NAP WELLINGTON BLUCHER SIX SEVEN GARNET PEEP BUY".split()
    assert [cards.action_name(number) for number in range(52, 64)] == others
    assert [cards.action_id(name) for name in others] == list(range(52, 64))


def test_R14_one_table_for_every_variant():
    for preset in PRESETS:
        assert nap_v0.env(preset).action_space("player_0") == gymnasium.spaces.Discrete(64)


@pytest.mark.parametrize("text", ["as", " AS ", "As", "TS", "ts", "10S"])
def test_R14_names_as_people_write_them(text):
    assert cards.card_id(text) in (51, 47)


@pytest.mark.parametrize("text", ["", "1S", "AX", "ASS", "SA", "A", "11S", None, 5, "PASS"])
def test_R14_no_card(text):
    with pytest.raises(ValueError, match=r"card|text"):
        cards.card_id(text)


@pytest.mark.parametrize("number", [-1, 64, 100, 1.0, "AS", None, True])
def test_R14_no_action(number):
    with pytest.raises(ValueError, match="action"):
        cards.action_name(number)


def test_R14_card_number_errors():
    with pytest.raises(ValueError, match="51"):
        cards.card_name(52)


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
        "stop_when_decided": False, "exchange": "none", "purchase_count": 2, "peep": False, "sir_garnet": False,
        "peep_exchange": "peeped", "misere_below_nap": False, "revoke": "forbidden",
    }  # fmt: skip


@pytest.mark.parametrize(
    "fields",
    [
        {"exchange": "buy"}, {"exchange": None}, {"peep_exchange": "any"}, {"revoke": "allowed"},
        {"peep": 1}, {"peep": "yes"}, {"sir_garnet": None}, {"dealer_sits_out": 0},
        {"num_players": "5"}, {"num_players": 5.0}, {"num_players": True}, {"num_players": None},
        {"hand_size": 5.0}, {"hand_size": None}, {"suits": 4.0}, {"pack": "52"}, {"pack": 52.0}, {"pack": True},
        {"purchase_count": 2.0}, {"purchase_count": None}, {"misere_trump": 2}, {"stop_when_decided": "no"},
        {"stakes": None}, {"ladder": 5}, {"ladder": [["THREE"]]}, {"stakes": {"NAP": None}}, {"stakes": {3: [1, 1]}},
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
