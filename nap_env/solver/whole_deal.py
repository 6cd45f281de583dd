"""All that can be made of one deal: every bid of every seat, the leads that make it, and best play of one of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nap_env.cards import action_id, action_name, parse_cards
from nap_env.rules import Rules
from nap_env.solver.api import can_make, line, makeable_leads_batch
from nap_env.solver.inputs import Words, check_hands
from nap_env.solver.position import Position


@dataclass(frozen=True)
class Play:
    """Best play of one bid: the tricks, each seat to card in the order played, and who won them."""

    declarer: int
    bid: str
    made: bool
    tricks: tuple[dict[int, str], ...]
    winners: tuple[int, ...]

    @property
    def taken(self) -> int:
        """Tricks that the declarer won."""
        return self.winners.count(self.declarer)


@dataclass(frozen=True)
class Solved:
    """A deal and what can be made: ``leads`` uint64 [seats, bids], the first cards that make the bid."""

    rules: Rules
    hands: Words
    leads: Words
    play: Play | None = None

    def made(self, seat: int) -> list[str]:
        """The bids that a seat makes, lowest first."""
        return [bid for bid, cards in zip(self.rules.bids, self.leads[seat], strict=True) if cards]


def solve_deal(
    hands: Words, rules: Rules, declarer: int | None = None, bid: str | None = None, threads: int = 1
) -> Solved:
    """Every bid of every seat, in one call for all of them; best play of one of these where asked.

    Args:
        hands: 64-bit sets of one deal, uint64 [1, n].

    Raises:
        ValueError: cards, a seat or a bid that cannot be.
    """
    check_hands(hands, rules)
    n, bids = hands.shape[1], rules.bids
    play = None if declarer is None or bid is None else best_play(hands, rules, declarer, bid)
    leads = makeable_leads_batch(
        np.repeat(hands, n * len(bids), axis=0), np.repeat(np.arange(n), len(bids)), list(bids) * n, rules, threads
    )
    return Solved(rules, hands[0], leads.reshape(n, len(bids)), play)


def best_play(hands: Words, rules: Rules, declarer: int, bid: str) -> Play:
    """Best play by both sides; a declarer who cannot make his bid, or payers who cannot beat it, play low.

    Raises:
        ValueError: a seat or a bid that cannot be.
    """
    n = hands.shape[1]
    cards = line(Position(hands[0].tolist(), declarer, bid), rules)
    tricks = tuple(dict(cards[start : start + n]) for start in range(0, len(cards), n))
    winners = (*(next(iter(trick)) for trick in tricks[1:]), _winner(tricks, bid, rules))
    made = can_make(hands[0].tolist(), declarer, bid, rules)
    return Play(declarer, action_name(action_id(bid)), made, tricks, winners)


def _winner(tricks: tuple[dict[int, str], ...], bid: str, rules: Rules) -> int:
    """Who won the last trick (R4.3); the others' winners led to the next."""
    trump = parse_cards([next(iter(tricks[0].values()))])[0] // 13
    if action_name(action_id(bid)) == "MISERE" and not rules.misere_trump:
        trump = -1
    cards = {seat: parse_cards([name])[0] for seat, name in tricks[-1].items()}
    led = next(iter(cards.values())) // 13
    return max(cards, key=lambda seat: (cards[seat] // 13 == trump, cards[seat] // 13 == led, cards[seat] % 13))
