"""`truerank explain`: one query, two runs, and what the command refuses."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

import truerank as tr
from truerank.analysis.explain.tools import under_rules
from truerank.present.tools import document_of

ONE = ("explain", "qrels.txt", "first.run", "q1")
TWO = ("explain", "qrels.txt", "first.run", "second.run")


def refused(result: Any) -> str:
    assert result.exit_code == 2
    assert "Traceback" not in result.stderr
    assert result.stderr.count("\n") == 1
    return str(result.stderr)


def test_a_query_is_told_as_a_list_a_sum_and_the_steps_to_the_value(invoke):
    result = invoke(*ONE, "-m", "AP")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        "Query q1 of first.run\n"
        "\n"
        "rank  document  score  grade  judged    tied\n"
        "   1  x          3.00         unjudged\n"
        "   2  b          2.00      2  relevant  2–3\n"
        "   3  a          2.00      1  relevant  2–3\n"
        "\n"
        "AP: the sum Σ\n"
        "\n"
        "rank  document  precision at its rank    adds     sum\n"
        "   2  b         1 / 2                  0.5000  0.5000\n"
        "   3  a         2 / 3                  0.6667  1.1667\n"
        "\n"
        "step  how                                value\n"
        "Σ     the sum                           1.1667\n"
        "R     relevant documents, found or not       2\n"
        "AP    1.1667 / 2                        0.5833\n"
        "\n"
        "Rules: truerank.\n"
        "Ranks 2 to 3 have the same score; they stand by document id, descending. "
        "Their order does not matter to AP. (ties = doc-descending)\n"
        "1 unjudged document was returned and counts as not relevant. (unjudged = not-relevant)\n"
    )


def test_without_measures_it_is_the_first_mean_of_the_rules_or_ap(invoke):
    for rules, name in (("truerank", "AP"), ("trec_eval-9", "AP"), ("science-qa", "AP(divisor='hits')@3")):
        asked = ("--rules", rules, "--set", "duplicates=error", "--set", "extra=skip")
        assert json.loads(invoke(*ONE, *asked, "-f", "json").stdout)["measure"] == name


def test_several_measures_share_one_list(invoke):
    found = json.loads(invoke(*ONE, "-m", "AP nDCG@10", "-f", "json").stdout)
    assert [one["measure"] for one in found] == ["AP", "nDCG@10"]
    text = invoke(*ONE, "-m", "AP nDCG@10").stdout
    assert (text.count("Query q1"), text.count("AP: the sum"), text.count("nDCG@10: the sum")) == (1, 1, 2)
    assert text.count("Rules: truerank.") == 1
    notes = text.partition("Rules: truerank.\n")[2].splitlines()
    assert len(set(notes)) == len(notes)


def test_json_holds_what_the_library_gives(invoke):
    plain = tr.explain("qrels.txt", "first.run", "q1", "nDCG@10").to_dict()
    assert json.loads(invoke(*ONE, "-m", "nDCG@10", "-f", "json").stdout) == plain


def test_csv_has_a_row_a_document_and_the_rules_on_standard_error(invoke):
    result = invoke(*ONE, "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [(row["document"], row["rank"], row["grade"], row["kind"]) for row in rows] == [
        ("x", "1", "", "unjudged"),
        ("b", "2", "2", "relevant"),
        ("a", "3", "1", "relevant"),
    ]
    assert sum(float(row["adds"]) for row in rows) == pytest.approx(0.5833333333333333, abs=1e-15)
    assert "Ranks 2 to 3 have the same score" in result.stderr


def test_depth_says_how_many_results_are_listed(invoke):
    assert "… 1 more" not in invoke(*ONE).stdout
    Path("long.run").write_text("".join(f"q1 Q0 d{n} {n} {99 - n} t\n" for n in range(60)))
    for depth, last in (("5", "… 55 more"), ("all", "d59"), ("9" * 5000, "d59")):
        assert last in invoke("explain", "qrels.txt", "long.run", "q1", "--depth", depth).stdout
    assert "neither a positive whole number nor all" in refused(invoke(*ONE, "--depth", "0"))


def test_two_runs_are_told_as_the_queries_and_the_documents_that_moved(invoke):
    result = invoke(*TWO, "-m", "RR")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        "RR from A to B\n"
        "\n"
        "query       A       B   change\n"
        "q2     1.0000  0.0000  -1.0000\n"
        "q1     0.5000  1.0000   0.5000\n"
        "\n"
        "The documents that moved them\n"
        "\n"
        "query  document  grade  rank in A  rank in B   change\n"
        "q2     c             1          1             -1.0000\n"
        "q1     b             2          2          1   0.5000\n"
        "\n"
        "A: first.run. B: second.run. Rules: truerank.\n"
        "Mean 0.5000 → 0.3333 (-0.1667); queries: 1 better, 1 worse, 1 the same.\n"
    )


def test_depth_says_how_many_documents_of_two_runs_are_listed_for_each_query(invoke):
    Path("many.qrels").write_text("".join(f"q1 0 d{n} 1\n" for n in range(9)))
    for run, order in (("one.run", 1), ("other.run", -1)):
        Path(run).write_text("".join(f"q1 Q0 d{n} {n} {order * n} t\n" for n in range(5, 20)))
    two = ("explain", "many.qrels", "one.run", "other.run", "-m", "DCG")
    for depth, listed in (("1", 1), ("3", 3), ("all", 4)):
        for query in ((), ("--query", "q1")):
            assert invoke(*two, *query, "--depth", depth).stdout.count("q1     d") == listed


@pytest.mark.parametrize("is_first", [True, False])
def test_of_two_runs_one_of_other_queries_is_refused_and_one_of_other_documents_is_warned_of(
    invoke, here, is_first
):
    (here / "stranger.run").write_text("other Q0 a 1 1.0 r\n", "utf-8")
    runs = ["stranger.run", "first.run"] if is_first else ["first.run", "stranger.run"]
    result = invoke("explain", "qrels.txt", *runs)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "stranger.run: no query of the run is judged: it answers other" in result.stderr
    query = next(line.split()[0] for line in (here / "qrels.txt").read_text("utf-8").splitlines())
    (here / "stranger.run").write_text(f"{query} Q0 nothing-of-it 1 1.0 r\n", "utf-8")
    result = invoke("explain", "qrels.txt", *runs)
    assert result.exit_code == 0
    assert "no document of stranger.run is judged" in result.stderr


def test_of_two_runs_one_query_or_the_farthest_may_be_asked_for(invoke):
    one = json.loads(invoke(*TWO, "--query", "q1", "-f", "json").stdout)
    assert [move["query"] for move in one["queries"]] == ["q1"]
    assert len(json.loads(invoke(*TWO, "--most", 1, "-f", "json").stdout)["queries"]) == 1


def test_what_moved_is_told_of_several_measures(invoke):
    both = invoke(*TWO, "-m", "AP RR").stdout
    assert both == invoke(*TWO, "-m", "AP").stdout + "\n" + invoke(*TWO, "-m", "RR").stdout
    plain = json.loads(invoke(*TWO, "-m", "AP RR", "-f", "json").stdout)
    assert [one["measure"] for one in plain] == ["AP", "RR"]
    flat = invoke(*TWO, "-m", "AP RR", "-f", "csv").stdout.splitlines()
    assert {line.split(",")[1] for line in flat[1:]} == {"AP", "RR"}


def test_a_judged_query_comes_before_a_file_of_the_same_name(invoke):
    Path("q1").write_text("q1 Q0 a 1 1 t\n")
    assert invoke(*ONE).stdout.startswith("Query q1 of first.run")
    Path("q7").write_text("q1 Q0 a 1 1 t\n")
    assert invoke("explain", "qrels.txt", "first.run", "q7").stdout.startswith("AP from A to B")
    assert "no query q7" in refused(invoke("explain", "qrels.txt", "first.run", "--query", "q7"))


@pytest.mark.parametrize(
    ("last", "said"),
    [
        (["qq1"], "there is no query qq1 among those that are judged. Did you mean q1?"),
        (["q9"], "query q9 is answered, but it is unjudged"),
        (["thrid.run"], "thrid.run: there is no such file, and no judged query of this name"),
        ([], "Name a query (such as q1), a second run, or several --rules."),
        (["q1", "-m", "NDGC"], "unknown measure 'NDGC'"),
        (["q1", "--rules", "trec_eval-9,beir"], "Several --rules are for one run"),
        (["--rules", "trec_eval-9,beir", "--most", "2"], "Several --rules are about means: no --most."),
        (["q1", "-o", "first.run"], "this is what is read"),
        (["second.run", "q1"], "A query of two runs is named with --query ID."),
    ],
)
def test_what_cannot_be_explained_is_refused_in_one_line(invoke, last, said):
    assert said in refused(invoke("explain", "qrels.txt", "first.run", *last)).replace(" (see truerank", ". (see")


def test_several_rules_show_one_run_under_each_of_them(invoke):
    asked = ("--rules", "trec_eval-9, science-qa", "-m", "AP RR", "--digits", 2)
    result = invoke("explain", "qrels.txt", "first.run", *asked)
    found = under_rules("qrels.txt", "first.run", ["AP", "RR"], ["trec_eval-9", "science-qa"])
    assert (result.exit_code, result.stdout) == (0, document_of(found, digits=2).render())
    assert "there are no rules named 'ber'" in refused(
        invoke("explain", "qrels.txt", "first.run", "--rules", "trec_eval-9,ber")
    )


def test_standard_input_may_be_the_run(shell):
    done = shell("cat first.run | truerank explain qrels.txt - q1 -m RR")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"RR    1 / 2" in done.stdout


QUERIES = "q1\twhat is <b>red</b>?\nq2\tsecond query\n"
DOCS = '{"_id": "a", "title": "Alpha", "text": "of | all \\u202e"}\n{"_id": "b", "title": "", "text": "beta_%"}\n'


@pytest.fixture
def texts(here: Path) -> tuple[str, ...]:
    Path("queries.tsv").write_text(QUERIES)
    Path("docs.jsonl").write_text(DOCS)
    return ("--queries", "queries.tsv", "--docs", "docs.jsonl")


def test_texts_stand_beside_the_ids_of_a_query_and_its_documents(invoke, texts):
    shown = invoke(*ONE, *texts).stdout
    assert shown.startswith("Query q1 (what is <b>red</b>?) of first.run\n")
    assert r"Alpha — of | all \u202e" in shown
    assert "Texts: 1 of 3 documents has none." in shown
    plain = json.loads(invoke(*ONE, *texts, "-f", "json").stdout)
    assert (plain["text"], {one["doc"]: one.get("text") for one in plain["documents"]}) == (
        "what is <b>red</b>?",
        {"x": None, "a": r"Alpha — of | all \u202e", "b": "beta_%"},
    )
    assert invoke(*ONE, *texts, "-f", "csv").stdout.splitlines()[0].endswith(",text")
    assert r"of \| all" in invoke(*ONE, *texts, "-f", "markdown").stdout
    assert r"beta\_\%" in invoke(*ONE, *texts, "-f", "latex").stdout


def test_texts_stand_beside_what_moved(invoke, texts):
    shown = invoke(*TWO, "-m", "RR", *texts).stdout
    assert "second query" in shown
    assert "beta_%" in shown
    plain = json.loads(invoke(*TWO, "-m", "RR", *texts, "-f", "json").stdout)
    assert plain["queries"][1]["documents"][0]["text"] == "beta_%"


def test_without_texts_nothing_is_told_of_them(invoke, texts):
    for asked in (ONE, TWO):
        plain = json.loads(invoke(*asked, "-f", "json").stdout)
        assert "text" not in plain
        assert not any("text" in one for one in plain.get("documents", plain.get("queries")))
        assert "text" not in invoke(*asked, "-f", "csv").stdout.splitlines()[0]
    assert "which show no texts" in refused(
        invoke("explain", "qrels.txt", "first.run", "--rules", "trec_eval-10,trec_eval-9", *texts)
    )


def test_python_takes_texts_as_dicts_or_files_and_several_measures(texts, here):
    judged, run = "qrels.txt", "first.run"
    both = tr.explain(judged, run, "q1", "AP nDCG@10", queries={"q1": "red?"}, docs="docs.jsonl")
    assert [str(why.measure) for why in both] == ["AP", "nDCG@10"]
    assert both[1].texts.queries == {"q1": "red?"}
    assert both[1].texts.docs["b"] == "beta_%"
    assert isinstance(tr.explain(judged, run, "q1", ["AP"]), list)
    assert both[0].value == tr.explain(judged, run, "q1", "AP").value
    moves = tr.diff(judged, run, "second.run", "AP RR", docs={"b": "beta"})
    assert [(str(one.measure), one.texts.docs) for one in moves] == [("AP", {"b": "beta"}), ("RR", {"b": "beta"})]


def test_a_list_without_scores_shows_none(invoke, here):
    (here / "lists.json").write_text('{"q1": ["x", "a", "b"]}')
    told = invoke("explain", "qrels.txt", "lists.json", "q1", "-m", "AP")
    assert told.stdout.splitlines()[2:4] == ["rank  document  grade  judged", "   1  x                unjudged"]
    plain = json.loads(invoke("explain", "qrels.txt", "lists.json", "q1", "-m", "AP", "--format", "json").stdout)
    assert [document["score"] for document in plain["documents"]] == [None] * 3


def test_what_is_listed_is_explained_with_a_table_of_the_documents(invoke, here):
    (here / "items.csv").write_text("id,popularity,group\na,3,g\nb,1,h\nx,4,g\n")
    asked = ("-m", "Novelty AWRF AP", "--items", "items.csv", "-f", "json")
    values = [one["value"] for one in json.loads(invoke(*ONE, *asked).stdout)]
    scores = json.loads(invoke("eval", "qrels.txt", "first.run", *asked, "--per-query").stdout)
    assert dict(zip(scores["mean"], values, strict=True)) == scores["queries"]["q1"]
    moves = json.loads(invoke(*TWO, *asked).stdout)
    assert [one["measure"] for one in moves] == ["Novelty", "AWRF", "AP"]
    assert "table of the documents" in refused(invoke(*ONE, "-m", "Novelty"))
    assert "one number of the whole run" in refused(invoke(*ONE, "-m", "Coverage", "--items", "items.csv"))
    many = ("explain", "qrels.txt", "first.run", "--rules", "trec_eval-10,trec_eval-9", "--items", "items.csv")
    assert "no --items" in refused(invoke(*many))


def test_only_what_got_worse_is_asked_for(invoke):
    found = json.loads(invoke(*TWO, "-m", "AP", "--only", "worse", "-f", "json").stdout)
    assert [move["change"] < 0 for move in found["queries"]] == [True]
    assert "--only is for the queries of two runs" in refused(invoke(*ONE, "--only", "worse"))
    assert "--only is for the queries of two runs" in refused(invoke(*TWO, "--query", "q1", "--only", "better"))
    assert "--most is for the queries of two runs" in refused(invoke(*ONE, "--most", "3"))
    assert "--most is for the queries of two runs" in refused(invoke(*TWO, "--query", "q1", "--most", "3"))
