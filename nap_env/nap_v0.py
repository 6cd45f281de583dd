"""Nap as a PettingZoo AEC environment.

| Import             | ``from nap_env import nap_v0``                                        |
|--------------------|-----------------------------------------------------------------------|
| Agents             | 2 to 7, ``player_0`` .. ``player_{n-1}``, clockwise                    |
| Actions            | ``Discrete(64)``, masked (RULES R14)                                   |
| Observations       | ``{"observation": int8 [O], "action_mask": int8 [64]}``                |
| Observation values | `nap_env.observation.table` lists the fields of a variant             |
| Rewards            | the seat's change in net result, in stakes, at the step where it happens |
| State              | int8 vector, everything: `nap_env.observation.state_layout`            |

```python
from nap_env import nap_v0

env = nap_v0.env(num_players=5)
env.reset(seed=42)
for agent in env.agent_iter():
    observation, reward, termination, truncation, info = env.last()
    done = termination or truncation
    env.step(None if done else env.action_space(agent).sample(observation["action_mask"]))
env.close()
```

One hand is the episode; ``num_hands`` or ``deals_per_dealer`` make a match, ``starting_chips`` one that
players can drop out of: they stay agents, are never selected again, and their rewards are zero.

`env` ends the match on an illegal action, with a reward for the offender that is worse than any legal
result; `raw_env` raises `IllegalAction`, which says why, and stands as it was. Both check order and
bounds themselves, so that no wrapper is needed.

``reset(options=...)`` takes ``dealer`` (a seat), ``decks`` (a list of packs, top card first, one for each
hand; further hands are drawn from the seed) or ``hands`` (``{seat: "AS KS QS JS TS"}``, the first hand's
cards of some seats). Unknown keys are ignored.
"""

from __future__ import annotations

import copy
import operator
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any, SupportsIndex

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.env_logger import EnvLogger

from nap_env import observation, record
from nap_env.cards import NUM_ACTIONS
from nap_env.dealing import options as opts
from nap_env.dealing import seeds
from nap_env.dealing.match import make_match
from nap_env.engine import jit, loops, records
from nap_env.engine.threads import OneCaller
from nap_env.errors import IllegalAction, RulesError
from nap_env.explain import check_action, why_illegal
from nap_env.rules import Rules, make_rules

__all__ = ["env", "raw_env"]

Int8 = npt.NDArray[np.int8]
Observation = dict[str, Int8]
_AFTER_RESET = frozenset(
    (
        "agents", "num_agents", "rewards", "terminations", "truncations", "infos", "agent_selection",
        "_cumulative_rewards",
    )
)  # fmt: skip


class ResetNeeded(gymnasium.error.ResetNeeded, AssertionError):
    """The environment was used before ``reset``."""


class raw_env(AECEnv[str, Observation, int]):
    """Nap that raises `IllegalAction` on an illegal action; see the module for the whole description.

    Args:
        rules: a preset's name (RULES R12) or a `Rules`.
        num_players: re-makes a preset for so many; None is the rules' own number.
        num_hands: hands in the match (R1.5); None is 1.
        deals_per_dealer: instead of ``num_hands``: so many times the players.
        starting_chips: every balance at the start (R1.6); None is unlimited credit.
        rebuys: how often each may re-buy.
        tie_break: whether those tied for the lead play extra hands (R1.8).
        render_mode: None, "human" (a window), "ansi" (text) or "rgb_array".

    Raises:
        RulesError: rules or terms that cannot be; the message cites the clause.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - PettingZoo's own convention
        "name": "nap_v0",
        "render_modes": ["human", "ansi", "rgb_array"],
        "is_parallelizable": False,
        "render_fps": 2,
    }
    _illegal_ends_match = False

    def __init__(
        self,
        rules: str | Rules = "standard",
        num_players: int | None = None,
        num_hands: int | None = None,
        deals_per_dealer: int | None = None,
        starting_chips: int | None = None,
        rebuys: int = 0,
        tie_break: bool = False,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.rules = make_rules(rules, num_players)
        self.match = make_match(self.rules.num_players, num_hands, deals_per_dealer, starting_chips, rebuys, tie_break)
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            modes = ", ".join(map(repr, self.metadata["render_modes"]))
            raise ValueError(f"render_mode={render_mode!r}: use None, {modes}")
        self.render_mode = render_mode
        n = self.rules.num_players
        self.possible_agents = [f"player_{seat}" for seat in range(n)]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._size = observation.size(self.rules)
        self._observation_spaces = {a: _observation_space(self._size) for a in self.possible_agents}
        self._action_spaces = {a: spaces.Discrete(NUM_ACTIONS) for a in self.possible_agents}
        self.state_space = spaces.Box(-128, 127, (observation.state_size(self.rules),), np.int8)
        self.penalty = -2.0 * self.rules.largest_stake * (n - 1)
        self.one_caller = OneCaller("environment")
        self._games = np.zeros(1, records.GAME)
        self._seeded = False
        self._window: Any = None
        self._bind()

    def _bind(self) -> None:
        """Keep at hand what every step needs; all of it is derived, nothing is state."""
        self._kernel = self.rules.kernel
        self._net_changes = self._games["rewards"][0][: self.rules.num_players]
        self._view: Observation | None = None

    # ---- the AEC interface -------------------------------------------------------------------------

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The same `Dict` object for the same agent each time; equal for all."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """``Discrete(64)``, the same object for the same agent each time."""
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a match; a seed begins a new stream of random numbers, without one the old goes on.

        Raises:
            DealError: cards in the options that are no proper deal (R1.4).
            ValueError: a seed or a dealer that cannot be. The match then stands as it was.
        """
        start = opts.parse_options(options, self.rules)
        if seed is not None or not self._seeded:
            key = seeds.training_key(seeds.fresh_seed() if seed is None else seed)
            if jit.announce(loops.begin):
                self._compile()
            loops.seed_table(self._games, 0, np.uint64(key))
            self._seeded = True
        self._decks = start.decks
        self._view = None
        seat = loops.begin(self._games, 0, self._kernel, start.dealer, *self.match.kernel, start.decks, start.hands)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._quiet = True
        self._finished = False
        self._broken_off = False
        self._updated = True
        self.agent_selection = self.possible_agents[seat]

    def _compile(self) -> None:
        """Compile all that a turn needs, at a table of its own, so that no later call stalls."""
        games, none = np.zeros(1, records.GAME), np.zeros(records.MAX_SEATS, np.uint64)
        decks = np.empty((0, self.rules.pack_size), np.int8)
        loops.begin(games, 0, self._kernel, records.NONE, *self.match.kernel, decks, none)
        view, mask = np.empty(self._size, np.int8), np.empty(NUM_ACTIONS, np.int8)
        loops.turn_and_view(games, 0, self._kernel, NUM_ACTIONS - 1, decks, view, mask)
        loops.view(games, 0, self._kernel, 0, view, mask)

    def step(self, action: int | None) -> None:
        """The selected agent acts; an agent whose match is over steps None.

        Raises:
            IllegalAction: not an integer 0..63, or (from `raw_env` only) not legal now.
            gymnasium.error.ResetNeeded: before ``reset``, or when all agents are gone.
        """
        own = self.__dict__  # `__getattr__` makes looking up attributes slow, and a turn does it often
        if "agents" not in own:
            raise ResetNeeded("reset() needs to be called before step.")
        if own["_finished"]:
            self._step_finished(action)
            return
        number = action if type(action) is int and 0 <= action < NUM_ACTIONS else self._checked(action)
        view, mask = np.empty(own["_size"], np.int8), np.empty(NUM_ACTIONS, np.int8)
        own["one_caller"].enter()
        try:
            status = loops.turn_and_view(own["_games"], 0, own["_kernel"], number, own["_decks"], view, mask)
        finally:
            own["one_caller"].leave()
        if status < 0:
            self._illegal(number)
            return
        own["_updated"] = True
        own["_cumulative_rewards"][own["agent_selection"]] = 0.0
        if not (own["_quiet"] and status < 8):
            self._give_rewards(status)
        own["agent_selection"] = own["possible_agents"][status & 7]
        own["_view"] = {"observation": view, "action_mask": mask}
        if status >= 16:
            self._finish()
        if own["render_mode"] == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        """What an agent may know now, as fresh arrays; its mask is all zeros when it is not to act.

        Raises:
            ValueError: an agent that is not of this table.
        """
        if "agents" not in self.__dict__:
            raise ResetNeeded("reset() needs to be called before observe.")
        try:
            seat = self._seat_of[agent]
        except KeyError:
            names = f"{self.possible_agents[0]} .. {self.possible_agents[-1]}"
            raise ValueError(f"no agent {agent!r} at this table: they are {names}") from None
        ready, self._view = self._view, None
        if ready is not None and agent == self.agent_selection:
            return ready  # the step that made this agent's turn has written it; it is handed out once
        view = np.empty(self._size, np.int8)
        mask = np.empty(NUM_ACTIONS, np.int8)
        loops.view(self._games, 0, self._kernel, seat, view, mask)
        return {"observation": view, "action_mask": mask}

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Observation, reward since its last action, termination, truncation, info of the selected agent."""
        own = self.__dict__
        if "agents" not in own:
            raise ResetNeeded("reset() needs to be called before last.")
        agent = own["agent_selection"]
        view = None
        if observe:
            view, own["_view"] = own["_view"] or self.observe(agent), None
        return (
            view,
            own["_cumulative_rewards"][agent],
            own["terminations"][agent],
            own["truncations"][agent],
            own["infos"][agent],
        )

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:
        """The selected agent, again and again until the match is over and all have stepped None."""
        if "agents" not in self.__dict__:
            raise ResetNeeded("reset() needs to be called before agent_iter().")
        return self._turns(max_iter)

    def _turns(self, max_iter: int) -> Iterator[str]:
        while max_iter > 0 and self.agents:
            max_iter -= 1
            if not self._updated:
                raise AssertionError("need to call step() or reset() in a loop over `agent_iter`")
            self._updated = False
            yield self.agent_selection

    def state(self) -> Int8:
        """Everything, hidden cards too, for a centralised critic; valid after the end (int8)."""
        if "agents" not in self.__dict__:
            raise ResetNeeded("reset() needs to be called before state.")
        out = np.empty(self.state_space.shape or (), np.int8)
        loops.full_state(self._games, 0, self._kernel, out)
        return out

    # ---- what a step does --------------------------------------------------------------------------

    def _checked(self, action: Any) -> int:
        if action is None:
            raise IllegalAction(
                f"None for {self.agent_selection}, who is to act: give an integer 0..63 that the mask allows"
            )
        return check_action(action)

    def _step_finished(self, action: Any) -> None:
        if not self.agents:
            raise ResetNeeded("the match is over and every agent has stepped None: call reset() first.")
        self._updated = True
        self._was_dead_step(action)

    def _give_rewards(self, status: int) -> None:
        """Rewards of this step for every agent; most steps change nothing and do not come here."""
        changes = self._net_changes.tolist() if status & 8 else [0] * len(self.agents)
        for agent, change in zip(self.agents, changes, strict=True):
            self.rewards[agent] = float(change)
            self._cumulative_rewards[agent] += change
        self._quiet = not status & 8

    def _finish(self) -> None:
        self._finished = True
        self._view = None
        self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.agents[0]

    def _illegal(self, action: int) -> None:
        reason = why_illegal(self._games[0], self._kernel[0], action)
        if not self._illegal_ends_match:
            raise IllegalAction(reason)
        EnvLogger.warn_on_illegal_move()
        EnvLogger._generic_warning(f"[WARNING]: {reason}")
        offender = self.agent_selection
        self._updated = True
        self._broken_off = True
        self._games["phase"] = records.OVER
        self._games["legal"] = 0
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self.rewards[offender] = self.penalty
        self._cumulative_rewards[offender] = 0.0
        self._accumulate_rewards()
        self._finish()

    # ---- results, rendering ------------------------------------------------------------------------

    def result(self) -> dict[str, Any]:
        """The score so far: net results, balances, pool, hands finished, and who won.

        ``net`` [n] stakes won minus lost; ``chips`` [n] or None; ``pool`` stakes; ``winners`` the seats
        that won the match (R1.8), None until it is over or when it was broken off; ``hands`` finished;
        ``hand_winners`` the seats that gained by the last finished hand.
        """
        if "agents" not in self.__dict__:
            raise ResetNeeded("reset() needs to be called before result.")
        score = record.result(self._games[0], self.rules)
        return score | {"winners": None} if self._broken_off else score

    def render(self, viewer: SupportsIndex | str | None = None, *_: Any) -> str | npt.NDArray[np.uint8] | None:
        """Draw the table as ``render_mode`` says: all cards, or only what a viewing seat may see.

        Raises:
            ValueError: a viewer that is not at this table.
        """
        if "agents" not in self.__dict__:
            raise ResetNeeded("reset() needs to be called before render.")
        if self.render_mode is None:
            gymnasium.logger.warn("render() without a render_mode draws nothing: give it when making the env")
            return None
        from nap_env.render.view import table_view

        view = table_view(self._games[0], self.rules, self._viewer(viewer))
        if self.render_mode == "ansi":
            from nap_env.render.text import text

            return text(view)
        from nap_env.render import window

        if self.render_mode == "rgb_array":
            return window.rgb_array(view)
        if self._window is None:
            self._window = window.Window()
        self._window.show(view)
        return None

    def _viewer(self, viewer: SupportsIndex | str | None) -> int | None:
        if viewer is None or viewer in self.metadata["render_modes"]:
            return None
        if isinstance(viewer, str) and viewer in self._seat_of:
            return self._seat_of[viewer]
        if isinstance(viewer, SupportsIndex) and not isinstance(viewer, bool):
            seat = operator.index(viewer)
            if 0 <= seat < self.rules.num_players:
                return seat
        raise ValueError(f"no viewer {viewer!r} at this table: give a seat 0..{self.rules.num_players - 1}")

    def close(self) -> None:
        """Close the window, if one is open; may be called again."""
        if self._window is not None:
            self._window.close()
            self._window = None

    # ---- copies that go on where they were -------------------------------------------------------

    def clone(self) -> raw_env:
        """An independent copy of the match as it stands."""
        return copy.deepcopy(self)

    def get_state(self) -> dict[str, Any]:
        """The match as it stands, the stream of random numbers included; `set_state` takes it."""
        state = {key: copy.deepcopy(self.__dict__[key]) for key in _STATE if key in self.__dict__}
        return state | {"rules": self.rules, "match": self.match}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from a state that `get_state` gave, of this environment or of one with equal rules and terms.

        Raises:
            RulesError: the state is of other rules or of another kind of match.
        """
        if state["rules"] != self.rules or state["match"] != self.match:
            raise RulesError(f"a state of {state['rules']}, {state['match']} does not fit {self.rules}, {self.match}")
        for key in _STATE:
            self.__dict__.pop(key, None)
        self.__dict__.update({key: copy.deepcopy(state[key]) for key in _STATE if key in state})
        self._bind()

    def __getstate__(self) -> dict[str, Any]:
        """For pickle and deepcopy: all but the window and what `_bind` derives."""
        derived = ("_window", "_kernel", "_net_changes", "_view")
        return {key: value for key, value in self.__dict__.items() if key not in derived}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._window = None
        self._bind()

    def __getattr__(self, name: str) -> Any:
        if name in _AFTER_RESET:
            raise AttributeError(f"{name} cannot be accessed before reset")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.rules}, {self.match})"


class _NapEnv(raw_env):
    """Nap that ends the match on an illegal action."""

    _illegal_ends_match = True


def env(*args: Any, **kwargs: Any) -> raw_env:
    """Nap for all uses, with the arguments of `raw_env`; an illegal action ends the match."""
    return _NapEnv(*args, **kwargs)


_STATE = (
    "_games", "_seeded", "_decks", "_quiet", "_finished", "_broken_off", "_updated", "_skip_agent_selection",
    "agents", "rewards", "_cumulative_rewards", "terminations", "truncations", "infos", "agent_selection",
)  # fmt: skip


def _observation_space(size: int) -> spaces.Space[Any]:
    """Observation first, mask second: an OrderedDict keeps that order, a dict would be sorted."""
    return spaces.Dict(
        OrderedDict(
            observation=spaces.Box(-128, 127, (size,), np.int8),
            action_mask=spaces.Box(0, 1, (NUM_ACTIONS,), np.int8),
        )
    )
