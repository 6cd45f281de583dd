"""Compiled: play on at each table until its learner has to decide, or an agent has to be asked.

A table here is a game (`records.GAME`) and beside it a place (`PLACE`): which seat is the learner's,
what it has won since its last decision, and for whom the table waits. `nap_env.learner.tables` is the caller.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nap_env.engine.chance import below, mix
from nap_env.engine.jit import count, lowest, njit, nth, times
from nap_env.engine.loops import AHEAD, seed_table
from nap_env.engine.memory import borrowed, fetch
from nap_env.engine.records import DEAL, HOT, NONE, OVER
from nap_env.engine.rulebook import apply, deal, deal_from, deal_hands, start_match
from nap_env.engine.views import observe, write_mask

# Whom a table waits for: an agent by its number 0.., or one of these.
LEARNER, ENDED, STUCK = -1, -2, -3

MOST_IDLE = 1000  # matches in a row without a decision; then the table is stuck

PLACE = np.dtype(
    (
        np.record,
        [
            ("key", np.uint64),  # the stream of the agents that choose uniformly
            ("draws", np.uint64),  # how many were drawn
            ("episode", np.int64),  # counts matches: who sits where is read from it
            ("reward", np.int64),  # stakes won or lost since the learner's last decision
            ("skipped", np.int64),  # the part of it from hands without a decision of his
            ("hand_gain", np.int64),  # stakes won or lost in this hand
            ("packs", np.int32),  # how many packs were given for this match
            ("idle", np.int32),  # matches in a row without a decision
            ("seat", np.int8),  # the learner's
            ("waits", np.int8),
            ("decided", np.int8),  # 1: he has had a decision in this episode
            ("decided_hand", np.int8),  # 1: and in this hand
            ("illegal", np.int8),  # 1: an illegal action of his ended the episode
            ("unused", np.int8, 3),  # 64 bytes a table
        ],
    )
)

TERMS = np.dtype(
    (
        np.record,
        [
            ("phases", np.int64),  # bits of the phases in which the learner decides
            ("penalty", np.int64),  # his reward for an illegal action, stakes
            ("num_hands", np.int32),
            ("starting_chips", np.int32),
            ("rebuys", np.int32),
            ("tie_break", np.int8),
            ("seat", np.int8),  # the learner's in every match, or NONE: it goes round
            ("skip_forced", np.int8),
        ],
    )
)

_NO_CARDS = np.uint64(0)


@njit
def seed_rows(games: Any, places: Any, rules: Any, index: Any, keys: Any) -> None:
    """Put each table ``index[row]`` at the start of the streams of ``keys[row]`` (uint64 [K])."""
    n = np.uint64(int(rules[0].num_players) ** 2)
    for row in range(index.shape[0]):
        p = places[index[row]]
        seed_table(games, index[row], keys[row])
        p.key = mix(~keys[row])
        p.draws = np.uint64(0)
        p.episode = np.int64(keys[row] % n)


@njit
def begin_rows(
    games: Any,
    places: Any,
    rules: Any,
    terms: Any,
    roles: Any,
    uniform: Any,
    decks: Any,
    index: Any,
    dealer: Any,
    packs: Any,
    hands: Any,
) -> None:
    """A new episode at each table ``index[row]``, played up to the learner's first decision.

    ``dealer`` NONE is the next in turn; ``packs`` of ``decks`` [B, K, pack] are given for the match, and
    ``hands`` [7] are the cards of some seats in the first hand (0: dealt at random).
    """
    r, t = rules[0], terms[0]
    for row in range(index.shape[0]):
        table = index[row]
        g, p = games[table], places[table]
        p.reward = 0
        p.skipped = 0
        p.decided = 0
        p.idle = 0
        p.illegal = 0
        _begin_match(g, r, p, t, dealer)
        p.packs = packs
        if hands.any():
            deal_hands(g, r, hands)
        _play_on(g, r, p, t, borrowed(roles, table), uniform, decks[table])


@njit
def _begin_match(g: Any, r: Any, p: Any, t: Any, dealer: Any) -> None:
    """The learner's seat goes round fastest, the dealer next: every pair of them comes equally often."""
    n = int(r.num_players)
    turn = int(p.episode) % (n * n)
    p.episode += 1
    if t.seat >= 0:
        p.seat = t.seat
        first = turn % n
    else:
        p.seat = turn % n
        first = turn // n
    if dealer >= 0:
        first = int(dealer)
    start_match(g, r, first, t.num_hands, t.starting_chips, t.rebuys, t.tie_break)
    p.hand_gain = 0
    p.decided_hand = 0
    p.packs = 0


@njit
def act_rows(
    games: Any,
    places: Any,
    rules: Any,
    terms: Any,
    roles: Any,
    uniform: Any,
    decks: Any,
    index: Any,
    actions: Any,
    start: Any,
    stop: Any,
) -> None:
    """Rows start..stop-1: ``actions[row]`` of whoever table ``index[row]`` waits for, and play on.

    An illegal action of the learner ends his episode, the game stays as it stood; the caller has checked
    those of agents.
    """
    r, t = rules[0], terms[0]
    for row in range(start, stop):
        table = index[row]
        if row + AHEAD < stop:
            fetch(games, index[row + AHEAD], HOT)
        g, p = games[table], places[table]
        action = actions[row]
        if action < 0 or action > 63 or not (g.legal >> np.uint64(action)) & np.uint64(1):
            p.reward += t.penalty
            p.illegal = 1
            p.waits = ENDED
            continue
        _play(g, r, p, action)
        _play_on(g, r, p, t, borrowed(roles, table), uniform, decks[table])


@njit
def _play(g: Any, r: Any, p: Any, action: Any) -> None:
    """One action of anybody, and what it changes for the learner."""
    hands = int(g.hands)
    apply(g, r, action)
    gain = int(g.rewards[p.seat])
    p.reward += gain
    p.hand_gain += gain
    if int(g.hands) != hands:
        if not p.decided_hand:
            p.skipped += p.hand_gain
        p.hand_gain = 0
        p.decided_hand = 0


@njit
def _play_on(g: Any, r: Any, p: Any, t: Any, roles: Any, uniform: Any, decks: Any) -> None:
    """Play until the learner has a decision or his episode is over, or an agent has to be asked."""
    n = int(r.num_players)
    while True:
        if _finished(g, p):
            if p.decided:
                p.waits = ENDED
                return
            p.idle += 1
            if p.idle >= MOST_IDLE:
                p.waits = STUCK
                return
            _begin_match(g, r, p, t, NONE)
        if int(g.phase) == DEAL:
            if int(g.hands) < int(p.packs):
                deal_from(g, r, decks[g.hands])
            else:
                deal(g, r)
        role = (int(g.seat) - int(p.seat) + n) % n
        if role == 0 and (int(t.phases) >> int(g.phase)) & 1:
            if not t.skip_forced or count(g.legal) > 1:
                p.waits = LEARNER
                p.decided = 1
                p.decided_hand = 1
                return
            action = lowest(g.legal)
        else:
            agent = int(roles[role])
            if not uniform[agent]:
                p.waits = agent
                return
            action = _uniform_action(g, p)
        _play(g, r, p, action)


@njit
def _finished(g: Any, p: Any) -> Any:
    """Whether the match is over, or goes on without the learner."""
    if int(g.phase) == OVER:
        return True
    if int(g.phase) != DEAL:
        return False
    still = int(g.tied) if g.extra else int(g.alive)
    return not (still >> int(p.seat)) & 1


@njit
def _uniform_action(g: Any, p: Any) -> Any:
    """Any legal action, from the table's own stream: none depends on what happens at another table."""
    p.draws = p.draws + np.uint64(1)
    word = mix(p.key ^ times(p.draws, np.uint64(0x9E3779B97F4A7C15)))
    return nth(g.legal, below(word, count(g.legal)))


@njit
def ask_rows(games: Any, rules: Any, index: Any, start: Any, stop: Any, out: Any, masks: Any, seats: Any) -> None:
    """What the seats to act at tables ``index[start:stop]`` may know, into the same rows of each output."""
    r = rules[0]
    length = int(r.length)
    for row in range(start, stop):
        if row + AHEAD < stop:
            fetch(games, index[row + AHEAD], HOT)
            fetch(out, row + AHEAD, length)
        g = games[index[row]]
        seats[row] = g.seat
        observe(g, r, g.seat, borrowed(out, row))
        write_mask(g.legal, borrowed(masks, row))


@njit
def show_rows(games: Any, places: Any, rules: Any, index: Any, start: Any, stop: Any, out: Any, masks: Any) -> None:
    """What the learners at tables ``index[start:stop]`` may know and do, by table, into the outputs."""
    r = rules[0]
    length = int(r.length)
    for row in range(start, stop):
        table = index[row]
        if row + AHEAD < stop:
            fetch(games, index[row + AHEAD], HOT)
            fetch(out, index[row + AHEAD], length)
        g, p = games[table], places[table]
        observe(g, r, p.seat, borrowed(out, table))
        write_mask(g.legal if int(p.waits) == LEARNER else _NO_CARDS, borrowed(masks, table))


@njit
def pay_rows(places: Any, index: Any, rewards: Any, skipped: Any) -> None:
    """Hand over what the learners at tables ``index`` [K] won or lost, into row ``table`` of each output."""
    for row in range(index.shape[0]):
        table = index[row]
        p = places[table]
        rewards[table] = p.reward
        skipped[table] = p.skipped
        p.reward = 0
        p.skipped = 0
