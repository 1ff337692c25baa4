"""JSON: a dict of dicts, a dict of lists, a list of objects."""

from __future__ import annotations

import json
import random

import pytest

import truerank as tr
from truerank.core.mappings import IGNORED
from truerank.core.rankings import rankings
from truerank.formats import convert, open_run
from truerank.formats import json as json_format
from truerank.formats.source import as_source

QRELS = {"q1": {"b": 1}, "q2": {"c": 2}}
ANSWERS = [
    {"q1": {"a": 2.5, "b": 1}, "q2": {"c": 0}},
    {"q1": ["a", "b"], "q2": ["c"]},
    {"q1": [["a", 2.5], ["b", 1]], "q2": [["c", 0]]},
    {"q1": [{"id": "a", "score": 2.5}, {"id": "b", "score": 1}], "q2": [{"id": "c", "score": 0}]},
    {"q1": {"a": 2.5, "b": 1}, "q2": ["c"]},
    [{"query_id": "q1", "docs": ["a", "b"]}, {"query_id": "q2", "docs": ["c"]}],
    [{"qid": q, "docno": d, "score": s} for q, d, s in [("q1", "a", 9), ("q1", "b", 8), ("q2", "c", 0.5)]],
]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("answers", ANSWERS)
def test_runs_may_be_written_in_many_ways(answers, indent, tmp_path):
    (tmp_path / "a.json").write_text("\ufeff" + "\n " * bool(indent) + json.dumps(answers, indent=indent))
    assert tr.evaluate(QRELS, tmp_path / "a.json", "RR")["RR"].tolist() == [0.5, 1.0]


@pytest.mark.parametrize(
    "judged",
    [
        {"q1": {"b": 1, "a": 0}, "q2": {}},
        [{"query_id": "q1", "relevant": {"b": 1, "a": 0}}, {"query_id": "q2", "relevant": []}],
        [{"query_id": "q1", "relevant": [["b", 1], ["a", 0]]}, {"query_id": "q2", "relevant": []}],
        [
            {"id": "q1", "relevant": [{"doc_id": "b", "grade": 1}, {"doc_id": "a", "grade": 0}]},
            {"id": "q2", "relevant": []},
        ],
    ],
)
def test_qrels_may_be_written_in_many_ways_and_a_query_may_have_none(judged, tmp_path):
    (tmp_path / "a.json").write_text("\n " + json.dumps(judged))
    assert tr.read_qrels(tmp_path / "a.json").to_dict() == {"q1": {"b": 1.0, "a": 0.0}, "q2": {}}


def test_all_queries_may_be_without_judgements(tmp_path):
    for judged in ({"q": {}}, [{"query_id": "q", "relevant": []}]):
        (tmp_path / "a.json").write_text(json.dumps(judged))
        for given in (judged, tmp_path / "a.json"):
            assert tr.read_qrels(given).to_dict() == {"q": {}}


@pytest.mark.parametrize(
    ("values", "held"),
    [
        ([12 - n / 2 for n in range(10)], "run"),
        ([12 - n / 2 for n in range(9)], None),
        ([12 - n for n in range(10)], None),
        ([12 + n / 2 for n in range(10)], None),
        ([1.5] * 10, None),
    ],
)
def test_ten_documents_with_falling_fractions_are_a_run_s(values, held, tmp_path):
    docs = {f"d{n}": value for n, value in enumerate(values)}
    (tmp_path / "a.json").write_text(json.dumps({"q": docs, "r": {"d": 1}}))
    assert json_format.holds(as_source(tmp_path / "a.json")) == held


def test_a_run_goes_through_json_unchanged(round_trip):
    round_trip("json")


def test_qrels_go_through_json_sorted_by_query(qrels_round_trip):
    qrels_round_trip("json")


def test_what_is_written_is_what_other_readers_read(run_file, run, tmp_path):
    convert(run_file, tmp_path / "a.json")
    assert json.loads((tmp_path / "a.json").read_text()) == run


def test_a_large_object_is_read_in_parts_whatever_its_ids_hold(tmp_path, monkeypatch):
    monkeypatch.setattr(json_format, "BLOCK", 200)
    monkeypatch.setattr("truerank.formats.source.CHUNK", 64)
    rng = random.Random(3)
    pieces = ["}", "]", ",", '"', ":", "{", "[", "},", '},"', '}, "x": {', "\\", "é", "a", " "]
    names = ["".join(rng.choices(pieces, k=rng.randint(1, 6))) + str(i) for i in range(300)]
    run = {q: {d: rng.random() for d in rng.sample(names, 5)} for q in names}
    run["long"] = {f"d{i}": rng.random() for i in range(200)}
    for indent in (None, 1):
        (tmp_path / "a.json").write_text(json.dumps(run, indent=indent, ensure_ascii=False))
        parts = list(open_run(tmp_path / "a.json").batches())
        assert len(parts) > 20
        assert {q: docs for part in parts for q, docs in part.items()} == run


@pytest.mark.parametrize("long", [{"d" * 64_000: 1.0}, {f"d{i}": float(i) for i in range(6_000)}])
def test_a_long_query_is_not_looked_through_again_for_each_piece_of_the_file(long, tmp_path, monkeypatch):
    monkeypatch.setattr(json_format, "BLOCK", 200)
    monkeypatch.setattr("truerank.formats.source.CHUNK", 64)
    looked = []
    part = json_format._part
    monkeypatch.setattr(json_format, "_part", lambda text, *where: looked.append(len(text)) or part(text, *where))
    run = {"long": long, **{f"q{i}": {"a": 1.0} for i in range(100)}}
    (tmp_path / "a.json").write_text(json.dumps(run))
    parts = list(open_run(tmp_path / "a.json").batches())
    assert {q: docs for part in parts for q, docs in part.items()} == run
    assert sum(looked) < 4 * (tmp_path / "a.json").stat().st_size


def test_damage_in_a_large_object_is_reported_with_its_line_and_not_at_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(json_format, "BLOCK", 1000)
    monkeypatch.setattr("truerank.formats.source.CHUNK", 100)
    lines = [f'"q{i}": {{"d": {i}}},' for i in range(5000)]
    lines[700] = '"q700": {"d": 1, "e" 2},'
    (tmp_path / "a.json").write_text("{\n" + "\n".join(lines) + "\n" + '"last": {"d": 1}}')
    read = []
    with pytest.raises(tr.InputError, match=r"a\.json:702: this is no JSON"):
        read.extend(open_run(tmp_path / "a.json").batches())
    assert 0 < sum(map(len, read)) <= 700


def test_a_query_that_comes_twice_in_one_object_is_put_together(tmp_path):
    (tmp_path / "a.json").write_text('{"q": {"a": 2.0}, "x": {"a": 1.0}, "q": {"b": 1.0}}')
    (tmp_path / "b.jsonl").write_text('{"qid": "q", "docs": {"a": 2.0}}\n{"qid": "x", "docs": {"a": 1.0}}\n'
                                      '{"qid": "q", "docs": {"b": 1.0}}\n')  # fmt: skip
    with pytest.raises(tr.InputError, match=r"b\.jsonl:3: query q comes twice \(first in line 1\)"):
        tr.evaluate({"q": ["b"]}, tmp_path / "b.jsonl", "RR")


def test_scattered_rows_and_repeated_documents_are_no_json(tmp_path):
    (tmp_path / "a.run").write_text("q Q0 a 1 2 t\nx Q0 a 1 1 t\nq Q0 b 2 1 t\n")
    with pytest.raises(tr.InputError, match="rows of query q are scattered"):
        convert(tmp_path / "a.run", tmp_path / "a.json")
    (tmp_path / "a.run").write_text("q Q0 b 1 3 t\nq Q0 a 1 2 t\nq Q0 a 2 1 t\n")
    with pytest.raises(tr.InputError, match="document a is returned twice for query q"):
        convert(tmp_path / "a.run", tmp_path / "a.json")


@pytest.mark.parametrize("calls", [[1, 2, 1], [2, 1]])
def test_calls_that_are_scattered_are_no_json(calls, tmp_path):
    rows = [{"query_id": "q", "call": call, "doc_id": f"d{n}", "score": 1.0} for n, call in enumerate(calls)]
    with pytest.raises(tr.InputError, match="rows of query q are scattered"):
        convert(rows, tmp_path / "a.json", "run")


def test_a_run_that_answers_nothing_is_an_empty_object(tmp_path):
    (tmp_path / "a.run").write_text("# nothing\n")
    convert(tmp_path / "a.run", tmp_path / "a.json", "run")
    assert (tmp_path / "a.json").read_text() == "{}\n"


def test_ids_that_are_no_utf8_are_refused(tmp_path):
    (tmp_path / "a.run").write_bytes(b"q Q0 d\xff 1 2 t\n")
    for ending in ("json", "jsonl", "parquet"):
        with pytest.raises(tr.InputError, match=r"b'd\\xff' is not UTF-8"):
            convert(tmp_path / "a.run", tmp_path / f"a.{ending}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"q": {"a": 1.5}', "unexpected end of data"),
        ('{"q": {"a": "x"}}', "answer to query q cannot be read"),
        ('{"q": 5, "r": {}}', "no column holds the document ids|a list of documents"),
        ('{"q": {}, "r": 5}', "a list of documents should stand here, not 5"),
        ('{"q": [1.5]}', "an id is text or a whole number, not 1.5"),
        ('{"q": [null]}', "an id is text or a whole number, not None"),
        ('{"q": [["a", 1], "b"]}', "not all written in one way"),
        ('{"q": [{"id": "a", "score": 1}, {"id": "b"}]}', "not all written in one way"),
        ('{"q": [{"x": "a", "score": 1}]}', "no key holds the document ids"),
        ('[{"query_id": 1, "docs": ["a"], "scores": [1, 2]}]', "1 documents, but 2 scores"),
        ('[{"query_id": 1, "docs": ["a"]}, 5]', "a JSON object should stand here, not 5"),
        ('[{"query_id": 1, "doc_id": "a", "score": "high"}]', "a number should stand here, not 'high'"),
        ('{"q": {"a": 1e400}}', "number is infinity"),
        (" null\n", "a.json: this JSON holds null and no queries"),
        ('{"q": {"a": 1, "b": true}}', "query q has true or false where a number should stand"),
    ],
)
def test_what_is_wrong_with_json_is_said_in_a_line(text, message, tmp_path):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(tr.InputError, match=message) as caught:
        tr.evaluate({"q": ["a"]}, tmp_path / "a.json", "RR")
    assert "\n" not in str(caught.value)
    assert "a.json" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"q": {"a": 1}, "r": {"b": false}}', "true or false where a number should stand"),
        ('{"r": [true]}', "true or false where a document's id should stand"),
        ('{"r": {"b": "1"}}', "the grade '1'"),
    ],
)
def test_what_is_no_number_or_id_is_no_judgement(text, said, tmp_path):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(tr.InputError, match=f"query r has {said}"):
        tr.read_qrels(tmp_path / "a.json")


def test_ids_may_be_words_of_json(tmp_path):
    (tmp_path / "a.json").write_text('{"true": {"false": 1}}')
    assert tr.read_qrels(tmp_path / "a.json").to_dict() == {"true": {"false": 1.0}}


def test_a_query_without_scores_counts_down_to_one(tmp_path):
    (tmp_path / "a.json").write_text('{"q": ["a", "b", "c"]}')
    (ranked,) = rankings(open_run(tmp_path / "a.json").batches())
    assert (ranked.docs, ranked.numbers()) == ([b"a", b"b", b"c"], [3.0, 2.0, 1.0])


@pytest.mark.parametrize(
    "text",
    ['{"q1": {"a": 1.5}, "q1": {"b": 2.5}}', '{"q1": {"a": 1.5, "a": 2.5}}', '{"q1": ["a"], "q1": ["b"]}'],
)
def test_a_key_that_comes_twice_is_refused_in_runs_and_qrels(tmp_path, text):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(tr.InputError, match="comes 2 times in one object"):
        tr.evaluate({"q1": {"a": 1}}, tmp_path / "x.json", "RR")
    with pytest.raises(tr.InputError, match="comes 2 times in one object"):
        tr.evaluate(tmp_path / "x.json", {"q1": ["a"]}, "RR")


@pytest.mark.parametrize("key", ["docs", "relevant"])
def test_a_document_that_comes_twice_under_a_key_is_refused_in_lines_and_lists(tmp_path, key):
    def read(text: str, ending: str) -> list[float]:
        (tmp_path / f"x.{ending}").write_text(text)
        qrels, run = {"q": {'"b"': 1}}, {"q": ['"b"']}
        given = (qrels, tmp_path / f"x.{ending}") if key == "docs" else (tmp_path / f"x.{ending}", run)
        return tr.evaluate(*given, "RR")["RR"].tolist()

    apart = f'{{"query_id": "q", "{key}": {{"a": 1, "\\"b\\"": 2, "\\\\": 0}}}}'
    twice = f'{{"query_id": "r", "{key}": {{"a": 2, "b": 1, "\\u0061": 0}}}}'
    assert read(f"{apart}\n", "jsonl") == read(f"[{apart}]", "json") == [1.0]
    for text, ending, where in [(f"{apart}\n\n{twice}\n", "jsonl", ":3"), (f"[{apart}, {twice}]", "json", "")]:
        with pytest.raises(tr.InputError, match=f"x.{ending}{where}: 'a' comes 2 times in one object"):
            read(text, ending)


@pytest.mark.parametrize(
    "twice", ['"doc_id": "x"', '"doc_id" : "x"', '"score": 7', '"d\\u006fc_id": "a"', '"text": ["{"], "score": 7']
)
def test_a_key_that_comes_twice_in_a_record_is_refused(tmp_path, twice):
    first, last = (
        '{"query_id": "q", "doc_id": "b\\":", "score": 2}',
        '{"query_id": "r", "doc_id": "a", "score": 1%s}',
    )
    for ending, form in (("jsonl", "%s\n%s\n"), ("json", "[%s, %s]")):
        path = tmp_path / f"x.{ending}"
        path.write_text(form % (first, last % ""))
        assert tr.evaluate({"q": {'b":': 1}, "r": {"a": 1}}, path, "RR")["RR"].tolist() == [1.0, 1.0]
        path.write_text(form % (first, last % f", {twice}"))
        with pytest.raises(tr.InputError, match="comes 2 times in one object"):
            tr.evaluate({"q": {'b":': 1}}, path, "RR")


@pytest.mark.parametrize(
    "record",
    [
        '{"query_id": "q", "results": [{"id": "a", "score": 1, "meta": {}, "score": 2}]}',
        '{"query_id": "q", "hits": [{"id": "a", "score": 1}], "hits": []}',
        '{"query_id": "q", "hits": {"hits": [{"_id": "a", "_score": 1, "_source": {}, "_id": "b"}]}}',
        '{"query_id": "q", "results": [{"document": {"id": "a", "id": "b"}}]}',
        '{"query_id": "q", "response": {"docs": [{"id": "a", "id": "b"}]}}',
        '{"query": {"qid": "q", "text": "why?", "qid": "r"}, "candidates": [{"docid": "a", "score": 1}]}',
        '{"query_id": "q", "doc_id": "a", "score": 1, "meta": {"tag": "x"}, "score": 2}',
        '{"question": "q", "ctxs": [{"id": "a", "score": 1, "id": "b"}]}',
        '{"qid": "q", "run_id": "r", "nuggets": [{"text": "n", "assignment": "support", "text": "m"}]}',
    ],
)
def test_a_key_that_comes_twice_in_what_is_read_is_refused(record, tmp_path):
    (tmp_path / "x.jsonl").write_text(f"{record}\n")
    (tmp_path / "x.json").write_text(f"[{record}]")
    for name in ("x.jsonl", "x.json"):
        with pytest.raises(tr.InputError, match=f"{name}.*comes 2 times in one object"):
            tr.open_run(tmp_path / name).to_dict()


def test_a_key_may_come_twice_in_what_is_not_read_of_a_document(tmp_path):
    row = '{"query_id": "q", "doc_id": "%s", "score": %d, "metadata": {"tag": "x", "tag": "y"}}'
    rows = [row % ("a", 2), row % ("b", 1)]
    (tmp_path / "x.jsonl").write_text("\n".join(rows) + "\n")
    (tmp_path / "x.json").write_text(f"[{', '.join(rows)}]")
    for ending in ("jsonl", "json"):
        assert tr.evaluate({"q": {"b": 1}}, tmp_path / f"x.{ending}", "RR")["RR"].tolist() == [0.5]


def test_a_query_that_comes_twice_far_apart_is_refused(tmp_path):
    answer = ", ".join(f'"d{i}": {1 / (i + 1)}' for i in range(1000))
    text = ", ".join(f'"q{i}": {{{answer}}}' for i in range(200))
    (tmp_path / "x.json").write_text(f'{{{text}, "q0": {{"z": 1}}}}')
    with pytest.raises(tr.InputError, match="'q0' comes twice in one object"):
        tr.evaluate({"q0": {"z": 1}}, tmp_path / "x.json", "RR")


def test_quotes_in_ids_and_numbers_for_documents_are_no_repeats(tmp_path):
    (tmp_path / "x.json").write_text('{"q\\"1": {"a\\"b": 2.0, "c": 1.0}}')
    assert tr.evaluate({'q"1': {"c": 1}}, tmp_path / "x.json", "RR").mean["RR"] == 0.5
    (tmp_path / "y.json").write_text('{"q": [1, 2, "a"]}')
    assert tr.evaluate({"q": {"a": 1}}, tmp_path / "y.json", "RR").mean["RR"] == 1 / 3


def test_null_stands_for_a_pair_that_is_ignored(tmp_path):
    (tmp_path / "qrels.json").write_text('{"q": {"a": null, "b": 2, "null": 1}, "r": {"a": 0}}')
    qrels = tr.read_qrels(tmp_path / "qrels.json")
    assert qrels.to_dict()["q"] == {"a": IGNORED, "b": 2, "null": 1}
    assert tr.evaluate(qrels, {"q": ["a", "b"]}, "RR")["RR"].tolist() == [1.0, 0.0]
    convert(qrels, tmp_path / "again.json", what="qrels")
    assert json.loads((tmp_path / "again.json").read_text())["q"] == {"a": None, "b": 2, "null": 1}


def test_other_formats_refuse_pairs_that_are_ignored(tmp_path):
    qrels = tr.Qrels.from_dict({"q": {"a": IGNORED, "b": 1}})
    for ending in ("qrels", "csv", "tsv", "jsonl", "parquet"):
        with pytest.raises(tr.InputError, match=r"1 pair is ignored, which \w+ cannot say; json can"):
            convert(qrels, tmp_path / f"a.{ending}", what="qrels")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("several", [False, True])
def test_saved_scores_are_no_run_and_no_qrels(several, tmp_path):
    saved = tr.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "AP").to_dict()
    path = tmp_path / "main.json"
    path.write_text(json.dumps([saved, saved] if several else saved, indent=2))
    for files in (({"q": {"a": 1}}, path), (path, {"q": ["a"]})):
        with pytest.raises(tr.InputError, match="these are saved scores"):
            tr.evaluate(*files, "AP")


RUN_COLUMNS = {"query_id": [1, 1, 2, 2], "doc_id": [7, 5, 7, 5], "score": [3, 2, 2, 1]}
QRELS_COLUMNS = {"query_id": [1, 1, 2], "doc_id": [5, 7, 5], "relevance": [1, 0, 2]}


def by_column(table: dict[str, list[int]]) -> dict[str, dict[str, int]]:
    """As pandas' `to_json` writes it by default."""
    return {name: {str(row): value for row, value in enumerate(values)} for name, values in table.items()}


def by_row(table: dict[str, list[int]]) -> dict[str, dict[str, int]]:
    """As it writes it with orient="index"."""
    rows = zip(*table.values(), strict=True)
    return {str(number): dict(zip(table, row, strict=True)) for number, row in enumerate(rows)}


@pytest.mark.parametrize(
    ("run", "answers"),
    [
        ({"q1": {"query": 3.0, "doc": 2.0, "score": 1.0}, "q2": {"d": 1.0}}, ["query doc score", "d"]),
        ({"q1": {"query": 3.0, "doc": 2.0, "score": 1.0}, "q2": ["d"]}, ["query doc score", "d"]),
        ({"query": {"d": 3.0}, "doc": {"e": 2.0}, "score": {"d": 1.0}}, ["d", "e", "d"]),
        ({"query": {"d": 3.0}, "doc": {"d": 2.0}, "score": ["d"]}, ["d", "d", "d"]),
        ({"columns": ["a", "b"], "index": ["c"], "data": ["d"]}, ["a b", "c", "d"]),
        ({"columns": ["a", "b"], "index": ["c"], "data": [["d", 1.0], ["e", 2.0]]}, ["a b", "c", "e d"]),
        ({"columns": {"a": 2.0, "b": 1.0}, "index": {"c": 1.0}, "data": ["d"]}, ["a b", "c", "d"]),
        ({"schema": ["a", "b"], "data": ["d"]}, ["a b", "d"]),
        ({"ids": ["a", "b"], "documents": ["d"]}, ["a b", "d"]),
    ],
)
def test_queries_and_documents_may_be_called_as_columns_are(run, answers, tmp_path):
    (tmp_path / "run.json").write_text(json.dumps(run))
    for given in (run, tmp_path / "run.json"):
        read = tr.open_run(given).to_dict()
        assert {query: " ".join(docs) for query, docs in read.items()} == dict(zip(run, answers, strict=True))


@pytest.mark.parametrize(
    "damage",
    [
        {"data": [["q", "a", 2], ["q", "b"]]},
        {"data": [["q", "a", 2], "qbc"]},
        {"data": "ab"},
        {"columns": 3},
        {"columns": "abc"},
        {"index": [0]},
        {"index": "ab"},
        {"index": 3},
    ],
)
def test_a_damaged_frame_that_pandas_split_is_refused(damage, tmp_path):
    frame = {"columns": ["query_id", "doc_id", "score"], "index": [0, 1], "data": [["q", "a", 2], ["q", "b", 1]]}
    assert tr.open_run(frame).to_dict() == {"q": {"a": 2.0, "b": 1.0}}
    (tmp_path / "run.json").write_text(json.dumps(frame | damage))
    for given in (frame | damage, tmp_path / "run.json"):
        with pytest.raises(tr.InputError):
            tr.evaluate({"q": ["a"]}, given, "AP")


def test_rows_of_a_split_frame_may_have_one_name(tmp_path):
    rows = [["q", "a", 2], ["q", "b", 1]]
    frame = {"columns": ["query_id", "doc_id", "score"], "index": ["row", "row"], "data": rows}
    (tmp_path / "run.json").write_text(json.dumps(frame))
    for given in (frame, tmp_path / "run.json"):
        assert tr.open_run(given).to_dict() == {"q": {"a": 2.0, "b": 1.0}}


@pytest.mark.parametrize(
    ("asked", "queries"),
    [
        ({"0": "what is it", "1": "why"}, ["what is it", "why"]),
        ({"5": "what is it", "7": "why"}, ["5", "7"]),
        ({"5": "what", "7": "why"}, ["what", "why"]),
        ({"5": 3, "7": 4}, ["3", "4"]),
        ({"a1": "what", "7": "why"}, ["7", "a1"]),
    ],
)
def test_keys_of_records_are_ids_of_queries_where_they_number_no_rows(asked, queries, tmp_path):
    records = {key: {"question": question, "gold_ids": ["a"]} for key, question in asked.items()}
    (tmp_path / "qrels.json").write_text(json.dumps(records))
    for given in (records, tmp_path / "qrels.json"):
        assert sorted(tr.read_qrels(given).to_dict()) == queries


@pytest.mark.parametrize("written", [dict, by_column, by_row])
def test_tables_by_their_columns_are_tables_and_no_queries(written, tmp_path):
    run, qrels = written(RUN_COLUMNS), written(QRELS_COLUMNS)
    (tmp_path / "run.json").write_text(json.dumps(run))
    (tmp_path / "qrels.json").write_text(json.dumps(qrels))
    for both in ((qrels, run), (tmp_path / "qrels.json", tmp_path / "run.json")):
        scores = tr.evaluate(*both, "RR")
        assert (scores.queries, scores["RR"].tolist()) == (("1", "2"), [0.5, 0.5])


@pytest.mark.parametrize("written", [dict, by_column, by_row])
@pytest.mark.parametrize("ranks", ["rank", "position", "docPosition"])
def test_a_table_by_its_columns_may_have_grades_and_ranks(written, ranks, tmp_path):
    table = {"query_id": ["1", "1"], "doc_id": ["a", "b"], ranks: [1, 2], "relevance": [0, 1]}
    (tmp_path / "both.json").write_text(json.dumps(written(table)))
    for both in (written(table), tmp_path / "both.json"):
        assert tr.evaluate(both, both, "RR").mean == {"RR": 0.5}


def test_qrels_by_their_columns_are_no_queries_of_a_run():
    with pytest.raises(tr.InputError, match="are the two files swapped"):
        tr.evaluate(QRELS_COLUMNS, QRELS_COLUMNS, "RR")


def test_a_long_table_by_its_columns_is_read_whole(tmp_path, monkeypatch):
    monkeypatch.setattr("truerank.formats.json.BLOCK", 1 << 6)
    table = {"query_id": ["q"] * 500, "doc_id": [f"d{n}" for n in range(500)], "score": list(range(500))}
    (tmp_path / "run.json").write_text(json.dumps(table))
    assert tr.evaluate({"q": {"d490": 1}}, tmp_path / "run.json", "RR").mean == {"RR": 0.1}


def test_queries_that_are_called_like_columns_are_queries_in_files_too(tmp_path):
    (tmp_path / "run.json").write_text('{"query": {"a": 1.0, "b": 2.0}, "doc": {"a": 1.0}}')
    assert tr.evaluate({"query": ["a"], "doc": ["a"]}, tmp_path / "run.json", "RR").mean == {"RR": 0.75}


DATA_SET = {
    "queries": {"q": "which?", "r": "who?"},
    "corpus": {"a": "One, of true or null.", "b": "Two."},
    "relevant_docs": {"q": ["a"], "r": ["b"]},
    "mode": "text",
}
"""As LlamaIndex saves what its retrievers are evaluated on."""


@pytest.mark.parametrize("indent", [None, 4])
def test_of_a_data_set_with_queries_what_is_relevant_is_the_judgements(indent, tmp_path):
    path = tmp_path / "dataset.json"
    path.write_text(json.dumps(DATA_SET, indent=indent))
    for qrels in (path, DATA_SET):
        assert tr.read_qrels(qrels).to_dict() == {"q": {"a": 1.0}, "r": {"b": 1.0}}
    assert tr.read_qrels({"relevant_docs": {"a": 1}, "q": {"b": 1}}).queries == (b"q", b"relevant_docs")


def test_null_of_a_data_set_with_queries_is_an_ignored_pair_too(tmp_path):
    path = tmp_path / "dataset.json"
    path.write_text(json.dumps({**DATA_SET, "relevant_docs": {"q": {"a": None, "b": 2}}}))
    assert tr.read_qrels(path).to_dict() == {"q": {"a": IGNORED, "b": 2.0}}


PREDICTED = {
    "mteb_model_meta": {"model_name": "intfloat/e5", "revision": "abc"},
    "default": {"test": {"q": {"a": 0.5, "b": 0.75}, "r": {"b": 0.25}}},
}
"""As MTEB saves what a model retrieved."""


def test_predictions_of_mteb_are_a_run(tmp_path, monkeypatch):
    monkeypatch.setattr("truerank.formats.json.BLOCK", 1 << 4)
    path = tmp_path / "Task_predictions.json"
    path.write_text(json.dumps(PREDICTED))
    for run in (path, PREDICTED):
        assert tr.open_run(run).to_dict() == {"q": {"b": 0.75, "a": 0.5}, "r": {"b": 0.25}}
    with pytest.raises(tr.InputError, match="this holds a run, not qrels"):
        tr.read_qrels(path)


def test_predictions_of_several_subsets_are_refused(tmp_path):
    path = tmp_path / "Task_predictions.json"
    path.write_text(json.dumps({**PREDICTED, "en": {"dev": {}, "test": {"q": {"a": 1.0}}}}))
    with pytest.raises(tr.InputError, match="here there are 3: 'default/test', 'en/dev', 'en/test'"):
        tr.open_run(path).to_dict()


@pytest.mark.parametrize("answers", [["a"], None, 3])
def test_predictions_that_are_none_are_refused(answers, tmp_path):
    damaged = {**PREDICTED, "default": {"test": answers}}
    (tmp_path / "run.json").write_text(json.dumps(damaged))
    for run in (tmp_path / "run.json", damaged):
        with pytest.raises(tr.InputError, match="one subset and split are a run; here there are 0"):
            tr.open_run(run).to_dict()


def test_a_query_may_be_called_as_mteb_calls_its_model():
    assert tr.evaluate({"mteb_model_meta": ["a"]}, {"mteb_model_meta": ["a"]}, "RR").mean == {"RR": 1.0}


@pytest.mark.parametrize("text", ['{"q1": "d2", "q2": "d3"}', '{\n  "q1": "d2",\n  "q2": "d3"\n}'])
def test_one_document_a_query_is_refused_alike_on_one_line_and_on_several(text, tmp_path):
    (tmp_path / "a.json").write_text(text)
    for read in (tr.read_qrels, lambda path: tr.evaluate({"q1": ["d2"]}, path, "RR")):
        with pytest.raises(tr.InputError, match=r"documents should stand.*: write ids as"):
            read(tmp_path / "a.json")
