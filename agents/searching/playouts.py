"""Hands played out by rule inside one compiled loop, hundreds of thousands a second: for Monte Carlo.

`made_batch` asks what `nap_env.solver.can_make_batch` asks, of players who see their own cards only. Whole matches
are played out by `nap_env.Tables.playout`, with the loop of an agent that has one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from agents.rules import choose
from agents.seeing.view import VIEW
from nap_env.engine.jit import announce, njit
from nap_env.engine.records import GAME, MAX_SEATS, NONE, PLAY
from nap_env.engine.rulebook import apply, decided, legal, made_by_tricks, open_play
from nap_env.engine.threads import ThreadPool
from nap_env.rules import Rules
from nap_env.solver.inputs import bid_numbers, check_hands, declarers, variant, words

_PASS = 52


def made_batch(
    hands: npt.NDArray[Any], declarer: Any, bid: Any, rules: str | Rules = "standard", threads: int = 1
) -> npt.NDArray[np.bool_]:
    """Whether the declarer makes the bid when all seats play as the agent `rules` does, bool [B].

    ``hands`` uint64 [B, n], n seats; ``declarer`` and ``bid`` (name or number) one or [B]. All others have passed,
    and the declarer leads (R4.1). The answer depends neither on ``threads`` nor on the other rows.

    Raises:
        ValueError: as `nap_env.solver.can_make_batch`; it names the deal.
    """
    deals = words(hands)
    size, n = deals.shape
    chosen = variant(rules, n)
    check_hands(deals, chosen)
    seats = declarers(declarer, size, n)
    bids = bid_numbers(bid, chosen, size)
    kernel = chosen.kernel.copy()
    kernel[0].num_players = n  # a preset is played by as many as there are hands
    out = np.zeros(size, np.bool_)
    announce(made_rows)
    ThreadPool(threads).run(lambda start, stop: made_rows(deals, seats, bids, kernel, start, stop, out), size)
    return out


@njit
def made_rows(hands: Any, seats: Any, bids: Any, rules: Any, start: Any, stop: Any, out: Any) -> None:
    """`made_batch` for rows start..stop-1."""
    r = rules[0]
    games, views = np.zeros(1, GAME), np.zeros(1, VIEW)
    for row in range(start, stop):
        g, v = games[0], views[0]
        _set_up(g, r, hands[row], seats[row], bids[row])
        while int(g.phase) == PLAY and (int(g.best) != NONE or not decided(g, r)):
            apply(g, r, choose(g, r, v))
        out[row] = made_by_tricks(g, r)


@njit
def _set_up(g: Any, r: Any, hands: Any, declarer: Any, bid: Any) -> None:
    """A table at the declarer's first lead, in a match of one hand."""
    n = hands.shape[0]
    for seat in range(MAX_SEATS):
        g.hand[seat] = hands[seat] if seat < n else np.uint64(0)
        g.bids[seat] = _PASS if seat < n else NONE
        g.won[seat] = 0
    g.leaders[:] = NONE
    g.played[:, :] = NONE
    g.in_hand = g.dealt = (1 << n) - 1
    g.dealer = (declarer + n - 1) % n
    g.num_hands = 1
    g.hands = g.turn = g.extra = 0
    g.starting_chips = NONE
    g.peep_card = g.trump = g.revoker = NONE
    g.trick = g.laid = 0
    g.bids[declarer] = bid
    g.contract = bid
    g.declarer = g.seat = declarer
    open_play(g, r)
    g.legal = legal(g, r)
