"""Asking to take part, where the service allows it: an account that works once a host has approved."""

from __future__ import annotations

from fastapi import APIRouter, Request

from truerank.board import schemas, tokens
from truerank.board.api import clean, problems
from truerank.board.errors import not_found
from truerank.board.security import address
from truerank.board.service import service_of
from truerank.core.messages import message

router = APIRouter(tags=["registration"])


@router.post("/api/registrations", status_code=201, responses=problems(400, 404, 408, 409, 413, 422, 429, 503))
async def register(request: Request, new: schemas.NewRegistration) -> schemas.NewToken:
    """Ask to take part. The token in the answer works once a host has approved; it is shown once."""
    return await registered(request, new.name, new.contact)


async def registered(request: Request, name: str, contact: str) -> schemas.NewToken:
    """A new registration; few come from one address.

    Raises:
        ApiError: the service takes none, or not this one.
    """
    service = service_of(request)
    if not service.settings.registration:
        raise not_found(message("page"))
    service.registrations.check(address(request))
    said = (clean(contact) or "")[:200]
    return await service.database.write(lambda session: tokens.register(session, name, said, service.now))
