"""The tables. Times are milliseconds since 1970, ids of submissions and tokens are random text."""

from __future__ import annotations

from datetime import datetime, timezone

from sqlalchemy import BigInteger, Float, ForeignKey, Index, LargeBinary, String, Text, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

RECEIVED, REFUSED, OVER, ACCEPTED, SCORED, FAILED = "received", "refused", "over", "accepted", "scored", "failed"
"""A submission's states: on disk; invalid; beyond the team's limit; counted; done; could not be scored."""

UNDER_WAY = (RECEIVED, ACCEPTED)
"""The states that do not last."""

COUNTED = (ACCEPTED, SCORED)
"""The states that cost an attempt."""


def moment(milliseconds: int) -> datetime:
    """A time out of the database."""
    return datetime.fromtimestamp(milliseconds / 1000, timezone.utc)


class Base(DeclarativeBase):
    """The tables of the board."""


class Secret(Base):
    """A key that the service made for itself: it signs cookies, or splits a board's queries.

    Those called `ended:…` are no keys: they name sign-ins that have ended, and until when to know it.
    """

    __tablename__ = "secrets"
    name: Mapped[str] = mapped_column(String(80), primary_key=True)
    value: Mapped[bytes] = mapped_column(LargeBinary)


class Board(Base):
    """What is to be remembered of a board beside its settings.

    `version` grows with every change that the board page could show; `fingerprint` is that of the rules, truth
    and published queries that the scores were made with. `split` is how the public queries are chosen.
    """

    __tablename__ = "boards"
    name: Mapped[str] = mapped_column(String(63), primary_key=True)
    version: Mapped[int] = mapped_column(BigInteger, default=0)
    scored: Mapped[int] = mapped_column(BigInteger, default=0)
    fingerprint: Mapped[str] = mapped_column(String(64), default="")
    split: Mapped[str] = mapped_column(String(8), default="exact")
    truth: Mapped[str | None] = mapped_column(String(64))
    closed_at: Mapped[int | None] = mapped_column(BigInteger)


class Account(Base):
    """A team or a host; or one that asks to be a team, with the role "waiting" and where to reach it."""

    __tablename__ = "accounts"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(80), unique=True)
    role: Mapped[str] = mapped_column(String(8))
    contact: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[int] = mapped_column(BigInteger)


class Token(Base):
    """What an account shows to be let in; only its digest is kept."""

    __tablename__ = "tokens"
    id: Mapped[str] = mapped_column(String(16), primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"), index=True)
    digest: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[int] = mapped_column(BigInteger)
    revoked_at: Mapped[int | None] = mapped_column(BigInteger)


class Submission(Base):
    """A file that a team sent, on its way through the states.

    `place` numbers the scored ones of a board in the order of their scoring, which is the Ladder's; `shown` is
    what the board shows of the team after this one, where that is not its own score. `processor` is seconds.
    A host's `mark` takes an entry out of the standings; `chosen_at` is when its team chose it to count at the end.
    """

    __tablename__ = "submissions"
    __table_args__ = (
        UniqueConstraint("board", "account_id", "key", name="uq_submissions_key"),
        UniqueConstraint("board", "place", name="uq_submissions_place"),
        Index("ix_submissions_team", "board", "account_id", "state"),
        Index("ix_submissions_state", "state"),
    )
    id: Mapped[str] = mapped_column(String(22), primary_key=True)
    board: Mapped[str] = mapped_column(ForeignKey("boards.name"))
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"))
    state: Mapped[str] = mapped_column(String(10))
    key: Mapped[str | None] = mapped_column(String(80))
    sha256: Mapped[str] = mapped_column(String(64))
    size: Mapped[int] = mapped_column(BigInteger)
    unpacked: Mapped[int] = mapped_column(BigInteger)
    label: Mapped[str] = mapped_column(String(120), default="")
    received_at: Mapped[int] = mapped_column(BigInteger)
    accepted_at: Mapped[int | None] = mapped_column(BigInteger)
    scored_at: Mapped[int | None] = mapped_column(BigInteger)
    place: Mapped[int | None] = mapped_column(BigInteger)
    score: Mapped[float | None] = mapped_column(Float(53))
    shown: Mapped[float | None] = mapped_column(Float(53))
    audit: Mapped[str] = mapped_column(Text, default="{}")
    results: Mapped[str | None] = mapped_column(Text)
    rules: Mapped[str | None] = mapped_column(Text)
    version: Mapped[str | None] = mapped_column(String(40))
    fingerprint: Mapped[str | None] = mapped_column(String(64))
    processor: Mapped[float | None] = mapped_column(Float(53))
    mark: Mapped[str | None] = mapped_column(String(12))
    reason: Mapped[str | None] = mapped_column(Text)
    marked_at: Mapped[int | None] = mapped_column(BigInteger)
    chosen_at: Mapped[int | None] = mapped_column(BigInteger)


class Values(Base):
    """The strict value of each published query and measure, as (measures, queries) float64, little-endian."""

    __tablename__ = "query_values"
    submission_id: Mapped[str] = mapped_column(ForeignKey("submissions.id"), primary_key=True)
    matrix: Mapped[bytes] = mapped_column(LargeBinary)
