"""Judgements by aspect: how they are read, carried and refused."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import truerank as tr
from truerank.core.kernel.scanning import QrelsParser, by_document
from truerank.core.qrels import Qrels
from truerank.formats.converting import convert
from truerank.formats.weights import weighted

JUDGED = {"q": {"a": {"2": 1, "10": 2}, "b": {"10": 1, "x": 0}}, "r": {"a": {"2": 3}}}

LINES = "q 2 a 1\nq 10 a 2\nq 10 b 1\nq x b 0\nr 2 a 3\n"

RUN = {"q": ["b", "z", "a"], "r": ["a"]}

BY_COLUMN = {"iteration": "aspect"}


@pytest.fixture
def trec(tmp_path) -> str:  # type: ignore[no-untyped-def]
    path = tmp_path / "q.qrels"
    path.write_text(LINES)
    return str(path)


def rows(qrels: Qrels) -> list[list[tuple[bytes, bytes | None, float, float]]]:
    return [qrels.rows_of(number) for number in range(len(qrels))]


def test_a_document_of_several_aspects_has_the_best_of_their_grades() -> None:
    qrels = Qrels.from_dict(JUDGED)
    assert qrels.to_dict() == {"q": {"a": 2.0, "b": 1.0}, "r": {"a": 3.0}}
    assert rows(qrels)[0] == [
        (b"a", b"2", 1.0, 1.0),
        (b"a", b"10", 2.0, 1.0),
        (b"b", b"10", 1.0, 1.0),
        (b"b", b"x", 0.0, 1.0),
    ]


def test_aspects_are_in_their_natural_order_whatever_that_of_the_file() -> None:
    shuffled = {"q": {"b": {"x": 0, "10": 1}, "a": {"10": 2, "2": 1}}, "r": {"a": {"2": 3}}}
    aspects = Qrels.from_dict(shuffled).aspects
    assert aspects is not None
    assert aspects.names == [b"2", b"10", b"x", b"2"]


def test_the_second_column_is_an_aspect_only_where_the_rules_say_so(trec: str) -> None:
    by_column = tr.evaluate(trec, RUN, ["StRecall@1", "AP"], rules=BY_COLUMN)
    assert by_column.to_dict()["mean"] == tr.evaluate(JUDGED, RUN, ["StRecall@1", "AP"]).to_dict()["mean"]
    with pytest.raises(tr.InputError, match=r"q\.qrels:1: document a of query q is judged twice, with different"):
        tr.evaluate(trec, RUN, ["AP"])


def test_a_second_column_that_varies_and_is_not_used_is_in_the_ledger(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "q.qrels"
    path.write_text("q 1 a 1\nq 2 b 1\n")
    scores = tr.evaluate(str(path), RUN, ["AP"])
    assert scores.ledger.iterations == 2
    assert "--set iteration=aspect" in scores._repr_html_()
    path.write_text("q 7 a 1\nq 7 b 1\n")
    assert tr.evaluate(str(path), RUN, ["AP"]).ledger.iterations == 0


def test_lists_of_documents_are_aspects_that_any_of_them_answers() -> None:
    groups = {"q": [["a", "c"], ["b"]]}
    assert tr.evaluate(groups, {"q": ["c", "x", "b"]}, ["StRecall@1", "StRecall@3"]).mean == {
        "StRecall@1": 0.5,
        "StRecall@3": 1.0,
    }


def test_the_lists_of_a_record_are_aspects_too(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """As AutoRAG has them."""
    import pandas

    rows = [{"qid": "q", "query": "?", "retrieval_gt": [["a", "c"], ["b"]]}, {"qid": "p", "retrieval_gt": [["7"]]}]
    pandas.DataFrame(rows).to_parquet(tmp_path / "qa.parquet")
    pandas.DataFrame(rows).to_json(tmp_path / "qa.jsonl", orient="records", lines=True)
    for truth in (rows, pandas.DataFrame(rows), tmp_path / "qa.parquet", tmp_path / "qa.jsonl"):
        scores = tr.evaluate(truth, {"q": ["c", "x", "a"], "p": ["7"]}, "StRecall SetR")
        assert dict(zip(scores.queries, scores["StRecall"].tolist(), strict=True)) == {"p": 1.0, "q": 0.5}
        assert scores["SetR"].tolist() == [1.0, 2 / 3]
    weighted = [{"query_id": "q", "relevant": [["a", "c"], ["b"]], "weights": {"1": 3, "2": 1}}]
    assert tr.evaluate(weighted, {"q": ["c"]}, "StRecall").mean == {"StRecall": 0.75}


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"relevant": [[1, 2], [3, 4]]}, "these may be documents and their grades, or lists of documents"),
        ({"relevant": [["a", "b"], [2, 1]]}, "these may be documents and their grades, or lists of documents"),
        ({"relevant": [["a", "b"], ["c", "d"]], "grades": [2, 1]}, "are not all written in one way"),
    ],
)
def test_lists_of_a_record_that_may_be_grades_are_refused(record: dict[str, object], said: str) -> None:
    with pytest.raises(tr.InputError, match=said):
        tr.read_qrels([{"query_id": "q", **record}])


def test_weights_are_those_of_aspects() -> None:
    qrels = Qrels.from_dict({"q": {"a": {"1": 1}, "b": {"2": 1}}})
    weighted = qrels.weighted({"q": {"1": 3, "2": 1}})
    assert tr.evaluate(weighted, {"q": ["a"]}, ["StRecall"]).mean == {"StRecall": 0.75}
    lists = Qrels.from_dict({"q": [["a"], ["b"]]}).weighted({"q": {"1": 3, "2": 1}})
    assert tr.evaluate(lists, {"q": ["a"]}, ["StRecall"]).mean == {"StRecall": 0.75}


@pytest.mark.parametrize(
    "unclear", [(["a", "b", "c"], [2, 1, 1]), [["a", "b"], [2.0, 1.0]], ([7, 8, 9], [2, 1, 1])]
)
def test_grades_in_a_list_beside_their_documents_are_no_alternatives(unclear: object) -> None:
    with pytest.raises(
        tr.InputError, match=r"query 'q' has .*these may be documents and their grades, or lists of"
    ):
        tr.evaluate({"p": ["a"], "q": unclear}, {"q": ["a"]}, "IDCG")
    alternatives = [[7, 8, 9], [2, 1, 1]]
    assert tr.evaluate({"q": alternatives}, {"q": [2]}, "StRecall").mean == {"StRecall": 0.5}


@pytest.mark.parametrize("numbers", [["c", 1], [1], [1, 2, 3]])
def test_numbers_that_are_no_grades_of_the_list_beside_them_are_documents(numbers: list[Any]) -> None:
    found, wanted = (Qrels.from_dict({"q": [["a", "b"], docs]}) for docs in (numbers, list(map(str, numbers))))
    assert rows(found) == rows(wanted)


def test_a_set_of_documents_is_refused_where_other_queries_have_lists_of_them() -> None:
    with pytest.raises(tr.InputError, match=r"query 'r' has \{'c'\} where others have lists of documents"):
        Qrels.from_dict({"q": [["a"], ["b"]], "r": {"c"}})


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ({"q": {"1": 1}}, "aspect 2 of query q has no weight"),
        ({"q": {"1": 1, "2": -1}}, "aspect 2 of query q has the weight -1"),
        ({"q": {"1": 1, "2": float("nan")}}, "aspect 2 of query q has the weight nan"),
        ({"q": {"1": 1e308, "2": 1e308}}, "sum to inf"),
        ({"q": {"1": "x", "2": 1}}, "aspect 1 of query q has the weight 'x'"),
        ({"q": [1, 2]}, "should stand here, not"),
        ({"q": {"1": 0, "2": 0}}, "the weights of the aspects of query q sum to 0; that is"),
    ],
)
def test_weights_that_cannot_be_are_refused(weights: dict[str, dict[str, float]], said: str) -> None:
    with pytest.raises(tr.InputError, match=said):
        Qrels.from_dict({"q": {"a": {"1": 1}, "b": {"2": 1}}}).weighted(weights)


@pytest.mark.parametrize(
    ("judged", "said"),
    [
        ({"q": {"a": {"1": 1}, "b": 1}}, "document 'b' of query 'q' has 1 where others have"),
        ({"q": {"a": {"1": 1}}, "r": ["a"]}, "query 'r' has 'a' where others have lists"),
        ({"q": {"a": {}, "b": {"1": 1}}}, "document 'a' of query 'q' has {} where others have"),
    ],
)
def test_judgements_that_have_aspects_in_part_are_refused(judged: object, said: str) -> None:
    with pytest.raises(tr.InputError, match=said):
        tr.evaluate(judged, RUN, ["AP"])  # type: ignore[arg-type]


def test_a_measure_of_aspects_says_what_plain_judgements_lack() -> None:
    with pytest.raises(tr.MeasureError, match="StRecall is about the aspects of a query"):
        tr.evaluate({"q": {"a": 1}}, RUN, ["StRecall"])


@pytest.mark.parametrize("ending", [".qrels", ".json"])
def test_what_is_written_is_read_again(ending: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = str(tmp_path / f"q{ending}")
    convert(JUDGED, path, what="qrels")
    again = tr.read(path, RUN, rules=BY_COLUMN).qrels
    assert rows(again) == rows(Qrels.from_dict(JUDGED))


def test_a_reading_keeps_them_on_its_way_through_arrow_and_through_parts() -> None:
    pytest.importorskip("pyarrow")
    weighted = Qrels.from_dict(JUDGED).weighted({"q": {"2": 1, "10": 2, "x": 3}, "r": {"2": 1}})
    reading = tr.read(weighted, RUN)
    halves = [
        tr.read(weighted.select(np.array(keep)), {query: RUN[query]})
        for keep, query in (([True, False], "q"), ([False, True], "r"))
    ]
    for other in (tr.Reading.from_arrow(reading.to_arrow()), tr.merge(halves)):
        assert rows(other.qrels) == rows(weighted)
        assert other.qrels.digest == weighted.digest
        assert (
            tr.evaluate(other, measures="StRecall@1 AP_IA").mean
            == tr.evaluate(reading, measures="StRecall@1 AP_IA").mean
        )


def test_judgements_differ_where_their_aspects_do() -> None:
    one, other = (Qrels.from_dict({"q": {"a": {name: 1}}}) for name in ("1", "2"))
    assert one.digest != other.digest
    assert replace(one, aspects=None).digest == replace(other, aspects=None).digest


def test_judgements_are_the_same_in_whatever_order_their_rows_came(trec: str) -> None:
    plain = Qrels.from_dict({"q": {"aa": 1, "b": 2}, "r": {"c": 1}, "s": {"d": 1}})
    rows = Qrels.from_rows([b"s", b"r", b"q"], [2, 2, 0, 1], [b"aa", b"b", b"d", b"c"], [1, 2, 1, 1])
    other = Qrels.from_rows([b"s", b"r", b"q"], [2, 2, 0, 1], [b"aa", b"b", b"c", b"d"], [1, 2, 1, 1])
    assert rows.to_dict() == plain.to_dict()
    assert rows.digest == plain.digest != other.digest
    falling = Qrels.from_rows([b"q", b"r"], [1, 0], [b"b", b"a"], [2, 1])
    assert falling.to_dict() == {"q": {"a": 1.0}, "r": {"b": 2.0}}
    assert tr.read(trec, RUN, rules=BY_COLUMN).qrels.digest == Qrels.from_dict(JUDGED).digest


def test_a_document_of_several_aspects_that_stands_last_is_the_same_from_a_file(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "q.qrels"
    path.write_text("q 1 a 1\nq 2 a 1\n")
    qrels = tr.read(str(path), RUN, rules=BY_COLUMN).qrels
    assert qrels.digest == Qrels.from_dict({"q": {"a": {"1": 1, "2": 1}}}).digest


def test_what_nobody_judged_answers_no_aspect() -> None:
    aspects = Qrels.from_dict(JUDGED).aspects
    assert aspects is not None
    place, row = aspects.answered(np.array([2, -1, 0, 3, 9]))
    assert (place.tolist(), row.tolist()) == ([0, 2, 2], [4, 0, 1])


def test_judgements_without_aspects_weigh_1_and_keep_their_lines() -> None:
    qrels = Qrels.from_rows([b"q", b"r"], [0, 1], [b"a", b"b"], [1, 2], lines=np.array([4, 9]))
    assert rows(qrels) == [[(b"a", None, 1.0, 1.0)], [(b"b", None, 2.0, 1.0)]]
    left = qrels.only({b"r"})
    assert (left.lines is not None and left.lines.tolist(), left.to_dict()) == ([9], {"r": {"b": 2.0}})


@pytest.mark.parametrize("own", ["remove", "remove-from-answers"])
def test_a_document_that_is_the_query_leaves_with_its_aspects(own: str) -> None:
    judged = {"q": {"q": {"1": 1}, "a": {"2": 1}}, "r": {"a": {"1": 1}}}
    scores = tr.evaluate(judged, {"q": ["q", "a"], "r": ["a"]}, ["StRecall"], rules={"self_match": own})
    assert scores["StRecall"].tolist() == ([1.0, 1.0] if own == "remove" else [0.5, 1.0])


def test_an_aspect_of_a_removed_document_alone_is_none_of_the_query() -> None:
    judged = {"q": {"q": {"2": -1, "10": -2}, "a": {"2": 1}}, "r": {"r": {"1": 1}, "b": {"2": 1, "3": 0}}}
    left = {"q": {"a": judged["q"]["a"]}, "r": {"b": judged["r"]["b"]}}
    run, measures = {"q": ["a"], "r": ["r", "b"]}, "NuggetRecall StRecall alpha_nDCG"
    scores = tr.evaluate(judged, run, measures, rules={"self_match": "remove"})
    assert scores["NuggetRecall"].tolist() == [1.0, 0.5]
    assert scores.mean == tr.evaluate(left, {"q": ["a"], "r": ["b"]}, measures).mean
    found = tr.evaluate(judged, run, measures, rules={"unreturned": "ignore"})
    assert found["NuggetRecall"].tolist() == [1.0, pytest.approx(2 / 3)]
    kept = tr.evaluate(judged, run, measures, rules={"self_match": "remove-from-answers"})
    assert kept["NuggetRecall"].tolist() == [0.5, pytest.approx(1 / 3)]


OF_ASPECTS = "StRecall@2 alpha_nDCG@3 ERR_IA@3 NuggetRecall nDCG AP"


def world(seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Judgements of aspects and a run, where the documents of a query may be queries too."""
    random, docs = Random(seed), [*"abqrs"]
    judged = {
        query: {
            doc: {aspect: random.choice([-1, 0, 1, 2]) for aspect in random.sample(["1", "2", "10"], 2)}
            for doc in ["c", *random.sample(docs, 3)]
        }
        for query in "qrs"
    }
    run = {query: {doc: random.randint(0, 3) for doc in random.sample([*docs, *"cyz"], 5)} for query in "qrs"}
    return judged, run


def others(rows: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The documents of each query, but for that with its own id."""
    return {query: {doc: one for doc, one in docs.items() if doc != query} for query, docs in rows.items()}


def values(*given: Any, **rules: Any) -> Any:
    return tr.evaluate(*given, measures=OF_ASPECTS, rules=rules or None).to_dict(per_query=True)["queries"]


@pytest.mark.parametrize("seed", range(8))
def test_without_the_documents_that_are_the_queries_the_rest_is_what_is_measured(seed: int) -> None:
    judged, run = world(seed)
    assert values(judged, run, self_match="remove") == values(others(judged), others(run))
    assert values(judged, run, self_match="remove-from-answers") == values(judged, others(run))


@pytest.mark.parametrize("seed", range(4))
def test_some_queries_have_alone_the_values_that_they_have_among_all(seed: int) -> None:
    judged, run = world(seed)
    every = values(judged, run)
    some = {query: every[query] for query in "qs"}
    assert values(Qrels.from_dict(judged).only({b"q", b"s"}), run) == some
    for keep in ("judged", "all"):
        assert values(tr.read(judged, run, keep=keep).only(b"q", b"s")) == some


def test_the_last_aspect_leaves_with_the_only_document_that_answers_it() -> None:
    judged = {"q": {"a": {"1": 1}, "q": {"2": 1}}}
    assert tr.evaluate(judged, {"q": ["a"]}, "StRecall", rules={"self_match": "remove"}).mean == {"StRecall": 1}


def test_a_second_column_that_is_not_used_tells_no_aspects(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "q.qrels"
    path.write_text("q 1 a 1\nq 2 b 1\n")
    with pytest.raises(tr.MeasureError, match="StRecall is about the aspects of a query"):
        tr.evaluate(str(path), RUN, "StRecall")
    with pytest.raises(tr.InputError, match="there are weights, but no aspects that could have them"):
        Qrels.from_dict({"q": {"a": 1}}).weighted({"q": {"1": 1}})


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (
            ["r 3 z 1", "q 1 a 1", "q 2 a 1", "q 1 b 1", "q 2 b 1", "q 2 b 1"],
            ":6: document b of query q .* aspect 2",
        ),
        (
            ["q 2 a 1", "q 1 b 1", "q 1 a 1", "q 2 b 1", "q 3 a 1", "q 3 a 1"],
            ":6: document a of query q .* aspect 3",
        ),
    ],
)
def test_what_is_judged_twice_for_an_aspect_is_named_with_its_line(  # type: ignore[no-untyped-def]
    lines: list[str], said: str, tmp_path
) -> None:
    path = tmp_path / "q.qrels"
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(tr.InputError, match=said):
        tr.evaluate(str(path), RUN, "StRecall", rules=BY_COLUMN)


def test_weighing_aspects_leaves_the_judgements_as_they_are() -> None:
    qrels = Qrels.from_dict(JUDGED)
    weighted = qrels.weighted({"q": {"2": 1, "10": 0.5, "x": 3}, "r": {"2": 2}})
    assert (weighted.weights_of(1), qrels.weights_of(1)) == ({b"2": 2.0}, {b"2": 1.0})


def test_a_query_without_judgements_needs_no_weights() -> None:
    qrels = Qrels.from_dict({"q": {"a": {"1": 1}}, "r": {}})
    assert qrels.weighted({"q": {"1": 3}}).weights_of(0) == {b"1": 3.0}


def test_of_several_weights_that_nobody_judged_the_first_is_named() -> None:
    qrels = Qrels.from_dict({"q": {"a": {"1": 1}}})
    unknown = {f"r{number}": {"1": 1} for number in range(9, 0, -1)}
    with pytest.raises(tr.InputError, match="query r1 has weights of aspects, but no judgement"):
        qrels.weighted({"q": {"1": 1}, **unknown})
    with pytest.raises(tr.InputError, match="aspect 2 of query q has a weight, but no document"):
        qrels.weighted({"q": {"1": 1} | {str(number): 1 for number in range(9, 1, -1)}})


def test_what_is_wrong_with_all_weights_of_a_query_is_said_of_its_first_line() -> None:
    qrels = Qrels.from_dict({"q": {"a": {"1": 1, "2": 1}}})
    lines = {b"q": {b"1": 7, b"2": 4}}
    with pytest.raises(tr.InputError, match="weights:4: the weights of the aspects of query q sum to 0"):
        qrels.weighted({"q": {"1": 0, "2": 0}}, "weights", lines)


WEIGHTED = Qrels.from_dict(JUDGED).weighted({"q": {"2": 1, "10": 0.5, "x": 3}, "r": {"2": 1}})


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".tsv", ".parquet"])
def test_formats_that_hold_weights_keep_them(ending: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    path = str(tmp_path / f"q{ending}")
    convert(WEIGHTED, path, what="qrels")
    again = tr.read_qrels(path)
    assert again.digest == WEIGHTED.digest


@pytest.mark.parametrize(
    ("ending", "said"), [(".json", "the aspects have weights"), (".qrels", "the aspects have weights")]
)
def test_formats_that_cannot_hold_weights_refuse_them(ending: str, said: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(tr.InputError, match=said):
        convert(WEIGHTED, str(tmp_path / f"q{ending}"), what="qrels")
    with pytest.raises(tr.InputError, match="the judgements have aspects, which beir cannot say"):
        convert(WEIGHTED, str(tmp_path / "q.tsv"), what="qrels", to="beir")


def test_rows_and_frames_name_aspects_in_a_column() -> None:
    polars = pytest.importorskip("polars")
    rows = [
        {"query_id": "q", "doc_id": doc, "subtopic": aspect, "relevance": 1, "probability": weight}
        for doc, aspect, weight in (("a", "s1", 0.75), ("a", "s2", 0.25), ("b", "s2", 0.25))
    ]
    expected = {"StRecall@1": 0.25}
    for qrels in (rows, polars.DataFrame(rows), polars.DataFrame(rows).to_pandas()):
        assert tr.evaluate(qrels, {"q": ["b", "a"]}, ["StRecall@1"]).mean == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("query_id,doc_id,aspect,relevance\nq,a,,1\n", ":2: the aspect is empty"),
        (
            "query_id,doc_id,aspect,relevance,weight\nq,a,s,1,1\nq,b,s,1,2\n",
            ":3: aspect s of query q has two weights",
        ),
        ("query_id,doc_id,aspect,relevance,weight\nq,a,s,1,-1\n", ":2: .* has the weight -1"),
        ("query_id,doc_id,aspect,relevance,weight\nq,a,s,1,0\n", ":2: the weights of .* sum to 0"),
        (
            "query_id,doc_id,aspect,relevance\nq,a,s,1\nq,a,s,2\n",
            ":3: document a of query q is judged twice for aspect s",
        ),
    ],
)
def test_what_a_column_of_aspects_cannot_hold_is_refused(text: str, said: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "q.csv"
    path.write_text(text)
    with pytest.raises(tr.InputError, match=said):
        tr.read_qrels(str(path))


def test_lines_of_which_some_have_no_aspect_are_refused(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "q.jsonl"
    path.write_text('{"query_id": "q", "relevant": {"a": {"1": 1}}}\n{"query_id": "r", "relevant": {"a": 1}}\n')
    with pytest.raises(tr.InputError, match=r":2: some judgements have an aspect and others none"):
        tr.read_qrels(str(path))


def test_convert_takes_the_second_column_and_weights_where_it_is_asked_to(trec: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    path, weights = str(tmp_path / "q.jsonl"), {"q": {"2": 1, "10": 0.5, "x": 3}, "r": {"2": 1}}
    with pytest.raises(tr.InputError, match="is judged twice, with different values in the second column"):
        convert(trec, path, what="qrels")
    convert(trec, path, what="qrels", iteration="aspect", weights=weights)
    assert rows(tr.read_qrels(path)) == rows(WEIGHTED)
    again = tmp_path / "again.qrels"
    convert(trec, str(again), what="qrels")
    assert again.read_text() == LINES


ROWS = st.lists(
    st.tuples(*[st.sampled_from(ids) for ids in (["q", "r", "10", "2"], ["1", "2", "10", "x"], "abcde")])
)


@settings(max_examples=300, deadline=None)
@given(rows=ROWS.map(dict.fromkeys).map(list), grades=st.randoms(use_true_random=False))
def test_lines_in_any_order_are_the_same_judgements(rows: list[tuple[str, str, str]], grades: Random) -> None:
    worth = {row: grades.randrange(-1, 12) for row in rows}
    parser = QrelsParser()
    parser.feed("".join(f"{q} {part} {doc} {grade}\n" for (q, part, doc), grade in worth.items()).encode())
    queries, query, ends, text, _, lines, answered = parser.finish()
    assume(answered is not None)
    begin = np.concatenate([np.zeros(1, np.int64), ends[:-1]])
    nothing = np.zeros(len(query))
    found = Qrels.build(queries, query, begin, ends, text, nothing, lines=lines, answered=answered)
    judged: dict[bytes, dict[bytes, dict[bytes, float]]] = {}
    for (q, part, doc), grade in worth.items():
        judged.setdefault(q.encode(), {}).setdefault(doc.encode(), {})[part.encode()] = float(grade)
    assert list(found.queries) == sorted(judged)
    assert [found.by_aspect(number) for number in range(len(found))] == [judged[q] for q in sorted(judged)]
    best = {q: {doc: max(parts.values()) for doc, parts in docs.items()} for q, docs in judged.items()}
    assert dict(found.by_query()) == best
    first = {(q, doc): line for line, (q, _, doc) in reversed(list(enumerate(rows, 1)))}
    wanted = [first[q.decode(), doc.decode()] for q, docs in found.by_query() for doc in docs]
    assert found.lines is not None
    assert found.lines.tolist() == wanted


def test_rows_that_name_no_document_or_aspect_are_refused_by_the_kernel() -> None:
    one, of = np.ones(1), np.array([0, 1])
    for doc, name, place, where in ((1, 0, 0, None), (0, 1, 0, None), (0, 0, 1, None), (0, 0, 0, np.array([-1]))):
        which = np.array([doc], np.uint32), np.array([name], np.uint32)
        with pytest.raises(IndexError):
            by_document(of, *which, one, np.array([place]), where)
    with pytest.raises(ValueError, match="a judgement has"):
        by_document(np.zeros(0, np.int64), *np.zeros((2, 1), np.uint32), one, np.zeros(1, np.int64))


def test_pairs_of_a_document_and_a_grade_are_no_alternatives() -> None:
    pairs = {"q": [["a", 1], ["b", 2]]}
    assert rows(Qrels.from_dict(pairs)) == rows(Qrels.from_dict({"q": {"a": 1, "b": 2}}))
    for unclear in ({"q": [(1, 2), (3, 4)]}, {"p": [], "q": [[1, 2.5]]}, {"p": [("a", 1)], "q": [(1, 1)]}):
        with pytest.raises(
            tr.InputError, match=r"query 'q' has .*these may be documents and their grades, or lists of"
        ):
            Qrels.from_dict(unclear)
    for alternatives in ([("1", "2"), ("3", "4")], [(1, 2), (3, 4, 5)], [{1, 2}, {3, 4}], [[1, 2], [3]]):
        assert tr.evaluate({"q": alternatives}, {"q": [2]}, ["StRecall"]).mean == {"StRecall": 0.5}
    with pytest.raises(tr.InputError, match="document a of query q is judged twice"):
        Qrels.from_dict({"q": [["b", 1], ["a", 1], ["a", 2]]})


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ({"q": {"1": 1, "2": 1, "9": 1}}, "aspect 9 of query q has a weight, but no document is judged for it"),
        ({"q": {"1": 1, "2": 1}, "z": {"1": 1}}, "query z has weights of aspects, but no judgement"),
        ({"q": 1}, "weight. should stand here, not 1"),
        ("q", "weight. should stand here, not 'q'"),
    ],
)
def test_weights_of_what_nobody_judged_are_refused(weights: Any, said: str) -> None:
    with pytest.raises(tr.InputError, match=said):
        Qrels.from_dict({"q": {"a": {"1": 1}, "b": {"2": 1}}}).weighted(weights)


@pytest.mark.parametrize("measure", ["Q", "NCU", "nDCG"])
def test_no_grade_gains_less_than_nothing(measure: str) -> None:
    with pytest.raises(tr.MeasureError, match=r"a mapping \{grade: gain\} of numbers from 0 up"):
        tr.parse_measure(f"{measure}(gain={{1: -3}})")


@pytest.mark.parametrize(
    ("budget", "lengths", "said"),
    [
        (-1, {"a": 1}, "a budget is a number from 0 on, not -1"),
        (float("nan"), {"a": 1}, "a budget is a number from 0 on, not nan"),
        ("x", {"a": 1}, "a budget is a number from 0 on, not 'x'"),
        (1, [("a", 1)], "lengths are {document: length}, not"),
        (1, {"a": "x"}, "document a has no length"),
    ],
)
def test_a_budget_and_lengths_are_numbers(budget: float, lengths: dict[str, float], said: str) -> None:
    reading = tr.read({"q": {"a": 1}}, {"q": ["a"]}, keep="all")
    with pytest.raises(tr.InputError, match=said):
        reading.within(budget, lengths)


@pytest.mark.parametrize("lengths", [{1: 0.1, 2: 0.1, 3: 0.1}, {"1": 0.1, "2": 0.1, "3": 0.1, 4: 1}])
def test_a_budget_that_rounding_alone_misses_is_met_whatever_ids_lengths_have(lengths: dict[Any, float]) -> None:
    reading = tr.read({"q": {1: 1}}, {"q": [3, 2, 1]}, keep="all")
    found = [tr.evaluate(reading.within(budget, lengths), measures="RR").mean["RR"] for budget in (0.3, 0.299)]
    assert found == [1 / 3, 0.0]


@pytest.mark.parametrize("kind", ["file", "objects"])
def test_one_aspect_throughout_is_one_where_the_rules_say_so(kind, tmp_path):  # type: ignore[no-untyped-def]
    class Judged(NamedTuple):
        query_id: str
        doc_id: str
        relevance: int
        iteration: str

    rows = [Judged("q", "a", 1, "7"), Judged("q", "b", 0, "7"), Judged("r", "c", 1, "7")]
    (tmp_path / "a.qrels").write_text("".join(f"{q} {second} {doc} {grade}\n" for q, doc, grade, second in rows))
    qrels = tmp_path / "a.qrels" if kind == "file" else rows
    run, measures = {"q": ["b", "a"], "r": ["x"]}, "StRecall@1 StRecall alpha_nDCG@10"
    named = {q: {doc: {"7": grade} for own, doc, grade, _ in rows if own == q} for q in "qr"}
    scores = tr.evaluate(qrels, run, measures, rules=BY_COLUMN)
    assert scores.mean == tr.evaluate(named, run, measures).mean
    assert scores.mean["StRecall"] == 0.5
    with pytest.raises(tr.MeasureError, match="the judgements have none"):
        tr.evaluate(qrels, run, measures)


def test_what_divides_by_relevant_documents_is_undefined_without_them() -> None:
    qrels = {"q": {"a": {"1": 0}}, "r": {"a": {"1": 1}}}
    measures = "AP_IA StRecall Chain nDCG_IA ERR_IA@5 EvidenceRecall"
    scores = tr.evaluate(qrels, {"q": ["a"], "r": ["a"]}, measures, rules={"without_relevant": "undefined"})
    assert all(np.isnan(values[0]) and values[1] > 0 for values in scores.columns.values())


def test_what_is_wrong_with_a_file_of_weights_is_said_of_weights(tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "w.csv").write_text("query_id,aspect,weight\nq,2,1\nq,2,1\n")
    (tmp_path / "w.json").write_text('{"q": {"2": "x"}}')
    for name, said in {
        "w.csv": "document 2 of query q is judged twice",
        "w.json": "document 2 of query q has",
    }.items():
        with pytest.raises(tr.InputError, match=f"{name}.*{said}.*of weights: the aspect is called a doc"):
            weighted(Qrels.from_dict(JUDGED), tmp_path / name)
    with pytest.raises(tr.InputError, match=r"nowhere\.csv: there is no such file"):
        weighted(Qrels.from_dict(JUDGED), tmp_path / "nowhere.csv")


def test_a_weight_that_is_text_is_shown_as_such() -> None:
    with pytest.raises(tr.InputError, match=r"has the weight '0\.5'; a weight is a number"):
        Qrels.from_dict(JUDGED).weighted({"q": {"2": "0.5", "10": 1, "x": 1}, "r": {"2": 1}})  # type: ignore[dict-item]


def test_aspects_of_more_digits_than_python_s_numbers_have_are_in_their_order_too() -> None:
    judged = {"q": {"d": {"1" + "0" * 5000: 1, "2": 1, "010": 1, "9" * 5000: 1, "10": 1}}}
    aspects = tr.Qrels.from_dict(judged).aspects
    assert aspects is not None
    assert [name.decode() for name in aspects.names] == ["2", "010", "10", "9" * 5000, "1" + "0" * 5000]
