"""How a card looks: lists of shapes on a card 100 units wide and 140 high, its corner at the origin."""

from __future__ import annotations

from functools import lru_cache

from nap_env.render.shapes import Box, Disc, Label, Pip, Polygon, Shape

WIDTH, HEIGHT, RADIUS = 100.0, 140.0, 8.0
BLACK, RED = "#1c1c22", "#c4161c"
PAPER, EDGE = "#fffdf6", "#b9b4a6"
GOLD, CREAM = "#d8a534", "#fbf2d9"
BACK, BACK_LIGHT, BACK_DARK = "#274d8f", "#7f9fd4", "#1d3b70"
INKS = (BLACK, RED, RED, BLACK)

_LEFT, _MIDDLE, _RIGHT = 35.5, 50.0, 64.5
_COLUMNS = {  # rank 2.. -> heights of the outer pips (left and right), of the middle ones
    2: ((), (28, 112)),
    3: ((), (28, 70, 112)),
    4: ((28, 112), ()),
    5: ((28, 112), (70,)),
    6: ((28, 70, 112), ()),
    7: ((28, 70, 112), (49,)),
    8: ((28, 70, 112), (49, 91)),
    9: ((28, 56, 84, 112), (70,)),
    10: ((28, 56, 84, 112), (42, 98)),
}


@lru_cache(maxsize=53)
def card_shapes(card: int | None) -> tuple[Shape, ...]:
    """The face of a card 0..51, or the back for None."""
    if card is None:
        return _back()
    suit, rank = divmod(card, 13)
    ink = INKS[suit]
    shapes: list[Shape] = [Box(0.5, 0.5, 99, 139, RADIUS, PAPER, EDGE, 1)]
    if rank >= 9 and rank < 12:
        shapes += _court(suit, rank, ink)
    elif rank == 12:
        shapes.append(Pip(50, 70, suit, 62 if suit == 3 else 46, ink))
    else:
        shapes += _pips(suit, rank + 2, ink)
    return (*shapes, *_corners(suit, rank, ink))


def _corners(suit: int, rank: int, ink: str) -> list[Shape]:
    name = "10" if rank == 8 else "23456789TJQKA"[rank]
    size = 25.0 if name == "10" else 28.0
    return [
        Label(14, 18, name, size, ink, bold=True),
        Pip(14, 40, suit, 18, ink),
        Label(86, 122, name, size, ink, bold=True, upside_down=True),
        Pip(86, 100, suit, 18, ink, upside_down=True),
    ]


def _pips(suit: int, number: int, ink: str) -> list[Shape]:
    outer, middle = _COLUMNS[number]
    places = [(x, y) for y in outer for x in (_LEFT, _RIGHT)] + [(_MIDDLE, y) for y in middle]
    return [Pip(x, y, suit, 20, ink, upside_down=y > 70) for x, y in places]


def _court(suit: int, rank: int, ink: str) -> list[Shape]:
    """A framed letter between two crowns; the jack has a cap instead."""
    shapes: list[Shape] = [
        Box(26, 16, 48, 108, 4, CREAM, GOLD, 1.6),
        Box(29, 19, 42, 102, 2.5, None, ink, 0.7),
        Polygon(((29.5, 70), (50, 60), (70.5, 70), (50, 80)), "#f2dfae"),
    ]
    for flipped in (False, True):
        crown = _CROWNS[rank - 9]
        shapes += [_turned(shape) if flipped else shape for shape in crown]
    shapes.append(Label(50, 70, "JQK"[rank - 9], 40, ink, bold=True))
    return [
        *shapes,
        Pip(36.5, 27, suit, 11, ink),
        Pip(63.5, 113, suit, 11, ink, upside_down=True),
    ]


def _turned(shape: Shape) -> Shape:
    """A crown's part turned upside down about the middle of the card."""
    if isinstance(shape, Polygon):
        return Polygon(tuple((WIDTH - x, HEIGHT - y) for x, y in shape.points), shape.fill)
    if isinstance(shape, Disc):
        return Disc(WIDTH - shape.x, HEIGHT - shape.y, shape.radius, shape.fill)
    raise TypeError(shape)


_JACK: tuple[Shape, ...] = (
    Polygon(((36, 49), (38, 41), (44, 37), (54, 36), (62, 40), (64, 49)), "#2c5aa0"),
    Polygon(((35, 47.5), (65, 47.5), (65, 51.5), (35, 51.5)), GOLD),
    Polygon(((57, 39), (60, 32), (66, 27), (67, 33), (63, 39), (59, 42)), RED),
    Disc(58, 41, 2.2, GOLD),
)
_QUEEN: tuple[Shape, ...] = (
    Polygon(((35, 38), (41, 44), (45, 35), (50, 43), (55, 35), (59, 44), (65, 38), (62, 51.5), (38, 51.5)), GOLD),
    Polygon(((38.5, 47.5), (61.5, 47.5), (61.2, 49.5), (38.8, 49.5)), RED),
    *(Disc(x, y, 2.1, RED) for x, y in ((35, 37), (45, 34), (55, 34), (65, 37))),
)
_KING: tuple[Shape, ...] = (
    Polygon(((34, 36), (42, 43), (50, 32), (58, 43), (66, 36), (63, 51.5), (37, 51.5)), GOLD),
    Polygon(((37.5, 47), (62.5, 47), (62.2, 49.5), (37.8, 49.5)), "#2c5aa0"),
    Polygon(((48.9, 24), (51.1, 24), (51.1, 33), (48.9, 33)), GOLD),
    Polygon(((46.5, 26.4), (53.5, 26.4), (53.5, 28.6), (46.5, 28.6)), GOLD),
    *(Disc(x, y, 2.2, RED) for x, y in ((34, 35), (66, 35))),
)
_CROWNS = (_JACK, _QUEEN, _KING)


def _back() -> tuple[Shape, ...]:
    """A lattice of lozenges in a frame."""
    shapes: list[Shape] = [
        Box(0.5, 0.5, 99, 139, RADIUS, PAPER, EDGE, 1),
        Box(6, 6, 88, 128, 5, BACK, BACK_DARK, 1),
        Box(10, 10, 80, 120, 3, None, BACK_LIGHT, 1),
    ]
    across, down = 6, 9
    w, h = 76 / across, 116 / down
    for row in range(down):
        for column in range(across):
            x, y = 12 + w * (column + 0.5), 12 + h * (row + 0.5)
            r = 0.40
            points = ((x, y - h * r), (x + w * r, y), (x, y + h * r), (x - w * r, y))
            tint = BACK_LIGHT if (row + column) % 2 else "#4d74b8"
            shapes.append(Polygon(tuple((round(a, 2), round(b, 2)) for a, b in points), tint))
    return tuple(shapes)
