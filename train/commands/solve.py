"""``nap solve``: what each seat can make of a deal with all cards open, and how, as tables and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from nap_env import Game
from nap_env.errors import NapError
from nap_env.rules import Rules, make_rules
from nap_env.solver.inputs import Words, one_deal, variant
from nap_env.solver.whole_deal import solve_deal
from nap_env.storage.files import write_text
from train.showing.solve import as_json, show


class SolveError(NapError):
    """A deal or a question that cannot be; the message says what would be right."""


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
