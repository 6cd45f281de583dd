"""A player at the table: his cards, and the plate with his name, bid and score."""

from __future__ import annotations

from nap_env.cards import CARD_NAMES
from nap_env.render.cards_art import GOLD
from nap_env.render.shapes import Box, Card, Disc, Label, Shape
from nap_env.render.style import (
    FAINT,
    GAIN,
    LOSS,
    PLATE,
    PLATE_ACTIVE,
    PLATE_EDGE,
    PLATE_HEIGHT,
    PLATE_WIDTH,
    WHITE,
    place_of,
)
from nap_env.render.view import SeatView, TableView, signed


def player(view: TableView, seat: SeatView) -> list[Shape]:
    x, y = place_of(view, seat.seat)
    own = seat.seat == view.viewer
    height = 104.0 if own and not view.over else 82.0
    return [*_fan(view, seat, x, y - (22 + height * 0.1), height), *_plate(view, seat, x, y + 48)]


def _fan(view: TableView, seat: SeatView, x: float, y: float, height: float) -> list[Shape]:
    """The cards held, high ones left, spread like a fan; at the end the cards played, trick by trick."""
    held = [(card, None) for card in reversed(seat.hand)]
    cards: list[tuple[int | None, str | None]] = [*(_played(view, seat.seat) if view.over else []), *held]
    step = min(height * 0.36, (240 if height > 90 else 156) / max(1, len(cards)))
    choice = seat.seat == view.seat and view.phase == "PLAY" and 0 < len(view.legal) < len(seat.hand)
    bend = min(1.0, 6 / max(1, len(cards)))
    shapes: list[Shape] = []
    for place, (card, glow) in enumerate(cards):
        off = place - (len(cards) - 1) / 2
        lift = 13 if choice and card is not None and CARD_NAMES[card] in view.legal else 0
        shapes.append(Card(x + off * step, y + 0.9 * (bend * off) ** 2 - lift, height, card, 3.2 * bend * off, glow))
    return shapes


def _played(view: TableView, seat: int) -> list[tuple[int | None, str | None]]:
    """A seat's cards in the order played, a gold rim around those that won their trick."""
    own = ((dict(trick.cards).get(seat), trick.winner) for trick in view.tricks)
    return [(card, GOLD if winner == seat else None) for card, winner in own if card is not None]


def _plate(view: TableView, seat: SeatView, x: float, y: float) -> list[Shape]:
    acts = seat.seat == view.seat
    left, top = x - PLATE_WIDTH / 2, y - PLATE_HEIGHT / 2
    edge = GOLD if acts or seat.seat in view.winners else PLATE_EDGE
    name = "you" if seat.seat == view.viewer else f"player_{seat.seat}"
    shapes: list[Shape] = [
        Box(
            left,
            top,
            PLATE_WIDTH,
            PLATE_HEIGHT,
            9,
            PLATE_ACTIVE if acts else PLATE,
            edge,
            2.5 if acts else 1.5,
        ),
        Label(left + 10, top + 14, name, 14, WHITE if seat.playing else FAINT, "start", bold=True),
        *_bid(view, seat, left + PLATE_WIDTH - 8, top + 14),
        *_score(view, seat, left, top + 32),
    ]
    if view.settled and seat.gain:
        words, right = signed(seat.gain), left + PLATE_WIDTH
        width = 9.5 * len(words) + 14
        shapes += [
            Box(
                right - width + 8,
                top - 19,
                width,
                22,
                11,
                "#1c6b3a" if seat.gain > 0 else "#8f2a22",
                WHITE,
                1.2,
            ),
            Label(right - width / 2 + 8, top - 8, words, 13.5, WHITE, bold=True),
        ]
    if seat.seat == view.dealer:
        shapes += [
            Disc(left + 1, top + 1, 11, "#f7f3df", "#8d7a45", 1.5),
            Label(left + 1, top + 1, "D", 13, "#3a2b0c", bold=True),
        ]
    return shapes


def _bid(view: TableView, seat: SeatView, right: float, y: float) -> list[Shape]:
    words, gold = _badge(view, seat)
    if not words:
        return []
    width = 8.3 * len(words) + 10
    fill, ink = (GOLD, "#2a1c04") if gold else ("#24543a", FAINT)
    return [
        Box(right - width, y - 8.5, width, 17, 6, fill),
        Label(right - width / 2, y, words, 10.5, ink, bold=True),
    ]


def _badge(view: TableView, seat: SeatView) -> tuple[str, bool]:
    """What stands beside a name, and whether in gold."""
    if seat.out:
        return "OUT", False
    if not seat.playing:
        return "WAITS", False
    if not seat.dealt:
        return "SITS OUT", False
    return seat.bid or "", seat.seat == view.declarer


def _score(view: TableView, seat: SeatView, left: float, y: float) -> list[Shape]:
    """Tricks as small cards, then chips, then the net result."""
    shapes: list[Shape] = []
    wanted = view.target if seat.seat == view.declarer and view.tricks else 0
    for trick in range(max(seat.won, wanted)):
        won = trick < seat.won
        shapes.append(
            Box(
                left + 10 + 10 * trick,
                y - 6,
                8,
                12,
                2,
                "#f4f1e4" if won else None,
                "#8fa898" if not won else "#c9c2a5",
                1,
            )
        )
    words = []
    if seat.bought:
        words.append(f"{seat.bought} bought")
    if seat.peeped:
        words.append("peeped")
    if seat.seat == view.spare_taker:
        words.append("spare hand")
    if words and not shapes:
        shapes.append(Label(left + 10, y, ", ".join(words), 11, FAINT, "start"))
    right = left + PLATE_WIDTH - 8
    figure = seat.net if seat.chips is None else seat.chips
    if seat.chips is not None:
        shapes += [
            Disc(right - 4, y, 5, GOLD, "#7a5a12", 1.2),
            Label(right - 13, y, str(figure), 12.5, WHITE, "end", bold=True),
        ]
    elif seat.net or view.hands:
        shapes.append(Label(right, y, signed(seat.net), 12.5, _tint(seat.net), "end", bold=True))
    return shapes


def _tint(stakes: int) -> str:
    return GAIN if stakes > 0 else LOSS if stakes < 0 else FAINT
