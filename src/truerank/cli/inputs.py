"""What commands read: refused where it would be written over, and opened with a bar for what takes long."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import click

from truerank.cli import options
from truerank.cli.progress import ReadingBar
from truerank.core.errors import InputError
from truerank.core.messages import listed, message
from truerank.core.rules import Rules, common
from truerank.core.run import Run
from truerank.core.scores import Scores
from truerank.core.vocabulary import asked_for
from truerank.formats import open_run
from truerank.formats.saved import rules_of
from truerank.formats.source import Source, as_source
from truerank.formats.target import is_same_file, refuse_unwritten

OF_RUNS = ("rules", "changes", "qrels_format", "run_format", "how", "chunk_ids", "items")
"""Options that say nothing of saved scores."""

ITEMS_JUDGED_ONCE = message("--items is for one set of judgements: leave out --judged-by and --judges.")


def refuse(*files: str | None, rules: str | None = None, **outputs: str | None) -> None:
    """Raise where standard input is to be two files, or where what is written could not be, or would be lost.

    Args:
        files: what is read.
        rules: what was typed, which may name a file, or several with commas between them.
        outputs: what is written, by the names of their options.
    """
    if files.count("-") > 1:
        raise click.UsageError(message("Standard input (-) can be only one of the files."))
    chunks = table_of(click.get_current_context().params.get("chunk_ids"))
    read = [*files, rules, *map(str.strip, (rules or "").split(",")), chunks]
    for path in filter(None, outputs.values()):
        if any(name and is_same_file(path, name) for name in read):
            raise InputError("this is what is read: write to another file", path)
        refuse_unwritten(path)
    _refuse_one_for_two(outputs)


def table_of(ids: str | None) -> str:
    """The file in a rule of ids that is FILE:COLUMN; what is no file otherwise."""
    return (ids or "").rpartition(":")[0]


def _refuse_one_for_two(outputs: dict[str, str | None]) -> None:
    written: dict[str, str] = {}
    for option, path in outputs.items():
        if not path or (path != "-" and os.path.exists(path) and not os.path.isfile(path)):  # such as /dev/null
            continue
        first = written.setdefault(path if path == "-" else os.path.realpath(path), option)
        if first != option:
            options = listed([f"--{name}".replace("_", "-") for name in (first, option)])
            if path == "-":
                raise click.UsageError(message("{options} would both go to standard output.", options=options))
            raise click.UsageError(message("{options} would be written to one file.", options=options))


def refuse_of_runs() -> None:
    """Raise where an option says how runs are scored, and nothing is."""
    for option in options.typed():
        if option.name in OF_RUNS:
            raise click.UsageError(message("{option} needs QRELS and RUNs.", option=option.opts[-1]))


@contextmanager
def opened(
    runs: Sequence[str | os.PathLike[str]],
    format: str | None,
    *,
    again: bool = False,
    collapse: options.Collapse = options.uncollapsed,
) -> Iterator[list[Run]]:
    """The runs, with a bar on the terminal while they are read for long.

    Args:
        collapse: what is made of each.
        again: whether a run may be read more than once: then it is unknown how much there is to read.
    """
    with ReadingBar() as reading:
        sources = [replace(open_run(source(run), format), watch=reading.advance) for run in runs]
        reading.total = None if again else _size(sources)
        yield list(map(collapse, sources))


def source(path: str | os.PathLike[str]) -> Source:
    """The file, the same for all of a command: what comes from a pipe comes only once."""
    known: dict[str, Source] = click.get_current_context().meta.setdefault(__name__, {})
    return known.setdefault(os.fspath(path), as_source(path))


def rules_asked(
    rules: str | None, changes: Sequence[str], runs: Iterable[Scores | str | os.PathLike[str]]
) -> Rules:
    """The rules that are asked for; where none are, those under which some runs were read or scored already.

    Raises:
        RulesError: these are not the same for all of them.
    """
    asked = options.changed(rules, changes)  # what is wrong with it is told before anything is read
    if rules is not None:
        return asked
    with ReadingBar():  # a pipe may be slow
        own = [
            (one.run, one.rules) if isinstance(one, Scores) else (os.fspath(one), rules_of(source(one)))
            for one in runs
        ]
    return common((name, options.changed(found, changes)) for name, found in own if found) or asked


def measures_asked(measures: Sequence[str], rules: Rules) -> str | None:
    """The measures that are asked for, as one text; None where none are.

    Raises:
        TruerankError: one is none; it is told before anything is read.
    """
    wanted = " ".join(measures) or None
    asked_for(wanted or (), rules)
    return wanted


def positive(text: str) -> int | None:
    """The positive whole number that a text is, or the lowest rank there can be if that is less; None of others."""
    if not text.isdecimal():
        return None
    digits = text.lstrip("0")  # Python reads some thousand as one number at most
    return sys.maxsize if len(digits) > len(str(sys.maxsize)) else min(int(digits or 0), sys.maxsize) or None


def place(baseline: str | None, runs: Sequence[str]) -> str | int | None:
    """The run's place from 0 where it was given by its number or as it was called for, else its name.

    >>> place("2", ["bm25.run", "dense.run"])
    1
    """
    if baseline in runs:
        return runs.index(baseline)
    if baseline is None or not baseline.isdecimal():
        return baseline
    number = positive(baseline)
    if number is None or number > len(runs):
        raise InputError("--baseline {baseline}: there are {n} runs", baseline=baseline, n=len(runs))
    return number - 1


def _size(runs: Sequence[Run]) -> int | None:
    """How many bytes there are to read, if that is known."""
    paths = [run.path for run in runs]
    return sum(os.path.getsize(path) for path in paths if path) if all(paths) else None
