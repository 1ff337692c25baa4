"""A contest's audit as plain sentences: the official score beside the strict one, and what was found."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from truerank.core.errors import printable
from truerank.core.messages import Message, message
from truerank.core.scores import Scores

if TYPE_CHECKING:
    from truerank.contest import Audit, AuditedScores
    from truerank.present.document import Document

TOLD = ("missing", "extra", "duplicates")
"""What the ledger counts and the audit tells better, with lines."""


def is_audited(scores: object) -> TypeGuard[AuditedScores]:
    """Whether a contest's judge made these scores; asked without importing `contest`."""
    return hasattr(scores, "audit")


def with_strict(scores: Scores) -> list[Scores]:
    """The scores, and the strict ones beside them where a contest's judge made them."""
    return [scores, scores.audit.strict_scores] if is_audited(scores) else [scores]


def document_of(audit: Audit, digits: int | None = None) -> Document:
    """Both scores to the last digit, and one row per finding."""
    from truerank.present.document import Document
    from truerank.present.table import Table

    official = audit.official_scores.mean if audit.official_scores else {}
    rows = tuple((name, official.get(name), strict) for name, strict in audit.strict_scores.mean.items())
    columns = (message("kind"), message("count"), message("message"))
    listed = tuple((one.kind, one.count, one.message) for one in audit.findings)
    scored = Table(
        (message("measure"), message("official"), message("strict")),
        rows,
        notes=tuple(_stops(audit)),
        digits=digits,
    )
    findings = Table(columns, listed)
    return Document([scored, *([findings] if listed else [])], findings, audit.to_dict(), remarks_of(audit))


def remarks_of(audit: Audit) -> list[str]:
    """Whether there is an official score, then a sentence per finding."""
    return [*_stops(audit), *(finding.message for finding in audit.findings)]


def _stops(audit: Audit) -> list[str]:
    return [] if audit.official_scores else [message("There is no official score.")]


def sentences(scores: AuditedScores) -> list[str]:
    """The two scores to the last digit, then a sentence per finding."""
    audit = scores.audit
    strict = audit.strict_scores.mean
    means = [both(printable(name), mean, strict[name]) for name, mean in scores.mean.items()]
    return [*means, *(finding.message for finding in audit.findings)]


def both(measure: str, official: float, strict: float) -> Message:
    """The two scores by a measure, to the last digit."""
    return message(
        "{measure}: official {official!r}, strict {strict!r}.", measure=measure, official=official, strict=strict
    )
