"""A board ready to judge: its rules, truth, published queries and split. Loaded once in each process."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank.board.errors import of_board
from truerank.board.published import published_ids
from truerank.board.settings import BoardSettings
from truerank.board.split import SPLITS
from truerank.board.storage import Storage
from truerank.contest import audit
from truerank.core.errors import TruerankError, printable
from truerank.core.evaluate import evaluate
from truerank.core.found import as_ruled
from truerank.core.hits import Bools
from truerank.core.kernel.scanning import as_bytes
from truerank.core.messages import joined, message
from truerank.core.qrels import Qrels
from truerank.core.rules import Rules
from truerank.core.run import Run
from truerank.core.vocabulary import measures_under, under
from truerank.formats import read_qrels
from truerank.measures import Measure

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

PARTS = ("all", "public", "private")


@dataclass(frozen=True)
class Spec:
    """What a process needs to load a contest: small, and can be sent to another process. Made anew for each use.

    Attributes:
        truth: the file of the hidden judgements.
        key: splits the queries; secret.
        split: how: "exact", or "drawn" as boards of earlier versions are.
        stamp: changes when one of the contest's files does, so that it is read again.
    """

    settings: BoardSettings
    truth: Path
    key: bytes
    stamp: tuple[int, ...]
    split: str = "exact"

    @classmethod
    def of(cls, settings: BoardSettings, truth: Path, key: bytes, split: str = "exact") -> Spec:
        """With the stamp of the files as they are now."""
        paths = [truth, settings.queries, Path(settings.rules)]
        stats = [path.stat() for path in paths if path and path.is_file()]
        stamp = (number for stat in stats for number in (stat.st_mtime_ns, stat.st_size, stat.st_ino))
        return cls(settings, truth, key, tuple(stamp), split)


def spec_of(session: Session, settings: BoardSettings, storage: Storage) -> Spec | None:
    """What is needed to load a board's contest now; None while it has no truth."""
    from truerank.board.keys import secret  # not for workers, which know no database
    from truerank.board.models import Board

    row = session.get(Board, settings.name)
    truth = storage.path(row.truth, "truth") if row and row.truth else settings.truth
    key = secret(session, f"split:{settings.name}")
    return Spec.of(settings, truth, key, row.split if row else "exact") if truth else None


@dataclass(frozen=True, eq=False)
class Contest:
    """What submissions are judged by.

    Attributes:
        measures: the one that ranks among them.
        published: the ids that a submission may answer, sorted as bytes; all that an audit knows.
    """

    spec: Spec
    rules: Rules
    measures: tuple[Measure, ...]
    qrels: Qrels
    published: tuple[bytes, ...]

    @property
    def settings(self) -> BoardSettings:
        """The board's."""
        return self.spec.settings

    @cached_property
    def rank_by(self) -> Measure:
        """The measure that ranks."""
        return under(self.settings.rank_by, self.rules) if self.settings.rank_by else self.measures[0]

    @property
    def by_lines(self) -> bool:
        """Whether the official mean is over the submitted lines."""
        return self.rules.unit == "line"

    @cached_property
    def blind(self) -> Qrels:
        """The published queries without any judgement."""
        nothing = np.zeros(0, np.int64)
        start = np.zeros(len(self.published) + 1, np.int64)
        return Qrels(self.published, start, nothing, nothing, b"", np.zeros(0), "the published queries")

    @cached_property
    def evaluated(self) -> tuple[bytes, ...]:
        """The queries that have a strict value, whatever a submission answers."""
        if self.by_lines:
            names = audit(self.qrels, {}, self.measures, rules=self.rules).strict_scores.queries
        else:
            rules = self.rules.replace(missing="zero")
            names = evaluate(self.qrels, Run("nothing", lambda: iter(())), self.measures, rules=rules).queries
        return tuple(map(as_bytes, names))

    @cached_property
    def _public(self) -> frozenset[bytes]:
        chosen = SPLITS[self.spec.split](self.evaluated, self.spec.key, self.settings.public)
        return frozenset(query for query, is_public in zip(self.evaluated, chosen, strict=True) if is_public)

    @property
    def public_share(self) -> float:
        """The share of the queries that are public."""
        return len(self._public) / len(self.evaluated) if self.evaluated else self.settings.public

    def masks(self, queries: tuple[bytes, ...]) -> dict[str, Bools]:
        """{part: (queries,)} which of these belong to it."""
        is_public = np.array([query in self._public for query in queries], bool)
        return {"all": np.ones(len(queries), bool), "public": is_public, "private": ~is_public}

    @cached_property
    def fingerprint(self) -> str:
        """Changes when the rules, the measures, the truth, the published queries or the split do."""
        settings = self.settings
        said = {
            "rules": self.rules.to_dict(),
            "measures": list(map(str, self.measures)),
            "rank_by": str(self.rank_by),
            "score": settings.score,
            "public": settings.public,
            "ladder": settings.ladder,
            "key": hashlib.sha256(self.spec.key).hexdigest(),
        }
        if settings.public < 1 and self.spec.split != "drawn":
            said["split"] = self.spec.split
        state = hashlib.sha256(json.dumps(said, sort_keys=True).encode())
        for block in (*self.published, b"", *_bytes_of(self.qrels, self.rules)):
            state.update(len(block).to_bytes(8, "big") + block)
        return state.hexdigest()


def _bytes_of(qrels: Qrels, rules: Rules) -> list[bytes]:
    """All of the judgements that scores under these rules depend on."""
    parts: list[Any] = [*qrels.queries, qrels.start, qrels.begin, qrels.end, qrels.grades, qrels.text]
    if (aspects := as_ruled(qrels, rules).aspects) is not None:
        parts += aspects.told_apart_by()
    if rules.unit == "line" and qrels.is_number is not None and qrels.is_number.any():
        parts.append(qrels.is_number)
    return [part if isinstance(part, bytes) else np.ascontiguousarray(part).tobytes() for part in parts]


@lru_cache(maxsize=64)
def load(spec: Spec) -> Contest:
    """The contest of a board.

    Raises:
        BoardError: the rules, truth or measures of a board do not fit together.
    """
    settings = spec.settings
    try:
        rules = Rules.of(settings.rules)
        qrels = read_qrels(spec.truth)
        measures = measures_under(settings.measures or None, rules)
        first = under(settings.rank_by, rules) if settings.rank_by else measures[0]
    except TruerankError as error:
        raise of_board(settings.name, joined("", [error.where, error.said])) from None
    published = _published(settings, qrels)
    measures = measures if first in measures else [first, *measures]
    contest = Contest(spec, rules, tuple(measures), qrels, published)
    _check(contest)
    return contest


def _published(settings: BoardSettings, qrels: Qrels) -> tuple[bytes, ...]:
    if settings.queries is None:
        return tuple(qrels.queries)
    try:
        named = published_ids(settings.queries)
    except TruerankError as error:
        raise of_board(settings.name, joined("", ["queries: ", error.where, error.said])) from None
    if unlisted := set(qrels.queries) - set(named):
        said = message(
            "query {query} is judged, but not in {file}", query=printable(min(unlisted)), file=settings.queries.name
        )
        raise of_board(settings.name, said)
    return named


def _check(contest: Contest) -> None:
    settings = contest.settings
    if settings.download and not settings.download.is_file():
        raise settings.wrong("download", message("a file that is there"), str(settings.download))
    if contest.rank_by.definition.average != "mean":
        wanted = message("a measure with a mean over queries (unless set, the first of measures or of the rules)")
        raise settings.wrong("rank_by", wanted, str(contest.rank_by))
    if contest.rank_by.definition.lower_is_better:
        raise settings.wrong("rank_by", message("a measure of which more is better"), str(contest.rank_by))
    if contest.rules.without_relevant == "undefined":
        wanted = message(
            "rules under which every query has a value: without_relevant = 'skip' leaves it out of every mean"
        )
        raise settings.wrong("rules", wanted, settings.rules)
    if contest.by_lines and contest.published != tuple(contest.qrels.queries):
        raise settings.wrong(
            "queries", message("left out where the mean is over submitted lines"), str(settings.queries)
        )
    try:
        evaluated = contest.evaluated
    except TruerankError as error:  # a query that the rules do not allow, whatever a submission answers
        raise of_board(settings.name, joined("", [error.said])) from None
    if not evaluated:
        raise of_board(settings.name, message("no query of the truth counts under its rules"))
    if settings.public < 1:
        sides = contest.masks(evaluated)["public"]
        if sides.all() or not sides.any():
            raise settings.wrong("public", message("a share that leaves queries on both sides"), settings.public)
