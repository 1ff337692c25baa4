"""What is wrong with a line that the kernel refuses, in words."""

from __future__ import annotations

from truerank.core.errors import Refused, brief

_FAULTS = {
    "control": "this line holds a control character: the file is binary, damaged, or not in this format",
    "long": "this line is longer than 1 MiB: the file is binary, or not in this format",
}


def run_fault(refused: Refused) -> str:
    """What is wrong with a line of a run."""
    if refused.kind == "fields":
        found = "more" if refused.columns > 6 else refused.columns
        swapped = ", as qrels do: are the two files swapped?" if found == 4 else ""
        return f"a run line has 6 columns (query Q0 document rank score tag); this one has {found}{swapped}"
    return {"number": "the score is no number", "not finite": "the score is not a finite number", **_FAULTS}[
        refused.kind
    ]


def qrels_fault(refused: Refused) -> str:
    """What is wrong with a line of qrels."""
    if refused.kind == "fields":
        found = "more, as a run does: are the two files swapped?" if refused.columns > 4 else refused.columns
        return f"a qrels line has 4 columns (query iteration document grade); this one has {found}"
    return {"number": "the grade is no number", "not finite": "the grade is not a finite number", **_FAULTS}[
        refused.kind
    ]


def header_hint(kind: str, line: int | None) -> str:
    """What to do about a first line without a number: it may name the columns."""
    return "; if this line names the columns, remove it" if kind == "number" and line == 1 else ""


def unreadable(query: bytes, error: Exception) -> str:
    """What is wrong with a query's answer whose values cannot be read."""
    why = str(error).replace("must be real number, not", "a score is a number, not")
    return f"the answer to query {brief(query)} cannot be read: {why}"
