"""The principles of the agent `rules`, one by one, in positions made for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from agents.principles import bidding, counting, misere, tricks
from agents.rules import RulesAgent
from agents.seeing import view
from nap_env import Game
from nap_env.cards import ACTION_NAMES, CARD_NAMES, cards_of, mask_of, parse_cards
from nap_env.rules import Rules

RNG = np.random.default_rng(0)  # never used
PACK = np.uint64(2**52 - 1)
MISERE = ("MISERE", "PASS", "PASS")
THREE = ("THREE", "PASS", "PASS")


def position(hands: str, *actions: str, **rules: Any) -> Game:
    """A game after these actions; hands apart by "/" (all of a seat's or none), the last seat deals."""
    held = dict(enumerate(hands.split("/")))
    variant = Rules(num_players=len(held), **rules)
    given = {seat: hand for seat, hand in held.items() if hand}
    return Game.deal(seed=1, rules=variant, dealer=len(held) - 1, hands=given).play(*actions)


def seen(game: Game) -> Any:
    """What the seat to act knows, as the principles read it."""
    assert game.seat is not None
    row = game.observe(game.seat)
    v = np.zeros(1, view.VIEW)[0]
    view.read(row["observation"], row["action_mask"], game.rules.kernel[0], v)
    if v.phase == 7:
        view.read_voids(row["observation"], game.rules.kernel[0], v)
    return v


def kernel(game: Game) -> Any:
    return game.rules.kernel[0]


def word(cards: str) -> np.uint64:
    return np.uint64(mask_of(parse_cards(cards)))


def names(mask: Any) -> set[str]:
    return {CARD_NAMES[card] for card in cards_of(int(mask))}


def choice(game: Game) -> str:
    assert game.seat is not None
    row = game.observe(game.seat)
    return ACTION_NAMES[RulesAgent().for_rules(game.rules).act(row["observation"], row["action_mask"], RNG)]


# ---- view ---------------------------------------------------------------------------------------------------


def test_view_reads_what_a_seat_knows() -> None:
    game = position("TS AH TH 3H 4D/AS JS KH 7C 6C/QS 2S 5C 4C 3C", *THREE, "TS", "AS")
    v = seen(game)
    assert (v.n, v.trick, v.leader, v.led, v.trump, v.best, v.declarer) == (3, 0, 1, 3, 3, 2, 1)
    assert CARD_NAMES[v.best_card] == "AS"
    assert names(v.hand) == {"QS", "2S", "5C", "4C", "3C"}
    assert names(v.legal) == {"QS", "2S"}
    assert v.later == 0
    assert v.payers == 2
    assert v.target == 3
    assert names(v.played[2]) == {"AS"}
    assert [ACTION_NAMES[v.bids[seat]] for seat in range(3)] == ["PASS", "THREE", "PASS"]
    assert int(v.unseen).bit_count() == 52 - 5 - 2
    game.play("2S", "6C")
    v = seen(game)  # seat 2 follows; seat 0 is the declarer and still to play
    assert v.later == 0b10
    assert v.won[2] == 1


def test_voids_are_read_from_cards_that_do_not_follow() -> None:
    game = position("TS AH TH 3H 4D/AS JS KS 7C 6C/QS 9S 5C 4H 3C", *THREE, "TS", "AS", "9S", "6C", "3C", "4D")
    v = seen(game)
    assert v.void[:3].tolist() == [0, 0, 0b0001] or v.void[:3].tolist() == [0, 0b0001, 0]
    assert v.void[v.declarer] == 0b0001


# ---- counting -----------------------------------------------------------------------------------------------


def test_density() -> None:
    assert counting.density(5, 4, PACK ^ word("AS KS QS JS TS")) == pytest.approx(20 / 47)
    assert counting.density(5, 2, word("AS KS")) == 1.0


def worth(hand: str, suit: int, opponents: int = 4) -> float:
    cards = word(hand)
    dense = counting.density(5, opponents, PACK & ~cards)
    return float(counting.tricks_with(cards, suit, PACK & ~cards, dense))


def test_higher_and_more_trumps_count_more() -> None:
    spades = 3
    rising = [
        "6S 5S 4S 3D 2D",
        "TS 5S 4S 3D 2D",
        "KS 5S 4S 3D 2D",
        "AS 5S 4S 3D 2D",
        "AS KS 4S 3D 2D",
        "AS KS 5S 4S 2D",
    ]
    values = [worth(hand, spades) for hand in rising]
    assert values == sorted(values)
    assert worth("AS KS QS JS TS", spades) > 4.5
    assert worth("AS 5S 4S AD 2D", spades) > worth("AS 5S 4S KD 2D", spades) > worth("AS 5S 4S 3D 2D", spades)


def test_a_crowd_makes_rank_dear_and_length_cheap() -> None:
    assert worth("7S 6S 5S 3D 2D", 3, opponents=1) > worth("7S 6S 5S 3D 2D", 3, opponents=6)
    assert worth("AS 2S AD 3C 2C", 3, opponents=1) < worth("AS 2S AD 3C 2C", 3, opponents=6) + 1.5


def test_the_strongest_suit_is_chosen() -> None:
    for hand, suit in (("AS KS QS JD TD", 3), ("AS JD TD 9D 8D", 1), ("2C 3C 4C AH KD", 0), ("KH 2H AS 2C 3D", 2)):
        cards = word(hand)
        assert counting.best_trumps(cards, PACK & ~cards, 0.43) == suit


def test_more_tricks_are_less_likely() -> None:
    chances = [counting.chance_of_tricks(3.0, asked, 5, 0.43) for asked in (2, 3, 4, 5)]
    assert chances == sorted(chances, reverse=True)
    assert chances[1] > 0.5 > chances[2]


def test_misere_hands() -> None:
    def chance(hand: str) -> float:
        cards = word(hand)
        return float(counting.chance_of_misere(cards, PACK & ~cards, 0.43))

    assert chance("2S 4S 6S 2H 3D") > chance("2S 4S 8S 2H 7D") > chance("9S 8S 8D 2H 7D") > chance("AS KS QD JH TC")
    assert chance("2S 3S 4S 5S 6S") > 0.8
    assert chance("AS KS QD JH TC") < 0.1
    assert chance("2S 5S AS 2H 3D") > chance("2S 5S 2H 3D AC")  # a high card is covered by low ones of its suit


# ---- the auction --------------------------------------------------------------------------------------------


def test_passing_costs_more_the_more_may_bid_and_the_dearer_the_bid() -> None:
    first, last = position("///"), position("///", "PASS", "PASS", "PASS")
    assert bidding.worth_of_passing(seen(first), kernel(first)) < 0
    assert bidding.worth_of_passing(seen(last), kernel(last)) == 0
    three, nap = position("///", "THREE"), position("///", "NAP")
    assert bidding.worth_of_passing(seen(nap), kernel(nap)) < bidding.worth_of_passing(seen(three), kernel(three)) < 0


def test_break_even_is_one_in_two_or_one_in_three() -> None:
    game = position("///")
    v, r = seen(game), kernel(game)
    assert bidding.worth(54, 0.0, 0.5, v, r) == pytest.approx(0)
    asked = next(t for t in np.arange(0, 6, 0.01) if bidding.worth(56, t, 0, v, r) > 0)
    assert counting.chance_of_tricks(asked, 5, 5, counting.density(5, 3, v.unseen)) == pytest.approx(1 / 3, abs=0.01)


@pytest.mark.parametrize(
    ("hand", "before", "bid"),
    [
        ("AS KS QS JS TS", "PASS", "NAP"),
        ("AS KS QS JS TS", "NAP", "WELLINGTON"),
        ("AS KS QS JS TS", "WELLINGTON", "BLUCHER"),
        ("AS KS QS JS TS", "BLUCHER", "PASS"),
        ("2S 3S 4S 2H 3D", "PASS", "MISERE"),
        ("2S 3S 4S 2H 3D", "THREE", "MISERE"),
        ("2S 3S 4S 2H 3D", "FOUR", "PASS"),
        ("AS QS 9S AD 3C", "PASS", "THREE"),
        ("9S 8H 7D JC 3C", "PASS", "PASS"),
    ],
)
def test_bids(hand: str, before: str, bid: str) -> None:
    bids = ["NAP", "WELLINGTON", "BLUCHER"]
    calls = bids[: bids.index(before) + 1] if before in bids else [before]
    seat = len(calls)
    held = ["", "", "", "", "", "", ""]
    held[seat] = hand
    game = position("/".join(held[:5]), *calls)
    assert choice(game) == bid


def test_the_last_to_call_needs_more_than_the_first() -> None:
    """A hand worth a little less than nothing is bid early and left alone late."""
    game = position("///")
    v, r = seen(game), kernel(game)
    tricks_held = next(t for t in np.arange(0, 6, 0.01) if bidding.worth(53, t, 0, v, r) > -0.1)
    assert ACTION_NAMES[bidding.best_bid(tricks_held, 0.0, v, r)] == "THREE"
    late = position("///", "PASS", "PASS", "PASS")
    assert ACTION_NAMES[bidding.best_bid(tricks_held, 0.0, seen(late), kernel(late))] == "PASS"


# ---- the specials -------------------------------------------------------------------------------------------


def test_it_looks_at_the_peep_card_when_one_card_may_help() -> None:
    assert choice(position("AS QS 9S 3D 2C////", peep=True)) == "PEEP"
    assert choice(position("9S 8H 7D TC 9D////", peep=True)) == "PASS"
    blucher = position("///AS KS QS JS TS/", "NAP", "WELLINGTON", "BLUCHER", peep=True)
    assert choice(blucher) == "PASS"  # no bid is left
    assert choice(position("2S 3S 4S 2H 3D//", peep=True, ladder=("NAP",))) == "PASS"  # no Misere to look for


def with_peep_card(card: str, hand: str, *actions: str, **rules: Any) -> Game:
    """Three players, seat 0 acts with ``hand``; the peep card is ``card``."""
    variant = Rules(num_players=3, peep=True, **rules)
    mine, rest = hand.split(), [c for c in CARD_NAMES if c not in (*hand.split(), card)]
    others = rest[:10]
    order = [*mine[:3], *others[:6], *mine[3:], *others[6:10], card, *rest[10:]]
    return Game.deal(seed=1, rules=variant, dealer=2, deck=order).play(*actions)


def test_the_swap() -> None:
    bids = ("PEEP", "THREE", "PASS", "PASS")
    assert choice(with_peep_card("KS", "AS QS 9S 3D 8C", *bids)) == "3D"  # the least useful card for a trump
    assert choice(with_peep_card("2H", "AS QS 9S 3D 8C", *bids)) == "PASS"
    misere = ("PEEP", "MISERE", "PASS", "PASS")
    assert choice(with_peep_card("2H", "2S 3S 4S JD 3C", *misere)) == "JD"
    assert choice(with_peep_card("AH", "2S 3S 4S 5D 3C", *misere)) == "PASS"


def test_the_swap_it_knows_of_counts_in_the_auction() -> None:
    assert choice(with_peep_card("JH", "QS JS 9S 3D 2C", "PEEP")) == "THREE"
    assert choice(with_peep_card("AS", "QS JS 9S 3D 2C", "PEEP")) == "NAP"  # with three players
    assert choice(with_peep_card("3H", "KS 3S 9D 7H 8C", "PEEP")) == "MISERE"
    assert choice(with_peep_card("AS", "KS 3S 9D 7H 8C", "PEEP")) == "THREE"


def test_the_swap_of_a_card_it_has_not_seen() -> None:
    unseen = ("THREE", "PASS", "PASS")
    assert choice(with_peep_card("KS", "AS QS 9S 2D AC", *unseen, peep_exchange="declarer")) == "2D"
    assert choice(with_peep_card("KS", "AS QS 9S AD AC", *unseen, peep_exchange="declarer")) == "PASS"


def test_the_spare_hand() -> None:
    assert choice(position("AS QS 9S 3D 2C//", sir_garnet=True)) == "GARNET"
    assert choice(position("9S 8H 7D TC JD//////", sir_garnet=True)) == "PASS"
    assert choice(position("AS KS QS JS TS//", sir_garnet=True)) == "NAP"  # nothing to gain
    game = position("AS QS 9S 3D 2C//", "GARNET", sir_garnet=True)
    kept = set(game.hand(0).split())
    while game.phase == "GARNET":
        away = choice(game)
        game.play(away)
        kept.discard(away)
    assert len(kept) == 5
    assert "AS" in kept


def test_buying_and_discarding() -> None:
    assert choice(position("AS QS 3D 4D 2C////", exchange="purchase")) == "BUY"
    assert choice(position("9S 8H 7D 3C JD////", exchange="purchase")) == "PASS"
    assert choice(position("AS KS QS JS TS////", exchange="purchase")) == "PASS"  # nothing to gain
    assert choice(position("2S 3S 4S 2H 3D////", exchange="purchase")) == "PASS"  # a Misere
    game = position("AS QS 4D 9D KC////", "BUY", exchange="purchase")
    assert choice(game) == "4D"
    assert choice(game.play("4D")) == "9D"


def test_ecarte() -> None:
    game = position("AS QS 9S 4D 8C///", exchange="ecarte")
    away = []
    while choice(game) != "PASS":
        away.append(choice(game))
        game.play(away[-1])
    assert sorted(away) == ["4D", "8C"]
    assert choice(position("2S 3S 4S 2H 3D///", exchange="ecarte")) == "PASS"
    assert choice(position("9S 8H 7D 3C JD///", exchange="ecarte")) == "PASS"


# ---- the play for tricks: the declarer ------------------------------------------------------------------------


def test_the_first_lead_is_the_highest_of_the_strongest_suit() -> None:
    assert choice(position("AS KS 4S AD 2D//", *THREE)) == "AS"
    assert choice(position("2C 3C 4C 5C AD//", *THREE)) == "5C"
    lowest = position("AS KS QS JS 4S//", "NAP", "WELLINGTON", "PASS", wellington_lowest_lead=True)
    assert lowest.seat == 1
    assert choice(lowest) in lowest.legal()


def test_masters() -> None:
    assert names(tricks.masters(word("AS QS KH 2D"), word("KS AH"))) == {"AS", "2D"}


def test_the_declarer_draws_trumps_from_the_top() -> None:
    game = position("AS KS 9S QH 3D/2S 3S 4H 5H 6H/4S 5S 8H 9H TH", *THREE, "AS", "2S", "4S")
    assert choice(game) == "KS"


def test_a_last_trump_that_may_be_beaten_is_kept() -> None:
    game = position("AS 9S JH QH 3D/2S 3S 4H 5H 6H/4S JS 8H 9H TH", *THREE, "AS", "2S", "4S")
    v = seen(game)
    assert tricks.can_lose_one(v)
    assert tricks.keep_last_trump(v, word("9S"))
    assert choice(game) == "QH"
    # Nap cannot lose one: he goes on.
    nap = position("AS 9S JH QH 3D/2S 3S 4H 5H 6H/4S JS 8H 9H TH", "NAP", "PASS", "PASS", "AS", "2S", "4S")
    assert not tricks.can_lose_one(seen(nap))
    assert choice(nap) == "9S"
    # A master is led.
    sure = position("AS KS JH QH 3D/2S 3S 4H 5H 6H/4S JS 8H 9H TH", *THREE, "AS", "2S", "4S")
    assert choice(sure) == "KS"


def test_without_trumps_he_leads_a_master_before_a_higher_card() -> None:
    game = position("AS KS KH QD 3D/2S 3S AD KD 6H/4S JS 8H 9H TH", *THREE, "AS", "2S", "4S", "KS", "3S", "JS")
    assert choice(game) == "KH"  # the ace of hearts is out; the king is the highest
    v = seen(game)
    v.unseen = v.unseen & ~word("AD KD")
    assert CARD_NAMES[tricks.draw_trumps(v)] == "QD"


def test_the_declarer_wins_cheaply() -> None:
    game = position("TS AH TH 3H 4D/AS 9H 8C 7C 6C/3S 2H 5C 4C 3C", *THREE, "TS", "AS", "3S", "9H", "2H")
    assert choice(game) == "TH"


# ---- the play for tricks: the others ----------------------------------------------------------------------------


def test_the_declarer_is_beaten_cheaply() -> None:
    game = position("TS AH TH 3H 4D/AS JS KS 7C 6C/QS 2S 5C 4C 3C", *THREE, "TS")
    assert choice(game) == "JS"


def test_no_high_card_is_wasted_on_a_fellows_trick() -> None:
    game = position("TS AH TH 3H 4D/AS JS KS 7C 6C/QS 2S 5C 4C 3C", *THREE, "TS", "JS")
    assert choice(game) == "2S"


def test_before_the_declarer_the_highest_card_covers() -> None:
    start = (*THREE, "TS", "AS", "2S")  # seat 1 has taken the first trick and leads
    game = position("TS AH TH 3H 4D/AS JS 2H 7C 6C/KH 2S 5H 4C 3C", *start, "2H")
    assert choice(game) == "KH"  # the declarer, who plays last, must beat it
    game = position("TS AH TH 3H 4D/AS JS QH 7C 6C/JH 2S 5H 4C 3C", *start, "QH")
    assert choice(game) == "5H"  # covering would not take the trick


def test_a_master_trump_draws_his_trumps() -> None:
    game = position("TS 9S TH 3H 4D/AS KS 2H 7C 6C/KH 2S 5H 4C 3C", *THREE, "TS", "AS", "2S")
    assert choice(game) == "KS"


def test_he_is_made_to_ruff() -> None:
    start = (*THREE, "TS", "AS", "2S", "7C", "9C", "9S")  # he ruffed a club, and leads again
    game = position("TS 9S 8S 3H 4D/AS AC 2H 7C KD/9C 2S 5H 4C QS", *start, "8S", "2H", "QS")
    v = seen(game)
    assert v.void[v.declarer] == 0b0001
    assert choice(game) == "4C"
    assert names(tricks.dead_suits(v.legal, v)) == {"4C"}


def test_else_the_highest_side_card_is_led() -> None:
    game = position("TS 9S TH 3H 4D/AS 2S QH 7C KC/KS 3S 5H 4C 3C", *THREE, "TS", "AS", "3S")
    assert choice(game) == "KC"


def test_what_is_thrown_away() -> None:
    game = position("AS KS QS 3H 4D/2S 7C JH 2D TH/3S 4S 5S 4C 3C", *THREE, "AS", "2S", "3S", "KS")
    assert choice(game) == "2D"  # the lowest
    v = seen(game)
    v.void[v.declarer] = 0b0100  # he has shown out of hearts: these can do nothing more
    assert CARD_NAMES[tricks.throw_away(v)] == "TH"
    ruff = position("AS KS QS 3H 4D/2S 7C JH 3S TH/4S 5S 6S 4C 3C", *THREE, "AS", "2S", "4S", "KS", "3S", "5S", "4D")
    assert choice(ruff) == "7C"
    assert choice(ruff.play("7C")) == "6S"  # beats him; else a trump is thrown last


# ---- Misere: the declarer -----------------------------------------------------------------------------------


def test_a_low_card_is_surely_overtaken_and_an_ace_never() -> None:
    v = seen(position("2S 5H 9D AC 4C////", "MISERE", "PASS", "PASS", "PASS", "PASS"))
    chances = [misere.overtaken(parse_cards(card)[0], v) for card in ("2S", "5H", "9D", "AC")]
    assert chances == sorted(chances, reverse=True)
    assert chances[0] > 0.9
    assert chances[3] == 0


def test_the_only_lead_is_overtaken_and_leaves_a_hand_that_ducks() -> None:
    assert choice(position("2S 3S 4S 5H AC////", "MISERE", "PASS", "PASS", "PASS", "PASS")) != "AC"
    v = seen(position("2S 3S 2D 3D 5H////", "MISERE", "PASS", "PASS", "PASS", "PASS"))
    lead = misere.open_misere(v)
    assert misere.overtaken(lead, v) > 0.9


def test_he_ducks_as_high_as_he_can() -> None:
    game = position("2S 3H 5H 9H 4D/KS 6H 8C 7C 6C/3S 2H 5C 4C 3C", *MISERE, "2S", "KS", "3S", "6H", "2H")
    assert choice(game) == "5H"
    game = position("2S 7H 8H 9H 4D/KS 2C 6H 7C 6C/3S QS QH 4C 3C", *MISERE, "2S", "KS", "QS", "6H")
    game.play("QH")
    assert choice(game) == "9H"


def test_he_hopes_for_those_who_play_after_him() -> None:
    start = ("PASS", "MISERE", "PASS", "2S", "3S", "KS")  # seat 1 declares; seat 0 takes the trick and leads
    game = position("KS 2H QC JC TC/2S 4H 9H 7D 8D/3S AH 5C 4C 3C", *start, "2H")
    assert choice(game) == "4H"


def test_void_he_throws_the_card_he_is_safest_without() -> None:
    game = position("2S 2H 3H 7D 4C/KS 6S 8C 7C 6C/3S 2D 5C 9D 3C", *MISERE, "2S", "KS", "3S", "6S", "9D")
    assert choice(game) == "7D"


# ---- Misere: the others ---------------------------------------------------------------------------------------


def test_the_lead_that_traps() -> None:
    game = position("7S 8H 5D 5C 4D/AS AC KC 2H QC/KS JH TH 9H QH", *MISERE, "7S", "AS", "KS")
    assert choice(game) == "2H"
    v = seen(game)
    factor = misere.held_by_declarer(v)
    low, high = (misere.trap(parse_cards(card)[0], factor, v) for card in ("2H", "AC"))
    assert low > high
    v.void[v.declarer] = 0b0100
    assert misere.trap(parse_cards("2H")[0], factor, v) == 0  # he has no hearts to win with


def test_fellows_who_cannot_follow_cannot_rescue() -> None:
    game = position("7S 8H 5D 5C 4D/AS AC KC 4H QC/KS JH TH 9H QH", *MISERE, "7S", "AS", "KS")
    v = seen(game)
    factor = misere.held_by_declarer(v)
    before = misere.trap(parse_cards("4H")[0], factor, v)
    v.void[1 if v.declarer == 2 else 2] = 0b0100
    assert misere.trap(parse_cards("4H")[0], factor, v) > before


def test_they_stay_under_the_card_he_has_to_win_with() -> None:
    game = position("7S 3H 5H 9H 4D/KS 6S 5S 7C 6C/3S AS 5C 4C 3C", *MISERE, "7S")
    assert choice(game) == "6S"


def test_out_of_danger_high_cards_go() -> None:
    game = position("7S 3H 5H 9H 4D/KS 6S 5S 7C 6C/3S AS 5C 4C 3C", *MISERE, "7S", "KS")
    assert choice(game) == "AS"  # simple-v1 would waste the three


def test_before_him_they_leave_the_trick_low() -> None:
    start = (*MISERE, "7S", "KS", "AS")  # seat 2 leads, the declarer plays next
    game = position("7S 3H 5H 9H 4D/KS 6S TH 4H 6C/2C AS 6H 4C 3C", *start)
    game.play("6H", "5H")
    assert choice(game) == "TH"  # he ducked: nothing to be won
    start = (*MISERE, "7S", "KS", "3S")  # seat 1 leads, then seat 2, then he
    game = position("7S 3H 5H 9H 4D/KS 6S 6H 2D 6C/3S KH 8H 4H 3C", *start, "6H")
    assert choice(game) == "4H"
    game = position("7S 3H 5H 9H 4D/KS 6S 6H 2D 6C/3S KH 8H 4D 3C".replace("9H 4D", "9H TD"), *start, "6H")
    assert choice(game) == "8H"


def test_what_would_rescue_him_is_thrown() -> None:
    game = position("7S 3H 5H 9H 4D/KS 6S 5S 7C 6C/2H QH KD 4C 3C", *MISERE, "7S", "KS")
    assert choice(game) == "KD"  # alone, it would have to overtake him
