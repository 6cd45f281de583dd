"""The results of a tournament for the terminal, as tables, and as JSON."""

from __future__ import annotations

from typing import Any

from rich.table import Table

import nap_env
from agents.arena import Tournament


def standings_table(found: Tournament) -> Table:
    """Best first: mean over all fields, interval, and whether the best is better for sure."""
    result = next(iter(found.results.values()))
    n = result.rules.num_players
    table = Table(
        title=f"{len(found.names)} agents, {n} players, {result.deals:,} deals x {n} rotations x fields",
        caption="stakes a hand, mean over all fields, 95% interval over deals; p: that the best is no better (Holm)",
    )
    table.add_column("agent")
    for name in ("stakes a hand", "95% interval", "behind the best", "p"):
        table.add_column(name, justify="right")
    for place, standing in enumerate(found.standings):
        behind = standing.behind
        table.add_row(
            standing.name,
            f"{standing.mean:+.3f}",
            f"[{standing.low:+.3f}, {standing.high:+.3f}]",
            f"{behind.mean:.3f} ± {(behind.high - behind.low) / 2:.3f}" if place else "",
            f"{standing.p_adjusted:.2g}" if place else "",
        )
    return table


def fields_table(found: Tournament) -> Table:
    """Who wins how much in whose company."""
    table = Table(title="one of (row) among copies of (column), stakes a hand")
    table.add_column("")
    for name in found.names:
        table.add_column(name, justify="right")
    means = found.means()
    for i, name in enumerate(found.names):
        cells = [f"{means[i, j]:+.2f}" if i != j else "·" for j in range(len(found.names))]
        table.add_row(name, *cells)
    return table


def as_json(found: Tournament, agents: list[str]) -> dict[str, Any]:
    """The results as JSON-ready values."""
    first = next(iter(found.results.values()))
    return {
        "nap_env": nap_env.__version__,
        "agents": agents,
        "rules": first.rules.to_dict(),
        "deals": first.deals,
        "seed": first.seed,
        "standings": [
            {
                "agent": s.name,
                "mean": s.mean,
                "low": s.low,
                "high": s.high,
                "behind": s.behind.mean,
                "p_adjusted": s.p_adjusted,
            }
            for s in found.standings
        ],
        "fields": [
            {"agent": found.names[i], "field": found.names[j], "mean": r.mean, "low": r.low, "high": r.high}
            for (i, j), r in found.results.items()
        ],
    }
