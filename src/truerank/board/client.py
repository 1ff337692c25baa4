"""The other side: sends a file to a board, and again when the connection breaks; the board counts it once."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from truerank.errors import InputError, TruerankError

BLOCK = 1 << 18
TRIES = 4
WAIT = 600.0


class NotTaken(TruerankError):
    """The board did not take the file; the message is the board's, without the findings that it repeats.

    Attributes:
        problem: {"error", "message", "findings"}.
    """

    def __init__(self, problem: dict[str, Any]):
        message = str(problem.get("message", "the board gave no reason"))
        super().__init__(message.partition(": ")[0] if problem.get("findings") else message)
        self.problem = problem


def address(url: str) -> str:
    """The API's address of a board, from that of its page.

    >>> address("http://localhost:8000/boards/science/")
    'http://localhost:8000/api/boards/science'
    """
    parts = urlsplit(url)
    before, found, name = parts.path.rstrip("/").rpartition("/boards/")
    name = name.partition("/")[0]
    if parts.scheme not in ("http", "https") or not found or not name:
        raise InputError(f"--board is the address of a board, e.g. https://host/boards/science; not {url!r}")
    return f"{parts.scheme}://{parts.netloc}{before.removesuffix('/api')}/api/boards/{name}"


def submit(
    file: str | os.PathLike[str],
    url: str,
    token: str,
    *,
    label: str = "",
    check: bool = False,
    watch: Callable[[int], None] = lambda size: None,
) -> dict[str, Any]:
    """Send a file to a board; what the board answers.

    Args:
        url: of the board's page.
        check: only ask what is wrong with it, which costs nothing.
        watch: told how many bytes more were sent.

    Raises:
        NotTaken: the board refused it and says why.
        InputError: the file cannot be read, or the board not be reached.
    """
    import httpx

    path = Path(file)
    target = f"{address(url)}/{'audits' if check else 'submissions'}"
    headers = {
        "Authorization": f"Bearer {token}",
        "Content-Type": "application/octet-stream",
        "Content-Length": str(_size(path)),
        "Idempotency-Key": secrets.token_urlsafe(24),
    }
    given = {"label": label} if label and not check else {}
    with httpx.Client(timeout=httpx.Timeout(30.0, read=WAIT)) as client:
        for left in reversed(range(TRIES)):
            try:
                answer = client.post(target, params=given, headers=headers, content=_blocks(path, watch))
            except httpx.TransportError as error:
                if not left:
                    raise InputError(f"the board cannot be reached: {error}", url) from None
            else:
                if answer.status_code not in (502, 503, 504) or not left:
                    return _said(answer)
            time.sleep(2.0 ** (TRIES - left) / 4)
    raise AssertionError("unreachable")


def _said(answer: Any) -> dict[str, Any]:
    try:
        said = answer.json()
    except ValueError:
        said = {"error": "http", "message": f"the board answered with status {answer.status_code}"}
    if answer.status_code >= 400 or not isinstance(said, dict):
        raise NotTaken(said if isinstance(said, dict) else {})
    return said


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path) from None


def _blocks(path: Path, watch: Callable[[int], None]) -> Iterator[bytes]:
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            yield block
            watch(len(block))
