"""One learner's seat as a Gymnasium environment; agents play the other seats inside.

```python
import gymnasium
import nap_env

env = gymnasium.make("nap_env/Nap-v0", opponents="rules")
observation, info = env.reset(seed=42)
over = False
while not over:
    action = env.action_space.sample(info["action_mask"])
    observation, reward, over, _, info = env.step(action)
env.close()
```

| Actions            | ``Discrete(64)``, masked by ``env.action_masks()`` and ``info["action_mask"]``     |
|--------------------|------------------------------------------------------------------------------------|
| Observations       | int8 [O], relative to the seat: `nap_env.observation.table` lists the fields       |
| Rewards            | stakes the seat won or lost since its last decision, float                         |
| Episode            | a match, one hand unless told otherwise, or up to the learner's going out of it    |

The tasks: ``"full"`` (`nap_env/Nap-v0`), the learner decides everything; ``"bidding"``
(`nap_env/NapBidding-v0`), all that comes before the cards are played; ``"play"`` (`nap_env/NapPlay-v0`),
the cards played. An agent, the ``partner``, decides the rest for his seat.

The keys of ``info`` are always the same: ``seat``, the learner's; ``skipped_reward``, the part of the
reward given with it that comes from hands in which he had no decision (a dealer who sits out, an auction
that all pass in the task "play"); ``illegal``, whether an illegal action ended the episode;
``action_mask``. Such hands are dealt on, and what they bring is added to the next reward.
"""

from __future__ import annotations

import copy
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from nap_env import observation
from nap_env.cards import NUM_ACTIONS
from nap_env.dealing import seeds
from nap_env.engine.threads import OneCaller, one_at_a_time
from nap_env.explain import check_action
from nap_env.learner.tables import LearnerTables
from nap_env.rules import Rules

Int8 = npt.NDArray[np.int8]
RENDER_MODES = ("human", "ansi", "rgb_array")


class SeatEnv(gymnasium.Env[Int8, Any]):
    """Nap for one learner.

    Args:
        rules: a preset's name (RULES R12) or a `Rules`.
        num_players: re-makes a preset for so many; None is the rules' own number.
        opponents: one agent for all other seats, or n-1 of them clockwise from the learner's left; names
            (`nap_env.agent.make`) or objects. None: the agent "rules" at all of them.
        seat: the learner's; None: he and the dealer go round over the episodes, every (seat, dealer) equally
            often, from a place that the seed names. With a seat given the dealer goes round alone.
        num_hands: hands in an episode (R1.5); None is 1.
        starting_chips: every balance at the start (R1.6); None is unlimited credit.
        skip_forced: moves without a choice are made for the learner.
        render_mode: None, "human" (a window), "ansi" (text) or "rgb_array"; drawn as the learner sees it.
        deals_per_dealer: instead of ``num_hands``: so many times the players.
        rebuys: how often each may re-buy (R1.6).
        tie_break: whether those tied for the lead play extra hands (R1.8).
        task: what the learner decides: "full", "bidding" or "play" (see the module).
        partner: the agent that decides the rest for his seat; None: "rules".

    Raises:
        RulesError: rules or terms that cannot be; the message cites the clause.
        AgentError: opponents of the wrong number, or that cannot be had or cannot play these rules.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
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
    ) -> None:
        self.one_caller = OneCaller("SeatEnv")
        self._tables = LearnerTables(
            1, rules, num_players, opponents, seat, num_hands, starting_chips, skip_forced,
            deals_per_dealer=deals_per_dealer, rebuys=rebuys, tie_break=tie_break, task=task, partner=partner,
        )  # fmt: skip
        self.rules = self._tables.rules
        self.match = self._tables.match
        self.penalty = float(self._tables.penalty)
        self.render_mode = checked_render_mode(render_mode, RENDER_MODES)
        self.observation_space = spaces.Box(-128, 127, (observation.size(self.rules),), np.int8)
        self.action_space = spaces.Discrete(NUM_ACTIONS)
        self._row = np.zeros(1, np.int64)
        self._seeded = False
        self._playing = False
        self._window: Any = None

    @one_at_a_time
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Int8, dict[str, Any]]:
        """Begin an episode; a seed begins new streams of random numbers, without one the old go on.

        ``options`` may have ``dealer``, ``decks`` and ``hands``, as in `nap_env.nap_v0`; others are ignored.

        Raises:
            DealError, ValueError: options or a seed that cannot be. The game then stands as it was.
            AgentError: an opponent raised or answered with an illegal action; the game stands as it was.
        """
        start = self._tables.parse_start(options)
        key = None
        if seed is not None or not self._seeded:
            key = seeds.training_key(seeds.fresh_seed() if seed is None else seed)
        with self._tables.as_it_stood():
            if key is not None:
                self._tables.seed(self._row, np.array([key], np.uint64))
            self._tables.begin(self._row, start)
            self._tables.play_on()
        if seed is not None:
            super().reset(seed=int(seed))
        self._seeded = True
        self._playing = True
        self._tables.show(self._row)
        if self.render_mode == "human":
            self.render()
        return self._tables.obs[0].copy(), self._info(0.0)

    @one_at_a_time
    def step(self, action: Any) -> tuple[Int8, float, bool, bool, dict[str, Any]]:
        """The learner acts, and the others, until he has to decide again or his episode is over.

        An action that is not legal ends the episode with a reward worse than any legal result,
        ``penalty``.

        Raises:
            IllegalAction: not an integer 0..63.
            AgentError: an opponent raised or answered with an illegal action; the game stands as it was.
            gymnasium.error.ResetNeeded: before `reset`, or after the end of the episode.
        """
        if not self._playing:
            done = "the episode is over" if self._seeded else "no episode has begun"
            raise gymnasium.error.ResetNeeded(f"{done}: call reset() before step().")
        tables = self._tables
        plain = type(action) is int and 0 <= action < NUM_ACTIONS
        chosen = np.array([action if plain else check_action(action)], np.int64)
        with tables.as_it_stood():
            tables.act(self._row, chosen)
            tables.play_on()
        tables.pay(self._row)
        tables.show(self._row)
        ended = bool(tables.ended[0])
        self._playing = not ended
        if self.render_mode == "human":
            self.render()
        return (
            tables.obs[0].copy(),
            float(tables.reward[0]),
            ended,
            False,
            self._info(float(tables.skipped[0])),
        )

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The learner's legal actions now, bool [64]; none before `reset` and after the end.

        ``info["action_mask"]`` is int8.
        """
        legal: npt.NDArray[np.bool_] = self._tables.mask[0] != 0
        return legal

    def _info(self, skipped: float) -> dict[str, Any]:
        return {
            "seat": int(self._tables.places["seat"][0]),
            "skipped_reward": skipped,
            "illegal": bool(self._tables.places["illegal"][0]),
            "action_mask": self._tables.mask[0].copy(),
        }

    @one_at_a_time
    def set_opponents(self, opponents: Any) -> None:
        """Let these agents play the other seats from now on; as the argument of the same name."""
        self._tables.company.seat_agents(opponents)

    def render(self) -> Any:
        """The table as the learner sees it, in the form that ``render_mode`` names."""
        if not self._seeded:
            raise gymnasium.error.ResetNeeded("no episode has begun: call reset() before render().")
        if self.render_mode is None:
            gymnasium.logger.warn("render() without a render_mode draws nothing: give it when making the env")
            return None
        if self.render_mode == "human":
            from nap_env.render import window

            self._window = self._window or window.Window()
            self._window.show(self._view())
            return None
        return picture(self._view(), self.render_mode)

    def _view(self) -> Any:
        from nap_env.render.view import table_view

        return table_view(self._tables.games[0], self.rules, int(self._tables.places["seat"][0]))

    def close(self) -> None:
        """Close the window, if one is open; may be called again."""
        if self._window is not None:
            self._window.close()
            self._window = None

    def __getstate__(self) -> dict[str, Any]:
        """For pickle and deepcopy: all but the window, so that a copy goes on where this one is."""
        return self.__dict__ | {"_window": None}

    def clone(self) -> SeatEnv:
        """An independent copy of the episode as it stands, agents and random numbers included."""
        return copy.deepcopy(self)


def checked_render_mode(mode: str | None, modes: tuple[str, ...]) -> str | None:
    """The mode itself.

    Raises:
        ValueError: it is not one of ``modes``.
    """
    if mode is not None and mode not in modes:
        raise ValueError(f"render_mode={mode!r}: use None, {', '.join(map(repr, modes))}")
    return mode


def picture(view: Any, mode: str) -> Any:
    """A view of a table as text ("ansi") or uint8 [H, W, 3] ("rgb_array")."""
    if mode == "ansi":
        from nap_env.render.text import text

        return text(view)
    from nap_env.render.window import rgb_array

    return rgb_array(view)
