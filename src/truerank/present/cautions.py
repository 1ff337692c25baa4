"""What a reader of a comparison should know: how it was made, and how far it can be trusted."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from truerank.analysis.compare import Comparison, Outcome, Pair
from truerank.analysis.compare.outcome import correction_of_run, direction, resamples_of_run
from truerank.analysis.compare.result import OVER_RUNS
from truerank.analysis.compare.systems import are_drawn
from truerank.core.equal import are_equal
from truerank.core.errors import printable
from truerank.core.messages import Message, joined, listed, message, plural, warned
from truerank.measures.sums import FLOOR
from truerank.present import few, ledger, predicted, runs, sample_size
from truerank.present.many import is_many, shows_pairs
from truerank.present.sample_size import drawn_of_run, pairs_of_each, sampled
from truerank.stats.intervals import FEWEST, Interval
from truerank.stats.paired import EXACT_UP_TO
from truerank.stats.predicted import POWERED

TESTS = {
    "randomization": message("paired randomization test"),
    "t": message("paired t-test"),
    "wilcoxon": message("Wilcoxon's signed-rank test"),
    "sign": message("sign test"),
    "tukey": message("Tukey's HSD on queries and systems"),
    OVER_RUNS: message("t-test that counts queries and runs (Satterthwaite)"),
    POWERED: message("prediction-powered t-test of paired differences"),
}
CORRECTIONS = {
    "holm": message("corrected by Holm"),
    "bonferroni": message("corrected by Bonferroni"),
    "bh": message("corrected by Benjamini and Hochberg"),
    "none": message("not corrected"),
    "max-t": message("corrected by max-T"),
    "tukey": message("of all pairs of systems together"),
}

LETTERS = message("A letter behind a mean: significantly better than the system of that letter.")
ROWS = message("Numbers behind a mean: significantly better than the systems in the rows of these numbers.")


def notes(
    comparison: Comparison, *, is_wide: bool = False, intervals: bool = False, differences: bool = False
) -> list[str]:
    """All sentences under the tables; the wide table has fewer columns to explain.

    Args:
        intervals, differences: whether these stand beside or below the wide table.
    """
    names = list(map(printable, comparison.scores))
    how = wide_made(comparison, intervals=intervals, differences=differences) if is_wide else made(comparison)
    return [*ledger.notes(list(comparison.on_all.values()), names), *how, *remarks(comparison)]


def remarks(comparison: Comparison) -> list[str]:
    """What is remarkable, the number of queries first."""
    sentences = [
        *predicted.remarks_of_systems(comparison.predictions),
        *sample_size.remarks(comparison),
        *_left_out(comparison),
        *_kinds(comparison),
        *_doubted(comparison),
        *_flat(comparison),
        *_against_means(comparison),
        *_alike(comparison),
        *_silent(comparison),
        *runs.remarks(comparison),
    ]
    return [*sentences, *_sliced(comparison)]


def made(comparison: Comparison) -> list[str]:
    """The test, the correction, the intervals, and how to read the columns."""
    if len(comparison.systems) < 2:
        alone = message("One system: there is nothing to compare it with.")
        how = predicted.made_of_systems(comparison.predictions)
        return [
            *how,
            joined(" ", [alone, _intervals(comparison)]),
            *_of_runs(comparison),
            *runs.reading(comparison),
        ]
    return [
        *predicted.made_of_systems(comparison.predictions),
        _test(comparison),
        _intervals(comparison),
        *_of_runs(comparison),
        _reading(comparison),
        *runs.reading(comparison),
    ]


def wide_made(comparison: Comparison, *, intervals: bool, differences: bool) -> list[str]:
    """`made` for the table with one column per measure: what its letters and its bold numbers mean."""
    sentences: list[str] = [_intervals(comparison)] if intervals or differences else []
    sentences += [*_of_runs(comparison), *([_counts(comparison)] if differences else [])]
    if len(comparison.systems) < 2:
        return sentences
    how = predicted.made_of_systems(comparison.predictions)[:1]
    return [*how, joined(" ", [marks(comparison), _test(comparison)]), *sentences, *runs.reading(comparison)]


def marks(comparison: Comparison) -> Message:
    """What stands behind the means of the wide table."""
    return ROWS if is_many(comparison) else LETTERS


def _of_runs(comparison: Comparison) -> list[Message]:
    """How measures of the whole run were compared, if there are any."""
    how, pairs = comparison.procedure, pairs_of_each(comparison)
    whole = [outcome for outcome in comparison.outcomes if outcome.measure.definition.is_of_run]
    drawn = drawn_of_run(comparison)
    others = [o.name for o in whole if o.name not in drawn]
    said = message(
        "{measures}: one number of the whole run, without values of queries to test or count; p and intervals "
        "are of {n:,} resamples of the queries (percentile bootstrap), each worked out from all of their rows.",
        measures=listed(drawn),
        n=resamples_of_run(how, pairs, len(comparison.queries)),
    )
    if pairs > 1 and correction_of_run(how) != how.correction:
        said = joined(" ", [said, message("Their p are corrected by Holm.")])
    alone = message(
        "{measures}: one number of all that a run lists, without interval or test: a query that is drawn twice "
        "lists nothing new, so that no resample shows how sure it is.",
        measures=listed(others),
    )
    return [*([said] if drawn else []), *([alone] if others else [])]


def _test(comparison: Comparison) -> Message:
    """The sentence that says how p is computed."""
    how, pairs = comparison.procedure, pairs_of_each(comparison)
    parts = [TESTS[how.test]]
    if how.test == "randomization":
        parts.append(_samples(comparison))
    if pairs > 1 or how.test == "tukey":
        parts.append(CORRECTIONS[how.correction])
        if pairs > 1 and how.correction not in ("none", "tukey"):
            way = parts.pop()
            parts.append(message("{correction} over {pairs} pairs of each measure", correction=way, pairs=pairs))
    return message("p: {test}; significant up to {alpha:g}.", test=joined(", ", parts), alpha=how.alpha)


def _samples(comparison: Comparison) -> Message:
    how, tested = comparison.procedure, [o for o in comparison.outcomes if not o.measure.definition.is_of_run]
    drawn = sum(sampled(how, outcome) for outcome in tested)
    if not drawn:
        return message("every pattern of signs counted")
    if how.correction != "max-t" and drawn < sum(len(outcome.pairs) for outcome in tested):
        return message(
            "{n:,} samples (every pattern of signs counted where systems differ on {most} queries or fewer)",
            n=how.samples,
            most=EXACT_UP_TO,
        )
    return message("{n:,} samples", n=how.samples)


def _intervals(comparison: Comparison) -> Message:
    how = comparison.procedure
    if comparison.predictions:
        return message("Intervals: prediction-powered; not corrected for the number of pairs.")
    drawn = [outcome for outcome in comparison.outcomes if are_drawn(comparison.scores, outcome.measure)]
    methods = {mean.method for outcome in drawn for mean in outcome.means.values()}
    few = [one.queries for one in drawn if any(mean.method == "none" for mean in one.means.values())]
    known = methods - {"none"}
    parts = _unknown(comparison, known, max(few)) if few and known <= {"binomial"} else _drawn(comparison, known)
    parts = parts if methods else [message("unknown")]
    return message("Intervals: {how}. Seed {seed}.", how=joined("; ", parts), seed=how.seed)


def _unknown(comparison: Comparison, methods: set[str], queries: int) -> list[Message]:
    """Where there are too few queries, so that values are unknown."""
    parts = [plural("unknown, {n:,} query being too few", "unknown, {n:,} queries being too few", n=queries)]
    if "binomial" in methods:
        parts.append(SOME["binomial"])
    if comparison.procedure.test == "tukey" and queries > 1:
        parts.append(message("those of differences are Tukey's"))
    return parts


def _drawn(comparison: Comparison, methods: set[str]) -> list[Message]:
    how = comparison.procedure
    is_tukey, is_exact = how.test == "tukey", methods == {"binomial"}
    ways: list[Message] = [message("exact binomial") if is_exact else message("BCa bootstrap")]
    ways += [said for name, said in SOME.items() if name in methods and not is_exact]
    parts: list[Message] = [joined(", ", ways)]
    differ = len(comparison.systems) > 1 and not is_tukey
    if differ:
        parts.append(message("of differences, percentile bootstrap"))
    if differ or not is_exact:
        parts.append(message("{n:,} resamples", n=how.samples))
    if how.test == OVER_RUNS:
        parts.append(message("widened by the variance between runs"))
    if is_tukey:
        parts.append(message("those of differences are Tukey's, for all pairs together"))
    elif pairs_of_each(comparison) > 1:
        parts.append(message("not corrected for the number of pairs"))
    return parts


SOME = {
    "binomial": message("exact binomial where all values are 0 or 1"),
    "gamma": message("gamma where fewer than {n} values differ from all the others", n=FEWEST),
}


def _counts(comparison: Comparison) -> Message:
    """How to read W/T/L."""
    if not _named(comparison, "sum"):
        return message("W/T/L: queries that the system wins, ties and loses.")
    return message("W/T/L: queries that the first system wins, ties and loses (for counts: more, as many, fewer).")


def _reading(comparison: Comparison) -> Message:
    sentences = [_counts(comparison)] if comparison.reference or shows_pairs(comparison) else []
    if is_many(comparison):
        sentences.append(
            message("Beats ranks: those it is significantly better than; like ranks: not told apart from it.")
        )
        return joined(" ", sentences)
    sentences.append(message("Beats: those it is significantly better than, by letter."))
    if len(comparison.systems) > 2 and comparison.procedure.all_pairs:
        sentences.append(message("Systems that share a group do not differ significantly."))
    return joined(" ", sentences)


def _left_out(comparison: Comparison) -> list[str]:
    sentences: list[str] = []
    if comparison.dropped:
        sentences.append(
            warned(
                plural(
                    "{n:,} query is not in the scores of every system, and left out: "
                    "the means are over the {all:,} that all have.",
                    "{n:,} queries are not in the scores of every system, and left out: "
                    "the means are over the {all:,} that all have.",
                    n=comparison.dropped,
                    all=len(comparison.queries),
                )
            )
        )
    sentences += [
        warned(
            plural(
                "{measure} is no finite number on {n:,} query for some system; left out for all.",
                "{measure} is no finite number on {n:,} queries for some system; left out for all.",
                measure=outcome.name,
                n=outcome.left_out,
            )
        )
        for outcome in comparison.outcomes
        if outcome.left_out
    ]
    return sentences


def _kinds(comparison: Comparison) -> list[str]:
    """Measures whose number is not a mean, or of which less is better."""
    sums, geometric = (", ".join(_named(comparison, average)) for average in ("sum", "geometric"))
    less = ", ".join(o.name for o in comparison.outcomes if direction(o.measure) < 0)
    sentences: list[str] = []
    if sums:
        sentences.append(
            message("{names}: sums over the queries; more is not better, so nothing beats another.", names=sums)
        )
    if geometric:
        sentences.append(
            message(
                "{names}: geometric means, of values raised to {floor:g} at least; "
                "differences and effects are those of the means of natural logarithms.",
                names=geometric,
                floor=FLOOR,
            )
        )
    return [*sentences, message("{names}: less is better.", names=less)] if less else sentences


def _named(comparison: Comparison, average: str) -> list[str]:
    return [o.name for o in comparison.outcomes if o.measure.definition.average == average]


def _doubted(comparison: Comparison) -> list[str]:
    """Measures with an interval that tells less than it seems to, and the slices that it is of, if any."""
    whole = [(outcome.name, _shown(outcome)) for outcome in comparison.outcomes]
    flat, scarce = (list(_of_slices(comparison, is_such)) for is_such in (few.is_flat, few.is_scarce))
    return [*few.of_systems(whole), *few.equal(flat), *few.scarce(scarce)]


def _of_slices(comparison: Comparison, is_such: Callable[[Interval], bool]) -> Iterator[tuple[Message, Interval]]:
    """The intervals of slices for which `is_such` holds, each with what it is of and all slices that have one."""
    for at in range(len(comparison.outcomes)):
        found: dict[str, dict[str, list[Interval]]] = {}
        for value, part in comparison.slices.items():
            name, intervals = few.such(part.outcomes[at].name, _shown(part.outcomes[at]), is_such)
            if intervals:
                found.setdefault(name, {})[value] = intervals
        for name, of_slices in found.items():
            called = _in_slices(comparison, name, list(of_slices))
            yield from ((called, interval) for each in of_slices.values() for interval in each)


def _in_slices(comparison: Comparison, measure: str, values: Sequence[str]) -> Message:
    """The name of a measure on these slices."""
    slices = listed(list(map(printable, values)), few.FIRST)
    return message("{measure}, {by} = {slices}", measure=measure, by=printable(comparison.by), slices=slices)


def _shown(outcome: Outcome) -> list[tuple[str, Interval]]:
    """The intervals of a measure with what they are of, without differences of systems that do not differ."""
    pairs = [pair for pair in outcome.pairs if pair.difference.estimate]
    return [*outcome.means.items(), *((f"{pair.system} − {pair.against}", pair.difference) for pair in pairs)]


def _flat(comparison: Comparison) -> list[str]:
    """Pairs that differ by the same amount on every query, so that a test has no spread to judge by."""
    if comparison.procedure.test not in ("t", "tukey", POWERED):
        return []
    flat = [outcome for outcome in comparison.outcomes if any(map(_has_no_spread, outcome.pairs))]
    if comparison.procedure.test == "tukey":  # it has one spread for all pairs
        flat = [o for o in flat if all(_has_no_spread(pair) or not pair.wins + pair.losses for pair in o.pairs)]
    if not flat:
        return []
    said = message(
        "{names}: some systems differ by the same at every query, so that there is no spread; "
        "p is that of the sign test.",
        names=", ".join(outcome.name for outcome in flat),
    )
    return [warned(said)]


def _has_no_spread(pair: Pair) -> bool:
    """Whether systems differ by the same amount on every query, judged by people or not."""
    return math.isinf(pair.effect) and math.isnan(pair.detectable)


def _against_means(comparison: Comparison) -> list[str]:
    """Pairs, also on slices, whose significant p favours the system whose mean is not better."""
    how, said = comparison.procedure, list[str]()
    of_slices = [
        (_in_slices(comparison, outcome.name, [value]), outcome)
        for value, part in comparison.slices.items()
        for outcome in part.outcomes
    ]
    for name, outcome in [*((outcome.name, outcome) for outcome in comparison.outcomes), *of_slices]:
        pairs = [pair for pair in outcome.pairs if pair.against_mean and pair.adjusted <= how.alpha]
        if pairs and direction(outcome.measure):
            against = message(
                "{measure}: the {test} is not about means, and speaks for the system whose mean is no better; "
                "neither is called better: {pairs}.",
                measure=name,
                test=TESTS[how.test],
                pairs=listed([f"{printable(pair.system)} / {printable(pair.against)}" for pair in pairs], 5),
            )
            said.append(warned(against))
    return said


def _alike(comparison: Comparison) -> list[str]:
    """Systems with the same values throughout."""
    measures = [outcome.measure for outcome in comparison.outcomes if not outcome.measure.definition.is_of_run]
    if not measures or not all(outcome.queries for outcome in comparison.outcomes):
        return []
    rows, names = list(comparison.scores.values()), list(map(printable, comparison.scores))
    totals = np.array([[np.nansum(one[m]) for m in measures] for one in rows])
    near = np.isclose(totals[:, None], totals, rtol=1e-9, atol=1e-9).all(axis=2)  # few of many need a closer look
    return [
        message("{one} and {other} score the same on every query.", one=names[i], other=names[j])
        for i, j in np.argwhere(np.triu(near, 1)).tolist()
        if rows[i].queries == rows[j].queries and all(are_equal(rows[i][m], rows[j][m]).all() for m in measures)
    ]


def _silent(comparison: Comparison) -> list[str]:
    """Runs without any answer; where none of their queries is judged, their ledgers say so."""
    return [
        warned(message("{run} answers none of the judged queries: is the run complete?", run=printable(name)))
        for name, one in comparison.scores.items()
        if one.ledger.judged and one.ledger.missing == one.ledger.judged  # nor any failed calls
        if not one.ledger.extra
    ]


def _sliced(comparison: Comparison) -> list[str]:
    if not comparison.slices:
        return []
    sentences: list[str] = []
    if comparison.unsliced:
        sentences.append(few.unsliced(comparison.unsliced, comparison.by))
    if len(comparison.systems) > 2 and comparison.procedure.all_pairs:
        sentences.append(
            message(
                "The pairs of each slice are in json, and in csv of the long layout; "
                "p are corrected within a slice."
            )
        )
    return sentences
