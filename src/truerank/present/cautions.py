"""What a reader of a comparison should know: how it was made, and how far it can be trusted."""

from __future__ import annotations

import itertools
import math

from truerank.analysis.compare import Comparison, Outcome
from truerank.analysis.compare.outcome import direction
from truerank.core.equal import are_equal
from truerank.core.errors import counted, shown
from truerank.measures.sums import FLOOR
from truerank.present import few, ledger
from truerank.present.few import USUAL
from truerank.stats.paired import EXACT_UP_TO

TESTS = {
    "randomization": "paired randomization test",
    "t": "paired t-test",
    "wilcoxon": "Wilcoxon's signed-rank test",
    "sign": "sign test",
    "tukey": "Tukey's HSD on queries and systems",
}
CORRECTIONS = {
    "holm": "corrected by Holm",
    "bonferroni": "corrected by Bonferroni",
    "bh": "corrected by Benjamini and Hochberg",
    "none": "not corrected",
    "max-t": "corrected by max-T",
    "tukey": "of all pairs of systems together",
}

LETTERS = "A letter behind a mean: significantly better than the system of that letter."


def notes(found: Comparison, *, is_wide: bool = False, intervals: bool = False) -> list[str]:
    """All that stands under the tables; the wide one has fewer columns to explain."""
    names = list(map(shown, found.scores))
    how = wide_made(found, intervals=intervals) if is_wide else made(found)
    return [*ledger.notes(list(found.scores.values()), names), *how, *remarks(found)]


def remarks(found: Comparison) -> list[str]:
    """What is remarkable, the number of queries first."""
    told = [
        *sizes(found),
        *_left_out(found),
        *_kinds(found),
        *_equal(found),
        *_flat(found),
        *_alike(found),
        *_silent(found),
    ]
    return [*told, *_sliced(found)]


def made(found: Comparison) -> list[str]:
    """The test, the correction, the intervals, and how to read the columns."""
    if len(found.systems) < 2:
        return [f"One system: there is nothing to compare it with. {_intervals(found)}"]
    return [_test(found), _intervals(found), _reading(found)]


def wide_made(found: Comparison, *, intervals: bool = False) -> list[str]:
    """The same of a table with a column a measure: what its letters and its stressed numbers are."""
    told = [_intervals(found)] if intervals else []
    if len(found.systems) < 2:
        return told
    return [f"{LETTERS} {_test(found)}", *told]


def _test(found: Comparison) -> str:
    """Where p comes from."""
    how, pairs = found.procedure, _pairs(found)
    few_enough = len(found.queries) <= EXACT_UP_TO and how.correction != "max-t"
    samples = "every pattern of signs counted" if few_enough else f"{how.samples:,} samples"
    drawn = f", {samples}" if how.test == "randomization" else ""
    of = f" over {pairs} pairs of each measure" if pairs > 1 and how.correction not in ("none", "tukey") else ""
    correction = f", {CORRECTIONS[how.correction]}{of}" if pairs > 1 or how.test == "tukey" else ""
    return f"p: {TESTS[how.test]}{drawn}{correction}; significant up to {how.alpha:g}."


def _pairs(found: Comparison) -> int:
    """How many were compared by a measure; none are by one without any number."""
    return max(len(outcome.pairs) for outcome in found.outcomes)


def _intervals(found: Comparison) -> str:
    how = found.procedure
    methods = {mean.method for outcome in found.outcomes for mean in outcome.means.values()}
    if "none" in methods:
        exact = "; exact binomial where all values are 0 or 1" if "binomial" in methods else ""
        together = "; those of differences are Tukey's" if how.test == "tukey" and len(found.queries) > 1 else ""
        few_queries = counted(len(found.queries), "query", "queries")
        return f"Intervals: unknown, {few_queries} being too few{exact}{together}. Seed {how.seed}."
    drawn = "exact binomial" if methods == {"binomial"} else "BCa bootstrap"
    if len(methods) > 1 and "binomial" in methods:
        drawn += ", exact binomial where all values are 0 or 1"
    if len(found.systems) > 1 and how.test != "tukey":
        drawn += "; of differences, percentile bootstrap"
    if "bootstrap" in drawn:
        drawn += f"; {how.samples:,} resamples"
    own = "" if _pairs(found) < 2 else "; not corrected for the number of pairs"
    if how.test == "tukey":
        own = "; those of differences are Tukey's, for all pairs together"
    return f"Intervals: {drawn}{own}. Seed {how.seed}."


def _reading(found: Comparison) -> str:
    told = ["W/T/L: queries that the first system wins, ties and loses (for counts: more, as many, fewer)."]
    if not _named(found, "sum"):
        told = ["W/T/L: queries that the system wins, ties and loses."]
    told.append("Beats: those it is significantly better than, by letter.")
    if len(found.systems) > 2 and found.procedure.all_pairs:
        told.append("Systems that share a group do not differ significantly.")
    return " ".join(told)


def sizes(found: Comparison) -> list[str]:
    """Whether there are enough queries, and what so many could have shown."""
    queries = len(found.queries)
    told = few.remarks(queries)
    if len(found.systems) > 1:
        told += _least(found) if queries < USUAL else []
        told += _out_of_reach(found)
    return told


def _least(found: Comparison) -> list[str]:
    """The smallest differences that this set of queries could have shown."""
    parts = [f"{_span(outcome)} in {_scale(outcome)}" for outcome in found.outcomes if _span(outcome)]
    told = []
    if parts:
        told = [
            f"Smallest true difference that is detected in four of five samples of this size: {', '.join(parts)}."
        ]
    if beyond := [outcome.name for outcome in found.outcomes if _beyond(outcome)]:
        names = ", ".join(beyond)
        told.append(
            f"With so few queries no difference, however large, is detected in four of five samples: {names}."
        )
    return told


def _span(outcome: Outcome) -> str:
    """The least difference of the pairs, or from which to which where they vary."""
    known = sorted(pair.detectable for pair in outcome.pairs if math.isfinite(pair.detectable))
    if not known or known[0] > _widest(outcome):
        return ""
    most = "more than is possible" if known[-1] > _widest(outcome) else f"{known[-1]:.3g}"
    return " to ".join(dict.fromkeys((f"{known[0]:.3g}", most)))


def _widest(outcome: Outcome) -> float:
    """The largest difference that two means can have."""
    definition = outcome.measure.definition
    return outcome.widest if definition.unit and definition.average == "mean" else math.inf


def _beyond(outcome: Outcome) -> bool:
    """Whether every pair would have to differ by more than is possible."""
    known = [pair.detectable for pair in outcome.pairs if math.isfinite(pair.detectable)]
    return bool(known) and min(known) > _widest(outcome)


def _scale(outcome: Outcome) -> str:
    is_log = outcome.measure.definition.average == "geometric"
    return f"the logarithm of {outcome.name}" if is_log else outcome.name


def _out_of_reach(found: Comparison) -> list[str]:
    """Where no difference whatever could have been significant."""
    how, pairs = found.procedure, _pairs(found)
    queries = max(outcome.queries for outcome in found.outcomes)
    factor = pairs if how.correction in ("holm", "bonferroni") else 1
    is_by_patterns = how.test in ("randomization", "wilcoxon", "sign") or queries < 2
    least = min(1.0, factor * 2.0 ** (1 - queries))
    if queries and is_by_patterns and least > how.alpha:
        return [f"Warning: with so few queries p cannot be below {least:.3g}: no difference can be significant."]
    if how.test == "randomization" and factor / (how.samples + 1) > how.alpha:
        return [
            f"Warning: {how.samples:,} samples are too few for {pairs} pairs: no difference can be significant."
        ]
    return []


def _left_out(found: Comparison) -> list[str]:
    told = []
    if found.dropped:
        some = counted(found.dropped, "query is", "queries are")
        told.append(
            f"Warning: {some} not in the scores of every system, and left out: "
            f"the means are over the {len(found.queries):,} that all have."
        )
    told += [
        f"Warning: {outcome.name} is no finite number on {counted(outcome.left_out, 'query', 'queries')} "
        "for some system; left out for all."
        for outcome in found.outcomes
        if outcome.left_out
    ]
    return told


def _kinds(found: Comparison) -> list[str]:
    """Measures whose one number is no mean, or of which less is better."""
    sums = _named(found, "sum")
    geometric = _named(found, "geometric")
    less = [o.name for o in found.outcomes if direction(o.measure) < 0]
    told = {
        "sums over the queries; more is not better, so nothing beats another.": sums,
        f"geometric means, of values raised to {FLOOR:g} at least; "
        "differences and effects are those of the means of natural logarithms.": geometric,
        "less is better.": less,
    }
    return [f"{', '.join(names)}: {text}" for text, names in told.items() if names]


def _named(found: Comparison, average: str) -> list[str]:
    return [o.name for o in found.outcomes if o.measure.definition.average == average]


def _equal(found: Comparison) -> list[str]:
    """Measures with an interval without width, but for the differences of systems that do not differ."""
    outcomes = [outcome for part in (found, *found.slices.values()) for outcome in part.outcomes]
    return few.doubts(
        (outcome.name, each)
        for outcome in outcomes
        for each in (*outcome.means.values(), *(p.difference for p in outcome.pairs if p.difference.estimate))
    )


def _flat(found: Comparison) -> list[str]:
    """Pairs that differ by the same at every query, of which a test by the spread knows nothing."""
    if found.procedure.test not in ("t", "tukey"):
        return []
    flat = [o.name for o in found.outcomes if any(math.isinf(pair.effect) for pair in o.pairs)]
    said = "some systems differ by the same at every query, so that there is no spread; p is that of the sign test."
    return [f"Warning: {', '.join(flat)}: {said}"] if flat else []


def _alike(found: Comparison) -> list[str]:
    """Systems with the same values throughout."""
    if not all(outcome.queries for outcome in found.outcomes):
        return []
    told = []
    for first, second in itertools.combinations(found.scores.items(), 2):
        one, other = first[1], second[1]
        measures = [outcome.measure for outcome in found.outcomes]
        if one.queries == other.queries and all(are_equal(one[m], other[m]).all() for m in measures):
            told.append(f"{shown(first[0])} and {shown(second[0])} score the same on every query.")
    return told


def _silent(found: Comparison) -> list[str]:
    return [
        f"Warning: {shown(name)} answers none of the judged queries; "
        "`truerank lint` shows whether the ids are spelled differently."
        for name, one in found.scores.items()
        if one.ledger.judged and not one.ledger.answered
    ]


def _sliced(found: Comparison) -> list[str]:
    if not found.slices:
        return []
    told = []
    if found.unsliced:
        told.append(f"{counted(found.unsliced, 'query has', 'queries have')} no {shown(found.by)}: in no slice.")
    if len(found.systems) > 2 and found.procedure.all_pairs:
        told.append(
            "The pairs of each slice are in json, and in csv of the long layout; p are corrected within a slice."
        )
    return told
