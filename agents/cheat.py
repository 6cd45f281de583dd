"""The agent `cheat`: sees all cards. An upper bound, and no player: it is refused in ranked tournaments.

It knows what it holds against, and guesses how the others play. Each call is tried: the hand is played out by rule
with the true cards, and where it becomes declarer in a bid that the solver makes, it counts as made. Each card is
judged by the solver, which needs no guess, and by a playout, which allows for the errors of players who do not see:
a declarer trusts the solver first, a payer, whose partners do not see either, the playout.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from agents.searching.positions import stand
from agents.searching.votes import choose_rows, finish
from agents.searching.workspace import games, workspace
from agents.seeing.view import read
from nap_env import observation
from nap_env.agent import BaseAgent, Generator, Int8, Int64
from nap_env.cards import NUM_ACTIONS, action_id
from nap_env.engine.jit import announce, bit, drop_lowest, lowest, njit
from nap_env.engine.packed import few, marked, word
from nap_env.engine.records import AUCTION, GAME, PLAY
from nap_env.engine.rulebook import made_by_tricks
from nap_env.errors import AgentError
from nap_env.rules import Rules
from nap_env.solver.api import can_make_batch, in_threads
from nap_env.solver.ask import world_rows

_THREE = 53
_AHEAD = 8  # `word` reads on to a multiple of eight
SOLVER_FIRST, PLAYOUT_FIRST = 0.6, 0.4


@njit
def reveal_rows(workspace: Any, observations: Any, masks: Any, cards: Any, at: Any, rules: Any, games: Any) -> None:
    """The games [B] as they are; ``cards`` [B, S + 8] is the state, ``at`` where its parts begin (`_places`)."""
    r, v = rules[0], workspace[0].mine
    for row in range(observations.shape[0]):
        read(observations[row], masks[row], r, v)
        stand(observations[row], v, r, games[row])
        _uncover(cards[row], at, r, games[row])


@njit
def _uncover(cards: Any, at: Any, r: Any, g: Any) -> None:
    """Put all that is hidden into the game; seats of the state are absolute, those of the game the viewer's."""
    n = int(r.num_players)
    viewer = lowest(np.uint64(few(cards, r.at_to_act, n)))
    for seat in range(n):
        place = (viewer + seat) % n
        g.hand[seat] = word(cards, at[0] + 52 * place, 52)
        g.discards[seat] = word(cards, at[1] + 52 * place, 52)
    down = word(cards, at[2], 52)
    if down:
        g.peep_card = lowest(down)
    g.spare = word(cards, at[3], 52)
    stub = marked(cards, at[4], 52)
    g.stub = 0
    while stub:
        card = lowest(stub)
        stub = drop_lowest(stub)
        g.deck[int(cards[at[4] + card]) - 1] = card


@njit
def add_played_open(
    workspace: Any,
    observations: Any,
    masks: Any,
    rules: Any,
    games: Any,
    made: Any,
    sure: Any,
    scratch: Any,
    votes: Any,
) -> None:
    """Judge each action in ``games`` [B] by a playout, and by the solver.

    ``made`` uint64 [B, 1] has the cards, ``sure`` uint64 [B] the bids that the solver makes; votes are added to
    ``votes`` [B, 64]: a card's at most 1, a call's in stakes. ``scratch`` is one GAME to work in.
    """
    r = rules[0]
    v, w = workspace[0].mine, workspace[0].theirs
    for row in range(observations.shape[0]):
        read(observations[row], masks[row], r, v)
        playing = v.phase == PLAY
        solved = PLAYOUT_FIRST if v.declarer else SOLVER_FIRST
        actions = v.legal if drop_lowest(v.legal) else np.uint64(0)
        while actions:
            action = lowest(actions)
            actions = drop_lowest(actions)
            scratch[0] = games[row]
            finish(scratch[0], r, action, not playing, w)
            own = int(scratch[0].declarer) == 0
            if playing:
                good = ((made[row, 0] >> np.uint64(action)) & np.uint64(1)) == (1 if own else 0)
                votes[row, action] = (solved if good else 0.0) + (
                    1.0 - solved if made_by_tricks(scratch[0], r) == own else 0.0
                )
            else:
                votes[row, action] = scratch[0].net[0]
                if own and int(scratch[0].contract) == action and sure[row] & bit(action):
                    votes[row, action] = v.payers * r.made[action - _THREE]


class CheatAgent(BaseAgent):
    """Sees all cards (``needs_state``); deterministic. See the module."""

    name = "cheat"
    deterministic = True
    needs_state = True

    def act_batch(self, observations: Int8, action_masks: Int8, rng: Generator, *states: Int8) -> Int64:
        """The chosen actions [B] int64; observations [B, O], action_masks [B, 64], states [B, S] int8."""
        rules, rows, masks = self.shown(observations, action_masks)
        if len(states) != 1 or states[0].shape != (len(rows), observation.state_size(rules)):
            raise AgentError(f"cheat must see the states too, one array [{len(rows)}, {observation.state_size(rules)}]")
        cards = np.pad(np.asarray(states[0], np.int8), ((0, 0), (0, _AHEAD)))
        kernel, size = rules.kernel, len(rows)
        announce(reveal_rows)
        true = np.zeros(size, GAME)
        reveal_rows(workspace(), rows, masks, cards, _places(rules), kernel, true)
        made, playing = np.zeros((size, 1), np.uint64), (true["phase"] == PLAY).astype(np.int64)
        hands = np.ascontiguousarray(true["hand"])[:, None]
        in_threads(
            lambda state, start, stop: world_rows(state, true, kernel, hands, playing, start, stop, made), size, 1
        )
        votes, out = np.zeros((size, NUM_ACTIONS)), np.empty(size, np.int64)
        add_played_open(workspace(), rows, masks, kernel, true, made, _sure_bids(true, rules), games(), votes)
        choose_rows(workspace(), rows, masks, kernel, votes, out)
        return out


def _sure_bids(true: npt.NDArray[np.void], rules: Rules) -> npt.NDArray[np.uint64]:
    """The bids that the viewer makes with open cards, from the auction; 64-bit sets [B]."""
    found = np.zeros(len(true), np.uint64)
    for dealt in np.unique(true["dealt"]):
        seats = [seat for seat in range(rules.num_players) if int(dealt) >> seat & 1]
        calling = (true["phase"] == AUCTION) & (true["dealt"] == dealt)
        for number in (action_id(bid) for bid in rules.bids):
            rows = np.flatnonzero(calling & (true["legal"] >> np.uint64(number) & np.uint64(1) == 1))
            if rows.size:
                made = can_make_batch(true["hand"][rows][:, seats], 0, number, rules)
                found[rows] |= made.astype(np.uint64) << np.uint64(number)
    return found


def _places(rules: Rules) -> Int64:
    """Where the hidden parts begin in the state: hands, discards, face down, spare, stub."""
    layout = observation.state_layout(rules)
    return np.array([layout[part].start for part in ("hands", "all_discards", "face_down", "spare", "stub")], np.int64)
