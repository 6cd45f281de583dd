"""The table as text: a row a seat, the trick on the table, at most 80 columns."""

from __future__ import annotations

from nap_env.cards import SUIT_SYMBOLS, action_id, action_name
from nap_env.render.view import SUIT_WORDS, SeatView, TableView, card_text, headline, signed

WIDTH = 80
_LEFT, _RIGHT = "left", "right"
Column = tuple[str, str, list[str]]  # heading, side, cells


def text(view: TableView) -> str:
    """A table as its viewer sees it: lines of at most 80 characters, without a line end after the last.

    ``▸`` is to act, ``D`` the dealer, ``·`` a card face down, ``*`` the card that wins its trick.
    """
    rows = _rows(view)
    rule = " " + "─" * (max(map(len, rows)) - 1)
    lines = [_title(view), rule, *rows, rule, *_below(view)]
    return "\n".join(line.rstrip() for line in lines)


def _title(view: TableView) -> str:
    parts = [f"Nap, {len(view.seats)} players"]
    if view.extra:
        parts.append(f"extra hand {view.extra}")
    elif view.num_hands > 1:
        parts.append(f"hand {min(view.hands + (not view.over), view.num_hands)} of {view.num_hands}")
    if view.contract:
        parts.append(f"{view.contract} by player_{view.declarer}")
    if view.trump is not None:
        parts.append(f"trumps {SUIT_SYMBOLS[view.trump]}")
    if view.rules.peep or view.rules.exchange != "none":
        parts.append(f"pool {view.pool}")
    while len(" · ".join(parts)) >= WIDTH:
        parts.pop(0)
    return " " + " · ".join(parts)


# ---- a row a seat ------------------------------------------------------------------------------------


def _rows(view: TableView) -> list[str]:
    """As roomy as the width allows: figures of many digits take the space between columns."""
    lines: list[str] = []
    for gap, roomy, skip in (("  ", True, ""), (" ", True, ""), (" ", False, ""), (" ", False, "net")):
        lines = _set([column for column in _columns(view, roomy) if column[0] != skip or not skip], gap)
        if max(map(len, lines)) <= WIDTH:
            break
    return lines


def _columns(view: TableView, roomy: bool) -> list[Column]:
    """The columns that have something to say, in order."""
    seats = view.seats
    columns: list[Column] = [
        ("", _LEFT, [_mark(view, s) for s in seats]),
        ("", _LEFT, [_name(view, s) for s in seats]),
        ("holds", _LEFT, [_cards(s.hand) for s in seats]),
        ("played", _LEFT, [_played(view, s.seat, " " if roomy else "") for s in seats]),
        ("bought", _RIGHT, [str(s.bought or "") for s in seats]),
        ("bid", _LEFT, [_bid(s) for s in seats]),
        ("won", _RIGHT, [_won(view, s) for s in seats]),
        ("gain" if view.over else "last", _RIGHT, [signed(s.gain) for s in seats] if view.settled else []),
        ("net", _RIGHT, [signed(s.net) for s in seats] if view.hands or _moved(view) else []),
        ("chips", _RIGHT, ["" if s.chips is None else signed(s.chips).lstrip("+") for s in seats]),
        ("", _LEFT, [_note(view, s) for s in seats]),
    ]
    return [column for column in columns if any(column[2])]


def _set(columns: list[Column], gap: str) -> list[str]:
    """The columns side by side under their headings."""
    set_columns = []
    for heading, side, cells in columns:
        width = max(len(heading), *map(len, cells))
        adjust = str.ljust if side == _LEFT else str.rjust
        set_columns.append([adjust(cell, width) for cell in (heading, *cells)])
    return [" " + gap.join(row) for row in zip(*set_columns, strict=True)]


def _mark(view: TableView, seat: SeatView) -> str:
    turn = "▸" if seat.seat == view.seat else " "
    return turn + ("D" if seat.seat == view.dealer else " ")


def _name(view: TableView, seat: SeatView) -> str:
    return f"you ({seat.seat})" if seat.seat == view.viewer else f"player_{seat.seat}"


def _cards(cards: tuple[int | None, ...]) -> str:
    return " ".join(card_text(card) for card in reversed(cards))


def _played(view: TableView, seat: int, gap: str) -> str:
    """A seat's cards trick by trick, those that won theirs with a star."""
    cells = []
    for trick in view.tricks:
        card = dict(trick.cards).get(seat)
        cells.append("   " if card is None else card_text(card) + ("*" if trick.winner == seat else " "))
    return gap.join(cells).rstrip()


def _bid(seat: SeatView) -> str:
    if seat.bid is None:
        return ""
    return "pass" if seat.bid == "PASS" else seat.bid


def _won(view: TableView, seat: SeatView) -> str:
    if not view.tricks or not seat.dealt:
        return ""
    return f"{seat.won}/{view.target}" if seat.seat == view.declarer else str(seat.won)


def _note(view: TableView, seat: SeatView) -> str:
    if seat.seat in view.winners:
        return "winner" if len(view.winners) == 1 else "shares"
    if seat.out:
        return "out"
    if not seat.playing:
        return "waits"
    if not seat.dealt:
        return "sits out"
    if seat.seat == view.spare_taker:
        return "spare"
    return "peeped" if seat.peeped else ""


def _moved(view: TableView) -> bool:
    return any(seat.net for seat in view.seats)


# ---- below the rows ----------------------------------------------------------------------------------


def _below(view: TableView) -> list[str]:
    lines = [" " + headline(view)]
    if view.tricks:
        lines.append(_trick(view))
    if view.rules.peep:
        state = "taken by the declarer" if view.swapped else "face down"
        lines.append(f" peep card {card_text(view.peep_card)} {state}")
    if view.spare:
        lines.append(f" spare hand {' '.join([card_text(None)] * view.spare)}")
    return lines + _put_away(view) + _legal(view)


def _trick(view: TableView) -> str:
    """The trick on the table, or the last one, in the order played."""
    trick = view.tricks[-1]
    cards = [f"{seat}:{card_text(card)}{'*' if seat == trick.winner else ''}" for seat, card in trick.cards]
    suit = SUIT_WORDS[trick.cards[0][1] // 13]
    return f" trick {len(view.tricks)} in {suit}   {'  '.join(cards)}"


def _put_away(view: TableView) -> list[str]:
    """The cards put away face down, of those whose the viewer may see."""
    shown = [(s.seat, _cards(s.discards)) for s in view.seats if s.discards and None not in s.discards]
    return _wrapped(" put away ", [f"{seat}:{cards} " for seat, cards in shown])


def _legal(view: TableView) -> list[str]:
    """The choices: words first, then cards, high ones first."""
    numbers = [action_id(name) for name in view.legal]
    words = [action_name(number) for number in numbers if number >= 52]
    return _wrapped(" may ", words + [card_text(number) for number in reversed(numbers) if number < 52])


def _wrapped(label: str, items: list[str]) -> list[str]:
    """The items after a label, in as many lines as they need; none for no items."""
    lines: list[str] = []
    for item in items:
        if lines and len(lines[-1]) + 1 + len(item.rstrip()) <= WIDTH:
            lines[-1] += f" {item}"
        else:
            lines.append(f"{' ' * len(label) if lines else label} {item}")
    return lines
