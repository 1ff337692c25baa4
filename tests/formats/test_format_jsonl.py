"""JSON lines: a query a line, or a row a line."""

from __future__ import annotations

import json

import pytest

import truerank as tr
from truerank.analysis.lint import lint
from truerank.formats import convert

LISTS = [
    {"eval_id": 1, "topk": ["x", "a", "y"]},
    {"standalone_query": "why?", "qid": 1, "topk": ["x", "a", "y"], "answer": "so", "references": [{"score": 1}]},
    {"topk": ["x", "a", "y"], "query_id": "1"},
    {"query_id": 1, "results": [{"docid": "x", "score": 3}, {"docid": "a", "score": 2}]},
    {"query_id": 1, "ranking": [["x", 3], ["a", 2]]},
    {"id": 1, "docs": {"a": 0.5, "x": 0.75}},
    {"query_id": 1, "retrieved_contexts": ["it rains"], "retrieved_context_ids": ["x", "a"]},
    {"query_id": 1, "retrieved_ids": ["x", "a"]},
    {"query_id": 1, "retrieved_doc_ids": ["x", "a"], "reference_context_ids": ["a"]},
    {"topic": 1, "docids": ["a", "x"], "scores": [0.5, 0.75]},
    {"topic": "sports", "query": 1, "docids": ["x", "a"]},
]


@pytest.mark.parametrize("line", LISTS)
@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.json", "a"])
def test_an_answer_a_line_may_be_written_in_many_ways_whatever_the_file_is_called(line, name, tmp_path):
    named = next(key for key in ("eval_id", "qid", "query_id", "id", "query", "topic") if key in line)
    other = {**line, named: 2}
    (tmp_path / name).write_text(json.dumps(line) + "\r\n\n" + json.dumps(other))
    assert tr.evaluate({"1": ["a"], "2": []}, tmp_path / name, "RR")["RR"].tolist() == [0.5, 0.0]


def test_blank_lines_among_long_ones_are_passed_over_and_counted(tmp_path):
    docs = [f"d{number}" for number in range(1000)]  # lines that are not read together
    lines = [json.dumps({"query_id": query, "docs": docs}) for query in "abc"]
    path = tmp_path / "a.jsonl"
    path.write_bytes(f"{lines[0]}\n\n \t\r\n\v\f\n  {lines[1]} \r\n{lines[2]}\n  ".encode())
    assert tr.evaluate({"a": ["d0"], "b": ["d1"], "c": ["d3"]}, path, "RR")["RR"].tolist() == [1.0, 0.5, 0.25]
    path.write_bytes(f"{lines[0]}\n \n\n{lines[1][:-1]}\n".encode())
    with pytest.raises(tr.InputError, match=r"a\.jsonl:4: this is no JSON: unexpected end of data"):
        tr.evaluate({"a": ["d0"]}, path, "RR")


def test_rows_may_have_usual_names_of_any_spelling(tmp_path):
    rows = [{"queryId": 1, "doc-id": 10, "Similarity": 1.5}, {"queryId": 1, "doc-id": 11, "Similarity": 2}]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert tr.evaluate({1: [10]}, tmp_path / "a.jsonl", "RR").mean == {"RR": 0.5}
    ranked = [{"qid": 1, "docno": 10, "rank": 2}, {"qid": 1, "docno": 11, "rank": 1}]
    (tmp_path / "b.jsonl").write_text("\n".join(map(json.dumps, ranked)))
    assert tr.evaluate({1: [10]}, tmp_path / "b.jsonl", "RR").mean == {"RR": 0.5}


@pytest.mark.parametrize(
    "lines",
    [
        ['{"eval_id": 1, "relevant": ["a", "b"]}', '{"eval_id": 2, "relevant": []}'],
        ['{"eval_id": 1, "ground_truth": {"a": 1, "b": 1}}', '{"eval_id": 2, "ground_truth": {}}'],
        [
            '{"eval_id": 1, "relevant": ["a"]}',
            '{"eval_id": 2, "relevant": []}',
            '{"eval_id": 1, "relevant": ["b"]}',
        ],
    ],
)
def test_qrels_may_be_a_query_a_line(lines, tmp_path):
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    assert tr.read_qrels(tmp_path / "a.jsonl").to_dict() == {"1": {"a": 1.0, "b": 1.0}, "2": {}}


@pytest.mark.parametrize("doc", ["doc_id", "d_id", "did", "docno", "chunk_id", "pid"])
def test_a_document_is_known_by_whatever_name(doc):
    row = {"q_id": "1", doc: "a"}
    assert tr.read_qrels([{**row, "relevance": 1}]).to_dict() == {"1": {"a": 1.0}}
    assert tr.open_run([{**row, "score": 0.5}]).to_dict() == {"1": {"a": 0.5}}


@pytest.mark.parametrize("grade", ["relevance", "grade", "rel", "relevant", "label", "score"])
def test_qrels_may_be_a_row_a_line(grade, tmp_path):
    rows = [{"query_id": "1", "doc_id": "a", grade: 2}, {"query_id": "1", "doc_id": "b", grade: 0}]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert tr.read_qrels(tmp_path / "a.jsonl", format="jsonl").to_dict() == {"1": {"a": 2.0, "b": 0.0}}


def test_a_run_goes_through_json_lines_unchanged(round_trip):
    round_trip("jsonl")


def test_qrels_go_through_json_lines_sorted_by_query(qrels_round_trip):
    qrels_round_trip("jsonl")


def test_what_is_written_is_what_other_readers_read(run_file, run, tmp_path):
    convert(run_file, tmp_path / "a.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert {line["query_id"]: dict(zip(line["docs"], line["scores"], strict=True)) for line in lines} == run


def test_an_empty_answer_stays_an_answer(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"eval_id": 1, "topk": ["x", "a", "y"]}\n{"eval_id": 2, "topk": []}\n')
    truth = {"1": ["a"], "2": []}
    assert tr.evaluate(truth, tmp_path / "a.jsonl", "AP@3", rules="science-qa").mean["AP@3"] == 0.75
    convert(tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    assert (tmp_path / "b.jsonl").read_text().splitlines()[1] == '{"query_id":"2","docs":[]}'


def test_lines_of_many_megabytes_are_read(tmp_path):
    docs = [f"document-{i}" for i in range(200_000)]
    text = json.dumps({"query_id": 1, "docs": docs})
    assert len(text) > 3_000_000
    (tmp_path / "a.jsonl").write_text(text + "\n" + json.dumps({"query_id": 2, "docs": docs[:1]}) + "\n")
    scores = tr.evaluate({"1": docs[-1:], "2": docs[:1]}, tmp_path / "a.jsonl", "RR")
    assert scores["RR"].tolist() == [1 / 200_000, 1.0]


@pytest.mark.parametrize(
    "line",
    [
        '{"query_id": 1, "chunk_id": "b", "score": 2}',
        '{"query_id": 1, "retrieved": [{"chunk_id": "x", "score": 1}, {"chunk_id": "b", "score": 2}]}',
        '{"query_id": 1, "retrieved": [{"chunk_id": "b", "text": "it rains"}]}',
        '{"query_id": 1, "chunk_id": "x", "doc_id": "b", "score": 2}',
        '{"query_id": 1, "chunk_id": 3, "id": "b", "score": 2}',
        '{"query_id": 1, "retrieved": [{"id": "b", "chunk_id": 3, "score": 2}]}',
    ],
)
def test_chunk_id_names_the_document_where_nothing_else_does(line, tmp_path):
    (tmp_path / "run.jsonl").write_text(line + "\n")
    assert tr.evaluate({"1": ["b"]}, tmp_path / "run.jsonl", "RR").mean == {"RR": 1.0}


@pytest.mark.parametrize(
    "line",
    [
        '{"query_id": 1, "chunk_id": "b", "relevance": 1}',
        '{"query_id": 1, "chunk_id": "b", "relevant": 1}',
        '{"query_id": 1, "relevant": [{"chunk_id": "b", "grade": 1}]}',
        '{"query_id": 1, "ground_truth": "It rains.", "gold_chunk_ids": ["b"]}',
        '{"query_id": 1, "relevant_chunk_ids": ["b"], "chunk_id": "x"}',
        '{"query_id": 1, "gold_doc_ids": ["b"]}',
        '{"query_id": 1, "gold_ids": {"b": 1}}',
        '{"query_id": 1, "retrieved_context_ids": ["a"], "reference": "It rains.", "reference_context_ids": ["b"]}',
        '{"query_id": 1, "expected_ids": ["b"], "retrieved_ids": ["a"]}',
    ],
)
def test_gold_chunks_are_judgements(line, tmp_path):
    (tmp_path / "gold.jsonl").write_text(line + "\n")
    assert tr.read_qrels(tmp_path / "gold.jsonl").to_dict() == {"1": {"b": 1.0}}


GOOD = '{"query_id": 1, "docs": ["a"]}\n'


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "this is no JSON: unexpected end"),
        ('{"query_id": 1, "docs": ["a"]},{"query_id": 2, "docs": []}', "this is no JSON"),
        ("5", "a JSON object should stand here, not 5"),
        ('{"docs": ["a"]}', "no column holds the query ids"),
        ('{"query_id": 1}', "no column holds the document ids"),
        ('{"query_id": 1, "docs": "a"}', "a list of documents should stand here, not 'a'"),
        ('{"query_id": 1.5, "docs": ["a"]}', "an id is text or a whole number, not 1.5"),
        ('{"query_id": "", "docs": ["a"]}', "an id is text or a whole number, not ''"),
        ('{"query_id": 1, "docs": ["a"], "scores": [true]}', "a number should stand here, not True"),
        ('{"query_id": 1, "doc_id": "a", "score": null}', "a number should stand here, not None"),
        ('{"query_id": 2, "docs": ["a", "a"]}', "document a is returned twice for query 2"),
    ],
)
def test_what_is_wrong_with_a_line_is_said_with_its_number(line, message, tmp_path):
    (tmp_path / "a.jsonl").write_text(GOOD + "\n" + line + "\n")
    with pytest.raises(tr.InputError, match=message) as caught:
        tr.evaluate({"1": ["a"], "2": ["a"]}, tmp_path / "a.jsonl", "RR")
    assert str(caught.value).startswith(f"{tmp_path}/a.jsonl:3: ")


def test_repeated_rows_are_named_with_both_lines(tmp_path):
    row = '{"query_id": "q", "doc_id": "%s", "score": 1.5}\n'
    (tmp_path / "a.jsonl").write_text(row % "a" + "\n" + row % "b" + row % "a")
    with pytest.raises(tr.InputError, match=r"a\.jsonl:4: document a .*\(first in line 1\)"):
        tr.evaluate({"q": ["a"]}, tmp_path / "a.jsonl", "RR")
    judged = '{"query_id": "q", "doc_id": "%s", "grade": 1}\n'
    (tmp_path / "b.jsonl").write_text(judged % "a" + "\n" + judged % "b" + judged % "a")
    with pytest.raises(tr.InputError, match=r"b\.jsonl:4: document a .*\(first in line 1\)"):
        tr.read_qrels(tmp_path / "b.jsonl")


def test_numbers_that_are_not_finite_are_named_with_their_line(tmp_path):
    (tmp_path / "a.jsonl").write_text(GOOD + '{"query_id": 2, "docs": {"a": NaN}}\n')
    with pytest.raises(tr.InputError, match=r"a\.jsonl:2: this is no JSON"):
        tr.evaluate({"1": ["a"]}, tmp_path / "a.jsonl", "RR")


@pytest.mark.parametrize("scores", ["", ', "scores": [1.0]'])
def test_a_query_that_comes_twice_is_refused_with_both_lines(tmp_path, scores):
    path = tmp_path / "a.jsonl"
    record = '{"query_id": "%s", "docs": ["%s"]%s}\n'
    path.write_text("".join(record % (q, d, scores) for q, d in (("q", "a"), ("r", "a"), ("q", "b"))))
    for read in (lambda: tr.evaluate({"q": {"a": 1}}, path), lambda: tr.formats.convert(path, tmp_path / "a.run")):
        with pytest.raises(tr.InputError, match=r"a.jsonl:3: query q comes twice \(first in line 1\)"):
            read()
    finding = next(f for f in lint({"q": {"a": 1}}, path) if f.severity == "error")
    assert (finding.line, "comes twice" in finding.message) == (3, True)


def test_pairs_that_answer_a_query_twice_are_refused():
    with pytest.raises(tr.InputError, match=r"query q comes twice \(lists 1 and 2\)"):
        tr.evaluate({"q": {"a": 1}}, [("q", ["a"]), ("q", ["b"])])


def test_under_rules_that_count_lines_a_second_line_is_one_more(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"query_id": "q", "docs": ["a"]}\n' * 2)
    scores = tr.evaluate({"q": {"a": 1}}, tmp_path / "a.jsonl", "RR", rules={"unit": "line", "missing": "skip"})
    assert scores.queries == ("q", "q")


@pytest.mark.parametrize("key", ["docs", "results"])
def test_documents_that_are_objects_with_a_rank_stand_in_the_order_of_the_ranks(tmp_path, key):
    docs = [{"doc_id": "b", "rank": 10}, {"doc_id": "c", "rank": 2}, {"doc_id": "a", "rank": 1}]
    (tmp_path / "a.jsonl").write_text(json.dumps({"query_id": "q", key: docs}) + "\n")
    assert tr.evaluate({"q": {"c": 1}}, tmp_path / "a.jsonl", "RR").mean == {"RR": 0.5}
    scored = [{**doc, "score": doc["rank"]} for doc in docs]  # which is what counts
    (tmp_path / "b.jsonl").write_text(json.dumps({"query_id": "q", key: scored}) + "\n")
    assert tr.evaluate({"q": {"b": 1}}, tmp_path / "b.jsonl", "RR").mean == {"RR": 1.0}


@pytest.mark.parametrize("rank", ["2", None, True])
def test_a_rank_that_is_no_number_is_refused(tmp_path, rank):
    docs = [{"doc_id": "b", "rank": 1}, {"doc_id": "a", "rank": rank}]
    (tmp_path / "a.jsonl").write_text(json.dumps({"query_id": "q", "docs": docs}) + "\n")
    with pytest.raises(tr.InputError, match=r"a\.jsonl:1: a number should stand here"):
        tr.evaluate({"q": {"a": 1}}, tmp_path / "a.jsonl", "RR")


def test_rows_of_which_some_have_only_a_rank_are_refused(tmp_path):
    rows = [{"query_id": "q", "doc_id": "a", "rank": 1, "score": 0.9}, {"query_id": "q", "doc_id": "b", "rank": 2}]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(tr.InputError, match=r"a\.jsonl:2: some rows have a score, and others only a rank"):
        tr.evaluate({"q": {"b": 1}}, tmp_path / "a.jsonl", "RR")


def test_the_text_of_a_question_without_an_id_is_its_id_as_in_tables_of_ragas(tmp_path):
    rows = [
        {"user_input": "who is it?", "retrieved_context_ids": ["a", "b"], "reference_context_ids": ["b"]},
        {"user_input": "why?", "retrieved_context_ids": [7], "reference_context_ids": [8]},
    ]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "a.json").write_text(json.dumps(rows))
    for table in (rows, tmp_path / "a.jsonl", tmp_path / "a.json"):
        assert tr.evaluate(table, table, "RR").per_query() == {"who is it?": {"RR": 0.5}, "why?": {"RR": 0.0}}
    with_ids = [{"id": number, **row} for number, row in enumerate(rows)]
    assert tr.evaluate(with_ids, with_ids, "RR").queries == ("0", "1")
    with pytest.raises(tr.InputError, match=r"query why.* comes twice"):
        tr.evaluate(rows, [rows[1], rows[0], rows[1]], "RR")


@pytest.mark.parametrize("key", ["grades", "gains", "relevance", "labels", "scores", "score"])
def test_grades_may_stand_in_a_list_beside_the_documents(key, tmp_path):
    rows = [
        {"query_id": "q", "relevant": ["a", "b", "c"], key: [2, 0, 1]},
        {"query_id": "r", "relevant": [], key: []},
    ]
    graded = {"q": {"a": 2, "b": 0, "c": 1}}
    pq, pa = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "a.json").write_text(json.dumps(rows))
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    paths = [tmp_path / f"a.{ending}" for ending in ("jsonl", "json", "parquet")]
    for table in (rows, pa.Table.from_pylist(rows), *paths):
        scores = tr.evaluate(table, {"q": ["b", "c", "a"]}, "nDCG")
        assert scores["nDCG"][0] == tr.evaluate(graded, {"q": ["b", "c", "a"]}, "nDCG")["nDCG"][0]
    rows[0][key] = [2, 0]
    with pytest.raises(tr.InputError, match="3 documents and 2 grades stand beside each other"):
        tr.evaluate(rows, {"q": ["a"]}, "nDCG")


def test_what_may_be_said_of_answers_is_no_grade_of_the_relevant_documents():
    row = {"query_id": "q", "retrieved": ["x", "a"], "relevance": [0.1, 0.9], "relevant": ["a"]}
    assert tr.evaluate([row], [row], "RR nDCG(gain='exp')").mean["RR"] == 0.5
    row["scores"] = [3]
    assert tr.evaluate([row], {"q": ["a"]}, "DCG").mean == {"DCG": 1.0}
    row["grades"] = [3]
    assert tr.evaluate([row], {"q": ["a"]}, "DCG").mean == {"DCG": 3.0}


def test_a_score_that_a_relevant_document_has_is_its_grade_where_it_is_whole(tmp_path):
    """BEIR calls grades so; a likeness of 0.35 as a grade would leave nothing relevant."""
    docs = [{"doc_id": "a", "score": 2}, {"doc_id": "b", "score": 0.35}]
    assert tr.read_qrels([{"query_id": "q", "relevant": docs[:1]}]).to_dict() == {"q": {"a": 2.0}}
    (tmp_path / "a.jsonl").write_text(json.dumps({"query_id": "q", "relevant": docs}))
    for qrels in ([{"query_id": "q", "relevant": docs}], tmp_path / "a.jsonl"):
        with pytest.raises(tr.InputError, match="this score is a fraction, as in a run, and no grade"):
            tr.read_qrels(qrels)
    graded = [{**doc, "grade": 1} for doc in docs]
    assert tr.read_qrels([{"query_id": "q", "relevant": graded}]).to_dict() == {"q": {"a": 1.0, "b": 1.0}}


def test_relevant_documents_may_have_a_place_for_a_score_that_is_none():
    """As Haystack writes its documents."""
    docs = [{"id": doc, "content": "t", "meta": {}, "score": None} for doc in "ab"]
    row = {"question": "q", "ground_truth_documents": docs}
    assert tr.read_qrels([row]).to_dict() == {"q": {"a": 1.0, "b": 1.0}}
    docs[0]["score"] = 1
    with pytest.raises(tr.InputError, match="a number should stand here, not None"):
        tr.read_qrels([row])


def test_fractions_in_a_list_of_scores_beside_the_relevant_documents_are_no_grades():
    with pytest.raises(tr.InputError, match="this score is a fraction, as in a run, and no grade"):
        tr.read_qrels([{"query_id": "q", "relevant": ["a", "b"], "scores": [1, 0.5]}])
    assert tr.read_qrels([{"query_id": "q", "relevant": ["a"], "score": 0.5}]).to_dict() == {"q": {"a": 1.0}}


@pytest.mark.parametrize("first", ['"metadata": {"page": 1}', '"tags": ["x"]', '"query": {"text": "what"}'])
def test_rows_may_begin_with_an_object_or_a_list(first, tmp_path):
    rows = (f'{{{first}, "query_id": "{q}", "doc_id": "{d}", "score": 0.5}}\r\n' for q, d in ("1a", "2b"))
    (tmp_path / "run").write_text("".join(rows), "utf-8")
    assert tr.evaluate({"1": ["a"], "2": ["c"]}, tmp_path / "run", "RR").mean == {"RR": 0.5}


def test_grades_of_documents_themselves_come_before_those_beside_them_and_may_be_fractions():
    for relevant in ({"a": 2, "b": 0.5}, [{"doc_id": "a", "relevance": 2}, {"doc_id": "b", "relevance": 0.5}]):
        row = {"query_id": "q", "relevant": relevant, "grades": [7, 8]}
        assert tr.read_qrels([row]).to_dict() == {"q": {"a": 2.0, "b": 0.5}}


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ('{"query-id": "q", "corpus-id": "d", "score": "high"}', "a number should stand here"),
        ('{"query-id": "q", "corpus-id": "d", "score": 0.5}', "this score is a fraction"),
        ('{"query-id": "q", "corpus-id": null, "score": 1}', "an id is text or a whole number"),
        ('{"query-id": "", "corpus-id": "d", "score": 1}', "an id is text or a whole number"),
    ],
)
def test_a_judgement_among_others_that_is_wrong_is_told_with_its_line(tmp_path, row, said):
    rows = [f'{{"query-id": "q", "corpus-id": "{doc}", "score": 1}}' for doc in "ab"]
    (tmp_path / "a.jsonl").write_text("\n".join([*rows, row, *rows]) + "\n")
    with pytest.raises(tr.InputError, match=rf"a\.jsonl:3: .*{said}"):
        tr.read_qrels(tmp_path / "a.jsonl", format="jsonl")
