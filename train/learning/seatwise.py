"""Returns where the learner plays every seat: each seat's decisions are a trajectory of its own.

A row of a rollout is a table, its steps are moves of different seats. What a move brings a seat belongs to
that seat's latest decision, and is followed by the value of its next one. So advantages are estimated along
(table, seat), not along the row; nothing is padded and no move is lost.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer

from train.sb3_env import SelfPlayVecEnv

Floats = npt.NDArray[np.float32]
Bools = npt.NDArray[np.bool_]


class SeatwiseBuffer(MaskableRolloutBuffer):
    """Reads after each step of ``source`` who moved and what every seat was paid."""

    source: SelfPlayVecEnv

    def reset(self) -> None:
        """Empty, for the next rollout."""
        super().reset()
        self._seats: list[npt.NDArray[np.int8]] = []
        self._paid: list[Floats] = []
        self._ended: list[Bools] = []

    def add(self, *args: Any, **kwargs: Any) -> None:
        """Store the step that ``source`` has just made."""
        super().add(*args, **kwargs)
        self._seats.append(self.source.acted)
        self._paid.append(self.source.paid)
        self._ended.append(self.source.ended)

    def compute_returns_and_advantage(self, last_values: torch.Tensor, dones: npt.NDArray[np.bool_]) -> None:
        """Advantages and returns [T, B], by seat; ``last_values`` [B] are of the seats that act next."""
        last = last_values.detach().cpu().numpy().flatten()
        self.advantages, self.returns = seatwise_gae(
            np.stack(self._seats), np.stack(self._paid), np.stack(self._ended), self.values,
            self.source.tables.seat, last, self.gamma, self.gae_lambda,
        )  # fmt: skip


def seatwise_gae(
    seats: npt.NDArray[np.int8],
    paid: Floats,
    ended: Bools,
    values: Floats,
    next_seats: npt.NDArray[np.int8],
    next_values: Floats,
    gamma: float,
    gae_lambda: float,
) -> tuple[Floats, Floats]:
    """Generalised advantages and returns float32 [T, B] along each (table, seat).

    A decision whose seat neither decides again nor sees the end of the match within the rollout teaches
    nothing: its advantage is 0, its return its own value.

    Args:
        seats: who decided, int8 [T, B].
        paid: what every seat won or lost in the step, [T, B, n].
        ended: whether the step ended a match, [T, B].
        values: of the decisions, [T, B].
        next_seats: who decides next, [B].
        next_values: of those decisions, [B].
        gamma: discount from one decision of a seat to its next.
        gae_lambda: 1 takes what is paid alone, 0 the value of the next decision.
    """
    steps, tables, players = paid.shape
    rows = np.arange(tables)
    known = np.zeros((tables, players), np.bool_)  # whether what follows the seat's latest decision is known
    value = np.zeros((tables, players), np.float32)  # of its next decision; 0 after the end
    follow = np.zeros((tables, players), np.float32)  # the advantage of that one
    due = np.zeros((tables, players), np.float32)  # paid since its latest decision
    known[rows, next_seats] = True
    value[rows, next_seats] = next_values
    advantages = np.zeros((steps, tables), np.float32)
    for step in reversed(range(steps)):
        over = ended[step]
        known[over] = True
        value[over] = follow[over] = due[over] = 0
        due += paid[step]
        seat = seats[step]
        delta = due[rows, seat] + gamma * value[rows, seat] - values[step]
        advantage = delta + gamma * gae_lambda * follow[rows, seat]
        advantages[step] = np.where(known[rows, seat], advantage, 0)
        known[rows, seat] = True
        value[rows, seat] = values[step]
        follow[rows, seat] = advantages[step]
        due[rows, seat] = 0
    return advantages, advantages + values


class SelfPlayPPO(MaskablePPO):
    """MaskablePPO that learns from every seat's own trajectory in a `SelfPlayVecEnv`."""

    def _setup_model(self) -> None:
        super()._setup_model()
        self.rollout_buffer = SeatwiseBuffer(
            self.n_steps, self.observation_space, self.action_space, self.device,
            gamma=self.gamma, gae_lambda=self.gae_lambda, n_envs=self.n_envs,
        )  # fmt: skip

    def collect_rollouts(self, env: Any, callback: Any, rollout_buffer: Any, *args: Any, **kwargs: Any) -> bool:
        """As in MaskablePPO; the buffer learns from the environment whose moves they are.

        Raises:
            TypeError: an environment that is no `SelfPlayVecEnv` inside.
        """
        source = env.unwrapped
        if not isinstance(source, SelfPlayVecEnv):
            raise TypeError(f"SelfPlayPPO learns in a SelfPlayVecEnv, not in a {type(source).__name__}")
        rollout_buffer.source = source
        return super().collect_rollouts(env, callback, rollout_buffer, *args, **kwargs)
