"""``nap solve``: what each seat can make of a deal with all cards open, and how, as tables and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

import nap_env
from nap_env import Game, solver
from nap_env.cards import CARD_NAMES, action_id, action_name, cards_of, hand_text, parse_cards
from nap_env.errors import NapError
from nap_env.rules import Rules, make_rules
from nap_env.solver.inputs import Words, check_hands, one_deal, variant
from nap_env.storage.files import write_text
from train.commands.play import pretty

SHORT = {"WELLINGTON": "WELL.", "BLUCHER": "BLÜ.", "MISERE": "MIS."}


class SolveError(NapError):
    """A deal or a question that cannot be; the message says what would be right."""


@dataclass(frozen=True)
class Play:
    """Best play of one bid: the tricks, each seat to card in the order played, and who won them."""

    declarer: int
    bid: str
    made: bool
    tricks: tuple[dict[int, str], ...]
    winners: tuple[int, ...]

    @property
    def taken(self) -> int:
        """Tricks that the declarer won."""
        return self.winners.count(self.declarer)


@dataclass(frozen=True)
class Solved:
    """A deal and what can be made: ``leads`` uint64 [seats, bids], the first cards that make the bid."""

    rules: Rules
    hands: Words
    leads: Words
    play: Play | None = None

    def made(self, seat: int) -> list[str]:
        """The bids that a seat makes, lowest first."""
        return [bid for bid, cards in zip(self.rules.bids, self.leads[seat], strict=True) if cards]


def run_solve(
    hands: Sequence[str],
    seed: int | None = None,
    players: int | None = None,
    rules: str = "standard",
    declarer: int | None = None,
    bid: str | None = None,
    threads: int = 1,
    as_text: bool = False,
    output: Path | None = None,
) -> int:
    """Solve it, show it or print it as JSON, write it where asked; the exit code.

    Raises:
        SolveError: hands, rules, a seat or a bid that cannot be.
    """
    if output is not None and not output.absolute().parent.is_dir():
        raise SolveError(f"--output {output}: there is no folder {output.absolute().parent}")
    if (declarer is None) != (bid is None):
        raise SolveError("--declarer and --bid belong together: give both for a line of play, or neither")
    try:
        words, chosen = _deal(hands, seed, players, rules)
        found = solve_deal(words, chosen, declarer, bid, threads)
    except ValueError as error:
        raise SolveError(str(error)) from None
    text = json.dumps(as_json(found), indent=2) + "\n"
    if output is not None:
        write_text(output, text)
    if as_text:
        print(text, end="")
    else:
        show(found, Console(highlight=False))
    return 0


def _deal(hands: Sequence[str], seed: int | None, players: int | None, rules: str) -> tuple[Words, Rules]:
    """The hands of those who were dealt any, uint64 [1, n], and the rules."""
    if hands and (seed is not None or players is not None):
        raise SolveError("--seed and --players deal the cards: give them, or a hand for each seat, not both")
    if hands:
        words = one_deal(list(hands))
        variant(rules, words.shape[1])  # whether so many hands are a table
        return words, make_rules(rules, words.shape[1])
    if seed is None:
        raise SolveError("no cards: give a hand for each seat, as in 'AS KS 9H 4D 2C', or --seed")
    table = make_rules(rules, players)
    game = Game.deal(seed, table, dealer=table.num_players - 1 if table.dealer_sits_out else None)
    dealt = [game.hand(seat) for seat in range(game.rules.num_players)]
    return one_deal([hand for hand in dealt if hand]), game.rules


def solve_deal(
    hands: Words, rules: Rules, declarer: int | None = None, bid: str | None = None, threads: int = 1
) -> Solved:
    """Every bid of every seat, in one call for all of them; best play of one of these where asked.

    Args:
        hands: 64-bit sets of one deal, uint64 [1, n].

    Raises:
        ValueError: cards, a seat or a bid that cannot be.
    """
    check_hands(hands, rules)
    n, bids = hands.shape[1], rules.bids
    play = None if declarer is None or bid is None else best_play(hands, rules, declarer, bid)
    leads = solver.makeable_leads_batch(
        np.repeat(hands, n * len(bids), axis=0), np.repeat(np.arange(n), len(bids)), list(bids) * n, rules, threads
    )
    return Solved(rules, hands[0], leads.reshape(n, len(bids)), play)


def best_play(hands: Words, rules: Rules, declarer: int, bid: str) -> Play:
    """Best play by both sides; a declarer who cannot make his bid, or payers who cannot beat it, play low.

    Raises:
        ValueError: a seat or a bid that cannot be.
    """
    n = hands.shape[1]
    cards = solver.line(solver.Position(hands[0].tolist(), declarer, bid), rules)
    tricks = tuple(dict(cards[start : start + n]) for start in range(0, len(cards), n))
    winners = (*(next(iter(trick)) for trick in tricks[1:]), _winner(tricks, bid, rules))
    made = solver.can_make(hands[0].tolist(), declarer, bid, rules)
    return Play(declarer, action_name(action_id(bid)), made, tricks, winners)


def _winner(tricks: tuple[dict[int, str], ...], bid: str, rules: Rules) -> int:
    """Who won the last trick (R4.3); the others' winners led to the next."""
    trump = parse_cards([next(iter(tricks[0].values()))])[0] // 13
    if action_name(action_id(bid)) == "MISERE" and not rules.misere_trump:
        trump = -1
    cards = {seat: parse_cards([name])[0] for seat, name in tricks[-1].items()}
    led = next(iter(cards.values())) // 13
    return max(cards, key=lambda seat: (cards[seat] // 13 == trump, cards[seat] // 13 == led, cards[seat] % 13))


# ---- in the terminal -----------------------------------------------------------------------------------


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
