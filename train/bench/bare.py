"""`Tables` that write neither observation nor mask: the step beside which `Tables.step` is judged."""

from __future__ import annotations

from nap_env.vector import Tables


class BareTables(Tables):
    """Tables whose `step` checks, plays, rewards and deals as ever, and leaves ``obs`` and ``mask`` alone."""

    _with_views = False
