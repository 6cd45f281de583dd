"""`learned`: a policy network read from a file and played with NumPy alone.

A policy file is a safetensors file: the weights of a multilayer perceptron over `agents.seeing.features`, and
in its metadata the rules it was trained for and how it came about. Nothing in it can run code.
"""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from agents.seeing.features import feature_size, features, to_real
from nap_env.agent import BaseAgent, Generator, Int8, Int64
from nap_env.cards import NUM_ACTIONS
from nap_env.errors import AgentError, RulesError
from nap_env.rules import Rules

Float = npt.NDArray[np.float32]
FORMAT = "nap-policy"
VERSION = 1
FILE = "policy.safetensors"


class Policy:
    """A perceptron with ReLU between its layers: weights [in, out] and biases [out], float32."""

    def __init__(self, layers: Sequence[tuple[Float, Float]], rules: Rules, about: Mapping[str, Any]) -> None:
        self.layers = [(np.asarray(w, np.float32), np.asarray(b, np.float32)) for w, b in layers]
        self.rules = rules
        self.about = dict(about)

    def logits(self, rows: Int8) -> Float:
        """Action values before the mask, float32 [B, 64], of feature rows int8 [B, F]."""
        x: Float = rows.astype(np.float32)
        for number, (weight, bias) in enumerate(self.layers):
            x = x @ weight + bias
            if number + 1 < len(self.layers):
                np.maximum(x, 0, out=x)
        return x

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the policy file, to a temporary name first."""
        target = Path(path)
        tensors = {}
        for number, (weight, bias) in enumerate(self.layers):
            tensors[f"{number}.weight"] = np.ascontiguousarray(weight)
            tensors[f"{number}.bias"] = np.ascontiguousarray(bias)
        about = {
            "format": FORMAT,
            "version": str(VERSION),
            "rules": json.dumps(self.rules.to_dict()),
            "about": json.dumps(self.about),
        }
        temporary = target.with_name(f".{target.name}.{os.getpid()}")
        try:
            save_file(tensors, temporary, metadata=about)
            os.replace(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Policy:
        """Read a policy file, or the one in a run's folder.

        Raises:
            AgentError: no such file, no policy file, one of another version, or one whose weights do
                not fit its rules.
        """
        target = Path(path)
        if target.is_dir():
            target = target / FILE
        if not target.is_file():
            raise AgentError(f"no policy at {target}: give a {FILE}, or the folder of a run that has one")
        try:
            with safe_open(target, "numpy") as file:
                about = file.metadata() or {}
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        except (SafetensorError, OSError) as error:
            raise AgentError(f"{target} is no policy file: {error}") from error
        return cls._of(target, about, tensors)

    @classmethod
    def _of(cls, path: Path, about: Mapping[str, str], tensors: Mapping[str, Float]) -> Policy:
        if about.get("format") != FORMAT:
            raise AgentError(f"{path} is a safetensors file, but no policy of nap-env")
        if about.get("version") != str(VERSION):
            raise AgentError(
                f"{path} is a policy of version {about.get('version')}; this nap-env reads version {VERSION}"
            )
        try:
            rules = Rules.from_dict(json.loads(about["rules"]))
            number = len(tensors) // 2
            layers = [(tensors[f"{i}.weight"], tensors[f"{i}.bias"]) for i in range(number)]
            policy = cls(layers, rules, json.loads(about.get("about", "{}")))
        except (KeyError, ValueError, RulesError) as error:
            raise AgentError(f"{path} is a damaged policy file: {error}") from error
        sizes = [feature_size(rules), *(weight.shape[1] for weight, _ in layers)]
        shapes = [weight.shape for weight, _ in layers]
        if not layers or shapes != list(itertools.pairwise(sizes)) or sizes[-1] != NUM_ACTIONS:
            raise AgentError(f"{path}: layers {shapes} do not lead from {sizes[0]} features to 64 actions")
        return policy


class LearnedAgent(BaseAgent):
    """Plays by a policy file: the likeliest legal action, or, with ``sample``, by the probabilities.

    Args:
        path: a policy file, or the folder of a run.
        sample: draw from the policy instead of taking its best.
    """

    def __init__(self, path: str | os.PathLike[str] | Policy, sample: bool = False) -> None:
        self.policy = path if isinstance(path, Policy) else Policy.load(path)
        self.sample = bool(sample)
        self.deterministic = not self.sample
        self.name = str(self.policy.about.get("name", "learned"))
        super().__init__(self.policy.rules)

    def for_rules(self, rules: Rules) -> Self:
        """This agent, if it was trained for these rules.

        Raises:
            AgentError: it was trained for others.
        """
        if rules != self.policy.rules:
            raise AgentError(
                f"{self.name} was trained for {self.policy.rules}, it cannot play {rules}: train one for these"
            )
        return self

    def act_batch(self, observations: Int8, action_masks: Int8, rng: Generator, *states: Int8) -> Int64:
        """The chosen actions [B] int64; observations [B, O] int8, action_masks [B, 64] int8."""
        noise = rng.gumbel(size=action_masks.shape) if self.sample else None
        return self._choose(observations, action_masks, noise)

    def act_each(self, observations: Int8, action_masks: Int8, rngs: Sequence[Generator], *states: Int8) -> Int64:
        """As `act_batch`, with a generator a row."""
        noise = np.stack([rng.gumbel(size=NUM_ACTIONS) for rng in rngs]) if self.sample else None
        return self._choose(observations, action_masks, noise)

    def _choose(self, observations: Int8, action_masks: Int8, noise: npt.NDArray[np.float64] | None) -> Int64:
        """The legal action of the highest value [B]; Gumbel noise [B, 64] makes it a draw from the policy."""
        rows, masks, orders = features(observations, action_masks, self.rules_for(observations.shape[1]))
        logits = np.where(masks != 0, self.policy.logits(rows), -np.inf)
        if noise is not None:
            logits = logits + noise
        return to_real(np.argmax(logits, axis=1).astype(np.int64), orders)
