"""The worked examples of the documents that asked for this program, put right where they err."""

from __future__ import annotations

import numpy as np
import pytest

import truerank as tr
from truerank.measures.curves import ELEVEN, interpolated, sawtooth

BY_DEFINITION = {"recall_points": "definition"}
"""The highest precision at any recall of at least r: the textbook's reading of the eleven points."""


def docs(count: int, prefix: str = "x") -> list[str]:
    return [f"{prefix}{number}" for number in range(count)]


def judged(count: int) -> dict[str, int]:
    return dict.fromkeys(docs(count, "rel"), 1)


def with_hits_at(length: int, *ranks: int) -> list[str]:
    """A list of this many documents whose hits rel0, rel1 … stand at these ranks."""
    listed = docs(length)
    for number, rank in enumerate(ranks):
        listed[rank - 1] = f"rel{number}"
    return listed


def mean(qrels: dict[str, int], listed: list[str], measures: str, **rules: object) -> list[float]:
    return list(tr.evaluate({"q": qrels}, {"q": listed}, measures, rules=rules or None).mean.values())


def eleven(qrels: dict[str, int], listed: list[str]) -> list[float]:
    scores = tr.evaluate({"q": qrels}, {"q": listed}, [f"IPrec@{r}" for r in ELEVEN], rules=BY_DEFINITION)
    return list(scores.mean.values())


@pytest.mark.parametrize(("rank", "value"), [(1, 1.0), (2, 0.5), (10, 0.1)])
def test_with_one_right_picture_average_precision_is_one_over_its_rank(rank: int, value: float) -> None:
    assert mean(judged(1), with_hits_at(12, rank), "mAP mINP mrr") == [value, value, value]


def test_rank_k_accuracy_is_the_share_of_queries_with_the_right_picture_in_the_first_k() -> None:
    gallery = {"q1": with_hits_at(9, 1), "q2": with_hits_at(9, 3), "q3": with_hits_at(9, 5), "q4": docs(9)}
    scores = tr.evaluate(dict.fromkeys(gallery, judged(1)), gallery, "rank@1 rank@3 rank@5")
    assert list(scores.mean.values()) == [0.25, 0.5, 0.75]


def test_the_contest_divides_by_the_hits_found_and_rewards_a_rightly_empty_answer() -> None:
    truth: dict[str, dict[str, int]] = {"1": {"a": 1}, "2": {}}
    scores = tr.evaluate(truth, {"1": ["x", "a", "y"], "2": []}, rules="science-qa")
    assert list(scores.mean.values()) == [(0.5 + 1) / 2]


def test_the_contest_gives_nothing_for_an_answer_where_none_was_asked() -> None:
    scores = tr.evaluate({"1": {"a": 1}, "2": {}}, {"1": ["a"], "2": ["b"]}, rules="science-qa")
    assert list(scores.mean.values()) == [0.5]


def test_the_contest_looks_at_three_results_only() -> None:
    assert mean(judged(1), with_hits_at(5, 4), "AP(divisor='hits')@3") == [0.0]
    assert mean(judged(3), with_hits_at(5, 1, 3, 4), "AP(divisor='hits')@3") == [(1 / 1 + 2 / 3) / 2]


def test_example_1_precision_and_recall_of_a_set() -> None:
    assert mean(judged(5), with_hits_at(6, 1, 2, 4, 6), "SetP SetR") == [4 / 6, 4 / 5]


def test_example_2_precision_and_recall_do_not_see_the_order_and_average_precision_does() -> None:
    late, early = with_hits_at(5, 5), with_hits_at(5, 1)
    assert mean(judged(10), late, "SetP SetR SetF") == mean(judged(10), early, "SetP SetR SetF")
    assert mean(judged(10), late, "P@5 R@5") == [1 / 5, 1 / 10]
    assert mean(judged(10), late, "AP RR") < mean(judged(10), early, "AP RR")


def test_example_3_recall_and_precision_after_each_result() -> None:
    hits = tr.rank({"q": judged(5)}, {"q": with_hits_at(8, 1, 3)})
    recall, precision = sawtooth(hits, 0)
    assert recall.tolist()[:4] == [1 / 5, 1 / 5, 2 / 5, 2 / 5]
    assert precision.tolist()[:4] == [1 / 1, 1 / 2, 2 / 3, 2 / 4]
    assert len(recall) == 8


def test_example_4_eleven_points_by_the_definition() -> None:
    # The example prints 1 up to recall 0.7. By its own definition, the highest precision at recall 0.6 or
    # more is that of the third hit, 3/4, and at 0.8 or more that of the fourth, 4/15.
    expected = [1, 1, 1, 1, 1, 1, 0.75, 0.75, 4 / 15, 4 / 15, 4 / 15]
    listed = with_hits_at(15, 1, 2, 4, 15)
    assert eleven(judged(4), listed) == expected
    assert mean(judged(4), listed, "11pt_avg", **BY_DEFINITION) == pytest.approx([sum(expected) / 11])


def test_example_5_a_table_of_retrieved_and_relevant() -> None:
    found = mean(judged(65), with_hits_at(20, *range(1, 8)), "SetP SetR F1")
    p, r = 7 / 20, 7 / 65
    assert found == pytest.approx([p, r, 2 * p * r / (p + r)], rel=1e-15)


def test_example_6_fourteen_relevant_twenty_retrieved_five_of_them_relevant() -> None:
    p, r = 5 / 20, 5 / 14
    f1 = 2 * p * r / (p + r)
    found = mean(judged(14), with_hits_at(20, 2, 3, 5, 7, 11), "SetP SetR F1 SetF(alpha=0.5)")
    assert found == pytest.approx([p, r, f1, f1], rel=1e-15)


def test_the_weighted_f_is_the_same_by_alpha_and_by_beta() -> None:
    p, r = 5 / 20, 5 / 14
    by_alpha, by_beta = mean(judged(14), with_hits_at(20, 2, 3, 5, 7, 11), "SetF(alpha=0.2) SetF(beta=2)")
    assert by_alpha == pytest.approx(1 / (0.2 / p + 0.8 / r))
    assert by_beta == pytest.approx(by_alpha)  # beta² = (1 - alpha) / alpha


def test_example_7_graded_judgements_of_which_one_was_not_found() -> None:
    grades = {"800": 1, "690": 3, "700": 3, "500": 2}
    listed = ["381", "800", "456", "451", "761", "690", "295"]
    # Four documents are judged relevant, so recall is 2/4; the example says 2/3 in one place, /4 in the next.
    assert mean(grades, listed, "SetP SetR P@7 R@7") == [2 / 7, 2 / 4, 2 / 7, 2 / 4]
    assert mean(grades, listed, "F1") == pytest.approx([2 * (2 / 7) * (2 / 4) / (2 / 7 + 2 / 4)], rel=1e-15)
    assert eleven(grades, listed) == [1 / 2] * 3 + [2 / 6] * 3 + [0] * 5


def test_the_curve_of_several_queries_is_the_mean_at_each_recall() -> None:
    lists = {"q1": with_hits_at(15, 1, 2, 4, 15), "q2": with_hits_at(15, 2, 4, 6, 8)}
    hits = tr.rank(dict.fromkeys(lists, judged(4)), lists)
    points = interpolated(hits, ELEVEN, rounding="definition")
    alone = [eleven(judged(4), listed) for listed in lists.values()]
    assert points.mean(axis=1).tolist() == np.mean(alone, axis=0).tolist()


def test_average_precision_is_the_area_below_the_curve_taken_in_steps() -> None:
    step, ap = mean(judged(4), with_hits_at(15, 1, 2, 4, 15), "AUPRC AP")
    assert step == ap == (1 + 1 + 3 / 4 + 4 / 15) / 4


def test_the_area_below_the_interpolated_curve_takes_the_best_precision_to_come() -> None:
    area = mean(judged(4), with_hits_at(15, 2, 3, 5, 15), "AUPRC(area='interpolated')")
    assert area == pytest.approx([(2 / 3 + 2 / 3 + 3 / 5 + 4 / 15) / 4], rel=1e-15)


GRADES = {"a": 2, "b": 1, "c": 0, "d": 2}


def test_eight_of_ten_relevant_documents_are_a_recall_of_0_8() -> None:
    assert mean(judged(10), with_hits_at(10, *range(1, 9)), "Recall@10") == [0.8]


def test_discounted_gain_divides_each_grade_by_the_logarithm_of_its_rank_plus_1() -> None:
    listed = ["b", "x", "a", "c", "d"]
    expected = 1 / np.log2(2) + 2 / np.log2(4)
    assert mean(GRADES, listed, "DCG@4") == pytest.approx([expected], rel=1e-15)


def test_the_ideal_is_over_all_judged_documents_cut_at_k() -> None:
    ideal = 2 / np.log2(2) + 2 / np.log2(3)
    assert mean(GRADES, ["b"], "IDCG@2") == pytest.approx([ideal], rel=1e-15)
    assert mean(GRADES, ["b", "a"], "NDCG@2") == pytest.approx([(1 + 2 / np.log2(3)) / ideal], rel=1e-15)


def test_normalised_gain_is_0_where_the_ideal_is_0() -> None:
    assert mean({"a": 0}, ["a"], "NDCG@5 NDCG Recall@5") == [0.0, 0.0, 0.0]
