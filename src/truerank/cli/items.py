"""Options and arguments of commands that read items with coordinates, labels or bounds."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from truerank.cli.repeats import distinct
from truerank.core.messages import message
from truerank.truth import read_items

Number = TypeVar("Number", int, float)

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
    return read(path, **distinct(named, "--key"))


def files_in(rule: str) -> list[str]:
    """The files that a rule of the truth names.

    >>> files_in("listed('pairs.csv')")
    ['pairs.csv']
    """
    return [name for _, name in re.findall(r"""(["'])(.+?)\1""", rule)]


def split(texts: Sequence[str], number: Callable[[str], Number], option: str) -> list[Number]:
    """Numbers with commas between them."""
    words = [word for text in texts for word in text.replace(",", " ").split()]
    try:
        return [number(word) for word in words]
    except ValueError:
        raise click.UsageError(
            message(
                "{option} takes numbers with commas between them, not {text!r}.",
                option=option,
                text=" ".join(texts),
            )
        ) from None
