"""MaskablePPO learns to bid and to play Nap: read it from top to bottom.

1. Imitate a teacher's play, and the bids that are worth most in its company (`clone`, `bids`),
   since learning from nothing ends in never bidding.
2. Improve against a mixture of fields: given agents, this learner itself, and its earlier snapshots.
3. Compare with each field on duplicate deals that no training seed can reach (`train.learning.evaluate`).

Everything is kept in ``runs/<name>/``: config.json, policy.safetensors (plays without PyTorch, as
``learned:runs/<name>``), checkpoint-*/ (to go on with ``--resume``), curve.csv, results.json,
learning_curve.png and TensorBoard's logs.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback

from agents.arena import versus
from agents.learned import FILE, LearnedAgent, Policy
from nap_env.agent import Agent, make
from nap_env.rules import Rules, make_rules
from train.learning.bids import BidValues, try_bids
from train.learning.canonical import CanonicalSuits
from train.learning.clone import imitate, watch
from train.learning.config import TrainConfig
from train.learning.run import Run
from train.progress import Progress
from train.sb3_env import NapVecEnv

SELF = "self"
OTHER_DEALS = 2**32  # between the seeds of learning and those of what is imitated


def train(run: Run, progress: Progress | None = None) -> None:
    """Train as the run's configuration says, from its last checkpoint where it has one.

    Ctrl-C raises KeyboardInterrupt after a checkpoint and the policy file were written.
    """
    config = run.config
    began = time.monotonic()
    progress = progress or Progress(quiet=True)
    torch.set_num_threads(config.threads)
    torch.distributions.Distribution.set_default_validate_args(False)
    rules = make_rules(config.rules, config.num_players)
    fields = Fields(config, rules, run)
    model = _model(config, rules, fields, run)
    fresh = not run.has_checkpoint
    if fresh:
        _warm_start(model, config, rules, progress)
        fields.snapshot(model)
    try:
        left = config.timesteps - run.timesteps
        if left > 0:
            with progress.stage("learning", config.timesteps, run.timesteps) as bar:
                learning = Learning(config, rules, fields, run, bar, began)
                model.learn(left, callback=learning, reset_num_timesteps=fresh, tb_log_name="ppo")
    finally:
        run.save_checkpoint(model, fields)
        policy_of(model, config, rules).save(run.folder / FILE)


# ---- the model ---------------------------------------------------------------------------------------


def reward_scale(rules: Rules) -> float:
    """Stakes that count as 1: a Nap made against the whole table, halved (TRAINING section 3)."""
    return 5.0 * (rules.num_players - 1)


def _model(config: TrainConfig, rules: Rules, fields: Fields, run: Run) -> MaskablePPO:
    venv = CanonicalSuits(fields.venv, rules, reward_scale(rules))
    if run.has_checkpoint:
        rates = {"learning_rate": config.learning_rate, "clip_range": config.clip_range}
        model = MaskablePPO.load(run.checkpoint_model, env=venv, device="cpu", custom_objects=rates)
        fields.restore()
        return model
    widths = config.widths()
    return MaskablePPO(
        MaskableActorCriticPolicy,
        venv,
        n_steps=config.n_steps,
        batch_size=config.batch_size,
        n_epochs=config.n_epochs,
        gamma=1.0,
        gae_lambda=config.gae_lambda,
        ent_coef=config.entropy,
        max_grad_norm=0.5,
        policy_kwargs={"net_arch": {"pi": widths, "vf": widths}, "activation_fn": torch.nn.ReLU},
        tensorboard_log=str(run.folder),
        seed=config.seed,
        device="cpu",
        learning_rate=config.learning_rate,
        clip_range=config.clip_range,
    )


def policy_of(model: MaskablePPO, config: TrainConfig, rules: Rules) -> Policy:
    """The policy network alone, to be played without PyTorch."""
    modules = [*model.policy.mlp_extractor.policy_net, model.policy.action_net]
    layers = [
        (module.weight.detach().numpy().T.copy(), module.bias.detach().numpy().copy())
        for module in modules
        if isinstance(module, torch.nn.Linear)
    ]
    about = {"name": "learned", "timesteps": int(model.num_timesteps), "seed": config.seed}
    return Policy(layers, rules, about)


def _warm_start(model: MaskablePPO, config: TrainConfig, rules: Rules, progress: Progress) -> None:
    if not config.teacher or not config.clone_hands or not config.clone_epochs:
        return
    teacher = make(config.teacher, rules)
    bids = _bid_values(teacher, config, rules, progress)
    with progress.stage(f"imitating {teacher.name}", 1.0) as bar:
        lessons = watch(teacher, rules, config.clone_hands, config.seed + OTHER_DEALS, reward_scale(rules))
        imitate(
            model.policy,
            lessons,
            bids,
            config.clone_epochs,
            config.seed,
            lambda share, agreement: bar.update(share, f"agrees in {agreement:.0%} of decisions"),
        )


def _bid_values(teacher: Agent, config: TrainConfig, rules: Rules, progress: Progress) -> BidValues | None:
    """The values of bids, from all legal ones tried on the same deals."""
    if not config.bid_deals:
        return None
    with progress.stage("trying every bid", 1.0) as bar:
        trials = try_bids(teacher, rules, config.bid_deals, config.seed + 2 * OTHER_DEALS, bar.update)
    with progress.stage("valuing bids", 1.0) as bar:
        bids = BidValues(trials, rules, config.seed, reward_scale(rules))
        bids.fit(config.bid_epochs, config.seed, bar.update)
    return bids


# ---- whom it plays against -----------------------------------------------------------------------------


class Fields:
    """The tables of the learner, each with one kind of opponents; 'self' is renewed by snapshots."""

    def __init__(self, config: TrainConfig, rules: Rules, run: Run) -> None:
        self.config = config
        self.rules = rules
        self.run = run
        self.rng = np.random.default_rng(config.seed)
        self.pool: list[Policy] = []
        shares = config.shares()
        edges = np.round(np.cumsum([0.0, *shares.values()]) * config.num_envs).astype(int)
        self.tables = {
            name: np.arange(start, stop) for name, start, stop in zip(shares, edges, edges[1:], strict=False)
        }
        self.venv = NapVecEnv(
            config.num_envs,
            rules,
            opponents=config.teacher or "simple-v1",
            seed=config.seed,
            skip_forced=True,
        )
        for name, tables in self.tables.items():
            if name != SELF and len(tables):
                self.venv.set_opponents(name, tables)

    def snapshot(self, model: MaskablePPO) -> None:
        """Add the learner as it is to its opponents, dropping the oldest but the first."""
        self.pool.append(policy_of(model, self.config, self.rules))
        if len(self.pool) > self.config.snapshots:
            del self.pool[1]
        self.renew()

    def renew(self) -> None:
        """Seat the latest snapshot at half of the learner's own tables, an earlier one at the others."""
        tables = self.tables.get(SELF)
        if tables is None or not len(tables) or not self.pool:
            return
        half = len(tables) // 2
        earlier = self.pool[int(self.rng.integers(len(self.pool)))]
        for policy, rows in ((self.pool[-1], tables[half:]), (earlier, tables[:half])):
            if len(rows):
                self.venv.set_opponents(LearnedAgent(policy, sample=True), rows)

    def restore(self) -> None:
        """Take the snapshots of a checkpoint."""
        self.pool = [Policy.load(path) for path in self.run.checkpoint_snapshots]
        self.renew()


# ---- what happens between updates ------------------------------------------------------------------------


class Learning(BaseCallback):
    """Snapshots, learning curve, checkpoints, time limit, and what is shown meanwhile."""

    model: MaskablePPO

    def __init__(self, config: TrainConfig, rules: Rules, fields: Fields, run: Run, bar: Any, began: float) -> None:
        super().__init__()
        self.config, self.rules, self.fields, self.run, self.bar = config, rules, fields, run, bar
        self.updates = 0
        self.began = began

    def _on_training_start(self) -> None:
        self.model.lr_schedule = lambda _: self.config.learning_rate * self._falling()
        self._check()

    def _on_step(self) -> bool:
        """Whether to go on; the time limit leaves one update at least."""
        limit = self.config.minutes * 60
        return not limit or self.updates < 2 or time.monotonic() - self.began < limit

    def _on_rollout_start(self) -> None:
        self.model.ent_coef = self.config.entropy * self._falling()
        if self.updates and self.updates % self.config.snapshot_every == 0:
            self.fields.snapshot(self.model)
        if self.updates and self.updates % self.config.check_every == 0:
            self._check()
            self.run.save_checkpoint(self.model, self.fields)
        self.updates += 1
        self.bar.update(self.model.num_timesteps, self.run.last_point_text())

    def _on_training_end(self) -> None:
        if self.model.num_timesteps - self.run.curve[-1]["timesteps"] > self.config.num_envs:
            self._check()  # the last update is not on the curve yet

    def _falling(self) -> float:
        """From 1 down to a tenth as the run nears its end, by decisions or by time, whichever is first."""
        left = 1.0 - self.model.num_timesteps / self.config.timesteps
        if self.config.minutes:
            left = min(left, 1.0 - (time.monotonic() - self.began) / (60 * self.config.minutes))
        return 0.1 + 0.9 * max(left, 0.0)

    def _check(self) -> None:
        """A point of the learning curve, on validation deals."""
        learner: Agent = LearnedAgent(policy_of(self.model, self.config, self.rules))
        point: dict[str, float] = {}
        for name in self.fields.tables:
            if name == SELF:
                continue
            deals, seed = self.config.check_deals, self.config.seed
            result = versus(learner, name, deals=deals, seed=seed, rules=self.rules, purpose="validation")
            point[name] = result.mean
            point[f"{name} error"] = result.std_error
            self.logger.record(f"validation/{name}", result.mean)
        self.run.add_point(self.model.num_timesteps, time.monotonic() - self.began, point)
