"""Do the intervals contain the truth, and do the tests raise false alarms, as often as they promise?

    python benchmarks/calibrate.py [--collections 4000] [--only WORDS] [--write]

Collections of queries are drawn from populations whose means are known. Every interval and test is that of
`truerank.stats`, called as anybody calls it. --write puts the tables into docs/calibration.md. Ends with
status 1 when a judged line misses its band.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from calibration import clicks, differences, judges, means, nested, predicted, runs, watching
from calibration.lines import Line, Section, cell

PAGE = Path(__file__).parent.parent / "docs" / "calibration.md"

SUBJECTS = (means, differences, runs, nested, watching, predicted, clicks, judges)
SECTIONS = tuple(section for subject in SUBJECTS for section in subject.SECTIONS)

HEAD = """\
# Calibration

Written by `make calibrate`. Whether an interval contains the truth, or a test raises a false alarm, can only be
seen where the truth is known. So {collections:,} collections of queries are drawn for every line, from
populations that look like the scores of retrieval measures: skewed, with many zeros and ones. All intervals are
of 95 %, all tests at 5 %; the numbers are percentages, and chance moves each by about ±0.7.

What is asked: default intervals of means, percentile intervals of differences, and exact ones over shares of every
size, contain the truth in 93 to 97 % of the collections; tests find a difference where there is none in
4 to 6 %, discrete ones in 6 % or less. What misses its band is bold.

Bootstrap intervals reach a little further than the textbook's, by √(n / (n − 1)) and with the tails of
Student's t (Hesterberg 2015): 3.6 % further with 50 queries, 0.9 % with 200.
"""


def chosen_by(words: str) -> list[Section]:
    """The sections whose titles have these words."""
    found = [section for section in SECTIONS if words.lower() in section.title.lower()]
    if not found:
        sys.exit(f"no section of {[section.title for section in SECTIONS]} has {words!r} in its title")
    return found


def measured(sections: Sequence[Section], collections: int) -> dict[str, list[Line]]:
    """The lines of each section, by its title; each is printed when it is done."""
    works = [(section, partial(work, collections=collections)) for section in sections for work in section.works]
    found: dict[str, list[Line]] = {section.title: [] for section in sections}
    with ProcessPoolExecutor() as pool:
        for (section, _), line in zip(works, pool.map(done, [work for _, work in works]), strict=True):
            found[section.title].append(line)
            shares = "  ".join(f"{name} {cell(line, name)}" for name in line.shares)
            print(f"{section.title.partition(':')[0]}: {line.what}, n = {line.n}: {shares}", flush=True)
    return found


def done(work: Callable[[], Line]) -> Line:
    """What a process of the pool does."""
    return work()


def page(found: dict[str, list[Line]], collections: int, before: str) -> str:
    """The whole page; sections that were not measured stay as they stood."""
    old = {part.partition("\n")[0]: f"## {part}".rstrip("\n") for part in before.split("\n## ")[1:]}
    new = {section.title: section.markdown(found[section.title]) for section in SECTIONS if section.title in found}
    parts = [(old | new)[section.title] for section in SECTIONS if section.title in old | new]
    return "\n\n".join([HEAD.format(collections=collections).rstrip("\n"), *parts]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--collections", type=int, default=4000, help="how many are drawn for each line (4000)")
    parser.add_argument("--only", default="", metavar="WORDS", help="sections whose titles have these words")
    parser.add_argument("--write", action="store_true", help="write docs/calibration.md")
    asked = parser.parse_args()
    start = time.perf_counter()
    found = measured(chosen_by(asked.only), asked.collections)
    print(f"{time.perf_counter() - start:.0f} s")
    if asked.write:
        PAGE.write_text(page(found, asked.collections, PAGE.read_text("utf-8")), "utf-8")
    sys.exit(not all(line.is_met for lines in found.values() for line in lines))


if __name__ == "__main__":
    main()
