"""Which card to try first: classes of moves, tried one after the other, before the rest.

The order changes how long a search takes and never what it finds.
"""

from __future__ import annotations

from typing import Any

from nap_env.engine.jit import bit, highest, lowest, njit
from nap_env.solver.table import CLASSES, EMPTY, NONE, above, beating, suit_cards, under

REST = 1 << CLASSES


@njit
def order(s: Any, ply: Any, seat: Any, moves: Any) -> None:
    """Lay out the classes of ``moves`` of a seat (of any payer: ANY_PAYER) at this frame."""
    for k in range(CLASSES):
        s.prefer[ply, k] = EMPTY
    if s.misere:
        if s.position[ply] == 0:
            _lead_misere(s, ply, seat, moves)
        elif seat == 0:
            _duck(s, ply, moves)
        else:
            _stay_low(s, ply, seat, moves)
    elif s.position[ply] == 0:
        _lead_tricks(s, ply, seat, moves)
    else:
        _follow_tricks(s, ply, seat, moves)


@njit
def next_card(s: Any, ply: Any) -> Any:
    """Take the next card to be tried out of the frame's moves."""
    if not s.choice[ply]:
        card = lowest(s.moves[ply])
        s.moves[ply] = EMPTY
        return card
    card = s.first[ply]
    if card != NONE:
        s.first[ply] = NONE
        _strike(s, ply, card)
        return card
    cards, top = s.moves[ply], s.from_top[ply] & REST
    for k in range(CLASSES):
        if s.prefer[ply, k]:
            cards, top = s.prefer[ply, k], s.from_top[ply] & (1 << k)
            break
    card = highest(cards) if top else lowest(cards)
    _strike(s, ply, card)
    return card


@njit
def _strike(s: Any, ply: Any, card: Any) -> None:
    """A card is not to be tried again."""
    s.moves[ply] = s.moves[ply] & ~bit(card)
    for k in range(CLASSES):
        s.prefer[ply, k] = s.prefer[ply, k] & ~bit(card)


@njit
def _lead_tricks(s: Any, ply: Any, seat: Any, moves: Any) -> None:
    """The declarer: his top cards, then low ones. A payer: what the declarer must follow and cannot beat."""
    s.from_top[ply] = 1
    mine = s.hand[0]
    first = EMPTY
    for suit in range(4):
        cards = suit_cards(suit)
        if seat == 0:
            theirs = s.alive & ~mine & cards
            first = first | (moves & (above(highest(theirs)) if theirs else cards))
        elif mine & cards:
            first = first | (moves & above(highest(mine & cards)))
    s.prefer[ply, 0] = first


@njit
def _follow_tricks(s: Any, ply: Any, seat: Any, moves: Any) -> None:
    """Take the trick from the other side, cheaply; else throw low what guards nothing, trumps last."""
    s.from_top[ply] = 0
    first, useless, low = EMPTY, EMPTY, EMPTY
    if seat == 0 or s.winner[ply] == 0:
        first = moves & beating(s.best[ply], s.trump)
    s.prefer[ply, 0] = first
    if moves & s.led[ply]:
        return
    side = moves & ~first & ~s.trump
    for suit in range(4 if seat else 0):
        own = s.hand[0] & suit_cards(suit)
        if own:
            low = low | (side & under(lowest(own)))
        else:
            useless = useless | (side & suit_cards(suit))
    if useless:
        s.prefer[ply, 1] = useless
        s.prefer[ply, 2] = side & ~useless
        if low:
            s.prefer[ply, 2] = low
    else:
        s.prefer[ply, 1] = low
        s.prefer[ply, 2] = side & ~low


@njit
def _lead_misere(s: Any, ply: Any, seat: Any, moves: Any) -> None:
    """A payer: suits that the declarer holds, low cards first."""
    s.from_top[ply] = 0
    for suit in range(4 if seat else 0):
        own = s.hand[0] & suit_cards(suit)
        if own:
            s.prefer[ply, 0] = s.prefer[ply, 0] | (moves & under(highest(own)))
            s.prefer[ply, 1] = s.prefer[ply, 1] | (moves & above(highest(own)))


@njit
def _duck(s: Any, ply: Any, moves: Any) -> None:
    """The declarer of a Misere: his highest card under the best; void, the top of a suit that can be caught."""
    s.from_top[ply] = 1
    if moves & s.led[ply]:
        s.prefer[ply, 0] = moves & under(s.best[ply])
        return
    s.from_top[ply] = 1 | REST
    for suit in range(4):
        own = moves & suit_cards(suit)
        theirs = s.alive & ~s.hand[0] & suit_cards(suit)
        if own and theirs and highest(own) > lowest(theirs):
            s.prefer[ply, 0] = s.prefer[ply, 0] | bit(highest(own))


@njit
def _stay_low(s: Any, ply: Any, seat: Any, moves: Any) -> None:
    """A payer against Misere: as high as leaves the trick to the declarer; void, the cards that save him."""
    s.from_top[ply] = (REST << 1) - 1
    mine = s.hand[0]
    if moves & s.led[ply]:
        own = mine & s.led[ply]
        if seat > s.position[ply]:  # the declarer has still to play
            if own and s.best[ply] < lowest(own):
                s.prefer[ply, 0] = moves & under(lowest(own))
        elif s.winner[ply] == 0:
            s.prefer[ply, 0] = moves & under(s.best[ply])
        return
    for suit in range(4):
        own = mine & suit_cards(suit)
        held = s.hand[seat] & suit_cards(suit)
        if own and held:
            k = 1 if held & under(lowest(own)) else 0
            s.prefer[ply, k] = s.prefer[ply, k] | (moves & above(lowest(own)))
