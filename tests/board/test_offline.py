"""What hosts do beside the service: databases brought up to date, rescoring to the bit, backups, settings."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from click.testing import CliRunner
from sqlalchemy import inspect, select, text

from board_worlds import QRELS, Build, World, run
from truerank.board import backup, processing, submissions
from truerank.board.audit import SubmissionAudit
from truerank.board.backup import back_up, restore
from truerank.board.database import Database, upgrade
from truerank.board.errors import BoardError
from truerank.board.jobs import score_in_worker
from truerank.board.models import RECEIVED, Base, Board, Submission, Values
from truerank.board.offline import mark, opened, rescore
from truerank.board.service import Service
from truerank.board.settings import load
from truerank.board.storage import Storage
from truerank.cli import serve, truerank


def test_the_migrations_make_what_the_models_say(address: str):
    database = Database(address)
    with database.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []
    database.close()


def test_a_database_is_brought_up_to_date_once_by_whoever_comes_first(address: str):
    with ThreadPoolExecutor(4) as threads:
        for database in threads.map(lambda _: Database(address), range(4)):
            database.close()


def test_migrations_can_be_undone(address: str):
    from alembic.migration import MigrationContext
    from alembic.operations import Operations

    from truerank.board.migrations.versions import tables

    database = Database(address)
    with database.engine.execution_options(writes=True).begin() as connection:
        with Operations.context(MigrationContext.configure(connection)):
            tables.downgrade()
        connection.execute(text("DELETE FROM alembic_version"))
        assert set(inspect(connection).get_table_names()) == {"alembic_version"}
        upgrade(connection)
        assert "submissions" in inspect(connection).get_table_names()
    database.close()


def test_sqlite_writes_ahead_and_waits(sqlite: str):
    database = Database(sqlite)
    with database.engine.connect() as connection:
        settings = [connection.execute(text(f"PRAGMA {name}")).scalar() for name in ("journal_mode", "synchronous")]
    assert settings == ["wal", 2]
    database.close()


def test_an_address_that_is_none_is_told_in_one_line():
    for address in ("nonsense", "mysql://x", "postgresql+psycopg://nobody@127.0.0.1:1/x"):
        with pytest.raises(BoardError, match=r"--db is|cannot be opened"):
            Database(address)


@pytest.mark.parametrize("settings", ["", "public = 0.5", "ladder = 0.05", "ladder = 0\npublic = 0.6"])
def test_rescoring_reproduces_the_board_to_the_bit(build: Build, address: str, settings: str):
    world = build(address, f"{settings}\nper_day = 20")
    for good in (9, 4, 16, 17, 2, 19):
        world.submit("A", run(good=good))
        world.submit("B", run(good=20 - good))
    before = kept(world.service.database)
    again = rescore(world.service.settings, world.service.database, "main", write=True)
    assert (again.scored, again.changed) == (len(before), ())
    assert kept(world.service.database) == before


def kept(database: Database) -> list[tuple[object, ...]]:
    with database.reading() as session:
        rows = session.execute(
            select(Submission.id, Submission.score, Submission.shown, Submission.results, Values.matrix)
            .join(Values, Values.submission_id == Submission.id)
            .order_by(Submission.place)
        )
        return [(*row[:-1], bytes(row[-1])) for row in rows]


def test_scores_of_two_truths_are_never_mixed(build: Build, address: str):
    world = build(address)
    world.submit("A", run(good=9))
    truth = world.folder / "truth.qrels"
    truth.write_text(QRELS.replace("q0 0 d00 2", "q0 0 d00 0"))
    mixed = world.submit("A", run(good=10))
    assert (mixed.status_code, mixed.json()["error"]) == (503, "changed")
    with pytest.raises(BoardError, match="`truerank board rescore main` scores them anew"):
        Service(world.service.settings)
    settings, database = world.service.settings, world.service.database
    assert len(rescore(settings, database, "main", write=False).changed) == 1
    assert world.submit("A", run(good=10)).status_code == 503
    assert len(rescore(settings, database, "main", write=True).changed) == 1
    assert world.submit("A", run(good=10)).status_code == 201
    assert world.board()["standings"][0]["entries"] == 2


def test_no_entry_is_taken_out_while_a_board_waits_to_be_scored_anew(build: Build, address: str):
    """A Ladder would be climbed by what the scores were not made with."""
    world = build(address, "ladder = 0")
    id = world.submit("A", run(good=9)).json()["id"]
    (world.folder / "truth.qrels").write_text(QRELS.replace("q0 0 ", "q1 0 x"))
    settings, database = world.service.settings, world.service.database
    with pytest.raises(BoardError, match="`truerank board rescore main` scores them anew"):
        mark(settings, database, id, "withdrawn", "asked for", 0)
    rescore(settings, database, "main", write=True)
    mark(settings, database, id, "withdrawn", "asked for", 0)


def test_a_question_may_be_dropped_from_the_truth_of_a_contest_by_lines(build: Build, sqlite: str):
    truth = {"1": ["a"], "2": ["b"], "3": ["c"]}
    world = build(sqlite, 'rules = "science-qa"', qrels=json.dumps(truth), truth="truth.json")
    answers = {1: ["a"], 2: ["x", "b"], 3: ["y"]}
    lines = [json.dumps({"eval_id": id, "topk": docs}) for id, docs in answers.items()]
    world.submit("A", "\n".join(lines))
    (world.folder / "truth.json").write_text(json.dumps({"1": ["a"], "2": ["b"]}))
    assert len(rescore(world.service.settings, world.service.database, "main", write=True).changed) == 1
    id = world.board(as_="A")["standings"][0]["submission"]
    entry = world.client.get(f"/api/submissions/{id}", headers=world.headers("A")).json()
    assert entry["official"]["public"] == entry["strict"]["public"] == {"AP(divisor='hits')@3": 0.75}


def with_a_new_truth(world: World, monkeypatch: pytest.MonkeyPatch, then: Callable[[], object]) -> None:
    """Let the truth be another one by the time that the next submission is scored."""
    judging, truth = world.service.processing, world.folder / "truth.qrels"
    in_worker = judging.in_worker

    async def slowly(meter: Any, work: Any, *args: Any) -> Any:
        found = await in_worker(meter, work, *args)
        if work is score_in_worker and "q0 0 d00 2" in truth.read_text():
            truth.write_text(QRELS.replace("q0 0 d00 2", "q0 0 d00 0"))
            await asyncio.to_thread(then)
        return found

    monkeypatch.setattr(judging, "in_worker", slowly)


def test_what_is_scored_while_the_truth_is_replaced_is_scored_by_the_new_one(
    build: Build, address: str, monkeypatch: pytest.MonkeyPatch
):
    world = build(address)
    world.submit("A", run(good=9))
    settings, database = world.service.settings, world.service.database
    with_a_new_truth(world, monkeypatch, lambda: rescore(settings, database, "main", write=True))
    assert world.submit("B", run(good=10)).status_code == 201
    assert rescore(settings, database, "main", write=False).changed == ()


def test_what_was_accepted_before_the_truth_was_replaced_is_scored_after_everything_else(
    build: Build, address: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(processing, "LATER", 0.05)
    world = build(address)
    world.submit("A", run(good=9))
    settings, database = world.service.settings, world.service.database
    with_a_new_truth(world, monkeypatch, lambda: None)
    sent = world.submit("B", run(good=10))
    assert (sent.status_code, sent.json()["state"]) == (202, "accepted")
    assert rescore(settings, database, "main", write=True).scored == 1
    until = time.monotonic() + 60
    while len(world.board()["standings"]) < 2:
        assert time.monotonic() < until
        time.sleep(0.05)
    assert rescore(settings, database, "main", write=False).changed == ()


def test_a_backup_of_a_running_service_can_go_on(build: Build, address: str, tmp_path: Path, request):
    world = build(address)
    for good in (3, 12):
        world.submit("A", run(good=good))
    world.submit("A", "nonsense")
    world.submit("B", run(good=7))
    folder = tmp_path / "backup"
    assert back_up(world.service.settings, world.service.database, folder) == 4
    with pytest.raises(BoardError, match="there already"):
        back_up(world.service.settings, world.service.database, folder)
    if address.startswith("sqlite"):
        settings = load(folder / "board.toml")
    else:
        settings = load(folder / "board.toml", request.getfixturevalue("postgresql")())
        with opened(settings) as database:
            restore(database, folder / "tables.jsonl")
            with pytest.raises(BoardError, match="not empty"):
                restore(database, folder / "tables.jsonl")
    with opened(settings) as database:
        assert kept(database) == kept(world.service.database)
        assert rescore(settings, database, "main", write=False).changed == ()
        with database.writing() as session:
            from truerank.board.tokens import add_account

            assert add_account(session, "later", "team", 0).id > 2


@pytest.mark.parametrize(
    "damage",
    [
        lambda lines: [*lines[:3], lines[3][:-20]],
        lambda lines: [*lines[:3], b"\xff\xfe\n"],
        lambda lines: [*lines[:3], lines[2]],
        lambda lines: [*lines[:3], b'{"table": "later", "row": {}}\n'],
        lambda lines: [*lines[:3], b'{"table": "boards", "row": {"name": "b", "scored": 0, "later": 1}}\n'],
        lambda lines: [*lines[:3], b'{"table": "boards", "row": {"name": null, "scored": 0}}\n'],
        lambda lines: [*lines[:3], b"[]\n"],
    ],
)
def test_a_damaged_backup_is_told_with_its_line_and_restores_nothing(
    postgresql: Callable[..., str], build: Build, tmp_path: Path, damage: Callable[[list[bytes]], list[bytes]]
):
    world = build(postgresql(with_tables=True))
    for team in ("A", "B"):
        world.submit(team, run())
    back_up(world.service.settings, world.service.database, tmp_path / "backup")
    tables = tmp_path / "backup/tables.jsonl"
    tables.write_bytes(b"".join(damage(tables.read_bytes().splitlines(keepends=True))))
    for address in (postgresql(), f"sqlite:///{tmp_path / 'other.sqlite'}"):
        database = Database(address)
        with pytest.raises(BoardError, match="line 4 is no row"):
            restore(database, tables)
        with database.reading() as session:
            assert not session.scalars(select(Board)).all()
        database.close()


def test_a_backup_holds_what_was_only_received(
    build: Build, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    world = build(address)
    service, copy = world.service, backup._copy
    sent, bad = (world.submit("A", run(good=good)).json() for good in (3, 5))
    with service.database.writing() as session:
        for one in (sent, bad):
            submission = session.get_one(Submission, one["id"])
            submission.state, submission.accepted_at = RECEIVED, None

    def meanwhile(here: Path, there: Path, name: str) -> None:
        if name == bad["sha256"]:
            with service.database.writing() as session:
                submissions.refuse(session, service.storage, bad["id"], SubmissionAudit(()))
        copy(here, there, name)

    monkeypatch.setattr(backup, "_copy", meanwhile)
    back_up(service.settings, service.database, tmp_path / "backup")
    copied = Storage(tmp_path / "backup/data")
    assert copied.path(sent["sha256"]).read_text() == run(good=3)
    assert not copied.path(bad["sha256"]).exists()


def test_a_backup_holds_every_file_that_its_board_names_and_serves_from_where_it_is(tmp_path: Path):
    here, there = tmp_path / "here", tmp_path / "there"
    (here / "below").mkdir(parents=True)
    (here / "below/own.toml").write_text('measures = ["AP"]\nlevel = 2\n')
    (tmp_path / "truth.qrels").write_text(QRELS)
    (tmp_path / "queries.txt").write_text("\n".join(f"q{q}" for q in range(25)))
    (here / "board.toml").write_text(f'''# a word
        data = "{tmp_path}/data"
        database = "sqlite:///{tmp_path}/one.sqlite"
        [[boards]]
        name = "a"
        about = "\\"quoted\\", \\u2014 and 한글"
        rules = "below/own.toml"
        truth = "../truth.qrels"
        queries = "{tmp_path}/queries.txt"
        closes = 2030-02-01T09:00:00+09:00
        accept = ["missing-id"]
        [[boards]]
        name = "b"
        truth = "../truth.qrels"
        public = 0.5
    ''')
    before = load(here / "board.toml")
    service = Service(before)
    service.pool.close()
    assert back_up(before, service.database, there) == 3
    for path in (here, tmp_path / "truth.qrels", tmp_path / "queries.txt", tmp_path / "data"):
        path.rename(tmp_path / f"gone-{path.name}")
    after = load(there / "board.toml")
    assert (after.data, after.database) == (there / "data", f"sqlite:///{there}/data/board.sqlite")
    assert after.boards[0].truth == after.boards[1].truth == there / "elsewhere/a/truth/truth.qrels"
    assert after.boards[0].queries == there / "elsewhere/a/queries/queries.txt"
    assert after.boards[0].rules == str(there / "below/own.toml")
    files = ("truth", "queries", "rules")
    for one, two in zip(before.boards, after.boards, strict=True):
        assert replace(two, **{name: getattr(one, name) for name in files}) == one
    assert (there / "board.original.toml").read_text().startswith("# a word")
    again = Service(after)
    with again.database.reading() as session, service.database.reading() as old:
        assert again.contest(session, "a").fingerprint == old.get_one(Board, "a").fingerprint
    for each in (service, again):
        each.pool.close()
        each.database.close()


def test_a_backup_of_files_below_the_board_keeps_its_settings(build: Build, sqlite: str, tmp_path: Path):
    world = build(sqlite, "# a word of the host")
    back_up(world.service.settings, world.service.database, tmp_path / "bk")
    assert (tmp_path / "bk/board.toml").read_text() == (tmp_path / "board.toml").read_text()
    assert (tmp_path / "bk/truth.qrels").read_text() == QRELS
    assert not (tmp_path / "bk/board.original.toml").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no board"),
        ("[[boards]]\n", "name is small letters"),
        ('[[boards]]\nname = "A b"', "name is small letters"),
        ('[[boards]]\nname = "a"\ntruht = "x"', "Did you mean truth"),
        ('[[boards]]\nname = "a"\nper_day = 0', "positive whole number"),
        ('[[boards]]\nname = "a"\nupload = "3 apples"', "size such as"),
        ('[[boards]]\nname = "a"\npublic = 0', "share above 0"),
        ('[[boards]]\nname = "a"\nladder = 1', "step from 0 to 1"),
        ('[[boards]]\nname = "a"\ndigits = 16', "digits is from 0 to 15"),
        ('[[boards]]\nname = "a"\nfinals = 0', "finals is a positive whole number"),
        ('[[boards]]\nname = "a"\ntruth = "t"\ndownload = "./t"', "the queries, and not the hidden truth"),
        ('[[boards]]\nname = "a"\nzone = "Mars"', "Asia/Seoul"),
        ('[[boards]]\nname = "a"\nvisible = "cats"', "everyone, teams, hosts"),
        ('[[boards]]\nname = "a"\naccept = ["empty"]', "accept is a list"),
        ('[[boards]]\nname = "a"\nopens = "soon"', "a time such as"),
        ('[[boards]]\nname = "a"\nopens = 2030-01-02T00:00:00\ncloses = 2030-01-02T00:00:00', "later than opens"),
        ('registration = ["a", 1]\n[[boards]]\nname = "a"', r'is true or false, not \["a", 1\]'),
        ('memory = true\n[[boards]]\nname = "a"', "'256 MB'; not true"),
        ('[[boards]]\nname = "a"\nvisible = true', "visible is text, not true"),
        ('[[boards]]\nname = "a"\nmeasures = 5', "measures is a list, not 5"),
        ('[[boards]]\nname = "a"\nopens = 2030-01-02', "not 2030-01-02"),
        ('[[boards]]\nname = "a"\n[[boards]]\nname = "a"', "two boards"),
        ("[[boards", "no TOML"),
        ('colour = "red"\n[[boards]]\nname = "a"', "no setting 'colour'"),
    ],
)
def test_a_setting_that_is_wrong_is_named(tmp_path: Path, text: str, message: str):
    (tmp_path / "board.toml").write_text(text)
    with pytest.raises(BoardError, match=message):
        load(tmp_path / "board.toml")


@pytest.mark.parametrize("setting", ['download = "q"', 'truth = "t"\ndownload = "q"', "digits = 0", "digits = 15"])
def test_a_setting_at_its_limit_is_taken(tmp_path: Path, setting: str):
    (tmp_path / "board.toml").write_text(f'[[boards]]\nname = "a"\n{setting}')
    assert load(tmp_path / "board.toml").boards[0].name == "a"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ('rules = "no-such"', "there are no rules"),
        ('measures = ["NDGC"]', "Did you mean nDCG"),
        ('rules = "undefined.toml"', "under which every query has a value"),
        ('rank_by = "NumRel"', "a mean over queries"),
        ('rules = "trec_eval-10"', r'unless set, the first of measures or of the rules\); not "NumQ"'),
        ('measures = ["RBPResidual", "AP"]', 'rank_by is a measure of which more is better; not "RBPResidual"'),
        ("public = 0.0001", "queries on both sides"),
        ("public = 0.9999", "queries on both sides"),
        ('queries = "none.txt"', "none.txt"),
    ],
)
def test_a_board_that_cannot_judge_does_not_start(
    build: Build, sqlite: str, tmp_path: Path, settings: str, message: str
):
    (tmp_path / "undefined.toml").write_text('without_relevant = "undefined"\n')
    with pytest.raises(BoardError, match=message):
        build(sqlite, settings)


@pytest.mark.parametrize(
    ("rules", "qrels", "message"),
    [
        ("llama-index", f"{QRELS}\nq20 0 d 0", "query q20 has no relevant document"),
        ("market1501", "q0 0 d 0", "no query of the truth counts under its rules"),
    ],
)
def test_a_truth_under_which_nothing_could_be_scored_is_refused(
    build: Build, sqlite: str, rules: str, qrels: str, message: str
):
    with pytest.raises(BoardError, match=f"board 'main': {message}"):
        build(sqlite, f'rules = "{rules}"', qrels=qrels)


def test_the_commands_write_settings_and_hand_out_tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text(QRELS)

    def call(*args: str, status: int = 0) -> str:
        done = CliRunner().invoke(truerank, ["board", *args])
        assert done.exit_code == status, done.output
        return done.output

    call("init", "--name", "mine")
    assert "is there already" in call("init", status=2)
    assert "tr_" in call("add-team", "A")
    assert "tr_" in call("add-host", "H")
    assert "tr_" in call("token", "A")
    assert "revoked 2 tokens" in call("revoke", "A")
    assert "revoked 0 tokens" in call("revoke", "A")
    assert "already" in call("add-team", "A", status=2)
    assert call("export", "mine") == ""
    assert "no board called 'yours'" in call("export", "yours", status=2)
    assert "was never served" in call("rescore", "mine", status=2)
    assert "backed up the database and 1 file\n" in call("backup", "copy")
    assert "copy: this is a backup of SQLite" in call("restore", "copy", status=2)
    (tmp_path / "other").mkdir()
    assert "other: this is no backup of PostgreSQL: tables.jsonl is not" in call("restore", "other", status=2)
    assert json.loads(json.dumps(load(tmp_path / "board.toml").boards[0].name)) == "mine"


def test_settings_that_no_command_would_take_are_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    for name in ("two words", 'a"b'):
        done = CliRunner().invoke(truerank, ["board", "init", "--name", name])
        assert (done.exit_code, list(tmp_path.iterdir())) == (2, [])
        assert "name is small letters, digits and hyphens" in done.output
    path = 'the "hidden"\\truth'
    assert CliRunner().invoke(truerank, ["board", "init", "--truth", path]).exit_code == 0
    assert load(tmp_path / "board.toml").boards[0].truth == tmp_path / path


def test_nothing_is_said_to_be_served_that_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "board.toml").write_text('[[boards]]\nname = "a"\ntruth = "none.txt"')
    done = CliRunner().invoke(truerank, ["serve", "--port", "0"])
    assert done.exit_code == 2
    assert "none.txt: there is no such file" in done.output
    assert "serving" not in done.output


def test_where_the_system_cannot_limit_work_the_service_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "board.toml").write_text('[[boards]]\nname = "a"')
    there = serve.find_spec
    monkeypatch.setattr(serve, "find_spec", lambda name: None if name == "fcntl" else there(name))
    done = CliRunner().invoke(truerank, ["serve", "--port", "0"])
    assert (done.exit_code, "needs Linux or macOS" in done.output) == (2, True)


def test_an_address_that_is_taken_is_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    import socket

    monkeypatch.chdir(tmp_path)
    (tmp_path / "board.toml").write_text('[[boards]]\nname = "a"')
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = CliRunner().invoke(truerank, ["serve", "--port", str(taken.getsockname()[1])])
    assert done.exit_code == 2
    assert "cannot listen on 127.0.0.1" in done.output
