"""What is measured of nap_env itself, and the machine's limit beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from nap_env import nap_v0, observation
from nap_env.cards import NUM_ACTIONS
from nap_env.engine import loops
from nap_env.rules import PRESETS, Rules, make_rules
from nap_env.vector import Tables
from nap_env.vector_env import NapVectorEnv
from train.bench.aec import turning
from train.bench.bare import BareTables
from train.bench.measure import COMPILED, VIEWS, Case, Sample, Work, timed
from train.bench.settings import Settings, cores

BATCH = 4096  # tables at which the step is compared with others
_UNTIMED = 100  # random moves at each table before anything is timed
_PIECE = 16384  # moves at least in a piece of work


def cases(settings: Settings) -> Iterator[Case]:
    """Everything of ours that needs no learning library."""
    yield from kernel_cases(settings.variant)
    yield from step_cases(settings)
    yield from aec_cases(settings.variant)
    yield from vector_cases(settings.variant)
    yield from preset_cases()


def threads() -> list[int]:
    """One thread, and two where there are two cores."""
    return [1, 2] if cores() > 1 else [1]


# ---- inside the kernel -----------------------------------------------------------------------------


def kernel_cases(rules: Rules) -> Iterator[Case]:
    """Random moves wholly inside compiled code."""
    for number in threads():
        name = "kernel" if number == 1 else f"kernel, {number} threads"
        work = partial(random_moves, rules, number)
        yield Case(name, "kernel", "random moves, kernel", work, 1024, number, loop=COMPILED)


def random_moves(rules: Rules, number: int = 1) -> Work:
    """Random actions drawn and played, hands dealt on: `Tables.random_moves` without the views at its end."""
    tables, moves = Tables(1024, rules, seed=1, threads=number), steps(rules, 200)
    tables.random_moves(_UNTIMED)

    def part(start: int, stop: int) -> None:
        loops.random_moves(tables.games, rules.kernel, start, stop, moves)

    return timed(tables.num_tables * moves, lambda: tables._pool.run(part, tables.num_tables))


# ---- Tables.step -----------------------------------------------------------------------------------


def step_cases(settings: Settings) -> Iterator[Case]:
    """`Tables.step` with all it does, without views, and what merely writing the views would take."""
    rules = settings.variant
    for size in settings.batches:
        work = partial(stepping, Tables, size, rules)
        yield Case(f"step {size}", "step", "Tables.step", work, size, writes=VIEWS)
        work = partial(stepping, BareTables, size, rules)
        yield Case(f"bare {size}", "step", "step without views", work, size)
        work = partial(writing, size, rules)
        yield Case(f"write {size}", "step", "only writing these bytes", work, size, loop=COMPILED, writes=VIEWS)
    work = partial(stepping, Tables, BATCH, rules, choosing=True)
    yield Case(f"loop {BATCH}", "step", "random_actions + step", work, BATCH, writes=VIEWS)
    for number in threads()[1:]:
        for size in (BATCH, settings.batches[-1]):
            work = partial(stepping, Tables, size, rules, number)
            name = f"step {size}, {number} threads"
            yield Case(name, "step", "Tables.step", work, size, number, writes=VIEWS)


def steps(rules: Rules, batch: int) -> int:
    """In how many steps to measure so many tables: whole hands, for bids and first cards are quicker than last ones."""
    hand = rules.hands_dealt() * (1 + rules.hand_size)
    return hand * max(1, round(_PIECE / batch / hand))


def stepping(make: Callable[..., Tables], batch: int, rules: Rules, number: int = 1, choosing: bool = False) -> Work:
    """Steps with random legal actions; drawing these is timed only when ``choosing``."""
    tables = make(batch, rules, seed=1, threads=number)
    tables.random_moves(_UNTIMED)
    repeats = steps(rules, batch)

    def sample() -> Sample:
        seconds = 0.0
        for _ in range(repeats):
            start = perf_counter()
            actions = tables.random_actions()
            if not choosing:
                start = perf_counter()
            tables.step(actions)
            seconds += perf_counter() - start
        return Sample(repeats * batch, seconds)

    return sample


def writing(batch: int, rules: Rules) -> Work:
    """Fill arrays of the size of the observations and masks: no step that writes them can be faster."""
    views = np.zeros((batch, observation.size(rules)), np.int8)
    masks = np.zeros((batch, NUM_ACTIONS), np.int8)
    repeats = max(1, 65536 // batch)

    def write() -> None:
        for _ in range(repeats):
            views.fill(1)
            masks.fill(1)

    return timed(repeats * batch, write)


# ---- PettingZoo and Gymnasium ----------------------------------------------------------------------


def aec_cases(rules: Rules) -> Iterator[Case]:
    """Our AEC environments in PettingZoo's own loop."""
    for name, make in (("env()", nap_v0.env), ("raw_env()", nap_v0.raw_env)):
        work = partial(_turning, make, rules)
        yield Case(name, "aec", f"nap_v0.{name}", work, unit="turns", writes=VIEWS)


def _turning(make: Callable[..., Any], rules: Rules) -> Work:
    return turning(make(rules))


def vector_cases(rules: Rules) -> Iterator[Case]:
    """NapVectorEnv; a decision is the learner's, his opponents' moves come on top."""
    for opponents in ("random", "rules"):
        text, work = f"NapVectorEnv, {opponents}", partial(deciding, rules, opponents)
        yield Case(f"vector, {opponents}", "vector", text, work, 256, unit="decisions", writes=VIEWS)


def deciding(rules: Rules, opponents: str) -> Work:
    """Steps of all rows with random legal actions, whose drawing is not timed."""
    envs, rng = NapVectorEnv(256, rules, opponents=opponents), np.random.default_rng(1)
    envs.reset(seed=1)

    def sample() -> Sample:
        seconds = 0.0
        for _ in range(10):
            masks = envs.action_masks()
            actions = (masks * rng.random(masks.shape)).argmax(axis=1)
            start = perf_counter()
            envs.step(actions)
            seconds += perf_counter() - start
        return Sample(10 * envs.num_envs, seconds)

    return sample


# ---- variants --------------------------------------------------------------------------------------


def variants() -> dict[str, Rules]:
    """Every preset, and seven players."""
    return dict(PRESETS) | {"seven players": make_rules("standard", 7)}


def preset_cases() -> Iterator[Case]:
    """Kernel and `Tables.step` of every variant."""
    for name, rules in variants().items():
        work = partial(random_moves, rules)
        yield Case(f"{name}: kernel", "presets", f"kernel, {name}", work, 1024, loop=COMPILED)
        work = partial(stepping, Tables, BATCH, rules)
        yield Case(f"{name}: step", "presets", f"Tables.step, {name}", work, BATCH, writes=VIEWS)
