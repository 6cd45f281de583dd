"""Policies in files: written whole, read with clear errors, played with NumPy alone."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from agents.learned import FILE, LearnedAgent, Policy
from agents.seeing.features import feature_size
from nap_env.agent import registry
from nap_env.errors import AgentError
from nap_env.rules import Rules, make_rules
from nap_env.vector import Tables


def policy(rules: Rules, seed: int = 0) -> Policy:
    rng = np.random.default_rng(seed)
    sizes = [feature_size(rules), 16, 64]
    layers = [
        (rng.normal(size=shape).astype(np.float32), rng.normal(size=shape[1]).astype(np.float32))
        for shape in itertools.pairwise(sizes)
    ]
    return Policy(layers, rules, {"name": "test", "note": "ü"})


def test_a_policy_goes_through_its_file(tmp_path: Path) -> None:
    rules = make_rules("peep", 4)
    first = policy(rules)
    first.save(tmp_path / FILE)
    assert [path.name for path in tmp_path.iterdir()] == [FILE]  # no temporary file is left
    second = Policy.load(tmp_path)
    assert second.rules == rules
    assert second.about == {"name": "test", "note": "ü"}
    rows = np.random.default_rng(1).integers(0, 2, (7, feature_size(rules))).astype(np.int8)
    assert (first.logits(rows) == second.logits(rows)).all()


def test_the_logits_are_those_of_the_perceptron() -> None:
    rules = Rules()
    net = policy(rules)
    rows = np.random.default_rng(1).integers(0, 2, (3, feature_size(rules))).astype(np.int8)
    (w0, b0), (w1, b1) = net.layers
    expected = np.maximum(rows.astype(np.float32) @ w0 + b0, 0) @ w1 + b1
    np.testing.assert_allclose(net.logits(rows), expected, rtol=1e-5)


def test_it_plays_legally_alone_and_in_batches(tmp_path: Path) -> None:
    rules = make_rules("sir_garnet", 4)
    policy(rules).save(tmp_path / FILE)
    tables = Tables(30, rules, seed=2)
    rng = np.random.default_rng(0)
    greedy = registry.make(f"learned:{tmp_path}", rules)
    for sample in (False, True):
        agent = LearnedAgent(tmp_path / FILE, sample=sample)
        for _ in range(25):
            actions = agent.act_batch(tables.obs, tables.mask, rng)
            assert tables.mask[np.arange(30), actions].all()
            tables.step(actions)
    actions = greedy.act_batch(tables.obs, tables.mask, rng)
    assert actions.tolist() == [greedy.act(o, m, rng) for o, m in zip(tables.obs, tables.mask, strict=True)]


def test_sampling_depends_on_the_generator_of_the_row_alone() -> None:
    rules = Rules()
    tables = Tables(6, rules, seed=2)
    agent = LearnedAgent(policy(rules), sample=True)
    rngs = [np.random.default_rng(k) for k in range(6)]
    whole = agent.act_each(tables.obs, tables.mask, rngs)
    alone = agent.act_each(tables.obs[4:5], tables.mask[4:5], [np.random.default_rng(4)])
    assert whole[4] == alone[0]


def test_other_rules_are_refused() -> None:
    agent = LearnedAgent(policy(Rules()))
    with pytest.raises(AgentError, match="trained for"):
        agent.for_rules(make_rules("standard", 4))


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda path: path.unlink(), "no policy at"),
        (lambda path: path.write_bytes(path.read_bytes()[:100]), "is no policy file"),
        (lambda path: path.write_bytes(b"x"), "is no policy file"),
        (lambda path: save_file({"a": np.zeros(2, np.float32)}, path), "no policy of nap-env"),
        (lambda path: save_file({}, path, {"format": "nap-policy", "version": "99"}), "version 99"),
        (lambda path: save_file({}, path, {"format": "nap-policy", "version": "1"}), "damaged"),
        (
            lambda path: save_file(
                {"0.weight": np.zeros((3, 64), np.float32), "0.bias": np.zeros(64, np.float32)},
                path,
                {"format": "nap-policy", "version": "1", "rules": "{}"},
            ),
            "do not lead",
        ),
    ],
)
def test_a_spoiled_file_is_named_with_its_fault(tmp_path: Path, spoil: object, said: str) -> None:
    policy(Rules()).save(tmp_path / FILE)
    spoil(tmp_path / FILE)  # type: ignore[operator]
    with pytest.raises(AgentError, match=said):
        Policy.load(tmp_path)


@pytest.mark.jit
def test_playing_needs_no_torch(tmp_path: Path) -> None:
    policy(Rules()).save(tmp_path / FILE)
    code = (
        "import sys; from agents.arena import versus; "
        f"print(versus('learned:{tmp_path}', 'random', deals=2).deals, 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["2", "False"]
