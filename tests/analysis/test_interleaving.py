"""Interleaving: credits equal their definitions, enumerated; p those of the sign test and of swapped clusters."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from click.testing import CliRunner
from scipy import stats as reference

import truerank as tr
from truerank import stats
from truerank.analysis.clicks.credits import METHODS, Crediting
from truerank.cli import truerank
from truerank.present.interleaving import figures
from truerank.truth.clicks import read_clicks

Record = dict[str, Any]


def credit(method: str, record: Record, **how: Any) -> list[float]:
    log = read_clicks([record])
    systems = tuple(record.get("rankings") or dict.fromkeys(record["systems"]))
    return METHODS[method](Crediting(log, systems, {}, **how), log.impressions[0]).tolist()


def worlds(seed: int, systems: int) -> Record:
    """A list that some systems could have made together, with clicks; they share some of their documents."""
    chance = random.Random(seed)
    docs = [f"d{n}" for n in range(6)]
    rankings = {f"s{n}": chance.sample(docs, chance.randint(2, 5)) for n in range(systems)}
    union = [doc for doc in docs if any(doc in own for own in rankings.values())]
    shown = chance.sample(union, min(len(union), 4))
    return {"docs": shown, "clicks": [doc for doc in shown if chance.random() < 0.5], "rankings": rankings}


def assignments(
    shown: Sequence[str], rankings: Sequence[Sequence[str]], tau: float
) -> dict[tuple[int, ...], float]:
    """How likely each assignment is, given the list: all of them, from how the list was drawn."""
    found = {}
    for teams in itertools.product(range(len(rankings)), repeat=len(shown)):
        likely, left = 1.0, [list(own) for own in rankings]
        for doc, team in zip(shown, teams, strict=True):
            chances = {d: 1 / (rankings[team].index(d) + 1) ** tau for d in left[team]}
            likely *= chances.get(doc, 0.0) / sum(chances.values()) / len(rankings) if chances else 0.0
            left = [[d for d in own if d != doc] for own in left]
        found[teams] = likely
    return {teams: likely / sum(found.values()) for teams, likely in found.items()}


@pytest.mark.parametrize("systems", [2, 3, 4])
@pytest.mark.parametrize("tau", [0.0, 1.5, 3.0])
def test_probabilistic_credit_is_expected_over_all_assignments(systems: int, tau: float) -> None:
    for seed in range(60):
        record = worlds(seed, systems)
        shown, rankings = record["docs"], list(record["rankings"].values())
        expected = np.zeros(systems)
        for teams, likely in assignments(shown, rankings, tau).items():
            for doc, team in zip(shown, teams, strict=True):
                expected[team] += likely * (doc in record["clicks"])
        assert credit("probabilistic", record, tau=tau) == pytest.approx(expected.tolist(), abs=1e-12)


def balanced_by_hand(record: Record) -> list[int]:
    """Joachims' rule: the clicks in the first k of each list, k the better rank of the lowest click."""
    clicked = [doc for doc in record["docs"] if doc in record["clicks"]]
    if not clicked:
        return [0, 0]
    ranks = [own.index(clicked[-1]) + 1 for own in record["rankings"].values() if clicked[-1] in own]
    return [len(set(own[: min(ranks)]) & set(clicked)) for own in record["rankings"].values()]


def test_balanced_credit_is_joachims_rule() -> None:
    for seed in range(300):
        record = worlds(seed, 2)
        assert credit("balanced", record) == balanced_by_hand(record)


@pytest.mark.parametrize(
    ("shown", "clicks", "sign"),
    [
        ("12", "12", 0),
        ("12", "1", 1),
        ("12", "2", -1),
        ("213", "213", 0),
        ("213", "23", -1),
        ("213", "13", 0),
        ("213", "2", -1),
        ("213", "1", 1),
        ("213", "3", -1),
    ],
)
def test_balanced_preferences_of_small_lists(shown: str, clicks: str, sign: int) -> None:
    record = {"docs": list(shown), "clicks": list(clicks), "rankings": {"a": ["1", "2"], "b": ["2", "3"]}}
    a, b = credit("balanced", record)
    assert np.sign(a - b) == sign


def team_draft(rankings: dict[str, list[str]], size: int, chance: random.Random) -> Record:
    """A list as team draft makes it of any number of systems: in each round every one, in an order by lot."""
    docs, teams = [], []
    while len(docs) < size:
        for name in chance.sample(sorted(rankings), len(rankings)):
            left = [doc for doc in rankings[name] if doc not in docs]
            if left and len(docs) < size:
                docs.append(left[0])
                teams.append(name)
    return {"docs": docs, "systems": teams}


def experiment(seed: int, impressions: int, systems: int = 2, users: int = 0) -> list[Record]:
    chance = random.Random(seed)
    docs = [f"d{n}" for n in range(10)]
    log = []
    for _ in range(impressions):
        rankings = {f"s{n}": chance.sample(docs, 10) for n in range(systems)}
        record = team_draft(rankings, 6, chance)
        record |= {
            "query": "q",
            "rankings": rankings,
            "clicks": [d for d in record["docs"] if chance.random() < 0.3],
        }
        log.append(record | ({"user": f"u{chance.randrange(users)}"} if users else {}))
    return log


@pytest.mark.parametrize("systems", [2, 3, 5])
def test_team_draft_counts_the_clicks_of_each_team_and_every_pair(systems: int) -> None:
    log = experiment(systems, 80, systems)
    found = tr.interleaving(log)
    clicked = [record for record in log if record["clicks"]]
    counts = {
        name: [
            sum(s == name and d in r["clicks"] for d, s in zip(r["docs"], r["systems"], strict=True))
            for r in clicked
        ]
        for name in found.systems
    }
    assert found.credits.tolist() == np.array(list(counts.values())).T.tolist()
    assert (found.impressions, found.without_clicks) == (80, 80 - len(clicked))
    assert len(found.pairs) == systems * (systems - 1) / 2
    for pair in found.pairs:
        signs = [np.sign(a - b) for a, b in zip(counts[pair.system], counts[pair.against], strict=True)]
        assert (pair.wins, pair.ties, pair.losses) == tuple(signs.count(sign) for sign in (1, 0, -1))
        assert pair.delta.estimate == pytest.approx((pair.wins + pair.ties / 2) / len(clicked) - 0.5, abs=1e-12)
        test = reference.binomtest(pair.wins, pair.wins + pair.losses)
        assert pair.p == pytest.approx(test.pvalue, rel=1e-9)
    holm = stats.adjust([pair.p for pair in found.pairs]).tolist()
    assert [pair.adjusted for pair in found.pairs] == holm


def test_whole_clusters_are_swapped() -> None:
    log = experiment(3, 60, users=9)
    found = tr.interleaving(log)
    assert (found.cluster, found.test, found.clusters) == ("user", "randomization", 9)
    sums: dict[str, int] = {}
    clicked = (record for record in log if record["clicks"])
    for record, (a, b) in zip(clicked, found.credits.tolist(), strict=True):
        sums[record["user"]] = sums.get(record["user"], 0) + int(np.sign(a - b))
    totals = [
        abs(sum(s * v for s, v in zip(f, sums.values(), strict=True))) for f in itertools.product((1, -1), repeat=9)
    ]
    expected = np.mean([total >= abs(sum(sums.values())) for total in totals])
    assert found.pairs[0].p == pytest.approx(expected)
    assert tr.interleaving(log, cluster="impression").test == "sign"


def test_swaps_of_many_clusters_are_drawn_and_of_very_many_replaced_by_t(monkeypatch: pytest.MonkeyPatch) -> None:
    log = experiment(3, 600, users=90)
    first, again, other = (tr.interleaving(log, samples=500, seed=seed).pairs[0].p for seed in (1, 1, 2))
    assert first == again != other
    assert (first * 501) % 1 == pytest.approx(0, abs=1e-9)  # the drawn swaps and the observed one
    monkeypatch.setattr("truerank.stats.LARGE", 50)
    found = tr.interleaving(log)
    sums: dict[str, int] = {}
    for record, (a, b) in zip((r for r in log if r["clicks"]), found.credits.tolist(), strict=True):
        sums[record["user"]] = sums.get(record["user"], 0) + int(np.sign(a - b))
    assert found.test == "t"
    assert found.pairs[0].p == pytest.approx(reference.ttest_1samp(list(sums.values()), 0).pvalue, rel=1e-9)


def test_an_interval_of_single_impressions_is_that_of_a_mean() -> None:
    found = tr.interleaving(experiment(5, 90))
    half = np.sign(found.credits[:, 0] - found.credits[:, 1]) / 2
    expected = stats.mean_interval(half, method="percentile")
    delta = found.pairs[0].delta
    assert (delta.low, delta.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


def write_rows(log: Sequence[Record], path: Path, end: str = ",") -> None:
    rows = [end.join(("impression", "query", "position", "doc_id", "team", "clicked"))]
    for n, record in enumerate(log):
        for rank, (doc, team) in enumerate(zip(record["docs"], record["systems"], strict=True), 1):
            rows.append(end.join((f"i{n}", "q", str(rank), doc, team, str(int(doc in record["clicks"])))))
    random.Random(1).shuffle(rows[1:])
    path.write_text("\n".join(rows) + "\n")


def test_a_log_is_the_same_in_every_form(tmp_path: Path) -> None:
    log = experiment(7, 40)
    lines = tmp_path / "log.jsonl"
    lines.write_text("".join(json.dumps(record) + "\n" for record in log))
    write_rows(log, tmp_path / "log.csv")
    write_rows(log, tmp_path / "log.tsv", "\t")
    pandas = pytest.importorskip("pandas")
    forms: list[Any] = [lines, tmp_path / "log.csv", tmp_path / "log.tsv", pandas.read_csv(tmp_path / "log.csv")]
    expected = tr.interleaving(log).pairs
    assert [tr.interleaving(form).pairs for form in forms] == [expected] * 4


def test_a_log_with_a_list_an_impression_may_be_a_table(tmp_path: Path) -> None:
    log = [
        {"query": 1, "docs": [7, 5, 8], "clicks": [5, 8], "systems": ["a", "b", "a"], "user": n} for n in range(9)
    ]
    frame = pandas.DataFrame(log)
    frame.to_parquet(tmp_path / "log")
    frame.to_feather(tmp_path / "feather")
    records = pandas.read_parquet(tmp_path / "log").to_dict("records")
    forms: list[Any] = [frame, tmp_path / "log", tmp_path / "feather", records]
    expected = tr.interleaving(log)
    assert expected.credits.tolist() == [[1.0, 1.0]] * 9
    for form in forms:
        found = tr.interleaving(form)
        assert (found.pairs, found.credits.tolist()) == (expected.pairs, expected.credits.tolist())


def test_rankings_in_a_table_are_those_of_each_impression(tmp_path: Path) -> None:
    old, new = {"old": ["a", "b"], "new": ["b", "a"]}, {"old": ["b", "a"], "new": ["b"]}
    log = [{"query": "q", "docs": ["a", "b"], "clicks": ["b"], "rankings": each} for each in (old, new)]
    pandas.DataFrame(log).to_parquet(tmp_path / "log")
    for form in (pandas.DataFrame(log), tmp_path / "log"):
        found = tr.interleaving(form, "balanced")  # the order of the systems is that of Arrow's structs
        credits = dict(zip(found.systems, found.credits.T.tolist(), strict=True))
        assert credits == {"old": [0.0, 1.0], "new": [1.0, 1.0]}
    lacking = pandas.DataFrame([log[0], {**log[1], "rankings": {"old": ["b", "a"]}}])
    with pytest.raises(tr.InputError, match="there is no list of new for the query q"):
        tr.interleaving(lacking, "balanced")


def test_arrays_of_several_dimensions_are_no_lists_of_ids() -> None:
    log = [{"query": "q", "docs": np.array([[1, 2]]), "systems": ["x", "y"], "clicks": np.array([1])}]
    with pytest.raises(tr.InputError, match="docs and clicks are lists of ids"):
        tr.interleaving(log)


@pytest.mark.parametrize("none", [float("nan"), pandas.NA, None])
def test_a_user_that_is_missing_in_a_record_is_no_user(none: Any) -> None:
    log = [{"query": "q", "docs": ["a", "b"], "systems": ["x", "y"], "clicks": ["b"], "user": none}] * 4
    assert tr.interleaving(log).cluster == "impression"
    with pytest.raises(tr.InputError, match="docs and clicks are lists of ids"):
        tr.interleaving([{**log[0], "docs": ["a", none]}])


def test_a_row_without_a_click_is_not_clicked() -> None:
    log = pandas.DataFrame(ROWS)
    expected = tr.interleaving(log).credits.tolist()
    assert tr.interleaving(log.assign(click=log.click.where(log.click == 1))).credits.tolist() == expected


def test_lists_may_come_from_runs_in_the_order_of_their_scores() -> None:
    log = [{**worlds(seed, 2), "query": f"q{seed}"} for seed in range(30)]
    runs: dict[str, Any] = {"s0": {}, "s1": {}}
    for record in log:
        for name, own in record["rankings"].items():
            runs[name][record["query"]] = {doc: -float(rank) for rank, doc in enumerate(own)}
    bare = [{key: value for key, value in record.items() if key != "rankings"} for record in log]
    for method in ("balanced", "probabilistic"):
        given = tr.interleaving(bare, method, runs=runs)
        assert given.credits.tolist() == tr.interleaving(log, method).credits.tolist()


def test_lists_of_runs_are_as_deep_as_the_rules_say_and_have_a_document_once() -> None:
    runs = {"old": {"q": ["a", "b", "c", "d"]}, "new": {"q": ["c", "a", "b", "e"]}}
    log = [{"query": "q", "docs": ["c", "a"], "clicks": ["a"]}]
    short = {name: {"q": each["q"][:2]} for name, each in runs.items()}
    given = tr.interleaving(log, "probabilistic", runs=short).credits.tolist()
    assert tr.interleaving(log, "probabilistic", runs=runs, rules={"depth": 2}).credits.tolist() == given
    assert tr.interleaving(log, "probabilistic", runs=runs).credits.tolist() != given
    twice = {"old": {"q": ["a", "a", "b"]}, "new": {"q": ["c", "a"]}}
    assert tr.interleaving(log, "probabilistic", runs=twice, rules={"duplicates": "once"}).credits.tolist() == given


GOOD: Record = {"query": "q", "docs": ["a", "b"], "systems": ["x", "y"], "clicks": ["a"]}


@pytest.mark.parametrize(
    ("records", "how", "said"),
    [
        ([], [], "log.jsonl: the file is empty"),
        (
            [GOOD, {**GOOD, "clicks": ["z"]}],
            [],
            "log.jsonl:2: a click on z, which was not shown; the impression showed a, b",
        ),
        (
            [GOOD, {**GOOD, "systems": ["x", None]}],
            [],
            "log.jsonl:2: b was shown, but no system says that it is its own",
        ),
        (
            [GOOD, {**GOOD, "systems": ["x", ""]}],
            [],
            "log.jsonl:2: b was shown, but no system says that it is its own",
        ),
        ([GOOD, {**GOOD, "systems": ["x"]}], [], "log.jsonl:2: systems has the system of each of the 2 docs"),
        (
            [{**GOOD, "systems": ["x", "x"]}],
            [],
            "team-draft interleaving is of two or more systems; these are 1: x",
        ),
        ([{**GOOD, "clicks": []}], [], "nothing was clicked"),
        ([{**GOOD, "docs": ["a", "a"]}], [], "log.jsonl:1: one impression has the document a twice"),
        (
            [{**GOOD, "impression": 5}, {**GOOD, "impression": 5}],
            [],
            "log.jsonl:2: the impression 5 is there twice",
        ),
        ([GOOD], ["--method", "balanced"], "balanced interleaving needs each system's own list"),
        (
            [{**GOOD, "rankings": {"x": ["a"], "y": ["c"]}}],
            ["--method", "probabilistic"],
            "log.jsonl:1: b was shown, but is in the list of no system",
        ),
        (
            [{**GOOD, "rankings": {"x": ["a"], "y": ["b"], "z": []}}],
            ["--method", "balanced"],
            "balanced interleaving is of two systems; these are 3: x, y, z",
        ),
        (
            [{**GOOD, "rankings": {"x": ["a", "b"], "y": ["b"]}}, {**GOOD, "rankings": {"x": ["a", "b"]}}],
            ["--method", "balanced"],
            "log.jsonl:2: there is no list of y for the query q",
        ),
        ([GOOD], ["--cluster", "user"], "log.jsonl:1: the impression has no user"),
        ([GOOD], ["--run", "x"], "--run takes NAME=RUN"),
        ([{**GOOD, "docs": "a"}], [], "log.jsonl:1: docs and clicks are lists of ids"),
        ([{**GOOD, "clicks": "a"}], [], "log.jsonl:1: docs and clicks are lists of ids"),
        ([{**GOOD, "docs": [["a", "b"]]}], [], "log.jsonl:1: docs and clicks are lists of ids"),
        ([{**GOOD, "rankings": ["a"]}], [], "log.jsonl:1: rankings has the list of each system"),
    ],
)
def test_a_log_that_says_nothing_is_refused_with_its_line(
    records: list[Record], how: list[str], said: str, tmp_path: Path
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    done = CliRunner().invoke(truerank, ["interleaving", str(path), *how])
    assert done.exit_code == 2
    assert said in done.stderr


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (("--tau", "2"), "--tau is for --method probabilistic"),
        (("--method", "balanced", "--tau", "3"), "--tau is for --method probabilistic"),
        (("--run", "a=a.run"), "--run is for --method balanced or probabilistic"),
        (("--rules", "trec_eval-9"), "--rules needs --run"),
        (("--method", "balanced", "--set", "depth=3"), "--set needs --run"),
    ],
)
def test_options_of_which_nothing_comes_are_refused(how: tuple[str, ...], said: str) -> None:
    done = CliRunner().invoke(truerank, ["interleaving", "examples/clicks/log.jsonl", *how])
    assert done.exit_code == 2
    assert said in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("impression,doc,click\n1,a,2x\n", ":2: click is 0 or 1, or how often, not '2x'"),
        ("impression,doc,click\n1,a,1_0\n", ":2: click is 0 or 1, or how often, not '1_0'"),
        ("impression,doc,rank,click\n1,a,1_0,1\n", ":2: the rank of a is '1_0', not a whole number from 1 on"),
        ("impression,doc,rank,click\n1,a,0,1\n", ":2: the rank of a is '0', not a whole number from 1 on"),
        ("impression,doc,rank,click\n1,a,1e400,1\n", ":2: the rank of a is '1e400', not a whole number"),
        ("impression,doc,rank,click\n1,a,1,1\n1,b,,1\n", ":3: the rank of b is None"),
        ("impression,doc,rank,click\n1,a,1,1\n1,b,1,0\n", ":2: one impression has the rank 1 twice"),
        ("impression,query,doc,click\n1,q,a,1\n1,r,b,0\n", ":3: the impression 1 has two queries"),
        ("impression,doc,click\n1,,1\n", ":2: a row has no impression, or no document"),
        ("impression,doc,click\n", "there are no impressions in it"),
        ("impression,doc\n1,a\n", "no column holds the clicks; name it click"),
        ("impression,doc,click\n1,a,1\n", "the log does not say which system each document is of; name it system"),
    ],
)
def test_a_table_of_clicks_is_refused_with_its_line(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text(text)
    done = CliRunner().invoke(truerank, ["interleaving", str(tmp_path / "log.csv")])
    assert (done.exit_code, said in done.stderr) == (2, True), done.stderr


def test_an_experiment_shows_itself(tmp_path: Path) -> None:
    found = tr.interleaving(experiment(2, 30, 3), correction="bh")
    assert repr(found).startswith("Interleaving('clicks', team-draft, 30 impressions; s")
    assert repr(found).splitlines()[0].endswith(", and 2 more pairs)")
    text = str(found)
    assert "team-draft multileaving; p: sign test, corrected for 3 pairs (bh)." in text
    alone = str(tr.interleaving(experiment(2, 30, 3), correction="none"))
    assert "team-draft multileaving; p: sign test, not corrected." in alone
    assert "impressions with clicks are too few to rely on" in text
    assert json.loads(json.dumps(found.to_dict()))["pairs"][0]["system"] == found.pairs[0].system
    assert [*found.to_pandas()["wins"]] == [pair.wins for pair in found.pairs]
    assert "s0" in found.to_html()
    with pytest.raises(tr.InputError, match="method is team-draft or balanced or probabilistic, not 'team'"):
        tr.interleaving([GOOD], "team")
    with pytest.raises(tr.InputError, match="a cluster is user or query or impression"):
        tr.interleaving([GOOD], cluster="day")
    with pytest.raises(tr.InputError, match="a log of clicks is a path"):
        tr.interleaving(5)


@pytest.mark.parametrize("tau", [1e3, 1e6, 1e308])
def test_probabilistic_credit_of_the_steepest_draws_is_that_of_the_better_rank(tau: float) -> None:
    rankings = {"x": ["a", "b", "c"], "y": ["c", "b", "a"]}
    even = {"docs": ["b", "a"], "clicks": ["b"], "rankings": rankings}
    own = {"docs": ["a", "b"], "clicks": ["a"], "rankings": rankings}
    assert credit("probabilistic", even, tau=tau) == [0.5, 0.5]
    assert credit("probabilistic", own, tau=tau) == [1, 0]


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"confidence": "x"}, "confidence is at least 0.5"),
        ({"samples": 1.5}, "samples is a positive whole number"),
        ({"seed": "x"}, "samples is a positive whole number"),
        ({"tau": float("inf")}, "tau is a number from 0 on"),
        ({"correction": "max-t"}, "there is no correction 'max-t'"),
    ],
)
def test_what_is_asked_wrongly_is_said(how: Record, says: str) -> None:
    with pytest.raises(tr.InputError, match=says):
        tr.interleaving([GOOD], **how)


def test_a_ranking_with_a_document_twice_is_refused() -> None:
    record = {"docs": ["a", "b"], "clicks": ["a"], "rankings": {"x": ["a", "a"], "y": ["b"]}}
    with pytest.raises(tr.InputError, match="the ranking of x has the document a twice"):
        tr.interleaving([record], "probabilistic")


def test_impressions_without_a_user_among_others_ask_for_a_choice() -> None:
    log = [{**GOOD, "user": "u"}, GOOD]
    with pytest.raises(tr.InputError, match="has no user, and others have one"):
        tr.interleaving(log)
    assert tr.interleaving(log, cluster="impression").clusters == 2


ROWS: list[Record] = [
    {"impression": n, "query": "q", "doc": doc, "click": int(doc == "a"), "system": system}
    for n in range(3)
    for doc, system in (("a", "x"), ("b", "y"))
]


@pytest.mark.parametrize("turn", [1, -1])
def test_a_user_of_some_impressions_only_is_seen_wherever_the_row_stands(turn: int) -> None:
    rows = [*ROWS[:4], *({**row, "user": "u"} for row in ROWS[4:])]
    with pytest.raises(tr.InputError, match="has no user, and others have one"):
        tr.interleaving(rows[::turn])


def test_ranks_that_later_rows_alone_have_are_asked_of_all() -> None:
    with pytest.raises(tr.InputError, match="the rank of a is None"):
        tr.interleaving([*ROWS[:4], *({**row, "rank": n} for n, row in enumerate(ROWS[4:], 1))])


def test_users_that_are_nan_are_not_known() -> None:
    found = tr.interleaving(pandas.DataFrame(ROWS).assign(user=np.nan))
    assert (found.cluster, found.credits.tolist()) == ("impression", [[1.0, 0.0]] * 3)


@pytest.mark.parametrize("columns", [{"docs": [["a"]], "clicks": []}, {"docs": 5}])
def test_columns_that_are_not_equally_long_are_refused(columns: Record) -> None:
    with pytest.raises(tr.InputError, match="lists that are equally long"):
        tr.interleaving(columns)


def test_an_interval_that_is_not_known_is_called_unknown() -> None:
    found = str(tr.interleaving([GOOD]))
    assert "unknown" in found
    assert "1 impression; intervals draw impressions again, of which there are 1." in found


def test_the_picture_has_a_line_for_each_pair_whose_interval_is_known(tmp_path: Path) -> None:
    log = [{"docs": ["a", "b", "c"], "systems": ["x", "y", "z"], "clicks": [doc]} for doc in "aababcaabc"]
    found = tr.interleaving(log)
    rows = figures(found)[0].specification["data"]["values"]
    assert [(row["who"], row["delta"], row["low"], row["high"]) for row in rows] == [
        (f"{pair.system} – {pair.against}", pair.delta.estimate, pair.delta.low, pair.delta.high)
        for pair in found.pairs
    ]
    assert figures(tr.interleaving(log[:1])) == []
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps(log[0]))
    done = CliRunner().invoke(truerank, ["interleaving", str(path), "--plot", str(tmp_path / "p.svg")])
    assert (done.exit_code, "too few impressions for an interval to draw" in done.stderr) == (2, True)


def test_runs_without_the_names_of_their_systems_are_refused() -> None:
    log: list[Record] = [{"query": "q", "docs": ["a", "b"], "clicks": ["a"]}]
    with pytest.raises(tr.InputError, match=r"runs are \{system: run\}, not"):
        tr.interleaving(log, "balanced", runs=[{"q": ["a", "b"]}, {"q": ["b", "a"]}])  # type: ignore[arg-type]


def test_a_small_p_is_never_shown_as_0() -> None:
    log = [{"query": "q", "docs": ["a", "b"], "systems": ["x", "y"], "clicks": ["a"]}] * 30
    assert tr.interleaving(log).to_text().splitlines()[5].endswith("  <.0001")
