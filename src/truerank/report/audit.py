"""A contest's audit as plain sentences: the official score beside the strict one, and what was found."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from truerank.errors import shown
from truerank.report.texts import ENGLISH, Texts
from truerank.scores import Scores

if TYPE_CHECKING:
    from truerank.contest import AuditedScores

TOLD = ("missing", "extra", "duplicates")
"""What the ledger counts and the audit tells better, with lines."""


def is_audited(scores: object) -> TypeGuard[AuditedScores]:
    """Whether a contest's judge made them; it need not be imported to know."""
    return hasattr(scores, "audit")


def with_strict(scores: Scores) -> list[Scores]:
    """The scores, and the strict ones beside them where a contest's judge made them."""
    return [scores, scores.audit.strict_scores] if is_audited(scores) else [scores]


def sentences(scores: AuditedScores, texts: Texts = ENGLISH) -> list[str]:
    """The two scores to the last digit, then a sentence a finding."""
    audit = scores.audit
    strict = audit.strict_scores.mean
    both = [
        texts("audited", measure=shown(name), official=mean, strict=strict[name])
        for name, mean in scores.mean.items()
    ]
    return [*both, *(texts.said(finding.message) for finding in audit.findings)]
