"""What a network is shown: a seat's view with the suits in a canonical order, and the way back.

The rules of Nap treat suits alike, so a network that sees them in one order need not learn each pattern
up to 24 times: trumps first, then by the length of the seat's own suit, then by its ranks. Card numbers
of masks and actions are renumbered in the same way; `to_real` undoes it. All of it is derived from the
observation; `FEATURES` names the parts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.seeing.view import VIEW, read, read_voids, winning
from nap_env import observation
from nap_env.agent import as_shown
from nap_env.cards import NUM_ACTIONS
from nap_env.engine.jit import announce, bit, count, drop_lowest, lowest, njit
from nap_env.engine.records import MAX_SEATS, NONE
from nap_env.engine.rulebook import suit_mask
from nap_env.errors import AgentError
from nap_env.rules import Rules

Int8 = npt.NDArray[np.int8]
Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Feature:
    """One part of a feature row: its name, length under given rules, and meaning."""

    name: str
    size: Callable[[Rules], int]
    meaning: str


def _seats(rules: Rules) -> int:
    return rules.num_players


def _cards(rules: Rules) -> int:
    return 52


FEATURES: tuple[Feature, ...] = (
    Feature("phase", lambda r: 7, "one-hot"),
    Feature("dealer", _seats, "one-hot"),
    Feature("dealt", _seats, "1: was dealt cards"),
    Feature("bids", lambda r: r.num_players * (1 + len(r.bids)), "a row a seat: PASS, then the ladder"),
    Feature("contract", lambda r: len(r.bids), "one-hot"),
    Feature("declarer", _seats, "one-hot"),
    Feature("trump", lambda r: 1, "1: there are trumps, the first suit"),
    Feature("need", lambda r: 8, "one-hot: tricks the declarer still needs"),
    Feature("left", lambda r: 8, "one-hot: tricks still to be played"),
    Feature("later", _seats, "1: plays to this trick after the viewer"),
    Feature("table", lambda r: 17 * r.num_players, "a row a seat: suit, then rank of its card on the table"),
    Feature("led", lambda r: 4, "one-hot: the suit led"),
    Feature("best", _seats, "one-hot: who is winning the trick"),
    Feature("declarer_wins", lambda r: 1, "1: the declarer is winning the trick"),
    Feature("lengths", lambda r: 4 * 8, "a row a suit, one-hot: how many of it the viewer holds"),
    Feature("voids", lambda r: 4 * r.num_players, "a row a seat, 1: showed to have none of a suit"),
    Feature("hand", _cards, "1: a card held"),
    Feature("wins", _cards, "1: a card held that would take the trick as it stands"),
    Feature("boss", _cards, "1: a card held with no higher one of its suit unseen"),
    Feature("higher", _cards, "for a card held how many higher ones of its suit are unseen, 0 to 4"),
    Feature("gone", _cards, "1: a card played, or put away by the viewer"),
    Feature("peep_card", lambda r: 52 if r.peep else 0, "one-hot, once seen"),
    Feature("peeped", lambda r: r.num_players if r.peep else 0, "1: looked at the peep card"),
    Feature("bought", lambda r: r.num_players if r.exchange != "none" else 0, "cards bought"),
)
_NAMES = tuple(feature.name for feature in FEATURES)
_AT = {name: place for place, name in enumerate(_NAMES)}
(
    _PHASE, _DEALER, _DEALT, _BIDS, _CONTRACT, _DECLARER, _TRUMP, _NEED, _LEFT, _LATER, _TABLE, _LED, _BEST,
    _DECLARER_WINS, _LENGTHS, _VOIDS, _HAND, _WINS, _BOSS, _HIGHER, _GONE, _PEEP_CARD, _PEEPED, _BOUGHT,
) = range(len(FEATURES))  # fmt: skip


@lru_cache(maxsize=64)
def offsets(rules: Rules) -> Int64:
    """Where each feature starts, and at the end the length F of a row; NONE: not in this variant."""
    starts, at = [], 0
    for feature in FEATURES:
        size = feature.size(rules)
        starts.append(at if size else NONE)
        at += size
    return np.array([*starts, at], np.int64)


def feature_size(rules: Rules) -> int:
    """The length F of a feature row under these rules."""
    return int(offsets(rules)[-1])


def features(observations: Int8, masks: Int8, rules: Rules) -> tuple[Int8, Int8, Int8]:
    """Feature rows int8 [B, F], their masks int8 [B, 64], and the order of suits int8 [B, 4].

    ``observations`` int8 [B, O] and ``masks`` int8 [B, 64] are as the environment gives them.

    Raises:
        AgentError: arrays of other shapes, or observations under other rules.
    """
    rows, legal = as_shown(observations, masks)
    places = observation.size(rules)
    if rows.shape[1] != places:
        raise AgentError(f"observations under these rules have {places} places, not {rows.shape[1]}: other rules?")
    out = np.empty((len(rows), feature_size(rules)), np.int8)
    turned = np.empty((len(rows), NUM_ACTIONS), np.int8)
    orders = np.empty((len(rows), 4), np.int8)
    announce(_feature_rows)
    _feature_rows(rows, legal, rules.kernel, offsets(rules), out, turned, orders)
    return out, turned, orders


def phase_of(rows: Int8) -> Int64:
    """The phase of each feature row [B], as the rulebook numbers them."""
    return np.asarray(np.argmax(rows[:, :7], axis=1) + 1, np.int64)


def to_real(actions: Int64, orders: Int8) -> Int64:
    """Actions [B] in canonical suits as the environment's own."""
    cards = actions < 52
    suit = np.where(cards, actions // 13, 0)
    real = orders[np.arange(len(actions)), suit].astype(np.int64) * 13 + actions % 13
    return np.where(cards, real, actions)


def to_canonical(actions: Int64, orders: Int8) -> Int64:
    """The environment's actions [B] in canonical suits."""
    places = np.argsort(orders, axis=1)
    cards = actions < 52
    suit = np.where(cards, actions // 13, 0)
    turned = places[np.arange(len(actions)), suit].astype(np.int64) * 13 + actions % 13
    return np.where(cards, turned, actions)


@njit
def _feature_rows(rows: Any, masks: Any, rules: Any, at: Any, out: Any, turned: Any, orders: Any) -> None:
    views = np.zeros(1, VIEW)
    r = rules[0]
    for row in range(rows.shape[0]):
        v = views[0]
        read(rows[row], masks[row], r, v)
        read_voids(rows[row], r, v)
        _order_suits(v, orders[row])
        out[row, :] = 0
        _write_auction(rows[row], r, v, at, out[row])
        _write_trick(v, at, orders[row], out[row])
        _write_cards(r, v, at, orders[row], out[row])
        _turn_mask(masks[row], orders[row], turned[row])


@njit
def _order_suits(v: Any, order: Any) -> None:
    """Trumps first, then by own length (played cards too), then by own ranks."""
    keys = np.empty(4, np.int64)
    for suit in range(4):
        own = ((v.hand | v.played[0]) & suit_mask(suit)) >> np.uint64(13 * suit)
        keys[suit] = (count(own) << 16) + int(own)
        if suit == v.trump:
            keys[suit] += 1 << 30
    for place in range(4):
        best = 0
        for suit in range(1, 4):
            if keys[suit] > keys[best]:
                best = suit
        order[place] = best
        keys[best] = -1


@njit
def _turn(cards: Any, order: Any) -> Any:
    """A set of cards with the suits in their canonical places."""
    turned = np.uint64(0)
    for place in range(4):
        suit = (cards >> np.uint64(13 * int(order[place]))) & np.uint64(0x1FFF)
        turned |= suit << np.uint64(13 * place)
    return turned


@njit
def _spread(cards: Any, at: Any, out: Any) -> None:
    while cards:
        out[at + lowest(cards)] = 1
        cards = drop_lowest(cards)


@njit
def _turn_mask(mask: Any, order: Any, turned: Any) -> None:
    for place in range(4):
        suit = int(order[place])
        for rank in range(13):
            turned[13 * place + rank] = mask[13 * suit + rank]
    for action in range(52, 64):
        turned[action] = mask[action]


@njit
def _write_auction(row: Any, r: Any, v: Any, at: Any, out: Any) -> None:
    n = int(v.n)
    if v.phase > 0:
        out[at[_PHASE] + v.phase - 1] = 1
    out[at[_DEALER] + v.dealer] = 1
    for place in range(n):
        out[at[_DEALT] + place] = (v.dealt >> place) & 1
        if at[_PEEPED] >= 0:
            out[at[_PEEPED] + place] = (v.peeped >> place) & 1
        if at[_BOUGHT] >= 0:
            out[at[_BOUGHT] + place] = v.bought[place]
    for place in range(n * (int(r.num_bids) + 1)):
        out[at[_BIDS] + place] = row[r.at_bids + place]
    if v.contract >= 0:
        out[at[_CONTRACT] + r.place[v.contract - 53]] = 1
        out[at[_DECLARER] + v.declarer] = 1
        left = int(r.hand_size) - v.trick
        out[at[_LEFT] + left] = 1
        need = v.target - v.won[v.declarer]
        out[at[_NEED] + min(max(need, 0), 7)] = 1


@njit
def _write_trick(v: Any, at: Any, order: Any, out: Any) -> None:
    n = int(v.n)
    place_of = np.empty(4, np.int64)
    for place in range(4):
        place_of[order[place]] = place
    for seat in range(n):
        for suit in range(4):
            out[at[_VOIDS] + 4 * seat + place_of[suit]] = (v.void[seat] >> suit) & 1
    if v.trump >= 0:
        out[at[_TRUMP]] = 1
    if v.led < 0:
        return
    out[at[_LED] + place_of[v.led]] = 1
    out[at[_BEST] + v.best] = 1
    out[at[_DECLARER_WINS]] = v.best == v.declarer
    for seat in range(n):
        out[at[_LATER] + seat] = (v.later >> seat) & 1
        card = v.table[seat]
        if card >= 0:
            out[at[_TABLE] + 17 * seat + place_of[card // 13]] = 1
            out[at[_TABLE] + 17 * seat + 4 + card % 13] = 1


@njit
def _write_cards(r: Any, v: Any, at: Any, order: Any, out: Any) -> None:
    hand = _turn(v.hand, order)
    unseen = _turn(v.unseen, order)
    gone = v.discards
    for seat in range(MAX_SEATS):
        gone |= v.played[seat]
    _spread(hand, at[_HAND], out)
    _spread(_turn(gone, order), at[_GONE], out)
    if v.led >= 0:
        _spread(_turn(winning(v.legal & v.hand, v), order), at[_WINS], out)
    for place in range(4):
        out[at[_LENGTHS] + 8 * place + min(count(hand & suit_mask(place)), 7)] = 1
    cards = hand
    while cards:
        card = lowest(cards)
        cards = drop_lowest(cards)
        above = count(unseen & suit_mask(card // 13) & ~((bit(card) << np.uint64(1)) - np.uint64(1)))
        out[at[_BOSS] + card] = above == 0
        out[at[_HIGHER] + card] = min(above, 4)
    if at[_PEEP_CARD] >= 0 and v.peep_card >= 0:
        _spread(_turn(bit(v.peep_card), order), at[_PEEP_CARD], out)
