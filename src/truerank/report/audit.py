"""A contest's audit as plain sentences: the official score beside the strict one, and what was found."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from truerank.errors import shown
from truerank.scores import Scores

if TYPE_CHECKING:
    from truerank.contest import AuditedScores

TOLD = ("missing", "extra", "duplicates")
"""What the ledger counts and the audit tells better, with lines."""


def is_audited(scores: Scores) -> TypeGuard[AuditedScores]:
    """Whether a contest's judge made them; it need not be imported to know."""
    return hasattr(scores, "audit")


def sentences(scores: AuditedScores) -> list[str]:
    """The two scores to the last digit, then a sentence a finding."""
    audit = scores.audit
    strict = audit.strict_scores.mean
    both = [f"{shown(name)}: official {mean!r}, strict {strict[name]!r}." for name, mean in scores.mean.items()]
    return [*both, *(finding.message for finding in audit.findings)]
