"""JSON: {query: {document: score or grade}}, {query: [documents, best first]}, a list of objects, rank_eval's."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, BinaryIO

from truerank.core.errors import InputError, truncated
from truerank.core.mappings import IGNORED
from truerank.core.messages import message
from truerank.core.qrels import Qrels
from truerank.core.run import Batch, Ranked
from truerank.formats import jsonl
from truerank.formats.answers import answers, is_answer
from truerank.formats.jsonl import dumped, graded, scattered, utf8
from truerank.formats.records import parsed, qrels_of_records, run_parts
from truerank.formats.registry import Format, register
from truerank.formats.rows import Numbered, complete_answers, complete_judgements, unnumbered
from truerank.formats.source import BLOCK, MARK, Source

_START = rb'\s*(\{\s*"|\[\s*\{|(\{\s*\}|\[\s*\])\s*\Z)'
_WORDS = (b"null", b"true", b"false")
_OPEN = rb"\A\s*\{"
_NEXT = re.compile(rb'\s*,\s*(?="(?:[^"\\]|\\.)*"\s*:\s*[\[{])')
_SAVED = rb'\s*\[?\s*\{\s*"rules"\s*:\s*\{\s*"name"\s*:\s*"'
_NUMBER = rb":\s*(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"

FALLING = 10
"""Documents whose scores must fall before a query is taken for a run's."""

MOST_CALLS = 100_000
"""Calls of a query that can be written as lists of lists."""

CUTS = 8
"""Places that are tried as the end of a query."""


def sniff(head: bytes, name: str) -> float:
    """Brackets of JSON, unless this is JSON lines (rank_eval's is not); or a lone word such as null."""
    text = head.strip()
    if text in _WORDS:
        return 0.9
    if not text.startswith((b"{", b"[")) or not re.match(_START, head):
        return 0.0
    from truerank.formats.rank_eval import RESPONSE

    if RESPONSE.match(head):
        return 1.0
    return 0.0 if jsonl.sniff(head, name) else 0.95  # surer than CSV, since a line of JSON looks like cells too


def holds(source: Source) -> str | None:
    """By the keys of a list's objects or of rank_eval, or by fractions that fall from document to document."""
    if source.head.lstrip().startswith(b"["):
        return jsonl.holds(source)
    from truerank.formats.columnar import PREDICTIONS
    from truerank.formats.rank_eval import side

    if known := "run" if PREDICTIONS.match(source.head) else side(source.head):
        return known
    numbers = [float(number) for number in re.findall(_NUMBER, source.head.split(b"}", 1)[0])]
    falling = len(numbers) >= FALLING and all(a > b for a, b in itertools.pairwise(numbers))
    return "run" if falling and any(number % 1 for number in numbers) else None


def read_run(source: Source) -> Iterator[Batch]:
    """Some queries at a time; a list all at once."""
    _refuse_saved(source)
    if source.head.strip() in _WORDS:
        raise _nothing(source)
    if source.head.lstrip().startswith(b"["):
        yield from run_parts(_listed(source), source.name)
    else:
        from truerank.formats.columnar import PREDICTIONS, may_be_table, predicted_in, rows_of
        from truerank.formats.rank_eval import RESPONSE

        is_one = bool(RESPONSE.match(source.head) or PREDICTIONS.match(source.head))
        parts = _distinct([_object(source.text(), source.name)] if is_one else _objects(source), source.name)
        first = next(parts)
        if (predicted := predicted_in(first, source.name)) is not None:
            yield from _answered(predicted, source.name)
            return
        if is_one or may_be_table(first):
            for part in parts:
                first |= part
            if rows := rows_of(first, "run", source.name):
                yield from run_parts(unnumbered(rows()), source.name)
                return
        for part in itertools.chain([first], parts):
            yield from _answered(part, source.name)


def _answered(part: dict[str, Any], name: str) -> Iterator[Batch]:
    """{query: documents}."""
    if all(type(docs) is dict for docs in part.values()) and not is_answer(next(iter(part.values()), None)):
        yield complete_answers(part, name)
    else:
        lists = (answers(q, docs, None, name) for q, docs in part.items())
        yield from itertools.chain.from_iterable(lists)


def read_qrels(source: Source) -> Qrels:
    """All judgements."""
    _refuse_saved(source)
    if source.head.lstrip().startswith(b"["):
        return qrels_of_records(_listed(source), source.name)
    if source.head.strip() in _WORDS:
        raise _nothing(source)
    text = source.text()
    whole = _object(text, source.name)
    from truerank.formats.columnar import judged_in, rows_of

    if rows := rows_of(whole, "qrels", source.name):
        return qrels_of_records(unnumbered(rows()), source.name)
    judged = judged_in(whole, source.name)
    judged = _ignoring(judged) if _has_word(text, b"null") else judged
    return complete_judgements(Qrels.from_dict(judged, source.name))


def _refuse_saved(source: Source) -> None:
    """Raise for what `truerank eval` saved: its rules have a name, where a query would have numbers."""
    if re.match(_SAVED, source.head):
        raise InputError(
            "these are saved scores, of which only `truerank compare` and `check` can make something; name the run "
            "and the qrels that they are of",
            source.name,
        )


def _nothing(source: Source) -> InputError:
    return InputError("this JSON holds {value} and no queries", source.name, value=source.head.decode().strip())


def _ignoring(whole: Mapping[str, Any]) -> dict[str, Any]:
    """Judgements, in which null stands for a pair that is ignored."""
    judged = {query: docs for query, docs in whole.items() if type(docs) is dict and None in docs.values()}
    for query, docs in judged.items():
        judged[query] = {doc: IGNORED if grade is None else grade for doc, grade in docs.items()}
    return {**whole, **judged}


def _listed(source: Source) -> Iterator[Numbered]:
    from truerank.formats.repeats import may_repeat, refuse_repeats  # not needed at every start

    text = source.text()
    listed = parsed(text, source.name)
    if type(listed) is list and may_repeat(listed, text):
        refuse_repeats(listed, text, source.name, of_records=True)
    return unnumbered(listed)


def _object(text: bytes | bytearray, name: str, line: int = 1) -> Any:
    """The value of a JSON text; raise where a key comes twice, of which parsers silently keep one."""
    whole = parsed(text, name, line)
    if type(whole) is dict:
        from truerank.formats.repeats import refuse_repeats  # not needed at every start

        refuse_repeats(whole, text, name)
    if type(whole) is dict and (_has_word(text, b"true") or _has_word(text, b"false")):
        _refuse_booleans(whole, name)
    return whole


def _has_word(text: bytes | bytearray, word: bytes) -> bool:
    """Whether a word is in the text; its letters are looked for first, which is far faster."""
    return all(letter in text for letter in word) and word in text


def _refuse_booleans(whole: dict[str, Any], name: str) -> None:
    """Raise for true or false as a value, which Python takes for 1 and 0; beside an answer's list they may be."""
    for query, docs in whole.items():
        if is_answer(docs):
            continue
        values = docs.values() if type(docs) is dict else docs if type(docs) is list else ()
        if bool in set(map(type, values)):
            said = (
                message("query {query} has true or false where a number should stand", query=truncated(query))
                if type(docs) is dict
                else message(
                    "query {query} has true or false where a document's id should stand", query=truncated(query)
                )
            )
            raise InputError(said, name)


def _distinct(parts: Iterable[dict[str, Any]], name: str) -> Iterator[dict[str, Any]]:
    """The parts of an object; raise where a query comes twice."""
    seen: set[str] = set()
    for part in parts:
        for query in part.keys() & seen:
            raise InputError(
                "'{query}' comes twice in one object: only one would count", name, query=truncated(query)
            )
        seen |= part.keys()
        yield part


def _objects(source: Source) -> Iterator[dict[str, Any]]:
    """The object as several with some queries each; the whole rest where no query ends in a long stretch.

    Where none ends, the next place is looked for in twice as much: each byte is looked at a few times at most.
    """
    text, line, enough = bytearray(), 1, float(BLOCK)
    for chunk in source.chunks():
        text += chunk if text or line > 1 else re.sub(_OPEN, b"", chunk.removeprefix(MARK), count=1)
        if len(text) >= enough:
            try:
                split = _part(text, source.name, line)
                enough = BLOCK if split else 2 * len(text)
            except InputError:  # damaged, or a list of records that hold others
                split, enough = None, math.inf
            if split:
                part, rest = split
                yield part
                line += text.count(b"\n", 0, rest)
                del text[:rest]
    yield _object(b"{" + text, source.name, line)


def _part(text: bytearray, name: str, line: int) -> tuple[dict[str, Any], int] | None:
    """The part before the last place where one query ends and the next begins, and where the next one begins.

    The place is found by its punctuation. An id may contain the same, but what is cut there is not valid JSON.
    """
    end, fault = len(text), None
    for _ in range(CUTS):
        end = max(text.rfind(b"}", 0, end), text.rfind(b"]", 0, end))
        if end < 0:
            break
        if following := _NEXT.match(text, end + 1):
            try:
                return _object(b"{" + text[: end + 1] + b"}", name, line), following.end()
            except InputError as error:
                fault = fault or error
    if fault and len(text) > CUTS * BLOCK:
        raise fault
    return None


def write_run(run: Iterable[Ranked], file: BinaryIO, tag: str) -> None:
    """{query: {document: score}}, a query per line; {query: [[[document, score], …], …]} with a list per call."""
    seen: set[bytes] = set()
    for query, group in itertools.groupby(run, key=attrgetter("query")):
        lists = list(group)
        calls = [1 if ranked.call is None else ranked.call for ranked in lists]
        if query in seen or any(a >= b for a, b in itertools.pairwise(calls)):
            raise scattered(query)
        scored = [_scored(ranked) for ranked in lists]
        _entry(file, query, scored[0] if lists[0].call is None else _by_call(query, calls, scored), first=not seen)
        seen.add(query)
    file.write(b"\n}\n" if seen else b"{}\n")


def _scored(ranked: Ranked) -> dict[str, float]:
    scored = dict(zip(map(utf8, ranked.docs), ranked.numbers(), strict=True))
    if len(scored) < len(ranked.docs):
        doc = next(doc for doc, times in Counter(map(utf8, ranked.docs)).items() if times > 1)
        raise InputError(
            "document {doc} is returned twice for query {query}: JSON cannot hold both; --collapse max --ids id "
            "keeps the better one",
            line=ranked.line,
            doc=truncated(doc),
            query=truncated(ranked.query),
        )
    return scored


def _by_call(query: bytes, calls: Sequence[int], scored: Sequence[dict[str, float]]) -> list[list[Any]]:
    """The lists of a query's calls as pairs (id, score); a call that is left out returned nothing."""
    wrong = [call for call in (calls[0], calls[-1]) if not 1 <= call <= MOST_CALLS]
    if wrong:
        raise InputError(
            "query {query} has call {call}: JSON holds 1 to {most:,}",
            query=truncated(query),
            call=wrong[0],
            most=MOST_CALLS,
        )
    lists: list[list[Any]] = [[] for _ in range(calls[-1])]
    for call, docs in zip(calls, scored, strict=True):
        lists[call - 1] = list(docs.items())
    return lists


def write_qrels(qrels: Qrels, file: BinaryIO) -> None:
    """{query: {document: grade}}, one query per line; null for a pair that is ignored, as orjson writes NaN.

    With aspects {query: {document: {aspect: grade}}}.
    """
    for i, (query, judged) in enumerate(qrels.by_query()):
        nested = {utf8(doc): graded(answered) for doc, answered in qrels.by_aspect(i).items()}
        _entry(file, query, nested or graded(judged), first=i == 0)
    file.write(b"\n}\n" if len(qrels) else b"{}\n")


def _entry(file: BinaryIO, query: bytes, value: Any, first: bool) -> None:
    file.write((b"{\n" if first else b",\n") + dumped(utf8(query)) + b": " + dumped(value))


register(
    Format(
        "json",
        message(
            "{query: {document: score or grade}}, {query: [documents]}, or a list of objects; grade null: ignored; "
            "Elasticsearch's rank_eval: its request is qrels, its response a run; MTEB's predictions; contexts of "
            "questions with has_answer, as DPR and Pyserini write them: a run, and judgements of it; as a run what "
            "Pinecone, Chroma, Qdrant, Elasticsearch and Solr answer, LlamaIndex's nodes and RankLLM's results"
        ),
        sniff,
        holds,
        (".json",),
        read_run,
        read_qrels,
        write_run,
        write_qrels,
        holds_ignored=True,
        holds_aspects=True,
        holds_empty=True,
    )
)
