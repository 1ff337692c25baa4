"""The ledger as plain sentences: what was counted, and what the mean hides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from truerank.core.errors import printable, truncated
from truerank.core.ledger import RULED, Ledger
from truerank.core.messages import Message, joined, listed, message, plural, warned
from truerank.core.rules import Rules
from truerank.measures import known_measure
from truerank.measures.sums import PerQuery
from truerank.present import audit


class HasLedger(Protocol):
    """A result with a ledger (scores, a curve, counts), and the rules that decide about what it counts."""

    @property
    def rules(self) -> Rules:
        """Under whose rules."""

    @property
    def ledger(self) -> Ledger:
        """What the means hide."""


def notes(scores: Sequence[HasLedger], names: Sequence[str]) -> list[str]:
    """The rules, and the ledger of each run, one sentence per line; runs with the same ledger share it."""
    by_text = {joined("\n", sentences): who for sentences, who in shared(scores, names).items()}
    rules = message("Rules: {rules}.", rules=printable(scores[0].rules.name))
    if len(by_text) == 1:
        return [joined(" ", [rules, text]) for text in by_text]
    return [rules, *(joined(": ", [", ".join(who), text]) for text, who in by_text.items())]


def shared(scores: Sequence[HasLedger], names: Sequence[str]) -> dict[tuple[str, ...], list[str]]:
    """The sentences of each ledger, with the names of the runs that have it."""
    by_text: dict[tuple[str, ...], list[str]] = {}
    for one, name in zip(scores, names, strict=True):
        by_text.setdefault((counted(one), *remarks(one)), []).append(name)
    return by_text


def paragraphs(scores: Sequence[HasLedger], names: Sequence[str]) -> list[str]:
    """A paragraph for all runs with the same ledger."""
    return [
        joined(": ", [", ".join(who), joined(" ", sentences)]) for sentences, who in shared(scores, names).items()
    ]


def named_remarks(scores: Sequence[HasLedger], names: Sequence[str]) -> list[str]:
    """The remarks, each with the name of its run, for formats that have no place for them."""
    return [
        joined(": ", [name, remark]) for one, name in zip(scores, names, strict=True) for remark in remarks(one)
    ]


def queries(n: int) -> Message:
    """This many queries."""
    return plural("{n:,} query", "{n:,} queries", n=n)


def counted(scores: HasLedger) -> str:
    """How many queries there were and how many were answered."""
    ledger = scores.ledger
    text = message(
        "{queries} judged, {answered:,} answered.", queries=queries(ledger.judged), answered=ledger.answered
    )
    if scores.rules.unit == "line":
        lines = plural(
            "The mean is over {n:,} submitted line.", "The mean is over {n:,} submitted lines.", n=ledger.evaluated
        )
        return joined(" ", [text, lines]) if audit.is_audited(scores) else lines  # the ledger counts them
    if ledger.evaluated != ledger.judged:
        return joined(" ", [text, message("The mean is over {queries}.", queries=queries(ledger.evaluated))])
    return text


def remarks(scores: HasLedger) -> list[str]:
    """A sentence for each thing that a reader of the mean should know; none when all is as it should be."""
    ledger, rules = scores.ledger, scores.rules
    sentences = [*_doubts(ledger), *_counts(ledger, rules, audit.TOLD if audit.is_audited(scores) else ())]
    sentences += _against_rules(scores)
    sentences += [
        plural(
            "{measure} has no value for {n:,} query, which its mean leaves out.",
            "{measure} has no value for {n:,} queries, which its mean leaves out.",
            n=n,
            measure=measure,
        )
        for measure, n in ledger.undefined.items()
    ]
    if ledger.own_camera:
        sentences.append(_own_camera(ledger.own_camera))
    if ledger.foreign:
        sentences.append(
            message(
                "Not among the measures of the rules {rules}, so read as truerank reads them: {measures}.",
                measures=listed(ledger.foreign),
                rules=printable(rules.name),
            )
        )
    if ledger.iterations:
        sentences.append(
            message(
                "The second column of the qrels has {n:,} different values, which are not used; if they name "
                "aspects, such as subtopics, say so: iteration = 'aspect' (--set iteration=aspect).",
                n=ledger.iterations,
            )
        )
    if ledger.calls:
        how = (
            message("one after another")
            if rules.calls == "concatenated"
            else message("for measures of calls alone")
        )
        sentences.append(message("{n:,} lists, one per call ({how}).", n=ledger.calls, how=how))
    if ledger.again:
        sentences.append(
            plural(
                "{n:,} document was returned again by a later call (the first counts).",
                "{n:,} documents were returned again by a later call (the first counts).",
                n=ledger.again,
            )
        )
    if ledger.interleaved:
        sentences.append(message("The rows of some queries are scattered over the run; they were put together."))
    return sentences + audit.sentences(scores) if audit.is_audited(scores) else sentences


def _doubts(ledger: Ledger) -> Iterator[str]:
    """Signs that something else may have been meant."""
    if ledger.rising:
        yield RISING
    if ledger.selves:
        yield _selves(ledger.selves)
    if ledger.swapped:
        yield SWAPPED
    if ledger.unlisted:
        yield _unlisted(ledger)
    if ledger.judged > 1 and ledger.without_relevant == ledger.judged:
        yield NOTHING
    if ledger.returned and ledger.unjudged == ledger.returned:
        yield STRANGE
    if ledger.extra > ledger.unasked and not ledger.answered:
        yield ELSEWHERE


SWAPPED = message(
    "The qrels look like a run and the run like qrels (grades are fractions, scores small whole numbers): "
    "are the two swapped?"
)

ELSEWHERE = warned(
    message("no query of the run is judged; `truerank lint` shows whether the ids are spelled differently.")
)

STRANGE = warned(
    message(
        "none of the returned documents is judged; `truerank lint` shows whether the ids are spelled differently."
    )
)

NOTHING = warned(
    message("no query has a relevant document: are the labels, the grades or the level those that were meant?")
)

RISING = message(
    "The scores rise along every list (or the ranks fall), so that the last document counts as best: if the scores "
    "are ranks, or distances as FAISS returns them, give them negated, of arrays (ids, -distances); if the ranks "
    "are scores, name their column score."
)


def _selves(n: int) -> Message:
    """How many queries find themselves."""
    return warned(
        message(
            "{n:,} queries stand in the gallery too, and find themselves. Where the queries are the gallery, give "
            "no gallery (with a matrix, no labels, cameras or ids of it); else give ids and self_match = 'remove' "
            "(--set self_match=remove).",
            n=n,
        )
    )


def _own_camera(n: int) -> Message:
    """How many queries have nothing to find because only their own camera saw it."""
    return plural(
        "{n:,} query has right entries that its own camera saw, and no others, so that none is left to find; "
        "same_camera = 'keep' (--set same_camera=keep) counts them.",
        "{n:,} queries have right entries that their own camera saw, and no others, so that none is left to find; "
        "same_camera = 'keep' (--set same_camera=keep) counts them.",
        n=n,
    )


def _unlisted(ledger: Ledger) -> Message:
    """How many documents the table of items lacks."""
    if ledger.unlisted == ledger.listed:
        return warned(
            message("none of the listed documents is in the table of items; are their ids spelled differently?")
        )
    return message(
        "{n:,} of {all:,} listed documents are not in the table of items, so that nothing is known of them.",
        n=ledger.unlisted,
        all=ledger.listed,
    )


def _counts(ledger: Ledger, rules: Rules, counted_before: Sequence[str]) -> list[str]:
    """What the rules decide about, as far as there is any."""

    def how(rule: str) -> Message:
        return RULED[rule][getattr(rules, rule)]

    def ids(key: str) -> Message:
        return _ids(ledger, key)

    said = {
        "missing": message(
            "{n:,} missing ({how}): {ids}.", n=ledger.missing, how=how("missing"), ids=ids("missing")
        ),
        "extra": _extra(ledger, how("extra"), ids("extra")),
        "without_relevant": message(
            "{n:,} without a relevant document ({how}): {ids}.",
            n=ledger.without_relevant,
            how=how("without_relevant"),
            ids=ids("without_relevant"),
        ),
        "tied": message(
            "{n:,} decided by the order of equal scores (here {how}): {ids}.",
            n=ledger.tied,
            how=how("ties"),
            ids=ids("tied"),
        ),
        "duplicates": plural(
            "{n:,} row repeats a document of its query ({how}).",
            "{n:,} rows repeat a document of its query ({how}).",
            n=ledger.duplicates,
            how=how("duplicates"),
        ),
    }
    return [text for key, text in said.items() if getattr(ledger, key) and key not in counted_before]


def _against_rules(scores: HasLedger) -> list[Message]:
    """Measures by which queries that "scored 0" have another score, and those by which 0 is the best score."""
    if not (columns := _columns(scores)):
        return []
    nothing = _places(scores, _examples(scores, "without_relevant"))
    scored = [
        name
        for name, column in columns.items()
        if any(column[nothing] > 0) and (known := known_measure(name)) and known.definition.average != "sum"
    ]
    has_score = message(
        "{measures}: a query without a relevant document has a score all the same.", measures=listed(scored)
    )
    return [*([has_score] if scored else []), *of_missing(scores, _examples(scores, "missing"))]


def of_missing(scores: HasLedger, ids: Iterable[str]) -> list[Message]:
    """Measures where less is better, by which these queries without an answer do not score worst."""
    places, columns = _places(scores, ids), _columns(scores)
    less = [name for name in columns if (known := known_measure(name)) and known.definition.lower_is_better]
    empty = [name for name in less if any(columns[name][places] > 0)]
    best = [name for name in less if places and name not in empty]
    as_empty = message(
        "{measures}: a missing query does not score 0, but as an empty list does.", measures=listed(empty)
    )
    as_best = message(
        "{measures}: less is better, so that the 0 of a missing query counts as the best score.",
        measures=listed(best),
    )
    return [text for text, names in ((as_empty, empty), (warned(as_best), best)) if names]


def _columns(scores: HasLedger) -> Mapping[str, PerQuery]:
    """The values by measure, where they are known query by query."""
    columns: Mapping[str, PerQuery] = getattr(scores, "columns", {})
    return columns


def _examples(scores: HasLedger, rule: str) -> tuple[str, ...]:
    """The first queries that score 0 by this rule."""
    return scores.ledger.examples.get(rule, ()) if getattr(scores.rules, rule) == "zero" else ()


def _places(scores: HasLedger, ids: Iterable[str]) -> list[int]:
    """The places of these queries, as far as they are in the mean."""
    queries: Sequence[str] = getattr(scores, "queries", ())
    wanted = frozenset(ids)
    return [place for place, query in enumerate(queries) if query in wanted] if wanted else []


def _extra(ledger: Ledger, how: Message, ids: Message) -> Message:
    """Queries of the run that are in no mean; they may be judged, if an experiment did not ask all judged ones."""
    if ledger.unasked:
        return message(
            "{n:,} answered but not judged, or judged but not asked ({how}): {ids}.",
            n=ledger.extra,
            how=how,
            ids=ids,
        )
    return message("{n:,} answered but not judged ({how}): {ids}.", n=ledger.extra, how=how, ids=ids)


def _ids(ledger: Ledger, key: str) -> Message:
    """The first few ids, and how many more there are."""
    examples = ledger.examples.get(key, ())
    more = getattr(ledger, key) - len(examples)
    first = ", ".join(map(truncated, examples))
    return joined(" ", [first, *([message("and {n:,} more", n=more)] if more else [])])
