"""Executors that die, a master with two workers, and the command line."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pyarrow
import pytest
from click.testing import CliRunner

import truerank as tr
from truerank.cli import truerank

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")

QRELS = {f"q{i}": {f"d{(7 * i + j) % 30}": j % 4 for j in range(8)} for i in range(30)}
RUN = {f"q{i}": {f"d{j}": float((i * j) % 11) for j in range(25)} for i in range(2, 32)}
ROWS = [(query, doc, score) for query, docs in RUN.items() for doc, score in docs.items()]
MEASURES = "nDCG@10 AP RR P@10 R@100"


def write(folder: Path) -> tuple[Path, Path]:
    """Judgements, and a run whose files cut queries."""
    qrels, run = folder / "qrels.txt", folder / "run"
    qrels.write_text("".join(f"{q} 0 {d} {g}\n" for q, docs in QRELS.items() for d, g in docs.items()))
    run.mkdir()
    for number in range(3):
        rows = ROWS[number * 260 : (number + 1) * 260]
        text = "".join(f"{query} Q0 {doc} 1 {score!r} tag\n" for query, doc, score in rows)
        (run / f"{number}.run").write_text(text)
    (run / "_SUCCESS").touch()
    return qrels, run


def test_an_executor_that_is_killed_changes_no_bit(spark: SparkSession, tmp_path: Path) -> None:
    pid, killed = tmp_path / "pid", []

    def slow(batches: Iterator[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        context = TaskContext.get()
        for batch in batches:
            if context and context.partitionId() == 1 and not pid.exists():
                line = Path(f"/proc/{os.getppid()}/stat").read_text().split()  # of the daemon that forks workers
                pid.with_suffix(".new").write_text(line[3])
                pid.with_suffix(".new").rename(pid)
                time.sleep(60)
            yield batch

    def kill() -> None:
        while not pid.exists():
            time.sleep(0.05)
        killed.append(int(pid.read_text()))
        os.kill(killed[0], signal.SIGKILL)

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    frame = spark.createDataFrame(ROWS, "query string, doc string, score double").repartition(4, "query")
    found = tr.spark.evaluate(QRELS, frame.mapInArrow(slow, frame.schema), MEASURES, plan="passes")
    killer.join(10)
    wanted = tr.evaluate(QRELS, RUN, MEASURES)
    assert len(killed) == 1
    assert not Path(f"/proc/{killed[0]}").exists()
    assert found.columns.keys() == wanted.columns.keys()
    assert all(found.columns[name].tobytes() == wanted.columns[name].tobytes() for name in wanted.columns)
    assert found.ledger == wanted.ledger


def evaluated(*arguments: object) -> Any:
    done = CliRunner().invoke(
        truerank, ["eval", *map(str, arguments), "-m", MEASURES, "--format", "json", "--per-query"]
    )
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout), done.stderr


def test_the_command_reads_runs_on_spark(spark: SparkSession, tmp_path: Path) -> None:
    qrels, run = write(tmp_path)
    whole = tmp_path / "whole.run"
    whole.write_bytes(b"".join(path.read_bytes() for path in sorted(run.glob("*.run"))))
    (found, said), (wanted, _) = evaluated(qrels, run, "--engine", "spark"), evaluated(qrels, whole)
    assert found["queries"] == wanted["queries"]
    assert found["ledger"] == {**wanted["ledger"], "interleaved": True}
    assert "paths: tasks read the files themselves" in said


def test_a_master_that_cannot_be_had_is_told_in_one_line(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from py4j.protocol import Py4JJavaError

    def refuse(builder: Any) -> None:
        said = "IllegalStateException: the context is stopped\n  at …"
        raise Py4JJavaError("while calling", SimpleNamespace(_target_id="o1", toString=lambda: said))

    monkeypatch.setattr(type(spark), "getActiveSession", lambda: None)
    monkeypatch.setattr(type(spark.builder), "getOrCreate", refuse)
    qrels, run = write(tmp_path)
    arguments = ["eval", str(qrels), str(run), "--engine", "spark", "--master", "spark://127.0.0.1:1"]
    done = CliRunner().invoke(truerank, arguments)
    assert done.exit_code == 2
    end = "IllegalStateException: the context is stopped; is there such a master, and does it answer?"
    assert done.stderr.strip() == f"truerank: Spark does not start: {end}"


def test_tasks_on_this_machine_run_this_python_unless_another_is_named(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    from truerank.interop.spark.evaluation import session

    monkeypatch.setattr(type(spark), "getActiveSession", lambda: None)  # as where there is none, and one is made
    monkeypatch.setattr(spark.sparkContext, "pythonExec", "python-of-another")
    assert session().sparkContext.pythonExec == "python-of-another"
    monkeypatch.delenv("PYSPARK_PYTHON")
    assert session().sparkContext.pythonExec == "python-of-another"  # of a master elsewhere
    monkeypatch.setattr(spark.sparkContext, "master", "local[2]")
    assert session().sparkContext.pythonExec == sys.executable


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "--master", "local[1]"), "--master is for --engine spark"),
        (("run", "--engine", "spark", "--master", "locl[1]"), "yarn, not 'locl[1]'"),
        (("-", "--engine", "spark"), "Standard input (-) cannot be read on Spark"),
        (("run", "--engine", "spark", "--threads", "2"), "--threads is for one machine"),
        (("run/none*", "--engine", "spark"), "there is no file in it"),
        (("run/0.run", "--engine", "spark", "--rules", "science-qa"), "read query by query"),
        (("run/none", "--engine", "spark"), "run/none: there is no such file"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(
    spark: SparkSession, tmp_path: Path, arguments: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    qrels, _ = write(tmp_path)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(truerank, ["eval", str(qrels), *arguments])
    assert done.exit_code == 2
    assert said in done.output


@pytest.mark.parametrize("log", ["_delta_log/0.json", "metadata/v1.metadata.json"])
def test_files_of_a_remote_table_with_a_log_are_refused(spark: SparkSession, tmp_path: Path, log: str) -> None:
    _, run = write(tmp_path)
    (run / log).parent.mkdir()
    (run / log).touch()
    memory = pytest.importorskip("fsspec").filesystem("memory")
    memory.put(str(run), "/table", recursive=True)
    with pytest.raises(tr.InputError, match=r"this is a table of .*give the DataFrame"):
        tr.spark.evaluate(QRELS, "memory://table")
    memory.rm("/table", recursive=True)


def test_an_iceberg_table_is_refused_as_on_one_machine(spark: SparkSession, tmp_path: Path) -> None:
    _, run = write(tmp_path)
    (run / "metadata").mkdir()
    (run / "metadata" / "v1.metadata.json").touch()
    with pytest.raises(tr.InputError, match="this is an Iceberg table: give its metadata file"):
        tr.spark.evaluate(QRELS, run)


def test_a_delta_table_is_what_its_log_says(spark: SparkSession, tmp_path: Path) -> None:
    deltalake = pytest.importorskip("deltalake")
    query, doc, score = map(list, zip(*ROWS, strict=True))
    table = pyarrow.table({"query_id": query, "doc_id": doc, "score": score})
    deltalake.write_deltalake(str(tmp_path / "delta"), table.slice(0, 100))
    deltalake.write_deltalake(str(tmp_path / "delta"), table.slice(100), mode="append")
    shutil.copy(next((tmp_path / "delta").glob("*.parquet")), tmp_path / "delta" / "part-left-over.parquet")
    found, wanted = (evaluate(QRELS, tmp_path / "delta", MEASURES) for evaluate in (tr.spark.evaluate, tr.evaluate))
    assert {name: each.tolist() for name, each in found.columns.items()} == {
        name: each.tolist() for name, each in wanted.columns.items()
    }


def test_an_iceberg_table_is_what_its_metadata_says(spark: SparkSession, tmp_path: Path) -> None:
    pytest.importorskip("pyiceberg")
    from pyiceberg.catalog.sql import SqlCatalog

    query, doc, score = map(list, zip(*ROWS, strict=True))
    rows = pyarrow.table({"query_id": query, "doc_id": doc, "score": score})
    catalog = SqlCatalog("here", uri=f"sqlite:///{tmp_path}/catalog.db", warehouse=tmp_path.as_uri())
    catalog.create_namespace("runs")
    table = catalog.create_table("runs.bm25", schema=rows.schema)
    for part in (rows.slice(0, 100), rows.slice(100), rows.slice(0, 1).set_column(1, "doc_id", [["gone"]])):
        table.append(part)
    table.delete("doc_id = 'gone'")
    path = table.metadata_location.removeprefix("file://")
    found, wanted = tr.spark.evaluate(QRELS, path, MEASURES), tr.evaluate(QRELS, RUN, MEASURES)
    assert found.mean == wanted.mean
    catalog.engine.dispose()


def test_a_master_with_two_workers_and_a_speculative_copy_of_a_task(
    spark: SparkSession, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    def slow(batches: Iterator[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        context = TaskContext.get()
        if context and context.partitionId() == 1:
            (tmp_path / f"attempt-{context.attemptNumber()}").touch()
            time.sleep(0 if context.attemptNumber() else 300)
        yield from batches

    assert spark.sparkContext.master.startswith("spark://")
    qrels, run = write(tmp_path)
    frame = spark.createDataFrame(ROWS, "query string, doc string, score double").repartition(3)
    found = [tr.spark.evaluate(qrels, run, MEASURES)]
    found += [tr.spark.evaluate(qrels, frame, MEASURES, plan=plan) for plan in ("partitions", "passes", "shuffle")]
    setting, live = "spark.speculation.quantile", spark.sparkContext._jsc.sc().conf()  # the rest have a copy
    request.addfinalizer(partial(live.set, setting, live.get(setting)))
    live.set(setting, "0.5")
    found.append(tr.spark.evaluate(qrels, frame.mapInArrow(slow, frame.schema), MEASURES, plan="passes"))
    wanted = tr.evaluate(QRELS, RUN, MEASURES)
    columns = {name: column.tobytes() for name, column in wanted.columns.items()}
    for each in found:
        assert {name: column.tobytes() for name, column in each.columns.items()} == columns
    assert sorted(path.name for path in tmp_path.glob("attempt-*")) == ["attempt-0", "attempt-1"]


def test_the_page_of_the_documents_runs(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = Path(__file__).parents[3] / "docs" / "spark.md"
    blocks = re.findall(r"^```py\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    _, run = write(tmp_path)
    (tmp_path / "runs").mkdir()
    run.rename(tmp_path / "runs" / "bm25")
    monkeypatch.chdir(tmp_path)
    frame = spark.createDataFrame(ROWS, "query string, doc string, score double").coalesce(1)
    judgements = [(query, doc, grade) for query, docs in QRELS.items() for doc, grade in docs.items()]
    judged = spark.createDataFrame(judgements, "query string, doc string, grade int")
    known = {"tr": tr, "qrels": QRELS, "frame": frame, "judged": judged}
    for block in blocks:
        exec(compile(block, page.name, "exec"), known)
    assert "partitions: tasks read the partitions as they are" in capsys.readouterr().out
