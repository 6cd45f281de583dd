"""Our SB3 VecEnvs: equal to SB3's own over SeatEnvs, returns as computed by hand, fit for MaskablePPO."""

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

import torch
from at_seat import Unsteady, choose
from gymnasium.error import ResetNeeded
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor

from nap_env import SeatEnv
from nap_env.cards import action_id
from train.learning.seatwise import SelfPlayPPO, seatwise_gae
from train.sb3_env import NapVecEnv, SelfPlayVecEnv

SMALL = {"n_steps": 16, "batch_size": 64, "n_epochs": 1, "gamma": 1.0, "device": "cpu", "seed": 0}
SMALL |= {"policy_kwargs": {"net_arch": [16]}}


def picks(venv, turn):
    return np.array([choose(mask, turn + row) for row, mask in enumerate(get_action_masks(venv))])


@pytest.mark.parametrize(
    "settings",
    [
        {"opponents": "simple-v1"},
        {"opponents": "random", "num_hands": 2, "starting_chips": 6},
        {"opponents": ["random", Unsteady(), "pass", "simple-v1"], "skip_forced": True},
        {"opponents": "simple-v1", "task": "play", "partner": "simple-v1"},
    ],
)
def test_it_is_sb3s_own_over_seat_envs(settings):
    theirs = DummyVecEnv([lambda: SeatEnv(**settings)] * 6)
    ours = NapVecEnv(6, seed=4, **settings)
    theirs.seed(4)
    np.testing.assert_array_equal(theirs.reset(), ours.reset())
    ended = 0
    for turn in range(60):
        np.testing.assert_array_equal(get_action_masks(theirs), get_action_masks(ours))
        actions = picks(theirs, turn)
        (one, *rest, infos), (other, *others, found) = theirs.step(actions), ours.step(actions)
        np.testing.assert_array_equal(one, other)
        for a, b in zip(rest, others, strict=True):
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a, b)
        for info, mine in zip(infos, found, strict=True):
            assert info["TimeLimit.truncated"] is mine["TimeLimit.truncated"]
            assert ("terminal_observation" in info) == ("terminal_observation" in mine) == ("episode" in mine)
            if "episode" in mine:
                ended += 1
                np.testing.assert_array_equal(info["terminal_observation"], mine["terminal_observation"])
    assert ended > 20


def test_names_that_sb3_asks_for():
    venv = NapVecEnv(3, opponents="simple-v1", seed=1)
    venv.reset()
    assert is_masking_supported(venv)
    assert len(venv.get_attr("action_masks")) == 3
    assert venv.get_attr("rules", [0, 2]) == [venv.rules] * 2
    assert not venv.has_attr("cards")
    for call in (
        lambda: venv.env_method("shuffle"),
        lambda: venv.set_attr("rules", 1),
        lambda: venv.get_attr("no"),
    ):
        with pytest.raises(AttributeError, match=r"shuffle|rules|no"):
            call()
    rows = venv.env_method("action_masks", indices=[2, 0])
    np.testing.assert_array_equal(rows, venv.action_masks()[[2, 0]])
    assert venv.env_is_wrapped(VecMonitor) == [False] * 3
    first, second = (venv.step(picks(venv, 0))[3] for _ in range(2))
    assert all(a is not b for a, b in zip(first, second, strict=True))
    venv.close()


def test_an_empty_mask_is_an_error():
    venv = NapVecEnv(3, opponents="simple-v1", seed=1)
    venv.reset()
    venv.tables.mask[1] = 0
    with pytest.raises(RuntimeError, match="no legal action in row 1"):
        get_action_masks(venv)


def test_a_nap_made_is_paid_once():
    """Five trumps from the top, four who pass: 10 stakes from each, at the last of the learner's moves."""
    venv = NapVecEnv(2, opponents="pass", seat=0, seed=1)
    venv.set_options({"dealer": 4, "hands": {0: "AS KS QS JS TS"}})
    venv.reset()
    paid = []
    for name in ("NAP", "AS", "KS", "QS", "JS", "TS"):
        _, rewards, done, infos = venv.step(np.full(2, action_id(name)))
        paid.append(rewards[0])
    assert paid == [0, 0, 0, 0, 0, 40]
    assert done.all()
    assert infos[1]["episode"]["r"] == 40
    assert infos[1]["episode"]["l"] == 6


def test_opponents_are_swapped_while_training():
    venv = NapVecEnv(4, opponents="random", seed=1)
    model = MaskablePPO("MlpPolicy", venv, **SMALL).learn(64)
    venv.set_opponents("simple-v1")
    venv.set_opponents(["pass", "random", "pass", "random"], [1, 3])
    model.learn(64)
    mean, _ = evaluate_policy(model, NapVecEnv(2, opponents="simple-v1", seed=5), n_eval_episodes=4, warn=False)
    assert np.isfinite(mean)


# ---- every seat learns ---------------------------------------------------------------------------------


def self_play_returns(**settings):
    """Matches played to their end: their steps, undiscounted returns with values of zero, and nets."""
    venv = SelfPlayVecEnv(3, seed=2, **settings)
    venv.reset()
    seats, paid, ended, nets = [], [], [], np.zeros(venv.paid.shape)
    alive = np.ones(3, bool)
    turn = 0
    while alive.any():
        venv.step(picks(venv, turn))
        seats.append(venv.acted), paid.append(venv.paid), ended.append(venv.ended)
        nets[alive] += venv.paid[alive]
        alive &= ~venv.ended
        turn += 1
    arrays = [np.stack(part) for part in (seats, paid, ended)]
    values = np.zeros(arrays[0].shape, np.float32)
    _, returns = seatwise_gae(*arrays, values, venv.tables.seat, values[0], 1.0, 1.0)
    return arrays, returns, nets


@pytest.mark.parametrize("rules", ["standard", "seven_card", "ecarte", "no_misere"])
def test_every_decision_returns_what_its_seat_still_wins(rules):
    (seats, paid, ended), returns, nets = self_play_returns(rules=rules)
    for table in range(3):
        last = int(ended[:, table].argmax())
        for step in range(last + 1):
            seat = seats[step, table]
            assert returns[step, table] == paid[step : last + 1, table, seat].sum()
        firsts = {int(seats[step, table]): step for step in reversed(range(last + 1))}
        for seat, step in firsts.items():
            earlier = paid[:step, table, seat].sum()
            assert returns[step, table] == nets[table, seat] - earlier


def test_skipping_forced_moves_changes_no_return():
    (seats, _, ended), returns, nets = self_play_returns(skip_forced=True)
    for table in range(3):
        for step in range(int(ended[:, table].argmax()) + 1):
            assert returns[step, table] == nets[table, seats[step, table]]  # standard rules: all is paid last


def test_advantages_by_hand():
    """One table, seats 0 and 1: two decisions each, the last of seat 1 open; then a match that ended."""
    seats = np.array([[0], [1], [0], [1]], np.int8)
    paid = np.array([[[1, -1]], [[0, 0]], [[2, -2]], [[4, -4]]], np.float32)
    values = np.array([[0.5], [1.0], [2.0], [3.0]], np.float32)
    going, over = np.zeros((4, 1), bool), np.array([[False], [False], [False], [True]])
    after = np.array([0], np.int8), np.array([7.0], np.float32)
    open_ends, _ = seatwise_gae(seats, paid, going, values, *after, 1.0, 0.5)
    # seat 0, last: paid 2 + 4, then a decision worth 7
    assert open_ends[2, 0] == 6 + 7 - 2
    assert open_ends[0, 0] == (1 + 0 + 2 - 0.5) + 0.5 * open_ends[2, 0]
    assert open_ends[3, 0] == 0  # nothing is known of what follows
    assert open_ends[1, 0] == 0 - 2 + 3 - 1
    closed, returns = seatwise_gae(seats, paid, over, values, *after, 1.0, 0.5)
    assert closed[3, 0] == -4 - 3
    assert closed[2, 0] == 6 - 2
    assert returns[2, 0] == 6


def test_self_play_learns_from_every_seat():
    venv = SelfPlayVecEnv(8, seed=3, skip_forced=True, reward_scale=20.0)
    model = SelfPlayPPO("MlpPolicy", VecMonitor(venv), **SMALL)
    model.learn(256)
    buffer = model.rollout_buffer
    assert np.isfinite(buffer.returns).all()
    assert np.count_nonzero(buffer.advantages) > 0.5 * buffer.advantages.size
    assert all(mask.sum() > 1 for mask in get_action_masks(venv))
    with pytest.raises(TypeError, match="not in a NapVecEnv"):
        SelfPlayPPO("MlpPolicy", NapVecEnv(2, opponents="random"), **SMALL).learn(16)


def test_self_play_is_told_by_its_seed():
    runs = []
    for _ in range(2):
        venv = SelfPlayVecEnv(5, num_players=3, num_hands=2)
        venv.seed(6)
        seen = [venv.reset()] + [venv.step(picks(venv, turn))[0] for turn in range(30)]
        runs.append(np.stack(seen))
    np.testing.assert_array_equal(*runs)


def test_the_policy_sees_the_observation_without_the_mask():
    venv = NapVecEnv(2, opponents="random", seed=1)
    model = MaskablePPO("MlpPolicy", venv, **SMALL)
    assert model.policy.observation_space == SeatEnv(opponents="random").observation_space
    values = model.policy.predict_values(torch.as_tensor(venv.reset()))
    assert values.shape == (2, 1)


# ---- before reset, seeds, pictures -----------------------------------------------------------------------


@pytest.mark.parametrize("make", [lambda: NapVecEnv(2, seed=1), lambda: SelfPlayVecEnv(2, seed=1)])
def test_before_reset_masks_are_not_a_bug_but_missing(make):
    venv = make()
    for ask in (venv.action_masks, lambda: venv.env_method("action_masks"), lambda: get_action_masks(venv)):
        with pytest.raises(ResetNeeded, match=r"call reset\(\) before action_masks"):
            ask()
    with pytest.raises(ResetNeeded, match="before render"):
        venv.get_images()
    venv.reset()
    assert venv.action_masks().any(axis=1).all()


@pytest.mark.parametrize("kind", [NapVecEnv, SelfPlayVecEnv])
def test_seed_before_reset_and_after_is_that_of_the_constructor(kind):
    named, later = kind(3, seed=40), kind(3, seed=1)
    assert later.seed(40) == [40, 41, 42]
    first = later.reset()
    assert kind is SelfPlayVecEnv or np.array_equal(first, named.reset())  # the first of theirs was dealt at once
    assert not np.array_equal(first, later.reset())
    later.seed(np.int64(40))
    assert np.array_equal(first, later.reset())
    assert len(set(later.seed())) == 3
    with pytest.raises(ValueError, match=rf"{2**63 - 1} is too large for 3"):
        later.seed(2**63 - 1)
    with pytest.raises(ValueError, match="an integer"):
        later.seed("one")


@pytest.mark.parametrize("kind", [NapVecEnv, SelfPlayVecEnv])
def test_a_video_of_the_tables(kind, tmp_path):
    from stable_baselines3.common.vec_env import VecVideoRecorder

    venv = VecVideoRecorder(
        kind(2, seed=1, render_mode="rgb_array"),
        str(tmp_path),
        record_video_trigger=lambda step: step == 0,
        video_length=3,
    )
    venv.reset()
    picture = venv.unwrapped.render()
    assert picture.dtype == np.uint8
    assert picture.ndim == 3
    for _ in range(4):
        venv.step(venv.unwrapped.action_masks().argmax(axis=1))
    venv.close()
    assert list(tmp_path.glob("*.mp4"))


def test_another_render_mode_is_refused():
    with pytest.raises(ValueError, match=r"render_mode='human'.*'rgb_array'"):
        NapVecEnv(2, render_mode="human")
