"""What real attackers tried: bodies without end, silence, hostile forms, full disks, a second server."""

from __future__ import annotations

import asyncio
import json
import logging
import resource
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from starlette.requests import Request
from starlette.responses import PlainTextResponse

from board_worlds import Build, World, run
from truerank.board import connections, receiving, security
from truerank.board import instance_lock as locks
from truerank.board.backup import back_up
from truerank.board.database import Database
from truerank.board.errors import ApiError, BoardError
from truerank.board.instance_lock import instance_lock
from truerank.board.logs import JsonLines
from truerank.board.models import Board
from truerank.board.offline import opened, rescore
from truerank.board.settings import load

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def host_form(world: World) -> str:
    world.sign_in("host")
    return world.form("/host")


def test_a_form_with_too_many_fields_is_refused(build: Build, sqlite: str):
    world = build(sqlite)
    many = "&".join(f"a{n}=1" for n in range(50))
    assert world.client.post("/login", content=many, headers=FORM).status_code == 400


@pytest.mark.parametrize(
    ("what", "name", "status"),
    [
        ("revoke", "a%00b", 404),
        ("revoke", "%F0%9F%99%82", 404),
        ("token", "%D9%A3", 422),
        ("token", "999999999", 404),
        ("close", "..%2F..%2Fx", 404),
        ("add", "a%00b", 422),
        ("add", "%E2%80%AEtxt", 422),
        ("add", "%ED%A0%80", 200),  # bytes that are no UTF-8 become replacement characters, which are harmless
        ("add", "%F0%9D%92%B3%F0%9F%99%82", 200),
    ],
)
def test_hostile_names_in_a_hosts_form_break_nothing(build: Build, address: str, what: str, name: str, status: int):
    world = build(address)
    body = f"form={host_form(world)}&what={what}&name={name}"
    assert world.client.post("/host", content=body, headers=FORM).status_code == status


def test_whatever_can_be_looked_at_can_be_asked_about(build: Build, sqlite: str):
    world = build(sqlite)
    for path in ("/", "/boards/main", "/api/boards", "/healthz", "/static/board.css", "/boards/none"):
        asked, looked = world.client.head(path), world.client.get(path)
        assert (asked.status_code, asked.content) == (looked.status_code, b"")
        assert asked.headers["content-type"] == looked.headers["content-type"]


def test_a_redirect_never_names_the_host_that_a_request_claims(build: Build, sqlite: str):
    world = build(sqlite)
    answer = world.client.get("/boards/main/", headers={"Host": "evil.example"}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (307, "/boards/main")


def test_a_good_token_is_let_in_whoever_guesses_at_the_same_address(build: Build, sqlite: str):
    world = build(sqlite)
    wrong = {"Authorization": f"Bearer tr_{'a' * 12}_{'b' * 43}"}
    assert {world.client.get("/api/boards", headers=wrong).status_code for _ in range(40)} == {401, 429}
    assert world.client.get("/api/boards", headers=world.headers("A")).status_code == 200


def test_the_numbers_do_not_name_a_board_that_not_everybody_may_see(build: Build, sqlite: str):
    world = build(sqlite, 'visible = "teams"')
    assert world.submit("A", run()).status_code == 201
    text = world.client.get("/metrics").text
    assert 'truerank_submissions_total{board="hidden",state="scored"} 1.0' in text
    assert 'board="main"' not in text


def test_a_line_of_the_log_is_one_line_of_plain_text_whatever_was_asked_for():
    record = logging.makeLogRecord({"msg": "request", "fields": {"path": "/\n\x1b[2J\x9b2J\u2028é\ud800"}})
    line = JsonLines().format(record)
    assert line.isascii()
    assert line.isprintable()
    assert json.loads(line)["path"] == "/\n\x1b[2J\x9b2J\u2028é\ud800"


@contextmanager
def served() -> Iterator[int]:
    """An application behind our connections, which answers without reading what is sent to it."""

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        await PlainTextResponse("no")(scope, receive, send)

    config = uvicorn.Config(answer, http=connections.LimitedHTTP, log_config=None, lifespan="off", ws="none")
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nX-Half: ", b"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HT"])
def test_who_never_sends_the_head_of_a_request_is_not_waited_for(sent: bytes, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(connections, "HEAD", 0.3)
    with served() as port, socket.create_connection(("127.0.0.1", port), timeout=30) as client:
        client.sendall(sent)
        received = b""
        while data := client.recv(4096):
            received += data
    assert received.count(b"200 OK") == sent.count(b"\r\n\r\n")


def test_a_body_without_end_is_cut_off_after_its_answer(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(connections, "UNWANTED", 1 << 20)
    chunk = b"10000\r\n" + b"a" * 65536 + b"\r\n"
    with served() as port, socket.create_connection(("127.0.0.1", port), timeout=30) as client:
        client.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        with pytest.raises(ConnectionError):
            client.sendall(chunk * 10_000)


def request_of(pieces: list[bytes], pause: float) -> Request:
    """A request whose body comes a piece at a time."""
    left = list(pieces)

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(pause)
        return {"type": "http.request", "body": left.pop(0), "more_body": bool(left)}

    return Request({"type": "http", "method": "POST", "path": "/", "headers": []}, receive)


def test_who_sends_a_little_for_ever_is_given_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(receiving, "IDLE", 0.5)

    async def read() -> bytes:
        return b"".join([batch async for batch in receiving._batches(request_of([b"abc"] * 100, 0.02))])

    monkeypatch.setattr(receiving, "SLOWEST", 1)
    assert asyncio.run(read()) == b"abc" * 100
    monkeypatch.setattr(receiving, "SLOWEST", 10**9)
    with pytest.raises(ApiError) as caught:
        asyncio.run(read())
    assert caught.value.status == 408


def test_a_small_request_that_stops_half_way_is_given_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(security, "SOON", 0.2)
    waiting = asyncio.Event()

    async def receive() -> Any:
        await waiting.wait()

    with pytest.raises(ApiError) as caught:
        asyncio.run(security._limited(receive)())  # type: ignore[arg-type]
    assert caught.value.status == 408


def test_a_small_request_that_comes_a_byte_at_a_time_is_given_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(security, "WHOLE", 0.2)

    async def receive() -> Any:
        await asyncio.sleep(0.001)
        return {"type": "http.request", "body": b"", "more_body": True}

    async def read() -> None:
        limited = security._limited(receive)
        while True:
            await limited()

    with pytest.raises(ApiError) as caught:
        asyncio.run(read())
    assert caught.value.status == 408


@pytest.mark.parametrize("path", ["/login", "/api/registrations"])
def test_who_goes_away_half_way_is_no_fault_of_the_service(build: Build, sqlite: str, path: str):
    world = build(sqlite, more="registration = true")
    kind = b"application/json" if path.startswith("/api") else FORM["Content-Type"].encode()
    scope = {"type": "http", "method": "POST", "path": path, "headers": [(b"content-type", kind)]}
    scope |= {"query_string": b"", "scheme": "http", "client": None, "server": ("board", 80)}
    events = [{"type": "http.request", "body": b"token=", "more_body": True}, {"type": "http.disconnect"}]
    sent: list[Any] = []

    async def receive() -> Any:
        return events.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    world.client.portal.call(world.client.app, scope, receive, send)  # type: ignore[union-attr,arg-type]
    assert sent[0]["status"] == 408


def test_a_full_disk_is_told_and_nothing_half_written_stays(build: Build, sqlite: str):
    """No file may grow beyond 1 MB: a write fails in the middle, as where there is no room."""
    world = build(sqlite)
    world.add("A")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, limits[1]))
    try:
        answer = world.submit("A", run() * 2000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (answer.status_code, answer.json()["error"]) == (503, "no-room")
    assert list((world.folder / "data/incoming").iterdir()) == []
    assert world.submit("A", run()).status_code == 201


def test_a_file_that_is_no_database_is_told_in_one_line(tmp_path: Path):
    (tmp_path / "x").write_bytes(b"not a database" * 1000)
    with pytest.raises(BoardError, match="cannot be opened"):
        Database(f"sqlite:///{tmp_path / 'x'}")


def test_a_damaged_submission_is_never_scored_anew(build: Build, address: str):
    world = build(address)
    sent = world.submit("A", run(good=9)).json()
    path = world.service.storage.path(sent["sha256"])
    before = world.settled()["standings"]
    for damage in (lambda: path.write_text(run(good=3)), path.unlink):
        damage()
        with pytest.raises(BoardError, match="not the file that was submitted"):
            rescore(world.service.settings, world.service.database, "main", write=True)
        assert world.settled()["standings"] == before


def test_a_second_server_of_the_same_database_does_not_start(
    build: Build, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(locks, "PATIENCE", 0.2)
    world = build(address)
    settings = world.service.settings
    elsewhere: Callable[..., Any] = type(settings)
    other = elsewhere(**{**vars(settings), "data": tmp_path / "other"})
    with instance_lock(settings):
        for second in (settings, other):
            with pytest.raises(BoardError, match="another `truerank serve`"), instance_lock(second):
                pass
    with instance_lock(other):
        pass


@pytest.mark.parametrize(
    "other", ["sqlite:///{link}", "sqlite:///file:{link}?uri=true", "sqlite:///file:{file}?uri=true"]
)
def test_one_database_is_one_by_whatever_name(
    build: Build, sqlite: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: str
):
    monkeypatch.setattr(locks, "PATIENCE", 0.2)
    settings = build(sqlite).service.settings
    file, link = tmp_path / "board.sqlite", tmp_path / "elsewhere" / "link"
    link.parent.mkdir()
    link.symlink_to(file)
    second = replace(settings, data=tmp_path / "other", database=other.format(file=file, link=link))
    with (
        instance_lock(settings),
        pytest.raises(BoardError, match="another `truerank serve`"),
        instance_lock(second),
    ):
        pass
    with opened(second) as database:
        back_up(second, database, tmp_path / "backup")
    with opened(load(tmp_path / "backup/board.toml")) as copied, copied.reading() as session:
        assert session.get(Board, "main") is not None
