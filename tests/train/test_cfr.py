"""CFR+ over the auction: against a slow walk, a linear program, and games small enough to be solved to the end."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from scale import NOJIT

from agents.auction.hand_classes import class_count, class_of
from agents.auction.tree import AuctionTree, auction_tree
from nap_env import Rules, solver
from nap_env.cards import BIDS, cards_of
from train.chart.cfr import AuctionGame, Floats, Solver, Table, rotations, uniform_row
from train.chart.exploit import exploit
from train.chart.payoffs import Source, made_bits

ONE_CARD = Rules(num_players=2, hand_size=1, suits=2, pack=8)
TWO_CARDS = Rules(num_players=3, hand_size=2, suits=2, pack=6)


def every_deal(rules: Rules) -> AuctionGame:
    """The auction on every deal of a tiny pack, exact classes, all cards open in the play."""
    size, k = rules.hand_size, rules.num_players
    hands = []
    for cards in itertools.permutations(list(cards_of(rules.pack_mask)), size * k):
        deal = [cards[p * size : (p + 1) * size] for p in range(k)]
        if all(list(hand) == sorted(hand) for hand in deal):
            hands.append([sum(1 << card for card in hand) for hand in deal])
    words = np.array(hands, np.uint64)
    made = made_bits(Source(rules, "open"), words)
    classes = class_of(words.reshape(-1), rules).reshape(words.shape).astype(np.int32)
    return AuctionGame(auction_tree(rules), classes, made, class_count(rules))


def some_strategy(game: AuctionGame, seed: int = 1, zeros: bool = True) -> Table:
    """Random probabilities, many of them 0."""
    rng = np.random.default_rng(seed)
    tree = game.tree
    table = np.ones((game.num_classes, tree.size))
    for node in range(int(tree.start[-2])):
        calls = tree.children(node)
        part = rng.random((game.num_classes, len(calls)))
        if zeros:
            part *= rng.random(part.shape) < 0.6
        part[part.sum(axis=1) == 0] = 1.0
        table[:, calls.start : calls.stop] = part / part.sum(axis=1, keepdims=True)
    return table.astype(np.float32)


# ---- a slow twin: one deal, one node at a time ------------------------------------------------------------


def slow_stakes(tree: AuctionTree, made: int, node: int) -> list[float]:
    """What each position wins at an end (R5.1)."""
    k, rules = tree.positions, tree.rules
    if tree.declarer[node] < 0:
        return [0.0] * k
    declarer, rung = int(tree.declarer[node]), int(tree.rung[node])
    won, lost = rules.stake(rules.bids[rung])
    each = won if made >> (declarer * len(rules.bids) + rung) & 1 else -lost
    return [float(each * (rules.num_players - 1)) if p == declarer else float(-each) for p in range(k)]


def slow_value(game: AuctionGame, deal: int, strategy: Table, node: int) -> list[float]:
    tree = game.tree
    if not tree.children(node):
        return slow_stakes(tree, int(game.made[deal]), node)
    total = [0.0] * tree.positions
    for child in tree.children(node):
        chance = float(strategy[game.classes[deal, tree.level(node)], child])
        for p, value in enumerate(slow_value(game, deal, strategy, child)):
            total[p] += chance * value
    return total


def slow_call_values(game: AuctionGame, position: int, strategy: Table) -> dict[tuple[int, int], float]:
    """(class, node after the call) -> stakes summed over the deals, times the chance to come there."""
    tree, found = game.tree, dict[tuple[int, int], float]()
    for deal in range(len(game)):
        for node in range(int(tree.start[position]), int(tree.start[position + 1])):
            chance, here = 1.0, node
            while here:
                parent = int(tree.parent[here])
                chance *= float(strategy[game.classes[deal, tree.level(parent)], here])
                here = parent
            for child in tree.children(node):
                key = int(game.classes[deal, position]), child
                value = slow_value(game, deal, strategy, child)[position]
                found[key] = found.get(key, 0.0) + chance * value
    return found


def slow_nash_conv(game: AuctionGame, strategy: Table) -> float:
    tree, total = game.tree, 0.0
    for position in range(tree.positions):
        values = slow_call_values(game, position, strategy)
        for row in range(game.num_classes):
            for node in range(int(tree.start[position]), int(tree.start[position + 1])):
                own = [(values.get((row, child), 0.0), float(strategy[row, child])) for child in tree.children(node)]
                total += max(value for value, _ in own) - sum(value * chance for value, chance in own)
    return total / len(game)


@pytest.mark.parametrize("rules", [ONE_CARD, TWO_CARDS])
def test_values_and_nash_conv_are_those_of_the_slow_walk(rules: Rules) -> None:
    whole = every_deal(rules)
    game = AuctionGame(whole.tree, whole.classes[::13], whole.made[::13], whole.num_classes, threads=2)
    strategy = some_strategy(game)
    for position in range(game.tree.positions):
        values, reached = game.call_values(position, strategy)
        shift = int(game.tree.start[position + 1])
        expected = slow_call_values(game, position, strategy)
        assert expected
        for (row, child), value in expected.items():
            assert values[row, child - shift] == pytest.approx(value, abs=2e-3)  # chances have 16 bits
        assert reached.sum() == pytest.approx(len(game), rel=1e-5)
    assert exploit(game, strategy).nash_conv == pytest.approx(slow_nash_conv(game, strategy), abs=1e-3)


def test_worth_adds_up_to_nothing() -> None:
    """What one wins the others pay (R11.3)."""
    game = every_deal(TWO_CARDS)
    found = exploit(game, some_strategy(game))
    assert found.worth.sum() == pytest.approx(0, abs=1e-3)
    assert np.abs(found.worth).max() > 0.1
    assert (found.gains > 0).all()


def test_payers_include_a_dealer_who_sits_out() -> None:
    rules = Rules(num_players=6, dealer_sits_out=True)
    tree = auction_tree(rules)
    made = np.array([1 << 3], np.uint64)  # the first seat makes Nap
    game = AuctionGame(tree, np.zeros((1, 5), np.int32), made, 1)
    strategy = np.zeros((1, tree.size), np.float32)
    node = 0
    for call in ("NAP", "PASS", "PASS", "PASS", "PASS"):
        node = tree.find([*(tree.calls(node)), call])
        strategy[0, node] = 1
    assert exploit(game, strategy).worth.tolist() == [50, -10, -10, -10, -10]


# ---- solved to the end -----------------------------------------------------------------------------------


@pytest.mark.jit
@pytest.mark.parametrize(("rules", "iterations"), [(ONE_CARD, 2000), (TWO_CARDS, 1500)])
def test_nash_conv_goes_to_nothing(rules: Rules, iterations: int) -> None:
    """With two players by theory, with three as it has been observed."""
    solved = Solver.begin(every_deal(rules))
    start = exploit(solved.game, solved.mean()).nash_conv
    for _ in range(iterations):
        solved.iterate()
    end = exploit(solved.game, solved.mean())
    assert start > 1
    assert end.nash_conv < 2e-3
    assert slow_nash_conv(solved.game.part(0, 5), solved.mean()) >= 0


@pytest.mark.jit
def test_value_is_that_of_the_linear_program() -> None:
    """Two players: the first maximises what the second, best answering each call with each card, leaves him."""
    optimize = pytest.importorskip("scipy.optimize")
    game = every_deal(ONE_CARD)
    tree, classes = game.tree, game.num_classes
    first = list(tree.children(0))
    calls, answers = classes * len(first), classes * len(first)
    rows, limits = [], []
    for answer_class in range(classes):
        for place, call in enumerate(first):
            for child in tree.children(call):
                row = np.zeros(calls + answers)
                row[calls + answer_class * len(first) + place] = 1
                for deal in np.flatnonzero(game.classes[:, 1] == answer_class):
                    stakes = slow_stakes(tree, int(game.made[deal]), child)[0]
                    row[int(game.classes[deal, 0]) * len(first) + place] -= stakes / len(game)
                rows.append(row)
                limits.append(0.0)
    sums = np.zeros((classes, calls + answers))
    for row_class in range(classes):
        sums[row_class, row_class * len(first) : (row_class + 1) * len(first)] = 1
    objective = np.concatenate([np.zeros(calls), -np.ones(answers)])
    bounds = [(0, None)] * calls + [(None, None)] * answers
    found = optimize.linprog(objective, np.array(rows), limits, sums, np.ones(classes), bounds)
    solved = Solver.begin(game)
    for _ in range(2000):
        solved.iterate()
    assert exploit(game, solved.mean()).worth[0] == pytest.approx(-found.fun, abs=2e-3)
    assert abs(found.fun) > 0.01


# ---- how it goes on --------------------------------------------------------------------------------------


def small_game(threads: int = 1) -> AuctionGame:
    whole = every_deal(TWO_CARDS)
    step = 9 if NOJIT else 1
    return AuctionGame(whole.tree, whole.classes[::step], whole.made[::step], whole.num_classes, threads)


def test_threads_change_nothing_but_rounding() -> None:
    results = []
    for threads in (1, 2):
        solved = Solver.begin(small_game(threads))
        for _ in range(5):
            solved.iterate()
        results.append(solved.mean())
    assert np.allclose(*results, atol=1e-4)


def test_strategies_are_probabilities_and_regrets_are_not_negative() -> None:
    solved = Solver.begin(small_game())
    for _ in range(4):
        solved.iterate()
    tree = solved.game.tree
    for table in (solved.strategy, solved.mean(), np.tile(uniform_row(tree), (2, 1))):
        assert (table[:, 0] == 1).all()
        for node in range(int(tree.start[-2])):
            calls = tree.children(node)
            assert np.allclose(table[:, calls.start : calls.stop].sum(axis=1), 1, atol=1e-5)
    assert (solved.regrets >= 0).all()


def test_average_gives_later_strategies_more_weight() -> None:
    solved = Solver.begin(small_game())
    seen: list[Floats] = []
    for _ in range(3):
        solved.iterate()
        seen.append(solved.strategy.astype(np.float64))
    expected = (seen[0] + 2 * seen[1] + 3 * seen[2]) / 6
    assert np.allclose(solved.mean()[:, 1:], expected[:, 1:], atol=1e-6)


def test_rotations_begin_with_each_seat() -> None:
    tree = auction_tree(Rules(num_players=3))
    rungs = len(tree.rules.bids)
    made = np.array([0b000001 | 0b001000 << rungs | 0b000010 << 2 * rungs], np.uint64)
    game = AuctionGame.rotated(tree, np.array([[7, 8, 9]], np.int32), made, 10, exact=np.array([[3, 4, 5]], np.int32))
    assert game.classes.tolist() == [[7, 8, 9], [8, 9, 7], [9, 7, 8]]
    assert game.exact is not None
    assert game.exact.tolist() == [[3, 4, 5], [4, 5, 3], [5, 3, 4]]
    assert rotations(np.array([[1, 2]])).tolist() == [[1, 2], [2, 1]]
    for row, order in enumerate(([1, 8, 2], [8, 2, 1], [2, 1, 8])):
        assert [int(game.made[row]) >> p * rungs & 63 for p in range(3)] == order


def test_blocks_hold_the_rotations_of_their_deals_sorted() -> None:
    tree = auction_tree(TWO_CARDS)
    classes = np.random.default_rng(0).integers(9, size=(20, 3)).astype(np.int32)
    game = AuctionGame.rotated(tree, classes, np.zeros(20, np.uint64), 9, block=4)
    assert game.block == 12
    for start in range(0, 20, 4):
        rows = game.classes[3 * start : 3 * start + 12].tolist()
        assert sorted(rows) == sorted(rotations(classes[start : start + 4]).tolist())
        assert [row[:2] for row in rows] == sorted(row[:2] for row in rows)


def test_held_out_best_response_does_not_see_what_it_is_measured_on() -> None:
    """Where success is a coin toss a response fitted to its own deals gains, and held out does not."""
    rng = np.random.default_rng(3)
    tree = auction_tree(Rules(num_players=3))
    rungs = len(BIDS[:6])
    deals = 3000
    bits = rng.random((deals, 3 * rungs)) < 0.5
    made = (bits.astype(np.uint64) << np.arange(3 * rungs, dtype=np.uint64)).sum(axis=1, dtype=np.uint64)
    game = AuctionGame(tree, rng.integers(300, size=(deals, 3)).astype(np.int32), made, 300)
    never = np.zeros((300, tree.size), np.float32)
    never[:, 0] = 1
    never[:, tree.first[: int(tree.start[-2])]] = 1  # PASS is the first child everywhere
    found = exploit(game, never)
    assert found.worth.tolist() == [0, 0, 0]
    truth = 2 * (20 * 0.5 - 10 * 0.5)  # a Nap is worth 5 a hand, whoever holds what
    assert found.held_out_gain < found.nash_conv
    assert found.held_out.mean() < truth + 1.5


def test_a_finer_responder_gains_more() -> None:
    game = every_deal(TWO_CARDS)
    blind = AuctionGame(game.tree, np.zeros_like(game.classes), game.made, 1)
    strategy = blind.uniform()
    told = dataclasses.replace(blind, exact=game.classes)
    coarse, fine = exploit(blind, strategy), exploit(told, strategy, game.num_classes)
    assert fine.nash_conv > coarse.nash_conv + 0.1
    assert fine.worth == pytest.approx(coarse.worth, abs=1e-6)


def test_the_solver_agrees_with_what_is_paid() -> None:
    """The bits of the tiny game are the open-card solver's."""
    game = every_deal(ONE_CARD)
    assert solver.can_make(["AD", "KD"], 0, "NAP", ONE_CARD)
    assert int(game.made[0]) >> len(ONE_CARD.bids) * 2 == 0
