"""NapVectorEnv: every row is a SeatEnv, whatever its neighbours do, in all of Gymnasium's modes."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest
from at_seat import TERMS, Faulty, Unsteady
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from scale import NOJIT

from nap_env import IllegalAction, NapVectorEnv, SeatEnv
from nap_env.agent import make
from nap_env.errors import AgentError
from nap_env.observation import layout

MODES = list(AutoresetMode)


def picks(masks, turn):
    """Legal actions [B], now and then an illegal one; rows with an empty mask get 0."""
    places = [np.flatnonzero(mask) for mask in masks]
    chosen = [legal[(7 * turn + 3 * row) % len(legal)] if len(legal) else 0 for row, legal in enumerate(places)]
    if turn % 9 == 8:
        chosen[turn % len(chosen)] = turn % 64
    return np.array(chosen, np.int64)


def equal(one, other, where=""):
    """Nested results are equal in type, dtype, shape and value."""
    assert type(one) is type(other), where
    if isinstance(one, dict):
        assert sorted(one) == sorted(other), where
        for key in one:
            equal(one[key], other[key], f"{where}[{key}]")
    elif isinstance(one, np.ndarray) and one.dtype == object:
        for a, b in zip(one, other, strict=True):
            equal(a, b, where)
    elif isinstance(one, np.ndarray):
        assert one.dtype == other.dtype, where
        np.testing.assert_array_equal(one, other, where)
    elif isinstance(one, tuple):
        for number, (a, b) in enumerate(zip(one, other, strict=True)):
            equal(a, b, f"{where}.{number}")
    else:
        assert one == other, where


def both(num_envs, mode, **arguments):
    """A SyncVectorEnv of SeatEnvs, and ours."""
    sync = SyncVectorEnv([lambda: SeatEnv(**arguments)] * num_envs, autoreset_mode=mode)
    return sync, NapVectorEnv(num_envs, autoreset_mode=mode, **arguments)


def walk(sync, ours, steps, seed=11):
    """Both from the same seed, step by step."""
    equal(sync.reset(seed=seed), ours.reset(seed=seed))
    for turn in range(12 if NOJIT else steps):
        masks = np.stack(sync.call("action_masks"))
        np.testing.assert_array_equal(masks, ours.action_masks())
        actions = picks(masks, turn)
        theirs, mine = sync.step(actions), ours.step(actions)
        equal(theirs, mine, f"step {turn}")
        done = theirs[2] | theirs[3]
        if ours.autoreset_mode == AutoresetMode.DISABLED and done.any():
            again = [{"options": {"reset_mask": done.copy()}} for _ in range(2)]
            equal(sync.reset(**again[0]), ours.reset(**again[1]), f"reset {turn}")


LINE_UP = ["simple-v1", "random", Unsteady(), "pass"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("preset", "terms"), TERMS)
def test_rows_are_seat_envs(preset, terms, mode):
    walk(*both(5, mode, rules=preset, opponents="simple-v1", **terms), 60)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "more",
    [
        {"opponents": "random", "num_hands": 2},
        {"opponents": LINE_UP},
        {"opponents": [make("random"), "simple-v1", "simple-v1", Unsteady()], "skip_forced": True},
        {"opponents": LINE_UP, "task": "bidding", "partner": Unsteady()},
        {"opponents": LINE_UP, "task": "play", "partner": "random"},
        {"opponents": "random", "seat": 3, "starting_chips": 5, "num_hands": 9, "rebuys": 1},
    ],
)
def test_rows_are_seat_envs_with_any_company(more, mode):
    walk(*both(6, mode, **more), 80)


@pytest.mark.parametrize("mode", MODES)
def test_time_limits_truncate(mode):
    ours = NapVectorEnv(5, opponents="simple-v1", max_episode_steps=4, autoreset_mode=mode)
    limited = [lambda: gymnasium.wrappers.TimeLimit(SeatEnv(opponents="simple-v1"), 4)] * 5
    walk(SyncVectorEnv(limited, autoreset_mode=mode), ours, 40)


def test_a_row_does_not_depend_on_its_neighbours():
    small, large = (NapVectorEnv(size, opponents=LINE_UP) for size in (3, 40))
    one, other = small.reset(seed=[7, 5, 6])[0], large.reset(seed=list(range(40)))[0]
    rows = [7, 5, 6]
    for turn in range(60):
        np.testing.assert_array_equal(one, other[rows])
        masks = large.action_masks()
        actions = np.array([np.flatnonzero(mask)[turn % mask.sum()] if mask.any() else 0 for mask in masks])
        one, rewards, *_ = small.step(actions[rows])
        other, all_rewards, *_ = large.step(actions)
        np.testing.assert_array_equal(rewards, all_rewards[rows])


@pytest.mark.parametrize("opponents", ["random", "simple-v1"])
@pytest.mark.jit
def test_threads_change_nothing(opponents):
    one, two = (NapVectorEnv(1200, opponents=opponents, threads=threads) for threads in (1, 2))
    equal(one.reset(seed=3), two.reset(seed=3))
    for turn in range(12):
        actions = picks(one.action_masks(), turn)
        equal(one.step(actions), two.step(actions))


def test_outputs_are_copies_unless_told_otherwise():
    safe, fast = (NapVectorEnv(3, opponents="simple-v1", copy=copied) for copied in (True, False))
    kept, reused = safe.reset(seed=1)[0], fast.reset(seed=1)[0]
    before = kept.copy()
    actions = picks(safe.action_masks(), 0)
    after = safe.step(actions)[0]
    assert fast.step(actions)[0] is reused
    np.testing.assert_array_equal(kept, before)
    np.testing.assert_array_equal(reused, after)


def test_spaces_and_metadata():
    envs = NapVectorEnv(4, opponents="random", autoreset_mode=AutoresetMode.SAME_STEP)
    observations, _ = envs.reset(seed=1)
    assert envs.observation_space.contains(observations)
    assert envs.action_space.contains(np.full(4, 52))
    assert envs.single_observation_space == SeatEnv(opponents="random").observation_space
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert "autoreset_mode" not in NapVectorEnv.metadata
    assert NapVectorEnv(2, opponents="random").metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    masks = envs.action_masks()
    assert masks.dtype == np.bool_
    equal(envs.call("action_masks"), tuple(masks))
    assert envs.get_attr("penalty") == (-240.0,) * 4
    with pytest.raises(AttributeError, match="no 'cards'"):
        envs.call("cards")
    envs.close()


@pytest.mark.parametrize("mode", MODES)
def test_unmasked_sampling_does_not_raise(mode):
    envs = NapVectorEnv(30, opponents="random", autoreset_mode=mode)
    envs.action_space.seed(0)
    envs.reset(seed=0)
    for _ in range(40):
        _, rewards, over, _, infos = envs.step(envs.action_space.sample())
        ended = infos["final_info"]["illegal"] if mode == AutoresetMode.SAME_STEP and over.any() else infos["illegal"]
        assert np.all(rewards[ended] == envs.penalty)
        if mode == AutoresetMode.DISABLED and over.any():
            envs.reset(options={"reset_mask": over})


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda envs: pickle.loads(pickle.dumps(envs))])
@pytest.mark.jit
def test_copies_go_on_where_they_were(copied):
    envs = NapVectorEnv(700, opponents=LINE_UP, threads=2)
    envs.reset(seed=2)
    envs.step(picks(envs.action_masks(), 0))
    twin = copied(envs)
    for turn in range(8):
        actions = picks(envs.action_masks(), turn)
        equal(envs.step(actions), twin.step(actions))


def test_opponents_are_swapped_row_by_row():
    envs = NapVectorEnv(6, opponents="pass", seat=0)
    envs.set_opponents("random", [1, 4])
    faulty = Faulty()
    envs.set_opponents(["simple-v1", faulty, "random", "pass"], np.array([2]))
    envs.reset(seed=1, options={"dealer": 4})
    assert sorted({agent.name for agent in envs._tables.company.agents}) == [
        "faulty",
        "pass",
        "random",
        "simple-v1",
    ]
    faulty.fault = ValueError("no")
    with pytest.raises(AgentError, match="faulty, asked for player_2 at table 2, raised ValueError: no"):
        envs.step(picks(envs.action_masks(), 0))
    envs.set_opponents("simple-v1")
    assert [agent.name for agent in envs._tables.company.agents] == ["simple-v1"]
    for row in range(6):
        envs.set_opponents("random", [row])
    assert [agent.name for agent in envs._tables.company.agents] == ["random"]


@pytest.mark.parametrize("mode", MODES)
def test_a_failing_agent_leaves_all_rows_as_they_stood(mode):
    faulty = Faulty()
    line_up = ["simple-v1", "simple-v1", faulty, "simple-v1"]
    envs, twin = (NapVectorEnv(8, opponents=line_up, autoreset_mode=mode, seat=0) for _ in range(2))
    equal(envs.reset(seed=2), twin.reset(seed=2))
    for turn in range(25):
        actions = picks(twin.action_masks(), turn)
        faulty.fault = 63
        try:
            result = envs.step(actions)
        except AgentError as error:
            assert "faulty chose an illegal action at table" in str(error)  # noqa: PT017
            np.testing.assert_array_equal(envs.action_masks(), twin.action_masks())
            faulty.fault = None
            result = envs.step(actions)
        faulty.fault = None
        equal(result, twin.step(actions))
        done = result[2]
        if mode == AutoresetMode.DISABLED and done.any():
            equal(*(e.reset(options={"reset_mask": done.copy()}) for e in (envs, twin)))


def test_bad_actions_change_nothing():
    envs, twin = (NapVectorEnv(3, opponents="simple-v1") for _ in range(2))
    with pytest.raises(gymnasium.error.ResetNeeded, match="call reset"):
        envs.step(np.full(3, 52))
    envs.reset(seed=1), twin.reset(seed=1)
    for actions in (52, [52, 52], np.full((3, 1), 52), [52.0] * 3, [True] * 3, ["PASS"] * 3, None):
        with pytest.raises(ValueError, match=r"actions must be integers of shape \(3,\)"):
            envs.step(actions)
    with pytest.raises(IllegalAction, match="row 1: 64 is no action"):
        envs.step([52, 64, 52])
    equal(envs.step([52, 52, 52]), twin.step(np.full(3, 52, np.uint8)))


def test_bad_resets_change_nothing():
    envs, twin = (NapVectorEnv(3, opponents="simple-v1", autoreset_mode="Disabled") for _ in range(2))
    envs.reset(options={"reset_mask": np.array([True, False, True])})
    with pytest.raises(gymnasium.error.ResetNeeded, match="some rows"):
        envs.step([52] * 3)
    envs.reset(seed=1), twin.reset(seed=1)
    for options in ({"reset_mask": [True] * 3}, {"reset_mask": np.ones(2, bool)}, {"reset_mask": np.ones(3)}):
        with pytest.raises(ValueError, match="reset_mask"):
            envs.reset(options=options)
    with pytest.raises(ValueError, match="names no row"):
        envs.reset(options={"reset_mask": np.zeros(3, bool)})
    for seed in (-1, [1, 2], "one", 2**63 - 2, [1, 2, -3]):
        with pytest.raises(ValueError, match="seed"):
            envs.reset(seed=seed)
    over = envs.step([0, 52, 52])[2]
    twin.step([0, 52, 52])
    assert over[0]
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"rows \[0.*reset_mask"):
        envs.step([52] * 3)
    equal(*(e.reset(options={"reset_mask": over.copy()}, seed=[9, None, None]) for e in (envs, twin)))


@pytest.mark.parametrize("arguments", [{"num_envs": 0}, {"num_envs": True}, {"threads": 0}, {"autoreset_mode": "x"}])
def test_arguments_that_cannot_be(arguments):
    with pytest.raises(ValueError, match=r"x|whole number"):
        NapVectorEnv(**{"num_envs": 2, "opponents": "random"} | arguments)


def test_decks_may_be_given_to_all_rows():
    envs = NapVectorEnv(3, opponents="simple-v1", seat=0)
    observations, _ = envs.reset(seed=1, options={"dealer": 4, "hands": {0: "AS KS QS JS TS"}})
    spades = observations[:, layout(envs.rules)["hand"]]
    assert np.array_equal(spades, np.broadcast_to(spades[0], spades.shape))
    assert spades[0].sum() == 5


def test_text_of_every_row():
    envs = NapVectorEnv(2, opponents="simple-v1", render_mode="ansi")
    envs.reset(seed=1)
    pictures = envs.render()
    assert len(pictures) == 2
    assert all(isinstance(text, str) for text in pictures)


def test_a_seed_in_an_array_of_no_dimensions_is_a_seed():
    envs = NapVectorEnv(3)
    first, _ = envs.reset(seed=7)
    for seed in (np.array(7), np.int64(7), np.array(7, np.uint8), [7, 8, 9], np.array([7, 8, 9])):
        assert np.array_equal(first, envs.reset(seed=seed)[0])
    for seed in (np.array(7.5), np.array(True)):
        with pytest.raises(ValueError, match="a seed must be an integer"):
            envs.reset(seed=seed)
