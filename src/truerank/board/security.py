"""What every answer carries and every request must show."""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from typing import Annotated, Any

from fastapi import Depends
from fastapi.security import HTTPBearer
from sqlalchemy.orm import Session
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from truerank.board import keys, tokens
from truerank.board.errors import ApiError, forbidden, not_whole, unauthorized
from truerank.board.logs import tell
from truerank.board.models import Account
from truerank.board.service import Service, Team, service_of
from truerank.board.sessions import SignedIn
from truerank.core.messages import message

COOKIE = "truerank"

SMALL = 1 << 16
"""The most bytes of a request that is no submission."""

SOON = 30.0
"""Seconds without a byte of such a request after which its sender is given up."""

WHOLE = 60.0
"""Seconds after which the sender of such a request that is not whole yet is given up, however it sends."""

UPLOADS = re.compile(
    r"POST (?:/api)?/boards/[^/]+/submissions|POST /api/boards/[^/]+/audits|PUT /api/boards/[^/]+/truth"
)
"""The requests that carry a file."""

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class Guard:
    """Around everything: headers, a limit for small requests, numbers and a line in the log."""

    def __init__(self, app: ASGIApp, service: Service):
        self.app, self.service = app, service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        is_head = scope["method"] == "HEAD"
        if is_head:  # whatever can be looked at can be asked about
            scope = {**scope, "method": "GET"}
        began, status = time.perf_counter(), 500
        name = secrets.token_hex(6)

        async def guarded(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                self._decorate(MutableHeaders(scope=message), scope, name)
            elif is_head:
                message = {**message, "body": b""}
            await send(message)

        try:
            await self.app(scope, receive if _is_large(scope) else _limited(receive), guarded)
        finally:
            self._note(scope, status, time.perf_counter() - began, name)

    def _decorate(self, headers: MutableHeaders, scope: Scope, name: str) -> None:
        for key, value in HEADERS.items():
            headers.setdefault(key, value)
        headers["X-Request-Id"] = name
        if "location" in headers:  # a path of ours, whatever the request called its host
            headers["location"] = re.sub(r"^https?://[^/]*", "", headers["location"]) or "/"
        is_static = scope["path"].startswith("/static/")
        headers.setdefault("Cache-Control", "public, max-age=300" if is_static else "private, no-store")
        if self.service.settings.is_secure:
            headers["Strict-Transport-Security"] = "max-age=31536000"

    def _note(self, scope: Scope, status: int, seconds: float, name: str) -> None:
        route = getattr(scope.get("route"), "path", "other")
        self.service.metrics.requests.labels(route, str(status)).inc()
        self.service.metrics.seconds.labels(route).observe(seconds)
        if route not in ("/healthz", "/metrics"):
            team = scope.get("state", {}).get("team")
            fields: dict[str, Any] = {"method": scope["method"], "path": scope["path"], "status": status}
            tell("request", **fields, ms=round(seconds * 1000, 1), request=name, team=team and team.name)


def _is_large(scope: Scope) -> bool:
    """Whether a submission or a truth may come with this request; those have limits of their own."""
    return UPLOADS.fullmatch(f"{scope['method']} {scope['path']}") is not None


def _limited(receive: Receive) -> Receive:
    seen, is_whole, until = 0, False, 0.0

    async def limited() -> Message:
        nonlocal seen, is_whole, until
        until = until or time.monotonic() + WHOLE
        try:
            event = await asyncio.wait_for(receive(), None if is_whole else min(SOON, until - time.monotonic()))
        except asyncio.TimeoutError:
            raise not_whole() from None
        is_whole = not event.get("more_body", False)
        seen += len(event.get("body", b""))
        if seen > SMALL:
            raise ApiError(413, "too-large", message("this request is too large"))
        return event

    return limited


Documented = Annotated[object, Depends(HTTPBearer(auto_error=False, description="A token that a host handed out."))]
"""Takes no part: the API's documentation learns from it where a token goes."""


def address(request: Request) -> str:
    """Where the request comes from."""
    return request.client.host if request.client else "unknown"


async def optional_user(request: Request, _shown: Documented = None) -> Team | None:
    """Who asks: by a token, else by the cookie of who signed in; None for anybody.

    Raises:
        ApiError: a token was shown that is not good, or this is too often.
    """
    given = Headers(scope=request.scope).get("authorization")
    team = await by_token(request, given) if given is not None else await by_cookie(request)
    return admitted(request, team) if team else None


def admitted(request: Request, team: Team) -> Team:
    """Who asks, unless too often; the log tells whose request it is."""
    service_of(request).requests.check(team.token)
    request.state.team = team
    return team


async def by_token(request: Request, given: str) -> Team:
    """Who shows `Bearer TOKEN`."""
    scheme, _, text = given.partition(" ")
    if scheme.lower() != "bearer":
        raise unauthorized()
    return await known(request, text.strip())


async def known(request: Request, text: str) -> Team:
    """Whose token this is; guesses from one address are limited."""
    service = service_of(request)
    match = await service.database.read(lambda session: tokens.find(session, text))
    if match is None:  # a good token is let in whoever guesses at the same address
        service.failures.check(address(request))
        raise unauthorized()
    account, token = match
    if account.role == tokens.WAITING:
        why = message("a host has not approved this registration yet; try again later")
        raise ApiError(403, "not-approved", why)
    return Team(account.id, account.name, account.role, token.id)


def signed_in(request: Request) -> SignedIn | None:
    """What the cookie says, if it is one of ours."""
    service = service_of(request)
    return service.signer.read(request.cookies.get(cookie_name(service), ""), service.clock())


async def by_cookie(request: Request) -> Team | None:
    """Who signed in; signing out ends that, and a revoked token."""
    service = service_of(request)
    said = signed_in(request)
    if said is None:
        return None

    def look(session: Session) -> Account | None:
        return None if keys.is_ended(session, said.nonce) else tokens.still(session, said.token)

    account = await service.database.read(look)
    return Team(account.id, account.name, account.role, said.token) if account else None


def cookie_name(service: Service) -> str:
    """By https, a name that browsers take only from the host itself."""
    return f"__Host-{COOKIE}" if service.settings.is_secure else COOKIE


async def team_by_token(request: Request, _shown: Documented = None) -> Team:
    """Who changes something through the API: by token only, which no other site can make a browser send."""
    given = Headers(scope=request.scope).get("authorization")
    if given is None:
        raise unauthorized()
    return admitted(request, await by_token(request, given))


async def host_by_token(team: Annotated[Team, Depends(team_by_token)]) -> Team:
    """Which host changes something through the API: by token only, as for teams."""
    return only_host(team)


async def require_user(team: Annotated[Team | None, Depends(optional_user)]) -> Team:
    """Who asks, who must be known."""
    if team is None:
        raise unauthorized()
    return team


async def host(team: Annotated[Team, Depends(require_user)]) -> Team:
    """Who looks at what only hosts may see: by a token, or signed in."""
    return only_host(team)


def only_host(team: Team) -> Team:
    """The team, if it is a host.

    Raises:
        ApiError: it is none.
    """
    if not team.is_host:
        raise forbidden()
    return team


def check_origin(request: Request) -> None:
    """Refuse a form that another site made a browser send."""
    site = request.headers.get("sec-fetch-site", "same-origin")
    origin = request.headers.get("origin")
    host = request.headers.get("host", "")
    if site not in ("same-origin", "none") or (origin and origin.partition("://")[2] != host):
        raise ApiError(403, "cross-site", message("this form comes from another site"))


def check_form(request: Request, fields: dict[str, str]) -> SignedIn:
    """Who is signed in; a form that we did not make for them is refused."""
    service = service_of(request)
    check_origin(request)
    said = signed_in(request)
    if said is None or not service.signer.is_form(said, fields.get("form", "")):
        raise ApiError(403, "stale-form", message("this form is too old; load the page again"))
    return said
