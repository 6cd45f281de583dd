"""The agent `book`: bids by the book of all hands, and leaves the play to another agent.

Each class of hands has its chances (`chances`), each place in the auction its values (`bidder`); the bid of most
expected stakes is made, or none where passing is worth more. What the book does not know (cards to buy, to look at, to
put away) is left to the agent `rules`; a card that was looked at counts as if it were swapped in.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from agents.auction.bidder import NO_BID, Bidder, best_call, find_tuning, plain, tuned
from agents.auction.chances import BookError, Chances, find
from agents.auction.hand_classes import class_of_hand, layout
from agents.principles.bidding import still_to_call
from agents.rules import RulesAgent
from agents.seeing.view import VIEW, read
from nap_env.agent import BaseAgent, Generator, Int8, Int64, bind
from nap_env.engine.jit import announce, bit, drop_lowest, lowest, njit
from nap_env.engine.records import AUCTION, NONE
from nap_env.errors import AgentError
from nap_env.rules import Rules

_PASS, _THREE, _GARNET, _PEEP = 52, 53, 61, 62


@njit
def call_rows(observations: Any, masks: Any, rules: Any, numbering: Any, bidder: Any, out: Any) -> None:
    """Where a seat is to bid, its call; ``out`` [B] holds what the agent `rules` does and is left there elsewhere.

    ``observations`` [B, O], ``masks`` [B, 64].
    """
    views = np.zeros(1, VIEW)
    for row in range(len(out)):
        v = views[0]
        read(observations[row], masks[row], rules[0], v)
        if v.phase == AUCTION and out[row] != _GARNET and out[row] != _PEEP:
            out[row] = call(v, numbering, bidder)


@njit
def call(v: Any, numbering: Any, bidder: Any) -> Any:
    """The bid of most worth, or PASS; with a peep card in sight the best that a swap would give."""
    after = min(still_to_call(v), len(bidder.passing) - 1)
    standing = NO_BID if v.contract == NONE else v.contract - _THREE
    legal = int(v.legal >> np.uint64(_THREE)) & 255
    best, most = best_call(bidder, class_of_hand(v.hand, numbering), after, standing, legal)
    if v.peep_card >= 0:
        cards = v.hand
        while cards:
            hand = v.hand ^ bit(lowest(cards)) | bit(v.peep_card)
            cards = drop_lowest(cards)
            bid, value = best_call(bidder, class_of_hand(hand, numbering), after, standing, legal)
            if value > most:
                best, most = bid, value
    return _PASS if best == NO_BID else _THREE + best


class BookAgent(BaseAgent):
    """Bids by the book of all hands; deterministic where its player is.

    Args:
        threshold: stakes a payer that a bid must be worth more than, by the plain book; None: the values that were
            found by play, for each place in the auction (`agents.auction.bidder`).
        play: whose chances are read: `rules` (hands played out by the agent `rules`) or `open` (all cards open).
        player: who plays the cards: an agent or its name.
        folder: where the files are; None: those that ship, or the user's own.

    Raises:
        BookError: no chances for these rules; it names the command that builds them.
    """

    def __init__(
        self, *, threshold: float | None = None, play: str = "rules", player: Any = "rules", folder: Path | None = None
    ) -> None:
        if threshold is not None and (isinstance(threshold, bool) or not isinstance(threshold, int | float)):
            raise AgentError(f"threshold={threshold!r}: give stakes a payer, such as -0.5, or None")
        self.threshold, self.play, self.player, self.folder = threshold, play, player, folder
        words = ["book"] + [play] * (play != "rules")
        words += [f"{threshold:+g}"] if threshold is not None else []
        words += [] if player == "rules" else [f"player {getattr(player, 'name', player)}"]
        self.name = " ".join(words)
        super().__init__()

    @property
    def deterministic(self) -> bool:  # type: ignore[override]
        """Whether the generator is never used."""
        return self.player == "rules" or bool(getattr(self.player, "deterministic", False))

    @property
    def needs_state(self) -> bool:  # type: ignore[override]
        """Whether the player of the cards sees all of them."""
        return bool(getattr(self.player, "needs_state", False))

    def for_rules(self, rules: Rules) -> Self:
        """This agent bound to rules.

        Raises:
            AgentError: there are no chances for them, or the player cannot play them.
        """
        bound = super().for_rules(rules)
        bound.player = self.player if self.player == "rules" else bind(self.player, rules)
        try:
            bidder_for(rules, self.play, self.threshold, self.folder)
        except BookError as error:
            raise AgentError(f"{self.name}: {error}") from error
        return bound

    def act_batch(self, observations: Int8, action_masks: Int8, rng: Generator, *states: Int8) -> Int64:
        """The chosen actions [B] int64; observations [B, O] int8, action_masks [B, 64] int8."""
        rules, rows, masks = self.shown(observations, action_masks)
        out = np.empty(len(rows), np.int64)
        RulesAgent.kernel(rows, masks, rules.kernel, out)
        bidder = bidder_for(rules, self.play, self.threshold, self.folder)
        announce(call_rows)
        call_rows(rows, masks, rules.kernel, layout(rules), bidder, out)
        if self.player != "rules":
            playing = np.flatnonzero(~_bidding(masks))
            if playing.size:
                player = bind(self.player, rules)
                more = tuple(state[playing] for state in states)
                out[playing] = player.act_batch(rows[playing], masks[playing], rng, *more)
        return out


def _bidding(masks: Int8) -> npt.NDArray[np.bool_]:
    """Which rows are not plain card play: PASS, a bid or a special can be chosen."""
    return np.asarray(masks[:, _PASS:].any(axis=1))


@lru_cache(maxsize=32)
def bidder_for(rules: Rules, play: str, threshold: float | None, folder: Path | None) -> Bidder:
    """The bidder for these rules, read once.

    Raises:
        BookError: there are no chances for them, or nothing was tuned.
    """
    chances: Chances = find(rules, play, folder=folder)
    if threshold is not None:
        return plain(chances, float(threshold), rules)
    return tuned(chances, find_tuning(rules, play, folder=folder), rules)
