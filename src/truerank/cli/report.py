"""`truerank report`: everything there is to say of runs, as one page that people send around."""

from __future__ import annotations

import os
import re
import shlex
import sys
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import click

from truerank.analysis.report import RESULTS, evaluated
from truerank.cli import (
    drawing,
    id_overlap,
    importing,
    inputs,
    judges,
    latencies,
    options,
    places,
    predicting,
    tables,
)
from truerank.cli.items import files_in
from truerank.cli.output import is_styled, spoken, write
from truerank.cli.progress import Counting
from truerank.core.languages import language_asked, languages, translated
from truerank.core.messages import message
from truerank.formats import read_qrels
from truerank.formats.digests import inputs as identified
from truerank.formats.digests import told_apart
from truerank.present import build, renderers
from truerank.present.data import Located, Readable, ReportData, Runs
from truerank.present.renderers import figures


@click.command("report")
@click.argument("qrels", required=False, type=options.FILE)
@click.argument("runs", metavar="RUN...", nargs=-1, type=options.FILE)
@options.measures
@options.rules
@options.changes
@options.baseline
@click.option(
    "--bench",
    "benches",
    metavar="FILE",
    multiple=True,
    type=options.FILE,
    help="What `truerank bench` wrote as JSON; may be repeated.",
)
@latencies.percentiles
@judges.option
@click.option(
    "--geo",
    "places",
    metavar="QUERIES REFERENCES RESULTS",
    nargs=3,
    type=options.FILE,
    help="Places recognised in pictures: the files that `truerank geo` takes, with its options.",
)
@places.judging
@places.reading
@drawing.options(
    confidence="Of the intervals; what is left to 1 is the level of the tests.",
    samples="How often queries are resampled and swapped.",
)
@options.queries
@options.docs
@click.option("--title", metavar="TEXT", help="The title of the report.")
@click.option(
    "--lang",
    type=click.Choice(languages()),
    help="The language of the texts [default: that of the locale, or English].",
)
@click.option(
    "--figures",
    metavar="FOLDER",
    type=options.FOLDER,
    help="Write each figure there too, as SVG and PNG.",
)
@click.option(
    "--results",
    type=click.IntRange(0),
    default=RESULTS,
    show_default=True,
    help="How many results of each list the page can show.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    default="-",
    type=options.FILE,
    help="Ends in .html, .md, .tex, .json, .txt or .pdf; without it the report is printed.",
)
@tables.percent
@options.as_written
@options.qrels_format
@options.run_format
@options.collapse
@options.items
@options.judgements
def command(
    qrels: str | None, runs: tuple[str, ...], output: str, judgements: options.Judgements | None, **asked: Any
) -> None:
    """Write everything that there is to say of runs as one page that people can send around.

    Who is best and how sure that is, what the means hide, curves, every query with its lists, and what it takes
    to make the page again. The page needs no network and no server.

    Measures and rules are those of the RUNs; of a report on places alone they are those of the places.

    Needs: pip install "truerank[report]"

    \b
    Examples:
      truerank report qrels.txt bm25.run dense.run -o report.html
      truerank report qrels.txt *.run --baseline bm25.run --lang ko -o report.html
      truerank report qrels.txt *.run --queries queries.jsonl --docs corpus.jsonl.gz -o report.html
      truerank report qrels.txt *.run -o paper.tex --figures figures
      truerank report experts.qrels *.run --judges crowd.qrels --judges model.qrels -o report.html
      truerank report --judged-by people.qrels --predicted-by model.qrels --sample random *.run -o report.html
      truerank report --geo flight.json map.json faiss/ --truth "within(metres=25)" -o places.html
    """
    if judgements:
        qrels, runs = judgements.people, judgements.runs(qrels, runs) if qrels else ()
        asked |= {"judged_by": judgements.people, "predicted_by": judgements.model, "sample": judgements.sample}
    files = [path for path in (qrels, *runs, *asked["judges"], *asked["benches"], *(asked["places"] or ())) if path]
    files += judgements.files[1:] if judgements else []
    if not files:
        raise click.UsageError(message("A report needs QRELS and RUNs, or --geo, or --bench."))
    if qrels and not runs:
        raise click.UsageError(
            message("There are judgements and no RUNs: give both, or neither with --geo or --bench.")
        )
    _refuse_unused(bool(qrels), asked)
    beside = (asked["queries"], asked["docs"], asked["items"])
    inputs.refuse(*files, *beside, *files_in(asked["truth"]), rules=asked["rules"], output=output)
    format = None if output == "-" else renderers.of_report(output)
    data = _data(qrels, runs, files, asked, judgements)
    with _working(message("making the report")):
        document = build.make(data, asked["title"], asked["lang"])
        if format is not None:
            build.write(document, output, format, asked["figures"])
        elif asked["figures"]:
            figures.save(document, asked["figures"])
    if format is None:
        write(document.render(styled=is_styled(output)))


def _refuse_unused(has_runs: bool, asked: dict[str, Any]) -> None:
    """Raise where an option was given that would change nothing."""
    has_places = bool(asked["places"])
    if asked["items"] and ("judged_by" in asked or asked["judges"]):
        raise click.UsageError(inputs.ITEMS_JUDGED_ONCE)
    if asked["percent"] and "judged_by" in asked:
        raise click.UsageError(message("--percent is not for --judged-by: estimates are fractions."))
    for option in options.typed():
        if option.name in OF_RUNS and not has_runs:
            raise click.UsageError(message("{option} needs QRELS and RUNs.", option=option.opts[-1]))
        if option.name in OF_EITHER and not (has_runs or has_places):
            raise click.UsageError(message("{option} needs QRELS and RUNs, or --geo.", option=option.opts[-1]))
        if option.name == "percentiles" and not asked["benches"]:
            raise click.UsageError(message("--percentiles needs --bench."))
        if option.name in places.OPTIONS and not has_places:
            raise click.UsageError(message("{option} needs --geo.", option=option.opts[-1]))


def _working(text: str) -> AbstractContextManager[object]:
    """Something that moves on a terminal's standard error."""
    if not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console

    return Console(stderr=True).status(translated(text, spoken()))


def _data(
    qrels: str | None,
    runs: tuple[str, ...],
    files: list[str],
    asked: dict[str, Any],
    judgements: options.Judgements | None,
) -> ReportData:
    read = [*files, *_read_too(asked)]
    names = dict(zip(read, told_apart(read), strict=True))
    located = _located(asked, alone=not qrels) if asked["places"] else None
    benches = tuple(latencies.saved_benches(asked["benches"], asked["percentiles"]))
    return ReportData(
        runs=_runs(qrels, runs, asked) if qrels else _of_places(located, asked),
        benches=benches,
        located=located,
        judges=judges.of_report(qrels, runs, asked) if qrels and asked["judges"] else None,
        predicted=predicting.of_report(judgements, runs, asked) if judgements else None,
        inputs=identified(read),
        command=_command(None if judgements else qrels, runs, asked, names),
        results=asked["results"],
        versions=build.versions(),
        readable=Readable(asked["queries"], asked["docs"]),
    )


def _runs(qrels: str, runs: tuple[str, ...], asked: dict[str, Any]) -> Runs:
    under = inputs.rules_asked(asked["rules"], asked["changes"], runs)
    wanted = inputs.measures_asked(asked["measures"], under)
    judged = read_qrels(qrels, asked["qrels_format"])
    how = {"rules": under, "baseline": inputs.place(asked["baseline"], runs), "format": asked["run_format"]}
    how |= {"as_written": asked["as_written"], "items": asked["items"], **drawing.drawn(asked)}
    by_line = under.unit == "line"  # a contest's audit opens its submissions itself
    if asked["how"] and by_line:
        raise click.UsageError(message("--collapse is not for these: truerank convert --collapse first."))
    collapse = options.collapsing(asked["how"], asked["chunk_ids"])
    counting = Counting(message("comparing"))
    with inputs.opened(runs, asked["run_format"], again=by_line, collapse=collapse) as sources, counting as bar:
        submitted = runs if by_line else sources
        found = evaluated(judged, submitted, wanted, **how, results=asked["results"], progress=bar.reach)
        if not by_line:
            id_overlap.refuse_or_warn(judged, found.scores, runs, sources)
        return Runs.of(found, percent=asked["percent"])


def _located(asked: dict[str, Any], *, alone: bool) -> Located:
    """The places as `truerank geo` evaluates them.

    Args:
        alone: whether there are no runs, whose measures and rules those would be that are asked for.
    """
    own: dict[str, Any] = {name: asked[name] for name in ("measures", "rules", "changes")} if alone else {}
    own["keep"] = asked["results"] or "judged" if alone else "judged"
    queries, located = places.evaluated(
        asked["places"], asked, **own, format=asked["run_format"] if alone else None
    )
    return Located(located, queries)


def _of_places(located: Located | None, asked: dict[str, Any]) -> Runs | None:
    """What was returned for the places, as a run like any other."""
    if located is None:
        return None
    view = next(iter(located.places.views.values()))
    how = {"results": asked["results"], **drawing.drawn(asked)}
    found = evaluated(None, [view.reading], view.measures, is_complete=True, **how)
    return Runs.of(found, percent=asked["percent"])


def _read_too(asked: dict[str, Any]) -> list[str]:
    """Files that options name in passing; a preset of rules and a module are none."""
    named = [asked["rules"], *importing.asked(), *files_in(asked["truth"]), inputs.table_of(asked["chunk_ids"])]
    named += [asked[name] for name in ("queries", "docs", "items")]
    return [name for name in named if name and os.path.isfile(name)]


def _command(qrels: str | None, runs: tuple[str, ...], asked: dict[str, Any], names: dict[str, str]) -> str:
    """What makes it again in a folder that holds the files.

    Args:
        names: what each file is called there.
    """
    files = [names[path] for path in (qrels, *runs) if path]
    words = [word for option in options.typed() for value in _values(option, asked, names) for word in value]
    words += ["--lang", language_asked(asked["lang"])]
    arguments = " ".join(map(_quoted, words))
    if any(name.startswith("-") and name != "-" for name in files):
        return f"truerank report {arguments} -o report.html -- {' '.join(map(_quoted, files))}"
    return " ".join(["truerank report", *map(_quoted, files), arguments, "-o report.html"])


def _values(option: click.Parameter, asked: dict[str, Any], names: dict[str, str]) -> list[list[str]]:
    """The option with each of its values, as they are written again."""
    if option.name in UNTOLD:
        return []
    if getattr(option, "is_flag", False):
        return [[option.opts[-1]]]
    value = importing.asked() if option.name == "imports" else asked[option.name or ""]
    each = value if option.multiple else [value]
    return [[option.opts[-1], *_renamed(option.name, one, names)] for one in each]


def _renamed(option: str | None, value: Any, names: dict[str, str]) -> list[str]:
    """A value with the files in it called as they are there."""
    if option == "places":
        return [names[path] for path in value]
    if option == "truth":
        return [re.sub(r"""(["'])(.+?)\1""", lambda m: f"{m[1]}{names.get(m[2], m[2])}{m[1]}", value)]
    if option == "chunk_ids" and inputs.table_of(value) in names:
        return [f"{names[inputs.table_of(value)]}:{value.rpartition(':')[2]}"]
    return [names.get(value, value) if option in OF_FILES else str(value)]


def _quoted(word: str) -> str:
    r"""A word for the shell; what would be invisible, or turn the line around, is written in ASCII.

    >>> print(_quoted("a b"), _quoted("a\u202eb"))
    'a b' $'a\xe2\x80\xaeb'
    """
    if word.isprintable():
        return shlex.quote(word)
    kept = (c if c.isprintable() and c not in "\\'" else _bytes(c) for c in word)
    return f"$'{''.join(kept)}'"


def _bytes(letter: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in letter.encode("utf-8", "surrogateescape"))


OF_RUNS = ("baseline", "qrels_format", "as_written", "judges", "how", "chunk_ids", "items")
JUDGEMENTS = ("judged_by", "predicted_by", "sample")
OF_EITHER = (
    "measures",
    "rules",
    "changes",
    "run_format",
    "results",
    "queries",
    "docs",
    "percent",
    *drawing.NAMES,
)
"""Options that say nothing where there are no runs, or neither runs nor places."""

OF_FILES = ("benches", "judges", "rules", "imports", "baseline", "queries", "docs", "items", *JUDGEMENTS)
"""Options whose values are files or may be."""

UNTOLD = ("output", "figures", "lang")
"""Options that change nothing on the page, or are always written."""
