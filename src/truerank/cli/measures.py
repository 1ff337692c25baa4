"""`truerank measures`: what can be evaluated, and what it means."""

from __future__ import annotations

import inspect

import click

from truerank.cli import options
from truerank.cli.output import show, write
from truerank.core.messages import Message, message
from truerank.measures import Definition, known_measure, measures, parse_measure
from truerank.present.definitions import AVERAGES, NEEDS, aliases, parameters
from truerank.present.table import Table


@click.command("measures")
@click.argument("name", required=False, shell_complete=options.completing(measures))
@options.imports
def command(name: str | None) -> None:
    """List the measures, or explain one.

    NAME is a measure's name or one of its other names, in any case. Measures are written with a cutoff after
    @ and parameters in parentheses: nDCG@10, AP(level=2), nDCG(gain='exp')@10. Without a cutoff the whole list
    counts, unless the measure has one by default.

    Where a formula says nothing else, i is a rank, r_i the grade and g_i the gain of the document there, and
    rel_i is 1 where it is relevant and else 0; [ ] is 1 where what stands in it is so, else 0. Of a query, n
    documents were returned, N of them relevant, R documents are relevant, found or not, and NR were judged not
    relevant. An aspect a has the weight w_a. A reader goes on after rank i with the probability C_i; W_i is that
    rank's share of what they read.

    \b
    Examples:
      truerank measures
      truerank measures nDCG
      truerank measures recip_rank
    """
    if name is None:
        rows = [(d.spelling, _in_short(d), ", ".join(aliases(d))) for d in measures().values()]
        show(Table((message("measure"), message("meaning"), message("also known as")), tuple(rows)))
    else:
        asked = known_measure(name)  # a name that needs a cutoff may be without one
        write(explained(found(name), asked.meaning if asked else ""))


def _in_short(definition: Definition) -> Message:
    """What it means, and what it needs."""
    meaning = Message(definition.meaning)
    if not definition.needs:
        return meaning
    return message("{meaning} Needs {needs}.", meaning=meaning, needs=NEEDS[definition.needs])


def found(name: str) -> Definition:
    """The measure that a name belongs to: in any case, with or without cutoff and parameters."""
    names = {alias.rstrip("@").lower(): d for d in measures().values() for alias in (*d.aliases, d.name)}
    return names.get(name.lower()) or parse_measure(name).definition


def explained(definition: Definition, meaning: str) -> str:
    """All that there is to say about a measure.

    Args:
        meaning: what it means with some parameters, if these are asked about.
    """
    facts = {
        "formula": definition.formula,
        "over queries": AVERAGES[definition.average],
        "needs": NEEDS.get(definition.needs, ""),
        "also known as": ", ".join(aliases(definition)),
        "source": definition.source,
    }
    more = (inspect.getdoc(definition.function) or "").partition("\n")[2].strip()
    title = f"{definition.spelling}: {meaning or definition.meaning}"
    senses = _aligned(definition.meanings, "what it means with")
    parts = [title, _aligned(facts), _aligned(parameters(definition), "parameters"), senses, more]
    return "\n\n".join(part for part in parts if part) + "\n"


def _aligned(texts: dict[str, str], title: str = "") -> str:
    """Names and texts as two columns under a title, without the empty ones."""
    there = {name: text for name, text in texts.items() if text}
    width = max(map(len, there), default=0) + 2
    indent = "  " if title else ""
    lines = [f"{indent}{name:{width}}{text}" for name, text in there.items()]
    return "\n".join([*([title] if title and lines else []), *lines])
