"""What a reader needs to make the report again: the command, what was read, the rules, the versions."""

from __future__ import annotations

from collections.abc import Iterator

from truerank.core.errors import shown
from truerank.core.rules import MEANINGS, Rules
from truerank.present.document import Block, Command, Heading, Prose
from truerank.present.material import Material
from truerank.present.table import Cell, Table
from truerank.present.texts import Texts
from truerank.present.words import RULES


def blocks(material: Material, texts: Texts) -> Iterator[Block]:
    """The command, then three tables."""
    yield Heading(texts("foot"), "again")
    if material.command:
        yield Prose((texts("foot lead"),))
        yield Command(material.command)
    if material.inputs:
        files = tuple((shown(one.name), one.bytes, one.digest) for one in material.inputs)
        is_piped = any(one.name == "-" for one in material.inputs)
        notes = (texts("standard input"),) if is_piped else ()
        yield texts.table(Table(("file", "bytes", "SHA-256"), files, title=texts("inputs"), notes=notes))
    if material.runs:
        yield texts.table(_rules(material.runs.rules, texts))
    versions = tuple(material.versions.items())
    yield texts.table(Table(("package", "version"), versions, title=texts("versions")))


def _rules(rules: Rules, texts: Texts) -> Table:
    meanings = RULES if texts.language == "ko" else MEANINGS
    rows: list[tuple[Cell, ...]] = [(name, _text(getattr(rules, name)), meanings[name]) for name in MEANINGS]
    return Table(("rule", "value", "meaning"), tuple(rows), title=texts("rules", name=shown(rules.name)))


def _text(value: object) -> str:
    if value is None or value == ():
        return "–"
    if isinstance(value, tuple) and isinstance(value[0], tuple):
        return "; ".join(f"{name} = {text}" for name, text in value)
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
