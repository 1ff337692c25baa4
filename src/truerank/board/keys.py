"""The service's own keys, kept in its database: they sign cookies and split the queries of boards.

Beside them it is kept which signed cookies are good no more before their time.
"""

from __future__ import annotations

import secrets

from sqlalchemy import delete
from sqlalchemy.orm import Session

from truerank.board.models import Secret
from truerank.board.sessions import LIFE

_ENDED = "ended:"


def secret(session: Session, name: str) -> bytes:
    """A key of the service's own, made when it is first asked for."""
    row = session.get(Secret, name)
    if row is None:
        row = Secret(name=name, value=secrets.token_bytes(32))
        session.add(row)
        session.flush()
    return row.value


def end(session: Session, nonce: str, now: float) -> None:
    """Refuse the cookie of a sign-in from now on; who ended earlier is forgotten when no cookie is left."""
    ended = Secret.name.startswith(_ENDED, autoescape=True)
    session.execute(delete(Secret).where(ended, Secret.value < _moment(now)))
    session.merge(Secret(name=f"{_ENDED}{nonce}", value=_moment(now + LIFE)))


def is_ended(session: Session, nonce: str) -> bool:
    """Whether who signed in has signed out again."""
    return session.get(Secret, f"{_ENDED}{nonce}") is not None


def _moment(seconds: float) -> bytes:
    """A time as bytes of the same order."""
    return int(seconds).to_bytes(8, "big")
