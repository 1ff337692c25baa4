"""Tables of numbers in memory: arrays that threads read, and sparse matrices."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import truerank as tr
from truerank import truth
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
        (
            (MANY, None, [*range(29), 4]),
            r"query 4 stands twice, in rows 5 and 30 .*: give each its own id",
        ),
        ((MANY, None, np.array([*range(29), 4])), r"query 4 stands twice, in rows 5 and 30 of the arrays"),
        ((MANY, None, [*range(29), "4"]), r"query '4' stands twice, in rows 5 and 30 of the arrays"),
        ((MANY, None, [*range(29), None]), "row 30 of the arrays has no query id"),
        ((MANY, None, [*range(29), np.nan]), "row 30 of the arrays has no query id"),
        ((MANY, None, np.arange(30) / 2), "row 1 of the arrays has the query id 0.0: ids are text or whole"),
        ((MANY / 2, MANY), r"the ids are float64, .* FAISS returns \(D, I\)"),
        (([[1, 2], [3]], None), "the rows of ids are not of one length; where no document stands, give the id -1"),
        (([[1, 2], [3, 4]], [[1, 2], [3]]), "the rows of scores are not of one length"),
        ((MANY, np.where(MANY == 3, -np.inf, MANY)), "query [0-9]+: document 3 has the score -inf, .* the id -1"),
        ((MANY, MANY, "q" * 30), "are a list, one per row, not"),
        ((MANY, MANY, set(range(30))), "are a list, one per row, not"),
        ((MANY, MANY, np.arange(30)[:, None]), "are a list, one per row, not"),
        ((MANY, MANY, np.array(30)), "are a list, one per row, not"),
        ((MANY, MANY, map(str, range(30))), "are a list, one per row, not"),
        ((MANY, MANY, np.ma.array(range(30), mask=[*[False] * 29, True])), "some query ids are masked"),
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
    assert tr.read_qrels(judged).to_dict() == {"0": {"1": 0.0, "2": 1.0}}
    assert tr.open_run(found).to_dict() == {"0": {"2": 1.0, "1": 0.0}}


@pytest.mark.parametrize("threads", [2, 5, 40])
@pytest.mark.usefixtures("pieces")
def test_a_sparse_matrix_read_by_threads_is_what_one_reads(threads):
    chance = np.random.default_rng(1)
    scores = chance.random((50, 30)) * (chance.random((50, 30)) < 0.2)
    random, judged = sparse.csr_array(scores), sparse.csr_array((scores > 0.5).astype(int))
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
        (sparse.coo_array(([1, 1], ([0, 0], [2, 2])), shape=(1, 4)), "document 2 of query 0 is judged twice"),
    ],
)
def test_a_sparse_matrix_that_is_none_of_judgements_is_refused(judged, said):
    with pytest.raises(tr.InputError, match=said):
        tr.evaluate(judged, {"0": {"1": 1.0}}, "AP")


@pytest.mark.parametrize(
    ("run", "said"),
    [
        (
            sparse.csr_array(np.array([[1, 0, 0], [0, 2, np.nan]])),
            "query 1: document 2 has the score nan, which is not a finite number",
        ),
        (sparse.csr_array(([1, 1], [2, 2], [0, 2]), shape=(1, 4)), "document 2 is returned twice"),
        (sparse.coo_array(([1, 1], ([0, 0], [2, 2])), shape=(1, 4)), "document 2 is returned twice"),
        pytest.param(
            sparse.coo_array(np.ones(3)),
            r"of shape \(3,\)",
            marks=pytest.mark.skipif(sparse.coo_array(np.ones(3)).ndim > 1, reason="SciPy 1.13 has the first ones"),
        ),
    ],
)
def test_a_sparse_matrix_that_is_no_run_is_refused(run, said):
    with pytest.raises(tr.InputError, match=said):
        tr.evaluate({"0": {"1": 1}}, run, "AP")


@pytest.mark.parametrize(
    "part",
    [
        {"indptr": np.array([0, 6, 2, 7])},
        {"indptr": np.array([0, 3, 5, 70])},
        {"indptr": np.array([1, 3, 5, 7])},
        {"indptr": np.array([0, 3, 7])},
        {"indices": np.arange(3)},
        {"indices": np.array([0, 1, 2, 3, 4, 5, -1])},
        {"data": np.ones(3)},
    ],
    ids=str,
)
def test_a_damaged_sparse_matrix_is_refused(part):
    for kind, shape in ((sparse.csr_array, (3, 7)), (sparse.csc_array, (7, 3))):
        matrix = kind((np.ones(7), np.arange(7), np.array([0, 3, 5, 7])), shape=shape)
        vars(matrix).update(part)
        for asked in ((matrix, {"0": {"1": 1.0}}), ({"0": {"1": 1}}, matrix)):
            with pytest.raises(tr.InputError, match="the sparse matrix is damaged: "):
                tr.evaluate(*asked, "AP", threads=1)


def test_a_sparse_matrix_may_be_made_of_columns_of_tables():
    ends, whole = np.array([0, 3, 6]), sparse.csr_array([[1.0, 3.0, 5.0], [7.0, 9.0, 11.0]])
    strided = sparse.csr_array((np.arange(12.0).reshape(6, 2)[:, 1], np.array([0, 1, 2] * 2), ends), shape=(2, 3))
    assert tr.open_run(strided).to_dict() == tr.open_run(whole).to_dict()


def test_blocks_of_a_sparse_matrix_store_no_zeros_of_their_own():
    blocks = sparse.bsr_array(PREDICTED.toarray(), blocksize=(2, 2))
    assert tr.open_run(blocks).to_dict() == tr.open_run(PREDICTED).to_dict()
    assert blocks.nnz > PREDICTED.nnz


@pytest.mark.parametrize("kind", [np.int8, np.uint64, object])
def test_a_row_without_a_document_is_no_answer_whatever_the_ids_are(kind):
    ids, qrels = np.array([[1, 2], [-1, -1], [3, 4]]).astype(kind), {"0": {"1": 1}, "1": {"5": 1}, "2": {"4": 1}}
    assert tr.evaluate(qrels, (ids, np.ones((3, 2))), "Judged@1", rules="trec_eval-9").queries == ("0", "2")


def test_exact_neighbours_may_have_ids_that_only_64_bits_without_a_sign_hold(tmp_path):
    np.savez(tmp_path / "exact.npz", I=np.array([[2**63, 5]], np.uint64))
    assert tr.read_qrels(tmp_path / "exact.npz").to_dict() == {"0": {"9223372036854775808": 1.0, "5": 1.0}}


@pytest.mark.parametrize(
    "run",
    [PREDICTED, sparse.csr_matrix(PREDICTED), sparse.dok_array(PREDICTED), (MANY, None), (MANY, MANY, range(30))],
    ids=type,
)
def test_a_table_alone_is_one_run_where_several_may_be_given(run, tmp_path):
    compared = tr.compare(LABELS, run, "AP")
    assert [one.mean for one in compared.scores.values()] == [tr.evaluate(LABELS, run, "AP").mean]
    for given in (run, iter([run])):
        tr.write_report(LABELS, given, tmp_path / "report.json", "AP")
    with pytest.raises(tr.InputError, match="1 run: nothing to agree with"):
        tr.agreements(run)


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.coo_matrix, sparse.csc_matrix])
def test_sparse_matrices_that_scipy_saved_are_files(kind, tmp_path):
    paths = tmp_path / "labels.npz", tmp_path / "predicted.npz"
    for path, matrix in zip(paths, (LABELS, PREDICTED), strict=True):
        sparse.save_npz(path, kind(matrix))
    assert tr.evaluate(*paths, "nDCG AP").mean == tr.evaluate(LABELS, PREDICTED, "nDCG AP").mean


def test_a_saved_sparse_matrix_of_an_unknown_format_is_refused(tmp_path):
    np.savez(tmp_path / "a.npz", format=b"none", shape=(1, 2), data=[1.0])
    for read in (tr.read_qrels, lambda path: tr.open_run(path).to_dict()):
        with pytest.raises(tr.InputError, match="the sparse matrix is damaged: "):
            read(tmp_path / "a.npz")


def test_a_tuple_of_tables_is_as_many_runs():
    frame = pd.DataFrame({"query_id": ["0"], "doc_id": ["1"], "score": [1.0]})
    for runs in ((PREDICTED, LABELS), (frame, frame), ((MANY, None), PREDICTED), ({"0": ["1"]}, {"0": ["2"]})):
        assert len(tr.compare(LABELS, runs, "AP").systems) == 2


@pytest.mark.parametrize("name", ["queries", "qids", "user_ids", "users", "user_id"])
def test_the_ids_of_the_rows_may_be_those_of_users(name, tmp_path):
    np.savez(tmp_path / "a.npz", ids=[[1, 2], [3, 4]], scores=[[2.0, 1.0], [2.0, 1.0]], **{name: [7, 5]})
    assert tr.open_run(tmp_path / "a.npz").to_dict() == {"7": {"1": 2.0, "2": 1.0}, "5": {"3": 2.0, "4": 1.0}}


class Tensor:
    """What a tensor of ids has of what is used; one by one they are tensors too."""

    ndim, dtype = 1, "int64"

    def __init__(self, values):
        self.values = values

    def __len__(self):
        return len(self.values)

    def __iter__(self):
        return map(Tensor, self.values)

    def detach(self):
        return self

    cpu = detach

    def numpy(self):
        return np.array(self.values)


def test_the_ids_of_the_rows_may_be_a_tensor():
    ids, names = np.array([[3, 4], [4, 3]]), Tensor([10, 20])
    assert tr.evaluate({"10": ["3"], "20": ["3"]}, (ids, None, names), "RR")["RR"].tolist() == [1.0, 0.5]
    exact = ids, np.array([[0.5, 1.0], [0.5, 1.0]]), names
    assert truth.neighbours(exact, k=1).to_dict() == {"10": {"3": 1.0}, "20": {"4": 1.0}}
    with pytest.raises(tr.InputError, match=r"row 1 of the arrays has the query id .*Tensor.*: ids are text or"):
        tr.evaluate({"10": ["3"]}, (ids, None, list(names)), "RR")
