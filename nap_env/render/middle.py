"""The middle of the table (the ladder of bids, the trick, how it ended) and its corners."""

from __future__ import annotations

from nap_env.render.cards_art import GOLD, INKS
from nap_env.render.shapes import Box, Card, Label, Pip, Shape
from nap_env.render.style import FAINT, HEIGHT, MIDDLE, PLATE, PLATE_EDGE, WHITE, WIDTH, direction
from nap_env.render.view import TableView, headline, outcome


def middle(view: TableView) -> list[Shape]:
    """The ladder while it is bid, then the trick, then the verdict."""
    if view.over:
        return _verdict(view)
    return _ladder(view) if view.phase != "PLAY" else _trick(view)


def _trick(view: TableView) -> list[Shape]:
    """The trick on the table; the last one, dimmed, while the next is not led to."""
    if not view.tricks:
        return []
    trick = view.tricks[-1]
    done = len(view.tricks) == view.trick
    across = {5: 148}.get(len(view.seats), 125 if len(view.seats) < 5 else 165)
    shapes: list[Shape] = []
    for seat, card in trick.cards:
        x, y = direction(view, seat)
        place = (MIDDLE[0] + across * x, MIDDLE[1] + 91 * y)
        best = seat == trick.winner
        shapes.append(Card(*place, 84, card, 7 * x, GOLD if best else None, dim=done and not best))
    return shapes


def _ladder(view: TableView) -> list[Shape]:
    """The bids in use, lowest first: gold the one that stands, faint those it has passed."""
    bids = view.rules.bids
    reached = bids.index(view.contract) if view.contract else -1
    width, height = 118.0, 25.0
    top = MIDDLE[1] - height * len(bids) / 2
    shapes: list[Shape] = []
    for rung, bid in enumerate(bids):
        y = top + height * (len(bids) - rung - 0.5)
        stands = rung == reached
        fill, ink = (GOLD, "#2a1c04") if stands else (PLATE, "#5d8a70" if rung < reached else WHITE)
        made, failed = view.rules.stake(bid)
        shapes += [
            Box(MIDDLE[0] - width / 2 - 22, y - 11, width + 44, 22, 7, fill, PLATE_EDGE, 1),
            Label(MIDDLE[0] - width / 2 - 12, y, bid, 12, ink, "start", bold=True),
            Label(MIDDLE[0] + width / 2 + 12, y, f"{made} / {failed}", 11.5, ink, "end"),
        ]
    caption = "stakes a payer: made / failed"
    return [*shapes, Label(MIDDLE[0], top + height * len(bids) + 12, caption, 10.5, FAINT)]


def _verdict(view: TableView) -> list[Shape]:
    """How it ended."""
    first, _, rest = outcome(view).partition(": ")
    words = first.split(" by ")[0] + (" " + first.rsplit(" ", 1)[1] if " by " in first else "")
    shapes: list[Shape] = [
        Box(MIDDLE[0] - 150, MIDDLE[1] - 42, 300, 84, 14, PLATE, GOLD, 1.5),
        Label(MIDDLE[0], MIDDLE[1] - (14 if rest else 0), words, 24, GOLD, bold=True),
    ]
    if rest:
        shapes.append(Label(MIDDLE[0], MIDDLE[1] + 18, f"player_{view.declarer}: {rest}", 14, WHITE))
    return shapes


# ---- the corners -----------------------------------------------------------------------------------------


def corners(view: TableView) -> list[Shape]:
    """Contract and trumps, match and pool, and what is going on."""
    return [*_contract(view), *_match(view), *_news(view)]


def _contract(view: TableView) -> list[Shape]:
    """Top left: the contract and trumps."""
    if view.contract is None:
        return []
    shapes: list[Shape] = [
        Label(44, 54, view.contract, 20, GOLD, "start", bold=True),
        Label(44, 78, f"by player_{view.declarer}", 13, WHITE, "start"),
    ]
    if view.trump is not None:
        ink = "#f4f1e4" if INKS[view.trump] == INKS[0] else "#ff6f61"
        shapes += [Label(44, 103, "trumps", 13, FAINT, "start"), Pip(108, 103, view.trump, 22, ink)]
    return shapes


def _match(view: TableView) -> list[Shape]:
    """Top right: the hand of the match, the pool, what lies face down."""
    right, y = WIDTH - 44.0, 54.0
    shapes: list[Shape] = []
    if view.extra or view.num_hands > 1:
        number = min(view.hands + (not view.over), view.num_hands)
        words = f"extra hand {view.extra}" if view.extra else f"hand {number} of {view.num_hands}"
        shapes.append(Label(right, y, words, 13, WHITE, "end"))
        y += 24
    if view.rules.peep or view.rules.exchange != "none":
        shapes += [Label(right, y, f"pool {view.pool}", 13, GOLD, "end", bold=True)]
        y += 24
    x = right - 22
    if view.rules.peep and not (view.swapped and view.peep_card is None):
        shapes.append(Card(x, y + 28, 64, view.peep_card, dim=view.swapped))
        x -= 56
    for card in range(view.spare):
        shapes.append(Card(x - 9 * (view.spare - 1 - card), y + 28, 64, None))
    return shapes


def _news(view: TableView) -> list[Shape]:
    """Bottom left: what is going on."""
    return [Label(44, HEIGHT - 44, headline(view), 13, WHITE, "start")]
