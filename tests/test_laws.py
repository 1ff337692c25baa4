"""Laws that hold for every registered measure; a measure without an oracle or a doctest fails here.

Each law is checked over all variants of all measures on every random world.
"""

from __future__ import annotations

import itertools
import math
import pickle
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import get_args, get_type_hints

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import oracles_aspects  # noqa: F401
import oracles_calls as oracles_calls
import oracles_diversity  # noqa: F401
import oracles_evidence  # noqa: F401
import oracles_preferences  # noqa: F401
import oracles_rb as _rb  # noqa: F401
import oracles_strata  # noqa: F401
import truerank as tr
from oracles import DIVIDES_BY, NOT_RULED, ORACLES, TAKES_UNJUDGED_GRADES, Answer
from oracles_lists import LISTS
from oracles_ntcir import NTCIR_VARIANTS
from oracles_users import READER_VARIANTS
from truerank.analysis.explain.tools import under_rules
from truerank.core.rules import presets
from truerank.core.scores import intervals
from truerank.measures import Measure, parse_measure
from worlds import DOCS, World, run_of, worlds

BY_DEFINITION = "(rounding='definition')"

TABLE = (1, 0.75, 0.75, 0.1)

BEST = ("possible", "ndeval", "intents", "none")

VARIANTS: dict[str, list[str]] = {
    "SetF": ["SetF(beta=2)", *(f"SetF(alpha={a})" for a in (0, 0.2, 1)), "SetF(beta_squared=0.5)"],
    "Utility": ["Utility(a=3, b=-2.5, c=-1, d=0.25, docs=100)"],
    "P": ["P(divisor='returned')@3"],
    "F": ["F(beta=2)@3"],
    "PFound": ["PFound(decay=0)", "PFound(decay=1)@3", "PFound(chance={1: 0.3, 2: 1})", "PFound(max_grade=2)"],
    "FallOut": ["FallOut(docs=100)@3"],
    "MCC": ["MCC(docs=100)@3"],
    "R": ["R(capped=True)@2"],
    "AP": [
        *(f"AP(divisor='{divisor}')@3" for divisor in ("capped", "hits", "k")),
        *("AP(divisor='capped')", "AP(area='trapezoid')", "AP(area='trapezoid', divisor='hits')@5"),
        *("AP(ties='together')", "AP(divisor='hits', ties='together')@4"),
        *("AP(divisor='returned')", "AP(divisor='returned')@3"),
    ],
    "RprecMult": ["RprecMult@0.2", "RprecMult@1", "RprecMult@1.4"],
    "DCG": [
        *("DCG(gain='exp')@5", "DCG(log_base=10)", "DCG(gain={1: 2, 3: 0.5})", "DCG(gain='binary')"),
        *("DCG(ties='averaged')", "DCG(ties='averaged', log_base=10)@3"),
        *("DCG(discount='jk')", "DCG(discount='jk', log_base=3.5)@6", "DCG(discount='reciprocal')@4"),
        *(f"DCG(discount={d}, ties='averaged')@5" for d in (TABLE, "'jk'", "'reciprocal'", "'none'")),
        "DCG(gain_from=2)",
    ],
    "IDCG": [
        *("IDCG(gain='exp')", "IDCG(log_base=10)@2", "IDCG(gain={1: 2, 3: 0.5})@4", "IDCG(ideal='returned')"),
        *(f"IDCG(discount={d}, gain_from=1.5)" for d in (TABLE, "'jk'", "'reciprocal'", "'none'")),
    ],
    "nDCG": [
        *(f"nDCG(discount={d})@4" for d in (TABLE, "'jk'", "'reciprocal'", "'none'")),
        *("nDCG(gain='exp', gain_from=2)", "nDCG(discount='jk', log_base=10)", f"nDCG(discount={TABLE})"),
        *("nDCG(gain='exp')@5", "nDCG(log_base=10)", "nDCG(gain={1: 2, 3: 0.5})@4", "nDCG(gain='binary')"),
        *("nDCG(ideal='returned')@4", "nDCG(ties='averaged')", "nDCG(ties='averaged', gain='binary')@5"),
    ],
    "nDCGrel": ["nDCGrel(gain='exp')", "nDCGrel(gain={0: 1, 2: 7})"],
    "Rndcg": ["Rndcg(gain='exp')", "Rndcg(gain={1: 2})"],
    "G": ["G(gain='exp')", "G(gain={1: 5, 2: 3})"],
    "RBP": [
        *("RBP(p=0)", "RBP(p=0.5)@3", "RBP(p=1)", "RBP(gain='graded')", "RBP(gain='graded', max_grade=2)"),
        "RBP(gain='scaled')@9",
    ],
    "ERR": [
        *("ERR(max_grade=4)", "ERR(max_grade=2)@5", "ERR(gain='linear')", "ERR(gain={1: 3, 2: 4.5})@4"),
        "ERR(max_grade=3, gain={1: 5, 3: 2})",
    ],
    "IPrec": [f"IPrec{how}@{r}" for how in ("", "(rounding='up')", BY_DEFINITION) for r in (0, 0.3, 0.6, 1)],
    "AP11": ["AP11(rounding='up')", f"AP11{BY_DEFINITION}", "AP11(recalls=(0.25, 0.5, 0.75))"],
    "AUPRC": ["AUPRC(area='trapezoid')", "AUPRC(area='interpolated')"],
    "RBPResidual": ["RBPResidual(p=0)", "RBPResidual(p=0.5)@3", "RBPResidual(p=1)"],
    "NumRet": ["NumRet(rel=1)"],
    **READER_VARIANTS,
    **NTCIR_VARIANTS,
    "Compat": [
        *("Compat(p=0)", "Compat(p=0.5)", "Compat(p=1)", "Compat(normalize=False)"),
        "Compat(p=0.8, normalize=False)",
    ],
    "CallRecall": [],
    "FirstComplete": [],
    "SessionDCG": [
        *(
            "SessionDCG@1",
            "SessionDCG@3",
            "SessionDCG(bq=2, log_base=10)",
            "SessionDCG(gain='exp', calls=2)@2",
            "SessionDCG(gain_from=2)",
        ),
        *(f"SessionDCG(discount={d})@4" for d in (TABLE, "'jk'", "'reciprocal'", "'none'")),
    ],
    "nSessionDCG": [
        *(
            "nSessionDCG@1",
            "nSessionDCG@3",
            "nSessionDCG(bq=2, log_base=10)",
            "nSessionDCG(gain='exp', calls=2)@2",
            "nSessionDCG(gain_from=2)",
        ),
        *("nSessionDCG(calls=1)", "nSessionDCG(gain={1: 2, 3: 0.5})@2", "nSessionDCG(gain='binary')"),
        *(f"nSessionDCG(discount={d})@4" for d in (TABLE, "'jk'", "'reciprocal'", "'none'")),
    ],
    **{
        name: [f"{name}(alpha=0.9)@3", f"{name}(alpha=0)@5", f"{name}(alpha=1)"]
        for name in ("alpha_nDCG", "nERR_IA")
    },
    **{
        name: [f"{name}(best={best!r}, alpha={a})@{k}" for best in BEST for a, k in ((0.9, 2), (1, 1))]
        for name in ("alpha_DCG", "ERR_IA")
    },
    "Dsharp_nDCG": ["Dsharp_nDCG(gamma=0.2, gain='exp')@3", "Dsharp_nDCG(gamma=1)", "Dsharp_nDCG(gain='binary')@2"],
    "NRBP": ["NRBP(beta=0)", "NRBP(beta=1)", "NRBP(alpha=0.9, beta=0.2)@3"],
    "nNRBP": ["nNRBP(beta=0)", "nNRBP(beta=1)", "nNRBP(alpha=0.9, beta=0.2)@3", "nNRBP(alpha=0)"],
}
"""What to try of a measure besides it alone, at cutoffs and at another level; for others, their schema says it."""


def schema_variants(definition: tr.Definition) -> Iterator[str]:
    """Each parameter of its own with each choice that it has, or with a value or two that it allows."""
    needed = {key for key, p in definition.parameters.items() if p.default is p.empty}
    hints = get_type_hints(definition.function)
    for key, parameter in definition.parameters.items():
        if key not in ("k", "level") and needed <= {key, definition.at}:
            guesses = [*get_args(hints[key]), 0.5, 2, True, (0.5,), {1: 0.5}]
            values = [
                value for value in guesses if definition.kinds[key].allows(value) and value != parameter.default
            ]
            cut = f"@{3 if definition.at == 'k' else 0.5}" if needed - {key} else ""
            yield from (f"{definition.name}({key}={value!r}){cut}" for value in values)


def variants(name: str) -> list[str]:
    definition = tr.measures()[name]
    parameters = definition.parameters
    needed = {key for key, p in parameters.items() if p.default is p.empty}
    if needed == {"calls"}:
        return [f"{name}@{calls}" for calls in (1, 2, 3, 9)] + [f"{name}(level=2)@2"]
    plain = [] if needed else [name]
    cuts = [f"{name}@1", f"{name}@3"] if "k" in parameters and definition.at == "k" else []
    levels = [f"{name}(level=2)" + ("@4" if needed else "")] if "level" in parameters and needed <= {"k"} else []
    own = VARIANTS[name] if name in VARIANTS else schema_variants(definition)
    return [*plain, *cuts, *levels, *own]


OF_JUDGED = tuple(name for name, definition in tr.measures().items() if not definition.sees_lists)
"""Measures of the judged documents alone; those of whole lists have their laws in test_laws_of_lists.py."""

TRIED: tuple[Measure, ...] = tuple(parse_measure(text) for name in OF_JUDGED for text in variants(name))

MEASURES = tuple(m for m in TRIED if m.definition.needs != "calls")
"""Those of one list a query; laws of measures of calls stand in test_laws_of_calls.py."""

CHEAP = settings(max_examples=60)


def bits(values: np.ndarray) -> bytes:
    """Values as bytes, so that they are equal to the bit or not at all."""
    return values.astype(np.float64).tobytes()


def answer(world: World, query: str) -> Answer:
    grades = world.qrels[query]
    highest = max([0.0, *(grade for judged in world.qrels.values() for grade in judged.values())])
    ranked = world.ranked(query)
    scores = [world.run[query][doc] for doc in ranked]
    aspects = world.judged[query]
    answers = [aspects.get(doc, {}) for doc in ranked]
    ranks = [grades.get(doc) for doc in ranked]
    return Answer(
        ranks, list(grades.values()), highest, scores, answers, list(aspects.values()), docs=list(aspects)
    )


def single(grades: dict[str, float], docs: list[str]) -> tr.Hits:
    """The hits of one query and a list in this order."""
    return tr.rank({"q": {doc: {"1": grade} for doc, grade in grades.items()}}, {"q": docs})


def test_every_measure_is_tried() -> None:
    assert {m.name for m in TRIED} == set(OF_JUDGED)
    assert set(VARIANTS) <= set(tr.measures())


def test_every_measure_has_an_oracle() -> None:
    assert set(ORACLES) == set(OF_JUDGED)
    assert set(LISTS) == set(tr.measures()) - set(OF_JUDGED)


@pytest.mark.parametrize("name", ORACLES)
def test_a_measure_declares_what_its_oracle_knows_of_it_under_rules(name: str) -> None:
    definition = tr.measures()[name]
    assert definition.takes_unjudged_grades == (name in TAKES_UNJUDGED_GRADES)
    assert definition.divides_by == DIVIDES_BY[name]
    assert (definition.is_of_judgements or not definition.unit) == (name in NOT_RULED)


def test_every_parameter_of_every_measure_is_exercised_by_some_variant() -> None:
    for name in OF_JUDGED:
        definition = tr.measures()[name]
        tried = {key for m in TRIED if m.name == name for key, _ in m.params}
        assert set(definition.parameters) - {"level"} <= tried, name


@pytest.mark.parametrize("name", tr.measures())
def test_every_measure_says_what_it_means_how_it_is_worked_out_and_where_it_is_from(name: str) -> None:
    definition = tr.measures()[name]
    text = definition.function.__doc__ or ""
    assert ">>> " in text, "no doctest"
    assert len(text.strip().splitlines()) <= 12
    assert definition.meaning.endswith(".")
    assert definition.lower_is_better == ("less is better" in definition.meaning)
    assert definition.formula
    assert definition.source


@settings(max_examples=200)
@given(worlds(st.sampled_from([-2, -1, 0, 1, 2, 3, 4, 0.5, 2.25, 3.25])), st.sampled_from([None, None, 2, 0.5]))
def test_every_measure_equals_its_oracle_and_has_the_values_and_the_mean_that_it_declares(
    world: World, level: float | None
) -> None:
    hits = tr.rank(world.judged, world.run)
    answers = [answer(world, query.decode()) for query in hits.queries]
    defaults = {} if level is None else {"level": level}
    for m in MEASURES:
        values = m.values(hits, **defaults)
        params = dict(m.params)
        if "level" in m.definition.parameters:
            params = {"level": 1, **defaults, **params}
        if params.get("gain") == "binary" and "gain_from" in m.definition.parameters:
            params = {"gain_from": level or 0, **params}
        expected = np.array([ORACLES[m.name](each, **params) for each in answers])
        is_near = np.abs(values - expected) <= 1e-12 * np.maximum(np.abs(expected), 1)
        assert is_near.all(), (str(m), values, expected)
        assert_values_are_finite_and_between_0_and_1_unless_declared(m, values, len(hits.queries))
        assert_the_mean_is_that_of_the_values(m, values)


def assert_values_are_finite_and_between_0_and_1_unless_declared(m: Measure, values: np.ndarray, n: int) -> None:
    assert values.dtype == np.float64
    assert values.shape == (n,)
    assert np.isfinite(values).all(), m
    if m.definition.unit:
        assert (values >= 0).all(), m
        assert (values <= 1 + 1e-12).all(), m


def assert_the_mean_is_that_of_the_values(m: Measure, found: np.ndarray) -> None:
    values = found.tolist()
    average = m.definition.average
    if average == "geometric":
        expected = math.exp(math.fsum(math.log(max(v, 1e-5)) for v in values) / len(values))
    else:
        expected = math.fsum(values) / {"mean": len(values), "sum": 1}[average]
    assert math.isclose(m.mean(np.array(values)), expected, rel_tol=1e-12, abs_tol=1e-12), str(m)


@CHEAP
@given(worlds(queries=5), st.lists(st.booleans(), min_size=5, max_size=5))
def test_neither_a_partition_of_the_queries_nor_the_order_of_input_rows_changes_a_bit(
    world: World, side: list[bool]
) -> None:
    hits, other = tr.rank(world.judged, world.run), in_another_order(world)
    keep = np.array(side[: len(hits.queries)])
    left, right = hits.select(keep), hits.select(~keep)
    answered = np.array([bool(world.run[q.decode()]) for q in hits.queries])
    for m in MEASURES:
        whole = m.values(hits)
        assert bits(whole[keep]) == bits(m.values(left)), str(m)
        assert bits(whole[~keep]) == bits(m.values(right)), str(m)
        assert bits(whole[answered]) == bits(m.values(other)[answered]), str(m)


def in_another_order(world: World) -> tr.Hits:
    """The same judgements, shuffled, and the same answers, as lines of text that are shuffled."""
    shuffled = random.Random(world.seed)
    qrels = {q: dict(shuffled.sample(list(docs.items()), len(docs))) for q, docs in world.judged.items()}
    return tr.rank(dict(shuffled.sample(list(qrels.items()), len(qrels))), world.lines())


RULES = st.fixed_dictionaries(
    {
        "ties": st.sampled_from(["doc-descending", "doc-ascending"]),
        "duplicates": st.sampled_from(["error", "once"]),  # counted twice, some measures leave their domain
        "score_precision": st.sampled_from(["double", "single"]),
    }
)


@CHEAP
@given(worlds(), RULES, st.booleans(), st.data())
def test_no_cut_of_a_run_into_parts_changes_a_bit(
    world: World, rules: dict[str, str], whole: bool, data: st.DataObject
) -> None:
    rows = [(query, doc, score) for query, docs in world.run.items() for doc, score in docs.items()]
    if rules["duplicates"] != "error" and rows:
        rows += data.draw(st.lists(st.sampled_from(rows), max_size=3))
    reading = tr.read(world.judged, run_of(rows), rules=rules)
    number = st.integers(0, 3)
    of_query = {query: data.draw(number) for query in world.run}
    parts: list[list[tuple[str, str, float]]] = [[], [], [], []]
    for row in data.draw(st.permutations(rows)):
        parts[of_query[row[0]] if whole else data.draw(number)].append(row)
    readings = [tr.read(world.judged, run_of(part), rules=rules) for part in parts]
    scattered = tr.scattered(readings)
    assert not (whole and scattered)
    counts = [tr.count_ranks(scattered, run_of(part)) for part in parts]
    shuffled = random.Random(world.seed)
    readings, counts = (shuffled.sample(each, len(each)) for each in (readings, counts))
    merged = tr.merge(readings, counts)
    one, other = (tr.evaluate(each, measures=MEASURES) for each in (reading, merged))
    assert [str(m) for m in MEASURES if bits(one[m]) != bits(other[m])] == []
    assert replace(one.ledger, interleaved=False) == replace(other.ledger, interleaved=False)
    some = [parse_measure("AP"), parse_measure("nDCG@3")]
    values = [np.stack([scores[m] for m in some], axis=1) for scores in (one, other)]
    assert repr(intervals(some, values[0])) == repr(intervals(some, values[1]))


BY_ID = ("alpha_nDCG", "nERR_IA", "nNRBP")
"""Measures whose ideal list is greedy: of documents that add as much it takes the last id, as ndeval does."""


@CHEAP
@given(worlds(ties=False), st.permutations(DOCS))
def test_renaming_documents_changes_nothing_without_ties(world: World, names: list[str]) -> None:
    """Both worlds are queries of one run: by the law of partitions that changes no bit."""
    new = dict(zip(DOCS, names, strict=True))
    judged, run = (
        {**each, **{f"renamed-{q}": {new[doc]: value for doc, value in docs.items()} for q, docs in each.items()}}
        for each in (world.judged, world.run)
    )
    hits = tr.rank(judged, run)
    place = {query.decode(): number for number, query in enumerate(hits.queries)}
    one, other = ([place[f"{which}{q}"] for q in world.qrels] for which in ("", "renamed-"))
    moved = [m for m in MEASURES if bits((values := m.values(hits))[one]) != bits(values[other])]
    assert [str(m) for m in moved if m.name not in BY_ID] == []


DEEPER = {"FallOut", "MCC", "Pkq"}
"""Measures that compare the first k with all that was returned, unless they know the size of the collection."""


BLIND = {
    k: [m for m in MEASURES if dict(m.params).get("k") == k and (m.name not in DEEPER or "docs" in dict(m.params))]
    for k in {dict(m.params).get("k") for m in MEASURES} - {None}
}
"""The measures of the first k results that see nothing else, by their k."""


@CHEAP
@given(worlds(ties=False, queries=2))
def test_what_is_deeper_than_k_is_invisible(world: World) -> None:
    """The whole lists and the short ones are queries of one run: by the law of partitions that changes no bit."""
    for k, measures in BLIND.items():
        cut = {f"cut-{q}": dict(list(docs.items())[:k]) for q, docs in world.run.items()}
        judged = {**world.judged, **{f"cut-{q}": docs for q, docs in world.judged.items()}}
        hits = tr.rank(judged, {**world.run, **cut})
        is_cut = np.array([query.startswith(b"cut-") for query in hits.queries])
        for m in measures:
            values = m.values(hits)
            assert bits(values[is_cut]) == bits(values[~is_cut]), str(m)


def one_up(world: World, query: str) -> Iterator[tuple[list[str], list[str]]]:
    """Lists, and the same with a relevant document moved up by one, past a worse one."""
    grades, docs = world.qrels[query], world.ranked(query)
    for i, (upper, lower) in enumerate(itertools.pairwise(docs)):
        if grades.get(lower, 0) >= 1 and grades.get(lower, 0) > grades.get(upper, 0):
            yield docs, [*docs[:i], lower, upper, *docs[i + 2 :]]


def rises(m: Measure) -> bool:
    """Whether a relevant document that moves up never lowers it: what is declared, and a little more."""
    params = dict(m.params)
    by_parameter = {"AP": params.get("divisor") != "hits", "AUROC": "k" not in params}
    declared = m.monotone not in (None, "no") and not m.definition.lower_is_better
    return by_parameter.get(m.name, declared)


@CHEAP
@given(worlds(st.integers(-1, 3), ties=False, queries=1, judged=1))
def test_moving_a_relevant_document_up_never_lowers(world: World) -> None:
    query = next(iter(world.qrels))
    plain = [m for m in MEASURES if rises(m) and not isinstance(dict(m.params).get("gain"), dict)]
    for before, after in one_up(world, query):
        lower, upper = single(world.qrels[query], before), single(world.qrels[query], after)
        for m in plain:
            assert m.values(upper)[0] >= m.values(lower)[0] - 1e-12, (str(m), before, after)


FALLS: dict[str, tuple[dict[str, float], list[str], str]] = {
    "AP(divisor='hits')@3": (
        {"a": 1, "b": 1},
        ["a", "x", "y", "b"],
        "one more hit at the end lowers the mean of the others",
    ),
    "G": (
        {"a": 1, "b": 2, "c": 3},
        ["a", "b", "c"],
        "a better document before a good one takes away the gain that had excused its own place",
    ),
    "infAP": (
        {"a": 1, "b": 1, "c": -1},
        ["a", "x", "y", "z", "w", "c", "b"],
        "a pooled, unjudged document that falls behind a relevant one no longer vouches for it",
    ),
    "AUROC@3": ({"a": 1, "b": 1}, ["a", "x", "y", "b"], "within a cutoff, the document that enters comes last"),
    **dict.fromkeys(
        ("Unjudged@1", "RBPResidual", "FallOut@1", "FirstRank@9", "MeanRank@9", "ARP@9"),
        ({"a": 1}, ["x", "a"], "less is better"),
    ),
}
"""Measures that do not rise with a relevant document that moves up, with a list where they fall, and why."""


@pytest.mark.parametrize("text", FALLS)
def test_the_exceptions_do_fall(text: str) -> None:
    grades, before, _ = FALLS[text]
    after = [*before[:-2], before[-1], before[-2]]
    lower, upper = (parse_measure(text).values(single(grades, docs))[0] for docs in (before, after))
    assert upper < lower
    assert not rises(parse_measure(text))


PERFECT = (
    *("SetP", "SetR", "SetSuccess", "SetF", "SetAP", "SetRelP", "Success", "RR", "AP"),
    *("GMAP", "Rprec", "APatR", "binG", "Accuracy"),
    *("NCRR", "nDCG", "nDCGrel", "Rndcg", "G", "IPrec", "AP11", "AUPRC", "Bpref", "GMBpref", "Judged", "mINP"),
)
"""Normalised measures: an ideal ranking, of all relevant documents, better grades first, scores 1."""


def can_be_perfect(m: Measure, relevant: int) -> bool:
    params = dict(m.params)
    k = params.get("k", relevant)
    short = m.name == "AP" and (("divisor" not in params and k < relevant) or params.get("divisor") == "k")
    cut = isinstance(params.get("gain"), dict) or "gain_from" in params
    return not short and "level" not in params and not cut


@CHEAP
@given(st.lists(st.integers(1, 4), min_size=1, max_size=8))
def test_an_ideal_ranking_scores_1(grades: list[int]) -> None:
    qrels = dict(zip(DOCS, sorted(grades, reverse=True), strict=False))
    hits = single(qrels, list(qrels))
    for m in MEASURES:
        if m.name in PERFECT and can_be_perfect(m, len(qrels)):
            assert m.values(hits)[0] == pytest.approx(1, abs=1e-12), str(m)
    assert parse_measure("R(capped=True)@2").values(hits)[0] == 1
    assert parse_measure("infAP").values(hits)[0] == pytest.approx(1, abs=1e-4)  # its epsilon costs a little


PRICED = {"Utility"}
"""Measures that take something off for what is wrongly returned: they are not 0 without relevant documents."""


def is_about_relevant(m: Measure) -> bool:
    """Whether it has nothing to measure without a relevant document: declared so, or known."""
    if m.definition.lower_is_better or m.name in PRICED:
        return False
    return bool(m.definition.divides_by) or m.monotone in ("rising", "stepped") or m.name in ("AUROC", "RBP")


@CHEAP
@given(worlds(st.integers(-2, 0)))
def test_without_relevant_documents_the_score_is_0(world: World) -> None:
    hits = tr.rank(world.judged, world.run)
    for m in filter(is_about_relevant, MEASURES):
        gain = dict(m.params).get("gain")
        if not isinstance(gain, dict) or gain.get(0, 0) == 0:
            assert not m.values(hits).any(), str(m)


@pytest.mark.parametrize("m", TRIED, ids=str)
def test_it_prints_as_it_parses_and_survives_pickling(m: Measure) -> None:
    assert parse_measure(str(m)) == m
    assert str(parse_measure(str(m))) == str(m)
    copy = pickle.loads(pickle.dumps(m))
    assert copy == m
    assert hash(copy) == hash(m)
    assert copy.definition is m.definition


numbers = st.floats(0, 100, allow_nan=False) | st.integers(1, 50)


@CHEAP
@given(st.integers(1, 10**6), numbers, st.dictionaries(st.integers(0, 9), numbers, max_size=3))
def test_parameters_survive_printing(k: int, level: float, gain: dict[int, float]) -> None:
    for text in (f"AP(level={level!r})@{k}", f"nDCG(gain={gain!r})@{k}", f"RprecMult@{level!r}"):
        m = parse_measure(text)
        assert parse_measure(str(m)) == m
        assert str(parse_measure(str(m))) == str(m)


def plainly(name: str) -> list[str]:
    """How a measure is named without parameters: alone and with a cutoff, as far as it can be."""
    definition = tr.measures()[name]
    at = definition.parameters.get(definition.at)
    cut = [] if at is None else [f"{name}@{3 if definition.at == 'k' else 0.5}"]
    return cut if at is not None and at.default is at.empty else [name, *cut]


PLAIN = [text for name in OF_JUDGED if tr.measures()[name].needs != "calls" for text in plainly(name)]


@pytest.mark.parametrize("name", presets())
@settings(max_examples=3)
@given(world=worlds(st.integers(0, 3)))
def test_plain_names_mean_the_same_to_evaluate_and_to_explain_under_every_preset(name: str, world: World) -> None:
    assume(world.run)
    row = under_rules(world.judged, world.run, PLAIN, [name]).rows[0]
    if row.refused:
        with pytest.raises(tr.InputError):
            tr.evaluate(world.judged, world.run, PLAIN, rules=name)
        return
    scores = tr.evaluate(world.judged, world.run, PLAIN, rules=name)
    for asked, reading, value in zip(PLAIN, row.readings, row.values, strict=True):
        became = scores.asked[asked]
        assert (reading is None) == (became in scores.ledger.foreign), asked
        if reading is not None:
            assert (str(reading), value) == (became, scores.mean[asked]), asked


SHALLOW = tuple(m(depth=2) for m in MEASURES)


@settings(max_examples=20)
@given(worlds())
def test_a_measure_of_the_first_results_is_that_measure_under_rules_with_the_depth(world: World) -> None:
    whole = tr.evaluate(world.judged, world.run, MEASURES, rules={"depth": 2})
    alone = tr.evaluate(world.judged, world.run, SHALLOW)
    for m, shallow in zip(MEASURES, SHALLOW, strict=True):
        assert bits(whole[m]) == bits(alone[shallow]), str(shallow)


def test_a_measure_of_the_first_results_prints_as_it_parses() -> None:
    for shallow in SHALLOW:
        assert parse_measure(str(shallow)) == shallow


@CHEAP
@given(worlds(st.integers(0, 3)))
def test_a_query_left_out_of_the_run_scores_as_an_empty_list(world: World) -> None:
    assume(world.run)
    query = min(world.run)
    judged = {**world.judged, "left-out": world.judged[query]}
    scores = tr.evaluate(judged, {**world.run, query: {}}, MEASURES)
    empty, missing = (scores.queries.index(each) for each in (query, "left-out"))
    for m in MEASURES:
        assert scores[m][empty] == scores[m][missing], str(m)
