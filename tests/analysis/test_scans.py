"""Each run is read once a question: the scans of the kernel and the openings of a run are counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import truerank as tr
from truerank import geo
from truerank.analysis.agreement import agreement
from truerank.analysis.bounds import bounds, judge_next
from truerank.analysis.confusion import confusion, sweep
from truerank.analysis.curve import precision_recall
from truerank.analysis.explain import explain_each
from truerank.analysis.lint import lint
from truerank.analysis.report import evaluated
from truerank.cli import truerank
from truerank.core.run import Batch

QRELS = {"q1": {"a": 1, "b": 2, "n": 0}, "q2": {"a": 1}, "q3": {"c": 1}}
TEXT = b"q1 0 a 1 3 t\nq1 0 x 2 2 t\nq1 0 b 3 2 t\nq2 0 y 1 2 t\nq2 0 a 2 1 t\nq9 0 z 1 1 t\n"
OTHER = b"q1 0 b 1 3 t\nq1 0 a 2 2 t\nq2 0 a 1 2 t\n"

PLACES = ["--queries", "here.csv", "--references", "there.csv", "--results", "places.txt"]
LINES = {"unit": "line", "ties": "input", "missing": "skip", "duplicates": "count"}

ONE: dict[str, Callable[[tr.Run], Any]] = {
    "read": lambda run: tr.read(QRELS, run, keep="all"),
    "evaluate": lambda run: tr.evaluate(QRELS, run),
    "rank": lambda run: tr.rank(QRELS, run),
    "bounds": lambda run: bounds(QRELS, run, "nDCG@10 AP"),
    "explain": lambda run: explain_each(QRELS, run, "q1", "nDCG@10 AP"),
    "explain by line": lambda run: explain_each(QRELS, run, "q1", "AP", rules=LINES),
    "confusion": lambda run: confusion(QRELS, run, threshold=2),
    "confusion at k": lambda run: confusion(QRELS, run, k=2),
    "sweep": lambda run: sweep(QRELS, run),
    "curve": lambda run: precision_recall(QRELS, run),
    "curve of a query": lambda run: precision_recall(QRELS, run, "q1"),
}

PAIRS: dict[str, Callable[[tr.Run, tr.Run], Any]] = {
    "compare": lambda a, b: tr.compare(QRELS, {"a": a, "b": b}, "AP", samples=100),
    "agreement": lambda a, b: agreement(a, b),
    "diff": lambda a, b: tr.diff(QRELS, a, b, "nDCG@10 AP"),
    "diff of a query": lambda a, b: tr.diff(QRELS, a, b, "AP", query="q2"),
    "diff of graded": lambda a, b: tr.diff(QRELS, a, b, "nDCG@10", rules={"unjudged": "graded"}),
    "judge next": lambda a, b: judge_next(QRELS, a, b),
    "agreement of readings": lambda a, b: agreement(tr.read(None, a, keep="all"), tr.read(None, b, keep="all")),
    "report": lambda a, b: evaluated(QRELS, {"a": a, "b": b}, "nDCG@10 AP"),
}


class Opened:
    """A run that counts how often it is opened."""

    def __init__(self, text: bytes, name: str) -> None:
        self.times, self.text = 0, text
        self.run = tr.Run(name, self.batches)

    def batches(self) -> Iterator[Batch]:
        self.times += 1
        yield self.text


@pytest.fixture
def scans(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The name of each run that the kernel scans."""
    from truerank.core import scan

    found: list[str] = []
    whole = scan._scan_whole

    def counted(run: tr.Run, *how: Any, **more: Any) -> Any:
        found.append(run.name)
        return whole(run, *how, **more)

    monkeypatch.setattr(scan, "_scan_whole", counted)
    return found


@pytest.mark.parametrize("ask", ONE.values(), ids=ONE)
def test_a_run_is_read_once(ask: Callable[[tr.Run], Any], scans: list[str]) -> None:
    run = Opened(TEXT, "one")
    ask(run.run)
    assert (run.times, scans) == (1, ["one"])


@pytest.mark.parametrize("ask", PAIRS.values(), ids=PAIRS)
def test_each_of_two_runs_is_read_once(ask: Callable[[tr.Run, tr.Run], Any], scans: list[str]) -> None:
    a, b = Opened(TEXT, "a"), Opened(OTHER, "b")
    ask(a.run, b.run)
    assert (a.times, b.times, sorted(scans)) == (1, 1, ["a", "b"])


def test_each_way_to_measure_places_has_its_truth_and_is_read_once(scans: list[str]) -> None:
    there = [{"id": f"r{n}", "lat": 37.0 + n, "lon": 127.0, "x": n * 100.0, "y": 0.0} for n in range(3)]
    asked = [{"id": "q", "lat": 37.1, "lon": 127.0, "x": 10.0, "y": 0.0}]
    run = Opened(b"q 0 r1 1 2 t\nq 0 r0 2 1 t\n", "one")
    places = geo.evaluate(asked, there, run.run, keep=2)
    assert [view.hits.rank.tolist() for view in places.views.values()] == [[2], [2]]
    assert [len(evaluated(None, [view.reading], "RR", results=2).systems) for view in places.views.values()] == [
        1,
        1,
    ]
    assert (run.times, len(scans)) == (1, 2)


@pytest.mark.parametrize(
    ("command", "times"),
    [
        (["eval", "q.txt", "a.txt"], 1),
        (["bounds", "q.txt", "a.txt"], 1),
        (["bounds", "q.txt", "a.txt", "--of", "ties"], 1),
        (["bounds", "q.txt", "a.txt", "b.txt", "--judge-next", "3"], 2),
        (["compare", "q.txt", "a.txt", "b.txt", "-m", "RR"], 2),
        (["check", "q.txt", "a.txt", "--min", "RR=0.1"], 1),
        (["check", "q.txt", "a.txt", "--no-worse-than", "same.txt"], 2),
        (["confusion", "q.txt", "a.txt", "-k", "2"], 1),
        (["confusion", "q.txt", "a.txt", "--threshold", "2", "--of", "results"], 1),
        (["curve", "q.txt", "a.txt"], 1),
        (["geo", *PLACES, "--accept", "2", "-q"], 1),
        (["lint", "q.txt", "a.txt", "b.txt"], 2),
        (["explain", "q.txt", "a.txt", "q1", "-m", "AP"], 1),
        (["explain", "q.txt", "a.txt", "b.txt", "-m", "AP RR"], 2),
        (["explain", "q.txt", "a.txt", "b.txt", "--query", "q1"], 2),
        (["report", "q.txt", "a.txt", "b.txt", "-m", "AP", "-o", "page.html"], 2),
        (["report", "--geo", *PLACES[1::2], "-o", "page.html"], 1),
        (["trec_eval", "-c", "q.txt", "a.txt"], 1),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else None,
)
def test_a_command_scans_each_run_once(
    command: list[str], times: int, scans: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = (f"{query} 0 {doc} {grade}\n" for query, docs in QRELS.items() for doc, grade in docs.items())
    Path("q.txt").write_text("".join(rows))
    Path("a.txt").write_bytes(TEXT)
    Path("b.txt").write_bytes(OTHER)
    Path("same.txt").write_bytes(TEXT)
    Path("here.csv").write_text("id,lat,lon\nq,37.1,127\n")
    Path("there.csv").write_text("id,lat,lon\na,37,127\nb,38,127\n")
    Path("places.txt").write_text("q 0 b 1 2 t\nq 0 a 2 1 t\n")
    found = CliRunner().invoke(truerank, command)
    assert found.exit_code == 0, found.output
    assert len(scans) == times, scans


def test_a_reading_takes_the_place_of_qrels_and_run(scans: list[str]) -> None:
    whole = tr.read(QRELS, Opened(TEXT, "one").run, keep="all")
    other = tr.read(QRELS, Opened(OTHER, "two").run)
    del scans[:]
    run = Opened(TEXT, "one").run
    assert not scans
    found = tr.evaluate(whole, measures="AP RR"), tr.rank(whole), bounds(whole, measures="AP nDCG@10")
    counts = confusion(whole, threshold=2), sweep(whole), precision_recall(whole, rules={"recall_points": "up"})
    both = tr.compare(None, {"a": whole, "b": other}, "AP", samples=100)
    next_one = judge_next(None, whole, whole)
    assert scans == []
    assert next_one == judge_next(QRELS, run, run)
    assert found[0].to_dict() == tr.evaluate(QRELS, run, "AP RR").to_dict()
    assert found[1].rank.tolist() == tr.rank(QRELS, run).rank.tolist()
    assert found[2].to_dict() == bounds(QRELS, run, "AP nDCG@10").to_dict()
    assert counts[0] == confusion(QRELS, run, threshold=2)
    assert counts[1] == sweep(QRELS, run)
    assert counts[2].to_dict() == precision_recall(QRELS, run, rules={"recall_points": "up"}).to_dict()
    runs = {"a": run, "b": Opened(OTHER, "two").run}
    assert both.to_dict() == tr.compare(QRELS, runs, "AP", samples=100).to_dict()


def test_a_reading_is_explained_as_its_run_is(scans: list[str]) -> None:
    a, b = Opened(TEXT, "a").run, Opened(OTHER, "b").run
    one, other = (tr.read(QRELS, run, keep="all") for run in (a, b))
    few = tr.read(QRELS, a), tr.read(QRELS, b)
    del scans[:]
    reasons = explain_each(one, None, "q1", "nDCG@10 AP")
    moved = tr.diff(None, *few, "nDCG@10 RR"), tr.diff(None, one, other, "AP", query="q3")
    assert scans == []
    asked = [why.to_dict() for why in explain_each(QRELS, a, "q1", "nDCG@10 AP")]
    assert [why.to_dict() for why in reasons] == asked
    assert [why.to_dict() for why in moved[0]] == [why.to_dict() for why in tr.diff(QRELS, a, b, "nDCG@10 RR")]
    assert moved[1].to_dict() == tr.diff(QRELS, a, b, "AP", query="q3").to_dict()


def test_a_reading_of_an_order_alone_is_explained_without_scores() -> None:
    (why,) = explain_each(tr.read(QRELS, {"q1": ["x", "a"]}, keep="all"), None, "q1", "RR")
    assert why.to_dict() == explain_each(QRELS, {"q1": ["x", "a"]}, "q1", "RR")[0].to_dict()
    assert [listed.score for listed in why.documents] == [None] * 3


def test_of_a_reading_lint_sees_what_needs_no_lines(scans: list[str]) -> None:
    text = TEXT.replace(b"q9 0 z 1 1 t\n", b"").replace(b"b 3 2", b"b 3 1")
    reading = tr.read(QRELS, Opened(text, "one").run)
    del scans[:]
    found = lint(QRELS, reading, measures="AP RR")
    assert scans == []
    wanted = lint(QRELS, Opened(text, "one").run, measures="AP RR")
    assert {one.kind for one in found} == {"missing-queries", "unjudged"}
    assert [(one.kind, one.message, one.examples) for one in found] == [
        (one.kind, one.message, one.examples) for one in wanted
    ]
    tied = tr.read(QRELS, Opened(TEXT.replace(b"b 3 2", b"b 3 3"), "one").run)
    kinds = [one.kind for one in lint(QRELS, tied, measures="nDCG@1")]
    assert kinds == ["missing-queries", "ties", "unjudged", "extra-queries"]
    with pytest.raises(tr.RulesError, match="read it again"):
        lint(QRELS, tied, rules={"ties": "input"})


def test_a_reading_is_checked_as_its_scores_are(scans: list[str]) -> None:
    one, other = (tr.read(QRELS, Opened(text, "one").run) for text in (TEXT, OTHER))
    scores, others = (tr.evaluate(each, measures="RR AP P@1") for each in (one, other))
    del scans[:]
    found = tr.check(one, min={"RR": 0.1}, max={"P@1": 1}, no_worse_than=other, margin={"AP": 1})
    wanted = tr.check(scores, min={"RR": 0.1}, max={"P@1": 1}, no_worse_than=others, margin={"AP": 1})
    assert found.to_dict() == wanted.to_dict()
    assert tr.check(one, no_worse_than=others).to_dict() == tr.check(scores, no_worse_than=others).to_dict()
    assert scans == []


def test_a_reading_is_not_explained_where_it_lacks_what_is_to_be_shown() -> None:
    def why(run: Any, keep: Any = "all", qrels: Any = QRELS, query: str | None = "q1", **rules: Any) -> Any:
        return tr.explain(tr.read(qrels, run, rules=rules, keep=keep), query=query)

    run = Opened(TEXT, "one").run
    twice = Opened(TEXT.replace(b" x ", b" a "), "two").run
    with pytest.raises(tr.InputError, match="there is no query to explain; name one by query="):
        why(run, query=None)
    with pytest.raises(tr.InputError, match="lacks unjudged documents; read the run with keep='all'"):
        why(run, keep=2)
    with pytest.raises(
        tr.InputError, match=r"how often the run repeats documents of the query; give the qrels and the run"
    ):
        why(twice, duplicates="first")
    assert (
        why(twice, duplicates="once").to_dict()
        == tr.explain(QRELS, twice, "q1", rules={"duplicates": "once"}).to_dict()
    )
    with pytest.raises(tr.InputError, match="documents that the judgements ignore"):
        why(run, self_match="remove")
    with pytest.raises(tr.InputError, match="query q9 is answered, but it is unjudged"):
        why(run, query="q9")
    with pytest.raises(tr.InputError, match="there is no query q8 among those"):
        why(run, query="q8")
    with pytest.raises(tr.RulesError, match="explained query by query; give the qrels and the run"):
        why({"q1": ["a"]}, **LINES)
    few = tr.read(QRELS, run)
    with pytest.raises(tr.InputError, match="read the run with keep='all'"):
        tr.diff(None, few, few, rules={"unjudged": "graded", "unjudged_grade": 1})
    with pytest.raises(tr.InputError, match="qrels are needed where a run is not read yet"):
        tr.diff(None, few, run)


def test_a_reading_is_refused_where_it_cannot_serve() -> None:
    reading = tr.read(QRELS, Opened(TEXT, "one").run)
    with pytest.raises(tr.TruerankError, match="one: a Reading has its run already; leave the run out"):
        tr.evaluate(reading, "AP")
    with pytest.raises(tr.TruerankError, match="lacks unjudged documents; read the run with keep='all'"):
        bounds(reading)
    with pytest.raises(tr.TruerankError, match="read it again for 'doc-ascending'"):
        tr.evaluate(reading, measures="AP", rules={"ties": "doc-ascending"})
    with pytest.raises(tr.TruerankError, match="there is no run; give one, or a Reading"):
        tr.evaluate(QRELS, measures="AP")


RULES = {"level": 2, "depth": 1}

UNDER: dict[str, Callable[..., Any]] = {
    "read": lambda run, **rules: tr.evaluate(tr.read(QRELS, run, keep="all", **rules), measures="AP RR").to_dict(),
    "evaluate": lambda run, **rules: tr.evaluate(QRELS, run, "AP RR", **rules).to_dict(),
    "rank": lambda run, **rules: tr.rank(QRELS, run, **rules).rank.tolist(),
    "bounds": lambda run, **rules: bounds(QRELS, run, "RR", **rules).to_dict(),
    "explain": lambda run, **rules: explain_each(QRELS, run, "q1", "RR", **rules)[0].to_dict(),
    "confusion": lambda run, **rules: confusion(QRELS, run, k=2, **rules),
    "sweep": lambda run, **rules: sweep(QRELS, run, **rules),
    "curve": lambda run, **rules: precision_recall(QRELS, run, **rules).to_dict(),
    "compare": lambda run, **rules: tr.compare(QRELS, {"a": run}, "RR", samples=100, **rules).to_dict(),
    "diff": lambda run, **rules: tr.diff(QRELS, run, run, "RR", **rules).to_dict(),
    "judge next": lambda run, **rules: judge_next(QRELS, run, run, "RR", **rules),
    "agreement": lambda run, **rules: agreement(run, Opened(OTHER, "two").run, k=2, **rules).to_dict()["queries"],
    "report": lambda run, **rules: evaluated(QRELS, {"a": run}, "RR", **rules).comparison.to_dict(),
}


@pytest.mark.parametrize("ask", UNDER.values(), ids=UNDER)
def test_a_reading_stands_for_its_run_and_by_default_for_its_rules(ask: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "one"
    file.write_bytes(TEXT)
    reading = tr.read(QRELS, file, rules=RULES, keep="all", name="one")
    reading.save(tmp_path / "saved")
    wanted, plain = (ask(Opened(TEXT, "one").run, rules=rules) for rules in (RULES, "truerank"))
    assert ask(reading) == ask(tmp_path / "saved") == wanted != plain
    assert ask(reading, rules="truerank") == ask(tmp_path / "saved", rules="truerank") == plain


@pytest.mark.parametrize("name", ["compare", "agreement", "diff", "diff of a query", "judge next", "report"])
def test_readings_of_unlike_rules_are_not_set_beside_one_another(name: str) -> None:
    readings = [tr.read(QRELS, Opened(TEXT, "one").run, rules={"level": n}, keep="all") for n in (1, 2)]
    said = (
        "the rules custom with level=2, .* under custom with level=1: .* can be compared only under the same rules"
    )
    with pytest.raises(tr.RulesError, match=said):
        PAIRS[name](*readings)


def test_a_reading_does_not_stand_for_a_run_against_other_qrels() -> None:
    reading = tr.read(QRELS, Opened(TEXT, "one").run, keep="all")
    for other in ({"q1": {"a": 1}}, {**QRELS, "q3": {"c": 2}}):
        with pytest.raises(tr.InputError, match="one: this reading was made with other judgements"):
            tr.evaluate(other, reading, "AP")


def test_a_reading_of_lines_stands_for_a_submission_to_the_judgements_that_its_lines_were_read_with(
    tmp_path: Path,
) -> None:
    lines = [("q2", ["x", "a"]), ("q1", ["a", "b"]), ("q2", ["a"]), ("q9", ["a"])]
    rules = {"unit": "line", "missing": "skip", "ties": "input"}
    qrels = {"q1": {"a": 1, "b": 2}, "q2": {"a": 1}, "q3": {"c": 1}}
    reading = tr.read(qrels, lines, rules=rules)
    reading.save(tmp_path / "saved")
    wanted = tr.evaluate(qrels, lines, "AP RR", rules=rules)
    for given in (reading, tmp_path / "saved"):
        found = tr.evaluate(dict(reversed(qrels.items())), given, "AP RR")
        assert found.mean == pytest.approx(wanted.mean)
        assert found.queries.count("q2") == 2
        for other in ({**qrels, "q9": {"a": 1}}, {"q1": qrels["q1"]}, {**qrels, "q2": {"a": 2}}):
            with pytest.raises(tr.InputError, match="this reading was made with other judgements"):
                tr.evaluate(other, given, "AP")


def test_a_reading_in_a_file_is_linted_as_the_reading_is(tmp_path: Path) -> None:
    reading = tr.read(QRELS, Opened(TEXT, "one").run, rules={"missing": "error", "level": 3})
    reading.save(tmp_path / "saved")
    wanted, plain = (lint({**QRELS, "q3": {"c": 2}}, reading, rules=rules) for rules in (None, "truerank"))
    for given in (tmp_path / "saved", tr.open_run(tmp_path / "saved")):
        for rules, expected in ((None, wanted), ("truerank", plain)):
            found = lint({**QRELS, "q3": {"c": 2}}, given, rules=rules)
            assert [(one.kind, one.message) for one in found] == [(one.kind, one.message) for one in expected]
            assert {"qrels", str(tmp_path / "saved")} >= {one.path for one in found}
    assert [one.severity for one in wanted] != [one.severity for one in plain]


def test_submitted_lines_are_not_compared_query_by_query_and_have_no_audit_once_read() -> None:
    reading = tr.read({"q": {"a": 1}}, [("q", ["a"]), ("q", ["b"])], rules="science-qa", keep="all")
    with pytest.raises(tr.RulesError, match="runs are compared query by query"):
        agreement(reading, reading)
    with pytest.raises(tr.InputError, match="this is a reading, which is no run any more; give the run"):
        evaluated({"q": {"a": 1}}, [reading])


def test_readings_in_files_need_no_qrels_beside_them_as_readings_do(tmp_path: Path) -> None:
    one, other = (tr.read(QRELS, Opened(text, "one").run, keep="all") for text in (TEXT, OTHER))
    unlike = tr.read({**QRELS, "q1": {"a": 9}}, Opened(OTHER, "one").run, keep="all")
    for name, reading in {"one": one, "other": other, "unlike": unlike}.items():
        reading.save(tmp_path / name)
    files = [tmp_path / "one", tmp_path / "other"]
    assert tr.judge_next(None, *files).candidates == tr.judge_next(None, one, other).candidates
    means = [[scores.mean for scores in evaluated(None, runs).scores] for runs in (files, [one, other])]
    assert means[0] == means[1]
    for ask in (lambda *runs: tr.judge_next(None, *runs), lambda *runs: evaluated(None, runs)):
        with pytest.raises(tr.InputError, match="this reading was made with other judgements"):
            ask(files[0], tmp_path / "unlike")
