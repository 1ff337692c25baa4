"""Options and arguments of commands that read items with coordinates, labels or bounds."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any

import click

from truerank.cli.repeats import distinct
from truerank.core.messages import message
from truerank.truth import read_items

KEY = click.option(
    "--key",
    "keys",
    multiple=True,
    metavar="FIELD=COLUMN",
    help="What a column is called, e.g. lat=gps.phi, id=#, inside=images, or queries.lat=phi for one file only.",
)


def read(path: str, keys: Sequence[str], role: str, read: Callable[..., Any] = read_items) -> Any:
    """The items (or what else `read` makes) of a file, whose columns are called as the user says.

    Args:
        role: queries or references; keys that begin with the other one are not for this file.
    """
    named: list[tuple[str, str]] = []
    for key in keys:
        field, equals, column = key.partition("=")
        owner, dot, inner = field.rpartition(".")
        if not equals or (dot and owner not in ("queries", "references")):
            raise click.UsageError(message("--key takes FIELD=COLUMN, e.g. lat=gps.phi; not {key!r}.", key=key))
        if owner in ("", role):
            named.append((inner, column))
    _refuse_unread([field for field, _ in named], path, read)
    return read(path, **distinct(named, "--key"))


def _refuse_unread(fields: Sequence[str], path: str, read: Callable[..., Any]) -> None:
    """Raise where a column is named of which nothing is read."""
    parameters = inspect.signature(read).parameters.values()
    known = {p.name for p in parameters if p.kind is p.KEYWORD_ONLY}
    own = {p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD}
    is_open = any(p.kind is p.VAR_KEYWORD for p in parameters)
    for field in fields:
        if not known and not is_open:
            raise click.UsageError(
                message("--key is not for {path}: its columns are found by their usual names alone.", path=path)
            )
        if field in own or not (is_open or field in known):
            raise click.UsageError(message("--key has no field {field!r} for {path}.", field=field, path=path))


def files_in(rule: str) -> list[str]:
    """The files that a rule of the truth names.

    >>> files_in("listed('pairs.csv')")
    ['pairs.csv']
    """
    return [name for _, name in re.findall(r"""(["'])(.+?)\1""", rule)]
