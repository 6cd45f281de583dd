"""Two slow solvers, written apart from `nap_env.solver`, and the deals that both are given.

`outcomes` is plain full-width minimax through the rulebook itself. `slow_makes` knows cards only: it merges
neighbours in one hand and remembers positions, and so reaches full deals.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from nap_env.cards import BIDS
from nap_env.engine import loops, records, rulebook
from nap_env.rules import Rules

Words = npt.NDArray[np.uint64]


def random_deals(rules: Rules, n: int, size: int, rng: np.random.Generator) -> Words:
    """Random hands as 64-bit sets, uint64 [size, n]."""
    pack = np.array([card for card in range(52) if rules.pack_mask >> card & 1], np.uint64)
    order = rng.permuted(np.tile(pack, (size, 1)), axis=1)[:, : n * rules.hand_size]
    return np.bitwise_or.reduce((np.uint64(1) << order).reshape(size, n, rules.hand_size), axis=2)


def deals_with(hand: int, n: int, size: int, rng: np.random.Generator, hand_size: int = 5) -> Words:
    """Seat 0 has this hand, the others random ones of a full pack: uint64 [size, n]."""
    pack = np.array([card for card in range(52) if not hand >> card & 1], np.uint64)
    order = rng.permuted(np.tile(pack, (size, 1)), axis=1)[:, : (n - 1) * hand_size]
    others = np.bitwise_or.reduce((np.uint64(1) << order).reshape(size, n - 1, hand_size), axis=2)
    return np.concatenate([np.full((size, 1), hand, np.uint64), others], axis=1)


# ---- Minimax through the rulebook ------------------------------------------------------------------------


def in_play(rules: Rules, hands: Words, declarer: int, bid: str) -> npt.NDArray[np.void]:
    """A table where the declarer is to lead, as the rulebook has it after the auction: GAME [60] to search with."""
    games = np.zeros(60, records.GAME)
    no_decks, no_hands = np.empty((0, 52), np.int8), np.zeros(7, np.uint64)
    loops.begin(games, 0, rules.kernel, 0, 1, -1, 0, False, no_decks, no_hands)
    game = games[0]
    game.hand[: len(hands)] = hands
    game.contract, game.declarer = 53 + BIDS.index(bid), declarer
    game.phase, game.seat = records.PLAY, declarer
    game.leaders[0], game.best = declarer, records.NONE
    game.legal = rulebook.legal(game, rules.kernel[0])
    return games


@numba.njit
def made(games: Any, depth: Any, rules: Any) -> bool:
    """Whether the declarer makes his bid from games[depth], by trying every legal card."""
    g = games[depth]
    if g.phase != records.PLAY:
        return int(g.hand_winners) == 1 << int(g.declarer)
    mine = int(g.seat) == int(g.declarer)
    for card in range(52):
        if (g.legal >> np.uint64(card)) & np.uint64(1):
            games[depth + 1] = games[depth]
            rulebook.apply(games[depth + 1], rules[0], card)
            if made(games, depth + 1, rules) == mine:
                return mine
    return not mine


def outcomes(games: npt.NDArray[np.void], rules: Rules) -> dict[int, bool]:
    """For each legal card at games[0] whether the bid is then made; the rest of ``games`` is overwritten."""
    result = {}
    for card in range(52):
        if int(games[0].legal) >> card & 1:
            games[1] = games[0]
            rulebook.apply(games[1], rules.kernel[0], card)
            result[card] = bool(made(games, 1, rules.kernel))
    return result


# ---- A second solver for full deals ------------------------------------------------------------------------


@numba.njit
def slow_makes(hands: Any, trump: Any, lead: Any, need: Any) -> bool:
    """Whether the declarer, hands[0], makes need tricks (0: Misere) with this lead and trump suit (-1: none)."""
    known = numba.typed.Dict.empty(numba.types.int64, numba.types.boolean)
    left = hands.copy()
    left[0] &= ~(np.int64(1) << lead)
    return _slow(left, known, 1, 1, lead, 0, lead // 13, trump, need, 0)


@numba.njit
def _slow(
    left: Any, known: Any, seat: Any, on_table: Any, best: Any, winner: Any, led: Any, trump: Any, need: Any, won: Any
) -> bool:
    n = len(left)
    if on_table == n:
        if winner == 0:
            won += 1
            if need == 0:
                return False
        if need and won == need:
            return True
        if left[0] == 0:
            return need == 0
        key = np.int64(winner) << 56 | np.int64(won) << 59
        for hand in left:
            key |= hand
        if key in known:
            return known[key]
        value = _slow(left, known, winner, 0, -1, -1, -1, trump, need, won)
        known[key] = value
        return value
    hand = left[seat]
    suit = hand & (np.int64(0x1FFF) << (13 * led)) if on_table else hand
    legal = suit if suit else hand
    held = np.int64(0)
    for other in left:
        held |= other
    if on_table:
        held |= np.int64(1) << best
    last = -1  # the last card tried; the next is the same if it follows in the suit and no other card lies between
    for card in range(52):
        one = np.int64(1) << card
        if not held & one:
            continue
        if not legal & one:
            last = -1
            continue
        if last >= 0 and last // 13 == card // 13:
            last = card
            continue
        last = card
        left[seat] = hand & ~one
        takes = on_table == 0 or (card > best if card // 13 == best // 13 else card // 13 == trump)
        value = _slow(
            left,
            known,
            (seat + 1) % n,
            on_table + 1,
            card if takes else best,
            seat if takes else winner,
            led if on_table else card // 13,
            trump,
            need,
            won,
        )
        left[seat] = hand
        if value == (seat == 0):
            return value
    return seat != 0


def slow_leads(hands: Words, need: int, trumps: bool) -> set[int]:
    """The first cards of hands[0] with which the declarer makes need tricks (0: Misere)."""
    signed = hands.astype(np.int64)
    cards = [card for card in range(52) if int(hands[0]) >> card & 1]
    return {card for card in cards if slow_makes(signed, card // 13 if trumps else -1, card, need)}
