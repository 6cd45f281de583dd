"""`nap bench` measures what it says, and its ratios follow from its rates. No test asserts a time."""

import json
import statistics
from functools import partial

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

from nap_env import PRESETS, Tables
from train.bench import learning, ours, peers, solving
from train.bench.bare import BareTables
from train.bench.claims import claims, judge, learning_rate, ratio, work_out
from train.bench.measure import Absent, Case, Measured, Results, Sample, measure
from train.bench.settings import GROUPS, BenchError, Settings
from train.cli import app
from train.commands.bench import chosen
from train.showing.bench import as_json, tables


def a_case(name, rate=1.0, group="step", **about):
    """A case that does nothing at a given rate."""
    return Case(name, group, name, lambda: lambda: Sample(100, 100 / rate), **about)


def silent(done, steps, note):
    assert 0 <= done <= steps


def everything(settings, rate):
    """Results in which every case has the rates that ``rate(name)`` gives."""
    cases = [*ours.cases(settings), *peers.cases(), *learning.cases(settings), *solving.cases(settings)]
    return Results({c.name: Measured(c, rate(c.name), rate(c.name), [0.1] * 3) for c in cases})


# ---- measuring -------------------------------------------------------------------------------------


def test_rounds_take_turns_and_there_and_back():
    order = []

    def prepare(name):
        def work():
            order.append(name)
            return Sample(10, 2.0, 0.5)

        return lambda: work

    cases = [Case(name, "step", name, prepare(name), heavy=True) for name in "ab"]
    found = measure(cases, seconds=3.0, rounds=3, tell=silent).measured
    assert "".join(order) == "abbaab"
    assert found["a"].rates == found["a"].peaks == [5.0] * 3
    assert found["a"].shares == [0.25] * 3


def test_a_light_piece_of_work_warms_up_untimed():
    pieces = iter([Sample(1, 100.0), Sample(1, 1.0), Sample(3, 1.0)])
    case = Case("a", "step", "a", lambda: lambda: next(pieces))
    assert measure([case], 2.0, 1, silent).measured["a"].rates == [2.0]


def test_the_quickest_piece_of_a_slice_is_its_peak():
    samples = iter([Sample(1, 2.0), Sample(2, 0.001), Sample(10, 1.0), Sample(4, 1.0), Sample(9, 0.001)])
    case = Case("a", "step", "a", lambda: lambda: next(samples), heavy=True, cores=2)
    found = measure([case], 4.0005, 1, silent).measured["a"]
    assert found.peaks == [pytest.approx(12 / 1.001)]  # a short sample counts with the next ones only
    assert found.rates == [pytest.approx(17 / 4.001)]


def test_who_is_absent_is_named_and_the_others_are_measured():
    def gone():
        raise Absent("elsewhere is not installed")

    results = measure([Case("gone", "pgx", "gone", gone), a_case("here")], 1.0, 2, silent)
    assert results.absent == {"gone": "elsewhere is not installed"}
    assert list(results.measured) == ["here"]


def test_a_peer_that_is_broken_is_absent_with_its_own_words():
    def broken():
        raise OSError("no such library")

    with pytest.raises(Absent, match="OSError: no such library"):
        peers._guarded(broken)()
    with pytest.raises(Absent, match="no_such_peer is not installed"):
        peers._guarded(lambda: __import__("no_such_peer"))()


def test_ctrl_c_keeps_what_was_measured():
    pieces = iter([Sample(5, 1.0)])

    def work():
        try:
            return next(pieces)
        except StopIteration:
            raise KeyboardInterrupt from None

    cases = [Case("a", "step", "a", lambda: work, heavy=True), a_case("b")]
    results = measure(cases, 1.0, 2, silent)
    assert results.stopped
    assert {name: len(found.rates) for name, found in results.measured.items()} == {"a": 1, "b": 2}
    assert as_json(results, Settings())["stopped"]


def test_time_in_which_others_had_the_core_is_noted():
    found = measure([a_case("one"), a_case("two", cores=2)], 1.0, 2, silent, cpu_time=True).measured
    assert len(found["one"].waits) == 2
    assert all(0 <= wait <= 1 for wait in found["one"].waits)
    assert min(found["one"].rates) >= 1.0
    assert found["two"].waits == []
    assert found["two"].rates == [1.0, 1.0]


# ---- what is concluded -----------------------------------------------------------------------------


def test_a_ratio_is_of_the_quickest_pieces_and_its_median_round_by_round():
    results = Results(
        {
            "one": Measured(a_case("one"), [10.0, 30.0, 20.0], [60.0, 50.0, 40.0]),
            "other": Measured(a_case("other"), [5.0, 10.0, 2.0], [5.0, 9.0, 20.0]),
        }
    )
    assert work_out(results, partial(ratio, "one", "other")) == (3.0, 3.0)
    assert work_out(results, partial(ratio, "other", "one")) == (pytest.approx(1 / 3), pytest.approx(1 / 3))
    assert work_out(results, partial(ratio, "one", "nobody")) == (None, None)


def test_every_claim_is_judged_from_what_is_measured():
    settings = Settings()
    verdicts = judge(everything(settings, lambda name: [100.0] * 3), settings)
    assert [verdict.claim.number for verdict in verdicts] == sorted(c.number for c in claims(settings))
    if len(ours.threads()) == 2:
        assert all(verdict.best is not None for verdict in verdicts)
    held = {verdict.claim.text for verdict in verdicts if verdict.holds}
    assert "bytes of state a table" in held
    assert "environment's share of collection" in held
    assert "kernel / OpenSpiel euchre" not in held


def test_a_verdict_is_unsure_where_best_and_median_disagree():
    settings = Settings()
    quick = {"kernel": [700.0, 100.0, 100.0]}
    verdict = judge(everything(settings, lambda name: quick.get(name, [10.0] * 3)), settings)[0]
    assert (verdict.best, verdict.median, verdict.holds, verdict.sure) == (70.0, 10.0, True, False)


def test_learning_takes_the_time_of_collection_and_of_updates():
    measured = everything(Settings(), lambda name: [40.0 if name.startswith("update") else 10.0]).measured
    _, median = work_out(Results(measured), partial(learning_rate, "ours", 1))
    assert median == pytest.approx(1 / (1 / 10 + 1 / 40))


def test_tables_fit_into_80_columns():
    settings, console = Settings(), Console(width=200)
    shown = list(tables(everything(settings, lambda name: [54_321_000.0] * 3), settings))
    assert len(shown) == 7
    for table in shown:
        assert console.measure(table).maximum <= 80, table.title


# ---- what is measured ------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
def test_bare_tables_play_as_tables_do(preset):
    usual, bare = Tables(5, preset, seed=3), BareTables(5, preset, seed=3)
    for _ in range(120):
        actions = usual.random_actions()
        rewards, done = usual.step(actions)
        found_rewards, found_done = bare.step(actions)
        assert np.array_equal(rewards, found_rewards)
        assert np.array_equal(done, found_done)
        assert np.array_equal(usual.seat, bare.seat)
    assert usual.games.tobytes() == bare.games.tobytes()


def test_only_chooses_by_group_and_by_name():
    assert {case.group for case in chosen(Settings())} == set(GROUPS)
    names = [case.name for case in chosen(Settings(only=("aec", "step 64")))]
    assert names == ["step 64", "env()", "raw_env()"]
    with pytest.raises(BenchError, match="--only stp: there is no such measurement; give one of kernel"):
        chosen(Settings(only=("stp",)))


def test_names_of_cases_are_unique():
    names = [case.name for case in chosen(Settings())]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"seconds": 0}, "--seconds 0"),
        ({"rounds": 0}, "--rounds 0"),
        ({"layers": "64;64"}, "--layers '64;64'"),
        ({"layers": "0"}, "--layers '0'"),
    ],
)
def test_settings_that_cannot_be_are_refused(wrong, words):
    with pytest.raises(BenchError, match=words):
        Settings(**wrong)


# ---- the solver ------------------------------------------------------------------------------------


def test_deals_of_the_solver_are_deals_and_the_longest_is_one_of_them(monkeypatch):
    asked = solving.Question("MISERE", 5, 5, 30)
    deals = asked.random_deals(30)
    assert deals.shape == (30, 5)
    assert (np.bitwise_count(deals) == 5).all()
    assert (np.bitwise_count(np.bitwise_or.reduce(deals, axis=1)) == 25).all()
    assert np.array_equal(deals, asked.random_deals(30))
    nodes = solving.searched(deals, 0, "MISERE", asked.rules)
    solved = []
    monkeypatch.setattr(solving.solver, "can_make_batch", lambda hands, *_: solved.append(hands))
    assert solving.longest((asked,), 30)().moves == 1
    assert np.array_equal(solved[0], deals[[nodes.argmax()]])


def test_solver_claims_are_of_rates_and_of_seconds():
    verdicts = judge(everything(Settings(), lambda name: [8.0] * 3), Settings())
    found = {verdict.claim.text: (verdict.best, verdict.holds) for verdict in verdicts if verdict.claim.number == 6}
    assert found["solver, THREE, 3 x 5: thousands/s"] == (0.008, False)
    assert found["solver, longest of 2,000, 7 x 5: s"] == (0.125, True)
    assert len(found) == 9


def test_processor_time_is_not_charged_for_waiting_twice():
    case = Case("a", "solver", "a", lambda: lambda: Sample(10, 2.0), heavy=True, processor=True)
    found = measure([case], 2.0, 1, silent, cpu_time=True).measured["a"]
    assert found.rates == [5.0]
    assert found.waits == [0.0]


# ---- the command -----------------------------------------------------------------------------------


def test_the_help_names_every_group():
    said = " ".join(CliRunner().invoke(app, ["bench", "--help"], env={"COLUMNS": "200"}).output.split())
    for group in GROUPS:
        assert group in said


def test_an_output_that_cannot_be_written_is_refused_at_once(tmp_path):
    answer = CliRunner().invoke(app, ["bench", "--output", str(tmp_path / "none" / "bench.json")])
    assert isinstance(answer.exception, BenchError)


def run(tmp_path, *arguments):
    """The command in this process, with hardly any time: what it printed, and its JSON."""
    file = tmp_path / "bench.json"
    short = ["bench", "--quick", "--seconds", "0.002", "--output", str(file), *arguments]
    answer = CliRunner().invoke(app, short, env={"COLUMNS": "100"})
    assert answer.exit_code == 0, answer.output
    return answer.output, json.loads(file.read_text())


def check(found):
    """Best and median follow from the rounds, ratios from the rates."""
    assert found["machine"]["cores"] >= 1
    assert found["state_bytes"] <= 512
    measurements = found["measurements"]
    for one in measurements.values():
        assert len(one["rounds"]) == found["settings"]["rounds"] == 2
        assert len(one["peaks"]) == 2
        assert one["best"] == max(one["peaks"])
        assert one["median"] == statistics.median(one["rounds"])
    for one in found["ratios"]:
        ours, peer = measurements[one["ours"]], measurements[one["peer"]]
        assert one["best"] == pytest.approx(ours["best"] / peer["best"])
        assert one["median"] == pytest.approx(
            statistics.median(a / b for a, b in zip(ours["rounds"], peer["rounds"], strict=True))
        )
    for one in found["claims"]:
        if one["best"] is None:
            assert one["holds"] is None
        elif "at_most" in one:
            assert one["holds"] == (one["best"] <= one["at_most"])
        else:
            assert one["holds"] == (one["best"] >= one["at_least"])


@pytest.mark.jit
def test_a_part_is_measured_shown_and_written(tmp_path):
    shown, found = run(
        tmp_path, "--only", "aec", "--only", "tictactoe", "--only", "step 64", "--players", "3", "--cpu-time"
    )
    check(found)
    assert set(found["measurements"]) | set(found["absent"]) == {"step 64", "env()", "raw_env()", "tictactoe"}
    assert found["settings"]["clock"] == "cpu"
    assert found["settings"]["rules"]["num_players"] == 3
    assert "standard, 3 players" in shown
    assert found["measurements"]["step 64"]["writes"] == ["observation", "mask"]


@pytest.mark.jit
@pytest.mark.slow
def test_everything_is_measured_in_one_run(tmp_path, monkeypatch):
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    monkeypatch.setattr(learning, "threads", lambda: [1])  # two of PyTorch's crawl beside other tests
    try:
        shown, found = run(tmp_path)
    finally:
        torch.set_num_threads(before)
    check(found)
    expected = {case.name for case in chosen(Settings(quick=True))}
    assert set(found["measurements"]) | set(found["absent"]) == expected
    assert not {name for name in found["absent"] if name in {case.name for case in ours.cases(Settings())}}
    for name, reason in found["absent"].items():
        assert f"absent: {name} ({reason})" in shown
    unknown = {one["text"] for one in found["claims"] if one["best"] is None}
    if "euchre" in found["measurements"] and len(ours.threads()) == 2:
        assert unknown == {"with updates / DummyVecEnv of 8, 2 threads"}
