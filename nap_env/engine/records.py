"""The two records that the compiled rules work on: a match at one table (`GAME`), and a variant (`RULES`).

One record a game, changed in place; attribute access reads the same compiled and uncompiled.
"""

from __future__ import annotations

import numpy as np

MAX_SEATS = 7
MAX_HAND = 7

# Phases. DEAL waits for cards (a caller deals), OVER is the end of the match; in the others a seat acts.
DEAL, BUY, DISCARD, ECARTE, AUCTION, GARNET, SWAP, PLAY, OVER = range(9)
PHASES = ("DEAL", "BUY", "DISCARD", "ECARTE", "AUCTION", "GARNET", "SWAP", "PLAY", "OVER")

NONE = -1  # no card, no seat, no bid yet

GAME = np.dtype(
    (
        np.record,
        [
            # what nearly every action reads or writes
            ("legal", np.uint64),  # the actions the seat to act may take
            ("hand", np.uint64, MAX_SEATS),  # cards held
            ("key", np.uint64),  # which stream of random numbers
            ("draws", np.uint64),  # how many were drawn
            ("turn", np.int32),  # actions so far in the match
            ("num_hands", np.int32),  # planned for the match
            ("hands", np.int32),  # finished, extra ones included
            ("starting_chips", np.int32),  # NONE: unlimited credit
            ("phase", np.int8),
            ("seat", np.int8),  # to act
            ("dealer", np.int8),
            ("in_hand", np.int8),  # seats that take part in this hand: they pay
            ("dealt", np.int8),  # seats that hold cards in this hand
            ("contract", np.int8),  # highest bid so far (its action number), or NONE
            ("declarer", np.int8),  # who made it
            ("trump", np.int8),  # suit 0..3, or NONE
            ("trick", np.int8),  # number of the trick on the table
            ("laid", np.int8),  # cards on the table
            ("best", np.int8),  # seat that is winning the trick
            ("revoker", np.int8),  # seat that revoked, ending the hand
            ("extra", np.int8),  # number of the extra hand, 0 before them
            ("rewards", np.int32, MAX_SEATS),  # change of net at the last action
            ("bids", np.int8, MAX_SEATS),  # action number of each seat's bid or PASS, or NONE
            ("won", np.int8, MAX_SEATS),  # tricks
            ("leaders", np.int8, MAX_HAND),  # who led each trick
            # what `views` shows as it stands, so that it need not be put together at every move
            ("calls", np.uint64),  # field ``bids`` of seat 0's observation: a set of seat x (bids + 1) + call
            ("led", np.uint64),  # and field ``leaders``: a set of trick x seats + seat
            ("gone", np.int8, 56),  # by card played: seat + 1, plus 8 x the number of its trick, 1..; else 0
            ("played", np.int8, (MAX_HAND, MAX_SEATS)),  # card of each trick and seat
            # what only a deal, a settlement or a variant needs
            ("matches", np.int64),  # begun at this table since it was last reset
            ("discards", np.uint64, MAX_SEATS),  # cards put away face down, this hand
            ("spare", np.uint64),  # the spare hand of R9 while nobody has it
            ("net", np.int32, MAX_SEATS),  # stakes won minus lost in the match, pool included
            ("chips", np.int32, MAX_SEATS),  # balances; 0 throughout without starting chips
            ("rebuys", np.int32, MAX_SEATS),  # re-buys left
            ("max_rebuys", np.int32),  # re-buys of each at the start
            ("pool", np.int32),
            ("alive", np.int8),  # seats still in the match
            ("tied", np.int8),  # seats that play the extra hands
            ("tie_break", np.int8),
            ("winners", np.int8),  # seats that won the match, once OVER
            ("hand_winners", np.int8),  # seats that won the last finished hand
            ("peep_card", np.int8),  # the card of R8 lying face down at the deal
            ("peeped", np.int8),  # seats that looked
            ("swapped", np.int8),  # 1 when the declarer took the peep card
            ("spare_taker", np.int8),
            ("bought", np.int8, MAX_SEATS),  # cards each seat bought in R7
            ("stub", np.int8),  # place in the deck of the top card of the stub
            ("deck", np.int8, 52),  # top first
        ],
    )
)

HOT = dict(GAME.fields or {})["matches"][1]  # bytes of it are in use at nearly every action

RULES = np.dtype(
    (
        np.record,
        [
            ("pack", np.uint64),  # the cards in use
            ("over", np.uint64, 9),  # bids legal over each bid (by bid - THREE); [8]: over none
            ("made", np.int32, 8),  # stakes by bid - THREE
            ("failed", np.int32, 8),
            ("target", np.int32, 8),  # tricks a bid asks for
            ("place", np.int32, 8),  # rung of the ladder, NONE when not in use
            ("call", np.int8, 64),  # by action, NONE being 63: 0 for PASS, 1 + rung for a bid
            ("num_players", np.int32),
            ("hand_size", np.int32),
            ("ranks", np.int32),  # cards of a suit in the pack
            ("num_bids", np.int32),
            ("purchase_count", np.int32),
            ("misere_trump", np.int32),
            ("lowest_lead", np.int32),
            ("sits_out", np.int32),
            ("stop_decided", np.int32),
            ("purchase", np.int32),
            ("ecarte", np.int32),
            ("peep", np.int32),
            ("sir_garnet", np.int32),
            ("peep_any", np.int32),  # any declarer may swap
            ("penalised", np.int32),
            ("pays_early", np.int32),  # stakes may change hands before a hand is over (R7, R8)
            ("length", np.int32),  # of an observation
            ("each", np.uint64),  # a set of 0, n, 2n, ...: the first seat of each row of n
            # where each field of an observation starts (NONE: not in this variant); see observation.py
            ("at_phase", np.int32),
            ("at_to_act", np.int32),
            ("at_dealer", np.int32),
            ("at_in_hand", np.int32),
            ("at_dealt", np.int32),
            ("at_hand", np.int32),
            ("at_discards", np.int32),
            ("at_peep_card", np.int32),
            ("at_peeped", np.int32),
            ("at_swapped", np.int32),
            ("at_bought", np.int32),
            ("at_spare_taker", np.int32),
            ("at_bids", np.int32),
            ("at_contract", np.int32),
            ("at_declarer", np.int32),
            ("at_trump", np.int32),
            ("at_won", np.int32),
            ("at_leaders", np.int32),
            ("at_trick", np.int32),
            ("at_played", np.int32),
            ("at_out", np.int32),
            ("at_extra_hand", np.int32),
            ("at_has_chips", np.int32),
            ("at_pool", np.int32),
            ("at_hands_left", np.int32),
            ("at_rebuys", np.int32),
            ("at_net", np.int32),
            ("at_chips", np.int32),
        ],
    )
)
