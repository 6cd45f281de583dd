"""``nap book --chart``: make a bidding chart, print it, draw it, or say what it has to say of one hand."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from agents.chart import Chart, as_bid, chart_file, chart_for
from nap_env.errors import AgentError
from nap_env.rules import Rules, make_rules
from train.chart.build import ChartConfig, build
from train.commands.book import Request
from train.progress import Progress
from train.showing.book import parse_hand
from train.showing.chart import Summary, as_json, chart_legend, chart_table, draw, hand_table, hand_title

WIDTH = 80


@dataclass(frozen=True)
class ChartRequest:
    """What was asked for.

    Attributes:
        rules, players: which Nap: a preset or JSON, as `nap book` takes them.
        file: the chart; None: the one that comes with the package.
        as_json: as JSON instead of tables.
        plot: where to draw it.
    """

    rules: str = "standard"
    players: int | None = None
    file: Path | None = None
    as_json: bool = False
    plot: Path | None = None

    def chosen(self) -> Rules:
        """The rules meant.

        Raises:
            RulesError: no such rules.
        """
        return make_rules(Request(self.rules, self.players).chosen(), self.players)

    def chart(self) -> Chart:
        """The chart asked for.

        Raises:
            AgentError: it is not there, or of other rules.
        """
        if self.file is None:
            return chart_for(self.chosen())
        chart = Chart.load(self.file)
        if self.players is not None and chart.rules != as_bid(self.chosen()):
            raise AgentError(f"{self.file} is a chart of {chart.rules}, not of {as_bid(self.chosen())}")
        return chart


def run_chart(request: ChartRequest, hand: str | None, config: ChartConfig | None, folder: Path | None) -> int:
    """Make a chart by a configuration, or, without one, say what there is; the exit code."""
    if config is not None:
        return run_build(request, config, folder)
    return run_show(request, hand)


def run_show(request: ChartRequest, hand: str | None = None) -> int:
    """Print the chart, or what it says of a hand, and draw it where asked; the exit code."""
    chart = request.chart()
    summary = Summary(chart)
    word = None if hand is None else parse_hand(hand, chart.rules)
    console = Console()
    if request.as_json:
        print(json.dumps(as_json(summary, word), indent=2))
    elif word is not None:
        console.print(hand_title(chart, word), highlight=False)
        console.print(hand_table(summary, word))
    else:
        console.print(chart_table(summary))
        console.print(chart_legend(), style="dim", highlight=False)
        console.print(_proof(chart), style="dim", highlight=False)
    if request.plot is not None:
        draw(summary, request.plot)
        console.print(f"drawn: {request.plot}", highlight=False)
    return 0


def _proof(chart: Chart) -> str:
    """What the chart was measured to be."""
    about = chart.about
    if "used" not in about:
        return "not measured"
    lines = [
        f"{about['deals']:,} deals with every seat as dealer, {len(chart.table):,} buckets of hands, "
        f"{about['iterations']} iterations.",
        f"On them NashConv is {about['used']['nash_conv']:.3f} stakes a hand, all seats together.",
    ]
    if "fresh" in about:
        gain = max(about["fresh"]["held_out_gain"], about["fresh, exact hands"]["held_out_gain"])
        lines.append(
            f"On {about['fresh_deals']:,} fresh deals a best response fitted to one half gains {gain:.3f} on the other."
        )
    return "\n".join(lines)


def run_build(request: ChartRequest, config: ChartConfig, folder: Path | None = None) -> int:
    """Make a chart and show it; the exit code: 0, or 130 when stopped by Ctrl-C."""
    rules = request.chosen()
    work = folder or Path("runs") / f"chart-{chart_file(rules).stem.removeprefix('chart-')}"
    file = request.file or work / "chart.npz"
    console = Console()
    console.print(f"[bold]nap book --chart --build[/]: {rules!r}, in {work}", highlight=False)
    work.mkdir(parents=True, exist_ok=True)
    try:
        chart = build(rules, config, work, Progress())
    except KeyboardInterrupt:
        console.print("\nstopped; the same command goes on from here")
        return 130
    chart.save(file)
    console.print(_proof(chart), highlight=False)
    console.print(f"bid by it:  nap play chart:{file}\nread it:    nap book --chart --file {file}", highlight=False)
    return 0
