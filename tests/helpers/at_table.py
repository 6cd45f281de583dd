"""A table for tests: deal just these cards, act by names, read what happened in words.

Everything goes through `nap_v0.raw_env`: legal actions are read from the mask, rewards from the step,
what a seat knows from its observation, what is hidden from `state()`.
"""

from typing import Any

import numpy as np
import pytest

from nap_env import IllegalAction, Rules, nap_v0
from nap_env.cards import ACTION_NAMES, CARD_NAMES, action_id, card_id, cards_of
from nap_env.observation import decode, layout, state_layout, wide

ROUNDS = {5: (3, 2), 7: (3, 2, 2)}  # R2.3

# Seat 0 wins every trick with spades as trumps.
FIVE = ["AS KS QS JS TS", "2S 3S AH KH QH", "4S 5S JH TH 9H", "6S AD KD QD JD", "7S AC KC QC JC"]
FOUR = FIVE[:4]
THREE = FIVE[:3]


def names(text):
    """A set of action names from a text such as "AS KS PASS"."""
    return set(text.split())


def pack(rules):
    """The cards in use, from the lowest of clubs."""
    return [CARD_NAMES[card] for card in cards_of(rules.pack_mask)]


def deck(hands, dealer, rules, then=""):
    """A pack, top card first: ``hands`` (a text a seat, "" for none), the cards of ``then``, the rest."""
    n = len(hands)
    held = [hands[(dealer + 1 + turn) % n].split() for turn in range(n)]
    dealt, start = [], 0
    for size in ROUNDS.get(rules.hand_size, (rules.hand_size,)):
        dealt += [card for hand in held for card in hand[start : start + size]]
        start += size
    assert all(len(hand) in (0, start) for hand in held), hands
    dealt += then.split()
    assert len(set(dealt)) == len(dealt), f"a card twice in {hands} and {then}"
    return dealt + [card for card in pack(rules) if card not in dealt]


def plain(kernel):
    """The Python body of a kernel, compiled or not."""
    return getattr(kernel, "py_func", kernel)


class Table:
    """A match in `raw_env`; the last seat deals unless told otherwise, so that seat 0 is the first to act."""

    def __init__(
        self,
        hands: list[str] | None = None,
        then: str = "",
        *,
        dealer: int | None = None,
        match: dict[str, Any] | None = None,
        more: tuple[tuple[list[str], int], ...] = (),
        decks: list[list[str]] | None = None,
        **rules: Any,
    ) -> None:
        """``hands`` and ``then`` as in `deck`; ``more`` gives (hands, dealer) of the hands that follow."""
        if hands is not None:
            rules.setdefault("num_players", len(hands))
        self.rules = Rules(**rules)
        n = self.rules.num_players
        dealer = n - 1 if dealer is None else dealer
        if hands is not None:
            decks = [deck(hands, dealer, self.rules, then)]
            decks += [deck(cards, seat, self.rules) for cards, seat in more]
        self.env = nap_v0.raw_env(self.rules, **(match or {}))
        self.env.reset(seed=1, options={"dealer": dealer, **({"decks": decks} if decks else {})})

    # ---- to act

    def do(self, actions: str) -> list[int]:
        """Take these actions (``*`` is the first legal one); every seat's reward at the last of them."""
        for name in actions.split():
            mask = self.env.last()[0]["action_mask"]
            self.env.step(int(mask.argmax()) if name == "*" else action_id(name))
        return [int(self.env.rewards[agent]) for agent in self.env.possible_agents]

    def finish_hand(self) -> list[int]:
        """First legal actions to the end of the hand; the rewards at its end."""
        hands = self.env.result()["hands"]
        while self.env.result()["hands"] == hands:
            rewards = self.do("*")
        return rewards

    def refuses(self, action: str) -> str:
        """The sentence that refuses an action; nothing has changed by it."""
        before = self.env.get_state()["_games"].tobytes()
        with pytest.raises(IllegalAction) as error:
            self.env.step(action_id(action))
        assert self.env.get_state()["_games"].tobytes() == before
        assert action_id(action) not in np.flatnonzero(self.env.last()[0]["action_mask"])
        sentence = str(error.value)
        assert f"player_{self.seat}" in sentence
        assert action in sentence
        return sentence

    # ---- to look at

    @property
    def seat(self) -> int:
        """The seat to act."""
        return int(self.env.agent_selection.removeprefix("player_"))

    @property
    def legal(self) -> set[str]:
        """What the seat to act may do, from its mask."""
        return {ACTION_NAMES[a] for a in np.flatnonzero(self.env.last()[0]["action_mask"])}

    @property
    def over(self) -> bool:
        """Whether the match is over."""
        return all(self.env.terminations.values())

    @property
    def result(self) -> dict[str, Any]:
        """The score sheet so far."""
        return self.env.result()

    def sees(self, seat: int) -> dict[str, Any]:
        """What a seat knows, in words, seats relative to it."""
        return decode(self.env.observe(f"player_{seat}")["observation"], self.rules)

    def hand(self, seat: int) -> set[str]:
        """The cards a seat holds, from `state()`."""
        return self._cards("hands", 52 * seat)

    def discards(self, seat: int) -> set[str]:
        """The cards a seat put away face down, from `state()`."""
        return self._cards("all_discards", 52 * seat)

    @property
    def stub(self) -> list[str]:
        """The undealt cards, top first, from `state()`."""
        places = self.state("stub")
        return [CARD_NAMES[card] for card in np.argsort(places, kind="stable") if places[card]]

    def state(self, field: str) -> np.ndarray:
        """A field of `state()`."""
        return self.env.state()[state_layout(self.rules)[field]]

    def wide(self, field: str, viewer: int = 0) -> list[int]:
        """The wide numbers of a field of an observation, in seats relative to the viewer."""
        view = self.env.observe(f"player_{viewer}")["observation"][layout(self.rules)[field]]
        return [wide(pair) for pair in view.reshape(-1, 2)]

    def _cards(self, field: str, start: int) -> set[str]:
        return {CARD_NAMES[card] for card in np.flatnonzero(self.state(field)[start : start + 52])}


def holds(table: Table, seat: int, cards: str) -> bool:
    """Whether a seat holds just these cards."""
    return table.hand(seat) == {CARD_NAMES[card_id(name)] for name in cards.split()}
