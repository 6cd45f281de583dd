"""``nap play`` and ``nap tournament`` as a person uses them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from nap_env import MatchRecord
from nap_env.errors import AgentError, NapError, RulesError
from train.cli import app
from train.commands.play import Table
from train.showing.cards import pretty


def play(typed: str, *words: str) -> str:
    done = CliRunner().invoke(app, ["play", *words], input=typed, catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


def test_a_hand_to_its_end_by_numbers() -> None:
    output = play("1\n" * 12, "simple-v1", "--players", "4", "--hands", "1", "--seed", "5")
    assert "You are player 0" in output
    assert "you may:" in output
    assert "in this match" in output
    assert max(len(line) for line in output.splitlines()) <= 80


def test_names_are_taken_and_an_illegal_action_is_explained() -> None:
    output = play("why NAP\nAS\nfoo\n99\nhelp\ntable\npass\nquit\n", "pass", "--players", "3", "--seed", "5")
    output = " ".join(output.split())  # lines are broken at 80
    assert "NAP is legal" in output
    assert "no card is played or put away during the auction (R3.1)" in output
    assert "'foo' is no action" in output
    assert "there is no number 99" in output
    assert "you leave the table" in output


def test_the_end_of_input_leaves_the_table() -> None:
    assert "you leave the table" in play("", "random", "--players", "3")


def test_others_cards_are_never_shown() -> None:
    output = play("1\n", "random", "--players", "3", "--seed", "8", "--hands", "1")
    first = output.split("your turn>")[0]
    assert first.count("··") == 10


def test_a_match_is_recorded_and_can_be_replayed(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    play("1\n" * 30, "simple-v1", "--players", "3", "--hands", "2", "--seed", "1", "--record", str(path))
    record = MatchRecord.read(path)
    assert len(list(record.replay())) > 2


def test_every_preset_can_be_played() -> None:
    for preset in ("seven_card", "purchase", "ecarte", "peep", "sir_garnet", "six_handed"):
        assert "in this match" in play("1\n" * 40, "random", "--rules", preset, "--hands", "1", "--seed", "3")


def test_wrong_tables_are_refused() -> None:
    with pytest.raises(AgentError, match="2 opponents for 5"):
        Table("standard", 5, ["random", "rules"], 0, 1, None, 1)
    with pytest.raises(RulesError, match="seat 9"):
        Table("standard", 5, ["random"], 9, 1, None, 1)


def test_suits_are_shown_as_signs() -> None:
    assert pretty("AS") == "A♠"
    assert pretty("PASS") == "PASS"


def test_a_tournament_is_shown_and_written(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    words = [*"tournament simple-v1 pass random --players 3 --deals 40 --output".split(), str(path)]
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert done.exit_code == 0
    assert "stakes a hand" in done.output
    results = json.loads(path.read_text())
    assert sorted(s["agent"] for s in results["standings"]) == ["pass", "random", "simple-v1"]
    assert len(results["fields"]) == 6
    assert results["deals"] == 40


def test_a_tournament_of_twice_the_same_is_refused() -> None:
    done = CliRunner().invoke(app, ["tournament", "pass", "pass"])
    assert isinstance(done.exception, NapError)


@pytest.mark.jit
def test_errors_are_one_line_and_code_2() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "train.cli", "play", "nobody"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith("nap: ")
    assert "Traceback" not in done.stderr


def run_with(path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The command in a fresh process, with a folder before all others on the path."""
    code = f"import sys; sys.path.insert(0, {str(path)!r}); from train.cli import main; main()"
    return subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=False)


def test_another_distributions_agents_is_named_as_such(tmp_path: Path) -> None:
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "__init__.py").write_text("")
    for words in (["tournament", "random", "pass"], ["play", "random"], ["train"]):
        done = run_with(tmp_path, *words)
        assert done.returncode == 2
        assert "another distribution's `agents`" in " ".join(done.stderr.split())
        assert "virtual environment of its own" in " ".join(done.stderr.split())


def test_a_missing_extra_is_named(tmp_path: Path) -> None:
    (tmp_path / "sb3_contrib").mkdir()
    (tmp_path / "sb3_contrib" / "__init__.py").write_text("raise ModuleNotFoundError(name='sb3_contrib')")
    done = run_with(tmp_path, "train")
    assert done.returncode == 2
    assert "pip install 'nap-env[train]'" in done.stderr
