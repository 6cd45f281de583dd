"""``nap book`` from beginning to end: what is asked for, done, shown."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from agents.auction.bidder import tuning_name
from agents.auction.chances import PLAYS, BookError, file_name, find, kind_of, questions, user_folder
from nap_env.errors import RulesError
from nap_env.rules import Rules, make_rules
from train.book.build import Build, Quality, errors, level_error
from train.progress import Bar, Progress
from train.showing.book import NAMES, answers, as_json, kinds_of, known, parse_hand, show

FRESH = 10**9
"""The deals on which a bidder is judged are those of so much higher a seed."""


@dataclass(frozen=True)
class Request:
    """What the command line asks for.

    Attributes:
        rules: a preset's name, or the fields of a `Rules` as JSON.
        players: at the table; None: all numbers to show, those of the rules to build.
    """

    rules: str = "standard"
    players: int | None = None
    play: str = "rules"
    folder: Path | None = None
    minutes: float = 20.0
    error: float = 0.04
    rms: float = 0.02
    seed: int = 0
    threads: int = 2
    deals: int = 300_000

    def chosen(self) -> Rules:
        """The rules that are meant.

        Raises:
            RulesError: no such preset, no JSON, or rules that cannot be.
        """
        if self.play not in PLAYS:
            raise BookError(f"no play {self.play!r}: give {' or '.join(PLAYS)}")
        if not self.rules.lstrip().startswith("{"):
            return make_rules(self.rules, self.players)
        try:
            values = json.loads(self.rules)
        except json.JSONDecodeError as error:
            raise RulesError(f"--rules is no JSON ({error}): write a preset or '{{\"pack\": 40}}'") from None
        return Rules.from_dict(values if self.players is None else values | {"num_players": self.players})


def run_ask(hand: str, request: Request, as_text: bool, plot: Path | None) -> int:
    """Say what the book knows of a hand."""
    rules = request.chosen()
    cards = parse_hand(hand, rules)
    players = kinds_of(rules) if request.players is None else [rules.hands_dealt()]
    found = answers(cards, rules, players, request.play, request.folder)
    console = Console()
    if as_text:
        print(json.dumps(as_json(cards, rules, found), indent=2))
    else:
        show(cards, rules, found, console)
    if plot is not None:
        from train.showing.book_pictures import draw_hand

        draw_hand(cards, rules, found, plot)
    return 0


def run_plot(request: Request, bid: str, plot: Path) -> int:
    """Draw the map of all hands for one bid."""
    from train.showing.book_pictures import draw_map

    rules = request.chosen()
    wanted = bid.upper().replace("È", "E").replace("Ü", "U")
    players = sorted({3, 5, 7} & {*kinds_of(rules)}) if request.players is None else [rules.hands_dealt()]
    tables = known(rules, players, request.play, request.folder)
    draw_map(tables, wanted, rules, plot)
    Console(stderr=True).print(f"{NAMES.get(wanted, wanted)}, by longest suit and its two best cards: {plot}")
    return 0


def run_build(request: Request) -> int:
    """Build chances, or go on with them; the exit code: 0, or 130 when stopped by Ctrl-C."""
    kind = kind_of(request.chosen())
    path = (request.folder or user_folder()) / file_name(kind, request.play)
    build = Build(path, kind, request.play, request.seed, request.threads)
    quality, progress = Quality(request.error, request.rms), Progress()
    asked = ", ".join(NAMES[bid] for bid in questions(kind))
    _say(progress, f"[bold]nap book[/]: {kind.num_players} hands, {request.play} play, {asked}; into {path}")
    try:
        with _Stages(progress) as stages:
            done = build.run(
                quality,
                request.minutes,
                lambda level, done, total: stages.tell(
                    _level_name(level), done / total, f"{done:,} of {total:,} trials"
                ),
            )
    except KeyboardInterrupt:
        _say(progress, f"stopped; the same command goes on. {_said(build)}")
        return 130
    _say(progress, f"{'done' if done else 'time is over; the same command goes on'}. {_said(build)}")
    return 0


def _level_name(level: int) -> str:
    return f"error {level_error(level):.3f}" if level else "first look"


def _said(build: Build) -> str:
    worst, rms = errors(build.chances)
    found = f"{int(build.trials.sum()):,} trials; standard error {rms:.3f} (root mean square), {worst:.3f} (worst)"
    return f"{found}; {build.spent:,.0f} s of processor time"


def run_tune(request: Request) -> int:
    """Find the bidder's values by play, write them, and say what they are worth; the exit code as `run_build`."""
    from agents.auction.bidder import plain, tuned
    from train.book.tune import compare, draw, tune

    rules = request.chosen()
    chances = find(rules, request.play, folder=request.folder)
    path = (request.folder or user_folder()) / tuning_name(chances.rules, request.play)
    progress = Progress()
    try:
        with _Stages(progress) as stages:
            found = tune(chances, rules, request.deals, seed=request.seed, threads=request.threads, report=stages.tell)
            fresh = draw(
                chances,
                request.deals // 4,
                request.seed + FRESH,
                request.threads,
                lambda share: stages.tell("judging", share),
            )
    except KeyboardInterrupt:
        _say(progress, "stopped; nothing was written")
        return 130
    found.save(path)
    bidder = tuned(chances, found, rules)
    for threshold in (0.0, -0.25, -0.5, -0.75):
        mean, error = compare(bidder, plain(chances, threshold, rules), rules, fresh)
        among = f"one among {chances.rules.num_players - 1} of threshold {threshold:+.2f}"
        _say(progress, f"{among}: {mean:+.3f} ± {1.96 * error:.3f} stakes a hand")
    _say(progress, f"written: {path}")
    return 0


def _say(progress: Progress, text: str) -> None:
    progress.console.print(text, soft_wrap=True, highlight=False)


class _Stages:
    """Bars, one after the other, each begun when its name is first told."""

    def __init__(self, progress: Progress) -> None:
        self.progress, self.name = progress, ""
        self.stage: Any = None
        self.bar: Bar | None = None

    def __enter__(self) -> _Stages:
        return self

    def __exit__(self, *error: Any) -> None:
        if self.stage is not None:
            self.stage.__exit__(*error)
            self.stage = None

    def tell(self, name: str, share: float, note: str = "") -> None:
        """So far is the stage of this name."""
        if name != self.name:
            self.__exit__(None, None, None)
            self.stage = self.progress.stage(name, 1.0)
            self.bar, self.name = self.stage.__enter__(), name
        if self.bar is not None:
            self.bar.update(share, note)
