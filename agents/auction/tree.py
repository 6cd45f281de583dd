"""The auction as a tree: every way in which the seats can call, one call each (R3.1).

A node is what has been called so far; its level is the number of seats that have called, so the seat to call there
is the one in *position* ``level``: position 0 sits at the dealer's left, the dealer comes last. Nodes are numbered
level by level, the children of a node side by side, PASS first and then the bids upwards: a call of a position *is*
the node it leads to, and one column a node holds a whole strategy.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from nap_env.cards import ACTION_NAMES, BIDS, PASS, THREE, action_id
from nap_env.engine.jit import njit
from nap_env.errors import RulesError
from nap_env.rules import Rules

Int32 = npt.NDArray[np.int32]
NONE = -1


@dataclass(frozen=True, eq=False)
class AuctionTree:
    """The tree of one `Rules`, as arrays over its N nodes; node 0 is the auction before any call.

    Attributes:
        rules: whose auction it is.
        start: int32 [positions + 2], the nodes of level p are ``start[p]:start[p + 1]``; the last level ends it.
        parent: int32 [N], the node before the last call; NONE at the root.
        call: int32 [N], the action number of the last call; NONE at the root.
        rung: int32 [N], the standing bid as its place on the ladder, or NONE.
        declarer: int32 [N], the position that made the standing bid, or NONE.
        first: int32 [N + 1], the children of node v are ``first[v]:first[v + 1]``; an end has none.
    """

    rules: Rules
    start: Int32
    parent: Int32
    call: Int32
    rung: Int32
    declarer: Int32
    first: Int32

    @property
    def size(self) -> int:
        """Number of nodes N."""
        return len(self.parent)

    @property
    def positions(self) -> int:
        """Seats that call: those that are dealt cards (R2.5)."""
        return len(self.start) - 2

    @property
    def ends(self) -> int:
        """Number of ways in which the auction can go."""
        return int(self.start[-1] - self.start[-2])

    @property
    def decisions(self) -> npt.NDArray[np.int64]:
        """The nodes at which there is something to choose, int64 [K]; after the highest bid there is only PASS."""
        return np.flatnonzero(np.diff(self.first) > 1)

    def level(self, node: int) -> int:
        """How many seats have called, which is the position to call next."""
        return int(np.searchsorted(self.start, node, "right")) - 1

    def children(self, node: int) -> range:
        """The nodes that the calls at a node lead to."""
        return range(int(self.first[node]), int(self.first[node + 1]))

    def calls(self, node: int) -> tuple[int, ...]:
        """All calls that led to a node, action numbers in the order of the positions."""
        found: list[int] = []
        while node:
            found.append(int(self.call[node]))
            node = int(self.parent[node])
        return tuple(reversed(found))

    def find(self, calls: Iterable[str | int]) -> int:
        """The node after these calls, names or action numbers.

        Raises:
            ValueError: a call that is not legal there; it names the legal ones.

        >>> tree = auction_tree(Rules(num_players=3))
        >>> tree.text(tree.find(["PASS", "THREE"]))
        'PASS THREE'
        """
        node = 0
        for call in calls:
            action = action_id(call) if isinstance(call, str) else int(call)
            found = [child for child in self.children(node) if self.call[child] == action]
            if not found:
                legal = ", ".join(ACTION_NAMES[self.call[child]] for child in self.children(node))
                raise ValueError(f"{call!r} after '{self.text(node)}': legal is {legal or 'nothing more'} (R3.1, R3.2)")
            node = found[0]
        return node

    def text(self, node: int) -> str:
        """The calls that led to a node, in words."""
        return " ".join(ACTION_NAMES[call] for call in self.calls(node))


@lru_cache(maxsize=32)
def auction_tree(rules: Rules) -> AuctionTree:
    """The tree of every auction that these rules allow.

    Raises:
        RulesError: rules with more to do in or before the auction than to call (R7, R8, R9).

    >>> tree = auction_tree(Rules(num_players=5))
    >>> tree.ends, len(tree.decisions)
    (210, 154)
    """
    if rules.has_discards:
        raise RulesError("the tree of the auction knows bids only: no exchange (R7), peep (R8) or spare hand (R9)")
    over, place = rules.kernel[0].over, rules.kernel[0].place
    nodes = [(NONE, NONE, NONE, NONE)]  # parent, call, rung, declarer
    first, start = [], [0]
    for position in range(rules.hands_dealt()):
        level = range(start[-1], len(nodes))
        start.append(len(nodes))
        for node in level:
            first.append(len(nodes))
            _, _, rung, declarer = nodes[node]
            nodes.append((node, PASS, rung, declarer))
            standing = BIDS.index(rules.bids[rung]) if rung >= 0 else len(BIDS)
            for bid in sorted(range(len(BIDS)), key=lambda b: int(place[b])):
                if int(over[standing]) >> (THREE + bid) & 1:
                    nodes.append((node, THREE + bid, int(place[bid]), position))
    first += [len(nodes)] * (len(nodes) - start[-1] + 1)
    start.append(len(nodes))
    parents, calls, rungs, declarers = (np.array(column, np.int32) for column in zip(*nodes, strict=True))
    starts, firsts = np.array(start, np.int32), np.array(first, np.int32)
    return AuctionTree(rules, starts, parents, calls, rungs, declarers, firsts)


# ---- for the compiled loops -----------------------------------------------------------------------------


@njit
def follow(node: Any, action: Any, first: Any, call: Any) -> Any:
    """The node that a call leads to, or NONE where it is not legal."""
    for child in range(first[node], first[node + 1]):
        if call[child] == action:
            return child
    return NONE
