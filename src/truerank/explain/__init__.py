"""Why a number is what it is: a query worked out as in a textbook, and what moved between two runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from truerank._kernel import as_bytes
from truerank.explain.explanation import Explanation, Note
from truerank.explain.moves import Move, Moves, Shift, moved
from truerank.explain.query import Ruled, as_ruled, ask
from truerank.explain.ranking import Listed
from truerank.explain.rows import only
from truerank.formats import open_run, read_qrels
from truerank.measures import Measure, parse_measure, parse_measures
from truerank.qrels import Qrels
from truerank.rules import Rules
from truerank.run import Run, rankings

__all__ = ["Explanation", "Listed", "Move", "Moves", "Note", "Shift", "explain", "explain_each", "moved"]


def explain(
    qrels: Any, run: Any, query: str | int | bytes, measure: str | Measure = "AP", *, rules: Ruled = None
) -> Explanation:
    """Why a run scores what it scores on one query: its list, the measure worked out, the rules that applied.

    Args:
        qrels, run, rules: as for `evaluate`. Only this query's rows are kept, however long the run.
        query: its id.
        measure: one, such as "nDCG@10".

    Raises:
        TruerankError: as for `evaluate`; or nobody judged the query.

    >>> import truerank as tr
    >>> why = tr.explain({"q": {"a": 1, "b": 1}}, {"q": ["x", "a"]}, "q", "AP")
    >>> why.value, [(term.doc, term.text(), term.share) for term in why.worked.sums[0].terms]
    (0.25, [('a', '1 / 2', 0.25), ('b', 'not found', 0.0)])
    """
    return explain_each(qrels, run, query, [parse_measure(measure)], rules=rules)[0]


def explain_each(
    qrels: Any,
    run: Any,
    query: str | int | bytes,
    measures: str | Measure | Iterable[str | Measure],
    *,
    rules: Ruled = None,
) -> list[Explanation]:
    """The same for several measures, from one reading.

    >>> [why.value for why in explain_each({"q": {"a": 1}}, {"q": ["x", "a"]}, "q", "RR P@1")]
    [0.5, 0.0]
    """
    under, key = Rules.of(rules), as_bytes(query)
    judged, source = read_qrels(qrels), open_run(run)
    if under.missing == "lines":
        judged = _submitted(judged, source, key)
    answer = ask(as_ruled(judged, under), only(source, [key]), key, under)
    return answer.explain(parse_measures(measures))


def _submitted(qrels: Qrels, run: Run, asked: bytes) -> Qrels:
    """The judgements of the queries that some line answers: where the mean is over lines, there are no others."""
    answered = {asked, *(part.query for part in rankings(run.batches(), run.name))}
    return Qrels.from_dict(
        {query: some for query, some in qrels.to_dict().items() if query in answered}, qrels.name
    )
