"""Runs with several lists per query: how each format names the call, and what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import truerank as tr
from truerank.analysis.confusion import confusion
from truerank.analysis.lint import lint
from truerank.core.errors import SeveralCalls
from truerank.formats.converting import convert

QRELS = {"q": {"a": 1, "b": 1}, "r": {"c": 1}}

LISTS: dict[str, list[list[Any]]] = {
    "q": [[("x", 2.0), ("a", 1.0)], [("a", 3.0), ("b", 2.5)]],
    "r": [[("z", 1.0)], [], [("c", 1.0), ("z", 0.5)]],
}

ROWS = [
    (query, call, doc, score)
    for query, lists in LISTS.items()
    for call, docs in enumerate(lists, 1)
    for doc, score in docs
]

NAMES = "CallRecall@1,2,3 FirstComplete@5 SessionDCG@10 nSessionDCG@1"

FILES = {
    "run.csv": "call,query_id,doc_id,score\n" + "".join(f"{c},{q},{d},{s}\n" for q, c, d, s in ROWS),
    "quoted.csv": "query_id,doc_id,score,call\n" + "".join(f'"{q}",{d},{s},{c}\n' for q, c, d, s in ROWS),
    "ranks.tsv": "qid\tcall\tdocid\trank\n" + "".join(f"{q}\t{c}\t{d}\t{-s}\n" for q, c, d, s in ROWS),
    "rows.jsonl": "".join(
        json.dumps({"query_id": q, "call": c, "doc_id": d, "score": s}) + "\n" for q, c, d, s in ROWS
    ),
    "lists.jsonl": "".join(
        json.dumps({"query_id": q, "call": c, "docs": [d for d, _ in docs]}) + "\n"
        for q, lists in LISTS.items()
        for c, docs in enumerate(lists, 1)
    ),
    "nested.jsonl": "".join(
        json.dumps({"query_id": q, "docs": [[d for d, _ in docs] for docs in lists]}) + "\n"
        for q, lists in LISTS.items()
    ),
    "beside.jsonl": "".join(
        json.dumps(
            {
                "query_id": q,
                "docs": [[d for d, _ in docs] for docs in lists],
                "scores": [[s for _, s in docs] for docs in lists],
            }
        )
        + "\n"
        for q, lists in LISTS.items()
    ),
    "pairs.json": json.dumps(LISTS),
    "ids.json": json.dumps({q: [[d for d, _ in docs] for docs in lists] for q, lists in LISTS.items()}),
    "objects.json": json.dumps(
        {q: [[{"id": d, "score": s} for d, s in docs] for docs in lists] for q, lists in LISTS.items()}
    ),
    "run.trec": "".join(f"{q} {c} {d} 1 {s} tag\n" for q, c, d, s in ROWS),
}


def found(run: Any) -> dict[str, list[float]]:
    scores = tr.evaluate(QRELS, run, NAMES)
    return {name: values.tolist() for name, values in scores.columns.items()}


EXPECTED = {
    "CallRecall@1": [0.5, 0.0],
    "CallRecall@2": [1.0, 0.0],
    "CallRecall@3": [1.0, 1.0],
    "FirstComplete@5": [2.0, 3.0],
}


@pytest.mark.parametrize("name", FILES)
def test_every_format_names_the_call(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(FILES[name], "utf-8")
    run = tr.formats.open_run(path, "trec(second='call')") if name == "run.trec" else path
    values = found(run)
    assert {name: values[name] for name in EXPECTED} == EXPECTED
    assert values == found(LISTS)


@pytest.mark.parametrize("name", FILES)
def test_a_call_that_is_left_out_is_counted_in_every_format(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(FILES[name], "utf-8")
    run = tr.formats.open_run(path, "trec(second='call')") if name == "run.trec" else path
    assert tr.evaluate(QRELS, run, "R@2", rules={"calls": "concatenated"}).ledger.calls == 5
    notes = tr.explain(QRELS, run, "r", "R@2", rules={"calls": "concatenated"}).notes
    assert "The query has 3 lists, one per call; a document counts where it came first." in [n.text for n in notes]


def test_the_calls_of_a_long_run_are_calls_to_several_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truerank.formats.trec.PIECE", 1)  # from here on, a file is long
    rows = (f"q{q} {call} d{call} 1 2.0 tag\n" for q in range(20) for call in (1, 2))
    (tmp_path / "run.trec").write_text("".join(rows))
    run = tr.formats.open_run(tmp_path / "run.trec", "trec(second='call')")
    qrels = {f"q{q}": {"d2": 1} for q in range(20)}
    means = tr.evaluate(qrels, run, "CallRecall@1,2", threads=3).mean
    assert means == {"CallRecall@1": 0.0, "CallRecall@2": 1.0}


def test_objects_have_calls_too() -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    columns = dict(zip(("query_id", "call", "doc_id", "score"), zip(*ROWS, strict=True), strict=True))
    for run in (
        {query: [[doc for doc, _ in docs] for docs in lists] for query, lists in LISTS.items()},
        list(LISTS.items()),
        {name: list(values) for name, values in columns.items()},
        [dict(zip(columns, row, strict=True)) for row in ROWS],
        pandas.DataFrame(columns),
        pandas.DataFrame(columns).astype({"call": "float64"}),
        polars.DataFrame({name: list(values) for name, values in columns.items()}),
    ):
        assert found(run) == found(LISTS)


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "json", "parquet", "trec", "csv.gz"])
def test_convert_keeps_the_calls(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"run.{ending}"
    convert(LISTS, path, "run")
    run = tr.formats.open_run(path, "trec(second='call')") if ending == "trec" else path
    assert found(run) == found(LISTS)


@pytest.mark.parametrize("calls", [[12], [20, 30], [10, 10, 110]], ids=str)
@pytest.mark.parametrize("quote", ["", '"'])
def test_calls_of_csv_keep_all_their_digits(calls: list[int], quote: str, tmp_path: Path) -> None:
    rows = [f"{quote}q{row}{quote},{call},a,0.5\n" for row, call in enumerate(calls)]
    (tmp_path / "run.csv").write_text("query_id,call,doc_id,score\n" + "".join(rows))
    convert(tmp_path / "run.csv", tmp_path / "run.jsonl", "run")
    assert [json.loads(line)["call"] for line in (tmp_path / "run.jsonl").read_text().splitlines()] == calls


@pytest.mark.parametrize(("calls", "wrong"), [([0, 1], 0), ([0], 0), ([-1, 2], -1), ([1, 100_001], 100_001)])
def test_a_call_that_json_has_no_place_for_becomes_no_other_one(
    calls: list[int], wrong: int, tmp_path: Path
) -> None:
    run = [{"query_id": "q", "call": call, "doc_id": "a", "score": 1.0} for call in calls]
    with pytest.raises(tr.InputError, match=f"query q has call {wrong}: JSON holds 1 to 100,000"):
        convert(run, tmp_path / "run.json", "run")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("ending", ["csv", "parquet", "trec"])
def test_a_last_call_that_returned_nothing_is_not_lost(ending: str, tmp_path: Path) -> None:
    run = {"q": [["a"], [], ["b"]], "r": [["c"], [], []]}
    with pytest.raises(
        tr.InputError, match=rf"the last call of query r, call 3, .* which {ending} cannot say; jsonl, json can"
    ):
        convert(run, tmp_path / f"run.{ending}", "run")
    assert not list(tmp_path.iterdir())
    convert({"q": run["q"]}, tmp_path / f"run.{ending}", "run")
    convert(run, tmp_path / "run.jsonl", "run")
    assert tr.read(QRELS, tmp_path / "run.jsonl").hits.calls.number.tolist() == [1, 2, 3, 1, 2, 3]


def test_the_second_column_of_trec_is_no_call_unless_it_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "run.trec"
    path.write_text("q 1 a 1 2.0 tag\nq 2 b 1 1.0 tag\n")
    assert tr.evaluate(QRELS, path, "SetR").mean == {"SetR": 0.5}
    with pytest.raises(
        tr.MeasureError, match=r"CallRecall@1 is about several lists per query, and the run has one"
    ):
        tr.evaluate(QRELS, path, "CallRecall@1")


@pytest.mark.parametrize(
    ("run", "why"),
    [
        ({"q": [["a"], ["b", "c"]], "r": ["c"]}, "some queries have several lists"),
        ({"q": ["a"], "r": [["c"], ["b", "c"]]}, "some queries have several lists"),
        ({"query_id": ["q"], "doc_id": ["a"], "score": [1.0], "call": [0]}, "query q has call 0; calls are"),
        ({"query_id": ["q"], "doc_id": ["a"], "score": [1.0], "call": [1.5]}, "1.5 is no number of a call"),
        ({"query_id": ["q", "q"], "doc_id": ["a", "a"], "score": [1, 2], "call": [1, 1]}, "returned twice"),
        ({"q": [["a", "a"]]}, r"document a is returned twice for query q \(call 1\)"),
    ],
)
def test_what_is_unclear_is_refused(run: Any, why: str) -> None:
    with pytest.raises(tr.InputError, match=why):
        tr.evaluate(QRELS, run, "CallRecall@1")


def test_lines_of_a_contest_have_one_list_each() -> None:
    with pytest.raises(tr.InputError, match="here one list is needed"):
        tr.evaluate(QRELS, {"q": [["a"], ["b"]]}, "CallRecall@1", rules={"unit": "line", "missing": "skip"})


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("run.csv", "query_id,doc_id,score,call\nq,a,1,1\nq,b,1,x\n", "run.csv:3: 'x' is no number"),
        ("run.csv", "query_id,doc_id,score,call\nq,a,1,1\nq,b,1,-1\n", "run.csv:3: query q has call -1"),
        ("run.csv", "query_id,doc_id,score,call\nq,a,1,1\nq,b,1,1e300\n", "run.csv:3: 1e+300 is no number of a"),
        ("run.jsonl", '{"query_id": "q", "call": 0, "docs": ["a"]}\n', "run.jsonl:1: query q has call 0"),
        ("run.jsonl", '{"query_id": "q", "call": "1", "docs": ["a"]}\n', "run.jsonl:1: a number should stand"),
        (
            "run.jsonl",
            '{"query_id": "q", "docs": [["a"]], "scores": [[1], [2]]}\n',
            "run.jsonl:1: there is 1 list of",
        ),
        ("run.csv", "query_id,doc_id,score,call,Call\nq,a,1,1,1\n", "2 columns have one name"),
    ],
)
def test_a_wrong_call_is_told_with_its_line(name: str, text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(tr.InputError, match=re.escape(why)):
        tr.evaluate(QRELS, tmp_path / name, "CallRecall@1")


@pytest.mark.parametrize("call", ["Q0", "-1", "1" * 20])
def test_trec_says_which_line_has_no_call(call: str, tmp_path: Path) -> None:
    path = tmp_path / "run.trec"
    path.write_text(f"q 1 a 1 2.0 tag\n#a comment\n\nq {call} b 1 1.0 tag\n")
    with pytest.raises(tr.InputError, match=rf"run\.trec:4: the second column holds '{call}'"):
        tr.evaluate(QRELS, tr.formats.open_run(path, "trec(second='call')"), "CallRecall@1")


def test_what_takes_one_list_says_so() -> None:
    for ask in (
        lambda: tr.agreement(LISTS, LISTS),
        lambda: tr.read(None, LISTS),
    ):
        with pytest.raises(SeveralCalls, match="the run has several lists per query"):
            ask()
    saved = tr.read(QRELS, LISTS, keep="all")
    for ask in (
        lambda: tr.agreement(saved, saved),
        lambda: confusion(QRELS, LISTS, k=1),
        lambda: tr.bounds(QRELS, LISTS, "AP"),
        lambda: tr.judge_next(QRELS, LISTS, LISTS, "AP"),
    ):
        with pytest.raises(tr.MeasureError, match="say calls = 'concatenated'"):
            ask()
    with pytest.raises(tr.MeasureError, match="what unjudged documents could change is not covered for SessionDCG"):
        tr.bounds(QRELS, LISTS, "SessionDCG")
    rules = {"calls": "concatenated"}
    assert tr.judge_next(QRELS, LISTS, {"q": [["b"]], "r": [["c"]]}, "AP", rules=rules).candidates
    assert tr.bounds(QRELS, LISTS, "AP", rules=rules).unjudged["AP"].best is not None
    assert confusion(QRELS, LISTS, k=9, rules=rules).micro.tp == 3


def test_lint_looks_at_what_each_call_adds() -> None:
    assert [finding.severity for finding in lint(QRELS, LISTS)] == ["note"]  # of what is unjudged
    twice = {"q": [["a", "a"], ["a", "b", "c"]], "r": [["c"], ["d"]]}
    assert [finding.kind for finding in lint(QRELS, twice) if finding.severity == "error"] == ["duplicate-document"]


def test_hits_know_their_calls() -> None:
    hits = tr.rank(QRELS, LISTS)
    assert (hits.call.tolist(), hits.rank.tolist()) == ([1, 2, 3], [2, 3, 2])
    assert hits.to_dict()["call"] == [1, 2, 3]
    assert hits.to_polars()["call"].to_list() == [1, 2, 3]
    assert "call" in str(hits)
    assert "call" not in tr.rank(QRELS, {"q": ["a"]}).to_dict()


def test_parts_that_share_a_query_are_refused() -> None:
    parts = [tr.read(QRELS, {"q": [[("a", 1.0)], [("b", 1.0), ("c", 0.5), ("d", 0.1)]]}) for _ in range(2)]
    with pytest.raises(tr.InputError, match="the lists of query q are in several parts: read them together"):
        tr.merge(parts)
    with pytest.raises(tr.InputError, match="queries have one list here, and several in other parts"):
        tr.merge([parts[0], tr.read(QRELS, {"r": ["c"]})])


def test_calls_of_a_query_may_be_in_several_files(tmp_path):
    (tmp_path / "1.jsonl").write_text('{"query_id": "q", "call": 1, "docs": ["a"]}\n')
    (tmp_path / "2.jsonl").write_text('{"query_id": "q", "call": 2, "docs": ["c"]}\n')
    assert tr.evaluate({"q": ["c"]}, tmp_path, "CallRecall@2").mean == {"CallRecall@2": 1.0}
