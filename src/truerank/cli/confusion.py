"""`truerank confusion`: what was retrieved against what is relevant, in four counts."""

from __future__ import annotations

import re
from typing import Any

import click

from truerank.analysis.confusion import UNITS, Confusion, Counts, Sweep, confusion, counted, sweep
from truerank.cli import id_overlap, inputs, options, tables
from truerank.core.errors import InputError
from truerank.core.messages import listed, message
from truerank.formats import read_qrels
from truerank.present import counts as report
from truerank.present.counts import Weight
from truerank.present.names import labels


@click.command("confusion")
@click.argument("qrels", required=False, type=options.FILE)
@click.argument("run", required=False, type=options.FILE)
@click.option("-k", type=click.IntRange(1), help="The first K results of each query are retrieved.")
@click.option("-t", "--threshold", type=float, help="The results with at least this score are retrieved.")
@click.option(
    "--max-distance", type=float, help="The results at most so far away: those that score at least minus it."
)
@click.option(
    "--of",
    type=click.Choice(UNITS),
    default=UNITS[0],
    help="What is counted: all documents, or results: each query's first K (1 without -k), accepted or rejected by "
    "the threshold [default: documents].",
)
@click.option("--documents", metavar="N", type=click.IntRange(0), help="How many documents there are to search.")
@click.option("--counts", metavar="TP,FP,FN[,TN]", help="These counts, in place of QRELS and RUN.")
@click.option("--beta", type=float, help="Also F in which recall counts BETA times as much as precision.")
@click.option("--alpha", type=float, help="Also F with this weight on precision; beta² = (1 - alpha) / alpha.")
@click.option("--sweep", "is_swept", is_flag=True, help="The counts as a threshold falls; the best F is marked.")
@click.option(
    "--steps",
    type=click.IntRange(3),
    default=20,
    show_default=True,
    help="How many thresholds a sweep has at most.",
)
@click.option("-q", "--per-query", is_flag=True, help="Every query's counts too.")
@options.rules
@options.changes
@tables.format
@tables.output
@tables.digits
@options.qrels_format
@options.run_format
@options.collapsed
def command(
    qrels: str | None,
    run: str | None,
    k: int | None,
    threshold: float | None,
    max_distance: float | None,
    of: str,
    documents: int | None,
    counts: str | None,
    beta: float | None,
    alpha: float | None,
    is_swept: bool,
    steps: int,
    per_query: bool,
    rules: str | None,
    changes: tuple[str, ...],
    format: str | None,
    output: str,
    digits: int | None,
    qrels_format: str | None,
    run_format: str | None,
    collapse: options.Collapse,
) -> None:
    """Tell what was retrieved against what is relevant, in four counts and what is made of them.

    Retrieved are the first K results, those with at least a score, or else all that was returned; with both, those
    of the first K that have it. The counts are sums over all queries (micro). Without --documents nobody knows
    the true negatives, nor accuracy and specificity.

    With --of results each query's first result (or first K) is accepted or rejected by its score, and right or
    wrong: TP is accepted and right, FP accepted and wrong, FN rejected though right, TN rejected and wrong.

    \b
    Examples:
      truerank confusion qrels.txt bm25.run -k 20 --documents 1000
      truerank confusion qrels.txt bm25.run --threshold 0.5 --beta 2
      truerank confusion qrels.txt bm25.run --sweep
      truerank confusion truth.qrels faiss/ --of results --max-distance 0.7
      truerank confusion truth.qrels faiss/ --of results --sweep
      truerank confusion --counts 7,13,58,922
    """
    weight = Weight(beta, alpha)
    limits = {"--threshold": threshold is not None, "--max-distance": max_distance is not None}
    _refuse_together({**limits, "--sweep": is_swept})
    if not is_swept and options.typed_of(["steps"]):
        raise click.UsageError(message("{option} needs --sweep.", option="--steps"))
    threshold = threshold if max_distance is None else -max_distance
    if counts is not None:
        others = {"QRELS": qrels is not None, "-k": k is not None, **limits, "--of": of != UNITS[0]}
        _refuse_with("--counts", {**others, "--sweep": is_swept, "--per-query": per_query})
        inputs.refuse_of_runs()
        format = format or tables.by_ending(output)
        tables.show(report.of_counts(_given(counts, documents), weight, digits), format, output)
        return
    if qrels is None or run is None:
        raise click.UsageError(message("Give QRELS and RUN, or --counts."))
    inputs.refuse(qrels, run, rules=rules, output=output)
    format = format or tables.by_ending(output)
    _refuse_with("--documents", {"--of results": of == "results" and documents is not None})
    how: dict[str, Any] = {"k": k, "of": of, "documents": documents}
    how["rules"] = inputs.rules_asked(rules, changes, [run])
    judged = read_qrels(qrels, qrels_format)
    with inputs.opened([run], run_format, collapse=collapse) as (source,):
        result: Counts | Sweep
        if is_swept:
            _refuse_with("--sweep", {"--per-query": per_query})
            result = sweep(judged, source, steps=steps, alpha=weight.alpha, **how)
            document = report.of_sweep(result, weight, digits)
        else:
            result = confusion(judged, source, threshold=threshold, **how)
            document = report.of_run(result, weight, digits, per_query=per_query)
    id_overlap.refuse_or_warn(judged, [result], labels([result.run]))
    tables.show(document, format, output)


def _given(text: str, documents: int | None) -> Confusion:
    """The counts that were typed; the last of them from the number of documents, where that is given instead."""
    try:
        tp, fp, fn, *rest = [_count(count) for count in text.split(",")]
        tn = rest[0] if len(rest) == 1 else None
        if len(rest) > 1 or (rest and documents is not None):
            raise ValueError
    except ValueError:
        raise InputError(
            "--counts takes TP,FP,FN,TN or, with --documents, TP,FP,FN: whole numbers; not {text!r}", text=text
        ) from None
    return Confusion(tp, fp, fn, tn) if documents is None else counted(tp, tp + fp, tp + fn, documents)


def _count(text: str) -> int:
    """A whole number in plain digits; Python's own reader also takes 1_0 and ١, and thousands of digits."""
    if not re.fullmatch(r"\s*[+-]?[0-9]{1,18}\s*", text):
        raise ValueError
    return int(text)


def _refuse_together(given: dict[str, bool]) -> None:
    there = [name for name, is_given in given.items() if is_given]
    if len(there) > 1:
        raise click.UsageError(message("{options} do not go together.", options=listed(there)))


def _refuse_with(option: str, others: dict[str, bool]) -> None:
    for name, is_given in others.items():
        _refuse_together({option: True, name: is_given})
