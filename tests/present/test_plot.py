"""A result's pictures are a value: a notebook shows it in both themes, files keep it, and Altair takes it."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import truerank as tr
from truerank import live
from truerank.analysis.confusion import sweep
from truerank.core.scores import intervals
from truerank.measures import parse_measure
from truerank.present import charts, pareto
from truerank.present.palette import SURFACES
from truerank.present.plot import Plot
from truerank.present.renderers import figures
from truerank.present.sections import speed
from truerank.stats import Interval

pytest.importorskip("vl_convert", reason="the extra plots is not installed")

QRELS = {f"q{n}": {"a": 1, "b": 2} for n in range(12)}
RUNS = {
    name: {f"q{n}": ["a", "x", "b"][:: 1 if n % step else -1] for n in range(12)}
    for name, step in (("odd", 2), ("third", 3))
}


def scores(measures: str = "RR AP") -> tr.Scores:
    return tr.evaluate(QRELS, RUNS["odd"], measures)


def compared() -> tr.Comparison:
    return tr.compare(QRELS, RUNS, "RR AP")


def images(html: str) -> list[str]:
    """The pictures in a piece of HTML, as SVG."""
    found = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', html)
    return [base64.b64decode(data).decode() for data in found]


def test_the_picture_of_a_comparison_is_the_one_that_it_shows_itself_with() -> None:
    found = compared()
    shown = found.plot()._repr_html_()
    assert shown
    assert shown in found._repr_html_()
    assert [figure.name for figure in found.plot().figures] == ["intervals"]


def test_a_notebook_gets_images_without_scripts_or_styles_of_the_page() -> None:
    html = compared()._repr_html_() + (scores().plot()._repr_html_() or "")
    tags = set(re.findall(r"<([a-z0-9]+)", html))
    assert tags <= {"table", "thead", "tbody", "tr", "th", "td", "b", "sup", "p", "br", "img", "caption"}
    assert not re.findall(r'(?:src|href)="(?!data:image/svg\+xml;base64,)', html)
    assert html.isascii()


def test_an_image_has_its_dark_colours_with_it_and_asks_for_nothing() -> None:
    (svg,) = images(compared().plot().to_html())
    drawn = ElementTree.fromstring(svg)
    (style,) = (one for one in drawn if one.tag.endswith("style"))
    assert style.text
    used = set(re.findall(r'(?:fill|stroke)="(#[0-9a-f]{6})"', svg))
    assert used
    assert all(f'fill="{colour}"]' in style.text and f'stroke="{colour}"]' in style.text for colour in used)
    assert style.text.startswith("@media (prefers-color-scheme: dark)")
    assert set(re.findall(r"https?://[^\"' )]*", svg)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }


def test_nothing_is_black_on_a_dark_page_but_what_stands_on_colours() -> None:
    (svg,) = images(tr.agreements({**RUNS, "same": RUNS["odd"]}).plot().to_html())
    assert not re.findall(r'<text[^>]*fill="(?:#000|black)"', svg)


def test_a_picture_is_the_same_each_time() -> None:
    assert compared().plot().to_html() == compared().plot().to_html()


def test_every_query_is_in_the_picture_of_scores_and_each_mean_on_its_interval() -> None:
    found = scores()
    (figure,) = found.plot().figures
    circles, line, dot = figure.specification["layer"]
    counted = {
        name: sum(row["n"] for row in circles["data"]["values"] if row["measure"] == name) for name in found.mean
    }
    assert counted == {"RR": 12, "AP": 12}
    for measure, row in zip(found.measures, dot["data"]["values"], strict=True):
        (known,) = intervals([measure], found[measure][:, None])
        assert (row["value"], row["low"], row["high"]) == (found.mean[str(measure)], known.low, known.high)
    assert line["data"] == dot["data"]


def test_a_mean_without_an_interval_is_a_dot_and_nothing_is_said_of_a_line() -> None:
    (figure,) = tr.evaluate({"q": {"a": 1}}, {"q": ["x", "a"]}, "RR").plot().figures
    _, dot = figure.specification["layer"]
    assert dot["data"]["values"] == [{"measure": "RR", "value": 0.5, "interval": "unknown", "who": "mean"}]
    assert figure.alt.endswith("The dot is the mean.")


def test_many_different_values_are_counted_in_steps() -> None:
    qrels = {f"q{n}": {"a": 1} for n in range(200)}
    run = {f"q{n}": [*(f"x{i}" for i in range(n)), "a"] for n in range(200)}
    (figure,) = tr.evaluate(qrels, run, "RR").plot().figures
    rows = figure.specification["layer"][0]["data"]["values"]
    assert sum(row["n"] for row in rows) == 200
    assert len(rows) <= 40
    low, high = 1 / 200, 1.0
    half = (high - low) / 80
    for row in rows:
        assert sum(abs(1 / (n + 1) - row["value"]) <= half * (1 + 1e-9) for n in range(200)) == row["n"]


def test_measures_that_are_no_shares_have_a_picture_each_and_counts_no_mean() -> None:
    found = scores("RR NumRet MeanRank@5").plot()
    assert [figure.name for figure in found.figures] == ["queries-1", "queries-2", "queries-3"]
    assert [len(figure.specification["layer"]) for figure in found.figures] == [3, 1, 3]
    assert "mean" not in found.figures[1].alt
    domains = [figure.specification["encoding"]["color"]["scale"]["domain"] for figure in found.figures]
    assert domains == [["queries", "mean"], ["queries"], ["queries", "mean"]]
    assert [figure.specification["encoding"]["x"]["scale"].get("domain") for figure in found.figures] == [
        [0, 1],
        None,
        None,
    ]


def test_values_that_a_query_does_not_have_are_not_drawn() -> None:
    rules = tr.Rules().replace(without_relevant="undefined")
    found = tr.evaluate({**QRELS, "none": {"a": 0}}, RUNS["odd"], "AP", rules=rules)
    assert np.isnan(found["AP"]).any()
    (figure,) = found.plot().figures
    assert sum(row["n"] for row in figure.specification["layer"][0]["data"]["values"]) == 12
    nothing = tr.evaluate({"none": {"a": 0}}, {"none": ["a"]}, "AP NumRet", rules=rules).plot().figures
    assert [row["measure"] for f in nothing for row in f.specification["layer"][0]["data"]["values"]] == ["NumRet"]


@pytest.mark.parametrize(("low", "high"), [(np.nan, 0.6), (0.4, np.inf), (-np.inf, np.inf)])
def test_an_interval_without_an_end_is_drawn_as_a_value_alone(low: float, high: float) -> None:
    assert charts.ends(Interval(0.5, low, high, 0.95, "t"), 0.5) == charts.ends(None, 0.5) == (0.5, 0.5)
    assert charts.ends(Interval(0.5, 0.4, 0.6, 0.95, "t"), 0.5) == (0.4, 0.6)


def test_a_plot_is_saved_as_each_kind_of_file_and_several_are_numbered(tmp_path: Path) -> None:
    one, several = compared().plot(), scores("RR NumRet").plot()
    for ending, start in ((".svg", b"<svg"), (".png", b"\x89PNG"), (".html", b"<!DOCTYPE html>")):
        one.save(tmp_path / f"one{ending}")
        assert (tmp_path / f"one{ending}").read_bytes().startswith(start)
    written = several.save(tmp_path / "both.svg")
    assert sorted(path.name for path in tmp_path.glob("both*")) == ["both.1.svg", "both.2.svg"]
    assert written == [str(tmp_path / "both.1.svg"), str(tmp_path / "both.2.svg")]
    with pytest.raises(tr.InputError, match=r"a plot is a file that ends in \.svg, \.png, \.html"):
        one.save(tmp_path / "one.jpg")


def test_one_picture_is_svg_and_a_specification_that_altair_draws() -> None:
    altair = pytest.importorskip("altair", reason="altair is not installed")
    plot = compared().plot()
    assert plot._repr_svg_() == plot.to_svg()
    assert plot.to_svg().startswith("<svg")
    assert json.loads(altair.Chart.from_dict(plot.to_dict()).to_json())["height"] == plot.to_dict()["height"]


def test_a_picture_says_to_a_screen_reader_what_a_page_says_of_it() -> None:
    plot = compared().plot()
    [figure] = plot.figures
    assert plot.to_dict()["description"] == f"{figure.title}. {figure.alt}"
    named = Plot((figure._replace(title="P > R & <i>", subtitle="two runs"),))
    drawn = ElementTree.fromstring(named.to_svg())
    assert drawn.get("role") == "img"
    assert [(part.tag.partition("}")[2], part.text) for part in drawn[:2]] == [
        ("title", "P > R & <i>; two runs"),
        ("desc", figure.alt),
    ]


def test_of_several_pictures_one_has_to_be_chosen() -> None:
    plot = scores("RR NumRet").plot()
    assert plot._repr_svg_() is None
    with pytest.raises(tr.InputError, match=r"there are 2 pictures: take one, such as plot\(\)\[0\]"):
        plot.to_dict()
    assert len(plot) == 2
    assert [each.figures for each in plot] == [(plot.figures[0],), (plot.figures[1],)]
    assert plot[1] == Plot(plot.figures[1:])
    assert plot[-1].to_svg().startswith("<svg")


def test_an_option_that_there_is_not_is_an_error_with_those_that_there_are() -> None:
    with pytest.raises(
        TypeError, match=r"Scores: the pictures of plot\(\) have no option 'measures'. Options: none"
    ):
        scores("RR").plot(measures="AP")
    with pytest.raises(
        TypeError, match=r"Scores: to_text, .* have no option 'digit'. Did you mean digits[?] Options: "
    ):
        scores("RR").to_latex(digit=2)


def test_a_result_without_a_picture_says_so() -> None:
    with pytest.raises(tr.InputError, match="there is no picture of this Explanation: print it"):
        tr.explain(QRELS, RUNS["odd"], "q1", "AP").plot()
    with pytest.raises(tr.InputError, match="there is no picture of this Comparison"):
        tr.compare(QRELS, {"a": {"q1": ["a"]}}, parse_measure("NumRet")).plot()


def test_without_the_package_that_draws_a_plot_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    plot = compared().plot()
    assert repr(plot) == "Plot(Means with 95 % intervals)"
    monkeypatch.setattr(figures, "is_drawing", lambda: False)
    assert (plot._repr_html_(), plot._repr_svg_()) == (None, None)
    assert repr(plot) == 'Plot(Means with 95 % intervals; to see it: pip install "truerank[plots]")'
    assert plot.to_dict()["title"] == "Means with 95 % intervals"


def test_the_tooltip_of_quality_against_speed_has_both_intervals() -> None:
    asked = {f"q{n}": f"text {n}" for n in range(60)}
    qrels = {query: {"a": 1} for query in asked}

    def turning(step: int) -> Callable[[str], list[str]]:
        return lambda text: ["a", "x"][:: 1 if int(text.split()[1]) % step else -1]

    benches = [tr.bench(turning(step), asked, qrels, measures="RR") for step in (2, 3)]
    found = speed.pareto(benches, ["two", "three"])
    (titles,) = [
        [hint["title"] for hint in layer["encoding"]["tooltip"]]
        for layer in found.specification["layer"]
        if "tooltip" in layer["encoding"]
    ]
    assert titles == ["retriever", "ms", "ms, 95 % interval", "RR", "RR, 95 % interval"]
    for row, bench in zip(found.specification["data"]["values"], benches, strict=True):
        assert bench.scores is not None
        (known,) = intervals(bench.scores.measures, bench.scores["RR"][:, None])
        assert row["up"] == f"[{known.low:.3f}, {known.high:.3f}]"


def texts(plot: Plot) -> set[str]:
    """All that is written in a picture."""
    return set(re.findall(r"<text[^>]*>([^<]*)</text>", plot.to_svg()))


def test_a_scale_of_one_value_tells_that_value_and_not_its_whole_part() -> None:
    turned = {query: ["a", "x"] for query in QRELS}
    same = {query: ["x", "a"] for query in QRELS}
    assert "0.9" in texts(tr.agreements({"turned": turned, "same": same}).plot())
    dcg = tr.evaluate(QRELS, same, "DCG")
    assert f"{dcg.mean['DCG']:.6g}" in texts(dcg.plot())
    alike = {query: {"x": 0.37, "a": 0.37} for query in QRELS}
    assert "0.37" in texts(sweep(QRELS, alike).plot())


def swept(settings: int) -> Plot:
    """Quality against throughput of so many settings, the first of them the fastest."""
    clock = live.SimulatedClock()

    def index(probes: int) -> Callable[[str], list[str]]:
        def search(query: str) -> list[str]:
            clock.sleep(probes / 1000)
            return ["x"] * (probes == 1) + ["a"]

        return search

    asked, over = {query: query for query in QRELS}, {"probes": range(1, settings + 1)}
    found = live.sweep(index, asked, QRELS, over=over, measures="RR", clock=clock)
    return Plot((pareto.figure(found, "throughput"),))


def test_a_setting_at_the_right_edge_is_named_at_its_left_in_the_colour_of_text() -> None:
    plot = swept(4)
    pytest.importorskip("altair", reason="altair is not installed").Chart.from_dict(plot.to_dict())
    ink = SURFACES["ink"][0]
    written = re.findall(r'text-anchor="(\w+)"[^>]*fill="(#\w+)"[^>]*>probes (\d)<', plot.to_svg())
    assert {number: (side, colour) for side, colour, number in written} == {
        "1": ("end", ink),
        "2": ("start", ink),
        "3": ("start", ink),
        "4": ("start", ink),
    }


def test_the_names_of_many_settings_stand_above_the_picture_where_none_covers_another() -> None:
    for settings, has_legend in ((6, False), (7, True)):
        svg = swept(settings).to_svg()
        assert ("role-legend" in svg) == has_legend
        assert [svg.count(f">probes {number}<") for number in range(1, settings + 1)] == [1] * settings
