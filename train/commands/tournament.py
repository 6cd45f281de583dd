"""``nap tournament``: agents compared on duplicate deals, as tables and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

from rich.console import Console

from agents.arena import tournament
from nap_env.errors import AgentError
from nap_env.storage.files import write_text
from train.progress import Progress
from train.showing.tournament import as_json, fields_table, standings_table


def run_tournament(
    agents: list[str],
    rules: str,
    players: int | None,
    deals: int,
    seed: int,
    output: Path | None,
    allow_cheats: bool = False,
) -> int:
    """Play it, show it, write it where asked; the exit code."""
    if len(set(agents)) < len(agents):
        raise AgentError("an agent stands twice in the list: name each once")
    progress = Progress()
    with progress.stage("tournament", 1.0) as bar:

        def tell(done: int, total: int) -> None:
            bar.update(done / total, f"{done:,} of {total:,} hands")

        found = tournament(agents, players, deals, seed, rules, allow_cheats=allow_cheats, progress=tell)
    if output is not None:
        write_text(output, json.dumps(as_json(found, agents), indent=2) + "\n")
    console = Console()
    console.print(standings_table(found))
    console.print(fields_table(found))
    return 0
