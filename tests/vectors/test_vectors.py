"""Vectors and matrices: the numbers of a slow oracle, whatever the door, the ties, the blocks and the protocol."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import truerank as tr
from truerank.core.mappings import IGNORED
from truerank.core.rules import Rules, presets
from truerank.vectors import (
    evaluate_matrix,
    evaluate_vectors,
    rank_matrix,
    rank_vectors,
)

MEASURES = "cmc@1 cmc@3 cmc@5 mAP mINP"
SIDES = ("query_labels", "gallery_labels", "query_cameras", "gallery_cameras")


class World:
    """Whole-number vectors, so that products are exact and scores tie; identities, cameras, junk, distractors."""

    def __init__(self, seed: int, *, values: int = 2, cameras: bool = True):
        self.rng = rng = np.random.default_rng(seed)
        queries, gallery = int(rng.integers(1, 9)), int(rng.integers(1, 40))
        self.queries = rng.integers(-values, values + 1, (queries, 3)).astype(np.float64)
        self.gallery = rng.integers(-values, values + 1, (gallery, 3)).astype(np.float64)
        self.sides: dict[str, Any] = {
            "query_labels": rng.integers(1, 5, queries),
            "gallery_labels": rng.integers(-1, 5, gallery),
        }
        if cameras:
            self.sides |= {
                "query_cameras": rng.integers(1, 4, queries),
                "gallery_cameras": rng.integers(1, 4, gallery),
            }
        self.similarities = self.queries @ self.gallery.T
        self.distances = ((self.queries[:, None] - self.gallery) ** 2).sum(2)


def lists(world: World, scores: np.ndarray) -> list[list[tuple[float, int, bool]]]:
    """For each query its whole list, best first: (score, place in the gallery, is it right)."""
    cameras = world.sides.get("query_cameras"), world.sides.get("gallery_cameras")
    found = []
    for q, label in enumerate(world.sides["query_labels"]):
        rows = []
        for g, other in enumerate(world.sides["gallery_labels"]):
            same_camera = cameras[0] is not None and cameras[0][q] == cameras[1][g]
            if other != -1 and not (label == other and same_camera):
                rows.append((float(scores[q, g]), g, bool(label == other)))
        found.append(sorted(rows, key=lambda row: (-row[0], row[1])))
    return found


def textbook(right: list[bool]) -> dict[str, float]:
    """The measures of one list, each from its definition."""
    ranks = [rank for rank, is_right in enumerate(right, 1) if is_right]
    precisions = 0.0
    for found, rank in enumerate(ranks, 1):
        precisions += found / rank
    cmc = {f"Success@{k}": float(any(right[:k])) for k in (1, 3, 5)}
    return {**cmc, "AP": precisions / len(ranks), "mINP": len(ranks) / ranks[-1]}


def oracle(world: World, scores: np.ndarray) -> dict[int, dict[str, float]]:
    """{query: its measures}, without the queries that have nothing to find."""
    right = [[is_right for _, _, is_right in rows] for rows in lists(world, scores)]
    return {q: textbook(row) for q, row in enumerate(right) if any(row)}


def values(scores: tr.Scores) -> dict[int, dict[str, float]]:
    return {int(query): row for query, row in scores.per_query().items()}


def bits(scores: tr.Scores) -> tuple[Any, ...]:
    return scores.queries, {name: column.tobytes() for name, column in scores.columns.items()}, scores.ledger


def table(hits: tr.Hits) -> list[tuple[Any, ...]]:
    columns = (hits.query, hits.rank, hits.grade, hits.score, hits.first, hits.last)
    return list(zip(*(column.tolist() for column in columns), strict=True))


@pytest.mark.parametrize("seed", range(150))
def test_numbers_are_those_of_a_slow_oracle_over_random_protocols_and_ties(seed):
    world = World(seed, values=seed % 3 + 1, cameras=seed % 4 > 0)
    expected = oracle(world, world.similarities)
    for kind in (np.int16, np.float16, np.float32, np.float64):
        matrix = world.similarities.astype(kind)
        scores = evaluate_matrix(matrix, **world.sides, holds="similarities", measures=MEASURES)
        assert values(scores) == expected
        assert scores.ledger.without_relevant == len(world.queries) - len(expected)
    distances = evaluate_matrix(world.distances, **world.sides, holds="distances", measures=MEASURES)
    assert values(distances) == oracle(world, -world.distances)


@pytest.mark.parametrize("seed", range(60))
def test_vectors_a_matrix_and_a_run_file_give_the_same_numbers(seed, tmp_path):
    world = World(seed, values=2)
    for metric, matrix, holds, sign in (
        ("dot", world.similarities, "similarities", 1),
        ("euclidean", world.distances, "distances", -1),
    ):
        ready = evaluate_matrix(matrix, **world.sides, holds=holds, measures=MEASURES)
        made = evaluate_vectors(world.queries, world.gallery, **world.sides, metric=metric, measures=MEASURES)
        assert bits(made) == bits(ready)
        files = written(tmp_path, lists(world, sign * matrix))
        if files:
            scores = tr.evaluate(*files, MEASURES, rules="market1501")
            assert (values(scores), scores.mean) == (values(made), made.mean)


def written(folder: Path, found: list[list[tuple[float, int, bool]]]) -> tuple[Path, Path] | None:
    """Judgements and a run, of one-digit queries so that their order is the same."""
    run = "".join(f"{q} Q0 {g} 0 {score!r} t\n" for q, rows in enumerate(found) for score, g, _ in rows)
    qrels = "".join(f"{q} 0 {g} 1\n" for q, rows in enumerate(found) for _, g, right in rows if right)
    (folder / "run").write_text(run)
    (folder / "qrels").write_text(qrels)
    return (folder / "qrels", folder / "run") if qrels else None


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_cosine_is_exact_where_lengths_are_powers_of_two(kind):
    corners = np.array(list(itertools.product([-1, 1], repeat=4)), kind)
    world = World(5)
    world.sides = {"query_labels": np.arange(1, 17), "gallery_labels": np.repeat(np.arange(1, 17), 2)[::-1]}
    gallery = np.concatenate([corners, 2 * corners])
    world.similarities = corners.astype(float) @ np.sign(gallery.astype(float)).T / 4
    scores = evaluate_vectors(corners, gallery, **world.sides, measures=MEASURES)
    assert values(scores) == oracle(world, world.similarities)


@pytest.mark.parametrize("seed", range(20))
def test_real_vectors_rank_as_a_sorted_list_does(seed):
    world = World(seed)
    rng = world.rng
    world.queries, world.gallery = rng.standard_normal((50, 16)), rng.standard_normal((400, 16))
    labels = {"query_labels": rng.integers(1, 9, 50), "gallery_labels": rng.integers(0, 9, 400)}
    world.sides = labels
    lengths = [np.linalg.norm(side, axis=1, keepdims=True) for side in (world.queries, world.gallery)]
    cosine = (world.queries / lengths[0]) @ (world.gallery / lengths[1]).T
    for metric, matrix in (
        ("cosine", cosine),
        ("dot", world.queries @ world.gallery.T),
        ("euclidean", -np.linalg.norm(world.queries[:, None] - world.gallery, axis=2)),
    ):
        scores = evaluate_vectors(world.queries, world.gallery, **labels, metric=metric, measures=MEASURES)
        assert values(scores) == oracle(world, matrix)


def judged(world: World, scores: np.ndarray) -> tuple[dict, dict]:
    """Judgements with the ignored entries graded so, and a run of everything but junk, by zero-padded places."""
    labels, cameras = world.sides["gallery_labels"], world.sides.get("gallery_cameras")
    kept = np.flatnonzero(labels != -1)
    qrels: dict[str, dict[str, float]] = {}
    for q, label in enumerate(world.sides["query_labels"]):
        same = [g for g in kept if labels[g] == label]
        qrels[f"{q:02d}"] = {
            f"{g:02d}": IGNORED if cameras is not None and cameras[g] == world.sides["query_cameras"][q] else 1.0
            for g in same
        }
    run = {f"{q:02d}": {f"{g:02d}": float(scores[q, g]) for g in kept} for q in range(len(world.queries))}
    return qrels, run


def ids(world: World) -> dict[str, list[str]]:
    return {
        "query_ids": [f"{q:02d}" for q in range(len(world.queries))],
        "gallery_ids": [f"{g:02d}" for g in range(len(world.gallery))],
    }


@pytest.mark.parametrize("ties", ["input", "doc-ascending", "doc-descending"])
@pytest.mark.parametrize("seed", range(30))
def test_hits_are_those_of_a_run_under_every_tie_rule(seed, ties):
    world = World(seed, values=1)
    if (world.sides["gallery_labels"] == -1).all():
        return
    rules = Rules.named("market1501").replace(ties=ties)
    hits = rank_matrix(world.similarities, **world.sides, **ids(world), holds="similarities", rules=rules)
    qrels, run = judged(world, world.similarities)
    other = tr.rank(qrels, run, rules=rules.replace(ties="doc-ascending" if ties == "input" else ties))
    assert (hits.queries, table(hits)) == (other.queries, table(other))
    assert hits.returned.tolist() == other.returned.tolist()


@pytest.mark.parametrize("seed", range(40))
def test_the_best_and_the_worst_order_of_ties_bound_every_order(seed):
    world = World(seed, values=1, cameras=False)
    hits = rank_matrix(world.similarities, **world.sides, holds="similarities")
    best, worst = (tr.parse_measure("AP").values(hits.reordered(order)) for order in (True, False))
    for draw in range(10):
        shuffled = np.random.default_rng(draw).permutation(len(world.gallery))
        sides = {**world.sides, "gallery_labels": world.sides["gallery_labels"][shuffled]}
        scores = evaluate_matrix(world.similarities[:, shuffled], **sides, holds="similarities", measures="AP")
        assert (worst - 1e-12 <= scores["AP"]).all()
        assert (scores["AP"] <= best + 1e-12).all()


def test_only_ties_that_matter_are_counted():
    one = evaluate_matrix([[1.0, 1.0, 0.0]], [1], [1, 1, 2], holds="similarities", measures="AP")
    two = evaluate_matrix([[1.0, 1.0, 0.0]], [1], [1, 2, 1], holds="similarities", measures="AP")
    assert (one.ledger.tied, two.ledger.tied) == (0, 1)


def test_the_euclidean_score_is_minus_the_squared_distance():
    hits = rank_vectors([[1.0, 2.0]], [[1.0, 2.0], [4.0, 6.0]], [1], [1, 1], metric="euclidean")
    assert hits.score.tolist() == [0.0, -25.0]


def test_the_score_of_a_distance_is_its_negative():
    assert rank_matrix([[0.25, 2.0]], [1], [1, 1], holds="distances").score.tolist() == [-0.25, -2.0]


def test_a_query_left_without_a_correct_entry_is_skipped_and_counted():
    sides = {"query_cameras": [1, 1], "gallery_cameras": [1, 2, 2]}
    scores = evaluate_matrix(np.eye(2, 3), [1, 2], [1, 2, 2], **sides, holds="similarities", measures="AP")
    assert scores.queries == ("1",)
    assert (scores.ledger.judged, scores.ledger.evaluated, scores.ledger.without_relevant) == (2, 1, 1)
    assert scores.ledger.examples["without_relevant"] == ("0",)


def test_text_labels_and_cameras_are_as_good_as_numbers():
    world = World(3)
    world.sides["gallery_labels"] = np.abs(world.sides["gallery_labels"]) + 1
    named = {side: [f"name {value}" for value in column] for side, column in world.sides.items()}
    one, two = (
        evaluate_matrix(world.similarities, **sides, holds="similarities", measures=MEASURES)
        for sides in (named, world.sides)
    )
    assert bits(one) == bits(two)


def test_columns_of_frames_hold_vectors_and_labels_as_arrays_do():
    vectors, labels = np.random.default_rng(0).random((6, 3), np.float32), np.eye(3)[[0, 1, 0, 1, 2, 2]]
    expected = evaluate_vectors(vectors, None, labels, measures=MEASURES)
    for of in (list, np.ndarray.tolist):  # a column of arrays, and one of lists
        frame = pd.DataFrame({"vector": of(vectors.astype(np.float64)), "labels": of(labels)})
        scores = evaluate_vectors(frame["vector"], None, frame["labels"], measures=MEASURES)
        assert scores.mean == pytest.approx(expected.mean)
    with pytest.raises(tr.InputError, match="rows that have several lengths"):
        evaluate_vectors(pd.Series([[1.0], [1.0, 2.0]]), None, [1, 1])


def test_junk_and_distractors_are_known_in_the_spelling_of_file_names():
    gallery = ["-1", "0000", "0002", "-1"]
    scores = evaluate_matrix([[4.0, 3.0, 2.0, 1.0]], ["0002"], gallery, holds="similarities", measures="RR")
    assert (scores.mean["RR"], scores.ledger.returned) == (0.5, 2)


def test_text_that_python_alone_reads_as_a_number_is_no_junk_or_distractor():
    scores = evaluate_matrix(np.eye(2), ["0_0", "a"], ["0_0", "-0_1"], holds="similarities", measures="RR")
    assert (scores.mean["RR"], scores.ledger.evaluated) == (1.0, 1)


@pytest.mark.parametrize("kind", [object, np.float64, np.uint8, "Int64"])
def test_labels_are_whole_numbers_of_any_kind(kind):
    world = World(4)
    sides = {name: np.abs(column) for name, column in world.sides.items()}
    expected = evaluate_matrix(world.similarities, **sides, holds="similarities", measures=MEASURES)
    others = {name: pd.Series(column, dtype=kind) for name, column in sides.items()}
    scores = evaluate_matrix(world.similarities, **others, holds="similarities", measures=MEASURES)
    assert bits(scores) == bits(expected)


def test_a_query_of_a_distractors_identity_is_refused():
    with pytest.raises(tr.InputError, match="2 of the queries have the label 0, which these rules keep"):
        evaluate_matrix(np.eye(3), [0, 0, 1], [0, 1, 2], holds="similarities")
    kept = evaluate_matrix(np.eye(3), [0, 0, 1], [0, 1, 2], holds="similarities", rules="truerank", measures="RR")
    assert kept.mean["RR"] == pytest.approx((1 + 1 / 3 + 1 / 2) / 3)


def test_a_protocol_can_be_given_with_any_rules():
    rules = Rules.named("market1501").replace(junk_identities=[7], distractor_identities=[8])
    gallery = [7, 8, 1, -1]
    scores = evaluate_matrix([[4.0, 3.0, 2.0, 1.0]], [1], gallery, holds="similarities", rules=rules, measures="RR")
    assert (scores.mean["RR"], scores.ledger.returned) == (0.5, 3)


@pytest.mark.parametrize("name", presets())
def test_a_preset_under_another_name_gives_the_same_numbers(name, tmp_path):
    """Of text runs and of vectors: what a preset means is in its fields, not in its name."""
    preset = Rules.named(name)
    (tmp_path / "mine.toml").write_text(f'extends = "{name}"\n')
    (tmp_path / "whole.toml").write_text(preset.to_toml())
    copies = [preset.replace(name="mine"), Rules.of(tmp_path / "mine.toml"), Rules.of(tmp_path / "whole.toml")]
    world = World(5, values=3)
    ids = {"query_ids": [f"q{q}" for q in range(len(world.queries))]}
    ids["gallery_ids"] = [f"d{d}" for d in range(len(world.gallery))]
    sides = {side: np.maximum(labels, 1) if "query" in side else labels for side, labels in world.sides.items()}
    run = {
        f"q{q}": {f"d{d}": float(score) for d, score in enumerate(row)} for q, row in enumerate(world.similarities)
    }
    qrels = {f"q{q}": {f"d{d}": {"1": (q + d) % 3} for d in range(q + 2)} for q in range(len(world.similarities))}
    words = "nDCG@5 AP RR P@3 R@5 Success@5"
    for copy in copies:
        assert copy.name != name
        for measures in (None, words):
            mine, known = (tr.evaluate(qrels, run, measures, rules=rules) for rules in (copy, preset))
            assert (bits(mine), mine.mean) == (bits(known), known.mean)
            is_of_qrels = preset.self_match == "remove-from-answers" or any(
                tr.parse_measure(measure).definition.sees_aspects for measure in preset.measures
            )
            if preset.unit == "line" or is_of_qrels:  # the first are of files
                continue
            mine, known = (
                evaluate_matrix(
                    world.similarities, **sides, **ids, holds="similarities", measures=measures, rules=rules
                )
                for rules in (copy, preset)
            )
            assert (bits(mine), mine.mean, mine.run) == (bits(known), known.mean, known.run)


def test_entries_of_the_querys_own_camera_stay_where_the_rules_say_so():
    sides = {"query_labels": [1], "gallery_labels": [1, 2, 1], "query_cameras": [1], "gallery_cameras": [1, 2, 2]}
    for same_camera, expected in (("ignore", 0.5), ("keep", 1.0)):
        scores = evaluate_matrix(
            [[3.0, 2.0, 1.0]], **sides, holds="similarities", rules={"same_camera": same_camera}, measures="RR"
        )
        assert scores.mean["RR"] == expected


def test_a_data_set_that_counts_its_people_from_0_is_told_which_option_keeps_them():
    with pytest.raises(tr.InputError, match=r"say --distractor none .*\.replace\(distractor_identities=\[\]\)"):
        evaluate_matrix(np.eye(3), [0, 0, 1], [0, 1, 2], holds="similarities")
    rules = Rules.named("market1501").replace(distractor_identities=[])
    kept = evaluate_matrix(np.eye(3), [0, 0, 1], [0, 1, 2], holds="similarities", rules=rules, measures="RR")
    assert kept.mean["RR"] == pytest.approx((1 + 1 / 3 + 1 / 2) / 3)


def test_of_entries_with_several_labels_those_that_share_one_are_right():
    queries, gallery = [[1, 1, 0], [0, 0, 1]], [[0, 1, 0], [1, 1, 0], [0, 0, 0], [1, 0, 1]]
    matrix = [[4.0, 3.0, 2.0, 1.0], [4.0, 3.0, 2.0, 1.0]]
    scores = evaluate_matrix(matrix, queries, gallery, holds="similarities", measures="AP nDCG RR P@1")
    plain = tr.evaluate(
        {"0": {"0": 1, "1": 2, "3": 1}, "1": {"3": 1}},
        {str(q): {str(g): score for g, score in enumerate(row)} for q, row in enumerate(matrix)},
        "AP nDCG RR P@1",
        rules="market1501",
    )
    assert scores.mean == plain.mean
    assert scores.run == "matrix (similarities, float64; multi-hot labels)"


@pytest.mark.parametrize("seed", range(5))
def test_of_one_label_each_a_matrix_of_labels_is_the_list_of_them(seed):
    world = World(seed, values=2)
    hot = {
        side: np.eye(9)[np.maximum(labels, 1)] if "labels" in side else labels
        for side, labels in world.sides.items()
    }
    one = {side: np.maximum(labels, 1) if "labels" in side else labels for side, labels in world.sides.items()}
    several, single = (
        evaluate_matrix(world.similarities, **sides, holds="similarities", measures=MEASURES)
        for sides in (hot, one)
    )
    assert bits(several) == bits(single)


@pytest.mark.parametrize(
    ("queries", "message"),
    [
        ([[1, 2], [0, 1]], "query_labels: a matrix of labels holds 0 and 1, not 2"),
        ([[1, 0, 1], [0, 1, 0]], r"the same labels on both sides, not \(2, 3\) and \(2, 2\)"),
        ([1, 2], r"one row per entry and the same labels on both sides, not \(2,\) and \(2, 2\)"),
    ],
)
def test_matrices_of_labels_that_cannot_be_are_refused(queries, message):
    with pytest.raises(tr.InputError, match=message):
        evaluate_matrix(np.eye(2), queries, [[1, 0], [0, 1]], holds="similarities")


def test_a_saved_run_of_euclidean_vectors_has_minus_the_squared_distances(tmp_path):
    rng = np.random.default_rng(4)
    queries, gallery = rng.normal(size=(2, 3)), rng.normal(size=(4, 3)) * 2
    path = tmp_path / "saved.run"
    evaluate_vectors(queries, gallery, [1, 2], [1, 2, 2, 1], metric="euclidean", save_run=path)
    saved = [list(docs.values()) for docs in tr.open_run(path).to_dict().values()]
    apart = np.linalg.norm(queries[:, None] - gallery, axis=2)
    assert np.allclose(saved, -(np.sort(apart, axis=1) ** 2))


def test_names_stay_as_they_were_written_where_that_is_asked_for():
    for asked in (False, True):
        how: dict[str, Any] = {"measures": "rank-1", "as_written": asked}
        found = evaluate_matrix(np.eye(2), [1, 2], [1, 2], holds="similarities", **how)
        assert found.as_written is asked
        assert evaluate_vectors(np.eye(2), np.eye(2), [1, 2], [1, 2], **how).as_written is asked


@pytest.mark.parametrize("metric", ["dot", "euclidean"])
def test_frames_are_pooled_as_is_said_and_never_silently(metric):
    frames = np.array([[[1.0, 0.0], [3.0, 2.0]], [[0.0, 5.0], [2.0, 1.0]]])
    gallery = [[2.0, 1.0], [1.0, 3.0], [3.0, 2.0], [4.0, 2.0]]
    for pool, flat in (("mean", frames.mean(axis=1)), ("max", frames.max(axis=1))):
        made = evaluate_vectors(frames, gallery, [1, 2], [1, 2, 2, 3], pool=pool, metric=metric, measures="RR")
        same = evaluate_vectors(flat, gallery, [1, 2], [1, 2, 2, 3], metric=metric, measures="RR")
        assert (bits(made), made.run) == (bits(same), f"vectors ({metric}, float64, {pool} over frames)")
    with pytest.raises(tr.InputError, match="say how frames become one vector, by --pool mean or --pool max"):
        evaluate_vectors(frames, gallery, [1, 2], [1, 2, 2])
    with pytest.raises(tr.InputError, match="there is nothing to pool by mean"):
        evaluate_vectors(gallery, None, [1, 2, 2], pool="mean")


@pytest.mark.parametrize("seed", range(5))
def test_a_saved_run_scores_as_its_vectors_do(seed, tmp_path):
    world = World(seed, values=3)
    path = tmp_path / "saved.run"
    named = {"query_ids": list(map(str, range(len(world.queries))))}
    named["gallery_ids"] = list(map(str, range(len(world.gallery))))
    scores = evaluate_matrix(
        world.similarities, **world.sides, **named, holds="similarities", measures=MEASURES, save_run=path
    )
    files = written(tmp_path, lists(world, world.similarities))
    if files:
        again = tr.evaluate(files[0], path, MEASURES, rules="market1501")
        assert (values(again), again.mean) == (values(scores), scores.mean)
    cut = tmp_path / "cut.run"
    whole: dict[str, list[str]] = {}
    for line in path.read_text().splitlines():
        whole.setdefault(line.split()[0], []).append(line.split()[2])
    evaluate_matrix(world.similarities, **world.sides, **named, holds="similarities", save_run=cut, save_depth=2)
    rows = [line.split() for line in cut.read_text().splitlines()]
    assert [(row[0], row[2]) for row in rows] == [(q, doc) for q, docs in whole.items() for doc in docs[:2]]


def test_without_a_gallery_nobody_finds_himself():
    world = World(11)
    vectors = world.rng.integers(-2, 3, (30, 3)).astype(float)
    labels = world.rng.integers(1, 6, 30)
    alone = evaluate_vectors(vectors, None, labels, metric="dot", measures=MEASURES)
    for q in range(30):
        others = np.arange(30) != q
        one = evaluate_vectors(
            vectors[[q]], vectors[others], labels[[q]], labels[others], metric="dot", measures=MEASURES
        )
        assert values(alone).get(q) == values(one).get(0)
    assert alone.rules.self_match == "remove"
    square = evaluate_matrix(vectors @ vectors.T, labels, holds="similarities", measures=MEASURES)
    assert bits(square) == bits(alone)


def test_without_a_gallery_a_query_without_labels_does_not_find_itself_either(tmp_path):
    path = tmp_path / "run.txt"
    evaluate_vectors(np.eye(3), None, [[0, 0], [1, 0], [1, 1]], save_run=path)
    rows = [line.split() for line in path.read_text().splitlines()]
    assert len(rows) == 6
    assert all(row[0] != row[2] for row in rows)


def test_a_self_match_with_two_labels_is_refused():
    with pytest.raises(tr.InputError, match="b has one label as a query and another in the gallery, though one id"):
        evaluate_matrix(
            np.eye(2), [1, 2], [1, 1], query_ids=["a", "b"], gallery_ids=["a", "b"], holds="similarities",
            rules=Rules.named("market1501").replace(self_match="remove"),
        )  # fmt: skip


def test_qrels_give_the_numbers_of_a_run():
    rng = random.Random(4)
    names = [f"d{i}" for i in range(30)]
    qrels = {f"q{i}": {d: rng.randint(-1, 3) for d in rng.sample([*names, "gone"], 9)} for i in range(6)}
    matrix = np.random.default_rng(4).integers(0, 5, (6, 30)).astype(float)
    queries = [f"q{i}" for i in (5, 3, 1, 0, 2, 9)]
    run = {q: dict(zip(names, row.tolist(), strict=True)) for q, row in zip(queries, matrix, strict=True)}
    for rules in ("truerank", "trec_eval-9"):
        ours = evaluate_matrix(
            matrix, qrels=qrels, query_ids=queries, gallery_ids=names, holds="similarities", rules=rules,
            measures="nDCG@10 AP ERR Bpref",
        )  # fmt: skip
        other = tr.evaluate(qrels, run, "nDCG@10 AP ERR Bpref", rules=rules)
        assert bits(ours) == bits(other)
        assert ours.ledger.extra == 1


def drawn(world: World, galleries: int, seed: int) -> dict[int, list[float]]:
    """Rank-k accuracy of each query over random galleries, by loops and by the sentence in the documents."""
    labels = world.sides["gallery_labels"]
    identities = sorted({int(label) for label in labels})
    found = {}
    for q, rows in enumerate(lists(world, world.similarities)):
        right = sorted(g for _, g, is_right in rows if is_right)
        if not right:
            continue
        own = world.sides["query_labels"][q]
        hits = [0, 0, 0]
        for chance in np.random.default_rng([seed, q]).random((galleries, len(identities) + 1)):
            chosen = {right[int(chance[-1] * len(right))]}
            for i, identity in enumerate(identities):
                members = [g for g, label in enumerate(labels) if label == identity]
                if identity != own:
                    chosen.add(members[int(chance[i] * len(members))])
            order = [is_right for _, g, is_right in rows if g in chosen]
            for i, k in enumerate((1, 3, 5)):
                hits[i] += any(order[:k])
        found[q] = [count / galleries for count in hits]
    return found


@pytest.mark.parametrize("seed", range(25))
def test_rank_k_of_cuhk03_is_the_mean_over_random_galleries_with_one_entry_an_identity(seed):
    world = World(seed)
    world.sides["gallery_labels"] = np.maximum(world.sides["gallery_labels"], 1)
    how = {"rules": Rules.named("cuhk03").replace(gallery_seed=seed), "measures": MEASURES}
    scores = evaluate_matrix(world.similarities, **world.sides, holds="similarities", **how)
    expected, whole = drawn(world, 10, seed), oracle(world, world.similarities)
    for q, row in values(scores).items():
        assert [row[f"Success@{k}"] for k in (1, 3, 5)] == expected[q]
        assert (row["AP"], row["mINP"]) == (whole[q]["AP"], whole[q]["mINP"])
    assert set(values(scores)) == set(expected) == set(whole)


@pytest.mark.parametrize("rules", ["cuhk03", "market1501"])
def test_where_no_query_has_a_match_nothing_is_evaluated(rules):
    scores = evaluate_vectors([[1.0, 0.0]], [[1.0, 0.0]], [1], [2], rules=rules)
    assert (scores.queries, scores.mean["Success@1"], scores.ledger.without_relevant) == ((), 0.0, 1)


def test_cuhk03_is_seeded_and_says_so():
    world = World(8, values=3)
    world.sides["gallery_labels"] = np.maximum(world.sides["gallery_labels"], 1)
    runs = [
        evaluate_matrix(
            world.similarities, **world.sides, holds="similarities",
            rules=Rules.named("cuhk03").replace(gallery_seed=seed),
        )
        for seed in (0, 0, 1)
    ]  # fmt: skip
    assert bits(runs[0]) == bits(runs[1])
    assert runs[0]["cmc@1"].tolist() != runs[2]["cmc@1"].tolist()
    assert runs[2].run == "matrix (similarities, float64; 10 single-shot galleries, seed 1)"


def university(right: list[bool], good: int, one_percent: int) -> tuple[float, float, float]:
    """Rank 1, R@1% and the trapezoid AP, as its evaluation describes them: positions count from 0."""
    positions = [i for i, is_right in enumerate(right) if is_right]
    if not positions:
        return 0.0, 0.0, 0.0
    area = 0.0
    for i, position in enumerate(positions):
        before = i / position if position else 1.0
        area += (before + (i + 1) / (position + 1)) / 2
    return float(positions[0] == 0), float(positions[0] <= one_percent), area / good


@pytest.mark.parametrize("seed", range(20))
def test_university_1652_has_its_own_average_precision_and_r_at_1_percent(seed):
    world = World(seed)
    rng = world.rng
    world.sides = {"query_labels": rng.integers(1, 300, 40), "gallery_labels": rng.integers(-1, 300, 701)}
    world.similarities = rng.integers(0, 300, (40, 701)).astype(float)
    scores = evaluate_matrix(world.similarities, **world.sides, holds="similarities", rules="university1652")
    assert list(scores.mean) == ["Success@1", "Success@5", "Success@10", "AP(area='trapezoid')", "Success@8"]
    assert scores.run.endswith("; R@1% is Success@8)")
    for q, rows in enumerate(lists(world, world.similarities)):
        right = [is_right for _, _, is_right in rows]
        got = (scores["cmc@1"][q], scores["cmc@8"][q], scores["AP(area='trapezoid')"][q])
        assert got == university(right, sum(right), 7)
    assert scores.ledger.evaluated == 40


@pytest.mark.parametrize(
    ("measures", "said"),
    [("R@" + "9" * 400 + "%", "a share of the gallery is 100 % at most"), ("cmc@101%", "100 %"), (5, "by text")],
)
def test_measures_that_cannot_be_of_a_gallery_are_refused(measures, said):
    with pytest.raises(tr.MeasureError, match=said) as caught:
        evaluate_vectors(np.eye(2), np.eye(2), [1, 2], [1, 2], measures=measures)
    assert len(str(caught.value)) < 120


@pytest.mark.parametrize(("gallery", "k"), [(701, 8), (951, 11), (51355, 515), (30, 1), (250, 3), (150, 3)])
def test_one_percent_of_the_gallery_is_rounded_as_university_1652_does(gallery, k):
    matrix = np.zeros((1, gallery), np.float32)
    scores = evaluate_matrix(matrix, [1], np.ones(gallery, int), holds="similarities", measures="R@1%")
    assert list(scores.mean) == [f"Success@{k}"]
    assert scores.run == f"matrix (similarities, float32; R@1% is Success@{k})"


def test_a_query_without_positives_stays_in_the_denominator_of_university_1652():
    scores = evaluate_matrix(np.eye(2), [1, 9], [1, 2], holds="similarities", rules="university1652")
    assert (scores.mean["Success@1"], scores.ledger.evaluated, scores.ledger.without_relevant) == (0.5, 2, 1)


def test_whole_numbers_whose_products_32_bits_cannot_hold_are_told_apart():
    query, gallery = np.array([[5000, 1]], np.int16), np.array([[5000, 0], [5000, 1]], np.int16)
    for labels, expected in (([2, 1], 1.0), ([1, 2], 0.5)):
        assert evaluate_vectors(query, gallery, [1], labels, metric="dot", measures="RR").mean["RR"] == expected


def test_a_list_of_labels_may_stand_in_a_column_and_not_in_a_cube():
    assert evaluate_matrix(np.eye(2), [[1], [2]], [[1], [2]], holds="similarities", measures="RR").mean == {"RR": 1}
    with pytest.raises(tr.InputError, match=r"query_labels is a list .*, not an array of shape \(2, 1, 1\)"):
        evaluate_matrix(np.eye(2), [[[1]], [[2]]], [1, 2], holds="similarities")


def test_the_entry_whose_row_of_labels_differs_is_named():
    sides = {"query_ids": ["a", "b"], "gallery_ids": ["a", "b"]}
    rules = Rules.named("market1501").replace(self_match="remove")
    with pytest.raises(tr.InputError, match="b has one label as a query and another in the gallery, though one id"):
        evaluate_matrix(np.eye(2), np.eye(2), [[1, 0], [1, 1]], **sides, holds="similarities", rules=rules)
