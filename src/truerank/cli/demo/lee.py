"""The Lee corpus, out of gensim's test data: 50 news documents, and how alike people found each two."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from truerank.cli.demo.collection import Collection
from truerank.cli.demo.packages import need
from truerank.cli.demo.retrievers import by_text
from truerank.core.qrels import Qrels
from truerank.core.rules import Rules

RULES = Rules(
    name="lee",
    level=0.5,
    self_match="remove",
    unjudged="removed",
    measures=("nDCG@10", "AP", "RR", "P@5", "R@10"),
)

ABOUT = """\
50 news documents, each of them also a query. People judged how alike each two are, from 0.2 to 1 (Lee,
Pincombe and Welsh 2005); that is the grade, and 0.5 or more is relevant. gensim's file holds each pair
once, in the row of its earlier document: the rules leave out the pairs that a row does not hold, and the
query's own document, which is returned first."""


def lee() -> Collection:
    """The collection, read from gensim's files; gensim itself is not imported."""
    folder = _test_data()
    texts = (folder / "lee.cor").read_text("latin-1").splitlines()
    docs = {f"{number:02}": text for number, text in enumerate(texts, 1)}
    title = f"Lee corpus: {len(docs)} documents, {len(docs)} queries, human similarity judgements"
    qrels = _judgements(folder, list(docs))
    return Collection("lee", title, ABOUT, docs, docs, qrels, RULES, by_text(docs, docs))


def _judgements(folder: Path, names: list[str]) -> Qrels:
    """The upper triangle of the matrix, with the diagonal, which the rules remove; below stand only zeros."""
    rows = [line.split() for line in (folder / "similarities0-1.txt").read_text("ascii").splitlines()]
    grades = {
        query: {doc: float(grade) for doc, grade in list(zip(names, row, strict=True))[i:]}
        for i, (query, row) in enumerate(zip(names, rows, strict=True))
    }
    return Qrels.from_dict(grades, "lee.qrels")


def _test_data() -> Path:
    need("gensim")
    spec = importlib.util.find_spec("gensim")
    assert spec
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0]) / "test" / "test_data"
