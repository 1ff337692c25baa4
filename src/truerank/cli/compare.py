"""`truerank compare`: which system is better, and how sure that is."""

from __future__ import annotations

import shutil
from dataclasses import replace

import click

from truerank.cli import options, tables
from truerank.cli.output import is_styled
from truerank.cli.progress import Reading
from truerank.compare import compare, read_attribute
from truerank.compare.outcome import CORRECTIONS, TESTS
from truerank.errors import InputError
from truerank.evaluate import evaluate
from truerank.formats import open_run, read_qrels
from truerank.measures import parse_measures
from truerank.report.comparison import pages
from truerank.rules import Rules


@click.command("compare")
@click.argument("qrels", type=options.FILE)
@click.argument("runs", metavar="RUN RUN...", nargs=-1, required=True, type=options.FILE)
@options.measures
@options.rules
@options.changes
@click.option(
    "--baseline",
    metavar="NAME|N",
    help="Compare the others to this run: its file's name, or its number, from 1 [default: compare every two].",
)
@click.option("--all-pairs", is_flag=True, help="Compare every two, beside the baseline.")
@click.option("--test", type=click.Choice(TESTS), default=TESTS[0], show_default=True, help="Where p comes from.")
@click.option(
    "--correction",
    type=click.Choice(CORRECTIONS),
    default=CORRECTIONS[0],
    show_default=True,
    help="How p is corrected for the number of pairs; max-t is for the randomization test, tukey needs none.",
)
@click.option(
    "--confidence",
    type=click.FloatRange(0.5, 1, max_open=True),
    default=0.95,
    show_default=True,
    help="Of the intervals; what is left to 1 is the level of the test.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Of the random numbers: the same seed gives the same bytes.",
)
@click.option(
    "--samples",
    type=click.IntRange(1),
    default=10_000,
    show_default=True,
    help="How often queries are resampled and swapped.",
)
@click.option(
    "--by",
    metavar="FILE:COLUMN",
    help="The same for each slice of the queries: those with the same value in this column of a CSV, TSV, "
    "JSON lines or Parquet file that has a column query_id.",
)
@tables.format
@tables.output
@tables.digits
@options.qrels_format
@options.run_format
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    rules: str | None,
    changes: tuple[str, ...],
    baseline: str | None,
    all_pairs: bool,
    test: str,
    correction: str,
    confidence: float,
    seed: int,
    samples: int,
    by: str | None,
    format: str | None,
    output: str,
    digits: int | None,
    qrels_format: str | None,
    run_format: str | None,
) -> None:
    """Tell which system is better, and how sure that is.

    Prints each run's mean with its interval, the differences with theirs, p corrected for the number of pairs, on
    how many queries a run wins, ties and loses, which runs it is significantly better than, and the groups of
    runs that cannot be told apart.

    Needs: pip install "truerank[stats]"

    \b
    Examples:
      truerank compare qrels.txt bm25.run dense.run -m "nDCG@10 AP"
      truerank compare qrels.txt *.run --baseline bm25.run
      truerank compare qrels.txt *.run --correction max-t --by topics.csv:language
    """
    path, column = _split(by)
    options.refuse_two_standard_inputs(qrels, *runs, path)
    options.refuse_to_overwrite(output, qrels, *runs, path)
    under = options.changed(Rules.of(rules), changes)
    wanted = parse_measures(" ".join(measures)) if measures else None
    attribute = read_attribute(path, column) if by else None
    judged = read_qrels(qrels, qrels_format)
    with Reading() as reading:
        sources = [replace(open_run(run, run_format), watch=reading.advance) for run in runs]
        scores = [evaluate(judged, source, wanted, rules=under) for source in sources]
    bar = Comparing()
    with bar:
        found = compare(
            None,
            scores,
            baseline=_place(baseline, runs),
            test=test,
            correction=correction,
            seed=seed,
            confidence=confidence,
            samples=samples,
            all_pairs=all_pairs,
            by=attribute,
            by_name=column,
            watch=bar.reach,
        )
    width = shutil.get_terminal_size().columns if is_styled(output) else None
    tables.show(pages(found, digits, width), format, output)


def _split(by: str | None) -> tuple[str, str]:
    """The file and the column; a path may have colons of its own."""
    path, _, column = (by or "").rpartition(":")
    if by and not (path and column):
        raise InputError(f"--by takes FILE:COLUMN, e.g. topics.csv:language; not {by!r}")
    return path, column


def _place(baseline: str | None, runs: tuple[str, ...]) -> str | int | None:
    """The run's place from 0 where it was given by its number or as it was called for, else its name."""
    if baseline in runs:
        return runs.index(baseline)
    if baseline is None or not baseline.isdecimal():
        return baseline
    if not 1 <= int(baseline) <= len(runs):
        raise InputError(f"--baseline {baseline}: there are {len(runs)} runs")
    return int(baseline) - 1


class Comparing(Reading):
    """How many parts of the comparison are made; drawn on standard error when it takes long."""

    def reach(self, done: int, of: int) -> None:
        """So many are made now, of so many."""
        self.total = of
        if self._bar:
            self._bar.update(self._bar.task_ids[0], total=of)
        self.advance(done - self.read)

    def _draw(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("comparing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        bar = Progress(*columns, console=Console(stderr=True), transient=True)
        bar.add_task("comparing", total=self.total, completed=self.read)
        bar.start()
        self._bar = bar
