"""The command ``nap``: train an agent, play against one, compare some.

Each command imports what it needs when it runs, so that ``nap --help`` is quick.
"""

from __future__ import annotations

import dataclasses
import inspect
import sys
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.markup import escape

from nap_env.agent import check_agents_package
from nap_env.errors import AgentError, NapError
from train.learning.config import TrainConfig

app = typer.Typer(
    name="nap",
    help="English Nap: train agents, play against them, compare them, look hands up.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

EXTRAS = {
    "train": ("torch", "stable_baselines3", "sb3_contrib", "tensorboard", "matplotlib"),
    "render": ("pygame",),
}

Rules = Annotated[str, typer.Option(help="Preset of rules (R12).")]
Players = Annotated[int | None, typer.Option(help="Players at the table; left out: the preset's own number.")]


def main() -> None:
    """Run the command; what a user can put right is a line on standard error and exit code 2."""
    try:
        app()
    except NapError as error:
        _fail(str(error))
    except ImportError as error:
        _fail(_missing(error))


def _fail(text: str) -> NoReturn:
    Console(stderr=True, soft_wrap=True).print(f"[bold red]nap:[/] {escape(text)}", highlight=False)
    sys.exit(2)


def _missing(error: ImportError) -> str:
    """What to do about a module that is not there.

    Raises:
        ImportError: the error itself, where it is none of those.
    """
    package = (error.name or "").partition(".")[0]
    if package == "agents":
        try:
            check_agents_package()
        except AgentError as reason:
            return str(reason)
    for extra, packages in EXTRAS.items():
        if package in packages:
            return f"{package} is not installed: pip install 'nap-env[{extra}]'"
    raise error


# ---- train -----------------------------------------------------------------------------------------------


def _train(context: typer.Context, resume: bool, **settings: Any) -> None:
    from train.commands.train import run_training
    from train.learning.run import Run

    config = TrainConfig(**settings)
    if resume:
        sources = {name: context.get_parameter_source(name) for name in settings}
        given = [name for name, source in sources.items() if source and source.name == "COMMANDLINE"]
        config = Run.resumed_config(config, {name: settings[name] for name in given})
    sys.exit(run_training(config, resume))


def _options_of(config: type[TrainConfig]) -> list[inspect.Parameter]:
    """The fields of the configuration as options, with their help."""
    types = inspect.get_annotations(config, eval_str=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=field.default,
            annotation=Annotated[types[field.name], typer.Option(help=field.metadata["help"] + ".")],
        )
        for field in dataclasses.fields(config)
    ]


def _train_command() -> Any:
    """`_train` with a signature made from `TrainConfig`, which is all that typer looks at."""

    def train(context: typer.Context, resume: bool = False, **settings: Any) -> None:
        _train(context, resume, **settings)

    keyword = inspect.Parameter.KEYWORD_ONLY
    again = typer.Option(
        "--resume",
        help="Go on from the last checkpoint of --name, or of the newest run; other options it keeps.",
    )
    signature = [
        inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context),
        inspect.Parameter("resume", keyword, default=False, annotation=Annotated[bool, again]),
        *_options_of(TrainConfig),
    ]
    train.__signature__ = inspect.Signature(signature)  # type: ignore[attr-defined]
    train.__doc__ = """Train an agent to bid and to play, and compare it with others.

    It imitates a teacher, improves by MaskablePPO against the given fields and itself, and is then compared
    with each field on duplicate deals. All is kept in a folder under runs/; Ctrl-C keeps what was learned.
    """
    return train


app.command("train")(_train_command())


# ---- play and tournament -----------------------------------------------------------------------------------


@app.command()
def play(
    opponents: Annotated[
        list[str] | None,
        typer.Argument(help="Agents clockwise from your left: one for all seats, or one each. [default: rules]"),
    ] = None,
    rules: Rules = "standard",
    players: Players = None,
    hands: Annotated[int, typer.Option(help="Hands in the match.")] = 5,
    chips: Annotated[int | None, typer.Option(help="Chips of each at the start; left out: no limit.")] = None,
    seat: Annotated[int, typer.Option(help="Your seat.")] = 0,
    seed: Annotated[int | None, typer.Option(help="Of the cards; left out: a fresh one.")] = None,
    record: Annotated[Path | None, typer.Option(help="Write the match to this file (JSON Lines).")] = None,
) -> None:
    """Play Nap in the terminal against agents.

    Type an action's name (AS, THREE, PASS) or its number in the list; 'why KS' explains, 'quit' ends.
    """
    from train.commands.play import Table

    table = Table(rules, players, opponents or ["rules"], seat, hands, chips, seed)
    sys.exit(table.run(record))


@app.command()
def tournament(
    agents: Annotated[list[str], typer.Argument(help="Two agents or more: names, learned:PATH, module:Name.")],
    rules: Rules = "standard",
    players: Players = None,
    deals: Annotated[int, typer.Option(help="Deals, each played in all rotations in each field.")] = 500,
    seed: Annotated[int, typer.Option(help="Of the deals and the agents' own chance.")] = 0,
    output: Annotated[Path | None, typer.Option(help="Write the results to this file (JSON).")] = None,
    allow_cheats: Annotated[
        bool, typer.Option("--allow-cheats", help="Rank agents that see all cards beside the others.")
    ] = False,
) -> None:
    """Compare agents on duplicate deals: each as one among copies of each other, with intervals.

    Every deal is played in all rotations of the seats; the interval is over deals. Who is told apart from
    the best is corrected for the number of agents (Holm).
    """
    from train.commands.tournament import run_tournament

    sys.exit(run_tournament(agents, rules, players, deals, seed, output, allow_cheats))


# ---- book ------------------------------------------------------------------------------------------------


@app.command()
def book(
    hand: Annotated[str | None, typer.Argument(help='Cards such as "AS KS 9S 4H 2D".', show_default=False)] = None,
    rules: Annotated[str, typer.Option(help="Preset of rules (R12), or fields of Rules as JSON.")] = "standard",
    players: Annotated[int | None, typer.Option(help="At the table; left out: all, or the rules' own number.")] = None,
    play: Annotated[
        str, typer.Option(help="Whose play: 'rules' (the agent) or 'open' (exact, all cards open).")
    ] = "rules",
    as_json: Annotated[bool, typer.Option("--json", help="Say it as JSON.")] = False,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the hand; without one a map of all hands for --bid (.png, .svg, .pdf).")
    ] = None,
    bid: Annotated[str, typer.Option(help="Of the map.")] = "THREE",
    build: Annotated[bool, typer.Option("--build", help="Build chances, or make those there are finer.")] = False,
    tune: Annotated[bool, typer.Option("--tune", help="Find the values by which the agent `book` bids.")] = False,
    chart: Annotated[
        bool, typer.Option("--chart", help="The equilibrium bidding chart: print it, a hand in it, --plot, --build.")
    ] = False,
    minutes: Annotated[float, typer.Option(help="Of a build at most; 0: until it is good enough.")] = 20.0,
    error: Annotated[float, typer.Option(help="Build until no standard error is larger than this ...")] = 0.04,
    rms: Annotated[float, typer.Option(help="... and their root mean square is no larger than this.")] = 0.02,
    deals: Annotated[
        int | None,
        typer.Option(help="On which the bidder is tuned, or the chart solved.", show_default="300000, or 1000000"),
    ] = None,
    buckets: Annotated[int, typer.Option(help="Of hands in a chart.")] = 2400,
    iterations: Annotated[int, typer.Option(help="Of CFR+ in making a chart.")] = 150,
    file: Annotated[Path | None, typer.Option(help="The chart to make or read; left out: what ships.")] = None,
    seed: Annotated[int, typer.Option(help="Of the deals.")] = 0,
    threads: Annotated[int, typer.Option(help="That build, or play out.")] = 2,
    folder: Annotated[
        Path | None, typer.Option(help="Of the files; left out: what ships, and your own folder of data.")
    ] = None,
) -> None:
    """The book of all hands: how likely each bid is made, what it is worth, at every number of players.

    *nap book "AS KS 9S 4H 2D"* says it of one hand, *--plot FILE* draws it. The standard five-card book ships with the
    package. *--build* builds others, or finer ones, into a folder of yours; it saves as it goes, Ctrl-C keeps what was
    done, the same command goes on. *--tune* then lets bidders play each other to find what passing is worth.

    *--chart* is the equilibrium of the whole auction: for each seat and standing bid which hands bid what, or, with a
    hand, what it bids; *--chart --build* solves others, in minutes to half an hour, kept in a folder under runs/.
    """
    if chart:
        from train.chart.build import ChartConfig
        from train.commands.chart import ChartRequest, run_chart

        config = ChartConfig(
            deals=deals or ChartConfig.deals, num_buckets=buckets, iterations=iterations, play=play, threads=threads
        )
        chosen = ChartRequest(rules, players, file, as_json, plot)
        sys.exit(run_chart(chosen, hand, config if build else None, folder))
    from train.commands.book import Request, run_ask, run_build, run_plot, run_tune

    request = Request(rules, players, play, folder, minutes, error, rms, seed, threads, deals or 300_000)
    if build and tune:
        raise typer.BadParameter("one of --build and --tune at a time")
    if build or tune:
        sys.exit(run_build(request) if build else run_tune(request))
    if hand is not None:
        sys.exit(run_ask(hand, request, as_json, plot))
    if plot is None:
        raise typer.BadParameter('say a hand, such as nap book "AS KS 9S 4H 2D", or --plot, --build or --tune')
    sys.exit(run_plot(request, bid, plot))


# ---- solve -----------------------------------------------------------------------------------------------


@app.command()
def solve(
    hands: Annotated[
        list[str] | None, typer.Argument(help="A hand for each seat, as in 'AS KS 9H 4D 2C'; or use --seed.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Deal the cards, the same that 'nap play' deals.")] = None,
    players: Players = None,
    rules: Rules = "standard",
    declarer: Annotated[int | None, typer.Option(help="Seat whose --bid is played out.")] = None,
    bid: Annotated[str | None, typer.Option(help="Bid of --declarer, of which best play is shown.")] = None,
    threads: Annotated[int, typer.Option(help="Cores to use.")] = 1,
    json: Annotated[bool, typer.Option("--json", help="Print JSON in place of the tables.")] = False,
    output: Annotated[Path | None, typer.Option(help="Write the results to this file (JSON).")] = None,
) -> None:
    """Show what each seat can make of a deal when all cards are open, with which leads, and how.

    The payers play as one side. Exact: every line of play counts.
    """
    from train.commands.solve import run_solve

    sys.exit(run_solve(hands or [], seed, players, rules, declarer, bid, threads, json, output))


# ---- bench ---------------------------------------------------------------------------------------------


@app.command()
def bench(
    only: Annotated[
        list[str] | None,
        typer.Option(
            help="Measure this alone; may be repeated: kernel, step, aec, vector, presets, pettingzoo, "
            "openspiel, rlcard, pgx, sb3, solver, or one case by its name in the JSON file."
        ),
    ] = None,
    rules: Rules = "standard",
    players: Players = None,
    seconds: Annotated[float, typer.Option(help="Of each measurement, in all rounds together.")] = 1.0,
    rounds: Annotated[int, typer.Option(help="In which all take turns, each for its part of --seconds.")] = 7,
    layers: Annotated[str, typer.Option(help="Widths of the network in sb3; SB3's own are the default.")] = "64,64",
    quick: Annotated[bool, typer.Option("--quick", help="Two rounds, fewer batch sizes, 0.2 s at most.")] = False,
    cpu_time: Annotated[
        bool, typer.Option("--cpu-time", help="On one core leave out the time in which others had it.")
    ] = False,
    output: Annotated[Path | None, typer.Option(help="Write everything to this file (JSON).")] = None,
) -> None:
    """Measure our speed beside the machine's limit and the peers that are installed.

    The peers are PettingZoo's tictactoe, OpenSpiel and RLCard, which the extra "bench" installs, and Pgx;
    who is absent is named. Ctrl-C shows what was measured so far.
    """
    from train.bench.settings import Settings
    from train.commands.bench import run_bench

    if quick:
        seconds, rounds = min(seconds, 0.2), min(rounds, 2)
    settings = Settings(rules, players, seconds, rounds, tuple(only or ()), quick, cpu_time, layers)
    sys.exit(run_bench(settings, output))


if __name__ == "__main__":
    main()
