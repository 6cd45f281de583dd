"""``nap play``: a person at the terminal among agents."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console

from nap_env.agent import Agent, ask, bind
from nap_env.cards import action_name
from nap_env.errors import AgentError, IllegalAction, RulesError
from nap_env.game import Game
from nap_env.render.text import text
from nap_env.rules import make_rules
from train.showing.cards import pretty

HELP = "a name (AS, THREE, PASS) or its number; 'why KS' explains; 'table' shows the table; 'quit' ends"


class Table:
    """A match between a person and agents.

    Raises:
        RulesError: rules, terms or a seat that cannot be.
        AgentError: opponents of the wrong number, or that cannot be had.
    """

    def __init__(
        self,
        rules: str,
        players: int | None,
        opponents: Sequence[str],
        seat: int,
        hands: int,
        chips: int | None,
        seed: int | None,
        console: Console | None = None,
    ) -> None:
        self.console = console or Console(highlight=False)
        variant = make_rules(rules, players)
        n = variant.num_players
        if not 0 <= seat < n:
            raise RulesError(f"seat {seat}: the seats at this table are 0..{n - 1}")
        names = list(opponents) * (n - 1) if len(opponents) == 1 else list(opponents)
        if len(names) != n - 1:
            raise AgentError(f"{len(names)} opponents for {n} players: name one for all seats, or {n - 1}")
        self.seat = seat
        self.agents: dict[int, Agent] = {
            (seat + 1 + place) % n: bind(name, variant) for place, name in enumerate(names)
        }
        self.game = Game.deal(seed, variant, num_hands=hands, starting_chips=chips)
        self.rng = np.random.default_rng(seed)

    def run(self, record: Path | None = None) -> int:
        """Play the match; the exit code, 0 also when the person leaves. The record is written in any case."""
        names = ", ".join(f"player {seat}: {agent.name}" for seat, agent in sorted(self.agents.items()))
        self.console.print(f"You are player {self.seat}; {names}.", f"Type {HELP}.", sep="\n")
        try:
            left = not self._play()
        finally:
            if record is not None:
                self.game.record().write(record)
                self.console.print(f"the match is in {record}")
        if not left:
            self._show()
            self.console.print(f"You {_won(self.game.net[self.seat])} in this match.")
        return 0

    def _play(self) -> bool:
        """To the end of the match; False when the person left."""
        hands = 0
        while self.game.seat is not None:
            if self.game.seat == self.seat:
                if not self._person():
                    return False
            else:
                self._agent(self.game.seat)
            if self.game.hands > hands and self.game.seat is not None:
                hands = self.game.hands
                self._say_score(hands)
        return True

    # ---- the agents --------------------------------------------------------------------------------

    def _agent(self, seat: int) -> None:
        shown = self.game.observe(seat)
        rows = (shown["observation"][None], shown["action_mask"][None])
        action = int(ask(self.agents[seat], *rows, self.rng)[0])
        hidden = self.game.phase in ("DISCARD", "ECARTE", "GARNET", "SWAP") and action < 52
        said = "puts a card away" if hidden else pretty(action_name(action))
        self.game.play(action)
        self.console.print(f"  player {seat}: {said}")

    def _say_score(self, hands: int) -> None:
        score = ", ".join(f"player {s} {net:+d}" for s, net in enumerate(self.game.net))
        self.console.print(f"[bold]hand {hands} is over[/]: {score}\n")

    # ---- the person ----------------------------------------------------------------------------------

    def _person(self) -> bool:
        """One action of the person; False when he leaves."""
        self._show()
        legal = self.game.legal()
        while True:
            try:
                typed = self.console.input("[bold]your turn[/]> ").strip()
            except EOFError:
                typed = "quit"
            if typed.lower() in ("quit", "q", "exit"):
                self.console.print("you leave the table")
                return False
            if self._answered(typed):
                continue
            try:
                self.game.play(_chosen(typed, legal))
                return True
            except IllegalAction as error:
                self.console.print(f"[red]{error}[/]", markup=True)

    def _answered(self, typed: str) -> bool:
        """Whether it was a question, and was answered."""
        if not typed or typed.lower() in ("help", "?"):
            self.console.print(HELP)
        elif typed.lower() == "table":
            self._show()
        elif typed.lower().startswith("why "):
            reason = self.game.why_illegal(typed[4:])
            self.console.print(reason or f"{typed[4:].upper()} is legal")
        else:
            return False
        return True

    def _show(self) -> None:
        view = dataclasses.replace(self.game.table(self.seat), legal=())  # the numbered list is below
        self.console.print(text(view), markup=False)
        if self.game.seat == self.seat:
            choices = "  ".join(f"{k}:{pretty(name)}" for k, name in enumerate(self.game.legal(), 1))
            self.console.print(f"you may: {choices}", markup=False)


def _chosen(typed: str, legal: list[str]) -> str:
    """The action meant: a number in the list of legal ones, or a name as it stands."""
    if not typed.isdecimal():
        return typed
    if not 1 <= int(typed) <= len(legal):
        raise IllegalAction(f"there is no number {typed} in the list: give 1..{len(legal)}, or a name")
    return legal[int(typed) - 1]


def _won(net: int) -> str:
    if net == 0:
        return "come out even"
    return f"{'won' if net > 0 else 'lost'} {abs(net)} {'stake' if abs(net) == 1 else 'stakes'}"
