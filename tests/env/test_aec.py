"""PettingZoo's own tests for every preset and table, and the AEC layout that clients count on."""

import functools
import itertools
import random
import sys
from types import SimpleNamespace

import gymnasium
import numpy as np
import pettingzoo.test
import pytest
from pettingzoo.utils.conversions import turn_based_aec_to_parallel
from scale import NOJIT

from nap_env import PRESETS, Rules, RulesError, nap_v0
from nap_env.cards import PASS, action_id

# PettingZoo warns so for every env with a mask that is not of its own collection.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning"),
]


def fits(preset, n):
    """Whether a preset can be played by so many (R2.5, R2.6)."""
    try:
        nap_v0.env(preset, n)
    except RulesError:
        return False
    return True


TABLES = [(preset, n) for preset, n in itertools.product(PRESETS, range(3, 8)) if fits(preset, n)]
if NOJIT:
    TABLES = [(preset, rules.num_players) for preset, rules in PRESETS.items()]
CYCLES = 10 if NOJIT else 100
every_table = pytest.mark.parametrize(("preset", "n"), TABLES)


def test_every_table_that_R2_6_allows():
    refused = {(p, n) for p, n in itertools.product(PRESETS, range(3, 8)) if not fits(p, n)}
    assert refused == {("ecarte", 5), ("ecarte", 6), ("ecarte", 7), ("six_handed", 3)}


# ---- PettingZoo's tests ----------------------------------------------------------------------------


@every_table
def test_api(preset, n):
    pettingzoo.test.api_test(nap_v0.env(preset, n), num_cycles=CYCLES)


@every_table
def test_seed(preset, n):
    pettingzoo.test.seed_test(functools.partial(nap_v0.env, preset, n), num_cycles=CYCLES)


@every_table
def test_state(preset, n):
    parallel = turn_based_aec_to_parallel(nap_v0.env(preset, n))
    pettingzoo.test.state_test(nap_v0.env(preset, n), parallel)


@every_table
def test_parallel_api(preset, n):
    parallel = turn_based_aec_to_parallel(nap_v0.env(preset, n))
    pettingzoo.test.parallel_api_test(parallel, num_cycles=CYCLES)


@every_table
def test_render_ansi(preset, n):
    def make(render_mode):
        env = nap_v0.env(preset, n, render_mode="ansi")
        env.metadata = env.metadata | {"render_modes": ["ansi"]}
        return env

    def narrow(text):
        return text and max(map(len, text.splitlines())) <= 80

    pettingzoo.test.render_test(make, {"ansi": narrow})


@pytest.mark.parametrize("preset", PRESETS)
def test_render_every_mode(preset, monkeypatch):
    pytest.importorskip("pygame")
    from nap_env.render import window

    monkeypatch.setattr(window, "Window", functools.partial(window.Window, fps=1000))
    pettingzoo.test.render_test(functools.partial(nap_v0.env, preset))


@every_table
def test_performance_benchmark(preset, n, monkeypatch, capsys):
    benchmark = sys.modules["pettingzoo.test.performance_benchmark"]
    clock = itertools.count(0, 5 / CYCLES)  # its five seconds are over after CYCLES rounds
    monkeypatch.setattr(benchmark, "time", SimpleNamespace(time=lambda: next(clock)))
    pettingzoo.test.performance_benchmark(nap_v0.env(preset, n))
    assert "turns per second" in capsys.readouterr().out


@pytest.mark.skip(reason="PettingZoo 1.27's takes a Dict observation for an array, and step()'s None for the next")
def test_bombardment():
    pettingzoo.test.bombardment_test(nap_v0.env())


@pytest.mark.skip(reason="it samples without masks and expects max_cycles and that all act equally often")
def test_max_cycles():
    pettingzoo.test.max_cycles_test(nap_v0)


def test_more_than_one_hand():
    env = nap_v0.env("purchase", num_hands=6, starting_chips=3, rebuys=1, tie_break=True)
    pettingzoo.test.api_test(env, num_cycles=200)


# ---- the layout (one test a property) --------------------------------------------------------------


@pytest.fixture
def env():
    env = nap_v0.env(num_players=4)
    env.reset(seed=5)
    return env


def playout(env, rng):
    """Random legal actions to the end of the match; the reward each agent saw in `last`."""
    seen = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, _ = env.last()
        seen[agent] += reward
        dead = termination or truncation
        env.step(None if dead else int(rng.choice(np.flatnonzero(observation["action_mask"]))))
    return seen


def test_observation_keys_and_types(env):
    for agent in env.agents:
        seen = env.observe(agent)
        assert list(seen) == ["observation", "action_mask"]  # tutorials unpack values()
        assert list(env.observation_space(agent).spaces) == ["observation", "action_mask"]
        assert seen["observation"].dtype == seen["action_mask"].dtype == np.int8
        assert seen["action_mask"].shape == (64,)
        assert env.observation_space(agent).contains(seen)


def test_spaces(env):
    for agent in env.possible_agents:
        assert env.observation_space(agent) is env.observation_space(agent)
        assert env.action_space(agent) is env.action_space(agent)
        assert env.observation_space(agent) == env.observation_space("player_0")
        assert env.action_space(agent) == gymnasium.spaces.Discrete(64)
    assert env.observation_space("player_0")["action_mask"] == gymnasium.spaces.Box(0, 1, (64,), np.int8)
    assert env.state_space.contains(env.state())


def test_mask_is_the_actors_alone(env):
    while not env.terminations["player_0"]:
        masks = {agent: env.observe(agent)["action_mask"] for agent in env.agents}
        assert masks[env.agent_selection].any()
        assert set(np.unique(masks[env.agent_selection])) <= {0, 1}
        assert not any(mask.any() for agent, mask in masks.items() if agent != env.agent_selection)
        env.step(int(masks[env.agent_selection].argmax()))
    assert not any(env.observe(agent)["action_mask"].any() for agent in env.possible_agents)


def test_agents_and_names(env):
    assert env.possible_agents == ["player_0", "player_1", "player_2", "player_3"]
    assert env.agents == env.possible_agents
    assert env.agents is not env.possible_agents
    assert (env.num_agents, env.max_num_agents) == (4, 4)
    assert str(env) == "nap_v0"
    assert env.unwrapped is env
    assert env.metadata["is_parallelizable"] is False
    assert env.metadata["render_modes"] == ["human", "ansi", "rgb_array"]


def test_reset_returns_none_and_step_too(env):
    assert env.reset(seed=1, options={"something": "else"}) is None
    assert env.step(PASS) is None


def test_plain_python_types(env):
    rng = np.random.default_rng(1)
    while env.agents:
        for agent in env.agents:
            assert type(env.rewards[agent]) is float or env.rewards[agent] == 0
            assert type(env.terminations[agent]) is bool
            assert type(env.truncations[agent]) is bool
        mask = env.last()[0]["action_mask"]
        env.step(int(rng.choice(np.flatnonzero(mask))) if mask.any() else None)


@pytest.mark.parametrize("terms", [{}, {"num_hands": 5}, {"num_hands": 8, "starting_chips": 4, "rebuys": 1}])
@pytest.mark.parametrize("preset", ["standard", "purchase", "peep", "six_handed"])
def test_rewards_of_last_sum_to_the_score_sheet(preset, terms):
    env = nap_v0.env(preset, **terms)
    for seed in range(5):
        env.reset(seed=seed)
        seen = playout(env, np.random.default_rng(seed))
        assert list(seen.values()) == env.result()["net"]


def test_all_agents_end_together_and_leave_one_by_one(env):
    while not env.terminations[env.agent_selection]:
        env.step(int(env.last()[0]["action_mask"].argmax()))
    assert all(env.terminations.values())
    assert not any(env.truncations.values())
    assert len(env.terminations) == 4
    for left in (3, 2, 1, 0):
        leaving = env.agent_selection
        env.step(None)
        for agents in (env.agents, env.rewards, env.terminations, env.truncations, env.infos):
            assert len(agents) == left
            assert leaving not in agents
    assert env.possible_agents == [f"player_{seat}" for seat in range(4)]


def test_a_finished_agent_steps_none(env):
    while not env.terminations[env.agent_selection]:
        env.step(int(env.last()[0]["action_mask"].argmax()))
    with pytest.raises(ValueError, match="None"):
        env.step(PASS)
    assert len(env.agents) == 4
    env.step(None)
    assert len(env.agents) == 3


def test_agent_iter_wants_a_step_each_turn(env):
    turns = env.agent_iter()
    next(turns)
    with pytest.raises(AssertionError, match="step"):
        next(turns)
    env.reset(seed=1)
    turns = env.agent_iter()
    next(turns)
    env.step(PASS)
    assert next(turns) == env.agent_selection


def test_agent_iter_counts(env):
    assert sum(1 for _ in env.agent_iter(3) if env.step(PASS) is None) == 3
    assert sum(1 for _ in env.agent_iter(0)) == 0


def test_observations_are_fresh(env):
    first = env.observe("player_0")
    kept = first["observation"].copy()
    first["observation"][:] = 9
    first["action_mask"][:] = 9
    again = env.observe("player_0")
    assert np.array_equal(again["observation"], kept)
    assert again["action_mask"].max() <= 1
    state = env.state()
    state[:] = 9
    assert not np.array_equal(env.state(), state)


def test_observing_changes_nothing(env):
    rng = np.random.default_rng(3)
    while env.agents:
        before = repr(env.get_state())
        views = [env.observe(agent)["observation"].tobytes() for agent in env.possible_agents]
        assert views == [env.observe(agent)["observation"].tobytes() for agent in env.possible_agents]
        env.state()
        env.last()
        env.result()
        assert repr(env.get_state()) == before
        mask = env.last()[0]["action_mask"]
        env.step(int(rng.choice(np.flatnonzero(mask))) if mask.any() else None)
    env.observe("player_0")  # at the end too


def test_infos_are_stable(env):
    infos = {agent: env.infos[agent] for agent in env.agents}
    assert len({id(info) for info in infos.values()}) == 4
    while not env.terminations["player_0"]:
        assert all(env.infos[agent] is infos[agent] for agent in env.agents)
        assert env.infos == {agent: {} for agent in env.agents}
        env.step(int(env.last()[0]["action_mask"].argmax()))


def test_no_global_random_state():
    random.seed(1)
    before = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002 - that it stays is the point
    env = nap_v0.env("purchase", num_hands=3)
    env.reset()
    playout(env, np.random.default_rng(1))
    env.reset(seed=3)
    playout(env, np.random.default_rng(1))
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before  # noqa: NPY002


def test_who_is_out_stays_an_agent():
    # Seat 1 revokes against a Three and is out; three hands more are played without him.
    env = nap_v0.env(Rules(num_players=4, revoke="penalised"), num_hands=4, starting_chips=9)
    hands = {0: "AS KS QS JS TS", 1: "2S AH KH QH JH", 2: "4S 5S TH 9H 8H"}
    env.reset(seed=1, options={"dealer": 3, "hands": hands})
    for action in "THREE PASS PASS PASS AS AH".split():
        env.step(action_id(action))
    assert env.rewards == {"player_0": 9, "player_1": -9, "player_2": 0, "player_3": 0}
    rng = np.random.default_rng(1)
    while not env.terminations["player_0"]:
        assert len(env.agents) == 4
        assert env.agent_selection != "player_1"
        assert not env.observe("player_1")["action_mask"].any()
        env.step(int(rng.choice(np.flatnonzero(env.last()[0]["action_mask"]))))
        assert env.rewards["player_1"] == 0
    assert env.result()["hands"] == 4
    reward = dict.fromkeys(env.agents, 0)
    for agent in env.agent_iter():
        reward[agent] += env.last()[1]
        env.step(None)
    assert reward["player_1"] == -9  # what it lost when it went out


def test_parallel_conversion_needs_the_turn_based_one():
    from pettingzoo.utils.conversions import aec_to_parallel

    with pytest.raises(AssertionError):
        aec_to_parallel(nap_v0.env())


def test_registry():
    if not hasattr(pettingzoo, "make"):
        pytest.skip("PettingZoo has a registry from 1.27 on")
    import nap_env

    assert nap_env.nap_v0
    env = pettingzoo.make("aec", "nap_env/nap-v0", num_players=3)
    env.reset(seed=1)
    assert env.possible_agents == ["player_0", "player_1", "player_2"]


@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
def test_render_from_a_seat_and_close_twice(mode):
    if mode == "rgb_array":
        pytest.importorskip("pygame")
    env = nap_v0.env(render_mode=mode)
    env.close()
    env.reset(seed=1, options={"dealer": 4, "hands": {1: "AS KS QS JS TS"}})
    pictures = [env.render(), env.render(0), env.render("player_1"), env.render(np.int64(1))]
    if mode == "ansi":
        assert all(isinstance(picture, str) for picture in pictures)
        assert pictures[2] == pictures[3] != pictures[1]
    else:
        assert all(picture.dtype == np.uint8 and picture.shape[2] == 3 for picture in pictures)
    for viewer in (5, -1, "player_9", 1.5, True):
        with pytest.raises(ValueError, match="viewer"):
            env.render(viewer)
    env.close()
    env.close()


def test_render_without_a_mode_warns(env):
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None
