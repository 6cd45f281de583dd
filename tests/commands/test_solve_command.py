"""``nap solve`` as a person and as a program use it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from nap_env import Game, Rules, solver
from nap_env.errors import NapError
from nap_env.rules import make_rules
from nap_env.solver.inputs import one_deal
from nap_env.solver.whole_deal import best_play, solve_deal
from train.cli import app

DEAL = ["AS KS QS 7H 3D", "JS TS 9S 8S AH", "AD KD QD JD AC"]


def solve(*words: str) -> str:
    done = CliRunner().invoke(app, ["solve", *words], catch_exceptions=False, env={"COLUMNS": "80"})
    assert done.exit_code == 0
    return done.stdout


def as_json(*words: str) -> dict[str, Any]:
    return dict(json.loads(solve(*words, "--json")))


def test_the_tables() -> None:
    lines = [line.rstrip() for line in solve(*DEAL, "--declarer", "0", "--bid", "three").splitlines()]
    assert lines == [
        "What each seat makes when it leads, all cards open",
        "seat  hand            THREE  MIS.  FOUR  NAP  WELL.  BLÜ.",
        "0     A♠ K♠ Q♠ 7♥ 3♦   yes   yes    ·     ·     ·     ·",
        "1     J♠ T♠ 9♠ 8♠ A♥    ·     ·     ·     ·     ·     ·",
        "2     A♦ K♦ Q♦ J♦ A♣   yes    ·    yes   yes   yes   yes",
        "",
        "First cards that make it (they make trumps, but in a Misère)",
        "seat  bid                                    leads",
        "0     THREE                                  A♠ K♠ Q♠ 7♥",
        "      MISERE                                 3♦",
        "2     THREE, FOUR, NAP, WELLINGTON, BLUCHER  any",
        "",
        "Best play of THREE by seat 0 (> led, * won)",
        "trick  seat 0  seat 1  seat 2",
        "1       >7♥      A♥*     A♣",
        "2        Q♠*    >8♠      J♦",
        "3       >K♠*     9♠      Q♦",
        "4       >A♠*     T♠      K♦",
        "5       >3♦      J♠      A♦*",
        "seat 0 makes THREE: 3 tricks of 5",
    ]


def test_seven_seats_of_seven_cards_fit_eighty_columns() -> None:
    output = solve("--seed", "7", "--players", "7", "--rules", "seven_card", "--declarer", "2", "--bid", "FOUR")
    assert max(len(line) for line in output.splitlines()) <= 80
    assert "…" not in output
    assert "seat 2 fails in FOUR: " in output


def test_json_has_every_seat_bid_and_lead() -> None:
    found = as_json(*DEAL, "--declarer", "2", "--bid", "MISERE")
    assert found["rules"] == Rules(num_players=3).to_dict()
    assert [seat["hand"] for seat in found["seats"]] == DEAL
    assert found["seats"][0]["bids"] == {
        "THREE": {"made": True, "leads": ["7H", "QS", "KS", "AS"]},
        "MISERE": {"made": True, "leads": ["3D"]},
        **{bid: {"made": False, "leads": []} for bid in ("FOUR", "NAP", "WELLINGTON", "BLUCHER")},
    }
    play = found["play"]
    assert (play["declarer"], play["bid"], play["made"], play["taken"]) == (2, "MISERE", False, 5)
    assert play["tricks"][0] == {
        "leader": 2,
        "cards": [{"seat": 2, "card": "AC"}, {"seat": 0, "card": "3D"}, {"seat": 1, "card": "AH"}],
        "winner": 2,
    }
    assert as_json(*DEAL)["play"] is None


def test_a_seed_deals_what_the_game_deals() -> None:
    game = Game.deal(7, num_players=4)
    found = as_json("--seed", "7", "--players", "4", "--threads", "2")
    hands = [game.hand(seat) for seat in range(4)]
    assert [seat["hand"] for seat in found["seats"]] == hands
    for seat in found["seats"]:
        for bid, answer in seat["bids"].items():
            assert answer["made"] == solver.can_make(hands, seat["seat"], bid)
            assert answer["made"] == bool(answer["leads"])


def test_a_dealer_who_sits_out_has_no_row() -> None:
    found = as_json("--seed", "7", "--rules", "six_handed")
    assert [seat["seat"] for seat in found["seats"]] == [0, 1, 2, 3, 4]
    assert found["rules"]["dealer_sits_out"] is True


@pytest.mark.parametrize("seed", range(4))
def test_best_play_keeps_the_rules_and_the_result(seed: int) -> None:
    """Played through the game it wins the tricks that are told."""
    rules = make_rules("standard", 4)
    game = Game.deal(seed, rules, dealer=3)
    hands = one_deal([game.hand(seat) for seat in range(4)])
    bid = ("THREE", "MISERE", "FOUR", "NAP")[seed]
    play = best_play(hands, rules, 0, bid)
    game.play(bid, *["PASS"] * 3)
    for trick in play.tricks:
        game.play(*trick.values())
    assert game.over
    assert (game.net[0] > 0) == play.made
    assert game.won[0] == play.taken
    assert [play.winners.count(seat) for seat in range(4)] == game.won
    assert play.made == (bid in solve_deal(hands, rules).made(0))


def test_the_results_go_into_a_file_too(tmp_path: Path) -> None:
    path = tmp_path / "deal.json"
    assert "What each seat makes" in solve(*DEAL, "--output", str(path))
    assert json.loads(path.read_text()) == as_json(*DEAL)


BAD = [
    ((), "no cards: give a hand for each seat, as in 'AS KS 9H 4D 2C', or --seed"),
    ((*DEAL, "--seed", "1"), "not both"),
    ((*DEAL, "--players", "3"), "not both"),
    ((*DEAL, "--bid", "NAP"), "--declarer and --bid belong together"),
    ((*DEAL, "--declarer", "3", "--bid", "NAP"), "declarer 3 is not at the table: seats are 0..2"),
    ((*DEAL, "--declarer", "0", "--bid", "SIX"), "SIX is not on the ladder"),
    ((*DEAL, "--rules", "seven_card"), "seat 0 has 5 cards, these rules deal 7"),
    ((*DEAL, "--rules", "nonesuch"), "nonesuch"),
    ((*DEAL, "--threads", "0"), "threads"),
    (("AS KS QS 7H 3X", *DEAL[1:]), "'3X' is no card"),
    (("AS KS QS 7H AC", *DEAL[1:]), "two hands hold AC"),
    ((DEAL[0],), "1 hands: give one a player"),
    (("--seed", "-1"), "seed"),
    (("--seed", "1", "--players", "9"), "num_players"),
    ((*DEAL, "--output", "/nonesuch/deal.json"), "there is no folder /nonesuch"),
]


@pytest.mark.parametrize(("words", "message"), BAD)
def test_what_is_wrong_is_said(words: tuple[str, ...], message: str) -> None:
    with pytest.raises(NapError, match=message):
        CliRunner().invoke(app, ["solve", *words], catch_exceptions=False)
