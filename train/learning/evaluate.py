"""What a learned agent is worth on paired duplicate deals against each field: numbers, tables, a picture."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import nap_env
from agents.arena import Difference, Result, compare, versus
from nap_env.agent import make
from nap_env.storage.files import write_bytes, write_text
from train.learning.run import Run
from train.showing.progress import Progress

FIELDS = ("simple-v1", "rules", "pass", "random")
PURPOSE = "test"


def evaluate(run: Run, progress: Progress, fields: Sequence[str] = FIELDS) -> list[tuple[Result, Difference]]:
    """Play the run's agent in each field, and always-pass on the same deals for comparison.

    Writes results.json. Returns for each field the agent's result and what it won more than always-pass.
    """
    config = run.config
    terms: dict[str, Any] = {
        "num_players": config.num_players,
        "deals": config.test_deals,
        "seed": config.seed,
        "rules": config.rules,
        "purpose": PURPOSE,
    }
    agent = make(f"learned:{run.folder}")
    found = []
    with progress.stage("comparing", 2.0 * len(fields)) as bar:
        for number, field in enumerate(fields):
            results = []
            for step, candidate in enumerate((agent, "pass")):
                at = 2 * number + step

                def tell(done: int, total: int, at: int = at, field: str = field) -> None:
                    bar.update(at + done / total, f"in a field of {field}")

                results.append(versus(candidate, field, **terms, progress=tell))
            found.append((results[0], compare(*results)))
    write_text(run.folder / "results.json", json.dumps(_as_json(run, found), indent=2) + "\n")
    return found


def _as_json(run: Run, found: list[tuple[Result, Difference]]) -> dict[str, Any]:
    return {
        "nap_env": nap_env.__version__,
        "config": json.loads(run.config.to_json()),
        "timesteps": run.timesteps,
        "purpose": PURPOSE,
        "fields": [
            {
                "field": result.field[0],
                "deals": result.deals,
                "stakes_per_hand": _interval(result),
                "more_than_pass": _interval(difference),
                "passes": result.passes,
                "bids": [{"bid": b.name, "share": b.share, "played": b.played, "made": b.made} for b in result.bids],
            }
            for result, difference in found
        ],
    }


def _interval(values: Result | Difference) -> dict[str, float]:
    return {"mean": values.mean, "low": values.low, "high": values.high}


# ---- shown to people ----------------------------------------------------------------------------------


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
