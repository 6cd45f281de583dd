"""Information-set Monte Carlo tree search, whole in one compiled call: a tree of public actions, a new world each time.

Single-observer ISMCTS of Cowling, Powley and Whitehouse ("Information Set Monte Carlo Tree Search", 2012): each
iteration draws a world that fits what the searcher knows, goes down the tree by the actions legal in that world, adds
one node, and plays the hand out. UCB1 counts how often an action was available, not how often its parent was visited.
A node is a history of calls and cards, which all seats see; discards and the like, which they do not, are left to the
agent `rules` on the way.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from agents.rules import choose
from agents.searching.positions import deal_rest, stand
from agents.seeing.view import read
from nap_env.determinise.counting import count_ways
from nap_env.determinise.drawing import draw_world
from nap_env.determinise.reading import know_row
from nap_env.engine.chance import below, mix
from nap_env.engine.jit import bit, count, drop_lowest, lowest, njit, times
from nap_env.engine.records import AUCTION, NONE, OVER, PLAY
from nap_env.engine.rulebook import apply, decided, made_by_tricks, suit_mask

NODE = np.dtype(
    (
        np.record,
        [
            ("child", np.int64),  # first child, 0: none yet
            ("sibling", np.int64),  # next child of the same parent
            ("action", np.int64),  # that led here
            ("mover", np.int64),  # who took it; seats relative to the searcher
            ("visits", np.int64),
            ("available", np.int64),  # how often the action was legal when its parent was left
            ("total", np.float64),  # sum of the mover's rewards, each 0..1
        ],
    )
)
MAX_DEPTH = 64  # calls and cards of a hand, 7 + 49 at most
_WORLDS, _REST, _STEPS = np.uint64(0x15C7), np.uint64(0x4E57), np.uint64(0x57E9)
_THREE, _NAP = 53, 56


@njit
def tree_rows(
    nodes: Any,
    path: Any,
    workspace: Any,
    games: Any,
    observations: Any,
    masks: Any,
    rules: Any,
    keys: Any,
    begin: Any,
    end: Any,
    exploration: Any,
    by_rule: Any,
    start: Any,
    stop: Any,
    visits: Any,
) -> None:
    """Iterations begin..end-1 for rows start..stop-1 of observations [B, O]; the visits of each action [B, 64].

    ``nodes`` [end + 1] NODE is the tree: it is begun anew for each row unless ``begin`` is above 0, when it must be
    that of the one row asked about. Only calls and cards are searched. ``path`` int64
    [MAX_DEPTH], ``workspace`` a WORKSPACE and two ``games`` are to work in.
    """
    r = rules[0]
    v, w, k = workspace[0].mine, workspace[0].theirs, workspace[0].known
    for row in range(start, stop):
        read(observations[row], masks[row], r, v)
        if v.phase not in (AUCTION, PLAY) or not drop_lowest(v.legal):
            continue
        stand(observations[row], v, r, games[0])
        know_row(observations[row], r, k)
        ways = count_ways(k, v.n)
        if begin == 0:
            _new_node(nodes, 0, NONE, NONE)
        for number in range(begin, end):
            key = mix(keys[row] ^ mix(np.uint64(number)))
            games[1] = games[0]
            g = games[1]
            draw_world(k, ways, v.n, mix(key ^ _WORLDS), g.hand)
            deal_rest(g, v, r, mix(key ^ _REST))
            g.key = key
            depth = _descend(nodes, path, number + 1, g, r, w, key, exploration)
            _play_out(g, r, w, by_rule)
            _reward(nodes, path, depth, g, r, v)
        child = nodes[0].child
        while child:
            visits[row, nodes[child].action] = nodes[child].visits
            child = nodes[child].sibling


@njit
def _new_node(nodes: Any, place: Any, action: Any, mover: Any) -> None:
    node = nodes[place]
    node.child = 0
    node.sibling = 0
    node.action = action
    node.mover = mover
    node.visits = 0
    node.available = 0
    node.total = 0.0


@njit
def _legal(g: Any) -> Any:
    """The legal actions, cards that would revoke left out (R6.1)."""
    trick = int(g.trick)
    if int(g.phase) == PLAY and int(g.best) != NONE:
        following = g.legal & suit_mask(int(g.played[trick, g.leaders[trick]]) // 13)
        if following:
            return following
    return g.legal


@njit
def _descend(nodes: Any, path: Any, fresh: Any, g: Any, r: Any, w: Any, key: Any, exploration: Any) -> Any:
    """Go down by the actions legal in this world until a node is added at place ``fresh``; the length of the path."""
    node, depth = 0, 0
    while int(g.phase) != OVER:
        if int(g.phase) != AUCTION and int(g.phase) != PLAY:
            apply(g, r, choose(g, r, w))  # R8.2, R9: not public
            continue
        legal, seat = _legal(g), int(g.seat)
        untried = legal
        child = nodes[node].child
        best, most = 0, -1.0
        while child:
            c = nodes[child]
            if legal & bit(c.action):
                untried = untried ^ bit(c.action)
                c.available += 1
                value = c.total / c.visits + exploration * math.sqrt(math.log(c.available) / c.visits)
                if value > most:
                    most = value
                    best = child
            child = c.sibling
        if untried:
            best = fresh
            _new_node(nodes, fresh, _pick(untried, mix(key ^ _STEPS)), seat)
            nodes[fresh].available = 1
            nodes[fresh].sibling = nodes[node].child
            nodes[node].child = fresh
        apply(g, r, nodes[best].action)
        path[depth] = best
        depth += 1
        node = best
        if untried:
            break
    return depth


@njit
def _pick(actions: Any, word: Any) -> Any:
    """One of a set of actions."""
    for _ in range(below(word, count(actions))):
        actions = drop_lowest(actions)
    return lowest(actions)


@njit
def _play_out(g: Any, r: Any, w: Any, by_rule: Any) -> None:
    """To the end of the hand, or until the bid is decided."""
    while int(g.phase) != OVER and (int(g.phase) != PLAY or int(g.best) != NONE or not decided(g, r)):
        if by_rule or (int(g.phase) != AUCTION and int(g.phase) != PLAY):
            apply(g, r, choose(g, r, w))
        else:
            apply(g, r, _pick(_legal(g), mix(g.key ^ times(np.uint64(g.turn + 1), np.uint64(0xD1342543DE82EF95)))))


@njit
def _reward(nodes: Any, path: Any, depth: Any, g: Any, r: Any, v: Any) -> None:
    """Rewards 0..1 to the movers: in the play who wins; in the auction stakes, those of a Nap being 0 and 1."""
    bid = int(g.contract) - _THREE
    made, stakes = False, 0
    if bid >= 0:
        made = made_by_tricks(g, r)
        stakes = int(r.made[bid]) if made else -int(r.failed[bid])
    span = 1 if v.phase == PLAY else max(int(r.made[_NAP - _THREE]), int(r.made[0]), 1)
    for step in range(depth):
        node = nodes[path[step]]
        gain = float(stakes) * (v.payers if node.mover == int(g.declarer) else -1)
        if v.phase == AUCTION:
            gain -= _paid(g, node.mover)
        gain /= span * v.payers
        if v.phase == PLAY:
            gain = 1.0 if made == (node.mover == int(g.declarer)) else -1.0
        node.visits += 1
        node.total += 0.5 + 0.5 * min(max(gain, -1.0), 1.0)


@njit
def _paid(g: Any, seat: Any) -> Any:
    """What a look at the peep card cost (R8.1)."""
    return 1.0 if (int(g.peeped) >> seat) & 1 else 0.0


@njit
def most_visited(visits: Any, masks: Any, out: Any) -> None:
    """The legal action with most visits in each row; the first among equals, and where none was searched."""
    for row in range(out.shape[0]):
        best, most = NONE, -1
        for action in range(64):
            if masks[row, action] and visits[row, action] > most:
                most = visits[row, action]
                best = action
        out[row] = best
