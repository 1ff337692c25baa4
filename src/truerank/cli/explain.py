"""`truerank explain`: why a query scores what it scores, what moved between two runs, why tools disagree."""

from __future__ import annotations

import os
from typing import Any

import click

from truerank.analysis.explain import diff_each, explain_each
from truerank.analysis.explain.moves import MOST, ONLY, Only, reading_for
from truerank.cli import id_overlap, inputs, options, tables
from truerank.cli.output import width
from truerank.core.errors import InputError, printable
from truerank.core.kernel.scanning import as_bytes
from truerank.core.messages import did_you_mean, message, plural
from truerank.core.qrels import Qrels
from truerank.core.reading import Reading
from truerank.core.rules import Rules
from truerank.core.run import Run
from truerank.core.vocabulary import DEFAULT
from truerank.formats import read_qrels
from truerank.measures import Measure, parse_measure, parse_measures
from truerank.present import explanation as report
from truerank.present.document import Document


def _depth(ctx: click.Context, param: click.Parameter, value: str) -> int | None:
    """The number; None for "all"."""
    if value == "all":
        return None
    if number := inputs.positive(value):
        return number
    raise click.BadParameter(
        message("{value!r} is neither a positive whole number nor all", value=value), ctx, param
    )


class _Explain(click.Command):
    """A command that says of a query behind two runs that it is named with --query."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.allow_extra_args = True
        rest = super().parse_args(ctx, args)
        if ctx.args and not ctx.resilient_parsing:
            said = plural(
                "Got unexpected extra argument ({words}). A query of two runs is named with --query ID.",
                "Got unexpected extra arguments ({words}). A query of two runs is named with --query ID.",
                n=len(ctx.args),
                words=" ".join(ctx.args),
            )
            raise click.UsageError(said, ctx)
        return rest


@click.command("explain", cls=_Explain)
@click.argument("qrels", type=options.FILE)
@click.argument("run", type=options.FILE)
@click.argument("other", metavar="[QUERY|RUN_B]", required=False)
@click.option(
    "-q", "--query", metavar="ID", help="The query, where its id could be a file's name; of two runs too."
)
@options.measures_of(
    "What to explain", f"the first that the rules name, or else AP; with several --rules {' '.join(DEFAULT)}"
)
@options.rules_as(
    "A preset or a rules file; several names with commas show one run under many tools' rules [default: truerank]."
)
@options.changes
@click.option(
    "--depth",
    callback=_depth,
    default=str(report.DEPTH),
    metavar="N|all",
    help="How many results to list, with as many relevant ones below; of two runs, how many documents that moved "
    f"each query [default: {report.DEPTH}; of two runs {report.DOCUMENTS}, with --query all].",
)
@click.option(
    "--most", type=click.IntRange(1), default=MOST, show_default=True, help="Queries of two runs to list."
)
@click.option(
    "--only", type=click.Choice(ONLY), help="Of two runs, those that got worse or better [default: both]."
)
@options.queries
@options.docs
@options.items
@tables.format
@tables.output
@tables.digits
@options.qrels_format
@options.run_format
@options.collapsed
def command(
    qrels: str,
    run: str,
    other: str | None,
    query: str | None,
    measures: tuple[str, ...],
    rules: str | None,
    changes: tuple[str, ...],
    depth: int | None,
    most: int,
    only: Only | None,
    queries: str | None,
    docs: str | None,
    items: str | None,
    format: str | None,
    output: str,
    digits: int | None,
    qrels_format: str | None,
    run_format: str | None,
    collapse: options.Collapse,
) -> None:
    """Tell why a number is what it is.

    With a QUERY: its ranked list with the grades, and each measure worked out line by line as in a textbook,
    with the rules that applied. With a second run: the queries that moved most from the first to the second,
    and the documents that moved them. With several --rules: the run under the rules of many tools, and why the
    numbers differ.

    \b
    Examples:
      truerank explain qrels.txt bm25.run 301 -m "AP nDCG@10"
      truerank explain qrels.txt bm25.run 301 --queries queries.jsonl --docs corpus.jsonl.gz
      truerank explain qrels.txt lists.run 301 -m "ILD@10 Novelty@10" --items items.csv
      truerank explain qrels.txt chunks.run 301 --collapse max
      truerank explain qrels.txt bm25.run dense.run -m nDCG@10
      truerank explain qrels.txt bm25.run dense.run -m nDCG@10 --only worse --most 20
      truerank explain qrels.txt bm25.run dense.run --query 301
      truerank explain qrels.txt bm25.run --rules trec_eval-10,trec_eval-9
    """
    inputs.refuse(qrels, run, other, queries, docs, items, rules=rules, output=output)
    format = format or tables.by_ending(output)
    chosen = parse_measures(" ".join(measures))
    judged = read_qrels(qrels, qrels_format)
    if rules and "," in rules and not os.path.isfile(rules):
        _refuse_beside_rules(other or query or changes, queries or docs, items)
        with inputs.opened([run], run_format, again=True, collapse=collapse) as (source,):
            document = _under_many(judged, source, chosen, rules, digits, width(output))
        return tables.show(document, format, output)
    if other and not query and not _is_run(other, judged):
        query, other = other, None
    runs = [run, *([other] if other else [])]
    under = inputs.rules_asked(rules, changes, runs)
    if (query or not other) and (idle := options.typed_of(("most", "only"))):
        raise click.UsageError(message("{option} is for the queries of two runs.", option=idle[0]))
    beside: dict[str, Any] = {"queries": queries, "docs": docs, "items": items}
    with inputs.opened(runs, run_format, collapse=collapse) as sources:
        if other:
            wanted = chosen or [_default(under)]
            moved: dict[str, Any] = {"query": query, "most": most, "only": only, "rules": under, **beside}
            a, b = (_related(judged, source, wanted, under) for source in sources)
            diffs = diff_each(None, a, b, wanted, **moved)
            usual = None if query is not None else report.DOCUMENTS
            listed = depth if options.typed_of(["depth"]) else usual
            document = report.several_moves_document(diffs, most=listed, digits=digits)
        elif query:
            reasons = explain_each(judged, sources[0], query, chosen or [_default(under)], rules=under, **beside)
            document = report.document(reasons, depth=depth, digits=digits)
        else:
            raise click.UsageError(
                message("Name a query{example}, a second run, or several --rules.", example=_example(judged))
            )
    return tables.show(document, format, output)


def _refuse_beside_rules(others: object, texts: object, items: object) -> None:
    """Refuse what the means of one run under several --rules have no place for."""
    if others:
        raise click.UsageError(message("Several --rules are for one run: no query, no second run, no --set."))
    if texts:
        raise click.UsageError(
            message("Several --rules are about means, which show no texts: no --queries, no --docs.")
        )
    if items:
        raise click.UsageError(message("Several --rules are for measures of judged documents: no --items."))
    if idle := options.typed_of(("depth", "most", "only")):
        raise click.UsageError(message("Several --rules are about means: no {option}.", option=idle[0]))


def _related(judged: Qrels, run: Run, measures: list[Measure], rules: Rules) -> Reading:
    """The reading of one of two runs; where it answers nothing judged, all would have become worse, or better."""
    reading = reading_for(judged, run, measures, rules)
    id_overlap.of_reading(judged, reading, run)
    return reading


def _under_many(
    judged: Qrels, run: Run, measures: list[Measure], rules: str, digits: int | None, width: int | None
) -> Document:
    """One run under the rules of many tools."""
    from truerank.analysis.explain.tools import under_rules
    from truerank.present.tools import document_of

    names = [name.strip() for name in rules.split(",") if name.strip()]
    return document_of(under_rules(judged, run, measures or parse_measures(DEFAULT), names), digits, width)


def _is_run(name: str, judged: Qrels) -> bool:
    """Whether the last argument is a run rather than a query: a judged query of that name comes first."""
    if as_bytes(name) in judged.queries:
        return False
    if name == "-" or "://" in name or os.path.exists(name):
        return True
    if os.sep in name or os.path.splitext(name)[1][1:].isalpha():
        near = did_you_mean(printable(name), map(printable, judged.queries))
        raise InputError("there is no such file, and no judged query of this name.{near}", name, near=near)
    return False


def _default(rules: Rules) -> Measure:
    """The first measure that the rules name which is averaged, else AP."""
    named = parse_measures(rules.measures)
    return next((measure for measure in named if measure.definition.average == "mean"), parse_measure("AP"))


def _example(judged: Qrels) -> str:
    return message(" (such as {query})", query=printable(judged.queries[0])) if len(judged) else ""
