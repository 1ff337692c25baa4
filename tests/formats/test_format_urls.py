"""What a web server sends, and what comes through a pipe: the bits of the dict, or what is wrong."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import truerank as tr
from truerank.formats import convert, source

pytest.importorskip("aiohttp")


class Whole(BaseHTTPRequestHandler):
    """Sends whole files and no parts of them, with or without their length, or half of what it promises."""

    folder: Path

    def do_HEAD(self) -> None:
        """The length alone."""
        self._send(b"")

    def do_GET(self) -> None:
        """All of it, or that there is none."""
        if self._file().exists():
            self._send(self._file().read_bytes())
        else:
            self.send_error(404)

    def _file(self) -> Path:
        return self.folder / self.path.split("/")[-1]

    def _send(self, data: bytes) -> None:
        self.send_response(200)
        if "lengthless" not in self.path:
            self.send_header("Content-Length", str(self._file().stat().st_size))
        self.end_headers()
        with suppress(OSError):  # who asks has read enough
            self.wfile.write(data[: len(data) // 2] if "half" in self.path else data)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """The address of a server of the files here."""
    handler = type("Here", (Whole,), {"folder": tmp_path})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize("path", ["", "lengthless/"])
@pytest.mark.parametrize("ending", ["run", "run.gz", "parquet", "csv.zst"])
def test_a_web_server_need_not_send_parts_of_files(ending, path, server, run_file, qrels, tmp_path, bits, expected):
    convert(run_file, tmp_path / f"a.{ending}")
    assert bits(qrels, f"{server}/{path}a.{ending}") == expected


def test_a_long_file_comes_in_one_request(server, tmp_path):
    rows = (f"q{n // 100} Q0 d{n % 100} 1 {n % 100} {'tag' * 500}\n" for n in range(5000))  # 7 MB
    (tmp_path / "long.run").write_text("".join(rows))
    qrels = {f"q{n}": ["d99", "d0"] for n in range(50)}
    assert set(tr.evaluate(qrels, f"{server}/long.run", "AP")["AP"]) == {(1 + 2 / 100) / 2}


def test_whether_a_file_is_compressed_is_asked_once(server, run_file, qrels, tmp_path, monkeypatch):
    convert(run_file, tmp_path / "a.parquet")
    remote, asked = source._remote, []
    monkeypatch.setattr(source, "_remote", lambda *of: asked.append(of) or remote(*of))
    tr.evaluate(qrels, f"{server}/a.parquet", "AP")
    assert len(asked) == 4  # the head, the compression, whether parts are sent, and all of it


@pytest.mark.parametrize("ending", ["run", "parquet"])
def test_a_connection_that_breaks_off_is_an_error(ending, server, run_file, qrels, tmp_path):
    convert(run_file, tmp_path / f"a.{ending}")
    with pytest.raises(tr.InputError, match=rf"half/a\.{ending}: cannot be read: .*not completed"):
        tr.evaluate(qrels, f"{server}/half/a.{ending}", "AP")


@pytest.mark.parametrize("ending", ["run", "parquet"])
def test_a_file_that_a_server_has_not_and_a_server_that_is_none_are_said(ending, server):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        nobody = f"http://127.0.0.1:{closed.getsockname()[1]}"
    for url in (f"{server}/missing.{ending}", f"{nobody}/a.{ending}"):
        with pytest.raises(tr.InputError, match=rf"^{url}: there is no such file, or nobody answers"):
            tr.evaluate({"q": ["a"]}, url, "AP")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="files of Windows are no pipes")
def test_a_pipe_of_which_no_copy_can_be_kept_is_refused(run_file, qrels, tmp_path, monkeypatch):
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(source, "IN_MEMORY", 100)
    monkeypatch.setattr("tempfile.TemporaryFile", full)
    os.mkfifo(tmp_path / "pipe")
    data = run_file.read_bytes()[:1000]
    threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(data,), daemon=True).start()
    with pytest.raises(tr.InputError, match=r"pipe: it comes only once, .*\(No space left on device\); set TMPDIR"):
        tr.evaluate(qrels, tmp_path / "pipe", "AP")
