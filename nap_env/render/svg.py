"""The table as one self-contained SVG picture: a pure function of a view."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from xml.sax.saxutils import escape, quoteattr

from nap_env.render import cards_art
from nap_env.render.scene import scene
from nap_env.render.shapes import CLUB_DISCS, PIPS, Box, Card, Disc, Felt, Label, Pip, Polygon, Shape
from nap_env.render.style import HEIGHT, WIDTH
from nap_env.render.view import TableView, headline

FONT = "DejaVu Sans, Verdana, Arial, Helvetica, sans-serif"


def svg(view: TableView) -> str:
    """A table as its viewer sees it: an ``<svg>`` element, 960 x 660 units, nothing outside it is needed."""
    shapes = scene(view)
    cards = sorted({shape.card for shape in shapes if isinstance(shape, Card)}, key=lambda c: -1 if c is None else c)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" font-family={quoteattr(FONT)} role="img">',
        f"<title>{escape('Nap: ' + headline(view))}</title>",
        "<defs>",
        *(_pip_symbol(suit) for suit in range(4)),
        *(_card_symbol(card) for card in cards),
        "</defs>",
        *_drawn(shapes),
        "</svg>",
    ]
    return "\n".join(parts)


def _drawn(shapes: Iterable[Shape]) -> list[str]:
    return [_element(shape) for shape in shapes]


def _element(shape: Shape) -> str:
    match shape:
        case Box():
            return _rectangle(shape.x, shape.y, shape.width, shape.height, shape.radius, _paint(shape))
        case Disc():
            return f'<circle cx="{_n(shape.x)}" cy="{_n(shape.y)}" r="{_n(shape.radius)}" {_paint(shape)}/>'
        case Polygon():
            return f'<polygon points="{_points(shape.points)}" fill="{shape.fill}"/>'
        case Pip():
            turn = " rotate(180)" if shape.upside_down else ""
            place = f"translate({_n(shape.x)} {_n(shape.y)}){turn} scale({_n(shape.height)})"
            return f'<use href="#nap-pip-{shape.suit}" transform="{place}" fill="{shape.fill}"/>'
        case Label():
            return _text(shape)
        case Felt():
            return _felt(shape)
        case Card():
            return _card(shape)


def _rectangle(x: float, y: float, width: float, height: float, radius: float, paint: str) -> str:
    size = f'x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}" rx="{_n(radius)}"'
    return f"<rect {size} {paint}/>"


def _paint(shape: Box | Disc) -> str:
    paint = f'fill="{shape.fill or "none"}"'
    return f'{paint} stroke="{shape.stroke}" stroke-width="{_n(shape.line)}"' if shape.stroke else paint


def _text(label: Label) -> str:
    weight = ' font-weight="bold"' if label.bold else ""
    turn = f' transform="rotate(180 {_n(label.x)} {_n(label.y)})"' if label.upside_down else ""
    place = f'x="{_n(label.x)}" y="{_n(label.y + 0.36 * label.size)}" font-size="{_n(label.size)}"'
    style = f'text-anchor="{label.anchor}" fill="{label.fill}"'
    return f"<text {place} {style}{weight}{turn}>{escape(label.words)}</text>"


def _felt(felt: Felt) -> str:
    stops = f'<stop offset="0" stop-color="{felt.inner}"/><stop offset="1" stop-color="{felt.outer}"/>'
    light = f'<radialGradient id="nap-felt" r="0.75">{stops}</radialGradient>'
    return light + _rectangle(felt.x, felt.y, felt.width, felt.height, felt.radius, 'fill="url(#nap-felt)"')


def _card(card: Card) -> str:
    scale = card.height / cards_art.HEIGHT
    turn = f" rotate({_n(card.angle)})" if card.angle else ""
    place = f"translate({_n(card.x)} {_n(card.y)}){turn} scale({scale:.4f}) translate(-50 -70)"
    glow = ""
    if card.glow:
        glow = _rectangle(-5, -5, 110, 150, 12, f'fill="{card.glow}"')
    fade = _rectangle(0, 0, 100, 140, 8, 'fill="#06170e" fill-opacity="0.42"') if card.dim else ""
    shadow = _rectangle(2, 3, 100, 140, 9, 'fill="#000" fill-opacity="0.28"')
    return f'<g transform="{place}">{shadow}{glow}<use href="#{_name(card.card)}"/>{fade}</g>'


def _name(card: int | None) -> str:
    return "nap-card-back" if card is None else f"nap-card-{card}"


@lru_cache(maxsize=53)
def _card_symbol(card: int | None) -> str:
    return f'<g id="{_name(card)}">{"".join(_drawn(cards_art.card_shapes(card)))}</g>'


@lru_cache(maxsize=4)
def _pip_symbol(suit: int) -> str:
    parts = [f'<polygon points="{_points(points)}"/>' for points in PIPS[suit]]
    if suit == 0:
        parts += [f'<circle cx="{x}" cy="{y}" r="{r}"/>' for x, y, r in CLUB_DISCS]
    return f'<g id="nap-pip-{suit}">{"".join(parts)}</g>'


def _points(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{_n(x)},{_n(y)}" for x, y in points)


def _n(number: float) -> str:
    return f"{number:.3f}".rstrip("0").rstrip(".")
