"""The ledger as plain sentences, and how far the numbers can be trusted."""

from __future__ import annotations

from collections.abc import Iterator

from truerank.errors import shown
from truerank.report import cautions, few, korean
from truerank.report import ledger as english
from truerank.report.document import Block, Heading, Note, Prose
from truerank.report.material import Material, Runs
from truerank.report.texts import Texts


def blocks(material: Material, texts: Texts) -> Iterator[Block]:
    """A paragraph for the systems that share a ledger, then the test, then what is remarkable."""
    if material.runs is None:
        return
    yield Heading(texts("ledger"), "ledger")
    yield Prose(tuple(told(material.runs, texts)))
    yield Heading(texts("trust"), "trust")
    yield from _trust(material.runs, texts)


def told(runs: Runs, texts: Texts) -> list[str]:
    """A paragraph for all systems with the same ledger."""
    teller = korean if texts.language == "ko" else english
    who: dict[str, list[str]] = {}
    for name, scores in zip(runs.names, runs.scores, strict=True):
        who.setdefault(" ".join([teller.counted(scores), *teller.remarks(scores)]), []).append(shown(name))
    return [f"{', '.join(names)}: {text}" for text, names in who.items()]


def _trust(runs: Runs, texts: Texts) -> Iterator[Block]:
    """In Korean what is rarely said stays in English, and says so."""
    found, size = runs.comparison, len(runs.comparison.queries)
    remarks = cautions.remarks(found)
    if texts.language == "ko":
        few_queries = few.remarks(size)
        yield from map(Note, korean.few(size))
        yield Prose(tuple(korean.made(found)))
        rest = tuple(remark for remark in remarks if remark not in few_queries)
        if rest:
            yield Prose(rest, "en")
        return
    yield from (Note(remark) for remark in remarks if remark.startswith("Warning"))
    usual = tuple(remark for remark in remarks if not remark.startswith("Warning"))
    yield Prose((*cautions.made(found), *usual))
