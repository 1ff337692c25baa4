"""Notes on several judges: how numbers were computed, and what makes them say less than they seem to."""

from __future__ import annotations

import math
from collections.abc import Iterator

from truerank.analysis.judges.result import Judges, Order, Standing, TwoJudges
from truerank.core.errors import printable
from truerank.core.messages import Message, listed, message, plural, warned
from truerank.present import few
from truerank.stats import Interval

COEFFICIENTS = {
    "equal": message("same grade"),
    "kappa": message("Cohen's kappa"),
    "kappa_linear": message("Cohen's kappa, linear"),
    "kappa_quadratic": message("Cohen's kappa, quadratic"),
    "alpha": message("Krippendorff's alpha, nominal"),
    "alpha_ordinal": message("Krippendorff's alpha, ordinal"),
    "alpha_interval": message("Krippendorff's alpha, interval"),
    "ac1": message("Gwet's AC1"),
    "ac2_linear": message("Gwet's AC2, linear"),
    "ac2_quadratic": message("Gwet's AC2, quadratic"),
}

RARE = 30
"""With fewer documents of the highest grade, coefficients that square distances depend on too few of them."""

CLOSE = 0.5
"""Where a smaller share of the documents of a pair was judged by both, it is remarked on."""


def told_of(measure: str, order: Order) -> list[str]:
    """What happens to significant differences from one judge to the other."""
    before = sum(flip.significant[0] for flip in order.flips)
    both = sum(all(flip.significant) for flip in order.flips)
    return [
        message(
            "{measure}: {flips} of {pairs} from {first} to {second}; {before} of these were significant by "
            "{first}, {both} by both. Of {significant} significant by {first}, {kept} stay significant in the same "
            "direction.",
            measure=measure,
            flips=plural("{n:,} flip", "{n:,} flips", n=len(order.flips)),
            pairs=plural("{n:,} pair of runs", "{n:,} pairs of runs", n=order.pairs),
            first=printable(order.first),
            second=printable(order.second),
            before=before,
            both=both,
            significant=order.significant,
            kept=order.kept,
        )
    ]


def notes_of(judges: Judges) -> list[str]:
    """How it was computed."""
    quiet = [(s.name, o) for s in judges.standings for o in s.orders if not o.flips]
    said = [sentence for name, order in quiet for sentence in told_of(name, order)]
    if judges.is_by_aspect:
        said.append(message("Aspects were judged: each aspect of a document counts as a document of its own."))
    said.append(
        message(
            "Intervals of agreement: queries drawn anew with all their documents, as judgements of one query are "
            "alike; {samples:,} resamples, seed {seed}.",
            samples=judges.samples,
            seed=judges.seed,
        )
    )
    orders = [order for standing in judges.standings for order in standing.orders]
    if any(order.tau for order in orders):
        said.append(
            message(
                "Intervals of tau are for all queries of this kind: empirical Bayes takes out the noise of these, "
                "which moves both orders alike, so that a value may stand at an end of its interval, or outside."
            )
        )
    elif orders:
        said.append(message("Kendall's tau and tau-AP are of three runs or more."))
    if judges.rules:
        said.append(message("Rules: {rules}.", rules=printable(judges.rules.name)))
    return said


def remarks_of(judges: Judges) -> list[str]:
    """What makes numbers say less than they seem to."""
    said = [*few.remarks(judges.queries)] if judges.queries else []
    said += few.resampled(judges.samples, judges.confidence)
    said += few.of_systems((one.name, list(_means(one))) for one in judges.standings)
    said += [sentence for pair in judges.pairs for sentence in _of_pair(pair)]
    said += [sentence for pair in judges.pairs for sentence in _rare(pair)]
    said += _scales(judges)
    said += _dropped(judges)
    if judges.standings and not judges.is_common and any(_is_partial(pair) for pair in judges.pairs):
        said.append(
            message(
                "Means by one judge count as not relevant what only others have judged: --common scores runs with "
                "the documents that all have judged."
            )
        )
    return said


def _means(standing: Standing) -> Iterator[tuple[Message, Interval]]:
    """The mean of each system by each judge."""
    for judge, outcome in standing.outcomes.items():
        for system, mean in outcome.means.items():
            yield message("{system} by {judge}", system=printable(system), judge=printable(judge)), mean


def _dropped(judges: Judges) -> Iterator[str]:
    if judges.dropped and judges.is_common:
        yield plural(
            "{n:,} query has no document that all judges have judged, or no score of some run; it is in no mean.",
            "{n:,} queries have no document that all judges have judged, or no score of some run; they are in "
            "no mean.",
            n=judges.dropped,
        )
    elif judges.dropped:
        yield plural(
            "{n:,} query is not judged by all judges, or has no score of some run; it is in no mean.",
            "{n:,} queries are not judged by all judges, or have no score of some run; they are in no mean.",
            n=judges.dropped,
        )


def _is_partial(pair: TwoJudges) -> bool:
    return pair.both < CLOSE * (pair.both + pair.only_first + pair.only_second)


def _of_pair(pair: TwoJudges) -> Iterator[str]:
    who = {"first": printable(pair.first), "second": printable(pair.second)}
    if not pair.both:
        yield warned(message("{first} and {second} have judged no document in common: nothing to agree on.", **who))
        return
    if pair.only_first or pair.only_second:
        yield message(
            "Documents judged by {first} alone: {a:,}; by {second} alone: {b:,}; by both: {both:,}.",
            a=pair.only_first,
            b=pair.only_second,
            both=pair.both,
            **who,
        )
    counts = ([sum(row) for row in pair.confusion], [sum(column) for column in zip(*pair.confusion, strict=True)])
    flat = [name for name, own in zip(who.values(), counts, strict=True) if sum(n > 0 for n in own) == 1]
    if len(flat) == 2 and math.isnan(pair.coefficients["kappa"].estimate):
        yield warned(
            message(
                "{first} and {second} give one and the same grade to all: no agreement beyond chance can be told.",
                **who,
            )
        )
    elif flat:
        yield warned(
            plural(
                "{judge} gives one grade to all documents: kappa is 0 whatever the other says.",
                "{judge} give one grade each to all documents: kappa is 0.",
                n=len(flat),
                judge=listed(flat),
            )
        )
    elif pair.both > 1 and (pair.equal >= 1).all():
        said = message("{first} and {second} agree on the grade of every document: are these two judges?", **who)
        yield warned(said)
    unknown = [
        COEFFICIENTS[name]
        for name, each in pair.coefficients.items()
        if each.method == "none" and not math.isnan(each.estimate)
    ]
    if unknown and len(pair.queries) > few.ENOUGH:
        yield message("No interval of {names}: too many resamples have one grade alone.", names=", ".join(unknown))


def _rare(pair: TwoJudges) -> Iterator[str]:
    """The highest grade of three or more, where few documents have it by either judge."""
    used = [
        place for place, row in enumerate(pair.confusion) if sum(row) + sum(own[place] for own in pair.confusion)
    ]
    if len(used) < 3:
        return
    top = used[-1]
    many = sum(pair.confusion[top]) + sum(row[top] for row in pair.confusion) - pair.confusion[top][top]
    if many < RARE:
        yield plural(
            "{first} and {second}: {n} document has the highest grade; intervals of quadratic and interval "
            "coefficients may be too short.",
            "{first} and {second}: {n} documents have the highest grade; intervals of quadratic and interval "
            "coefficients may be too short.",
            n=many,
            first=printable(pair.first),
            second=printable(pair.second),
        )


def _scales(judges: Judges) -> list[str]:
    """Judges who do not use the same grades."""
    used = {name: grades for name, grades in judges.grades.items() if grades}
    tops = {max(grades) for grades in used.values()}
    if len(tops) < 2:
        return []
    each = [f"{printable(name)} {', '.join(f'{g:g}' for g in grades)}" for name, grades in used.items()]
    said = message(
        "The judges do not use the same grades ({grades}): the same number need not mean the same. Compare "
        "relevance alone, by the level from which on each one's grades are relevant: --binary {example}.",
        grades="; ".join(each),
        example=",".join(f"{min(max(grades), 2) or 1:g}" for grades in used.values()),
    )
    return [warned(said) if max(tops) >= 2 * min(tops) else said]
