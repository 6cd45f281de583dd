"""Exact play with all cards open: what the declarer makes against payers who play as one.

Questions: `can_make` a bid from the deal, `makeable_leads`, `tricks`; in the middle of the play, also of a trick,
`solve`, and `line` for the play itself. The functions named ``_batch`` and `solve_worlds` take arrays of deals
and threads. All contracts, 2 to 7 hands, every pack and hand size of the rules.

How: `search.py` says what is searched and what makes it fast; `bounds.py` what is certain without a search;
`order.py` what is tried first; `table.py` how cards and solved positions are kept; `ask.py` puts the questions;
`whole_deal.py` asks them all of one deal. The techniques are those of double-dummy solvers for bridge (M. Ginsberg,
"GIB: Imperfect information in a computationally challenging game", 2001), with the payers as one side, and two
relaxed games as bounds.
"""

from __future__ import annotations

from nap_env.solver.api import (
    can_make,
    can_make_batch,
    line,
    makeable_leads,
    makeable_leads_batch,
    solve,
    solve_worlds,
    tricks,
    tricks_batch,
)
from nap_env.solver.position import Position

__all__ = [
    "Position",
    "can_make",
    "can_make_batch",
    "line",
    "makeable_leads",
    "makeable_leads_batch",
    "solve",
    "solve_worlds",
    "tricks",
    "tricks_batch",
]
