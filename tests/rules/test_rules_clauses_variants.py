"""RULES.md R10, R12 and R14, clause by clause: seven cards, presets, names of actions."""

import itertools

import gymnasium
import numpy as np
import pytest
from at_table import Table

from nap_env import PRESETS, Rules, RulesError, cards, nap_v0

# Seat 0 takes all seven with spades; seat 0 of NONE_OF_SEVEN takes none.
ALL_SEVEN = ["AS KS QS JS TS 9S 8S", "2S 3S AH KH QH JH TH", "4S 5S AD KD QD JD TD"]
NONE_OF_SEVEN = ["2C 2D 2H 2S 3S 4S 5S", "3C 4D 5H AS KS QS JS", "4C 5D 6H TS 9S 8S 7S"]


# ---- R10 Seven-card Nap ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "ladder"),
    [(False, "THREE FOUR NAP MISERE SIX SEVEN"), (True, "THREE FOUR MISERE NAP SIX SEVEN")],
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
    assert tuple(rank + suit for suit in "CDHS" for rank in "23456789TJQKA") == cards.CARD_NAMES
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
