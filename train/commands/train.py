"""``nap train`` from beginning to end: train, compare, draw, and say where everything is."""

from __future__ import annotations

from rich.console import Console

from train.learning.config import TrainConfig
from train.learning.evaluate import evaluate
from train.learning.ppo import train
from train.learning.run import Run
from train.progress import Progress
from train.showing.learning import draw_curve, show


def run_training(config: TrainConfig, resume: bool) -> int:
    """Train and compare; the exit code: 0, or 130 when stopped by Ctrl-C."""
    console = Console()
    progress = Progress()
    run = Run.reopen(config) if resume else Run.create(config)
    console.print(f"[bold]nap train[/]: {config.rules}, {config.num_players} players, in {run.folder}")
    try:
        train(run, progress)
        found = evaluate(run, progress)
    except KeyboardInterrupt:
        kept = f"go on with: nap train --resume --name {run.folder.name}"
        console.print(f"\nstopped; {kept if run.has_checkpoint else 'nothing was learned yet'}")
        return 130
    picture = draw_curve(run)
    show(found, console)
    console.print(f"play against it:  nap play learned:{run.folder}")
    console.print(f"learning curve:   {picture}" if picture else "no learning curve: no point was due")
    return 0
