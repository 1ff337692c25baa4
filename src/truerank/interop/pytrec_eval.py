"""pytrec_eval's interface: its names, arguments, results and errors, with truerank's engine below.

`import truerank.interop.pytrec_eval as pytrec_eval` changes one script; `install()` changes every package that
imports pytrec_eval afterwards.
"""

from __future__ import annotations

import collections
import itertools
import math
import operator
import re
import sys
import warnings
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from truerank.core.errors import InputError, TruerankError, quoted
from truerank.core.messages import did_you_mean, message
from truerank.core.qrels import Floats, Qrels
from truerank.core.reading import read
from truerank.core.rules import Rules
from truerank.formats.by_query import run_of_dict
from truerank.formats.rows import complete_judgements
from truerank.interop.trec_eval.catalog import CATALOG, NICKNAMES
from truerank.interop.trec_eval.columns import Column, columns
from truerank.interop.trec_eval.options import Options
from truerank.interop.trec_eval.reading import Answers, judged_alone
from truerank.interop.trec_eval.values import per_topic, shown

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "install",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

__version__ = "0.5.11"
"""The version of pytrec_eval-terrier whose interface this is."""

_RARE = {"yaap"}

_UNABLE = "Unable to extract query/object scores."

LOOKED_AT = 20
"""How many ids of each answer are seen to be strings."""

_PARAMETERS = r"[\._]([0-9]+(\.[0-9]+)?(,[0-9]+(\.[0-9]+)?)*)"


def _supported(compat: int) -> set[str]:
    """The measures of a version of trec_eval that need plain judgements."""
    known = (listed for listed in CATALOG.values() if listed.since <= compat and listed.of in ("", "qrels"))
    return {listed.name for listed in known} - _RARE


supported_measures = _supported(9)

supported_nicknames = {
    name: {each for each in members if CATALOG[each].since <= 9} for name, members in NICKNAMES.items()
}


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """The scores of a run, {query: {document: score}}, from lines of six columns.

    >>> dict(parse_run(["q1 Q0 d1 1 2.5 tag"]))
    {'q1': {'d1': 2.5}}

    Raises:
        AssertionError: a document is returned twice for a query.
        ValueError: a line has not six columns, or its score is no number.
    """
    run: dict[str, dict[str, float]] = collections.defaultdict(dict)
    for query, _, doc, _, score, _ in (line.split() for line in f_run):
        _refuse_repeat(run[query], query, doc)
        run[query][doc] = float(score)
    return run


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """The grades of judgements, {query: {document: grade}}, from lines of four columns.

    >>> dict(parse_qrel(["q1 0 d1 2"]))
    {'q1': {'d1': 2}}

    Raises:
        AssertionError: a document is judged twice for a query.
        ValueError: a line has not four columns, or its grade is no whole number.
    """
    qrel: dict[str, dict[str, int]] = collections.defaultdict(dict)
    for query, _, doc, grade in (line.split() for line in f_qrel):
        _refuse_repeat(qrel[query], query, doc)
        qrel[query][doc] = int(grade)
    return qrel


def _refuse_repeat(known: Mapping[str, float], query: str, doc: str) -> None:
    if doc in known:
        raise AssertionError(f"document {doc} stands twice in query {query}")


def compute_aggregated_measure(measure: str, values: list[float]) -> float:
    """One number for all queries: the sum of counts, the geometric mean of gm_ measures, else the mean.

    >>> compute_aggregated_measure("num_ret", [10.0, 5.0])
    15.0
    """
    if measure.startswith("num_"):
        return float(np.sum(values))
    if measure.startswith("gm_"):
        return float(np.exp(np.sum(values) / len(values)))
    return float(np.mean(values))


class RelevanceEvaluator:
    """Evaluates runs against judgements, with trec_eval's measures.

    Attributes:
        compat: the version of trec_eval to reproduce, where the constructor is not told.

    >>> evaluator = RelevanceEvaluator({"q1": {"d1": 1, "d2": 0}}, {"map", "ndcg_cut.10"})
    >>> evaluator.evaluate({"q1": {"d2": 2.0, "d1": 1.0}})
    {'q1': {'map': 0.5, 'ndcg_cut_10': 0.6309297535714575}}
    """

    compat = 9

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
        *,
        compat: int | None = None,
    ) -> None:
        """Read the judgements, against which any number of runs can be evaluated.

        Args:
            query_relevance: {query: {document: grade}}; queries without a judgement are left out.
            measures: names and nicknames, with parameters after a point or _: "ndcg_cut.5,10", "P_5".
            relevance_level: the lowest grade that is relevant, at least 1.
            judged_docs_only_flag: remove the unjudged documents from the run first.
            compat: 9 or 10, the version of trec_eval.

        Raises:
            TypeError: the judgements are not a mapping of strings to mappings of strings to whole numbers.
            ValueError: there is no such measure, or it does not take such parameters.
        """
        version = self.compat if compat is None else _version(compat)
        level = _level(relevance_level)
        self._columns = _columns(frozenset(measures), version)
        self._qrels = _qrels(query_relevance)
        self._options, self._rules = _options(version, level, bool(judged_docs_only_flag))

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """{query: {measure: value}} of the queries that are both judged and in the run, in the run's order.

        Args:
            scores: {query: {document: score}}.

        Raises:
            TypeError: the scores are not such a mapping.
        """
        if not scores:
            return {}
        if not isinstance(scores, Mapping):
            raise TypeError("Argument object scores should be of type dictionary.")
        if not all(isinstance(query, str) and isinstance(docs, Mapping) for query, docs in scores.items()):
            raise TypeError(f"{_UNABLE} A run is a dict of dicts, with queries that are strings.")
        for query, docs in scores.items():
            _refuse_other_ids(query, docs)
        if self._qrels is None:
            return {}
        answers = self._answers(scores)
        queries = [name.decode() for name in answers.hits.queries]
        values: dict[str, dict[str, float]] = {query: {} for query in queries}
        for column in self._columns:
            name = _key(column)
            for query, value in zip(queries, self._values(column, answers).tolist(), strict=True):
                values[query][name] = value
        return {query: values[query] for query in scores if query in values}

    def _answers(self, scores: Mapping[str, Mapping[str, float]]) -> Answers:
        """The ranks of the judged documents of the run's queries."""
        assert self._qrels is not None  # `evaluate` has checked it
        try:
            hits = read(self._qrels, run_of_dict(scores, "run"), rules=self._rules).hits
        except TruerankError as error:
            return self._answers(_finite(scores, error))
        hits = hits.select(hits.returned >= 0).under(self._rules)
        return Answers(hits, np.zeros(len(hits.queries), bool), len(hits.queries), 0, b"")

    def _values(self, column: Column, answers: Answers) -> Floats:
        """(queries,) the values of a measure; 0 where pytrec_eval has no number."""
        if column.measure is None:
            return np.full(len(answers.hits.queries), float(column.name == "num_q"))
        return shown(column, per_topic(column, answers, self._options))


def _key(column: Column) -> str:
    """pytrec_eval's name of a column: with the cutoff or the recall point, without other parameters."""
    return column.name if column.listed.takes in ("cutoffs", "points") else column.listed.name


def _level(level: Any) -> int:
    try:
        number = operator.index(level)
    except TypeError:
        number = 0
    if number < 1:
        raise TypeError("Argument relevance_level should be a positive whole number.")
    return number


def _refuse_other_ids(query: str, docs: Mapping[str, float]) -> None:
    """Raise where one of the first documents is not a string; checking all would take as long as evaluating."""
    try:
        "".join(itertools.islice(docs, LOOKED_AT))
    except TypeError:
        other = next(doc for doc in docs if not isinstance(doc, str))
        raise TypeError(f"{_UNABLE} Query {query} has the document {quoted(other)}, which is no string.") from None


def _version(compat: int) -> int:
    if compat not in (9, 10):
        raise ValueError(f"compat is 9 or 10, not {compat!r}")
    return compat


@lru_cache
def _options(compat: int, level: int, judged_only: bool) -> tuple[Options, Rules]:
    """The reference's options, and the rules that follow from them; cached, since scripts ask often."""
    options = Options(compat=compat, level=level, judged_only=judged_only)
    return options, judged_alone(options)


@lru_cache
def _columns(measures: frozenset[str], compat: int) -> list[Column]:
    """The columns asked for, in trec_eval's order; cached too.

    Raises:
        ValueError: there is no such measure, or parameters that it cannot have.
    """
    names = set(itertools.chain.from_iterable(supported_nicknames.get(name, (name,)) for name in measures))
    try:
        return columns(_combined(names, _supported(compat)), compat) if names else []
    except TruerankError as error:
        raise ValueError(str(error)) from error


def _combined(names: Iterable[str], supported: set[str]) -> list[str]:
    """Each measure once, with the parameters from all its spellings: P_5 and P.10 become P.10,5."""
    parameters: dict[str, set[str]] = collections.defaultdict(set)
    for name in names:
        if name in supported:
            parameters[name] |= set()
            continue
        spelled = ((each, re.match(re.escape(each) + _PARAMETERS, name)) for each in supported)
        match = next(((each, match) for each, match in spelled if match), None)
        if match is None:
            hint = did_you_mean(name, supported)
            raise ValueError(f"unsupported measure {name}" + (f".{hint}" if hint else ""))
        parameters[match[0]].update(match[1].group(1).split(","))
    return [f"{name}.{','.join(sorted(given))}" if given else name for name, given in parameters.items()]


def _qrels(judged: Mapping[str, Mapping[str, int]]) -> Qrels | None:
    """The judgements; None where there are none.

    Raises:
        TypeError: this is not a mapping of strings to mappings of strings to whole numbers.
    """
    kept = {}
    for query, grades in judged.items():
        if not len(grades):
            continue
        if not isinstance(query, str):
            raise TypeError("Expected string as key.")
        if not isinstance(grades, Mapping):
            raise TypeError("Expected dictionary as value.")
        if not all(isinstance(doc, str) for doc in grades):
            raise TypeError("Expected mapping of document id to query relevance or matching score.")
        if not all(isinstance(grade, int) for grade in grades.values()):
            raise TypeError("Expected relevance to be integer.")
        kept[query] = grades
    try:
        return complete_judgements(Qrels.from_dict(kept)) if kept else None
    except TruerankError as error:
        raise TypeError(f"Unable to extract query relevance. {error}") from error


def _finite(scores: Mapping[str, Mapping[str, float]], refused: TruerankError) -> Mapping[str, Mapping[str, float]]:
    try:
        finite = clamped(scores)
    except TruerankError as error:
        raise TypeError(f"{_UNABLE} {error}") from error
    if finite is None:
        raise TypeError(f"{_UNABLE} {refused}") from refused
    return finite


def clamped(scores: Mapping[str, Mapping[str, float]]) -> Mapping[str, Mapping[str, float]] | None:
    """The scores with the largest number in place of infinity, which masked documents may have; None without any.

    Raises:
        InputError: a score is not a number (NaN).
    """
    for query, docs in scores.items():
        doc = next((doc for doc, score in docs.items() if isinstance(score, float) and math.isnan(score)), None)
        if doc is not None:
            raise InputError("query {query}: the score of document {doc} is not a number", query=query, doc=doc)
    infinite = (math.inf, -math.inf)
    if not any(each in docs.values() for docs in scores.values() for each in infinite):
        return None
    most = sys.float_info.max
    return {
        query: {doc: math.copysign(most, score) if score in infinite else score for doc, score in docs.items()}
        for query, docs in scores.items()
    }


def install(compat: int = 9) -> None:
    """Replace the package: whoever imports pytrec_eval from now on gets this module.

    Modules that imported it before keep the package; a `UserWarning` says so.

    Args:
        compat: the version of trec_eval to reproduce.

    Raises:
        ValueError: no such version.
    """
    RelevanceEvaluator.compat = _version(compat)
    if sys.modules.get("pytrec_eval") not in (None, sys.modules[__name__]):
        said = message("pytrec_eval was imported before install(): who imported it keeps it; call install() first")
        warnings.warn(said, stacklevel=2)
    sys.modules["pytrec_eval"] = sys.modules[__name__]
