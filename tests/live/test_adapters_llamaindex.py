"""LlamaIndex's retrievers, as the installed llama-index-core has them."""

from __future__ import annotations

import asyncio
import threading

import pytest

pytest.importorskip("llama_index.core")

from llama_index.core import SimpleKeywordTableIndex, VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.llms import MockLLM
from llama_index.core.schema import NodeRelationship, NodeWithScore, RelatedNodeInfo, TextNode

from live_asking import asked
from truerank.core.errors import InputError
from truerank.live.adapters import adapt
from truerank.live.retriever import Answer

TEXTS = {"green": "green tea", "black": "black tea", "rye": "rye bread", "oat": "oat milk"}
LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Letters(BaseEmbedding):
    """How often each letter occurs."""

    def _embed(self, text):
        return [float(text.count(letter)) for letter in LETTERS]

    _get_text_embedding = _get_query_embedding = _embed

    async def _aget_query_embedding(self, query):
        return self._embed(query)


def nodes() -> list[TextNode]:
    return [
        TextNode(
            id_=f"{name}-0",
            text=text,
            metadata={"shelf": name.upper()},
            excluded_embed_metadata_keys=["shelf"],
            relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=name[0])},
        )
        for name, text in TEXTS.items()
    ]


class Words(BaseRetriever):
    """The nodes that share a word with the query; it has no k."""

    def __init__(self, nodes, scores=None):
        super().__init__()
        self.nodes, self.scores = nodes, scores
        self.main = []

    def _retrieve(self, query_bundle):
        self.main.append(threading.current_thread() is threading.main_thread())
        wanted = set(query_bundle.query_str.split())
        found = [node for node in self.nodes if wanted & set(node.get_content().split())]
        return [NodeWithScore(node=node, score=(self.scores or {}).get(node.node_id)) for node in found]


class OwnAsync(Words):
    async def _aretrieve(self, query_bundle):
        await asyncio.sleep(0)
        return self._retrieve(query_bundle)


@pytest.fixture(scope="module")
def index() -> VectorStoreIndex:
    return VectorStoreIndex(nodes(), embed_model=Letters())


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_vector_index_answers_with_node_ids_and_scores_and_takes_k_in_a_copy(index, asynchronous):
    target = index.as_retriever(similarity_top_k=1)
    found = asked(target, k=3, asynchronous=asynchronous)
    assert found.docs[0] == "green-0"
    assert found.scores[0] == pytest.approx(1.0)
    assert len(found.docs) == 3
    assert target.similarity_top_k == 1
    assert adapt(target).describe["k"] == "the attribute similarity_top_k of a copy"


def test_a_keyword_table_takes_k_under_its_own_name():
    table = SimpleKeywordTableIndex(nodes(), llm=MockLLM())
    target = table.as_retriever(retriever_mode="simple")
    assert set(asked(target, "green tea", 2).docs) == {"green-0", "black-0"}
    assert asked(target, "green tea", 1).docs == ("green-0",)
    assert adapt(target).describe["k"] == "the attribute num_chunks_per_query of a copy"


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_retriever_without_k_has_its_answers_cut_and_this_is_said(asynchronous):
    target = Words(nodes())
    assert asked(target, "tea bread", 2, asynchronous=asynchronous) == Answer(("green-0", "black-0"), (3.0, 2.0))
    assert "cut at k" in adapt(target).describe["k"]


def test_scores_are_kept_where_every_node_has_one():
    target = Words(nodes(), {"green-0": 0.75, "black-0": 0.5})
    assert asked(target).scores == (0.75, 0.5)
    assert asked(Words(nodes(), {"green-0": 0.75})).scores == (2.0, 1.0)


@pytest.mark.parametrize(
    ("rule", "docs"),
    [
        ("id", ("green-0", "black-0")),
        ("ref_doc_id", ("g", "b")),
        ("metadata[shelf]", ("GREEN", "BLACK")),
        ("text", ("green tea", "black tea")),
        (lambda result: result.node.get_content()[:3], ("gre", "bla")),
    ],
)
def test_ids_come_by_rule(rule, docs):
    assert asked(Words(nodes()), ids=rule).docs == docs


def test_chunks_of_one_document_can_count_once():
    sources = [{NodeRelationship.SOURCE: RelatedNodeInfo(node_id=doc)} for doc in "aabac"]
    chunks = [TextNode(id_=f"{at}", text=f"tea {at}", relationships=each) for at, each in enumerate(sources)]
    assert asked(Words(chunks), "tea", 3, ids="ref_doc_id").docs == ("a", "a", "b")
    assert asked(Words(chunks), "tea", 3, ids="ref_doc_id", collapse=True).docs == ("a", "b", "c")


def test_a_node_without_a_document_is_an_error_that_names_the_choices():
    with pytest.raises(InputError, match=r"has no id under ids='ref_doc_id'. Choose another"):
        asked(Words([TextNode(text="tea")]), ids="ref_doc_id")


def test_what_stands_behind_aretrieve_is_said_as_the_sources_have_it(index):
    def behind(target):
        return adapt(target).describe["async"]

    serial = "none: its synchronous code runs on the event loop, one query at a time"
    assert behind(Words([])) == serial
    assert behind(index.as_retriever()) == serial
    assert behind(OwnAsync([])) == "the retriever's own coroutine"


def test_the_event_loop_is_where_the_default_runs():
    target = Words(nodes())
    asked(target, asynchronous=True)
    assert target.main == [True]


def test_what_a_retriever_returns_in_place_of_nodes_is_refused():
    retriever = adapt(Words([]))
    with pytest.raises(InputError, match="the retriever returned list, not a list of NodeWithScore"):
        retriever.read((10, ["a"]))
