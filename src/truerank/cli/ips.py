"""`truerank ips`: what runs would score, by clicks on lists that other systems returned."""

from __future__ import annotations

import click

from truerank.analysis.clicks import ips
from truerank.analysis.clicks.ips import USUAL
from truerank.cli import clicked, inputs, options, tables
from truerank.present.ips import document_of


@click.command("ips")
@click.argument("log", type=options.FILE)
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=options.FILE)
@options.measures_as(f"DCG, P, RBP, RR, ARP@k [default: {USUAL}].")
@click.option(
    "--propensities",
    metavar="FILE",
    type=options.FILE,
    help="How likely each rank is looked at: a table with the columns rank and propensity.",
)
@click.option("--eta", type=click.FloatRange(0), help="Propensities are rank ** -ETA.")
@click.option(
    "--randomized",
    metavar="LOG",
    type=options.FILE,
    help="Propensities are the click rates of this log, whose lists were in random order.",
)
@click.option(
    "--clip", type=click.FloatRange(0, min_open=True), help="The most that a click weighs [default: no limit]."
)
@clicked.resampling
@options.rules
@options.changes
@tables.format
@tables.output
@tables.digits
def command(
    log: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    propensities: str | None,
    eta: float | None,
    randomized: str | None,
    clip: float | None,
    cluster: str | None,
    confidence: float,
    seed: int,
    samples: int,
    rules: str | None,
    changes: tuple[str, ...],
    format: str | None,
    output: str,
    digits: int | None,
) -> None:
    """Tell what runs would score, by clicks on lists that other systems returned.

    A click at a rank that is seldom looked at counts more: 1 / propensity times (IPS); SNIPS divides by the sum of
    these weights. LOG is JSON lines with an impression each: query, docs, clicks (the ids) and user; or a table
    with one row per document that was shown: impression, query, rank, doc_id, click (0 or 1). With several runs,
    each is compared to the first. Propensities come from one of --propensities, --eta and --randomized.

    \b
    Examples:
      truerank ips clicks.jsonl new.run --eta 1
      truerank ips clicks.csv old.run new.run -m "DCG@10 P@5" --propensities propensities.csv --clip 20
      truerank ips clicks.jsonl new.run --randomized shuffled.jsonl --cluster query
    """
    inputs.refuse(log, *runs, propensities, randomized, rules=rules, output=output)
    format = format or tables.by_ending(output)
    estimate = ips(
        log,
        list(runs),
        " ".join(measures) or USUAL,
        propensities=propensities,
        eta=eta,
        randomized=randomized,
        clip=clip,
        cluster=cluster,
        confidence=confidence,
        samples=samples,
        seed=seed,
        rules=options.changed(rules, changes),
    )
    tables.show(document_of(estimate, digits), format, output)
