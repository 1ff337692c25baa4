"""`truerank judges`: how much judges agree, and whether systems keep their order whoever judges."""

from __future__ import annotations

from typing import Any

import click

from truerank.analysis.compare.naming import by_name
from truerank.analysis.judges import Judges, judges
from truerank.analysis.judges.judgements import VOTES
from truerank.cli import drawing, inputs, options, tables
from truerank.cli.output import say_left_out, spoken
from truerank.cli.progress import Counting
from truerank.core.errors import InputError
from truerank.core.messages import message
from truerank.core.rules import Rules
from truerank.formats import convert, open_run, read_qrels
from truerank.present.judges import document_of, pictures
from truerank.present.renderers.figures import draw_each

RUN = "--run"


class Several(click.Command):
    """A command whose option --run takes all words up to the next option, as a shell's *.run gives them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The words, with the option before each run."""
        return super().parse_args(ctx, spread(args))


def spread(words: list[str]) -> list[str]:
    """The words, with the option before each run.

    >>> spread(["a.qrels", "b.qrels", "--run", "x.run", "y.run", "-m", "AP"])
    ['a.qrels', 'b.qrels', '--run', 'x.run', '--run', 'y.run', '-m', 'AP']
    """
    expanded: list[str] = []
    for word in options.bundled(words, RUN):
        first, *others = [word] if isinstance(word, str) else word
        expanded += [first, *(each for other in others for each in (RUN, other))]
    return expanded


binary = click.option(
    "--binary",
    metavar="LEVELS",
    callback=options.fractions,
    help="Compare relevance alone: grades from this level on are 1, others 0; a level for all judges, or one each, "
    "e.g. 1,2 where the first has two grades and the second four.",
)


@click.command("judges", cls=Several)
@click.argument("qrels", metavar="QRELS QRELS...", nargs=-1, required=True, type=options.FILE)
@click.option(
    RUN,
    "runs",
    metavar="RUN...",
    multiple=True,
    type=options.FILE,
    help="Runs to score by each judge: all files up to the next option.",
)
@options.measures
@options.rules
@options.changes
@binary
@click.option("--common", is_flag=True, help="Score runs on only the documents that all judges have judged.")
@click.option("--per-query", is_flag=True, help="The agreement on each query too; csv has a row for each then.")
@tables.plot("the runs' means by one judge against another: .svg, .png or .html; a file each measure and pair")
@click.option(
    "--consensus",
    metavar="FILE",
    type=options.FILE,
    help="Write qrels there in which the judges of each document have voted on its grade.",
)
@click.option(
    "--vote",
    type=click.Choice(list(VOTES)),
    help="How they vote: majority is the grade that most of them gave, the lowest of several given equally often; "
    "with --consensus [default: majority].",
)
@drawing.options(
    confidence="Of the intervals; what is left to 1 is the level of the tests.",
    samples="How often queries are resampled.",
)
@tables.format
@tables.output
@tables.digits
@options.qrels_format
@options.run_format
@options.collapsed
def command(
    qrels: tuple[str, ...],
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    rules: str | None,
    changes: tuple[str, ...],
    binary: list[float] | None,
    common: bool,
    per_query: bool,
    plot: str | None,
    consensus: str | None,
    vote: str | None,
    format: str | None,
    output: str,
    digits: int | None,
    qrels_format: str | None,
    run_format: str | None,
    collapse: options.Collapse,
    **how: Any,
) -> None:
    """Tell how much judges agree, and whether systems keep their order whoever judges.

    The judges are people, crowds or models, who judged the same documents. Prints the grades of one against
    another, Cohen's kappa, Krippendorff's alpha and Gwet's AC1 and AC2, each with an interval; with runs their
    means by each judge, Kendall's tau and tau-AP of their order, and which pairs of runs flip.

    Needs: pip install "truerank[stats]"

    \b
    Examples:
      truerank judges experts.qrels crowd.qrels
      truerank judges experts.qrels model.qrels --binary 2,1 --per-query --format csv
      truerank judges experts.qrels crowd.qrels model.qrels --run *.run -m "nDCG@10 AP"
      truerank judges experts.qrels model.qrels --run *.run --common --plot judges.svg
      truerank judges gpt.qrels llama.qrels qwen.qrels --consensus panel.qrels --vote median
    """
    inputs.refuse(*qrels, *runs, rules=rules, output=output, plot=plot, consensus=consensus)
    if vote and not consensus:
        raise click.UsageError(message("{option} needs --consensus.", option="--vote"))
    format = format or tables.by_ending(output)
    under = inputs.rules_asked(rules, changes, runs)
    _refuse_unused(runs, under)
    wanted = inputs.measures_asked(measures, under)
    read = {name: read_qrels(path, qrels_format) for name, path in by_name(qrels).items()}
    opened = [collapse(open_run(inputs.source(path), run_format)) for path in runs] or None
    with Counting(message("judging")) as bar:
        judged = judges(read, opened, wanted, rules=under, binary=binary, common=common, progress=bar.reach, **how)
    if plot:
        drawn = pictures(judged)
        if not drawn:
            raise InputError(
                "there is no order of runs to draw: give two or more, and a measure that orders them", plot
            )
        draw_each(drawn, plot, spoken())
    if consensus:
        say_left_out(convert(judged.consensus(vote or "majority"), consensus, what="qrels"))
    tables.show(document_of(judged, digits, per_query=per_query), format, output)


option = click.option(
    "--judges",
    "judges",
    metavar="QRELS",
    multiple=True,
    type=options.FILE,
    help="Qrels of another judge: agreement with QRELS, and the runs by each of them; may be repeated.",
)


def of_report(qrels: str, runs: tuple[str, ...], asked: dict[str, Any]) -> Judges:
    """What a report says of its qrels and those of other judges."""
    under = inputs.rules_asked(asked["rules"], asked["changes"], runs)
    _refuse_unused(runs, under)
    read = {
        name: read_qrels(path, asked["qrels_format"]) for name, path in by_name([qrels, *asked["judges"]]).items()
    }
    collapse = options.collapsing(asked["how"], asked["chunk_ids"])
    opened = [collapse(open_run(inputs.source(path), asked["run_format"])) for path in runs]
    wanted = inputs.measures_asked(asked["measures"], under)
    with Counting(message("judging")) as bar:
        return judges(read, opened, wanted, rules=under, **drawing.drawn(asked), progress=bar.reach)


RULES = ("rules", "changes")
"""Options that say nothing without runs, unless they say that TREC's second column is an aspect."""

OF_RUNS = ("common", "plot", "measures", "run_format", *options.COLLAPSING)
"""Options that say nothing without runs."""


def _refuse_unused(runs: tuple[str, ...], rules: Rules) -> None:
    """Raise where an option is for runs, and there are none; or where a run can be read only once."""
    if "-" in runs:
        raise click.UsageError(message("Each judge reads the runs: standard input (-) can be read only once."))
    unused = OF_RUNS if rules.iteration == "aspect" else (*RULES, *OF_RUNS)
    if not runs and (idle := options.typed_of(unused)):
        raise click.UsageError(message("{option} needs --run.", option=idle[0]))
