"""How much other judges agree with the qrels, and whether systems keep their order under them."""

from __future__ import annotations

from collections.abc import Iterator

from truerank.core.messages import Warned, message
from truerank.present.data import ReportData
from truerank.present.document import Block, Caution, Heading, Prose
from truerank.present.judges import agreement_tables, figures, remarks_of, system_tables
from truerank.present.judges_notes import notes_of


def blocks(data: ReportData) -> Iterator[Block]:
    """The systems by each judge and their picture first, then the agreement on documents."""
    if data.judges is None:
        return
    judges, digits = data.judges, 4
    remarks = remarks_of(judges)
    yield Heading(message("Judges"), "judges")
    yield from (Caution(remark) for remark in remarks if isinstance(remark, Warned))
    yield from system_tables(judges, digits)
    yield from figures(judges, digits)
    yield from agreement_tables(judges, digits)
    said = (*notes_of(judges), *(remark for remark in remarks if not isinstance(remark, Warned)))
    yield Prose(said)
