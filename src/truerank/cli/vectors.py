"""`truerank vectors`: embeddings or a ready matrix in, rank-k accuracy and mAP out."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, Literal, get_args

import click

from truerank.cli import options, tables
from truerank.cli.eval import _by_ending, _say
from truerank.cli.output import is_styled, write
from truerank.cli.progress import Reading
from truerank.report.scores import FORMATS, render
from truerank.rules import Rules
from truerank.vectors import Protocol, evaluate_matrix, evaluate_vectors
from truerank.vectors.blocks import Holds, Metric
from truerank.vectors.files import Files
from truerank.vectors.protocol import protocol_of

HOLDS = ("vectors", *get_args(Holds))


@click.command("vectors")
@click.argument("queries", type=options.FILE)
@click.argument("gallery", type=options.FILE, required=False)
@click.option(
    "--labels",
    metavar="FILE",
    multiple=True,
    type=options.FILE,
    help="Who is on each entry: of the queries, then of the gallery [default: what QUERIES and GALLERY hold].",
)
@click.option("--cameras", metavar="FILE", multiple=True, type=options.FILE, help="Which camera saw it, likewise.")
@click.option("--ids", metavar="FILE", multiple=True, type=options.FILE, help="What it is called, likewise.")
@click.option("--qrels", metavar="FILE", type=options.FILE, help="What is right for each id, instead of labels.")
@click.option("--holds", type=click.Choice(HOLDS), default=HOLDS[0], help="What QUERIES holds [default: vectors].")
@click.option(
    "--metric",
    type=click.Choice(get_args(Metric)),
    default="cosine",
    help="What makes vectors alike [default: cosine].",
)
@options.measures
@click.option(
    "-r",
    "--rules",
    metavar="NAME|FILE",
    default="market1501",
    help="market1501 (the default), cuhk03, university1652, another preset or a rules file.",
)
@options.changes
@click.option(
    "--junk", type=int, multiple=True, help="An identity that leaves the gallery [default: as the rules]."
)
@click.option("--distractor", type=int, multiple=True, help="An identity that is never right, likewise.")
@click.option("--galleries", type=click.IntRange(0), help="Random single-shot galleries [default: as the rules].")
@click.option("--seed", type=click.IntRange(0), help="What these depend on [default: 0].")
@click.option("-q", "--per-query", is_flag=True, help="Every query's values too.")
@click.option("-f", "--format", type=click.Choice(list(FORMATS)), help="How to write the scores [default: table].")
@tables.output
@tables.digits
def command(
    queries: str,
    gallery: str | None,
    labels: tuple[str, ...],
    cameras: tuple[str, ...],
    ids: tuple[str, ...],
    qrels: str | None,
    holds: Literal["vectors", "distances", "similarities"],
    metric: Metric,
    measures: tuple[str, ...],
    rules: str,
    changes: tuple[str, ...],
    junk: tuple[int, ...],
    distractor: tuple[int, ...],
    galleries: int | None,
    seed: int | None,
    per_query: bool,
    format: str | None,
    output: str,
    digits: int | None,
) -> None:
    """Tell how well embeddings find the same person, building or thing in a gallery.

    Files are .npy, .npz, .mat or Parquet. One that names its arrays query_f, gallery_f, query_label,
    gallery_cam and so on needs nothing else; labels, cameras and ids may also be text, a line an entry.
    Without a gallery the queries are one another's, and none finds itself.

    \b
    Examples:
      truerank vectors result.mat
      truerank vectors query.npy gallery.npy --labels query.txt --labels gallery.txt
      truerank vectors features.npz --metric euclidean -m "cmc@1 cmc@5 mAP mINP"
      truerank vectors distances.npy --holds distances --labels q.npy --labels g.npy
      truerank vectors drone.npz satellite.npz --rules university1652 --format json
    """
    named = [name for name in (queries, gallery, *labels, *cameras, *ids, qrels) if name]
    options.refuse_two_standard_inputs(*named)
    options.refuse_to_overwrite(output, *named, rules)
    under = options.changed(Rules.of(rules), changes)
    protocol = _protocol(protocol_of(under), junk, distractor, galleries, seed)
    files = Files(queries=queries, gallery=gallery, labels=labels, cameras=cameras, ids=ids)
    how: dict[str, Any] = {"rules": under, "protocol": protocol, "qrels": qrels, "name": os.path.basename(queries)}
    how["measures"] = " ".join(measures) or None
    ranking = Ranking()
    with ranking:
        if holds == "vectors":
            scores = evaluate_vectors(**files.vectors(), **how, metric=metric, watch=ranking.reach)
        else:
            scores = evaluate_matrix(**files.matrix(), **how, holds=holds, watch=ranking.reach)
    format = format or _by_ending(output)
    if format in ("csv", "trec") or (format == "jsonl" and per_query):
        _say([scores])
    write(render([scores], format, per_query=per_query, digits=digits, styled=is_styled(output)), output)


def _protocol(
    start: Protocol,
    junk: tuple[int, ...],
    distractors: tuple[int, ...],
    galleries: int | None,
    seed: int | None,
) -> Protocol:
    """The protocol with what was said of it changed."""
    return replace(
        start,
        junk=junk or start.junk,
        distractors=distractors or start.distractors,
        galleries=start.galleries if galleries is None else galleries,
        seed=start.seed if seed is None else seed,
    )


class Ranking(Reading):
    """How many queries are ranked; drawn on standard error when it takes long."""

    def reach(self, done: int, queries: int) -> None:
        """So many are ranked now, of so many."""
        self.total = queries
        if self._bar:
            self._bar.update(self._bar.task_ids[0], total=queries)
        self.advance(done - self.read)

    def _draw(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("ranking queries"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        bar = Progress(*columns, console=Console(stderr=True), transient=True)
        bar.add_task("ranking", total=self.total, completed=self.read)
        bar.start()
        self._bar = bar
