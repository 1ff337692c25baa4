"""Connections with limits: on the time until a request's head is there, and on the rest of an unwanted body."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD = 20.0
"""Seconds in which the head of a request arrives, or its connection is closed."""

UNWANTED = 32 << 20
"""Bytes that may come after the answer to a request, so that its sender can read that; then the line is cut."""


class LimitedHTTP(H11Protocol):
    """HTTP as uvicorn speaks it, with these limits; by itself uvicorn would wait, and read on, without end."""

    _late: asyncio.TimerHandle | None = None
    _unwanted = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """The connection is open."""
        super().connection_made(transport)
        self._expect()

    def data_received(self, data: bytes) -> None:
        """Something came."""
        super().data_received(data)
        is_wanted = not (self._is_waiting and self.conn.their_state is h11.SEND_BODY)
        self._unwanted = 0 if is_wanted else self._unwanted + len(data)
        if self._unwanted > UNWANTED:
            self.transport.abort()
        if self._is_waiting and self._late is None:
            self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is closed."""
        if self._late is not None:
            self._late.cancel()
        super().connection_lost(exc)

    @property
    def _is_waiting(self) -> bool:
        """Whether the next thing to come is a request's head."""
        return self.cycle is None or self.cycle.response_complete

    def _expect(self) -> None:
        self._late = self.loop.call_later(HEAD, self._close, self.cycle)

    def _close(self, before: object) -> None:
        self._late = None
        if self._is_waiting and self.cycle is before and not self.transport.is_closing():
            self.transport.close()
