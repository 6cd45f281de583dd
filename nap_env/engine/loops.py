"""The ways in from Python: arrays of records, a table by its number, and the loops over many tables.

Each is a thin shell over `rulebook` (what happens) and `views` (what a seat sees); none has a rule of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nap_env.engine.chance import mix
from nap_env.engine.jit import njit
from nap_env.engine.memory import borrowed, fetch
from nap_env.engine.records import DEAL, HOT, MAX_SEATS, OVER
from nap_env.engine.rulebook import apply, deal, deal_from, deal_hands, deal_next, random_action, restart, start_match
from nap_env.engine.views import observe, write_mask, write_state

_EMPTY = np.uint64(0)
AHEAD = 4  # tables: so far before its turn a table's memory is asked for; many tables do not fit into the caches
_PASS = 52


@njit
def seed_table(games: Any, table: Any, key: Any) -> None:
    """Put a table at the start of a stream of random numbers; `mix` is a bijection, so no two keys meet."""
    games[table].key = mix(key)
    games[table].draws = _EMPTY


@njit
def begin(
    games: Any,
    table: Any,
    rules: Any,
    dealer: Any,
    num_hands: Any,
    starting_chips: Any,
    rebuys: Any,
    tie_break: Any,
    decks: Any,
    hands: Any,
) -> Any:
    """Start a match and deal its first hand, from ``decks`` [K, pack] or with ``hands`` [7]; who acts."""
    g, r = games[table], rules[0]
    g.matches = 0
    start_match(g, r, dealer, num_hands, starting_chips, rebuys, tie_break)
    if hands.any():
        deal_hands(g, r, hands)
    else:
        deal_next(g, r, decks)
    return int(g.seat)


@njit
def turn(games: Any, table: Any, rules: Any, action: Any, decks: Any) -> Any:
    """Take an action and deal the next hand where one is due.

    Returns -1, and changes nothing, when the action is not legal; else the seat to act, plus 8 when
    somebody's net result changed, plus 16 when the match is over.
    """
    g, r = games[table], rules[0]
    if not (g.legal >> np.uint64(action)) & np.uint64(1):
        return -1
    apply(g, r, action)
    if int(g.phase) == DEAL:
        deal_next(g, r, decks)
    status = int(g.seat)
    for seat in range(MAX_SEATS):
        if g.rewards[seat]:
            status |= 8
    return status | 16 if int(g.phase) == OVER else status


@njit
def turn_and_view(games: Any, table: Any, rules: Any, action: Any, decks: Any, out: Any, mask: Any) -> Any:
    """`turn`, and where the match goes on the `view` of the seat then to act: one call for both."""
    status = turn(games, table, rules, action, decks)
    if 0 <= status < 16:
        view(games, table, rules, status & 7, out, mask)
    return status


@njit
def view(games: Any, table: Any, rules: Any, viewer: Any, out: Any, mask: Any) -> None:
    """Observation [O] and action mask [64] of a seat; the mask is empty for all but the seat to act."""
    g = games[table]
    observe(g, rules[0], viewer, out)
    write_mask(g.legal if int(g.seat) == viewer else _EMPTY, mask)


@njit
def full_state(games: Any, table: Any, rules: Any, out: Any) -> None:
    """`write_state` of a table."""
    write_state(games[table], rules[0], out)


@njit
def first_illegal(games: Any, index: Any, actions: Any, start: Any, stop: Any) -> Any:
    """The first row start..stop-1 of ``actions`` [K] that table ``index[row]`` does not allow, or -1."""
    for row in range(start, stop):
        action = actions[row]
        if action < 0 or action > 63 or not (games[index[row]].legal >> np.uint64(action)) & np.uint64(1):
            return row
    return -1


@njit
def seed_rows(games: Any, index: Any, keys: Any) -> None:
    """`seed_table` for each table ``index[row]`` with ``keys[row]`` [K]."""
    for row in range(index.shape[0]):
        seed_table(games, index[row], keys[row])


@njit
def begin_rows(
    games: Any,
    rules: Any,
    index: Any,
    keys: Any,
    dealers: Any,
    num_hands: Any,
    starting_chips: Any,
    rebuys: Any,
    tie_break: Any,
    decks: Any,
) -> None:
    """Start a match and deal its first hand at each table ``index[row]``; empty ``keys`` keep the streams."""
    r = rules[0]
    if keys.shape[0]:
        seed_rows(games, index, keys)
    for row in range(index.shape[0]):
        g = games[index[row]]
        g.matches = 0
        start_match(g, r, dealers[row], num_hands, starting_chips, rebuys, tie_break)
        deal_row(g, r, decks, index[row])


@njit
def deal_row(g: Any, r: Any, decks: Any, table: Any) -> None:
    """Deal the next hand at a table from its packs in ``decks`` [B, K, pack], or by chance."""
    if g.matches == 1 and int(g.hands) < decks.shape[1]:
        deal_from(g, r, decks[table, g.hands])
    else:
        deal(g, r)


@njit
def step_rows(
    games: Any,
    rules: Any,
    index: Any,
    actions: Any,
    decks: Any,
    how: Any,
    start: Any,
    stop: Any,
    rewards: Any,
    done: Any,
    out: Any,
    masks: Any,
    seats: Any,
) -> None:
    """Rows start..stop-1: ``actions[row]`` at table ``index[row]``; rewards [K, n] and done [K] by row.

    ``how`` is 1 to deal on where a match is over, plus 2 to write the views of the seats then to act: into row
    ``table`` of ``out`` and ``masks``. Who acts goes into ``seats`` in any case.
    """
    auto_deal, with_views = how & 1, how & 2
    r = rules[0]
    n, length = int(r.num_players) & 7, int(r.length)
    for row in range(start, stop):
        table = index[row]
        if row + AHEAD < stop:
            fetch(games, index[row + AHEAD], HOT)
            if with_views:
                fetch(out, index[row + AHEAD], length)
                fetch(masks, index[row + AHEAD], 64)
        g = games[table]
        apply(g, r, actions[row])
        for seat in range(n):
            rewards[row, seat] = g.rewards[seat]
        over = int(g.phase) == OVER
        done[row] = over
        if over and auto_deal:
            restart(g, r)
            deal(g, r)
        elif int(g.phase) == DEAL:
            deal_row(g, r, decks, table)
        seats[table] = g.seat
        if with_views:
            observe(g, r, g.seat, borrowed(out, table))
            write_mask(g.legal, borrowed(masks, table))


@njit
def observe_rows(games: Any, rules: Any, index: Any, start: Any, stop: Any, out: Any, masks: Any, seats: Any) -> None:
    """The views of the seats to act at tables ``index[start:stop]`` into row ``table`` of each output."""
    r = rules[0]
    length = int(r.length)
    for row in range(start, stop):
        table = index[row]
        if row + AHEAD < stop:
            fetch(games, index[row + AHEAD], HOT)
            fetch(out, index[row + AHEAD], length)
            fetch(masks, index[row + AHEAD], 64)
        g = games[table]
        seats[table] = g.seat
        observe(g, r, g.seat, borrowed(out, table))
        write_mask(g.legal, borrowed(masks, table))


@njit
def observe_seats(games: Any, rules: Any, viewers: Any, out: Any) -> None:
    """What seat ``viewers[table]`` may know at each table, into ``out`` [B, O]."""
    for table in range(games.shape[0]):
        observe(games[table], rules[0], viewers[table], borrowed(out, table))


@njit
def state_rows(games: Any, rules: Any, out: Any) -> None:
    """`write_state` of every table into ``out`` [B, S]."""
    for table in range(games.shape[0]):
        write_state(games[table], rules[0], borrowed(out, table))


@njit
def random_rows(games: Any, index: Any, start: Any, stop: Any, out: Any) -> None:
    """Rows start..stop-1: a uniformly random legal action for table ``index[row]``; PASS where the match is over."""
    for row in range(start, stop):
        g = games[index[row]]
        out[row] = random_action(g) if g.legal else _PASS


@njit
def playout_rows(games: Any, rules: Any, decks: Any, start: Any, stop: Any) -> None:
    """Play the matches at tables start..stop-1 to their end with uniformly random legal actions."""
    r = rules[0]
    for table in range(start, stop):
        g = games[table]
        while int(g.phase) != OVER:
            if int(g.phase) == DEAL:
                deal_row(g, r, decks, table)
            else:
                apply(g, r, random_action(g))


@njit
def random_moves(games: Any, rules: Any, start: Any, stop: Any, moves: Any) -> None:
    """``moves`` random actions at each of tables start..stop-1, dealing on at the end of a match."""
    r = rules[0]
    for table in range(start, stop):
        g = games[table]
        for _ in range(moves):
            apply(g, r, random_action(g))
            if int(g.phase) == OVER:
                restart(g, r)
            if int(g.phase) == DEAL:
                deal(g, r)
