"""Power and the audit of tables: against statsmodels, SciPy and enumerations; and tables as they are published."""

from __future__ import annotations

import itertools
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats as scipy_stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.power import TTestPower

import truerank as tr
from truerank import stats
from truerank.analysis.claims.power import _of_values
from truerank.analysis.claims.published import published
from truerank.analysis.claims.spreads import ANY, OF_ONE, USUAL, Spread
from truerank.present.power import document_of

ROOT = Path(__file__).parent.parent.parent
COMPARE = ROOT / "examples" / "compare"
RUNS = [COMPARE / f"{name}.run" for name in ("bm25", "dense", "hybrid")]


@pytest.mark.parametrize("queries", [2, 5, 50, 6980])
@pytest.mark.parametrize(("sd", "difference"), [(0.2, 0.02), (0.05, 0.1), (0.4, -0.05)])
@pytest.mark.parametrize("systems", [2, 5])
def test_power_is_that_of_statsmodels(queries, sd, difference, systems):
    row = tr.power(queries, difference, sd=sd, systems=systems).rows[0]
    alpha = 0.05 / math.comb(systems, 2)
    theirs = float(TTestPower().power(abs(difference) / sd, queries, alpha))
    assert math.isnan(theirs) or row.power == pytest.approx(theirs, abs=1e-6)  # theirs is none for the least levels
    assert _beyond(row.detectable / sd, queries, alpha) == pytest.approx(0.8, abs=1e-4)
    assert _beyond(difference / sd, row.needed, alpha) >= 0.8 - 1e-5
    assert row.needed == 2 or _beyond(difference / sd, row.needed - 1, alpha) < 0.8 + 1e-5


def _beyond(size, n, alpha):
    """The power, over all that the standard deviation may be estimated as; SciPy's noncentral t has gaps."""
    least, shift = scipy_stats.t.isf(alpha / 2, n - 1), abs(size) * math.sqrt(n)
    spread = scipy_stats.chi.ppf((np.arange(100_000) + 0.5) / 100_000, n - 1) / math.sqrt(n - 1)
    normal = scipy_stats.norm
    return float((normal.sf(least * spread - shift) + normal.cdf(-least * spread - shift)).mean())


def test_power_takes_the_spread_of_measures_of_all_that_runs_list() -> None:
    items = {"a": 8, "b": 4, "c": 1}
    old, new = {"q": ["a"], "r": ["a"], "s": ["b"]}, {"q": ["a"], "r": ["b"], "s": ["c"]}
    found = tr.power(50, 0.1, qrels={q: {"a": 1} for q in old}, runs=[old, new], measures="Novelty", items=items)
    assert found.rows[0].sd == pytest.approx(np.std([0, 1, 2], ddof=1))


def test_power_is_how_often_the_t_test_finds_the_difference():
    drawn = np.random.default_rng(0).normal(0.05, 0.2, (50, 20_000))
    found = scipy_stats.ttest_1samp(drawn, 0).pvalue <= 0.05
    assert tr.power(50, 0.05, sd=0.2).rows[0].power == pytest.approx(found.mean(), abs=0.012)


@pytest.mark.parametrize("n", [2, 3, 50, 1000])
@pytest.mark.parametrize("alpha", [0.05, 0.001])
def test_a_critical_difference_has_just_the_p_of_the_level(n, alpha):
    critical = stats.critical_difference(0.3, n, alpha=alpha)
    p = 2 * scipy_stats.t.sf(critical / 0.3 * math.sqrt(n), n - 1)
    assert p == pytest.approx(alpha, rel=1e-9)
    assert stats.critical_sd(critical, n, alpha=alpha) == pytest.approx(0.3, rel=1e-12)


@pytest.mark.parametrize("n", [math.inf, -math.inf, math.nan, 0, 1.5])
def test_a_number_of_queries_is_a_whole_number(n):
    with pytest.raises(ValueError, match="n is a whole number of 1 or more"):
        stats.power(0.2, n, 0.1)


def test_one_query_shows_nothing_whatever_the_difference():
    assert stats.critical_difference(0.3, 1) == math.inf
    assert stats.critical_sd(0.9, 1) == 0


def test_runs_give_the_spread_of_their_differences():
    found = tr.power(50, 0.02, qrels=COMPARE / "qrels.txt", runs=RUNS, measures="nDCG@5")
    columns = [tr.evaluate(COMPARE / "qrels.txt", run, "nDCG@5")["nDCG@5"] for run in RUNS]
    sds = sorted(np.std(a - b, ddof=1) for a, b in itertools.combinations(columns, 2))
    assert [row.sd for row in found.rows] == pytest.approx(sds, rel=1e-12)
    assert [row.spread for row in found.rows] == ["lowest", "middle", "highest"]
    two = tr.power(50, qrels=COMPARE / "qrels.txt", runs=RUNS[:2], measures="nDCG@5").rows
    assert [row.spread for row in two] == ["given"]


def test_two_queries_in_common_have_a_spread_and_a_measure_with_one_value_has_none():
    qrels = {"q0": {"a": 2, "b": 1}, "q1": {"a": 1}}
    runs = [{"q0": ["a", "b"], "q1": docs} for docs in (["a"], ["x", "a"])]
    found = tr.power(
        qrels=qrels, runs=runs, measures="RR AP(level=2) AP(level=3)", rules={"without_relevant": "undefined"}
    )
    assert [(row.measure, row.sd) for row in found.rows] == [("RR", pytest.approx(0.5 / math.sqrt(2)))]
    assert found.queries == 2


def test_a_table_of_power_tells_what_was_asked_and_no_more():
    def told(*asked, **how):
        table = document_of(tr.power(*asked, sd=0.2, **how)).blocks[0]
        return dict(zip(table.columns, table.rows[0], strict=True)), table.notes

    row, notes = told(50, -0.05, systems=4, power=0.9)
    level = 0.05 / 6  # of each of the six pairs
    assert list(row) == ["sd", "power", "significant from", "detected (90 %)", "queries needed"]
    assert row["power"] == pytest.approx(TTestPower().power(0.25, 50, level), rel=1e-9)
    assert row["queries needed"] == math.ceil(TTestPower().solve_power(0.25, None, level, 0.9))
    assert notes == (
        "50 queries, a real difference of -0.05; two-sided paired t-test at 5 % over the 6 pairs of 4 systems "
        "(each at 0.833 %).",
        "sd: of the differences from query to query; the standard deviation that was given.",
        "Significant from: smaller differences of means are not. Detected: real differences that are found in 90 % "
        "of the samples.",
    )
    row, notes = told(50)
    assert list(row) == ["sd", "significant from", "detected (80 %)"]
    assert (notes[0], len(notes)) == ("50 queries; two-sided paired t-test at 5 %.", 3)
    row, notes = told(None, 0.05, alpha=0.01)
    assert row == {"sd": 0.2, "queries needed": math.ceil(TTestPower().solve_power(0.25, None, 0.01, 0.8))}
    assert (notes[0], len(notes)) == ("a real difference of 0.05; two-sided paired t-test at 1 %.", 2)


@pytest.mark.parametrize("n", [1, 2])
def test_differences_that_rounding_alone_parts_have_no_spread(n):
    values = [[0.1, 0.3], [0.2, 0.1 + 0.2 + 0.1], [0.7, 0.9], [0.7, 0.8 + 0.1]]
    rows = np.array(values if n == 2 else [[0.1 + 0.2], [0.3]])
    assert _of_values("AP", rows) == []


def test_runs_that_differ_by_the_same_on_every_query_have_no_spread():
    qrels = {f"q{n}": {"a": 1} for n in range(9)}
    runs = [dict.fromkeys(qrels, docs) for docs in (["a"], ["x", "a"])]
    with pytest.raises(tr.InputError, match="the runs differ by the same on every query, if at all"):
        tr.power(50, qrels=qrels, runs=runs, measures="RR")


def test_one_run_is_a_guess_and_says_so():
    found = tr.power(50, qrels=COMPARE / "qrels.txt", runs=RUNS[0], measures="AP")
    alone = np.std(tr.evaluate(COMPARE / "qrels.txt", RUNS[0], "AP")["AP"], ddof=1)
    assert [row.sd for row in found.rows] == pytest.approx(
        [alone * r for r in (OF_ONE.low, OF_ONE.middle, OF_ONE.high)]
    )
    assert "guessed from the spread of one run" in found.to_text()


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({}, "say how many queries there are"),
        ({"queries": 1}, "2 queries or more"),
        ({"queries": 50, "difference": 0}, "other than 0"),
        ({"queries": 50, "difference": math.nan}, "other than 0"),
        ({"queries": 50, "sd": 0}, "above 0"),
        ({"queries": 50, "systems": 1}, "2 systems or more"),
        ({"queries": 50, "power": 0.01}, "power is above alpha"),
        ({"queries": 50, "measures": "NDGC"}, "nDCG"),
        ({"queries": 50, "sd": 0.1, "runs": RUNS}, "not both"),
        ({"queries": 50, "runs": RUNS}, "qrels are needed"),
        (
            {"queries": 50, "runs": RUNS[:1] * 2, "qrels": COMPARE / "qrels.txt"},
            "differ by the same on every query, if at all",
        ),
        (
            {"queries": 50, "runs": RUNS, "qrels": COMPARE / "qrels.txt", "measures": "NumRelRet"},
            "no mean of queries",
        ),
    ],
)
def test_power_refuses_what_has_no_answer(how, words):
    with pytest.raises(tr.TruerankError, match=words):
        tr.power(**how)


def table(*rows, heads=("AP",)):
    return {name: dict(zip(heads, values, strict=True)) for name, *values in rows}


@pytest.mark.parametrize("sd", [0.05, 0.2])
def test_a_pair_is_told_apart_as_the_t_test_says_of_all_that_was_rounded(sd):
    given = table(("a", "0.41"), ("b", "0.33"), ("c", "0.34"))
    found = tr.audit_table(given, 50, sd=sd)
    level = 0.05 / 3
    for claim in found.claims:
        apart = abs(float(given[claim.better]["AP"]) - float(given[claim.worse]["AP"]))
        ends = [max(0, apart - 0.01), apart + 0.01]
        p = [2 * scipy_stats.t.sf(end / sd * math.sqrt(50), 49) for end in ends]
        expected = "yes" if p[0] <= level else "depends" if p[1] <= level else "no"
        assert claim.told == expected
        assert 2 * scipy_stats.t.sf((claim.high / claim.critical_sd) * math.sqrt(50), 49) == pytest.approx(level)


@pytest.mark.parametrize("n", [5, 9, 12])
def test_zeros_and_ones_have_the_p_of_every_way_they_can_disagree(n):
    """Against McNemar's exact test of all 2 × 2 tables with these margins."""
    for first, second in itertools.combinations_with_replacement(range(n + 1), 2):
        given = table(("a", repr(second / n)), ("b", repr(first / n)), heads=("Success@5",))
        claim = tr.audit_table(given, n).claims[0]
        p = []
        for both in range(max(0, first + second - n), min(first, second) + 1):
            cells = [[both, second - both], [first - both, n - first - second + both]]
            p.append(1.0 if first == second == both else mcnemar(cells, exact=True).pvalue)
        assert (claim.best_p, claim.worst_p) == pytest.approx((min(p), max(p)), abs=1e-12)


@pytest.mark.parametrize("head", ["P@1", "Precision@1", "MRR@1", "Hits@1", "Acc@1"])
def test_whether_the_first_result_is_relevant_is_0_or_1_whatever_it_is_called(head):
    means = (("a", "0.62"), ("b", "0.4"))
    found, same = (tr.audit_table(table(*means, heads=(name,)), 50) for name in (head, "Success@1"))
    assert (found.measures[0].is_binary, found.claims[0].told) == (True, "depends")
    assert (found.claims[0].best_p, found.claims[0].worst_p) == (same.claims[0].best_p, same.claims[0].worst_p)
    if head != "Acc@1":
        spreads = [[row.sd for row in tr.power(50, measures=name).rows] for name in (head, "Success@1")]
        assert spreads[0] == spreads[1]


def test_rounded_shares_may_be_of_several_counts():
    claim = tr.audit_table(table(("a", "0.5"), ("b", "0.4"), heads=("accuracy",)), 50).claims[0]
    counts = {mean: [k for k in range(51) if abs(k / 50 - mean) <= 0.05 + 1e-9] for mean in (0.5, 0.4)}
    ways = [2 * scipy_stats.binom.cdf(0, k - j, 0.5) for k in counts[0.5] for j in counts[0.4] if k > j]
    assert claim.best_p == pytest.approx(min(1, min(ways)))
    assert claim.worst_p == pytest.approx(1)


@pytest.mark.parametrize(
    ("mean", "is_possible"), [("0.613", False), ("0.62", True), ("61.3", False), ("0.6", True)]
)
def test_a_mean_that_no_zeros_and_ones_have_is_told(mean, is_possible):
    found = tr.audit_table(table(("a", mean), ("b", "0.5"), heads=("hit@1",)), 50)
    assert ("a" not in found.measures[0].impossible) == is_possible
    assert ("rounds to what is published" in found.to_text()) != is_possible


def test_the_pairs_are_those_with_the_baseline_where_there_is_one():
    given = table(("a", 0.3), ("b", 0.35), ("c", 0.4), ("d", 0.45))
    every, some = tr.audit_table(given, 50), tr.audit_table(given, 50, baseline="a")
    assert (len(every.claims), len(some.claims)) == (6, 3)
    assert (every.measures[0].level, some.measures[0].level) == (0.05 / 6, 0.05 / 3)


TABLES = {
    "csv": "System,nDCG@10,AP\nBM25,0.412,0.251\nOurs,0.43,0.26\n",
    "semicolons and commas in numbers": "System;nDCG@10;AP\nBM25;0,412;0,251\nOurs;0,43;0,26\n",
    "tsv": "System\tnDCG@10\tAP\nBM25\t0.412\t0.251\nOurs\t0.43\t0.26\n",
    "markdown": "| System | nDCG@10 | AP |\n|:--|--:|---|\n| BM25 | 0.412 | 0.251 |\n"
    "| **Ours** | **0.43**† | 0.26<sup>a</sup> |\n",
    "the first table of a page": "# Results\n\nOurs is best | so far.\n\n| System | nDCG@10 | AP |\n|:--|--:|---|\n"
    "| BM25 | 0.412 | 0.251 |\n| Ours | 0.43 | 0.26 |\n\nAs the table shows, it is.\n\n|a|b|\n|-|-|\n|c|1|\n",
    "markdown without outer bars": "System | nDCG@10 | AP\n---|---|---\nBM25 | 0.412 | 0.251\n"
    "Ours | 0.43 | _0.26_\n",
    "latex": "\\begin{tabular}{lrr}\n\\toprule\nSystem & nDCG@10 & AP \\\\ \\midrule\nBM25 & 0.412 & 0.251 \\\\\n"
    "Ours & \\textbf{0.43}$^{\\dagger}$ & $0.26_{\\pm 0.01}$ \\\\\n\\bottomrule\n\\end{tabular}\n",
    "a byte order mark and carriage returns": "\ufeffSystem,nDCG@10,AP\r\nBM25,0.412,0.251\r\nOurs,0.43,0.26\r\n",
    "spreads behind means": "System,nDCG@10,AP\nBM25,0.412 ± 0.01,0.251 (2)\nOurs,0.43 +/- 0.02,0.26\n",
}


@pytest.mark.parametrize("text", TABLES.values(), ids=TABLES)
def test_tables_are_read_as_people_publish_them(text, tmp_path):
    path = tmp_path / "table.txt"
    path.write_text(text, "utf-8", newline="")
    found = published(path)
    assert {m: {s: (v.value, v.unit) for s, v in c.items()} for m, c in found.columns.items()} == {
        "nDCG@10": {"BM25": (0.412, 0.001), "Ours": (0.43, 0.01)},
        "AP": {"BM25": (0.251, 0.001), "Ours": (0.26, 0.01)},
    }


@pytest.mark.parametrize("mark", ["1", "1,2", "3–9 12", "ab"])
@pytest.mark.parametrize(
    "way", ["<sup>{}</sup>", "<sub>{}</sub>", r"\textsuperscript{{{}}}", "$^{{{}}}$", "$_{{{}}}$"]
)
def test_digits_above_or_below_a_mean_are_none_of_it(way, mark, tmp_path):
    (tmp_path / "table.md").write_text(
        f"| System | AP |\n|-|-|\n| BM25 | 0.41 |\n| Ours | **0.43**{way.format(mark)} |\n", "utf-8"
    )
    ours = published(tmp_path / "table.md").columns["AP"]["Ours"]
    assert (ours.value, ours.unit) == (0.43, 0.01)


@pytest.mark.parametrize("name", ["bm25_rm3", "a_b_c", "x_1"])
def test_underscores_in_names_stay(name, tmp_path):
    found = tr.audit_table(
        {name: {"recip_rank": 0.3, "success_1": 0.613}, "b": {"recip_rank": 0.4}}, 50, baseline=name
    )
    assert [(one.measure, one.is_binary, one.impossible) for one in found.measures] == [
        ("recip_rank", False, ()),
        ("success_1", True, (name,)),
    ]
    assert found.of("recip_rank")[0].worse == name
    (tmp_path / "table.tex").write_text(
        "Run & AP \\\\\n" + name.replace("_", r"\_") + " & .2 \\\\\n\\textbf{b*} & .3 \\\\\n"
    )
    assert published(tmp_path / "table.tex").systems == (name, "b")


def test_a_gain_in_percent_behind_a_mean_makes_no_percentages(tmp_path):
    (tmp_path / "table.md").write_text(
        "|System|AP|\n|-|-|\n|BM25|0.41|\n|Ours|0.45 (+10%)|\n|More|0.47 ± 2 %|\n", "utf-8"
    )
    found = published(tmp_path / "table.md")
    assert not found.percent
    assert [mean.value for mean in found.columns["AP"].values()] == [0.41, 0.45, 0.47]


def test_latex_may_have_a_caption_and_name_the_systems_below_a_heading_over_several_columns(tmp_path):
    lines = (
        *(r"\begin{table}[t]", r"\centering", r"\small", r"\caption{Results}", r"\label{tab:main}"),
        *(r"\begin{tabular}{l|cc|c}", r"\toprule", r" & \multicolumn{2}{c|}{DL 19} & BEIR \\"),
        *(r"\cmidrule(lr){2-3}", r"Model & nDCG@10 & MRR@10 & R@100 \\", r"\midrule"),
        *(r"BM25~\cite{bm25} & 50.6 & .704 & 65.2 \\", r"\addlinespace"),
        *(r"Ours & \textbf{74.3}$^{ab}$ & .861 & -- \\", r"\bottomrule", r"\end{tabular}", r"\end{table}"),
    )
    (tmp_path / "table.tex").write_text("\n".join(lines), "utf-8")
    found = published(tmp_path / "table.tex")
    assert list(found.columns) == ["DL 19 nDCG@10", "DL 19 MRR@10", "BEIR R@100"]
    assert {name: mean.value for name, mean in found.columns["DL 19 nDCG@10"].items()} == pytest.approx(
        {"BM25": 0.506, "Ours": 0.743}
    )


@pytest.mark.parametrize(
    "row",
    [r"\small Ours & 0.45 \\", r"\addlinespace[2pt] Ours & 0.45 \\", r"{\scriptsize Ours} & \bfseries 0.45 \\"],
)
def test_a_row_of_latex_may_begin_with_a_size_or_a_space(row, tmp_path):
    lines = (r"\small", r"\begin{tabular}{lc}", r"Model & AP \\", r"BM25 & 0.41 \\", row, r"\end{tabular}")
    (tmp_path / "table.tex").write_text("\n".join(lines), "utf-8")
    found = published(tmp_path / "table.tex").columns["AP"]
    assert {name: mean.value for name, mean in found.items()} == {"BM25": 0.41, "Ours": 0.45}


def test_percentages_become_shares_and_their_digits_too():
    found = published({"a": {"AP": "41.2 %", "RR": 0.5}, "b": {"AP": 43, "RR": None}})
    assert found.percent == {"AP"}
    assert (found.columns["AP"]["a"].value, found.columns["AP"]["a"].unit) == pytest.approx((0.412, 0.001))
    assert list(found.columns["RR"]) == ["a"]


@pytest.mark.parametrize(("k", "n"), [(15, 22), (1, 3), (7, 49), (29, 58), (0, 7), (7, 7)])
def test_a_share_in_full_is_possible(k, n):
    found = tr.audit_table({"a": {"Success@1": k / n}, "b": {"Success@1": 0.0}}, queries=n)
    assert found.measures[0].impossible == ()


@pytest.mark.parametrize(
    ("cell", "value", "unit"),
    [
        ("1e-05", 1e-5, 1e-5),
        ("4.1E-1", 0.41, 0.01),
        ("0.41 [0.40, 0.43]", 0.41, 0.01),
        ("0.41[a]", 0.41, 0.01),
        ("0,412", 0.412, 0.001),
    ],
)
def test_cells_are_read_as_they_are_written(cell, value, unit):
    own = published({"a": {"AP": cell}, "b": {"AP": "0.3"}}).columns["AP"]["a"]
    assert (own.value, own.unit) == pytest.approx((value, unit))


@pytest.mark.parametrize("cells", [("0.41", "failed"), ("0.41", "0.40-0.43"), ("1,234", "23"), ("7B", "13B")])
def test_a_column_that_is_no_measure_throughout_is_left_out_and_said(cells):
    rows = {name: {"AP": value, "other": cell} for name, value, cell in zip("ab", (0.4, 0.5), cells, strict=True)}
    found = tr.audit_table(rows, 50)
    assert found.left_out == ("other",)
    assert "Left out, not all being means from 0 to 1 or percentages: other." in found.to_text()


@pytest.mark.parametrize(
    "text",
    [
        "model,kind,nDCG@10\n7B,dense,.31\n13B,sparse,.42\n",
        "size,kind,nDCG@10\n7b,dense,.31\n13b,sparse,.42\n",
        "model,nDCG@10\n7B,.31\n13B,.42\n",
        "kind,Model,nDCG@10\ndense,7B,.31\nsparse,13B,.42\n",
    ],
)
def test_systems_may_be_called_by_sizes(text, tmp_path):
    (tmp_path / "table.csv").write_text(text)
    found = published(tmp_path / "table.csv")
    assert [system.upper() for system in found.systems] == ["7B", "13B"]
    assert list(found.columns) == ["nDCG@10"]


def test_the_keys_of_a_mapping_are_the_names_whatever_they_are():
    found = published({"1": {"AP": 1e-5, "RR": 0.3}, "2": {"AP": 2e-5, "RR": 0.4}})
    assert found.systems == ("1", "2")
    assert {name: {s: mean.value for s, mean in own.items()} for name, own in found.columns.items()} == {
        "AP": {"1": 1e-5, "2": 2e-5},
        "RR": {"1": 0.3, "2": 0.4},
    }


def test_columns_of_other_numbers_are_left_out_and_said():
    found = tr.audit_table({"a": {"AP": 0.4, "size": 110}, "b": {"AP": 0.5, "size": 20}}, 50)
    assert found.left_out == ("size",)
    assert "Left out, not all being means from 0 to 1 or percentages: size." in found.to_text()


def test_runs_without_a_spread_are_told_from_a_run_without_one():
    qrels = {f"q{n}": {"a": 1} for n in range(9)}
    first, second = (dict.fromkeys(qrels, docs) for docs in (["a"], ["x", "a"]))
    with pytest.raises(tr.InputError, match="the run has the same value on every query"):
        tr.power(50, qrels=qrels, runs=[first], measures="RR")
    with pytest.raises(tr.InputError, match="the runs differ by the same on every query, if at all"):
        tr.power(50, qrels=qrels, runs=[first, second], measures="RR")


def test_gains_and_ranks_are_no_percentages():
    given = {"a": {"AP": 0.4, "MeanRank@10": 2.0, "DCG@5": 1.2}, "b": {"AP": 0.5, "MeanRank@10": 6.0, "DCG@5": 3.4}}
    assert tr.audit_table(given, 50).left_out == ("MeanRank@10", "DCG@5")
    low = {name: {**means, "DCG@5": means["DCG@5"] / 10} for name, means in given.items()}
    assert tr.audit_table(low, 50).left_out == ("MeanRank@10", "DCG@5")
    with pytest.raises(tr.InputError, match=r"'2\.0' in column MeanRank@10 is no mean from 0 to 1"):
        tr.audit_table(given, 50, measures="MeanRank@10")
    for asked in (
        lambda: tr.power(50, 0.5, measures="MeanRank@10 AP"),
        lambda: tr.power(50, 0.5, measures="GMAP"),
        lambda: tr.audit_table(low, 50, measures="DCG@5"),
    ):
        with pytest.raises(tr.MeasureError, match=r"no usual standard deviation of .* is known: give one"):
            asked()
    assert tr.power(50, 0.5, sd=1.8).rows[0].needed == 104
    assert tr.audit_table(low, 50, measures="DCG@5", sd=0.2).claims[0].told == "yes"


def test_the_better_one_has_less_of_a_measure_that_less_is_better_of():
    given = {"a": {"FallOut@10": 0.21, "AP": 0.3}, "b": {"FallOut@10": 0.42, "AP": 0.2}}
    found = tr.audit_table(given, 50)
    fall_out, precision = found.of("FallOut@10")[0], found.of("AP")[0]
    assert (fall_out.better, fall_out.worse, precision.better) == ("a", "b", "a")
    assert (fall_out.difference, fall_out.low, fall_out.high) == pytest.approx((0.21, 0.2, 0.22))


def test_ranks_without_a_cutoff_times_and_sizes_are_no_percentages_either():
    heads = ("MdR", "MnR ↓", "MeanRank", "CUHK Median Rank", "Rank", "Latency (ms)", "p-value", "Params [M]", "Dim")
    given = {name: {"Rank 1": 0.4, **dict.fromkeys(heads, rank)} for name, rank in (("a", 2.0), ("b", 3.0))}
    assert tr.audit_table(given, 50).left_out == heads
    with pytest.raises(tr.MeasureError, match="no usual standard deviation of MdR is known"):
        tr.audit_table({"a": {"MdR": 1.0}, "b": {"MdR": 1.0}}, 50, measures="MdR")


@pytest.mark.parametrize("head", ["EPE ↓", "EPE (↓)", r"EPE $\downarrow$", r"nDCG@10\downarrow"])
def test_a_heading_with_an_arrow_says_which_way_is_better(head: str) -> None:
    up = head.replace("↓", "↑").replace("down", "up")
    found = tr.audit_table({"a": {head: 0.2, up: 0.2}, "b": {head: 0.3, up: 0.3}}, 50)
    assert [claim.better for claim in found.claims] == ["a", "b"]
    assert [told.low for told in found.measures] == ([0.03] * 2 if "nDCG" in head else [0.02] * 2)


def test_usual_spreads_are_those_that_the_page_has():
    """Both are written by benchmarks/spreads.py; the page has the rows."""
    text = (ROOT / "docs" / "claims.md").read_text("utf-8")
    rows = {
        cells[0]: cells[1:]
        for cells in re.findall(r"^\| (\S+) \| \d+ \| ([.\d]+) \| ([.\d]+) \| ([.\d]+) \|", text, re.M)
    }
    assert {name: Spread(*map(float, cells)) for name, cells in rows.items()} == USUAL
    assert (min(s.low for s in USUAL.values()), max(s.high for s in USUAL.values())) == (ANY.low, ANY.high)


def test_results_are_plain_values_and_frames():
    audit = tr.audit_table(table(("a", 0.3), ("b", 0.35)), 50)
    power = tr.power(50, 1e-6, sd=0.5)
    for found in (audit, power):
        assert json.loads(json.dumps(found.to_dict(), allow_nan=False))
        assert len(found.to_pandas()) == 1
        assert "<table" in found._repr_html_()
        assert found.to_markdown().count("|") > 4
        assert "tabular" in found.to_latex()
    assert power.rows[0].needed is None
    assert audit.to_pandas()["told"].tolist() == ["depends"]


@pytest.mark.parametrize("sd", [1e-300, 1e-9, 1e300])
def test_spreads_of_any_size_have_a_power_and_take_no_memory_for_it(sd):
    row = tr.power(50, 0.1, sd=sd).rows[0]
    assert row.needed == (None if sd > 1 else 2)
    assert row.power == pytest.approx(0.05 if sd > 1 else 1.0)
    assert math.isfinite(row.detectable)


def test_very_many_systems_are_told_by_the_far_tail_of_t():
    level = 0.05 / math.comb(10**6, 2)
    row = tr.power(50, sd=0.2, systems=10**6).rows[0]
    assert row.critical == pytest.approx(0.2 / math.sqrt(50) * -scipy_stats.t.ppf(level / 2, 49), rel=1e-9)
    with pytest.raises(tr.InputError, match="a level below 1e-15"):
        tr.power(50, sd=0.2, systems=10**30)


@pytest.mark.parametrize("queries", ["50", 50.5, float("nan"), 10**20])
def test_queries_are_a_whole_number(queries):
    for ask in (lambda: tr.power(queries, sd=0.2), lambda: tr.audit_table({}, queries)):
        with pytest.raises(tr.InputError, match="whole number from 2 to 1,000,000,000"):
            ask()


@pytest.mark.parametrize(
    "wrong", [{"sd": "x"}, {"difference": "x"}, {"systems": 2.5}, {"alpha": "x"}, {"power": "x"}]
)
def test_what_is_no_number_is_said_to_be_none(wrong):
    with pytest.raises(tr.InputError):
        tr.power(50, **wrong)


def test_a_measure_without_usual_spread_is_said_to_have_none():
    assert "have the range of all others: Bpref." in str(tr.power(50, measures="AP Bpref"))
    assert "all others" not in str(tr.power(50, measures="AP nDCG@20"))
    with pytest.raises(tr.MeasureError, match="NumRet is no mean of queries"):
        tr.power(50, measures="NumRet")


def test_a_heading_over_several_columns_of_latex_stands_before_each(tmp_path):
    path = tmp_path / "table.tex"
    path.write_text(
        r"""\begin{tabular}{lccc}
\multirow{2}{*}{Model} & \multicolumn{2}{c}{MS MARCO} & DL 19 \\ \cmidrule(lr){2-3}
 & MRR@10 & R@1k & nDCG@10 \\
\multicolumn{4}{l}{\textit{Sparse}} \\
BM25 & 18.4 & 85.3 & 50.6 \\
\multicolumn{4}{l}{\textit{Dense}} \\
ANCE & 33.0 & -- & 64.8 \\
\end{tabular}"""
    )
    found = tr.audit_table(path, 43)
    assert [one.measure for one in found.measures] == ["MS MARCO MRR@10", "MS MARCO R@1k", "DL 19 nDCG@10"]
    assert [(one.low, one.high) for one in found.measures] == [(0.1, 0.48), (0.19, 0.5), (0.03, 0.32)]
    assert [one.missing for one in found.measures] == [(), ("ANCE",), ()]
    assert "No MS MARCO R@1k is given of ANCE." in str(found)


@pytest.mark.parametrize("table", [None, [1], 7])
def test_what_is_no_table_is_said_in_plain_braces(table):
    with pytest.raises(tr.InputError, match=r"a path or \{system: \{measure: mean\}\}"):
        tr.audit_table(table, 50)


@pytest.mark.parametrize("between", ["\n", "\nMore:\n\n", "\n\n"])
def test_of_several_tables_on_a_page_in_markdown_the_first_is_taken(tmp_path, between):
    first, second = "|System|AP|\n|-|-|\n|BM25|0.41|\n|Ours|0.45|\n", "|Other|AP|\n|-|-|\n|x|0.1|\n|y|0.2|\n"
    (tmp_path / "page.md").write_text("# Results\n\n" + first + between + second.replace("|0", "|0.5|0"), "utf-8")
    assert published(tmp_path / "page.md").systems == ("BM25", "Ours")
    (tmp_path / "page.md").write_text(first + between + second, "utf-8")
    assert published(tmp_path / "page.md").systems == ("BM25", "Ours")


@pytest.mark.parametrize("title", ["|**Sparse**|||\n", "|Sparse| | |\n"])
def test_a_title_in_the_first_cell_of_a_row_is_no_system(tmp_path, title):
    text = f"|System|AP|RR|\n|-|-|-|\n{title}|BM25|0.41|0.5|\n|*Dense*|||\n|Ours|0.45|-|\n"
    (tmp_path / "table.md").write_text(text, "utf-8")
    found = published(tmp_path / "table.md")
    assert found.systems == ("BM25", "Ours")
    assert list(found.columns["RR"]) == ["BM25"]


def test_a_column_of_differences_is_left_out(tmp_path):
    text = "|System|AP|Δ|\n|-|-|-|\n|BM25|41.2|-|\n|Ours|45.1|+3.9|\n|More|47.0|+5.8|\n"
    (tmp_path / "table.md").write_text(text, "utf-8")
    found = tr.audit_table(tmp_path / "table.md", 50)
    assert [one.measure for one in found.measures] == ["AP"]
    assert found.left_out == ("Δ",)


def test_measures_are_columns_as_values_too():
    means = {name: {tr.AP: ap, "RR": ap + 0.1} for name, ap in (("a", 0.4), ("b", 0.5))}
    found = tr.audit_table(means, 50)
    assert [one.measure for one in found.measures] == ["AP", "RR"]
    assert [one.measure for one in tr.audit_table(means, 50, measures=[tr.AP]).measures] == ["AP"]
    assert found.of("ap") == found.of(tr.AP) == found.of("AP") != []
    with pytest.raises(tr.InputError, match=r"it has no column 'APP'. Did you mean AP\? It has AP and RR"):
        found.of("APP")


def test_claims_of_equal_differences_stand_in_the_order_of_the_table():
    table = {"A": {"nDCG@10": 0.9}, "B": {"nDCG@10": 0.8}, "C": {"nDCG@10": 0.7}}
    claims = tr.audit_table(table, queries=50).claims
    assert [(claim.better, claim.worse) for claim in claims] == [("A", "C"), ("A", "B"), ("B", "C")]
