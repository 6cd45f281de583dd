"""Copies that go on where they were, seeds, and the options of a reset."""

import copy
import pickle

import numpy as np
import pytest
from at_table import FIVE, pack

from nap_env import Rules, RulesError, nap_v0
from nap_env.cards import PASS, card_id
from nap_env.observation import decode, state_layout

COPIES = {
    "clone": lambda env: env.clone(),
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    "set_state": lambda env: with_state(env, env.get_state()),
    "pickled state": lambda env: with_state(env, pickle.loads(pickle.dumps(env.get_state()))),
}


def with_state(env, state):
    other = type(env)(env.rules, num_hands=4, starting_chips=3, rebuys=1, tie_break=True)
    other.set_state(state)
    return other


def trace(env, seed, turns=10**6):
    """What happens from here on under random legal play: agents, views, rewards, and the result."""
    rng = np.random.default_rng(seed)
    seen = []
    while env.agents and turns:
        turns -= 1
        observation, reward, termination, _, info = env.last()
        mask = observation["action_mask"]
        action = None if termination else int(rng.choice(np.flatnonzero(mask)))
        seen.append((env.agent_selection, observation["observation"].tobytes(), mask.tobytes(), reward, action))
        seen.append((env.state().tobytes(), dict(env.rewards), dict(env.terminations), dict(info)))
        env.step(action)
    return seen, env.result()


def match(make=nap_v0.env, preset="purchase"):
    env = make(preset, num_hands=4, starting_chips=3, rebuys=1, tie_break=True)
    env.reset(seed=11)
    return env


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("make", [nap_v0.env, nap_v0.raw_env], ids=["env", "raw_env"])
@pytest.mark.parametrize("turns", [0, 1, 7, 40, 10**6])
def test_a_copy_goes_on_where_it_was(how, make, turns):
    env = match(make)
    trace(env, 1, turns)
    other = COPIES[how](env)
    assert type(other) is type(env)
    before = env.state().copy()
    expected = trace(other, 2)
    assert np.array_equal(env.state(), before)  # the copy's moves are its own
    assert trace(env, 2) == expected  # with hands that were still to be dealt


@pytest.mark.parametrize("how", COPIES)
def test_a_copy_goes_on_to_other_matches(how):
    env = match()
    trace(env, 1, 5)
    other = COPIES[how](env)
    for each in (env, other):
        each.reset()
    assert trace(env, 3) == trace(other, 3)


def test_a_copy_keeps_given_decks():
    env = nap_v0.env(num_hands=2)
    packs = [pack(env.rules), pack(env.rules)[::-1]]
    env.reset(seed=1, options={"decks": packs, "dealer": 0})
    other = env.clone()
    for _ in range(5):
        other.step(PASS)
    assert set(decode(other.observe("player_2")["observation"], env.rules)["hand"]) == set(
        packs[1][0:3] + packs[1][15:17]
    )


@pytest.mark.parametrize("how", ["clone", "deepcopy", "pickle"])
def test_a_copy_before_reset(how):
    env = COPIES[how](nap_v0.env(num_players=3))
    with pytest.raises(AssertionError):
        env.step(PASS)
    env.reset(seed=1)
    env.step(PASS)


def test_a_broken_off_match_stays_so():
    env = nap_v0.env()
    env.reset(seed=1)
    env.step(0)
    other = env.clone()
    assert other.result()["winners"] is None
    assert all(other.terminations.values())
    other.step(None)
    assert len(env.agents) == 5


def test_set_state_goes_back():
    env = match()
    trace(env, 1, 9)
    state = env.get_state()
    first = trace(env, 5)
    env.set_state(state)
    assert trace(env, 5) == first
    env.set_state(state)  # the state was not used up
    assert trace(env, 5) == first


def test_set_state_of_other_rules_or_terms():
    env = match()
    before = env.get_state()
    for other in (match(preset="peep"), nap_v0.env("purchase")):
        other.reset(seed=1)
        with pytest.raises(RulesError, match="does not fit"):
            env.set_state(other.get_state())
    assert repr(env.get_state()) == repr(before)


# ---- seeds -----------------------------------------------------------------------------------------


def test_a_seeded_reset_repeats():
    env = match()
    first = trace(env, 1)
    env.reset(seed=12)
    assert trace(env, 1) != first
    env.reset(seed=11)
    assert trace(env, 1) == first
    assert trace(match(), 1) == first


def test_a_reset_without_a_seed_continues_the_stream():
    env, other = match(), match()
    matches = []
    for each in (env, other):
        played = []
        for _ in range(3):
            played.append(trace(each, 1))
            each.reset()
        matches.append(played)
    assert matches[0] == matches[1]
    assert matches[0][0] != matches[0][1] != matches[0][2]


def test_the_play_of_a_match_does_not_change_the_deals_of_the_next():
    first, second = [], []
    for seed, deals in ((1, first), (2, second)):
        env = nap_v0.env(num_hands=3)
        env.reset(seed=4)
        for _ in range(3):
            rng = np.random.default_rng(seed)
            while not env.terminations[env.agent_selection]:
                if env.result()["hands"] == len(deals) % 3:
                    deals.append(env.state()[state_layout(env.rules)["hands"]].tobytes())
                env.step(int(rng.choice(np.flatnonzero(env.last()[0]["action_mask"]))))
            env.reset()
    assert first == second
    assert len(set(first)) == 9


def test_without_any_seed_matches_differ():
    deals = set()
    for _ in range(3):
        env = nap_v0.env()
        env.reset()
        deals.add(env.state().tobytes())
    assert len(deals) == 3


def test_a_seed_deals_the_same_in_every_class():
    raw, env = nap_v0.raw_env(), nap_v0.env()
    for each in (raw, env):
        each.reset(seed=77)
    assert np.array_equal(raw.state(), env.state())
    assert raw.agent_selection == env.agent_selection


# ---- options ---------------------------------------------------------------------------------------


def hands(env):
    cards = env.state()[state_layout(env.rules)["hands"]].reshape(-1, 52)
    return [set(np.flatnonzero(row).tolist()) for row in cards]


def ids(text):
    return {card_id(name) for name in text.split()}


def test_unknown_keys_are_ignored():
    env = nap_v0.env()
    env.reset(seed=1)
    expected = env.state()
    env.reset(seed=1, options={"options": 1, "deck": "AS", "Dealer": 3})
    assert np.array_equal(env.state(), expected)


def test_none_is_no_option():
    env = nap_v0.env()
    env.reset(seed=1)
    expected = env.state()
    env.reset(seed=1, options={"dealer": None, "decks": None, "hands": None})
    assert np.array_equal(env.state(), expected)


@pytest.mark.parametrize("dealer", [0, 3, np.int64(2)])
def test_dealer(dealer):
    env = nap_v0.env()
    env.reset(seed=1, options={"dealer": dealer})
    assert env.agent_selection == f"player_{(dealer + 1) % 5}"


@pytest.mark.parametrize(
    "given",
    [
        lambda cards: cards,
        lambda cards: " ".join(cards),
        lambda cards: tuple(card_id(card) for card in cards),
        lambda cards: np.array([card_id(card) for card in cards], np.int8),
        lambda cards: [card.lower() for card in cards],
    ],
    ids=["names", "text", "numbers", "array", "lower case"],
)
def test_decks(given):
    cards = pack(Rules())[::-1]
    env = nap_v0.env()
    env.reset(seed=1, options={"dealer": 0, "decks": [given(cards)]})
    assert hands(env)[1] == ids(" ".join(cards[0:3] + cards[15:17]))


def test_further_hands_are_drawn_from_the_seed():
    cards = pack(Rules())
    second = []
    for seed in (1, 1, 2):
        env = nap_v0.env(num_hands=2)
        env.reset(seed=seed, options={"dealer": 0, "decks": [cards]})
        for _ in range(5):
            env.step(PASS)
        second.append(hands(env))
    assert second[0] == second[1] != second[2]


def test_decks_are_used_for_extra_hands_too():
    cards = pack(Rules(num_players=2))
    env = nap_v0.env(num_players=2, tie_break=True)
    env.reset(seed=1, options={"dealer": 1, "decks": [cards, cards[::-1]]})
    env.step(PASS)
    env.step(PASS)
    assert hands(env)[1] == ids(" ".join(cards[::-1][0:3] + cards[::-1][6:8]))


def test_decks_do_not_outlive_the_match():
    env = nap_v0.env()
    env.reset(seed=1, options={"decks": [pack(env.rules)]})
    given = hands(env)
    env.reset()
    assert hands(env) != given


def test_hands_of_some_seats():
    env = nap_v0.env()
    others = set()
    for seed in range(20):
        env.reset(seed=seed, options={"hands": {0: FIVE[0], 3: [card_id(card) for card in FIVE[3].split()]}})
        dealt = hands(env)
        assert dealt[0] == ids(FIVE[0])
        assert dealt[3] == ids(FIVE[3])
        assert len(set().union(*dealt)) == 25
        others |= dealt[1]
    assert len(others) > 30  # the rest is dealt at random


def test_hands_of_all_seats_and_of_none():
    env = nap_v0.env()
    env.reset(seed=1, options={"hands": dict(enumerate(FIVE))})
    assert hands(env) == [ids(hand) for hand in FIVE]
    env.reset(seed=1, options={"hands": {}})
    assert all(len(hand) == 5 for hand in hands(env))


def test_hands_are_for_the_first_hand_only():
    env = nap_v0.env(num_hands=2)
    env.reset(seed=1, options={"hands": {0: FIVE[0]}})
    for _ in range(5):
        env.step(PASS)
    assert hands(env)[0] != ids(FIVE[0])


@pytest.mark.parametrize(("hand_size", "n"), [(7, 5), (1, 3), (3, 2)])
def test_hands_of_other_sizes(hand_size, n):
    cards = "AS KS QS JS TS 9S 8S".split()[:hand_size]
    env = nap_v0.env(Rules(num_players=n, hand_size=hand_size))
    env.reset(seed=1, options={"dealer": 0, "hands": {n - 1: cards}})
    assert hands(env)[n - 1] == ids(" ".join(cards))
    assert all(len(hand) == hand_size for hand in hands(env))


def test_result_as_the_match_goes():
    env = nap_v0.env("purchase", num_hands=2, starting_chips=9)
    env.reset(seed=1, options={"dealer": 4})
    assert env.result() == {
        "net": [0] * 5, "chips": [9] * 5, "pool": 0, "winners": None, "hands": 0, "hand_winners": [],
    }  # fmt: skip
    env.step(63)
    assert env.result()["net"] == [-1, 0, 0, 0, 0]
    assert env.result()["chips"] == [8, 9, 9, 9, 9]
    assert env.result()["pool"] == 1
    trace(env, 1)
    result = env.result()
    assert result["hands"] == 2
    best = max(result["net"])
    assert result["winners"] == [seat for seat in range(5) if result["net"][seat] == best]


def test_an_observation_belongs_to_its_caller():
    """What a step has prepared is handed out once: spoiling it spoils nothing."""
    env = nap_v0.env(num_players=3)
    env.reset(seed=4)
    for _ in range(6):
        agent = env.agent_selection
        whole = {key: value.copy() for key, value in env.observe(agent).items()}
        spoilt = env.observe(agent)
        for value in spoilt.values():
            value[:] = 9
        for key, value in env.observe(agent).items():
            assert (value == whole[key]).all()
        env.step(int(np.flatnonzero(whole["action_mask"])[-1]))
        first = env.last()[0]
        again = env.last()[0]
        for key in first:
            assert first[key] is not again[key]
            assert (first[key] == again[key]).all()
