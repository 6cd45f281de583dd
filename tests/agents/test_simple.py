"""`simple-v1`: against a second version of it, and each sentence of its description by hand."""

from __future__ import annotations

import agents_reference as reference
import numpy as np
import pytest
from scale import scaled

import agents
from nap_env import Game
from nap_env.cards import ACTION_NAMES
from nap_env.observation import decode
from nap_env.rules import PRESETS, Rules, make_rules
from nap_env.vector import Tables

RNG = np.random.default_rng(0)  # never used

VARIANTS = [
    *PRESETS.values(),
    *(make_rules("standard", n) for n in (2, 3, 4, 6, 7)),
    Rules(revoke="penalised"),
    Rules(misere_trump=True, wellington_lowest_lead=True),
    Rules(hand_size=7, misere_below_nap=True, num_players=4, revoke="penalised"),
    Rules(exchange="purchase", peep=True, sir_garnet=True, num_players=4, stop_when_decided=True),
    Rules(ladder=("THREE", "FOUR"), pack=36),
    Rules(hand_size=4, num_players=4, pack=32, misere_trump=True),
    Rules(hand_size=3, num_players=3, suits=3, pack=24),
    Rules(hand_size=2, num_players=3, suits=2, pack=8, revoke="penalised"),
    Rules(hand_size=1, num_players=7, suits=2),
]


@pytest.mark.parametrize("rules", VARIANTS, ids=str)
def test_it_is_the_agent_of_its_description(rules: Rules) -> None:
    """Both versions choose alike in positions of random play."""
    tables = Tables(12, rules, seed=5)
    agent = agents.make("simple-v1", rules)
    for _ in range(scaled(100)):
        chosen = agent.act_batch(tables.obs, tables.mask, RNG)
        for row in range(12):
            seen = decode(tables.obs[row], rules)
            legal = [ACTION_NAMES[action] for action in np.flatnonzero(tables.mask[row])]
            assert ACTION_NAMES[chosen[row]] == reference.decide(seen, legal, rules), (seen, legal)
        tables.step(tables.random_actions())


def test_it_is_so_among_its_own_kind() -> None:
    """The same in positions that its own play leads to, which random play seldom reaches."""
    rules = make_rules("standard")
    tables = Tables(60, rules, seed=6)
    agent = agents.make("simple-v1", rules)
    for _ in range(scaled(150)):
        chosen = agent.act_batch(tables.obs, tables.mask, RNG)
        for row in np.flatnonzero(tables.games["phase"] == 7)[:20]:
            seen = decode(tables.obs[row], rules)
            legal = [ACTION_NAMES[action] for action in np.flatnonzero(tables.mask[row])]
            assert ACTION_NAMES[chosen[row]] == reference.decide(seen, legal, rules), (seen, legal)
        tables.step(chosen)


# ---- the sentences, by hand ---------------------------------------------------------------------------------


def choice(game: Game) -> str:
    """What `simple-v1` does in this position."""
    assert game.seat is not None
    view = game.observe(game.seat)
    agent = agents.make("simple-v1", game.rules)
    return ACTION_NAMES[agent.act(view["observation"], view["action_mask"], RNG)]


def bid_of(hand: str, *before: str, **rules: object) -> str:
    """What it bids with this hand, second to call after ``before`` (one call, PASS when left out)."""
    variant = Rules(**rules)  # type: ignore[arg-type]
    game = Game.deal(seed=1, rules=variant, dealer=variant.num_players - 1, hands={1: hand})
    return choice(game.play(*(before or ("PASS",))))


@pytest.mark.parametrize(
    ("hand", "bid"),
    [
        ("AS KS QS JS 2D", "FOUR"),  # ace, king with two, queen with three, one beyond three
        ("AS KS QS JS TS", "NAP"),  # the same and two beyond three: five
        ("AS KS QS AD AH", "NAP"),  # plus one for each ace outside; not more than five
        ("AS KS QS JS AD", "NAP"),
        ("AS KS 4S 3D 2H", "PASS"),  # two
        ("AS KS AD 3D 2H", "THREE"),
        ("KS QS AD AH 2H", "THREE"),  # the queen needs three, the king two
        ("KS AD AH 2C 3C", "PASS"),  # a bare king counts nothing
        ("KS QS 2S AD AH", "FOUR"),
        ("AS AD AH AC 2C", "FOUR"),
        ("8S 7S 2H 3D 4C", "MISERE"),  # nothing above the eight, two above the six
        ("8S 7S 7H 3D 4C", "PASS"),  # three above the six
        ("9S 2S 2H 3D 4C", "PASS"),
    ],
)
def test_bids(hand: str, bid: str) -> None:
    assert bid_of(hand) == bid


def test_it_bids_the_highest_that_is_legal_and_supported() -> None:
    assert bid_of("AS KS QS JS 2D", "FOUR") == "PASS"
    assert bid_of("8S 7S 2H 3D 4C", "THREE") == "MISERE"
    assert bid_of("8S 7S 2H 3D 4C", "MISERE") == "PASS"
    assert bid_of("AS KS QS JS TS", "NAP") == "PASS"  # never a Wellington
    assert bid_of("AS KS QS JS TS", ladder=("THREE", "FOUR")) == "FOUR"
    # R10.1: seven cards that support both; Misere is the higher, or the lower
    hand = "2S 3S 4S 5S 6S 7S 8S"
    assert bid_of(hand, hand_size=7) == "MISERE"
    assert bid_of("AS KS QS JS TS 9S 8S", hand_size=7) == "NAP"  # never six or seven
    assert bid_of("AS KS QS JS TS 9S 8S", "MISERE", hand_size=7, misere_below_nap=True) == "NAP"


def test_it_never_uses_a_special() -> None:
    assert choice(Game.deal(seed=1, rules="purchase")) == "PASS"
    assert choice(Game.deal(seed=1, rules="ecarte")) == "PASS"
    assert bid_of("2S 3S KD QD JD", peep=True) == "PASS"
    assert bid_of("2S 3S KD QD JD", sir_garnet=True) == "PASS"
    game = Game.deal(seed=1, rules=Rules(peep=True, peep_exchange="declarer", num_players=3), dealer=2)
    assert choice(game.play("NAP", "PASS", "PASS")) == "PASS"


def position(hands: str, *actions: str, **rules: object) -> Game:
    """A game of as many players as hands (apart by /), the last of them dealer, after these actions."""
    held = dict(enumerate(hands.split("/")))
    variant = Rules(num_players=len(held), **rules)  # type: ignore[arg-type]
    return Game.deal(seed=1, rules=variant, dealer=len(held) - 1, hands=held).play(*actions)


ANY = "2C 3C 4C 5C 6C"


def test_the_first_lead_is_from_the_suit_of_the_estimate() -> None:
    bids = ("THREE", "PASS", "PASS")
    assert choice(position(f"AS KS 2S AD 2D/{ANY}/7C 8C 9C TC JC", *bids)) == "AS"
    # Ties between suits: the longer, then C D H S order.
    assert choice(position(f"AS 2S AD 3D 4D/{ANY}/7C 8C 9C TC JC", *bids)) == "AD"
    assert choice(position(f"AS 2S AD 3D 4H/{ANY}/7C 8C 9C TC JC", *bids)) == "AD"


def test_the_declarer_leads_trumps_while_he_has_one_then_his_highest() -> None:
    start = ("THREE", "PASS", "PASS", "AS")
    game = position("AS KS 2D QH 3D/2S 3S 4H 5H 6H/4S 5S 8H 9H TH", *start, "2S", "4S")
    assert choice(game) == "KS"
    game.play("KS", "3S", "5S")
    assert choice(game) == "QH"


def test_the_declarer_follows_with_the_cheapest_winner_else_his_lowest() -> None:
    game = position("2S AH TH 3H 4D/AS 9H 8C 7C 6C/3S 2H 5C 4C 3C", "THREE", "PASS", "PASS", "2S", "AS", "3S")
    game.play("9H", "2H")
    assert choice(game) == "TH"
    game = position("2S 7H 4H 3H 4D/AS 9H 8C 7C 6C/3S 2H 5C 4C 3C", "THREE", "PASS", "PASS", "2S", "AS", "3S")
    game.play("9H", "2H")
    assert choice(game) == "3H"


def test_the_others_beat_the_declarer_cheaply_else_throw_their_lowest() -> None:
    game = position("TS AH TH 3H 4D/AS JS KS 7C 6C/QS 2S 5C 4C 3C", "THREE", "PASS", "PASS", "TS")
    assert choice(game) == "JS"
    assert choice(game.play("JS")) == "2S"  # the declarer is not winning
    game = position("AS AH TH 3H 4D/KS JS 7D 7C 6C/QS 2S 5C 4C 3C", "THREE", "PASS", "PASS", "AS")
    assert choice(game) == "JS"  # no card beats it
    game = position("AS AH TH 3H 4D/KH JH 7D 7C 6C/QS 2S 5C 4C 3C", "THREE", "PASS", "PASS", "AS")
    assert choice(game) == "6C"  # the lowest of all


def test_the_others_lead_the_lowest_of_their_longest_suit() -> None:
    game = position("2S AH TH 3H 4D/AS 9H 8H 7C 6C/3S 2H 5C 4C 3C", "THREE", "PASS", "PASS", "2S", "AS", "3S")
    assert choice(game) == "6C"  # two and two: clubs first
    game = position("2S AH TH 3H 4D/AS 9H 8H 7H 6C/3S 2H 5C 4C 3C", "THREE", "PASS", "PASS", "2S", "AS", "3S")
    assert choice(game) == "7H"


MISERE = ("MISERE", "PASS", "PASS")


def test_the_declarer_of_a_misere() -> None:
    assert choice(position(f"2S 3D 2D 8C 7H/{ANY}/7C 9C TC JC QC", *MISERE)) == "2D"  # the lowest; D before S
    # Others lead; he follows with his highest that does not win, else with his highest.
    game = position("2S 3H 5H 9H 4D/KS 6H 8C 7C 6C/3S 2H 5C 4C 3C", *MISERE, "2S", "KS", "3S", "6H", "2H")
    assert choice(game) == "5H"
    game = position("2S 7H 8H 9H 4D/KS 6H 8C 7C 6C/3S 2H 5C 4C 3C", *MISERE, "2S", "KS", "3S", "6H", "2H")
    assert choice(game) == "9H"
    game = position("2S 7D 8D 3D 4D/KS 6H 8C 7C 6C/3S 2H 5C 4C 3C", *MISERE, "2S", "KS", "3S", "6H", "2H")
    assert choice(game) == "8D"  # throws his highest


def test_the_others_in_a_misere() -> None:
    # Able to stay under the declarer's winning card: the highest such; else their lowest.
    game = position("7S 3H 5H 9H 4D/KS 6S 5S 7C 6C/3S AS 5C 4C 3C", *MISERE, "7S")
    assert choice(game) == "6S"
    assert choice(game.play("KS")) == "3S"  # the declarer's card is not winning
    game = position("7S 3H 5H 9H 4D/KS 8S 9S 7C 6C/3S AS 5C 4C 3C", *MISERE, "7S")
    assert choice(game) == "8S"
    game = position("7S 3H 5H 9H 4D/KH 8H 9D 7C 6C/3S AS 5C 4C 3C", *MISERE, "7S")
    assert choice(game) == "KH"  # they throw their highest
    game = position("7S 3H 5H 9H 4D/KS 8H 6D 6C 7C/3S AS 5C 4C 3C", *MISERE, "7S", "KS", "3S")
    assert choice(game) == "6C"  # they lead their lowest; C before D


def test_it_follows_suit_where_a_revoke_is_only_punished() -> None:
    game = position("TS AH TH 3H 4D/JS KS 2C 7C 6C/QS 2S 5C 4C 3C", "THREE", "PASS", "PASS", "TS", revoke="penalised")
    assert "2C" in game.legal()
    assert choice(game) == "JS"
