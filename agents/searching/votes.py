"""What each action is worth over many worlds: by the solver, with open cards, and by playing the hand out by rule.

Two judges, neither of them right. The solver plays perfectly and lets everybody see all cards: it hides nothing, and
it believes that the others do not err. A playout lets all see what they see, and play as the agent `rules`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.rules import choose, decide
from agents.searching.positions import deal_rest
from agents.searching.worlds import BIDS, kind_of
from agents.seeing.view import read, read_voids
from nap_env.engine.chance import mix
from nap_env.engine.jit import bit, drop_lowest, lowest, njit
from nap_env.engine.records import NONE, OVER, PLAY
from nap_env.engine.rulebook import apply, decided, made_by_tricks

_REST = np.uint64(0x4E57)


@njit
def add_solved(
    workspace: Any, observations: Any, masks: Any, rules: Any, made: Any, counts: Any, shares: Any, votes: Any
) -> None:
    """Add to ``votes`` [B, 64] the solver's: its share for each world of ``made`` [B, W] in which a card serves.

    A card serves the declarer when the bid is made, and a payer when it is not.
    """
    v = workspace[0].mine
    for row in range(votes.shape[0]):
        if counts[row] == 0:
            continue
        read(observations[row], masks[row], rules[0], v)
        kind = kind_of(v)
        if kind == BIDS or shares[kind] == 0.0:
            continue
        for world in range(counts[row]):
            cards = v.legal & (made[row, world] if v.declarer == 0 else ~made[row, world])
            while cards:
                votes[row, lowest(cards)] += shares[kind]
                cards = drop_lowest(cards)


@njit
def add_played(
    workspace: Any,
    observations: Any,
    masks: Any,
    rules: Any,
    keys: Any,
    games: Any,
    worlds: Any,
    counts: Any,
    shares: Any,
    scratch: Any,
    start: Any,
    stop: Any,
    votes: Any,
    mine: Any,
) -> None:
    """Add to ``votes`` [B, 64] those of playouts by rule in rows start..stop-1 of ``worlds`` [B, W, 7].

    A card's vote is what the shares leave of 1 where it serves its player; a call's is what the hand brings the
    viewer, in stakes. ``mine`` uint64 [B] gets the calls with which the viewer became declarer in that bid in some
    world. ``games`` [B] are as the seats see them; ``scratch`` is one GAME to work in.
    """
    r = rules[0]
    v, w = workspace[0].mine, workspace[0].theirs
    for row in range(start, stop):
        if counts[row] == 0:
            continue
        read(observations[row], masks[row], r, v)
        kind = kind_of(v)
        part = 1.0 - shares[kind]
        if part == 0.0:
            continue
        g = games[row]
        for world in range(counts[row]):
            for seat in range(1, v.n):
                g.hand[seat] = worlds[row, world, seat]
            if kind == BIDS:
                deal_rest(g, v, r, mix(keys[row] ^ mix(np.uint64(world) ^ _REST)))
            actions = v.legal
            while actions:
                action = lowest(actions)
                actions = drop_lowest(actions)
                scratch[0] = g
                finish(scratch[0], r, action, kind == BIDS, w)
                if kind == BIDS:
                    votes[row, action] += part * scratch[0].net[0]
                    if int(scratch[0].declarer) == 0 and int(scratch[0].contract) == action:
                        mine[row] |= bit(action)
                elif made_by_tricks(scratch[0], r) == (v.declarer == 0):
                    votes[row, action] += part


@njit
def finish(g: Any, r: Any, action: Any, settle: Any, w: Any) -> None:
    """Take this action, and let all play on as `rules` to the end of the hand, or until the bid is decided."""
    apply(g, r, action)
    while int(g.phase) != OVER and (settle or int(g.best) != NONE or not decided(g, r)):
        apply(g, r, choose(g, r, w))


@njit
def choose_rows(workspace: Any, observations: Any, masks: Any, rules: Any, votes: Any, out: Any) -> None:
    """The action with most votes; among equals the choice of `rules`, and where nothing was voted on it too."""
    r, v = rules[0], workspace[0].mine
    for row in range(len(out)):
        read(observations[row], masks[row], r, v)
        if v.phase == PLAY:
            read_voids(observations[row], r, v)
        best = decide(v, r) if drop_lowest(v.legal) else lowest(v.legal)
        most = votes[row, best] + 1e-9
        actions = v.legal & ~bit(best)
        while actions:
            action = lowest(actions)
            actions = drop_lowest(actions)
            if votes[row, action] > most:
                most = votes[row, action]
                best = action
        out[row] = best
