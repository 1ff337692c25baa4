"""Fused runs are what the definitions say, whatever the runs hold, and are read query by query."""

from __future__ import annotations

import gzip
import itertools
import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

import truerank as tr
from oracles_fusion import best_first, fused
from truerank.core.rules import Rules
from truerank.fusion import aligned, methods
from truerank.fusion.norms import NORMS
from truerank.fusion.pooled import pooled

PARAMS: dict[str, dict[str, Any]] = {
    "gmnz": {"gamma": 0.7},
    "wsum": {"weights": (0.2, 0.5, 0.3)},
    "wmnz": {"weights": (0.2, 0.5, 0.3)},
    "geometric_mean": {"weights": (0.2, 0.5, 0.3)},
    "harmonic_mean": {"weights": (0.7, 0, 2)},
    "mixed": {"weights": (0.2, 0.5, 0.3)},
    "rbc": {"phi": 0.8},
    "w_rrf": {"weights": (0.7, 0, 2), "k": 3},
    "w_bordafuse": {"weights": (2, 0, 1)},
    "w_condorcet": {"weights": (0.1, 0.2, 0.3)},
    "bayesfuse": {"log_odds": ((0.5, -1.0), (0.25,), (-2.0, -3.0, -4.0))},
    "mapfuse": {"map_scores": (0.3, 0.1, 0.2)},
    "posfuse": {"probs": ((0.5, 0.25), (0.125,), ())},
    "probfuse": {"probs": ((0.5, 0.25), (0.125, 0.5, 0.1), (1.0,))},
    "segfuse": {"probs": tuple(tuple((i + k) / 20 for k in range(10)) for i in range(3))},
    "slidefuse": {"probs": ((0.5, 0.25, 0.75), (0.125,), (0.5, 0.5, 0.0, 0.5)), "w": 1},
}
"""Of the methods that need some; three runs."""

Run = dict[str, dict[str, float]]


def world(seed: int, *, scores: int = 9, queries: int = 6, runs: int = 3) -> list[Run]:
    """Runs with many ties, of which each lacks a query now and then."""
    rng = random.Random(seed)
    docs = [f"d{i}" for i in range(14)]

    def one() -> dict[str, float]:
        return {doc: rng.randint(1, scores) / 4 for doc in rng.sample(docs, rng.randint(1, 10))}

    return [{f"q{q}": one() for q in range(queries) if q == 0 or rng.random() < 0.8} for _ in range(runs)]


def expected(runs: list[Run], method: str, norm: str | None, **params: Any) -> Run:
    queries = dict.fromkeys(itertools.chain.from_iterable(runs))
    return {q: fused([run.get(q, {}) for run in runs], method, norm, **params) for q in queries}


def assert_fused(found: tr.Run, wanted: Run) -> None:
    lists = found.to_dict()
    assert list(lists) == list(wanted)
    for query, scores in wanted.items():
        assert lists[query] == pytest.approx(scores, rel=1e-12, abs=1e-12)
        assert list(lists[query]) == best_first(lists[query])


@pytest.mark.parametrize("norm", [None, *NORMS])
@pytest.mark.parametrize("method", methods())
def test_every_method_is_its_definition_under_every_norm(method, norm):
    for seed in range(4):
        runs, params = world(seed), PARAMS.get(method, {})
        if method == "segfuse" and norm == "borda":
            continue  # its scores of what is not returned have no place in a list
        assert_fused(tr.fuse(runs, method, norm=norm, **params), expected(runs, method, norm, **params))


LISTS = st.dictionaries(
    st.sampled_from(["a", "b", "bb", "é", "id 7"]), st.floats(-1e6, 1e6).map(lambda x: round(x, 3)), max_size=5
)
RUNS = st.lists(st.dictionaries(st.sampled_from(["q", "r", "s"]), LISTS, max_size=3), min_size=3, max_size=3)


@given(
    runs=RUNS,
    method=st.sampled_from(sorted(methods())),
    norm=st.sampled_from([None, "min-max", "rank", "zmuv", "dbsf", "l2"]),
)
def test_any_runs_are_fused_as_defined_or_refused_in_words(runs, method, norm):
    shared = {q for one, other in itertools.combinations(runs, 2) for q in one if q in other}
    params = PARAMS.get(method, {})
    found = tr.fuse(runs, method, norm=norm, **params)
    if not shared:
        with pytest.raises(tr.InputError, match=r"no two of the runs answer a query in common|the run is empty"):
            found.to_dict()
        return
    wanted = expected(runs, method, norm, **params)
    for query, scores in found.to_dict().items():
        assert scores == pytest.approx(wanted[query], rel=1e-9, abs=1e-9)


ANSWERING = st.fixed_dictionaries({"q": LISTS}, optional={"r": LISTS, "s": LISTS})


@given(runs=st.lists(ANSWERING, min_size=2, max_size=3), seed=st.integers(0, 9))
def test_the_order_of_rows_changes_no_bit(runs, seed):
    mixed = [
        {q: dict(random.Random(seed).sample([*docs.items()], len(docs))) for q, docs in r.items()} for r in runs
    ]
    assert tr.fuse(runs, "sum").to_dict() == tr.fuse(mixed, "sum").to_dict()


@pytest.mark.parametrize("runs", [3, 4, 9])
@pytest.mark.parametrize("method", methods())
def test_the_order_of_the_runs_changes_no_bit(method, runs):
    rng = random.Random(runs)
    known = world(11, scores=900, runs=runs)
    order = rng.sample(range(runs), runs)
    tables = {
        key: [values[i % 3] for i in range(runs)]
        for key, values in PARAMS.get(method, {}).items()
        if listed(values)
    }
    fixed = {key: value for key, value in PARAMS.get(method, {}).items() if key not in tables}
    one = tr.fuse(known, method, **fixed, **tables)
    turned = {key: [values[i] for i in order] for key, values in tables.items()}
    other = tr.fuse([known[i] for i in order], method, **fixed, **turned)
    assert one.to_dict() == other.to_dict()


def listed(value: Any) -> bool:
    return isinstance(value, tuple)


@pytest.mark.parametrize("method", ["rrf", "isr", "rbc", "bordafuse", "sum", "mnz"])
@pytest.mark.parametrize("norm", ["min-max", "rank"])
def test_documents_with_the_same_ranks_are_tied_whatever_runs_they_are_of(method, norm):
    places = [{"x": 1, "y": 2}, {"x": 2, "y": 7}, {"x": 7, "y": 1}]
    runs = []
    for place in places:
        others = iter([f"d{i}" for i in range(5)])
        at = {rank: doc for doc, rank in place.items()}
        runs.append({"q": {at.get(rank) or next(others): 1 / rank for rank in range(1, 8)}})
    for order in itertools.permutations(runs):
        found = tr.fuse(order, method, norm=norm, **PARAMS.get(method, {})).to_dict()["q"]
        assert found["x"] == found["y"]


@pytest.mark.parametrize("scale", [1e-13, 1e13])
def test_votes_are_what_weights_are_to_each_other(scale):
    runs = world(13)
    weights = [0.1, 0.2, 0.3]
    one, other = (tr.fuse(runs, "w_condorcet", weights=[by * w for w in weights]) for by in (1, scale))
    assert one.to_dict() == other.to_dict()


def test_a_run_without_a_vote_decides_nothing():
    runs = [{"q": {"a": 2.0, "b": 1.0}}, {"q": {"c": 2.0, "b": 1.0}}]
    voted = tr.fuse(runs, "w_condorcet", weights=[1, 0]).to_dict()
    assert voted == {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}


def test_as_many_queries_are_fused_at_once_as_have_so_many_rows():
    runs = [tr.open_run({f"q{n}": ["a", "b"] for n in range(5)}) for _ in range(2)]
    pools = pooled(aligned.aligned(runs, Rules()), 8)
    assert [len(pool.queries) for pool in pools] == [2, 2, 1]


def test_how_many_queries_are_fused_at_once_changes_no_bit(monkeypatch):
    runs = world(5, queries=20)
    whole = tr.fuse(runs, "mnz", norm="zmuv").to_dict()
    monkeypatch.setattr(pooled, "__defaults__", (1,))
    assert tr.fuse(runs, "mnz", norm="zmuv").to_dict() == whole


def test_equal_scores_stand_in_the_order_of_the_rules():
    runs = [{"q": {"a": 2.0, "c": 1.0}}, {"q": {"b": 2.0, "c": 1.0}}]
    order = {
        "doc-descending": ["c", "b", "a"],
        "doc-ascending": ["c", "a", "b"],
    }
    for ties, docs in order.items():
        (columns,) = tr.fuse(runs, "rrf(k=60)", rules={"ties": ties}).batches()
        assert [bytes(columns.doc_text)[i : i + 1].decode() for i in range(3)] == docs


@pytest.mark.parametrize(
    ("ties", "docs"), [("doc-ascending", "acbd"), ("doc-descending", "cadb"), ("input", "acbd")]
)
def test_a_file_of_a_fused_run_has_equal_scores_in_the_order_of_the_rules(tmp_path, ties, docs):
    run = tr.fuse([{"q": ["a", "b"]}, {"q": ["c", "d"]}], rules={"ties": ties})
    run.save(tmp_path / "fused.run")
    rows = [line.split() for line in (tmp_path / "fused.run").read_text().splitlines()]
    assert [(row[2], row[3]) for row in rows] == [(doc, str(rank)) for rank, doc in enumerate(docs, 1)]


def test_rounding_orders_no_documents():
    probs = [[0.1, 0.2], [0.3], [0.3, 0.2, 0.1]]
    runs = [{"q": {"x": 2.0, "a": 1.0}}, {"q": {"b": 1.0}}, {"q": {"y": 3.0, "z": 2.0, "a": 1.0}}]
    lists = tr.fuse(runs, "posfuse", probs=probs).to_dict()
    assert [*lists["q"].items()] == [*dict.fromkeys("yba", 0.1 + 0.2).items(), ("z", 0.2), ("x", 0.1)]
    long = {"q": {f"d{i}": float(-i) for i in range(9)}}
    flat = tr.fuse([long, long], "slidefuse", probs=[[0.1] * 9] * 2, w=1).to_dict()
    assert len(set(flat["q"].values())) == 1


@pytest.mark.parametrize("method", ["sum", "mnz", "wsum", "med"])
def test_what_adds_up_to_nought_but_for_rounding_is_tied(method):
    down, up = ({"q": dict(zip("abcde", scores, strict=True))} for scores in ([0.5, 0.4, 0.3, 0.2, 0.1], range(5)))
    weights = {"weights": [0.3, 0.1 + 0.2]} if method == "wsum" else {}
    assert tr.fuse([down, up], method, norm="zmuv", **weights).to_dict()["q"] == dict.fromkeys("edcba", 0.0)
    plain = tr.fuse([down, {"q": {"a": -0.5, "b": -0.1 - 0.3, "c": -0.1 - 0.2}}], method, norm=None, **weights)
    assert [*plain.to_dict()["q"]] == [*"decba"]


def test_odds_that_add_up_to_nought_but_for_rounding_are_tied():
    runs = [{"q": dict(zip("abc", scores, strict=True))} for scores in ([3, 2, 1], [1, 2, 3], [3, 2, 1])]
    odds = [[0.1, 0.0, -0.1], [0.3, 0.0, -0.3], [0.2, 0.0, -0.2]]
    assert tr.fuse(runs, "bayesfuse", log_odds=odds).to_dict()["q"] == dict.fromkeys("cba", 0.0)


@given(orders=st.lists(st.permutations([3, 5, 6, 11, 11, 20]), min_size=2, max_size=4))
def test_sums_of_standard_scores_are_equal_where_sums_of_scores_are(orders):
    """Lists with the same scores, in other units."""
    docs = "abcdef"
    runs = [
        {"q": {doc: score * 10.0**-i for doc, score in zip(docs, own, strict=True)}} for i, own in enumerate(orders)
    ]
    found = tr.fuse(runs, "sum", norm="zmuv").to_dict()["q"]
    sums = {doc: sum(own) for doc, own in zip(docs, zip(*orders, strict=True), strict=True)}
    for one, other in itertools.combinations(docs, 2):
        assert (found[one] == found[other]) == (sums[one] == sums[other])


@pytest.mark.parametrize("seed", range(9))
def test_points_of_an_election_and_their_shares_give_one_order(seed):
    runs = world(seed)
    points, shares = (tr.fuse(runs, *how[:1], norm=how[1]) for how in (("bordafuse", None), ("sum", "borda")))
    for query in set.intersection(*map(set, runs)):
        assert [*shares.to_dict()[query]] == [*points.to_dict()[query]]


def test_ranks_of_equal_scores_follow_the_rules_too():
    runs = [{"q": {"a": 1.0, "b": 1.0}}, {"q": {"c": 1.0}}]
    assert tr.fuse(runs, "isr").to_dict()["q"] == {"c": 1.0, "b": 1.0, "a": 0.25}
    assert tr.fuse(runs, "isr", rules={"ties": "doc-ascending"}).to_dict()["q"] == {"c": 1.0, "a": 1.0, "b": 0.25}
    assert tr.fuse(runs, "isr", rules={"ties": "input"}).to_dict()["q"] == {"c": 1.0, "a": 1.0, "b": 0.25}


def test_depth_keeps_the_best_and_the_rules_depth_reads_the_best():
    runs = [{"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"c": 3.0, "b": 2.0}}]
    assert list(tr.fuse(runs, "rrf", depth=2).to_dict()["q"]) == ["c", "b"]
    assert tr.fuse(runs, "sum", norm=None, rules={"depth": 1}).to_dict() == {"q": {"c": 3.0, "a": 3.0}}


def test_a_fused_run_is_a_run_for_every_function():
    qrels, runs = {"q0": {"d1": 1, "d2": 1}}, world(3)
    one, other = tr.fuse(runs, "rrf"), tr.fuse(runs, "sum", name="added")
    assert tr.evaluate(qrels, one, "nDCG@10").mean == tr.evaluate(qrels, one.to_dict(), "nDCG@10").mean
    assert tr.compare(qrels, {"a": one, "b": other}, "RR").systems == ("a", "b")
    assert (one.name, other.name) == ("rrf", "added")


# Files


def written(path: Path, run: Run, *, shuffled: bool = False, order: int = 1) -> str:
    rows = [(q, doc, score) for q, docs in list(run.items())[::order] for doc, score in docs.items()]
    if shuffled:
        random.Random(1).shuffle(rows)
    path.write_text("".join(f"{q} Q0 {doc} 1 {score!r} tag\n" for q, doc, score in rows))
    return str(path)


def test_files_are_fused_like_dicts_whatever_their_order(tmp_path, monkeypatch):
    runs = world(7, queries=30)
    wanted = tr.fuse(runs, "sum").to_dict()
    same = [written(tmp_path / f"{i}.run", run) for i, run in enumerate(runs)]
    turned = [same[0], *(written(tmp_path / f"t{i}.run", run, order=-1) for i, run in enumerate(runs[1:]))]
    mixed = [same[0], *(written(tmp_path / f"m{i}.run", run, shuffled=True) for i, run in enumerate(runs[1:]))]
    assert tr.fuse(same, "sum").to_dict() == wanted
    for files in (turned, mixed):
        assert tr.fuse(files, "sum").to_dict() == {q: wanted[q] for q in tr.fuse(files, "sum").to_dict()}
        assert set(tr.fuse(files, "sum").to_dict()) == set(wanted)
    monkeypatch.setattr(aligned, "MOST", 20)
    assert set(tr.fuse(turned, "sum").to_dict()) == set(wanted)


def test_lists_that_wait_are_put_aside_on_disk_and_read_from_there(tmp_path, monkeypatch):
    runs = world(8, queries=40)
    wanted = tr.fuse(runs, "mnz").to_dict()
    files = [written(tmp_path / f"{i}.run", run, order=(1, -1, 1)[i]) for i, run in enumerate(runs)]
    aside: list[int] = []
    monkeypatch.setattr(aligned, "MOST", 10)
    put = aligned._Waiting._put_aside
    monkeypatch.setattr(aligned._Waiting, "_put_aside", lambda self: (aside.append(1), put(self)))
    found = tr.fuse(files, "mnz").to_dict()
    assert aside
    assert found == {query: wanted[query] for query in found}
    assert len(found) == len(wanted)


def test_what_is_put_aside_later_leaves_what_waits_on_disk_as_it_is(tmp_path, monkeypatch):
    run = {f"q{i}": {f"d{i}": 1.0, "x": 0.5} for i in range(5)}
    late = {query: run[query] for query in ("q1", "q3", "q0", "q4", "q2")}  # q4 is put aside while q3 waits
    monkeypatch.setattr(aligned, "MOST", 1)
    files = [written(tmp_path / "one.run", run), written(tmp_path / "late.run", late)]
    assert tr.fuse(files, "sum", norm=None).to_dict() == {q: {f"d{q[1:]}": 2.0, "x": 1.0} for q in run}


def test_only_a_few_lists_are_in_memory_at_once(tmp_path):
    """Files whose queries come in one order are read side by side: none is ahead of the others."""
    runs = [{f"q{q:05}": {f"d{d}": 1.0 + d + i for d in range(20)} for q in range(3000)} for i in range(2)]
    sources = [tr.open_run(written(tmp_path / f"{i}.run", run)) for i, run in enumerate(runs)]
    ahead = 0
    waiting = [aligned._Waiting(aligned.lists(source, tr.Rules())) for source in sources]
    for query, _ in waiting[0].rest():
        assert waiting[1].of(query) is not None
        ahead = max(ahead, waiting[1].rows)
    assert ahead == 0


def test_a_fused_run_is_saved_in_any_format_and_compressed(tmp_path):
    runs = world(9)
    run = tr.fuse(runs, "rrf", depth=3)
    for name in ("fused.run", "fused.run.gz", "fused.json", "fused.parquet"):
        run.save(tmp_path / name)
        assert tr.open_run(str(tmp_path / name)).to_dict() == run.to_dict()
    with gzip.open(tmp_path / "fused.run.gz", "rt") as file:
        ranks = [line.split()[3] for line in file]
    assert set(ranks) <= {"1", "2", "3"}


def test_scattered_rows_are_put_together_when_a_run_is_saved(tmp_path):
    runs = world(10)
    files = [written(tmp_path / f"{i}.run", run, shuffled=True) for i, run in enumerate(runs)]
    tr.fuse(files, "rrf").save(tmp_path / "fused.run")
    saved = tr.open_run(str(tmp_path / "fused.run")).to_dict()
    assert saved == {query: tr.fuse(runs, "rrf").to_dict()[query] for query in saved}


# What is refused


@pytest.mark.parametrize("runs", [[], [{"q": {"a": 1.0}}], {"q": {"a": 1.0}}, "one.run"])
def test_one_run_is_nothing_to_fuse(runs):
    with pytest.raises(tr.InputError, match="a list of at least two runs"):
        tr.fuse(runs)


def test_runs_that_are_not_in_a_list_are_refused_with_how_they_are_given():
    run = {"q": {"a": 1.0}}
    with pytest.raises(tr.InputError, match=r"a list of at least two runs: \[run, run\]$"):
        tr.fuse("one.run", run)
    with pytest.raises(tr.InputError, match=r"at least two runs: \[run, run\]; of a dict of runs, \[\*runs"):
        tr.fuse({"one": run, "other": run})


A, B = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 2.0}}


@pytest.mark.parametrize(
    ("method", "given", "message"),
    [
        ("rff", {}, "there is no method of fusion 'rff'. Did you mean rrf?"),
        ("rrf", {"norm": "minmax"}, "there is no norm 'minmax'. Did you mean min-max?"),
        ("rrf", {"q": 1}, "rrf takes k, not q"),
        ("rrf", {"weights": [1, 2]}, "rrf takes k, not weights. w_rrf takes weights."),
        ("mnz", {"weights": [1, 2]}, "mnz takes no parameters, not weights. wmnz takes weights."),
        ("isr", {"k": 1}, "isr takes no parameters, not k"),
        ("rrf", {"k": -1}, "rrf: k is a number from 0 on, not -1"),
        ("rbc", {"phi": 1.5}, "rbc: phi is a number from 0 to below 1, not 1.5"),
        ("rbc", {"phi": 1}, "rbc: phi is a number from 0 to below 1, not 1"),
        ("rrf(k=2)", {"k": 3}, "k is given twice: as 2 in 'rrf(k=2)', and as 3"),
        ("rrf(k=2, k=3)", {}, "cannot read the method"),
        ("rrf(k=1)(k=2)", {}, "cannot read the method"),
        ("sum", {"norm": []}, "there is no norm []"),
        ("rbc", {}, "rbc needs phi; write it like rbc(phi=…)"),
        ("rrf(60)", {}, "cannot read the method 'rrf(60)'"),
        ("rrf(k=60", {}, "cannot read the method"),
        ("wsum", {}, "wsum needs weights"),
        ("wsum", {"weights": [1]}, "wsum: weights has one value per run; give 2, not 1"),
        ("wsum", {"weights": [1, -1]}, "wsum: weights is a list of numbers from 0 on, one for each run"),
        ("wsum", {"weights": [0, 0]}, "one for each run and one above 0, not [0, 0]"),
        ("wsum", {"weights": [1, float("nan")]}, "wsum: weights is a list of numbers from 0 on"),
        ("wsum", {"weights": "12"}, "wsum: weights is a list of numbers from 0 on"),
        ("wsum", {"weights": {2, 1}}, "wsum: weights is a list of numbers from 0 on"),
        ("mapfuse", {"map_scores": {2, 1}}, "mapfuse: map_scores is a list of numbers, one for each run"),
        ("posfuse", {}, "posfuse learns probs from judgements: tr.tune_fusion"),
        ("posfuse", {"probs": [[1.0]]}, "posfuse: probs has one value per run; give 2, not 1"),
        ("posfuse", {"probs": [[1.0], ["x"]]}, "posfuse: probs is a list of numbers for each run, not"),
        ("posfuse", {"probs": [[1.0], ["0.5"]]}, "posfuse: probs is a list of numbers for each run, not"),
        ("posfuse", {"probs": [[1.0], [True]]}, "posfuse: probs is a list of numbers for each run, not"),
        ("posfuse", {"probs": ([p] for p in (1, 0.5))}, "posfuse: probs is a list of numbers for each run, not"),
        ("slidefuse", {"probs": [[1.0], [1.0]], "w": 2**63 - 1}, "slidefuse: w is 1000000 at most, not 922"),
        ("slidefuse", {"probs": [[1.0], [1.0]], "w": 0}, "slidefuse: w is a positive whole number, not 0"),
        ("rrf", {"depth": 0}, "depth is a positive whole number, not 0"),
        ("rrf", {"norm": "min-max-inverted", "rules": {"depth": 5}}, "takes the lowest scores for the best"),
    ],
)
def test_what_cannot_be_is_refused_in_words(method, given, message):
    with pytest.raises(tr.TruerankError, match=r".*") as error:
        tr.fuse([A, B], method, **given)
    assert message in str(error.value)


@pytest.mark.parametrize("score", [float("nan"), float("inf"), float("-inf")])
def test_a_score_that_is_not_finite_is_refused(score):
    with pytest.raises(tr.InputError, match=r"run 2: query q: the score is not a finite number"):
        tr.fuse([A, {"q": {"b": score}}], "sum").to_dict()


def test_scores_that_become_infinite_are_refused():
    with pytest.raises(tr.InputError, match="the fused scores of query q are not finite"):
        tr.fuse([{"q": {"a": 1.7e308}}, {"q": {"a": 1.7e308}}], "sum", norm=None).to_dict()
    runs = [{"q": {"a": 1.0, "b": 1.7e308}, "r": {"a": 1.0}}] * 2
    with pytest.raises(tr.InputError, match="the fused scores of query q are not finite"):
        tr.fuse(runs, "sum", norm=None).to_dict()


def test_a_sum_is_kept_where_the_sum_of_the_sizes_is_infinite():
    runs = [{"q": {"a": -1e308, "b": 2.0}}, {"q": {"a": 1.5e308, "b": -2.0}}]
    assert tr.fuse(runs, "sum", norm=None).to_dict() == {"q": {"a": 5e307, "b": 0.0}}


@pytest.mark.parametrize("method", ["geometric_mean", "harmonic_mean"])
def test_a_document_without_a_score_above_nought_has_none(method):
    runs = [{"q": {"a": 0.0, "b": 0.0}}, {"q": {"a": 0.0, "b": 4.0}}]
    assert tr.fuse(runs, method, norm=None, weights=(1, 1)).to_dict() == {"q": {"b": 4.0, "a": 0.0}}
    assert tr.fuse(runs, "sum", norm="max").to_dict() == {"q": {"b": 1.0, "a": 0.0}}


@pytest.mark.parametrize("highest", [-1.0, 0.0])
def test_scores_are_not_divided_by_a_highest_one_that_is_not_above_nought(highest):
    with pytest.raises(tr.InputError, match="no score of query q is above 0, and norm='max'"):
        tr.fuse([{"q": {"a": highest, "b": -2.0}}, A], "sum", norm="max").to_dict()


def test_negative_scores_are_divided_by_a_highest_one_that_is_above_nought():
    found = tr.fuse([{"q": {"a": 0.5, "b": -2.0}}, {"q": {"a": 1.0}}], "sum", norm="max").to_dict()
    assert found == {"q": {"a": 2.0, "b": -4.0}}


RANKED: list[Any] = [{"q": ["a", "b", "c"]}, {"q": ["c", "d"]}]


def neighbours(tmp_path, ids=(0, 1, 2)):
    """A file with distances that are known to be such, of the same lists."""
    np.savez(tmp_path / "n.npz", ids=np.array([ids]), distances=np.array([[0.1, 0.4, 0.9]]))
    return str(tmp_path / "n.npz")


def folder(tmp_path):
    """A folder of neighbours with distances."""
    (tmp_path / "faiss").mkdir()
    (tmp_path / "faiss" / "q0.json").write_text('{"ids": [1, 2], "distances": [0.1, 0.4]}')
    return tr.open_run(tmp_path / "faiss", r"faiss-folder(pattern='q(\d+)')")


@pytest.mark.parametrize("method", ["sum", "mnz", "gmnz", "wsum", "wmnz", "mixed"])
def test_ranks_and_distances_are_not_added_up_as_scores(method, tmp_path):
    params = {"gmnz": {"gamma": 0.5}, **{name: {"weights": [1, 1]} for name in ["wsum", "wmnz", "mixed"]}}
    for runs in (RANKED, [run.cut(3) for run in map(tr.open_run, RANKED)], [neighbours(tmp_path), {"0": {"2": 1}}]):
        fused = tr.fuse(runs, method, norm=None, **params.get(method, {}))
        with pytest.raises(tr.InputError, match="there are ranks or distances here and no scores"):
            fused.to_dict()


@pytest.mark.parametrize(
    "distant", [lambda path: neighbours(path, ["a", "b", "c"]), folder], ids=["names", "faiss-folder"]
)
def test_distances_beside_names_and_in_folders_are_known_too(distant, tmp_path):
    run = distant(tmp_path)
    for norm, said in (
        (None, "ranks or distances here and no scores"),
        ("min-max-inverted", "would turn them round"),
    ):
        with pytest.raises(tr.InputError, match=said):
            tr.fuse([run, run], "sum", norm=norm).to_dict()


@pytest.mark.parametrize(("method", "first"), [("max", ["a", "c"]), ("min", ["a"]), ("anz", ["a"])])
def test_ranks_without_a_norm_go_into_what_looks_at_the_runs_that_return_a_document(method, first):
    lists = tr.fuse(RANKED, method, norm=None).to_dict()["q"]
    assert sorted(doc for doc, score in lists.items() if score == max(lists.values())) == first


@pytest.mark.parametrize("method", ["sum", "rrf", "max"])
def test_distances_that_are_known_and_ranks_are_not_turned_round(method, tmp_path):
    for runs in (RANKED, [neighbours(tmp_path), {"0": {"2": 3.0, "3": 2.0}}]):
        with pytest.raises(tr.InputError, match="would turn them round; take norm='min-max'"):
            tr.fuse(runs, method, norm="min-max-inverted").to_dict()


def test_runs_without_a_query_in_common_are_refused():
    with pytest.raises(tr.InputError, match=r"no two of the runs answer a query in common \(run 1, run 2\)"):
        tr.fuse([A, {"other": {"a": 1.0}}]).to_dict()


def test_a_run_that_is_empty_is_said_to_be():
    for runs in ([{}, A], [A, {}]):
        with pytest.raises(tr.InputError, match=rf"run {runs.index({}) + 1}: the run is empty"):
            tr.fuse(runs).to_dict()


def test_a_document_twice_is_refused_with_its_lines(tmp_path):
    (tmp_path / "a.run").write_text("q Q0 a 1 2.0 t\nq Q0 a 2 1.0 t\n")
    with pytest.raises(
        tr.InputError, match=r"a.run:2: document a is returned twice for query q \(first in line 1\)"
    ):
        tr.fuse([str(tmp_path / "a.run"), A]).to_dict()
    first = tr.fuse([str(tmp_path / "a.run"), A], "sum", norm=None, rules={"duplicates": "first"})
    assert first.to_dict() == {"q": {"a": 4.0, "b": 1.0}}


@pytest.mark.parametrize("duplicates", ["once", "count"])
@pytest.mark.parametrize("scattered", [False, True])
def test_a_document_that_counts_twice_is_fused_in_its_first_place(duplicates, scattered):
    rows = [("q", "a", 1.0), ("q", "b", 2.0), ("q", "a", 3.0), ("q", "c", 0.5), ("r", "a", 1.0), ("r", "a", 2.0)]
    if scattered:
        rows = rows[:2] + rows[4:] + rows[2:4]
    rules = tr.Rules(duplicates=duplicates)
    assert tr.evaluate({"q": ["a"]}, rows, "RR", rules=rules).mean == {"RR": 1.0}
    fused = tr.fuse([rows, {"q": {"z": 0.1}}], "max", norm=None, rules=rules).to_dict()
    assert fused == {"q": {"a": 3.0, "b": 2.0, "c": 0.5, "z": 0.1}, "r": {"a": 2.0}}
    best = tr.fuse([rows, {"q": {"z": 0.1}}], "isr", rules=rules.replace(depth=2)).to_dict()
    assert best["q"] == {"z": 1.0, "a": 1.0, "b": 0.25}


def test_equal_scores_of_a_list_become_nought():
    runs = [{"q": {"a": 3.0, "b": 3.0}}, {"q": {"b": 0.1}}]
    for norm in ("min-max", "min-max-inverted", "sum", "zmuv"):
        assert tr.fuse(runs, "sum", norm=norm).to_dict() == {"q": {"b": 0.0, "a": 0.0}}


@pytest.mark.parametrize("by", [1e155, 1e308, 1e-200, 5e-324])
def test_scores_of_any_size_are_normed_alike(by):
    """Their squares and sums are beyond what a float holds."""
    usual, docs = {"a": 1.5, "b": 1.0, "c": 0.5, "d": -1.5}, 1.0 if by > 1e-323 else 2.0
    runs = [{"q": {doc: score * docs * by for doc, score in usual.items()}}, {"q": {"z": 1.0}}]
    for norm in ("zmuv", "sum", "dbsf", "l2", "min-max", "min-max-opensearch"):
        found = tr.fuse(runs, "sum", norm=norm).to_dict()["q"]
        plain = tr.fuse([{"q": usual}, runs[1]], "sum", norm=norm).to_dict()["q"]
        assert found == pytest.approx(plain, rel=1e-15, abs=1e-15)
        assert found["a"] > found["b"]


def test_qdrant_s_and_opensearch_s_hybrid_queries_are_norms_and_methods():
    """Each number as their code comes to it: a document that is found once has the mean of one score."""
    runs = [{"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"b": 8.0, "d": 4.0}}, {"q": {"d": 5.0}}]
    dbsf = {"b": 1 + 0.5**0.5 / 6, "d": 1 - 0.5**0.5 / 6, "a": 2 / 3, "c": 1 / 3}
    assert tr.fuse(runs, "sum", norm="dbsf").to_dict()["q"] == pytest.approx(dbsf, abs=1e-15)
    weights = [0.3, 0.7, 1.0]
    means = {
        "geometric_mean": {"a": 1.0, "b": 0.5**0.3, "d": 0.001 ** (0.7 / 1.7), "c": 0.001},
        "harmonic_mean": {"a": 1.0, "b": 1 / (0.3 / 0.5 + 0.7), "d": 1.7 / (0.7 / 0.001 + 1), "c": 0.001},
    }
    for method, wanted in means.items():
        found = tr.fuse(runs, method, norm="min-max-opensearch", weights=weights).to_dict()["q"]
        assert found == pytest.approx(wanted, rel=1e-14)
    lengths = tr.fuse(runs, "max", norm="l2").to_dict()["q"]
    assert lengths == pytest.approx({"d": 1.0, "b": 8 / 80**0.5, "a": 3 / 14**0.5, "c": 1 / 14**0.5}, rel=1e-14)
    below = [{"q": {"a": -1.0, "b": 0.0, "c": 2.0}}, {"q": {"b": -3.0, "c": 8.0}}]
    for method, mean in (("geometric_mean", 4.0), ("harmonic_mean", 3.2)):
        assert tr.fuse(below, method, norm=None, weights=[1, 1]).to_dict()["q"] == {"c": mean, "b": 0.0, "a": 0.0}


def test_methods_go_by_the_names_of_the_literature():
    runs = world(2)
    for one, other in [("CombSUM", "sum"), ("comb_mnz", "mnz"), ("RRF", "rrf"), ("Borda", "bordafuse")]:
        assert tr.fuse(runs, one).to_dict() == tr.fuse(runs, other).to_dict()
    weights = {"weights": [1, 2, 3]}
    assert tr.fuse(runs, "weighted_sum", **weights).to_dict() == tr.fuse(runs, "wsum", **weights).to_dict()
    assert (
        tr.fuse(runs, "weighted_condorcet", **weights).to_dict()
        == tr.fuse(runs, "w_condorcet", **weights).to_dict()
    )


def test_a_majority_that_orders_all_documents_is_the_condorcet_order():
    orders = [["a", "b", "c", "d"], ["a", "b", "c", "d"], ["d", "c", "b", "a"]]
    runs = [{"q": {doc: float(-i) for i, doc in enumerate(order)}} for order in orders]
    assert tr.fuse(runs, "condorcet").to_dict() == {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}
    cycle = [{"q": {doc: float(-i) for i, doc in enumerate(order)}} for order in ("abc", "bca", "cab")]
    assert tr.fuse(cycle, "condorcet").to_dict() == {"q": {"c": 2.0, "b": 2.0, "a": 2.0}}


def test_the_condorcet_order_does_not_depend_on_how_many_pairs_are_compared_at_once(monkeypatch):
    runs = world(12)
    whole = tr.fuse(runs, "condorcet").to_dict()
    monkeypatch.setattr("truerank.fusion.ranks.PAIRS", 3)
    assert tr.fuse(runs, "condorcet").to_dict() == whole


# What a run can do


def test_a_run_becomes_a_dict_and_frames_best_first(tmp_path):
    run = tr.open_run({"q": {"a": 1.0, "c": 1.0, "b": 2.0}, "r": ["x", "y"]})
    assert run.to_dict() == {"q": {"b": 2.0, "a": 1.0, "c": 1.0}, "r": {"x": 0.0, "y": -1.0}}
    assert list(run.to_dict()["q"]) == ["b", "a", "c"]
    frame = run.to_pandas()
    assert list(frame.columns) == ["query_id", "doc_id", "rank", "score"]
    assert run.to_polars().rows() == [tuple(row) for row in frame.itertuples(index=False)]
    assert run.to_arrow().to_pydict() == frame.to_dict("list")


@pytest.mark.parametrize("rules", ["msmarco", "truerank", "ir_measures-msmarco"])
@pytest.mark.parametrize("scattered", [False, True])
def test_what_a_run_becomes_keeps_the_order_of_equal_scores(rules, scattered, tmp_path):
    rows = [("q", "a", 1), ("q", "b", 1), ("p", "x", 2), ("p", "w", 2), ("q", "z", 7)]
    path = tmp_path / "a.run"
    path.write_text("".join(f"{q} Q0 {d} 1 {s} t\n" for q, d, s in (rows if scattered else sorted(rows))))
    run, qrels = tr.open_run(path), {"q": ["a"], "p": ["x"]}
    wanted = tr.evaluate(qrels, run, "RR", rules=rules).per_query()
    for same in (run.cut(5), run.head(5), run.to_dict(), run.to_pandas()):
        assert tr.evaluate(qrels, same, "RR", rules=rules).per_query() == wanted
    run.cut(2).save(tmp_path / "b.run")
    assert list(tr.open_run(tmp_path / "b.run").to_dict()["q"]) == ["z", "a"]


@pytest.mark.parametrize("how", [lambda run: run.cut(2), lambda run: run.head(1)], ids=["cut", "head"])
def test_what_has_ranks_or_distances_and_no_scores_has_none_when_it_is_cut(how, tmp_path):
    lists = {"q": ["a#1", "a#2"], "r": ["b#1"]}
    some = how(tr.open_run(lists))
    some.save(tmp_path / "some.jsonl")
    assert '"scores"' not in (tmp_path / "some.jsonl").read_text()
    with pytest.raises(tr.TruerankError, match="GAP"):
        tr.evaluate({"q": {"a#1": 1}}, some, "GAP")
    (tmp_path / "ranks.tsv").write_text("query_id\tdoc_id\trank\nq\ta#1\t1\nq\ta#2\t7\n")
    np.savez(tmp_path / "n.npz", ids=np.array([[0, 1]]), distances=np.array([[0.1, 0.4]]))
    for run in (lists, tmp_path / "ranks.tsv", tmp_path / "n.npz"):
        whole = tr.open_run(run)
        assert how(whole).to_dict().items() <= whole.to_dict().items()
        with pytest.raises(tr.InputError, match="ranks or distances here and no scores"):
            tr.collapse(how(whole), "sum", ids="(.)").to_dict()


def test_a_run_is_cut_and_its_head_taken_without_being_changed(tmp_path):
    path = written(tmp_path / "a.run", {"q": {"a": 1.0, "b": 2.0}, "r": {"x": 1.0}, "s": {"y": 1.0}}, shuffled=True)
    run = tr.open_run(path)
    assert set(run.head(2).to_dict()) < {"q", "r", "s"}
    assert len(run.head(2).to_dict()) == 2
    assert run.cut(1).to_dict() == {q: dict([*docs.items()][:1]) for q, docs in run.to_dict().items()}
    assert tr.evaluate({"q": {"a": 1}}, run.cut(1), "R@10").mean == {"R@10": 0.0}
    assert run.cut(2**63).to_dict() == run.head(2**63).to_dict() == run.to_dict()
    for wrong in (0, -1, "2"):
        with pytest.raises(tr.InputError, match="is a positive whole number"):
            run.cut(wrong)


@pytest.mark.parametrize("made", ["batches", "file"])
def test_the_head_has_whole_lists_where_rows_of_its_queries_stand_behind_others(made, tmp_path):
    """As where the runs of several shards were put one behind the other."""
    shard = {f"q{i}": {f"d{i}": 1.0} for i in range(40_000 if made == "file" else 3)}
    rows = [(q, d, s) for q, docs in shard.items() for d, s in docs.items()] + [("q0", "late", 2.0)]
    if made == "file":
        run = tmp_path / "a.run"
        run.write_text("".join(f"{q} Q0 {d} 1 {s} {'long' * 9}\n" for q, d, s in rows))
    else:
        table = pyarrow.table({"query_id": pyarrow.array([q for q, _, _ in rows])})
        table = table.append_column("doc_id", [[d for _, d, _ in rows]])
        run = table.append_column("score", [[s for _, _, s in rows]]).to_batches(max_chunksize=2)
    head = tr.open_run(run).head(1)
    assert head.to_dict() == {"q0": {"late": 2.0, "d0": 1.0}}
    assert tr.evaluate({"q0": ["late"]}, head, "RR").mean == {"RR": 1.0}


@pytest.mark.parametrize("norm", ["min-max", "sum", "rank", "borda"])
@pytest.mark.parametrize("method", ["min", "max", "med", "sum", "anz", "mnz"])
def test_a_run_without_the_query_changes_nothing(method, norm):
    one, other = {"q": {"a": 3.0, "b": 2.0, "c": 1.0, "d": 0.5}, "r": {"z": 1.0}}, {"q": {"c": 1.0, "b": 0.5}}
    fused = tr.fuse([one, other], method, norm=norm).to_dict()["q"]
    assert tr.fuse([one, other, {"r": {"z": 1.0}}], method, norm=norm).to_dict()["q"] == fused


@pytest.mark.parametrize("made", [tr.fuse, tr.tune_fusion])
def test_a_fused_run_goes_to_another_process(made):
    runs = [{q: {"a": 2.0, "b": 1.0} for q in "qrst"}, {q: {"b": 2.0, "c": 1.0} for q in "qrst"}]
    run = (
        tr.fuse(runs, "rrf")
        if made is tr.fuse
        else tr.tune_fusion({q: {"b": 1} for q in "qrst"}, runs, folds=2).run
    )
    assert pickle.loads(pickle.dumps(run)).to_dict() == run.to_dict()
    assert pickle.loads(pickle.dumps(run.cut(1).head(2))).to_dict() == run.cut(1).head(2).to_dict()
