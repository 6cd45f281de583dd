"""A game's own stream of random numbers, and the shuffle: the same for a table alone and among thousands."""

from __future__ import annotations

from typing import Any

import numpy as np

from nap_env.engine.jit import count, drop_lowest, lowest, njit, times

_EMPTY = np.uint64(0)


@njit
def mix(z: Any) -> Any:
    """The finaliser of SplitMix64 (Steele, Lea and Flood 2014), a bijection of 64-bit words."""
    z = times(z ^ (z >> np.uint64(30)), np.uint64(0xBF58476D1CE4E5B9))
    z = times(z ^ (z >> np.uint64(27)), np.uint64(0x94D049BB133111EB))
    return z ^ (z >> np.uint64(31))


@njit
def draw(g: Any) -> Any:
    """The next 64 random bits of this game's own stream."""
    g.draws = g.draws + np.uint64(1)
    return drawn(g.key, g.draws)


@njit
def drawn(key: Any, draws: Any) -> Any:
    return mix(key ^ times(draws, np.uint64(0x9E3779B97F4A7C15)))


@njit
def below(word: Any, limit: Any) -> Any:
    """A number 0..limit-1 from the upper half of a random word (bias under limit / 2**32)."""
    return int(((word >> np.uint64(32)) * np.uint64(limit)) >> np.uint64(32))


@njit
def shuffle(g: Any, r: Any, deck: Any) -> Any:
    """R2.2: shuffle the pack into ``deck``, cut it, at least four cards in each packet; returns its size.

    The cut turns the pack round by ``cut`` places, so each card is written where the cut will have it.
    A research pack of fewer than eight cards (R15) cannot be cut so, and is not.
    """
    size = count(r.pack)
    cut = 4 + below(draw(g), size - 7) if size >= 8 else 0
    key, draws = g.key, g.draws
    pack = r.pack
    place = cut & 63  # so that no place looks negative
    word = _EMPTY
    for number in range(size):
        if number & 1:
            word = word << np.uint64(32)
        else:
            draws = draws + np.uint64(1)
            word = drawn(key, draws)
        other = cut + below(word, number + 1)
        other = (other - size if other >= size else other) & 63
        deck[place] = deck[other]
        deck[other] = lowest(pack)
        pack = drop_lowest(pack)
        place = (place + 1 if place + 1 < size else 0) & 63
    g.draws = draws
    return size
