"""The arena: exact zeros, pairing, statistics, and what `rules` is worth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scale import NOJIT, scaled

import agents
from agents.arena import Difference, compare, crowd, duplicate, statistics, tournament, versus
from nap_env import observation
from nap_env.agent import BaseAgent, Generator, bind
from nap_env.cards import MISERE, PASS
from nap_env.dealing import seeds
from nap_env.errors import AgentError, RulesError
from nap_env.rules import PRESETS, Rules, make_rules
from nap_env.vector import Tables


def some(deals: int) -> int:
    """As many deals compiled, a tenth of them (at least two) uncompiled."""
    return max(2, deals // 10) if NOJIT else deals


# ---- exactness ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["simple-v1", "rules"])
@pytest.mark.parametrize("preset", PRESETS)
def test_identical_deterministic_agents_differ_by_exactly_0(name: str, preset: str) -> None:
    deals = max(2, scaled(60))
    for result in (
        versus(name, name, deals=deals, rules=preset),
        versus(name, [name] * (PRESETS[preset].num_players - 1), deals=deals, rules=preset),
        crowd(name, name, deals=deals, rules=preset),
    ):
        assert (result.per_deal == 0).all()
        assert (result.mean, result.low, result.high) == (0, 0, 0)
        assert np.abs(result.stakes).sum() > 0 or deals < 60


def test_a_result_does_not_depend_on_what_is_played_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also with agents that use chance: one generator for each deal, seat and role."""
    whole = versus("random", ["pass", "rules", "random", "simple-v1"], deals=some(20), seed=4)
    monkeypatch.setattr(duplicate, "CHUNK", 7)
    parts = versus("random", ["pass", "rules", "random", "simple-v1"], deals=some(20), seed=4)
    fewer = versus("random", ["pass", "rules", "random", "simple-v1"], deals=some(11), seed=4)
    assert (whole.stakes == parts.stakes).all()
    assert (whole.stakes[: some(11)] == fewer.stakes).all()


def test_seed_and_purpose_choose_the_deals() -> None:
    results = [
        versus("rules", "pass", deals=some(30), seed=s, purpose=p).stakes for s, p in ((0, "a"), (1, "a"), (0, "b"))
    ]
    assert (results[0] == versus("rules", "pass", deals=some(30), seed=0, purpose="a").stakes).all()
    assert (results[0] != results[1]).any()
    assert (results[0] != results[2]).any()


def test_evaluation_deals_are_no_training_deals() -> None:
    keys = {seeds.evaluation_key("arena", 0, number) for number in range(1000)}
    assert len(keys) == 1000
    assert all(key >> 63 for key in keys)
    assert not any(seeds.training_key(seed) >> 63 for seed in (0, 2**62, seeds.MAX_SEED))


def test_a_deal_is_the_same_in_every_rotation() -> None:
    """Played by hand with `Tables`: the same cards and dealer, the candidate in seat k."""
    result = versus("rules", "simple-v1", 4, deals=3, seed=9)
    rules = make_rules("standard", 4)
    players = [bind("rules", rules), bind("simple-v1", rules)]
    for deal in range(3):
        for rotation in range(4):
            tables = Tables(1, rules, seed=0, auto_deal=False)
            tables.reset(keys=np.array([seeds.evaluation_key("arena", 9, deal)], np.uint64))
            assert result.positions[deal, rotation] == (rotation - int(tables.games["dealer"][0])) % 4
            while not tables.over[0]:
                player = players[0 if tables.seat[0] == rotation else 1]
                tables.step([player.act(tables.obs[0], tables.mask[0], np.random.default_rng(0))])
            assert result.stakes[deal, rotation] == tables.net[0, rotation]


# ---- what a result tells ----------------------------------------------------------------------------------------


def test_a_result() -> None:
    told: list[tuple[int, int]] = []
    result = versus("rules", "simple-v1", 3, 40, seed=2, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (120, 120)
    assert (result.candidate, result.field, result.deals) == ("rules", ("simple-v1", "simple-v1"), 40)
    assert result.stakes.shape == result.positions.shape == (40, 3)
    assert result.low < result.mean < result.high
    assert result.mean == pytest.approx(result.stakes.mean())
    assert result.std_error == pytest.approx(result.stakes.mean(axis=1).std(ddof=1) / math.sqrt(40))
    assert [place for place, *_ in result.by_position()] == [1, 2, 0]
    assert sum(hands for *_, hands in result.by_position()) == 120
    assert np.mean([mean for _, mean, _ in result.by_rotation()]) == pytest.approx(result.mean)
    assert str(result).startswith(f"rules: {result.mean:+.3f} [")


def test_bids_are_counted() -> None:
    result = versus("rules", "pass", 3, some(100))
    assert [bid.name for bid in result.bids] == list(make_rules("standard", 3).bids)
    assert result.turns == 3 * some(100)
    for bid in result.bids:
        assert bid.made <= bid.played == bid.bid  # nobody overcalls
        assert bid.share == bid.bid / result.turns
        assert bid.success == bid.made / bid.played if bid.played else math.isnan(bid.success)
    assert result.passes == pytest.approx(1 - sum(bid.bid for bid in result.bids) / result.turns)
    assert versus("pass", "rules", 3, some(20)).passes == 1.0
    spare = versus("rules", "pass", 3, some(30), rules="sir_garnet")
    nap = spare.bids[3]
    assert nap.name == "NAP"
    assert nap.bid > some(10)  # the spare hand is a bid of Nap


def test_who_sits_out_has_no_turn() -> None:
    result = versus("pass", "pass", deals=20, rules="six_handed")
    assert result.turns == 20 * 5


def test_crowd_is_the_other_table() -> None:
    result = crowd("rules", "simple-v1", 4, deals=some(30), seed=5)
    one = versus("simple-v1", "rules", 4, deals=some(30), seed=5)
    assert result.stakes == pytest.approx(-one.stakes / 3)
    assert result.turns == 3 * one.turns
    assert sum(bid.bid for bid in result.bids) > 0


def test_compare_pairs_deal_by_deal() -> None:
    rules = versus("rules", "simple-v1", deals=some(50))
    passes = versus("pass", "simple-v1", deals=some(50))
    difference = compare(rules, passes)
    assert isinstance(difference, Difference)
    assert difference.per_deal == pytest.approx(rules.per_deal - passes.per_deal)
    assert difference.low < difference.mean < difference.high
    assert compare(rules, rules).p_value == 1.0
    with pytest.raises(ValueError, match="other deals"):
        compare(rules, versus("pass", "simple-v1", deals=some(50), seed=1))


def test_a_tournament() -> None:
    told: list[tuple[int, int]] = []
    found = tournament(
        ["pass", "rules", "simple-v1"], 3, deals=some(60), progress=lambda done, total: told.append((done, total))
    )
    assert told[-1] == (18 * some(60), 18 * some(60))
    if not NOJIT:
        assert [standing.name for standing in found.standings] == ["rules", "simple-v1", "pass"]
    assert set(found.results) == {(i, j) for i in range(3) for j in range(3) if i != j}
    best, *rest = found.standings
    assert best.p_adjusted == 1.0
    assert (best.behind.per_deal == 0).all()
    raw = [standing.behind.p_value for standing in rest]
    assert [standing.p_adjusted for standing in rest] == statistics.holm(raw)
    means = found.means()
    assert means.diagonal().tolist() == [0, 0, 0]
    assert best.mean == pytest.approx(means[found.names.index(best.name)].mean())
    assert means[0, 1] == found.results[0, 1].mean


def test_what_cannot_be_played() -> None:
    with pytest.raises(AgentError, match="a field for 5 players has 4 agents, not 2"):
        versus("rules", ["pass", "pass"])
    with pytest.raises(AgentError, match="no agent 'nobody'"):
        versus("nobody", "pass")
    with pytest.raises(RulesError):
        versus("rules", "pass", 9)
    with pytest.raises(AgentError, match="at least two agents"):
        tournament(["rules"])
    for deals in (0, -1, True, 2.5):
        with pytest.raises(ValueError, match="deals must be a whole number from 1"):
            versus("rules", "pass", deals=deals)  # type: ignore[arg-type]


def test_an_agent_that_cheats_gets_the_state_of_its_own_tables() -> None:
    rules = make_rules("standard", 3)
    where = observation.state_layout(rules)

    class Seer(BaseAgent):
        """Checks that the cards it is shown as its own are so in the state."""

        name = "seer"
        needs_state = True

        def act(self, observation_, action_mask, rng, *state):
            hands = state[0][where["hands"]].reshape(3, 52)
            seat = int(np.argmax(state[0][where["to_act"]]))
            assert (hands[seat] == observation_[where["hand"]]).all()
            return int(np.argmax(action_mask))

    assert versus(Seer(), ["pass", "random"], 3, 5).deals == 5


# ---- statistics -----------------------------------------------------------------------------------------------


def test_t_is_close_to_the_tables() -> None:
    for degrees, value in ((3, 3.182), (5, 2.571), (10, 2.228), (30, 2.042), (1000, 1.962)):
        assert statistics.t_quantile(0.975, degrees) == pytest.approx(value, rel=0.015)
        assert statistics.t_two_sided(value, degrees) == pytest.approx(0.05, rel=0.03)
    assert statistics.t_quantile(0.025, 10) == -statistics.t_quantile(0.975, 10)
    assert statistics.t_two_sided(math.inf, 5) == 0.0
    assert statistics.t_two_sided(math.nan, 5) == 1.0


def test_intervals_hold_what_they_promise() -> None:
    rng = np.random.default_rng(1)
    inside = [low <= 0 <= high for _, low, high, _ in (statistics.interval(rng.normal(size=8)) for _ in range(2000))]
    assert abs(np.mean(inside) - 0.95) < 0.02
    one = statistics.interval(np.array([3.0]))
    assert one[0] == 3.0
    assert one[1:3] == (-math.inf, math.inf)


def test_bootstrap_agrees_with_the_t_interval() -> None:
    result = versus("rules", "simple-v1", deals=scaled(400))
    low, high = result.bootstrap()
    if result.deals >= 400:
        assert low == pytest.approx(result.low, abs=0.25 * (result.high - result.low))
        assert high == pytest.approx(result.high, abs=0.25 * (result.high - result.low))
    assert result.bootstrap() == (low, high)


def test_holm() -> None:
    assert statistics.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert statistics.holm([0.9, 0.8]) == [1.0, 1.0]
    assert statistics.holm([]) == []


# ---- what `rules` is worth --------------------------------------------------------------------------------------


@pytest.mark.jit
@pytest.mark.parametrize(
    "rules", [*(make_rules("standard", n) for n in (2, 3, 4, 5, 6, 7)), *PRESETS.values()], ids=str
)
def test_rules_beats_simple(rules: Rules) -> None:
    """On deals that it was not tuned on, by more than 0.3 stakes a hand, one seat or all but one."""
    assert versus("rules", "simple-v1", deals=400, seed=77, rules=rules, purpose="test").low > 0.3
    assert crowd("rules", "simple-v1", deals=400, seed=77, rules=rules, purpose="test").low > 0


@pytest.mark.jit
@pytest.mark.parametrize("n", [3, 5, 7])
def test_what_rules_bids_is_worth_bidding(n: int) -> None:
    """Among its own kind each bid is made at least as often as it must be to break even."""
    result = versus("rules", "rules", n, deals=1500, seed=77, purpose="test")
    played = [bid for bid in result.bids if bid.played >= 100]
    assert len(played) >= 2
    for bid in played:
        made, failed = make_rules("standard", n).stake(bid.name)
        assert bid.success > failed / (made + failed)


class Silent(BaseAgent):
    """Passes, and plays as another agent does."""

    deterministic = True

    def __init__(self, inner: str, rules: Rules) -> None:
        self.name = f"silent {inner}"
        super().__init__()
        self.inner = agents.make(inner, rules)

    def act_batch(self, observations, action_masks, rng: Generator, *states):
        answers = self.inner.act_batch(observations, action_masks, rng)
        return np.where(action_masks[:, PASS] != 0, PASS, answers)


class Caller(Silent):
    """Bids Misere where `simple-v1` would, else passes."""

    def __init__(self, inner: str, rules: Rules) -> None:
        super().__init__(inner, rules)
        self.bidder = agents.make("simple-v1", rules)

    def act_batch(self, observations, action_masks, rng: Generator, *states):
        answers = super().act_batch(observations, action_masks, rng)
        own = self.bidder.act_batch(observations, action_masks, rng)
        return np.where(own == MISERE, MISERE, answers)


def made_misere(n: int, defence: str) -> tuple[int, int]:
    """(played, made) of the Miseres of one `simple-v1` hand, against silent copies of a defender."""
    rules = make_rules("standard", n)
    result = versus(Caller("simple-v1", rules), Silent(defence, rules), n, deals=2000, seed=77, purpose="test")
    bid = result.bids[1]
    return bid.played, bid.made


@pytest.mark.jit
@pytest.mark.parametrize("n", [3, 5, 7])
def test_the_defence_of_a_misere_is_better_than_simples(n: int) -> None:
    played, made = made_misere(n, "simple-v1")
    same, fewer = made_misere(n, "rules")
    assert same == played > 200
    assert fewer < made - 2 * math.sqrt(made * (1 - made / played))
