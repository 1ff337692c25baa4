"""Evidence and chunks as spans: what overlaps is right; measures are those of sets of characters."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import truerank as tr
from truerank import truth
from truerank.truth.overlaps import Segments

EVIDENCE = [
    {"query_id": "q", "doc_id": "a", "start": 10, "end": 30},
    {"query_id": "q", "doc_id": "b", "start": 0, "end": 4},
    {"query_id": "r", "doc_id": "b", "start": 2, "end": 6},
]
CHUNKS = [
    {"chunk_id": "a1", "doc_id": "a", "start": 0, "end": 20},
    {"chunk_id": "a2", "doc_id": "a", "start": 15, "end": 45},
    {"chunk_id": "b1", "doc_id": "b", "start": 0, "end": 3},
    {"chunk_id": "c1", "doc_id": "c", "start": 0, "end": 100},
]
MEASURES = "EvidenceRecall EvidencePrecision EvidenceIoU"


def test_chunks_that_overlap_the_evidence_are_right():
    found = truth.overlaps(EVIDENCE, CHUNKS).to_dict()
    assert {query: {doc for doc, grade in docs.items() if grade} for query, docs in found.items()} == {
        "q": {"a1", "a2", "b1", "evidence:b:3-4"},
        "r": {"b1", "evidence:b:3-6"},
    }
    assert found["r"]["c1"] == 0


@pytest.mark.parametrize(
    ("options", "right"),
    [
        ({}, {"a1", "a2", "b1"}),
        ({"characters": 11}, {"a2"}),
        ({"characters": 100}, set()),
        ({"share": 0.5}, {"a1", "a2", "b1"}),
        ({"share": 0.75}, {"a2", "b1"}),
        ({"characters": 4, "share": 0.5}, {"a1", "a2"}),
        ({"characters": 0}, {"a1", "a2", "b1"}),  # some must be common
    ],
)
def test_characters_and_share_say_how_much_is_enough(options, right):
    grades = truth.overlaps(EVIDENCE, CHUNKS, **options).to_dict()["q"]
    assert {doc for doc, grade in grades.items() if grade and not doc.startswith("evidence:")} == right


@pytest.mark.parametrize("percent", range(1, 101))
def test_a_chunk_that_has_exactly_the_share_has_enough(percent):
    evidence = [{"query_id": "q", "doc_id": "a", "start": 0, "end": 100}]
    chunks = [{"chunk_id": f"a{n}", "doc_id": "a", "start": 0, "end": n} for n in (percent, percent + 1)]
    found = truth.overlaps(evidence, chunks, share=percent / 100, segments=False)
    assert found.to_dict() == {"q": {chunk["chunk_id"]: 1.0 for chunk in chunks}}
    if percent < 100:
        more = truth.overlaps(evidence, chunks, share=(percent + 0.5) / 100, segments=False)
        assert more.to_dict()["q"][f"a{percent}"] == 0.0


def test_evidence_that_no_chunk_has_counts_as_missed_and_a_note_says_so():
    found = truth.overlaps(EVIDENCE, CHUNKS)
    assert [note.message for note in found.notes] == [
        "4 characters or pages of evidence are in no chunk that is right; they count as missed."
    ]
    assert tr.evaluate(found, {"q": ["a1", "a2", "b1"], "r": ["b1"]}, MEASURES)["EvidenceRecall"].tolist() == [
        23 / 24,
        1 / 4,
    ]


def test_a_chunk_may_be_called_as_evidence_is_that_no_chunk_has():
    evidence = [{"query_id": "q", "doc_id": "a", "start": 0, "end": 10}]
    chunks = [
        {"chunk_id": "evidence:a:5-10", "doc_id": "a", "start": 0, "end": 5},
        {"chunk_id": "a2", "doc_id": "a", "start": 10, "end": 20},
    ]
    wholes = truth.overlaps(evidence, chunks, segments=False)
    assert wholes.to_dict() == {"q": {"evidence:a:5-10": 1.0, "a2": 0.0}}
    assert wholes.without_relevant == ()
    found = tr.evaluate(truth.overlaps(evidence, chunks), {"q": ["evidence:a:5-10"]}, "EvidenceRecall")
    assert found.mean["EvidenceRecall"] == 0.5


def by_characters(evidence, chunks, query: str, returned: list[str]) -> list[float]:
    """The measures by sets of characters."""
    wanted = {(e["doc_id"], at) for e in evidence if e["query_id"] == query for at in range(e["start"], e["end"])}
    there = {chunk["chunk_id"]: chunk for chunk in chunks}
    got = {(there[c]["doc_id"], at) for c in returned for at in range(there[c]["start"], there[c]["end"])}
    both = len(wanted & got)
    return [both / len(wanted), both / len(got) if got else 0.0, both / len(wanted | got)]


@st.composite
def spans(draw: st.DrawFn, keys: dict[str, st.SearchStrategy[str]], most: int) -> list[dict[str, object]]:
    found = []
    for _ in range(draw(st.integers(1, most))):
        start = draw(st.integers(0, 30))
        row = {key: draw(values) for key, values in keys.items()}
        doc, length = draw(st.sampled_from("ab")), draw(st.integers(1, 12))
        found.append({**row, "doc_id": doc, "start": start, "end": start + length})
    return found


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[dict[str, object]], list[dict[str, object]], dict[str, list[str]]]:
    """Evidence, chunks of every document, and what was returned."""
    evidence = draw(spans({"query_id": st.sampled_from("qr")}, 5))
    chunks = [{"chunk_id": doc, "doc_id": doc, "start": 9, "end": 10} for doc in "ab"]
    chunks += [{"chunk_id": f"x{i}", **chunk} for i, chunk in enumerate(draw(spans({}, 8)))]
    ids = [chunk["chunk_id"] for chunk in chunks]
    return evidence, chunks, {query: draw(st.lists(st.sampled_from(ids), unique=True)) for query in "qr"}


@given(worlds(), st.integers(1, 5))
def test_measures_are_those_of_sets_of_characters(world, k):
    evidence, chunks, run = world
    found = truth.overlaps(evidence, chunks)
    scores = tr.evaluate(found, run, [f"{name}@{k}" for name in MEASURES.split()])
    for number, query in enumerate(scores.queries):
        expected = by_characters(evidence, chunks, query, run[query][:k])
        assert [float(values[number]) for values in scores.columns.values()] == pytest.approx(expected, abs=1e-12)
    of_run = tr.evaluate(truth.overlaps(evidence, chunks, run=run), run, list(scores.columns))
    for one, other in zip(scores.columns.values(), of_run.columns.values(), strict=True):
        assert one.tobytes() == other.tobytes()


def recall(evidence, chunks, run, k) -> list[float]:
    measure = f"EvidenceRecall@{k}"
    return tr.evaluate(truth.overlaps(evidence, chunks), run, measure)[measure].tolist()


@given(worlds(), st.integers(1, 6), st.data())
def test_splitting_a_chunk_never_raises_evidence_recall_and_repeating_one_neither(world, k, data):
    evidence, chunks, run = world
    before = recall(evidence, chunks, run, k)
    one = data.draw(st.sampled_from(chunks))
    name, start, end = one["chunk_id"], one["start"], one["end"]
    at = data.draw(st.integers(start, end))
    halves = [{**one, "chunk_id": f"{name}<", "end": at}, {**one, "chunk_id": f"{name}>", "start": at}]
    halves = [half for half in halves if half["start"] < half["end"]]
    split = {
        query: [new for doc in docs for new in ([half["chunk_id"] for half in halves] if doc == name else [doc])]
        for query, docs in run.items()
    }
    after = recall(evidence, [*(chunk for chunk in chunks if chunk is not one), *halves], split, k)
    assert all(new <= old for new, old in zip(after, before, strict=True))
    twice = {
        query: [new for doc in docs for new in ([doc, "again"] if doc == name else [doc])]
        for query, docs in run.items()
    }
    after = recall(evidence, [*chunks, {**one, "chunk_id": "again"}], twice, k)
    assert all(new <= old for new, old in zip(after, before, strict=True))


def test_a_run_may_be_the_chunks_where_its_ids_have_the_spans():
    run = {"q": ["a:0-20", "c:0-100"], "r": ["b:0-3"]}
    there = truth.read_spans(run, pattern=r"(.+):(\d+)-(\d+)")
    scores = tr.evaluate(truth.overlaps(EVIDENCE, there), run, MEASURES)
    ends = zip(there.ids, there.doc, there.start.tolist(), there.end.tolist(), strict=True)
    chunks = [
        {"chunk_id": chunk.decode(), "doc_id": doc.decode(), "start": start, "end": end}
        for chunk, doc, start, end in ends
    ]
    for number, query in enumerate(scores.queries):
        expected = by_characters(EVIDENCE, chunks, query, run[query])
        assert [float(values[number]) for values in scores.columns.values()] == pytest.approx(expected)


@pytest.mark.parametrize("pattern", [r"(.+)-p(\d+)", r"(?P<doc>.+)-p(?P<page>\d+)"])
def test_pages_are_counted_whole(pattern):
    evidence = [{"query_id": "q", "source": "a.pdf", "page": 3, "page_end": 4}]
    run = {"q": ["a.pdf-p3", "a.pdf-p9"]}
    if "page" not in pattern:
        with pytest.raises(tr.InputError, match="needs the groups doc, start and end, or doc and page"):
            truth.read_spans(run, pattern=pattern)
        return
    found = truth.overlaps(evidence, truth.read_spans(run, pattern=pattern))
    assert tr.evaluate(found, run, MEASURES).mean == {
        "EvidenceRecall": 0.5,
        "EvidencePrecision": 0.5,
        "EvidenceIoU": 1 / 3,
    }


def test_chunks_of_a_run_are_judged_for_the_queries_whose_documents_they_are_of():
    """A run has not all chunks: evidence in others is not found, and is no error."""
    evidence = [{"query_id": q, "source": doc, "page": 3} for q, doc in (("q", "a"), ("q", "z"), ("r", "a"))]
    run = {"q": ["a-p3", "a-p9"], "r": ["b-p8"]}
    found = truth.overlaps(evidence, truth.read_spans(run, pattern=r"(?P<doc>.+)-p(?P<page>\d+)"))
    of_a = {"a-p3": 1, "a-p9": 0}
    assert found.to_dict() == {"q": {**of_a, "evidence:z:3-4": 1}, "r": {**of_a, "b-p8": 0}}
    assert tr.evaluate(found, run, "EvidenceRecall")["EvidenceRecall"].tolist() == [0.5, 0]


def test_spans_are_read_from_tables_as_libraries_write_them(tmp_path):
    path = tmp_path / "chunks.jsonl"
    rows = [{"id": "x", "page_content": "four", "metadata": {"source": "a.txt", "start_index": 7}}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = truth.read_spans(path)
    assert (found.doc, found.ids, found.start.tolist(), found.end.tolist()) == ([b"a.txt"], [b"x"], [7], [11])
    spans = [{"doc": "a", "start": 1, "end": 2}, {"doc": "b", "start": 3, "end": 9}]
    path.write_text(json.dumps({"qid": "q", "evidence": spans}))
    nested = truth.read_spans(path)
    assert (nested.query, nested.doc, nested.end.tolist()) == ([b"q", b"q"], [b"a", b"b"], [2, 9])
    named = truth.read_spans([{"c": "x", "of": "a", "s": 1, "e": "2"}], id="c", doc="of", start="s", end="e")
    assert (named.ids, named.end.tolist()) == ([b"x"], [2])


def test_of_several_lists_the_one_whose_objects_have_places_holds_the_spans():
    evidence = [{"doc": "a", "start": 1, "end": 2}]
    row = {"qid": "q", "retrieved": [{"doc": "b", "score": 0.5}], "evidence": evidence}
    assert truth.read_spans([row]).doc == [b"a"]
    for retrieved in ([{"doc": "b", "page": 1}], [{"doc": "b", "at": {"start_index": 1}}]):
        with pytest.raises(tr.InputError, match="several columns have lists of objects, 'retrieved', 'evidence': "):
            truth.read_spans([row | {"retrieved": retrieved}])


@pytest.mark.parametrize("unit", ["pages", "characters"])
def test_spans_of_frames_may_have_ids_that_are_numbers(unit, tmp_path):
    pandas = pytest.importorskip("pandas")
    where = {"page": [1, 7]} if unit == "pages" else {"start": [0, 5], "end": [5, 9]}
    evidence = pandas.DataFrame({"query_id": [1, 2], "doc_id": [10, 11], **where})
    chunks = pandas.DataFrame({"chunk_id": [7, 8], "doc_id": [10, 11], **where})
    chunks.to_parquet(tmp_path / "chunks.parquet")
    for each in (chunks, tmp_path / "chunks.parquet", [row._asdict() for row in chunks.itertuples(index=False)]):
        found = truth.overlaps(evidence, each, segments=False)
        assert found.to_dict() == {"1": {"7": 1.0, "8": 0.0}, "2": {"8": 1.0, "7": 0.0}}


def test_characters_that_are_counted_anew_on_each_page_are_refused(tmp_path):
    path = tmp_path / "chunks.csv"
    through = "chunk_id,doc_id,page,start,end\na,d,1,0,9\nb,d,1,5,12\nc,d,2,9,20\nd,e,2,0,9\n"
    path.write_text(through + "e,d,iv,9,20\n")
    assert truth.read_spans(path).start.tolist() == [0, 5, 9, 0, 9]
    path.write_text(through)
    assert truth.read_spans(path).start.tolist() == [0, 5, 9, 0]
    path.write_text(through + "e,d,1,5,20\nf,d,2,9,12\n")  # one page, and one beginning
    assert truth.read_spans(path).start.tolist() == [0, 5, 9, 0, 5, 9]
    for start in (3, 5):
        path.write_text(through.replace("c,d,2,9", f"c,d,2,{start}"))
        with pytest.raises(tr.InputError, match=rf"csv:4: the span of d on page 2 begins at {start}, not behind"):
            truth.read_spans(path)


def test_queries_may_stand_with_each_piece_of_a_list_of_evidence():
    rows = [{"evidence": [{"query_id": q, "doc_id": "a", "start": 0, "end": 5}]} for q in "qr"]
    assert truth.read_spans(rows).query == [b"q", b"r"]


def test_a_query_whose_list_of_evidence_is_empty_is_judged_and_named(tmp_path):
    rows = [
        {"query_id": "q", "evidence": [{"doc_id": "a", "start": 0, "end": 10}]},
        {"query_id": "s", "evidence": []},
        {"query_id": "r"},
    ]
    (tmp_path / "evidence.jsonl").write_text("\n".join(map(json.dumps, rows)))
    for options in ({}, {"segments": False}, {"run": {"q": ["a1"], "r": ["a1"]}}):
        found = truth.overlaps(tmp_path / "evidence.jsonl", CHUNKS, **options)
        assert found.without_relevant == ("r", "s")
        assert [note.message for note in found.notes] == ["2 of 3 queries without anything right: r, s."]
        assert tr.evaluate(found, {"q": ["a1"], "r": ["a1"]}, "AP")["AP"].tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("q,a,9,9", "{path}:3: the span of a ends (9) where it begins (9), or before"),
        ("q,a,9,2", "{path}:3: the span of a ends (2) where it begins (9), or before"),
        ("q,a,-1,2", "{path}:3: the span of a begins at -1: the first character is 0"),
        ("q,a,1.5,2", "{path}:3: start is a whole number, not '1.5'"),
        ("q,a,1_0,12", "{path}:3: start is a whole number, not '1_0'"),
        ("q,a,,2", "{path}:3: start is a whole number, not None"),
        ("q,,1,2", "{path}:3: doc_id is text or a whole number, not None"),
        ("q,z,1,2", "{path}:3: no chunk is of document z, which has evidence."),
        ("q,a,1,99", "{path}:3: the span ends at 99, but a has 50"),
    ],
)
def test_spans_that_cannot_be_are_refused_with_their_lines(tmp_path, line, fault):
    path = tmp_path / "evidence.csv"
    path.write_text(f"query_id,doc_id,start,end\nq,a,1,5\n{line}\n")
    sizes = None if "z" in line else {"a": 50, "b": 9, "c": 100}
    with pytest.raises(tr.InputError) as error:
        truth.overlaps(path, CHUNKS, documents=sizes)
    assert str(error.value) == fault.format(path=path)


@pytest.mark.parametrize(
    ("evidence", "chunks", "options", "fault"),
    [
        (EVIDENCE, CHUNKS, {"documents": {"a": 50, "b": 9, "cc": 100}}, "references: there is no document c."),
        (EVIDENCE, [*CHUNKS, CHUNKS[0]], {}, "references: chunk a1 is there twice"),
        (CHUNKS, EVIDENCE, {}, "queries: no column holds the queries of the evidence; name it query_id"),
        (EVIDENCE, [{**CHUNKS[0], "page": 1} | {"start": None}], {}, "references: start is a whole number"),
        (EVIDENCE, CHUNKS, {"run": {"q": ["a3"]}}, "run: chunk a3 of query q is not among the chunks"),
        (EVIDENCE, {"q": ["a1"]}, {}, "references: this is a run: say where its ids have the document"),
        ([{"query_id": "q", "doc_id": "a", "page": 1}], CHUNKS, {}, "references: the evidence (queries) is in"),
    ],
)
def test_what_does_not_go_together_is_refused(evidence, chunks, options, fault):
    with pytest.raises(tr.InputError) as error:
        truth.overlaps(evidence, chunks, **options)
    assert str(error.value).startswith(fault)


def test_more_judgements_than_memory_should_hold_are_refused(monkeypatch):
    monkeypatch.setattr(sys.modules["truerank.truth.overlaps"], "MOST", 7)
    with pytest.raises(tr.InputError, match="name the runs that they are for"):
        truth.overlaps(EVIDENCE, CHUNKS)
    judged = truth.overlaps(EVIDENCE, CHUNKS, run={"q": ["c1"]}).to_dict()
    assert ("c1" in judged["q"], "c1" in judged["r"]) == (True, False)


def test_a_rule_takes_numbers_that_mean_something():
    for wrong in ({"share": 2}, {"share": None}, {"characters": "x"}, {"characters": float("nan")}):
        with pytest.raises(tr.RulesError, match="share one from 0 to 1"):
            truth.overlaps(EVIDENCE, CHUNKS, **wrong)


NO_TEXTS = [None, float("nan"), 5, b"text", ["t"]]


@pytest.mark.parametrize("text", NO_TEXTS)
def test_a_text_that_is_none_has_no_length(text):
    rows = [{"chunk_id": "x", "doc_id": "a", "start": 5, "text": "four"}]
    with pytest.raises(tr.InputError, match=r"text of document b is text, not "):
        truth.read_spans([*rows, {"chunk_id": "y", "doc_id": "b", "start": 5, "text": text}])
    with pytest.raises(tr.InputError, match=r"text of document b is text, not "):
        truth.overlaps(EVIDENCE, CHUNKS, documents=[{"doc_id": "a", "text": "four"}, {"doc_id": "b", "text": text}])


def test_the_texts_of_a_file_may_be_of_any_length(tmp_path):
    (tmp_path / "chunks.csv").write_text(f'chunk_id,doc_id,start,text\nx,a,5,"{"t" * 200_000}"\n')
    assert truth.read_spans(tmp_path / "chunks.csv").end.tolist() == [200_005]


def test_a_gap_among_the_texts_of_a_frame_is_refused():
    frame = pytest.importorskip("pandas").DataFrame({"doc_id": ["a", "b"], "start": [0, 1], "text": ["t", None]})
    with pytest.raises(tr.InputError, match="text of document b is text, not "):
        truth.read_spans(frame)


def test_an_empty_cell_of_a_file_is_no_text(tmp_path):
    (tmp_path / "spans.csv").write_text("doc_id,start,text\na,0,word\nb,1,\n")
    with pytest.raises(tr.InputError, match=r"spans.csv:3: text of document b is text, not None"):
        truth.read_spans(tmp_path / "spans.csv")


@pytest.mark.parametrize("length", [None, float("nan"), float("inf"), 2.5, [], True])
def test_a_length_is_a_whole_number(length):
    with pytest.raises(tr.InputError, match="documents: the length of a is a whole number, not "):
        truth.overlaps(EVIDENCE, CHUNKS, documents={"a": length})


@pytest.mark.parametrize("number", [2**63, 10**30, -(10**19), 1e300])
def test_a_place_that_no_document_has_is_refused(number):
    for row in ({"start": number, "end": 5}, {"start": 0, "end": number}, {"page": number}):
        with pytest.raises(tr.InputError, match=r"(start|end|page) has 18 digits at most, not as many as -?\d"):
            truth.read_spans([{"doc_id": "a", **row}])
    with pytest.raises(tr.InputError, match="the length of a has 18 digits at most"):
        truth.overlaps(EVIDENCE, CHUNKS, documents={"a": number})


@pytest.mark.parametrize("chunk", ["a:0", ":1-2"])
def test_an_id_without_all_that_the_pattern_may_find_is_refused(chunk):
    with pytest.raises(tr.InputError, match=f"the id {chunk} does not fit the pattern"):
        truth.read_spans({"q": [chunk]}, pattern=r"(?:(.+))?:(\d+)(?:-(\d+))?")


def test_an_id_with_a_place_that_no_document_has_is_refused():
    with pytest.raises(tr.InputError, match="end has 18 digits at most"):
        truth.read_spans({"q": [f"a:0-{10**30}"]}, pattern=IDS)
    with pytest.raises(tr.InputError, match="does not fit the pattern"):
        truth.read_spans({"q": ["a:0-" + 5000 * "9"]}, pattern=IDS)
    assert truth.read_spans({"q": ["a:0-" + "9".zfill(40)]}, pattern=IDS).end.tolist() == [9]


def test_segments_are_cut_at_all_ends():
    segments = Segments.of(np.array([0, 5, 3]), np.array([9]))
    assert segments.length.tolist() == [3, 2, 4]
    assert segments.covered(np.array([3]), np.array([9]))[1].tolist() == [1, 2]
    assert segments.mask(np.array([0, 5]), np.array([5, 9])).tolist() == [[True, True, False], [False, False, True]]


IDS = r"(.+):(\d+)-(\d+)"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (
            "a.run",
            "\ufeff# made by hand\nq 0 a:0-9 1 2 t\n\nq 0 b:9-3 2 1 t\n",
            r"a.run:4: the span of b ends \(3\)",
        ),
        ("a.run", "q 0 a:0-9 1 2 t\nq 0 b:9 2 1 t\n", r"a.run:2: the id b:9 does not fit the pattern"),
        ("a.csv", "query_id,doc_id,score\nq,a:0-9,2.5\nq,b:5-5,1.5\n", r"a.csv:3: the span of b ends \(5\)"),
        (
            "a.jsonl",
            '{"query_id": "q", "docs": []}\n{"query_id": "r", "docs": ["a:0-9", "b:5-1"]}\n',
            "a.jsonl:2",
        ),
    ],
)
def test_a_span_at_fault_in_the_ids_of_a_run_is_named_with_its_line(name, text, said, tmp_path):
    (tmp_path / name).write_text(text)
    with pytest.raises(tr.InputError, match=said):
        truth.read_spans(str(tmp_path / name), pattern=IDS)


def test_spans_of_a_run_in_memory_have_no_lines():
    with pytest.raises(tr.InputError, match=r"^spans: the span of b ends"):
        truth.read_spans({"q": ["b:5-1"]}, pattern=IDS)


def test_several_runs_have_the_chunks_judged_that_any_of_them_returned():
    for run, queries in (({"q": ["c1"]}, ["q"]), ([{"q": ["c1"]}, {"r": ["c1"]}], ["q", "r"])):
        judged = truth.overlaps(EVIDENCE, CHUNKS, run=run, segments=False).to_dict()
        assert [query for query, docs in judged.items() if "c1" in docs] == queries


def test_a_column_of_ends_says_where_spans_end_beside_texts():
    (one,) = truth.read_spans([{"chunk_id": "a", "doc_id": "d", "start": 0, "end": 500, "text": "short"}]).end
    assert one == 500
