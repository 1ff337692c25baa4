"""LangChain's retrievers, runnables and vector stores, as the installed langchain-core has them."""

from __future__ import annotations

import asyncio
import hashlib
import os
import threading

import pytest

pytest.importorskip("langchain_core")

from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore

from live_asking import asked
from truerank.core.errors import InputError
from truerank.live.adapters import adapt
from truerank.live.retriever import Answer

TEXTS = {"green": "green tea", "black": "black tea", "rye": "rye bread", "oat": "oat milk"}
POOL = f"thread pool of {min(32, os.cpu_count() + 4)}"


def documents(ids=True) -> list[Document]:
    return [
        Document(id=name if ids else None, page_content=text, metadata={"source": name.upper()})
        for name, text in TEXTS.items()
    ]


class Words(BaseRetriever):
    """The documents that share a word with the query."""

    documents: list[Document]

    def _get_relevant_documents(self, query, *, run_manager):
        return [doc for doc in self.documents if set(query.split()) & set(doc.page_content.split())]


class CutWords(Words):
    k: int = 4

    def _get_relevant_documents(self, query, *, run_manager):
        return super()._get_relevant_documents(query, run_manager=run_manager)[: self.k]


class AskedWords(Words):
    def _get_relevant_documents(self, query, *, run_manager, k=4):
        return super()._get_relevant_documents(query, run_manager=run_manager)[:k]


class OldWords(BaseRetriever):
    """Written without a run manager, as the documentation shows it."""

    def _get_relevant_documents(self, query):
        return documents()


class OwnAsync(Words):
    async def _aget_relevant_documents(self, query, *, run_manager):
        await asyncio.sleep(0)
        return self.documents


@pytest.fixture
def store() -> InMemoryVectorStore:
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=16))
    store.add_documents(documents())
    return store


def test_a_retriever_answers_through_invoke():
    assert asked(Words(documents=documents())) == Answer(("green", "black"), (2.0, 1.0))
    assert adapt(Words(documents=[])).describe["call"] == "invoke"


def test_a_retriever_answers_through_ainvoke_when_asked():
    found = asked(Words(documents=documents()), asynchronous=True)
    assert found == asked(Words(documents=documents()))
    assert adapt(Words(documents=[]), asynchronous=True).describe["call"] == "ainvoke"


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("cls", [CutWords, AskedWords, Words, OldWords])
def test_k_reaches_the_retriever_or_its_answer_is_cut(cls, asynchronous):
    target = OldWords() if cls is OldWords else cls(documents=documents())
    assert len(asked(target, "tea bread milk", 3, asynchronous=asynchronous).docs) == 3
    assert len(asked(target, "tea bread milk", 1, asynchronous=asynchronous).docs) == 1


def test_how_k_is_taken_is_said():
    def k_of(target):
        return adapt(target).describe["k"]

    assert k_of(CutWords(documents=[])) == "the field k of a copy"
    assert k_of(AskedWords(documents=[])) == "the argument k"
    assert "cut at k" in k_of(Words(documents=[]))
    assert "cut at k" in adapt(AskedWords(documents=[]), asynchronous=True).describe["k"]


@pytest.mark.parametrize("kind", ["similarity", "mmr"])
def test_k_replaces_that_of_the_search_arguments_in_a_copy(store, kind):
    target = store.as_retriever(search_type=kind, search_kwargs={"k": 1, "filter": lambda doc: doc.id != "black"})
    found = asked(target, k=3)
    assert set(found.docs) == {"green", "rye", "oat"}
    assert found.docs[0] == "green"
    assert target.search_kwargs["k"] == 1
    assert adapt(target).describe["k"] == "search_kwargs['k'] of a copy"


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_vector_store_answers_with_its_scores(store, asynchronous):
    found = asked(store, k=3, asynchronous=asynchronous)
    with_scores = store.similarity_search_with_score("green tea", k=3)
    assert found == Answer(tuple(doc.id for doc, _ in with_scores), tuple(score for _, score in with_scores))
    assert found.docs[0] == "green"


def test_a_vector_store_without_scores_answers_with_ranks():
    class Bare(InMemoryVectorStore):
        similarity_search_with_score = VectorStore.similarity_search_with_score

        def similarity_search(self, query, k=4, **kwargs):
            return documents()[:k]

    found = asked(Bare(DeterministicFakeEmbedding(size=4)), k=3)
    assert found == Answer(("green", "black", "rye"), (3.0, 2.0, 1.0))


def test_a_runnable_that_ends_in_documents_is_a_retriever():
    chain = RunnableLambda(str.lower) | Words(documents=documents())
    assert asked(chain, "GREEN TEA").docs == ("green", "black")
    assert "the runnable returned str" in _said(RunnableLambda(str.lower))


def _said(target, **options) -> str:
    with pytest.raises(InputError) as caught:
        asked(target, **options)
    return str(caught.value)


def test_an_id_of_none_is_an_error_that_names_the_choices():
    target = Words(documents=documents(ids=False))
    said = _said(target)
    assert said.startswith("result 1 (a LangChain Document) has no id. Choose another: ids='metadata[key]'")
    assert said.endswith("Its metadata has: source")
    assert asked(target, ids="metadata[source]").docs == ("GREEN", "BLACK")
    assert asked(target, ids="hash").docs[0] == hashlib.sha256(b"green tea").hexdigest()[:32]
    assert asked(target, ids="page_content").docs[0] == "green tea"
    assert asked(target, ids=lambda doc: doc.page_content[:3]).docs == ("gre", "bla")


def test_what_stands_behind_ainvoke_is_said_as_the_sources_have_it(store):
    def behind(target):
        return adapt(target).describe["async"]

    assert behind(Words(documents=[])) == POOL
    assert behind(OldWords()) == POOL
    assert behind(OwnAsync(documents=[])) == "the retriever's own coroutine"
    assert behind(store.as_retriever()).startswith("none: its synchronous code runs on the event loop")
    assert behind(store.as_retriever(search_type="mmr")).startswith("none:")
    assert behind(store).startswith("none:")
    assert behind(RunnableLambda(str.lower)) == f"that of its parts; {POOL} for functions without one"


def test_the_thread_pool_and_the_event_loop_are_where_the_calls_run(store):
    """What `describe` claims, seen: the threads in which the synchronous code runs under `ainvoke`."""
    ran = []

    class Seen(Words):
        def _get_relevant_documents(self, query, *, run_manager):
            ran.append(threading.current_thread() is threading.main_thread())
            return []

    def look(doc):
        ran.append(threading.current_thread() is threading.main_thread())
        return True

    asked(Seen(documents=[]), asynchronous=True)
    assert ran == [False]
    ran.clear()
    asked(store.as_retriever(search_kwargs={"filter": look}), asynchronous=True)
    assert ran == [True] * 4


def test_tracing_is_said_because_the_times_include_it(monkeypatch):
    assert "tracing" not in adapt(Words(documents=[])).describe
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    assert "LANGSMITH_TRACING" in adapt(Words(documents=[])).describe["tracing"]


def test_what_a_retriever_raises_passes_through():
    class Broken(Words):
        def _get_relevant_documents(self, query, *, run_manager):
            raise TimeoutError("index is away")

    with pytest.raises(TimeoutError, match="index is away"):
        asked(Broken(documents=[]))
