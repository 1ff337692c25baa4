"""evaluate: doors, partitions, threads, orders — the same bits — and what the ledger says."""

from __future__ import annotations

import json
import math
import random
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import truerank as tr
from truerank import truth
from truerank.core.ledger import added
from truerank.formats import trec
from truerank.measures.sums import exact_total, rounded
from truerank.present.lines import jsonl

MEASURES = ["nDCG@10", "AP", "RR", "P@10", "R@100", "Bpref"]


@pytest.fixture(scope="module")
def collection() -> tuple[dict, dict]:
    """300 queries with ties, graded judgements, missing, extra and empty ones."""
    rng = random.Random(7)
    docs = [f"doc{i}" for i in range(400)]
    qrels = {f"q{i}": {d: rng.randint(-1, 3) for d in rng.sample(docs, rng.randint(0, 60))} for i in range(300)}
    run = {
        f"q{i}": {d: rng.randint(0, 40) / 4 for d in rng.sample(docs, rng.randint(1, 150))} for i in range(20, 310)
    }
    return qrels, run


def written(path: Path, rows: list[tuple[str, str, float]]) -> Path:
    path.write_text("".join(f"{q} Q0 {d} 0 {s!r} tag\n" for q, d, s in rows))
    return path


def rows_of(run: dict) -> list[tuple[str, str, float]]:
    return [(q, d, s) for q, answer in run.items() for d, s in answer.items()]


def bits(scores: tr.Scores) -> dict[str, bytes]:
    return {name: values.tobytes() for name, values in scores.columns.items()} | {
        "queries": repr(scores.queries).encode()
    }


@pytest.fixture(scope="module")
def expected(collection) -> dict[str, bytes]:
    return bits(tr.evaluate(*collection, MEASURES))


def test_a_file_gives_the_same_bits_as_a_dict(collection, expected, tmp_path):
    qrels, run = collection
    assert bits(tr.evaluate(qrels, written(tmp_path / "run", rows_of(run)), MEASURES)) == expected


def test_threads_give_the_same_bits_as_one(collection, expected, tmp_path, monkeypatch):
    qrels, run = collection
    monkeypatch.setattr(trec, "PIECE", 1)
    path = written(tmp_path / "run", rows_of(run))
    for threads in (1, 2, 3, 16):
        assert bits(tr.evaluate(qrels, path, MEASURES, threads=threads)) == expected


def test_shuffled_rows_give_the_same_bits_and_are_noted(collection, expected, tmp_path, monkeypatch):
    qrels, run = collection
    rows = rows_of(run)
    random.Random(1).shuffle(rows)
    path = written(tmp_path / "run", rows)
    for piece in (trec.PIECE, 1):
        monkeypatch.setattr(trec, "PIECE", piece)
        scores = tr.evaluate(qrels, path, MEASURES, threads=2)
        assert (bits(scores), scores.ledger.interleaved) == (expected, True)


def test_any_partition_of_the_queries_gives_the_same_bits(collection):
    qrels, run = collection
    whole = tr.evaluate(qrels, run, MEASURES)
    for part in (list(qrels)[::3], list(qrels)[1::3], list(qrels)[2::3]):
        scores = tr.evaluate({q: qrels[q] for q in part}, run, MEASURES)
        where = np.isin(whole.queries, scores.queries)
        assert all(whole[m][where].tobytes() == scores[m].tobytes() for m in MEASURES)


def test_an_error_in_a_later_piece_names_its_line(collection, tmp_path, monkeypatch):
    qrels, run = collection
    monkeypatch.setattr(trec, "PIECE", 1)
    path = written(tmp_path / "run", rows_of(run))
    lines = path.read_text().splitlines(keepends=True)
    number = len(lines) * 3 // 4
    lines[number - 1] = "q1 Q0 doc 1 nan tag\n"
    path.write_text("".join(lines))
    with pytest.raises(tr.InputError, match=rf"run:{number}: the score is not a finite number"):
        tr.evaluate(qrels, path, MEASURES, threads=4)


def test_a_repeated_document_is_named_with_both_lines(tmp_path):
    path = written(tmp_path / "run", [("q", "a", 3.0), ("q", "b", 2.0), ("q", "a", 1.0)])
    with pytest.raises(tr.InputError, match=r"run:3: document a is returned twice for query q \(first in line 1\)"):
        tr.evaluate({"q": {"a": 1}}, path, "AP")


def test_the_ledger_counts_what_the_mean_hides():
    qrels = {"1": {"a": 1, "b": 0}, "2": {"c": 1}, "3": {"d": 0}, "4": {"e": -1}}
    run = {"1": {"a": 1.0, "b": 1.0, "x": 0.5}, "3": {"y": 1.0}, "4": {"e": 1.0}, "9": {"z": 1.0}}
    ledger = tr.evaluate(qrels, run, "RR").ledger
    counts = {key: value for key, value in ledger.to_dict().items() if key not in ("examples", "interleaved")}
    assert counts == {
        "judged": 4, "evaluated": 4, "answered": 3, "missing": 1, "extra": 1, "without_relevant": 2,
        "returned": 5, "unjudged": 3, "duplicates": 0, "tied": 1,
    }  # fmt: skip
    assert ledger.examples == {
        "missing": ("2",),
        "extra": ("9",),
        "without_relevant": ("3", "4"),
        "tied": ("1",),
    }


def test_ties_that_change_no_measure_are_not_counted():
    tied = {"q": {"a": 1.0, "b": 1.0, "x": 0.5, "y": 0.5}}
    assert tr.evaluate({"q": {"a": 1, "b": 1}}, tied, "AP nDCG").ledger.tied == 0
    assert tr.evaluate({"q": {"a": 1, "b": 2}}, tied, "AP").ledger.tied == 0
    assert tr.evaluate({"q": {"a": 1, "b": 2}}, tied, "nDCG").ledger.tied == 1


SOLD = {"id": ["a", "x", "y", "b", "z", "c"], "popularity": [1, 2, 3, 4, 5, 6]}
BOUGHT = {"q": {"a": 1}, "r": {"b": 1}, "s": {"c": 1}}
SHOWN = {
    "q": {"a": 1.0, "x": 1.0, "y": 0.5},
    "r": {"b": 2.0, "z": 1.0},
    "s": {"c": 1.0, "y": 0.5, "z": 0.5},
}


@pytest.mark.parametrize(
    ("asked", "tied"),
    [("Popularity@1", ("q",)), ("Popularity@2", ("s",)), ("Popularity@3", ()), ("AP Popularity@2", ("q", "s"))],
)
def test_ties_count_that_change_a_measure_of_whole_lists(asked, tied):
    ledger = tr.evaluate(BOUGHT, SHOWN, asked, items=SOLD).ledger
    assert (ledger.tied, ledger.examples.get("tied", ())) == (len(tied), tied)


@pytest.mark.parametrize("measure", ["AWRF@3", "Popularity@3"])
def test_ties_that_go_on_below_the_cutoff_count_whatever_rows_a_reading_keeps(measure: str) -> None:
    items = [{"item_id": doc, "popularity": n, "groups": ["xy"[n % 2]]} for n, doc in enumerate("abcdefgh", 1)]
    qrels = {"below": {"a": 1}, "within": {"a": 1}, "none": {"a": 1}}
    run = {
        "below": {"a": 5.0, **dict.fromkeys("bcdefgh", 1.0)},
        "within": {"a": 5.0, "b": 4.0, "c": 4.0, "d": 1.0, "e": 1.0},
        "none": {"a": 5.0, "b": 4.0, "c": 3.0, "d": 1.0, "e": 1.0},
    }
    first = tr.evaluate(qrels, run, measure, items=items)
    assert first.ledger.examples["tied"] == (("below", "within") if measure == "AWRF@3" else ("below",))
    whole = tr.evaluate(tr.read(qrels, run, keep="all"), measures=measure, items=items)
    assert whole.ledger == first.ledger


def test_of_several_cutoffs_each_is_what_it_is_alone():
    both = tr.evaluate(BOUGHT, SHOWN, "Popularity@3 Popularity@1", items=SOLD)
    assert both["Popularity@1"].tolist() == [2, 4, 6]
    assert both["Popularity@3"].tolist() == pytest.approx([2, 4.5, 14 / 3], abs=1e-12)


@pytest.mark.parametrize("own", ["keep", "remove", "remove-from-answers"])
def test_the_highest_grade_of_some_queries_is_that_of_all(own):
    qrels, run = tr.Qrels.from_dict({"q": {"a": 1}, "r": {"b": 3}}), {"q": ["a"]}
    for some in (qrels, qrels.only({b"q"})):
        assert tr.evaluate(some, run, "ERR@1", rules={"self_match": own})["ERR@1"][0] == 1 / 8


@pytest.mark.parametrize("asked", [[], "", " "])
def test_naming_no_measure_is_refused(asked):
    with pytest.raises(tr.MeasureError, match="no measure is named; leave measures out for the default"):
        tr.evaluate(BOUGHT, SHOWN, asked)


def official(truth: dict, lines: list[tuple[str, list[str]]]) -> float:
    """The contest's number, written from its definition."""
    total = 0.0
    for query, answer in lines:
        hits, precisions = 0, 0.0
        for i, doc in enumerate(answer[:3]):
            if doc in truth[query]:
                hits += 1
                precisions += hits / (i + 1)
        total += (precisions / hits if hits else 0) if truth[query] else (0 if answer else 1)
    return total / len(lines)


def test_the_contests_number_is_reproduced_to_the_bit():
    rng = random.Random(3)
    truth = {str(i): rng.sample("abcdef", rng.randint(0, 3)) for i in range(30)}
    for _ in range(200):
        lines = [
            (str(rng.randint(0, 29)), [rng.choice("abcdefg") for _ in range(rng.randint(0, 5))]) for _ in range(40)
        ]
        scores = tr.evaluate(truth, lines, rules="science-qa")
        assert scores.mean["AP(divisor='hits')@3"] == official(truth, lines)
        assert list(scores.queries) == [query for query, _ in lines]


@pytest.fixture(scope="module")
def scores() -> tr.Scores:
    return tr.evaluate(
        {"a": {"x": 1}, "b": {"y": 1}}, {"a": {"x": 1.0}, "b": {"z": 2.0, "y": 1.0}}, "RR P@1 NumRel"
    )


def test_means_are_views_of_the_values(scores):
    assert scores.mean == {"RR": 0.75, "P@1": 0.5, "NumRel": 2.0}


def test_what_is_made_of_scores_changes_nothing_in_them(scores):
    before = scores.to_dict(per_query=True)
    scores.mean["RR"], scores.mean["run"] = 7.0, "mine"
    scores.per_query()["a"]["RR"] = 7.0
    frame = scores.to_pandas()
    assert frame.index.name == "query"
    frame.loc[:, "RR"] = 7.0
    with pytest.raises(ValueError, match="read-only"):
        scores["RR"].sort()
    assert scores.to_dict(per_query=True) == before


def test_ids_that_are_no_utf8_are_escaped_in_frames_as_where_they_are_printed() -> None:
    latin, tab = b"caf\xe9", "a\tb"
    run = tr.open_run({latin: {latin: 2.0, tab: 1.0}})
    scores = tr.evaluate({latin: [latin]}, run, "RR")
    assert scores.to_pandas().RR.to_dict() == {r"caf\xe9": 1.0}
    assert scores.to_polars().rows() == [(r"caf\xe9", 1.0)]
    assert scores.to_arrow().to_pylist() == [{"query": r"caf\xe9", "RR": 1.0}]
    for frame in (run.to_pandas(), run.to_polars()):
        assert list(frame["doc_id"]) == [r"caf\xe9", tab]


def test_a_measure_is_found_under_any_of_its_names(scores):
    assert scores["recip_rank"] is scores["RR"] is scores["mrr"]


def test_a_measure_that_was_not_evaluated_is_named(scores):
    with pytest.raises(tr.MeasureError, match=r"P@5 was not evaluated\. Did you mean P@1\?"):
        scores["P@5"]


def test_a_query_in_the_place_of_a_measure_is_told_where_its_values_are():
    scores = tr.evaluate({"q1": ["a"]}, {"q1": ["a"]}, "RR")
    with pytest.raises(tr.MeasureError, match=r"'q1' is a query, not a measure: .* per_query\(\)\['q1'\]"):
        scores["q1"]
    assert scores.per_query()["q1"] == {"RR": 1.0}
    with pytest.raises(tr.MeasureError, match="unknown measure 'q2'"):
        scores["q2"]


def test_scores_become_frames_and_plain_values(scores):
    for package in ("polars", "pyarrow", "pandas"):
        pytest.importorskip(package)
    assert scores.to_polars().rows() == [("a", 1.0, 1.0, 1.0), ("b", 0.5, 0.0, 1.0)]
    assert scores.to_arrow().column_names == ["query", "RR", "P@1", "NumRel"]
    assert scores.to_pandas().loc["b", "RR"] == 0.5
    assert scores.to_dict(per_query=True)["queries"]["b"] == {"RR": 0.5, "P@1": 0.0, "NumRel": 1.0}


def test_rules_can_name_the_measures_and_else_a_default_is_used():
    pair = ({"q": {"a": 1}}, {"q": {"a": 1.0}})
    assert list(tr.evaluate(*pair, rules={"measures": ["RR"]}).mean) == ["RR"]
    assert list(tr.evaluate(*pair).mean) == ["nDCG@10", "AP", "RR", "P@10", "R@100"]


def test_a_submitted_line_for_an_unknown_query_is_named_as_it_was_submitted():
    with pytest.raises(tr.InputError, match=r"query 9 is not judged"):
        tr.evaluate({"1": ["a"]}, [("9", ["a"])], rules="science-qa")


def test_lines_of_one_query_keep_apart_in_the_values_per_query():
    scores = tr.evaluate({"1": ["a"]}, [("1", ["a"]), ("1", ["x"])], rules="science-qa")
    assert {query: sum(row.values()) for query, row in scores.per_query().items()} == {"1": 1.0, "1 #2": 0.0}


def test_a_notebook_shows_the_means_as_a_table_whatever_the_run_is_called():
    scores = tr.evaluate({"q": {"a": 1}}, tr.open_run({"q": ["a"]}), "RR")
    shown = replace(scores, run="<script>")._repr_html_()
    assert re.search("<th[^>]*>RR</th>", shown)
    assert re.search("<td[^>]*>1.0000</td>", shown)
    assert "<script>" not in shown


def test_no_judgements_are_no_score_of_0():
    for asked in (({}, {"q": ["a"]}), (tr.read({}, {"q": ["a"]}),)):
        with pytest.raises(tr.InputError, match="qrels: there are no judgements in it"):
            tr.evaluate(*asked)


@pytest.mark.parametrize(
    ("qrels", "run", "field"),
    [({"q": {"a": 1}}, {}, "missing"), ({"q": {"a": 0}}, {"q": ["a"]}, "without_relevant")],
)
def test_a_refused_query_says_how_rules_are_changed_in_python_and_for_a_command(qrels, run, field):
    with pytest.raises(tr.InputError) as caught:
        tr.evaluate(qrels, run, rules={field: "error"})
    assert f"{field} = 'zero' in the rules scores it 0" in str(caught.value)
    assert f"(for a command: --set {field}=zero)" in str(caught.value)
    assert tr.evaluate(qrels, run, "AP", rules={field: "zero"}).mean == {"AP": 0.0}


@pytest.mark.parametrize("duplicates", ["first", "last", "count", "once"])
def test_the_ledger_counts_repeated_rows_whatever_becomes_of_them(tmp_path, duplicates) -> None:
    run = tmp_path / "run"
    run.write_text("q 0 a 1 9 t\nq 0 b 2 8 t\nq 0 a 3 7 t\nq 0 a 4 6 t\n")
    found = tr.evaluate({"q": {"a": 1}}, run, ["AP"], rules={"duplicates": duplicates})
    assert found.ledger.duplicates == 2


@pytest.mark.parametrize("threads", [0, -1, "2", 1.5])
def test_a_number_of_threads_is_a_positive_whole_number(threads):
    with pytest.raises(tr.InputError, match="threads is a positive whole number, not"):
        tr.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "AP", threads=threads)


PEAK = """
import atexit, resource, sys
from truerank.cli import main
atexit.register(lambda: print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr))
main()
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted in other units elsewhere")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_query_more_takes_a_few_hundred_bytes(tmp_path, threads):
    """Of the whole process: its id, judgement and answer, and five values."""

    def peak(queries: int) -> int:
        (tmp_path / "qrels").write_text("".join(f"q{i} 0 d{i} 1\n" for i in range(queries)))
        rows = (f"q{i} Q0 d{i} 1 2 t\nq{i} Q0 x{i} 2 1 t\n" for i in range(queries))
        (tmp_path / "run").write_text("".join(rows))
        command = [sys.executable, "-c", PEAK, "eval", str(tmp_path / "qrels"), str(tmp_path / "run")]
        command += ["--threads", str(threads)]
        return int(subprocess.run(command, capture_output=True, text=True, check=True).stderr.split()[-1])

    few, many = peak(1_000), peak(601_000)  # of which two threads read half each
    assert (many - few) * 1024 / 600_000 < 230


def test_values_do_not_depend_on_how_many_queries_are_worked_out_together(monkeypatch):
    rng = random.Random(5)
    docs = [f"d{i}" for i in range(30)]
    qrels = {f"q{i}": {d: rng.randint(-1, 3) for d in rng.sample(docs, rng.randint(0, 20))} for i in range(60)}
    run = {q: {d: float(rng.randint(0, 5)) for d in rng.sample(docs, rng.randint(0, 25))} for q in qrels}
    names = "nDCG@10 AP RR P@10 R@20 Bpref infAP ERR@5 RBP"
    whole = tr.evaluate(qrels, run, names)
    monkeypatch.setattr("truerank.core.hits.PART", 7)
    parts = tr.evaluate(qrels, run, names)
    assert {m: v.tobytes() for m, v in parts.columns.items()} == {m: v.tobytes() for m, v in whole.columns.items()}
    assert parts.ledger == whole.ledger
    assert parts.queries == whole.queries == tuple(sorted(qrels))


@given(st.lists(st.floats(-1e300, 1e300)), st.integers(0, 20))
def test_exact_totals_of_any_parts_are_those_of_fsum(values, cut):
    parts = [exact_total(np.array(part)) for part in (values[:cut], values[cut:])]
    assert rounded(sum(parts)) == math.fsum(values)


def test_judgements_show_where_they_came_from_and_not_all_that_is_in_them():
    assert repr(tr.read_qrels({f"q{n}": {"a": 1} for n in range(1000)})) == "Qrels(name='qrels')"
    nearest = truth.neighbours([[n, n + 1] for n in range(1000)], k=1)
    assert repr(nearest).startswith("Truth(name='neighbours(k=1")
    assert len(repr(nearest)) < 200


@pytest.mark.parametrize("part", ["hits", "top", "ideal"])
def test_a_measure_of_ones_own_writes_into_nothing_that_others_read(part):
    @tr.measure("Writes")
    def writes(hits):
        """It clips grades in place."""
        grade = {"hits": hits, "top": hits.top(1), "ideal": hits.ideal}[part].grade
        grade[:] = 0
        return hits.sum(hits.grade)

    qrels, run = tr.read_qrels({"q": {"a": 2, "b": 1, "c": -1}}), {"q": ["b", "a"]}
    try:
        before = tr.evaluate(qrels, run, "nDCG P@1").mean
        if part == "ideal":
            with pytest.raises(ValueError, match="read-only"):
                tr.evaluate(qrels, run, "Writes")
        else:
            written = {"hits": 0.0, "top": 3.0}[part]
            assert tr.evaluate(qrels, run, "Writes nDCG P@1").mean == {"Writes": written} | before
        assert tr.evaluate(qrels, run, "nDCG P@1").mean == before
    finally:
        tr.unregister("Writes")


def test_numbers_of_the_whole_run_alone_leave_queries_without_a_value():
    scores = tr.evaluate({"q": {"a": 1}, "r": {}}, {"q": ["a"]}, "Coverage@2", items=["a", "b"])
    assert scores.per_query() == scores.to_dict(per_query=True)["queries"] == {"q": {}, "r": {}}
    assert [json.loads(line)["values"] for line in jsonl([scores], per_query=True).splitlines()] == [{}, {}]
    assert scores.mean == {"Coverage@2": 0.5}


def test_an_empty_list_is_an_answer_and_a_query_that_is_left_out_lacks_nothing() -> None:
    qrels = {"a": {"x": 1}, "b": {"x": 1}, "c": {"x": 0}, "d": {"x": 0}}
    run: dict[str, dict[str, float]] = {"a": {"x": 1.0}, "b": {}, "c": {}}
    skipped, counted = (tr.evaluate(qrels, run, "P@1", rules={"missing": how}).ledger for how in ("skip", "zero"))
    assert skipped.examples == {"missing": ("d",), "without_relevant": ("c",)}
    assert counted.examples == {"missing": ("d",), "without_relevant": ("c", "d")}
    assert (skipped.evaluated, counted.evaluated, counted.answered) == (3, 4, 3)


def test_the_ledgers_of_parts_add_up_to_that_of_all_queries():
    rules, names = {"without_relevant": "undefined"}, [f"q{n}" for n in range(40)]
    qrels = {name: {"a": n % 3, "b": 0} for n, name in enumerate(names) if n % 7}
    run = {name: {"a": 1.0, "b": 1.0, "x": 1.0} for n, name in enumerate(names) if n % 4}

    def ledger(some):
        judged, returned = ({name: docs[name] for name in some if name in docs} for docs in (qrels, run))
        return tr.evaluate(judged, returned, "AP P@1", rules=rules).ledger

    parts = [ledger(names[20:]), ledger(names[:20])]
    assert added(parts) == ledger(names)
    assert added([replace(parts[0], interleaved=True), parts[1]]).interleaved
