"""Where trec_eval is wrong, or ends otherwise, and `truerank trec_eval` does not: docs/trec_eval.md lists these."""

from __future__ import annotations

import functools
import gzip

import pytest

from trec_eval_cases import printed, refusal, rows, written
from truerank.interop.trec_eval import Options, help_text, trec_eval
from truerank.interop.trec_eval.catalog import CATALOG, NICKNAMES
from truerank.interop.trec_eval.columns import columns
from truerank.interop.trec_eval.status import FILES, USAGE

ONE, ANSWER = "1 0 a 1\n", "1 Q0 a 1 3.0 t\n"


@pytest.fixture
def ours_alone(tmp_path):
    """What is printed for two texts."""
    return functools.partial(rows, tmp_path)


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


def test_a_byte_order_mark_is_no_part_of_the_first_topic(ours_alone):
    assert ours_alone("-m map", f"\ufeff{ONE}", f"\ufeff{ANSWER}") == [["map", "all", "1.0000"]]


@pytest.mark.parametrize("blank", ["\v", "\f", "\r"])
def test_a_control_character_is_no_blank(ours_alone, blank):
    message, status = refusal(ours_alone, "", ONE, ANSWER.replace(" ", blank, 1))
    assert ("run:1: this line holds a control character" in message, status) == (True, FILES)


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


PARAMETERS = ["P.x", "P.0", "P.5,5", "P.", "iprec_at_recall.1.5", "11pt_avg.2", "set_F.x", "utility.1"]
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


def test_a_format_of_runs_that_there_is_not_is_refused(ours_alone):
    assert refusal(ours_alone, "-T qrels") == ("-T qrels: the format of runs is trec_results", FILES)


@pytest.mark.parametrize(
    ("asked", "printed_as", "said"),
    [
        ("ndcg_cut.10,23.4", ["ndcg_cut_10", "ndcg_cut_23"], "'23.4' is read as 23"),
        ("P.5x", ["P_5"], "'5x' is read as 5"),
        ("iprec_at_recall.0.5.5", ["iprec_at_recall_0.50"], "'0.5.5' is read as 0.5"),
        ("set_F.2y", ["set_F_2y"], "'2y' is read as 2"),
        ("ndcg.1=3k", ["ndcg_1=3k"], "'3k' is read as 3"),
    ],
)
def test_what_is_readable_of_a_parameter_is_read_with_a_word(tmp_path, asked, printed_as, said):
    words: list[str] = []
    options = Options.parse(["-m", asked, *written(tmp_path, ONE, ANSWER)])
    lines = b"".join(trec_eval(options, say=words.append)).decode().splitlines()
    assert [line.split()[0] for line in lines] == printed_as
    assert words == [f"-m {asked}: {said}"]


@pytest.mark.parametrize(
    ("asked", "printed_as", "said"),
    [
        (
            "-m recip_rank.10",
            ["recip_rank"],
            ["recip_rank.10: recip_rank takes no parameters; -M 10 cuts the lists"],
        ),
        ("-m map.5,10", ["map"], ["map.5,10: map takes no parameters; map_cut.5,10 is at a cutoff"]),
        ("-m map.x", ["map"], ["map.x: map takes no parameters"]),
        ("-m P.5 -m P.10 -m P.5", ["P_5"], ["P.10: -m P.5 came first, and decides"]),
        ("-m P -m P.10", ["P_10"], []),
    ],
)
def test_parameters_that_are_read_over_are_told(tmp_path, asked, printed_as, said):
    words: list[str] = []
    options = Options.parse([*asked.split(), *written(tmp_path, ONE, ANSWER)])
    lines = b"".join(trec_eval(options, say=words.append)).decode().splitlines()
    assert [line.split()[0] for line in lines] == printed_as
    assert words == [f"-m {text}" for text in said]


def test_a_cutoff_where_gains_are_expected_is_told_of_the_measure_that_has_one(ours_alone):
    message, status = refusal(ours_alone, "-m ndcg.10")
    assert ("; ndcg_cut.10 is at a cutoff" in message, status) == (True, FILES)


def test_an_unknown_measure_is_told_with_what_was_meant(ours_alone):
    message, status = refusal(ours_alone, "-m ndgc_cut")
    assert ("Did you mean ndcg_cut?" in message, status) == (True, USAGE)
    message, status = refusal(ours_alone, "-m nothing_10")
    assert ("-m nothing_10: there is no such measure." in message, status) == (True, USAGE)
    assert "came with trec_eval 10" in refusal(ours_alone, "--compat 9 -m rbp")[0]


@pytest.mark.parametrize(
    ("written", "meant"), [("P_10", "P.10"), ("ndcg_cut_5,10", "ndcg_cut.5,10"), ("ndcg@10", "ndcg_cut.10")]
)
def test_a_cutoff_that_follows_no_point_is_told_where_it_stands(ours_alone, written, meant):
    message, status = refusal(ours_alone, f"-m {written}")
    assert (f"A cutoff follows a point: {meant}. " in message, status) == (True, USAGE)


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


@pytest.mark.parametrize(("text", "shown"), [("nan", "   nan"), ("-nan", "  -nan")])
def test_z_scores_with_nan_as_the_reference_writes_them_are_read(ours_alone, tmp_path, text, shown):
    (tmp_path / "z").write_text("".join(f"{topic} map {text} {text}\n" for topic in range(1, 4)))
    values = {row[2].strip() for row in ours_alone(f"-m map -Z {tmp_path / 'z'}")}
    assert values == {shown.strip()}
