"""Whether a bid is made from a position with all cards open: one loop over an explicit stack.

The payers are one side: they win and lose alike. Before the game itself two easier ones are tried, easier for
the payers, so that what the declarer makes there he makes at the table:

- LATE: a payer who does not follow suit names his discard later, when he would rather be void.
- FREE: as LATE, and when a payer has won a trick, any payer leads to the next. Then it does not matter which
  payer wins, two cards of a payer are alike when no card of the declarer lies between them, and few positions
  are left. In a Misere it is tried late, and not with trumps; misere.py says which cards it then takes.
- EXACT: Nap.

A frame of the stack is a position before a card, or the same position as an easier game.
"""

from __future__ import annotations

from typing import Any

from nap_env.engine.jit import bit, count, drop_lowest, njit
from nap_env.solver.bounds import judge_misere, judge_tricks
from nap_env.solver.misere import caught, free_follows, free_leads, worth_throwing
from nap_env.solver.order import next_card, order
from nap_env.solver.table import (
    ALL_SLOTS,
    ANY_PAYER,
    EMPTY,
    EXACT,
    FAILS,
    FREE,
    LATE,
    MAKES,
    NONE,
    OPEN,
    PASS,
    beating,
    distinct,
    grown,
    probe,
    store,
    suit_of,
    under,
)

TRIAL_LEFT = 3  # with fewer tricks left, an easier game saves nothing


@njit
def search(s: Any) -> Any:
    """MAKES or FAILS for frame 0, whose moves are given; OPEN when it took too long."""
    value, ply = OPEN, 0
    while True:
        if value == OPEN:
            if s.nodes > s.stop:
                return _give_up(s, ply)
            if s.trial[ply] > s.level[ply]:
                value = _relax(s, ply)
            else:
                value = _play(s, ply, next_card(s, ply))
            ply += 1
        elif ply == 0:
            return value
        else:
            ply -= 1
            value = _judge(s, ply, value)


@njit
def _judge(s: Any, ply: Any, below: Any) -> Any:
    """The value of a frame after that of the frame below; OPEN while something is left to try."""
    if s.trial[ply] > s.level[ply]:
        if below == FAILS:
            s.trial[ply] = _next_trial(s, ply)
            return OPEN
    else:
        seat = s.mover[ply]
        _take_back(s, ply)
        if (below == MAKES) == (seat == 0):
            if s.misere and s.choice[ply]:
                s.settled[s.left[ply], s.seat[ply]] = s.played[ply]
        elif s.moves[ply]:
            return OPEN
    if s.slot[ply] >= 0:
        store(s, ply, below)
    return below


@njit
def _take_back(s: Any, ply: Any) -> None:
    """Undo the card played from a frame."""
    seat = s.mover[ply]
    s.alive = s.alive ^ s.hand[seat] ^ s.before[ply]
    s.hand[seat] = s.before[ply]
    s.pending[seat] = s.waiting[ply]


@njit
def _give_up(s: Any, ply: Any) -> Any:
    """Take back all cards; what was found out stays in the table."""
    while ply > 0:
        ply -= 1
        if s.trial[ply] <= s.level[ply]:
            _take_back(s, ply)
    return OPEN


# ---- Entering a position -----------------------------------------------------------------------------


@njit
def _enter(s: Any, ply: Any) -> Any:
    """The value of a position if it is certain or stored; else OPEN, and its moves are laid out."""
    s.slot[ply] = -1
    if s.position[ply] == 0:
        value = judge_misere(s, ply) if s.misere else judge_tricks(s, ply)
        if value != OPEN:
            return value
        if s.left[ply] >= 2:
            value = probe(s, ply)
            if value != OPEN:
                return value
    elif s.misere and s.winner[ply] == 0 and not s.trump and caught(
        s, s.best[ply], s.led[ply], s.seat[ply], s.seat[ply] - s.position[ply] + s.n
    ):  # fmt: skip
        return FAILS
    s.nodes += 1
    if s.nodes > s.mask:
        s.mask = grown(s.mask, ALL_SLOTS)  # few slots stay in the cache, and are enough for most searches
    s.trial[ply] = _first_trial(s, ply)
    _lay_out(s, ply)
    return OPEN


@njit
def _lay_out(s: Any, ply: Any) -> None:
    """The cards worth trying at a frame, in order."""
    seat = s.seat[ply]
    moves = _leads(s, seat) if s.position[ply] == 0 else _follows(s, ply, seat)
    s.moves[ply] = moves
    s.choice[ply] = 1 if drop_lowest(moves) else 0
    if s.choice[ply]:
        order(s, ply, seat, moves)
        first = s.settled[s.left[ply], seat]
        s.first[ply] = first if s.misere and first >= 0 and moves & bit(first) else NONE


@njit
def _leads(s: Any, seat: Any) -> Any:
    if seat != ANY_PAYER:
        return distinct(s.hand[seat], s.alive)
    if s.misere:
        return free_leads(s)
    moves = EMPTY
    for payer in range(1, s.n):
        moves = moves | distinct(s.hand[payer], s.hand[0])
    return moves


@njit
def _follows(s: Any, ply: Any, seat: Any) -> Any:
    """R4.2; at an easier level, a payer with as many discards to name as cards to follow with may be void.

    In a Misere he need not be, if he can follow with a losing card: he may name the others at any time.
    """
    if s.misere and s.level[ply] == FREE:
        return free_follows(s, ply, seat)
    hand, best, level = s.hand[seat], s.best[ply], s.level[ply]
    following = hand & s.led[ply]
    ranks = s.alive | bit(best)
    if seat == 0 and s.misere:
        return worth_throwing(distinct(following if following else hand, ranks), best, s.trump)
    if seat == 0 or level == EXACT:
        return distinct(following if following else hand, ranks)
    if level == FREE:
        ranks = s.hand[0] | (bit(best) if s.winner[ply] == 0 else EMPTY)
    moves = distinct(following, ranks)
    if s.misere and not s.trump and following & under(best):
        return moves
    if count(following) <= s.pending[seat]:
        moves = moves | bit(PASS)
        if not s.led[ply] & s.trump:
            moves = moves | (distinct(hand & s.trump, ranks) & beating(best, s.trump))
    return moves


# ---- Easier games ------------------------------------------------------------------------------------


@njit
def _first_trial(s: Any, ply: Any) -> Any:
    """The first game to try from a frame: an easier one at the start of a trick, or its own.

    It is tried, too, after the first card, and in a Misere after a payer's choice: that drops bad leads and
    discards.
    """
    level, position = s.level[ply], s.position[ply]
    if level == FREE or s.left[ply] < 2:
        return level
    chosen = s.misere and ply > 0 and s.choice[ply - 1] and s.mover[ply - 1]
    if not (position == 0 or ply == 1 or chosen):
        return level
    if s.nodes > s.free_after and position < 2 and (s.misere or s.left[ply] >= TRIAL_LEFT):
        return FREE
    return _late(s, ply)


@njit
def _next_trial(s: Any, ply: Any) -> Any:
    return _late(s, ply) if s.trial[ply] == FREE else s.level[ply]


@njit
def _late(s: Any, ply: Any) -> Any:
    level = s.level[ply]
    return LATE if level == EXACT and s.left[ply] >= TRIAL_LEFT and s.nodes > s.late_after else level


@njit
def _relax(s: Any, ply: Any) -> Any:
    """Enter the same position as an easier game."""
    child, level = ply + 1, s.trial[ply]
    s.level[child] = level
    s.seat[child] = s.seat[ply]
    if level == FREE and s.seat[ply] and s.position[ply] == 0:
        s.seat[child] = ANY_PAYER
    s.position[child] = s.position[ply]
    s.best[child] = s.best[ply]
    s.winner[child] = s.winner[ply]
    s.led[child] = s.led[ply]
    s.need[child] = s.need[ply]
    s.left[child] = s.left[ply]
    return _enter(s, child)


# ---- Playing a card ----------------------------------------------------------------------------------


@njit
def _play(s: Any, ply: Any, card: Any) -> Any:
    """Play a card, or PASS, and enter the position below."""
    seat, position = s.seat[ply], s.position[ply]
    if seat == ANY_PAYER:
        seat = int(s.owner[card]) - 1
    best, winner, led = s.best[ply], s.winner[ply], s.led[ply]
    if position == 0:
        best, winner, led = card, seat, suit_of(card)
    elif card != PASS and bit(card) & beating(best, s.trump):
        best, winner = card, seat
    _put_down(s, ply, seat, card, led)
    child = ply + 1
    s.level[child] = s.level[ply]
    s.need[child] = s.need[ply]
    s.left[child] = s.left[ply]
    if position == s.n - 1:
        return _end_trick(s, child, winner)
    s.seat[child] = seat + 1 if seat + 1 < s.n else 0
    s.position[child] = position + 1
    s.best[child] = best
    s.winner[child] = winner
    s.led[child] = led
    return _enter(s, child)


@njit
def _put_down(s: Any, ply: Any, seat: Any, card: Any, led: Any) -> None:
    """Take a card from a hand; a payer who is void by his discards names them now."""
    hand = s.hand[seat]
    s.mover[ply] = seat
    s.played[ply] = card
    s.before[ply] = hand
    s.waiting[ply] = s.pending[seat]
    gone = EMPTY if card == PASS else bit(card)
    if seat and s.level[ply] != EXACT and not gone & led:
        named = hand & led
        gone = gone | named
        s.pending[seat] += (1 if card == PASS else 0) - count(named)
    s.hand[seat] = hand ^ gone
    s.alive = s.alive ^ gone


@njit
def _end_trick(s: Any, ply: Any, winner: Any) -> Any:
    """Count the trick in frame ``ply``; what is then certain, or enter the next trick."""
    s.left[ply] -= 1
    if s.misere:
        if winner == 0:
            return FAILS
        if s.left[ply] == 0:
            return MAKES
    else:
        if winner == 0:
            s.need[ply] -= 1
        if s.need[ply] == 0:
            return MAKES
        if s.need[ply] > s.left[ply]:
            return FAILS
    s.seat[ply] = ANY_PAYER if winner and s.level[ply] == FREE else winner
    s.position[ply] = 0
    return _enter(s, ply)
