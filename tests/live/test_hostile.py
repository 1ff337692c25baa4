"""What a hostile retriever, server, file or user does: a counted outcome, or one clear line."""

from __future__ import annotations

import copy
import itertools
import json
import os
import signal
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

import truerank as tr
from truerank.live import Bench, front, sweep
from truerank.live.adapters import adapt
from truerank.present import bench as report

QUERIES = {f"q{i}": f"text {i}" for i in range(8)}
QRELS = {query: {f"d{query[1]}": 1} for query in QUERIES}

MODULE = """
import asyncio, os, sys, time

print("imported")

def talks(query, k):
    print("loud")
    os.write(1, b"raw")
    print("past", file=sys.__stdout__)
    return ["d1"]

def wanders(query):
    os.chdir("/")
    return ["d1"]

async def pools(query):
    await asyncio.to_thread(time.sleep, 1000 if query == "text 3" else 0)
    return ["d1"]

def index(n):
    if n == 2:
        print("this takes long", file=sys.stderr, flush=True)
        time.sleep(1000)
    if n == 3:
        raise RuntimeError("no such index")
    return lambda query: ["d1"]

def blank(query):
    return ["a b"]

class Exits:
    def __init__(self):
        sys.exit(4)
"""


@pytest.fixture
def here(tmp_path):
    (tmp_path / "odd.py").write_text(MODULE, "utf-8")
    (tmp_path / "leaves.py").write_text("import sys; sys.exit(5)", "utf-8")
    (tmp_path / "q.tsv").write_text("".join(f"{q}\t{text}\n" for q, text in QUERIES.items()), "utf-8")
    (tmp_path / "qrels.txt").write_text("".join(f"{q} 0 d1 1\n" for q in QUERIES), "utf-8")
    return tmp_path


def started(here, *arguments):
    words = [sys.executable, "-m", "truerank", "bench", *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(words, cwd=here, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True)


def run(here, *arguments, status=0):
    with started(here, *arguments) as process:
        out, err = process.communicate(timeout=60)
    assert "Traceback" not in err
    assert process.returncode == status, err
    return out, err


ASK = ("--queries", "q.tsv", "--qrels", "qrels.txt", "-m", "RR")


def test_a_list_that_is_filled_again_for_the_next_query_is_kept_as_it_was():
    for fill in (list, np.array):
        buffer = fill(["d0", "d9"])

        def search(query, k, buffer=buffer):
            buffer[0] = f"d{query[-1]}"
            return buffer

        assert tr.bench(search, QUERIES, QRELS, measures="RR").scores.mean == {"RR": 1.0}


def test_arrays_that_are_filled_again_are_kept_as_they_were():
    distances, found = np.array([[0.0, 1.0]]), np.array([[0, 99]])

    def search(query, k):
        found[0, 0] = int(query[-1])
        return distances, found

    qrels = {query: {query[1]: 1} for query in QUERIES}
    assert tr.bench(search, QUERIES, qrels, measures="RR").scores.mean == {"RR": 1.0}


def test_a_ranking_without_end_is_made_down_to_k():
    for search in (lambda query: map(str, itertools.count()), lambda query, k: map(str, itertools.count())):
        found = tr.bench(search, QUERIES, k=3)
        assert found.answers.by_query["q1"].docs == ("0", "1", "2")


def test_a_set_has_no_order():
    with pytest.raises(tr.InputError, match="a set, which has no order"):
        tr.bench(lambda query: {"d1", "d2"}, QUERIES)


def test_an_id_that_no_file_could_hold_is_an_error_of_that_query():
    found = tr.bench(lambda query: ["\ud800"] if query == "text 3" else ["d1"], QUERIES, warmup=0)
    assert (found.outcomes["error"], found.outcomes["ok"]) == (1, 7)


def test_an_error_whose_message_cannot_be_read_is_counted():
    class Mute(Exception):
        def __str__(self):
            raise ValueError

    def search(query):
        raise Mute if query == "text 3" else OSError("\ud800")

    found = tr.bench(search, QUERIES)
    assert found.faults == {"OSError: \\ud800": 7, "Mute: its message cannot be read": 1}


def test_a_rule_for_ids_that_fails_is_told_at_the_first_answer():
    with pytest.raises(tr.InputError, match="the answer cannot be read: KeyError: 'x'"):
        tr.bench(lambda query: [{"id": "d1"}], QUERIES, ids=lambda result: result["x"])


def test_large_answers_are_read_between_calls_and_let_go(monkeypatch):
    monkeypatch.setattr(sys.modules["truerank.live.record"], "ROOM", 25)
    found = tr.bench(lambda query: [f"d{query[-1]}"] * 10, QUERIES, QRELS, measures="RR", warmup=0)
    assert found.scores.mean == {"RR": 1.0}
    assert found.outcomes["ok"] == 8


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"rate": 1e-9}, "take more than 1,000,000 seconds"),
        ({"rate": 1e-300}, "take more than 1,000,000 seconds"),
        ({"rate": 1e300}, "at most one start per nanosecond"),
        ({"rate": float("nan")}, "above 0"),
        ({"duration": 1e30}, "at most 1,000,000 seconds"),
        ({"timeout": 1e30}, "at most 1,000,000 seconds"),
        ({"warmup": 10**9}, "are the most"),
        ({"concurrency": 10**6}, "at most 10,000"),
    ],
)
def test_loads_that_cannot_be_are_told(how, says):
    with pytest.raises(tr.InputError, match=says):
        tr.bench(lambda query: ["d1"], QUERIES, **how)


def test_a_system_without_threads_is_told(monkeypatch):
    def refused(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)
    with pytest.raises(tr.InputError, match="no thread to worker 1"):
        tr.bench(lambda query: ["d1"], QUERIES, concurrency=4)


def test_a_later_setting_that_cannot_be_leaves_the_others(tmp_path):
    def index(n):
        if n == 2:
            raise RuntimeError("no such index")
        return lambda query: ["d1"]

    found = sweep(index, QUERIES, QRELS, over={"n": np.array([1, 2, 3])}, measures="RR")
    assert [len(one.measured) for one in found] == [8, 0, 8]
    assert "RuntimeError: no such index" in found[1].stopped
    assert front(found, "RR") <= {0, 2}
    assert [row[0] for row in report.sweep_table(found).rows] == [1, 2, 3]
    assert report.flat_table(found).columns[:2] == ("name", "n")
    found[1].save(tmp_path / "saved.json")
    assert Bench.read(tmp_path / "saved.json").settings == {"n": 2}


def test_a_setting_that_is_swept_is_not_given_too():
    with pytest.raises(tr.InputError, match="k is swept, and given too"):
        sweep(lambda query: ["d1"], QUERIES, over={"k": [1, 2]}, k=5)


def test_a_first_setting_that_cannot_be_is_an_error():
    with pytest.raises(tr.InputError, match="ZeroDivisionError"):
        sweep(lambda n: 1 // n, QUERIES, over={"n": [0, 1]})


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    path = tmp_path_factory.mktemp("good") / "good.json"
    tr.bench(lambda query: ["d1", "d2"], QUERIES, QRELS, measures="RR").save(path)
    return json.loads(path.read_text("utf-8"))


def _places(value, path=()):
    """All paths in JSON, of lists the first item's."""
    items = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from _places(inner, (*path, key))


@pytest.mark.parametrize("junk", [None, -1, 10**30, "x", [], {}, [[None]]])
def test_a_damaged_file_is_shown_or_refused(good, tmp_path, junk):
    path, refused = tmp_path / "bad.json", 0
    for place in _places(good):
        value = copy.deepcopy(good)
        inner = value
        for key in place[:-1]:
            inner = inner[key]
        inner[place[-1]] = junk
        path.write_text(json.dumps(value), "utf-8")
        try:
            report.document(Bench.read(path)).render("table")
        except tr.TruerankError:
            refused += 1
    assert refused > 30


def test_a_call_that_met_a_pause_which_is_not_there_is_refused(good, tmp_path):
    value = copy.deepcopy(good)
    value["pauses_ns"], value["samples_ns"]["paused"][-1] = [], 5
    (tmp_path / "bad.json").write_text(json.dumps(value), "utf-8")
    with pytest.raises(tr.InputError, match=r"damaged: .* a call met a pause that there is not"):
        Bench.read(tmp_path / "bad.json")


def test_ids_that_are_no_utf_8_come_back_from_a_file(tmp_path):
    found = tr.bench(lambda query: [b"\xff\xfe"], QUERIES)
    found.save(tmp_path / "bytes.json")
    assert Bench.read(tmp_path / "bytes.json").answers.by_query == found.answers.by_query


def test_what_a_retriever_prints_does_not_stand_in_the_result(here):
    out, err = run(here, "odd:talks", *ASK, "--format", "json")
    assert json.loads(out)["name"] == "talks"
    assert all(word in err for word in ("imported", "loud", "raw", "past"))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("leaves:x",), "importing leaves failed: SystemExit: 5"),
        (("odd:Exits",), "odd:Exits() failed: SystemExit: 4"),
        (("odd:index", "--sweep", "n=3,1"), "RuntimeError: no such index"),
        (("odd:talks", "--option", "clock=1"), "clock belongs to the benchmark itself"),
        (("odd:talks", "--option", "k_as=5"), "k_as is text, not 5"),
        (("odd:talks", "--plot", "x.svg"), "--plot draws several settings"),
        (("odd:talks", "-k", "5", "--sweep", "k=1,2"), "-k and --sweep k say the same: give one of them"),
        (("odd:talks", "--rate", "5", "--sweep", "rate=1,2"), "--rate and --sweep rate say the same"),
        (("odd:talks", "-o", "."), "it is a folder"),
        (("odd:talks", "--save-run", "nowhere/x.run"), "No such file"),
    ],
)
def test_a_wrong_call_is_told_in_a_line_before_anything_is_asked(here, arguments, says):
    out, err = run(here, *arguments, *ASK, status=2)
    assert (out, "loud" in err) == ("", False)
    assert says in err


def test_measures_need_judgements(here):
    assert "--qrels FILE" in run(here, "odd:talks", "--queries", "q.tsv", "-m", "AP", status=2)[1]


def test_the_result_is_saved_where_it_was_said_wherever_the_retriever_went(here):
    run(here, "odd:wanders", *ASK, "-o", "saved.json")
    assert Bench.read(here / "saved.json").outcomes["ok"] == 8


def test_the_result_is_saved_before_anything_else_may_fail(here):
    run(here, "odd:blank", *ASK, "-o", "saved.json", "--save-run", "x.run", status=2)
    assert Bench.read(here / "saved.json").outcomes["ok"] == 8


def test_the_command_ends_where_a_call_hangs_in_the_thread_pool(here):
    out, err = run(here, "odd:pools", *ASK, "--timeout", "500ms", "--format", "csv")
    assert "1 timed out" in err
    assert out.count("\n") == 2


@pytest.mark.skipif(os.name != "posix", reason="needs SIGINT")
def test_ctrl_c_in_a_sweep_keeps_the_settings_before(here):
    process = started(here, "odd:index", "--sweep", "n=1,2", *ASK, "-o", "saved.json")
    with process:
        assert any("this takes long" in line for line in process.stderr)  # the second one is being made
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "n 2: Warning: ended early (interrupted)" in out
    assert [len(one["samples_ns"]["query"]) > 0 for one in json.loads((here / "saved.json").read_text())] == [
        True,
        False,
    ]


class Hostile(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path.startswith("/away"):
            self.send_response(302)
            self.send_header("location", "https://user:pa55@elsewhere/x?token=s3cret")
            self.send_header("content-length", "0")
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        try:
            while True:
                self.wfile.write(b"1000\r\n" + b" " * 4096 + b"\r\n")
        except OSError:
            self.close_connection = True

    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def server():
    made = ThreadingHTTPServer(("127.0.0.1", 0), Hostile)
    made.daemon_threads = True
    threading.Thread(target=made.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{made.server_port}"
    made.shutdown()
    made.server_close()


@pytest.mark.parametrize("asynchronous", [False, True])
def test_an_answer_without_end_is_an_error(server, monkeypatch, asynchronous):
    monkeypatch.setattr(sys.modules["truerank.live.adapters.http"], "LONGEST", 1 << 20)
    found = tr.bench(server + "/endless/{query}", {"q": "x"}, warmup=0, asynchronous=asynchronous)
    assert found.outcomes["error"] == 1
    assert "the answer has more than" in next(iter(found.faults))


def test_a_redirect_is_told_without_its_secrets(server):
    found = tr.bench(server + "/away/{query}", {"q": "x"}, warmup=0)
    fault = next(iter(found.faults))
    assert "redirected to " in fault
    assert not any(secret in fault for secret in ("pa55", "s3cret"))


def test_a_command_that_never_ends_its_line_is_an_error(monkeypatch):
    monkeypatch.setattr(sys.modules["truerank.live.adapters.command"], "LONGEST", 1 << 20)
    program = "import sys\nsys.stdin.readline()\nwhile True: sys.stdout.write('x' * 65536)"
    found = tr.bench(f'cmd: {sys.executable} -c "{program}"', {"q": "x"}, warmup=0)
    assert found.outcomes["error"] == 1


def test_secrets_of_a_url_come_from_the_environment_or_are_not_told(monkeypatch):
    monkeypatch.setenv("SEARCH_KEY", "s3cret")
    for url in ("http://u:s3cret@h/{query}?api_key=s3cret&n={k}", "http://h/{query}?x=${SEARCH_KEY}"):
        retriever = adapt(url)
        assert "s3cret" not in repr(retriever)
        retriever.close()
    retriever = adapt("http://h/s?keyword={query}&author=ann&key={k}")
    assert retriever.describe["url"] == "http://h/s?keyword={query}&author=ann&key={k}"
    retriever.close()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"target": "http://[::1/{query}"}, "this is no URL"),
        ({"target": "http://h:99999/{query}"}, "this is no URL"),
        ({"http_timeout": "abc"}, "http_timeout is a number, not 'abc'"),
        ({"http_timeout": -1}, "above 0"),
        ({"proxy": "foo"}, "the HTTP client cannot be made"),
        ({"proxy": "foo", "asynchronous": True}, "the HTTP client cannot be made"),
        ({"method": "GE T"}, "a method is a word"),
        ({"redirects": "maybe"}, "true or false"),
        ({"results": 0}, "results is text, not 0"),
        ({"headers": {"X": "\u00e9"}}, "a character that headers cannot have"),
        ({"headers": ["X: a\nb"]}, "a character that headers cannot have"),
    ],
)
def test_wrong_options_of_an_endpoint_are_told(options, says):
    with pytest.raises(tr.InputError, match=says.replace("(", r"\(")):
        adapt(**{"target": "http://h/{query}", **options})


def test_an_adapter_without_types_takes_any_option():
    from truerank.live.adapters.registry import Adapter

    def build(target, *, ids, asynchronous=None, size: NoSuchType = 1):  # noqa: F821
        return target

    Adapter("a thing", lambda target: 1.0, build).check({"size": "large"})
