"""What is wrong with a line that the kernel refuses, in words."""

from __future__ import annotations

from truerank.core.errors import InputError, NoId, Refused, quoted, truncated
from truerank.core.messages import Message, message

_FAULTS = {
    "control": message("this line holds a control character: the file is binary, damaged, or not in this format"),
    "long": message("this line is longer than 1 MiB: the file is binary, or not in this format"),
}
_RUN_FAULTS = {
    "number": message("the score is no number"),
    "not finite": message("the score is not a finite number"),
    **_FAULTS,
}
_QRELS_FAULTS = {
    "number": message("the grade is no number"),
    "not finite": message("the grade is not a finite number"),
    **_FAULTS,
}


RUN_COLUMNS = message("a run line has 6 columns (query Q0 document rank score tag)")
QRELS_COLUMNS = message("a qrels line has 4 columns (query iteration document grade)")


def run_fault(refused: Refused, line: int | None = None) -> Message:
    """What is wrong with a line of a run, and if it is the first one, what to do about it."""
    if refused.kind != "fields":
        return _hinted(_RUN_FAULTS[refused.kind], refused.kind, line)
    columns = RUN_COLUMNS
    if refused.columns == 4:
        return message("{columns}; this one has 4, as qrels do: are the two files swapped?", columns=columns)
    if refused.columns == 3:
        return message(
            "{columns}; this one has 3: the format msmarco reads query, document and rank, with tabs between them "
            "(--run-format msmarco); if the third is a score, put a first line before it that names the columns: "
            "query_id, doc_id, score",
            columns=columns,
        )
    if refused.columns > 6:
        return message("{columns}; this one has more", columns=columns)
    return of_width(columns, refused.columns)


def qrels_fault(refused: Refused, line: int | None = None) -> Message:
    """What is wrong with a line of qrels, and if it is the first one, what to do about it."""
    if refused.kind != "fields":
        return _hinted(_QRELS_FAULTS[refused.kind], refused.kind, line)
    columns = QRELS_COLUMNS
    if refused.columns == 5:
        return message(
            "{columns}; this one has 5, as qrels with a stratum do, which `truerank eval` takes for xinfAP, and "
            "runs: are the two files swapped?",
            columns=columns,
        )
    if refused.columns > 4:
        return message("{columns}; this one has more, as a run does: are the two files swapped?", columns=columns)
    return of_width(columns, refused.columns)


def of_width(columns: Message, n: int) -> Message:
    """The fault of a line with a wrong number of columns; a line of one column may be of a table with commas."""
    if n == 1:
        return message(
            "{columns}; this one has 1: the first line of a table with commas names its columns, as "
            "query_id,doc_id,score does",
            columns=columns,
        )
    return message("{columns}; this one has {n}", columns=columns, n=n)


def _hinted(fault: Message, kind: str, line: int | None) -> Message:
    """The fault, with a hint where the first line has no number: it may hold the names of the columns."""
    if kind == "number" and line == 1:
        return message("{fault}; if this line names the columns, remove it", fault=fault)
    return fault


TOGETHER = message("files that are given together are one run; compare(qrels, [run, run]) takes several")
"""What to say of what two files of a run have."""


class RepeatedDocument(InputError):
    """A document that a run returns twice for a query, under rules that refuse that.

    Attributes:
        fault: what is wrong, without the hint.
    """

    fault: Message


class Interleaved(InputError):
    """The rows of a query are scattered over a run, so that its lists cannot be made one after another."""

    def __init__(self, query: bytes, path: str):
        super().__init__(
            "the rows of query {query} are scattered over the run; sort it by query", path, query=truncated(query)
        )


def refused_row(refused: Refused, query: bytes, path: str, line: int | None) -> InputError:
    """The error to raise for a row of a query that cannot be read; `line` is where it stands, if in a line."""
    fault = run_fault(refused, line)
    if line:
        return InputError(fault, path, line)
    return InputError("query {query}: {fault}", path, query=truncated(query), fault=fault)


def repeated_document(
    query: bytes,
    doc: bytes,
    first: int | None,
    path: str,
    line: int | None,
    ordered: bool = True,
    apart: bool = False,
) -> RepeatedDocument:
    """The error to raise for a document that a run returns twice; `first` is the line where it stands first.

    Args:
        ordered: whether rows have an order, so that the first or the last may count.
        apart: whether the rows stand, or may stand, in two of the run's files.
    """
    names = {"doc": truncated(doc), "query": truncated(query)}
    fault = message("document {doc} is returned twice for query {query}", **names)
    if first:
        fault = message("{fault} (first in line {line})", fault=fault, line=first)
    if apart:
        fault = message("{fault} ({together})", fault=fault, together=TOGETHER)
    said = message(
        "{fault}; mend the run, or say which one counts: duplicates = first or last (--set duplicates=first); "
        "chunks of one document: truerank convert --collapse max --ids id",
        fault=fault,
    )
    if not ordered:
        said = message(
            "{fault}; mend the run (of the chunks of a document keep the best), or say how it counts: "
            "duplicates = count or once (--set duplicates=once)",
            fault=fault,
        )
    error = RepeatedDocument(said, path, line)
    error.fault = fault
    return error


_PYTHONS = "must be real number, not "
"""How Python begins what it says of a value that is no number."""


def unreadable(query: bytes, error: Exception) -> Message:
    """What is wrong with a query's answer whose values cannot be read."""
    why = str(error)
    if isinstance(error, NoId):
        why = message("an id is text or a whole number, not {value}", value=quoted(error.args[0]))
    elif why.startswith(_PYTHONS):
        kind = why.removeprefix(_PYTHONS)
        why = message("a score is a number, not {kind}", kind=kind)
        if kind == "NoneType":  # null in JSON
            why = message("{fault}: leave out the documents that were not returned", fault=why)
    return message("the answer to query {query} cannot be read: {why}", query=truncated(query), why=why)


def not_put_aside(error: OSError) -> Message:
    """Why the rows of scattered queries cannot be sorted on disk."""
    return message(
        "the rows of its queries are scattered, and cannot be put aside on disk to be sorted ({why}); "
        "set TMPDIR to a folder with as much room as the run takes up, or sort the run by query",
        why=error.strerror or str(error),
    )
