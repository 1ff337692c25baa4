"""trec_eval's own bytes: against its recorded output, against the program where there is one, and by hand.

TREC_EVAL (10.0) and TREC_EVAL_9 (9.0.8) name programs to compare with; TREC_EVAL_CASES says how often, and
TREC_EVAL_SEED begins other random cases.
"""

from __future__ import annotations

import gzip
import os
import random
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truerank.errors import TruerankError
from truerank.trec import Options, TrecEvalError, help_text, lines, trec_eval
from truerank.trec.catalog import CATALOG, NICKNAMES
from truerank.trec.columns import columns
from truerank.trec.status import CALCULATION, FILES, NOTHING, USAGE

ROBUST = Path(__file__).parent.parent.parent / "shared" / "data" / "robust03"
RUNS = ("InexpC2", "NLPR03vb10", "humR03dc", "pircRBa1", "rutcor03100", "uic0301")
REFERENCES = {9: os.environ.get("TREC_EVAL_9"), 10: os.environ.get("TREC_EVAL")}
CASES = int(os.environ.get("TREC_EVAL_CASES", "300"))


def printed(*arguments: str | Path) -> str:
    return b"".join(trec_eval(Options.parse(list(map(str, arguments))))).decode()


def written(folder: Path, qrels: str, run: str) -> list[str]:
    """The paths of two files that hold these texts."""
    for name, text in (("qrels", qrels), ("run", run)):
        (folder / name).write_text(text, "utf-8", newline="")
    return [str(folder / "qrels"), str(folder / "run")]


# --- recorded output ----------------------------------------------------------------------------------


@pytest.mark.skipif(not ROBUST.is_dir(), reason="the recorded TREC 2003 runs are not here")
@pytest.mark.parametrize("compat", [9, 10])
@pytest.mark.parametrize("run", RUNS)
def test_six_trec_runs_print_the_recorded_bytes(run, compat):
    golden = gzip.decompress((ROBUST / "golden" / f"{run}.te{compat}.txt.gz").read_bytes()).decode()
    options = ["--compat", str(compat), "-c", "-q", "-m", "all_trec", "-m", "relstring.20"]
    assert printed(*options, ROBUST / "qrels.txt.gz", ROBUST / f"{run}.run.gz") == golden


# --- the program itself -------------------------------------------------------------------------------

TOPICS = ("1", "2", "10", "q-1", "é")
DOCS = ("a", "b", "c", "d", "B", "a1", "a#b", "é", "zz", "d-10", "d-9", "0")
GRADES = (-2, -1, 0, 0, 0, 1, 1, 1, 2, 3, 12)
SCORES = ("1", "1.0", "2", "0.5", "-3.25", "0.123456789", "0.123456788", "1e-3", "7", "6", "5")
MEASURES = """
    map gm_map gm_bpref Rprec bpref recip_rank infAP binG G ndcg ndcg_rel Rndcg yaap official set all_trec
    P P.1,3 recall.2,1 ndcg_cut.1,2,5 map_cut.3 relative_P.2 success.2 num_q num_ret num_rel num_rel_ret
    runid relstring relstring.3 iprec_at_recall iprec_at_recall.0.333,.33,.5 11pt_avg 11pt_avg.0,.5,1
    Rprec_mult Rprec_mult.0.5,1.5 utility utility.2,-1,-.5,0.25 set_P set_recall set_map set_relative_P
    set_F set_F.4 set_F.0.5 num_nonrel_judged_ret G.1=2,2=5 ndcg_rel.1=3,0=1 Rndcg.2=4
    dcg ideal_dcg rbp rbp.p=0.8 rbp_resid rbp_resid.p=0.5 unj unj.1,4
"""
SINCE_10 = ("dcg", "ideal_dcg", "rbp", "unj")


def files(rng: random.Random) -> tuple[str, str]:
    """Small qrels and a small run: ties, missing and extra topics, documents that nobody judged."""
    judged = rng.sample(TOPICS, rng.randint(1, 4))
    answered = rng.sample(TOPICS, rng.randint(1, 4)) if rng.random() < 0.5 else judged
    ending = rng.choice(("\n", "\n", "\r\n"))
    qrels, run = [], []
    for topic in judged:
        docs = rng.sample(DOCS, rng.randint(1, 9))
        grades = [rng.choice(GRADES) for _ in docs]
        grades[0] = max(0, grades[0])  # at a topic without a grade from 0 the reference stops, or crashes
        qrels += [f"{topic} 0 {doc} {grade}" for doc, grade in zip(docs, grades, strict=True)]
    for topic in answered:
        docs = rng.sample(DOCS, rng.randint(1, 12))
        run += [f"{topic}\tQ0 {doc} {rng.randint(0, 9)} {rng.choice(SCORES)} t{len(run)}" for doc in docs]
    for rows in (qrels, run) if rng.random() < 0.3 else ():
        rng.shuffle(rows)
    return "".join(line + ending for line in qrels), "".join(line + ending for line in run)


def flags(rng: random.Random, compat: int) -> list[str]:
    """Some options, in one of the ways in which they can be written."""
    some: list[str] = []
    some += rng.choice(([], ["-q"], ["--query_eval_wanted"], ["-qn"]))
    some += rng.choice(([], ["-c"], ["-c"], ["--complete"]))
    some += rng.choice(([], [], ["-l2"], ["-l", "3"], ["--level_for_rel=0"]))
    some += rng.choice(([], [], ["-J"]))
    some += rng.choice(([], [], ["-M", "2"], ["-M5"]))
    some += rng.choice(([], ["-N", "100"]))
    with_gains = (["dcg.1=5,2=7"], ["ndcg.1=3,2=9,3=1", "map"])
    wanted = rng.choice(([], ["all_trec"], ["rbp"], *with_gains, rng.sample(MEASURES.split(), rng.randint(1, 8))))
    known = [name for name in wanted if compat == 10 or not name.startswith(SINCE_10)]
    return some + [word for name in known for word in ("-m", name)]


def repeated(rng: random.Random, run: str) -> str:
    """The run with one of its documents once more, in the same topic."""
    rows = run.splitlines(keepends=True)
    row = rng.randrange(len(rows))
    topic, doc = rows[row].split()[0], rows[row].split()[2]
    return "".join([*rows[: row + 1], f"{topic} Q0 {doc} 1 {rng.choice(SCORES)} again\n", *rows[row + 1 :]])


def deviations(rng: random.Random) -> str:
    """Means and deviations for -Z, with a last measure and a last topic: the reference reads one beyond."""
    names = [column.name for column in columns(["all_trec"], 10)]
    known = [
        f"{topic} {name} {rng.random():.3f} {rng.choice((0, 0.1, 2))}\n"
        for topic in rng.sample(TOPICS, 4)
        for name in [*rng.sample(names, 60), "~"]
    ]
    return "".join([*known, "\N{LATIN SMALL LETTER Y WITH DIAERESIS} ~ 0 1\n"])


def reference(compat: int, arguments: list[str]) -> tuple[str, int]:
    done = subprocess.run([str(REFERENCES[compat]), *arguments], capture_output=True, check=False)
    return done.stdout.decode(), done.returncode


def ours(compat: int, arguments: list[str]) -> tuple[str, int]:
    try:
        return printed("--compat", str(compat), *arguments), 0
    except TruerankError as error:
        return "", error.status if isinstance(error, TrecEvalError) else FILES


def is_explained(theirs: str, arguments: list[str]) -> bool:
    """Whether a line of the reference shows a fault that docs/trec_eval.md lists."""
    undefined = "nan" in theirs
    alone = arguments.count("-m") == 1
    return undefined or (theirs.lstrip("Z").startswith("rbp") and "rbp_resid" not in theirs and not alone)


@pytest.mark.slow
@pytest.mark.parametrize("compat", [9, 10])
def test_random_files_and_options_print_the_same_bytes(compat, tmp_path):
    if not REFERENCES[compat]:
        pytest.skip("no program to compare with: set TREC_EVAL (10) and TREC_EVAL_9")
    rng = random.Random(os.environ.get("TREC_EVAL_SEED", "truerank"))
    for _ in range(CASES):
        compare(rng, compat, tmp_path)


def compare(rng: random.Random, compat: int, folder: Path) -> None:
    texts = list(files(rng))
    options = flags(rng, compat)
    if rng.random() < 0.15:
        options += ["-Z", str(folder / "z")]
        (folder / "z").write_text(deviations(rng), "utf-8")
    if rng.random() < 0.2:
        texts[1] = repeated(rng, texts[1])
        options += ["-m", "num_ret"]  # the reference looks for repeats when it first ranks
    arguments = [*options, *written(folder, *texts)]
    theirs, status = reference(compat, arguments)
    mine, end = ours(compat, arguments)
    context = f"{arguments}\n{texts[0]}\n{texts[1]}"
    assert end == status, context
    if status == 0:
        pairs = list(zip(theirs.splitlines(), mine.splitlines(), strict=True))
        differing = [pair for pair in pairs if pair[0] != pair[1] and not is_explained(pair[0], arguments)]
        assert differing == [], context


# --- pytrec_eval, which is trec_eval 9.0.8 ------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from([1, 2]))
def test_every_topic_prints_what_pytrec_eval_computes(tmp_path_factory, rng, level):
    pytrec_eval = pytest.importorskip("pytrec_eval", reason="needs pytrec_eval-terrier")
    folder = tmp_path_factory.mktemp("pytrec_eval")
    qrels, run = files(rng)
    paths = written(folder, qrels, run)
    judged, answered = {}, {}
    for topic, _, doc, grade in map(str.split, qrels.splitlines()):
        judged.setdefault(topic, {})[doc] = int(grade)
    for topic, _, doc, _, score, _ in map(str.split, run.splitlines()):
        answered.setdefault(topic, {})[doc] = float(score)
    names = pytrec_eval.supported_measures - {"relstring", "runid"}
    values = pytrec_eval.RelevanceEvaluator(judged, names, level).evaluate(answered)
    if not values:
        return
    for line in printed("--compat=9", "-qn", "-m", "all_trec", "-l", str(level), *paths).splitlines():
        name, topic, text = line.split("\t")
        if name.strip() != "relstring":
            value = values[topic][name.strip()]
            assert text == (f"{value:.0f}" if name.startswith("num_") else f"{value:6.4f}"), line


# --- lines --------------------------------------------------------------------------------------------


@given(st.lists(st.floats() | st.integers(-20, 20020).map(lambda i: i / 20000)))
def test_values_print_as_c_prints_them(values):
    assert lines.decimals(np.array(values)) == [f"{value:6.4f}" for value in values]


def test_halves_at_the_fifth_decimal_round_as_the_binary_number_does():
    halves = np.arange(5, 100_000, 10) / 100_000
    around = np.concatenate([halves, np.nextafter(halves, 0), np.nextafter(halves, 1)])
    assert lines.decimals(around) == [f"{value:6.4f}" for value in around.tolist()]


# --- small cases by hand ------------------------------------------------------------------------------

QRELS = "1 0 a 2\n1 0 b 0\n1 0 c 1\n2 0 a 1\n2 0 d -1\n3 0 z 1\n"
RUN = "1 Q0 a 1 3.0 t\n1 Q0 b 1 3.0 t\n1 Q0 x 1 2.0 t\n2 Q0 d 1 2.0 t\n2 Q0 a 1 1.0 t\n3 Q0 z 1 1.0 last one\n"


def fields(text: str) -> list[list[str]]:
    return [[field.strip() for field in line.split("\t")] for line in text.splitlines()]


@pytest.fixture
def ours_alone(tmp_path):
    """Evaluate texts, by default `QRELS` and `RUN`."""

    def evaluate(options: str, qrels: str = QRELS, run: str = RUN) -> list[list[str]]:
        return fields(printed(*options.split(), *written(tmp_path, qrels, run)))

    return evaluate


@pytest.fixture
def case(ours_alone, tmp_path):
    """The same, for what the program itself must print too, where there is one."""

    def evaluate(options: str, qrels: str = QRELS, run: str = RUN) -> list[list[str]]:
        compat = 9 if "--compat 9" in options else 10
        if REFERENCES[compat]:
            arguments = options.replace("--compat 9", "").split()
            theirs, status = reference(compat, [*arguments, *written(tmp_path, qrels, run)])
            mine, end = ours(compat, [*arguments, *written(tmp_path, qrels, run)])
            assert (fields(mine), end) == (fields(theirs) if status == 0 else [], status)
        return ours_alone(options, qrels, run)

    return evaluate


def refusal(case, *arguments: str) -> tuple[str, int]:
    """What is said, and the exit status."""
    with pytest.raises(TruerankError) as caught:
        case(*arguments)
    return str(caught.value), caught.value.status if isinstance(caught.value, TrecEvalError) else FILES


def test_rows_stand_in_the_references_order_whatever_the_order_of_the_options(case):
    rows = case("-m P.10,5 -m map -m num_q -m runid")
    assert [row[0] for row in rows] == ["runid", "num_q", "map", "P_5", "P_10"]


def test_topics_stand_in_the_order_of_their_bytes(case):
    rows = case("-qn -m num_ret", "2 0 a 1\n10 0 a 1\n1 0 a 1\n", "2 0 a 1 1 t\n10 0 a 1 1 t\n1 0 a 1 1 t\n")
    assert [row[1] for row in rows] == ["1", "10", "2"]


def test_the_tag_is_the_sixth_column_of_the_last_line(case):
    assert case("-m runid", run=RUN + "\n# the end\n") == [["runid", "all", "last"]]


def test_grades_print_as_a_string(case):
    qrels = "1 0 a 12\n1 0 b 9\n1 0 c -1\n1 0 d 0\n"
    run = "".join(f"1 Q0 {doc} 1 {score} t\n" for doc, score in zip("abcdx", (5, 4, 3, 2, 1), strict=True))
    assert case("-q -m relstring", qrels, run) == [["relstring", "1", "'>9.0-'"]]
    assert case("-q -m relstring.2", qrels, run) == [["relstring_2", "1", "'>9'"]]


def test_the_first_parameters_count_and_those_of_a_nickname_do_not(case):
    assert [row[0] for row in case("-m P -m P.3 -m P.7")] == ["P_3"]
    assert [row[0] for row in case("-m set.5")] == list(NICKNAMES["set"])


def test_scores_are_doubles_in_10_and_floats_in_9(case):
    run = "1 Q0 a 1 0.123456789 t\n1 Q0 b 2 0.123456788 t\n"
    assert case("-m recip_rank", "1 0 a 1\n", run) == [["recip_rank", "all", "1.0000"]]
    assert case("--compat 9 -m recip_rank", "1 0 a 1\n", run) == [["recip_rank", "all", "0.5000"]]


SHORT_RUN = "1 Q0 a 1 3.0 t\n"


def test_a_topic_without_an_answer_ends_10_and_is_left_out_by_9(case):
    assert refusal(case, "-q -m map", QRELS, SHORT_RUN)[1] == CALCULATION
    assert case("--compat 9 -q -m map", QRELS, SHORT_RUN) == [["map", "1", "0.5000"], ["map", "all", "0.5000"]]


def test_with_c_a_topic_without_an_answer_counts_0_and_has_rows_in_10_only(case):
    rows = case("-c -q -m map", QRELS, SHORT_RUN)
    assert [row[1:] for row in rows] == [["1", "0.5000"], ["2", "0.0000"], ["3", "0.0000"], ["all", "0.1667"]]
    assert case("--compat 9 -c -q -m map", QRELS, SHORT_RUN) == [rows[0], rows[3]]


def test_names_with_parameters_keep_what_10_forgets_to_empty_in_a_topic_without_an_answer(case):
    asked = "-m relstring -m utility -m rbp_resid -m unj"
    rows = case(f"-cqn {asked}", "1 0 a 1\n2 0 a 1\n", SHORT_RUN)
    assert {row[2] for row in rows if row[1] == "2"} == {"''", "0.0000"}
    asked = "-m relstring.10 -m utility.1,-1,0,0 -m rbp_resid.p=0.5"
    rows = case(f"-cqn {asked}", "1 0 a 1\n2 0 a 1\n", SHORT_RUN)
    assert [row[2] for row in rows if row[1] == "2"] == ["'-'", "-1.0000", "1.0000"]


def test_num_rel_of_all_topics_with_c_forgets_the_level(case):
    rows = case("-c -q -l 2 -m num_rel")
    assert [row[2] for row in rows] == ["1", "0", "0", "4"]


def test_the_level_does_not_concern_what_reads_grades(case):
    names = "-m ndcg -m dcg -m ideal_dcg -m G -m ndcg_rel -m ndcg_cut.3"
    assert case(f"{names} -l 2") == case(f"{names} -l 1")


def test_rprec_mult_rounds_up_in_both_versions_and_recall_points_in_9_only(case):
    qrels = "".join(f"1 0 {doc} 1\n" for doc in "abc")
    run = "1 Q0 x 1 2 t\n1 Q0 a 2 1 t\n"
    asked = "-m Rprec_mult.0.4 -m iprec_at_recall.0.4"
    assert [row[2] for row in case(asked, qrels, run)] == ["0.5000", "0.5000"]
    assert [row[2] for row in case(f"--compat 9 {asked}", qrels, run)] == ["0.0000", "0.5000"]


def test_rbp_resid_of_a_list_judged_throughout_is_0(case):
    assert case("-m rbp_resid", "1 0 a 1\n1 0 b 0\n", SHORT_RUN) == [["rbp_resid", "all", "0.0000"]]
    run = SHORT_RUN + "1 Q0 x 2 1.0 t\n"
    assert case("-m rbp_resid", "1 0 a 1\n", run) == [["rbp_resid", "all", "0.9000"]]


def test_no_topic_in_both_files_ends_9_with_7_and_10_with_4(case):
    assert refusal(case, "--compat 9", QRELS, "9 Q0 a 1 1.0 t\n")[1] == NOTHING
    assert refusal(case, "-q", QRELS, "9 Q0 a 1 1.0 t\n")[1] == CALCULATION


def test_the_depth_cuts_before_unjudged_documents_leave(case):
    run = "1 Q0 x 1 9 t\n1 Q0 a 2 8 t\n1 Q0 c 3 7 t\n"
    assert case("-J -M 2 -m num_ret -m recip_rank", "1 0 a 1\n1 0 c 1\n", run) == [
        ["num_ret", "all", "1"],
        ["recip_rank", "all", "1.0000"],
    ]


TWICE = SHORT_RUN + "1 Q0 a 2 1.0 t\n"


def test_a_document_twice_ends_with_4_unless_it_does_not_count(case):
    message, status = refusal(case, "-m map", "1 0 a 1\n", TWICE)
    assert ("run: document a comes back twice for topic 1" in message, status) == (True, CALCULATION)
    assert case("-M 1 -m num_ret", "1 0 a 1\n", TWICE) == [["num_ret", "all", "1"]]
    assert case("-m num_ret", "2 0 a 1\n", TWICE + "2 Q0 a 1 1.0 t\n") == [["num_ret", "all", "1"]]


def test_columns_beyond_the_sixth_are_no_matter(case):
    run = "  # a comment\n1 Q0 a 1 3.0 my own tag\n1 Q0 b 2 2.0 t"
    assert case("-m runid -m num_ret", "1 0 a 1\n", run) == [["runid", "all", "t"], ["num_ret", "all", "2"]]


Z = """\
1 map 0 0.5
1 num_ret 1 4
2 map 0.5 0
2 num_ret 1 1
3 map 1 0
3 num_ret 1 1
4 the-reference-reads-one-topic-and-measure 0 1
"""


def test_z_scores_have_a_z_and_no_whole_numbers(case, tmp_path):
    (tmp_path / "z").write_text(Z)
    rows = case(f"-q -m map -m num_ret -m relstring -Z {tmp_path / 'z'}")
    assert [row[2] for row in rows if row[0] == "Zmap"] == ["0.5000", "0.0000", "0.0000", "0.1667"]
    assert [row[2] for row in rows if row[0] == "Znum_ret"] == ["0.5000", "1.0000", "0.0000", "1.5000"]
    assert [row[0] for row in rows if row[1] == "1"] == ["Znum_ret", "Zmap", "relstring"]


def test_what_z_scores_know_nothing_of_is_minus_a_million(case, tmp_path):
    (tmp_path / "z").write_text("1 map 0.25 0\n2 map 0.75 0\n4 too 0 0\n")
    rows = case(f"-qn -m map -Z {tmp_path / 'z'}")
    assert [row[2] for row in rows] == ["0.0000", "-1000000.0000", "-1000000.0000"]


# --- where the reference is wrong, and this is not: docs/trec_eval.md lists these ----------------------

ONE, ANSWER = "1 0 a 1\n", "1 Q0 a 1 3.0 t\n"


@pytest.mark.parametrize("score", ["abc", "nan", "inf", "1e400", "0x10", "1.0x"])
def test_a_score_that_is_no_finite_number_is_refused(ours_alone, score):
    message, status = refusal(ours_alone, "", ONE, f"1 Q0 b 1 2.0 t\n1 Q0 a 1 {score} t\n")
    assert ("run:2: the score is" in message, status) == (True, FILES)


def test_a_grade_that_is_no_number_is_refused(ours_alone):
    message, status = refusal(ours_alone, "", "1 0 a x\n", ANSWER)
    assert ("qrels:1: the grade is no number" in message, status) == (True, FILES)


def test_fractional_grades_count_as_they_are(ours_alone):
    rows = ours_alone("-m ndcg -m num_rel", "1 0 a 0.5\n1 0 b 1.5\n", "1 Q0 a 1 2 t\n1 Q0 b 1 1 t\n")
    worth = (0.5 + 1.5 / 1.584962500721156) / (1.5 + 0.5 / 1.584962500721156)
    assert rows == [["num_rel", "all", "1"], ["ndcg", "all", f"{worth:.4f}"]]
    assert ours_alone("-l 0.5 -m num_rel", "1 0 a 0.5\n", ANSWER) == [["num_rel", "all", "1"]]


@pytest.mark.parametrize("compat", ["9", "10"])
def test_blank_lines_and_comments_are_read_over(ours_alone, compat):
    qrels = "# one\n# two\n\n1 0 a 1\n# three\n"
    assert ours_alone(f"--compat {compat} -m num_rel", qrels, f"# hm\n\n{ANSWER}#\n") == [["num_rel", "all", "1"]]


def test_compressed_files_are_read(tmp_path):
    (tmp_path / "run.gz").write_bytes(gzip.compress(ANSWER.encode()))
    qrels, _ = written(tmp_path, ONE, "")
    assert printed("-m", "runid", qrels, tmp_path / "run.gz") == "runid                 \tall\tt\n"


def test_a_document_judged_twice_is_refused_even_where_nothing_answers(ours_alone):
    message, status = refusal(ours_alone, "--compat 9", ONE + "2 0 a 1\n2 0 a 1\n", ANSWER)
    assert ("qrels:3: document a of query 2 is judged twice" in message, status) == (True, FILES)


@pytest.mark.parametrize("run", ["", "\n", "# nothing\n"])
def test_a_run_without_rows_is_refused(ours_alone, run):
    assert refusal(ours_alone, "", ONE, run)[1] == FILES


@pytest.mark.parametrize(
    "option", ["-l x", "-l -1", "-l nan", "-M 0", "-M x", "-N x", "-N -1", "-D1", "--compat 8"]
)
def test_options_that_mean_nothing_are_refused(ours_alone, option):
    message, status = refusal(ours_alone, option)
    assert (message.startswith(option[:2]), status) == (True, USAGE)


PARAMETERS = ["P.5x", "P.0", "P.5,5", "P.", "iprec_at_recall.1.5", "11pt_avg.2", "set_F.x", "utility.1"]
PAIRS = ["ndcg.5", "ndcg.p=5", "ndcg.-1=5", "ndcg.1=2,1=3", "G.1=", "rbp.1=1", "rbp.p=2"]


@pytest.mark.parametrize("name", PARAMETERS + PAIRS)
def test_parameters_that_a_measure_cannot_have_are_refused(ours_alone, name):
    message, status = refusal(ours_alone, f"-m {name}")
    assert status == (USAGE if name == "P." else FILES)
    assert name in message or "from 0 to 1" in message


def test_recall_levels_of_the_average_are_taken_in_order(ours_alone):
    qrels = "".join(f"1 0 {doc} 1\n" for doc in "abcd")
    values = [ours_alone(f"-m 11pt_avg.{levels}", qrels, ANSWER)[0][2] for levels in ("0.25,1", "1,0.25")]
    assert values == ["0.5000", "0.5000"]


def test_gains_less_than_1_apart_are_different(ours_alone):
    qrels = "1 0 a 1\n1 0 b 2\n1 0 c 3\n"
    run = "1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n1 Q0 c 3 1 t\n"
    ideal = 0.9 + 0.5 / 1.584962500721156 + 0.2 / 2
    found = 0.9 + 0.2 / 1.584962500721156 + 0.5 / 2
    assert ours_alone("-m ndcg.1=0.9,2=0.2,3=0.5", qrels, run)[0][2] == f"{found / ideal:.4f}"


def test_dcg_and_ndcg_have_parameters_of_their_own(ours_alone):
    values = dict(row[::2] for row in ours_alone("-m dcg -m ideal_dcg.1=3 -m ndcg", ONE, ANSWER))
    assert values == {"dcg": "1.0000", "ideal_dcg_1=3": "3.0000", "ndcg": "1.0000"}


def test_rbp_divides_by_the_topics_highest_grade_where_that_is_above_1(ours_alone):
    qrels, run = "1 0 a 2\n1 0 b 1\n2 0 a 1\n", "1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n2 Q0 a 1 1 t\n"
    rows = ours_alone("-q -m ndcg -m rbp", qrels, run)
    assert [row[2] for row in rows if row[0] == "rbp"] == ["0.1400", "0.1000", "0.1200"]


@pytest.mark.parametrize("compat", ["9", "10"])
@pytest.mark.parametrize("name", ["iprec_at_recall", "11pt_avg", "Rndcg.1=0", "set_P"])
def test_nothing_is_ever_nan(ours_alone, compat, name):
    rows = ours_alone(f"--compat {compat} -J -m {name}", "1 0 b 1\n", ANSWER)
    assert {row[2] for row in rows} == {"0.0000"}


@pytest.mark.parametrize("compat", ["9", "10"])
def test_a_topic_judged_below_0_throughout_scores_0(ours_alone, compat):
    rows = ours_alone(f"--compat {compat} -q -m map -m ndcg", "1 0 a -2\n2 0 a 1\n3 0 a -2\n", "".join(
        f"{topic} Q0 a 1 1 t\n" for topic in "123"
    ))  # fmt: skip
    assert [row[2] for row in rows if row[0] == "map"] == ["0.0000", "1.0000", "0.0000", "0.3333"]


def test_a_level_above_all_grades_scores_0(ours_alone):
    assert ours_alone("-l 1000000 -m bpref -m map") == [["map", "all", "0.0000"], ["bpref", "all", "0.0000"]]


def test_a_file_of_z_scores_that_cannot_be_read_names_the_line(ours_alone, tmp_path):
    (tmp_path / "z").write_text("1 map 0.5 0\n2 map x 0\n")
    message, status = refusal(ours_alone, f"-Z {tmp_path / 'z'}")
    assert ("z:2: a line has four columns" in message, status) == (True, FILES)


def test_z_scores_beyond_the_last_topic_are_unknown(ours_alone, tmp_path):
    (tmp_path / "z").write_text("0 map 0.5 0\n")
    assert {row[2] for row in ours_alone(f"-m map -Z {tmp_path / 'z'}")} == {"-1000000.0000"}


@pytest.mark.parametrize("option", ["-R prefs", "-T qrels", "-m prefs_simp", "-m all_prefs", "-m qrels_jg"])
def test_preferences_and_judgement_groups_are_still_to_come(ours_alone, option):
    assert "still to come" in refusal(ours_alone, option)[0]


# --- names and help -----------------------------------------------------------------------------------


def test_an_unknown_measure_is_told_with_what_was_meant(ours_alone):
    message, status = refusal(ours_alone, "-m ndgc_cut")
    assert ("Did you mean ndcg_cut?" in message, status) == (True, USAGE)
    assert "came with trec_eval 10" in refusal(ours_alone, "--compat 9 -m rbp")[0]


@pytest.mark.parametrize("compat", [9, 10])
def test_the_help_names_every_measure_and_nickname_of_the_version(compat):
    words = help_text(Options(compat=compat)).replace(":", " ").split()
    names = {name for name, listed in CATALOG.items() if listed.since <= compat}
    assert names | set(NICKNAMES) <= set(words)
    assert not (set(CATALOG) - names) & set(words)


def test_every_measure_is_explained_with_parameters_that_it_takes():
    for name, listed in CATALOG.items():
        text = help_text(Options(measures=(name,)))
        assert text.startswith(name + "\n  ")
        assert ("Parameters: -m " in text) == bool(listed.takes)
        if listed.takes:
            columns([text.split("Parameters: -m ")[1].strip()], 10)
