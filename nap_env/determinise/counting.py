"""In how many ways the restricted seats can be dealt, by how many cards of each kind are gone."""

from __future__ import annotations

from typing import Any

import numpy as np

from nap_env.determinise.reading import EMPTY, MAX_KINDS, know
from nap_env.engine.jit import bit, count, lowest, njit


@njit
def _sort(k: Any, n: Any) -> Any:
    """Find the restricted seats and the kinds of cards; the number of states of the count."""
    k.num_seats = 0
    held = 0  # by restricted seats
    for seat in range(1, n):
        if k.unknown[seat] and k.may_hold[seat] != k.unseen:
            k.seats[k.num_seats] = seat
            k.num_seats += 1
            held += k.unknown[seat]
    k.num_kinds = 0
    left = k.unseen
    while left:
        card = bit(lowest(left))
        allowed = 0
        for place in range(k.num_seats):
            if k.may_hold[k.seats[place]] & card:
                allowed |= 1 << place
        kind = 0
        while kind < k.num_kinds and k.allowed[kind] != allowed:
            kind += 1
        if kind == k.num_kinds:
            k.kind[kind] = EMPTY
            k.allowed[kind] = allowed
            k.num_kinds += 1
        k.kind[kind] = k.kind[kind] | card
        left = left ^ card
    states = 1
    for kind in range(k.num_kinds):
        most = 0
        for place in range(k.num_seats):
            if (k.allowed[kind] >> place) & 1:
                most += k.unknown[k.seats[place]]
        k.span[kind] = 1 + min(count(k.kind[kind]), most)
        states *= k.span[kind]
    return states


@njit
def held_by_others(k: Any, n: Any) -> Any:
    """Unknown cards in the other hands."""
    held = 0
    for seat in range(1, n):
        held += k.unknown[seat]
    return held


@njit
def ways_of(rows: Any, rules: Any, scratch: Any) -> Any:
    """The number of worlds that fit observation 0 of ``rows``."""
    n = int(rules[0].num_players)
    k = scratch[0]
    know(rows, 0, rules, scratch)
    count_ways(k, n)
    ways, left = k.ways, count(k.unseen)
    for place in range(k.num_seats):
        left -= k.unknown[k.seats[place]]
    for seat in range(1, n):
        if k.may_hold[seat] == k.unseen:
            ways *= _binomial(left, k.unknown[seat])
            left -= k.unknown[seat]
    return ways


@njit
def count_ways(k: Any, n: Any) -> Any:
    """ways[place, state]: how the restricted seats from ``place`` on can be dealt once ``state`` is gone.

    A state is the number of cards gone of each kind, as digits of base ``span``. float64 [num_seats + 1, states].
    """
    states = _sort(k, n)
    seats = int(k.num_seats)
    ways = np.zeros((seats + 1, states), np.float64)
    before = 0
    for place in range(seats):
        before += k.unknown[k.seats[place]]
    gone = np.zeros(MAX_KINDS, np.int64)
    for place in range(seats, -1, -1):
        if place < seats:
            before -= k.unknown[k.seats[place]]
        for state in range(states):
            if digits(k, state, gone) != before:
                continue
            ways[place, state] = 1.0 if place == seats else choices(k, ways, place, state, gone, -1.0)[0]
    k.ways = ways[0, 0]
    return ways


@njit
def digits(k: Any, state: Any, gone: Any) -> Any:
    """Write a state's digits into ``gone``; their sum."""
    total = 0
    for kind in range(k.num_kinds):
        gone[kind] = state % k.span[kind]
        state //= k.span[kind]
        total += gone[kind]
    return total


@njit
def choices(k: Any, ways: Any, place: Any, state: Any, gone: Any, stop: Any) -> Any:
    """Add up the ways of a seat's choices of numbers of each kind, in a fixed order.

    Returns the sum, and the state after the choice at which the sum came to exceed ``stop`` (the last if none).
    """
    kinds = int(k.num_kinds)
    take = np.zeros(MAX_KINDS, np.int64)
    need = int(k.unknown[k.seats[place]])
    total, after = 0.0, -1
    while True:
        # the last kind takes what is still needed
        taken = 0
        for kind in range(kinds - 1):
            taken += take[kind]
        take[kinds - 1] = need - taken
        if _fits(k, place, gone, take, kinds - 1):
            weight, step, base = 1.0, 0, 1
            for kind in range(kinds):
                weight *= _binomial(count(k.kind[kind]) - gone[kind], take[kind])
                step += base * take[kind]
                base *= k.span[kind]
            weight *= ways[place + 1, state + step]
            if weight > 0.0:
                total += weight
                after = state + step
                if stop >= 0.0 and total > stop:
                    return total, after
        # the next choice of the other kinds
        kind = 0
        while kind < kinds - 1:
            take[kind] += 1
            taken += 1
            if taken <= need and _fits(k, place, gone, take, kind):
                break
            taken -= take[kind]
            take[kind] = 0
            kind += 1
        if kind >= kinds - 1:
            return total, after


@njit
def _fits(k: Any, place: Any, gone: Any, take: Any, kind: Any) -> Any:
    """Whether the seat may take so many of a kind."""
    if take[kind] == 0:
        return True
    if take[kind] < 0 or not (k.allowed[kind] >> place) & 1:
        return False
    return gone[kind] + take[kind] < k.span[kind]


@njit
def _binomial(n: Any, m: Any) -> Any:
    value = 1.0
    for i in range(m):
        value = value * (n - i) / (i + 1)
    return value
