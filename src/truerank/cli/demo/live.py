"""The two retrievers of text, live: each query asked of both in turns, timed and scored from the same answers."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from pathlib import Path

from truerank.cli.demo.collection import Collection, Search
from truerank.live import alternate
from truerank.live.paired import BenchComparison
from truerank.present.build import write_report

QUERIES = 200

MEASURES = "RR nDCG@10 Success@1 Success@10"

ABOUT = f"""\
Live: {QUERIES} of the cities' queries, asked of both retrievers in turns

How long an answer takes when one caller waits for each, and what the very answers that were timed are worth."""


def benchmark(collection: Collection, directory: Path, say: Callable[[str], None]) -> BenchComparison:
    """Both on the first queries of a collection of texts; all calls and answers are saved.

    Args:
        collection: whose documents are searched; their indexes are made already where a search was before.
        directory: where the benchmarks go.
        say: told what is being done.
    """
    queries = dict(islice(collection.queries.items(), QUERIES))
    say(f"{collection.name}: timing {' and '.join(collection.retrievers)}")
    asked = ((name, each.ready) for name, each in collection.retrievers.items() if each.ready)
    first, second = (_named(name, ready()) for name, ready in asked)
    comparison = alternate(first, second, queries, collection.qrels, measures=MEASURES)
    for one in (comparison.a, comparison.b):
        one.save(directory / f"{collection.name}.{one.name}.bench.json")
    return comparison


def report(collection: Collection, live: BenchComparison, directory: Path, say: Callable[[str], None]) -> Path:
    """The page of a collection that was searched and benchmarked."""
    say(f"{collection.name}: writing the report")
    start = directory / collection.name
    runs = {name: Path(f"{start}.{name}.run") for name in collection.retrievers}
    write_report(
        Path(f"{start}.qrels"),
        runs,
        page := Path(f"{start}.html"),
        rules=collection.rules,
        benches=(live.a, live.b),
        title=collection.title,
    )
    return page


def _named(name: str, search: Search) -> Search:
    """The function with this name, which is printed for it."""
    search.__name__ = search.__qualname__ = name
    return search
