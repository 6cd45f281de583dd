"""Two threads in one object: an error that says so, never freed or torn memory; and each alone as ever."""

import copy
import os
import pickle
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

from nap_env import NapVectorEnv, SeatEnv, Tables, nap_v0
from nap_env.engine.threads import OneCaller, ThreadPool
from nap_env.errors import AgentError, BusyError

BUSY = "in the midst of another call"
TABLES = """
    import threading
    from nap_env import Tables
    from nap_env.errors import BusyError, IllegalAction
    tables = Tables({rows}, seed=1, threads={threads})
    told = set()

    def step():
        for _ in range(400):
            try:
                tables.step(tables.random_actions())
            except (BusyError, IllegalAction) as error:  # actions drawn before another's step may be none now
                told.add(type(error).__name__)

    callers = [threading.Thread(target=step) for _ in range(3)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    tables.reset(2)
    again = Tables({rows}, seed=2)
    assert (tables.obs == again.obs).all() and (tables.random_actions() == again.random_actions()).all()
    print(*told)
"""
OTHERS = """
    import threading
    import numpy as np
    from nap_env import NapVectorEnv, Tables
    from nap_env.errors import BusyError
    envs = NapVectorEnv(2048, opponents="random", threads=2)
    envs.reset(seed=1)
    tables = Tables(2048, seed=1, threads=2)

    def some(work):
        for _ in range(150):
            try:
                work()
            except BusyError:
                pass

    works = [
        lambda: envs.step(envs.action_masks().argmax(axis=1)), lambda: envs.reset(seed=2), envs.render,
        lambda: tables.use_buffers(np.empty_like(tables.obs), np.empty_like(tables.mask)),
        lambda: tables.reset(decks=np.tile(np.arange(52), (2048, 1))), lambda: tables.playout("random"),
        lambda: tables.clone(), tables.state, lambda: tables.observe(0),
    ]
    callers = [threading.Thread(target=some, args=(work,)) for work in works]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
"""


def child(code, **values):
    """Run code in a process of its own, which may crash; what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code).format(**values)], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, (done.returncode, done.stderr[-2000:])
    return done.stdout


@pytest.mark.jit
@pytest.mark.parametrize(("rows", "threads"), [(4096, 2), (512, 1)])
def test_three_threads_step_the_same_tables(rows, threads):
    assert "BusyError" in child(TABLES, rows=rows, threads=threads)


@pytest.mark.jit
def test_everything_else_at_once():
    child(OTHERS)


def test_an_agent_that_steps_the_environment_that_asks_it():
    class Meddler:
        name = "meddler"

        def act(self, observation, action_mask, rng):
            env.step(int(action_mask.argmax()))

    env = SeatEnv(opponents=Meddler(), seat=3)
    with pytest.raises(AgentError, match=f"meddler.* raised BusyError: .*{BUSY}"):
        env.reset(seed=1, options={"dealer": 3})  # he is asked before the learner, who calls last


def calls():
    tables, vector, seat, aec = Tables(2, seed=1), NapVectorEnv(2), SeatEnv(), nap_v0.env()
    vector.reset(seed=1)
    seat.reset(seed=1)
    aec.reset(seed=1)
    raw = aec.unwrapped
    masks = vector.action_masks().argmax(axis=1)
    yield tables, lambda: tables.step(tables.mask.argmax(axis=1))
    yield tables, tables.random_actions
    yield tables, tables.clone
    yield tables, lambda: tables.reset(1)
    yield vector, lambda: vector.step(masks)
    yield vector, lambda: vector.reset(seed=1)
    yield seat, lambda: seat.step(int(seat.action_masks().argmax()))
    yield seat, lambda: seat.reset(seed=1)
    yield raw, lambda: aec.step(int(aec.observe(aec.agent_selection)["action_mask"].argmax()))


@pytest.mark.parametrize("number", range(9))
def test_a_second_caller_is_told_and_the_first_goes_on(number):
    owner, call = list(calls())[number]
    owner.one_caller.enter()
    with pytest.raises(BusyError, match=f"{BUSY}.*one of its own"):
        call()
    owner.one_caller.leave()
    call()


def test_an_error_lets_the_next_caller_in():
    tables = Tables(2, seed=1)
    for _ in range(2):
        with pytest.raises(ValueError, match="actions must have shape"):
            tables.step([1, 2, 3])
        with pytest.raises(ValueError, match="table 0: player"):
            tables.step([63, 63])
    tables.step(tables.random_actions())


def test_a_copy_is_free():
    tables = Tables(2, seed=1)
    tables.one_caller.enter()
    for copied in (copy.deepcopy(tables), pickle.loads(pickle.dumps(tables))):
        copied.step(copied.random_actions())
    assert isinstance(copy.copy(OneCaller("thing")), OneCaller)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_amid_a_call_is_told_and_does_not_hang():
    tables = Tables(2, seed=1)
    tables.one_caller.enter()  # as if another thread were inside
    process = os.fork()
    if not process:
        try:
            tables.step(tables.mask.argmax(axis=1))
        except BusyError:
            os._exit(7)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 7
    tables.one_caller.leave()
    tables.step(tables.random_actions())


@pytest.mark.parametrize("piece", [None, 1, 7, 64, 5000])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_a_pool_does_every_row_once(threads, piece):
    done, lock = np.zeros(2000, np.int64), threading.Lock()

    def work(start, stop):
        with lock:
            done[start:stop] += 1

    ThreadPool(threads).run(work, len(done), piece)
    assert (done == 1).all()


def test_a_pool_ends_all_work_before_it_raises():
    ended = []

    def work(start, stop):
        if start == 0:
            raise KeyError("first")
        ended.append(start)

    with pytest.raises(KeyError, match="first"):
        ThreadPool(2).run(work, 100, 10)
    assert sorted(ended) == list(range(10, 100, 10))
