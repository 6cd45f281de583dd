"""Deals and pay-offs that are computed before the auction is solved."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scale import scaled

from agents.searching.playouts import made_batch
from nap_env import Rules, Tables, nap_v0, solver
from nap_env.cards import mask_of
from nap_env.dealing import seeds
from nap_env.errors import RulesError
from train.chart import payoffs
from train.chart.payoffs import Source, deal_hands, load, made_bits

THREE = Rules(num_players=3)
SMALL = Rules(num_players=3, hand_size=2, suits=2, pack=8)


def test_deals_are_those_of_the_environment() -> None:
    source = Source(THREE, seed=100)
    hands = deal_hands(source, 2, 5)
    for row in range(3):
        env = nap_v0.raw_env(num_players=3)
        env.reset(seed=102 + row)
        tables = Tables(1, THREE, seed=102 + row)
        dealer = int(tables.games["dealer"][0])
        assert hands[row].tolist() == [int(tables.games["hand"][0, (dealer + 1 + p) % 3]) for p in range(3)]
        assert env.agent_selection == f"player_{(dealer + 1) % 3}"  # position 0 calls first


def test_evaluation_deals_are_others() -> None:
    training = {tuple(row) for row in deal_hands(Source(THREE), 0, 200).tolist()}
    fresh = {tuple(row) for row in deal_hands(Source(THREE, purpose="chart"), 0, 200).tolist()}
    assert len(training) == len(fresh) == 200
    assert not training & fresh
    tables = Tables(1, THREE, seed=0)
    tables.reset(keys=np.array([seeds.evaluation_key("chart", 0, 7)], np.uint64))
    again = deal_hands(Source(THREE, purpose="chart"), 7, 8)
    assert set(again[0].tolist()) == set(tables.games["hand"][0, :3].tolist())


@pytest.mark.parametrize(("play", "ask"), [("rules", made_batch), ("open", solver.can_make_batch)])
def test_bits_say_who_makes_what(play: str, ask: object) -> None:
    source = Source(SMALL, play)
    hands = deal_hands(source, 0, max(scaled(200), 5))
    made = made_bits(source, hands, threads=2)
    bids = SMALL.bids
    for position in range(3):
        for rung, bid in enumerate(bids):
            expected = ask(hands, position, bid, SMALL)  # type: ignore[operator]
            assert ((made >> np.uint64(position * len(bids) + rung) & np.uint64(1)) == expected).all(), bid
    assert not (made >> np.uint64(3 * len(bids))).any()


def test_known_hands() -> None:
    """Five top trumps make everything but a Misere (issue: certain hands)."""
    texts = ["AS KS QS JS TS", "2C 3C 4D 5D 6D", "2H 3H 4H 5H 6H"]
    hands = np.array([[mask_of(_cards(text)) for text in texts]], np.uint64)
    bits = int(made_bits(Source(THREE), hands)[0])
    assert [bits >> rung & 1 for rung in range(6)] == [1, 0, 1, 1, 1, 1]


def _cards(text: str) -> list[int]:
    from nap_env.cards import parse_cards

    return parse_cards(text)


def test_a_dealer_who_sits_out_is_left_out() -> None:
    source = Source(Rules(num_players=6, dealer_sits_out=True))
    hands = deal_hands(source, 0, 4)
    assert hands.shape == (4, 5)
    assert (np.bitwise_count(hands) == 5).all()
    assert made_bits(source, hands).shape == (4,)


def test_kept_and_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(payoffs, "PART", 10)
    source = Source(SMALL, seed=5)
    whole = load(source, 35, tmp_path / "a")
    assert len(whole) == 35
    stopped = tmp_path / "b"

    def stop(done: int, total: int) -> None:
        assert total == 35
        if done >= 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        load(source, 35, stopped, progress=stop)
    kept = sorted(path.name for path in stopped.glob("*.npy"))
    assert kept == ["deals-00000.npy", "deals-00001.npy"]
    before = (stopped / kept[0]).stat().st_mtime_ns
    again = load(source, 35, stopped)
    assert (stopped / kept[0]).stat().st_mtime_ns == before
    assert (again.hands == whole.hands).all()
    assert (again.made == whole.made).all()
    assert (load(source, 13, stopped).made == whole.made[:13]).all()
    shares = whole.success()
    assert shares.shape == (3, len(SMALL.bids))
    assert shares[1, 0] == pytest.approx(np.mean(whole.made >> np.uint64(len(SMALL.bids)) & np.uint64(1)))


def test_a_folder_of_other_deals_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(payoffs, "PART", 5)
    load(Source(SMALL, seed=5), 5, tmp_path)
    with pytest.raises(RulesError, match="holds other deals"):
        load(Source(SMALL, seed=6), 5, tmp_path)


def test_what_cannot_be_known_beforehand_is_refused() -> None:
    with pytest.raises(RulesError, match="R7-R9"):
        Source(Rules(peep=True))
    with pytest.raises(RulesError, match="one of rules, open"):
        Source(THREE, play="luck")
