"""Entries after they arrived: the split, repeated files, marks of hosts, choices of teams; and who takes part."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import inspect, select, text

from board_worlds import QRELS, Build, World, run
from truerank.board.backup import back_up, restore
from truerank.board.database import Database, engine_of, upgrade
from truerank.board.errors import BoardError
from truerank.board.models import Board, Submission
from truerank.board.offline import opened, rescore
from truerank.board.published import published_ids
from truerank.board.service import Service
from truerank.board.settings import load
from truerank.board.split import drawn, public
from truerank.cli import truerank
from truerank.core.errors import InputError

MANY = "\n".join(f"q{q} 0 d{q}{d} {grade}" for q in range(220) for d, grade in enumerate((2, 1, 0)))


def mark(world: World, id: str, word: str | None, reason: str = "", who: str = "host") -> Any:
    said = {"mark": word, "reason": reason}
    return world.client.put(f"/api/submissions/{id}/mark", json=said, headers=world.headers(who))


def choose(world: World, id: str, is_final: bool = True, who: str = "A") -> Any:
    return world.client.put(f"/api/submissions/{id}/final", json={"final": is_final}, headers=world.headers(who))


@pytest.mark.parametrize(("share", "count"), [(0.3, 66), (0.5, 110), (0.01, 2), (1 / 3, 73)])
def test_exactly_the_share_of_the_queries_is_public(share: float, count: int):
    queries = [b"q%d" % q for q in range(220)]
    for key in (b"one", b"two", b"three"):
        assert public(queries, key, share).sum() == count
    assert (public(queries, b"one", share) != public(queries, b"two", share)).any()


def test_the_page_tells_the_share_that_is_scored(build: Build, sqlite: str):
    world = build(sqlite, "public = 0.3\nreveal = 'queries'", qrels=MANY)
    said = world.submit("A", run(queries=220)).json()
    assert len(said["queries"]) == 66
    assert world.board()["public_share"] == 0.3
    assert "30%" in world.client.get("/boards/main").text
    few = build(sqlite.replace("board.sqlite", "few.sqlite"), "public = 0.5", qrels="q0 0 d 1\nq1 0 d 1\nq2 0 d 1")
    assert few.board()["public_share"] == pytest.approx(2 / 3)


def test_the_same_bytes_are_the_same_submission_when_the_day_is_used_up_too(build: Build, address: str):
    world = build(address, "per_day = 1")
    first = world.submit("A", run(good=3))
    again = world.submit("A", run(good=3))
    assert (again.status_code, again.json()["id"]) == (200, first.json()["id"])
    other = world.submit("A", run(good=4))
    assert (other.status_code, other.json()["error"]) == (429, "no-attempts")
    world.client.post("/api/boards/main/close", headers=world.headers("host"))
    assert world.submit("A", run(good=3)).json()["id"] == first.json()["id"]
    assert world.submit("A", run(good=4)).json()["error"] == "not-open"
    assert world.submit("B", run(good=3)).json()["error"] == "not-open"
    assert len(list((world.folder / "data/files").glob("*/*"))) == 1  # nor does what was refused stay on the disk
    assert list((world.folder / "data/incoming").iterdir()) == []


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("eval.jsonl", '{"eval_id": "q1", "query": "a"}\n{"eval_id": "q2", "query": "b"}\n'),
        ("beir.jsonl", '{"_id": "q1", "text": "q"}\n\n{"_id": "q2", "text": "b"}'),
        ("questions.jsonl", '{"id": "q1", "question": "a"}\n{"id": "q2", "question": "b", "topic": "c"}\n'),
        ("numbers.jsonl", '{"qid": 1, "query": "a"}\n{"qid": 2}\n'),
        ("one.json", '{"q1": "text", "q2": "text"}'),
        ("list.json", '["q1", "q2"]'),
        ("objects.json", '[{"query_id": "q2"}, {"query_id": "q1"}]'),
        ("topics.tsv", "q1\twhat is it\nq2\twhy\n"),
        ("header.tsv", "query-id\ttext\nq1\twhat\nq2\twhy\n"),
        ("header.csv", 'text,query_id\n"what, then?",q1\nwhy,q2\n'),
        ("lines.txt", "q2\r\nq1\n\n"),
    ],
)
@pytest.mark.parametrize("is_packed", [False, True])
def test_published_queries_are_read_as_what_they_are(name: str, content: str, is_packed: bool, tmp_path: Path):
    data = b"\xef\xbb\xbf" + content.encode() if name == "lines.txt" else content.encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if is_packed else data)
    expected = (b"1", b"2") if name.startswith("numbers") else (b"q1", b"q2")
    assert published_ids(tmp_path / name) == expected


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"eval_id": 1}\n{"text": "x"}\n', "2: no key holds the id"),
        ('{"eval_id": 1}\n{"eval_id": null}\n', "2: the id of a query is text"),
        ('{"eval_id": 1}\n{\n', "2: this is no JSON"),
        ("[[1]]", "the id of a query is text"),
    ],
)
def test_a_published_query_without_an_id_is_named(content: str, message: str, tmp_path: Path):
    (tmp_path / "eval.jsonl").write_text(content)
    with pytest.raises(InputError, match=message):
        published_ids(tmp_path / "eval.jsonl")


def test_a_board_takes_its_queries_from_json_lines(build: Build, sqlite: str, tmp_path: Path):
    (tmp_path / "eval.jsonl").write_text("".join(f'{{"eval_id": "q{q}", "query": "…"}}\n' for q in range(25)))
    world = build(sqlite, 'queries = "eval.jsonl"')
    assert world.board()["queries"] == 25
    assert world.submit("A", run(queries=22)).status_code == 201
    assert world.submit("A", run(queries=27)).status_code == 422


@pytest.mark.parametrize("word", ["withdrawn", "disqualified"])
def test_an_entry_that_a_host_takes_out_is_kept_and_told_but_not_ranked(build: Build, address: str, word: str):
    world = build(address)
    best, second = (world.submit("A", run(good=good)).json()["id"] for good in (15, 9))
    world.submit("B", run(good=12))
    assert [row["team"] for row in world.board()["standings"]] == ["A", "B"]
    assert mark(world, best, word, "<b>trained on the test</b>", who="A").status_code == 403
    assert mark(world, best, word, " ").json()["error"] == "no-reason"
    before = world.client.get("/api/boards/main/version").json()["state"]
    said = mark(world, best, word, "<b>trained on the test</b>")
    assert (said.status_code, said.json()["mark"]) == (200, word)
    assert world.client.get("/api/boards/main/version").json()["state"].split("-")[0] != before.split("-")[0]
    state = world.board()
    assert [(row["team"], row["entries"]) for row in state["standings"]] == [("B", 1), ("A", 1)]
    (told,) = state["unranked"]
    assert (told["team"], told["mark"], told["reason"]) == ("A", word, "<b>trained on the test</b>")
    assert len(world.client.get("/api/boards/main/history").json()["teams"]["A"]) == 1
    page = world.client.get("/boards/main").text
    assert "&lt;b&gt;trained on the test&lt;/b&gt;" in page
    world.sign_in("A")
    assert "trained on the test" in world.client.get(f"/submissions/{best}").text
    assert word in world.client.get("/boards/main/submissions").text
    attempts = world.client.get("/api/boards/main/attempts", headers=world.headers("A")).json()
    assert attempts["total"] == 2
    assert world.submit("A", run(good=15)).json()["mark"] == word  # sent again it is the same, and stays out
    export = world.client.get("/api/boards/main/export", headers=world.headers("host")).text
    assert {one["id"]: one["mark"] for one in map(json.loads, export.splitlines())}[best] == word
    assert rescore(world.service.settings, world.service.database, "main", write=False).changed == ()
    assert mark(world, best, None).json()["mark"] is None
    assert world.board(as_="host")["standings"][0]["submission"] == best
    assert mark(world, second, word, "x").status_code == 200
    assert mark(world, "none", word, "x").status_code == 404


@pytest.mark.parametrize("step", ["0.05", "0"])
def test_a_ladder_is_climbed_anew_without_an_entry_that_was_taken_out(build: Build, address: str, step: str):
    world, fair = build(address, f"ladder = {step}\nper_day = 9"), {}
    best = world.submit("A", run(good=19)).json()
    first = best["id"]
    for good in (5, 12):
        assert world.submit("A", run(good=good)).json()["shown"] == best["shown"]
        fair[good] = world.submit("B", run(good=good)).json()["shown"]
    mark(world, first, "disqualified", "a leak")
    own = world.client.get("/api/boards/main/submissions", headers=world.headers("A")).json()
    assert sorted(one["shown"] for one in own if not one["mark"]) == sorted(fair.values())
    assert len({row["score"] for row in world.board()["standings"]}) == 1
    mark(world, first, None)
    assert world.board()["standings"][0]["team"] == "A"
    assert rescore(world.service.settings, world.service.database, "main", write=False).changed == ()


def private_scores(world: World, ids: list[str]) -> dict[str, float]:
    seen = (world.client.get(f"/api/submissions/{id}", headers=world.headers("host")).json() for id in ids)
    return {one["id"]: one["strict"]["private"]["nDCG@10"] for one in seen}


def test_the_entries_that_a_team_chose_count_at_the_end(build: Build, address: str):
    world = build(address, "public = 0.5\nfinals = 2\nper_day = 9")
    ids = [world.submit("A", run(good=good)).json()["id"] for good in (3, 18, 9, 6)]
    other = world.submit("B", run(good=10)).json()["id"]
    assert world.board()["finals"] == 2
    for id in (ids[0], ids[2]):
        assert choose(world, id).json()["is_final"]
    assert choose(world, ids[0]).status_code == 200
    full = choose(world, ids[3])
    assert (full.status_code, full.json()["error"]) == (409, "finals-full")
    assert choose(world, other).status_code == 404
    assert choose(world, ids[0], who="host").status_code == 404
    before = world.board(as_="host")["standings"]
    assert {row["team"]: row["submission"] for row in before}["A"] == ids[1]
    world.client.post("/api/boards/main/close", headers=world.headers("host"))
    assert '<span class="move">' not in world.client.get("/boards/main").text  # public ranks were of other entries
    scores = private_scores(world, ids)
    after = {row["team"]: row for row in world.board(as_="host")["standings"]}
    assert (after["A"]["submission"], after["A"]["score"]) == (ids[2], scores[ids[2]])
    assert after["B"]["submission"] == other  # without a choice, the best public one
    assert choose(world, ids[3], False).json()["error"] == "not-open"
    mark(world, ids[2], "withdrawn", "asked for by the team")
    assert {row["team"]: row for row in world.board(as_="host")["standings"]}["A"]["submission"] == ids[0]


def test_a_choice_counts_at_the_end_without_a_split_and_by_the_clock_too(build: Build, sqlite: str):
    world = build(sqlite, "finals = 1\ncloses = 2030-03-18T00:00:00Z")
    low, high = (world.submit("A", run(good=good)).json() for good in (4, 9))
    choose(world, low["id"])
    before = world.board()
    assert before["standings"][0]["score"] == high["score"]
    world.clock[0] += 86400
    after = world.board()
    assert after["standings"][0]["score"] == low["score"]
    assert after["state"] != before["state"]


def test_of_what_was_chosen_a_ladder_hides_nothing_at_the_end(build: Build, sqlite: str):
    world = build(sqlite, "public = 0.5\nladder = 0.5\nfinals = 1")
    id = world.submit("A", run(good=9)).json()["id"]
    choose(world, id)
    world.client.post("/api/boards/main/close", headers=world.headers("host"))
    own = world.client.get(f"/api/submissions/{id}", headers=world.headers("host")).json()["strict"]
    [row] = world.board()["standings"]
    assert (row["score"], row["public"]) == (own["private"]["nDCG@10"], own["public"]["nDCG@10"])


def test_a_choice_is_given_up_on_the_page_and_only_by_its_form(build: Build, sqlite: str):
    world = build(sqlite, "finals = 1")
    id = world.submit("A", run(good=4)).json()["id"]
    world.sign_in("A")
    page = f"/submissions/{id}"
    assert "Choose as final" in world.client.get(page).text
    assert world.client.post(page, data={"form": "forged", "what": "choose"}).status_code == 403
    form = world.form(page)
    assert world.client.post(page, data={"form": form, "what": "disqualified", "reason": "x"}).status_code == 403
    assert "This entry counts at the end." in world.client.post(page, data={"form": form, "what": "choose"}).text
    assert "Choose as final" in world.client.post(page, data={"form": form, "what": "give-up"}).text
    assert world.client.post(page, data={"form": form, "what": "x"}).status_code == 422


def test_a_host_marks_an_entry_on_its_page(build: Build, sqlite: str):
    world = build(sqlite)
    id = world.submit("A", run(good=4)).json()["id"]
    world.sign_in("host")
    page = f"/submissions/{id}"
    form = world.form(page)
    other = world.client.post(
        page, data={"form": form, "what": "withdrawn", "reason": "x"}, headers={"Origin": "https://evil.example"}
    )
    assert other.status_code == 403
    done = world.client.post(page, data={"form": form, "what": "disqualified", "reason": "two accounts"})
    assert "A host disqualified this entry" in done.text
    assert "two accounts" in done.text
    assert "운영자가 이 제출을 실격 처리했습니다" in world.client.get(f"{page}?lang=ko").text
    assert world.board()["standings"] == []
    world.client.post(page, data={"form": form, "what": "reinstate"})
    assert len(world.board()["standings"]) == 1


def test_the_commands_mark_entries_and_approve_teams(build: Build, sqlite: str, monkeypatch: pytest.MonkeyPatch):
    world = build(sqlite, more="registration = true")
    id = world.submit("A", run(good=4)).json()["id"]
    assert id.isalnum()  # what begins with a dash would be an option
    options = ["--board", str(world.folder / "board.toml"), "--db", sqlite]

    def call(*args: str, status: int = 0) -> str:
        done = CliRunner().invoke(truerank, ["board", *args, *options])
        assert done.exit_code == status, done.output
        return done.output

    assert "is disqualified" in call("disqualify", id, "--reason", "two accounts")
    assert world.board()["unranked"][0]["reason"] == "two accounts"
    assert "is ranked again" in call("reinstate", id)
    assert "is withdrawn" in call("withdraw", id, "--reason", "by its team")
    assert world.board()["standings"] == []
    assert "say why" in call("disqualify", id, "--reason", " ", status=2)
    assert world.board()["unranked"][0]["reason"] == "by its team"
    monkeypatch.setenv("TRUERANK_LANG", "ko")
    assert call("disqualify", id, "--reason", "계정이 둘") == f"truerank: {id}: 실격 처리했습니다\n"
    monkeypatch.delenv("TRUERANK_LANG")
    assert "no submission 'none'" in call("withdraw", "none", "--reason", "x", status=2)
    world.client.post("/api/registrations", json={"name": "New"})
    assert "New takes part" in call("approve", "New")
    call("approve", "New", status=2)


def test_the_queries_that_a_host_offers_are_there_when_the_contest_opens(build: Build, sqlite: str, tmp_path: Path):
    (tmp_path / "eval.jsonl").write_text('{"eval_id": "q1", "query": "what?"}\n')
    world = build(sqlite, 'download = "eval.jsonl"\nopens = 2030-03-18T00:00:00Z')
    early = world.client.get("/api/boards/main/queries")
    assert (early.status_code, early.json()["error"]) == (409, "not-open")
    assert "/queries" not in world.client.get("/boards/main").text
    world.clock[0] += 86400
    there = world.client.get("/api/boards/main/queries")
    assert there.text == '{"eval_id": "q1", "query": "what?"}\n'
    assert 'filename="eval.jsonl"' in there.headers["content-disposition"]
    assert there.headers["x-content-type-options"] == "nosniff"
    assert 'href="/api/boards/main/queries"' in world.client.get("/boards/main").text


def test_queries_are_offered_to_those_who_see_the_board_and_are_never_the_truth(
    build: Build, sqlite: str, tmp_path: Path
):
    (tmp_path / "eval.jsonl").write_text("{}\n")
    world = build(sqlite, 'download = "eval.jsonl"\nvisible = "teams"')
    assert world.client.get("/api/boards/main/queries").status_code == 401
    assert world.client.get("/api/boards/main/queries", headers=world.headers("A")).status_code == 200
    with pytest.raises(BoardError, match="not the hidden truth"):
        build(sqlite, 'download = "./truth.qrels"')
    with pytest.raises(BoardError, match="a file that is there"):
        build(sqlite, 'download = "none.txt"')


def test_who_registers_is_let_in_when_a_host_approves(build: Build, address: str):
    world = build(address, more="registration = true")
    asked = world.client.post("/api/registrations", json={"name": "New", "contact": "a@b.example"})
    assert asked.status_code == 201, asked.text
    token = {"Authorization": f"Bearer {asked.json()['token']}"}
    for path in ("/api/boards", "/api/boards/main/attempts"):
        waiting = world.client.get(path, headers=token)
        assert (waiting.status_code, waiting.json()["error"]) == (403, "not-approved")
    assert world.client.post("/api/boards/main/submissions", content=run(), headers=token).status_code == 403
    login = world.client.post("/login", data={"token": asked.json()["token"]})
    assert login.status_code == 403
    assert "A host has not approved this registration yet" in login.text
    assert world.client.post("/api/registrations", json={"name": "New"}).status_code == 409
    listed = world.client.get("/api/accounts", headers=world.headers("host")).json()
    new = next(one for one in listed if one["name"] == "New")
    assert (new["role"], new["contact"]) == ("waiting", "a@b.example")
    number = asked.json()["account"]
    assert world.client.post(f"/api/accounts/{number}/approve", headers=world.headers("A")).status_code == 403
    assert world.client.post(f"/api/accounts/{number}/approve", headers=world.headers("host")).status_code == 200
    assert world.client.post(f"/api/accounts/{number}/approve", headers=world.headers("host")).status_code == 404
    assert world.client.post("/api/boards/main/submissions", content=run(), headers=token).status_code == 201
    assert world.client.delete(f"/api/accounts/{number}", headers=world.headers("host")).status_code == 404


def test_only_what_is_scored_is_taken_out_or_chosen_and_makes_another_version(build: Build, sqlite: str):
    world = build(sqlite, "finals = 1")

    def version() -> str:
        return world.client.get("/api/boards/main/version").json()["state"].split("-")[0]

    begun = version()
    assert world.submit("A", run(queries=21)).status_code == 422
    (refused,) = world.client.get("/api/boards/main/submissions", headers=world.headers("A")).json()
    for answer in (choose(world, refused["id"]), mark(world, refused["id"], "withdrawn", "why not")):
        assert (answer.status_code, answer.json()["error"]) == (409, "not-scored")
    assert version() == begun
    world.submit("A", run())
    assert version() != begun


def test_no_more_register_than_may_wait_for_the_hosts(build: Build, sqlite: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("truerank.board.tokens.MOST_WAITING", 2)
    world = build(sqlite, more="registration = true")
    asked = [world.client.post("/api/registrations", json={"name": name}) for name in ("A", "B", "C")]
    assert [answer.status_code for answer in asked] == [201, 201, 503]
    assert asked[2].json()["error"] == "too-many-waiting"
    world.client.post(f"/api/accounts/{asked[0].json()['account']}/approve", headers=world.headers("host"))
    assert world.client.post("/api/registrations", json={"name": "C"}).status_code == 201


def test_a_registration_that_a_host_refuses_is_forgotten(build: Build, address: str):
    world = build(address, more="registration = true")
    asked = world.client.post("/api/registrations", json={"name": "New"}).json()
    gone = world.client.delete(f"/api/accounts/{asked['account']}", headers=world.headers("host"))
    assert gone.status_code == 204
    token = {"Authorization": f"Bearer {asked['token']}"}
    assert world.client.get("/api/boards", headers=token).status_code == 401
    assert world.client.post("/api/registrations", json={"name": "New"}).status_code == 201


def test_registering_is_off_unless_a_host_wants_it_and_few_come_from_one_address(build: Build, sqlite: str):
    world = build(sqlite)
    assert world.client.post("/api/registrations", json={"name": "New"}).status_code == 404
    assert world.client.get("/register").status_code == 404
    assert "/register" not in world.client.get("/").text
    world.client.__exit__(None, None, None)
    world = build(sqlite, more="registration = true")
    many = [world.client.post("/api/registrations", json={"name": f"New {n}"}) for n in range(7)]
    assert [answer.status_code for answer in many] == [201] * 5 + [429] * 2
    assert int(many[-1].headers["retry-after"]) > 60


def test_people_register_on_a_page_and_a_host_approves_on_another(build: Build, sqlite: str):
    world = build(sqlite, more="registration = true")
    assert "Register" in world.client.get("/").text
    evil = {"Origin": "https://evil.example"}
    assert world.client.post("/register", data={"name": "New"}, headers=evil).status_code == 403
    assert world.client.post("/register", data={"name": ""}).status_code == 422
    made = world.client.post("/register", data={"name": "<b>New", "contact": "<i>us"})
    assert made.status_code == 201
    token = re.search(r"tr_[\w-]+", made.text)[0]  # type: ignore[index]
    world.sign_in("host")
    page = world.client.get("/host").text
    assert "&lt;b&gt;New" in page
    assert "&lt;i&gt;us" in page
    number = re.search(r'name="name" value="(\d+)"><button class="button" name="what" value="approve"', page)[1]  # type: ignore[index]
    assert world.client.post("/host", data={"what": "approve", "name": number}).status_code == 403
    world.client.post("/host", data={"form": world.form("/host"), "what": "approve", "name": number})
    shown = {"Authorization": f"Bearer {token}"}
    assert world.client.get("/api/boards/main/attempts", headers=shown).status_code == 200


def older(address: str, *, scored: int) -> None:
    """A database as the version before wrote it, with one board."""
    engine = engine_of(address)
    with engine.execution_options(writes=True).begin() as connection:
        upgrade(connection, "0001")
        connection.execute(
            text("INSERT INTO boards (name, version, scored, fingerprint) VALUES ('main', 3, :n, 'x')"),
            {"n": scored},
        )
        connection.execute(text("INSERT INTO accounts (name, role, created_at) VALUES ('A', 'team', 1)"))
        rows = {"id": "s", "b": "main"}
        connection.execute(
            text(
                "INSERT INTO submissions (id, board, account_id, state, sha256, size, unpacked, label, received_at,"
                " audit) VALUES (:id, :b, 1, 'refused', 'h', 1, 1, '', 1, '{}')"
            ),
            rows,
        )
    engine.dispose()


@pytest.mark.parametrize(("scored", "split"), [(0, "exact"), (2, "drawn")])
def test_a_board_of_the_version_before_is_brought_up_to_date(address: str, scored: int, split: str):
    older(address, scored=scored)
    database = Database(address)
    with database.reading() as session:
        assert session.get_one(Board, "main").split == split
        old = session.scalars(select(Submission)).one()
        assert (old.mark, old.reason, old.chosen_at, old.processor) == (None, None, None, None)
    database.close()


def test_the_migration_can_be_undone(address: str):
    from alembic.migration import MigrationContext
    from alembic.operations import Operations

    from truerank.board.migrations.versions import entries

    database = Database(address)
    with database.engine.execution_options(writes=True).begin() as connection:
        with Operations.context(MigrationContext.configure(connection)):
            entries.downgrade()
        assert "mark" not in {column["name"] for column in inspect(connection).get_columns("submissions")}
    database.close()


def test_a_contest_that_runs_keeps_the_split_that_it_began_with(build: Build, sqlite: str):
    """Scores that are there were made by the split of the version before: it stays, and is told as it is."""
    world = build(sqlite, "public = 0.3", qrels=MANY)
    with world.service.database.writing() as session:
        row = session.get_one(Board, "main")
        row.split, row.fingerprint = "drawn", ""
    world.service.database.close()
    world.service.pool.close()
    again = Service(load(world.folder / "board.toml", sqlite))
    with again.database.reading() as session:
        contest = again.contest(session, "main")
        mask = contest.masks(contest.evaluated)["public"]
        assert (mask == drawn(contest.evaluated, contest.spec.key, 0.3)).all()
        assert contest.public_share == mask.mean()
    again.pool.close()
    again.database.close()


def test_a_backup_keeps_marks_choices_and_registrations(
    build: Build, address: str, tmp_path: Path, request: pytest.FixtureRequest
):
    (tmp_path / "eval.jsonl").write_text('{"eval_id": "q1"}\n')
    world = build(address, 'finals = 1\ndownload = "eval.jsonl"', more="registration = true")
    one, two = (world.submit("A", run(good=good)).json()["id"] for good in (3, 12))
    choose(world, one)
    mark(world, two, "disqualified", "a leak")
    world.client.post("/api/registrations", json={"name": "New", "contact": "us"})
    folder = tmp_path / "backup"
    back_up(world.service.settings, world.service.database, folder)
    assert (folder / "eval.jsonl").is_file()
    if address.startswith("sqlite"):
        settings = load(folder / "board.toml")
    else:
        settings = load(folder / "board.toml", request.getfixturevalue("postgresql")())
        with opened(settings) as database:
            restore(database, folder / "tables.jsonl")
    with opened(settings) as database, database.reading() as session:
        entries = session.scalars(select(Submission))
        kept = {each.id: (each.mark, each.reason, bool(each.chosen_at)) for each in entries}
        assert kept == {one: (None, None, True), two: ("disqualified", "a leak", False)}
        assert session.get_one(Board, "main").split == "exact"
        assert "us" in list(session.execute(text("SELECT contact FROM accounts")).scalars())


def test_tables_of_a_backup_of_the_version_before_are_restored(address: str, tmp_path: Path):
    row = {"name": "main", "version": 1, "scored": 4, "fingerprint": "", "truth": None, "closed_at": None}
    (tmp_path / "tables.jsonl").write_text(json.dumps({"table": "boards", "row": row}) + "\n")
    database = Database(address)
    assert restore(database, tmp_path / "tables.jsonl") == 1
    with database.reading() as session:
        assert session.get_one(Board, "main").split == "drawn"
    database.close()


def test_the_qrels_of_these_tests_are_split_in_whole_queries():
    queries = sorted({line.split()[0].encode() for line in QRELS.splitlines()})
    assert public(queries, b"k", 0.5).sum() == len(queries) / 2
