"""`simple-v1` a second time, slow and plain, written from its description alone to check the fast one.

It reads what a seat knows as `observation.decode` says it (names; seats relative, 0 is the seat itself)
and answers with the name of an action.
"""

RANKS = "23456789TJQKA"
SUITS = "CDHS"


def by_rank(card):
    """ "Lowest" and "highest" compare ranks, then C D H S."""
    return RANKS.index(card[0]), SUITS.index(card[1])


def lowest(cards):
    return min(cards, key=by_rank)


def highest(cards):
    return max(cards, key=by_rank)


def of_suit(cards, suit):
    return [card for card in cards if card[1] == suit]


# ---- bids -----------------------------------------------------------------------------------------------


def estimate(hand, suit):
    """Tricks with this suit as trumps."""
    own = of_suit(hand, suit)
    tricks = 0
    if "A" + suit in own:
        tricks += 1
    if "K" + suit in own and len(own) >= 2:
        tricks += 1
    if "Q" + suit in own and len(own) >= 3:
        tricks += 1
    if len(own) > 3:
        tricks += len(own) - 3
    for other in SUITS:
        if other != suit and "A" + other in hand:
            tricks += 1
    return tricks if tricks < 5 else 5


def best_suit(hand):
    """Of the best estimate; ties: the longer, then C D H S order."""
    most = max(estimate(hand, suit) for suit in SUITS)
    best = [suit for suit in SUITS if estimate(hand, suit) == most]
    length = max(len(of_suit(hand, suit)) for suit in best)
    return next(suit for suit in best if len(of_suit(hand, suit)) == length)


def supports(hand, bid):
    if bid == "MISERE":
        above_eight = [card for card in hand if RANKS.index(card[0]) > RANKS.index("8")]
        above_six = [card for card in hand if RANKS.index(card[0]) > RANKS.index("6")]
        return not above_eight and len(above_six) <= 2
    needed = {"NAP": 5, "FOUR": 4, "THREE": 3}
    return bid in needed and estimate(hand, best_suit(hand)) >= needed[bid]


def bid(hand, legal, ladder):
    """The highest legal bid that the hand supports, else PASS."""
    for name in reversed(ladder):
        if name in legal and supports(hand, name):
            return name
    return "PASS"


# ---- play -----------------------------------------------------------------------------------------------


def beats(card, other, trump):
    if card[1] == other[1]:
        return RANKS.index(card[0]) > RANKS.index(other[0])
    return card[1] == trump


def winner(cards, leader, trump, n):
    """The seat whose card takes the trick as it stands, and that card."""
    best = leader
    for turn in range(1, n):
        seat = (leader + turn) % n
        if seat in cards and beats(cards[seat], cards[best], trump):
            best = seat
    return best, cards[best]


def play(seen, legal, n):
    trick = seen["tricks"][-1] if seen["tricks"] else {"leader": 0, "cards": {}}
    trump = seen["trump"]
    leading = not trick["cards"]
    if not leading:
        led = trick["cards"][trick["leader"]][1]
        best_seat, best_card = winner(trick["cards"], trick["leader"], trump, n)
        following = of_suit(legal, led)
        legal = following or legal  # it follows suit also where a revoke is only punished
        winning = [card for card in legal if beats(card, best_card, trump)]
    declarer = seen["declarer"]

    if seen["contract"] == "MISERE":
        if leading:
            return lowest(legal)
        if not following:
            return highest(legal)
        losing = [card for card in legal if card not in winning]
        if declarer == 0:
            return highest(losing) if losing else highest(legal)
        if best_seat == declarer and losing:
            return highest(losing)
        return lowest(legal)

    if declarer == 0:
        if leading:
            suit = trump or best_suit(seen["hand"])
            return highest(of_suit(legal, suit) or legal)
        return lowest(winning) if winning else lowest(legal)
    if leading:
        length = max(len(of_suit(legal, suit)) for suit in SUITS)
        suit = next(suit for suit in SUITS if len(of_suit(legal, suit)) == length)
        return lowest(of_suit(legal, suit))
    if best_seat == declarer and winning:
        return lowest(winning)
    return lowest(legal)


def decide(seen, legal, rules):
    """The name of the action; ``seen`` from `decode`, ``legal`` names, ``rules`` a `Rules`."""
    if seen["phase"] == "PLAY":
        return play(seen, legal, rules.num_players)
    if seen["phase"] == "AUCTION":
        return bid(seen["hand"], legal, rules.bids)
    return "PASS" if "PASS" in legal else lowest(legal)
