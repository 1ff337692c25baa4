"""Presets of tools that no package installs print what the tests in the tools' own sources expect.

Each test names the file; the numbers are those there. Where these have none, the definition is written again.
"""

from __future__ import annotations

import math
import random

import pytest

import truerank as tr

Grades = list[int | None]
"""The grade of each rank; None: unjudged."""


def means(rules: str | tr.Rules, ranked: Grades, measures: list[str], more: Grades = ()) -> list[float]:
    """What the preset prints of one list, besides which other documents are judged."""
    docs = [f"d{rank}" for rank in range(len(ranked))]
    judged = {doc: grade for doc, grade in zip(docs, ranked, strict=True) if grade is not None}
    judged |= {f"m{number}": grade for number, grade in enumerate(more) if grade is not None}
    scores = tr.evaluate({"q": judged}, {"q": docs}, measures, rules=rules)
    assert scores.ledger.foreign == ()
    return list(scores.mean.values())


@pytest.mark.parametrize(
    ("ranked", "more", "dcg", "ideal"),
    [
        ([3, 2, 3, 0, 1, 2], [], 13.84826362927298, 14.595390756454922),
        ([3, 2, 3, None, 1, None], [], 12.779642067948913, 13.347184833073591),
        ([3, 2, 3, None], [1], 12.392789260714371, 13.347184833073591),
    ],
)
def test_elasticsearch_s_dcg(ranked: Grades, more: Grades, dcg: float, ideal: float) -> None:
    """DiscountedCumulativeGainTests.java: testDCGAt, testDCGAtSixMissingRatings, testDCGAtFourMoreRatings."""
    found = means("elasticsearch", ranked, ["DCG@10", "nDCG@10"], more)
    assert found == pytest.approx([dcg, dcg / ideal], abs=1e-12)


def test_elasticsearch_s_ideal_list_is_as_long_as_what_was_returned() -> None:
    assert means("elasticsearch", [3, 1], ["nDCG@10"], [2, 2]) == pytest.approx(
        [(7 + 1 / math.log2(3)) / (7 + 3 / math.log2(3))]
    )


def test_elasticsearch_s_expected_reciprocal_rank() -> None:
    """ExpectedReciprocalRankTests.java: testERRAt, testERRMissingRatings, of which the last gives unjudged a 2."""
    assert means("elasticsearch", [3, 2, 0, 1], ["ERR@3", "ERR@4"]) == [0.8984375, 0.8984375 + 0.00244140625]
    assert means("elasticsearch", [3, None, 0, 1], ["ERR@4"]) == [0.875 + 0.00390625]
    given = tr.Rules.named("elasticsearch").replace(unjudged="graded", unjudged_grade=2)
    assert means(given, [3, None, 0, 1], ["ERR@4"]) == [0.8984375 + 0.00244140625]


def test_elasticsearch_s_precision_recall_and_reciprocal_rank() -> None:
    """PrecisionAtKTests.java, RecallAtKTests.java and MeanReciprocalRankTests.java, with their thresholds."""
    second = tr.Rules.named("elasticsearch").replace(level=2)
    assert means("elasticsearch", [1, 1, 1, 1, 0], ["P@10", "R@10"]) == [0.8, 1.0]
    assert means(second, [0, 1, 2, 3, 4], ["P@5", "RR@10"]) == [0.6, 1 / 3]
    assert means("elasticsearch", [1, 1, 0], ["P@5", "R@5"], [1, 1]) == [2 / 3, 0.5]
    assert means(second, [0, 1, 2], ["R@5"], [3, 4]) == [1 / 3]
    assert means("elasticsearch", [1, 1, None], ["P@10"]) == [2 / 3]
    ignoring = tr.Rules.named("elasticsearch").replace(unjudged="removed", depth=10, depth_of="returned")
    assert means(ignoring, [1, 1, None], ["P@10"]) == [1.0]
    assert means("elasticsearch", [None] * 5, ["P@10", "R@10", "RR@10"]) == [0.0, 0.0, 0.0]
    assert means("elasticsearch", [], ["P@10", "R@10", "RR@10", "ERR@10"], [1]) == [0.0, 0.0, 0.0, 0.0]


THIRDS: Grades = [n % 3 for n in range(1, 21)]
"""The judgements of EvaluationTests.java of OpenSearch, all of them returned."""


def rounded(values: list[float]) -> list[float]:
    """As OpenSearch rounds each query's."""
    return [math.floor(value * 100 + 0.5) / 100 for value in values]


def test_opensearch_s_workbench_of_2025() -> None:
    """EvaluationTests.java before 3.6; of the first five documents its list is short, and the rest is judged."""
    assert rounded(means("opensearch-2025", THIRDS, ["P@20", "P@5", "AP@20", "nDCG@20"])) == [0.7, 0.8, 0.76, 0.76]
    short = means("opensearch-2025", THIRDS[:5], ["P@5", "P@8", "AP@5", "nDCG@5", "nDCG@8"], THIRDS[5:])
    assert rounded(short) == [0.8, 0.8, 0.25, 0.51, 0.4]
    assert means("opensearch-2025", [0, None], ["Judged@10"]) == [0.5]


def test_opensearch_s_workbench_since_2026_says_dcg() -> None:
    """EvaluationTests.java since 3.6: testCalculateDCGAtK, testCalculateNDCGAtK."""
    assert rounded(means("opensearch", THIRDS, ["DCG@5", "nDCG@20"])) == [4.48, 0.76]
    assert rounded(means("opensearch", THIRDS[:5], ["nDCG@5", "nDCG@8"], THIRDS[5:])) == [0.51, 0.4]


def level_of(grades: list[int]) -> float:
    """The level that OpenSearch takes since 2026: half of the highest grade, or what nine tenths are at most."""
    return max(0.5 * max(grades), sorted(grades)[math.ceil(0.9 * len(grades)) - 1])


def test_opensearch_s_other_measures_since_2026_are_those_of_2025_at_a_level_of_the_query() -> None:
    """EvaluationTests.java since 3.6: what it calculates with the threshold of the judgements."""
    assert (level_of(THIRDS), level_of([1] * 7 + [0] * 3), level_of([1, 2, 3, 4, 5] * 2)) == (2, 1, 5)
    at = tr.Rules.named("opensearch-2025").replace(level=2, vocabulary="all")
    found = means(at, THIRDS, ["P@20", "P@5", "AP@20", "R@20", "R@5", "RR@20", "RR@1"])
    assert rounded(found) == [0.35, 0.4, 0.39, 1.0, 0.29, 0.5, 0.0]
    assert rounded(means(at, THIRDS[:5], ["P@8", "AP@5"], THIRDS[5:])) == [0.4, 0.13]


def test_quepid_s_scorers() -> None:
    """javascript_scorer_test.rb: to two digits, as there."""
    assert means("quepid", [1, 0], ["P@10"]) == [0.5]
    assert means("quepid", [0, 1], ["AP@10"], [1]) == [0.25]
    assert means("quepid", [0, 3, 1], ["DCG@10", "nDCG@10"]) == pytest.approx([4.92, 0.64], abs=0.005)
    assert means("quepid", [0, 0, 1], ["RR@10"]) == pytest.approx([0.33], abs=0.005)


def test_quepid_s_ideal_list_is_not_cut_and_its_err_knows_no_grade_above_3() -> None:
    """Its ndcg@10.js and err@10.js, which have no test of this: the definitions."""
    whole = sum(1 / math.log2(rank + 1) for rank in range(1, 5))
    assert means("quepid", [1, 1], ["nDCG@2"], [1, 1]) == pytest.approx([(1 + 1 / math.log2(3)) / whole])
    assert means("quepid", [2, None, 1], ["ERR@10"]) == pytest.approx([3 / 8 + 5 / 8 / 8 / 3])
    assert means("quepid", [0.5], ["P@10", "RR@10"]) == [1.0, 1.0]


SPARK = [[1, 6, 2, 7, 8, 3, 9, 10, 4, 5], [4, 1, 5, 6, 2, 7, 3, 8, 9, 10], [1, 2, 3, 4, 5]]


@pytest.mark.parametrize(
    ("rules", "grades", "expected"),
    [
        ("spark", [dict.fromkeys("12345", 1), dict.fromkeys("123", 1), {}], [1 / 3, 0.328788, 0.487913]),
        ("spark-graded", [{"1": 3, "2": 2, "3": 1, "4": 1, "5": 1}, {"1": 2}, {}], [0.511959, 0.487806, 0.518700]),
    ],
)
def test_spark_s_ndcg(rules: str, grades: list[dict[str, int]], expected: list[float]) -> None:
    """RankingMetricsSuite.scala: both of its tests of ten results; labels of grade 0 are left out here."""
    qrels = {str(query): judged for query, judged in enumerate(grades)}
    run = {str(query): list(map(str, docs)) for query, docs in enumerate(SPARK)}
    found = tr.evaluate(qrels, run, ["nDCG@3", "nDCG@5", "nDCG@10"], rules=rules).mean
    assert list(found.values()) == pytest.approx(expected, abs=1e-5)


def lists(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, list[str]]]:
    chance = random.Random(seed)
    docs = [f"d{number}" for number in range(25)]
    qrels = {f"q{n}": {doc: chance.choice([0, 1, 1, 2, 3]) for doc in chance.sample(docs, 8)} for n in range(6)}
    return qrels, {query: chance.sample(docs, chance.randint(1, 20)) for query in list(qrels)[:5]}


def by_query(scores: tr.Scores, asked: str) -> dict[str, float]:
    return dict(zip(scores.queries, scores[asked].tolist(), strict=True))


@pytest.mark.parametrize("seed", range(20))
def test_elliot_s_measures_written_again(seed: int) -> None:
    """Its metrics/accuracy, whose tests compare two ways of its own to compute them; the threshold is 1."""
    judged, run = lists(seed)
    qrels = {query: {doc: grade or 0.5 for doc, grade in docs.items()} for query, docs in judged.items()}
    scores = tr.evaluate(qrels, run, ["P@3", "nDCG@3", "R@3", "F1@3"], rules="elliot")
    for query, docs in run.items():
        gains = {doc: 2 ** (grade - 1 + 1) - 1 for doc, grade in qrels[query].items() if grade >= 1}
        found = [gains.get(doc, 0) for doc in docs[:3]]
        best = sorted(gains.values(), reverse=True)[:3]
        dcg, ideal = (sum(g * math.log(2) / math.log(i + 2) for i, g in enumerate(part)) for part in (found, best))
        hits = sum(gain > 0 for gain in found)
        p, r = hits / 3, hits / len(gains)
        expected = {"P@3": p, "nDCG@3": dcg / ideal, "R@3": r, "F1@3": 2 * p * r / (p + r) if hits else 0}
        assert {name: by_query(scores, name)[query] for name in expected} == pytest.approx(expected, abs=1e-12)
