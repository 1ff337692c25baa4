"""Recall against exact neighbours: numbers of big-ann and ann-benchmarks, ties, tolerances, repeats, short rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import truerank as tr
from truerank import truth
from truerank.cli import truerank

UNDER = 1e-6 - 1e-7


def recall(exact, far, found, k, rules="big-ann", **tolerance):
    """The recall of each query at k."""
    right = truth.neighbours((np.array(exact), np.array(far)), k=k, **tolerance)
    run = np.array(found)
    scores = tr.evaluate(right, (run, -np.indices(run.shape)[1]), f"R@{k}", rules=rules)
    return scores[f"P@{k}"].tolist()


def by_sets(exact, far, found, k, tie=1e-6):
    """big-ann's, as a loop over sets."""
    recalls = []
    for ids, distances, answer in zip(exact, far, found, strict=True):
        last = distances[k - 1]
        more = [i for i in range(k, len(ids)) if distances[i] == last or abs(last - distances[i]) < tie]
        right = set(ids[:k]) | {ids[i] for i in more}
        recalls.append(len((right & set(answer[:k])) - {-1}) / k)
    return recalls


def by_distances(far, found_far, k, epsilon, relative=False):
    """ann-benchmarks', as a loop over distances."""
    recalls = []
    for distances, answer in zip(far, found_far, strict=True):
        last = distances[k - 1]
        limit = last * (1 + epsilon) if relative else last + epsilon
        recalls.append(sum(distance <= limit for distance in answer[:k]) / k)
    return recalls


BIG_ANN = {
    "no ties": ([[0, 1, 2]], [[0, 1, 2]], [[0, 1, 2]], [3], [3]),
    "one wrong": ([[0, 1, 2]], [[0, 1, 2]], [[0, 1, 3]], [2], [2]),
    "two queries": ([[0, 1, 2], [2, 1, 0]], [[0, 1, 2]] * 2, [[0, 1, 2], [2, 1, 0]], [3, 3], [3, 3]),
    "more exact ones than asked for": ([[0, 1, 2, 3]], [[0, 1, 2, 3]], [[0, 1, 2]], [3], [3]),
    "a tie that was not needed": ([[0, 1, 2, 3]], [[0, 1, 2, 2]], [[0, 1, 2]], [3], [3]),
    "ties at the beginning": (
        [[0, 1, 2, 3], [3, 2, 1, 0]], [[0, 0, 1, 2]] * 2, [[0, 1, 3], [3, 2, 0]], [2, 2], [2, 2],
    ),
    "close ones at the beginning": (
        [[0, 1, 2, 3], [3, 2, 1, 0]], [[0, UNDER, 1, 2]] * 2, [[0, 1, 3], [3, 2, 0]], [2, 2], [2, 2],
    ),
    "not so close ones at the beginning": (
        [[0, 1, 2, 3], [3, 2, 1, 0]], [[0, 1e-6, 1, 2]] * 2, [[0, 1, 3], [3, 2, 0]], [2, 2], [2, 2],
    ),
    "ties in the middle": (
        [[0, 1, 2, 3], [3, 2, 1, 0]], [[0, 1, 1, 2]] * 2, [[0, 1, 3], [3, 2, 0]], [2, 2], [2, 2],
    ),
    "a tie with the last": (
        [[0, 1, 2, 3], [3, 2, 1, 0]], [[0, 1, 2, 2]] * 2, [[0, 1, 3], [3, 2, 0]], [2, 2], [3, 3],
    ),
    "close and not so close to the last": (
        [[0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0]], [[0, 1, 2, 2, 2 + UNDER, 2 + 1e-6]] * 2, [[0, 1, 4], [5, 4, 0]],
        [2, 2], [3, 2],
    ),
    "two groups of ties": (
        [[0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0]], [[0, 0, 2, 3, 3, 4]] * 2, [[0, 1, 5], [5, 4, 1]], [2, 2], [2, 2],
    ),
    "two groups of ties, four wanted": (
        [[0, 1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1, 0]], [[0, 0, 2, 3, 3, 4, 5]] * 2, [[0, 1, 5, 7], [5, 4, 1, 7]],
        [2, 2], [2, 2],
    ),
    "of bigann-1B": (
        [[937541801, 221456167, 336118969, 971823307, 267986685, 544978851, 815975675, 615142927, 640142873,
          994367459, 504814]],
        [[55214, 58224, 58379, 58806, 59251, 59256, 60302, 60573, 60843, 60950, 61125]],
        [[221456167, 336118969, 971823307, 640142873, 994367459, 504814, 87356234, 628179290, 928121617,
          397551598]],
        [5], [5],
    ),
}  # fmt: skip
"""Exact neighbours, distances, an answer, and how many of it count without and with ties by big-ann's own tests."""


@pytest.mark.parametrize("case", BIG_ANN)
def test_recall_is_that_of_big_ann(case):
    exact, far, found, without, with_ties = BIG_ANN[case]
    k = len(found[0])
    first = [row[:k] for row in exact], [row[:k] for row in far]
    assert recall(*first, found, k) == [hits / k for hits in without]
    assert recall(exact, far, found, k, tie=1e-6) == [hits / k for hits in with_ties]


WORLDS = st.integers(0, 2**32 - 1)


def world(seed):
    """Exact neighbours of 30 points on a grid, where many are equally far, and a search that misses some."""
    rng = np.random.default_rng(seed)
    points, queries = (rng.integers(0, 4, (n, 2)).astype(float) for n in (30, 5))
    away = np.hypot(*(queries[:, None] - points[None]).transpose(2, 0, 1)) + rng.choice([0, 5e-4, 5e-7], (5, 30))
    order = np.argsort(away, axis=1, kind="stable")
    exact = order[:, :12]
    found = np.array([rng.permutation(row[: rng.integers(10, 30)])[:10] for row in order])
    return exact, np.take_along_axis(away, exact, 1), found, np.take_along_axis(away, found, 1)


@given(WORLDS, st.integers(1, 10), st.sampled_from([0.0, 1e-6, 1e-3]))
def test_recall_with_ties_is_that_of_sets_in_a_loop(seed, k, tie):
    exact, far, found, _ = world(seed)
    assert recall(exact, far, found, k, tie=tie) == by_sets(exact.tolist(), far.tolist(), found.tolist(), k, tie)


@given(WORLDS, st.integers(1, 10), st.sampled_from([0.0, 1e-6, 1e-3, 0.1]), st.booleans())
def test_recall_by_distances_is_that_of_ann_benchmarks(seed, k, epsilon, relative):
    exact, far, found, found_far = world(seed)
    right = truth.neighbours((exact, far), k=k, epsilon=epsilon, relative=relative, found=(found, found_far))
    scores = tr.evaluate(right, (found, -np.indices(found.shape)[1]), f"R@{k}", rules="ann-benchmarks")
    assert scores[f"P@{k}"].tolist() == by_distances(far.tolist(), found_far.tolist(), k, epsilon, relative)


def test_a_repeated_id_counts_once_and_each_time_to_ann_benchmarks():
    exact, far, found = [[0, 1, 2]], [[0.0, 1.0, 2.0]], [[0, 0, 1]]
    assert recall(exact, far, found, 3) == [2 / 3]
    assert recall(exact, far, found, 3, rules="ann-benchmarks") == [1.0]
    with pytest.raises(tr.InputError, match="twice"):
        tr.evaluate(truth.neighbours(exact, k=3), (np.array(found), np.array([[3.0, 2.0, 1.0]])), "P@3")


def test_padding_is_no_document_on_either_side():
    exact, far = [[5, 1, -1], [4, 2, 3]], [[0.5, 1.0, 9e9], [0.5, 1.0, 2.0]]
    assert recall(exact, far, [[5, -1, -1], [-1, 4, 2]], 3) == [1 / 3, 2 / 3]
    assert truth.neighbours((exact, far), k=3, epsilon=1e12).to_dict()["0"] == {"5": 1.0, "1": 1.0}
    none = truth.neighbours([[-1, -1], [4, 2], [7, -1]], k=2)
    assert none.without_relevant == ("0",)


def test_a_column_of_lists_is_a_table():
    frame = pd.DataFrame({"ids": [[7, 3], [4, 2]], "distances": [[0.1, 0.2], [0.3, 0.3]], "q": ["a", "b"]})
    right = truth.neighbours((frame["ids"], frame["distances"], frame["q"]), k=1)
    assert right.to_dict() == {"a": {"7": 1.0}, "b": {"4": 1.0, "2": 1.0}}
    run = frame["ids"], -frame["distances"].map(np.array), frame["q"]
    assert tr.evaluate(right, run, "R@2").mean == {"R@2": 1.0}
    with pytest.raises(tr.InputError, match="the rows of ids are not of one length"):
        truth.neighbours((pd.Series([[1], [1, 2]]), frame["distances"]), k=1)


def test_the_higher_inner_product_is_the_nearer(tmp_path):
    np.savez(tmp_path / "x.npz", I=[[7, 3, 5, 2]], D=[[9.0, 4.0, 4.0, 1.0]])
    right = truth.neighbours(tmp_path / "x.npz", k=2)
    assert set(right.to_dict()["0"]) == {"7", "3", "5"}
    with pytest.raises(tr.InputError, match="a relative epsilon is of distances from 0 on"):
        truth.neighbours(tmp_path / "x.npz", k=2, epsilon=0.01, relative=True)


@pytest.mark.parametrize("found", ["int32", "uint32", "uint64", "str"])
@pytest.mark.parametrize("exact", ["int32", "uint32", "uint64", "str"])
def test_ids_of_any_kind_are_those_that_they_print_as(exact, found):
    ids, far = np.array([[1, 3, 5], [1, 2, 3]]).astype(exact), [[0.1, 0.2, 0.3], [0.1, 0.2, 0.3]]
    returned = np.array([[1, 7], [4, 1]]).astype(found), [[0.1, 0.2], [0.2, 0.1]]
    right = truth.neighbours((ids, far), k=2, epsilon=1e-3, found=returned)
    assert right.to_dict() == {"0": {"1": 1.0, "3": 1.0, "7": 1.0}, "1": {"1": 1.0, "2": 1.0, "4": 1.0}}


@pytest.mark.parametrize("largest", [2**53 + 1, 2**62 - 1, 2**63 - 1, 2**64 - 2])
def test_ids_may_be_any_numbers_of_64_bits(largest):
    ids = np.array([[largest, 3]] * 5 + [[largest - 1, 3]], np.uint64)
    returned = np.array([[largest - 1, 7]] * 6, np.uint64), [[0.1, 0.1]] * 6
    right = truth.neighbours((ids, [[0.1, 0.2]] * 6), k=1, epsilon=0.1, found=returned).to_dict()
    names = [{str(largest), str(largest - 1)}] * 5 + [{str(largest - 1)}]
    assert [set(right[str(row)]) for row in range(6)] == [{*some, "3", "7"} for some in names]


@pytest.mark.parametrize("products", [[9.0, 4.0, 1.0], [-1.0, -1.2, -9.0], [0.5, 0.1, -0.1]])
def test_a_share_of_products_is_refused_whatever_their_sign(products):
    with pytest.raises(tr.InputError, match="a relative epsilon is of distances from 0 on"):
        truth.neighbours(([[7, 3, 5]], [products]), k=2, epsilon=0.01, relative=True)


def test_a_share_is_of_distances_that_rounding_put_below_0_and_of_rows_that_are_short():
    exact = [[7, 3, 5], [1, 2, -1]], [[-1.2e-07, 1.0, 1.005], [0.5, 0.6, -1.0]]
    right = truth.neighbours(exact, k=2, epsilon=0.01, relative=True, found=([[7], [4]], [[-1.2e-07], [0.601]]))
    assert right.to_dict() == {"0": {"7": 1.0, "3": 1.0, "5": 1.0}, "1": {"1": 1.0, "2": 1.0, "4": 1.0}}


def test_products_in_arrays_are_read_as_those_in_a_file():
    exact = [[5, 6, 7, 8], [1, 2, 3, 4]], [[9.0, 8.0, 8.0, 7.0], [5.0, 4.0, 3.0, 2.0]]
    assert set(truth.neighbours(exact, k=2).to_dict()["0"]) == {"5", "6", "7"}
    for found in ([[9, 5]], [[9.5, 9.0]]), ([[5, 9]], [[9.0, 9.5]]):  # in any order: what they are is known
        right = truth.neighbours(exact, k=2, found=found)
        assert set(right.to_dict()["0"]) == {"5", "6", "7", "9"}
    with pytest.raises(tr.InputError, match="document 5 is 9 from query 0 there, and 1 here"):
        truth.neighbours(exact, k=2, found=([[5, 6]], [[1.0, 2.0]]))


@pytest.mark.parametrize(
    ("far", "said"),
    [
        ([[1.0, 9.0, 8.0, 7.0]], "row 1 is not best first, as exact neighbours are: 9 stands before 8"),
        ([[1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.0]], "row 2 .*: 4 stands before 3"),
        ([[1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.0], [9.0, 8.0, 7.0, 6.0]], "row 1 .*: 1 stands before 2"),
    ],
)
def test_exact_neighbours_that_are_not_best_first_are_refused(far, said, tmp_path):
    ids = np.tile([5, 6, 7, 8], (len(far), 1))
    np.savez(tmp_path / "x.npz", I=ids, D=far)
    for source in (tmp_path / "x.npz", (ids, far)):
        with pytest.raises(tr.InputError, match=said):
            truth.neighbours(source, k=2)
    with pytest.raises(tr.InputError, match=said):
        tr.read_qrels(tmp_path / "x.npz", "numpy(k=2)")


def test_distances_that_rounding_put_the_wrong_way_round_are_taken():
    exact = [[5, 6, 7]], [[1.0, 2.000001, 2.0]]
    assert set(truth.neighbours(exact, k=2).to_dict()["0"]) == {"5", "6", "7"}


@pytest.mark.parametrize(
    ("queries", "documents", "said"),
    [
        ((3, 4), (30, 4), "there are 5 rows of neighbours, but vectors of 3 queries"),
        ((5, 3), (30, 4), "the vectors of queries have 3 dimensions, and those of documents 4"),
    ],
)
def test_vectors_that_are_not_those_of_the_rows_are_refused(queries, documents, said, tmp_path):
    exact, far, found, _ = world(1)
    vectors = {"train": np.ones(documents), "test": np.ones(queries)}
    np.savez(tmp_path / "x.npz", neighbors=exact, distances=far, **vectors)
    for more in {}, {"found": found}:
        with pytest.raises(tr.InputError, match=said):
            truth.neighbours(tmp_path / "x.npz", k=5, **more)


def test_ties_that_go_on_beyond_the_list_are_told():
    right = truth.neighbours(([[0, 1, 2], [0, 1, 2]], [[0.0, 1.0, 1.0], [0.0, 1.0, 2.0]]), k=2)
    assert [note.message for note in right.notes] == [
        "1 query whose last listed neighbour is as near as the k-th: others may be too, which are not listed: 0."
    ]


def test_distances_of_another_kind_are_refused():
    exact, far, found, found_far = world(7)
    with pytest.raises(tr.InputError, match=r"found: its distances are of another kind .* from query \d there"):
        truth.neighbours((exact, 3 * far + 1), k=5, epsilon=1e-3, found=(exact, (3 * far + 1) ** 2))
    with pytest.raises(tr.InputError, match="held against distances, and there are only ids"):
        truth.neighbours((exact, far), k=5, found=found)
    with pytest.raises(tr.InputError, match="query 5 is not among those of the exact neighbours"):
        truth.neighbours((exact, far), k=5, found=(np.vstack([found, found]), np.vstack([found_far, found_far])))


def test_what_several_searches_found_is_right_once():
    exact, far = [[0, 1]], [[0.0, 1.0]]
    one, two = ([[0, 5]], [[0.0, 1.0005]]), ([[5, 6]], [[1.0005, 2.0]])
    right = truth.neighbours((exact, far), k=2, epsilon=1e-3, found=[one, two])
    assert right.to_dict() == {"0": {"0": 1.0, "1": 1.0, "5": 1.0}}


def test_without_ties_what_a_search_found_as_near_as_the_last_one_is_not_right():
    exact, found = ([[0, 1, 2]], [[0.0, 1.0, 1.0]]), ([[0, 5]], [[0.0, 1.0]])
    assert truth.neighbours(exact, k=2, tie=None, found=found).to_dict() == {"0": {"0": 1.0, "1": 1.0}}
    assert set(truth.neighbours(exact, k=2, found=found).to_dict()["0"]) == {"0", "1", "2", "5"}


def test_a_neighbour_is_tied_that_is_less_than_the_tie_farther():
    exact = [[0, 1, 2]], [[0.0, 1.0, 1.5]]
    assert set(truth.neighbours(exact, k=2, tie=0.5).to_dict()["0"]) == {"0", "1"}
    assert set(truth.neighbours(exact, k=2, tie=0.5625).to_dict()["0"]) == {"0", "1", "2"}


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (([[1, 2]], [[0.5]]), r"there are ids of shape \(1, 2\) and distances of shape \(1, 1\)"),
        ([1, 2], r"the ids are a table, one row per query, not an array of shape \(2,\)"),
        (([[1, 2]], [[0.5, float("nan")]]), "some distances are NaN"),
        ([[-7, -7]], "document -7 of query 0 is judged twice"),
        ([[1.5, 2.0]], "ids are whole numbers or text"),
        ([[1, 1]], "document 1 of query 0 is judged twice"),
    ],
)
def test_what_are_no_neighbours_is_refused(source, said):
    with pytest.raises(tr.InputError, match=said):
        truth.neighbours(source, k=2)


def test_the_command_writes_the_truth(tmp_path):
    exact, far, found, found_far = world(3)
    np.savez(tmp_path / "exact.npz", I=exact, D=far)
    np.savez(tmp_path / "found.npz", I=found, D=found_far)
    rule = f"neighbours(k=5, epsilon=0.001, found={str(tmp_path / 'found.npz')!r})"
    out = tmp_path / "truth.qrels"
    done = CliRunner().invoke(truerank, ["truth", rule, str(tmp_path / "exact.npz"), "-o", str(out)])
    assert done.exit_code == 0, done.output
    wanted = truth.neighbours((exact, far), k=5, epsilon=1e-3, found=(found, found_far))
    assert tr.read_qrels(out).to_dict() == wanted.to_dict()


KINDS = {
    "euclidean": lambda q, d: np.sqrt(((q - d) ** 2).sum()),
    "squared": lambda q, d: ((q - d) ** 2).sum(),
    "angular": lambda q, d: 1 - q @ d / np.sqrt((q @ q) * (d @ d)),
    "product": lambda q, d: -(q @ d),
}


@pytest.mark.parametrize("kind", KINDS)
def test_vectors_beside_the_exact_neighbours_tell_how_far_a_document_is(kind, tmp_path):
    rng = np.random.default_rng(9)
    documents, queries = (rng.integers(1, 5, (n, 3)).astype(np.float32) for n in (80, 30))
    away = np.array([[KINDS[kind](q.astype(float), d.astype(float)) for d in documents] for q in queries])
    exact = np.argsort(away, axis=1, kind="stable")[:, :6]
    far = np.take_along_axis(away, exact, 1)
    np.savez(tmp_path / "x.npz", train=documents, test=queries, neighbors=exact, distances=far)
    found = np.array([rng.permutation(80)[:20] for _ in queries])
    right = truth.neighbours(tmp_path / "x.npz", k=5, epsilon=1e-6, found=found)
    limits = far[:, 4] + 1e-6
    wanted = {
        str(q): {
            str(doc): 1.0
            for doc in {*exact[q, :5].tolist(), *[d for d in (*exact[q], *found[q]) if away[q, d] <= limits[q]]}
        }
        for q in range(30)
    }
    assert right.to_dict() == wanted
    for beyond in (80, -2):
        with pytest.raises(tr.InputError, match=f"there is a document {beyond}, but there are only 80"):
            truth.neighbours(tmp_path / "x.npz", k=5, found=np.full((30, 1), beyond))


def test_vectors_of_another_kind_of_distance_are_not_used(tmp_path):
    exact, far, found, found_far = world(1)
    np.savez(tmp_path / "x.npz", train=np.ones((30, 2)), test=np.ones((5, 2)), neighbors=exact, distances=far)
    with pytest.raises(tr.InputError, match="there are only ids"):
        truth.neighbours(tmp_path / "x.npz", k=5, found=found)
    right = truth.neighbours(tmp_path / "x.npz", k=5, found=(found, found_far))
    assert right.to_dict() == truth.neighbours((exact, far), k=5, found=(found, found_far)).to_dict()


def test_queries_of_arrays_may_have_ids_which_differ():
    arrays = np.array([[1, 2], [3, 4]]), np.array([[0.1, 0.2], [0.3, 0.4]])
    assert truth.neighbours((*arrays, ["a", "b"]), k=1).to_dict() == {"a": {"1": 1.0}, "b": {"3": 1.0}}
    assert truth.neighbours((arrays[0], None, ["a", "b"]), k=1).to_dict() == {"a": {"1": 1.0}, "b": {"3": 1.0}}
    with pytest.raises(tr.InputError, match="query 'a' stands twice, in rows 1 and 2"):
        truth.neighbours((*arrays, ["a", "a"]), k=1)


def test_a_file_that_names_a_query_twice_is_refused_as_judgements_and_as_a_run(tmp_path):
    np.savez(tmp_path / "twice.npz", I=np.array([[1, 2], [3, 4]]), queries=np.array(["a", "a"]))
    for pair in ((str(tmp_path / "twice.npz"), {"a": ["1"]}), ({"a": ["1"]}, str(tmp_path / "twice.npz"))):
        with pytest.raises(tr.InputError, match=r"twice\.npz: query 'a' stands twice, in rows 1 and 2"):
            tr.evaluate(*pair, "RR")


@pytest.mark.parametrize(
    ("ids", "said"),
    [
        (np.ma.masked_equal(np.array([[1, 2], [3, 4]]), 4), "some ids are masked"),
        ([[1, 2], [3]], "the rows of ids are not of one length"),
    ],
)
def test_exact_neighbours_with_gaps_are_refused(ids, said):
    with pytest.raises(tr.InputError, match=said):
        truth.neighbours(ids, k=1)


def test_exact_neighbours_may_stand_in_parquet(tmp_path):
    ids, far = [[1, 2, 3], [4, 5, 6]], [[0.1, 0.2, 0.3], [0.1, 0.2, 0.2]]
    pd.DataFrame({"ids": ids, "distances": far}).to_parquet(tmp_path / "exact.parquet")
    of_arrays = truth.neighbours((np.array(ids), np.array(far)), k=2).to_dict()
    assert truth.neighbours(str(tmp_path / "exact.parquet"), k=2).to_dict() == of_arrays


def test_what_was_found_may_have_its_queries_in_another_order_and_not_all():
    exact = [[0, 1, 2], [3, 4, 5]], [[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]], ["q", "r"]
    right = {"q": {"0": 1, "1": 1, "2": 1}, "r": {"3": 1, "4": 1, "9": 1}}
    one = truth.neighbours(exact, k=2, epsilon=5.0, found=([[3, 9]], [[10.0, 21.0]], ["r"]))
    assert one.to_dict() == right
    both = [[3, 9], [0, 8]], [[10.0, 21.0], [1.0, 4.0]], ["r", "q"]
    right["q"]["8"] = 1
    assert truth.neighbours(exact, k=2, epsilon=5.0, found=both).to_dict() == right
    squares = [[3, 4], [0, 1]], [[100.0, 400.0], [1.0, 4.0]], ["r", "q"]
    with pytest.raises(tr.InputError, match="distances are of another kind"):
        truth.neighbours(exact, k=2, epsilon=5.0, found=squares)
