"""`chart`: bids by the equilibrium bidding chart, plays its cards by another agent.

A chart is made by `nap book --chart --build` (`train.chart.build`): CFR+ over the whole auction on deals that were
played out beforehand. It holds, for each bucket of hands and each node of the auction, the probability of each call
in steps of 1/64. Charts of the standard rules for 3, 4 and 5 players come with the package.
"""

from __future__ import annotations

import dataclasses
import io
import json
import os
import zipfile
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from agents.auction.hand_classes import class_count, class_of, class_of_hand, layout
from agents.auction.tree import NONE, AuctionTree, auction_tree, follow
from agents.seeing.view import VIEW, read
from nap_env.agent import Agent, BaseAgent, Generator, Int8, Int64, bind
from nap_env.cards import PASS
from nap_env.engine.jit import announce, njit
from nap_env.errors import AgentError, RulesError
from nap_env.rules import Rules
from nap_env.storage.files import write_bytes

FOLDER = Path(__file__).parent / "auction" / "data"
FORMAT = "nap-chart"
VERSION = 1
UNIT = 64
"""Probabilities are whole numbers of 1/64."""
BUILD = "nap book --chart --build"

Table = npt.NDArray[np.float32]


class Chart:
    """Which calls to make.

    Attributes:
        rules: whose auction it is.
        tree: its tree of N nodes.
        bucket: uint16 [classes], of each class of hands.
        table: uint8 [C, N], in 64ths: the column of a node is the probability, by bucket, of the call that leads to it;
            those of the calls at one node add up to 64.
        chance: float32 [C, R], that of a bucket to make each bid of the ladder, to a hundredth.
        about: how the chart came about, and what it was measured to be worth.
    """

    def __init__(
        self,
        rules: Rules,
        bucket: npt.NDArray[Any],
        table: npt.NDArray[Any],
        chance: npt.NDArray[Any],
        about: Mapping[str, Any],
    ) -> None:
        self.rules = as_bid(rules)
        self.tree: AuctionTree = auction_tree(self.rules)
        self.bucket = np.ascontiguousarray(bucket, np.uint16)
        self.table = np.ascontiguousarray(table, np.uint8)
        self.chance = np.round(np.asarray(chance, np.float32), 2)
        self.about = dict(about)
        shape = int(self.bucket.max(initial=0)) + 1, self.tree.size
        if self.bucket.shape != (class_count(rules),) or self.table.shape != shape:
            raise AgentError(f"a chart of {rules} has {class_count(rules)} classes and a table {shape}")
        if self.chance.shape != (shape[0], len(rules.bids)):
            raise AgentError(f"a chart of {rules} has chances {(shape[0], len(rules.bids))}, not {self.chance.shape}")
        totals = np.add.reduceat(self.table.astype(np.int64), self.tree.first[: self.tree.start[-2]], axis=1)
        if (totals != UNIT).any():
            raise AgentError(f"the probabilities of a chart add up to {UNIT} at each node")

    @property
    def strategy(self) -> Table:
        """The probabilities, float32 [C, N]."""
        return (self.table / UNIT).astype(np.float32)

    def calls(self, hand: int, node: int) -> dict[int, float]:
        """The probability of each call of a hand (64-bit set) at a node, by action number."""
        row = self.table[self.bucket[class_of(np.array([hand], np.uint64), self.rules)[0]]]
        return {int(self.tree.call[child]): float(row[child]) / UNIT for child in self.tree.children(node)}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the chart, to a temporary name first."""
        about = {"format": FORMAT, "version": VERSION, "rules": self.rules.to_dict(), "about": self.about}
        buffer = io.BytesIO()
        text = np.frombuffer(json.dumps(about, indent=1).encode(), np.uint8)
        percent = np.round(self.chance * 100).astype(np.uint8)
        table = np.asfortranarray(self.table)
        np.savez_compressed(buffer, about=text, bucket=self.bucket, table=table, percent=percent)
        write_bytes(path, buffer.getvalue())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Chart:
        """Read a chart.

        Raises:
            AgentError: no such file, no chart, or one of another version.
        """
        target = Path(path)
        if not target.is_file():
            raise AgentError(f"no chart at {target}: make one with {BUILD}")
        try:
            with np.load(target) as file:
                about = json.loads(file["about"].tobytes())
                bucket, table, chance = file["bucket"], file["table"], file["percent"] / 100
        except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
            raise AgentError(f"{target} is no chart: {error}") from error
        if not isinstance(about, dict) or about.get("format") != FORMAT or about.get("version") != VERSION:
            raise AgentError(f"{target} is no chart of version {VERSION}, which this nap-env reads")
        try:
            return cls(Rules.from_dict(about["rules"]), bucket, table, chance, about["about"])
        except (KeyError, TypeError, RulesError) as error:
            raise AgentError(f"{target} is a damaged chart: {error}") from error


def as_bid(rules: Rules) -> Rules:
    """The rules without what cannot matter to the chart: how the play ends, and revokes, which no agent here makes."""
    return dataclasses.replace(rules, stop_when_decided=False, revoke="forbidden")


@lru_cache(maxsize=16)
def _loaded(path: str, changed: int) -> Chart:
    return Chart.load(path)


def chart_file(rules: Rules) -> Path:
    """Where the package keeps the chart of these rules."""
    preset = "standard" if as_bid(rules) == as_bid(Rules(num_players=rules.num_players)) else "none"
    return FOLDER / f"chart-{preset}-{rules.num_players}.npz"


def chart_for(rules: Rules) -> Chart:
    """The chart that comes with the package for these rules.

    Raises:
        AgentError: there is none; it says how to make one.
    """
    if rules.has_discards:
        raise AgentError(f"no bidding chart for {rules}: it knows bids only, no exchange, peep or spare hand (R7-R9)")
    file = chart_file(rules)
    if not file.is_file():
        raise AgentError(
            f"no bidding chart for {rules} is at hand, those of the standard rules for 3, 4 and 5 players are; "
            f"make one with: {build_command(rules)} --file FILE, and bid by it as chart:FILE"
        )
    return _load_cached(file)


def build_command(rules: Rules) -> str:
    """The command line that makes a chart."""
    changed = {name: value for name, value in rules.to_dict().items() if name != "num_players"}
    return BUILD + (f" --rules '{json.dumps(changed)}'" if changed else "") + f" --players {rules.num_players}"


def _load_cached(path: str | os.PathLike[str]) -> Chart:
    target = Path(path)
    return _loaded(str(target), target.stat().st_mtime_ns if target.is_file() else 0)


class ChartAgent(BaseAgent):
    """Bids by a chart and plays by another agent.

    Args:
        chart: a `Chart` or a file; left out: the one that comes with the package for the rules at hand.
        player: plays the cards, a name or an agent.
        sample: draw calls by their probabilities, as an equilibrium asks; else the likeliest is made.
    """

    def __init__(
        self, chart: Chart | str | os.PathLike[str] | None = None, player: Any = "rules", sample: bool = False
    ) -> None:
        self.name = "chart"
        super().__init__()
        self.chart = _load_cached(chart) if isinstance(chart, str | os.PathLike) else chart
        self.player, self.sample = player, bool(sample)
        self.needs_state = bool(getattr(player, "needs_state", False))
        self.deterministic = False
        if self.chart is not None:
            self._take(self.chart.rules)

    def for_rules(self, rules: Rules) -> Self:
        """This agent for these rules.

        Raises:
            AgentError: no chart for them is at hand.
        """
        bound: Self = super().for_rules(rules)
        bound._take(rules)
        return bound

    def _take(self, rules: Rules) -> None:
        """Bind the player, and the chart that is wanted, to these rules."""
        if self.chart is None:
            self.chart = chart_for(rules)
        if as_bid(rules) != self.chart.rules:
            raise AgentError(
                f"the chart is of {self.chart.rules}, it cannot bid in {rules}: make one with {build_command(rules)}"
            )
        self.rules = rules
        self.player = bind(self.player, rules)
        self.needs_state = bool(getattr(self.player, "needs_state", False))
        self.deterministic = not self.sample and bool(getattr(self.player, "deterministic", False))

    def act_batch(self, observations: Int8, action_masks: Int8, rng: Generator, *states: Int8) -> Int64:
        """The chosen actions [B] int64; observations [B, O] int8, action_masks [B, 64] int8."""
        return self._act(observations, action_masks, rng, None, states)

    def act_each(self, observations: Int8, action_masks: Int8, rngs: Sequence[Generator], *states: Int8) -> Int64:
        """As `act_batch`, with a generator a row."""
        return self._act(observations, action_masks, None, rngs, states)

    def _act(
        self,
        observations: Int8,
        masks: Int8,
        rng: Generator | None,
        rngs: Sequence[Generator] | None,
        states: tuple[Int8, ...],
    ) -> Int64:
        rules, rows, legal = self.shown(observations, masks)
        if self.chart is None:
            self._take(rules)
        out = np.empty(len(rows), np.int64)
        bidding = np.flatnonzero(legal[:, PASS])
        playing = np.flatnonzero(legal[:, PASS] == 0)
        if bidding.size:
            out[bidding] = self._call(rows[bidding], legal[bidding], self._draws(bidding, rng, rngs))
        if playing.size:
            more = tuple(state[playing] for state in states) if self.needs_state else ()
            out[playing] = _play(self.player, rows[playing], legal[playing], playing, rng, rngs, more)
        return out

    def _draws(self, rows: Int64, rng: Generator | None, rngs: Sequence[Generator] | None) -> npt.NDArray[np.float64]:
        """A number of [0, 1) for each row; below 0 it asks for the likeliest call."""
        if not self.sample:
            return np.full(len(rows), -1.0)
        if rngs is not None:
            return np.array([rngs[row].random() for row in rows])
        assert rng is not None
        return rng.random(len(rows))

    def _call(self, rows: Int8, masks: Int8, draws: npt.NDArray[np.float64]) -> Int64:
        chart = self.chart
        assert chart is not None
        out = np.empty(len(rows), np.int64)
        announce(call_rows)
        call_rows(
            rows, masks, self.rules_for(rows.shape[1]).kernel, layout(chart.rules), chart.tree.first, chart.tree.call,
            chart.bucket, chart.table, draws, out,
        )  # fmt: skip
        return out


def _play(
    player: Agent, rows: Int8, masks: Int8, places: Int64, rng: Generator | None, rngs: Any, states: tuple[Int8, ...]
) -> Int64:
    """What the player of the cards does."""
    if rngs is None:
        assert rng is not None
        return player.act_batch(rows, masks, rng, *states)
    own = [rngs[place] for place in places]
    if hasattr(player, "act_each"):
        return np.asarray(player.act_each(rows, masks, own, *states), np.int64)
    return np.array([player.act(*row) for row in zip(rows, masks, own, *states, strict=True)], np.int64)


@njit
def call_rows(
    observations: Any, masks: Any, rules: Any, numbering: Any, first: Any, call: Any, bucket: Any, table: Any,
    draws: Any, out: Any,
) -> None:  # fmt: skip
    """The calls [B] for rows in the auction; ``draws`` [B] of [0, 1) choose among them, below 0 the likeliest."""
    views = np.zeros(1, VIEW)
    for row in range(len(out)):
        v = views[0]
        read(observations[row], masks[row], rules[0], v)
        node = standing(v, first, call)
        out[row] = _PASS
        if node != NONE:
            chances = table[bucket[class_of_hand(v.hand, numbering)]]
            out[row] = call[choose_call(chances, first[node], first[node + 1], draws[row])]


_PASS = PASS


@njit
def standing(v: Any, first: Any, call: Any) -> Any:
    """The node at which the viewer has to call; a seat that is out of the match counts as one that passed."""
    node = 0
    for place in range(1, v.n + 1):
        seat = (v.dealer + place) % v.n
        if seat == 0:
            return node
        node = follow(node, v.bids[seat] if (v.dealt >> seat) & 1 else _PASS, first, call)
        if node == NONE:
            return NONE
    return NONE


@njit
def choose_call(chances: Any, low: Any, high: Any, draw: Any) -> Any:
    """One of the nodes low..high-1 by its chance in 64ths, or the likeliest, the first among equals."""
    best = low
    left = draw * UNIT
    for child in range(low, high):
        if draw >= 0.0 and left < chances[child]:
            return child
        left -= chances[child]
        if chances[child] > chances[best]:
            best = child
    return best


def purified(strategy: Table, tree: AuctionTree) -> Table:
    """The likeliest call at each node, and no other, float32 [C, N]: the first among equals.

    With thousands of buckets hands do the mixing that an equilibrium asks for (J. Harsanyi, 1973): two that hardly
    differ call differently. What a bucket still mixes is mostly the chance of the deals that were solved.
    """
    pure = np.zeros(strategy.shape, np.float32)
    pure[:, 0] = 1
    rows = np.arange(len(strategy))
    for node in range(int(tree.start[-2])):
        calls = slice(int(tree.first[node]), int(tree.first[node + 1]))
        pure[rows, calls.start + np.argmax(strategy[:, calls], axis=1)] = 1
    return pure


def quantised(strategy: Table, tree: AuctionTree) -> npt.NDArray[np.uint8]:
    """Probabilities float [C, N] as whole 64ths uint8 [C, N], those of a node's calls adding up to 64.

    Every call is rounded down, and what is missing goes to the calls that lost most by it.
    """
    parts = np.asarray(strategy, np.float64) * UNIT
    table = np.zeros(parts.shape, np.uint8)
    table[:, 0] = UNIT
    for node in range(int(tree.start[-2])):
        calls = slice(int(tree.first[node]), int(tree.first[node + 1]))
        some = parts[:, calls] * (UNIT / np.maximum(parts[:, calls].sum(axis=1, keepdims=True), 1e-12))
        whole = np.floor(some + 1e-9)
        rank = np.argsort(np.argsort(whole - some, axis=1, kind="stable"), axis=1, kind="stable")
        table[:, calls] = (whole + (rank < (UNIT - whole.sum(axis=1))[:, None])).astype(np.uint8)
    return table
