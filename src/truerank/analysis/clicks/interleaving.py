"""Interleaved lists and clicks in, which system users prefer out."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np

from truerank import stats
from truerank.analysis.clicks.credits import METHODS, TAU, Crediting
from truerank.analysis.compare.naming import opened
from truerank.analysis.drawing import check_word, checked_drawing
from truerank.core.equal import difference
from truerank.core.errors import InputError, needs, pluralize, quoted
from truerank.core.evaluate import as_one_list
from truerank.core.kernel.scanning import as_text
from truerank.core.messages import alternatives, did_you_mean, message
from truerank.core.presented import Presented
from truerank.core.reading import read
from truerank.core.rules import RulesLike
from truerank.core.run import RunLike
from truerank.core.schema import is_number
from truerank.measures.sums import Ints, PerQuery
from truerank.stats import Interval
from truerank.stats.binomial import sign_p
from truerank.truth.clicks import Clicks, Impression, read_clicks

CORRECTIONS = get_args(stats.Correction)

CLUSTERS = ("user", "query", "impression")
"""What is drawn again as a whole, and whose preference is swapped as a whole."""


@dataclass(frozen=True)
class Preference:
    """Two systems, and which one the clicks prefer.

    Attributes:
        system, against: their names.
        wins, ties, losses: impressions with clicks in which the first has more, as much or less credit.
        delta: (wins + ties / 2) / (wins + ties + losses) − 1/2 (Chapelle et al. 2012): from −0.5 to 0.5, above
            0 where the first is preferred; with where it may lie.
        p: two-sided, of no preference.
        adjusted: p as it is to be read with those of all other pairs.
    """

    system: str
    against: str
    wins: int
    ties: int
    losses: int
    delta: Interval
    p: float
    adjusted: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; None for limits that are not known."""
        return {**vars(self), **self.delta.to_dict("delta")}


@dataclass(frozen=True, eq=False, repr=False)
class Interleaving(Presented):
    """Which system users prefer, by their clicks on interleaved lists.

    Attributes:
        systems: their names.
        credits: (impressions with clicks, systems) what their clicks are worth to each.
        pairs: the systems, every two.
        impressions: how many there are.
        without_clicks: those of them in which nothing was clicked; they are in no count.
        clusters: how many users, queries or impressions those with clicks are of.
        method: team-draft, balanced or probabilistic.
        cluster: user, query or impression: what is resampled.
        test: sign; or, of the sums of clusters with several impressions, randomization (of very many clusters t).
        correction: of p for the number of pairs.
        confidence, samples, seed: of the intervals.
        tau: of the probabilistic method.
        name: of the log.
    """

    built_by = "interleaving"

    systems: tuple[str, ...]
    credits: PerQuery
    pairs: tuple[Preference, ...]
    impressions: int
    without_clicks: int
    clusters: int
    method: str
    cluster: str
    test: str
    correction: str
    confidence: float
    samples: int
    seed: int
    tau: float
    name: str

    def _summary(self) -> str:
        first = self.pairs[0]
        more = f", and {len(self.pairs) - 1} more pairs" if len(self.pairs) > 1 else ""
        shown = (
            f"{first.system} against {first.against} {first.delta.estimate:+.4f}, p = {first.adjusted:.3g}{more}"
        )
        return f"Interleaving({self.name!r}, {self.method}, {pluralize(self.impressions, 'impression')}; {shown})"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        plain = {key: value for key, value in vars(self).items() if key not in ("credits", "pairs", "systems")}
        credits = dict(zip(self.systems, self.credits.sum(axis=0).tolist(), strict=True))
        return {**plain, "credits": credits, "pairs": [pair.to_dict() for pair in self.pairs]}


def interleaving(
    log: Any,
    method: str = "team-draft",
    *,
    runs: Mapping[str, RunLike] | None = None,
    cluster: str | None = None,
    correction: stats.Correction = "holm",
    confidence: float = 0.95,
    samples: int = 10_000,
    seed: int = 0,
    tau: float = TAU,
    rules: RulesLike | None = None,
) -> Interleaving:
    """Which of the interleaved systems do users prefer, and how sure is that?

    Each impression with clicks is won by the system with more credit. Without clusters of several impressions p is
    that of the sign test, else of a randomization test that swaps whole clusters; intervals draw clusters again.

    Args:
        log: what `read_clicks` takes: an impression shows documents, of which some are clicked.
        method: how lists were made: "team-draft" (any number of systems; the log says whose each document is),
            "balanced" (two) or "probabilistic" (any number); these two need each system's own list, as rankings in
            the log or as runs.
        runs: {system: run}.
        cluster: "user", "query" or "impression"; by default users where the log has them, else impressions.
        correction: "holm", "bonferroni", "bh" or "none".
        tau: the exponent that probabilistic lists were drawn with.
        rules: how the lists of runs are put in order, and how deep they are.

    Raises:
        InputError: fewer than two systems; a document that no system has; no clicks; a log without what is
            asked for.

    >>> shown = {"query": "q", "docs": ["a", "b"], "systems": ["old", "new"]}
    >>> clicks = [*[["b"]] * 6, ["a", "b"], []]
    >>> found = interleaving([{**shown, "clicks": docs} for docs in clicks])
    >>> pair = found.pairs[0]
    >>> (pair.system, pair.wins, pair.ties, pair.losses, pair.p), found.without_clicks
    (('new', 6, 1, 0, 0.03125), 1)
    """
    _refuse(method, correction, tau)
    if not isinstance(runs, Mapping | None):
        raise InputError("runs are {{system: run}}, not {runs}", runs=quoted(runs))
    confidence, samples, seed = checked_drawing(confidence, samples, seed)
    clicks = read_clicks(log)
    systems = _systems(clicks, runs or {}, method)
    lists = {
        name: {query: list(dict.fromkeys(docs)) for query, docs in lists_of(run, name, rules).items()}
        for name, run in (runs or {}).items()
    }
    credits, clicked = _credited(Crediting(clicks, systems, lists, tau), method)
    chosen, groups = groups_of(clicked, cluster, clicks)
    work = _Work(credits, groups, confidence, samples, seed)
    return Interleaving(
        systems=systems,
        credits=credits,
        pairs=work.pairs(systems, correction),
        impressions=len(clicks),
        without_clicks=len(clicks) - len(clicked),
        clusters=int(groups.max()) + 1,
        method=method,
        cluster=chosen,
        test=work.test,
        correction=correction,
        confidence=confidence,
        samples=samples,
        seed=seed,
        tau=tau,
        name=clicks.name,
    )


def _refuse(method: str, correction: str, tau: Any) -> None:
    if method not in METHODS:
        raise InputError(
            "method is {known}, not {method!r}.{hint}",
            known=alternatives(list(METHODS)),
            method=method,
            hint=did_you_mean(method, METHODS),
        )
    if not is_number(tau) or tau < 0:
        raise InputError("tau is a number from 0 on, not {tau!r}", tau=tau)
    check_word(message("correction"), correction, CORRECTIONS)


def _credited(crediting: Crediting, method: str) -> tuple[PerQuery, list[Impression]]:
    """(impressions with clicks, systems) the credits of each system, and these impressions."""
    log = crediting.log
    credits = np.array([METHODS[method](crediting, one) for one in log.impressions])
    clicked = [n for n, one in enumerate(log.impressions) if any(one.clicked)]
    if not clicked:
        raise InputError("nothing was clicked, so that the log prefers no system", log.name)
    return credits[clicked], [log.impressions[n] for n in clicked]


def _systems(log: Clicks, runs: Mapping[str, RunLike], method: str) -> tuple[str, ...]:
    """The names of the systems: of the runs, of the rankings, or of the teams in alphabetical order."""
    if method == "team-draft":
        systems = tuple(sorted({name for one in log.impressions for name in one.systems if name is not None}))
        if not systems:
            raise InputError("the log does not say which system each document is of; name it system", log.name)
    else:
        systems = tuple(dict.fromkeys([*runs, *(name for one in log.impressions for name in one.rankings)]))
        if not systems:
            raise InputError(
                "{method} interleaving needs each system's own list: rankings in the log, or runs",
                log.name,
                method=method,
            )
    if len(systems) < 2 or (method == "balanced" and len(systems) > 2):
        raise InputError(
            "{method} interleaving is of {wanted} systems; these are {n}: {names}",
            log.name,
            method=method,
            wanted=message("two") if method == "balanced" else message("two or more"),
            n=len(systems),
            names=", ".join(systems),
        )
    return systems


def lists_of(run: RunLike, name: str, rules: RulesLike | None) -> dict[str, list[str]]:
    """{query: its documents, best first}, in the order of the rules and down to their depth; repeats that take up
    ranks there stand in it too.

    >>> lists_of({"q": {"a": 1.0, "b": 2.0}}, "new", None), lists_of({"q": ["b", "a"]}, "new", {"depth": 1})
    ({'q': ['b', 'a']}, {'q': ['b']})
    """
    reading = read(None, opened(run, name), rules=rules, keep="all")
    rows = as_one_list(reading.rows, reading.rules, message("what a list is")).cut(reading.rules.depth)
    docs = map(as_text, reading.docs(rows.doc))
    sizes = zip(rows.queries, rows.count.tolist(), strict=True)
    return {as_text(query): list(itertools.islice(docs, size)) for query, size in sizes}


def groups_of(impressions: Sequence[Impression], cluster: str | None, log: Clicks) -> tuple[str, Ints]:
    """What is resampled as a whole (by default users, if all are known), and (impressions,) each one's number."""
    known = [one.user is not None for one in log.impressions]
    if cluster is None and any(known) and not all(known):
        said = message(
            "the impression has no user, and others have one; to take each impression by itself, say so: --cluster "
            "impression"
        )
        raise log.error(log.impressions[known.index(False)], said)
    chosen = cluster or ("user" if all(known) else "impression")
    if chosen not in CLUSTERS:
        raise InputError("a cluster is {known}, not {cluster!r}", known=alternatives(CLUSTERS), cluster=cluster)
    if chosen == "impression":
        return chosen, np.arange(len(impressions))
    names = [getattr(one, chosen) or None for one in impressions]
    if None in names:
        said = message("the impression has no {cluster}, which is the cluster that is asked for", cluster=chosen)
        raise log.error(impressions[names.index(None)], said)
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return chosen, np.array([numbers[name] for name in names], np.int64)


@dataclass(frozen=True, eq=False)
class _Work:
    """Credits of impressions with clicks, and of which cluster each is."""

    credits: PerQuery
    groups: Ints
    confidence: float
    samples: int
    seed: int

    @property
    def test(self) -> str:
        """The test: a sign test only if clusters are single impressions, as it needs independent ones."""
        clusters = int(self.groups.max()) + 1
        return "sign" if clusters == len(self.groups) else "randomization" if clusters <= stats.LARGE else "t"

    def pairs(self, names: Sequence[str], correction: stats.Correction) -> tuple[Preference, ...]:
        """Every two systems, with p corrected for their number.

        Raises:
            MissingPackage: SciPy is not installed.
        """
        with needs(message("interleaving"), "stats"):
            pairs = [self.pair(a, b, names) for a, b in itertools.combinations(range(len(names)), 2)]
        adjusted = stats.adjust([pair.p for pair in pairs], correction).tolist()
        return tuple(replace(pair, adjusted=p) for pair, p in zip(pairs, adjusted, strict=True))

    def pair(self, a: int, b: int, names: Sequence[str]) -> Preference:
        """One system against another."""
        outcome = np.sign(difference(self.credits[:, a], self.credits[:, b]))
        counted = Counter(outcome.tolist())
        wins, losses = counted[1.0], counted[-1.0]
        total, size = np.bincount(self.groups, outcome), np.bincount(self.groups)
        delta = stats.ratio_interval(
            total / 2, size, confidence=self.confidence, resamples=self.samples, seed=self.seed
        )
        if self.test == "sign":
            p = sign_p(wins, losses)
        else:
            how = {"samples": self.samples, "seed": self.seed} if self.test == "randomization" else {}
            p = stats.TESTS[self.test](total, np.zeros(len(total)), **how).p
        return Preference(names[a], names[b], wins, counted[0.0], losses, delta, p, p)
