"""Objects of other packages, as they are handed over: columns, tables, tensors, measures, judgements and scores."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest

import truerank as tr

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


def test_a_dataset_is_read_as_its_table():
    assert mean(Dataset(QRELS), Dataset(RUN)) == EXPECTED


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


def test_tensors_are_arrays():
    run = (Tensor([[7, 3]]), Tensor([[0.9, 0.8]]))
    assert tr.evaluate({"0": {"3": 1}}, run, "RR").mean == {"RR": 0.5}
    torch = pytest.importorskip("torch")
    scores = torch.tensor([[0.9, 0.8]], dtype=torch.bfloat16, requires_grad=True)
    assert tr.evaluate({"0": {"3": 1}}, (torch.tensor([[7, 3]]), scores), "RR").mean == {"RR": 0.5}


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


def test_measures_of_ir_measures_are_measures(monkeypatch):
    kind = type(
        "Measure", (), {"__module__": "ir_measures.measures", "__str__": lambda self: "nDCG(dcg='exp-log2')@10"}
    )
    monkeypatch.setitem(sys.modules, "ir_measures", ModuleType("ir_measures"))
    assert str(tr.parse_measure(kind())) == "nDCG(gain='exp')@10"
    assert list(tr.evaluate(JUDGED, SCORED, kind()).mean) == list(tr.evaluate(JUDGED, SCORED, [kind()]).mean)


def test_measures_of_the_package_itself_are_measures():
    ir_measures = pytest.importorskip("ir_measures")
    wanted = [ir_measures.nDCG @ 10, ir_measures.AP(rel=2), ir_measures.P @ 5]
    assert list(tr.evaluate(JUDGED, SCORED, wanted).mean) == ["nDCG@10", "AP(level=2)", "P@5"]


def test_qrels_and_runs_of_ranx():
    ranx = pytest.importorskip("ranx")
    scores = tr.evaluate(ranx.Qrels(JUDGED), ranx.Run(SCORED, name="bm25"), "RR AP")
    assert (scores.mean, scores.run) == (EXPECTED, "bm25")


def test_objects_like_those_of_ranx():
    held = {"qrels": JUDGED, "run": SCORED}
    kind = type("Held", (), {"__module__": "ranx.data", "name": None, "to_dict": lambda self: held[self.what]})
    both = [kind(), kind()]
    both[0].what, both[1].what = "qrels", "run"
    assert mean(*both) == EXPECTED
