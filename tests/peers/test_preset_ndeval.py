"""ndeval's numbers are those of its preset: pyndeval's, of random subtopics, with every option that it has."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from peer_asking import ask, assert_near, assert_plainly
from peer_cases import DOCS, QUERIES, Case, together

import truerank as tr

CUT = ("ERR_IA", "nERR_IA", "alpha_DCG", "alpha_nDCG", "P_IA", "StRecall")
WHOLE = ("NRBP", "nNRBP", "AP_IA")

SCORES = (1.0, 1.5, 2.0, 2.25)
"""Few, so that they tie."""


def subtopics(seed: int) -> Case:
    """Random judgements of subtopics, some of them by nobody's documents, and what is asked of them."""
    chance = random.Random(seed)
    qrels, run = {}, {}
    for query in QUERIES[: chance.randint(1, 4)]:
        docs = chance.sample(DOCS, chance.choice([3, 10, len(DOCS)]))
        names = [str(number) for number in range(1, chance.randint(1, 12) + 1)]
        share = chance.choice([0.1, 0.4, 0.9])
        judged = {
            doc: {name: chance.choice([0, 0, 1, 1, 2, -1]) for name in names if chance.random() < share}
            for doc in docs
        }
        qrels[query] = {doc: aspects for doc, aspects in judged.items() if aspects} or {"d00": {"1": 0}}
        if chance.random() < 0.9:
            answer = chance.sample(DOCS, chance.randint(1, len(DOCS)))
            run[query] = [(doc, chance.choice([*SCORES, chance.random()])) for doc in answer]
    run["q9"] = [("d01", 1.0)]
    options = {"alpha": chance.choice([0.5, 0.5, 0, 0.25, 1]), "beta": chance.choice([0.5, 0.5, 0.9, 0])}
    ks = [1, 5, 10, 20, chance.randint(2, 20)]
    return Case(qrels, run, more={**options, "level": chance.choice([1, 1, 2]), "ks": sorted(set(ks))})  # type: ignore


def by_options(every: list[Case]) -> list[Case]:
    """The cases of the same options together, asked at each rank that one of them is asked at."""
    groups: dict[tuple[float, ...], list[Case]] = {}
    for case in every:
        groups.setdefault(tuple(case.more[name] for name in ("alpha", "beta", "level")), []).append(case)
    pairs = ((together(group), {k for case in group for k in case.more["ks"]}) for group in groups.values())
    return [Case(one.qrels, one.run, more={**one.more, "ks": sorted(ks)}) for one, ks in pairs]


def ours(case: Case, names: list[str], **rules: Any) -> tr.Scores:
    return tr.evaluate(case.qrels, case.given(), names, rules=tr.Rules.named("ndeval").replace(**rules))


def spelled(name: str, alpha: float, beta: float) -> str:
    """A measure with the options that ndeval has for all at once."""
    plain, _, cut = name.partition("@")
    given = [f"alpha={alpha}"] if plain not in ("P_IA", "StRecall", "AP_IA") else []
    given += [f"beta={beta}"] if plain in ("NRBP", "nNRBP") else []
    given += ["best='ndeval'"] if plain in ("ERR_IA", "alpha_DCG") else []
    return plain + (f"({', '.join(given)})" if given else "") + (f"@{cut}" if cut else "")


def nothing_is_relevant(theirs: dict[str, Any]) -> None:
    """Put 0 where ndeval has a NaN."""
    values = theirs["values"]["nNRBP"]
    values.update({query: 0.0 for query, value in values.items() if math.isnan(value)})
    theirs["mean"]["nNRBP"] = sum(values.values()) / len(values) if values else 0.0


@pytest.mark.parametrize("hundred", range(10))
def test_pyndeval_is_its_preset_on_a_thousand_cases(hundred: int) -> None:
    cases = by_options([subtopics(seed) for seed in range(100 * hundred, 100 * hundred + 100)])
    for case, theirs in zip(cases, ask("ndeval", cases), strict=True):
        assert "error" not in theirs, theirs["error"]
        alpha, beta, level = (case.more[name] for name in ("alpha", "beta", "level"))
        nothing_is_relevant(theirs)
        names = {name: spelled(name, alpha, beta) for name in theirs["values"]}
        scores = ours(case, list(names.values()), level=level)
        if (alpha, beta) == (0.5, 0.5):
            assert_plainly("ndeval", case, theirs["mean"], level=level)
        for name, column in theirs["values"].items():
            mine = dict(zip(scores.queries, scores[names[name]].tolist(), strict=True))
            assert_near(mine, column, (name, case.more), 1e-12, rel=1e-12)


def test_of_a_repeated_document_ndeval_counts_the_first_place_alone() -> None:
    case = Case({"q": {"a": {"1": 1}, "b": {"2": 1}}}, {"q": [("a", 3.0), ("a", 2.0), ("b", 1.0)]})
    case.more.update(alpha=0.5, beta=0.5, level=1, ks=[3])
    theirs = ask("ndeval", [case])[0]["mean"]
    rows = b"".join(b"q 0 %b 0 %g t\n" % (doc.encode(), score) for doc, score in case.run["q"])
    scores = tr.evaluate(case.qrels, tr.Run("rows", lambda: iter([rows])), list(theirs), rules="ndeval")
    assert dict(zip(theirs, scores.mean.values(), strict=True)) == pytest.approx(theirs, abs=1e-12)


def test_where_nothing_is_relevant_ndeval_has_a_nan_and_its_preset_0() -> None:
    case = Case(
        {"q": {"a": {"1": 0}}}, {"q": [("a", 1.0)]}, more={"alpha": 0.5, "beta": 0.5, "level": 1, "ks": [5]}
    )
    theirs = ask("ndeval", [case])[0]["mean"]
    assert math.isnan(theirs["nNRBP"])
    assert ours(case, ["nNRBP", "alpha_nDCG@5"]).mean == {"nNRBP": 0.0, "alpha_nDCG@5": theirs["alpha_nDCG@5"]}
