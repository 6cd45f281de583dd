"""What a measurement must say of the machine it was made on."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from pathlib import Path
from typing import Any

from train.bench.settings import cores

PACKAGES = (
    "numpy", "numba", "gymnasium", "pettingzoo", "open_spiel", "rlcard", "pgx", "jax", "torch",
    "stable_baselines3", "sb3_contrib",
)  # fmt: skip


def facts() -> dict[str, Any]:
    """Processor, cores, load, and the versions of what was measured or measures."""
    return {
        "cpu": cpu_model(),
        "cores": cores(),
        "load": list(os.getloadavg()) if hasattr(os, "getloadavg") else None,
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": platform.python_version(),
        **versions(),
    }


def versions() -> dict[str, str | None]:
    """The version of each package; None where it is not installed."""
    found: dict[str, str | None] = {}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = None
    return found


def cpu_model() -> str:
    """The processor's name, as far as the system tells."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                return value.strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
