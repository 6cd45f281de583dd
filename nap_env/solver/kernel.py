"""dev version 2"""
from __future__ import annotations
from typing import Any
import numpy as np
from nap_env.jit import bit, count, drop_lowest, highest, lowest, njit, times

TABLE_BITS = 16
PLIES = 101
SEARCH = np.dtype((np.record, [
    ("hand", np.uint64, 7),
    ("alive", np.uint64),
    ("trump", np.uint64),
    ("generation", np.uint64),
    ("nodes", np.int64),
    ("tricks", np.int64),
    ("n", np.int64),
    ("mask", np.int64),
    ("misere", np.int64),
    # one entry a card on the way from the root
    ("seat", np.int64, PLIES),
    ("position", np.int64, PLIES),
    ("mover", np.int64, PLIES),
    ("best", np.int64, PLIES),
    ("winner", np.int64, PLIES),
    ("led", np.uint64, PLIES),
    ("need", np.int64, PLIES),
    ("left", np.int64, PLIES),
    ("moves", np.uint64, PLIES),
    ("first", np.uint64, PLIES),
    ("card", np.uint64, PLIES),
    ("slot", np.int64, PLIES),
    ("key", np.uint64, (PLIES, 3)),
    ("pending", np.int64, 7),
    ("rxn", np.int64),
    ("rxcalls", np.int64),
    ("rxwins", np.int64),
    ("rxuse", np.int64),
    ("rxfree", np.int64),
    ("owner", np.uint8, 64),
    ("table", np.uint64, (1 << TABLE_BITS, 4)),
]))
_LANE = np.uint64(0x1FFF)
_LANES = np.uint64(0x1FFF1FFF1FFF1FFF)
_EMPTY = np.uint64(0)
_ONE = np.uint64(1)
FAILS, MAKES, OPEN = 0, 1, 2

@njit
def lanes(hand):
    """13-bit suits to 16-bit lanes"""
    h = np.uint64(hand)
    m = _LANE
    return (h & m) | ((h >> np.uint64(13)) & m) << np.uint64(16) | ((h >> np.uint64(26)) & m) << np.uint64(32) | ((h >> np.uint64(39)) & m) << np.uint64(48)

@njit
def suit_of(card):
    return _LANE << np.uint64(int(card) & 48)

@njit
def above(card):
    """cards of the same suit above card"""
    return suit_of(card) & ~((np.uint64(2) << np.uint64(card)) - _ONE)

@njit
def below(card):
    return suit_of(card) & ((_ONE << np.uint64(card)) - _ONE)

@njit
def distinct(hand, alive):
    dead = _LANES & ~alive
    fill = hand | dead
    return (dead + (fill & ~(fill << _ONE))) & hand

@njit
def key_of(s, suit):
    left = (s.alive >> np.uint64(16 * suit)) & _LANE
    word = _EMPTY
    while left:
        word = (word << np.uint64(3)) | np.uint64(s.owner[16 * suit + lowest(left)])
        left = drop_lowest(left)
    return word

@njit
def unbeaten(mine, all_cards):
    """mine that stay when each other card beats at most one lower card of mine"""
    left = all_cards
    free = 0
    while left:
        card = left & ~(left - _ONE)
        if card & mine:
            free += 1
        elif free:
            free -= 1
        left ^= card
    return free

@njit
def declarer_sure(s, leads, need, first_lead):
    """tricks declarer surely takes from here"""
    d = s.hand[0]
    theirs = s.alive & ~d
    dt = d & s.trump
    pt = theirs & s.trump
    if not pt:
        sure = count(dt)
        k = sure
    elif not dt:
        sure = 0
        k = 0
    else:
        k = count(dt & above(highest(pt)))
        sure = unbeaten(dt, s.alive & s.trump)
    if not leads or sure >= need or (first_lead and k == 0):
        return sure
    cash = 0
    after = 0
    drawn = True
    for seat in range(1, s.n):
        if count(s.hand[seat] & s.trump) > k:
            drawn = False
    for suit in range(4):
        lane = _LANE << np.uint64(16 * suit)
        ds = d & lane
        if not ds or lane == s.trump:
            continue
        ps = theirs & lane
        run = count(ds)
        if ps:
            run = count(ds & above(highest(ps)))
            if run == 0:
                continue
        run1 = run
        longest = 0
        for seat in range(1, s.n):
            length = count(s.hand[seat] & lane)
            trumps = count(s.hand[seat] & s.trump)
            longest = max(longest, length)
            if trumps > k:
                run = min(run, length)
            if trumps:
                run1 = min(run1, length)
        if drawn and run >= longest:
            run = count(ds)
        after += run
        cash += run1
    if drawn and pt:
        k = count(dt)
    return max(k + after, 0 if first_lead else sure + cash)

@njit
def declarer_at_most(s, left, leading_trump):
    """upper bound of declarer's tricks: cards that no single payer guards"""
    d = s.hand[0]
    used = 0
    total = count(d & s.trump)
    if total:
        over = above(highest(d & s.trump))
        if leading_trump and s.alive & over:
            total -= 1
    else:
        over = s.trump
    for suit in range(4):
        lane = _LANE << np.uint64(16 * suit)
        ds = d & lane
        if not ds or lane == s.trump:
            continue
        k = count(ds)
        over_suit = above(highest(ds))
        best = 0
        who = 0
        for seat in range(1, s.n):
            guards = count(s.hand[seat] & over_suit)
            if guards > best and not (used >> seat) & 1:
                best = guards
                who = seat
        used |= 1 << who
        total += max(0, k - best)
    if total > left - 3:
        best = 0
        for seat in range(1, s.n):
            best = max(best, count(s.hand[seat] & over))
        total = min(total, left - best)
    return total

@njit
def probe(s, ply):
    a3 = key_of(s, 3)
    k0 = key_of(s, 0) | a3 << np.uint64(40)
    k1 = key_of(s, 1) | (a3 >> np.uint64(24)) << np.uint64(40)
    k2 = key_of(s, 2) | np.uint64(s.seat[ply] + 8 * s.need[ply]) << np.uint64(40)
    h = times(k0, np.uint64(0x9E3779B97F4A7C15)) ^ times(k1, np.uint64(0xBF58476D1CE4E5B9)) ^ times(k2, np.uint64(0x94D049BB133111EB))
    h = times(h ^ (h >> np.uint64(32)), np.uint64(0xD1342543DE82EF95))
    slot = int(h >> np.uint64(40)) & s.mask
    s.slot[ply] = slot
    s.key[ply, 0] = k0
    s.key[ply, 1] = k1
    s.key[ply, 2] = k2
    if s.table[slot, 0] == k0 and s.table[slot, 1] == k1 and s.table[slot, 2] == k2 and s.table[slot, 3] >> _ONE == s.generation:
        return int(s.table[slot, 3] & _ONE)
    return OPEN

@njit
def store(s, ply, value):
    slot = s.slot[ply]
    s.table[slot, 0] = s.key[ply, 0]
    s.table[slot, 1] = s.key[ply, 1]
    s.table[slot, 2] = s.key[ply, 2]
    s.table[slot, 3] = s.generation << _ONE | np.uint64(value)

@njit
def bound_tricks(s, ply):
    if declarer_sure(s, s.seat[ply] == 0, s.need[ply], False) >= s.need[ply]:
        return MAKES
    if declarer_at_most(s, s.left[ply], False) < s.need[ply]:
        return FAILS
    return OPEN

@njit
def bound_misere(s, ply):
    """payers lead"""
    leader = s.seat[ply]
    d = s.hand[0]
    safe = True
    for suit in range(4):
        lane = _LANE << np.uint64(16 * suit)
        ds = d & lane
        if not ds:
            continue
        low = lowest(ds)
        under = below(low)
        if s.hand[leader] & under:
            caught = True
            for seat in range(1, s.n):
                q = s.hand[seat] & lane
                if q and not q & under:
                    caught = False
                    break
                if not q and s.trump and not s.hand[seat] & ~s.trump:
                    caught = False
                    break
            if caught:
                return FAILS
        if safe:
            theirs = s.alive & ~d & lane
            while ds and theirs:
                if lowest(ds) > lowest(theirs):
                    safe = False
                    break
                ds = drop_lowest(ds)
                theirs = drop_lowest(theirs)
            if lane == s.trump:
                safe = False
    return MAKES if safe else OPEN

@njit
def order_tricks(s, ply, moves):
    first = _EMPTY
    seat = s.seat[ply]
    if s.position[ply] == 0:
        hand = s.hand[seat]
        d = s.hand[0]
        for suit in range(4):
            lane = _LANE << np.uint64(16 * suit)
            mine = moves & lane
            if mine:
                if seat == 0:
                    theirs = s.alive & ~hand & lane
                    if not theirs or highest(mine) > highest(theirs):
                        first |= bit(highest(mine))
                else:
                    ds = d & lane
                    if ds:
                        first |= mine & above(highest(ds))
    else:
        best = s.best[ply]
        if seat == 0 or s.winner[ply] == 0:
            first = moves & (above(best) | (_EMPTY if bit(best) & s.trump else s.trump))
    return first

@njit
def order_misere(s, ply, moves):
    first = _EMPTY
    seat = s.seat[ply]
    if seat == 0:
        if s.position[ply]:
            first = moves & below(s.best[ply])
    return first

FREE = 7

@njit
def rx_key_of(s, suit):
    lane = _LANE << np.uint64(16 * suit)
    mine = s.hand[0] & lane
    word = _EMPTY
    rest = lane & s.alive
    while rest:
        if mine:
            card = mine & ~(mine - _ONE)
            part = rest & (card - _ONE)
            mine ^= card
        else:
            card = _EMPTY
            part = rest
        rest = rest & ~part & ~card
        if part:
            for seat in range(1, s.n):
                for _ in range(count(s.hand[seat] & part)):
                    word = (word << np.uint64(3)) | np.uint64(seat + 1)
        if card:
            word = (word << np.uint64(3)) | _ONE
    return word

@njit
def rx_probe(s, ply):
    a3 = rx_key_of(s, 3)
    k0 = rx_key_of(s, 0) | a3 << np.uint64(40)
    k1 = rx_key_of(s, 1) | (a3 >> np.uint64(24)) << np.uint64(40) | _ONE << np.uint64(60)
    meta = s.seat[ply] + 8 * s.need[ply]
    for seat in range(1, s.n):
        meta = meta * 8 + (s.pending[seat] if s.hand[seat] & s.trump else 0)
    k2 = rx_key_of(s, 2) | np.uint64(meta) << np.uint64(40)
    h = times(k0, np.uint64(0x9E3779B97F4A7C15)) ^ times(k1, np.uint64(0xBF58476D1CE4E5B9)) ^ times(k2, np.uint64(0x94D049BB133111EB))
    h = times(h ^ (h >> np.uint64(32)), np.uint64(0xD1342543DE82EF95))
    slot = int(h >> np.uint64(40)) & s.mask
    s.slot[ply] = slot
    s.key[ply, 0] = k0
    s.key[ply, 1] = k1
    s.key[ply, 2] = k2
    if s.table[slot, 0] == k0 and s.table[slot, 1] == k1 and s.table[slot, 2] == k2 and s.table[slot, 3] >> _ONE == s.generation:
        return int(s.table[slot, 3] & _ONE)
    return OPEN

@njit
def rx_sure(s, leads, need):
    d = s.hand[0]
    dt = d & s.trump
    if not s.alive & ~d & s.trump:
        k = count(dt)
        sure = k
    else:
        k = count(dt & above(highest(s.alive & ~d & s.trump)))
        sure = unbeaten(dt, s.alive & s.trump)
    if not leads or sure >= need:
        return sure
    cash = 0
    after = 0
    for suit in range(4):
        lane = _LANE << np.uint64(16 * suit)
        ds = d & lane
        if not ds or lane == s.trump:
            continue
        ps = s.alive & ~d & lane
        run = count(ds)
        if ps:
            run = count(ds & above(highest(ps)))
            if run == 0:
                continue
        run1 = run
        for seat in range(1, s.n):
            trumps = count(s.hand[seat] & s.trump)
            if trumps:
                length = max(0, count(s.hand[seat] & lane) - s.pending[seat])
                if trumps > k:
                    run = min(run, length)
                run1 = min(run1, length)
        after += run
        cash += run1
    return max(k + after, sure + cash)

@njit
def rx_enter(s, ply):
    position = s.position[ply]
    seat = s.seat[ply]
    s.rxn += 1
    d = s.hand[0]
    if position == 0:
        if rx_sure(s, seat == 0, s.need[ply]) >= s.need[ply]:
            return MAKES
        if declarer_at_most(s, s.left[ply], False) < s.need[ply]:
            return FAILS
        if s.left[ply] >= 2:
            value = rx_probe(s, ply)
            if value != OPEN:
                return value
        if seat == 0:
            moves = distinct(d, s.alive)
        else:
            moves = _EMPTY
            for p in range(1, s.n):
                moves |= distinct(s.hand[p], d | s.hand[p])
        s.first[ply] = order_tricks(s, ply, moves) if seat == 0 else rx_first(s, moves)
    else:
        hand = s.hand[seat]
        best = s.best[ply]
        follow = hand & s.led[ply]
        beat = above(best) | (_EMPTY if bit(best) & s.trump else s.trump)
        if seat == 0:
            moves = distinct(follow if follow else hand, s.alive | bit(best))
            s.first[ply] = moves & beat
        else:
            table = bit(best) if s.winner[ply] == 0 else _EMPTY
            moves = distinct(follow, d | hand | table)
            if count(follow) <= s.pending[seat]:
                # acts as void: ruff, or pass (bit 63)
                if not s.led[ply] & s.trump:
                    moves |= distinct(hand & s.trump, d | hand | table) & beat
                moves |= _ONE << np.uint64(63)
            s.first[ply] = moves & beat if s.winner[ply] == 0 else _EMPTY
    s.moves[ply] = moves
    return OPEN

@njit
def rx_first(s, moves):
    d = s.hand[0]
    first = _EMPTY
    for suit in range(4):
        lane = _LANE << np.uint64(16 * suit)
        ds = d & lane
        if ds:
            first |= moves & above(highest(ds))
    return first

@njit
def rx_descend(s, ply):
    first = s.first[ply]
    position = s.position[ply]
    best = s.best[ply]
    if first:
        card = highest(first) if position == 0 else lowest(first)
        s.first[ply] = first ^ bit(card)
    else:
        card = lowest(s.moves[ply])
    m = bit(card)
    s.moves[ply] ^= m
    seat = s.seat[ply]
    if seat == FREE:
        seat = int(s.owner[card]) - 1
    if card == 63:
        s.pending[seat] += 1
        m = _EMPTY
    s.card[ply] = m
    s.mover[ply] = seat
    s.hand[seat] ^= m
    s.alive ^= m
    if position == 0 or m & above(best) or (m & s.trump and not bit(best) & s.trump):
        top = card
        who = seat
    else:
        top = best
        who = s.winner[ply]
    need = s.need[ply]
    left = s.left[ply]
    child = ply + 1
    if position == s.n - 1:
        left -= 1
        need = need - (1 if who == 0 else 0)
        if need == 0:
            return MAKES
        if need > left:
            return FAILS
        s.seat[child] = FREE if who else 0
        s.position[child] = 0
    else:
        s.seat[child] = seat + 1 if seat + 1 < s.n else 0
        s.position[child] = position + 1
        s.best[child] = top
        s.winner[child] = who
        s.led[child] = suit_of(card) if position == 0 else s.led[ply]
    s.need[child] = need
    s.left[child] = left
    return rx_enter(s, child)

@njit
def rx_search(s, base):
    ply = base
    s.rxcalls += 1
    for seat in range(s.n):
        s.pending[seat] = 0
    value = rx_enter(s, base)
    while True:
        if value == OPEN:
            value = rx_descend(s, ply)
            ply += 1
            continue
        if ply == base:
            s.rxwins += value
            return value == MAKES
        ply -= 1
        seat = s.mover[ply]
        if s.card[ply]:
            s.hand[seat] ^= s.card[ply]
            s.alive ^= s.card[ply]
        else:
            s.pending[seat] -= 1
        if s.moves[ply] and (value == MAKES) != (seat == 0):
            value = OPEN
        elif s.position[ply] == 0 and s.left[ply] >= 2:
            store(s, ply, value)

@njit
def enter(s, ply):
    """The value of the node, or OPEN with its moves laid out."""
    position = s.position[ply]
    hand = s.hand[s.seat[ply]]
    if position == 0:
        s.tricks += 1
        value = bound_misere(s, ply) if s.misere else bound_tricks(s, ply)
        if value != OPEN:
            return value
        if s.left[ply] >= 2:
            value = probe(s, ply)
            if value != OPEN:
                return value
            if s.rxuse and not s.misere and s.left[ply] >= s.rxuse:
                s.seat[ply + 1] = FREE if s.seat[ply] and s.rxfree else s.seat[ply]
                s.position[ply + 1] = 0
                s.need[ply + 1] = s.need[ply]
                s.left[ply + 1] = s.left[ply]
                if rx_search(s, ply + 1):
                    store(s, ply, MAKES)
                    return MAKES
        moves = distinct(hand, s.alive)
    else:
        follow = hand & s.led[ply]
        moves = distinct(follow if follow else hand, s.alive | bit(s.best[ply]))
    s.nodes += 1
    s.moves[ply] = moves
    s.first[ply] = order_misere(s, ply, moves) if s.misere else order_tricks(s, ply, moves)
    return OPEN

@njit
def descend(s, ply):
    """play the next card, return value of child"""
    first = s.first[ply]
    seat = s.seat[ply]
    position = s.position[ply]
    best = s.best[ply]
    if first:
        if s.misere:
            card = highest(first)
        elif position == 0:
            card = highest(first)
        else:
            card = lowest(first)
        s.first[ply] = first ^ bit(card)
    else:
        if s.misere and position > 0:
            card = highest(s.moves[ply])
        else:
            card = lowest(s.moves[ply])
    m = bit(card)
    s.moves[ply] ^= m
    s.card[ply] = m
    s.hand[seat] ^= m
    s.alive ^= m
    if position == 0 or m & above(best) or (m & s.trump and not bit(best) & s.trump):
        top = card
        who = seat
    else:
        top = best
        who = s.winner[ply]
    need = s.need[ply]
    left = s.left[ply]
    child = ply + 1
    if position == s.n - 1:
        left -= 1
        if s.misere:
            if who == 0:
                return FAILS
            if left == 0:
                return MAKES
        else:
            need = need - (1 if who == 0 else 0)
            if need == 0:
                return MAKES
            if need > left:
                return FAILS
        s.seat[child] = who
        s.position[child] = 0
    else:
        s.seat[child] = seat + 1 if seat + 1 < s.n else 0
        s.position[child] = position + 1
        s.best[child] = top
        s.winner[child] = who
        s.led[child] = suit_of(card) if position == 0 else s.led[ply]
    s.need[child] = need
    s.left[child] = left
    return enter(s, child)

@njit
def search(s):
    """value of frame 0"""
    ply = 0
    value = enter(s, 0)
    while True:
        if value == OPEN:
            value = descend(s, ply)
            ply += 1
            continue
        if ply == 0:
            return value == MAKES
        ply -= 1
        seat = s.seat[ply]
        s.hand[seat] ^= s.card[ply]
        s.alive ^= s.card[ply]
        if s.moves[ply] and (value == MAKES) != (seat == 0):
            value = OPEN
        elif s.position[ply] == 0 and s.left[ply] >= 2:
            store(s, ply, value)

@njit
def setup(s, hands, declarer, n):
    s.n = n
    s.alive = _EMPTY
    for i in range(n):
        h = lanes(hands[(declarer + i) % n])
        s.hand[i] = h
        s.alive = s.alive | h
        while h:
            s.owner[lowest(h)] = i + 1
            h = drop_lowest(h)

@njit
def after_lead(s, card, need, left):
    m = bit(card)
    s.hand[0] ^= m
    s.alive ^= m
    s.seat[0] = 1
    s.position[0] = 1
    s.best[0] = card
    s.winner[0] = 0
    s.led[0] = suit_of(card)
    s.need[0] = need
    s.left[0] = left
    made = False
    if s.rxuse and not s.misere:
        made = rx_search(s, 0)
        s.seat[0] = 1
    if not made:
        made = search(s)
    s.hand[0] ^= m
    s.alive ^= m
    return made

@njit
def makes(s, need):
    left = count(s.hand[0])
    d = s.hand[0]
    reps = distinct(d, s.alive)
    tried = 0
    for _ in range(4):
        bestv = -1
        bests = 0
        for suit in range(4):
            if (tried >> suit) & 1:
                continue
            lane = _LANE << np.uint64(16 * suit)
            ds = d & lane
            v = count(ds) * 16 + (highest(ds) & 15 if ds else 0) if ds else -1
            if v > bestv:
                bestv = v
                bests = suit
        if bestv < 0:
            break
        tried |= 1 << bests
        lane = _LANE << np.uint64(16 * bests)
        s.trump = lane
        s.generation += _ONE
        if declarer_at_most(s, left, True) < need:
            continue
        if declarer_sure(s, True, need, True) >= need:
            return True
        cards = reps & lane
        while cards:
            card = highest(cards)
            cards ^= bit(card)
            if after_lead(s, card, need, left):
                return True
    return False

@njit
def makes_misere(s):
    left = count(s.hand[0])
    s.trump = _EMPTY
    s.generation += _ONE
    reps = distinct(s.hand[0], s.alive)
    while reps:
        card = lowest(reps)
        reps ^= bit(card)
        if after_lead(s, card, 0, left):
            return True
    return False

@njit
def batch(states, hands, declarers, need, out, nodes):
    s = states[0]
    s.misere = need == 0
    for i in range(hands.shape[0]):
        setup(s, hands[i], declarers[i], hands.shape[1])
        s.nodes = 0
        s.tricks = 0
        out[i] = makes_misere(s) if need == 0 else makes(s, need)
        nodes[i, 0] = s.nodes
        nodes[i, 1] = s.tricks
