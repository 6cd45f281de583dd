"""What each legal bid is worth: all of them tried on the same deal, the rest played by a teacher.

One decision of the auction is drawn from each deal; every legal bid is made there in turn, and the teacher
plays all seats to the end. A network then learns the value of each bid from what the seat can see, so that
the warm start can bid better than its teacher (TRAINING section 3: all legal bids on the same deal).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from agents.seeing.features import feature_size, features
from nap_env.agent import Agent, ask
from nap_env.cards import NUM_ACTIONS
from nap_env.engine import records
from nap_env.rules import Rules
from nap_env.vector import Tables

Floats = npt.NDArray[np.float32]
Report = Callable[[float], None]


@dataclass(frozen=True)
class Trials:
    """D decisions of the auction: feature rows int8 [D, F], values float32 [D, 64], nan where not legal."""

    rows: npt.NDArray[np.int8]
    values: Floats


def try_bids(teacher: Agent, rules: Rules, deals: int, seed: int, report: Report) -> Trials:
    """Draw a decision from the auction of each deal, and value its bids in stakes.

    ``report(share)`` is called as it goes.
    """
    tables = _at_the_auction(teacher, rules, deals, seed)
    rows, masks, _ = features(tables.obs, tables.mask, rules)
    values = np.full((tables.num_tables, NUM_ACTIONS), np.nan, np.float32)
    bids = np.flatnonzero(masks.any(axis=0))
    for number, bid in enumerate(bids):
        legal = np.flatnonzero(masks[:, bid])
        values[legal, bid] = _played_out(teacher, tables, legal, int(bid), seed)
        report((number + 1) / len(bids))
    return Trials(rows, values)


def _at_the_auction(teacher: Agent, rules: Rules, deals: int, seed: int) -> Tables:
    """Tables at a decision of the auction, the k-th of each deal with k drawn."""
    tables = Tables(deals, rules, seed=seed, auto_deal=False)
    rng = np.random.default_rng(seed)
    left = rng.integers(rules.num_players, size=deals)
    while True:
        bidding = tables.games["phase"] == records.AUCTION
        left -= bidding
        go_on = np.flatnonzero(~tables.over & (~bidding | (left >= 0)))
        go_on = go_on[tables.games["phase"][go_on] != records.PLAY]
        if not go_on.size:
            break
        tables.step(ask(teacher, tables.obs[go_on], tables.mask[go_on], rng), go_on)
    stopped = np.flatnonzero(tables.games["phase"] == records.AUCTION)
    return _copies(tables, stopped)


def _copies(tables: Tables, rows: npt.NDArray[np.int64]) -> Tables:
    """The matches at some tables, at tables of their own."""
    copies = Tables(len(rows), tables.rules, seed=0, auto_deal=False)
    copies.put(tables.games[rows])
    return copies


def _played_out(
    teacher: Agent, tables: Tables, rows: npt.NDArray[np.int64], bid: int, seed: int
) -> npt.NDArray[np.int32]:
    """What the seat to act wins from here, stakes [K], if it bids so and the teacher plays on."""
    copies = _copies(tables, rows)
    seats = copies.seat.copy()
    before = copies.net[np.arange(len(rows)), seats].copy()
    rng = np.random.default_rng(seed)
    copies.step(np.full(len(rows), bid))
    while (live := np.flatnonzero(~copies.over)).size:
        copies.step(ask(teacher, copies.obs[live], copies.mask[live], rng), live)
    return copies.net[np.arange(len(rows)), seats] - before


class BidValues:
    """A network from feature rows to the value of each action of the auction, scaled."""

    def __init__(self, trials: Trials, rules: Rules, seed: int, scale: float) -> None:
        torch.manual_seed(seed)
        self.trials, self.scale = trials, scale
        self.net = torch.nn.Sequential(
            torch.nn.Linear(feature_size(rules), 128),
            torch.nn.ReLU(),
            torch.nn.Linear(128, 64),
            torch.nn.ReLU(),
            torch.nn.Linear(64, NUM_ACTIONS),
        )

    def fit(self, epochs: int, seed: int, report: Report, batch_size: int = 2048, rate: float = 2e-3) -> None:
        """Least squares on the bids that were tried; ``report(share)`` is called as it goes."""
        optimizer = torch.optim.AdamW(self.net.parameters(), lr=rate, weight_decay=1e-2)
        rng = np.random.default_rng(seed)
        rows = len(self.trials.rows)
        steps = max(1, epochs * (rows // batch_size))
        for step in range(steps):
            batch = rng.integers(rows, size=min(batch_size, rows))
            for group in optimizer.param_groups:
                group["lr"] = rate * (1 - 0.95 * step / steps)
            wanted = torch.as_tensor(self.trials.values[batch] / self.scale)
            known = ~torch.isnan(wanted)
            found = self.net(torch.as_tensor(self.trials.rows[batch]).float())
            loss = ((found - wanted)[known] ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            report((step + 1) / steps)

    def soft(self, rows: torch.Tensor, masks: torch.Tensor, temperature: float) -> torch.Tensor:
        """Probabilities [B, 64] that fall with what a bid is worth less than the best, in scaled stakes."""
        with torch.no_grad():
            values = self.net(rows).masked_fill(~masks, -torch.inf)
            return torch.softmax(values / temperature, dim=1)
