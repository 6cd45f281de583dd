"""How kernels are compiled and cached: read-only places, races, fork, threads, each in its own process."""

import ast
import os
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import numba
import numpy as np
import pytest

from nap_env import nap_v0

ROOT = Path(__file__).parents[2]
NOWHERE = os.path.join(os.devnull, "x")  # a folder that not even root can make
jit = pytest.mark.jit


def environment(**extra):
    """The environment variables of a child: this checkout, no Numba settings but those given."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA_", "XDG_CACHE"))}
    return kept | {"PYTHONPATH": str(ROOT)} | extra


def start(code, **extra):
    """A child that runs some code, and fails when it raises."""
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        env=environment(**extra),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(child, timeout=300):
    """What a child wrote to stdout and stderr."""
    out, err = child.communicate(timeout=timeout)
    assert child.returncode == 0, err
    return out, err


def run(code, **extra):
    return finish(start(code, **extra))


# A package with one kernel of its own: it compiles in a second.
SMALL = """
    import sys
    sys.path.insert(0, {folder!r})
    import kernels
    assert kernels.double(21) == 42
    from nap_env.engine import jit
    print(jit.cache_folder(), jit.cache_folder(kernels.HERE))
"""
KERNEL = """
from pathlib import Path
from nap_env.engine.jit import njit
HERE = Path(__file__).parent
@njit
def double(number):
    return 2 * number
"""


@pytest.fixture
def small(tmp_path):
    """Code that compiles and calls a small kernel; and the file of the kernel."""
    (tmp_path / "package").mkdir()
    source = tmp_path / "package" / "kernels.py"
    write(source, KERNEL)
    return SMALL.format(folder=str(source.parent)), source


def write(source, text, age=60):
    """Write a file that looks some seconds old: what was just edited is not cached."""
    source.write_text(text)
    then = time.time() - age
    os.utime(source, (then, then))


# ---- where machine code is kept --------------------------------------------------------------------


@jit
def test_the_users_cache_folder(small, tmp_path):
    code, _ = small
    out, err = run(code, XDG_CACHE_HOME=str(tmp_path / "home"))
    assert out.startswith(str(tmp_path / "home" / "nap_env"))
    assert "Warning" not in err
    assert list((tmp_path / "home").rglob("*.nbi"))


@jit
def test_a_read_only_home_falls_back_with_one_warning(small, tmp_path):
    code, _ = small
    out, err = run(code, XDG_CACHE_HOME=NOWHERE, TMPDIR=str(tmp_path))
    assert out.startswith(str(tmp_path))
    assert err.count("RuntimeWarning") == 1
    assert NOWHERE in err
    assert list(tmp_path.glob("nap_env*/**/*.nbi"))


@jit
def test_no_cache_at_all_works_with_one_warning(small, tmp_path):
    code, _ = small
    out, err = run(code, NUMBA_CACHE_DIR=NOWHERE, TMPDIR=str(tmp_path))
    assert out.split() == ["None", "None"]
    assert err.count("RuntimeWarning") == 1
    assert "NUMBA_CACHE_DIR" in err


@jit
def test_a_cache_folder_of_one_s_own(small, tmp_path):
    code, _ = small
    out, err = run(code, NUMBA_CACHE_DIR=str(tmp_path / "mine"), XDG_CACHE_HOME=NOWHERE)
    assert out.startswith(str(tmp_path / "mine"))
    assert not err


@jit
def test_an_edited_kernel_gets_another_folder(small, tmp_path):
    code, source = small
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    first = run(code, **cache)[0].split()
    assert run(code, **cache)[0].split() == first
    write(source, KERNEL.replace("2 * number", "number + number"))
    second = run(code, **cache)[0].split()
    assert second[0] == first[0]  # ours are as they were
    assert second[1] != first[1]


@jit
def test_an_edited_instruction_gets_another_folder(small, tmp_path):
    code, source = small
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    instruction = source.parent / "instruction.py"
    write(instruction, "from numba.extending import intrinsic\n@intrinsic\ndef one(context):\n    return 1\n")
    first = run(code, **cache)[0].split()
    assert run(code, **cache)[0].split() == first
    write(instruction, instruction.read_text().replace("return 1", "return 2"))
    second = run(code, **cache)[0].split()
    assert second[0] == first[0]
    assert second[1] != first[1]


@jit
def test_a_kernel_edited_while_the_process_starts_is_not_cached(small, tmp_path):
    code, source = small
    write(source, KERNEL, age=0)
    out, err = run(code, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert out.split()[1] == "None"
    assert not err


@jit
def test_bounds_checks_get_another_folder(small, tmp_path):
    code, _ = small
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert run(code, **cache)[0] != run(code, NUMBA_BOUNDSCHECK="1", **cache)[0]


def test_uncompiled_needs_no_folder(small):
    code, _ = small
    out, err = run(code, NUMBA_DISABLE_JIT="1", XDG_CACHE_HOME=NOWHERE, NUMBA_CACHE_DIR=NOWHERE)
    assert out.split() == ["None", "None"]
    assert not err


@jit
def test_processes_that_compile_at_once(small, tmp_path):
    code, _ = small
    children = [start(code, NUMBA_CACHE_DIR=str(tmp_path / "cache")) for _ in range(3)]
    folders = {finish(child)[0] for child in children}
    assert len(folders) == 1
    assert str(tmp_path) in folders.pop()


# ---- the real kernels ------------------------------------------------------------------------------

PLAY = """
    import numpy as np
    from nap_env import nap_v0
    env = nap_v0.env("purchase", num_hands=3)
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    while not env.terminations[env.agent_selection]:
        env.step(int(rng.choice(np.flatnonzero(env.last()[0]["action_mask"]))))
    print(env.result())
"""


@jit
@pytest.mark.slow
def test_two_processes_compile_the_rulebook_at_once(tmp_path):
    children = [start(PLAY, NUMBA_CACHE_DIR=str(tmp_path / "cache")) for _ in range(2)]
    written = [finish(child) for child in children]
    assert written[0][0] == written[1][0]
    assert "compiling" in written[0][1]
    out, err = run(PLAY, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert out == written[0][0]
    assert not err  # compiled already: nothing is said


def test_uncompiled_plays_the_same():
    out, err = run(PLAY, NUMBA_DISABLE_JIT="1")
    assert not err
    env = nap_v0.env("purchase", num_hands=3)
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    while not env.terminations[env.agent_selection]:
        env.step(int(rng.choice(np.flatnonzero(env.last()[0]["action_mask"]))))
    assert out.strip() == str(env.result())


def conformance(**extra):
    """A part of the conformance cases in a child."""
    child = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "tests/engine/test_conformance.py",
            "-k",
            "mix",
        ],
        cwd=ROOT,
        env=environment(**extra),
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert child.returncode == 0, child.stdout[-3000:]


@jit
@pytest.mark.slow
def test_conformance_uncompiled():
    conformance(NUMBA_DISABLE_JIT="1")


@jit
@pytest.mark.slow
@pytest.mark.skipif(bool(numba.config.BOUNDSCHECK), reason="this whole run has bounds checks")
def test_conformance_with_bounds_checks(tmp_path):
    conformance(NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=str(tmp_path))


# ---- fork and threads ------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_fork_after_use():
    code = PLAY.replace("\n    ", "\n") + textwrap.dedent("""
        import os
        from nap_env import Tables
        tables = Tables(1100, seed=1, threads=2)
        tables.step(tables.random_actions())
        child = os.fork()
        tables.step(tables.random_actions())
        env.reset(seed=1)
        env.step(52)
        if child == 0:
            os._exit(0 if env.result()["net"] == [0] * 5 else 3)
        assert os.waitpid(child, 0)[1] == 0
    """)
    run(code, PYTHONWARNINGS="ignore::DeprecationWarning")  # Python 3.12 warns of fork beside threads


def played(seed, matches, out):
    """Play some matches with a stream of one's own and keep the results."""
    env = nap_v0.raw_env("peep", num_hands=2)
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    for _ in range(matches):
        while not env.terminations[env.agent_selection]:
            env.step(int(rng.choice(np.flatnonzero(env.last()[0]["action_mask"]))))
        out.append(env.result())
        env.reset()


def test_three_threads_at_once():
    alone, together = [[] for _ in range(3)], [[] for _ in range(3)]
    for seed in range(3):
        played(seed, 5, alone[seed])
    threads = [threading.Thread(target=played, args=(seed, 5, together[seed])) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == alone


# ---- a cheap import --------------------------------------------------------------------------------


def test_the_import_is_cheap():
    out, err = run("""
        import sys
        import nap_env
        print(*sorted(sys.modules))
    """)
    loaded = set(out.split())
    heavy = {
        "numba",
        "torch",
        "pygame",
        "matplotlib",
        "stable_baselines3",
        "scipy",
        "pandas",
        "tensorboard",
        "llvmlite",
    }
    assert loaded & heavy == set()
    assert not err


def test_rules_and_cards_need_no_numba():
    out, _ = run("""
        import sys
        from nap_env import Rules, PRESETS, RulesError, IllegalAction, cards
        Rules(num_players=4, peep=True)
        print(*sorted(sys.modules))
    """)
    assert set(out.split()) & {"numba", "torch"} == set()


def test_every_public_name_can_be_had():
    import nap_env

    for name in nap_env.__all__:
        assert getattr(nap_env, name) is not None
    assert set(nap_env.__all__) <= set(dir(nap_env))
    with pytest.raises(AttributeError, match="no_such"):
        _ = nap_env.no_such


def records_that_outlive_their_array(source):
    """Lines of kernels that take a record from an array made there, outside the loop that uses it."""
    found = []
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.FunctionDef) or "njit" not in map(ast.unparse, function.decorator_list):
            continue
        looped = {
            id(node) for loop in ast.walk(function) if isinstance(loop, ast.For | ast.While) for node in ast.walk(loop)
        }
        arrays = set()
        for node in ast.walk(function):
            if isinstance(node, ast.Assign):
                targets, values = node.targets[0], node.value
                pairs = (
                    zip(targets.elts, values.elts, strict=False)
                    if isinstance(targets, ast.Tuple) and isinstance(values, ast.Tuple)
                    else [(targets, values)]
                )
                arrays |= {ast.unparse(one) for one, value in pairs if _makes_records(value)}
        for node in ast.walk(function):
            if isinstance(node, ast.Subscript):
                named = ast.unparse(node.value) in arrays and id(node) not in looped
                if named or _makes_records(node.value):
                    found.append(f"{function.name}:{node.lineno}")
    return found


def _makes_records(value):
    text = ast.unparse(value)
    return (
        isinstance(value, ast.Call) and text.startswith(("np.zeros(", "np.empty(")) and text.split()[-1][:-1].isupper()
    )


@pytest.mark.parametrize("package", ["nap_env", "agents", "train"])
def test_no_kernel_keeps_a_record_of_an_array_that_is_gone(package):
    files = [*(Path(nap_v0.__file__).parents[1] / package).rglob("*.py")]
    assert files
    assert [
        f"{file.name}:{place}" for file in files for place in records_that_outlive_their_array(file.read_text())
    ] == []


def test_such_a_record_is_found():
    kernel = "@njit\ndef f(n):\n    a, b = np.zeros(1, GAME), 2\n{}    for i in range(n):\n        use(v, a[0])\n"
    assert records_that_outlive_their_array(kernel.format("")) == []
    assert records_that_outlive_their_array(kernel.format("    v = a[0]\n")) == ["f:4"]
    assert records_that_outlive_their_array(kernel.format("    v = np.empty(2, VIEW)[0]\n")) == ["f:4"]
