"""Training from beginning to end, small: what it keeps, how it goes on, what it says."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from agents.learned import Policy
from nap_env.agent import make
from nap_env.errors import NapError, RulesError
from nap_env.rules import make_rules
from train.cli import app
from train.learning import bids, clone, ppo
from train.learning.canonical import CanonicalSuits
from train.learning.config import ConfigError, TrainConfig
from train.learning.run import Run
from train.sb3_env import NapVecEnv

SMALL = {
    "num_players": 3, "timesteps": 1500, "minutes": 0.0, "bid_deals": 200, "bid_epochs": 2, "clone_hands": 60,
    "clone_epochs": 1, "num_envs": 10, "n_steps": 32, "batch_size": 64, "layers": "16", "snapshot_every": 1,
    "snapshots": 3, "check_every": 2, "check_deals": 5, "test_deals": 10, "threads": 1,
}  # fmt: skip
LEARNING = (pytest.mark.jit, pytest.mark.learning)


def small(tmp_path: Path, **changes: object) -> TrainConfig:
    return TrainConfig(runs=str(tmp_path), name="run", **(SMALL | changes))  # type: ignore[arg-type]


# ---- the configuration -----------------------------------------------------------------------------


def test_a_configuration_goes_through_json() -> None:
    config = TrainConfig(**SMALL)  # type: ignore[arg-type]
    assert TrainConfig.from_json(config.to_json()) == config


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"timesteps": 0}, "timesteps=0"),
        ({"fields": "rules"}, "fields='rules'"),
        ({"fields": "rules:x"}, "write agent:share"),
        ({"fields": "rules:-1"}, "write agent:share"),
        ({"layers": "a"}, "write widths"),
        ({"layers": ""}, "write widths"),
        ({"batch_size": 10**6}, "batch_size"),
        ({"num_envs": 1, "n_steps": 4096}, "needs a table"),
        ({"learning_rate": float("nan")}, "learning_rate"),
    ],
)
def test_a_wrong_configuration_is_named(changes: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        TrainConfig(**changes)  # type: ignore[arg-type]


def test_rules_are_checked_when_a_configuration_is_made() -> None:
    with pytest.raises(RulesError, match="R12"):
        TrainConfig(rules="whist")


def test_unknown_settings_are_named() -> None:
    with pytest.raises(ConfigError, match="colour"):
        TrainConfig.from_json('{"colour": 1}')
    with pytest.raises(ConfigError, match="no configuration"):
        TrainConfig.from_json("[1")


def test_shares_sum_to_one() -> None:
    assert TrainConfig(fields="a:1, b:3").shares() == {"a": 0.25, "b": 0.75}
    assert list(TrainConfig(fields="learned:runs/x:1").shares()) == ["learned:runs/x"]


# ---- the environment that learns ---------------------------------------------------------------------


def test_canonical_suits_play_the_game_that_the_raw_environment_plays() -> None:
    rules = make_rules("standard", 4)
    raw = NapVecEnv(8, rules, opponents="simple-v1", seed=4)
    canonical = CanonicalSuits(NapVecEnv(8, rules, opponents="simple-v1", seed=4), rules, scale=10.0)
    raw.reset()
    canonical.reset()
    rng = np.random.default_rng(0)
    for _ in range(40):
        masks = canonical.action_masks()
        assert (np.stack(canonical.env_method("action_masks")) == masks).all()
        actions = np.array([rng.choice(np.flatnonzero(row)) for row in masks])
        canonical.step_async(actions)
        raw.step_async(canonical.venv._actions)  # type: ignore[attr-defined]
        _, rewards, dones, infos = canonical.step_wait()
        _, stakes, ends, _ = raw.step_wait()
        np.testing.assert_allclose(rewards * 10, stakes, rtol=1e-6)
        assert (dones == ends).all()
        assert all("terminal_observation" not in info for info in infos)


# ---- the warm start --------------------------------------------------------------------------------------


def test_lessons_are_the_teachers_choices_and_their_returns_sum_to_the_score() -> None:
    rules = make_rules("standard", 3)
    lessons = clone.watch(make("simple-v1", rules), rules, hands=20, seed=1, scale=10.0)
    assert lessons.masks[np.arange(len(lessons)), lessons.actions].all()
    assert (lessons.masks.sum(axis=1) > 1).all()
    first = lessons.returns[:20] * 10  # the first bidder of each hand: all that he will win
    assert np.allclose(first, np.round(first), atol=1e-5)


def test_each_legal_bid_is_valued_on_the_same_deal() -> None:
    rules = make_rules("no_overcalls", 3)
    teacher = make("simple-v1", rules)
    trials = bids.try_bids(teacher, rules, 60, seed=3, report=lambda share: None)
    assert len(trials.rows) == 60
    tried = ~np.isnan(trials.values)
    assert tried[:, 52].all()  # PASS is always legal
    assert tried[:, 56].any()
    assert not tried[:, 57:].any()  # no Wellington on this ladder
    assert (np.abs(trials.values[:, 56][tried[:, 56]]) % 10 % 5 == 0).all()  # a Nap: 20 or -10 of two payers
    again = bids.try_bids(teacher, rules, 60, seed=3, report=lambda share: None)
    assert np.array_equal(trials.values, again.values, equal_nan=True)


@pytest.mark.learning
def test_bid_values_learn_what_a_hand_is_worth() -> None:
    rules = make_rules("standard", 3)
    trials = bids.try_bids(make("simple-v1", rules), rules, 3000, seed=3, report=lambda share: None)
    values = bids.BidValues(trials, rules, seed=0, scale=10.0)
    known = ~np.isnan(trials.values)
    before = _error(values, trials, known)
    values.fit(epochs=10, seed=0, report=lambda share: None, batch_size=256)
    assert _error(values, trials, known) < 0.8 * before


def _error(values: bids.BidValues, trials: bids.Trials, known: np.ndarray) -> float:
    import torch

    with torch.no_grad():
        found = values.net(torch.as_tensor(trials.rows).float()).numpy() * 10
    return float(((found - trials.values)[known] ** 2).mean())


# ---- whole runs ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Run:
    run = Run.create(small(tmp_path_factory.mktemp("runs")))
    ppo.train(run)
    return run


@pytest.mark.jit
@pytest.mark.learning
@pytest.mark.xdist_group("train")
def test_a_run_keeps_config_policy_curve_and_one_checkpoint(finished: Run) -> None:
    names = {path.name for path in finished.folder.iterdir()}
    assert {"config.json", "policy.safetensors", "curve.csv", "checkpoint.json", "ppo_0"} <= names | {"ppo_0"}
    checkpoints = [name for name in names if name.startswith("checkpoint-")]
    assert checkpoints == [f"checkpoint-{finished.timesteps:010d}"]
    assert finished.timesteps >= 1500
    assert len(finished.checkpoint_snapshots) == 3
    assert finished.curve[0]["timesteps"] == 0
    assert {"rules", "simple-v1"} <= set(finished.curve[-1])
    assert Run.config_of(finished.folder) == finished.config
    assert not list(finished.folder.glob(".*tmp"))


@pytest.mark.jit
@pytest.mark.learning
@pytest.mark.xdist_group("train")
def test_the_file_plays_as_the_network_does(finished: Run) -> None:
    import torch
    from sb3_contrib import MaskablePPO

    from agents.seeing.features import features
    from nap_env.vector import Tables

    model = MaskablePPO.load(finished.checkpoint_model, device="cpu")
    tables = Tables(50, make_rules("standard", 3), seed=1)
    rows, masks, _ = features(tables.obs, tables.mask, tables.rules)
    logits = Policy.load(finished.folder).logits(rows)
    best = np.where(masks != 0, logits, -np.inf).argmax(axis=1)
    with torch.no_grad():
        actions, _ = model.predict(rows, action_masks=masks != 0, deterministic=True)
    assert (best == actions).all()


@pytest.mark.jit
@pytest.mark.learning
def test_the_same_seed_learns_the_same(tmp_path: Path) -> None:
    weights = []
    for name in ("a", "b"):
        run = Run.create(dataclasses.replace(small(tmp_path), name=name))
        ppo.train(run)
        weights.append([array for layer in Policy.load(run.folder).layers for array in layer])
    for first, second in zip(*weights, strict=True):
        assert (first == second).all()


@pytest.mark.jit
@pytest.mark.learning
def test_a_run_that_was_stopped_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = small(tmp_path)
    run = Run.create(config)
    calls = []

    def stop(self: ppo.Learning) -> None:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(ppo.Learning, "_check", stop)
    with pytest.raises(KeyboardInterrupt):
        ppo.train(run)
    monkeypatch.undo()
    reached = run.timesteps
    assert 0 < reached < 1500
    assert (run.folder / "policy.safetensors").exists()  # what was learned so far can be played
    resumed = Run.reopen(config)
    assert resumed.timesteps == reached
    ppo.train(resumed)
    assert resumed.timesteps >= 1500


def test_nothing_is_overwritten_and_nothing_is_resumed_that_is_not_there(tmp_path: Path) -> None:
    config = small(tmp_path)
    with pytest.raises(ConfigError, match="nothing to resume"):
        Run.reopen(config)
    run = Run.create(config)
    with pytest.raises(ConfigError, match="no checkpoint"):
        Run.reopen(config)
    Run.create(config)  # nothing was learned: nothing is lost
    (run.folder / "checkpoint.json").write_text("{}")
    with pytest.raises(ConfigError, match="holds a run already"):
        Run.create(config)
    with pytest.raises(ConfigError, match="layers cannot change"):
        Run.resumed_config(config, {"layers": "8"})
    assert Run.resumed_config(config, {"timesteps": 9}).timesteps == 9
    unnamed = dataclasses.replace(config, name="")
    assert [Run.create(unnamed).folder.name for _ in range(2)] == ["standard-3p", "standard-3p-2"]


# ---- the command -----------------------------------------------------------------------------------------


def options(**settings: object) -> list[str]:
    return [word for name, value in settings.items() for word in (f"--{name.replace('_', '-')}", str(value))]


@pytest.mark.jit
@pytest.mark.learning
def test_nap_train_ends_with_tables_and_files(tmp_path: Path) -> None:
    words = ["train", *options(runs=tmp_path, name="run", **SMALL)]
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert done.exit_code == 0
    for field in ("simple-v1", "rules", "pass", "random"):
        assert field in done.output
    assert "MISERE" in done.output
    assert max(len(line) for line in done.output.splitlines()) <= 80
    results = json.loads((tmp_path / "run" / "results.json").read_text())
    assert [entry["field"] for entry in results["fields"]] == ["simple-v1", "rules", "pass", "random"]
    for entry in results["fields"]:
        interval = entry["stakes_per_hand"]
        assert interval["low"] <= interval["mean"] <= interval["high"]
        assert entry["deals"] == 10
    assert (tmp_path / "run" / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    again = CliRunner().invoke(app, [*words, "--resume"])
    assert again.exit_code == 0


def test_nap_train_help_names_every_setting() -> None:
    text = CliRunner().invoke(app, ["train", "--help"], env={"COLUMNS": "200"}).output
    for field in dataclasses.fields(TrainConfig):
        assert f"--{field.name.replace('_', '-')}" in text


def test_nap_train_says_what_is_wrong() -> None:
    done = CliRunner().invoke(app, ["train", "--rules", "whist"])
    assert isinstance(done.exception, NapError)
    assert "whist" in str(done.exception)
