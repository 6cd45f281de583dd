"""What each thread of a search works in, views and games: made once a thread, and passed to the kernels."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from agents.searching.worlds import WORKSPACE
from nap_env.engine.records import GAME

_own = threading.local()


def workspace() -> Any:
    """This thread's WORKSPACE [1]."""
    if not hasattr(_own, "workspace"):
        _own.workspace = np.zeros(1, WORKSPACE)
    return _own.workspace


def games() -> Any:
    """This thread's GAME [2]."""
    if not hasattr(_own, "games"):
        _own.games = np.zeros(2, GAME)
    return _own.games
