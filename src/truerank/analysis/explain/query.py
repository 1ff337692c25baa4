"""One query of a run under rules: found once by the engine, then asked for any measure."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank.analysis.bounds.ties import under_ties
from truerank.analysis.explain.explanation import Explanation
from truerank.analysis.explain.notes import Found, Spread, notes
from truerank.analysis.explain.ranking import Listed, Raw, listing, unscored
from truerank.analysis.explain.rows import answers, only
from truerank.analysis.explain.worked import Case, Hit, Line, work_out
from truerank.analysis.explain.worked.case import once_each
from truerank.analysis.explain.worked.derived import hits_of
from truerank.analysis.explain.worked.form import whole
from truerank.analysis.explain.worked.registry import parameters
from truerank.core.errors import InputError, no_such_query, printable
from truerank.core.evaluate import in_mean, is_ruled, read_catalogue, score, seen_by, turned, valued
from truerank.core.found import as_ruled
from truerank.core.hits import Hits
from truerank.core.judgements import grades_of
from truerank.core.kernel.scanning import as_text
from truerank.core.messages import Message, did_you_mean, message
from truerank.core.qrels import Qrels
from truerank.core.rankings import rankings, without_scores
from truerank.core.reading import Reading, scan_units
from truerank.core.rules import Rules
from truerank.core.run import Batch, Run, unreported
from truerank.core.scan import EVERY_RANK, answered
from truerank.measures import Measure, MeasuresLike, known_measure, parse_measure, parse_measures

if TYPE_CHECKING:
    from truerank.core.catalogue import Catalogue

Judged = dict[bytes, float]
Spreads = dict[Measure, Spread]


@dataclass(frozen=True, eq=False)
class Answer:
    """What a run answers to one query, and how it is judged.

    Attributes:
        query: its id.
        judged: its judgements; NaN for documents that leave the list.
        reading: of this query alone, with all rows; the highest grade is that of the collection.
        raw: the documents that were returned, with their scores, in order: also those that the judgements ignore.
        lines: how many lines of the run answer it; 1 unless the mean is over lines.
        rules: under whose rules.
        is_scored: whether the run has scores, and not only an order.
        items: what is known of the documents that could be listed.
    """

    query: bytes
    judged: Judged
    reading: Reading
    raw: tuple[Raw, ...]
    lines: int
    rules: Rules
    is_scored: bool = True
    items: Catalogue | None = None

    def knowing(self, items: Any) -> Answer:
        """This answer with what is known of the documents, from wherever it is kept; None: nothing is known."""
        return self if items is None else dataclasses.replace(self, items=read_catalogue(items))

    @property
    def is_answered(self) -> bool:
        """Whether the run has the query at all."""
        return bool(self.reading.rows.returned[0] >= 0)

    @cached_property
    def hits(self) -> Hits:
        """The hits of this query alone."""
        return self._everything.under(self.rules)

    @cached_property
    def _orders(self) -> list[Hits]:
        """These hits with equal scores in the orders in which most measures have their extremes."""
        whole = self._everything
        moved = (way(first) for way in (whole.reordered, whole.judged_together) for first in (True, False))
        return [hits.under(self.rules) for hits in moved]

    @cached_property
    def lists(self) -> tuple[Hits, Hits]:
        """All rows, those of unjudged documents too, with the items they are; and with ties the other way round."""
        rows = in_mean(self.reading.located(self.items), self.reading.rules, self.reading.name)
        return rows.under(self.rules), turned(rows).under(self.rules)

    @cached_property
    def _everything(self) -> Hits:
        """The hits before the rules for depth, unjudged and unreturned documents are applied."""
        return in_mean(self.reading.hits, self.reading.rules, self.reading.name)

    def _spreads(self, measures: Sequence[Measure]) -> Spreads:
        """The lowest and the highest value that some order of equal scores gives; of whole lists, of two orders."""
        spreads: Spreads = {}
        for measure in measures:
            if measure.definition.sees_lists or measure.definition.sees_aspects:
                orders = self.lists if measure.definition.sees_lists else self._orders
                values = [float(valued(measure, hits, self._lenient)[0]) for hits in orders]
                spreads[measure] = Spread(min(values), max(values), is_sure=False)
        if others := tuple(m for m in measures if m not in spreads):
            of = self._everything, others, self._lenient
            found = under_ties(*of, samples=1, seed=0, progress=unreported)  # no mean is asked for
            ranges = {m: found[str(m)] for m in others}
            spreads |= {m: Spread(float(r.low[0]), float(r.high[0]), bool(r.sure[0])) for m, r in ranges.items()}
        return spreads

    @cached_property
    def _lenient(self) -> Rules:
        return lenient(self.rules)

    def listing(self, level: float) -> tuple[Listed, ...]:
        """The documents, with what the grades say at this level."""
        return listing(self.judged, self.raw, self.reading, level)

    def level(self, measure: Measure) -> float:
        """The lowest grade that is relevant to a measure; to one that knows no level, that of the rules."""
        return float(parameters(measure, self.rules).get("level", self.rules.level))

    def explain(self, measures: Sequence[Measure]) -> list[Explanation]:
        """Why each measure is what it is; the values are those of `evaluate`."""
        values = self._values(measures)
        lists = {level: self.listing(level) for level in set(map(self.level, measures))}
        spreads = cache(lambda: self._spreads(measures))
        return [self._explain(m, values[m], lists[self.level(m)], spreads) for m in measures]

    def _values(self, measures: Sequence[Measure]) -> dict[Measure, float]:
        """The value of each measure, without what `evaluate` tells beside it, such as whether ties matter."""
        seeing = [m for m in measures if m.definition.sees_lists]
        scores = score(self.reading, seeing, self.items).columns if seeing else {}
        return {
            m: float((scores[str(m)] if m.definition.sees_lists else valued(m, self.hits, self._lenient))[0])
            for m in measures
        }

    def _explain(
        self, measure: Measure, value: float, documents: tuple[Listed, ...], spreads: Callable[[], Spreads]
    ) -> Explanation:
        rules = self.rules
        relevant = int(self.hits.relevant_total(rules.level)[0])
        rows = self.lists[0] if measure.definition.sees_lists else self.hits
        hits = seen_by(measure, rows, rules).cut(measure.depth)
        case = self._case(measure, hits, documents)
        finds = bool(measure.finds(self.hits, rules.level)[0])
        ruling = _ruling(measure, rules, case.returned, finds=finds)
        result = ruling.value if ruling else value
        found = Found(
            measure=measure,
            rules=rules,
            value=result,
            documents=documents,
            is_answered=self.is_answered,
            lines=self.lines,
            repeated=self.reading.repeated,
            relevant=relevant,
            finds=finds,
            spread=lambda: Spread(result, result) if ruling else spreads()[measure],
            calls=0 if self.hits.calls is None else self.hits.calls.made,
        )
        return Explanation(
            run=self.reading.name,
            query=as_text(self.query),
            measure=measure,
            value=result,
            is_counted=found.is_counted,
            level=self.level(measure),
            documents=documents if self.is_scored else unscored(documents),
            worked=work_out(measure, case, rules, value),
            ruling=ruling,
            notes=notes(found),
            rules=rules,
        )

    def _case(self, measure: Measure, hits: Hits, documents: tuple[Listed, ...]) -> Case:
        """The query as a worked form reads it; it is made once for all measures that read the same."""
        by_aspect, sees_lists = measure.definition.sees_aspects, measure.definition.sees_lists
        key = hits, by_aspect, sees_lists
        if key not in self._cases:
            self._cases[key] = self._made(hits, documents, by_aspect=by_aspect, sees_lists=sees_lists)
        return dataclasses.replace(self._cases[key], measure=str(measure))

    @cached_property
    def _cases(self) -> dict[tuple[Hits, bool, bool], Case]:
        return {}

    def _made(self, hits: Hits, documents: tuple[Listed, ...], *, by_aspect: bool, sees_lists: bool) -> Case:
        """The query as all measures of these rows read it."""
        named: dict[int, str] = {listed.rank: listed.doc for listed in documents if listed.rank}
        below = [listed.doc for listed in documents if listed.place == "below depth"]
        named |= {(hits.depth or 0) + number: doc for number, doc in enumerate(below, 1)}
        case = Case(
            measure="",
            returned=int(hits.returned[0]),
            hits=self._named(hits, named),
            judged=tuple(sorted(self._known(documents), key=lambda hit: -hit.grade)),
            max_grade=whole(hits.max_grade),
            depth=hits.depth,
            beyond=() if hits.beyond is None else self._named(hits.beyond, named),
            calls=hits.calls,
            read=hits if by_aspect or sees_lists else None,
            numbered=self._numbered() if by_aspect else {},
        )
        return dataclasses.replace(case, read=hits_of(case))

    def _numbered(self) -> dict[int, Hit]:
        """Every judged document of the query by its number in the hits."""
        qrels = self.reading.qrels
        judged = enumerate(self.judged.items(), int(qrels.start[qrels.queries.index(self.query)]))
        return {number: Hit(0, as_text(doc), whole(grade)) for number, (doc, grade) in judged}

    def _named(self, hits: Hits, others: dict[int, str]) -> tuple[Hit, ...]:
        """The rows with the names of their documents; of one that was given a grade, by its rank."""
        rows = zip(
            *(getattr(hits, name).tolist() for name in ("doc", "rank", "grade", "first", "last")), strict=True
        )
        return tuple(
            Hit(rank, others[rank] if doc < 0 else as_text(self.reading.doc(doc)), whole(grade), first, last)
            for doc, rank, grade, first, last in rows
        )

    def _known(self, documents: tuple[Listed, ...]) -> list[Hit]:
        """Every judged document, in any order; under some rules only those that were returned."""
        if self.rules.unreturned == "ignore":
            returned = (each for each in documents if each.score is not None)
            came = [Hit(0, each.doc, each.grade) for each in returned if each.grade is not None]
            return once_each(came) if self.rules.duplicates == "once" else came
        own = {name: grade for name, grade in self.reading.qrels.apart.items() if name == self.query}
        known = {**self.judged, **own}
        return [Hit(0, as_text(doc), whole(grade)) for doc, grade in known.items() if not math.isnan(grade)]


def several(measure: MeasuresLike) -> list[Measure]:
    """The measures that are asked for, at least one."""
    return parse_measures(measure) or [parse_measure(measure if isinstance(measure, str) else "")]


def is_one(measure: MeasuresLike, chosen: Sequence[Measure]) -> bool:
    """Whether one measure was asked for rather than a list, which may hold only one."""
    return isinstance(measure, Measure) or (isinstance(measure, str) and len(chosen) == 1)


def ask(qrels: Qrels, run: Run, query: bytes, rules: Rules) -> Answer:
    """What a run answers to a query. The run is read once, and only this query's rows are kept.

    Raises:
        InputError: the query is not judged.
    """
    seen = {query}
    few = only(_noting(run, seen) if rules.unit == "line" else run, [query])
    lines = 1
    if rules.unit == "line":  # where the mean is over lines, there are no other queries than some line answers
        parts = list(answers(few))
        few, lines = Run(few.name, lambda: iter(parts[:1])), len(parts)
        qrels = qrels.only(seen)
    if query not in qrels.queries:
        raise _stranger(qrels, query, next(answers(few), None) is not None)
    ruled, under = as_ruled(qrels, rules), lenient(rules)
    judged = ruled.only([query])
    ordered: set[bytes] = set()
    scan = answered(scan_units(judged, _watched(few, ordered), under, keep=EVERY_RANK)[1], under)
    reading = Reading.of(judged, scan, under, few.name, EVERY_RANK)
    docs = reading.docs(scan.table["doc"].astype(np.int64))
    raw = map(Raw, docs, scan.table["score"].tolist())  # of this query, as only it is answered
    answer = _answer(reading, query, rules)
    return dataclasses.replace(answer, raw=tuple(raw), lines=lines, is_scored=query not in ordered)


def _noting(run: Run, seen: set[bytes]) -> Run:
    """This run, except that reading it adds the queries of its lines to `seen`."""

    def noted(batches: Iterator[Batch]) -> Iterator[Batch]:
        for part in rankings(batches, run.name):
            seen.add(part.query)
            yield part

    return run.through(noted)


def ask_reading(reading: Reading, query: bytes) -> Answer:
    """What a reading of all rows has of a query.

    Raises:
        InputError: the query is not judged, or the reading cannot tell all of its list.
        RulesError: the reading is one of submitted lines.
    """
    reading.rules.by_query(
        message("a Reading is explained query by query; give the qrels and the run in its place")
    )
    if query not in reading.qrels.queries:
        raise _stranger(reading.qrels, query, query in reading.extra)
    if reading.repeated and reading.rules.duplicates in ("first", "last"):
        raise _lacking(reading, message("how often the run repeats documents of the query"))
    answer = answers_in(reading, [query], reading.rules)[query]
    if any(map(math.isnan, answer.judged.values())):
        raise _lacking(reading, message("documents that the judgements ignore"))
    return answer


def _lacking(reading: Reading, what: Message) -> InputError:
    return InputError(
        "a Reading does not keep what an explanation shows: {what}; give the qrels and the run in its place",
        reading.name,
        what=what,
    )


def answers_in(reading: Reading, queries: Sequence[bytes], rules: Rules) -> dict[bytes, Answer]:
    """What a reading has of some judged queries; what has no row in it is in no list."""
    part = reading.only(*queries)
    return {query: _answer(part, query, rules) for query in queries}


def _answer(reading: Reading, query: bytes, rules: Rules) -> Answer:
    one, place = reading.only(query), reading.qrels.queries.index(query)
    docs = one.docs(one.rows.doc)
    under = dataclasses.replace(one, rules=lenient(rules))
    raw = tuple(map(Raw, docs, one.rows.score.tolist()))
    return Answer(query, grades_of(reading.qrels, place), under, raw, 1, rules, not reading.scoring.are_ranks)


def _watched(run: Run, ordered: set[bytes]) -> Run:
    """This run, except that reading it adds to a set the queries whose documents have an order but no scores."""

    def watched(batches: Iterator[Batch]) -> Iterator[Batch]:
        for batch in batches:
            ordered.update(without_scores(batch))
            yield batch

    return run.through(watched)


def lenient(rules: Rules) -> Rules:
    """The rules, but so that no query is refused or left out: its value is the same."""
    rule = rules.without_relevant
    keeps = "zero" if rule in ("skip", "error", "undefined") else rule
    return rules.replace(unit="query", missing="zero", extra="skip", without_relevant=keeps, self_match="keep")


def _stranger(qrels: Qrels, query: bytes, is_answered: bool) -> InputError:
    """The error for a query that is unjudged."""
    if not is_answered and known_measure(as_text(query)):
        return InputError(
            "{query} is a measure, and no judged query: the query comes first, then the measure",
            query=as_text(query),
        )
    if not is_answered:
        return no_such_query(query, qrels.queries, qrels.name)
    return InputError(
        "query {query} is answered, but it is unjudged, so no measure can tell how well.{near}",
        qrels.name,
        query=printable(query),
        near=did_you_mean(printable(query), map(printable, qrels.queries)),
    )


def _ruling(measure: Measure, rules: Rules, returned: int, *, finds: bool) -> Line | None:
    """The line of the rule that sets the value in place of the measure, if one does."""
    if rules.without_relevant == "undefined" and measure.definition.divides_by and not finds:
        return Line(str(measure), message("none, by the rules: there is nothing to divide by"), math.nan)
    if finds or not is_ruled(measure, rules):
        return None
    is_one = rules.without_relevant == "one"
    value = (is_one or not returned) != measure.definition.lower_is_better
    score = f"{value:d}"
    if not returned:
        return Line(str(measure), message("{score}: nothing is relevant, nothing came", score=score), float(value))
    if is_one:
        how = message("{score}: nothing is relevant, whatever was returned", score=score)
        return Line(str(measure), how, float(value))
    how = message("{score}: nothing is relevant, and {a} documents were returned", score=score, a="{a}")
    return Line(str(measure), how, float(value), (returned,))
