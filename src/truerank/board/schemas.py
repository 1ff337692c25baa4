"""What the API answers; the pages show the same."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, SkipValidation

Means = dict[str, dict[str, float]]


class Answer(BaseModel):
    """Whatever the service says."""

    model_config = ConfigDict(extra="forbid")


class FindingState(Answer):
    """Something to say about a submission."""

    kind: str = Field(description="a short name that stays the same, e.g. repeated-line")
    refuses: bool = Field(description="whether it makes the submission invalid")
    message: SkipValidation[str]  # which would make plain text of a message that pages translate
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
    """What a submission holds and what is wrong with it, as far as it may be known."""

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
    resets: datetime | None = Field(
        description="when the next day begins, when per_day counts anew; null where the board is closed by then"
    )


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
    ranks: Literal["strict", "official"] = Field(description="which of the two the score is")
    part: Literal["public", "private"] = Field(description="whose queries the score and its interval are of")
    score: float | None = Field(description="its own, on the queries that rank; null where a Ladder hides it")
    public: float | None = Field(description="its own on the public queries, which ranked before closing")
    shown: float | None = Field(description="under a Ladder, what the board showed of the team after it, rounded")
    interval: list[float] | None = Field(description="95 % interval of the score")
    official: Means = Field(description="{part: {measure: mean}} by the official rules")
    strict: Means = Field(description="the same, with missing answers 0 and repeats worth nothing")
    queries: dict[str, dict[str, float]] = Field(description="{query: {measure: value}}, if shown")
    audit: AuditState
    rules: str | None = Field(description="under whose rules")
    version: str | None = Field(description="of truerank")
    processor: float | None = Field(description="seconds of processor time that it took")
    mark: Literal["withdrawn", "disqualified"] | None = Field(description="a host's: it is not ranked")
    reason: str | None = Field(description="why a host did")
    is_final: bool = Field(description="whether its team chose it to count at the end")


class Submitted(SubmissionState):
    """The answer to a submission."""

    rank_by: str = Field(description="the measure that ranks, of which the score is")
    digits: int | None = Field(description="behind the point, to which the board rounds what teams see; null: all")
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
    groups: str | None = Field(
        description="teams that share a letter cannot be told apart; empty if nothing is tested, null till computed"
    )
    is_own: bool
    submission: str | None = Field(description="the entry's id, for its team and for hosts")


class Unranked(Answer):
    """An entry that a host took out of the standings."""

    team: str
    mark: Literal["withdrawn", "disqualified"]
    reason: str
    at: datetime


class NewMark(Answer):
    """Why an entry is not ranked, for everybody who sees the board; null ranks it again."""

    mark: Literal["withdrawn", "disqualified"] | None
    reason: str = Field(default="", max_length=500)


class NewChoice(Answer):
    """Whether an entry is to count at the end."""

    final: bool


class BoardSummary(Answer):
    """A contest."""

    name: str
    title: str
    about: str
    is_open: bool
    is_closed: bool
    opens: datetime | None
    closes: datetime | None = Field(description="or closed, by the clock or by its host")


class BoardListed(BoardSummary):
    """A contest and who is first."""

    teams: int | None = Field(description="how many are scored; null while the host scores everything anew")
    first: list[str] = Field(description="the teams that share the first rank")
    best: float | None = Field(description="their score")


class BoardState(BoardSummary):
    """A contest and who stands where."""

    rules: str
    measures: list[str]
    rank_by: str
    ranks: Literal["strict", "official"]
    part: Literal["public", "private"] = Field(description="whose queries rank: private ones after closing")
    public_share: float = Field(description="the share of the queries that are public")
    ladder: float | None = Field(
        description="the step by which a new best must be better to show, and of which what shows is a multiple; "
        "0: more than the standard error, and a multiple of 1 by the number of public queries"
    )
    digits: int | None
    per_day: int
    total: int
    upload: int
    queries: int
    state: str = Field(description="changes whenever the standings do")
    pending: bool = Field(description="whether groups are being computed; ask again after Retry-After seconds")
    finals: int | None = Field(description="how many entries a team may choose to count at the end")
    offers_queries: bool = Field(description="whether /queries has them")
    standings: list[StandingState]
    unranked: list[Unranked] = Field(description="entries that a host took out, the last first")


class Version(Answer):
    """What changes whenever the standings do."""

    state: str
    pending: bool = Field(default=False, description="whether tie groups are being computed; see Retry-After")


class Point(Answer):
    """What the board showed of a team from a moment on; the interval holds at all of its entries together."""

    at: datetime
    score: float
    low: float | None = None
    high: float | None = None


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
    role: Literal["team", "host", "waiting"] = Field(description="waiting: it asks to be a team")
    contact: str | None = Field(description="what it said of itself when it asked")
    created_at: datetime
    tokens: list[TokenState]


class NewAccount(Answer):
    """Whom to let in."""

    name: str = Field(min_length=1, max_length=80)
    role: Literal["team", "host"] = "team"


class NewRegistration(Answer):
    """Who asks to take part."""

    name: str = Field(min_length=1, max_length=80, description="of the team")
    contact: str = Field(default="", max_length=200, description="for the hosts: who this is and how to reach you")


class Approved(Answer):
    """Who is a team now."""

    id: int
    name: str


class NewToken(Answer):
    """A token that was just made; it is shown once."""

    account: int
    name: str
    token: str
