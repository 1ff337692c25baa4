"""A retriever of LlamaIndex, benchmarked; ids are those of nodes, or of the documents that they are chunks of."""

from llama_index.core import VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
from shelf import QRELS, QUERIES, TEXTS, show, words

import truerank as tr


class Words(BaseEmbedding):
    def _get_text_embedding(self, text):
        return words(text)

    def _get_query_embedding(self, query):
        return words(query)

    async def _aget_query_embedding(self, query):
        return words(query)


def chunks(doc: str, text: str) -> list[TextNode]:
    """Each half of a text as a node that knows its document."""
    parts = text.split()
    source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id=doc)}
    halves = (parts[: len(parts) // 2], parts[len(parts) // 2 :])
    return [
        TextNode(id_=f"{doc}-{at}", text=" ".join(half), relationships=source) for at, half in enumerate(halves)
    ]


nodes = [node for doc, text in TEXTS.items() for node in chunks(doc, text)]
retriever = VectorStoreIndex(nodes, embed_model=Words()).as_retriever()

# The judgements are of documents, the results are chunks: of several chunks of a document the best one counts.
found = tr.bench(retriever, QUERIES, QRELS, k=6, repeats=20, measures="nDCG@3 RR", ids="ref_doc_id", collapse=True)
show(found)
print(f"  behind aretrieve: {found.describe['async']}")
