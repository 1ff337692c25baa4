"""`truerank submit` towards what is no board, with tokens as they are kept in files, and of files that are none."""

from __future__ import annotations

import io
import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from truerank.board.client import LABEL, NotTaken, address, submit
from truerank.cli import truerank
from truerank.core.errors import InputError

VALID = b'{"valid": true, "rows": 1, "answered": 1, "missing": 0, "format": "trec", "findings": []}'


@contextmanager
def answering(status: int, body: bytes, **headers: str) -> Iterator[Any]:
    """A web server that gives everybody this answer, and keeps what it was sent."""
    got: dict[str, Any] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got["body"] = self.rfile.read(int(self.headers["Content-Length"]))
            got["token"] = self.headers["Authorization"]
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield SimpleNamespace(board=f"http://127.0.0.1:{server.server_port}/boards/main", got=got)
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.run"
    path.write_text("q0 Q0 d00 1 1 t\n")
    return path


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (200, b"<html>please sign in</html>", "what answers at this address is no board: is the address right?"),
        (200, b"[]", "what answers at this address is no board: is the address right?"),
        (201, b'{"ok": true}', "what answers at this address is no board: is the address right?"),
        (404, b'{"detail": "Not Found"}', "status 404"),
        (413, b"<html>too large</html>", "status 413"),
    ],
)
def test_an_answer_that_is_no_boards_is_told(file: Path, status: int, body: bytes, said: str, check: bool) -> None:
    with answering(status, body) as server, pytest.raises(NotTaken, match=said):
        submit(file, server.board, "tr_x", check=check)


def test_an_address_that_leads_on_says_where_to(file: Path) -> None:
    target = "https://board.example/api/boards/main/submissions"
    with (
        answering(301, b"", Location=target) as server,
        pytest.raises(NotTaken, match=f"this address redirects to {target}"),
    ):
        submit(file, server.board, "tr_x")


def test_the_end_of_the_line_after_a_token_is_no_part_of_it(file: Path) -> None:
    with answering(200, VALID) as server:
        submit(file, server.board, " tr_x\r\n", check=True)
    assert server.got["token"] == "Bearer tr_x"


def test_a_label_that_is_too_long_is_told_before_anything_is_sent(file: Path) -> None:
    with answering(200, VALID) as server:
        with pytest.raises(InputError, match="at most 120 characters; this one has 121"):
            submit(file, server.board, "tr_x", label="x" * (LABEL + 1))
        assert not server.got


@pytest.mark.parametrize("token", ["tr_é", "tr_x y", "tr_\x00", " "])
def test_a_token_that_is_none_is_told_without_showing_it(file: Path, token: str) -> None:
    with pytest.raises(InputError, match="no token has") as error:
        submit(file, "http://127.0.0.1:9/boards/main", token)
    assert "tr_" not in str(error.value)


@pytest.mark.parametrize(
    "url",
    [
        *("http://[::1/boards/a", "http://host:port/boards/a", "http://host:99999/boards/a"),
        *("http:///boards/a", "http://a b/boards/a", "host/boards/a", "http://host/boards/"),
    ],
)
def test_an_address_as_no_board_has_is_told(url: str) -> None:
    with pytest.raises(InputError, match="--board is the address of a board"):
        address(url)


def test_a_name_that_no_host_has_is_told(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truerank.board.client.TRIES", 1)
    with pytest.raises(InputError, match="cannot be reached"):
        submit(file, "http://a..b/boards/main", "tr_x")


def test_a_file_that_grows_while_it_is_sent_is_told(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truerank.board.client._size", lambda path: path.stat().st_size - 1)
    with answering(200, VALID) as server, pytest.raises(InputError, match="changed while it was being sent"):
        submit(file, server.board, "tr_x", check=True)


@pytest.mark.parametrize("is_named", [False, True])
def test_what_comes_through_a_pipe_is_sent_as_a_file(tmp_path: Path, is_named: bool) -> None:
    sent, name = b"q0 Q0 d00 1 1 t\n" * 10_000, "-"
    if is_named:
        name = str(tmp_path / "pipe")
        os.mkfifo(name)
        threading.Thread(target=lambda: Path(name).write_bytes(sent), daemon=True).start()
    with answering(200, VALID) as server:
        args = ["submit", name, "--board", server.board, "--token", "tr_x", "--check"]
        done = CliRunner().invoke(truerank, args, input=io.BytesIO(sent))
    assert (done.exit_code, server.got["body"]) == (0, sent), done.output


def test_counts_are_whole_numbers_and_what_is_not_known_here_has_digits(file: Path) -> None:
    means = {"all": {"AP": 0.5, "NumRet": 40.0, "of_the_host": 2.0}}
    attempts = {"left": 1, "total": 1, "most": 9, "resets": None}
    said = {"score": 0.5, "ranks": "strict", "interval": None, "shown": None, "strict": means, "official": means}
    said |= {"id": "1", "rank_by": "AP", "attempts": attempts, "is_new": True, "audit": {"findings": []}}
    with answering(201, json.dumps(said | {"state": "scored"}).encode()) as server:
        done = CliRunner().invoke(truerank, ["submit", str(file), "--board", server.board, "--token", "tr_x"])
    rows = [line.split() for line in done.stdout.splitlines()]
    assert ["NumRet", "40", "40"] in rows
    assert ["of_the_host", "2.0000", "2.0000"] in rows
