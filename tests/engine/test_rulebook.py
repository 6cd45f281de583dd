"""The compiled rulebook by itself: every line of small games, chance, streams, the layout of records."""

import copy
import itertools

import numpy as np
import pytest
import referee
from at_table import pack
from scale import NOJIT, scaled

from nap_env import PRESETS, Rules, nap_v0, observation
from nap_env.cards import action_id, action_name, card_name, cards_of
from nap_env.dealing import seeds
from nap_env.engine import chance, loops, records, rulebook

NO_DECKS = np.empty((0, 52), np.int8)


def table(rules, key=0, dealer=records.NONE, num_hands=1, deck=None):
    """A one-record array with a match begun and its first hand dealt."""
    games = np.zeros(1, records.GAME)
    loops.seed_table(games, 0, np.uint64(key))
    decks = np.empty((0, rules.pack_size), np.int8) if deck is None else np.array([deck], np.int8)
    loops.begin(games, 0, rules.kernel, dealer, num_hands, records.NONE, 0, False, decks, np.zeros(7, np.uint64))
    return games


def play_out(games, rules):
    loops.playout_rows(games, rules.kernel, np.empty((1, 0, rules.pack_size), np.int8), 0, 1)


# ---- every line of a small game, counted by both rulebooks -----------------------------------------


def leaves(games, rules, depth):
    """How many ways a match can go on from here, for ``depth`` actions at most."""
    legal = [*cards_of(int(games[0].legal))]
    if not legal or depth == 0:
        return 1
    total = 0
    for action in legal:
        after = games.copy()
        loops.turn(after, 0, rules.kernel, action, NO_DECKS[:, : rules.pack_size])
        total += leaves(after, rules, depth - 1)
    return total


def leaves_by_referee(match, depth):
    if match.over or depth == 0:
        return 1
    total = 0
    for name in match.legal():
        after = copy.deepcopy(match)
        after.step(name)
        total += leaves_by_referee(after, depth - 1)
    return total


SMALL = [  # arguments of Rules, depth, leaves
    # Auctions PP, P(M N), M(P N), N(P W): the first is over, the other six have one line of play each.
    ({"num_players": 2, "hand_size": 1}, 99, 7),
    ({"num_players": 2, "hand_size": 1, "suits": 2, "pack": 4}, 99, 7),
    ({"num_players": 2, "hand_size": 2}, 99, None),
    ({"num_players": 2, "hand_size": 2, "suits": 2, "pack": 6}, 99, None),
    ({"num_players": 2, "hand_size": 2, "suits": 3, "pack": 9, "revoke": "penalised"}, 99, None),
    ({"num_players": 2, "hand_size": 2, "stop_when_decided": True, "misere_trump": True}, 99, None),
    ({"num_players": 3, "hand_size": 1, "suits": 2, "pack": 8}, 99, None),
    ({"num_players": 3, "hand_size": 2, "suits": 2, "pack": 8}, 99, None),
    ({"num_players": 2, "hand_size": 3, "suits": 2, "pack": 10}, 99, None),
    ({"num_players": 4, "hand_size": 1, "suits": 3, "pack": 9, "dealer_sits_out": True}, 99, None),
    ({"num_players": 3}, 6, None),
    ({"num_players": 3, "peep": True}, 6, None),
    ({"num_players": 3, "peep": True, "peep_exchange": "declarer"}, 5, None),
    ({"num_players": 2, "exchange": "purchase"}, 6, None),
    ({"num_players": 2, "exchange": "ecarte"}, 4, None),
    ({"num_players": 2, "sir_garnet": True}, 4, None),
    ({"num_players": 3, "hand_size": 7}, 5, None),
]


@pytest.mark.parametrize(("fields", "depth", "expected"), SMALL, ids=str)
def test_perft(fields, depth, expected):
    if NOJIT:
        depth = min(depth, 3)
    rules = Rules(**fields)
    deck = pack(rules)[::-3] + pack(rules)[-2::-3] + pack(rules)[-3::-3]  # any pack that mixes the suits
    games = table(rules, dealer=rules.num_players - 1, deck=[*map(action_id, deck)])
    match = referee.Referee(fields, dealer=rules.num_players - 1, decks=[deck])
    counted = leaves(games, rules, depth)
    assert counted == leaves_by_referee(match, depth)
    if expected is not None and not NOJIT:
        assert counted == expected


def test_perft_of_the_auction():
    # Five players, four bids, none of them tied to another: an auction is an increasing choice of
    # bids for some of the seats, so there are sum over k of C(5, k) C(4, k) = C(9, 4) = 126 auctions.
    rules = PRESETS["no_overcalls"]
    assert leaves(table(rules, dealer=4), rules, 5) == 126


# ---- chance ----------------------------------------------------------------------------------------


def chi_square(counts):
    """How far counts are from all equal, in standard deviations of the chi-square distribution."""
    counts = np.asarray(counts, float).ravel()
    freedom = counts.size - 1
    statistic = ((counts - counts.mean()) ** 2 / counts.mean()).sum()
    return (statistic - freedom) / np.sqrt(2 * freedom)


def test_mix_is_the_finaliser_of_splitmix64():
    # The first outputs of SplitMix64 with state 0.
    golden = 0x9E3779B97F4A7C15
    outputs = [int(chance.mix(np.uint64(golden * k % 2**64))) for k in (1, 2, 3)]
    assert outputs == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


def test_the_shuffle_is_uniform():
    rules, repeats = Rules(), scaled(20_000)
    game, deck = np.zeros(1, records.GAME)[0], np.zeros(52, np.int8)
    at, after = np.zeros((52, 52), int), np.zeros((52, 52), int)
    game.key = chance.mix(np.uint64(5))
    for _ in range(repeats):
        chance.shuffle(game, rules.kernel[0], deck)
        at[np.arange(52), deck] += 1
        after[deck[:-1], deck[1:]] += 1
    assert sorted(deck.tolist()) == list(range(52))
    assert abs(chi_square(at)) < 6
    assert abs(chi_square(after[~np.eye(52, dtype=bool)])) < 6


def test_deals_of_consecutive_seeds_are_uniform():
    repeats = scaled(5_000)
    where = np.zeros((52, 6), int)  # each card: a hand of five seats, or the stub
    for seed in range(repeats):
        game = table(Rules(), seed)[0]
        for seat in range(5):
            where[[*cards_of(int(game.hand[seat]))], seat] += 1
    where[:, 5] = repeats - where.sum(axis=1)
    assert abs(chi_square(where[:, :5])) < 6
    assert abs(chi_square(where[:, 5])) < 6


@pytest.mark.parametrize("fields", [{"num_players": 7}, {"num_players": 2, "pack": 24}, {"num_players": 5}])
def test_the_first_dealer_is_uniform(fields):
    rules = Rules(**fields)
    dealers = [int(table(rules, seed)[0].dealer) for seed in range(scaled(7_000))]
    assert abs(chi_square(np.bincount(dealers, minlength=rules.num_players))) < 6


def test_a_caller_s_hands_leave_the_rest_uniform():
    rules, repeats = Rules(num_players=3), scaled(5_000)
    hands = np.zeros(7, np.uint64)
    hands[1] = 0b11111
    where = np.zeros((52, 3), int)
    games = np.zeros(1, records.GAME)
    for seed in range(repeats):
        loops.seed_table(games, 0, np.uint64(seed))
        loops.begin(games, 0, rules.kernel, 0, 1, records.NONE, 0, False, NO_DECKS, hands)
        for seat in range(3):
            where[[*cards_of(int(games[0].hand[seat]))], seat] += 1
    assert where[:5, 1].tolist() == [repeats] * 5
    assert where[5:, 1].sum() == 0
    assert abs(chi_square(where[5:, [0, 2]])) < 6


def test_random_actions_are_uniform_and_disturb_no_deal():
    rules, repeats = Rules(), scaled(20_000)
    games = table(rules, 1)
    game = games[0]
    legal = [*cards_of(int(game.legal))]
    counts = dict.fromkeys(legal, 0)
    before = games.tobytes()
    for _ in range(repeats):
        counts[int(rulebook.random_action(game))] += 1
    assert games.tobytes() == before
    assert sum(count > 0 for count in counts.values()) == 1  # a function of key and turn alone
    counts = dict.fromkeys(legal, 0)
    for key in range(repeats):
        game.key = chance.mix(np.uint64(key))
        counts[int(rulebook.random_action(game))] += 1
    assert abs(chi_square([*counts.values()])) < 6
    counts = dict.fromkeys(legal, 0)
    for turn in range(repeats):
        game.turn = turn
        counts[int(rulebook.random_action(game))] += 1
    assert abs(chi_square([*counts.values()])) < 6


@pytest.mark.parametrize("preset", PRESETS)
def test_a_match_is_a_function_of_its_key(preset):
    rules = PRESETS[preset]
    first, second = (table(rules, 9, num_hands=4) for _ in range(2))
    play_out(first, rules)
    while int(second[0].phase) != records.OVER:  # the same, action by action from Python
        action = int(rulebook.random_action(second[0]))
        loops.turn(second, 0, rules.kernel, action, NO_DECKS[:, : rules.pack_size])
    assert first.tobytes() == second.tobytes()
    other = table(rules, 10, num_hands=4)
    play_out(other, rules)
    assert other.tobytes() != first.tobytes()


def test_how_a_hand_is_played_does_not_change_the_next_deal():
    rules = Rules(num_players=3)
    decks = set()
    for choice in (0, -1):
        games = table(rules, 3, dealer=0, num_hands=2)
        while not games[0].hands:
            action = [*cards_of(int(games[0].legal))][choice]
            loops.turn(games, 0, rules.kernel, action, NO_DECKS)
        decks.add(games[0].deck.tobytes())
    assert len(decks) == 1


def test_streams():
    rules = Rules()
    training = {table(rules, seeds.training_key(seed))[0].deck.tobytes() for seed in range(scaled(2_000))}
    evaluation = {
        table(rules, seeds.evaluation_key(purpose, 0, deal))[0].deck.tobytes()
        for purpose in ("arena", "solver")
        for deal in range(scaled(1_000))
    }
    assert len(training) == scaled(2_000)
    assert len(evaluation) == 2 * scaled(1_000)
    assert not training & evaluation


def test_a_seed_is_an_environment_s_stream():
    env = nap_v0.raw_env()
    env.reset(seed=123)
    at = observation.state_layout(env.rules)["hands"]
    hands = env.state()[at].reshape(5, 52)
    game = table(env.rules, seeds.training_key(123))[0]
    for seat, held in enumerate(hands):
        assert [*cards_of(int(game.hand[seat]))] == np.flatnonzero(held).tolist()


# ---- small parts -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("card", "other", "trump", "takes"),
    [
        ("AS", "KS", "H", True), ("KS", "AS", "H", False), ("2H", "AS", "H", True), ("AS", "2H", "H", False),
        ("AC", "2S", "H", False), ("3H", "2H", "H", True), ("AC", "2S", None, False),
        ("3S", "2S", None, True),
    ],
)  # fmt: skip
def test_R4_3_beats(card, other, trump, takes):
    suit = records.NONE if trump is None else "CDHS".index(trump)
    assert bool(rulebook.beats(action_id(card), action_id(other), suit)) is takes


def test_next_seat_skips_and_wraps():
    for seats, seat in itertools.product(range(1, 128), range(7)):
        expected = next((seat + k) % 7 for k in range(1, 8) if seats >> (seat + k) % 7 & 1)
        assert int(rulebook.next_seat(seats, seat)) == expected


def test_no_field_of_a_record_hides_an_attribute_of_numpy():
    # Uncompiled, `record.size` would be NumPy's own size: the two would read differently.
    for dtype in (records.GAME, records.RULES):
        assert [name for name in dtype.names if hasattr(np.record, name)] == []


@pytest.mark.parametrize("rules", [*PRESETS.values(), Rules(num_players=2, hand_size=1, suits=2, pack=2)])
def test_the_kernel_s_offsets_are_those_of_the_table(rules):
    where = observation.layout(rules)
    at = 0
    for name, part in where.items():
        assert part.start == at  # no gap, no overlap
        assert int(rules.kernel[0][f"at_{name}"]) == part.start
        at = part.stop
    assert at == observation.size(rules)
    for field in observation.FIELDS:
        if field.name not in where:
            assert int(rules.kernel[0][f"at_{field.name}"]) == records.NONE
    named = observation.table(rules)
    assert all(f"`{name}`" in named for name in where)


def test_decoding_asks_for_the_right_length():
    with pytest.raises(ValueError, match="shape"):
        observation.decode(np.zeros(10, np.int8), Rules())


def test_playing_a_full_match_of_every_preset_leaves_nothing_undealt():
    for rules in PRESETS.values():
        games = table(rules, 2, num_hands=3)
        play_out(games, rules)
        game = games[0]
        assert int(game.hands) == 3
        assert int(game.net[: rules.num_players].sum()) == int(game.pool) == 0
        assert [card_name(card) for card in sorted(game.deck[: rules.pack_size].tolist())] == pack(rules)
        assert action_name(52) == "PASS"
