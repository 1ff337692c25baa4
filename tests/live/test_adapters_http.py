"""HTTP endpoints: a real server on this machine, asked through kept connections, synchronously and not."""

from __future__ import annotations

import asyncio
import gzip
import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest

pytest.importorskip("httpx")
import httpx

from truerank.core.errors import InputError, MissingPackage, TruerankError
from truerank.live.adapters import adapt
from truerank.live.retriever import Answer


class Search(BaseHTTPRequestHandler):
    """Answers with the words of the query; the path says in which shape, or what goes wrong."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        self.server.connections.add(self.client_address)
        self.server.requests.append(
            (self.command, self.path, {name.lower(): value for name, value in self.headers.items()})
        )
        path, query = urlsplit(self.path).path, parse_qs(urlsplit(self.path).query)
        words = query.get("q", [""])[0].split()[: int(query.get("k", ["10"])[0])]
        self.reply(path, words)

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.connections.add(self.client_address)
        self.server.requests.append((self.command, self.path, body))
        self.server.kinds.append(self.headers.get_all("content-type"))
        self.reply(self.path, body["query"].split()[: body.get("k", 10)])

    def reply(self, path, words):
        scores = [1 / (at + 1) for at in range(len(words))]
        if path == "/busy":
            return self.send(b"are returned later", status=503)
        if path == "/moved":
            return self.send(b"", status=302, location="/ids?q=elsewhere")
        if path == "/marked":
            return self.send(b"\xef\xbb\xbf" + json.dumps(words).encode())
        if path == "/text":
            return self.send(b"<html>hello</html>")
        shapes = {
            "/ids": words,
            "/objects": [{"id": w, "score": s} for w, s in zip(words, scores, strict=True)],
            "/pairs": {"took": 3, "results": list(zip(words, scores, strict=True))},
            "/nested": {
                "took": 1,
                "hits": {
                    "total": 2,
                    "hits": [{"_source": {"doc": w}, "_score": s} for w, s in zip(words, scores, strict=True)],
                },
            },
            "/columns": {"ids": [words], "distances": [[1 - s for s in scores]]},
            "/scores": {"answer": dict(zip(words, scores, strict=True))},
            "/error": {"error": "no such index"},
            "/fault": {"error": {"type": "no_such_index"}, "status": 404},
            "/fine": {"error": "", "hits": words},
            "/good": {"error": {"code": 0}, "hits": words},
            "/null": {"took": 1, "hits": None, "inner": {"hits": None}},
        }
        return self.send(json.dumps(shapes[path]).encode())

    def send(self, body, status=200, location=None):
        packed = "gzip" in self.headers.get("accept-encoding", "")
        body = gzip.compress(body) if packed else body
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        if packed:
            self.send_header("content-encoding", "gzip")
        if location:
            self.send_header("location", location)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture
def server():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Search)
    server.daemon_threads = True
    server.requests, server.kinds, server.connections = [], [], set()
    server.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def asked(url, query="green tea", k=10, **options) -> Answer:
    retriever = adapt(url, **options)
    try:
        if not retriever.is_async:
            return retriever.read(retriever.call(query, k))
        return retriever.read(asyncio.run(retriever.call(query, k)))
    finally:
        retriever.close()


SHAPES = [
    ("/ids", {}, (2.0, 1.0)),
    ("/marked", {}, (2.0, 1.0)),  # with a byte order mark
    ("/objects", {}, (1.0, 0.5)),
    ("/pairs", {}, (1.0, 0.5)),
    ("/pairs", {"results": "results"}, (1.0, 0.5)),
    ("/nested", {"results": "hits.hits", "ids": "_source.doc", "score": "_score"}, (1.0, 0.5)),
    ("/columns", {"results": "ids[0]", "scores": "distances[0]"}, (0.0, -0.5)),
    ("/scores", {"results": "answer"}, (1.0, 0.5)),
    ("/fine", {}, (2.0, 1.0)),
    ("/good", {"results": "hits"}, (2.0, 1.0)),
]


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize(("path", "options", "scores"), SHAPES)
def test_every_shape_of_a_json_answer_is_read(server, path, options, scores, asynchronous):
    url = server.url + path + "?q={query}&k={k}"
    assert asked(url, asynchronous=asynchronous, **options) == Answer(("green", "tea"), scores)


def test_the_query_goes_into_the_url_percent_encoded(server):
    words = ("tea", "&k=1", "100%", "{k}", "q#1", "차")
    assert asked(server.url + "/ids?q={query}&k={k}", " ".join(words), 6).docs == words


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("body", ['{"query": "{query}", "k": "{k}"}', {"query": "{query}", "k": "{k}"}])
def test_a_body_is_posted_as_json(server, body, asynchronous):
    query = 'say "{k}" \\ tea'
    assert asked(server.url + "/ids", query, 3, body=body, asynchronous=asynchronous).docs == ("say", '"{k}"', "\\")
    assert server.requests == [("POST", "/ids", {"query": query, "k": 3})]


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_body_is_called_json_unless_a_header_says_what_it_is(server, asynchronous):
    ask = {"body": {"query": "{query}"}, "asynchronous": asynchronous}
    own = "application/vnd.elasticsearch+json; compatible-with=8"
    for headers in ({}, {"X-Other": "x"}, {"Content-Type": own}, [f"content-type: {own}"]):
        asked(server.url + "/ids", headers=headers, **ask)
    assert server.kinds == [["application/json"]] * 2 + [[own]] * 2


def test_an_endpoint_that_takes_no_k_has_its_answers_cut(server):
    for asynchronous in (False, True):
        url = server.url + "/ids?q={query}"
        assert asked(url, "a b c d", 2, asynchronous=asynchronous) == Answer(("a", "b"), (4.0, 3.0))
    assert "cut at k" in adapt(url).describe["k"]


def test_headers_come_from_the_environment_and_are_not_written_down(server, monkeypatch):
    monkeypatch.setenv("SEARCH_TOKEN", "s3cret")
    url = server.url + "/ids?q={query}"
    for headers in ({"Authorization": "Bearer ${SEARCH_TOKEN}"}, ["Authorization: Bearer ${SEARCH_TOKEN}"]):
        asked(url, headers=headers)
        assert server.requests[-1][2]["authorization"] == "Bearer s3cret"
        retriever = adapt(url, headers=headers)
        assert "s3cret" not in repr(retriever)
        assert retriever.describe["headers"] == "Authorization"
        retriever.close()
    with pytest.raises(InputError, match=r"the request needs \$\{NO_SUCH\}, which the environment does not have"):
        adapt(url, headers={"Authorization": "${NO_SUCH}"})
    with pytest.raises(InputError, match="a header is 'Name: value', not 'Authorization'"):
        adapt(url, headers=["Authorization"])


def test_the_password_in_a_url_is_not_written_down():
    retriever = adapt("http://me:s3cret@127.0.0.1:1/?q={query}")
    assert "s3cret" not in repr(retriever)
    assert retriever.name == "http://127.0.0.1:1/"
    retriever.close()


def test_one_connection_serves_one_worker_and_each_worker_has_its_own(server):
    retriever = adapt(server.url + "/ids?q={query}")
    for _ in range(5):
        retriever.call("tea", 1)
    assert len(server.connections) == 1
    with ThreadPoolExecutor(4) as pool:
        answers = [retriever.read(raw) for raw in pool.map(retriever.call, ["green tea"] * 40, [2] * 40)]
    assert {answer.docs for answer in answers} == {("green", "tea")}
    assert len(server.connections) <= 5
    retriever.close()


def test_one_connection_serves_the_event_loop_one_after_the_other_and_the_loop_closes_it(server):
    retriever = adapt(server.url + "/ids?q={query}", asynchronous=True)

    async def several():
        return [await retriever.call("tea", 1) for _ in range(5)] + await asyncio.gather(
            *(retriever.call("tea", 1) for _ in range(5))
        )

    for runs in (1, 2):
        assert len(asyncio.run(several())) == 10
        assert len(server.connections) <= 5 * runs
    retriever.close()


def test_answers_are_sent_packed_and_read_unpacked(server):
    asked(server.url + "/ids?q={query}")
    assert "gzip" in server.requests[-1][2]["accept-encoding"]


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_status_that_is_no_success_is_an_error_of_that_call(server, asynchronous):
    with pytest.raises(TruerankError, match=r"^status 503 Service Unavailable: are returned later$"):
        asked(server.url + "/busy?q={query}", asynchronous=asynchronous)


def test_redirects_are_errors_unless_asked_for(server):
    url = server.url + "/moved?q={query}"
    with pytest.raises(TruerankError, match="status 302 Found: redirected to /ids"):
        asked(url)
    assert asked(url, redirects=True).docs == ("elsewhere",)
    retriever = adapt(url)
    assert retriever.describe["redirects"] == "not followed: an error"
    retriever.close()


WHERE = "say where results are, as results=hits.hits (--option results=hits.hits)"


@pytest.mark.parametrize(
    ("path", "options", "said"),
    [
        ("/text", {}, "the answer is not JSON"),
        ("/error", {}, "the answer is an error: no such index"),
        ("/fault", {}, 'the answer is an error: {"type":"no_such_index"}'),
        ("/fault", {"results": "hits"}, 'the answer is an error: {"type":"no_such_index"}'),
        ("/null", {}, f"{WHERE}: the answer has took, hits, inner"),
        ("/null", {"results": "nothing"}, "there is no list at 'nothing'; the answer has took, hits, inner"),
        ("/objects", {"ids": "uuid"}, "result 1 (a plain value) has no id under ids='uuid'"),
        ("/nested", {"results": "hits.items"}, "there is no list at 'hits.items'; the answer has took, hits"),
        ("/columns", {"results": "ids[0]", "scores": "ids"}, "there are 2 results and 1 scores"),
        ("/columns", {}, f"{WHERE}: the answer has ids, distances"),
        ("/nested", {}, f"{WHERE}: the answer has took, hits"),
    ],
)
def test_an_answer_that_cannot_be_read_is_an_error_that_says_why(server, path, options, said):
    with pytest.raises(InputError) as caught:
        asked(server.url + path + "?q={query}&k={k}", **options)
    assert said in str(caught.value)


@pytest.mark.parametrize("path", ["hits", "inner.hits"])
def test_null_where_the_results_stand_is_an_empty_answer(server, path):
    assert asked(server.url + "/null?q={query}&k={k}", results=path) == Answer((), ())


def test_results_may_be_left_out_only_where_the_path_says_so(server):
    url = server.url + "/null?q={query}&k={k}"
    assert asked(url, results="inner.children?") == Answer((), ())
    assert asked(server.url + "/fine?q={query}&k={k}", results="hits?").docs == ("green", "tea")
    for path in ("inner.children", "outer.children?", "hits.children?"):
        with pytest.raises(InputError, match="there is no list at"):
            asked(url, results=path)


@pytest.mark.parametrize(
    ("url", "options", "said"),
    [
        ("http://host/search", {}, "http://host/search: neither the URL nor the body has {query}"),
        ("ftp://host/{query}", {}, "an endpoint is http://HOST"),
        ("http:///{query}", {}, "an endpoint is http://HOST"),
        ("file:///etc/passwd?{query}", {}, "an endpoint is http://HOST"),
        ("http://host/", {"body": '{"q": {query}}'}, "the body is not JSON"),
        ("http://host/{query}", {"header": []}, "no option 'header'. Did you mean headers?"),
        ("http://host/{query}", {"http_timeout": float("nan")}, "http_timeout is a number of seconds above 0"),
        ("http://host/{query}", {"http_timeout": float("inf")}, "http_timeout is a number of seconds above 0"),
    ],
)
def test_an_endpoint_that_cannot_be_asked_is_refused_before_any_call(url, options, said):
    with pytest.raises(InputError) as caught:
        adapt(url, **options)
    assert said in str(caught.value)


def test_nobody_there_is_an_error_of_the_call():
    retriever = adapt("http://127.0.0.1:9/?q={query}", http_timeout=2)
    with pytest.raises(httpx.ConnectError):
        retriever.call("tea", 1)
    retriever.close()


def test_proxies_of_the_environment_are_not_used(server, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    assert asked(server.url + "/ids?q={query}").docs == ("green", "tea")


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_proxy_that_needs_another_package_is_refused_by_its_name(monkeypatch, asynchronous):
    monkeypatch.setitem(sys.modules, "socksio", None)
    with pytest.raises(InputError, match=r"^the HTTP client cannot be made: .*'socksio' package is not installed"):
        adapt("http://127.0.0.1:9/?q={query}", proxy="socks5://127.0.0.1:9", asynchronous=asynchronous)


def test_without_httpx_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(MissingPackage, match=r'pip install "truerank\[http\]"'):
        adapt("http://127.0.0.1:9/?q={query}")
