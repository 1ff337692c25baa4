"""The qrels of several judges, document by document, or aspect by aspect where that is what they judged."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from truerank.analysis.judged import Key, are_aspects, grades, keys
from truerank.core.errors import InputError, quoted, truncated
from truerank.core.hits import Bools
from truerank.core.mappings import distinct_ids
from truerank.core.messages import did_you_mean, listed, message
from truerank.core.qrels import Qrels
from truerank.core.scores import distinct, short
from truerank.formats import read_qrels
from truerank.measures.sums import Floats, Ints
from truerank.stats.raters import MOST_GRADES


@dataclass(frozen=True, eq=False)
class Judgements:
    """What each judge says of each document that any of them has judged.

    Where all of them judged aspects, such as nuggets, it is what each says of each aspect of a document: "document"
    stands for that below.

    Attributes:
        qrels: {judge: qrels}; what is only pooled, or ignored, is not judged.
        queries: the ids of all queries with a judgement, sorted.
        ids: (documents,) query and document, and the aspect where these were judged.
        query: (documents,) the query of each.
        grades: (documents, judges) NaN where a judge has not judged it.
        is_by_aspect: whether aspects were judged, by all judges.
    """

    qrels: Mapping[str, Qrels]
    queries: tuple[bytes, ...]
    ids: tuple[Key, ...]
    query: Ints
    grades: Floats
    is_by_aspect: bool = False

    @classmethod
    def of(cls, qrels: Mapping[str, Qrels]) -> Judgements:
        """The judgements of all judges, who may list theirs in any order."""
        places: dict[Key, int] = {}
        by_judge = []
        is_by_aspect = are_aspects(qrels.values())
        for one in qrels.values():
            given = grades(one, is_by_aspect)
            is_judged = given >= 0  # False for NaN, which is ignored
            own = itertools.compress(keys(one, is_by_aspect), is_judged.tolist())
            by_judge.append(([places.setdefault(key, len(places)) for key in own], given[is_judged]))
        table = np.full((len(places), len(qrels)), np.nan)
        for judge, (at, graded) in enumerate(by_judge):
            table[at, judge] = graded
        queries = sorted({key[0] for key in places})
        number = {query: place for place, query in enumerate(queries)}
        query = np.array([number[key[0]] for key in places], np.int64)
        return cls(qrels, tuple(queries), tuple(places), query, table, is_by_aspect)

    @property
    def names(self) -> tuple[str, ...]:
        """What the judges are called."""
        return tuple(self.qrels)

    @property
    def scale(self) -> Floats:
        """All grades that were given."""
        return np.unique(self.grades[np.isfinite(self.grades)])

    @property
    def shared(self) -> Bools:
        """(queries,) those of which every judge has judged a document."""
        given = np.zeros((len(self.queries), len(self.names)), bool)
        doc, judge = np.nonzero(np.isfinite(self.grades))
        given[self.query[doc], judge] = True
        return np.asarray(given.all(axis=1))

    @property
    def whole(self) -> Bools:
        """(documents,) those that every judge has judged."""
        return np.asarray(np.isfinite(self.grades).all(axis=1))

    def of_all(self) -> dict[str, Qrels]:
        """The qrels of each judge, with the documents alone that every judge has judged."""
        kept = set(itertools.compress(self.ids, self.whole.tolist()))
        return {
            name: _qrels({key: grade for key, grade in self._graded(one) if key in kept}, [one], one.name)
            for name, one in self.qrels.items()
        }

    def consensus(self, vote: str = "majority") -> Qrels:
        """The grade of each document on which those who judged it have voted.

        What none of them has judged, being pooled or ignored alone, stays as the first one has it who has it, and
        so do the weights of aspects.

        Args:
            vote: one of `VOTES`.

        Raises:
            InputError: there is no such vote.
        """
        if vote not in VOTES:
            raise InputError("a vote is majority, median, mean, max or min, not {vote}", vote=quoted(vote))
        voted = dict(zip(self.ids, VOTES[vote](self.grades).tolist(), strict=True))
        for one in self.qrels.values():
            for key, grade in self._graded(one):
                voted.setdefault(key, grade)
        return _qrels(voted, list(self.qrels.values()), "consensus")

    def _graded(self, qrels: Qrels) -> Iterator[tuple[Key, float]]:
        """Each judgement of a judge."""
        by_aspect = self.is_by_aspect
        return zip(keys(qrels, by_aspect), grades(qrels, by_aspect).tolist(), strict=True)


def _qrels(graded: Mapping[Key, float], given: Sequence[Qrels], name: str) -> Qrels:
    """Qrels of these grades, with all queries of the given ones, and the first weight these have of each aspect."""
    queries = sorted({query for one in given for query in one.queries})
    place = {query: number for number, query in enumerate(queries)}
    query, docs, *named = zip(*graded, strict=True) if graded else ((), ())
    aspects = distinct_ids(named[0]) if named else None
    rows = [place[each] for each in query], docs, list(graded.values())
    made = Qrels.from_rows(queries, *rows, name=name, aspects=aspects)
    if made.aspects is None:
        return made
    weights = {
        (query, aspect): weight
        for one in reversed(given)
        for number, query in enumerate(one.queries)
        for aspect, weight in one.weights_of(number).items()
    }
    own = zip(made.aspects.query.tolist(), made.aspects.names, strict=True)
    weight = np.array([weights[made.queries[number], aspect] for number, aspect in own], np.float64)
    return replace(made, aspects=replace(made.aspects, weight=weight))


def _majority(given: Floats) -> Floats:
    scale = np.unique(given[np.isfinite(given)])
    votes = [(given == grade).sum(axis=1) for grade in scale]
    return np.asarray(scale[np.argmax(votes, axis=0)])


VOTES: Mapping[str, Callable[[Floats], Any]] = {
    "majority": _majority,
    "median": partial(np.nanmedian, axis=1),
    "mean": partial(np.nanmean, axis=1),
    "max": partial(np.nanmax, axis=1),
    "min": partial(np.nanmin, axis=1),
}
"""The grade of each document by those of its judges, (documents, judges), NaN where one has not judged it.

The majority is the grade that most of them gave, the lowest where several were given equally often.
"""


def read_judges(given: Any) -> dict[str, Qrels]:
    """The qrels of each judge, by the names that they are given, or else by their files.

    Raises:
        InputError: there is one judge alone, or none.
    """
    if isinstance(given, str | os.PathLike | Qrels):
        given = [given]
    if not isinstance(given, Iterable):
        raise InputError("qrels are {{judge: qrels}} or a list of qrels, not {given}", given=quoted(given))
    named = {str(name): one for name, one in given.items()} if isinstance(given, Mapping) else _named(list(given))
    if len(named) < 2:
        raise InputError(
            "judges are held against one another: give the qrels of two or more, not of {n}", n=len(named)
        )
    return {name: read_qrels(one) for name, one in named.items()}


def _named(given: Sequence[Any]) -> dict[str, Any]:
    paths = [os.fspath(one) if isinstance(one, str | os.PathLike) else "" for one in given]
    names = [name or message("judge {n}", n=place) for place, name in enumerate(short(paths), 1)]
    return dict(zip(distinct(list(map(str, names))), given, strict=True))


def at_levels(qrels: Mapping[str, Qrels], binary: Any) -> dict[str, Qrels]:
    """These judgements with grade 1 from a level on and grade 0 below it.

    Args:
        binary: one level for all judges, one each in their order, or {judge: level}.

    Raises:
        InputError: there are not as many levels as judges, no such judge, or a level that is no number.
    """
    if isinstance(binary, Mapping):
        for name in binary:
            if name not in qrels:
                hint = did_you_mean(str(name), qrels)
                raise InputError(
                    "there is no judge {name!r}.{hint} There is {names}",
                    name=str(name),
                    hint=hint,
                    names=", ".join(qrels),
                )
        levels = [binary.get(name) for name in qrels]
    else:
        listed = list(binary) if isinstance(binary, Sequence | np.ndarray) else [binary]
        levels = listed * len(qrels) if len(listed) == 1 else listed
    if len(levels) != len(qrels):
        raise InputError(
            "there are {n} judges and {levels} levels: give one for all, or one each",
            n=len(qrels),
            levels=len(levels),
        )
    return {name: _binary(one, level) for (name, one), level in zip(qrels.items(), levels, strict=True)}


def _binary(qrels: Qrels, level: Any) -> Qrels:
    if level is None:
        return qrels
    if not isinstance(level, int | float) or not level > 0:
        raise InputError(
            "a level is a grade above 0 from which on a document is relevant, not {level!r}", level=level
        )
    aspects = qrels.aspects
    if aspects is not None:
        aspects = replace(aspects, grade=_from_level(aspects.grade, level))
    return replace(qrels, grades=_from_level(qrels.grades, level), aspects=aspects)


def _from_level(given: Floats, level: float) -> Floats:
    """1 from the level on and 0 below; what is not judged stays so."""
    return np.where(given >= 0, (given >= level).astype(float), given)


def refuse_unshared(judgements: Judgements, *, has_runs: bool) -> None:
    """Raise where judges have nothing in common, or more grades than there is a scale of."""
    if not len(judgements.grades):
        raise InputError("no judge has judged a document", ", ".join(judgements.names))
    if len(judgements.scale) > MOST_GRADES:
        raise InputError(
            "there are {n} different grades, and each counts as one of a scale: compare relevance alone, by the "
            "levels from which on grades are relevant (--binary 1,50)",
            n=len(judgements.scale),
        )
    given = np.isfinite(judgements.grades)
    if (given.sum(axis=1) > 1).any() or (has_runs and judgements.shared.any()):
        return
    if silent := [name for name, own in zip(judgements.names, given.T, strict=True) if not own.any()]:
        raise InputError("no document is judged by {names}", names=listed(silent))
    names = ", ".join(judgements.names)
    one, other = (", ".join(map(truncated, judgements.ids[int(np.argmax(own))])) for own in given.T[:2])
    if judgements.is_by_aspect:
        raise InputError(
            "no aspect of a document is judged by two of {names}: are these the same ids and aspects? The first "
            "has {one}, the second {other} (query, document, aspect)",
            names=names,
            one=one,
            other=other,
        )
    raise InputError(
        "no document of a query is judged by two of {names}: are these the same queries and ids? The first has "
        "{one}, the second {other} (query, document)",
        names=names,
        one=one,
        other=other,
    )
