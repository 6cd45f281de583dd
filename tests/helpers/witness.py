"""Random matches for hypothesis, and the referee as a witness who remembers what each seat has seen.

A match is drawn as a `Plan` (rules, terms, dealer, a seed and a style of play); the moves are then a function
of seed and style, so that a failing example is a handful of numbers.
"""

import random
from dataclasses import dataclass

import numpy as np
import referee
from hypothesis import strategies as st

from nap_env import Rules, nap_v0
from nap_env.cards import ACTION_NAMES, action_id, card_id

# ---- what is drawn ---------------------------------------------------------------------------------

RAISES = ["THREE", "MISERE", "FOUR", "NAP", "WELLINGTON", "BLUCHER", "SIX", "SEVEN"]
STYLES = {  # how much each kind of action is preferred to a card; PASS among them
    "even": {},
    "shy": {"PASS": 20},
    "bold": dict.fromkeys(RAISES, 3) | {"GARNET": 5},
    "spender": {"BUY": 8, "PEEP": 30, "GARNET": 5, "PASS": 1},
    "shy spender": {"PASS": 12, "PEEP": 40, "BUY": 20},
}
FOCUS = [
    "anything",
    "poor",
    "buying",
    "two tied",
    "decided early",
    "sitting out",
    "seven penalised",
    "research",
]


@dataclass(frozen=True)
class Plan:
    """A match to play: arguments of `Rules`, terms, first dealer, seed and style of play."""

    rules: dict
    terms: dict
    dealer: int
    seed: int
    style: str


@st.composite
def plans(draw, focus="anything"):
    """A match that can be played, with the traits of a focus."""
    rules = draw(rules_of(focus))
    n = rules["num_players"]
    terms = {"num_hands": draw(st.integers(1, 4)), "tie_break": draw(st.booleans())}
    style = draw(st.sampled_from(list(STYLES)))
    if draw(st.booleans()) or focus == "poor":
        chips = st.integers(1, 3) if focus == "poor" else st.integers(1, 25)
        terms |= {"starting_chips": draw(chips), "rebuys": draw(st.integers(0, 2))}
    if focus in ("two tied", "sitting out"):
        terms["tie_break"] = True
        style = draw(st.sampled_from(["shy", "shy spender"]))
    if focus == "poor":
        terms["num_hands"] = draw(st.integers(2, 8))
    return Plan(rules, terms, draw(st.integers(0, n - 1)), draw(st.integers(0, 2**32)), style)


@st.composite
def rules_of(draw, focus):
    """Arguments of `Rules` that the referee does not refuse."""
    rules = draw(shape(focus))
    flags = ["misere_trump", "wellington_lowest_lead"]
    if rules["num_players"] >= 4:
        flags.append("dealer_sits_out")
    rules |= {flag: True for flag in flags if draw(st.booleans())}
    revoke = draw(st.sampled_from(["forbidden", "penalised", "stop"]))
    if focus == "decided early" or (revoke == "stop" and focus != "seven penalised"):
        rules["stop_when_decided"] = True
    elif revoke == "penalised" or focus == "seven penalised":
        rules["revoke"] = "penalised"
    if focus == "sitting out":
        rules["dealer_sits_out"] = True
    rules |= draw(fitting_pack(rules))
    ladder = draw(st.none() | st.sets(st.sampled_from(referee.ladder(rules)), min_size=1))
    if ladder is not None and referee.refused(rules | {"ladder": sorted(ladder)}) is None:
        rules["ladder"] = sorted(ladder)
    if draw(st.integers(0, 3)) == 0:
        figure = st.integers(0, 40)
        rules["stakes"] = {bid: [draw(figure), draw(figure)] for bid in referee.ladder(rules)[::2]}
    assert referee.refused(rules) is None
    return rules


@st.composite
def shape(draw, focus):
    """How many players, cards a hand, and what lies beside the hands (R7 to R9, R15)."""
    research, seven = focus == "research", focus == "seven penalised"
    if focus == "anything":
        kind = draw(st.sampled_from(["five", "five", "five", "seven", "research"]))
        research, seven = kind == "research", kind == "seven"
    most = {"two tied": 2, "research": 5}.get(focus, 7)
    n = draw(st.integers(4 if focus == "sitting out" else 2, most))
    if research:
        suits = draw(st.integers(2, 4))
        hand_size = draw(st.integers(1, min(4, 13 * suits // n)))
        ranks = draw(st.integers(-(-n * hand_size // suits), 13))
        return {"num_players": n, "hand_size": hand_size, "suits": suits, "pack": suits * ranks}
    if seven:
        return {"num_players": n, "hand_size": 7, "misere_below_nap": draw(st.booleans())}
    rules = {"num_players": n, "sir_garnet": draw(st.booleans()), "peep": draw(st.booleans())}
    exchanges = ["none", "purchase", "ecarte"] if n <= 4 else ["none", "purchase"]
    if focus == "buying":
        exchanges.remove("none")
    if focus in ("buying", "sitting out"):
        rules["peep"] = True
    rules["peep_exchange"] = draw(st.sampled_from(["peeped", "declarer"]))
    rules["exchange"] = draw(st.sampled_from(exchanges))
    rules["purchase_count"] = draw(st.integers(1, 5))
    while referee.cards_needed(rules) > 52:  # too many cards: fewer in a purchase, then no spare hand
        if rules["purchase_count"] > 1 and rules["exchange"] == "purchase":
            rules["purchase_count"] -= 1
        else:
            rules["sir_garnet"] = False
    return rules


@st.composite
def fitting_pack(draw, rules):
    """A pack of R2.1 with cards enough; research sizes have theirs."""
    if "pack" in rules:
        return {}
    sizes = [size for size in (52, 40, 36, 32, 28, 24) if size >= referee.cards_needed(rules)]
    return {"pack": draw(st.sampled_from(sizes))}


def shuffled_packs(plan):
    """Packs enough for every hand of a match, extra ones included."""
    rng = random.Random(f"packs {plan.seed}")
    cards = referee.pack(plan.rules)
    return [rng.sample(cards, len(cards)) for _ in range(plan.terms["num_hands"] + 11)]


def choose(legal, style, rng):
    """One of the legal names, at random with the weights of a style."""
    weights = [STYLES[style].get(name, 1) for name in legal]
    return rng.choices(legal, weights)[0]


# ---- the referee, and what each of its seats has seen ----------------------------------------------


class Witness(referee.Referee):
    """The referee, keeping besides what is said and played: what a seat may remember."""

    def __init__(self, *args, **kwargs):
        self.alive = None
        super().__init__(*args, **kwargs)

    def deal(self):
        super().deal()
        if not self.extra_hands:
            self.alive = list(self.playing)
        self.in_hand = list(self.playing)
        self.bids = {}
        self.shown = []  # tricks: leader and the card of each seat
        self.spare_taker = None
        self.swapped = False

    def find_winner(self):
        if not self.extra_hands:
            self.alive = list(self.playing)
        super().find_winner()

    def apply_auction(self, name):
        if name == "GARNET":
            self.spare_taker = self.seat
        if name != "PEEP":
            self.bids[self.seat] = "NAP" if name == "GARNET" else name
        super().apply_auction(name)

    def apply_swap(self, name):
        self.swapped = name != "PASS"
        super().apply_swap(name)

    def apply_play(self, name):
        if not self.trick:
            self.shown.append({"leader": self.seat, "cards": {}})
        self.shown[-1]["cards"][self.seat] = name
        super().apply_play(name)

    def seen_by(self, viewer):
        """What the decoder should say for a seat."""

        def turned(seat):
            return None if seat is None else (seat - viewer) % self.n

        def seats(which):
            return sorted(turned(seat) for seat in which)

        def row(values):
            return [values[(viewer + k) % self.n] for k in range(self.n)]

        phases = {"purchase": "BUY", "purchase_discard": "DISCARD"}
        knows_peep = self.peeped[viewer] or (self.swapped and self.declarer == viewer)
        chips = None if self.starting_chips is None else [self.chips(seat) for seat in range(self.n)]
        to_lead = self.phase == "play" and not self.trick and not self.over
        tricks = [*self.shown, {"leader": self.seat, "cards": {}}] if to_lead else self.shown
        return {
            "phase": None if self.over else phases.get(self.phase, self.phase.upper()),
            "to_act": turned(self.seat),
            "dealer": turned(self.dealer),
            "in_hand": seats(self.in_hand),
            "dealt": seats(self.order),
            "hand": sorted(self.hands[viewer], key=card_id),
            "discards": sorted(self.discards[viewer], key=card_id),
            "peep_card": self.peep_card if knows_peep else None,
            "peeped": seats(seat for seat in range(self.n) if self.peeped[seat]),
            "swapped": self.swapped,
            "bought": row(self.bought) if self.rules["exchange"] != "none" else [],
            "spare_taker": turned(self.spare_taker),
            "bids": {turned(seat): bid for seat, bid in self.bids.items()},
            "contract": self.contract,
            "declarer": turned(self.declarer),
            "trump": self.trump,
            "won": row(self.tricks),
            "tricks": [
                {"leader": turned(t["leader"]), "cards": {turned(s): c for s, c in t["cards"].items()}} for t in tricks
            ],
            "out": seats(set(range(self.n)) - set(self.alive)),
            "extra_hand": self.extra_hands,
            "pool": clipped(self.pool),
            "hands_left": 0 if self.extra_hands else self.num_hands - self.hands_played,
            "rebuys": row(self.rebuys_left),
            "net": [clipped(stakes) for stakes in row(self.net)],
            "chips": None if chips is None else [clipped(stakes) for stakes in row(chips)],
        }


def clipped(number):
    """What a wide number can hold."""
    return max(-16384, min(16383, number))


# ---- both play the same match ----------------------------------------------------------------------


def play(plan, look):
    """Play a plan with both, comparing; ``look`` is called before each action and at the end."""
    rng = random.Random(plan.seed)
    decks = shuffled_packs(plan)
    judge = Witness(plan.rules, **plan.terms, dealer=plan.dealer, decks=decks)
    env = nap_v0.raw_env(Rules(**plan.rules), **plan.terms)
    env.reset(seed=0, options={"dealer": plan.dealer, "decks": decks})
    while not judge.over:
        legal = judge.legal()
        observed = env.last()[0]["action_mask"]
        assert env.agent_selection == f"player_{judge.seat}"
        assert sorted(ACTION_NAMES[a] for a in np.flatnonzero(observed)) == legal
        look(env, judge, rng)
        action = choose(legal, plan.style, rng)
        expected = judge.step(action)
        env.step(action_id(action))
        assert list(env.rewards.values()) == expected
        assert score(env) == score_of(judge)
    assert all(env.terminations.values())
    look(env, judge, rng)


def score(env):
    result = env.result()
    return {key: result[key] for key in ("net", "chips", "winners", "hands", "pool")}


def score_of(judge):
    return judge.result() | {"pool": judge.pool}
