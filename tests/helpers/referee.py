"""A second rulebook, slow and plain, written from RULES.md alone to check the fast one.

Cards, bids and all other actions are their names ("AS", "NAP", "PASS"); seats are 0..n-1 clockwise.
Nothing here comes from `nap_env`, so an error has to be made twice to go unseen.

>>> match = Referee({"num_players": 3}, dealer=2, decks=[pack({})])
>>> match.seat, match.legal()
(0, ['FOUR', 'MISERE', 'NAP', 'PASS', 'THREE'])
>>> match.step("NAP")
[0, 0, 0]
"""

RANKS = "23456789TJQKA"  # R2.1, R14
SUITS = "CDHS"  # R14
LADDER = ["THREE", "MISERE", "FOUR", "NAP", "WELLINGTON", "BLUCHER"]  # R3.2
STAKES = {
    "THREE": (3, 3),
    "MISERE": (3, 3),
    "FOUR": (4, 4),
    "NAP": (10, 5),
    "WELLINGTON": (20, 10),
    "BLUCHER": (30, 15),
}
LADDER_7 = ["THREE", "FOUR", "NAP", "MISERE", "SIX", "SEVEN"]  # R10.1
LADDER_7_LOW = ["THREE", "FOUR", "MISERE", "NAP", "SIX", "SEVEN"]
STAKES_7 = {
    "THREE": (3, 3),
    "FOUR": (4, 4),
    "NAP": (10, 5),
    "MISERE": (10, 5),
    "SIX": (18, 9),
    "SEVEN": (24, 12),
}
DIRECTLY_OVER = {"WELLINGTON": "NAP", "BLUCHER": "WELLINGTON"}  # R3.3
POOL_BIDS = ("NAP", "WELLINGTON", "BLUCHER")  # R11.1
MOST_EXTRA_HANDS = 10  # R1.8
FIELDS = {  # R16
    "num_players": 5,
    "hand_size": 5,
    "pack": None,
    "suits": 4,
    "ladder": None,
    "stakes": {},
    "misere_trump": False,
    "wellington_lowest_lead": False,
    "dealer_sits_out": False,
    "stop_when_decided": False,
    "exchange": "none",
    "purchase_count": 2,
    "peep": False,
    "sir_garnet": False,
    "peep_exchange": "peeped",
    "misere_below_nap": False,
    "revoke": "forbidden",
}


def rank(card):
    return RANKS.index(card[0])


def suit(card):
    return card[1]


def pack(rules):
    """All cards in use, suit by suit from the lowest (R2.1, R15.1)."""
    rules = {**FIELDS, **rules}
    ranks = (rules["pack"] or 13 * rules["suits"]) // rules["suits"]
    return [r + s for s in SUITS[: rules["suits"]] for r in RANKS[13 - ranks :]]


def tricks_asked(bid, hand_size):
    """Tricks a bid asks for, at least; a Misère asks for none at all (R3.5, R10.1, R15.2)."""
    if hand_size == 7:
        return {"THREE": 3, "FOUR": 4, "NAP": 5, "MISERE": 0, "SIX": 6, "SEVEN": 7}[bid]
    return {"THREE": hand_size - 2, "FOUR": hand_size - 1, "MISERE": 0}.get(bid, hand_size)


def ladder(rules):
    """The bids in use, lowest first (R3.2, R3.6, R10.1, R15.2)."""
    rules = {**FIELDS, **rules}
    order = LADDER if rules["hand_size"] != 7 else LADDER_7_LOW if rules["misere_below_nap"] else LADDER_7
    if rules["ladder"] is not None:
        return [bid for bid in order if bid in rules["ladder"]]
    return [bid for bid in order if bid == "MISERE" or tricks_asked(bid, rules["hand_size"]) > 0]


def cards_needed(rules):
    """How many cards a hand can use at most (R2.6)."""
    rules = {**FIELDS, **rules}
    hands = rules["num_players"] - rules["dealer_sits_out"]  # R2.5
    each = rules["hand_size"]
    if rules["exchange"] == "ecarte":
        each *= 2
    if rules["exchange"] == "purchase":
        each += rules["purchase_count"]
    return hands * each + rules["peep"] + 5 * rules["sir_garnet"]


def refused(rules):
    """The clause that refuses these rules, or None."""
    r = {**FIELDS, **rules}
    real = r["hand_size"] in (5, 7)
    size = 13 * r["suits"] if r["pack"] is None else r["pack"]
    if set(rules) - set(FIELDS):
        return "R16"
    if not 2 <= r["num_players"] <= 7:
        return "R1.1"
    if r["hand_size"] not in (1, 2, 3, 4, 5, 7) or not 2 <= r["suits"] <= 4 or (real and r["suits"] != 4):
        return "R15.1"
    if real and size not in (52, 40, 36, 32, 28, 24):
        return "R2.1"
    if size % r["suits"] or not 1 <= size // r["suits"] <= 13:
        return "R15.1"
    if r["hand_size"] != 5 and (r["exchange"] != "none" or r["peep"] or r["sir_garnet"]):
        return "R10.1" if r["hand_size"] == 7 else "R15.1"
    if r["misere_below_nap"] and r["hand_size"] != 7:
        return "R16"
    if r["dealer_sits_out"] and r["num_players"] < 4:
        return "R16"
    if r["exchange"] not in ("none", "purchase", "ecarte") or not 1 <= r["purchase_count"] <= 5:
        return "R16"
    if r["peep_exchange"] not in ("peeped", "declarer") or r["revoke"] not in (
        "forbidden",
        "penalised",
    ):
        return "R16"
    if any(len(pair) != 2 or min(pair) < 0 for pair in r["stakes"].values()):
        return "R16"
    if r["stop_when_decided"] and r["revoke"] == "penalised":
        return "R4.4"
    if r["exchange"] == "ecarte" and r["num_players"] > 4:
        return "R2.6"
    if cards_needed(rules) > size:
        return "R2.6"
    return refused_ladder(r)


def refused_ladder(r):
    """The clause that refuses the ladder of these rules, or None (R3.6)."""
    bids = ladder(r) if r["ladder"] is None else list(r["ladder"])
    known = LADDER_7 if r["hand_size"] == 7 else LADDER
    if not bids or any(bid not in known for bid in bids):
        return "R3.6"
    if any(bid != "MISERE" and tricks_asked(bid, r["hand_size"]) < 1 for bid in bids):
        return "R3.6"
    if any(high in bids and low not in bids for high, low in DIRECTLY_OVER.items()):
        return "R3.6"
    if r["sir_garnet"] and "NAP" not in bids:
        return "R3.6"
    return None


class Referee:
    """One match, first deal to winner; `decks` gives one pack a hand, top card first."""

    def __init__(
        self,
        rules,
        *,
        num_hands=None,
        deals_per_dealer=None,
        starting_chips=None,
        rebuys=0,
        tie_break=False,
        dealer=0,
        decks=(),
    ):
        clause = refused(rules)
        if clause:
            raise ValueError(f"{clause} refuses {rules}")
        if num_hands is not None and deals_per_dealer is not None:
            raise ValueError("R1.5: num_hands or deals_per_dealer, not both")
        self.rules = {**FIELDS, **rules}
        self.n = self.rules["num_players"]
        self.hand_size = self.rules["hand_size"]
        self.ladder = ladder(rules)
        self.stakes = {**(STAKES_7 if self.hand_size == 7 else STAKES), **self.rules["stakes"]}
        self.num_hands = deals_per_dealer * self.n if deals_per_dealer else num_hands or 1  # R1.5
        self.starting_chips = starting_chips
        self.tie_break = tie_break
        self.decks = iter(decks)

        self.net = [0] * self.n  # stakes won minus stakes lost, pool shares included (R1.8)
        self.pool = 0  # R11
        self.rebuys_left = [rebuys] * self.n
        self.rebuys_used = [0] * self.n
        self.playing = list(range(self.n))  # who is still in; during extra hands, who plays them
        self.hands_played = 0
        self.extra_hands = 0
        self.winners = None
        self.dealer = dealer
        self.deal()

    # ---- what everybody may ask

    @property
    def over(self):
        """Whether the match has ended (R1.7, R1.8)."""
        return self.winners is not None

    def result(self):
        """The score sheet of the match."""
        chips = None if self.starting_chips is None else [self.chips(seat) for seat in range(self.n)]
        return {
            "net": list(self.net),
            "chips": chips,
            "winners": self.winners,
            "hands": self.hands_played,
        }

    def chips(self, seat):
        """The balance of a seat: what he began with, won, lost and bought again (R1.6)."""
        return self.starting_chips * (1 + self.rebuys_used[seat]) + self.net[seat]

    def can_pay(self, seat, stakes):
        """Whether a seat has that many chips in hand (R1.6, R7.4)."""
        return self.starting_chips is None or self.chips(seat) >= stakes

    def step(self, name):
        """Do an action for the seat to act; gives every seat's change in net result."""
        if name not in self.legal():
            raise ValueError(f"seat {self.seat} may not {name}; legal: {self.legal()}")
        before = list(self.net)
        self.apply(name)
        return [now - then for now, then in zip(self.net, before, strict=True)]

    # ---- deal

    def left_of(self, seat):
        """The next seat clockwise that takes part (R1.3, R1.8)."""
        seat = (seat + 1) % self.n
        while seat not in self.playing:
            seat = (seat + 1) % self.n
        return seat

    def deal(self):
        """Deal the next hand and open it (R2.3, R2.4, R2.5)."""
        cards = self.next_deck()
        self.order = [self.left_of(self.dealer)]  # from the dealer's left, dealer last (R2.3, R3.1)
        while self.order[-1] != self.dealer:
            self.order.append(self.left_of(self.order[-1]))
        if self.rules["dealer_sits_out"] and len(self.order) >= 4:  # R2.5
            self.order.remove(self.dealer)

        self.hands = [[] for _ in range(self.n)]
        for round_size in {5: [3, 2], 7: [3, 2, 2]}.get(self.hand_size, [self.hand_size]):  # R2.3, R15.1
            for seat in self.order:
                self.hands[seat] += [cards.pop(0) for _ in range(round_size)]
        self.peep_card = cards.pop(0) if self.rules["peep"] else None  # R2.4
        self.spare = [cards.pop(0) for _ in range(5)] if self.rules["sir_garnet"] else None
        self.stub = cards

        self.contract = None  # the highest bid so far
        self.declarer = None
        self.trump = None
        self.peeped = [False] * self.n
        self.bought = [0] * self.n  # cards bought (R7)
        self.discards = [[] for _ in range(self.n)]
        self.tricks = [0] * self.n
        self.trick = []  # (seat, card) of the trick on the table
        self.waiting = list(self.order)  # who still has his turn in this round of buying or bidding
        self.phase = {"none": "auction", "purchase": "purchase", "ecarte": "ecarte"}[self.rules["exchange"]]
        self.seat = self.waiting.pop(0)

    def next_deck(self):
        """The next pack, refused if it is not one (R1.4)."""
        cards = list(next(self.decks))
        if sorted(cards) != sorted(pack(self.rules)):
            raise ValueError("R1.4: not a pack of these rules: a card is missing, foreign or there twice")
        return cards

    # ---- legal and apply, one pair a phase

    def legal(self):
        """The names of all legal actions, in ASCII order; none when the match is over."""
        return [] if self.over else sorted(getattr(self, "legal_" + self.phase)())

    def apply(self, name):
        getattr(self, "apply_" + self.phase)(name)

    def legal_purchase(self):  # R7.1, R7.4
        return ["PASS", "BUY"] if self.can_pay(self.seat, 1) else ["PASS"]

    def apply_purchase(self, name):
        if name == "PASS":
            return self.next_turn()
        self.pay_pool(1)
        self.phase = "purchase_discard"

    def legal_purchase_discard(self):  # R7.1: exactly so many
        return self.hands[self.seat]

    def apply_purchase_discard(self, name):
        self.discard(name)
        if len(self.discards[self.seat]) == self.rules["purchase_count"]:
            self.draw()
            self.phase = "purchase"
            self.next_turn()

    def legal_ecarte(self):  # R7.2, R7.4
        another = len(self.discards[self.seat]) + 1
        return ["PASS"] + (self.hands[self.seat] if self.can_pay(self.seat, another) else [])

    def apply_ecarte(self, name):
        if name != "PASS":
            self.discard(name)
        if name == "PASS" or len(self.discards[self.seat]) == 5:
            self.pay_pool(len(self.discards[self.seat]))
            self.draw()
            self.next_turn()

    def legal_auction(self):  # R3, R8.1, R9.1
        actions = ["PASS"] + [bid for bid in self.ladder if self.may_bid(bid)]
        if self.rules["peep"] and not self.peeped[self.seat] and self.can_pay(self.seat, 1):
            actions.append("PEEP")
        if self.spare and self.may_bid("NAP"):
            actions.append("GARNET")
        return actions

    def may_bid(self, bid):
        """Whether a bid may follow the highest so far (R3.2, R3.3)."""
        if bid in DIRECTLY_OVER:
            return self.contract == DIRECTLY_OVER[bid]
        return self.contract is None or self.ladder.index(bid) > self.ladder.index(self.contract)

    def apply_auction(self, name):
        if name == "PEEP":  # R8.1: he goes on to bid or pass
            self.pay_pool(1)
            self.peeped[self.seat] = True
            return
        if name == "GARNET":  # R9.1
            self.bid("NAP")
            self.hands[self.seat] += self.spare
            self.spare = None
            self.phase = "garnet"
            return
        if name != "PASS":
            self.bid(name)
        self.next_turn()

    def bid(self, name):
        self.contract = name
        self.declarer = self.seat

    def legal_garnet(self):  # R9.1: of ten cards he discards five
        return self.hands[self.seat]

    def apply_garnet(self, name):
        self.discard(name)
        if len(self.hands[self.seat]) == self.hand_size:
            self.phase = "auction"
            self.next_turn()

    def legal_swap(self):  # R8.2
        return ["PASS"] + self.hands[self.seat]

    def apply_swap(self, name):
        if name != "PASS":
            self.discard(name)
            self.hands[self.seat].append(self.peep_card)
        self.phase = "play"

    def legal_play(self):  # R4.1, R4.2, R4.5, R6.1
        hand = self.hands[self.seat]
        if not self.trick:
            if self.contract == "WELLINGTON" and self.rules["wellington_lowest_lead"] and self.first_trick():
                return [card for card in hand if not any(suit(c) == suit(card) and rank(c) < rank(card) for c in hand)]
            return hand
        follow = [card for card in hand if suit(card) == self.suit_led()]
        return follow if follow and self.rules["revoke"] == "forbidden" else hand

    def apply_play(self, name):
        hand = self.hands[self.seat]
        if self.trick and suit(name) != self.suit_led() and self.suit_led() in [suit(card) for card in hand]:
            hand.remove(name)
            self.trick.append((self.seat, name))
            return self.settle(revoker=self.seat)  # R6.1: the hand ends at once
        if not self.trick and self.first_trick() and (self.contract != "MISERE" or self.rules["misere_trump"]):
            self.trump = suit(name)  # R4.1
        hand.remove(name)
        self.trick.append((self.seat, name))
        if len(self.trick) < len(self.order):
            self.seat = self.order[(self.order.index(self.seat) + 1) % len(self.order)]  # R4.2
        else:
            self.end_trick()

    # ---- small steps of the phases

    def pay_pool(self, stakes):  # R11.1
        self.net[self.seat] -= stakes
        self.pool += stakes

    def discard(self, card):  # R7.3: face down and dead
        self.hands[self.seat].remove(card)
        self.discards[self.seat].append(card)

    def draw(self):
        """As many cards from the top of the stub as were discarded (R7.1, R7.2)."""
        self.bought[self.seat] = len(self.discards[self.seat])
        for _ in self.discards[self.seat]:
            self.hands[self.seat].append(self.stub.pop(0))

    def next_turn(self):
        """On to the next player of a round of buying or bidding, or to what follows it."""
        if self.waiting:
            self.seat = self.waiting.pop(0)
        elif self.phase in ("purchase", "ecarte"):  # R7: before the auction
            self.phase = "auction"
            self.waiting = list(self.order)
            self.seat = self.waiting.pop(0)
        elif self.declarer is None:  # R3.4
            self.end_hand()
        else:
            self.seat = self.declarer  # R4.1
            swap = self.rules["peep"] and (self.peeped[self.seat] or self.rules["peep_exchange"] == "declarer")
            self.phase = "swap" if swap else "play"  # R8.2

    def suit_led(self):
        return suit(self.trick[0][1])

    def first_trick(self):
        return sum(self.tricks) == 0

    def end_trick(self):
        """Give the trick to its winner, who leads next, or settle (R4.3, R4.4)."""
        trumps = [play for play in self.trick if suit(play[1]) == self.trump]
        candidates = trumps or [play for play in self.trick if suit(play[1]) == self.suit_led()]
        winner, _ = max(candidates, key=lambda play: rank(play[1]))
        self.tricks[winner] += 1
        self.trick = []
        self.seat = winner
        if sum(self.tricks) == self.hand_size or (self.rules["stop_when_decided"] and self.decided()):
            self.settle()

    def decided(self):
        """Whether tricks won and tricks left alone decide the bid (R4.4)."""
        won = self.tricks[self.declarer]
        left = self.hand_size - sum(self.tricks)
        if self.contract == "MISERE":
            return won > 0
        asked = tricks_asked(self.contract, self.hand_size)
        return won >= asked or won + left < asked

    def made(self):
        """Whether the tricks taken make the bid (R3.5)."""
        won = self.tricks[self.declarer]
        return won == 0 if self.contract == "MISERE" else won >= tricks_asked(self.contract, self.hand_size)

    # ---- settle

    def settle(self, revoker=None):
        """Pay for the hand (R5, R6); the pool goes to a declarer who made a great bid (R11.1)."""
        made = self.made() if revoker is None else revoker != self.declarer
        win, lose = self.stakes[self.contract]
        payers = [seat for seat in self.playing if seat != self.declarer]  # a dealer who sits out too (R2.5)
        for seat in payers:
            if not made:  # R5.1, R6.2
                self.pay(self.declarer, seat, lose)
            elif revoker is None:  # R5.1
                self.pay(seat, self.declarer, win)
            else:  # R6.3
                self.pay(revoker, self.declarer, win)
        if made and self.contract in POOL_BIDS:
            self.net[self.declarer] += self.pool
            self.pool = 0
        self.end_hand()

    def pay(self, giver, taker, stakes):
        self.net[giver] -= stakes
        self.net[taker] += stakes

    def end_hand(self):
        """What follows a finished hand, in the order of R1.9."""
        self.hands_played += 1
        if not self.extra_hands:  # nobody goes out or re-buys during extra hands (R1.8)
            still_in = [seat for seat in self.playing if self.stays_in(seat)]
            if self.hands_played < self.num_hands and len(still_in) >= 2:
                self.playing = still_in
                return self.next_hand()
            self.playing = still_in or self.playing  # R1.7
        self.share_pool()  # after the last hand and after each extra one (R11.2)
        self.find_winner()

    def stays_in(self, seat):
        """Re-buy if need be and possible; whether the seat is still in (R1.6)."""
        if self.starting_chips is None or self.chips(seat) > 0:
            return True
        if self.rebuys_left[seat] == 0:
            return False
        self.rebuys_left[seat] -= 1
        self.rebuys_used[seat] += 1
        return True

    def share_pool(self):
        """Share an unclaimed pool, the odd chips clockwise from the dealer's left (R11.2)."""
        each, odd = divmod(self.pool, len(self.playing))
        seat = self.dealer
        for turn in range(len(self.playing)):
            seat = self.left_of(seat)
            self.net[seat] += each + (turn < odd)
        self.pool = 0

    def find_winner(self):
        """The best net result wins; a tie is played off if asked for, ten times at most (R1.8)."""
        best = max(self.net[seat] for seat in self.playing)
        leaders = [seat for seat in self.playing if self.net[seat] == best]
        if len(leaders) > 1 and self.tie_break and self.extra_hands < MOST_EXTRA_HANDS:
            self.extra_hands += 1
            self.playing = leaders
            self.next_hand()
        else:
            self.winners = leaders
            self.seat = None

    def next_hand(self):
        self.dealer = self.left_of(self.dealer)  # R1.3, R1.8
        self.deal()
