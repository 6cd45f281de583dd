"""What a training run came to, for people: tables for the terminal, the learning curve as a picture."""

from __future__ import annotations

import os
from pathlib import Path

from rich.console import Console
from rich.table import Table

from agents.arena import Difference, Result
from nap_env.storage.files import write_bytes
from train.learning.run import Run


def show(found: list[tuple[Result, Difference]], console: Console) -> None:
    """Two tables: stakes a hand in each field, and what was bid and made among `rules`."""
    first = found[0][0]
    table = Table(
        title=f"{first.candidate}: one seat, {first.deals:,} deals x {first.rules.num_players} rotations",
        caption="stakes a hand, 95% interval; deals that no training seed can reach",
    )
    table.add_column("in a field of")
    for name in ("stakes a hand", "95% interval", "more than pass", "95% interval"):
        table.add_column(name, justify="right")
    for result, difference in found:
        table.add_row(result.field[0], *_cells(result), *_cells(difference))
    console.print(table)
    console.print(bids_table(next((r for r, _ in found if r.field[0] == "rules"), first)))


def _cells(values: Result | Difference) -> tuple[str, str]:
    return f"{values.mean:+.3f}", f"[{values.low:+.3f}, {values.high:+.3f}]"


def bids_table(result: Result) -> Table:
    """What a candidate bid in a field, how often it was declarer in it, and how often it made it."""
    table = Table(title=f"bids of {result.candidate} in a field of {result.field[0]}")
    table.add_column("bid")
    for name in ("of turns", "of bids", "declarer", "made", "to break even"):
        table.add_column(name, justify="right")
    bids = sum(bid.bid for bid in result.bids) or 1
    for bid in result.bids:
        made, failed = result.rules.stake(bid.name)
        even = f"{failed / (made + failed):.0%}" if made + failed else "-"
        success = f"{bid.success:.0%}" if bid.played else "-"
        table.add_row(bid.name, f"{bid.share:.1%}", f"{bid.bid / bids:.1%}", f"{bid.played:,}", success, even)
    table.add_row("PASS", f"{result.passes:.1%}", "", "", "", "")
    return table


def draw_curve(run: Run) -> Path | None:
    """The learning curve as learning_curve.png in the run's folder; None without points."""
    if not run.curve:
        return None
    os.environ.setdefault("MPLBACKEND", "Agg")
    import io

    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, 4.5), layout="constrained")
    axes = figure.subplots()
    steps = [point["timesteps"] / 1e6 for point in run.curve]
    names = [n for n in run.curve[0] if n not in ("timesteps", "seconds") and not n.endswith(" error")]
    for name in names:
        means = [point[name] for point in run.curve]
        errors = [1.96 * point[f"{name} error"] for point in run.curve]
        (line,) = axes.plot(steps, means, marker=".", label=f"among {run.config.num_players - 1} {name}")
        low = [m - e for m, e in zip(means, errors, strict=True)]
        high = [m + e for m, e in zip(means, errors, strict=True)]
        axes.fill_between(steps, low, high, alpha=0.15, color=line.get_color(), linewidth=0)
    axes.axhline(0.0, color="0.4", linewidth=0.8)
    axes.set_xlabel("decisions trained on, millions")
    axes.set_ylabel("stakes a hand")
    axes.set_title(f"{run.folder.name}: {run.config.check_deals} validation deals, all rotations, 95% band")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=120)
    path = run.folder / "learning_curve.png"
    write_bytes(path, data.getvalue())
    return path
