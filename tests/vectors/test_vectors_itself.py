"""Queries that stand in the gallery too, and find themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import truerank as tr
from truerank.present.ledger import remarks
from truerank.vectors import evaluate_matrix, evaluate_vectors
from truerank.vectors.itself import equal_vectors

RNG = np.random.default_rng(5)
VECTORS = RNG.normal(size=(30, 6))
LABELS = np.arange(30) % 7
RULES = tr.Rules.named("market1501").replace(distractor_identities=())
UNIT = VECTORS / np.linalg.norm(VECTORS, axis=1, keepdims=True)
COSINES = UNIT @ UNIT.T


def selves(scores: tr.Scores) -> int:
    """How many find themselves, as the ledger says it in numbers and in words."""
    told = [text for text in remarks(scores) if "find themselves" in text]
    assert bool(told) == bool(scores.ledger.selves)
    assert scores.ledger.to_dict().get("selves", 0) == scores.ledger.selves
    return scores.ledger.selves


def vectors(queries: Any, gallery: Any, *labels: Any, **more: Any) -> tr.Scores:
    return evaluate_vectors(queries, gallery, *labels, measures="cmc@1", **{"rules": RULES, **more})


@pytest.mark.parametrize("metric", ["cosine", "dot", "euclidean"])
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int8])
def test_a_gallery_that_is_given_as_queries_too_is_told_of(metric, kind):
    given = (VECTORS * 20).astype(kind)
    scores = vectors(given, given.copy(), LABELS, LABELS, metric=metric)
    assert selves(scores) == 30
    assert remarks(scores)[0].startswith("Warning: 30 queries stand in the gallery too, and find themselves.")
    assert "(with a matrix, no labels, cameras or ids of it)" in remarks(scores)[0]
    assert selves(vectors(given, None, LABELS, metric=metric)) == 0
    assert selves(vectors(given[:12], given[::-1], LABELS[:12], LABELS[::-1], metric=metric)) == 12


def test_what_leaves_the_list_does_not_find_itself():
    sides = VECTORS, VECTORS, LABELS, LABELS
    assert selves(vectors(*sides, LABELS, LABELS)) == 0  # seen by the same camera
    assert selves(vectors(*sides, LABELS, LABELS, rules=RULES.replace(same_camera="keep"))) == 30
    names = [f"picture {place}" for place in range(30)]
    ids = {"query_ids": names, "gallery_ids": names}
    removed = vectors(*sides, **ids, rules=RULES.replace(self_match="remove"))
    assert (selves(removed), removed.mean) == (0, vectors(VECTORS, None, LABELS).mean)


def test_some_pictures_that_are_twice_in_the_data_are_not_told_of():
    queries = np.where(np.arange(30)[:, None] < 15, VECTORS, VECTORS + 1)
    assert selves(vectors(queries, VECTORS, LABELS, LABELS)) == 0
    assert selves(vectors(VECTORS[:4], VECTORS, LABELS[:4], LABELS)) == 0
    assert selves(vectors(VECTORS, VECTORS, LABELS, LABELS + 1)) == 0  # the same picture, and not the same label


def test_queries_with_several_labels_or_judgements_by_id_find_themselves():
    several = np.eye(7)[LABELS]
    assert selves(vectors(VECTORS, VECTORS, several, several)) == 30
    names = [f"picture {place}" for place in range(30)]
    ids = {"query_ids": names, "gallery_ids": names}
    qrels = {name: {names[place - 1]: 1} for place, name in enumerate(names)}
    assert selves(vectors(VECTORS, VECTORS, qrels=qrels, **ids)) == 30


@pytest.mark.parametrize(("matrix", "holds"), [(COSINES, "similarities"), (1 - COSINES, "distances")])
def test_a_matrix_of_a_set_with_itself_is_told_of(matrix, holds):
    def scores(matrix: Any, *labels: Any) -> tr.Scores:
        return evaluate_matrix(matrix, *labels, holds=holds, rules=RULES, measures="cmc@1")

    assert selves(scores(matrix, LABELS, LABELS)) == 30
    assert selves(scores(matrix.astype(np.float32), LABELS, LABELS)) == 30
    assert selves(scores(matrix, LABELS)) == 0
    assert selves(scores(np.roll(matrix, 1, axis=1), LABELS, np.roll(LABELS, 1))) == 0  # another order hides it
    assert selves(scores(np.triu(matrix), LABELS, LABELS)) == 0
    assert selves(scores(np.ones((30, 30)), LABELS, LABELS)) == 0
    assert selves(scores(matrix[:20], LABELS[:20], LABELS)) == 0


def test_labels_that_nothing_has_in_common_are_told_of():
    names = [f"{label}_{place}.jpg" for place, label in enumerate(LABELS)]
    assert remarks(vectors(VECTORS[:9], VECTORS[9:], names[:9], names[9:]))[0].startswith(
        "Warning: no query has a rel"
    )
    assert not remarks(vectors(VECTORS[:9], VECTORS[9:], LABELS[:9], LABELS[9:]))


def test_captions_and_pictures_in_one_order_are_two_sets():
    captions = VECTORS + RNG.normal(size=VECTORS.shape) / 10
    ours = np.arange(30)
    assert selves(evaluate_matrix(captions @ VECTORS.T, ours, ours, holds="similarities", rules=RULES)) == 0
    assert selves(vectors(captions, VECTORS, ours, ours)) == 0


def test_entries_that_are_least_like_themselves_do_not_find_themselves():
    apart = np.square(VECTORS[:, None] - VECTORS).sum(axis=2)
    ours = np.arange(len(VECTORS))
    given = (
        evaluate_matrix(apart, ours, ours, holds=holds, rules=RULES) for holds in ("distances", "similarities")
    )
    assert [selves(scores) for scores in given] == [len(VECTORS), 0]


def test_binary_codes_are_ranked_by_hamming_distances_as_papers_on_hashing_have_them():
    random = np.random.default_rng(3)
    queries, gallery = random.integers(0, 2, (20, 16), np.uint8), random.integers(0, 2, (60, 16), np.uint8)
    asked, there = random.integers(0, 2, (20, 3)), random.integers(0, 2, (60, 3))
    asked[:, 0] = there[0, 0] = 1
    precisions = []
    for code, labels in zip(queries, asked, strict=True):
        nearest = np.argsort((code != gallery).sum(axis=1), kind="stable")[:10]
        ranks = np.flatnonzero(there[nearest] @ labels) + 1
        precisions.append(np.mean(np.arange(1, len(ranks) + 1) / ranks) if len(ranks) else 0.0)
    measure = "AP(divisor='hits')@10"
    found = evaluate_vectors(queries, gallery, asked, there, metric="euclidean", measures=measure)
    assert found[measure] == pytest.approx(precisions, abs=1e-12)


def own_camera(scores: tr.Scores) -> int:
    """How many find only what their own camera saw, as the ledger says it in numbers and in words."""
    told = [text for text in remarks(scores) if "own camera saw" in text]
    assert bool(told) == bool(scores.ledger.own_camera) == ("own_camera" in scores.ledger.to_dict())
    return scores.ledger.own_camera


@pytest.mark.parametrize("seed", range(30))
def test_queries_that_only_their_own_camera_answers_are_counted(seed):
    rng = np.random.default_rng(seed)
    queries, gallery = rng.integers(1, 12, 2)
    sides = rng.normal(size=(queries, 3)), rng.normal(size=(gallery, 3))
    labels = rng.integers(1, 5, queries), rng.integers(1, 5, gallery)
    cameras = rng.integers(0, 2, queries), rng.integers(0, 2, gallery)

    def answers(query: int, entry: int) -> bool:
        return bool(labels[0][query] == labels[1][entry])

    def is_alone(query: int, entries: list[int]) -> bool:
        return bool(entries) and all(cameras[1][entry] == cameras[0][query] for entry in entries)

    every = {q: [e for e in range(gallery) if answers(q, e)] for q in range(queries)}
    several = [np.eye(5)[side] for side in labels]
    alone = sum(is_alone(query, entries) for query, entries in every.items())
    assert own_camera(vectors(*sides, *labels, *cameras)) == alone
    assert own_camera(vectors(*sides, *several, *cameras)) == alone
    assert own_camera(vectors(*sides, *labels)) == 0
    assert own_camera(vectors(*sides, *labels, *cameras, rules=RULES.replace(same_camera="keep"))) == 0
    others = [[e for e in range(queries) if e != q and labels[0][e] == labels[0][q]] for q in range(queries)]
    by_others = sum(all(cameras[0][e] == cameras[0][q] for e in some) for q, some in enumerate(others) if some)
    assert own_camera(vectors(sides[0], None, labels[0], query_cameras=cameras[0])) == by_others


def test_of_vectors_of_one_length_those_are_equal_whose_numbers_are():
    queries, gallery = np.array([[1.0, 0.0], [0.0, 1.0], [3.0, 0.0]]), np.array([[1.0, 0.0], [2.0, 2.0]])
    squares = (queries**2).sum(axis=1), (gallery**2).sum(axis=1)
    assert equal_vectors(queries, gallery, squares).tolist() == [0, -1, -1]
