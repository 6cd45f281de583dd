"""The solver against minimax through the rulebook, a second solver, known values, and bad input."""

from __future__ import annotations

import subprocess
import sys
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
from scale import NOJIT, scaled
from solver_reference import (
    Words,
    deals_with,
    in_play,
    made,
    outcomes,
    random_deals,
    slow_leads,
)

from nap_env import Game, Rules, solver
from nap_env.cards import BIDS, CARD_NAMES, cards_of, mask_of, parse_cards
from nap_env.engine import records, rulebook
from nap_env.solver import table
from nap_env.solver.table import ALL_SLOTS, FEW_SLOTS, SEARCH

# ---- Small deals of every kind: minimax through the rulebook -----------------------------------------------

SMALL: dict[str, tuple[Rules, int]] = {
    "2 seats": (Rules(num_players=2, hand_size=3), 150),
    "2 seats, 24 cards, 5 each": (Rules(num_players=2, pack=24), 60),
    "2 seats, 28 cards, 7 each": (Rules(num_players=2, pack=28, hand_size=7), 5),
    "3 seats": (Rules(num_players=3, hand_size=3), 150),
    "3 seats, 4 each, 16 cards": (Rules(num_players=3, hand_size=4, pack=16), 50),
    "3 seats, 2 suits, 4 each": (Rules(num_players=3, hand_size=4, suits=2, pack=14), 50),
    "3 seats, 3 suits, full": (Rules(num_players=3, hand_size=4, suits=3, pack=12), 50),
    "4 seats": (Rules(num_players=4, hand_size=3), 80),
    "4 seats, full": (Rules(num_players=4, hand_size=3, pack=12), 80),
    "5 seats": (Rules(num_players=5, hand_size=3), 30),
    "5 seats, full": (Rules(num_players=5, hand_size=2, pack=12), 200),
    "6 seats": (Rules(num_players=6, hand_size=3, pack=20), 15),
    "7 seats": (Rules(num_players=7, hand_size=3), 8),
    "7 seats, full": (Rules(num_players=7, hand_size=2, suits=2, pack=14), 150),
    "1 card": (Rules(num_players=4, hand_size=1, pack=8), 60),
    "Misere with trumps, 3": (Rules(num_players=3, hand_size=3, misere_trump=True), 150),
    "Misere with trumps, 4 each": (Rules(num_players=3, hand_size=4, pack=16, misere_trump=True), 150),
    "Misere with trumps, 4 full": (Rules(num_players=4, hand_size=3, pack=12, misere_trump=True), 80),
    "lowest lead": (Rules(num_players=3, hand_size=3, pack=12, wellington_lowest_lead=True), 80),
}


SLOW_UNCOMPILED = ("7 seats", "2 seats, 28 cards, 7 each")


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.jit if kind in SLOW_UNCOMPILED else ()) for kind in SMALL]
)
def test_equals_minimax_through_the_rulebook(kind: str) -> None:
    rules, number = SMALL[kind]
    n = rules.num_players
    rng = np.random.default_rng(len(kind))
    deals = random_deals(rules, n, scaled(3 * number), rng)
    for bid in rules.bids:
        declarer = rng.integers(0, n, len(deals))
        leads = solver.makeable_leads_batch(deals, declarer, bid, rules)
        for row, hands in enumerate(deals):
            games = in_play(rules, hands, int(declarer[row]), bid)
            expected = {card for card, wins in outcomes(games, rules).items() if wins}
            assert set(cards_of(int(leads[row]))) == expected, (bid, hands.tolist(), int(declarer[row]))
        assert np.array_equal(solver.can_make_batch(deals, declarer, bid, rules), leads != 0)


def test_a_payer_ruffs_to_get_the_lead_against_misere() -> None:
    """After the lead of the jack of trumps the third hand ruffs its partner's king to lead a club."""
    rules = Rules(num_players=3, hand_size=4, pack=16, misere_trump=True)
    leads = solver.makeable_leads(["JS QD AC KC", "AS AH AD KD", "KS QS JH JC"], 0, "MISERE", rules)
    assert leads == {"JS": False, "QD": True, "AC": False, "KC": False}


EAGER: dict[str, tuple[Rules, int]] = {
    "2 seats, 5 each": (Rules(num_players=2, pack=24), 100),
    "3 seats": (Rules(num_players=3, hand_size=4, pack=20), 300),
    "3 seats, 2 suits": (Rules(num_players=3, hand_size=4, suits=2, pack=14), 300),
    "3 seats, 5 each": (Rules(num_players=3, pack=24), 40),
    "4 seats": (Rules(num_players=4, hand_size=4, pack=20), 60),
    "4 seats, 2 suits": (Rules(num_players=4, hand_size=4, suits=2, pack=16), 100),
    "5 seats, 3 suits": (Rules(num_players=5, hand_size=3, suits=3, pack=18), 300),
    "6 seats, 2 suits": (Rules(num_players=6, hand_size=3, suits=2, pack=18), 200),
    "Misere with trumps": (Rules(num_players=3, hand_size=4, pack=16, misere_trump=True), 200),
}


@pytest.mark.jit
@pytest.mark.parametrize("kind", EAGER)
def test_easier_games_tried_at_once_change_no_result(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are meant for long searches; here from the first node on, on deals that minimax can check."""
    rules, number = EAGER[kind]
    n = rules.num_players
    rng = np.random.default_rng(len(kind))
    deals = random_deals(rules, n, number, rng)
    state = np.zeros(1, SEARCH)
    state["eager"] = 1
    monkeypatch.setattr(solver.api._own, "state", state, raising=False)
    for bid in ("MISERE", "FOUR"):
        declarer = rng.integers(0, n, len(deals))
        leads = solver.makeable_leads_batch(deals, declarer, bid, rules)
        for row, hands in enumerate(deals):
            games = in_play(rules, hands, int(declarer[row]), bid)
            expected = {card for card, wins in outcomes(games, rules).items() if wins}
            assert set(cards_of(int(leads[row]))) == expected, (bid, hands.tolist(), int(declarer[row]))


@pytest.mark.jit
def test_easier_games_tried_at_once_change_no_full_misere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long hands and many seats: the same with them and without, and from the middle of a trick."""
    for n, hand_size, number in ((3, 7, 400), (4, 7, 60), (5, 5, 400), (7, 5, 40), (7, 7, 4)):
        rules = Rules(num_players=n, hand_size=hand_size)
        deals = random_deals(rules, n, number, np.random.default_rng(n))
        later = solver.makeable_leads_batch(deals, 0, "MISERE", rules)
        state = np.zeros(1, SEARCH)
        state["eager"] = 1
        with monkeypatch.context() as patch:
            patch.setattr(solver.api._own, "state", state, raising=False)
            assert np.array_equal(solver.makeable_leads_batch(deals, 0, "MISERE", rules), later)


PLAYS = {
    "3 seats, 4 each": Rules(num_players=3, hand_size=4, pack=16),
    "4 seats, 3 each": Rules(num_players=4, hand_size=3),
    "6 seats, 2 each": Rules(num_players=6, hand_size=2, pack=12),
    "revokes": Rules(num_players=3, hand_size=3, pack=12, revoke="penalised"),
    "stops when decided": Rules(num_players=3, hand_size=4, pack=16, stop_when_decided=True),
    "Misere with trumps": Rules(num_players=3, hand_size=4, pack=16, misere_trump=True),
    "lowest lead": Rules(num_players=3, hand_size=3, pack=12, wellington_lowest_lead=True),
    "2 seats, 5 each": Rules(num_players=2, pack=24),
}


@pytest.mark.parametrize("kind", PLAYS)
def test_the_middle_of_the_play_equals_minimax(kind: str) -> None:
    rules = PLAYS[kind]
    rng = np.random.default_rng(1)
    for hands in random_deals(rules, rules.num_players, scaled(60), rng):
        bid = str(rng.choice(rules.bids))
        games = in_play(rules, hands, int(rng.integers(rules.num_players)), bid)
        while games[0].phase == records.PLAY:
            start = games[:1].copy()
            expected = {CARD_NAMES[card]: wins for card, wins in outcomes(games, rules).items()}
            assert solver.solve(start[0], rules) == expected, (bid, hands.tolist(), start)
            rulebook.apply(games[0], rules.kernel[0], parse_cards([str(rng.choice(list(expected)))])[0])


# ---- Full deals: a second solver ---------------------------------------------------------------------------

FULL = [
    (3, Rules(num_players=3), 60),
    (4, Rules(num_players=4), 12),
    (5, Rules(num_players=5), 3),
    (3, Rules(num_players=3, pack=24), 60),
    (4, Rules(num_players=4, pack=28), 8),
    (2, Rules(num_players=2, hand_size=7), 60),
    (3, Rules(num_players=3, hand_size=7), 4),
]


@pytest.mark.jit
@pytest.mark.parametrize(("n", "rules", "number"), FULL)
def test_equals_a_second_solver_on_full_deals(n: int, rules: Rules, number: int) -> None:
    deals = random_deals(rules, n, number, np.random.default_rng(n))
    for bid in ("THREE", "FOUR", "NAP", "MISERE"):
        leads = solver.makeable_leads_batch(deals, 0, bid, rules)
        for row, hands in enumerate(deals):
            expected = slow_leads(hands, rules.tricks_asked(bid), bid != "MISERE")
            assert set(cards_of(int(leads[row]))) == expected, (bid, hands.tolist())


# ---- Known values ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [3, 4, 5])
def test_three_top_trumps_make_three_and_five_make_nap(n: int) -> None:
    rng = np.random.default_rng(n)
    number = scaled(3000)
    three = deals_with(mask_of(parse_cards("AS KS QS 3H 2D")), n, number, rng)
    nap = deals_with(mask_of(parse_cards("AS KS QS JS TS")), n, number, rng)
    assert solver.can_make_batch(three, 0, "THREE").all()
    assert solver.can_make_batch(nap, 0, "NAP").all()


@pytest.mark.jit
@pytest.mark.parametrize(("pack", "certain"), [(52, 4), (40, 4), (36, 20), (32, 52), (28, 88)])
def test_hands_that_make_nap_against_any_lie(pack: int, certain: int) -> None:
    """The worst lies leave so many hands, and no random lie of 2 to 5 hands beats one of them."""
    rules = Rules(num_players=2, pack=pack)
    hands = certain_hands(rules)
    assert len(hands) == certain
    rng = np.random.default_rng(pack)
    cards = np.array(list(cards_of(rules.pack_mask)), np.uint64)
    for n in range(2, 6):
        for hand in hands:
            rest = cards[~((np.uint64(hand) >> cards) & np.uint64(1)).astype(bool)]
            order = rng.permuted(np.tile(rest, (50, 1)), axis=1)[:, : 5 * (n - 1)].reshape(50, n - 1, 5)
            payers = np.bitwise_or.reduce(np.uint64(1) << order, axis=2)
            deals = np.concatenate([np.full((50, 1), hand, np.uint64), payers], axis=1)
            assert solver.can_make_batch(deals, 0, "NAP", Rules(num_players=n, pack=pack)).all()


def certain_hands(rules: Rules) -> list[int]:
    """The hands that make Nap against payers with a suit each, and a single one with the best of two suits.

    All hands are tried, up to the names of the suits.
    """
    five = Rules(num_players=5, pack=rules.pack_size)
    hands = np.array(
        [mask_of(cards) for cards in combinations(cards_of(rules.pack_mask), 5) if _first_of_its_kind(cards)],
        np.uint64,
    )
    rest = np.uint64(rules.pack_mask) & ~hands
    payers = [_best_of(rest, suit, 5) for suit in range(4)]  # each suit in one hand
    left = rest & ~np.bitwise_or.reduce(payers)
    for payer in payers:
        for suit in range(4):
            more = _best_of(left, suit, 5 - np.bitwise_count(payer))
            payer |= more
            left &= ~more
    hands = hands[solver.can_make_batch(np.stack([hands, *payers], axis=1), 0, "NAP", five)]
    suit_pairs = [(a, b, top) for a in range(4) for b in range(4) for top in range(6) if a != b]
    for a, b, top in suit_pairs:
        rest = np.uint64(rules.pack_mask) & ~hands
        payer = _best_of(rest, a, top)
        payer |= _best_of(rest, b, 5 - np.bitwise_count(payer))
        for suit in range(4):  # too few in those suits: fill up
            payer |= _best_of(rest & ~payer, suit, 5 - np.bitwise_count(payer))
        hands = hands[solver.can_make_batch(np.stack([hands, payer], axis=1), 0, "NAP", rules)]
    return sorted({renamed for hand in hands for renamed in _renamed(int(hand))})


def _first_of_its_kind(cards: tuple[int, ...]) -> bool:
    """One hand of those that differ only in the names of the suits: its suits in falling order."""
    suits = [0, 0, 0, 0]
    for card in cards:
        suits[card // 13] |= 1 << card % 13
    return suits[0] <= suits[1] <= suits[2] <= suits[3]


def _renamed(hand: int) -> set[int]:
    suits = [hand >> 13 * suit & 0x1FFF for suit in range(4)]
    return {sum(part << 13 * suit for suit, part in enumerate(order)) for order in permutations(suits)}


def _best_of(cards: Words, suit: int, number: Any) -> Words:
    """The ``number`` highest cards of a suit in each set."""
    left = cards & np.uint64(0x1FFF << 13 * suit)
    best = np.zeros_like(cards)
    for rank in reversed(range(13)):
        card = np.uint64(1 << (13 * suit + rank))
        take = (left & card != 0) & (np.bitwise_count(best) < number)
        best |= np.where(take, card, np.uint64(0))
    return best


RATES = [
    ("AS JS TS 3H 2D", "THREE", (0.786, 0.671, 0.573)),
    ("AS 5S 4S 3S 2S", "NAP", (0.633, 0.491, 0.366)),
    ("AS QS 5S 4S KH", "NAP", (0.645, 0.509, 0.383)),
    ("2S 4S 3H 2D 3C", "MISERE", (0.916, 0.976, 0.992)),
]


def success_rate(hand: str, bid: str, n: int, deals: int = 20_000, seed: int = 0) -> float:
    """How often a hand makes a bid over random deals of n hands, all cards open."""
    rng = np.random.default_rng(seed)
    return float(solver.can_make_batch(deals_with(mask_of(parse_cards(hand)), n, deals, rng), 0, bid).mean())


@pytest.mark.jit
@pytest.mark.parametrize(("hand", "bid", "rates"), RATES)
def test_success_rates_of_known_hands(hand: str, bid: str, rates: tuple[float, ...]) -> None:
    for n, rate in zip((3, 4, 5), rates, strict=True):
        assert abs(success_rate(hand, bid, n) - rate) < 0.015, n


# ---- A row alone, among others, with threads; the other questions --------------------------------------------


@pytest.mark.parametrize("bid", ["THREE", "MISERE"])
def test_a_row_depends_on_no_neighbour_and_no_thread(bid: str) -> None:
    deals = random_deals(Rules(), 4, scaled(2000), np.random.default_rng(2))
    together = solver.makeable_leads_batch(deals, 3, bid)
    assert np.array_equal(solver.makeable_leads_batch(deals, 3, bid, threads=3), together)
    assert np.array_equal(solver.makeable_leads_batch(deals[::-1], 3, bid)[::-1], together)
    for row in range(0, len(deals), 97):
        alone = solver.makeable_leads(deals[row].tolist(), 3, bid)
        assert mask_of(parse_cards([card for card, wins in alone.items() if wins])) == int(together[row])
        assert solver.can_make(deals[row].tolist(), 3, bid) == any(alone.values())


def test_mixed_bids_and_declarers() -> None:
    deals = random_deals(Rules(), 4, 24, np.random.default_rng(3))
    bids = [Rules().bids[row % 6] for row in range(24)]
    seats = np.arange(24) % 4
    mixed = solver.can_make_batch(deals, seats, bids)
    assert mixed.tolist() == [solver.can_make(deals[row].tolist(), int(seats[row]), bids[row]) for row in range(24)]
    assert np.array_equal(mixed, solver.can_make_batch(deals, seats, [53 + BIDS.index(bid) for bid in bids]))


def test_tricks_are_the_highest_number_made() -> None:
    deals = random_deals(Rules(), 3, scaled(300), np.random.default_rng(4))
    most = solver.tricks_batch(deals, 1)
    for bid, number in (("THREE", 3), ("FOUR", 4), ("NAP", 5)):
        assert np.array_equal(most >= number, solver.can_make_batch(deals, 1, bid))
    assert solver.tricks(deals[0].tolist(), 1) == most[0]


def test_a_line_keeps_the_value_of_the_deal() -> None:
    rules = Rules(num_players=4)
    for seed in range(scaled(20)):
        game = Game.deal(seed=seed, num_players=4, dealer=3)
        hands = [game.hand(seat) for seat in range(4)]
        game.play("THREE", *["PASS"] * 3)
        makes = solver.can_make(hands, 0, "THREE", rules)
        assert any(solver.solve(game).values()) == makes
        for seat, card in solver.line(game):
            assert game.seat == seat
            game.play(card)
        assert game.over
        assert (game.net[0] > 0) == makes


def test_a_position_from_text_mid_trick() -> None:
    position = solver.Position(
        ["AS 2H", "3H 4C", "QS AH"], declarer=0, bid="THREE", table="5H", leader=1, trump="S", taken=2
    )
    with pytest.raises(ValueError, match="the same number"):
        solver.solve(position)
    position = solver.Position(
        ["AS 2H", "4C", "QS AH"], declarer=0, bid="THREE", table="5H", leader=1, trump="S", taken=2
    )
    assert solver.solve(position) == {"AH": True}  # the ace of trumps comes
    games, rules = position.record()
    assert int(games[0].seat) == 2
    assert solver.solve(games[0], rules) == solver.solve(position)


def test_worlds_are_solved_row_by_row() -> None:
    game = Game.deal(seed=5, num_players=3, dealer=2).play("THREE", "PASS", "PASS")
    game.play(game.legal()[0])
    seat = game.seat
    assert seat is not None
    hands = np.array([mask_of(parse_cards(game.hand(s))) for s in range(3)], np.uint64)
    other = hands.copy()
    unseen = [card for card in range(52) if not int(np.bitwise_or.reduce(hands)) >> card & 1]
    unseen = [card for card in unseen if CARD_NAMES[card] not in game.tricks[0].values()]
    other[2] = mask_of(unseen[: int(hands[2]).bit_count()])
    worlds = np.stack([hands, other, hands])
    sets = solver.solve_worlds(game, worlds)
    assert mask_of(parse_cards([c for c, wins in solver.solve(game).items() if wins])) == int(sets[0]) == int(sets[2])
    assert np.array_equal(sets, solver.solve_worlds(game, worlds, threads=2))
    with pytest.raises(ValueError, match="world 0: seat 1 holds 0 cards"):
        solver.solve_worlds(game, np.array([[hands[0], 0, hands[2]]], np.uint64))


# ---- Bad input -----------------------------------------------------------------------------------------------

GOOD = ["AS KS QS 7H 3D", "JS TS 9S 8S AH", "AD KD QD JD AC"]
BAD: list[tuple[Any, Any, Any, Any, str]] = [
    (["AS KS QS 7H 3D", "AS TS 9S 8S AH"], 0, "THREE", "standard", "two hands hold AS"),
    (["AS KS QS 7H", "JS TS 9S 8S AH"], 0, "THREE", "standard", "seat 0 has 4 cards, these rules deal 5"),
    (["AS KS QS 7H 3D 2D 4D", "JS TS 9S 8S AH"], 0, "THREE", "standard", "rules='seven_card'"),
    (["AS AS QS 7H 3D", "JS TS 9S 8S AH"], 0, "THREE", "standard", "holds AS twice"),
    (["AS XS QS 7H 3D", "JS TS 9S 8S AH"], 0, "THREE", "standard", "'XS' is no card"),
    (GOOD, 0, "THREE", Rules(num_players=3, pack=28), "seat 0 holds 7H 3D, not in the pack of 28|3D"),
    (GOOD, 3, "THREE", "standard", "declarer 3 is not at the table: seats are 0..2"),
    (GOOD, True, "THREE", "standard", "declarer must be a seat"),
    (GOOD, 0, "SIX", "standard", "SIX is not on the ladder"),
    (GOOD, 0, "PASS", "standard", "PASS is not on the ladder"),
    (GOOD, 0, "FIVE", "standard", "'FIVE' is no bid"),
    (GOOD, 0, 3.0, "standard", "is no bid"),
    (GOOD, 0, "MISERE", "no_misere", "MISERE is not on the ladder"),
    (GOOD, 0, "THREE", "nonesuch", "unknown rules"),
    (GOOD[:1], 0, "THREE", "standard", "1 hands: give one a player"),
    (GOOD, 0, "THREE", Rules(num_players=2), "3 hands"),
    ("AS KS", 0, "THREE", "standard", "hands must be a list"),
    ([1.5, 2], 0, "THREE", "standard", "must be a text or a 64-bit set"),
]


@pytest.mark.parametrize(("hands", "declarer", "bid", "rules", "message"), BAD)
def test_bad_input_is_refused_in_words(hands: Any, declarer: Any, bid: Any, rules: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        solver.can_make(hands, declarer, bid, rules)


def test_bad_batches_are_refused_in_words() -> None:
    deals = random_deals(Rules(), 3, 4, np.random.default_rng(0))
    wrong = deals.copy()
    wrong[2, 1] = wrong[2, 0]
    for arguments, message in (
        ((wrong, 0, "THREE"), "deal 2: two hands hold"),
        ((deals.astype(float), 0, "THREE"), "uint64"),
        ((deals[0], 0, "THREE"), "uint64"),
        ((deals, [0, 1], "THREE"), "2 declarers for 4 deals"),
        ((deals, [0, 1, 2, 3], "THREE"), "declarer 3"),
        ((deals, 0, ["THREE"] * 3), "3 bids for 4 deals"),
    ):
        with pytest.raises(ValueError, match=message):
            solver.can_make_batch(*arguments)
    with pytest.raises(ValueError, match="threads"):
        solver.can_make_batch(deals, 0, "THREE", threads=0)
    assert solver.can_make_batch(deals[:0], 0, "THREE").shape == (0,)


def test_solve_refuses_what_is_not_in_the_play() -> None:
    with pytest.raises(ValueError, match="phase AUCTION"):
        solver.solve(Game.deal(seed=1))
    with pytest.raises(ValueError, match="takes a Game"):
        solver.solve("AS")
    for bad, message in (
        (solver.Position(["AS", "KS"], 0, "THREE"), "trump is missing"),
        (solver.Position(["AS", "KS"], 0, "THREE", trump="X"), "use C, D, H or S"),
        (solver.Position(["AS", "KS"], 0, "MISERE", trump="S"), "a Misere has none"),
        (solver.Position(["AS", "KS"], 2, "THREE", trump="S"), "declarer 2"),
        (solver.Position(["AS", "KS"], 0, "THREE", trump="S", taken=5), "4 tricks were played"),
        (solver.Position(["", "KS 2S"], 0, "THREE", table="AH", trump="S"), "the same number"),
        (solver.Position(["AS 2S", "KS"], 0, "THREE", table="AS", leader=1, trump="S"), "somewhere else"),
        (solver.Position(["AS 2S", "3S", "4S"], 0, "THREE", table="KH 9D", leader=1, trump="S"), None),
        (solver.Position(["AS 2S", "3S", "4H"], 0, "THREE", table="KH 9D", leader=1, trump="S"), "can follow"),
    ):
        if message is None:
            assert set(solver.solve(bad)) == {"2S", "AS"}
        else:
            with pytest.raises(ValueError, match=message):
                solver.solve(bad)


# ---- Compiled code from the cache; work ------------------------------------------------------------------------


@pytest.mark.jit
def test_another_process_takes_the_kernels_from_the_cache() -> None:
    """Numba keeps a recursive kernel badly: loaded again it crashes. Ours have a stack of their own."""
    solver.can_make(GOOD, 0, "THREE")
    code = f"from nap_env import solver; print(solver.can_make({GOOD}, 0, 'THREE'))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["True"]


@pytest.mark.parametrize("most", [FEW_SLOTS, 2 * FEW_SLOTS + 1, ALL_SLOTS, (1 << 19) - 1, (1 << 20) - 1, (1 << 21) - 1])
def test_a_mask_never_reaches_past_the_table(most: int) -> None:
    """The growth is capped: a table need not have a fourth power of slots."""
    mask = FEW_SLOTS
    for _ in range(20):
        assert mask <= most
        assert mask & (mask + 1) == 0
        mask = table.grown(mask, most)
    assert mask == most


def test_the_table_has_a_slot_for_every_mask() -> None:
    assert ALL_SLOTS & (ALL_SLOTS + 1) == 0
    assert FEW_SLOTS <= ALL_SLOTS
    assert SEARCH["table"].shape == (ALL_SLOTS + 1, 4)


WORK = [  # the most positions that the search of one deal in 2,000 may look at, about twice what it does
    ("THREE", 3, 5, 1_000),
    ("THREE", 5, 5, 10_000),
    ("THREE", 7, 5, 30_000),
    ("MISERE", 3, 5, 1_000),
    ("MISERE", 5, 5, 30_000),
    ("MISERE", 7, 5, 1_500_000),
    ("THREE", 7, 7, 1_200_000),
    ("MISERE", 7, 7, 4_000_000),
]


@pytest.mark.jit
@pytest.mark.parametrize(("bid", "n", "hand_size", "most"), WORK)
def test_no_deal_is_hard(bid: str, n: int, hand_size: int, most: int) -> None:
    """Positions are counted, not seconds: the same on every machine."""
    rules = Rules(num_players=n, hand_size=hand_size)
    hands = random_deals(rules, n, 2000, np.random.default_rng(0))
    nodes = solver.api.searched(hands, 0, bid, rules)
    assert 0 < nodes.max() < most


HARD = "9S JH JD 8D 2D 8C 5C; JS 2S AH 6H 9D 7D 4C; KS 6S 5S 4H TD 6D JC; QS TH 5H 3D AC TC 6C; \
7S 9H 7H 3H 5D QC 7C; AS 8S KH 8H 2H QD 2C; TS QH AD KD 4D KC 9C"


@pytest.mark.jit
def test_the_hardest_deal_that_is_known() -> None:
    """A Misere of seven cards at seven players that once took 514 million positions."""
    deal = np.array([[mask_of(parse_cards(hand)) for hand in HARD.split(";")]], np.uint64)
    rules = Rules(num_players=7, hand_size=7)
    assert solver.can_make_batch(deal, 0, "MISERE", rules)[0]
    assert solver.api.searched(deal, 0, "MISERE", rules)[0] < 16_000_000


def test_the_references_agree() -> None:
    """The two slow solvers, with each other."""
    rules = Rules(num_players=3, hand_size=3, pack=12)
    for hands in random_deals(rules, 3, scaled(100), np.random.default_rng(9)):
        for bid in ("THREE", "NAP", "MISERE"):
            games = in_play(rules, hands, 0, bid)
            wins = {card for card, result in outcomes(games, rules).items() if result}
            if not NOJIT:
                assert wins == slow_leads(hands, rules.tricks_asked(bid), bid != "MISERE")
            games[0] = in_play(rules, hands, 0, bid)[0]
            assert made(games, 0, rules.kernel) == bool(wins)
