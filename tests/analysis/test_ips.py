"""IPS and SNIPS: equal to loops over the log, and without bias where all that could be clicked is enumerated."""

from __future__ import annotations

import itertools
import json
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pyarrow.csv
import pytest
from click.testing import CliRunner

import truerank as tr
from truerank import stats
from truerank.cli import truerank

Record = dict[str, Any]

WORTH: dict[str, Callable[[int], float]] = {
    "DCG@3": lambda rank: 1 / math.log2(rank + 1) if 0 < rank <= 3 else 0.0,
    "P@2": lambda rank: 0.5 if 0 < rank <= 2 else 0.0,
    "RBP(p=0.7)": lambda rank: 0.3 * 0.7 ** (rank - 1) if rank else 0.0,
    "RR": lambda rank: 1 / rank if rank else 0.0,
    "ARP@4": lambda rank: float(min(rank, 5)) if rank else 5.0,
}


def world(seed: int, impressions: int = 60, users: int = 0) -> tuple[list[Record], dict[str, dict[str, list[str]]]]:
    chance = random.Random(seed)
    docs = [f"d{n}" for n in range(7)]
    runs = {name: {f"q{n}": chance.sample(docs, 5) for n in range(5)} for name in ("old", "new")}
    log = []
    for _ in range(impressions):
        shown = chance.sample(docs, 6)
        clicks = [doc for doc in shown if chance.random() < 0.25]
        log.append({"query": f"q{chance.randrange(6)}", "docs": shown, "clicks": clicks})
        log[-1] |= {"user": chance.randrange(users)} if users else {}
    return log, runs


def by_hand(
    log: list[Record], run: dict[str, list[str]], worth: Callable[[int], float], clip: float
) -> list[float]:
    total = weights = 0.0
    for record in log:
        for rank, doc in enumerate(record["docs"], 1):
            if doc in record["clicks"]:
                weight = min(rank**0.8, clip)
                own = run.get(record["query"], [])
                total += weight * worth(own.index(doc) + 1 if doc in own else 0)
                weights += weight
    return [total / len(log), total / weights]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("clip", [None, 2.5])
def test_estimates_are_those_of_a_loop_over_the_log(seed: int, clip: float | None) -> None:
    log, runs = world(seed, users=seed % 2 and 12)
    found = tr.ips(log, runs, " ".join(WORTH), eta=0.8, clip=clip, samples=200)
    expected = {
        (name, measure): by_hand(log, run, worth, clip or math.inf)
        for measure, worth in WORTH.items()
        for name, run in runs.items()
    }
    got = {(one.run, one.measure): [one.ips.estimate, one.snips.estimate] for one in found.estimates}
    assert got.keys() == expected.keys()
    for key, values in expected.items():
        assert got[key] == pytest.approx(values, rel=1e-12)
    for one in found.differences:
        a, b = expected["new", one.measure], expected["old", one.measure]
        assert [one.ips.estimate, one.snips.estimate] == pytest.approx([a[0] - b[0], a[1] - b[1]], abs=1e-12)
    weights = [min(r**0.8, clip or math.inf) for e in log for r, d in enumerate(e["docs"], 1) if d in e["clicks"]]
    assert found.effective == pytest.approx(sum(weights) ** 2 / sum(w * w for w in weights))
    heavy = [r for e in log for r, d in enumerate(e["docs"], 1) if d in e["clicks"] and r**0.8 > (clip or math.inf)]
    assert (found.clicks, found.clipped) == (len(weights), len(heavy))
    assert found.unanswered == dict.fromkeys(runs, sum(e["query"] == "q5" for e in log))


@pytest.mark.parametrize("repeats", ["once", "first", "last"])
@pytest.mark.parametrize("depth", [None, 1, 2, 3])
def test_a_clicked_document_is_worth_what_the_rules_make_of_its_rank(depth: int | None, repeats: str) -> None:
    run = {"q": ["a", "a", "b", "c"]}
    rules = {"depth": depth, "duplicates": repeats}
    for doc in "abc":
        log = [{"query": "q", "docs": [doc], "clicks": [doc]}]
        found = tr.ips(log, {"run": run}, "DCG P@2 RR ARP@4", eta=0, rules=rules, samples=10)
        scores = tr.evaluate({"q": {doc: 1}}, run, "DCG P@2 RR ARP@4", rules=rules)
        assert {one.measure: one.ips.estimate for one in found.estimates} == scores.mean


def test_over_all_that_could_be_looked_at_ips_is_the_measure() -> None:
    relevant, shown, new = {"a", "c", "d"}, ["a", "b", "c", "d"], ["d", "x", "a", "c"]
    propensities = {1: 0.9, 2: 0.5, 3: 0.4, 4: 0.2}
    expected = 0.0
    for looked in itertools.product((True, False), repeat=4):
        likely = math.prod(p if at else 1 - p for at, p in zip(looked, propensities.values(), strict=True))
        clicks = [doc for doc, at in zip(shown, looked, strict=True) if at and doc in relevant]
        if clicks:
            log = [{"query": "q", "docs": shown, "clicks": clicks}]
            found = tr.ips(log, {"new": {"q": new}}, "DCG@4", propensities=propensities)
            expected += likely * found.estimates[0].ips.estimate
    truth = tr.evaluate({"q": dict.fromkeys(relevant, 1)}, {"q": new}, "DCG@4").mean["DCG@4"]
    assert expected == pytest.approx(truth, abs=1e-12)


def test_intervals_draw_whole_users_again() -> None:
    log, runs = world(4, 300, users=40)
    found = tr.ips(log, runs, "DCG@3", eta=0.8, samples=2000)
    assert (found.cluster, found.clusters) == ("user", 40)
    rng = np.random.default_rng(0)
    users = sorted({record["user"] for record in log})
    parts = [[record for record in log if record["user"] == user] for user in users]
    drawn = [
        by_hand([record for n in rng.integers(40, size=40) for record in parts[n]], runs["new"], WORTH["DCG@3"], 99)
        for _ in range(1000)
    ]
    one = next(one for one in found.estimates if one.run == "new")
    for interval, values in zip((one.ips, one.snips), np.array(drawn).T, strict=True):
        low, high = np.quantile(values, [0.025, 0.975])
        wide = high - low
        assert interval.low == pytest.approx(low, abs=0.15 * wide)
        assert interval.high == pytest.approx(high, abs=0.15 * wide)


def test_a_ratio_over_ones_is_a_mean_and_many_clusters_are_normal() -> None:
    rng = np.random.default_rng(3)
    values = rng.exponential(size=80)
    for method in ("bca", "percentile"):
        found = stats.ratio_interval(values, np.ones(80), method=method)  # type: ignore[arg-type]
        expected = stats.mean_interval(values, method=method)  # type: ignore[arg-type]
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-9)
    top, bottom = rng.exponential(size=20_000), rng.integers(1, 5, 20_000)
    found = stats.ratio_interval(top, bottom)
    ratio = top.sum() / bottom.sum()
    error = np.std((top - ratio * bottom) / bottom.mean(), ddof=1) / 20_000**0.5
    assert found.method == "normal"
    assert (found.low, found.high) == pytest.approx((ratio - 1.96 * error, ratio + 1.96 * error), rel=1e-4)
    assert stats.ratio_interval([1, 2, 3], [1, 1, 1]).method == "none"
    assert stats.ratio_interval([2] * 9, [1] * 9).method == "constant"
    assert stats.ratio_interval([1e6 + i for i in range(9)], [2e6] * 9).method == "percentile"
    for wrong in ([1, 2], [0] * 9, [-1] * 9):
        with pytest.raises(ValueError, match="top and bottom"):
            stats.ratio_interval([1] * 9, wrong)


def test_propensities_come_from_a_table_a_power_law_or_lists_in_random_order(tmp_path: Path) -> None:
    log, runs = world(2)
    (tmp_path / "p.csv").write_text("rank,propensity\n" + "".join(f"{n + 1},{(n + 1) ** -0.8}\n" for n in range(6)))
    by_table = tr.ips(log, runs, propensities=tmp_path / "p.csv", samples=50)
    table = pyarrow.csv.read_csv(tmp_path / "p.csv")  # older pandas is off by a last bit
    for frame in (table, table.to_pandas(), polars.from_arrow(table)):
        assert tr.ips(log, runs, propensities=frame, samples=50).estimates == by_table.estimates
    assert by_table.estimates == tr.ips(log, runs, eta=0.8, samples=50).estimates
    docs = list("abcdef")
    randomized = [{"query": "q", "docs": docs, "clicks": docs[:n]} for n in (0, 1, 2, 3, 3, 5, 6)]
    relative = {1: 1.0, 2: 5 / 6, 3: 4 / 6, 4: 2 / 6, 5: 2 / 6, 6: 1 / 6}
    by_clicks = tr.ips(log, runs, randomized=randomized, samples=50)
    known = tr.ips(log, runs, propensities=relative, samples=50)
    for one, other in zip(by_clicks.estimates, known.estimates, strict=True):
        assert (one.ips.estimate, one.snips.estimate) == pytest.approx((other.ips.estimate, other.snips.estimate))


def test_what_the_log_cannot_say_is_told() -> None:
    log, runs = world(1)
    runs["new"]["q0"] = ["never", "seen", *runs["new"]["q0"]]
    found = tr.ips(log, runs, "P@5", eta=2, clip=20)
    text = str(found)
    assert "Warning: fewer than 100 effective clicks" in text
    assert "Propensities: rank ** -2." in text
    assert "weights above 20 are clipped" in text
    shown = {(r["query"], doc) for r in log for doc in r["docs"]}
    queries = {r["query"] for r in log}
    first = [(q, doc) for q, docs in runs["new"].items() if q in queries for doc in docs[:5]]
    assert found.unseen["new"] == pytest.approx(sum(pair not in shown for pair in first) / len(first))
    assert "of new were never shown for their queries" in text
    assert "queries that new does not answer: nothing counts as returned." in text
    assert json.loads(json.dumps(found.to_dict()))["estimates"][0]["run"] == "old"
    assert [*found.to_pandas()["against"]] == ["", "", "old"]
    assert repr(found).startswith("Ips('clicks', 60 impressions")


GOOD: Record = {"query": "q", "docs": ["a", "b", "c"], "clicks": ["b"]}


@pytest.mark.parametrize(
    ("records", "how", "said"),
    [
        ([GOOD], [], "propensities come from a table, from eta (rank ** -eta) or from a randomized log: give one"),
        ([GOOD], ["--eta", "1", "--propensities", "p.csv"], "give one"),
        (
            [GOOD, {**GOOD, "clicks": ["c"]}],
            ["--propensities", "p.csv"],
            "log.jsonl:2: rank 3 was clicked, but has no prop",
        ),
        (
            [GOOD],
            ["--propensities", "zero.csv"],
            "log.jsonl:1: rank 2 was clicked, but its propensity is 0 (zero.csv)",
        ),
        (
            [GOOD],
            ["--propensities", "wrong.csv"],
            "wrong.csv:3: the propensity of rank 2 is a number from 0 to 1, not '1.5'",
        ),
        ([GOOD], ["--propensities", "twice.csv"], "twice.csv:3: rank 1 has two propensities"),
        ([GOOD], ["--propensities", "rank.csv"], "rank.csv:2: a rank is a whole number from 1 on, not '0'"),
        ([GOOD], ["--propensities", "none.csv"], "no column holds the propensities; name it propensity"),
        ([GOOD], ["--eta", "1", "-m", "nDCG@10"], "nDCG@10 is no sum over relevant documents"),
        *(
            ([GOOD], ["--eta", "1", "-m", name], said)
            for name, said in (
                ("P(divisor='returned')@5", "depends on the rest of its list"),
                ("DCG(ties='averaged')@5", "depends on the rest of its list"),
                ("P(level=2)@5", "P(level=2)@5 gives nothing for the grade 1"),
                ("DCG(gain_from=2)", "gives nothing for the grade 1"),
                ("DCG(gain={1: 0})", "gives nothing for the grade 1"),
                (" ", "no measure is named"),
            )
        ),
        ([{**GOOD, "clicks": []}], ["--eta", "1"], "nothing was clicked, so that nothing can be estimated"),
        ([{**GOOD, "clicks": ["z"]}], ["--eta", "1"], "log.jsonl:1: a click on z, which was not shown"),
        ([GOOD], ["--randomized", "log.jsonl"], "nothing was clicked at rank 1"),
        ([], ["--eta", "1"], "log.jsonl: the file is empty"),
    ],
)
def test_what_cannot_be_estimated_is_refused(
    records: list[Record], how: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("log.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    Path("new.run").write_text("q Q0 b 1 2 new\nq Q0 a 2 1 new\n")
    rows = {"p": "1,1\n2,0.5", "zero": "1,1\n2,0", "wrong": "1,1\n2,1.5", "twice": "1,1\n1,1", "rank": "0,1"}
    for name, text in rows.items():
        Path(f"{name}.csv").write_text(f"rank,propensity\n{text}\n")
    Path("none.csv").write_text("rank,other\n1,1\n")
    done = CliRunner().invoke(truerank, ["ips", "log.jsonl", "new.run", *how])
    assert (done.exit_code, said in done.stderr) == (2, True), done.stderr


def test_a_rank_of_a_table_of_propensities_may_be_written_as_a_decimal(tmp_path: Path) -> None:
    log, runs = world(3)
    by_rank = {rank: 1 / rank for rank in range(1, 7)}
    table = tmp_path / "propensities.csv"
    table.write_text("rank,propensity\n" + "".join(f"{rank}.0,{share!r}\n" for rank, share in by_rank.items()))
    of_table, as_given = (tr.ips(log, runs, "DCG@3", propensities=given) for given in (str(table), by_rank))
    assert of_table.estimates == as_given.estimates


@pytest.mark.parametrize("propensity", [0, 1e-310, 1e-200, 1e-13])
def test_a_click_that_would_outweigh_all_others_is_refused(propensity: float) -> None:
    log = [{"query": "q", "docs": ["a", "b"], "clicks": ["b"]}]
    with pytest.raises(tr.InputError, match=r"rank 2 was clicked, but its propensity is .* outweigh"):
        tr.ips(log, {"x": {"q": ["b"]}}, propensities={1: 1, 2: propensity})


@pytest.mark.parametrize("stray", [math.nan, math.inf, -math.inf])
def test_an_effective_size_of_weights_that_are_not_finite_is_refused(stray: float) -> None:
    with pytest.raises(ValueError, match=f"weights are finite numbers, not {stray}"):
        stats.effective_size([1, stray])


def test_the_effective_size_is_that_of_weights_of_any_scale() -> None:
    weights = [3.0, 1.0, 2.0]
    expected = stats.effective_size(weights)
    for scale in (1e-300, 1e-160, 1e160, 1e300):
        assert stats.effective_size([w * scale for w in weights]) == pytest.approx(expected)


def test_a_run_that_answers_no_query_of_the_log_is_refused() -> None:
    log = [{"query": "q", "docs": ["a", "b"], "clicks": ["b"]}]
    with pytest.raises(tr.InputError, match="x: no query of clicks is in the run: it answers 'r'"):
        tr.ips(log, {"x": {"r": ["b"]}}, eta=1)


@pytest.mark.parametrize(
    "how",
    [
        {"eta": "1"},
        {"eta": True},
        {"eta": 1, "clip": "x"},
        {"propensities": np.array([1, 0.5])},
        {"propensities": [1, 0.5]},
        {"eta": None},
    ],
)
def test_what_is_no_propensity_is_said(how: dict[str, Any]) -> None:
    with pytest.raises(tr.InputError):
        tr.ips([{"query": "q", "docs": ["a"], "clicks": ["a"]}], {"x": {"q": ["a"]}}, **how)


@pytest.mark.parametrize("measures", ["", " ", []])
def test_no_measure_is_said_to_be_none(measures: Any) -> None:
    with pytest.raises(tr.MeasureError, match="no measure is named"):
        tr.ips([GOOD], {"new": {"q": ["b"]}}, measures, eta=1)


@pytest.mark.parametrize("runs", [None, 3])
def test_what_is_no_runs_is_said_in_plain_braces(runs: Any) -> None:
    with pytest.raises(tr.InputError, match=r"runs are \{name: run\}"):
        tr.ips([{"query": "q", "docs": ["a"], "clicks": ["a"]}], runs, eta=1)
