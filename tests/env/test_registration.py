"""What `gymnasium.make`, `make_vec` and `pettingzoo.make` give, bare and with arguments."""

import re
import subprocess
import sys

import gymnasium
import numpy as np
import pettingzoo
import pytest

import nap_env
from nap_env import NapVectorEnv, SeatEnv, nap_v0, seat, vector_env
from nap_env.agent import BaseAgent

IDS = ["nap_env/Nap-v0", "nap_env/NapBidding-v0", "nap_env/NapPlay-v0"]


class Uncopyable(BaseAgent):
    """An agent that holds what cannot be copied."""

    name = "uncopyable"

    def act(self, observation, action_mask, rng):
        return int(np.argmax(action_mask))

    def __deepcopy__(self, memo):
        raise TypeError("this agent cannot be copied")


@pytest.mark.parametrize("name", IDS)
def test_made_bare(name):
    env = gymnasium.make(name)
    _, info = env.reset(seed=1)
    over = False
    while not over:
        assert np.array_equal(env.action_masks(), info["action_mask"] != 0)
        _, _, over, _, info = env.step(env.action_space.sample(info["action_mask"]))
    env.close()


@pytest.mark.parametrize("name", IDS)
def test_make_vec_gives_the_batch_engine(name):
    envs = gymnasium.make_vec(name, num_envs=8)
    assert isinstance(envs, NapVectorEnv)
    observations, infos = envs.reset(seed=1)
    for _ in range(10):
        observations, _, _, _, infos = envs.step([int(np.argmax(mask)) for mask in infos["action_mask"]])
    assert observations.shape == (8, *envs.single_observation_space.shape)
    envs.close()


@pytest.mark.parametrize("name", IDS)
def test_both_ways_of_make_vec_play_alike(name):
    ours = gymnasium.make_vec(name, num_envs=3)
    sync = gymnasium.make_vec(name, num_envs=3, vectorization_mode="sync")
    assert isinstance(sync, gymnasium.vector.SyncVectorEnv)
    one, other = ours.reset(seed=4), sync.reset(seed=4)
    for _ in range(20):
        np.testing.assert_array_equal(one[0], other[0])
        actions = np.argmax(np.stack(sync.call("action_masks")), axis=1)
        one, other = ours.step(actions), sync.step(actions)
        np.testing.assert_array_equal(one[1], other[1])
    sync.close()


def test_arguments_reach_the_environment():
    env = gymnasium.make("nap_env/Nap-v0", rules="peep", num_players=3, opponents=["random", "pass"], seat=2)
    assert env.unwrapped.rules == nap_env.Rules(peep=True, num_players=3)
    assert env.reset(seed=1)[1]["seat"] == 2
    envs = gymnasium.make_vec(
        "nap_env/NapPlay-v0", num_envs=2, opponents="random", partner="simple-v1", max_episode_steps=2,
        autoreset_mode=gymnasium.vector.AutoresetMode.SAME_STEP, threads=2, copy=False,
    )  # fmt: skip
    envs.reset(seed=1)
    envs.step(np.argmax(envs.action_masks(), axis=1))
    assert envs.step(np.argmax(envs.action_masks(), axis=1))[3].all()


def test_a_spec_is_readable_whatever_the_agents_are():
    agent = Uncopyable()
    env = gymnasium.make("nap_env/Nap-v0", opponents=agent)
    assert env.spec.kwargs["opponents"] is agent
    assert env.spec.id == "nap_env/Nap-v0"
    assert env.action_masks().shape == (64,)
    assert "Nap-v0" in str(env)
    assert gymnasium.make_vec("nap_env/Nap-v0", num_envs=2, opponents=agent).spec.kwargs["opponents"] is agent


def test_a_spec_makes_the_same_again():
    env = gymnasium.make("nap_env/NapBidding-v0", opponents="simple-v1", num_players=4)
    again = env.spec.make()
    assert isinstance(again, SeatEnv)
    np.testing.assert_array_equal(env.reset(seed=3)[0], again.reset(seed=3)[0])


def test_wrappers_of_gymnasium_go_around():
    env = gymnasium.make("nap_env/Nap-v0", opponents="simple-v1", max_episode_steps=3)
    assert isinstance(env, gymnasium.wrappers.TimeLimit)
    env.reset(seed=1)
    assert env.get_wrapper_attr("action_masks")().any()
    assert env.spec.max_episode_steps == 3


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="this PettingZoo has no registry")
def test_pettingzoo_makes_the_aec_environment():
    env = pettingzoo.make("aec", "nap_env/nap-v0", num_players=3)
    assert isinstance(env, nap_v0.raw_env)
    env.reset(seed=1)
    assert len(env.agents) == 3


def test_registering_again_is_quiet():
    nap_env.adapters.registration.register()
    assert [name for name in gymnasium.registry if name.startswith("nap_env/")] == IDS


def test_importing_is_cheap():
    """No compiler, no learning library, no window; how long it takes is no test."""
    forbidden = ["numba", "torch", "pygame", "matplotlib", "stable_baselines3", "agents", "train"]
    code = f"import sys, nap_env; print([name for name in {forbidden} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("module", [nap_v0, seat, vector_env])
def test_examples_in_docstrings_run(module):
    (example,) = re.findall(r"```python\n(.*?)```", module.__doc__, re.DOTALL)
    exec(example, {})
