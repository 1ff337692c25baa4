"""The pages: the same as the API, for people. They need no JavaScript."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any
from urllib.parse import parse_qsl, quote

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from truerank.board import api, hosting, joining, keys, submissions
from truerank.board.errors import ApiError, no_button, no_form, not_found
from truerank.board.pages import render
from truerank.board.receiving import UploadForm
from truerank.board.security import (
    admitted,
    by_cookie,
    check_form,
    check_origin,
    cookie_name,
    known,
    only_host,
    signed_in,
)
from truerank.board.service import Team, service_of
from truerank.board.sessions import LIFE
from truerank.core.messages import message

router = APIRouter(include_in_schema=False)


@router.get("/")
async def index(request: Request) -> Response:
    """The boards."""
    team = await viewer(request)
    boards = [one.model_dump() for one in await api.boards(request, team)]
    return page(request, "index.html", team, boards=boards, settings_of=service_of(request).board)


@router.get("/boards/{board}")
async def board(request: Request, board: str) -> Response:
    """A board and who stands where."""
    team = await viewer(request)
    settings = api.visible(service_of(request), board, team)
    state = await api.shown_board(request, settings, team)
    history: dict[str, Any] = {"teams": {}}
    if state.queries:
        history = (await api.board_history(request, board, team)).model_dump()
    return page(request, "board.html", team, board=state.model_dump(), history=history["teams"], settings=settings)


@router.get("/boards/{board}/submissions")
async def own(request: Request, board: str, before: str | None = None) -> Response:
    """A team's own submissions, up to as many as one list has, and the form for another."""
    team = await viewer(request)
    if team is None:
        return to_sign_in(request)
    service = service_of(request)
    settings = api.visible(service, board, team)
    about = next(one for one in await api.visible_boards(service, team) if one["name"] == settings.name)
    states, is_last = await api.listed(request, settings, team, before)
    used = await api.attempts(request, board, team)
    more: dict[str, Any] = {"attempts": used.model_dump(), "key": secrets.token_urlsafe(18), "settings": settings}
    more |= {"submissions": [one.model_dump() for one in states], "is_last": is_last}
    return page(request, "submissions.html", team, board=about, **more)


@router.post("/boards/{board}/submissions")
async def submit(request: Request, board: str) -> Response:
    """The form with a file: scored, or only checked."""
    team = await must_be_signed_in(request)
    check_origin(request)
    service = service_of(request)
    settings = api.visible(service, board, team)
    form = UploadForm(request)
    fields = await form.begin()
    check_form(request, fields)
    if not form.has_file:
        raise ApiError(422, "no-file", message("choose a file first"))
    if fields.get("what") == "check":
        checked = await service.check(settings.name, team, form.feed)
        audit = {**checked.to_dict(), "valid": checked.is_valid}
        return page(request, "audit.html", team, board={"name": settings.name}, audit=audit)
    key, label = (api.clean(fields.get(name)) for name in ("key", "label"))
    sent, _ = await service.submit(settings.name, team, form.feed, key=key and key[:80], label=(label or "")[:120])
    return RedirectResponse(f"/submissions/{sent.id}", 303)


@router.get("/submissions/{id}")
async def submission(request: Request, id: str) -> Response:
    """One submission with its audit and its scores."""
    team = await viewer(request)
    if team is None:
        return to_sign_in(request)
    state = await api.shown_submission(service_of(request), id, team)
    service = service_of(request)
    settings = service.board(state.board)
    is_closed = await service.database.read(lambda session: submissions.is_closed(session, settings, service.now))
    more: dict[str, Any] = {"settings": settings, "is_closed": is_closed}
    more["submission"] = state.model_dump()
    return await asyncio.to_thread(page, request, "submission.html", team, **more)  # it may have all queries


@router.post("/submissions/{id}")
async def change_entry(request: Request, id: str) -> Response:
    """A team's choice of what counts at the end, or a host's mark."""
    team = await must_be_signed_in(request)
    fields = await small_form(request)
    check_form(request, fields)
    service, what = service_of(request), fields.get("what", "")
    if what in ("choose", "give-up"):
        await api.chosen(service, id, team, what == "choose")
    elif what in ("withdrawn", "disqualified", "reinstate"):
        only_host(team)
        word = None if what == "reinstate" else what
        await hosting.marked(service, id, team, word, fields.get("reason", ""))
    else:
        raise no_button()
    return RedirectResponse(f"/submissions/{quote(id)}", 303)


@router.get("/register")
async def registration(request: Request) -> Response:
    """The form to ask to take part."""
    if not service_of(request).settings.registration:
        raise not_found(message("page"))
    return page(request, "register.html", await viewer(request))


@router.post("/register")
async def register(request: Request) -> Response:
    """Ask to take part; the page has the token, once."""
    check_origin(request)
    fields = await small_form(request)
    made = await joining.registered(request, fields.get("name", ""), fields.get("contact", ""))
    return page(request, "register.html", None, status=201, made=made.model_dump())


@router.get("/login")
async def login(request: Request) -> Response:
    """Where to show a token."""
    return page(request, "login.html", await viewer(request), next=_inside(request.query_params.get("next")))


@router.post("/login")
async def sign_in(request: Request) -> Response:
    """A token for a cookie."""
    check_origin(request)
    fields = await small_form(request)
    service = service_of(request)
    try:
        team = await known(request, fields.get("token", "").strip())
    except ApiError as refusal:
        back = _inside(fields.get("next"))
        if refusal.kind == "not-approved":
            return page(request, "login.html", None, status=403, next=back, is_waiting=True)
        if refusal.status != 401:
            raise
        return page(request, "login.html", None, status=401, next=back, is_wrong=True)
    answer = RedirectResponse(_inside(fields.get("next")), 303)
    answer.set_cookie(
        cookie_name(service),
        service.signer.cookie(team.token, service.clock()),
        max_age=LIFE,
        secure=service.settings.is_secure,
        httponly=True,
        samesite="strict",
        path="/",
    )
    return answer


@router.post("/logout")
async def sign_out(request: Request) -> Response:
    """Forget the cookie, and take it no more."""
    fields = await small_form(request)
    said = check_form(request, fields)
    answer = RedirectResponse("/", 303)
    service = service_of(request)
    await service.database.write(lambda session: keys.end(session, said.nonce, service.clock()))
    answer.delete_cookie(
        cookie_name(service), path="/", secure=service.settings.is_secure, httponly=True, samesite="strict"
    )
    return answer


def _inside(path: str | None) -> str:
    """A path of ours to go on to; never another site's."""
    is_inside = path and path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()
    return path if path and is_inside else "/"


@router.get("/host")
async def host(request: Request) -> Response:
    """Teams, tokens and boards."""
    return await host_page(request, await must_be_host(request))


async def host_page(request: Request, team: Team, **more: Any) -> Response:
    """Teams, tokens and boards, and what was just done."""
    service = service_of(request)
    accounts = [one.model_dump() for one in await hosting.accounts(request)]
    boards = await api.visible_boards(service, team)
    return page(request, "host.html", team, accounts=accounts, boards=boards, **more)


@router.post("/host")
async def change(request: Request) -> Response:
    """One of the host's buttons."""
    team = await must_be_host(request)
    fields = await small_form(request)
    check_form(request, fields)
    service = service_of(request)
    what, name = fields.get("what", ""), fields.get("name", "")
    is_number = name.isascii() and name.isdecimal() and len(name) < 10
    if what == "add":
        role = "host" if fields.get("role") == "host" else "team"
        return await host_page(request, team, made=(await hosting.account_added(service, name, role)).model_dump())
    if what == "token" and is_number:
        return await host_page(request, team, made=(await hosting.add_token(request, int(name))).model_dump())
    if what in ("approve", "turn-away") and is_number:
        await (hosting.approve if what == "approve" else hosting.turn_away)(request, int(name))
    elif what == "revoke":
        await hosting.revoke(request, (api.clean(name) or "")[:16])
    elif what in ("close", "reopen"):
        await hosting.set_closed(service, name, what == "close")
    else:
        raise no_button()
    return RedirectResponse("/host", 303)


@router.get("/host/{board}.jsonl")
async def download(request: Request, board: str) -> Response:
    """A board's submissions as one file."""
    await must_be_host(request)
    answer = await hosting.export(request, board)
    answer.headers["Content-Disposition"] = f'attachment; filename="{service_of(request).board(board).name}.jsonl"'
    return answer


async def viewer(request: Request) -> Team | None:
    """Who looks at a page."""
    team = await by_cookie(request)
    return admitted(request, team) if team else None


async def must_be_signed_in(request: Request) -> Team:
    """Who sends a form."""
    team = await viewer(request)
    if team is None:
        raise ApiError(401, "unauthorized", message("sign in first"))
    return team


async def must_be_host(request: Request) -> Team:
    """Who sends a host's form."""
    return only_host(await must_be_signed_in(request))


def to_sign_in(request: Request) -> Response:
    """The page where to show a token, and then back here."""
    return RedirectResponse(f"/login?next={request.url.path}", 303)


async def small_form(request: Request) -> dict[str, str]:
    """The fields of a form without files."""
    text = (await request.body()).decode("utf-8", "replace")
    try:
        return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=20))
    except ValueError:
        raise no_form() from None


def page(request: Request, template: str, team: Team | None, *, status: int = 200, **more: Any) -> Response:
    """A page in the viewer's language."""
    said = signed_in(request) if team else None
    form = service_of(request).signer.form(said) if said else ""
    return render(request, template, {"team": team, "form": form, **more}, status)
