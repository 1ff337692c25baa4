"""What the API answers; the pages show the same."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Means = dict[str, dict[str, float]]


class Answer(BaseModel):
    """Whatever the service says."""

    model_config = ConfigDict(extra="forbid")


class FindingState(Answer):
    """Something to say about a submission."""

    kind: str = Field(description="a short name that stays the same, e.g. repeated-line")
    refuses: bool = Field(description="whether it makes the submission invalid")
    message: str
    count: int
    lines: list[int] = Field(description="the first few line numbers, 1-based")


class Problem(Answer):
    """Why a request was not granted."""

    error: str = Field(description="a short name that stays the same, e.g. no-attempts")
    message: str = Field(description="why, and what to do now")
    findings: list[FindingState] = []


class Health(Answer):
    """Whether the service works."""

    status: Literal["ok"] = "ok"
    database: Literal["sqlite", "postgresql"]
    jobs: int = Field(description="audits and scorings waiting or under way")
    version: str


class AuditState(Answer):
    """What a submission holds and what is wrong with it, as far as anybody may know."""

    format: str
    rows: int
    answered: int
    missing: int
    findings: list[FindingState]


class Checked(AuditState):
    """The audit of a file that was not submitted."""

    valid: bool


class AttemptsState(Answer):
    """How many valid submissions a team has sent and may still send."""

    today: int
    total: int
    per_day: int
    most: int
    left: int


class SubmissionState(Answer):
    """A submission, as its team or a host sees it."""

    id: str
    board: str
    team: str
    state: Literal["received", "refused", "over", "accepted", "scored", "failed"]
    label: str
    size: int
    sha256: str
    received_at: datetime
    score: float | None = Field(description="what the board shows of it; under a Ladder, of the team after it")
    interval: list[float] | None = Field(description="95 % interval of the score")
    official: Means = Field(description="{part: {measure: mean}} by the official rules")
    strict: Means = Field(description="the same, with missing answers 0 and repeats worth nothing")
    queries: dict[str, dict[str, float]] = Field(description="{query: {measure: value}}, if shown")
    audit: AuditState
    rules: str | None = Field(description="under whose rules")
    version: str | None = Field(description="of truerank")


class Submitted(SubmissionState):
    """The answer to a submission."""

    is_new: bool = Field(description="false when the same file or Idempotency-Key had been sent before")
    attempts: AttemptsState


class StandingState(Answer):
    """One team's row."""

    rank: int
    team: str
    score: float
    low: float
    high: float
    public: float
    entries: int
    last: datetime
    groups: str | None = Field(description="teams that share a letter cannot be told apart; null until computed")
    is_own: bool
    submission: str | None = Field(description="the entry's id, for its team and for hosts")


class BoardSummary(Answer):
    """A contest."""

    name: str
    title: str
    about: str
    is_open: bool
    is_closed: bool
    opens: datetime | None
    closes: datetime | None


class BoardState(BoardSummary):
    """A contest and who stands where."""

    rules: str
    measures: list[str]
    rank_by: str
    ranks: Literal["strict", "official"]
    part: Literal["public", "private"] = Field(description="whose queries rank: private ones after closing")
    public_share: float
    ladder: float | None
    digits: int | None
    per_day: int
    total: int
    upload: int
    queries: int
    state: str = Field(description="changes whenever the standings do")
    standings: list[StandingState]


class Version(Answer):
    """What changes whenever the standings do."""

    state: str


class Point(Answer):
    """What the board showed of a team from a moment on."""

    at: datetime
    score: float


class History(Answer):
    """{team: points}."""

    teams: dict[str, list[Point]]


class TokenState(Answer):
    """A token, without its secret."""

    id: str
    created_at: datetime
    revoked_at: datetime | None


class AccountState(Answer):
    """A team or a host."""

    id: int
    name: str
    role: Literal["team", "host"]
    created_at: datetime
    tokens: list[TokenState]


class NewAccount(Answer):
    """Whom to let in."""

    name: str = Field(min_length=1, max_length=80)
    role: Literal["team", "host"] = "team"


class NewToken(Answer):
    """A token that was just made; nobody will see it again."""

    account: int
    name: str
    token: str
