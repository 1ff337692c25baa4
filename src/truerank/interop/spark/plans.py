"""Plans: which way the rows of a run are read, chosen by what a look at it says."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from truerank.core.errors import InputError, did_you_mean, pluralize
from truerank.core.messages import Message, message

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Way = Literal["paths", "partitions", "shuffle"]

HEAD = 2000
"""Rows of the first partition that are looked at."""

MEANINGS: dict[Way, Message] = {
    "paths": message("tasks read the files themselves; rows never pass the Java virtual machine"),
    "partitions": message("tasks read the partitions as they are; only queries that several have are read again"),
    "shuffle": message("rows are brought together by query, and sorted by it"),
}


@dataclass(frozen=True)
class Plan:
    """Which way the rows of a run are read.

    Attributes:
        why: what speaks for it.
        judgements: how the tasks come by them.
    """

    way: Way
    why: Message
    judgements: Message

    def __str__(self) -> str:
        return f"{self.way}: {MEANINGS[self.way]}\n  {self.why}\n  {self.judgements}"

    def explain(self) -> None:
        """Print it."""
        print(self)


def forced(way: str, is_frame: bool) -> Way:
    """The way that is asked for.

    Raises:
        InputError: there is none of this name, or it needs files, or a frame.
    """
    ways = get_args(Way)
    if way not in ways:
        hint = did_you_mean(way, ways)
        raise InputError(message("there is no plan {way}.{hint} Plans: {ways}", way=way, hint=hint, ways=", ".join(ways)))
    if is_frame and way == "paths":
        raise InputError(message("the plan paths is for files: give their paths in place of the DataFrame"))
    if not is_frame and way == "partitions":
        raise InputError(message("the plan partitions is for a DataFrame: give one in place of the paths"))
    return way  # type: ignore[return-value]


def estimated(given: DataFrame, query: str, rows: DataFrame) -> tuple[Way, Message]:
    """The way that a frame is likely to be read fastest, and what speaks for it.

    Args:
        given: the frame as it was given; `query` is its column of query ids.
        rows: the same with typed columns.
    """
    if _is_hashed(given, query):
        return "partitions", message("the frame is partitioned by {query}", query=query)
    head = [bytes(row.query or b"") for row in rows.select("query").limit(HEAD).collect()]
    stretches, queries = sum(1 for _ in itertools.groupby(head)), len(set(head))
    if stretches == queries and 2 * queries <= max(len(head), 2):
        said = "in its first {rows}, those of a query follow each other"
        return "partitions", message(said, rows=pluralize(len(head), "row"))
    said = "in its first {rows}, those of a query are scattered"
    return "shuffle", message(said, rows=pluralize(len(head), "row"))


def _is_hashed(frame: DataFrame, query: str) -> bool:
    """Whether the frame's own plan puts rows into partitions by this column alone."""
    partitioning: Any = frame._jdf.queryExecution().sparkPlan().outputPartitioning()
    if partitioning.getClass().getSimpleName() != "HashPartitioning" or partitioning.expressions().size() != 1:
        return False
    column = partitioning.expressions().head()
    return hasattr(column, "name") and column.name() == query
