"""Rank-biased overlap of lists without ties is that of the package rbo, of two lists and of many at once."""

from __future__ import annotations

import json
import random
import subprocess

import numpy as np
import pytest
from peer_asking import interpreter

from truerank import stats

PROGRAM = """
import json, sys
from rbo import RankingSimilarity
cases = json.load(sys.stdin)
print(json.dumps([RankingSimilarity(a, b).rbo_ext(p=p) for a, b, p in cases]))
"""


def test_it_is_the_extrapolated_one_of_rbo() -> None:
    chance = random.Random(7)
    size = 12
    many = [chance.sample(range(20), size) for _ in range(30)]
    cases = [(a, b, p) for p in (0.5, 0.9) for a in many for b in many]
    found = subprocess.run(
        [interpreter("rbo"), "-c", PROGRAM], input=json.dumps(cases), capture_output=True, text=True, check=True
    )
    theirs = json.loads(found.stdout.splitlines()[-1])
    assert [stats.rbo(a, b, p) for a, b, p in cases] == pytest.approx(theirs, abs=1e-12)
    ranks = np.full((len(many), 20), -1)
    for row, own in zip(ranks, many, strict=True):
        row[own] = np.arange(size)
    ours = [stats.rbo_of_ranks(ranks, np.full(len(many), size), p) for p in (0.5, 0.9)]
    assert np.concatenate(ours).ravel() == pytest.approx(theirs, abs=1e-12)
