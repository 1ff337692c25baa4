"""Every call of a benchmark, raw: when it should have begun, when it did, when it ended and what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

PHASES = ("cold", "alone", "warm-up", "measured")
"""cold: the very first call; alone: a few one after another, to know how long a call takes that has the retriever
for itself; warm-up: as many at a time as are measured; measured: what the figures are made of."""

OUTCOMES = ("ok", "empty", "error", "timeout", "dropped")
"""empty: an answer without documents; dropped: never started, since it had waited too long for its turn."""

MEASURED = PHASES.index("measured")
OK, EMPTY, ERROR, TIMEOUT, DROPPED = range(len(OUTCOMES))


@dataclass(frozen=True, eq=False)
class Samples:
    """One row per call, in the order in which they were due. Times are nanoseconds from the first measured start.

    Attributes:
        query: (n,) the index of the query.
        phase: (n,) an index into `PHASES`.
        outcome: (n,) an index into `OUTCOMES`.
        due: (n,) when it should have begun: by the schedule of an open loop; in a closed one, when it did.
        taken: (n,) when a worker was free for it.
        begin, end: (n,) of the call itself.
        returned: (n,) how many documents were returned.
        paused: (n,) for how much of the time between due and end Python collected garbage.
    """

    query: Ints
    phase: Ints
    outcome: Ints
    due: Ints
    taken: Ints
    begin: Ints
    end: Ints
    returned: Ints
    paused: Ints

    def __len__(self) -> int:
        return len(self.query)

    def __getitem__(self, rows: Bools | Ints) -> Samples:
        """Some of the rows."""
        return Samples(*(getattr(self, field.name)[rows] for field in fields(self)))

    @property
    def measured(self) -> Samples:
        """Without what came before the measuring."""
        return self[self.phase == MEASURED]

    @property
    def answered(self) -> Samples:
        """The calls that an answer was returned for, empty or not."""
        return self[self.outcome <= EMPTY]

    @property
    def started(self) -> Samples:
        """The calls that were made at all, that is, all but the dropped ones."""
        return self[self.outcome != DROPPED]

    @property
    def latency(self) -> Ints:
        """(n,) from the intended start to the end: what a user waits, queues included."""
        return self.end - self.due

    @property
    def service(self) -> Ints:
        """(n,) from the call to its return."""
        return self.end - self.begin

    @property
    def late(self) -> Bools:
        """(n,) whether no worker was free at the intended start."""
        return self.taken > self.due

    @property
    def lag(self) -> Ints:
        """(n,) how much later the call began than it could have: the fault of the schedule's own keeping."""
        return self.begin - np.maximum(self.due, self.taken)

    def count(self, outcome: str) -> int:
        """How many calls had this outcome."""
        return int((self.outcome == OUTCOMES.index(outcome)).sum())

    def to_dict(self) -> dict[str, list[int]]:
        """Plain columns, for JSON."""
        return {field.name: getattr(self, field.name).tolist() for field in fields(self)}

    @classmethod
    def from_dict(cls, columns: Mapping[str, Sequence[Any]]) -> Samples:
        """Samples from such columns."""
        return cls(*(np.array(columns[field.name], np.int64) for field in fields(cls)))


@dataclass(frozen=True)
class Harness:
    """What the measuring itself costs, measured after the run with a callable that only returns one of its answers.

    Attributes:
        call: nanoseconds that a call takes beside the retriever's time, such as to copy a list of dicts.
        clock: nanoseconds that are in every sample because the clock is read twice, and because a coroutine that
            has a time-out is begun as a task.
    """

    call: float
    clock: float
