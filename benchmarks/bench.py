"""truerank against its peers, as ratios in one run on this machine.

    python benchmarks/bench.py [--runs 5] [--only WORD] [--quick] [--full] [--data DIRECTORY] [--write]

The files are made when they are not there. TREC_EVAL=path is the reference tool. Each line is in results.json
beside them as soon as it is measured; with --only and --write the others there stay. Ends with status 1 when a
target is not met.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import data
import tables
from subjects import SUBJECTS, Bench, Subject
from tables import Line
from timing import HERE, FailedError, Skipped

LATER = ("significance", "large", "neighbours", "fusing", "reading", "threads", "calls", "labels")
"""Modules with further SUBJECTS, which import much."""

QUERIES = 6980
QUICK = 698


def measured(chosen: Iterable[Subject], bench: Bench, is_try: bool) -> Iterator[Line]:
    """Each line as soon as it is there; a skipped one says why. Targets are not judged by a try."""
    for subject in chosen:
        data.say(subject.work)
        try:
            line = subject.measure(bench)
        except Skipped as why:
            line = Line(remark=str(why))
        except FailedError as failure:
            line = Line(is_met=False, remark=str(failure).strip())
        is_met = None if is_try and line.ratio else line.is_met
        yield replace(line, key=subject.key, work=subject.work, is_met=is_met)


def later() -> list[Subject]:
    return [subject for part in LATER for subject in import_module(part).SUBJECTS]


def wanted(only: Sequence[str]) -> Iterator[Subject]:
    """The lines with these keys, all without any."""
    yield from (subject for subject in SUBJECTS if not only or subject.key in only)
    if not set(only) <= {subject.key for subject in SUBJECTS} or not only:
        yield from (subject for subject in later() if not only or subject.key in only)


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="how often each work is done (5)")
    parser.add_argument("--only", action="append", help="only this line, may be repeated; a wrong one lists them")
    parser.add_argument("--quick", action="store_true", help="a tenth of the big file: a try, not a result")
    parser.add_argument("--full", action="store_true", help="slow peers as often as the rest; the file of 2.5 GB")
    parser.add_argument("--data", type=Path, default=HERE / "data", help="where the files are (benchmarks/data)")
    parser.add_argument(
        "--write", action="store_true", help="write docs/benchmarks.md, with --only these lines anew"
    )
    chosen = parser.parse_args()
    if chosen.quick and chosen.write:
        parser.error("--quick measures too little to be written down")
    unknown = set(chosen.only or ()) - {subject.key for subject in SUBJECTS}
    if unknown and (unknown := unknown - {subject.key for subject in later()}):
        keys = ", ".join(subject.key for subject in (*SUBJECTS, *later()))
        parser.error(f"there is no line {', '.join(sorted(unknown))}; there are {keys}")
    return chosen


def main() -> None:
    chosen = options()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # or what is measured compiles its modules at every start
    directory = chosen.data / "quick" if chosen.quick else chosen.data
    directory.mkdir(parents=True, exist_ok=True)
    queries = QUICK if chosen.quick else QUERIES
    bench = Bench(directory, queries, chosen.runs, chosen.full)
    facts, results = tables.machine(), directory / "results.json"
    again = chosen.only and chosen.write and results.exists()
    lines = tables.from_json(results.read_text(), facts) if again else []
    for line in measured(wanted(chosen.only or ()), bench, chosen.quick):
        at = next((place for place, other in enumerate(lines) if other.key == line.key), len(lines))
        lines[at : at + 1] = [line]
        data.say("   " + " | ".join(filter(None, (*line.cells[1:], line.remark))))
        results.write_text(tables.as_json(lines, facts))
    print(tables.terminal(lines))
    if chosen.write:
        (HERE.parent / "docs" / "benchmarks.md").write_text(tables.markdown(lines, facts))
    sys.exit(any(line.is_met is False for line in lines))


if __name__ == "__main__":
    main()
