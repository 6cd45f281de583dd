"""What long work shows while it goes on: one line a stage, on a terminal a bar."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as RichProgress


class Bar:
    """One stage; `update` says how far it is."""

    def __init__(self, bars: RichProgress, task: TaskID) -> None:
        self._bars, self._task = bars, task

    def update(self, done: float, note: str = "") -> None:
        """So much is done; the note stands behind the bar."""
        self._bars.update(self._task, completed=done, note=note)


class Progress:
    """Shows stages on a console (standard error); when quiet, nothing."""

    def __init__(self, console: Console | None = None, quiet: bool = False) -> None:
        self.console = console or Console(stderr=True)
        self.quiet = quiet

    @contextmanager
    def stage(self, name: str, total: float, start: float = 0.0) -> Iterator[Bar]:
        """A stage that is finished when the block ends."""
        columns = (
            TextColumn("{task.description:<20}"),
            BarColumn(bar_width=20),
            TextColumn("{task.percentage:>3.0f}%"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[note]}", style="dim"),
        )
        with RichProgress(*columns, console=self.console, disable=self.quiet) as bars:
            task = bars.add_task(name, total=total, completed=int(start), note="")
            yield Bar(bars, task)
