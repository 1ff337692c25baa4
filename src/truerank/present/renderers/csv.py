"""A document's flat table for spreadsheets and programs: commas, a header, all digits."""

from __future__ import annotations

import csv
import io

from truerank.present.document import Document
from truerank.present.table import Table


def render(document: Document) -> str:
    """The rows for programs."""
    return draw(document.flat)


def draw(table: Table) -> str:
    """The header and the rows; CSV has no place for a title and notes.

    >>> draw(Table(("run", "AP"), (("a,b", 0.1),), digits=None))
    'run,AP\\n"a,b",0.1\\n'
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(table.texts)
    return out.getvalue()
