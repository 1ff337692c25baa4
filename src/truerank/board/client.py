"""The other side: sends a file to a board, and again when the connection breaks; the board counts it once."""

from __future__ import annotations

import os
import re
import secrets
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from truerank.core.errors import InputError, TruerankError
from truerank.core.messages import Message, joined, message
from truerank.core.run import Progress, unreported, watching

BLOCK = 1 << 18
TRIES = 4
WAIT = 600.0
SLOWEST = 30
"""The most seconds between two looks at a submission that takes long."""

LABEL = 120
"""The most characters of a label, as the board's API says."""

UNDER_WAY = ("received", "accepted")
"""The states of a submission that do not last."""


class NotTaken(TruerankError):
    """The board did not take the file; the message is the board's, without the findings that it repeats.

    Attributes:
        problem: {"error", "message", "findings"}.
    """

    def __init__(self, problem: dict[str, Any]):
        invalid = message("the submission is invalid and costs nothing")
        reason = problem["message"]
        super().__init__(invalid if problem.get("findings") else joined("", [reason]))
        self.problem = problem


def address(url: str) -> str:
    """The API's address of a board, from that of its page.

    >>> address("http://localhost:8000/boards/science/")
    'http://localhost:8000/api/boards/science'
    """
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and parts.port != 0 and not re.search(r"\s", parts.netloc)
    except ValueError:  # brackets or a port as no address has them
        parts, is_address = urlsplit(""), False
    before, separator, name = parts.path.rstrip("/").rpartition("/boards/")
    name = name.partition("/")[0]
    if not (is_address and parts.hostname and separator and name):
        raise InputError(
            "--board is the address of a board, e.g. https://host/boards/science; not {url!r}", url=url
        )
    return f"{parts.scheme}://{parts.netloc}{before.removesuffix('/api')}/api/boards/{name}"


def submit(
    file: str | os.PathLike[str],
    url: str,
    token: str,
    *,
    label: str = "",
    check: bool = False,
    progress: Progress = unreported,
    follow: Callable[[str], None] = lambda state: None,
) -> dict[str, Any]:
    """Send a file to a board and wait until it is scored; what the board answers.

    Args:
        url: of the board's page.
        check: only ask what is wrong with it, which costs nothing.
        progress: called with how many bytes were sent, and of how many; anew where sending is tried again.
        follow: called with the state of a submission that takes long, after each request for it.

    Raises:
        NotTaken: the board refused it and says why.
        InputError: the file cannot be read, the token is none, the label is too long, or the board cannot be
            reached.
    """
    import httpx

    if len(label) > LABEL:
        raise InputError("a label has at most {most} characters; this one has {n}", most=LABEL, n=len(label))
    path = Path(file)
    target = f"{address(url)}/{'audits' if check else 'submissions'}"
    headers = {
        "Authorization": f"Bearer {_as_token(token)}",
        "Content-Type": "application/octet-stream",
        "Content-Length": str(_size(path)),
        "Idempotency-Key": secrets.token_urlsafe(24),
    }
    given = {"label": label} if label and not check else {}
    with httpx.Client(timeout=httpx.Timeout(30.0, read=WAIT)) as client:

        def send() -> Any:
            return client.post(target, params=given, headers=headers, content=_blocks(path, progress))

        answer = _answered(send, url)
        said = _said(answer, "valid" if check else "state")
        return _followed(client, answer, said, url, headers, follow) if answer.status_code == 202 else said


def _answered(ask: Callable[[], Any], url: str) -> Any:
    """An answer; asked for again while the connection breaks or the service is away."""
    import httpx

    for left in reversed(range(TRIES)):
        try:
            answer = ask()
        except (httpx.TransportError, httpx.InvalidURL, UnicodeError) as error:  # also a name that no host has
            if not left:
                raise InputError("the board cannot be reached: {error}", url, error=error) from None
        else:
            if answer.status_code not in (502, 503, 504) or not left:
                return answer
        time.sleep(2.0 ** (TRIES - left) / 4)
    raise AssertionError("unreachable")


def _followed(
    client: Any, first: Any, said: dict[str, Any], url: str, headers: dict[str, str], follow: Callable[[str], None]
) -> dict[str, Any]:
    """What becomes of a submission that the board took and scores later.

    Raises:
        NotTaken: it is invalid, over the limit, or could not be scored.
    """
    shown = {"Authorization": headers["Authorization"]}
    where, answer = urljoin(url, first.headers["Location"]), first
    while said["state"] in UNDER_WAY:
        follow(said["state"])
        time.sleep(_pause(answer))
        answer = _answered(lambda: client.get(where, headers=shown), url)
        if answer.status_code != 429:  # asked too often: it says when to ask again
            said = {**said, **_said(answer, "state")}
    if said["state"] != "scored":
        raise NotTaken(_problem(said))
    used = _answered(lambda: client.get(f"{address(url)}/attempts", headers=shown), url)
    return {**said, "attempts": _said(used, "left")}


def _pause(answer: Any) -> float:
    """Seconds after which to ask again."""
    after = str(answer.headers.get("Retry-After", ""))
    return float(min(int(after), SLOWEST)) if after.isdecimal() else 1.0


def _problem(said: dict[str, Any]) -> dict[str, Any]:
    """Why a submission was not scored, as the board says it at once of one that takes less long."""
    findings = said["audit"]["findings"]
    why = "; ".join(finding["message"] for finding in findings if finding["refuses"])
    words = {
        "refused": ("invalid", message("the submission is invalid and costs nothing: {why}", why=why)),
        "over": (
            "no-attempts",
            message("no submissions of this team were left when it was audited; it costs nothing"),
        ),
    }
    lost = ("failed", message("this could not be scored, through no fault of yours; it costs nothing"))
    error, reason = words.get(said["state"], lost)
    return {"error": error, "message": reason, "findings": findings if said["state"] == "refused" else []}


def _as_token(text: str) -> str:
    """A token as a header takes it, without the end of the line that it was read with."""
    token = text.strip()
    if not re.fullmatch(r"[!-~]+", token):
        raise InputError("the token has blanks or letters that no token has; copy it anew")
    return token


def _said(answer: Any, key: str) -> dict[str, Any]:
    """What a board answers.

    Args:
        key: what every such answer has; one without it is of something else: a proxy, a page to sign in.
    """
    try:
        said = answer.json()
    except ValueError:
        said = None
    if not isinstance(said, dict) or (key if answer.is_success else "message") not in said:
        raise NotTaken({"error": "http", "message": _no_board(answer)})
    if not answer.is_success:
        raise NotTaken(said)
    return said


def _no_board(answer: Any) -> Message:
    if answer.has_redirect_location:
        where = urljoin(str(answer.url), answer.headers["Location"])
        return message(
            "this address redirects to {address}: give --board the address of the board itself",
            address=where,
        )
    if answer.is_success:
        return message("what answers at this address is no board: is the address right?")
    return message("the board answered with status {status}", status=answer.status_code)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError as error:
        raise InputError("cannot be read: {why}", path, why=error.strerror) from None


def _blocks(path: Path, progress: Progress) -> Iterator[bytes]:
    left = _size(path)
    watch = watching(progress, left)
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            left -= len(block)
            if left < 0:
                break
            yield block
            watch(len(block))
    if left:
        raise InputError("the file changed while it was being sent; send it when it is whole", path)
