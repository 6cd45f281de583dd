"""Hidden hands, drawn uniformly among all that fit what a seat knows.

A seat knows its own cards and discards, every card played and by whom, who failed to follow suit and so has none
of it (R4.2), the peep card if it saw it (R8), and that a Wellington was led with the lowest card of a suit (R4.5).
Any other card of the pack may be in any other hand or undealt.

The number of ways is counted first, seat by seat, over how many cards of each kind are gone: cards are of a kind
that the same restricted seats may hold. Then each world is drawn by these counts: no draw is ever thrown away, so
the last trick takes no longer than the first. Seats that may hold anything share what is left at random.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from nap_env import observation as view
from nap_env.jit import bit, count, drop_lowest, lowest, njit, times
from nap_env.rulebook import MAX_HAND, MAX_SEATS, NONE, PLAY, below, mix, suit_mask
from nap_env.rules import Rules, make_rules

MAX_KINDS = 8
_WELLINGTON = 57
_EMPTY = np.uint64(0)

KNOWLEDGE = np.dtype(
    (
        np.record,
        [
            ("hand", np.uint64),  # the viewer's own cards
            ("unseen", np.uint64),  # cards that may be in another hand
            ("may_hold", np.uint64, MAX_SEATS),  # by seat, 0 the viewer
            ("surely", np.uint64, MAX_SEATS),  # cards it is known to hold
            ("unknown", np.int64, MAX_SEATS),  # how many cards it holds beside those
            ("ways", np.float64),  # how the restricted seats can be dealt
            # the counting
            ("seats", np.int64, MAX_SEATS),  # restricted seats, in the order they are drawn
            ("num_seats", np.int64),
            ("kind", np.uint64, MAX_KINDS),  # the cards of each kind
            ("allowed", np.int64, MAX_KINDS),  # bits of the restricted seats (places in ``seats``) that may hold it
            ("num_kinds", np.int64),
            ("span", np.int64, MAX_KINDS),  # numbers 0..span-1 of its cards can be gone
        ],
    )
)


def knowledge(observation: npt.NDArray[np.int8], rules: str | Rules) -> dict[str, Any]:
    """What a seat knows of the others' cards, from its observation; seats are relative, 0 is the viewer.

    ``unseen``: cards that may be in another hand; ``may_hold`` [n]: those that each seat may hold; ``surely`` [n]:
    those it is known to hold; ``unknown`` [n]: how many it holds beside them. All sets are 64-bit words.

    Raises:
        ValueError: the observation has not the length of these rules.
    """
    variant, rows = _checked(observation, rules)
    record = np.zeros(1, KNOWLEDGE)
    know(rows, 0, variant.kernel, record)
    n = variant.num_players
    return {
        "unseen": int(record[0].unseen),
        "may_hold": [int(cards) for cards in record[0].may_hold[:n]],
        "surely": [int(cards) for cards in record[0].surely[:n]],
        "unknown": [int(number) for number in record[0].unknown[:n]],
    }


def determinise(
    observation: npt.NDArray[np.int8], rules: str | Rules, rng: np.random.Generator, worlds: int = 1
) -> npt.NDArray[np.uint64]:
    """Worlds that a seat may be in: what each seat holds, uint64 [worlds, n]; seats relative, 0 is the viewer.

    They are drawn independently and uniformly from all that fit the ``observation`` [O] int8. A seat that was
    dealt no cards has 0.

    Raises:
        ValueError: the observation has not the length of these rules, or nothing fits it.
    """
    drawn: npt.NDArray[np.uint64] = determinise_batch(np.asarray(observation)[None], rules, rng, worlds)[0]
    return drawn


def determinise_batch(
    observations: npt.NDArray[np.int8], rules: str | Rules, rng: np.random.Generator, worlds: int = 1
) -> npt.NDArray[np.uint64]:
    """`determinise` for each row of ``observations`` [B, O] int8: uint64 [B, worlds, n].

    Raises:
        ValueError: as `determinise`; it names the row.
    """
    variant, rows = _checked(observations, rules)
    keys = rng.integers(0, 2**64, len(rows), dtype=np.uint64)
    out = np.zeros((len(rows), worlds, variant.num_players), np.uint64)
    wrong = world_rows(rows, variant.kernel, np.zeros(1, KNOWLEDGE), keys, out)
    if wrong >= 0:
        raise ValueError(f"no hands fit observation {wrong}: it does not come from a game of these rules")
    return out


def count_worlds(observation: npt.NDArray[np.int8], rules: str | Rules) -> float:
    """In how many ways the other seats' hands can fit what a seat knows (exact below 2**53).

    Raises:
        ValueError: the observation has not the length of these rules.
    """
    variant, rows = _checked(observation, rules)
    return float(ways_of(rows, variant.kernel, np.zeros(1, KNOWLEDGE)))


def _checked(observations: Any, rules: str | Rules) -> tuple[Rules, npt.NDArray[np.int8]]:
    variant = make_rules(rules)
    rows = np.atleast_2d(np.ascontiguousarray(observations, dtype=np.int8))
    if rows.ndim != 2 or rows.shape[1] != view.size(variant):
        raise ValueError(
            f"observations under these rules have length {view.size(variant)}, not {rows.shape[-1]}: other rules?"
        )
    return variant, rows


# ---- Reading the observation -----------------------------------------------------------------------------


@njit
def know(rows: Any, row: Any, rules: Any, out: Any) -> None:
    """Fill ``out`` [1] KNOWLEDGE from an observation, up to ``unknown``."""
    o, r, k = rows[row], rules[0], out[0]
    n = int(r.num_players)
    k.hand = _cards(o, r.at_hand)
    gone = k.hand
    if int(r.at_discards) >= 0:
        gone = gone | _cards(o, r.at_discards)
    playing = o[r.at_phase + PLAY - 1] != 0
    for seat in range(n):
        played = _cards(o, int(r.at_played) + 52 * seat)
        gone = gone | played
        k.unknown[seat] = int(r.hand_size) - (count(played) if playing else 0) if o[r.at_dealt + seat] else 0
        k.surely[seat] = _EMPTY
    k.unknown[0] = 0
    k.unseen = r.pack & ~gone
    for seat in range(MAX_SEATS):
        k.may_hold[seat] = k.unseen
    if playing:
        _read_voids(o, r, k)
    if int(r.at_peep_card) >= 0:
        _read_peep(o, r, k)


@njit
def _cards(o: Any, at: Any) -> Any:
    cards = _EMPTY
    for card in range(52):
        if o[at + card]:
            cards = cards | bit(card)
    return cards


@njit
def _one(o: Any, at: Any, size: Any) -> Any:
    """The place of the 1 in a one-hot field, or NONE."""
    for place in range(size):
        if o[at + place]:
            return place
    return NONE


@njit
def _read_voids(o: Any, r: Any, k: Any) -> None:
    """R4.2: who did not follow has none of the suit led. R4.5: a Wellington declarer has none lower than his lead."""
    n = int(r.num_players)
    led = np.full(MAX_HAND, NONE, np.int64)
    for trick in range(int(r.hand_size)):
        leader = _one(o, int(r.at_leaders) + trick * n, n)
        if leader == NONE:
            break
        for card in range(52):
            if o[int(r.at_trick_of) + card] == trick + 1 and o[int(r.at_played) + 52 * leader + card]:
                led[trick] = card
    for card in range(52):
        trick = int(o[int(r.at_trick_of) + card]) - 1
        if trick < 0 or led[trick] == NONE or card // 13 == led[trick] // 13:
            continue
        for seat in range(1, n):
            if o[int(r.at_played) + 52 * seat + card]:
                k.may_hold[seat] = k.may_hold[seat] & ~suit_mask(led[trick] // 13)
    declarer = _one(o, r.at_declarer, n)
    place = int(r.place[_WELLINGTON - 53])
    if r.lowest_lead and place >= 0 and o[r.at_contract + place] and led[0] != NONE:
        lower = suit_mask(led[0] // 13) & (bit(led[0]) - np.uint64(1))
        k.may_hold[declarer] = k.may_hold[declarer] & ~lower


@njit
def _read_peep(o: Any, r: Any, k: Any) -> None:
    """R8: a peep card the viewer saw lies on the table, or its new owner holds it."""
    card = _one(o, r.at_peep_card, 52)
    if card == NONE or not k.unseen & bit(card):
        return
    k.unseen = k.unseen & ~bit(card)
    for seat in range(MAX_SEATS):
        k.may_hold[seat] = k.may_hold[seat] & ~bit(card)
    if o[r.at_swapped]:
        declarer = _one(o, r.at_declarer, int(r.num_players))
        k.surely[declarer] = bit(card)
        k.unknown[declarer] -= 1


# ---- Counting ---------------------------------------------------------------------------------------------


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
            k.kind[kind] = _EMPTY
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
def _held(k: Any, n: Any) -> Any:
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
    _count(k, n)
    ways, left = k.ways, count(k.unseen)
    for place in range(k.num_seats):
        left -= k.unknown[k.seats[place]]
    for seat in range(1, n):
        if k.may_hold[seat] == k.unseen:
            ways *= _binomial(left, k.unknown[seat])
            left -= k.unknown[seat]
    return ways


@njit
def _count(k: Any, n: Any) -> Any:
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
            if _digits(k, state, gone) != before:
                continue
            ways[place, state] = 1.0 if place == seats else _choices(k, ways, place, state, gone, -1.0)[0]
    k.ways = ways[0, 0]
    return ways


@njit
def _digits(k: Any, state: Any, gone: Any) -> Any:
    """Write a state's digits into ``gone``; their sum."""
    total = 0
    for kind in range(k.num_kinds):
        gone[kind] = state % k.span[kind]
        state //= k.span[kind]
        total += gone[kind]
    return total


@njit
def _choices(k: Any, ways: Any, place: Any, state: Any, gone: Any, stop: Any) -> Any:
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


# ---- Drawing ----------------------------------------------------------------------------------------------


@njit
def world_rows(rows: Any, rules: Any, scratch: Any, keys: Any, out: Any) -> Any:
    """Fill ``out`` [B, worlds, n] from observations [B, O], world w of row b a function of ``keys[b]`` and w.

    Returns the first row that nothing fits, or -1; ``scratch`` is [1] KNOWLEDGE.
    """
    n = int(rules[0].num_players)
    k = scratch[0]
    for row in range(rows.shape[0]):
        know(rows, row, rules, scratch)
        ways = _count(k, n)
        if k.ways <= 0.0 or _held(k, n) > count(k.unseen):
            return row
        for world in range(out.shape[1]):
            _draw_world(k, ways, n, mix(keys[row] ^ mix(np.uint64(world))), out[row, world])
    return -1


@njit
def _draw_world(k: Any, ways: Any, n: Any, key: Any, hands: Any) -> None:
    draws = np.uint64(0)
    left = k.unseen
    for seat in range(n):
        hands[seat] = k.surely[seat] if seat else k.hand
    gone = np.zeros(MAX_KINDS, np.int64)
    now = np.zeros(MAX_KINDS, np.int64)
    state = 0
    for place in range(k.num_seats):
        seat = k.seats[place]
        _digits(k, state, gone)
        draws = draws + np.uint64(1)
        stop = ways[place, state] * _unit(_random(key, draws))
        state = _choices(k, ways, place, state, gone, stop)[1]
        _digits(k, state, now)
        for kind in range(k.num_kinds):
            for _ in range(now[kind] - gone[kind]):
                draws = draws + np.uint64(1)
                card = _pick(left & k.kind[kind], _random(key, draws))
                hands[seat] = hands[seat] | card
                left = left ^ card
    for seat in range(1, n):
        for _ in range(k.unknown[seat] - count(hands[seat] & ~k.surely[seat])):
            draws = draws + np.uint64(1)
            card = _pick(left, _random(key, draws))
            hands[seat] = hands[seat] | card
            left = left ^ card


@njit
def _random(key: Any, draws: Any) -> Any:
    return mix(key ^ times(draws, np.uint64(0x9E3779B97F4A7C15)))


@njit
def _unit(word: Any) -> Any:
    """A random number in [0, 1) from the upper 53 bits."""
    return float(int(word >> np.uint64(11))) / 9007199254740992.0


@njit
def _pick(cards: Any, word: Any) -> Any:
    """One card of a set, as a set."""
    for _ in range(below(word, count(cards))):
        cards = drop_lowest(cards)
    return bit(lowest(cards))
