"""Names in legends: short, and different where the names are."""

from __future__ import annotations

import json
import random
import re

import pytest

from truerank.present import charts
from truerank.present.document import Figure
from truerank.present.names import MOST, cells, shortened
from truerank.present.renderers import figures


def test_names_that_fit_stay_as_they_are():
    assert shortened(["lee.bm25.run", "lee.ngrams.run"]) == ["lee.bm25.run", "lee.ngrams.run"]


@pytest.mark.parametrize(
    ("names", "short"),
    [
        ([f"a-rather-long-system-name-v{n}.run" for n in (1, 10)], ["…v1", "…v10"]),
        ([f"bm25-k1=0.{n}-b=0.40-rm3-docs=10-w={n}" for n in (1, 2)], ["…k1=0.1…w=1", "…k1=0.2…w=2"]),
        (
            ["a-long-name-that-goes-on-and-on", "a-long-name-that-goes-on-and-on-v2", "b"],
            ["a-long-name-t…oes-on-and-on", "a-long-name-t…-on-and-on-v2", "b"],
        ),
        (["x" * 40, "x" * 41], [f"{n} {'x' * 13}…{'x' * 13}" for n in (1, 2)]),
        (
            ["서울대학교정보검색연구실시스템가", "서울대학교정보검색연구실시스템나"],
            ["서울대학교정…구실시스템가", "서울대학교정…구실시스템나"],
        ),
        (
            ["a-name-of-many-words-with-x.run", "a-name-of-many-words-with-x-x.run"],
            ["a-name-of-man…ds-with-x.run", "…x"],
        ),
        (["a-name-of-exactly-28-letters", "another"], ["a-name-of-exactly-28-letters", "another"]),
    ],
)
def test_long_names_lose_what_all_share(names, short):
    found = shortened(names)
    assert found == short
    assert len(set(found)) == len(names)
    assert max(map(cells, found)) <= MOST + 2


def test_different_names_stay_different():
    rng = random.Random(1)
    for _ in range(3000):
        size = rng.choice((6, 60))
        made = {"".join(rng.choices("ab-._=1 …", k=rng.randrange(1, size))) for _ in range(rng.randrange(2, 9))}
        found = shortened(sorted(made))
        assert len(set(found)) == len(made)
        assert all(found)
        assert max(map(cells, found)) <= MOST + 2


def test_a_picture_has_the_short_names_in_its_legend():
    names = [f"a-rather-long-system-name-with-parameters-v{n}.run" for n in range(4)]
    rows = [{"who": name, "x": x, "y": n} for n, name in enumerate(names) for x in (0, 1)]
    spec = charts.lines(rows, charts.axis("x", "x"), charts.axis("y", "y"), names, {"who": "run"})
    svg = figures.svg(Figure("f", "title", "alt", json.loads(json.dumps(spec))))
    assert re.findall(r">(…v\d)<", svg) == ["…v0", "…v1", "…v2", "…v3"]
