"""The service's own keys, kept in its database: they sign cookies and split the queries of boards."""

from __future__ import annotations

import secrets

from sqlalchemy.orm import Session

from truerank.board.models import Secret


def secret(session: Session, name: str) -> bytes:
    """A key of the service's own, made when it is first asked for."""
    row = session.get(Secret, name)
    if row is None:
        row = Secret(name=name, value=secrets.token_bytes(32))
        session.add(row)
        session.flush()
    return row.value
