"""``nap book`` as a person uses it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agents.auction.chances import BookError, file_name, kind_of, read
from nap_env.errors import RulesError
from nap_env.rules import Rules
from train.book.build import Build, Quality
from train.cli import app

pytestmark = pytest.mark.jit  # builds ask thousands of deals
SMALL = '{"hand_size": 2, "suits": 2, "pack": 12, "num_players": 3}'
KIND = kind_of(Rules.from_dict(json.loads(SMALL)))


def book(*words: str) -> str:
    done = CliRunner().invoke(app, ["book", *words], catch_exceptions=False, env={"COLUMNS": "80"})
    assert done.exit_code == 0
    return done.output


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Chances of the small game, at two and three players."""
    where = tmp_path_factory.mktemp("book")
    for players in ("2", "3"):
        words = ["--build", "--rules", SMALL, "--players", players, "--folder", str(where), "--play", "open"]
        assert "done." in book(*words, "--error", "0.1", "--rms", "0.08")
    return where


def test_a_hand_is_answered_from_what_ships() -> None:
    output = book("AS KS 9S 4H 2D")
    assert "A♠ K♠ 9♠ 4♥ 2♦" in output
    assert "one of 24 hands" in output
    for players in range(2, 8):
        assert len(re.findall(rf"^ +{players} ", output, re.MULTILINE)) == 2
    assert max(len(line) for line in output.splitlines()) <= 80


def test_json_holds_the_same() -> None:
    found = json.loads(book("as, ks, 9s, 4h, 2d", "--json", "--players", "5"))
    assert found["hand"] == "AS KS 9S 4H 2D"
    bids = found["players"]["5"]["bids"]
    assert list(bids) == ["THREE", "MISERE", "FOUR", "NAP", "WELLINGTON", "BLUCHER"]
    three = bids["THREE"]
    assert 0.7 < three["probability"] < 1
    assert 0 < three["error"] < 0.06
    assert three["stakes_a_payer"] == pytest.approx(6 * three["probability"] - 3)
    assert bids["NAP"]["probability"] == bids["BLUCHER"]["probability"]


def test_other_stakes_give_other_expectations() -> None:
    plain, penny = (json.loads(book("AS KS QS JS TS", "--json", "--rules", rules)) for rules in ("standard", "penny"))
    nap = [found["players"]["5"]["bids"]["NAP"]["stakes_a_payer"] for found in (plain, penny)]
    assert nap[0] == 10
    assert nap[1] == 12


def test_what_was_built_is_read(folder: Path) -> None:
    found = json.loads(book("AD KD", "--json", "--rules", SMALL, "--play", "open", "--folder", str(folder)))
    assert found["players"]["3"]["bids"]["NAP"]["probability"] == 1
    assert found["players"]["3"]["opens_first"] is None  # nothing was tuned
    assert found["hands"] == 2


def test_a_build_goes_on_where_it_stands(folder: Path, tmp_path: Path) -> None:
    words = ["--build", "--rules", SMALL, "--folder", str(tmp_path), "--play", "open"]
    book(*words, "--error", "0.2", "--rms", "0.2")
    coarse = read(tmp_path / file_name(KIND, "open")).trials.sum()
    assert "done." in book(*words, "--error", "0.1", "--rms", "0.08")
    assert read(tmp_path / file_name(KIND, "open")).trials.sum() > coarse


def test_ctrl_c_keeps_what_was_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Build.run

    def stopped(build: Build, quality: Quality, minutes: float, report: object) -> bool:
        def interrupt(*_: object) -> None:
            raise KeyboardInterrupt

        return real(build, quality, minutes, interrupt)

    monkeypatch.setattr(Build, "run", stopped)
    words = ["book", "--build", "--rules", SMALL, "--folder", str(tmp_path), "--play", "open"]
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert done.exit_code == 130
    assert "stopped; the same command goes on" in done.output
    assert read(tmp_path / file_name(KIND, "open")).trials.sum() > 0


def test_tuning_says_what_it_is_worth(folder: Path, tmp_path: Path) -> None:
    words = ["--rules", SMALL, "--folder", str(folder), "--play", "open"]
    output = book("--tune", *words, "--deals", "400", "--threads", "1")
    assert "one among 2 of threshold +0.00:" in output
    answer = json.loads(book("AD KD", "--json", *words))
    assert answer["players"]["3"]["opens_first"] in ("NAP", "FOUR")


def test_pictures_are_drawn(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    book("AD 9C", "--rules", SMALL, "--play", "open", "--folder", str(folder), "--plot", str(tmp_path / "hand.png"))
    words = ["--rules", SMALL, "--play", "open", "--folder", str(folder)]
    book(*words, "--plot", str(tmp_path / "four.svg"), "--bid", "four")
    book(*words, "--plot", str(tmp_path / "misere.png"), "--bid", "Misère")
    assert (tmp_path / "hand.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "misere.png").read_bytes().startswith(b"\x89PNG")
    assert "</svg>" in (tmp_path / "four.svg").read_text()
    with pytest.raises(BookError, match="THREE is not in the book: it has MISERE, FOUR"):
        book(*words, "--plot", str(tmp_path / "three.png"), "--bid", "three")


@pytest.mark.parametrize(
    ("words", "error", "text"),
    [
        (["AS KS"], BookError, "a hand has 5 different cards, not 2"),
        (["AS AS KS QS JS"], BookError, "a hand has 5 different cards"),
        (["AS KS QS JS 1S"], BookError, "'1S' is no card"),
        (["AS KS QS JS 2S", "--rules", '{"pack": 40}'], BookError, "2S is not in the pack of 40"),
        (["AS KS QS JS TS", "--rules", '{"pack": 40}'], BookError, "nap book --build --rules"),
        (["AS KS QS JS TS", "--rules", "{pack"], RulesError, "--rules is no JSON"),
        (["AS KS QS JS TS", "--rules", "whist"], RulesError, "unknown rules 'whist'"),
        (["AS KS QS JS TS", "--play", "badly"], BookError, "no play 'badly': give open or rules"),
    ],
)
def test_what_cannot_be_is_said(words: list[str], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=re.escape(text)):
        book(*words)


def test_nothing_to_do_is_said() -> None:
    done = CliRunner().invoke(app, ["book"])
    assert done.exit_code == 2
    assert "say a hand" in " ".join(done.output.split())
