"""HTTP endpoints: a URL with {query} and {k}, or a JSON body with them."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from truerank.core.errors import InputError, MissingPackage, TruerankError
from truerank.core.messages import joined, message
from truerank.live.adapters.answers import CUT, Call, Read, cut
from truerank.live.adapters.ids import IdReader
from truerank.live.adapters.json_answers import JsonAnswer
from truerank.live.adapters.libraries import OWN, release
from truerank.live.adapters.registry import adapter
from truerank.live.adapters.requests import Headers, Request, from_environment
from truerank.live.retriever import Retriever

if TYPE_CHECKING:
    import httpx


LONGEST = 1 << 26
"""Bytes that an answer may have: a server that never ends would fill the memory."""

TOO_LONG = message("the answer has more than {size} MiB", size=LONGEST >> 20)


@adapter("an HTTP endpoint", lambda target: float(isinstance(target, str) and "://" in target))
def http(
    target: str,
    *,
    ids: IdReader,
    asynchronous: bool | None = None,
    method: str | None = None,
    body: Any = None,
    headers: Headers = (),
    results: str | None = None,
    score: str = "score",
    scores: str | None = None,
    http_timeout: float = 30.0,
    redirects: bool = False,
    proxy: str | None = None,
) -> Retriever:
    """An endpoint that answers in JSON, over connections that are kept and reused.

    The clock runs from the request to the last byte of the body, decompressed; JSON is parsed after it stops.
    ${NAME} in the target, the body and the headers comes from the environment, and is not written into the result.

    Args:
        method: if not given, GET, or POST where there is a body.
        body: JSON, as text or values; {query} and {k} in its texts are replaced, a text that is "{k}" by a number.
        headers: "Name: value", or a mapping.
        results, score, scores: paths in the answer, see `JsonAnswer`; `ids` may be a path within a result.
        http_timeout: seconds to connect, and between two pieces of the answer.
        redirects: whether they are followed; if not, they are errors.
        proxy: the URL of one. Those in the environment are not used, so that none is timed unawares.
    """
    if not 0 < http_timeout < math.inf:
        raise InputError("http_timeout is a number of seconds above 0, not {seconds:g}", seconds=http_timeout)
    request = Request.of(target, method, body)
    sent = from_environment(headers)
    options = _options(request.headers(sent), http_timeout, redirects, proxy)
    call, close = _client(bool(asynchronous), request, options)
    read: Read = JsonAnswer(ids, results, score, scores).read
    if not request.has("{k}"):
        call, read = cut(partial(_without_k, call), read, asynchronous)
    return Retriever(
        name=request.shown.partition("?")[0],
        call=call,
        read=read,
        is_async=bool(asynchronous),
        close=close,
        describe={
            "kind": "HTTP",
            "library": release("httpx"),
            "url": request.shown,
            "method": request.method,
            "headers": ", ".join(sent) or "none of its own",
            "connections": "kept and reused, HTTP/1.1" + (", through a proxy" if proxy else ", no proxy"),
            "redirects": "followed" if redirects else "not followed: an error",
            "timeout": f"{http_timeout:g} s to connect and between pieces",
            "timed": "from the request to the last byte of the body, decompressed",
            "ids": ids.describe("the result's id"),
            "k": "{k} in the request" if request.has("{k}") else CUT,
            **({"async": OWN} if asynchronous else {}),
        },
    )


def _options(headers: dict[str, str], timeout: float, redirects: bool, proxy: str | None) -> dict[str, Any]:
    """What both kinds of client are made with: as many connections as there are calls at once."""
    try:
        import httpx
    except ImportError:
        raise MissingPackage(message("benchmarking an HTTP endpoint"), "http") from None
    return {
        "headers": headers,
        "timeout": timeout,
        "follow_redirects": redirects,
        "proxy": proxy,
        "trust_env": False,
        "verify": httpx.create_ssl_context(),
        "limits": httpx.Limits(max_connections=None, max_keepalive_connections=None),
    }


def _client(asynchronous: bool, request: Request, options: dict[str, Any]) -> tuple[Call, Callable[[], None]]:
    try:
        return _asynchronous(request, options) if asynchronous else _synchronous(request, options)
    except (AttributeError, ImportError, TypeError, ValueError) as error:  # only a proxy may still be wrong
        raise InputError("the HTTP client cannot be made: {error}", error=error) from None


def _without_k(call: Call, query: str) -> Any:
    return call(query, 0)


def _synchronous(request: Request, options: dict[str, Any]) -> tuple[Call, Callable[[], None]]:
    import httpx

    client = httpx.Client(**options)

    def call(query: str, k: int) -> bytes:
        with client.stream(**request.filled(query, k)) as response:
            body = bytearray()
            for piece in response.iter_bytes():
                body += piece
                if len(body) > LONGEST:
                    raise TruerankError(TOO_LONG)
        return _body(response, body)

    return call, client.close


def _asynchronous(request: Request, options: dict[str, Any]) -> tuple[Call, Callable[[], None]]:
    import httpx

    clients: dict[object, tuple[httpx.AsyncClient, AsyncIterator[None]]] = {}

    async def call(query: str, k: int) -> bytes:
        loop = asyncio.get_running_loop()
        client = clients[loop][0] if loop in clients else await _opened(clients, loop, options)
        async with client.stream(**request.filled(query, k)) as response:
            body = bytearray()
            async for piece in response.aiter_bytes():
                body += piece
                if len(body) > LONGEST:
                    raise TruerankError(TOO_LONG)
        return _body(response, body)

    with httpx.Client(**options):  # the one that is used is made on the event loop, where it cannot be reported
        pass
    return call, clients.clear


async def _opened(
    clients: dict[object, tuple[httpx.AsyncClient, AsyncIterator[None]]], loop: object, options: dict[str, Any]
) -> httpx.AsyncClient:
    """A client for this event loop, which closes it when it ends, as it does with open generators."""
    import httpx

    async def until_the_loop_ends() -> AsyncIterator[None]:
        try:
            yield
        finally:
            clients.pop(loop, None)
            await client.aclose()

    client = httpx.AsyncClient(**options)
    clients[loop] = client, until_the_loop_ends()
    await anext(clients[loop][1])
    return client


def _body(response: httpx.Response, body: bytearray) -> bytes:
    if response.is_success:
        return bytes(body)
    status = message("status {number} {reason}", number=response.status_code, reason=response.reason_phrase)
    if response.has_redirect_location:
        to = response.headers["location"].partition("?")[0].rpartition("@")[2]
        raise TruerankError(
            "{status}: redirected to {url}; redirects are followed only if asked for", status=status, url=to
        )
    begin = body[:80].decode("utf-8", "replace").rstrip(": ")
    raise TruerankError(joined(": ", [status, begin]) if begin else status)
