"""Tables of numbers in memory: arrays that threads read, and sparse matrices."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import truerank as tr
from truerank.formats import matrices


@pytest.fixture
def pieces(monkeypatch):
    """Arrays of any size are read in pieces."""
    monkeypatch.setattr(matrices, "ROWS", 2)


MANY = np.random.default_rng(3).permuted(np.tile(np.arange(20), (30, 1)), axis=1)[:, :8]
OF_MANY = {str(query): {str(doc): doc % 3 for doc in range(0, 20, 2)} for query in range(0, 32, 2)}


@pytest.mark.parametrize("queries", [None, np.arange(30)[::-1], [f"q{row}" for row in range(30)]], ids=type)
@pytest.mark.parametrize("threads", [2, 3, 7])
@pytest.mark.usefixtures("pieces")
def test_arrays_read_by_threads_are_what_one_reads(threads, queries):
    ids = np.where(np.arange(8) < np.arange(30)[:, None] % 9, MANY, -1)
    arrays = ids, -np.sort(MANY, axis=1) // 3, queries
    qrels = OF_MANY | {f"q{query}": docs for query, docs in OF_MANY.items()}
    assert len(tr.open_run(arrays).pieces(threads)) == threads
    one, many = (tr.evaluate(qrels, arrays, "nDCG AP P@3", threads=n) for n in (1, threads))
    assert one.to_dict() == many.to_dict()
    of_pairs = [(row if queries is None else queries[row], docs[docs >= 0]) for row, docs in enumerate(ids)]
    ranks = tr.evaluate(qrels, (ids, None, queries), "nDCG AP P@3", threads=threads)
    assert ranks.mean == tr.evaluate(qrels, [pair for pair in of_pairs if len(pair[1])], "nDCG AP P@3").mean


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ((MANY, MANY[1:]), r"one shape \(queries, k\), not int64 \(30, 8\) and int64 \(29, 8\)"),
        ((MANY, None, range(29)), "29 query ids for 30 rows"),
        ((np.where(MANY == 3, 4, MANY), MANY), "document 4 is returned twice for query 4"),
        ((MANY, None, [*range(29), 4]), "is returned twice for query 4"),
        ((MANY, np.where(MANY == 3, np.nan, MANY)), "finite"),
    ],
)
@pytest.mark.usefixtures("pieces")
def test_arrays_that_threads_read_are_refused_as_one_refuses_them(arrays, said):
    errors = []
    for threads in (1, 2):
        with pytest.raises(tr.InputError, match=said) as error:
            tr.evaluate(OF_MANY, arrays, "AP", threads=threads)
        errors.append(str(error.value))
    assert errors[0] == errors[1]


LABELS = sparse.csr_array(np.array([[0, 2, 0, 1], [0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 1, 1]]))
PREDICTED = sparse.csr_array(np.array([[0.5, 0, 0.25, 2], [1, 0, 0, 0], [0, 0, 0, 0], [0.5, 1, 0.25, 0]]))


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.coo_array, sparse.dok_matrix, sparse.csc_matrix])
def test_sparse_matrices_are_queries_in_rows_and_documents_in_columns(kind):
    qrels = {"0": {"1": 2, "3": 1}, "2": {"0": 1}, "3": {"2": 1, "3": 1}}
    run = {"0": {"0": 0.5, "2": 0.25, "3": 2.0}, "1": {"0": 1.0}, "3": {"0": 0.5, "1": 1.0, "2": 0.25}}
    scores = tr.evaluate(kind(LABELS), kind(PREDICTED), "nDCG AP P@2 Success@1")
    assert scores.to_dict() == tr.evaluate(qrels, run, "nDCG AP P@2 Success@1").to_dict()
    assert tr.open_run(PREDICTED).to_dict() == run


def test_what_is_stored_in_a_sparse_matrix_counts_also_where_it_is_zero():
    judged, found = (sparse.csr_array(([0.0, 1.0], [1, 2], [0, 2]), shape=(1, 4)) for _ in range(2))
    assert tr.read_qrels(judged).to_dict() == {b"0": {b"1": 0.0, b"2": 1.0}}
    assert tr.open_run(found).to_dict() == {"0": {"2": 1.0, "1": 0.0}}


@pytest.mark.parametrize("threads", [2, 5, 40])
@pytest.mark.usefixtures("pieces")
def test_a_sparse_matrix_read_by_threads_is_what_one_reads(threads):
    random = sparse.random_array((50, 30), density=0.2, rng=np.random.default_rng(1), format="csr")
    judged = sparse.csr_array((random.toarray() > 0.5).astype(int))
    one, many = (tr.evaluate(judged, random, "nDCG AP P@3", threads=n) for n in (1, threads))
    assert one.to_dict() == many.to_dict()
    assert 1 < len(tr.open_run(random).pieces(threads)) <= threads


@pytest.mark.parametrize(
    ("judged", "said"),
    [
        (sparse.csr_array((2, 3)), "there are no judgements in it"),
        (sparse.csr_array(np.array([[1, np.inf]])), "the grade is not a finite number"),
        (sparse.csr_array(np.array([[1, 2j]])), r"a table of numbers, not complex128 of shape \(1, 2\)"),
        (sparse.csr_array(([1, 1], [2, 2], [0, 2]), shape=(1, 4)), "document 2 of query 0 is judged twice"),
    ],
)
def test_a_sparse_matrix_that_is_none_of_judgements_is_refused(judged, said):
    with pytest.raises(tr.InputError, match=said):
        tr.evaluate(judged, {"0": {"1": 1.0}}, "AP")


@pytest.mark.parametrize(
    ("run", "said"),
    [
        (sparse.csr_array(np.array([[1, np.nan]])), "finite"),
        (sparse.csr_array(([1, 1], [2, 2], [0, 2]), shape=(1, 4)), "document 2 is returned twice"),
        (sparse.coo_array(np.ones(3)), r"of shape \(3,\)"),
    ],
)
def test_a_sparse_matrix_that_is_no_run_is_refused(run, said):
    with pytest.raises(tr.InputError, match=said):
        tr.evaluate({"0": {"1": 1}}, run, "AP")
