"""Deals, and which bids each seat would make in them, computed once before the auction is solved.

A deal of k hands is k words, in the order in which the seats call, and one word of bits: bit ``position * R + rung``
says whether that seat makes the bid on that rung of a ladder of R. The bids are either played out by the agent `rules`
in all seats, or solved with open cards. Deals come as the environment deals them, from training seeds or from a stream
of evaluation deals, which have no deal in common (`nap_env.dealing.seeds`).

The work is kept in a folder, part by part, and goes on where it stopped.
"""

from __future__ import annotations

import dataclasses
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.searching import playouts
from nap_env import solver
from nap_env.dealing.seeds import evaluation_key
from nap_env.errors import RulesError
from nap_env.rules import Rules
from nap_env.storage.files import write_bytes, write_text
from nap_env.vector import Tables

Words = npt.NDArray[np.uint64]
PART = 50_000
"""Deals in a file, and between two chances to stop."""

PLAYS: dict[str, Callable[..., npt.NDArray[np.bool_]]] = {
    "rules": playouts.made_batch,
    "open": solver.can_make_batch,
}


@dataclass(frozen=True)
class Source:
    """Which deals, and how their bids are played: with the rules, all that a pay-off depends on.

    Attributes:
        rules: which Nap.
        play: "rules" (all seats play by that agent) or "open" (all cards open, best play).
        seed: deal i is the first one of training seed ``seed + i``,
        purpose: or, where this is not empty, evaluation deal i of this purpose and seed.
    """

    rules: Rules
    play: str = "rules"
    seed: int = 0
    purpose: str = ""

    def __post_init__(self) -> None:
        if self.play not in PLAYS:
            raise RulesError(f"play={self.play!r}: bids are played by one of {', '.join(PLAYS)}")
        if self.rules.has_discards:
            raise RulesError("pay-offs are known beforehand only without exchange, peep and spare hand (R7-R9)")

    @property
    def positions(self) -> int:
        """Hands dealt."""
        return self.rules.hands_dealt()

    def to_dict(self) -> dict[str, Any]:
        """As JSON-ready values."""
        return {"rules": self.rules.to_dict(), "play": self.play, "seed": self.seed, "purpose": self.purpose}


@dataclass(frozen=True, eq=False)
class Payoffs:
    """D deals: ``hands`` uint64 [D, k] by position, ``made`` uint64 [D] (bit ``position * R + rung``)."""

    source: Source
    hands: Words
    made: Words

    def __len__(self) -> int:
        return len(self.made)

    def success(self) -> npt.NDArray[np.float64]:
        """The share of deals in which a position makes a bid, float [k, R]."""
        rungs = len(self.source.rules.bids)
        bits = np.arange(self.source.positions * rungs, dtype=np.uint64)
        shares = np.array([np.mean(self.made >> bit & np.uint64(1)) for bit in bits])
        return shares.reshape(self.source.positions, rungs)


def deal_hands(source: Source, start: int, stop: int) -> Words:
    """The hands of deals start..stop-1, uint64 [B, k], from the dealer's left on."""
    keys = None
    if source.purpose:
        numbers = range(start, stop)
        keys = np.array([evaluation_key(source.purpose, source.seed, number) for number in numbers], np.uint64)
    tables = Tables(stop - start, source.rules, seed=source.seed + start, auto_deal=False)
    if keys is not None:
        tables.reset(keys=keys)
    n = source.rules.num_players
    seats = (tables.games["dealer"].astype(np.int64)[:, None] + 1 + np.arange(source.positions)) % n
    return np.ascontiguousarray(np.take_along_axis(tables.games["hand"][:, :n], seats, axis=1))


def made_bits(source: Source, hands: Words, threads: int = 1) -> Words:
    """Which bids the positions make, uint64 [B]; ``hands`` uint64 [B, k]."""
    k, bids = source.positions, source.rules.bids
    rules = dataclasses.replace(source.rules, num_players=k, dealer_sits_out=False)
    found: dict[tuple[int, bool], list[npt.NDArray[np.bool_]]] = {}
    made = np.zeros(len(hands), np.uint64)
    for rung, bid in enumerate(bids):
        alike = rules.tricks_asked(bid), bid == "WELLINGTON" and rules.wellington_lowest_lead
        if alike not in found:
            found[alike] = [PLAYS[source.play](hands, seat, bid, rules, threads) for seat in range(k)]
        for position, result in enumerate(found[alike]):
            made |= result.astype(np.uint64) << np.uint64(position * len(bids) + rung)
    return made


def load(
    source: Source,
    deals: int,
    folder: Path,
    threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Payoffs:
    """Deals 0..deals-1 of a source, from the folder where they are there, else computed and kept there.

    Stopped by Ctrl-C it keeps the parts that are finished. ``progress(done, total)`` counts deals.

    Raises:
        RulesError: the folder holds the deals of another source.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _claim(folder / "source.json", source)
    hands, made = [], []
    for start in range(0, deals, PART):
        file = folder / f"deals-{start // PART:05d}.npy"
        if not file.exists():
            part = deal_hands(source, start, start + PART)
            rows = np.concatenate([part, made_bits(source, part, threads)[:, None]], axis=1)
            buffer = io.BytesIO()
            np.save(buffer, rows)
            write_bytes(file, buffer.getvalue())
        rows = np.load(file)[: deals - start]
        hands.append(rows[:, :-1])
        made.append(rows[:, -1])
        if progress is not None:
            progress(min(start + PART, deals), deals)
    return Payoffs(source, np.concatenate(hands), np.concatenate(made))


def _claim(file: Path, source: Source) -> None:
    """Write whose folder it is, or check that it is ours."""
    about = json.dumps(source.to_dict() | {"part": PART}, indent=2) + "\n"
    if not file.exists():
        write_text(file, about)
    elif file.read_text() != about:
        raise RulesError(f"{file.parent} holds other deals ({file}): give another folder, or delete it")
