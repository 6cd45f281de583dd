"""The results as tables and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Any

from rich import box
from rich.table import Table

import nap_env
from nap_env.engine import records
from train.bench.claims import Verdict, judge, ratio, work_out
from train.bench.machine import facts
from train.bench.measure import Case, Measured, Results
from train.bench.ours import BATCH, variants
from train.bench.settings import Settings

OURS = ("kernel", "step", "aec", "vector")
PEERS = ("pettingzoo", "openspiel", "rlcard", "pgx")
_CASE = ("", "batch", "cores", "written", "loop")
_SHORT = {"observation": "obs", "mask": "mask"}
BESIDE = {"kernel": "kernel", "step": f"loop {BATCH}", "env()": "env()"}  # what peers are compared with


def tables(results: Results, settings: Settings) -> Iterator[Table]:
    """All tables that have rows."""
    makers: tuple[Callable[[Results, Settings], Table], ...] = (
        ours_table, batch_table, variants_table, peers_table, learning_table, solver_table,
        claims_table,
    )  # fmt: skip
    for make in makers:
        table = make(results, settings)
        if table.row_count:
            yield table


def of_groups(results: Results, *groups: str) -> list[Measured]:
    """What was measured of these groups."""
    return [found for found in results.measured.values() if found.case.group in groups]


def ours_table(results: Results, settings: Settings) -> Table:
    """What we do in a second."""
    table = _table(
        f"nap_env: {settings.rules}, {settings.variant.num_players} players",
        "thousands a second: moves, turns (PettingZoo), or the learner's decisions (NapVectorEnv)",
        (*_CASE, "best", "median"),
    )
    for found in of_groups(results, *OURS):
        if not found.case.name.startswith(("bare", "write")):
            table.add_row(*_case_cells(found.case), _thousands(found.best), _thousands(found.median))
    return table


def batch_table(results: Results, settings: Settings) -> Table:
    """A step of one table, by the number of tables, beside its parts."""
    table = _table(
        "Tables.step by batch, one core: nanoseconds a table, best",
        "writing: memory only filled with as many bytes as observation and mask have",
        ("batch", "step", "without views", "writing", "step / without", "/ fastest batch"),
    )
    measured = results.measured
    sizes = [size for size in settings.batches if f"step {size}" in measured]
    fastest = max((measured[f"step {size}"].best for size in sizes), default=1.0)
    for size in sizes:
        step = measured[f"step {size}"].best
        cells = [
            f"{1e9 / measured[name].best:,.0f}" if name in measured else "-"
            for name in (f"step {size}", f"bare {size}", f"write {size}")
        ]
        without = work_out(results, partial(ratio, f"bare {size}", f"step {size}"))[0]
        table.add_row(f"{size:,}", *cells, _times(without), _times(fastest / step))
    return table


def variants_table(results: Results, settings: Settings) -> Table:
    """Every preset beside the standard rules."""
    table = _table(
        "variants: thousand moves a second, one core, best",
        f"kernel: B=1,024, no views; step: Tables.step, B={BATCH:,}, views written",
        ("", "players", "kernel", "/ standard", "step", "/ standard"),
    )
    for name, rules in variants().items():
        cells = []
        for what in ("kernel", "step"):
            found = results.measured.get(f"{name}: {what}")
            beside = work_out(results, partial(ratio, f"{name}: {what}", f"standard: {what}"))[0]
            cells += [_thousands(found.best), _times(beside)] if found else ["-", "-"]
        if set(cells) != {"-"}:
            table.add_row(name, str(rules.num_players), *cells)
    return table


def peers_table(results: Results, settings: Settings) -> Table:
    """The peers, and how many times as fast we are."""
    table = _table(
        "peers: thousand moves a second, and how many times as fast we are",
        f"kernel: random moves; step: random_actions + Tables.step, B={BATCH:,}, views written; "
        "env(): nap_v0.env() in PettingZoo's loop; best. Dealing takes time and is no move. "
        "tuned: the fastest Python loop we know; C++: MCTSBot's own rollouts.",
        (*_CASE, "best", *BESIDE),
        gap=1,
    )
    for found in of_groups(results, *PEERS):
        times = [_times(work_out(results, partial(ratio, ours, found.case.name))[0]) for ours in BESIDE.values()]
        table.add_row(*_case_cells(found.case), _thousands(found.best), *times)
    return table


def learning_table(results: Results, settings: Settings) -> Table:
    """Collection and updates."""
    table = _table(
        f"MaskablePPO, layers {settings.layers}, random opponents: thousand decisions a second",
        "inside: share of the time in environment and adapter; ours: how many times as fast we collect",
        ("", "tables", "threads", "best", "median", "inside", "ours"),
    )
    for found in of_groups(results, "sb3"):
        case, collects = found.case, found.case.name.startswith("collect")
        beside = work_out(results, partial(ratio, f"collect: ours, {case.cores}", case.name))[0]
        table.add_row(
            case.text,
            f"{case.batch:,}",
            str(case.cores),
            _thousands(found.best),
            _thousands(found.median),
            f"{found.shares[found.best_round]:.0%}" if collects else "",
            _times(beside) if collects else "",
        )
    return table


def solver_table(results: Results, settings: Settings) -> Table:
    """Deals solved."""
    table = _table(
        "solver: deals a second, one core, by processor time",
        "does the declarer make the bid, all cards open? Random deals; the longest are those that need most positions",
        ("players x cards", "deals", "best", "median", "ms a deal"),
    )
    for found in of_groups(results, "solver"):
        rates = (f"{rate:,.0f}" if rate >= 100 else _number(rate) for rate in (found.best, found.median))
        table.add_row(found.case.text, f"{found.case.batch:,}", *rates, f"{1000 / found.best:,.3f}")
    return table


def claims_table(results: Results, settings: Settings) -> Table:
    """What is claimed, and whether it is so on this machine now."""
    table = _table(
        f"claims: {settings.rules}, {settings.variant.num_players} players, one core unless said",
        "best: from everybody's quickest piece of work; median: of the rounds, each as a whole; "
        "unsure: the two disagree, the machine was busy",
        ("", "", "asked", "best", "median", ""),
    )
    table.columns[1].justify = "left"
    for verdict in judge(results, settings):
        if verdict.best is not None:
            claim = verdict.claim
            asked = f"{'<=' if claim.at_most else '>='} {claim.limit:g}"
            cells = (_number(verdict.best), _number(verdict.median))
            table.add_row(str(claim.number), claim.text, asked, *cells, _answer(verdict))
    return table


def _answer(verdict: Verdict) -> str:
    if not verdict.sure:
        return "[yellow]unsure[/]"
    return "[green]yes[/]" if verdict.holds else "[red]no[/]"


# ---- cells -----------------------------------------------------------------------------------------


def _table(title: str, caption: str, columns: tuple[str, ...], gap: int = 2) -> Table:
    table = Table(
        title=title, caption=caption, title_justify="left", caption_justify="left", box=box.SIMPLE_HEAD,
        padding=(0, gap - 1, 0, 0), pad_edge=False,
    )  # fmt: skip
    for place, name in enumerate(columns):
        table.add_column(name, justify="right" if place else "left")
    return table


def _case_cells(case: Case) -> tuple[str, ...]:
    written = " ".join(_SHORT[name] for name in case.writes) or "-"
    return case.text, f"{case.batch:,}", str(case.cores), written, case.loop


def _thousands(rate: float) -> str:
    return _number(rate / 1000)


def _times(value: float | None) -> str:
    return "-" if value is None else _number(value)


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


# ---- JSON ------------------------------------------------------------------------------------------


def as_json(results: Results, settings: Settings) -> dict[str, Any]:
    """Everything, with the facts of the machine."""
    return {
        "nap_env": nap_env.__version__,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "settings": {
            "rules": settings.variant.to_dict(),
            "seconds": settings.seconds,
            "rounds": settings.rounds,
            "only": list(settings.only),
            "quick": settings.quick,
            "clock": "cpu" if settings.cpu_time else "wall",
            "layers": settings.widths,
        },
        "machine": facts(),
        "state_bytes": records.GAME.itemsize,
        "stopped": results.stopped,
        "measurements": {name: _measured_json(found) for name, found in results.measured.items()},
        "absent": results.absent,
        "ratios": ratios(results),
        "claims": [verdict.as_json() for verdict in judge(results, settings)],
    }


def _measured_json(found: Measured) -> dict[str, Any]:
    case = found.case
    return {
        "group": case.group,
        "text": case.text,
        "batch": case.batch,
        "cores": case.cores,
        "writes": list(case.writes),
        "loop": case.loop,
        "unit": case.unit,
        "best": found.best,
        "median": found.median,
        "rounds": found.rates,
        "peaks": found.peaks,
        "waited": found.waits or None,
        "inside": found.shares if any(found.shares) else None,
    }


def ratios(results: Results) -> list[dict[str, Any]]:
    """How many times as fast we are as each peer."""
    found = []
    for peer in of_groups(results, *PEERS):
        for ours in BESIDE.values():
            best, median = work_out(results, partial(ratio, ours, peer.case.name))
            if best is not None:
                found.append({"ours": ours, "peer": peer.case.name, "best": best, "median": median})
    return found
