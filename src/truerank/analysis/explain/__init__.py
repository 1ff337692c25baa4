"""Why a number is what it is: a query worked out as in a textbook, and what moved between two runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, overload

from truerank.analysis.explain.explanation import Explanation, Note
from truerank.analysis.explain.moves import Diff, QueryDiff, Shift, diff, diff_each
from truerank.analysis.explain.query import ask, is_one, several
from truerank.analysis.explain.ranking import Listed
from truerank.core._kernel import as_bytes, as_text
from truerank.core.qrels import Qrels, QrelsLike
from truerank.core.rankings import rankings
from truerank.core.rules import Rules, RulesLike
from truerank.core.run import Run, RunLike
from truerank.core.vocabulary import measures_under
from truerank.formats import open_run, read_qrels
from truerank.formats.texts import locate
from truerank.measures import Measure, MeasuresLike

__all__ = [
    "Diff",
    "Explanation",
    "Listed",
    "Note",
    "QueryDiff",
    "Shift",
    "diff",
    "diff_each",
    "explain",
    "explain_each",
]


@overload
def explain(
    qrels: QrelsLike, run: RunLike, query: str | int | bytes, measure: Measure = ..., *,
    rules: RulesLike | None = ..., queries: Any = ..., docs: Any = ...,
) -> Explanation: ...  # fmt: skip


@overload
def explain(
    qrels: QrelsLike, run: RunLike, query: str | int | bytes, measure: str | Iterable[str | Measure] = ..., *,
    rules: RulesLike | None = ..., queries: Any = ..., docs: Any = ...,
) -> Any: ...  # fmt: skip


def explain(
    qrels: QrelsLike,
    run: RunLike,
    query: str | int | bytes,
    measure: MeasuresLike = "AP",
    *,
    rules: RulesLike | None = None,
    queries: Any = None,
    docs: Any = None,
) -> Explanation | list[Explanation]:
    """Why a run scores what it scores on one query: its list, the measure worked out, the rules that applied.

    Args:
        qrels, run, rules: as for `evaluate`. Only this query's rows are kept, however long the run.
        query: its id.
        measure: one, such as "nDCG@10"; several, such as "nDCG@10 AP" or a list, give a list of explanations.
        queries, docs: the texts to show beside ids: a file or {id: text}, see `formats.texts`.

    Raises:
        TruerankError: as for `evaluate`; or nobody judged the query.

    >>> import truerank as tr
    >>> why = tr.explain({"q": {"a": 1, "b": 1}}, {"q": ["x", "a"]}, "q", "AP")
    >>> why.value, [(term.doc, term.text(), term.share) for term in why.worked.sums[0].terms]
    (0.25, [('a', '1 / 2', 0.25), ('b', 'not found', 0.0)])
    >>> [why.value for why in tr.explain({"q": {"a": 1}}, {"q": ["x", "a"]}, "q", "RR P@1")]
    [0.5, 0.0]
    """
    chosen = several(measure)
    found = explain_each(qrels, run, query, chosen, rules=rules, queries=queries, docs=docs)
    return found[0] if is_one(measure, chosen) else found


def explain_each(
    qrels: QrelsLike,
    run: RunLike,
    query: str | int | bytes,
    measures: MeasuresLike,
    *,
    rules: RulesLike | None = None,
    queries: Any = None,
    docs: Any = None,
) -> list[Explanation]:
    """The same for any number of measures, from one reading.

    >>> [why.value for why in explain_each({"q": {"a": 1}}, {"q": ["x", "a"]}, "q", "RR P@1")]
    [0.5, 0.0]
    """
    under, key = Rules.of(rules), as_bytes(query)
    judged, source = read_qrels(qrels), open_run(run)
    if under.unit == "line":
        judged = _submitted(judged, source, key)
    found = ask(judged, source, key, under).explain(measures_under(measures, under))
    if queries is None and docs is None:
        return found
    named = list(dict.fromkeys(listed.doc for one in found for listed in one.documents))
    texts = locate(queries, docs, [as_text(key)], named)
    return [replace(one, texts=texts) for one in found]


def _submitted(qrels: Qrels, run: Run, asked: bytes) -> Qrels:
    """The judgements of the queries that some line answers: where the mean is over lines, there are no others."""
    answered = {asked, *(part.query for part in rankings(run.batches(), run.name))}
    return Qrels.from_dict(
        {query: some for query, some in qrels.to_dict().items() if query in answered}, qrels.name
    )
