"""`truerank collections`: how systems stand over several collections; `truerank compare` of several is the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from truerank.analysis.collections import collections, read_collections
from truerank.analysis.collections.files import Files, named
from truerank.cli import drawing, id_overlap, inputs, options, tables
from truerank.cli.output import spoken, width
from truerank.cli.repeats import distinct, refusing_repeats
from truerank.core.evaluate import evaluate
from truerank.core.messages import message
from truerank.core.scores import Scores
from truerank.formats import read_qrels
from truerank.present.collections import document_of, figure
from truerank.present.renderers import figures

OPTION = "--collection"

BETWEEN = "\0"
"""Stands between the values of an option that takes any number of them; no path has it."""


class Bundling(click.Command):
    """A command with an option that takes all values up to the next option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The arguments, each bundle of values as one."""
        words = options.bundled(args, OPTION)
        return super().parse_args(ctx, [word if isinstance(word, str) else BETWEEN.join(word) for word in words])


class OrSeveral(click.Command):
    """A command of one collection, which hands over where several are named."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """The context of the command which is meant."""
        if _are_several(args):
            return refusing_repeats(command).make_context(command.name, args, parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


def _are_several(args: Sequence[str]) -> bool:
    """Whether collections are named, or a file of them: one ending in .toml that is no option nor its value."""
    flags = [name for param in command.params if getattr(param, "is_flag", False) for name in param.opts]
    pairs = [(before, arg) for before, arg in zip(["", *args], args, strict=False) if not arg.startswith("-")]
    files = [arg for before, arg in pairs if before in flags or not before.startswith("-")]
    return OPTION in args or any(arg.endswith(".toml") for arg in files)


def _split(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> dict[str, Files]:
    """The collections by name, each with its qrels and its runs by the names of their systems."""
    pairs = []
    for bundle in value:
        name, *files = bundle.split(BETWEEN)
        if len(files) < 2:
            raise click.BadParameter(
                message("it takes NAME QRELS RUN...; {name} has too few files", name=name), ctx, param
            )
        pairs.append((name, (files[0], named(files[1:], name))))
    return distinct(pairs, OPTION)


@click.command("collections", cls=Bundling)
@click.argument("file", metavar="[FILE.toml]", required=False, type=options.FILE)
@click.option(
    OPTION,
    "given",
    multiple=True,
    metavar="NAME QRELS RUN...",
    callback=_split,
    help="A collection in place of a file: its name, its qrels and the runs, whose systems are called as their "
    "files without the ending; may be repeated.",
)
@click.option(
    "--collections",
    "drawn",
    type=click.Choice(["fixed", "random"]),
    default="fixed",
    show_default=True,
    help="fixed: these collections are what matters, and only their queries could have been others; random: "
    "collections are drawn from a population too, of which something is to be said.",
)
@click.option(
    "--partial",
    is_flag=True,
    help="Also the means of systems over only the collections that they have runs on.",
)
@options.measures
@options.rules
@options.changes
@drawing.options(
    confidence="Of the intervals, and of all rank intervals at once.",
    samples="How often queries are resampled.",
)
@tables.plot("systems × collections: .svg, .png or .html; of several measures each: beir.svg is beir-AP.svg then")
@tables.format
@tables.output
@tables.digits
@options.qrels_format
@options.run_format
@options.collapsed
def command(
    file: str | None,
    given: dict[str, Files],
    drawn: Any,
    partial: bool,
    measures: tuple[str, ...],
    rules: str | None,
    changes: tuple[str, ...],
    confidence: float,
    seed: int,
    samples: int,
    plot: str | None,
    format: str | None,
    output: str,
    digits: int | None,
    qrels_format: str | None,
    run_format: str | None,
    collapse: options.Collapse,
) -> None:
    """Tell which system is better over several collections, and which ranks each may have.

    Prints each system's mean over the collections with its interval, the ranks that it may have (of all systems
    at once), the groups that cannot be told apart, Borda's votes, and the mean of each system on each collection. A
    system without a run on some collection is named, and has no rank. `truerank compare` of several collections
    is the same.

    FILE.toml has a table for each collection, whose paths begin where the file stands:

    \b
      [collections.scifact]
      qrels = "scifact/qrels.tsv"
      runs = ["scifact/bm25.run", "scifact/dense.run"]
      [collections.fiqa]
      qrels = "fiqa/qrels.tsv"
      runs = {bm25 = "fiqa/first.run", dense = "fiqa/second.run"}

    Needs: pip install "truerank[stats]"

    \b
    Examples:
      truerank collections beir.toml -m nDCG@10
      truerank collections beir.toml -m nDCG@10 --collections random --plot beir.svg
      truerank collections --collection web web.qrels web/*.run --collection news news.qrels news/*.run
      truerank compare beir.toml -m "nDCG@10 R@100" --format json
    """
    if bool(file) == bool(given):
        raise click.UsageError(
            message("name a file of collections, or collections: --collection NAME QRELS RUN...")
        )
    several = read_collections(file) if file else given
    files = [path for qrels, runs in several.values() for path in (qrels, *runs.values())]
    inputs.refuse(file, *files, rules=rules, output=output, plot=plot)
    format = format or tables.by_ending(output)
    under = inputs.rules_asked(rules, changes, [run for _, runs in several.values() for run in runs.values()])
    wanted = inputs.measures_asked(measures, under)
    scores: dict[str, dict[str, Scores]] = {}
    for name, (qrels, runs) in several.items():
        judged, paths = read_qrels(qrels, qrels_format), list(runs.values())
        with inputs.opened(paths, run_format, collapse=collapse) as sources:
            own = [evaluate(judged, source, wanted, rules=under) for source in sources]
        id_overlap.refuse_or_warn(judged, own, paths, sources)
        scores[name] = dict(zip(runs, own, strict=True))
    comparison = collections(
        scores, wanted, drawn=drawn, confidence=confidence, samples=samples, seed=seed, partial=partial, rules=under
    )
    if plot:
        figures.draw_each({one.heading: figure(comparison, one) for one in comparison.standings}, plot, spoken())
    tables.show(document_of(comparison, digits, width(output)), format, output)
