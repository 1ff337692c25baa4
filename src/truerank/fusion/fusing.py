"""Several runs fused into one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from truerank.core.errors import InputError, quoted, truncated
from truerank.core.lists import List, lists
from truerank.core.messages import message
from truerank.core.rules import Rules, RulesLike
from truerank.core.run import Batch, Run, RunLike
from truerank.core.schema import POSITIVE, optional
from truerank.formats import open_run
from truerank.fusion.aligned import Found, aligned
from truerank.fusion.norms import NORMS, norm_named
from truerank.fusion.pooled import Floats, Pooled, pooled, ranked
from truerank.fusion.registry import Method, given

ONCE = ("count", "once")
"""Rules for repeated documents under which each counts in its first place here, and its repeats do not."""


def fuse(
    runs: Sequence[RunLike],
    method: str = "rrf",
    *,
    norm: str | None = "min-max",
    depth: int | None = None,
    rules: RulesLike | None = None,
    name: str | None = None,
    **params: Any,
) -> Run:
    """One run out of several, which any function takes as its run; read and fused query by query.

    A query that a run does not answer gets nothing from it. Documents of equal fused scores are tied, and stand in
    the order of the rules' ties: by default the higher id first, as evaluation has it.

    Args:
        runs: two at least, each as for `evaluate`. In files, the rows of a query stand together; a run in which
            they do not is read into memory whole.
        method: "rrf", "sum", "mnz", "wsum", …, perhaps with parameters, as in "rrf(k=20)".
        norm: how scores are made comparable for the methods that look at scores: "min-max", "min-max-inverted" (for
            distances), "min-max-opensearch", "max", "sum", "zmuv", "dbsf", "l2", "rank", "borda", or None.
        depth: how many documents of each fused list are kept; all by default.
        rules: of which ties, duplicates, score_precision and depth (of the lists that are read) are looked at.
        name: what to call it; the method otherwise.
        params: the method's parameters, such as weights=[0.3, 0.7].

    Raises:
        InputError: fewer than two runs, an unknown method or norm, a parameter that cannot be; later, when it is
            read: what is wrong in a run, no query in common, fused scores that are not finite.

    >>> import truerank as tr
    >>> bm25, dense = {"q": {"a": 9.1, "b": 4.0}}, {"q": {"b": 0.9, "c": 0.8}}
    >>> tr.fuse([bm25, dense], "rrf").to_dict()
    {'q': {'b': 0.03252247488101534, 'a': 0.01639344262295082, 'c': 0.016129032258064516}}
    >>> tr.evaluate({"q": {"b": 1}}, tr.fuse([bm25, dense], "wsum", weights=[0.3, 0.7]), "RR").mean
    {'RR': 1.0}
    """
    sources = opened(runs)
    chosen, written = given(method, params)
    checked = chosen.checked(written, len(sources))
    way = way_of(chosen, norm, rules, depth)
    return fused_run(name or chosen.name, sources, way, partial(way.fused, params=checked))


def fused_run(name: str, sources: Sequence[Run], way: Way, fused: Callable[[Pooled], Floats]) -> Run:
    """The run that is fused when it is read.

    Args:
        fused: gives each document of a pool its score.
    """
    return Run.of_lists(name, partial(_batches, sources, way, fused))


def _batches(
    sources: Sequence[Run], way: Way, fused: Callable[[Pooled], Floats], together: bool
) -> Iterator[Batch]:
    for pool in pooled(side_by_side(sources, way, together)):
        yield from ranked(pool, fused(pool), way.rules.ties, way.depth)


def side_by_side(sources: Sequence[Run], way: Way, together: bool) -> Iterator[Found]:
    """Each query with the list of each run, none of which has numbers that the way takes for something else.

    Raises:
        Interleaved: a run's rows of a query are scattered, and not `together`.
        InputError: ranks or distances stand where scores are needed; as for `aligned`.
    """
    for query, each in aligned(sources, way.rules, together=together):
        for source, own in zip(sources, each, strict=True):
            way.heed(own, source.name)
        yield query, each


def alone(run: Run, way: Way, depth: int | None = None) -> Run:
    """The run with the best document of each list first, and none twice: scores that are distances are negated.

    Args:
        depth: how many documents of each list are kept.
    """
    is_inverted = way.norm == "min-max-inverted"
    if not is_inverted and depth is None and way.rules.duplicates not in ONCE:
        return run
    return Run.of_lists(run.name, partial(_best_first, run, way.rules, -1 if is_inverted else 1, depth))


def _best_first(run: Run, rules: Rules, sign: int, depth: int | None, together: bool) -> Iterator[Batch]:
    whole = lists(run, rules, depth=rules.depth, together=together)
    for pool in pooled((query, [own]) for query, own in whole):
        yield from ranked(pool, pool.added(sign * pool.score), rules.ties, depth, close=0.0)


def opened(runs: Sequence[RunLike]) -> list[Run]:
    """The runs, none of them read.

    Raises:
        InputError: they are not several runs.
    """
    if not isinstance(runs, Sequence) or isinstance(runs, str | bytes) or len(runs) < 2:
        by_name = message("; of a dict of runs, [*runs.values()]") if isinstance(runs, Mapping) else ""
        raise InputError("fusion takes a list of at least two runs: [run, run]{by_name}", by_name=by_name)
    sources = [open_run(run, name=None if isinstance(run, Run) else _name(run, i)) for i, run in enumerate(runs, 1)]
    for source in sources:
        if source.saved:
            raise InputError("this is a reading, which has no lists any more: fuse the runs", source.name)
    return sources


def _name(run: RunLike, number: int) -> str | None:
    """What messages call a run in memory."""
    return None if isinstance(run, str | os.PathLike) else f"run {number}"


@dataclass(frozen=True, eq=False)
class Way:
    """How runs are fused: everything but the parameters of the method.

    Attributes:
        rules: of reading the lists.
        depth: how many documents of each fused list are kept; None: all.
    """

    method: Method
    norm: str | None
    rules: Rules
    depth: int | None

    def heed(self, own: List, run: str) -> None:
        """Refuse ranks or distances, negated, where they would be added up as scores, or turned round.

        Args:
            run: its name, for the message.
        """
        if not own.are_ranks and not own.are_distances:
            return
        if self.norm == "min-max-inverted":
            raise InputError(
                "these are known to be ranks or distances, of which the least is the best already: "
                "norm='min-max-inverted' would turn them round; take norm='min-max'",
                run,
            )
        if self.norm is None and self.method.adds:
            raise InputError(
                "there are ranks or distances here and no scores: without a norm each further run that returns a "
                "document would lower it; take norm='min-max', or a method of ranks such as rrf",
                run,
            )

    def fused(self, pool: Pooled, params: Mapping[str, Any]) -> Floats:
        """(documents,) the fused scores.

        Raises:
            InputError: some are not finite.
        """
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            scores = np.asarray(self.method.function(self.normed(pool), **params), np.float64)
        if not np.isfinite(scores).all():
            place = int(np.argmin(np.isfinite(scores)))
            raise InputError(
                "the fused scores of query {query} are not finite: the runs' scores are too large for {method} "
                "with norm {norm}",
                query=truncated(pool.queries[int(pool.query[place])]),
                method=self.method.name,
                norm=self.norm or "none",
            )
        return scores

    def normed(self, pool: Pooled) -> Pooled:
        """The pool with the scores that the method looks at."""
        norm: Callable[[Pooled], Pooled] | None = NORMS[self.norm] if self.norm else None
        if norm is None or (self.method.reads == "ranks" and self.norm != "min-max-inverted"):
            return pool
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return norm(pool)


def way_of(method: Method, norm: str | None, rules: RulesLike | None, depth: int | None) -> Way:
    """How runs are fused, if that can be.

    Raises:
        InputError: an unknown norm, a depth that is none, or one of lists of which the last are the best.
    """
    own, known = Rules.of(rules), norm_named(norm)
    if known == "min-max-inverted" and own.depth is not None:
        raise InputError(
            "norm='min-max-inverted' takes the lowest scores for the best, and the rule depth={depth} keeps the "
            "highest: leave one out",
            depth=quoted(own.depth),
        )
    kept = optional(POSITIVE).checked("depth", depth, InputError)
    return Way(method, known, own, kept)
