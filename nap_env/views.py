"""What a seat may know, written as bytes: observation, action mask, and the state of a centralised critic.

The second half of the compiled rules: `rulebook` changes a game, this shows it. Names, sizes and meanings of the
fields are those of `observation.FIELDS` (DESIGN section 6).
"""

from __future__ import annotations

from typing import Any

from nap_env.jit import count, drop_lowest, lowest, njit
from nap_env.rulebook import DEAL, NONE, OVER, next_seat

_PASS, _THREE = 52, 53


@njit
def observe(g: Any, r: Any, viewer: Any, out: Any) -> None:
    """Write what ``viewer`` may know into ``out`` [O] int8; seats are relative to him.

    Fields of the records are read into locals before the writing: for all the compiler knows, ``out``
    might lie over them.
    """
    n = int(r.num_players)
    viewer = int(viewer)
    out[:] = 0
    phase, seat, dealer = int(g.phase), int(g.seat), int(g.dealer)
    at_phase, at_to_act, at_dealer, at_hand = (
        int(r.at_phase),
        int(r.at_to_act),
        int(r.at_dealer),
        int(r.at_hand),
    )
    contract = int(g.contract)
    if phase != DEAL and phase != OVER:
        out[at_phase + phase - 1] = 1
        out[at_to_act + _relative(seat, viewer, n)] = 1
    out[at_dealer + _relative(dealer, viewer, n)] = 1
    _spread(g.hand[viewer], at_hand, out)
    _observe_bids(g, r, viewer, out)
    if r.at_discards >= 0:
        _observe_extras(g, r, viewer, out)
    if contract != NONE:
        _observe_contract(g, r, viewer, out)
        _observe_play(g, r, viewer, out)
    _observe_match(g, r, viewer, out)


@njit
def _relative(seat: Any, viewer: Any, n: Any) -> Any:
    """How many places to the left of the viewer a seat is."""
    return seat - viewer if seat >= viewer else seat - viewer + n


@njit
def _spread(mask: Any, at: Any, out: Any) -> None:
    while mask:
        out[at + lowest(mask)] = 1
        mask = drop_lowest(mask)


@njit
def _observe_bids(g: Any, r: Any, viewer: Any, out: Any) -> None:
    n, rungs = int(r.num_players), int(r.num_bids) + 1
    in_hand, dealt = int(g.in_hand), int(g.dealt)
    at_in_hand, at_dealt, at_bids = int(r.at_in_hand), int(r.at_dealt), int(r.at_bids)
    seat = viewer
    for other in range(n):
        out[at_in_hand + other] = (in_hand >> seat) & 1
        out[at_dealt + other] = (dealt >> seat) & 1
        bid = int(g.bids[seat])
        if bid != NONE:
            out[at_bids + other * rungs + (0 if bid == _PASS else 1 + int(r.place[bid - _THREE]))] = 1
        seat = seat + 1 if seat + 1 < n else 0


@njit
def _observe_extras(g: Any, r: Any, viewer: Any, out: Any) -> None:
    """What only variants have: own discards, purchases, the peep card, the spare hand (R7 to R9)."""
    n = int(r.num_players)
    _spread(g.discards[viewer], r.at_discards, out)
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
    at_trump, at_declarer, at_won = int(r.at_trump), int(r.at_declarer), int(r.at_won)
    declarer = int(g.declarer)
    out[r.at_contract + r.place[int(g.contract) - _THREE]] = 1
    out[at_declarer + _relative(declarer, viewer, n)] = 1
    if trump != NONE:
        out[at_trump + trump] = 1
    seat = viewer
    for other in range(n):
        out[at_won + other] = g.won[seat]
        seat = seat + 1 if seat + 1 < n else 0


@njit
def _observe_play(g: Any, r: Any, viewer: Any, out: Any) -> None:
    """Each trick: who led it, and each card of it with its player; the trick on the table once more."""
    n, now = int(r.num_players), int(g.trick)
    at_leaders, at_played, at_trick_of = int(r.at_leaders), int(r.at_played), int(r.at_trick_of)
    for trick in range(now):
        out[at_leaders + _relative(int(g.leaders[trick]), viewer, n)] = 1
        at_leaders += n
        seat, at = viewer, at_played
        for _ in range(n):
            card = int(g.played[trick, seat])
            if card != NONE:
                out[at + card] = 1
                out[at_trick_of + card] = trick + 1
            at += 52
            seat = seat + 1 if seat + 1 < n else 0
    if now == int(r.hand_size) or int(g.leaders[now]) == NONE:
        return
    seat, dealt, at_trick = int(g.leaders[now]), int(g.dealt), int(r.at_trick)
    out[at_leaders + _relative(seat, viewer, n)] = 1
    for _ in range(int(g.laid)):
        card, other = int(g.played[now, seat]), _relative(seat, viewer, n)
        out[at_played + other * 52 + card] = 1
        out[at_trick_of + card] = now + 1
        out[at_trick + other * 17 + card // 13] = 1
        out[at_trick + other * 17 + 4 + card % 13] = 1
        seat = next_seat(dealt, seat)


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
def write_mask(legal_actions: Any, out: Any) -> None:
    """Spread a set of actions over ``out`` [64] int8."""
    out[:] = 0
    _spread(legal_actions, 0, out)


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
