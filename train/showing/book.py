"""What the book says of a hand: as tables for people, as JSON for programs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from agents.auction.bidder import NO_BID, best_call, find_tuning, tuned
from agents.auction.chances import BookError, Chances, find, kind_of, questions
from agents.auction.hand_classes import class_of, orbit
from nap_env.cards import BIDS, SUIT_SYMBOLS, SUITS, hand_text, mask_of, parse_cards
from nap_env.rules import Rules

NAMES = {
    "THREE": "Three", "MISERE": "Misère", "FOUR": "Four", "NAP": "Nap", "WELLINGTON": "Wellington",
    "BLUCHER": "Blücher", "SIX": "Six", "SEVEN": "Seven",
}  # fmt: skip
_RED = "DH"


@dataclass(frozen=True)
class Answer:
    """One number of players: the chances, the stakes under these rules, and what the agent `book` opens."""

    players: int
    chances: Chances
    found: dict[str, tuple[float, float]]  # bid: probability, standard error
    stakes: dict[str, float]  # bid: expected stakes a payer
    first: str | None  # the opening call of the tuned bidder who calls first, and last; None: nothing was tuned
    last: str | None


def parse_hand(text: str, rules: Rules) -> int:
    """A hand of these rules as a 64-bit set.

    Raises:
        BookError: a card that is none, is not in the pack or stands twice; too few or too many.
    """
    try:
        cards = parse_cards(text)
    except ValueError as error:
        raise BookError(str(error)) from None
    hand = mask_of(cards)
    if hand & ~rules.pack_mask:
        raise BookError(f"{hand_text(hand & ~rules.pack_mask)} is not in the pack of {rules.pack_size}")
    if len(cards) != rules.hand_size or hand.bit_count() != len(cards):
        raise BookError(f"a hand has {rules.hand_size} different cards, not {len(cards)}: {text!r}")
    return hand


def answers(hand: int, rules: Rules, players: list[int], play: str, folder: Path | None) -> list[Answer]:
    """What the book says of a hand, for each number of players it has a file for.

    Raises:
        BookError: it has none for any of them; it names the command that builds one.
    """
    tables = known(rules, players, play, folder)
    return [_answer(hand, rules, number, chances, folder) for number, chances in tables.items()]


def known(rules: Rules, players: list[int], play: str, folder: Path | None) -> dict[int, Chances]:
    """The chances there are, by number of hands; errors as `answers`."""
    found, missing = {}, None
    for number in players:
        try:
            found[number] = find(rules, play, number, folder)
        except BookError as error:
            missing = missing or error
    if not found and missing is not None:
        raise missing
    return found


def _answer(hand: int, rules: Rules, players: int, chances: Chances, folder: Path | None) -> Answer:
    probabilities = {bid: pair for bid, pair in chances.of(hand).items() if bid in rules.bids}
    stakes = {}
    for bid, (p, _) in probabilities.items():
        made, failed = rules.stake(bid)
        stakes[bid] = p * made - (1 - p) * failed
    first = last = None
    try:
        tuning = find_tuning(rules, chances.play, players, folder)
    except BookError:
        pass
    else:
        bidder = tuned(chances, tuning, _at_table(rules, players))
        number = int(class_of(np.array([hand], np.uint64), chances.rules)[0])
        first, last = (_call(bidder, number, after, rules) for after in (players - 1, 0))
    return Answer(players, chances, probabilities, stakes, first, last)


def _at_table(rules: Rules, players: int) -> Rules:
    values = rules.to_dict() | {"num_players": players, "dealer_sits_out": False, "exchange": "none"}
    return Rules.from_dict(values | {"peep": False, "sir_garnet": False})


def _call(bidder: Any, number: int, after: int, rules: Rules) -> str:
    legal = int(rules.kernel[0].over[8]) >> 53
    bid, _ = best_call(bidder, number, after, NO_BID, legal)
    return "PASS" if bid == NO_BID else BIDS[bid]


# ---- for people ---------------------------------------------------------------------------------------------


def cards_text(hand: int) -> Text:
    """A hand with suit signs, red suits in red."""
    text = Text()
    for name in hand_text(hand).split():
        rank, suit = name.replace("T", "10")[:-1], name[-1]
        text.append(f"{rank}{SUIT_SYMBOLS[SUITS.index(suit)]} ", "bold red" if suit in _RED else "bold")
    return text


def show(hand: int, rules: Rules, found: list[Answer], console: Console) -> None:
    """Two tables: how likely each bid is made, and what it is worth."""
    play = {"open": "exact play with all cards open", "rules": "all seats played by the agent `rules`"}
    same = int(orbit(found[0].chances.rules)[_number(hand, found[0])])
    console.print(Text("  ") + cards_text(hand) + Text(f"  one of {same} hands that differ in suits only", "dim"))
    console.print(chances_table(found))
    console.print(stakes_table(rules, found))
    trials = max(int(answer.chances.trials.max()) for answer in found)
    console.print(Text(f"  {play[found[0].chances.play]}", "dim"))
    console.print(Text(f"  up to {trials} deals a hand and bid; ±: standard error", "dim"))


def _number(hand: int, answer: Answer) -> int:
    return int(class_of(np.array([hand], np.uint64), answer.chances.rules)[0])


def chances_table(found: list[Answer]) -> Table:
    """Probabilities in percent, a row a number of players."""
    table = Table(title="made, in 100 deals", box=SIMPLE_HEAD, title_style="bold")
    table.add_column("players", justify="right")
    bids = [bid for bid in questions(found[0].chances.rules) if bid in found[0].found]
    for bid in bids:
        alike = [NAMES[other][:1] for other in found[0].found if other != bid and _same(other, bid, found[0].chances)]
        table.add_column(" ".join([NAMES[bid], *alike]), justify="right")
    for answer in found:
        cells = []
        for bid in bids:
            p, error = answer.found[bid]
            cells.append(Text(f"{100 * p:5.1f}", _shade(p)) + Text(f" ±{100 * error:3.1f}", "dim"))
        table.add_row(str(answer.players), *cells)
    return table


def _same(one: str, other: str, chances: Chances) -> bool:
    return chances.row(one) == chances.row(other)


def _shade(p: float) -> str:
    return "green" if p >= 0.5 else "yellow" if p >= 1 / 3 else ""


def stakes_table(rules: Rules, found: list[Answer]) -> Table:
    """Expected stakes a payer of each bid, the best one bold; and what the agent `book` opens."""
    table = Table(
        title="expected stakes a payer, and what `book` opens when it calls first, or last",
        box=SIMPLE_HEAD,
        title_style="bold",
        padding=(0, 1, 0, 0),
    )
    table.add_column("players", justify="right")
    for bid in rules.bids:
        table.add_column(NAMES[bid], justify="right")
    table.add_column(" first")
    table.add_column("last")
    for answer in found:
        best = max(answer.stakes, key=lambda bid: answer.stakes[bid])
        cells = [
            Text(f"{value:+.2f}", ("bold " if bid == best else "") + ("green" if value > 0 else "red"))
            for bid, value in answer.stakes.items()
        ]
        calls = [
            "-" if call is None else "pass" if call == "PASS" else NAMES[call] for call in (answer.first, answer.last)
        ]
        table.add_row(str(answer.players), *cells, " " + calls[0], calls[1])
    return table


# ---- for programs -------------------------------------------------------------------------------------------


def as_json(hand: int, rules: Rules, found: list[Answer]) -> dict[str, Any]:
    """The same as JSON-ready values; an opening that is null was not tuned."""
    return {
        "hand": hand_text(hand),
        "class": _number(hand, found[0]),
        "hands": int(orbit(found[0].chances.rules)[_number(hand, found[0])]),
        "rules": rules.to_dict(),
        "play": found[0].chances.play,
        "players": {
            str(answer.players): {
                "bids": {
                    bid: {"probability": p, "error": error, "stakes_a_payer": answer.stakes[bid]}
                    for bid, (p, error) in answer.found.items()
                },
                "opens_first": answer.first,
                "opens_last": answer.last,
                "origin": answer.chances.origin,
            }
            for answer in found
        },
    }


def kinds_of(rules: Rules) -> list[int]:
    """The numbers of hands that these rules could deal, 2 to 7."""
    most = min(7, rules.pack_size // rules.hand_size)
    return [number for number in range(2, most + 1) if kind_of(rules, number)]
