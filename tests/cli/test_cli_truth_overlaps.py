"""`truerank truth overlaps`: chunks judged by spans of evidence, from files."""

from __future__ import annotations

import json

import pytest

EVIDENCE = "query_id,doc_id,start,end\nq1,guide,120,180\nq1,faq,0,40\n"
CHUNKS = "chunk_id,doc_id,start,end\nguide-1,guide,0,150\nfaq-1,faq,10,200\nnews-1,news,0,500\n"


@pytest.fixture
def spans(here):
    (here / "evidence.csv").write_text(EVIDENCE)
    (here / "chunks.csv").write_text(CHUNKS)
    return "truth", "overlaps", "evidence.csv"


def test_chunks_are_judged_by_the_evidence_that_they_have(invoke, spans):
    result = invoke(*spans, "chunks.csv", "--to", "jsonl")
    judged = json.loads(result.stdout)["relevant"]
    assert judged["guide-1"] == {"guide:0-120": 0, "guide:120-150": 1}
    assert judged["evidence:guide:150-180"] == {"guide:150-180": 1}
    assert "40 characters or pages of evidence are in no chunk that is right" in result.stderr


def test_a_run_says_which_chunks_are_judged(invoke, spans, here):
    (here / "x.run").write_text("q1 Q0 guide:100-200 1 2 t\nq1 Q0 news:0-9 2 1 t\n")
    how = ("--key", r"references.pattern=(.+):(\d+)-(\d+)", "--to", "jsonl")
    judged = json.loads(invoke(*spans, "x.run", *how).stdout)["relevant"]
    assert judged["guide:100-200"] == {"guide:100-120": 0, "guide:120-180": 1, "guide:180-200": 0}
    assert judged["news:0-9"] == {"news:0-9": 0}
    assert "say where its ids have the document" in invoke(*spans, "x.run").stderr


def test_columns_are_named_as_the_user_says(invoke, spans, here):
    (here / "evidence.csv").write_text(EVIDENCE.replace("doc_id", "where"))
    refused = invoke(*spans, "chunks.csv")
    assert refused.exit_code == 2
    assert "no column holds the documents; name it doc_id" in refused.stderr
    assert invoke(*spans, "chunks.csv", "--key", "queries.doc=where", "--to", "jsonl").exit_code == 0


def test_the_file_has_all_that_the_measures_need(invoke, spans, here):
    invoke(*spans, "chunks.csv", "-o", "truth.jsonl")
    (here / "x.run").write_text("q1 Q0 news-1 1 9 t\nq1 Q0 guide-1 2 8 t\n")
    printed = invoke("eval", "truth.jsonl", "x.run", "-m", "EvidenceRecall@2 EvidencePrecision@2 EvidenceIoU@2")
    assert printed.stdout.splitlines()[1].split() == ["x.run", "0.3000", "0.0462", "0.0417"]


def test_other_tools_get_chunks_as_wholes(invoke, spans):
    assert "the aspects have weights, which trec cannot say" in invoke(*spans, "chunks.csv").stderr
    plain = invoke("truth", "overlaps(segments=False)", "evidence.csv", "chunks.csv")
    assert plain.stdout == "q1 0 guide-1 1\nq1 0 faq-1 1\nq1 0 news-1 0\n"


def test_wrong_spans_are_refused_with_their_lines(invoke, spans, here):
    (here / "evidence.csv").write_text(EVIDENCE + "q2,guide,9,2\n")
    result = invoke(*spans, "chunks.csv")
    assert result.exit_code == 2
    assert "evidence.csv:4: the span of guide ends (2) where it begins (9), or before" in result.stderr
