"""The ledger in words, in English and in Korean."""

from __future__ import annotations

from dataclasses import replace

import pytest

import truerank as tr
from truerank.contest import judge
from truerank.core.languages import translated
from truerank.core.ledger import RULED
from truerank.core.rules import CHOICES
from truerank.core.scores import Scores
from truerank.present import few, ledger

QRELS = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}}


def scored(**counts: object) -> Scores:
    """Scores of three queries that were all answered, with these counts in their ledger."""
    scores = tr.evaluate(QRELS, {query: ["a"] for query in QRELS}, "AP")
    return replace(scores, ledger=replace(scores.ledger, **counts))  # type: ignore[arg-type]


def korean(texts: list[str]) -> list[str]:
    return [translated(text, "ko") for text in texts]


def under(scores: Scores, **rules: str) -> Scores:
    return replace(scores, rules=scores.rules.replace(**rules))


@pytest.mark.parametrize("rule", RULED)
def test_each_value_of_a_rule_that_the_ledger_names_has_words_in_both_languages(rule):
    assert set(RULED[rule]) == set(CHOICES[rule])
    for said in RULED[rule].values():
        assert said.isascii()
        assert not translated(said, "ko").isascii()


@pytest.mark.parametrize("duplicates", ["first", "once"])
def test_a_document_that_counts_once_counts_where_it_came_first(duplicates):
    scores = under(scored(duplicates=2), duplicates=duplicates)
    assert ledger.remarks(scores) == ["2 rows repeat a document of its query (the first counts)."]
    assert korean(ledger.remarks(scores)) == ["같은 질의에 문서가 되풀이되는 행 2개 (첫 번째만 인정)."]


def test_the_first_examples_are_named_and_the_others_counted():
    scores = scored(missing=1_502, examples={"missing": ("q1", "q2")})
    assert ledger.remarks(scores) == ["1,502 missing (scored 0): q1, q2 and 1,500 more."]
    assert korean(ledger.remarks(scores)) == ["답이 없는 질의 1,502개 (0점): q1, q2 외 1,500개."]


def test_a_run_whose_queries_are_called_otherwise_than_the_judged_ones_is_warned_of():
    first = "Warning: no query of the run is judged; `truerank lint` shows whether the ids are spelled differently."
    lost = tr.evaluate(QRELS, {"q01": ["a"], "q02": ["b"]}, "AP")
    assert ledger.remarks(lost)[0] == first
    assert korean(ledger.remarks(lost))[0].startswith("주의: 런의 질의 중 판정된 것이 하나도 없습니다.")
    others = tr.evaluate(QRELS, {"q01": ["a"], "q2": ["b"]}, "AP"), tr.evaluate(QRELS, {}, "AP")
    assert not any("Warning" in text for scores in others for text in ledger.remarks(scores))


def test_it_is_said_where_leaving_a_query_out_makes_a_mean_better():
    items = {"a": {"popularity": 4}}
    of_some = tr.evaluate(QRELS, {"q1": ["a"]}, "Popularity@1 FallOut(docs=9) AP FirstRank@5", items=items)
    said = [
        "2 missing (scored 0): q2, q3.",
        "FirstRank@5: a missing query does not score 0, but as an empty list does.",
        "Warning: FallOut(docs=9) and Popularity@1: less is better, so that the 0 of a missing query counts as the "
        "best score.",
    ]
    assert ledger.remarks(of_some) == said
    assert tr.check(of_some, max={"Popularity@1": 2}).to_markdown().count("counts as the best score") == 1
    assert not any(text in said for text in korean(ledger.remarks(of_some)))
    left_out = tr.evaluate(QRELS, {"q1": ["a"]}, "Popularity@1", items=items, rules={"missing": "skip"})
    assert ledger.remarks(left_out) == ["2 missing (left out): q2, q3."]


def test_it_is_said_where_a_query_without_a_relevant_document_has_a_score():
    items = {"a": {"popularity": 4}, "b": {"popularity": 1}}
    scores = tr.evaluate({"q": {"a": 0}}, {"q": ["a", "b"]}, "AP Popularity Serendipity@2 FirstRank@5", items=items)
    said = "FirstRank@5 and Popularity: a query without a relevant document has a score all the same."
    assert ledger.remarks(scores) == ["1 without a relevant document (scored 0): q.", said]


def test_it_is_said_where_a_query_that_is_only_answered_in_part_has_a_score():
    in_part = {"q": {"answer": {"born": 0.5, "died": 0}}, "r": {"other": {"born": 1}}}
    scores = tr.evaluate(in_part, {"q": ["answer"], "r": ["other"]}, "all_score strict_all_score nDCG AP NumRet")
    said = "NuggetRecall and nDCG: a query without a relevant document has a score all the same."
    assert ledger.remarks(scores) == ["1 without a relevant document (scored 0): q.", said]
    without = tr.evaluate(in_part, {"q": ["answer"], "r": ["other"]}, "strict_all_score AP NumRet")
    assert ledger.remarks(without) == ["1 without a relevant document (scored 0): q."]


def test_what_the_mean_is_over_is_said_where_that_is_not_all_of_them():
    scores = tr.evaluate(QRELS, {"q1": ["a"]}, "AP", rules={"missing": "skip"})
    assert ledger.counted(scores) == "3 queries judged, 1 answered. The mean is over 1 query."
    assert (
        translated(ledger.counted(scores), "ko")
        == "판정된 질의 3개 중 1개에 답했습니다. 평균은 질의 1개에 대한 것입니다."
    )


def test_of_submitted_lines_judged_queries_are_counted_where_they_are_known_which_is_in_an_audit():
    lines = [("q1", ["a"]), ("q1", ["b"])]
    assert (
        ledger.counted(tr.evaluate(QRELS, lines, "AP", rules="science-qa")) == "The mean is over 2 submitted lines."
    )
    audited = ledger.counted(judge(QRELS, lines))
    assert audited == "3 queries judged, 1 answered. The mean is over 2 submitted lines."


def test_runs_with_the_same_ledger_share_its_sentences():
    one, other = scored(), scored(interleaved=True)
    told = ledger.shared([one, other, one], ["a", "b", "c"])
    assert list(told.values()) == [["a", "c"], ["b"]]


def test_a_contest_s_audit_is_told_in_korean_too():
    scores = judge({1: ["a"], 2: ["b"]}, [{"eval_id": 1, "topk": ["a", "a"]}])
    english = ledger.remarks(scores)
    told = korean(english)
    assert "official 1.0, strict 0.5" in english[0]
    assert english[1:] == [finding.message for finding in scores.audit.findings]
    assert told[1:] == [
        "빠진 id 1개(공식은 제외, 엄격은 0점): 2.",
        "같은 문서를 되풀이한 줄 1개(공식은 매번 인정, 엄격은 한 번): 1번째 줄: a 2번.",
    ]
    assert told[0] == english[0].replace("official", "공식 점수").replace("strict", "엄격 점수")


def test_too_few_queries_are_warned_of_in_both_languages():
    assert few.remarks(1) == ["Warning: 1 query is too few to rely on; take at least 30, better 50."]
    assert few.remarks(2) == ["Warning: 2 queries are too few to rely on; take at least 30, better 50."]
    assert korean(few.remarks(2)) == ["주의: 질의 2개로는 믿기 어렵습니다. 적어도 30개, 되도록 50개를 쓰십시오."]
    assert korean(few.remarks(42)) == ["참고: 질의 42개. 50개 이상이 보통입니다."]
    assert korean(few.remarks(50)) == []


def test_documents_of_which_none_is_judged_are_warned_of_and_one_that_is_takes_the_warning_away():
    qrels = {"q1": {"a": 1}, "q2": {"b": 0}}
    said = "Warning: none of the returned documents is judged; `truerank lint` shows whether the ids are spelled"
    assert said in str(tr.evaluate(qrels, {"q1": ["0"], "q2": ["1"]}, "AP"))
    assert "none of the returned" not in str(tr.evaluate(qrels, {"q1": ["0"], "q2": ["b"]}, "AP"))
    assert "none of the returned" not in str(tr.evaluate(qrels, {"q1": [], "q2": []}, "AP"))
