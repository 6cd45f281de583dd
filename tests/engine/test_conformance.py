"""Every conformance case through `nap_v0.raw_env`: seat, legal set, rewards at each step, and the end."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from scale import NOJIT

from nap_env import Rules, nap_v0
from nap_env.cards import ACTION_NAMES, action_id

CASES = Path(__file__).parents[1] / "data" / "conformance.jsonl.gz"
EVERY = 6 if NOJIT else 1  # as plain Python a case takes a second


def cases():
    with gzip.open(CASES, "rt") as lines:
        return [json.loads(line) for line in lines]


def legal(env):
    """The names in the mask of the agent to act, in ASCII order."""
    return sorted(ACTION_NAMES[a] for a in np.flatnonzero(env.last()[0]["action_mask"]))


@pytest.mark.parametrize("case", cases()[::EVERY], ids=lambda case: case["id"])
def test_conformance(case):
    terms = {key: case[key] for key in ("num_hands", "starting_chips", "rebuys", "tie_break")}
    env = nap_v0.raw_env(Rules(**case["rules"]), **terms)
    env.reset(seed=1, options={"dealer": case["dealer"], "decks": case["decks"]})
    sheet = dict.fromkeys(env.possible_agents, 0)
    for number, step in enumerate(case["steps"]):
        agent = env.agent_selection
        assert (agent, legal(env)) == (f"player_{step['seat']}", step["legal"]), number
        sheet[agent] += env.last(observe=False)[1]
        env.step(action_id(step["action"]))
        assert list(env.rewards.values()) == step["reward"], number
    assert all(env.terminations.values())
    final = case["final"]
    result = env.result()
    for key, expected in (("net", "rewards"), ("chips", "chips"), ("winners", "winners"), ("hands", "hands")):
        assert result[key] == final[expected]
    for agent in env.agent_iter():
        sheet[agent] += env.last(observe=False)[1]
        env.step(None)
    assert list(sheet.values()) == final["rewards"]
    assert not env.agents


def test_there_are_cases():
    assert len(cases()) == 456
