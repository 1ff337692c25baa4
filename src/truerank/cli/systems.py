"""Systems with several runs on the command line: --system NAME=RUN,RUN,…"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from truerank.cli.repeats import distinct
from truerank.core.errors import InputError
from truerank.formats.files import matching

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

Systems = dict[str, tuple[str, ...]]
"""The files of each system's runs."""


def _parsed(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> Systems:
    return distinct(map(_named, given), "--system")


def _named(text: str) -> tuple[str, tuple[str, ...]]:
    """A name and its files; a pattern stands for the files that match it.

    >>> _named("dense=seed1.run,seed2.run")
    ('dense', ('seed1.run', 'seed2.run'))
    """
    name, _, files = text.partition("=")
    runs = [run for file in map(str.strip, files.split(",")) for run in matching(file) or [file]]
    if not name.strip() or not all(runs):
        raise InputError("--system takes NAME=RUN,RUN, e.g. dense=seed1.run,seed2.run; not {text!r}", text=text)
    places = list(map(os.path.realpath, runs))
    for run, place in zip(runs, places, strict=True):
        if places.count(place) > 1:
            raise InputError(
                "it is given twice among the runs of {system}; name each run once", run, system=name.strip()
            )
    return name.strip(), tuple(runs)


system = click.option(
    "--system",
    "systems",
    multiple=True,
    metavar="NAME=RUN,RUN",
    callback=_parsed,
    help="A system with several runs, such as seeds: files, or a pattern in quotes; may be repeated.",
)


def files_of(runs: Sequence[str], systems: Systems) -> tuple[str, ...]:
    """All runs: those that are systems by themselves, then those of each system.

    Raises:
        MissingParameter: there is none.
    """
    files = (*runs, *(run for several in systems.values() for run in several))
    if not files:
        ctx = click.get_current_context()
        raise click.MissingParameter(ctx=ctx, param=next(p for p in ctx.command.params if p.name == "runs"))
    return files


def parted(run: str) -> tuple[str | None, tuple[str, ...]]:
    """The name and the files where a run is NAME=RUN,RUN; else no name, and the run.

    >>> parted("new=seed1.run,seed2.run"), parted("new.run")
    (('new', ('seed1.run', 'seed2.run')), (None, ('new.run',)))
    """
    is_system = "=" in run and any(sign in run for sign in ",*?") and "://" not in run and not os.path.exists(run)
    return _named(run) if is_system else (None, (run,))


def together(scores: Sequence[Any], systems: Systems) -> list[Any]:
    """The scores of all runs, as `files_of` has them, as those of systems."""
    if not systems:
        return list(scores)
    from truerank.analysis.compare.several import several

    at = len(scores) - sum(map(len, systems.values()))
    by_system = list(scores[:at])
    for name, runs in systems.items():
        by_system.append(several(name, scores[at : at + len(runs)]))
        at += len(runs)
    return by_system
