"""`truerank bounds`: how far scores could be off, and what to judge next."""

from __future__ import annotations

from typing import Any, get_args

import click

from truerank.analysis.bounds import bounds, judge_next
from truerank.analysis.bounds.bounding import SAMPLES, Doubt
from truerank.analysis.bounds.pool import refuse_lines
from truerank.cli import id_overlap, inputs, options, tables
from truerank.cli.progress import Counting
from truerank.core.messages import message
from truerank.core.reading import Keep, Reading, reading_of
from truerank.core.vocabulary import DEFAULT
from truerank.formats import open_run, read_qrels
from truerank.measures import parse_measures
from truerank.present.bounds import document


@click.command("bounds")
@click.argument("qrels", type=options.FILE)
@click.argument("run", type=options.FILE)
@click.argument("run_b", metavar="[RUN_B]", required=False, type=options.FILE)
@options.measures
@options.rules
@options.changes
@click.option(
    "--of",
    type=click.Choice(get_args(Doubt)),
    help="Only by the order of equal scores, or only by unjudged documents [default: both].",
)
@click.option(
    "--rerank",
    metavar="N",
    type=click.IntRange(1),
    help="Count the first N results of each query as tied: best tied is the most that a reranker could reach.",
)
@click.option(
    "--judge-next",
    "to_judge",
    metavar="N",
    type=click.IntRange(1),
    help="The N unjudged documents that could move the difference of the two runs most, by the first measure.",
)
@click.option(
    "--samples",
    type=click.IntRange(2),
    default=SAMPLES,
    show_default=True,
    help="Random orders of the ties of a query with too many to count.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of these orders.")
@tables.format
@tables.output
@tables.digits
@options.qrels_format
@options.run_format
@options.collapsed
def command(
    qrels: str,
    run: str,
    run_b: str | None,
    measures: tuple[str, ...],
    rules: str | None,
    changes: tuple[str, ...],
    of: Doubt | None,
    rerank: int | None,
    to_judge: int | None,
    samples: int,
    seed: int,
    format: str | None,
    output: str,
    digits: int | None,
    qrels_format: str | None,
    run_format: str | None,
    collapse: options.Collapse,
) -> None:
    """Tell how far scores could be off: by ties, and by unjudged documents.

    Prints each measure's worst, expected and best mean over the orders of equal scores, and its lowest and
    highest mean whatever the unjudged documents that were returned may be. With a second run and --judge-next:
    which documents to judge to tell the two runs apart. --set depth=100 looks at the first 100 results only;
    with --rerank 100 the best mean is the most that a reranker of these could reach.

    \b
    Examples:
      truerank bounds qrels.txt bm25.run -m "nDCG@10 AP"
      truerank bounds qrels.txt bm25.run --of ties
      truerank bounds qrels.txt bm25.run --of ties --rerank 100 -m nDCG@10
      truerank bounds qrels.txt bm25.run dense.run -m AP --judge-next 20
    """
    names = [run, *([run_b] if run_b else [])]
    inputs.refuse(qrels, *names, rules=rules, output=output)
    format = format or tables.by_ending(output)
    if to_judge and not run_b:
        raise click.UsageError(message("--judge-next needs a second run to tell the first one from."))
    if rerank and of == "unjudged":
        raise click.UsageError(message("--rerank is about ties: leave out --of unjudged."))
    under = inputs.rules_asked(rules, changes, names)
    wanted = parse_measures(" ".join(measures) if measures else under.measures or DEFAULT)
    refuse_lines(under)  # before anything is read
    judged = read_qrels(qrels, qrels_format)
    sources = [collapse(open_run(inputs.source(name), run_format)) for name in names]
    under_doubt = of or get_args(Doubt)
    keep: Keep = "all" if to_judge or "unjudged" in under_doubt else "judged"
    by_run, readings = [], list[Reading]()
    for source in sources:
        with Counting(message("trying orders and grades")) as bar:
            how: dict[str, Any] = {"rules": under, "rerank": rerank, "samples": samples, "seed": seed}
            reading = reading_of(judged, source, under, keep=keep)
            id_overlap.of_reading(judged, reading, source)
            by_run.append(bounds(reading, None, wanted, under_doubt, progress=bar.reach, **how))
        readings += [reading] if to_judge else []  # no more than one is in memory otherwise
    candidates = None
    if to_judge:
        with Counting(message("trying grades")) as bar:
            candidates = judge_next(
                None, readings[0], readings[1], wanted[0], to_judge, rules=under, progress=bar.reach
            )
    tables.show(document(by_run, candidates, digits), format, output)
