"""Many learners' seats at once as a Gymnasium vector environment, stepped by compiled loops.

Row i plays as a `nap_env.seat.SeatEnv` of seed ``seed + i``, move by move, whatever its neighbours do,
as long as its agents draw by row: deterministic ones, "random", and all that write ``act`` or
``act_each``. An agent of which only ``act_batch`` is written is asked once for all rows, with one
generator for them together.

```python
import gymnasium
import nap_env

envs = gymnasium.make_vec("nap_env/Nap-v0", num_envs=256, opponents="rules")
observations, infos = envs.reset(seed=1)
for _ in range(10):
    masks = envs.action_masks()  # bool [B, 64]; infos["action_mask"] has the same as int8
    actions = masks.argmax(axis=1)  # here: the first legal one
    observations, rewards, terminations, truncations, infos = envs.step(actions)
envs.close()
```
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from nap_env import observation
from nap_env.cards import NUM_ACTIONS
from nap_env.dealing import seeds
from nap_env.engine.threads import OneCaller, at_least_one, one_at_a_time
from nap_env.errors import IllegalAction
from nap_env.learner.tables import LearnerTables
from nap_env.rules import Rules
from nap_env.seat import checked_render_mode, picture

Int8 = npt.NDArray[np.int8]
Int64 = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]
Infos = dict[str, Any]
RENDER_MODES = ("ansi", "rgb_array")


class NapVectorEnv(VectorEnv[Int8, Int64, npt.NDArray[Any]]):
    """B learners' seats; ``infos`` holds an array [B] or [B, 64] for each key of `SeatEnv`'s.

    The arguments not named here are those of `nap_env.seat.SeatEnv`.

    Args:
        num_envs: B.
        render_mode: None, "ansi" or "rgb_array"; `render` gives one picture a row.
        autoreset_mode: when a row whose episode is over begins the next one: NEXT_STEP (at the next step, its
            action is ignored), SAME_STEP (at once; ``infos`` has ``final_obs`` and ``final_info``) or
            DISABLED (at ``reset(options={"reset_mask": bool [B]})``).
        copy: whether observations are copies; False: they are overwritten by the next call.
        threads: how many share the work of a call (they pay from some hundred rows each).
        max_episode_steps: decisions after which an episode is truncated; None: never.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int = 1,
        rules: str | Rules = "standard",
        num_players: int | None = None,
        opponents: Any = None,
        seat: int | None = None,
        num_hands: int | None = None,
        starting_chips: int | None = None,
        skip_forced: bool = False,
        render_mode: str | None = None,
        *,
        deals_per_dealer: int | None = None,
        rebuys: int = 0,
        tie_break: bool = False,
        task: str = "full",
        partner: Any = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        threads: int = 1,
        max_episode_steps: int | None = None,
    ) -> None:
        self.one_caller = OneCaller("NapVectorEnv")
        self.num_envs = at_least_one("num_envs", num_envs)
        self._tables = LearnerTables(
            self.num_envs, rules, num_players, opponents, seat, num_hands, starting_chips, skip_forced,
            deals_per_dealer=deals_per_dealer, rebuys=rebuys, tie_break=tie_break, task=task, partner=partner,
            threads=threads,
        )  # fmt: skip
        self.rules = self._tables.rules
        self.match = self._tables.match
        self.penalty = float(self._tables.penalty)
        self.render_mode = checked_render_mode(render_mode, RENDER_MODES)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = self.metadata | {"autoreset_mode": self.autoreset_mode}
        self.copy = copy
        self.max_episode_steps = None if max_episode_steps in (None, -1) else max_episode_steps
        self.single_observation_space = spaces.Box(-128, 127, (observation.size(self.rules),), np.int8)
        self.single_action_space = spaces.Discrete(NUM_ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._all = np.arange(self.num_envs, dtype=np.int64)
        self._none = np.zeros(0, np.int64)
        self._every = np.ones(self.num_envs, np.bool_)
        self._seeded = np.zeros(self.num_envs, np.bool_)
        self._done = np.zeros(self.num_envs, np.bool_)  # the episode is over or truncated, the next not begun
        self._steps = np.zeros(self.num_envs, np.int64)

    # ---- Gymnasium's vector interface ------------------------------------------------------------

    @one_at_a_time
    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | npt.NDArray[Any] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Int8, Infos]:
        """Begin an episode in every row, or in those of ``options["reset_mask"]`` (bool [B]).

        An integer seed gives row i the seed ``seed + i``, a sequence one to each row. Other options are those
        of `SeatEnv`, the same for every row.

        Raises:
            DealError, ValueError: options or a seed that cannot be.
            AgentError: an agent raised or answered with an illegal action. All rows stand as they were.
        """
        if isinstance(seed, np.ndarray) and not seed.ndim:
            seed = seed.item()
        among = self._reset_mask(options)
        rows = np.flatnonzero(among)
        keys = self._keys(seed, among)
        start = self._tables.parse_start(options)
        seeded = np.array([row for row in rows.tolist() if row in keys], np.int64)
        with self._tables.as_it_stood():
            if seeded.size:
                self._tables.seed(seeded, np.array([keys[row] for row in seeded.tolist()], np.uint64))
            self._tables.begin(rows, start)
            self._tables.play_on()
        if seed is not None and not isinstance(seed, Sequence | np.ndarray):
            super().reset(seed=seeds.training_key(seed))
        self._seeded[rows] = True
        self._done[rows] = False
        self._steps[rows] = 0
        self._tables.show(rows)
        return self._observations(), self._infos(among, np.zeros(self.num_envs))

    @one_at_a_time
    def step(self, actions: Any) -> tuple[Int8, npt.NDArray[np.float64], Bool, Bool, Infos]:
        """Every learner acts once, integers [B]: observations [B, O], rewards [B] stakes, ends [B], infos.

        An action that is not legal ends the row's episode with ``penalty``; those of rows that begin a new
        episode now (NEXT_STEP) are ignored.

        Raises:
            ValueError: actions of the wrong shape or type, or outside 0..63.
            AgentError: an agent raised or answered with an illegal action. All rows stand as they were.
            gymnasium.error.ResetNeeded: before `reset`, or (DISABLED) where an episode is over.
        """
        chosen = self._actions(actions)
        self._check_begun()
        tables, waiting = self._tables, self._done
        play, begin = self._all, self._none
        if waiting.any():
            play, begin = np.flatnonzero(~waiting), np.flatnonzero(waiting)
        final: Infos = {}
        with tables.as_it_stood():
            tables.act(play, chosen[play])
            tables.begin(begin)
            tables.play_on()
            tables.pay(play)
            tables.reward[begin] = tables.skipped[begin] = 0
            steps = np.where(waiting, 0, self._steps + 1)
            terminations, truncations = self._ends(steps)
            done = terminations | truncations
            rewards, skipped = tables.reward.copy(), tables.skipped.copy()
            if self.autoreset_mode == AutoresetMode.SAME_STEP and done.any():
                final = self._final(done, skipped)
                tables.begin(np.flatnonzero(done))
                tables.play_on()
                skipped[done] = steps[done] = 0
                done = np.zeros(self.num_envs, np.bool_)
        self._steps, self._done = steps, done
        tables.show(self._all)
        infos = final | self._infos(self._every, skipped)
        return self._observations(), rewards, terminations, truncations, infos

    def action_masks(self) -> Bool:
        """The learners' legal actions now, bool [B, 64]; none before `reset` and where an episode is over."""
        legal: Bool = self._tables.mask != 0
        return legal

    @one_at_a_time
    def set_opponents(self, opponents: Any, index: Any = None) -> None:
        """Let these agents play the other seats from now on, in all rows or in those of ``index`` [K]."""
        rows = None if index is None else np.asarray(index, np.int64)
        self._tables.company.seat_agents(opponents, rows)

    @one_at_a_time
    def render(self) -> tuple[Any, ...] | None:
        """Every table as its learner sees it, in the form that ``render_mode`` names."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() without a render_mode draws nothing: give it when making the env")
            return None
        from nap_env.render.view import table_view

        self._check_begun()
        games, seats = self._tables.games, self._tables.seat.tolist()
        return tuple(
            picture(table_view(games[row], self.rules, seats[row]), self.render_mode) for row in range(self.num_envs)
        )

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """As `gymnasium.vector.SyncVectorEnv.call`: a method's answer, or an attribute, row by row.

        Raises:
            AttributeError: a name that rows do not have.
        """
        if name in ("action_masks", "render"):
            return tuple(getattr(self, name)(*args, **kwargs))
        if name in _OF_A_ROW:
            return (getattr(self, _OF_A_ROW[name]),) * self.num_envs
        raise AttributeError(
            f"rows of NapVectorEnv have no {name!r}; they have action_masks, render, {', '.join(_OF_A_ROW)}"
        )

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """As `call` without arguments."""
        return self.call(name)

    # ---- inside ----------------------------------------------------------------------------------

    def _observations(self) -> Int8:
        return self._tables.obs.copy() if self.copy else self._tables.obs

    def _ends(self, steps: Int64) -> tuple[Bool, Bool]:
        """Which episodes are over, and which have lasted too long."""
        if self.max_episode_steps is None:
            return self._tables.ended, np.zeros(self.num_envs, np.bool_)
        return self._tables.ended, steps >= self.max_episode_steps

    def _infos(self, among: Bool, skipped: npt.NDArray[np.float64], masks: Int8 | None = None) -> Infos:
        """`SeatEnv`'s infos as arrays, zero outside the rows ``among`` [B]."""
        values = {
            "seat": self._tables.seat,
            "skipped_reward": skipped,
            "illegal": self._tables.illegal,
            "action_mask": (self._tables.mask if masks is None else masks).copy(),
        }
        infos: Infos = {}
        for key, value in values.items():
            if among is not self._every:
                value[~among] = 0
            infos[key], infos[f"_{key}"] = value, among.copy()
        return infos

    def _final(self, done: Bool, skipped: npt.NDArray[np.float64]) -> Infos:
        """Last observations and infos of the episodes that end with this step."""
        views, masks = np.empty_like(self._tables.obs), np.zeros_like(self._tables.mask)
        rows = np.flatnonzero(done)
        self._tables.show(rows, views, masks)
        last = np.full(self.num_envs, None, object)
        for row in rows.tolist():
            last[row] = views[row]
        info = self._infos(done, skipped.copy(), masks)
        return {"final_obs": last, "_final_obs": done.copy(), "final_info": info, "_final_info": done.copy()}

    def _check_begun(self) -> None:
        if not self._seeded.all():
            raise gymnasium.error.ResetNeeded("no episode has begun in some rows: call reset() before step().")
        if self.autoreset_mode == AutoresetMode.DISABLED and self._done.any():
            rows = np.flatnonzero(self._done)[:5].tolist()
            raise gymnasium.error.ResetNeeded(
                f"the episodes of rows {rows} ... are over, and autoreset_mode is DISABLED: "
                "call reset(options={'reset_mask': ...}) before step()."
            )

    def _actions(self, actions: Any) -> Int64:
        chosen = np.asarray(actions)
        if chosen.dtype.kind not in "iu" or chosen.shape != (self.num_envs,):
            raise ValueError(
                f"actions must be integers of shape ({self.num_envs},), one a row, "
                f"not {chosen.dtype} of shape {chosen.shape}"
            )
        chosen = chosen.astype(np.int64, copy=False)
        wrong = chosen & ~(NUM_ACTIONS - 1)
        if wrong.any():
            row = int(np.argmax(wrong != 0))
            raise IllegalAction(f"row {row}: {chosen[row]} is no action: actions are 0..63 (R14)")
        return chosen

    def _reset_mask(self, options: Any) -> Bool:
        mask = options.get("reset_mask") if isinstance(options, Mapping) else None
        if mask is None:
            return np.ones(self.num_envs, np.bool_)
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            raise ValueError(f"option 'reset_mask' must be a bool array of shape ({self.num_envs},), not {mask!r}")
        if not mask.any():
            raise ValueError("option 'reset_mask' names no row")
        return mask.copy()

    def _keys(self, seed: Any, among: Bool) -> dict[int, int]:
        """The stream keys of the rows that begin new streams."""
        if seed is None:
            fresh = seeds.fresh_seed()
            return {row: fresh + row for row in np.flatnonzero(among & ~self._seeded).tolist()}
        if isinstance(seed, Sequence | np.ndarray):
            if len(seed) != self.num_envs:
                raise ValueError(f"seed has {len(seed)} numbers for {self.num_envs} rows")
            fresh = seeds.fresh_seed()
            given = {
                row: fresh + row if one is None else seeds.training_key(one)
                for row, one in enumerate(seed)
                if one is not None or not self._seeded[row]
            }
            return given
        base = seeds.first_of(seed, self.num_envs)
        return {row: base + row for row in range(self.num_envs)}


_OF_A_ROW = {  # attributes that rows have as `SeatEnv` has them
    "rules": "rules",
    "match": "match",
    "penalty": "penalty",
    "render_mode": "render_mode",
    "metadata": "metadata",
    "spec": "spec",
    "observation_space": "single_observation_space",
    "action_space": "single_action_space",
}
