"""The two simplest agents: any legal action, and never a bid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from nap_env.agent import BaseAgent, Generator, Int8, Int64
from nap_env.cards import PASS
from nap_env.engine import loops


class RandomAgent(BaseAgent):
    """Chooses uniformly among the legal actions."""

    name = "random"
    uniform = True
    playout_rows: Any = staticmethod(loops.playout_rows)

    def act_batch(self, observations: Int8, action_masks: Int8, rng: Generator, *states: Int8) -> Int64:
        """The chosen actions [B] int64; observations [B, O] int8, action_masks [B, 64] int8."""
        return self._choose(action_masks, rng.random(len(action_masks)))

    def act_each(self, observations: Int8, action_masks: Int8, rngs: Sequence[Generator], *states: Int8) -> Int64:
        """As `act_batch`, with a generator a row."""
        return self._choose(action_masks, np.array([rng.random() for rng in rngs]))

    def _choose(self, action_masks: Int8, uniforms: npt.NDArray[np.float64]) -> Int64:
        """The legal action at this share (0..1) of each row's legal actions."""
        upto = np.cumsum(np.asarray(action_masks) != 0, axis=1, dtype=np.int64)
        place = (uniforms * upto[:, -1]).astype(np.int64)
        return np.asarray(np.argmax(upto > place[:, None], axis=1), np.int64)


class PassAgent(RandomAgent):
    """Passes whenever that is legal (it never bids, buys, peeps or takes a spare hand), else plays any card."""

    name = "pass"
    uniform = False
    playout_rows = None

    def _choose(self, action_masks: Int8, uniforms: npt.NDArray[np.float64]) -> Int64:
        passing = np.asarray(action_masks)[:, PASS] != 0
        return np.where(passing, PASS, super()._choose(action_masks, uniforms))
