"""The solver: random deals of which it finds a lead that makes the bid, and the longest of many."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from time import process_time
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nap_env import solver
from nap_env.cards import mask_of
from nap_env.rules import Rules
from nap_env.solver.api import searched
from train.bench.measure import COMPILED, Case, Sample, Work
from train.bench.settings import Settings

MANY = 2000  # deals of which the longest is sought


class Question(NamedTuple):
    """What is asked of random deals: a bid, players, cards a hand; so many deals in one piece of work."""

    bid: str
    players: int
    cards: int
    deals: int

    @property
    def name(self) -> str:
        """Its case's name."""
        return f"solve: {self.bid}, {self.players} x {self.cards}"

    @property
    def rules(self) -> Rules:
        """The standard rules, or those of seven cards."""
        return Rules(num_players=self.players, hand_size=self.cards)

    def random_deals(self, number: int) -> npt.NDArray[np.uint64]:
        """Always the same deals, uint64 [number, players]."""
        rng = np.random.default_rng(1)
        size = self.players * self.cards
        packs = rng.permuted(np.tile(np.arange(52), (number, 1)), axis=1)[:, :size].reshape(-1, self.cards)
        return np.array([mask_of(hand) for hand in packs.tolist()], np.uint64).reshape(number, self.players)


QUESTIONS = (
    *(Question("THREE", players, 5, 2000) for players in (3, 5, 7)),
    *(Question("MISERE", players, 5, 1000) for players in (3, 5, 7)),
    Question("THREE", 7, 7, 300),
)
LONG = {cards: (Question("THREE", 7, cards, MANY), Question("MISERE", 7, cards, MANY)) for cards in (5, 7)}


def cases(settings: Settings) -> Iterator[Case]:
    """Deals a second on one core, the declarer's best lead found; the longest deals by themselves."""
    for asked in QUESTIONS:
        number = 50 if settings.quick else asked.deals
        text = f"{asked.bid}, {asked.players} x {asked.cards} cards"
        yield _case(asked.name, text, number, partial(solving, asked, number))
    many = 50 if settings.quick else MANY
    for size, questions in LONG.items():
        text = f"longest of {many:,}, 7 x {size} cards"
        yield _case(f"longest: {size}", text, 1, partial(longest, questions, many))


def _case(name: str, text: str, batch: int, work: Any) -> Case:
    return Case(name, "solver", text, work, batch, loop=COMPILED, unit="deals", heavy=True, processor=True)


def solving(asked: Question, number: int) -> Work:
    """Whether the bid is made in each deal."""
    deals, rules = asked.random_deals(number), asked.rules
    solver.can_make_batch(deals[:1], 0, asked.bid, rules)  # compiled

    return on_processor(number, lambda: solver.can_make_batch(deals, 0, asked.bid, rules))


def longest(questions: tuple[Question, ...], many: int) -> Work:
    """The deal that needs most positions, of as many to each question."""
    found = []
    for asked in questions:
        deals = asked.random_deals(many)
        nodes = searched(deals, 0, asked.bid, asked.rules)
        worst = int(nodes.argmax())
        found.append((int(nodes[worst]), asked, deals[worst : worst + 1]))
    _, asked, deal = max(found, key=lambda one: one[0])
    return on_processor(1, lambda: solver.can_make_batch(deal, 0, asked.bid, asked.rules))


def on_processor(number: int, work: Any) -> Work:
    """A piece of work that is timed by the processor's own time."""

    def sample() -> Sample:
        start = process_time()
        work()
        return Sample(number, max(process_time() - start, 1e-9))

    return sample
