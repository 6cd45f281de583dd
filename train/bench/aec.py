"""The loop of `pettingzoo.test.performance_benchmark`, for some cycles instead of five seconds."""

from __future__ import annotations

import random
from time import perf_counter
from typing import Any

import numpy as np

from train.bench.measure import Sample, Work


def turning(env: Any, cycles: int = 20) -> Work:
    """So many cycles of turns with random legal actions; a turn is a call of ``env.step``."""
    env.reset()

    def sample() -> Sample:
        turns = 0
        start = perf_counter()
        for _ in range(cycles):
            turns += _cycle(env)
        return Sample(turns, perf_counter() - start)

    return sample


def _cycle(env: Any) -> int:
    """As many turns as there are agents, word for word as PettingZoo takes them."""
    turn = 0
    for agent in env.agent_iter(env.num_agents):
        obs, _reward, termination, truncation, _info = env.last()
        if termination or truncation:
            action = None
        elif isinstance(obs, dict) and "action_mask" in obs:
            action = random.choice(np.flatnonzero(obs["action_mask"]).tolist())
        else:
            action = env.action_space(agent).sample()
        env.step(action)
        turn += 1
        if all(env.terminations.values()) or all(env.truncations.values()):
            env.reset()
    return turn
