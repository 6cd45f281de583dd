"""What a seat may know, written as bytes: observation, action mask, and the state of a centralised critic.

The second half of the compiled rules: `rulebook` changes a game, this shows it. Names, sizes and meanings of the
fields are those of `observation.FIELDS` (DESIGN section 6).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nap_env.engine.jit import bit, count, drop_lowest, lowest, njit, times
from nap_env.engine.packed import put_eight, put_one, put_owned, put_set, scatter, seven
from nap_env.engine.records import DEAL, MAX_SEATS, NONE, OVER

_THREE = 53
_EMPTY = np.uint64(0)
_PHASES = 7  # that an observation tells apart
_SUIT_AND_RANK = np.array([1 << card // 13 | 16 << card % 13 if card < 52 else 0 for card in range(64)], np.uint64)


@njit
def observe(g: Any, r: Any, viewer: Any, out: Any) -> None:
    """Write what ``viewer`` may know into ``out`` [O] int8; seats are relative to him.

    Straight-line code in the order of the fields: neighbouring fields of 0 and 1 are put together in a word and
    written 64 places at a step, so that a write may spill zeros into the next field, which comes after it. During
    the play these zeros reach every place up to the field ``out``, and only the rest is cleared.
    """
    n = int(r.num_players) & 7
    viewer = int(viewer)
    trick = int(g.trick)
    bidden = int(g.contract) != NONE
    if bidden and trick < r.hand_size:
        put_set(out, r.length - 64, _EMPTY)
    else:
        out[:] = 0
    put_set(out, r.at_phase, _table(g, r, viewer, n))
    put_set(out, r.at_hand, g.hand[viewer])
    if r.at_discards >= 0:
        _observe_extras(g, r, viewer, n, out)
    put_set(out, r.at_bids, _calls(g, r, viewer, n))
    if bidden:
        put_set(out, r.at_contract, _contract(g, r, viewer, n))
        put_eight(out, r.at_won, _bytes_turned(seven(g.won, 0), viewer, n))
        put_set(out, r.at_leaders, _rows_turned(g.led, r, viewer, n))
        if trick < r.hand_size:
            cards, at = _bytes_turned(seven(g.played, MAX_SEATS * trick), viewer, n), int(r.at_trick)
            for _ in range(n):
                put_set(out, at, _SUIT_AND_RANK[int(cards) & 63])
                cards = cards >> np.uint64(8)
                at += 17
        put_owned(out, r.at_played, g.gone, viewer, n)
    if not g.extra:
        _wide(int(g.num_hands) - int(g.hands), r.at_hands_left, out)
    if g.starting_chips >= 0 or (g.turn and (g.hands or r.pays_early)):  # else nothing was won or lost yet
        _observe_match(g, r, viewer, n, out)


@njit
def _relative(seat: Any, viewer: Any, n: Any) -> Any:
    """How many places to the left of the viewer a seat is."""
    return seat - viewer if seat >= viewer else seat - viewer + n


@njit
def turned(seats: Any, viewer: Any, n: Any) -> Any:
    """Bits of seats as the viewer counts them."""
    return np.uint64(((seats >> viewer) | (seats << (n - viewer))) & ((1 << n) - 1))


@njit
def _rows_turned(rows: Any, r: Any, viewer: Any, n: Any) -> Any:
    """As `turned`, of many rows of n bits side by side."""
    near = times(r.each, bit(n - viewer) - np.uint64(1))
    return (rows >> np.uint64(viewer) & near) | (rows << np.uint64(n - viewer) & ~near)


@njit
def _bytes_turned(numbers: Any, viewer: Any, n: Any) -> Any:
    """As `turned`, of a byte a seat."""
    there = ~_EMPTY >> np.uint64(64 - 8 * n)
    numbers = numbers & there  # those who are not there have bytes too
    return (numbers >> np.uint64(8 * viewer) | numbers << np.uint64(8 * (n - viewer))) & there


@njit
def _table(g: Any, r: Any, viewer: Any, n: Any) -> Any:
    """Fields ``phase``, ``to_act``, ``dealer``, ``in_hand`` and ``dealt`` as one set."""
    phase = int(g.phase)
    acts = 1 if phase != DEAL and phase != OVER else 0
    rows = acts << int(g.seat) | 1 << (n + int(g.dealer)) | int(g.in_hand) << 2 * n | int(g.dealt) << 3 * n
    return np.uint64(acts << (phase - acts)) | _rows_turned(np.uint64(rows), r, viewer, n) << np.uint64(_PHASES)


@njit
def _calls(g: Any, r: Any, viewer: Any, n: Any) -> Any:
    """Field ``bids`` as a set."""
    rungs = int(r.num_bids) + 1
    right, left = g.calls >> np.uint64(rungs * viewer), g.calls << np.uint64(rungs * (n - viewer))
    return (right | left) & (bit(rungs * n) - np.uint64(1))


@njit
def _contract(g: Any, r: Any, viewer: Any, n: Any) -> Any:
    """Fields ``contract``, ``declarer`` and ``trump`` as one set."""
    bids, trump = int(r.num_bids), int(g.trump)
    found = 1 << int(r.place[int(g.contract) - _THREE]) | 1 << (bids + _relative(int(g.declarer), viewer, n))
    return np.uint64(found | (1 + (trump >> 63)) << (bids + n + (trump & 3)))


@njit
def _observe_extras(g: Any, r: Any, viewer: Any, n: Any, out: Any) -> None:
    """What only variants have: own discards, purchases, the peep card, the spare hand (R7 to R9)."""
    put_set(out, r.at_discards, g.discards[viewer])
    if r.at_peep_card >= 0:
        took = int(g.swapped) & (1 if int(g.declarer) == viewer else 0)
        seen = took | (int(g.peeped) >> viewer & 1)
        put_set(out, r.at_peep_card, np.uint64(seen) << np.uint64(int(g.peep_card) & 63))
        put_eight(out, r.at_peeped, scatter(turned(int(g.peeped), viewer, n)))
        put_one(out, r.at_swapped, g.swapped)
    if r.at_bought >= 0:
        put_eight(out, r.at_bought, _bytes_turned(seven(g.bought, 0), viewer, n))
    if r.at_spare_taker >= 0:
        taker = int(g.spare_taker)
        taken = np.uint64(1 + (taker >> 63))
        put_eight(out, r.at_spare_taker, scatter(taken << np.uint64(_relative(taker, viewer, n) & 7)))


@njit
def _observe_match(g: Any, r: Any, viewer: Any, n: Any, out: Any) -> None:
    """What was won and lost in the match, and who is still in it."""
    put_one(out, r.at_has_chips, 1 if g.starting_chips >= 0 else 0)
    put_one(out, r.at_extra_hand, g.extra)
    _wide(int(g.pool), r.at_pool, out)
    seat, out_at, rebuys_at = viewer, int(r.at_out), int(r.at_rebuys)
    net_at, chips_at = int(r.at_net), int(r.at_chips)
    for other in range(n):
        put_one(out, out_at + other, 1 - (int(g.alive) >> seat & 1))
        put_one(out, rebuys_at + other, min(int(g.rebuys[seat]), 127))
        _wide(int(g.net[seat]), net_at + 2 * other, out)
        _wide(int(g.chips[seat]), chips_at + 2 * other, out)
        seat = seat + 1 if seat + 1 < n else 0


@njit
def _wide(value: Any, at: Any, out: Any) -> None:
    """A number as two int8: floor(value / 128) and value mod 128, exact in -16384..16383, else clipped."""
    value = min(max(value, -16384), 16383)
    put_one(out, at, value >> 7)
    put_one(out, at + 1, value & 127)


@njit
def _spread(mask: Any, at: Any, out: Any) -> None:
    """Write a 1 at each place of a set, for places that are 0."""
    while mask:
        out[at + lowest(mask)] = 1
        mask = drop_lowest(mask)


@njit
def write_mask(legal_actions: Any, out: Any) -> None:
    """Write a set of actions to ``out`` [64] int8."""
    put_set(out, 0, legal_actions)


@njit
def write_state(g: Any, r: Any, out: Any) -> None:
    """Everything, for a centralised critic: seat 0's observation, then what is hidden."""
    n = int(r.num_players)
    size = int(r.length)
    out[:] = 0
    observe(g, r, 0, out[:size])
    at = size
    for seat in range(n):
        _spread(g.hand[seat], at, out)
        at += 52
    for seat in range(n):
        _spread(g.discards[seat], at, out)
        at += 52
    if int(g.peep_card) != NONE:
        out[at + int(g.peep_card)] = 1
    at += 52
    _spread(g.spare, at, out)
    at += 52
    for place in range(int(g.stub), count(r.pack)):
        out[at + int(g.deck[place])] = place - int(g.stub) + 1
    at += 52
    for seat in range(n):
        out[at + seat] = (int(g.peeped) >> seat) & 1
