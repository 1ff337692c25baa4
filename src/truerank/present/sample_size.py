"""Remarks on whether there are enough queries, samples and resamples, and what this many could show."""

from __future__ import annotations

import math

from truerank.analysis.compare import Comparison, Outcome
from truerank.analysis.compare.outcome import least_resamples, resamples_of_run
from truerank.analysis.compare.result import Procedure
from truerank.analysis.compare.systems import are_drawn
from truerank.core.equal import CLOSE
from truerank.core.messages import Message, joined, listed, message, plural, warned
from truerank.present import few
from truerank.present.comparison_cells import span
from truerank.present.few import USUAL
from truerank.present.table import three_digits
from truerank.stats.flips import ALL_FLIPS_UP_TO
from truerank.stats.paired import EXACT_UP_TO

OTHERS = ("wilcoxon", "sign", "tukey")
"""Tests that ask something else of the values than the paired t-test does, by which powers are told."""

COARSE = 4
"""Where the smallest p is more than the level divided by this, tests that count signs detect less than it does."""


def remarks(comparison: Comparison) -> list[str]:
    """Remarks on whether there are enough queries, and what this many could have shown."""
    queries = min((o.queries for o in comparison.outcomes if o.queries), default=len(comparison.queries))
    how = comparison.procedure
    sentences = [*few.remarks(queries), *few.resampled(how.samples, how.confidence)]
    if len(comparison.systems) > 1:
        sentences += _least(comparison) if queries < USUAL else []
        sentences += _out_of_reach(comparison)
    return sentences


def _least(comparison: Comparison) -> list[str]:
    """The smallest differences that this set of queries could have shown."""
    how = comparison.procedure
    able = [outcome for outcome in comparison.outcomes if _least_p(how, outcome) <= how.alpha]
    spans = [(_span(outcome), _scale(outcome)) for outcome in able]
    parts = [message("{span} in {measure}", span=span, measure=scale) for span, scale in spans if span]
    sentences: list[str] = []
    differences = joined(", ", parts)
    if parts and (how.test in OTHERS or any(_least_p(how, outcome) > how.alpha / COARSE for outcome in able)):
        said = message(
            "Smallest true difference that the paired t-test detects in four of five samples of this size (this "
            "test may do so less often): {differences}.",
            differences=differences,
        )
        sentences.append(said)
    elif parts:
        said = message(
            "Smallest true difference that is detected in four of five samples of this size: {differences}.",
            differences=differences,
        )
        sentences.append(said)
    if beyond := [outcome.name for outcome in comparison.outcomes if _beyond(outcome)]:
        sentences.append(
            message(
                "With so few queries no difference, however large, is detected in four of five samples: "
                "{measures}.",
                measures=", ".join(beyond),
            )
        )
    return sentences


def _span(outcome: Outcome) -> str:
    """The smallest detectable difference of the pairs, or the range of these."""
    known = detectable(outcome)
    if not known or _beyond(outcome):
        return ""
    return span(*(difference(each, outcome) for each in (known[0], known[-1])))


def detectable(outcome: Outcome) -> list[float]:
    """The difference that each pair would need, in rising order; none where there is no spread."""
    return sorted(pair.detectable for pair in outcome.pairs if math.isfinite(pair.detectable))


def difference(detected: float, outcome: Outcome, scale: int = 1) -> str:
    """A detectable difference as it is shown, times a scale."""
    return three_digits(detected * scale) if detected <= _widest(outcome) else message("more than is possible")


def _widest(outcome: Outcome) -> float:
    """The largest difference that two means can have."""
    definition = outcome.measure.definition
    return outcome.widest if definition.unit and definition.average == "mean" else math.inf


def _beyond(outcome: Outcome) -> bool:
    """Whether every pair would need a difference that is not possible."""
    known = detectable(outcome)
    return bool(known) and known[0] > _widest(outcome)


def _scale(outcome: Outcome) -> str:
    is_log = outcome.measure.definition.average == "geometric"
    return message("the logarithm of {measure}", measure=outcome.name) if is_log else outcome.name


def _least_p(how: Procedure, outcome: Outcome) -> float:
    """The smallest p that so few queries can have, by tests that count outcomes; 0 for other tests."""
    if not outcome.queries or (how.test not in ("randomization", "wilcoxon", "sign") and outcome.queries > 1):
        return 0.0
    factor = len(outcome.pairs) if how.correction in ("holm", "bonferroni") else 1
    return min(1.0, factor * 2.0 ** (1 - outcome.queries))


def _out_of_reach(comparison: Comparison) -> list[str]:
    """Remarks where no difference at all could have been significant."""
    how, pairs = comparison.procedure, pairs_of_each(comparison)
    queries = max(outcome.queries for outcome in comparison.outcomes)
    if queries and (least := min(_least_p(how, one) for one in comparison.outcomes if one.queries)) > how.alpha:
        never = message("with so few queries p cannot be below {p:.3g}: no difference can be significant.", p=least)
        return [warned(never)]
    said: list[str] = []
    if names := [outcome.name for outcome in comparison.outcomes if _needs_samples(how, outcome)]:
        said.append(_named(comparison, names, _too_few(comparison, names, pairs)))
    drawn, enough = resamples_of_run(how, pairs, queries), least_resamples(how, pairs, queries)
    if enough and drawn < enough and (names := drawn_of_run(comparison)):
        lacking = plural("{n:,} resample is too few", "{n:,} resamples are too few", n=drawn)
        said.append(_named(comparison, names, _unreached(lacking, pairs, _never(enough))))
    return said


def _named(comparison: Comparison, names: list[str], said: Message) -> str:
    """A warning of too few samples, with the measures if these are not all, and an alternative."""
    of = said if len(names) == len(comparison.outcomes) else joined(": ", [listed(names), said])
    has_less = comparison.procedure.all_pairs and pairs_of_each(comparison) > 1
    return warned(joined(" ", [of, *([message("With a baseline there are fewer pairs.")] if has_less else [])]))


def _too_few(comparison: Comparison, names: list[str], pairs: int) -> Message:
    """That there are too few samples for these measures, and how many would be enough."""
    how, of = comparison.procedure, [outcome for outcome in comparison.outcomes if outcome.name in names]
    least = math.ceil(max(_factor(how, outcome) for outcome in of) / how.alpha - CLOSE) - 1
    lacking = plural("{n:,} sample is too few", "{n:,} samples are too few", n=how.samples)
    if all(sampled(how, outcome) == len(outcome.pairs) for outcome in of):
        return _unreached(lacking, pairs, _never(least))
    never = message(
        "no difference on more than {most} queries can be significant; take {least:,} or more.",
        most=EXACT_UP_TO,
        least=least,
    )
    return _unreached(lacking, pairs, never)


def _never(least: int) -> Message:
    return message("no difference can be significant; take {least:,} or more.", least=least)


def _unreached(lacking: Message, pairs: int, never: Message) -> Message:
    """What there is too little of, for how many pairs, and what is therefore impossible."""
    return joined(
        ": ", [lacking if pairs == 1 else message("{lacking} for {n} pairs", lacking=lacking, n=pairs), never]
    )


def _needs_samples(how: Procedure, outcome: Outcome) -> bool:
    """Whether no sampled p can be small enough; p from all patterns may be smaller."""
    return _factor(how, outcome) / (how.samples + 1) > how.alpha


def _factor(how: Procedure, outcome: Outcome) -> int:
    """The factor by which a correction multiplies the smallest sampled p; 0 where no p is sampled."""
    n = sampled(how, outcome)
    return {"holm": n, "bonferroni": len(outcome.pairs) if n else 0}.get(how.correction, min(1, n))


def sampled(how: Procedure, outcome: Outcome) -> int:
    """For how many pairs p comes from samples and not from all patterns of signs."""
    if how.test != "randomization" or outcome.measure.definition.is_of_run:
        return 0
    if how.correction == "max-t":
        return len(outcome.pairs) if outcome.queries > ALL_FLIPS_UP_TO else 0
    return sum(pair.wins + pair.losses > EXACT_UP_TO for pair in outcome.pairs)


def drawn_of_run(comparison: Comparison) -> list[str]:
    """The measures of the whole run whose intervals come from resamples."""
    drawn = [o for o in comparison.outcomes if are_drawn(comparison.scores, o.measure)]
    return [o.name for o in drawn if o.measure.definition.is_of_run]


def pairs_of_each(comparison: Comparison) -> int:
    """How many pairs were compared by a measure; 0 where no measure has numbers."""
    return max(len(outcome.pairs) for outcome in comparison.outcomes)
