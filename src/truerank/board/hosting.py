"""What hosts do: let teams in and out, close a board, hand in its truth, take everything away as one file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request
from fastapi.responses import StreamingResponse
from sqlalchemy import select
from sqlalchemy.orm import Session

from truerank.board import entries, schemas, submissions, tokens
from truerank.board.api import BoardName, SubmissionId, a_file, clean, found, problems
from truerank.board.contests import Spec, load
from truerank.board.display import submission_state
from truerank.board.errors import ApiError, BoardError
from truerank.board.export import export_lines
from truerank.board.keys import secret
from truerank.board.models import COUNTED, Account, Board, Submission, Token, moment
from truerank.board.receiving import body
from truerank.board.security import host, host_by_token
from truerank.board.service import Service, Team, service_of
from truerank.board.settings import BoardSettings
from truerank.board.upload import Received, arrived
from truerank.core.messages import message

TokenId = Annotated[str, Path(pattern="^[A-Za-z0-9]{1,16}$")]
Number = Annotated[int, Path(ge=1, le=2**31 - 1)]

HostByToken = Annotated[Team, Depends(host_by_token)]

looking = APIRouter(tags=["hosts"], dependencies=[Depends(host)])
router = APIRouter(tags=["hosts"], dependencies=[Depends(host_by_token)])


@looking.get("/api/accounts", responses=problems(401, 403, 429))
async def accounts(request: Request) -> list[schemas.AccountState]:
    """All teams and hosts, and their tokens without the secrets."""

    def look(session: Session) -> list[schemas.AccountState]:
        theirs: defaultdict[int, list[schemas.TokenState]] = defaultdict(list)
        for token in session.scalars(select(Token).order_by(Token.created_at, Token.id)):
            theirs[token.account_id].append(tokens.state(token))
        return [
            schemas.AccountState(
                id=account.id,
                name=account.name,
                role=account.role,  # type: ignore[arg-type]
                contact=account.contact,
                created_at=moment(account.created_at),
                tokens=theirs[account.id],
            )
            for account in session.scalars(select(Account).order_by(Account.id))
        ]

    return await service_of(request).database.read(look)


@router.post("/api/accounts", status_code=201, responses=problems(400, 401, 403, 408, 409, 413, 422, 429))
async def add_account(request: Request, new: schemas.NewAccount) -> schemas.NewToken:
    """Let a team or a host in; the answer has its token, which is shown once."""
    return await account_added(service_of(request), new.name, new.role)


async def account_added(service: Service, name: str, role: str) -> schemas.NewToken:
    """A new account with its first token."""
    return await service.database.write(lambda session: tokens.add(session, name, role, service.now))


@router.post("/api/accounts/{id}/tokens", status_code=201, responses=problems(401, 403, 404, 422, 429))
async def add_token(request: Request, id: Number) -> schemas.NewToken:
    """Another token for an account."""
    service = service_of(request)
    return await service.database.write(lambda session: tokens.renew(session, id, service.now))


@router.delete("/api/tokens/{id}", responses=problems(401, 403, 404, 422, 429))
async def revoke(request: Request, id: TokenId) -> schemas.TokenState:
    """Refuse this token from now on."""
    service = service_of(request)
    return await service.database.write(lambda session: tokens.revoke(session, id, service.now))


@router.post("/api/accounts/{id}/approve", responses=problems(401, 403, 404, 422, 429))
async def approve(request: Request, id: Number) -> schemas.Approved:
    """Let in who asked to take part: the token that was handed out then is good from now on."""
    service = service_of(request)

    def change(session: Session) -> schemas.Approved:
        account = tokens.approve(session, id)
        return schemas.Approved(id=account.id, name=account.name)

    return await service.database.write(change)


@router.delete(
    "/api/accounts/{id}", status_code=204, response_model=None, responses=problems(401, 403, 404, 422, 429)
)
async def turn_away(request: Request, id: Number) -> None:
    """Forget who asked to take part; an account that was approved stays."""
    await service_of(request).database.write(lambda session: tokens.turn_away(session, id))


@router.put("/api/submissions/{id}/mark", responses=problems(400, 401, 403, 404, 408, 409, 413, 422, 429, 503))
async def set_mark(
    request: Request, id: SubmissionId, team: HostByToken, new: schemas.NewMark
) -> schemas.SubmissionState:
    """Withdraw or disqualify an entry, with a reason for everybody; or, with null, rank it again."""
    return await marked(service_of(request), id, team, new.mark, new.reason)


async def marked(service: Service, id: str, team: Team, word: str | None, reason: str) -> schemas.SubmissionState:
    """An entry that a host took out of the standings, or put back.

    Raises:
        ApiError: there is none, it is not scored, or no reason is given.
    """
    said = clean(reason) or ""

    def change(session: Session) -> schemas.SubmissionState:
        submission = found(session, id)
        submissions.locked_board(session, submission.board)
        contest = service.contest(session, submission.board)
        submission = entries.mark(session, submission.id, word, said[:500], contest, service.now)
        return submission_state(service, session, submission, team, with_queries=False)

    return await service.database.write(change)


@router.post("/api/boards/{board}/close", responses=problems(401, 403, 404, 422, 429))
async def close(request: Request, board: BoardName) -> schemas.Version:
    """Take no more submissions, and show the private scores."""
    return await set_closed(service_of(request), board, True)


@router.post("/api/boards/{board}/reopen", responses=problems(401, 403, 404, 422, 429))
async def reopen(request: Request, board: BoardName) -> schemas.Version:
    """Undo `close`; a closing time in board.toml stays."""
    return await set_closed(service_of(request), board, False)


async def set_closed(service: Service, name: str, is_closed: bool) -> schemas.Version:
    """Close a board by hand, or undo that."""
    board = service.board(name)

    def change(session: Session) -> schemas.Version:
        row = session.get_one(Board, board.name, with_for_update=True)
        if is_closed and row.closed_at is None:
            row.closed_at = service.now
        elif not is_closed:
            row.closed_at = None
        row.version += 1
        return schemas.Version(state=str(row.version))

    return await service.database.write(change)


@router.get(
    "/api/boards/{board}/export",
    response_class=StreamingResponse,
    responses={**problems(401, 403, 404, 422, 429), 200: {"content": {"application/x-ndjson": {}}}},
)
async def export(request: Request, board: BoardName) -> StreamingResponse:
    """Everything that is known of a board's submissions, one object per line."""
    service = service_of(request)
    settings = service.board(board)

    def lines() -> Iterator[str]:
        with service.database.reading() as session:
            yield from export_lines(session, settings.name)

    return StreamingResponse(lines(), media_type="application/x-ndjson")


@router.put(
    "/api/boards/{board}/truth",
    responses=problems(400, 401, 403, 404, 408, 409, 413, 415, 422, 429),
    openapi_extra=a_file("Qrels in any format; plain, gzip, zstd, bzip2 or xz."),
)
async def put_truth(request: Request, board: BoardName) -> schemas.Version:
    """Hand in the hidden truth; only while nothing was submitted."""
    service = service_of(request)
    settings = service.board(board)
    async with arrived(service.storage, settings, body(request)) as file:
        return await service.database.write(lambda session: _keep_truth(service, session, settings, file))


def _keep_truth(service: Service, session: Session, board: BoardSettings, file: Received) -> schemas.Version:
    row = session.get_one(Board, board.name, with_for_update=True)
    counted = select(Submission.id).where(Submission.board == board.name, Submission.state.in_(COUNTED))
    if session.scalar(counted.limit(1)):
        why = message(
            "there are submissions already; change board.toml and run `truerank board rescore {board}`",
            board=board.name,
        )
        raise ApiError(409, "too-late", why)
    key = secret(session, f"split:{board.name}")
    try:
        load(Spec.of(board, file.path, key, row.split))
    except BoardError as error:
        raise ApiError(422, "bad-truth", str(error).replace(str(file.path), "the file")) from None
    kept = service.storage.keep(file.path, file.sha256, "truth")
    row.truth, row.fingerprint, row.version = file.sha256, "", row.version + 1
    submissions.note_fingerprint(session, load(Spec.of(board, kept, key, row.split)))
    return schemas.Version(state=str(row.version))
