"""`truerank interleaving`: which system users prefer, by clicks on interleaved lists."""

from __future__ import annotations

import click

from truerank.analysis.clicks import interleaving
from truerank.analysis.clicks.credits import METHODS, TAU
from truerank.cli import clicked, inputs, options, tables
from truerank.cli.output import spoken
from truerank.cli.repeats import distinct
from truerank.cli.suggestions import Word
from truerank.core.errors import InputError
from truerank.core.messages import alternatives, message
from truerank.present.interleaving import document_of, figures
from truerank.present.renderers import figures as pictures
from truerank.stats import Correction


@click.command("interleaving")
@click.argument("log", type=options.FILE)
@click.option(
    "--method",
    type=click.Choice(list(METHODS)),
    default="team-draft",
    show_default=True,
    help="How the lists were made; balanced and probabilistic need each system's own list.",
)
@click.option(
    "--run",
    "runs",
    multiple=True,
    metavar="NAME=RUN",
    help="The lists of a system, where the log has no rankings; may be repeated.",
)
@click.option(
    "--tau", type=click.FloatRange(0), default=TAU, show_default=True, help="The exponent of probabilistic lists."
)
@click.option(
    "--correction",
    type=Word(["holm", "bonferroni", "bh", "none"]),
    default="holm",
    show_default=True,
    help="How p is corrected for the number of pairs.",
)
@clicked.resampling
@tables.plot("Δ of each pair: .svg, .png or .html")
@options.rules
@options.changes
@tables.format
@tables.output
@tables.digits
def command(
    log: str,
    method: str,
    runs: tuple[str, ...],
    tau: float,
    cluster: str | None,
    correction: Correction,
    confidence: float,
    seed: int,
    samples: int,
    plot: str | None,
    rules: str | None,
    changes: tuple[str, ...],
    format: str | None,
    output: str,
    digits: int | None,
) -> None:
    """Tell which system users prefer, by their clicks on interleaved lists.

    LOG is JSON lines with an impression each: query, docs, systems (of each document), clicks (the ids), and where
    they are known user and rankings. Or CSV, TSV, JSON lines or Parquet with one row per document that was shown:
    impression, query, rank, doc_id, system, click (0 or 1).

    \b
    Examples:
      truerank interleaving clicks.jsonl
      truerank interleaving clicks.csv --cluster user --format json --plot preferences.svg
      truerank interleaving clicks.jsonl --method probabilistic --run old=old.run --run new=new.run
    """
    named = distinct(map(_named, runs), "--run")
    inputs.refuse(log, *named.values(), rules=rules, output=output, plot=plot)
    format = format or tables.by_ending(output)
    _refuse_unused(method, has_runs=bool(runs))
    preferences = interleaving(
        log,
        method,
        runs=named,
        cluster=cluster,
        correction=correction,
        confidence=confidence,
        samples=samples,
        seed=seed,
        tau=tau,
        rules=options.changed(rules, changes),
    )
    if plot:
        drawn = figures(preferences)
        if not drawn:
            raise InputError("there are too few impressions for an interval to draw", plot)
        pictures.draw(drawn[0], plot, spoken())
    tables.show(document_of(preferences, digits), format, output)


METHODS_OF = {"tau": ("probabilistic",), "runs": ("balanced", "probabilistic")}
"""The methods that an option is for."""


def _refuse_unused(method: str, *, has_runs: bool) -> None:
    """Raise where an option was typed of which nothing comes."""
    for option in options.typed():
        methods = METHODS_OF.get(option.name or "", (method,))
        if method not in methods:
            named = {"option": option.opts[-1], "methods": alternatives(methods)}
            raise click.UsageError(message("{option} is for --method {methods}.", **named))
        if option.name in ("rules", "changes") and not has_runs:
            raise click.UsageError(message("{option} needs --run.", option=option.opts[-1]))


def _named(text: str) -> tuple[str, str]:
    name, equals, path = text.partition("=")
    if not (name and equals and path):
        raise InputError("--run takes NAME=RUN, e.g. old=old.run; not {text!r}", text=text)
    return name, path
