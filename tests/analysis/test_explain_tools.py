"""One run under many tools' rules: each tool's own numbers, and the differences that move them."""

from __future__ import annotations

import csv
import io
import json
import random
import re
from pathlib import Path

import pytest

import truerank as tr
from truerank.analysis.explain.tools import ToolComparison, ToolRow, under_rules
from truerank.core.languages import translated
from truerank.core.rules import presets
from truerank.present.tools import document_of

QRELS = {"1": {"a": 2, "b": 1, "c": 0}, "2": {"d": 1, "e": 1}, "3": {"f": 0}, "4": {"g": 1}}
RUN = {"1": {"x": 2.0, "a": 2.0, "b": 1.0}, "2": {"d": 3.0, "y": 2.0}, "3": {"z": 1.0}}
ASKED = "R@10 P@10 AP@10 RR@10 nDCG@10"


def compared(*names: str, measures: str = ASKED, run: object = RUN, qrels: object = QRELS) -> ToolComparison:
    return under_rules(qrels, run, measures, names)


def only(name: str, **given: object) -> ToolRow:
    return compared(name, **given).rows[0]


def moving(row: ToolRow) -> dict[str, tuple]:
    return {reason.what: reason.changes for reason in row.reasons if reason.moves}


@pytest.mark.parametrize("name", presets())
def test_every_value_is_that_of_evaluate_under_the_preset(name):
    row = only(name)
    for reading, value in zip(row.readings, row.values, strict=True):
        if reading is not None and not row.refused:
            assert tr.evaluate(QRELS, RUN, [reading], rules=name).mean[str(reading)] == value


def test_the_default_has_no_reasons():
    assert only("truerank").reasons == ()


def test_a_tool_reads_measures_its_own_way():
    readings = {
        row.name: list(map(str, row.readings)) for row in compared("haystack", "sentence-transformers").rows
    }
    assert readings == {
        "haystack": [
            *("SetSuccess(depth=10)", "None", "AP(depth=10)", "RR(depth=10)", "nDCG(depth=10)"),
        ],
        "sentence-transformers": [
            *("R@10", "P@10", "AP(divisor='capped')@10", "RR@10", "nDCG(gain='binary')@10"),
        ],
    }


def test_a_list_cut_at_k_is_what_a_tool_without_cutoffs_sees():
    qrels, run = {"q": dict.fromkeys("abcd", 1)}, {"q": ["a", "b", "c", "d"]}
    assert only("llama-index", measures="nDCG@2 P@2 R@2", qrels=qrels, run=run).values == (
        pytest.approx(1.6309 / 2.5616, abs=1e-4),
        1.0,
        0.5,
    )


@pytest.mark.parametrize(
    ("name", "measure"),
    [
        ("ir_measures", "RR@10"),
        ("sklearn", "AP@10"),
        *((name, "AP@10") for name in ("market1501", "cuhk03", "university1652")),
    ],
)
def test_a_measure_that_a_tool_with_cutoffs_has_for_whole_lists_alone_is_empty_at_k(name, measure):
    row = only(name, measures=f"{measure} {measure.partition('@')[0]}")
    assert (row.readings[0], row.values[0], row.refused) == (None, None, "")
    assert row.readings[1] is not None
    assert row.values[1] is not None


def test_each_difference_is_switched_alone_and_counts_the_queries_it_touches():
    found = moving(only("sentence-transformers"))
    assert set(found) == {"ties = doc-ascending", "without_relevant = skip", "nDCG@10 is nDCG(gain='binary')@10"}
    ties = found["ties = doc-ascending"][3]
    assert ties is not None
    assert (ties.mean, ties.queries) == (pytest.approx((1 - 1 / 2) / 4), 1)
    assert [change and change.queries for change in found["without_relevant = skip"]] == [1] * 5


def test_queries_that_a_measure_has_no_value_for_are_not_counted_as_in_its_mean():
    qrels, run = {"q": {"a": 1}, "r": {"a": 0}}, {"q": ["a"], "r": ["a"]}
    for measures, means, queries in (("SetR", (1.0,), 1), ("SetR SetP", (1.0, 0.5), 2)):
        (row,) = under_rules(qrels, run, measures, ["ragas"]).rows
        assert (row.values, row.queries) == (means, queries)


def test_what_one_tool_refuses_is_told_in_its_row_and_the_others_have_their_numbers():
    one, other = compared("trec_eval-10", "trec_eval-9").rows
    assert one.values == (None,) * 5
    assert one.refused.startswith("run: query 4 is judged but not answered")
    assert translated(one.refused, "ko").startswith("run: 질의 4에 판정은 있으나 답이 없습니다.")
    assert other.values[0] == 0.5


def test_differences_that_matter_only_together_are_told_as_such(tmp_path):
    rules = tmp_path / "mine.toml"
    rules.write_text("ties = 'doc-ascending'\nscore_precision = 'single'\n")
    run = {"q": {"a": 0.123456788, "b": 0.123456789}}
    row = only(str(rules), qrels={"q": {"a": 1}}, run=run, measures="RR")
    assert list(moving(row)) == ["all of these together"]
    assert row.values == (1.0,)


def test_a_run_that_the_default_refuses_is_compared_with_the_nearest_that_takes_it():
    found = compared("haystack", "haystack-2026-07", run={"1": ["a", "b", "a"]})
    assert "is returned twice" in found.note
    assert found.base.duplicates == "first"
    assert [row.values[2] for row in found.rows] == [0.25, pytest.approx((1 + 1 + 1) / 3 / 4)]


def test_rules_of_one_s_own_have_every_measure_and_say_in_readings_what_plain_names_mean(tmp_path):
    rules = tmp_path / "mine.toml"
    plain = ["R@10", "P@10", "AP@10", "RR@10", "nDCG@10"]
    rules.write_text("level = 2\nmeasures = [\"AP(divisor='hits')@10\"]\n")
    assert list(map(str, only(str(rules)).readings)) == plain
    rules.write_text("level = 2\n[readings]\nmap = \"AP(divisor='hits')@k\"\n")
    assert list(map(str, only(str(rules)).readings)) == [*plain[:2], "AP(divisor='hits')@10", *plain[3:]]


def test_a_long_run_is_read_once_for_each_way_of_reading(monkeypatch):
    from truerank.analysis.explain import tools

    reads = []
    reading_of = tools.reading_of
    monkeypatch.setattr(tools, "reading_of", lambda *given: (reads.append(given[2]), reading_of(*given))[1])
    compared(*presets())
    ways = {tuple(getattr(rules, name) for name in tools.READ_UNDER) for rules in reads}
    assert 1 < len(reads) == len(ways)


def test_every_preset_explains_a_random_run():
    chance = random.Random(5)
    docs = [f"d{i}" for i in range(20)]
    qrels = {f"q{i}": {d: chance.randint(0, 2) for d in chance.sample(docs, 6)} for i in range(30)}
    run = {f"q{i}": {d: chance.randint(0, 4) / 2 for d in chance.sample(docs, 10)} for i in range(25)}
    found = compared(*presets(), qrels=qrels, run=run)
    base = found.rows[0].values
    for row in found.rows[1:]:
        differs = not row.refused and any(v not in (None, b) for v, b in zip(row.values, base, strict=True))
        assert bool(moving(row)) >= differs, row.name


PAGE = (Path(__file__).parents[2] / "docs" / "tools.md").read_text("utf-8")


def table_of(heading: str) -> list[dict[str, str]]:
    """The rows of the first table below a heading."""
    lines = [
        line for line in PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0].splitlines() if "|" in line
    ]
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [dict(zip((name.strip("`") for name in head), row, strict=True)) for row in rows]


OF_VECTORS = ("same_camera", "junk_identities", "distractor_identities", "single_shot_galleries", "percent_ranks")
"""Rules of pairs of vectors, which docs/vectors.md tells."""


def test_the_documented_rules_are_those_of_the_presets():
    rows = table_of("The rules of each")
    plain = {name: tr.Rules.named(name) for name in presets()}
    of_vectors = {
        n for n, rules in plain.items() if any(getattr(rules, f) != getattr(tr.Rules(), f) for f in OF_VECTORS)
    }
    assert {row["preset"] for row in rows} >= plain.keys() - of_vectors
    for row in rows:
        rules, more = row.pop("preset"), row.pop("more")
        row |= dict(re.findall(r"`(\w+)`: (\S+?)(?:,|$)", more))
        told = tr.Rules.from_dict(
            {n: float(v) if re.fullmatch(r"\d[\d.e-]*", v) else v for n, v in row.items() if v}
        )
        assert told.is_like(tr.Rules.named(rules))


def test_the_documented_measures_are_those_of_the_presets():
    rows = table_of("The measures of each")
    with_own = {name for name in presets() if tr.Rules.named(name).measures}
    assert {row["preset"] for row in rows} == with_own - {"trec_eval-9", "trec_eval-10"}
    for row in rows:
        assert tuple(re.findall("`(.+?)`", row["measures"])) == tr.Rules.named(row["preset"]).measures


def test_the_text_has_a_row_a_tool_and_a_row_a_reason():
    text = document_of(compared("truerank", "trec_eval-9")).render()
    lines = text.splitlines()
    assert lines[1].split() == ["truerank", "0.3750", "0.0750", "0.2708", "0.3750", "0.3207", "4"]
    assert any(line.startswith("trec_eval-9  missing = skip") for line in lines)
    assert "Rules without any effect here: score_precision = single" in text


@pytest.mark.parametrize("format", ["table", "markdown", "latex", "json", "csv"])
def test_every_format_has_the_numbers(format):
    assert "0.5833333333333333" in document_of(compared("autorag"), digits=16).render(format)


def test_json_and_csv_read_back():
    found = compared("autorag", "sklearn", "trec_eval-10")
    plain = json.loads(document_of(found).render("json"))
    assert plain["tools"]["autorag"]["mean"]["R@10"] == 1.0
    assert plain["tools"]["sklearn"]["readings"]["P@10"] is None
    assert "not answered" in plain["tools"]["trec_eval-10"]["refused"]
    rows = list(csv.DictReader(io.StringIO(document_of(found).render("csv"))))
    assert [row["rules"] for row in rows] == ["autorag", "sklearn", "trec_eval-10"]
    assert float(rows[0]["R@10"]) == 1.0


def test_what_all_are_compared_with_has_a_row_though_it_was_not_named():
    lines = document_of(compared("trec_eval-9", "sklearn")).render().splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["truerank", "trec_eval-9", "sklearn"]
    assert lines[1].split()[1:] == ["0.3750", "0.0750", "0.2708", "0.3750", "0.3207", "4"]
    assert compared("trec_eval-9").to_dict()["base"]["mean"]["R@10"] == 0.375


def test_where_nothing_differs_it_is_said():
    text = document_of(compared("truerank")).render()
    assert "Nothing in which these rules differ from the rules truerank moves a number here." in text
    assert "difference" not in text


def test_reasons_that_are_too_wide_come_in_several_tables_that_lose_nothing():
    found = compared("trec_eval-9", "sentence-transformers", "autorag")
    wide, narrow = (document_of(found, width=width).render(styled=True) for width in (None, 80))
    whole, parts = document_of(found).tables, document_of(found, width=80).tables
    assert (len(whole), narrow != wide) == (2, True)
    drawn, expected = (
        {(row[:2], name, row[i]) for t in tables for row in t.rows for i, name in enumerate(t.columns) if row[i]}
        for tables in (parts[1:], whole[1:])
    )
    assert drawn == expected
    for table in parts[1:]:
        widths = [max(map(len, column)) for column in zip(table.columns, *table.texts, strict=True)]
        assert sum(widths) + 3 * (len(widths) - 1) <= 80 or len(widths) == 3
    assert [bool(table.notes) for table in parts[1:]] == [False] * (len(parts) - 2) + [True]


@pytest.mark.parametrize("measure", ["GAP", "Entropy@5", "Popularity@5"])
def test_measures_of_more_than_judged_documents_are_refused_with_what_has_them(measure):
    with pytest.raises(tr.MeasureError, match=r"needs measures of each query's judged documents.*`truerank eval`"):
        compared("trec_eval-10", "ranx", measures=f"{measure} AP")


def test_plain_values_say_what_a_tool_has_not_and_what_it_refuses():
    found = under_rules({"q": {"a": 1}}, {"q": ["a", "b", "a"]}, "AP ERR", ["autorag", "ranx"]).to_dict()
    refused, taken = found["tools"]["autorag"], found["tools"]["ranx"]
    assert refused["readings"] == {"AP": "AP(divisor='hits')", "ERR": None}
    assert (refused["mean"], refused["queries"]) == ({"AP": None, "ERR": None}, 0)
    assert refused["refused"].startswith("run: document a is returned twice for query q")
    by_rule = {reason["what"]: reason["refused"] for reason in refused["differences"] + taken["differences"]}
    assert by_rule["duplicates = error"].startswith("run: document a is returned twice")
    assert by_rule["duplicates = last"] is None
    assert (taken["mean"], taken["refused"], found["base"]["queries"]) == ({"AP": 0.5, "ERR": None}, None, 1)
    assert "The default rules refuse this run" in found["note"]
