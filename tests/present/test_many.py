"""Many systems side by side: rows that stay readable, and a picture of which cannot be told apart."""

from __future__ import annotations

import itertools
import re

import numpy as np

import truerank as tr
from truerank.present import many
from truerank.present.comparison import document, document_of


def of(systems: int, test: str = "randomization") -> tr.Comparison:
    """Each a little worse than the one before."""
    rng = np.random.default_rng(systems)
    qrels = {f"q{n:02}": {"a": 1} for n in range(40)}
    hard = rng.integers(1, 8, 40)
    runs = {
        f"system{s:02}": {
            q: [*(f"x{i}" for i in range(int(hard[n] + s // 4 + rng.integers(0, 3)))), "a"]
            for n, q in enumerate(qrels)
        }
        for s in range(systems)
    }
    return tr.compare(qrels, runs, "RR", samples=500, test=test)


def test_rows_of_many_systems_tell_ranks_and_stay_narrow() -> None:
    found = of(24)
    text = document(found, width=100).render()
    assert "beats ranks" in text
    rows = text.splitlines()[:25]
    assert max(map(len, rows)) <= 100
    outcome = found["RR"]
    columns = dict(many.standing(outcome))
    order = many.ranked(outcome)
    for at, name in enumerate(order):
        told = {
            int(n)
            for part in str(columns["like ranks"][at]).split()
            for a, b in [(part.split("–") * 2)[:2]]
            for n in range(int(a), int(b) + 1)
        }
        pairs = {p.system: p for p in (*outcome.pairs, *(p.turned() for p in outcome.pairs)) if p.against == name}
        same = {r for r, other in enumerate(order, 1) if other == name or pairs[other].adjusted > 0.05}
        assert told == same


def test_wins_ties_and_losses_are_explained_where_some_are_shown() -> None:
    shown = {systems: document(of(systems)).render() for systems in (2, 10, 11, 24)}
    assert {systems: text.count("W/T/L") for systems, text in shown.items()} == {2: 2, 10: 2, 11: 0, 24: 0}


def test_few_systems_keep_their_letters() -> None:
    found = of(20)
    text = document(found).render()
    assert "beats ranks" not in text
    assert "group" in text.splitlines()[0]
    assert "A letter behind a mean" in str(found)
    assert sorted(line.split()[0] for line in str(found).splitlines()[1:21]) == list("abcdefghijklmnopqrst")


def test_behind_the_means_of_many_stand_the_rows_of_those_that_each_beats() -> None:
    found = of(24, "t")
    outcome = found["RR"]
    (wide,) = document(found, layout="wide").tables
    assert [row[0] for row in wide.rows] == [str(at) for at in range(1, 25)]
    assert [row[1] for row in wide.rows] == many.ranked(outcome)
    told = {
        str(row[1]): {
            str(wide.rows[n - 1][1])
            for part in wide.raised.get((at, 2), "").split()
            for a, b in [(part.split("–") * 2)[:2]]
            for n in range(int(a), int(b) + 1)
        }
        for at, row in enumerate(wide.rows)
    }
    assert told == {name: set(beaten) for name, beaten in outcome.beaten.items()}
    assert max(map(len, told.values())) > 10
    assert max(map(len, wide.raised.values())) < 12
    assert "Numbers behind a mean: significantly better than the systems in the rows of these" in str(found)
    latex = found.to_latex()
    assert re.search(r"^1 & system\d\d & \\textbf\{0\.\d{4}\}\\textsuperscript\{\d+–24\} \\\\$", latex, re.M)
    assert "$^" not in latex


def test_the_picture_has_a_square_for_every_two_that_cannot_be_told_apart() -> None:
    found = of(24)
    (figure,) = document_of(found).figures
    squares = {(row["one"], row["other"]) for row in figure.specification["data"]["values"]}
    apart = {(p.system, p.against) for p in found["RR"].pairs if p.adjusted <= 0.05}
    every = set(itertools.product(found.systems, repeat=2))
    assert squares == every - apart - {(b, a) for a, b in apart}
    assert figure.title == "RR: which systems cannot be told apart"


def test_too_few_samples_are_warned_of_by_measure_where_some_pairs_are_counted_out() -> None:
    rng = np.random.default_rng(0)
    qrels = {f"q{n:02}": {"a": 1, "b": 0} for n in range(60)}
    runs = {
        f"s{s:02}": {q: ["a", *"xyz"] if rng.random() < s / 20 else ["x", "a"] for q in qrels} for s in range(20)
    }
    text = str(document(tr.compare(qrels, runs, "R@2 RR", samples=500)).render())
    said = (
        "RR: 500 samples are too few for 190 pairs: no difference on more than 32 queries can be significant; take "
    )
    assert f"Warning: {said}" in text
    least = int(text.partition(said)[2].split()[0].replace(",", ""))
    enough = document(tr.compare(qrels, runs, "R@2 RR", samples=least)).render()
    assert "too few for" not in enough
    assert "too few for" in document(tr.compare(qrels, runs, "R@2 RR", samples=least - 1)).render()


def test_of_a_single_pair_nothing_is_said_of_pairs() -> None:
    qrels = {f"q{n:02}": {"a": 1} for n in range(40)}
    runs = {"one": {q: {"a": 1} for q in qrels}, "two": {q: {"x": 2, "a": 1} for q in qrels}}
    text = document(tr.compare(qrels, runs, "RR", samples=10)).render()
    assert "Warning: 10 samples are too few: no difference can be significant; take 19 or more." in text
    assert "fewer pairs" not in text
    assert "Warning: 1 sample is too few: no" in document(tr.compare(qrels, runs, "RR", samples=1)).render()
    some = {q: runs["one" if q > "q20" else "two"][q] for q in qrels}
    mixed = document(tr.compare(qrels, {"one": runs["one"], "two": some}, "RR", samples=10)).render()
    assert "too few: no" not in mixed
    scored = {"one": {q: {"a": 2.0} for q in qrels}, "two": {q: {"x": 2.0, "a": 1.0} for q in qrels}}
    both = document(tr.compare(qrels, scored, "RR R@1 GAP", samples=10)).render()
    assert "RR and R@1: 10 samples are too few: no difference can be significant; take 19 or more." in both
    assert "GAP: 10 resamples are too few: no difference can be significant; take " in both
    three = {**runs, "three": some}
    of_three = document(tr.compare(qrels, three, "RR", baseline="one", samples=10)).render()
    assert "10 samples are too few for 2 pairs: no difference on more than 32 queries can be" in of_three
    assert "fewer pairs" not in of_three


def test_systems_whose_means_differ_by_rounding_alone_stand_as_they_were_given() -> None:
    ranks = [1, 3, 5, 7, 9, 11, 13]
    qrels = {f"q{n}": {"a": 1} for n in range(len(ranks))}
    turned = [tuple(ranks[start:] + ranks[:start]) for start in range(len(ranks))]
    runs = {
        f"system{s}": {q: [*(f"x{i}" for i in range(rank - 1)), "a"] for q, rank in zip(qrels, of, strict=True)}
        for s, of in enumerate(turned)
    }
    for names in (list(runs), list(runs)[::-1]):
        outcome = tr.compare(qrels, {name: runs[name] for name in names}, "RR", samples=500)["RR"]
        assert len({mean.estimate for mean in outcome.means.values()}) > 1
        assert many.ranked(outcome) == names
