"""What hosts do: let teams in and out, close a board, hand in its truth, take everything away as one file."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request
from fastapi.responses import StreamingResponse
from sqlalchemy import select
from sqlalchemy.orm import Session

from truerank.board import schemas, tokens
from truerank.board.api import BoardName, a_file, problems, service_of
from truerank.board.contests import Spec, load, stamp
from truerank.board.display import moment
from truerank.board.export import export_lines
from truerank.board.models import ACCEPTED, COUNTED, Account, Board, Submission, Token
from truerank.board.receiving import body
from truerank.board.refusals import BoardError, Refusal, not_found
from truerank.board.security import host_by_token
from truerank.board.service import Service, Team, note_fingerprint, secret
from truerank.board.upload import Receiver

Host = Annotated[Team, Depends(host_by_token)]
TokenId = Annotated[str, Path(pattern="^[A-Za-z0-9]{1,16}$")]
Number = Annotated[int, Path(ge=1, le=2**31 - 1)]

router = APIRouter(tags=["hosts"])


@router.get("/api/accounts", responses=problems(401, 403, 429))
async def accounts(request: Request, host: Host) -> list[schemas.AccountState]:
    """All teams and hosts, and their tokens without the secrets."""
    return await service_of(request).database.read(all_accounts)


def all_accounts(session: Session) -> list[schemas.AccountState]:
    """All teams and hosts, and their tokens without the secrets."""
    theirs: dict[int, list[schemas.TokenState]] = {}
    for token in session.scalars(select(Token).order_by(Token.created_at, Token.id)):
        revoked = moment(token.revoked_at) if token.revoked_at is not None else None
        state = schemas.TokenState(id=token.id, created_at=moment(token.created_at), revoked_at=revoked)
        theirs.setdefault(token.account_id, []).append(state)
    return [
        schemas.AccountState(
            id=account.id,
            name=account.name,
            role=account.role,  # type: ignore[arg-type]
            created_at=moment(account.created_at),
            tokens=theirs.get(account.id, []),
        )
        for account in session.scalars(select(Account).order_by(Account.id))
    ]


@router.post("/api/accounts", status_code=201, responses=problems(400, 401, 403, 409, 413, 422, 429))
async def add_account(request: Request, new: schemas.NewAccount, host: Host) -> schemas.NewToken:
    """Let a team or a host in; the answer has its token, which nobody will see again."""
    return await account_added(service_of(request), new.name, new.role)


async def account_added(service: Service, name: str, role: str) -> schemas.NewToken:
    """A new account with its first token."""

    def add(session: Session) -> schemas.NewToken:
        account = tokens.add_account(session, name, role, service.now)
        token = tokens.add_token(session, account, service.now)
        return schemas.NewToken(account=account.id, name=account.name, token=token)

    return await service.database.write(add)


@router.post("/api/accounts/{id}/tokens", status_code=201, responses=problems(401, 403, 404, 422, 429))
async def add_token(request: Request, id: Number, host: Host) -> schemas.NewToken:
    """Another token for an account."""
    return await token_added(service_of(request), id)


async def token_added(service: Service, id: int) -> schemas.NewToken:
    """Another token for an account."""

    def add(session: Session) -> schemas.NewToken:
        account = session.get(Account, id)
        if account is None:
            raise not_found("account")
        token = tokens.add_token(session, account, service.now)
        return schemas.NewToken(account=id, name=account.name, token=token)

    return await service.database.write(add)


@router.delete("/api/tokens/{id}", responses=problems(401, 403, 404, 422, 429))
async def revoke(request: Request, id: TokenId, host: Host) -> schemas.TokenState:
    """Let nobody in by this token any more."""
    return await token_revoked(service_of(request), id)


async def token_revoked(service: Service, id: str) -> schemas.TokenState:
    """Let nobody in by this token any more."""

    def end(session: Session) -> schemas.TokenState:
        token = session.get(Token, id)
        if token is None:
            raise not_found("token")
        tokens.revoke(session, token, service.now)
        assert token.revoked_at is not None
        return schemas.TokenState(
            id=token.id, created_at=moment(token.created_at), revoked_at=moment(token.revoked_at)
        )

    return await service.database.write(end)


@router.post("/api/boards/{board}/close", responses=problems(401, 403, 404, 422, 429))
async def close(request: Request, board: BoardName, host: Host) -> schemas.Version:
    """Take no more submissions, and show the private scores."""
    return await set_closed(service_of(request), board, True)


@router.post("/api/boards/{board}/reopen", responses=problems(401, 403, 404, 422, 429))
async def reopen(request: Request, board: BoardName, host: Host) -> schemas.Version:
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
async def export(request: Request, board: BoardName, host: Host) -> StreamingResponse:
    """Everything that is known of a board's submissions, an object a line."""
    service = service_of(request)
    settings = service.board(board)

    def lines() -> Iterator[str]:
        with service.database.reading() as session:
            yield from export_lines(session, settings.name)

    return StreamingResponse(lines(), media_type="application/x-ndjson")


@router.put(
    "/api/boards/{board}/truth",
    responses=problems(400, 401, 403, 404, 408, 409, 413, 422, 429),
    openapi_extra=a_file("Qrels in any format; plain, gzip, zstd or bzip2."),
)
async def put_truth(request: Request, board: BoardName, host: Host) -> schemas.Version:
    """Hand in the hidden truth; only while nothing was submitted."""
    service = service_of(request)
    settings = service.board(board)
    receiver = Receiver(service.storage.incoming(), settings.upload, settings.unpacked)
    try:
        await body(request)(receiver)
        file = await asyncio.to_thread(receiver.finish)

        def keep(session: Session) -> schemas.Version:
            return _keep_truth(service, session, settings.name, file.path, file.sha256)

        return await service.database.write(keep)
    finally:
        receiver.drop()


def _keep_truth(service: Service, session: Session, name: str, path: FilePath, sha256: str) -> schemas.Version:
    row = session.get_one(Board, name, with_for_update=True)
    counted = select(Submission.id).where(Submission.board == name, Submission.state.in_((*COUNTED, ACCEPTED)))
    if session.scalar(counted.limit(1)):
        why = "there are submissions already; change board.toml and run `truerank board rescore`"
        raise Refusal(409, "too-late", why)
    spec = Spec(service.board(name), path, secret(session, f"split:{name}"))
    try:
        load(spec, stamp(spec))
    except BoardError as error:
        raise Refusal(422, "bad-truth", str(error).replace(str(path), "the file")) from None
    kept = service.storage.keep(path, sha256, "truth")
    row.truth, row.fingerprint, row.version = sha256, "", row.version + 1
    contest = load(Spec(spec.settings, kept, spec.key), stamp(Spec(spec.settings, kept, spec.key)))
    note_fingerprint(session, contest)
    return schemas.Version(state=str(row.version))
