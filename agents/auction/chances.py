"""The book's numbers: how often each class of hands made each bid, in trials, as they are kept in a file.

A file holds one kind of hand (cards in it, pack, and what changes the play), one number of hands at the table and one
way of play: `open` (exact play, all cards open) or `rules` (all seats play by the agent `rules`). It holds counts, so
nothing is rounded, errors follow, and a build goes on from it. Files ship with the package; others are built by
``nap book --build`` into a folder of the user's. Where both are there, the one with more trials is read.
"""

from __future__ import annotations

import dataclasses
import io
import json
import os
import zipfile
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.auction.hand_classes import class_count, class_of
from nap_env.errors import NapError
from nap_env.rules import Rules, make_rules
from nap_env.storage.files import write_bytes

Counts = npt.NDArray[np.uint16]
Floats = npt.NDArray[np.float64]

PLAYS = ("open", "rules")
SHIPPED = Path(__file__).parent / "data" / "book"
_FORMAT = 1


class BookError(NapError):
    """Chances that are not there, cannot be read, or do not answer what was asked."""


@dataclass(frozen=True, eq=False)
class Chances:
    """Counts of trials and successes.

    Attributes:
        rules: the kind of hand (`kind_of`); its ``num_players`` is the number of hands at the table.
        play: `open` or `rules`.
        trials, made: uint16 [Q, C], by question (`questions`) and class of hands.
        origin: what else is told of where the counts come from, JSON-ready.
    """

    rules: Rules
    play: str
    trials: Counts
    made: Counts
    origin: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def probability(self) -> Floats:
        """Share of the trials that were made, float [Q, C]; nan without a trial."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.made / self.trials.astype(np.float64))

    @cached_property
    def error(self) -> Floats:
        """Standard error of ``probability``, float [Q, C] (`standard_error`)."""
        return standard_error(self.made, self.trials)

    def row(self, bid: str) -> int:
        """The row of a bid's question.

        Raises:
            BookError: the bid is not on the ladder of hands of this size.
        """
        return question_of(bid, self.rules)

    def of(self, hand: int) -> dict[str, tuple[float, float]]:
        """Probability and standard error of each bid for one hand, a 64-bit set.

        Raises:
            ValueError: it is no hand of this kind.
        """
        number = int(class_of(np.array([hand], np.uint64), self.rules)[0])
        found = {}
        for bid in self.rules.bids:
            row = self.row(bid)
            found[bid] = (float(self.probability[row, number]), float(self.error[row, number]))
        return found

    def save(self, path: Path) -> None:
        """Write the file, whole or not at all; the same counts give the same bytes."""
        about = {"format": _FORMAT, "rules": self.rules.to_dict(), "play": self.play, **self.origin}
        buffer = io.BytesIO()
        np.savez_compressed(
            buffer,
            about=np.frombuffer(json.dumps(about).encode(), np.uint8),
            trials=_planes(self.trials),
            made=_planes(self.made),
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, buffer.getvalue())


def _planes(counts: Counts) -> npt.NDArray[np.uint8]:
    """Low bytes, then high bytes, uint8 [2, Q, C]: the high ones are mostly 0 and take no room."""
    return np.stack([counts & 0xFF, counts >> 8]).astype(np.uint8)


def standard_error(made: npt.NDArray[Any], trials: npt.NDArray[Any]) -> Floats:
    """The standard error of a share: the deviation of its posterior when all shares are as likely beforehand.

    Unlike the plain formula it is not 0 after a few trials that went one way, so that it may say when to stop.
    """
    number = trials.astype(np.float64)
    share = (made + 1) / (number + 2)
    return np.asarray(np.sqrt(share * (1 - share) / (number + 3)))


# ---- What is asked ------------------------------------------------------------------------------------------


def kind_of(rules: str | Rules, hands: int | None = None) -> Rules:
    """The rules stripped of all that does not change how a hand is played out; ``hands``: dealt at the table."""
    chosen = make_rules(rules)
    return Rules(
        num_players=chosen.hands_dealt() if hands is None else hands,
        hand_size=chosen.hand_size,
        pack=None if chosen.pack_size == 13 * chosen.suits else chosen.pack_size,
        suits=chosen.suits,
        misere_trump=chosen.misere_trump,
        wellington_lowest_lead=chosen.wellington_lowest_lead,
    )


def questions(kind: Rules) -> tuple[str, ...]:
    """The bids that are different questions, in the order of the rows.

    Wellington and Blucher ask for what Nap asks for, but for a Wellington that must lead low (R4.5).
    """
    return tuple(bid for bid in kind.bids if _asks(bid, kind) == bid)


def question_of(bid: str, kind: Rules) -> int:
    """The row in which a bid is counted.

    Raises:
        BookError: no such bid with hands of this size.
    """
    if bid not in kind.bids:
        raise BookError(f"{bid} is not bid with hands of {kind.hand_size}: the book has {', '.join(kind.bids)}")
    return questions(kind).index(_asks(bid, kind))


def _asks(bid: str, kind: Rules) -> str:
    if bid == "BLUCHER" or (bid == "WELLINGTON" and not kind.wellington_lowest_lead):
        return "NAP"
    return bid


def empty(kind: Rules, play: str, origin: dict[str, Any]) -> Chances:
    """Chances without a trial yet."""
    shape = (len(questions(kind)), class_count(kind))
    return Chances(kind, play, np.zeros(shape, np.uint16), np.zeros(shape, np.uint16), origin)


# ---- Where the files are ------------------------------------------------------------------------------------


def file_name(kind: Rules, play: str) -> str:
    """The name of the file of a kind, such as ``5of52-rules-5p.npz``."""
    words = [f"{kind.hand_size}of{kind.pack_size}"]
    words += [f"{kind.suits}suits"] * (kind.suits != 4) + ["misere-trump"] * kind.misere_trump
    words += ["low-wellington"] * kind.wellington_lowest_lead + [play, f"{kind.num_players}p"]
    return "-".join(words) + ".npz"


def user_folder() -> Path:
    """Where books are built: ``NAP_BOOKS``, or ``nap_env/books`` in the user's folder for data."""
    if "NAP_BOOKS" in os.environ:
        return Path(os.environ["NAP_BOOKS"])
    base = os.environ.get("XDG_DATA_HOME") or (
        os.environ.get("LOCALAPPDATA") if os.name == "nt" else os.path.expanduser("~/.local/share")
    )
    return Path(base or ".") / "nap_env" / "books"


def find(rules: str | Rules, play: str, hands: int | None = None, folder: Path | None = None) -> Chances:
    """The chances for these rules, for so many hands at the table: from ``folder``, or shipped, or the user's own.

    Raises:
        BookError: there are none; it names the command that builds them.
    """
    if play not in PLAYS:
        raise BookError(f"no play {play!r}: the book knows {' and '.join(PLAYS)}")
    kind = kind_of(rules, hands)
    name = file_name(kind, play)
    folders = [SHIPPED, user_folder()] if folder is None else [folder]
    files = [place / name for place in folders if (place / name).is_file()]
    if not files:
        raise BookError(
            f"the book has no chances for {kind!r} with {play} play (looked for {name} in "
            f"{' and '.join(map(str, folders))}): build them with: {build_command(kind, play)}"
        )
    found = [_read(str(file), file.stat().st_mtime_ns) for file in files]
    return max(found, key=lambda chances: int(chances.trials.sum(dtype=np.int64)))


def build_command(kind: Rules, play: str) -> str:
    """The command line that builds the chances of a kind."""
    changed = {name: value for name, value in kind.to_dict().items() if name != "num_players"}
    rules = f" --rules '{json.dumps(changed)}'" if changed else ""
    return f"nap book --build{rules} --players {kind.num_players} --play {play}"


def read(path: Path) -> Chances:
    """The chances in a file.

    Raises:
        BookError: it is none of ours, or damaged.
    """
    return _read(str(path), path.stat().st_mtime_ns)


@lru_cache(maxsize=16)
def _read(path: str, _changed: int) -> Chances:
    try:
        with np.load(io.BytesIO(Path(path).read_bytes()), allow_pickle=False) as file:
            about = json.loads(file["about"].tobytes())
            trials, made = (_counts(file[name]) for name in ("trials", "made"))
        if about.pop("format") != _FORMAT:
            raise ValueError("another format")
        rules, play = Rules.from_dict(about.pop("rules")), about.pop("play")
        shape = (len(questions(rules)), class_count(rules))
        if trials.shape != shape or made.shape != shape or (made > trials).any():
            raise ValueError(f"the counts are not {shape}")
    except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        raise BookError(f"{path} is no book of hands, or is damaged ({error}): build it anew") from error
    return Chances(rules, play, trials, made, about)


def _counts(planes: npt.NDArray[np.uint8]) -> Counts:
    counts: Counts = planes[0].astype(np.uint16) | planes[1].astype(np.uint16) << np.uint16(8)
    counts.flags.writeable = False
    return counts


def with_counts(chances: Chances, trials: Counts, made: Counts, **origin: Any) -> Chances:
    """The same with other counts."""
    return dataclasses.replace(chances, trials=trials, made=made, origin=chances.origin | origin)
