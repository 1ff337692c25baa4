"""The catalogues have what the source says, all of it; and nothing that is shown is said past them."""

from __future__ import annotations

import importlib
import importlib.util
import random
import re
import string
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import truerank as tr
from truerank import live
from truerank.analysis.bounds import judge_next
from truerank.analysis.report import evaluated
from truerank.cli import truerank
from truerank.contest import judge
from truerank.core import languages
from truerank.core.rules import MEANINGS
from truerank.present import agreement, audit, bench, bounds, build, check, collections, hits
from truerank.present.data import Located, ReportData, Runs
from truerank.present.document import Document
from truerank.truth.reading import read_items

HERE = Path(__file__).parents[2]


def _catalogues() -> Any:
    spec = importlib.util.spec_from_file_location("catalogues", HERE / "docs" / "catalogues.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["catalogues"] = module
    spec.loader.exec_module(module)
    return module


catalogues = _catalogues()
FILES = sorted(catalogues.LOCALE.glob("*.po"))


@pytest.fixture(scope="module")
def said() -> Any:
    """Every message of the source; a text that is no literal stops this."""
    return catalogues.said()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_message_has_an_entry_and_each_entry_a_message(path, said):
    assert catalogues.updated(path, said) == path.read_text("utf-8"), "python docs/catalogues.py"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_entry_is_translated_with_the_same_values(path):
    assert catalogues.faults(path) == []


def test_each_text_is_given_the_values_that_it_names():
    lacking = []
    for path in sorted(catalogues.SOURCE.rglob("*.py")):
        for call in catalogues.calls(path):
            text = "".join(catalogues.texts(path, call))
            given = {keyword.arg for keyword in call.keywords}
            named = {name for _, name, _, _ in string.Formatter().parse(text) if name} if given else set()
            if None not in given and not named <= given:
                lacking.append(f"{path.name}:{call.lineno}: {named - given}")
    assert lacking == []


def test_a_message_whose_text_is_no_literal_is_found(tmp_path):
    (tmp_path / "one.py").write_text(
        'message(f"{n} queries")\nmessage("x")\nplural("a", many, n=1)\nInputError(f"{n}")\nInputError(said)\n'
    )
    found = []
    for call in catalogues.calls(tmp_path / "one.py"):
        try:
            found.append(catalogues.texts(tmp_path, call))
        except ValueError:  # noqa: PERF203
            found.append(None)
    assert found == [None, "x", None, None]


def test_what_is_missing_and_what_takes_other_values_is_found(tmp_path):
    path = tmp_path / "ko.po"
    path.write_text(f'{HEAD}msgid "{{n:,}} of {{all}}"\nmsgstr "{{n:,}}"\n\nmsgid "b"\nmsgstr ""\n', "utf-8")
    assert catalogues.faults(path) == ["ko.po: other values in '{n:,}'", "ko.po: no translation of 'b'"]


# --- a language that nobody speaks

HEAD = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n\n'

PLAIN = string.ascii_lowercase + string.ascii_uppercase
ODD = "áƀćđéƒǧĥíĵķĺɱńóṕɋŕśťúṽŵẋýźÁɃĆĐÉƑǦĤÍĴĶĹṀŃÓṔɊŔŚŤÚṼŴẊÝŹ"


def odd(text: str) -> str:
    """Each letter with an accent, but not within the braces of values."""
    parts = re.split(r"(\{[^}]*\})", text)
    return "".join(part if part.startswith("{") else part.translate(str.maketrans(PLAIN, ODD)) for part in parts)


def test_a_draft_stays_marked_until_somebody_takes_the_mark_away(said: Any, tmp_path: Path) -> None:
    path = tmp_path / "ko.po"
    text = (catalogues.LOCALE / "ko.po").read_text("utf-8")
    entry = 'msgid "measures"\n'
    path.write_text(text.replace(entry, f"# draft\n{entry}", 1), "utf-8")
    assert f"# draft\n{entry}" in catalogues.updated(path, said)


@pytest.fixture(scope="module")
def locale(said, tmp_path_factory) -> Iterator[Path]:
    """A folder with a catalogue in which every message is odd; two forms of plurals."""
    from babel.messages.pofile import write_po

    for entry in said:
        entry.string = tuple(map(odd, entry.id)) if isinstance(entry.id, tuple) else odd(entry.id or "")
    folder = tmp_path_factory.mktemp("locale")
    with (folder / "eo.po").open("wb") as file:
        said.locale = "eo"
        write_po(file, said)
    languages.catalogue.cache_clear()
    yield folder
    languages.catalogue.cache_clear()


@pytest.fixture
def pseudo(locale, monkeypatch) -> str:
    """The language of that catalogue, which all is said in."""
    importlib.import_module("truerank.cli.report")  # its --lang has the languages that there are at the import
    monkeypatch.setenv("TRUERANK_LOCALE", str(locale))
    monkeypatch.setenv("TRUERANK_LANG", "eo")
    return "eo"


SAME = [*tr.measures(), "IDCG", "DCG", "tp", "fp", "fn", "tn", r"log\d*", "min", "max", "level", "ms", "km"]
SAME += [
    "RBO",
    "Kendall's tau",
    r"run\d?",
    r"q\d+",
    r"d\d+",
    "truerank",
    "eo",
    "answer",
    "taken",
    "concurrency",
    "queries",
    "references",
]
WHOLE = r"`[^`]+`|recall_points = \w+|\(\w+ = [\w-]+\)|\w+\([\w=', ]+\)|\bgeo\b|[\w-]*[@=/]\S*"
NAMES = re.compile(rf"{WHOLE}|(?<![A-Za-z])(?:{'|'.join(SAME)})(?![A-Za-z])")
"""Measures, ids, rules and formulas, which are called the same in every language."""


def left(text: str) -> list[str]:
    """The lines that still have plain words which are no names."""
    return [line for line in text.split("\n") if re.search(r"[A-Za-z]{2}", NAMES.sub(" ", line))]


def world(queries: int = 60, systems: int = 3) -> tuple[dict[str, Any], dict[str, Any]]:
    rng = random.Random(1)
    qrels = {f"q{n}": {f"d{i}": rng.randint(0, 2) for i in range(9)} for n in range(queries)}
    runs = {
        f"run{s}": {
            query: {f"d{i}": rng.randint(0, 5) for i in rng.sample(range(12), 8)} for query in list(qrels)[s:]
        }
        for s in range(systems)
    }
    return qrels, runs


@pytest.fixture
def files(tmp_path) -> tuple[str, list[str]]:
    """The world as files."""
    qrels, runs = world()
    lines = [f"{q} 0 {d} {g}" for q, docs in qrels.items() for d, g in docs.items()]
    (tmp_path / "q0.qrels").write_text("\n".join(lines) + "\n")
    for name, run in runs.items():
        lines = [f"{q} Q0 {d} {r} {s} {name}" for q, docs in run.items() for r, (d, s) in enumerate(docs.items())]
        (tmp_path / f"{name}.run").write_text("\n".join(lines) + "\n")
    return str(tmp_path / "q0.qrels"), [str(tmp_path / f"{name}.run") for name in runs]


def invoked(command: str, files: tuple[str, list[str]], **env: str) -> Result:
    """What a command prints: Q is the qrels, R all runs, R0 and R1 the first of them."""
    qrels, runs = files
    named = {"Q": [qrels], "R": runs, "R0": runs[:1], "R1": runs[1:2]}
    words = [word for part in command.split() for word in named.get(part, [part])]
    return CliRunner(env=env).invoke(truerank, words)


def answer(text: str) -> list[str]:
    """A retriever."""
    return ["d1", "d2"] if text == "a" else []


def document(lang: str) -> Document:
    qrels, runs = world()
    places = {f"q{n}": {"lat": 1.0 + n / 1e4, "lon": 1.0} for n in range(4)}
    there = {f"d{n}": {"lat": 1.0 + n / 1e4, "lon": 1.0} for n in range(3)}
    found = tr.geo.evaluate(places, there, {"q1": ["d1", "d0"], "q3": ["d1"]}, truth="nearest")
    benches = [tr.bench(answer, {"q0": "a", "q1": "b"}, qrels, measures="RR", k=10) for _ in range(2)]
    located = Located(found, read_items(places))
    data = ReportData(Runs.of(evaluated(qrels, runs, "nDCG@10 AP NumRet")), tuple(benches), located)
    return build.make(data, "run", lang)


def test_no_word_of_a_report_is_said_past_the_catalogue(pseudo):
    found = document(pseudo)
    decided = rf"(?m)^(?:\| )?(?:{'|'.join(MEANINGS)})\b\s*\|?\s*[\w–-]+"
    packages = r"(?m)^(?:\| )?(?:truerank|Python|numpy|scipy|vl-convert-python)\b.*$"
    for text in (str(found), found.to_markdown()):
        without = re.sub(packages, "", re.sub(decided, "", text))
        assert left(without) == [], left(without)


COMMANDS = {
    "eval": "eval Q R -m nDCG@10,AP",
    "a row a query": "eval Q R0 -m AP -q",
    "compare": "compare Q R -m nDCG@10,AP --layout long",
    "wide": "compare Q R -m nDCG@10,AP,NumRet --layout wide --intervals",
    "baseline": "compare Q R -m AP --baseline 1",
    "bounds": "bounds Q R0 -m AP,P@5",
    "curve": "curve Q R",
    "confusion": "confusion Q R0 -k 3 --documents 100",
    "sweep": "confusion Q R0 --sweep",
    "explain": "explain Q R0 q5 -m nDCG@5,AP",
    "moves": "explain Q R0 R1 -m AP",
    "check": "check Q R0 --min AP=0.5",
    "no worse": "check Q R0 --no-worse-than R1 --margin 0.01",
    "tools": "explain Q R0 --rules trec_eval-10,trec_eval-9",
    "another rule": "curve Q R0 --set recall_points=up",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_no_word_of_a_table_is_said_past_the_catalogue(command, pseudo, files):
    for format in ("table", "markdown"):
        done = invoked(f"{COMMANDS[command]} --format {format}", files)
        assert done.exit_code in (0, 1, 3), done.output
        text = re.sub(r"\S*/\S*|\.run|\.qrels|trec_eval-\d+", "", done.output)
        assert left(text) == []


ERRORS = {
    "a command": "evla Q R0",
    "an option": "eval Q R0 --mesures AP",
    "an option in other words": "eval Q R0 --preset x",
    "a cutoff": "eval Q R0 --cutoff 3",
    "an argument": "explain Q",
    "twice": "eval Q R0 --rules x --rules y",
    "measures": "eval Q R0 -m ,",
    "a measure": "eval Q R0 -m NDGC@10",
    "a change": "eval Q R0 --set level",
    "a gate": "check Q R0 --min p95=200kg",
    "no gate": "check Q R0",
    "a test": "compare Q R --test tukey --correction max-t",
    "a baseline": "compare Q R --baseline 9",
    "a query": "explain Q R0 q99",
    "no query": "explain Q R0",
    "words too many": "explain Q R0 q5 q6 q7",
    "judging": "bounds Q R0 --judge-next 3",
    "a curve": "curve Q R0 --query q99",
    "counts": "confusion --counts 1,2,x",
    "together": "confusion Q R0 --threshold 1 --sweep",
    "documents": "confusion Q R0 -k 3 --documents 4",
    "a target": "bench x --queries Q",
    "targets": "bench --queries Q",
    "what is saved": "bench x --show Q",
    "a report": "report Q",
    "a number": "compare Q R --samples x",
    "a range": "compare Q R --samples 0",
    "a choice": "eval Q R0 --format x",
    "a value": "eval Q R0 -m",
    "no value": "eval Q R0 --per-query=3",
    "words": "curve Q R0 R1 R2",
    "an ending": "report Q R0 -o ./report.doc",
}


@pytest.mark.parametrize("wrong", ERRORS)
def test_no_word_of_an_error_is_said_past_the_catalogue(wrong, pseudo, files):
    done = invoked(ERRORS[wrong], files)
    assert done.exit_code == 2, done.output
    named_alike = r"truerank( \w+)? (?=--)|\beval\b|-{1,2}[a-z-]+|'[^']*'|\S*/\S*|\.\w+|\bns, .* s\b|{\w+}"
    assert left(re.sub(named_alike, "", done.stderr)) == []


def results() -> Iterator[tuple[Any, Any]]:
    """Results that no command above shows, each with its builder."""
    qrels, runs = world()
    asked = {f"q{n}": str(n) for n in range(8)}
    first, second = (tr.bench(taken, asked, qrels, measures="RR", k=1, concurrency=n) for n in (1, 2))
    yield first, bench
    yield tr.bench(taken, asked, plain=True, warmup=1), bench
    yield live.compare(first, second), bench
    yield tr.check(bench=first, max={"p95": "1s"}), check
    yield tr.check({"AP": 0.3}, no_worse_than={"AP": 0.4}), check
    yield tr.agreement(runs["run0"], runs["run1"]), agreement
    worlds = {"w0": (qrels, runs), "w1": (qrels, {"run0": runs["run0"]})}
    yield tr.collections(worlds, "RR", partial=True), collections
    yield tr.collections({**worlds, "w1": (qrels, runs)}, "RR", drawn="random", samples=99), collections
    yield tr.rank(qrels, runs["run0"]), hits
    yield judge_next(qrels, runs["run0"], runs["run1"], "nDCG@3"), bounds
    yield (
        judge({1: ["a"], 2: ["b"]}, [{"eval_id": 1, "topk": ["a", "a"]}, {"eval_id": 2, "topk": "ab"}]).audit,
        audit,
    )


def taken(text: str) -> list[str]:
    """A retriever that answers oddly."""
    if text == "3":
        raise ValueError(3)
    return [["d1", "d2"], [], ["d1"] * 2][int(text) % 3]


def test_no_word_of_a_result_is_said_past_the_catalogue(pseudo):
    for found, builder in results():
        text = builder.document_of(found).render("table", language=pseudo)
        alike = r"×.*|CPython.*|Linux.*|strict.*|Hits\(.*|'[^']*'|\b(?:[ab]b?|scores)\b|p\d+|(?m:^[a-z]+-[a-z]+)"
        without = re.sub(alike, "", text)
        assert left(without) == [], left(without)


def test_no_word_of_lint_is_said_past_the_catalogue(pseudo, files):
    Path(files[1][0]).write_text("q1 Q0 d1 1 0.5 a\nq1 Q0 d1 2 0.5 b\nq1 Q0 d2 1 x a\nq2 Q0 d3 1 1e999 a\nq3 Q0\n")
    done = invoked("lint Q R", files)
    assert done.exit_code == 1
    assert left(re.sub(r"\S*/\S*|\[[a-z-]+\]|\.run", "", done.output)) == []


def test_what_programs_read_is_in_no_language(pseudo, files):
    for format in ("json", "csv", "jsonl", "trec"):
        command = f"eval Q R0 -m AP --format {format}"
        spoken = invoked(command, files).stdout
        assert spoken == invoked(command, files, TRUERANK_LANG="en").stdout
        assert spoken.isascii()


def test_a_check_s_xml_is_in_no_language(pseudo):
    found = tr.check({"AP": 0.3}, min={"AP": 0.4})
    assert "FAIL" in check.render(found, "junit", language=pseudo)
