"""What every test shares: no screen, hypothesis profiles, and whether kernels are compiled."""

import os

# Before any library looks: tests open no window, and two xdist workers share the cores.
os.environ.setdefault("MPLBACKEND", "Agg")
os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("SDL_AUDIODRIVER", "dummy")
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import HealthCheck, settings
from scale import NOJIT

# The first example may compile a kernel, so neither a deadline nor slow data is a fault.
settings.register_profile("ci", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("nojit", settings.get_profile("ci"), max_examples=10)
# New examples each time: pytest --hypothesis-profile explore
settings.register_profile("explore", settings.get_profile("ci"), derandomize=False, max_examples=2000)
settings.load_profile("nojit" if NOJIT else "ci")


@pytest.fixture(scope="session")
def nojit() -> bool:
    """Whether the kernels run as plain Python."""
    return NOJIT


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what is marked `jit` where nothing is compiled."""
    if NOJIT:
        for item in items:
            if item.get_closest_marker("jit"):
                item.add_marker(pytest.mark.skip(reason="needs compiled kernels"))
