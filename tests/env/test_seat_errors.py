"""SeatEnv: what cannot be is refused in words, and the game stands as it was."""

import gymnasium
import numpy as np
import pytest
from at_seat import Faulty, choose, decks_of

from nap_env import DealError, IllegalAction, RulesError, SeatEnv, observation
from nap_env.agent import BaseAgent
from nap_env.errors import AgentError


@pytest.fixture
def env():
    return SeatEnv(opponents="simple-v1", seat=1)


def same(env, twin, turns=12):
    """Whether two environments go on alike."""
    for turn in range(turns):
        assert np.array_equal(env.action_masks(), twin.action_masks())
        one, other = (e.step(choose(e.action_masks(), turn)) for e in (env, twin))
        assert np.array_equal(one[0], other[0])
        assert one[1:3] == other[1:3]
        if one[2]:
            assert np.array_equal(env.reset()[0], twin.reset()[0])


@pytest.mark.parametrize("preset", ["standard", "seven_card", "penny"])
def test_an_illegal_action_ends_the_episode_with_the_penalty(preset):
    env = SeatEnv(preset, opponents="simple-v1")
    n = env.rules.num_players
    assert env.penalty == -2 * env.rules.largest_stake * (n - 1)
    for action in range(64):
        _, info = env.reset(seed=action)
        if not info["action_mask"][action]:
            view, reward, over, truncated, info = env.step(action)
            assert (reward, over, truncated, info["illegal"]) == (env.penalty, True, False, True)
            assert not info["action_mask"].any()
            assert not env.action_masks().any()
            assert env.observation_space.contains(view)
    env.reset()
    assert env.action_masks().any()


@pytest.mark.parametrize("action", [None, 1.0, True, "AS", [1], np.array([1, 2]), -1, 64, np.float32(3)])
def test_what_is_no_action_raises(env, action):
    twin = SeatEnv(opponents="simple-v1", seat=1)
    env.reset(seed=4), twin.reset(seed=4)
    with pytest.raises(IllegalAction, match="is no action"):
        env.step(action)
    same(env, twin)


@pytest.mark.parametrize("kind", [int, np.int64, np.uint8, np.array])
def test_all_integers_are_actions(env, kind):
    env.reset(seed=4)
    assert not env.step(kind(52))[4]["illegal"]


def test_order_is_kept(env):
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"no episode has begun: call reset\(\)"):
        env.step(52)
    with pytest.raises(gymnasium.error.ResetNeeded, match="no episode has begun"):
        env.render()
    env.reset(seed=1)
    env.step(0), env.action_masks()
    with pytest.raises(gymnasium.error.ResetNeeded, match="the episode is over"):
        env.step(52)
    env.reset()
    env.step(52)
    env.close(), env.close()


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (KeyError("lost"), "faulty, asked for player_3, raised KeyError: 'lost'"),
        (63, "faulty chose an illegal action: player_3 may not"),
        (99, "faulty chose an illegal action: player_3: 99 is no action"),
    ],
)
def test_an_opponent_that_fails_is_named_and_undone(fault, words):
    faulty = Faulty()
    line_up = ["simple-v1", faulty, "simple-v1", "simple-v1"]
    env, twin = (SeatEnv(opponents=line_up, seat=1) for _ in range(2))
    faulty.fault = None
    env.reset(seed=4, options={"dealer": 0}), twin.reset(seed=4, options={"dealer": 0})
    faulty.fault = fault
    for _ in range(2):
        with pytest.raises(AgentError, match=words) as caught:
            env.step(52)
    assert not isinstance(fault, Exception) or caught.value.__cause__ is fault
    with pytest.raises(AgentError, match="player_3"):
        env.reset(options={"dealer": 1})
    faulty.fault = None
    same(env, twin)


def test_an_answer_of_another_shape_is_refused():
    class Wordy:
        def act_batch(self, views, masks, rng):
            return np.full(3, 52)

    with pytest.raises(AgentError, match=r"Wordy, asked for player_\d, must answer 1 integers, not int64 of shape"):
        SeatEnv(opponents=Wordy(), seat=0).reset(options={"dealer": 0})


def test_opponents_must_fit():
    for wrong in ([], ["random"], ["random"] * 5):
        with pytest.raises(AgentError, match=f"one agent for all, or 4 of them.*not {len(wrong)}"):
            SeatEnv(opponents=wrong)
    with pytest.raises(AgentError, match="no agent 'nobody'"):
        SeatEnv(opponents="nobody")
    with pytest.raises(AgentError, match="is no agent"):
        SeatEnv(opponents=object())
    SeatEnv(opponents=["random"] * 2, num_players=3)


def test_an_agent_of_other_rules_says_so(env):
    class Five(BaseAgent):
        def act(self, view, mask, rng):
            return int(np.argmax(mask)) if len(self.rules_for(len(view)).bids) == 6 else 0

        def for_rules(self, rules):
            if rules.num_players != 5:
                raise AgentError("trained for 5 players")
            return super().for_rules(rules)

    with pytest.raises(AgentError, match="trained for 5"):
        SeatEnv(num_players=4, opponents=Five())
    env.reset(seed=1)
    with pytest.raises(AgentError, match="one agent for all"):
        env.set_opponents([])
    env.set_opponents(Five())
    env.step(52)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"seat": 5}, ValueError, "seat must be 0..4 or None, not 5"),
        ({"seat": "north"}, ValueError, "seat must be a seat 0..4 or None"),
        ({"seat": True}, ValueError, "seat must be a seat"),
        ({"task": "win"}, ValueError, "task='win': use one of 'full', 'bidding', 'play'"),
        ({"partner": "random"}, ValueError, "partner='random' has nothing to do in task 'full'"),
        ({"render_mode": "gif"}, ValueError, "render_mode='gif'"),
        ({"rules": "whist"}, RulesError, "unknown rules 'whist'"),
        ({"num_hands": 0}, RulesError, "R1.5"),
        ({"num_hands": 1, "deals_per_dealer": 1}, RulesError, "R1.5"),
        ({"rebuys": 1}, RulesError, "R1.6"),
    ],
)
def test_arguments_that_cannot_be(arguments, error, words):
    with pytest.raises(error, match=words):
        SeatEnv(**{"opponents": "random"} | arguments)


def test_options_that_cannot_be_leave_the_game_alone(env):
    twin = SeatEnv(opponents="simple-v1", seat=1)
    env.reset(seed=4), twin.reset(seed=4)
    decks = decks_of(env.rules, 1, 0)
    for options, error, words in (
        ({"dealer": 5}, ValueError, "0..4"),
        ({"decks": decks[:, :51]}, DealError, "R1.4"),
        ({"decks": decks, "hands": {0: "AS"}}, DealError, "both"),
        ({"hands": {9: "AS KS QS JS TS"}}, DealError, "9"),
    ):
        with pytest.raises(error, match=words):
            env.reset(options=options)
    for seed in (-1, 1.5, 2**63, True):
        with pytest.raises(ValueError, match="seed"):
            env.reset(seed=seed)
    env.reset(options={"unknown": 1}), twin.reset()
    same(env, twin)


def test_a_hand_may_be_given(env):
    view, _ = env.reset(seed=1, options={"dealer": 0, "hands": {1: "AS KS QS JS TS"}})
    assert set(observation.decode(view, env.rules)["hand"]) == set("AS KS QS JS TS".split())


def test_a_learner_who_never_decides_is_told():
    with pytest.raises(RulesError, match="1000 matches in a row passed without a decision"):
        SeatEnv(opponents="pass", partner="pass", task="play").reset(seed=1)


def test_an_agent_may_see_all_cards():
    class Cheat(BaseAgent):
        needs_state = True

        def act(self, view, mask, rng, state):
            sizes.add(len(state))
            return int(np.argmax(mask))

    sizes = set()
    env = SeatEnv(opponents=Cheat())
    env.reset(seed=1)
    env.step(choose(env.action_masks(), 0))
    assert sizes == {observation.state_size(env.rules)}


def test_drawings_are_the_learners_view():
    env = SeatEnv(opponents="simple-v1", seat=1, render_mode="ansi")
    env.reset(seed=1, options={"dealer": 0, "hands": {1: "AS KS QS JS TS", 3: "2C 3C 4C 5C 6C"}})
    drawn = env.render()
    assert "AS" in drawn or "A♠" in drawn
    assert "4C" not in drawn
    assert "4♣" not in drawn


def test_windows_and_pictures():
    pytest.importorskip("pygame")
    with SeatEnv(opponents="simple-v1", render_mode="human") as env:
        env.reset(seed=1)
        env.step(52)
        assert env.render() is None
    env = SeatEnv(opponents="simple-v1", render_mode="rgb_array")
    env.reset(seed=1)
    assert env.render().dtype == np.uint8
