"""The web application: routes, errors and a life from start to stop."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import resources
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from sqlalchemy.exc import OperationalError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from truerank import __version__
from truerank.board import api, hosting, joining, views
from truerank.board.display import Display
from truerank.board.errors import ApiError, not_whole
from truerank.board.pages import render
from truerank.board.security import Guard
from truerank.board.service import Service
from truerank.core.messages import message
from truerank.present import palette


def create_app(service: Service) -> FastAPI:
    """The application of a service, which starts and stops with it."""

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        await service.start()
        yield
        await app.state.display.stop()
        await service.stop()

    app = FastAPI(
        title="truerank board",
        version=__version__,
        description="Submit a file, be scored, see where you stand.",
        lifespan=life,
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json",
        exception_handlers={
            ApiError: _refused,
            RequestValidationError: _invalid,
            HTTPException: _http,
            ClientDisconnect: _gone,
            OperationalError: _busy,
            Exception: _broken,
        },
    )
    app.state.service = service
    app.state.display = Display(service)
    for part in (api.router, joining.router, hosting.looking, hosting.router, views.router):
        app.router.routes.extend(part.routes)  # `include_router` makes each anew, at the first request of a process
    static = resources.files("truerank.board") / "pages" / "static"
    style = palette.css() + (static / "board.css").read_text("utf-8")
    app.add_route("/static/board.css", lambda request: Response(style, media_type="text/css"))
    app.mount("/static", StaticFiles(directory=str(static)), name="static")
    app.add_middleware(Guard, service=service)
    return app


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, ApiError)
    headers: dict[str, str] = {}
    if error.after is not None:
        headers["Retry-After"] = str(max(1, math.ceil(error.after)))
    if error.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    said = {"error": error.kind, "message": error.said, "findings": list(error.findings)}
    return _answer(request, error.status, said, headers)


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    wrong = [f"{'.'.join(map(str, one['loc'][1:] or one['loc']))}: {one['msg']}" for one in error.errors()]
    return _answer(request, 422, {"error": "invalid-request", "message": "; ".join(wrong), "findings": []})


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if isinstance(error.__cause__, ApiError):  # it came up while the framework read the body
        return await _refused(request, error.__cause__)
    if isinstance(error.__cause__, ClientDisconnect):
        return await _gone(request, error.__cause__)
    said = {"error": "http", "message": str(error.detail), "findings": []}
    return _answer(request, error.status_code, said, dict(error.headers or {}))


async def _gone(request: Request, error: Exception) -> Response:
    return await _refused(request, not_whole())


async def _busy(request: Request, error: Exception) -> Response:
    said = {"error": "busy", "message": message("the database does not answer; try again soon"), "findings": []}
    return _answer(request, 503, said, {"Retry-After": "5"})


async def _broken(request: Request, error: Exception) -> Response:
    said = {
        "error": "broken",
        "message": message("this is a fault of the service; its host will find it in the log"),
    }
    return _answer(request, 500, {**said, "findings": []})


def _answer(request: Request, status: int, said: dict[str, Any], headers: dict[str, str] | None = None) -> Response:
    """A problem as JSON, or as a page where a page was asked for."""
    if request.url.path.startswith(("/api/", "/healthz", "/metrics", "/static/")):
        return JSONResponse(said, status, headers)
    answer = render(request, "error.html", {"team": None, "form": "", "status": status, "problem": said}, status)
    answer.headers.update(headers or {})
    return answer
