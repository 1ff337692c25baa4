"""Options of the commands that print tables or scores, and the printing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import click

from truerank.cli import failures, options
from truerank.cli.output import is_styled, spoken, write
from truerank.core.errors import InputError
from truerank.core.languages import translated
from truerank.core.messages import message
from truerank.core.scores import Scores
from truerank.formats.compression import suffix_of
from truerank.present import ledger, scores
from truerank.present.document import Document
from truerank.present.names import labels
from truerank.present.renderers import FORMATS
from truerank.present.scores import Shape

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

PLAIN = (".run", ".out", ".log", ".res", ".results", ".scores")
"""Endings of plain text, in which a table is what people expect."""


def _format(
    formats: Iterable[str], what: str, default: str = "table, or what FILE's ending says"
) -> Callable[[Decorated], Decorated]:
    return click.option(
        "-f",
        "--format",
        type=click.Choice(list(formats)),
        help=f"How to write the {what} [default: {default}].",
    )


format = _format(FORMATS, "numbers")
printed_format = _format(FORMATS, "numbers", "table")
scores_format = _format(scores.FORMATS, "scores")
output = click.option(
    "-o",
    "--output",
    metavar="FILE",
    default="-",
    type=options.FILE,
    help="Write there instead of printing: all or nothing, and compressed if FILE ends in .gz or .zst.",
)
digits = click.option(
    "--digits",
    type=click.IntRange(0, 17),
    help="Digits after the point [default: 4; all of them in csv]. JSON always has all.",
)


percent = click.option(
    "--percent",
    is_flag=True,
    help="Percentages, with 2 digits, in what people read: tables, markdown, latex and html; data keeps fractions.",
)

layout = click.option(
    "--layout",
    type=click.Choice(scores.LAYOUTS),
    help="wide: one column per measure; long: one row per run and measure [default: wide, or for people one row "
    "per measure where there are many].",
)


def plot(what: str) -> Callable[[Decorated], Decorated]:
    """The option that draws something; a wrong ending is told before anything is read."""
    return click.option("--plot", metavar="FILE", type=options.FILE, callback=_drawn, help=f"Draw {what}.")


def _drawn(ctx: click.Context, param: click.Parameter, path: str | None) -> str | None:
    if path:
        from truerank.present.renderers import figures

        figures.ending_of(path)
    return path


def show(
    document: Document,
    format: str | None = None,
    output: str = "-",
    *,
    percent: bool = False,
    figures: bool = False,
) -> None:
    """Write the document; remarks go to standard error where the format has no place for them.

    Args:
        figures: in HTML, the pictures too.
    """
    chosen = format or "table"
    _say_fractions(chosen, percent)
    if chosen == "csv":
        tell(document.remarks)
    write(document.render(chosen, styled=is_styled(output), language=spoken(), figures=figures), output)


def show_scores(evaluated: Sequence[Scores], format: str, output: str, shape: Shape) -> None:
    """Write the scores, likewise."""
    _say_fractions(format, shape.percent)
    if format in ("csv", "trec") or (format == "jsonl" and shape.per_query):
        tell(ledger.named_remarks(evaluated, labels([one.run for one in evaluated])))
    if shape.layout and format in ("json", "jsonl", "trec"):
        raise click.UsageError(
            message("--layout is for tables and csv; {format} has one of its own.", format=format)
        )
    write(scores.render(evaluated, format, shape, styled=is_styled(output), language=spoken()), output)


def _say_fractions(format: str, percent: bool) -> None:
    if percent and format not in scores.READ:
        formats = ", ".join(scores.READ)
        tell([message("{format} has fractions: --percent is for {formats}.", format=format, formats=formats)])


def by_ending(path: str, formats: Mapping[str, Sequence[str]] = FORMATS) -> str:
    """The format of results that a file's name asks for; a table where its ending asks for none.

    Args:
        formats: the endings of each format that there is.

    Raises:
        InputError: the ending is that of something else.
    """
    ending = suffix_of(path)
    asked = next((name for name, endings in formats.items() if ending in endings), None)
    if asked or ending in PLAIN or not ending[1:2].isalpha():
        return asked or "table"
    known = ", ".join(one for endings in formats.values() for one in endings)
    raise InputError(
        "no format of results ends in {ending}: say which (--format), or end it in {known}",
        path,
        ending=ending,
        known=known,
    )


def tell(remarks: Iterable[str]) -> None:
    """Say on standard error what is remarkable."""
    for remark in remarks:
        failures.tell(translated(remark, spoken()))
