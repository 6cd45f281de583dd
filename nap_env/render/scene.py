"""The table as a list of shapes, back to front: what the SVG and the window draw alike."""

from __future__ import annotations

from nap_env.render.middle import corners, middle
from nap_env.render.player import player
from nap_env.render.shapes import Box, Felt, Shape
from nap_env.render.style import FELT_INNER, FELT_OUTER, FELT_RIM, HEIGHT, WIDTH, WOOD, WOOD_DARK, WOOD_LIGHT
from nap_env.render.view import TableView


def scene(view: TableView) -> list[Shape]:
    """Everything on the table that the viewer may see, in units of a picture 960 wide and 660 high."""
    rim = Box(26, 26, WIDTH - 52, HEIGHT - 52, 18, None, FELT_RIM, 1)
    return [
        Box(0, 0, WIDTH, HEIGHT, 34, WOOD_DARK),
        Box(3, 3, WIDTH - 6, HEIGHT - 6, 32, WOOD, WOOD_LIGHT, 2),
        Felt(18, 18, WIDTH - 36, HEIGHT - 36, 24, FELT_INNER, FELT_OUTER),
        rim,
        *corners(view),
        *(shape for seat in view.seats for shape in player(view, seat)),
        *middle(view),
    ]
