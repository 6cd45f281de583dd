"""Is this agent better? Deals played in every rotation, with intervals over deals.

`versus` seats one candidate among n-1 others, `crowd` one other among n-1 candidates; the two can disagree. `compare`
sets two results on the same deals against each other, `tournament` plays every agent in every field.
"""

from agents.arena.comparing import compare, crowd, versus
from agents.arena.ranking import Standing, Tournament, tournament
from agents.arena.results import BidCount, Difference, Interval, Result

__all__ = [
    "BidCount",
    "Difference",
    "Interval",
    "Result",
    "Standing",
    "Tournament",
    "compare",
    "crowd",
    "tournament",
    "versus",
]
