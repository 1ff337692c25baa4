"""`truerank eval`: qrels and runs in, scores out."""

from __future__ import annotations

from dataclasses import replace

import click

from truerank.cli import engine as engines
from truerank.cli import id_overlap, inputs, options, tables
from truerank.cli import systems as several
from truerank.core.evaluate import evaluate, read_catalogue
from truerank.core.messages import message
from truerank.core.scores import Scores
from truerank.core.vocabulary import asked_for
from truerank.formats import read_qrels
from truerank.present.scores import labels


@click.command("eval")
@click.argument("qrels", type=options.FILE)
@click.argument("runs", metavar="RUN...", nargs=-1, type=options.FILE)
@several.system
@options.measures
@options.rules
@options.changes
@click.option("-q", "--per-query", is_flag=True, help="Every query's values too.")
@tables.layout
@tables.scores_format
@tables.output
@tables.digits
@tables.percent
@options.as_written
@options.items
@options.qrels_format
@options.run_format
@click.option(
    "--threads",
    type=click.IntRange(1),
    help="How many may read a large plain file [default: as many as there are processors].",
)
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
    judged_by: str | None,
    predicted_by: str | None,
    sample: str | None,
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
      truerank eval qrels.txt chunks.run --collapse max
      truerank eval qrels.txt --system dense=seed1.run,seed2.run,seed3.run
      truerank eval qrels.txt reid.run -m "Rank-1 mAP" --as-written --percent
      truerank eval qrels.txt lists.run -m "Coverage@10 ILD@10" --items items.csv
      truerank eval --judged-by people.qrels --predicted-by model.qrels --sample random bm25.run --width 0.05
      zcat big.run.gz | truerank eval qrels.txt - --format json
      truerank eval qrels.txt s3://logs/run/ --engine spark --master spark://host:7077
    """
    is_predicted = bool(judged_by or predicted_by or sample)
    if not is_predicted and (width or to_judge):
        raise click.UsageError(message("--width and --judge-next are for --judged-by and --predicted-by."))
    if not is_predicted:
        runs = several.files_of(runs, systems)
    inputs.refuse(qrels, *runs, rules=rules, output=output)
    engines.refuse(engine, master, runs, threads, items)
    format = format or tables.scores_by_ending(output)
    under = inputs.rules_asked(rules, changes, runs)
    wanted = " ".join(measures) or None
    asked_for(wanted or (), under)
    if is_predicted:
        from truerank.cli import predicting

        if per_query or engine or how or items or percent or under.unit == "line" or format in ("jsonl", "trec"):
            raise click.UsageError(
                message(
                    "--judged-by makes estimates of means: leave out --per-query, --percent, --items, --engine and "
                    "--collapse, and formats of plain scores."
                )
            )
        predicting.show(
            predicting.asked(judged_by, predicted_by, sample, qrels_format, systems),
            (qrels, *runs),
            wanted,
            under,
            run_format=run_format,
            as_written=as_written,
            format=format,
            output=output,
            digits=digits,
            width=width,
            to_judge=to_judge,
        )
        return
    judged = read_qrels(qrels, qrels_format)
    collapse = options.collapsing(how, chunk_ids)
    if how and (engine or under.unit == "line"):
        raise click.UsageError(message("--collapse is not for these: truerank convert --collapse first."))
    with inputs.opened(() if engine else runs, run_format, collapse=collapse) as sources:
        scores: list[Scores]
        if engine:
            scores = engines.scored(judged, runs, wanted, under, run_format, master)
        elif under.unit == "line":
            from truerank.contest import judge

            if systems:
                raise click.UsageError(message("--system is for runs, not for a contest's lines."))
            if items is not None:
                raise click.UsageError(message("--items is for runs, not for a contest's lines."))
            scores = [judge(judged, run, wanted, rules=under, format=run_format) for run in runs]
        else:
            known = None if items is None else read_catalogue(items)
            scores = [evaluate(judged, run, wanted, rules=under, threads=threads, items=known) for run in sources]
    id_overlap.refuse_or_warn(judged, scores, labels(scores), sources)
    scores = several.together([replace(one, as_written=as_written) for one in scores], systems)
    tables.show_scores(scores, format, output, per_query=per_query, digits=digits, percent=percent, layout=layout)
