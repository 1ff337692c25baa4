"""How much the difference of two systems varies from query to query: what a table of means leaves out.

    python benchmarks/spreads.py [--robust FOLDER] [--write]

Every two runs of a collection, by the usual measures: six systems of the TREC 2003 Robust track, the three runs of
examples/compare, and, on the demo's news and cities, BM25, character n-grams, and BM25 with other parameters, as
who tunes a system compares it. --write puts the table into docs/claims.md; `truerank.analysis.spreads` has its
quantiles as numbers.
"""

from __future__ import annotations

import argparse
import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bm25s
import numpy as np

import truerank as tr
from truerank.cli.demo.cities import cities
from truerank.cli.demo.collection import Collection
from truerank.cli.demo.lee import lee
from truerank.cli.demo.words import words

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "claims.md"
ROBUST = ROOT.parent / "shared" / "data" / "robust03"
EXAMPLES = ROOT / "examples" / "compare"
MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@100", "Success@1", "Success@10")
TUNED = ((1.2, 0.75), (0.9, 0.4), (2.0, 0.75))
"""k1 and b."""

QUANTILES = (0.1, 0.5, 0.9)
BEGIN, END = "<!-- written by benchmarks/spreads.py -->", "<!-- end -->"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robust", type=Path, default=ROBUST, help="runs and qrels of the Robust track")
    parser.add_argument("--write", action="store_true", help="write docs/claims.md")
    asked = parser.parse_args()
    found = {name: spreads(scores) for name, scores in collections(asked.robust)}
    for name, table in found.items():
        print(f"{name}: {len(table)} pairs")
    text = markdown(np.concatenate(list(found.values())))
    print(text)
    if asked.write:
        before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n{text}\n{END}{rest.partition(END)[2]}", "utf-8")


def collections(robust: Path) -> Iterator[tuple[str, list[tr.Scores]]]:
    """The scores of each system of each collection."""
    runs = sorted(robust.glob("*.run.gz"))
    if not runs:
        raise SystemExit(f"no runs of the Robust track are in {robust}: say where they are (--robust)")
    yield "Robust 2003", [tr.evaluate(robust / "qrels.txt.gz", run, MEASURES) for run in runs]
    yield (
        "examples/compare",
        [tr.evaluate(EXAMPLES / "qrels.txt", run, MEASURES) for run in sorted(EXAMPLES.glob("*.run"))],
    )
    for collection in (lee(), cities()):
        yield collection.name, list(of_demo(collection))


def of_demo(collection: Collection) -> Iterator[tr.Scores]:
    """The demo's retrievers, and BM25 with other parameters."""
    for retriever in collection.retrievers.values():
        run: dict[str, Any] = {
            one.query.decode(): dict(zip((d.decode() for d in one.docs), one.scores or (), strict=True))
            for one in retriever.search()
        }
        yield tr.evaluate(collection.qrels, run, MEASURES, rules=collection.rules)
    for k1, b in TUNED[1:]:
        yield tr.evaluate(collection.qrels, tuned(collection, k1, b), MEASURES, rules=collection.rules)


def tuned(collection: Collection, k1: float, b: float) -> dict[str, dict[str, float]]:
    """BM25 with these parameters."""
    index = bm25s.BM25(k1=k1, b=b)
    index.index([words(text) for text in collection.docs.values()], show_progress=False)
    names, run = list(collection.docs), {}
    for query, text in collection.queries.items():
        known = index.get_tokens_ids(words(text))
        scores = index.get_scores_from_ids(known) if known else np.zeros(len(names))
        best = [i for i in np.argsort(-scores, kind="stable")[:100] if scores[i] > 0]
        run[query] = {names[i]: float(scores[i]) for i in best}
    return run


def spreads(scores: list[tr.Scores]) -> np.ndarray:
    """(pairs, measures, 2) the standard deviation of the differences; and by that of the values of one system.

    NaN where the two score the same on every query.
    """
    rows = []
    for a, b in itertools.combinations(scores, 2):
        of_pair = [np.std(a[m] - b[m], ddof=1) for m in MEASURES]
        alone = [np.sqrt((np.var(a[m], ddof=1) + np.var(b[m], ddof=1)) / 2) for m in MEASURES]
        rows.append(np.column_stack([of_pair, np.divide(of_pair, alone)]))
    table = np.array(rows)
    return np.where(table > 0, table, np.nan)


def markdown(table: np.ndarray) -> str:
    """A row a measure: 10 %, 50 % and 90 % of the pairs lie below."""
    lines = ["| measure | pairs | 10 % | median | 90 % | median, by the sd of one system |", "| --- " * 6 + "|"]
    for place, measure in enumerate(MEASURES):
        low, middle, high = np.nanquantile(table[:, place, 0], QUANTILES)
        pairs = np.isfinite(table[:, place, 0]).sum()
        ratio = np.nanquantile(table[:, place, 1], 0.5)
        lines.append(f"| {measure} | {pairs} | {low:.2f} | {middle:.2f} | {high:.2f} | {ratio:.2f} |")
    low, middle, high = np.nanquantile(table[:, :, 1], QUANTILES)
    lines.append(f"| all, by the sd of one system | {len(table)} | {low:.2f} | {middle:.2f} | {high:.2f} | |")
    return re.sub(r" +\|", " |", "\n".join(lines))


if __name__ == "__main__":
    main()
