"""Judgement groups and preferences: against recorded output, plain loops, compiled trec_eval code, and by hand."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

import trec_eval_library
from trec_eval_cases import REFERENCES, fields, ours, printed, reference, refusal, rows, written
from trec_eval_groups import MEASURES, answered, expected, judgements
from truerank.interop.trec_eval import Options
from truerank.interop.trec_eval import partial as partial_orders
from truerank.interop.trec_eval.columns import columns
from truerank.interop.trec_eval.reading import read
from truerank.interop.trec_eval.status import CALCULATION, FILES
from truerank.interop.trec_eval.values import all_values

GOLDEN = Path(__file__).parent / "groups"
FORMATS = tuple(MEASURES)
CASES = int(os.environ.get("TREC_EVAL_CASES", "60"))


def asked(form: str) -> list[str]:
    return ["-R", form, *(word for name in MEASURES[form] for word in ("-m", name))]


def by_topic(form: str, judged: Path, run: Path) -> dict[str, dict[str, float]]:
    """{topic: {measure: value}}, with all digits."""
    options = Options.parse(["--compat", "9", *asked(form), str(judged), str(run)])
    answers = read(options)
    values = all_values(columns(options.measures, 9), answers, options)
    topics = [topic.decode() for topic in answers.hits.queries]
    return {t: {c.name: float(v[n]) for c, v in values.items()} for n, t in enumerate(topics)}


@pytest.fixture
def case(tmp_path):
    """Random judgements and a run, as texts and as files."""

    def make(rng: random.Random, form: str):
        texts = judgements(rng, form), answered(rng)
        return texts, tuple(map(Path, written(tmp_path, *texts)))

    return make


@pytest.mark.parametrize("form", FORMATS)
def test_every_measure_equals_plain_loops(case, form):
    rng = random.Random(f"loops {form}")
    for _ in range(CASES):
        texts, paths = case(rng, form)
        found, wanted = by_topic(form, *paths), expected(form, *texts)
        assert found.keys() == wanted.keys()
        for topic, values in wanted.items():
            assert found[topic] == pytest.approx(values, rel=1e-12, abs=1e-12), f"{topic}\n{texts[0]}\n{texts[1]}"


@pytest.mark.parametrize("form", FORMATS)
def test_every_measure_has_the_bits_of_the_compiled_reference(tmp_path, form):
    pytest.importorskip("pytrec_eval", reason="needs pytrec_eval-terrier")
    rng, topics = random.Random(f"bits {form}"), [f"t{n}" for n in range(12 * CASES)]
    texts = judgements(rng, form, topics), answered(rng, topics)
    paths = tuple(map(Path, written(tmp_path, *texts)))
    command = [sys.executable, trec_eval_library.__file__, form, *map(str, paths), *MEASURES[form]]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"pytrec_eval's compiled code cannot be asked: {done.stderr.decode()[-200:]}")
    assert by_topic(form, *paths) == json.loads(done.stdout)


@pytest.mark.parametrize("cells", [1, 100, 1000])
def test_the_size_of_what_is_worked_on_at_once_changes_no_bit(case, monkeypatch, cells):
    rng = random.Random("cells")
    for form in ("prefs", "qrels_prefs"):
        _, paths = case(rng, form)
        whole = by_topic(form, *paths)
        monkeypatch.setattr(partial_orders, "CELLS", cells)
        assert by_topic(form, *paths) == whole


@pytest.mark.slow
@pytest.mark.parametrize("compat", [9, 10])
def test_random_files_and_options_print_the_same_bytes(case, compat):
    if not REFERENCES[compat]:
        pytest.skip("no program to compare with: set TREC_EVAL (10) and TREC_EVAL_9")
    rng = random.Random(f"program {compat}")
    for _ in range(CASES):
        form = rng.choice(FORMATS)
        texts, paths = case(rng, form)
        some = rng.choice(([], ["-M", "3"], ["-J"], ["-l", "2"], ["-J", "-M5"])) + rng.choice((["-q"], ["-qn"], []))
        arguments = [*some, "-c", *asked(form), *map(str, paths)]
        assert ours(compat, arguments) == reference(compat, arguments), f"{arguments}\n{texts[0]}\n{texts[1]}"


RECORDED = {
    "qrels_jg": "-q -m qrels_jg",
    "qrels_jg.MJl": "-q -c -M 5 -J -l 2 -m qrels_jg -m P_avgjg.3,1",
    "qrels_prefs": "-q -m all_prefs",
    "prefs": "-q -m all_prefs",
    "prefs.M": "-q -c -M 4 -m prefs",
}


@pytest.mark.parametrize("name", RECORDED)
def test_the_recorded_bytes_of_the_reference_are_printed(name):
    form = name.partition(".")[0]
    judged = GOLDEN / ("judged.prefs" if form == "prefs" else "judged.qrels")
    options = ["--compat", "9", "-R", form, *RECORDED[name].split()]
    assert printed(*options, judged, GOLDEN / "answers.run") == (GOLDEN / f"{name}.txt").read_text("utf-8")


ANSWER = "1 Q0 a 1 3.0 t\n1 Q0 b 2 2.0 t\n"


def test_each_group_of_judges_counts_the_same(tmp_path):
    qrels = "1 x a 1\n1 y a 0\n1 y b 1\n"
    assert rows(tmp_path, "-R qrels_jg -m qrels_jg -m P_avgjg.1", qrels, ANSWER)[:4] == [
        ["runid", "all", "t"],
        ["num_q", "all", "1"],
        ["map_avgjg", "all", "0.7500"],
        ["P_avgjg_1", "all", "0.5000"],
    ]


def test_what_follows_from_preferences_is_one_too(tmp_path):
    prefs = "1 x 0 a 2\n1 x 0 b 1\n1 x 1 b 2\n1 x 1 c 1\n"
    found = dict(row[::2] for row in rows(tmp_path, "-R prefs -m prefs", prefs, ANSWER))
    assert (found["prefs_num_prefs_poss"], found["prefs_num_prefs_ful"]) == ("3", "3")


def test_a_document_judged_twice_votes_twice_and_its_pairs_count_once(tmp_path):
    prefs, run = "1 x 0 a 1\n1 x 0 a 1\n1 x 0 b 2\n1 x 0 c 0\n", f"{ANSWER}1 Q0 c 3 1.0 t\n"
    found = dict(row[::2] for row in rows(tmp_path, "-R prefs -m prefs_simp -m prefs_pair", prefs, run))
    assert found == {"prefs_simp": "0.6000", "prefs_pair": "0.6667"}  # as trec_eval 9.0.4 prints


def test_equal_scores_rank_by_ascending_id_where_preferences_are_counted(tmp_path):
    run = "1 Q0 b 1 1 t\n1 Q0 a 1 1 t\n"
    assert rows(tmp_path, "-R qrels_prefs -m prefs_simp", "1 0 a 1\n1 0 b 0\n", run) == [
        ["prefs_simp", "all", "1.0000"]
    ]


def test_with_c_a_topic_without_an_answer_keeps_no_preference(tmp_path):
    qrels = "1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 b 0\n"
    asked = "-c -q -R qrels_prefs -m prefs_simp -m prefs_num_prefs_poss"
    found = rows(tmp_path, asked, qrels, ANSWER)
    assert [row[2] for row in found if row[1] in ("2", "all")] == ["1", "0.0000", "2", "0.5000"]
    found = rows(tmp_path, f"--compat 9 {asked}", qrels, ANSWER)
    assert [row[2] for row in found] == ["1", "1.0000", "1", "0.5000"]


def test_comments_and_blank_lines_are_read_over(tmp_path):
    prefs = "# who\n1 x 0 a#1 2\n\n1 x 0 b 1\n"
    assert rows(tmp_path, "-R prefs -m prefs_num_prefs_ful", prefs, ANSWER) == [["prefs_num_prefs_ful", "all", "0"]]


CIRCLE = "1 x 0 a 2\n1 x 0 b 1\n1 x 1 b 5\n1 x 1 c 4\n# who\n1 x 2 c 2\n1 x 2 a 1\n"
CIRCLED = "a to b (lines 1 and 2), b to c (lines 3 and 4), c to a (lines 6 and 7)"
BAD = [
    ("-R prefs -m prefs", CIRCLE, CALCULATION, f"group x of topic 1 prefers in a circle: {CIRCLED}"),
    ("-R prefs -m prefs", "1 x 0 a 2\n1 x 0 a 1\n", CALCULATION, "qrels:2: document a has two grades in group x"),
    ("-R prefs -m prefs", "1 x 0 a 2\n1 x 1 a 0\n", CALCULATION, "(first in line 1); keep one of them"),
    ("-R qrels_jg -m qrels_jg", "1 x a 2\n1 x a 2\n", FILES, "qrels:2: document a is judged twice by group x"),
    ("-R prefs -m prefs", "1 x a 2\n", FILES, "qrels:1: a line has 5 columns"),
    ("-R qrels_jg -m qrels_jg", "1 x 0 a 2\n", FILES, "qrels:1: a line has 4 columns"),
    ("-R qrels_prefs -m prefs", "1 x a 2\n1 x b y\n", FILES, "qrels:2: the grade is no number"),
    ("-R qrels_prefs -m prefs", "# nothing\n", FILES, "there are no judgements"),
    ("-R prefs", "1 x 0 a 2\n", CALCULATION, "-m num_ret needs -R qrels;"),
    ("-m prefs", "1 0 a 2\n", CALCULATION, "-m prefs_num_prefs_poss needs -R prefs or -R qrels_prefs;"),
    ("-R nope", "1 0 a 2\n", FILES, "the formats of judgements are qrels, qrels_jg, prefs, qrels_prefs"),
]


@pytest.mark.parametrize(("options", "judged", "status", "words"), BAD)
def test_what_contradicts_itself_or_cannot_be_read_is_named(tmp_path, options, judged, status, words):
    said, end = refusal(lambda: rows(tmp_path, options, judged, ANSWER))
    assert (words in said, end) == (True, status), said


def test_a_contradiction_in_a_topic_that_is_not_evaluated_is_no_matter(tmp_path):
    prefs = "1 x 0 a 2\n1 x 0 b 1\n2 x 0 a 2\n2 x 0 a 1\n"
    assert rows(tmp_path, "--compat 9 -R prefs -m prefs_simp", prefs, ANSWER) == [["prefs_simp", "all", "1.0000"]]


def test_z_scores_are_of_preferences_too(tmp_path):
    (tmp_path / "z").write_text("1 prefs_simp 0.5 0.25\n1 prefs_num_prefs_ful 1 1\n2 ~ 0 1\n")
    found = printed(
        *f"-R qrels_prefs -m prefs -Z {tmp_path / 'z'}".split(), *written(tmp_path, "1 0 a 1\n1 0 b 0\n", ANSWER)
    )
    values = dict(row[::2] for row in fields(found))
    assert (values["Zprefs_simp"], values["Zprefs_num_prefs_ful"]) == ("2.0000", "0.0000")
