"""`truerank check`: gates for continuous integration."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, get_args

import click

from truerank.analysis.check import Check, Settings, check, read_settings
from truerank.analysis.check.deciding import named_by_gates
from truerank.analysis.check.figures import Figures
from truerank.analysis.check.gates import Gates, written
from truerank.analysis.check.settings import FILES, watched
from truerank.analysis.check.watching import LooksAt
from truerank.analysis.saved_scores import is_saved
from truerank.cli import id_overlap, inputs, latencies, options, predicting, tables
from truerank.cli.output import is_styled, spoken, write
from truerank.cli.repeats import distinct
from truerank.cli.systems import parted, together
from truerank.core.errors import InputError
from truerank.core.evaluate import evaluate, read_catalogue
from truerank.core.messages import message
from truerank.core.qrels import Qrels
from truerank.core.rules import Rules
from truerank.core.run import Run
from truerank.core.scores import Scores
from truerank.formats import read_qrels
from truerank.measures import parse_measures
from truerank.present.check import FORMATS, document_of, render

if TYPE_CHECKING:
    from truerank.analysis.compare.prediction_powered import Predicted


@click.command("check")
@click.argument("files", metavar="[GATES.toml] [SCORES.json | QRELS RUN]", nargs=-1, type=options.FILE)
@click.option(
    "--min", "at_least", multiple=True, metavar="NAME=LIMIT", help='E.g. "nDCG@10=0.40"; may be repeated.'
)
@click.option(
    "--max",
    "at_most",
    multiple=True,
    metavar="NAME=LIMIT",
    help='E.g. "p95=200ms" of a benchmark (p50 … p99.9, mean, max, throughput, errors), or of a measure. '
    "A time has its unit, ms or s: a bare number could be either.",
)
@click.option("--bench", metavar="FILE", type=options.FILE, help="What `truerank bench -o FILE.json` saved.")
@click.option(
    "--no-worse-than",
    metavar="FILE",
    type=options.FILE,
    help="The baseline: what `truerank eval --per-query -o FILE.json` saved, or a run.",
)
@click.option(
    "--margin",
    "margins",
    multiple=True,
    metavar="X|NAME=X",
    help="How much worse than the baseline is not worse, for all measures or one [default: 0].",
)
@options.measures_of(
    "What to compare to the baseline", "what has a limit or a margin of its own, or else all that both have"
)
@options.rules
@options.changes
@click.option("--sure", is_flag=True, default=None, help="Let the interval decide --min and --max, not the value.")
@click.option(
    "--confidence",
    type=options.FractionRange(0.5, 1, max_open=True),
    help="Of the intervals [default: 0.95].",
)
@click.option("--seed", type=click.IntRange(0), help="Of the bootstrap [default: 0].")
@click.option("--samples", type=click.IntRange(1), help="How often queries are resampled [default: 10,000].")
@latencies.percentiles
@click.option(
    "--watch",
    metavar="FILE",
    type=options.FILE,
    help="Add what is seen to this file, and decide by intervals that hold at all looks together.",
)
@click.option(
    "--looks",
    type=click.Choice(list(get_args(LooksAt))),
    help="What --watch looks at: new queries at each look, while the systems stay as they are; or the same "
    "queries, while the system changes. The first look says it.",
)
@click.option(
    "--range",
    "ranges",
    multiple=True,
    metavar="NAME=LOW:HIGH",
    help="What no value of a measure can lie outside of, for --watch where that is not 0 to 1.",
)
@options.by("All gates on each slice of the queries too")
@click.option(
    "-f", "--format", type=click.Choice(list(FORMATS)), default="table", show_default=True, help="What is printed."
)
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    metavar="FILE",
    type=options.FILE,
    help="Write there too, as the ending says: .xml is JUnit, .md Markdown, .json, .csv; may be repeated.",
)
@click.option("--digits", type=click.IntRange(0, 17), help="Digits after the point [default: 4].")
@options.qrels_format
@options.run_format
@options.collapse
@options.items
@options.judgements
def command(
    files: tuple[str, ...],
    at_least: tuple[str, ...],
    at_most: tuple[str, ...],
    margins: tuple[str, ...],
    measures: tuple[str, ...],
    changes: tuple[str, ...],
    ranges: tuple[str, ...],
    format: str,
    outputs: tuple[str, ...],
    digits: int | None,
    qrels_format: str | None,
    run_format: str | None,
    how: str | None,
    chunk_ids: str | None,
    judgements: options.Judgements | None,
    **said: Any,
) -> None:
    """Tell whether a change may be merged: pass, fail or undecided.

    Exits with 0 if every gate holds, 1 if one fails, 3 if one is undecided and none fails; 2 is for wrong input.
    --min and --max are decided by the value, with --sure by its interval. --no-worse-than is decided by the
    interval of the difference, query by query: it fails only if all of the interval is worse than the margin
    allows, and is undecided if some of it is. A run may be several of one system, NAME=RUN,RUN: then intervals
    count what differs between them.

    \b
    Examples:
      truerank check gates.toml
      truerank check qrels.txt new.run --min "nDCG@10=0.40" --no-worse-than main.json --margin 0.01
      truerank check qrels.txt new=seed1.run,seed2.run,seed3.run --no-worse-than old.run
      truerank check gates.toml --by topics.csv:language
      truerank check --bench bench.json --max "p95=200ms" --sure -o report.xml
      truerank check today.json --no-worse-than main-today.json --watch looks.jsonl --looks new
      truerank check --judged-by people.qrels --predicted-by model.qrels --sample random new.run --min AP=0.3
    """
    toml, subject = _sorted_out(files)
    settings = _changed(
        read_settings(toml) if toml else Settings(),
        subject,
        range=distinct((text.rpartition("=")[::2] for text in ranges), "--range") or None,
        collapse=how,
        ids=chunk_ids,
        measures=" ".join(measures) or None,
        min=distinct(map(written, at_least), "--min"),
        max=distinct(map(written, at_most), "--max"),
        margin=_margin(margins),
        **said,
    )
    if said["percentiles"] and not settings.bench:
        raise click.UsageError(message("--percentiles needs --bench."))
    judgements, settings = predicting.settled(judgements, settings, subject, qrels_format)
    read = [toml, *(getattr(settings, name) for name in FILES), options.file_and_column(settings.by)[0] or None]
    read += [inputs.table_of(settings.ids), *(judgements.files if judgements else [])]
    for output in outputs or [None]:
        inputs.refuse(*read, rules=settings.rules, output=output)
        tables.by_ending(output or "-", FORMATS)
    if not (settings.qrels or judgements):
        inputs.refuse_of_runs()
    runs = [run for name in (settings.run, settings.no_worse_than) if name for run in parted(name)[1]]
    under = inputs.rules_asked(settings.rules, changes, runs)
    check = _Checking(settings, under, qrels_format, run_format, judgements).done()
    if check.watch and settings.watch:
        check.watch.write(settings.watch)
    _show(check, format, outputs, digits)
    raise click.exceptions.Exit(check.status)


def _sorted_out(files: Sequence[str]) -> tuple[str | None, dict[str, str]]:
    """The file of gates, if there is one, and what is checked."""
    toml = files[0] if files and files[0].endswith(".toml") else None
    rest = files[1:] if toml else files
    if len(rest) > 2:
        raise click.UsageError(
            message("Give QRELS and RUN, or saved scores, or only a file of gates (GATES.toml).")
        )
    if len(rest) == 2:
        return toml, {"qrels": rest[0], "run": rest[1]}
    return toml, {"scores": rest[0]} if rest else {}


def _changed(settings: Settings, subject: dict[str, str], **given: Any) -> Settings:
    """What the command line says wins over the file; its limits come beside those of the file."""
    if subject:
        settings = replace(settings, qrels=None, run=None, scores=None)
    limits = {side: {**getattr(settings, side), **given.pop(side)} for side in ("min", "max")}
    return settings.replace(**subject, **given, **limits)


def _margin(margins: Sequence[str]) -> float | dict[str, float] | None:
    if not margins:
        return None
    if len(margins) == 1 and "=" not in margins[0]:
        return _number(margins[0])
    return {name: _number(value) for name, value in distinct(map(written, margins), "--margin").items()}


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError("--margin takes a number or NAME=NUMBER, e.g. 0.01; not {text!r}", text=text) from None


@dataclass(frozen=True)
class _Checking:
    """Reads what the settings name, and checks it."""

    settings: Settings
    rules: Rules
    qrels_format: str | None
    run_format: str | None
    judgements: options.Judgements | None

    def done(self) -> Check:
        s = self.settings
        if s.run and not s.qrels:
            raise InputError("a run needs qrels to be scored", s.run)
        judged = read_qrels(inputs.source(s.qrels), self.qrels_format) if s.qrels else None
        baseline = self._baseline(judged, s.no_worse_than) if s.no_worse_than else None
        scores: Any = s.scores
        if s.run and judged is not None:
            scores = self._evaluated(judged, s.run, baseline if isinstance(baseline, Figures) else None)
        return check(
            scores,
            min=s.min,
            max=s.max,
            no_worse_than=baseline,
            margin=s.margin,
            measures=None if s.measures is None else [m.written for m in parse_measures(s.measures)],
            bench=s.bench,
            sure=s.sure,
            confidence=0.95 if s.confidence is None else s.confidence,
            samples=s.samples,
            seed=s.seed,
            percentiles=s.percentiles,
            watch=watched(s),
            by=s.by,
            slices=s.slices,
        )

    def _baseline(self, judged: Qrels | None, path: str) -> Figures | Scores | Predicted:
        if parted(path)[0] is None and is_saved(inputs.source(path)):
            return Figures.read(inputs.source(path))
        if judged is None:
            raise InputError("this is a run: name the qrels too, or save its scores before", path)
        return self._evaluated(judged, path, None)

    def _evaluated(self, judged: Qrels, path: str, baseline: Figures | None) -> Scores | Predicted:
        if self.judgements:
            with self._opened([path], again=True) as runs:
                self.judgements.runs(path, ())
                return predicting.predicted(self.judgements, [path], runs, self._measures(baseline), self.rules)[0]
        name, files = parted(path)
        known = read_catalogue(inputs.source(self.settings.items)) if self.settings.items else None
        with self._opened(files) as runs:
            how: dict[str, Any] = {"rules": self.rules, "items": known}
            scores = [evaluate(judged, run, self._measures(baseline), **how) for run in runs]
        id_overlap.refuse_or_warn(judged, scores, files, runs)
        system: Scores = together(scores, {name: files} if name else {})[0]
        return system

    def _opened(self, files: Sequence[str], *, again: bool = False) -> AbstractContextManager[list[Run]]:
        collapse = options.collapsing(self.settings.collapse, self.settings.ids)
        return inputs.opened(files, self.run_format, again=again, collapse=collapse)

    def _measures(self, baseline: Figures | None) -> list[str] | None:
        """All that some gate names, or else what the baseline has; None for what is usual."""
        s = self.settings
        compared = [m.written for m in parse_measures(s.measures)] if s.measures else None
        gates = Gates(s.min, s.max, s.margin)
        limits = gates.with_all(Gates.of_slices(s.slices, gates).values())
        named = named_by_gates(*limits, bool(s.no_worse_than), s.margin, compared)
        return named or (list(baseline.mean) if baseline else None)


def _show(check: Check, format: str, outputs: Sequence[str], digits: int | None) -> None:
    if format == "csv":
        tables.tell(document_of(check).remarks)
    write(render(check, format, digits=digits, styled=is_styled("-"), language=spoken()))
    for output in (one for one in outputs if one != "-"):  # standard output has it already
        write(render(check, tables.by_ending(output, FORMATS), digits=digits, language=spoken()), output)
