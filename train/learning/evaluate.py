"""What a learned agent is worth on paired duplicate deals against each field."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import nap_env
from agents.arena import Difference, Result, compare, versus
from nap_env.agent import make
from nap_env.storage.files import write_text
from train.learning.run import Run
from train.progress import Progress

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
