"""The ledger as plain sentences, and how far the numbers can be trusted."""

from __future__ import annotations

from collections.abc import Iterator

from truerank.core.errors import shown
from truerank.present import cautions, few, ledger
from truerank.present.document import Block, Heading, Note, Prose
from truerank.present.material import Material, Runs
from truerank.present.texts import Texts


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
    found = ledger.shared(runs.scores, list(map(shown, runs.names)), texts)
    return [f"{', '.join(names)}: {' '.join(sentences)}" for sentences, names in found.items()]


def _trust(runs: Runs, texts: Texts) -> Iterator[Block]:
    """The warnings first, then how the comparison was made and what else there is to say."""
    found, size = runs.comparison, len(runs.comparison.queries)
    enough = few.remarks(size)
    said = dict(zip(enough, few.remarks(size, texts), strict=True))
    remarks = {remark: said.get(remark) or texts.said(remark) for remark in cautions.remarks(found)}
    yield from (Note(text) for remark, text in remarks.items() if remark.startswith("Warning"))
    usual = (text for remark, text in remarks.items() if not remark.startswith("Warning"))
    yield Prose((*map(texts.said, cautions.made(found)), *usual))
