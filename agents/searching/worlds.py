"""Worlds for search: hidden hands that fit what a seat knows, drawn evenly or as likely as the calls make them.

What a kernel works in is made outside (`WORKSPACE`): in compiled code a record does not keep alive the array it lies
in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.searching.beliefs import likelihood
from agents.searching.positions import stand
from agents.seeing.view import VIEW, read
from nap_env import observation as view
from nap_env.determinise.counting import count_ways
from nap_env.determinise.drawing import draw_world
from nap_env.determinise.reading import KNOWLEDGE, know_row
from nap_env.engine.chance import mix
from nap_env.engine.jit import drop_lowest, njit
from nap_env.engine.records import AUCTION, GAME, NONE, PLAY
from nap_env.rules import Rules, make_rules

Words = npt.NDArray[np.uint64]

WORKSPACE = np.dtype((np.record, [("mine", VIEW), ("theirs", VIEW), ("known", KNOWLEDGE)]))

KINDS = ("declarer tricks", "declarer misere", "payer tricks", "payer misere", "bids")
"""The kinds of decisions that are searched."""
BIDS = 4
_MISERE = 54
_WORLDS, _CHANCE = np.uint64(0x5EA4C4), np.uint64(0xCA4CE)


@njit
def kind_of(v: Any) -> Any:
    """Which of `KINDS` is to be decided; NONE for discards and the like."""
    if v.phase == AUCTION:
        return BIDS
    if v.phase != PLAY:
        return NONE
    return (2 if v.declarer else 0) + (1 if v.contract == _MISERE else 0)


@njit
def draw_rows(
    workspace: Any,
    observations: Any,
    masks: Any,
    rules: Any,
    keys: Any,
    numbers: Any,
    candidates: Any,
    games: Any,
    counts: Any,
    worlds: Any,
) -> None:
    """For each of observations [B, O] the game as the seat sees it, ``games`` [B], and ``worlds`` [B, W, 7].

    ``numbers`` [5] says how many worlds a decision of each of `KINDS` gets; ``counts`` [B] how many the row got, none
    where there is nothing to choose. ``candidates`` times as many are drawn evenly, and of these as many are taken in
    proportion to how likely the calls make them. All is a function of the row and of ``keys`` [B].
    """
    r = rules[0]
    v, w, k = workspace[0].mine, workspace[0].theirs, workspace[0].known
    n = int(r.num_players)
    drawn = np.zeros((worlds.shape[1] * candidates, worlds.shape[2]), np.uint64)
    weights = np.zeros(drawn.shape[0])
    for row in range(observations.shape[0]):
        read(observations[row], masks[row], r, v)
        stand(observations[row], v, r, games[row])
        kind = kind_of(v)
        counts[row] = numbers[kind] if kind >= 0 and drop_lowest(v.legal) else 0
        if counts[row] == 0:
            continue
        know_row(observations[row], r, k)
        ways = count_ways(k, n)
        total = 0.0
        for world in range(counts[row] * candidates):
            draw_world(k, ways, n, mix(keys[row] ^ mix(np.uint64(world) ^ _WORLDS)), drawn[world])
            if candidates > 1:
                total += likelihood(games[row], v, r, drawn[world], w)
            else:
                total += 1.0
            weights[world] = total
        chance = 0.5 if candidates == 1 else float(int(mix(keys[row] ^ _CHANCE) >> np.uint64(11))) / 9007199254740992.0
        _resample(drawn, weights, total, chance, counts[row], worlds[row])


@njit
def _resample(drawn: Any, weights: Any, total: Any, chance: Any, number: Any, out: Any) -> None:
    """Systematic resampling by the running sums of weights: one random number, then equal steps."""
    step = total / number
    place = 0
    for world in range(number):
        while weights[place] < (world + chance) * step and weights[place] < total:
            place += 1
        for seat in range(out.shape[1]):
            out[world, seat] = drawn[place, seat]


def bid_likelihood(observation: npt.NDArray[np.int8], rules: str | Rules) -> Callable[[Words], npt.NDArray[np.float64]]:
    """A ``weight`` for `nap_env.determinise.determinise`: how likely the calls so far are in each world.

    It takes worlds uint64 [W, n] of this ``observation`` [O] int8 and returns chances [W]; see `beliefs`.
    """
    variant = make_rules(rules)
    row = np.require(observation, np.int8, ["C", "W"])[None]
    places = view.size(variant)
    if row.shape != (1, places):
        raise ValueError(f"an observation under these rules has shape ({places},), not {row.shape[1:]}: other rules?")
    workspace, games = np.zeros(1, WORKSPACE), np.zeros(1, GAME)

    def weight(worlds: Words) -> npt.NDArray[np.float64]:
        out = np.zeros(len(worlds))
        likelihood_rows(workspace, row, np.zeros((1, 64), np.int8), variant.kernel, games, worlds, out)
        return out

    return weight


@njit
def likelihood_rows(
    workspace: Any, observations: Any, masks: Any, rules: Any, games: Any, worlds: Any, out: Any
) -> None:
    """`likelihood` of each of ``worlds`` [W, n] for the one row of observations [1, O]."""
    r, v, w = rules[0], workspace[0].mine, workspace[0].theirs
    read(observations[0], masks[0], r, v)
    stand(observations[0], v, r, games[0])
    for world in range(worlds.shape[0]):
        out[world] = likelihood(games[0], v, r, worlds[world], w)
