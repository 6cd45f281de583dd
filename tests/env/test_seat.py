"""SeatEnv: all that a seat knows and wins reaches its learner, in every variant."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest
from at_seat import TERMS, Unsteady, choose, decks_of, retold
from gymnasium.utils.env_checker import check_env
from stable_baselines3.common.env_checker import check_env as sb3_check_env

from nap_env import PRESETS, SeatEnv
from nap_env.observation import decode

TASKS = {"full": {}, "bidding": {"partner": "simple-v1"}, "play": {"partner": "simple-v1"}}


def episode(env, seed=None, options=None):
    """Play one: views, masks, rewards, infos."""
    view, info = env.reset(seed=seed, options=options)
    views, masks, rewards, infos = [view], [info["action_mask"]], [], [info]
    over = False
    while not over:
        assert np.array_equal(env.action_masks(), masks[-1] != 0)
        view, reward, over, truncated, info = env.step(choose(masks[-1], len(rewards)))
        views.append(view), masks.append(info["action_mask"]), rewards.append(reward), infos.append(info)
        assert not truncated
    return views, masks, rewards, infos


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("preset", PRESETS)
def test_gymnasium_and_sb3_accept_it(preset, task):
    env = SeatEnv(preset, opponents="simple-v1", task=task, **TASKS[task])
    with pytest.warns(UserWarning, match="not having a spec"):
        check_env(env)
    sb3_check_env(env)


@pytest.mark.parametrize(("preset", "terms"), TERMS)
def test_learner_sees_and_wins_what_raw_env_says(preset, terms):
    env = SeatEnv(preset, opponents="simple-v1", **terms)
    n = env.rules.num_players
    for number in range(2 * n):
        options = {"dealer": number % n, "decks": decks_of(env.rules, terms.get("num_hands", 1), number)}
        views, masks, rewards, infos = episode(env, seed=number, options=options)
        seat = infos[0]["seat"]
        if env.rules.dealer_sits_out and terms.get("num_hands", 1) == 1 and seat == options["dealer"]:
            continue
        told = retold(preset, terms, seat, options)
        assert np.array_equal(views[:-1], told[0])
        assert np.array_equal(masks[:-1], told[1])
        assert rewards == told[2]


@pytest.mark.parametrize(("preset", "players"), [("standard", 3), ("peep", 4), ("six_handed", 6)])
def test_every_seat_and_dealer_come_equally_often(preset, players):
    env = SeatEnv(preset, num_players=players, opponents="simple-v1", num_hands=2)
    pairs = []
    for number in range(2 * players**2):
        view, info = env.reset(seed=5 if number == 0 else None)
        first = decode(view, env.rules)
        if first["hands_left"] == 2:
            pairs.append((info["seat"], (info["seat"] + first["dealer"]) % players))
    sat_out = players if preset == "six_handed" else 0  # there the first view is of the second hand
    assert len(pairs) == 2 * (players**2 - sat_out)
    assert {pairs.count(pair) for pair in pairs} == {2}


def test_a_fixed_seat_meets_every_dealer():
    env = SeatEnv(seat=2, opponents="simple-v1")
    views = [env.reset(seed=1 if number == 0 else None) for number in range(10)]
    assert all(info["seat"] == 2 for _, info in views)
    dealers = [decode(view, env.rules)["dealer"] for view, _ in views]
    assert sorted(dealers) == sorted(2 * list(range(5)))


@pytest.mark.jit
def test_a_hand_without_a_decision_is_paid_with_the_next_reward():
    env = SeatEnv("six_handed", opponents="simple-v1", seat=4)
    paid = 0
    for number in range(40):
        options = {"dealer": 4, "decks": decks_of(env.rules, 1, number)}
        views, _, _, infos = episode(env, seed=0, options=options)  # then seat 1 deals
        skipped = retold("six_handed", {}, 4, options)
        assert skipped[0] == []
        assert infos[0]["skipped_reward"] == 0.0
        assert infos[1]["skipped_reward"] == skipped[2][0]
        assert all(info["skipped_reward"] == 0 for info in infos[2:])
        assert decode(views[0], env.rules)["dealer"] != 0
        paid += skipped[2][0] != 0
    assert paid > 5


@pytest.mark.jit
def test_skipped_hands_inside_a_match_are_named():
    env, one_hand = (SeatEnv("six_handed", opponents="simple-v1", seat=0, num_hands=n) for n in (2, 1))
    skips = []
    for number in range(20):
        decks = decks_of(env.rules, 2, number)
        _, _, rewards, infos = episode(env, seed=1, options={"dealer": 5, "decks": decks})
        _, _, alone, _ = episode(one_hand, seed=1, options={"dealer": 5, "decks": decks[:1]})
        skips.append(infos[-1]["skipped_reward"])  # of the second hand, which seat 0 deals
        assert rewards == [*alone[:-1], alone[-1] + skips[-1]]
        assert not any(info["skipped_reward"] for info in infos[:-1])
    assert np.count_nonzero(skips) > 3


def test_a_learner_who_is_out_is_done():
    env = SeatEnv(opponents="simple-v1", starting_chips=4, num_hands=60)
    early = 0
    for seed in range(20):
        views, masks, rewards, _ = episode(env, seed=seed)
        last = decode(views[-1], env.rules)
        assert sum(rewards) == last["net"][0]
        assert last["net"][0] == last["chips"][0] - 4
        assert not masks[-1].any()
        early += 0 in last["out"] and last["hands_left"] > 0 and len(last["out"]) < 4
    assert early > 5


@pytest.mark.parametrize("preset", ["standard", "ecarte", "seven_card"])
def test_forced_moves_are_made_for_the_learner(preset):
    class Lowest:
        def __init__(self, **more):
            self.env = SeatEnv(preset, opponents="simple-v1", **more)

        def total(self, seed):
            _, info = self.env.reset(seed=seed)
            over, total, fewest = False, 0.0, 64
            while not over:
                fewest = min(fewest, info["action_mask"].sum())
                _, reward, over, _, info = self.env.step(int(np.flatnonzero(info["action_mask"])[0]))
                total += reward
            return total, fewest

    plain, skipping = Lowest(), Lowest(skip_forced=True)
    seen = [(plain.total(seed), skipping.total(seed)) for seed in range(40)]
    assert all(a[0] == b[0] and b[1] >= 2 for a, b in seen)
    assert min(a[1] for a, _ in seen) == 1


@pytest.mark.parametrize("preset", ["standard", "purchase", "sir_garnet"])
@pytest.mark.jit
def test_tasks_share_the_decisions(preset):
    phases = {}
    for task, more in TASKS.items():
        env = SeatEnv(preset, opponents="simple-v1", task=task, **more)
        seen = [view for seed in range(30) for view in episode(env, seed=seed)[0][:-1]]
        phases[task] = {decode(view, env.rules)["phase"] for view in seen}
    assert phases["play"] == {"PLAY"}
    assert phases["bidding"] == phases["full"] - {"PLAY"}


def test_the_partner_does_the_rest_as_he_would_himself():
    """With the partner's own bids the task "bidding" ends as with the partner at all decisions."""
    from nap_env.agent import make

    agent, rng = make("simple-v1", "standard"), np.random.default_rng(0)
    for task, more in TASKS.items():
        env = SeatEnv(opponents="simple-v1", seat=1, task=task, **more)
        total = 0.0
        for number in range(50):
            view, info = env.reset(options={"dealer": number % 5, "decks": decks_of(env.rules, 1, number)})
            over = info["action_mask"].sum() == 0
            while not over:
                view, reward, over, _, info = env.step(agent.act(view, info["action_mask"], rng))
                total += reward
        if task == "full":
            whole = total
        if task == "bidding":
            assert total == whole


@pytest.mark.jit
def test_random_opponents_are_uniform():
    env = SeatEnv(opponents="random", seat=1)
    counts = np.zeros(5, int)
    for number in range(1500):
        view, _ = env.reset(seed=0 if number == 0 else None, options={"dealer": 4})
        bid = decode(view, env.rules)["bids"][4]
        counts[["PASS", "THREE", "MISERE", "FOUR", "NAP"].index(bid)] += 1
    assert np.all(abs(counts - 300) < 75)


@pytest.mark.parametrize("opponents", ["random", "simple-v1", Unsteady(), ["random", Unsteady(), "simple-v1", "pass"]])
def test_a_seed_tells_all(opponents):
    first, second = (SeatEnv(opponents=opponents) for _ in range(2))
    for seed in (3, None, None, 3):
        one, other = (episode(env, seed=seed) for env in (first, second))
        for a, b in zip(one[:3], other[:3], strict=True):
            assert np.array_equal(a, b)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env)), SeatEnv.clone])
def test_copies_go_on_where_they_were(copied):
    env = SeatEnv(opponents=["random", "simple-v1", "random", "pass"], num_hands=3)
    _, info = env.reset(seed=8)
    env.step(choose(info["action_mask"], 0))
    twin = copied(env)
    for turn in range(60):
        action = choose(env.action_masks(), turn)
        one, other = env.step(action), twin.step(action)
        assert np.array_equal(one[0], other[0])
        assert one[1:4] == other[1:4]
        if one[2]:
            assert np.array_equal(env.reset()[0], twin.reset()[0])


def test_opponents_are_swapped_at_once():
    env = SeatEnv(opponents="random", seat=0)
    env.reset(seed=1, options={"dealer": 0})
    env.set_opponents("pass")
    seen = set()
    for _ in range(30):
        view, _ = env.reset(options={"dealer": 0})
        seen |= set(decode(view, env.rules)["bids"].values())
    assert seen == {"PASS"}


def test_made_by_gymnasium_it_is_bare():
    env = gymnasium.make("nap_env/Nap-v0", opponents="simple-v1")
    assert isinstance(env, SeatEnv)
