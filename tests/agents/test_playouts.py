"""Hands played out inside the kernel are those that the agents play when they are asked."""

import numpy as np
import pytest
from scale import scaled

import agents
from agents.searching.playouts import made_batch
from agents.seeing.record_view import read_record
from agents.seeing.view import VIEW, read, read_voids
from nap_env import PRESETS, Rules, Tables, solver
from nap_env.agent import ask
from nap_env.cards import BIDS
from nap_env.dealing.match import make_match
from nap_env.engine.records import PLAY
from nap_env.errors import AgentError

WELLINGTON = 57

VARIANTS = {
    **PRESETS,
    "everything": Rules(exchange="purchase", peep=True, sir_garnet=True, num_players=4, revoke="penalised"),
    "dealer sits out": Rules(num_players=6, dealer_sits_out=True, sir_garnet=True, wellington_lowest_lead=True),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_a_look_at_the_game_shows_what_the_observation_does(name):
    rules = VARIANTS[name]
    tables = Tables(scaled(60), rules, seed=3, match=make_match(rules.num_players, num_hands=3))
    seen, looked = np.zeros(2, VIEW)
    outside_play = [field for field in VIEW.names if field not in ("table", "void")]
    for _ in range(60):
        for table in range(tables.num_tables):
            read(tables.obs[table], tables.mask[table], rules.kernel[0], seen)
            if seen.phase == PLAY:
                read_voids(tables.obs[table], rules.kernel[0], seen)
            read_record(tables.games[table], rules.kernel[0], looked)
            for field in VIEW.names if seen.phase == PLAY else outside_play:
                assert np.array_equal(seen[field], looked[field]), (field, seen, looked)
        tables.step(tables.random_actions())


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("policy", ["rules", "simple-v1"])
def test_a_playout_is_the_agents_own_play(policy, name):
    rules = VARIANTS[name]
    match = make_match(rules.num_players, num_hands=3)
    inside = Tables(scaled(40), rules, seed=8, match=match, auto_deal=False)
    asked = inside.clone()
    agent = agents.make(policy, rules)
    net = inside.playout(policy)
    rng = np.random.default_rng(0)
    while not asked.over.all():
        going = np.flatnonzero(~asked.over)
        asked.step(ask(agent, asked.obs[going], asked.mask[going], rng), going)
    assert np.array_equal(net, asked.net)
    assert inside.games.tobytes() == asked.games.tobytes()
    assert np.array_equal(inside.obs, asked.obs)


def test_a_playout_is_dealt_from_the_given_packs():
    rules = Rules(num_players=3)
    packs = np.stack([np.stack([np.random.default_rng(2 * row + hand).permutation(52) for hand in range(2)])
                      for row in range(4)])  # fmt: skip
    tables = Tables(4, rules, seed=1, match=make_match(3, num_hands=2), auto_deal=False)
    tables.reset(seed=1, decks=packs)
    tables.playout()
    assert np.array_equal(tables.games["deck"], packs[:, 1])


def test_an_agent_without_a_loop_is_refused():
    tables = Tables(2, seed=1)
    before = tables.games.tobytes()
    with pytest.raises(AgentError, match=r"pass cannot play inside a compiled loop.*rules or simple-v1"):
        tables.playout("pass")
    with pytest.raises(AgentError, match="no agent 'nobody'"):
        tables.playout("nobody")
    assert tables.games.tobytes() == before


# ---- made_batch ------------------------------------------------------------------------------------


def deals(rules, size, seed):
    rng = np.random.default_rng(seed)
    pack = [card for card in range(52) if rules.pack_mask >> card & 1]
    cards = np.array([rng.permutation(pack)[: rules.num_players * rules.hand_size] for _ in range(size)])
    held = np.left_shift(np.uint64(1), cards.reshape(size, rules.num_players, -1).astype(np.uint64))
    return np.bitwise_or.reduce(held, axis=2)


def by_asking(rules, hands, declarer, bid):
    """The same through `Tables`: the hands dealt, the bid made by force, then the agent asked for every card."""
    n = rules.num_players
    first = (declarer - 1) % n if bid == WELLINGTON else declarer  # it stands over a Nap (R3.3)
    packets = [3, 2, 2][: 1 + (rules.hand_size - 3) // 2]
    left = [[card for card in range(52) if int(hand) >> card & 1] for hand in hands]
    deck = [left[(first + place) % n].pop() for packet in packets for place in range(n) for _ in range(packet)]
    deck += [card for card in range(52) if card not in deck]
    tables = Tables(1, rules, seed=0, auto_deal=False)
    tables.reset(seed=0, decks=np.array([deck]), dealers=np.array([(first - 1) % n]))
    assert np.array_equal(tables.games["hand"][0, :n], hands)
    if bid == WELLINGTON:
        tables.step([bid - 1])
    agent, rng = agents.make("rules", rules), np.random.default_rng(0)
    tables.step([bid])
    while not tables.over[0]:
        passing = tables.games["phase"][0] != PLAY
        tables.step([52] if passing else ask(agent, tables.obs, tables.mask, rng))
    return bool(tables.net[0, declarer] > 0)


@pytest.mark.parametrize(
    "rules",
    [Rules(num_players=3), Rules(), PRESETS["seven_card"], Rules(num_players=4, revoke="penalised"),
     Rules(num_players=3, wellington_lowest_lead=True, misere_trump=True)],
    ids=["3", "5", "seven cards", "penalised", "lowest lead"],
)  # fmt: skip
def test_made_is_what_the_agents_make_when_they_are_asked(rules):
    size = scaled(60)
    hands = deals(rules, size, 5)
    bids = [53 + BIDS.index(name) for name in rules.bids if name != "BLUCHER"]
    for row in range(size):
        declarer, bid = row % rules.num_players, bids[row % len(bids)]
        assert made_batch(hands[row : row + 1], declarer, bid, rules)[0] == by_asking(rules, hands[row], declarer, bid)


def test_made_depends_on_no_neighbour_and_no_thread():
    rules = Rules(num_players=4)
    hands = deals(rules, scaled(3000), 6)
    seats = np.arange(len(hands)) % 4
    all_of_them = made_batch(hands, seats, "THREE", rules)
    assert np.array_equal(all_of_them, made_batch(hands, seats, "THREE", rules, threads=3))
    assert np.array_equal(all_of_them[::-1], made_batch(hands[::-1], seats[::-1], "THREE", rules))
    assert 0.2 < all_of_them.mean() < 0.8


def test_players_who_see_their_own_cards_only_err_to_both_sides():
    hands = deals(Rules(), scaled(2000), 7)
    made, could = (ask_it(hands, 0, "MISERE") for ask_it in (made_batch, solver.can_make_batch))
    assert (made & ~could).any()  # the payers let it through
    assert made.mean() > could.mean()


def test_a_preset_is_played_by_as_many_as_there_are_hands():
    hands = deals(Rules(num_players=3), scaled(200), 9)
    assert np.array_equal(made_batch(hands, 1, "THREE"), made_batch(hands, 1, "THREE", Rules(num_players=3)))


@pytest.mark.parametrize(
    ("declarer", "bid", "message"),
    [(5, "THREE", "declarer 5 is not at the table"), (0, "PASS", "PASS is not on the ladder"),
     (0, "TWO", "'TWO' is no bid")],
)  # fmt: skip
def test_a_question_that_cannot_be_is_refused(declarer, bid, message):
    with pytest.raises(ValueError, match=message):
        made_batch(deals(Rules(), 2, 1), declarer, bid)
