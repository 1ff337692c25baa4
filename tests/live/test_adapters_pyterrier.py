"""PyTerrier's transformers are asked by `search`: of its own class where it is installed, else of one alike."""

from __future__ import annotations

from typing import Any

import pandas
import pytest

import truerank as tr
from truerank.core.errors import InputError
from truerank.live.adapters import adapt
from truerank.live.retriever import Answer

try:
    from pyterrier import Transformer
except ModuleNotFoundError:

    class Transformer:  # type: ignore[no-redef]
        """What PyTerrier's class does with one query: a frame of one row in, a frame of documents out."""

        def search(self, query: str, qid: str = "1") -> Any:
            return self.transform(pandas.DataFrame([{"qid": qid, "query": query}]))

        def transform(self, topics: Any) -> Any:
            raise NotImplementedError

    Transformer.__module__ = "pyterrier.transformer"


class Shelf(Transformer):
    """Rows in no order, as a transformer may return them."""

    def __init__(self, **columns: list[Any]):
        self.columns = columns

    def transform(self, topics: Any) -> Any:
        return pandas.DataFrame({"qid": topics["qid"][0], "query": topics["query"][0], **self.columns})


RANKED = {"docno": ["d2", "d1", "d3"], "score": [1.0, 2.0, 0.5], "rank": [1, 0, 2]}


@pytest.mark.parametrize("columns", [RANKED, dict(list(RANKED.items())[:2])], ids=["ranks", "scores alone"])
def test_documents_come_by_rank_and_are_cut_at_k(columns):
    retriever = adapt(Shelf(**columns))
    assert retriever.read(retriever.call("green tea", 2)) == Answer(("d1", "d2"), (2.0, 1.0))
    assert retriever.name == "Shelf"
    assert retriever.describe["kind"] == "PyTerrier"


def test_an_id_may_be_another_column():
    retriever = adapt(Shelf(**RANKED, docid=[20, 10, 30]), ids="docid")
    assert retriever.read(retriever.call("tea", 3)).docs == ("10", "20", "30")


def test_what_ranks_no_documents_is_refused():
    retriever = adapt(Shelf(query_vec=[0]))
    with pytest.raises(InputError, match="DataFrame without docno and score"):
        retriever.read(retriever.call("tea", 3))
    with pytest.raises(InputError, match="no asynchronous call"):
        adapt(Shelf(**RANKED), asynchronous=True)


def test_an_experiment_takes_a_pipeline_with_its_topics_and_qrels():
    topics = pandas.DataFrame({"qid": ["q1", "q2"], "query": ["tea", "ink"]})
    qrels = pandas.DataFrame({"qid": ["q1", "q2"], "docno": ["d1", "d2"], "label": [1, 1]})
    found = tr.experiment({"shelf": Shelf(**RANKED)}, topics, qrels, "RR AP")
    assert found.mean["shelf"] == {"RR": 0.75, "AP": 0.75}


class Stored(Transformer):
    """A run as a transformer, as `Transformer.from_df` makes one: it looks each query up by its id."""

    def __init__(self, run: Any):
        self.run = run

    def transform(self, topics: Any) -> Any:
        return topics[["qid", "query"]].merge(self.run, on="qid")


def test_a_transformer_is_told_the_query_s_id():
    run = pandas.DataFrame({"qid": ["q1", "q2"], "docno": ["d1", "d2"], "score": [1.0, 1.0], "rank": [0, 0]})
    topics = pandas.DataFrame({"qid": ["q1", "q2"], "query": ["tea", "tea"]})
    qrels = pandas.DataFrame({"qid": ["q1", "q2"], "docno": ["d1", "d2"], "label": [1, 1]})
    assert tr.experiment({"stored": Stored(run)}, topics, qrels, "RR").mean["stored"] == {"RR": 1.0}
