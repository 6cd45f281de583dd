"""`MatchRecord`: written, read back, replayed; and what is said of a file that is wrong."""

import json
import os
import random

import pytest
from test_game import play_on, three

from nap_env.game import Game
from nap_env.record import HandRecord, MatchRecord, result
from nap_env.rules import PRESETS, Rules
from nap_env.storage.jsonl import RecordError

MATCHES = {
    name: {"rules": name, "num_hands": 3, "starting_chips": 12, "rebuys": 1, "tie_break": True} for name in PRESETS
}
MATCHES["house"] = {
    "rules": Rules(num_players=4, pack=40, peep=True, sir_garnet=True, stakes={"NAP": [5, 5]}, revoke="penalised"),
    "deals_per_dealer": 1,
}
MATCHES["small"] = {"rules": Rules(num_players=2, hand_size=2, suits=2, pack=8), "num_hands": 2}


def match(name="standard", seed=1, moves=10_000, **changes):
    return play_on(Game.deal(seed, **(MATCHES[name] | changes)), seed, moves)


def lines(**changes):
    """The lines of a match of two hands, as objects; a change may be made to any."""
    game = play_on(three(num_hands=2), 3)
    return [json.loads(line) for line in game.record().to_lines()]


def read(objects):
    return MatchRecord.from_lines([json.dumps(line) for line in objects])


@pytest.mark.parametrize("name", MATCHES)
def test_a_match_is_the_same_after_the_file(name, tmp_path):
    for seed in (1, 2):
        record = MatchRecord.from_game(match(name, seed))
        record.info = {"players": ["Ann", "Bücher"]}
        path = tmp_path / "match.jsonl"
        record.write(path)
        again = MatchRecord.read(path)
        assert again == record
        assert again.check() is again


def test_replay_shows_every_state():
    game = match("ecarte")
    states = list(game.record().replay())
    record = game.record()
    assert len(states) == sum(1 + len(hand.actions) for hand in record.hands)
    assert result(states[-1], game.rules) == record.result
    assert all(states[i] is not states[i + 1] for i in range(len(states) - 1))
    turns = [int(state.turn) for state in states]
    assert turns == sorted(turns)


def test_a_match_that_is_broken_off_has_a_record_too(tmp_path):
    record = match(moves=7).record()
    record.write(tmp_path / "half.jsonl")
    again = MatchRecord.read(tmp_path / "half.jsonl").check()
    assert again.result["winners"] is None
    assert again.result["hands"] == 0


def test_the_lines_are_what_the_format_says():
    header, *hands, last = lines()
    assert list(header) == ["format", "version", "rules", "match", "seed", "info"]
    assert header["format"] == "nap_env.dealing.match"
    assert header["rules"] == {"num_players": 3}
    assert header["match"] == {"num_hands": 2, "starting_chips": None, "rebuys": 0, "tie_break": False}
    assert [hand["dealer"] for hand in hands] == [2, 0]
    assert len(hands[0]["deck"]) == 52
    assert last["result"]["hands"] == 2


def test_a_record_is_filled_while_a_match_is_played():
    """As an environment would: from the rulebook's records alone."""
    game = three()
    record = MatchRecord(game.rules)
    record.deal(game._game)
    for action in (55, 52, 52):
        record.act(action)
        game.play(action)
    record.finish(game._game)
    assert record.hands == [HandRecord(2, game.record().hands[0].deck, ["FOUR", "PASS", "PASS"])]
    record.check()


def test_writing_is_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "match.jsonl"
    record = match().record()
    record.write(path)
    before = path.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    record.hands.pop()
    with pytest.raises(OSError, match="No space"):
        record.write(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["match.jsonl"]


def test_nothing_is_written_without_a_result_or_what_json_cannot_hold(tmp_path):
    with pytest.raises(RecordError, match="no result yet"):
        MatchRecord(Rules()).write(tmp_path / "x")
    record = match().record()
    for junk in (object(), float("nan")):
        record.info = {"junk": junk}
        with pytest.raises(RecordError, match="info must hold what JSON can"):
            record.write(tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


def broken(line, key, value):
    objects = lines()
    objects[line][key] = value
    return objects


@pytest.mark.parametrize(
    ("objects", "words"),
    [
        (broken(0, "format", "chess"), ["line 1", "'chess'", "nap_env.dealing.match"]),
        (broken(0, "version", 2), ["line 1", "version is 2", "version 1"]),
        (broken(0, "rules", {"num_player": 3}), ["line 1", "num_player", "R16"]),
        (broken(0, "rules", {"num_players": 9}), ["line 1", "R1.1"]),
        (broken(0, "rules", None), ["line 1", "'rules'", "dict"]),
        (broken(0, "match", {"num_hands": 0}), ["line 1", "R1.5"]),
        (broken(0, "match", {"hands": 1}), ["line 1", "hands"]),
        (broken(0, "seed", "one"), ["line 1", "'seed'", "int"]),
        (broken(1, "dealer", 3), ["line 2", "no dealer 3", "0..2"]),
        (broken(1, "dealer", None), ["line 2", "'dealer'"]),
        (broken(2, "deck", ["AS"]), ["line 3", "1 cards", "R1.4"]),
        (broken(2, "actions", ["FLY"]), ["line 3", "'FLY' is no action"]),
        (broken(2, "actions", [52]), ["line 3", "52"]),
        (broken(3, "result", 7), ["line 4", "'result'"]),
        (lines()[:-1], ["cut off after line 3", "no result"]),
        ([*lines(), lines()[1]], ["line 5", "nothing may follow the result"]),
        ([lines()[1]], ["line 1", "format is None"]),
        ([[1, 2]], ["line 1", "object"]),
        ([], ["empty"]),
    ],
)
def test_a_wrong_file_is_refused_by_its_line(objects, words):
    with pytest.raises(RecordError) as refusal:
        read(objects)
    for word in words:
        assert word in str(refusal.value)


def test_a_file_cut_anywhere_is_noticed(tmp_path):
    path = tmp_path / "match.jsonl"
    match().record().write(path)
    whole = path.read_bytes()
    for size in random.Random(1).sample(range(len(whole) - 1), 40):
        path.write_bytes(whole[:size])
        with pytest.raises(RecordError, match=r"match\.jsonl"):
            MatchRecord.read(path)
    path.write_bytes(b"\xff\xfe" + whole)
    with pytest.raises(RecordError, match="UTF-8"):
        MatchRecord.read(path)
    with pytest.raises(FileNotFoundError):
        MatchRecord.read(tmp_path / "none")


def longer(line):
    objects = lines()
    objects[line]["actions"].append("PASS")
    return objects


def shorter(line):
    objects = lines()
    objects[line]["actions"].pop()
    return objects


@pytest.mark.parametrize(
    ("objects", "words"),
    [
        (broken(1, "actions", ["FOUR", "THREE"]), ["line 2, action 2", "player_1 may not bid THREE", "R3.2"]),
        (longer(1), ["line 2, action", "the hand is over"]),
        (longer(2), ["line 3, action", "the hand is over"]),
        (shorter(1), ["line 3", "the one before is not over"]),
        (shorter(2), ["line 4", "the result says"]),
        (broken(2, "dealer", 1), ["line 3", "player_1 deals", "player_0's turn", "R1.3"]),
        ([*lines()[:3], *lines()[2:]], ["line 4", "the match is over"]),
        (broken(3, "result", lines()[3]["result"] | {"net": [1, 2, 3]}), ["line 4", "net [1, 2, 3]"]),
        (broken(3, "result", {}), ["line 4", "net None"]),
    ],
)
def test_a_replay_stops_where_the_record_is_wrong(objects, words):
    with pytest.raises(RecordError) as refusal:
        read(objects).check()
    for word in words:
        assert word in str(refusal.value)
