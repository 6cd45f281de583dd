"""What a training run is made of: one frozen dataclass, which is also its command line."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nap_env.errors import NapError
from nap_env.rules import make_rules


class ConfigError(NapError):
    """A configuration that cannot be trained; the message names the field and what would be right."""


def _field(default: Any, text: str) -> Any:
    return dataclasses.field(default=default, metadata={"help": text})


@dataclass(frozen=True)
class TrainConfig:
    """A run of `train.learning.ppo`; every field is an option of ``nap train``.

    A run without a time limit (``minutes=0``) is repeatable from its seed on the same machine.
    """

    name: str = _field("", "folder of the run under --runs; empty: the first free one by rules and players")
    runs: str = _field("runs", "where runs are kept")
    rules: str = _field("standard", "preset (see the rules, R12)")
    num_players: int = _field(5, "players at the table")
    seed: int = _field(0, "of everything that is random")
    timesteps: int = _field(3_000_000, "decisions of the learner to train on")
    minutes: float = _field(4.0, "end the learning so long after the start, at the latest; 0: no limit")
    teacher: str = _field("rules", "agent to be imitated first; empty: start from nothing")
    bid_deals: int = _field(120_000, "deals on which every legal bid is tried; 0: imitate the teacher's bids")
    bid_epochs: int = _field(30, "times over them")
    clone_hands: int = _field(12_000, "hands of the teacher's play to imitate")
    clone_epochs: int = _field(5, "times over them")
    fields: str = _field(
        "rules:0.4,simple-v1:0.2,self:0.4",
        "opponents and their shares of the tables; 'self': this learner and its earlier snapshots",
    )
    num_envs: int = _field(256, "tables")
    n_steps: int = _field(64, "decisions at each table between two updates")
    batch_size: int = _field(2048, "decisions in a gradient step")
    n_epochs: int = _field(3, "times over the decisions of an update")
    learning_rate: float = _field(2e-4, "at the start; falls to a tenth of it")
    entropy: float = _field(0.005, "weight of the entropy at the start; falls to a tenth of it")
    clip_range: float = _field(0.15, "of PPO")
    gae_lambda: float = _field(0.95, "of the advantage estimate")
    layers: str = _field("256,128", "widths of the policy's layers, and of the value's")
    threads: int = _field(2, "for PyTorch")
    snapshot_every: int = _field(8, "updates between two snapshots of the learner")
    snapshots: int = _field(6, "kept as opponents")
    check_every: int = _field(8, "updates between two points of the learning curve and two checkpoints")
    check_deals: int = _field(200, "deals of a point of the curve, in all rotations")
    test_deals: int = _field(5000, "deals of the final comparison with each field, in all rotations")

    def __post_init__(self) -> None:
        make_rules(self.rules, self.num_players)
        for name, least in _LEAST.items():
            if not getattr(self, name) >= least:
                raise ConfigError(f"{name}={getattr(self, name)!r}: must be at least {least}")
        if self.batch_size > self.num_envs * self.n_steps:
            raise ConfigError(
                f"batch_size={self.batch_size}: an update has num_envs x n_steps = "
                f"{self.num_envs * self.n_steps} decisions"
            )
        if self.num_envs < len(self.shares()):
            raise ConfigError(f"num_envs={self.num_envs}: each of the fields needs a table")
        self.widths()

    def shares(self) -> dict[str, float]:
        """The share of the tables for each kind of opponent; they sum to 1."""
        shares: dict[str, float] = {}
        for part in self.fields.split(","):
            name, colon, share = part.strip().rpartition(":")
            try:
                shares[name.strip()] = float(share)
            except ValueError:
                colon = ""
            if not colon or not name.strip() or not shares[name.strip()] > 0:
                raise ConfigError(f"fields={self.fields!r}: write agent:share,agent:share, as in 'rules:1'")
        total = sum(shares.values())
        return {name: share / total for name, share in shares.items()}

    def widths(self) -> list[int]:
        """The layers as numbers."""
        try:
            widths = [int(width) for width in self.layers.split(",")]
        except ValueError:
            widths = []
        if not widths or min(widths) < 1:
            raise ConfigError(f"layers={self.layers!r}: write widths with commas, as in '256,256'")
        return widths

    def to_json(self) -> str:
        """The fields as JSON text."""
        return json.dumps(dataclasses.asdict(self), indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str, ignore: Sequence[str] = ()) -> TrainConfig:
        """The configuration that `to_json` wrote.

        Raises:
            ConfigError: no JSON object, or one with unknown fields.
        """
        try:
            values = json.loads(text)
            known = {field.name for field in dataclasses.fields(cls)}
            values = {name: value for name, value in values.items() if name not in ignore}
            unknown = sorted(set(values) - known)
        except (ValueError, TypeError, AttributeError) as error:
            raise ConfigError(f"no configuration: {error}") from None
        if unknown:
            raise ConfigError(f"unknown setting {unknown[0]!r}; there are {', '.join(sorted(known))}")
        return cls(**values)


_LEAST = {
    "seed": 0, "timesteps": 1, "minutes": 0, "clone_hands": 0, "clone_epochs": 0, "bid_deals": 0, "bid_epochs": 1,
    "num_envs": 1, "n_steps": 1,
    "batch_size": 1, "n_epochs": 1, "learning_rate": 0, "entropy": 0, "clip_range": 1e-6, "gae_lambda": 0,
    "threads": 1, "snapshot_every": 1, "snapshots": 1, "check_every": 1, "check_deals": 2, "test_deals": 2,
}  # fmt: skip
