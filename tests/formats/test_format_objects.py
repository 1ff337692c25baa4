"""Objects of other packages, as they are handed over: columns, tables, tensors, measures, judgements and scores."""

from __future__ import annotations

import dataclasses
import json
import math
import sys
import uuid
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

import truerank as tr
from truerank.present.ledger import remarks

JUDGED = {"q1": {"a": 1, "b": 0}, "q2": {"c": 2}}
SCORED = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"c": 0.5}}
QRELS = {"query_id": ["q1", "q1", "q2"], "doc_id": ["a", "b", "c"], "relevance": [1, 0, 2]}
RUN = {"qid": ["q1", "q1", "q2"], "docno": ["b", "a", "c"], "score": [2.0, 1.0, 0.5]}
EXPECTED = {"RR": 0.75, "AP": 0.75}


def mean(qrels: Any, run: Any) -> dict[str, float]:
    return tr.evaluate(qrels, run, "RR AP").mean


def test_columns_in_a_dict_are_rows():
    arrays = {name: np.array(values) for name, values in RUN.items()}
    assert mean(QRELS, RUN) == mean(QRELS, arrays) == mean(JUDGED, SCORED) == EXPECTED


@pytest.mark.parametrize(
    "docs",
    [
        [{"id": "a", "score": 1.0, "text": "…"}, {"id": "b", "score": 2.0, "text": "…"}],
        [{"_id": "a", "_score": 1.0, "_source": {}}, {"_id": "b", "_score": 2.0, "_source": {}}],
        [{"doc_id": "a", "rank": 2}, {"doc_id": "b", "rank": 1}],
        [{"doc_id": "b", "distance": 0.1}, {"doc_id": "a", "distance": 0.4}],
    ],
)
def test_a_query_s_list_of_objects_is_read_as_in_a_file_of_json(docs, tmp_path):
    run = {"q1": docs, "q2": [{"id": "c"}]}
    path = tmp_path / "run.json"
    path.write_text(json.dumps(run), "utf-8")
    assert mean(JUDGED, run) == mean(JUDGED, path) == EXPECTED


def test_queries_that_are_called_like_columns_are_queries():
    assert mean({"query": ["a"], "doc": ["b"]}, {"query": ["a"], "doc": ["x", "b"]})["RR"] == 0.75


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(tr.InputError, match="are not of one length"):
        mean(JUDGED, {**RUN, "score": [1.0]})


def test_several_runs_in_a_dict_name_what_takes_them():
    with pytest.raises(
        tr.InputError, match=r"several runs \('one', 'two'\).*compare\(qrels, runs\).*runs\['one'\]"
    ):
        mean(JUDGED, {"one": SCORED, "two": SCORED})
    with pytest.raises(tr.InputError, match=r"a list of runs: compare\(qrels, runs\) .*runs\[0\]"):
        mean(JUDGED, [SCORED, SCORED])
    with pytest.raises(tr.InputError, match=r"a list of runs: .*; all queries of a run stand in one dict"):
        mean(JUDGED, [{query: list(docs)} for query, docs in SCORED.items()])
    with pytest.raises(tr.InputError, match="a list of qrels: all queries stand in one dict"):
        mean([{query: list(docs)} for query, docs in SCORED.items()], SCORED)


class Dataset:
    """What a Hugging Face Dataset has of what is used."""

    column_names = tuple(RUN)

    def __init__(self, columns: dict[str, list[Any]]):
        self.columns = columns

    def with_format(self, kind: str) -> Dataset:
        assert kind == "arrow"
        return self

    def __getitem__(self, rows: slice) -> Any:
        return pytest.importorskip("pyarrow").table(self.columns)


class Splits(dict[str, Dataset]):
    """What a DatasetDict has of it."""

    column_names = dict.fromkeys(("dev", "test"), tuple(RUN))

    def with_format(self, kind: str) -> Splits:
        return self


def test_a_dataset_is_read_as_its_table():
    assert mean(Dataset(QRELS), Dataset(RUN)) == EXPECTED
    for several in ((QRELS, Splits(dev=Dataset(RUN), test=Dataset(RUN))), (Splits(dev=Dataset(QRELS)), RUN)):
        with pytest.raises(tr.InputError, match=r"^this has several splits, 'dev'.*: give one of them$"):
            mean(*several)


def test_a_dataset_of_hugging_face_itself():
    datasets = pytest.importorskip("datasets")
    made = datasets.Dataset.from_dict(RUN).select([2, 0, 1])
    assert mean(datasets.Dataset.from_dict(QRELS), made) == EXPECTED
    with pytest.raises(tr.InputError, match="several splits, 'train'"):
        mean(JUDGED, datasets.DatasetDict({"train": made}))


class Tensor:
    """What a tensor has of what is used."""

    dtype = "float32"

    def __init__(self, values: list[list[float]]):
        self.values = values

    def detach(self) -> Tensor:
        return self

    cpu = detach

    def numpy(self) -> Any:
        return np.array(self.values)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad")


IDS = np.arange(15).reshape(3, 5)
DISTANCES = np.array([[1.0, 2.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 5.0, 6.0, 9.0, 9.0]])


def test_scores_that_rise_along_every_row_of_arrays_are_told_of():
    qrels = {"0": ["0"], "1": ["5"], "2": ["10"]}
    reading = tr.read(qrels, (IDS, DISTANCES))
    parts = [tr.read(dict([pair]), (IDS, DISTANCES)) for pair in qrels.items()]
    for found in (reading, tr.merge(parts), type(reading).from_arrow(reading.to_arrow())):
        scores = tr.evaluate(found, measures="P@1")
        assert (scores.mean, scores.ledger.rising) == ({"P@1": 0.0}, True)  # scores they stay
    assert remarks(scores)[0].startswith("The scores rise along every list")
    short = np.where(np.arange(5) < [[5], [1], [5]], IDS, -1)
    for quiet in (
        (IDS, -DISTANCES),
        (IDS, None),
        (IDS[:2], DISTANCES[:2]),
        (IDS[:, :4], DISTANCES[:, :4]),  # of nine steps from a document to the next
        (IDS, np.sort(DISTANCES)[:, [1, 0, 2, 3, 4]]),
        (IDS, np.ones((3, 5))),
        (short, DISTANCES),  # two rows of several documents
    ):
        assert not tr.read(qrels, quiet).rising


def test_distances_in_dicts_and_lists_are_told_of_as_those_in_arrays():
    qrels = {"0": ["0"], "1": ["5"], "2": ["10"]}
    rows = list(enumerate(zip([*IDS.tolist(), [1, 2]], [*DISTANCES.tolist(), [0.5, 0.6]], strict=True)))
    found = {row: dict(zip(ids, far, strict=True)) for row, (ids, far) in rows}
    lists = {row: list(docs.items()) for row, docs in found.items()}
    arrays = {row: ([str(doc) for doc in docs], list(docs.values())) for row, docs in found.items()}
    for run in (found, lists, arrays):
        assert tr.read(qrels, run).rising
    for quiet in (
        {row: docs[::-1] for row, docs in lists.items()},
        {row: (ids, far[::-1]) for row, (ids, far) in arrays.items()},
        {row: {doc: -far for doc, far in docs.items()} for row, docs in found.items()},
        {row: found[row] for row in (0, 1)},
        {0: {doc: float(doc) for doc in range(20)}},
        found | {3: {1: 2.0, 2: 1.0}},
        found | {3: {1: 2.0, 2: 2.0}},
        {row: ids for row, (ids, _) in rows},
    ):
        assert not tr.read(qrels, quiet).rising


def test_a_users_ids_and_scores_are_two_arrays_in_a_dict():
    qrels = {"u": ["3"], "v": ["9"]}
    found = {"u": (np.array([2, 3, -1]), np.array([0.1, 0.9, -3e38], np.float32)), "v": ([7, 9], [0.5, 0.4])}
    assert tr.evaluate(qrels, found, "RR")["RR"].tolist() == [1.0, 0.5]
    with pytest.raises(tr.InputError, match=r"query 'u' has \(\[2, 3\], \[0.5\]\): documents are ids, or pairs"):
        tr.evaluate(qrels, {"u": ([2, 3], [0.5])}, "RR")


@pytest.mark.parametrize("listed", [lambda doc: [doc], lambda doc: [(doc, 0.5)]])
def test_of_a_retrievers_objects_it_is_said_how_they_become_documents(listed):
    class Document:
        def __init__(self):
            self.id = "3"

    with pytest.raises(tr.InputError, match=r"query 'u' has objects \(Document\): .*\(doc.id, doc.score\)"):
        tr.evaluate({"u": ["3"]}, {"u": listed(Document())}, "RR")


def test_a_row_of_ids_in_a_dict_may_be_short():
    assert tr.evaluate({"u": ["3"]}, {"u": np.array([2, 3, -1, -1])}, "RR NumRet").mean == {
        "RR": 0.5,
        "NumRet": 2.0,
    }


def test_a_series_of_pandas_is_the_lists_or_the_rows_that_it_holds():
    liked = pd.DataFrame({"user_id": ["u", "u", "v"], "item_id": [1, 2, 3], "rating": [5, 2, 4]})
    shown = pd.DataFrame({"user_id": ["u", "u", "v"], "item_id": [2, 1, 9], "score": [0.9, 0.5, 0.3]})
    rows = [each.set_index(["user_id", "item_id"]).iloc[:, 0] for each in (liked, shown)]
    assert tr.evaluate(*rows, "nDCG RR").mean == tr.evaluate(liked, shown, "nDCG RR").mean
    lists = [each.groupby("user_id").item_id.apply(list) for each in (liked, shown)]
    assert tr.evaluate(*lists, "RR")["RR"].tolist() == [1.0, 0.0]
    with pytest.raises(tr.InputError, match="query 'u' stands twice in the index"):
        tr.evaluate(liked, shown.set_index("user_id").item_id)


def test_ids_alone_are_answered_with_how_to_give_them():
    with pytest.raises(tr.InputError, match=r"\(ids, None\) where ids stand best first"):
        mean(JUDGED, IDS)
    assert tr.evaluate({"0": ["0"]}, (IDS, None), "P@1").mean == {"P@1": 1.0}


def test_tensors_are_arrays():
    run = (Tensor([[7, 3]]), Tensor([[0.9, 0.8]]))
    assert tr.evaluate({"0": {"3": 1}}, run, "RR").mean == {"RR": 0.5}
    torch = pytest.importorskip("torch")
    scores = torch.tensor([[0.9, 0.8]], dtype=torch.bfloat16, requires_grad=True)
    assert tr.evaluate({"0": {"3": 1}}, (torch.tensor([[7, 3]]), scores), "RR").mean == {"RR": 0.5}


@pytest.mark.parametrize("make", [dict.fromkeys, list, tuple])
def test_a_tensor_is_no_id(make):
    docs = [dataclasses.make_dataclass("Number", ["of"], eq=False, namespace={"detach": None})(7)] * 2
    for qrels, run in (({"q": make(docs)}, {"q": ["7"]}), ({"q": ["7"]}, {"q": make(docs)})):
        with pytest.raises(tr.InputError, match=r"an id is text or a whole number, not .*Number\(of=7\)"):
            tr.evaluate(qrels, run, "RR")


class Qrel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    iteration: str = "0"


class ScoredDoc(NamedTuple):
    query_id: str
    doc_id: str
    score: float


def test_tuples_of_ir_measures_are_rows_also_one_at_a_time():
    qrels = [Qrel(q, d, g) for q, docs in JUDGED.items() for d, g in docs.items()]
    run = [ScoredDoc(q, d, s) for q, docs in SCORED.items() for d, s in docs.items()]
    assert mean(qrels, run) == mean(iter(qrels), iter(run)) == EXPECTED


class Gone:
    """Rows that can be gone through, any number of times, as the qrels of a dataset of ir_datasets."""

    def __init__(self, rows):
        self.rows = rows

    def __iter__(self):
        return iter(self.rows)


def test_what_can_only_be_gone_through_is_rows():
    qrels = [Qrel(q, d, g) for q, docs in JUDGED.items() for d, g in docs.items()]
    run = [ScoredDoc(q, d, s) for q, docs in SCORED.items() for d, s in docs.items()]
    assert mean(Gone(qrels), Gone(run)) == mean(tuple(qrels), tuple(run)) == EXPECTED
    assert mean({"q": ["a"]}, (ScoredDoc("q", "b", 1.0), ScoredDoc("q", "a", 0.5)))["RR"] == 0.5


def test_a_set_is_no_run_for_it_has_no_order():
    with pytest.raises(tr.InputError, match="a run is a path"):
        tr.evaluate({"q": ["a"]}, {("q", ("a", "b"))}, "AP")


@dataclasses.dataclass
class Document:
    """As those of LangChain, Haystack and LlamaIndex, which are no keys of a dict."""

    id: str


class Hit:
    """A thing without a text of its own."""


@pytest.mark.parametrize("doc", [Document("a"), Hit()], ids=["document", "hit"])
def test_documents_that_are_objects_are_refused_and_no_ids(doc):
    for run in ({"q": [doc]}, {"q": [(doc, 0.5)]}, [("q", [doc])]):
        with pytest.raises(tr.InputError, match=r"query 'q' has \(?\[?.*: documents are ids, or pairs"):
            tr.evaluate({"q": ["a"]}, run, "RR")
    with pytest.raises(tr.InputError, match=r"documents are ids, or \{id: grade\}"):
        tr.evaluate({"q": [doc]}, {"q": ["a"]}, "RR")


@pytest.mark.parametrize("doc", [uuid.UUID(int=5), Path("a/b"), np.str_("a"), np.int64(5), b"a"], ids=str)
def test_what_has_a_text_of_its_own_is_an_id(doc):
    assert tr.evaluate({"q": [doc]}, {"q": [doc]}, "RR").mean == {"RR": 1.0}


class Iterated(NamedTuple):
    """As ir_measures' Qrel is."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str


SUBTOPICS = [Iterated("q", *row) for row in (("a", 1, "0"), ("a", 1, "1"), ("b", 2, "1"), ("c", 0, "0"))]


def test_the_iteration_of_a_tuple_is_what_the_rules_say(tmp_path):
    run, file = {"q": {"a": 2.0, "b": 1.0, "c": 3.0}}, tmp_path / "qrels"
    file.write_text("".join(f"q {row.iteration} {row.doc_id} {row.relevance}\n" for row in SUBTOPICS))
    means = [tr.evaluate(qrels, run, "alpha_nDCG@10 P_IA@5", rules="ndeval").mean for qrels in (SUBTOPICS, file)]
    assert means[0] == means[1]
    with pytest.raises(tr.InputError, match="if these are aspects, say so: iteration = 'aspect'"):
        tr.evaluate(SUBTOPICS, run, "AP")
    plain = tr.evaluate({"q": {"a": 1, "b": 2, "c": 0}}, run, "AP")
    assert tr.evaluate(SUBTOPICS[1:], run, "AP").mean == plain.mean


SCATTERED = [ScoredDoc("q1", "a", 1.0), ScoredDoc("q2", "b", 2.0), ScoredDoc("q1", "c", 2.0)]


@pytest.mark.parametrize(
    "run", [SCATTERED, [ScoredDoc(np.str_(q), d, np.float32(s)) for q, d, s in SCATTERED]], ids=["plain", "numpy"]
)
def test_tuples_may_be_scattered(run):
    assert tr.evaluate({"q1": {"a": 1}, "q2": {"b": 1}}, run, "RR")["RR"].tolist() == [0.5, 1.0]


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1)], ids=["together", "scattered"])
@pytest.mark.parametrize("number", [float, int, np.float32, np.int64, Decimal])
def test_triples_have_scores_of_any_kind_of_number(number, order):
    rows = [("q1", "b", number(2)), ("q1", "a", number(1)), ("q2", "c", number(3))]
    assert mean(JUDGED, [rows[place] for place in order]) == EXPECTED


@pytest.mark.parametrize("row", [(None, "a", 1), ("q", None, 1), ("q", ["a"], 1), ("", "a", 1), ("q", "", 1)])
def test_a_tuple_without_an_id_is_refused(row):
    with pytest.raises(tr.InputError, match="an id is text or a whole number"):
        tr.evaluate({"q": {"a": 1}}, [ScoredDoc(*row)], "RR")


def test_rows_may_be_lists_as_of_values_tolist() -> None:
    frame = pd.DataFrame({"query": ["q", "q"], "doc": ["a", "b"], "score": [0.5, 0.7]})
    judged, numbered = [["q", "a", 2], ["q", "b", 0]], [[1, 2, 0.5], [1, 3, 0.7]]
    assert tr.evaluate(judged, frame.to_numpy().tolist(), "RR nDCG").mean == {
        "RR": 0.5,
        "nDCG": pytest.approx(1 / math.log2(3)),
    }
    assert tr.evaluate({"1": {"2": 1}}, numbered, "RR").mean == {"RR": 0.5}
    with pytest.raises(tr.InputError, match=r"not \[\[1, 2, 1\]\]; lists of ids, one per query"):
        tr.evaluate([[1, 2, 1]], numbered, "RR")


@pytest.mark.parametrize(
    "rows",
    [
        [ScoredDoc("q", "a", 1.0), ("q", "b", 2.0)],
        [("q", "a", 1.0), ("q", "b", 2.0, 7)],
        [("q", "a", 1.0), ("q", "b")],
        [("q", "a", 1.0), {"query_id": "q", "doc_id": "b", "score": 2.0}],
    ],
)
def test_rows_of_other_kinds_in_one_list_are_refused(rows):
    said = "the rows of a list are all alike, not "
    with pytest.raises(tr.InputError, match=said):
        tr.evaluate({"q": {"a": 1}}, rows, "RR")
    with pytest.raises(tr.InputError, match=said):
        tr.evaluate(rows, {"q": ["a"]}, "RR")


def test_a_document_of_two_tuples_is_refused_or_counts_as_the_rules_say():
    run = [ScoredDoc("q", "a", 1.0), ScoredDoc("q", "b", 2.0), ScoredDoc("q", "a", 3.0)]
    with pytest.raises(tr.InputError, match="document a is returned twice for query q"):
        tr.evaluate({"q": {"a": 1}}, run, "RR")
    for which, value in (("first", 0.5), ("last", 1.0)):
        assert tr.evaluate({"q": {"a": 1}}, run, "RR", rules={"duplicates": which}).mean == {"RR": value}


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        ("nDCG(dcg='exp-log2')@10", "nDCG(gain='exp')@10"),
        ("ERR@5", "ERR(max_grade=4)@5"),
        ("Accuracy", "Accuracy"),
        ("Accuracy@5", "Accuracy(depth=5)"),
        ("Accuracy(rel=2)@5", "Accuracy(level=2, depth=5)"),
    ],
)
def test_measures_of_ir_measures_are_measures(monkeypatch, text, ours):
    kind = type("Measure", (), {"__module__": "ir_measures.measures", "__str__": lambda self: text})
    monkeypatch.setitem(sys.modules, "ir_measures", ModuleType("ir_measures"))
    assert str(tr.parse_measure(kind())) == ours
    assert list(tr.evaluate(JUDGED, SCORED, kind()).mean) == list(tr.evaluate(JUDGED, SCORED, [kind()]).mean)


def test_measures_of_the_package_itself_are_measures():
    ir_measures = pytest.importorskip("ir_measures")
    wanted = [ir_measures.nDCG @ 10, ir_measures.AP(rel=2), ir_measures.P @ 5]
    assert list(tr.evaluate(JUDGED, SCORED, wanted).mean) == ["nDCG@10", "AP(level=2)", "P@5"]


def test_qrels_and_runs_of_ranx():
    ranx = pytest.importorskip("ranx")
    scores = tr.evaluate(ranx.Qrels(JUDGED), ranx.Run(SCORED, name="bm25"), "RR AP")
    assert (scores.mean, scores.run) == (EXPECTED, "bm25")


@pytest.mark.parametrize("row", [["q1", "d1", "0.5"], ["q1", "d1", 1, 0.5], ("q1", "d1", 1, 0.5)])
def test_rows_that_are_no_triples_with_a_number_are_told_what_rows_are(row):
    with pytest.raises(
        tr.InputError, match=r"rows \(query, document, score\) that end in a number, not .'q1', 'd1'"
    ):
        mean(JUDGED, [row])
    with pytest.raises(tr.InputError, match=r"rows \(query, document, grade\) that end in a number, .*'q1', 'd1'"):
        mean([row], SCORED)


def test_a_table_of_columns_in_a_list_is_refused_and_alone_is_read():
    """As the `references` and `predictions` of Hugging Face's metric have it."""
    qrels = {"query": [1, 1], "q0": ["q0", "q0"], "docid": ["d1", "d2"], "rel": [1, 0]}
    run = {**dict(list(qrels.items())[:3]), "rank": [0, 1], "score": [1.5, 1.2], "system": ["s", "s"]}
    assert mean(qrels, run)["RR"] == 1.0
    for given in (([qrels], run), (qrels, [run])):
        with pytest.raises(tr.InputError, match="a list with a table of columns in it: give the table itself"):
            mean(*given)


def test_several_runs_of_ranx_name_what_takes_them():
    ranx = pytest.importorskip("ranx")
    runs = {"one": ranx.Run(SCORED, name="one"), "two": ranx.Run(SCORED, name="two")}
    with pytest.raises(tr.InputError, match=r"a list of runs: compare\(qrels, runs\) .*runs\[0\]"):
        mean(JUDGED, list(runs.values()))
    with pytest.raises(tr.InputError, match=r"several runs \('one', 'two'\).*runs\['one'\]"):
        mean(JUDGED, runs)
    with pytest.raises(tr.InputError, match="a list of qrels: all queries stand in one dict"):
        mean([ranx.Qrels(JUDGED)], SCORED)


def test_runs_of_ranx_are_compared_one_a_system_or_several():
    ranx = pytest.importorskip("ranx")
    one = ranx.Run(SCORED, name="one")
    assert list(tr.compare(JUDGED, one, "RR").scores) == ["one"]
    assert len(tr.compare(JUDGED, {"seeds": [one, one], "one": one}, "RR").scores["seeds"].runs) == 2


def test_objects_like_those_of_ranx():
    held = {"qrels": JUDGED, "run": SCORED}
    kind = type("Held", (), {"__module__": "ranx.data", "name": None, "to_dict": lambda self: held[self.what]})
    both = [kind(), kind()]
    both[0].what, both[1].what = "qrels", "run"
    assert mean(*both) == EXPECTED


@pytest.mark.parametrize("grade", [math.nan, math.inf, -math.inf], ids=str)
@pytest.mark.parametrize(
    "judged",
    [
        lambda grade: {"q": {"a": grade, "b": 1}},
        lambda grade: [("q", "a", grade), ("q", "b", 1.0)],
        lambda grade: [{"query_id": "q", "doc_id": "a", "relevance": grade}],
        lambda grade: {"query_id": ["q"], "doc_id": ["a"], "relevance": [grade]},
    ],
    ids=["dict", "triples", "records", "columns"],
)
def test_a_grade_that_is_no_finite_number_is_refused_in_every_form(judged, grade):
    with pytest.raises(tr.InputError, match="finite number"):
        tr.evaluate(judged(grade), {"q": {"a": 1.0}}, "RR")


def test_a_series_of_numbers_is_no_list_of_documents():
    pandas = pytest.importorskip("pandas")
    series = pandas.Series({"a": 1, "b": 0})
    with pytest.raises(tr.InputError, match=r"query 'q' has a Series of numbers: its to_dict\(\)"):
        tr.evaluate({"q": series}, {"q": {"b": 2.0, "a": 1.0}}, "RR")
    assert tr.evaluate({"q": pandas.Series(["a"])}, {"q": {"b": 2.0, "a": 1.0}}, "RR").mean == {"RR": 0.5}
    with pytest.raises(tr.InputError, match=r"query 'q' has .* where its documents should stand"):
        tr.evaluate({"q": {"a": 1}}, {"q": series}, "RR")


def test_records_may_hold_what_numpy_has_types_for():
    rows = [
        {"query_id": np.str_("q"), "doc_id": np.int64(d), "score": np.float32(s)} for d, s in ((1, 0.5), (2, 0.9))
    ]
    judged = [{"query_id": "q", "doc_id": np.int64(1), "relevance": np.int8(1)}]
    lists = [{"query_id": "q", "docs": np.array([1, 2]), "scores": np.array([0.5, 0.9])}]
    assert tr.evaluate(judged, rows, "RR").mean == tr.evaluate(judged, lists, "RR").mean == {"RR": 0.5}


@pytest.mark.parametrize(
    "run",
    [
        *({1: {2.0: 1}}, {1.0: {2: 1}}, {1: [2.0]}, {1: [(2.0, 1)]}, [(1, [2.0])], {math.nan: {2: 1}}),
        {1: dict(zip(pd.Series(["a", None, "b"]).fillna(np.nan), (1, 2, 3), strict=True))},
    ],
)
def test_ids_of_mappings_that_pandas_made_fractions_are_refused_as_those_of_frames(run):
    with pytest.raises(tr.InputError, match=r"run: .*an id is text or a whole number, not (1\.0|2\.0|nan)"):
        tr.evaluate({1: {2: 1}}, run, "RR")
    with pytest.raises(tr.InputError, match=r"qrels: an id is text or a whole number, not (1\.0|2\.0|nan)"):
        tr.read_qrels(run if isinstance(run, dict) else {1: {2.0: {"a": 1}}})


@pytest.mark.parametrize("run", [{"q": {"a": 0.5, None: 1.0}}, {None: {"a": 1.0}}, {"q": {None: 1}}, {None: ["a"]}])
def test_none_is_no_id_of_a_mapping(run):
    with pytest.raises(
        tr.InputError, match=r"run: (an id is text or a whole number, not None|query 'q' has \[None\])"
    ):
        tr.evaluate({"q": {"a": 1}}, run, "RR")
    with pytest.raises(tr.InputError, match="qrels: an id is text or a whole number, not None"):
        tr.evaluate(run, {"q": ["a"]}, "RR")


@pytest.mark.parametrize("doc", [2.0, math.nan, None, True])
def test_what_is_no_id_is_refused_in_any_named_tuple(doc):
    rows = pd.DataFrame({"qid": "q", "doc_id": pd.Series(["a", doc], dtype=object), "score": [1.0, 2.0]})
    with pytest.raises(tr.InputError, match="run:2: an id is text or a whole number, not"):
        tr.evaluate({"q": {"a": 1}}, list(rows.itertuples(index=False)), "RR")


def test_queries_that_print_the_same_are_no_two_queries_of_a_mapping():
    for first, second in (({"a": 1.0}, {"b": 2.0}), ([("a", 1.0)], [("b", 2.0)])):
        with pytest.raises(tr.InputError, match=r"run: (two query ids print the same|query 1 comes twice)"):
            tr.evaluate({"1": {"a": 1}}, {1: first, "1": second}, "RR")


@pytest.mark.parametrize("part", [list, tuple, np.array])
def test_scores_beside_text_may_be_whole_numbers(part):
    for docs, scores in ((["x", "a"], [1, 2]), (["y", "x", "a"], [1, 3, 3])):
        beside = {"q": (part(docs), part(scores))}
        among = {"q": dict(zip(docs, scores, strict=True))}
        assert (
            tr.evaluate({"q": ["a"]}, beside, "RR NumRet").mean
            == tr.evaluate({"q": ["a"]}, among, "RR NumRet").mean
        )


def test_two_whole_numbers_beside_two_are_no_pairs_of_id_and_score():
    with pytest.raises(tr.InputError, match=r"query 'q' has \(\[7, 8\], \[1, 2\]\): documents are ids, or pairs"):
        tr.evaluate({"q": [8]}, {"q": ([7, 8], [1, 2])}, "RR")
    three = ([7, 1], [8, 2], [9, 0])
    for pairs in ([[7, 1], [8, 2]], ((7, 1), (8, 2)), [(7, 1), (8, 2)], ([7, 1.0], [8, 2.0]), three):
        assert tr.evaluate({"q": [8]}, {"q": pairs}, "RR").mean == {"RR": 1.0}


def test_results_that_have_a_run_are_refused_for_it():
    qrels, runs = {"p": ["a"], "q": ["a"]}, [{"p": ["a"], "q": ["b", "a"]}] * 2
    fused = tr.tune_fusion(qrels, runs, "rrf", "RR", folds=2)
    for made in (fused, tr.bench(lambda query: ["a"], {"q": "text"})):
        with pytest.raises(tr.InputError, match=f"as is the run of this {type(made).__name__}: give its .run"):
            tr.evaluate(qrels, made, "RR")
        tr.evaluate(qrels, made.run, "RR")
    with pytest.raises(tr.InputError, match="not Scores, which was made of one"):
        tr.evaluate(qrels, fused.scores, "RR")


@pytest.mark.parametrize("mode", ["r", "rb"])
def test_an_open_file_is_refused_for_its_path(mode, tmp_path):
    path = tmp_path / "a.run"
    path.write_text("q Q0 a 1 1.0 t\n")
    with path.open(mode) as run, pytest.raises(tr.InputError, match="this is an open file: give its path"):
        tr.evaluate({"q": ["a"]}, run, "AP")
    with path.open(mode) as qrels, pytest.raises(tr.InputError, match="this is an open file: give its path"):
        tr.evaluate(qrels, {"q": ["a"]}, "AP")


@pytest.mark.parametrize("lines", [2, 10_000])
def test_the_text_of_a_file_is_refused_for_its_path_and_not_repeated(lines):
    text = "".join(f"q Q0 d{line} {line} 1.0 t\n" for line in range(lines))
    for given in (({"q": ["a"]}, text), (text, {"q": ["a"]})):
        with pytest.raises(tr.InputError, match="this is the text of a file: give its path, not 'q Q0 d0") as told:
            tr.evaluate(*given, "AP")
        assert len(str(told.value)) < 200


@pytest.mark.parametrize("nothing", [([], []), (np.array([]), np.array([])), ([], np.array([])), [], {}])
@pytest.mark.parametrize("made", [dict, lambda run: [*run.items()]], ids=["dict", "pairs"])
def test_ids_and_scores_may_be_empty(made, nothing):
    run = {"p": (["a"], [1.0]), "q": nothing}
    scores = tr.evaluate({"p": ["a"], "q": ["b"]}, made(run), "P@1", rules={"missing": "skip"})
    assert (scores.mean, scores.ledger.answered) == ({"P@1": 0.5}, 2)


@pytest.mark.parametrize("number", [10**400, -(10**400)], ids=["above", "below"])
def test_a_whole_number_that_no_float_holds_is_refused(number):
    for value, given in (("score", tr.open_run), ("relevance", tr.read_qrels)):
        rows = [{"query_id": "q", "doc_id": doc, value: each} for doc, each in (("a", number), ("b", 1))]
        with pytest.raises(tr.InputError, match="a number here is too large"):
            given(rows).to_dict()


def test_scalars_of_numpy_are_ids_and_numbers_in_every_form() -> None:
    one, five, six, low, high = (np.int64(1), np.int64(5), np.int64(6), np.float32(0.1), np.float64(0.2))
    runs: list[Any] = [
        {"query_id": [one, one], "doc_id": [five, six], "score": [low, high]},
        {"query_id": [one], "docs": [[five, six]], "scores": [[low, high]]},
        [{"query_id": one, "docs": [five, six], "scores": [low, high]}],
        [{"query_id": one, "doc_id": five, "score": low}, {"query_id": one, "doc_id": six, "score": high}],
        [(one, five, low), (one, six, high)],
        {"1": ([five, six], [low, high])},
        {"1": (["5", "6"], [low, high])},
        {"1": (["5", "6"], [np.int64(1), 2])},
        {"1": (["5", "6"], [np.float64(0.5), 1])},
        {"1": [{"id": five, "score": low}, {"id": six, "score": high}]},
        {one: {five: low, six: high}},
    ]
    for run in runs:
        assert list(tr.open_run(run).to_dict()["1"]) == ["6", "5"], run
    for qrels in (
        {"query_id": [one, one], "doc_id": [five, six], "relevance": [np.int32(2), low]},
        [{"query_id": one, "relevant": [five, six], "grades": [np.int32(2), low]}],
    ):
        assert tr.read_qrels(qrels).to_dict() == {"1": {"5": 2.0, "6": float(low)}}
    for bad in ({"1": ([five, six], [six, five])}, {"query_id": [one], "doc_id": [low], "score": [high]}):
        with pytest.raises(tr.InputError, match=r"documents are ids|an id is text or a whole number"):
            tr.open_run(bad).to_dict()
