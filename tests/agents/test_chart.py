"""The bidding chart: how it is made, kept, bid by and read."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
from scale import NOJIT, scaled

import agents
from agents.arena import versus
from agents.auction.hand_classes import class_count, class_of
from agents.auction.tree import auction_tree
from agents.chart import UNIT, Chart, ChartAgent, chart_file, chart_for, quantised
from nap_env import PRESETS, Game, Rules, Tables, nap_v0
from nap_env.cards import ACTION_NAMES, PASS, mask_of, parse_cards
from nap_env.errors import AgentError, NapError
from train.chart import build as making
from train.chart import payoffs
from train.chart.buckets import buckets, chances, classes_of, tally
from train.chart.build import ChartConfig, Material, complete
from train.chart.cfr import AuctionGame, Solver
from train.chart.exploit import exploit
from train.chart.payoffs import Source, load
from train.commands import chart as chart_command
from train.progress import Progress
from train.showing.chart import Summary, as_json, chart_table, draw, hand_table

TINY = Rules(num_players=3, hand_size=2, suits=2, pack=10)
SHIPPED = (3, 4, 5)
QUIET = Progress(quiet=True)


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Material:
    """A few deals of a tiny game."""
    folder = tmp_path_factory.mktemp("deals")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(payoffs, "PART", 100 if NOJIT else 2000)
        found = load(Source(TINY, seed=1), 100 if NOJIT else 2000, folder)
    classes = classes_of(found)
    chance = chances(TINY, *tally(found, classes))
    bucket = buckets(chance, TINY, 12)
    game = AuctionGame.rotated(auction_tree(TINY), bucket[classes], found.made, int(bucket.max()) + 1, exact=classes)
    return Material(game, bucket, chance)


@pytest.fixture(scope="module")
def tiny(material: Material) -> Chart:
    """Its chart."""
    solved = Solver.begin(material.game)
    for _ in range(20):
        solved.iterate()
    table = quantised(complete(material, solved.mean()), material.game.tree)
    return Chart(TINY, material.bucket, table, material.bucket_chance(), {"deals": 2000})


# ---- buckets ---------------------------------------------------------------------------------------------


def test_buckets_hold_hands_of_like_chances(material: Material) -> None:
    assert material.bucket.shape == (class_count(TINY),)
    assert sorted(set(material.bucket.tolist())) == list(range(12))
    within = sum(
        material.chance[material.bucket == b].var(axis=0).sum() * (material.bucket == b).sum() for b in range(12)
    )
    assert within < 0.2 * material.chance.var(axis=0).sum() * len(material.bucket)
    few = buckets(np.zeros((class_count(TINY), len(TINY.bids))), TINY, 5)
    assert (few == 0).all()  # hands that do not differ are not parted


def test_rare_classes_lean_on_hands_alike() -> None:
    number, rungs = class_count(TINY), len(TINY.bids)
    seen = np.zeros((rungs, number))
    made = np.zeros((rungs, number))
    seen[:, 3], made[:, 3] = 1000, 900
    found = chances(TINY, seen, made)
    assert found[3] == pytest.approx(0.9, abs=0.01)
    assert ((found > 0) & (found < 1)).all()


# ---- completing and rounding -----------------------------------------------------------------------------


def test_quantised_adds_up_and_is_near() -> None:
    tree = auction_tree(TINY)
    rng = np.random.default_rng(0)
    strategy = np.ones((7, tree.size), np.float32)
    for node in range(int(tree.start[-2])):
        calls = tree.children(node)
        strategy[:, calls.start : calls.stop] = rng.dirichlet(np.full(len(calls), 0.3), 7)
    table = quantised(strategy, tree)
    for node in range(int(tree.start[-2])):
        calls = tree.children(node)
        assert (table[:, calls.start : calls.stop].sum(axis=1) == UNIT).all()
    assert np.abs(table / UNIT - strategy).max() < 1 / UNIT
    assert (quantised(table / np.float32(UNIT), tree) == table).all()


def test_complete_changes_only_where_few_come(material: Material, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "RARE", 5.0)
    tree, game = material.game.tree, material.game
    never = np.zeros((game.num_classes, tree.size), np.float32)
    never[:, 0] = 1
    never[:, tree.first[: int(tree.start[-2])]] = 1
    done = complete(material, never)
    path = 0  # everybody passes: there all come
    for position in range(tree.positions):
        calls = slice(*[tree.children(path).start, tree.children(path).stop])
        _, reached = game.call_values(position, never)
        common = reached[:, path - int(tree.start[position])] >= making.RARE
        assert common.any()
        assert (done[common, calls] == never[common, calls]).all()
        path = tree.children(path).start
    assert (done != never).any()
    assert set(np.unique(done).tolist()) == {0.0, 1.0}
    strongest = int(np.argmax(material.bucket_chance()[:, TINY.bids.index("NAP")]))
    over = tree.find(["NAP"])
    assert done[strongest, tree.children(over).start] in (0.0, 1.0)


# ---- the file --------------------------------------------------------------------------------------------


def test_saved_and_loaded(tiny: Chart, tmp_path: Path) -> None:
    tiny.save(tmp_path / "a.npz")
    again = Chart.load(tmp_path / "a.npz")
    assert (again.table == tiny.table).all()
    assert (again.bucket == tiny.bucket).all()
    assert again.chance == pytest.approx(tiny.chance, abs=1e-6)
    assert (again.rules, again.about) == (tiny.rules, tiny.about)
    again.save(tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_files_that_are_no_charts(tiny: Chart, tmp_path: Path) -> None:
    with pytest.raises(AgentError, match="nap book --chart --build"):
        Chart.load(tmp_path / "none.npz")
    (tmp_path / "text.npz").write_text("hello")
    with pytest.raises(AgentError, match="is no chart"):
        Chart.load(tmp_path / "text.npz")
    other = {"format": "nap-chart", "version": 99, "rules": {}, "about": {}}
    text = np.frombuffer(json.dumps(other).encode(), np.uint8)
    np.savez(tmp_path / "new.npz", about=text, bucket=tiny.bucket, table=tiny.table, percent=tiny.table)
    with pytest.raises(AgentError, match="version 1"):
        Chart.load(tmp_path / "new.npz")
    broken = tiny.table.copy()
    broken[0, 1] ^= 1
    with pytest.raises(AgentError, match="add up to 64"):
        Chart(TINY, tiny.bucket, broken, tiny.chance, {})
    with pytest.raises(AgentError, match="classes"):
        Chart(TINY, tiny.bucket[1:], tiny.table, tiny.chance, {})


# ---- the agent -------------------------------------------------------------------------------------------


def expected_call(chart: Chart, game: Game) -> dict[int, float]:
    """What the chart says at a table, asked the slow way."""
    record = game._games[0]
    k, dealer = chart.tree.positions, int(record.dealer)
    calls = [int(record.bids[(dealer + 1 + p) % chart.rules.num_players]) for p in range(k)]
    node = chart.tree.find([call for call in calls if call >= 0])
    return chart.calls(int(record.hand[record.seat]), node)


def test_bids_what_the_chart_says(tiny: Chart) -> None:
    agent = agents.make("chart", chart=tiny)
    assert agent.deterministic  # type: ignore[attr-defined]
    rng = np.random.default_rng(0)
    seen = set()
    for seed in range(scaled(200) + 5):
        game = Game.deal(seed=seed, rules=TINY)
        while game.phase == "AUCTION":
            found = expected_call(tiny, game)
            observation = game.observe(game.seat)
            action = agent.act(observation["observation"], observation["action_mask"], rng)
            assert found[action] == max(found.values())
            seen.add(action)
            # off the likely path too: now and then somebody makes any legal call
            legal = np.flatnonzero(observation["action_mask"])
            game.play(ACTION_NAMES[action if rng.random() < 0.5 else rng.choice(legal)])
    assert len(seen) > (1 if NOJIT else 2)


def test_samples_by_its_probabilities(tiny: Chart) -> None:
    half = tiny.table.copy()
    root = tiny.tree.children(0)
    half[:, root.start : root.stop] = 0
    half[:, root.start], half[:, root.start + 1] = 16, 48
    chart = Chart(TINY, tiny.bucket, half, tiny.chance, {})
    tables = Tables(200 if NOJIT else 2000, TINY, seed=3)
    agent = ChartAgent(chart, sample=True)
    assert not agent.deterministic
    drawn = agent.act_batch(tables.obs, tables.mask, np.random.default_rng(1))
    assert np.mean(drawn == PASS) == pytest.approx(0.25, abs=0.1 if NOJIT else 0.03)
    rngs = [np.random.default_rng(row) for row in range(50)]
    each = agent.act_each(tables.obs[:50], tables.mask[:50], rngs)
    alone = [agent.act(tables.obs[r], tables.mask[r], np.random.default_rng(r)) for r in range(50)]
    assert each.tolist() == alone
    likeliest = ChartAgent(chart).act_batch(tables.obs, tables.mask, np.random.default_rng(1))
    assert (likeliest == tiny.tree.call[root.start + 1]).all()


def test_plays_whole_hands_with_any_player(tiny: Chart) -> None:
    deals = 3 if NOJIT else 60
    assert (versus(ChartAgent(tiny), ChartAgent(tiny), deals=deals, rules=TINY).per_deal == 0).all()
    for player in ("rules", "random", "simple-v1"):
        result = versus(ChartAgent(tiny, player=player, sample=True), "rules", deals=deals, rules=TINY)
        assert result.turns > 0


def test_rules_without_a_chart(tiny: Chart) -> None:
    with pytest.raises(AgentError, match="nap book --chart --build --players 7 --file FILE"):
        agents.make("chart", Rules(num_players=7))
    with pytest.raises(AgentError, match=r"--rules '\{.stakes.: \{.NAP.:"):
        agents.make("chart", PRESETS["penny"])
    with pytest.raises(AgentError, match="no bidding chart"):
        agents.make("chart", PRESETS["peep"])
    with pytest.raises(AgentError, match="it cannot bid in"):
        ChartAgent(tiny).for_rules(Rules())


@pytest.mark.jit
def test_a_seat_that_is_out_counts_as_passing() -> None:
    """In a match somebody goes out: the chart for the whole table goes on bidding."""
    agent = agents.make("chart", Rules(num_players=3))
    rng = np.random.default_rng(0)
    bids = 0
    env = nap_v0.raw_env(num_players=3, num_hands=30, starting_chips=4)
    for seed in range(20):
        env.reset(seed=seed)
        while not all(env.terminations.values()):
            seen = env.observe(env.agent_selection)
            action = agent.act(seen["observation"], seen["action_mask"], rng)
            assert seen["action_mask"][action] == 1
            bids += action > PASS and min(env.result()["chips"]) <= 0
            env.step(int(action))
    assert bids > 0


# ---- what ships ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", SHIPPED)
def test_shipped_chart_keeps_what_was_asked(players: int) -> None:
    """Issue, item 6: a million deals, 2,000 classes, a held-out best response gains 0.05 stakes at most."""
    chart = chart_for(Rules(num_players=players))
    assert chart.about["deals"] >= 1_000_000
    assert len(chart.table) >= 2000
    assert chart.about["used"]["nash_conv"] < 0.25
    for measured in ("used", "fresh", "fresh, exact hands"):
        assert chart.about[measured]["held_out_gain"] <= 0.05
    assert chart_file(chart.rules).stat().st_size < 1_000_000


@pytest.mark.jit
@pytest.mark.parametrize("players", SHIPPED)
def test_shipped_chart_is_hard_to_exploit(players: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On deals of this test's own."""
    monkeypatch.setattr(payoffs, "PART", 4000)
    chart = chart_for(Rules(num_players=players))
    fresh = load(Source(chart.rules, seed=1, purpose="test_chart"), 4000, tmp_path)
    classes = chart.bucket[classes_of(fresh)].astype(np.int32)
    game = AuctionGame.rotated(chart.tree, classes, fresh.made, len(chart.table), block=1000)
    assert exploit(game, chart.strategy).held_out_gain < 0.1
    uniform = exploit(game, game.uniform())
    assert uniform.held_out_gain > 1  # the measure finds what there is to find


@pytest.mark.parametrize("players", SHIPPED)
def test_shipped_chart_bids_sense(players: int) -> None:
    chart = chart_for(Rules(num_players=players))
    top, nothing, low = (mask_of(parse_cards(text)) for text in ("AS KS QS JS TS", "7S 8H 9D TC JH", "2S 4S 3H 2D 3C"))
    first, last = 0, chart.tree.find(["PASS"] * (players - 1))
    for node in (first, last):
        assert chart.calls(top, node)[56] == 1.0  # Nap is certain
        assert chart.calls(nothing, node)[56] == 0.0
    assert chart.calls(low, first)[54] > 0.9
    after = chart.tree.find(["NAP"])
    assert chart.calls(nothing, after)[57] == 0.0


# ---- the making, and the reading ------------------------------------------------------------------------


@pytest.mark.jit
def test_build_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(payoffs, "PART", 500)
    monkeypatch.setattr(making, "SAVE_EVERY", 2)
    rules = Rules(num_players=3)
    config = ChartConfig(deals=1000, fresh_deals=500, num_buckets=60, iterations=8, batch=500, threads=1)
    whole = making.build(rules, config, tmp_path / "a", QUIET)
    steps = 0
    plain = Solver.iterate

    def stopping(self: Solver, start: int = 0, stop: int | None = None) -> None:
        nonlocal steps
        steps += 1
        if steps == 6:
            raise KeyboardInterrupt
        plain(self, start, stop)

    with monkeypatch.context() as patch:
        patch.setattr(Solver, "iterate", stopping)
        with pytest.raises(KeyboardInterrupt):
            making.build(rules, config, tmp_path / "b", QUIET)
    monkeypatch.setattr(Solver, "iterate", plain)
    again = making.build(rules, dataclasses.replace(config, fresh_deals=0), tmp_path / "b", QUIET)
    assert (again.table == whole.table).all()
    assert again.about["used"] == whole.about["used"]
    assert whole.about["fresh"]["nash_conv"] > 0


def test_summary_and_tables(tiny: Chart) -> None:
    summary = Summary(tiny)
    assert summary.weight.sum() == pytest.approx(1)
    low, high = int(tiny.tree.start[-2]), int(tiny.tree.start[-1])
    assert summary.reach[low:high].sum() == pytest.approx(1)
    for position, rung in summary.places():
        assert sum(share for share, _ in summary.bids(position, rung).values()) == pytest.approx(1)
    assert chart_table(summary).row_count == len(summary.places())
    hand = int(Tables(1, TINY, seed=0).games["hand"][0, 0])
    assert hand_table(summary, hand).row_count > 0
    found = as_json(summary, hand)
    assert len(found["auctions"]) == len(tiny.tree.decisions)
    assert all(sum(one["next"].values()) == pytest.approx(1) for one in found["auctions"])
    assert json.dumps(as_json(summary))


def test_picture(tiny: Chart, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    draw(Summary(tiny), tmp_path / "chart.png")
    assert (tmp_path / "chart.png").read_bytes()[1:4] == b"PNG"


@pytest.mark.jit
@pytest.mark.parametrize("players", SHIPPED)
def test_printed_within_80_columns(
    players: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    request = chart_command.ChartRequest(players=players)
    assert chart_command.run_show(request) == 0
    assert chart_command.run_show(request, "AS KS 9S 4H 2D") == 0
    text = capsys.readouterr().out
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= 80
    assert "dealer" in text
    for line in ("AS KS 9S 4H 2D", "NashConv"):
        assert line in text


@pytest.mark.jit
def test_hands_that_are_none() -> None:
    request = chart_command.ChartRequest(players=3)
    for hand, reason in (("AS KS", "5 different cards"), ("AS AS KS QS JS", "different"), ("XX", "XX")):
        with pytest.raises(NapError, match=reason):
            chart_command.run_show(request, hand)


def test_class_of_a_row_is_that_of_its_hand(tiny: Chart) -> None:
    hands = Tables(20, TINY, seed=5).games["hand"][:, 0]
    rows = tiny.bucket[class_of(np.ascontiguousarray(hands), TINY)]
    for hand, row in zip(hands, rows, strict=True):
        call = tiny.tree.children(0).start
        assert tiny.calls(int(hand), 0)[PASS] == tiny.table[row, call] / UNIT
    assert dataclasses.asdict(ChartConfig())["deals"] == 1_000_000
