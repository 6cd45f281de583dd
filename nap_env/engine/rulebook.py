"""THE rules of Nap, compiled: deal, legal, apply, settle, in the order of play.

One record (`GAME`) is one match at one table, changed in place; one record (`RULES`) is a variant.
A kernel takes ``g`` (the game) and ``r`` (the rules) and never raises: callers hand it legal input.
The word ``seats`` means a bit mask of seats, ``mask`` a 64-bit set of cards or actions. Clauses are
those of RULES.md. Small integers are read with ``int()`` so that compiled and uncompiled arithmetic
agree. What a seat sees of it is written by `views`; the ways in from Python are in `loops`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nap_env.engine.chance import below, draw, mix, shuffle
from nap_env.engine.jit import bit, count, drop_lowest, lowest, njit, nth, times
from nap_env.engine.records import (
    AUCTION,
    BUY,
    DEAL,
    DISCARD,
    ECARTE,
    GARNET,
    MAX_SEATS,
    NONE,
    OVER,
    PLAY,
    SWAP,
)

# Actions (RULES R14).
_PASS, _THREE, _MISERE, _NAP, _WELLINGTON, _BLUCHER = 52, 53, 54, 56, 57, 58
_GARNET, _PEEP, _BUY = 61, 62, 63
_CLUBS = np.uint64(0x1FFF)
_EMPTY = np.uint64(0)

# ---------------------------------------------------------------------------------------------------
# Seats and suits
# ---------------------------------------------------------------------------------------------------


@njit
def next_seat(seats: Any, seat: Any) -> Any:
    """The next seat clockwise after ``seat`` among ``seats`` (not empty)."""
    seats = int(seats)
    later = seats >> (int(seat) + 1) << (int(seat) + 1)
    return lowest(np.uint64(later if later else seats))


@njit
def suit_mask(suit: Any) -> Any:
    """All thirteen cards of a suit."""
    return _CLUBS << np.uint64(13 * int(suit))


@njit
def random_action(g: Any) -> Any:
    """A uniformly random legal action, a function of the game's stream and turn: it disturbs no deal."""
    moment = (g.draws << np.uint64(20)) ^ np.uint64(g.turn + 1)
    word = mix(~g.key ^ times(moment, np.uint64(0xD1342543DE82EF95)))
    return nth(g.legal, below(word, count(g.legal)))


# ---------------------------------------------------------------------------------------------------
# The match begins, cards are dealt (R1, R2)
# ---------------------------------------------------------------------------------------------------


@njit
def start_match(g: Any, r: Any, dealer: Any, num_hands: Any, starting_chips: Any, rebuys: Any, tie_break: Any) -> None:
    """A new match at this table; ``dealer`` NONE draws him (R1.2). The phase is then DEAL."""
    n = int(r.num_players)
    g.num_hands = num_hands
    g.starting_chips = starting_chips
    g.max_rebuys = rebuys
    g.matches += 1
    g.tie_break = tie_break
    g.pool = 0
    g.hands = 0
    g.turn = 0
    g.alive = (1 << n) - 1
    g.tied = 0
    g.extra = 0
    g.winners = 0
    g.hand_winners = 0
    for seat in range(MAX_SEATS):
        playing = seat < n
        g.net[seat] = 0
        g.chips[seat] = starting_chips if playing and starting_chips > 0 else 0
        g.rewards[seat] = 0
        g.rebuys[seat] = rebuys if playing else 0
    g.dealer = draw_dealer(g, r) if dealer < 0 else dealer
    g.phase = DEAL
    g.legal = _EMPTY


@njit
def restart(g: Any, r: Any) -> None:
    """Another match on the same terms, its dealer drawn (R1.2)."""
    start_match(g, r, NONE, g.num_hands, g.starting_chips, g.max_rebuys, g.tie_break)


@njit
def draw_dealer(g: Any, r: Any) -> Any:
    """R1.2: the lowest card deals, ace low; those tied draw again from a fresh pack."""
    n = int(r.num_players)
    ranks = int(r.ranks)
    size = count(r.pack)
    drawing = (1 << n) - 1
    if ranks == 1:
        return below(draw(g), n)  # a pack of aces (R15.1) ties them for ever
    while drawing & (drawing - 1):
        gone = _EMPTY
        lowest_rank = 99
        still = 0
        for seat in range(n):
            if not (drawing >> seat) & 1:
                continue
            place = below(draw(g), size)
            while (gone >> np.uint64(place)) & np.uint64(1):
                place = below(draw(g), size)
            gone = gone | bit(place)
            rank = place % ranks + 1
            if rank == ranks:
                rank = 0  # the ace counts below the lowest
            if rank < lowest_rank:
                lowest_rank = rank
                still = 0
            if rank == lowest_rank:
                still |= 1 << seat
        drawing = still
    return lowest(np.uint64(drawing))


@njit
def deal(g: Any, r: Any) -> None:
    """Shuffle, cut and deal the next hand of the match."""
    shuffle(g, r, g.deck)
    _lay_out(g, r)


@njit
def deal_from(g: Any, r: Any, deck: Any) -> None:
    """Deal the next hand from a given pack, top card first (R1.4: the caller has checked it)."""
    for place in range(count(r.pack)):
        g.deck[place] = deck[place]
    _lay_out(g, r)


@njit
def deal_next(g: Any, r: Any, decks: Any) -> None:
    """Deal the next hand: the first match's i-th from ``decks[i]`` [K, pack], the rest by chance."""
    if g.matches == 1 and int(g.hands) < decks.shape[0]:
        deal_from(g, r, decks[g.hands])
    else:
        deal(g, r)


@njit
def deal_hands(g: Any, r: Any, hands: Any) -> None:
    """Deal the next hand with some seats' cards given (masks uint64 [7]; 0: deal at random)."""
    given = _EMPTY
    for seat in range(r.num_players):
        given = given | hands[seat]
    seat_at = np.full(52, NONE, np.int8)
    _take_part(g, r)
    _deal_order(g, r, seat_at)
    size = shuffle(g, r, g.deck)
    rest = np.empty(52, np.int8)
    num_rest = 0
    for place in range(size):
        if not given & bit(g.deck[place]):
            rest[num_rest] = g.deck[place]
            num_rest += 1
    left = hands.copy()
    used = 0
    for place in range(size):
        seat = int(seat_at[place])
        if seat >= 0 and left[seat]:
            g.deck[place] = lowest(left[seat])
            left[seat] = drop_lowest(left[seat])
        else:
            g.deck[place] = rest[used]
            used += 1
    _lay_out(g, r)


@njit
def _take_part(g: Any, r: Any) -> None:
    """Who takes part in the hand, and who is dealt cards (R1.8, R2.5)."""
    g.in_hand = g.tied if g.extra else g.alive
    g.dealt = g.in_hand
    if r.sits_out and count(np.uint64(g.in_hand)) >= 4:
        g.dealt = int(g.in_hand) & ~(1 << int(g.dealer))


@njit
def _deal_order(g: Any, r: Any, seat_at: Any) -> Any:
    """R2.3: the seat that gets each card of the pack, top first; returns how many are dealt."""
    hand_size = int(r.hand_size)
    dealt = int(g.dealt)
    first = next_seat(dealt, g.dealer)
    place = 0
    given = 0
    while given < hand_size:
        packet = hand_size if hand_size < 5 else (3 if given == 0 else 2)
        seat = first
        while True:
            for _ in range(packet):
                seat_at[place] = seat
                place += 1
            seat = next_seat(dealt, seat)
            if seat == first:
                break
        given += packet
    return place


@njit
def _lay_out(g: Any, r: Any) -> None:
    """Give out ``g.deck``: hands, peep card, spare hand (R2.3, R2.4); the rest is the stub."""
    _take_part(g, r)
    g.hand[:] = _EMPTY
    g.discards[:] = _EMPTY
    g.bids[:] = NONE
    g.calls = _EMPTY
    g.bought[:] = 0
    g.won[:] = 0
    g.leaders[:] = NONE
    g.led = _EMPTY
    g.played[:, :] = NONE
    place = _deal_order(g, r, g.gone)  # where nothing is noted yet: memory of its own would take longer
    for dealt in range(place):
        g.hand[g.gone[dealt]] |= bit(g.deck[dealt])
    g.gone[:] = 0
    g.peep_card = NONE
    if r.peep:
        g.peep_card = g.deck[place]
        place += 1
    g.spare = _EMPTY
    if r.sir_garnet:
        for _ in range(5):
            g.spare = g.spare | bit(g.deck[place])
            place += 1
    g.stub = place
    g.peeped = 0
    g.swapped = 0
    g.spare_taker = NONE
    g.contract = NONE
    g.declarer = NONE
    g.trump = NONE
    g.trick = 0
    g.laid = 0
    g.best = NONE
    g.revoker = NONE
    g.seat = next_seat(g.dealt, g.dealer)
    g.phase = BUY if r.purchase else (ECARTE if r.ecarte else AUCTION)
    g.legal = legal(g, r)


# ---------------------------------------------------------------------------------------------------
# What is legal, and what an action does: the two switches on the phase
# ---------------------------------------------------------------------------------------------------


@njit
def legal(g: Any, r: Any) -> Any:
    """The set of actions that the seat to act may take; empty in DEAL and OVER."""
    phase = int(g.phase)
    if phase == PLAY:
        return _legal_play(g, r)
    if phase == AUCTION:
        return _legal_auction(g, r)
    if phase == BUY:
        return _legal_buy(g)
    if phase == ECARTE:
        return _legal_ecarte(g, r)
    if phase in (DISCARD, GARNET):
        return g.hand[g.seat]
    if phase == SWAP:
        return g.hand[g.seat] | bit(_PASS)
    return _EMPTY


@njit
def apply(g: Any, r: Any, action: Any) -> None:
    """One legal action of the seat to act. Rewards, seat, phase and legal actions are then up to date."""
    g.rewards[:] = 0
    g.turn += 1
    phase = int(g.phase)
    if phase == PLAY:
        _apply_play(g, r, action)
    elif phase == AUCTION:
        _apply_auction(g, r, action)
    elif phase == BUY:
        _apply_buy(g, r, action)
    elif phase == DISCARD:
        _apply_discard(g, r, action)
    elif phase == ECARTE:
        _apply_ecarte(g, r, action)
    elif phase == GARNET:
        _apply_garnet(g, r, action)
    elif phase == SWAP:
        _apply_swap(g, r, action)
    g.legal = legal(g, r)


@njit
def _discard(g: Any, card: Any) -> None:
    """R7.3: a card goes face down out of the game."""
    seat = int(g.seat)
    g.hand[seat] = g.hand[seat] ^ bit(card)
    g.discards[seat] = g.discards[seat] | bit(card)


@njit
def _can_pay(g: Any, stakes: Any) -> Any:
    """R1.6: purchases and peeps need the chips in hand."""
    return g.starting_chips < 0 or g.chips[g.seat] >= stakes


@njit
def _into_pool(g: Any, seat: Any, stakes: Any) -> None:
    _gain(g, seat, -stakes)
    g.pool += stakes


@njit
def _gain(g: Any, seat: Any, stakes: Any) -> None:
    g.net[seat] += stakes
    g.rewards[seat] += stakes
    if g.starting_chips >= 0:
        g.chips[seat] += stakes


# ---- Buying cards before the auction (R7) ---------------------------------------------------------


@njit
def _legal_buy(g: Any) -> Any:
    if _can_pay(g, 1):
        return bit(_PASS) | bit(_BUY)
    return bit(_PASS)


@njit
def _apply_buy(g: Any, r: Any, action: Any) -> None:
    if action == _BUY:
        _into_pool(g, g.seat, 1)
        g.phase = DISCARD
    else:
        _next_buyer(g, r, BUY)


@njit
def _apply_discard(g: Any, r: Any, card: Any) -> None:
    _discard(g, card)
    if count(g.discards[g.seat]) == r.purchase_count:
        _take_from_stub(g, r.purchase_count)
        _next_buyer(g, r, BUY)


@njit
def _legal_ecarte(g: Any, r: Any) -> Any:
    discards = count(g.discards[g.seat])
    if discards < r.hand_size and _can_pay(g, discards + 1):
        return g.hand[g.seat] | bit(_PASS)
    return bit(_PASS)


@njit
def _apply_ecarte(g: Any, r: Any, action: Any) -> None:
    if action != _PASS:
        _discard(g, action)
    discards = count(g.discards[g.seat])
    if action == _PASS or discards == r.hand_size:
        _into_pool(g, g.seat, discards)
        _take_from_stub(g, discards)
        _next_buyer(g, r, ECARTE)


@njit
def _take_from_stub(g: Any, number: Any) -> None:
    seat = int(g.seat)
    for _ in range(number):
        g.hand[seat] = g.hand[seat] | bit(g.deck[g.stub])
        g.stub += 1
    g.bought[seat] = number


@njit
def _next_buyer(g: Any, r: Any, phase: Any) -> None:
    first = next_seat(g.dealt, g.dealer)
    g.seat = next_seat(g.dealt, g.seat)
    g.phase = AUCTION if int(g.seat) == first else phase


# ---- The auction (R3), the peep (R8.1) and the spare hand (R9) ------------------------------------


@njit
def _legal_auction(g: Any, r: Any) -> Any:
    contract = int(g.contract)
    bids = r.over[contract - _THREE if contract >= 0 else 8]
    mask = bids | bit(_PASS)
    if r.peep and not (int(g.peeped) >> int(g.seat)) & 1 and _can_pay(g, 1):
        mask = mask | bit(_PEEP)
    if g.spare and bids & bit(_NAP):
        mask = mask | bit(_GARNET)
    return mask


@njit
def _apply_auction(g: Any, r: Any, action: Any) -> None:
    seat = int(g.seat)
    if action == _PEEP:
        _into_pool(g, seat, 1)
        g.peeped = int(g.peeped) | (1 << seat)
    elif action == _PASS:
        _call(g, r, _PASS)
        _next_bidder(g, r)
    elif action == _GARNET:
        _bid(g, r, _NAP)
        g.spare_taker = seat
        g.hand[seat] = g.hand[seat] | g.spare
        g.spare = _EMPTY
        g.phase = GARNET
    else:
        _bid(g, r, action)
        _next_bidder(g, r)


@njit
def _call(g: Any, r: Any, action: Any) -> None:
    """Note the call of the seat to act."""
    g.bids[g.seat] = action
    g.calls = g.calls | bit(int(g.seat) * (int(r.num_bids) + 1) + int(r.call[action]))


@njit
def _bid(g: Any, r: Any, action: Any) -> None:
    _call(g, r, action)
    g.contract = action
    g.declarer = g.seat


@njit
def _apply_garnet(g: Any, r: Any, card: Any) -> None:
    _discard(g, card)
    if count(g.hand[g.seat]) == r.hand_size:
        g.phase = AUCTION
        _next_bidder(g, r)


@njit
def _next_bidder(g: Any, r: Any) -> None:
    """R3.1: each seat once; then the declarer leads, or, if all passed, the hand is over (R3.4)."""
    g.seat = next_seat(g.dealt, g.seat)
    if int(g.bids[g.seat]) == NONE:
        return
    if int(g.contract) == NONE:
        g.hand_winners = 0
        _end_hand(g, r)
        return
    g.seat = g.declarer
    looked = (int(g.peeped) >> int(g.declarer)) & 1
    if r.peep and (looked or r.peep_any):
        g.phase = SWAP
    else:
        open_play(g, r)


@njit
def _apply_swap(g: Any, r: Any, action: Any) -> None:
    """R8.2: the declarer may give up a card for the one lying face down."""
    if action != _PASS:
        _discard(g, action)
        g.hand[g.seat] = g.hand[g.seat] | bit(g.peep_card)
        g.swapped = 1
    open_play(g, r)


# ---- The play (R4) and the revoke (R6) ------------------------------------------------------------


@njit
def open_play(g: Any, r: Any) -> None:
    """The declarer is to lead to the first trick (R4.1)."""
    g.phase = PLAY
    _to_lead(g, r)


@njit
def _to_lead(g: Any, r: Any) -> None:
    """The seat to act leads to trick ``g.trick``."""
    g.leaders[g.trick] = g.seat
    g.led = g.led | bit(int(g.trick) * int(r.num_players) + int(g.seat))
    g.best = NONE


@njit
def _legal_play(g: Any, r: Any) -> Any:
    hand = g.hand[g.seat]
    trick = int(g.trick)
    leader = int(g.leaders[trick])
    if int(g.best) == NONE:
        if trick == 0 and r.lowest_lead and int(g.contract) == _WELLINGTON:
            return lowest_of_each_suit(hand)
        return hand
    if r.penalised:
        return hand
    following = hand & suit_mask(int(g.played[trick, leader]) // 13)
    return following if following else hand


@njit
def lowest_of_each_suit(hand: Any) -> Any:
    """R4.5: the first card of a Wellington must be the lowest he holds of its suit."""
    mask = _EMPTY
    for suit in range(4):
        cards = hand & suit_mask(suit)
        if cards:
            mask = mask | bit(lowest(cards))
    return mask


@njit
def beats(card: Any, other: Any, trump: Any) -> Any:
    """R4.3: whether a card played later takes the trick from ``other``, its best card so far."""
    card, other = int(card), int(other)
    if card // 13 == other // 13:
        return card > other
    return card // 13 == int(trump)


@njit
def _apply_play(g: Any, r: Any, card: Any) -> None:
    seat = int(g.seat)
    trick = int(g.trick)
    leader = int(g.leaders[trick])
    hand = g.hand[seat] ^ bit(card)
    g.hand[seat] = hand
    g.played[trick, seat] = card
    g.gone[card] = 8 * trick + 9 + seat
    g.laid += 1
    if int(g.best) == NONE:
        g.best = seat
        if trick == 0 and (int(g.contract) != _MISERE or r.misere_trump):
            g.trump = card // 13
    else:
        led = int(g.played[trick, leader]) // 13
        if r.penalised and card // 13 != led and hand & suit_mask(led):
            g.revoker = seat
            _settle(g, r)
            return
        if beats(card, g.played[trick, g.best], g.trump):
            g.best = seat
    g.seat = next_seat(g.dealt, seat)
    if int(g.seat) == leader:
        _end_trick(g, r)


@njit
def _end_trick(g: Any, r: Any) -> None:
    winner = int(g.best)
    g.won[winner] += 1
    g.trick += 1
    g.laid = 0
    if int(g.trick) == r.hand_size or (r.stop_decided and decided(g, r)):
        _settle(g, r)
        return
    g.seat = winner
    _to_lead(g, r)


@njit
def decided(g: Any, r: Any) -> Any:
    """R4.4: the bid is made, or cannot be made any more, by tricks won and tricks left alone."""
    won = int(g.won[g.declarer])
    if int(g.contract) == _MISERE:
        return won > 0
    target = int(r.target[int(g.contract) - _THREE])
    return won >= target or won + int(r.hand_size) - int(g.trick) < target


# ---------------------------------------------------------------------------------------------------
# Settlement, and what comes after a hand (R5, R6, R11, R1)
# ---------------------------------------------------------------------------------------------------


@njit
def made_by_tricks(g: Any, r: Any) -> Any:
    """R5: whether the tricks that the declarer won make the bid, in a hand that is played out or decided."""
    won = int(g.won[g.declarer])
    return won == 0 if int(g.contract) == _MISERE else won >= int(r.target[int(g.contract) - _THREE])


@njit
def _settle(g: Any, r: Any) -> None:
    declarer = int(g.declarer)
    bid = int(g.contract) - _THREE
    revoker = int(g.revoker)
    made = revoker != declarer if revoker != NONE else made_by_tricks(g, r)
    stakes = int(r.made[bid]) if made else -int(r.failed[bid])
    payers = int(g.in_hand) & ~(1 << declarer)
    total = stakes * count(np.uint64(payers))
    _gain(g, declarer, total)
    if revoker != NONE and made:
        _gain(g, revoker, -total)  # R6.3: he alone pays
    else:
        for seat in range(r.num_players):
            if (payers >> seat) & 1:
                _gain(g, seat, -stakes)
    if made and _NAP <= int(g.contract) <= _BLUCHER:
        _gain(g, declarer, g.pool)  # R11.1
        g.pool = 0
    g.hand_winners = 1 << declarer if made else payers
    _end_hand(g, r)


@njit
def _end_hand(g: Any, r: Any) -> None:
    """R1.9: re-buys and eliminations; after the last hand the pool, then the winner or extra hands."""
    g.hands += 1
    if g.extra:
        _share_pool(g, r, g.tied)
        g.tied = _leaders(g, r, g.tied)
        if count(np.uint64(g.tied)) == 1 or int(g.extra) == 10:
            _end_match(g)
            return
        g.extra += 1
    else:
        if g.starting_chips >= 0:
            _eliminate(g, r)
        if int(g.hands) >= int(g.num_hands) or count(np.uint64(g.alive)) < 2:
            if not g.alive:
                g.alive = g.in_hand  # R1.7
            _share_pool(g, r, g.alive)
            g.tied = _leaders(g, r, g.alive)
            if not g.tie_break or count(np.uint64(g.tied)) == 1:
                _end_match(g)
                return
            g.extra = 1
    g.dealer = next_seat(g.tied if g.extra else g.alive, g.dealer)
    g.phase = DEAL


@njit
def _eliminate(g: Any, r: Any) -> None:
    """R1.6: at zero or below a player re-buys once, or is out."""
    for seat in range(r.num_players):
        if (int(g.alive) >> seat) & 1 and g.chips[seat] <= 0:
            if g.rebuys[seat] > 0:
                g.rebuys[seat] -= 1
                g.chips[seat] += g.starting_chips
            else:
                g.alive = int(g.alive) & ~(1 << seat)


@njit
def _share_pool(g: Any, r: Any, seats: Any) -> None:
    """R11.2: whole chips to each; the odd ones clockwise from the last dealer's left."""
    players = count(np.uint64(seats))
    share, odd = int(g.pool) // players, int(g.pool) % players
    seat = int(g.dealer)
    for turn in range(players):
        seat = next_seat(seats, seat)
        _gain(g, seat, share + (1 if turn < odd else 0))
    g.pool = 0


@njit
def _leaders(g: Any, r: Any, seats: Any) -> Any:
    """R1.8: those of ``seats`` with the highest net result."""
    highest_net = -(1 << 30)
    leaders = 0
    for seat in range(r.num_players):
        if (int(seats) >> seat) & 1:
            net = int(g.net[seat])
            if net > highest_net:
                highest_net = net
                leaders = 0
            if net == highest_net:
                leaders |= 1 << seat
    return leaders


@njit
def _end_match(g: Any) -> None:
    g.winners = g.tied
    g.phase = OVER
