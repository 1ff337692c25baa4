"""Any ids, any scores: what goes out comes in again, or is refused."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import truerank as tr
from truerank.core.rankings import rankings
from truerank.formats import convert, open_run, read_qrels

FULL = st.floats(allow_nan=False, allow_infinity=False)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
TRICKY = st.text(st.sampled_from(",;\"'\t\n\r|{}[]:\\#a1 \u2028é\ufeff\0"), max_size=8)
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
@settings(max_examples=60)
def test_any_text_goes_through_or_is_refused(ending, run):
    try:
        found = through(run, ending)
    except tr.InputError as error:
        faults = ["cannot hold the id"]
        faults += ["is empty"] * ("" in {*run, *(doc for docs in run.values() for doc in docs)})
        assert any(fault in str(error) for fault in faults) or (ending != "parquet" and "NUL byte" in str(error))  # noqa: PT017 (most runs are fine)
    else:
        assert found == rows_of(run)


@pytest.mark.parametrize("ending", ["json", "jsonl", "csv", "tsv", "parquet", "trec", "beir"])
@given(
    judged=st.dictionaries(
        TEXT | TRICKY,
        st.dictionaries(TEXT | TRICKY, st.integers(-1, 4), min_size=1, max_size=5),
        min_size=1,
        max_size=4,
    )
)
@settings(max_examples=60)
def test_any_judgements_go_through_or_are_refused(ending, judged):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.qrels"
        try:
            convert(judged, path, what="qrels", to=ending)
        except tr.InputError as error:
            ids = {*judged, *(doc for docs in judged.values() for doc in docs)}
            assert ("is empty" if "" in ids else "cannot hold the id") in str(error)  # noqa: PT017
        else:
            assert read_qrels(path, format=ending).to_dict() == judged


ENDINGS = ["json", "jsonl", "csv", "tsv", "parquet", "trec"]


@pytest.mark.parametrize("first", ENDINGS)
@pytest.mark.parametrize("second", ENDINGS)
def test_what_convert_wrote_convert_reads(first, second, tmp_path):
    """What is in a JSON file of {query: {document: number}} nobody can see: there it has to be said."""
    run, qrels = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 1.0, "b": 0.0}}
    convert(run, tmp_path / f"1.{first}", what="run")
    convert(tmp_path / f"1.{first}", tmp_path / f"2.{second}", what="run" if first == "json" else None)
    assert rows_of(run) == rows_in(tmp_path / f"2.{second}")
    convert(qrels, tmp_path / f"3.{first}", what="qrels")
    convert(tmp_path / f"3.{first}", tmp_path / f"4.{second}", what="qrels" if first == "json" else None)
    assert read_qrels(tmp_path / f"4.{second}").to_dict() == qrels


def rows_in(path: Path) -> list[tuple[bytes, bytes, str]]:
    parts = rankings(open_run(path).batches())
    return [(p.query, d, s.hex()) for p in parts for d, s in zip(p.docs, p.numbers(), strict=True)]


@pytest.mark.parametrize("ending", ["csv", "tsv", "trec"])
@given(run=runs(BYTES))
@settings(max_examples=60)
def test_any_bytes_go_through_columns_or_are_refused(ending, run):
    try:
        found = through(run, ending)
    except tr.InputError as error:
        assert "cannot hold the id" in str(error)  # noqa: PT017
    else:
        assert found == rows_of(run)


@pytest.mark.parametrize("ending", ["json", "jsonl", "csv", "tsv", "parquet", "trec"])
@given(scores=st.lists(FULL, min_size=1, max_size=30))
@settings(max_examples=60)
def test_any_finite_score_goes_through_to_the_last_bit(ending, scores):
    run = {"q": {f"d{i}": score for i, score in enumerate(scores)}}
    assert through(run, ending) == rows_of(run)


@pytest.mark.parametrize("ending", ["json", "jsonl", "csv", "tsv", "parquet", "trec"])
@pytest.mark.parametrize("grade", [2.0**62, -(2.0**62), 2.0**70, -(2.0**70), -0.25])
def test_any_grade_goes_through(ending, grade, tmp_path):
    convert({"q": {"a": 1, "b": grade}}, tmp_path / f"a.{ending}", what="qrels")
    assert read_qrels(tmp_path / f"a.{ending}").to_dict() == {"q": {"a": 1, "b": grade}}


@pytest.mark.parametrize("ending", ["json", "csv", "trec"])
def test_empty_ids_are_refused(ending):
    for run in ({"": {"a": 1.0}}, {"q": {"": 1.0}}):
        with pytest.raises(tr.InputError, match="is empty"):
            through(run, ending)
