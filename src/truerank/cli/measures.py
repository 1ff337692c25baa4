"""`truerank measures`: what can be evaluated, and what it means."""

from __future__ import annotations

import inspect

import click

from truerank.cli.output import show, write
from truerank.errors import MeasureError, did_you_mean
from truerank.measures import Definition, measures
from truerank.report.definitions import AVERAGES, aliases, heading, parameters
from truerank.report.table import Table


@click.command("measures")
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """List the measures, or explain one.

    NAME is a measure's name or one of its other names, in any case. Measures are written with a cutoff after
    @ and parameters in parentheses: nDCG@10, AP(level=2), nDCG(gain='exp')@10.

    \b
    Examples:
      truerank measures
      truerank measures nDCG
      truerank measures recip_rank
    """
    if name is None:
        rows = [(heading(d), d.meaning, ", ".join(aliases(d))) for d in measures().values()]
        show(Table(("measure", "meaning", "also known as"), tuple(rows)))
    else:
        write(explained(found(name)))


def found(name: str) -> Definition:
    """The measure that a name, in any case and with or without cutoff and parameters, belongs to."""
    word = name.partition("(")[0].partition("@")[0]
    names = {alias.rstrip("@").lower(): d for d in measures().values() for alias in (*d.aliases, d.name)}
    if word.lower() not in names:
        hint = did_you_mean(word, {alias for d in measures().values() for alias in (d.name, *d.aliases)})
        raise MeasureError(f"unknown measure {word!r}.{hint} `truerank measures` lists them")
    return names[word.lower()]


def explained(definition: Definition) -> str:
    """All that there is to say about a measure."""
    facts = [
        ("formula", definition.formula),
        ("over queries", AVERAGES[definition.average]),
        ("also known as", ", ".join(aliases(definition))),
        ("source", definition.source),
    ]
    takes = [(name, f"{kind}; {default}") for name, kind, default in parameters(definition)]
    more = (inspect.getdoc(definition.function) or "").partition("\n")[2].strip()
    title = f"{heading(definition)}: {definition.meaning}"
    parts = [title, _aligned(facts), _aligned(takes, "parameters"), more]
    return "\n\n".join(part for part in parts if part) + "\n"


def _aligned(pairs: list[tuple[str, str]], title: str = "") -> str:
    """Names and texts as two columns under a title, without the empty ones."""
    there = [(name, text) for name, text in pairs if text]
    width = max((len(name) for name, _ in there), default=0) + 2
    indent = "  " if title else ""
    lines = [f"{indent}{name:{width}}{text}" for name, text in there]
    return "\n".join([*([title] if title and lines else []), *lines])
