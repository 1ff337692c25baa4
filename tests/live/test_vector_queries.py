"""Queries that are vectors, indexes that take them, and a sweep's quality against throughput."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import truerank as tr
from truerank.cli import truerank
from truerank.live import SimulatedClock, front, sweep
from truerank.live.queries import read_queries
from truerank.live.retriever import Answer, Retriever
from truerank.present import bench as report
from truerank.present.pareto import figure
from truerank.truth.neighbours import neighbours

BASE = np.random.default_rng(5).random((60, 4)).astype(np.float32)
QUERIES = BASE[:40] + np.float32(0.01)
EXACT = np.array([np.argsort(((BASE - query) ** 2).sum(axis=1), kind="stable")[:5] for query in QUERIES])


def index(clock, probes):
    """A search that looks at the first documents only, and takes a millisecond for ten."""

    def search(query, k):
        clock.sleep(probes / 10_000)
        away = ((BASE[:probes] - query) ** 2).sum(axis=1)
        order = np.argsort(away, kind="stable")[:k]
        return away[order], order

    return search


def swept(**how):
    clock = SimulatedClock()
    right = neighbours(EXACT, k=5)
    return sweep(
        lambda probes: index(clock, probes), QUERIES, right, over={"probes": [20, 40, 60]}, k=5,
        measures="R@5", rules="big-ann", clock=clock, **how,
    )  # fmt: skip


def files(folder: Path) -> dict[str, Path]:
    """The queries in a file of each kind."""
    np.save(folder / "q.npy", QUERIES)
    np.savez(folder / "q.npz", queries=QUERIES, other=BASE)
    (folder / "q.fvecs").write_bytes(b"".join(struct.pack("<i", 4) + row.tobytes() for row in QUERIES))
    (folder / "q.fbin").write_bytes(struct.pack("<II", *QUERIES.shape) + QUERIES.tobytes())
    return {kind: folder / f"q.{kind}" for kind in ("npy", "npz", "fvecs", "fbin")}


def test_two_vectors_of_one_id_are_refused():
    with pytest.raises(tr.InputError, match=r"query 1 comes twice \(the second time as number 2\)"):
        read_queries({1: [0.5, 1.0], "1": [0.0, 2.0]})


@pytest.mark.parametrize("kind", ["npy", "npz", "fvecs", "fbin"])
def test_files_of_vectors_hold_the_same_queries(kind, tmp_path):
    found = read_queries(files(tmp_path)[kind])
    assert list(found) == [str(row) for row in range(40)]
    assert np.array_equal(list(found.values()), QUERIES)


def test_hdf5_holds_its_queries_as_test(tmp_path):
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    with h5py.File(tmp_path / "x.hdf5", "w") as file:
        file["train"], file["test"], file["neighbors"] = BASE, QUERIES, EXACT
    assert np.array_equal(list(read_queries(tmp_path / "x.hdf5").values()), QUERIES)


@pytest.mark.parametrize("queries", [QUERIES, QUERIES.tolist(), list(QUERIES)], ids=["array", "lists", "rows"])
def test_vectors_in_memory_are_numbered_from_0(queries):
    found = read_queries(queries)
    assert list(found) == [str(row) for row in range(40)]
    assert np.allclose(list(found.values()), QUERIES)
    assert read_queries({"a": QUERIES[0], 7: QUERIES[1]})["7"].tolist() == QUERIES[1].tolist()


@pytest.mark.parametrize(
    ("queries", "said"),
    [
        (np.zeros(3), r"a table of numbers, one row per query, not float64 of shape \(3,\)"),
        (np.array([["a"]]), "a table of numbers"),
        (np.ma.masked_less([[1.0], [-1.0]], 0), "there are masked values in an array"),
        ({"a": np.ma.masked_less([1.0, -1.0], 0)}, "there are masked values in an array"),
        (np.array([[1.0], [np.nan]]), "query 1 has a number that is not finite"),
        ([[1.0], [1.0, 2.0]], "the vectors of queries are not of one length"),
        (np.zeros((0, 3)), "a table of numbers"),
    ],
)
def test_what_is_no_table_of_vectors_is_refused(queries, said):
    with pytest.raises(tr.InputError, match=said):
        read_queries(queries)


def test_a_file_without_vectors_is_refused(tmp_path):
    np.savez(tmp_path / "x.npz", a=QUERIES, b=QUERIES)
    with pytest.raises(tr.InputError, match="none of the arrays is called queries or test"):
        read_queries(tmp_path / "x.npz")
    np.save(tmp_path / "x.npy", QUERIES[0])
    with pytest.raises(tr.InputError, match=r"vectors of queries are a table of numbers, .* of shape \(\d,\)"):
        read_queries(tmp_path / "x.npy")


def test_a_function_is_given_each_vector():
    given = []

    def search(query, k):
        given.append(query)
        return ["0"]

    tr.bench(search, QUERIES, plain=True)
    assert np.array_equal(given, QUERIES)


def test_a_retriever_is_not_given_what_it_does_not_take():
    texts = Retriever("texts", lambda query, k: ["a"], lambda raw: Answer(("a",), (1.0,)))
    with pytest.raises(tr.InputError, match="texts takes texts, and the queries are vectors"):
        tr.bench(texts, QUERIES)
    vectors = Retriever("vectors", lambda query, k: ["a"], lambda raw: Answer(("a",), (1.0,)), takes="vectors")
    with pytest.raises(tr.InputError, match="vectors takes vectors, and the queries are texts"):
        tr.bench(vectors, ["tea"])


def test_recall_of_a_sweep_is_that_of_a_loop_over_sets():
    for one, probes in zip(swept(), (20, 40, 60), strict=True):
        answers = [index(SimulatedClock(), probes)(query, 5)[1] for query in QUERIES]
        wanted = [len(set(a) & set(b)) / 5 for a, b in zip(EXACT.tolist(), map(list, answers), strict=True)]
        assert one.scores["P@5"].tolist() == [wanted[int(query)] for query in one.scores.queries]


def test_a_sweep_is_set_against_throughput():
    found = swept()
    assert [round(one.throughput, 6) for one in found] == [500.0, 250.0, round(1000 / 6, 6)]
    assert front(found, "P@5", "throughput") == front(found, "P@5", "mean") == {0, 1, 2}
    limits = found[0].throughput_interval
    assert (limits.low, limits.estimate, limits.high) == pytest.approx((500, 500, 500))
    assert "and answers a second, no other setting" in report.sweep_document(found, "throughput").render()
    drawn = figure(found, "throughput")
    assert drawn.title == "Quality against throughput"
    rows = drawn.specification["data"]["values"]
    assert [(row["left"], row["speed"], row["right"]) for row in rows] == [
        (pytest.approx(one.throughput),) * 3 for one in found
    ]
    assert [row["low"] < row["quality"] < row["high"] for row in rows[:2]] == [True, True]


def test_the_throughput_of_an_open_loop_has_no_interval():
    clock = SimulatedClock()
    found = tr.bench(index(clock, 20), QUERIES, rate=100, clock=clock)
    assert found.throughput_interval is None


def test_the_throughput_has_no_interval_where_a_call_failed():
    def search(query, k):
        if query[0] == QUERIES[3][0]:
            raise RuntimeError("no such query")
        return ["0"]

    found = tr.bench(search, QUERIES, warmup=0)
    assert (found.failed, found.throughput > 0, found.throughput_interval) == (1, True, None)


def test_the_limits_of_a_throughput_are_those_of_the_mean_time_of_a_call():
    clock = SimulatedClock()
    times = iter(range(1, 1000))

    def search(query, k):
        clock.sleep(next(times) / 1000)
        return ["0"]

    found = tr.bench(search, QUERIES, warmup=0, clock=clock)
    mean, limits = found.intervals["mean"], found.throughput_interval
    assert limits.estimate == pytest.approx(1000 / mean.estimate)
    assert (limits.low, limits.high) == pytest.approx((1000 / mean.high, 1000 / mean.low))


def faiss_like():
    """A class that is called, and lives, as FAISS's indexes do."""

    class Index:
        def search(self, queries, k):
            away = ((BASE - queries) ** 2).sum(axis=1)
            order = np.argsort(away, kind="stable")[:k]
            return away[order][None], order[None]

    Index.__module__ = "faiss.swigfaiss"
    return Index()


def hnswlib_like():
    class Index:
        def knn_query(self, query, k):
            distances, ids = faiss_like().search(query, k)
            return ids.astype(np.uint64), distances

    Index.__module__ = "hnswlib"
    return Index()


def real_faiss():
    faiss = pytest.importorskip("faiss", reason="faiss is not installed")
    made = faiss.IndexFlatL2(4)
    made.add(BASE)
    return made


def real_hnswlib():
    hnswlib = pytest.importorskip("hnswlib", reason="hnswlib is not installed")
    made = hnswlib.Index("l2", 4)
    made.init_index(len(BASE), ef_construction=200, M=16)
    made.add_items(BASE)
    made.set_ef(60)
    return made


@pytest.mark.parametrize(
    "made", [faiss_like, hnswlib_like, real_faiss, real_hnswlib], ids=lambda made: made.__name__
)
def test_an_index_is_asked_as_it_is(made):
    right = neighbours(EXACT, k=5)
    found = tr.bench(made(), QUERIES, right, k=5, measures="R@5", rules="big-ann")
    assert (found.describe["kind"], found.outcomes["ok"]) == ("index of vectors", 40)
    assert found.scores.mean == {"P@5": 1.0}


def test_the_command_sweeps_an_index_by_a_file_of_vectors(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    files(tmp_path)
    np.save("base.npy", BASE)
    np.save("exact.npy", EXACT)
    Path("near.py").write_text(
        "import numpy as np\n"
        "BASE = np.load('base.npy')\n"
        "def index(probes):\n"
        "    return lambda query, k: np.argsort(((BASE[:probes] - query) ** 2).sum(axis=1), kind='stable')[:k]\n"
    )
    asked = ["--queries", "q.fvecs", "--qrels", "exact.npy", "--qrels-format", "numpy(k=5)", "-k", "5", "-m", "R@5"]
    words = ["bench", "near:index", "--sweep", "probes=20,60", *asked, "--rules", "big-ann"]
    try:
        done = CliRunner().invoke(
            truerank, [*words, "--against", "throughput", "--plot", "front.svg", "-o", "all.json"]
        )
    finally:
        sys.modules.pop("near", None)
    assert done.exit_code == 0, done.output
    assert "and answers a second, no other" in done.stdout
    assert "Quality against throughput" in Path("front.svg").read_text("utf-8")
    shown = CliRunner().invoke(truerank, ["bench", "--show", "all.json", "--against", "p99", "--plot", "p99.svg"])
    assert "and p99, no other" in shown.stdout
    assert "latency p99, ms" in Path("p99.svg").read_text("utf-8")


class Index:
    """What has a search of its own."""

    def search(self, rows, k):
        raise AssertionError


def test_a_function_of_k_that_returns_an_index_is_answered_with_what_sweeps_it():
    def by_k(k):
        return Index()

    with pytest.raises(tr.InputError, match=r"It is an index: .* by another name than k, concurrency and rate"):
        sweep(by_k, BASE[:2], {"0": ["0"]}, over={"k": [1, 4]}, measures="RR")
