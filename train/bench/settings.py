"""What ``nap bench`` was asked for."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

from nap_env.errors import NapError
from nap_env.rules import Rules, make_rules

GROUPS = (
    "kernel", "step", "aec", "vector", "presets", "pettingzoo", "openspiel", "rlcard", "pgx", "sb3", "solver",
)  # fmt: skip


class BenchError(NapError):
    """A measurement that cannot be; the message says what would be right."""


@dataclass(frozen=True)
class Settings:
    """The options of the command.

    Attributes:
        seconds: time of each measurement, in all rounds together.
        rounds: into how many slices it is cut.
        only: groups or names of cases; empty is all.
        quick: few batch sizes and short pieces of work.
        cpu_time: whether time in which others had the core is left out, in what runs on one core.
        layers: widths of the network that collects, as in SB3's own default.
    """

    rules: str = "standard"
    players: int | None = None
    seconds: float = 1.0
    rounds: int = 7
    only: tuple[str, ...] = ()
    quick: bool = False
    cpu_time: bool = False
    layers: str = "64,64"

    def __post_init__(self) -> None:
        make_rules(self.rules, self.players)
        if not 0 < self.seconds < 3600:
            raise BenchError(f"--seconds {self.seconds}: give a time above 0, below an hour")
        if self.cpu_time and time.get_clock_info("process_time").resolution > 1e-5:
            raise BenchError("--cpu-time: this system's clock of processor time is too coarse; leave it out")
        if self.rounds < 1:
            raise BenchError(f"--rounds {self.rounds}: at least 1")
        if not all(width.strip().isdecimal() and int(width) for width in self.layers.split(",")):
            raise BenchError(f"--layers {self.layers!r}: write widths with commas, as in '64,64'")

    @property
    def variant(self) -> Rules:
        """The rules that are measured where nothing else is said."""
        return make_rules(self.rules, self.players)

    @property
    def widths(self) -> list[int]:
        """The layers as numbers."""
        return [int(width) for width in self.layers.split(",")]

    @property
    def batches(self) -> tuple[int, ...]:
        """Numbers of tables for `Tables.step`."""
        return (64, 4096, 65536) if self.quick else (64, 256, 1024, 4096, 16384, 65536)


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
