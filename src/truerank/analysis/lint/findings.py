"""Findings: what is wrong with a file, where, how often; and the log that gathers them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from truerank.core.errors import printable
from truerank.core.messages import Message, joined, message, plural
from truerank.core.presented import Presented

Severity = Literal["error", "warning", "note"]
Numbering = Literal["line", "row"]
Unit = Literal["line", "row", "query"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""error: numbers are refused or wrong; warning: they are arbitrary or misleading; note: worth knowing."""

SAID: dict[Severity, Message] = {"error": message("error"), "warning": message("warning"), "note": message("note")}

EXAMPLES = 5
"""How many places of each kind are kept, and how many queries a message names."""


@dataclass(frozen=True)
class Finding:
    """One kind of fault in one file.

    Attributes:
        kind: a short name that stays the same, e.g. "duplicate-document".
        severity: error, warning or note.
        path: the file, or the name of an object in memory; escaped where it cannot be printed.
        line: where it first shows, 1-based; None when it is about the whole file.
        message: what is wrong, there and elsewhere.
        count: how many lines (or queries, where the message says so) have it.
        examples: the first few, in words; of a finding about queries, all of them.
        numbering: "line" for text, "row" for everything else.
    """

    kind: str
    severity: Severity
    path: str
    line: int | None
    message: str
    count: int = 1
    examples: tuple[str, ...] = ()
    numbering: Numbering = "line"

    @property
    def where(self) -> str:
        """path:line, to which an editor can jump; "path (row 7)" where there are no lines."""
        if self.line is None:
            return self.path
        return f"{self.path}:{self.line}" if self.numbering == "line" else f"{self.path} (row {self.line})"

    def __str__(self) -> str:
        return self.printed

    @property
    def printed(self) -> Message:
        """The whole finding in one line, in the form that editors jump to."""
        return joined("", [self.where, ": ", SAID[self.severity], ": ", self.message, f" [{self.kind}]"])

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "kind": self.kind,
            "severity": self.severity,
            "path": self.path,
            self.numbering: self.line,
            "message": self.message,
            "count": self.count,
            "examples": list(self.examples),
        }


class Findings(Presented, list[Finding]):
    """What lint found, worst first: a list that prints."""

    built_by = "findings"

    def _summary(self) -> str:
        return f"Findings({self.counted()})"

    @property
    def counts(self) -> dict[Severity, int]:
        """How many of each severity."""
        severities = Counter(finding.severity for finding in self)
        return {severity: severities[severity] for severity in SEVERITIES}

    def counted(self) -> Message:
        """How many of each severity there are, in words."""
        errors, warnings, notes = self.counts.values()
        counts = [
            *([plural("{n:,} error", "{n:,} errors", n=errors)] if errors else []),
            *([plural("{n:,} warning", "{n:,} warnings", n=warnings)] if warnings else []),
            *([plural("{n:,} note", "{n:,} notes", n=notes)] if notes else []),
        ]
        return joined(", ", counts) if counts else message("nothing found")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        numbers: dict[str, Any] = {f"{severity}s": n for severity, n in self.counts.items()}
        return {**numbers, "findings": [finding.to_dict() for finding in self]}


@dataclass
class _Repeated:
    severity: Severity
    unit: Unit
    count: int = 0
    places: list[tuple[int | None, Message]] = field(default_factory=list)


@dataclass
class Log:
    """What was found in one file so far: of each kind the number and the first few, so memory stays small.

    Attributes:
        name: of the file.
        numbering: what its places are called: "line" or "row".
    """

    name: str
    numbering: Numbering = "line"
    _whole: list[Finding] = field(default_factory=list)
    _repeated: dict[str, _Repeated] = field(default_factory=dict)

    def add(
        self,
        severity: Severity,
        kind: str,
        line: int | None,
        say: Callable[..., Message],
        *args: Any,
        unit: Unit | None = None,
    ) -> None:
        """Note a fault that has a place and may come often.

        Args:
            say: says what is wrong there, given `args`; called for the first few only, as a file may have millions.
            unit: what is counted, where that is not lines.
        """
        kept = self._repeated.get(kind)
        if kept is None:
            kept = self._repeated[kind] = _Repeated(severity, unit or self.numbering)
        kept.count += 1
        if len(kept.places) < EXAMPLES:
            kept.places.append((line, say(*args)))

    def once(
        self,
        severity: Severity,
        kind: str,
        fault: str,
        line: int | None = None,
        count: int = 1,
        examples: Sequence[bytes] = (),
        numbering: Numbering | None = None,
    ) -> None:
        """Note a fault of the file as a whole; the first examples are shown behind the message.

        Args:
            numbering: what its place is called, where that is not as others are.
        """
        count = max(count, len(examples))
        names = tuple(map(printed, examples))
        some, rest = ", ".join(names[:EXAMPLES]), count - min(len(names), EXAMPLES)
        if names and rest:
            fault = message("{fault}: {names} and {n:,} more", fault=fault, names=some, n=rest)
        elif names:
            fault = joined(": ", [fault, some])
        name = printable(self.name)
        self._whole.append(Finding(kind, severity, name, line, fault, count, names, numbering or self.numbering))

    def drop(self, kind: str) -> None:
        """Forget a kind that another finding explains better."""
        self._repeated.pop(kind, None)

    def findings(self) -> list[Finding]:
        """Everything noted, in the order of the file."""
        repeated = [self._of_repeated(kind, kept) for kind, kept in self._repeated.items()]
        return sorted(self._whole + repeated, key=lambda finding: finding.line or 0)

    def _of_repeated(self, kind: str, kept: _Repeated) -> Finding:
        (line, fault), *others = kept.places
        if kept.count > 1:
            lines = [str(at) for at, _ in others if at is not None]
            lines += ["…"] if lines and kept.count > len(kept.places) else []
            also = [ALSO[self.numbering](", ".join(lines))] if lines else []
            amount = joined("; ", [AMOUNTS[kept.unit](kept.count), *also])
            fault = message("{fault} ({amount})", fault=fault, amount=amount)
        examples = tuple(said if at is None else placed(self.numbering, at, said) for at, said in kept.places)
        name = printable(self.name)
        return Finding(kind, kept.severity, name, line, fault, kept.count, examples, self.numbering)


AMOUNTS: dict[Unit, Callable[[int], Message]] = {
    "line": lambda n: plural("{n:,} line", "{n:,} lines", n=n),
    "row": lambda n: plural("{n:,} row", "{n:,} rows", n=n),
    "query": lambda n: plural("{n:,} query", "{n:,} queries", n=n),
}

ALSO: dict[Numbering, Callable[[str], Message]] = {
    "line": lambda lines: message("also line {lines}", lines=lines),
    "row": lambda rows: message("also row {rows}", rows=rows),
}


def placed(numbering: Numbering, line: int, what: str) -> Message:
    """What is wrong, after its place."""
    if numbering == "line":
        return message("line {line}: {what}", line=line, what=what)
    return message("row {row}: {what}", row=line, what=what)


def printed(name: bytes) -> str:
    """An id or another piece of a file as it can be printed, cut where it is long."""
    return printable(name if len(name) <= 80 else name[:77] + b"...")
