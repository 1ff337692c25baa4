"""`truerank trec_eval`: trec_eval's arguments, bytes and exit statuses."""

from __future__ import annotations

import shlex

import pytest

OFFICIAL = """\
runid                 \tall\tt
num_q                 \tall\t3
num_ret               \tall\t4
num_rel               \tall\t3
num_rel_ret           \tall\t3
map                   \tall\t0.5278
gm_map                \tall\t0.0180
Rprec                 \tall\t0.5000
bpref                 \tall\t0.6667
recip_rank            \tall\t0.5000
iprec_at_recall_0.00  \tall\t0.5556
"""


def test_the_official_measures_are_printed_by_default(invoke):
    done = invoke("trec_eval", "-c", "qrels.txt", "first.run")
    assert (done.exit_code, done.stdout[: len(OFFICIAL)]) == (0, OFFICIAL)
    cutoffs = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
    assert [line.split()[0] for line in done.stdout.splitlines()[-9:]] == [f"P_{k}" for k in cutoffs]


@pytest.mark.parametrize(
    "arguments",
    [
        "-q -c -m map qrels.txt first.run",
        "-qc -mmap qrels.txt first.run",
        "qrels.txt -m map first.run -cq",
        "--query --complete --measure=map -- qrels.txt first.run",
        "-c -q -m map.5 -m map qrels.txt first.run",
    ],
)
def test_options_may_be_joined_shortened_and_mixed_with_files(invoke, arguments):
    done = invoke("trec_eval", *arguments.split())
    assert [line.split()[1:] for line in done.stdout.splitlines()] == [
        ["q1", "0.5833"],
        ["q2", "1.0000"],
        ["q3", "0.0000"],
        ["all", "0.5278"],
    ]


def test_nothing_is_printed_without_rows_to_print(invoke):
    done = invoke("trec_eval", "-n", "-c", "qrels.txt", "first.run")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")


def test_a_run_comes_from_standard_input(shell):
    done = shell("truerank trec_eval -c -m map -m runid qrels.txt - < first.run")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == b"runid                 \tall\tt\nmap                   \tall\t0.5278\n"


def test_qrels_come_from_standard_input_too(shell):
    done = shell("truerank trec_eval --compat 9 -m num_q - first.run < qrels.txt")
    assert (done.returncode, done.stdout) == (0, b"num_q                 \tall\t2\n")


def test_a_compressed_run_through_a_pipe_has_its_tag_too(shell):
    done = shell("gzip -c first.run | truerank trec_eval -c -m runid qrels.txt -")
    assert (done.returncode, done.stdout) == (0, b"runid                 \tall\tt\n")


def test_ids_come_out_as_the_bytes_that_went_in(here, shell):
    (here / "odd.qrels").write_bytes(b"\xff\xe9 0 a 1\n")
    (here / "odd.run").write_bytes(b"\xff\xe9 Q0 a 1 1.0 \xe9\n")
    done = shell("truerank trec_eval -q -m map -m runid odd.qrels odd.run")
    assert done.stdout.splitlines()[:2] == [
        b"map                   \t\xff\xe9\t1.0000",
        b"runid                 \tall\t\xe9",
    ]


def test_the_version_goes_to_standard_error(shell):
    assert shell("truerank trec_eval -v").stderr == b"trec_eval version 10.0\n"
    for arguments in ("--compat 9 --version", "-v --compat 9", "--compat 10 -v --compat=9"):
        assert shell(f"truerank trec_eval {arguments}").stderr == b"trec_eval version 9.0.8\n"


def test_the_help_is_about_all_or_about_the_measures_asked_for(invoke):
    assert "--complete_rel_info_wanted" in invoke("trec_eval", "-h").stdout
    assert "the geometric mean" in invoke("trec_eval", "-h", "-m", "gm_map").stdout
    done = invoke("trec_eval", "--help", "-m", "recip_rank")
    assert "the geometric mean" not in done.stdout
    assert (done.exit_code, done.stdout.split("\n")[0]) == (0, "recip_rank")


def test_a_word_about_a_parameter_goes_to_standard_error(invoke):
    done = invoke("trec_eval", "-c", "-m", "P.1.5", "qrels.txt", "first.run")
    assert (done.exit_code, done.stdout.split("\t")[0].strip()) == (0, "P_1")
    assert done.stderr == "truerank: trec_eval: -m P.1.5: '1.5' is read as 1\n"


@pytest.mark.parametrize("option", ["--c", "--comp", "--complete"])
def test_long_options_are_shortened_as_the_reference_has_them(invoke, option):
    whole = invoke("trec_eval", "-c", "qrels.txt", "first.run")
    short = invoke("trec_eval", option, "qrels.txt", "first.run")
    assert (short.exit_code, short.stdout) == (0, whole.stdout)
    old = invoke("trec_eval", "--compl", "--compat=9", "-m", "num_q", "qrels.txt", "first.run")
    assert (old.exit_code, old.stdout) == (0, "num_q                 \tall\t3\n")


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        ("-Y qrels.txt first.run", 1, "-h` lists the options"),
        ("qrels.txt", 1, "two files are needed, qrels and a run, and not 1"),
        ("'' first.run", 2, "trec_eval: an empty name is that of no file"),
        ("-m nope qrels.txt first.run", 1, "no such measure"),
        ("-l x qrels.txt first.run", 1, "-l is a grade"),
        ("qrels.txt nowhere.run", 2, "nowhere.run: there is no such file"),
        ("first.run qrels.txt", 2, "are the two files swapped?"),
        ("-R qrels_jg qrels.txt first.run", 4, "-m num_ret needs -R qrels"),
        ("-R qrels.jg qrels.txt first.run", 2, "the formats of judgements are qrels, qrels_jg"),
        ("-m P.0 qrels.txt first.run", 2, "at least 1"),
        ("-q qrels.txt first.run", 4, "topic q3 is judged but not answered; -c counts it as 0"),
        ("-c qrels.txt twice.run", 4, "document a is returned twice for topic q1"),
        ("--compat 9 qrels.txt other.run", 7, "no judged topic is answered"),
    ],
)
def test_what_is_wrong_is_told_in_one_line_with_the_references_status(here, invoke, arguments, status, words):
    (here / "twice.run").write_text("q1 Q0 a 1 3.0 t\nq1 Q0 a 2 2.0 t\n")
    (here / "other.run").write_text("q9 Q0 a 1 3.0 t\n")
    done = invoke("trec_eval", *shlex.split(arguments))
    assert (done.exit_code, done.stdout) == (status, "")
    assert done.stderr.startswith("truerank: ")
    assert (words in done.stderr, done.stderr.count("\n")) == (True, 1)
