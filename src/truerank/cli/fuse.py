"""`truerank fuse`: one run out of several."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from truerank.cli import inputs, options, tables
from truerank.cli.output import say_left_out
from truerank.cli.progress import Counting
from truerank.core.errors import InputError
from truerank.core.messages import message
from truerank.formats import open_run, read_qrels
from truerank.formats.converting import convert
from truerank.fusion import fuse, methods
from truerank.fusion.norms import NORMS
from truerank.fusion.registry import parsed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truerank.core.qrels import Qrels
    from truerank.core.run import Run
    from truerank.fusion import TunedFusion


@click.command("fuse")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=options.FILE)
@click.option(
    "--method",
    default=None,
    metavar="METHOD",
    help="The method, perhaps with parameters, such as rrf(k=20) [default: rrf; with --tune wsum].",
    shell_complete=options.completing(methods),
)
@click.option(
    "--norm",
    type=click.Choice([*NORMS, "none"]),
    default="min-max",
    show_default=True,
    help="How scores are made comparable, for methods that look at scores.",
)
@click.option(
    "--weights", metavar="W,W,...", callback=options.fractions, help="How much each run counts, in their order."
)
@click.option("--depth", type=click.IntRange(1), metavar="N", help="Keep the first N documents of each fused list.")
@click.option(
    "--tune",
    "qrels",
    metavar="QRELS",
    type=options.FILE,
    help="Tune parameters by cross-validation and print what held-out queries score; -o gets the run of these.",
)
@click.option("-m", "--measure", metavar="MEASURE", help="The measure that is tuned for [default: nDCG@10].")
@click.option("--folds", type=click.IntRange(2), help="How many folds of the queries, for --tune [default: 5].")
@click.option(
    "--step",
    type=click.FloatRange(0, 1, min_open=True),
    help="The step between the weights that are tried (2,000 settings at most), such as 0.05 [default: 0.1].",
)
@click.option("--seed", type=click.IntRange(0), help="Of the folds [default: 0].")
@options.rules
@options.changes
@options.format("--to", help="The format of the fused run [default: by FILE's ending].")
@options.run_format
@options.collapsed
@options.qrels_format
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=options.FILE,
    help="Write the fused run there [default: standard output; with --tune nowhere].",
)
@tables.format
@tables.digits
def command(
    runs: tuple[str, ...],
    method: str | None,
    norm: str,
    weights: list[float] | None,
    depth: int | None,
    qrels: str | None,
    measure: str | None,
    folds: int | None,
    step: float | None,
    seed: int | None,
    rules: str | None,
    changes: tuple[str, ...],
    to: str | None,
    run_format: str | None,
    collapse: options.Collapse,
    qrels_format: str | None,
    output: str | None,
    format: str | None,
    digits: int | None,
) -> None:
    """Fuse several runs into one.

    The runs are read side by side, query by query. Methods of ranks are rrf, w_rrf, rbc, isr, log_isr, logn_isr,
    bordafuse, w_bordafuse, condorcet and w_condorcet; of scores sum, mnz, anz, gmnz, min, max, med, wsum, wmnz,
    mixed, geometric_mean and harmonic_mean; bayesfuse, mapfuse, posfuse, probfuse, segfuse and slidefuse learn from
    judgements, with --tune.

    \b
    Examples:
      truerank fuse bm25.run dense.run -o fused.run
      truerank fuse bm25.run dense.run --method wsum --weights 0.3,0.7 --depth 1000 -o fused.run.gz
      truerank fuse bm25.run dense.run --method "rrf(k=20)" | truerank eval qrels.txt -
      truerank fuse bm25.run dense.run --tune qrels.txt --method wsum -m nDCG@10 -o fused.run
    """
    inputs.refuse(*runs, qrels, rules=rules, output=output)
    under = options.changed(rules, changes)
    given: dict[str, Any] = {} if weights is None else {"weights": weights}
    how: dict[str, Any] = {"norm": norm, "depth": depth, "rules": under, **given}
    if qrels is None:
        _refuse_idle({"--measure": measure, "--folds": folds, "--step": step, "--seed": seed})
        _refuse_idle({"--format": format, "--digits": digits, "--qrels-format": qrels_format})
        _refuse_idle_norm(method or "rrf", norm)
        with inputs.opened(runs, run_format, collapse=collapse) as sources:
            say_left_out(convert(fuse(sources, method or "rrf", **how), output or "-", what="run", to=to))
        return
    if "-" in runs:
        raise InputError("a run is read more than once to be tuned: write it to a file first", "-")
    if to and not output:
        raise click.UsageError(
            message("--to is the format of the fused run: with --tune say where it goes (-o FILE).")
        )
    _refuse_idle_norm(method or "wsum", norm)
    if output == "-":
        raise click.UsageError(message("with --tune the table goes to standard output: write the run to a file."))
    dealt = {"folds": folds, "step": step, "seed": seed}
    how |= {key: value for key, value in dealt.items() if value is not None}
    sources = [collapse(open_run(run, run_format)) for run in runs]
    tuned = _tuned(sources, read_qrels(qrels, qrels_format), method or "wsum", measure or "nDCG@10", how)
    if output:
        say_left_out(convert(tuned.run, output, what="run", to=to))
    from truerank.present.fusion import document_of

    tables.show(document_of(tuned, digits), format)


def _tuned(runs: Sequence[Run], qrels: Qrels, method: str, measure: str, how: Mapping[str, Any]) -> TunedFusion:
    """The parameters and what they score, with a bar for what takes long."""
    from truerank.fusion.tuned import tune_fusion

    with Counting(message("tuning")) as bar:
        return tune_fusion(qrels, runs, method, measure, progress=bar.reach, **how)


def _refuse_idle(given: Mapping[str, Any]) -> None:
    """Refuse options that only tuning has a use for."""
    for option, value in given.items():
        if value is not None:
            raise click.UsageError(message("{option} is for --tune: say with which judgements.", option=option))


def _refuse_idle_norm(method: str, norm: str) -> None:
    """Refuse how scores are made comparable where a method of ranks does not ask which are best."""
    if not options.typed_of(["norm"]) or norm == "min-max-inverted":
        return
    if parsed(method)[0].reads == "ranks":
        raise click.UsageError(
            message("--norm is for methods of scores, such as wsum or mnz; {method} looks at ranks.", method=method)
        )
