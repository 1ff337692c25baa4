"""The JSON API. Reading takes a token or a signed-in browser, changing takes a token."""

from __future__ import annotations

import re
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Path, Query, Request, Response
from fastapi.responses import FileResponse
from sqlalchemy import select, tuple_
from sqlalchemy.orm import Session

from truerank import __version__
from truerank.board import schemas, submissions
from truerank.board.display import (
    Display,
    board_state,
    check_visible,
    offers_queries,
    state_of,
    submission_state,
    summary,
)
from truerank.board.entries import choose, unranked
from truerank.board.errors import ApiError, invalid, not_found
from truerank.board.models import FAILED, OVER, REFUSED, UNDER_WAY, Submission
from truerank.board.receiving import body
from truerank.board.security import optional_user, require_user, team_by_token
from truerank.board.service import Service, Team, service_of
from truerank.board.settings import BoardSettings
from truerank.board.standings import history
from truerank.core.messages import message

REASONS = {
    400: "The request is no good.",
    401: "A valid token is needed.",
    403: "The role does not allow this.",
    404: "There is none, or none that may be seen.",
    408: "The file did not arrive.",
    409: "It contradicts what is there.",
    413: "The file is too large.",
    415: "The body is a form, not the file.",
    422: "The submission or a parameter is invalid.",
    429: "Too often, or no attempts are left.",
    503: "Not now.",
}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The errors that a route may answer with, for the documentation; any parameter may be invalid (422).

    Who shows a token of an account that no host has approved yet is answered with 403.
    """
    every = sorted({*statuses, 422} | ({403} if 401 in statuses else set()))
    return {status: {"model": schemas.Problem, "description": REASONS[status]} for status in every}


SOON: dict[int | str, dict[str, Any]] = {
    200: {
        "headers": {
            "Retry-After": {
                "description": "While it is pending: seconds after which to ask again.",
                "schema": {"type": "integer"},
            }
        }
    }
}
"""What an answer says while something is being computed, for the documentation."""

SENT: dict[int | str, dict[str, Any]] = {
    200: {"model": schemas.Submitted},
    202: {"model": schemas.Submitted, "description": "It is being scored; see Location and Retry-After."},
}

MORE: dict[int | str, dict[str, Any]] = {
    200: {
        "headers": {
            "Link": {"description": "Where those before the last one stand.", "schema": {"type": "string"}},
        }
    }
}
"""What a list says that may go on, for the documentation."""

MOST = 1000
"""The most submissions in one list."""

Asker = Annotated["Team | None", Depends(optional_user)]
User = Annotated[Team, Depends(require_user)]
Sender = Annotated[Team, Depends(team_by_token)]
BoardName = Annotated[str, Path(description="the board's name", max_length=63)]
Key = Annotated[
    "str | None", Header(alias="Idempotency-Key", max_length=80, description="the same key is the same submission")
]
SubmissionId = Annotated[str, Path(max_length=22)]
Before = Annotated["str | None", Query(max_length=22, description="only what was received before this submission")]
Label = Annotated[str, Query(max_length=120, description="what the team calls it; only it and the hosts see it")]


def a_file(what: str) -> dict[str, Any]:
    """A file as the body of a request, for the documentation."""
    content = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
    return {"requestBody": {"required": True, "description": what, "content": content}}


FILE = a_file("A run or answers in a text format; plain, gzip, zstd, bzip2 or xz.")

router = APIRouter()


def display_of(request: Request) -> Display:
    """What keeps the standings."""
    display: Display = request.app.state.display
    return display


@router.get("/healthz", tags=["service"], responses=problems(503))
async def health(request: Request) -> schemas.Health:
    """Whether the service and its database work."""
    service = service_of(request)
    await service.database.read(lambda session: session.scalar(select(1)))
    kind = "sqlite" if service.database.is_sqlite else "postgresql"
    return schemas.Health(database=kind, jobs=service.pool.waiting, version=__version__)  # type: ignore[arg-type]


@router.get("/metrics", tags=["service"], response_class=Response)
async def metrics(request: Request) -> Response:
    """Numbers for Prometheus."""
    return Response(service_of(request).metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")


@router.get("/api/boards", tags=["boards"], responses=problems(401, 429))
async def boards(request: Request, team: Asker) -> list[schemas.BoardListed]:
    """The boards that may be seen, and who is first."""
    service, display = service_of(request), display_of(request)
    seen = await visible_boards(service, team)
    return [schemas.BoardListed(**about, **await display.first(service.board(about["name"]))) for about in seen]


async def visible_boards(service: Service, team: Team | None) -> list[dict[str, Any]]:
    """Summaries of the boards that this viewer may see."""

    def look(session: Session) -> list[dict[str, Any]]:
        return [summary(service, session, board) for board in service.settings.boards if _is_visible(board, team)]

    return await service.database.read(look)


def _is_visible(board: BoardSettings, team: Team | None) -> bool:
    try:
        check_visible(board, team)
    except ApiError:
        return False
    return True


def visible(service: Service, name: str, team: Team | None) -> BoardSettings:
    """A board that this viewer may see.

    Raises:
        ApiError: there is none, or it may not be seen.
    """
    board = service.board(name)
    check_visible(board, team)
    return board


@router.get("/api/boards/{board}", tags=["boards"], responses={**problems(401, 404, 429, 503), **SOON})
async def board(request: Request, response: Response, board: BoardName, team: Asker) -> schemas.BoardState:
    """A board and who stands where; while `pending`, who is tied with whom is still being computed."""
    state = await shown_board(request, visible(service_of(request), board, team), team)
    _ask_again(response, state.pending)
    return state


def _ask_again(response: Response, is_pending: bool) -> None:
    if is_pending:
        response.headers["Retry-After"] = "1"


async def shown_board(request: Request, settings: BoardSettings, team: Team | None) -> schemas.BoardState:
    """A board as this viewer may see it."""
    service = service_of(request)
    standings = await display_of(request).standings(settings)

    def look(session: Session) -> schemas.BoardState:
        spec = service.spec(session, settings.name)
        contest = service.contest(session, settings.name) if spec else None
        more = {"unranked": unranked(session, settings.name), "offers_queries": offers_queries(service, settings)}
        return board_state(summary(service, session, settings), contest, settings, standings, team, **more)

    return await service.database.read(look)


@router.get("/api/boards/{board}/version", tags=["boards"], responses={**problems(401, 404, 429, 503), **SOON})
async def version(request: Request, response: Response, board: BoardName, team: Asker) -> schemas.Version:
    """What changes whenever the standings do: cheap to ask for."""
    standings = await display_of(request).standings(visible(service_of(request), board, team))
    _ask_again(response, standings.is_pending)
    return schemas.Version(state=state_of(standings), pending=standings.is_pending)


@router.get("/api/boards/{board}/history", tags=["boards"], responses=problems(401, 404, 409, 429, 503))
async def board_history(request: Request, board: BoardName, team: Asker) -> schemas.History:
    """What the board showed of each team over time; always of the public queries."""
    service = service_of(request)
    settings = visible(service, board, team)

    def look(session: Session) -> schemas.History:
        return schemas.History.model_validate({"teams": history(session, service.contest(session, settings.name))})

    return await service.database.read(look)


@router.post(
    "/api/boards/{board}/submissions",
    tags=["submissions"],
    status_code=201,
    responses={**problems(400, 401, 404, 408, 409, 413, 415, 422, 429, 503), **SENT},
    openapi_extra=FILE,
)
async def submit(
    request: Request, response: Response, board: BoardName, team: Sender, key: Key = None, label: Label = ""
) -> schemas.Submitted:
    """Send a file, be scored. An invalid one says why and costs no attempt; 200 when it had been sent before.

    What takes long is answered with 202 while it is audited and scored: the Location says where to look.
    """
    service = service_of(request)
    settings = visible(service, board, team)
    called = clean(label) or ""
    sent, is_new = await service.submit(settings.name, team, body(request), key=clean(key), label=called)
    response.status_code = 202 if sent.state in UNDER_WAY else 201 if is_new else 200
    answer = await submitted(service, sent, is_new, team)
    response.headers["Location"] = f"/api/submissions/{sent.id}"
    _ask_again(response, sent.state in UNDER_WAY)
    return answer


def clean(text: str | None) -> str | None:
    """Text from a client as databases take it, without control characters; None when nothing is left."""
    kept = re.sub(r"[\x00-\x1f\x7f\ud800-\udfff]", " ", text or "").strip()
    return kept or None


async def submitted(service: Service, sent: Submission, is_new: bool, team: Team) -> schemas.Submitted:
    """What to answer to who sent a submission, which may still be under way.

    Raises:
        ApiError: it is invalid, over the limit, or could not be scored.
    """
    settings = service.board(sent.board)

    def look(session: Session) -> tuple[schemas.SubmissionState, submissions.Attempts, schemas.AttemptsState, str]:
        used = submissions.attempts(session, settings, team.id, service.now)
        left = attempts_state(service, session, settings, used)
        return submission_state(service, session, sent, team), used, left, service.ranked_by(session, settings.name)

    state, used, left, ranks = await service.database.read(look)
    if sent.state == REFUSED:
        raise invalid([finding.model_dump() for finding in state.audit.findings])
    if sent.state == OVER:
        raise used.refusal
    if sent.state == FAILED:
        why = message("this could not be scored, through no fault of yours; it costs nothing")
        raise ApiError(503, "failed", why, after=60)
    return schemas.Submitted(
        **state.model_dump(), rank_by=ranks, digits=settings.digits, is_new=is_new, attempts=left
    )


def attempts_state(
    service: Service, session: Session, board: BoardSettings, used: submissions.Attempts
) -> schemas.AttemptsState:
    """The counts for an answer; none are left where nothing is taken."""
    same = ("today", "total", "per_day", "most")
    counts = {name: getattr(used, name) for name in same}
    left = used.left if service.is_open(session, board, service.now) else 0
    is_last_day = submissions.is_closed(session, board, round(used.resets.timestamp() * 1000))
    return schemas.AttemptsState(**counts, left=left, resets=None if is_last_day else used.resets)


@router.post(
    "/api/boards/{board}/audits",
    tags=["submissions"],
    responses=problems(400, 401, 404, 408, 409, 413, 415, 422, 429, 503),
    openapi_extra=FILE,
)
async def check(request: Request, board: BoardName, team: Sender) -> schemas.Checked:
    """The audit of a file without submitting it: it costs no attempt and depends on no judgement."""
    service = service_of(request)
    settings = visible(service, board, team)
    audit = await service.check(settings.name, team, body(request))
    return schemas.Checked.model_validate({**audit.to_dict(), "valid": audit.is_valid})


@router.get(
    "/api/boards/{board}/submissions",
    tags=["submissions"],
    responses={**problems(401, 404, 409, 429, 503), **MORE},
)
async def own(
    request: Request, response: Response, board: BoardName, team: User, before: Before = None
) -> list[schemas.SubmissionState]:
    """A team's own submissions, the last first; to a host all of them. Up to 1,000, and a Link to those before."""
    states, is_last = await listed(request, visible(service_of(request), board, team), team, before)
    if not is_last:
        response.headers["Link"] = f'</api/boards/{board}/submissions?before={states[-1].id}>; rel="next"'
    return states


async def listed(
    request: Request, settings: BoardSettings, team: Team, before: str | None
) -> tuple[list[schemas.SubmissionState], bool]:
    """The last submissions that a viewer may see, or of those before one, up to `MOST`; and whether that is all.

    Raises:
        ApiError: there is no such submission among them.
    """
    service = service_of(request)

    def look(session: Session) -> tuple[list[schemas.SubmissionState], bool]:
        theirs = select(Submission).where(Submission.board == settings.name)
        if not team.is_host:
            theirs = theirs.where(Submission.account_id == team.id)
        if before:
            after = session.scalar(theirs.where(Submission.id == clean(before)))
            if after is None:
                raise not_found(message("submission"))
            at, id = after.received_at, after.id
            theirs = theirs.where(tuple_(-Submission.received_at, Submission.id) > tuple_(-at, id))
        rows = session.scalars(theirs.order_by(Submission.received_at.desc(), Submission.id).limit(MOST + 1)).all()
        shown = [submission_state(service, session, one, team, with_queries=False) for one in rows[:MOST]]
        return shown, len(rows) <= MOST

    return await service.database.read(look)


@router.get("/api/boards/{board}/attempts", tags=["submissions"], responses=problems(401, 404, 429))
async def attempts(request: Request, board: BoardName, team: User) -> schemas.AttemptsState:
    """How many submissions a team may still send."""
    service = service_of(request)
    settings = visible(service, board, team)

    def look(session: Session) -> schemas.AttemptsState:
        used = submissions.attempts(session, settings, team.id, service.now)
        return attempts_state(service, session, settings, used)

    return await service.database.read(look)


@router.get("/api/submissions/{id}", tags=["submissions"], responses={**problems(401, 404, 409, 429, 503), **SOON})
async def one(request: Request, response: Response, id: SubmissionId, team: User) -> schemas.SubmissionState:
    """One submission, for its team and for hosts; with Retry-After while it is being scored."""
    state = await shown_submission(service_of(request), id, team)
    _ask_again(response, state.state in UNDER_WAY)
    return state


@router.put(
    "/api/submissions/{id}/final",
    tags=["submissions"],
    responses=problems(400, 401, 404, 408, 409, 413, 422, 429),
)
async def set_final(
    request: Request, id: SubmissionId, team: Sender, choice: schemas.NewChoice
) -> schemas.SubmissionState:
    """Choose an entry of one's own to count at the end, or give it up; until the contest is over."""
    return await chosen(service_of(request), id, team, choice.final)


async def chosen(service: Service, id: str, team: Team, is_final: bool) -> schemas.SubmissionState:
    """A team's entry that counts at the end, or does not.

    Raises:
        ApiError: it is not theirs, or cannot be chosen now.
    """

    def change(session: Session) -> schemas.SubmissionState:
        submission = found(session, id)
        if submission.account_id != team.id:
            raise not_found(message("submission"))
        board = service.board(submission.board)
        if submissions.is_closed(session, board, service.now):
            raise ApiError(409, "not-open", message("this board is closed; nothing more is chosen"))
        submission = choose(session, board, submission.id, is_final, service.now)
        return submission_state(service, session, submission, team, with_queries=False)

    return await service.database.write(change)


@router.get(
    "/api/boards/{board}/queries",
    tags=["boards"],
    response_class=FileResponse,
    responses={**problems(401, 404, 409, 429), 200: {"content": {"application/octet-stream": {}}}},
)
async def queries(request: Request, board: BoardName, team: Asker) -> FileResponse:
    """The queries as the host offers them, from when the contest opens."""
    service = service_of(request)
    settings = visible(service, board, team)
    path = settings.download
    if path is None or not path.is_file():
        raise not_found(message("file"))
    if not offers_queries(service, settings):
        raise ApiError(409, "not-open", message("the queries are there from {time}", time=str(settings.opens)))
    return FileResponse(path, media_type="application/octet-stream", filename=path.name)


def found(session: Session, id: str) -> Submission:
    """A submission by its id, as a client writes it.

    Raises:
        ApiError: there is none.
    """
    submission = session.get(Submission, clean(id) or "")
    if submission is None:
        raise not_found(message("submission"))
    return submission


async def shown_submission(service: Service, id: str, team: Team) -> schemas.SubmissionState:
    """One submission, for its team and for hosts.

    Raises:
        ApiError: there is none, or it is another team's.
    """

    def look(session: Session) -> tuple[Submission, schemas.SubmissionState]:
        submission = found(session, id)
        return submission, submission_state(service, session, submission, team)

    submission, state = await service.database.read(look)
    if submission.state in UNDER_WAY:  # also one that the database's fault left lying
        service.processing.begin(submission)
    return state
