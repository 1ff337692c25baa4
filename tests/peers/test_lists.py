"""Measures of what is listed are equal to recommenders' own tools, those of images to metric learning's."""

from __future__ import annotations

import itertools
import json
import random
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from peer_asking import interpreter

import truerank as tr

PROGRAM = Path(__file__).parent / "peer_lists.py"

CASES = 150


def ask(tool: str, cases: list[dict[str, Any]]) -> list[dict[str, float]]:
    """What the tool answers to each case; the test is skipped where it is not installed."""
    command = [interpreter(tool), str(PROGRAM), tool]
    done = subprocess.run(command, input=json.dumps(cases), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def case(seed: int, *, is_even: bool) -> dict[str, Any]:
    """Uses of items before, and lists; even ones are of one length, of items that others have used."""
    drawn = random.Random(seed)
    items, users = [f"i{n}" for n in range(drawn.randint(8, 20))], [f"u{n}" for n in range(drawn.randint(2, 9))]
    features = {item: [drawn.randint(0, 2) for _ in range(4)] for item in items}
    for row in features.values():
        row[drawn.randrange(4)] = 1  # no vector without a direction
    lists = {u: drawn.sample(items, 4 if is_even else drawn.randint(1, 6)) for u in users}
    pairs = sorted(itertools.product(users, items), key=lambda _: drawn.random())
    uses = pairs[: drawn.randint(len(pairs) // 3, len(pairs))]
    if is_even:
        uses = [(u, item) for u, item in uses if item not in lists[u]]
        uses += [("other", item) for item in sorted({item for docs in lists.values() for item in docs})]
    right = [pair for pair in pairs if pair not in uses and drawn.random() < 0.5]
    return {"uses": uses, "right": right, "features": features, "lists": lists}


def scores(one: dict[str, Any], measures: str, catalogue: list[str]) -> dict[str, float]:
    """The same by truerank."""
    popularity = Counter(item for _, item in one["uses"])
    items = {item: {"popularity": popularity[item], "vector": one["features"][item]} for item in catalogue}
    judged = {user: {item: 1 for other, item in one["right"] if other == user} for user in one["lists"]}
    return tr.evaluate(judged, one["lists"], measures, items=items).mean


def test_rectools_has_the_same_novelty_diversity_coverage_popularity_and_serendipity() -> None:
    cases = [case(seed, is_even=False) for seed in range(CASES)]
    for one, theirs in zip(cases, ask("rectools", cases), strict=True):
        users = len({user for user, _ in one["uses"]})
        asked = {name: name.replace("Novelty@", f"Novelty(users={users})@") for name in theirs}
        ours = scores(one, " ".join(asked.values()), list(one["features"]))
        assert {name: ours[asked[name]] for name in theirs} == pytest.approx(theirs, rel=1e-12, abs=1e-12)


def test_rectools_means_of_what_is_listed_are_over_the_users_who_were_answered() -> None:
    cases = [case(seed, is_even=False) for seed in range(CASES)]
    for one in cases:
        one["right"] = [*one["right"], ("absent", "i0")]
    for one, theirs in zip(cases, ask("rectools", cases), strict=True):
        popularity = Counter(item for _, item in one["uses"])
        items = {item: {"popularity": popularity[item]} for item in one["features"]}
        judged = {user: {item: 1 for other, item in one["right"] if other == user} for user in one["lists"]}
        judged["absent"] = {"i0": 1}
        names = [name for name in theirs if name.startswith(("Coverage", "Popularity", "Serendipity"))]
        ours = tr.evaluate(judged, one["lists"], names, items=items, rules={"missing": "skip"}).mean
        assert ours == pytest.approx({name: theirs[name] for name in names}, rel=1e-12, abs=1e-12)


def test_recommenders_has_the_same_coverage_novelty_diversity_and_entropy() -> None:
    cases = [case(seed, is_even=True) for seed in range(CASES)]
    for one, theirs in zip(cases, ask("recommenders", cases), strict=True):
        ours = scores(one, "Coverage Novelty ILD Entropy", sorted({item for _, item in one["uses"]}))
        assert ours == pytest.approx(theirs, rel=1e-12, abs=1e-12)


def test_recmetrics_has_the_same_diversity_and_the_coverage_that_it_rounds() -> None:
    cases = [case(seed, is_even=True) for seed in range(CASES)]
    for one, theirs in zip(cases, ask("recmetrics", cases), strict=True):
        ours = scores(one, "Coverage ILD", list(one["features"]))
        assert ours["Coverage"] == pytest.approx(theirs["Coverage"], abs=5.1e-5)
        assert ours["ILD"] == pytest.approx(theirs["ILD"], abs=1e-12)


def gallery(seed: int) -> dict[str, Any]:
    """Rankings of a gallery for some queries, and the labels of both."""
    drawn = np.random.default_rng(seed)
    queries, references = drawn.integers(0, 6, drawn.integers(2, 9)), drawn.integers(0, 5, drawn.integers(3, 30))
    references[0] = queries[0]  # one query at least has something to find
    rankings = [drawn.permutation(len(references)).tolist() for _ in queries]
    return {"rankings": rankings, "labels": {"queries": queries.tolist(), "references": references.tolist()}}


def test_pytorch_metric_learning_has_the_same_map_at_r() -> None:
    cases = [gallery(seed) for seed in range(CASES)]
    for one, theirs in zip(cases, ask("pytorch_metric_learning", cases), strict=True):
        labels = one["labels"]
        qrels = {
            f"{q}": {f"{doc}": 1 for doc, other in enumerate(labels["references"]) if other == label}
            for q, label in enumerate(labels["queries"])
        }
        run = {f"{q}": list(map(str, docs)) for q, docs in enumerate(one["rankings"])}
        ours = tr.evaluate(qrels, run, "MAP@R", rules={"without_relevant": "skip"})
        assert ours.mean["APatR"] == pytest.approx(theirs["APatR"], abs=1e-12)


def test_scikit_learn_has_the_same_average_precision_of_all_pairs() -> None:
    from sklearn.metrics import average_precision_score

    for seed in range(CASES):
        drawn = random.Random(seed)
        qrels = {f"q{q}": {f"d{d}": drawn.randint(0, 1) for d in range(6)} for q in range(drawn.randint(1, 6))}
        qrels["q0"]["d0"] = 1
        run = {q: {doc: float(drawn.randint(0, 9)) for doc in docs} for q, docs in qrels.items()}
        right = [qrels[q][doc] for q, docs in run.items() for doc in docs]
        values = [score for docs in run.values() for score in docs.values()]
        theirs = average_precision_score(right, values)
        assert tr.evaluate(qrels, run, "microAP").mean["microAP"] == pytest.approx(theirs, abs=1e-12)


def test_scipy_has_the_same_divergence_of_attention_as_trec_takes_it() -> None:
    from scipy.spatial.distance import jensenshannon

    for seed in range(CASES):
        drawn = random.Random(seed)
        groups = {f"d{n}": drawn.sample("wxyz", drawn.randint(0, 2)) for n in range(12)}
        ranked = drawn.sample(sorted(groups), 7)
        world = {group: drawn.randint(1, 9) for group in "wxyz"}
        relevant = Counter(group for doc in ("d0", "d1", "d2") for group in groups[doc])
        attention = 1 / np.log2(np.maximum(np.arange(1, 8), 2))
        got = [sum(a for a, doc in zip(attention, ranked, strict=True) if g in groups[doc]) for g in "wxyz"]
        if not relevant or not sum(got):
            continue
        rest = np.array([world[g] for g in "wxyz"]) / sum(world.values())
        own = np.array([relevant[g] for g in "wxyz"]) / sum(relevant.values())
        theirs = 1 - jensenshannon(got, (own + rest) / 2) ** 2
        items = {doc: {"groups": own_groups} for doc, own_groups in groups.items()}
        judged = {"q": {"d0": 1, "d1": 1, "d2": 1}}
        ours = tr.evaluate(judged, {"q": ranked}, f"AWRF(target={world})", items=items)
        assert next(iter(ours.mean.values())) == pytest.approx(theirs, abs=1e-12)
