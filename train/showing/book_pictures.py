"""Pictures of the book: one hand at every table, and all hands for one bid."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.auction.chances import BookError, Chances, questions
from agents.auction.hand_classes import orbit, representatives
from nap_env.cards import RANKS, SUIT_SYMBOLS, SUITS, hand_text
from nap_env.rules import Rules
from nap_env.storage.files import write_bytes
from train.showing.book import NAMES, Answer

Floats = npt.NDArray[np.float64]
_INK, _FAINT, _RED = "#1f2933", "#8a94a0", "#c0392b"


def draw_hand(hand: int, rules: Rules, found: Sequence[Answer], path: Path) -> None:
    """Two heat maps of one hand by number of players: how likely each bid is made, and what it is worth."""
    bids = [bid for bid in questions(found[0].chances.rules) if bid in found[0].found]
    chances = np.array([[answer.found[bid][0] for bid in bids] for answer in found])
    errors = np.array([[answer.found[bid][1] for bid in bids] for answer in found])
    stakes = np.array([list(answer.stakes.values()) for answer in found])
    figure = _figure(10.0, 1.9 + 0.52 * len(found))
    left, right = figure.subplots(1, 2, width_ratios=[len(bids), len(rules.bids)])
    _cells(left, chances, "YlGnBu", (0, 1), "{:.0%}", errors)
    _cells(right, stakes, "RdBu", _even(stakes), "{:+.1f}", None)
    for axes, names, title in ((left, bids, "made"), (right, rules.bids, "expected stakes a payer")):
        axes.set_xticks(range(len(names)), [NAMES[name] for name in names])
        axes.set_yticks(range(len(found)), [str(answer.players) for answer in found])
        axes.set_title(title, fontsize=11, color=_INK, pad=22)
    left.set_ylabel("players", color=_INK)
    _title_with_cards(figure, hand)
    play = {"open": "exact play, all cards open", "rules": "played by the agent rules"}[found[0].chances.play]
    figure.supxlabel(f"{play}; small: standard error in percent", fontsize=8.5, color=_FAINT)
    _write(figure, path)


def _even(stakes: Floats) -> tuple[float, float]:
    reach = max(1.0, float(np.abs(stakes).max()))
    return -reach, reach


def _cells(axes: Any, values: Floats, colours: str, limits: tuple[float, float], form: str, errors: Any) -> None:
    """A heat map with a number in each cell, dark on light and light on dark."""
    image = axes.imshow(values, cmap=colours, vmin=limits[0], vmax=limits[1], aspect="auto")
    for (row, column), value in np.ndenumerate(values):
        red, green, blue, _ = image.cmap(image.norm(value))
        ink = _INK if 0.3 * red + 0.59 * green + 0.11 * blue > 0.55 else "white"
        axes.text(column, row - (0.1 if errors is not None else 0), form.format(value), ha="center", va="center",
                  color=ink, fontsize=11)  # fmt: skip
        if errors is not None:
            axes.text(column, row + 0.27, f"±{100 * errors[row, column]:.1f}", ha="center", va="center", color=ink,
                      fontsize=7, alpha=0.8)  # fmt: skip
    axes.tick_params(length=0, colors=_INK, top=True, labeltop=True, bottom=False, labelbottom=False)
    axes.set_xticks(np.arange(values.shape[1] + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(values.shape[0] + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=2)
    axes.tick_params(which="minor", length=0)
    axes.spines[:].set_visible(False)


def _title_with_cards(figure: Any, hand: int) -> None:
    """The cards in the colours of their suits, as the figure's title."""
    from matplotlib.offsetbox import AnchoredOffsetbox, HPacker, TextArea

    areas: list[Any] = [
        TextArea(
            name.replace("T", "10")[:-1] + SUIT_SYMBOLS[SUITS.index(name[-1])],
            textprops={"color": _RED if name[-1] in "DH" else _INK, "size": 17, "weight": "bold"},
        )
        for name in hand_text(hand).split()
    ]
    box = AnchoredOffsetbox(
        "upper center",
        child=HPacker(children=areas, pad=0, sep=12),
        frameon=False,
        pad=0.2,
        bbox_to_anchor=(0.5, 0.995),
        bbox_transform=figure.transFigure,
    )
    figure.suptitle(" ", fontsize=19)  # keeps the room
    box.set_zorder(5)
    box.set_in_layout(False)
    figure.add_artist(box)


# ---- All hands ----------------------------------------------------------------------------------------------


def draw_map(tables: Mapping[int, Chances], bid: str, rules: Rules, path: Path) -> None:
    """How likely a bid is made, by the length of the longest suit (across), players (down) and two cards (each panel).

    The cards are the two best of the longest suit; for Misere the two highest of the hand. Each cell is the mean over
    all hands that have them, hands and not classes counted.

    Raises:
        BookError: the bid is not in the book.
    """
    first = next(iter(tables.values()))
    if bid not in first.rules.bids:
        raise BookError(f"{bid} is not in the book: it has {', '.join(first.rules.bids)}")
    lengths, rows, columns = _holdings(first.rules, bid == "MISERE")
    shown = [length for length in range(int(lengths.max()), 0, -1) if (lengths == length).any()]
    shown = [length for length in shown if length > 1 or bid == "MISERE"]
    ranks = RANKS[13 - rules.pack_size // rules.suits :]
    figure = _figure(2.75 * len(shown) + 1.1, 2.75 * len(tables) + 1.2)
    panels = figure.subplots(len(tables), len(shown), squeeze=False, sharex=True, sharey=True)
    image = None
    for line, (players, chances) in zip(panels, tables.items(), strict=True):
        for axes, length in zip(line, shown, strict=True):
            here = lengths == length
            means = _means(chances, bid, here, rows, columns, len(ranks))
            image = _panel(axes, means, ranks)
            if players == min(tables, key=list(tables).index):
                axes.set_title(f"longest suit {length}", fontsize=11, color=_INK, pad=8)
        line[0].set_ylabel(f"{players} players\n\nhighest card", color=_INK, fontsize=10)
    for axes in panels[-1]:
        axes.set_xlabel("second", color=_INK, fontsize=10)
    made, failed = rules.stake(bid)
    bar = figure.colorbar(image, ax=panels, shrink=0.5, aspect=28, pad=0.015, format=lambda x, _: f"{100 * x:.0f}%")
    bar.outline.set_visible(False)
    even = failed / (made + failed) if made + failed else 0.5
    bar.ax.axhline(even, color=_RED, linewidth=1.6)
    bar.ax.text(-0.3, even, "breaks\neven ", ha="right", va="center", color=_RED, fontsize=7.5)
    bar.ax.tick_params(length=0, colors=_INK)
    which = "the two highest cards of the hand" if bid == "MISERE" else "the two highest cards of the longest suit"
    figure.suptitle(f"{NAMES[bid]} made, by {which}", fontsize=15, color=_INK, weight="bold")
    _write(figure, path)


def _holdings(kind: Rules, whole_hand: bool) -> tuple[Any, Any, Any]:
    """For each class the length of its longest suit, and the ranks of two cards, 0 the lowest of the pack."""
    hands = representatives(kind)
    lowest = 13 - kind.pack_size // kind.suits
    suits = np.stack([hands >> np.uint64(13 * suit) & np.uint64(0x1FFF) for suit in range(4)])
    lengths = np.bitwise_count(suits)
    longest = lengths.max(axis=0)
    if whole_hand:
        held = np.stack([(suits >> np.uint64(rank) & np.uint64(1)).sum(axis=0) for rank in range(12, -1, -1)])
        many = np.cumsum(held, axis=0)
        first, second = 12 - (many >= 1).argmax(axis=0), 12 - (many >= 2).argmax(axis=0)
    else:
        best = np.where(lengths == longest, suits, 0).max(axis=0).astype(np.int64)
        first = np.floor(np.log2(np.maximum(best, 1))).astype(np.int64)
        rest = best ^ (1 << first)
        second = np.floor(np.log2(np.maximum(rest, 1))).astype(np.int64)
    return longest, first - lowest, second - lowest


def _means(chances: Chances, bid: str, here: Any, rows: Any, columns: Any, ranks: int) -> Floats:
    """Means over hands by highest and second card, float [ranks, ranks]; nan where there is no hand."""
    values = np.nan_to_num(chances.probability[chances.row(bid)])
    hands = orbit(chances.rules)
    place = rows[here] * ranks + columns[here]
    total = np.bincount(place, hands[here], ranks * ranks)
    with np.errstate(invalid="ignore"):
        means = np.bincount(place, (hands * values)[here], ranks * ranks) / total
    return np.asarray(means.reshape(ranks, ranks))


def _panel(axes: Any, means: Floats, ranks: str) -> Any:
    image = axes.imshow(np.ma.masked_invalid(means), cmap="YlGnBu", vmin=0, vmax=1, origin="lower")
    for (row, column), value in np.ndenumerate(means):
        if not np.isnan(value):
            ink = "white" if value > 0.55 else _INK
            axes.text(column, row, f"{100 * value:.0f}", ha="center", va="center", fontsize=5.6, color=ink)
    axes.set_xticks(range(len(ranks)), list(ranks), fontsize=7.5)
    axes.set_yticks(range(len(ranks)), list(ranks), fontsize=7.5)
    axes.tick_params(length=0, colors=_INK)
    axes.spines[:].set_visible(False)
    return image


def _figure(width: float, height: float) -> Any:
    os.environ.setdefault("MPLBACKEND", "Agg")
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _write(figure: Any, path: Path) -> None:
    data = io.BytesIO()
    figure.savefig(data, format=path.suffix[1:] or "png", dpi=150)
    write_bytes(path, data.getvalue())
