"""Percentages and names as they were asked for: the same in eval, compare and report, in every format."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import truerank as tr
from truerank.cli import truerank
from truerank.present.build import write_report
from truerank.present.comparison import LAYOUTS, document
from truerank.present.renderers import figures

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "compare"
PATHS = [str(EXAMPLES / f"{name}.run") for name in ("bm25", "dense", "hybrid")]
QRELS = str(EXAMPLES / "qrels.txt")
ASKED = "ndcg_cut_5 map num_rel_ret gm_map"
FOR_PEOPLE = ("table", "markdown", "latex", "html")


def invoke(*arguments: object) -> Any:
    found = CliRunner().invoke(truerank, list(map(str, arguments)))
    assert found.exit_code == 0, found.output
    return found


def bare(text: str) -> str:
    return text.replace("\\_", "_").replace("\\", "")


@pytest.mark.parametrize("format", FOR_PEOPLE)
@pytest.mark.parametrize("command", [("eval",), ("compare",), ("compare", "--layout", "wide", "--intervals")])
def test_what_people_read_has_percentages_under_the_names_that_were_asked_for(command, format):
    text = bare(invoke(*command, QRELS, *PATHS, "-m", ASKED, "--percent", "--as-written", "-f", format).stdout)
    assert "63.68" in text
    assert "0.6368" not in text
    assert all(name in text for name in ASKED.split())
    assert "nDCG@5" not in text
    assert "NumRelRet" not in text
    assert "In percent, except num_rel_ret." in text


@pytest.mark.parametrize("command", [("eval",), ("compare",), ("compare", "--layout", "wide")])
def test_data_keep_fractions_and_the_names_that_were_asked_for(command):
    for format in ("json", "csv"):
        found = invoke(*command, QRELS, *PATHS, "-m", ASKED, "--percent", "--as-written", "-f", format)
        assert "0.6368" in found.stdout
        assert "63.68" not in found.stdout
        assert "ndcg_cut_5" in found.stdout
        assert f"{format} has fractions" in found.stderr


def test_differences_and_their_intervals_are_in_percent_but_effects_and_p_are_not():
    found = tr.compare(QRELS, PATHS[:2], "map", as_written=True)
    plain, percent = (document(found, percent=each).tables[0] for each in (False, True))
    for one, other in zip(plain.rows, percent.rows, strict=True):
        assert other[2] == pytest.approx(100 * one[2])
        assert one[6:] == other[6:]
    signed = [float(row[4]) for row in plain.rows if row[4] != "baseline"]
    assert [float(row[4]) for row in percent.rows if row[4] != "baseline"] == pytest.approx(
        [100 * each for each in signed], abs=0.01
    )


def test_the_smallest_difference_that_shows_is_in_percent_too():
    found = tr.compare(QRELS, PATHS[:2], "AP")
    least = found["AP"].pairs[0].detectable
    notes = document(found, percent=True).tables[-1].notes
    assert any(f"{least * 100:.3g} in AP" in each for each in notes)
    assert any(f"{least:.3g} in AP" in each for each in found.to_dict().get("remarks", document(found).remarks))


def test_measures_beyond_1_stay_as_they_are_and_each_table_is_shown_once():
    found = tr.compare(QRELS, PATHS, "AP DCG@3", by={f"t{n:02}": "odd" if n % 2 else "even" for n in range(1, 41)})
    plain, percent = (document(found, percent=each).tables for each in (False, True))
    assert [table.title for table in plain] == [table.title for table in percent]
    assert percent[-1].notes[-1] == "In percent, except DCG@3."
    assert not any("In percent" in note for table in percent[:-1] for note in table.notes)
    for one, other in zip(plain, percent, strict=True):
        times = 1 if "DCG" in one.title else 100
        if one.columns[0] == "":
            assert [row[2] for row in other.rows] == pytest.approx([times * row[2] for row in one.rows])
    alone = document(tr.compare(QRELS, PATHS[:2], "AP"), percent=True)
    assert alone.tables[-1].notes[-1] == "In percent."


@pytest.mark.parametrize("layout", LAYOUTS)
def test_python_has_the_same(layout):
    found = tr.compare(QRELS, PATHS, ASKED, as_written=True)
    assert "63.68" in found.to_latex(layout=layout, percent=True)
    assert list(found) == ASKED.split()
    assert list(found.columns("wide")) == ["system", *ASKED.split()]
    scored = tr.compare(None, [tr.evaluate(QRELS, path, ASKED) for path in PATHS], as_written=True)
    assert list(scored) == ASKED.split()


def test_the_means_of_runs_are_in_percent_as_the_mean_of_their_system_is_and_logarithms_are_not():
    qrels = {f"q{i}": {"a": 1} for i in range(4)}
    first, second = [
        {query: {"x": 2.0, "a": score} for query, score in zip(qrels, scores, strict=True)}
        for scores in ([3, 3, 1, 1], [3, 1, 1, 1])
    ]
    found = tr.compare(qrels, {"both": [first, second]}, "GMAP AP")
    fractions, percent = (document(found, percent=each).tables for each in (False, True))
    assert [fractions[at].rows[0][2] for at in (1, 4)] == ["0.595 to 0.707", "0.625 to 0.750"]
    assert [percent[at].rows[0][2] for at in (1, 4)] == ["59.46 to 70.71", "62.50 to 75.00"]
    assert percent[1].rows[0][3:] == fractions[1].rows[0][3:]
    assert percent[2].rows[0][1:] == fractions[2].rows[0][1:]


@pytest.mark.parametrize("ending", ["txt", "md", "tex", "html"])
def test_a_report_in_percent(tmp_path, ending):
    path = tmp_path / f"report.{ending}"
    invoke("report", QRELS, *PATHS, "-m", ASKED, "--percent", "--as-written", "--lang", "en", "-o", path)
    text = bare(path.read_text("utf-8"))
    assert "hybrid.run has the best ndcg_cut_5: 63.68 (" in text
    assert "Scores are in percent, except num_rel_ret; curves and exact values are in fractions." in text
    assert "percent True" not in text
    assert "NumRelRet" not in text
    assert "0.6368" not in text.split("application/json")[0]


def test_what_a_report_in_percent_could_detect_is_in_percent_wherever_it_stands(tmp_path):
    least = "four of five samples of this size: 23.4 in Success@1, 12.5 in AP."
    compared = invoke("compare", QRELS, PATHS[0], PATHS[2], "-m", "Success@1 AP", "--percent").stdout
    path = tmp_path / "report.txt"
    invoke("report", QRELS, PATHS[0], PATHS[2], "-m", "Success@1 AP", "--percent", "--lang", "en", "-o", path)
    assert least in compared
    assert least in " ".join(path.read_text("utf-8").split())


def test_shares_of_queries_are_fractions_with_as_many_digits_in_percent(tmp_path):
    drawn = (
        next(figure for figure in report.figures if figure.name == "distribution")
        for percent in (False, True)
        for report in [write_report(QRELS, PATHS, tmp_path / "r.json", "AP", percent=percent, lang="en")]
    )
    fractions, percent = (re.findall(r"; share of queries: ([^;\"]+)", figures.svg(figure)) for figure in drawn)
    assert fractions == percent
    assert "0.9250" in percent


def test_a_report_as_json_keeps_fractions(tmp_path):
    path = tmp_path / "report.json"
    write_report(QRELS, PATHS, path, ASKED, as_written=True, percent=True, lang="en")
    found = json.loads(path.read_text("utf-8"))
    text = json.dumps(found.get("results", found))
    assert '"ndcg_cut_5": 0.6368' in text


def test_a_page_works_its_values_out_in_fractions(tmp_path):
    page = write_report(QRELS, PATHS, tmp_path / "r.html", "map", as_written=True, percent=True, lang="ko")
    queries = next(block for block in page.blocks if type(block).__name__ == "Queries")
    assert queries.digits == 2
    assert list(queries.values) == ["map"] == list(queries.answers.worked)
    (_, lines) = queries.answers.worked["map"][0][0]
    assert lines[-1][2] * 100 == pytest.approx(queries.values["map"][0, 0])
