"""`truerank vectors`: embeddings or a ready matrix in, rank-k accuracy and mAP out."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, Literal, get_args

import click

from truerank.cli import inputs, options, tables
from truerank.cli.progress import Counting
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
@tables.scores_format
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
    inputs.refuse(*named, rules=rules, output=output)
    format = format or tables.scores_by_ending(output)
    under = options.changed(rules, changes)
    protocol = _protocol(protocol_of(under), junk, distractor, galleries, seed)
    files = Files(queries=queries, gallery=gallery, labels=labels, cameras=cameras, ids=ids)
    how: dict[str, Any] = {"rules": under, "protocol": protocol, "qrels": qrels, "name": os.path.basename(queries)}
    how["measures"] = " ".join(measures) or None
    with Counting("ranking queries") as bar:
        if holds == "vectors":
            scores = evaluate_vectors(**files.vectors(), **how, metric=metric, watch=bar.reach)
        else:
            scores = evaluate_matrix(**files.matrix(), **how, holds=holds, watch=bar.reach)
    tables.show_scores([scores], format, output, per_query=per_query, digits=digits)


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
