"""What the board says no to, each with the HTTP status that says the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from truerank.core.errors import TruerankError
from truerank.core.messages import Message, joined, message


class BoardError(TruerankError):
    """Something about the board's own settings or data is wrong; for the host."""


def of_board(name: str, said: Message) -> BoardError:
    """What is wrong with one board."""
    return BoardError("board {name!r}: {what}", name=name, what=said)


class ApiError(TruerankError):
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


def not_found(what: Message) -> ApiError:
    """There is none, or none that this account may see: the two answers are the same."""
    return ApiError(404, "not-found", message("there is no such {what}, or it is not yours to see", what=what))


def forbidden() -> ApiError:
    """The account's role does not allow this."""
    return ApiError(403, "forbidden", message("only hosts may do this"))


def unauthorized() -> ApiError:
    """No token, an unknown one, or one that was revoked: the three answers are the same."""
    return ApiError(401, "unauthorized", message("a valid token is needed; hosts hand them out"))


def no_form(status: int = 400) -> ApiError:
    """The body of a request is not what the form of its page sends."""
    return ApiError(status, "no-form", message("this is not the form of this page"))


def not_whole() -> ApiError:
    """A request of which a part is missing: its sender is gone, or sends no more."""
    return ApiError(408, "too-slow", message("this request did not arrive whole; send it again"))


def no_button() -> ApiError:
    """A form names an action that its page does not have."""
    return ApiError(422, "unknown-button", message("this page has no such button"))


def invalid(findings: Sequence[Mapping[str, Any]]) -> ApiError:
    """A submission that is not scored, with everything that its audit says."""
    why = joined("; ", [finding["message"] for finding in findings if finding["refuses"]])
    said = message("the submission is invalid and costs nothing: {why}", why=why)
    return ApiError(422, "invalid", said, findings=findings)
