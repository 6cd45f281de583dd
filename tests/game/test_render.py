"""Drawings: they fit, they say only what the viewer may see, and they need nothing before they are asked."""

import random
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import numpy as np
import pytest
from test_game import HANDS, three

from nap_env.cards import cards_of, mask_of
from nap_env.engine import records, rulebook
from nap_env.errors import RulesError
from nap_env.game import Game
from nap_env.render import window
from nap_env.render.svg import svg
from nap_env.render.text import text
from nap_env.render.view import card_text, headline, table_view
from nap_env.rules import PRESETS, Rules, make_rules

RICH = Rules(
    num_players=7,
    hand_size=7,
    stakes={bid: [1_000_000, 1_000_000] for bid in ("THREE", "FOUR", "NAP", "MISERE", "SIX", "SEVEN")},
)
ALL_AT_ONCE = Rules(num_players=4, exchange="purchase", peep=True, sir_garnet=True, revoke="penalised")


def tables():
    """Every preset with every number of players that it can be dealt to, and two rules of extremes."""
    for name in PRESETS:
        for players in range(2, 8):
            try:
                yield make_rules(name, players)
            except RulesError:
                continue
    yield from (RICH, ALL_AT_ONCE, Rules(num_players=3, hand_size=1, suits=2, pack=4))


TABLES = list(tables())
NAMES = [f"{number}-{rules.num_players}" for number, rules in enumerate(TABLES)]


def states(rules, seed, moves=10_000, **match):
    """A random match, as copies of its record after each deal and each action."""
    rng = random.Random(seed)
    game = Game.deal(seed, rules, **match)
    for _ in range(moves):
        yield game._games.copy()[0]
        if game.over:
            return
        lively = [name for name in game.legal() if name in ("BUY", "PEEP", "GARNET", "THREE", "FOUR", "NAP")]
        game.play(rng.choice(lively if lively and rng.random() < 0.5 else game.legal()))


def redealt(game, rules, viewer, rng):
    """The same table to the viewer: all the cards that he has not seen change places."""
    games = np.zeros(1, records.GAME)
    games[0] = game
    new = games[0]
    others = [seat for seat in range(7) if seat != viewer]
    stub = range(int(new.stub), rules.pack_size)
    hidden = [card for s in others for card in (*cards_of(int(new.hand[s])), *cards_of(int(new.discards[s])))]
    hidden += [*cards_of(int(new.spare)), *(int(new.deck[place]) for place in stub)]
    known = int(new.peeped) >> viewer & 1 or (new.swapped and int(new.declarer) == viewer)
    if known and int(new.peep_card) in hidden:
        hidden.remove(int(new.peep_card))  # he saw it go into the declarer's hand
    elif rules.peep and not known and not new.swapped:
        hidden.append(int(new.peep_card))
    rng.shuffle(hidden)

    def fresh(mask):
        kept = int(mask) & (1 << int(new.peep_card)) if known else 0
        return np.uint64(mask_of(hidden.pop() for _ in range((int(mask) ^ kept).bit_count())) | kept)

    for seat in others:
        new.hand[seat] = fresh(new.hand[seat])
        new.discards[seat] = fresh(new.discards[seat])
    new.spare = fresh(new.spare)
    for place in stub:
        new.deck[place] = hidden.pop()
    if rules.peep and not known:
        new.peep_card = hidden.pop() if hidden else rng.randrange(52)
    assert not hidden
    new.legal = rulebook.legal(new, rules.kernel[0])
    return games.copy()[0]


# ---- text ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(len(TABLES)), ids=NAMES)
def test_the_text_has_at_most_80_columns(number):
    rules = TABLES[number]
    match = {"num_hands": 2, "starting_chips": 10**9 if rules is RICH else 12, "tie_break": True}
    for game in states(rules, number, **match):
        for viewer in (None, number % rules.num_players):
            lines = text(table_view(game, rules, viewer)).split("\n")
            assert max(map(len, lines)) <= 80, "\n".join(lines)
            assert all(line == line.rstrip() for line in lines)


def test_the_text_of_a_trick():
    game = three().play("FOUR", "PASS", "PASS", "2C", "9H")
    assert str(game) == (
        " Nap, 3 players · FOUR by player_0 · trumps ♣\n"
        f" {'─' * 47}\n"
        "               holds           played  bid   won\n"
        "     player_0  A♠ K♠ Q♠ J♠     2♣*     FOUR  0/4\n"
        "     player_1  T♠ 8♥ 7♥ 6♥     9♥      pass    0\n"
        " ▸D  player_2  9♠ 8♠ A♥ K♥ Q♥          pass    0\n"
        f" {'─' * 47}\n"
        " player_2 follows in trick 1\n"
        " trick 1 in clubs   0:2♣*  1:9♥\n"
        " may  9♠ 8♠ A♥ K♥ Q♥"
    )
    assert text(game.table(1)).split("\n")[3:6] == [
        "     player_0  ·· ·· ·· ··     2♣*     FOUR  0/4",
        "     you (1)   T♠ 8♥ 7♥ 6♥     9♥      pass    0",
        " ▸D  player_2  ·· ·· ·· ·· ··          pass    0",
    ]


def test_the_text_of_the_end():
    game = three().play("FOUR", "PASS", "PASS", "AS", "TS", "8S", "KS", "9H", "9S", "QS", "8H", "QH")
    game.play("JS", "7H", "KH", "2C", "6H", "AH")
    lines = str(game).split("\n")
    assert lines[3] == "     player_0  A♠* K♠* Q♠* J♠* 2♣*  FOUR  5/4    +8   +8  winner"
    assert lines[5] == "  D  player_2  8♠  9♠  Q♥  K♥  A♥   pass    0    −4   −4"
    assert lines[-2] == " FOUR by player_0 made: 5 tricks"


@pytest.mark.parametrize(
    ("actions", "words"),
    [
        ([], "player_0 bids or passes"),
        (["PASS", "PASS", "PASS"], "all passed"),
        (["NAP", "PASS", "PASS"], "player_0 leads in trick 1"),
        (["NAP", "PASS", "PASS", "AS"], "player_1 follows in trick 1"),
    ],
)
def test_the_headline(actions, words):
    assert headline(three().play(*actions).table()) == words


def test_R6_the_headline_of_a_revoke():
    rules = Rules(num_players=3, revoke="penalised")
    game = Game.deal(1, rules, dealer=2, hands=HANDS).play("NAP", "PASS", "PASS", "AS", "9H")
    assert headline(game.table()) == "NAP by player_0 made: player_1 revoked"


def test_the_headline_of_a_match_that_an_illegal_action_broke_off():
    game = three().play("NAP")
    game._game.phase = records.OVER
    assert headline(game.table()) == "broken off"
    assert not game.table().settled


def test_an_unseen_card_is_two_dots():
    assert (card_text(None), card_text(0), card_text(51)) == ("··", "2♣", "A♠")


# ---- what a viewer may see -------------------------------------------------------------------------------


def compared(rules, seed, moves=10_000):
    """States with, for a viewer, the table and the same table with the unseen cards dealt anew."""
    rng = random.Random(seed)
    viewer = seed % rules.num_players
    for game in states(rules, seed, moves, num_hands=2, starting_chips=40):
        other = redealt(game, rules, viewer, rng)
        yield table_view(game, rules, viewer), table_view(other, rules, viewer)


@pytest.mark.parametrize("number", range(len(TABLES)), ids=NAMES)
def test_a_viewer_sees_nothing_of_the_cards_he_may_not_see(number):
    for turn, (view, other) in enumerate(compared(TABLES[number], number)):
        assert view == other
        assert text(view) == text(other)
        if turn % 7 == 0:
            assert svg(view) == svg(other)


def test_the_test_above_would_notice():
    rules = make_rules("peep", 4)
    differ = 0
    for game in states(rules, 3):
        other = redealt(game, rules, 1, random.Random(3))
        differ += text(table_view(game, rules)) != text(table_view(other, rules))
    assert differ > 10


def test_the_choices_of_another_seat_are_its_own():
    game = three().play("FOUR", "PASS", "PASS", "AS")
    assert game.table(1).legal == game.table().legal == ("TS",)
    assert game.table(0).legal == game.table(2).legal == ()


def test_R8_who_may_see_the_peep_card():
    game = Game.deal(5, "peep", 3, dealer=2)
    card = int(game._game.peep_card)
    game.play("PEEP", "NAP", "PASS", "PASS")
    assert [game.table(viewer).peep_card for viewer in (None, 0, 1)] == [card, card, None]
    game.play(game.hand(0).split()[0])
    assert [game.table(viewer).peep_card for viewer in (0, 1)] == [card, None]
    assert game.table(1).swapped


# ---- SVG -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", TABLES[::4], ids=NAMES[::4])
def test_the_svg_is_well_formed_and_needs_nothing_else(rules):
    for game in states(rules, 1):
        drawing = svg(table_view(game, rules))
        root = ElementTree.fromstring(drawing)
        identities = [element.get("id") for element in root.iter() if element.get("id")]
        assert len(identities) == len(set(identities))
        uses = set(re.findall(r'(?:href="|url\()#([\w-]+)', drawing))
        assert uses <= set(identities)
        assert set(re.findall(r"https?://[^\"]*", drawing)) == {"http://www.w3.org/2000/svg"}
        assert "nan" not in drawing


# ---- pixels ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [make_rules("standard", 3), ALL_AT_ONCE, RICH], ids=["3", "4", "7"])
def test_pixels(rules):
    pytest.importorskip("pygame")
    pictures = []
    for view, other in list(compared(rules, 1, moves=40))[::5]:
        pixels = window.rgb_array(view)
        assert pixels.shape == (660, 960, 3)
        assert pixels.dtype == np.uint8
        assert pixels.flags.c_contiguous
        assert np.array_equal(pixels, window.rgb_array(other))
        pictures.append(pixels)
    assert all(not np.array_equal(one, two) for one, two in pairwise(pictures))


def test_a_window_opens_late_and_closes_twice():
    pygame = pytest.importorskip("pygame")
    pygame.display.quit()
    game = three()
    window.rgb_array(game.table())
    assert not pygame.display.get_init()
    shown = window.Window(fps=1000)
    assert not pygame.display.get_init()
    shown.show(game.table())
    assert pygame.display.get_init()
    shown.show(game.play("FOUR").table())
    assert pygame.display.get_caption()[0] == "Nap: player_1 bids or passes"
    shown.close()
    shown.close()
    assert not pygame.display.get_init()
    window.Window().close()


def test_a_window_closed_by_its_owner_stays_closed():
    pygame = pytest.importorskip("pygame")
    shown = window.Window(fps=1000)
    shown.show(three().table())
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    shown.show(three().table())
    assert shown.closed
    shown.show(three().table())
    assert not pygame.display.get_init()


def test_without_pygame_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygame", None)
    window._pygame.cache_clear()
    with pytest.raises(ImportError, match=r"nap-env\[render\]"):
        window.rgb_array(three().table())
    window._pygame.cache_clear()


def test_no_library_is_imported_before_a_picture_is_asked_for():
    program = """
import sys
from nap_env.game import Game
from nap_env.render import window
game = Game.deal(seed=1)
str(game), game._repr_svg_(), window.Window().close()
unwanted = {"pygame", "matplotlib", "torch", "PIL"} & set(sys.modules)
assert not unwanted, unwanted
"""
    subprocess.run([sys.executable, "-c", program], check=True)
