"""The book: trials, builds that can be interrupted, files, the bidder's values, and the agent."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from scale import scaled

import nap_env.agent
from agents.arena import versus
from agents.auction.auctions import SHORT
from agents.auction.bidder import NO_BID, NUM_BIDS, best_call, find_tuning, plain, tuned, worth_of_bid
from agents.auction.chances import (
    BookError,
    Chances,
    build_command,
    file_name,
    find,
    kind_of,
    questions,
    read,
    standard_error,
)
from agents.auction.hand_classes import class_count, class_of, representative, representatives
from agents.book import bidder_for
from nap_env import Game, Rules, Tables, solver
from nap_env.cards import cards_of, mask_of, parse_cards
from nap_env.errors import AgentError
from nap_env.rules import PRESETS
from train.book.build import FIRST_LOOK, Build, Quality, errors, level_error
from train.book.trials import count_made, deals_of
from train.book.tune import tune

pytestmark = pytest.mark.jit  # builds ask thousands of deals
SMALL = kind_of(Rules(num_players=3, hand_size=2, suits=2, pack=12))
QUICK = Quality(worst=0.1, rms=0.06)


def number_of(hand: str, rules: Rules) -> int:
    return int(class_of(np.array([mask_of(parse_cards(hand))], np.uint64), rules)[0])


def share(hand: str, bid: str, players: int, trials: int, play: str = "open") -> float:
    """How often a hand makes a bid in so many trials."""
    kind = kind_of("standard", players)
    row = questions(kind).index(bid)
    start = np.zeros((len(questions(kind)), 1), np.int64)
    stop = start.copy()
    stop[row] = trials
    return float(count_made(np.array([number_of(hand, kind)]), start, stop, kind, play, 3)[row, 0] / trials)


# ---- Trials ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [SMALL, kind_of("standard", 7), kind_of("seven_card", 4)], ids=repr)
def test_a_trial_deals_the_hand_and_others_from_the_rest(kind: Rules) -> None:
    numbers = np.repeat(np.arange(0, class_count(kind), 1 + class_count(kind) // 7), 5)
    trials = np.tile(np.arange(5), len(numbers) // 5)
    deals = deals_of(numbers, trials, kind, 1)
    assert deals[:, 0].tolist() == [representative(int(number), kind) for number in numbers]
    assert (np.bitwise_count(deals) == kind.hand_size).all()
    union = np.bitwise_or.reduce(deals, axis=1)
    assert (np.bitwise_count(union) == kind.hand_size * kind.num_players).all()
    assert not (union & ~np.uint64(kind.pack_mask)).any()
    alone = deals_of(numbers[3:4], trials[3:4], kind, 1)
    assert alone.tolist() == deals[3:4].tolist()
    assert deals_of(numbers, trials, kind, 2).tolist() != deals.tolist()


def test_all_cards_are_dealt_alike() -> None:
    kind = kind_of(Rules(num_players=3, hand_size=1, suits=2, pack=8))
    number = scaled(20_000)
    deals = deals_of(np.zeros(number, np.int64), np.arange(number), kind, 5)
    others = [card for card in cards_of(kind.pack_mask) if not int(deals[0, 0]) >> card & 1]
    for seat in (1, 2):
        counts = np.array([(deals[:, seat] == np.uint64(1 << card)).sum() for card in others])
        expected = number / len(others)
        assert ((counts - expected) ** 2 / expected).sum() < 30  # chi-square, 6 degrees: one in 25,000


@pytest.mark.parametrize("play", ["open", "rules"])
def test_counts_are_what_the_solver_and_the_playouts_say(play: str) -> None:
    from agents.searching.playouts import made_batch

    asked = questions(SMALL)
    numbers = np.array([0, 3, 9])
    start = np.array([[0, 2, 5]] * len(asked))
    stop = start + np.array([[4], [0], [7], [3], [2]])[: len(asked)]
    found = count_made(numbers, start, stop, SMALL, play, 8)
    ask = solver.can_make_batch if play == "open" else made_batch
    for row, column in itertools.product(range(len(asked)), range(3)):
        trials = np.arange(start[row, column], stop[row, column])
        deals = deals_of(np.full(len(trials), numbers[column]), trials, SMALL, 8)
        made = ask(deals, 0, asked[row], SMALL).sum() if len(trials) else 0
        assert found[row, column] == made


@pytest.mark.jit
def test_published_values_of_open_card_play() -> None:
    assert all(share("AS KS QS JS TS", "NAP", n, 100) == 1 for n in range(2, 8))
    assert all(share("AS KS QS 3S 2S", "THREE", n, 200) == 1 for n in (3, 4, 5))
    for players, three, nap in ((3, 0.786, 0.633), (4, 0.671, 0.491), (5, 0.573, 0.366)):
        assert share("AS JS TS 3S 2S", "THREE", players, 4000) > three  # five trumps: more than three of them
        assert share("AS 5S 4S 3S 2S", "NAP", players, 4000) == pytest.approx(nap, abs=0.03)
    assert share("2S 4S 3H 2D 3C", "MISERE", 3, 4000) == pytest.approx(0.916, abs=0.02)


# ---- Builds ------------------------------------------------------------------------------------------------


def ignore(*_: object) -> None:
    """A report to nobody."""


def built(path: Path, play: str = "open", threads: int = 1) -> Build:
    build = Build(path, SMALL, play, threads=threads)
    assert build.run(QUICK, 0, ignore)
    return build


def test_a_build_ends_when_its_errors_are_small(tmp_path: Path) -> None:
    build = built(tmp_path / "a.npz")
    worst, rms = errors(build.chances)
    assert worst <= QUICK.worst
    assert rms <= QUICK.rms
    assert (build.trials % FIRST_LOOK == 0).all()
    assert len({*build.trials.ravel().tolist()}) > 1  # where it is certain, few


def test_probabilities_are_those_of_all_deals(tmp_path: Path) -> None:
    chances = built(tmp_path / "a.npz").chances
    rest = list(itertools.combinations(cards_of(SMALL.pack_mask), 2))
    off = []
    for number in range(class_count(SMALL)):
        own = representative(number, SMALL)
        hands = [mask_of(cards) for cards in rest if not mask_of(cards) & own]
        deals = np.array([[own, a, b] for a in hands for b in hands if not a & b], np.uint64)
        for row, bid in enumerate(questions(SMALL)):
            exact = solver.can_make_batch(deals, 0, bid, SMALL).mean()
            off.append((chances.probability[row, number] - exact) / chances.error[row, number])
    assert max(map(abs, off)) < 4.5
    assert np.mean(np.square(off)) < 1.3


@pytest.mark.parametrize("play", ["open", "rules"])
def test_an_interrupted_build_ends_as_one_in_a_single_go(tmp_path: Path, play: str) -> None:
    whole = built(tmp_path / "whole.npz", play)
    sittings = 0
    for _ in range(40):
        calls = iter(range(1))

        def stop(*_: object, calls: object = calls) -> None:
            if next(calls, None) is None:  # type: ignore[call-overload]
                raise KeyboardInterrupt

        build = Build(tmp_path / "parts.npz", SMALL, play, threads=2)
        try:
            assert build.run(QUICK, 0, stop)
            break
        except KeyboardInterrupt:
            sittings += 1
    assert sittings >= 2
    parts = read(tmp_path / "parts.npz")
    assert np.array_equal(parts.trials, whole.trials)
    assert np.array_equal(parts.made, whole.made)


def test_time_that_is_over_leaves_what_was_done(tmp_path: Path) -> None:
    build = Build(tmp_path / "a.npz", SMALL, "open")
    assert not build.run(Quality(1e-4, 1e-4), 1e-9, ignore)
    assert read(tmp_path / "a.npz").trials.sum() > 0
    assert level_error(5) == pytest.approx(0.04)


def test_a_build_goes_on_with_its_own_seed_only(tmp_path: Path) -> None:
    built(tmp_path / "a.npz")
    with pytest.raises(BookError, match="begun with seed 0, not 7: go on with --seed 0"):
        Build(tmp_path / "a.npz", SMALL, "open", seed=7)
    with pytest.raises(BookError, match=r"holds chances for .* with open play"):
        Build(tmp_path / "a.npz", SMALL, "rules")


# ---- Files -------------------------------------------------------------------------------------------------


def test_a_file_is_what_was_saved(tmp_path: Path) -> None:
    chances = built(tmp_path / "a.npz").chances
    again = read(tmp_path / "a.npz")
    assert again.rules == SMALL
    assert again.play == "open"
    assert np.array_equal(again.made, chances.made)
    assert again.origin["trials"] == int(chances.trials.sum())
    again.save(tmp_path / "b.npz")
    assert (tmp_path / "b.npz").read_bytes() == (tmp_path / "a.npz").read_bytes()


def test_many_trials_keep_their_high_bytes(tmp_path: Path) -> None:
    shape = (len(questions(SMALL)), class_count(SMALL))
    trials = np.full(shape, 65_520, np.uint16)
    Chances(SMALL, "open", trials, trials - np.uint16(1000)).save(tmp_path / "a.npz")
    assert read(tmp_path / "a.npz").of(representative(0, SMALL))["NAP"][0] == pytest.approx(64_520 / 65_520)


@pytest.mark.parametrize("content", [b"", b"no book", b"PK\x03\x04 and so on"])
def test_a_damaged_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.npz"
    path.write_bytes(content)
    with pytest.raises(BookError, match="is no book of hands, or is damaged"):
        read(path)


def test_what_is_not_there_is_named_with_the_command_that_builds_it(tmp_path: Path) -> None:
    with pytest.raises(BookError, match=r"nap book --build --rules '\{\"pack\": 40\}' --players 4 --play open"):
        find(Rules(num_players=4, pack=40), "open", folder=tmp_path)
    with pytest.raises(BookError, match="no play 'closed': the book knows open and rules"):
        find("standard", "closed")


def test_variants_that_play_alike_share_their_chances() -> None:
    same = [name for name in PRESETS if kind_of(name, 4) == kind_of("standard", 4)]
    assert same == [name for name in PRESETS if name != "seven_card"]
    assert kind_of("six_handed").num_players == 5
    low = kind_of(Rules(wellington_lowest_lead=True))
    assert questions(low) == ("THREE", "MISERE", "FOUR", "NAP", "WELLINGTON")
    assert questions(kind_of("standard")) == ("THREE", "MISERE", "FOUR", "NAP")
    assert build_command(kind_of("standard"), "rules") == "nap book --build --players 5 --play rules"
    assert file_name(low, "open") == "5of52-low-wellington-open-5p.npz"


def test_an_error_is_not_nothing_after_a_few_trials() -> None:
    error = standard_error(np.array([0, 16, 50]), np.array([16, 16, 100]))
    assert error[0] == pytest.approx(error[1]) == pytest.approx(0.0526, abs=1e-4)
    assert error[2] == pytest.approx(0.05, abs=0.001)


# ---- The values of places, and the agent -------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Chances and a tuned bidder of the small game."""
    where = tmp_path_factory.mktemp("book")
    build = built(where / file_name(SMALL, "rules"), "rules")
    found = tune(build.chances, SMALL, deals=scaled(4000), rounds=6, threads=1)
    found.save(where / ("bidder-" + file_name(SMALL, "rules")))
    return where


def test_the_last_to_call_loses_nothing_by_passing(folder: Path) -> None:
    bidder = tuned(find(SMALL, "rules", folder=folder), find_tuning(SMALL, "rules", folder=folder), SMALL)
    assert bidder.passing[0, NO_BID] == 0
    assert (bidder.stands[0] == 1).all()
    assert bidder.passing[2, NO_BID] < 0  # somebody else may make a bid
    assert ((bidder.stands >= 0) & (bidder.stands <= 1)).all()


@pytest.mark.jit
def test_tuned_bidders_beat_those_of_threshold_zero(folder: Path) -> None:
    from train.book.tune import compare, draw

    chances = find(SMALL, "rules", folder=folder)
    fresh = draw(chances, 20_000, 99, 1, ignore)
    bidder = tuned(chances, find_tuning(SMALL, "rules", folder=folder), SMALL)
    mean, error = compare(bidder, plain(chances, 0.0, SMALL), SMALL, fresh)
    assert mean > 2 * error
    assert compare(bidder, bidder, SMALL, fresh) == (0.0, 0.0)


def test_the_plain_bidder_takes_the_best_of_the_book(folder: Path) -> None:
    chances = find(SMALL, "rules", folder=folder)
    bidder = plain(chances, 0.0, SMALL)
    legal = int(SMALL.kernel[0].over[8]) >> 53
    for number in range(class_count(SMALL)):
        worth = {NO_BID: 0.0}
        for bid in range(NUM_BIDS):
            if legal >> bid & 1:
                made, failed = bidder.pays[bid]
                p = min(max(float(bidder.chance[number, bid]), 0.005), 0.995)
                worth[bid] = p * made - (1 - p) * failed
                assert worth_of_bid(bidder, number, 2, NO_BID, bid) == pytest.approx(worth[bid])
        assert best_call(bidder, number, 2, NO_BID, legal)[0] == max(worth, key=lambda bid: (worth[bid], -bid))
    assert SHORT < 1 / 3


def test_the_agent_bids_by_the_table(folder: Path) -> None:
    agent = nap_env.agent.make("book", SMALL, threshold=0.0, folder=folder)
    bidder = bidder_for(SMALL, "rules", 0.0, folder)
    hands = representatives(SMALL)
    for number in range(0, class_count(SMALL), 5):
        rest = SMALL.pack_mask & ~int(hands[number])
        others = list(cards_of(rest))[:4]
        dealt = {1: list(cards_of(int(hands[number]))), 2: others[:2], 0: others[2:]}
        game = Game.deal(seed=1, rules=SMALL, dealer=0, hands=dealt)
        tables = Tables(1, SMALL, auto_deal=False)
        tables.put(game._games)
        action = int(agent.act(tables.obs[0], tables.mask[0], np.random.default_rng(0)))
        call, _ = best_call(bidder, number, 2, NO_BID, int(SMALL.kernel[0].over[8]) >> 53)
        assert action == (52 if call == NO_BID else 53 + call)


def test_the_agent_plays_every_variant_it_has_a_book_for() -> None:
    for preset in ("standard", "penny", "peep", "sir_garnet", "purchase", "no_misere"):
        result = versus("book", "rules", deals=scaled(40), seed=1, rules=preset)
        assert sum(bid.bid for bid in result.bids) > 0 or scaled(40) < 40


def test_another_agent_may_play_the_cards(folder: Path) -> None:
    agent = nap_env.agent.make("book", SMALL, player="simple-v1", folder=folder)
    assert agent.name == "book player simple-v1"
    tables = Tables(8, SMALL, seed=3, auto_deal=False)
    simple = nap_env.agent.make("simple-v1", SMALL)
    rng = np.random.default_rng(0)
    while (live := np.flatnonzero(~tables.over)).size:
        actions = agent.act_batch(tables.obs[live], tables.mask[live], rng)
        playing = tables.games["phase"][live] == 7
        expected = simple.act_batch(tables.obs[live], tables.mask[live], rng)
        assert actions[playing].tolist() == expected[playing].tolist()
        tables.step(actions, live)


def test_an_agent_without_a_book_says_how_to_build_one() -> None:
    with pytest.raises(AgentError, match="nap book --build --rules"):
        nap_env.agent.make("book", Rules(num_players=3, pack=28))
    with pytest.raises(AgentError, match="threshold='low': give stakes a payer"):
        nap_env.agent.make("book", threshold="low")


def test_a_book_that_was_not_tuned_asks_for_it(tmp_path: Path) -> None:
    built(tmp_path / file_name(SMALL, "rules"), "rules")
    with pytest.raises(AgentError, match="nap book --tune"):
        nap_env.agent.make("book", SMALL, folder=tmp_path)
    assert nap_env.agent.make("book", SMALL, folder=tmp_path, threshold=-0.5).name == "book -0.5"
