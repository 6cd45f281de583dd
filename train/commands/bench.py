"""``nap bench`` from beginning to end: measure, show, and write where asked."""

from __future__ import annotations

import json
from pathlib import Path

from rich.console import Console

from nap_env.storage.files import write_text
from train.bench import learning, ours, peers, solving
from train.bench.machine import facts
from train.bench.measure import Case, Results, measure
from train.bench.settings import GROUPS, BenchError, Settings
from train.progress import Progress
from train.showing.bench import as_json, tables


def run_bench(settings: Settings, output: Path | None) -> int:
    """Measure; the exit code: 0, or 130 when stopped by Ctrl-C, after what was measured is shown."""
    cases = chosen(settings)
    if output is not None and not output.absolute().parent.is_dir():
        raise BenchError(f"--output {output}: there is no folder {output.absolute().parent}")
    progress, console = Progress(), Console()
    with progress.stage("measuring", 1.0) as bar:

        def tell(done: int, steps: int, note: str) -> None:
            bar.update(done / steps, note)

        results = measure(cases, settings.seconds, settings.rounds, tell, settings.cpu_time)
    if output is not None:
        write_text(output, json.dumps(as_json(results, settings), indent=2) + "\n")
    show(results, settings, console)
    return 130 if results.stopped else 0


def chosen(settings: Settings) -> list[Case]:
    """The cases that ``--only`` names, by group or by name.

    Raises:
        BenchError: a name that is neither.
    """
    cases = [*ours.cases(settings), *peers.cases(), *learning.cases(settings), *solving.cases(settings)]
    known = {case.name for case in cases} | set(GROUPS)
    for name in settings.only:
        if name not in known:
            raise BenchError(
                f"--only {name}: there is no such measurement; give one of {', '.join(GROUPS)}, "
                "or the name of a case in the JSON file"
            )
    return [case for case in cases if not settings.only or {case.name, case.group} & set(settings.only)]


def show(results: Results, settings: Settings, console: Console) -> None:
    """The machine, the tables, and who is absent."""
    console.print(_machine(), highlight=False)
    console.print(_manner(results, settings), highlight=False)
    for table in tables(results, settings):
        console.print()
        console.print(table)
    for name, reason in results.absent.items():
        console.print(f"absent: {name} ({reason})", highlight=False, markup=False)
    if results.stopped:
        console.print("[yellow]stopped: this is what was measured so far[/]")


def _machine() -> str:
    machine = facts()
    return (
        f"[bold]nap bench[/]: {machine['cpu']}, {machine['cores']} cores; Python {machine['python']}, "
        f"numpy {machine['numpy']}, numba {machine['numba']}"
    )


def _manner(results: Results, settings: Settings) -> str:
    """How it was measured, and how busy the machine was."""
    waits = [wait for found in results.measured.values() for wait in found.waits]
    waited = sum(waits) / len(waits) if waits else 0.0
    said = f"{settings.rounds} rounds in which all take turns, {settings.seconds:g} s each in all"
    if waited > 0.02:
        remedy = ", which is left out" if settings.cpu_time else "; --cpu-time leaves that out"
        said += f"; [yellow]the machine was busy: others had our core {waited:.0%} of the time[/]{remedy}"
    return said
