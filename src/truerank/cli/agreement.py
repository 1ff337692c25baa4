"""`truerank agreement`: how much two runs agree, without judgements."""

from __future__ import annotations

from typing import Any

import click

from truerank.analysis.compare.agreement import agreement
from truerank.cli import inputs, options, tables
from truerank.present.agreement import document_of


@click.command("agreement")
@click.argument("run_a", type=options.FILE)
@click.argument("run_b", type=options.FILE)
@click.option(
    "-p",
    "--persistence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.9,
    show_default=True,
    help="How likely the reader of rank-biased overlap goes on to the next rank.",
)
@click.option(
    "--ties",
    type=click.Choice(["w", "a", "b"]),
    help="Equal scores in rank-biased overlap: all at the first of their ranks (w), the mean over their orders (a) "
    "or that, corrected as tau-b is (b) [default: in the order of the tie rule].",
)
@click.option(
    "--unseen",
    type=click.Choice(["ext", "min", "max", "res"]),
    default="ext",
    show_default=True,
    help="The rest of both lists agrees as they do so far (ext), not at all (min), as far as it can (max); or the "
    "residual between these two (res).",
)
@options.rules
@options.changes
@tables.format
@tables.output
@tables.digits
@options.run_format
def command(
    run_a: str,
    run_b: str,
    persistence: float,
    ties: Any,
    unseen: Any,
    rules: str | None,
    changes: tuple[str, ...],
    format: str | None,
    output: str,
    digits: int | None,
    run_format: str | None,
) -> None:
    """Tell how much two runs agree, without judgements.

    Prints rank-biased overlap, which minds the top most and also what only one run returned, and Kendall's tau of
    the documents that both returned; json and csv have those of each query. --set depth=10 looks at the first 10
    documents of each list.

    \b
    Examples:
      truerank agreement bm25.run dense.run
      truerank agreement bm25.run dense.run --ties a --unseen res -p 0.95
      truerank agreement bm25.run dense.run --set depth=10 --format csv
    """
    inputs.refuse(run_a, run_b, rules=rules, output=output)
    under = inputs.rules_asked(rules, changes, (run_a, run_b))
    with inputs.opened((run_a, run_b), run_format) as (one, other):
        found = agreement(one, other, p=persistence, ties=ties, unseen=unseen, rules=under)
    tables.show(document_of(found, digits), format, output)
