"""The table as pixels, drawn with pygame off screen, and a window that shows them.

pygame is imported when the first picture is asked for, and no display is opened before `Window.show`.
"""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from nap_env.render import cards_art
from nap_env.render.scene import scene
from nap_env.render.shapes import CLUB_DISCS, PIPS, Box, Card, Disc, Felt, Label, Pip, Polygon, Shape
from nap_env.render.style import HEIGHT, WIDTH, WOOD_DARK
from nap_env.render.view import TableView, headline

SCALE = 2  # drawn so much larger, then shrunk: that smooths the edges
CARD_SCALE = 2  # and cards once more, before they are turned


def rgb_array(view: TableView) -> npt.NDArray[np.uint8]:
    """A table as its viewer sees it: uint8 [660, 960, 3], red, green, blue.

    Raises:
        ImportError: pygame-ce is not installed.
    """
    pixels = _pygame().surfarray.array3d(_picture(view))
    return np.ascontiguousarray(pixels.transpose(1, 0, 2))


class Window:
    """A window that shows one table after another.

    Args:
        fps: how many tables a second `show` lets pass at most.

    Once a person has closed it, it stays closed.
    """

    def __init__(self, fps: float = 2.0) -> None:
        self.fps = fps
        self.closed = False
        self._screen: Any = None
        self._clock: Any = None

    def show(self, view: TableView) -> None:
        """Draw a table; the first call opens the window.

        Raises:
            ImportError: pygame-ce is not installed.
            RuntimeError: there is no screen.
        """
        if self.closed:
            return
        pygame = _pygame()
        if self._screen is None:
            self._open(pygame)
        pygame.display.set_caption(f"Nap: {headline(view)}")
        self._screen.blit(pygame.transform.smoothscale(_picture(view), self._screen.get_size()), (0, 0))
        pygame.display.flip()
        if any(event.type == pygame.QUIT for event in pygame.event.get()):
            self.close()
        else:
            self._clock.tick(self.fps)

    def close(self) -> None:
        """Close the window; it may be called again."""
        self.closed = True
        if self._screen is not None:
            self._screen = None
            _pygame().display.quit()

    def _open(self, pygame: Any) -> None:
        try:
            pygame.display.init()
            self._screen = pygame.display.set_mode((WIDTH, HEIGHT), pygame.RESIZABLE)
        except pygame.error as error:
            raise RuntimeError(
                f"no window can be opened here ({error}): use render_mode 'ansi' or 'rgb_array'"
            ) from error
        self._clock = pygame.time.Clock()


@lru_cache(maxsize=1)
def _pygame() -> Any:
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        import pygame
    except ImportError as error:
        raise ImportError(
            "pictures are drawn with pygame-ce, which is not installed: pip install 'nap-env[render]'; "
            "render_mode 'ansi' and Game's SVG need nothing more"
        ) from error
    pygame.font.init()
    return pygame


def _picture(view: TableView) -> Any:
    """The table on a surface of WIDTH x HEIGHT pixels."""
    pygame = _pygame()
    surface = pygame.Surface((WIDTH * SCALE, HEIGHT * SCALE), 0, 32)
    surface.fill(WOOD_DARK)
    for shape in scene(view):
        _draw(surface, shape, SCALE)
    return pygame.transform.smoothscale(surface, (WIDTH, HEIGHT))


# ---- a shape on a surface, all lengths times a scale --------------------------------------------------


def _draw(surface: Any, shape: Shape, scale: float) -> None:
    draw = _pygame().draw
    match shape:
        case Box():
            _box(surface, shape, scale)
        case Disc():
            middle, radius = (shape.x * scale, shape.y * scale), shape.radius * scale
            if shape.fill:
                draw.circle(surface, shape.fill, middle, radius)
            if shape.stroke:
                draw.circle(surface, shape.stroke, middle, radius, max(1, round(shape.line * scale)))
        case Polygon():
            draw.polygon(surface, shape.fill, [(x * scale, y * scale) for x, y in shape.points])
        case Pip():
            _pip(surface, shape, scale)
        case Label():
            _label(surface, shape, scale)
        case Felt():
            _felt(surface, shape, scale)
        case Card():
            _card(surface, shape, scale)


def _box(surface: Any, box: Box, scale: float) -> None:
    pygame = _pygame()
    place = pygame.Rect(*(round(v * scale) for v in (box.x, box.y, box.width, box.height)))
    radius = round(box.radius * scale)
    if box.fill:
        pygame.draw.rect(surface, box.fill, place, border_radius=radius)
    if box.stroke:
        line = max(1, round(box.line * scale))
        pygame.draw.rect(surface, box.stroke, place, line, border_radius=radius)


def _pip(surface: Any, pip: Pip, scale: float) -> None:
    draw = _pygame().draw
    size = pip.height * scale * (-1 if pip.upside_down else 1)
    x0, y0 = pip.x * scale, pip.y * scale
    for points in PIPS[pip.suit]:
        draw.polygon(surface, pip.fill, [(x0 + x * size, y0 + y * size) for x, y in points])
    if pip.suit == 0:
        for x, y, radius in CLUB_DISCS:
            draw.circle(surface, pip.fill, (x0 + x * size, y0 + y * size), abs(radius * size))


def _label(surface: Any, label: Label, scale: float) -> None:
    size = label.size * scale
    font = _font(round(size / 0.6875))
    words = font.render(label.words, True, label.fill)
    left = label.x * scale - words.get_width() * {"start": 0.0, "middle": 0.5, "end": 1.0}[label.anchor]
    top = label.y * scale + 0.36 * size - font.get_ascent()
    if label.upside_down:
        words = _pygame().transform.flip(words, True, True)
        top = 2 * label.y * scale - top - words.get_height()
    surface.blit(words, (round(left), round(top)))


@lru_cache(maxsize=64)
def _font(size: int) -> Any:
    """pygame's own typeface, so that pictures do not depend on the machine."""
    return _pygame().font.Font(None, size)


def _felt(surface: Any, felt: Felt, scale: float) -> None:
    place = (round(felt.x * scale), round(felt.y * scale))
    surface.blit(_cloth(felt, scale), place)


@lru_cache(maxsize=4)
def _cloth(felt: Felt, scale: float) -> Any:
    """Lit in the middle: the colours run from ``inner`` to ``outer`` as in the SVG's radial gradient."""
    pygame = _pygame()
    width, height = round(felt.width * scale), round(felt.height * scale)
    x = (np.arange(width) / width - 0.5)[:, None]
    y = (np.arange(height) / height - 0.5)[None, :]
    share = np.clip(np.hypot(x, y) / 0.75, 0, 1)[..., None]
    inner, outer = (np.array(pygame.Color(colour)[:3], float) for colour in (felt.inner, felt.outer))
    cloth = pygame.Surface((width, height), pygame.SRCALPHA, 32)
    pygame.draw.rect(cloth, "white", cloth.get_rect(), border_radius=round(felt.radius * scale))
    pygame.surfarray.pixels3d(cloth)[:] = (inner + (outer - inner) * share).round().astype(np.uint8)
    return cloth


def _card(surface: Any, card: Card, scale: float) -> None:
    pygame = _pygame()
    image = _card_image(card.card, card.height * scale, card.glow, card.dim)
    turned = pygame.transform.rotozoom(image, -card.angle, 1 / CARD_SCALE)
    surface.blit(turned, turned.get_rect(center=(round(card.x * scale), round(card.y * scale))))


@lru_cache(maxsize=256)
def _card_image(card: int | None, height: float, glow: str | None, dim: bool) -> Any:
    """A card with a margin around it for its shadow and rim, CARD_SCALE times as large as it will be."""
    pygame = _pygame()
    scale = height * CARD_SCALE / cards_art.HEIGHT
    margin = 8
    size = (round((100 + 2 * margin) * scale), round((140 + 2 * margin) * scale))
    image = pygame.Surface(size, pygame.SRCALPHA, 32)
    _veil(image, (margin + 2, margin + 3), (0, 0, 0, 71), 9, scale)
    if glow:
        _box(image, Box(margin - 5, margin - 5, 110, 150, 12, glow), scale)
    face = pygame.Surface((round(100 * scale), round(140 * scale)), pygame.SRCALPHA, 32)
    for shape in cards_art.card_shapes(card):
        _draw(face, shape, scale)
    image.blit(face, (round(margin * scale), round(margin * scale)))
    if dim:
        _veil(image, (margin, margin), (6, 23, 14, 107), 8, scale)
    return image


def _veil(image: Any, at: tuple[float, float], colour: tuple[int, ...], radius: float, scale: float) -> None:
    """Something half transparent of a card's size."""
    pygame = _pygame()
    veil = pygame.Surface((round(100 * scale), round(140 * scale)), pygame.SRCALPHA, 32)
    pygame.draw.rect(veil, colour, veil.get_rect(), border_radius=round(radius * scale))
    image.blit(veil, (round(at[0] * scale), round(at[1] * scale)))
