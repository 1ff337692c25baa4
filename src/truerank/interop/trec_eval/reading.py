"""The two files: the topics that count, where their judged documents were returned, and the run's tag."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from operator import itemgetter

import numpy as np

from truerank.core.errors import InputError, Refused, printable
from truerank.core.found import hits_of
from truerank.core.hits import Bools, Hits
from truerank.core.qrels import Qrels
from truerank.core.rankings import rankings
from truerank.core.rules import Rules
from truerank.core.run import Batch, Ranked, Run, uncut, unwatched
from truerank.core.scan import Scan, scan
from truerank.formats import open_run, read_qrels
from truerank.interop.trec_eval.groups import Groups, read_groups
from truerank.interop.trec_eval.options import Options
from truerank.interop.trec_eval.status import CALCULATION, NOTHING, USAGE, TrecEvalError

TAIL = 1 << 12

COLUMNS = {"qrels_jg": 4, "qrels_prefs": 4, "prefs": 5}
"""How many columns judgements of groups have."""


@dataclass(frozen=True, eq=False)
class Answers:
    """What is evaluated.

    Attributes:
        hits: of the topics that have rows in the output.
        missing: (topics,) whether the run does not answer the topic.
        judged: how many topics the qrels have.
        relevant: how many judgements have a grade above 0.
        tag: the sixth column of the run's last line.
        groups: the judgements of groups, if there are any; the hits are then of all their documents.
    """

    hits: Hits
    missing: Bools
    judged: int
    relevant: int
    tag: bytes
    groups: Groups | None = None


def read(options: Options, watch: Callable[[int], None] = unwatched) -> Answers:
    """Read both files under the options; `watch` is called with the number of bytes of the run just read.

    Raises:
        InputError: a file cannot be read.
        TrecEvalError: a judged topic is not answered (10), no topic is (9), or a document is returned twice.
    """
    if options.qrels == options.run == "-":
        raise TrecEvalError("Standard input (-) can be only one of the files", USAGE)
    groups = None if options.holds == "qrels" else read_groups(options.qrels, COLUMNS[options.format])
    if groups and options.holds == "qrels_jg":
        groups.refuse_repeats()
    qrels = groups.pool if groups else read_qrels(options.qrels, "trec").without_aspects()
    run = replace(open_run(options.run, "trec"), watch=watch)
    last = LastRow()
    scan = _scan(qrels, run if run.path else last.watching(run), options)
    if run.path:
        last.look_at_end(run.path)
    hits = hits_of(qrels, scan)
    missing = hits.returned < 0
    _refuse(hits, missing, options, run.name)
    if options.compat == 9:
        groups = groups and groups.among(~missing)
        hits, missing = hits.select(~missing), missing[~missing]
    else:  # one unjudged document stands for the answer
        hits = replace(hits, returned=np.where(missing, 1, hits.returned))
    hits = hits.cut(options.depth) if groups else _cut(hits, options)
    return Answers(hits, missing, len(qrels), int((qrels.grades > 0).sum()), last.tag, groups)


def _refuse(hits: Hits, missing: Bools, options: Options, name: str) -> None:
    """Raise where the reference ends because topics are not answered."""
    if options.compat == 9 and missing.all():
        raise TrecEvalError(f"{name}: no judged topic is answered; are they named alike in both?", NOTHING)
    if options.compat == 10 and missing.any() and not options.complete:
        topic = printable(hits.queries[int(np.argmax(missing))])
        how = "-c counts it as 0, --compat 9 leaves it out"
        raise TrecEvalError(f"{name}: topic {topic} is judged but not answered; {how}", CALCULATION)


def _cut(hits: Hits, options: Options) -> Hits:
    """The hits under -M and -J."""
    return hits.under(judged_alone(options).replace(depth=options.depth))


def judged_alone(options: Options) -> Rules:
    """The rules under -J."""
    return options.rules.replace(unjudged="removed" if options.judged_only else "not-relevant")


def _scan(qrels: Qrels, run: Run, options: Options) -> Scan:
    """Read the run; anything after its sixth column is ignored."""
    try:
        return _scan_rows(qrels, run, options)
    except InputError as error:  # `from None` only hides the context when it is printed
        if not (isinstance(error.__context__, Refused) and error.__context__.kind == "fields"):
            raise
    return _scan_rows(qrels, run.through(_six_columns), options)


def _six_columns(batches: Iterator[Batch]) -> Iterator[Batch]:
    """The text cut to six columns per line, with nothing before the # of a comment."""
    rest = b""
    for batch in batches:
        assert isinstance(batch, bytes)
        *lines, rest = (rest + batch).split(b"\n")
        yield b"".join(b" ".join(line.split()[:6]) + b"\n" for line in lines)
    yield b" ".join(rest.split()[:6])


def _scan_rows(qrels: Qrels, run: Run, options: Options) -> Scan:
    """Read the run; a repeated document is an error only where it counts: in a judged topic, not below -M."""
    scanned = scan(run, qrels.judged, options.rules.replace(duplicates="first"))
    if not scanned.rows:
        raise InputError("there are no rows in it", run.name)
    if scanned.repeats is None:
        return scanned
    counted = Run(run.name, lambda: _counted(qrels, run, options))
    return scan(counted, qrels.judged, options.rules)


def _counted(qrels: Qrels, run: Run, options: Options) -> Iterator[Batch]:
    """The documents of the judged topics that are not below -M."""
    rows: dict[bytes, list[tuple[float, bytes]]] = {topic: [] for topic in qrels.queries}
    up = options.rules.ties == "doc-ascending"
    for part in rankings(run.batches()):
        if part.query in rows:
            rows[part.query] += zip(_scores(part, options), part.docs, strict=True)
    for topic, answer in rows.items():
        if answer:
            answer.sort(key=itemgetter(1), reverse=not up)
            scores, docs = zip(*sorted(answer, key=itemgetter(0), reverse=True)[: options.depth], strict=True)
            _refuse_repeats(topic, docs, run.name)
            yield Ranked(topic, docs, scores)


def _scores(part: Ranked, options: Options) -> list[float]:
    single = options.rules.score_precision == "single"
    scores: list[float] = np.asarray(part.scores, np.float32 if single else np.float64).tolist()
    return scores


def _refuse_repeats(topic: bytes, docs: tuple[bytes, ...], name: str) -> None:
    seen: set[bytes] = set()
    for doc in docs:
        if doc in seen:
            who = f"document {printable(doc)} is returned twice for topic {printable(topic)}"
            raise TrecEvalError(f"{name}: {who}; mend the run", CALCULATION)
        seen.add(doc)


class LastRow:
    """The last row of a run, noted while it is read, or found at the end of the file."""

    def __init__(self) -> None:
        self.row = b""

    @property
    def tag(self) -> bytes:
        """The sixth column."""
        fields = self.row.split()
        return fields[5] if len(fields) > 5 else b""

    def watching(self, run: Run) -> Run:
        """The run, whose last row is noted while it is read."""

        def noted(batches: Iterator[Batch]) -> Iterator[Batch]:
            rest = b""
            for batch in batches:
                assert isinstance(batch, bytes)
                yield batch
                text = rest + batch
                cut = text.rfind(b"\n") + 1
                self.row = _last_row(text, cut) or self.row
                rest = text[cut:]
            self.row = _last_row(rest, len(rest)) or self.row

        return replace(run.through(noted), pieces=uncut)

    def look_at_end(self, path: str) -> None:
        """Read as much of the file's end as needed."""
        size, length = os.path.getsize(path), TAIL
        with open(path, "rb") as file:
            while not self.row:
                file.seek(max(0, size - length))
                text = file.read() if length >= size else file.read().partition(b"\n")[2]
                self.row = _last_row(text, len(text))
                if length >= size:
                    return
                length *= 16


def _last_row(text: bytes, end: int) -> bytes:
    """The last line before the end that is neither blank nor a comment."""
    while end > 0:
        start = text.rfind(b"\n", 0, end) + 1
        line = text[start:end].strip()
        if line and not line.startswith(b"#"):
            return line
        end = start - 1
    return b""
