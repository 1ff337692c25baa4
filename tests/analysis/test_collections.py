"""Several collections: means, missing cells, which systems are matched, and what is wrong input."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas
import pytest

import truerank as tr
from truerank.analysis.collections import read_collections
from truerank.present.collections import document_of, figure, remarks_of


def world(seed: int, n: int = 12, systems: str = "abcd") -> tuple[dict, dict]:
    """Queries with one relevant document, which systems return at some rank."""
    rng = np.random.default_rng(seed)
    qrels = {f"q{i}": {"r": 1} for i in range(n)}
    runs = {
        name: {query: [f"x{i}" for i in range(rng.geometric(0.2 + 0.2 * place) - 1)] + ["r"] for query in qrels}
        for place, name in enumerate(systems)
    }
    return qrels, runs


@pytest.fixture
def several() -> dict:
    return {name: world(seed, n) for seed, (name, n) in enumerate({"web": 30, "news": 20, "law": 12}.items())}


def test_each_collection_counts_alike(several):
    found = tr.collections(several, "RR nDCG@5")
    for measure in ("RR", "nDCG@5"):
        means = [
            {s: tr.evaluate(qrels, run, measure).mean[measure] for s, run in runs.items()}
            for qrels, runs in several.values()
        ]
        for name, interval in found[measure].overall.items():
            assert interval.estimate == pytest.approx(np.mean([of[name] for of in means]), abs=1e-12)
        table = pandas.DataFrame(means).T
        votes = table.apply(lambda column: len(column) - column.rank(ascending=False)).sum(axis=1)
        assert found[measure].borda == pytest.approx(votes.to_dict())
        ranks = votes.rank(method="min", ascending=False).astype(int)  # as MTEB's leaderboard does it
        assert found[measure].borda_ranks == ranks.to_dict()
        standing = document_of(found).tables[2 * list(found).index(measure)]
        for at, (number, name, *_, reached, groups, borda) in enumerate(standing.rows, 1):
            own = [g for g, group in enumerate(found[measure].groups, 1) if name in group]
            ends = (found[measure].ranks[name], (own[0], own[-1]))
            assert [reached, groups] == [f"{a}-{b}" if a < b else str(a) for a, b in ends]
            assert (number, borda) == (at, f"{ranks[name]} ({votes[name]:g})")


def test_scores_readings_and_runs_are_the_same(several):
    whole = tr.collections(several, "RR", samples=100).to_dict()
    scores = {n: {s: tr.evaluate(q, run, "RR") for s, run in runs.items()} for n, (q, runs) in several.items()}
    readings = {n: {s: tr.read(q, run) for s, run in runs.items()} for n, (q, runs) in several.items()}
    assert tr.collections(scores, samples=100).to_dict() == whole
    assert tr.collections(readings, "RR", samples=100).to_dict() == whole


def test_of_scores_the_measures_count_that_all_collections_have(several):
    named = {"web": "AP P@2 RR", "news": "RR P@2", "law": "P@2 RR"}

    def scored(named):
        return {
            name: {s: tr.evaluate(several[name][0], run, of) for s, run in several[name][1].items()}
            for name, of in named.items()
        }

    found = tr.collections(scored(named), samples=50)
    assert [str(one.measure) for one in found.standings] == ["P@2", "RR"]
    with pytest.raises(tr.MeasureError, match="no measure in common; there is web: AP; news: RR"):
        tr.collections(scored({"web": "AP", "news": "RR"}), samples=50)


def test_a_missing_cell_is_named_and_never_averaged(several):
    del several["law"][1]["d"]
    found = tr.collections(several, "RR")
    assert found.missing == {"d": ("law",)}
    assert set(found["RR"].overall) == set(found["RR"].ranks) == set(found["RR"].borda) == {"a", "b", "c"}
    assert remarks_of(found)[0].startswith("Warning: d has no run on law: it has no mean")
    assert found["RR"].partial == {}
    asked = tr.collections(several, "RR", partial=True)
    place = found.systems.index("d")
    assert asked["RR"].partial == {"d": found["RR"].means[place, :2].mean()}
    assert "d *" in str(asked)
    assert "d" not in asked["RR"].ranks


def test_what_is_assumed_of_collections_is_printed(several):
    fixed, random = (tr.collections(several, "RR", drawn=drawn) for drawn in ("fixed", "random"))
    assert "Collections are fixed: all this is about these 3 alone" in str(fixed)
    assert "Collections are drawn: all this is about those that these 3 are a sample of" in str(random)
    assert "3 collections are few to stand for all others" in str(random)
    nine, ten = ({f"c{n}": several["law"] for n in range(size)} for size in (9, 10))
    assert "9 collections are few to stand" in str(tr.collections(nine, "RR", drawn="random"))
    assert "are few to stand" not in str(tr.collections(ten, "RR", drawn="random"))
    assert "one collection;" not in str(fixed)
    assert "10,000 resamples of the queries of each collection, seed 0" in str(fixed)
    assert "resamples" not in str(random)
    assert "no ranks to tell" not in str(fixed)
    narrow, wide = (next(iter(found["RR"].overall.values())) for found in (fixed, random))
    assert wide.high - wide.low > narrow.high - narrow.low


def test_less_is_better_ranks_the_other_way_round(several):
    assert tr.parse_measure("MeanRank@10").definition.lower_is_better
    up, down = (tr.collections(several, name)[name] for name in ("RR", "MeanRank@10"))
    assert up.ranked[0] == down.ranked[0] == "d"
    assert down.ranks["d"][0] == 1
    _, cells = document_of(tr.collections(several, "MeanRank@10", samples=50)).tables
    least = [min(row[column] for row in cells.rows) for column in (1, 2, 3)]
    assert {(row, column) for row, column in cells.best} == {
        (at, column)
        for at, row in enumerate(cells.rows)
        for column in (1, 2, 3)
        if row[column] == least[column - 1]
    }


def test_queries_that_some_system_lacks_are_left_out_and_counted(several):
    qrels, runs = several["law"]
    some = {query: judged for query, judged in qrels.items() if query != "q3"}
    scores = {name: tr.evaluate(some if name == "a" else qrels, run, "RR") for name, run in runs.items()}
    found = tr.collections({**several, "law": scores}, "RR")
    assert found.dropped == {"law": 1}
    assert found["RR"].queries == (30, 20, 11)
    assert "1 query of law is left out" in str(found)


def test_a_query_that_is_not_answered_is_told(several):
    del several["news"][1]["b"]["q0"]
    assert "b does not answer 1 query of news (missing = zero)." in str(tr.collections(several, "RR"))
    for name, systems, is_more in (("web", "abcd", False), ("law", "abc", False), ("law", "d", True)):
        for system in systems:
            del several[name][1][system]["q0"]
        text = str(tr.collections(several, "RR", samples=50))
        assert ("1 more run leaves queries unanswered." in text) == is_more
        assert ("unanswered" in text) == is_more


def test_a_collection_of_one_query_is_told_and_leaves_drawn_collections(several):
    several["tiny"] = world(9, 1)
    fixed = tr.collections(several, "RR")
    assert "One query of tiny says nothing" in str(fixed)
    assert set(fixed["RR"].ranks.values()) == {(1, 4)}
    assert tr.collections(several, "RR", drawn="random")["RR"].overall["d"].method == "t"


def test_one_collection_and_one_system_say_what_they_can(several):
    one = tr.collections({"web": several["web"]}, "RR")
    assert one["RR"].ranks["d"][0] == 1
    assert "one collection; `truerank compare` says more" in str(one)
    alone = tr.collections({name: (qrels, {"a": runs["a"]}) for name, (qrels, runs) in several.items()}, "RR")
    assert alone["RR"].ranks == {"a": (1, 1)}
    assert "no ranks to tell" in str(alone)
    with pytest.raises(tr.InputError, match="web is one collection, which shows nothing of others"):
        tr.collections({"web": several["web"]}, "RR", drawn="random")
    with pytest.raises(tr.InputError, match=r"a\\nb is one collection") as found:
        tr.collections({"a\nb": several["web"]}, "RR", drawn="random")
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda of: {}, "collections are names with"),
        (
            lambda of: {"web": of["web"], "law": (of["law"][0], {"z": of["law"][1]["a"]})},
            "no system has a run on all 2",
        ),
        (lambda of: {"web": (None, of["web"][1])}, "qrels are needed"),
    ],
)
def test_wrong_collections_are_told(several, change, words):
    with pytest.raises(tr.InputError, match=words):
        tr.collections(change(several), "RR")


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"drawn": "some"}, "collections are fixed or random, not 'some'"),
        ({"confidence": 1}, "confidence is at least 0.5"),
        ({"samples": 0}, "samples is a positive whole number"),
    ],
)
def test_wrong_options_are_told(several, how, words):
    with pytest.raises(tr.InputError, match=words):
        tr.collections(several, "RR", **how)


@pytest.mark.parametrize("measure", ["NumRet", "GMAP"])
def test_what_is_no_mean_over_queries_is_refused(several, measure):
    with pytest.raises(tr.MeasureError, match="is no mean over queries"):
        tr.collections(several, measure)


def test_scores_under_other_rules_are_refused(several):
    scores = {n: {s: tr.evaluate(q, run, "RR") for s, run in runs.items()} for n, (q, runs) in several.items()}
    qrels, runs = several["law"]
    scores["law"] = {s: tr.evaluate(qrels, run, "RR", rules={"level": 2}) for s, run in runs.items()}
    with pytest.raises(tr.RulesError, match="only under the same rules"):
        tr.collections(scores)


TOML = """
[collections.web]
qrels = "web/qrels.txt"
runs = ["web/*.run.gz", "more/dense.trec"]
[collections.law]
qrels = "law/qrels.txt"
runs = {bm25 = "law/first.run", dense = "law/second.run"}
"""


def test_a_file_names_collections_and_systems(tmp_path: Path):
    for name in ("web/bm25.run.gz", "web/sparse.run.gz", "more/dense.trec"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "all.toml").write_text(TOML)
    found = read_collections(tmp_path / "all.toml")
    assert {name: list(runs) for name, (_, runs) in found.items()} == {
        "web": ["bm25", "sparse", "dense"],
        "law": ["bm25", "dense"],
    }
    assert found["law"] == (
        str(tmp_path / "law/qrels.txt"),
        {"bm25": str(tmp_path / "law/first.run"), "dense": str(tmp_path / "law/second.run")},
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", r"has a table \[collections.NAME\] for each"),
        ("x = 1\n[collections.a]\nqrels='q'\nruns=['r']", "not 'x'"),
        ("[collections.a]\nruns=['r']", r"\[collections.a\] needs qrels"),
        ("[collections.a]\nqrels='q'\nruns=[]", r"\[collections.a\] needs qrels"),
        ("[collections.a]\nqrels='q'\nruns=[1]", "the runs of a are paths"),
        ("[collections.a]\nqrels='q'\nruns=['r']\nrun=1", "has no 'run'. Did you mean runs?"),
        ("[collections.a]\nqrels='q'\nruns=['x/r.run', 'y/r.run.gz']", "a has two runs of a system r, "),
        ("[collections.a]\nqrels='q'\nruns=['no*.run']", "no file is like "),
        ("[collections.a]\nqrels='q'\nruns=['r']\n[collections.a]\n", "this is no TOML"),
    ],
)
def test_a_wrong_file_is_told(tmp_path: Path, text: str, words: str):
    (tmp_path / "all.toml").write_text(text)
    with pytest.raises(tr.InputError, match=words):
        read_collections(tmp_path / "all.toml")


def test_what_is_too_wide_comes_as_bars():
    several = {f"c{n}": world(n, 8) for n in range(30)}
    del several["c3"][1]["a"]
    text = document_of(tr.collections(several, "RR", samples=99), width=80).render("table")
    row = next(line for line in text.splitlines() if line.startswith("a  "))
    assert row.split()[1][3] == "·"
    assert len(row.split()[1]) == 30
    for name, (qrels, runs) in several.items():
        means = {system: tr.evaluate(qrels, run, "RR").mean["RR"] for system, run in runs.items()}
        low, high = min(means.values()), max(means.values())
        for line in text.splitlines():
            if line[:3].strip() in means and len(line.split()) == 2:
                system, bars = line.split()
                expected = "▁▂▃▄▅▆▇█"[round(7 * (means[system] - low) / (high - low))]
                assert bars[int(name[1:])] == expected


def test_bars_of_a_collection_on_which_all_systems_are_equal_are_low():
    qrels = {f"q{n}": {"a": 1} for n in range(9)}
    first, second = (dict.fromkeys(qrels, ranking) for ranking in (["a"], ["x", "a"]))
    even, odd = {"one": second, "two": second}, {"one": first, "two": second}
    several = {f"c{n:02}": (qrels, odd if n else even) for n in range(20)}
    bars = document_of(tr.collections(several, "RR", samples=99), width=60).tables[1]
    assert bars.rows == (("one", "▁" + 19 * "█"), ("two", 20 * "▁"))


def test_the_picture_has_a_cell_for_each_mean_and_none_for_a_missing_run(several):
    del several["law"][1]["d"]
    found = tr.collections(several, "RR")
    drawn = figure(found, found["RR"]).specification
    rows = drawn["data"]["values"]
    assert len(rows) == 4 * 3 - 1
    first, last = found["RR"].ranks["b"]
    assert {row["who"] for row in rows} >= {"d", f"b ({first}-{last})" if first < last else f"b ({first})"}
    assert sum(row["apart"] for row in rows if row["collection"] == "web") == pytest.approx(0)
    assert all(row["text"] == f"{row['mean']:.2f}" for row in rows)
    assert [row["text"] for row in figure(found, found["RR"], 1).specification["data"]["values"]] == [
        f"{row['mean']:.1f}" for row in rows
    ]


@pytest.mark.parametrize("measure", ["RR", "MeanRank@10"])
def test_the_colours_of_the_picture_reach_as_far_on_both_sides_and_show_what_is_better_alike(several, measure):
    found = tr.collections(several, measure, samples=50)
    rect, text = figure(found, found[measure]).specification["layer"]
    rows = figure(found, found[measure]).specification["data"]["values"]
    colour = rect["encoding"]["color"]
    widest = max(abs(row["apart"]) for row in rows)
    best = max(rows, key=lambda row: row["apart"] * (1 if measure == "RR" else -1))
    worst_end, best_end = colour["scale"]["domain"]
    assert {worst_end, best_end} == {-widest, widest}
    assert best["apart"] * best_end > 0
    least = float(text["encoding"]["color"]["condition"]["test"].split(" > ")[1])
    assert least == pytest.approx(0.6 * widest)


def test_the_picture_of_equal_systems_has_colours_and_one_of_many_cells_has_no_numbers():
    qrels = {f"q{n}": {"a": 1} for n in range(6)}
    run = {query: ["a"] for query in qrels}
    for collections, systems, layers in ((2, 2, 2), (16, 25, 2), (17, 2, 1), (16, 26, 1)):
        several = {f"c{n}": (qrels, {f"s{m}": run for m in range(systems)}) for n in range(collections)}
        found = tr.collections(several, "RR", samples=2)
        layer = figure(found, found["RR"]).specification["layer"]
        assert len(layer) == layers
        assert layer[0]["encoding"]["color"]["scale"]["domain"] == [-1, 1]


def test_the_shares_of_variance_are_those_of_their_sum(several):
    found = tr.collections(several, "RR", samples=50)
    parts = found["RR"].sample.variances
    every = (parts.collections, parts.queries, parts.systems, parts.rest)
    shares = [f"{round(100 * part / sum(every))} %" for part in every]
    assert "by a mixed model: collections {}, queries {}, system × collection {}, rest {}.".format(*shares) in str(
        found
    )


def test_a_mean_over_some_collections_stands_below_the_others_and_has_a_note(several):
    del several["law"][1]["d"]
    found = tr.collections(several, "RR", samples=50, partial=True)
    standing, cells = document_of(found).tables
    means = [tr.evaluate(several[name][0], several[name][1]["d"], "RR").mean["RR"] for name in ("web", "news")]
    assert standing.rows[-1] == (None, "d *", pytest.approx(np.mean(means)), "", "", "", "")
    assert any(note.startswith("* The mean over those collections") for note in cells.notes)
    of_some = found.to_pandas().query("system == 'd' and collection.isna()")
    assert of_some["mean"].tolist() == pytest.approx([np.mean(means)])
    assert of_some[["low", "high", "rank_first", "borda"]].isna().all(axis=None)
    assert "* The mean" not in str(tr.collections(several, "RR", samples=50))


def test_frames_have_a_row_a_cell_and_one_over_all(several):
    frame = tr.collections(several, "RR").to_pandas()
    assert len(frame) == 4 * 3 + 4
    over = frame[frame.collection.isna()]
    assert over.system.tolist() == ["d", "c", "b", "a"]
    assert over.borda.sum() == 3 * 6


def test_systems_that_lack_the_same_collections_are_named_together(several):
    for name in "bcd":
        del several["law"][1][name]
    del several["web"][1]["d"]
    assert remarks_of(tr.collections(several, "RR", samples=100))[:2] == [
        "Warning: b and c have no run on law: they have no mean over all collections and no rank.",
        "Warning: d has no run on web and law: it has no mean over all collections and no rank.",
    ]


def test_very_many_gaps_are_counted(several):
    several |= {f"c{n}": several["web"] for n in range(10)}
    for n in range(10):
        qrels, runs = several[f"c{n}"]
        several[f"c{n}"] = (qrels, {**runs, f"only-{n}": runs["a"]})
    found = remarks_of(tr.collections(several, "RR", samples=100))
    assert found[8] == "Warning: 2 more systems lack some collections, and have no rank."


def test_so_few_resamples_are_warned_of_that_have_none_in_a_tail(several):
    words = "resamples are too few for intervals of 95 %; take 39 or more"
    assert words in str(tr.collections(several, "RR", samples=38))
    assert words not in str(tr.collections(several, "RR", samples=39))
    assert words not in str(tr.collections(several, "RR", samples=5, drawn="random"))
    assert words in str(tr.compare(*several["web"], "RR", samples=38))


@pytest.mark.parametrize("wrong", [3, None, (1,), ()])
def test_what_is_no_collection_is_named(several, wrong):
    with pytest.raises(tr.InputError, match="odd is no collection"):
        tr.collections({**several, "odd": wrong}, "RR")


def test_what_a_system_without_a_rank_is_better_than_is_refused(several):
    web, runs = several["web"]
    found = tr.collections({**several, "web": (web, {**runs, "extra": next(iter(runs.values()))})}, "RR")["RR"]
    with pytest.raises(tr.InputError, match="'extra' has no rank; ranked are"):
        found.better("extra")


def test_intervals_of_fixed_collections_say_what_few_queries_cannot_and_stay_within_the_measure():
    qrels = {f"q{n}": {"a": 1} for n in range(9)}
    best, rare = ({query: [doc] if query != "q0" else ["a"] for query in qrels} for doc in "ax")
    found = tr.collections({name: (qrels, {"best": best, "rare": rare}) for name in ("web", "news")}, "Success@1")
    interval = found["Success@1"].overall["rare"]
    assert (interval.low, interval.differing) == (0.0, 2)
    assert found["Success@1"].overall["best"].method == "constant"
    remarks = document_of(found).remarks
    assert "Warning: 18 queries are too few to rely on; take at least 30, better 50." in remarks
    said = "Success@1 of best: all values are equal, so that the interval has no width"
    assert any(each.startswith(said) for each in remarks)
    assert (
        "Warning: Success@1 of rare: only 2 queries differ from all the others; the interval may be too short."
        in remarks
    )


def test_the_best_of_a_collection_is_stressed_where_some_is_worse():
    qrels = {f"q{n}": {"a": 1} for n in range(6)}
    first, second = (dict.fromkeys(qrels, ranking) for ranking in (["a"], ["x", "a"]))
    easy, hard = {"old": first, "new": first}, {"old": second, "new": first, "twin": first}
    _, cells = document_of(tr.collections({"easy": (qrels, easy), "hard": (qrels, hard)}, "RR")).tables
    stressed = {(cells.rows[row][0], cells.columns[column]) for row, column in cells.best}
    assert stressed == {("new", "hard"), ("twin", "hard")}
