"""What a network is shown: canonical suits, and nothing that the seat may not know."""

from __future__ import annotations

import numpy as np
import pytest
from scale import scaled

from agents.seeing.features import FEATURES, feature_size, features, offsets, to_canonical, to_real
from nap_env import Game
from nap_env.engine import views
from nap_env.rules import PRESETS, Rules, make_rules
from nap_env.vector import Tables


def part(row: np.ndarray, name: str, rules: Rules) -> np.ndarray:
    place = [feature.name for feature in FEATURES].index(name)
    start = offsets(rules)[place]
    return row[start : start + FEATURES[place].size(rules)]


def shown(game: Game, seat: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    view = game.observe(seat)
    rows, masks, orders = features(view["observation"][None], view["action_mask"][None], game.rules)
    return rows[0], masks[0], orders[0]


@pytest.mark.parametrize("preset", PRESETS)
def test_actions_go_there_and_back_in_every_preset(preset: str) -> None:
    tables = Tables(max(4, scaled(200)), preset, seed=3)
    for _ in range(scaled(60)):
        rows, masks, orders = features(tables.obs, tables.mask, tables.rules)
        assert rows.shape == (tables.num_tables, feature_size(tables.rules))
        actions = tables.random_actions()
        turned = to_canonical(actions, orders)
        assert masks[np.arange(tables.num_tables), turned].all()
        assert (to_real(turned, orders) == actions).all()
        assert (masks.sum(axis=1) == tables.mask.sum(axis=1)).all()
        assert (np.sort(orders, axis=1) == np.arange(4)).all()
        tables.step(actions)


def test_the_same_hand_in_other_suits_looks_the_same() -> None:
    hands = ("AS KS QS 7H 2D", "AC KC QC 7S 2H", "AD KD QD 7C 2S")
    rows = [shown(Game.deal(seed=1, num_players=3, dealer=2, hands={0: hand}), 0)[0].tolist() for hand in hands]
    assert rows[0] == rows[1] == rows[2]


def test_trumps_come_first_and_flags_are_right() -> None:
    hands = {0: "AS 3S 2S 7H 2D", 1: "KS QD JD TD 9D", 2: "KH QH JH TH 9H"}
    game = Game.deal(seed=1, num_players=3, dealer=2, hands=hands)
    game.play("THREE", "PASS", "PASS", "3S")
    row, mask, order = shown(game, 1)
    assert order[0] == 3  # spades, though the seat's own long suit is diamonds
    assert order[1] == 1
    assert part(row, "trump", game.rules).tolist() == [1]
    assert np.flatnonzero(part(row, "led", game.rules)).tolist() == [0]
    assert np.flatnonzero(part(row, "best", game.rules)).tolist() == [2]  # the declarer, two to the left
    assert part(row, "declarer_wins", game.rules).tolist() == [1]
    assert np.flatnonzero(mask).tolist() == [11]  # the king of the first suit is forced
    assert np.flatnonzero(part(row, "wins", game.rules)).tolist() == [11]
    assert part(row, "higher", game.rules)[11] == 1  # the ace may still be out
    assert np.flatnonzero(part(row, "need", game.rules)).tolist() == [3]
    assert np.flatnonzero(part(row, "left", game.rules)).tolist() == [5]


def test_hidden_cards_change_nothing() -> None:
    tables = Tables(scaled(300), seed=5)
    tables.random_moves(17)
    rows, _, _ = features(tables.obs, tables.mask, tables.rules)
    twin = tables.clone()
    for game in twin.games:  # swap what two others hold
        seats = [s for s in range(5) if s != int(game["seat"])]
        a, b = seats[0], seats[1]
        if int(game["hand"][a]).bit_count() == int(game["hand"][b]).bit_count():
            game["hand"][[a, b]] = game["hand"][[b, a]]
    rows_again = twin.observe(0)
    for table in range(twin.num_tables):
        views.observe(twin.games[table], twin.rules.kernel[0], int(twin.games[table]["seat"]), rows_again[table])
    again, _, _ = features(rows_again, tables.mask, tables.rules)
    assert (rows == again).all()


def test_length_depends_on_the_rules_alone() -> None:
    assert feature_size(make_rules("standard", 5)) == feature_size(Rules())
    assert feature_size(make_rules("peep", 5)) > feature_size(Rules())


def test_observations_of_other_rules_are_refused() -> None:
    tables, others = Tables(2, seed=1), Tables(2, seed=1, num_players=3)
    for rows, masks in ((others.obs, others.mask), (tables.obs, tables.mask[:, :9]), (tables.obs[0], tables.mask[0])):
        with pytest.raises(ValueError, match="observations"):
            features(rows, masks, tables.rules)
