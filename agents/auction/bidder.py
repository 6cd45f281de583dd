"""From chances to bids: what each bid is worth at a place in the auction, and what passing is.

A *place* is the number of seats that call after this one, and the standing bid. There a bid made with chance p in the
book is worth, in stakes,

    stands x payers x (p' x made - (1 - p') x failed) + (1 - stands) x over

with p' = 1 / (1 + exp(-(a + s logit p))), the chance corrected for what the auction tells and for how players really
play (TRAINING 1.3); *stands*, the chance that nobody bids higher; *over*, what is lost to those who do. Passing is
worth what the final contract then costs on the average, which is less than nothing (TRAINING 1.2). All of these were
found by letting bidders of this kind play each other (`train.book.tune`); what is kept are chances, so that other
stakes give other values.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.auction.chances import (
    SHIPPED,
    BookError,
    Chances,
    build_command,
    file_name,
    kind_of,
    question_of,
    user_folder,
)
from nap_env.cards import BIDS
from nap_env.engine.jit import njit
from nap_env.rules import Rules
from nap_env.storage.files import write_bytes

Floats = npt.NDArray[np.float64]

NUM_BIDS = len(BIDS)
NO_BID = NUM_BIDS
"""The place of "nothing" among standing bids and final contracts; the bids have 0..7, by bid - THREE."""

EDGE = 0.005
"""Chances are kept so far from 0 and 1 before their logit is taken."""

_FIELDS = ("correction", "final", "final_made")


class Bidder(NamedTuple):
    """What the kernels need, for one number of hands and given stakes.

    Attributes:
        chance: float32 [C, 8], by class and bid; 0 where the bid is not in use.
        correction: float64 [n, 9, 8, 2], a and s by seats after, standing bid and bid.
        stands: float64 [n, 9, 8].
        over: float64 [n, 9, 8], stakes.
        passing: float64 [n, 9], stakes.
        pays: float64 [8, 2], stakes of all payers together, made and failed.
    """

    chance: npt.NDArray[np.float32]
    correction: Floats
    stands: Floats
    over: Floats
    passing: Floats
    pays: Floats


@njit
def corrected(bidder: Bidder, number: Any, after: Any, standing: Any, bid: Any) -> Any:
    """The chance that the hands of class ``number`` make the bid when it stands."""
    p = min(max(float(bidder.chance[number, bid]), EDGE), 1.0 - EDGE)
    a, s = bidder.correction[after, standing, bid]
    return 1.0 / (1.0 + math.exp(-(a + s * math.log(p / (1.0 - p)))))


@njit
def worth_of_bid(bidder: Bidder, number: Any, after: Any, standing: Any, bid: Any) -> Any:
    """Expected stakes of a bid."""
    p = corrected(bidder, number, after, standing, bid)
    played = p * bidder.pays[bid, 0] - (1.0 - p) * bidder.pays[bid, 1]
    stands = bidder.stands[after, standing, bid]
    return stands * played + (1.0 - stands) * bidder.over[after, standing, bid]


@njit
def best_call(bidder: Bidder, number: Any, after: Any, standing: Any, legal: Any) -> Any:
    """The bid of most worth among ``legal``, bits 0..7; NO_BID where passing is worth as much. And its worth."""
    best, most = NO_BID, bidder.passing[after, standing]
    for bid in range(NUM_BIDS):
        if (legal >> bid) & 1:
            value = worth_of_bid(bidder, number, after, standing, bid)
            if value > most:
                best, most = bid, value
    return best, most


# ---- What was found by play, and the bidder made of it ------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Tuning:
    """How auctions among bidders of the book go on, for one kind of hand, way of play and number of hands.

    Attributes:
        rules, play: as in `Chances`.
        correction: float32 [n, 9, 8, 2], a and s by seats after, standing bid and bid.
        final: float32 [n, 9, 9, 9], by seats after, standing bid, call (8: pass) and final contract (8: none): shares.
        final_made: float32 [n, 9, 9, 9], the share of those that were made.
        origin: what else is told of it, JSON-ready.
    """

    rules: Rules
    play: str
    correction: npt.NDArray[np.float32]
    final: npt.NDArray[np.float32]
    final_made: npt.NDArray[np.float32]
    origin: dict[str, Any]

    def save(self, path: Path) -> None:
        """Write the file, whole or not at all."""
        about = {"rules": self.rules.to_dict(), "play": self.play, **self.origin}
        arrays = {name: getattr(self, name).astype(np.float32) for name in _FIELDS}
        buffer = io.BytesIO()
        np.savez_compressed(buffer, about=np.frombuffer(json.dumps(about).encode(), np.uint8), **arrays)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, buffer.getvalue())


def tuning_name(kind: Rules, play: str) -> str:
    """The name of the file of a tuning."""
    return "bidder-" + file_name(kind, play)


def find_tuning(rules: str | Rules, play: str, hands: int | None = None, folder: Path | None = None) -> Tuning:
    """The tuning for these rules: from ``folder``, or the user's own, or the one that ships.

    Raises:
        BookError: there is none; it names the command that makes it.
    """
    kind = kind_of(rules, hands)
    folders = [user_folder(), SHIPPED] if folder is None else [folder]
    for place in folders:
        path = place / tuning_name(kind, play)
        if path.is_file():
            return _read(path)
    command = build_command(kind, play).replace("--build", "--tune")
    raise BookError(
        f"no bidder was tuned for {kind!r} with the chances of {play} play: do it with: {command}; "
        "or give a threshold, stakes a payer that a bid must exceed: agents.make('book', threshold=0.0)"
    )


def _read(path: Path) -> Tuning:
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
            about = json.loads(file["about"].tobytes())
            arrays = {name: np.asarray(file[name]) for name in _FIELDS}
        rules, play = Rules.from_dict(about.pop("rules")), about.pop("play")
        return Tuning(rules, play, arrays["correction"], arrays["final"], arrays["final_made"], about)
    except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        raise BookError(f"{path} is no tuned bidder, or is damaged ({error}): tune it anew") from error


def chance_table(chances: Chances, rules: Rules) -> npt.NDArray[np.float32]:
    """Probabilities by class and bid, float32 [C, 8]; 0 where the bid is not in use."""
    table = np.zeros((chances.trials.shape[1], NUM_BIDS), np.float32)
    for bid in rules.bids:
        table[:, BIDS.index(bid)] = np.nan_to_num(chances.probability[question_of(bid, chances.rules)])
    return table


def tuned(chances: Chances, tuning: Tuning, rules: Rules) -> Bidder:
    """The bidder that values places as its tuning found them, under the stakes and ladder of ``rules``."""
    pays, payers = _pays(rules), rules.num_players - 1
    # The final contract as a payer meets it: what it costs him, by call and final contract.
    cost = tuning.final_made[..., :NUM_BIDS] * pays[:, 0] - (1 - tuning.final_made[..., :NUM_BIDS]) * pays[:, 1]
    lost = tuning.final[..., :NUM_BIDS] * cost / payers
    own = np.eye(NUM_BIDS, dtype=bool)
    stands = np.clip(tuning.final[:, :, :NUM_BIDS, :NUM_BIDS][..., own], 0.0, 1.0).astype(np.float64)
    others = np.where(own, 0.0, lost[:, :, :NUM_BIDS]).sum(axis=-1)
    over = -others / np.maximum(1 - stands, 1e-9)
    passing = -lost[:, :, NO_BID].sum(axis=-1)
    return Bidder(
        chance_table(chances, rules),
        tuning.correction.astype(np.float64),
        np.ascontiguousarray(stands),
        np.ascontiguousarray(over, np.float64),
        np.ascontiguousarray(passing, np.float64),
        pays,
    )


def plain(chances: Chances, threshold: float, rules: Rules) -> Bidder:
    """The bidder that believes the book as it stands, and bids what is worth more than ``threshold`` a payer."""
    hands = chances.rules.num_players
    shape = (hands, NUM_BIDS + 1, NUM_BIDS)
    correction = np.zeros((*shape, 2))
    correction[..., 1] = 1.0
    passing = np.full((hands, NUM_BIDS + 1), threshold * (rules.num_players - 1))
    return Bidder(chance_table(chances, rules), correction, np.ones(shape), np.zeros(shape), passing, _pays(rules))


def _pays(rules: Rules) -> Floats:
    pays = np.zeros((NUM_BIDS, 2))
    for bid in rules.bids:
        pays[BIDS.index(bid)] = rules.stake(bid)
    return pays * (rules.num_players - 1)
