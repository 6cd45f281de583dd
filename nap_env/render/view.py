"""What a viewer may see of a table, as plain values: all drawings are functions of it.

A card is a number 0..51, or None where it lies face down for the viewer.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from nap_env.cards import SUIT_SYMBOLS, action_name, cards_of
from nap_env.engine import records
from nap_env.rules import Rules

Card = int | None
SUIT_WORDS = ("clubs", "diamonds", "hearts", "spades")


@dataclass(frozen=True)
class SeatView:
    """One player as the viewer sees him; stakes and chips are whole numbers."""

    seat: int
    hand: tuple[Card, ...]  # clubs first, low cards first
    discards: tuple[Card, ...]
    bid: str | None  # "PASS", a bid, or None before his turn
    won: int  # tricks
    bought: int  # cards
    peeped: bool
    net: int
    chips: int | None
    gain: int  # change of net at the last action
    playing: bool  # takes part in this hand: plays or pays
    dealt: bool  # holds cards in this hand
    out: bool  # out of the match


@dataclass(frozen=True)
class TrickView:
    """The cards of one trick in the order played, (seat, card), and who is winning it or won it."""

    cards: tuple[tuple[int, int], ...]
    winner: int


@dataclass(frozen=True)
class TableView:
    """A table as a viewer sees it: a seat, or None, who sees every card."""

    viewer: int | None
    rules: Rules
    phase: str  # one of records.PHASES
    seat: int | None  # to act
    legal: tuple[str, ...]  # his actions, if the viewer may know them
    dealer: int
    seats: tuple[SeatView, ...]
    tricks: tuple[TrickView, ...]  # the last one may be unfinished; a trick nobody has led to is not here
    trick: int  # number of the trick to be played or in play, from 0
    contract: str | None
    declarer: int | None
    trump: int | None  # suit 0..3
    revoker: int | None
    pool: int
    peep_card: Card  # None unless the viewer knows it
    swapped: bool
    spare: int  # cards of the spare hand still there
    spare_taker: int | None
    hands: int  # finished in this match
    num_hands: int  # planned
    extra: int  # number of the extra hand, 0 before them
    winners: tuple[int, ...]  # of the match, once it is over
    hand_winners: tuple[int, ...]  # of the last finished hand

    @property
    def over(self) -> bool:
        """Whether no action is awaited: the match is over, or a deal is."""
        return self.seat is None

    @property
    def settled(self) -> bool:
        """Whether `SeatView.gain` is the settlement of a hand: none has acted since."""
        fresh = self.trick == 0 and not self.tricks and self.phase in ("BUY", "ECARTE", "AUCTION")
        idle = all(s.bid is None and not (s.bought or s.peeped or s.discards) for s in self.seats)
        return self.hands > 0 and not self.broken_off and (self.over or (fresh and idle))

    @property
    def broken_off(self) -> bool:
        """Whether the match ended without a winner, by an illegal action."""
        return self.phase == "OVER" and not self.winners

    @property
    def target(self) -> int:
        """Tricks that the contract asks for."""
        return self.rules.tricks_asked(self.contract) if self.contract else 0


_FIELDS = [name for name in records.GAME.names or () if name not in ("key", "draws", "deck")]


def table_view(game: Any, rules: Rules, viewer: int | None = None) -> TableView:
    """What a viewing seat may see of a `records.GAME` record; None sees all the cards."""
    # np.record attributes are slow to read one by one: everything at once, as Python numbers and lists
    game = SimpleNamespace(**{name: game[name].tolist() for name in _FIELDS})
    phase = records.PHASES[game.phase]
    over = phase in ("DEAL", "OVER")
    return TableView(
        viewer=viewer,
        rules=rules,
        phase=phase,
        seat=None if over else game.seat,
        legal=_legal(game, viewer),
        dealer=game.dealer,
        seats=tuple(_seat(game, seat, viewer) for seat in range(rules.num_players)),
        tricks=tuple(_tricks(game, rules)),
        trick=game.trick,
        contract=action_name(game.contract) if game.contract >= 0 else None,
        declarer=_or_none(game.declarer),
        trump=_or_none(game.trump),
        revoker=_or_none(game.revoker),
        pool=game.pool,
        peep_card=_peep_card(game, viewer),
        swapped=bool(game.swapped),
        spare=game.spare.bit_count(),
        spare_taker=_or_none(game.spare_taker),
        hands=game.hands,
        num_hands=game.num_hands,
        extra=game.extra,
        winners=tuple(cards_of(game.winners)) if phase == "OVER" else (),
        hand_winners=tuple(cards_of(game.hand_winners)),
    )


def _or_none(value: int) -> int | None:
    return value if value >= 0 else None


def _legal(game: Any, viewer: int | None) -> tuple[str, ...]:
    """The choices of the seat to act tell of its hand: they are its own to see."""
    if viewer not in (None, game.seat):
        return ()
    return tuple(action_name(action) for action in cards_of(game.legal))


def _seat(game: Any, seat: int, viewer: int | None) -> SeatView:
    seen = viewer in (None, seat)
    bid = game.bids[seat]
    return SeatView(
        seat=seat,
        hand=_cards(game.hand[seat], seen),
        discards=_cards(game.discards[seat], seen),
        bid=action_name(bid) if bid >= 0 else None,
        won=game.won[seat],
        bought=game.bought[seat],
        peeped=bool(game.peeped >> seat & 1),
        net=game.net[seat],
        chips=game.chips[seat] if game.starting_chips >= 0 else None,
        gain=game.rewards[seat],
        playing=bool(game.in_hand >> seat & 1),
        dealt=bool(game.dealt >> seat & 1),
        out=not game.alive >> seat & 1,
    )


def _cards(mask: int, seen: bool) -> tuple[Card, ...]:
    return tuple(cards_of(mask)) if seen else (None,) * mask.bit_count()


def _peep_card(game: Any, viewer: int | None) -> Card:
    """Who looked knows it, and the declarer who took it (R8)."""
    card = _or_none(game.peep_card)
    if viewer is None:
        return card
    took = bool(game.swapped) and game.declarer == viewer
    return card if took or game.peeped >> viewer & 1 else None


def _tricks(game: Any, rules: Rules) -> list[TrickView]:
    n = rules.num_players
    tricks = []
    for trick, (leader, played) in enumerate(zip(game.leaders, game.played, strict=True)):
        if leader < 0 or played[leader] < 0:
            break
        order = [(leader + turn) % n for turn in range(n)]
        cards = tuple((seat, played[seat]) for seat in order if played[seat] >= 0)
        next_leader = game.leaders[trick + 1] if trick + 1 < rules.hand_size else records.NONE
        tricks.append(TrickView(cards, next_leader if next_leader >= 0 else game.best))
    return tricks


# ---- the same words in every drawing ---------------------------------------------------------------


def card_text(card: Card) -> str:
    """A card with its suit's sign; two dots for one that lies face down.

    >>> card_text(51), card_text(None)
    ('A♠', '··')
    """
    return "··" if card is None else "23456789TJQKA"[card % 13] + SUIT_SYMBOLS[card // 13]


def signed(stakes: int) -> str:
    """A gain or a loss: +5, 0 or −5."""
    return f"{stakes:+d}".replace("-", "−") if stakes else "0"


_DOING = {
    "BUY": "buys or passes",
    "DISCARD": "puts cards away",
    "ECARTE": "puts cards away or passes",
    "AUCTION": "bids or passes",
    "GARNET": "puts five cards away",
    "SWAP": "may take the peep card",
}


def headline(view: TableView) -> str:
    """What is going on, in one line."""
    if view.phase == "DEAL":
        return f"player_{view.dealer} deals"
    if view.phase == "OVER":
        return outcome(view)
    if view.phase == "PLAY":
        follows = bool(view.tricks) and len(view.tricks) == view.trick + 1
        return f"player_{view.seat} {'follows' if follows else 'leads'} in trick {view.trick + 1}"
    return f"player_{view.seat} {_DOING[view.phase]}"


def outcome(view: TableView) -> str:
    """How the hand ended: the contract, whether it was made, and why."""
    if view.broken_off:
        return "broken off"
    if view.contract is None or view.declarer is None:
        return "all passed"
    verdict = "made" if view.declarer in view.hand_winners else "failed"
    if view.revoker is not None:
        return f"{view.contract} by player_{view.declarer} {verdict}: player_{view.revoker} revoked"
    won = view.seats[view.declarer].won
    return f"{view.contract} by player_{view.declarer} {verdict}: {won} trick{'' if won == 1 else 's'}"
