"""A solved deal for the terminal, as tables, and as JSON."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

import nap_env
from nap_env.cards import CARD_NAMES, cards_of, hand_text
from nap_env.solver.whole_deal import Play, Solved
from train.showing.cards import pretty

SHORT = {"WELLINGTON": "WELL.", "BLUCHER": "BLÜ.", "MISERE": "MIS."}


def show(found: Solved, console: Console) -> None:
    """The deal with its makeable bids, the leads that make them, and the play."""
    console.print("[bold]What each seat makes when it leads, all cards open[/]")
    console.print(deal_table(found))
    leads = leads_table(found)
    if leads.row_count:
        console.print("\n[bold]First cards that make it[/] (they make trumps, but in a Misère)")
        console.print(leads)
    play = found.play
    if play is not None:
        console.print(f"\n[bold]Best play of {play.bid} by seat {play.declarer}[/] (> led, * won)")
        console.print(play_table(play))
        console.print(_verdict(play))


def deal_table(found: Solved) -> Table:
    """A seat a row: its cards, and for each bid whether it is made."""
    table = _table()
    table.add_column("seat")
    table.add_column("hand")
    for bid in found.rules.bids:
        table.add_column(SHORT.get(bid, bid), justify="center")
    for seat, hand in enumerate(found.hands):
        made = found.made(seat)
        marks = ["[green]yes[/]" if bid in made else "[dim]·[/]" for bid in found.rules.bids]
        table.add_row(str(seat), _cards(int(hand)), *marks)
    return table


def leads_table(found: Solved) -> Table:
    """The first cards that make each bid; bids that the same cards make share a row."""
    table = _table()
    for name in ("seat", "bid", "leads"):
        table.add_column(name)
    for seat, hand in enumerate(found.hands):
        rows: dict[int, list[str]] = {}
        for bid, cards in zip(found.rules.bids, found.leads[seat], strict=True):
            if cards:
                rows.setdefault(int(cards), []).append(bid)
        for place, (cards, bids) in enumerate(rows.items()):
            table.add_row("" if place else str(seat), ", ".join(bids), "any" if cards == int(hand) else _cards(cards))
    return table


def play_table(play: Play) -> Table:
    """A trick a row, a seat a column; the leader's card is marked by >, the winner's by *."""
    table = _table()
    table.add_column("trick")
    for seat in sorted(play.tricks[0]):
        table.add_column(f"seat {seat}", justify="center", style="bold" if seat == play.declarer else "")
    for number, (trick, winner) in enumerate(zip(play.tricks, play.winners, strict=True), 1):
        leader = next(iter(trick))
        marked = (
            Text(f"{'>' if seat == leader else ' '}{pretty(trick[seat])}{'*' if seat == winner else ' '}")
            for seat in sorted(trick)
        )
        table.add_row(str(number), *marked)
    return table


def _verdict(play: Play) -> str:
    tricks = f"{play.taken} trick{'' if play.taken == 1 else 's'}"
    return f"seat {play.declarer} {'makes' if play.made else 'fails in'} {play.bid}: {tricks} of {len(play.tricks)}"


def _table() -> Table:
    return Table(box=None, padding=(0, 2, 0, 0), header_style="dim")


def _cards(cards: int) -> str:
    return " ".join(pretty(name) for name in hand_text(cards).split())


# ---- JSON ----------------------------------------------------------------------------------------------


def as_json(found: Solved) -> dict[str, Any]:
    """Everything as JSON-ready values."""
    return {
        "nap_env": nap_env.__version__,
        "rules": found.rules.to_dict(),
        "seats": [
            {
                "seat": seat,
                "hand": hand_text(int(hand)),
                "bids": {
                    bid: {"made": bool(cards), "leads": [CARD_NAMES[card] for card in cards_of(int(cards))]}
                    for bid, cards in zip(found.rules.bids, found.leads[seat], strict=True)
                },
            }
            for seat, hand in enumerate(found.hands)
        ],
        "play": None if found.play is None else _play_json(found.play),
    }


def _play_json(play: Play) -> dict[str, Any]:
    return {
        "declarer": play.declarer,
        "bid": play.bid,
        "made": play.made,
        "taken": play.taken,
        "tricks": [
            {
                "leader": next(iter(trick)),
                "cards": [{"seat": seat, "card": card} for seat, card in trick.items()],
                "winner": winner,
            }
            for trick, winner in zip(play.tricks, play.winners, strict=True)
        ],
    }
