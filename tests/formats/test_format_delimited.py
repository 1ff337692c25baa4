"""CSV and TSV with a header; BEIR's and MS MARCO's files."""

from __future__ import annotations

import csv
import random

import pytest

import truerank as tr
from truerank.core.run import Columns
from truerank.formats import convert, open_run, registry
from truerank.formats.source import as_source

QRELS = {"q1": {"b": 1}, "q2": {"c": 1}}
ROWS = [("q1", "a", "2.5"), ("q1", "b", "1.5"), ("q2", "c", "-1e-3")]


def written(header: str, rows: list[tuple[str, ...]], delimiter: str = ",", end: str = "\n") -> bytes:
    return end.join([header.replace(",", delimiter), *map(delimiter.join, rows), ""]).encode()


@pytest.mark.parametrize(
    "text",
    [
        written("query_id,doc_id,score", ROWS),
        written("qid,docno,score", ROWS, "\t"),
        written("Query-ID,DocID,Similarity", ROWS, ";"),
        written("topic,pid,sim", ROWS, "|", "\r\n"),
        written("topic,query,doc_id,score", [("sports", *row) for row in ROWS]),
        written("user,question,doc_id,score", [("ann", *row) for row in ROWS]),
        b"\xef\xbb\xbf" + written("query,doc,score", ROWS).rstrip(b"\n"),
        written("n,score,doc_id,run,query_id", [(str(i), s, d, "x", q) for i, (q, d, s) in enumerate(ROWS)]),
        written("qid,docid,docno,rank,score,query", [(q, "7", d, "1", s, "what?") for q, d, s in ROWS], "\t"),
        written('"query_id","doc_id","score"', [(f'"{q}"', f'"{d}"', s) for q, d, s in ROWS]),
        written("query_id,doc_id,score", [(q, d, "+" + s if s[0] != "-" else s) for q, d, s in ROWS]),
        written("query_id,doc_id,score", ROWS).replace(b"q2", b"\nq2"),
        written("query_id,doc_id,rank", [(q, d, str(i)) for i, (q, d, _) in enumerate(ROWS)]),
    ],
)
@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.run", "a"])
def test_columns_are_found_by_their_names_whatever_stands_between_them(text, name, tmp_path):
    (tmp_path / name).write_bytes(text)
    assert tr.evaluate(QRELS, tmp_path / name, "RR")["RR"].tolist() == [0.5, 1.0]


@pytest.mark.parametrize("grade", ["relevance", "grade", "rel", "label", "judgment"])
def test_grades_are_found_by_their_names(grade, tmp_path):
    (tmp_path / "a.csv").write_text(f"query_id,iteration,doc_id,{grade}\n1,0,a,2\n1,0,b,-0.5\n")
    assert tr.read_qrels(tmp_path / "a.csv").to_dict() == {"1": {"a": 2.0, "b": -0.5}}


def test_a_table_with_scores_and_grades_serves_as_both(tmp_path):
    (tmp_path / "a.csv").write_text("query_id,doc_id,score,relevance\nq,a,2.5,0\nq,b,1.5,1\n")
    assert tr.evaluate(tmp_path / "a.csv", tmp_path / "a.csv", "RR").mean == {"RR": 0.5}


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_a_run_goes_through_unchanged(ending, round_trip):
    round_trip(ending)


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_qrels_go_through_sorted_by_query(ending, qrels_round_trip):
    qrels_round_trip(ending)


def test_ids_with_delimiters_quotes_and_line_ends_go_through(tmp_path):
    docs = {"a,b": 1.5, 'say "hi"': 2.5, "two\nlines": 0.5, '"': 0.75, '"\n\n"': 0.8}
    for ending, more in (("csv", {"tab\there": 0.25}), ("tsv", {})):
        run = {'q,"1"': docs | more}
        convert(run, tmp_path / f"a.{ending}", what="run")
        (part,) = open_run(tmp_path / f"a.{ending}").batches()
        assert isinstance(part, Columns)
        ranks = tr.rank({q: dict.fromkeys(docs, 1) for q, docs in run.items()}, tmp_path / f"a.{ending}")
        assert len(ranks) == 5 + len(more)
    with pytest.raises(tr.InputError, match="TSV cannot hold the id"):
        convert({"q": {"a\tb": 1.0}}, tmp_path / "a.tsv", what="run")


def test_a_quotation_mark_of_a_text_hides_no_rows_of_tsv(tmp_path):
    rows = ['q1\t"a\t1', 'q2\tb"\t0', 'q3\t"c"\t1', 'q4\t"two', 'lines"\t2', '"q5\t"d" e\t3']
    judged = {"q1": {'"a': 1}, "q2": {'b"': 0}, "q3": {"c": 1}, "q4": {"two\nlines": 2}, '"q5': {'"d" e': 3}}
    (tmp_path / "a.tsv").write_bytes("\r\n".join(["query_id\tdoc_id\trelevance", *rows, ""]).encode())
    assert tr.read_qrels(tmp_path / "a.tsv").to_dict() == tr.read_qrels(judged).to_dict()


def test_an_open_quotation_mark_is_refused_with_the_line_where_tabs_are_too_few(tmp_path):
    (tmp_path / "a.tsv").write_text('query_id\tdoc_id\tscore\nq\ta\t1\nq\t"b\nq\tc\t3\n')
    with pytest.raises(tr.InputError, match=r"a.tsv:3: the header has 3 columns, but this line 2"):
        tr.rank({"q": {"a": 1}}, tmp_path / "a.tsv")


def test_what_is_written_is_what_other_readers_read(run_file, run, tmp_path):
    convert(run_file, tmp_path / "a.csv")
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        rows = [(row["query_id"], row["doc_id"], float(row["score"])) for row in csv.DictReader(file)]
    assert rows == [(q, d, s) for q, answer in run.items() for d, s in answer.items()]


def numbers_of(text: str, tmp_path) -> list[float]:
    (tmp_path / "a.csv").write_text("query_id,doc_id,score\n" + text)
    return [score for part in open_run(tmp_path / "a.csv").batches() for score in part.scores.tolist()]


def test_numbers_are_read_to_the_last_bit_by_both_readers(tmp_path):
    rng = random.Random(8)
    texts = [f"{rng.choice(['-', '+', ''])}{rng.randrange(10**17)}.{rng.randrange(10**17)}" for _ in range(500)]
    texts += [f"{rng.random()}e{rng.randint(-300, 300)}" for _ in range(500)] + [
        "0",
        "-0.0",
        "7",
        ".5",
        "5.",
        "1E3",
    ]
    expected = [float(text).hex() for text in texts]
    plain = "".join(f"q,d{i},{text}\n" for i, text in enumerate(texts))
    quoted = "".join(f'q,"d{i}",{text}\n' for i, text in enumerate(texts))
    assert [number.hex() for number in numbers_of(plain, tmp_path)] == expected
    assert [number.hex() for number in numbers_of(quoted, tmp_path)] == expected


@pytest.mark.parametrize("quote", ["", '"'])
def test_many_blocks_are_read_like_one(quote, tmp_path, monkeypatch):
    rows = [(f"q{i // 50}", f"d{i % 50}", str(i % 7)) for i in range(2000)]
    text = "".join(f"{q},{quote * (i > 1500)}{d}{quote * (i > 1500)},{s}\n" for i, (q, d, s) in enumerate(rows))
    run: dict[str, dict[str, float]] = {}
    for q, d, s in rows:
        run.setdefault(q, {})[d] = float(s)
    (tmp_path / "a.csv").write_text("query_id,doc_id,score\n" + text)
    monkeypatch.setattr("truerank.formats.source.BLOCK", 300)
    monkeypatch.setattr("truerank.formats.source.CHUNK", 100)
    assert len(list(open_run(tmp_path / "a.csv").batches())) > 10
    qrels = {q: dict.fromkeys(docs, 1) for q, docs in run.items()}
    by_dict, by_file = tr.rank(qrels, run), tr.rank(qrels, tmp_path / "a.csv")
    assert by_dict.rank.tolist() == by_file.rank.tolist()
    with pytest.raises(tr.InputError, match=r"a\.csv:2002: 'x' is no number"):
        numbers_of(text + "q,d,x\n", tmp_path)


@pytest.mark.parametrize("quote", ["", '"'])
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("q,a", "the header has 3 columns, but this line 2"),
        ("q,a,1,2", "the header has 3 columns, but this line 4"),
        ("q,a,high", "'high' is no number"),
        ("q,a,1_0", "'1_0' is no number"),
        ("q,a,١", "'١' is no number"),
        ("q, a, 1", "' 1' is no number: blanks are part of a cell"),
        ("q,a,1 ", "'1 ' is no number: blanks are part of a cell"),
        ("q,a,\t1", "is no number: blanks are part of a cell"),
        ('q,a,"0,9"', "'0,9' is no number: write the fraction after a point, not a comma"),
        ("q,a,", "there is no number in the column"),
        ("q,a,true", "'true' is no number"),
        ("q,a,[1]", r"'\[1\]' is no number"),
        ("q,a,nan", "the score is not a finite number"),
        ("q,a,1e400", "the score is not a finite number"),
        ("q,,1", "the document id is empty"),
        (",a,1", "the query id is empty"),
        ("q,b,1", r"document b is returned twice for query q \(first in line 2\)"),
        ("q,\0,1", "NUL byte"),
    ],
)
def test_what_is_wrong_with_a_line_is_said_with_its_number(line, message, quote, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(f"query_id,doc_id,score\nq,{quote}b{quote},3\nq,c,2\n\n{line}\nq,e,1\n")
    with pytest.raises(tr.InputError, match=message) as caught:
        tr.evaluate({"q": ["b"]}, path, "RR")
    assert str(caught.value).startswith(f"{path}:5: ")


@pytest.mark.parametrize(("lines", "n"), [("q,a,1,q,b,2\n", 6), ("q,a\nq,b,1,2\n", 2), ("q,a,1,2\nq,b\n", 4)])
def test_lines_that_are_too_long_or_too_short_do_not_make_up_for_each_other(lines, n, tmp_path):
    (tmp_path / "a.csv").write_text("query_id,doc_id,score\n" + lines)
    with pytest.raises(tr.InputError, match=rf"a\.csv:2: the header has 3 columns, but this line {n}"):
        tr.evaluate({"q": ["b"]}, tmp_path / "a.csv", "RR")


@pytest.mark.parametrize("text", ["x" * 200_000, f'"{"x" * 200_000}"'])
def test_a_column_that_nobody_reads_may_be_of_any_length(text, tmp_path):
    limit = csv.field_size_limit()
    (tmp_path / "b.csv").write_text(f'query_id,doc_id,score,text\nq,a,1,{text}\nq,b,2,"y"\n')
    assert tr.evaluate({"q": {"a": 1}}, tmp_path / "b.csv", "RR").mean == {"RR": 0.5}
    assert csv.field_size_limit() == limit


def test_rows_of_empty_cells_at_the_end_of_a_spreadsheet_are_none(tmp_path):
    (tmp_path / "a.csv").write_text("query_id;doc_id;score;relevance\r\nq;x;2;0\r\nq;a;1;1\r\n;;;\r\n;;;\r\n")
    (tmp_path / "b.csv").write_text("query_id;relevant_ids\r\nq;['a']\r\n;\r\n")
    for judged in ("a.csv", "b.csv"):
        assert tr.evaluate(tmp_path / judged, tmp_path / "a.csv", "RR").mean == {"RR": 0.5}
    (tmp_path / "a.csv").write_text("query_id;doc_id;score\r\nq;x;2\r\nq;;1\r\n")
    with pytest.raises(tr.InputError, match=r"a\.csv:3: "):
        tr.evaluate({"q": ["a"]}, tmp_path / "a.csv", "RR")


@pytest.mark.parametrize("delimiter", [";", ",", "\t"])
def test_of_the_line_that_is_for_a_spreadsheet_alone_it_is_said_to_delete_it(delimiter, tmp_path):
    cells = delimiter.join(["query_id", "doc_id", "score"])
    (tmp_path / "a.csv").write_text(f"\ufeffsep={delimiter}\r\n{cells}\r\n", "utf-8")
    with pytest.raises(tr.InputError, match=r"a\.csv:1: this line tells a spreadsheet .*; delete it"):
        tr.open_run(tmp_path / "a.csv").to_dict()


def test_blanks_are_part_of_an_id_and_no_part_of_a_columns_name(tmp_path):
    (tmp_path / "a.csv").write_text(" Query ID , Doc ID ,Grade\nq, a,1\n")
    assert tr.read_qrels(tmp_path / "a.csv").to_dict() == {"q": {" a": 1.0}}


def test_a_decimal_comma_is_no_two_numbers(tmp_path):
    (tmp_path / "a.csv").write_text("query_id;doc_id;score\nq;a;1,5\n")
    with pytest.raises(tr.InputError, match=r"a\.csv:2: '1,5' is no number"):
        tr.evaluate({"q": ["a"]}, tmp_path / "a.csv", "RR")


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("a,b,c", "no column holds the query ids; name it query_id .there is 'a', 'b', 'c'"),
        ("query_id,b,c", "no column holds the document ids; name it doc_id"),
        ("query_id,doc_id,c", "no column holds the scores; name it score"),
        (
            "query_id,doc_id,distance",
            "no .* scores; if a lower 'distance' is better, give its negative in a column score",
        ),
        ("query_id,doc_id,score,score", "2 columns have one name, 'score', 'score': keep one of them"),
        *(
            (line, "this line names no columns: it is blank, .* write query_id,doc_id,score")
            for line in ("", "#", "a\rb")
        ),
        ("query_id,doc_id,Doc-ID,score", "2 columns have one name, 'doc_id', 'Doc-ID': keep one of them"),
    ],
)
def test_a_header_without_the_names_says_what_to_name(header, message, tmp_path):
    (tmp_path / "a.csv").write_text(f"{header}\n1,2,3\n")
    with pytest.raises(tr.InputError, match=rf"a\.csv:1: {message}"):
        tr.evaluate({"q": ["a"]}, tmp_path / "a.csv", "RR")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "Id,Predicted\n1,2 3\n",
            "no column holds the query ids.*'Id', 'Predicted'.*one document per row, or one query per row",
        ),
        (
            "id\tlabels\n1\t2 3\n",
            "no column holds the query ids.*'id', 'labels'.*one document per row, or one query per row",
        ),
        ("q1,d1,0.5\nq1,d2,0.4\n", "a run line has 6 columns .* this one has 1: the first line of a"),
        ("first line\nsecond, line\n", "a run line has 6 columns .* this one has 2"),
        ("one, line\n", "a run line has 6 columns .* this one has 2"),
    ],
)
def test_a_table_without_a_known_header_says_what_the_first_line_is(text, message, tmp_path):
    (tmp_path / "a").write_text(text)
    with pytest.raises(tr.InputError, match=rf"a:1: {message}"):
        tr.evaluate({"q": ["a"]}, tmp_path / "a", "RR")


BEIR = "query-id\tcorpus-id\tscore\n1\td1\t1\n1\td2\t0\n2\td1\t2\n"


def test_beirs_judgements_are_known_by_their_header(tmp_path):
    (tmp_path / "test.tsv").write_text(BEIR)
    assert registry.sniffed(as_source(tmp_path / "test.tsv"), "qrels").name == "beir"
    assert tr.read_qrels(tmp_path / "test.tsv").to_dict() == {"1": {"d1": 1.0, "d2": 0.0}, "2": {"d1": 2.0}}


def test_beirs_judgements_are_no_run_unless_one_says_so(tmp_path):
    (tmp_path / "test.tsv").write_text(BEIR)
    with pytest.raises(tr.InputError, match="this holds qrels, not a run: are the two files swapped"):
        open_run(tmp_path / "test.tsv")
    run = open_run(tmp_path / "test.tsv", format="tsv")
    assert tr.evaluate({"1": ["d1"]}, run, "RR").mean == {"RR": 1.0}


def test_a_run_under_beirs_header_is_a_run(tmp_path):
    (tmp_path / "run.tsv").write_text("query-id\tcorpus-id\tscore\n1\td1\t0.5\n")
    assert tr.evaluate({"1": ["d1"]}, tmp_path / "run.tsv", "RR").mean == {"RR": 1.0}
    with pytest.raises(tr.InputError, match="this holds a run, not qrels"):
        tr.read_qrels(tmp_path / "run.tsv")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("test.tsv", BEIR.replace("\td2\t0", "\td2\t0.0")),  # as pandas writes numbers beside gaps
        ("test.tsv", BEIR + "2\td3\t\n"),
        ("test.jsonl", '{"query-id": "1", "corpus-id": "d1", "score": 1.0}\n'),
        ("test.jsonl", '{"query-id": "1", "corpus-id": "d1", "score": 1}\n'),
        ("test.json", '[{"query-id": "1", "corpus-id": "d1", "score": 1}]'),
    ],
)
def test_whole_scores_under_beirs_names_may_be_grades_or_scores(name, content, tmp_path):
    (tmp_path / name).write_text(content)
    assert tr.read_qrels(tmp_path / name).to_dict()["1"]["d1"] == 1.0
    if not content.endswith("\t\n"):
        assert tr.evaluate({"1": ["d1"]}, tmp_path / name, "RR").mean == {"RR": 1.0}


def test_fractions_under_beirs_names_are_scores_in_json_lines_too(tmp_path):
    (tmp_path / "run.jsonl").write_text('{"query-id": "1", "corpus-id": "d1", "score": 0.5}\n')
    with pytest.raises(tr.InputError, match="this holds a run, not qrels"):
        tr.read_qrels(tmp_path / "run.jsonl")


def test_qrels_go_through_beir_sorted_by_query(qrels_round_trip, tmp_path):
    qrels_round_trip("tsv", to="beir")
    assert (tmp_path / "there.tsv").read_text().startswith("query-id\tcorpus-id\tscore\nq0\t")


def test_beir_cannot_hold_a_run(tmp_path):
    with pytest.raises(tr.InputError, match="a run cannot be written in the format beir; trec, csv"):
        convert({"q": {"a": 1.0}}, tmp_path / "a.tsv", what="run", to="beir")


def test_ms_marcos_runs_are_known_by_ranks_that_count_from_one(tmp_path):
    (tmp_path / "run.tsv").write_text("7\t30\t1\n7\t10\t2\n7\t20\t3\n8\t10\t1\n")
    scores = tr.evaluate({"7": ["10"], "8": ["10"]}, tmp_path / "run.tsv", "RR@10")
    assert scores["RR@10"].tolist() == [0.5, 1.0]
    with pytest.raises(tr.InputError, match="this holds a run, not qrels"):
        tr.read_qrels(tmp_path / "run.tsv")


def test_three_columns_that_are_no_ranks_are_not_taken_for_a_run(tmp_path):
    (tmp_path / "run.tsv").write_text("7\t30\t5\n7\t10\t9\n")
    with pytest.raises(tr.InputError, match="no column holds"):
        tr.evaluate({"7": ["10"]}, tmp_path / "run.tsv", "RR")


def test_recboles_names_of_columns_have_a_type_behind_them(tmp_path):
    interactions = "user_id:token\titem_id:token\trating:float\ttimestamp:float\n1\t7\t3\t88\n1\t8\t4.5\t89\n"
    (tmp_path / "ml.inter").write_text(interactions)
    (tmp_path / "topk.tsv").write_text("user_id:token\titem_id:token\tscore:float\n1\t8\t0.9\n1\t9\t0.8\n")
    assert tr.read_qrels(tmp_path / "ml.inter").to_dict() == {"1": {"7": 3, "8": 4.5}}
    assert tr.evaluate(tmp_path / "ml.inter", tmp_path / "topk.tsv", "R@1").mean == {"R@1": 0.5}
    table = {"user_id:token": [1, 1], "item_id:token": [7, 8], "rating:float": [3.0, 4.5]}
    assert tr.read_qrels(pytest.importorskip("pandas").DataFrame(table)).to_dict() == {"1": {"7": 3, "8": 4.5}}


@pytest.mark.parametrize(("columns", "held"), [("id,retrieved_ids", "run"), ("id,relevant_ids", "qrels")])
def test_a_row_a_query_tells_by_its_list_what_it_is_in_csv_as_in_parquet(tmp_path, columns, held):
    import pyarrow
    import pyarrow.parquet

    (tmp_path / "x.csv").write_text(f'{columns}\nq,"[""a"", ""b""]"\n')
    table = pyarrow.table(dict(zip(columns.split(","), [["q"], [["a", "b"]]], strict=True)))
    pyarrow.parquet.write_table(table, tmp_path / "x.parquet")
    for file in ("x.csv", "x.parquet"):
        source = as_source(tmp_path / file)
        assert registry.sniffed(source).holds(source) == held


def test_a_key_that_comes_twice_in_an_object_of_a_cell_is_refused(tmp_path):
    for cell, is_repeated in (
        ('[{""id"": ""a"", ""score"": 1, ""score"": 2}]', True),
        ('[{""id"": ""a"", ""score"": 2}]', False),
    ):
        (tmp_path / "run.csv").write_text(f'query_id,docs\nq,"{cell}"\n')
        if not is_repeated:
            assert tr.open_run(tmp_path / "run.csv").to_dict() == {"q": {"a": 2.0}}
            continue
        with pytest.raises(tr.InputError, match=r"run.csv:2: 'score' comes 2 times in one object"):
            tr.open_run(tmp_path / "run.csv").to_dict()


@pytest.mark.parametrize("quote", ["", '"'])
def test_the_query_may_stand_last(quote, tmp_path):
    (tmp_path / "qrels.csv").write_text(f"relevance,doc_id,query_id\n1,{quote}a{quote},q\n2,b,q\n")
    assert tr.read_qrels(tmp_path / "qrels.csv").to_dict() == {"q": {"a": 1, "b": 2}}


@pytest.mark.parametrize("width", [254, 255, 256, 257, 258, 300])
def test_a_table_may_be_wide(width, tmp_path):
    names = ["query_id", "doc_id", "score", *(f"more{column}" for column in range(width - 3))]
    rows = [["q", doc, score, *["7"] * (width - 3)] for doc, score in (("a", "1.5"), ("b", "2.5"))]
    cells = [[*row[:2], *row[3:103], row[2], *row[103:]] for row in (names, *rows)]
    (tmp_path / "run.csv").write_text("".join(",".join(row) + "\n" for row in cells))
    assert open_run(tmp_path / "run.csv").to_dict() == {"q": {"a": 1.5, "b": 2.5}}
