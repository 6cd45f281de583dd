"""For tests of learners' seats: agents that misbehave, a learner, and a match as `raw_env` has it."""

import numpy as np

from nap_env import nap_v0
from nap_env.agent import BaseAgent, bind
from nap_env.cards import cards_of
from nap_env.observation import layout
from nap_env.rules import make_rules

TERMS = [  # preset, and the terms of a match that suits it
    ("standard", {}),
    ("seven_card", {"num_hands": 2}),
    ("purchase", {"num_hands": 3, "starting_chips": 12}),
    ("ecarte", {"num_hands": 2}),
    ("peep", {"num_hands": 2}),
    ("sir_garnet", {}),
    ("no_overcalls", {"num_hands": 4, "starting_chips": 3, "rebuys": 1}),
    ("no_misere", {}),
    ("six_handed", {"num_hands": 3, "starting_chips": 6}),
    ("penny", {"tie_break": True}),
]


class Unsteady(BaseAgent):
    """Chooses by its generator, one row at a time."""

    name = "unsteady"

    def act(self, observation, action_mask, rng, *state):
        return int(rng.choice(np.flatnonzero(action_mask)))


class Faulty(BaseAgent):
    """Plays its lowest action; while ``fault`` is an exception or an action, raises or answers it."""

    name = "faulty"
    fault = None

    def act(self, observation, action_mask, rng, *state):
        if isinstance(self.fault, Exception):
            raise self.fault
        return int(np.flatnonzero(action_mask)[0]) if self.fault is None else self.fault

    def for_rules(self, rules):
        return self


def choose(mask, turn):
    """A learner's choice that differs from turn to turn."""
    legal = np.flatnonzero(mask)
    return int(legal[(7 * turn + 3) % len(legal)])


def decks_of(rules, hands, seed):
    """Shuffled packs [hands, pack]."""
    cards = np.fromiter(cards_of(rules.pack_mask), np.int64)
    rng = np.random.default_rng(seed)
    return np.stack([rng.permutation(cards) for _ in range(hands)])


def retold(preset, terms, seat, options, opponent="simple-v1"):
    """A learner's episode as `raw_env` has it: its views [T, O], masks [T, 64], and rewards [T]."""
    rules = make_rules(preset)
    env = nap_v0.raw_env(preset, **terms)
    env.reset(seed=0, options=options)
    agent, rng = bind(opponent, rules), np.random.default_rng(0)
    me = f"player_{seat}"
    views, masks, rewards = [], [], []
    pending, out = 0.0, False
    for name in env.agent_iter():
        view, _, over, _, _ = env.last()
        observation, mask = view["observation"], view["action_mask"]
        out = out or bool(env.observe(me)["observation"][layout(rules)["out"].start])
        if over or out:
            break
        if name == me:
            if views:
                rewards.append(pending)
            pending = 0.0 if views else pending
            views.append(observation), masks.append(mask)
            action = choose(mask, len(views) - 1)
        else:
            action = int(agent.act(observation, mask, rng))
        env.step(action)
        pending += env.rewards[me]
    rewards.append(pending)
    return views, masks, rewards
