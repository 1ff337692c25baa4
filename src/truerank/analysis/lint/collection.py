"""Checks of the qrels against the collection: whether what is judged can be asked and returned at all."""

from __future__ import annotations

from typing import Any

import numpy as np

from truerank.analysis.lint.checks import Case
from truerank.analysis.lint.findings import Severity
from truerank.core.kernel.scanning import as_bytes, as_text
from truerank.core.messages import joined, message, plural
from truerank.formats.texts import DOCS, QUERIES, lacking


def look(case: Case, queries: Any, docs: Any) -> None:
    """Judged queries that are none of these queries, and judged documents that are none of these documents.

    Args:
        queries, docs: as `texts.locate` takes them; None where nothing is known of them.

    Raises:
        InputError: a file cannot be read, or has no ids or texts.
    """
    if queries is not None and case.judged:
        _note_queries(case, lacking(queries, map(as_text, case.judged), QUERIES))
    if docs is not None:
        highest: dict[bytes, float] = {}
        for grades in case.judged.values():
            for doc, grade in grades.items():
                if not np.isnan(grade):  # ignored
                    highest[doc] = max(grade, highest.get(doc, grade))
        _note_docs(case, highest, lacking(docs, map(as_text, highest), DOCS))


def _note_queries(case: Case, absent: list[str]) -> None:
    if absent:
        fault = plural(
            "{n:,} of {queries:,} judged queries is not among the queries (--queries), so that nobody asks it",
            "{n:,} of {queries:,} judged queries are not among the queries (--queries), so that nobody asks them",
            n=len(absent),
            queries=len(case.judged),
        )
        severity: Severity = "warning" if len(absent) < len(case.judged) else "error"
        case.log.once(severity, "no-such-query", fault, examples=list(map(as_bytes, absent)))


def _note_docs(case: Case, highest: dict[bytes, float], absent: list[str]) -> None:
    """Say which documents are not there: relevant ones first, which keep recall below 1."""
    ids = sorted(map(as_bytes, absent), key=lambda doc: highest[doc] < case.rules.level)
    relevant = sum(highest[doc] >= case.rules.level for doc in ids)
    if ids:
        fault = plural(
            "{n:,} of {docs:,} judged documents is not in the collection (--docs)",
            "{n:,} of {docs:,} judged documents are not in the collection (--docs)",
            n=len(ids),
            docs=len(highest),
        )
        effect = message("{n:,} of them relevant, which no run can return", n=relevant)
        fault = joined(", ", [fault, effect]) if relevant else fault
        some: Severity = "warning" if relevant else "note"
        severity = "error" if len(ids) == len(highest) else some
        case.log.once(severity, "no-such-document", fault, examples=ids)
