"""Estimates from a sample of each stratum of the pool, as TREC's sample_eval.pl makes them."""

from __future__ import annotations

import random

import pytest

import truerank as tr
from truerank.present.definitions import NEEDS

POOL = """\
# topic, 0, document, stratum, grade
1 0 a 1 1
1 0 b 1 0
1 0 c 1 2
1 0 d 2 -1
1 0 e 2 1
1 0 f 2 0
1 0 g 2 -1
1 0 h 3 -1

1 0 i 3 3
1 0 j 3 -1
2 0 a 1 0
2 0 b 2 -1
2 0 c 2 0
3 0 a 1 1
"""

RUN = {"1": {"b": 9, "e": 8, "d": 7, "x": 6, "a": 5, "h": 4, "i": 4, "f": 2}, "2": {"a": 2, "b": 1}}

PRINTED = {  # by sample_eval.pl, with more digits
    "infAP": [0.514283071502498, 0],
    "infNDCG": [0.416598725859818, 0],
    "iP@5": [0.599991000254993, 0.0666686666066685],
    "iP@10": [0.449994750138746, 0.0333343333033342],
}


@pytest.fixture(params=["strata", "csv"])
def pool(request, tmp_path):
    path = tmp_path / f"pool.{request.param}"
    lines = POOL.splitlines()
    if request.param == "csv":
        rows = [line.split() for line in lines if line and not line.startswith("#")]
        lines = ["query_id,doc_id,stratum,relevance", *(",".join((q, d, s, g)) for q, _, d, s, g in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_values_are_those_of_sample_eval(pool):
    scores = tr.evaluate(pool, RUN, list(PRINTED), rules="sample_eval", as_written=True)
    assert list(scores.queries) == ["1", "2"]
    names = list(tr.evaluate(pool, RUN, rules="sample_eval").mean)
    assert names[:3] == ["xinfAP@1000", "infNDCG@1000", "infP@5"]
    for name, values in PRINTED.items():
        assert scores[name] == pytest.approx(values, abs=1e-12), name


def test_other_measures_take_what_was_not_drawn_for_unjudged(pool):
    assert tr.read_qrels(pool).to_dict()["2"] == {"a": 0, "b": -1, "c": 0}
    assert tr.evaluate(pool, {"2": ["b", "a"]}, "Judged", rules={"missing": "skip"}).mean == {"Judged": 0.5}


def test_one_stratum_is_one_too(tmp_path):
    (tmp_path / "pool").write_text("q 0 a all 1\nq 0 b all -1\n")
    assert tr.evaluate(tmp_path / "pool", {"q": ["a"]}, "xinfAP").mean == {"xinfAP": 1.0}


@pytest.mark.parametrize("line", ["q 0 c 1", "q 0 c 1 1 x", "q 0 c 1 one"])
def test_a_damaged_line_is_named(line, tmp_path):
    (tmp_path / "pool").write_text("".join(f"q 0 {n} 1 1\n" for n in range(9)) + line + "\n")
    with pytest.raises(tr.InputError, match=r"pool:10: "):
        tr.read_qrels(tmp_path / "pool")


def test_judgements_without_strata_are_told_how_strata_are_given():
    with pytest.raises(tr.MeasureError, match=r"xinfAP is of judgements of samples, .* or a column named stratum"):
        tr.evaluate({"1": {"a": 1}}, RUN, "xinfAP")
    assert "a column named stratum" in NEEDS[tr.measures()["infNDCG"].needs].text


def test_where_all_was_judged_nothing_is_estimated():
    rng = random.Random(5)
    grades = {f"d{n}": rng.choice([0, 0, 1, 2]) for n in range(60)}
    pool = {"q": {doc: {str(rng.randrange(3)): grade} for doc, grade in grades.items()}}
    run = {"q": rng.sample(sorted(grades), 40)}
    estimated = tr.evaluate(pool, run, "infNDCG infP@20 xinfAP").mean
    known = tr.evaluate({"q": grades}, run, "nDCG P@20 AP").mean
    assert estimated["infNDCG"] == pytest.approx(known["nDCG"], abs=1e-12)
    assert [estimated["infP@20"], estimated["xinfAP"]] == pytest.approx([known["P@20"], known["AP"]], abs=1e-4)


def test_estimates_from_samples_are_right_in_the_mean():
    rng = random.Random(6)
    docs = [f"d{n}" for n in range(300)]
    grades = {doc: int(rng.random() < (0.5 if n < 60 else 0.1)) for n, doc in enumerate(docs)}
    run = {f"q{n}": docs for n in range(400)}

    def sampled():
        top = {doc: {"top": grades[doc] if rng.random() < 0.9 else -1} for doc in docs[:60]}
        return top | {doc: {"rest": grades[doc] if rng.random() < 0.3 else -1} for doc in docs[60:]}

    estimated = tr.evaluate({query: sampled() for query in run}, run, "xinfAP infNDCG infP@100").mean
    known = tr.evaluate({"q": grades}, {"q": docs}, "AP nDCG P@100").mean
    assert list(estimated.values()) == pytest.approx(list(known.values()), rel=0.02)
