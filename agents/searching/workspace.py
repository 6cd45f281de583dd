"""What each thread of a search works in, views and games: made once a thread, and passed to the kernels."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from agents.searching.worlds import ROOM
from nap_env.engine.records import GAME

_own = threading.local()


def room() -> Any:
    """This thread's ROOM [1]."""
    if not hasattr(_own, "room"):
        _own.room = np.zeros(1, ROOM)
    return _own.room


def games() -> Any:
    """This thread's GAME [2]."""
    if not hasattr(_own, "games"):
        _own.games = np.zeros(2, GAME)
    return _own.games
