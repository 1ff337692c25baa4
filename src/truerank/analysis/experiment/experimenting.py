"""Systems, queries and judgements in; all of them evaluated, asked, timed and compared, out."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from truerank.analysis.compare.comparing import compare
from truerank.analysis.compare.naming import by_name, resolved
from truerank.analysis.compare.outcome import checked
from truerank.analysis.compare.result import Procedure
from truerank.analysis.compare.slices import some
from truerank.analysis.compare.systems import Measures, read, scored
from truerank.analysis.experiment.result import Experiment
from truerank.core.errors import InputError
from truerank.core.evaluate import read_catalogue
from truerank.core.kernel.scanning import as_text
from truerank.core.messages import did_you_mean
from truerank.core.qrels import Qrels, QrelsLike
from truerank.core.rules import Rules, RulesLike
from truerank.core.run import Progress, unreported
from truerank.core.scores import Scores
from truerank.core.vocabulary import asked_for
from truerank.formats import read_qrels
from truerank.live.adapters import adapters
from truerank.live.adapters.objects import NAME, load
from truerank.live.quality import only
from truerank.live.queries import read_queries
from truerank.live.result import Bench
from truerank.live.retriever import Retriever
from truerank.live.running import Judging, bench, judged, rehearsed
from truerank.live.workers import INTERRUPTED
from truerank.measures import Measure

DEEPEST = 1000
"""How many documents are asked for where a measure counts all that are returned."""


def experiment(
    systems: Any,
    queries: Any = None,
    qrels: QrelsLike | None = None,
    measures: Measures = None,
    *,
    names: Sequence[str] | None = None,
    baseline: str | int | None = None,
    test: str = "randomization",
    correction: str = "holm",
    confidence: float = 0.95,
    samples: int = 10_000,
    all_pairs: bool | None = None,
    rules: RulesLike | None = None,
    k: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    items: Any = None,
    as_written: bool = False,
    progress: Progress = unreported,
    **asking: Any,
) -> Experiment:
    """Evaluate systems, ask and time those that are live, and compare them all.

    Retrievers are asked one after another, so that each has the machine for itself. Runs are read, and arguments
    tried, before anything is asked.

    Args:
        systems: {name: system}. A system is a run or saved scores, as for `compare`; a retriever, as for `bench`;
            or a `Bench`, such as `Bench.read` gives, whose answers are scored and whose timings are taken. Runs may
            be a list, and all systems with `names`.
        queries: what retrievers are asked: {id: text}, texts, a DataFrame or a file, see `read_queries`. Where they
            are given, judged queries that are not among them are in no mean of any system.
        qrels, measures, rules, threads, items, as_written: as for `evaluate`.
        names: of systems in a list, one each.
        baseline, test, correction, confidence, samples, all_pairs: as for `compare`.
        k: how many documents retrievers are asked for: by default as many as the measures look at, which is 1,000
            where one counts all that are returned.
        seed: of all random numbers: of the order of the queries, the intervals and the tests.
        progress: called with how much is done and how much there is: queries of each retriever, then measures.
        asking: what else `bench` takes, such as `warmup`, `concurrency`, `timeout` and `ids`.

    Raises:
        TruerankError: wrong input, or a first answer that cannot be read. The message says what now.
        TypeError: there is no such option.
    """
    _refuse_unknown(asking)
    named = _named(systems, names)
    base = resolved(baseline, list(named))
    checked(Procedure(test, correction, confidence, seed, samples, base))
    texts = {} if queries is None else read_queries(queries)
    everything = None if qrels is None else read_qrels(qrels)
    right = only(everything, list(texts)) if everything and texts else everything
    live = {name: _loaded(one) for name, one in named.items() if is_live(one)}
    runs = {name: one for name, one in named.items() if name not in live}
    how: dict[str, Any] = {"items": read_catalogue(items), "as_written": as_written}
    scores = scored(right, read(runs), measures, rules, threads, **how) if runs else {}
    unasked = len(_known(everything, scores).difference(texts)) if texts else 0
    scores = {name: _among(one, texts, unasked) for name, one in scores.items()} if unasked else scores
    asked = _Asked.of(texts, Judging(right, *_under(scores, measures, rules), how["items"]), live, progress)
    benches = asked.benches(live, k, {**asking, "seed": seed})
    comparison = compare(
        None,
        _alike(list(named), scores, benches),
        measures,
        base,
        test,
        correction,
        seed,
        confidence=confidence,
        samples=samples,
        all_pairs=all_pairs,
        as_written=as_written,
        progress=asked.compared,
    )
    return Experiment(comparison, benches, unasked)


def is_live(system: Any) -> bool:
    """Whether a system is asked, or was, and so is no run: a retriever, the name or address of one, or a `Bench`.

    >>> is_live(lambda query: ["a"]), is_live("http://localhost/?q={query}"), is_live("search:bm25")
    (True, True, True)
    >>> is_live({"q": ["a"]}), is_live("bm25.run"), is_live("https://example.org/bm25.run.gz")
    (False, False, False)
    """
    if isinstance(system, str):
        return _is_address(system) or _is_name(system)
    return isinstance(system, Bench | Retriever) or any(one.sure(system) > 0 for one in adapters().values())


def _is_address(text: str) -> bool:
    """Whether a text is an endpoint or a command; a run may have an address too, but no place for a query."""
    return ("://" in text and "{query}" in text) or text.startswith("cmd:")


def _is_name(text: str) -> bool:
    """Whether a text names an object of Python, and no file."""
    return bool(NAME.fullmatch(text)) and not _is_address(text) and not os.path.exists(text)


def _loaded(system: Any) -> Any:
    """The system, or the object that its name means: a name that means nothing is known before others are asked."""
    return load(system) if isinstance(system, str) and _is_name(system) else system


def _named(systems: Any, names: Sequence[str] | None) -> dict[str, Any]:
    """The systems by name.

    Raises:
        InputError: there is none; a retriever in a list has no name; or the names are not those of the systems.
    """
    if names is not None:
        return _by_names(systems, names)
    if is_live(systems) or (isinstance(systems, list | tuple) and any(map(is_live, systems))):
        raise InputError("a retriever is given by name: systems = {'bm25': …}, or names = ['bm25', …] of a list")
    return by_name(systems)


def _by_names(systems: Any, names: Sequence[str]) -> dict[str, Any]:
    if not isinstance(systems, list | tuple) or isinstance(names, str):
        raise InputError("names are a list, of systems in a list")
    if len(names) != len(systems):
        raise InputError("there are {n} systems and {names} names", n=len(systems), names=len(names))
    named = dict(zip(map(str, names), systems, strict=True))
    if len(named) < len(names):
        raise InputError("two systems have one name: {names}", names=", ".join(map(str, names)))
    return by_name(named)


VALUES = "found.comparison.to_pandas('queries') has the value of each query"

LEVEL = "confidence=0.95 is a level of 0.05"

SAVED = "found.benches[name].save_run(path) keeps what a retriever returned"

AMONG = "The means are over the queries that are judged, of those that are asked where queries are given"

INSTEAD = {
    "alpha": LEVEL,
    "batch_size": "Each call asks one query; concurrency= is how many may be under way",
    "by": "compare(None, found.scores, by=…) compares the same scores slice by slice",
    "correction_alpha": LEVEL,
    "dataframe": "found.to_pandas() is the table",
    "drop_unused": AMONG,
    "eval_metrics": "The measures are the fourth argument, measures=",
    "filter_by_qrels": AMONG,
    "filter_by_topics": AMONG,
    "highlight": "found.to_markdown(), to_latex() and to_html() have the best mean in bold",
    "metrics": "The measures are the fourth argument, measures=",
    "perquery": VALUES,
    "per_query": VALUES,
    "round": "What is printed is rounded, and found.mean is not",
    "save_dir": SAVED,
    "save_format": SAVED,
    "save_mode": SAVED,
    "topics": "The texts are the second argument, queries=",
    "verbose": "progress= is called with how much is done",
}
"""What stands here for options of other packages."""


def _refuse_unknown(asking: Mapping[str, Any]) -> None:
    """Raise where an option is neither one of `experiment` nor one of asking, of whatever kind of retriever."""
    if not asking:
        return
    own, of_bench = (list(inspect.signature(one).parameters) for one in (experiment, bench))
    known = {*own[:-1], *of_bench[1:-1], "asynchronous", "collapse"}
    known.update(option for one in adapters().values() for option in one.options)
    for option in asking:
        if option not in known:
            hint = INSTEAD.get(option) or did_you_mean(option, sorted(known)).strip()
            raise TypeError(f"experiment() has no option {option!r}. {hint}".rstrip())


def _known(qrels: Qrels | None, scores: Mapping[str, Scores]) -> set[str]:
    """All queries that are judged, or scored already."""
    judged = map(as_text, qrels.queries if qrels else ())
    return {*judged, *(query for one in scores.values() for query in one.queries)}


def _among(scores: Scores, texts: Mapping[str, Any], unasked: int) -> Scores:
    """The scores of the queries that are asked alone, also where others were scored before."""
    places = [place for place, query in enumerate(scores.queries) if query in texts]
    part = scores if len(places) == len(scores.queries) else some(scores, places)
    return replace(
        part,
        ledger=replace(scores.ledger, evaluated=len(places), unasked=unasked),
        runs=tuple(_among(one, texts, unasked) for one in scores.runs),
    )


def _under(scores: Mapping[str, Scores], measures: Measures, rules: RulesLike | None) -> tuple[Measures, Rules]:
    """The measures and rules of what is asked: those of the runs that are scored already, if there are any."""
    first = next(iter(scores.values()), None)
    if first is None:
        return measures, Rules.of(rules)
    return first.measures if measures is None else measures, first.rules


def _alike(names: list[str], scores: Mapping[str, Scores], benches: Mapping[str, Bench]) -> dict[str, Scores]:
    """All scores in the order of the systems, under the same rules.

    What retrievers return may need rules that are lenient. A run that these would have read otherwise was refused
    before, so that all others score the same under them.
    """
    asked = {name: one.scores for name, one in benches.items() if one.scores}
    every = {**asked, **scores}
    first = next(iter(every.values()))
    return {name: replace(every[name], rules=first.rules) for name in names}


@dataclass(frozen=True, eq=False)
class _Asked:
    """What retrievers are asked, and how far that is.

    Attributes:
        texts: {id: text}.
        judging: what their answers are judged by, tried before.
        retrievers: how many are asked.
        progress: called with how much of all is done.
    """

    texts: Mapping[str, str]
    judging: Judging
    retrievers: int
    progress: Progress

    @classmethod
    def of(cls, texts: Mapping[str, str], judging: Judging, live: Mapping[str, Any], progress: Progress) -> _Asked:
        """The same, where there is nothing that asking would run into.

        Raises:
            InputError: there are no queries or no judgements; or these do not go together.
        """
        benches = [one for one in live.values() if isinstance(one, Bench)]
        target = next((name for name, one in live.items() if not isinstance(one, Bench)), None)
        if target is not None and not texts:
            raise InputError("queries are needed to ask {name}: {{id: text}}, or a file of them", name=target)
        if live and judging.qrels is None:
            raise InputError("qrels are needed where a system is not scored yet", next(iter(live)))
        if live:
            judging = rehearsed(judging, list(dict.fromkeys(texts or (q for one in benches for q in one.queries))))
        return cls(texts, judging, len(live) - len(benches), progress)

    def benches(self, live: Mapping[str, Any], k: int | None, how: Mapping[str, Any]) -> dict[str, Bench]:
        """The benchmark of each retriever, and those that were given, all judged under the same rules."""
        how = {"k": self._depth() if k is None else k, **how}
        benches = dict(self._each(live, how))
        for name, one in benches.items():
            if not one.asked:
                raise InputError("nothing was asked: {why}", name, why=one.stopped)
        return dict(zip(benches, judged(list(benches.values()), self.judging), strict=True))

    def _each(self, live: Mapping[str, Any], how: Mapping[str, Any]) -> Iterator[tuple[str, Bench]]:
        done = 0
        for name, one in live.items():
            if isinstance(one, Bench):
                yield name, replace(one, name=name)
                continue
            yield name, self._one(name, one, done, how)
            done += 1

    def _one(self, name: str, retriever: Any, before: int, how: Mapping[str, Any]) -> Bench:
        """One retriever's benchmark, still without scores."""
        each = len(self.texts)
        everything = self.retrievers * each + len(self._measures)

        def report(done: int, total: int) -> None:
            self.progress(before * each + each * done // max(1, total), everything)

        try:
            timed = bench(retriever, self.texts, progress=report, **how)
        except InputError as error:
            raise InputError(error.said, name) from error
        if timed.stopped == INTERRUPTED:
            raise KeyboardInterrupt
        report(1, 1)
        return replace(timed, name=name)

    def compared(self, done: int, total: int) -> None:
        """So many of the measures are compared."""
        before = self.retrievers * len(self.texts)
        self.progress(before + done, before + total)

    def _depth(self) -> int:
        """How many documents the measures look at."""
        return max((measure.cutoff or DEEPEST for measure in self._measures), default=DEEPEST)

    @property
    def _measures(self) -> set[Measure]:
        rules = Rules.of(self.judging.rules)
        wanted = rules.measures if self.judging.measures is None else self.judging.measures
        return set(asked_for(wanted, rules).values())
