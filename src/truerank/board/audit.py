"""What is wrong with a submission, as far as it may be known: nothing here has seen the truth.

An audit gets the published query ids and no judgement, so neither its words nor its time can reveal anything
of the truth, and an invalid submission can be free of charge.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from truerank.analysis.lint import Finding as LintFinding
from truerank.analysis.lint import lint
from truerank.analysis.lint.findings import placed
from truerank.board.contests import Contest
from truerank.contest import case_of
from truerank.contest.findings import Finding as LineFinding
from truerank.contest.findings import findings as line_findings
from truerank.contest.submission import read
from truerank.core.errors import InputError, truncated
from truerank.core.faults import RepeatedDocument
from truerank.core.messages import Message, from_plain, joined, message, plural, to_plain
from truerank.core.qrels import Qrels
from truerank.core.run import Batch, Ranked, Run, uncut
from truerank.core.scan import Scan, scan
from truerank.formats.cells import header
from truerank.formats.records import LONGEST
from truerank.formats.registry import chosen, sniffed
from truerank.formats.source import Source, as_source
from truerank.formats.trec import cut_run

TEXT = ("trec", "csv", "tsv", "jsonl", "json", "msmarco")
"""The formats that teams may send."""

SMALL = 4 << 20
"""Up to this many bytes a submission is linted; of a larger one only the first fault is reported."""

EXAMPLES = 5

CLOSELY = (
    *("columns", "score-no-number", "score-not-finite", "control-character", "long-line", "duplicate-document"),
    *("header", "bom", "crlf", "rank-order", "rank-no-number", "rising-scores", "equal-scores", "tags"),
    *("query-ids", "shallow", "deep"),
)
"""What lint can say without judgements."""

SAID: dict[str, Callable[[int], Message]] = {
    "empty": lambda n: message("there is nothing in it"),
    "unreadable": lambda n: plural(
        "{n:,} line cannot be read; each is one JSON object with eval_id and topk",
        "{n:,} lines cannot be read; each is one JSON object with eval_id and topk",
        n=n,
    ),
    "unknown-id": lambda n: plural(
        "{n:,} id that is not among the published ones", "{n:,} ids that are not among the published ones", n=n
    ),
    "wrong-type": lambda n: plural(
        "{n:,} line whose results are no list of ids", "{n:,} lines whose results are no list of ids", n=n
    ),
    "missing-id": lambda n: plural(
        "{n:,} published id without an answer, which scores 0",
        "{n:,} published ids without an answer, which scores 0",
        n=n,
    ),
    "repeated-line": lambda n: plural(
        "{n:,} id answered by more than one line", "{n:,} ids answered by more than one line", n=n
    ),
    "repeated-document": lambda n: plural(
        "{n:,} line that names a document more than once",
        "{n:,} lines that name a document more than once",
        n=n,
    ),
    "too-many": lambda n: plural(
        "{n:,} line with more results than count; the first ones do",
        "{n:,} lines with more results than count; the first ones do",
        n=n,
    ),
}
"""What an audit says of each kind that it counts; of missing ids that do not score 0, by `_counted`."""


class TooManyIds(InputError):
    """A list is longer than the board takes."""


@dataclass(frozen=True)
class AuditFinding:
    """Something to say about a submission.

    Attributes:
        kind: a short name that stays the same.
        refuses: whether it makes the submission invalid.
        message: what is wrong and where.
        count: how many lines or ids have it.
        lines: the first few, 1-based.
    """

    kind: str
    refuses: bool
    message: str
    count: int = 1
    lines: tuple[int, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        own = {"kind": self.kind, "refuses": self.refuses, "message": self.message, "count": self.count}
        return {**own, "lines": list(self.lines)}


@dataclass(frozen=True)
class SubmissionAudit:
    """What a submission holds and what is wrong with it.

    Attributes:
        format: as which it was read.
        rows: how many results (or lines) it has.
        answered, missing: published queries with and without an answer.
    """

    findings: tuple[AuditFinding, ...]
    format: str = ""
    rows: int = 0
    answered: int = 0
    missing: int = 0

    @property
    def is_valid(self) -> bool:
        """Whether it may be scored."""
        return not any(finding.refuses for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        counts = {"rows": self.rows, "answered": self.answered, "missing": self.missing}
        return {"format": self.format, **counts, "findings": [finding.to_dict() for finding in self.findings]}

    def to_json(self) -> str:
        """For the database: each message is there as a text, and as what it is made of, to be translated."""
        findings = [{**finding.to_dict(), "said": to_plain(finding.message)} for finding in self.findings]
        return json.dumps({**self.to_dict(), "findings": findings})


def from_json(text: str) -> dict[str, Any]:
    """What `SubmissionAudit.to_dict` gave; messages that an older version kept only as texts stay these texts."""
    fields = {"format": "", "rows": 0, "answered": 0, "missing": 0, "findings": [], **json.loads(text)}
    for finding in fields["findings"]:
        finding["message"] = from_plain(finding.pop("said", None)) or finding["message"]
    return fields


def audit(path: Path, contest: Contest, unpacked: int) -> SubmissionAudit:
    """What is wrong with the submission in a file.

    Args:
        unpacked: its length, decompressed.
    """
    return audit_source(as_source(path), contest, unpacked)


def audit_source(source: Source, contest: Contest, unpacked: int) -> SubmissionAudit:
    """`audit` of a source, which may still be on its way."""
    try:
        format = format_of(source)
        if contest.by_lines:
            return _audit_lines(source, format, contest)
        return _audit_run(source, format, contest, unpacked)
    except InputError as error:
        return SubmissionAudit((_unreadable(error),))


def format_of(source: Source) -> str:
    """As which format a submission is read.

    Raises:
        InputError: as none that teams may send.
    """
    source.refuse_empty()
    looks = sniffed(source)  # by its first bytes; what is no text is not opened to see what it holds
    name = looks.name if looks.read_run and looks.name not in TEXT else chosen(source, "run").name
    if name not in TEXT:
        formats = ", ".join(TEXT)
        said = message("{format} is not taken here; send one of {formats}", format=name, formats=formats)
        raise InputError(said, source.name)
    return name


def _unreadable(error: InputError) -> AuditFinding:
    """The error without our own name for the file."""
    kind, fault = _kind(error)
    name = os.fspath(error.path or "")
    if name and name in fault:  # a server's path is nothing to tell
        fault = Message(fault.replace(name, "the file"))
    if error.line is None:
        return AuditFinding(kind, True, fault)
    return AuditFinding(kind, True, placed("line", error.line, fault), 1, (error.line,))


def _kind(error: InputError) -> tuple[str, str]:
    if isinstance(error, RepeatedDocument):
        return "repeated-document", error.fault
    return "too-many-ids" if isinstance(error, TooManyIds) else "unreadable", error.said


def _audit_run(source: Source, format: str, contest: Contest, unpacked: int) -> SubmissionAudit:
    closely = _closely(source, format, contest) if unpacked <= SMALL else []
    try:
        scan = _scanned(source, format, contest)
    except InputError as error:
        faults = [finding for finding in closely if finding.refuses] or [_unreadable(error)]
        return SubmissionAudit((*faults, *(finding for finding in closely if not finding.refuses)), format)
    notes = [finding for finding in closely if not finding.refuses]
    answered = int((scan.returned >= 0).sum())
    missing = len(contest.published) - answered
    counted = (*_empty(scan), *_unknown(scan, source, format, contest), *_missing(scan, contest))
    return SubmissionAudit((*counted, *notes), format, scan.rows, answered, missing)


def _scanned(source: Source, format: str, contest: Contest) -> Scan:
    lenient = "repeated-document" in contest.settings.accept and contest.rules.duplicates != "error"
    rules = contest.rules if lenient else contest.rules.replace(duplicates="error")
    return scan(run_of(source, format, contest.settings.ids), contest.blind.judged, rules)


def run_of(source: Source, format: str, most: int | None = None) -> Run:
    """The run in a source, not yet read; its lists, if it consists of such, have at most `most` results."""
    reader = chosen(source, "run", format)
    read = reader.read_run
    assert read is not None

    def batches() -> Iterator[Batch]:
        return read(source) if most is None else _bounded(read(source), most, source.name)

    return Run(source.name, batches, pieces=partial(cut_run, source) if format == "trec" else uncut)


def _bounded(batches: Iterable[Batch], most: int, name: str) -> Iterator[Batch]:
    """The batches unchanged; a list with more than `most` results is refused before the rest is read."""
    for batch in batches:
        if isinstance(batch, Ranked):
            _check_length(batch.docs, most, name, batch.line)
        elif isinstance(batch, dict):
            for docs in batch.values():
                _check_length(docs, most, name, None)
        yield batch


def _check_lists(source: Source, most: int) -> None:
    """Refuse the first line with too long a list; only lines with as many commas are looked at."""
    for first, block in source.blocks(LONGEST):
        if block.count(b",") < most:
            continue
        for number, text in enumerate(block.split(b"\n"), first):
            if text.count(b",") >= most:
                with suppress(ValueError, AttributeError, RecursionError):  # no JSON: the audit says so
                    for value in json.loads(text).values():
                        _check_length(value if isinstance(value, list) else (), most, source.name, number)


def _check_length(docs: Sized, most: int, name: str, line: int | None) -> None:
    if len(docs) > most:
        said = message(
            "{n:,} results in one list, and {most:,} are the most that are taken", n=len(docs), most=most
        )
        raise TooManyIds(said, name, line)


def _empty(scan: Scan) -> Iterator[AuditFinding]:
    """That no query is named at all: a file of nothing is no submission, whatever may be missing."""
    if not scan.extra and (scan.returned < 0).all():
        yield AuditFinding("empty", True, SAID["empty"](0))


def _unknown(scan: Scan, source: Source, format: str, contest: Contest) -> Iterator[AuditFinding]:
    if not scan.extra:
        return
    count = len(scan.extra)
    lines = _first_lines(source, scan.extra[:EXAMPLES]) if format == "trec" else ()
    refuses = "unknown-id" not in contest.settings.accept or contest.rules.extra == "error"
    said = _said(SAID["unknown-id"](count), count, scan.extra)
    yield AuditFinding("unknown-id", refuses, said, count, tuple(lines))


def _missing(scan: Scan, contest: Contest) -> Iterator[AuditFinding]:
    missing = [contest.published[q] for q in np.flatnonzero(scan.returned < 0)]
    if missing:
        refuses = "missing-id" not in contest.settings.accept or contest.rules.missing == "error"
        said = _said(_counted("missing-id", len(missing), refuses, contest), len(missing), missing)
        yield AuditFinding("missing-id", refuses, said, len(missing))


def _counted(kind: str, count: int, refuses: bool, contest: Contest) -> Message:
    """What is said of this many; that missing ids score 0 only where they are accepted and do in what ranks."""
    is_zero = contest.settings.score == "strict" or contest.rules.missing == "zero"
    if kind == "missing-id" and (refuses or not is_zero):
        return plural("{n:,} published id without an answer", "{n:,} published ids without an answer", n=count)
    return SAID[kind](count)


def _said(counted: Message, count: int, ids: Iterable[bytes]) -> Message:
    names = [truncated(name) for name in list(ids)[:EXAMPLES]]
    return joined(": ", [counted, ", ".join(names + ["…"] * (count > len(names)))])


def _first_lines(source: Source, queries: Sequence[bytes]) -> list[int]:
    """The line in which each query of a TREC file comes first."""
    wanted = {query: re.compile(rb"^[ \t]*%b[ \t]" % re.escape(query), re.MULTILINE) for query in queries}
    lines = []
    for line, block in source.blocks():
        for query, pattern in list(wanted.items()):
            if query in block and (match := pattern.search(block)):
                lines.append(line + block.count(b"\n", 0, match.start()))
                del wanted[query]
        if not wanted:
            break
    return sorted(lines)


def _closely(source: Source, format: str, contest: Contest) -> list[AuditFinding]:
    """All that lint can tell without judgements, every fault with its lines."""
    unjudged = Qrels.from_dict({query: {b"\x01": 0.0} for query in contest.published}, "published")
    said = lint(unjudged, source.name, rules=contest.rules, run_format=format)
    return [_of_lint(one) for one in said if one.kind in CLOSELY and one.path != unjudged.name]


def _of_lint(finding: LintFinding) -> AuditFinding:
    kind = "repeated-document" if finding.kind == "duplicate-document" else finding.kind
    refuses = finding.severity == "error" and kind not in ("rising-scores", "query-ids")
    if finding.line is None:
        return AuditFinding(kind, refuses, finding.message, finding.count)
    said = placed(finding.numbering, finding.line, finding.message)
    return AuditFinding(kind, refuses, said, finding.count, (finding.line,))


def _audit_lines(source: Source, format: str, contest: Contest) -> SubmissionAudit:
    is_run = header(source.head).is_known or len(source.head.lstrip().split(b"\n", 1)[0].split()) == 6
    if format in ("trec", "csv", "tsv") and not is_run:
        format = "jsonl"  # only any text, that no reader wanted
    most = contest.settings.ids
    if format == "jsonl":
        _check_lists(source, most)
    sent = read(source.name, format)
    for line in sent.lines:
        if line.is_list:
            _check_length(line.answer, most, source.name, line.number)
    case = case_of(contest.blind, sent, contest.measures, contest.rules)
    missing = sum(not lines for lines in case.answers.values())
    answered = len(contest.published) - missing
    audit_findings = tuple(_of_lines(finding, contest) for finding in line_findings(case))
    return SubmissionAudit(audit_findings, format, len(sent.lines), answered, missing)


def _of_lines(finding: LineFinding, contest: Contest) -> AuditFinding:
    refuses = finding.kind not in contest.settings.accept or finding.kind == "unknown-id"
    said = _counted(finding.kind, finding.count, refuses, contest)
    if finding.examples:
        places = [*finding.examples, *["…"] * (finding.count > len(finding.examples))]
        said = joined(": ", [said, joined("; ", places)])
    return AuditFinding(finding.kind, refuses, said, finding.count, finding.lines)
