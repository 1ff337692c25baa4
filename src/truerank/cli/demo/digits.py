"""Handwritten digits as identities: scikit-learn's, a picture's grey values as its vector."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from truerank.cli.demo.collection import DemoOutcome
from truerank.cli.demo.packages import need
from truerank.core.scores import Scores
from truerank.formats.target import writing
from truerank.vectors import evaluate_vectors
from truerank.vectors.files import Files

MEASURES = "cmc@1 cmc@5 mAP mINP"

QUERIES = 300

ABOUT = """\
Find the pictures that show the same digit. A picture is 8 × 8 grey values, and these are its vector, compared by
cosine; nothing is trained. The digit is the identity; {queries} pictures are queries, drawn at random, the others
the gallery. The picture that comes first shows the right digit for {first:.1%} of the queries (Rank-1, which is
Success@1), but the last of the right ones stands far down: of all pictures down to it, {last:.1%} are right
(mINP)."""


def digits(directory: Path, say: Callable[[str], None]) -> DemoOutcome:
    """Write the pictures as vectors with labels, and evaluate the file.

    Args:
        directory: where the file goes; made if it is not there.
        say: told what is being done.

    Raises:
        MissingPackage: scikit-learn is not installed.
        InputError: the file cannot be written.
    """
    say("digits: reading the pictures")
    sides = _sides()
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / "digits.npz"
    with writing(path) as file:
        np.savez(file, **sides)
    say("digits: comparing the pictures")
    vectors = Files(queries=str(path)).vectors()
    scores = evaluate_vectors(**vectors, rules="truerank", measures=MEASURES, name=path.name)
    return DemoOutcome(
        f"Digits: {len(sides['query_f']):,} pictures look for their like among {len(sides['gallery_f']):,}",
        _about(scores),
        (scores,),
        ("vectors", str(path), "--rules", "truerank", "--measures", MEASURES),
        {"digits": "the pictures' grey values, compared by cosine"},
    )


def _sides() -> dict[str, Any]:
    """The vectors and labels of the queries and of the gallery, under the names that evaluation scripts use."""
    need("sklearn")
    from sklearn.datasets import load_digits  # type: ignore[import-untyped]

    pictures = load_digits()
    order = np.random.default_rng(0).permutation(len(pictures.target))
    rows = {"query": order[:QUERIES], "gallery": order[QUERIES:]}
    vectors = {f"{side}_f": pictures.data[those].astype(np.float32) for side, those in rows.items()}
    return {**vectors, **{f"{side}_label": pictures.target[those] for side, those in rows.items()}}


def _about(scores: Scores) -> str:
    first, last = scores.mean["Success@1"], scores.mean["mINP"]
    return "\n".join(textwrap.wrap(ABOUT.format(queries=QUERIES, first=first, last=last), 108))
