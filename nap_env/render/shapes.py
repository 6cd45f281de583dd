"""The few shapes that every picture is made of, and the suits as outlines, since fonts may lack their signs.

Lengths are in units of the picture, x to the right and y down; angles in degrees, clockwise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

Point = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """A rectangle with round corners."""

    x: float
    y: float
    width: float
    height: float
    radius: float
    fill: str | None
    stroke: str | None = None
    line: float = 0.0


@dataclass(frozen=True)
class Disc:
    """A circle."""

    x: float
    y: float
    radius: float
    fill: str | None
    stroke: str | None = None
    line: float = 0.0


@dataclass(frozen=True)
class Polygon:
    """A filled polygon."""

    points: tuple[Point, ...]
    fill: str


@dataclass(frozen=True)
class Label:
    """One line of text; ``y`` is the middle of its capitals, ``anchor`` says what of it is at ``x``."""

    x: float
    y: float
    words: str
    size: float
    fill: str
    anchor: str = "middle"
    bold: bool = False
    upside_down: bool = False


@dataclass(frozen=True)
class Pip:
    """A suit 0..3 (C D H S) as an outline of some height around its middle."""

    x: float
    y: float
    suit: int
    height: float
    fill: str
    upside_down: bool = False


@dataclass(frozen=True)
class Felt:
    """The table's cloth, lit in the middle."""

    x: float
    y: float
    width: float
    height: float
    radius: float
    inner: str
    outer: str


@dataclass(frozen=True)
class Card:
    """A card by its middle; ``card`` None shows its back. ``glow`` is the colour of a rim around it."""

    x: float
    y: float
    height: float
    card: int | None
    angle: float = 0.0
    glow: str | None = None
    dim: bool = False


Shape = Box | Disc | Polygon | Label | Pip | Felt | Card


def _heart(steps: int = 48) -> tuple[Point, ...]:
    """A heart one unit high around the origin."""
    turns = [2 * math.pi * step / steps for step in range(steps)]
    outline = [
        (
            16 * math.sin(t) ** 3,
            -(13 * math.cos(t) - 5 * math.cos(2 * t) - 2 * math.cos(3 * t) - math.cos(4 * t)),
        )
        for t in turns
    ]
    return _fitted(outline, 0.96, 1.0)


def _fitted(points: list[Point], width: float, height: float, top: float | None = None) -> tuple[Point, ...]:
    """The points stretched to a width and a height, their middle (or their top) on the origin."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    start = -height / 2 if top is None else top
    return tuple(
        (
            round((x - (min(xs) + max(xs)) / 2) * width / (max(xs) - min(xs)), 3),
            round((y - min(ys)) * height / (max(ys) - min(ys)) + start, 3),
        )
        for x, y in points
    )


def _diamond(steps: int = 6) -> tuple[Point, ...]:
    """Four corners, the sides bent a little inward."""
    corners = [(0.0, -0.5), (0.4, 0.0), (0.0, 0.5), (-0.4, 0.0)]
    points = []
    for (x1, y1), (x2, y2) in zip(corners, corners[1:] + corners[:1], strict=True):
        for step in range(steps):
            t = step / steps
            bend = 1 - 0.22 * 4 * t * (1 - t) / 2
            points.append((round((x1 + (x2 - x1) * t) * bend, 3), round((y1 + (y2 - y1) * t) * bend, 3)))
    return tuple(points)


def _stem(top: float, width: float) -> tuple[Point, ...]:
    """The foot of a spade or a club, its sides bent."""
    right = [(0.03 + (width / 2 - 0.03) * (step / 6) ** 2.4, top + (0.5 - top) * step / 6) for step in range(7)]
    left = [(-x, y) for x, y in reversed(right)]
    return tuple((round(x, 3), round(y, 3)) for x, y in right + left)


_SPADE = tuple((x, round(-y - 0.08, 3)) for x, y in _fitted(list(_heart()), 0.9, 0.84))

PIPS: tuple[tuple[tuple[Point, ...], ...], ...] = (
    (_stem(0.0, 0.5),),
    (_diamond(),),
    (_heart(),),
    (_SPADE, _stem(0.12, 0.5)),
)
"""The polygons of each suit, one unit high around the origin; a club has three discs too."""

CLUB_DISCS: tuple[tuple[float, float, float], ...] = (
    (0, -0.255, 0.235),
    (-0.245, 0.1, 0.235),
    (0.245, 0.1, 0.235),
)
"""Middle and radius of a club's leaves; `_stem` joins them."""
