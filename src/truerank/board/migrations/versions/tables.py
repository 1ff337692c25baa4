"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "secrets",
        sa.Column("name", sa.String(80), primary_key=True),
        sa.Column("value", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "boards",
        sa.Column("name", sa.String(63), primary_key=True),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("scored", sa.BigInteger, nullable=False),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("truth", sa.String(64)),
        sa.Column("closed_at", sa.BigInteger),
    )
    _people()
    _submissions()


def _people() -> None:
    op.create_table(
        "accounts",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(80), nullable=False, unique=True),
        sa.Column("role", sa.String(8), nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "tokens",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("account_id", sa.Integer, sa.ForeignKey("accounts.id"), nullable=False, index=True),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("revoked_at", sa.BigInteger),
    )


def _submissions() -> None:
    op.create_table(
        "submissions",
        sa.Column("id", sa.String(22), primary_key=True),
        sa.Column("board", sa.String(63), sa.ForeignKey("boards.name"), nullable=False),
        sa.Column("account_id", sa.Integer, sa.ForeignKey("accounts.id"), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("key", sa.String(80)),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("unpacked", sa.BigInteger, nullable=False),
        sa.Column("label", sa.String(120), nullable=False),
        sa.Column("received_at", sa.BigInteger, nullable=False),
        sa.Column("accepted_at", sa.BigInteger),
        sa.Column("scored_at", sa.BigInteger),
        sa.Column("place", sa.BigInteger),
        sa.Column("score", sa.Float(53)),
        sa.Column("shown", sa.Float(53)),
        sa.Column("audit", sa.Text, nullable=False),
        sa.Column("results", sa.Text),
        sa.Column("rules", sa.Text),
        sa.Column("version", sa.String(40)),
        sa.Column("fingerprint", sa.String(64)),
        sa.UniqueConstraint("board", "account_id", "key", name="uq_submissions_key"),
        sa.UniqueConstraint("board", "place", name="uq_submissions_place"),
    )
    op.create_index("ix_submissions_team", "submissions", ["board", "account_id", "state"])
    op.create_index("ix_submissions_state", "submissions", ["state"])
    op.create_table(
        "query_values",
        sa.Column("submission_id", sa.String(22), sa.ForeignKey("submissions.id"), primary_key=True),
        sa.Column("matrix", sa.LargeBinary, nullable=False),
    )


def downgrade() -> None:
    """Take them away again."""
    for name in ("query_values", "submissions", "tokens", "accounts", "boards", "secrets"):
        op.drop_table(name)
