"""Haystack's components and pipelines, as the installed haystack-ai has them."""

from __future__ import annotations

import os

import pytest

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
pytest.importorskip("haystack")

from haystack import Document, Pipeline, component
from haystack.components.joiners import DocumentJoiner
from haystack.components.retrievers import InMemoryBM25Retriever, InMemoryEmbeddingRetriever, TextEmbeddingRetriever
from haystack.document_stores.in_memory import InMemoryDocumentStore

from live_asking import asked
from truerank.core.errors import InputError
from truerank.live.adapters import adapt
from truerank.live.retriever import Answer

TEXTS = {"green": "green tea", "black": "black tea", "rye": "rye bread", "oat": "oat milk"}
LETTERS = "abcdefghijklmnopqrstuvwxyz"
POOL = f"thread pool of {min(32, os.cpu_count() + 4)}"


def letters(text: str) -> list[float]:
    return [float(text.count(letter)) for letter in LETTERS]


@component
class Letters:
    """A text embedder: how often each letter occurs."""

    def __init__(self):
        self.warm = False

    def warm_up(self):
        self.warm = True

    @component.output_types(embedding=list[float])
    def run(self, text: str):
        return {"embedding": letters(text)}


@component
class Words:
    """A retriever of one's own without top_k or run_async."""

    @component.output_types(found=list[Document])
    def run(self, query: str):
        return {"found": [doc for doc in documents() if set(query.split()) & set(doc.content.split())]}


def documents() -> list[Document]:
    return [
        Document(id=name, content=text, meta={"shelf": name.upper()}, embedding=letters(text))
        for name, text in TEXTS.items()
    ]


@pytest.fixture
def store():
    store = InMemoryDocumentStore(embedding_similarity_function="cosine")
    store.write_documents(documents())
    yield store
    store.shutdown()


def embedding_pipeline(store) -> Pipeline:
    pipeline = Pipeline()
    pipeline.add_component("embedder", Letters())
    pipeline.add_component("retriever", InMemoryEmbeddingRetriever(store))
    pipeline.connect("embedder.embedding", "retriever.query_embedding")
    return pipeline


def hybrid_pipeline(store) -> Pipeline:
    pipeline = embedding_pipeline(store)
    pipeline.add_component("bm25", InMemoryBM25Retriever(store))
    pipeline.add_component("joiner", DocumentJoiner(join_mode="reciprocal_rank_fusion"))
    pipeline.connect("retriever", "joiner")
    pipeline.connect("bm25", "joiner")
    return pipeline


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("k", [1, 2, 4])
def test_a_retriever_takes_the_query_and_top_k(store, k, asynchronous):
    target = InMemoryBM25Retriever(store, top_k=3)
    found = asked(target, k=k, asynchronous=asynchronous)
    expected = store.bm25_retrieval("green tea", top_k=k)
    assert found == Answer(tuple(doc.id for doc in expected), tuple(doc.score for doc in expected))
    assert found.docs[0] == "green"
    assert adapt(target).describe["k"] == "the input top_k"


@pytest.mark.parametrize("asynchronous", [False, True])
def test_an_embedding_retriever_needs_an_embedder(store, asynchronous):
    target = InMemoryEmbeddingRetriever(store)
    with pytest.raises(InputError, match="takes a query_embedding: give embedder="):
        adapt(target, asynchronous=asynchronous)
    embedder = Letters()
    found = asked(target, k=3, embedder=embedder, asynchronous=asynchronous)
    assert found.docs[0] == "green"
    assert found.scores[0] == pytest.approx(1.0)
    assert embedder.warm


@pytest.mark.parametrize("asynchronous", [False, True])
def test_the_retriever_that_embeds_by_itself_is_a_retriever(store, asynchronous):
    target = TextEmbeddingRetriever(retriever=InMemoryEmbeddingRetriever(store), text_embedder=Letters())
    assert asked(target, "rye bread", 1, asynchronous=asynchronous).docs == ("rye",)


def test_a_component_of_ones_own_is_a_retriever_and_cut_at_k():
    assert asked(Words(), "tea bread", 2, output="found") == Answer(("green", "black"), (3.0, 2.0))
    assert "cut at k" in adapt(Words()).describe["k"]
    with pytest.raises(InputError, match="no list of Documents under 'documents' in the output: it has found"):
        asked(Words())
    with pytest.raises(InputError, match="Words has no run_async"):
        adapt(Words(), asynchronous=True)


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_pipeline_gets_the_query_and_its_last_component_top_k(store, asynchronous):
    target = embedding_pipeline(store)
    assert asked(target, "oat milk", 1, asynchronous=asynchronous).docs == ("oat",)
    assert len(asked(target, "oat milk", 4, asynchronous=asynchronous).docs) == 4
    assert adapt(target).describe["k"] == "the input top_k of retriever"
    assert adapt(target).name == "Pipeline to retriever"


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_hybrid_pipeline_gets_the_query_in_every_open_place(store, asynchronous):
    found = asked(hybrid_pipeline(store), "green tea", 2, asynchronous=asynchronous)
    assert found.docs == ("green", "black")


def test_the_documents_of_any_component_can_be_the_answer(store):
    target = hybrid_pipeline(store)
    assert asked(target, "rye", 1, output="bm25").docs == ("rye",)
    with pytest.raises(InputError, match=r"no component 'bm52' gives documents. Did you mean bm25?"):
        adapt(target, output="bm52")


def test_a_pipeline_with_two_ends_must_be_told_which(store):
    pipeline = embedding_pipeline(store)
    pipeline.add_component("bm25", InMemoryBM25Retriever(store))
    with pytest.raises(InputError, match=r"several components give documents: name one by output=.* bm25"):
        adapt(pipeline)
    assert asked(pipeline, "rye bread", 1, output="retriever").docs == ("rye",)


def test_a_pipeline_without_documents_or_query_is_refused(store):
    pipeline = Pipeline()
    pipeline.add_component("embedder", Letters())
    with pytest.raises(InputError, match=r"no documents leave the pipeline.*give documents: none"):
        adapt(pipeline)
    pipeline = Pipeline()
    pipeline.add_component("retriever", InMemoryEmbeddingRetriever(store))
    with pytest.raises(InputError, match="no open input called query or text or question"):
        adapt(pipeline)


@pytest.mark.parametrize(
    ("rule", "docs"),
    [
        ("id", ("green", "black")),
        ("metadata[shelf]", ("GREEN", "BLACK")),
        ("content", ("green tea", "black tea")),
        (lambda doc: doc.meta["shelf"].lower(), ("green", "black")),
    ],
)
def test_ids_come_by_rule(store, rule, docs):
    assert asked(InMemoryBM25Retriever(store), ids=rule).docs == docs


def test_a_hash_of_the_text_stays_when_metadata_changes_and_haystacks_own_id_does_not(store):
    first, second = Document(content="tea", meta={"page": 1}), Document(content="tea", meta={"page": 2})
    assert first.id != second.id

    def hashed(doc):
        other = InMemoryDocumentStore()
        other.write_documents([doc])
        try:
            return asked(InMemoryBM25Retriever(other), "tea", ids="hash").docs
        finally:
            other.shutdown()

    assert hashed(first) == hashed(second)


def test_what_stands_behind_run_async_is_said_as_the_sources_have_it(store):
    assert adapt(InMemoryBM25Retriever(store)).describe["async"] == "thread pool of 1"
    assert adapt(Words()).describe["async"] == "none: it has no run_async"
    hybrid = adapt(hybrid_pipeline(store), asynchronous=True).describe["async"]
    assert f"embedder: {POOL}" in hybrid
    assert "bm25: thread pool of 1" in hybrid


def test_a_component_that_takes_no_query_is_refused():
    with pytest.raises(InputError, match="DocumentJoiner takes no query, only documents, top_k: give a Pipeline"):
        adapt(DocumentJoiner())
