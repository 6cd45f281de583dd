"""The folder of a training run: what is in it, and how it gets there whole."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nap_env
from nap_env.storage.files import write_text
from train.learning.config import ConfigError, TrainConfig

if TYPE_CHECKING:
    from sb3_contrib import MaskablePPO

    from train.learning.ppo import Fields

CONFIG = "config.json"
LATEST = "checkpoint.json"
CHANGEABLE = frozenset(
    "name runs timesteps minutes threads learning_rate entropy clip_range "
    "snapshot_every check_every check_deals test_deals".split()
)


def _free(config: TrainConfig) -> Path:
    """The first folder of the usual name that holds no run."""
    base = Path(config.runs) / f"{config.rules}-{config.num_players}p"
    number = 1
    folder = base
    while (folder / CONFIG).exists():
        number += 1
        folder = base.with_name(f"{base.name}-{number}")
    return folder


def _existing(config: TrainConfig) -> Path:
    """The named run's folder; without a name that of the newest run."""
    runs = Path(config.runs)
    if config.name:
        return runs / config.name
    found = sorted(runs.glob(f"*/{LATEST}"), key=lambda path: path.stat().st_mtime)
    if not found:
        raise ConfigError(f"nothing to resume in {runs}: no run there has a checkpoint")
    return found[-1].parent


class Run:
    """A run's folder, open for writing; made by `create` or `reopen`."""

    def __init__(self, folder: Path, config: TrainConfig) -> None:
        self.folder = folder
        self.config = config
        self.curve: list[dict[str, float]] = []
        self._latest: dict[str, Any] = {}

    @classmethod
    def create(cls, config: TrainConfig) -> Run:
        """A new folder; without a name the first that is free. One without a checkpoint is begun anew.

        Raises:
            ConfigError: the folder of that name holds a run already.
        """
        folder = Path(config.runs) / config.name if config.name else _free(config)
        if (folder / LATEST).exists():
            raise ConfigError(f"{folder} holds a run already: go on with it (--resume), or name another (--name)")
        folder.mkdir(parents=True, exist_ok=True)
        about = json.loads(config.to_json()) | {"nap_env": nap_env.__version__}
        write_text(folder / CONFIG, json.dumps(about, indent=2) + "\n")
        return cls(folder, config)

    @classmethod
    def reopen(cls, config: TrainConfig) -> Run:
        """The folder of an earlier run, to go on from its last checkpoint.

        Raises:
            ConfigError: there is none.
        """
        run = cls(_existing(config), config)
        latest = run.folder / LATEST
        if not latest.is_file():
            raise ConfigError(f"nothing to resume in {run.folder}: it has no checkpoint; train without --resume")
        run._latest = json.loads(latest.read_text())
        run.curve = run._latest["curve"]
        return run

    @staticmethod
    def resumed_config(config: TrainConfig, changes: dict[str, Any]) -> TrainConfig:
        """The configuration of the run that ``config`` names, or of the newest, with some fields changed.

        Raises:
            ConfigError: no such run, or a field that cannot change under way.
        """
        folder = _existing(config)
        kept = Run.config_of(folder)
        fixed = sorted(name for name in changes if name not in CHANGEABLE and changes[name] != getattr(kept, name))
        if fixed:
            raise ConfigError(f"{fixed[0]} cannot change in a run; what can: {', '.join(sorted(CHANGEABLE))}")
        return dataclasses.replace(kept, **(changes | {"name": folder.name, "runs": str(folder.parent)}))

    @staticmethod
    def config_of(folder: Path) -> TrainConfig:
        """The configuration of the run in a folder.

        Raises:
            ConfigError: there is none, or it is damaged.
        """
        path = folder / CONFIG
        if not path.is_file():
            raise ConfigError(f"no run in {folder}: it has no {CONFIG}")
        return TrainConfig.from_json(path.read_text(), ignore=("nap_env",))

    # ---- checkpoints -----------------------------------------------------------------------------

    @property
    def has_checkpoint(self) -> bool:
        """Whether there is one to go on from."""
        return bool(self._latest)

    @property
    def timesteps(self) -> int:
        """Decisions trained on up to the last checkpoint."""
        return int(self._latest.get("timesteps", 0))

    @property
    def checkpoint_model(self) -> Path:
        """The learner of the last checkpoint, a model file of SB3."""
        return self.folder / str(self._latest["folder"]) / "model.zip"

    @property
    def checkpoint_snapshots(self) -> list[Path]:
        """The snapshots of the last checkpoint, oldest first."""
        return sorted((self.folder / self._latest["folder"]).glob("snapshot-*.safetensors"))

    def save_checkpoint(self, model: MaskablePPO, fields: Fields) -> None:
        """Write a checkpoint beside the last one, then say that it is the latest, then drop the last."""
        timesteps = int(model.num_timesteps)
        name = f"checkpoint-{timesteps:010d}"
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        model.save(folder / "model.zip", exclude=["lr_schedule"])
        for number, policy in enumerate(fields.pool):
            policy.save(folder / f"snapshot-{number:03d}.safetensors")
        before = self._latest.get("folder")
        self._latest = {"folder": name, "timesteps": timesteps, "curve": self.curve}
        write_text(self.folder / LATEST, json.dumps(self._latest) + "\n")
        if before and before != name:
            shutil.rmtree(self.folder / before, ignore_errors=True)

    # ---- the learning curve ------------------------------------------------------------------------

    def add_point(self, timesteps: int, seconds: float, means: Mapping[str, float]) -> None:
        """A point of the learning curve: stakes a hand, and their standard errors, by field."""
        self.curve.append({"timesteps": timesteps, "seconds": round(seconds, 1), **means})
        text = io.StringIO()
        table = csv.DictWriter(text, list(self.curve[0]), lineterminator="\n")
        table.writeheader()
        table.writerows(self.curve)
        write_text(self.folder / "curve.csv", text.getvalue())

    def last_point_text(self) -> str:
        """The last point in words, for a progress bar."""
        if not self.curve:
            return ""
        shown = [name for name in self.curve[-1] if name not in ("timesteps", "seconds")]
        return ", ".join(f"{n} {self.curve[-1][n]:+.2f}" for n in shown if not n.endswith(" error"))
