"""What environments use: `bind` makes an agent of what a caller has, `ask` puts the question and checks the answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nap_env.agent.protocol import Agent, Generator, Int8, Int64, States, bound
from nap_env.agent.registry import make
from nap_env.cards import ACTION_NAMES, NUM_ACTIONS
from nap_env.engine import jit
from nap_env.errors import AgentError
from nap_env.rules import Rules


def bind(agent: Any, rules: Rules) -> Agent:
    """An agent for these rules, of a name or of any object with ``act`` or ``act_batch``.

    Raises:
        AgentError: no such name, no such methods, or an agent that cannot play these rules.
    """
    if isinstance(agent, str):
        return make(agent, rules)
    if isinstance(agent, type):
        raise AgentError(f"{agent.__name__} is a class: give an agent made from it, {agent.__name__}(...)")
    return bound(agent, rules)


def playout_loop(agent: Any, rules: Rules) -> Callable[..., None]:
    """The compiled loop that plays whole matches with every seat as this agent (name or object) does.

    Raises:
        AgentError: no such agent, or one that has none.
    """
    found = getattr(bind(agent, rules), "playout_rows", None)
    if found is None:
        raise AgentError(
            f"{bind(agent, rules).name} cannot play inside a compiled loop (it has no playout_rows): "
            "take random, rules or simple-v1, or step the tables with its actions"
        )
    jit.announce(found)
    return found  # type: ignore[no-any-return]


def ask(
    agent: Agent,
    observations: Int8,
    action_masks: Int8,
    rng: Generator | Sequence[Generator],
    states: States | None = None,
) -> Int64:
    """The agent's actions [B] int64, checked; observations [B, O] int8, action_masks [B, 64] int8.

    ``rng`` may be one generator a row. ``states`` is called, for [B, S] int8, only by an agent that
    needs the state.

    Raises:
        AgentError: the agent raised, or its answer is not one legal action a row.
    """
    more: tuple[Int8, ...] = ()
    if getattr(agent, "needs_state", False):
        if states is None:
            raise AgentError(f"{agent.name} sees all cards (needs_state), and no state is to be had here")
        more = (states(),)
    try:
        answers = _answers(agent, observations, action_masks, rng, more)
    except AgentError:
        raise
    except Exception as error:
        raise AgentError(f"{agent.name} raised {type(error).__name__}: {error}") from error
    return _checked(agent, answers, action_masks)


def _answers(agent: Any, observations: Int8, masks: Int8, rng: Any, states: tuple[Int8, ...]) -> Any:
    if isinstance(rng, Generator):
        return agent.act_batch(observations, masks, rng, *states)
    if getattr(agent, "deterministic", False):
        return agent.act_batch(observations, masks, rng[0], *states)
    if hasattr(agent, "act_each"):
        return agent.act_each(observations, masks, rng, *states)
    return [agent.act(*row) for row in zip(observations, masks, rng, *states, strict=True)]


def _checked(agent: Agent, answers: Any, masks: Int8) -> Int64:
    actions = np.asarray(answers)
    rows = len(masks)
    if actions.shape != (rows,) or (rows and actions.dtype.kind not in "iu"):
        raise AgentError(
            f"{agent.name} must answer {rows} observations with whole numbers of shape ({rows},), "
            f"not {actions.dtype} of shape {actions.shape}"
        )
    actions = actions.astype(np.int64, copy=False)
    inside = (actions >= 0) & (actions < NUM_ACTIONS)
    fine = inside & (masks[np.arange(rows), np.where(inside, actions, 0)] != 0)
    if not fine.all():
        row = int(np.argmin(fine))
        choices = ", ".join(ACTION_NAMES[a] for a in np.flatnonzero(masks[row]))
        action = int(actions[row])
        word = ACTION_NAMES[action] if inside[row] else "no action (0..63)"
        raise AgentError(f"{agent.name} chose {action}, {word}, in row {row}; legal: {choices or 'nothing'}")
    return actions
