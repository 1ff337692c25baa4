"""Runs evaluated for ir_measures: the provider, with its own names, parameters and results."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cache
from importlib import import_module
from typing import Any

from truerank.core.errors import TruerankError, quoted
from truerank.core.kernel.scanning import as_bytes, as_text
from truerank.core.qrels import Qrels
from truerank.core.reading import Reading, read
from truerank.core.rules import Rules
from truerank.formats.by_query import run_of_dict
from truerank.formats.rows import complete_judgements
from truerank.interop.ir_measures.measures import NAME, OWN, Asked, Worth, asked, ir_measures
from truerank.interop.pytrec_eval import clamped

_LOG = logging.getLogger("ir_measures")


class Evaluation:
    """An `Evaluator` of ir_measures by truerank: one qrels, some measures, any number of runs."""

    measures: list[Any]

    def __init__(self, measures: Iterable[Any], qrels: Any) -> None:
        given = sorted(measures, key=str) if isinstance(measures, Set) else measures
        self.measures = list(dict.fromkeys(given))
        self._asked = [_supported(measure) for measure in self.measures]
        self._queries, self._judged = _read_qrels(qrels, {each.rules.iteration for each in self._asked})
        self._sorted = [as_text(query) for query in next(iter(self._judged.values())).queries]
        self.qrel_qids = set(self._sorted)

    def iter_calc(self, run: Any) -> Iterator[Any]:
        """The values of each query, query by query, in the order of the qrels."""
        yield from self._metrics(self._columns(run))

    def calc_aggregate(self, run: Any) -> dict[Any, float]:
        """One number for each measure: its own kind of mean, or the sum of counts."""
        return {measure: _aggregate(measure, values) for measure, values in self._columns(run)}

    def calc(self, run: Any) -> Any:
        """The values of each query and the aggregates, from one reading of the run."""
        columns = self._columns(run)
        aggregated = {measure: _aggregate(measure, values) for measure, values in columns}
        return ir_measures().CalcResults(aggregated, list(self._metrics(columns)))

    def _metrics(self, columns: list[tuple[Any, dict[str, float]]]) -> Iterator[Any]:
        metric = ir_measures().Metric
        for query in self._queries:
            yield from (
                metric(query, measure, by_query[query]) for measure, by_query in columns if query in by_query
            )

    def _columns(self, run: Any) -> list[tuple[Any, dict[str, float]]]:
        """Each measure with the values of the queries that have one."""
        if not self._queries:
            return [(each.measure, {}) for each in self._asked]
        run = list(run) if isinstance(run, Iterator) else run
        readings = {source: self._reading(run, *source) for source in {each.source for each in self._asked}}
        return [(each.measure, self._column(each, readings[each.source])) for each in self._asked]

    def _column(self, each: Asked, reading: Reading) -> dict[str, float]:
        values, there = each.values(reading)
        rows = zip(self._sorted, values.tolist(), there, strict=True)
        found = {query: value for query, value, is_there in rows if is_there}
        return {query: found[query] for query in self._queries if query in found}

    def _reading(self, run: Any, rules: Rules, worth: Worth | None) -> Reading:
        judged = self._judged[rules.iteration]
        answers = run_of_dict(run, "run") if isinstance(run, dict) else run
        try:
            return read(judged if worth is None else worth.of(judged), answers, rules=rules)
        except TruerankError as error:
            finite = _finite(run, error)
        return self._reading(finite, rules, worth)


def _finite(run: Any, refused: TruerankError) -> Any:
    """A refused run with infinite scores replaced by the largest finite number.

    Raises:
        ValueError: it was refused for another reason.
    """
    converter = ir_measures().util.RunConverter(run)
    try:
        finite = clamped(converter.as_dict_of_dict()) if converter.predict_type()[1] is None else None
    except TruerankError as error:
        raise ValueError(str(error)) from error
    if finite is None:
        raise ValueError(str(refused)) from refused
    return finite


def _aggregate(measure: Any, values: Mapping[str, float]) -> float:
    aggregator = measure.aggregator()
    for value in values.values():
        aggregator.add(value)
    return aggregator.result()  # type: ignore[no-any-return]


def _object(measure: Any) -> Any:
    if isinstance(measure, ir_measures().Measure):
        return measure
    raise ValueError(
        f"a measure is an object of ir_measures, such as nDCG @ 10, and not {quoted(measure)}; "
        "ir_measures.parse_measure reads text"
    )


def _supported(measure: Any) -> Asked:
    supported = asked(_object(measure))
    if supported is None:
        raise ValueError(f"unsupported measure {measure}")
    return supported


def _read_qrels(qrels: Any, kinds: set[str]) -> tuple[list[str], dict[str, Qrels]]:
    """The queries in their order, and {use of the second column: qrels}; a document's last judgement counts.

    Raises:
        ValueError: ir_measures would not take this as qrels.
    """
    convert = ir_measures().util.QrelsConverter
    rows = list(convert(qrels).as_namedtuple_iter())
    by_kind: dict[str, dict[str, Any]] = {kind: {} for kind in kinds or {"ignore"}}
    for kind, judged in by_kind.items():
        if isinstance(qrels, Mapping):
            judged |= {query: {} for query in qrels}
        for row in rows:
            docs = judged.setdefault(row.query_id, {})
            if kind == "ignore":
                docs[row.doc_id] = row.relevance
            else:
                docs.setdefault(row.doc_id, {})[row.iteration] = row.relevance
    if "aspect" in kinds and len({row.iteration for row in rows}) == 1:
        _LOG.warning("all judgements are of one subtopic; measures of diversity need their iterations")
    queries = [as_text(as_bytes(query)) for query in next(iter(by_kind.values()))]
    try:
        return queries, {kind: complete_judgements(Qrels.from_dict(judged)) for kind, judged in by_kind.items()}
    except TruerankError as error:
        raise ValueError(str(error)) from error


class Provision:
    """A `Provider` of ir_measures by truerank."""

    NAME = NAME

    def supports(self, measure: Any) -> bool:
        """Whether the measure, with its parameters, can be computed here."""
        _object(measure).validate_params()
        return asked(measure) is not None

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> Any:
        return _classes()[1](measures, qrels)


@cache
def _classes() -> tuple[type, type]:
    """The provider and the evaluator, as subclasses of ir_measures' own, so that they get what it adds to these."""
    base = ir_measures().providers
    supported = [ir_measures().measures.registry[name]() for name in OWN]
    made = type("TruerankProvider", (Provision, base.Provider), {"SUPPORTED_MEASURES": supported})
    return made, type("TruerankEvaluator", (Evaluation, base.Evaluator), {})


@cache
def provider() -> Any:
    """The provider that `install` registers; `provider().calc(measures, qrels, run)` asks only this one.

    Raises:
        MissingPackage: ir_measures is not installed.
    """
    return _classes()[0]()


def install() -> None:
    """Register the provider, such that ir_measures asks it first, after measures that the user defines.

    Raises:
        MissingPackage: ir_measures is not installed.
    """
    theirs, mine = ir_measures(), provider()
    theirs.providers.registry[NAME] = mine
    chain = theirs.DefaultPipeline.providers
    if mine not in chain:
        chain.insert(chain.index(theirs.runtime) + 1, mine)


def main() -> None:
    """The `ir_measures` command, with this provider before its own."""
    install()
    import_module("ir_measures.__main__").main_cli()
