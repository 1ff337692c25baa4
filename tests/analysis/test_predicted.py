"""Few human judgements, many by a model: the estimate of a run, compared, checked, and what is refused."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import truerank as tr
from truerank import stats
from truerank.present.predicted import remarks_of

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "predicted"
PEOPLE, MODEL = EXAMPLES / "people.qrels", EXAMPLES / "model.qrels"
BM25, DENSE = EXAMPLES / "bm25.run", EXAMPLES / "dense.run"
MEASURES = "nDCG@5 AP"


@pytest.fixture(scope="module")
def both():
    return {run.stem: tr.predicted(PEOPLE, MODEL, run, MEASURES, sample="random") for run in (BM25, DENSE)}


def of_world(judged=range(0, 60, 3), *, queries=60, seed=1):
    """People's and a model's qrels, and a run."""
    rng = np.random.default_rng(seed)
    model = {f"q{n}": {f"d{i}": int(rng.random() < 0.4) for i in range(6)} for n in range(queries)}
    people = {f"q{n}": {d: int(rng.random() < 0.8) * g for d, g in model[f"q{n}"].items()} for n in judged}
    run = {query: [f"d{i}" for i in rng.permutation(6)] for query in model}
    return people, model, run


def test_an_estimate_is_that_of_the_scores_by_each(both):
    found = both["bm25"]
    people, model = (tr.evaluate(qrels, BM25, MEASURES) for qrels in (PEOPLE, MODEL))
    places = [list(model.queries).index(query) for query in people.queries]
    for measure in ("nDCG@5", "AP"):
        by_hand = stats.predicted_means(people[measure][:, None], model[measure][:, None], places)[0]
        assert found[measure] == by_hand
        assert found[measure].judged.estimate == pytest.approx(people.mean[measure])
        assert found[measure].predicted == pytest.approx(model.mean[measure])
    assert found["ndcg@5"] is found["nDCG@5"]


def test_scores_stand_in_place_of_qrels_and_run(both):
    people, model = (tr.evaluate(qrels, BM25, MEASURES) for qrels in (PEOPLE, MODEL))
    assert dict(tr.predicted(people, model, sample="random")) == dict(both["bm25"])


def test_a_comparison_has_the_estimates_and_their_differences(both):
    compared = tr.compare(None, both, baseline="bm25")
    between = both["dense"].against(both["bm25"])
    for outcome in compared.outcomes:
        pair = outcome.pairs[0]
        assert outcome.means["dense"] == both["dense"][outcome.measure].interval
        assert (pair.difference, pair.p) == (between[outcome.name].interval, between[outcome.name].p)
        judged = both["dense"].people[outcome.measure] - both["bm25"].people[outcome.measure]
        assert (pair.wins, pair.losses) == ((judged > 1e-12).sum(), (judged < -1e-12).sum())
        assert pair.effect == pytest.approx(judged.mean() / judged.std(ddof=1))
    assert compared.procedure.test == "prediction-powered"
    assert "prediction-powered t-test" in str(compared)
    assert json.loads(json.dumps(compared.to_dict()))["predictions"]["dense"]["judged"] == 30


@pytest.mark.parametrize(
    ("others", "told"),
    [
        (0, "is the same on all judged queries, as where people and model agree on all of them; the interval may"),
        (1, "is the same on all judged queries but 1; the interval may"),
        (3, "is the same on all judged queries but 3; the interval may"),
    ],
)
def test_a_model_that_is_hardly_ever_wrong_is_told(others, told):
    _, model, run = of_world()
    people = {query: model[query] for query in list(model)[::3]}
    for query in list(people)[:others]:
        people[query] = {doc: 1 - grade for doc, grade in people[query].items()}
    text = str(tr.predicted(people, model, run, "AP", sample="random"))
    assert f"Warning: AP: people's score, or the model's error, {told} be too short." in text


def test_p_of_pairs_are_corrected_for_their_number(both):
    three = {**both, "other": tr.predicted(PEOPLE, MODEL, DENSE, MEASURES, sample="random", rules={"depth": None})}
    outcome = tr.compare(None, three)["AP"]
    p = [pair.p for pair in outcome.pairs]
    assert [pair.adjusted for pair in outcome.pairs] == pytest.approx(stats.adjust(p, "holm").tolist())
    assert outcome.pair("other", "dense").p == 1
    assert outcome.groups


def test_a_check_is_decided_by_the_estimate(both):
    found = both["dense"]["AP"].interval
    checked = tr.check(
        both["dense"], min={"AP": found.low - 0.01}, no_worse_than=both["bm25"], margin=0.01, sure=True
    )
    limit, baseline = checked.verdicts
    assert (limit.outcome, limit.value, limit.interval) == ("pass", found.estimate, found)
    between = both["dense"].against(both["bm25"])["AP"].interval
    assert (baseline.value, baseline.interval, baseline.queries) == (between.estimate, between, 30)
    assert baseline.outcome == ("pass" if between.low >= -0.01 else "undecided")
    assert tr.check(both["dense"], min={"AP": found.high + 0.01}, sure=True).outcome == "fail"
    narrow = tr.check(both["dense"], min={"AP": found.low + 0.01}, sure=True, confidence=0.6)
    assert narrow.verdicts[0].interval.confidence == 0.6


def test_the_sample_must_be_said_to_be_random():
    people, model, run = of_world()
    with pytest.raises(tr.InputError, match="how were the queries chosen"):
        tr.predicted(people, model, run, "AP")


def test_the_first_queries_are_said_to_be_no_random_sample():
    people, model, run = of_world(range(15))
    found = tr.predicted(people, model, run, "AP", sample="random")
    assert found.signs[0].first
    json.dumps(found.to_dict(), allow_nan=False)
    assert "the first 15 queries in the order of their ids" in str(found)


def test_the_last_queries_are_said_to_look_like_no_random_sample():
    people, model, run = of_world(range(36, 60))
    said = "the place of ids in their order, from 0 to 1, is 0.805 on average there, and 0.297 on the others"
    assert f"{said} (p = 1e-10)" in " ".join(remarks_of(tr.predicted(people, model, run, "AP", sample="random")))


def test_the_order_of_ids_is_that_of_their_numbers_however_long_these_are():
    people, model, run = ({"1" * 5000 + query: docs for query, docs in one.items()} for one in of_world(range(15)))
    assert tr.predicted(people, model, run, "AP", sample="random").signs[0].first


def test_queries_that_were_chosen_by_score_are_seen_and_their_probabilities_explain_them():
    _, model, run = of_world(queries=300)
    scores = tr.evaluate(model, run, "AP")
    likely = {q: 0.05 + 0.5 * v for q, v in zip(scores.queries, scores["AP"].tolist(), strict=True)}
    rng = np.random.default_rng(2)
    people = {query: model[query] for query, chance in likely.items() if rng.random() < chance}
    assert [s.what for s in tr.predicted(people, model, run, "AP", sample="random").signs] == ["AP"]
    weighted = tr.predicted(people, model, run, "AP", sample=likely)
    assert weighted.signs == ()
    assert "drawn with the probabilities given" in str(weighted)
    truth = scores.mean["AP"]
    assert weighted["AP"].interval.low <= truth <= weighted["AP"].interval.high


def test_random_samples_are_seldom_suspected():
    suspected = 0
    for seed in range(200):
        judged = np.random.default_rng(seed).permutation(60)[:20]
        suspected += bool(tr.predicted(*of_world(judged), "AP", sample="random").signs)
    assert suspected <= 6


def test_queries_to_judge_next_are_drawn_from_those_that_are_left(both):
    found = both["bm25"]
    drawn = found.next_to_judge(10, seed=3)
    assert len(set(drawn)) == 10
    assert not set(drawn) & set(found.people.queries)
    assert drawn == found.next_to_judge(10, seed=3) != found.next_to_judge(10, seed=4)
    assert set(found.next_to_judge(90)) == set(found.queries) - set(found.people.queries)


def test_queries_beyond_the_predicted_ones_are_refused_by_name():
    people, model, run = of_world()
    with pytest.raises(tr.InputError, match=r"2 queries that the model did not \(x1, x2\)"):
        tr.predicted({**people, "x1": {"d1": 1}, "x2": {"d1": 1}}, model, run, "AP", sample="random")
    with pytest.raises(tr.InputError, match="no query in common"):
        tr.predicted({"x1": {"d1": 1}}, model, run, "AP", sample="random")


def test_no_estimate_lies_beyond_what_a_measure_can_be():
    rng = np.random.default_rng(3)
    model = {f"q{n}": {f"d{i}": 1 for i in range(3)} for n in range(60)}
    run = {query: [f"d{i}" for i in range(3)] for query in model}
    people = {f"q{n}": {"d0": 1, "d1": int(rng.random() < 0.9), "d2": int(n > 0)} for n in range(0, 60, 9)}
    found = tr.predicted(people, model, run, "P@3 SetF", sample="random")
    for one in found.values():
        assert 0 <= one.interval.low <= one.interval.estimate <= one.interval.high <= 1
        assert 0 <= one.judged.low <= one.judged.high <= 1
    beyond = stats.predicted_means(found.people["P@3"][:, None], found.model["P@3"][:, None], found.places)[0]
    assert beyond.interval.high > 1
    assert tr.compare(None, [found])["P@3"].means["run"] == found["P@3"].interval


def test_where_people_judged_all_nothing_is_said_of_the_models_errors():
    _, model, run = of_world()
    same = tr.predicted(model, model, run, "AP", sample="random")
    assert "the commonest one" not in str(same)
    assert "the model adds nothing" in str(same)


def test_probabilities_that_the_sample_cannot_have_are_seen():
    people, model, run = of_world()
    with pytest.raises(tr.InputError, match=r"40 queries have the probability 1, .* \(q1,"):
        tr.predicted(people, model, run, "AP", sample=dict.fromkeys(model, 1))
    found = tr.predicted(people, model, run, "AP", sample=dict.fromkeys(model, 0.01))
    assert [sign.what for sign in found.signs] == ["size"]
    assert "people judged 20 queries, where these probabilities make about 0.6" in str(found)
    assert tr.predicted(people, model, run, "AP", sample=dict.fromkeys(model, 0.3)).signs == ()


def test_scores_of_different_runs_are_warned_of():
    people, model = tr.evaluate(PEOPLE, BM25, "AP"), tr.evaluate(MODEL, DENSE, "AP")
    found = tr.predicted(people, model, sample="random")
    assert "is this one run?" in str(found)
    assert "is this one run?" in str(tr.check(found, min={"AP": 0.1}))
    with pytest.raises(tr.InputError, match="scores already: leave out the run"):
        tr.predicted(people, model, BM25, sample="random")


@pytest.mark.parametrize("sample", [0.25, [0.5, 0.5], 1, True])
def test_a_sample_is_a_word_probabilities_or_their_file(sample):
    with pytest.raises(tr.InputError, match="how were the queries chosen"):
        tr.predicted(*of_world(), "AP", sample=sample)


@pytest.mark.parametrize("n", [0, 91, 1.5])
def test_no_more_queries_are_drawn_than_are_left(both, n):
    with pytest.raises(tr.InputError, match="90 queries left to judge: no"):
        both["bm25"].next_to_judge(n)


@pytest.mark.parametrize("other", [None, "bm25", 0.5])
def test_an_estimate_is_held_against_another_alone(both, other):
    with pytest.raises(tr.InputError, match="held against another"):
        both["bm25"].against(other)


def test_documents_that_only_one_of_both_judged_are_counted():
    people, model, run = of_world()
    people["q0"] = {"d0": 1, "new": 1}
    found = tr.predicted(people, model, run, "AP", sample="random")
    assert (found.unpredicted, found.unseen) == (1, 5)
    assert "people judged 1 document that the model did not" in str(found)
    assert "did not judge 5 documents that the model judged" in str(found)
    people["q0"] = {"d0": 1, **{f"d{i}": -1 for i in range(1, 6)}}  # pooled, and not judged
    assert tr.predicted(people, model, run, "AP", sample="random").unseen == 5


def test_aspects_that_only_one_of_both_judged_are_counted():
    model = {f"q{n}": {"x": {"born": 1, "died": n % 2, "prize": 0.5}} for n in range(40)}
    people = {f"q{n}": {"x": {"born": 1, "died": n % 3 > 0}} for n in range(0, 40, 2)}
    run = {query: ["x"] for query in model}
    found = tr.predicted(people, model, run, "NuggetRecall", sample="random")
    assert (found.unpredicted, found.unseen, found.is_by_aspect) == (0, 20, True)
    assert "did not judge 20 aspects of documents that the model judged" in str(found)


def test_one_judged_query_has_an_estimate_and_no_interval():
    people, model, run = of_world([7])
    found = tr.predicted(people, model, run, "AP", sample="random")
    assert found["AP"].interval.estimate == pytest.approx(found.people.mean["AP"])
    assert found["AP"].interval.method == "none"
    assert "unknown" in str(found)
    assert "Warning: people judged 1 query; below 20 nothing is promised" in str(found)
    assert tr.check(found, min={"AP": 0.1}, sure=True).outcome == "undecided"


def test_constant_values_are_said_to_say_nothing():
    _, model, run = of_world()
    people = {f"q{n}": dict.fromkeys(model[f"q{n}"], 0) for n in range(0, 60, 3)}
    found = tr.predicted(people, model, run, "AP", sample="random")
    assert found["AP"].interval.method == "constant"
    assert "AP: all values are equal" in str(found)


@pytest.mark.parametrize("rules", ["trec_eval-10", {"without_relevant": "undefined"}])
def test_rules_that_leave_queries_out_by_one_of_both_are_refused(rules):
    people, model, run = of_world()
    people["q0"] = dict.fromkeys(people["q0"], 0)
    model["q0"]["d0"] = 1
    if tr.Rules.of(rules).without_relevant == "zero":
        assert tr.predicted(people, model, run, "AP", sample="random", rules=rules)["AP"].n == 20
        return
    with pytest.raises(tr.TruerankError, match="without_relevant = zero"):
        tr.predicted(people, model, run, "AP", sample="random", rules=rules)


@pytest.mark.parametrize("measure", ["NumRel", "GMAP", "microAP"])
def test_what_is_no_plain_mean_is_refused(measure):
    people, model, run = of_world()
    scored = {query: {doc: -rank for rank, doc in enumerate(docs)} for query, docs in run.items()}
    with pytest.raises(tr.MeasureError, match="no plain mean"):
        tr.predicted(people, model, scored, measure, sample="random")


@pytest.mark.parametrize("measure", ["ERR", "INSQ", "PFound", "RBP(gain='graded')"])
def test_a_scale_that_ends_at_the_highest_grade_has_to_be_the_same_by_both(measure):
    people, model, run = of_world()
    model["q1"]["d0"] = 4
    with pytest.raises(tr.MeasureError, match="which is 1 by people's judgements and 4 by the model's"):
        tr.predicted(people, model, run, measure, sample="random")
    model["q1"]["d0"] = 1
    assert tr.predicted(people, model, run, measure, sample="random").people.measures


@pytest.mark.parametrize(
    "measure",
    [
        *("ERR(max_grade=4)", "INSQ(gain='binary')", "PFound(chance={1: 0.5})", "RBP"),
        *("RBP(gain='graded', max_grade=4)", "RBP(gain='scaled')"),
    ],
)
def test_people_that_say_what_the_model_says_score_the_same_whatever_others_have(measure):
    _, model, run = of_world()
    model["q1"]["d0"] = 4
    people = {query: model[query] for query in list(model)[::3]}
    found = tr.predicted(people, model, run, measure, sample="random")
    assert found.people.columns[measure].tolist() == found.model.columns[measure][found.places].tolist()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"q1": None}, "query q1 is None"),
        ({"q1": 0}, "query q1 is 0"),
        ({"q1": 1.5}, "query q1 is 1.5"),
        ({"q1": "often"}, "query q1 is 'often'"),
    ],
)
def test_probabilities_are_numbers_above_0_and_up_to_1_for_each_query(change, said):
    people, model, run = of_world()
    with pytest.raises(tr.InputError, match=said):
        tr.predicted(people, model, run, "AP", sample=dict.fromkeys(model, 0.3) | change)
    with pytest.raises(
        tr.InputError, match=r"59 queries have no probability \(q1, q10, q11, q12, q13 and 54 more\)"
    ):
        tr.predicted(people, model, run, "AP", sample={"q0": 0.3})


def test_systems_must_be_judged_alike(both):
    other = tr.predicted(*of_world(), MEASURES, sample="random")
    with pytest.raises(tr.InputError, match="not of the same queries"):
        tr.compare(None, {**both, "other": other})
    with pytest.raises(tr.InputError, match="and this one is not"):
        tr.compare(MODEL, {**both, "plain": BM25}, MEASURES)
    with pytest.raises(tr.InputError, match="and this one is not"):
        tr.check(both["dense"], no_worse_than=tr.evaluate(MODEL, BM25, MEASURES))


@pytest.mark.parametrize("how", [{"test": "t"}, {"correction": "max-t"}, {"by": {"t001": "x"}}])
def test_other_tests_and_slices_are_refused(both, how):
    with pytest.raises(tr.InputError):
        tr.compare(None, both, **how)


def test_it_becomes_tables_of_every_kind(both):
    found = both["bm25"]
    assert found.to_pandas()["estimate"].tolist() == [m.interval.estimate for m in found.values()]
    assert found.to_polars().shape == found.to_arrow().shape == (2, 14)
    assert "booktabs" not in found.to_latex()
    assert "<table" in found._repr_html_()
    assert repr(found).startswith("Predicted(")


@pytest.mark.parametrize("judged", [1, 2, 5, 6, 20])
def test_differences_without_a_spread_are_as_sure_as_the_judged_queries_are_many(judged):
    model = {f"q{n:02}": {"a": 1} for n in range(40)}
    people = {query: model[query] for query in list(model)[::2][:judged]}
    lists = {"A": ["a"], "B": ["x", "a"]}
    estimates = {
        name: tr.predicted(people, model, dict.fromkeys(model, docs), "RR", sample="random")
        for name, docs in lists.items()
    }
    found = tr.compare(None, estimates)
    pair = found["RR"].pair("B", "A")
    assert pair.p == min(1, 2 * 0.5**judged)
    assert math.isnan(pair.detectable)
    assert math.isnan(pair.effect) if judged == 1 else pair.effect == -math.inf
    assert found["RR"].beaten["A"] == (("B",) if judged >= 6 else ())
    assert pair.difference.method == ("constant" if judged >= 6 else "none")
    assert "only 0 queries" not in str(found)
    assert ("p is that of the sign test" in str(found)) == (judged > 1)


def test_nobody_is_better_by_so_few_judged_queries_that_there_is_no_interval():
    model = {f"q{n:02}": {"a": 1} for n in range(40)}
    some = {query: ["x", "a"] if n % 3 else ["a"] for n, query in enumerate(model)}
    lists = {"A": {query: ["a"] for query in model}, "C": some}
    for judged in (3, 4, 5, 6):
        people = {query: model[query] for query in list(model)[:judged]}
        estimates = {name: tr.predicted(people, model, run, "RR", sample="random") for name, run in lists.items()}
        found = tr.compare(None, estimates)["RR"]
        assert (found.pairs[0].difference.method == "none") == (judged < 6)
        assert (found.pairs[0].p > 0.05) == (judged < 6)


@pytest.mark.parametrize("chance", ["0_1", 0, 1.5, "x", None])
def test_a_probability_that_is_none_is_refused(chance):
    people, model, run = of_world()
    with pytest.raises(tr.InputError, match="the probability of query q0 is"):
        tr.predicted(people, model, run, "AP", sample={**dict.fromkeys(model, 0.5), "q0": chance})


def test_two_runs_without_a_measure_in_common_are_refused():
    people, model, run = of_world()
    one, other = (tr.predicted(people, model, run, name, sample="random") for name in ("AP", "RR"))
    with pytest.raises(tr.MeasureError, match="have no measure in common that can be compared"):
        one.against(other)
