"""Retrieval of open-domain question answering, as DPR, Contriever, FiD and Pyserini write it."""

from __future__ import annotations

import json
import random

import pytest

import truerank as tr

DPR = [
    {
        "question": "who wrote hamlet",
        "answers": ["Shakespeare"],
        "ctxs": [
            {"id": "wiki:1", "title": "Hamlet", "text": "By Marlowe?", "score": "81.5", "has_answer": False},
            {"id": "wiki:2", "title": "Hamlet", "text": "By Shakespeare.", "score": "80.25", "has_answer": True},
        ],
    },
    {
        "question": "who was first",
        "answers": ["Adam"],
        "ctxs": [{"id": "wiki:1", "score": "7", "has_answer": False}],
    },
]
PYSERINI = {
    "0": {
        "question": "who wrote hamlet",
        "answers": ["Shakespeare"],
        "contexts": [{"docid": "2", "score": 81.5, "text": "…", "has_answer": True}, {"docid": "1", "score": 81.0}],
    }
}


@pytest.fixture(params=["json", "jsonl", "objects"])
def dpr(request, tmp_path):
    path = tmp_path / f"retrieved.{request.param}"
    if request.param == "objects":
        return DPR
    path.write_text("\n".join(map(json.dumps, DPR)) if request.param == "jsonl" else json.dumps(DPR, indent=4))
    return path


def test_contexts_are_a_run_and_the_judgements_of_it(dpr):
    assert tr.open_run(dpr).to_dict() == {
        "who wrote hamlet": {"wiki:1": 81.5, "wiki:2": 80.25},
        "who was first": {"wiki:1": 7.0},
    }
    assert tr.read_qrels(dpr).to_dict() == {
        "who wrote hamlet": {"wiki:1": 0.0, "wiki:2": 1.0},
        "who was first": {"wiki:1": 0.0},
    }
    assert tr.evaluate(dpr, dpr, "Success@1 Success@2").mean == {"Success@1": 0.0, "Success@2": 0.5}


@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_contriever_and_fid_have_another_name_for_what_has_the_answer(ending, tmp_path):
    path = tmp_path / f"retrieved.{ending}"
    records = json.loads(json.dumps(DPR).replace("has_answer", "hasanswer"))
    path.write_text("\n".join(map(json.dumps, records)) if ending == "jsonl" else json.dumps(records))
    for run in (path, records):
        assert tr.evaluate(run, run, "Success@1 Success@2").mean == {"Success@1": 0.0, "Success@2": 0.5}


@pytest.mark.parametrize("seed", range(5))
def test_success_is_the_accuracy_of_the_first_contexts(seed, tmp_path):
    rng = random.Random(seed)
    records = [
        {
            "question": f"q{n}",
            "ctxs": [{"id": i, "score": 9 - i, "has_answer": rng.random() < 0.2} for i in range(9)],
        }
        for n in range(40)
    ]
    (tmp_path / "retrieved.json").write_text(json.dumps(records))
    accuracy = {
        f"Success@{k}": sum(any(each["has_answer"] for each in one["ctxs"][:k]) for one in records) / 40
        for k in (1, 5, 9)
    }
    path = tmp_path / "retrieved.json"
    assert tr.evaluate(path, path, list(accuracy)).mean == pytest.approx(accuracy)


def test_has_answer_may_be_one_word_and_the_order_stand_for_scores(tmp_path):
    ctxs = [{"id": "1", "text": "…", "hasanswer": False}, {"id": "2", "text": "…", "hasanswer": True}]
    path = tmp_path / "retrieved.jsonl"
    for contexts in (ctxs, [{**each, "score": f"{9 - n}.5"} for n, each in enumerate(ctxs)]):
        records = [{"id": "n1", "question": "who", "ctxs": contexts}]
        path.write_text(json.dumps(records[0]))
        for some in (path, records):
            assert tr.evaluate(some, some, "RR").mean == {"RR": 0.5}


def test_an_id_stands_for_the_question_and_an_order_for_scores():
    run = [{"id": "n1", "question": "who", "ctxs": [{"id": "b"}, {"id": "a"}]}]
    assert tr.evaluate({"n1": {"a": 1}}, run, "RR").mean == {"RR": 0.5}


def test_pyserinis_mapping_is_read_alike(tmp_path):
    path = tmp_path / "retrieved.json"
    path.write_text(json.dumps(PYSERINI))
    for run in (path, PYSERINI):
        assert tr.open_run(run).to_dict() == {"0": {"2": 81.5, "1": 81.0}}
        with pytest.raises(tr.InputError, match="it is not said whether each has the answer"):
            tr.read_qrels(run)


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"question": "q", "ctxs": [{"id": "a", "score": "high"}]}, "a number should stand here"),
        ({"question": "q", "ctxs": [{"id": "a", "score": 1}, {"id": "b"}]}, "a number should stand here"),
        ({"question": "q", "ctxs": [{"score": 1}]}, "no key holds the document ids"),
        ({"question": "q", "ctxs": ["a text"]}, "a question with a list of contexts should stand here"),
        ({"answers": "x", "ctxs": [{"id": "a"}]}, "a question with a list of contexts should stand here"),
    ],
)
def test_damaged_contexts_are_refused(record, said, tmp_path):
    (tmp_path / "run.jsonl").write_text(json.dumps(record))
    for run in ([record], tmp_path / "run.jsonl"):
        with pytest.raises(tr.InputError, match=said):
            tr.open_run(run).to_dict()
