"""The table that papers print: a row a system, a column a measure, the best bold, letters of what each beats."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import truerank as tr
from truerank.analysis.compare import Comparison, compare, read_attribute
from truerank.cli import truerank
from truerank.present import collections
from truerank.present import curves as report
from truerank.present.charts import lines
from truerank.present.comparison import document
from truerank.present.palette import DASHES, MARKS
from truerank.present.renderers import FORMATS

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "compare"
NAMES = ("bm25", "dense", "hybrid")
PATHS = [str(EXAMPLES / f"{name}.run") for name in NAMES]
QRELS = str(EXAMPLES / "qrels.txt")


@pytest.fixture(scope="module", name="found")
def fixture_found() -> Comparison:
    return compare(QRELS, dict(zip(NAMES, PATHS, strict=True)), "nDCG@5 AP")


def invoke(*arguments: object) -> Any:
    return CliRunner().invoke(truerank, list(map(str, arguments)))


def test_latex_has_a_row_a_system_with_the_best_in_bold_and_raised_letters(found: Comparison) -> None:
    text = found.to_latex()
    assert text.count(r"\begin{table}") == 1
    assert r"& run & nDCG@5 & AP \\" in text
    assert r"c & hybrid & \textbf{0.6368}$^{ab}$ & " in text
    assert r"a & bm25 & 0.4176 & " in text
    assert "significantly better than the system of that letter" in text


def test_markdown_and_html_say_the_same(found: Comparison) -> None:
    assert re.search(r"\| c \| hybrid \| \*\*0.6368\*\*<sup>ab</sup> \|", found.to_markdown())
    assert "<b>0.6368</b><sup>ab</sup>" in found.to_html()
    assert found._repr_html_() == found.to_html()


def test_on_a_terminal_letters_stand_behind_numbers_that_stay_below_one_another(found: Comparison) -> None:
    head, *rows = str(found).splitlines()[:4]
    ends = {row.index(".") for row in rows}
    assert len(ends) == 1
    assert re.search(r"hybrid +0\.6368 ab +0\.\d{4}", rows[0])
    assert "beats" not in head


def test_the_letters_are_those_of_the_long_form(found: Comparison) -> None:
    long = document(found).tables
    assert all(table.is_spelled for table in long if "beats" in table.columns)
    assert found.to_text(layout="long") == document(found).render()
    wide = document(found, layout="wide").tables[0]
    for column, measure in enumerate(("nDCG@5", "AP"), 2):
        order = [row[1] for row in wide.rows]
        marks = {name: wide.raised.get((r, column), "") for r, name in enumerate(order)}
        assert marks == dict(found.superscripts(measure))


def test_intervals_stand_beside_their_means_where_they_are_asked_for(found: Comparison) -> None:
    plain, with_them = found.to_text(), found.to_text(intervals=True)
    assert "95 % interval" not in plain
    assert with_them.splitlines()[0].count("95 % interval") == 2
    assert "[0.563, 0.703]" in with_them
    assert "Intervals: BCa bootstrap" in with_them


def test_each_slice_has_a_wide_table_of_its_own() -> None:
    by = read_attribute(str(EXAMPLES / "topics.csv"), "language")
    sliced = compare(QRELS, PATHS, "nDCG@5 AP", by=by, by_name="language")
    tables = document(sliced, layout="wide").tables
    assert [re.sub(r" \(.*", "", table.title) for table in tables] == [
        "all queries",
        "language = de",
        "language = en",
    ]
    rows = list(csv.DictReader(io.StringIO(document(sliced, layout="wide").render("csv"))))
    assert len(rows) == 9
    assert [row["slice"] for row in rows[::3]] == ["", "de", "en"]


def test_a_wide_frame_has_systems_by_measures_and_queries_by_systems(found: Comparison) -> None:
    wide = found.to_pandas(layout="wide")
    assert (list(wide.index), list(wide.columns)) == (list(NAMES), ["nDCG@5", "AP"])
    assert wide.loc["bm25", "AP"] == found["AP"].means["bm25"].estimate
    queries = found.to_pandas(layout="queries", measure="map")
    assert (list(queries.index), list(queries.columns)) == (list(found.queries), list(NAMES))
    for name in NAMES:
        scores = tr.evaluate(QRELS, PATHS[NAMES.index(name)], "AP")
        assert queries[name].to_numpy().tobytes() == scores["AP"].tobytes()
    assert found.to_polars("wide").columns == ["system", "nDCG@5", "AP"]
    assert found.to_arrow("queries").column_names == ["query", *NAMES]
    assert len(found.to_pandas()) == len(found.rows())


def test_another_layout_is_refused(found: Comparison) -> None:
    with pytest.raises(tr.InputError, match="a layout is long, wide or queries, not 'tall'"):
        found.to_pandas(layout="tall")  # type: ignore[arg-type]
    with pytest.raises(tr.InputError, match="a layout is long or wide, not 'tall'"):
        found.to_latex(layout="tall")


@pytest.mark.parametrize("format", [name for name in FORMATS if name != "json"])
def test_the_command_writes_the_wide_table_in_every_format(format: str, found: Comparison) -> None:
    result = invoke("compare", QRELS, *PATHS, "-m", "nDCG@5 AP", "--layout", "wide", "-f", format)
    assert result.exit_code == 0
    assert "hybrid" in result.stdout
    if format == "csv":
        rows = list(csv.DictReader(io.StringIO(result.stdout)))
        assert float(rows[2]["AP"]) == found["AP"].means["hybrid"].estimate
    else:
        assert "0.6368" in result.stdout


def test_intervals_of_the_long_layout_need_no_option() -> None:
    result = invoke("compare", QRELS, *PATHS, "--intervals")
    assert result.exit_code == 2
    assert "--intervals is for --layout wide" in result.stderr


MANY = "P@1 P@2 P@3 P@4 P@5 R@1 R@2 R@3 R@4 R@5 AP RR"


def test_scores_of_several_runs_are_wide_or_long_as_they_are_asked_for() -> None:
    lines = invoke("eval", QRELS, *PATHS, "-m", MANY, "--layout", "wide").stdout.splitlines()
    assert lines[0].split() == ["run", *MANY.split()]
    assert lines[1].split()[0] == "bm25.run"
    turned = invoke("eval", QRELS, *PATHS, "-m", MANY).stdout.splitlines()
    assert turned[0].split()[0] == "measure"
    long = invoke("eval", QRELS, *PATHS, "-m", "AP RR", "--layout", "long", "-f", "csv").stdout
    rows = list(csv.reader(io.StringIO(long)))
    assert rows[0] == ["run", "rules", "measure", "value"]
    assert [row[2] for row in rows[1:]] == ["AP", "RR"] * 3
    queries = invoke("eval", QRELS, PATHS[0], "-m", "AP RR", "-q", "--layout", "long", "-f", "csv").stdout
    assert queries.splitlines()[0] == "run,rules,query,measure,value"


def test_json_has_a_layout_of_its_own() -> None:
    result = invoke("eval", QRELS, PATHS[0], "--layout", "long", "-f", "json")
    assert result.exit_code == 2
    assert "--layout is for tables and csv" in result.stderr


def test_seven_lines_differ_without_their_colours() -> None:
    names = [f"system{place}" for place in range(7)]
    rows = [{"who": name, "x": x, "y": 0.5} for name in names for x in range(3)]
    x, y = ({"field": field, "type": "quantitative"} for field in "xy")
    line, dots = lines(rows, x, y, names, {})["layer"]
    for channel in (line["encoding"]["strokeDash"], dots["encoding"]["shape"]):
        looks = list(map(str, channel["scale"]["range"]))
        assert len(set(looks)) == len(names)
    assert len(set(map(str, DASHES))) == len(set(MARKS.values())) == 8


def test_the_picture_of_curves_has_a_dash_and_a_marker_a_run() -> None:
    from truerank.analysis.curve import precision_recall

    one = precision_recall({"q": {"a": 1}}, {"q": ["x", "a"]})
    curves = [one.__class__(**{**vars(one), "run": f"run{place}"}) for place in range(7)]
    layers = report.figure(curves).specification["layer"]
    found = {
        channel: layer["encoding"][channel]
        for layer in layers
        for channel in ("strokeDash", "shape")
        if channel in layer["encoding"]
    }
    assert set(found) == {"strokeDash", "shape"}
    assert all(len(set(map(str, each["scale"]["range"]))) == 7 for each in found.values())


def test_letters_take_no_part_in_the_numbers_of_a_frame(found: Comparison) -> None:
    assert found.to_pandas(layout="wide").to_numpy().dtype == np.float64


def test_a_report_gives_a_notebook_one_line(tmp_path: Path) -> None:
    made = tr.write_report(QRELS, PATHS, tmp_path / "report.html", "nDCG@5 AP", lang="en")
    assert re.fullmatch(r"Document\('Retrieval report', en, \d+ sections, \d+ figures\)", repr(made))
    assert not hasattr(made, "_repr_html_")
    assert "Unjudged documents" in str(made)
    assert made.to_markdown().startswith("# Retrieval report")
    assert r"\begin{document}" in made.to_latex()
    assert "<sup" in (tmp_path / "report.html").read_text("utf-8")


def test_counts_that_are_means_over_runs_are_whole_where_they_are_but_for_the_last_digit() -> None:
    qrels = {f"q{place}": {"a": 1, "b": 1} for place in range(6)}

    def run(counts: str) -> dict[str, dict[str, float]]:
        return {q: {d: 1 / ord(d) for d in "ab"[: int(n)] + "x"} for q, n in zip(qrels, counts, strict=True)}

    one, two = [run("111220"), run("111222"), run("111221")], [run("111110"), run("111222")]
    rows = document(compare(qrels, {"one": one, "two": two}, "NumRet")).tables[0].texts
    assert [row[2] for row in rows] == ["14", "13"]
    assert rows[1][4] == "-1"
    three = [run("111220"), run("111222"), run("111222")]
    rows = document(compare(qrels, {"three": three, "two": two}, "NumRet")).tables[0].texts
    assert (rows[0][2], rows[1][2], rows[1][4]) == ("14.3333", "13", "-1.3333")


def test_means_that_differ_by_rounding_alone_are_equally_good() -> None:
    qrels = {f"q{place}": {"a": 1} for place in range(10)}
    one, two, worse = (
        {query: [f"x{i}" for i in range(int(above))] + ["a"] for query, above in zip(qrels, ranks, strict=True)}
        for ranks in ("1053402162", "1206420531", "8888888888")
    )
    found = compare(qrels, {"one": one, "two": two}, "RR")
    assert found["RR"].means["one"].estimate != found["RR"].means["two"].estimate
    assert document(found).tables[0].best == frozenset()
    three = {"one": one, "two": two, "worse": worse}
    assert document(compare(qrels, three, "RR")).tables[0].best == {(0, 2), (1, 2)}
    assert collections.document_of(tr.collections({"first": (qrels, three)}, "RR")).tables[1].best == {
        (0, 1),
        (1, 1),
    }
