"""Types of the compiled kernel."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank.core.kernel.names import Names

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Numbers = NDArray[np.uint32]
Answered = tuple[Names, Numbers, Numbers, Floats, Ints]
Bytes = bytes | bytearray | memoryview | NDArray[np.uint8]

HIT: np.dtype[np.void]

def as_bytes(name: object) -> bytes: ...
def as_text(name: bytes) -> str: ...
def is_no_id(kind: type) -> bool: ...
def in_columns(tables: list[NDArray[np.void]], queries: int) -> dict[str, NDArray[Any]]: ...

class QrelsParser:
    line: int
    @property
    def one_second(self) -> bytes | None: ...
    def feed(self, data: Bytes) -> None: ...
    def expect(self, times: float) -> None: ...
    def finish(self) -> tuple[Names, Ints, Ints, bytes, Floats | None, Ints, Answered | None]: ...

def by_document(
    start: Ints, doc: Numbers, name: Numbers, grade: Floats, place: Ints, where: Ints | None = ...
) -> tuple[Ints, Ints, Floats, Ints, Ints, Floats, bool]: ...

class Judged:
    n_queries: int
    n_docs: int
    firsts: NDArray[np.int64] | None
    def __init__(
        self,
        queries: Sequence[bytes],
        start: Ints,
        begin: Ints,
        end: Ints,
        text: bytes,
        given: Iterable[tuple[str, ...]] = ...,
    ) -> None: ...
    def find_each(self, query: Ints, begin: Ints, end: Ints, text: Bytes) -> Ints: ...

class Thresholds:
    is_strange: bool

    def __init__(
        self,
        judged: Judged,
        start: Ints,
        doc: Ints,
        score: Floats,
        kind: NDArray[np.uint8],
        up: bool,
        marking: bool,
        key: int,
    ) -> None: ...
    def counted(self) -> Ints: ...
    def marked(self) -> NDArray[Any]: ...

class Scanner:
    line: int
    rows: int
    repeated: int
    rising: int
    steps: int
    are_ranks: bool
    @property
    def repeats(self) -> NDArray[np.int64] | None: ...
    def __init__(
        self,
        judged: Judged,
        ties: str = ...,
        duplicates: str = ...,
        single: bool = ...,
        interleaved: bool = ...,
        keep: int = ...,
        every: bool = ...,
        counting: Thresholds | None = ...,
    ) -> None: ...
    def feed(self, data: Bytes) -> None: ...
    def columns(
        self,
        query_ends: Ints,
        query_text: Bytes,
        doc_ends: Ints,
        doc_text: Bytes,
        scores: Floats,
        runs: Ints | None = ...,
    ) -> None: ...
    def mapping(self, run: dict[Any, Any]) -> None: ...
    def ranked(self, query: Any, docs: Any, scores: Iterable[float] | None = ...) -> None: ...
    def finish(self) -> tuple[NDArray[Any], Ints]: ...
    def taken(self) -> tuple[NDArray[Any], tuple[Ints, bytes]]: ...
    @property
    def unjudged_ids(self) -> tuple[Ints, bytes]: ...
    @property
    def extra_queries(self) -> list[bytes]: ...
    def extra_from(self, first: int) -> list[bytes]: ...
    @property
    def here(self) -> tuple[bytes, bytes]: ...
