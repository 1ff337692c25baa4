"""What other parts say in English is said in Korean on a Korean page, all of it."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest
from babel.messages.pofile import read_po
from click.testing import CliRunner

import truerank as tr
from truerank import geo
from truerank.analysis.compare import compare
from truerank.analysis.explain import explain
from truerank.cli import truerank
from truerank.contest import judge
from truerank.core import languages
from truerank.core.languages import translated
from truerank.formats import formats
from truerank.present import audit, bench_notes, cautions
from truerank.present import geo as places

SAME = (
    "nDCG AP GMAP RR P R NumRet AUPRC Tukey HSD Holm Bonferroni Benjamini Hochberg BCa max-T id ids geodesic "
    r"haversine nearest xy geo run\w* query\w* d\d* k p t m ms s n q\d* log\d* min alpha km UTM SDM MA exp NumPy"
)
NAMES = re.compile(rf"`[^`]+`|--[\w=. ]+|(?<![A-Za-z])(?:{SAME.replace(' ', '|')})(?![A-Za-z])")
"""What is called the same in both languages."""


def left(text: str) -> list[str]:
    """The English words that are still there."""
    return re.findall(r"[A-Za-z]{3,}", NAMES.sub("", text))


def korean(text: str) -> str:
    return translated(text, "ko")


def runs(queries: int, systems: int, seed: int = 0) -> tuple[dict[str, Any], dict[str, Any]]:
    rng = random.Random(seed)
    qrels = {f"q{n}": {f"d{i}": rng.randint(0, 2) for i in range(9)} for n in range(queries)}
    found = {
        f"run{s}": {query: rng.sample([f"d{i}" for i in range(12)], 8) for query in qrels} for s in range(systems)
    }
    return qrels, found


@pytest.mark.parametrize("test", ["randomization", "t", "wilcoxon", "sign", "tukey"])
@pytest.mark.parametrize("systems", [1, 2, 3])
@pytest.mark.parametrize("queries", [1, 3, 12, 35])
def test_how_a_comparison_was_made_is_told_in_korean(queries, systems, test):
    qrels, found = runs(queries, systems)
    made = compare(qrels, found, "nDCG@10 P@1 NumRet GMAP", test=test, samples=1_000)
    for text in (*cautions.made(made), *cautions.remarks(made)):
        assert left(korean(text)) == [], text


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "bh", "none", "max-t"])
def test_each_correction_is_named_in_korean(correction):
    qrels, found = runs(30, 3)
    made = compare(qrels, found, "AP", correction=correction, samples=1_000)
    assert [left(korean(text)) for text in cautions.made(made)] == [[]] * 3


def test_what_speaks_against_a_benchmark_is_told_in_korean():
    asked = {f"q{n}": f"text {n}" for n in range(8)}

    def answer(text: str) -> list[str]:
        number = int(text.rpartition(" ")[2])
        if number == 3:
            raise ValueError("no")
        return [["d1", "d2"], [], ["d1"] * 2][number % 3]

    made = tr.bench(answer, asked, {"q0": {"d1": 1}, "x": {"d1": 1}}, measures="RR", k=1, concurrency=2)
    told = [*bench_notes.warnings(made), *bench_notes.needed([made])]
    told += [bench_notes.loop(made), bench_notes.asked(made)]
    plain = tr.bench(answer, asked, {"q0": {"d1": 1}}, measures="RR", plain=True)
    told += [bench_notes.loop(plain), *bench_notes.made([plain])]
    told += bench_notes.made([tr.bench(answer, asked, plain=True, warmup=1)])
    assert len(told) > 5
    for text in told:
        if " × " not in text:
            assert left(korean(text)) == [], text


def test_what_is_odd_about_places_is_told_in_korean():
    queries = [{"id": f"q{n}", "lat": 1.0 + n / 1e4, "lon": 1.0} for n in range(4)]
    there = [{"id": f"d{n}", "lat": 1.0 + n / 1e4, "lon": 1.0} for n in range(3)]
    there.append({"id": "d9", "lat": 0, "lon": 0})
    found = geo.evaluate(queries, there, {"q1": ["d1", "d8"], "q3": ["d1"]}, truth="within(metres=5)")
    told = places.remarks(found)
    assert len("\n".join(told).split("\n")) >= 9
    for text in told:
        said = re.sub(r"within\([^)]*\)|queries|references|(?:Success|nDCG|R|AP|RR)@?\d*", "", korean(text))
        assert left(said) == [], text


def test_what_a_contest_s_judge_finds_is_told_in_korean():
    sent = [
        {"eval_id": 1, "topk": ["a", "a", "b", "c"]},
        {"eval_id": 2, "topk": "ab"},
        {"eval_id": 3, "topk": ["a"]},
        {"eval_id": 3, "topk": ["a"]},
        {"eval_id": 9, "topk": ["a"]},
    ]
    rules = tr.Rules.named("science-qa").replace(extra="skip")
    scores = judge({1: ["a"], 2: ["b"], 3: ["a"], 4: ["a"]}, sent, rules=rules)
    assert len(scores.audit.findings) == 6
    for text in map(korean, audit.sentences(scores)):
        assert left(text.replace("divisor='hits'", "")) == [], text


@pytest.mark.parametrize("name", sorted(tr.measures()))
def test_each_measure_is_worked_out_in_korean(name):
    qrels = {"q": {"a": 2, "b": 1, "c": 0, "d": 1, "e": -1}}
    needs = {"IPrec": "IPrec(recall=0.5)", "Unjudged": "Unjudged@3", "Success": "Success@2"}
    table = {doc: {"popularity": 1, "group": doc, "vector": [n, 1]} for n, doc in enumerate("abx")}
    needs |= {each: f"{each}@2" for each in ("F", "FirstRank", "MeanRank", "ARP", "FallOut", "MCC", "Hits")}
    for run in (["x", "a", "c", "b"], ["x", "c"], [], ["a", "b", "d"]):
        try:
            worked = explain(qrels, {"q": run}, "q", needs.get(name, name), items=table).worked
        except tr.MeasureError:
            pytest.skip("it needs a parameter")
        for line in worked.lines:
            how = korean(line.text(4))
            assert how != line.text(4) or not left(how), line


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("evla", "'evla' 명령이 없습니다. 혹시 eval입니까? (truerank --help 참조)"),
        (
            "eval q r --mesures AP",
            "옵션 '--mesures'이(가) 없습니다. 혹시 --measures입니까? (truerank eval --help 참조)",
        ),
        (
            "confusion --counts 1,2",
            "--counts는 TP,FP,FN,TN을, --documents와 함께는 TP,FP,FN을 정수로 받습니다. '1,2'은(는) 아닙니다",
        ),
        ("explain", "인자 'QRELS'이(가) 없습니다 (truerank explain --help 참조)"),
        (
            "eval q r -m ,",
            "'-m' / '--measures'의 값이 잘못되었습니다: 측도가 없습니다. 적으십시오: nDCG@10 AP "
            "(truerank eval --help 참조)",
        ),
    ],
)
def test_an_error_of_the_command_line_is_told_in_korean(call, said):
    done = CliRunner(env={"TRUERANK_LANG": "ko"}).invoke(truerank, call.split())
    assert (done.exit_code, done.stderr) == (2, f"truerank: {said}\n")


def test_each_format_and_what_it_can_do_is_told_in_korean():
    lines = CliRunner(env={"TRUERANK_LANG": "ko"}).invoke(truerank, ["formats"]).stdout.splitlines()
    assert len(lines) == 1 + len(formats())
    for line in lines:
        assert re.search(r"[가-힣]{2}.*[가-힣]{2}", line), line
        assert not re.search(r"(?<!\S)(run|read|write)(?!\S)", line), line


def test_the_catalogue_keeps_to_one_register_and_to_one_word_for_a_thing():
    with (Path(languages.__file__).parents[1] / "present/locale/ko.po").open("rb") as file:
        entries = [entry for entry in read_po(file, "ko") if entry.id]
    said = {
        str(entry.id): "".join(entry.string if isinstance(entry.string, tuple) else [entry.string])
        for entry in entries
    }
    for wrong in (
        r"세요",
        r"지표",
        r"평가자",
        r"적합",
        r"t-검정",
        r"대응 검정",
        r"주최자",
        r"문턱값",
        r"과\(와\)",
        r"\{\w+(![ras])?(:[^{} ]+)?\}(은|는|이|가|을|를|과|와|로|으로|이?라는)(?=[ .,:?]|$)",  # either may be right
        r"(?<![-\w.{`'])run[을를이은의에으도마]",
    ):
        assert not {text: korean for text, korean in said.items() if re.search(wrong, korean)}, wrong
