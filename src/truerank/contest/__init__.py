"""The judge of a contest: the official score, the strict one, and what the official code lets pass.

A contest's code takes the mean over the submitted lines. Who leaves out the lines that would score 0, repeats one
that scores 1 or names one document three times wins more than who answers. So beside the official number, which
is reproduced to the last bit, stands the strict one, and an audit that names the lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from truerank.contest.findings import EXAMPLES, Case, Finding, findings
from truerank.contest.submission import NO_DOC, Line, Submission, is_id, read
from truerank.core.errors import InputError, printable
from truerank.core.evaluate import evaluate
from truerank.core.kernel.scanning import as_text
from truerank.core.ledger import Ledger
from truerank.core.means import AnySpelling
from truerank.core.messages import joined, message
from truerank.core.presented import Presented
from truerank.core.qrels import Qrels
from truerank.core.rules import Rules, RulesLike
from truerank.core.run import Ranked, Run
from truerank.core.scores import Scores
from truerank.core.vocabulary import measures_under
from truerank.formats import read_qrels
from truerank.measures import Measure, MeasuresLike

__all__ = ["Audit", "AuditedScores", "Finding", "audit", "judge"]

RULES = "science-qa"


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Presented):
    """What a submission scores, officially and strictly, and what is wrong with it.

    Attributes:
        findings: what the official code lets pass or stops at; each with lines, count and examples.
        official_scores: a value a submitted line; None where the official code stops.
        strict_scores: one value per judged id.
    """

    built_by = "audit"

    findings: tuple[Finding, ...]
    official_scores: Scores | None
    strict_scores: StrictScores

    def _summary(self) -> str:
        official = "none" if self.official is None else f"{self.official:.4f}"
        return f"Audit({self.strict_scores.run!r}, official {official}, strict {self.strict:.4f})"

    @property
    def official(self) -> float | None:
        """The official score to the last bit; None where the official code stops."""
        return _first(self.official_scores) if self.official_scores else None

    @property
    def strict(self) -> float:
        """The score in which missing, repeated and wrongly typed answers are 0 and a document counts once."""
        return _first(self.strict_scores)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "official": self.official_scores.mean if self.official_scores else None,
            "strict": self.strict_scores.mean,
            "findings": [finding.to_dict() for finding in self.findings],
        }


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class StrictScores(Scores):
    """One value per judged id, none better than that of its line; a mean that is no better than the official one.

    Attributes:
        official: the official means; None where there are none.
    """

    official: Mapping[str, float] | None

    @cached_property
    def mean(self) -> dict[str, float]:
        """The worse of the mean of the values and the official one.

        An id that several poor lines answer weighs more in the official mean, which is over lines.
        """
        means: AnySpelling[float] = AnySpelling(super().mean)
        means.heading = self._headings
        for measure in self.measures if self.official is not None else ():
            name = str(measure)
            means[self.heading(name)] = float(worse(measure)(means[name], self.official[name]))  # type: ignore[index]
        return means


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AuditedScores(Scores):
    """Official scores with their audit."""

    audit: Audit

    def to_dict(self, per_query: bool = False) -> dict[str, Any]:
        """Plain values, for JSON: also strict, the strict means, and audit, the findings."""
        audit = self.audit.to_dict()
        return {**super().to_dict(per_query), "strict": audit["strict"], "audit": audit["findings"]}


def audit(
    truth: Any,
    submission: Any,
    measures: MeasuresLike | None = None,
    *,
    rules: RulesLike | None = RULES,
    format: str | None = None,
) -> Audit:
    """What a submission scores, officially and strictly, and what is wrong with it.

    The strict score is that of the submission put right: a line for each judged id and no other. A line that is
    missing, repeated or holds no list is one that finds nothing; a repeated document is no hit the second time; and
    no line is worth more than officially, nor is the mean.
    Both take a document for the truth's only where it is a number or text as there, if the truth tells them apart.

    Args:
        truth: {id: documents}, or whatever else holds judgements; an id may have no documents.
        submission: a path, {id: results}, (id, results) pairs, a list of records, or whatever holds a run.
        measures: what to evaluate; by default what the rules name. The first is `official` and `strict`.
        rules: rules whose mean is over the submitted lines.
        format: the submission's, instead of the one that it looks like.

    >>> one = audit({1: ["a"], 2: ["b"], 3: []}, [{"eval_id": 1, "topk": ["a", "a"]}, {"eval_id": 3, "topk": []}])
    >>> one.official, one.strict, [finding.kind for finding in one.findings]
    (1.0, 0.6666666666666666, ['missing-id', 'repeated-document'])
    """
    under = Rules.of(rules)
    asked = measures if measures is not None else under.measures or Rules.named(RULES).measures
    asked = asked if isinstance(asked, str | Measure) else list(asked)
    chosen = measures_under(asked, under)
    qrels = read_qrels(truth)
    sent = read(submission, format).beside(qrels)
    case = case_of(qrels, sent, chosen, under)
    problems = findings(case)
    stops = any(finding.stops for finding in problems)
    official = None if stops else evaluate(qrels, sent.run, asked, rules=under)
    strict = evaluate(qrels, _put_right(case, sent.name), asked, rules=under)
    strict = replace(strict, rules=under.replace(name=f"{under.name}, strictly"))
    return Audit(
        problems,
        official and replace(official, ledger=_ledger(official.ledger, case)),
        _no_better(strict, official or evaluate(qrels, _lone(case, sent.name), asked, rules=under), official),
    )


def judge(
    truth: Any,
    submission: Any,
    measures: MeasuresLike | None = None,
    *,
    rules: RulesLike | None = RULES,
    format: str | None = None,
) -> AuditedScores:
    """The official scores, with their audit; the arguments as for `audit`.

    Raises:
        InputError: the official code stops at some line, so there is no official score.
    """
    audited = audit(truth, submission, measures, rules=rules, format=format)
    scores = audited.official_scores
    if scores is None:
        raise InputError(_no_score(audited), audited.strict_scores.run, _first_stop(audited))
    return AuditedScores(**_known(scores), audit=audited)


def _no_better(strict: Scores, lines: Scores, official: Scores | None) -> StrictScores:
    """The strict scores, those of single lines no better than they are officially."""
    count = Counter(lines.queries)
    line = {query: row for row, query in enumerate(lines.queries) if count[query] == 1}
    at = np.array([line.get(query, -1) for query in strict.queries], np.int64)
    columns = strict.columns
    if line:
        columns = {str(m): np.where(at >= 0, worse(m)(strict[m], lines[m][at]), strict[m]) for m in strict.measures}
    means = None if official is None else {str(m): m.mean(official[m]) for m in strict.measures}
    return StrictScores(**{**_known(strict), "columns": columns}, official=means)


def _known(scores: Scores) -> dict[str, Any]:
    """What scores know, for scores that know more."""
    return {name: getattr(scores, name) for name in Scores.__dataclass_fields__}


def worse(measure: Measure) -> Callable[[Any, Any], Any]:
    """The worse of two values."""
    return np.maximum if measure.definition.lower_is_better else np.minimum


def case_of(qrels: Qrels, sent: Submission, measures: Sequence[Measure], rules: Rules) -> Case:
    """What the checks look at of a submission to these judgements."""
    level = rules.level
    truth = {q: frozenset(d for d, grade in docs.items() if grade >= level) for q, docs in qrels.by_query()}
    cuts: list[Any] = [min(filter(None, (m.cutoff, rules.depth)), default=None) for m in measures]
    return Case(sent.lines, truth, None if None in cuts else max(cuts), rules.extra == "error")


def _put_right(case: Case, name: str) -> Run:
    """One line for each judged id, in the order of the ids."""
    lines = [_strictly(query, answers) for query, answers in case.answers.items()]
    return Run(name, lambda: iter(lines))


def _lone(case: Case, name: str) -> Run:
    """The only lines of their ids that the official code can go through, though it may stop at another one."""
    lines = [answers[0] for answers in case.answers.values() if len(answers) == 1 and not case.stops_at(answers[0])]
    return Run(name, lambda: (line.ranked for line in lines))


def _strictly(query: bytes, answers: list[Line]) -> Ranked:
    if len(answers) != 1 or not answers[0].is_list:
        return Ranked(query, [NO_DOC])
    once: dict[bytes, int] = {}
    docs = [
        doc if is_id(value) and once.setdefault(doc, place) == place else NO_DOC + b"again %d" % place
        for place, (value, doc) in enumerate(zip(answers[0].answer, answers[0].results, strict=True))
    ]
    return Ranked(query, docs, answers[0].scores, answers[0].number)


def _ledger(ledger: Ledger, case: Case) -> Ledger:
    """What the means hide, counted in judged ids where the engine counts lines."""
    missing = [query for query, lines in case.answers.items() if not lines]
    extra = list(dict.fromkeys(x.query for x in case.readable if x.query and x.query not in case.truth))
    without_relevant = [query for query, docs in case.truth.items() if not docs]
    named = {"missing": _names(missing), "extra": _names(extra), "without_relevant": _names(without_relevant)}
    return replace(
        ledger,
        judged=len(case.truth),
        answered=len(case.truth) - len(missing),
        missing=len(missing),
        extra=len(extra),
        without_relevant=len(without_relevant),
        duplicates=sum(count - 1 for line in case.readable for count in line.counts.values()),
        examples={**ledger.examples, **{key: names for key, names in named.items() if names}},
    )


def _names(queries: list[bytes]) -> tuple[str, ...]:
    return tuple(map(as_text, queries[:EXAMPLES]))


def _first(scores: Scores) -> float:
    return next(iter(scores.mean.values()))


def _first_stop(audit: Audit) -> int | None:
    return min((line for finding in audit.findings if finding.stops for line in finding.lines[:1]), default=None)


def _no_score(audit: Audit) -> str:
    """Why there is no official score; then what else there is to say."""
    strict = ", ".join(f"{printable(name)} {mean!r}" for name, mean in audit.strict_scores.mean.items())
    messages = [f.message for f in sorted(audit.findings, key=lambda finding: not finding.stops)]
    first, last = message("There is no official score."), message("The strict score is {scores}.", scores=strict)
    return joined(" ", [first, *messages, last])
