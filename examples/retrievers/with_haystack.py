"""A component of Haystack, and a pipeline of two, benchmarked."""

import os

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"  # pipelines send usage data unless told not to

from haystack import Document, Pipeline, component
from haystack.components.retrievers import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from haystack.document_stores.in_memory import InMemoryDocumentStore
from shelf import QRELS, QUERIES, TEXTS, show, words

import truerank as tr


@component
class Words:
    @component.output_types(embedding=list[float])
    def run(self, text: str):
        return {"embedding": words(text)}


store = InMemoryDocumentStore()
store.write_documents([Document(id=doc, content=text, embedding=words(text)) for doc, text in TEXTS.items()])

pipeline = Pipeline()
pipeline.add_component("embedder", Words())
pipeline.add_component("retriever", InMemoryEmbeddingRetriever(store))
pipeline.connect("embedder.embedding", "retriever.query_embedding")

for target in (InMemoryBM25Retriever(store), pipeline):
    show(tr.bench(target, QUERIES, QRELS, k=3, repeats=20, measures="nDCG@3 RR"))

# A retriever that takes an embedding can be given the embedder; both are in the time.
alone = InMemoryEmbeddingRetriever(store)
show(tr.bench(alone, QUERIES, QRELS, k=3, repeats=20, measures="nDCG@3 RR", embedder=Words()))
store.shutdown()
