"""What lint found as a table: one row per finding, the worst first."""

from __future__ import annotations

from truerank.analysis.lint.findings import SAID, Findings
from truerank.core.messages import joined, message
from truerank.present.document import Document
from truerank.present.table import Table

COLUMNS = (message("severity"), message("where"), message("kind"), message("message"))


def document_of(findings: Findings) -> Document:
    """One row per finding."""
    rows = tuple((SAID[one.severity], one.where, one.kind, one.message) for one in findings)
    flat = tuple((one.severity, one.path, one.line, one.kind, one.count, one.message) for one in findings)
    table = Table(COLUMNS, rows, notes=(joined("", [findings.counted(), "."]),))
    whole = Table(("severity", "path", "line", "kind", "count", "message"), flat, digits=None)
    return Document([table], whole, findings.to_dict(), remarks_of(findings))


def remarks_of(findings: Findings) -> list[str]:
    """Each finding in a line."""
    return [one.printed for one in findings]
