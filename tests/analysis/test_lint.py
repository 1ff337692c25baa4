"""Lint: every kind of finding from a tiny file, with its line; and none from clean ones."""

from __future__ import annotations

import ast
import gzip
import json
import math
import random
from pathlib import Path

import pytest
from click.testing import CliRunner

import truerank as tr
from truerank.analysis.lint import Finding, lint
from truerank.analysis.lint.ids import all_bare, bare, difference
from truerank.cli import truerank

ROBUST = Path(__file__).parents[3] / "shared" / "data" / "robust03"

QRELS = b"1 0 a 1\n1 0 b 0\n2 0 c 1\n2 0 d 0\n"
RUN = b"1 Q0 a 1 2.5 t\n1 Q0 b 2 1.5 t\n2 Q0 c 1 2.5 t\n2 Q0 d 2 1.5 t\n"


@pytest.fixture
def look(tmp_path):
    """Lints the bytes of qrels and runs; asserts nothing."""

    def lint_bytes(qrels: bytes, *runs: bytes, **options: object) -> list[Finding]:
        paths = [tmp_path / "qrels.txt", *(tmp_path / f"{i}.run" for i in range(len(runs)))]
        for path, content in zip(paths, (qrels, *runs), strict=True):
            path.write_bytes(content)
        return lint(*paths, **options)

    return lint_bytes


def kinds(findings: list[Finding]) -> set[str]:
    return {finding.kind for finding in findings}


def the(kind: str, findings: list[Finding]) -> Finding:
    (finding,) = (finding for finding in findings if finding.kind == kind)
    return finding


def with_line(content: bytes, line: bytes, at: int = 5) -> bytes:
    lines = content.splitlines(keepends=True)
    return b"".join([*lines[: at - 1], line + b"\n", *lines[at - 1 :]])


def test_clean_files_give_no_findings(look):
    assert look(QRELS, RUN, RUN) == []


def test_qrels_alone_can_be_linted(look):
    assert look(QRELS) == []


@pytest.mark.parametrize(
    "run",
    [
        RUN.replace(b" ", b"\t"),
        b"# a comment\n\n" + RUN,
        RUN.rstrip(b"\n"),
        RUN.replace(b" 1 2.5", b" 0 +2.5e0").replace(b" 2 1.5", b" 1 -.5"),
        b"".join(sorted(RUN.splitlines(keepends=True), reverse=True)),
    ],
    ids=["tabs", "comments", "no last newline", "ranks from zero", "worst first"],
)
def test_unusual_but_right_runs_give_no_findings(look, run):
    assert look(QRELS, run) == []


def test_equal_ranks_do_not_contradict_any_score(look):
    assert look(QRELS, RUN.replace(b" 2 1.5", b" 1 1.5")) == []


def test_ties_between_documents_of_one_grade_do_not_matter(look):
    qrels, run = QRELS + b"1 0 x 0\n2 0 x 0\n", RUN + b"1 Q0 x 3 1.5 t\n2 Q0 x 3 1.5 t\n"
    grouped = b"".join(sorted(run.splitlines(keepends=True)))
    assert look(qrels, grouped) == []


IN_RUN = {
    "columns": (with_line(RUN, b"2 Q0 x 3 0.5"), "error", 5),
    "header": (with_line(RUN, b"query_id Q0 doc_id rank score tag", 1), "error", 1),
    "control-character": (with_line(RUN, b"1 Q0 x\x01y 3 0.5 t", 3), "error", 3),
    "long-line": (with_line(RUN, b"1 Q0 " + b"x" * (1 << 20) + b" 3 0.5 t", 3), "error", 3),
    "crlf": (RUN.replace(b"\n", b"\r\n"), "note", 1),
    "bom": (b"\xef\xbb\xbf" + RUN, "warning", 1),
    "score-no-number": (with_line(RUN, b"2 Q0 x 3 high t"), "error", 5),
    "score-not-finite": (with_line(RUN, b"2 Q0 x 3 nan t"), "error", 5),
    "duplicate-document": (with_line(RUN, b"1 Q0 a 3 0.5 t", 3), "error", 3),
    "rank-order": (RUN.replace(b"c 1", b"c 2").replace(b"d 2", b"d 1"), "warning", 3),
    "rank-no-number": (RUN.replace(b"c 1", b"c first"), "note", 3),
    "tags": (RUN.replace(b"1 2.5 t\n2", b"1 2.5 t\n2").replace(b"d 2 1.5 t", b"d 2 1.5 u"), "warning", 4),
    "interleaved": (b"".join(RUN.splitlines(keepends=True)[i] for i in (0, 2, 1, 3)), "note", 3),
    "missing-queries": (RUN[: RUN.index(b"2 Q0 c")], "warning", None),
    "extra-queries": (RUN + b"9 Q0 a 1 2 t\n9 Q0 b 2 1 t\n", "note", None),
    "no-judged-query": (RUN.replace(b"1 Q0", b"x Q0").replace(b"2 Q0", b"y Q0"), "error", None),
    "swapped": (QRELS, "error", 1),
    "no-rows": (b"# nothing\n", "error", None),
}

IN_QRELS = {
    "columns": (with_line(QRELS, b"2 0 x"), "error", 5),
    "header": (with_line(QRELS, b"qid iter docno rel", 1), "error", 1),
    "control-character": (with_line(QRELS, b"1 0 x\x02 0", 2), "error", 2),
    "crlf": (QRELS.replace(b"\n", b"\r\n"), "note", 1),
    "bom": (b"\xef\xbb\xbf" + QRELS, "warning", 1),
    "grade-no-number": (with_line(QRELS, b"2 0 x yes"), "error", 5),
    "grade-not-finite": (with_line(QRELS, b"2 0 x inf"), "error", 5),
    "duplicate-judgement": (with_line(QRELS, b"2 0 c 0"), "error", 5),
    "second-column": (with_line(QRELS, b"2 7 x 0"), "note", None),
    "negative-grade": (with_line(QRELS, b"2 0 x -1"), "note", 5),
    "fractional-grade": (with_line(QRELS, b"2 0 x 0.5"), "warning", 5),
    "large-grade": (with_line(QRELS, b"2 0 x 1000000000"), "warning", 5),
    "self-match": (with_line(QRELS, b"2 0 2 0"), "warning", 5),
    "no-relevant-grade": (QRELS.replace(b" 1\n", b" 0\n"), "error", None),
    "no-relevant-document": (QRELS.replace(b"c 1", b"c 0"), "warning", None),
    "swapped": (RUN, "error", 1),
    "no-rows": (b"# nothing\n", "error", None),
}


@pytest.mark.parametrize("kind", IN_RUN)
def test_a_fault_of_a_run_is_found_in_its_line_and_nothing_else(look, kind):
    content, severity, line = IN_RUN[kind]
    (finding,) = look(QRELS, content)
    assert (finding.kind, finding.severity, finding.line) == (kind, severity, line)
    assert finding.path.endswith("0.run")


@pytest.mark.parametrize("kind", IN_QRELS)
def test_a_fault_of_qrels_is_found_in_its_line_and_nothing_else(look, kind):
    content, severity, line = IN_QRELS[kind]
    (finding,) = look(content)
    assert (finding.kind, finding.severity, finding.line) == (kind, severity, line)
    assert finding.path.endswith("qrels.txt")


def test_a_header_below_comments_is_found_in_its_line(look):
    run = b"# a comment\n\nquery_id Q0 doc_id rank score tag\n" + RUN
    assert the("header", look(QRELS, run)).line == 3


def test_judgements_that_are_null_are_counted_as_they_take_documents_out_of_lists(look):
    (finding,) = look(b'{"1": {"a": 1, "b": null}, "2": {"c": 1, "a": null}}')
    assert (finding.kind, finding.severity, finding.count) == ("ignored-judgement", "note", 2)


@pytest.mark.parametrize("score", [b"inf", b"-inf", b"1e400", b"NaN"])
def test_a_score_must_be_finite(look, score):
    assert the("score-not-finite", look(QRELS, RUN.replace(b"1.5", score, 1))).line == 2


@pytest.mark.parametrize("score", [b"1_000", b"0x10", b"1,5", b"--1"])
def test_a_score_must_be_a_number(look, score):
    assert the("score-no-number", look(QRELS, RUN.replace(b"1.5", score, 1))).line == 2


def test_a_nul_byte_in_a_text_file_is_found_in_its_line(look):
    run = b"".join(b"1 Q0 d%d %d %d t\n" % (i, i, -i) for i in range(50))
    assert the("control-character", look(QRELS, run.replace(b"d30 ", b"d\x0030 "))).line == 31


def test_lines_after_a_fault_are_counted_on(look):
    run = b"1 Q0 " + b"x" * (3 << 20) + b"\n# comment\n\n1 Q0 a 1\n" + RUN + b"2 Q0 d 3 1 t\n"
    findings = look(QRELS, run)
    assert {f.kind: f.line for f in findings} == {"long-line": 1, "columns": 4, "duplicate-document": 9}


def test_a_line_that_two_chunks_share_is_read_whole(look):
    rows = b"".join(b"q%d Q0 d%d 1 1.5 t\n" % (i, i) for i in range(40_000))
    judgements = b"".join(b"q%d 0 d%d 1\n" % (i, i) for i in range(40_000))
    assert look(judgements, rows) == []
    assert the("crlf", look(judgements, rows.replace(b"\n", b"\r\n"))).count == 40_000


SCRAPS = [b" ", b"\t", b"\n", b"\r", b"\r\n", b"#", b"\n#", b"x y", b'"']
SCRAPS += [b"\x01", b"\x0b", b"\x7f", b"\xff", b"\xef\xbb\xbf", b"\xc2\xa0"]
SCRAPS += [b"nan", b"1e400", b"1e-400", b"1_0", b"0x1p3", b"-", b".", b"e", b"0", b"1", b"a"]


def damaged(rng: random.Random, text: bytes) -> bytes:
    """The text with scraps put in, or put in place of something; perhaps with a line doubled."""
    for _ in range(rng.choice([1, 1, 2, 3])):
        start = rng.randrange(len(text) + 1)
        end = start + rng.choice([0, 0, 1, 5])
        text = text[:start] + rng.choice(SCRAPS) + text[end:]
    return text + rng.choice([b"", rng.choice(text.splitlines(keepends=True))])


@pytest.mark.parametrize("seed", range(8))
def test_lint_finds_errors_exactly_where_evaluation_refuses(look, tmp_path, seed):
    rng = random.Random(seed)
    about_ids = {"document-ids", "query-ids", "no-judged-query", "rising-scores", "no-relevant-grade"}
    refusals = 0
    for _ in range(40):
        qrels, run = (damaged(rng, QRELS), RUN) if rng.random() < 0.4 else (QRELS, damaged(rng, RUN))
        errors = {f.kind for f in look(qrels, run) if f.severity == "error"} - about_ids
        try:
            tr.evaluate(tmp_path / "qrels.txt", tmp_path / "0.run")
            refused = False
        except tr.InputError:
            refused = True
        assert refused == bool(errors), (qrels, run, errors)
        refusals += refused
    assert 5 < refusals < 40


def test_duplicate_documents_are_named_with_both_lines(look):
    run = with_line(RUN, b"1 Q0 a 3 0.5 t", 3)
    finding = the("duplicate-document", look(QRELS, run))
    assert finding.message == "document a is returned twice for query 1, first in line 1"


def test_duplicate_judgements_are_named_with_both_lines_and_grades(look):
    finding = the("duplicate-judgement", look(with_line(QRELS, b"1 0 b 1")))
    assert finding.message == "document b of query 1 is judged twice, first in line 2: grades 0 and 1"


def test_rows_of_aspects_are_no_duplicates_where_the_second_column_names_them(tmp_path):
    qrels = tmp_path / "q.qrels"
    qrels.write_text("1 a x 1\n1 b x 2\n1 c y 0\n")
    by_column = {str(f.message) for f in lint(str(qrels), rules={"iteration": "aspect"})}
    assert by_column == {"1 of 3 aspects without a relevant document (measures of aspects leave them out): 1 c"}
    plain = the("duplicate-judgement", lint(str(qrels)))
    assert plain.message.endswith("the second columns differ: if they name aspects, say --set iteration=aspect")
    qrels.write_text("1 a x 1\n1 a x 2\n")
    assert the("duplicate-judgement", lint(str(qrels), rules={"iteration": "aspect"})).line == 2


def test_faults_that_come_often_are_counted_and_the_first_five_shown(look):
    finding = the("columns", look(QRELS, RUN + b"1 Q0 x\n" * 7))
    assert (finding.line, finding.count, len(finding.examples)) == (5, 7, 5)
    assert finding.message.endswith("(7 lines; also line 6, 7, 8, 9, …)")


def test_a_finding_prints_as_editors_read_it(look):
    finding = the("columns", look(QRELS, RUN + b"1 Q0 x\n"))
    assert str(finding) == f"{finding.path}:5: error: {finding.message} [columns]"


def test_errors_come_first_then_warnings_then_notes(look):
    run = RUN.replace(b"\n", b"\r\n").replace(b"d 2 1.5 t", b"d 2 1.5 u") + b"1 Q0\n"
    assert [f.severity for f in look(QRELS, run)] == ["error", "warning", "note"]


def test_odd_bytes_are_shown_escaped(look):
    run = RUN + b"2 Q0 \xff\xc2\x9b 3 1 t\n2 Q0 \xff\xc2\x9b 4 0.5 t\n"
    assert r"document \xff\x9b is returned twice" in the("duplicate-document", look(QRELS, run)).message


def test_odd_file_names_are_shown_escaped(tmp_path):
    path = tmp_path / "a\nb.txt"
    path.write_bytes(QRELS.replace(b"c 1", b"c -1"))
    assert all(f.path.endswith("a\\nb.txt") for f in lint(path))


def test_long_ids_are_cut(look):
    run = RUN + b"2 Q0 %b 3 1 t\n" % (b"x" * 10_000) * 2
    assert len(the("duplicate-document", look(QRELS, run)).message) < 300


RISING = b"".join(b"%d Q0 d%d %d %d t\n" % (q, i, i, i) for q in (1, 2) for i in (1, 2, 3))


def test_scores_that_rise_with_the_rank_are_suspected_to_be_distances(look):
    findings = look(QRELS, RISING)
    assert (the("rising-scores", findings).line, the("rising-scores", findings).severity) == (1, "error")
    assert "rank-order" not in kinds(findings)


def test_one_rising_query_among_many_is_a_contradiction(look):
    falling = b"".join(b"f%d Q0 d%d %d %d t\n" % (q, i, i, -i) for q in range(20) for i in (1, 2, 3))
    findings = look(QRELS, RISING + falling)
    assert the("rank-order", findings).count == 2
    assert "rising-scores" not in kinds(findings)


def test_contradictions_of_ranks_are_counted_by_query(look):
    run = RUN.replace(b" 1 2.5", b" 2 2.5").replace(b" 2 1.5", b" 1 1.5")
    finding = the("rank-order", look(QRELS, run))
    assert (finding.line, finding.count) == (1, 2)
    assert "rank 2 has the score 2.5, better than 1.5 at rank 1" in finding.message


def test_equal_scores_of_all_documents_are_found(look):
    findings = look(QRELS, RUN.replace(b"d 2 1.5", b"d 2 2.5"))
    assert the("equal-scores", findings).line == 3
    assert kinds(findings) == {"equal-scores", "ties"}
    run = {"1": {"a": 2.5, "b": 1.5}, "2": {"c": 2.5, "d": 2.5}}
    assert the("equal-scores", lint({"1": {"a": 1}, "2": {"c": 1}}, run)).count == 1


def test_ties_that_matter_are_named_with_the_range_of_each_measure(look):
    tied = RUN.replace(b"d 2 1.5", b"d 2 2.5")
    finding = the("ties", look(QRELS, tied, measures="RR P@10"))
    assert finding.examples == ("2",)
    assert finding.message == (
        "the order of equal scores decides on 1 of 2 queries (best … worst: RR 1.0000 … 0.7500): 2"
    )


@pytest.mark.parametrize("measure", ["Judged@1", "Unjudged@1", "RBPResidual@1", "Bpref"])
def test_ties_that_decide_what_is_judged_at_the_top_matter_as_in_the_ledger(measure):
    run = {"1": {"a": 1.0, "x": 1.0, "b": 1.0}, "2": {"d": 2.0, "x": 1.0, "y": 1.0}}
    assert tr.evaluate(TRUTH, run, measure).ledger.examples["tied"] == ("1",)
    assert the("ties", lint(TRUTH, run, measures=measure)).examples == ("1",)


def test_the_best_of_a_measure_of_which_less_is_better_is_the_lowest():
    finding = the("ties", lint(TRUTH, {**ANSWERS, "1": {"a": 1.0, "x": 1.0}}, measures="Unjudged@1"))
    assert "Unjudged@1 0.0000 … 0.5000" in finding.message


def test_ties_do_not_matter_where_the_order_of_lines_decides(look):
    assert look(QRELS, RUN.replace(b"d 2 1.5", b"d 2 2.5"), rules={"ties": "input"}) == []


def test_ties_below_the_depth_that_counts_do_not_matter(look):
    run = with_line(with_line(RUN, b"1 Q0 c 3 1.5 t", 3), b"1 Q0 d 4 0.5 t", 4)
    qrels = QRELS + b"1 0 c 1\n1 0 d 0\n"
    assert "ties" in kinds(look(qrels, run))
    assert "ties" not in kinds(look(qrels, run, rules={"depth": 1}))


def test_a_distance_matrix_without_ranks_is_suspected_too():
    run = {f"q{i}": {"a": 0.1, "b": 0.2, "c": 0.3} for i in range(3)}
    qrels = {f"q{i}": {"a": 1, "b": 0, "c": 0} for i in range(3)}
    assert kinds(lint(qrels, run)) == {"rising-scores"}


def test_a_few_lists_without_ranks_may_rise_by_chance(look):
    qrels = {f"q{i}": {"a": 1, "b": 0, "c": 0} for i in range(3)}
    for number, severity in ((1, "warning"), (2, "warning"), (3, "error")):
        some = dict(list(qrels.items())[:number])
        finding = the("rising-scores", lint(some, {query: {"a": 0.1, "b": 0.2, "c": 0.3} for query in some}))
        assert finding.severity == severity
    ranked = b"1 Q0 a 1 0.1 t\n1 Q0 b 2 0.2 t\n1 Q0 c 3 0.3 t\n"
    assert the("rising-scores", look(b"1 0 a 1\n1 0 b 0\n1 0 c 0\n", ranked)).severity == "error"


def test_results_that_nobody_judged_are_noted_with_their_share_of_those_that_came_back(look):
    finding = the("unjudged", look(QRELS, with_line(RUN, b"2 Q0 x 3 0.5 t")))
    assert (finding.severity, finding.count, finding.examples) == ("note", 1, ("2",))
    said = "20.0% of the results that were returned among the first 10 are unjudged; they count as not relevant"
    assert finding.message.startswith(said)


def test_what_becomes_of_unjudged_results_is_said_as_the_rules_have_it(look):
    finding = the("unjudged", look(QRELS, with_line(RUN, b"2 Q0 x 3 0.5 t"), rules={"unjudged": "removed"}))
    assert "are unjudged; they are left out; worst queries: 2" in finding.message


def test_few_judged_results_are_a_warning(look):
    extra = b"".join(b"2 Q0 x%d %d 0 t\n" % (i, i) for i in range(3, 11))
    assert the("unjudged", look(QRELS, RUN + extra)).severity == "warning"


def test_qrels_of_relevant_documents_only_make_no_warning_of_unjudged_ones(look):
    extra = b"".join(b"2 Q0 x%d %d 0 t\n" % (i, i) for i in range(3, 11))
    finding = the("unjudged", look(b"1 0 a 1\n2 0 c 1\n", RUN + extra))
    assert (finding.severity, "only relevant" in finding.message) == ("note", True)


def test_judgements_below_zero_do_not_count_as_judged(look):
    findings = look(QRELS.replace(b"d 0", b"d -1"), RUN)
    assert the("unjudged", findings).examples == ("2",)


THREE_QRELS = b"".join(b"%d 0 d%d 1\n" % (q, d) for q in range(1, 4) for d in range(3))


def run_of_depths(*depths: int) -> bytes:
    return b"".join(b"%d Q0 d%d %d %d t\n" % (q, d, d, -d) for q, n in enumerate(depths, 1) for d in range(n))


def test_queries_with_fewer_results_than_the_others_are_noted(look):
    finding = the("shallow", look(THREE_QRELS, run_of_depths(3, 1, 3)))
    assert (finding.line, finding.count, finding.severity) == (4, 1, "note")


def test_queries_with_more_results_than_the_others_are_noted(look):
    finding = the("deep", look(THREE_QRELS, run_of_depths(2, 2, 3)))
    assert (finding.line, finding.count) == (5, 1)


def test_runs_without_a_usual_number_of_results_are_not_noted(look):
    assert look(THREE_QRELS, run_of_depths(1, 2, 3)) == []


def test_queries_that_return_themselves_are_found(look):
    finding = the("self-match", look(QRELS + b"2 0 2 0\n", with_line(RUN, b"2 Q0 2 3 0.5 t"))[1:])
    assert (finding.line, finding.severity) == (5, "warning")


def test_one_query_in_hundred_that_returns_itself_is_only_noted(look):
    run = b"".join(b"q%d Q0 d%d 1 1 t\n" % (q, q) for q in range(99)) + b"7 Q0 7 1 1 t\n"
    assert the("self-match", look(QRELS, run)).severity == "note"


def test_a_rule_that_removes_self_matches_settles_them(look):
    findings = look(QRELS, with_line(RUN, b"2 Q0 2 3 0.5 t"), rules={"self_match": "remove"})
    assert "self-match" not in kinds(findings)
    assert "self-match" not in kinds(look(QRELS + b"2 0 2 0\n", RUN, rules={"self_match": "remove"}))


def test_a_judgement_of_the_query_itself_that_no_answer_can_meet_is_told_of(look):
    rules = {"self_match": "remove-from-answers"}
    finding = the("self-match", look(QRELS + b"2 0 2 1\n", RUN, rules=rules))
    assert (finding.severity, finding.line, finding.count) == ("warning", 5, 1)
    assert "query 2 is judged relevant to it, as in 1 of 2 queries, but leaves the answers alone" in finding.message
    assert "self-match" not in kinds(look(QRELS + b"2 0 2 0\n", RUN, rules=rules))
    assert "self-match" not in kinds(look(QRELS + b"2 0 2 1\n", RUN, rules=rules | {"level": 2}))


def test_a_level_that_no_grade_reaches_is_an_error(look):
    finding = the("level-unreached", look(QRELS, rules={"level": 2}))
    assert (finding.severity, "2" in finding.message) == ("error", True)
    half = the("level-unreached", look(b"1 0 a 0.5\n", rules="catboost"))
    assert "highest grade is 0.5, but only grades from 0.5000000000000001 on" in half.message


def test_nothing_is_said_to_be_irrelevant_that_the_level_takes(look):
    assert look(b"1 0 a 0\n", rules={"level": 0}) == []
    assert "no-relevant-grade" in kinds(look(b"1 0 a 0\n", rules={"level": 0.5}))
    finding = the("no-relevant-grade", look(b"1 0 a 0\n", rules={"without_relevant": "one"}))
    assert finding.message.endswith("(scored 1)")


ALIKE = [
    (b"DOC-1", b"doc-1", "case"),
    ("café".encode(), "cafe\u0301".encode(), "Unicode form"),
    ("É".encode(), "é".encode(), "case"),
    (b"img_7.jpg", b"img_7", "file extension"),
    (b"img_7.jpg", b"img_7.png", "file extension"),
    (b"0042", b"42", "leading zeros"),
    (b"d002", b"d2", "leading zeros"),
    (b"docs/5.txt", b"5", "folders and file extension"),
    (b"docs\\5.txt", b"all/docs/5.txt", "folders"),
    (b"42", b"42.0", "a trailing .0"),
    (b'"d1"', b"d1", "quotes"),
    (b" d1", b"d1", "white space"),
    (b"IMG.JPG", b"img", "case and file extension"),
]


@pytest.mark.parametrize(("one", "two", "what"), ALIKE)
def test_the_difference_between_two_ways_to_write_an_id_is_named(one, two, what):
    assert bare(one) == bare(two)
    assert difference(one, two) == difference(two, one) == what


@pytest.mark.parametrize(
    ("one", "two"),
    [
        *((b"d.1", b"d.2"), (b"v1.05", b"v1.5"), (b"d20", b"d2"), (b"a", b"b"), (b"0", b"00a")),
        *((b".jpg", b".png"), (b"1.5", b"1.0"), (b"a.0", b"a")),
    ],
)
def test_different_ids_stay_different(one, two):
    assert bare(one) != bare(two)


@pytest.mark.parametrize(("judged", "returned", "what"), [case for case in ALIKE if b" " not in case[0]])
def test_documents_that_would_be_found_if_ids_agreed_are_counted(look, judged, returned, what):
    findings = look(QRELS.replace(b" c ", b" %b " % judged), RUN.replace(b" c ", b" %b " % returned))
    finding = the("document-ids", findings)
    assert (finding.severity, finding.line, finding.count) == ("error", 3, 1)
    assert f"(other {what}); 1 more of 4 judged would be found" in finding.message


def test_queries_that_would_be_answered_if_ids_agreed_are_counted(look):
    findings = look(QRELS, RUN.replace(b"2 Q0", b"02 Q0"))
    finding = the("query-ids", findings)
    assert (finding.severity, finding.line, finding.count) == ("error", 3, 1)
    assert finding.message == (
        "query 02 is judged as 2 (other leading zeros); 1 of 1 unanswered would be answered if ids agreed"
    )
    assert kinds(findings) == {"query-ids", "missing-queries", "extra-queries"}


def test_documents_are_compared_even_where_query_ids_differ(look):
    findings = look(QRELS, RUN.replace(b"2 Q0", b"02 Q0").replace(b" c ", b" C "))
    assert kinds(findings) >= {"query-ids", "document-ids"}


def test_documents_none_of_which_is_judged_are_shown_beside_those_that_are(look):
    finding = the("no-judged-document", look(QRELS, RUN.replace(b"Q0 ", b"Q0 doc:")))
    assert (finding.severity, finding.line, finding.count) == ("warning", 1, 2)
    assert finding.message == ("no returned document is judged: doc:a is returned for query 1, but a is judged")
    upper = look(QRELS, b"".join(b"%b Q0 %b 1 1 t\n" % pair for pair in [(b"1", b"A"), (b"2", b"C")]))
    assert "document-ids" in kinds(upper)  # which says more
    assert "no-judged-document" not in kinds(upper)
    assert "no-judged-document" not in kinds(look(QRELS, RUN.replace(b"2 Q0 ", b"2 Q0 doc:")))


def test_a_grade_that_a_measure_cannot_sum_is_found_with_its_line(look):
    """From here on judgements are sorted in another way."""
    qrels = b"".join(b"1 0 d%d %d\n" % (i, i % 2) for i in range(2000)) + b"1 0 z 1e308\n2 0 z 1e308\n"
    findings = look(qrels, RUN, measures="nDCG AP")
    assert {"large-grade", "measure"} <= kinds(findings)
    assert the("large-grade", findings).line == 2001
    assert the("measure", findings).severity == "error"
    assert "1e+308 is too large to be summed" in the("measure", findings).message


def test_a_document_that_was_judged_as_it_is_written_means_no_other(look):
    qrels = QRELS + b"2 0 C 0\n"
    assert "document-ids" not in kinds(look(qrels, RUN))


def test_documents_of_one_name_in_different_folders_are_different(look):
    findings = look(QRELS.replace(b" c ", b" a/1.html "), RUN.replace(b" c ", b" b/1.html "))
    assert "document-ids" not in kinds(findings)


@pytest.mark.parametrize("extra", ["", "é", "/", "\n"])
def test_many_ids_are_made_bare_as_one_is(extra):
    rng = random.Random(5)
    names = ["".join(rng.choices(f"0019aAzZ-_{extra}", k=rng.randint(1, 6))).encode() for _ in range(2000)]
    assert all_bare(names) == list(map(bare, names))


def test_duplicates_are_found_across_scattered_rows(look):
    findings = look(QRELS, RUN + b"1 Q0 a 3 0.5 t\n")
    assert {f.kind: f.line for f in findings} == {"duplicate-document": 5, "interleaved": 5}
    assert "first in line 1" in the("duplicate-document", findings).message


def test_the_order_of_rows_changes_no_count(look):
    rng = random.Random(3)
    rows = [b"%d Q0 d%d 1 %d t\n" % tuple(map(rng.randrange, (9, 9, 5))) for _ in range(200)]
    repeated = len(rows) - len({tuple(row.split()[0:3:2]) for row in rows})
    for _ in range(5):
        rng.shuffle(rows)
        findings = look(QRELS, b"".join(rows))
        assert the("duplicate-document", findings).count == repeated
        assert the("interleaved", findings).count == 9


TRUTH = {"1": {"a": 1, "b": 0}, "2": {"c": 1, "d": 0}}
ANSWERS = {"1": {"a": 2.5, "b": 1.5}, "2": {"c": 2.5, "d": 1.5}}


def test_dicts_without_faults_give_no_findings():
    assert lint(TRUTH, ANSWERS, {"1": ["a", "b"], "2": ["c", "d"]}) == []


def test_rows_are_numbered_where_there_are_no_lines():
    finding = the("score-not-finite", lint(TRUTH, {**ANSWERS, "2": {"c": 1.0, "d": math.nan}}))
    assert (finding.line, finding.numbering, finding.where) == (4, "row", "run 1 (row 4)")


def test_a_list_that_repeats_a_document_is_found():
    finding = the("duplicate-document", lint(TRUTH, {"1": ["a", "b", "a"], "2": ["c", "d"]}))
    assert (finding.line, "first in row 1" in finding.message) == (3, True)


def test_json_files_are_linted_by_row(tmp_path):
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"1": {"a": 2.5, "b": 1.5}, "2": {"C": 2.5, "d": 1.5}}))
    finding = the("document-ids", lint(TRUTH, path))
    assert (finding.line, finding.numbering) == (3, "row")


def test_ids_with_blanks_around_them_are_found():
    findings = lint(TRUTH, {**ANSWERS, "1": {"a ": 2.0, "b": 1.0}})
    assert "(other white space)" in the("document-ids", findings).message


def test_csv_files_are_linted_by_line(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("query_id,doc_id,score\n1,a,2.5\n1,b,1.5\n1,a,1\n2,c,2.5\n2,D,1.5\n")
    findings = lint(TRUTH, path)
    assert the("duplicate-document", findings).where == f"{path}:4"
    assert the("document-ids", findings).where == f"{path}:6"


@pytest.mark.parametrize("bad", ["2,x,high", "2,x", "2,x,"])
def test_what_cannot_be_read_is_found_where_evaluation_refuses_it(tmp_path, bad):
    (tmp_path / "run.csv").write_text(f"query_id,doc_id,score\n1,a,2.5\n{bad}\n")
    with pytest.raises(tr.InputError) as refused:
        tr.evaluate(TRUTH, tmp_path / "run.csv")
    finding = the("unreadable", lint(TRUTH, tmp_path / "run.csv"))
    assert (finding.where, finding.line) == (refused.value.where.removesuffix(": "), 3)


def test_faults_of_judgements_in_csv_and_json_lines_are_found_in_their_lines(tmp_path):
    header, rows = "query_id,doc_id,relevance\n", ["1,a,1", "2,2,1", "1,b,0.5", "1,c,-1", "2,d,0.25"]
    (tmp_path / "qrels.csv").write_text(header + "\n".join(rows) + "\n")
    keys = ("query_id", "doc_id", "relevance")
    records = [dict(zip(keys, (q, d, float(g)), strict=True)) for q, d, g in (row.split(",") for row in rows)]
    (tmp_path / "qrels.jsonl").write_text("\n" + "\n".join(map(json.dumps, records)) + "\n")
    for name in ("qrels.csv", "qrels.jsonl"):
        findings = lint(tmp_path / name)
        lines = {finding.kind: finding.line for finding in findings}
        assert lines == {"self-match": 3, "fractional-grade": 4, "negative-grade": 5}
        assert "(2 lines; also line 6)" in the("fractional-grade", findings).message


def test_judgements_without_lines_are_counted_as_rows(tmp_path):
    (tmp_path / "qrels.json").write_text('{"1": {"a": 1.5, "b": 0.5}}')
    finding = the("fractional-grade", lint(tmp_path / "qrels.json"))
    assert finding.line is None
    assert finding.message.endswith("(2 rows)")


def test_qrels_and_run_in_each_others_place_are_suspected():
    qrels = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 1, "d": 0}, "3": {"b": 1}}
    run = {query: {"a": 0.9, "b": 0.41, "c": 0.35, "d": 0.2} for query in qrels}
    assert the("looks-swapped", lint(run, qrels)).severity == "warning"
    assert "looks-swapped" not in kinds(lint(qrels, run))


def test_qrels_in_other_formats_are_told_from_runs(tmp_path):
    path = tmp_path / "qrels.tsv"
    path.write_text("query-id\tcorpus-id\tscore\n1\ta\t1\n1\tb\t0\n2\tc\t1\n2\td\t0\n")
    assert lint(path, ANSWERS) == []
    assert kinds(lint(TRUTH, path)) == {"swapped"}


def test_the_folder_of_a_data_set_is_told_from_a_run(tmp_path):
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n1\ta\t1\n")
    assert "name the file of its judgements" in the("unreadable", lint(tmp_path, ANSWERS)).message


def test_frames_are_linted(tmp_path):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"query": ["1", "1", "1"], "doc": ["a", "b", "a"], "score": [3.0, 2.0, 1.0]})
    findings = lint(TRUTH, frame)
    assert kinds(findings) == {"duplicate-document", "missing-queries"}
    assert the("duplicate-document", findings).line == 3


def test_a_run_object_is_linted_as_the_text_that_it_is(tmp_path):
    path = tmp_path / "a.run"
    path.write_bytes(RUN + b"1 Q0\n")
    assert the("columns", lint(TRUTH, tr.open_run(path))).line == 5


def test_compressed_files_are_linted(tmp_path):
    path = tmp_path / "a.run.gz"
    path.write_bytes(gzip.compress(RUN + b"1 Q0\n"))
    assert the("columns", lint(TRUTH, path)).line == 5


def test_a_truncated_file_is_an_error_found(tmp_path):
    path = tmp_path / "a.run.gz"
    rng = random.Random(1)
    text = b"".join(b"1 Q0 d%d %d %d t\n" % (rng.getrandbits(64), i, -i) for i in range(20_000))
    path.write_bytes(gzip.compress(with_line(text, b"1 Q0"))[:-20_000])
    findings = lint(TRUTH, path)
    assert the("unreadable", findings).severity == "error"
    assert the("columns", findings).line == 5


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(tr.InputError, match="no such file"):
        lint(TRUTH, tmp_path / "none.run")


def test_an_empty_file_is_refused(look):
    with pytest.raises(tr.InputError, match="empty"):
        look(QRELS, b"")


def test_duplicates_that_the_rules_allow_are_a_warning(look):
    run = with_line(RUN, b"1 Q0 a 3 0.5 t", 3)
    assert the("duplicate-document", look(QRELS, run, rules={"duplicates": "last"})).severity == "warning"


@pytest.fixture
def command(tmp_path):
    """Runs `truerank lint` on the bytes of qrels and a run."""

    def run(qrels: bytes, content: bytes, *options: str):
        (tmp_path / "q.txt").write_bytes(qrels)
        (tmp_path / "r.run").write_bytes(content)
        files = [str(tmp_path / "q.txt"), str(tmp_path / "r.run")]
        return CliRunner().invoke(truerank, ["lint", *files, *options])

    return run


def test_the_command_says_when_nothing_is_wrong(command):
    result = command(QRELS, RUN)
    assert (result.exit_code, result.output) == (0, "nothing found in 2 files\n")


def test_the_command_fails_on_errors(command):
    result = command(QRELS, RUN + b"1 Q0\n")
    finding, summary = result.output.splitlines()
    assert result.exit_code == 1
    assert "r.run:5: error: a run line has 6 columns" in finding
    assert summary == "1 error in 2 files"


def test_the_command_lets_warnings_pass_unless_it_is_strict(command):
    warned = b"\xef\xbb\xbf" + RUN
    assert command(QRELS, warned).exit_code == 0
    assert command(QRELS, warned, "--strict").exit_code == 1
    assert command(QRELS, RUN.replace(b"\n", b"\r\n"), "--strict").exit_code == 0


def test_the_command_prints_json(command):
    printed = json.loads(command(QRELS, RUN + b"1 Q0 \xff\n", "--format", "json").stdout)
    assert (printed["errors"], printed["warnings"], printed["notes"]) == (1, 0, 0)
    assert printed["findings"][0]["line"] == 5


def test_the_command_takes_rules_and_measures(command):
    assert "level-unreached" in command(QRELS, RUN, "--set", "level=2").output
    tied = RUN.replace(b"d 2 1.5", b"d 2 2.5")
    assert "[ties]" in command(QRELS, tied, "-m", "RR").output
    assert "[ties]" not in command(QRELS, tied, "-m", "R@2").output


def test_the_command_exits_with_2_when_a_file_is_missing(tmp_path):
    result = CliRunner().invoke(truerank, ["lint", str(tmp_path / "none.txt")])
    assert result.exit_code == 2
    assert "there is no such file" in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("empty", ["answered", "missing"])
def test_a_reading_answers_what_its_run_does(empty):
    qrels, rules = {f"q{n}": {"a": 1, "b": 0} for n in range(12)}, {"empty": empty}
    run = {f"q{n}": ["a", "b"] for n in range(11)} | {"q3": ["a"], "q4": [*"abx"], "q5": [*"abxy"], "q9": []}
    found, again = (lint(qrels, one, rules=rules) for one in (run, tr.read(qrels, run, rules=rules)))
    assert {one.message for one in again} == {one.message for one in found}
    assert the("missing-queries", found).count == (1 if empty == "answered" else 2)
    assert ("q9 has 0" in the("shallow", found).message) == (empty == "answered")
    assert "q5 has 4" in the("deep", found).message
    other = {**run, "z": ["a", "b"]}
    assert the("extra-queries", lint(qrels, tr.read(qrels, other, rules=rules), rules=rules)).count == 1


def test_a_reading_that_was_made_with_other_judgements_is_an_error(tmp_path):
    judged = {"q1": {"a": 1, "b": 0}, "q2": {"c": 2}}
    reading = tr.read(judged, {"q1": ["b", "a"], "q2": ["c"]})
    reading.save(tmp_path / "saved")
    more = {**judged, "q3": {"a": 1}}
    for other in (more, {**judged, "q1": {"a": 9}}, iter([("q1", "a", 9)])):
        first = lint(other, reading)[0]
        assert (first.severity, first.kind) == ("error", "other-judgements")
        assert "this reading was made with other judgements than qrels" in first.message
    assert lint(more, tmp_path / "saved")[0].kind == "other-judgements"
    assert "other-judgements" not in {one.kind for one in lint(dict(reversed(judged.items())), reading)}


def corpus(path: Path, ids: list[str]) -> Path:
    """A collection of these documents, some without a text, in one of the forms."""
    if path.suffix == ".jsonl":
        rows = [json.dumps({"_id": id, "title": "", "text": "x" * (i % 2)}) for i, id in enumerate(ids)]
    else:
        rows = [f"{id}\ttext" for id in ids]
    path.write_text("".join(f"{row}\n" for row in rows), "utf-8")
    return path


@pytest.mark.parametrize("seed", range(30))
def test_what_is_judged_and_not_there_is_counted_and_named(seed, tmp_path):
    rng = random.Random(seed)
    qrels = {f"q{i}": {f"é{rng.randrange(9)}": rng.choice([0, 1, 2]) for _ in range(3)} for i in range(4)}
    asked = [query for query in qrels if rng.random() < 0.7] or ["q0"]
    there = [f"é{i}" for i in range(9) if rng.random() < 0.8] or ["é0"]
    level = rng.choice([1, 2])
    judged = {doc for grades in qrels.values() for doc in grades}
    absent = sorted(judged - set(there))
    relevant = {doc for grades in qrels.values() for doc, grade in grades.items() if grade >= level} - set(there)
    queries = corpus(tmp_path / "queries.tsv", asked)
    docs = corpus(tmp_path / f"docs.{rng.choice(['jsonl', 'tsv'])}", ["other", *there])
    for given in (queries, docs), (dict.fromkeys(asked, "x"), dict.fromkeys(there, "")):
        found = {one.kind: one for one in lint(qrels, queries=given[0], docs=given[1], rules={"level": level})}
        lost = found.get("no-such-query")
        assert (lost.count if lost else 0) == len(qrels) - len(asked)
        gone = found.get("no-such-document")
        assert sorted(gone.examples if gone else ()) == absent
        if gone:
            some = "warning" if relevant else "note"
            assert gone.severity == ("error" if len(absent) == len(judged) else some)
            assert set(gone.examples[: len(relevant)]) == relevant
            assert (f"{len(relevant)} of them relevant" in gone.message) == bool(relevant)


def test_the_command_finds_judged_documents_that_the_collection_lacks(tmp_path):
    (tmp_path / "qrels.txt").write_bytes(QRELS)
    docs = corpus(tmp_path / "corpus.jsonl", ["a", "b", "c"])
    arguments = ["lint", str(tmp_path / "qrels.txt"), "--docs", str(docs)]
    result = CliRunner().invoke(truerank, arguments)
    assert result.exit_code == 0
    assert "note: 1 of 4 judged documents is not in the collection (--docs): d [no-such-document]" in result.stdout
    docs.write_text("word\n", "utf-8")
    refused = CliRunner().invoke(truerank, arguments)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "corpus.jsonl" in refused.stderr


def test_every_kind_that_the_checks_name_is_tested_here():
    here = Path(__file__).read_text("utf-8")
    folder = Path(tr.__file__).parent / "analysis" / "lint"
    trees = [ast.parse(path.read_text("utf-8")) for path in folder.glob("*.py")]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    noted = [call.args for call in calls if getattr(call.func, "attr", "") in ("add", "once")]
    named = {args[1].value for args in noted if len(args) > 1 and isinstance(args[1], ast.Constant)}
    assert len(named) > 25
    assert {kind for kind in named if f'"{kind}"' not in here} == set()


robust = pytest.mark.skipif(not ROBUST.exists(), reason="the TREC 2003 runs in ../shared/data are absent")

EXPECTED = {
    "InexpC2": {"ties", "unjudged"},
    "NLPR03vb10": {"ties", "unjudged", "deep"},
    "humR03dc": {"unjudged"},
    "pircRBa1": {"ties", "unjudged"},
    "rutcor03100": {"ties", "unjudged"},
    "uic0301": {"unjudged", "shallow"},
}


@robust
@pytest.mark.parametrize("name", EXPECTED)
def test_real_runs_have_ties_and_unjudged_results_and_no_false_alarms(name):
    qrels, run = ROBUST / "qrels.txt.gz", ROBUST / f"{name}.run.gz"
    findings = lint(qrels, run)
    assert kinds(findings) == EXPECTED[name]
    assert {f.severity for f in findings if f.kind != "ties"} == {"note"}


@robust
@pytest.mark.parametrize("name", EXPECTED)
def test_ties_that_matter_are_those_of_the_ledger(name):
    qrels, run = ROBUST / "qrels.txt.gz", ROBUST / f"{name}.run.gz"
    tied = tr.evaluate(qrels, run).ledger.tied
    assert sum(f.count for f in lint(qrels, run) if f.kind == "ties") == tied


def test_all_queries_of_a_finding_are_its_examples_and_the_message_names_the_first():
    qrels = {f"q{i}": {"a": 1} for i in range(9)}
    finding = the("missing-queries", lint(qrels, {"q0": ["a"]}))
    assert finding.message == "8 of 9 judged queries not answered (scored 0): q1, q2, q3, q4, q5 and 3 more"
    assert finding.examples == tuple(f"q{i}" for i in range(1, 9))
    extra = the("extra-queries", lint({"q0": {"a": 1}}, {query: ["a"] for query in qrels}))
    assert (extra.count, len(extra.examples)) == (8, 8)


@pytest.mark.parametrize("part", ["#2", "_2", "-2", ":2", "_chunk_2", "#c2"])
def test_parts_of_judged_documents_are_told_from_other_documents(part):
    findings = lint({"q": {"FT921-7107": 1, "d9": 1}}, {"q": {f"FT921-7107{part}": 2.0, "x-3": 1.0}})
    (finding,) = [finding for finding in findings if finding.kind == "parts"]
    assert f"FT921-7107{part} of FT921-7107: score each document by its best part" in finding.message


def test_ids_with_numbers_are_no_parts_where_documents_come_back_under_their_own():
    findings = lint({"q": {"d_1": 1, "e": 1}}, {"q": {"d_1": 2.0, "e": 1.5, "d_1_2": 1.0}})
    assert "parts" not in {finding.kind for finding in findings}


@pytest.mark.parametrize("part", ["#2", "_2", "-2", ":2", "_chunk_2", "#c2"])
def test_documents_of_which_only_parts_are_judged_are_an_error(part, tmp_path):
    judged = {"q": {"x-3": 1, f"FT921-7107{part}": 1}}
    (tmp_path / "whole.run").write_text("q Q0 other 1 3 t\nq Q0 FT921-7107 2 2 t\n")
    for run in (tmp_path / "whole.run", {"q": {"other": 3.0, "FT921-7107": 2.0}}):
        finding = the("wholes", lint(judged, run))
        assert (finding.severity, finding.line, finding.count) == ("error", 2, 1)
        assert f"FT921-7107{part} of FT921-7107: return parts as they are judged, or judge doc" in finding.message
    assert "wholes" not in kinds(lint(judged, {"q": ["FT921-7107", "x-3"]}))


def test_judged_parts_are_no_error_where_judged_documents_come_back_under_their_own():
    judged = {"q": {"d_1": 1, "e": 1}, "r": {"d_1": 1}}
    assert "wholes" not in kinds(lint(judged, {"q": ["d_1", "e"], "r": ["d"]}))
    assert "wholes" in kinds(lint(judged, {"q": ["d_1"], "r": ["d"]}))


def test_the_bytes_of_all_files_are_reported_while_they_are_read(tmp_path):
    (tmp_path / "qrels.txt").write_text("q 0 a 1\n")
    (tmp_path / "a.run").write_text("q Q0 a 1 2 t\n")
    files, told = (tmp_path / "qrels.txt", tmp_path / "a.run"), []
    lint(*files, progress=lambda done, total: told.append((done, total)))
    size = sum(path.stat().st_size for path in files)
    assert told == [(8, size), (size, size)]
    told.clear()
    (tmp_path / "a.run").write_bytes(gzip.compress((tmp_path / "a.run").read_bytes()))
    lint(*files, progress=lambda done, total: told.append((done, total)))
    assert told == [(8, 0), (size, 0)]  # of unpacked bytes, whose number is not known before


@pytest.mark.parametrize("nothing", [[], {}])
def test_an_empty_answer_is_missing_where_the_rules_say_so(nothing):
    truth, run = {"q": {"a": 1}, "r": {"b": 1}}, {"q": {"a": 1.0}, "r": nothing}
    for rules in ("truerank", "autorag"):
        found = lint(truth, run, rules=rules, measures="AP")
        missing = tr.evaluate(truth, run, "AP", rules=rules).ledger.missing
        assert sum(finding.count for finding in found if finding.kind == "missing-queries") == missing


def test_a_query_may_return_nothing():
    assert lint({"q": {"a": 1}}, {"q": []}) == []
    kinds = {finding.kind for finding in lint({"Q": {"a": 1}, "r": {"b": 1}}, {"q": [], "r": ["b"]})}
    assert kinds == {"query-ids", "missing-queries", "extra-queries"}


def test_a_contests_lines_are_looked_at_as_a_run_is():
    run = {"q": ["a", "c"], "r": ["b"]}
    assert {finding.kind for finding in lint({"q": ["a"], "r": ["b"]}, run, rules="science-qa")} <= {
        "unjudged",
        "shallow",
    }


def test_a_query_that_only_an_empty_answer_is_right_for_is_judged():
    truth = {"1": ["a"], "2": []}
    found = lint(truth, [("1", ["a"]), ("2", [])], rules="science-qa")
    assert "extra-queries" not in {finding.kind for finding in found}
    assert "missing-queries" in {finding.kind for finding in lint(truth, {"1": ["a"]})}


@pytest.mark.parametrize("made", [lambda run: run.cut(9), lambda run: tr.fuse([run, run]), lambda run: run.head(2)])
def test_lists_that_are_put_together_are_looked_at(made):
    rows = [("q1", "a", 3.0), ("q2", "b", 3.0), ("q1", "c", 2.0)]
    found = lint({"q1": ["c"], "q2": ["b"]}, made(tr.open_run(rows)))
    assert "unreadable" not in {finding.kind for finding in found}
