"""What plain names of measures mean under rules, and how they print, parse and are found again."""

from __future__ import annotations

import json
import pickle
import random
from pathlib import Path

import pytest

import truerank as tr
from truerank.core.rules import Rules, presets
from truerank.core.vocabulary import asked_for, checked, measures_under, resolve, under
from truerank.measures import parse_measure

QRELS = {"1": {"a": 2, "b": 1, "c": 0}, "2": {"d": 1, "e": 1}}
RUN = {"1": {"x": 3.0, "b": 2.0, "a": 1.0}, "2": {"d": 3.0, "y": 2.0}}


@pytest.mark.parametrize(
    ("rules", "asked", "became"),
    [
        ("sentence-transformers", "nDCG@10", "nDCG(gain='binary')@10"),
        ("sentence-transformers", "map_cut_100", "AP(divisor='capped')@100"),
        ("sentence-transformers", "AP", "AP(divisor='capped')@100"),
        ("haystack", "R@10", "SetSuccess(depth=10)"),
        ("haystack", "nDCG@10", "nDCG(depth=10)"),
        ("haystack", "nDCG", "nDCG"),
        ("science-qa", "MAP", "AP(divisor='hits')@3"),
        ("science-qa", "MAP@5", "AP(divisor='hits')@5"),
        ("vpr", "recall@5", "Success@5"),
        ("sklearn", "ndcg", "nDCG(ties='averaged')"),
        ("sklearn", "dcg@5", "DCG(ties='averaged')@5"),
        ("torchmetrics", "RetrievalPrecision", "SetP"),
        ("torchmetrics", "RetrievalRecall", "SetR"),
        ("torchmetrics", "RetrievalHitRate", "SetSuccess"),
        ("torchmetrics", "RetrievalAUROC(top_k=5)", "AUROC@5"),
        ("torchmetrics", "RetrievalFallOut(top_k=5)", "FallOut@5"),
        ("autorag", "retrieval_precision", "SetP"),
        ("autorag", "retrieval_map", "AP(divisor='hits')"),
        ("autorag", "retrieval_mrr", "RR"),
        ("autorag", "retrieval_ndcg", "nDCG(gain='binary', ideal='returned')"),
        ("ranx", "hits@5", "Hits@5"),
        ("ranx", "f1@5", "F@5"),
        ("ranx", "f1", "SetF"),
        ("ranx", "dcg@5", "DCG@5"),
        ("tf-ranking", "hits@5", "SetSuccess(depth=5)"),
        ("tf-ranking", "hits", "SetSuccess"),
        ("tf-ranking", "bpref", "Bpref"),
        ("elliot", "F1@5", "F@5"),
        ("elliot", "F1", "F@10"),
        ("opensearch", "Coverage@5", "Judged@5"),
        ("opensearch-2025", "Coverage@5", "Judged@5"),
        ("replay", "RocAuc@5", "Accuracy(depth=5)"),
        ("xgboost", "pre@5", "P(divisor='returned')@5"),
        ("xgboost", "ndcg", "nDCG(gain='exp')@32"),
        ("xgboost", "pre", "P(divisor='returned')@32"),
        ("spark", "ndcgAtK", "nDCG(gain='binary')@10"),
        ("spark", "meanAveragePrecision", "AP(divisor='capped')"),
        ("elasticsearch", "mean_reciprocal_rank", "RR@10"),
        ("lenskit", "RecipRank@5", "RR@5"),
        ("lightgbm", "mean_average_precision", "AP(divisor='capped')@5"),
        ("pytorch-metric-learning", "mean_average_precision", "AP"),
        ("ir_measures", "ERR@20", "ERR(max_grade=4)@20"),
        ("trec_eval-9", "nDCG@10", "nDCG@10"),
    ],
)
def test_a_plain_name_is_the_reading_of_the_rules(rules: str, asked: str, became: str) -> None:
    named = Rules.named(rules)
    found = resolve(asked, named)
    assert (str(found.measure), found.is_known) == (became, True)
    under = named.replace(missing="skip" if named.unit == "line" else "zero")
    assert list(tr.evaluate(QRELS, RUN, asked, rules=under).mean) == [became]


@pytest.mark.parametrize(
    ("rules", "asked", "became"),
    [
        ("llama-index", "recall", "SetR"),
        ("llama-index", "hit_rate", "SetSuccess"),
        ("llama-index", tr.P, "SetP"),
        ("haystack", "recall", "SetSuccess"),
        ("mlflow", "precision", "P(divisor='returned')@3"),
        ("beir", "R", "R@100"),
        ("beir-custom", "recall", "R(capped=True)@100"),
    ],
)
def test_a_measure_without_its_cutoff_is_what_the_rules_read_it_as(
    rules: str, asked: str | tr.Measure, became: str
) -> None:
    found = resolve(asked, Rules.named(rules))
    assert (str(found.measure), found.is_known) == (became, True)


@pytest.mark.parametrize(
    ("rules", "asked"),
    [("truerank", "recall"), ("ranx", "recall"), ("vpr", "R"), ("haystack", "P"), ("llama-index", tr.P(level=2))],
)
def test_a_cutoff_is_needed_where_the_rules_read_no_name_without_one(rules: str, asked: str | tr.Measure) -> None:
    with pytest.raises(tr.MeasureError, match="needs k"):
        resolve(asked, Rules.named(rules))


@pytest.mark.parametrize(
    ("rules", "asked", "became"),
    [
        ("sentence-transformers", "nDCG(gain='linear')@10", "nDCG(gain='linear')@10"),
        ("sentence-transformers", "AP(divisor='relevant', level=2)@9", "AP(level=2)@9"),
        ("truerank", "nDCG(gain='linear')@10", "nDCG@10"),
        ("beir-custom", "R(capped=False)@5", "R(capped=False)@5"),
    ],
)
def test_what_has_parameters_means_what_it_says(rules: str, asked: str, became: str) -> None:
    assert str(under(asked, Rules.named(rules))) == became


def test_both_readings_of_a_name_can_be_asked_for_at_once() -> None:
    text = "nDCG@10 nDCG(gain='linear')@10"
    scores = tr.evaluate(QRELS, RUN, text, rules="sentence-transformers")
    linear = tr.evaluate(QRELS, RUN, "nDCG@10").mean["nDCG@10"]
    assert scores.mean["nDCG(gain='linear')@10"] == linear != scores.mean["nDCG@10"]
    assert list(tr.evaluate(QRELS, RUN, text).mean) == ["nDCG@10"]


@pytest.mark.parametrize("name", presets())
def test_what_a_name_became_is_itself_under_the_same_rules_however_it_travels(name: str) -> None:
    rules = Rules.named(name)
    for word in ("R@10", "P@10", "AP", "AP@10", "RR", "nDCG@10", "nDCG(gain='linear')@10", "AP(divisor='hits')@3"):
        became = under(word, rules)
        assert under(became, rules) == under(str(became), rules) == became
        assert pickle.loads(pickle.dumps(became)) == became
        asked = pickle.loads(pickle.dumps(parse_measure(word)))
        assert under(asked, rules) == became


def test_no_preset_is_known_by_its_name(tmp_path: Path) -> None:
    """A copy, an extension and the fields by themselves read as the preset does."""
    copy, extended = tmp_path / "copy.toml", tmp_path / "mine.toml"
    for name in presets():
        rules = Rules.named(name)
        copy.write_text(rules.to_toml())
        extended.write_text(f'extends = "{name}"\nmeasures = ["RR"]\n')
        for other in (Rules.of(copy), Rules.of(extended), Rules.from_dict({**rules.to_dict(), "name": "x"})):
            assert other.is_like(rules)
            for word in ("R@5", "P@5", "AP", "AP@5", "RR@5", "nDCG", "nDCG@5", "Rprec"):
                assert resolve(word, other) == resolve(word, rules), (name, word)


YES_OR_NO = [
    *("recbole", "rectools", "replay", "recommenders", "lenskit", "spark", "sentence-transformers"),
    *("llama-index", "autorag", "mlflow"),
]


@pytest.mark.parametrize("name", YES_OR_NO)
def test_all_measures_of_tools_that_know_yes_and_no_ask_for_the_level(name: str) -> None:
    rng = random.Random(name)
    for level in (1, 2, 4):
        rated = {
            f"q{q}": {doc: rng.choice([0, 0.5, 1, 2, 3.5, 4, 5]) for doc in "abcdefgh"} | {"i": 5} for q in range(9)
        }
        listed = {query: rng.sample("abcdefghij", 6) for query in rated}
        relevant = {query: {d: int(grade >= level) for d, grade in docs.items()} for query, docs in rated.items()}
        rules = Rules.named(name)
        assert tr.evaluate(rated, listed, rules=rules.replace(level=level)).mean == pytest.approx(
            tr.evaluate(relevant, listed, rules=rules).mean, rel=0, abs=1e-12
        )


def test_what_gains_may_be_said_of_grades_that_are_yes_or_no() -> None:
    rated, listed = {"q": {"a": 5, "b": 2}}, {"q": ["b", "a"]}
    asked = [f"nDCG(gain='binary', gain_from={least})@1" for least in (0, 1, 5)]
    found = tr.evaluate(rated, listed, asked, rules=Rules.named("recbole").replace(level=4))
    assert (list(found.mean.values()), found.ledger.foreign) == ([1.0, 1.0, 0.0], ())


@pytest.mark.parametrize("name", ["recommenders", "rectools", "replay", "lenskit", "recbole"])
def test_half_a_star_is_relevant_to_tools_of_which_every_row_of_a_table_is(name: str) -> None:
    rated, listed = {"u": {"a": 0.5, "b": 0, "c": 3}, "v": {"d": 0.01}}, {"u": ["b", "a"], "v": ["d"]}
    scores = tr.evaluate(rated, listed, "P@1 R@2", rules=name)
    assert (scores["P@1"].tolist(), scores["R@2"].tolist()) == ([0, 1], [0.5, 1])
    assert scores.ledger.without_relevant == 0


def test_a_level_that_nothing_reaches_leaves_nothing_to_divide_by() -> None:
    rules = Rules(level=4, without_relevant="undefined")
    found = tr.evaluate(
        {"q": {"a": 3}, "r": {"a": 4}}, {"q": ["a"], "r": ["a"]}, "nDCG(gain='binary') R@1", rules=rules
    )
    assert found.mean == {"nDCG(gain='binary')": 1.0, "R@1": 1.0}


def test_bounds_and_explanations_ask_for_the_level_of_yes_or_no() -> None:
    rated, listed = {"q": {"a": 5, "b": 2, "c": 4}}, {"q": ["b", "x", "a"]}
    rules = Rules.named("recbole").replace(level=4)
    relevant = {"q": {"a": 1, "b": 0, "c": 1}}
    bounds = tr.bounds(rated, listed, "nDCG@3", rules=rules).to_dict()["unjudged"]
    assert bounds == tr.bounds(relevant, listed, "nDCG@3", rules="recbole").to_dict()["unjudged"]
    explained = tr.explain(rated, listed, query="q", measure="nDCG@3", rules=rules)
    assert explained.value == pytest.approx(0.3066, abs=1e-4)
    assert "Relevant is a grade of 4 or better." in explained.to_text()


def test_a_level_is_told_with_all_of_its_digits() -> None:
    """0.5 is not relevant to LightGBM and CatBoost, though "0.5 or better" would say so."""
    half, run = {"q": {"a": 0.5}}, {"q": ["a"]}
    by_level = {"catboost": "0.5000000000000001", "rectools": "5e-324"}
    for name, level in by_level.items():
        explained = tr.explain(half, run, query="q", measure="P@1", rules=name).to_text()
        assert f"Relevant is a grade of {level} or better." in explained
    explained = tr.explain(half, run, query="q", measure="nDCG@1", rules="catboost").to_text()
    assert "No document of grade 0.5000000000000001 or better is relevant to this query." in explained
    assert "weighs every grade, not only 0.5000000000000001 or better." in explained


def test_readings_are_added_to_those_that_are_extended() -> None:
    mine = Rules.named("haystack").replace(readings={"map": "AP(divisor='capped')@k"})
    assert [str(m) for m in measures_under("AP@5 nDCG@5", mine)] == ["AP(divisor='capped')@5", "nDCG(depth=5)"]


def test_a_reading_may_lead_to_another_but_not_in_a_circle() -> None:
    chain = Rules(readings=(("R", "Success@k"), ("Success", "SetSuccess(depth=k)")))
    assert str(under("recall@5", chain)) == "SetSuccess(depth=5)"
    with pytest.raises(tr.RulesError, match=r"go in a circle: P@5, R@5, P@5"):
        under("P@5", Rules(readings=(("R", "P@k"), ("P", "R@k"))))


@pytest.mark.parametrize(
    ("readings", "message"),
    [
        ({"NDGC": "nDCG@k"}, "readings: unknown measure 'NDGC'. Did you mean nDCG"),
        ({"relative_P": "R@k"}, "readings: relative_P is R with capped; a name alone is needed"),
        ({"RR": "NDGC@k"}, "custom: readings: RR: unknown measure 'NDGC'. Did you mean nDCG"),
        ({"RR": "AP(divisr='k')@k"}, "readings: RR: AP has no parameter 'divisr'; .* Did you mean divisor"),
    ],
)
def test_readings_that_name_nothing_are_refused(readings: dict[str, str], message: str) -> None:
    for asked in ("AP", "AP(level=2)"):
        with pytest.raises(tr.RulesError, match=message):
            tr.evaluate(QRELS, RUN, asked, rules={"readings": readings})


def test_measures_of_rules_that_name_nothing_are_refused_though_others_are_asked_for() -> None:
    with pytest.raises(tr.RulesError, match=r"custom: measures: unknown measure 'NDGC'\. Did you mean nDCG"):
        tr.evaluate(QRELS, RUN, "AP", rules={"measures": ["AP", "NDGC@10"]})


def test_all_that_presets_say_of_measures_can_be_read() -> None:
    assert all(checked(rules) is rules for rules in map(Rules.named, presets()))


def test_rules_may_name_a_share_of_the_gallery() -> None:
    rules = Rules(measures=("R@1%",))
    assert checked(rules) is rules


@pytest.mark.parametrize("readings", [3, ["AP"], {"AP": 3}])
def test_readings_are_a_table_of_texts(readings: object) -> None:
    with pytest.raises(tr.RulesError, match="readings is a table of measures by their names"):
        Rules.from_dict({"readings": readings})


def test_measures_that_the_rules_do_not_have_are_in_the_ledger_and_under_the_table() -> None:
    scores = tr.evaluate(QRELS, RUN, "RR@3 nDCG@3 AP@3", rules="sklearn")
    assert scores.ledger.foreign == ("RR@3", "AP@3")
    assert scores.ledger.to_dict()["foreign"] == ["RR@3", "AP@3"]
    assert "foreign" not in tr.evaluate(QRELS, RUN, "RR@3").ledger.to_dict()
    from truerank.present.scores import Shape, render

    said = "Not among the measures of the rules sklearn, so read as truerank reads them: RR@3 and AP@3."
    assert said in render([scores], "table", Shape())


def test_scores_answer_to_what_was_asked_and_to_every_spelling() -> None:
    scores = tr.evaluate(QRELS, RUN, "nDCG@10 map", rules="sentence-transformers")
    name = "nDCG(gain='binary')@10"
    assert scores.asked == {"nDCG@10": name, "map": "AP(divisor='capped')@100"}
    assert scores["nDCG@10"] is scores[name] is scores["ndcg_cut_10"] is scores[parse_measure("nDCG@10")]
    assert scores.mean["ndcg_cut_10"] == scores.mean[name]
    assert scores.per_query()["1"]["map"] == scores["AP"][0]
    assert ("map" in scores.mean, "RR" in scores.mean, scores.mean.get("RR")) == (True, False, None)
    with pytest.raises(KeyError, match="RR"):
        scores.mean["RR"]
    assert pickle.loads(pickle.dumps(scores)).mean["map"] == scores.mean["map"]


def test_columns_are_headed_as_they_were_written() -> None:
    pytest.importorskip("polars")
    pytest.importorskip("pandas")
    scores = tr.evaluate(QRELS, RUN, "Rank-1 mAP P@1,3", as_written=True)
    assert list(scores.mean) == ["Rank-1", "mAP", "P@1", "P@3"]
    assert list(scores.per_query()["1"]) == list(scores.mean)
    assert scores.mean["AP"] == scores.mean["mAP"]
    assert scores.to_dict()["asked"] == {"Rank-1": "Success@1", "mAP": "AP"}
    assert scores.to_polars().columns == ["query", *scores.mean]
    assert list(scores.to_pandas().columns) == list(scores.mean)
    assert json.loads(json.dumps(scores.to_dict(per_query=True)))["mean"] == scores.mean


def test_saved_scores_are_checked_by_what_the_names_became(tmp_path: Path) -> None:
    how = {"rules": "sentence-transformers", "as_written": True}
    saved = tmp_path / "scores.json"
    saved.write_text(json.dumps(tr.evaluate(QRELS, RUN, "map nDCG@10", **how).to_dict(per_query=True)))
    now = tr.evaluate(QRELS, RUN, "nDCG@10 map", rules="sentence-transformers")
    found = tr.check(saved, min={"nDCG@10": 0.1, "AP@100": 0.1}, no_worse_than=now)
    assert [verdict.name for verdict in found.verdicts[:2]] == [
        "nDCG(gain='binary')@10",
        "AP(divisor='capped')@100",
    ]
    assert found.outcome == "pass"


def test_what_was_asked_for_is_kept_word_by_word() -> None:
    asked = asked_for(["map", " P@5 ", parse_measure("RR")], Rules())
    assert {word: str(m) for word, m in asked.items()} == {"map": "AP", "P@5": "P@5", "RR": "RR"}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("AP@3", "one never found counts 0"),
        ("AP(divisor='hits')@3", "one never found is left out"),
        ("AP(divisor='hits', depth=3)", "Of the first 3 results only."),
        ("P@3", "a short list is not excused"),
        ("P(divisor='returned')@3", "or of those there are"),
        ("AP(divisor='k')@3", "by the cutoff"),
        ("NuggetRecall(strict=True)", "supports in full"),
        ("strict_vital_score", "supports in full"),
        ("vital_score", "the vital nuggets"),
        ("alpha_DCG(best='none')@3", "added over the aspects"),
        ("ERR_IA(best='intents')@3", "on average over aspects"),
        ("GAP@3", "the first, or k, of each query"),
    ],
)
def test_the_sentence_of_a_measure_depends_on_its_parameters(text: str, sentence: str) -> None:
    assert sentence in parse_measure(text).meaning


def test_every_meaning_is_of_a_value_that_the_parameter_can_have() -> None:
    for definition in tr.measures().values():
        for sense, sentence in definition.meanings.items():
            key, _, value = sense.partition("=")
            at = "@3" if "k" in definition.parameters else ""
            written = value if value in ("True", "False") else repr(value)
            assert parse_measure(f"{definition.name}({key}={written}){at}").meaning == sentence


def test_the_board_says_of_the_contest_s_measure_what_is_true_of_it() -> None:
    pytest.importorskip("fastapi")
    from truerank.board.pages.rules import measure_in_words
    from truerank.core.languages import translated

    for measure in ("AP(divisor='hits')@3", "AP(divisor='hits', depth=3)"):
        meaning = measure_in_words(measure)
        assert "one never found counts 0" not in meaning
        korean = translated(meaning, "ko")
        assert korean != meaning
        assert "0입니다" not in korean


def test_a_name_means_what_is_registered_now() -> None:
    rules = Rules(readings=(("AP", "Other"),))
    for function in (lambda hits: hits.count.astype(float), lambda hits: hits.returned.astype(float)):
        tr.measure("Other", average="sum", unit=False)(function)
        try:
            mean = [tr.evaluate(QRELS, RUN, word, rules=rules).mean for word in ("AP", "Other")]
            assert mean == [{"Other": float(function(tr.rank(QRELS, RUN)).sum())}] * 2
        finally:
            tr.unregister("Other")
    for word in ("AP", "Other"):
        with pytest.raises(tr.TruerankError):
            tr.evaluate(QRELS, RUN, word, rules=rules)


def test_what_the_rules_read_a_name_as_is_among_their_measures() -> None:
    rules = Rules.from_dict({"name": "own", "vocabulary": "readings", "readings": {"recall": "Success@k"}})
    scores = tr.evaluate(QRELS, RUN, "recall@3 RR@3", rules=rules)
    assert (list(scores.mean), scores.ledger.foreign) == (["Success@3", "RR@3"], ("RR@3",))
