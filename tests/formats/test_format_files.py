"""Several files as one run: folders, globs, lists of paths, Delta tables."""

from __future__ import annotations

import gzip
import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet as pq

import truerank as tr
from truerank.formats import convert

Rows = list[tuple[str, str, float]]


@pytest.fixture(scope="module")
def rows(run) -> Rows:
    return [(q, d, s) for q, answer in run.items() for d, s in answer.items()]


def cut(rows: Rows, n: int) -> list[Rows]:
    return [rows[i * len(rows) // n : (i + 1) * len(rows) // n] for i in range(n)]


def by_query(rows: Rows, n: int) -> list[Rows]:
    queries = list(dict.fromkeys(q for q, _, _ in rows))
    return [[row for row in rows if queries.index(row[0]) * n // len(queries) == i] for i in range(n)]


def shuffled(rows: Rows, n: int) -> list[Rows]:
    return cut(random.Random(3).sample(rows, len(rows)), n)


def text(rows: Rows) -> bytes:
    return "".join(f"{q} Q0 {d} 0 {s!r} t\n" for q, d, s in rows).encode()


def parquet(rows: Rows, path: Path) -> None:
    names = ["query_id", "doc_id", "score"]
    table = pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path, row_group_size=60)


@pytest.mark.parametrize("threads", [1, 2, 3, 20])
@pytest.mark.parametrize("split", [by_query, cut, shuffled])
def test_a_folder_of_parquet_files_gives_the_bits_of_the_dict(
    split, threads, rows, qrels, bits, expected, tmp_path
):
    for i, part in enumerate(split(rows, 5)):
        parquet(part, tmp_path / "run" / f"day={i}" / "part-0.parquet")  # as Hive partitions
    (tmp_path / "run" / "_SUCCESS").touch()
    (tmp_path / "run" / "day=0" / ".part-0.parquet.crc").write_bytes(b"x")
    for run in (tmp_path / "run", tmp_path / "run" / "*" / "*.parquet", str(tmp_path / "ru[n]")):
        assert bits(qrels, run, threads=threads) == expected
    assert tr.evaluate(qrels, tmp_path / "run", "AP").ledger.interleaved == (split is shuffled)


@pytest.mark.parametrize("pattern", ["**", "**/*", "*"])
def test_a_file_that_a_pattern_finds_beside_its_folder_is_read_once(pattern, tmp_path):
    for name, doc in [("1.trec", "x"), ("a/2.trec", "y"), ("a/b/3.trec", "z")]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"q Q0 {doc} 1 2.0 t\n")
    found = tr.read({"q": ["z"]}, tmp_path / pattern, rules=tr.Rules(duplicates="count"))
    assert found.hits.returned.tolist() == [3]


@pytest.mark.parametrize("threads", [1, 2, 20])
@pytest.mark.parametrize("split", [by_query, cut, shuffled])
def test_text_files_that_a_glob_finds_give_the_bits_of_the_dict(
    split, threads, rows, qrels, bits, expected, tmp_path, monkeypatch
):
    monkeypatch.setattr("truerank.formats.trec.PIECE", 1)
    for i, part in enumerate(split(rows, 3)):
        (tmp_path / f"run-{i}.trec").write_bytes((b"", b"\xef\xbb\xbf", b"# a comment\n")[i] + text(part)[:-1])
    packed = tmp_path / "run-1.trec"
    (tmp_path / "run-1.trec.gz").write_bytes(gzip.compress(packed.read_bytes()))
    packed.unlink()
    files = sorted(tmp_path.glob("run-*"))
    for run in (tmp_path / "run-*", [str(path) for path in files], files):
        assert bits(qrels, run, threads=threads) == expected


def test_ties_by_input_follow_the_names_of_the_files(tmp_path):
    (tmp_path / "b.run").write_bytes(b"q Q0 x 1 1 t\n")
    (tmp_path / "a.run").write_bytes(b"q Q0 a 1 1 t\n")
    for threads in (1, 2):
        scores = tr.evaluate({"q": ["x"]}, tmp_path, "RR", rules={"ties": "input"}, threads=threads)
        assert scores.mean == {"RR": 0.5}


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"q1 Q0 a 1 high t\n", "b.run:3: the score is no number"),
        (b"q9 Q0 a 1\n", "b.run:3: a run line has 6 columns"),
        (b"q1 Q0 d0 1 2.5 t\n", r"b.run:3: document d0 is .* \(files that .* one run; compare\(.*; mend the run"),
        (b"q2 Q0 d2 1 2.5 t\n", r"b.run:3: document d2 is returned twice for query q2( \(first in line 2\))?;"),
    ],
)
def test_an_error_names_the_file_and_its_line(line, message, threads, tmp_path):
    (tmp_path / "a.run").write_bytes(b"".join(b"q1 Q0 d%d 1 2.5 t\n" % i for i in range(50)))
    (tmp_path / "b.run").write_bytes(b"q2 Q0 d1 1 2.5 t\nq2 Q0 d2 1 2.5 t\n" + line)
    with pytest.raises(tr.InputError, match=message):
        tr.evaluate({"q1": ["d1"], "q2": ["d1"]}, tmp_path, "RR", threads=threads)


def test_a_folder_of_any_format_is_read_when_it_is_named(tmp_path):
    for i in range(3):
        (tmp_path / f"part-{i}.json").write_text(f'{{"query_id": "q{i}", "doc_id": "a", "score": 1}}\n')
    run = tr.open_run(str(tmp_path), format="jsonl")
    assert tr.evaluate({f"q{i}": ["a"] for i in range(3)}, run, "RR").mean == {"RR": 1.0}


@pytest.mark.parametrize("scheme", ["file://", "file:"])
def test_a_url_of_files_here_is_their_path(scheme, rows, qrels, bits, expected, tmp_path):
    for i, part in enumerate(cut(rows, 3)):
        parquet(part, tmp_path / f"part-{i}.parquet")
    for path in (tmp_path, tmp_path / "*.parquet"):
        assert bits(qrels, f"{scheme}{path}") == expected
    convert(f"{scheme}{tmp_path}", tmp_path / "all.run", what="run")
    assert bits(qrels, f"{scheme}{tmp_path / 'all.run'}") == expected


@pytest.mark.parametrize("form", ["trec", "csv", "jsonl"])
@pytest.mark.parametrize("packed", [False, True])
def test_partitions_without_rows_are_passed_over(packed, form, tmp_path):
    row = {
        "trec": b"q Q0 a 1 1.0 t\n",
        "csv": b"query_id,doc_id,score\nq,a,1.0\n",
        "jsonl": b'{"query_id": "q", "docs": ["a"]}\n',
    }
    for i, data in enumerate((b"", row[form], b"")):
        (tmp_path / f"part-{i}").write_bytes(gzip.compress(data) if packed else data)
    for run in (tmp_path, tmp_path / "*", sorted(tmp_path.iterdir())):
        assert tr.evaluate({"q": ["a"]}, run, "RR").mean == {"RR": 1.0}
    (tmp_path / "part-1").write_bytes(b"")
    with pytest.raises(tr.InputError, match="part-0: the file is empty"):
        tr.evaluate({"q": ["a"]}, tmp_path, "RR")


def test_json_lines_that_an_engine_calls_json_are_a_run(tmp_path):
    line = '{"query_id": "q", "doc_id": "%s", "score": %d}\n'
    for i, lines in enumerate(("", line % ("a", 3) + line % ("b", 2), line % ("c", 1))):
        (tmp_path / f"part-{i}.json").write_text(lines)
    (tmp_path / "_SUCCESS").touch()
    assert tr.evaluate({"q": ["b", "c"]}, tmp_path, "AP").mean == {"AP": (1 / 2 + 2 / 3) / 2}


def test_judgements_in_several_files_are_refused_for_what_they_are(tmp_path):
    (tmp_path / "a.qrels").write_text("q 0 a 1\n")
    for qrels in (tmp_path, tmp_path / "*.qrels"):
        with pytest.raises(
            tr.InputError, match=r"read as a run alone, not as qrels: .* put its files together into one"
        ):
            tr.evaluate(qrels, {"q": ["a"]}, "RR")


def test_what_holds_no_file_is_refused(tmp_path):
    with pytest.raises(tr.InputError, match="this is a directory, not a file"):
        tr.evaluate({"q": ["a"]}, tmp_path, "RR")
    with pytest.raises(tr.InputError, match="there is no such file"):
        tr.evaluate({"q": ["a"]}, tmp_path / "run-*", "RR")


@pytest.fixture
def iceberg(tmp_path) -> Any:
    """An empty table of Iceberg, whose catalog is SQLite."""
    pytest.importorskip("pyiceberg")
    from pyiceberg.catalog.sql import SqlCatalog

    catalog = SqlCatalog("here", uri=f"sqlite:///{tmp_path}/catalog.db", warehouse=tmp_path.as_uri())
    catalog.create_namespace("runs")
    kinds = {"query_id": pa.string(), "doc_id": pa.string(), "score": pa.float64()}
    yield catalog.create_table("runs.bm25", schema=pa.schema(kinds))
    catalog.engine.dispose()


def appended(table: Any, rows) -> None:
    columns = zip(["query_id", "doc_id", "score"], map(list, zip(*rows, strict=True)), strict=True)
    table.append(pa.table(dict(columns)))


def test_an_iceberg_table_is_its_current_snapshot(iceberg, rows, qrels, bits, expected):
    for part in cut(rows, 3):
        appended(iceberg, part)
    before = iceberg.metadata_location
    appended(iceberg, [("gone", "d", 1e9)])
    iceberg.delete("query_id = 'gone'")
    folder = Path(iceberg.location().removeprefix("file://"))
    assert len(list(folder.glob("data/*.parquet"))) == 4
    for metadata in (before, iceberg.metadata_location):  # URLs, as a catalog knows them
        assert bits(qrels, metadata) == bits(qrels, metadata.removeprefix("file://")) == expected
    assert bits(qrels, iceberg.scan().to_arrow_batch_reader()) == expected
    with pytest.raises(tr.InputError, match="this is an Iceberg table: give its metadata file, which the catalog"):
        tr.evaluate(qrels, folder)
    Path(iceberg.metadata_location.removeprefix("file://")).rename(folder / "metadata" / "v7.metadata.json")
    (folder / "metadata" / "version-hint.text").write_text("7\n")  # as tables without a catalog have it
    assert bits(qrels, folder) == expected


def test_an_iceberg_table_whose_files_are_not_its_rows_is_refused(iceberg, monkeypatch):
    path = iceberg.metadata_location.removeprefix("file://")
    with pytest.raises(tr.InputError, match="there is no file in it"):
        tr.evaluate({"q": ["a"]}, path)
    appended(iceberg, [("q", "a", 1.0)])
    with iceberg.update_schema() as update:
        update.rename_column("score", "similarity")
    planned, path = list(iceberg.scan().plan_files()), iceberg.metadata_location.removeprefix("file://")
    with pytest.raises(tr.InputError, match=r"\(columns were renamed or replaced\): give its rows, StaticTable"):
        tr.evaluate({"q": ["a"]}, path)
    deleted = [SimpleNamespace(file=task.file, delete_files={task.file}) for task in planned]
    monkeypatch.setattr("pyiceberg.table.DataScan.plan_files", lambda scan: deleted)
    with pytest.raises(tr.InputError, match=r"\(rows were deleted\): give its rows"):
        tr.evaluate({"q": ["a"]}, path)
    Path(path).write_text("{}")
    with pytest.raises(tr.InputError, match="the metadata of this Iceberg table cannot be read"):
        tr.evaluate({"q": ["a"]}, path)
    monkeypatch.setitem(__import__("sys").modules, "pyiceberg.table", None)
    with pytest.raises(tr.MissingPackage, match=r'needs: pip install "truerank\[iceberg\]"'):
        tr.evaluate({"q": ["a"]}, path)


@pytest.fixture
def delta(rows, tmp_path) -> Path:
    deltalake = pytest.importorskip("deltalake")
    for i, part in enumerate(cut(rows, 3)):
        names = ["query_id", "doc_id", "score"]
        table = pa.table(dict(zip(names, map(list, zip(*part, strict=True)), strict=True)))
        deltalake.write_deltalake(str(tmp_path / "delta"), table, mode="append" if i else "overwrite")
    return tmp_path / "delta"


def test_a_delta_table_is_what_its_log_says(delta, qrels, bits, expected):
    parquet([("q2", "gone", 1e9)], delta / "part-left-over.parquet")  # no file of the table any more
    assert bits(qrels, delta) == expected


def test_a_delta_table_without_a_log_that_can_be_read_is_refused(tmp_path):
    pytest.importorskip("deltalake")
    (tmp_path / "_delta_log").mkdir()
    parquet([("q", "a", 1.0)], tmp_path / "1.parquet")
    with pytest.raises(tr.InputError, match="the log of this Delta table cannot be read"):
        tr.evaluate({"q": ["a"]}, tmp_path, "RR")


def test_a_delta_table_needs_its_package(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "deltalake", None)
    (tmp_path / "_delta_log").mkdir()
    parquet([("q", "a", 1.0)], tmp_path / "1.parquet")
    with pytest.raises(tr.MissingPackage, match=r'needs: pip install "truerank\[delta\]"'):
        tr.evaluate({"q": ["a"]}, tmp_path, "RR")


def test_several_paths_are_one_run_in_a_list_or_a_tuple_and_several_by_name(tmp_path):
    paths = [tmp_path / "a.run", tmp_path / "b.json"]
    for number, path in enumerate(paths):
        tr.open_run({f"q{number}": ["a"]}).save(path)
    again = tmp_path / "c.run"
    tr.open_run({"q0": ["b"]}).save(again)
    qrels = {"q0": ["a", "b"], "q1": ["a"]}
    for together in ([paths[0], again], (str(paths[0]), str(again))):
        assert tr.evaluate(qrels, together, "R@5").mean == {"R@5": 0.5}
    for runs in ({"a": paths[0], "b": paths[1]}, {"a": str(paths[0])}, {"a": tr.open_run(paths[0])}):
        with pytest.raises(tr.InputError, match=r"several runs \('a'.*compare\(qrels, runs\)"):
            tr.evaluate(qrels, runs, "R@5")
    with pytest.raises(tr.InputError, match=r"a list of runs: compare\(qrels, runs\)"):
        tr.evaluate(qrels, list(map(tr.open_run, paths)), "R@5")
    two = [tmp_path / "1.json", tmp_path / "2.json"]
    for path in two:
        tr.open_run({"q0": {"a": 1.0}}).save(path)
    with pytest.raises(tr.InputError, match=r"document a is returned twice .*compare\(qrels, \[run, run\]\)"):
        tr.evaluate(qrels, two, "R@5")


@pytest.mark.parametrize("threads", [1, 2])
def test_a_query_that_two_files_answer_with_lists_is_refused(threads, tmp_path):
    for name, doc in (("a", "x"), ("b", "y")):
        (tmp_path / f"{name}.jsonl").write_text(f'{{"query_id": "q", "docs": ["{doc}"]}}\n')
    with pytest.raises(tr.InputError, match=r"query q comes twice, in .*a.jsonl too \(files .*compare"):
        tr.evaluate({"q": ["x"]}, tmp_path, "RR", threads=threads)
