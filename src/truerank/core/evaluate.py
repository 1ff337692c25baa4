"""Qrels, a run, measures and rules in; scores out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank.core.equal import are_equal
from truerank.core.errors import InputError, MeasureError, printable
from truerank.core.hits import Bools, Hits
from truerank.core.ledger import as_texts, ledger_of, undefined, without_relevant
from truerank.core.messages import Message, message
from truerank.core.qrels import QrelsLike
from truerank.core.reading import Keep, Reading, lacking, ranks_kept, reading_of
from truerank.core.rules import Rules, RulesLike, common
from truerank.core.run import Run, RunLike
from truerank.core.saved import facts_of
from truerank.core.scores import Scores
from truerank.core.swapped import are_swapped
from truerank.core.vocabulary import asked_for, checked, unknown
from truerank.formats import open_run, read_qrels
from truerank.measures import Measure, MeasuresLike
from truerank.measures.definition import Definition
from truerank.measures.of_run import OfRun
from truerank.measures.sums import PerQuery

if TYPE_CHECKING:
    from truerank.core.catalogue import Catalogue


def evaluate(
    qrels: QrelsLike | Reading,
    run: RunLike | Reading | None = None,
    measures: MeasuresLike | None = None,
    *,
    rules: RulesLike | None = None,
    threads: int | None = None,
    as_written: bool = False,
    items: Any = None,
) -> Scores:
    """How well a run answers the queries of the qrels.

    Args:
        qrels: a path, {query: {document: grade}}, {query: documents}, a DataFrame, or `Qrels`; or a `Reading`, with
            which the run is left out.
        run: a path ("-" for standard input), {query: {document: score}}, {query: documents, best first},
            a DataFrame, arrays (ids, scores), a `Run`, or a `Reading` against these qrels, as itself or in a file.
        measures: names such as "nDCG@10", read as the rules read them, or with parameters, which say what they
            mean under any rules; by default those that the rules name, else nDCG@10, AP, RR, P@10 and R@100.
        rules: a preset's name, a TOML file, fields that differ from the default, or `Rules`; by default those
            under which a reading was made.
        threads: how many may read a large plain file.
        as_written: columns are headed by the names as they were asked for, not by what they became.
        items: what is known of the documents that could be listed, for measures such as Coverage and ILD: a table
            with an id and popularity, groups or vector, in a file, a DataFrame or a dict; or the ids alone.

    Raises:
        TruerankError: wrong input, an unknown measure or rule; the message says what, where and what now.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1, "b": 2}}, {"q": {"x": 3.0, "b": 2.0, "a": 1.0}}, "RR AP").mean
    {'RR': 0.5, 'AP': 0.5833333333333333}
    """
    run, under = opened_under(qrels, run, rules)
    asked = asked_for(measures, under)
    chosen = list(dict.fromkeys(asked.values()))
    if not chosen:
        raise MeasureError("no measure is named; leave measures out for the default, or name some: nDCG@10 AP")
    judged = qrels if isinstance(qrels, Reading) else read_qrels(qrels)
    is_of_lines = isinstance(judged, Reading) and under.unit == "line"  # none of which may be judged
    if not len(judged) and not is_of_lines:
        source = judged.qrels if isinstance(judged, Reading) else judged
        raise InputError("there are no judgements in it", source.name)
    words = {word: str(m) for word, m in asked.items()}
    known = read_catalogue(items)
    reading = reading_of(judged, run, under, keep=seen_rows(chosen), threads=threads)
    return score(reading, chosen, known, asked=words, as_written=as_written)


def read_catalogue(items: Any) -> Catalogue | None:
    """What is known of the documents, from wherever it is kept; None where nothing is given."""
    if items is None:
        return None
    from truerank.truth import catalogue

    return catalogue.read_catalogue(items)


def rank(
    qrels: QrelsLike | Reading,
    run: RunLike | Reading | None = None,
    *,
    rules: RulesLike | None = None,
    threads: int | None = None,
) -> Hits:
    """The hits table itself: the ranks of the judged documents. Arguments as for `evaluate`.

    >>> import truerank as tr
    >>> tr.rank({"q": {"a": 1, "b": 2}}, {"q": {"x": 3.0, "b": 2.0, "a": 1.0}}).rank.tolist()
    [2, 3]
    """
    run, under = opened_under(qrels, run, rules)
    return ranked(reading_of(qrels, run, under, threads=threads))


def score(
    reading: Reading,
    measures: list[Measure],
    items: Catalogue | None = None,
    *,
    asked: Mapping[str, str] | None = None,
    as_written: bool = False,
) -> Scores:
    """What a run that was already read scores, in whatever form it came.

    Args:
        measures: as the rules read them: see `vocabulary.measures_under`.
        items: what is known of the documents.
        asked, as_written: as in `Scores`.

    Raises:
        InputError: the reading lacks rows that a measure needs.
    """
    rules = reading.rules
    hits = in_mean(reading.hits, rules, reading.name)
    final = hits.under(rules)
    plain, seeing = ([m for m in measures if m.definition.sees_lists == is_seeing] for is_seeing in (False, True))
    lists = _Lists.of(reading, seeing, items) if seeing else None
    tied = np.concatenate([_depends_on_ties(part, plain, rules) for part in hits.parts()])
    if lists:
        tied |= lists.tied()
    nothing_to_find = without_relevant(reading.hits, rules)
    swapped = are_swapped(reading.hits)
    values = _values(plain, final, rules)  # last: for a million queries they take most of the memory
    if lists:
        values |= _values(lists.single, lists.final, rules)
    ledger = ledger_of(
        reading,
        final,
        tied,
        nothing_to_find,
        swapped=swapped,
        undefined=undefined(values, rules),
        foreign=unknown(measures, rules),
        **(lists.unlisted() if lists else {}),
    )
    return Scores(
        as_texts(hits.queries),
        tuple(measures),
        values,
        rules,
        ledger,
        reading.name,
        asked=asked or {},
        as_written=as_written,
        of_run=lists.of_run() if lists else {},
    )


def seen_rows(measures: Iterable[Measure]) -> Keep:
    """Which rows must be kept when a run is read, so that these measures have what they need."""
    cuts = [measure.cutoff for measure in measures if measure.definition.sees_lists]
    known = [cut for cut in cuts if cut is not None]
    return "all" if len(known) < len(cuts) else max(known, default="judged")


@dataclass(frozen=True, eq=False)
class _Lists:
    """The measures of whole lists, which see unjudged documents too.

    Attributes:
        hits: the rows of every list, before the rules for depth and unjudged documents are applied.
        measures: the ones that see whole lists.
    """

    hits: Hits
    measures: list[Measure]
    rules: Rules

    @classmethod
    def of(cls, reading: Reading, measures: list[Measure], items: Catalogue | None) -> _Lists:
        """The lists that a reading kept."""
        if reading.kept < ranks_kept(keep := seen_rows(measures)):
            raise InputError(lacking(keep), reading.name)
        if reading.scoring.are_ranks and (of_scores := [m for m in measures if m.definition.needs == "scores"]):
            raise of_scores[0].definition.lacking(of_scores[0])
        rows = reading.located(items) if any(m.definition.is_of_items for m in measures) else reading.lists
        return cls(in_mean(rows, reading.rules, reading.name), measures, reading.rules)

    @cached_property
    def final(self) -> Hits:
        """The rows under the rules."""
        return self.hits.under(self.rules)

    @property
    def single(self) -> list[Measure]:
        """The measures that have a value for each query."""
        return [measure for measure in self.measures if not measure.definition.is_of_run]

    def tied(self) -> Bools:
        """(queries,) whether a measure changes when the order of equal scores is reversed.

        Where a group of them goes on below the last rank that is seen, what is seen depends on their order.
        """
        tied = np.zeros(len(self.hits.queries), bool)
        if not self.single or not self.hits.tied.any():
            return tied
        depth = ranks_kept(seen_rows(self.single))
        last = self.final.top(depth)
        tied[last.query[last.last > depth]] = True
        seen = self.hits.where((self.hits.rank <= depth) | (self.hits.grade >= 0))
        return tied | _moved(self.single, seen, turned(seen), self.rules)

    def unlisted(self) -> dict[str, int]:
        """How many documents the measures of items see, and how many of these the table of items lacks, if any."""
        if (items := self.final.items) is None or items.catalogue is None:
            return {}
        docs = self.final.top(ranks_kept(seen_rows(m for m in self.measures if m.definition.is_of_items))).doc
        unlisted = int(np.count_nonzero(items.place[docs] >= len(items.catalogue)))
        return {"listed": len(docs), "unlisted": unlisted} if unlisted else {}

    def of_run(self) -> dict[str, OfRun]:
        """The numbers of the whole run, by measure."""
        given = {"level": self.rules.level, "rounding": self.rules.recall_points}
        chosen = [measure for measure in self.measures if measure.definition.is_of_run]
        return {str(m): m.of_run(seen_by(m, self.final, self.rules), **given) for m in chosen}


def turned(hits: Hits) -> Hits:
    """The hits with every group of ties reversed, where unjudged documents have rows too."""
    moved = replace(hits, rank=hits.first + hits.last - hits.rank)
    return moved.where(np.lexsort((moved.rank, moved.query)))


def ranked(reading: Reading) -> Hits:
    """The hits of the queries that are in the mean, with all rules applied."""
    return in_mean(reading.hits, reading.rules, reading.name).under(reading.rules)


def opened(run: RunLike | Reading) -> Run | Reading:
    """The run, opened but not yet read; a reading as it is."""
    return run if isinstance(run, Reading) else open_run(run)


def opened_under(
    qrels: object, run: RunLike | Reading | None, rules: RulesLike | None
) -> tuple[Run | Reading | None, Rules]:
    """The run to evaluate, not yet read, and the rules to evaluate it under (see `rules_of`).

    Raises:
        InputError: there is no run, or one beside a reading that stands in place of the qrels.
    """
    if isinstance(qrels, Reading):
        if run is not None:
            raise InputError(
                "a Reading has its run already; leave the run out, and name measures by measures=", qrels.name
            )
        return None, rules_of(rules, qrels)
    if run is None:
        raise InputError("there is no run; give one, or a Reading in place of the qrels")
    source = opened(run)
    return source, rules_of(rules, source)


def rules_of(rules: RulesLike | None, *given: Any) -> Rules:
    """The rules that are asked for; if none are, those under which the given runs were read already.

    Raises:
        RulesError: they were read under different rules, or there are no such rules.
    """
    own = common((thing.name, made) for thing in given if (made := made_under(thing))) if rules is None else None
    return own or checked(Rules.of(rules))


def made_under(thing: Any) -> Rules | None:
    """The rules of a reading, as an object or in a file; None of anything else."""
    if isinstance(thing, Run) and thing.saved:
        own: Rules = facts_of(thing.saved().schema, thing.name)["rules"]
        return own
    return thing.rules if isinstance(thing, Reading) else None


def in_mean(hits: Hits, rules: Rules, name: str) -> Hits:
    """The hits of the queries that the rules let into the mean."""
    missing = hits.returned < 0
    n_missing = np.count_nonzero(missing)
    if n_missing and rules.missing == "error":
        first = printable(hits.queries[int(np.argmax(missing))])
        raise InputError(
            "query {query} is judged but not answered; missing = 'zero' in the rules scores it 0, 'skip' leaves it "
            "out (for a command: --set missing=zero)",
            name,
            query=first,
        )
    keep = np.ones(len(hits.queries), bool)
    if rules.missing == "skip":
        keep &= ~missing
    if rules.without_relevant in ("skip", "error"):
        answerable = hits.judged_under(rules).relevant_total(rules.level) > 0
        if rules.without_relevant == "error" and not answerable.all():
            first = printable(hits.queries[int(np.argmin(answerable))])
            raise InputError(
                "query {query} has no relevant document; without_relevant = 'zero' in the rules scores it 0, "
                "'skip' leaves it out (for a command: --set without_relevant=zero)",
                name,
                query=first,
            )
        keep &= answerable
    if n_missing:
        hits = hits.changed({"returned": np.maximum(hits.returned, 0)})
    return hits.select(keep)


def _values(measures: list[Measure], hits: Hits, rules: Rules) -> dict[str, PerQuery]:
    values = {str(measure): np.empty(len(hits.queries)) for measure in measures}
    done = 0
    for part in hits.parts():
        rows = slice(done, done := done + len(part.queries))
        for measure in measures:
            values[str(measure)][rows] = valued(measure, part, rules)
    return values


def valued(measure: Measure, hits: Hits, rules: Rules) -> PerQuery:
    """(queries,) the values of a measure under the rules, which also decide about queries with nothing to find.

    NaN where the rules say that the measure has no value.
    """
    values = measure.values(seen_by(measure, hits, rules), level=rules.level, rounding=rules.recall_points)
    if rules.without_relevant == "undefined":
        return np.where(measure.is_defined(hits, rules.level), values, np.nan)
    if not is_ruled(measure, rules):
        return values
    is_right = np.ones(len(values), bool) if rules.without_relevant == "one" else hits.returned == 0
    return np.where(measure.finds(hits, rules.level), values, is_right != measure.definition.lower_is_better)


def is_ruled(measure: Measure, rules: Rules) -> bool:
    """Whether the rules set a measure's value where there is nothing to find: one of relevance, in [0, 1]."""
    says = rules.without_relevant in ("empty-is-right", "one")
    own = measure.definition.is_of_judgements or measure.definition.is_of_items
    return says and measure.definition.unit and not own


def seen_by(measure: Measure, hits: Hits, rules: Rules) -> Hits:
    """The hits as a measure sees them; where the rules grade unjudged documents, these have rows too.

    Raises:
        MeasureError: the measure is not defined for unjudged documents with a grade, for groups of ties that the
            depth cuts, or for several lists per query.
    """
    definition = measure.definition
    if definition.needs != "calls":
        hits = as_one_list(hits, rules, measure)
    if cuts_first(rules) and dict(measure.params).get("ties", "ordered") != "ordered":
        raise MeasureError(
            "{measure} cannot be had where the depth ({depth}) cuts lists before unjudged documents are "
            "removed: which of a group of equal scores are cut depends on its order. Say depth_of = "
            "'left' in the rules (--set depth_of=left), or leave the depth out and name a cutoff: nDCG@10",
            measure=measure,
            depth=rules.depth,
        )
    if rules.unjudged != "graded" or definition.is_of_items:
        return hits
    if definition.sees_judged and not definition.divides_by and not definition.needs:
        return hits
    if not definition.takes_unjudged_grades:
        raise MeasureError(
            "{measure} cannot be had under unjudged = 'graded': {why}",
            measure=measure,
            why=_why_not(definition),
        )
    from truerank.core.unjudged import with_unjudged  # which few rules need

    return with_unjudged(hits, rules.unjudged_grade, dict(measure.params).get("k"))


def as_one_list(hits: Hits, rules: Rules, what: object) -> Hits:
    """The hits as one list per query, without their calls.

    Args:
        what: what needs one list.

    Raises:
        MeasureError: the rules do not say how several lists become one.
    """
    if hits.calls is None:
        return hits
    if rules.calls == "error":
        raise MeasureError(
            "{what} is about one list per query, and the run has several, one per call: say calls = "
            "'concatenated' in the rules (one after another, each document where it came first) or 'last' (for "
            "a command: --set calls=concatenated), or ask for measures of calls: CallRecall@2, "
            "FirstComplete@5, SessionDCG@10",
            what=what,
        )
    return replace(hits, calls=None)


def cuts_first(rules: Rules) -> bool:
    """Whether lists are cut at the depth before unjudged documents are removed."""
    return rules.unjudged == "removed" and rules.depth_of == "returned" and rules.depth is not None


def _why_not(definition: Definition) -> Message:
    if definition.sees_judged:
        return message(
            "it tells documents judged wrong from unjudged ones, and under these rules none are unjudged"
        )
    if definition.divides_by:
        return message(
            "it is about all that could be found, and nobody knows how many unjudged documents there are; those of "
            "the first results can be had: nDCG@10, P@10, RR@10, ERR@10"
        )
    return message(
        "it does not say that it looks at the list alone (takes_unjudged_grades=True where it is registered)"
    )


def _depends_on_ties(hits: Hits, measures: list[Measure], rules: Rules) -> Bools:
    """(queries,) whether some measure changes when equal scores are put in their best or worst order."""
    if not np.count_nonzero(hits.tied):
        return np.zeros(len(hits.queries), bool)
    tied = np.bincount(hits.query[hits.tied], minlength=len(hits.queries)) > 0
    part = hits.select(tied)
    moved = _moved(measures, part.reordered(True), part.reordered(False), rules)
    if asking := [m for m in measures if m.definition.sees_judged]:
        moved |= _moved(asking, part.judged_together(True), part.judged_together(False), rules)
    tied[tied] = moved
    return tied


def _moved(measures: list[Measure], one: Hits, other: Hits, rules: Rules) -> Bools:
    """(queries,) whether some measure differs between two orders."""
    moved = np.zeros(len(one.queries), bool)
    if measures:
        first, second = one.under(rules), other.under(rules)
        for m in measures:
            if moved.all():
                break
            moved |= ~are_equal(valued(m, first, rules), valued(m, second, rules))
    return moved
