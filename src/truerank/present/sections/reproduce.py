"""What a reader needs to make the report again: the command, what was read, the rules, the versions."""

from __future__ import annotations

from collections.abc import Iterator

from truerank.core.errors import printable
from truerank.core.messages import message
from truerank.core.rules import MEANINGS, Rules
from truerank.present.data import ReportData
from truerank.present.document import Block, Command, Heading, Prose
from truerank.present.table import Cell, Table


def blocks(data: ReportData) -> Iterator[Block]:
    """The command, then three tables."""
    yield Heading(message("Reproduce"), "again")
    if data.command:
        yield Prose((message("Run this in a folder that contains the files below:"),))
        yield Command(data.command)
    if data.inputs:
        files = tuple((printable(one.name), one.bytes, one.digest) for one in data.inputs)
        is_piped = any(one.name == "-" for one in data.inputs)
        notes = (message("- was read from standard input."),) if is_piped else ()
        yield Table(
            (message("file"), message("bytes"), "SHA-256"), files, title=message("Input files"), notes=notes
        )
    if data.runs:
        yield _rules(data.runs.rules)
    versions = tuple(data.versions.items())
    yield Table((message("package"), message("version")), versions, title=message("Versions"))


def _rules(rules: Rules) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (name, _text(getattr(rules, name)), meaning) for name, meaning in MEANINGS.items()
    ]
    return Table(
        (message("rule"), message("value"), message("meaning")),
        tuple(rows),
        title=message("Rules: {name}", name=printable(rules.name)),
    )


def _text(value: object) -> str:
    if value is None or value == ():
        return "–"
    if isinstance(value, tuple) and isinstance(value[0], tuple):
        return "; ".join(f"{name} = {text}" for name, text in value)
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
