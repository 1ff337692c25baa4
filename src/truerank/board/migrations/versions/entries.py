"""Marks and choices of entries, their processor time, how a board is split, and who asks to take part."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

COLUMNS = {
    "submissions": (
        ("processor", sa.Float(53)),
        ("mark", sa.String(12)),
        ("reason", sa.Text()),
        ("marked_at", sa.BigInteger()),
        ("chosen_at", sa.BigInteger()),
    ),
    "accounts": (("contact", sa.Text()),),
}


def upgrade() -> None:
    """Add the columns; a board with scores keeps the split that they were made with."""
    for table, columns in COLUMNS.items():
        for name, kind in columns:
            op.add_column(table, sa.Column(name, kind))
    op.add_column("boards", sa.Column("split", sa.String(8), nullable=False, server_default="exact"))
    op.execute("UPDATE boards SET split = 'drawn' WHERE scored > 0")


def downgrade() -> None:
    """Take them away again."""
    op.drop_column("boards", "split")
    for table, columns in COLUMNS.items():
        for name, _ in columns:
            op.drop_column(table, name)
