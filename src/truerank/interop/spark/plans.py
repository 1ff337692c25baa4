"""Plans: the ways to read the rows of a run, and the choice among them after a look at the run."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from truerank.core.errors import InputError
from truerank.core.messages import Message, did_you_mean, message

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Way = Literal["paths", "partitions", "passes", "shuffle"]

HEAD = 2000
"""Rows of the first partition that are looked at."""

MEANINGS: dict[Way, Message] = {
    "paths": message("tasks read the files themselves; rows never pass the Java virtual machine"),
    "partitions": message("tasks read the partitions as they are; only queries that several have are read again"),
    "passes": message("tasks read the partitions as they are, then count ranks in them; no row is moved"),
    "shuffle": message("rows are brought together by query"),
}


@dataclass(frozen=True, repr=False)
class Plan:
    """The way in which the rows of a run are read.

    Attributes:
        why: the reason.
        judgements: how the tasks get them.
    """

    way: Way
    why: Message
    judgements: Message

    def __repr__(self) -> str:
        return f"{self.way}: {MEANINGS[self.way]}\n  {self.why}\n  {self.judgements}"


def forced(way: str, is_frame: bool) -> Way:
    """The way that is asked for.

    Raises:
        InputError: there is no such way, or it needs files, or a frame.
    """
    ways = get_args(Way)
    if way not in ways:
        hint = did_you_mean(way, ways)
        raise InputError("there is no plan {way}.{hint} Plans: {ways}", way=way, hint=hint, ways=", ".join(ways))
    if is_frame == (way == "paths"):
        mend = message("give paths") if is_frame else message("give a DataFrame")
        raise InputError("the plan {way} is not for this run: {mend}, or leave plan out", way=way, mend=mend)
    return way  # type: ignore[return-value]


def estimated(given: DataFrame, query: str, rows: DataFrame, distinct: bool) -> tuple[Way, Message]:
    """The way that is likely to be fastest for a frame, and the reason.

    Args:
        given: the frame as it was given; `query` is its column of query ids.
        rows: the frame with typed columns.
        distinct: whether it is known that no document is returned for a query in two parts.
    """
    if _is_hashed(given, query):
        return "partitions", message("the frame is partitioned by its column {query}", query=query)
    head = [bytes(row.query or b"") for row in rows.select("query").limit(HEAD).collect()]
    stretches, queries = sum(1 for _ in itertools.groupby(head)), len(set(head))
    if stretches == queries and 2 * queries <= max(len(head), 2):
        return "partitions", message("in its first rows, those of a query follow each other")
    if distinct:
        return "passes", message("its rows are scattered, and no document is returned for a query in two parts")
    return "shuffle", message("in its first rows, those of a query are scattered")


def _is_hashed(frame: DataFrame, query: str) -> bool:
    """Whether the frame's own plan partitions rows by this column only."""
    partitioning: Any = frame._jdf.queryExecution().sparkPlan().outputPartitioning()
    if partitioning.getClass().getSimpleName() != "HashPartitioning" or partitioning.expressions().size() != 1:
        return False
    column = partitioning.expressions().head()
    if column.getClass().getSimpleName() != "AttributeReference":  # an expression without a name, such as query % 8
        return False
    return str(column.name()) == query
