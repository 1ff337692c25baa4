"""Judgements from clicks: equal to a loop over the log, and independent of where documents were shown."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import pandas
import pytest
from click.testing import CliRunner

import truerank as tr
from truerank import truth
from truerank.cli import truerank
from truerank.truth.clicks import read_clicks


def world(seed: int, impressions: int = 200) -> list[dict[str, Any]]:
    chance = random.Random(seed)
    docs = [f"d{n}" for n in range(8)]
    log = []
    for _ in range(impressions):
        shown = chance.sample(docs, 5)
        clicks = [
            doc for rank, doc in enumerate(shown) if chance.random() < (0.8 if doc < "d3" else 0.3) / (rank + 1)
        ]
        log.append({"query": f"q{chance.randrange(3)}", "docs": shown, "clicks": clicks})
    return log


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("smoothing", "least"), [(0, 1), (1, 10), (2.5, 40)])
def test_a_grade_is_clicks_over_expected_clicks(seed: int, smoothing: float, least: int) -> None:
    log = world(seed)
    rate = [sum(r["docs"][n] in r["clicks"] for r in log) / len(log) for n in range(5)]
    counts: dict[tuple[str, str], list[float]] = {}
    for record in log:
        for rank, doc in enumerate(record["docs"]):
            each = counts.setdefault((record["query"], doc), [0.0, 0.0, 0.0])
            for n, more in enumerate((doc in record["clicks"], rate[rank], 1)):
                each[n] += more
    expected = {pair: (c + smoothing) / (e + smoothing) for pair, (c, e, n) in counts.items() if n >= least}
    found = truth.coec(log, smoothing=smoothing, impressions=least)
    got = {(query, doc): grade for query, docs in found.to_dict().items() for doc, grade in docs.items()}
    assert got == pytest.approx(expected, rel=1e-12)
    assert f"{len(expected):,} of {len(counts):,} pairs" in found.notes[0].message
    assert f"smoothed by {smoothing:g} expected clicks" in found.notes[0].message


def test_clicks_that_follow_ranks_alone_make_all_documents_alike() -> None:
    chance = random.Random(1)
    docs = [f"d{n}" for n in range(4)]
    log = [
        {"query": "q", "docs": docs, "clicks": [d for n, d in enumerate(docs) if chance.random() < 1 / (n + 1)]}
        for _ in range(500)
    ]
    assert list(truth.coec(log).to_dict()["q"].values()) == pytest.approx([1.0] * 4)


def test_whole_numbers_that_pandas_made_fractions_are_ids_again() -> None:
    rows = [
        {"impression": n // 2, "query": 7.0, "doc_id": 1.0 + n % 2, "rank": 1 + n % 2, "click": n % 2}
        for n in range(4)
    ]
    lists = [{"query": 7.0, "docs": [1.0, 2.0], "clicks": [2]}] * 2
    expected = {"7": {"1": 1.0, "2": 1.0}}
    for log in (rows, lists, pytest.importorskip("pandas").DataFrame(rows)):
        assert truth.coec(log, impressions=1).to_dict() == expected


def test_cuts_make_whole_grades_and_the_truth_evaluates() -> None:
    found = truth.coec(world(3), cuts=(0.5, 1, 1.5))
    plain = truth.coec(world(3))
    grades = [sum(value >= cut for cut in (0.5, 1, 1.5)) for value in plain.grades.tolist()]
    assert found.grades.tolist() == grades
    best = {f"q{n}": [f"d{m}" for m in range(8)] for n in range(3)}
    assert tr.evaluate(found, best, "nDCG@3").mean["nDCG@3"] > 0.8


def test_the_order_of_the_log_changes_no_bit() -> None:
    log = world(7)
    plain = truth.coec(log)
    for seed in range(20):
        shuffled = truth.coec(random.Random(seed).sample(log, len(log)))
        assert shuffled.to_dict() == plain.to_dict()


def test_a_value_that_only_rounding_parts_from_a_cut_reaches_it() -> None:
    docs = ["a", "b"]
    for often in range(10, 60):  # one list for all: each document is clicked as often as its rank
        log = [{"query": "q", "docs": docs, "clicks": docs[: n % 3]} for n in range(often)]
        assert truth.coec(log, cuts=(0.5, 1, 2)).to_dict() == {"q": {"a": 2.0, "b": 2.0}}


@pytest.mark.parametrize("rates", [0.5, [0.5, 0.25], True])
def test_rates_that_are_no_table_are_refused(rates: Any) -> None:
    with pytest.raises(tr.InputError, match=r"rates are \{rank: click rate\}, or the path of a table"):
        truth.coec([{"query": "q", "docs": ["a"], "clicks": ["a"]}] * 10, rates=rates)


def test_rates_may_be_given() -> None:
    log = [{"query": "q", "docs": ["a", "b"], "clicks": ["a"]}] * 10
    assert truth.coec(log, rates={1: 0.5, 2: 0.5}, smoothing=0).to_dict() == {"q": {"a": 2.0, "b": 0.0}}


def test_a_rank_of_a_table_may_be_written_as_a_decimal(tmp_path: Path) -> None:
    log = [{"query": "q", "docs": ["a", "b"], "clicks": ["a"]}] * 10
    (tmp_path / "rates.csv").write_text("rank,rate\n1.0,0.5\n2.0,0.25\n")
    plain = truth.coec(log, rates={1: 0.5, 2: 0.25})
    assert truth.coec(log, rates=str(tmp_path / "rates.csv")).to_dict() == plain.to_dict()
    assert truth.coec(log, rates=pandas.read_csv(tmp_path / "rates.csv")).to_dict() == plain.to_dict()


@pytest.mark.parametrize("rate", [math.nan, -0.5, 1.5, "x", "0_1", None, True])
def test_a_rate_that_is_none_is_refused(rate: Any) -> None:
    with pytest.raises(tr.InputError, match="the click rate of rank 1 is a number from 0 to 1"):
        truth.coec([{"query": "q", "docs": ["a"], "clicks": ["a"]}] * 10, rates={1: rate})


@pytest.mark.parametrize("name", ["rank", "position", "Pos", "slot"])
def test_rows_stand_at_the_ranks_that_a_column_says_in_whatever_order(name: str) -> None:
    rows = [{"impression": 1, "query": "q", "doc_id": doc, name: place, "click": 0} for doc, place in ("b2", "a1")]
    (one,) = read_clicks(rows).impressions
    assert (one.docs, one.ranks) == (("a", "b"), (1, 2))


def test_rows_without_ranks_stand_in_their_order_and_a_click_that_is_not_said_is_none() -> None:
    rows = [
        {"impression": number, "query": "q", "doc_id": doc, "click": click}
        for number, doc, click in ((1, 7.5, 1), (2, "a", ""), (1, 7.0, None))
    ]
    one, other = read_clicks(rows).impressions
    assert (one.docs, one.ranks, one.clicked) == (("7.5", "7"), (1, 2), (True, False))
    assert (other.docs, other.ranks, other.clicked) == (("a",), (1,), (False,))


def test_the_document_that_an_impression_has_twice_is_named() -> None:
    with pytest.raises(tr.InputError, match="one impression has the document b twice"):
        read_clicks([{"query": "q", "docs": ["a", "b", "b"], "clicks": []}])


@pytest.mark.parametrize("column", ["impression", "doc_id"])
def test_a_row_of_no_impression_or_no_document_is_refused(column: str) -> None:
    with pytest.raises(tr.InputError, match="a row has no impression, or no document"):
        read_clicks([{**ROW, column: None}])


@pytest.mark.parametrize("name", ["ranks", "rank", "positions"])
def test_lists_stand_at_the_ranks_that_they_are_told(name: str) -> None:
    page = {"query": "q", "docs": ["b", "a"], "systems": ["x", "y"], "clicks": ["b"], name: [12, 11]}
    (one,) = read_clicks([page]).impressions
    assert (one.docs, one.ranks, one.clicked, one.systems) == (("a", "b"), (11, 12), (False, True), ("y", "x"))
    found = truth.coec([page], rates={11: 0.5, 12: 0.25}, impressions=1)
    assert found.to_dict() == {"q": {"a": 1 / 1.5, "b": 1.6}}


@pytest.mark.parametrize(
    ("ranks", "said"),
    [
        ([1], "ranks has the rank of each of the 2 docs, in a list"),
        (11, "ranks has the rank of each of the 2 docs, in a list"),
        ([1, None], "the rank of b is None, not a whole number from 1 on"),
        ([3, 3], "one impression has the rank 3 twice"),
    ],
)
def test_ranks_that_are_none_of_a_list_are_refused(ranks: Any, said: str) -> None:
    with pytest.raises(tr.InputError, match=said):
        read_clicks([{"query": "q", "docs": ["a", "b"], "clicks": [], "ranks": ranks}])


ROW = {"impression": 1, "query": "q", "user": "u", "doc_id": "a", "click": 1}


@pytest.mark.parametrize("several", [["q"], ("q", "r"), {"q": 1}])
@pytest.mark.parametrize("column", ["impression", "query", "user", "doc_id"])
def test_a_list_is_no_id(column: str, several: Any) -> None:
    with pytest.raises(tr.InputError, match=f"{column} is text or a whole number, not "):
        read_clicks([{**ROW, column: several}])


@pytest.mark.parametrize("column", ["query", "user"])
def test_an_impression_is_of_one_query_and_one_user(column: str) -> None:
    with pytest.raises(tr.InputError, match="the impression 1 has two queries, or two users"):
        read_clicks([ROW, {**ROW, "doc_id": "b", column: "other"}])


def test_ids_may_be_bytes_and_columns_have_names() -> None:
    expected = read_clicks([ROW]).impressions
    assert read_clicks([{**ROW, "query": b"q", "doc_id": b"a", 7: "rank"}]).impressions == expected
    (one,) = read_clicks([{"query": b"q", "docs": [b"a"], "clicks": ["a"], 7: "rank"}]).impressions
    assert (one.query, one.docs, one.clicked) == ("q", ("a",), (True,))


@pytest.mark.parametrize("rank", [0, 1.7, "x", "1_0", "١", math.nan, math.inf])
def test_a_rank_that_is_none_is_refused(rank: Any) -> None:
    with pytest.raises(tr.InputError, match="a rank is a whole number from 1 on"):
        truth.coec([{"query": "q", "docs": ["a"], "clicks": ["a"]}] * 10, rates={rank: 0.5})


@pytest.mark.parametrize("cuts", [("a",), (math.nan,), (0.5, math.inf), (1, 0.5), (1, 1)])
def test_cuts_are_numbers_that_rise(cuts: Any) -> None:
    with pytest.raises(tr.TruerankError, match="cuts"):
        truth.coec(world(1), cuts=cuts)


@pytest.mark.parametrize("wrong", ["x", None, math.nan, math.inf, True, -1, [1]])
@pytest.mark.parametrize("name", ["smoothing", "impressions"])
def test_smoothing_and_impressions_are_numbers(name: str, wrong: Any) -> None:
    with pytest.raises(tr.RulesError, match="smoothing is not negative, impressions is positive"):
        truth.coec(world(1), **{name: wrong})


@pytest.mark.parametrize(
    ("records", "rule", "said"),
    [
        ([{"docs": ["a"], "clicks": []}], "coec", "log.jsonl:1: the impression has no query"),
        ([{"query": "q", "docs": ["a"], "clicks": ["a"]}], "coec", "no document was shown 10 times for a query"),
        (
            [{"query": "q", "docs": ["a", "b"]}],
            "coec(rates='rates.csv')",
            "log.jsonl:1: b was shown at rank 2, which has no rate",
        ),
        (
            [{"query": "q", "docs": ["a"]}],
            "coec(rates='wrong.csv')",
            "wrong.csv:2: the click rate of rank 1 is a number",
        ),
        ([{"query": "q", "docs": ["a"]}], "coec(rates='twice.csv')", "twice.csv:3: rank 1 has two click rates"),
        (
            [{"query": "q", "docs": ["a"]}],
            "coec(rates='part.csv')",
            "part.csv:2: a rank is a whole number from 1 on, not '1.7'",
        ),
        (
            [{"query": "q", "docs": ["a"]}],
            "coec(rates='part.jsonl')",
            "part.jsonl:1: a rank is a whole number from 1 on, not 1.7",
        ),
        ([{"query": "q", "docs": ["a"]}], "coec(smoothing=-1)", "coec: smoothing is not negative"),
        ([{"query": "q", "docs": ["a"]}], "nearest", "nearest needs REFERENCES"),
    ],
)
def test_a_log_that_judges_nothing_is_refused(
    records: list[dict[str, Any]], rule: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("log.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    Path("rates.csv").write_text("rank,rate\n1,0.5\n")
    Path("twice.csv").write_text("rank,rate\n1,0.5\n1.0,0.4\n")
    Path("part.csv").write_text("rank,rate\n1.7,0.5\n")
    Path("part.jsonl").write_text('{"rank": 1.7, "rate": 0.5}\n{"rank": 2, "rate": 0.5}\n')
    Path("wrong.csv").write_text("rank,rate\n1,2\n")
    done = CliRunner().invoke(truerank, ["truth", rule, "log.jsonl"])
    assert (done.exit_code, said in done.stderr) == (2, True), done.stderr


def test_the_command_writes_qrels_and_says_how(tmp_path: Path) -> None:
    log, out = tmp_path / "log.jsonl", tmp_path / "clicks.qrels"
    log.write_text("".join(json.dumps(record) + "\n" for record in world(2)))
    done = CliRunner().invoke(truerank, ["truth", "coec(cuts=(0.5, 1, 2))", str(log), "-o", str(out)])
    assert done.exit_code == 0, done.stderr
    assert "pairs of a query and a document are judged: those shown at least 10 times" in done.stderr
    assert tr.read_qrels(out).to_dict() == truth.coec(log, cuts=(0.5, 1, 2)).to_dict()
    done = CliRunner().invoke(truerank, ["truth", "coec", str(log), str(log)])
    assert (done.exit_code, "coec has no REFERENCES" in done.stderr) == (2, True)


def test_a_log_without_clicks_judges_nothing() -> None:
    log = [{"query": "q", "docs": ["a", "b"], "clicks": []}] * 20
    with pytest.raises(tr.InputError, match="nothing was clicked"):
        truth.coec(truth.clicks.read_clicks(log))


def test_a_click_at_a_rank_that_is_never_clicked_contradicts_the_rates() -> None:
    log = truth.clicks.read_clicks([{"query": "q", "docs": ["a", "b"], "clicks": ["b"]}] * 20)
    with pytest.raises(tr.InputError, match="b was clicked at rank 2, whose rate is 0"):
        truth.coec(log, rates={1: 0.5, 2: 0.0})
