"""Equal to the bit to pytrec_eval, which is trec_eval 9.0.8, for every measure that it has."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import truerank as tr
from worlds import World, worlds

pytrec_eval = pytest.importorskip("pytrec_eval", reason="needs pytrec_eval-terrier")

CUT = "1,2,3,5,7,20"
WITH_CUTS = {"P", "recall", "relative_P", "success", "map_cut", "ndcg_cut"}
Values = dict[str, dict[str, float]]

TEXTS = {"runid", "relstring"}
PREFERENCES = {"bpref", "gm_bpref"}

PLAIN = pytrec_eval.supported_measures - TEXTS - WITH_CUTS
MEASURES = sorted(PLAIN | {f"{name}.{CUT}" for name in WITH_CUTS})

# A query whose judgements are all below grade 0 inherits the grades of the query before it in the reference,
# which then counts wrong or never ends; one without judgements it leaves out. So all have one from grade 0.
judged_worlds = worlds(judged=1).filter(
    lambda world: all(max(grades.values()) >= 0 for grades in world.qrels.values())
)


# The reference crashes when the first list that it ever sees is empty: its tables do not exist yet.
pytrec_eval.RelevanceEvaluator({"first": {"d": 1}}, ["map"]).evaluate({"first": {"d": 1.0}})


def reference(world: World, measures: list[str], level: int = 1, judged_only: bool = False) -> Values:
    evaluator = pytrec_eval.RelevanceEvaluator(world.qrels, measures, level, judged_only)
    return evaluator.evaluate(world.run)


def ours(world: World, measures: list[str], level: int = 1, judged_only: bool = False) -> tr.Scores:
    unjudged = "removed" if judged_only else "not-relevant"
    rules = tr.Rules.named("trec_eval-9").replace(level=level, unjudged=unjudged)
    return tr.evaluate(world.qrels, world.run, measures, rules=rules)


def readable_beyond(world: World, level: int) -> bool:
    """Whether the reference's bpref reads beyond its table: the level is above the highest grade + 1."""
    return any(max(grades.values()) + 1 < level for grades in world.qrels.values())


@settings(max_examples=250)
@given(judged_worlds, st.integers(1, 3), st.booleans())
def test_every_measure_is_equal_to_the_bit(world: World, level: int, judged_only: bool) -> None:
    assert_equal(world, level, judged_only)


def assert_equal(world: World, level: int, judged_only: bool) -> None:
    measures = [m for m in MEASURES if m not in PREFERENCES or not readable_beyond(world, level)]
    expected = reference(world, measures, level, judged_only)
    names = sorted(next(iter(expected.values())))
    scores = ours(world, names, level, judged_only)
    for name in names:
        theirs = [expected[query][name] for query in scores.queries]
        assert shown(name, scores[name].tolist()) == as_meant(theirs), name


def shown(name: str, values: list[float]) -> list[float]:
    """Values as the reference shows them: of a geometric mean, the logarithms that it averages."""
    return [math.log(max(value, 1e-5)) for value in values] if name.startswith("gm_") else values


def as_meant(values: list[float]) -> list[float]:
    """The reference's values, without its 0 / 0: the precision at recall 0 of an empty list."""
    return [0.0 if math.isnan(value) else value for value in values]


def long_world(seed: int) -> World:
    """Lists of hundreds, in which the order of additions shows in the last bit."""
    chance = random.Random(seed)
    docs = [f"d{number}" for number in range(600)]
    qrels, run = {}, {}
    for query in map("q{}".format, range(20)):
        qrels[query] = {doc: chance.choice((-1, 0, 0, 1, 1, 2, 3)) for doc in chance.sample(docs, 250)}
        returned = chance.sample(docs, chance.randint(1, 500))
        run[query] = {doc: round(chance.gauss(0, 2), 1) for doc in returned}
    return World(qrels, run, seed)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("level", [1, 2])
def test_long_lists_are_equal_to_the_bit(seed: int, level: int) -> None:
    world = long_world(seed)
    assert_equal(world, level, judged_only=seed == 3)


@settings(max_examples=60)
@given(judged_worlds, st.integers(1, 3))
def test_interleaved_lines_give_the_same_bits(world: World, level: int) -> None:
    whole = tr.evaluate(world.qrels, world.run, ["AP", "nDCG", "Bpref", "infAP"], rules={"level": level})
    mixed = tr.evaluate(world.qrels, world.lines(), ["AP", "nDCG", "Bpref", "infAP"], rules={"level": level})
    assert {name: values.tolist() for name, values in whole.columns.items()} == {
        name: values.tolist() for name, values in mixed.columns.items()
    }


@settings(max_examples=60)
@given(judged_worlds, st.sampled_from(["0.5", "2", "3.7"]))
def test_set_f_takes_the_square_of_beta_under_the_reference_s_name(world: World, square: str) -> None:
    expected = reference(world, [f"set_F.{square}"])
    scores = ours(world, [f"set_F_{square}"])
    assert scores[f"set_F_{square}"].tolist() == [next(iter(expected[q].values())) for q in scores.queries]


@settings(max_examples=60)
@given(judged_worlds)
def test_means_are_equal_to_the_bit(world: World) -> None:
    names = ["map", "ndcg", "recip_rank", "bpref", "P_5"]
    expected = reference(world, names)
    scores = ours(world, names)
    for name in names:
        total = 0.0
        for query in scores.queries:
            total += expected[query][name]
        assert scores.mean[str(tr.parse_measure(name))] == total / len(scores.queries)
