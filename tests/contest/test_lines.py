"""A contest's own reading: a row a submitted line, under the id that the line answers."""

from __future__ import annotations

from pathlib import Path

import pytest

import truerank as tr
from truerank.contest import judge
from truerank.core.evaluate import evaluate, rank
from truerank.core.reading import Keep

TRUTH = {"1": ["a"], "2": ["b", "c"], "3": []}
LINES = [("2", ["b"]), ("1", ["x", "a"]), ("2", ["c", "b"])]


def test_a_reading_of_lines_has_a_row_a_line_in_the_order_of_the_submission():
    reading = tr.read(TRUTH, LINES, rules="science-qa")
    assert list(reading.rows.queries) == [b"2", b"1", b"2"]
    assert reading.docs(reading.hits.doc) == [b"b", b"a", b"c", b"b"]
    assert reading.rows.returned.tolist() == [1, 2, 2]


def test_a_reading_of_lines_keeps_unjudged_documents_where_they_are_asked_for():
    reading = tr.read(TRUTH, LINES, rules="science-qa", keep="all")
    assert reading.docs(reading.rows.doc) == [b"b", b"x", b"a", b"c", b"b"]


def test_hits_and_scores_name_the_ids_that_were_submitted():
    assert list(rank(TRUTH, LINES, rules="science-qa").queries) == [b"2", b"1", b"2"]
    assert list(evaluate(TRUTH, LINES, rules="science-qa").queries) == ["2", "1", "2"]


def test_each_line_of_a_query_has_the_aspects_of_its_judgements():
    truth = {"1": {"a": {"1": 1, "2": 1}, "b": {"2": 1}, "c": {"3": 1}}, "2": {"c": {"1": 1}}}
    lines = [("2", ["x", "c"]), ("1", ["a", "b", "c"]), ("2", ["x", "c"]), ("1", ["b"])]
    found = evaluate(truth, lines, "StRecall@2 alpha_nDCG@3", rules="science-qa")
    assert found["StRecall@2"].tolist() == [1, 2 / 3, 1, 1 / 3]
    alone = evaluate(truth, dict(lines[:2]), "alpha_nDCG@3")["alpha_nDCG@3"].tolist()
    assert found["alpha_nDCG@3"].tolist()[:3] == [alone[1], alone[0], alone[1]]


@pytest.mark.parametrize("self_match", ["remove", "remove-from-answers"])
def test_a_document_with_the_id_of_the_query_leaves_each_of_its_lines(self_match: str):
    rules = tr.Rules.named("science-qa").replace(self_match=self_match, extra="skip")
    found = evaluate({"q": {"q": 1, "a": 1}}, [("q", ["q", "a"]), ("q", ["a"])], "R@2", rules=rules)
    assert found["R@2"].tolist() == ([1, 1] if self_match == "remove" else [0.5, 0.5])


def test_a_line_that_the_rules_refuse_is_named_by_its_number():
    with pytest.raises(tr.InputError, match="document a is returned twice for query line 2"):
        evaluate(TRUTH, [*LINES[:1], ("1", ["a", "a"])], rules={"unit": "line", "missing": "skip"})


def test_lines_are_those_of_all_files_of_a_folder_and_of_all_pieces_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("truerank.formats.trec.PIECE", 1)  # so that threads would read pieces of it
    (tmp_path / "folder").mkdir()
    (tmp_path / "a.run").write_text("2 Q0 b 1 9 t\n1 Q0 x 1 9 t\n1 Q0 a 2 8 t\n")
    (tmp_path / "folder" / "1.run").write_text("2 Q0 b 1 9 t\n")
    (tmp_path / "folder" / "2.run").write_text("1 Q0 x 1 9 t\n1 Q0 a 2 8 t\n")
    for run in (tmp_path / "a.run", tmp_path / "folder"):
        found = evaluate(TRUTH, run, "RR", rules={"unit": "line", "missing": "skip"})
        assert (list(found.queries), found["RR"].tolist()) == (["2", "1"], [1, 0.5])


def test_rules_that_score_queries_without_a_line_have_no_mean_over_lines():
    with pytest.raises(tr.RulesError, match="unit = line and missing = zero do not go together"):
        tr.Rules(unit="line")


def test_the_files_of_one_submission_are_judged_together(tmp_path: Path):
    (tmp_path / "1.jsonl").write_text('{"query_id": "2", "docs": ["b"]}\n')
    (tmp_path / "2.jsonl").write_text('{"query_id": "1", "docs": ["x", "a"]}\n')
    files = [str(tmp_path / "1.jsonl"), str(tmp_path / "2.jsonl")]
    whole = judge(TRUTH, LINES[:2], rules="science-qa")
    for submission in (tmp_path, str(tmp_path / "*.jsonl"), files):
        assert judge(TRUTH, submission, rules="science-qa").mean == whole.mean


@pytest.mark.parametrize("duplicates", ["first", "last", "count", "once"])
@pytest.mark.parametrize("keep", ["judged", "all", 1])
def test_a_reading_of_lines_comes_back_from_its_file_as_it_was(duplicates: str, keep: Keep, tmp_path: Path):
    """To the last bit: sums are over lines in their order, and a document that two lines have is none repeated."""
    lines = [
        ("2", ["b", "x", "x"]),
        ("1", ["x", "a"]),
        ("9", ["a"]),
        ("2", ["c", "b", "x"]),
        ("2", ["b", "x", "b"]),
    ]
    lines += [("3", []), *lines[::-1]]
    rules = {"unit": "line", "missing": "skip", "ties": "input", "duplicates": duplicates}
    reading = tr.read(TRUTH, lines, rules=rules, keep=keep)
    reading.save(tmp_path / "lines.arrow")
    saved = tr.Reading.load(tmp_path / "lines.arrow")
    assert list(saved.rows.queries) == list(reading.rows.queries)
    assert saved.docs(saved.lists.doc) == reading.docs(reading.lists.doc)
    wanted = evaluate(reading, measures="AP RR nDCG@3 P@2")
    for found in (evaluate(saved, measures="AP RR nDCG@3 P@2"), evaluate(TRUTH, saved, "AP RR nDCG@3 P@2")):
        assert (found.mean, found.ledger) == (wanted.mean, wanted.ledger)
        assert all(found[measure].tolist() == wanted[measure].tolist() for measure in found)
    assert wanted.ledger.extra == evaluate(tr.merge([saved]), measures="AP").ledger.extra == 2, "two lines"


def test_readings_of_lines_are_not_merged_and_are_no_qrels(tmp_path: Path):
    """A query may have a line in each, and one without a line has no judgements there."""
    first, second = (tr.read(TRUTH, lines, rules="science-qa") for lines in (LINES[:2], LINES[2:]))
    for made in (tr.merge, tr.scattered):
        with pytest.raises(tr.RulesError, match="parts of a run are merged query by query; read all of its files"):
            made([first, second])
    first.save(tmp_path / "lines.arrow")
    with pytest.raises(tr.InputError, match=r"lines\.arrow: this reading has the judgements of the lines"):
        evaluate(tmp_path / "lines.arrow", {"1": ["a"]}, "AP")


def test_lines_of_which_none_is_judged_score_0_from_a_reading_and_from_its_file_too(tmp_path: Path):
    rules = tr.Rules.named("science-qa").replace(extra="skip")
    reading = tr.read(TRUTH, [("8", ["a"]), ("9", [])], rules=rules)
    reading.save(path := tmp_path / "lines.arrow")
    found = [tr.evaluate(reading, measures="RR"), *(tr.evaluate(TRUTH, run, "RR") for run in (reading, path))]
    assert [scores.mean for scores in found] == [{"RR": 0}] * 3


@pytest.mark.parametrize("measure", ["ERR", "RBP(gain='graded')", "INST"])
def test_the_highest_grade_is_that_of_all_queries_whichever_a_submission_answers(measure: str, tmp_path: Path):
    truth, lines, rules = {"q": {"a": 1}, "r": {"b": 4}}, [("q", ["x", "a"])], {"unit": "line", "missing": "skip"}
    by_query = evaluate(truth, dict(lines), measure, rules={"missing": "skip"}).mean
    assert evaluate(truth, lines, measure, rules=rules).mean == by_query
    assert {measure: tr.explain(truth, lines, "q", measure, rules=rules).value} == by_query
    tr.read(truth, lines, rules=rules).save(tmp_path / "one.arrow")
    assert evaluate(tr.Reading.load(tmp_path / "one.arrow"), measures=measure).mean == by_query


def test_a_line_is_explained_with_the_aspects_of_its_judgements():
    truth = {"1": {"a": {"1": 1, "2": 1}, "b": {"3": 1}}, "2": {"c": {"1": 1}}}
    found = tr.explain(truth, [("2", ["x"]), ("1", ["a"])], "1", "StRecall@2", rules="science-qa")
    assert found.value == 2 / 3
