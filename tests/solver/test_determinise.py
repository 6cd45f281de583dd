"""Hidden hands: counted against enumeration, drawn evenly, and never at odds with what the seat saw."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from random_play import fitting, seen_by, tables
from scale import scaled

from nap_env import Rules, observation
from nap_env.cards import mask_of
from nap_env.determinise import count_worlds, determinise, determinise_batch, knowledge
from nap_env.engine import loops, records, rulebook

KINDS: dict[str, Rules] = {
    "standard": Rules(),
    "seven players": Rules(num_players=7),
    "seven cards": Rules(num_players=6, hand_size=7),
    "24 cards, all dealt but four": Rules(num_players=4, pack=24),
    "purchase": Rules(num_players=4, exchange="purchase"),
    "ecarte": Rules(num_players=3, exchange="ecarte"),
    "peep": Rules(num_players=4, peep=True, peep_exchange="declarer"),
    "garnet": Rules(num_players=4, sir_garnet=True),
    "sits out": Rules(num_players=6, dealer_sits_out=True),
    "lowest lead": Rules(num_players=4, wellington_lowest_lead=True),
    "research": Rules(num_players=3, hand_size=3, suits=3, pack=12),
}


def holdings(games: Any, rules: Rules, seat: int) -> list[int]:
    """What the seats hold, from this seat on."""
    n = rules.num_players
    return [int(games[0].hand[(seat + other) % n]) for other in range(n)]


@pytest.mark.parametrize("kind", KINDS)
def test_the_true_hands_always_fit(kind: str) -> None:
    rules = KINDS[kind]
    for games in tables(rules, scaled(60)):
        if games[0].phase not in (records.PLAY, records.AUCTION):
            continue
        seat = int(games[0].seat)
        known = knowledge(seen_by(games, rules, seat), rules)
        truth = holdings(games, rules, seat)
        for other in range(1, rules.num_players):
            sure = known["surely"][other]
            assert truth[other] & sure == sure
            assert truth[other] & ~sure & ~known["may_hold"][other] == 0
            assert (truth[other] & ~sure).bit_count() == known["unknown"][other]


@pytest.mark.parametrize("kind", KINDS)
def test_a_world_looks_the_same_to_the_seat(kind: str) -> None:
    """With drawn hands in place of the true ones, the seat's view is what it was, and the play was legal."""
    rules = KINDS[kind]
    rng = np.random.default_rng(1)
    n = rules.num_players
    for games in tables(rules, scaled(40), seed=100):
        if games[0].phase != records.PLAY:
            continue
        seat = int(games[0].seat)
        row = seen_by(games, rules, seat)
        for world in determinise(row, rules, rng, 3):
            assert int(world[0]) == int(games[0].hand[seat])
            other = games.copy()
            for place in range(n):
                other[0].hand[(seat + place) % n] = world[place]
            sizes = [int(cards).bit_count() for cards in other[0].hand[:n]]
            assert sizes == [int(cards).bit_count() for cards in games[0].hand[:n]]
            assert np.array_equal(seen_by(other, rules, seat), row)
            assert_was_legal(other[0], rules)


def assert_was_legal(game: Any, rules: Rules) -> None:
    """R4.2, R4.5: with the hands as they are, each card was one that its seat might play."""
    held = [int(cards) for cards in game.hand]
    for trick in reversed(range(int(game.trick) + 1)):
        leader = int(game.leaders[trick])
        led = int(game.played[trick, leader])
        for seat in range(rules.num_players):
            card = int(game.played[trick, seat])
            if card < 0:
                continue
            if card // 13 != led // 13:
                assert not held[seat] & 0x1FFF << 13 * (led // 13)
            if trick == 0 and seat == leader and rules.wellington_lowest_lead and int(game.contract) == 57:
                assert not held[seat] & 0x1FFF << 13 * (card // 13) & (1 << card) - 1
            held[seat] |= 1 << card
    assert sum(held) == mask_of([c for c in range(52) if any(h >> c & 1 for h in held)])


SMALL = {
    "3 seats": Rules(num_players=3, hand_size=3, suits=3, pack=12),
    "4 seats": Rules(num_players=4, hand_size=2, suits=3, pack=9),
    "2 suits": Rules(num_players=3, hand_size=4, suits=2, pack=14),
    "lowest lead": Rules(num_players=3, hand_size=3, suits=2, pack=10, wellington_lowest_lead=True),
}


@pytest.mark.parametrize("kind", SMALL)
def test_worlds_are_counted_as_enumeration_counts_them(kind: str) -> None:
    rules = SMALL[kind]
    for games in tables(rules, scaled(40), seed=7):
        if games[0].phase == records.PLAY:
            row = seen_by(games, rules, int(games[0].seat))
            assert count_worlds(row, rules) == pytest.approx(len(fitting(knowledge(row, rules))), rel=1e-12)


@pytest.mark.jit
@pytest.mark.parametrize("kind", SMALL)
def test_worlds_are_drawn_evenly(kind: str) -> None:
    """Chi-square over all that fit: each restricted position of some games, 40 draws a world."""
    rules = SMALL[kind]
    rng = np.random.default_rng(3)
    tested, excess, freedom = 0, 0.0, 0
    for games in tables(rules, 60, seed=70):
        if games[0].phase != records.PLAY or int(games[0].trick) == 0:
            continue
        row = seen_by(games, rules, int(games[0].seat))
        worlds = fitting(knowledge(row, rules))
        if not 2 <= len(worlds) <= 300:
            continue
        drawn = determinise(row, rules, rng, 40 * len(worlds))
        counts = Counter(tuple(int(cards) for cards in world[1:]) for world in drawn)
        assert set(counts) <= set(worlds)
        excess += sum((counts[world] - 40) ** 2 / 40 for world in worlds)
        freedom += len(worlds) - 1
        tested += 1
    assert tested > 20
    assert abs(excess - freedom) < 4.5 * (2 * freedom) ** 0.5


@pytest.mark.jit
@pytest.mark.parametrize("kind", SMALL)
def test_weighted_worlds_come_as_often_as_their_weights(kind: str) -> None:
    """Chi-square against enumeration, with weights from 1 to 4 by the cards of one seat; even draws would give 20."""
    rules = SMALL[kind]
    rng = np.random.default_rng(4)
    tested, excess, freedom = 0, 0.0, 0

    def weight(worlds: Any) -> Any:
        return 1.0 + np.asarray([int(world[-1]) % 97 % 4 for world in worlds])

    for games in tables(rules, 40, seed=70):
        if games[0].phase != records.PLAY or int(games[0].trick) == 0:
            continue
        row = seen_by(games, rules, int(games[0].seat))
        worlds = fitting(knowledge(row, rules))
        if not 2 <= len(worlds) <= 40:
            continue
        number = 100 * len(worlds)
        drawn = determinise(row, rules, rng, number, weight=weight, candidates=8)
        counts = Counter(tuple(int(cards) for cards in world[1:]) for world in drawn)
        wanted = weight([(0, *world) for world in worlds])
        wanted *= number / wanted.sum()
        excess += sum((counts[world] - share) ** 2 / share for world, share in zip(worlds, wanted, strict=True))
        freedom += len(worlds) - 1
        tested += 1
    assert tested > 10
    assert 0.5 * freedom < excess < 1.4 * freedom


def test_weights_that_are_none_are_refused() -> None:
    rules = SMALL["3 seats"]
    games = next(games for games in tables(rules, 1) if games[0].phase == records.AUCTION)
    row = seen_by(games, rules, int(games[0].seat))
    for wrong in ([1.0], np.zeros(32), np.full(32, np.nan), -np.ones(32)):
        with pytest.raises(ValueError, match="weights must be 32 numbers from 0"):
            determinise(row, rules, np.random.default_rng(0), 2, weight=lambda worlds, wrong=wrong: wrong)


def test_a_seat_amid_its_discards_gets_the_hand_it_will_have() -> None:
    """R7, R9: how many cards it has put away it does not show; its own view counts exactly."""
    for kind, phase in (("purchase", records.DISCARD), ("ecarte", records.ECARTE), ("garnet", records.GARNET)):
        rules, seen = KINDS[kind], 0
        for games in tables(rules, scaled(100)):
            seat = int(games[0].seat)
            if games[0].phase != phase or int(games[0].hand[seat]).bit_count() == rules.hand_size:
                continue
            other = (seat + 1) % rules.num_players
            known = knowledge(seen_by(games, rules, other), rules)
            assert known["unknown"] == [0] + [rules.hand_size] * (rules.num_players - 1)
            world = determinise(seen_by(games, rules, seat), rules, np.random.default_rng(0))[0]
            assert int(world[0]) == int(games[0].hand[seat])
            seen += 1
        assert seen or scaled(100) == 1


def test_a_row_depends_on_its_key_alone() -> None:
    """The same generator gives the same worlds, and a batch draws each row on its own."""
    rules = Rules(num_players=4)
    rows = [seen_by(games, rules, int(games[0].seat)) for games in tables(rules, 1)]
    batch = np.array(rows[-12:])
    first = determinise_batch(batch, rules, np.random.default_rng(5), 4)
    assert np.array_equal(first, determinise_batch(batch, rules, np.random.default_rng(5), 4))
    assert np.array_equal(first[:, :2], determinise_batch(batch, rules, np.random.default_rng(5), 2))
    assert np.array_equal(first[:5], determinise_batch(batch[:5], rules, np.random.default_rng(5), 4))


def test_all_voids_in_the_first_trick_at_seven() -> None:
    """Nobody can follow: six restricted seats, four cards each."""
    rules = Rules(num_players=7)
    spades = mask_of(range(39, 52))
    nothing = np.empty((0, 52), np.int8)
    games = np.zeros(1, records.GAME)
    loops.begin(
        games, 0, rules.kernel, 6, 1, -1, 0, False, nothing, np.array([spades & 0x1F << 39, *[0] * 6], np.uint64)
    )
    others = [mask_of(range(5 * seat, 5 * seat + 5)) for seat in range(6)]
    games[0].hand[1:] = others
    for action in (53, *[52] * 6, 39, *[5 * seat for seat in range(6)]):
        rulebook.apply(games[0], rules.kernel[0], action)
    row = seen_by(games, rules, 0)
    worlds = determinise(row, rules, np.random.default_rng(0), 50)
    assert not (worlds[:, 1:] & np.uint64(spades)).any()
    assert (np.bitwise_count(worlds) == 4).all()


def test_bad_observations_are_refused_in_words() -> None:
    rules = Rules(num_players=3)
    with pytest.raises(ValueError, match="other rules"):
        determinise(np.zeros(7, np.int8), rules, np.random.default_rng(0))
    row = np.zeros(observation.size(rules), np.int8)
    at = observation.layout(rules)
    row[at["dealt"]] = 1
    row[at["hand"]] = 1  # all 52 cards in his own hand
    with pytest.raises(ValueError, match="no hands fit observation 0"):
        determinise(row, rules, np.random.default_rng(0))
