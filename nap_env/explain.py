"""Why an action is refused, in a sentence: seat, action, reason, clause."""

from __future__ import annotations

from typing import Any, SupportsIndex

from nap_env import cards
from nap_env.cards import ACTION_NAMES, SUIT_SYMBOLS, SUITS, action_name, cards_of
from nap_env.engine import records
from nap_env.errors import IllegalAction

_SUIT_WORDS = dict(zip(SUITS, ("clubs", "diamonds", "hearts", "spades"), strict=True))


def check_action(value: Any) -> int:
    """The action number that a caller gave: an int, a NumPy integer or a 0-d array of one.

    Raises:
        IllegalAction: another type (bool and float too), or out of range.
    """
    import operator

    import numpy as np

    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, bool | np.bool_) or not isinstance(value, SupportsIndex):
        raise IllegalAction(
            f"{value!r} ({type(value).__name__}) is no action: give an integer 0..63 (R14); "
            "cards.action_id('AS') turns a name into one"
        )
    try:
        number = operator.index(value)
    except TypeError:
        raise IllegalAction(f"{value!r} is no action: give one integer 0..63 (R14)") from None
    if not 0 <= number < cards.NUM_ACTIONS:
        raise IllegalAction(f"{number} is no action: actions are 0..63 (R14)")
    return number


def why_illegal(game: Any, rules: Any, action: int) -> str | None:
    """The reason and clause why an action may not be taken now; None when it may.

    ``game`` and ``rules`` are records of the rulebook.
    """
    legal = int(game.legal)
    if legal >> action & 1:
        return None
    phase = int(game.phase)
    if phase == records.OVER:
        return f"{action_name(action)}: the match is over; reset to play another"
    reason = _REASONS[phase](game, rules, action)
    choices = ", ".join(ACTION_NAMES[a] for a in cards_of(legal))
    refused = f"player_{int(game.seat)} may not {_verb(phase, action)} {action_name(action)}"
    return f"{refused}: {reason}; legal: {choices}"


def _verb(phase: int, action: int) -> str:
    if action < 52:
        return "play" if phase == records.PLAY else "put away"
    return "bid" if 53 <= action <= 60 else "choose"


def _held(game: Any, action: int) -> bool:
    return bool(int(game.hand[int(game.seat)]) >> action & 1)


def _in_play(game: Any, rules: Any, action: int) -> str:
    if action >= 52:
        return "the auction is over, a card must be played (R4)"
    if not _held(game, action):
        return "he does not hold it (R4)"
    trick = int(game.trick)
    leader = int(game.leaders[trick])
    if leader == int(game.seat):
        return "a Wellington must be opened with the lowest card of its suit (R4.5)"
    suit = int(game.played[trick, leader]) // 13
    return f"he holds {_SUIT_WORDS[SUITS[suit]]} {SUIT_SYMBOLS[suit]} and must follow suit (R4.2)"


def _in_auction(game: Any, rules: Any, action: int) -> str:
    if action < 52:
        return "no card is played or put away during the auction (R3.1)"
    seat = int(game.seat)
    contract = int(game.contract)
    if 53 <= action <= 60:
        return _bid_refused(rules, action, contract)
    if action == cards.PEEP:
        if not rules.peep:
            return "there is no peep card in these rules (R8)"
        if int(game.peeped) >> seat & 1:
            return "he has looked already, once is all (R8.1)"
        return f"it costs one stake and he has {int(game.chips[seat])} chips (R1.6)"
    if action == cards.GARNET:
        if not rules.sir_garnet:
            return "there is no spare hand in these rules (R9)"
        if not int(game.spare):
            return "the spare hand is taken (R9.1)"
        return "the spare hand is to be had only while Nap would be a legal bid (R9.1)"
    return "cards are bought before the auction, in the rules that have it (R7)"


def _bid_refused(rules: Any, action: int, contract: int) -> str:
    if rules.place[action - 53] < 0:
        return "it is not on the ladder in use (R3.6)"
    if contract >= 0 and rules.place[action - 53] <= rules.place[contract - 53]:
        return f"the standing bid is {action_name(contract)}, a bid must be higher (R3.2)"
    below = "NAP" if action == cards.WELLINGTON else "WELLINGTON"
    return f"it can only be bid directly over {below} (R3.3)"


def _in_buying(game: Any, rules: Any, action: int) -> str:
    if action == cards.BUY and rules.purchase:
        return f"it costs one stake and he has {int(game.chips[int(game.seat)])} chips (R1.6, R7.4)"
    if action < 52 and rules.ecarte:
        if not _held(game, action):
            return "he does not hold it (R7.2)"
        return "he cannot pay for another card (R1.6, R7.4)"
    return "cards are being bought, the auction has not begun (R7.3)"


def _in_discarding(game: Any, rules: Any, action: int) -> str:
    return "he does not hold it (R7.3)" if action < 52 else "he must put a card away first (R7.1, R9.1)"


def _in_swap(game: Any, rules: Any, action: int) -> str:
    return "he does not hold it (R8.2)" if action < 52 else "give up a card for the peep card, or PASS (R8.2)"


_REASONS = {
    records.PLAY: _in_play,
    records.AUCTION: _in_auction,
    records.BUY: _in_buying,
    records.ECARTE: _in_buying,
    records.DISCARD: _in_discarding,
    records.GARNET: _in_discarding,
    records.SWAP: _in_swap,
}
