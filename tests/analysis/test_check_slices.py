"""Gates on slices: each is what a check of its queries alone would say, at the confidence of all together."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import truerank as tr
from truerank.analysis.check import read_settings
from truerank.analysis.compare.slices import cut
from truerank.cli import truerank
from truerank.present import check as report


def world(seed: int, queries: int = 60) -> tuple[dict[str, Any], dict[str, Any], dict[str, str]]:
    chance = random.Random(seed)
    names = [f"q{n:03}" for n in range(queries)]
    qrels = {q: {f"d{n}": chance.randint(0, 2) for n in range(6)} for q in names}
    run = {q: chance.sample([f"d{n}" for n in range(9)], 8) for q in names}
    return qrels, run, {q: chance.choice(["de", "en", "ko"]) for q in names[:-4]}


@pytest.mark.parametrize("seed", range(5))
def test_a_slice_is_judged_as_its_queries_alone_are(seed: int) -> None:
    qrels, run, by = world(seed)
    _, old, _ = world(seed + 100)
    measures = "AP nDCG@5 NumRelRet"
    new, base = tr.evaluate(qrels, run, measures), tr.evaluate(qrels, old, measures)
    gates: dict[str, Any] = {"min": {"AP": 0.45, "NumRelRet": 70}, "max": {"nDCG@5": 0.55}}
    gates |= {"measures": ["AP", "nDCG@5"], "sure": True}
    found = tr.check(new, no_worse_than=base, margin=0.05, by=by, by_name="language", **gates)
    assert (found.by, found.unsliced, {v.slice for v in found.verdicts}) == ("language", 4, {"", "de", "en", "ko"})
    level = 1 - 0.05 / 3
    for value in ("de", "en", "ko"):
        own = {q: docs for q, docs in qrels.items() if by.get(q) == value}
        alone = tr.check(
            tr.evaluate(own, run, measures),
            no_worse_than=tr.evaluate(own, old, measures),
            margin=0.05,
            confidence=level,
            **gates,
        )
        sliced = [verdict for verdict in found.verdicts if verdict.slice == value]
        assert len(sliced) == len(alone.verdicts) == 5
        for one, other in zip(sliced, alone.verdicts, strict=True):
            assert one.interval is not None
            assert (one.asked, one.outcome, one.value, one.queries) == (
                other.gate,
                other.outcome,
                other.value,
                other.queries,
            )
            assert (one.interval, one.gate) == (other.interval, f"{value}: {other.gate}")


def test_a_slice_may_have_gates_of_its_own() -> None:
    qrels, run, by = world(3)
    slices = {"de": {"min": {"RR": 0.99}}, "en": {"min": {"AP": 0.0}, "margin": 0.5}}
    reading = tr.read(qrels, run)
    base = tr.evaluate(qrels, run, "AP RR")
    found = tr.check(reading, min={"AP": 0.9}, no_worse_than=base, by=by, slices=slices)
    assert [v.gate for v in found.verdicts if v.slice in ("de", "en") and not v.against] == [
        "de: AP >= 0.9",
        "de: RR >= 0.99",
        "en: AP >= 0",
    ]
    assert {v.slice: v.limit for v in found.verdicts if v.against} == {"": 0, "de": 0, "en": -0.5, "ko": 0}
    assert [v.outcome for v in found.verdicts if v.slice == "en" and v.kind == "min"] == ["pass"]
    assert found.outcome == "fail"


def test_numbers_of_the_whole_run_have_no_slices() -> None:
    qrels, run, by = world(4)
    scored = {query: {doc: -rank for rank, doc in enumerate(docs)} for query, docs in run.items()}
    found = tr.check(tr.evaluate(qrels, scored, "microAP AP"), min={"microAP": 0.1, "AP": 0.1}, by=by)
    assert [v.name for v in found.verdicts if not v.slice] == ["microAP", "AP"]
    assert {v.name for v in found.verdicts if v.slice} == {"AP"}


@pytest.mark.parametrize(
    ("scores", "how", "said"),
    [
        (
            {"AP": 0.4},
            {"by": {"q": "de"}},
            "scores has no values of queries, which slices need: measures of the whole run .*--per-query",
        ),
        (
            None,
            {"by": {"q000": "de"}, "no_worse_than": {"AP": 0.4}},
            "scores has no values of queries, which slices need",
        ),
        (None, {"by": {"q000": "de"}, "watch": tr.Watch("new")}, "slices are of plain scores, neither watched nor"),
        (None, {"slices": {"de": {}}}, "gates of slices need the attribute"),
        (None, {"by": {"q000": "de"}, "slices": {"dee": {}}}, "'dee', which has gates. Did you mean de\\?"),
        (None, {"by": {"q000": "de"}, "slices": {"de": {"mini": {}}}}, "min, max and margin.*Did you mean min\\?"),
        (None, {"by": {"q000": "de"}, "slices": {"de": 3}}, "the gates of the slice 'de' are min, max and margin"),
        (None, {"by": {"q000": "de"}, "slices": ["de"]}, r"slices are \{value: gates\}, not \['de'\]"),
        (None, {"by": {"other": "de"}}, "a value for none of the queries"),
    ],
)
def test_slices_that_cannot_be_judged_are_refused(scores: Any, how: dict[str, Any], said: str) -> None:
    qrels, run, _ = world(1)
    with pytest.raises(tr.InputError, match=said):
        tr.check(scores or tr.evaluate(qrels, run, "AP"), min={"AP": 0.1}, **how)


def files(tmp_path: Path) -> None:
    qrels, run, by = world(2)
    (tmp_path / "qrels").write_text(
        "".join(f"{q} 0 {d} {g}\n" for q, each in qrels.items() for d, g in each.items())
    )
    rows = [f"{q} Q0 {d} {n} {-n} a\n" for q, docs in run.items() for n, d in enumerate(docs)]
    (tmp_path / "run").write_text("".join(rows))
    (tmp_path / "topics.csv").write_text("query_id,language\n" + "".join(f"{q},{v}\n" for q, v in by.items()))
    (tmp_path / "gates.toml").write_text(
        'qrels = "qrels"\nrun = "run"\nby = "topics.csv:language"\n[min]\nAP = 0.1\n[slices.de.min]\nRR = 0.999\n'
    )


def test_the_command_slices_by_an_option_or_by_the_file_of_gates(tmp_path: Path) -> None:
    files(tmp_path)
    assert read_settings(tmp_path / "gates.toml").by == str(tmp_path / "topics.csv:language")
    done = CliRunner().invoke(truerank, ["check", str(tmp_path / "gates.toml"), "-f", "json"])
    gates = json.loads(done.stdout)["gates"]
    assert (done.exit_code, len(gates)) == (1, 5)
    failed = [gate for gate in gates if gate["outcome"] == "fail"]
    assert [(gate["gate"], round(gate["confidence"], 4)) for gate in failed] == [("de: RR >= 0.999", 0.9833)]
    asked = [str(tmp_path / name) for name in ("qrels", "run")]
    by = f"{tmp_path}/topics.csv:language"
    done = CliRunner().invoke(truerank, ["check", *asked, "--min", "AP=0.1", "--by", by])
    assert done.exit_code == 0, done.output
    assert "each language" in done.stdout
    assert "98.33 % interval" in done.stdout
    assert "4 queries have no language: in no slice." in done.stdout
    assert "fewer than 30 queries, too few to rely on: de, en and ko." in done.stdout
    done = CliRunner().invoke(truerank, ["check", *asked, "--min", "AP=0.1", "--by", "topics.csv"])
    assert (done.exit_code, "queries are cut by FILE:COLUMN" in done.stderr) == (2, True)


def test_every_format_names_the_slices() -> None:
    qrels, run, by = world(5)
    found = tr.check(tr.evaluate(qrels, run, "AP"), min={"AP": 0.9}, by=by, by_name="language")
    for format in report.FORMATS:
        assert "de" in report.render(found, format), format
    assert "de: AP &gt;= 0.9: FAIL" in report.junit(found)
    assert [*found.to_pandas()["slice"]] == ["", "de", "en", "ko"]


def test_an_attribute_is_read_from_a_file_and_called_by_its_column_in_python_too(tmp_path):
    qrels, run, by = world(5)
    table = tmp_path / "topics.csv"
    table.write_text("query_id,language\n" + "".join(f"{query},{value}\n" for query, value in by.items()))
    scores = tr.evaluate(qrels, run, "AP")
    told = tr.check(scores, min={"AP": 0.9}, by=by, by_name="language")
    assert tr.check(scores, min={"AP": 0.9}, by=f"{table}:language") == told
    assert tr.check(scores, min={"AP": 0.9}, by=f"{table}:language", by_name="tongue").to_text() != told.to_text()
    runs = {"a": run, "b": run}
    found = tr.compare(qrels, runs, "AP", by=f"{table}:language").to_dict()
    assert found == tr.compare(qrels, runs, "AP", by=by, by_name="language").to_dict()
    with pytest.raises(tr.InputError, match="queries are cut by FILE:COLUMN"):
        tr.compare(qrels, runs, "AP", by="topics.csv")


def test_an_attribute_is_a_mapping():
    scores = tr.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "AP")
    with pytest.raises(tr.InputError, match=r"an attribute is \{query: value\} or FILE:COLUMN, not 3"):
        tr.check(scores, min={"AP": 0.1}, by=3)


def test_the_name_of_a_slice_is_escaped_wherever_it_stands():
    scores = tr.evaluate({q: {"a": 1} for q in "pqr"}, {q: ["a"] for q in "pqr"}, "AP")
    found = tr.check(scores, min={"AP": 0.1}, sure=True, by=dict.fromkeys("pqr", "a\x1b[31mred"))
    assert "\x1b" not in str(found)
    assert "a\\x1b[31mred" in str(found)


@pytest.mark.parametrize("blank", ["", " ", "\t", None, float("nan")])
def test_queries_whose_attribute_is_blank_are_in_no_slice(blank: Any) -> None:
    assert cut(["q1", "q2"], {"q1": "en", "q2": blank}) == {"en": [0]}
