"""What tools write down of one query: vector stores' answers, nodes, candidates, and lists in cells of text."""

from __future__ import annotations

import csv
import json
import math
import random

import numpy as np
import pandas as pd
import pytest

import truerank as tr

TEXTS = [
    "d1",
    "7",
    "a,b",
    "it's",
    'say "hi"',
    "two\nlines",
    "back\\slash",
    "[x]",
    "é",
    "日本",
    "a|b",
    "x;y",
    " d",
    "']",
]

Lists = dict[str, list[tuple[str, float]]]


def world(seed: int) -> Lists:
    """Lists of documents with falling scores, some of them equal; one query has none."""
    rng = random.Random(seed)
    lists: Lists = {f"q{n}": [] for n in range(6)}
    for query in list(lists)[:-1]:
        docs = rng.sample(TEXTS, rng.randint(1, len(TEXTS)))
        scores = sorted((rng.randint(0, 12) / 8 for _ in docs), reverse=True)
        lists[query] = list(zip(docs, scores, strict=True))
    return lists


def as_scores(lists: Lists) -> dict[str, dict[str, float]]:
    return {query: dict(docs) for query, docs in lists.items()}


def pinecone(docs: list[tuple[str, float]]) -> dict[str, object]:
    matches = [{"id": doc, "score": score, "values": [], "metadata": {"id": "no"}} for doc, score in docs]
    return {"matches": matches, "namespace": "", "usage": {"read_units": 6}}


def chroma(docs: list[tuple[str, float]]) -> dict[str, object]:
    texts = [f"text of {doc}" for doc, _ in docs]
    beside = {
        "embeddings": None,
        "documents": [texts],
        "metadatas": [[None for _ in docs]],
        "included": ["distances"],
    }
    return {"ids": [[doc for doc, _ in docs]], **beside, "distances": [[2 - score for _, score in docs]]}


def nodes(docs: list[tuple[str, float]]) -> list[dict[str, object]]:
    of = ({"id_": doc, "embedding": None, "metadata": {}, "text": "…", "class_name": "TextNode"} for doc, _ in docs)
    return [
        {"node": node, "score": score, "class_name": "NodeWithScore"}
        for node, (_, score) in zip(of, docs, strict=True)
    ]


def qdrant(docs: list[tuple[str, float]]) -> dict[str, object]:
    return {"points": [{"id": doc, "version": 3, "score": score, "payload": {"id": "no"}} for doc, score in docs]}


def elasticsearch(docs: list[tuple[str, float]]) -> dict[str, object]:
    hits = [{"_index": "i", "_id": doc, "_score": score, "_source": {"id": "no"}} for doc, score in docs]
    about = {"took": 3, "timed_out": False, "_shards": {"total": 1}}
    return {**about, "hits": {"total": {"value": 1}, "max_score": None, "hits": hits}}


def solr(docs: list[tuple[str, float]]) -> dict[str, object]:
    found = {"numFound": 99, "start": 0, "docs": [{"id": doc, "score": score, "title": "…"} for doc, score in docs]}
    beside = {"facet_counts": {"facet_fields": {"year": ["2024", 3]}}, "highlighting": {doc: {} for doc, _ in docs}}
    return {"responseHeader": {"status": 0, "params": {"q": "what?"}}, "response": found, **beside}


def candidates(docs: list[tuple[str, float]]) -> list[dict[str, object]]:
    return [{"docid": doc, "score": score, "doc": {"contents": "…"}} for doc, score in docs]


RECORD = {"RR": 0.5, "NumRet": 2.0}

DUMPS = {
    "pinecone": lambda lists: {query: pinecone(docs) for query, docs in lists.items()},
    "pinecone records": lambda lists: [{"query_id": q, **pinecone(docs)} for q, docs in lists.items()],
    "qdrant": lambda lists: {query: qdrant(docs) for query, docs in lists.items()},
    "qdrant, by REST": lambda lists: {q: {"result": qdrant(docs), "status": "ok"} for q, docs in lists.items()},
    "qdrant's search": lambda lists: {q: {"result": qdrant(docs)["points"]} for q, docs in lists.items()},
    "elasticsearch": lambda lists: {query: elasticsearch(docs) for query, docs in lists.items()},
    "elasticsearch records": lambda lists: [{"query": q, **elasticsearch(docs)} for q, docs in lists.items()],
    "solr": lambda lists: {query: solr(docs) for query, docs in lists.items()},
    "solr records": lambda lists: [{"query": q, **solr(docs)} for q, docs in lists.items()],
    "milvus records": lambda lists: [
        {"qid": q, "code": 0, "data": pinecone(d)["matches"]} for q, d in lists.items()
    ],
    "responses": lambda lists: [
        {"id": q, "query": "what?", "response": engine(docs)}
        for (q, docs), engine in zip(lists.items(), (elasticsearch, solr, qdrant) * 2, strict=True)
    ],
    "documents": lambda lists: {
        q: [{"similarity": score, "document": {"id": doc, "page_content": "…"}} for doc, score in docs]
        for q, docs in lists.items()
    },
    "reranked": lambda lists: [
        {
            "query": q,
            "results": [{"relevance_score": s, "document": {"doc_id": doc, "text": "…"}} for doc, s in docs],
        }
        for q, docs in lists.items()
    ],
    "llama-index": lambda lists: {query: nodes(docs) for query, docs in lists.items()},
    "llama-index records": lambda lists: [
        {"query": q, "retrieved_nodes": nodes(docs)} for q, docs in lists.items()
    ],
    "rank_llm": lambda lists: [
        {"query": {"text": "what?", "qid": query}, "candidates": candidates(docs)} for query, docs in lists.items()
    ],
    "columns": lambda lists: {
        "question": list(lists),
        "retrieved_ids": [[doc for doc, _ in docs] for docs in lists.values()],
        "scores": [[score for _, score in docs] for docs in lists.values()],
    },
}


@pytest.mark.parametrize("kind", ["pinecone records", "elasticsearch records", "llama-index records", "rank_llm"])
@pytest.mark.parametrize("ending", ["", "json", "jsonl"])
def test_a_record_of_one_query_alone_is_a_run(tmp_path, kind, ending):
    (record,) = DUMPS[kind]({"q": [("x", 2.0), ("a", 1.0)]})
    run = dumped([record] if ending == "jsonl" else record, tmp_path, ending)
    assert tr.evaluate({"q": {"a": 1}}, run, "RR NumRet").mean == RECORD


@pytest.mark.parametrize("name", ["scores", "score", "Similarity", "retrieved_scores", "distance", "rank", "ranks"])
@pytest.mark.parametrize("ending", ["", "json", "jsonl"])
def test_a_list_beside_the_documents_orders_them_by_whatever_name(tmp_path, name, ending):
    values = {"distance": [1, 2], "rank": [2, 1], "ranks": [2, 1]}.get(name, [1.0, 2.0])
    docs = ["a", "x"] if name == "distance" else ["x", "a"]
    run = dumped([{"query_id": "q", "retrieved_ids": docs, name: values}], tmp_path, ending)
    assert tr.evaluate({"q": {"a": 1}}, run, "RR").mean == {"RR": 1.0}
    frame = pd.DataFrame({"query_id": ["q"], "retrieved_ids": [docs], name: [values]})
    assert tr.evaluate({"q": {"a": 1}}, frame, "RR").mean == {"RR": 1.0}


def test_one_number_beside_the_documents_is_of_all_of_them():
    record = {"query_id": "q", "docs": ["x", "a"], "score": 0.83, "place": "Rome"}
    assert tr.evaluate({"q": {"a": 1}}, [record], "RR").mean == {"RR": 0.5}


def test_a_record_alone_may_have_numbers_and_arrays_of_numpys():
    record = {"query_id": np.int64(7), "docs": np.array(["x", "a"])}
    assert tr.evaluate({"7": {"a": 1}}, record, "RR NumRet").mean == RECORD


@pytest.mark.parametrize("judged", [{"relevant": ["a"]}, {"relevant": {"a": 1}}, {"doc_id": "a", "relevance": 1}])
def test_a_record_of_one_query_alone_is_qrels(judged):
    assert tr.evaluate({"query_id": "q", **judged}, {"q": ["x", "a"]}, "RR NumRet").mean == RECORD


def dumped(dump: object, folder, ending: str):
    """The dump as a file, in Python where no ending is given, or None where it cannot have the ending."""
    if not ending:
        return dump
    if ending == "jsonl" and not isinstance(dump, list):
        return None
    path = folder / f"run.{ending}"
    path.write_text("\n".join(map(json.dumps, dump)) if ending == "jsonl" else json.dumps(dump, indent=1))
    return path


def rank_gpt(query: str, docs: list[tuple[str, float]]) -> dict[str, object]:
    hits = [
        {"content": "…", "qid": query, "docid": doc, "rank": rank, "score": score}
        for rank, (doc, score) in enumerate(docs, 1)
    ]
    return {"query": f"what is {query}?", "hits": hits}


@pytest.mark.parametrize("ending", ["", "json", "jsonl"])
def test_rank_gpts_hits_name_their_query(ending, tmp_path):
    for seed in range(10):
        lists = {query: docs for query, docs in world(seed).items() if docs}
        records = [rank_gpt(query, docs) for query, docs in lists.items()]
        assert tr.open_run(dumped(records, tmp_path, ending)).to_dict() == as_scores(lists)
    two = [{"docid": "a", "qid": "7", "score": 2.0}, {"docid": "b", "qid": "8", "score": 1.0}]
    assert list(tr.open_run([{"query": "what?", "hits": two}]).to_dict()) == ["what?"]
    assert list(tr.open_run([{"qid": "9", "query": "what?", "hits": two[:1]}]).to_dict()) == ["9"]


@pytest.mark.parametrize("ending", ["", "json", "jsonl"])
def test_weaviates_objects_are_read_in_their_order(ending, tmp_path):
    found = [{"uuid": doc, "properties": {"title": "…"}, "metadata": {"distance": 0.1}} for doc in ("x", "a", "y")]
    run = dumped([{"query_id": "q", "results": found}], tmp_path, ending)
    assert tr.evaluate({"q": ["a"]}, run, "RR NumRet").mean == {"RR": 0.5, "NumRet": 3.0}


BATCHES = {
    "elasticsearch": lambda lists: {"took": 3, "responses": [elasticsearch(docs) for docs in lists.values()]},
    "qdrant": lambda lists: {"result": [qdrant(docs) for docs in lists.values()], "status": "ok", "time": 0.1},
    "qdrant's search": lambda lists: {
        "result": [qdrant(docs)["points"] for docs in lists.values()],
        "status": "ok",
        "time": 0.1,
        "usage": {"hardware": {"cpu": 7}},
    },
}


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("tool", BATCHES)
def test_what_engines_answer_to_several_queries_is_a_run(tool, indent, tmp_path):
    for seed in range(10):
        lists = world(seed)
        numbered = {str(n): dict(docs) for n, docs in enumerate(lists.values())}
        whole = BATCHES[tool](lists)
        named = {**whole, "query_ids": list(lists)}
        for dump, expected in ((whole, numbered), (named, as_scores(lists))):
            (tmp_path / "a.json").write_text(json.dumps(dump, indent=indent))
            for run in (dump, tmp_path / "a.json"):
                assert tr.open_run(run).to_dict() == expected


def test_what_is_no_answer_to_several_queries_stays_what_it_is():
    calls = [qdrant([("a", 2.0)])["points"], qdrant([("b", 1.0)])["points"]]
    for run in ({"q": {"result": calls, "status": "ok"}}, {"result": calls}):
        assert tr.evaluate({query: ["b"] for query in run}, run, "CallRecall@2").mean == {"CallRecall@2": 1.0}
    assert tr.open_run({"result": [{"id": "a", "score": 2.0}], "next": ["b"]}).to_dict() == {
        "result": {"a": 2.0},
        "next": {"b": 0.0},
    }
    failed = {"took": 3, "responses": [elasticsearch([("a", 2.0)]), {"error": {"type": "x"}, "status": 404}]}
    with pytest.raises(tr.InputError, match=r"a number should stand here, not .'type': 'x'"):
        tr.evaluate({"0": ["a"]}, failed, "RR")
    for ids in (["q1"], "q1"):
        with pytest.raises(
            tr.InputError, match="the columns 'took', 'responses', 'query_ids' are not of one length"
        ):
            tr.evaluate({"0": ["a"]}, {**failed, "query_ids": ids}, "RR")


@pytest.mark.parametrize("engine", [elasticsearch, pinecone, qdrant, chroma])
def test_a_list_of_answers_that_do_not_name_their_queries_is_told_how_to_name_them(engine):
    with pytest.raises(tr.InputError, match=r"name it query_id \(.*\), or write \{query: answer\}$"):
        tr.open_run([engine([("a", 2.0)]), engine([("b", 1.0)])]).to_dict()


@pytest.mark.parametrize("ending", ["", "json", "jsonl"])
@pytest.mark.parametrize("tool", DUMPS)
def test_what_tools_answer_is_a_run(tool, ending, tmp_path):
    for seed in range(20):
        run = dumped(DUMPS[tool](world(seed)), tmp_path, ending)
        if run is not None:
            assert tr.open_run(run).to_dict() == as_scores(world(seed))


@pytest.mark.parametrize("ending", ["", "json", "jsonl"])
@pytest.mark.parametrize("text", ["query", "q", "question", "user_input", "input", "request"])
def test_a_record_with_an_id_and_the_text_of_a_query_goes_by_the_id(text, ending, tmp_path):
    asked = [{text: f"which of {q}?", "id": q} for q in ("q1", "q2")]
    run = [{**record, "results": ["x", "a"]} for record in asked]
    qrels = [{**record, "gold_ids": ["a"]} for record in asked]
    for right in (qrels, {"q1": ["a"], "q2": ["a"]}):
        scores = tr.evaluate(right, dumped(run, tmp_path, ending), "RR")
        assert (scores.queries, scores["RR"].tolist()) == (("q1", "q2"), [0.5, 0.5])
    assert tr.evaluate(dumped(qrels, tmp_path, ending), {"q1": ["a"], "q2": ["a"]}, "RR").mean == {"RR": 1.0}


def test_an_answer_in_nuggets_may_have_its_text_in_its_response():
    record = {"qid": "q", "run_id": "r", "response": "…", "nuggets": [{"text": "n", "assignment": "support"}]}
    assert tr.open_run([record]).to_dict() == {"q": {"r": 0.0}}


def test_documents_that_come_twice_in_a_response_are_refused(tmp_path):
    (tmp_path / "run.jsonl").write_text('{"query": "q", "response": {"a": 2, "b": 1, "a": 0}}\n')
    with pytest.raises(tr.InputError, match=r"run.jsonl:1: 'a' comes 2 times in one object"):
        tr.evaluate({"q": ["a"]}, tmp_path / "run.jsonl", "RR")


def test_rows_may_have_a_result_of_their_own():
    rows = [{"query": "q", "id": doc, "score": score, "result": "hit"} for doc, score in (("a", 1.0), ("b", 2.0))]
    assert tr.open_run(rows).to_dict() == {"q": {"b": 2.0, "a": 1.0}}


@pytest.mark.parametrize("ending", ["", "json"])
@pytest.mark.parametrize("text", ["query", "question", "user_input", "input"])
def test_answers_that_repeat_the_text_of_the_query_go_by_their_keys(text, ending, tmp_path):
    lists = world(7)
    asked = {q: {text: "which?", "hits": [{"id": d, "score": s} for d, s in docs]} for q, docs in lists.items()}
    assert tr.open_run(dumped(asked, tmp_path, ending)).to_dict() == as_scores(lists)
    named = {f"row {q}": {"query_id": q, **record} for q, record in asked.items()}
    assert tr.open_run(dumped(named, tmp_path, ending)).to_dict() == as_scores(lists)
    rows = {str(n): {**record, text: q} for n, (q, record) in enumerate(asked.items())}
    assert tr.open_run(dumped(rows, tmp_path, ending)).to_dict() == as_scores(lists)
    rows = {str(n + 3): record for n, record in enumerate(rows.values())}
    assert tr.open_run(dumped(rows, tmp_path, ending)).to_dict() == as_scores(lists)
    numbered = {n: {**record, text: f"which {n}?"} for n, record in rows.items()}
    assert list(tr.open_run(dumped(numbered, tmp_path, ending)).to_dict()) == list(numbered)
    relevant = {q: {text: "which?", "relevant_ids": [d for d, _ in docs]} for q, docs in lists.items()}
    assert set(tr.evaluate(dumped(relevant, tmp_path, ending), lists, "SetP").queries) == set(lists)


@pytest.mark.parametrize("ending", ["", "json", "jsonl"])
@pytest.mark.parametrize("is_one", [True, False])
def test_chromas_distances_are_told_from_scores_and_its_texts_from_ids(is_one, ending, tmp_path):
    for seed in range(20):
        lists = world(seed)
        if is_one:
            dump = {query: chroma(docs) for query, docs in lists.items()}
        else:
            dump = [{"query_id": query, **chroma(docs)} for query, docs in lists.items()]
        run = dumped(dump, tmp_path, ending)
        if run is not None:
            found = tr.open_run(run)
            assert found.to_dict() == {q: {d: s - 2 for d, s in docs} for q, docs in lists.items()}
            assert all(part.are_distances for part in found.batches())


@pytest.mark.parametrize("ending", ["", "json"])
def test_chromas_answer_to_several_questions_numbers_them(ending, tmp_path):
    lists = list(world(3).values())
    each = [chroma(docs) for docs in lists]
    whole = {key: [one[key][0] for one in each] for key in ("ids", "documents", "distances")}
    numbered = {str(n): {d: s - 2 for d, s in docs} for n, docs in enumerate(lists)}
    assert tr.open_run(dumped(whole, tmp_path, ending)).to_dict() == numbered
    named = {"query_ids": [f"q{n}" for n in range(len(lists))], **whole}
    assert tr.open_run(dumped(named, tmp_path, ending)).to_dict() == {f"q{n}": d for n, d in numbered.items()}
    for key in ("query", "qid", "query_id"):
        again = {key: named["query_ids"], **whole}
        assert tr.open_run(dumped(again, tmp_path, ending)).to_dict() == {f"q{n}": d for n, d in numbered.items()}
        alone = {key: "q0", **chroma(lists[0])}
        assert tr.open_run(dumped(alone, tmp_path, ending)).to_dict() == {"q0": numbered["0"]}
    bare = {key: whole[key] for key in ("ids", "distances")}
    assert tr.open_run(dumped(bare, tmp_path, ending)).to_dict() == numbered
    unscored = {key: whole[key] for key in ("ids", "documents")}
    ranked = tr.open_run(dumped({**unscored, "distances": None}, tmp_path, ending)).to_dict()
    assert [list(docs) for docs in ranked.values()] == [[doc for doc, _ in docs] for docs in lists]
    with pytest.raises(tr.InputError, match="are not of one length"):
        tr.open_run({**whole, "distances": whole["distances"][1:]}).to_dict()


def test_numbers_called_distances_that_fall_leave_the_order_and_others_are_refused():
    run = [{"query_id": "q", "docs": ["b", "a"], "distances": [0.9, 0.1]}]
    assert list(tr.open_run(run).to_dict()["q"]) == ["b", "a"]
    run = [{"query_id": "q", "docs": ["c", "b", "a"], "distances": [0.1, 0.9, 0.3]}]
    with pytest.raises(tr.InputError, match="the distances of query q neither rise nor fall"):
        tr.open_run(run).to_dict()


def test_rows_of_azure_s_evaluator_are_a_run_and_its_judgements(tmp_path):
    labels, scores = {"a": 4, "b": 0, "c": 2}, {"b": 45.1, "x": 35.8, "a": 35.8, "c": 29.2}
    truth = [{"document_id": doc, "query_relevance_label": label} for doc, label in labels.items()]
    found = [{"document_id": doc, "relevance_score": score} for doc, score in scores.items()]
    rows = [{"query": "what?", "retrieval_ground_truth": truth, "retrieved_documents": found}]
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(rows[0]) + "\n")
    for given in (rows, path):
        measures = ["nDCG(gain='exp')@3", "DCG(discount=[1, 0.6, 0.36])@3", "Judged"]
        mean = tr.evaluate(given, given, measures, rules={"ties": "input"}).mean
        assert list(mean.values()) == pytest.approx([7.5 / (15 + 3 / math.log2(3)), 4 * 0.36, 0.75])


def _memory(docs: list[str]) -> dict[str, object]:
    """As LongMemEval logs it."""
    items = [{"corpus_id": doc, "text": "t", "timestamp": "2023"} for doc in docs]
    result = {"query": "what", "ranked_items": items, "metrics": {"session": {"recall_any@1": 0.0}}}
    return {"question_id": "q", "question": "what", "answer_session_ids": ["a"], "retrieval_results": result}


ROWS_OF_TOOLS = {
    "LongMemEval": _memory,
    "LangChain": lambda docs: {
        "query": "q",
        "result": "It is.",
        "source_documents": [{"id": doc, "metadata": {"source": "s"}, "page_content": "t"} for doc in docs],
    },
    "Databricks": lambda docs: {
        "request": "q",
        "response": "It is.",
        "expected_retrieved_context": [{"doc_uri": "a"}],
        "retrieved_context": [{"doc_uri": doc, "content": "t"} for doc in docs],
    },
    "DeepEval": lambda docs: {"input": "q", "actual_output": "It is.", "retrieval_context": docs, "context": ["t"]},
    "OpenAI": lambda docs: {
        "query_id": "q",
        "object": "page",
        "data": [{"file_id": doc, "filename": "f", "score": 0.5 - n / 8} for n, doc in enumerate(docs)][::-1],
    },
    "AutoRAG": lambda docs: {"qid": "q", "query": "w", "retrieved_ids": docs[::-1], "retrieve_scores": [0.4, 0.9]},
}


@pytest.mark.parametrize("ending", ["", "json", "jsonl"])
@pytest.mark.parametrize("tool", ROWS_OF_TOOLS)
def test_rows_of_tools_for_answers_are_a_run(tool, ending, tmp_path):
    rows = [ROWS_OF_TOOLS[tool](["x", "a"])]
    judged = rows if tool in ("LongMemEval", "Databricks") else {"q": ["a"]}
    run = rows if not ending else tmp_path / f"a.{ending}"
    if ending:
        text = json.dumps(rows, indent=1) if ending == "json" else json.dumps(rows[0]) + "\n"
        (tmp_path / f"a.{ending}").write_text(text)
        judged = run if judged is rows else judged
    assert tr.evaluate(judged, run, "RR").mean == {"RR": 0.5}


@pytest.mark.parametrize("beside", [{"supporting_facts": [["A", 0]]}, {"context": "t", "title": "T"}])
def test_the_id_of_a_question_is_not_taken_for_its_document(beside):
    """As in HotpotQA, KILT and SQuAD; a column of grades would not help there."""
    rows = [{"id": "q", "question": "What?", **beside}]
    with pytest.raises(tr.InputError, match="no column holds the document ids; name it doc_id, or relevant where"):
        tr.read_qrels(rows)
    with pytest.raises(tr.InputError, match="no column holds the document ids; name it doc_id, or docs where"):
        tr.open_run(rows).to_dict()


@pytest.mark.parametrize("key", ["distance", "_distance", "dist", "$dist", "cosine_distance", "vector_distance"])
def test_distances_in_objects_are_read_as_those_beside_ids(key, tmp_path):
    def run(*distances, **more):
        docs = [{"id": doc, key: far, **more} for doc, far in zip("abc", distances, strict=False)]
        return [{"query_id": "q", "results": docs}, {"query_id": "r", "results": []}]

    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in run(0.1, 0.1, 0.5)))
    docs = run(0.1, 0.1, 0.5)[0]["results"]
    by_rest = ({"q": {"code": 0, "data": docs}}, {"q": {"rows": docs, "billing": {}}})
    for given in (run(0.1, 0.1, 0.5), {"q": docs}, *by_rest, path):
        found = tr.open_run(given)
        assert found.to_dict()["q"] == {"a": -0.1, "b": -0.1, "c": -0.5}
    for given in (run(0.9, 0.5, 0.1), run(None, None, None), run(0.1, 0.9, 0.3, rank=1)):
        assert tr.open_run(given).to_dict()["q"] == {"a": 0.0, "b": -1.0, "c": -2.0}
    assert tr.open_run(run(0.1, 0.9, score=0.5)).to_dict()["q"] == {"a": 0.5, "b": 0.5}
    with pytest.raises(tr.InputError, match="the distances of query q neither rise nor fall"):
        tr.open_run(run(0.1, 0.9, 0.3)).to_dict()


@pytest.mark.parametrize("as_text", [json.dumps, str])
@pytest.mark.parametrize(("ending", "delimiter"), [("csv", ","), ("tsv", "\t"), ("csv", ";")])
def test_cells_hold_lists_as_json_or_python_writes_them(as_text, ending, delimiter, tmp_path):
    path = tmp_path / f"samples.{ending}"
    for seed in range(20):
        lists = world(seed)
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, delimiter=delimiter)
            writer.writerow(["user_input", "retrieved_context_ids", "scores", "reference_context_ids", "response"])
            for query, docs in lists.items():
                ids, scores = [doc for doc, _ in docs], [score for _, score in docs]
                writer.writerow([query, as_text(ids), as_text(scores), as_text(ids[:2]), "two\nlines"])
        right = {q: {doc: 1.0 for doc, _ in docs[:2]} for q, docs in lists.items()}
        frame = pd.read_csv(path, sep=delimiter)
        for one in (path, frame):
            assert tr.open_run(one).to_dict() == as_scores(lists)
            assert tr.read_qrels(one).to_dict() == right


def test_texts_are_the_ids_of_contexts_that_have_no_others(tmp_path):
    path = tmp_path / "samples.csv"
    rows = [
        ("q1", ["By post.", "Within 30 days."], ["Within 30 days."]),
        ("q2", ["No.", "Yes."], ["Yes.", "It is."]),
    ]
    pd.DataFrame(rows, columns=["user_input", "retrieved_contexts", "reference_contexts"]).to_csv(path, index=False)
    assert tr.evaluate(path, path, "context_precision context_recall").mean == {"SetP": 0.5, "SetR": 0.75}
    both = [{"user_input": "q", "retrieved_contexts": ["No."], "retrieved_context_ids": ["a"]}]
    assert tr.open_run(both).to_dict() == {"q": {"a": 0.0}}


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("['a' 'b']", "no list as JSON or Python writes it: \"['a' 'b']\""),
        ("[1 2]", "no list as JSON or Python writes it"),
        ("['a', ", "no list as JSON or Python writes it"),
        ("[a, b]", "no list as JSON or Python writes it"),
        ("a b", "a list of documents should stand here, not 'a b'"),
        ("", "a list of documents should stand here, not ''"),
        ('["a", null]', "an id is text or a whole number, not None"),
        ('["a", ""]', "an id is text or a whole number, not ''"),
        ("['a', 0.5]", "an id is text or a whole number, not 0.5"),
    ],
)
@pytest.mark.parametrize("column", ["retrieved_ids", "relevant_ids"])
def test_a_cell_without_a_list_of_ids_is_refused_with_its_line(column, cell, said, tmp_path):
    path = tmp_path / "samples.tsv"
    path.write_text(f"query_id\t{column}\nq1\t['a']\n\nq2\t{cell}\n")
    read = tr.read_qrels if column == "relevant_ids" else lambda one: tr.open_run(one).to_dict()
    with pytest.raises(tr.InputError) as caught:
        read(path)
    assert f"samples.tsv:4: {said}" in str(caught.value) or f"samples.tsv:4: this is {said}" in str(caught.value)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"matches": [{"score": 1.0}]}, "no key holds the document ids"),
        ({"matches": [{"id": "a", "score": "high"}]}, "a number should stand here, not 'high'"),
        ({"matches": [{"id": "a", "score": 1.0}, {"score": 0.5}]}, "not all written in one way"),
        (
            {"ids": [["a", "b"]], "distances": [[0.5]]},
            "there are 2 documents, but 1 scores, distances or ranks",
        ),
        ({"ids": ["a"], "distances": ["near"]}, "a number should stand here, not 'near'"),
        ({"ids": ["a", "b"], "distances": [0.5, None]}, "a number should stand here, not None"),
        ([{"node": {"id_": "a"}, "score": 1.0}, {"node": None, "score": 0.5}], "not all written in one way"),
        ([{"node": {"id_": "a"}, "score": 1.0}, {"node": {"id_": "b"}}], "a number should stand here, not None"),
        ({"hits": {"hits": {"hits": []}}}, "a score is a number, not dict|these are several runs"),
        (
            [{"node": {"text": "a"}, "score": 1.0}],
            r"no key holds the document ids; name it doc_id, not \('text',\)",
        ),
        ([{"document": {"id": "a"}}, {"document": {"text": "b"}}], "no key holds the document ids"),
        ([{"node": {"id_": None}, "score": 1.0}], "an id is text or a whole number, not None"),
        ({"hits": [{"document": {"id": "a"}}, {"document": "b"}]}, "not all written in one way"),
        ({"response": {"docs": [{"title": "…"}]}}, "no key holds the document ids"),
    ],
)
def test_damaged_answers_are_refused(answer, said, tmp_path):
    (tmp_path / "run.json").write_text(json.dumps({"q1": answer}))
    for run in ({"q1": answer}, tmp_path / "run.json"):
        with pytest.raises(tr.InputError, match=said):
            tr.open_run(run).to_dict()


@pytest.mark.parametrize(
    ("run", "said"),
    [
        ([{1: "a", "score": 2.0}], "no column holds the query ids"),
        ([{0: "q", 1: "a", 2: 2.0}], "no column holds the query ids"),
        ({"query_id": np.array(3), "docs": range(3)}, "query 'query_id' has 3 where its documents should stand"),
        ([{"query_id": "q", "docs": ["a"], "call": float("inf")}], "inf is no number of a call"),
    ],
)
def test_records_that_are_none_are_refused(run, said):
    with pytest.raises(tr.InputError, match=said):
        tr.open_run(run).to_dict()


def test_fused_predictions_of_sentence_transformers_are_a_run_and_its_judgements(tmp_path):
    path = tmp_path / "predictions.jsonl"
    lines = [
        {"query_id": q, "query": "which?", "positive": ["a"], "documents": list(docs)}
        for q, docs in (("q", "xa"), ("r", "a"))
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    for given in (lines, path):
        assert tr.evaluate(given, given, "RR")["RR"].tolist() == [0.5, 1.0]


def test_objects_in_lists_of_alternatives_are_refused():
    with pytest.raises(tr.InputError, match="documents are ids"):
        tr.read_qrels({"q": [["a"], [{"id": "b"}]]})


def test_documents_without_scores_stand_in_their_order():
    nodes = [{"node": {"id_": doc}, "score": None} for doc in "ba"]
    hits = [{"_id": doc, "_score": None, "sort": [7]} for doc in "ba"]
    typesense = [{"document": {"id": doc, "title": "…"}, "highlights": [], "text_match": 7} for doc in "ba"]
    azure = {"@odata.context": "…", "value": [{"@search.score": 7.0, "id": doc} for doc in "ba"]}
    chroma = [{"id": doc, "document": f"text of {doc}", "metadata": {"id": "no"}} for doc in "ba"]
    algolia = {"nbHits": 2, "hits": [{"objectID": doc, "title": "…"} for doc in "ba"]}
    solr = {"responseHeader": {}, "response": {"numFound": 2, "docs": [{"id": doc} for doc in "ba"]}}
    for answer in (nodes, {"hits": {"hits": hits}}, {"found": 2, "hits": typesense}, azure, chroma, algolia, solr):
        assert list(tr.open_run({"q": answer}).to_dict()["q"]) == ["b", "a"]


def test_answers_of_tools_are_known_behind_an_empty_one():
    answer = {"hits": {"hits": [{"_id": "b", "_score": 2.0}, {"_id": "a", "_score": 1.0}]}}
    scores = tr.evaluate({"p": ["a"], "q": ["a"]}, {"p": {}, "q": answer}, "RR NumRet")
    assert scores.per_query() == {"p": {"RR": 0.0, "NumRet": 0.0}, "q": {"RR": 0.5, "NumRet": 2.0}}
