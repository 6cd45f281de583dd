"""Questions about a deal or a position, answered by `search`, alone and row by row.

A table of the play is a `records.GAME` record; hands are 64-bit sets with thirteen bits a suit. A bid of tricks
has ``need`` > 0, a Misere ``need`` 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nap_env.engine.jit import bit, count, drop_lowest, highest, lowest, njit
from nap_env.solver.bounds import out_of_reach, sure_tricks
from nap_env.solver.search import search
from nap_env.solver.table import (
    EMPTY,
    EXACT,
    FEW_SLOTS,
    MAKES,
    NONE,
    OPEN,
    distinct,
    spread,
    squeeze,
    suit_cards,
    suit_of,
    under,
)

NEVER = 1 << 62
FIRST_LIMIT = 4096  # nodes for each lead before all are tried with more
_MISERE, _WELLINGTON = 54, 57

# ---- The position and the question ---------------------------------------------------------------------


@njit
def _clear(s: Any, n: Any) -> None:
    """An empty table of n seats."""
    s.n = n
    s.alive = EMPTY
    for seat in range(n):
        s.hand[seat] = EMPTY
        s.pending[seat] = 0


@njit
def _place(s: Any, seat: Any, hand: Any) -> None:
    """Give a seat, counted from the declarer, its cards."""
    cards = spread(hand)
    s.hand[seat] = cards
    s.alive = s.alive | cards
    while cards:
        s.owner[lowest(cards)] = 1 + seat
        cards = drop_lowest(cards)


@njit
def _deal(s: Any, hands: Any, declarer: Any) -> None:
    n = hands.shape[0]
    _clear(s, n)
    for seat in range(n):
        _place(s, seat, hands[(declarer + seat) % n])


@njit
def _pose(s: Any, need: Any, trumps: Any) -> None:
    """Begin a question: after how many nodes easier games are tried (found by trying; no result depends on it).

    FREE is not for a Misere with trumps: misere.py.
    """
    n = s.n
    s.misere = need == 0
    s.nodes = 0
    s.settled[:, :] = NONE
    s.mask = FEW_SLOTS
    s.free_after = s.late_after = NEVER
    if need == 0:
        s.late_after = 50
        s.free_after = NEVER if trumps else 20_000
    elif n > 3:
        s.free_after = 50 if n < 6 else -1
        s.late_after = 500
    if s.eager:
        s.late_after = -1
        s.free_after = NEVER if trumps and need == 0 else -1


@njit
def _value(s: Any, card: Any, need: Any, left: Any, limit: Any) -> Any:
    """MAKES, FAILS or, after ``limit`` nodes, OPEN when the seat of frame 0 plays this card."""
    s.stop = s.nodes + limit
    s.level[0] = EXACT
    s.trial[0] = EXACT
    s.slot[0] = -1
    s.need[0] = need
    s.left[0] = left
    s.moves[0] = bit(card)
    s.choice[0] = 0
    return search(s)


# ---- The first lead ------------------------------------------------------------------------------------


@njit
def made_leads(s: Any, leads: Any, trumps: Any, need: Any, every: Any) -> Any:
    """The first cards, one of each group of equal ones, with which the bid is made; unless ``every``, one of them.

    Each lead is searched a little, then each that is still open more: a deal is seldom hard with every lead.
    """
    left = count(s.hand[0])
    first = s.generation + np.uint64(1)
    s.generation = first + np.uint64(3)
    s.seat[0] = 0
    s.position[0] = 0
    made = EMPTY
    unsure = distinct(s.hand[0], s.alive) & leads
    limit = FIRST_LIMIT
    while unsure:
        todo = unsure
        while todo:
            suit = _longest_suit(s.hand[0], todo)
            cards = todo & suit_cards(suit) if trumps else todo
            todo = todo & ~cards
            s.trump = suit_cards(suit) if trumps else EMPTY
            if need and limit == FIRST_LIMIT:
                if out_of_reach(s, left, True, need):
                    unsure = unsure & ~cards
                    continue
                whole = cards == distinct(s.hand[0], s.alive) & suit_cards(suit)
                if whole and not every and sure_tricks(s, True, True, need) >= need:
                    return cards
            generation = first + np.uint64(suit if trumps else 0)
            while cards:
                card = highest(cards) if need else lowest(cards)
                cards = cards & ~bit(card)
                s.generation, last = generation, s.generation
                value = _value(s, card, need, left, limit)
                s.generation = last
                if value != OPEN:
                    unsure = unsure & ~bit(card)
                if value == MAKES:
                    made = made | bit(card)
                    if not every:
                        return made
        limit *= 8
    return made


@njit
def _longest_suit(hand: Any, leads: Any) -> Any:
    """The suit of a possible lead in which most cards are held, the one with the higher top card of two such."""
    most, longest = -1, 0
    for suit in range(4):
        held = hand & suit_cards(suit)
        if leads & held:
            worth = 16 * count(held) + (highest(held) & 15)
            if worth > most:
                most, longest = worth, suit
    return longest


@njit
def _lowest_of_each_suit(hand: Any) -> Any:
    cards = EMPTY
    for suit in range(4):
        held = hand & suit_cards(suit)
        if held:
            cards = cards | bit(lowest(held))
    return cards


@njit
def _same_as(groups: Any, cards: Any, ranks: Any) -> Any:
    """Those of ``cards`` whose group's lowest card is in ``groups``."""
    same = EMPTY
    names = distinct(cards, ranks)
    while cards:
        card = bit(lowest(cards))
        name = highest(names & (card | under(lowest(cards))))
        if bit(name) & groups:
            same = same | card
        cards = cards ^ card
    return same


@njit
def _lead_set(s: Any, trumps: Any, need: Any, lowest_lead: Any, every: Any) -> Any:
    """`made_leads` with all equal cards, thirteen bits a suit; R4.5: only the lowest of a suit when so asked."""
    hand = s.hand[0]
    leads = _lowest_of_each_suit(hand) if lowest_lead else hand
    _pose(s, need, trumps)
    made = made_leads(s, leads, trumps, need, every)
    return squeeze(_same_as(made, hand, s.alive) & leads)


@njit
def lead_rows(
    states: Any,
    hands: Any,
    declarers: Any,
    needs: Any,
    lowest_leads: Any,
    misere_trump: Any,
    every: Any,
    start: Any,
    stop: Any,
    out: Any,
    nodes: Any,
) -> None:
    """Rows start..stop-1 of hands [B, n]: the leads that make the bid, uint64 [B]; nodes searched [B]."""
    s = states[0]
    for row in range(start, stop):
        need = needs[row]
        _deal(s, hands[row], declarers[row])
        out[row] = _lead_set(s, need > 0 or misere_trump, need, lowest_leads[row], every)
        nodes[row] = s.nodes


@njit
def trick_rows(states: Any, hands: Any, declarers: Any, start: Any, stop: Any, out: Any) -> None:
    """Rows start..stop-1 of hands [B, n]: the most tricks the declarer can take when his first lead is trumps."""
    s = states[0]
    for row in range(start, stop):
        _deal(s, hands[row], declarers[row])
        tricks = 0
        while tricks < count(s.hand[0]):
            _pose(s, tricks + 1, True)
            if not made_leads(s, s.hand[0], True, tricks + 1, False):
                break
            tricks += 1
        out[row] = tricks


# ---- The middle of the play ------------------------------------------------------------------------------


@njit
def play_rows(states: Any, games: Any, table: Any, rules: Any, hands: Any, start: Any, stop: Any, out: Any) -> None:
    """Rows start..stop-1 of hands [B, 7], each a world in which a table's play may stand.

    Out: the legal cards of the seat to act with which the bid is then made, uint64 [B].
    """
    s, g, r = states[0], games[table], rules[0]
    for row in range(start, stop):
        out[row] = made_cards(s, g, r, hands[row])


@njit
def world_rows(states: Any, games: Any, rules: Any, worlds: Any, counts: Any, start: Any, stop: Any, out: Any) -> None:
    """Rows start..stop-1 of games [B]: `play_rows` for ``counts[row]`` of ``worlds`` [B, W, 7]; uint64 [B, W].

    A world that is the one before it again is not solved again.
    """
    s, r = states[0], rules[0]
    for row in range(start, stop):
        for world in range(counts[row]):
            again = world > 0
            for seat in range(7):
                again = again and worlds[row, world, seat] == worlds[row, world - 1, seat]
            out[row, world] = out[row, world - 1] if again else made_cards(s, games[row], r, worlds[row, world])


@njit
def made_cards(s: Any, g: Any, r: Any, hands: Any) -> Any:
    """The legal cards of the seat to act with which the bid is made, if the seats hold ``hands`` [7]."""
    misere = int(g.contract) == _MISERE
    won = int(g.won[g.declarer])
    need = 0 if misere else int(r.target[int(g.contract) - 53]) - won
    left = int(r.hand_size) - int(g.trick)
    acting = _stand(s, g, hands)
    cards = s.hand[acting]
    if s.position[0] == 0 and int(g.trick) == 0:
        lowest_lead = r.lowest_lead and int(g.contract) == _WELLINGTON
        return _lead_set(s, not misere or r.misere_trump, need, lowest_lead, True)
    following = cards & s.led[0] if s.position[0] else cards
    legal = following if following else cards
    made = EMPTY
    if not misere and need <= 0:
        made = legal
    elif need <= left and not (misere and won):
        made = _legal_made(s, legal, need, left)
    if r.penalised and acting:
        made = made | (cards & ~legal)  # R6.3: a payer's revoke makes the bid
    return squeeze(made)


@njit
def _legal_made(s: Any, legal: Any, need: Any, left: Any) -> Any:
    """Those of the legal cards of the seat to act with which the bid is made."""
    ranks = s.alive | (bit(s.best[0]) if s.position[0] else EMPTY)
    _pose(s, need, s.trump != EMPTY)
    s.generation = s.generation + np.uint64(1)
    todo = distinct(legal, ranks)
    made = EMPTY
    while todo:
        card = lowest(todo)
        todo = todo ^ bit(card)
        if _value(s, card, need, left, NEVER) == MAKES:
            made = made | bit(card)
    return _same_as(made, legal, ranks)


@njit
def _stand(s: Any, g: Any, hands: Any) -> Any:
    """Set up frame 0 as a table stands, with these hands; the seat to act, counted from the declarer."""
    trick = int(g.trick)
    leader = int(g.leaders[trick])
    _clear(s, count(np.uint64(g.dealt)))
    seat = int(g.declarer)
    position = 0
    acting = 0
    for place in range(s.n):
        _place(s, place, hands[seat])
        if int(g.played[trick, seat]) >= 0:
            position += 1
        if seat == int(g.seat):
            acting = place
        if seat == int(g.best):
            s.winner[0] = place
        seat = _next_dealt(g, seat)
    s.trump = suit_cards(int(g.trump)) if int(g.trump) >= 0 else EMPTY
    s.seat[0] = acting
    s.position[0] = position
    if position:
        s.best[0] = _wide(g.played[trick, g.best])
        s.led[0] = suit_of(_wide(g.played[trick, leader]))
    return acting


@njit
def _wide(card: Any) -> Any:
    """A card number 0..51 as 16 x suit + rank."""
    return int(card) // 13 * 16 + int(card) % 13


@njit
def _next_dealt(g: Any, seat: Any) -> Any:
    seat = (seat + 1) % 7
    while not (int(g.dealt) >> seat) & 1:
        seat = (seat + 1) % 7
    return seat
