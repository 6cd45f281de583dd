"""What a seat may know, written as bytes: observation, action mask, and the state of a centralised critic.

The second half of the compiled rules: `rulebook` changes a game, this shows it. Names, sizes and meanings of the
fields are those of `observation.FIELDS` (DESIGN section 6).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nap_env.jit import count, drop_lowest, lowest, njit
from nap_env.packed import put_eight, put_one, put_owned, put_set, scatter
from nap_env.rulebook import DEAL, NONE, OVER

_PASS, _THREE = 52, 53


@njit
def observe(g: Any, r: Any, viewer: Any, out: Any) -> None:
    """Write what ``viewer`` may know into ``out`` [O] int8; seats are relative to him.

    Straight-line code in the order of the fields: sets are written eight places at a step, so that a write may
    spill zeros into the next field, which comes after it. A place that may be nobody's gets a 0, not a branch.
    """
    n = int(r.num_players)
    viewer = int(viewer)
    out[:] = 0
    _observe_seats(g, r, viewer, out)
    put_set(out, r.at_hand, g.hand[viewer])
    if r.at_discards >= 0:
        _observe_extras(g, r, viewer, out)
    rungs, at, seat = int(r.num_bids) + 1, int(r.at_bids), viewer
    for _ in range(n):
        bid = int(g.bids[seat])
        put_one(out, at + int(r.call[bid & 63]), _known(bid))
        at += rungs
        seat = seat + 1 if seat + 1 < n else 0
    if int(g.contract) != NONE:
        _observe_contract(g, r, viewer, out)
        _observe_play(g, r, viewer, out)
    _observe_match(g, r, viewer, out)


@njit
def _relative(seat: Any, viewer: Any, n: Any) -> Any:
    """How many places to the left of the viewer a seat is."""
    return seat - viewer if seat >= viewer else seat - viewer + n


@njit
def turned(seats: Any, viewer: Any, n: Any) -> Any:
    """Bits of seats as the viewer counts them."""
    return np.uint64(((seats >> viewer) | (seats << (n - viewer))) & ((1 << n) - 1))


@njit
def _known(number: Any) -> Any:
    """0 for NONE, 1 for all else."""
    return 1 + (int(number) >> 63)


@njit
def _observe_seats(g: Any, r: Any, viewer: Any, out: Any) -> None:
    """The phase, and of the seats who acts, deals, takes part and holds cards."""
    n, phase = int(r.num_players), int(g.phase)
    acts = 1 if phase != DEAL and phase != OVER else 0
    put_one(out, r.at_phase + (phase - 1) * acts, acts)
    put_one(out, r.at_to_act + _relative(int(g.seat), viewer, n), acts)
    put_one(out, r.at_dealer + _relative(int(g.dealer), viewer, n), 1)
    put_eight(out, r.at_in_hand, scatter(turned(int(g.in_hand), viewer, n)))
    put_eight(out, r.at_dealt, scatter(turned(int(g.dealt), viewer, n)))


@njit
def _observe_extras(g: Any, r: Any, viewer: Any, out: Any) -> None:
    """What only variants have: own discards, purchases, the peep card, the spare hand (R7 to R9)."""
    n = int(r.num_players)
    put_set(out, r.at_discards, g.discards[viewer])
    for other in range(n):
        seat = (viewer + other) % n
        if r.at_peeped >= 0:
            out[r.at_peeped + other] = (int(g.peeped) >> seat) & 1
        if r.at_bought >= 0:
            out[r.at_bought + other] = g.bought[seat]
    if r.at_spare_taker >= 0 and int(g.spare_taker) != NONE:
        out[r.at_spare_taker + _relative(int(g.spare_taker), viewer, n)] = 1
    if r.at_swapped >= 0:
        out[r.at_swapped] = g.swapped
        took = int(g.swapped) == 1 and int(g.declarer) == viewer
        if took or (int(g.peeped) >> viewer) & 1:
            out[r.at_peep_card + int(g.peep_card)] = 1


@njit
def _observe_contract(g: Any, r: Any, viewer: Any, out: Any) -> None:
    n, trump = int(r.num_players), int(g.trump)
    put_one(out, r.at_contract + int(r.place[int(g.contract) - _THREE]), 1)
    put_one(out, r.at_declarer + _relative(int(g.declarer), viewer, n), 1)
    put_one(out, r.at_trump + (trump & 3), _known(trump))
    at, seat = int(r.at_won), viewer
    for other in range(n):
        put_one(out, at + other, g.won[seat])
        seat = seat + 1 if seat + 1 < n else 0


@njit
def _observe_play(g: Any, r: Any, viewer: Any, out: Any) -> None:
    """Who led each trick; the trick on the table; for each seat the cards it played, with the trick's number."""
    n, now = int(r.num_players), int(g.trick)
    at = int(r.at_leaders)
    for trick in range(r.hand_size):
        leader = int(g.leaders[trick])
        put_one(out, at + _relative(leader, viewer, n), _known(leader))
        at += n
    at, seat = int(r.at_trick), viewer
    for _ in range(n if now < int(r.hand_size) else 0):
        card = int(g.played[now, seat])
        there = _known(card)
        card = card & 63 * there
        suit = 79 * card >> 10  # card // 13, and no division
        put_one(out, at + suit, there)
        put_one(out, at + 4 + card - 13 * suit, there)
        at += 17
        seat = seat + 1 if seat + 1 < n else 0
    at, seat = int(r.at_played), viewer
    for _ in range(n):
        put_owned(out, at, g.gone, seat + 1)
        at += 52
        seat = seat + 1 if seat + 1 < n else 0


@njit
def _observe_match(g: Any, r: Any, viewer: Any, out: Any) -> None:
    n = int(r.num_players)
    hands_left = int(g.num_hands) - int(g.hands)
    if not g.extra:
        _wide(min(hands_left, 16383), r.at_hands_left, out)
    if g.starting_chips >= 0:
        out[r.at_has_chips] = 1
    elif not g.turn or (int(g.hands) == 0 and not r.pays_early):
        return  # nothing is won or lost yet
    out[r.at_extra_hand] = g.extra
    _wide(g.pool, r.at_pool, out)
    for other in range(n):
        seat = (viewer + other) % n
        out[r.at_out + other] = 1 - ((int(g.alive) >> seat) & 1)
        out[r.at_rebuys + other] = min(int(g.rebuys[seat]), 127)
        _wide(g.net[seat], r.at_net + 2 * other, out)
        _wide(g.chips[seat], r.at_chips + 2 * other, out)


@njit
def _wide(value: Any, at: Any, out: Any) -> None:
    """A number as two int8: floor(value / 128) and value mod 128, exact in -16384..16383, else clipped."""
    value = min(max(int(value), -16384), 16383)
    out[at] = value >> 7
    out[at + 1] = value & 127


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
