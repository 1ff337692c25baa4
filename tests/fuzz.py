"""Throws damaged bytes, odd numbers and random answers at the kernel, and compares it with plain Python.

    python tests/fuzz.py [--seconds 60] [--seed N]

Every case is drawn from the seed and its number, both printed when one fails; `--seed N --case M` runs
it alone.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

import fuzz_oracle as oracle
from fuzz_inputs import (
    SHAPES,
    Random,
    a_long_number,
    an_id,
    judgements,
    lines,
    options,
    pieces,
    qrels_line,
    run_line,
)
from fuzz_oracle import LineError, Options
from truerank.core.errors import Refused
from truerank.core.kernel.rows import columns_of, rows_of
from truerank.core.kernel.scanning import Judged, QrelsParser, Scanner, Thresholds, as_text
from truerank.core.qrels import Qrels


def outcome(work: Callable[[], Any]) -> Any:
    """What came out, or the refusal, in a form that can be compared."""
    try:
        return work()
    except Refused as refused:
        return LineError(refused.line, refused.kind)
    except LineError as refusal:
        return refusal


def same(found: Any, wanted: Any, *, lines_matter: bool = True) -> None:
    """Fail when the kernel and the oracle differ; a refusal may name any of the faults of its line."""
    if isinstance(found, LineError) and isinstance(wanted, LineError):
        assert found.kinds[0] in wanted.kinds, f"kernel: {found}; oracle: {wanted}"
        assert found.line == wanted.line or not lines_matter, f"kernel: {found}; oracle: {wanted}"
    else:
        assert type(found) is type(wanted), f"kernel: {found!r}; oracle: {wanted!r}"
        assert found == wanted, f"kernel: {found!r}; oracle: {wanted!r}"


def names(qrels: Qrels) -> dict[bytes, list[bytes]]:
    docs = [qrels.doc(row) for row in range(len(qrels.grades))]
    return {query: docs[slice(*qrels.start[q : q + 2])] for q, query in enumerate(qrels.queries)}


def scanned(qrels: Qrels, chosen: Options, feed: Callable[[Scanner], None]) -> oracle.Answers:
    """The kernel's answers, its documents numbered within their query."""
    judged = Judged(list(qrels.queries), qrels.start, qrels.begin, qrels.end, qrels.text)
    scanner = Scanner(judged, chosen.ties, chosen.duplicates, chosen.single, chosen.interleaved)
    feed(scanner)
    table, returned = scanner.finish()
    hits = sorted((q, doc - int(qrels.start[q]), *rest) for q, doc, *rest in table.tolist())
    return oracle.Answers(hits, returned.tolist(), scanner.extra_queries, scanner.rows, scanner.repeated)


def text_of_a_run(rng: Random) -> None:
    """TREC runs, valid and damaged, in pieces."""
    text = lines(rng, run_line, rng.choice((0, 1, 5, 40, 200)))
    rows = (line.split() for line in text.removeprefix(b"\xef\xbb\xbf").split(b"\n"))
    seen = [(row[0], row[2]) for row in rows if len(row) == 6]
    qrels, chosen = judgements(rng, seen), options(rng)

    def feed(scanner: Scanner) -> None:
        for piece in pieces(rng, text):
            scanner.feed(piece)

    wanted = outcome(lambda: oracle.answers(oracle.run_rows(text), names(qrels), chosen))
    same(outcome(lambda: scanned(qrels, chosen, feed)), wanted)


def counts(rng: Random) -> None:
    """The same text, of which rows are only counted between those that were found."""
    text = lines(rng, run_line, rng.choice((0, 1, 5, 40, 200)))
    rows = [line.split() for line in text.removeprefix(b"\xef\xbb\xbf").split(b"\n")]
    qrels, up = judgements(rng, [(row[0], row[2]) for row in rows if len(row) == 6]), rng.random() < 0.5
    kinds = np.array([rng.choice((0, 0, 0, 2)) for _ in qrels.grades], np.uint8)
    scores = [0.0, 1.0, *(float(row[4]) for row in rows if len(row) == 6 and row[4].isdigit())]
    found: list[list[tuple[float, bytes, int]]] = []
    for start, end in itertools.pairwise(qrels.start.tolist()):
        some = [(rng.choice(scores), qrels.doc(row), row) for row in range(start, end) if not kinds[row]]
        some.sort(key=lambda one: one[1], reverse=not up)
        found.append(sorted(some, key=lambda one: -one[0]))
    start = np.cumsum([0, *map(len, found)], dtype=np.int64)
    flat = [one for each in found for one in each]
    docs, values = np.array([row for *_, row in flat], np.int64), np.array([score for score, *_ in flat])
    judged = Judged(list(qrels.queries), qrels.start, qrels.begin, qrels.end, qrels.text)
    thresholds = Thresholds(judged, start, docs, values, kinds, up, True, rng.randrange(2**64))
    scanner = Scanner(judged, duplicates="count", counting=thresholds)

    def counted() -> Any:
        for piece in pieces(rng, text):
            scanner.feed(piece)
        scanner.finish()
        return thresholds.counted().tolist(), sorted(thresholds.marked()["query"].tolist())

    places = {query: place for place, query in enumerate(qrels.queries)}
    wanted = outcome(lambda: oracle.counts(oracle.run_rows(text), places, names(qrels), found, up))
    same(outcome(counted), wanted)


def plain_text(rng: Random) -> None:
    """The same text, cut into rows that are asked about before they are looked at; or refused as not plain."""
    text = lines(rng, run_line, rng.choice((1, 5, 40, 200))).removeprefix(b"\xef\xbb\xbf")
    parts = rows_of(text, 1)
    if parts is None or text.startswith(b"\xef\xbb\xbf"):
        return
    found = [row for each in parts for row in zip(each.lines, each.docs, each.scores, strict=True)]
    assert found == [(line, doc, score) for line, _, doc, score in oracle.run_rows(text)]
    for each in parts:
        some = [an_id(rng), *each.docs[:2], *(doc[:-1] for doc in each.docs[-2:])]
        places = {doc: row for row, doc in reversed(list(enumerate(each.docs)))}
        assert [each.find(doc) for doc in some] == [places.get(doc, -1) for doc in some]
        assert each.has_repeated() == (len(places) < each.size)
        each.may_hold_parts(dict.fromkeys(some)), each.may_hold_spellings(some), each.is_in_order()
    *_, scores, _ = columns_of(parts)
    assert scores.tolist() == [score for *_, score in found]


def text_of_qrels(rng: Random) -> None:
    """TREC qrels, valid and damaged, in pieces."""
    text = lines(rng, qrels_line, rng.choice((0, 1, 5, 40, 2000)))

    def parsed() -> list[tuple[Any, ...]]:
        parser = QrelsParser()
        for piece in pieces(rng, text):
            parser.feed(piece)
            if rng.random() < 0.2:
                parser.expect(rng.choice((0.0, 0.5, 3.0)))
        queries, query, ends, docs, grades, at, answered = parser.finish()
        spans = list(itertools.pairwise([0, *ends.tolist()]))
        if answered is None:
            rows = zip(at.tolist(), query.tolist(), spans, grades.tolist(), strict=True)
            return [(line, queries[q], docs[a:b], grade, None) for line, q, (a, b), grade in rows]
        judged = [(queries[q], docs[a:b]) for q, (a, b) in zip(query.tolist(), spans, strict=True)]
        assert len(set(judged)) == len(set(answered[2].tolist()))
        rows = zip(*map(list, answered[1:]), strict=True)
        return [(line, *judged[d], grade, answered[0][part]) for part, d, grade, line in rows]

    same(outcome(parsed), outcome(lambda: oracle.qrels_rows(text)))


def numbers(rng: Random) -> None:
    """Numbers of every shape, as scores and as grades: the double that float() gives, to the bit."""
    shapes = [rng.choice(SHAPES)(rng) for _ in range(50)]
    if rng.random() < 0.2:
        shapes.append(a_long_number(rng))
    for shape in shapes:
        line = b"q 0 d %b\n" % shape
        wanted = outcome(lambda line=line: [grade.hex() for *_, grade, _ in oracle.qrels_rows(line)])
        same(outcome(lambda line=line: grades(line)), wanted)


def grades(text: bytes) -> list[str]:
    parser = QrelsParser()
    parser.feed(text)
    return [grade.hex() for grade in parser.finish()[4].tolist()]


def columns(rng: Random) -> None:
    """Columns: ids that may be empty or hold any byte."""
    queries = [rng.choice((an_id(rng), b"", b"a\0b\n"))] * rng.randint(1, 8)
    queries += [an_id(rng) for _ in range(rng.randrange(3))]
    docs = [rng.choice((an_id(rng), b"%d" % rng.randrange(99), b"", b"a b")) for _ in queries]
    scores = [rng.choice((1.0, 2.0, rng.random(), 1e300, -0.0, 0.0)) for _ in queries]
    if rng.random() < 0.1:
        scores[-1] = rng.choice((np.nan, np.inf, -np.inf))
    qrels, chosen = judgements(rng, list(zip(queries, docs, strict=True))), options(rng)
    each = rng.random() < 0.5

    def feed(scanner: Scanner) -> None:
        for part in (slice(0, len(docs) // 2), slice(len(docs) // 2, None)):
            ids, runs = (joined(queries[part]), None) if each else in_runs(queries[part])
            scanner.columns(*ids, *joined(docs[part]), np.array(scores[part]), runs)

    def rows() -> Iterator[oracle.Row]:
        for line, (query, doc, score) in enumerate(zip(queries, docs, scores, strict=True), 1):
            if not np.isfinite(score):
                raise LineError(line, "not finite")
            yield line, query, doc, score

    wanted = outcome(lambda: oracle.answers(rows(), names(qrels), chosen))
    same(outcome(lambda: scanned(qrels, chosen, feed)), wanted)


def in_runs(ids: list[bytes]) -> tuple[tuple[Any, bytes], Any]:
    """Each of a run of equal ids once, and where the runs begin."""
    runs = [i for i, name in enumerate(ids) if not i or ids[i - 1] != name]
    return joined([ids[i] for i in runs]), np.array([*runs, len(ids)])


def joined(ids: list[bytes]) -> tuple[Any, bytes]:
    return np.cumsum([0, *map(len, ids)], dtype=np.int64), b"".join(ids)


def dicts(rng: Random) -> None:
    """Dicts of dicts and single rankings: text, bytes and numbers as ids, any kind of number as a score."""
    kind = rng.choice((as_text, as_text, as_text, bytes))
    run = {kind(an_id(rng)): answered(rng, kind) for _ in range(rng.randint(1, 4))}
    flat = [(as_id(q), as_id(doc), score) for q, docs in run.items() for doc, score in docs.items()]
    qrels, chosen = judgements(rng, [(q, doc) for q, doc, _ in flat]), options(rng)
    one_by_one = rng.random() < 0.3

    def feed(scanner: Scanner) -> None:
        if one_by_one:
            for query, docs in run.items():
                scanner.ranked(query, list(docs), list(docs.values()))
        else:
            scanner.mapping(run)

    def rows() -> Iterator[oracle.Row]:
        for line, (query, doc, score) in enumerate(flat, 1):
            if not np.isfinite(float(score)):
                raise LineError(line, "not finite")
            yield line, query, doc, float(score)

    wanted = outcome(lambda: oracle.answers(rows(), names(qrels), chosen))
    if not any(len(docs) == 0 for docs in run.values()):  # rows cannot tell of an empty answer
        same(outcome(lambda: scanned(qrels, chosen, feed)), wanted, lines_matter=False)


def answered(rng: Random, kind: Callable[[bytes], Any]) -> dict[Any, Any]:
    """One query's documents and scores, sorted or not, with few or many ties."""
    docs = {kind(an_id(rng)) for _ in range(rng.choice((0, 1, 5, 30)))}
    docs.update(range(rng.choice((0, 0, 3, 40))))
    spread = rng.choice((3, 1000))
    scores = [rng.choice((float, float, int, np.float32))(rng.randrange(spread)) for _ in docs]
    if rng.random() < 0.5:
        scores.sort(reverse=True)
    if scores and rng.random() < 0.05:
        scores[rng.randrange(len(scores))] = rng.choice((np.nan, float("inf")))
    return dict(zip(sorted(docs, key=str), scores, strict=True))


def as_id(name: object) -> bytes:
    return name if isinstance(name, bytes) else str(name).encode("utf-8", "surrogateescape")


def long_lines(rng: Random) -> None:
    """A line beyond 1 MiB is refused, a shorter one read, wherever it is cut."""
    length = rng.choice((100_000, 1_000_000, 1_100_000, 2_000_000))
    start = rng.choice((b"", b"q Q0 d 1 1 t\n", b"\n\n"))
    line = rng.choice((b"q Q0 %b 1 2 t", b"# %b", b"q Q0 e 1 2 %b")) % (b"x" * length)
    scanner = Scanner(Qrels.from_dict({"q": {"d": 1}}).judged)
    wanted = LineError(1 + start.count(b"\n"), "long") if length > 1 << 20 else None
    at = 0
    text = start + line + rng.choice((b"\n", b""))

    def feed() -> None:
        nonlocal at
        while at < len(text):
            size = rng.randint(1, 1 << 18)
            scanner.feed(text[at : at + size])
            at += size
        scanner.finish()

    same(outcome(feed), wanted)


DOORS: dict[Callable[[Random], None], float] = {
    text_of_a_run: 40, plain_text: 20, counts: 20, text_of_qrels: 20, numbers: 15, columns: 15, dicts: 30,
    long_lines: 0.3,
}  # fmt: skip


def one(seed: int, case: int) -> str:
    """Run one case; the name of its door."""
    rng = random.Random(f"{seed}/{case}")
    door = rng.choices(list(DOORS), list(DOORS.values()))[0]
    try:
        door(rng)
    except Exception as error:
        what = f"{door.__name__}: {error or type(error).__name__}"
        raise AssertionError(f"{what}\nagain: python tests/fuzz.py --seed {seed} --case {case}") from error
    return door.__name__


def fuzz(cases: Iterable[int], seed: int) -> Counter[str]:
    """Run cases; how many went through each door."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # float32 of what is too large: on purpose
        return Counter(one(seed, case) for case in cases)


def cases_for(seconds: float) -> Iterator[int]:
    """One case after another until the time is over."""
    end = time.monotonic() + seconds
    return itertools.takewhile(lambda case: time.monotonic() < end, itertools.count())


def main() -> None:
    parser = argparse.ArgumentParser(description="Throw damaged input at the kernel.")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**9))
    parser.add_argument("--case", type=int)
    arguments = parser.parse_args()
    if arguments.case is not None:
        one(arguments.seed, arguments.case)
        return
    done = fuzz(cases_for(arguments.seconds), arguments.seed)
    each = ", ".join(f"{count} {door.replace('_', ' ')}" for door, count in done.most_common())
    sys.stdout.write(f"{done.total()} cases equal to the oracle (seed {arguments.seed}): {each}\n")


if __name__ == "__main__":
    main()
