"""Why a number is what it is: a query worked out as in a textbook, and what moved between two runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, overload

from truerank.analysis.explain.explanation import Explanation, Note
from truerank.analysis.explain.moves import Diff, QueryDiff, Shift, diff, diff_each
from truerank.analysis.explain.query import ask, ask_reading, is_one, several
from truerank.analysis.explain.ranking import Listed
from truerank.core.errors import InputError
from truerank.core.evaluate import opened_under
from truerank.core.kernel.scanning import as_bytes, as_text
from truerank.core.qrels import QrelsLike
from truerank.core.reading import Reading, reading_of
from truerank.core.rules import RulesLike
from truerank.core.run import Run, RunLike
from truerank.core.vocabulary import measures_under
from truerank.formats import read_qrels
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
    qrels: QrelsLike | Reading, run: RunLike | Reading | None = ..., query: str | int | bytes | None = ...,
    measure: Measure = ..., *,
    rules: RulesLike | None = ..., queries: Any = ..., docs: Any = ..., items: Any = ...,
) -> Explanation: ...  # fmt: skip


@overload
def explain(
    qrels: QrelsLike | Reading, run: RunLike | Reading | None = ..., query: str | int | bytes | None = ...,
    measure: str | Iterable[str | Measure] = ..., *,
    rules: RulesLike | None = ..., queries: Any = ..., docs: Any = ..., items: Any = ...,
) -> Any: ...  # fmt: skip


def explain(
    qrels: QrelsLike | Reading,
    run: RunLike | Reading | None = None,
    query: str | int | bytes | None = None,
    measure: MeasuresLike = "AP",
    *,
    rules: RulesLike | None = None,
    queries: Any = None,
    docs: Any = None,
    items: Any = None,
) -> Explanation | list[Explanation]:
    """Why a run scores what it scores on one query: its list, the measure worked out, the rules that applied.

    Args:
        qrels, run, rules: as for `evaluate`. Only this query's rows are kept, however long the run; a `Reading`
            in place of both has all of them (keep="all").
        query: its id.
        measure: one, such as "nDCG@10"; several, such as "nDCG@10 AP" or a list, give a list of explanations.
        queries, docs: the texts to show beside ids: a file or {id: text}, see `formats.texts`.
        items: what is known of the documents that could be listed, as for `evaluate`.

    Raises:
        TruerankError: as for `evaluate`; the query is not judged; or a reading lacks what is to be shown.

    >>> import truerank as tr
    >>> why = tr.explain({"q": {"a": 1, "b": 1}}, {"q": ["x", "a"]}, "q", "AP")
    >>> why.value, [(term.doc, term.text(), term.share) for term in why.worked.sums[0].terms]
    (0.25, [('a', '1 / 2', 0.25), ('b', 'not found', 0.0)])
    >>> [why.value for why in tr.explain({"q": {"a": 1}}, {"q": ["x", "a"]}, "q", "RR P@1")]
    [0.5, 0.0]
    """
    chosen = several(measure)
    explanations = explain_each(qrels, run, query, chosen, rules=rules, queries=queries, docs=docs, items=items)
    return explanations[0] if is_one(measure, chosen) else explanations


def explain_each(
    qrels: QrelsLike | Reading,
    run: RunLike | Reading | None,
    query: str | int | bytes | None,
    measures: MeasuresLike,
    *,
    rules: RulesLike | None = None,
    queries: Any = None,
    docs: Any = None,
    items: Any = None,
) -> list[Explanation]:
    """What `explain` tells, for each of any number of measures, from one reading.

    >>> [why.value for why in explain_each({"q": {"a": 1}}, {"q": ["x", "a"]}, "q", "RR P@1")]
    [0.5, 0.0]
    """
    if query is None:
        raise InputError("there is no query to explain; name one by query=")
    run, under = opened_under(qrels, run, rules)
    key = as_bytes(query)
    if isinstance(run, Run) and not run.saved and not isinstance(qrels, Reading):
        answer = ask(read_qrels(qrels), run, key, under)
    else:
        answer = ask_reading(reading_of(qrels, run, under, keep="all"), key)
    chosen = measures_under(measures, under, lists=True)
    explanations = answer.knowing(items).explain(chosen)
    if queries is None and docs is None:
        return explanations
    named = list(dict.fromkeys(listed.doc for one in explanations for listed in one.documents))
    texts = locate(queries, docs, [as_text(key)], named)
    return [replace(one, texts=texts) for one in explanations]
