"""How a bidding chart is made: deals with their pay-offs, buckets of hands, CFR+, what is off the path, and the proof.

Hands of much the same chances, by the book, share a bucket. The bids of many deals are played out, and each deal is
used with every seat as dealer. CFR+ takes them batch by batch, over and over, small ones first. Its average strategy
is then completed where nobody comes, made pure, rounded as it is shipped, and only then measured: on the deals used,
and on fresh ones.
"""

from __future__ import annotations

import dataclasses
import io
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import nap_env
from agents.auction.chances import find
from agents.auction.hand_classes import class_count, orbit
from agents.auction.tree import AuctionTree, auction_tree
from agents.chart import Chart, as_bid, purified, quantised
from nap_env.rules import Rules
from nap_env.storage.files import write_bytes
from train.chart.buckets import Floats, Int32, buckets, chances, classes_of
from train.chart.cfr import AuctionGame, Solver, Table
from train.chart.exploit import Exploitation, exploit
from train.chart.payoffs import Payoffs, Source, load
from train.progress import Progress

WARM = 0.25, 5
"""So large a part of the iterations comes first, on batches so many times smaller, and is left out of the average."""
SEED = 1_000_000_000
"""Deals of seeds from here on: none that a training run is likely to use."""
FRESH = "chart"
"""The purpose of the evaluation deals on which a chart is tested."""
RARE = 300.0
"""Where fewer deals than this lead a bucket to a node, its call is the best one against others who err now and then."""
ENOUGH = 6
"""Blocks of deals on which those who err are met."""
LEAN = 300.0
"""So many deals of its own weigh as much as what buckets alike are worth there."""
PRIOR = 30.0
"""So many deals weigh as much as what is known without any."""
OTHERS_MAKE = 0.65
"""How often a standing bid is made, as far as that goes."""
ERR = 0.05
"""How often they err."""
SAVE_EVERY = 10


@dataclass(frozen=True)
class ChartConfig:
    """How to make a chart.

    Attributes:
        deals: to be solved, each with every seat as dealer.
        fresh_deals: on which the chart is measured beside those; 0: on those only.
        num_buckets: of hands.
        iterations: of CFR+, each on ``batch`` deals.
        play: whose play makes the bids, "rules" or "open" (see `train.chart.payoffs`); the buckets are from its book.
        pure: only the likeliest call of each bucket and node is kept.
        seed: of the deals (see `train.chart.payoffs.Source`).
        threads: that play out and solve.
    """

    deals: int = 1_000_000
    fresh_deals: int = 400_000
    num_buckets: int = 2400
    iterations: int = 150
    batch: int = 50_000
    pure: bool = True
    play: str = "rules"
    seed: int = SEED
    threads: int = os.cpu_count() or 1


@dataclass(frozen=True, eq=False)
class Material:
    """What a chart is made from: the game on the deals, and the bucket and chances of each class."""

    game: AuctionGame
    bucket: Int32
    chance: Floats

    def bucket_chance(self) -> Floats:
        """The chance of each bucket to make each bid, float [C, R]: the mean of its hands, weighed."""
        weight = orbit(self.game.tree.rules).astype(np.float64)
        sums = [np.bincount(self.bucket, weight * column, self.game.num_classes) for column in self.chance.T]
        return np.stack(sums, axis=1) / np.bincount(self.bucket, weight, self.game.num_classes)[:, None]


def build(rules: Rules, config: ChartConfig, folder: Path, progress: Progress) -> Chart:
    """Make a chart; what is finished is kept in the folder, and a stopped build goes on from there.

    Raises:
        RulesError: rules whose auction or pay-offs cannot be had so, or a folder of another build.
    """
    rules = as_bid(rules)
    material = prepare(rules, config, folder, progress)
    strategy = solve(material, config, folder, progress)
    strategy = complete(material, strategy)
    if config.pure:
        strategy = purified(strategy, material.game.tree)
    table = quantised(strategy, material.game.tree)
    chart = Chart(rules, material.bucket, table, material.bucket_chance(), _about(rules, config))
    chart.about |= measure(chart, material, config, folder, progress)
    return chart


def prepare(rules: Rules, config: ChartConfig, folder: Path, progress: Progress) -> Material:
    """Buckets from the book, deals and pay-offs."""
    book = find(rules, config.play)
    rows = [book.row(bid) for bid in rules.bids]
    chance = chances(rules, book.trials[rows].astype(np.float64), book.made[rows].astype(np.float64))
    bucket = buckets(chance, rules, config.num_buckets)
    payoffs = _payoffs(Source(rules, config.play, config.seed), config.deals, folder / "deals", config, progress)
    return Material(_game(payoffs, bucket, config), bucket, chance)


def _payoffs(source: Source, deals: int, folder: Path, config: ChartConfig, progress: Progress) -> Payoffs:
    with progress.stage("fresh deals" if source.purpose else "deals", deals) as bar:

        def tell(done: int, total: int) -> None:
            bar.update(done, f"{done:,} of {total:,} played out")

        return load(source, deals, folder, config.threads, tell)


def _game(payoffs: Payoffs, bucket: Int32, config: ChartConfig, exact: bool = False) -> AuctionGame:
    """The auction on the deals with every seat as dealer, hands told apart by bucket."""
    classes = classes_of(payoffs)
    return AuctionGame.rotated(
        auction_tree(payoffs.source.rules),
        bucket[classes],
        payoffs.made,
        int(bucket.max()) + 1,
        config.threads,
        config.batch,
        classes if exact else None,
    )


# ---- solving ----------------------------------------------------------------------------------------------


def solve(material: Material, config: ChartConfig, folder: Path, progress: Progress) -> Table:
    """The average strategy of CFR+, float32 [C, N]; goes on from the folder's last checkpoint."""
    file = folder / "solver.npz"
    solver, done = _resumed(file, config, material.game)
    warm = round(WARM[0] * config.iterations)
    with progress.stage("CFR+", config.iterations, done) as bar:
        while done < config.iterations:
            if done == warm:
                solver.forget()
            solver.iterate(*_batch(len(material.game), material.game.block, done, WARM[1] if done < warm else 1))
            done += 1
            bar.update(done, f"iteration {done} of {config.iterations}")
            if done % SAVE_EVERY == 0 or done == config.iterations:
                _save(file, config, done, solver)
    return solver.mean()


def _batch(rows: int, block: int, number: int, parts: int) -> tuple[int, int]:
    """The rows of a batch: block after block, over and over; its first part only."""
    blocks = max(rows // block, 1)
    start = number % blocks * block
    return start, min(start + max(block // parts, 1), rows)


def _save(file: Path, config: ChartConfig, done: int, solver: Solver) -> None:
    buffer = io.BytesIO()
    np.savez(
        buffer,
        config=np.frombuffer(json.dumps(_settings(config)).encode(), np.uint8),
        where=np.array([done, solver.iterations]),
        regrets=solver.regrets,
        strategy=solver.strategy,
        average=solver.average,
    )
    write_bytes(file, buffer.getvalue())


def _resumed(file: Path, config: ChartConfig, game: AuctionGame) -> tuple[Solver, int]:
    """The solver of a checkpoint of the same build and its iterations, else a beginning."""
    if file.is_file():
        with np.load(file) as kept:
            if json.loads(kept["config"].tobytes()) == _settings(config):
                done, averaged = (int(number) for number in kept["where"])
                return Solver(game, kept["regrets"], kept["strategy"], kept["average"], averaged), done
    return Solver.begin(game), 0


def _settings(config: ChartConfig) -> dict[str, Any]:
    """What a checkpoint depends on."""
    values = dataclasses.asdict(config)
    return {name: value for name, value in values.items() if name not in ("fresh_deals", "threads", "pure")}


# ---- off the path -----------------------------------------------------------------------------------------


def complete(material: Material, strategy: Table) -> Table:
    """The strategy with sensible calls where few come, so that CFR+ learned chance or nothing there.

    There a bucket makes the call that is best if those before it err in one call of twenty, the likelier the less the
    error costs them (R. Selten's trembles, 1975), by values that lean on those of all buckets (`smoothed`). The
    dealer's nodes are completed first.
    """
    tree, game = material.game.tree, material.game
    result = strategy.copy()
    loose = (1 - ERR) * strategy + ERR * plausible(material)
    chance = material.bucket_chance()
    some = game.part(0, ENOUGH * game.block)
    for position in reversed(range(tree.positions)):
        shift, after = int(tree.start[position]), int(tree.start[position + 1])
        _, reached = game.call_values(position, result)
        mixed = loose.copy()
        mixed[:, after:] = result[:, after:]
        values, often = some.call_values(position, mixed)
        for node in range(shift, after):
            rare = np.flatnonzero(reached[:, node - shift] < RARE)
            calls = slice(int(tree.first[node]) - after, int(tree.first[node + 1]) - after)
            worth = smoothed(tree, node, chance, values[:, calls], often[:, node - shift])
            result[rare, calls.start + after : calls.stop + after] = 0
            result[rare, int(tree.first[node]) + np.argmax(worth[rare], axis=1)] = 1
    return result


def smoothed(tree: AuctionTree, node: int, chance: Floats, values: Floats, often: Floats) -> Floats:
    """What the calls at a node are worth to each bucket, float [C, calls], in stakes.

    ``values`` [C, calls] are summed over the deals that lead there, ``often`` [C] of them. A bid's worth is taken to
    be linear in the chance to make it, that of passing in what else the hand is good for; each bucket's own deals
    count beside LEAN deals of that line. What is known before any deal counts as PRIOR deals.
    """
    rules = tree.rules
    payers = rules.num_players - 1
    ones = np.ones(len(chance))
    tricks = chance[:, [place for place, bid in enumerate(rules.bids) if bid != "MISERE"]].mean(axis=1)
    duck = chance[:, rules.bids.index("MISERE")] if "MISERE" in rules.bids else np.zeros(len(chance))
    standing = int(tree.rung[node])
    found = np.empty(values.shape)
    for place, child in enumerate(tree.children(node)):
        rung = int(tree.rung[child])
        if rung == standing:
            made, failed = rules.stake(rules.bids[standing]) if standing >= 0 else (0, 0)
            features = np.stack([ones, tricks, duck], axis=1)
            expected = np.array([-(OTHERS_MAKE * made - (1 - OTHERS_MAKE) * failed), 0.0, 0.0])
        else:
            made, failed = rules.stake(rules.bids[rung])
            features = np.stack([ones, chance[:, rung]], axis=1)
            expected = np.array([-failed, made + failed], np.float64) * payers
        prior = PRIOR * np.eye(len(expected))
        weighed = features.T * often
        line = np.linalg.solve(weighed @ features + prior, features.T @ values[:, place] + prior @ expected)
        found[:, place] = (values[:, place] + LEAN * (features @ line)) / (often + LEAN)
    return found


def plausible(material: Material) -> Table:
    """Calls as somebody makes them who looks at his own hand only, float32 [C, N]: softmax of stakes a payer."""
    tree, game = material.game.tree, material.game
    rules = tree.rules
    chance = material.bucket_chance()
    stakes = np.array([rules.stake(bid) for bid in rules.bids], np.float64)
    worth = chance * stakes[:, 0] - (1 - chance) * stakes[:, 1]
    result = np.ones((game.num_classes, tree.size), np.float32)
    for node in range(int(tree.start[-2])):
        calls = tree.children(node)
        own = [np.zeros(len(worth)) if tree.rung[c] == tree.rung[node] else worth[:, tree.rung[c]] for c in calls]
        likely = np.exp(np.clip(np.stack(own, axis=1), -30, 30))
        result[:, calls.start : calls.stop] = likely / likely.sum(axis=1, keepdims=True)
    return result


# ---- what it is worth -------------------------------------------------------------------------------------


def measure(chart: Chart, material: Material, config: ChartConfig, folder: Path, progress: Progress) -> dict[str, Any]:
    """Best responses to the chart as it is shipped: on the deals used, and on fresh ones."""
    found = {"used": _numbers(exploit(material.game, chart.strategy))}
    if not config.fresh_deals:
        return found
    fresh = _payoffs(Source(chart.rules, config.play, 0, FRESH), config.fresh_deals, folder / "fresh", config, progress)
    game = _game(fresh, material.bucket, config, exact=True)
    found["fresh"] = _numbers(exploit(game, chart.strategy))
    found["fresh, exact hands"] = _numbers(exploit(game, chart.strategy, class_count(chart.rules)))
    return found


def _numbers(found: Exploitation) -> dict[str, Any]:
    return {
        "nash_conv": round(found.nash_conv, 5),
        "held_out_gain": round(found.held_out_gain, 5),
        "worth": found.worth.round(4).tolist(),
        "gains": found.gains.round(5).tolist(),
        "held_out": found.held_out.round(5).tolist(),
    }


def _about(rules: Rules, config: ChartConfig) -> dict[str, Any]:
    return _settings(config) | {
        "rules": rules.to_dict(),
        "warm": WARM,
        "pure": config.pure,
        "fresh_deals": config.fresh_deals,
        "nap_env": nap_env.__version__,
    }
