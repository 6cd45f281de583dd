"""Perfect-information Monte Carlo: legal, repeatable, right where worlds can be counted, and strong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from random_play import fitting, seen_by
from random_play import tables as random_play
from scale import scaled
from test_ismcts import FEASIBLE, answer, chances, table_after

import agents
from agents.arena import versus
from agents.searching.worlds import KINDS, bid_likelihood
from nap_env import Rules, cards, solver
from nap_env.agent import ask
from nap_env.determinise import determinise, knowledge
from nap_env.engine import records
from nap_env.errors import AgentError
from nap_env.vector import Tables


@pytest.mark.parametrize("bidder", ["rules", "simulation"])
@pytest.mark.parametrize("preset", FEASIBLE)
def test_it_plays_every_preset(preset: str, bidder: str) -> None:
    """`ask` raises where an action is not legal; a row does not depend on the others, and comes again."""
    tables = Tables(4, preset, seed=3)
    agent = agents.make("search", preset, worlds=2, bidder=bidder, listen=bidder == "rules", kinds=KINDS)
    for step in range(scaled(50)):
        chosen = ask(agent, tables.obs, tables.mask, chances(4, step))
        for row, rng in enumerate(chances(4, step)):
            assert agent.act_each(tables.obs[row : row + 1], tables.mask[row : row + 1], [rng]) == chosen[row]
        tables.step(chosen)


SMALL = [
    Rules(num_players=3, hand_size=3, suits=3, pack=12),
    Rules(num_players=3, hand_size=4, suits=2, pack=14),
    Rules(num_players=4, hand_size=2, suits=3, pack=9),
]


@pytest.mark.jit
@pytest.mark.parametrize("rules", SMALL, ids=["3x3", "4x2", "2x3"])
def test_a_card_that_serves_in_every_world_is_found(rules: Rules) -> None:
    """All worlds are enumerated and solved; the card played is as good as any, up to the chance of 60 draws."""
    agent = agents.make("search", rules, worlds=60, shares=1.0, bidder="rules", kinds=KINDS)
    rng, only, tried = np.random.default_rng(2), 0, 0
    for games in random_play(rules, 150, seed=9):
        game = games[0]
        if game.phase != records.PLAY or int(game.legal).bit_count() == 1:
            continue
        seat, n = int(game.seat), rules.num_players
        row = seen_by(games, rules, seat)
        worlds = fitting(knowledge(row, rules))
        if len(worlds) > 400:
            continue
        hands = np.zeros((len(worlds), n), np.uint64)
        for place in range(1, n):
            hands[:, (seat + place) % n] = [world[place - 1] for world in worlds]
        hands[:, seat] = game.hand[seat]
        made = solver.solve_worlds(games, hands, rules)
        serves = made if seat == int(game.declarer) else ~made
        share = {card: np.mean(serves >> np.uint64(card) & np.uint64(1)) for card in cards.cards_of(int(game.legal))}
        mask = np.zeros(64, np.int8)
        mask[list(share)] = 1
        chosen = agent.act(row, mask, rng)
        best = max(share.values())
        assert share[chosen] >= best - 4.5 * (best * (1.0 - best) / 60) ** 0.5 - 1e-9
        only += best == 1.0 and sum(value == 1.0 for value in share.values()) == 1
        tried += 1
    assert tried > 60
    assert only > 0


def test_it_beats_the_card_that_would_make_the_bid() -> None:
    hands = ["AS KS TS 2H 3H", "4S 5S 6S 4C 5C", "2S 3S JS 7D 8D"]
    tables = table_after(hands, "THREE PASS PASS AS 4S 2S KS 5S 3S TS 6S", Rules(num_players=3))
    for shares in (0.0, 1.0):
        agent = agents.make("search", tables.rules, worlds=5, bidder="rules", shares=shares)
        assert answer(agent, tables) == "JS"


def test_simulation_bids_what_cannot_fail() -> None:
    hands = ["AS KS QS JS TS", "2S 3S AH KH QH", "4S 5S JH TH 9H", "6S AD KD QD JD", "7S AC KC QC JC"]
    for shares in (0.0, 1.0):
        tables = table_after(hands, "", Rules(num_players=5))
        agent = agents.make("search", tables.rules, worlds=scaled(5), bidder="simulation", shares=shares)
        assert answer(agent, tables) == "NAP"


def test_bids_are_the_bidders() -> None:
    tables = Tables(50, "standard", seed=1)
    for name in ("rules", "simple-v1", "random"):
        agent = agents.make("search", "standard", bidder=name)
        calls = ask(agent, tables.obs, tables.mask, chances(50))
        if name != "random":
            own = agents.make(name, "standard").act_batch(tables.obs, tables.mask, np.random.default_rng(0))
            assert calls.tolist() == own.tolist()
        again = agent.act_each(tables.obs[7:8], tables.mask[7:8], [chances(50)[7]])
        assert again == calls[7]


def test_a_time_instead_of_a_number() -> None:
    tables = table_after(
        ["AS KS QS JS TS", "2S 3S AH KH QH", "4S 5S JH TH 9H"], "NAP PASS PASS AS", Rules(num_players=3)
    )
    agent = agents.make("search", tables.rules, milliseconds=1.5, worlds=2, bidder="rules")
    assert answer(agent, tables) in ("2S", "3S")


@pytest.mark.parametrize(
    ("option", "error"),
    [
        ({"shares": 1.5}, r"shares=1.5: give parts 0..1, one or 5: declarer tricks, .*bids"),
        ({"shares": [0.5, 0.5]}, "give parts 0..1, one or 5"),
        ({"kinds": ["cards"]}, r"kinds=\['cards'\]: give some of declarer tricks"),
        ({"milliseconds": -2}, "milliseconds=-2: give a number above 0"),
    ],
)
def test_what_is_no_budget_is_refused(option: dict[str, Any], error: str) -> None:
    with pytest.raises(AgentError, match=error):
        agents.make("search", **option)
    with pytest.raises(ValueError, match="worlds must be a whole number from 1"):
        agents.make("search", worlds=0)


# ---- what calls tell ------------------------------------------------------------------------------------------


def test_bids_make_hands_likely_that_bid_so() -> None:
    """After a Nap the declarer is thought to hold more aces, and after a Misere fewer, than in any hand that fits."""
    hands = ["AS KS QS JS TS", "2S 3S AH KH QH", "4S 5S JH TH 9H", "6S AD KD QD JD", "7S AC KC QC JC"]
    aces = np.uint64(cards.mask_of([12, 25, 38, 51]))
    held = {}
    for call in ("NAP", "MISERE"):
        tables = table_after(hands, f"{call} PASS PASS", Rules(num_players=5))
        weight = bid_likelihood(tables.obs[0], tables.rules)
        rng, number = np.random.default_rng(0), scaled(2000)
        even = determinise(tables.obs[0], tables.rules, rng, number)
        likely = determinise(tables.obs[0], tables.rules, rng, number, weight=weight, candidates=4)
        held[call] = [np.bitwise_count(worlds[:, 2] & aces).mean() for worlds in (even, likely)]
    assert held["MISERE"][1] < held["MISERE"][0] or scaled(100) == 1
    assert held["NAP"][1] > held["NAP"][0] + 0.1 or scaled(100) == 1


def test_the_chance_of_a_world_is_at_most_one() -> None:
    tables = table_after(["AS KS QS JS TS", "2S 3S AH KH QH", "4S 5S JH TH 9H"], "THREE PASS", Rules(num_players=3))
    worlds = determinise(tables.obs[0], tables.rules, np.random.default_rng(0), 20)
    chances_ = bid_likelihood(tables.obs[0], tables.rules)(worlds)
    assert chances_.shape == (20,)
    assert ((chances_ > 0.0) & (chances_ <= 1.0)).all()


# ---- strength -------------------------------------------------------------------------------------------------


@pytest.mark.jit
def test_it_is_far_above_the_yardstick() -> None:
    assert versus(agents.make("search", "standard", 5, worlds=5, bidder="rules"), "simple-v1", 5, 60, seed=2).low > 0.3
