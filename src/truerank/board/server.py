"""The server around the application: one process, stopped gracefully."""

from __future__ import annotations

import socket
from collections.abc import Callable

from truerank.board.app import create_app
from truerank.board.errors import BoardError
from truerank.board.logs import to_standard_error
from truerank.board.service import Service
from truerank.board.settings import ServiceSettings

PATIENCE = 30
"""Seconds that requests have to end when the service is stopped."""


def serve(
    settings: ServiceSettings,
    listening: socket.socket,
    proxy: str | None = None,
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Serve until SIGTERM or SIGINT; to be called where the instance is locked.

    Args:
        proxy: the address of a proxy whose X-Forwarded-For is believed.
        ready: called when requests are answered.

    Raises:
        BoardError: the boards cannot be served.
    """
    import uvicorn

    from truerank.board.connections import LimitedHTTP

    to_standard_error()
    config = uvicorn.Config(
        create_app(Service(settings)),
        http=LimitedHTTP,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=proxy is not None,
        forwarded_allow_ips=proxy or "",
        timeout_graceful_shutdown=PATIENCE,
        timeout_keep_alive=20,
        lifespan="on",
    )

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                ready()

    Server(config).run([listening])


def listen(host: str, port: int) -> socket.socket:
    """A socket that takes requests; port 0 takes any free one.

    Raises:
        BoardError: the address is not ours, or taken.
    """
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except (OSError, OverflowError) as error:
        raise BoardError(
            "cannot listen on {host}:{port}: {why}",
            host=host,
            port=port,
            why=getattr(error, "strerror", None) or error,
        ) from None
