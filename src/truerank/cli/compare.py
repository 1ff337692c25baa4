"""`truerank compare`: which system is better, and how sure that is."""

from __future__ import annotations

from typing import Any

import click

from truerank.analysis.compare import compare, read_attribute
from truerank.analysis.compare.outcome import CORRECTIONS, TESTS
from truerank.cli import collections, id_overlap, inputs, options, predicting, tables
from truerank.cli import systems as several
from truerank.cli.output import width
from truerank.cli.progress import Counting
from truerank.core.evaluate import evaluate, read_catalogue
from truerank.core.messages import message
from truerank.formats import read_qrels
from truerank.present.comparison import LAYOUTS, document


@click.command("compare", cls=collections.OrSeveral)
@click.argument("qrels", type=options.FILE)
@click.argument("runs", metavar="RUN RUN...", nargs=-1, type=options.FILE)
@several.system
@options.measures
@options.rules
@options.changes
@options.baseline
@click.option("--all-pairs", is_flag=True, help="Compare every two, beside the baseline.")
@click.option("--test", type=click.Choice(TESTS), default=TESTS[0], show_default=True, help="Where p comes from.")
@click.option(
    "--correction",
    type=click.Choice(CORRECTIONS),
    default=CORRECTIONS[0],
    show_default=True,
    help="How p is corrected for the number of pairs; max-t is for the randomization test, tukey needs none.",
)
@options.drawing(
    confidence="Of the intervals; what is left to 1 is the level of the test.",
    samples="How often queries are resampled and swapped.",
)
@click.option(
    "--by",
    metavar="FILE:COLUMN",
    help="The same for each slice of the queries: those with the same value in this column of a CSV, TSV, "
    "JSON lines or Parquet file that has a column query_id.",
)
@click.option(
    "--layout",
    type=click.Choice(LAYOUTS),
    default=LAYOUTS[0],
    show_default=True,
    help="long: a table a measure; wide: a column a measure, letters for what a run is significantly better than.",
)
@click.option("--intervals", is_flag=True, help="In the wide table, the interval of each mean beside it.")
@tables.format
@tables.output
@tables.digits
@tables.percent
@options.as_written
@options.qrels_format
@options.run_format
@options.collapsed
@options.items
@options.judgements
def command(
    qrels: str,
    runs: tuple[str, ...],
    systems: several.Systems,
    measures: tuple[str, ...],
    rules: str | None,
    changes: tuple[str, ...],
    baseline: str | None,
    by: str | None,
    layout: str,
    intervals: bool,
    format: str | None,
    output: str,
    digits: int | None,
    percent: bool,
    as_written: bool,
    qrels_format: str | None,
    run_format: str | None,
    collapse: options.Collapse,
    items: str | None,
    judgements: options.Judgements | None,
    **procedure: Any,
) -> None:
    """Tell which system is better, and how sure that is.

    Prints each run's mean with its interval, the differences with theirs, p corrected for the number of pairs, on
    how many queries a run wins, ties and loses, which runs it is significantly better than, and the groups of
    runs that cannot be told apart.

    Of several collections (a file of them, or --collection NAME QRELS RUN...) it is `truerank collections`.

    Needs: pip install "truerank[stats]"

    \b
    Examples:
      truerank compare qrels.txt bm25.run dense.run -m "nDCG@10 AP"
      truerank compare qrels.txt *.run --baseline bm25.run
      truerank compare qrels.txt *.run --correction max-t --by topics.csv:language
      truerank compare qrels.txt *.run -m "nDCG@10 AP R@100" --layout wide -o table.tex
      truerank compare qrels.txt small.run large.run --collapse max --ids chunks.jsonl:doc_id
      truerank compare qrels.txt bm25.run --system dense=seed1.run,seed2.run,seed3.run
      truerank compare qrels.txt --system "old=old-*.run" --system "new=new-*.run"
      truerank compare qrels.txt old.run new.run -m "nDCG@10 ILD@10" --items items.csv
      truerank compare --judged-by people.qrels --predicted-by model.qrels --sample random bm25.run dense.run
    """
    path, column = options.file_and_column(by)
    runs = judgements.runs(qrels, runs) if judgements else runs
    files = several.files_of(runs, systems)
    inputs.refuse(*(judgements.files if judgements else [qrels]), *files, path, items, rules=rules, output=output)
    if intervals and layout == "long":
        raise click.UsageError(message("--intervals is for --layout wide; the long layout has them."))
    if judgements and items:
        raise click.UsageError(inputs.ITEMS_JUDGED_ONCE)
    under = inputs.rules_asked(rules, changes, files)
    wanted = inputs.measures_asked(measures, under)
    attribute = read_attribute(path, column) if by else None
    with inputs.opened(files, run_format, again=judgements is not None, collapse=collapse) as sources:
        scores: list[Any]
        if judgements:
            scores = predicting.predicted(judgements, files, sources, wanted, under, as_written=as_written)
        else:
            judged = read_qrels(qrels, qrels_format)
            known = None if items is None else read_catalogue(items)
            scores = [
                evaluate(judged, source, wanted, rules=under, items=known, as_written=as_written)
                for source in sources
            ]
            id_overlap.refuse_or_warn(judged, scores, files, sources)
    with Counting(message("comparing")) as bar:
        comparison = compare(
            None,
            several.together(scores, systems),
            baseline=options.place(baseline, (*runs, *systems)),
            by=attribute,
            by_name=column,
            progress=bar.reach,
            **procedure,
        )
    shape: dict[str, Any] = {"layout": layout, "intervals": intervals, "percent": percent}
    tables.show(document(comparison, digits, width(output), **shape), format, output, percent=percent)
