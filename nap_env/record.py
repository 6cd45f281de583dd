"""A match on paper: written as JSON Lines, read back, and replayed move by move.

The first line is a header (format, version, rules, plan of the match, seed), then comes one line a hand
(dealer, pack with its top card first, actions), then a closing line with the result. The packs are
written out, so a replay needs neither the seed nor this version's shuffle.
"""

from __future__ import annotations

import dataclasses
import json
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nap_env import rulebook
from nap_env.cards import CARD_NAMES, action_id, action_name, cards_of
from nap_env.deals import MatchPlan, new_table, parse_deck, plan_match
from nap_env.explain import why_illegal
from nap_env.rules import Rules

if TYPE_CHECKING:
    from nap_env.game import Game

FORMAT = "nap_env.match"
VERSION = 1


class RecordError(ValueError):
    """A record that cannot be read or does not replay; the message names the line."""


def result(game: Any, rules: Rules) -> dict[str, Any]:
    """What a match has come to, from a `rulebook.GAME` record: stakes, chips, seats as plain Python values.

    ``net`` [n] stakes won minus lost; ``chips`` [n] or None; ``pool``; ``winners``, None until the match is
    over; ``hands`` finished; ``hand_winners`` of the last finished hand.
    """
    n = rules.num_players
    return {
        "net": [int(stakes) for stakes in game.net[:n]],
        "chips": [int(chips) for chips in game.chips[:n]] if int(game.starting_chips) >= 0 else None,
        "pool": int(game.pool),
        "winners": list(cards_of(int(game.winners))) if int(game.phase) == rulebook.OVER else None,
        "hands": int(game.hands),
        "hand_winners": list(cards_of(int(game.hand_winners))),
    }


@dataclass
class HandRecord:
    """One hand: who dealt, the pack with its top card first, and the actions in order, all as names."""

    dealer: int
    deck: list[str]
    actions: list[str] = field(default_factory=list)


@dataclass
class MatchRecord:
    """One match. Fill it with `deal`, `act` and `finish`, or take it from a game with `from_game`."""

    rules: Rules
    plan: MatchPlan = field(default_factory=MatchPlan)
    seed: int | None = None
    hands: list[HandRecord] = field(default_factory=list)
    result: dict[str, Any] | None = None
    info: dict[str, Any] = field(default_factory=dict)
    """Anything else worth keeping that JSON can hold, such as the players' names."""

    # ---- while a match is played ---------------------------------------------------------------------

    @classmethod
    def from_game(cls, game: Game) -> MatchRecord:
        """The record of a game so far; a copy, later moves do not change it."""
        return game.record()

    def deal(self, game: Any) -> None:
        """Note a hand that was just dealt on a `rulebook.GAME` record."""
        pack = [CARD_NAMES[card] for card in game.deck[: self.rules.pack_size]]
        self.hands.append(HandRecord(int(game.dealer), pack))

    def act(self, action: int) -> None:
        """Note an action of the current hand, a number 0..63."""
        self.hands[-1].actions.append(action_name(action))

    def finish(self, game: Any) -> None:
        """Note the result as it stands; a match that is broken off has one too."""
        self.result = result(game, self.rules)

    # ---- to lines and back -----------------------------------------------------------------------------

    def to_lines(self) -> list[str]:
        """The record as lines of JSON, without line ends.

        Raises:
            RecordError: no result yet (`finish`), or ``info`` holds what JSON cannot.
        """
        if self.result is None:
            raise RecordError("the record has no result yet: call finish(game) before writing it")
        header = {
            "format": FORMAT,
            "version": VERSION,
            "rules": self.rules.to_dict(),
            "match": dataclasses.asdict(self.plan),
            "seed": self.seed,
        }
        if self.info:
            header["info"] = self.info
        try:
            lines = [header, *map(dataclasses.asdict, self.hands), {"result": self.result}]
            return [json.dumps(line, ensure_ascii=False) for line in lines]
        except (TypeError, ValueError) as error:
            raise RecordError(f"info must hold what JSON can: {error}") from None

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the file whole or not at all: to a temporary name beside it, then renamed.

        Raises:
            RecordError: no result yet.
            OSError: the file cannot be written.
        """
        target = Path(path)
        text = "\n".join(self.to_lines()) + "\n"
        temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
        try:
            with open(temporary, "x", encoding="utf-8", newline="\n") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> MatchRecord:
        """The record that `write` wrote.

        Raises:
            RecordError: another format or version, a line cut off or wrong, an unknown action or card.
            OSError: the file cannot be read.
        """
        name = os.fspath(path)
        try:
            text = Path(path).read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise RecordError(f"{name}: no text in UTF-8 ({error})") from None
        return cls.from_lines(text.splitlines(), name)

    @classmethod
    def from_lines(cls, lines: Iterable[str], name: str = "the record") -> MatchRecord:
        """The record that `to_lines` gave; ``name`` goes before each error."""
        values = _Lines(name, lines)
        record = cls._from_header(values)
        for number, value in values:
            with values.at(number):
                if record.result is not None:
                    raise RecordError("more lines after the result")
                if "result" in value:
                    record.result = _mapping(value["result"], "result")
                else:
                    record.hands.append(_hand(value, record.rules))
        if record.result is None:
            raise RecordError(f"{name}: ends after line {values.last} without a result: the file is cut off")
        return record

    @classmethod
    def _from_header(cls, values: _Lines) -> MatchRecord:
        number, header = next(iter(values), (1, {}))
        with values.at(number):
            if header.get("format") != FORMAT:
                raise RecordError(f"no header of {FORMAT!r}: is this a record of a match?")
            if header.get("version") != VERSION:
                raise RecordError(f"version {header.get('version')!r}, but this nap_env reads version {VERSION}")
            rules = Rules.from_dict(_mapping(header.get("rules"), "rules"))
            plan = plan_match(rules, **_mapping(header.get("match"), "match"))
            info = _mapping(header.get("info", {}), "info")
            return cls(rules, plan, header.get("seed"), info=info)

    # ---- played again ----------------------------------------------------------------------------------

    def replay(self) -> Iterator[Any]:
        """Play the match again: a copy of the `rulebook.GAME` record after each deal and each action.

        Raises:
            RecordError: at the point where an action is illegal, a dealer is wrong, a hand is too short or
                too long, or, at the end, the result is another than the one written.
        """
        first = self.hands[0].dealer if self.hands else 0
        rules = self.rules.kernel[0]
        table = new_table(self.rules, self.plan, first, np.uint64(0))
        game = table[0]
        for number, hand in enumerate(self.hands, start=2):
            where = f"line {number} (hand {number - 1})"
            if int(game.phase) != rulebook.DEAL:
                raise RecordError(f"{where}: no hand is dealt here: {_why_no_deal(game)}")
            if int(game.dealer) != hand.dealer:
                raise RecordError(f"{where}: player_{hand.dealer} deals, but it is player_{game.dealer}'s turn (R1.3)")
            rulebook.deal_from(game, rules, parse_deck(hand.deck, self.rules, where))
            yield table.copy()[0]
            for turn, name in enumerate(hand.actions, start=1):
                _replay_action(game, rules, action_id(name), f"{where}, action {turn}")
                yield table.copy()[0]
        self._check_result(game)

    def check(self) -> MatchRecord:
        """Replay to the end and return the record itself; raises what `replay` raises."""
        for _ in self.replay():
            pass
        return self

    def _check_result(self, game: Any) -> None:
        played = result(game, self.rules)
        if self.result is not None and self.result != played:
            wrong = [key for key in played if self.result.get(key) != played[key]] or sorted(self.result)
            raise RecordError(
                f"line {len(self.hands) + 2}: the result says {wrong[0]} {self.result.get(wrong[0])}, "
                f"the replay gives {played.get(wrong[0])}"
            )


def _replay_action(game: Any, rules: Any, action: int, where: str) -> None:
    if int(game.phase) == rulebook.DEAL:
        raise RecordError(f"{where}: {action_name(action)}, but the hand is over")
    reason = why_illegal(game, rules, action)
    if reason:
        raise RecordError(f"{where}: {reason}")
    rulebook.apply(game, rules, action)


def _why_no_deal(game: Any) -> str:
    if int(game.phase) == rulebook.OVER:
        return "the match is over"
    return f"the hand before is not over, player_{int(game.seat)} is to act"


# ---- reading a line ------------------------------------------------------------------------------------


class _Lines:
    """The JSON objects of a file, with their line numbers; a context in which errors name the line."""

    def __init__(self, name: str, lines: Iterable[str]) -> None:
        self.name = name
        self.last = 0
        self._lines = enumerate(lines, start=1)
