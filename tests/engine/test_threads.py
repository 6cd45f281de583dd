"""Steps shared by threads: the same as alone, whoever comes, sleeps, or is sent away."""

import gc
import threading
import time

import numpy as np
import pytest
from scale import NOJIT, scaled

from nap_env import IllegalAction, Tables
from nap_env.engine import memory, step_threads
from nap_env.engine.jit import njit

SIZE = 2 * step_threads.SHARED_FROM + 77
compiled_only = pytest.mark.skipif(NOJIT, reason="uncompiled, one thread does all")


def helpers():
    return [thread for thread in threading.enumerate() if thread.name == "nap_env helper"]


def until(condition):
    end = time.monotonic() + 20
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


def shown(tables):
    return [array.tobytes() for array in (tables.obs, tables.mask, tables.seat, tables.net)]


@pytest.mark.jit
@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("some", [False, True])
def test_threads_change_nothing(threads, some):
    alone, shared = Tables(SIZE, seed=1), Tables(SIZE, seed=1, threads=threads)
    index = np.random.default_rng(1).permutation(SIZE)[: step_threads.SHARED_FROM + 5] if some else None
    for turn in range(scaled(90)):
        actions = alone.random_actions(index)
        assert np.array_equal(actions, shared.random_actions(index))
        rewards, done = alone.step(actions, index)
        also, ended = shared.step(actions, index)
        assert np.array_equal(rewards, also)
        assert np.array_equal(done, ended)
        if turn % 10 == 0:
            assert shown(alone) == shown(shared)
            time.sleep(0.002)  # the helpers go to sleep
    assert shown(alone) == shown(shared)


@pytest.mark.jit
def test_the_first_illegal_action_is_named_and_all_stands_as_it_was():
    tables = Tables(SIZE, seed=1, threads=2)
    for _ in range(3):
        tables.step(tables.random_actions())
    before = shown(tables)
    actions = tables.random_actions()
    actions[[400, SIZE - 1, 700, 90]] = 63
    with pytest.raises(IllegalAction, match="table 90:"):
        tables.step(actions)
    assert shown(tables) == before
    tables.step(tables.random_actions())


@compiled_only
@pytest.mark.jit
def test_helpers_come_sleep_and_leave():
    gc.collect()
    assert until(lambda: not helpers())
    tables = Tables(SIZE, seed=1, threads=3)
    assert not helpers()
    tables.step(tables.random_actions())
    assert len(helpers()) == 2
    counters = tables._steps._counters
    assert until(lambda: counters[step_threads._WATCHING] == 0)
    for _ in range(200):
        tables.step(tables.random_actions())
    assert len(helpers()) == 2
    del tables
    gc.collect()
    assert until(lambda: not helpers())


@pytest.mark.jit
def test_few_tables_need_no_helper():
    tables = Tables(step_threads.SHARED_FROM - 1, seed=1, threads=2)
    tables.step(tables.random_actions())
    assert not tables._steps._counters[step_threads._WATCHING]
    assert tables._steps._owner == 0


@pytest.mark.parametrize("name", ["obs", "mask", "seat", "games"])
def test_arrays_are_exchanged_by_use_buffers_only(name):
    tables = Tables(3, seed=1)
    with pytest.raises(AttributeError):
        setattr(tables, name, getattr(tables, name).copy())


@njit
def count_up(counters, times):
    for _ in range(times):
        memory.add(counters, 8, 1)
    memory.lower(counters, 16, times)
    memory.store(counters, 0, memory.load(counters, 8))


@pytest.mark.jit
def test_two_threads_count_together():
    counters, times = np.zeros(24, np.int64), scaled(300_000)
    counters[16] = times + 5
    count_up(np.zeros(24, np.int64), 1)
    threads = [threading.Thread(target=count_up, args=(counters, times + part)) for part in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counters[8] == 2 * times + 1
    assert counters[16] == times
    assert times <= counters[0] <= 2 * times + 1
