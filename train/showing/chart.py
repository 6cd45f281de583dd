"""What a bidding chart says: to people as tables and a picture, to programs as JSON.

A chart knows the whole auction so far. To be read it is drawn together by seat and standing bid: over the auctions that
lead there, each as likely as the chart itself makes it, with hands taken to be independent of each other.
"""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from agents.auction.hand_classes import class_of, orbit
from agents.chart import Chart
from nap_env.cards import ACTION_NAMES, PASS, hand_text
from nap_env.storage.files import write_bytes

Floats = npt.NDArray[np.float64]
NAMES = {
    "PASS": "pass", "THREE": "Three", "MISERE": "Misère", "FOUR": "Four", "NAP": "Nap", "WELLINGTON": "Wellington",
    "BLUCHER": "Blücher", "SIX": "Six", "SEVEN": "Seven",
}  # fmt: skip
INKS = {
    "PASS": "#d8d4cc", "THREE": "#4f8fc9", "MISERE": "#2f9e77", "FOUR": "#e39a2d", "NAP": "#cf4436",
    "WELLINGTON": "#7d4f9e", "BLUCHER": "#2b2b33", "SIX": "#7d4f9e", "SEVEN": "#2b2b33",
}  # fmt: skip
STYLES = {
    "PASS": "dim", "THREE": "blue", "MISERE": "green", "FOUR": "yellow", "NAP": "red", "WELLINGTON": "magenta",
    "BLUCHER": "bold", "SIX": "magenta", "SEVEN": "bold",
}  # fmt: skip
LEAST = 0.05
"""The least strength that bids is that of all but this share of the hands that bid."""
_INK = "#333333"
_HOW = """Every dot is a bucket of
hands, its colour what
they call.

Across: tricks above two
that they may expect as
declarer.

Up: their chance to make
a Misère."""


def seat_name(position: int, positions: int) -> str:
    """Positions as players count them: the seat at the dealer's left is the first."""
    return "dealer" if position + 1 == positions else ("1st", "2nd", "3rd", "4th", "5th", "6th")[position]


class Summary:
    """A chart by seat and standing bid.

    Attributes:
        weight: float [C], the share of all hands that is in a bucket.
        reach: float [N], how likely the chart comes to a node.
    """

    def __init__(self, chart: Chart) -> None:
        self.chart, self.tree = chart, chart.tree
        hands = np.bincount(chart.bucket, orbit(chart.rules).astype(np.float64), len(chart.table))
        self.weight = hands / hands.sum()
        self.strategy = chart.strategy.astype(np.float64)
        mean = self.weight @ self.strategy
        self.reach = np.ones(self.tree.size)
        for node in range(1, self.tree.size):
            self.reach[node] = self.reach[self.tree.parent[node]] * mean[node]

    def places(self) -> list[tuple[int, int]]:
        """(position, standing rung or -1) wherever there is something to choose, in the order of the auction."""
        found = {(self.tree.level(int(node)), int(self.tree.rung[node])) for node in self.tree.decisions}
        return sorted(found)

    def calls(self, position: int, rung: int) -> dict[int, Floats]:
        """The probability of each call by bucket, float [C], over the auctions that lead there."""
        low, high = int(self.tree.start[position]), int(self.tree.start[position + 1])
        nodes = [node for node in range(low, high) if self.tree.rung[node] == rung]
        likely = np.array([self.reach[node] for node in nodes]) + 1e-12
        found: dict[int, Floats] = {}
        for node, share in zip(nodes, likely / likely.sum(), strict=True):
            for child in self.tree.children(node):
                call = int(self.tree.call[child])
                found[call] = found.get(call, 0.0) + share * self.strategy[:, child]
        return found

    def bids(self, position: int, rung: int) -> dict[str, tuple[float, float]]:
        """Of each call the share of hands that make it, and the least chance of making the bid with which they do."""
        found = {}
        for call, chance in sorted(self.calls(position, rung).items()):
            mass = self.weight * chance
            name = ACTION_NAMES[call]
            least = float("nan")
            if call != PASS and mass.sum() > 0:
                made = self.chart.chance[:, self.chart.rules.bids.index(name)]
                order = np.argsort(made, kind="stable")
                at = int(np.searchsorted(np.cumsum(mass[order]), LEAST * mass.sum()))
                least = float(made[order][min(at, len(order) - 1)])
            found[name] = float(mass.sum()), least
        return found

    def hand(self, hand: int, position: int, rung: int) -> dict[str, float]:
        """The probability of each call of one hand (64-bit set) there."""
        row = self.chart.bucket[class_of(np.array([hand], np.uint64), self.chart.rules)[0]]
        return {ACTION_NAMES[call]: float(chance[row]) for call, chance in sorted(self.calls(position, rung).items())}


# ---- for people ------------------------------------------------------------------------------------------


def standing_name(chart: Chart, rung: int) -> str:
    """The standing bid in words."""
    return "nothing" if rung < 0 else NAMES[chart.rules.bids[rung]]


def chart_table(summary: Summary) -> Table:
    """For each seat and standing bid the share of hands that make each call, and the least chance that bids."""
    chart, positions = summary.chart, summary.tree.positions
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), title=f"What to bid, {chart.rules.num_players} players")
    table.add_column("seat")
    table.add_column("stands")
    for name in ("PASS", *chart.rules.bids):
        table.add_column(NAMES[name], justify="right", style=STYLES[name])
    before = -1
    for position, rung in summary.places():
        if position != before and before >= 0:
            table.add_section()
        found = summary.bids(position, rung)
        cells = [_share(*found[name]) if name in found else "" for name in ("PASS", *chart.rules.bids)]
        seat = seat_name(position, positions) if position != before else ""
        table.add_row(seat, standing_name(chart, rung), *cells)
        before = position
    return table


def _share(share: float, least: float) -> str:
    """Such as ``12 .57``: bid by 12% of the hands, with a chance of .57 at least."""
    if share < 0.0005:
        return "-"
    percent = f"{100 * share:.0f}" if share >= 0.0095 else f"{100 * share:.1f}"[1:]
    return percent if np.isnan(least) else f"{percent} {least:.2f}".replace(" 0.", " .")


def chart_legend() -> str:
    """How the table is read."""
    return (
        "12 .57: 12% of the hands make this bid, all but a few of them with a chance of .57 at least to make it.\n"
        "Over the auctions that lead there, as likely as the chart itself makes them."
    )


def hand_title(chart: Chart, hand: int) -> str:
    """The hand, and what hands of its bucket make."""
    row = chart.bucket[class_of(np.array([hand], np.uint64), chart.rules)[0]]
    told = [f"{NAMES[bid]} {made:.0%}" for bid, made in zip(chart.rules.bids[:4], chart.chance[row], strict=False)]
    return f"{hand_text(hand)}, {chart.rules.num_players} players. Hands like it make {', '.join(told)}."


def hand_table(summary: Summary, hand: int) -> Table:
    """What one hand calls, by standing bid (rows) and seat (columns)."""
    chart, positions = summary.chart, summary.tree.positions
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("stands")
    for position in range(positions):
        table.add_column(seat_name(position, positions))
    for rung in range(-1, len(chart.rules.bids)):
        seats = [position for position, standing in summary.places() if standing == rung]
        if not seats:
            continue
        cells = [_calls(summary.hand(hand, p, rung)) if p in seats else Text("") for p in range(positions)]
        table.add_row(standing_name(chart, rung), *cells)
    return table


def _calls(found: dict[str, float]) -> Text:
    """The calls that are made in a twentieth of the cases or more, likeliest first."""
    likely = sorted((item for item in found.items() if item[1] >= 0.05), key=lambda item: -item[1])
    text = Text()
    for place, (name, chance) in enumerate(likely):
        text.append("\n" if place else "")
        text.append(NAMES[name] + ("" if chance > 0.995 else f" {chance:.0%}"), STYLES[name])
    return text


def as_json(summary: Summary, hand: int | None = None) -> dict[str, Any]:
    """The same for programs; of a hand each auction apart as well."""
    chart, tree = summary.chart, summary.tree
    found: dict[str, Any] = {"rules": chart.rules.to_dict(), "about": chart.about}
    if hand is None:
        found["places"] = [
            {
                "seat": position,
                "standing": None if rung < 0 else chart.rules.bids[rung],
                "calls": {
                    name: {"share": round(share, 5), "least_chance": None if np.isnan(least) else round(least, 2)}
                    for name, (share, least) in summary.bids(position, rung).items()
                },
            }
            for position, rung in summary.places()
        ]
        return found
    found["hand"] = hand_text(hand)
    found["auctions"] = [
        {
            "calls": tree.text(int(node)),
            "seat": tree.level(int(node)),
            "next": {ACTION_NAMES[call]: chance for call, chance in chart.calls(hand, int(node)).items()},
        }
        for node in tree.decisions
    ]
    return found


# ---- a picture -------------------------------------------------------------------------------------------


def draw(summary: Summary, path: Path) -> None:
    """A map of all hands for each seat and standing bid: every dot a bucket, its colour what it calls."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    chart, positions = summary.chart, summary.tree.positions
    rungs = [-1, *range(min(4, len(chart.rules.bids)))]
    figure = Figure(figsize=(2.35 * positions + 1.2, 2.2 * len(rungs) + 1.5), layout="constrained")
    panels = figure.subplots(len(rungs), positions, squeeze=False, sharex=True, sharey=True)
    across, up = _place(chart)
    for line, rung in zip(panels, rungs, strict=True):
        for position, axes in enumerate(line):
            if (position, rung) not in summary.places():
                axes.set_axis_off()
                continue
            _panel(axes, summary, position, rung, across, up)
            if rung < 0:
                axes.set_title(seat_name(position, positions), fontsize=12, color=_INK, pad=6)
        first = next(place for place in range(positions) if (place, rung) in summary.places())
        standing = "nothing bid yet" if rung < 0 else f"over {NAMES[chart.rules.bids[rung]]}"
        line[first].set_ylabel(standing, fontsize=11, color=_INK)
        line[first].tick_params(labelleft=True)
    panels[0, 0].tick_params(labelbottom=True)
    used = [name for name in ("PASS", *chart.rules.bids) if name != "BLUCHER"]
    dots = [Line2D([], [], marker="o", linestyle="", color=INKS[n], label=NAMES[n], markersize=8) for n in used]
    if len(rungs) > 1:  # the first seat never has a bid before it: there is room
        panels[1, 0].legend(handles=dots, loc="upper left", frameon=False, fontsize=10.5, labelcolor=_INK)
        below = panels[min(2, len(rungs) - 1), 0]
        told = below.text(0, 0.95, _HOW, transform=below.transAxes, va="top", fontsize=9.5, color=_INK)
        told.set_in_layout(False)
    figure.suptitle(f"What to bid at Nap, {chart.rules.num_players} players", fontsize=17, weight="bold", color=_INK)
    data = io.BytesIO()
    figure.savefig(data, format=path.suffix[1:] or "png", dpi=150, facecolor="#fcfbf8")
    write_bytes(path, data.getvalue())


def _place(chart: Chart) -> tuple[Floats, Floats]:
    """Where a bucket stands on the map: tricks above two, and the chance of a Misère."""
    bids = chart.rules.bids
    tricks = [place for place, bid in enumerate(bids) if bid in ("THREE", "FOUR", "NAP", "SIX", "SEVEN")]
    across = chart.chance[:, tricks].sum(axis=1).astype(np.float64)
    up = chart.chance[:, bids.index("MISERE")] if "MISERE" in bids else np.zeros(len(across))
    rng = np.random.default_rng(0)  # chances are kept to a hundredth: shaken, dots do not hide each other
    shaken = rng.uniform(-0.012, 0.012, (2, len(across)))
    return across + shaken[0], up.astype(np.float64) + shaken[1]


def _panel(axes: Any, summary: Summary, position: int, rung: int, across: Floats, up: Floats) -> None:
    from matplotlib.colors import to_rgb

    found = summary.calls(position, rung)
    colour = sum(chance[:, None] * np.array(to_rgb(INKS[ACTION_NAMES[call]])) for call, chance in found.items())
    size = 2.0 + 9.0 * np.sqrt(summary.weight / summary.weight.max())
    quiet = found.get(PASS, np.zeros(len(size)))
    order = np.argsort(-quiet, kind="stable")  # who bids lies above who passes
    axes.scatter(across[order], up[order], s=size[order], c=np.clip(colour, 0, 1)[order], linewidths=0)
    passing = float(summary.weight @ quiet)
    axes.text(
        0.97, 0.95, f"{1 - passing:.0%} bid", transform=axes.transAxes, ha="right", va="top", fontsize=9, color=_INK
    )
    axes.set_xlim(-0.06, across.max() + 0.06)
    axes.set_ylim(-0.03, 1.03)
    axes.tick_params(length=0, colors="#777777", labelsize=8)
    axes.set_facecolor("#ffffff")
    axes.spines[:].set_color("#dddddd")
