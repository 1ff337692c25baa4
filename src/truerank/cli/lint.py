"""`truerank lint`: what in qrels and runs would make numbers wrong or arbitrary."""

from __future__ import annotations

import click

from truerank.analysis.lint import Finding, Findings, lint
from truerank.analysis.lint.findings import SAID
from truerank.cli import inputs, options
from truerank.cli.output import is_styled, spoken, write
from truerank.cli.progress import ReadingBar
from truerank.core.languages import translated
from truerank.core.messages import plural

COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}


@click.command("lint")
@click.argument("qrels", type=options.FILE)
@click.argument("runs", metavar="[RUN]...", nargs=-1, type=options.FILE)
@options.measures_of("Whose ties to look at", options.NAMED)
@options.rules
@options.changes
@click.option(
    "--queries",
    metavar="FILE",
    type=options.FILE,
    help="All queries, to find judged ones that nobody asks: JSON lines, JSON, TSV, CSV, Parquet or TREC's topics.",
)
@click.option(
    "--docs",
    metavar="FILE",
    type=options.FILE,
    help="All documents, such as BEIR's corpus.jsonl, to find judged ones that no run can return.",
)
@click.option(
    "-f",
    "--format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to write it.",
)
@click.option("--strict", is_flag=True, help="Let warnings fail, too.")
@options.qrels_format
@options.run_format
@click.pass_context
def command(
    ctx: click.Context,
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    rules: str | None,
    changes: tuple[str, ...],
    queries: str | None,
    docs: str | None,
    format: str,
    strict: bool,
    qrels_format: str | None,
    run_format: str | None,
) -> None:
    """Tell what in qrels and runs would make numbers wrong or arbitrary, with line numbers.

    An error means that numbers are refused or wrong, a warning that they are arbitrary or mislead, a note is
    worth knowing. The exit status is 1 when there are errors, 2 when a file is missing, empty or in no known
    format, else 0.

    \b
    Examples:
      truerank lint qrels.txt
      truerank lint qrels.txt bm25.run dense.run.gz
      truerank lint qrels.txt bm25.run --strict --format json
      truerank lint qrels.txt --queries queries.jsonl --docs corpus.jsonl.gz
    """
    inputs.refuse(qrels, *runs, queries, docs)
    under = inputs.rules_asked(rules, changes, runs)
    with ReadingBar() as reading:
        findings = lint(
            qrels,
            *map(inputs.source, runs),
            rules=under,
            measures=" ".join(measures) or None,
            queries=queries,
            docs=docs,
            qrels_format=qrels_format,
            run_format=run_format,
            progress=reading.reach,
        )
    write(_json(findings) if format == "json" else _text(findings, len(runs) + 1, is_styled("-")))
    failing = {"error", "warning"} if strict else {"error"}
    ctx.exit(int(any(finding.severity in failing for finding in findings)))


def _json(findings: Findings) -> str:
    from truerank.present.renderers.json import dumps

    return dumps(findings.to_dict(), indent=True)


def _text(findings: Findings, files: int, styled: bool) -> str:
    """One line per finding, in the form that editors jump to, and a summary."""
    lines = [_styled(finding) if styled else translated(finding.printed, spoken()) for finding in findings]
    in_files = plural("{found} in {n:,} file", "{found} in {n:,} files", found=findings.counted(), n=files)
    summary = translated(in_files, spoken())
    return "\n".join([*lines, summary, ""])


def _styled(finding: Finding) -> str:
    where = click.style(finding.where, bold=True)
    severity = click.style(translated(SAID[finding.severity], spoken()), COLOURS[finding.severity])
    return (
        f"{where}: {severity}: {translated(finding.message, spoken())} {click.style(f'[{finding.kind}]', dim=True)}"
    )
