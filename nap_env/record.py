"""A match on paper: written as JSON Lines, read back, and replayed move by move.

The first line is a header (format, version, rules, terms of the match, seed), then comes one line a hand
(dealer, pack with its top card first, actions), then a closing line with the result. The packs are written
out, so a replay needs neither the seed nor this version's shuffle.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nap_env.cards import CARD_NAMES, action_id, action_name, cards_of
from nap_env.dealing.deals import parse_deck
from nap_env.dealing.match import Match, make_match
from nap_env.engine import loops, records, rulebook
from nap_env.errors import RecordError
from nap_env.explain import why_illegal
from nap_env.rules import Rules
from nap_env.storage.files import write_text
from nap_env.storage.jsonl import at, read_object, typed

if TYPE_CHECKING:
    from nap_env.game import Game

FORMAT = "nap_env.dealing.match"
VERSION = 1


def result(game: Any, rules: Rules) -> dict[str, Any]:
    """What a match has come to, from a `records.GAME` record, in plain Python values.

    ``net`` [n] stakes won minus lost; ``chips`` [n] or None; ``pool`` stakes; ``winners`` the seats that won
    the match, None until it is over; ``hands`` finished; ``hand_winners`` of the last finished hand.
    """
    n = rules.num_players
    return {
        "net": [int(stakes) for stakes in game.net[:n]],
        "chips": [int(chips) for chips in game.chips[:n]] if int(game.starting_chips) >= 0 else None,
        "pool": int(game.pool),
        "winners": list(cards_of(int(game.winners))) if int(game.phase) == records.OVER else None,
        "hands": int(game.hands),
        "hand_winners": list(cards_of(int(game.hand_winners))),
    }


@dataclass
class HandRecord:
    """One hand: the dealer's seat, the pack with its top card first, and the actions in order, as names."""

    dealer: int
    deck: list[str]
    actions: list[str] = field(default_factory=list)


@dataclass
class MatchRecord:
    """One match: filled by `deal`, `act` and `finish` while it is played, or taken with `from_game`.

    ``info`` keeps whatever else JSON can hold, such as the players' names.
    """

    rules: Rules
    match: Match = field(default_factory=Match)
    seed: int | None = None
    hands: list[HandRecord] = field(default_factory=list)
    result: dict[str, Any] | None = None
    info: dict[str, Any] = field(default_factory=dict)

    # ---- while a match is played ---------------------------------------------------------------------

    @classmethod
    def from_game(cls, game: Game) -> MatchRecord:
        """The record of a game so far; a copy that later moves do not change."""
        return game.record()

    def deal(self, game: Any) -> None:
        """Note a hand just dealt on a `records.GAME` record."""
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
            RecordError: there is no result yet, or ``info`` holds what JSON cannot.
        """
        if self.result is None:
            raise RecordError("the record has no result yet: call finish(game) before writing it")
        header = {"format": FORMAT, "version": VERSION, "rules": self.rules.to_dict()}
        header |= {"match": dataclasses.asdict(self.match), "seed": self.seed, "info": self.info}
        lines = [header, *map(dataclasses.asdict, self.hands), {"result": self.result}]
        try:
            return [json.dumps(line, ensure_ascii=False, allow_nan=False) for line in lines]
        except (TypeError, ValueError) as error:
            raise RecordError(f"info must hold what JSON can: {error}") from None

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the file whole or not at all: under a temporary name beside it, then renamed.

        Raises:
            RecordError: there is no result yet.
            OSError: the file cannot be written.
        """
        write_text(path, "".join(line + "\n" for line in self.to_lines()))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> MatchRecord:
        """The record that `write` wrote.

        Raises:
            RecordError: another format or version, a line that is cut off or wrong, an unknown action.
            OSError: the file cannot be read.
        """
        try:
            text = Path(path).read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise RecordError(f"{os.fspath(path)}: no text in UTF-8 ({error})") from None
        return cls.from_lines(text.split("\n"), os.fspath(path))

    @classmethod
    def from_lines(cls, lines: Iterable[str], name: str = "record") -> MatchRecord:
        """The record that `to_lines` gave; errors begin with ``name``.

        Raises:
            RecordError: as `read`.
        """
        record, last = None, 0
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            last = number
            with at(f"{name}, line {number}"):
                value = read_object(line)
                if record is None:
                    record = _header(value)
                elif record.result is not None:
                    raise RecordError("nothing may follow the result")
                elif "result" in value:
                    record.result = typed(value, "result", dict)
                else:
                    record.hands.append(_hand(value, record.rules))
        if record is None:
            raise RecordError(f"{name}: it is empty")
        if record.result is None:
            raise RecordError(f"{name}: cut off after line {last}, there is no result")
        return record

    # ---- played again ----------------------------------------------------------------------------------

    def replay(self) -> Iterator[Any]:
        """Play the match again: a copy of the `records.GAME` record after each deal and each action.

        Raises:
            RecordError: where an action is illegal, a dealer is wrong, a hand too short or too long, or, at
                the end, where the result is not the one written. It names the line.
        """
        games, kernel = np.zeros(1, records.GAME), self.rules.kernel[0]
        game = games[0]
        loops.seed_table(games, 0, np.uint64(0))
        first = self.hands[0].dealer if self.hands else 0
        rulebook.start_match(game, kernel, first, *self.match.kernel)
        for number, hand in enumerate(self.hands, start=2):
            with at(f"line {number}"):
                _check_deal(game, hand)
                rulebook.deal_from(game, kernel, parse_deck(hand.deck, self.rules))
            yield games.copy()[0]
            for turn, name in enumerate(hand.actions, start=1):
                with at(f"line {number}, action {turn}"):
                    _replay_action(game, kernel, name)
                yield games.copy()[0]
        with at(f"line {len(self.hands) + 2}"):
            self._check_result(result(game, self.rules))

    def check(self) -> MatchRecord:
        """Replay to the end and return this record.

        Raises:
            RecordError: as `replay`.
        """
        for _ in self.replay():
            pass
        return self

    def _check_result(self, played: dict[str, Any]) -> None:
        for key, value in played.items() if self.result is not None else ():
            written = (self.result or {}).get(key)
            if written != value:
                raise RecordError(f"the result says {key} {written}, but the replay ends with {value}")


# ---- a line read, a step replayed ----------------------------------------------------------------------


def _header(line: dict[str, Any]) -> MatchRecord:
    if line.get("format") != FORMAT:
        raise RecordError(f"format is {line.get('format')!r}, not {FORMAT!r}: no record of a match")
    if line.get("version") != VERSION:
        raise RecordError(f"version is {line.get('version')!r}, and version {VERSION} is read here")
    rules = Rules.from_dict(typed(line, "rules", dict))
    match = make_match(rules.num_players, **typed(line, "match", dict))
    seed = None if line.get("seed") is None else typed(line, "seed", int)
    return MatchRecord(rules, match, seed, info=line.get("info") or {})


def _hand(line: dict[str, Any], rules: Rules) -> HandRecord:
    dealer = typed(line, "dealer", int)
    if not 0 <= dealer < rules.num_players:
        raise RecordError(f"no dealer {dealer} at this table, seats are 0..{rules.num_players - 1}")
    deck, actions = typed(line, "deck", list), typed(line, "actions", list)
    pack = [CARD_NAMES[card] for card in parse_deck(deck, rules)]
    return HandRecord(dealer, pack, [action_name(action_id(action)) for action in actions])


def _check_deal(game: Any, hand: HandRecord) -> None:
    if int(game.phase) == records.OVER:
        raise RecordError("one hand more, but the match is over")
    if int(game.phase) != records.DEAL:
        raise RecordError(f"a new hand, but the one before is not over: player_{int(game.seat)} is to act")
    if int(game.dealer) != hand.dealer:
        raise RecordError(f"player_{hand.dealer} deals, but it is player_{int(game.dealer)}'s turn to (R1.3)")


def _replay_action(game: Any, rules: Any, name: str) -> None:
    if int(game.phase) in (records.DEAL, records.OVER):
        raise RecordError(f"{name}, but the hand is over")
    action = action_id(name)
    reason = why_illegal(game, rules, action)
    if reason is not None:
        raise RecordError(reason)
    rulebook.apply(game, rules, action)
