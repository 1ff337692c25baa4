"""The conventions of collections: each preset does what the collection's own evaluation is defined to do."""

from __future__ import annotations

import math

import pytest
from test_presets_sources import by_query, lists

import truerank as tr


@pytest.mark.parametrize("seed", range(20))
def test_ms_marco_is_the_first_ten_of_each_query_over_all_judged_ones(seed: int) -> None:
    qrels, run = lists(seed)
    total = 0.0
    for query, judged in qrels.items():
        ranks = [rank for rank, doc in enumerate(run.get(query, [])[:10], 1) if judged.get(doc, 0) >= 1]
        total += 1 / ranks[0] if ranks else 0
    assert tr.evaluate(qrels, run, rules="msmarco").mean == pytest.approx({"RR@10": total / len(qrels)})


def test_trec_deep_learning_takes_passages_from_grade_2_on_and_gains_from_1() -> None:
    qrels, run = {"q": {"a": 1, "b": 2, "c": 3}}, {"q": {"a": 3.0, "b": 2.0, "x": 1.0}}
    found = tr.evaluate(qrels, run, rules="trec-dl-passage").mean
    assert (found["RR"], found["AP"], found["R@100"], found["P@10"]) == (0.5, 0.25, 0.5, 0.1)
    ideal = 3 + 2 / math.log2(3) + 1 / 2
    assert found["nDCG@10"] == pytest.approx((1 + 2 / math.log2(3)) / ideal)


def test_miracl_counts_queries_without_an_answer_and_trec_deep_learning_does_not() -> None:
    qrels, run = {"q": {"a": 2}, "r": {"a": 2}}, {"q": {"a": 1.0}}
    assert tr.evaluate(qrels, run, rules="miracl").mean == {"nDCG@10": 0.5, "R@100": 0.5}
    assert tr.evaluate(qrels, run, "nDCG@10", rules="trec-dl-passage").mean == {"nDCG@10": 1.0}


def test_arguana_s_queries_are_documents_which_beir_takes_out_of_the_answers() -> None:
    qrels, run = {"q1": {"a": 1}}, {"q1": {"q1": 9.0, "a": 1.0}}
    assert tr.evaluate(qrels, run, "nDCG@10", rules="beir").mean == {"nDCG@10": 1.0}


def trapezoid(ranks: list[int], relevant: int) -> float:
    """The area below the curve from recall 0, where precision is 1; ranks count from 0."""
    area = 0.0
    for found, rank in enumerate(ranks):
        before = found / rank if rank else 1.0
        area += (before + (found + 1) / (rank + 1)) / 2 / relevant
    return area


SETTINGS = {"easy": {"easy"}, "medium": {"easy", "hard"}, "hard": {"hard"}}
"""What is right in each of the three, of what is easy, hard or junk; the rest of these leaves the list."""


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("seed", range(10))
def test_revisited_oxford_in_each_of_its_three_settings(setting: str, seed: int) -> None:
    labels, run = lists(seed)
    kinds = {q: {doc: ("junk", "easy", "hard", "junk")[g] for doc, g in docs.items()} for q, docs in labels.items()}
    right = {q: {doc: 1 for doc, kind in docs.items() if kind in SETTINGS[setting]} for q, docs in kinds.items()}
    left = {q: [doc for doc in docs if doc in right[q] or doc not in kinds[q]] for q, docs in run.items()}
    scores = tr.evaluate(right, left, rules="revisited-oxford")
    asked = {query for query, docs in right.items() if docs}
    assert set(scores.queries) == asked
    for query in asked:
        ranks = [rank for rank, doc in enumerate(left.get(query, [])) if doc in right[query]]
        last = max(ranks, default=0) + 1
        expected = {f"Pkq@{k}": sum(r < min(k, last) for r in ranks) / min(k, last) for k in (1, 5, 10)}
        expected["AP(area='trapezoid')"] = trapezoid(ranks, len(right[query]))
        found = {name: by_query(scores, name)[query] for name in expected}
        assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_google_landmarks_divides_by_what_a_hundred_results_could_hold(seed: int) -> None:
    qrels, run = lists(seed)
    qrels["distractor"] = {"d1": 0}
    run = {query: [f"x{n}" for n in range(95)] + docs for query, docs in run.items()}
    scores = tr.evaluate(qrels, run, rules="gldv2")
    assert "distractor" not in scores.queries
    for query, docs in run.items():
        judged = [qrels[query].get(doc, 0) >= 1 for doc in docs[:100]]
        precision = sum(sum(judged[: rank + 1]) / (rank + 1) for rank, hit in enumerate(judged) if hit)
        total = min(100, sum(grade >= 1 for grade in qrels[query].values()))
        assert by_query(scores, "AP(divisor='capped')@100")[query] == pytest.approx(precision / total, abs=1e-12)


def test_metric_learning_asks_each_picture_for_another_one_of_its_class() -> None:
    classes = {"a1": "a", "a2": "a", "b1": "b", "b2": "b", "lone": "c"}
    qrels = {query: {doc: 1 for doc in classes if classes[doc] == classes[query]} for query in classes}
    run = {query: [query, *(doc for doc in classes if doc != query)] for query in classes}
    scores = tr.evaluate(qrels, run, "R@1 R@2 R@4", rules="cub200")
    assert set(scores.queries) == set(classes) - {"lone"}
    assert list(scores.mean.values()) == [0.5, 0.5, 1.0]
    assert tr.evaluate(qrels, run, rules="sop").mean["Success@10"] == 1.0


def test_captions_are_asked_in_both_directions_and_rsum_adds_six_recalls_of_folds() -> None:
    captions = {f"i{n}": {f"c{n}{part}": 1 for part in "vwxyz"} for n in range(4)}
    pictures = {caption: {image: 1} for image, own in captions.items() for caption in own}
    wrong = list(captions["i0"])
    to_text = {image: ["c0v"] if image == "i0" else [*wrong, *own] for image, own in captions.items()}
    to_image = {caption: ["i0", "i1", "i2", "i3"] for caption in pictures}
    found = [tr.evaluate(*pair, rules="image-text") for pair in ((captions, to_text), (pictures, to_image))]
    assert [list(scores.mean.values()) for scores in found] == [[0.25, 0.25, 1.0], [0.25, 1.0, 1.0]]
    assert sum(100 * value for scores in found for value in scores.mean.values()) == 375.0
