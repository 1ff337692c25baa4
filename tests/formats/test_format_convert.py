"""convert, and files that are there when all of them is written, and not before."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import stat
import subprocess
import sys
from types import SimpleNamespace

import pytest

import truerank as tr
from truerank.core.run import Ranked
from truerank.formats import Format, convert, register, registry
from truerank.formats.target import writing

RUN = "q1 Q0 a 1 2.5 t\nq1 Q0 b 2 1.5 t\n"
QRELS = "q1 0 a 1\nq1 0 b 0\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "a.run").write_text(RUN)
    (tmp_path / "a.qrels").write_text(QRELS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_comment_of_six_words_is_neither_a_row_nor_the_name_of_the_system(folder):
    (folder / "a.run").write_text(f"# one two three four five\n\n{RUN}# one two three four five\n")
    convert("a.run", "b.run")
    assert (folder / "b.run").read_text() == RUN


@pytest.mark.parametrize(
    ("target", "start"),
    [
        ("b.run", b"q1 Q0 a 1 2.5 t\n"),
        ("b.txt", b"q1 Q0 a 1 2.5 t\n"),
        ("b", b"q1 Q0 a 1 2.5 t\n"),
        ("bm25-v1.2", b"q1 Q0 a 1 2.5 t\n"),
        ("run.mine", b"q1 Q0 a 1 2.5 t\n"),
        ("b.res", b"q1 Q0 a 1 2.5 t\n"),
        ("b.json", b"{\n"),
        ("b.jsonl", b'{"query_id":"q1",'),
        ("b.ndjson", b'{"query_id":"q1",'),
        ("b.CSV", b"query_id,doc_id,score\n"),
        ("b.tsv", b"query_id\tdoc_id\tscore\n"),
        ("b.parquet", b"PAR1"),
        ("b.json.gz", b"\x1f\x8b\x08"),
        ("b.csv.zst", b"\x28\xb5\x2f\xfd"),
        ("b.run.bz2", b"BZh9"),
    ],
)
def test_the_targets_ending_decides_format_and_compression(target, start, folder):
    convert("a.run", target)
    assert (folder / target).read_bytes().startswith(start)


def test_whether_it_is_a_run_or_qrels_is_seen(folder):
    convert("a.qrels", "b.csv")
    assert (folder / "b.csv").read_text() == "query_id,doc_id,relevance\nq1,a,1\nq1,b,0\n"
    convert("b.csv", "c.json")
    assert (folder / "c.json").read_text() == '{\n"q1": {"a":1,"b":0}\n}\n'


def test_where_it_cannot_be_seen_the_names_decide_or_one_must_say(folder):
    (folder / "x.json").write_text('{"q": {"a": 1}}')
    with pytest.raises(tr.InputError, match=r"x\.json: this may be a run or qrels: say which"):
        convert("x.json", "y.csv")
    convert("x.json", "y.qrels")
    assert (folder / "y.qrels").read_text() == "q 0 a 1\n"
    convert("x.json", "y.run")
    assert (folder / "y.run").read_text() == "q Q0 a 1 1.0 x\n"
    (folder / "my-run.json").write_text('{"q": {"a": 1}}')
    convert("my-run.json", "y.csv")
    assert (folder / "y.csv").read_text() == "query_id,doc_id,score\nq,a,1.0\n"
    convert("x.json", "y.csv", what="qrels")
    assert (folder / "y.csv").read_text() == "query_id,doc_id,relevance\nq,a,1\n"


def test_objects_can_be_written_too(folder):
    convert({"q": {"a": 1.5}}, "b.run", what="run")
    assert (folder / "b.run").read_text() == "q Q0 a 1 1.5 truerank\n"
    convert(tr.Qrels.from_dict({"q": {"a": 1.5}}), "b.qrels", what="qrels")
    assert (folder / "b.qrels").read_text() == "q 0 a 1.5\n"
    with pytest.raises(tr.InputError, match="say which"):
        convert({"q": {"a": 1.5}}, "c.csv")


def test_a_format_can_be_forced_on_both_sides(folder):
    (folder / "list.json").write_text('[{"query_id": 1, "docs": ["a"]}]')
    convert("list.json", "b.dat", to="jsonl", format="json")
    assert (folder / "b.dat").read_text() == '{"query_id":"1","docs":["a"]}\n'
    with pytest.raises(tr.InputError, match=r"there is no format 'jsonnl'\. Did you mean jsonl\? Formats: "):
        convert("a.run", "b.dat", to="jsonnl")
    with pytest.raises(tr.InputError, match="what is converted is 'run' or 'qrels', not 'runs'"):
        convert("a.run", "b.dat", what="runs")


def test_a_file_is_never_converted_onto_itself(folder):
    before = (folder / "a.run").read_text()
    with pytest.raises(tr.InputError, match=r"a\.run: this is what is read: write to another file"):
        convert("a.run", "a.run", to="csv")
    assert (folder / "a.run").read_text() == before


def test_standard_output_gets_the_text(folder, monkeypatch):
    out = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(buffer=out))
    for to, text in (("tsv", b"query_id\tdoc_id\tscore\n"), ("json", b"{\n"), ("parquet", b"PAR1")):
        convert("a.run", "-", to=to)
        assert out.getvalue().startswith(text)
        out.seek(0)
        out.truncate()


def test_text_in_the_place_of_standard_output_gets_it_too(folder):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        convert("a.run", "-", to="tsv")
    assert out.getvalue().startswith("query_id\tdoc_id\tscore\n")


def test_a_name_as_long_as_the_system_takes_is_written(folder):
    name = "é" * 122 + ".run"  # 248 bytes
    convert("a.run", name)
    assert os.listdir(folder).count(name) == 1


@pytest.mark.parametrize("option", [{"iteration": "aspect"}, {"weights": {"q1": {"1": 1.0}}}])
def test_a_run_has_no_aspects_to_say_something_of(option, folder):
    with pytest.raises(tr.InputError, match="a run has no aspects: iteration and weights are for judgements"):
        convert("a.run", "b.run", **option)


@pytest.mark.parametrize("buffering", ["0", "1"])
def test_a_pipe_that_nobody_reads_is_left_to_the_caller_to_excuse(buffering, folder):
    code = "from truerank.formats import convert; convert('a.run', '-')"
    (folder / "a.run").write_text(RUN * 50_000)
    environment = {**os.environ, "PYTHONUNBUFFERED": buffering.replace("0", "")}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code], env=environment, **pipes) as process:
        process.stdout.read(10)
        process.stdout.close()
        assert b"BrokenPipeError" in process.stderr.read()


@pytest.mark.parametrize("score", ["nan", "inf", "1e400", "1_0", "high"])
@pytest.mark.parametrize("ending", ["run", "csv", "json", "parquet"])
def test_what_is_no_score_is_not_passed_on(score, ending, folder):
    (folder / "bad.run").write_text(f"{RUN}q2 Q0 a 1 {score} t\n")
    with pytest.raises(tr.InputError, match=rf"bad\.run:3: '{score}' is no score"):
        convert("bad.run", f"b.{ending}")
    assert sorted(os.listdir(folder)) == ["a.qrels", "a.run", "bad.run"]


def test_scores_of_objects_that_are_not_finite_are_not_passed_on(folder):
    with pytest.raises(tr.InputError, match="document a of query q has the score nan, which is not finite"):
        convert({"q": {"b": 1.0, "a": float("nan")}}, "b.csv", what="run")


def test_a_line_with_other_columns_stops_a_conversion_with_its_number(folder):
    (folder / "bad.run").write_text(RUN + "# comment\nq2 Q0 a 1 1.0\n")
    with pytest.raises(tr.InputError, match=r"bad\.run:4: a run line has 6 columns"):
        convert("bad.run", "b.csv", format="trec", what="run")


def test_the_target_is_as_before_until_all_is_written(tmp_path):
    (tmp_path / "out").write_text("before")
    with writing(tmp_path / "out") as file:
        file.write(b"after")
        file.flush()
        assert (tmp_path / "out").read_text() == "before"
    assert (tmp_path / "out").read_text() == "after"
    assert os.listdir(tmp_path) == ["out"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("name", ["out", "out.gz", "out.zst", "out.bz2"])
def test_an_error_leaves_nothing_behind(error, name, tmp_path):
    def fail() -> None:
        with writing(tmp_path / name) as file:
            file.write(b"half")
            raise error

    with pytest.raises(error):
        fail()
    assert os.listdir(tmp_path) == []
    (tmp_path / name).write_text("before")
    with pytest.raises(error):
        fail()
    assert (tmp_path / name).read_text() == "before"
    assert os.listdir(tmp_path) == [name]


def test_a_url_gets_all_or_nothing():
    import fsspec

    files = fsspec.filesystem("memory")
    with writing("memory://all/b.txt.gz") as file:
        file.write(b"text")
    assert gzip.decompress(files.cat("/all/b.txt.gz")) == b"text"

    def fail() -> None:
        with writing("memory://all/c.txt") as file:
            file.write(b"half")
            raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011 (raised two lines above)
        fail()
    assert not files.exists("/all/c.txt")


@pytest.mark.skipif(os.name == "nt", reason="Windows has other rights, and links for administrators")
def test_rights_and_links_of_the_target_stay(tmp_path):
    (tmp_path / "out").write_text("before")
    (tmp_path / "out").chmod(0o640)
    (tmp_path / "link").symlink_to("out")
    with writing(tmp_path / "link") as file:
        file.write(b"after")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "out").read_text() == "after"
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o640


def test_a_new_file_has_the_rights_that_any_new_file_has(tmp_path):
    (tmp_path / "other").write_text("")
    with writing(tmp_path / "out") as file:
        file.write(b"x")
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "other").stat().st_mode


@pytest.mark.skipif(os.name == "nt", reason="devices of Windows are no files")
def test_devices_are_written_to_as_they_are():
    with writing("/dev/null") as file:
        file.write(b"x")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("b.unheard-of", "no format ends in .unheard-of: say which .*--to trec"),
        ("b.run.xyz", "no format ends in .xyz"),
        ("b.xyz.gz", "no format ends in .xyz"),
        ("b.run.lz4", ".lz4 is not written: compressed files end in .gz, .zst, .bz2 or .xz"),
        ("b.zip", ".zip is not written"),
    ],
)
def test_an_ending_that_nothing_is_known_of_is_refused_and_nothing_written(name, message, folder):
    with pytest.raises(tr.InputError, match=message):
        convert("a.run", name)
    assert sorted(path.name for path in folder.iterdir()) == ["a.qrels", "a.run"]


def test_the_endings_that_are_known_are_listed_once_each(folder):
    with pytest.raises(tr.InputError, match=r"end it in \.run, ") as caught:
        convert("a.run", "x.foo", what="run")
    endings = str(caught.value).split("end it in ")[1].split(", ")
    assert len(set(endings)) == len(endings)
    for ending in endings:
        assert convert("a.run", f"x{ending}", what="run") == 0


def test_what_is_only_read_is_refused_with_the_formats_that_are_written(folder):
    with pytest.raises(
        tr.InputError, match=r"x\.arrow: a run cannot be written in the format reading; trec, .*jsonl"
    ):
        convert("a.run", "x.arrow", what="run")


def test_the_bytes_of_the_source_are_told_while_it_is_read(folder):
    told: list[tuple[int, int]] = []
    for name in ("run.json", "run.csv.gz"):
        convert("a.run", name, what="run")
        told.clear()
        convert(name, "again.trec", what="run", progress=lambda done, total: told.append((done, total)))
        assert told == sorted(told)
        assert (told[-1], {total for _, total in told}) == ((os.path.getsize(name),) * 2, {os.path.getsize(name)})


@pytest.mark.parametrize(
    ("url", "error", "said"),
    [
        ("https://there/a.run", tr.MissingPackage, r"reading https:.* needs: pip install .truerank.remote"),
        ("s3://there/a.run", tr.InputError, "s3://there/a.run: cannot be opened: Install s3fs to access S3"),
    ],
)
def test_what_reading_a_url_needs_is_named(url, error, said, monkeypatch):
    for package in ("aiohttp", "s3fs", "fsspec.implementations.http"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(error, match=said):
        tr.read_qrels(url)


def test_a_named_format_goes_to_any_ending_but_not_to_a_packing_that_is_not_written(folder):
    convert("a.run", "b.unheard-of", to="trec")
    assert (folder / "b.unheard-of").read_text() == RUN
    with pytest.raises(tr.InputError, match=r"\.lz4 is not written"):
        convert("a.run", "b.run.lz4", to="trec")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("no/such/folder/out", "cannot be written: No such file or directory"),
        (".", "cannot be written: Is a directory"),
        ("a.run/out", "cannot be written: Not a directory"),
        ("nothing://out", "cannot be written: Protocol not known"),
    ],
)
def test_a_target_that_cannot_be_written_is_an_input_error(name, message, folder):
    with pytest.raises(tr.InputError, match=message):
        convert("a.run", name)


def test_a_full_disk_is_an_input_error(folder):
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    with pytest.raises(tr.InputError, match="/dev/full: cannot be written: No space left"):
        convert("a.run", "/dev/full", to="csv")


def test_compressed_output_is_the_same_every_time(folder):
    for name in ("b.run.gz", "c.run.gz"):
        convert("a.run", name)
    assert (folder / "b.run.gz").read_bytes() == (folder / "c.run.gz").read_bytes()


def test_a_format_of_ones_own_is_found_read_and_written(folder, monkeypatch):
    monkeypatch.setattr(registry, "_formats", dict(registry._formats))

    def write(run, file, tag):
        file.writelines(b"%b=%b;" % (part.query, b",".join(part.docs)) for part in run)

    def read(source):
        for part in source.read().split(b";")[:-1]:
            query, docs = part.split(b"=")
            yield Ranked(query, docs.split(b","))

    register(Format("own", "query=doc,doc;", lambda head, name: float(b";" in head), suffixes=(".own",),
                    read_run=read, write_run=write))  # fmt: skip
    convert("a.run", "b.own")
    assert (folder / "b.own").read_text() == "q1=a,b;"
    assert tr.evaluate("a.qrels", "b.own", "RR").mean == {"RR": 1.0}
    with pytest.raises(tr.InputError, match="the format own cannot hold qrels"):
        tr.read_qrels("b.own", format="own")


def test_a_weight_below_0_is_named_with_its_line(tmp_path):
    (tmp_path / "qrels").write_text("q 1 a 1\nq 2 b 1\n")
    (tmp_path / "weights.qrels").write_text("q 0 1 1\nq 0 2 -1\n")
    with pytest.raises(tr.InputError, match=r"weights.qrels:2: aspect 2 of query q has the weight -1"):
        convert(
            str(tmp_path / "qrels"),
            str(tmp_path / "out.jsonl"),
            what="qrels",
            iteration="aspect",
            weights=str(tmp_path / "weights.qrels"),
        )


def weigh(folder, text, name="weights.csv"):
    (folder / "qrels").write_text("q 1 a 1\nq 2 b 1\n")
    (folder / name).write_text(text)
    out = folder / "out.jsonl"
    convert(str(folder / "qrels"), str(out), what="qrels", iteration="aspect", weights=str(folder / name))
    return tr.read_qrels(str(out)).weights_of(0)


@pytest.mark.parametrize(
    "text", ["query_id,aspect,weight\nq,1,3\nq,2,1\n", "topic;other;intent;prob\nq;x;1;3\nq;x;2;1\n"]
)
def test_a_table_of_weights_needs_no_documents(text, tmp_path):
    assert weigh(tmp_path, text) == {b"1": 3.0, b"2": 1.0}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "query_id,part,weight\nq,1,3\n",
            r":1: weights of aspects need the columns .*part",
        ),
        ("query_id,aspect,share\nq,1,3\n", r":1: weights of aspects need the columns query_id, aspect and weight"),
        ("query_id,aspect,weight\nq,1,0\nq,2,0\n", r":2: the weights of the aspects of query q sum to 0"),
        ("query_id,aspect,weight\nq,2,1\n", r":2: aspect 1 of query q has no weight"),
        ("query_id,aspect,weight\nq,1,1\nq,2,1\nq,3,1\n", r":4: aspect 3 of query q has a weight, but no document"),
        ("query_id,aspect,weight\nq,1,1\nq,2,1\nr,1,1\n", r":4: query r has weights of aspects, but no judgement"),
        ("query_id,aspect,weight\nq,1,1\nq,2,\n", r":3: there is no number in the column 'weight'"),
        ("query_id,aspect,weight\nq,1,1\nq,2,-2\n", r":3: aspect 2 of query q has the weight -2"),
        ("query_id,aspect,weight\nq,1,1\nq,1,2\n", r"document 1 of query q is judged twice \(first in line 2\)"),
    ],
)
def test_weights_that_cannot_be_are_named_with_their_line(text, said, tmp_path):
    with pytest.raises(tr.InputError, match=r"weights.csv" + said if said[0] == ":" else said):
        weigh(tmp_path, text)


@pytest.mark.parametrize("to", ["trec", "csv", "parquet", "jsonl"])
def test_queries_that_returned_nothing_are_counted_where_a_format_cannot_say_it(tmp_path, to):
    left = convert({"q": {"a": 1.0}, "r": {}, "s": {}}, tmp_path / "out", what="run", to=to)
    assert left == (0 if to == "jsonl" else 2)


@pytest.mark.parametrize(("to", "left"), [("trec", 2), ("csv", 2), ("beir", 2), ("json", 0), ("jsonl", 0)])
def test_queries_without_a_judgement_are_counted_where_a_format_cannot_say_it(tmp_path, to, left):
    judged = {"q1": {"a": 1}, "q2": {}, "q3": {}}
    assert convert(judged, tmp_path / "b", what="qrels", to=to) == left
    assert len(tr.read_qrels(tmp_path / "b").queries) == 3 - left


def test_fractional_grades_are_not_written_for_beir(tmp_path):
    with pytest.raises(tr.InputError, match="whole numbers"):
        convert({"q": {"a": 0.5}}, tmp_path / "q.tsv", what="qrels", to="beir")
    convert({"q": {"a": 2}}, tmp_path / "q.tsv", what="qrels", to="beir")
    assert tr.read_qrels(tmp_path / "q.tsv").to_dict() == {"q": {"a": 2.0}}


def test_ranks_of_scattered_rows_go_on_and_lists_of_them_are_refused(tmp_path):
    (tmp_path / "a.run").write_text("q Q0 a 1 3 t\nx Q0 a 1 1 t\nq Q0 b 2 2 t\n")
    convert(tmp_path / "a.run", tmp_path / "b.run")
    assert (tmp_path / "b.run").read_text() == "q Q0 a 1 3.0 t\nx Q0 a 1 1.0 t\nq Q0 b 2 2.0 t\n"
    with pytest.raises(tr.InputError, match="the rows of query q are scattered; sort the run by query for JSON"):
        convert(tmp_path / "a.run", tmp_path / "a.jsonl")
    assert not (tmp_path / "a.jsonl").exists()
