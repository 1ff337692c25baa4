"""Strangers, forged cookies, forms of other sites, hostile names, bombs and paths."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import os
import re
import zlib
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import zstandard

from board_worlds import Build, run
from truerank.board import keys, security, tokens
from truerank.board.errors import ApiError
from truerank.board.models import Secret, Token
from truerank.board.rates import Rate
from truerank.board.sessions import LIFE, Signer
from truerank.board.storage import Storage
from truerank.board.upload import Receiver

EVIL = "</script><script>alert(1)</script>\"'<b>"


def test_only_a_digest_of_a_token_is_kept(build: Build, address: str):
    world = build(address)
    token = world.add("A")
    with world.service.database.reading() as session:
        kept = session.query(Token).one()
        assert kept.digest == hashlib.sha256(token.encode()).hexdigest()
        assert token.split("_", 2)[2] not in repr(vars(kept))
        assert len(token.split("_", 2)[2]) == 43  # 256 bits


def test_wrong_revoked_and_missing_tokens_get_the_same_answer(build: Build, address: str):
    world = build(address)
    token = world.add("A")
    with world.service.database.writing() as session:
        account, kept = tokens.find(session, token)  # type: ignore[misc]
        other = tokens.add_token(session, account, 0)
        tokens.revoke(session, kept.id, 5)
    bad = [token, other[:-1] + ("A" if other[-1] != "A" else "B"), "tr_x", "é", ""]
    answers = [
        world.client.get("/api/boards/main/attempts", headers={"Authorization": f"Bearer {text}".encode()})
        for text in bad
    ]
    answers.append(world.client.get("/api/boards/main/attempts"))
    assert {(answer.status_code, answer.content) for answer in answers} == {(401, answers[0].content)}
    good = world.client.get("/api/boards/main/attempts", headers={"Authorization": f"Bearer {other}"})
    assert good.status_code == 200


def test_guessing_tokens_is_slowed_down(build: Build, sqlite: str):
    world = build(sqlite)
    wrong = {"Authorization": f"Bearer tr_{'a' * 12}_{'b' * 43}"}
    statuses = [world.client.get("/api/boards", headers=wrong).status_code for _ in range(30)]
    assert statuses[0] == 401
    assert statuses[-1] == 429


def test_asking_and_sending_too_often_is_slowed_down(build: Build, sqlite: str):
    world = build(sqlite)
    asked = {"content": "x", "headers": world.headers("A")}
    sent = [world.client.post("/api/boards/main/audits", **asked) for _ in range(45)]
    assert sent[0].status_code == 200
    assert (sent[-1].status_code, sent[-1].json()["error"]) == (429, "too-often")
    assert int(sent[-1].headers["retry-after"]) >= 1
    assert world.submit("B", run()).status_code == 201


@pytest.mark.parametrize(("per_second", "seconds"), [(4.0, "1 second"), (0.8, "2 seconds")])
def test_who_comes_again_after_as_long_as_it_says_is_let_in(
    build: Build, sqlite: str, per_second: float, seconds: str
):
    world, now = build(sqlite), 0.0
    world.service.requests = Rate(1, per_second, clock=lambda: now)
    ask = partial(world.client.get, "/api/boards/main/attempts", headers=world.headers("A"))
    assert ask().status_code == 200
    refused = ask()
    assert refused.json()["message"] == f"too many requests; try again in {seconds}"
    now = float(refused.headers["retry-after"])
    assert ask().status_code == 200


def test_a_cookie_is_ours_unchanged_and_young():
    signer = Signer(b"k" * 32)
    cookie = signer.cookie("token", 1000)
    assert signer.read(cookie, 1001).token == "token"  # type: ignore[union-attr]
    assert signer.read(cookie, 1000 + LIFE) is None
    assert Signer(b"other").read(cookie, 1001) is None
    changed = {cookie[:i] + "x" + cookie[i + 1 :] for i in range(len(cookie))} - {cookie}
    assert all(signer.read(other, 1001) is None for other in changed)
    assert signer.read("", 0) is None
    assert signer.read("é.é", 0) is None


def test_signing_in_gives_a_strict_cookie_that_ends_with_the_token(build: Build, address: str):
    world = build(address)
    token = world.add("A")
    answer = world.client.post("/login", data={"token": token}, follow_redirects=False)
    cookie = answer.headers["set-cookie"].lower()
    assert all(word in cookie for word in ("httponly", "samesite=strict", "path=/"))
    assert "Signed in as" in world.client.get("/").text
    with world.service.database.writing() as session:
        tokens.revoke(session, session.query(Token).one().id, 1)
    assert "Signed in as" not in world.client.get("/").text


def test_a_cookie_is_good_no_more_after_signing_out(build: Build, address: str):
    world = build(address)
    cookies = []
    for _ in range(2):
        world.client.cookies.clear()
        world.sign_in("A")
        cookies.append(dict(world.client.cookies))
    form = world.form("/")
    world.client.cookies.clear()

    def is_signed_in(cookie: dict[str, str]) -> bool:
        return "Signed in as" in world.client.get("/", headers=headers(cookie)).text

    def headers(cookie: dict[str, str]) -> dict[str, str]:
        return {"Cookie": "; ".join(f"{name}={value}" for name, value in cookie.items())}

    for _ in range(2):
        world.client.post("/logout", data={"form": form}, headers=headers(cookies[1]), follow_redirects=False)
        assert [is_signed_in(cookie) for cookie in cookies] == [True, False]
        world.clock[0] += LIFE - 10
    world.clock[0] += 20
    with world.service.database.writing() as session:
        keys.end(session, "another", world.clock[0])
        ended = [secret.name for secret in session.query(Secret) if secret.name.startswith("ended:")]
    assert ended == ["ended:another"]


def test_by_https_the_cookie_is_secure(build: Build, sqlite: str):
    world = build(sqlite, more="is_secure = true")
    answer = world.client.post("/login", data={"token": world.add("A")}, follow_redirects=False)
    assert answer.headers["set-cookie"].startswith("__Host-")
    assert "secure" in answer.headers["set-cookie"].lower()


def test_signing_in_leads_nowhere_else(build: Build, sqlite: str):
    world = build(sqlite)
    token = world.add("A")
    for path in ("https://evil.example", "//evil.example", "/\\evil.example", "javascript:x", "/a\r\nb"):
        answer = world.client.post("/login", data={"token": token, "next": path}, follow_redirects=False)
        assert answer.headers["location"] == "/"


def test_what_is_for_hosts_is_closed_to_everybody_else(build: Build, sqlite: str):
    world = build(sqlite)
    routes = [
        (method, path.replace("{board}", "main").replace("{id}", "1"))
        for path, operations in world.client.get("/openapi.json").json()["paths"].items()
        for method, operation in operations.items()
        if "hosts" in operation.get("tags", ())
    ]
    assert len(routes) == 11
    for method, path in routes:
        answers = [world.client.request(method, path, headers=who) for who in ({}, world.headers("A"))]
        assert [answer.status_code for answer in answers] == [401, 403], (method, path)
    for path in ("/host", "/host/main.jsonl"):
        world.client.cookies.clear()
        assert world.client.get(path).status_code == 401
        world.sign_in("A")
        assert world.client.get(path).status_code == 403
        world.sign_in("host")
        assert world.client.get(path).status_code == 200


def test_a_form_of_another_site_changes_nothing(build: Build, sqlite: str):
    world = build(sqlite)
    world.sign_in("host")
    form = world.form("/host")
    data = {"what": "close", "name": "main"}
    for given, headers in (
        ({}, {}),
        ({"form": "x"}, {}),
        ({"form": form}, {"Origin": "https://evil.example"}),
        ({"form": form}, {"Sec-Fetch-Site": "cross-site"}),
    ):
        answer = world.client.post("/host", data={**data, **given}, headers=headers, follow_redirects=False)
        assert answer.status_code == 403
    assert world.board()["is_open"]
    answer = world.client.post("/host", data={**data, "form": form}, follow_redirects=False)
    assert answer.status_code == 303
    assert world.board()["is_closed"]


def test_a_cookie_alone_changes_nothing_through_the_api(build: Build, sqlite: str):
    world = build(sqlite)
    world.sign_in("host")
    assert world.client.post("/api/boards/main/close").status_code == 401
    assert world.client.post("/api/boards/main/submissions", content=run()).status_code == 401


def test_the_form_submits_checks_and_counts_once(build: Build, address: str):
    world = build(address)
    world.sign_in("A")
    page = world.client.get("/boards/main/submissions").text
    fields = dict(re.findall(r'name="(form|key)" value="([^"]+)"', page))

    def send(text: str, **more: str) -> Any:
        files = {"file": ("../../etc/passwd", text)}
        return world.client.post("/boards/main/submissions", data={**fields, **more}, files=files)

    checked = send("q0 Q0 d\n", what="check")
    assert checked.status_code == 200
    assert "6 columns" in checked.text
    bad = send("q0 Q0 d\n", key="another")
    assert "6 columns" in bad.text
    assert "invalid" in bad.text
    good = [send(run(), label="one") for _ in range(2)]
    assert all("scored" in answer.text for answer in good)
    assert world.client.get("/api/boards/main/attempts").json()["total"] == 1
    assert send(run(), form="x").status_code == 403
    assert world.client.post("/boards/main/submissions", data=fields).status_code == 415
    assert not [path for path in world.folder.rglob("*") if "passwd" in path.name]


PART = b'--x\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n'


@pytest.mark.parametrize(
    "more", [PART % (b"a", b"") * 40_000, b"--x--" + b"\r\n" * 1_000_000], ids=["parts", "epilogue"]
)
def test_a_form_is_limited_outside_its_file_too(build: Build, sqlite: str, more: bytes):
    world = build(sqlite)
    world.sign_in("A")
    fields = dict(
        re.findall(r'name="(form|key)" value="([^"]+)"', world.client.get("/boards/main/submissions").text)
    )
    data = b"".join(PART % (name.encode(), value.encode()) for name, value in fields.items())
    data += PART % (b"file", run().encode() * 5000)
    headers = {"Content-Type": "multipart/form-data; boundary=x"}

    def send(content: bytes) -> int:
        return world.client.post("/boards/main/submissions", content=content, headers=headers).status_code

    assert send(data + more) == 413
    assert send(data.replace(run().encode() * 5000, run().encode()) + b"--x--\r\n") == 200
    assert world.client.get("/api/boards/main/attempts").json()["total"] == 1


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("\u00c9quipe", "E\u0301quipe"),
        ("Team 001", "team 001\u3164"),
        ("Team 1", "\uff34eam\u3000\u2460"),
        ("a", "a\ufe0f"),
    ],
)
def test_a_name_that_looks_like_another_is_taken(build: Build, address: str, name: str, other: str):
    world = build(address)

    def add(name: str) -> Any:
        return world.client.post("/api/accounts", json={"name": name}, headers=world.headers("host"))

    assert add(name).status_code == 201
    taken = add(other)
    assert (taken.status_code, taken.json()["error"]) == (409, "name-taken")
    assert repr(name) in taken.json()["message"]
    assert add(f"{name}b").status_code == 201


@pytest.mark.parametrize("name", ["\u3164", "\u2800", "\u2800 \u3164\ufe0f", "\u034f", "\u0301"])
def test_a_name_that_nobody_can_see_is_refused(build: Build, sqlite: str, name: str):
    world = build(sqlite)
    answer = world.client.post("/api/accounts", json={"name": name}, headers=world.headers("host"))
    assert (answer.status_code, answer.json()["error"]) == (422, "bad-name")


def test_hosts_pages_are_for_hosts(build: Build, sqlite: str):
    world = build(sqlite)
    assert world.client.get("/host").status_code == 401
    world.sign_in("A")
    assert world.client.get("/host").status_code == 403
    world.sign_in("host")
    made = world.client.post("/host", data={"form": world.form("/host"), "what": "add", "name": "New"})
    token = re.search(r"tr_[a-z0-9]{12}_[\w-]{43}", made.text)
    assert token
    assert token[0] not in world.client.get("/host").text


def test_hostile_names_are_escaped_everywhere(build: Build, address: str):
    world = build(address)
    world.add(EVIL)
    assert world.submit(EVIL, run()).status_code == 201
    labelled = world.client.post(
        "/api/boards/main/submissions", params={"label": EVIL}, content=run(good=3), headers=world.headers(EVIL)
    )
    bad = world.submit(EVIL, f"{EVIL.replace(' ', '')} Q0 d 1 1 t\n")
    world.sign_in(EVIL)
    ids = [labelled.json()["id"]]
    pages = ["/", "/boards/main", "/boards/main/submissions", f"/submissions/{ids[0]}", f"/boards/{EVIL}"]
    for path in pages:
        text = world.client.get(path).text
        assert "<script>alert" not in text
        assert "<b>" not in text
    assert bad.status_code == 422
    assert bad.headers["content-type"] == "application/json"


def test_every_answer_carries_the_headers_and_no_page_has_anything_inline(build: Build, sqlite: str):
    world = build(sqlite)
    world.submit("A", run())
    world.sign_in("host")
    id = world.client.get("/api/boards/main/submissions").json()[0]["id"]
    for path in (
        "/",
        "/boards/main",
        "/boards/main/submissions",
        f"/submissions/{id}",
        "/login",
        "/host",
        "/nothing",
        "/api/nothing",
        "/static/board.css",
    ):
        answer = world.client.get(path)
        policy = answer.headers["content-security-policy"]
        assert "unsafe" not in policy
        assert "default-src 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        if answer.headers["content-type"].startswith("text/html"):
            assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=|javascript:", answer.text)


def test_pages_speak_english_and_korean(build: Build, sqlite: str):
    world = build(sqlite)
    assert '<html lang="en">' in world.client.get("/boards/main").text
    korean = world.client.get("/boards/main", headers={"Accept-Language": "ko-KR,ko;q=0.9,en;q=0.5"})
    assert '<html lang="ko">' in korean.text
    assert "아직 채점된 팀이 없습니다" in korean.text
    assert "Sign in" in world.client.get("/boards/main?lang=en", headers={"Accept-Language": "ko"}).text


def bomb(kind: str, size: int) -> bytes:
    zeros = b"\0" * (1 << 20)
    packer: Any = {
        "gz": lambda: zlib.compressobj(9, zlib.DEFLATED, 31),
        "bz2": bz2.BZ2Compressor,
        "zst": lambda: zstandard.ZstdCompressor(level=3).compressobj(),
    }[kind]()
    parts = [packer.compress(zeros) for _ in range(size >> 20)]
    return b"".join([*parts, packer.flush()])


@pytest.mark.parametrize("kind", ["gz", "bz2", "zst"])
def test_a_bomb_ends_early(kind: str, tmp_path: Path):
    """What decompresses to 300 MB is given up long before, with little memory."""
    import tracemalloc

    data = bomb(kind, 300 << 20)
    receiver = Receiver(tmp_path / "f", 1 << 30, 1 << 30)
    tracemalloc.start()
    with pytest.raises(ApiError) as caught:
        receiver.feed(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    receiver.drop()
    assert caught.value.kind == "too-dense"
    assert receiver.unpacked < 100 << 20
    assert peak < 64 << 20


def test_limits_of_size_hold_as_sent_and_decompressed(build: Build, sqlite: str):
    world = build(sqlite, 'upload = "900 B"\nunpacked = "4 KB"')
    assert world.submit("A", run(queries=4)).status_code == 201
    large = world.submit("A", run())
    assert (large.status_code, large.json()["error"]) == (413, "too-large")
    packed = gzip.compress(run(queries=20).encode() * 4)
    assert len(packed) < 900
    assert world.submit("A", packed).json()["error"] == "too-large"
    assert list((world.folder / "data/incoming").iterdir()) == []


@pytest.mark.parametrize("kind", ["gz", "bz2", "zst"])
def test_members_one_after_another_are_counted_to_the_last(kind: str, tmp_path: Path):
    pack = {"gz": gzip.compress, "bz2": bz2.compress, "zst": zstandard.compress}[kind]
    text = bytes(range(256)) * 400
    receiver = Receiver(tmp_path / "f", 1 << 30, 1 << 30)
    data = pack(text) + pack(text[:5000]) + pack(b"")
    for i in range(0, len(data), 777):
        receiver.feed(data[i : i + 777])
    file = receiver.finish()
    assert file.unpacked == len(text) + 5000
    assert (file.size, file.sha256) == (len(data), hashlib.sha256(data).hexdigest())


@pytest.mark.parametrize("kind", ["gz", "bz2", "zst"])
def test_damaged_and_cut_off_files_are_invalid_and_cost_nothing(build: Build, sqlite: str, kind: str):
    world = build(sqlite)
    pack = {"gz": gzip.compress, "bz2": bz2.compress, "zst": zstandard.compress}[kind]
    data = pack(run().encode())
    damaged = bytearray(data)
    damaged[len(data) // 2] ^= 0xFF
    for bad in (data[:-9], bytes(damaged)):
        answer = world.submit("A", bad)
        assert (answer.status_code, answer.json()["error"]) == (422, "invalid")
    assert world.client.get("/api/boards/main/attempts", headers=world.headers("A")).json()["total"] == 0


def test_formats_that_are_no_text_are_not_opened(build: Build, sqlite: str):
    world = build(sqlite)
    buffer = io.BytesIO()
    import polars

    polars.DataFrame({"query_id": ["q0"], "doc_id": ["d00"], "score": [1.0]}).write_parquet(buffer)
    answer = world.submit("A", buffer.getvalue())
    assert answer.status_code == 422
    assert "parquet is not taken here" in answer.json()["message"]
    for damaged, name in ((b"PAR1" + b"x" * 100, "parquet"), (b"ARROW1\0\0" + b"x" * 100, "arrow")):
        assert f"{name} is not taken here" in world.submit("A", damaged).json()["message"]


def test_no_path_comes_from_a_client(tmp_path: Path):
    storage = Storage(tmp_path / "data")
    for name in ("../x", "/etc/passwd", "a" * 63, "A" * 64, "a" * 64 + "\n", "..%2f"):
        with pytest.raises(ValueError, match="SHA-256"):
            storage.path(name)


def test_large_bodies_elsewhere_are_cut_off(build: Build, sqlite: str):
    world = build(sqlite)
    answer = world.client.post("/api/accounts", content=b"{" + b" " * 100_000, headers=world.headers("host"))
    assert (answer.status_code, answer.json()["error"]) == (413, "too-large")
    assert world.client.post("/login", data={"token": "x" * 100_000}).status_code == 413


@pytest.mark.parametrize(
    "path", ["/submissions/submissions", "/submissions/truth", "/submissions/audits", "/login/truth"]
)
def test_only_the_addresses_of_files_take_large_bodies(build: Build, sqlite: str, path: str):
    world = build(sqlite)
    world.sign_in("A")
    answer = world.client.post(path, content=b"a" * 100_000)
    assert answer.status_code == (404 if path.startswith("/login") else 413)
    assert not security._is_large({"method": "POST", "path": path})


def test_every_address_of_files_is_known(build: Build, sqlite: str):
    world = build(sqlite)
    paths = world.client.get("/openapi.json").json()["paths"]
    files = {
        (method.upper(), path)
        for path, operations in paths.items()
        for method, operation in operations.items()
        if "application/octet-stream" in operation.get("requestBody", {}).get("content", {})
    }
    assert len(files) == 3
    assert all(security._is_large({"method": method, "path": path}) for method, path in files)
    assert security._is_large({"method": "POST", "path": "/boards/main/submissions"})


def test_nobody_else_reads_the_database_or_the_files(build: Build, sqlite: str):
    address = sqlite.replace("board.sqlite", "data/board.sqlite")
    before = os.umask(0o022)
    try:
        world = build(address)
        assert world.submit("A", run()).status_code == 201
        data = world.folder / "data"
        kept = [data, data / "incoming", data / "files", *data.glob("board.sqlite*")]
        assert len(kept) == 6
        assert all(path.stat().st_mode & 0o077 == 0 for path in kept)
        for path in kept[1:]:
            path.chmod(path.stat().st_mode | 0o055)
        build(address)
        assert all(path.stat().st_mode & 0o077 == 0 for path in kept)
    finally:
        os.umask(before)


def test_a_body_of_another_type_is_told_with_what_it_is(build: Build, sqlite: str):
    world = build(sqlite)
    headers = world.headers("host", **{"Content-Type": "text/plain"})
    answer = world.client.post("/api/accounts", content='{"name": "A"}', headers=headers)
    assert answer.status_code == 422
    assert answer.json()["message"].startswith("body: ")
