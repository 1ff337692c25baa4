"""Elasticsearch's and OpenSearch's rank_eval: its requests are qrels, its responses runs; Quepid's tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import truerank as tr
from truerank.formats import convert

RATINGS = {"berlin": {"d1": 3, "d2": 0, "d9": 1}, "paris": {"d4": 1}, "rome": {}}
HITS: dict[str, list[tuple[str, float | None]]] = {
    "berlin": [("d7", 2.5), ("d1", 1.5), ("d2", 1.5)],
    "paris": [("d5", None), ("d4", None)],
    "rome": [],
}


def request(ratings: dict[str, dict[str, int]] = RATINGS, index: str = "pages") -> dict[str, Any]:
    rated = [
        {
            "id": query,
            "request": {"query": {"match": {"text": query}}},
            "ratings": [{"_index": index, "_id": doc, "rating": rating} for doc, rating in docs.items()],
        }
        for query, docs in ratings.items()
    ]
    return {"requests": rated, "metric": {"precision": {"k": 10, "ignore_unlabeled": False}}}


def response(hits: dict[str, list[tuple[str, float | None]]] = HITS) -> dict[str, Any]:
    details = {
        query: {
            "metric_score": 0.5,
            "unrated_docs": [],
            "hits": [
                {"hit": {"_index": "pages", "_id": doc, "_score": score}, "rating": None} for doc, score in listed
            ],
            "metric_details": {"precision": {"relevant_docs_retrieved": 1, "docs_retrieved": 2}},
        }
        for query, listed in hits.items()
    }
    return {"metric_score": 0.5, "details": details, "failures": {}}


def written(folder: Path, **values: Any) -> list[Path]:
    for name, value in values.items():
        (folder / f"{name}.json").write_text(json.dumps(value))
    return [folder / f"{name}.json" for name in values]


def test_requests_are_qrels_and_responses_runs_in_files_and_in_memory(tmp_path: Path) -> None:
    for qrels, run in ((request(), response()), written(tmp_path, request=request(), response=response())):
        scores = tr.evaluate(qrels, run, "RR@10 P@10", rules="elasticsearch")
        assert scores.queries == ("berlin", "paris", "rome")
        assert scores["RR@10"].tolist() == [0.5, 0.5, 0.0]
        assert scores["P(divisor='returned')@10"].tolist() == [1 / 3, 0.5, 0.0]


@pytest.mark.parametrize("first", ["metric_score", "details", "failures"])
def test_a_long_response_is_read_whole_whichever_key_is_first(first: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("truerank.formats.json.BLOCK", 1 << 6)
    whole = response({f"q{number}": [("a", 2.0), ("b", 1.0)] for number in range(300)})
    whole = {first: whole[first], **whole}
    (run,) = written(tmp_path, response=whole)
    scores = tr.evaluate({f"q{number}": ["b"] for number in range(300)}, run, "RR")
    assert scores.mean == {"RR": 0.5}


def test_what_the_files_are_need_not_be_said(tmp_path: Path) -> None:
    qrels, run = written(tmp_path, request=request(), response=response())
    convert(qrels, tmp_path / "out.jsonl")
    convert(run, tmp_path / "out.run")
    assert tr.read_qrels(tmp_path / "out.jsonl").to_dict() == tr.read_qrels(request()).to_dict()
    docs = [line.split()[2] for line in (tmp_path / "out.run").read_text().splitlines()]
    assert docs == ["d7", "d1", "d2", "d5", "d4"]


def test_ids_may_be_numbers() -> None:
    request = {"requests": [{"id": "q", "ratings": [{"_id": 7, "rating": 2}, {"_id": 8, "rating": 0}]}]}
    assert tr.read_qrels(request).to_dict() == {"q": {"7": 2.0, "8": 0.0}}


@given(st.lists(st.none() | st.floats(-2, 2), min_size=1, max_size=6))
def test_a_document_stands_where_it_was_returned(scores: list[float | None]) -> None:
    """Also where the list is sorted by something else than the score."""
    listed = [(f"d{place}", score) for place, score in enumerate(scores)]
    hits = tr.rank({"q": [doc for doc, _ in listed]}, response({"q": listed}), rules={"ties": "input"})
    assert [int(doc) for doc in hits.doc] == list(range(len(scores)))


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ([{"_index": "a", "_id": "1", "rating": 1}, {"_index": "b", "_id": "1", "rating": 0}], "of two indices"),
        ([{"_index": "a", "rating": 1}], "a document without _id"),
        ([{"_index": "a", "_id": "1"}], "a number should stand here, not None"),
        ([{"_index": "a", "_id": ["1"], "rating": 1}], "a document without _id"),
        (["1"], "a document without _id"),
    ],
)
def test_what_is_wrong_with_ratings_is_said_with_the_file(entries: list[Any], said: str, tmp_path: Path) -> None:
    (qrels,) = written(tmp_path, request={"requests": [{"id": "q", "ratings": entries}], "metric": {}})
    with pytest.raises(tr.InputError, match=f"request.json: .*{said}"):
        tr.read_qrels(qrels)


@pytest.mark.parametrize("hit", ["d1", None, {"hit": None}, {"hit": {"_index": "a", "_id": None}}])
def test_hits_without_a_document_are_refused(hit: Any) -> None:
    run = response()
    run["details"]["rome"]["hits"] = [hit]
    with pytest.raises(tr.InputError, match="query rome has a document without _id"):
        tr.evaluate(request(), run, "RR")


def test_ratings_that_are_no_list_are_refused() -> None:
    with pytest.raises(tr.InputError, match="documents are ids"):
        tr.read_qrels({"requests": [{"id": "q", "ratings": None}]})


def test_a_response_of_elasticsearch_s_client_is_a_run() -> None:
    transport = pytest.importorskip("elastic_transport")
    meta = transport.ApiResponseMeta(200, "1.1", transport.HttpHeaders(), 0.01, None)
    answered = transport.ObjectApiResponse(meta=meta, body=response())
    assert tr.evaluate(request(), answered, "RR").mean == tr.evaluate(request(), response(), "RR").mean


def test_queries_may_be_called_like_rank_eval_s_keys() -> None:
    qrels, run = {"requests": {"a": 1}, "details": {"b": 1}}, {"metric_score": {"a": 1.0}, "details": {"b": 1.0}}
    assert tr.evaluate(qrels, run, "RR")["RR"].tolist() == [1.0, 0.0]


def test_a_query_called_requests_may_have_nothing_relevant() -> None:
    assert len(tr.read_qrels({"requests": [], "details": ["b"]}).queries) == 2


def test_rows_of_json_may_begin_with_a_metric_score(tmp_path: Path) -> None:
    run = tmp_path / "run.jsonl"
    run.write_text("".join(f'{{"metric_score": 0.{n}, "qid": "{n}", "docid": "a", "score": 1}}\n' for n in "12"))
    assert tr.evaluate({"1": ["a"], "2": ["b"]}, run, "RR").mean == {"RR": 0.5}


def test_quepid_s_tables_are_qrels_and_runs(tmp_path: Path) -> None:
    table = tmp_path / "case.csv"
    table.write_text(
        "Team Name,Case Name,Case ID,Query Text,Doc ID,Doc Position,Title,Rating\n"
        "Films,Case 1,6,star wars,11,1,Star Wars,0\nFilms,Case 1,6,star wars,12,2,Empire,3\n"
        "Films,Case 1,6,solo,13,1,Solo,1\n"
    )
    scores = tr.evaluate(table, table, "RR", rules="quepid")
    assert (scores.queries, scores["RR"].tolist()) == (
        ("solo", "star wars"),
        [1.0, 0.5],
    )


CASE = (
    "Team Name,Case Name,Case ID,Query Text,Doc ID,Doc Position,Title,Rating\n"
    'Films,Case 1,6,star wars,11,1,Star Wars,\nFilms,Case 1,6,star wars,12,2,"Empire, the",3\n'
    "Films,Case 1,6,nothing like it\nFilms,Case 1,6,solo,13,1,Solo,\n"
)


@pytest.mark.parametrize("judged", [CASE, "query,docid,rating\nstar wars,12,3\nsolo\n"], ids=["case", "ratings"])
def test_what_nobody_rated_in_quepid_is_unjudged(judged: str, tmp_path: Path) -> None:
    case, qrels = tmp_path / "case.csv", tmp_path / "qrels.csv"
    case.write_text(CASE)
    qrels.write_text(judged)
    scores = tr.evaluate(qrels, case, "RR", rules="quepid")
    assert (scores.queries, scores["RR"].tolist()) == (("star wars",), [0.5])
    assert (scores.ledger.unjudged, scores.ledger.extra) == (1, 1)


def test_judgements_of_which_none_has_a_grade_are_refused(tmp_path: Path) -> None:
    (tmp_path / "qrels.csv").write_text("query,docid,rating\nstar wars,12,\nsolo\n")
    with pytest.raises(tr.InputError, match=r"qrels.csv: there are no judgements in it"):
        tr.read_qrels(tmp_path / "qrels.csv")


def test_a_line_of_one_word_in_a_run_is_no_query_without_documents(tmp_path: Path) -> None:
    (tmp_path / "run.csv").write_text("query,docid,score\nsolo,12,1.5\nKilled\n")
    with pytest.raises(tr.InputError, match=r"run.csv:3: the header has 3 columns, but this line 1"):
        tr.evaluate({"solo": {"12": 1}}, tmp_path / "run.csv", "RR")
