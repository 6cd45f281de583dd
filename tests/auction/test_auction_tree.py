"""The auction as a tree: its size, and that it is the rulebook's auction."""

from __future__ import annotations

import pytest

from agents.auction.tree import NONE, AuctionTree, auction_tree
from nap_env import PRESETS, Game, Rules
from nap_env.cards import ACTION_NAMES, PASS
from nap_env.errors import RulesError

SIZES = {3: (42, 22), 4: (98, 63), 5: (210, 154), 6: (420, 336), 7: (792, 672)}  # counted by a prototype, by hand for 3
PLAIN = [name for name, rules in PRESETS.items() if not rules.has_discards]


@pytest.mark.parametrize("players", SIZES)
def test_ends_and_decisions(players: int) -> None:
    tree = auction_tree(Rules(num_players=players))
    assert (tree.ends, len(tree.decisions)) == SIZES[players]


def test_three_players_by_hand() -> None:
    """One seat calls in 5 ways. A second passes or bids higher: 5 + 3 + 2 + 2 (Nap, over it Wellington only) + ..."""
    tree = auction_tree(Rules(num_players=3))
    assert [len(tree.children(child)) for child in tree.children(0)] == [5, 4, 3, 2, 2]
    assert tree.size == 1 + 5 + 16 + 42


@pytest.mark.parametrize("preset", PLAIN)
def test_every_node_is_an_auction_of_the_rulebook(preset: str) -> None:
    rules = PRESETS[preset]
    tree = auction_tree(rules)
    for node in range(0, int(tree.start[-2]), 7 if tree.size > 200 else 1):
        game = Game.deal(seed=1, rules=rules, dealer=0)
        game.play(*[ACTION_NAMES[call] for call in tree.calls(node)])
        legal = [ACTION_NAMES[tree.call[child]] for child in tree.children(node)]
        assert sorted(legal) == sorted(game.legal()), tree.text(node)


@pytest.mark.parametrize("preset", PLAIN)
def test_fields_agree_with_each_other(preset: str) -> None:
    tree = auction_tree(PRESETS[preset])
    assert list(tree.start[:2]) == [0, 1]
    for node in range(1, tree.size):
        parent, calls = int(tree.parent[node]), tree.calls(node)
        assert node in tree.children(parent)
        assert len(calls) == tree.level(node) == tree.level(parent) + 1
        bids = [(place, call) for place, call in enumerate(calls) if call != PASS]
        expected = (NONE, NONE) if not bids else (tree.rules.bids.index(ACTION_NAMES[bids[-1][1]]), bids[-1][0])
        assert (tree.rung[node], tree.declarer[node]) == expected
        assert tree.find(calls) == node
    assert all(not tree.children(node) for node in range(int(tree.start[-2]), tree.size))


def test_decisions_leave_out_where_only_pass_is_legal() -> None:
    tree = auction_tree(Rules(num_players=4))
    forced = tree.find(["NAP", "WELLINGTON", "BLUCHER"])
    assert forced not in tree.decisions
    assert [int(tree.call[child]) for child in tree.children(forced)] == [PASS]


def test_a_dealer_who_sits_out_does_not_call() -> None:
    assert auction_tree(PRESETS["six_handed"]).positions == 5


def test_names_and_errors() -> None:
    tree: AuctionTree = auction_tree(Rules(num_players=3))
    assert tree.text(tree.find(["PASS", 53, "FOUR"])) == "PASS THREE FOUR"
    with pytest.raises(ValueError, match=r"'THREE' after 'PASS FOUR': legal is PASS, NAP \(R3.1, R3.2\)"):
        tree.find(["PASS", "FOUR", "THREE"])
    with pytest.raises(ValueError, match="legal is nothing more"):
        tree.find(["PASS"] * 4)
    with pytest.raises(RulesError, match="R7"):
        auction_tree(PRESETS["peep"])
