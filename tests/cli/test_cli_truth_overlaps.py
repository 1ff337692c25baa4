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
    result = invoke(*spans, "chunks.csv", "--to", "json")
    judged = json.loads(result.stdout)["q1"]
    assert judged["guide-1"] == {"guide:0-120": 0, "guide:120-150": 1}
    assert judged["evidence:guide:150-180"] == {"guide:150-180": 1}
    assert "40 characters or pages of evidence are in no chunk that is right" in result.stderr


def test_a_run_says_which_chunks_are_judged(invoke, spans, here):
    (here / "x.run").write_text("q1 Q0 guide:100-200 1 2 t\nq1 Q0 news:0-9 2 1 t\n")
    how = ("--key", r"references.pattern=(.+):(\d+)-(\d+)", "--to", "json")
    judged = json.loads(invoke(*spans, "x.run", *how).stdout)["q1"]
    assert judged["guide:100-200"] == {"guide:100-120": 0, "guide:120-180": 1, "guide:180-200": 0}
    assert judged["news:0-9"] == {"news:0-9": 0}
    assert "say where its ids have the document" in invoke(*spans, "x.run").stderr


def test_columns_are_named_as_the_user_says(invoke, spans, here):
    (here / "evidence.csv").write_text(EVIDENCE.replace("doc_id", "where"))
    refused = invoke(*spans, "chunks.csv")
    assert refused.exit_code == 2
    assert "no column holds the documents; name it doc_id" in refused.stderr
    assert invoke(*spans, "chunks.csv", "--key", "queries.doc=where", "--to", "json").exit_code == 0


def test_wrong_spans_are_refused_with_their_lines(invoke, spans, here):
    (here / "evidence.csv").write_text(EVIDENCE + "q2,guide,9,2\n")
    result = invoke(*spans, "chunks.csv")
    assert result.exit_code == 2
    assert "evidence.csv:4: the span of guide ends (2) where it begins (9), or before" in result.stderr
