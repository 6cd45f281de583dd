"""A position in the middle of the play, as text, for `solve`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nap_env.cards import CARD_NAMES, SUITS, parse_cards
from nap_env.engine import records, rulebook
from nap_env.rules import Rules
from nap_env.solver.inputs import bid_number, check_cards, one_deal, variant

MISERE = 54


@dataclass(frozen=True)
class Position:
    """What is on the table and in the hands; all cards open.

    Attributes:
        hands: what each seat still holds, a text or a 64-bit set a seat.
        declarer: his seat.
        bid: name or number.
        table: the cards of the trick on the table, in the order played.
        leader: who led to it, or is to lead; None: the declarer.
        trump: one of C D H S; None before the first lead and where there are none.
        taken: tricks the declarer has won.
    """

    hands: Sequence[Any]
    declarer: int
    bid: str | int
    table: str | Sequence[Any] = ()
    leader: int | None = None
    trump: str | None = None
    taken: int = 0

    def record(self, rules: str | Rules = "standard") -> tuple[npt.NDArray[np.void], Rules]:
        """The position as a `records.GAME` record [1] in phase PLAY, and the rules.

        Raises:
            ValueError: cards, seats, a bid, trumps or tricks that cannot be.
        """
        hands = one_deal(self.hands)
        n = hands.shape[1]
        chosen = variant(rules, n)
        check_cards(hands, chosen)
        bid = bid_number(self.bid, chosen)
        declarer = _seat("declarer", self.declarer, n)
        leader = declarer if self.leader is None else _seat("leader", self.leader, n)
        table = parse_cards(self.table)
        left = _tricks_left(hands[0], table, leader, chosen)
        trick = chosen.hand_size - left
        if not 0 <= self.taken <= trick:
            raise ValueError(f"taken={self.taken}: {trick} tricks were played")
        if trick == 0 and leader != declarer:
            raise ValueError(f"leader {leader}: the declarer, seat {declarer}, leads to the first trick (R4.1)")
        games = np.zeros(1, records.GAME)
        game = games[0]
        game.hand[:n] = hands[0]
        game.phase = records.PLAY
        game.dealt = game.in_hand = (1 << n) - 1
        game.contract, game.declarer = bid, declarer
        game.trick = trick
        game.won[declarer] = self.taken
        game.played[:] = records.NONE
        game.leaders[:] = records.NONE
        game.leaders[trick] = leader
        game.trump = self._trump(bid, trick, table, chosen)
        game.best = records.NONE
        for place, card in enumerate(table):
            seat = (leader + place) % n
            game.played[trick, seat] = card
            best = int(game.best)
            if best < 0 or rulebook.beats(card, game.played[trick, best], game.trump):
                game.best = seat
        game.seat = (leader + len(table)) % n
        game.legal = rulebook.legal(game, _for_table(chosen, n)[0])
        return games, chosen

    def _trump(self, bid: int, trick: int, table: list[int], rules: Rules) -> int:
        none = bid == MISERE and not rules.misere_trump
        if self.trump is None:
            if none or (trick == 0 and not table):
                return records.NONE
            if trick == 0:
                return table[0] // 13
            raise ValueError(f"trump is missing: give one of {' '.join(SUITS)} once the first trick is over (R4.1)")
        if self.trump not in SUITS or none:
            raise ValueError(f"trump={self.trump!r}: " + ("a Misere has none (R4.1)" if none else "use C, D, H or S"))
        if trick == 0 and (not table or table[0] // 13 != SUITS.index(self.trump)):
            raise ValueError(f"trump={self.trump!r}: the first card led makes trumps (R4.1)")
        return SUITS.index(self.trump)


def _for_table(rules: Rules, n: int) -> Any:
    """The kernel's rules with the number of seats that hold cards."""
    kernel = rules.kernel.copy()
    kernel[0].num_players = n
    return kernel


def _seat(name: str, seat: Any, n: int) -> int:
    if isinstance(seat, bool) or seat not in range(n):
        raise ValueError(f"{name} {seat!r} is not at the table: seats are 0..{n - 1}")
    return int(seat)


def _tricks_left(hands: Any, table: list[int], leader: int, rules: Rules) -> int:
    """Tricks still to be played; the cards held and on the table must fit."""
    n = len(hands)
    played = dict(zip([(leader + place) % n for place in range(n)], table, strict=False))
    if len(table) >= n:
        raise ValueError(f"{len(table)} cards on the table of {n} players: leave a finished trick out")
    for seat, card in played.items():
        if any(int(hand) >> card & 1 for hand in hands) or table.count(card) > 1:
            raise ValueError(f"{CARD_NAMES[card]} is on the table and somewhere else")
        if not rules.pack_mask >> card & 1:
            raise ValueError(f"{CARD_NAMES[card]} is not in the pack of {rules.pack_size}")
        suit = rulebook.suit_mask(table[0] // 13)
        if card // 13 != table[0] // 13 and hands[seat] & suit:
            raise ValueError(f"seat {seat} played {CARD_NAMES[card]} and can follow suit (R4.2)")
    sizes = [int(hand).bit_count() + (seat in played) for seat, hand in enumerate(hands)]
    if len(set(sizes)) > 1 or not 1 <= sizes[0] <= rules.hand_size:
        raise ValueError(
            f"the seats hold, with the trick on the table, {sizes} cards: "
            f"all must hold the same number, 1 to {rules.hand_size}"
        )
    return sizes[0]
