"""Hidden hands, drawn uniformly among all that fit what a seat knows.

A seat knows its own cards and discards, every card played and by whom, who failed to follow suit and so has none
of it (R4.2), the peep card if it saw it (R8), and that a Wellington was led with the lowest card of a suit (R4.5).
Any other card of the pack may be in any other hand or undealt. A seat that is amid its own discards (R7, R9) shows
nobody how many it has put away: it is given as many cards as it will hold when it is done.

The number of ways is counted first, seat by seat, over how many cards of each kind are gone: cards are of a kind
that the same restricted seats may hold. Then each world is drawn by these counts: no draw is ever thrown away, so
the last trick takes no longer than the first. Seats that may hold anything share what is left at random.

`reading.py` says what a seat knows, `counting.py` in how many ways it can be, `drawing.py` draws.
"""

from __future__ import annotations

from nap_env.determinise.api import count_worlds, determinise, determinise_batch, knowledge

__all__ = ["count_worlds", "determinise", "determinise_batch", "knowledge"]
