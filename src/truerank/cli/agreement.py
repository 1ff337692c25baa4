"""`truerank agreement`: how much runs agree, without judgements."""

from __future__ import annotations

from typing import Any

import click

from truerank.analysis.agreement import agreement, agreements
from truerank.analysis.agreement.several import COEFFICIENTS
from truerank.cli import inputs, options, tables
from truerank.cli.progress import Counting
from truerank.core.messages import message
from truerank.present import agreement as of_two
from truerank.present.agreement_matrix import document_of


@click.command("agreement")
@click.argument("runs", metavar="RUN RUN...", nargs=-1, required=True, type=options.FILE)
@click.option(
    "-p",
    "--persistence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.9,
    show_default=True,
    help="How likely the reader of rank-biased overlap goes on to the next rank.",
)
@click.option(
    "-k", type=click.IntRange(1), default=10, show_default=True, help="Of overlap: the first k of each list."
)
@click.option(
    "--coefficient",
    type=click.Choice(COEFFICIENTS),
    default=COEFFICIENTS[0],
    show_default=True,
    help="Which one the matrix and the picture of three runs or more show; csv and json have all.",
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
@options.collapsed
def command(
    runs: tuple[str, ...],
    persistence: float,
    k: int,
    coefficient: Any,
    ties: Any,
    unseen: Any,
    rules: str | None,
    changes: tuple[str, ...],
    format: str | None,
    output: str,
    digits: int | None,
    run_format: str | None,
    collapse: options.Collapse,
) -> None:
    """Tell how much runs agree, without judgements.

    Of two runs it prints rank-biased overlap, which minds the top most and also what only one run returned,
    Kendall's tau and tau-AP of the documents that both returned, and the overlap of the first k; json and csv have
    those of each query. Of more it prints a matrix in which runs that agree stand together; json and csv have all
    coefficients of each two. --set depth=10 looks at the first 10 documents of each list.

    \b
    Examples:
      truerank agreement bm25.run dense.run
      truerank agreement bm25.run dense.run --ties a --unseen res -p 0.95
      truerank agreement bm25.run dense.run --set depth=10 --format csv
      truerank agreement *.run --coefficient tau_ap -o agreement.html
    """
    if len(runs) < 2:
        raise click.UsageError(message("One run agrees with nothing: give two or more."))
    inputs.refuse(*runs, rules=rules, output=output)
    format = format or tables.by_ending(output)
    under = inputs.rules_asked(rules, changes, runs)
    how: dict[str, Any] = {"p": persistence, "k": k, "ties": ties, "unseen": unseen, "rules": under}
    with inputs.opened(runs, run_format, collapse=collapse) as sources:
        if len(sources) == 2:
            tables.show(of_two.document_of(agreement(*sources, **how), digits), format, output)
            return
        with Counting(message("comparing")) as bar:
            agreed = agreements(sources, **how, progress=bar.reach)
    tables.show(document_of(agreed, digits, coefficient=coefficient), format, output, figures=True)
