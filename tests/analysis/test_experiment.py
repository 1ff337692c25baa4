"""An experiment is evaluate, bench and compare in one call: the same numbers, and its mistakes are said early."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas
import polars
import pytest

import truerank as tr
from truerank.analysis.experiment.experimenting import is_live
from truerank.core.equal import are_equal
from truerank.live import SimulatedClock
from truerank.live.adapters import adapt
from truerank.present.renderers.json import dumps

RANDOM = np.random.default_rng(7)
DOCS = [f"d{n}" for n in range(20)]
QUERIES = {f"q{n:02}": f"text {n}" for n in range(40)}
QRELS = {
    q: dict(zip(RANDOM.choice(DOCS, 6, False).tolist(), RANDOM.integers(0, 3, 6).tolist(), strict=True))
    for q in QUERIES
}
MEASURES = "nDCG@5 AP RR"


def made(seed: int) -> dict[str, dict[str, float]]:
    """A run of random scores, with ties."""
    random = np.random.default_rng(seed)
    return {
        q: dict(zip(random.choice(DOCS, 12, False).tolist(), random.integers(0, 9, 12).tolist(), strict=True))
        for q in QUERIES
    }


RUNS = {"old": made(1), "new": made(2), "third": made(3)}


def asking(run: dict[str, dict[str, float]]) -> Callable[[str, int], list[tuple[str, float]]]:
    """A retriever that answers as a run does."""
    named = {text: q for q, text in QUERIES.items()}

    def search(query: str, k: int) -> list[tuple[str, float]]:
        return sorted(run[named[query]].items(), key=lambda pair: -pair[1])[:k]

    return search


LIVE = {name: asking(run) for name, run in RUNS.items()}


def plain(found: tr.Comparison) -> str:
    return json.dumps(found.to_dict(), sort_keys=True)


@pytest.mark.parametrize("baseline", [None, "old"])
@pytest.mark.parametrize("rules", [None, "trec_eval-9"])
def test_an_experiment_of_runs_is_the_comparison_of_their_scores_to_the_bit(baseline, rules):
    found = tr.experiment(RUNS, QUERIES, QRELS, MEASURES, baseline=baseline, rules=rules, seed=3)
    scores = {name: tr.evaluate(QRELS, run, MEASURES, rules=rules) for name, run in RUNS.items()}
    expected = tr.compare(None, scores, MEASURES, baseline, seed=3)
    assert plain(found.comparison) == plain(expected)
    for name, one in scores.items():
        assert found.mean[name] == one.mean
        assert all(found.scores[name][m].tobytes() == one[m].tobytes() for m in one)
    assert found.timings == {}


def test_retrievers_score_what_their_answers_score_as_runs():
    live = tr.experiment(LIVE, QUERIES, QRELS, MEASURES, baseline="old")
    read = tr.experiment(RUNS, None, QRELS, MEASURES, baseline="old")
    assert plain(live.comparison) == plain(read.comparison)
    assert list(live.timings) == list(RUNS)
    assert all(len(one.measured) == len(QUERIES) for one in live.benches.values())


def test_runs_retrievers_and_benchmarks_stand_beside_each_other_in_the_order_given():
    bench = tr.bench(LIVE["new"], QUERIES, k=20)
    found = tr.experiment({"new": bench, "old": RUNS["old"], "third": LIVE["third"]}, QUERIES, QRELS, MEASURES)
    expected = tr.compare(QRELS, {name: RUNS[name] for name in ("new", "old", "third")}, MEASURES)
    assert found.comparison.systems == ("new", "old", "third")
    assert plain(found.comparison) == plain(expected)
    assert found.timings["new"]["p50"] == bench.latency["p50"]
    assert list(found.benches) == ["new", "third"]


def test_a_saved_benchmark_is_a_system_without_asking_again(tmp_path: Path):
    first = tr.experiment({"new": LIVE["new"]}, QUERIES, QRELS, MEASURES)
    first.benches["new"].save(tmp_path / "new.json")
    again = tr.experiment({"new": tr.Bench.read(tmp_path / "new.json")}, None, QRELS, MEASURES)
    assert again.mean == first.mean
    assert again.timings == first.timings


def test_a_mapping_from_measures_finds_them_however_they_are_spelled():
    found = tr.experiment(RUNS, None, QRELS, MEASURES)
    assert list(found) == ["nDCG@5", "AP", "RR"]
    assert found["mrr"] is found.comparison["RR"]
    with pytest.raises(tr.MeasureError, match="P@5 was not compared"):
        found["P@5"]


def test_times_are_those_of_the_calls():
    clock = SimulatedClock()

    def slow(query: str, k: int) -> list[str]:
        clock.sleep(0.002)
        return DOCS[:k]

    found = tr.experiment({"slow": slow, "old": RUNS["old"]}, QUERIES, QRELS, "RR", clock=clock, warmup=0)
    assert found.timings == {"slow": {"p50": 2.0, "p95": 2.0, "per_second": 500.0, "failed": 0}}
    row = found.to_pandas().set_index("system").loc["slow"]
    assert (row["p50"], row["p95"], row["per_second"], row["failed"]) == (2.0, 2.0, 500.0, 0)
    assert math.isnan(found.to_pandas().set_index("system").loc["old", "p50"])


@pytest.mark.parametrize(
    ("measures", "asked"), [("nDCG@5 RR@20", 20), ("P@5 AP", 1000), ("Success@1", 1), ("AP(depth=30)", 30)]
)
def test_as_many_documents_are_asked_for_as_the_measures_look_at(measures, asked):
    seen = set()

    def search(query: str, k: int) -> list[str]:
        seen.add(k)
        return DOCS[:k]

    tr.experiment({"a": search}, QUERIES, QRELS, measures)
    assert seen == {asked}
    tr.experiment({"a": search}, QUERIES, QRELS, measures, k=7)
    assert seen == {asked, 7}


def test_benchmarks_of_the_same_queries_need_no_queries():
    benches = {name: tr.bench(LIVE["new"], QUERIES, k=20) for name in ("one", "other")}
    found = tr.experiment(benches, None, QRELS, "RR")
    assert found.mean["one"] == found.mean["other"] == tr.evaluate(QRELS, RUNS["new"], "RR").mean


def test_what_an_experiment_gives_may_be_written_into():
    found = tr.experiment({"new": LIVE["new"]}, QUERIES, QRELS, "RR")
    before = found.to_dict()
    for row in (found.mean["new"], found.scores["new"].mean, found.timings["new"]):
        row["system"] = "new"
    assert found.to_dict() == before


def test_queries_leave_out_what_is_not_among_them_for_every_system():
    some = dict(list(QUERIES.items())[:25])
    found = tr.experiment({"old": RUNS["old"], "new": LIVE["new"]}, some, QRELS, "RR")
    kept = {q: QRELS[q] for q in some}
    assert found.mean["old"] == tr.evaluate(kept, RUNS["old"], "RR").mean
    assert found.mean["new"] == tr.evaluate(kept, RUNS["new"], "RR").mean
    assert found.unasked == 15
    assert "15 judged queries are not among the queries, and are in no mean." in found.to_text()
    assert "15 answered but not judged, or judged but not asked (left out)" in found.to_text()
    assert found.scores["old"].to_dict()["ledger"]["unasked"] == 15


@pytest.mark.parametrize("given", [tr.evaluate, tr.read, None, "several"])
def test_queries_leave_out_what_was_scored_or_read_before(tmp_path, given):
    some = dict(list(QUERIES.items())[:25])
    old = RUNS["old"]
    if given is None:
        old = tmp_path / "old.json"
        old.write_text(dumps(tr.evaluate(QRELS, RUNS["old"], "RR").to_dict(per_query=True)))
    elif given == "several":
        old = [tr.evaluate(QRELS, RUNS[name], "RR") for name in ("old", "third")]
    else:
        old = given(QRELS, RUNS["old"], **({"measures": "RR"} if given is tr.evaluate else {}))
    kept = {q: QRELS[q] for q in some}
    alone = [tr.evaluate(kept, RUNS[name], "RR")["RR"] for name in ("old", "third")]
    means = np.mean(alone if given == "several" else alone[:1], axis=0)
    for systems in ({"old": old, "new": LIVE["new"]}, {"old": old}):
        found = tr.experiment(systems, some, QRELS, "RR")
        assert math.isclose(found.mean["old"]["RR"], means.mean(), rel_tol=1e-15)
        assert found.mean["old"]["RR"] == found["RR"].means["old"].estimate
        assert (found.unasked, found.comparison.dropped) == (15, 0)
        assert "15 judged queries are not among the queries, and are in no mean." in found.to_text()


def test_queries_leave_out_what_was_scored_before_where_there_are_no_judgements():
    some = dict(list(QUERIES.items())[:25])
    found = tr.experiment({"old": tr.evaluate(QRELS, RUNS["old"], "RR Coverage(docs=40)@5")}, some)
    kept = tr.evaluate({q: QRELS[q] for q in some}, RUNS["old"], "RR Coverage(docs=40)@5")
    assert (found.mean["old"], found.unasked) == (kept.mean, 15)
    assert found["Coverage(docs=40)@5"].means["old"].method == "none"


@pytest.mark.parametrize("frame", [pandas.DataFrame, polars.DataFrame])
def test_queries_may_be_a_table_as_pyterriers_topics_are(frame):
    topics = frame({"qid": list(QUERIES), "query": list(QUERIES.values())})
    found = tr.experiment({"new": LIVE["new"]}, topics, QRELS, "RR")
    assert found.mean["new"] == tr.evaluate(QRELS, RUNS["new"], "RR").mean


def test_a_retriever_that_fails_scores_0_there_and_that_is_said():
    def failing(query: str, k: int) -> list[str]:
        if query == "text 3":
            raise OSError("the index is gone")
        return LIVE["old"](query, k)

    found = tr.experiment({"old": RUNS["old"], "failing": failing}, QUERIES, QRELS, "RR AP")
    lost = list(found.scores["failing"].queries).index("q03")
    expected = tr.evaluate(QRELS, {**RUNS["old"], "q03": {}}, "RR AP")
    assert found.scores["failing"]["AP"][lost] == 0
    assert found.mean["failing"] == expected.mean
    assert found.timings["failing"]["failed"] == 1
    assert "failing: Warning: of 40 calls 1 failed." in found.to_text()
    assert "OSError: the index is gone" in found.to_text()
    assert "failed" in next(line for line in found.to_markdown().splitlines() if line.startswith("|"))


def test_a_retriever_that_never_answers_scores_0():
    def broken(query: str, k: int) -> list[str]:
        raise OSError("no")

    found = tr.experiment({"old": RUNS["old"], "broken": broken}, QUERIES, QRELS, "RR")
    assert found.mean["broken"] == {"RR": 0.0}
    assert found.timings["broken"]["p50"] is None
    assert dumps(found.to_dict())
    assert found._repr_html_()


def test_where_all_calls_failed_nothing_is_said_of_ids():
    def broken(query: str, k: int) -> list[str]:
        raise OSError("no")

    found = tr.experiment({"old": RUNS["old"], "broken": broken}, QUERIES, QRELS, "RR")
    assert "truerank lint" not in found.to_text()
    assert repr(found).splitlines()[1].startswith("  broken: Warning: of 40 calls 40 failed.")


def test_a_retriever_of_which_no_document_is_judged_is_warned_of():
    found = tr.experiment({"old": RUNS["old"], "places": lambda query, k: ["0", "1"]}, QUERIES, QRELS, "RR")
    assert found.to_text().count("Warning: none of the returned documents is judged") == 1


def test_a_first_answer_that_cannot_be_read_names_the_system():
    with pytest.raises(tr.InputError, match=r"^odd: "):
        tr.experiment({"old": RUNS["old"], "odd": lambda query, k: 7}, QUERIES, QRELS, "RR")


def test_repeated_documents_of_a_retriever_count_once_and_runs_keep_their_scores():
    found = tr.experiment(
        {"old": RUNS["old"], "twice": lambda query, k: ["d1", "d1", "d2"]}, QUERIES, QRELS, "RR AP"
    )
    assert found.mean["old"] == tr.evaluate(QRELS, RUNS["old"], "RR AP").mean
    assert found.mean["twice"] == tr.evaluate(QRELS, {q: ["d1", "d2"] for q in QUERIES}, "RR AP").mean
    assert "duplicates=first" in found.to_text()


def test_one_system_has_means_and_nothing_to_compare():
    found = tr.experiment({"old": RUNS["old"]}, None, QRELS, MEASURES, baseline="old")
    assert found["AP"].pairs == ()
    assert found.to_latex().count(r"\begin{tabular}") == 1


ASKED: list[str] = []


def never(query: str, k: int) -> list[str]:
    ASKED.append(query)
    return DOCS[:k]


@pytest.mark.parametrize(
    ("arguments", "options", "said"),
    [
        (({}, QUERIES, QRELS), {}, "there is no run to compare"),
        (({"a": never}, None, QRELS), {}, "queries are needed to ask a"),
        (({"a": never}, {}, QRELS), {}, "there are no queries"),
        (({"a": never}, QUERIES, None), {}, "a: qrels are needed"),
        (({"a": RUNS["old"]}, QUERIES, None), {}, "a: qrels are needed"),
        (([never], QUERIES, QRELS), {}, "a retriever is given by name: systems = {'bm25': …}"),
        ((never, QUERIES, QRELS), {}, "a retriever is given by name"),
        (({"a": never, "b": never}, QUERIES, QRELS), {"baseline": "bm25"}, "no system 'bm25' for a baseline"),
        (({"a": never}, QUERIES, QRELS), {"baseline": 1}, "there are 1 systems, none at place 1"),
        (({"a": never}, QUERIES, QRELS), {"test": "anova"}, "there is no test 'anova'"),
        (({"a": never}, QUERIES, QRELS), {"test": None}, "there is no test None"),
        (({"a": never}, QUERIES, QRELS), {"correction": None}, "there is no correction None"),
        (({"a": never}, QUERIES, QRELS), {"baseline": 1.5}, "there is no system 1.5 for a baseline"),
        ((None, QUERIES, QRELS), {}, "runs are {name: run} or a list of runs, not None"),
        (({"a": never}, QUERIES, QRELS), {"measures": "NDGC"}, "unknown measure 'NDGC'. Did you mean nDCG?"),
        (({"a": never}, QUERIES, QRELS), {"rules": "trec"}, "trec"),
        (({"a": never}, QUERIES, {"other": {"d1": 1}}), {}, "none of the queries is judged"),
        (({"a": never, "b": "no_such_module:search"}, QUERIES, QRELS), {}, "there is no module 'no_such_module'"),
        (({"a": never, "b": "missing.run"}, QUERIES, QRELS), {}, "missing.run"),
        (({"a": never, "b": 3}, QUERIES, QRELS), {}, "a run is a path"),
        (({"a": never}, QUERIES, QRELS), {"headers": {}}, "has no option 'headers'"),
        (([never, never], QUERIES, QRELS), {"names": ["a"]}, "there are 2 systems and 1 names"),
        (([never, never], QUERIES, QRELS), {"names": ["a", "a"]}, "two systems have one name: a, a"),
        (({"a": never}, QUERIES, QRELS), {"names": ["a"]}, "names are a list, of systems in a list"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_what_is_wrong_is_said_before_anything_is_asked(arguments, options, said):
    ASKED.clear()
    with pytest.raises(tr.TruerankError) as error:
        tr.experiment(*arguments, **{"measures": "RR", **options})
    assert said in str(error.value)
    assert ASKED == []


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("base", "Did you mean baseline?"),
        ("confidnce", "Did you mean confidence?"),
        ("measure", "Did you mean measures?"),
        ("timeot", "Did you mean timeout?"),
        ("alpha", "confidence=0.95 is a level of 0.05"),
        ("eval_metrics", "measures="),
        ("perquery", "to_pandas('queries')"),
        ("by", "compare(None, found.scores, by=…)"),
        ("correction_alpha", "confidence=0.95 is a level of 0.05"),
        ("filter_by_qrels", "over the queries that are judged"),
        ("verbose", "progress="),
        ("highlight", "the best mean in bold"),
        ("dataframe", "found.to_pandas()"),
        ("save_mode", "found.benches[name].save_run(path)"),
    ],
)
def test_an_option_that_there_is_not_is_a_type_error_also_where_nothing_is_asked(option, said):
    with pytest.raises(TypeError, match=f"experiment\\(\\) has no option {option!r}") as error:
        tr.experiment(RUNS, None, QRELS, "RR", **{option: "old"})
    assert said in str(error.value)


def test_systems_may_be_a_list_with_names_as_pyterrier_has_them():
    frame = pandas.DataFrame(
        [(q, doc, score) for q, docs in RUNS["old"].items() for doc, score in docs.items()],
        columns=["qid", "docno", "score"],
    )
    found = tr.experiment([frame, LIVE["new"]], QUERIES, QRELS, "RR", names=["a", "b"], baseline=0)
    assert found.mean == {
        "a": tr.evaluate(QRELS, RUNS["old"], "RR").mean,
        "b": tr.evaluate(QRELS, RUNS["new"], "RR").mean,
    }
    assert found["RR"].pair("b", "a").system == "b"


def test_an_interrupted_retriever_ends_the_experiment():
    def interrupted(query: str, k: int) -> list[str]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tr.experiment({"a": interrupted, "b": LIVE["old"]}, QUERIES, QRELS, "RR")


def test_progress_counts_queries_of_each_retriever_and_then_measures():
    told: list[tuple[int, int]] = []
    systems = {"old": RUNS["old"], "new": LIVE["new"], "third": LIVE["third"]}
    tr.experiment(systems, QUERIES, QRELS, MEASURES, progress=lambda done, total: told.append((done, total)))
    assert {total for _, total in told} == {83}
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert {40, 80, 81, 82, 83} <= {done for done, _ in told}  # and others, where a second passes meanwhile


def test_the_flat_table_has_a_row_a_system_as_pyterrier_lays_it_out():
    found = tr.experiment(RUNS, None, QRELS, "AP", baseline="old")
    frame = found.to_pandas().set_index("system")
    pair = found["AP"].pair("new", "old")
    assert pair
    assert list(frame.columns) == ["AP", *(f"AP {c}" for c in ("+", "-", "difference", "low", "high", "p-value"))]
    assert frame.loc["new"].tolist() == [
        found.mean["new"]["AP"],
        pair.wins,
        pair.losses,
        pair.difference.estimate,
        pair.difference.low,
        pair.difference.high,
        pair.adjusted,
    ]
    assert frame.loc["old"].isna().sum() == 6
    assert list(tr.experiment(RUNS, None, QRELS, "AP").to_pandas().columns) == ["system", "AP"]


def test_both_tables_of_a_paper_have_captions_and_numbers_below_0_a_minus():
    text = tr.experiment(RUNS, None, QRELS, "AP", baseline="old").to_latex()
    assert text.count(r"\caption{") == text.count(r"\begin{table}") == 2
    assert "[$-$0." in text
    assert "[-" not in text


def test_its_table_shows_letters_differences_and_times():
    found = tr.experiment({**RUNS, "live": LIVE["old"]}, QUERIES, QRELS, "AP RR", baseline="old")
    means, differences = found._laid().tables
    assert means.columns[:4] == ("", "run", "AP", "RR")
    assert [heading.split()[0] for heading in means.columns[4:6]] == ["p50", "p95"]
    assert [row[:2] for row in differences.rows if row[0] == "AP"] == [
        ("AP", name) for name in sorted(("new", "third", "live"), key=lambda n: -found.mean[n]["AP"])
    ]
    assert found.to_latex().count(r"\begin{table}") == 2
    assert "p: paired randomization test" in found.to_text()
    assert "live: closed loop, 1 worker, k 1000; 40 calls" in found.to_text()


def test_a_system_has_the_same_colour_in_every_picture():
    found = tr.experiment({"old": RUNS["old"], "new": LIVE["new"], "third": LIVE["third"]}, QUERIES, QRELS, "RR")
    intervals, pareto = found.plot().figures
    assert [figure.name for figure in (intervals, pareto)] == ["intervals", "pareto"]
    colours = [intervals.specification["encoding"]["color"], pareto.specification["layer"][1]["encoding"]["color"]]
    assert [one["scale"] for one in colours] == [{"domain": ["old", "new", "third"]}] * 2
    assert colours[1]["legend"]["values"] == ["new", "third"]


def test_percentages_are_for_people():
    found = tr.experiment(RUNS, None, QRELS, "AP")
    assert f"{100 * found.mean['new']['AP']:.2f}" in found.to_text(percent=True)
    assert found.to_pandas().set_index("system").loc["new", "AP"] == found.mean["new"]["AP"]


def test_what_is_asked_is_told_from_what_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "odd:name").write_text("q Q0 d 1 1.0 x\n")
    monkeypatch.chdir(tmp_path)
    runs = [
        RUNS["old"],
        [RUNS["old"], RUNS["new"]],
        "a.run",
        "-",
        "C:\\runs\\a.run",
        "s3://bucket/a.run",
        "https://example.org/search?q=tea",
        "odd:name",
        Path("a.run"),
        pandas.DataFrame({"query": ["q"], "doc": ["d"], "score": [1.0]}),
        polars.DataFrame({"query": ["q"], "doc": ["d"], "score": [1.0]}),
        (np.zeros((1, 2), int), np.zeros((1, 2))),
        tr.open_run(RUNS["old"]),
        tr.read(QRELS, RUNS["old"]),
        tr.evaluate(QRELS, RUNS["old"], "RR"),
        iter([("q", "d", 1.0)]),
    ]
    assert [one for one in runs if is_live(one)] == []
    names = ["http://localhost/?q={query}", "cmd: ./search", "search:bm25"]
    assert all(map(is_live, [never, adapt(never), tr.bench(never, QUERIES), *names]))


def test_a_coroutine_is_asked_as_any_other():
    async def search(query: str, k: int) -> list[tuple[str, float]]:
        return LIVE["new"](query, k)

    found = tr.experiment({"old": RUNS["old"], "new": search}, QUERIES, QRELS, "RR")
    assert are_equal(found.scores["new"]["RR"], tr.evaluate(QRELS, RUNS["new"], "RR")["RR"]).all()


def test_names_as_they_were_written_head_the_means_of_all_systems():
    found = tr.experiment({"old": RUNS["old"], "new": LIVE["new"]}, QUERIES, QRELS, "mrr map", as_written=True)
    assert list(found) == ["mrr", "map"]
    assert [list(means) for means in found.mean.values()] == [["mrr", "map"]] * 2


def test_a_command_without_blanks_is_no_object_of_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(tr.InputError, match="no_such_command"):
        tr.experiment({"a": "cmd:no_such_command"}, QUERIES, QRELS, "RR")


def test_a_system_may_be_several_runs_beside_a_retriever():
    seeds = [RUNS["old"], RUNS["new"]]
    found = tr.experiment({"seeds": seeds, "third": LIVE["third"]}, QUERIES, QRELS, "RR", baseline="third")
    expected = tr.compare(QRELS, {"seeds": seeds, "third": RUNS["third"]}, "RR", "third")
    assert plain(found.comparison) == plain(expected)


def test_measures_of_all_that_is_listed_know_the_items():
    items = {doc: number + 1 for number, doc in enumerate(DOCS)}
    untied = {
        q: {doc: score + n / 100 for n, (doc, score) in enumerate(docs.items())} for q, docs in made(2).items()
    }
    asked = {"old": RUNS["old"], "live": asking(untied)}
    found = tr.experiment(asked, QUERIES, QRELS, "nDCG@5 Novelty@5", items=items)
    for name, run in (("old", RUNS["old"]), ("live", untied)):
        alone = tr.evaluate(QRELS, run, "Novelty@5", items=items)
        assert are_equal(found.scores[name]["Novelty@5"], alone["Novelty@5"]).all()
    with pytest.raises(tr.InputError, match="items"):
        tr.experiment(asked, QUERIES, QRELS, "Novelty@5")
