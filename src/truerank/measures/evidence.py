"""Measures of evidence in characters: how much of it was returned, and how much else, however texts are chunked."""

from __future__ import annotations

from truerank.core.hits import Bools, Hits
from truerank.measures.aspects import is_answered, is_asked
from truerank.measures.registry import measure
from truerank.measures.sums import PerQuery, ratio


@measure(
    "EvidenceRecall",
    "character_recall",
    formula="Σ_a w_a [a relevant document of a at rank ≤ k] / Σ_a w_a [a is evidence]",
    source="Smith and Troynikov, Evaluating chunking strategies for retrieval, Chroma 2024",
    divides_by="relevant",
    monotone="no",
    sees_judged=False,
    needs="aspects",
)
def evidence_recall(hits: Hits, *, k: int | None = None, level: float = 1) -> PerQuery:
    """How much of the evidence is in the chunks that were returned, by characters; what two have counts once.

    Segments of documents are aspects, weighted by their lengths: the truth rule `overlaps` makes them.

    >>> import truerank as tr
    >>> from truerank import truth
    >>> evidence = [{"query_id": "q", "doc_id": "a", "start": 10, "end": 30}]
    >>> chunks = [{"chunk_id": f"a-{at}", "doc_id": "a", "start": at, "end": at + 15} for at in (0, 15, 30)]
    >>> tr.evaluate(truth.overlaps(evidence, chunks), {"q": ["a-0", "a-30"]}, "EvidenceRecall").mean
    {'EvidenceRecall': 0.25}
    """
    segments = Segments(hits, k, level)
    return segments.ratio(segments.is_found, segments.is_evidence)


@measure(
    "EvidencePrecision",
    "character_precision",
    formula="Σ_a w_a [a relevant document of a at rank ≤ k] / Σ_a w_a [a judged document of a at rank ≤ k]",
    source="Smith and Troynikov, Evaluating chunking strategies for retrieval, Chroma 2024; overlaps count once",
    monotone="no",
    sees_judged=True,
    needs="aspects",
)
def evidence_precision(hits: Hits, *, k: int | None = None, level: float = 1) -> PerQuery:
    """How much of what was returned is evidence, by characters; what two chunks have counts once.

    >>> import truerank as tr
    >>> from truerank import truth
    >>> evidence = [{"query_id": "q", "doc_id": "a", "start": 10, "end": 30}]
    >>> chunks = [{"chunk_id": f"a-{at}", "doc_id": "a", "start": at, "end": at + 15} for at in (0, 15, 30)]
    >>> tr.evaluate(truth.overlaps(evidence, chunks), {"q": ["a-15", "a-0"]}, "EvidencePrecision@1").mean
    {'EvidencePrecision@1': 1.0}
    """
    segments = Segments(hits, k, level)
    return segments.ratio(segments.is_found, segments.is_returned)


@measure(
    "EvidenceIoU",
    "character_iou",
    formula="Σ_a w_a [a relevant document of a at rank ≤ k] / Σ_a w_a [a is evidence or returned]",
    source="Smith and Troynikov, Evaluating chunking strategies for retrieval, Chroma 2024; overlaps count once",
    monotone="no",
    sees_judged=True,
    needs="aspects",
)
def evidence_iou(hits: Hits, *, k: int | None = None, level: float = 1) -> PerQuery:
    """How well what was returned and the evidence agree: the characters in both, divided by those in either.

    >>> import truerank as tr
    >>> from truerank import truth
    >>> evidence = [{"query_id": "q", "doc_id": "a", "start": 10, "end": 30}]
    >>> chunks = [{"chunk_id": f"a-{at}", "doc_id": "a", "start": at, "end": at + 15} for at in (0, 15, 30)]
    >>> tr.evaluate(truth.overlaps(evidence, chunks), {"q": ["a-15", "a-0"]}, "EvidenceIoU@1").mean
    {'EvidenceIoU@1': 0.75}
    """
    segments = Segments(hits, k, level)
    return segments.ratio(segments.is_found, segments.is_evidence | segments.is_returned)


class Segments:
    """The aspects, and which of them are evidence, were returned, and were found by a document that is right."""

    is_evidence: Bools
    is_returned: Bools
    is_found: Bools

    def __init__(self, hits: Hits, k: int | None, level: float):
        self.by_aspect = hits.top(k).by_aspect
        self.is_evidence = is_asked(self.by_aspect, level)
        self.is_returned = is_answered(self.by_aspect, min(0, level))
        self.is_found = is_answered(self.by_aspect, level)

    def weight_of(self, some: Bools) -> PerQuery:
        """(queries,) the weight of some of the aspects."""
        return self.by_aspect.sum(self.by_aspect.weight * some)

    def ratio(self, some: Bools, all_of_them: Bools) -> PerQuery:
        """(queries,) the weight of some of the aspects divided by that of others."""
        return ratio(self.weight_of(some), self.weight_of(all_of_them))
