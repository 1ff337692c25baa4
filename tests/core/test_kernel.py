"""The kernel against a plain sort: every door, any chunks, any order, ties, duplicates, interleaved queries."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import truerank as tr
from truerank import Qrels
from truerank.core.errors import Refused
from truerank.core.kernel.counting import running_max, running_product, running_sum
from truerank.core.kernel.scanning import (
    HIT,
    QrelsParser,
    Scanner,
    as_bytes,
    as_text,
    in_columns,
)

IDS = st.text("ab9é/", min_size=1, max_size=20) | st.integers(0, 30).map(str)
SCORES = st.integers(-3, 3).map(float) | st.floats(-1e6, 1e6)
ANSWER = st.dictionaries(IDS, SCORES, max_size=12)
RUN = st.dictionaries(IDS, ANSWER, max_size=4)
JUDGED = st.dictionaries(IDS, st.dictionaries(IDS, st.integers(-1, 3), max_size=8), min_size=1, max_size=4)
ODD = (0.0, -0.0, 5e-324, -5e-324, 1.7e308, -1.7e308, 1.0, math.nextafter(1.0, 2), -1.0, math.nextafter(-1.0, 0))
TIES = st.sampled_from(["doc-descending", "doc-ascending", "input"])


def single(score: float) -> float:
    return struct.unpack("f", struct.pack("f", score))[0]


def expected(judged: dict, run: dict, ties: str, narrow: bool = False) -> set[tuple]:
    """(query, doc, rank, first, last, score) of every judged document that was returned, by sorting each list."""
    hits = set()
    for query, answer in run.items():
        rows = [(doc.encode(), single(score) if narrow else score) for doc, score in answer.items()]
        if ties != "input":
            rows.sort(key=lambda row: row[0], reverse=ties == "doc-descending")
        rows.sort(key=lambda row: -row[1])
        for rank, (doc, score) in enumerate(rows, 1):
            if doc.decode() in judged.get(query, {}):
                better = sum(other > score for _, other in rows)
                equal = sum(other == score for _, other in rows)
                hits.add((query, doc.decode(), rank, better + 1, better + equal, score))
    return hits


def found(qrels: Qrels, scanner: Scanner) -> set[tuple]:
    table, _ = scanner.finish()
    names = [(qrels.queries[hit["query"]].decode(), qrels.doc(hit["doc"]).decode()) for hit in table]
    return {(*pair, *hit.tolist()[2:]) for pair, hit in zip(names, table, strict=True)}


def lines(run: dict) -> list[bytes]:
    return [f"{q} Q0 {d} 1 {s!r} t\n".encode() for q, answer in run.items() for d, s in answer.items()]


def feed(scanner: Scanner, data: bytes, size: int) -> None:
    for start in range(0, len(data), size):
        scanner.feed(data[start : start + size])


@given(JUDGED, RUN, TIES, st.booleans(), st.integers(1, 300))
def test_text_in_any_chunks_gives_the_ranks_of_a_sort(judged, run, ties, narrow, size):
    qrels = Qrels.from_dict(judged)
    scanner = Scanner(qrels.judged, ties, single=narrow)
    feed(scanner, b"".join(lines(run)), size)
    assert found(qrels, scanner) == expected(judged, run, ties, narrow)


@given(JUDGED, RUN, TIES, st.booleans())
def test_a_dict_gives_the_ranks_of_a_sort(judged, run, ties, narrow):
    qrels = Qrels.from_dict(judged)
    scanner = Scanner(qrels.judged, ties, single=narrow)
    scanner.mapping(run)
    assert found(qrels, scanner) == expected(judged, run, ties, narrow)


@given(JUDGED, RUN, TIES)
def test_columns_give_the_ranks_of_a_sort(judged, run, ties):
    qrels = Qrels.from_dict(judged)
    rows = [(q, d, s) for q, answer in run.items() for d, s in answer.items()]
    scanner = Scanner(qrels.judged, ties)
    columns = [column([row[i].encode() for row in rows]) for i in (0, 1)]
    scanner.columns(*columns[0], *columns[1], np.array([row[2] for row in rows]))
    assert found(qrels, scanner) == expected(judged, run, ties)


def column(values: list[bytes]) -> tuple[np.ndarray, bytes]:
    return np.cumsum([0, *map(len, values)]), b"".join(values)


@given(JUDGED, RUN, TIES)
def test_rankings_with_scores_give_the_ranks_of_a_sort(judged, run, ties):
    qrels = Qrels.from_dict(judged)
    scanner = Scanner(qrels.judged, ties)
    for query, answer in run.items():
        scanner.ranked(query, list(answer), list(answer.values()))
    assert found(qrels, scanner) == expected(judged, run, ties)


@given(JUDGED, RUN, st.randoms(use_true_random=False), st.sampled_from(["doc-descending", "doc-ascending"]))
def test_interleaved_rows_give_the_ranks_of_a_sort(judged, run, random, ties):
    qrels = Qrels.from_dict(judged)
    rows = lines(run)
    random.shuffle(rows)
    scanner = Scanner(qrels.judged, ties, interleaved=True)
    feed(scanner, b"".join(rows), 50)
    assert found(qrels, scanner) == expected(judged, run, ties)


def test_a_query_that_comes_back_is_reported_as_interleaved():
    scanner = Scanner(Qrels.from_dict({"1": {}, "2": {}}).judged)
    with pytest.raises(Refused) as refused:
        scanner.feed(b"1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n1 Q0 b 1 1 t\n" + b"\n" * 100)
    assert (refused.value.kind, refused.value.line) == ("interleaved", 3)


def test_a_repeated_document_is_reported_before_a_number_in_the_next_row_that_is_none():
    scanner = Scanner(Qrels.from_dict({"1": {"a": 1}}).judged, interleaved=True)
    with pytest.raises(Refused) as refused:
        scanner.mapping({"1": {0: 1.0, b"0": 2.0}, "2": {0: float("nan")}})
    assert (refused.value.kind, refused.value.line) == ("duplicate", 2)


def test_the_line_of_a_number_that_is_none_counts_rows_of_each_kind():
    scanner = Scanner(Qrels.from_dict({"1": {"a": 1}}).judged)
    with pytest.raises(Refused) as refused:
        scanner.mapping({"1": {"a": 1.0, "b": 2.0}, "2": {"a": 1.0, 0: 2.0, "b": float("inf"), "c": 1.0}})
    assert (refused.value.kind, refused.value.line) == ("not finite", 5)


def test_long_lists_of_ties_are_ranked_like_short_ones():
    answer = {f"d{i * 7919 % 5000}": float(i % 3) for i in range(5000)}
    judged = {"q": dict.fromkeys(list(answer)[::50], 1)}
    qrels = Qrels.from_dict(judged)
    scanner = Scanner(qrels.judged)
    feed(scanner, b"".join(lines({"q": answer})), 4096)
    assert found(qrels, scanner) == expected(judged, {"q": answer}, "doc-descending")


@given(st.integers(1, 150), st.integers(1, 200), st.booleans(), TIES, st.integers(0, 2**32 - 1))
def test_lists_of_any_length_are_ranked_alike_whether_some_or_all_of_them_is_judged(
    length, scores, whole, ties, seed
):
    chance = random.Random(seed)
    kinds = (lambda: float(chance.randrange(scores)), lambda: chance.uniform(-9, 9), lambda: chance.choice(ODD))
    values = [chance.choice(kinds)() for _ in range(scores)]
    answer = {f"d{number}": chance.choice(values) for number in chance.sample(range(500), length)}
    judged = {"q": {doc: 1 for doc in answer if whole or chance.random() < 0.5} | {"other": 1}}
    qrels = Qrels.from_dict(judged)
    text, mapping = Scanner(qrels.judged, ties), Scanner(qrels.judged, ties)
    feed(text, b"".join(lines({"q": answer})), 4096)
    mapping.mapping({"q": answer})
    assert found(qrels, text) == found(qrels, mapping) == expected(judged, {"q": answer}, ties)


@pytest.mark.parametrize(("rule", "score"), [("first", 1.0), ("last", 3.0)])
def test_a_repeated_document_counts_once_as_the_rule_says(rule, score):
    scanner = Scanner(Qrels.from_dict({"q": {"a": 1}}).judged, duplicates=rule)
    scanner.ranked("q", ["a", "b", "a"], [1.0, 2.0, 3.0])
    table, returned = scanner.finish()
    assert (table["score"].tolist(), returned.tolist(), scanner.repeated) == ([score], [2], 1)


def test_a_repeated_document_can_count_each_time():
    scanner = Scanner(Qrels.from_dict({"q": {"a": 1}}).judged, ties="input", duplicates="count")
    scanner.ranked("q", ["a", "a", "b", "a"])
    table, returned = scanner.finish()
    assert (table["rank"].tolist(), returned.tolist()) == ([1, 2, 4], [4])


def test_a_repeated_document_is_refused_and_named():
    scanner = Scanner(Qrels.from_dict({"q": {}}).judged)
    with pytest.raises(Refused) as refused:
        scanner.ranked("q", ["x", "y", "x"])
    assert (refused.value.kind, scanner.here) == ("duplicate", (b"q", b"x"))


def run_of(text: bytes) -> Scanner:
    scanner = Scanner(Qrels.from_dict({"q": {"a": 1}}).judged)
    scanner.feed(text)
    scanner.finish()
    return scanner


@pytest.mark.parametrize(
    "text",
    [
        b"q Q0 a 1 2 t",
        b"q\tQ0\ta\t1\t2\tt\n",
        b"  q   Q0 \t a 1 2 t  \r\n",
        b"\xef\xbb\xbfq Q0 a 1 2 t\n",
        b"# about this run\nq Q0 a 1 2 t\n\n",
        b"q Q0 a 1 2e0 " + b"t" * 5000,
    ],
)
def test_a_line_is_read_however_it_is_laid_out(text):
    assert run_of(text).rows == 1


@pytest.mark.parametrize(
    ("text", "kind", "line", "columns"),
    [
        (b"q Q0 a 1 2 t\nq Q0 b 2 1\n", "fields", 2, 5),
        (b"q Q0 a 1 2 t u\n", "fields", 1, 7),
        (b"q\n", "fields", 1, 1),
        (b"q Q0 a 1 x t\n", "number", 1, 6),
        (b"q Q0 a 1 1e400 t\n", "not finite", 1, 6),
        (b"q Q0 a 1 NaN t\n", "not finite", 1, 6),
        (b"q Q0 a 1 -inf t\n", "not finite", 1, 6),
        (b"#\n\nq Q0 a\x00b 1 1 t\n", "control", 3, -1),
        (b"q Q0 a 1 1 t\rq Q0 b 1 1 t\n", "control", 1, -1),
    ],
)
def test_a_line_that_cannot_be_read_is_refused_where_it_stands(text, kind, line, columns):
    with pytest.raises(Refused) as refused:
        run_of(text)
    assert (refused.value.kind, refused.value.line, refused.value.columns) == (kind, line, columns)


def test_a_line_without_end_is_refused():
    scanner = Scanner(Qrels.from_dict({"q": {}}).judged)
    with pytest.raises(Refused) as refused:
        feed(scanner, b"x" * (3 << 20), 1 << 16)
    assert (refused.value.kind, refused.value.line) == ("long", 1)


def parsed(text: bytes) -> float:
    parser = QrelsParser()
    parser.feed(b"q 0 d " + text + b"\n")
    return float(parser.finish()[4][0])


def spellings(value: float) -> Iterator[str]:
    yield repr(value)
    yield from (f"{value:.{digits}e}" for digits in (0, 5, 16, 25))
    if abs(value) < 1e30:
        yield from (f"{value:.{digits}f}" for digits in (0, 6, 17, 30))
    yield f"+{abs(value)!r}"


@settings(max_examples=500)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_read_as_python_reads_them(value):
    for text in spellings(value):
        if math.isfinite(float(text)):
            assert parsed(text.encode()).hex() == float(text).hex(), text


@given(st.integers(0, 2**64 - 1), st.integers(-30, 30))
def test_long_digits_with_a_small_exponent_are_rounded_correctly(digits, scale):
    text = f"{digits}e{scale}"
    assert parsed(text.encode()) == float(text)


@pytest.mark.parametrize(
    "text", ["9007199254740993", "9007199254740992.5", "1.00000000000000011102230246251565404"]
)
def test_numbers_half_way_between_two_doubles_are_rounded_to_even(text):
    assert parsed(text.encode()) == float(text)


@pytest.mark.parametrize("text", [b"", b".", b"-", b"1e", b"1e+", b"1.2.3", b"0x10", b"1_0", b"1,5", b"e5", b"--1"])
def test_what_is_no_number_is_refused(text):
    with pytest.raises(Refused):
        parsed(text)


@pytest.mark.parametrize("text", [b"1.", b".5", b"-.5e-3", b"1e-400", b"0e999999", b"1E5", b"00012"])
def test_odd_but_valid_numbers_are_read(text):
    assert parsed(text) == float(text)


@given(st.binary(max_size=30))
def test_any_bytes_survive_as_text(name):
    assert as_bytes(as_text(name)) == name


def test_ids_that_are_numbers_are_what_they_print():
    assert [as_bytes(1), as_bytes(np.int64(7)), as_bytes("é")] == [b"1", b"7", "é".encode()]


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(-5, 5)), max_size=30))
def test_running_values_begin_anew_at_each_query(rows):
    rows.sort(key=lambda row: row[0])
    query, values = np.array([q for q, _ in rows], np.int64), np.array([v for _, v in rows])
    sums, products, tops = (
        running_sum(values, query),
        running_product(values, query),
        running_max(values, query),
    )
    for i in range(len(rows)):
        mine = values[: i + 1][query[: i + 1] == query[i]]
        total, product = 0.0, 1.0
        for value in mine.tolist():
            total, product = value + total, value * product
        assert (sums[i], products[i], tops[i]) == (total, product, mine.max())


def test_a_comment_that_begins_like_the_line_before_is_a_comment(tmp_path):
    (tmp_path / "run").write_bytes(b" #q Q0 x 1 3.0 t\n#q Q0 a 2 2.0 t\n")
    assert tr.evaluate({"#q": {"a": 1}}, tmp_path / "run", "RR").mean["RR"] == 0


def test_a_document_that_is_repeated_very_often_is_counted_in_linear_time(tmp_path):
    (tmp_path / "run").write_bytes(b"q Q0 a 1 1.0 t\n" * 200_000)  # minutes, were it quadratic
    scores = tr.evaluate({"q": {"a": 1}}, tmp_path / "run", "RR", rules={"duplicates": "count"})
    assert (scores.mean["RR"], scores.ledger.returned) == (1.0, 200_000)


def test_a_score_that_changes_its_own_dict_is_refused():
    answer = {}

    class Growing:
        def __float__(self):
            answer.update((str(i), 1.0) for i in range(10_000))
            return 1.0

    answer.update(a=Growing(), b=1.0)
    with pytest.raises(tr.InputError, match="dictionary changed size"):
        tr.evaluate({"q": {"a": 1, "b": 0}}, {"q": answer}, "RR")


def test_a_score_that_empties_the_lists_that_are_read_changes_nothing():
    docs = [f"d{i}" for i in range(1000)]

    class Emptying:
        def __float__(self):
            docs.clear()
            scores.clear()
            return 0.5

    scores = [*map(float, range(1000, 1, -1)), Emptying()]
    scores[300] = Emptying()
    scanner = Scanner(Qrels.from_dict({"q": {"d999": 1, "d10": 1, "d300": 1}}).judged)
    scanner.ranked("q", docs, scores)
    table, returned = scanner.finish()
    assert table["rank"].tolist() == [11, 999, 1000]
    assert returned.tolist() == [1000]


def test_many_judged_documents_in_an_unsorted_dict_are_ranked_as_in_pairs():
    rng = random.Random(0)
    docs = {f"d{i}": rng.random() for i in range(3000)}
    qrels = {"q": dict.fromkeys(list(docs)[::3], 1)}
    pairs = {"q": sorted(docs, key=docs.get, reverse=True)}
    assert tr.evaluate(qrels, {"q": docs}, "AP").mean == tr.evaluate(qrels, pairs, "AP").mean


def test_ids_are_found_among_the_documents_of_their_query_alone() -> None:
    qrels = Qrels.from_dict({"p": ["a", "b", "c", "d"], "q": ["a"], "r": []})
    ids = [b"d", b"a", b"a", b"a", b"", b"longer than any", b"b"]
    end = np.cumsum(list(map(len, ids)))
    begin = end - list(map(len, ids))
    found = qrels.judged.find_each(np.array([0, 0, 1, 2, 0, 1, -1]), begin, end, b"".join(ids))
    assert found.tolist() == [3, 0, 4, -1, -1, -1, -1]
    nowhere = qrels.judged.find_each(np.array([9, 0, 0]), np.array([0, -1, 2]), np.array([1, 1, 99]), b"abc")
    assert nowhere.tolist() == [-1, -1, -1]
    with pytest.raises(ValueError, match="a query, a beginning and an end"):
        qrels.judged.find_each(np.array([0]), begin, end, b"abc")


def test_judgements_of_fewer_or_more_documents_than_there_are_are_refused():
    for query, docs in (([0, 0], [b"a"]), ([0], [b"a", b"b"])):
        with pytest.raises(ValueError, match="where their ids begin and where they end"):
            Qrels.from_rows([b"q"], query, docs, [1.0] * len(query))


def test_rows_of_no_query_are_refused_when_put_in_the_order_of_queries():
    rows = np.zeros(3, HIT)
    rows["query"] = [0, 2, 1]
    assert in_columns([rows], 3)["query"].tolist() == [0, 1, 2]
    for queries in (0, 2):
        with pytest.raises(IndexError, match="no such query"):
            in_columns([rows], queries)
