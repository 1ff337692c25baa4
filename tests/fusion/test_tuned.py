"""Tuned fusion: no query has a part in its own parameters, and each fold has the best of what was tried."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest

import truerank as tr
from truerank.core.rules import Rules
from truerank.fusion import learning, methods
from truerank.fusion.tuning import shares
from truerank.present.fusion import document_of

LEARNING = [name for name, method in methods().items() if method.learns]
TUNED = [name for name, method in methods().items() if method.grid or "weights" in method.kinds]


def world(seed: int = 0, queries: int = 12, runs: int = 2) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    rng = random.Random(seed)
    docs = [f"d{i}" for i in range(20)]
    qrels = {f"q{i}": dict.fromkeys(rng.sample(docs, 4), 1) for i in range(queries)}

    def noisy(by: float) -> dict[str, dict[str, float]]:
        return {q: {d: (d in right) + rng.gauss(0, by) for d in rng.sample(docs, 15)} for q, right in qrels.items()}

    return qrels, [noisy(0.5 + i / 2) for i in range(runs)]


def few(name: str) -> dict[str, Any]:
    """So that little is tried."""
    grids = {"probfuse": {"segments": [2, 5]}, "slidefuse": {"w": [1, 3]}}
    return {"step": 0.5, "grid": grids.get(name, {})}


@pytest.mark.parametrize("method", ["wsum", "mixed", "rrf", "gmnz"])
def test_a_fold_has_the_best_setting_of_the_other_folds(method):
    qrels, runs = world(3)
    tuned = tr.tune_fusion(qrels, runs, method, "nDCG@10", folds=3, step=0.25)
    key = next(iter(tuned.params))
    tried = shares(2, 0.25) if key == "weights" else methods()[method].grid[key]
    fused = {value: tr.fuse(runs, method, **{key: value}) for value in map(one, tried)}
    scores = {value: tr.evaluate(qrels, run, "nDCG@10") for value, run in fused.items()}
    for fold in tuned.folds:
        others = [i for i, query in enumerate(tuned.scores.queries) if query not in fold.queries]
        means = {value: found["nDCG@10"][others].mean() for value, found in scores.items()}
        assert means[fold.params[key]] == pytest.approx(max(means.values()), abs=1e-12)
        assert fold.tuned == pytest.approx(means[fold.params[key]], abs=1e-12)
    best = max(found.mean["nDCG@10"] for found in scores.values())
    assert tuned.flattered == pytest.approx(best, abs=1e-12)


def one(value: Any) -> Any:
    return value if isinstance(value, tuple) else float(value)


@pytest.mark.parametrize("method", sorted({*LEARNING, *TUNED}))
def test_no_query_has_a_part_in_its_own_parameters(method):
    qrels, runs = world(4)
    first = tr.tune_fusion(qrels, runs, method, "AP", folds=4, **few(method))
    held = first.folds[1].queries
    changed = {q: {"d0": 1} if q in held else docs for q, docs in qrels.items()}
    again = tr.tune_fusion(changed, runs, method, "AP", folds=4, **few(method))
    assert again.folds[1].queries == held
    assert again.folds[1].params == first.folds[1].params
    fused = [found.run.to_dict() for found in (first, again)]
    assert {q: fused[0][q] for q in held} == {q: fused[1][q] for q in held}


@pytest.mark.parametrize(("method", "key"), [("probfuse", "segments"), ("slidefuse", "w")])
def test_no_query_has_a_part_in_what_is_learnt_to_choose_its_setting(method, key):
    qrels, runs = world(7)
    how: dict[str, Any] = {"folds": 4, "grid": {key: [1, 2, 3, 5, 10]}}
    first = tr.tune_fusion(qrels, runs, method, "AP", **how).folds[1]
    changed = {q: {"d0": 1} if q in first.queries else docs for q, docs in qrels.items()}
    assert tr.tune_fusion(changed, runs, method, "AP", **how).folds[1].params == first.params


@pytest.mark.parametrize(("method", "given"), [("posfuse", {}), ("probfuse", {"segments": 2})])
def test_what_has_nothing_to_choose_learns_from_one_fold_for_the_other(method, given):
    qrels, runs = world(7)
    tuned = tr.tune_fusion(qrels, runs, method, "AP", folds=2, **given)
    assert tuned.params == tr.tune_fusion(qrels, runs, method, "AP", folds=12, **given).params
    assert tuned.folds[0].params != tuned.folds[1].params


@pytest.mark.parametrize("method", LEARNING)
def test_what_a_fold_has_learnt_follows_the_judgements_of_the_others(method):
    qrels, runs = world(5)
    first = tr.tune_fusion(qrels, runs, method, "AP", folds=3, **few(method))
    changed = {q: docs if q in first.folds[0].queries else {"d0": 1} for q, docs in qrels.items()}
    again = tr.tune_fusion(changed, runs, method, "AP", folds=3, **few(method))
    assert again.folds[0].params != first.folds[0].params


def test_each_query_is_fused_with_the_parameters_of_its_fold_and_scored_so():
    qrels, runs = world(6)
    tuned = tr.tune_fusion(qrels, runs, "wsum", "nDCG@10", folds=3)
    whole = tuned.run.to_dict()
    for fold in tuned.folds:
        lists = tr.fuse(runs, "wsum", **fold.params).to_dict()
        assert {q: whole[q] for q in fold.queries} == {q: lists[q] for q in fold.queries}
        places = [tuned.scores.queries.index(q) for q in fold.queries]
        assert tuned.scores["nDCG@10"][places].mean() == pytest.approx(fold.held_out, abs=1e-12)
    assert sorted(q for fold in tuned.folds for q in fold.queries) == sorted(qrels)
    assert tuned.mean == tr.evaluate(qrels, tuned.run, "nDCG@10").mean["nDCG@10"]
    alone = [tr.evaluate(qrels, run, "nDCG@10").mean["nDCG@10"] for run in runs]
    assert tuned.alone == dict(zip(["run 1", "run 2"], alone, strict=True))


NUMBERS = ["NumRet", "NumRelRet", "GMAP", "nDCG@10"]


@pytest.mark.parametrize("measure", NUMBERS)
@pytest.mark.parametrize("depth", [None, 2, 5])
def test_folds_show_what_evaluate_shows_of_their_queries_at_the_depth(measure, depth):
    qrels, runs = world(14)
    tuned = tr.tune_fusion(qrels, runs, "wsum", measure, folds=3, step=0.25, depth=depth)
    name = tuned.measure

    def number(weights: Any, queries: Any) -> float:
        fused = tr.fuse(runs, "wsum", weights=weights, depth=depth)
        return tr.evaluate({q: qrels[q] for q in queries}, fused, measure).mean[name]

    for fold in tuned.folds:
        others = [q for q in qrels if q not in fold.queries]
        weights = fold.params["weights"]
        assert fold.held_out == pytest.approx(number(weights, fold.queries), rel=1e-12)
        assert fold.tuned == pytest.approx(number(weights, others), rel=1e-12)
        assert fold.tuned == pytest.approx(max(number(each, others) for each in shares(2, 0.25)), rel=1e-12)
    assert tuned.flattered == pytest.approx(number(tuned.params["weights"], qrels), rel=1e-12)
    assert tuned.flattered == pytest.approx(max(number(each, qrels) for each in shares(2, 0.25)), rel=1e-12)
    assert tuned.mean == tr.evaluate(qrels, tuned.run, measure).mean[name]
    cut = [run if depth is None else tr.open_run(run).cut(depth) for run in runs]
    assert [*tuned.alone.values()] == [tr.evaluate(qrels, run, measure).mean[name] for run in cut]


def test_ranks_are_not_tuned_as_scores():
    qrels, runs = world(17)
    ranked = [{q: [*docs] for q, docs in run.items()} for run in runs]
    with pytest.raises(tr.InputError, match="there are ranks or distances here and no scores"):
        tr.tune_fusion(qrels, ranked, "wsum", norm=None)


@pytest.mark.parametrize("method", sorted({*LEARNING, *TUNED}))
def test_distances_are_tuned_like_the_negated_scores(method):
    qrels, runs = world(15)
    far = [{q: {doc: -score for doc, score in docs.items()} for q, docs in run.items()} for run in runs]
    near, turned = (
        tr.tune_fusion(qrels, given, method, "AP", norm=norm, folds=3, **few(method))
        for given, norm in ((runs, "min-max"), (far, "min-max-inverted"))
    )
    assert turned.folds == near.folds
    assert (turned.mean, turned.flattered, turned.params) == (near.mean, near.flattered, near.params)
    assert turned.alone == near.alone
    assert turned.run.to_dict() == near.run.to_dict()


def test_runs_of_one_name_both_stand_in_the_result():
    qrels, runs = world(16)
    named = [tr.fuse([run, run], "sum", name="bm25") for run in runs]
    tuned = tr.tune_fusion(qrels, named, folds=3, step=0.5)
    assert (tuned.runs, tuned.norm) == (("bm25", "bm25 #2"), "min-max")
    assert list(tuned.alone.values()) == [tr.evaluate(qrels, run, "nDCG@10").mean["nDCG@10"] for run in named]
    assert "bm25 #2" in str(tuned)


def test_queries_that_are_not_judged_have_the_parameters_of_all():
    qrels, runs = world(3)
    known = {q: docs for q, docs in qrels.items() if q not in ("q3", "q7")}
    tuned = tr.tune_fusion(known, runs, "wsum", "nDCG@10", folds=2)
    assert tuned.params not in [fold.params for fold in tuned.folds]
    lists, whole = tr.fuse(runs, "wsum", **tuned.params).to_dict(), tuned.run.to_dict()
    assert [whole[q] for q in ("q3", "q7")] == [lists[q] for q in ("q3", "q7")]


def test_where_less_is_better_the_least_is_chosen():
    qrels = {f"q{i}": {"a": 1} for i in range(6)}
    good, bad = (dict.fromkeys(qrels, run) for run in ({"a": 2.0, "b": 1.0}, {"b": 2.0, "c": 1.5, "a": 0.5}))
    tuned = tr.tune_fusion(qrels, [bad, good], "wsum", "FirstRank@5", folds=2, step=0.5)
    assert tuned.mean == 1.0
    assert tuned.params["weights"] == (0.0, 1.0)


def test_of_equal_settings_the_most_even_weights_are_taken():
    qrels = {f"q{i}": {"a": 1} for i in range(4)}
    same = {q: {"a": 2.0, "b": 1.0} for q in qrels}
    assert tr.tune_fusion(qrels, [same, same], "wsum", "RR", folds=2).params == {"weights": (0.5, 0.5)}


def test_seeds_deal_other_folds_and_the_same_seed_the_same():
    qrels, runs = world(8)
    found = [tr.tune_fusion(qrels, runs, "rrf", "AP", folds=3, seed=seed) for seed in (0, 0, 1)]
    assert found[0].folds == found[1].folds
    assert [f.queries for f in found[0].folds] != [f.queries for f in found[2].folds]
    assert found[0].to_dict() == found[1].to_dict()


def test_scattered_rows_and_files_are_tuned_like_dicts(tmp_path):
    qrels, runs = world(9)
    files = []
    for i, run in enumerate(runs):
        rows = [f"{q} Q0 {d} 1 {x!r} t\n" for q, docs in run.items() for d, x in docs.items()]
        random.Random(i).shuffle(rows)
        (tmp_path / f"{i}.run").write_text("".join(rows))
        files.append(str(tmp_path / f"{i}.run"))
    one, other = (tr.tune_fusion(qrels, given, "wsum", "AP", folds=3) for given in (runs, files))
    assert (one.folds, one.params, one.mean) == (other.folds, other.params, other.mean)


def test_progress_ends_where_all_is_tried():
    qrels, runs = world(10)
    for method in ("wsum", "probfuse"):
        done, totals = [], []

        def report(now: int, total: int, done: list[int] = done, totals: list[int] = totals) -> None:
            done.append(now)
            totals.append(total)

        tr.tune_fusion(qrels, runs, method, folds=3, progress=report, **few(method))
        assert done == list(range(1, len(done) + 1))
        assert set(totals) == {len(done)}


def test_weights_have_the_sum_of_one_and_none_is_left_out():
    found = shares(3, 0.1)
    assert len(found) == len(set(found)) == 66
    assert np.allclose(np.sum(found, axis=1), 1)
    assert found[0] in {(0.3, 0.3, 0.4), (0.3, 0.4, 0.3), (0.4, 0.3, 0.3)}


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"folds": 1}, "12 judged queries that count cannot be dealt into 1 folds"),
        (
            {"folds": 13},
            "12 judged queries that count cannot be dealt into 13 folds: take at least 2, and no more than",
        ),
        ({"folds": 2.5}, "folds is a positive whole number, not 2.5"),
        ({"seed": 1.5}, "seed is a whole number from 0 on, not 1.5"),
        ({"seed": -1}, "seed is a whole number from 0 on, not -1"),
        ({"depth": 0}, "depth is a positive whole number, not 0"),
        ({"measure": "AP RR"}, "fusion is tuned for one measure, not for 2"),
        ({"method": "sum"}, "sum has nothing to tune"),
        ({"method": "rrf", "k": 60}, "rrf has nothing left to tune, as k is given: leave that out"),
        ({"weights": [0.3, 0.7]}, "wsum has nothing left to tune, as weights is given: leave that out"),
        ({"method": "rrf(k=60)", "k": 20}, "k is given twice: as 60 in 'rrf(k=60)', and as 20"),
        ({"method": "rrf", "k": 60, "grid": {"k": [1]}}, "k is given, and values of it to try, too"),
        ({"step": 0}, "step is a number from 0.0005 to 1, not 0"),
        ({"step": 1e-9}, "step is a number from 0.0005 to 1, not 1e-09"),
        ({"step": "x"}, "step is a number from 0.0005 to 1, not 'x'"),
        ({"step": 0.3}, "step 0.3 does not divide 1: take 0.25, or 0.3333333333"),
        ({"step": 0.0005}, "2,001 settings of 2 runs are to be tried, of 2,000 at most"),
        ({"grid": 1}, "grid is a dict with a list of values to try for each parameter, not 1"),
        ({"grid": {"weights": 1}}, "grid is a dict with a list of values to try for each parameter, not"),
        ({"grid": {"weights": []}}, "0 settings of 2 runs are to be tried"),
        ({"grid": {"k": [1]}}, "wsum takes weights, not k"),
        ({"grid": {3: [1]}}, "grid is a dict with a list of values to try for each parameter, not {3: [1]}"),
        ({"segments": 7}, "wsum takes weights, not segments"),
        *(
            ({"method": "probfuse", "segments": n}, f"probfuse: segments is a positive whole number, not {n!r}")
            for n in ("x", 2.5, -3, 0)
        ),
        ({"method": "probfuse", "grid": {"segments": [0]}}, "probfuse: segments is a positive whole number, not 0"),
        ({"norm": []}, "there is no norm []"),
        ({"method": "probfuse", "folds": 2}, "which takes at least 3 folds; or give segments"),
        ({"method": "tune"}, "there is no method of fusion 'tune'"),
        ({"measure": "nDGC"}, "nDGC"),
    ],
)
def test_what_cannot_be_tuned_is_refused_in_words(how, message):
    qrels, runs = world(11)
    with pytest.raises(tr.TruerankError, match=r".") as error:
        tr.tune_fusion(qrels, runs, **how)
    assert message in str(error.value)


def test_settings_are_counted_before_they_are_made():
    qrels, runs = world(11)
    with pytest.raises(tr.InputError, match=r"10\^21 settings of 10 runs are to be tried, of 2,000 at most"):
        tr.tune_fusion(qrels, [*runs] * 5, step=0.001)


@pytest.mark.parametrize("step", [1 / 3, 0.3333333333, 1 / 7, 0.05, 1])
def test_a_step_is_a_part_of_one_but_for_rounding(step):
    assert len(shares(2, step)) == round(1 / step) + 1


@pytest.mark.parametrize("rule", ["skip", "undefined"])
def test_each_fold_has_queries_that_count(rule):
    qrels, runs = world(13)
    some = {q: docs if i % 3 == 0 else {"d0": 0} for i, (q, docs) in enumerate(qrels.items())}
    tuned = tr.tune_fusion(some, runs, folds=4, rules={"without_relevant": rule})
    assert [fold.counted for fold in tuned.folds] == [1, 1, 1, 1]
    assert [len(fold.queries) for fold in tuned.folds] == [3, 3, 3, 3]
    assert np.mean([fold.held_out for fold in tuned.folds]) == pytest.approx(tuned.mean)
    said = str(tuned)
    assert "a fold was tuned on 3 queries" in said
    told = {
        "skip": "The mean is over 4 queries.",
        "undefined": "no value for 8 queries, which its mean leaves out.",
    }
    assert told[rule] in said
    with pytest.raises(tr.InputError, match="4 judged queries that count cannot be dealt into 5 folds"):
        tr.tune_fusion(some, runs, folds=5, rules={"without_relevant": rule})


@pytest.mark.parametrize("missing", ["zero", "skip"])
def test_the_table_says_what_the_means_are_over(missing):
    qrels, (every, some) = world(18)
    some = dict(list(some.items())[:5])
    tuned = tr.tune_fusion(qrels, [every, some], rules={"missing": missing, "name": "ours"}, folds=3)
    said = str(tuned)
    assert "Rules: ours." in said
    assert ("run 2: 12 queries judged, 5 answered. The mean is over 5 queries." in said) == (missing == "skip")
    assert f"7 missing ({'left out' if missing == 'skip' else 'scored 0'})" in said
    assert ("Warning: the means are over different queries" in said) == (missing == "skip")
    assert any("7 missing" in remark for remark in document_of(tuned).remarks)
    assert list(tuned.scores_alone) == ["run 1", "run 2"]


def test_runs_of_another_collection_are_refused():
    _, runs = world(12)
    with pytest.raises(tr.InputError, match="the runs answer no judged query"):
        tr.tune_fusion({"x1": {"a": 1}, "x2": {"a": 1}}, runs, folds=2)


@pytest.mark.parametrize("seed", range(10))
def test_what_is_learnt_of_ranks_is_the_mean_over_queries_of_shares_that_are_relevant(seed):
    """ProbFuse (Lillis and others, 2006) by parts of lists, SegFuse by ranks that double, SlideFuse by rank.

    BayesFuse (Aslam and Montague, 2001) has the log odds of it, the same for each five ranks at the top.
    """
    rng = random.Random(seed)
    lists = [[rng.random() < 0.4 for _ in range(rng.randint(1, 24))] for _ in range(6)]
    found = [(q, n) for q, flags in enumerate(lists) for n, is_relevant in enumerate(flags, 1) if is_relevant]
    query, rank = np.array(found).T
    one = learning.Places(query, rank, np.array([len(flags) for flags in lists]), np.zeros(6))
    by_rank = [
        sum(flags[n] for flags in lists if n < len(flags)) / sum(n < len(flags) for flags in lists)
        for n in range(max(map(len, lists)))
    ]
    assert learning.by_rank(one, 8) == pytest.approx(by_rank)
    doubling = [sum(sum(flags[a:b]) for flags in lists) / (b - a) / 8 for a, b in ((0, 5), (5, 15), (15, 35))]
    assert learning.by_doubling(one, 8)[:3] == pytest.approx(doubling)
    by_five = [sum(sum(flags[a : a + 5]) for flags in lists) / 5 / 8 or 0.001 for a in range(0, 20, 5)]
    odds = [math.log(share / (1 - share)) for share in by_five for _ in range(5)]
    assert learning.odds(one, 8)[:20] == pytest.approx(odds)
    for segments in (1, 2, 5):
        sizes = [math.ceil(len(flags) / segments) for flags in lists]
        cut = [[flags[i : i + n] for i in range(0, len(flags), n)] for n, flags in zip(sizes, lists, strict=True)]
        shares = [sum(sum(p[s]) / len(p[s]) for p in cut if s < len(p)) / 8 for s in range(segments)]
        assert learning.by_share(one, 8, segments=segments) == pytest.approx(shares)


def test_the_odds_of_ranks_where_all_is_relevant_are_those_of_ranx():
    first_five = np.arange(5)
    one = learning.Places(np.zeros(5, int), first_five + 1, np.array([5]), np.ones(1))
    assert learning.odds(one, 1)[[0, 5]] == pytest.approx([math.log(1 / 0.001), math.log(0.001 / 0.999)])


def test_a_rank_is_worth_what_it_is_in_the_lists_that_have_it():
    judged = tr.read_qrels({q: {"a": 1} for q in ("q", "r", "s")})
    one = learning.places(judged, tr.open_run({"q": ["a", "b"], "r": ["b"]}), Rules())
    assert learning.by_rank(one, 3).tolist() == [0.5, 0.0]
    assert learning.mean_precision(one, 3) == pytest.approx(1 / 3)
