"""Real retrievers of each library, an HTTP server and a command benchmarked: quality and time of the same calls."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest

import truerank as tr

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

TEXTS = {
    "sencha": "steamed green tea from Japan",
    "oolong": "half oxidised tea from Taiwan",
    "espresso": "strong coffee through a fine sieve",
    "filter": "mild coffee through paper",
    "sourdough": "bread leavened with a wild culture",
}
QUERIES = {"q1": "tea from Taiwan", "q2": "strong coffee", "q3": "wild bread", "q4": "water"}
QRELS = {"q1": {"oolong": 2, "sencha": 1}, "q2": {"filter": 1}, "q3": {"sourdough": 2}, "q4": {"espresso": 1}}
VOCABULARY = sorted({word for text in TEXTS.values() for word in text.split()})


def vector(text: str) -> list[float]:
    return [float(text.split().count(word)) for word in VOCABULARY] + [0.01]


def shared(query: str) -> list[str]:
    """The texts that share a word with the query, those that share most first."""
    wanted = set(query.split())
    counts = {doc: len(wanted & set(text.split())) for doc, text in TEXTS.items()}
    return [doc for doc in sorted(counts, key=counts.get, reverse=True) if counts[doc]]


SHARED = {query: shared(text)[:2] for query, text in QUERIES.items()}


def langchain():
    pytest.importorskip("langchain_core")
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever

    class Shared(BaseRetriever):
        k: int = 4

        def _get_relevant_documents(self, query, *, run_manager):
            return [Document(id=doc, page_content=TEXTS[doc]) for doc in shared(query)[: self.k]]

    return Shared(), {}


def langchain_store():
    pytest.importorskip("langchain_core")
    from langchain_core.embeddings import Embeddings
    from langchain_core.vectorstores import InMemoryVectorStore

    class Words(Embeddings):
        def embed_documents(self, texts):
            return list(map(vector, texts))

        def embed_query(self, text):
            return vector(text)

    store = InMemoryVectorStore(Words())
    store.add_texts(list(TEXTS.values()), ids=list(TEXTS))
    return store.as_retriever(), {}


def llamaindex():
    pytest.importorskip("llama_index.core")
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.schema import NodeWithScore, TextNode

    class Shared(BaseRetriever):
        def _retrieve(self, query_bundle):
            return [
                NodeWithScore(node=TextNode(id_=doc, text=TEXTS[doc])) for doc in shared(query_bundle.query_str)
            ]

    return Shared(), {}


def llamaindex_vectors():
    pytest.importorskip("llama_index.core")
    from llama_index.core import VectorStoreIndex
    from llama_index.core.base.embeddings.base import BaseEmbedding
    from llama_index.core.schema import TextNode

    class Words(BaseEmbedding):
        def _get_text_embedding(self, text):
            return vector(text)

        def _get_query_embedding(self, query):
            return vector(query)

        async def _aget_query_embedding(self, query):
            return vector(query)

    nodes = [TextNode(id_=doc, text=text) for doc, text in TEXTS.items()]
    return VectorStoreIndex(nodes, embed_model=Words()).as_retriever(), {}


def haystack_store():
    pytest.importorskip("haystack")
    from haystack import Document
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    store = InMemoryDocumentStore()
    store.write_documents([Document(id=doc, content=text) for doc, text in TEXTS.items()])
    return store


def haystack():
    store = haystack_store()
    from haystack.components.retrievers import InMemoryBM25Retriever

    return InMemoryBM25Retriever(store), {}


def haystack_pipeline():
    store = haystack_store()
    from haystack import Pipeline
    from haystack.components.retrievers import InMemoryBM25Retriever

    pipeline = Pipeline()
    pipeline.add_component("bm25", InMemoryBM25Retriever(store))
    return pipeline, {}


class Search(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_GET(self):
        query = parse_qs(urlsplit(self.path).query)["q"][0]
        status = 503 if query == self.server.busy else 200
        body = json.dumps({"hits": [{"id": doc} for doc in shared(query)]}).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture
def server():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Search)
    server.daemon_threads = True
    server.busy = None
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def http(server):
    pytest.importorskip("httpx")
    return f"http://127.0.0.1:{server.server_port}/?q={{query}}", {"results": "hits"}


def checked(found: tr.Bench, calls: int) -> None:
    """What holds of every benchmark: all calls answered, times that are times, quality of the same answers."""
    assert found.outcomes["ok"] + found.outcomes["empty"] == calls
    assert found.faults == {}
    latency = found.latency
    assert 0 < latency["min"] <= latency["p50"] <= latency["p95"] <= latency["p99"] <= latency["max"]
    assert found.scores.mean == tr.evaluate(QRELS, found.run, "nDCG@2 RR").mean
    assert {"kind", "k", "ids"} <= set(found.describe)


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("make", [langchain, llamaindex], ids=lambda make: make.__name__)
def test_a_retriever_of_ones_own_is_benchmarked_with_the_answers_that_it_gives(make, asynchronous):
    target, options = make()
    found = tr.bench(
        target, QUERIES, QRELS, k=2, repeats=5, measures="nDCG@2 RR", asynchronous=asynchronous, **options
    )
    checked(found, 20)
    assert {query: list(answer.docs) for query, answer in found.answers.by_query.items()} == SHARED
    assert found.outcomes["empty"] == 5
    assert found.scores["RR"].tolist() == [1.0, 0.5, 1.0, 0.0]


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize(
    "make", [langchain_store, llamaindex_vectors, haystack, haystack_pipeline], ids=lambda make: make.__name__
)
def test_a_retriever_that_the_library_has_is_benchmarked_and_finds_the_best_first(make, asynchronous):
    target, options = make()
    found = tr.bench(
        target, QUERIES, QRELS, k=2, repeats=3, measures="nDCG@2 RR", asynchronous=asynchronous, **options
    )
    checked(found, 12)
    best = {query: answer.docs[0] for query, answer in found.answers.by_query.items() if query != "q4"}
    assert best == {"q1": "oolong", "q2": "espresso", "q3": "sourdough"}
    assert found.scores["RR"].tolist()[:3] == [1.0, 0.5, 1.0]
    getattr(getattr(target, "document_store", None), "shutdown", lambda: None)()


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("concurrency", [1, 4])
def test_an_http_server_is_benchmarked_by_one_and_by_four_at_a_time(server, concurrency, asynchronous):
    target, options = http(server)
    found = tr.bench(
        target,
        QUERIES,
        QRELS,
        k=2,
        repeats=5,
        measures="nDCG@2 RR",
        concurrency=concurrency,
        asynchronous=asynchronous,
        **options,
    )
    checked(found, 20)
    assert {query: list(answer.docs) for query, answer in found.answers.by_query.items()} == SHARED


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_server_that_fails_one_query_has_its_errors_counted_and_that_query_scored_zero(server, asynchronous):
    server.busy = "strong coffee"
    target, options = http(server)
    found = tr.bench(
        target, QUERIES, QRELS, k=2, repeats=3, measures="RR", asynchronous=asynchronous, warmup=0, **options
    )
    assert (found.outcomes["error"], found.outcomes["ok"], found.outcomes["empty"]) == (3, 6, 3)
    assert [fault.startswith("TruerankError: status 503 Service Unavailable") for fault in found.faults] == [True]
    assert found.scores["RR"].tolist() == [1.0, 0.0, 1.0, 0.0]


def test_a_server_at_a_constant_rate_is_benchmarked_from_the_intended_start(server):
    target, options = http(server)
    found = tr.bench(
        target, QUERIES, QRELS, k=2, rate=200, repeats=5, measures="nDCG@2 RR", concurrency=2, **options
    )
    checked(found, 20)


def test_a_command_is_benchmarked_and_ended(tmp_path):
    script = tmp_path / "serve.py"
    script.write_text(
        "import json, os, sys\n"
        f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\n"
        f"answers = json.loads({json.dumps({QUERIES[query]: docs for query, docs in SHARED.items()})!r})\n"
        "for line in sys.stdin:\n"
        "    print(json.dumps(answers[json.loads(line)['query']]), flush=True)\n"
    )
    command = f"cmd: {shlex.quote(sys.executable)} {script}"
    found = tr.bench(command, QUERIES, QRELS, k=2, repeats=5, measures="nDCG@2 RR", concurrency=2)
    checked(found, 20)
    assert {query: list(answer.docs) for query, answer in found.answers.by_query.items()} == SHARED
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_the_command_line_benchmarks_an_endpoint_with_its_options(server, tmp_path):
    target, _ = http(server)
    (tmp_path / "queries.json").write_text(json.dumps(QUERIES))
    (tmp_path / "qrels.json").write_text(json.dumps(QRELS))
    words = ["bench", target, "--queries", "queries.json", "--qrels", "qrels.json", "-k", "2", "-m", "RR"]
    more = [
        "--option",
        "results=hits",
        "--header",
        "X-Reader: ${HOME}",
        "--save-run",
        "answers.run",
        "--format",
        "json",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "truerank", *words, *more], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)
    assert tr.evaluate(QRELS, tmp_path / "answers.run", "RR").mean == {"RR": 0.625}


def test_an_id_of_none_is_told_before_all_queries_are_asked():
    pytest.importorskip("langchain_core")
    from langchain_core.documents import Document
    from langchain_core.runnables import RunnableLambda

    nameless = RunnableLambda(lambda query: [Document(page_content="tea")])
    with pytest.raises(tr.InputError, match=r"has no id\. Choose another"):
        tr.bench(nameless | RunnableLambda(list), {f"q{at}": "tea" for at in range(10)})
