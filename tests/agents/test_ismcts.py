"""Information-set tree search: legal everywhere, repeatable, and it finds what cannot be missed."""

from __future__ import annotations

import numpy as np
import pytest
from at_table import deck
from scale import scaled

import agents
from nap_env import Rules, cards
from nap_env.agent import Agent, ask
from nap_env.errors import AgentError
from nap_env.rules import PRESETS
from nap_env.vector import Tables

# The solver takes minutes uncompiled with seven cards a hand.
FEASIBLE = [pytest.param(preset, marks=pytest.mark.jit) if preset == "seven_card" else preset for preset in PRESETS]


def chances(number: int, seed: int = 0) -> list[np.random.Generator]:
    return [np.random.default_rng((seed, row)) for row in range(number)]


def table_after(hands: list[str], actions: str, rules: Rules) -> Tables:
    """One table at which the last seat dealt and these actions were taken."""
    tables = Tables(1, rules, seed=0)
    dealer = rules.num_players - 1
    tables.reset(decks=[[cards.card_id(card) for card in deck(hands, dealer, rules)]], dealers=[dealer])
    for action in actions.split():
        tables.step([cards.action_id(action)])
    return tables


def answer(agent: Agent, tables: Tables, seed: int = 1) -> str:
    return cards.action_name(agent.act(tables.obs[0], tables.mask[0], np.random.default_rng(seed)))


@pytest.mark.parametrize("playouts", ["rules", "random"])
@pytest.mark.parametrize("preset", PRESETS)
def test_it_plays_every_preset(preset: str, playouts: str) -> None:
    """`ask` raises where an action is not legal; a row does not depend on the others, and comes again."""
    tables = Tables(4, preset, seed=3)
    agent = agents.make("ismcts", preset, iterations=scaled(12), playouts=playouts)
    for step in range(scaled(50)):
        chosen = ask(agent, tables.obs, tables.mask, chances(4, step))
        for row, rng in enumerate(chances(4, step)):
            assert agent.act_each(tables.obs[row : row + 1], tables.mask[row : row + 1], [rng]) == chosen[row]
        tables.step(chosen)


def test_it_beats_the_card_that_would_make_the_bid() -> None:
    """The declarer has two tricks and is winning the third that he needs: the last to play can still stop him."""
    hands = ["AS KS TS 2H 3H", "4S 5S 6S 4C 5C", "2S 3S JS 7D 8D"]
    tables = table_after(hands, "THREE PASS PASS AS 4S 2S KS 5S 3S TS 6S", Rules(num_players=3))
    assert tables.seat[0] == 2
    assert answer(agents.make("ismcts", tables.rules, iterations=scaled(100)), tables) == "JS"


@pytest.mark.jit
def test_it_bids_what_cannot_fail() -> None:
    """Five top trumps: Nap is worth ten a payer, more than any other bid but the ones that ask for the same."""
    hands = ["AS KS QS JS TS", "2S 3S AH KH QH", "4S 5S JH TH 9H", "6S AD KD QD JD", "7S AC KC QC JC"]
    tables = table_after(hands, "", Rules(num_players=5))
    assert answer(agents.make("ismcts", tables.rules, iterations=600), tables) in ("NAP", "WELLINGTON", "BLUCHER")


def test_a_time_instead_of_a_number() -> None:
    tables = table_after(["AS KS QS JS TS", "2S 3S AH KH QH", "4S 5S JH TH 9H"], "NAP PASS PASS", Rules(num_players=3))
    agent = agents.make("ismcts", tables.rules, milliseconds=1)
    assert answer(agent, tables) in ("AS", "KS", "QS", "JS", "TS")
    tables = table_after(["AS KS QS JS TS", "2S 3S AH KH QH", "4S 5S JH TH 9H"], "NAP PASS PASS AS", tables.rules)
    assert answer(agent, tables) in ("2S", "3S")


@pytest.mark.parametrize(
    ("option", "error"),
    [
        ({"playouts": "clever"}, "playouts='clever': there are rules and random"),
        ({"exploration": -1.0}, "exploration=-1.0: give a number from 0"),
        ({"milliseconds": 0}, "milliseconds=0: give a number above 0"),
    ],
)
def test_what_is_no_budget_is_refused(option: dict[str, object], error: str) -> None:
    with pytest.raises(AgentError, match=error):
        agents.make("ismcts", **option)
