"""Any ids, any scores: what goes out comes in again, or is refused."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import truerank as tr
from truerank.formats import convert, open_run
from truerank.run import rankings

FULL = st.floats(allow_nan=False, allow_infinity=False)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
TRICKY = st.text(st.sampled_from(",;\"'\t\n\r|{}[]:\\#a1 \u2028é"), min_size=1, max_size=8)
BYTES = st.binary(min_size=1, max_size=8)


def through(run: dict[object, dict[object, float]], ending: str) -> list[tuple[bytes, bytes, str]]:
    """The rows of a run after it was written and read."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a.{ending}"
        convert(run, path, what="run")
        parts = rankings(open_run(path, format=ending).batches())
        return [(p.query, d, s.hex()) for p in parts for d, s in zip(p.docs, p.numbers(), strict=True)]


def rows_of(run: dict[object, dict[object, float]]) -> list[tuple[bytes, bytes, str]]:
    as_bytes = lambda name: name if isinstance(name, bytes) else name.encode()  # noqa: E731
    return [(as_bytes(q), as_bytes(d), s.hex()) for q, docs in run.items() for d, s in docs.items()]


def runs(names: st.SearchStrategy[object]) -> st.SearchStrategy[dict[object, dict[object, float]]]:
    return st.dictionaries(names, st.dictionaries(names, FULL, min_size=1, max_size=5), min_size=1, max_size=4)


@pytest.mark.parametrize("ending", ["json", "jsonl", "csv", "tsv", "parquet", "trec"])
@given(run=runs(TEXT | TRICKY))
@settings(max_examples=60, deadline=None)
def test_any_text_goes_through_or_is_refused(ending, run):
    try:
        found = through(run, ending)
    except tr.InputError as error:
        assert "cannot hold the id" in str(error)  # noqa: PT017 (most runs are no error at all)
        assert ending in ("csv", "tsv", "trec")
    else:
        assert found == rows_of(run)


@pytest.mark.parametrize("ending", ["csv", "tsv", "trec"])
@given(run=runs(BYTES))
@settings(max_examples=60, deadline=None)
def test_any_bytes_go_through_columns_or_are_refused(ending, run):
    try:
        found = through(run, ending)
    except tr.InputError as error:
        assert "cannot hold the id" in str(error)  # noqa: PT017
    else:
        assert found == rows_of(run)


@pytest.mark.parametrize("ending", ["json", "jsonl", "csv", "tsv", "parquet", "trec"])
@given(scores=st.lists(FULL, min_size=1, max_size=30))
@settings(max_examples=60, deadline=None)
def test_any_finite_score_goes_through_to_the_last_bit(ending, scores):
    run = {"q": {f"d{i}": score for i, score in enumerate(scores)}}
    assert through(run, ending) == rows_of(run)


@pytest.mark.parametrize("ending", ["json", "csv", "trec"])
def test_empty_ids_are_refused(ending):
    for run in ({"": {"a": 1.0}}, {"q": {"": 1.0}}):
        with pytest.raises(tr.InputError, match="is empty"):
            through(run, ending)
