"""`truerank eval`: the numbers are the library's, in every format, beside their rules and their ledger."""

from __future__ import annotations

import csv
import gzip
import io
import json

import pytest

import truerank as tr
from truerank.core.rules import Rules

EXAMPLE = ("eval", "qrels.txt", "first.run", "-m", "RR AP")
BOTH = ("eval", "qrels.txt", "first.run", "second.run", "-m", "RR")


def test_the_table_shows_the_means_the_rules_and_what_the_means_hide(invoke):
    result = invoke(*EXAMPLE)
    assert result.exit_code == 0
    assert result.stdout == (
        "run            RR      AP\n"
        "first.run  0.5000  0.5278\n"
        "\n"
        "Rules: truerank. 3 queries judged, 2 answered.\n"
        "  1 missing (scored 0): q3.\n"
        "  1 answered but not judged (left out): q9.\n"
        "  1 without a relevant document (scored 0): q3.\n"
    )
    assert result.stderr == ""


def test_the_table_names_queries_whose_scores_depend_on_ties(invoke):
    output = invoke("eval", "qrels.txt", "first.run", "-m", "nDCG").stdout
    assert "  1 decided by the order of equal scores (here by document id, descending): q1.\n" in output


def test_several_runs_share_a_table(invoke):
    lines = invoke(*BOTH).stdout.split("\n")
    assert lines[:3] == ["run             RR", "first.run   0.5000", "second.run  0.3333"]
    assert "first.run: 3 queries judged, 2 answered." in lines
    assert "second.run: 3 queries judged, 3 answered." in lines


def test_runs_with_the_same_file_name_are_told_apart_by_their_folders(invoke, here):
    (here / "other").mkdir()
    (here / "other" / "first.run").write_bytes((here / "second.run").read_bytes())
    output = invoke("eval", "qrels.txt", "first.run", "other/first.run").stdout
    assert "other/first.run" in output


def test_many_measures_of_one_run_go_down_the_page(invoke):
    many = " ".join(f"P@{k}" for k in range(1, 13))
    lines = invoke("eval", "qrels.txt", "first.run", "-m", many).stdout.split("\n")
    assert lines[0].split() == ["measure", "first.run"]
    assert lines[1].split() == ["P@1", "0.3333"]


def test_json_is_one_object_with_all_digits(invoke):
    scores = tr.evaluate("qrels.txt", "first.run", "RR AP")
    answer = json.loads(invoke(*EXAMPLE, "--format", "json").stdout)
    assert answer == scores.to_dict()
    assert list(answer) == ["rules", "run", "mean", "ledger"]
    assert answer["rules"]["name"] == "truerank"


def test_json_has_the_queries_when_asked(invoke):
    answer = json.loads(invoke(*EXAMPLE, "--format", "json", "--per-query").stdout)
    assert answer["queries"]["q1"] == {"RR": 0.5, "AP": (1 / 2 + 2 / 3) / 2}
    assert list(answer["queries"]) == ["q1", "q2", "q3"]


def test_json_of_several_runs_is_an_array_of_such_objects(invoke):
    one, two = json.loads(invoke("eval", "qrels.txt", "first.run", "second.run", "-f", "json").stdout)
    assert one == tr.evaluate("qrels.txt", "first.run").to_dict()
    assert two == tr.evaluate("qrels.txt", "second.run").to_dict()


def test_jsonl_is_a_line_a_run(invoke):
    lines = invoke("eval", "qrels.txt", "first.run", "second.run", "-f", "jsonl").stdout.splitlines()
    assert [json.loads(line)["run"] for line in lines] == ["first.run", "second.run"]
    assert json.loads(lines[0]) == tr.evaluate("qrels.txt", "first.run").to_dict()


def test_jsonl_per_query_is_a_line_a_run_and_query(invoke):
    lines = invoke(*BOTH, "-q", "-f", "jsonl").stdout.splitlines()
    assert len(lines) == 6
    assert json.loads(lines[0]) == {
        "run": "first.run",
        "rules": "truerank",
        "query": "q1",
        "values": {"RR": 0.5},
    }


def test_csv_names_run_and_rules_in_columns_and_has_all_digits(invoke):
    result = invoke(*EXAMPLE, "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    mean = tr.evaluate("qrels.txt", "first.run", "RR AP").mean
    assert rows == [{"run": "first.run", "rules": "truerank", "RR": repr(mean["RR"]), "AP": repr(mean["AP"])}]


def test_csv_per_query_has_a_row_a_query(invoke):
    result = invoke(*EXAMPLE, "-f", "csv", "-q")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    values = tr.evaluate("qrels.txt", "first.run", "RR AP")
    assert [row["query"] for row in rows] == list(values.queries)
    assert [float(row["AP"]) for row in rows] == values["AP"].tolist()


@pytest.mark.parametrize("asked", ["csv", "trec", "jsonl -q"])
def test_where_the_ledger_has_no_place_it_is_told_on_standard_error(invoke, asked):
    result = invoke(*EXAMPLE, "-f", *asked.split())
    assert "first.run: 1 missing (scored 0): q3.\n" in result.stderr
    assert "missing" not in result.stdout


@pytest.mark.parametrize("asked", ["table -q", "json -q", "jsonl", "markdown -q"])
def test_where_the_ledger_has_a_place_nothing_is_told_beside_it(invoke, asked):
    result = invoke(*EXAMPLE, "-f", *asked.split())
    assert result.stderr == ""
    assert "missing" in result.stdout


def test_trec_lines_have_four_digits_and_begin_with_the_run_and_the_rules(invoke):
    assert invoke(*EXAMPLE, "-f", "trec").stdout.splitlines() == [
        "runid\tall\tfirst.run",
        "rules\tall\ttruerank",
        "RR\tall\t0.5000",
        "AP\tall\t0.5278",
    ]


def test_trec_per_query_comes_before_all(invoke):
    lines = invoke(*EXAMPLE, "-f", "trec", "-q").stdout.splitlines()
    assert lines[2:4] == ["RR\tq1\t0.5000", "AP\tq1\t0.5833"]
    assert lines[-1] == "AP\tall\t0.5278"


def test_markdown_stresses_the_best_run_and_tells_the_ledger(invoke):
    output = invoke(*BOTH, "-f", "markdown").stdout
    assert output.startswith("| run | RR |\n|:--|--:|\n| first.run | **0.5000** |\n| second.run | 0.3333 |\n\n")
    assert "Rules: truerank." in output


def test_latex_is_a_booktabs_table_whose_caption_names_the_rules(invoke):
    output = invoke(*EXAMPLE, "-f", "latex").stdout
    assert "first.run & 0.5000 & 0.5278 \\\\\n\\bottomrule\n" in output
    assert "\\caption{Rules: truerank. 3 queries judged, 2 answered." in output


@pytest.mark.parametrize("format", ["table", "json", "jsonl", "csv", "markdown", "latex", "trec"])
@pytest.mark.parametrize("per_query", [[], ["--per-query"]])
def test_every_format_names_its_rules(invoke, format, per_query):
    result = invoke(*EXAMPLE, "--rules", "trec_eval-9", "-f", format, *per_query)
    assert result.exit_code == 0
    assert "trec" in result.stdout
    assert "eval-9" in result.stdout


def test_the_table_per_query_ends_with_all(invoke):
    lines = invoke(*EXAMPLE, "-q").stdout.splitlines()
    assert lines[0].split() == ["query", "RR", "AP"]
    assert [line.split()[0] for line in lines[1:5]] == ["q1", "q2", "q3", "all"]


def test_the_table_per_query_of_several_runs_names_the_run_in_each_row(invoke):
    lines = invoke(*BOTH, "-q").stdout.splitlines()
    assert lines[5].split() == ["second.run", "q1", "1.0000"]


def test_measures_may_be_given_in_one_text_or_several(invoke):
    once = invoke("eval", "qrels.txt", "first.run", "-m", "RR,AP P@5")
    twice = invoke("eval", "qrels.txt", "first.run", "-m", "RR", "-m", "AP", "--measures", "P@5")
    assert once.stdout == twice.stdout
    assert "P@5" in once.stdout


def test_digits_are_chosen(invoke):
    assert "0.53\n" in invoke(*EXAMPLE, "--digits", "2").stdout
    assert ",0.53\n" in invoke(*EXAMPLE, "--digits", "2", "-f", "csv").stdout


def test_rules_are_a_preset_or_a_file(invoke, here):
    (here / "strict.toml").write_text('extends = "trec_eval-10"\nmissing = "zero"\nlevel = 2\nmeasures = ["RR"]\n')
    result = invoke("eval", "qrels.txt", "first.run", "--rules", "strict.toml", "-f", "json")
    answer = json.loads(result.stdout)
    assert answer["rules"]["name"] == "strict"
    assert answer["mean"] == tr.evaluate("qrels.txt", "first.run", "RR", rules={"level": 2}).mean


def test_single_rules_are_set_and_the_name_says_so(invoke):
    arguments = ("-r", "trec_eval-9", "--set=level=2", "--set=ties=doc-ascending", "--set=depth=100")
    answer = json.loads(invoke(*EXAMPLE, *arguments, "-f", "json").stdout)
    name = "trec_eval-9 with ties=doc-ascending, level=2, depth=100"
    changes = {"name": name, "level": 2, "ties": "doc-ascending", "depth": 100}
    assert answer["rules"] == Rules.from_dict(changes, Rules.named("trec_eval-9")).to_dict()


def test_a_rule_is_set_to_none_or_a_fraction(invoke):
    answer = json.loads(invoke(*EXAMPLE, "--set", "depth=none", "--set", "level=0.5", "-f", "json").stdout)
    assert (answer["rules"]["depth"], answer["rules"]["level"]) == (None, 0.5)


def test_the_format_of_a_file_may_be_named(invoke):
    assert invoke(*EXAMPLE, "--run-format", "trec", "--qrels-format", "trec").stdout == invoke(*EXAMPLE).stdout


def test_threads_change_nothing(invoke):
    assert invoke(*EXAMPLE, "--threads", "2").stdout == invoke(*EXAMPLE, "--threads", "1").stdout


def test_output_goes_to_a_file_whose_ending_chooses_the_format(invoke, here):
    result = invoke(*EXAMPLE, "-o", "scores.json")
    assert (result.exit_code, result.stdout) == (0, "")
    scores = tr.evaluate("qrels.txt", "first.run", "RR AP")
    assert json.loads((here / "scores.json").read_text()) == scores.to_dict()


def test_output_is_compressed_where_the_name_says_so(invoke, here):
    assert invoke(*EXAMPLE, "-o", "scores.csv.gz").exit_code == 0
    assert gzip.decompress((here / "scores.csv.gz").read_bytes()).startswith(b"run,rules,RR,AP\n")


@pytest.mark.parametrize("name", ["scores", "scores.txt", "scores.run", "bm25-v1.2"])
def test_a_plain_ending_makes_a_table(invoke, here, name):
    assert invoke(*EXAMPLE, "-o", name).exit_code == 0
    assert (here / name).read_text() == invoke(*EXAMPLE).stdout


def test_the_named_format_wins_over_the_ending(invoke, here):
    invoke(*EXAMPLE, "-o", "scores.json", "-f", "csv")
    assert (here / "scores.json").read_text().startswith("run,rules,RR,AP\n")


def test_the_qrels_may_come_from_standard_input(invoke, here):
    result = invoke("eval", "-", "first.run", "-m", "RR AP", input=(here / "qrels.txt").read_bytes())
    assert result.stdout == invoke(*EXAMPLE).stdout


def test_counts_are_whole_numbers(invoke):
    @tr.measure("Found", average="sum", unit=False)
    def found(hits, *, level: float = 1):
        """How many relevant documents were returned."""
        return hits.sum(hits.grade >= level)

    try:
        output = invoke(*BOTH, "-m", "Found", "-f", "markdown").stdout
        assert "| first.run | **0.5000** | 3 |" in output  # and no count is stressed as the best
        assert "Found\tq1\t2\n" in invoke(*EXAMPLE, "-m", "Found", "-q", "-f", "trec").stdout
    finally:
        tr.unregister("Found")


@pytest.mark.parametrize(
    ("format", "shown"),
    [
        ("table", r"\xffq|&  "),
        ("csv", r",\xffq|&,"),
        ("trec", "\t\\xffq|&\t"),
        ("markdown", r"| \\xffq\|\& |"),
        ("latex", r"\textbackslash{}xffq\textbar{}\& &"),
    ],
)
def test_odd_bytes_in_ids_are_escaped_in_text(invoke, here, format, shown):
    (here / "qrels.txt").write_bytes(b"\xffq|& 0 a 1\n")
    (here / "first.run").write_bytes(b"\xffq|& Q0 a 1 1 t\n")
    assert shown in invoke(*EXAMPLE, "-q", "-f", format).stdout


@pytest.mark.parametrize("format", ["json", "jsonl"])
def test_odd_bytes_in_ids_survive_json(invoke, here, format):
    (here / "qrels.txt").write_bytes(b"\xffq 0 a 1\n")
    (here / "first.run").write_bytes(b"\xffq Q0 a 1 1 t\n")
    answer = json.loads(invoke("eval", "qrels.txt", "first.run", "-m", "RR", "-q", "-f", format).stdout)
    query = answer["query"] if format == "jsonl" else next(iter(answer["queries"]))
    assert query.encode("utf-8", "surrogateescape") == b"\xffq"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("none.txt", "first.run"), "truerank: none.txt: there is no such file\n"),
        (("qrels.txt", "none.run"), "truerank: none.run: there is no such file\n"),
        (("qrels.txt", "."), "truerank: ./qrels.txt:1: a run line has 6 columns (query Q0 document rank score"),
        (("qrels.txt", "first.run", "-m", "NDGC"), "truerank: unknown measure 'NDGC'. Did you mean nDCG?"),
        (("qrels.txt", "first.run", "-m", "P"), "truerank: P needs k: write P@10\n"),
        (("qrels.txt", "first.run", "-r", "trek_eval-10"), "Did you mean trec_eval-10?"),
        (("qrels.txt", "first.run", "--set", "levle=2"), "Did you mean level?"),
        (("qrels.txt", "first.run", "--set", "level"), "--set takes field=value"),
        (("qrels.txt", "first.run", "--set", "gain=exp"), "write it with the measure, nDCG(gain=exp)@10, or in"),
        (("qrels.txt", "first.run", "--set", "depth=0"), "depth is a positive whole number, not 0"),
        (("qrels.txt", "first.run", "--set", "level=nan"), "level is a number, not nan"),
        (("qrels.txt", "first.run", "--run-format", "trek"), "there is no format 'trek'. Did you mean trec?"),
        (("first.run", "qrels.txt"), "are the two files swapped?"),
        (("qrels.txt", "first.run", "-o", "x.docx"), "no format of results ends in .docx: say which (--format)"),
        (("qrels.txt", "first.run", "-o", "x.xyz.gz"), "no format of results ends in .xyz"),
        (("qrels.txt", "first.run", "-o", "x.json.lz4"), "compressed files end in .gz, .zst, .bz2 or .xz"),
        (("qrels.txt", "first.run", "-o", "no/such/folder.txt"), "no/such/folder.txt: cannot be written"),
    ],
)
def test_what_is_wrong_is_told_in_one_line_with_status_2(invoke, arguments, message):
    result = invoke("eval", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.startswith("truerank: ")
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("qrels.txt",),
        ("-", "-"),
        ("qrels.txt", "first.run", "--format", "xml"),
        ("qrels.txt", "first.run", "--threads", "0"),
    ],
)
def test_what_is_asked_wrongly_is_status_2_too(invoke, arguments):
    result = invoke("eval", *arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("truerank: ")
    assert result.stderr.endswith("(see truerank eval --help)\n")
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("Q1", "it answers Q1, which is judged as q1 (other case)"),
        ("q1.txt", "it answers q1.txt, which is judged as q1 (other file extension)"),
        ("other", "it answers other and so on, judged are q1 and so on"),
    ],
)
@pytest.mark.parametrize("command", ["eval", "check"])
def test_a_run_that_answers_no_judged_query_is_no_score_of_0(invoke, here, command, query, why):
    (here / "strange.run").write_text(f"{query} Q0 a 1 1 t\n")
    gate = ["--min", "RR=0"] if command == "check" else []
    result = invoke(command, "qrels.txt", "strange.run", *gate)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"truerank: strange.run: no query of the run is judged: {why}\n"


@pytest.mark.parametrize(
    ("text", "name", "warning"),
    [
        ("q1 Q0 A.txt 1 1 t\n", "x.run", "no document of x.run is judged; `truerank lint` tells whether"),
        ("{}", "x.json", "x.json answers no query: is the run complete?"),
    ],
)
def test_an_honest_zero_is_scored_with_a_warning(invoke, here, text, name, warning):
    (here / name).write_text(text)
    result = invoke("eval", "qrels.txt", name, "-m", "AP", "-f", "json")
    assert (result.exit_code, json.loads(result.stdout)["mean"]) == (0, {"AP": 0.0})
    assert result.stderr.startswith(f"truerank: warning: {warning}")


def test_a_list_of_queries_that_is_cut_says_how_many_more_there_are(invoke, here):
    (here / "many.txt").write_text("".join(f"q{i} 0 a 1\n" for i in range(1, 10)))
    output = invoke("eval", "many.txt", "first.run").stdout
    assert "  6 missing (scored 0): q3, q4, q5, q6, q7 and 1 more.\n" in output


def test_no_measure_among_those_asked_for_is_refused(invoke):
    for nothing in ("", " ,"):
        for command, file in (("eval", "qrels.txt"), ("ips", "clicks.jsonl")):
            told = invoke(command, file, "first.run", "-m", nothing)
            assert (told.exit_code, told.stdout) == (2, "")
            assert "no measure is named; name some: nDCG@10 AP" in told.stderr


SLICES = "query_id,lang\nq1,en\nq2,de\n"


def test_slices_of_the_queries_have_means_of_their_own(invoke, here):
    (here / "topics.csv").write_text(SLICES)
    asked = ("qrels.txt", "first.run", "second.run", "-m", "AP NumRet Gini(docs=10)", "--by", "topics.csv:lang")
    found = json.loads(invoke("eval", *asked, "-f", "json").stdout)
    for one in found:
        assert (one["by"], one["unsliced"], list(one["slices"])) == ("lang", 1, ["de", "en"])
        for query, part in zip(("q2", "q1"), one["slices"].values(), strict=True):
            judged = {q: docs for q, docs in tr.read_qrels("qrels.txt").to_dict().items() if q == query}
            alone = tr.evaluate(judged, one["run"], "AP NumRet Gini(docs=10)")
            assert (part["query_count"], part["mean"]) == (1, alone.mean)
    rows = list(csv.DictReader(io.StringIO(invoke("eval", *asked, "-f", "csv").stdout)))
    assert [row["slice"] for row in rows] == ["", "", "de", "de", "en", "en"]
    assert float(rows[4]["AP"]) == found[0]["slices"]["en"]["mean"]["AP"]
    lines = invoke("eval", *asked).stdout.splitlines()
    assert ["en", "1", "second.run"] in [line.split()[:3] for line in lines]
    assert lines[-1] == "1 query has no lang: in no slice."


def test_a_slice_of_which_the_rules_leave_out_all_queries_has_no_mean(invoke, here):
    (here / "topics.csv").write_text(SLICES + "q3,de\n")
    (here / "one.run").write_text("q1 Q0 a 1 1 t\n")
    asked = ("eval", "qrels.txt", "one.run", "first.run", "-m", "AP", "--set", "missing=skip", "-f", "json")
    found = json.loads(invoke(*asked, "--by", "topics.csv:lang").stdout)
    assert found[0]["slices"]["de"] == {"query_count": 0, "mean": {"AP": None}}


@pytest.mark.parametrize("more", [("-q",), ("-f", "trec"), ("-f", "jsonl"), ("-o", "a.jsonl")])
def test_slices_are_of_means(invoke, here, more):
    (here / "topics.csv").write_text(SLICES)
    result = invoke("eval", "qrels.txt", "first.run", "--by", "topics.csv:lang", *more)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--by is for means" in result.stderr
