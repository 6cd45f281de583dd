"""Deals played by several agents at once, in rotation: what `arena` and the training tests stand on.

Every table is one deal and one seating. All tables advance together; each agent answers for all the
seats that are its own in one call. A deal depends on (purpose, seed, number) alone, and an agent that
uses chance gets one generator for each (deal, seat, role), so that no result depends on which other
deals were played beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nap_env.agent import Agent, Generator, Int64, ask
from nap_env.cards import BIDS, THREE
from nap_env.dealing.seeds import evaluation_key
from nap_env.engine.records import NONE
from nap_env.rules import Rules
from nap_env.vector import Tables

CHUNK = 4096
"""Tables that advance together at most."""

BID_COLUMNS = ("bid", "played", "made")


@dataclass(frozen=True, eq=False)
class Played:
    """What came of T tables.

    Attributes:
        stakes: int64 [T, n], each seat's result.
        dealers: int64 [T].
        turns: int64 [T, n], 1 where the seat had its turn in the auction.
        bids: bool [T, n, 8], the bids each seat made, by bid - THREE; the spare hand counts as Nap.
        contract: int64 [T], the action number of the contract; NONE where all passed.
        declarer: int64 [T], or NONE.
        made: bool [T], whether the contract was made.
    """

    stakes: Int64
    dealers: Int64
    turns: npt.NDArray[np.bool_]
    bids: npt.NDArray[np.bool_]
    contract: Int64
    declarer: Int64
    made: npt.NDArray[np.bool_]


def play(
    agents: Sequence[Agent],
    seating: Int64,
    deals: Int64,
    rules: Rules,
    *,
    purpose: str,
    seed: int,
    progress: Callable[[int], None] | None = None,
) -> Played:
    """Play table t with deal number ``deals[t]`` and agent ``agents[seating[t, s]]`` in seat s.

    Args:
        agents: bound to ``rules``; the place of an agent in the list is its role.
        seating: int [T, n].
        deals: int [T].
        purpose, seed: which stream of evaluation deals.
        progress: called with the number of tables finished, now and then.
    """
    parts = []
    for start in range(0, len(deals), CHUNK):
        rows = slice(start, start + CHUNK)
        parts.append(_play_chunk(agents, seating[rows], deals[rows], rules, purpose, seed))
        if progress is not None:
            progress(min(start + CHUNK, len(deals)))
    return Played(*(np.concatenate([getattr(part, name) for part in parts]) for name in Played.__annotations__))


def _play_chunk(agents: Sequence[Agent], seating: Int64, deals: Int64, rules: Rules, purpose: str, seed: int) -> Played:
    keys = {int(deal): evaluation_key(purpose, seed, int(deal)) for deal in np.unique(deals)}
    tables = Tables(len(deals), rules, seed=0, auto_deal=False)
    tables.reset(keys=np.array([keys[int(deal)] for deal in deals], np.uint64))
    dealers = tables.games["dealer"].astype(np.int64)
    chances = _Chances(keys, deals)
    live = np.arange(len(deals))
    while live.size:
        actions = np.empty(live.size, np.int64)
        seats = tables.seat[live].astype(np.int64)
        roles = seating[live, seats]
        for role in np.unique(roles):
            here = np.flatnonzero(roles == role)
            rows = live[here]
            rng = chances.of(agents[role], rows, seats[here], int(role))
            states = _states_of(tables, rows)
            actions[here] = ask(agents[role], tables.obs[rows], tables.mask[rows], rng, states)
        _, done = tables.step(actions, live)
        live = live[~done]
    return _collect(tables, dealers)


def _states_of(tables: Tables, rows: Int64) -> Callable[[], npt.NDArray[np.int8]]:
    return lambda: tables.state()[rows]


class _Chances:
    """Generators by (deal, seat, role), made when first asked for."""

    def __init__(self, keys: dict[int, int], deals: Int64) -> None:
        self.keys = keys
        self.deals = deals
        self.made: dict[tuple[int, int, int], Generator] = {}
        self.idle = np.random.default_rng(0)

    def of(self, agent: Agent, rows: Int64, seats: Int64, role: int) -> Generator | list[Generator]:
        if getattr(agent, "deterministic", False):
            return self.idle
        return [self._one(int(row), int(seat), role) for row, seat in zip(rows, seats, strict=True)]

    def _one(self, row: int, seat: int, role: int) -> Generator:
        name = (row, seat, role)  # a row is a deal in one seating
        if name not in self.made:
            key = self.keys[int(self.deals[row])]
            self.made[name] = np.random.default_rng((key, seat, role))
        return self.made[name]


def _collect(tables: Tables, dealers: Int64) -> Played:
    games, n = tables.games, tables.num_players
    bids = games["bids"][:, :n].astype(np.int64)
    contract = games["contract"].astype(np.int64)
    declarer = games["declarer"].astype(np.int64)
    winners = games["hand_winners"].astype(np.int64)
    made = (contract != NONE) & ((winners >> np.maximum(declarer, 0)) & 1 == 1)
    return Played(
        stakes=tables.net.astype(np.int64),
        dealers=dealers,
        turns=bids != NONE,
        bids=bids[:, :, None] == THREE + np.arange(len(BIDS)),
        contract=contract,
        declarer=declarer,
        made=made,
    )
