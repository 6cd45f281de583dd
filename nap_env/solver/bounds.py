"""What is certain without a search: cheap tests at the start of a trick.

At the levels LATE and FREE of search.py a payer may hold cards that he has really discarded already; the
tests say how they allow for it.
"""

from __future__ import annotations

from typing import Any

from nap_env.engine.jit import bit, count, drop_lowest, highest, lowest, njit
from nap_env.solver.table import ANY_PAYER, FAILS, MAKES, OPEN, above, suit_cards, under


@njit
def sure_tricks(s: Any, on_lead: Any, first_lead: Any, need: Any) -> Any:
    """Tricks the declarer takes whatever the payers do; at the first lead he can only begin with a trump."""
    mine = s.hand[0]
    trumps = mine & s.trump
    theirs = s.alive & ~mine & s.trump
    sure = _unbeaten(trumps, theirs)
    if not on_lead or sure >= need:
        return sure
    top = count(trumps & above(highest(theirs))) if theirs else count(trumps)
    if first_lead and top == 0:
        return sure
    # Side winners now, trumps as they come; or the top trumps first, then side winners.
    now = sure
    later = top
    drawn = True
    for seat in range(1, s.n):
        if count(s.hand[seat] & s.trump) > top:
            drawn = False
    for suit in range(4):
        cards = suit_cards(suit)
        own = mine & cards
        if not own or cards == s.trump:
            continue
        other = s.alive & ~mine & cards
        run = count(own & above(highest(other))) if other else count(own)
        if run == 0:
            continue
        safe_now, safe_later, longest = run, run, 0
        for seat in range(1, s.n):
            length = count(s.hand[seat] & cards)
            longest = max(longest, length)
            follows = max(0, length - s.pending[seat])  # that often he cannot ruff
            ruffs = count(s.hand[seat] & s.trump)
            if ruffs:
                safe_now = min(safe_now, follows)
            if ruffs > top:
                safe_later = min(safe_later, follows)
        if drawn and run >= longest:
            safe_later = count(own)
        now += safe_now
        later += safe_later
    if drawn:
        later += count(trumps) - top
    return later if first_lead else max(now, later)


@njit
def _unbeaten(mine: Any, theirs: Any) -> Any:
    """How many of ``mine`` win if each of ``theirs`` beats one lower card at most (all of one suit)."""
    free = 0
    left = mine | theirs
    while left:
        card = bit(lowest(left))
        if card & mine:
            free += 1
        elif free:
            free -= 1
        left = left ^ card
    return free


@njit
def out_of_reach(s: Any, left: Any, first_lead: Any, need: Any) -> Any:
    """Whether the declarer cannot take so many tricks.

    A side card wins only when its suit is led. A payer who keeps his g cards above all of the declarer's in one
    suit takes g of these, whoever leads it: he never needs more of them than the declarer has cards in the
    suit, so he can always throw another. Each payer guards one suit.
    """
    trumps = s.hand[0] & s.trump
    higher = above(highest(trumps)) if trumps else s.trump
    most = count(trumps)
    if first_lead and s.alive & higher:
        most -= 1  # the trump led can be beaten
    guards = 0  # seats that guard a suit
    for suit in range(4):
        if most >= need:
            break
        own = s.hand[0] & suit_cards(suit) & ~s.trump
        if own:
            guard = _best_guard(s, above(highest(own)), guards)
            guards |= 1 << guard
            most += max(0, count(own) - count(s.hand[guard] & above(highest(own))))
    if most < need:
        return True
    for seat in range(1, s.n):
        if count(s.hand[seat] & higher) > left - need:
            return True
    return False


@njit
def _best_guard(s: Any, over: Any, guards: Any) -> Any:
    """The payer, not yet among ``guards``, with most cards of a set; 0 when none has any."""
    most, guard = 0, 0
    for seat in range(1, s.n):
        number = count(s.hand[seat] & over)
        if number > most and (guards >> seat) & 1 == 0:
            most, guard = number, seat
    return guard


@njit
def judge_tricks(s: Any, ply: Any) -> Any:
    """MAKES, FAILS or OPEN for a bid of tricks, at the start of a trick."""
    need = s.need[ply]
    if out_of_reach(s, s.left[ply], False, need):
        return FAILS
    if sure_tricks(s, s.seat[ply] == 0, False, need) >= need:
        return MAKES
    return OPEN


@njit
def judge_misere(s: Any, ply: Any) -> Any:
    """MAKES, FAILS or OPEN for a Misere when a payer leads; without trumps the last trick is always judged."""
    mine = s.hand[0]
    leader = s.alive & ~mine if s.seat[ply] == ANY_PAYER else s.hand[s.seat[ply]]
    safe = True
    for suit in range(4):
        cards = suit_cards(suit)
        own = mine & cards
        if not own:
            continue
        if leader & under(lowest(own)) and _all_duck(s, cards, under(lowest(own))):
            return FAILS
        if safe and (cards == s.trump or not _safe(own, s.alive & ~mine & cards)):
            safe = False
    return MAKES if safe or (s.left[ply] == 1 and not s.trump) else OPEN


@njit
def _all_duck(s: Any, cards: Any, low: Any) -> Any:
    """Whether every payer can stay under the declarer's lowest card of the suit led, or need not follow."""
    for seat in range(1, s.n):
        held = s.hand[seat] & cards
        if held & low:
            continue
        if count(held) > s.pending[seat]:
            return False
        if s.trump and cards != s.trump and not s.hand[seat] & ~s.trump & ~cards:
            return False  # he may have to ruff
    return True


@njit
def _safe(own: Any, theirs: Any) -> Any:
    """Whether the declarer can always duck in a suit: his i-th lowest card is under the payers' i-th lowest.

    Each trick in the suit takes at least the card led from them, and he plays his highest card under it.
    """
    while own and theirs:
        if lowest(own) > lowest(theirs):
            return False
        own = drop_lowest(own)
        theirs = drop_lowest(theirs)
    return True
