"""Judges held against one another: overlap, agreement by query, systems by each judge, and what cannot be said."""

from __future__ import annotations

import itertools
import json
import random
import statistics
from typing import Any

import numpy as np
import pytest

import truerank as tr
from truerank import stats
from truerank.core.qrels import Qrels
from truerank.present.judges import document_of, figures, remarks_of
from truerank.present.renderers import FORMATS

QUERIES = [f"q{number:02}" for number in range(60)]
DOCS = [f"d{number}" for number in range(8)]

Grades = dict[str, dict[str, int]]


def judge(seed: int, *, noise: float = 0.3, missing: float = 0.0, top: int = 3) -> Grades:
    """Grades that all judges of this kind see alike but for noise."""
    true = np.random.default_rng(0).choice(4, (len(QUERIES), len(DOCS)), p=[0.5, 0.2, 0.2, 0.1])
    rng = np.random.default_rng(seed)
    other = rng.integers(4, size=true.shape)
    grades = np.minimum(np.where(rng.random(true.shape) < noise, other, true), top)
    kept = rng.random(true.shape) >= missing
    return {
        query: {doc: int(grade) for doc, grade, is_kept in zip(DOCS, row, keep, strict=True) if is_kept}
        for query, row, keep in zip(QUERIES, grades.tolist(), kept.tolist(), strict=True)
    }


def run(seed: int, skill: float) -> dict[str, list[str]]:
    """Lists that follow the true grades the more, the more skill."""
    true = np.random.default_rng(0).choice(4, (len(QUERIES), len(DOCS)), p=[0.5, 0.2, 0.2, 0.1])
    rng = np.random.default_rng(seed)
    scores = skill * true + rng.normal(size=true.shape)
    return {q: [DOCS[i] for i in np.argsort(-row)] for q, row in zip(QUERIES, scores, strict=True)}


EXPERT, CROWD, MODEL = judge(1), judge(2, noise=0.5, missing=0.2), judge(3, missing=0.4)
RUNS = {f"s{n}": run(n, skill) for n, skill in enumerate((0.2, 0.25, 0.3, 0.8, 1.5))}


def shared(one: Grades, other: Grades) -> dict[str, list[tuple[int, int]]]:
    pairs = {q: [(grade, other[q][d]) for d, grade in one[q].items() if d in other[q]] for q in one if q in other}
    return {query: found for query, found in pairs.items() if found}


def test_the_agreement_of_two_is_that_of_the_documents_that_both_have_judged() -> None:
    found = tr.judges({"expert": EXPERT, "crowd": CROWD}, samples=200).pair("expert", "crowd")
    pairs = shared(EXPERT, CROWD)
    flat = [pair for own in pairs.values() for pair in own]
    a, b = zip(*flat, strict=True)
    assert (found.both, found.only_first, found.only_second) == (len(flat), 480 - len(flat), 0)
    assert found.confusion == tuple(tuple(flat.count((i, j)) for j in range(4)) for i in range(4))
    value = {name: interval.estimate for name, interval in found.coefficients.items()}
    assert value["equal"] == pytest.approx(sum(x == y for x, y in flat) / len(flat))
    assert value["kappa"] == pytest.approx(stats.cohen_kappa(a, b))
    assert value["kappa_quadratic"] == pytest.approx(stats.cohen_kappa(a, b, "quadratic"))
    assert value["alpha_ordinal"] == pytest.approx(stats.krippendorff_alpha(flat, "ordinal"))
    assert value["ac1"] == pytest.approx(stats.gwet_ac(flat, scale=range(4)))
    for interval in found.coefficients.values():
        assert interval.low < interval.estimate < interval.high
    assert found.means == pytest.approx((np.mean(a), np.mean(b)))


def test_each_query_has_its_own_agreement() -> None:
    found = tr.judges([EXPERT, CROWD], samples=50).pairs[0]
    pairs = shared(EXPERT, CROWD)
    assert found.queries == tuple(sorted(pairs))
    for at, query in enumerate(found.queries):
        a, b = zip(*pairs[query], strict=True)
        assert found.shared[at] == len(a)
        assert found.equal[at] == pytest.approx(np.mean(np.equal(a, b)))
        assert (found.mean_first[at], found.mean_second[at]) == pytest.approx((np.mean(a), np.mean(b)))
        expected = np.nan if len({*a, *b}) == 1 else stats.cohen_kappa(a, b)
        assert found.kappa[at] == pytest.approx(expected, nan_ok=True)


def test_several_judges_agree_together_on_what_two_of_them_have_judged() -> None:
    found = tr.judges({"e": EXPERT, "c": CROWD, "m": MODEL}, samples=50)
    assert [(p.first, p.second) for p in found.pairs] == [("e", "c"), ("e", "m"), ("c", "m")]
    table = [
        [each[q].get(d, np.nan) for each in (EXPERT, CROWD, MODEL)]
        for q, d in itertools.product(QUERIES, DOCS)
        if sum(d in each[q] for each in (EXPERT, CROWD, MODEL)) > 1
    ]
    assert found.together_on == len(table)
    assert found.together["alpha_interval"].estimate == pytest.approx(stats.krippendorff_alpha(table, "interval"))
    assert found.together["ac2_linear"].estimate == pytest.approx(stats.gwet_ac(table, "linear"))


def test_systems_score_by_each_judge_what_they_score_in_compare() -> None:
    found = tr.judges({"expert": EXPERT, "crowd": CROWD}, RUNS, "nDCG@5 AP", samples=500)
    for name, judged in (("expert", EXPERT), ("crowd", CROWD)):
        alone = tr.compare(judged, RUNS, "nDCG@5 AP", samples=500)
        for standing in found.standings:
            assert standing.outcomes[name].to_dict()["pairs"] == alone[standing.name].to_dict()["pairs"]
            assert standing.outcomes[name].means == alone[standing.name].means
    order = found.standings[0].orders[0]
    heights = [[found.standings[0].outcomes[j].means[s].estimate for s in RUNS] for j in ("expert", "crowd")]
    assert order.tau is not None
    assert order.tau.estimate == pytest.approx(stats.kendall_tau(*heights))
    assert order.tau_ap is not None
    assert order.tau_ap.estimate == pytest.approx(stats.tau_ap(*heights))
    assert order.tau.low <= order.tau.high <= 1
    assert order.pairs == 10


def test_flips_are_the_pairs_whose_difference_turns_round() -> None:
    upside_down = {q: {d: 3 - grade for d, grade in own.items()} for q, own in EXPERT.items()}
    found = tr.judges({"expert": EXPERT, "contrary": upside_down}, RUNS, "nDCG@3", samples=500)
    order = found.standings[0].orders[0]
    by_each = [found.standings[0].outcomes[j].means for j in ("expert", "contrary")]
    expected = {
        frozenset((a, b))
        for a, b in itertools.combinations(RUNS, 2)
        if np.prod([means[a].estimate - means[b].estimate for means in by_each]) < 0
    }
    assert {frozenset((f.by_first.system, f.by_first.against)) for f in order.flips} == expected
    assert all(f.by_first.difference.estimate > 0 > f.by_second.difference.estimate for f in order.flips)
    first, last = order.flips[0], order.flips[-1]
    assert first.significant == (True, True)
    assert first.by_first.adjusted <= last.by_first.adjusted
    clear = sum(pair.adjusted <= 0.05 for pair in found.standings[0].outcomes["expert"].pairs)
    assert (order.significant, order.kept) == (clear, 0)


def test_a_measure_of_which_less_is_better_is_turned_round_and_counts_order_nothing() -> None:
    found = tr.judges([EXPERT, CROWD], RUNS, "FirstRank@5 NumRelRet", samples=200)
    rank, count = found.standings
    assert [flip.by_first.difference.estimate < 0 for flip in rank.orders[0].flips] == [True] * len(
        rank.orders[0].flips
    )
    heights = [[-rank.outcomes[j].means[s].estimate for s in RUNS] for j in found.names]
    assert rank.orders[0].tau_ap is not None
    assert rank.orders[0].tau_ap.estimate == pytest.approx(stats.tau_ap(*heights))
    assert count.orders == ()


def test_common_scores_systems_with_what_all_have_judged() -> None:
    found = tr.judges({"e": EXPERT, "m": MODEL}, RUNS, "AP", common=True, samples=100)
    common = {q: {d: g for d, g in EXPERT[q].items() if d in MODEL[q]} for q in QUERIES}
    assert found.standings[0].outcomes["e"].means["s4"].estimate == tr.evaluate(common, RUNS["s4"], "AP").mean["AP"]


def test_common_leaves_out_queries_without_a_document_that_all_have_judged() -> None:
    first, *others = QUERIES
    model = {**MODEL, first: {"other": 1}}
    found = tr.judges({"e": EXPERT, "m": model}, RUNS, "AP", common=True, samples=100)
    without = tr.judges({"e": EXPERT, "m": {q: MODEL[q] for q in others}}, RUNS, "AP", common=True, samples=100)
    assert found.standings[0].to_dict() == without.standings[0].to_dict()
    assert (found.standings[0].queries, found.dropped) == (len(others), 1)
    assert "1 query has no document that all judges have judged" in "".join(remarks_of(found))
    pairwise = [{"q": dict.fromkeys(docs, 1)} for docs in ("ab", "bc", "ca")]
    with pytest.raises(tr.InputError, match="no document is judged by all of judge 1, judge 2, judge 3"):
        tr.judges(pairwise, {"s": {"q": ["a"]}}, common=True)


@pytest.mark.parametrize("binary", [[2, 1], {"graded": 2}])
def test_judges_of_different_scales_are_compared_by_relevance(binary: Any) -> None:
    graded, yes = EXPERT, {q: {d: int(g >= 2) for d, g in own.items()} for q, own in EXPERT.items()}
    plain = tr.judges({"graded": graded, "yes": yes}, samples=50)
    assert "--binary 2,1" in "".join(remarks_of(plain))
    found = tr.judges({"graded": graded, "yes": yes}, RUNS, "nDCG@3", binary=binary, samples=50)
    assert found.pairs[0].coefficients["kappa"].estimate == 1.0
    assert found.scale == (0.0, 1.0)
    order = found.standings[0].orders[0]
    assert (order.tau.low, order.tau.high, order.flips) == (1.0, 1.0, ())  # type: ignore[union-attr]


def test_the_same_seed_gives_the_same_result_and_the_order_of_rows_changes_nothing() -> None:
    backwards = [{q: dict(reversed(own.items())) for q, own in reversed(j.items())} for j in (EXPERT, CROWD)]
    one, other = (tr.judges(j, RUNS, "AP", samples=100).to_dict() for j in ([EXPERT, CROWD], backwards))
    assert json.dumps(one) == json.dumps(other)


def test_what_is_pooled_or_ignored_is_not_judged() -> None:
    one, other = {"q": {"a": 1, "b": -1, "c": 0}}, {"q": {"a": 1, "b": 1, "c": 1}}
    assert tr.judges([one, other], samples=10).pairs[0].both == 2


def test_what_was_judged_counts_where_rules_take_it_from_the_lists() -> None:
    one, other = {"a": {"a": 1, "b": 0}}, {"a": {"a": 1, "b": 1}}
    assert tr.judges([one, other], samples=10, rules={"self_match": "remove"}).pairs[0].both == 2


@pytest.mark.parametrize(
    ("qrels", "how", "said"),
    [
        ([EXPERT], {}, "two or more, not of 1"),
        ({}, {}, "two or more, not of 0"),
        ([{"q1": {"a": 1}}, {"q2": {"a": 1}}], {}, "judged by two"),
        ([{"q1": {"a": 1}}, {"q2": {"a": 1}}], {"runs": RUNS}, "judged by two"),
        ([{"q": {"a": 1}}, {"q": {"A": 1}}], {}, r"The first has q, a, the second q, A \(query, document\)"),
        ([{"q": {"a": 1}}, {"q": {"A": 1}}, {"q": {"b": 1}}], {}, "The first has q, a, the second q, A"),
        ([{"q": {"a": -1}}, {"p": {"b": 1}}], {}, "no document is judged by judge 1$"),
        ([{}, {}], {}, "no judge has judged"),
        ([EXPERT, CROWD], {"binary": [1, 2, 3]}, "2 judges and 3 levels"),
        ([EXPERT, CROWD], {"binary": 0}, "a grade above 0"),
        ([EXPERT, CROWD], {"binary": "1"}, "a grade above 0"),
        ({"e": EXPERT, "c": CROWD}, {"binary": {"expert": 1}}, "There is e, c"),
        ([{"q": {f"d{n}": n for n in range(50)}}] * 2, {}, "--binary"),
        ([EXPERT, CROWD], {"runs": {"a": tr.read(EXPERT, RUNS["s0"])}}, "anew for each judge"),
        ([EXPERT, CROWD], {"runs": tr.read(EXPERT, RUNS["s0"])}, "anew for each judge"),
        ([EXPERT, CROWD], {"confidence": 0.2}, "at least 0.5"),
        ([EXPERT, CROWD], {"confidence": "0.9"}, "at least 0.5"),
        ([EXPERT, CROWD], {"samples": 1.5}, "positive whole number"),
        ([EXPERT, CROWD], {"seed": None}, "not negative"),
        (None, {}, "a list of qrels, not None"),
        (3, {}, "a list of qrels, not 3"),
    ],
)
def test_what_cannot_be_compared_is_refused(qrels: Any, how: dict[str, Any], said: str) -> None:
    with pytest.raises(tr.InputError, match=said):
        tr.judges(qrels, **how)


def test_without_a_common_document_the_order_of_systems_can_still_be_told() -> None:
    halves = [{q: dict(list(own.items())[part]) for q, own in EXPERT.items()} for part in (slice(4), slice(4, 8))]
    found = tr.judges({"a": halves[0], "b": halves[1]}, RUNS, "AP", samples=100)
    assert found.pairs[0].both == 0
    assert found.pairs[0].coefficients["kappa"].method == "none"
    assert found.standings[0].orders[0].tau is not None
    said = "".join(remarks_of(found))
    assert "no document in common" in said
    assert "--common" in said
    assert document_of(found).render()


def test_too_few_resamples_are_warned_of() -> None:
    said = "Warning: 20 resamples are too few for intervals of 95 %; take 39 or more, better 10,000."
    assert said in remarks_of(tr.judges([judge(1), judge(2)], samples=20))


def test_means_that_few_queries_decide_are_warned_of() -> None:
    qrels: Grades = {f"q{n}": {"a": 1, "b": 0} for n in range(40)}
    runs = {
        "all": {q: ["a"] for q in qrels},
        "two": {q: ["a"] if q in ("q1", "q2") else ["b", "c", "a"] for q in qrels},
    }
    other: Grades = {q: {"a": n % 2, "b": 1 - n % 2} for n, q in enumerate(qrels)}
    told = "only 2 queries differ from all the others; the interval may be too short."
    for second, of in ((qrels, "two by judge 1 and two by judge 2"), (other, "two by judge 1")):
        said = remarks_of(tr.judges([qrels, second], runs, measures="RR"))
        assert [each for each in said if "differ from" in each] == [f"Warning: RR of {of}: {told}"]


def test_few_documents_of_the_highest_grade_are_remarked_on() -> None:
    rare = {
        q: {d: 3 if (q, d) < ("q10", "") and d == "d0" else g % 2 for d, g in own.items()}
        for q, own in EXPERT.items()
    }
    assert "10 documents have the highest grade" in "".join(remarks_of(tr.judges([rare, rare], samples=50)))
    assert "highest grade" not in "".join(remarks_of(tr.judges([EXPERT, CROWD], samples=50)))


def test_a_path_alone_is_a_run(tmp_path: Any) -> None:
    run = tmp_path / "a.run"
    run.write_text("".join(f"{q} Q0 d0 1 1.0 t\n" for q in QUERIES))
    found = tr.judges([EXPERT, CROWD], run, "AP", samples=50)
    assert (found.systems, found.standings[0].orders) == (("a.run",), ())


def test_constant_grades_are_named_and_their_queries_have_no_kappa() -> None:
    ones = {q: dict.fromkeys(DOCS, 1) for q in QUERIES}
    found = tr.judges({"expert": EXPERT, "lazy": ones}, samples=100)
    assert found.pairs[0].coefficients["kappa"].estimate == 0
    assert "lazy gives one grade to all documents" in "".join(remarks_of(found))
    both = tr.judges({"lazy": ones, "idle": ones}, samples=100)
    assert np.isnan(both.pairs[0].coefficients["kappa"].estimate)
    assert both.to_dict()["pairs"][0]["coefficients"]["kappa"]["value"] is None
    assert "no agreement beyond chance" in "".join(remarks_of(both))


def test_queries_that_not_all_have_are_in_no_mean_and_counted() -> None:
    fewer = {q: own for q, own in CROWD.items() if q > "q09"}
    found = tr.judges([EXPERT, fewer], RUNS, "AP", samples=50)
    assert (found.standings[0].queries, found.dropped) == (50, 10)
    answered = {
        name: {q: docs for q, docs in own.items() if name != "s0" or q > "q04"} for name, own in RUNS.items()
    }
    skipping = tr.judges([EXPERT, CROWD], answered, "AP", rules={"missing": "skip"}, samples=50)
    assert (skipping.standings[0].queries, skipping.dropped) == (55, 5)


def test_a_pair_that_is_none_is_refused_by_name() -> None:
    found = tr.judges({"e": EXPERT, "c": CROWD}, samples=10)
    assert found.pair("e", "c") is found.pairs[0]
    for asked in (("c", "e"), ("e", "x"), ("e", "e")):
        with pytest.raises(tr.InputError, match="e, c is their order"):
            found.pair(*asked)


def test_the_same_judgements_twice_are_warned_of() -> None:
    said = "".join(remarks_of(tr.judges({"e": EXPERT, "copy": EXPERT}, samples=10)))
    assert "e and copy agree on the grade of every document: are these two judges?" in said
    assert "two judges?" not in "".join(remarks_of(tr.judges({"e": EXPERT, "c": CROWD}, samples=10)))


def test_the_level_that_is_proposed_is_one_that_each_judge_gives() -> None:
    halves = {q: {d: g / 10 for d, g in own.items()} for q, own in EXPERT.items()}
    assert "--binary 2,0.3" in "".join(remarks_of(tr.judges([EXPERT, halves], samples=10)))


def test_orders_are_rows_and_two_runs_have_flips_alone() -> None:
    found = tr.judges({"e": EXPERT, "c": CROWD}, iter(RUNS.values()), "nDCG@5 AP", samples=100)
    rows = found.rows("orders")
    assert [row["measure"] for row in rows] == ["nDCG@5", "AP"]
    order = found.standings[1].orders[0]
    assert order.tau is not None
    assert (rows[1]["tau"], rows[1]["tau_low"]) == (order.tau.estimate, order.tau.low)
    assert (rows[1]["flips"], rows[1]["kept"]) == (len(order.flips), order.kept)
    two = tr.judges([EXPERT, CROWD], list(RUNS.values())[:2], "AP", samples=100)
    assert two.rows("orders")[0]["tau"] is None
    assert "of three runs or more" in str(two)


def test_it_shows_itself_in_every_format_and_as_frames() -> None:
    found = tr.judges({"e": EXPERT, "c": CROWD, "m": MODEL}, RUNS, "nDCG@5 AP", samples=100)
    for format in FORMATS:
        assert document_of(found, per_query=True).render(format)
    assert "Judges(e, c, m;" in repr(found)
    assert "<table" in found._repr_html_()
    assert len(found.to_pandas()) == 3 * 10 + 7
    assert len(found.to_polars("systems")) == 2 * 3 * 5
    assert found.to_arrow("queries").num_rows == sum(len(pair.queries) for pair in found.pairs)
    assert [figure.name for figure in figures(found)] == ["judges-1", "judges-2", "judges-3"]
    with pytest.raises(tr.InputError, match="a layout is"):
        found.to_pandas("wide")  # type: ignore[arg-type]


def test_systems_that_differ_by_rounding_alone_have_constant_orders() -> None:
    rng = random.Random(0)
    queries = [f"q{number}" for number in range(30)]
    judges = {
        name: {query: {doc: rng.choice([0, 1]) for doc in "abcdefgh"} | {"a": 1} for query in queries}
        for name in "AB"
    }
    docs = {query: rng.sample("abcdefgh", 5) for query in queries}
    runs = {name: {query: rng.sample(docs[query], 5) for query in queries} for name in "xyz"}
    (standing,) = tr.judges(judges, runs, "R@100").standings
    assert {interval.method for order in standing.orders for interval in (order.tau, order.tau_ap)} == {"constant"}


def test_a_run_that_ends_when_it_is_read_is_refused() -> None:
    judged = {"1": {"1": 1}}
    with pytest.raises(tr.InputError, match="read anew for each judge"):
        tr.judges({"x": judged, "y": judged}, {"r": (row for row in [("1", "1", 3.0)])}, "AP")


BY_PEOPLE = {"q": {"x": {"born": 1, "died": 0, "prize": 0.5}, "y": {"born": 1, "died": 1}}, "r": {"x": {"born": 0}}}
BY_MODEL = {"q": {"x": {"born": 0, "died": 1, "prize": 0.5}, "y": {"born": 0, "died": 1}}, "r": {"x": {"born": 0}}}


def test_judges_of_nuggets_are_held_against_one_another_nugget_by_nugget() -> None:
    found = tr.judges([BY_PEOPLE, BY_MODEL], samples=50)
    pair = found.pairs[0]
    assert (pair.both, found.is_by_aspect, found.to_dict()["by_aspect"]) == (6, True, True)
    assert pair.confusion == ((1, 0, 1), (0, 1, 0), (2, 0, 1))
    assert pair.coefficients["kappa"].estimate == pytest.approx(
        stats.cohen_kappa([1, 0, 0.5, 1, 1, 0], [0, 1, 0.5, 0, 1, 0])
    )
    assert "each aspect of a document" in str(found)
    plain = {query: dict.fromkeys(docs, 1) for query, docs in BY_MODEL.items()}
    mixed = tr.judges([BY_PEOPLE, plain], samples=50)
    assert (mixed.pairs[0].both, mixed.is_by_aspect) == (3, False)


def test_systems_are_scored_by_the_aspects_that_all_judges_have_judged_or_from_a_level_on() -> None:
    fewer = {"q": {"x": {"born": 1}, "y": {"born": 0, "died": 1}}}
    runs = {"one": {"q": ["x"]}, "two": {"q": ["y"]}}

    def means(**how: Any) -> list[list[float]]:
        found = tr.judges([BY_PEOPLE, fewer], runs, "NuggetRecall", samples=50, **how)
        outcomes = found.standings[0].outcomes.values()
        return [[mean.estimate for mean in outcome.means.values()] for outcome in outcomes]

    assert means() == [[0.5, pytest.approx(2 / 3)], [0.5, 0.5]]
    assert means(common=True) == [[0.5, 1.0], [0.5, 0.5]]
    assert means(binary=1) == [[pytest.approx(1 / 3), pytest.approx(2 / 3)], [0.5, 0.5]]


def test_the_weights_of_aspects_stay_where_all_judges_have_judged_them() -> None:
    weights = {"q": {"born": 1.0, "died": 0.5, "prize": 1.0}, "r": {"born": 1.0}}
    people = tr.read_qrels(BY_PEOPLE).weighted(weights)
    model = {"q": {"x": {"born": 1, "died": 1}}}
    found = tr.judges([people, model], {"one": {"q": ["x"]}}, "NuggetRecall(vital=True)", common=True, samples=50)
    assert found.standings[0].outcomes["judge 1"].means["one"].estimate == 1.0


def test_judges_of_other_aspects_are_told_apart() -> None:
    with pytest.raises(tr.InputError, match=r"no aspect of a document .* has q, x, a, the second q, x, b"):
        tr.judges([{"q": {"x": {"a": 1}}}, {"q": {"x": {"b": 1}}}])


VOTES = {
    "majority": lambda grades: min(statistics.multimode(grades)),
    "median": statistics.median,
    "mean": statistics.fmean,
    "max": max,
    "min": min,
}


@pytest.mark.parametrize("vote", VOTES)
def test_those_who_judged_a_document_vote_on_its_grade(vote: str) -> None:
    found = tr.judges([EXPERT, CROWD, MODEL, judge(4, missing=0.5)], samples=2)
    given: dict[str, dict[str, list[int]]] = {query: {} for query in QUERIES}
    for query, doc, grade in (
        (query, doc, grade)
        for one in found.judgements.qrels.values()
        for query, own in one.to_dict().items()
        for doc, grade in own.items()
    ):
        given[query].setdefault(doc, []).append(grade)
    voted = {query: {doc: VOTES[vote](grades) for doc, grades in own.items()} for query, own in given.items()}
    assert found.consensus(vote).to_dict() == voted


def test_what_nobody_judged_stays_in_the_consensus_and_so_do_queries_without_a_judgement() -> None:
    ours, theirs = {"q": {"a": 1, "b": -2, "c": -1}, "r": {}}, {"q": {"a": 2, "b": -1, "c": 0}, "s": []}
    voted = tr.judges([ours, theirs], samples=2).consensus("max")
    assert voted.to_dict() == {"q": {"a": 2, "b": -2, "c": 0}, "r": {}, "s": {}}


def test_aspects_are_voted_on_one_by_one_and_keep_their_weights() -> None:
    ours = Qrels.from_dict({"q": {"a": {"x": 1, "y": 0}}}).weighted({"q": {"x": 3, "y": 1}})
    theirs, third = {"q": {"a": {"x": 0, "y": 0}, "b": {"z": 1}}}, {"q": {"a": {"x": 1, "y": 1}}}
    voted = tr.judges([ours, theirs, third], samples=2).consensus()
    assert voted.by_aspect(0) == {b"a": {b"x": 1, b"y": 0}, b"b": {b"z": 1}}
    assert voted.weights_of(0) == {b"x": 3, b"y": 1, b"z": 1}
    with pytest.raises(tr.InputError, match="a vote is majority, median, mean, max or min, not 'most'"):
        tr.judges([theirs, third], samples=2).consensus("most")


def test_systems_that_answer_no_query_in_common_are_named_with_their_judge() -> None:
    qrels = {"p": {"a": 1, "b": 0}, "q": {"a": 1, "b": 0}}
    runs = {"old": {"p": ["a"]}, "new": {"q": ["a"]}}
    with pytest.raises(tr.TruerankError, match=r"all of old \(crowd\), new \(crowd\), old \(we\), new \(we\): "):
        tr.judges({"crowd": qrels, "we": qrels}, runs, "RR", rules={"missing": "skip"})


def test_tables_tell_who_judged_what_and_between_whom_the_order_turns() -> None:
    few = QUERIES[:6]
    expert = {q: {"a": 2, "b": 1, "c": 0, "d": 0} for q in few}
    crowd = {q: {"a": int(n % 3 > 0), "b": 2, "c": 0} for n, q in enumerate(few)}
    model = {q: {"a": 2, "b": 0} for q in few[:5]}
    runs = {"s1": {q: ["a", "x", "b"] for q in few}, "s2": {q: ["b", "c", "a"] for q in few}}
    lone = {q: {"e": 1} for q in few}

    def shown(judges: dict[str, Any], runs: Any = None, **how: Any) -> dict[str, Any]:
        found = tr.judges(judges, runs, "RR(level=2)", samples=50) if runs else tr.judges(judges, samples=50)
        return {table.title: table for table in document_of(found, **how).blocks if hasattr(table, "rows")}

    tables = shown({"expert": expert, "crowd": crowd}, runs)
    interval = "95 % interval"
    assert tables["Judges"].rows == (("expert", 24, "0, 1, 2"), ("crowd", 18, "0, 1, 2"))
    grades = tables["Grades by expert (rows) and crowd (columns)"]
    assert (grades.columns, grades.rows) == (
        ("grade", "0", "1", "2"),
        (("0", 6, 0, 0), ("1", 0, 0, 6), ("2", 2, 4, 0)),
    )
    means = tables["RR(level=2) by each judge, 6 queries"]
    assert means.columns == ("run", "expert", interval, "crowd", interval)
    assert [row[:2] + row[3:4] for row in means.rows] == [("s1", 1.0, 1 / 3), ("s2", 1 / 3, 1.0)]
    assert means.best == {(0, 1), (1, 3)}
    order = tables["Order of the runs from judge to judge"]
    assert order.columns == ("measure", "tau", interval, "tau-AP", interval, "pairs", "flips")
    assert order.rows == (("RR(level=2)", None, "", None, "", 1, 1),)
    turned = tables["RR(level=2): expert prefers the first run, crowd the second"]
    assert turned.rows == (("s1", "s2", "+0.6667", "0.0312", "-0.6667", "0.0312"),)
    assert turned.notes[0] == (
        "RR(level=2): 1 flip of 1 pair of runs from expert to crowd; 1 of these were significant by expert, 1 by "
        "both. Of 1 significant by expert, 0 stay significant in the same direction."
    )
    three = shown({"expert": expert, "crowd": crowd, "model": model}, {**runs, "s3": {q: ["x"] for q in few}})
    assert "All judges, on 18 documents that two or more have judged" in three
    assert [row[:3] for row in three["Pairs of judges"].rows] == [
        ("expert", "crowd", 18),
        ("expert", "model", 10),
        ("crowd", "model", 10),
    ]
    assert three["RR(level=2) by each judge, 5 queries"].columns == ("run", "expert", "crowd", "model")
    heads = ("measure", "judges", "tau", interval, "tau-AP", interval, "pairs", "flips")
    assert three["Order of the runs from judge to judge"].columns == heads
    assert [row[1:3] + row[-2:] for row in three["Order of the runs from judge to judge"].rows] == [
        ("expert, crowd", pytest.approx(1 / 3), 3, 1),
        ("expert, model", 1.0, 3, 0),
        ("crowd, model", pytest.approx(1 / 3), 3, 1),
    ]
    four = shown({"expert": expert, "crowd": crowd, "model": model, "lone": lone}, per_query=True)
    assert not any(title.startswith("Grades by") for title in four)
    assert len(four["expert, crowd"].rows) == 6
    assert [
        any("Kendall's tau" in note for own in each.values() for note in own.notes) for each in (tables, four)
    ] == [
        True,
        False,
    ]
    some = shown({"expert": expert, "crowd": crowd, "lone": lone})
    assert [title for title in some if title.startswith("Grades by")] == [
        "Grades by expert (rows) and crowd (columns)"
    ]


def test_remarks_on_judges_are_of_what_was_found() -> None:
    def said(*judges: Grades, **how: Any) -> str:
        named = dict(zip(("we", "they"), judges, strict=True))
        return "\n".join(remarks_of(tr.judges(named, samples=50, **how)))

    ours = {q: {f"d{n}": n % 3 for n in range(6)} for q in QUERIES[:12]}
    part = {q: {doc: grade for doc, grade in own.items() if doc < "d3"} for q, own in ours.items()}
    alone = "Documents judged by we alone: {}; by they alone: {}; by both: {}."
    assert alone.format(36, 0, 36) in said(ours, part)
    assert alone.format(0, 36, 36) in said(part, ours)
    assert "alone" not in said(ours, ours)
    runs, common = {"run": {q: ["d2"] for q in ours}}, "--common scores runs"
    half = {**part, "q00": {}}
    for theirs, is_told in ((part, False), (half, True)):  # 36 and 33 of 72
        assert (common in said(ours, theirs, runs=runs, measures="RR")) == is_told
    assert common not in said(ours, half)
    assert common not in said(ours, half, runs=runs, measures="RR", common=True)
    differ = "The judges do not use the same grades (we 0, 1, 2; they {}): "
    for top, begins, level in ((3, "", "2,2"), (4, "Warning: ", "2,2"), (1, "Warning: ", "2,1")):
        theirs = {q: {doc: top if grade else 0 for doc, grade in own.items()} for q, own in ours.items()}
        text = said(ours, theirs)
        assert f"{begins}{differ.format(f'0, {top}')}" in text.splitlines()[-1]
        assert text.splitlines()[-1].startswith(begins or "The judges")
        assert f"relevant: --binary {level}." in text
    rare = "we and they: {} documents have the highest grade"
    for n, is_told in ((29, True), (30, False)):
        places = [(q, f"d{d}") for q in QUERIES[:12] for d in range(6)]
        top = {q: {doc: 2 if places.index((q, doc)) < n else int(doc < "d3") for doc in ours[q]} for q in ours}
        assert (rare.format(n) in said(top, top)) == is_told
