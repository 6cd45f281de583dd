"""What the learner is shown: an SB3 VecEnv whose suits are in canonical order (`agents.seeing.features`)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from agents.seeing.features import feature_size, features, to_real
from nap_env.rules import Rules

Bools = npt.NDArray[np.bool_]


class CanonicalSuits(VecEnvWrapper):
    """Observations as feature rows int8 [B, F], masks and actions in canonical suits, rewards scaled."""

    def __init__(self, venv: VecEnv, rules: Rules, scale: float) -> None:
        super().__init__(venv, spaces.Box(-128, 127, (feature_size(rules),), np.int8))
        self.rules = rules
        self.scale = scale
        self._masks: Bools = np.zeros((venv.num_envs, 64), np.bool_)

    def reset(self) -> npt.NDArray[np.int8]:
        """First feature rows int8 [B, F]."""
        return self._turned(np.asarray(self.venv.reset()))

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Play the actions [B] in the suits of each table."""
        self.venv.step_async(to_real(np.asarray(actions, np.int64), self._orders))

    def step_wait(self) -> VecEnvStepReturn:
        """Feature rows, scaled rewards float32 [B], dones [B] and infos."""
        observations, rewards, dones, infos = self.venv.step_wait()
        for info in infos:
            info.pop("terminal_observation", None)  # a hand ends for good: nothing is bootstrapped from it
        return self._turned(np.asarray(observations)), rewards / np.float32(self.scale), dones, infos

    def action_masks(self) -> Bools:
        """Legal actions in canonical suits, bool [B, 64]."""
        return self._masks

    def env_method(self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any) -> list[Any]:
        """``action_masks`` in canonical suits; any other method as the environment has it."""
        if method_name == "action_masks":
            return list(self._masks[list(self._get_indices(indices))])
        return super().env_method(method_name, *args, indices=indices, **kwargs)

    def _turned(self, observations: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
        masks = np.stack(self.venv.env_method("action_masks")).astype(np.int8)
        rows, turned, self._orders = features(observations, masks, self.rules)
        self._masks = turned != 0
        return rows
