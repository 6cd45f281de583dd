"""What an observation holds: one table, from which slices, lengths, documentation and words all come.

An observation is a vector of int8. Everything is relative to the viewing seat: place 0 of a field
``n`` long is the viewer himself, place 1 the seat to his left. The length depends on the rules alone.
The compiled writer is `views.observe`; it takes the offsets from here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from nap_env.cards import CARD_NAMES, SUITS

if TYPE_CHECKING:
    from nap_env.rules import Rules

Int8 = npt.NDArray[np.int8]
PHASE_NAMES = ("BUY", "DISCARD", "ECARTE", "AUCTION", "GARNET", "SWAP", "PLAY")


@dataclass(frozen=True)
class Field:
    """One field of the observation: its name, length under given rules, and meaning."""

    name: str
    size: Callable[[Rules], int]
    meaning: str


def _n(rules: Rules) -> int:
    return rules.num_players


FIELDS: tuple[Field, ...] = (
    Field("phase", lambda r: len(PHASE_NAMES), "one-hot: " + ", ".join(PHASE_NAMES) + "; zero after the end"),
    Field("to_act", _n, "one-hot: the seat to act"),
    Field("dealer", _n, "one-hot: the dealer"),
    Field("in_hand", _n, "1: the seat takes part in this hand, that is, plays or pays"),
    Field("dealt", _n, "1: the seat was dealt cards"),
    Field("hand", lambda r: 52, "1: a card the viewer holds"),
    Field("discards", lambda r: 52 if r.has_discards else 0, "1: a card the viewer put away face down"),
    Field("peep_card", lambda r: 52 if r.peep else 0, "one-hot: the peep card, once the viewer has seen it"),
    Field("peeped", lambda r: r.num_players if r.peep else 0, "1: the seat looked at the peep card"),
    Field("swapped", lambda r: 1 if r.peep else 0, "1: the declarer took the peep card"),
    Field("bought", lambda r: r.num_players if r.exchange != "none" else 0, "number of cards the seat bought"),
    Field("spare_taker", lambda r: r.num_players if r.sir_garnet else 0, "one-hot: who took the spare hand"),
    Field(
        "bids",
        lambda r: r.num_players * (1 + len(r.bids)),
        "a row a seat, one-hot: PASS, then the bids of the ladder; zero before its turn",
    ),
    Field("contract", lambda r: len(r.bids), "one-hot: the highest bid so far"),
    Field("declarer", _n, "one-hot: who made it"),
    Field("trump", lambda r: 4, "one-hot: trumps, C D H S"),
    Field("won", _n, "tricks won"),
    Field("leaders", lambda r: r.hand_size * r.num_players, "a row a trick, one-hot: who led it"),
    Field(
        "trick",
        lambda r: 17 * r.num_players,
        "the trick on the table, a row a seat: suit C D H S one-hot, then rank 2..A one-hot",
    ),
    Field(
        "played",
        lambda r: 52 * r.num_players,
        "a row a seat: for each card it played in this hand the number of the trick, 1..; else 0",
    ),
    Field("out", _n, "1: the seat is out of the match"),
    Field("extra_hand", lambda r: 1, "number of the extra hand of a tie-break, 0 before them"),
    Field("has_chips", lambda r: 1, "1: balances are counted"),
    Field("pool", lambda r: 2, "stakes in the pool, wide"),
    Field("hands_left", lambda r: 2, "hands of the match still to finish, this one included, wide"),
    Field("rebuys", _n, "re-buys left, at most 127 shown"),
    Field("net", lambda r: 2 * r.num_players, "stakes won minus lost in the match, a wide number a seat"),
    Field("chips", lambda r: 2 * r.num_players, "balances, a wide number a seat; zero without starting chips"),
)
"""*Wide* is a number as two int8, ``floor(x / 128)`` and ``x mod 128``: exact from -16384 to 16383, clipped
beyond. `wide` reads it."""


@lru_cache(maxsize=256)
def layout(rules: Rules) -> dict[str, slice]:
    """Where each field stands; fields that a variant does not have are left out."""
    slices: dict[str, slice] = {}
    at = 0
    for field in FIELDS:
        size = field.size(rules)
        if size:
            slices[field.name] = slice(at, at + size)
            at += size
    return slices


def size(rules: Rules) -> int:
    """The length O of an observation under these rules."""
    return int(list(layout(rules).values())[-1].stop)


STATE_FIELDS: tuple[Field, ...] = (
    Field("hands", lambda r: 52 * r.num_players, "a row a seat, 1: a card it holds"),
    Field("all_discards", lambda r: 52 * r.num_players, "a row a seat, 1: a card it put away"),
    Field("face_down", lambda r: 52, "one-hot: the peep card, seen or not"),
    Field("spare", lambda r: 52, "1: a card of the spare hand nobody has taken"),
    Field("stub", lambda r: 52, "for each undealt card its place in the stub, 1 is the top (0: not there)"),
    Field("lookers", _n, "1: the seat looked at the peep card"),
)


@lru_cache(maxsize=256)
def state_layout(rules: Rules) -> dict[str, slice]:
    """Where each field of ``state()`` stands: seat 0's observation (seats are absolute), then all else."""
    slices = dict(layout(rules))
    at = size(rules)
    for field in STATE_FIELDS:
        width = field.size(rules)
        slices[field.name] = slice(at, at + width)
        at += width
    return slices


def state_size(rules: Rules) -> int:
    """The length of ``state()``."""
    return int(list(state_layout(rules).values())[-1].stop)


def wide(pair: Int8) -> int:
    """The number behind two int8 of a wide field.

    >>> wide(np.array([-3, 84], np.int8))
    -300
    """
    return int(pair[0]) * 128 + int(pair[1])


def table(rules: Rules) -> str:
    """The fields under these rules as a Markdown table."""
    rows = ["| field | places | meaning |", "|---|---|---|"]
    meanings = {field.name: field.meaning for field in FIELDS}
    for name, where in layout(rules).items():
        rows.append(f"| `{name}` | {where.start}..{where.stop - 1} | {meanings[name]} |")
    return "\n".join(rows)


def decode(observation: Int8, rules: Rules) -> dict[str, Any]:
    """Say in words what a seat knows; seats in the answer are relative to the viewer (0 is he).

    Raises:
        ValueError: the vector has not the length of these rules.
    """
    observation = np.asarray(observation)
    if observation.shape != (size(rules),):
        raise ValueError(
            f"an observation under these rules has shape ({size(rules)},), not {observation.shape}: other rules?"
        )
    at = layout(rules)
    n = rules.num_players

    def part(name: str) -> Int8:
        return observation[at[name]] if name in at else np.zeros(0, np.int8)

    def one(name: str) -> int | None:
        hits = np.flatnonzero(part(name))
        return int(hits[0]) if hits.size else None

    def names(vector: Int8) -> list[str]:
        return [CARD_NAMES[i] for i in np.flatnonzero(vector)]

    phase, contract, trump = one("phase"), one("contract"), one("trump")
    calls = ("PASS", *rules.bids)
    bids = part("bids").reshape(n, len(calls))
    played = part("played").reshape(n, 52)
    leaders = part("leaders").reshape(rules.hand_size, n)
    tricks = []
    for trick in range(rules.hand_size):
        led = np.flatnonzero(leaders[trick])
        if not led.size:
            break
        seats = [int(led[0] + k) % n for k in range(n)]
        cards = {seat: CARD_NAMES[card] for seat in seats for card in np.flatnonzero(played[seat] == trick + 1)}
        tricks.append({"leader": seats[0], "cards": cards})
    peep_card = one("peep_card")
    return {
        "phase": None if phase is None else PHASE_NAMES[phase],
        "to_act": one("to_act"),
        "dealer": one("dealer"),
        "in_hand": np.flatnonzero(part("in_hand")).tolist(),
        "dealt": np.flatnonzero(part("dealt")).tolist(),
        "hand": names(part("hand")),
        "discards": names(part("discards")),
        "peep_card": None if peep_card is None else CARD_NAMES[peep_card],
        "peeped": np.flatnonzero(part("peeped")).tolist(),
        "swapped": bool(part("swapped").any()),
        "bought": part("bought").tolist(),
        "spare_taker": one("spare_taker"),
        "bids": {seat: calls[int(np.argmax(row))] for seat, row in enumerate(bids) if row.any()},
        "contract": None if contract is None else rules.bids[contract],
        "declarer": one("declarer"),
        "trump": None if trump is None else SUITS[trump],
        "won": part("won").tolist(),
        "tricks": tricks,
        "out": np.flatnonzero(part("out")).tolist(),
        "extra_hand": int(part("extra_hand")[0]),
        "pool": wide(part("pool")),
        "hands_left": wide(part("hands_left")),
        "rebuys": part("rebuys").tolist(),
        "net": [wide(pair) for pair in part("net").reshape(n, 2)],
        "chips": [wide(pair) for pair in part("chips").reshape(n, 2)] if part("has_chips")[0] else None,
    }
