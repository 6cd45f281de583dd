"""What all parts of the picture share: its size, its colours, and where each seat is."""

from __future__ import annotations

import math

from nap_env.render.shapes import Point
from nap_env.render.view import TableView

WIDTH, HEIGHT = 960, 660
MIDDLE: Point = (480.0, 313.0)

WOOD_DARK, WOOD, WOOD_LIGHT = "#3a2212", "#6b4323", "#8a5a31"
FELT_INNER, FELT_OUTER, FELT_RIM = "#2f8a5b", "#0d4429", "#3d9c6b"
PLATE, PLATE_ACTIVE, PLATE_EDGE = "#0b2f1d", "#12472c", "#1f5a3a"
WHITE, FAINT, GAIN, LOSS = "#f4f1e4", "#a9c3b2", "#8fe3a1", "#ff9b8a"
PLATE_WIDTH, PLATE_HEIGHT = 184.0, 44.0


def direction(view: TableView, seat: int) -> Point:
    """From the middle of the table to a seat: the viewer at the bottom, the others clockwise from him."""
    n = len(view.seats)
    turn = math.radians(90 + 360 * ((seat - (view.viewer or 0)) % n) / n)
    return math.cos(turn), math.sin(turn)


def place_of(view: TableView, seat: int) -> Point:
    x, y = direction(view, seat)
    return MIDDLE[0] + 350 * x, MIDDLE[1] + 9 + 214 * y
