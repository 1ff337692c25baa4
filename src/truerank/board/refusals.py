"""What the board says no to, each with the HTTP status that says the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from truerank.core.errors import TruerankError


class BoardError(TruerankError):
    """Something about the board's own settings or data is wrong; for the host."""


class Refusal(TruerankError):
    """A request that is not granted; the message says why and what now.

    Attributes:
        status: the HTTP status.
        kind: a short name that stays the same.
        findings: what is wrong with a submission.
        after: seconds after which another try may succeed.
    """

    def __init__(
        self,
        status: int,
        kind: str,
        message: str,
        *,
        findings: Sequence[Mapping[str, Any]] = (),
        after: float | None = None,
    ):
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.findings = tuple(findings)
        self.after = after


def not_found(what: str) -> Refusal:
    """There is none, or none that this account may see: the two answers are the same."""
    return Refusal(404, "not-found", f"there is no such {what}, or it is not yours to see")


def forbidden() -> Refusal:
    """The account's role does not allow this."""
    return Refusal(403, "forbidden", "only hosts may do this")


def unauthorized() -> Refusal:
    """No token, an unknown one, or one that was revoked: the three answers are the same."""
    return Refusal(401, "unauthorized", "a valid token is needed; hosts hand them out")
