"""The agent that sees all cards: it uses them, everywhere, and is kept out of rankings."""

from __future__ import annotations

import numpy as np
import pytest
from scale import scaled
from test_ismcts import FEASIBLE, table_after

import agents
from agents.arena import tournament, versus
from nap_env import Rules, cards, solver
from nap_env.agent import ask
from nap_env.engine.records import PLAY
from nap_env.errors import AgentError
from nap_env.vector import Tables

RNG = np.random.default_rng(0)


def answer(tables: Tables) -> str:
    cheat = agents.make("cheat", tables.rules)
    return cards.action_name(int(ask(cheat, tables.obs, tables.mask, RNG, tables.state)[0]))


@pytest.mark.parametrize("preset", FEASIBLE)
def test_it_plays_every_preset(preset: str) -> None:
    """`ask` raises where an action is not legal; a row does not depend on the others."""
    tables = Tables(5, preset, seed=4)
    agent = agents.make("cheat", preset)
    for _ in range(scaled(60)):
        chosen = ask(agent, tables.obs, tables.mask, RNG, tables.state)
        states = tables.state()
        for row in range(5):
            assert agent.act(tables.obs[row], tables.mask[row], RNG, states[row]) == chosen[row]  # type: ignore[call-arg]
        tables.step(chosen)


@pytest.mark.jit
def test_a_bid_that_can_be_made_is_made_against_anybody() -> None:
    """Bids as `rules`; then the others play at random, and no card of the cheat gives away what the solver makes."""
    tables = Tables(300, "standard", seed=9, auto_deal=False)
    cheat, chance, caller = (agents.make(name, "standard") for name in ("cheat", "random", "rules"))
    makes = np.zeros(300, np.bool_)
    live = np.arange(300)
    while live.size:
        for row in live:
            game = tables.games[row]
            if game.phase == PLAY and not game.trick and not game.laid:
                makes[row] = solver.can_make(
                    [int(h) for h in game.hand[:5]], int(game.declarer), int(game.contract), tables.rules
                )
        playing = tables.games["phase"][live] == PLAY
        calls, cards_ = (ask(agent, tables.obs[live], tables.mask[live], RNG) for agent in (caller, chance))
        leads = tables.games["declarer"][live] == tables.seat[live]
        states = tables.state()[live]
        clever = ask(cheat, tables.obs[live], tables.mask[live], RNG, lambda states=states: states)
        _, done = tables.step(np.where(playing, np.where(leads, clever, cards_), calls), live)
        live = live[~done]
    declarers = tables.games["declarer"].astype(np.int64)
    made = (tables.games["hand_winners"].astype(np.int64) >> np.maximum(declarers, 0)) & 1 == 1
    assert makes.sum() > 20
    assert made[makes].all()


def test_it_bids_what_it_makes_and_passes_what_fails() -> None:
    """Two hands that look alike to the bidder: only the others' cards differ."""
    rules = Rules(num_players=3, ladder=("NAP",))
    high = "AS KS QS JS 9H"
    safe = table_after([high, "2H 3H 4H 5H 6H", "2C 3C 4C 5C 6C"], "", rules)
    beaten = table_after([high, "TH 2H 3C 2D 4D", "2S 3S 4S 5S 6S"], "", rules)
    assert np.array_equal(safe.obs, beaten.obs)
    assert answer(safe) == "NAP"
    assert answer(beaten) == "PASS"


def test_it_is_not_ranked_unless_asked_for() -> None:
    with pytest.raises(AgentError, match=r"cheat sees all cards and is not ranked .* allow_cheats=True"):
        tournament(["cheat", "pass"], 3, 2)


@pytest.mark.jit
def test_asked_for_it_is_ranked_and_comes_first() -> None:
    found = tournament(["cheat", "pass"], 3, 30, allow_cheats=True)
    assert found.standings[0].name == "cheat"


@pytest.mark.jit
def test_it_is_far_above_the_rules() -> None:
    assert versus("cheat", "rules", 5, 60, seed=1).low > 0.3
