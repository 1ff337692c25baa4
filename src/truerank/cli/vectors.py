"""`truerank vectors`: embeddings or a ready matrix in, rank-k accuracy and mAP out."""

from __future__ import annotations

import os
from typing import Any, Literal, get_args

import click

from truerank.cli import inputs, options, tables
from truerank.cli.progress import Counting
from truerank.core.messages import message
from truerank.present.scores import FORMATS, Shape
from truerank.vectors import evaluate_matrix, evaluate_vectors
from truerank.vectors.blocks import Holds, Metric
from truerank.vectors.files import Files
from truerank.vectors.pooling import Pool
from truerank.vectors.saving import DEPTH

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
@click.option(
    "--pool",
    type=click.Choice(get_args(Pool)),
    help="How vectors of frames, (tracklets, frames, numbers), become one a tracklet [default: not at all].",
)
@options.measures_of("What to evaluate", "what the rules name, or else Success@1,3,5 AP mINP")
@options.rules_as(
    "market1501, cuhk03, university1652, another preset or a rules file [default: market1501].", "market1501"
)
@options.changes
@click.option(
    "--junk",
    metavar="ID|none",
    multiple=True,
    help="An identity that leaves the gallery; may be repeated [default: as the rules].",
)
@click.option("--distractor", metavar="ID|none", multiple=True, help="An identity that is never right, likewise.")
@click.option("--galleries", type=click.IntRange(0), help="Random single-shot galleries [default: as the rules].")
@click.option("--seed", type=click.IntRange(0), help="What these depend on [default: as the rules, 0].")
@click.option(
    "--save-run",
    metavar="FILE",
    type=options.FILE,
    help="Write each query's first results there, in any format that is written; ignored entries are not in it.",
)
@click.option(
    "--save-depth", type=click.IntRange(1), default=DEPTH, show_default=True, help="How many of each query."
)
@click.option("-q", "--per-query", is_flag=True, help="Every query's values too.")
@tables.scores_format
@tables.output
@tables.digits
@tables.percent
@options.as_written
def command(
    queries: str,
    gallery: str | None,
    labels: tuple[str, ...],
    cameras: tuple[str, ...],
    ids: tuple[str, ...],
    qrels: str | None,
    holds: Literal["vectors", "distances", "similarities"],
    metric: Metric,
    pool: Pool | None,
    measures: tuple[str, ...],
    rules: str,
    changes: tuple[str, ...],
    junk: tuple[str, ...],
    distractor: tuple[str, ...],
    galleries: int | None,
    seed: int | None,
    save_run: str | None,
    save_depth: int,
    per_query: bool,
    format: str | None,
    output: str,
    digits: int | None,
    percent: bool,
    as_written: bool,
) -> None:
    """Tell how well embeddings find the same person, building or thing in a gallery.

    Files are .npy, .npz, .mat, Parquet, .fvecs, .fbin and the like. One that names its arrays query_f, gallery_f,
    query_label, gallery_cam and so on needs nothing else; labels, cameras and ids may also be text, a line an
    entry. Without a gallery the queries are searched among themselves, and none finds itself.

    \b
    Examples:
      truerank vectors result.mat
      truerank vectors query.npy gallery.npy --labels query.txt --labels gallery.txt
      truerank vectors features.npz --metric euclidean -m "cmc@1 cmc@5 mAP mINP"
      truerank vectors features.npz -m "Rank-1 Rank-5 mAP" --as-written --percent
      truerank vectors distances.npy --holds distances --labels q.npy --labels g.npy
      truerank vectors drone.npz satellite.npz --rules university1652 --format json
    """
    named = [name for name in (queries, gallery, *labels, *cameras, *ids, qrels) if name]
    inputs.refuse(*named, rules=rules, output=output, save_run=save_run)
    format = format or tables.by_ending(output, FORMATS)
    protocol = _protocol(junk, distractor, galleries, seed)
    under = options.changed(rules, [*changes, *protocol])
    files = Files(queries=queries, gallery=gallery, labels=labels, cameras=cameras, ids=ids)
    how: dict[str, Any] = {"rules": under, "qrels": qrels, "name": os.path.basename(queries)}
    how |= {
        "measures": " ".join(measures) or None,
        "as_written": as_written,
        "save_run": save_run,
        "save_depth": save_depth,
    }
    if holds != "vectors" and (idle := options.typed_of(("metric", "pool"))):
        raise click.UsageError(message("{option} is for vectors, not for a matrix.", option=idle[0]))
    if not save_run and options.typed_of(["save_depth"]):
        raise click.UsageError(message("{option} needs --save-run.", option="--save-depth"))
    with Counting(message("ranking queries")) as bar:
        if holds == "vectors":
            scores = evaluate_vectors(**files.vectors(), **how, metric=metric, pool=pool, progress=bar.reach)
        else:
            scores = evaluate_matrix(**files.matrix(), **how, holds=holds, progress=bar.reach)
    tables.show_scores([scores], format, output, Shape(per_query, digits, percent))


def _protocol(
    junk: tuple[str, ...], distractors: tuple[str, ...], galleries: int | None, seed: int | None
) -> list[str]:
    """What was said of the protocol, as changes of the rules."""
    said = {
        "junk_identities": ",".join(junk) or None,
        "distractor_identities": ",".join(distractors) or None,
        "single_shot_galleries": galleries,
        "gallery_seed": seed,
    }
    return [f"{field}={value}" for field, value in said.items() if value is not None]
