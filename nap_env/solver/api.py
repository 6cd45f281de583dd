"""What people and agents ask: can the bid be made, with which leads, with which card from here?"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from nap_env.cards import BIDS, CARD_NAMES, cards_of, hand_text
from nap_env.engine import records, rulebook
from nap_env.engine.threads import ThreadPool
from nap_env.game import Game
from nap_env.rules import Rules
from nap_env.solver import ask
from nap_env.solver.inputs import (
    THREE,
    Hands,
    Words,
    bid_number,
    bid_numbers,
    check_cards,
    check_hands,
    declarers,
    one_deal,
    variant,
    words,
)
from nap_env.solver.position import Position
from nap_env.solver.table import SEARCH

ROWS_A_TASK = 64
_own = threading.local()  # one search record, and so one table of positions, a thread


def can_make(hands: Hands, declarer: int, bid: str | int, rules: str | Rules = "standard") -> bool:
    """Whether the declarer makes a bid when he leads, all cards are open, and the payers play as one.

    Args:
        hands: a text such as ``"AS KS 9H 4D 2C"`` or a 64-bit set a seat; their number is the table.
        declarer: his seat.
        bid: name or number, on the ladder of ``rules``.
        rules: a preset's name or a `Rules`; of it count pack, hand size, ladder, and how cards are played.

    Raises:
        ValueError: a card twice or not in the pack, hands of a wrong size, no such seat, a bid not on the ladder.

    >>> can_make(["AS KS QS 7H 3D", "JS TS 9S 8S AH", "AD KD QD JD AC"], 0, "THREE")
    True
    """
    deal = one_deal(hands)
    return bool(can_make_batch(deal, declarer, bid, rules)[0])


def can_make_batch(
    hands: npt.NDArray[Any], declarer: Any, bid: Any, rules: str | Rules = "standard", threads: int = 1
) -> npt.NDArray[np.bool_]:
    """`can_make` for many deals, bool [B]: ``hands`` uint64 [B, n], ``declarer`` and ``bid`` one or [B].

    The result depends neither on ``threads`` nor on the other rows.

    Raises:
        ValueError: as `can_make`; it names the deal.
    """
    return np.not_equal(_leads(hands, declarer, bid, rules, threads, every=False)[0], 0)


def searched(
    hands: npt.NDArray[Any], declarer: Any, bid: Any, rules: str | Rules = "standard", threads: int = 1
) -> npt.NDArray[np.int64]:
    """How many positions `can_make_batch` looks at for each deal, int64 [B]: a measure of work, not of time.

    Raises:
        ValueError: as `can_make`; it names the deal.
    """
    return _leads(hands, declarer, bid, rules, threads, every=False)[1]


def makeable_leads(hands: Hands, declarer: int, bid: str | int, rules: str | Rules = "standard") -> dict[str, bool]:
    """For each card that the declarer may lead first, which makes trumps, whether the bid is then made.

    Raises:
        ValueError: as `can_make`.

    >>> makeable_leads(["AS QS", "KS JS"], 0, "NAP", Rules(num_players=2, hand_size=2))
    {'QS': False, 'AS': False}
    """
    deal = one_deal(hands)
    made = int(makeable_leads_batch(deal, declarer, bid, rules)[0])
    hand = int(deal[0, declarer])
    chosen = variant(rules, deal.shape[1])
    if _lowest_lead(bid_number(bid, chosen), chosen):
        hand = sum(1 << min(group) for _, group in itertools.groupby(cards_of(hand), lambda card: card // 13))
    return _named(made, hand)


def makeable_leads_batch(
    hands: npt.NDArray[Any], declarer: Any, bid: Any, rules: str | Rules = "standard", threads: int = 1
) -> Words:
    """The first cards with which the bid is made, a 64-bit set a deal, uint64 [B]; arguments as `can_make_batch`.

    Raises:
        ValueError: as `can_make`; it names the deal.
    """
    return _leads(hands, declarer, bid, rules, threads, every=True)[0]


def tricks(hands: Hands, declarer: int, rules: str | Rules = "standard") -> int:
    """The most tricks the declarer can take, all cards open, when the suit he leads first is trumps.

    Raises:
        ValueError: as `can_make`.

    >>> tricks(["AS QS 2S", "KS JS 3S"], 0, Rules(num_players=2, hand_size=3))
    2
    """
    return int(tricks_batch(one_deal(hands), declarer, rules)[0])


def tricks_batch(
    hands: npt.NDArray[Any], declarer: Any, rules: str | Rules = "standard", threads: int = 1
) -> npt.NDArray[np.int8]:
    """`tricks` for many deals, int8 [B]: ``hands`` uint64 [B, n], ``declarer`` a seat or [B].

    Raises:
        ValueError: as `can_make`; it names the deal.
    """
    deals = words(hands)
    check_hands(deals, variant(rules, deals.shape[1]))
    seats = declarers(declarer, len(deals), deals.shape[1])
    out = np.zeros(len(deals), np.int8)
    in_threads(lambda state, start, stop: ask.trick_rows(state, deals, seats, start, stop, out), len(deals), threads)
    return out


def solve(game: Any, rules: str | Rules | None = None) -> dict[str, bool]:
    """For each legal card of the seat to act whether the bid is then made, if all play on with open cards.

    Args:
        game: a `Game`, a `Position`, or a `records.GAME` record, in the play; mid-trick too.
        rules: its rules; left out with a `Game`.

    Raises:
        ValueError: not in the play, or a `Position` that cannot be.

    >>> solve(Position(["AS 2H", "KS 3H", "QS AH"], declarer=0, bid="THREE", trump="S", taken=2))
    {'2H': True, 'AS': True}
    """
    games, chosen = _table(game, rules)
    hands = games["hand"]
    return _named(int(_play(games, chosen, hands, 1)[0]), int(games["legal"][0]))


def solve_worlds(game: Any, hands: npt.NDArray[Any], rules: str | Rules | None = None, threads: int = 1) -> Words:
    """`solve` for many worlds: what the seats may hold, uint64 [W, n]; the cards that make the bid, uint64 [W].

    What was played, and by whom, is that of ``game``; a seat that holds no cards has 0.

    Raises:
        ValueError: as `solve`; a world that does not fit: a wrong number of cards, or one played or held twice.
    """
    games, chosen = _table(game, rules)
    worlds = words(hands)
    check_cards(worlds, chosen)
    if worlds.shape[1] > 7:
        raise ValueError(f"worlds of {worlds.shape[1]} seats: give 64-bit sets, uint64 [W, n]")
    full = np.zeros((len(worlds), 7), np.uint64)
    full[:, : worlds.shape[1]] = worlds
    _check_worlds(full, games[0], chosen)
    return _play(games, chosen, full, threads)


def line(game: Any, rules: str | Rules | None = None) -> list[tuple[int, str]]:
    """Best play by both sides to the end of the hand, all cards open: (seat, card) in order.

    Arguments and errors as `solve`. Of cards that do equally well the lowest is played.
    """
    games, chosen = _table(game, rules)
    games = games.copy()
    kernel = _kernel(games[0], chosen)
    played = []
    while int(games[0].phase) == records.PLAY:
        seat, legal = int(games[0].seat), int(games[0].legal)
        good = int(_play(games, chosen, games["hand"], 1)[0])
        if seat != int(games[0].declarer):
            good = legal & ~good
        card = next(cards_of(good or legal))
        played.append((seat, CARD_NAMES[card]))
        rulebook.apply(games[0], kernel[0], card)
    return played


# ---- How a question reaches the kernels -------------------------------------------------------------------


def _leads(
    hands: Any, declarer: Any, bid: Any, rules: str | Rules, threads: int, every: bool
) -> tuple[Words, npt.NDArray[np.int64]]:
    """The leads that make the bid, uint64 [B], and the nodes searched, int64 [B]."""
    deals = words(hands)
    size, n = deals.shape
    chosen = variant(rules, n)
    check_hands(deals, chosen)
    seats = declarers(declarer, size, n)
    bids = bid_numbers(bid, chosen, size)
    needs = np.array([chosen.tricks_asked(name) if name in chosen.bids else 0 for name in BIDS], np.int64)
    lowest = np.array([_lowest_lead(THREE + number, chosen) for number in range(len(BIDS))])
    out, nodes = np.zeros(size, np.uint64), np.zeros(size, np.int64)

    def work(state: Any, start: int, stop: int) -> None:
        ask.lead_rows(
            state, deals, seats, needs[bids - THREE], lowest[bids - THREE], chosen.misere_trump, every, start, stop,
            out, nodes,
        )  # fmt: skip

    in_threads(work, size, threads)
    return out, nodes


def _lowest_lead(bid: int, rules: Rules) -> bool:
    return rules.wellington_lowest_lead and BIDS[bid - THREE] == "WELLINGTON"


def _play(games: Any, rules: Rules, hands: Any, threads: int) -> Words:
    out = np.zeros(len(hands), np.uint64)
    kernel = rules.kernel
    in_threads(
        lambda state, start, stop: ask.play_rows(state, games, 0, kernel, hands, start, stop, out), len(hands), threads
    )
    return out


def _table(game: Any, rules: str | Rules | None) -> tuple[npt.NDArray[np.void], Rules]:
    """A GAME record [1] in the play, and its rules."""
    if isinstance(game, Position):
        return game.record("standard" if rules is None else rules)
    if isinstance(game, Game):
        games, chosen = game._games, game.rules
    elif getattr(game, "dtype", None) == records.GAME and np.size(game) == 1 and rules is not None:
        games = np.array(game, records.GAME).reshape(1)
        chosen = variant(rules, int(games[0].dealt).bit_count() or 2)
    else:
        raise ValueError(f"solve takes a Game, a Position, or a GAME record with its rules, not {game!r}")
    phase = records.PHASES[int(games[0].phase)]
    if phase != "PLAY":
        raise ValueError(f"the hand is not being played (phase {phase}): can_make() asks about a deal and a bid")
    return games, chosen


def _kernel(game: Any, rules: Rules) -> Any:
    kernel = rules.kernel.copy()
    kernel[0].num_players = max(int(kernel[0].num_players), int(game.dealt).bit_length())
    return kernel


def _check_worlds(worlds: Words, game: Any, rules: Rules) -> None:
    held = np.bitwise_count(game.hand)
    wrong = np.argwhere(np.bitwise_count(worlds) != held)
    if wrong.size:
        row, seat = (int(index) for index in wrong[0])
        number = int(worlds[row, seat]).bit_count()
        raise ValueError(f"world {row}: seat {seat} holds {number} cards, and {held[seat]} at the table")
    played = sum(1 << int(card) for card in game.played[: int(game.trick) + 1].flat if card >= 0)
    again = np.bitwise_or.reduce(worlds, axis=1) & np.uint64(played)
    if again.any():
        row = int(np.flatnonzero(again)[0])
        raise ValueError(f"world {row}: {hand_text(int(again[row]))} has been played")


def _named(made: int, cards: int) -> dict[str, bool]:
    return {CARD_NAMES[card]: bool(made >> card & 1) for card in cards_of(cards)}


def in_threads(work: Callable[[Any, int, int], None], size: int, threads: int) -> None:
    """Call ``work(state, start, stop)`` for pieces that together are rows 0..size-1, each thread with its state."""

    def piece(start: int, stop: int) -> None:
        if not hasattr(_own, "state"):
            _own.state = np.zeros(1, SEARCH)
        work(_own.state, start, stop)

    ThreadPool(threads).run(piece, size, ROWS_A_TASK)
