"""CFR+ over the auction: regrets of every call of every class of hands, and best responses.

O. Tammelin, "Solving large imperfect information games using CFR+", arXiv:1407.5042, 2014: regret matching plus,
alternating updates, weighted averages. Each seat calls once (R3.1), so its own earlier calls never enter: the regret
of a call is its counterfactual value less that of the mixture. The deals are given with their pay-offs; all of them
are walked for each update of a position, along the calls of positive probability only, shared among threads.

A strategy is a table [C, N] of the probabilities of calls, by class of hand and node of the tree (`auction_tree`): the
column of a node belongs to the position that makes the last call of it.
"""

from __future__ import annotations

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.auction.tree import AuctionTree
from nap_env.engine.jit import njit

Table = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]
Classes = npt.NDArray[np.int32]
Words = npt.NDArray[np.uint64]
BLOCK = 50_000
"""Deals that are taken together."""
FADE = 0.1
"""The part of early regrets that is kept."""
_ONE = 65535
_PART = 1 / _ONE


@dataclass(frozen=True, eq=False)
class AuctionGame:
    """The auction on D given deals.

    Attributes:
        tree: its tree.
        classes: int32 [D, k], the class of each position's hand.
        made: uint64 [D], bit ``position * R + rung``: the position makes that bid (`train.chart.payoffs`).
        num_classes: C.
        threads: that share the deals.
        block: so many deals, or a multiple of it, are taken together: the rotations of a deal are in one block.
        exact: int32 [D, k], finer classes of the hands, by which a responder may tell them apart; or None.
    """

    tree: AuctionTree
    classes: Classes
    made: Words
    num_classes: int
    threads: int = 1
    block: int = 1
    exact: Classes | None = None

    def __len__(self) -> int:
        return len(self.made)

    @classmethod
    def rotated(
        cls,
        tree: AuctionTree,
        classes: Classes,
        made: Words,
        num_classes: int,
        threads: int = 1,
        block: int = BLOCK,
        exact: Classes | None = None,
    ) -> AuctionGame:
        """The auction on deals [D, k] with every seat as dealer in turn, in blocks of so many deals.

        Inside a block the rows are sorted by class: what they have in common is then in the processor's cache.
        """
        k, rungs = tree.positions, len(tree.rules.bids)
        low = np.uint64((1 << rungs) - 1)
        seats = np.stack([made >> np.uint64(seat * rungs) & low for seat in range(k)], axis=1)
        shifts = (np.arange(k) * rungs).astype(np.uint64)
        bits = np.bitwise_or.reduce(rotations(seats) << shifts, axis=1)
        rows, block = rotations(classes), k * block
        number = np.arange(len(rows)) // block
        order = np.lexsort((*rows[:, : min(k, 2)].T[::-1], number))
        fine = None if exact is None else rotations(exact)[order]
        return cls(tree, rows[order], bits[order], num_classes, threads, block, fine)

    def part(self, start: int, stop: int) -> AuctionGame:
        """The same with deals start..stop-1 only."""
        rows = slice(start, stop)
        return dataclasses.replace(
            self,
            classes=self.classes[rows],
            made=self.made[rows],
            exact=None if self.exact is None else self.exact[rows],
        )

    def uniform(self) -> Table:
        """The strategy that makes every legal call alike, float32 [C, N]."""
        return np.tile(uniform_row(self.tree), (self.num_classes, 1))

    def call_values(self, position: int, strategy: Table, num_exact: int = 0) -> tuple[Floats, Floats]:
        """What each call of a position is worth against the others' strategy, and how often its nodes are reached.

        Args:
            position: who calls.
            strategy: float32 [C, N], of the others.
            num_exact: the values are by the exact classes of the position's own hands, so many.

        Returns:
            values float64 [classes, nodes of the next level], stakes summed over the deals, each times the chance that
            the others' calls lead there; and those chances summed, float64 [classes, nodes of the level].
        """
        known = self.exact if num_exact and self.exact is not None else self.classes
        rows = np.ascontiguousarray(known[:, position])
        size = num_exact or self.num_classes
        start = self.tree.start
        pay = self._pay(position)
        chances = np.rint(strategy * _ONE).astype(np.uint16)  # half the size: the walk waits for memory
        edges = np.linspace(0, len(self), self.threads + 1).astype(np.int64)

        def work(thread: int) -> tuple[Floats, Floats]:
            values = np.zeros((size, start[position + 2] - start[position + 1]))
            reached = np.zeros((size, start[position + 1] - start[position]))
            value_rows(
                position, self.tree.first, start, self._outcome, pay, chances, self.classes, rows, self.made,
                edges[thread], edges[thread + 1], values, reached,
            )  # fmt: skip
            return values, reached

        if self.threads == 1:
            return work(0)
        with ThreadPoolExecutor(self.threads) as pool:
            parts = list(pool.map(work, range(self.threads)))
        for values, reached in parts[1:]:
            np.add(parts[0][0], values, out=parts[0][0])
            np.add(parts[0][1], reached, out=parts[0][1])
        return parts[0]

    @property
    def _outcome(self) -> npt.NDArray[np.int32]:
        """The bit of ``made`` that decides an end, or -1: int32 [N]."""
        rungs = len(self.tree.rules.bids)
        return np.where(self.tree.rung < 0, -1, self.tree.declarer * rungs + self.tree.rung).astype(np.int32)

    def _pay(self, position: int) -> Floats:
        """Stakes of a position by the bit that decides, failed and made: float64 [k * R, 2] (R5.1)."""
        rules, k = self.tree.rules, self.tree.positions
        stakes = np.array([rules.stake(bid)[::-1] for bid in rules.bids], np.float64) * [-1, 1]
        pay = np.tile(-stakes, (k, 1))
        pay[position * len(stakes) : (position + 1) * len(stakes)] = stakes * (rules.num_players - 1)
        return pay


def rotations(columns: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Each row [D, k] begun with each of its columns in turn, [D * k, k]."""
    k = columns.shape[1]
    turns = (np.arange(k)[:, None] + np.arange(k)) % k
    return np.ascontiguousarray(columns[:, turns].reshape(-1, k))


@njit
def value_rows(
    position: Any, first: Any, start: Any, outcome: Any, pay: Any, chances: Any, classes: Any, own: Any, made: Any,
    begin: Any, end: Any, values: Any, reached: Any,
) -> None:  # fmt: skip
    """`AuctionGame.call_values` of deals begin..end-1, added to ``values`` and ``reached``; chances in 65535ths."""
    positions = classes.shape[1]
    size = first.shape[0]
    node, after = np.empty(size, np.int32), np.empty(size, np.int32)
    weight, then = np.empty(size), np.empty(size)
    at, share = np.empty(size, np.int32), np.empty(size)
    for deal in range(begin, end):
        row = own[deal]
        found = 1
        node[0] = 0
        weight[0] = 1.0
        for level in range(position):
            found = _on(found, node, weight, first, chances[classes[deal, level]], after, then)
            node, after = after, node
            weight, then = then, weight
        for place in range(found):
            here = node[place]
            reached[row, here - start[position]] += weight[place]
            for child in range(first[here], first[here + 1]):
                ends = 1
                at[0] = child
                share[0] = 1.0
                for level in range(position + 1, positions):
                    ends = _on(ends, at, share, first, chances[classes[deal, level]], after, then)
                    at, after = after, at
                    share, then = then, share
                value = 0.0
                for number in range(ends):
                    bit = outcome[at[number]]
                    if bit >= 0:
                        value += share[number] * pay[bit, int(made[deal] >> np.uint64(bit)) & 1]
                values[row, child - start[position + 1]] += weight[place] * value


@njit
def _on(found: Any, node: Any, weight: Any, first: Any, chances: Any, after: Any, then: Any) -> Any:
    """One level down from nodes with weights, along all calls that are made; how many nodes that makes."""
    more = 0
    for place in range(found):
        for child in range(first[node[place]], first[node[place] + 1]):
            chance = chances[child]
            if chance:
                after[more] = child
                then[more] = weight[place] * chance * _PART
                more += 1
    return more


# ---- regret matching plus ---------------------------------------------------------------------------------


def uniform_row(tree: AuctionTree) -> Table:
    """Every legal call alike, float32 [N]."""
    calls = np.diff(tree.first)
    row = np.ones(tree.size, np.float32)
    row[1:] = 1 / calls[tree.parent[1:]]
    return row


@dataclass(eq=False)
class Solver:
    """CFR+ on a game, iteration by iteration.

    Attributes:
        regrets: float64 [C, N], sums of regrets, never below 0.
        strategy: float32 [C, N], the current one.
        average: float64 [C, N], sums of the strategies so far with weights 1, 2, 3, ...
        iterations: since the average began.
    """

    game: AuctionGame
    regrets: Floats
    strategy: Table
    average: Floats
    iterations: int = 0

    @classmethod
    def begin(cls, game: AuctionGame) -> Solver:
        """Nothing is known: every call alike."""
        shape = game.num_classes, game.tree.size
        return cls(game, np.zeros(shape), game.uniform(), np.zeros(shape))

    def forget(self) -> None:
        """Begin anew from the average so far: early strategies, which are far off, leave no trace in later ones."""
        self.strategy = self.mean()
        self.regrets *= FADE
        self.average[:] = 0
        self.iterations = 0

    def iterate(self, start: int = 0, stop: int | None = None) -> None:
        """One update of each position, in order, each against the others' newest strategy, on deals start..stop-1."""
        self.iterations += 1
        tree = self.game.tree
        deals = self.game if stop is None else self.game.part(start, stop)
        for position in range(tree.positions):
            values, _ = deals.call_values(position, self.strategy)
            nodes = range(tree.start[position], tree.start[position + 1])
            update_rows(
                nodes.start, nodes.stop, tree.first, values, float(self.iterations), self.regrets, self.strategy,
                self.average,
            )  # fmt: skip

    def mean(self) -> Table:
        """The average strategy, float32 [C, N]: what converges."""
        if not self.iterations:
            return self.strategy.copy()
        return (self.average / (self.iterations * (self.iterations + 1) / 2)).astype(np.float32) + _unowned(self.game)


def _unowned(game: AuctionGame) -> Table:
    """The root's column, which belongs to nobody, is 1."""
    row = np.zeros(game.tree.size, np.float32)
    row[0] = 1
    return row


@njit
def update_rows(
    begin: Any, end: Any, first: Any, values: Any, weight: Any, regrets: Any, strategy: Any, average: Any
) -> None:
    """Regrets, strategy and average at nodes begin..end-1 from the values [C, children] of their calls."""
    shift = first[begin]
    for row in range(values.shape[0]):
        for node in range(begin, end):
            low, high = first[node], first[node + 1]
            mean = 0.0
            for child in range(low, high):
                mean += strategy[row, child] * values[row, child - shift]
            total = 0.0
            for child in range(low, high):
                regret = max(regrets[row, child] + values[row, child - shift] - mean, 0.0)
                regrets[row, child] = regret
                total += regret
            for child in range(low, high):
                chance = regrets[row, child] / total if total > 0.0 else 1.0 / (high - low)
                strategy[row, child] = chance
                average[row, child] += weight * chance
