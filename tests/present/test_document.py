"""A report as a value, and what is computed for it, against slow and independent ways."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import truerank as tr
from truerank.analysis.explain import explain
from truerank.analysis.report import evaluated
from truerank.core.errors import InputError
from truerank.core.languages import language_asked, languages
from truerank.formats.digests import inputs
from truerank.present import build
from truerank.present.answers import Wanted, answers, beginnings
from truerank.present.data import Located, ReportData, Runs
from truerank.present.document import Caution, Document, Figure, Heading, Prose, Queries
from truerank.present.sections import queries as queries_section
from truerank.present.sections.curves import answered_within, depths
from truerank.present.sections.unjudged import unjudged
from truerank.present.table import Table
from worlds import World, worlds

RULES: dict[str, dict[str, Any]] = {
    "default": {},
    "ascending": {"ties": "doc-ascending", "depth": 4},
    "single": {"ties": "input", "score_precision": "single"},
    "removed": {"unjudged": "removed", "level": 2},
    "returned": {"unreturned": "ignore"},
    "returned, cut": {"unreturned": "ignore", "depth": 5},
    "skip": {"missing": "skip", "without_relevant": "skip"},
}

MEASURES, CUT_TIES = "nDCG@10 AP RR P@5", "SetF(depth=3) nDCG(depth=4,ties='averaged')"


def world(seed: int, queries: int = 8, long: int = 30) -> tuple[dict[str, Any], dict[str, Any]]:
    """Judgements and answers with ties, the query's own document, and lists of every length."""
    rng = random.Random(seed)
    qrels = {f"q{q}": {f"d{rng.randrange(60)}": rng.randint(-1, 3) for _ in range(8)} for q in range(queries)}
    run = {
        query: {
            f"d{d}": float(rng.choice([0.5, 1, 1 + 1e-9, 2, 3, -1]))
            for d in rng.sample(range(60), rng.randint(1, long))
        }
        for query in list(qrels)[1:]
    }
    return qrels, run


def document(*runs: dict[str, Any], qrels: Any = None, lang: str = "en", **how: Any) -> Document:
    judged = qrels or world(1)[0]
    named = {f"run{i}": run for i, run in enumerate(runs or (world(1)[1], world(2)[1], world(3)[1]))}
    found = Runs.of(evaluated(judged, named, MEASURES, **how))
    return build.make(ReportData(runs=found, versions=build.versions()), lang=lang)


def only(blocks: Any, kind: type) -> list[Any]:
    return [block for block in blocks if isinstance(block, kind)]


def expected_list(qrels: Any, run: Any, query: str, rules: Any, k: int) -> list[tuple[str, float]]:
    """The first k results that count, as `explain` lists them."""
    listed = explain(qrels, run, query, "AP", rules=rules).documents
    ranked = sorted((doc.rank, doc.doc, doc.score) for doc in listed if doc.rank)
    return [(doc, score) for rank, doc, score in ranked if rank <= k]


def lists_of(qrels: Any, run: Any, rules: Any, k: int) -> dict[str, list[tuple[str, float]]]:
    found = beginnings(tr.read(qrels, run, rules=rules, keep=k), k, frozenset(q.encode() for q in qrels))
    return {
        query.decode(): list(zip(map(bytes.decode, one.docs), one.scores, strict=True))
        for query, one in found.items()
    }


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
@pytest.mark.parametrize("seed", range(4))
def test_the_beginning_of_a_list_is_the_one_that_explain_shows(seed, rules):
    qrels, run = world(seed)
    for k in (1, 3, 10):
        found = lists_of(qrels, run, rules, k)
        for query in run:
            assert found[query] == expected_list(qrels, run, query, rules, k)


def test_a_long_list_is_cut_before_it_is_ranked_and_ties_at_the_cut_do_not_matter():
    rng = random.Random(5)
    docs = {f"d{d:04}": float(rng.randrange(12)) for d in range(2560)}
    qrels = {"q": {"d0001": 1, "d0100": 2}}
    for ties in ("doc-descending", "doc-ascending", "input"):
        assert lists_of(qrels, {"q": docs}, {"ties": ties}, 10)["q"] == expected_list(
            qrels, {"q": docs}, "q", {"ties": ties}, 10
        )


def test_scattered_rows_and_repeated_documents_are_listed_as_they_count(tmp_path):
    path = tmp_path / "scattered.run"
    path.write_text("q Q0 a 1 3 t\np Q0 x 1 1 t\nq Q0 b 2 2 t\nq Q0 a 3 1 t\nq Q0 c 4 0.5 t\n")
    qrels = {"q": {"b": 1, "c": 1}, "p": {"x": 1}}
    for duplicates in ("first", "last", "count", "once"):
        rules = {"duplicates": duplicates}
        assert lists_of(qrels, str(path), rules, 3)["q"] == expected_list(qrels, str(path), "q", rules, 3)


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_what_is_shown_of_a_query_is_what_explain_says(rules):
    qrels, run = world(9)
    found = Runs.of(evaluated(qrels, {"one": run}, f"{MEASURES} SetSuccess(depth=3) {CUT_TIES}", rules=rules))
    asked = found.comparison.queries
    values = {str(m): found.values(m) for m in found.measures}
    wanted = Wanted(3, frozenset(asked), frozenset(asked))
    shown = answers(found.qrels, found.systems, values, asked, found.called, found.rules, wanted)
    for q, query in enumerate(asked):
        why = explain(qrels, run, query, "AP", rules=rules)
        right = [doc for doc in why.documents if doc.kind == "relevant"]
        assert shown.relevant[q] == len(right)
        assert shown.found[0][q] == sum(doc.rank is not None for doc in right)
        docs, ranks = shown.below[0][q]
        deep = [(doc.doc, doc.rank) for doc in right if doc.rank and doc.rank > 3]
        assert [(shown.docs[d], rank) for d, rank in zip(docs, ranks, strict=True)] == deep
        for measure in found.measures:
            lines = shown.worked[str(measure)][0][q][1]
            exact = explain(qrels, run, query, measure, rules=rules)
            assert lines[-1][2] == exact.worked.value
            assert [line[:2] for line in lines] == [[line.name, line.text(4)] for line in exact.worked.lines]


def test_a_value_that_the_rules_set_is_not_worked_out_and_that_of_a_measure_is():
    rules = {"without_relevant": "one"}
    found = Runs.of(evaluated({"q": {"a": 0.5, "b": 0.25}}, {"one": {"q": ["b", "a"]}}, "nDCG AP", rules=rules))
    values, wanted = {str(m): found.values(m) for m in found.measures}, Wanted(3, frozenset("q"), frozenset("q"))
    shown = answers(found.qrels, found.systems, values, ["q"], found.called, found.rules, wanted)
    assert shown.worked["AP"] == [[None]]
    assert shown.worked["nDCG"][0][0][1][-1][2] == values["nDCG"][0, 0] < 1


@settings(max_examples=40)
@given(worlds())
def test_the_share_of_answered_queries_is_success_at_k(one: World):
    found = Runs.of(evaluated(one.qrels, {"one": one.run}, [f"Success@{k}" for k in range(1, 51)]))
    shares = answered_within(found)[0]
    assert shares == pytest.approx([found.scores[0].mean[f"Success@{k}"] for k in depths(found)], abs=1e-15)


@settings(max_examples=40)
@given(worlds())
def test_the_unjudged_share_counts_results_without_a_grade(one: World):
    found = Runs.of(evaluated(one.qrels, {"one": one.run}, "AP"))
    for k, share in zip(depths(found), unjudged(found)[0], strict=True):
        listed = [(q, doc) for q in one.qrels for doc in one.ranked(q)[:k]]
        strange = sum(one.qrels[q].get(doc, -1) < 0 for q, doc in listed)
        assert share == (strange / len(listed) if listed else 0.0)


def test_the_axis_of_depths_ends_where_the_deepest_list_ends():
    for deepest, end in [(1, 2), (8, 8), (11, 11), (12, 12), (50, 50), (90, 50)]:
        lists = {"q": [f"d{i}" for i in range(deepest)]}
        found = depths(Runs.of(evaluated({"q": {"d0": 1}}, {"one": lists}, "AP")))
        assert (found[0], found[-1]) == (1, end)
        assert sorted(set(found)) == list(found)


def test_every_specification_is_vega_lite():
    import altair

    for figure in document().figures:
        chart = altair.Chart.from_dict({**figure.specification, "title": figure.title})
        assert chart.to_dict()["title"] == figure.title


def test_a_figure_tells_in_words_what_it_shows():
    for figure in document().figures:
        assert len(figure.alt) > 40
        assert figure.alt.endswith(".")


def test_the_distribution_reaches_from_everyone_to_those_with_the_highest_score():
    found = document()
    figure = next(figure for figure in found.figures if figure.name == "distribution")
    block = only(found.blocks, Queries)[0]
    for place, name in enumerate(block.systems):
        rows = [row for row in figure.specification["data"]["values"] if row["who"] == name]
        column = block.values["nDCG@10"][:, place]
        for row in rows:
            assert row["share"] == pytest.approx((column >= row["value"]).mean())


def test_the_result_comes_first_and_how_to_make_it_again_last():
    anchors = [block.anchor for block in only(document().blocks, Heading)]
    assert anchors[0] == "result"
    assert anchors[-1] == "again"
    assert len(set(anchors)) == len(anchors)


def test_the_first_sentence_names_the_best_system_its_mean_and_whom_it_beats():
    qrels = {f"q{q}": {"a": 1} for q in range(40)}
    good, bad = {q: ["a"] for q in qrels}, {q: ["x", "y", "a"] for q in qrels}
    [said] = only(document(bad, good, qrels=qrels).blocks, Prose)[0].paragraphs
    assert said.startswith("run1 has the best nDCG@10: 1.0000 (95 % interval ")
    assert said.endswith("It is significantly better than run0.")


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_first_sentence_says_whom_the_best_was_not_compared_to(lang):
    qrels = {f"q{q}": {"a": 1} for q in range(40)}
    runs = [{q: [*"xyz"[:n], "a"] for q in qrels} for n in (0, 1, 2)]
    every, one = (
        only(document(*runs, qrels=qrels, lang=lang, **how).blocks, Prose)[0].paragraphs[0]
        for how in ({}, {"baseline": "run2"})
    )
    said = {
        "en": ("than every other system.", "than run2. It was not compared to run1."),
        "ko": (
            "다른 모든 시스템보다 유의하게 낫습니다.",
            "run2보다 유의하게 낫습니다. run1와(과)는 비교하지 않았습니다.",
        ),
    }
    assert every.endswith(said[lang][0])
    assert one.endswith(said[lang][1])


def test_a_single_run_is_reported_without_comparison():
    qrels, run = world(1)
    found = document(run, qrels=qrels)
    assert "best" not in only(found.blocks, Prose)[0].paragraphs[0]
    assert "differences" not in [figure.name for figure in found.figures]
    assert only(found.blocks, Queries)[0].differing.columns == ("query", "run0")


def test_counts_and_measures_where_less_is_better_are_not_won_by_the_highest():
    qrels, run = world(1)
    data = ReportData(runs=Runs.of(evaluated(qrels, {"a": run, "b": world(2)[1]}, "NumRet AP")))
    found = build.make(data, lang="en")
    [said] = only(found.blocks, Prose)[0].paragraphs
    assert said.startswith(f"a: NumRet {sum(map(len, run.values()))} (")


def test_few_queries_are_warned_of():
    assert any("too few" in note.text for note in only(document().blocks, Caution))


def test_the_ledger_says_in_each_language_what_eval_says():
    english, korean = (document(lang=lang).blocks for lang in ("en", "ko"))
    qrels, run = world(1)
    ledger = tr.evaluate(qrels, run, MEASURES).ledger
    said = [" ".join(p for b in only(blocks, Prose) for p in b.paragraphs) for blocks in (english, korean)]
    assert f"{ledger.judged} queries judged, {ledger.answered} answered." in said[0]
    assert f"판정된 질의 {ledger.judged}개 중 {ledger.answered}개에 답했습니다." in said[1]


@pytest.mark.parametrize(
    "rules", [{"unit": "line", "missing": "skip"}, {"self_match": "remove"}, {"duplicates": "once"}], ids=str
)
def test_rules_that_change_what_there_is_still_give_a_report(rules):
    qrels, run = world(4)
    found = document(run, world(5)[1], qrels=qrels, rules=rules)
    block = only(found.blocks, Queries)[0]
    is_by_line = "unit" in rules
    assert (block.answers is None) is is_by_line
    assert any("lists are not shown" in note for note in block.notes) is is_by_line


def test_runs_without_any_common_finding_are_reported():
    found = document({"q1": ["z"]}, {"q1": ["y"]}, qrels={"q1": {"a": 0}, "q2": {"b": 0}})
    assert only(found.blocks, Queries)[0].values["AP"].tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_what_does_not_fit_is_left_out_and_said(monkeypatch):
    qrels, run = world(6, queries=20)
    monkeypatch.setattr(queries_section, "VALUES", 30)
    monkeypatch.setattr(queries_section, "LISTED", 14 * 30)
    monkeypatch.setattr(queries_section, "WORKED", 8)
    found = document(run, world(7, queries=20)[1], qrels=qrels)
    block = only(found.blocks, Queries)[0]
    assert len(block.queries) == 15
    assert list(block.values) == ["nDCG@10"]
    said = " ".join(block.notes)
    assert "The table shows 1 of 4 measures" in said
    assert "The table shows the 15 of 20 queries that differ most" in said
    assert "the first 5 results" in said
    assert "Result lists are included for the" in said
    assert "The computation is included for the 4 of 20 queries" in said
    assert "included for" not in found.to_markdown(), "it shows no lists"
    lists = [one is not None for one in block.answers.lists[0]]
    assert 0 < sum(lists) < 15


def test_queries_that_differ_alike_stay_in_their_order():
    qrels = {query: dict.fromkeys("abcdefghij", 1) for query in ("q1", "q2", "q3")}
    found = [(9, 8), (8, 7), (5, 3)]  # of 10 each, and 0.9 - 0.8 < 0.8 - 0.7
    runs = {f"run{i}": {f"q{q}": [*"abcdefghi"][: n[i]] for q, n in enumerate(found, 1)} for i in range(2)}
    assert queries_section.most_differing(Runs.of(evaluated(qrels, runs, "SetR"))) == [2, 0, 1]


def test_those_that_differ_most_stay(monkeypatch):
    qrels, run = world(6, queries=20)
    other = world(7, queries=20)[1]
    whole = only(document(run, other, qrels=qrels).blocks, Queries)[0]
    apart = np.ptp(whole.values["nDCG@10"], axis=1)
    least = sorted(apart, reverse=True)[14]
    monkeypatch.setattr(queries_section, "VALUES", 30)
    part = only(document(run, other, qrels=qrels).blocks, Queries)[0]
    assert np.ptp(part.values["nDCG@10"], axis=1).min() == least


@pytest.mark.parametrize(("measure", "best"), [("RR", ["upper"]), ("MeanRank@9", ["lower"]), ("NumRelRet", [])])
def test_benchmarks_come_with_their_latencies_and_what_quality_costs(tmp_path, measure, best):
    asked = {f"q{n}": f"text {n}" for n in range(40)}
    qrels = {query: {"d1": 1} for query in asked}

    def first(query: str) -> list[str]:
        return ["d1", "d2"]

    def second(query: str) -> list[str]:
        return ["d2", "d1"]

    benches = []
    for retriever in (first, second):
        path = tmp_path / f"{retriever.__name__}.json"
        tr.bench(retriever, asked, qrels, measures=measure).save(path)
        benches += tr.Bench.read_all(path)
    found = build.make(ReportData(benches=tuple(benches)), lang="en")
    assert [figure.name for figure in found.figures] == ["latency", "pareto"]
    assert re.findall(r"Best is the (\w+) left\.", found.figures[1].alt) == best
    table = only(found.blocks, Table)[0]
    assert [row[0] for row in table.rows] == [one.name for one in benches]
    assert [row[3] for row in table.rows] == [one.latency["p50"] for one in benches]
    rows = found.figures[0].specification["data"]["values"]
    assert max(row["ms"] for row in rows if row["who"] == benches[0].name) == benches[0].latency["max"]


def test_the_pictures_of_speed_call_each_benchmark_as_their_table_does():
    asked = {f"q{n}": f"text {n}" for n in range(9)}

    def search(query: str) -> list[str]:
        return ["d1"]

    qrels = [None, {query: {"d1": 1} for query in asked}, {"q0": {"d1": 1}}]
    found = build.make(ReportData(benches=tuple(tr.bench(search, asked, each, measures="RR") for each in qrels)))
    assert [row[0] for row in only(found.blocks, Table)[0].rows] == ["search", "search #2", "search #3"]
    marks = found.figures[1].specification["data"]["values"]
    assert {row["who"] for row in marks} == {"search #2", "search #3"}


def test_little_differences_of_quality_look_little_beside_their_intervals(tmp_path):
    asked = {f"q{n}": f"text {n}" for n in range(40)}
    qrels = {query: {"d1": 1} for query in asked}

    def first(query: str) -> list[str]:
        return ["d1"] if query != "text 7" else []

    def second(query: str) -> list[str]:
        return ["d1"] if query not in ("text 7", "text 8") else []

    benches = [tr.bench(retriever, asked, qrels, measures="RR") for retriever in (first, second)]
    figure = build.make(ReportData(benches=tuple(benches)), lang="en").figures[1]
    rows = figure.specification["data"]["values"]
    for row, one in zip(rows, benches, strict=True):
        assert (row["left"], row["right"]) == (one.intervals["p50"].low, one.intervals["p50"].high)
        assert (row["low"], row["high"]) == (one.intervals["RR"].low, one.intervals["RR"].high)
    scale = figure.specification["layer"][-1]["encoding"]["y"]["scale"]
    low, high = scale["domain"]
    assert high - low >= 0.1
    assert low <= min(row["low"] for row in rows)
    assert high >= max(row["high"] for row in rows)
    assert not scale["zero"]
    joined = sum(row["best"] for row in rows) > 1
    assert ("The line connects" in figure.alt) == joined


def test_of_one_system_all_measures_stand_in_one_table_with_their_intervals():
    qrels, run = world(1)
    found = document(run, qrels=qrels)
    tables = [table for table in only(found.blocks, Table) if "nDCG@10" in {row[0] for row in table.rows}]
    assert len(tables) == 1
    assert all(str(row[2]).startswith("[") for row in tables[0].rows)
    assert "measures" not in [heading.anchor for heading in only(found.blocks, Heading)]


def places(lon: float = 127.0, there_lon: float = 127.0001) -> Located:
    from truerank import geo
    from truerank.truth import read_items

    queries = [{"id": f"q{n}", "lat": 37.5 + n / 1000, "lon": lon} for n in range(9)]
    there = [{"id": f"r{n}", "lat": 37.5 + n / 1000, "lon": there_lon} for n in range(9)]
    run = {f"q{n}": [f"r{n}", f"r{n + 1}"][:: 1 if n % 3 else -1] for n in range(9)}
    return Located(geo.evaluate(queries, there, run), read_items(queries, "queries"))


def test_places_come_with_their_errors_and_each_miss_joined_to_what_was_returned():
    located = places()
    found = build.make(ReportData(located=located), lang="en")
    figures = {figure.name: figure for figure in found.figures}
    rows = figures["map-geo"].specification["data"]["values"]
    assert {row["query"]: row["top1"] for row in rows} == {"q0": "r1", "q3": "r4", "q6": "r7"}
    assert rows[0]["error"] == max(float(located.places["geo"].error[n]) for n in (0, 3, 6))
    curve = figures["geo-error"].specification["data"]["values"]
    assert curve[-1]["share"] == 1.0


@pytest.mark.parametrize(
    ("lon", "there", "across"),
    [(179.75, -179.75, (179.75, 180.25)), (-179.75, 179.75, (180.25, 179.75)), (-0.25, 0.25, (-0.25, 0.25))],
)
def test_a_miss_across_the_180th_meridian_is_joined_the_short_way(lon, there, across):
    found = build.make(ReportData(located=places(lon, there)), lang="en")
    figure = {figure.name: figure for figure in found.figures}["map-geo"]
    assert {(row["x"], row["x1"]) for row in figure.specification["data"]["values"]} == {across}


@pytest.mark.parametrize(
    ("asked", "spoken"), [("ko_KR.UTF-8", "ko"), ("en_US.UTF-8", "en"), ("C", "en"), ("de_DE", "en")]
)
def test_the_locale_decides_where_nobody_says(asked, spoken, monkeypatch):
    monkeypatch.delenv("LANGUAGE", raising=False)
    monkeypatch.setenv("LC_ALL", asked)
    assert language_asked() == spoken
    assert language_asked("ko") == "ko"


def test_plain_tables_are_not_translated_because_of_the_locale(monkeypatch):
    monkeypatch.setenv("LC_ALL", "ko_KR.UTF-8")
    assert language_asked(of_locale=False) == "en"
    monkeypatch.setenv("TRUERANK_LANG", "ko")
    assert language_asked(of_locale=False) == "ko"


def test_another_language_is_refused():
    with pytest.raises(InputError, match=f"there is no language 'kr'; there is {', '.join(languages())}"):
        language_asked("kr")


def test_inputs_are_known_by_their_sha_256(tmp_path):
    import hashlib

    path = tmp_path / "a.run"
    path.write_bytes(b"q Q0 a 1 1 t\n")
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / "one.json").write_text("[]")
    one, other = inputs([path, str(folder) + "/"])
    assert (one.name, one.bytes, one.digest) == ("a.run", 13, hashlib.sha256(path.read_bytes()).hexdigest())
    before = other.digest
    (folder / "one.json").write_text("{}")
    assert (other.name, inputs([folder])[0].digest != before) == ("results/", True)
    [several] = inputs([str(folder / "*.json")])
    assert (several.name, several.bytes) == ("*.json", 2)


def test_json_has_every_number_of_the_page():
    from truerank.present.renderers import json as renderer

    found = document()
    plain = json.loads(renderer.render(found))
    kinds = [block["kind"] for block in plain["blocks"]]
    assert kinds == [type(block).__name__.lower() for block in found.blocks]
    queries = next(block for block in plain["blocks"] if block["kind"] == "queries")
    outcome = plain["results"]["comparison"]["outcomes"][0]
    for place, name in enumerate(queries["systems"]):
        column = queries["values"]["nDCG@10"][place]
        assert sum(column) / len(column) == pytest.approx(outcome["systems"][name]["mean"], abs=1e-15)
    figures = [block["name"] for block in plain["blocks"] if block["kind"] == "figure"]
    assert figures == [figure.name for figure in only(found.blocks, Figure)]
