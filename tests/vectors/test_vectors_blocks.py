"""How vectors are worked on: blocks, parts, precision, counts, tensors; and what is said of wrong ones."""

from __future__ import annotations

import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import truerank as tr
from truerank.core.rules import Rules
from truerank.vectors import blocks, evaluate_matrix, evaluate_vectors, pairs, placed, rank_vectors, ranking
from truerank.vectors.source import ONE_THREAD_EACH

SIDES = ("query_labels", "gallery_labels", "query_cameras", "gallery_cameras")


def bits(scores: tr.Scores) -> tuple[Any, ...]:
    return scores.queries, {name: column.tobytes() for name, column in scores.columns.items()}, scores.ledger


@pytest.fixture(scope="module")
def crowd() -> dict[str, Any]:
    """300 queries and 900 entries of 40 identities, in 24 numbers."""
    rng = np.random.default_rng(2)
    labels = rng.integers(1, 41, 300), rng.integers(-1, 41, 900)
    centres = rng.standard_normal((42, 24))
    vectors = [centres[side] + rng.standard_normal((len(side), 24)) for side in labels]
    return {
        "query_vectors": vectors[0].astype(np.float32), "gallery_vectors": vectors[1].astype(np.float32),
        "query_labels": labels[0], "gallery_labels": labels[1],
        "query_cameras": rng.integers(1, 7, 300), "gallery_cameras": rng.integers(1, 7, 900),
    }  # fmt: skip


def test_the_size_of_blocks_and_parts_changes_no_bit(crowd, monkeypatch):
    whole = bits(evaluate_vectors(**crowd))
    matrix = crowd["query_vectors"].astype(float) @ crowd["gallery_vectors"].astype(float).T
    sides = {side: crowd[side] for side in SIDES}
    ready = bits(evaluate_matrix(matrix, **sides, holds="similarities"))
    for size, at_once in ((1, 1 << 20), (1 << 14, 100), (1 << 26, 1)):
        monkeypatch.setattr(blocks, "READY", size)
        monkeypatch.setattr(pairs, "AT_ONCE", at_once)
        assert bits(evaluate_matrix(matrix, **sides, holds="similarities")) == ready
        assert bits(evaluate_vectors(**crowd)) == whole


@pytest.mark.parametrize("cameras", [False, True])
def test_several_labels_are_graded_by_the_most_that_any_pair_shares_whatever_the_parts(cameras, monkeypatch):
    rng = np.random.default_rng(5)
    ours, theirs = (rng.random((n, 6)) < 0.3 for n in (40, 60))
    ours[:, 0] |= ~ours.any(axis=1)
    theirs[:, 0] |= ~theirs.any(axis=1)
    ours[7], theirs[9] = True, True  # who share more than any others do
    seen = {"query_cameras": np.arange(40) == 7, "gallery_cameras": np.arange(60) == 9} if cameras else {}

    def scores() -> tr.Scores:
        how = {"holds": "similarities", "measures": "ERR@10 nDCG@10", **seen}
        return evaluate_matrix(similarities, ours.astype(int), theirs.astype(int), **how)

    similarities = rng.random((40, 60))
    whole = scores()
    if not cameras:
        shared = {f"{q}": {f"{g}": int((ours[q] & theirs[g]).sum()) for g in range(60)} for q in range(40)}
        run = {f"{q}": {f"{g}": similarities[q, g] for g in range(60)} for q in range(40)}
        assert whole.mean == pytest.approx(tr.evaluate(shared, run, "ERR@10 nDCG@10").mean, abs=1e-12)
    monkeypatch.setattr(pairs, "AT_ONCE", 300)
    assert bits(scores()) == bits(whole)


def test_the_number_of_threads_over_a_ready_matrix_changes_no_bit(crowd, monkeypatch):
    matrix = crowd["query_vectors"] @ crowd["gallery_vectors"].T
    sides = {side: crowd[side] for side in SIDES}
    monkeypatch.setattr(blocks, "READY", 1 << 14)
    for rules in ("market1501", "cuhk03"):
        found = []
        for count in (1, 2, 5):
            monkeypatch.setattr(blocks, "processors", lambda count=count: count)
            found.append(bits(evaluate_matrix(matrix, **sides, holds="similarities", rules=rules)))
        assert found[0] == found[1] == found[2]


def test_the_number_of_threads_over_products_changes_no_bit(crowd, monkeypatch):
    whole = {side: np.round(crowd[side] * 8) for side in ("query_vectors", "gallery_vectors")}
    whole["gallery_vectors"][::7] = whole["gallery_vectors"][0]  # columns that are computed once
    sides = {side: crowd[side] for side in SIDES}
    for module in (blocks, ranking):
        monkeypatch.setattr(module, "READY", 1 << 12)
    found = []
    for count in (1, 2, 5):
        monkeypatch.setattr(blocks, "processors", lambda count=count: count)
        found.append(bits(evaluate_vectors(**whole, **sides, metric="dot")))
    assert found[0] == found[1] == found[2]


def test_blas_has_one_thread_while_several_multiply_and_its_own_again_when_the_last_has_ended():
    def threads() -> set[int]:
        return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}

    with threadpool_limits(2, user_api="blas"):
        if threads() != {2}:
            pytest.skip("NumPy's BLAS has no number of threads that can be set")
        with ONE_THREAD_EACH:
            assert threads() == {1}
            with ThreadPoolExecutor(1) as other, ONE_THREAD_EACH:
                other.submit(ONE_THREAD_EACH.__enter__).result()
            assert threads() == {1}
            ONE_THREAD_EACH.__exit__()
            assert threads() == {1}
        assert threads() == {2}


def test_of_many_threads_the_first_row_that_is_not_finite_is_named(monkeypatch):
    monkeypatch.setattr(blocks, "READY", 1)
    monkeypatch.setattr(blocks, "processors", lambda: 4)
    matrix = np.ones((40, 3))
    matrix[7:, 1] = np.nan
    with pytest.raises(tr.InputError, match="row 7 of the matrix"):
        evaluate_matrix(matrix, range(1, 41), [1, 2, 3], holds="distances")


def test_parts_share_one_table_of_hits(crowd, monkeypatch):
    whole = rank_vectors(**crowd)
    monkeypatch.setattr(pairs, "AT_ONCE", 100)
    parts = rank_vectors(**crowd)
    assert parts.queries == whole.queries
    for name in ("query", "rank", "grade", "first", "last"):
        assert getattr(parts, name).tolist() == getattr(whole, name).tolist()
    # on some processors a product's last bit depends on how many rows are multiplied at once
    assert parts.score == pytest.approx(whole.score, rel=1e-6, abs=1e-6)


def test_the_whole_matrix_is_never_held(monkeypatch):
    rng = np.random.default_rng(0)
    queries, gallery = (rng.standard_normal((n, 8)).astype(np.float32) for n in (1500, 6000))
    labels = rng.integers(1, 800, 1500), rng.integers(1, 800, 6000)
    monkeypatch.setattr(blocks, "PRODUCT", 1 << 20)
    tracemalloc.start()
    evaluate_vectors(queries, gallery, *labels)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1500 * 6000 * 4 / 3


def test_a_mapped_matrix_is_read_in_blocks(crowd, tmp_path):
    matrix = (crowd["query_vectors"] @ crowd["gallery_vectors"].T).astype(np.float16)
    np.save(tmp_path / "matrix.npy", matrix)
    sides = {side: crowd[side] for side in SIDES}
    mapped = evaluate_matrix(np.load(tmp_path / "matrix.npy", mmap_mode="r"), **sides, holds="similarities")
    assert bits(mapped) == bits(evaluate_matrix(matrix, **sides, holds="similarities"))


def test_a_matrix_is_left_as_it_was(crowd):
    matrix = crowd["query_vectors"] @ crowd["gallery_vectors"].T
    before = matrix.copy()
    evaluate_matrix(matrix, **{side: crowd[side] for side in SIDES}, holds="distances")
    assert (matrix == before).all()


@pytest.mark.parametrize(
    ("kinds", "rules", "said"),
    [
        (("float16", "float16"), "market1501", "float32"),
        (("int8", "float32"), "market1501", "float32"),
        (("float32", "float64"), "market1501", "float64"),
        (("float64", "float64"), Rules.named("market1501").replace(score_precision="single"), "float32"),
    ],
)
def test_the_precision_of_the_product_is_stated(crowd, kinds, rules, said):
    queries, gallery = (np.round(crowd[f"{side}_vectors"] * 8) for side in ("query", "gallery"))
    sides = {side: crowd[side] for side in SIDES}
    scores = evaluate_vectors(
        queries.astype(kinds[0]), gallery.astype(kinds[1]), **sides, rules=rules, metric="dot", name="x"
    )
    assert scores.run == f"x (dot, {said})"
    exact = evaluate_vectors(queries, gallery, **sides, metric="dot")
    assert scores.mean == exact.mean


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("metric", ["cosine", "dot", "euclidean"])
def test_equal_vectors_of_a_gallery_tie_wherever_they_stand(kind, metric):
    rng = np.random.default_rng(0)
    base = rng.standard_normal((60, 64)).astype(kind)
    base[0, :2] = 0.0
    own = rng.integers(0, 60, 301)
    gallery = base[own]
    gallery[np.flatnonzero(own == 0)[1:], :2] = -0.0
    hits = rank_vectors(rng.standard_normal((7, 64)).astype(kind), gallery, [1] * 7, [1] * 301, metric=metric)
    for first, last, doc in zip(hits.first, hits.last, hits.doc, strict=True):
        assert last - first + 1 == (own == own[doc % 301]).sum()


@pytest.mark.parametrize("metric", ["cosine", "dot", "euclidean"])
def test_equal_vectors_tie_and_find_themselves_in_tables_that_lie_column_by_column(metric):
    rng = np.random.default_rng(0)
    gallery = rng.standard_normal((2049, 96))  # 2,048 are prepared at once
    gallery[-1] = gallery[5]
    by_column, names = np.asfortranarray(gallery), np.arange(1, 2050)
    hits = rank_vectors(rng.standard_normal((30, 96)), by_column, [2049] * 30, names, metric=metric)
    assert (hits.last - hits.first + 1).tolist() == [2] * 30
    same = evaluate_vectors(gallery[:50], by_column, names[:50], names, metric=metric)
    assert same.ledger.selves == 50


def test_a_query_alone_has_the_numbers_that_it_has_among_others():
    rng = np.random.default_rng(1)
    queries, base = (rng.standard_normal((n, 64)).astype(np.float32) for n in (40, 60))
    gallery, labels = base[rng.integers(0, 60, 300)], rng.integers(1, 6, 300)
    own = np.arange(40) % 5 + 1
    together = evaluate_vectors(queries, gallery, own, labels, measures="AP")["AP"]
    alone = [
        evaluate_vectors(queries[i : i + 1], gallery, own[i : i + 1], labels, measures="AP") for i in range(40)
    ]
    assert [float(scores["AP"][0]) for scores in alone] == together.tolist()


@pytest.mark.parametrize("kind", ["float32", "float64", "uint8", "int16"])
def test_the_nearest_is_found_where_vectors_lie_far_from_0_or_are_whole_numbers(kind):
    rng = np.random.default_rng(0)
    if kind.startswith("float"):  # as coordinates of a map in metres
        gallery = (4e6 + rng.uniform(0, 1000, (1000, 2))).astype(kind)
        queries = gallery[:200] + np.array(1, kind)
    else:
        high = np.iinfo(kind).max // 10 * 9
        gallery = rng.integers(high // 2, high, (200, 1500)).astype(kind)
        queries = gallery[:100].copy()
        queries[:, 0] += 1
    exact = np.array(
        [np.square(each - gallery.astype(float)).sum(axis=1).argmin() for each in queries.astype(float)]
    )
    names = np.arange(1, len(gallery) + 1)
    found = evaluate_vectors(queries, gallery, exact + 1, names, metric="euclidean", measures="Success@1")
    assert found.mean == {"Success@1": 1.0}


def test_who_watches_is_told_of_every_query(crowd, monkeypatch):
    monkeypatch.setattr(blocks, "PRODUCT", 1 << 18)
    told: list[tuple[int, int]] = []
    evaluate_vectors(**crowd, progress=lambda done, total: told.append((done, total)))
    assert told == sorted(told)
    assert len(told) > 3
    assert told[-1] == (300, 300)


def test_tensors_give_the_numbers_of_arrays(crowd):
    torch = pytest.importorskip("torch")
    rounded = {side: np.round(crowd[side] * 8) for side in ("query_vectors", "gallery_vectors")}
    sides = {side: crowd[side] for side in SIDES}
    tensors = {side: torch.tensor(vectors) for side, vectors in rounded.items()}
    for metric in ("dot", "euclidean"):
        ours = evaluate_vectors(**tensors, **sides, metric=metric)
        assert bits(ours) == bits(evaluate_vectors(**rounded, **sides, metric=metric))
        assert ours.run == f"vectors ({metric}, float32)"
    close = evaluate_vectors(**tensors, **{s: torch.tensor(x) for s, x in sides.items()}).mean
    assert close == pytest.approx(evaluate_vectors(**rounded, **sides).mean, abs=1e-3)


def test_what_stays_on_a_device_gives_the_numbers_of_arrays(crowd, monkeypatch):
    torch = pytest.importorskip("torch")
    from truerank.vectors import tensors

    rounded = {side: np.round(crowd[side] * 8) for side in ("query_vectors", "gallery_vectors")}
    sides = {side: crowd[side] for side in SIDES}
    halves = {side: torch.tensor(vectors).to(torch.bfloat16) for side, vectors in rounded.items()}
    names = ("market1501", "cuhk03", "truerank")
    expected = [bits(evaluate_vectors(**rounded, **sides, metric="dot", rules=rules)) for rules in names]
    monkeypatch.setattr(blocks, "vectors", tensors.vectors)  # as if they were not in reach of NumPy
    for rules, wanted in zip(names, expected, strict=True):
        ours = evaluate_vectors(**halves, **sides, metric="dot", rules=rules)
        assert ours.run.startswith("vectors (dot, float32 on cpu")
        assert bits(ours) == wanted


def test_a_matrix_on_a_device_gives_the_numbers_of_an_array(crowd, monkeypatch):
    torch = pytest.importorskip("torch")
    from truerank.vectors import tensors

    matrix = crowd["query_vectors"] @ crowd["gallery_vectors"].T
    sides = {side: crowd[side] for side in SIDES}
    expected = bits(evaluate_matrix(matrix, **sides, holds="distances"))
    assert bits(evaluate_matrix(torch.tensor(matrix), **sides, holds="distances")) == expected
    coarse = torch.tensor(matrix).to(torch.bfloat16)
    rounded = evaluate_matrix(coarse.float().numpy(), **sides, holds="distances")
    assert bits(evaluate_matrix(coarse, **sides, holds="distances")) == bits(rounded)
    monkeypatch.setattr(blocks, "matrix", tensors.matrix)
    assert bits(evaluate_matrix(torch.tensor(matrix), **sides, holds="distances")) == expected


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([[1.0, 2.0], [0.0, 0.0]], "query vector 1 .* is all zeros, or holds a number that is not finite"),
        ([[1.0, float("nan")]], "query vector 0 .* is all zeros, or holds a number that is not finite"),
        ([[1.0, 2.0, 3.0]], r"two tables with rows of one length, not \(1, 3\) and \(2, 2\)"),
    ],
)
def test_what_is_wrong_with_tensors_is_said(table, message, monkeypatch):
    torch = pytest.importorskip("torch")
    from truerank.vectors import tensors

    monkeypatch.setattr(blocks, "vectors", tensors.vectors)
    with pytest.raises(tr.InputError, match=message):
        evaluate_vectors(torch.tensor(table), torch.ones(2, 2), [1] * len(table), [1, 2])


def test_the_counts_of_a_device_are_those_of_numpy(crowd):
    torch = pytest.importorskip("torch")
    from truerank.vectors import tensors

    block = np.round(crowd["query_vectors"] @ crowd["gallery_vectors"].T)
    rng = np.random.default_rng(1)
    row, column = np.sort(rng.integers(0, 300, 2000)), rng.integers(0, 900, 2000)
    ignored = rng.integers(0, 300, 50), rng.integers(0, 900, 50)
    ours = placed.find(block.copy(), row, column, ignored)
    other = tensors.find(torch.tensor(block), row, column, ignored)
    assert all((one == two).all() for one, two in zip(ours, other, strict=True))


GOOD = {"query_labels": [1, 2], "gallery_labels": [1, 2, 2]}
TWO, THREE = np.ones((2, 4)), np.ones((3, 4))
NAN = np.array([[1.0, 2.0], [np.nan, 1.0]])


@pytest.mark.parametrize(
    ("vectors", "more", "message"),
    [
        ((TWO, THREE), {"query_labels": [1]}, "query_labels has 1 values where there are 2 entries"),
        ((TWO, THREE), {"gallery_labels": None}, "there are query_labels but no gallery_labels; give both"),
        ((TWO, THREE), {"query_cameras": [1, 1]}, "there are query_cameras but no gallery_cameras"),
        ((TWO, THREE), {"query_labels": ["a", "b"]}, "only one of them holds text"),
        ((TWO, THREE), {"query_labels": [1.5, 2]}, "query_labels holds 1.5; it should hold whole numbers of 64"),
        ((TWO, THREE), {"query_labels": [1e19, 2e19]}, r"query_labels holds 1e\+19; it should hold whole numbers"),
        ((TWO, THREE), {"query_labels": np.uint64([1, 1 << 63])}, "query_labels holds 9223372036854775808; it"),
        ((TWO, THREE), {"query_labels": [1, 10**30]}, "query_labels holds 10000"),
        ((TWO, THREE), {"query_labels": np.ma.array([1, 2], mask=[1, 0])}, "there are masked values in an array"),
        ((np.ma.array(TWO, mask=TWO), THREE), {}, "there are masked values in an array"),
        (([[1.0, 2.0], [1.0]], THREE), {}, "no array can be made of rows that have several lengths"),
        ((TWO, THREE), {"query_ids": ["\ud800", "b"]}, r"query_ids holds '\\ud800', which is no name of an entry"),
        ((TWO, THREE), {"query_ids": ["a", None]}, "query_ids holds None, which is no name"),
        ((TWO, THREE), {"query_ids": [1, np.nan]}, "query_ids holds nan, which is no name"),
        ((TWO, THREE), {"query_ids": ["a", pd.NA]}, "query_ids holds <NA>, which is no name"),
        (
            (TWO, None),
            {},
            "gallery_labels are given, but no gallery, and without one the queries are searched among",
        ),
        ((TWO, None), {"gallery_labels": None, "gallery_cameras": [1, 2]}, "gallery_cameras are given, but no"),
        ((TWO, None), {"gallery_labels": None, "gallery_ids": [1, 2]}, "gallery_ids are given, but no gallery"),
        ((TWO, THREE), {"query_labels": [1, None]}, "query_labels holds"),
        ((TWO, THREE), {"query_labels": None, "gallery_labels": None}, "there are neither labels nor qrels"),
        ((TWO, THREE), {"query_ids": ["a", "a"]}, "the id a stands 2 times in query_ids"),
        ((TWO, np.ones((3, 5))), {}, "query vectors have 4 numbers and gallery vectors 5"),
        ((np.ones(2), THREE), {}, r"query vectors: a table of numbers is needed, not float64 of shape \(2,\)"),
        ((TWO.astype(str), THREE), {}, "query vectors: a table of numbers is needed, not <U"),
        ((TWO, np.ones((0, 4))), {}, "gallery vectors: there is nothing in them"),
        ((NAN, np.ones((3, 2))), {}, r"query vector 1 \(from 0\) holds a number that is not finite"),
        ((np.eye(2)[[0, 0]] * [[1], [0]], np.ones((3, 2))), {}, r"query vector 1 \(from 0\) is all zeros"),
        (
            (TWO.astype("f4") * 1e30, THREE.astype("f4")),
            {"metric": "dot"},
            "the vectors are too long for products in float32",
        ),
        ((TWO, THREE), {"metric": None}, "there is no metric None. Metrics: cosine"),
        ((TWO, THREE), {"pool": ["mean"]}, r"there is no pooling \['mean'\]. There is mean, max"),
        ((TWO, THREE), {"metric": "cosin"}, "there is no metric 'cosin'. Did you mean cosine?"),
        ((TWO, THREE), {"qrels": {"a": {"b": 1}}}, "qrels say what is right, and so do labels"),
        ((TWO, THREE), {"gallery_labels": [-1, -1, -1]}, "nothing is left in the gallery"),
        (
            (TWO, THREE),
            {"rules": {"self_match": "remove"}},
            "self_match = 'remove' needs query_ids and gallery_ids",
        ),
        ((TWO, THREE), {"rules": "science-qa"}, "vectors are evaluated query by query; under these rules"),
    ],
)
def test_what_is_wrong_with_vectors_is_said(vectors, more, message):
    with pytest.raises(tr.TruerankError, match=message):
        evaluate_vectors(*vectors, **{**GOOD, **more})


@pytest.mark.parametrize(
    ("matrix", "more", "message"),
    [
        (np.ones((2, 3)), {"holds": "distance"}, "a matrix holds distances or similarities, not 'distance'"),
        (np.array([[1, 2, 3], [1, np.inf, 2]]), {}, r"row 1 of the matrix \(from 0\) holds inf"),
        (np.array([[1, 2, np.nan], [1, 1, 2]]), {}, r"row 0 of the matrix \(from 0\) holds nan"),
        (
            np.eye(2),
            {"gallery_labels": None, "query_cameras": [1, 1], "gallery_cameras": [1, 2]},
            "gallery_cameras are given, but no gallery",
        ),
        (np.ones((2, 3)), {"gallery_labels": None}, "the queries are the gallery, but the matrix is 2 x 3"),
    ],
)
def test_what_is_wrong_with_a_matrix_is_said(matrix, more, message):
    with pytest.raises(tr.InputError, match=message):
        evaluate_matrix(matrix, **{**GOOD, "holds": "distances", **more})


def test_qrels_need_ids():
    with pytest.raises(tr.InputError, match="give query_ids and gallery_ids"):
        evaluate_matrix(np.eye(2), qrels={"a": {"b": 1}}, gallery_ids=["b", "c"], holds="distances")


@pytest.mark.parametrize("whole", [np.array([[2**53, 2**53 + 1]]), np.array([[2**64 - 1, 2**64 - 2]], np.uint64)])
def test_whole_numbers_that_floats_do_not_hold_are_refused(whole):
    with pytest.raises(tr.InputError, match="whole numbers above 2\\^53"):
        evaluate_matrix(whole, [1], [1, 2], holds="similarities")
