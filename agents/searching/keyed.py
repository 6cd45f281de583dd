"""Agents whose chance is one random word a row: a batch, or rows with a generator each, come to the same search."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from nap_env.agent import BaseAgent, Generator, Int8, Int64

Keys = npt.NDArray[np.uint64]


class KeyedAgent(BaseAgent):
    """An agent of which a subclass writes `_act`, which takes a word of chance for each row."""

    def act_batch(self, observations: Int8, action_masks: Int8, rng: Generator, *states: Int8) -> Int64:
        """The chosen actions [B] int64; observations [B, O] int8, action_masks [B, 64] int8."""
        return self._act(observations, action_masks, rng.integers(0, 2**64, len(observations), np.uint64), *states)

    def act_each(self, observations: Int8, action_masks: Int8, rngs: Sequence[Generator], *states: Int8) -> Int64:
        """As `act_batch`, a generator a row."""
        keys = np.array([rng.integers(0, 2**64, dtype=np.uint64) for rng in rngs], np.uint64)
        return self._act(observations, action_masks, keys, *states)

    @abstractmethod
    def _act(self, observations: Int8, action_masks: Int8, keys: Keys, *states: Int8) -> Int64:
        """The chosen actions [B] int64; ``keys`` uint64 [B]."""
