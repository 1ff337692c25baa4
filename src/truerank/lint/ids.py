"""Checks of ids: which would be found if they were written alike."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

from truerank.lint.checks import Case, Watch, each_answer
from truerank.lint.findings import Severity

EXTENSIONS = frozenset(
    b"jpg jpeg png gif bmp tif tiff webp svg txt json jsonl html htm xml pdf csv tsv md doc docx gz zip "
    b"mp3 mp4 avi mov mkv wav flac npy npz pt h5 py java js cpp".split()
)

SERIOUS = 0.01
"""From this share of the judged documents on, ids that nearly match make the numbers wrong."""


def _composed(name: bytes) -> bytes:
    return name if name.isascii() else _encoded(unicodedata.normalize("NFC", _decoded(name)))


def _lower(name: bytes) -> bytes:
    return name.lower() if name.isascii() else _encoded(_decoded(name).lower())


def _decoded(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def _encoded(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def _stem(name: bytes) -> bytes:
    stem, _, extension = name.rpartition(b".")
    return stem if stem and extension.lower() in EXTENSIONS else name


def _whole_number(name: bytes) -> bytes:
    return name[:-2] if name.endswith(b".0") and name[:-2].isdigit() else name


def _without_zeros(name: bytes) -> bytes:
    return name.lstrip(b"0") or name[-1:]


STEPS: dict[str, Callable[[bytes], bytes]] = {
    "Unicode form": _composed,
    "white space": bytes.strip,
    "quotes": lambda name: name.strip(b"\"'`"),
    "case": _lower,
    "file extension": _stem,
    "a trailing .0": _whole_number,
    "leading zeros": _without_zeros,
}
"""What may differ between two ways to write one id, and what takes it away."""


def bare(name: bytes, steps: Mapping[str, Callable[[bytes], bytes]] = STEPS) -> bytes:
    """An id without everything that the steps take away."""
    for step in steps.values():
        name = step(name)
    return name


def difference(one: bytes, two: bytes) -> str:
    """What has to be taken away for two ids to be equal.

    >>> difference(b"A.jpg", b"a"), difference(b"007", b"7")
    ('case and file extension', 'leading zeros')
    """
    needed = dict(STEPS)
    for name in STEPS:
        fewer = {other: step for other, step in needed.items() if other != name}
        if bare(one, fewer) == bare(two, fewer):
            needed = fewer
    return " and ".join(needed)


def nearly(wanted: Iterable[bytes], others: Iterable[bytes]) -> list[tuple[bytes, bytes]]:
    """Pairs (wanted, other) of ids that differ only in how they are written; each is wanted once."""
    named = {bare(name): name for name in wanted}
    return [(named.pop(key), other) for other in others if (key := bare(other)) in named]


class _Queries:
    """Which judged query a query of the run means: the same, or one that only is written otherwise."""

    def __init__(self, case: Case):
        self.judged = case.judged

    def __getitem__(self, query: bytes) -> bytes:
        """The judged query's id, or nothing."""
        return query if query in self.judged else self._bare.get(bare(query), b"")

    @cached_property
    def _bare(self) -> dict[bytes, bytes]:
        return {bare(query): query for query in self.judged}


@each_answer
def nearly_judged_docs(case: Case) -> Watch:
    """Judged documents that would be found if ids were written alike."""
    judged_as = _Queries(case)
    count, first, line = 0, (b"", b""), 0
    while (answer := (yield)) is not None:
        judged = case.judged.get(judged_as[answer.query], {})
        if not (unfound := judged.keys() - answer.docs):
            continue
        pairs = nearly(unfound, (doc for doc in answer.docs if doc not in judged))
        if pairs and not count:
            first, line = pairs[0], answer.lines[answer.docs.index(pairs[0][1])]
        count += len(pairs)
    if count:
        total = sum(map(len, case.judged.values()))
        severity: Severity = "error" if count >= SERIOUS * total else "warning"
        text = "document {} is judged as {} (other {}); {} more of {} judged would be found if ids agreed"
        args = first[1], first[0], difference(*first), count, total
        case.log.once(severity, "document-ids", text, *args, line=line, count=count)


@each_answer
def nearly_judged_queries(case: Case) -> Watch:
    """Judged queries that would be answered if ids were written alike."""
    judged_as, unanswered = _Queries(case), set(case.judged)
    near: dict[bytes, tuple[bytes, int]] = {}
    while (answer := (yield)) is not None:
        unanswered.discard(answer.query)
        judged = judged_as[answer.query]
        if judged and judged != answer.query:
            near.setdefault(judged, (answer.query, answer.lines[0]))
    if found := [query for query in near if query in unanswered]:
        judged, (answered, line) = found[0], near[found[0]]
        text = "query {} is judged as {} (other {}); {} of {} unanswered would be answered if ids agreed"
        args = answered, judged, difference(judged, answered), len(found), len(unanswered)
        case.log.once("error", "query-ids", text, *args, line=line, count=len(found))
