"""`truerank eval`: qrels and runs in, scores out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from truerank.cli import engine as engines
from truerank.cli import id_overlap, inputs, options, tables
from truerank.cli import systems as several
from truerank.core.evaluate import evaluate, read_catalogue
from truerank.core.messages import message
from truerank.core.qrels import Qrels
from truerank.core.rules import Rules
from truerank.core.run import Run
from truerank.core.scores import Scores
from truerank.formats import read_qrels
from truerank.present.names import labels
from truerank.present.scores import FORMATS, Shape

if TYPE_CHECKING:
    from truerank.present.score_slices import Slices


@click.command("eval")
@click.argument("qrels", type=options.FILE)
@click.argument("runs", metavar="RUN...", nargs=-1, type=options.FILE)
@several.system
@options.measures
@options.rules
@options.changes
@click.option("-q", "--per-query", is_flag=True, help="Every query's values too.")
@options.by("The means of each slice of the queries too")
@tables.layout
@tables.scores_format
@tables.output
@tables.digits
@tables.percent
@options.as_written
@options.items
@options.qrels_format
@options.run_format
@options.threads
@options.collapse
@engines.options
@options.judgements
@click.option(
    "--width",
    type=click.FloatRange(0, min_open=True),
    help="How many queries people would have to judge for intervals of this width; with --judged-by.",
)
@click.option(
    "--judge-next",
    "to_judge",
    metavar="N",
    type=click.IntRange(1),
    help="N queries for people to judge next, drawn at random; with --judged-by.",
)
def command(
    qrels: str,
    runs: tuple[str, ...],
    systems: several.Systems,
    measures: tuple[str, ...],
    rules: str | None,
    changes: tuple[str, ...],
    per_query: bool,
    by: str | None,
    layout: str | None,
    format: str | None,
    output: str,
    digits: int | None,
    percent: bool,
    as_written: bool,
    items: str | None,
    qrels_format: str | None,
    run_format: str | None,
    threads: int | None,
    how: str | None,
    chunk_ids: str | None,
    engine: str | None,
    master: str | None,
    judgements: options.Judgements | None,
    width: float | None,
    to_judge: int | None,
) -> None:
    """Tell how well runs answer the queries of the qrels.

    Prints the mean of each measure, and below what the mean hides: queries that are missing, that have
    nothing to find, or whose scores depend on ties (`truerank lint --format json` names all of them). A file
    may be plain or compressed, a URL, or - for standard input.

    \b
    Examples:
      truerank eval qrels.txt bm25.run
      truerank eval qrels.txt bm25.run dense.run -m "nDCG@10 AP(level=2)"
      truerank eval qrels.txt bm25.run --rules trec_eval-10 --set level=2
      truerank eval qrels.txt bm25.run --per-query -o scores.csv
      truerank eval qrels.txt bm25.run dense.run --by topics.csv:language
      truerank eval qrels.txt chunks.run --collapse max
      truerank eval qrels.txt --system dense=seed1.run,seed2.run,seed3.run
      truerank eval qrels.txt reid.run -m "Rank-1 mAP" --as-written --percent
      truerank eval qrels.txt lists.run -m "Coverage@10 ILD@10" --items items.csv
      truerank eval --judged-by people.qrels --predicted-by model.qrels --sample random bm25.run --width 0.05
      zcat big.run.gz | truerank eval qrels.txt - --format json
      truerank eval qrels.txt s3://logs/run/ --engine spark --master spark://host:7077
    """
    if not judgements and (width or to_judge):
        raise click.UsageError(message("--width and --judge-next are for --judged-by and --predicted-by."))
    runs = judgements.runs(qrels, runs) if judgements else several.files_of(runs, systems)
    path, column = options.file_and_column(by)
    inputs.refuse(*(judgements.files if judgements else [qrels]), *runs, items, path, rules=rules, output=output)
    engines.refuse(engine, master, runs, threads, items)
    format = format or tables.by_ending(output, FORMATS)
    under = inputs.rules_asked(rules, changes, () if engine else runs)
    wanted = inputs.measures_asked(measures, under)
    is_of_lines = under.unit == "line"
    is_of_rows = format in ("jsonl", "trec")
    attribute = _attribute(path, column, judgements, per_query, is_of_rows) if by else None
    if judgements:
        _refuse_of_estimates(per_query, engine, how or chunk_ids, items, percent, layout, is_of_lines, is_of_rows)
        shown = {"digits": digits, "width": width, "to_judge": to_judge, "as_written": as_written}
        _estimate(judgements, runs, wanted, under, run_format, format, output, **shown)
        return
    judged, collapse = read_qrels(qrels, qrels_format), options.collapsing(how, chunk_ids)
    if how and (engine or is_of_lines):
        raise click.UsageError(message("--collapse is not for these: truerank convert --collapse first."))
    with inputs.opened(() if engine else runs, run_format, collapse=collapse) as sources:
        if engine:
            scores = engines.scored(judged, runs, wanted, under, run_format, master)
        elif is_of_lines:
            _refuse_of_lines(systems, items)
            scores = _of_lines(judged, runs, wanted, under, run_format)
        else:
            scores = _of_runs(judged, sources, wanted, under, threads, items)
    id_overlap.refuse_or_warn(judged, scores, labels([one.run for one in scores]), sources)
    scores = several.together([replace(one, as_written=as_written) for one in scores], systems)
    slices = None if attribute is None else _sliced(scores, attribute, column)
    tables.show_scores(scores, format, output, Shape(per_query, digits, percent, layout, slices))


def _attribute(path: str, column: str, *others: object) -> dict[str, str]:
    """What the queries are cut by, of which most evaluations know nothing; the others are refused beside it."""
    if any(others):
        raise click.UsageError(message("--by is for means: leave out --per-query, --judged-by, jsonl and trec."))
    from truerank.analysis.compare.slices import read_attribute

    return read_attribute(path, column)


def _sliced(scores: Sequence[Scores], by: dict[str, str], name: str) -> Slices:
    """The scores on each slice of the queries."""
    from truerank.analysis.compare.slices import sliced
    from truerank.present.score_slices import Slices

    without = {query for one in scores for query in one.queries} - set(by)
    return Slices(name, sliced(scores, by), len(without))


def _estimate(*given: Any, **shape: Any) -> None:
    """Show what people's and a model's judgements say together, as `predicting.show` does."""
    from truerank.cli import predicting

    predicting.show(*given, **shape)


def _refuse_of_estimates(*asked: object) -> None:
    """Raise where something is asked for that an estimate of means has not."""
    if any(asked):
        raise click.UsageError(
            message(
                "--judged-by makes estimates of means: leave out --per-query, --percent, --layout, --items, "
                "--engine, --collapse and --ids, and formats of plain scores."
            )
        )


def _refuse_of_lines(systems: several.Systems, items: str | None) -> None:
    """Raise where something is asked for that a contest's lines have not."""
    if systems:
        raise click.UsageError(message("--system is for runs, not for a contest's lines."))
    if items is not None:
        raise click.UsageError(message("--items is for runs, not for a contest's lines."))


def _of_runs(
    qrels: Qrels, runs: Sequence[Run], measures: str | None, rules: Rules, threads: int | None, items: str | None
) -> list[Scores]:
    """The scores of runs."""
    known = read_catalogue(items)
    return [evaluate(qrels, run, measures, rules=rules, threads=threads, items=known) for run in runs]


def _of_lines(
    qrels: Qrels, runs: Sequence[str], measures: str | None, rules: Rules, run_format: str | None
) -> list[Scores]:
    """The scores of a contest's submissions, which are judged line by line."""
    from truerank.contest import judge

    return [judge(qrels, inputs.source(run), measures, rules=rules, format=run_format) for run in runs]
