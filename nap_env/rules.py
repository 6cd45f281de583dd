"""Rules: which Nap is played. A frozen value; presets are values too (RULES R12, R15, R16)."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from nap_env.cards import BIDS, PASS
from nap_env.errors import RulesError

FIVE_CARD = ("THREE", "MISERE", "FOUR", "NAP", "WELLINGTON", "BLUCHER")
SEVEN_CARD = ("THREE", "FOUR", "NAP", "MISERE", "SIX", "SEVEN")
SEVEN_CARD_LOW_MISERE = ("THREE", "FOUR", "MISERE", "NAP", "SIX", "SEVEN")
PACKS = (52, 40, 36, 32, 28, 24)

_STAKES = {  # R5
    "THREE": (3, 3),
    "MISERE": (3, 3),
    "FOUR": (4, 4),
    "NAP": (10, 5),
    "WELLINGTON": (20, 10),
    "BLUCHER": (30, 15),
    "SIX": (18, 9),
    "SEVEN": (24, 12),
}
_SEVEN_STAKES = _STAKES | {"MISERE": (10, 5)}  # R10.2
MAX_STAKE = 1_000_000

Stakes = tuple[tuple[str, tuple[int, int]], ...]


def _option(default: Any, text: str) -> Any:
    return field(default=default, metadata={"help": text})


@dataclass(frozen=True, eq=False)
class Rules:
    """A variant of Nap; the fields of RULES R16. Equal when they play alike, hashable, immutable.

    ``ladder`` and ``stakes`` may be given as a list and a mapping; they are kept as tuples.

    Raises:
        RulesError: a combination that cannot be dealt or played; the message cites the clause.

    >>> Rules(num_players=4, exchange="ecarte").hand_size
    5
    """

    num_players: int = _option(5, "at the table, 2 to 7 (R1.1)")
    hand_size: int = _option(5, "cards dealt to each: 5, 7 (R10) or 1 to 4 (R15)")
    pack: int | None = _option(None, "cards in the pack (R2.1, R15.1); None: 13 x suits")
    suits: int = _option(4, "suits in the pack; fewer than 4 only with hands of 1 to 4 (R15.1)")
    ladder: tuple[str, ...] | None = _option(None, "the bids in use (R3.6); None: all")
    stakes: Stakes = _option((), "{bid: (made, failed)} laid over R5 or R10.2, stakes a payer")
    misere_trump: bool = _option(False, "the first lead makes trumps in Misere too (R4.1)")
    wellington_lowest_lead: bool = _option(False, "R4.5")
    dealer_sits_out: bool = _option(False, "from four players on the dealer only pays (R2.5)")
    stop_when_decided: bool = _option(False, "the hand ends when the bid is decided (R4.4)")
    exchange: str = _option("none", "'none', 'purchase' (R7.1) or 'ecarte' (R7.2)")
    purchase_count: int = _option(2, "cards in a purchase, 1 to 5 (R7.1)")
    peep: bool = _option(False, "a card lies face down to be looked at for a stake (R8)")
    sir_garnet: bool = _option(False, "a spare hand lies face down (R9)")
    peep_exchange: str = _option("peeped", "who may swap for the peep card: 'peeped' or 'declarer' (R8.2)")
    misere_below_nap: bool = _option(False, "seven-card only: Misere ranks below Nap (R10.1)")
    revoke: str = _option("forbidden", "'forbidden' or 'penalised' (R6.1)")

    def __post_init__(self) -> None:
        for item in dataclasses.fields(self):
            _check_type(item.name, getattr(self, item.name))
        for name in ("num_players", "hand_size", "suits", "purchase_count"):
            object.__setattr__(self, name, operator.index(getattr(self, name)))
        if self.pack is not None:
            object.__setattr__(self, "pack", operator.index(self.pack))
        for item in dataclasses.fields(self):
            if isinstance(getattr(self, item.name), np.bool_):
                object.__setattr__(self, item.name, bool(getattr(self, item.name)))
        object.__setattr__(self, "stakes", _stakes(self.stakes))
        if self.ladder is not None:
            object.__setattr__(self, "ladder", _ladder(self.ladder, self._full_ladder))
        _check(self)

    # ---- what follows from the fields ------------------------------------------------------------

    @property
    def _full_ladder(self) -> tuple[str, ...]:
        if self.hand_size == 7:
            return SEVEN_CARD_LOW_MISERE if self.misere_below_nap else SEVEN_CARD
        return FIVE_CARD

    @cached_property
    def bids(self) -> tuple[str, ...]:
        """The ladder in force, lowest bid first; a bid that would ask for no trick is left out (R15.2)."""
        if self.ladder is not None:
            return self.ladder
        return tuple(bid for bid in self._full_ladder if bid == "MISERE" or self.tricks_asked(bid) > 0)

    @property
    def pack_size(self) -> int:
        """Cards in the pack."""
        return 13 * self.suits if self.pack is None else self.pack

    @cached_property
    def pack_mask(self) -> int:
        """The cards in use as a 64-bit set: the highest ranks of each suit (R2.1, R15.1)."""
        ranks = self.pack_size // self.suits
        suit = ((1 << ranks) - 1) << (13 - ranks)
        return sum(suit << (13 * s) for s in range(self.suits))

    @property
    def has_discards(self) -> bool:
        """Whether a player can come to put cards away (R7, R8.2, R9)."""
        return self.exchange != "none" or self.peep or self.sir_garnet

    def tricks_asked(self, bid: str) -> int:
        """Tricks that a bid asks for; 0 for Misere (R3.5, R10.1, R15.2)."""
        hand = self.hand_size
        asked = {"MISERE": 0, "SIX": 6, "SEVEN": 7, "THREE": 3, "FOUR": 4, "NAP": 5}
        if hand != 7:
            asked |= {"THREE": hand - 2, "FOUR": hand - 1, "NAP": hand, "WELLINGTON": hand, "BLUCHER": hand}
        return asked[bid]

    def stake(self, bid: str) -> tuple[int, int]:
        """Stakes a payer when the bid is made and when it fails (R5, R10.2)."""
        return dict(self.stakes).get(bid, (_SEVEN_STAKES if self.hand_size == 7 else _STAKES)[bid])

    @cached_property
    def largest_stake(self) -> int:
        """The largest figure of any bid in use, stakes a payer."""
        return max(max(self.stake(bid)) for bid in self.bids)

    def hands_dealt(self) -> int:
        """Hands of cards dealt at a full table (R2.5)."""
        return self.num_players - (1 if self.dealer_sits_out else 0)

    # ---- as a value ------------------------------------------------------------------------------

    @cached_property
    def _key(self) -> tuple[Any, ...]:
        own = {item.name: getattr(self, item.name) for item in dataclasses.fields(self)}
        own |= {"ladder": self.bids, "pack": self.pack_size}
        own["stakes"] = tuple(self.stake(bid) for bid in self.bids)
        return tuple(own.values())

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, Rules) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        changed = ", ".join(
            f"{item.name}={getattr(self, item.name)!r}"
            for item in dataclasses.fields(self)
            if getattr(self, item.name) != item.default
        )
        return f"Rules({changed})"

    def to_dict(self) -> dict[str, Any]:
        """The fields that differ from their defaults, and ``num_players``, as JSON-ready values."""
        values: dict[str, Any] = {"num_players": self.num_players}
        for item in dataclasses.fields(self):
            value = getattr(self, item.name)
            if value != item.default:
                values[item.name] = value
        if self.stakes:
            values["stakes"] = {name: list(pair) for name, pair in self.stakes}
        if self.ladder is not None:
            values["ladder"] = list(self.ladder)
        return values

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Rules:
        """The rules that `to_dict` wrote.

        Raises:
            RulesError: an unknown field, or rules that cannot be.
        """
        known = [item.name for item in dataclasses.fields(cls)]
        unknown = [name for name in values if name not in known]
        if unknown:
            raise RulesError(f"unknown rule {unknown[0]!r}: the fields of Rules are {', '.join(known)} (R16)")
        return cls(**values)

    @cached_property
    def kernel(self) -> npt.NDArray[np.void]:
        """These rules as the one-record array that the compiled rulebook takes."""
        return _kernel(self)

    def __getstate__(self) -> dict[str, Any]:
        return {item.name: getattr(self, item.name) for item in dataclasses.fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


# ---- checks: what cannot be, and why ---------------------------------------------------------------


def _check_type(name: str, value: Any) -> None:
    default = Rules.__dataclass_fields__[name].default
    if name in ("stakes", "ladder"):
        return
    if isinstance(default, bool):
        if not isinstance(value, bool | np.bool_):
            raise RulesError(f"{name} must be True or False, not {value!r}")
    elif isinstance(default, str):
        if not isinstance(value, str):
            raise RulesError(f"{name} must be text, not {value!r}")
    elif value is None and default is None:
        return
    elif isinstance(value, bool | np.bool_) or not hasattr(value, "__index__"):
        raise RulesError(f"{name} must be a whole number, not {value!r}")


def _stakes(stakes: Any) -> Stakes:
    try:
        pairs = dict(stakes)
    except (TypeError, ValueError):
        raise RulesError(f"stakes must be {{bid: [made, failed]}}, not {stakes!r} (R16)") from None
    result = []
    for name, pair in pairs.items():
        if name not in BIDS:
            raise RulesError(f"stakes for an unknown bid {name!r}: the bids are {', '.join(BIDS)} (R5.2)")
        try:
            made, failed = pair
            numbers = (_whole(made), _whole(failed))
        except (TypeError, ValueError):
            raise RulesError(
                f"stakes of {name} must be two whole numbers from 0 to {MAX_STAKE}, "
                f"made and failed, not {pair!r} (R5.2)"
            ) from None
        result.append((name, numbers))
    return tuple(sorted(result, key=lambda item: BIDS.index(item[0])))


def _whole(value: Any) -> int:
    if isinstance(value, bool | np.bool_):
        raise TypeError
    number = operator.index(value)
    if not 0 <= number <= MAX_STAKE:
        raise ValueError
    return number


def _ladder(ladder: Any, full: tuple[str, ...]) -> tuple[str, ...]:
    if isinstance(ladder, str) or not isinstance(ladder, Iterable):
        raise RulesError(f"ladder must be a list of bids, not {ladder!r} (R3.6)")
    names = list(ladder)
    if not names:
        raise RulesError("an empty ladder: name at least one bid (R3.6)")
    for name in names:
        if name not in BIDS:
            raise RulesError(f"unknown bid {name!r} in the ladder: the bids are {', '.join(BIDS)} (R3.6)")
        if name not in full:
            clause = "R10.1" if full is not FIVE_CARD else "R3.6"
            raise RulesError(f"{name} is not played with hands of this size: use {', '.join(full)} ({clause})")
        if names.count(name) > 1:
            raise RulesError(f"{name} stands twice in the ladder (R3.6)")
    return tuple(bid for bid in full if bid in names)


def _check(rules: Rules) -> None:
    n, hand = rules.num_players, rules.hand_size
    _check_sizes(rules)
    for bid in rules.ladder or ():
        if bid != "MISERE" and rules.tricks_asked(bid) < 1:
            raise RulesError(f"{bid} would ask for no trick with hands of {hand} (R3.6, R15.2)")
    for above, below in (("WELLINGTON", "NAP"), ("BLUCHER", "WELLINGTON")):
        if above in rules.bids and below not in rules.bids:
            raise RulesError(f"{above} without {below}: it can only be bid over it (R3.3, R3.6)")
    if rules.sir_garnet and "NAP" not in rules.bids:
        raise RulesError("Sir Garnet without Nap in the ladder: who takes the spare hand bids Nap (R3.6, R9.1)")
    for name, values in (
        ("exchange", ("none", "purchase", "ecarte")),
        ("peep_exchange", ("peeped", "declarer")),
        ("revoke", ("forbidden", "penalised")),
    ):
        if getattr(rules, name) not in values:
            raise RulesError(f"{name}={getattr(rules, name)!r}: use one of {', '.join(map(repr, values))} (R16)")
    if not 1 <= rules.purchase_count <= 5:
        raise RulesError(f"purchase_count={rules.purchase_count}: a purchase is of 1 to 5 cards (R2.6, R7.1)")
    if hand != 5 and (rules.has_discards):
        clause = "R10.1" if hand == 7 else "R15.1"
        raise RulesError(f"exchange, peep and spare hand need hands of five, not of {hand} ({clause})")
    if rules.misere_below_nap and hand != 7:
        raise RulesError(f"misere_below_nap belongs to seven-card Nap, not to hands of {hand} (R10.1)")
    if rules.stop_when_decided and rules.revoke == "penalised":
        raise RulesError("stop_when_decided together with revoke='penalised' is refused (R4.4)")
    if rules.dealer_sits_out and n < 4:
        raise RulesError(f"dealer_sits_out needs at least four at the table, not {n} (R2.5, R16)")
    if rules.exchange == "ecarte" and n > 4:
        raise RulesError(f"ecarte allows four players at most at the table, not {n} (R2.6)")
    _check_cards(rules)


def _check_sizes(rules: Rules) -> None:
    if not 2 <= rules.num_players <= 7:
        raise RulesError(f"num_players={rules.num_players}: Nap is for 2 to 7 at the table (R1.1)")
    if rules.hand_size not in (1, 2, 3, 4, 5, 7):
        raise RulesError(f"hand_size={rules.hand_size}: hands are of 5, of 7 (R10) or of 1 to 4 (R15) cards")
    size = rules.pack_size
    if rules.hand_size >= 5:
        if rules.suits != 4:
            raise RulesError(f"suits={rules.suits}: hands of five and seven need four suits (R15.1)")
        if size not in PACKS:
            raise RulesError(f"pack={size}: packs have {', '.join(map(str, PACKS))} cards (R2.1)")
    elif rules.suits not in (2, 3, 4):
        raise RulesError(f"suits={rules.suits}: packs have 2, 3 or 4 suits (R15.1)")
    elif size % rules.suits or not 1 <= size // rules.suits <= 13:
        raise RulesError(f"pack={size}: with {rules.suits} suits a pack has {rules.suits} x 1..13 cards (R15.1)")


def _check_cards(rules: Rules) -> None:
    """R2.6: the cards must suffice."""
    hands, hand = rules.hands_dealt(), rules.hand_size
    each = {"none": hand, "purchase": hand + rules.purchase_count, "ecarte": 2 * hand}[rules.exchange]
    needed = hands * each + (1 if rules.peep else 0) + (5 if rules.sir_garnet else 0)
    if needed > rules.pack_size:
        parts = [f"{hands} hands x {each}"] + ["1 to peep at"] * rules.peep + ["5 spare"] * rules.sir_garnet
        raise RulesError(f"{' + '.join(parts)} = {needed} cards, but the pack has {rules.pack_size} (R2.6)")


# ---- for the kernel ---------------------------------------------------------------------------------


def _kernel(rules: Rules) -> npt.NDArray[np.void]:
    from nap_env import observation
    from nap_env.engine import records

    array = np.zeros(1, records.RULES)
    record = array[0]
    record.pack = rules.pack_mask
    record.place = -1
    bids = rules.bids
    for rung, bid in enumerate(bids):
        b = BIDS.index(bid)
        record.made[b], record.failed[b] = rules.stake(bid)
        record.target[b] = rules.tricks_asked(bid)
        record.place[b] = rung
        record.call[PASS + 1 + b] = 1 + rung
        record.over[b] = _bids_over(rules, bids[rung + 1 :], bid)
    record.over[8] = _bids_over(rules, bids, None)
    record.num_players = rules.num_players
    record.hand_size = rules.hand_size
    record.ranks = rules.pack_size // rules.suits
    record.num_bids = len(bids)
    record.purchase_count = rules.purchase_count
    record.misere_trump = rules.misere_trump
    record.lowest_lead = rules.wellington_lowest_lead
    record.sits_out = rules.dealer_sits_out
    record.stop_decided = rules.stop_when_decided
    record.purchase = rules.exchange == "purchase"
    record.ecarte = rules.exchange == "ecarte"
    record.peep = rules.peep
    record.sir_garnet = rules.sir_garnet
    record.peep_any = rules.peep_exchange == "declarer"
    record.penalised = rules.revoke == "penalised"
    record.pays_early = rules.exchange != "none" or rules.peep
    record.length = observation.size(rules)
    record.each = sum(1 << place for place in range(0, 64, rules.num_players))
    slices = observation.layout(rules)
    for item in observation.FIELDS:
        record[f"at_{item.name}"] = slices[item.name].start if item.name in slices else -1
    array.flags.writeable = False
    return array


def _bids_over(rules: Rules, higher: tuple[str, ...], contract: str | None) -> int:
    """R3.2, R3.3: the bids that may follow a contract, as a set of actions."""
    only_over = {"WELLINGTON": "NAP", "BLUCHER": "WELLINGTON"}
    return sum(1 << (53 + BIDS.index(bid)) for bid in higher if bid not in only_over or only_over[bid] == contract)


# ---- presets ---------------------------------------------------------------------------------------

PRESETS: dict[str, Rules] = {  # R12
    "standard": Rules(),
    "seven_card": Rules(hand_size=7),
    "purchase": Rules(exchange="purchase"),
    "ecarte": Rules(exchange="ecarte", num_players=4),
    "peep": Rules(peep=True),
    "sir_garnet": Rules(sir_garnet=True),
    "no_overcalls": Rules(ladder=("THREE", "MISERE", "FOUR", "NAP")),
    "no_misere": Rules(ladder=("THREE", "FOUR", "NAP", "WELLINGTON", "BLUCHER")),
    "six_handed": Rules(num_players=6, dealer_sits_out=True),
    "penny": Rules(stakes=(("NAP", (12, 6)), ("WELLINGTON", (24, 12)), ("BLUCHER", (36, 18)))),
}


def make_rules(rules: str | Rules = "standard", num_players: int | None = None) -> Rules:
    """The rules that a preset's name or a `Rules` stands for; a number of players re-makes a preset.

    Raises:
        RulesError: an unknown preset, a preset that cannot be played by so many, or ``num_players``
            beside a `Rules` that says otherwise.

    >>> make_rules("peep", 3).num_players
    3
    """
    if num_players is not None:
        _check_type("num_players", num_players)
    if isinstance(rules, Rules):
        if num_players is not None and num_players != rules.num_players:
            raise RulesError(
                f"num_players={num_players!r} beside Rules for {rules.num_players}: "
                f"give Rules(num_players={num_players!r}, ...), or leave num_players out"
            )
        return rules
    if not isinstance(rules, str) or rules not in PRESETS:
        raise RulesError(f"unknown rules {rules!r}: give a Rules, or one of {', '.join(PRESETS)} (R12)")
    return PRESETS[rules] if num_players is None else _remade(rules, num_players)


@lru_cache(maxsize=64, typed=True)
def _remade(preset: str, num_players: int) -> Rules:
    return dataclasses.replace(PRESETS[preset], num_players=num_players)
