"""Qrels and run in each other's place are suspected, and nothing honest is."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from click.testing import CliRunner

import truerank as tr
from truerank.cli import truerank
from truerank.core.swapped import Signs, are_swapped

RANDOM = random.Random(0)
DOCS = [f"d{i}" for i in range(40)]
QRELS = {f"q{q}": {doc: RANDOM.choice([0, 0, 1, 2]) for doc in RANDOM.sample(DOCS, 6)} for q in range(9)}
RUN = {query: {doc: RANDOM.random() * 20 for doc in RANDOM.sample(DOCS, 20)} for query in QRELS}
SOFT = {query: {doc: RANDOM.random() for doc in RANDOM.sample(DOCS, 12)} for query in QRELS}
AVERAGED = {query: {doc: RANDOM.randint(0, 6) / 3 for doc in RANDOM.sample(DOCS, 20)} for query in QRELS}
RANKED = {query: RANDOM.sample(DOCS, 8) for query in QRELS}
VOTES = {query: {doc: RANDOM.randint(0, 5) for doc in RANDOM.sample(DOCS, 20)} for query in QRELS}
COUNTS = {query: {doc: RANDOM.randint(0, 500) for doc in RANDOM.sample(DOCS, 20)} for query in QRELS}
COUNTED_DOWN = {query: {doc: 8 - place for place, doc in enumerate(docs)} for query, docs in RANKED.items()}
QUARTERS = {query: {doc: votes / 4 for doc, votes in row.items()} for query, row in VOTES.items()}
TO_TEN = {query: {doc: 2 * votes for doc, votes in row.items()} for query, row in VOTES.items()}


def some_of(one, other):
    """Every third query as in one run, the rest as in another."""
    return {query: (other if place % 3 else one)[query] for place, query in enumerate(QRELS)}


@pytest.mark.parametrize("run", [QRELS, TO_TEN, some_of(VOTES, COUNTED_DOWN)])
def test_a_run_given_as_qrels_is_told_in_the_ledger(run):
    assert tr.evaluate(RUN, run).ledger.swapped
    assert tr.evaluate(RUN, run).ledger.to_dict()["swapped"]


@pytest.mark.parametrize(
    ("qrels", "run"),
    [
        *[(QRELS, RUN), (QRELS, VOTES), (QRELS, RANKED), (SOFT, RUN), (SOFT, RANKED), (SOFT, COUNTS)],
        *[(AVERAGED, VOTES), (SOFT, QUARTERS), (SOFT, COUNTED_DOWN), (SOFT, some_of(VOTES, COUNTS))],
    ],
)
def test_honest_qrels_and_runs_are_not_suspected(qrels, run):
    scores = tr.evaluate(qrels, run)
    assert not scores.ledger.swapped
    assert "swapped" not in scores.ledger.to_dict()


@pytest.mark.parametrize(
    ("qrels", "run"),
    [
        *[(RUN, QRELS), (QRELS, RUN), (SOFT, RANKED), (SOFT, COUNTS), (AVERAGED, VOTES)],
        *[(SOFT, some_of(VOTES, other)) for other in (COUNTS, COUNTED_DOWN)],
    ],
)
def test_signs_of_parts_add_up_to_those_of_all(qrels, run):
    whole = tr.read(qrels, run)
    one = np.arange(len(qrels)) % 3 == 0
    parts = [Signs.of(whole.select(which).hits) for which in (one, ~one)]
    assert parts[0] + parts[1] == parts[1] + parts[0]
    assert (parts[0] + parts[1]).are_swapped == Signs.of(whole.hits).are_swapped == are_swapped(whole.hits)


def test_grades_are_told_apart_within_each_query():
    alike = {query: dict(zip(docs, (0.3, 1.7, 2.9, 0.1), strict=False)) for query, docs in RANKED.items()}
    assert tr.evaluate(alike, VOTES).ledger.swapped


@pytest.mark.parametrize(
    ("grades", "fractions", "distinct", "hits", "suspected"),
    [
        *[(10, 6, 9, 5, True), (10, 5, 9, 5, False), (10, 6, 8, 5, False), (10, 6, 9, 0, False)],
        *[(4, 3, 4, 1, True), (3, 3, 3, 1, False)],
    ],
)
def test_few_grades_or_few_fractions_or_repeated_grades_are_no_scores(grades, fractions, distinct, hits, suspected):
    signs = Signs(grades, fractions, distinct, hits, from_one=True, from_zero=True)
    assert signs.are_swapped == suspected


def test_eval_says_so_below_the_table_and_beside_csv_and_goes_on(tmp_path):
    qrels, run = tmp_path / "qrels.json", tmp_path / "run.json"
    qrels.write_text(json.dumps(QRELS))
    run.write_text(json.dumps(RUN))
    table = CliRunner().invoke(truerank, ["eval", str(run), str(qrels)])
    csv = CliRunner().invoke(truerank, ["eval", str(run), str(qrels), "--format", "csv"])
    assert (table.exit_code, csv.exit_code) == (0, 0)
    assert "are the two swapped?" in table.stdout
    assert "are the two swapped?" in csv.stderr
    assert "swapped" not in CliRunner().invoke(truerank, ["eval", str(qrels), str(run)]).stdout
