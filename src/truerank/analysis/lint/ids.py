"""Checks of ids: which would be found if they were written alike."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from functools import cached_property

from truerank.analysis.lint.checks import Case, Watch, each_answer, first_line
from truerank.analysis.lint.findings import Severity, printed
from truerank.core.kernel.scanning import as_bytes, as_text
from truerank.core.messages import Message, message

EXTENSIONS = frozenset(
    b"jpg jpeg png gif bmp tif tiff webp svg txt json jsonl html htm xml pdf csv tsv md doc docx gz zip "
    b"mp3 mp4 avi mov mkv wav flac npy npz pt h5 py java js cpp".split()
)

_ZEROS = re.compile(rb"(?<![0-9.])0+(?=[0-9])")
"""Those before a whole number, wherever it stands; behind a point they mean something."""

_MARKED = re.compile(rb"[\s\"'`./\\\x00\x80-\xff]")
"""What steps other than case and zeros look for; and what keeps ids from being put together and cut again."""

_DIVIDED = re.compile(rb"[#_:-]+(?:chunk|part|passage|p|c)?[_-]?[0-9]", re.IGNORECASE)
"""What stands between a document's id and the number of its part; ids without it are looked at all at once."""

SERIOUS = 0.01
"""From this share of the judged documents on, ids that nearly match make the numbers wrong."""


def _composed(name: bytes) -> bytes:
    return name if name.isascii() else as_bytes(unicodedata.normalize("NFC", as_text(name)))


def _lower(name: bytes) -> bytes:
    return name.lower() if name.isascii() else as_bytes(as_text(name).lower())


def _stem(name: bytes) -> bytes:
    stem, _, extension = name.rpartition(b".")
    return stem if stem and extension.lower() in EXTENSIONS else name


def _whole_number(name: bytes) -> bytes:
    return name[:-2] if name.endswith(b".0") and name[:-2].isdigit() else name


def _without_zeros(name: bytes) -> bytes:
    return _ZEROS.sub(b"", name)


def _without_folders(name: bytes) -> bytes:
    return name.replace(b"\\", b"/").rsplit(b"/", 1)[-1]


STEPS: dict[Message, Callable[[bytes], bytes]] = {
    message("Unicode form"): _composed,
    message("white space"): bytes.strip,
    message("quotes"): lambda name: name.strip(b"\"'`"),
    message("case"): _lower,
    message("folders"): _without_folders,
    message("file extension"): _stem,
    message("a trailing .0"): _whole_number,
    message("leading zeros"): _without_zeros,
}
"""What may differ between two ways to write one id, and what takes it away."""


def bare(name: bytes, steps: Mapping[Message, Callable[[bytes], bytes]] = STEPS) -> bytes:
    """An id without everything that the steps take away."""
    for step in steps.values():
        name = step(name)
    return name


def difference(one: bytes, two: bytes) -> Message:
    """What has to be taken away for two ids to be equal.

    >>> difference(b"A.jpg", b"a"), difference(b"d007", b"d7"), difference(b"docs/5.txt", b"5")
    ('case and file extension', 'leading zeros', 'folders and file extension')
    """
    needed = dict(STEPS)
    for name in STEPS:
        fewer = {other: step for other, step in needed.items() if other != name}
        if bare(one, fewer) == bare(two, fewer):
            needed = fewer
    joined, *others = needed
    for other in others:
        joined = message("{one} and {other}", one=joined, other=other)
    return joined


PARTS = 0.5
"""Documents are taken for parts of judged ones where at most this share of those is there under its own id."""


def parts_of(wholes: Container[bytes], docs: Collection[bytes]) -> dict[bytes, bytes]:
    """{one of the wholes: a document that is a part of it, and none of them itself}."""
    parts: dict[bytes, bytes] = {}
    if not _DIVIDED.search(b"".join(docs)):
        return parts
    from truerank.truth.chunks import whole_of  # with all rules of truth, which other runs need not wait for

    for doc in docs:
        if doc not in wholes and (whole := whole_of(doc)) in wholes:
            parts.setdefault(whole, doc)
    return parts


HOW_PARTS = message(
    "score each document by its best part (--collapse max of eval, compare, check and others; in Python "
    "truerank.collapse), or judge parts"
)


@each_answer
def parts_of_judged_docs(case: Case) -> Watch:
    """Documents of the run that are parts (chunks, passages) of judged documents."""
    count, whole, first, line = 0, 0, (b"", b""), 0
    while (answer := (yield)) is not None:
        judged = case.judged.get(answer.query, {})
        there = answer.found_of(judged)
        divided = parts_of(judged, answer.docs) if answer.may_hold_parts(judged) else {}
        parts = {doc: part for doc, part in divided.items() if doc not in there}
        if parts and not count:
            first = next(iter(parts.items()))
            line = answer.lines[answer.find(first[1])]
        count, whole = count + len(parts), whole + len(there)
    if count and whole <= PARTS * (count + whole):
        fault = message(
            "judged documents are returned only in parts ({n:,} in all), as {part} of {doc}: {advice}",
            n=count,
            part=printed(first[1]),
            doc=printed(first[0]),
            advice=HOW_PARTS,
        )
        case.log.once("error", "parts", fault, line, count)


HOW_WHOLES = message("return parts as they are judged, or judge documents, each by its best part")


@each_answer
def wholes_of_judged_docs(case: Case) -> Watch:
    """Documents of the run whose parts (chunks, passages) are judged, in queries where nothing else is."""
    count, whole, first, line = 0, 0, (b"", b""), 0
    while (answer := (yield)) is not None:
        judged = case.judged.get(answer.query, {})
        there = answer.found_of(judged)
        parts = {} if there else parts_of(set(answer.docs), judged)
        if parts and not count:
            first = next(iter(parts.items()))
            line = answer.lines[answer.find(first[0])]
        count, whole = count + len(parts), whole + len(there)
    if count and whole <= PARTS * (count + whole):
        fault = message(
            "only parts of returned documents are judged ({n:,} documents in all), as {part} of {doc}: {advice}",
            n=count,
            part=printed(first[1]),
            doc=printed(first[0]),
            advice=HOW_WHOLES,
        )
        case.log.once("error", "wholes", fault, line, count)


def all_bare(names: Sequence[bytes]) -> list[bytes]:
    """Each id without everything that the steps take away; at once where they are plain, as that is faster."""
    text = b"\n".join(names)
    plain = not _MARKED.search(text.replace(b"\n", b"-")) and text.count(b"\n") == len(names) - 1
    return _without_zeros(text.lower()).split(b"\n") if plain else list(map(bare, names))


def nearly(wanted: Iterable[bytes], others: Iterable[bytes]) -> list[tuple[bytes, bytes]]:
    """Pairs (wanted, other) of ids that differ only in how they are written; each is wanted once.

    Folders may be left out, not differ: a/1.txt may be 1.txt, but is not b/1.txt.

    >>> nearly([b"D1", b"a/2.txt"], [b"b/2.txt", b"2", b"d01"])
    [(b'a/2.txt', b'2'), (b'D1', b'd01')]
    """
    named: dict[bytes, list[bytes]] = {}
    found, wanted, others = [], list(wanted), list(others)
    for key, name in zip(all_bare(wanted), wanted, strict=True):
        named.setdefault(key, []).append(name)
    for key, other in zip(all_bare(others), others, strict=True):
        for name in [name for name in named.get(key, ()) if _may_be(name, other)][:1]:
            named[key].remove(name)
            found.append((name, other))
    return found


def _may_be(one: bytes, other: bytes) -> bool:
    """Whether two ids that are bare the same stand in no different folders."""
    steps = {name: step for name, step in STEPS.items() if name != "folders"}
    short, long = sorted((bare(name, steps).replace(b"\\", b"/") for name in (one, other)), key=len)
    return short == long or long.endswith(b"/" + short)


class _Queries:
    """Which judged query a query of the run means: the same, or one that only is written otherwise."""

    def __init__(self, case: Case):
        self.judged = case.judged

    def __getitem__(self, query: bytes) -> bytes:
        """The judged query's id, or nothing."""
        if query in self.judged:
            return query
        likely = self._bare.get(bare(query), b"")
        return likely if likely and _may_be(likely, query) else b""

    @cached_property
    def _bare(self) -> dict[bytes, bytes]:
        return {bare(query): query for query in self.judged}


@each_answer
def nearly_judged_docs(case: Case) -> Watch:
    """Judged documents that would be found if ids were written alike."""
    judged_as = _Queries(case)
    count, first, line = 0, (b"", b""), 0
    while (answer := (yield)) is not None:
        judged = case.judged.get(answer.query) or case.judged.get(judged_as[answer.query], {})
        there = answer.found_of(judged)
        unfound = [doc for doc in judged if doc not in there]
        if not unfound or not answer.may_hold_spellings(unfound):
            continue
        pairs = nearly(unfound, (doc for doc in answer.docs if doc not in judged))
        if pairs and not count:
            first, line = pairs[0], answer.lines[answer.find(pairs[0][1])]
        count += len(pairs)
    if count:
        total = sum(map(len, case.judged.values()))
        severity: Severity = "error" if count >= SERIOUS * total else "warning"
        fault = message(
            "document {doc} is judged as {judged} (other {difference}); "
            "{n:,} more of {total:,} judged would be found if ids agreed",
            doc=printed(first[1]),
            judged=printed(first[0]),
            difference=difference(*first),
            n=count,
            total=total,
        )
        case.log.once(severity, "document-ids", fault, line, count)


@each_answer
def nearly_judged_queries(case: Case) -> Watch:
    """Judged queries that would be answered if ids were written alike."""
    judged_as, unanswered = _Queries(case), set(case.judged)
    near: dict[bytes, tuple[bytes, int | None]] = {}
    while (answer := (yield)) is not None:
        if answer.query in case.judged:
            unanswered.discard(answer.query)
        elif judged := judged_as[answer.query]:
            near.setdefault(judged, (answer.query, first_line(answer)))
    if found := [query for query in near if query in unanswered]:
        judged, (answered, line) = found[0], near[found[0]]
        fault = message(
            "query {query} is judged as {judged} (other {difference}); "
            "{n:,} of {total:,} unanswered would be answered if ids agreed",
            query=printed(answered),
            judged=printed(judged),
            difference=difference(judged, answered),
            n=len(found),
            total=len(unanswered),
        )
        case.log.once("error", "query-ids", fault, line, len(found))


@each_answer
def no_judged_docs(case: Case) -> Watch:
    """No result of a judged query is judged, and no other finding about ids tells why."""
    first: tuple[bytes, bytes, bytes] | None = None
    line, queries, is_found = 0, 0, False
    while (answer := (yield)) is not None:
        judged = case.judged.get(answer.query)
        if is_found or not judged or not answer.size:
            continue
        is_found, queries = bool(answer.found_of(judged)), queries + 1
        if first is None:
            first, line = (answer.docs[0], answer.query, next(iter(judged))), answer.lines[0]
    explained = {"document-ids", "parts", "wholes"}
    if first and not is_found and explained.isdisjoint(finding.kind for finding in case.log.findings()):
        doc, query, other = map(printed, first)
        fault = message(
            "no returned document is judged: {doc} is returned for query {query}, but {other} is judged",
            doc=doc,
            query=query,
            other=other,
        )
        case.log.once("warning", "no-judged-document", fault, line, queries)
