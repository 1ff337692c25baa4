"""Tokens: 256 random bits that let an account in. Only their SHA-256 is kept, so a stolen database opens nothing.

A slow hash is for passwords that people make up; 256 random bits cannot be guessed.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import unicodedata

from sqlalchemy import delete, func, select, text
from sqlalchemy.orm import Session

from truerank.board.errors import ApiError, not_found
from truerank.board.models import Account, Token, moment
from truerank.board.schemas import NewToken, TokenState
from truerank.core.messages import message

_SHAPE = re.compile(r"tr_([A-Za-z0-9]{12})_([A-Za-z0-9_-]{43})")
_NOTHING = "0" * 64

_INVISIBLE = re.compile(
    r"[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800"
    r"\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""What Unicode says may be left out when it cannot be shown, and the Braille pattern without dots."""

WAITING = "waiting"
"""The role of who asks to take part and is not approved yet."""

MOST_WAITING = 200
"""This many may ask before hosts have looked at them."""


def add_account(session: Session, name: str, role: str, now: int) -> Account:
    """A new team or host.

    Raises:
        ApiError: the name is no name, or taken.
    """
    name = " ".join(name.split())
    if not 1 <= len(name) <= 80 or not name.isprintable() or not _is_seen(name):
        why = message("a name has 1 to 80 characters that can be printed, and not all of them invisible")
        raise ApiError(422, "bad-name", why)
    if session.get_bind().dialect.name == "postgresql":  # SQLite has one writer anyway
        session.execute(text("SELECT pg_advisory_xact_lock(7472618)"))
    for taken in session.scalars(select(Account.name)):
        if likeness(taken) == likeness(name):
            raise ApiError(409, "name-taken", message("there is an account called {name!r} already", name=taken))
    account = Account(name=name, role=role, created_at=now)
    session.add(account)
    session.flush()
    return account


def likeness(name: str) -> str:
    """What names that look the same have in common: no case, one encoding, nothing invisible.

    >>> likeness("E\\u0301quipe\\u3164 ①") == likeness("ÉQUIPE 1")
    True
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    seen = "".join(letter for letter in folded if not _INVISIBLE.match(letter))
    return " ".join(unicodedata.normalize("NFKC", seen).split())


def _is_seen(name: str) -> bool:
    """Whether a name has anything to look at."""
    return any(unicodedata.category(letter)[0] in "LNPS" for letter in likeness(name))


def approve(session: Session, id: int) -> Account:
    """Who asked to take part is a team from now on.

    Raises:
        ApiError: there is no registration with this number.
    """
    account = _waiting(session, id)
    account.role = "team"
    return account


def turn_away(session: Session, id: int) -> None:
    """Who asked to take part is forgotten; the name is free again.

    Raises:
        ApiError: there is no registration with this number.
    """
    account = _waiting(session, id)
    session.execute(delete(Token).where(Token.account_id == account.id))
    session.delete(account)


def register(session: Session, name: str, contact: str, now: int) -> NewToken:
    """Who asks to take part; the token lets in once a host has approved.

    Raises:
        ApiError: the name is no name or taken, or too many wait already.
    """
    waiting = session.scalar(select(func.count()).where(Account.role == WAITING)) or 0
    if waiting >= MOST_WAITING:
        why = message("too many registrations wait for the hosts; try again later")
        raise ApiError(503, "too-many-waiting", why, after=3600)
    account = add_account(session, name, WAITING, now)
    account.contact = contact or None
    return renew(session, account.id, now)


def _waiting(session: Session, id: int) -> Account:
    account = session.get(Account, id, with_for_update=True)
    if account is None or account.role != WAITING:
        raise not_found(message("registration"))
    return account


def add_token(session: Session, account: Account, now: int) -> str:
    """A new token of an account; it is shown this once."""
    name = "".join(secrets.choice("abcdefghijkmnpqrstuvwxyz23456789") for _ in range(12))
    text = f"tr_{name}_{secrets.token_urlsafe(32)}"
    session.add(Token(id=name, account_id=account.id, digest=_digest(text), created_at=now))
    session.flush()
    return text


def add(session: Session, name: str, role: str, now: int) -> NewToken:
    """A new team or host with its first token.

    Raises:
        ApiError: the name is no name, or taken.
    """
    return renew(session, add_account(session, name, role, now).id, now)


def renew(session: Session, id: int, now: int) -> NewToken:
    """Another token for an account.

    Raises:
        ApiError: there is no such account.
    """
    account = session.get(Account, id)
    if account is None:
        raise not_found(message("account"))
    return NewToken(account=id, name=account.name, token=add_token(session, account, now))


def revoke(session: Session, id: str, now: int) -> TokenState:
    """Refuse this token from now on, and by what was signed in with it.

    Raises:
        ApiError: there is no such token.
    """
    token = session.get(Token, id)
    if token is None:
        raise not_found(message("token"))
    token.revoked_at = token.revoked_at or now
    return state(token)


def state(token: Token) -> TokenState:
    """A token, without its secret."""
    revoked = moment(token.revoked_at) if token.revoked_at is not None else None
    return TokenState(id=token.id, created_at=moment(token.created_at), revoked_at=revoked)


def find(session: Session, text: str) -> tuple[Account, Token] | None:
    """Whose token this is. Takes as long for a wrong one as for a right one."""
    match = _SHAPE.fullmatch(text)
    token = session.get(Token, match[1]) if match else None
    same = hmac.compare_digest(_digest(text), token.digest if token else _NOTHING)
    if not same or token is None or token.revoked_at is not None:
        return None
    account = session.get(Account, token.account_id)
    return (account, token) if account else None


def still(session: Session, token_id: str) -> Account | None:
    """The account of the token of a session, if it was not revoked."""
    token = session.get(Token, token_id)
    account = session.get(Account, token.account_id) if token and token.revoked_at is None else None
    return account if account and account.role != WAITING else None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
