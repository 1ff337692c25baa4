"""Files out of requests: as the whole body, or as one field of a form; never held in memory."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

from starlette.requests import ClientDisconnect, Request

from truerank.board.errors import ApiError, no_form
from truerank.board.upload import Feed, Receiver
from truerank.core.messages import message

BATCH = 1 << 20
"""Bytes that are given to a thread at once."""

IDLE = 60
"""Seconds without a byte after which a sender is given up."""

SLOWEST = 1 << 15
"""Bytes a second below which, after the first minute, a sender is given up: others wait for its place."""

FIELD = 1 << 12
"""The most bytes of a form's other fields."""

OTHER = 1 << 17
"""The most bytes of a form that are not of its file: fields, headers, boundaries and what is between them."""


def body(request: Request) -> Feed:
    """The request's body as a file.

    Raises:
        ApiError: it is a form, which would be taken for the file.
    """
    if request.headers.get("content-type", "").lower().startswith("multipart/"):
        why = message(
            "the file is the body of the request, and no field of a form: curl --data-binary @FILE, not -F"
        )
        raise ApiError(415, "a-form", why)

    async def feed(receiver: Receiver) -> None:
        async for batch in _batches(request):
            await asyncio.to_thread(receiver.feed, batch)

    return feed


async def _batches(request: Request) -> AsyncIterator[bytes]:
    """The body in pieces that are worth a thread's while."""
    kept = bytearray()
    async for chunk in _patiently(request):
        kept += chunk
        if len(kept) >= BATCH:
            yield bytes(kept)
            kept.clear()
    if kept:
        yield bytes(kept)


async def _patiently(request: Request) -> AsyncIterator[bytes]:
    stream = request.stream()
    began, seen = time.monotonic(), 0
    try:
        while chunk := await asyncio.wait_for(anext(stream, b""), IDLE):
            seen += len(chunk)
            if time.monotonic() - began > IDLE + seen / SLOWEST:
                raise asyncio.TimeoutError
            yield chunk
    except (asyncio.TimeoutError, ClientDisconnect):
        raise ApiError(408, "too-slow", message("the file did not arrive whole; send it again")) from None


EVENTS = ("part_begin", "part_data", "header_field", "header_value", "header_end", "headers_finished")
"""What the parser of forms tells."""


class UploadForm:
    """A form with fields and then one file, read as it arrives.

    `begin` reads up to the file, so that the fields can be checked before a byte of it is kept.
    """

    def __init__(self, request: Request):
        from python_multipart.multipart import MultipartParser, parse_options_header

        kind, options = parse_options_header(request.headers.get("content-type", ""))
        if kind != b"multipart/form-data" or b"boundary" not in options:
            raise no_form(415)
        self._options = parse_options_header
        callbacks: Any = {f"on_{name}": getattr(self, f"_{name}") for name in EVENTS}
        self._parser = MultipartParser(options[b"boundary"], callbacks)
        self._batches = _batches(request)
        self.fields: dict[str, str] = {}
        self.has_file = False
        self._file = bytearray()
        self._other = 0
        self._header = self._value = b""
        self._field = ""

    async def begin(self) -> dict[str, str]:
        """The fields before the file."""
        while not self.has_file:
            batch = await anext(self._batches, b"")
            if not batch:
                break
            self._write(batch)
        return self.fields

    async def feed(self, receiver: Receiver) -> None:
        """The file."""
        await self._hand_on(receiver)
        async for batch in self._batches:
            self._write(batch)
            await self._hand_on(receiver)

    async def _hand_on(self, receiver: Receiver) -> None:
        data, self._file = bytes(self._file), bytearray()
        await asyncio.to_thread(receiver.feed, data)

    def _write(self, batch: bytes) -> None:
        from python_multipart.exceptions import FormParserError

        self._other += len(batch)
        try:
            self._parser.write(batch)
        except FormParserError:
            raise no_form() from None
        if self._other > OTHER:
            raise _too_large()

    def _part_begin(self) -> None:
        self._field = ""

    def _header_field(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]
        if len(self._value) > FIELD:
            raise no_form()

    def _header_end(self) -> None:
        if self._header.lower() == b"content-disposition":
            options: Any = self._options(self._value)[1]
            self._field = options.get(b"name", b"").decode("utf-8", "replace")
        self._header = self._value = b""

    def _headers_finished(self) -> None:
        self.has_file = self.has_file or self._field == "file"

    def _part_data(self, data: bytes, start: int, end: int) -> None:
        if self._field == "file":
            self._file += data[start:end]
            self._other -= end - start
            return
        text = self.fields.get(self._field, "") + data[start:end].decode("utf-8", "replace")
        if len(text) > FIELD or len(self.fields) > 16:
            raise _too_large()
        self.fields[self._field] = text


def _too_large() -> ApiError:
    return ApiError(413, "too-large", message("this form is too large"))
