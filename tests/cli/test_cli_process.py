"""The command as a process: exit statuses, pipes, signals, terminals, files that appear whole."""

from __future__ import annotations

import array
import fcntl
import os
import pty
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import truerank as tr
from truerank.cli.progress import ReadingBar
from truerank.formats import convert

EVAL = "truerank eval qrels.txt first.run -m RR"


def on_a_terminal(command: str, **environment: str) -> bytes:
    """What a command prints when standard output and error are a terminal."""
    return seen_on_a_terminal(command, lambda printed: None, **environment)


def seen_on_a_terminal(command: str, look: Callable[[bytes], None], **environment: str) -> bytes:
    """The same; all that was printed is looked at each time that there is more of it."""
    ours, theirs = pty.openpty()
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    plain = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    env = {**plain, "PATH": path, "TERM": "xterm", "COLUMNS": "100", "LC_ALL": "C.UTF-8", **environment}
    process = subprocess.Popen(["bash", "-c", command], stdin=theirs, stdout=theirs, stderr=theirs, env=env)
    os.close(theirs)
    printed = b""
    try:
        while chunk := os.read(ours, 1 << 16):
            printed += chunk
            look(printed)
    except OSError:  # Linux's word for the end
        pass
    finally:
        os.close(ours)
    assert process.wait(60) == 0, printed
    return printed


def test_a_run_comes_through_a_pipe(shell):
    piped = shell("cat first.run | truerank eval qrels.txt - -m RR")
    assert (piped.returncode, piped.stderr) == (0, b"")
    assert b"0.5000" in piped.stdout


def test_a_compressed_run_comes_through_a_pipe(shell):
    piped = shell("gzip -c first.run | truerank eval qrels.txt - -m RR -f trec 2> /dev/null")
    assert b"RR\tall\t0.5000\n" in piped.stdout


ESTIMATED = "--judged-by {qrels.txt} --predicted-by {qrels.txt} --sample random -m RR"


@pytest.mark.parametrize(
    "arguments",
    [
        "lint qrels.txt {first.run}",
        "eval {qrels.txt} {first.run} --rules science-qa --set extra=skip",
        "explain qrels.txt first.run {second.run} -m RR",
        f"check {ESTIMATED} {{first.run}} --no-worse-than {{second.run}} --margin 1",
        "check qrels.txt first.run --no-worse-than second.run --items {items} -m Popularity@3 --margin 1",
    ],
)
def test_what_comes_through_pipes_of_the_shell_is_read_once(shell, here, arguments):
    (here / "items").write_text("item_id,count\na,2\nb,1\n")
    piped = shell(f"truerank {arguments.replace('{', '<(cat ').replace('}', ')')}")
    plain = shell(f"truerank {arguments.replace('{', '').replace('}', '')}")
    assert (piped.returncode, piped.stderr) == (plain.returncode, b"")
    assert piped.stdout.count(b"\n") == plain.stdout.count(b"\n") > 1


def test_a_reader_that_stops_early_is_no_error(shell):
    shell("for i in $(seq 20000); do echo q$i 0 a 1; done > qrels.txt; echo q1 Q0 a 1 1 t > first.run")
    done = shell(f"{EVAL} --per-query | (exec <&-); echo ${{PIPESTATUS[0]}}")
    assert (done.stdout, done.stderr) == (b"141\n", b"")


@pytest.mark.parametrize("command", [EVAL, "truerank --help", "truerank measures"])
def test_a_closed_pipe_is_quiet(shell, command):
    done = shell(f"{command} | true")
    assert done.stderr == b""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
@pytest.mark.parametrize("command", [EVAL, "truerank --help", "truerank measures", "truerank rules truerank"])
def test_a_full_disk_is_one_line_and_status_2(shell, command):
    done = shell(f"{command} > /dev/full")
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"No space left on device" in done.stderr


@pytest.mark.parametrize("group", ["truerank", "truerank board"])
def test_a_group_without_a_command_prints_its_help(shell, group):
    done = shell(group)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"Usage: %b [OPTIONS] COMMAND [ARGS]...\n\n" % group.encode())


OWN = """import atexit
atexit.register(print, "at the end")
log = open("log.txt", "w")
def answer(query, k):
    log.write(query)
    return ["a"]
"""


def test_what_a_module_of_ones_own_holds_open_is_written_at_the_end(shell, here):
    (here / "own.py").write_text(OWN)
    done = shell("printf 'query_id\\ttext\\nq1\\tx\\n' > q.tsv; truerank bench own:answer --queries q.tsv -k 1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(b"at the end\n")
    assert (here / "log.txt").read_text().startswith("x")


def test_a_profiler_writes_what_it_saw(shell, here):
    done = shell(f"python -m cProfile -o seen.prof $(command -v truerank) {EVAL.removeprefix('truerank ')}")
    assert done.returncode == 0, done.stderr
    assert (here / "seen.prof").stat().st_size


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_a_full_disk_for_what_is_said_beside_changes_neither_result_nor_status(shell):
    plain, full = (shell(f"{EVAL} -f csv 2> /dev/{where}") for where in ("null", "full"))
    assert (full.returncode, full.stdout) == (0, plain.stdout)
    assert shell("truerank check none.json none.run --min AP=0.3 2> /dev/full").returncode == 2


def test_standard_output_by_its_name_is_written_and_not_replaced(shell, here):
    named = f"{EVAL} -f csv -o /dev/stdout 2> /dev/null"
    shell(f"(echo before; {named}; {named.replace('/dev/stdout', '/dev/fd/1')}; echo after) > both.csv")
    before, *lines, after = (here / "both.csv").read_text().splitlines()
    assert (before, after, lines[0]) == ("before", "after", "run,rules,RR")
    assert lines[:2] == lines[2:]


def test_errors_are_one_line_and_status_2(shell):
    done = shell("truerank eval qrels.txt none.run")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"truerank: none.run: there is no such file\n"


def test_an_id_in_a_message_is_escaped(shell):
    line = r"q1 Q0 \xff\x1b[31m 1 1 t\n"
    done = shell(f"printf '{line}{line}' > odd.run; truerank eval qrels.txt odd.run")
    assert done.returncode == 2
    assert b"\x1b" not in done.stderr
    assert b"\xff" not in done.stderr


def test_output_is_all_or_nothing(shell, here):
    assert shell(f"{EVAL} -f trec -o scores.txt 2> /dev/null").returncode == 0
    before = (here / "scores.txt").read_bytes()
    assert b"RR\tall\t0.5000\n" in before
    files = sorted(here.iterdir())
    assert shell("truerank eval qrels.txt first.run none.run -f trec -o scores.txt").returncode == 2
    assert (here / "scores.txt").read_bytes() == before
    assert sorted(here.iterdir()) == files


def test_output_has_its_name_where_the_locale_is_ascii_alone(shell, here):
    ascii = "LC_ALL=POSIX PYTHONUTF8=0 PYTHONCOERCECLOCALE=0"
    done = shell(f"{ascii} truerank eval qrels.txt first.run -m AP -o 'ö日.csv'")
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)
    assert (here / "ö日.csv").read_bytes() == shell("truerank eval qrels.txt first.run -m AP -f csv").stdout


def test_output_never_replaces_its_own_input(shell, here):
    before = (here / "first.run").read_text()
    result = shell("truerank eval qrels.txt first.run -m RR -f csv -o first.run")
    assert (result.returncode, (here / "first.run").read_text()) == (2, before)


@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 143)])
def test_an_interrupt_is_quiet_and_leaves_nothing_half_written(here, sent, status):
    there = sorted(os.listdir(here))
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"  # in the background too
    program = f"{heard}; from truerank.cli import main; main()"
    command = [sys.executable, "-c", program, "convert", "-", "again.run.gz"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(b"q1 Q0 a 1 1 t\n" * 200_000)
    process.stdin.flush()
    left = array.array("i", [1])
    while left[0]:
        time.sleep(0.02)
        fcntl.ioctl(process.stdin, termios.FIONREAD, left)
    time.sleep(0.2)  # it has read all, and waits for the rest of the run now
    process.send_signal(sent)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (status, b"", b"")
    assert sorted(os.listdir(here)) == there


def test_a_terminal_gets_bold_and_lines(here):
    printed = on_a_terminal("truerank eval qrels.txt first.run second.run -m RR")
    assert b"\x1b[1m0.5000\x1b[0m" in printed
    assert "───".encode() in printed


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_that_wants_no_colour_gets_none(here, environment):
    printed = on_a_terminal("truerank eval qrels.txt first.run second.run -m RR", **environment)
    assert b"\x1b" not in printed
    assert b"0.5000" in printed


def test_a_terminal_whose_width_is_unknown_gets_the_ledger_too(here):
    assert b"1 answered" in on_a_terminal(EVAL, COLUMNS="0")


def test_a_pipe_gets_plain_text(shell):
    assert b"\x1b" not in shell(f"FORCE_COLOR=1 {EVAL}").stdout


def reading_for_long(here: Path, command: str) -> bytes:
    """What a command prints while its run comes slowly: the end of it when there is a bar, or after 20 seconds."""
    os.mkfifo(here / "end")
    ended = []

    def look(printed: bytes) -> None:
        if b"reading" in printed and not ended:
            ended.append((here / "end").write_bytes(b"\n"))

    line = f"(cat first.run; exec 3<> end; read -t 20 -u 3) | truerank {command}"
    printed = seen_on_a_terminal(line, look)
    assert b"reading" in printed
    return printed


def test_reading_for_more_than_a_second_shows_a_bar_on_a_terminal(here):
    printed = reading_for_long(here, "eval qrels.txt - -m RR")
    assert printed.rstrip().endswith(b"\x1b[0m")  # the bar is gone, the ledger stays


@pytest.mark.parametrize("command", ["convert - again.json --as run", "trec_eval --compat 9 qrels.txt -"])
def test_converting_and_the_references_own_command_show_it_too(here, command):
    reading_for_long(here, command)


def test_every_byte_that_is_read_is_told_to_the_bar(here, monkeypatch):
    text = b"".join(b"q%d Q0 a 1 1 t\n" % i for i in range(5000))
    (here / "long.run").write_bytes(text)
    for threads, piece in ((1, 1 << 30), (2, 1000)):
        monkeypatch.setattr("truerank.formats.trec.PIECE", piece)
        reading = ReadingBar()
        tr.evaluate("qrels.txt", replace(tr.open_run("long.run"), watch=reading.advance), threads=threads)
        assert reading.read == len(text)


def test_quick_reading_shows_none(here):
    assert b"reading" not in on_a_terminal(EVAL)


def test_nothing_is_drawn_where_there_is_no_terminal(shell):
    assert shell("(cat first.run; sleep 1.5) | truerank eval qrels.txt - -m RR").stderr == b""


def test_bash_completes_commands_measures_and_rules(shell):
    def completed(*words: str) -> list[str]:
        typed = f"COMP_WORDS={' '.join(words)!r} COMP_CWORD={len(words) - 1}"
        return shell(f"{typed} _TRUERANK_COMPLETE=bash_complete truerank").stdout.decode().split()

    assert completed("truerank", "for") == ["plain,formats"]
    assert "plain,trec_eval-10" in completed("truerank", "eval", "--rules", "trec")
    assert "plain,nDCG" in completed("truerank", "eval", "-m", "ndc")
    assert "plain,nDCG@10,AP" in completed("truerank", "eval", "-m", "nDCG@10,ap")
    assert completed("truerank", "eval", "-m", '"nDCG@10 rpre')[:2] == ["plain,nDCG@10", "Rprec"]
    assert "plain,level=" in completed("truerank", "eval", "--set", "lev")
    assert completed("truerank", "eval", "--set", "ties=i") == ["plain,ties=input"]
    assert "plain,trec" in completed("truerank", "eval", "--run-format", "tre")
    assert "plain,nDCG" in completed("truerank", "measures", "ndc")
    for command in (["rules"], *([name, "--rules"] for name in ("explain", "geo", "vectors"))):
        assert "plain,trec_eval-10" in completed("truerank", *command, "trec")
    for where in (["rules"], ["eval", "--rules"], ["eval", "--by"], ["eval", "--import"], ["check", "--by"]):
        assert completed("truerank", *where, "mine") == ["file,mine"]


def test_help_does_not_wait_for_numpy():
    code = "import sys; from truerank.cli import truerank; truerank(['--help'], standalone_mode=False); "
    done = subprocess.run(
        [sys.executable, "-c", code + "sys.exit('numpy' in sys.modules or 'rich' in sys.modules)"],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    assert b"Commands:" in done.stdout


SPARED = {
    *("rich", "orjson", "babel", "pandas", "polars", "pyarrow", "scipy", "fsspec", "zstandard"),
    *("json", "pathlib", "shutil", "tempfile", "zipfile", "importlib.resources", "importlib.metadata"),
    *("truerank.stats", "truerank.analysis", "truerank.contest", "truerank.vectors", "truerank.geo"),
    *("truerank.live", "truerank.interop", "truerank.board", "truerank.present.charts", "truerank.present.data"),
    *(
        "truerank.formats.arrays",
        "truerank.formats.neighbours",
        "truerank.formats.objects",
        "truerank.formats.texts",
    ),
}
"""What an evaluation of plain files does not need; all of it together would take longer than the evaluation."""

MOST = 99
"""Modules of truerank that an evaluation may load: a new one is a few tenths of a millisecond at every start."""


def loaded_by(run: str) -> set[str]:
    """The modules that evaluating a run loads."""
    code = (
        "import sys, click, numpy; before = set(sys.modules); from truerank.cli import truerank; "
        f"truerank(['eval', 'qrels.txt', '{run}'], standalone_mode=False); "
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    return set(done.stdout.decode().splitlines()[-1].split())


def test_an_evaluation_does_not_wait_for_what_it_does_not_need(here):
    loaded = loaded_by("first.run")
    assert SPARED & loaded == set()
    assert len([name for name in loaded if name.partition(".")[0] == "truerank"]) <= MOST


def test_parquet_loads_no_more_of_pyarrow_than_reads_it(here):
    pytest.importorskip("pyarrow")
    convert("first.run", "first.parquet")
    assert not {"pandas", "pyarrow.compute"} & loaded_by("first.parquet")
