"""A retriever of LangChain and the vector store behind it, benchmarked."""

from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore
from shelf import QRELS, QUERIES, TEXTS, show, words

import truerank as tr


class Words(Embeddings):
    def embed_documents(self, texts):
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text):
        return words(text)


store = InMemoryVectorStore(Words())
store.add_texts(list(TEXTS.values()), ids=list(TEXTS), metadatas=[{"source": f"{doc}.txt"} for doc in TEXTS])

# There is no k in LangChain's contract: a copy of the retriever carries it. The store takes it, and has scores.
for target in (store.as_retriever(), store):
    show(tr.bench(target, QUERIES, QRELS, k=3, repeats=20, measures="nDCG@3 RR"))

# Stores often leave Document.id empty. Then say where the id is: in the metadata, or wherever a function finds it.
named = tr.bench(
    store.as_retriever(),
    QUERIES,
    QRELS,
    k=3,
    repeats=20,
    measures="nDCG@3 RR",
    ids=lambda doc: doc.metadata["source"].removesuffix(".txt"),
)
show(named)
print(f"  behind ainvoke: {named.describe['async']}")
