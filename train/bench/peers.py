"""The peers, each through its own API: those that are not installed are named as absent."""

from __future__ import annotations

import importlib
import os
import random
from collections.abc import Callable, Iterator
from functools import partial
from time import perf_counter
from typing import Any

from train.bench.aec import turning
from train.bench.measure import COMPILED, VIEWS, Absent, Case, Sample, Work
from train.bench.settings import cores

OPENSPIEL = ("euchre", "hearts", "spades", "oh_hell")
RLCARD = ("leduc-holdem", "uno", "bridge")


def cases() -> Iterator[Case]:
    """Every peer that we know."""
    work = _guarded(pettingzoo_tictactoe)
    yield Case("tictactoe", "pettingzoo", "PettingZoo tictactoe", work, writes=VIEWS, unit="turns")
    for name in OPENSPIEL:
        work = _guarded(partial(openspiel_play, name))
        yield Case(name, "openspiel", f"OpenSpiel {name}", work, writes=("mask",))
    work = _guarded(partial(openspiel_play, "euchre", tuned=True))
    yield Case("euchre, tuned", "openspiel", "OpenSpiel euchre tuned", work, writes=("mask",))
    work = _guarded(openspiel_rollouts)
    yield Case("euchre, C++", "openspiel", "OpenSpiel euchre C++", work, loop=COMPILED)
    for name in RLCARD:
        work = _guarded(partial(rlcard_play, name))
        yield Case(name, "rlcard", f"RLCard {name}", work, writes=VIEWS)
    work = _guarded(pgx_leduc)
    yield Case("pgx", "pgx", "Pgx leduc_holdem", work, 1024, cores(), writes=VIEWS, loop=COMPILED)


def _guarded(prepare: Callable[[], Work]) -> Callable[[], Work]:
    """A peer that fails is absent, with its own words: it is not for us to stop at it."""

    def guarded() -> Work:
        try:
            return prepare()
        except ModuleNotFoundError as error:
            raise Absent(f"{error.name} is not installed") from None
        except Exception as error:
            raise Absent(f"{type(error).__name__}: {error}") from error

    return guarded


# ---- PettingZoo ------------------------------------------------------------------------------------


def pettingzoo_tictactoe() -> Work:
    """The fastest of PettingZoo's classic games, in PettingZoo's own loop."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    return turning(importlib.import_module("pettingzoo.classic.tictactoe_v3").env())


# ---- OpenSpiel -------------------------------------------------------------------------------------


def openspiel_play(name: str, tuned: bool = False) -> Work:
    """Whole games by random legal actions, without tensors; dealing takes time and counts as no move.

    The loop is the one that its users write; ``tuned`` is the fastest that we know, with fewer calls.
    """
    game = importlib.import_module("pyspiel").load_game(name)
    rng = random.Random(1)

    def sample() -> Sample:
        start = perf_counter()
        if tuned:
            moves = sum(play_out(deal_out(game, rng), rng) for _ in range(20))
        else:
            moves = sum(play(game.new_initial_state(), rng) for _ in range(20))
        return Sample(moves, perf_counter() - start)

    return sample


def play(state: Any, rng: random.Random) -> int:
    """Random actions to the end; how many were the players'. All chance outcomes are equally likely here."""
    moves, choice = 0, rng.choice
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(choice(state.chance_outcomes())[0])
        else:
            state.apply_action(choice(state.legal_actions()))
            moves += 1
    return moves


def deal_out(game: Any, rng: random.Random) -> Any:
    """A new state of an OpenSpiel game after its chance nodes, whose outcomes are its legal actions too."""
    state, draw = game.new_initial_state(), rng.random
    while state.is_chance_node():
        outcomes = state.legal_actions()
        state.apply_action(outcomes[int(draw() * len(outcomes))])
    return state


def play_out(state: Any, rng: random.Random) -> int:
    """Random legal actions to the end; how many."""
    moves, draw = 0, rng.random
    while legal := state.legal_actions():
        state.apply_action(legal[int(draw() * len(legal))])
        moves += 1
    return moves


def openspiel_rollouts() -> Work:
    """Random play inside OpenSpiel's own C++: one tree search of one simulation that evaluates by rollouts.

    It says nothing of moves, so the average length of rollouts from the same deal is taken.
    """
    pyspiel = importlib.import_module("pyspiel")
    game, rng, rollouts = pyspiel.load_game("euchre"), random.Random(1), 500
    state = deal_out(game, rng)
    length = sum(play_out(state.clone(), rng) for _ in range(1000)) / 1000
    evaluator = pyspiel.RandomRolloutEvaluator(rollouts, 1)
    bot = pyspiel.MCTSBot(game, evaluator, 1.0, 1, 1000, False, 1, False)

    def sample() -> Sample:
        start = perf_counter()
        bot.step(state)
        return Sample(round(rollouts * length), perf_counter() - start)

    return sample


# ---- RLCard ----------------------------------------------------------------------------------------


def rlcard_play(name: str) -> Work:
    """Whole games by random legal actions through ``reset`` and ``step``."""
    env = importlib.import_module("rlcard").make(name, config={"seed": 1})
    draw = random.Random(1).random

    def sample() -> Sample:
        moves, start = 0, perf_counter()
        for _ in range(3):
            state, _player = env.reset()
            while not env.is_over():
                legal = list(state["legal_actions"])
                state, _player = env.step(legal[int(draw() * len(legal))])
                moves += 1
        return Sample(moves, perf_counter() - start)

    return sample


# ---- Pgx -------------------------------------------------------------------------------------------


def pgx_leduc(batch: int = 1024, moves: int = 50) -> Work:
    """Random moves at many tables inside one compiled loop, dealing on."""
    pgx = importlib.import_module("pgx")
    jax = importlib.import_module("jax")
    jax.config.update("jax_platforms", "cpu")
    env = pgx.make("leduc_holdem")
    auto_reset = importlib.import_module("pgx.experimental").auto_reset
    step = jax.vmap(auto_reset(env.step, env.init))

    def move(carry: Any, _: Any) -> Any:
        states, key = carry
        key, choice, chance = jax.random.split(key, 3)
        logits = jax.numpy.where(states.legal_action_mask, 0.0, -jax.numpy.inf)
        states = step(states, jax.random.categorical(choice, logits), jax.random.split(chance, batch))
        return (states, key), None

    run = jax.jit(lambda carry: jax.lax.scan(move, carry, None, length=moves)[0])
    key = jax.random.PRNGKey(1)
    carry = jax.block_until_ready(run((jax.vmap(env.init)(jax.random.split(key, batch)), key)))

    def sample() -> Sample:
        start = perf_counter()
        jax.block_until_ready(run(carry))
        return Sample(batch * moves, perf_counter() - start)

    return sample
