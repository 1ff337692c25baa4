"""Who is signed in: a cookie signed with the service's key, and a token for its forms."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from dataclasses import dataclass

LIFE = 7 * 24 * 3600
"""Seconds for which a cookie is good."""


@dataclass(frozen=True)
class SignedIn:
    """What a good cookie says.

    Attributes:
        token: the id of the token that was signed in with.
        nonce: this sign-in's own.
    """

    token: str
    nonce: str


class Signer:
    """Signs cookies and forms with one secret key."""

    def __init__(self, key: bytes):
        self._key = key

    def cookie(self, token: str, now: float) -> str:
        """A cookie for whoever showed a token.

        >>> Signer(b"key").read(Signer(b"key").cookie("abc", 0), 60).token
        'abc'
        """
        said = f"{token}.{secrets.token_urlsafe(16)}.{int(now) + LIFE}"
        return f"{said}.{self._sign('cookie', said)}"

    def read(self, cookie: str, now: float) -> SignedIn | None:
        """What the cookie says; None when it is not ours, was changed, or is too old."""
        said, _, signature = cookie.rpartition(".")
        if not hmac.compare_digest(signature.encode(), self._sign("cookie", said).encode()):
            return None
        token, nonce, until = said.split(".")
        return SignedIn(token, nonce) if now < int(until) else None

    def form(self, signed_in: SignedIn) -> str:
        """What a form of this sign-in must send along."""
        return self._sign("form", signed_in.nonce)

    def is_form(self, signed_in: SignedIn, given: str) -> bool:
        """Whether a form is one that we made for this sign-in."""
        return hmac.compare_digest(given.encode(), self.form(signed_in).encode())

    def _sign(self, purpose: str, text: str) -> str:
        digest = hmac.digest(self._key, f"{purpose}:{text}".encode("utf-8", "surrogateescape"), hashlib.sha256)
        return base64.urlsafe_b64encode(digest).decode().rstrip("=")
