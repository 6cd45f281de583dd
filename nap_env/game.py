"""Nap for people: one hand, or a match, with names for actions and sentences for refusals."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, NamedTuple, SupportsIndex

import numpy as np
import numpy.typing as npt

from nap_env import observation
from nap_env.cards import CARD_NAMES, NUM_ACTIONS, SUITS, action_id, action_name, cards_of, hand_text
from nap_env.dealing import options, seeds
from nap_env.dealing.deals import parse_deck
from nap_env.dealing.match import make_match
from nap_env.engine import jit, loops, records, rulebook
from nap_env.errors import DealError, IllegalAction
from nap_env.explain import check_action, why_illegal
from nap_env.record import MatchRecord
from nap_env.render.svg import svg
from nap_env.render.text import text
from nap_env.render.view import TableView, headline, table_view
from nap_env.rules import Rules, make_rules

Action = str | SupportsIndex


class Move(NamedTuple):
    """One action of a game: who took it, and its name."""

    seat: int
    action: str


class Game:
    """A hand of Nap, or a match; make one with `Game.deal`.

    Attributes:
        rules: the variant.
        history: every `Move` of the match so far, in order.

    >>> game = Game.deal(seed=1, num_players=3, dealer=2, hands={0: "AS KS QS JS 2C"})
    >>> game.play("FOUR", "PASS", "PASS", "AS").trump
    'S'
    >>> game.why_illegal("NAP")
    'player_1 may not bid NAP: the auction is over, a card must be played (R4); legal: 2S, TS'
    """

    def __init__(self, record: MatchRecord, games: npt.NDArray[np.void], decks: npt.NDArray[np.int8]) -> None:
        self.rules: Rules = record.rules
        self.history: list[Move] = []
        self._record = record
        self._games = games  # [1] GAME
        self._decks = decks  # int8 [K, pack]: the match's first hands, where given
        self._record.deal(self._game)

    @classmethod
    def deal(
        cls,
        seed: int | None = None,
        rules: str | Rules = "standard",
        num_players: int | None = None,
        dealer: int | None = None,
        deck: Any = None,
        hands: Any = None,
        *,
        num_hands: int | None = None,
        deals_per_dealer: int | None = None,
        starting_chips: int | None = None,
        rebuys: int = 0,
        tie_break: bool = False,
    ) -> Game:
        """Begin a match and deal its first hand; the same seed deals as in the environments.

        Args:
            seed: 0 .. 2**63 - 1; None takes a fresh one.
            rules: a preset's name (R12) or a `Rules`; ``num_players`` re-makes a preset.
            dealer: the first dealer's seat; None draws him (R1.2).
            deck: the first hand's pack, names or numbers, top card first.
            hands: some seats' cards in the first hand, as in ``{0: "AS KS QS JS TS"}``.
            num_hands, deals_per_dealer, starting_chips, rebuys, tie_break: the match (R1.5 to R1.8).

        Raises:
            RulesError: rules or terms of a match that cannot be.
            DealError: a deck or hands that are no proper deal (R1.4), or both.
            ValueError: a seed or a dealer that cannot be.
        """
        variant = make_rules(rules, num_players)
        match = make_match(variant.num_players, num_hands, deals_per_dealer, starting_chips, rebuys, tie_break)
        if deck is not None and hands is not None:
            raise DealError("deck and hands are both given: give one of them")
        decks = None if deck is None else [parse_deck(deck, variant)]
        start = options.parse_options({"dealer": dealer, "decks": decks, "hands": hands}, variant)
        seed = seeds.fresh_seed() if seed is None else seeds.training_key(seed)
        jit.announce(loops.begin)
        games = np.zeros(1, records.GAME)
        loops.seed_table(games, 0, np.uint64(seed))
        loops.begin(games, 0, variant.kernel, start.dealer, *match.kernel, start.decks, start.hands)
        return cls(MatchRecord(variant, match, seed), games, start.decks)

    # ---- to act ------------------------------------------------------------------------------------

    def play(self, *actions: Action) -> Game:
        """Take these actions in turn, each for the seat to act, and return the game.

        An action is a name (``"THREE"``, ``"AS"``) or a number (R14). All of them are taken or none.

        Raises:
            IllegalAction: the sentence of `why_illegal`; the game is as it was before the call.
        """
        games, kernel = self._games.copy(), self.rules.kernel
        done: list[tuple[int, int, Any]] = []  # seat, action, the table where a new hand was dealt
        for action in actions:
            game, number = games[0], _number(action)
            reason = why_illegal(game, kernel[0], number)
            if reason is not None:
                raise IllegalAction(reason)
            seat, hands = int(game.seat), int(game.hands)
            loops.turn(games, 0, kernel, number, self._decks)
            dealt = int(game.hands) > hands and int(game.phase) != records.OVER
            done.append((seat, number, games.copy()[0] if dealt else None))
        self._games = games
        for seat, number, table in done:
            self.history.append(Move(seat, action_name(number)))
            self._record.act(number)
            if table is not None:
                self._record.deal(table)
        return self

    def legal(self) -> list[str]:
        """The names of the actions that the seat to act may take; empty when the match is over."""
        return [action_name(action) for action in cards_of(int(self._game.legal))]

    def why_illegal(self, action: Action) -> str | None:
        """Why an action may not be taken now, with the clause; None when it may."""
        try:
            return why_illegal(self._game, self.rules.kernel[0], _number(action))
        except IllegalAction as error:
            return str(error)

    def misdeal(self) -> Game:
        """Declare the deal void: the same dealer deals again, from a shuffled pack (R1.4).

        Raises:
            DealError: somebody has acted in this hand already.
        """
        if self._record.hands[-1].actions:
            raise DealError("a misdeal is declared before anybody has acted, and somebody has (R1.4)")
        rulebook.deal(self._game, self.rules.kernel[0])
        self._record.hands.pop()
        self._record.deal(self._game)
        return self

    # ---- to look at ----------------------------------------------------------------------------------

    @property
    def _game(self) -> Any:
        return self._games[0]

    @property
    def over(self) -> bool:
        """Whether the match is over."""
        return int(self._game.phase) == records.OVER

    @property
    def seat(self) -> int | None:
        """The seat to act; None when the match is over."""
        return None if self.over else int(self._game.seat)

    @property
    def phase(self) -> str:
        """What is going on, one of `records.PHASES`: "AUCTION", "PLAY", ..., "OVER"."""
        return records.PHASES[int(self._game.phase)]

    @property
    def hands(self) -> int:
        """Hands finished in the match."""
        return int(self._game.hands)

    @property
    def dealer(self) -> int:
        """The seat that dealt this hand."""
        return int(self._game.dealer)

    @property
    def net(self) -> list[int]:
        """Stakes won minus lost in the match, by seat."""
        return [int(stakes) for stakes in self._game.net[: self.rules.num_players]]

    @property
    def contract(self) -> str | None:
        """The highest bid of this hand so far."""
        return None if int(self._game.contract) < 0 else action_name(int(self._game.contract))

    @property
    def declarer(self) -> int | None:
        """The seat that made it."""
        return None if int(self._game.declarer) < 0 else int(self._game.declarer)

    @property
    def trump(self) -> str | None:
        """The trump suit, one of C D H S; None before the first lead, and in a Misere without trumps."""
        return None if int(self._game.trump) < 0 else SUITS[int(self._game.trump)]

    @property
    def tricks(self) -> list[dict[int, str]]:
        """This hand's tricks, the one on the table last: seat to card, in the order played."""
        tricks = self.table().tricks
        return [{seat: CARD_NAMES[card] for seat, card in trick.cards} for trick in tricks]

    @property
    def won(self) -> list[int]:
        """Tricks won in this hand, by seat."""
        return [int(tricks) for tricks in self._game.won[: self.rules.num_players]]

    def hand(self, seat: int) -> str:
        """The cards a seat holds, spades and high cards first.

        Raises:
            ValueError: no such seat.
        """
        return hand_text(int(self._game.hand[self._checked(seat)]))

    def observe(self, seat: int) -> dict[str, npt.NDArray[np.int8]]:
        """What an agent at a seat is shown: ``observation`` int8 [O] and ``action_mask`` int8 [64].

        Raises:
            ValueError: no such seat.
        """
        vector = np.empty(observation.size(self.rules), np.int8)
        mask = np.empty(NUM_ACTIONS, np.int8)
        loops.view(self._games, 0, self.rules.kernel, self._checked(seat), vector, mask)
        return {"observation": vector, "action_mask": mask}

    def view(self, seat: int) -> dict[str, Any]:
        """All that a seat may know, in words, from its observation; seats in it are relative, 0 is he.

        Raises:
            ValueError: no such seat.
        """
        return observation.decode(self.observe(seat)["observation"], self.rules)

    def table(self, viewer: int | None = None) -> TableView:
        """The table as a seat may see it, or with all cards open, for the drawings of `nap_env.render`."""
        return table_view(self._game, self.rules, None if viewer is None else self._checked(viewer))

    def record(self) -> MatchRecord:
        """The match so far as a `MatchRecord` that can be written to a file; a copy."""
        record = deepcopy(self._record, {id(self.rules): self.rules})
        record.finish(self._game)
        return record

    def copy(self) -> Game:
        """An independent copy that goes on where this one is, with the same cards to come."""
        return deepcopy(self, {id(self.rules): self.rules})

    __copy__ = copy

    def _checked(self, seat: int) -> int:
        if isinstance(seat, bool) or seat not in range(self.rules.num_players):
            raise ValueError(f"no seat {seat!r} at this table: seats are 0..{self.rules.num_players - 1}")
        return int(seat)

    def __repr__(self) -> str:
        return f"<Game: {self.rules.num_players} players, {headline(self.table())}>"

    def __str__(self) -> str:
        return text(self.table())

    def _repr_svg_(self) -> str:
        return svg(self.table())


def _number(action: Action) -> int:
    if not isinstance(action, str):
        return check_action(action)
    try:
        return action_id(action)
    except ValueError as error:
        raise IllegalAction(str(error)) from None
