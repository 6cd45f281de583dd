"""Tables: each is the AEC environment of its seed, byte for byte, whatever happens beside it."""

import copy
import multiprocessing
import pickle
import threading
import warnings

import numpy as np
import pytest
from scale import NOJIT

from nap_env import PRESETS, DealError, IllegalAction, NapVectorEnv, Tables, nap_v0
from nap_env.cards import cards_of
from nap_env.dealing.match import make_match

MATCHES = [{}, {"num_hands": 3, "starting_chips": 7, "rebuys": 1}, {"num_hands": 2, "tie_break": True}]


def picks(tables, turn):
    """One legal action a table, other ones each turn."""
    legal = [np.flatnonzero(mask) for mask in tables.mask]
    return np.array([options[(5 * turn + table) % len(options)] for table, options in enumerate(legal)])


def snapshot(tables):
    """All that a caller sees, as bytes."""
    return [array.tobytes() for array in (tables.obs, tables.mask, tables.seat, tables.state(), tables.net)]


@pytest.mark.parametrize("terms", MATCHES, ids=["hand", "chips", "ties"])
@pytest.mark.parametrize("preset", PRESETS)
def test_tables_are_raw_envs(preset, terms):
    players = PRESETS[preset].num_players
    tables = Tables(4, preset, seed=30, match=make_match(players, **terms))
    envs = [nap_v0.raw_env(preset, **terms) for _ in range(4)]
    for table, env in enumerate(envs):
        env.reset(seed=30 + table)
    for turn in range(15 if NOJIT else 90):
        for table, env in enumerate(envs):
            seat = int(tables.seat[table])
            view = env.observe(f"player_{seat}")
            assert env.agent_selection == f"player_{seat}"
            assert view["observation"].tobytes() == tables.obs[table].tobytes()
            assert view["action_mask"].tobytes() == tables.mask[table].tobytes()
        state = tables.state()
        assert all(env.state().tobytes() == state[table].tobytes() for table, env in enumerate(envs))
        actions = picks(tables, turn)
        rewards, done = tables.step(actions)
        for table, env in enumerate(envs):
            env.step(int(actions[table]))
            assert list(env.rewards.values()) == rewards[table].tolist()
            assert all(env.terminations.values()) == done[table]
            if done[table]:
                env.reset()


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.jit
def test_table_5_of_8_is_table_3000_of_4096_is_the_env_of_its_seed(preset):
    large = Tables(4096, preset, seed=10_005)
    small = Tables(8, preset, seed=13_000)
    env = nap_v0.raw_env(preset)
    env.reset(seed=13_005)
    for turn in range(40):
        view = env.observe(env.agent_selection)
        for tables, table in ((small, 5), (large, 3000)):
            assert tables.obs[table].tobytes() == view["observation"].tobytes()
            assert tables.mask[table].tobytes() == view["action_mask"].tobytes()
        action = int(np.flatnonzero(view["action_mask"])[turn % view["action_mask"].sum()])
        env.step(action)
        for tables, table in ((small, 5), (large, 3000)):
            actions = tables.random_actions()
            actions[table] = action
            rewards, done = tables.step(actions)
            assert rewards[table].tolist() == list(env.rewards.values())
            assert done[table] == all(env.terminations.values())
        if done[table]:
            env.reset()


@pytest.mark.jit
def test_threads_change_nothing():
    one, two = (Tables(1500, seed=4, threads=threads) for threads in (1, 2))
    for _ in range(20):
        actions = one.random_actions()
        assert [a.tobytes() for a in one.step(actions)] == [a.tobytes() for a in two.step(actions)]
        assert snapshot(one) == snapshot(two)
    assert one.playout().tobytes() == two.playout().tobytes()


def test_sub_batches_step_the_same():
    whole, parts = Tables(9, "purchase", seed=4), Tables(9, "purchase", seed=4)
    rows = np.array([8, 1, 3])
    others = np.setdiff1d(np.arange(9), rows)
    for turn in range(40):
        actions = picks(whole, turn)
        rewards, done = whole.step(actions)
        for index in (rows, others):
            some, ended = parts.step(actions[index], index)
            np.testing.assert_array_equal(some, rewards[index])
            np.testing.assert_array_equal(ended, done[index])
        assert snapshot(whole) == snapshot(parts)
    before = snapshot(parts)
    assert parts.step(np.zeros(0, int), [])[0].shape == (0, 5)
    assert snapshot(parts) == before


def test_one_table_is_copied_to_many_and_they_part():
    tables = Tables(50, "peep", seed=4)
    for turn in range(2):
        tables.step(picks(tables, turn))
    tables.copy_table(3)
    assert all((array == array[3]).all() for array in (tables.obs, tables.mask, tables.state()))
    tables.reseed(99)
    assert (tables.state() == tables.state()[3]).all()
    tables.playout()
    assert len(np.unique(tables.net, axis=0)) > 5


def test_copy_to_some_tables_leaves_the_others():
    tables = Tables(6, seed=4)
    before = tables.obs.copy()
    tables.copy_table(0, [2, 5])
    np.testing.assert_array_equal(tables.obs, before[[0, 1, 0, 3, 4, 0]])


@pytest.mark.parametrize("copied", [Tables.clone, copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))])
@pytest.mark.jit
def test_copies_go_on_where_they_were(copied):
    tables = Tables(600, "ecarte", seed=4, threads=2)
    tables.step(picks(tables, 0))
    twin = copied(tables)
    for turn in range(20):
        actions = picks(tables, turn)
        tables.step(actions)
        if turn == 0:
            assert snapshot(tables) != snapshot(twin)
        twin.step(actions)
        assert snapshot(tables) == snapshot(twin)


def test_each_table_may_have_its_own_decks_and_dealer():
    rules = PRESETS["standard"]
    pack = np.fromiter(cards_of(rules.pack_mask), np.int64)
    rng = np.random.default_rng(1)
    decks = np.stack([[rng.permutation(pack) for _ in range(2)] for _ in range(3)])
    tables = Tables(3, seed=1, match=make_match(5, num_hands=2))
    tables.reset(seed=1, decks=decks, dealers=[0, 4, 2])
    envs = [nap_v0.raw_env(num_hands=2) for _ in range(3)]
    for table, env in enumerate(envs):
        env.reset(seed=1 + table, options={"decks": decks[table], "dealer": [0, 4, 2][table]})
    done = np.zeros(3, bool)
    turn = 0
    while not done.all():
        actions = picks(tables, turn)
        ended = tables.step(actions)[1]
        for table in np.flatnonzero(~done):
            envs[table].step(int(actions[table]))
            if not ended[table]:
                seen = envs[table].observe(envs[table].agent_selection)["observation"]
                np.testing.assert_array_equal(seen, tables.obs[table])
        done |= ended
        turn += 1


def test_own_buffers_are_written():
    tables = Tables(4, seed=1)
    obs, mask = np.zeros((9, *tables.obs.shape[1:]), np.int8), np.zeros((4, 64), np.int8)
    like = tables.clone()
    tables.use_buffers(obs[2:6], mask)
    for turn in range(3):
        np.testing.assert_array_equal(obs[2:6], like.obs)
        np.testing.assert_array_equal(mask, like.mask)
        actions = picks(like, turn)
        tables.step(actions), like.step(actions)
    assert not obs[:2].any()
    assert not obs[6:].any()
    for wrong in (np.zeros((4, 3), np.int8), np.zeros(tables.obs.shape), obs[::2][:4], obs.T):
        with pytest.raises(ValueError, match="obs must be"):
            tables.use_buffers(wrong, mask)


def test_any_seats_view_is_written_where_it_is_wanted():
    tables = Tables(4, seed=1)
    before = snapshot(tables)
    out = np.full_like(tables.obs, 9)
    assert tables.observe(2, out) is out
    np.testing.assert_array_equal(out, tables.observe([2, 2, 2, 2]))
    np.testing.assert_array_equal(tables.observe(tables.seat), tables.obs)
    wide = np.zeros((4, 2 * out.shape[1]), np.int8)
    for wrong in (wide[:, ::2], np.asfortranarray(out), out[:3], out.astype(int)):
        with pytest.raises(ValueError, match="out must be"):
            tables.observe(2, wrong)
    for seats in (5, -1, [0, 1, 2], [0, 1, 2, 7], 1.0, [[0, 1, 2, 3]]):
        with pytest.raises(ValueError, match="seats must be"):
            tables.observe(seats)
    assert snapshot(tables) == before


# ---- bad input: an error, and all tables as they stood -------------------------------------------------


@pytest.fixture
def tables():
    return Tables(4, seed=1)


@pytest.mark.parametrize(
    ("actions", "index", "words"),
    [
        ([52] * 3, None, r"shape \(4,\)"),
        (np.full((4, 1), 52), None, r"shape \(4,\)"),
        ([52.0] * 4, None, "actions must be integers"),
        ([True] * 4, None, "actions must be integers"),
        ([52, 52], [1], r"shape \(1,\)"),
        ([52], [4], "outside 0..3"),
        ([52], [-1], "outside 0..3"),
        ([52, 52], [1, 1], "twice"),
        ([52], [0.0], "index must be table numbers"),
        ([52] * 4, np.ones(4, bool), "index must be table numbers"),
        ([52, 52, 64, 52], None, "table 2: 64 is no action"),
        ([52, -1, 52, 52], None, "table 1: -1 is no action"),
    ],
)
def test_bad_steps_are_refused(tables, actions, index, words):
    before = snapshot(tables)
    with pytest.raises(ValueError, match=words):
        tables.step(actions, index)
    assert snapshot(tables) == before


def _apart(actions):
    return np.stack([actions, actions + 1], axis=1)[:, 0]


def _unaligned(actions):
    array = np.zeros(8 * len(actions) + 1, np.uint8)[1:].view(np.int64)
    array[:] = actions
    return array


def _read_only(actions):
    array = actions.copy()
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    "form", [list, _apart, _unaligned, _read_only, lambda a: a.astype(np.uint8), lambda a: a[::-1][::-1]]
)
def test_actions_may_lie_in_memory_as_they_like(form):
    one, other = Tables(6, seed=1), Tables(6, seed=1)
    for _ in range(12):
        actions = one.random_actions()
        one.step(actions)
        other.step(form(actions))
        assert snapshot(one) == snapshot(other)


def test_an_illegal_action_is_named_with_table_seat_and_clause(tables):
    before = snapshot(tables)
    bad = 57  # a Wellington over nothing
    seat = tables.seat[3]
    with pytest.raises(IllegalAction, match=rf"table 3: player_{seat} may not bid WELLINGTON: .*\(R3.3\)"):
        tables.step([52, 52, 52, bad])
    with pytest.raises(IllegalAction, match=r"table 3: .*WELLINGTON"):
        tables.step([bad], [3])
    assert snapshot(tables) == before


def test_a_finished_table_waits_where_auto_deal_is_off():
    tables = Tables(3, seed=1, auto_deal=False)
    for _ in range(5):
        tables.step([52], [1])
    assert tables.over.tolist() == [False, True, False]
    assert not tables.mask[1].any()
    before = snapshot(tables)
    with pytest.raises(ValueError, match="table 1: the match is over; reset it"):
        tables.step([52] * 3)
    assert snapshot(tables) == before
    tables.reset(index=[1])
    assert not tables.over.any()
    assert snapshot(tables)[0] != before[0]


def test_bad_resets_are_refused(tables):
    before = snapshot(tables)
    pack = np.fromiter(cards_of(PRESETS["standard"].pack_mask), np.int64)
    twice = np.stack([pack] * 4)
    twice[2, 0] = twice[2, 1]
    for arguments, error, words in (
        ({"seed": -1}, ValueError, "seed"),
        ({"seed": 2**63 - 2}, ValueError, "seed"),
        ({"seed": 1.0}, ValueError, "seed"),
        ({"seed": 1, "keys": np.arange(4, dtype=np.uint64)}, ValueError, "both given"),
        ({"keys": np.arange(4)}, ValueError, "uint64"),
        ({"dealers": [0, 1, 2, 5]}, ValueError, "seats 0..4"),
        ({"dealers": [0]}, ValueError, r"\[4\]"),
        ({"decks": pack}, DealError, "shape"),
        ({"decks": np.stack([pack] * 4)[:, :40]}, DealError, r"R1.4"),
        ({"decks": twice}, DealError, "row 2, hand 0: .*R1.4"),
        ({"decks": twice.astype(float)}, DealError, "card numbers"),
        ({"index": [9]}, ValueError, "outside"),
    ):
        with pytest.raises(error, match=words):
            tables.reset(**arguments)
        assert snapshot(tables) == before
    for arguments in ({"num_tables": 0}, {"num_tables": 2.0}, {"threads": 0}):
        with pytest.raises(ValueError, match="whole number"):
            Tables(**{"num_tables": 1} | arguments)


# ---- processes and threads -----------------------------------------------------------------------------


def _play(tables, seen):
    for _ in range(10):
        tables.step(tables.random_actions())
    seen.append(snapshot(tables))


def _play_in_child(tables, pipe):
    seen = []
    _play(tables, seen)
    pipe.send(seen[0])


@pytest.mark.jit
def test_three_threads_call_at_once():
    alone, seen = [], []
    _play(Tables(1100, seed=4, threads=2), alone)
    tables = [Tables(1100, seed=4, threads=2) for _ in range(3)]
    workers = [threading.Thread(target=_play, args=(each, seen)) for each in tables]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert seen == alone * 3


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork on this system")
@pytest.mark.jit
def test_a_forked_child_goes_on():
    tables = Tables(1100, seed=4, threads=2)
    tables.step(tables.random_actions())  # the threads have started
    context = multiprocessing.get_context("fork")
    mine, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_play_in_child, args=(tables, theirs))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python warns of forks beside threads; that is what is tested
        child.start()
    assert mine.poll(60)
    seen = []
    _play(tables, seen)
    assert mine.recv() == seen[0]
    child.join(10)
    assert child.exitcode == 0


def test_a_seed_too_large_is_named_as_it_was_given():
    for make in (
        lambda seed: Tables(2, seed=seed),
        lambda seed: Tables(2).reset(seed),
        lambda seed: Tables(2).reseed(seed),
    ):
        with pytest.raises(ValueError, match=rf"^seed {2**63 - 1} is too large for 2: .* 0 \.\. {2**63 - 2}$"):
            make(2**63 - 1)
        with pytest.raises(ValueError, match=rf"a seed must be 0 \.\. 2\*\*63 - 1, not {2**63}$"):
            make(2**63)
    Tables(2, seed=2**63 - 2)
    with pytest.raises(ValueError, match=f"seed {2**63 - 1} is too large for 3"):
        NapVectorEnv(3).reset(seed=2**63 - 1)
