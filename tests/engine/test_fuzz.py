"""Random rules, matches and play: the environment against the referee, and what must hold of any match."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from scale import examples
from witness import FOCUS, plans, play

from nap_env import Rules, explain, nap_v0, observation
from nap_env.cards import ACTION_NAMES, CARD_NAMES, SUITS, action_id, cards_of
from nap_env.engine import rulebook


def nothing(env, judge, rng):
    pass


@pytest.mark.parametrize("focus", FOCUS)
def test_environment_equals_referee(focus):
    @settings(max_examples=examples(120))
    @given(plans(focus))
    def check(plan):
        play(plan, nothing)

    check()


# ---- what must hold of any match -------------------------------------------------------------------


def cards_once(env, judge, rng):
    """Each card is in one place: a hand, a discard, a trick, the spare hand, the peep card, the stub."""
    rules = env.rules
    state = env.state()
    at = observation.state_layout(rules)
    places = [state[at[name]].reshape(-1, 52) != 0 for name in ("hands", "all_discards", "played", "spare", "stub")]
    total = np.concatenate([*places, peep_card_if_down(state, at, env)]).sum(axis=0)
    expected = [rules.pack_mask >> card & 1 for card in range(52)]
    assert total.tolist() == expected


def peep_card_if_down(state, at, env):
    """The peep card [1, 52], zeros when the declarer took it (it is then in his hand or played)."""
    taken = "swapped" in at and state[at["swapped"]][0]
    return (state[at["face_down"]] * (1 - taken)).reshape(1, 52)


def sums_to_zero(env, judge, rng):
    """R11.3; balances are what was begun with, won, lost and bought again."""
    result = env.result()
    assert sum(result["net"]) + result["pool"] == 0
    if result["chips"] is not None:
        rebought = [
            chips - env.match.starting_chips - net for chips, net in zip(result["chips"], result["net"], strict=True)
        ]
        assert all(value % env.match.starting_chips == 0 for value in rebought)
        assert all(0 <= value <= env.match.rebuys * env.match.starting_chips for value in rebought)


def masks_are_the_actors(env, judge, rng):
    """Only the seat to act has a mask, and a live one never an empty mask."""
    for agent in env.possible_agents:
        mask = env.observe(agent)["action_mask"]
        acting = agent == env.agent_selection and not judge.over
        assert mask.any() == acting
        assert set(mask.tolist()) <= {0, 1}


def reasons_equal_the_mask(env, judge, rng):
    """Whatever the mask refuses has a reason that cites a clause; whatever it allows has none."""
    game, kernel = env.get_state()["_games"][0], env.rules.kernel[0]
    mask = env.observe(env.agent_selection)["action_mask"] * (not judge.over)
    for action in range(64):
        reason = explain.why_illegal(game, kernel, action)
        assert (reason is None) == bool(mask[action])
        if reason is not None:
            assert ACTION_NAMES[action] in reason
            assert judge.over or (f"player_{judge.seat}" in reason and "(R" in reason)


def decoded(env, judge, rng):
    """The observation of every seat, read back into words, is what that seat has seen."""
    if rng.random() < 0.4 or judge.over:
        for viewer in range(judge.n):
            view = env.observe(f"player_{viewer}")["observation"]
            assert observation.decode(view, env.rules) == judge.seen_by(viewer)


def to_the_byte(env, judge, rng):
    """The observation of every seat holds what that seat has seen, written plainly, and nothing else."""
    if rng.random() < 0.4 or judge.over:
        for viewer in range(judge.n):
            view = env.observe(f"player_{viewer}")["observation"]
            plain = written(judge.seen_by(viewer), env.rules, bool(judge.trick))
            if judge.over and env.rules.revoke == "penalised":  # the trick of a revoke stays on the table
                plain[observation.layout(env.rules)["trick"]] = view[observation.layout(env.rules)["trick"]]
            assert view.tolist() == plain.tolist()


def written(seen, rules, amid_trick):
    """The observation that says what `Witness.seen_by` says."""
    at, n = observation.layout(rules), rules.num_players
    row = np.zeros(observation.size(rules), np.int8)

    def put(name, place, value=1):
        row[at[name].start + place] = value

    def put_wide(name, place, number):
        row[at[name].start + 2 * place : at[name].start + 2 * place + 2] = number >> 7, number & 127

    one_hot = {
        "phase": seen["phase"] and observation.PHASE_NAMES.index(seen["phase"]),
        "contract": seen["contract"] and rules.bids.index(seen["contract"]),
        "trump": seen["trump"] and SUITS.index(seen["trump"]),
        "peep_card": seen["peep_card"] and CARD_NAMES.index(seen["peep_card"]),
        **{name: seen[name] for name in ("to_act", "dealer", "spare_taker", "declarer")},
    }
    sets = {name: seen[name] for name in ("in_hand", "dealt", "peeped", "out")}
    sets |= {name: [CARD_NAMES.index(card) for card in seen[name]] for name in ("hand", "discards")}
    sets |= {name: [place] for name, place in one_hot.items() if place is not None}
    for name, places in sets.items():
        for place in places:
            put(name, place)
    for seat, bid in seen["bids"].items():
        put("bids", seat * (1 + len(rules.bids)) + ["PASS", *rules.bids].index(bid))
    for name in ("bought", "won", "rebuys"):
        for seat, number in enumerate(seen[name]):
            put(name, seat, number)
    for number, trick in enumerate(seen["tricks"]):
        put("leaders", number * n + trick["leader"])
        for seat, card in trick["cards"].items():
            put("played", 52 * seat + CARD_NAMES.index(card), number + 1)
    for seat, card in seen["tricks"][-1]["cards"].items() if amid_trick else ():
        put("trick", 17 * seat + CARD_NAMES.index(card) // 13)
        put("trick", 17 * seat + 4 + CARD_NAMES.index(card) % 13)
    put("extra_hand", 0, seen["extra_hand"])
    put("has_chips", 0, seen["chips"] is not None)
    put_wide("pool", 0, seen["pool"])
    put_wide("hands_left", 0, seen["hands_left"])
    if seen["swapped"]:
        put("swapped", 0)
    for name in ("net", "chips"):
        for seat, number in enumerate(seen[name] or ()):
            put_wide(name, seat, number)
    return row


def no_leak(env, judge, rng):
    """Whatever is hidden from a seat may be dealt anew: its observation and mask stay, to the byte."""
    viewer = rng.randrange(judge.n)
    seen = env.observe(f"player_{viewer}")
    state = env.get_state()
    redealt(state["_games"][0], env.rules, judge, viewer, rng)
    other = env.clone()
    other.set_state(state)
    again = other.observe(f"player_{viewer}")
    assert again["observation"].tobytes() == seen["observation"].tobytes()
    assert again["action_mask"].tobytes() == seen["action_mask"].tobytes()


def hidden(judge, viewer, rules):
    """The cards a seat cannot place: not in its hand, not put away by it, not played, not seen face down."""
    known = {*judge.hands[viewer], *judge.discards[viewer]}
    known |= {card for trick in judge.shown for card in trick["cards"].values()}
    known.add(judge.seen_by(viewer)["peep_card"])
    return [card for card in cards_of(rules.pack_mask) if CARD_NAMES[card] not in known]


def redealt(game, rules, judge, viewer, rng):
    """Permute the hidden cards of a record wherever they lie, and its stream of random numbers."""
    cards = hidden(judge, viewer, rules)
    to = dict(zip(cards, cards[1:] + cards[:1], strict=True)) if rng.random() < 0.5 else {}
    to = to or dict(zip(cards, rng.sample(cards, len(cards)), strict=True))
    if all(card == other for card, other in to.items()):
        to = dict(zip(cards, cards[1:] + cards[:1], strict=True))

    def moved(mask):
        return sum(1 << to.get(card, card) for card in cards_of(int(mask)))

    for field in ("hand", "discards"):
        for seat in set(range(judge.n)) - {viewer}:
            game[field][seat] = moved(game[field][seat])
    game["spare"] = moved(game["spare"])
    game["peep_card"] = to.get(int(game["peep_card"]), int(game["peep_card"]))
    game["deck"] = [to.get(int(card), int(card)) for card in game["deck"]]
    game["key"], game["draws"] = rng.getrandbits(63), rng.getrandbits(20)
    game["legal"] = rulebook.legal(game, rules.kernel[0])


PROPERTIES = [cards_once, sums_to_zero, masks_are_the_actors, reasons_equal_the_mask, decoded, to_the_byte, no_leak]


@pytest.mark.parametrize("holds", PROPERTIES, ids=lambda check: check.__name__)
@pytest.mark.parametrize("focus", ["anything", "poor", "buying", "sitting out"])
def test_property(holds, focus):
    @settings(max_examples=examples(20))
    @given(plans(focus))
    def check(plan):
        play(plan, holds)

    check()


@settings(max_examples=examples(40))
@given(plans("buying"))
def test_matches_dealt_from_a_seed_hold_each_card_once(plan):
    env = nap_v0.raw_env(Rules(**plan.rules), **plan.terms)
    env.reset(seed=plan.seed)
    rng = random.Random(plan.seed)
    while not all(env.terminations.values()):
        cards_once(env, None, rng)
        legal = np.flatnonzero(env.last()[0]["action_mask"])
        env.step(int(rng.choice(legal.tolist())))
    cards_once(env, None, rng)


# ---- numbers wider than a byte ---------------------------------------------------------------------

WIDE = [-16384, -10_000, -300, -129, -128, -1, 0, 1, 127, 128, 300, 10_000, 16383]
CLIPPED = {16384: 16383, 10**6: 16383, -16385: -16384, -(10**6): -16384}


@pytest.mark.parametrize("value", [*WIDE, *CLIPPED])
def test_wide_numbers(value):
    """Net, balance, pool and hands left, in every observation of the table."""
    env = nap_v0.raw_env(Rules(num_players=3, peep=True), num_hands=max(1, value), starting_chips=5)
    env.reset(seed=1)
    state = env.get_state()
    game = state["_games"][0]
    for field in ("net", "chips"):
        game[field][1] = value
    game["pool"] = value
    env.set_state(state)
    shown = CLIPPED.get(value, value)
    for viewer in range(3):
        seen = observation.decode(env.observe(f"player_{viewer}")["observation"], env.rules)
        other = (1 - viewer) % 3
        assert (seen["net"][other], seen["chips"][other], seen["pool"]) == (shown, shown, shown)
        assert seen["net"][(2 - viewer) % 3] == 0
        assert seen["hands_left"] == max(1, shown)


@pytest.mark.parametrize(
    ("stake", "shown"), [(127, 127), (128, 128), (300, 300), (10_000, 10_000), (16384, 16383), (10**6, 16383)]
)
def test_wide_numbers_by_play(stake, shown):
    env = nap_v0.raw_env(Rules(num_players=2, stakes={"THREE": [stake, stake]}), starting_chips=1)
    env.reset(options={"dealer": 1, "hands": {0: "AS KS QS JS TS"}})
    for action in ("THREE", "PASS"):
        env.step(action_id(action))
    while not any(env.terminations.values()):
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[0]))
    assert env.result()["net"] == [stake, -stake]
    seen = observation.decode(env.observe("player_1")["observation"], env.rules)
    assert seen["net"] == [-min(stake, 16384), shown]
    assert seen["chips"] == [max(1 - stake, -16384), min(1 + stake, 16383)]


def test_rebuys_saturate_at_127():
    env = nap_v0.raw_env(starting_chips=1, rebuys=1000)
    env.reset(seed=1)
    seen = observation.decode(env.observe("player_0")["observation"], env.rules)
    assert seen["rebuys"] == [127] * 5
