"""Cards that need not be tried in a Misere, because another of the same seat does as well: dominance.

The declarer of a Misere that is made wins no trick, so a lower card in place of a higher one of its suit never
harms him: it loses every trick that the other lost, to the same card. So of his cards of a suit that lose the
trick he need only throw the highest.

At level FREE of search.py, where it does not matter which payer wins, a lower card never harms a payer either:

- Once the declarer has played to a trick, each payer throws his highest card, unless all who are still to play
  can stay under the declarer's: then the Misere has failed.
- So the declarer throws the highest card that somebody behind him must beat, or one under the best.
- Before him a payer plays his highest card among those that let the declarer throw no more than he may already,
  or lets him throw more.
- The later in the round the leader of a suit sits, the fewer payers play before the declarer, and the more they
  know: the last of those who hold it leads, or one before him if he himself would rather not follow.

All this at no trumps, except for the declarer's losing cards.
"""

from __future__ import annotations

from typing import Any

from nap_env.engine.jit import bit, count, drop_lowest, highest, lowest, njit
from nap_env.solver.table import EMPTY, PASS, above, beating, distinct, suit_cards, under


@njit
def worth_throwing(moves: Any, best: Any, trump: Any) -> Any:
    """The declarer's cards without those that lose the trick and are not the highest such of their suit."""
    losing = moves & ~beating(best, trump)
    moves = moves & ~losing
    for suit in range(4):
        cards = losing & suit_cards(suit)
        if cards:
            moves = moves | bit(highest(cards))
    return moves


@njit
def caught(s: Any, card: Any, led: Any, first: Any, end: Any) -> Any:
    """Whether payers first..end-1, all still to play, can stay under the declarer's card, which is winning."""
    for payer in range(first, end):
        held = s.hand[payer] & led
        if not held & under(card) and count(held) > s.pending[payer]:
            return False
    return True


@njit
def free_leads(s: Any) -> Any:
    """The cards of any payer that are worth leading at level FREE."""
    mine = s.hand[0]
    moves = EMPTY
    for suit in range(4):
        cards = suit_cards(suit)
        for back in range(1, s.n):
            payer = s.n - back
            held = s.hand[payer] & cards
            if held and not mine & cards:
                moves = moves | bit(highest(held))  # whoever leads, the declarer discards
                break
            moves = moves | distinct(held, mine)
            if count(held) > s.pending[payer]:
                break
    return moves


@njit
def free_follows(s: Any, ply: Any, seat: Any) -> Any:
    """The cards of a seat that are worth playing to a trick at level FREE; PASS: a discard named later."""
    best, led = s.best[ply], s.led[ply]
    following = s.hand[seat] & led
    if seat == 0:
        if following:
            return bit(_highest_safe(s, following, best, led, s.n - s.position[ply]))
        return worth_throwing(distinct(s.hand[0], s.alive), best, s.trump)
    if not following:
        return bit(PASS)
    own = s.hand[0] & led
    if seat <= s.position[ply]:  # the declarer has played
        low = following & under(best)
        if s.winner[ply] == 0 and caught(s, best, led, seat, seat - s.position[ply] + s.n):
            return bit(highest(low)) if low else bit(PASS)
        return bit(highest(following))
    if not own:
        return bit(highest(following))
    over = own & above(best)
    cap = under(lowest(over)) if over else led  # a card up to here lets the declarer throw no more
    inside = following & cap
    more = distinct(following, own) & ~cap
    if inside:
        return more | bit(highest(inside))
    if count(following) > s.pending[seat]:
        return more
    return more | bit(PASS) if count(following) > 1 else bit(PASS)


@njit
def _highest_safe(s: Any, following: Any, best: Any, led: Any, leader: Any) -> Any:
    """The declarer's highest card of the suit led that a payer behind him must beat, or that is under the best."""
    low = following & under(best)
    card = highest(low) if low else lowest(following)
    left = following & ~low
    while left and not caught(s, lowest(left), led, 1, leader):
        card = lowest(left)
        left = drop_lowest(left)
    return card
