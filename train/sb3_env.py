"""Stable-Baselines3 `VecEnv`s over the batch engine, for `sb3_contrib.MaskablePPO`.

`NapVecEnv` has one learner's seat at each table, agents at the others; `SelfPlayVecEnv` lets the learner
play every seat (see `train.learning.seatwise` for its returns).

```python
venv = NapVecEnv(256, opponents="rules", seed=1)
MaskablePPO("MlpPolicy", venv, gamma=1.0).learn(100_000)
```

A mask of zeros would not fail in sb3-contrib, it would become a uniform choice of illegal actions: both
make sure that there is none.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import Wrapper, spaces
from gymnasium.error import ResetNeeded
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from nap_env import observation
from nap_env.cards import NUM_ACTIONS
from nap_env.dealing import seeds
from nap_env.dealing.match import make_match
from nap_env.engine.threads import OneCaller, one_at_a_time
from nap_env.learner.tables import LearnerTables
from nap_env.render.view import table_view
from nap_env.rules import Rules, make_rules
from nap_env.seat import checked_render_mode, picture
from nap_env.vector import Tables

Int8 = npt.NDArray[np.int8]
Int64 = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float32]
RENDER_MODES = ("rgb_array",)


class MaskedVecEnv(VecEnv):
    """What the two share: masks, returns of episodes, and the methods that SB3 calls by name."""

    rules: Rules
    render_mode: str | None = None

    def __init__(self, num_envs: int, rules: Rules, render_mode: str | None = None) -> None:
        self.rules = rules
        self.render_mode = checked_render_mode(render_mode, RENDER_MODES)
        space = spaces.Box(-128, 127, (observation.size(rules),), np.int8)
        super().__init__(num_envs, space, spaces.Discrete(NUM_ACTIONS))
        self._actions: Int64 = np.zeros(num_envs, np.int64)
        self._returns = np.zeros(num_envs)
        self._lengths = np.zeros(num_envs, np.int64)
        self._began = time.time()
        self._dealt = False
        self.metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 2}

    @abstractmethod
    def _table(self, row: int) -> tuple[np.void, int]:
        """The record of a table, and the seat that looks at it."""

    def get_images(self) -> list[npt.NDArray[np.uint8] | None]:
        """Each row's table as the learner sees it, uint8 [H, W, 3], for `render` and SB3's ``VecVideoRecorder``.

        Raises:
            gymnasium.error.ResetNeeded: before `reset`.
        """
        if not self._dealt:
            raise ResetNeeded("no episode has begun: call reset() before render().")
        if self.render_mode is None:
            return [None] * self.num_envs
        return [picture(table_view(*self._seen(row)), self.render_mode) for row in range(self.num_envs)]

    def _seen(self, row: int) -> tuple[np.void, Rules, int]:
        record, seat = self._table(row)
        return record, self.rules, seat

    @abstractmethod
    def _masks(self) -> Int8:
        """The legal actions, int8 [B, 64]."""

    def action_masks(self) -> Bools:
        """The legal actions, bool [B, 64]; no row is empty.

        Raises:
            gymnasium.error.ResetNeeded: before `reset`.
        """
        if not self._dealt:
            raise ResetNeeded("no episode has begun: call reset() before action_masks().")
        masks = self._masks()
        some = masks.view(np.uint64).any(axis=1)  # eight places at a time
        if not some.all():
            raise RuntimeError(f"no legal action in row {int(some.argmin())}: this is a bug")
        return masks.view(np.bool_).copy()  # the rulebook writes 0 and 1

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Keep the actions [B] for `step_wait`."""
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_envs,) or chosen.dtype.kind not in "iu":
            raise ValueError(f"actions must be integers of shape ({self.num_envs},), not {chosen.dtype} {chosen.shape}")
        self._actions = chosen.astype(np.int64, copy=False)

    def _new_infos(self, rewards: Floats, done: Bools) -> list[dict[str, Any]]:
        """Fresh infos; where an episode ends with its return and length, as SB3's Monitor has them."""
        self._returns += rewards
        self._lengths += 1
        infos: list[dict[str, Any]] = [{"TimeLimit.truncated": False} for _ in range(self.num_envs)]
        rows, passed = np.flatnonzero(done), round(time.time() - self._began, 6)
        told = zip(rows.tolist(), self._returns[rows].tolist(), self._lengths[rows].tolist(), strict=True)
        for row, total, length in told:
            infos[row]["episode"] = {"r": total, "l": length, "t": passed}
        self._returns[done] = 0
        self._lengths[done] = 0
        return infos

    def _next_keys(self) -> npt.NDArray[np.uint64] | None:
        """The streams that `seed` named since the last reset; None: the old ones go on."""
        given = list(self._seeds)
        self._reset_seeds()
        self._dealt = True
        self._returns[:] = 0
        self._lengths[:] = 0
        if given[0] is None:
            return None
        return np.array([seeds.training_key(seed) for seed in given], np.uint64)

    def seed(self, seed: int | None = None) -> list[int | None]:
        """Begin new streams at the next `reset`: row i that of ``seed + i``; their seeds [B], as SB3 has it.

        Raises:
            ValueError: not an integer, or one too large for so many rows.
        """
        first = seeds.first_of(seeds.fresh_seed() if seed is None else seed, self.num_envs)
        self._seeds = [first + row for row in range(self.num_envs)]
        return list(self._seeds)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute, the same for every row.

        Raises:
            AttributeError: there is none of this name.
        """
        value = getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Refused: rows have no attributes of their own."""
        raise AttributeError(f"rows have no attributes of their own to set, not {attr_name!r} either")

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """``action_masks``, a row for each index.

        Raises:
            AttributeError: another method.
        """
        if method_name != "action_masks":
            raise AttributeError(f"rows have no method {method_name!r}, only 'action_masks'")
        masks = self.action_masks()
        return list(masks if indices is None else masks[list(self._get_indices(indices))])

    def env_is_wrapped(
        self, wrapper_class: type[Wrapper[Any, Any, Any, Any]], indices: VecEnvIndices = None
    ) -> list[bool]:
        """False for every row."""
        return [False for _ in self._get_indices(indices)]


class NapVecEnv(MaskedVecEnv):
    """One learner's seat at each of B tables.

    Args:
        num_envs: B.
        rules: a preset's name or a `Rules`.
        seed: row i plays as a `SeatEnv` of seed ``seed + i``; None takes a fresh one.
        render_mode: None or "rgb_array", for SB3's ``VecVideoRecorder``.
        settings: all else that `nap_env.SeatEnv` takes; and ``threads``, that share the work of a call.
    """

    def __init__(
        self,
        num_envs: int,
        rules: str | Rules = "standard",
        *,
        seed: int | None = None,
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        self.one_caller = OneCaller("NapVecEnv")
        self.tables = LearnerTables(num_envs, rules, **settings)
        super().__init__(num_envs, self.tables.rules, render_mode)
        self._all = np.arange(num_envs, dtype=np.int64)
        self.seed(seeds.fresh_seed() if seed is None else seed)

    @one_at_a_time
    def reset(self) -> Int8:
        """First observations, int8 [B, O]."""
        start = self.tables.parse_start(self._options[0])
        keys = self._next_keys()
        with self.tables.as_it_stood():
            if keys is not None:
                self.tables.seed(self._all, keys)
            self.tables.begin(self._all, start)
            self.tables.play_on()
        self._reset_options()
        self.tables.show(self._all)
        return self.tables.obs.copy()

    @one_at_a_time
    def step_wait(self) -> VecEnvStepReturn:
        """Observations int8 [B, O], rewards float32 [B] in stakes, dones [B], fresh infos.

        Where an episode ends the observation is the next one's first; ``terminal_observation`` is its last.
        """
        tables = self.tables
        with tables.as_it_stood():
            tables.act(self._all, self._actions)
            tables.play_on()
            tables.pay(self._all)
            done = tables.ended
            rows = np.flatnonzero(done)
            tables.show(self._all)
            last = tables.obs[rows]
            tables.begin(rows)
            tables.play_on()
        tables.show(rows)
        rewards = tables.reward.astype(np.float32)
        infos = self._new_infos(rewards, done)
        for row, view in zip(rows.tolist(), last, strict=True):
            infos[row]["terminal_observation"] = view
        return tables.obs.copy(), rewards, done, infos

    @one_at_a_time
    def set_opponents(self, opponents: Any, index: Any = None) -> None:
        """Let these agents play the other seats from now on, at all tables or at those of ``index`` [K]."""
        rows = None if index is None else np.asarray(index, np.int64)
        self.tables.company.seat_agents(opponents, rows)

    def _masks(self) -> Int8:
        return self.tables.mask

    def _table(self, row: int) -> tuple[np.void, int]:
        return self.tables.games[row], int(self.tables.places["seat"][row])

    def close(self) -> None:
        """Nothing is held open."""


class SelfPlayVecEnv(MaskedVecEnv):
    """B tables at which the learner plays every seat; each step is the move of whoever is to act there.

    A reward is the acting seat's own; what the move brings all the others is in ``paid``, and reaches the
    decisions that led to it through `train.learning.seatwise.SeatwiseBuffer`. The reward of an episode in ``infos``
    is that of the moves alone.

    Args:
        num_envs: B.
        rules: a preset's name or a `Rules`.
        num_players: re-makes a preset for so many.
        seed: table i plays as an environment of seed ``seed + i``; None takes a fresh one.
        skip_forced: moves without a choice are made at once.
        reward_scale: so many stakes count as 1.
        threads: how many share the work of a call.
        render_mode: None or "rgb_array": each table as the seat to act sees it.
        terms: of a match, as `nap_env.nap_v0` takes them: ``num_hands``, ``starting_chips``, ...

    Attributes:
        acted: int8 [B], the seats that moved in the last step.
        paid: float32 [B, n], what every seat won or lost in it, scaled.
        ended: bool [B], whether it ended a match.
    """

    def __init__(
        self,
        num_envs: int,
        rules: str | Rules = "standard",
        num_players: int | None = None,
        *,
        seed: int | None = None,
        skip_forced: bool = False,
        reward_scale: float = 1.0,
        threads: int = 1,
        render_mode: str | None = None,
        **terms: Any,
    ) -> None:
        played = make_rules(rules, num_players)
        match = make_match(played.num_players, **terms)
        self.tables = Tables(num_envs, played, seed, threads=threads, match=match)
        self.skip_forced = skip_forced
        self.reward_scale = reward_scale
        super().__init__(num_envs, played, render_mode)
        self.acted: Int8 = np.zeros(num_envs, np.int8)
        self.paid: Floats = np.zeros((num_envs, played.num_players), np.float32)
        self.ended: Bools = np.zeros(num_envs, np.bool_)
        self._rows = np.arange(num_envs)

    def reset(self) -> Int8:
        """First observations, int8 [B, O], of the seats to act."""
        self.tables.reset(keys=self._next_keys())
        self._move_forced(np.zeros(self.num_envs, np.bool_))
        return self.tables.obs.copy()

    def step_wait(self) -> VecEnvStepReturn:
        """Observations int8 [B, O] of the seats then to act, rewards float32 [B], dones [B], fresh infos."""
        self.acted = self.tables.seat.copy()
        paid, ended = self.tables.step(self._actions)
        self.paid, self.ended = paid, ended
        self._move_forced(ended)
        self.paid = paid / np.float32(self.reward_scale)
        rewards = self.paid[self._rows, self.acted]
        return self.tables.obs.copy(), rewards, ended.copy(), self._new_infos(rewards, ended)

    def _move_forced(self, ended: Bools) -> None:
        """Make the moves that are none, up to the end of a match; adds to ``paid`` and ``ended``."""
        while self.skip_forced:
            forced = np.flatnonzero((self.tables.mask.sum(axis=1) == 1) & ~ended)
            if not forced.size:
                return
            paid, over = self.tables.step(self.tables.mask[forced].argmax(axis=1), forced)
            self.paid[forced] += paid
            ended[forced] |= over

    def _masks(self) -> Int8:
        return self.tables.mask

    def _table(self, row: int) -> tuple[np.void, int]:
        return self.tables.games[row], int(self.tables.seat[row])

    def close(self) -> None:
        """Nothing is held open."""
