"""Bad input to the environment: each a clear error, with the match as it stood."""

import gymnasium
import numpy as np
import pytest
from at_table import FIVE, pack

from nap_env import PRESETS, DealError, IllegalAction, Rules, nap_v0
from nap_env.cards import BUY, NAP, PASS, PEEP, action_id
from nap_env.dealing import seeds

MAKERS = [nap_v0.env, nap_v0.raw_env]


@pytest.fixture(params=MAKERS, ids=lambda make: make.__name__)
def env(request):
    env = request.param(num_hands=3, starting_chips=20)
    env.reset(seed=5)
    return env


def standing(env):
    """All that an env shows of its match; equal when nothing happened."""
    state = env.get_state()
    return state.pop("_games").tobytes(), repr(state)


# ---- before reset, and after the end ---------------------------------------------------------------


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize(
    "name", ["agents", "num_agents", "rewards", "terminations", "truncations", "infos", "agent_selection"]
)
def test_attributes_before_reset(make, name):
    with pytest.raises(AttributeError, match=f"{name} cannot be accessed before reset"):
        getattr(make(), name)


@pytest.mark.parametrize(
    "use",
    [
        lambda env: env.step(PASS),
        lambda env: env.step(None),
        lambda env: env.observe("player_0"),
        lambda env: env.state(),
        lambda env: env.agent_iter(),
        lambda env: env.result(),
        lambda env: env.render(),
    ],
)
@pytest.mark.parametrize("make", MAKERS)
def test_use_before_reset(make, use):
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"reset\(\)") as error:
        use(make())
    assert isinstance(error.value, AssertionError)  # as PettingZoo's wrapper raises


def test_no_such_attribute(env):
    with pytest.raises(AttributeError, match="no attribute 'hands'"):
        _ = env.hands


def test_step_after_the_end(env):
    while not env.terminations[env.agent_selection]:
        env.step(int(env.last()[0]["action_mask"].argmax()))
    for _ in range(5):
        env.step(None)
    for action in (None, PASS):
        with pytest.raises(gymnasium.error.ResetNeeded, match="over"):
            env.step(action)
    assert list(env.agent_iter()) == []
    env.reset(seed=1)
    env.step(PASS)


def test_observe_a_stranger(env):
    for name in ("player_5", "player_00", "0", 0, None):
        with pytest.raises(ValueError, match=r"player_0 \.\. player_4"):
            env.observe(name)


# ---- actions of the wrong kind ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "action",
    [True, False, np.bool_(True), 52.0, np.float64(52), np.float32(52), "PASS", "52", b"52", [52], (52,),
     np.array([52]), np.array([[52]]), np.array(52.0), np.array(True), {}, object(), 1j, float("nan")],
    ids=lambda action: type(action).__name__,
)  # fmt: skip
def test_wrong_type(env, action):
    before = standing(env)
    with pytest.raises(IllegalAction, match="R14"):
        env.step(action)
    assert standing(env) == before
    env.step(PASS)


@pytest.mark.parametrize("action", [-1, 64, 1000, -(2**70), 2**70, np.int64(-1), np.int8(-12), np.uint64(2**63)])
def test_out_of_range(env, action):
    before = standing(env)
    with pytest.raises(IllegalAction, match=r"0\.\.63"):
        env.step(action)
    assert standing(env) == before
    env.step(PASS)


def test_none_for_a_live_seat(env):
    before = standing(env)
    with pytest.raises(IllegalAction, match=f"None for {env.agent_selection}"):
        env.step(None)
    assert standing(env) == before


@pytest.mark.parametrize(
    "kind", [int, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.intp]
)
def test_integers(env, kind):
    env.step(kind(PASS))
    env.step(np.array(kind(PASS)))  # a 0-d array


# ---- an illegal action -----------------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("num_hands", [1, 3])
def test_illegal_in_env_ends_the_match(preset, num_hands):
    env = nap_v0.env(preset, num_hands=num_hands)
    rules = PRESETS[preset]
    for turns in (0, 3, 20):
        env.reset(seed=turns)
        rng = np.random.default_rng(turns)
        for _ in range(turns):
            if env.terminations["player_0"]:
                break
            env.step(int(rng.choice(np.flatnonzero(env.last()[0]["action_mask"]))))
        if env.terminations["player_0"]:
            continue
        offender = env.agent_selection
        owed = env._cumulative_rewards.copy()
        before = env.result()
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[0]))
        penalty = -2 * max(max(rules.stake(bid)) for bid in rules.bids) * (rules.num_players - 1)
        assert env.rewards == {agent: penalty if agent == offender else 0 for agent in env.agents}
        assert all(type(reward) is float for reward in env.rewards.values())
        assert set(env.terminations.values()) == {True}
        assert set(env.truncations.values()) == {False}
        assert len(env.agents) == rules.num_players
        for agent in env.agent_iter():  # what the others had won before is still theirs
            assert not env.observe(agent)["action_mask"].any()
            assert env.last()[1] == (penalty if agent == offender else owed[agent])
            env.step(None)
        assert env.result() == before | {"winners": None}


def test_the_offender_s_last_reward_is_the_penalty_alone():
    env = nap_v0.env("purchase")
    env.reset(seed=1, options={"dealer": 4})
    env.step(BUY)
    assert env.last()[1] == -1  # he is still to act, and has seen his stake go
    env.step(NAP)
    rewards = []
    for _ in env.agent_iter():
        rewards.append(env.last()[1])
        env.step(None)
    assert rewards == [-2 * 30 * 4, 0, 0, 0, 0]


def test_the_penalty_is_worse_than_any_legal_result():
    for n in (2, 5, 7):
        rules = Rules(num_players=n, revoke="penalised", stakes={"FOUR": [2, 50]})
        assert nap_v0.env(rules).penalty == -2 * 50 * (n - 1)


def test_illegal_in_env_says_why(capsys):
    from pettingzoo.utils.env_logger import EnvLogger

    EnvLogger.flush()
    env = nap_v0.env()
    env.reset(seed=1, options={"dealer": 4})
    env.step(PEEP)
    assert "Illegal move" in EnvLogger.mqueue[0]
    assert any("player_0 may not choose PEEP" in line and "R8" in line for line in EnvLogger.mqueue)
    EnvLogger.flush()


@pytest.mark.parametrize(
    ("preset", "played", "action", "words"),
    [
        ("standard", "", "AS", ["player_0", "AS", "R3.1"]),
        ("standard", "FOUR", "THREE", ["player_1", "THREE", "FOUR", "R3.2"]),
        ("standard", "", "WELLINGTON", ["player_0", "WELLINGTON", "NAP", "R3.3"]),
        ("standard", "", "SIX", ["player_0", "SIX", "R3.6"]),
        ("standard", "THREE PASS PASS PASS PASS", "2S", ["player_0", "2S", "hold", "R4"]),
        ("standard", "THREE PASS PASS PASS PASS", "PASS", ["player_0", "PASS", "R4"]),
        ("standard", "THREE PASS PASS PASS PASS AS", "AH", ["player_1", "AH", "spades", "R4.2", "2S", "3S"]),
        ("standard", "", "BUY", ["player_0", "BUY", "R7"]),
        ("standard", "", "PEEP", ["player_0", "PEEP", "R8"]),
        ("standard", "", "GARNET", ["player_0", "GARNET", "R9"]),
        ("purchase", "", "NAP", ["player_0", "NAP", "R7"]),
        ("purchase", "BUY", "2S", ["player_0", "2S", "hold", "R7"]),
        ("purchase", "BUY", "PASS", ["player_0", "PASS", "R7.1"]),
        ("peep", "PEEP", "PEEP", ["player_0", "PEEP", "once", "R8.1"]),
        ("peep", "PEEP NAP PASS PASS PASS PASS", "2S", ["player_0", "2S", "R8.2"]),
        ("sir_garnet", "NAP", "GARNET", ["player_1", "GARNET", "R9.1"]),
        ("sir_garnet", "GARNET", "PASS", ["player_0", "PASS", "R9.1"]),
    ],
)
def test_raw_env_says_why(preset, played, action, words):
    env = nap_v0.raw_env(preset)
    env.reset(seed=1, options={"dealer": 4, "hands": dict(enumerate(FIVE))})
    for name in played.split():
        env.step(action_id(name))
    before = standing(env)
    with pytest.raises(IllegalAction) as error:
        env.step(action_id(action))
    assert standing(env) == before
    for word in words:
        assert word in str(error.value)


# ---- what a reset may be given ---------------------------------------------------------------------

PACK = pack(Rules())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"dealer": 5}, ["dealer", "0..4", "R1.2"]),
        ({"dealer": -1}, ["dealer", "0..4"]),
        ({"dealer": True}, ["dealer", "True"]),
        ({"dealer": 1.0}, ["dealer", "1.0"]),
        ({"dealer": "player_1"}, ["dealer", "player_1"]),
        ({"decks": [PACK[:-1]]}, ["decks[0]", "51", "52", "AS", "R1.4"]),
        ({"decks": [PACK, PACK[1:]]}, ["decks[1]", "51", "2C", "R1.4"]),
        ({"decks": [[*PACK[:-1], "2C"]]}, ["decks[0]", "2C", "twice", "R1.4"]),
        ({"decks": [[*PACK, "2C"]]}, ["2C", "twice", "R1.4"]),
        ({"decks": [[*PACK[:-1], "ZS"]]}, ["ZS", "R1.4"]),
        ({"decks": [[*range(51), 52]]}, ["52", "R1.4"]),
        ({"decks": [[*range(51), -1]]}, ["-1", "R1.4"]),
        ({"decks": [[*range(51), 51.0]]}, ["51.0", "R1.4"]),
        ({"decks": PACK}, ["list of packs", "R1.4"]),
        ({"decks": "AS KS"}, ["list of packs", "R1.4"]),
        ({"decks": 5}, ["list of packs", "R1.4"]),
        ({"decks": [5]}, ["R1.4"]),
        ({"decks": [PACK], "hands": {0: FIVE[0]}}, ["decks", "hands"]),
        ({"hands": {5: FIVE[0]}}, ["5", "0..4"]),
        ({"hands": {-1: FIVE[0]}}, ["-1", "0..4"]),
        ({"hands": {"player_0": FIVE[0]}}, ["player_0"]),
        ({"hands": {True: FIVE[0]}}, ["True"]),
        ({"hands": {0: "AS KS QS JS"}}, ["seat 0", "4", "5", "R1.4"]),
        ({"hands": {0: "AS KS QS JS TS 9S"}}, ["seat 0", "6", "5", "R1.4"]),
        ({"hands": {0: ""}}, ["seat 0", "0", "5", "R1.4"]),
        ({"hands": {0: "AS KS QS JS AS"}}, ["AS", "twice", "R1.4"]),
        ({"hands": {0: "AS KS QS JS TS", 3: "2C 3C 4C 5C TS"}}, ["TS", "0", "3", "R1.4"]),
        ({"hands": {0: "AS KS QS JS 1S"}}, ["1S", "R1.4"]),
        ({"hands": {0: 31}}, ["31"]),
        ({"hands": [FIVE[0]]}, ["hands", "seats"]),
        ({"hands": "AS"}, ["hands", "seats"]),
    ],
)  # fmt: skip
def test_options_refused(env, options, words):
    before = standing(env)
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the words are checked below
        env.reset(seed=9, options=options)
    for word in words:
        assert word in str(error.value)
    assert "dealer" in options or isinstance(error.value, DealError)
    assert standing(env) == before
    env.step(NAP)  # the match stands as it was


def test_options_of_another_pack():
    env = nap_v0.env(Rules(num_players=3, pack=32))
    env.reset(seed=1)
    before = standing(env)
    for options in ({"decks": [PACK]}, {"decks": [PACK[:32]]}, {"hands": {0: "2S AS KS QS JS"}}):
        with pytest.raises(DealError, match=r"2[CS].*R2\.1"):
            env.reset(options=options)
    assert standing(env) == before


def test_hands_for_a_seat_that_is_not_dealt_in():
    env = nap_v0.env("six_handed")
    with pytest.raises(DealError, match=r"seat 2 .*R2\.5"):
        env.reset(options={"dealer": 2, "hands": {2: FIVE[0]}})
    with pytest.raises(DealError, match=r"dealer.*R2\.5"):
        env.reset(options={"hands": {2: FIVE[0]}})
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(PASS)  # none of these was a reset
    env.reset(options={"dealer": 2, "hands": {3: FIVE[0]}})


@pytest.mark.parametrize("options", ["dealer", ["dealer"], 3])
def test_options_are_a_dict(env, options):
    before = standing(env)
    with pytest.raises(ValueError, match="dict"):
        env.reset(options=options)
    assert standing(env) == before


@pytest.mark.parametrize("seed", [-1, 2**63, 1.0, "1", True, np.float64(1), [1]])
def test_seeds_refused(env, seed):
    before = standing(env)
    with pytest.raises(ValueError, match="seed"):
        env.reset(seed=seed)
    assert standing(env) == before
    for good in (0, 2**63 - 1, np.int64(5), np.uint8(5)):
        env.reset(seed=good)


def test_evaluation_keys_are_no_training_keys():
    keys = [
        seeds.evaluation_key(purpose, seed, deal)
        for purpose in ("arena", "book")
        for seed in range(5)
        for deal in range(100)
    ]
    assert len(set(keys)) == len(keys)
    assert all(seeds.MAX_SEED < key < 2**64 for key in keys)
    assert seeds.training_key(seeds.MAX_SEED) == seeds.MAX_SEED == 2**63 - 1
    assert 0 <= seeds.fresh_seed() <= seeds.MAX_SEED


@pytest.mark.parametrize("mode", ["text", "", 1, True])
def test_render_mode_refused(mode):
    with pytest.raises(ValueError, match="ansi"):
        nap_v0.env(render_mode=mode)


def test_unknown_arguments():
    with pytest.raises(TypeError, match="players"):
        nap_v0.env(players=3)
