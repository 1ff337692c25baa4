"""Commands as retrievers: a real child process, answers on its stdout, and how it ends."""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from truerank.core.errors import InputError, TruerankError
from truerank.live.adapters import adapt
from truerank.live.retriever import Answer

SERVE = """
import json, os, sys, time
sys.stderr.write("loading\\n" * 50_000)  # more than a pipe holds
for line in sys.stdin:
    asked = json.loads(line)
    words = asked["query"].split()[: asked["k"]]
    if words[:1] == ["die"]:
        sys.exit("the index is gone")
    if words[:1] == ["hang"]:
        open(__file__ + ".done", "w").close()
        time.sleep(600)
    if words[:1] == ["chat"]:
        print("hello there")
    shapes = {
        "pid": [os.getpid()],
        "list": words,
        "dict": {"results": [{"id": w, "score": 9 - at} for at, w in enumerate(words)]},
        "error": {"error": "no such index"},
    }
    print(json.dumps(shapes.get(words[0], words)), flush=True)
    if words[:1] == ["late"]:
        time.sleep(0.05)
        print("hello there", flush=True)
        open(__file__ + ".done", "w").close()
print("bye", file=sys.stderr)
"""


@pytest.fixture
def command(tmp_path: Path) -> str:
    script = tmp_path / "serve it.py"
    script.write_text(SERVE)
    return f"cmd: {shlex.quote(sys.executable)} {shlex.quote(str(script))}"


@pytest.fixture
def retriever(command):
    retriever = adapt(command)
    yield retriever
    retriever.close()


def wait_for(folder: Path) -> None:
    """Until the command says that it has come so far."""
    deadline = time.monotonic() + 30
    while not list(folder.glob("*.done")) and time.monotonic() < deadline:
        time.sleep(0.01)


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_a_command_answers_line_by_line(retriever):
    def asked(query, k=10):
        return retriever.read(retriever.call(query, k))

    assert asked("green tea", 1) == Answer(("green",), (1.0,))
    assert asked("list 차\n") == Answer(("list", "차"), (2.0, 1.0))
    assert asked("dict b") == Answer(("dict", "b"), (9.0, 8.0))
    with pytest.raises(InputError, match="the answer is an error: no such index"):
        asked("error")


@pytest.mark.parametrize("word", ["chat", "late"])
def test_a_command_that_writes_more_than_answers_is_not_trusted_any_more(retriever, word, tmp_path):
    with contextlib.suppress(TruerankError):
        assert retriever.read(retriever.call(word, 1)).docs == (word,)
    if word == "late":
        wait_for(tmp_path)
    for _ in range(2):
        with pytest.raises(TruerankError, match=r"writes more than answers on its stdout: b'hello there"):
            retriever.call("tea", 1)


def test_one_process_answers_all_and_threads_never_mix_their_answers(retriever):
    def asked(number):
        return retriever.read(retriever.call(f"x {number}", 2)).docs

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(asked, range(200))) == [("x", str(number)) for number in range(200)]
    pids = {retriever.read(retriever.call("pid", 1)).docs for _ in range(3)}
    assert len(pids) == 1


def test_a_command_that_ended_says_so_with_the_end_of_its_stderr(retriever):
    for _ in range(2):
        with pytest.raises(TruerankError) as caught:
            retriever.call("die", 1)
        said = str(caught.value)
        assert said.startswith("the command ended (status 1); its stderr ends: ")
        assert said.endswith(" | loading | loading | the index is gone")
        assert len(said) < 300


def test_a_command_that_ends_after_an_answer_is_told_that_it_is_started_once():
    retriever = adapt("cmd: sh -c 'read line; echo []'")
    assert retriever.read(retriever.call("tea", 1)) == Answer((), ())
    said = r"ended \(status 0\); it is started once, and answers a line with a line$"
    with pytest.raises(TruerankError, match=said):
        retriever.call("tea", 1)
    retriever.close()


def test_closing_ends_the_process(command):
    retriever = adapt(command)
    (pid,) = retriever.read(retriever.call("pid", 1)).docs
    retriever.close()
    assert gone(int(pid))
    with pytest.raises(TruerankError, match=r"the command ended \(status 0\); its stderr ends: .*loading \| bye$"):
        retriever.call("tea", 1)
    retriever.close()


def test_closing_kills_a_process_that_hangs_and_frees_who_waits_for_it(command, tmp_path):
    retriever = adapt(command)
    (pid,) = retriever.read(retriever.call("pid", 1)).docs
    errors = []

    def wait():
        try:
            retriever.call("hang", 1)
        except TruerankError as error:
            errors.append(str(error))

    waiting = threading.Thread(target=wait)
    waiting.start()
    wait_for(tmp_path)
    retriever.close()
    waiting.join(10)
    assert not waiting.is_alive()
    assert gone(int(pid))
    assert errors[0].startswith("the command ended (status -9)")


def test_closing_kills_what_a_hanging_command_started(tmp_path):
    child = tmp_path / "pid"
    retriever = adapt(f"cmd: sh -c 'sleep 600 & echo $! > {child}; trap \"\" TERM; read line; echo []; sleep 600'")
    assert retriever.read(retriever.call("tea", 1)) == Answer((), ())
    retriever.close()
    deadline = time.monotonic() + 10
    while not gone_or_zombie(int(child.read_text())) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert gone_or_zombie(int(child.read_text()))


def gone_or_zombie(pid: int) -> bool:
    status = Path(f"/proc/{pid}/status")
    try:
        return "State:\tZ" in status.read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True


@pytest.mark.parametrize(
    ("target", "options", "said"),
    [
        ("cmd:", {}, "a command is 'cmd: PROGRAM ARGUMENTS…'"),
        ("cmd: /no/such/program", {}, "the command cannot be started: No such file or directory: /no/such/program"),
        ("cmd: 'cat", {}, "the command cannot be read: No closing quotation"),
        ("cmd: cat", {"asynchronous": True}, "cannot be called asynchronously"),
        ("cmd: cat", {"processes": 2}, "a command has no option 'processes'"),
    ],
)
def test_a_command_that_cannot_be_started_is_refused_at_once(target, options, said):
    with pytest.raises(InputError) as caught:
        adapt(target, **options)
    assert said in str(caught.value)


def test_that_it_is_serial_is_said(retriever):
    assert retriever.describe["concurrency"] == "one process, which answers one line at a time"
    assert retriever.name == os.path.basename(sys.executable)
