"""`truerank compare`: which system is better, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import click

from truerank.analysis.compare import compare, read_attribute
from truerank.analysis.compare.outcome import CORRECTIONS, TESTS
from truerank.analysis.saved_scores import is_saved, one_with_saved, with_saved
from truerank.cli import collections, drawing, id_overlap, inputs, options, predicting, tables
from truerank.cli import systems as several
from truerank.cli.output import width
from truerank.cli.progress import Counting
from truerank.cli.suggestions import Word
from truerank.core.errors import InputError
from truerank.core.evaluate import evaluate, read_catalogue
from truerank.core.messages import message
from truerank.core.run import Run
from truerank.core.scores import Scores
from truerank.formats import read_qrels
from truerank.formats.source import Source, as_source
from truerank.present.comparison import LAYOUTS, document


@click.command("compare", cls=collections.OrSeveral)
@click.argument("qrels", type=options.FILE)
@click.argument("runs", metavar="RUN|SCORES.json...", nargs=-1, type=options.FILE)
@several.system
@options.measures
@options.rules
@options.changes
@options.baseline
@click.option("--all-pairs", is_flag=True, help="Compare every two, beside the baseline.")
@click.option("--test", type=Word(TESTS), default=TESTS[0], show_default=True, help="Where p comes from.")
@click.option(
    "--correction",
    type=Word(CORRECTIONS),
    default=CORRECTIONS[0],
    show_default=True,
    help="How p is corrected for the number of pairs; max-t is for the randomization test, tukey needs none.",
)
@drawing.options(
    confidence="Of the intervals; what is left to 1 is the level of the test.",
    samples="How often queries are resampled and swapped.",
)
@options.by("All of this for each slice of the queries too")
@click.option(
    "--layout",
    type=click.Choice(LAYOUTS),
    default=LAYOUTS[0],
    show_default=True,
    help="long: one table per measure; wide: one column per measure, letters for what a run is significantly "
    "better than.",
)
@click.option("--intervals", is_flag=True, help="In the wide table, the interval of each mean beside it.")
@tables.format
@tables.output
@tables.digits
@tables.percent
@options.as_written
@options.qrels_format
@options.run_format
@options.collapsed
@options.items
@options.judgements
def command(
    qrels: str,
    runs: tuple[str, ...],
    systems: several.Systems,
    measures: tuple[str, ...],
    rules: str | None,
    changes: tuple[str, ...],
    baseline: str | None,
    by: str | None,
    layout: str,
    intervals: bool,
    format: str | None,
    output: str,
    digits: int | None,
    percent: bool,
    as_written: bool,
    qrels_format: str | None,
    run_format: str | None,
    collapse: options.Collapse,
    items: str | None,
    judgements: options.Judgements | None,
    **procedure: Any,
) -> None:
    """Tell which system is better, and how sure that is.

    Prints each run's mean with its interval, the differences with theirs, p corrected for the number of pairs, on
    how many queries a run wins, ties and loses, which runs it is significantly better than, and the groups of
    runs that cannot be told apart.

    What `truerank eval --per-query -o FILE.json` saved may stand in place of runs; QRELS are left out where
    all are such files.

    Of several collections (a file of them, or --collection NAME QRELS RUN...) it is `truerank collections`.

    Needs: pip install "truerank[stats]"

    \b
    Examples:
      truerank compare qrels.txt bm25.run dense.run -m "nDCG@10 AP"
      truerank compare qrels.txt *.run --baseline bm25.run
      truerank compare qrels.txt *.run --correction max-t --by topics.csv:language
      truerank compare qrels.txt *.run -m "nDCG@10 AP R@100" --layout wide -o table.tex
      truerank compare qrels.txt small.run large.run --collapse max --ids chunks.jsonl:doc_id
      truerank compare qrels.txt bm25.run --system dense=seed1.run,seed2.run,seed3.run
      truerank compare qrels.txt --system "old=old-*.run" --system "new=new-*.run"
      truerank compare qrels.txt old.run new.run -m "nDCG@10 ILD@10" --items items.csv
      truerank compare main.json new.json
      truerank compare --judged-by people.qrels --predicted-by model.qrels --sample random bm25.run dense.run
    """
    path, column = options.file_and_column(by)
    read = [*(judgements.files if judgements else []), qrels, *runs, *chain(*systems.values())]
    inputs.refuse(*read, path, items, rules=rules, output=output)
    format = format or tables.by_ending(output)
    if intervals and layout == "long":
        raise click.UsageError(message("--intervals is for --layout wide; the long layout has them."))
    if judgements and items:
        raise click.UsageError(inputs.ITEMS_JUDGED_ONCE)
    given = (
        _Given.of(qrels, runs, systems) if judgements is None else _Given.estimated(judgements.runs(qrels, runs))
    )
    if not (given.qrels or judgements):
        inputs.refuse_of_runs()
    under = inputs.rules_asked(rules, changes, given.runs)
    wanted = inputs.measures_asked(measures, under)
    attribute = read_attribute(path, column) if by else None
    with inputs.opened(given.files, run_format, again=judgements is not None, collapse=collapse) as sources:
        how: dict[str, Any] = {"as_written": as_written, "rules": under}
        if judgements:
            scores: list[Any] = predicting.predicted(judgements, given.names, sources, wanted, **how)
        else:
            known = read_catalogue(items)
            scores = given.scored(sources, wanted, qrels_format, items=known, **how)
    with Counting(message("comparing")) as bar:
        comparison = compare(
            None,
            several.together(scores, systems),
            wanted,
            rules=under,
            baseline=inputs.place(baseline, (*given.alone, *systems)),
            by=attribute,
            by_name=column,
            progress=bar.reach,
            **procedure,
        )
    shape: dict[str, Any] = {"layout": layout, "intervals": intervals, "percent": percent}
    tables.show(document(comparison, digits, width(output), **shape), format, output, percent=percent)


class _Given(NamedTuple):
    """What is compared, as it was named.

    Attributes:
        qrels: their file; None where all runs are scored already.
        names: the file of each run.
        runs: the scores that were saved of it, or where it is read.
        alone: the files of those that are systems by themselves.
    """

    qrels: Source | None
    names: Sequence[str]
    runs: Sequence[Scores | Source]
    alone: Sequence[str]

    @classmethod
    def of(cls, first: str, rest: Sequence[str], systems: several.Systems) -> _Given:
        """The first file is the qrels, unless it holds saved scores."""
        qrels = as_source(first)
        is_run = is_saved(qrels)
        given = [*([qrels] if is_run else []), *map(as_source, rest)]
        several.files_of([run.name for run in given], systems)
        alone = [(run.name, one) for run in given for one in with_saved([run])]
        others = [(run, one_with_saved(run)) for run in chain(*systems.values())]
        names, runs = zip(*alone, *others, strict=True)
        return cls(None if is_run else qrels, names, runs, names[: len(alone)])

    @classmethod
    def estimated(cls, runs: Sequence[str]) -> _Given:
        """Runs that are estimated, each by itself."""
        return cls(None, runs, list(map(as_source, runs)), runs)

    @property
    def files(self) -> list[Source]:
        """The runs that are still to be read from files."""
        return [run for run in self.runs if isinstance(run, Source)]

    @property
    def saved(self) -> list[Scores]:
        """The runs that are scored already."""
        return [run for run in self.runs if isinstance(run, Scores)]

    def scored(
        self, sources: Sequence[Run], measures: str | None, qrels_format: str | None, **how: Any
    ) -> list[Scores]:
        """The scores of all; measures are those that were saved, where none are asked for."""
        files = [name for name, run in zip(self.names, self.runs, strict=True) if isinstance(run, Source)]
        if files and self.qrels is None:
            raise InputError("qrels are needed where a system is not scored yet", files[0])
        made: list[Scores] = []
        if self.qrels is not None:
            judged = read_qrels(self.qrels, qrels_format)
            wanted = measures or (self.saved[0].measures if self.saved else None)
            made = [evaluate(judged, source, wanted, **how) for source in sources]
            id_overlap.refuse_or_warn(judged, made, files, sources)
        ready = iter(made)
        return [run if isinstance(run, Scores) else next(ready) for run in self.runs]
