"""Trials of hands: trial t of a class is one deal, a function of (seed, class, t), asked whether a bid is made in it.

So counts do not depend on the order of the work, on threads, or on how often it was interrupted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from agents.auction.chances import questions
from agents.auction.hand_classes import hand_rows, layout
from agents.searching.playouts import made_batch
from nap_env.engine.chance import below, mix
from nap_env.engine.jit import bit, drop_lowest, lowest, njit, times
from nap_env.rules import Rules
from nap_env.solver import can_make_batch

Int64 = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
_PLAYED = {"open": can_make_batch, "rules": made_batch}


def deals_of(numbers: Int64, trials: Int64, kind: Rules, seed: int) -> npt.NDArray[np.uint64]:
    """The deals of trials ``trials`` [B] of the classes ``numbers`` [B]: hands uint64 [B, n], the class in seat 0."""
    out = np.empty((len(numbers), kind.num_players), np.uint64)
    own = np.empty(len(numbers), np.uint64)
    hand_rows(numbers, layout(kind), own)
    pack = np.uint64(kind.pack_mask)
    deal_rows(own, numbers, trials, pack, kind.hand_size, np.uint64(seed), out)
    return out


@njit
def deal_rows(own: Any, numbers: Any, trials: Any, pack: Any, size: Any, seed: Any, out: Any) -> None:
    """Fill ``out`` [B, n]: seat 0 holds ``own`` [B], the others what a stream of random numbers deals them."""
    cards = np.zeros(52, np.int64)
    for row in range(len(own)):
        left = pack & ~own[row]
        number = 0
        while left:
            cards[number] = lowest(left)
            left = drop_lowest(left)
            number += 1
        key = mix(mix(mix(seed) ^ np.uint64(numbers[row])) ^ np.uint64(trials[row]))
        out[row, 0] = own[row]
        draw = 0
        for seat in range(1, out.shape[1]):
            hand = np.uint64(0)
            for _ in range(size):
                draw += 1
                word = mix(key ^ times(np.uint64(draw), np.uint64(0x9E3779B97F4A7C15)))
                place = draw - 1 + below(word, number - draw + 1)
                hand |= bit(cards[place])
                cards[place] = cards[draw - 1]
            out[row, seat] = hand


def count_made(numbers: Int64, start: Int64, stop: Int64, kind: Rules, play: str, seed: int) -> Int64:
    """How many of the trials start..stop-1 of each class were made, int64 [Q, K].

    ``numbers`` [K] are classes, ``start`` and ``stop`` [Q, K]; start == stop asks for none.
    """
    asked = questions(kind)
    wanted = start < stop
    first = np.where(wanted, start, np.iinfo(np.int64).max).min(axis=0)
    lengths = np.where(wanted, stop, 0).max(axis=0) - first
    owner = np.repeat(np.arange(len(numbers)), lengths)
    trial = first[owner] + np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    deals = deals_of(numbers[owner], trial, kind, seed)
    made = np.zeros(start.shape, np.int64)
    never: dict[str, Bools] = {}
    for row, bid in _hardest_last(asked, kind):
        ask = (start[row][owner] <= trial) & (trial < stop[row][owner])
        easier = _easier(bid, asked, kind) if play == "open" else None
        possible = ask & ~never[easier] if easier else ask
        result = np.zeros(len(owner), np.bool_)
        result[possible] = _PLAYED[play](deals[possible], 0, bid, kind)
        made[row] = np.bincount(owner[result], minlength=len(numbers))
        never[bid] = (possible & ~result) | (ask & ~possible)
    return made


def _hardest_last(asked: tuple[str, ...], kind: Rules) -> list[tuple[int, str]]:
    return sorted(enumerate(asked), key=lambda question: (kind.tricks_asked(question[1]), question[1] == "WELLINGTON"))


def _easier(bid: str, asked: tuple[str, ...], kind: Rules) -> str | None:
    """The next easier bid for tricks: with open cards, where it fails the harder one does; not so in play by rule."""
    if bid == "MISERE":
        return None
    before = [name for _, name in _hardest_last(asked, kind) if name != "MISERE"]
    place = before.index(bid)
    return before[place - 1] if place else None
