"""`Game`: a hand, or a match, for people."""

import copy
import pickle
import random

import numpy as np
import pytest
from scale import scaled

from nap_env import nap_v0
from nap_env.cards import CARD_NAMES, action_id
from nap_env.errors import DealError, IllegalAction, RulesError
from nap_env.game import Game, Move
from nap_env.rules import PRESETS, Rules

HANDS = {0: "AS KS QS JS 2C", 1: "TS 9H 8H 7H 6H", 2: "9S 8S AH KH QH"}


def three(**options):
    """Three players whose cards are known, seat 0 to bid first."""
    return Game.deal(seed=1, num_players=3, dealer=2, hands=HANDS, **options)


def play_on(game, seed=0, moves=10_000):
    """Random legal actions, to the end or for some moves."""
    rng = random.Random(seed)
    for _ in range(moves):
        if game.over:
            break
        game.play(rng.choice(game.legal()))
    return game


def frozen(game):
    """All that a game is, to see whether a refused call changed it."""
    return game._games.tobytes(), list(game.history), game.record().to_lines()


def test_a_hand_from_deal_to_settlement():
    game = three()
    assert (game.seat, game.dealer, game.over) == (0, 2, False)
    assert game.legal() == ["PASS", "THREE", "MISERE", "FOUR", "NAP"]
    game.play("FOUR").play("PASS", "PASS")
    assert (game.contract, game.declarer, game.trump) == ("FOUR", 0, None)
    game.play("AS", "TS", "8S")
    assert game.trump == "S"
    assert game.tricks == [{0: "AS", 1: "TS", 2: "8S"}]
    assert (game.won, game.seat, game.hand(0)) == ([1, 0, 0], 0, "KS QS JS 2C")
    game.play("ks", action_id("9H"), np.int64(action_id("9S")), "QS", "8H", "QH", "JS", "7H", "KH", "2C", "6H", "AH")
    assert game.over
    assert game.seat is None
    assert game.legal() == []
    assert game.won == [5, 0, 0]
    assert game.net == [8, -4, -4]
    assert game.history[:2] == [Move(0, "FOUR"), Move(1, "PASS")]
    assert game.history[3] == (0, "AS")
    assert len(game.history) == 18


def test_an_illegal_action_is_refused_with_its_reason_and_nothing_changes():
    assert three().play("FOUR", "PASS", "PASS", "2C").why_illegal("9H") is None
    game = three().play("FOUR", "PASS", "PASS", "JS")
    before = frozen(game)
    for action, words in (
        ("9H", ["player_1", "9H", "must follow suit", "R4.2", "TS"]),
        ("AS", ["does not hold it"]),
        ("NAP", ["the auction is over"]),
        (99, ["0..63"]),
        ("XX", ["'XX' is no action"]),
        (True, ["True (bool)"]),
        (1.0, ["1.0 (float)"]),
        (None, ["None"]),
    ):
        reason = game.why_illegal(action)
        with pytest.raises(IllegalAction) as refusal:
            game.play(action)
        assert str(refusal.value) == reason
        for word in words:
            assert word in reason
        assert frozen(game) == before


def test_several_actions_at_once_are_all_taken_or_none():
    game = three(num_hands=3)
    before = frozen(game)
    with pytest.raises(IllegalAction, match=r"player_1 may not bid THREE.*R3\.2"):
        game.play("FOUR", "THREE")
    assert frozen(game) == before
    with pytest.raises(IllegalAction):
        game.play("PASS", "PASS", "PASS", "AS")  # the next hand was dealt by the third
    assert frozen(game) == before
    assert game.play().seat == 0


def test_after_the_end_nothing_may_be_done():
    game = play_on(three())
    assert "the match is over" in game.why_illegal("PASS")
    with pytest.raises(IllegalAction, match="the match is over"):
        game.play("PASS")


def test_R1_4_misdeal_the_same_dealer_deals_again():
    game = three()
    hand = game.hand(0)
    game.misdeal()
    assert game.dealer == 2
    assert game.hand(0) != hand
    assert len(game.record().hands) == 1
    assert game.history == []
    play_on(game)
    game.record().check()


def test_R1_4_a_misdeal_is_over_once_somebody_has_acted():
    game = three(num_hands=2).play("PASS")
    before = frozen(game)
    with pytest.raises(DealError, match=r"before anybody has acted.*R1\.4"):
        game.misdeal()
    assert frozen(game) == before
    game.play("PASS", "PASS")  # R1.3: the next dealer has dealt
    assert game.misdeal().dealer == 0
    with pytest.raises(DealError):
        play_on(game).misdeal()


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"rules": "nonsense"}, RulesError, "R12"),
        ({"rules": Rules(), "num_players": 4}, RulesError, "num_players=4"),
        ({"num_hands": 0}, RulesError, "R1.5"),
        ({"num_hands": 2, "deals_per_dealer": 1}, RulesError, "R1.5"),
        ({"rebuys": 1}, RulesError, "R1.6"),
        ({"dealer": 5}, ValueError, "0..4"),
        ({"dealer": "0"}, ValueError, "0..4"),
        ({"seed": -1}, ValueError, "seed"),
        ({"seed": 1.5}, ValueError, "seed"),
        ({"deck": "AS"}, DealError, "1 cards"),
        ({"hands": {0: "AS"}}, DealError, "1 cards"),
        ({"deck": list(CARD_NAMES), "hands": {}}, DealError, "both"),
        ({"rules": "six_handed", "dealer": 1, "hands": {1: "AS KS QS JS TS"}}, DealError, "R2.5"),
    ],
)
def test_a_wrong_deal_is_refused(options, error, words):
    with pytest.raises(error) as refusal:
        Game.deal(**options)
    assert words in str(refusal.value)


def test_a_game_is_dealt_and_goes_on_as_the_environment_of_the_same_seed():
    game = Game.deal(seed=7, rules="peep", num_hands=3)
    env = nap_v0.raw_env(rules="peep", num_hands=3)
    env.reset(seed=7)
    rng = random.Random(7)
    while not game.over:
        assert env.agent_selection == f"player_{game.seat}"
        action = rng.choice(game.legal())
        game.play(action)
        env.step(action_id(action))
    assert env.result() == game.record().result


def test_a_seed_is_drawn_where_none_is_given_and_it_is_kept():
    game = Game.deal()
    again = Game.deal(seed=game.record().seed)
    assert [game.hand(s) for s in range(5)] == [again.hand(s) for s in range(5)]
    assert game.hand(0) != Game.deal().hand(0)


@pytest.mark.parametrize("twin", [Game.copy, copy.deepcopy, copy.copy, lambda g: pickle.loads(pickle.dumps(g))])
def test_a_copy_goes_on_where_it_was_and_is_its_own(twin):
    game = play_on(Game.deal(seed=3, num_hands=4), moves=12)
    other = twin(game)
    before = frozen(game)
    play_on(other, seed=5)
    assert frozen(game) == before
    play_on(game, seed=5)
    assert frozen(game) == frozen(other)


def test_what_a_seat_may_know():
    game = three().play("FOUR", "PASS", "PASS", "AS")
    view = game.view(1)
    assert view["hand"] == ["6H", "7H", "8H", "9H", "TS"]
    assert view["declarer"] == 2  # relative to the viewer
    assert view["contract"] == "FOUR"
    for seat in (3, -1, True, "0", None):
        with pytest.raises(ValueError, match=r"seats are 0\.\.2"):
            game.view(seat)
        with pytest.raises(ValueError, match=r"seats are 0\.\.2"):
            game.hand(seat)


def test_words_and_pictures():
    game = three()
    assert repr(game) == "<Game: 3 players, player_0 bids or passes>"
    assert repr(game.play("FOUR", "PASS", "PASS")) == "<Game: 3 players, player_0 leads in trick 1>"
    assert "A♠ K♠ Q♠ J♠ 2♣" in str(game)
    assert game._repr_svg_().startswith("<svg")
    assert repr(play_on(three())).startswith("<Game: 3 players, ")


@pytest.mark.parametrize("preset", PRESETS)
def test_random_matches_keep_their_books(preset):
    for seed in range(scaled(100) // 10 or 1):
        game = Game.deal(seed, preset, num_hands=3, starting_chips=15, rebuys=1, tie_break=True)
        play_on(game, seed)
        result = game.record().result
        assert sum(game.net) + result["pool"] == 0
        assert result["winners"]
        assert len(game.history) == sum(len(hand.actions) for hand in game.record().hands)
