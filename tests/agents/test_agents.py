"""Agents by name and by hand: the registry, what makes an agent of an object, the simplest agents, any table."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from scale import scaled

import agents
from agents.arena import duplicate
from agents.random import PassAgent, RandomAgent
from agents.simple import SimpleAgent
from nap_env import Game, cards, observation
from nap_env.agent import Agent, BaseAgent, ask, bind, infer_rules, registry
from nap_env.errors import AgentError, RulesError
from nap_env.rules import PRESETS, Rules, make_rules
from nap_env.vector import Tables

RNG = np.random.default_rng(0)
PLAYERS = ("random", "pass", "simple-v1", "rules")
ROOT = Path(__file__).parents[2]


class OnlyAct:
    """The least that anybody would write: the lowest legal action."""

    def act(self, observation, action_mask, rng):
        return int(np.argmax(action_mask))


class OnlyBatch:
    """The same for many rows."""

    name = "lowest"

    def act_batch(self, observations, action_masks, rng):
        return np.argmax(action_masks, axis=1)


INSTANCE = OnlyAct()


# ---- the registry -----------------------------------------------------------------------------------------


def test_names_make_agents() -> None:
    assert set(PLAYERS) <= set(agents.names())
    for name in PLAYERS:
        agent = agents.make(name)
        assert isinstance(agent, Agent)
        assert agent.name == name
        assert repr(agent) == f"<agent {name}>"


def test_an_unknown_name_lists_what_there_is() -> None:
    with pytest.raises(AgentError, match=r"no agent 'simple': there are .*simple-v1.*'module:Name'"):
        agents.make("simple")
    with pytest.raises(AgentError, match="no agent ':x'"):
        agents.make(":x")
    with pytest.raises(AgentError, match="must be text, not 3"):
        agents.make(3)  # type: ignore[arg-type]


def test_module_and_name() -> None:
    assert isinstance(agents.make("agents.simple:SimpleAgent"), SimpleAgent)
    assert agents.make(f"{__name__}:OnlyBatch").name == "lowest"
    made = agents.make(f"{__name__}:INSTANCE", "standard")  # an instance is taken as it is
    assert made.name == "OnlyAct"
    with pytest.raises(AgentError, match="takes no options"):
        agents.make(f"{__name__}:INSTANCE", depth=3)
    with pytest.raises(AgentError, match="cannot be loaded: No module named 'nowhere_at_all'"):
        agents.make("nowhere_at_all:Thing")
    with pytest.raises(AgentError, match="has no 'Thing'"):
        agents.make("agents.random:Thing")
    with pytest.raises(AgentError, match="no agent and no class of agents"):
        agents.make(f"{__name__}:PLAYERS")


def test_arguments_and_options_reach_the_constructor(monkeypatch: pytest.MonkeyPatch) -> None:
    class Argued(RandomAgent):
        def __init__(self, path: str, depth: int = 1) -> None:
            super().__init__()
            self.got = (path, depth)

    monkeypatch.setattr("agents.random.Argued", Argued, raising=False)
    monkeypatch.setitem(registry.BUILT_IN, "argued", "agents.random:Argued")
    assert agents.make("argued:a:b", depth=2).got == ("a:b", 2)  # type: ignore[attr-defined]
    with pytest.raises(AgentError, match=r"'argued' cannot be made so: missing a required argument: 'path'"):
        agents.make("argued")
    with pytest.raises(AgentError, match="RandomAgent takes no argument 'x', only a Rules"):
        agents.make("random:x")
    with pytest.raises(AgentError, match="unexpected keyword argument 'depth'"):
        agents.make("random", depth=2)


def test_entry_points_add_names_and_change_none(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [
        metadata.EntryPoint("theirs", f"{__name__}:OnlyBatch", registry.GROUP),
        metadata.EntryPoint("simple-v1", f"{__name__}:OnlyBatch", registry.GROUP),
    ]
    monkeypatch.setattr(registry.metadata, "entry_points", lambda group: points if group == registry.GROUP else [])
    assert "theirs" in agents.names()
    assert agents.make("theirs").name == "lowest"
    assert agents.make("simple-v1").name == "simple-v1"  # the yardstick is ours


def test_another_distributions_agents(tmp_path: Path) -> None:
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "__init__.py").write_text("")
    code = "from nap_env.agent import make; make('rules')"
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        cwd=tmp_path,
    )
    assert "another distribution's `agents` shadows or has overwritten it" in done.stderr
    assert "virtual environment of its own" in done.stderr
    assert "AgentError" in done.stderr


def test_nap_env_alone_does_not_import_agents() -> None:
    code = "import sys, nap_env.agent, nap_env.vector; sys.exit('agents' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


# ---- bound and unbound --------------------------------------------------------------------------------------


def test_an_unbound_agent_finds_the_rules_out() -> None:
    for n in range(2, 8):
        rules = make_rules("standard", n)
        assert infer_rules(observation.size(rules)) == rules
    game = Game.deal(seed=1, rules="penny", dealer=4, hands={0: "AS KS QS JS TS"})
    view = game.observe(0)
    assert agents.make("simple-v1").act(view["observation"], view["action_mask"], RNG) == cards.NAP


def test_where_the_length_does_not_tell_the_rules() -> None:
    agent = agents.make("rules")
    with pytest.raises(AgentError, match=r"purchase with 5 or sir_garnet with 5; say which .*agents.make\(name, rules"):
        infer_rules(observation.size(PRESETS["sir_garnet"]))
    with pytest.raises(AgentError, match=r"no preset for 2 to 7 players has observations of 7 places; .*rules="):
        agent.act(np.zeros(7, np.int8), np.ones(64, np.int8), RNG)
    assert infer_rules(observation.size(make_rules("no_misere", 4))) == make_rules("no_misere", 4)


def test_an_agent_bound_to_other_rules_refuses() -> None:
    game = Game.deal(seed=1, num_players=3)
    view = game.observe(0)
    agent = agents.make("simple-v1", "standard", 4)
    with pytest.raises(AgentError, match=r"simple-v1 plays .* 447 places, and was shown one of 354"):
        agent.act(view["observation"], view["action_mask"], RNG)
    assert bind(agent, make_rules("standard", 3)).act(view["observation"], view["action_mask"], RNG) >= 0
    with pytest.raises(RulesError, match="unknown rules"):
        agents.make("rules", "whist")


def test_binding_leaves_the_original_alone() -> None:
    agent = SimpleAgent()
    bound = agent.for_rules(PRESETS["peep"])
    assert agent.rules is None
    assert bound.rules == PRESETS["peep"]
    assert isinstance(bound, SimpleAgent)


def test_an_agent_may_refuse_rules() -> None:
    class Picky(OnlyAct):
        def for_rules(self, rules: Rules) -> Picky:
            if rules.num_players != 5:
                raise AgentError("trained for five players")
            return self

    assert bind(Picky(), PRESETS["standard"]).name == "Picky"
    with pytest.raises(AgentError, match="trained for five"):
        bind(Picky(), make_rules("standard", 4))


def test_bind_completes_what_people_write() -> None:
    tables = Tables(5, seed=1)
    lowest = np.argmax(tables.mask, axis=1)
    for thing, name in ((OnlyAct(), "OnlyAct"), (OnlyBatch(), "lowest")):
        agent = bind(thing, tables.rules)
        assert isinstance(agent, Agent)
        assert agent.name == name
        assert agent.act_batch(tables.obs, tables.mask, RNG).tolist() == lowest.tolist()
        assert agent.act(tables.obs[2], tables.mask[2], RNG) == lowest[2]
    assert bind("pass", tables.rules).name == "pass"
    with pytest.raises(AgentError, match=r"neither act\(observation, action_mask, rng\)"):
        bind(object(), tables.rules)
    with pytest.raises(AgentError, match="OnlyAct is a class"):
        bind(OnlyAct, tables.rules)


def test_a_subclass_must_act() -> None:
    class Idle(BaseAgent):
        pass

    with pytest.raises(TypeError, match="Idle must define act or act_batch"):
        Idle()


@pytest.mark.parametrize("name", PLAYERS)
def test_agents_are_copied_and_pickled(name: str) -> None:
    tables = Tables(40, seed=3)
    agent = agents.make(name, "standard")
    for other in (copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))):
        mine = agent.act_batch(tables.obs, tables.mask, np.random.default_rng(1))
        assert (mine == other.act_batch(tables.obs, tables.mask, np.random.default_rng(1))).all()


# ---- ask ----------------------------------------------------------------------------------------------------


class Answering(BaseAgent):
    """Answers what it was made with, whatever it is asked."""

    name = "answering"

    def __init__(self, answer: object) -> None:
        super().__init__()
        self.answer = answer

    def act_batch(self, observations, action_masks, rng, *states):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (np.array([52, 52, 52]), r"must answer 2 observations with whole numbers of shape \(2,\)"),
        (np.array([52.0, 52.0]), "not float64"),
        (np.array([True, True]), "not bool"),
        (None, "not object"),
        ([52, 59], "chose 59, SIX, in row 1; legal: PASS, THREE, MISERE"),
        ([52, 64], r"chose 64, no action \(0..63\), in row 1"),
        ([-12, 52], r"chose -12, no action \(0..63\), in row 0"),
        (ZeroDivisionError("by zero"), "answering raised ZeroDivisionError: by zero"),
    ],
)
def test_wrong_answers_are_named(answer: object, error: str) -> None:
    tables = Tables(2, seed=1)
    with pytest.raises(AgentError, match=error):
        ask(Answering(answer), tables.obs, tables.mask, RNG)


def test_right_answers_of_any_integer_type() -> None:
    tables = Tables(2, seed=1)
    for answer in ([52, 53], (52, 53), np.array([52, 53], np.uint8)):
        assert ask(Answering(answer), tables.obs, tables.mask, RNG).tolist() == [52, 53]


def test_an_agent_that_cheats_gets_the_state() -> None:
    class Seer(BaseAgent):
        name = "seer"
        needs_state = True
        seen = 0

        def act(self, observation, action_mask, rng, *state):
            Seer.seen = len(state[0])
            return int(np.argmax(action_mask))

    tables = Tables(3, seed=1)
    with pytest.raises(AgentError, match=r"seer sees all cards \(needs_state\)"):
        ask(Seer(), tables.obs, tables.mask, RNG)
    ask(Seer(), tables.obs, tables.mask, RNG, tables.state)
    assert Seer.seen == observation.state_size(tables.rules)


# ---- act and act_batch, chance ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["simple-v1", "rules"])
@pytest.mark.parametrize("preset", PRESETS)
def test_act_is_a_row_of_act_batch(name: str, preset: str) -> None:
    tables = Tables(6, preset, seed=2)
    agent = agents.make(name, preset)
    for _ in range(scaled(40)):
        chosen = agent.act_batch(tables.obs, tables.mask, RNG)
        assert chosen.dtype == np.int64
        for row in range(6):
            assert agent.act(tables.obs[row], tables.mask[row], RNG) == chosen[row]
        tables.step(chosen)


def test_views_of_other_arrays_are_read_right() -> None:
    """Rows of a larger array, read-only ones and other integer types give the same answers."""
    tables = Tables(8, seed=2)
    agent = agents.make("rules", "standard")
    want = agent.act_batch(tables.obs, tables.mask, RNG).tolist()
    wide = np.zeros((16, tables.obs.shape[1] + 3), np.int8)
    wide[::2, 2:-1] = tables.obs
    frozen = tables.obs.copy()
    frozen.flags.writeable = False
    for rows in (wide[::2, 2:-1], frozen, np.asfortranarray(tables.obs)):
        assert agent.act_batch(rows, tables.mask, RNG).tolist() == want
    assert agent.act_batch(tables.obs[:0], tables.mask[:0], RNG).shape == (0,)


def test_random_is_uniform_over_what_is_legal() -> None:
    mask = np.zeros((6000, 64), np.int8)
    mask[:, [3, 17, 63]] = 1
    chosen = RandomAgent().act_batch(np.zeros((6000, 1), np.int8), mask, np.random.default_rng(5))
    numbers, counts = np.unique(chosen, return_counts=True)
    assert numbers.tolist() == [3, 17, 63]
    assert abs(counts - 2000).max() < 5 * np.sqrt(6000 * 2 / 9)


def test_a_generator_a_row_makes_rows_independent() -> None:
    tables = Tables(9, seed=4)
    agent = RandomAgent()
    whole = agent.act_each(tables.obs, tables.mask, [np.random.default_rng(k) for k in range(9)])
    for row in range(9):
        alone = agent.act_each(tables.obs[row : row + 1], tables.mask[row : row + 1], [np.random.default_rng(row)])
        assert alone[0] == whole[row]
        assert agent.act(tables.obs[row], tables.mask[row], np.random.default_rng(row)) == whole[row]


def test_pass_never_bids_buys_peeps_or_takes_the_spare_hand() -> None:
    rules = Rules(exchange="purchase", peep=True, sir_garnet=True, num_players=4)
    tables = Tables(30, rules, seed=1)
    agent = PassAgent()
    for _ in range(60):
        chosen = agent.act_batch(tables.obs, tables.mask, np.random.default_rng(1))
        assert (chosen == cards.PASS)[tables.mask[:, cards.PASS] == 1].all()
        tables.step(chosen)
    assert (tables.net == 0).all()


# ---- every table --------------------------------------------------------------------------------------------

VARIANTS = [
    *PRESETS.values(),
    *(make_rules("standard", n) for n in (2, 3, 4, 6, 7)),
    Rules(revoke="penalised"),
    Rules(hand_size=7, num_players=7, misere_below_nap=True, stop_when_decided=True),
    Rules(num_players=4, peep=True, peep_exchange="declarer", exchange="ecarte", pack=52),
    Rules(num_players=4, exchange="purchase", purchase_count=5, peep=True, sir_garnet=True),
    Rules(num_players=3, misere_trump=True, wellington_lowest_lead=True, sir_garnet=True, pack=28),
    Rules(num_players=4, dealer_sits_out=True, revoke="penalised", peep=True),
    Rules(ladder=("MISERE",), num_players=3, peep=True),
    Rules(ladder=("FOUR",), num_players=3, pack=24),
    Rules(hand_size=1, num_players=4, suits=2, pack=6),
    Rules(hand_size=2, num_players=3, suits=2, pack=8),
    Rules(hand_size=3, num_players=3, suits=3, pack=24, misere_trump=True),
    Rules(hand_size=4, num_players=7, pack=28, suits=4),
]


@pytest.mark.parametrize("rules", VARIANTS, ids=str)
def test_every_agent_plays_every_table_to_the_end(rules: Rules) -> None:
    """All agents at one table, `ask` checks each answer; a revoke never happens to those that count."""
    bound = [bind(name, rules) for name in ("rules", "simple-v1", "random", "rules", "pass", "simple-v1", "rules")]
    deals = np.arange(scaled(200))
    seating = np.array([np.roll(np.arange(rules.num_players), deal) for deal in deals])
    played = duplicate.play(bound, seating, deals, rules, purpose="test", seed=1)
    assert (played.stakes.sum(axis=1) == 0).all()
    assert played.turns.sum() > 0


def test_rules_and_simple_never_revoke() -> None:
    rules = Rules(revoke="penalised")
    bound = [bind("rules", rules), bind("simple-v1", rules)]
    deals = np.arange(scaled(300))
    seating = np.array([[deal % 2, (deal + 1) % 2, 0, 1, 0] for deal in deals])
    honest = duplicate.play(bound, seating, deals, rules, purpose="test", seed=2)
    forbidden = [bind("rules", Rules()), bind("simple-v1", Rules())]
    assert (honest.stakes == duplicate.play(forbidden, seating, deals, Rules(), purpose="test", seed=2).stakes).all()


@pytest.mark.parametrize("preset", ["standard", "purchase", "ecarte", "peep"])
def test_rules_plays_matches_with_chips(preset: str) -> None:
    """With few chips, eliminations and a full pool, through the environment itself."""
    game = Game.deal(seed=3, rules=preset, num_hands=6, starting_chips=9, rebuys=1)
    agent = agents.make("rules", game.rules)
    while game.seat is not None:
        view = game.observe(game.seat)
        game.play(agent.act(view["observation"], view["action_mask"], RNG))
    assert game.over
    assert sum(game.net) == 0


@pytest.mark.jit
@pytest.mark.parametrize("name", ["simple-v1", "rules", "book", "chart", "search", "ismcts", "cheat"])
def test_arrays_of_another_shape_are_refused(name: str) -> None:
    tables = Tables(4, seed=1)
    obs, mask, state = tables.obs, tables.mask, tables.state()
    agent = agents.make(name, "standard")
    states = (state,) if agent.needs_state else ()
    good = agent.act_batch(np.asfortranarray(obs), mask.astype(np.int64), np.random.default_rng(1), *states)
    assert mask[np.arange(4), good].all()
    for rows, masks in ((obs, mask[:, :60]), (obs, mask[:3]), (obs[:, :100], mask), (obs[0], mask[0])):
        with pytest.raises(AgentError, match="observations"):
            agent.act_batch(rows, masks, np.random.default_rng(1), *states)
    for wrong in ((), (state[:, :-1],), (state, state)) if states else ():
        with pytest.raises(AgentError, match="states"):
            agent.act_batch(obs, mask, np.random.default_rng(1), *wrong)
