"""trec_eval's own bytes: against its recorded output, against the program where there is one, and by hand.

TREC_EVAL (10.0) and TREC_EVAL_9 (9.0.4 to 9.0.8) name programs to compare with; TREC_EVAL_CASES says how often, and
TREC_EVAL_SEED begins other random cases.
"""

from __future__ import annotations

import gzip
import math
import os
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trec_eval_cases import (
    QRELS,
    REFERENCES,
    RUN,
    Rows,
    deviations,
    fields,
    files,
    flags,
    ours,
    printed,
    reference,
    refusal,
    repeated,
    rows,
    written,
)
from truerank.core.errors import InputError
from truerank.core.run import Run
from truerank.interop.trec_eval import lines, zscores
from truerank.interop.trec_eval.catalog import NICKNAMES
from truerank.interop.trec_eval.reading import LastRow
from truerank.interop.trec_eval.status import CALCULATION, NOTHING

ROBUST = Path(__file__).parents[3] / "shared" / "data" / "robust03"
RUNS = ("InexpC2", "NLPR03vb10", "humR03dc", "pircRBa1", "rutcor03100", "uic0301")
CASES = int(os.environ.get("TREC_EVAL_CASES", "300"))


@pytest.mark.skipif(not ROBUST.is_dir(), reason="the recorded TREC 2003 runs are not here")
@pytest.mark.parametrize("compat", [9, 10])
@pytest.mark.parametrize("run", RUNS)
def test_six_trec_runs_print_the_recorded_bytes(run, compat):
    golden = gzip.decompress((ROBUST / "golden" / f"{run}.te{compat}.txt.gz").read_bytes()).decode()
    options = ["--compat", str(compat), "-c", "-q", "-m", "all_trec", "-m", "relstring.20"]
    assert printed(*options, ROBUST / "qrels.txt.gz", ROBUST / f"{run}.run.gz") == golden


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


def is_explained(theirs: str, arguments: list[str]) -> bool:
    """Whether a line of the reference shows a fault that docs/trec_eval.md lists."""
    undefined = "nan" in theirs
    alone = arguments.count("-m") == 1
    return undefined or (theirs.lstrip("Z").startswith("rbp") and "rbp_resid" not in theirs and not alone)


@settings(max_examples=60)
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


@given(st.lists(st.floats() | st.integers(-20, 20020).map(lambda i: i / 20000)))
def test_values_print_as_c_prints_them(values):
    of_c = ["  -nan" if math.isnan(value) and math.copysign(1, value) < 0 else f"{value:6.4f}" for value in values]
    assert lines.decimals(np.array(values)) == of_c


def test_halves_at_the_fifth_decimal_round_as_the_binary_number_does():
    halves = np.arange(5, 100_000, 10) / 100_000
    around = np.concatenate([halves, np.nextafter(halves, 0), np.nextafter(halves, 1)])
    assert lines.decimals(around) == [f"{value:6.4f}" for value in around.tolist()]


@pytest.fixture
def case(tmp_path):
    """What is printed for two texts; the program itself must print the same, where there is one."""

    def evaluate(options: str, qrels: str = QRELS, run: str = RUN) -> Rows:
        compat = 9 if "--compat 9" in options else 10
        if REFERENCES[compat]:
            arguments = options.replace("--compat 9", "").split()
            theirs, status = reference(compat, [*arguments, *written(tmp_path, qrels, run)])
            mine, end = ours(compat, [*arguments, *written(tmp_path, qrels, run)])
            assert (fields(mine), end) == (fields(theirs) if status == 0 else [], status)
        return rows(tmp_path, options, qrels, run)

    return evaluate


def test_rows_stand_in_the_references_order_whatever_the_order_of_the_options(case):
    rows = case("-m P.10,5 -m map -m num_q -m runid")
    assert [row[0] for row in rows] == ["runid", "num_q", "map", "P_5", "P_10"]


def test_topics_stand_in_the_order_of_their_bytes(case):
    rows = case("-qn -m num_ret", "2 0 a 1\n10 0 a 1\n1 0 a 1\n", "2 0 a 1 1 t\n10 0 a 1 1 t\n1 0 a 1 1 t\n")
    assert [row[1] for row in rows] == ["1", "10", "2"]


def test_the_tag_is_the_sixth_column_of_the_last_line(case):
    assert case("-m runid", run=RUN + "\n# the end\n") == [["runid", "all", "last"]]
    for tag in ("t", "t" * 5000):
        assert case("-m runid", "1 0 a 1\n", f"1 Q0 a 1 3.0 {tag}\n") == [["runid", "all", tag]]


def test_the_tag_is_the_same_wherever_a_stream_is_cut():
    text = b"# 6 words, and no row at all\n1 Q0 a 1 2.0 one\n2 Q0 b 1 2.0 two\n\n# the end"
    for cut in range(len(text)):
        last = LastRow()
        list(last.watching(Run("a", lambda cut=cut: iter([text[:cut], text[cut:]]))).batches())
        assert last.tag == b"two"


def test_grades_print_as_a_string(case):
    qrels = "1 0 a 12\n1 0 b 9\n1 0 c -1\n1 0 d 0\n"
    run = "".join(f"1 Q0 {doc} 1 {score} t\n" for doc, score in zip("abcdx", (5, 4, 3, 2, 1), strict=True))
    assert case("-q -m relstring", qrels, run) == [["relstring", "1", "'>9.0-'"]]
    assert case("-q -m relstring.2", qrels, run) == [["relstring_2", "1", "'>9'"]]
    assert case("-q -m relstring.1", "1 0 a 10\n", run) == [["relstring_1", "1", "'>'"]]


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


def test_at_level_0_every_judged_document_is_relevant(case):
    assert case("-l 0 -m recip_rank -m num_rel", "1 0 a 0\n1 0 c 1\n", SHORT_RUN) == [
        ["num_rel", "all", "2"],
        ["recip_rank", "all", "1.0000"],
    ]


def test_the_level_does_not_concern_what_reads_grades(case):
    names = "-m ndcg -m dcg -m ideal_dcg -m G -m ndcg_rel -m ndcg_cut.3"
    assert case(f"{names} -l 2") == case(f"{names} -l 1")


def test_gains_may_be_below_0(case):
    qrels = "1 0 a 2\n1 0 b 1\n1 0 c 0\n1 0 e 1\n"
    run = "1 Q0 b 1 3 t\n1 Q0 c 2 2 t\n1 Q0 a 3 1 t\n"
    asked = "--compat 9 -m ndcg.1=-1 -m ndcg_rel.1=-1 -m Rndcg.1=-1 -m G.1=-1"
    assert [row[2] for row in case(asked, qrels, run)] == ["0.2153", "0.0000", "0.0000", "-0.2500"]
    best = 2 + 1 / 1.584962500721156 + 1 / 2
    lost = f"{(1 - 1 / 1.584962500721156 + 2 / 2) / best:.4f}"
    assert case("--compat 9 -m ndcg.0=-1", qrels, run) == [["ndcg_0=-1", "all", lost]]


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


def test_rbp_resid_of_a_list_is_of_its_own_length(case):
    lists = {"1": "ax", "2": "xyaz"}
    run = "".join(f"{q} Q0 {doc} 1 {-rank} t\n" for q, docs in lists.items() for rank, doc in enumerate(docs))
    shares = {"1": 0.9**2 + 0.1 * 0.9, "2": 0.9**4 + 0.1 * (1 + 0.9 + 0.9**3)}
    assert case("-qn -m rbp_resid", "1 0 a 1\n2 0 a 1\n", run) == [
        ["rbp_resid", topic, f"{share:.4f}"] for topic, share in shares.items()
    ]


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
    assert ("run: document a is returned twice for topic 1" in message, status) == (True, CALCULATION)
    assert case("-M 1 -m num_ret", "1 0 a 1\n", TWICE) == [["num_ret", "all", "1"]]
    assert case("-m num_ret", "2 0 a 1\n", TWICE + "2 Q0 a 1 1.0 t\n") == [["num_ret", "all", "1"]]


def test_what_the_depth_leaves_of_equal_scores_is_the_same_where_documents_come_twice_elsewhere(case, tmp_path):
    run, two = "1 Q0 a 1 1 t\n1 Q0 b 1 1 t\n2 Q0 y 1 2 t\n", "2 Q0 x 1 1 t\n9 Q0 x 1 1 t\n"
    for more in ("", 2 * two):
        assert case("-qn -M 1 -m map", "1 0 b 1\n2 0 y 1\n", run + more) == [
            ["map", topic, "1.0000"] for topic in "12"
        ]
        judged, asked = "1 0 a 1\n1 0 b 0\n2 0 y 1\n", "-qn -M 1 -R qrels_prefs -m prefs_num_prefs_ful"
        assert rows(tmp_path, asked, judged, run + more)[0] == ["prefs_num_prefs_ful", "1", "1"]


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


@pytest.mark.parametrize("line", ["2 map", "2 map 0.5", "2 map 0.5 x", "2 map x 1", "2 map 0 1 2"])
def test_a_line_of_means_and_deviations_has_these_and_a_topic_and_a_measure(tmp_path, line):
    (tmp_path / "z").write_text(f"1 map 0.25 nan\n{line}\n")
    with pytest.raises(InputError, match="z:2: a line has four columns: topic, measure, mean, deviation"):
        zscores.read(str(tmp_path / "z"))
