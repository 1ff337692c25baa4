"""Rows of plain text: cut as Python cuts them, and their answers are those of a look at every row."""

from __future__ import annotations

from itertools import groupby, pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerank.analysis.lint.ids import STEPS, bare
from truerank.core.kernel.rows import Rows, columns_of, joined, rows_of
from truerank.truth.chunks import whole_of

IDS = st.sampled_from(
    [b"a", b"b", b"A", b"a0", b"a-1", b"a_chunk_2", b"12345678", b"\xc3\xa9", b"x" * 20, b"y" * 300]
)
SCORES = st.sampled_from([b"1", b"1.0", b"2.5", b".5", b"-0", b"0", b"1e-3", b"49.19109429178723", b"1" * 30])
RANKS = st.sampled_from([b"0", b"1", b"2", b"02", b"7", b"-1", b"x", b"9" * 19])
TAGS = st.sampled_from([b"t", b"t", b"t", b"u"])
LINES = st.lists(st.tuples(IDS, RANKS, SCORES, TAGS), min_size=1, max_size=12)


def text_of(lines: list[tuple[bytes, ...]], query: bytes = b"q") -> bytes:
    return b"".join(b"%b Q0 %b %b %b %b\n" % (query, *line) for line in lines)


def one(lines: list[tuple[bytes, ...]], first: int = 1) -> Rows:
    found = rows_of(text_of(lines), first)
    assert found is not None
    (rows,) = found
    return rows


def columns(rows: Rows) -> tuple[Any, ...]:
    return rows.query, rows.docs, list(map(repr, rows.scores)), list(rows.lines), rows.ranks, rows.tags


BLANK = st.sampled_from([b"", b" \t", b"# c", b"#\0\r"])
LINE = st.builds(
    lambda query, doc, rank, score, tag, gap, behind: gap.join([query, b"Q0", doc, rank, score, tag]) + behind,
    *(st.sampled_from([b"1", b"2"]), IDS, RANKS, SCORES, TAGS),
    *(st.sampled_from([b" ", b"\t", b"  "]), st.sampled_from([b"", b" "])),
)


@given(st.lists(LINE | BLANK, max_size=12), st.integers(1, 9))
def test_plain_lines_are_cut_as_python_cuts_them(lines, first):
    cut = [(n, line.split()) for n, line in enumerate(lines, first) if line.strip() and not line.startswith(b"#")]
    found = rows_of(b"".join(line + b"\n" for line in lines), first)
    assert [(rows.query, n) for rows in found or () for n in rows.lines] == [(cells[0], n) for n, cells in cut]
    assert [doc for rows in found or () for doc in rows.docs] == [cells[2] for _, cells in cut]
    assert [repr(x) for rows in found or () for x in rows.scores] == [repr(float(cells[4])) for _, cells in cut]
    assert [rank for rows in found or () for rank in rows.ranks] == [cells[3] for _, cells in cut]
    assert [tag for rows in found or () for tag in rows.tags] == [cells[5] for _, cells in cut]
    for part in found or ():
        assert list(part.lines) == list(range(part.lines[0], part.lines[0] + part.size))


@pytest.mark.parametrize(
    "line",
    [
        *(b"q Q0 d 1 1", b"q Q0 d 1 1 t u", b"q Q0 d 1 1 t\r", b"\r", b"q Q0 d\0 1 1 t", b"q\x0bQ0 d 1 1 t u"),
        *(b"q Q0 d 1 %b t" % score for score in b"nan inf 1e400 1_0 0x1 - . 1e 1,5 --1".split()),
        b"q Q0 " + b"d" * (1 << 20) + b" 1 1 t",
    ],
    ids=repr,
)
@pytest.mark.parametrize("behind", [0, 3])
def test_a_line_that_is_not_plain_leaves_the_text_to_a_closer_look(line, behind):
    plain = b"q Q0 e 1 1 t\n"
    assert rows_of(plain, 1) is not None
    assert rows_of(plain + line + b"\n" + behind * plain, 1) is None


@pytest.mark.parametrize("text", [b"", b"\n", b"# c\n", b"q Q0 d 1 1 t"])
def test_text_without_whole_rows_has_none(text):
    assert rows_of(text, 1) is None


@given(st.lists(LINES, min_size=1, max_size=4), st.booleans())
def test_parts_of_a_query_join_to_what_they_are_in_one_piece(parts, apart):
    first, rows, numbers = 5, [], []
    for part in parts:
        rows.append(one(part, first))
        numbers += range(first, first + len(part))
        first += len(part) + apart
    whole = joined(rows)
    assert whole is not None
    assert list(whole.lines) == numbers
    together = columns(one([line for part in parts for line in part]))
    assert columns(whole)[:3] + columns(whole)[4:] == together[:3] + together[4:]
    assert whole.has_repeated() == (len(set(whole.docs)) < whole.size)


@given(LINES)
def test_answers_are_those_of_a_look_at_every_row(lines):
    rows = one(lines)
    docs, scores, tags = rows.docs, rows.scores, rows.tags
    asked = dict.fromkeys([b"a", b"b", b"zz", b"", b"12345678", b"y" * 300])
    assert rows.size == len(lines)
    assert rows.has_repeated() == (len(set(docs)) < len(docs))
    assert [rows.find(doc) for doc in asked] == [docs.index(doc) if doc in docs else -1 for doc in asked]
    assert rows.found_of(asked) == asked.keys() & set(docs)
    assert rows.is_tied() == (len(set(scores)) == 1)
    for tag in (b"t", b"v"):
        others = [row for row, other in enumerate(tags) if other != tag]
        assert rows.other_tag(tag) == (others[0] if others else -1)


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 4)), min_size=1, max_size=8))
def test_rows_are_in_order_where_scores_never_rise_along_ranks_that_all_differ(pairs):
    rows = one([(b"d", b"%d" % rank, b"%d" % score, b"t") for rank, score in pairs])
    ranks = [rank for rank, _ in pairs]
    scores = [score for _, score in sorted(pairs)]
    falls = len(set(ranks)) == len(ranks) and scores == sorted(scores, reverse=True)
    assert not rows.is_in_order() or falls
    if max(ranks) - min(ranks) < 2 * len(ranks):
        assert rows.is_in_order() == falls


@pytest.mark.parametrize("rank", [b"x", b"-1", b"1.0", b"1_0", b"9" * 19, b"+1"])
def test_ranks_that_are_no_plain_numbers_are_in_no_order(rank):
    assert not one([(b"a", rank, b"2", b"t"), (b"b", b"2", b"1", b"t")]).is_in_order()


SIGNS = st.text(alphabet="0019aA.-/\\'\"`_#:chunktx5", min_size=1, max_size=9).map(str.encode)
SPELLINGS = st.builds(
    lambda *parts: b"".join(parts), SIGNS, st.sampled_from([b"", b".txt", b".0", b".JSONL", b"'"])
)


def spelled(name: bytes) -> st.SearchStrategy[bytes]:
    """Ways to write an id."""
    folders, quotes = st.sampled_from([b"", b"a/", b"C:\\"]), st.sampled_from([b"", b"'", b'"'])
    zeros, endings = st.sampled_from([b"", b"0", b"00"]), st.sampled_from([b"", b".txt", b".0", b".TIFF"])
    turn = st.sampled_from([bytes.lower, bytes.upper, bytes.swapcase])
    return st.builds(lambda q, f, z, e, t: q + f + z + t(name) + e + q, quotes, folders, zeros, endings, turn)


@given(SPELLINGS.flatmap(lambda name: st.tuples(st.just(name), SPELLINGS | spelled(name))))
def test_another_spelling_is_never_missed(names):
    wanted, doc = names
    rows = one([(b"other", b"1", b"2", b"t"), (doc, b"2", b"1", b"t")])
    for other in (wanted, b" %b\n" % wanted):
        assert rows.may_hold_spellings([b"nowhere", other]) or bare(other) != bare(doc)


@given(SPELLINGS)
def test_each_step_to_a_bare_id_is_another_spelling(doc):
    rows = one([(doc, b"2", b"1", b"t")])
    assert all(rows.may_hold_spellings([step(doc)]) for step in STEPS.values())


def test_plain_ids_that_are_no_spellings_need_no_closer_look():
    rows = one([(b"FBIS3-%d" % i, b"1", b"1", b"t") for i in range(10, 99)])
    assert not rows.may_hold_spellings([b"FBIS3-100", b"FBIS4-10", b"img/FBIS3-1.txt"])
    assert rows.may_hold_spellings([b"img/fbis3-0011.txt"])
    assert rows.may_hold_spellings(["é".encode()])
    assert not rows.may_hold_parts({b"FBIS4": 1, b"FBIS3-1": 1})
    assert not rows.may_hold_parts({})


@given(SIGNS, SIGNS)
def test_a_part_of_a_judged_document_is_never_missed(doc, other):
    rows = one([(other, b"1", b"2", b"t"), (doc, b"2", b"1", b"t")])
    whole = whole_of(doc)
    assert not whole or rows.may_hold_parts({b"x": 1, whole: 1})


@given(st.lists(st.tuples(st.sampled_from([b"1", b"22"]), LINES), min_size=1, max_size=5))
def test_columns_hold_each_query_once_and_all_of_its_rows(parts):
    found = rows_of(b"".join(text_of(lines, query) for query, lines in parts), 1)
    assert found is not None
    query_ends, queries, doc_ends, docs, scores, runs = columns_of(found)
    names = [queries[a:b] for a, b in pairwise(query_ends)]
    assert names == [query for query, _ in groupby(query for query, _ in parts)]
    assert [docs[a:b] for a, b in pairwise(doc_ends)] == [d for rows in found for d in rows.docs]
    assert scores.tolist() == [score for rows in found for score in rows.scores]
    assert runs.tolist() == [0, *(sum(rows.size for rows in found[: i + 1]) for i in range(len(found)))]
