"""Broken input that reaches the deeper parts: each is one sentence, never a traceback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import truerank as tr
from truerank import truth
from truerank.cli import truerank
from truerank.contest import audit
from truerank.core.rules import Rules
from truerank.formats import convert
from truerank.vectors import rank_vectors

HUGE = 10**400
QRELS = "q1 0 a 1\nq1 0 b 2\nq3 0 z 0\n"
RUN = "q1 Q0 x 1 3.0 t\nq1 Q0 a 2 2.0 t\n"


def brief(value: object) -> str:
    """What a test with this value is called."""
    return str(value)[:30]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "q.txt").write_text(QRELS)
    (tmp_path / "r.run").write_text(RUN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(*arguments: str) -> str:
    """What the command says as it refuses."""
    result = CliRunner().invoke(truerank, arguments)
    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.stderr.count("\n") == 1
    return result.stderr


def test_lint_says_what_refusing_rules_do_with_queries_without_relevant_documents(here):
    result = CliRunner().invoke(truerank, ["lint", "q.txt", "r.run", "--set", "without_relevant=error"])
    assert "1 of 2 queries without a relevant document (under these rules eval stops there): q3" in result.output


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('{"eval_id":2,"topk":["\\ud800","b"]}', '"\\ud800" among the results'),
        ('{"eval_id":2,"topk":"\\ud800"}', 'the text "\\ud800", whose letters count as results'),
        ('{"eval_id":2,"topk":{"\\ud800":1}}', '{"\\ud800": 1} instead of a list'),
        ('{"eval_id":2,"topk":[["\\ud800"]]}', '["\\ud800"] among the results'),
        ('{"eval_id":"\\ud800","topk":["b"]}', 'its id is "\\ud800"'),
        ("[" * 100_000, "its brackets are nested too deeply"),
    ],
    ids=brief,
)
def test_a_broken_line_of_a_submission_is_a_fault_of_that_line(tmp_path, line, fault):
    sent = tmp_path / "sent.jsonl"
    sent.write_text('{"eval_id":1,"topk":["a"]}\n' + line + "\n")
    found = audit({1: ["a"], 2: ["b"]}, sent)
    assert any(fault in finding.message and finding.lines == (2,) for finding in found.findings), found.findings


@pytest.mark.parametrize("judged", [[{"doc_id": "a"}], [None]])
def test_a_list_of_judged_documents_holds_ids(tmp_path, judged):
    with pytest.raises(tr.InputError, match=r"query 'q1' has .*: documents are ids, or {id: grade}"):
        tr.evaluate({"q1": judged}, {"q1": ["a"]}, "RR")


@pytest.mark.parametrize("score", [None, "x", "1.5", [1]])
def test_what_is_no_score_is_not_converted(here, score):
    Path("run.json").write_text(json.dumps({"q1": {"a": score}}))
    kind = type(score).__name__
    assert f"the answer to query q1 cannot be read: a score is a number, not {kind}" in refused(
        "convert", "run.json", "out.run"
    )
    assert not Path("out.run").exists()


@pytest.mark.parametrize("ending", ["json", "jsonl", "parquet", "csv", "txt"])
@pytest.mark.parametrize("grade", [1e20, 2.0**53, -1e300, 3.0])
def test_every_format_keeps_a_large_grade(tmp_path, ending, grade):
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    target = tmp_path / f"qrels.{ending}"
    convert({"q": {"a": grade, "b": 1}}, target, "qrels")
    assert tr.read_qrels(target).to_dict() == {"q": {"a": grade, "b": 1.0}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("extends = 5", "extends is the name of a preset, not 5"),
        ('extends = ["truerank"]', "extends is the name of a preset, not ['truerank']"),
        (f"level = 1{'0' * 400}", "level is a number, not 1000"),
        (f"level = 1{'0' * 5000}", "this is no TOML"),
        ("depth = 9223372036854775808", "depth is 9223372036854775807 at most"),
        ("measures = 5", "measures is a list of names, not 5"),
        ("measures = true", "measures is a list of names, not True"),
        ("measures = {a = 1}", "measures is a list of names, not {'a': 1}"),
        ("name = 5", "name is text, not 5"),
        ('name = ["x"]', "name is text, not ['x']"),
        ("ties = ['input']", "ties is one of"),
    ],
    ids=brief,
)
def test_a_rules_file_with_values_of_other_types_is_refused(here, text, message):
    Path("mine.toml").write_text(text)
    said = refused("eval", "q.txt", "r.run", "--rules", "mine.toml")
    assert said.startswith("truerank: mine.toml: ")
    assert message in said


@pytest.mark.parametrize(
    "change", ["measures=none", "measures=5", "name=none", "name=5", f"level=1{'0' * 400}"], ids=brief
)
def test_a_changed_rule_of_another_type_is_refused(here, change):
    said = refused("eval", "q.txt", "r.run", "--set", change)
    field = change.partition("=")[0]
    assert any(f"{field} is {kind}, not " in said for kind in ("a list of names", "text", "a number"))


def test_numbers_of_numpy_are_numbers_in_rules():
    rules = Rules(depth=np.int64(3), level=np.float32(0.5))
    assert repr((rules.depth, rules.level)) == "(3, 0.5)"


def test_numbers_of_numpy_are_numbers_in_all_that_becomes_json():
    qrels = {f"q{n}": {"a": 1} for n in range(8)}
    runs = {"x": {q: ["a"] for q in qrels}, "y": {q: ["b", "a"] for q in qrels}}
    how = {"confidence": np.float32(0.9), "samples": np.int64(50), "seed": np.int32(3)}
    shown = {"query": "q", "docs": ["a", "b"], "systems": ["x", "y"], "clicks": ["b"]}
    x, y = (tr.evaluate(qrels, run, "RR") for run in runs.values())
    for found in (
        tr.compare(qrels, runs, "RR", **how),
        tr.check(x, min={"RR": np.float32(0.3)}, no_worse_than=y, margin=np.float32(0.1), **how),
        tr.collections({"one": (qrels, runs), "other": (qrels, runs)}, "RR", **how),
        tr.judges([qrels, qrels], runs, measures="RR", **how),
        tr.power(np.int64(50), np.float32(0.02), sd=np.float32(0.2), systems=np.int8(3), alpha=np.float32(0.05)),
        tr.audit_table({"x": {"AP": 0.4}, "y": {"AP": 0.5}}, np.int64(50), sd=np.float32(0.2)),
        tr.ips([shown], {"x": {"q": ["b"]}}, "P@1", eta=1, clip=np.float32(5), **how),
        tr.bounds(qrels, runs["x"], "RR", samples=np.int64(50), seed=np.int32(3)),
        tr.interleaving([shown] * 6, **how),
        tr.agreement(*runs.values(), p=np.float32(0.9), k=np.int64(5)),
        tr.agreements(runs, p=np.float32(0.9), k=np.int64(5)),
        tr.predicted(qrels, qrels, runs["x"], "RR", sample="random", confidence=np.float32(0.9)),
    ):
        assert json.dumps(found.to_dict()), type(found).__name__


def test_the_greatest_depth_is_one_that_can_be_evaluated():
    assert tr.evaluate({"q": ["a"]}, {"q": ["a"]}, "RR", rules={"depth": 2**63 - 1}).mean == {"RR": 1.0}


def test_a_rule_that_is_called_by_a_number_is_refused():
    with pytest.raises(tr.RulesError, match="no rule is called 5"):
        Rules.of({5: 1})  # type: ignore[dict-item]


def test_a_path_that_cannot_be_is_no_rules_file():
    with pytest.raises(tr.InputError, match="cannot read the rules: embedded null"):
        Rules.of("x\0.toml")


@pytest.mark.parametrize("grade", [HUGE, 10**5000, np.array([1]), [1]], ids=["400", "5000", "array", "list"])
def test_a_grade_is_one_finite_number(grade):
    with pytest.raises(tr.InputError, match=r"document a of query q has the grade .*, which is no finite number"):
        tr.read_qrels({"q": {"a": grade}})


@pytest.mark.parametrize(
    "qrels", [{"q": {"\ud800": 1}}, {"\ud800": ["a"]}, [{"query": "\ud800", "relevant": ["a"]}]], ids=ascii
)
def test_half_a_character_is_no_id(qrels):
    with pytest.raises(tr.InputError, match="an id cannot be written as text"):
        tr.read_qrels(qrels)


def test_a_score_that_no_float_holds_is_refused():
    with pytest.raises(tr.InputError, match="the answer to query q cannot be read: int too large"):
        tr.evaluate({"q": ["a"]}, {"q": {"a": HUGE}}, "RR")


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("listed", "listed needs pairs; write it like listed"),
        ("nearest(n=1, n=2)", "nearest: n is given twice"),
        ("nearest(1, n=2)", "nearest: n is given twice"),
    ],
)
def test_a_rule_of_truth_takes_each_parameter_once(rule, message):
    items = [{"id": "a", "lat": 0.0, "lon": 0.0}]
    with pytest.raises(tr.RulesError, match=message):
        truth.build(rule, items, items)


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ({"geometry": {"type": "Polygon", "coordinates": [[[1, 2], [3]]]}}, "a polygon's coordinates are rings"),
        ({"geometry": {"type": "Polygon", "coordinates": "x"}}, "a polygon's coordinates are rings"),
        ({"geometry": {"type": "Polygon", "coordinates": [[]]}}, "a polygon's coordinates are rings"),
        ({"geometry": {"type": "Polygon", "coordinates": [[["1", "2"]]]}}, "a polygon's coordinates are rings"),
        ({"geometry": 5}, "the geometry of a feature should be an object, not 5"),
        ({"properties": 5}, "the properties of a feature should be an object, not 5"),
    ],
)
def test_a_broken_feature_is_explained(tmp_path, part: dict[str, Any], message):
    path = tmp_path / "items.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": [{"type": "Feature", "id": "a", **part}]}))
    with pytest.raises(tr.InputError, match=message):
        truth.read_items(path)


@pytest.mark.parametrize("odd", ["--1", "1" * 5000, "-0", "²", "007"], ids=brief)
def test_a_label_that_is_no_plain_number_is_a_name(tmp_path, odd):
    from truerank.formats.arrays import _lines
    from truerank.formats.source import as_source

    path = tmp_path / "labels.txt"
    path.write_text(f"1\n{odd}\n-2\n", "utf-8")
    for are_names in (False, True):
        assert _lines(as_source(path), are_names=are_names) == ["1", odd, "-2"]


def test_long_vectors_have_a_cosine():
    vectors = np.array([[1e20, 0], [0, 1e20]], np.float32)
    assert rank_vectors(vectors, vectors, [1, 2], [1, 2], [1, 1], [2, 2]).rank.tolist() == [1, 1]


@pytest.mark.parametrize(
    "options",
    [
        ("q.txt", "r.run", "-k", "9" * 20),
        ("q.txt", "r.run", "--documents", "9" * 400),
        ("--counts", "1" + "0" * 400 + ",2,3,4"),
        ("--counts", "1_0,2,3,4"),
        ("--counts", "١,2,3,4"),
    ],
    ids=brief,
)
def test_counts_are_plain_numbers_of_a_possible_size(here, options):
    assert options[-2] in refused("confusion", *options) or options[0] == "q.txt"
