"""A reading: what it holds, what merging parts of it and a journey through Arrow leave of it."""

from __future__ import annotations

import gc
import json
import pickle
import weakref
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import truerank as tr
from truerank.core.hits import COLUMNS, UNJUDGED
from truerank.core.mappings import IGNORED
from truerank.core.reading import Reading
from truerank.core.rules import presets
from truerank.core.scan import Scoring
from truerank.formats.converting import convert
from truerank.interop.spark.values import Summary, merged

DOCS = [f"d{i}" for i in range(8)]
GRADES = st.dictionaries(st.sampled_from(DOCS), st.integers(-1, 3))
QRELS = st.dictionaries(st.sampled_from(["q1", "q2", "q3", "q4", "é"]), GRADES, min_size=1)
RUN = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3", "q4", "é", "x"]),
    st.dictionaries(st.sampled_from([*DOCS, "u1", "u2", "u3"]), st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=1),
)
KEEP = st.sampled_from(["judged", "all", 1, np.int64(3), 10**30])


def same(one: Reading, other: Reading) -> bool:
    """Whether two readings hold the same, to the bit, and call documents by the same ids."""
    rows = all(np.array_equal(getattr(one.rows, n), getattr(other.rows, n)) for n in COLUMNS if n != "doc")
    facts = all(getattr(one, f) == getattr(other, f) for f in ("name", "rules", "extra", "repeated", "kept"))
    judged = zip(one.rows.judgements, other.rows.judgements, strict=True)
    return (
        rows
        and facts
        and one.docs(one.rows.doc) == other.docs(other.rows.doc)
        and one.rows.queries == other.rows.queries
        and np.array_equal(one.rows.returned, other.rows.returned)
        and all(np.array_equal(mine, theirs) for mine, theirs in judged)
        and one.rows.max_grade == other.rows.max_grade
    )


@given(QRELS, st.sets(st.sampled_from(DOCS), max_size=3), RUN, KEEP)
def test_keep_says_which_unjudged_documents_are_rows(qrels, ignored, run, keep):
    qrels = {query: {**grades, **dict.fromkeys(ignored, IGNORED)} for query, grades in qrels.items()}
    reading = tr.read(qrels, run, keep=keep)
    deepest = {"judged": 0, "all": 99}.get(keep, keep)
    expected = []
    for query in sorted(qrels.keys() & run.keys(), key=str.encode):
        order = sorted(sorted(run[query].keys() - ignored, reverse=True), key=lambda doc: -run[query][doc])
        expected += [
            (query.encode(), rank, doc.encode(), float(qrels[query].get(doc, UNJUDGED)))
            for rank, doc in enumerate(order, 1)
            if doc in qrels[query] or rank <= deepest
        ]
    rows = reading.rows
    names = [rows.queries[q] for q in rows.query.tolist()]
    columns = names, rows.rank.tolist(), reading.docs(rows.doc), rows.grade.tolist()
    assert list(zip(*columns, strict=True)) == expected
    plain = tr.read(qrels, run)
    assert all(np.array_equal(getattr(reading.hits, n), getattr(plain.hits, n)) for n in COLUMNS)


@given(QRELS, RUN, KEEP, st.data())
def test_parts_merge_to_the_whole_in_any_order(qrels, run, keep, data):
    whole = tr.read(qrels, run, keep=keep)
    part_of = {query: data.draw(st.integers(0, 2)) for query in sorted({*qrels, *run})}
    is_whole = data.draw(st.booleans())
    parts = []
    for number in data.draw(st.permutations(range(3))):
        some = {query: docs for query, docs in run.items() if part_of[query] == number}
        judged = qrels if is_whole else {query: docs for query, docs in qrels.items() if part_of[query] == number}
        parts.append(tr.read(judged or qrels, some, keep=keep))
    assert same(tr.merge(parts), whole)


@given(QRELS, RUN, KEEP)
def test_a_reading_comes_back_from_arrow_and_from_a_pickle(qrels, run, keep):
    pytest.importorskip("pyarrow")
    reading = tr.read(qrels, run, keep=keep)
    assert same(Reading.from_arrow(reading.to_arrow()), reading)
    assert same(pickle.loads(pickle.dumps(reading)), reading)


@pytest.mark.parametrize("keep", ["judged", "all"])
@pytest.mark.parametrize("of_aspects", [False, True])
def test_the_table_of_a_reading_is_read_in_any_order_and_in_part(of_aspects, keep):
    pytest.importorskip("pyarrow")
    qrels = {"a": {"d1": 1, "d2": 2}, "b": {"é": 1, "d1": 0}, "c": {"d3": 1}}
    run = {"a": {"x": 3.0, "d1": 2.0, "d2": 1.0}, "b": {"yy": 2.0, "é": 0.5}, "c": {"zzz": 2.0, "d3": 1.0}, "n": {}}
    if of_aspects:
        qrels = {q: {doc: {"1": grade, "2": 1} for doc, grade in judged.items()} for q, judged in qrels.items()}
    whole = tr.read(qrels, run, keep=keep)
    table, small = whole.to_arrow(), whole.to_arrow(judgements=False)
    assert same(Reading.from_arrow(table.take([3, 1, 2, 0])), whole)
    assert same(Reading.from_arrow(small.take([2, 0, 3, 1]), whole.qrels), whole)
    for first, n in ((0, 2), (1, 1), (1, 2), (2, 1)):
        some = {query: qrels[query] for query in list(qrels)[first : first + n]}
        part = tr.read(some, {query: run[query] for query in some}, keep=keep)
        assert same(Reading.from_arrow(table.slice(first, n)), part)


def test_judgements_that_a_table_lacks_are_given_in_any_form(tmp_path):
    pytest.importorskip("pyarrow")
    (tmp_path / "qrels").write_text("q 0 a 1\nr 0 b 1\n")
    qrels = {"q": {"a": 1}, "r": {"b": 1}}
    whole = tr.read(qrels, {"q": ["a"], "r": []})
    small = whole.to_arrow(judgements=False)
    for judged in (whole.qrels, qrels, tmp_path / "qrels"):
        assert same(Reading.from_arrow(small, judged), whole)


def test_repeats_come_back_from_arrow():
    pytest.importorskip("pyarrow")
    rules = {"duplicates": "count"}
    reading = tr.read({"q": {"a": 1}, "r": {"b": 1}}, {"q": ["a", "x", "a", "x"], "r": ["b", "b"]}, rules=rules)
    assert Reading.from_arrow(reading.to_arrow()).repeats.tolist() == reading.repeats.tolist() == [2, 1]


def test_a_table_of_something_else_and_one_of_another_version_are_told_apart():
    pyarrow = pytest.importorskip("pyarrow")
    with pytest.raises(tr.InputError, match="the table is not one of a reading: it lacks the metadata"):
        Reading.from_arrow(pyarrow.table({"query": ["q"]}))
    table = tr.read({"q": {"a": 1}}, {"q": ["a"]}).to_arrow()
    said = {key: text.replace(b'"version": 3', b'"version": 2') for key, text in table.schema.metadata.items()}
    with pytest.raises(tr.InputError, match="another version of truerank wrote this reading: read the run again"):
        Reading.from_arrow(table.replace_schema_metadata(said))


def test_what_was_worked_out_of_a_reading_does_not_travel_with_it():
    def made():
        return tr.read({"q": {"a": 1, "b": 2}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}})

    reading = made()
    assert tr.evaluate(reading, measures="EC nDCG@10 AP").mean
    assert same(pickle.loads(pickle.dumps(reading)), made())
    assert len(pickle.dumps(reading.rows)) == len(pickle.dumps(made().rows))


def test_unused_values_of_the_second_column_are_told_of_after_a_reading_was_saved(tmp_path):
    pytest.importorskip("pyarrow")
    qrels, run = tmp_path / "qrels", {"q": ["a"], "r": ["b"]}
    qrels.write_text("q 1 a 1\nr 2 b 1\n")
    whole = tr.evaluate(qrels, run, "RR")
    assert whole.ledger.iterations == 2
    tr.read(qrels, run).save(tmp_path / "run.arrow")
    assert tr.evaluate(qrels, tmp_path / "run.arrow", "RR").ledger == whole.ledger
    more = tr.read({"s": ["c"]}, {"s": ["c"]})
    assert tr.evaluate(tr.merge([more, Reading.load(tmp_path / "run.arrow")]), measures="RR").ledger.iterations == 2


def test_a_query_in_two_parts_is_refused():
    part = tr.read({"q": {"a": 1}}, {"q": ["a"]})
    with pytest.raises(tr.InputError, match="query q is answered in two parts"):
        tr.merge([part, part])
    with pytest.raises(tr.RulesError, match="different rules"):
        tr.merge([part, tr.read({"q": {"a": 1}}, {}, rules={"ties": "input"})])
    with pytest.raises(tr.InputError, match="no reading"):
        tr.merge([])


def test_without_qrels_every_query_is_read():
    reading = tr.read(None, {"b": ["y", "x"], "a": ["x"]}, keep="all")
    assert reading.rows.queries == (b"a", b"b")
    assert reading.docs(reading.rows.doc) == [b"x", b"y", b"x"]
    assert reading.rows.returned.tolist() == [1, 2]


@pytest.mark.parametrize("name", sorted(presets()))
def test_judgements_go_with_the_last_reading_of_them(name, tmp_path):
    rules = tr.Rules.named(name)
    if rules.unit == "line":
        pytest.skip("a contest reads its answers, not judgements of documents")
    judged, returned = tmp_path / "aspects.qrels", tmp_path / "a.run"
    second = "12" if rules.iteration == "aspect" else "00"
    judged.write_text(f"q1 {second[0]} d1 1\nq1 {second[1]} d2 1\nq2 0 d3 1\n")
    returned.write_text("q1 Q0 d1 1 2.0 a\nq1 Q0 d2 2 1.0 a\nq2 Q0 d3 1 2.0 a\n")
    qrels = tr.read_qrels(judged)
    tr.evaluate(qrels, returned, ["P@1"], rules=rules)
    held = weakref.ref(qrels)
    del qrels
    gc.collect()
    assert held() is None


@pytest.mark.parametrize("rules", [{"depth": 1}, {"unjudged": "removed"}, {"depth": 1, "ties": "input"}])
def test_what_a_depth_cuts_off_goes_at_once(rules):
    """No reference leads in a circle: arrays do not count for the collector, which would come late."""
    reading = tr.read({"q": {"a": 1, "b": 1}}, {"q": {"a": 2.0, "b": 2.0, "c": 1.0}}, rules=rules)
    scores = tr.evaluate(reading, measures="AP nDCG@2")
    assert scores.mean
    held = [weakref.ref(each) for each in (reading.hits, reading, scores)]
    gc.disable()
    try:
        del reading, scores
        assert [each() for each in held] == [None] * 3
    finally:
        gc.enable()


def test_a_mean_does_not_hold_the_values_of_the_queries():
    qrels, run = ({f"q{i}": {"a": grade} for i in range(1000)} for grade in (1, 2.0))
    scores = tr.evaluate(qrels, run, "AP nDCG")
    assert len(pickle.dumps(scores.mean)) < 5000
    assert pickle.loads(pickle.dumps(scores.mean))["map"] == 1.0
    assert type(scores.to_dict()["mean"]) is dict


def test_scores_that_rise_along_every_list_are_told_of_whatever_the_run_is_read_from(tmp_path, monkeypatch):
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr("truerank.formats.trec.PIECE", 1)  # so that threads read pieces of it
    qrels = {f"q{i}": {"d0": 1} for i in range(9)}
    rising = [(query, doc, far / 10) for query in [*qrels, "unjudged"] for far, doc in enumerate(DOCS)]
    scattered = sorted(rising, key=lambda row: row[1])
    for rows, does_rise in ((rising, True), (rising[::-1], False), (scattered, True), (scattered[::-1], False)):
        lists = {query: {doc: far for other, doc, far in rows if other == query} for query, *_ in rows}
        columns = dict(zip(("query_id", "doc_id", "score"), map(list, zip(*rows, strict=True)), strict=True))
        (tmp_path / "far.run").write_text("".join(f"{query} Q0 {doc} 1 {far} t\n" for query, doc, far in rows))
        table = ["query_id\tdoc_id\tscore\n", *(f"{query}\t{doc}\t{far}\n" for query, doc, far in rows)]
        (tmp_path / "far.tsv").write_text("".join(table))
        (tmp_path / "far.json").write_text(json.dumps(lists))
        parquet.write_table(pyarrow.table(columns), tmp_path / "far.parquet")
        for run in (lists, pyarrow.table(columns), *tmp_path.iterdir()):
            for threads in (1, 2):
                reading = tr.read(qrels, run, threads=threads)
                assert (reading.rising, reading.extra) == (does_rise, (b"unjudged",))


def test_a_budget_needs_the_rows_of_unjudged_documents():
    reading = tr.read({"q": {"a": 1}}, {"q": ["x", "a"]}, keep=1)
    with pytest.raises(tr.InputError, match="the reading lacks unjudged documents; read the run with keep='all'"):
        reading.within(9, {"x": 5, "a": 5})


def test_of_some_queries_no_other_is_extra_and_their_own_repeats_are_counted():
    run = [(query, doc, 1.0) for query, docs in {"q": "aab", "r": "ccc", "z": "d"}.items() for doc in docs]
    frame = {name: [row[place] for row in run] for place, name in enumerate(("query_id", "doc_id", "score"))}
    pandas = pytest.importorskip("pandas")
    reading = tr.read({"q": {"a": 1}, "r": {"c": 1}}, pandas.DataFrame(frame), rules={"duplicates": "first"})
    assert (reading.repeated, reading.extra) == (3, (b"z",))
    assert (reading.only(b"r").repeated, reading.only(b"r").extra) == (2, ())


@pytest.mark.parametrize("blocks", ["qr", "rqs", "qrq", "qsqrsq", "srqs"])
@pytest.mark.parametrize("threads", [1, 2, 3, 4])
def test_a_query_that_goes_on_in_the_piece_of_another_thread_is_ranked_as_a_whole(
    blocks, threads, tmp_path, monkeypatch
):
    monkeypatch.setattr("truerank.formats.trec.PIECE", 1)  # so that threads read pieces of it
    rows = [(query, f"d{place}{each}", 9 - place % 3) for place, query in enumerate(blocks) for each in "abc"]
    path = tmp_path / "run"
    path.write_text("".join(f"{query} Q0 {doc} 1 {score} t\n" for query, doc, score in rows))
    lists = {query: {doc: score for other, doc, score in rows if other == query} for query in blocks}
    qrels = {query: dict.fromkeys(list(docs)[::2], 1) for query, docs in lists.items()}
    reading, whole = tr.read(qrels, path, threads=threads, keep="all"), tr.read(qrels, lists, keep="all")
    assert reading.interleaved == (len(lists) < len(blocks))
    assert reading.docs(reading.rows.doc) == whole.docs(whole.rows.doc)
    assert tr.evaluate(reading, measures="AP P@3").per_query() == tr.evaluate(qrels, lists, "AP P@3").per_query()


@pytest.mark.parametrize(
    ("lists", "steps", "falls", "rises"),
    [(3, 10, False, True), (2, 50, False, False), (9, 9, False, False), (9, 90, True, False)],
)
def test_few_lists_few_steps_and_one_that_falls_do_not_tell_that_scores_rise(lists, steps, falls, rises):
    assert Scoring(lists, steps, falls).rises == rises
    parts = (
        Scoring(1, 1) + Scoring(lists - 1, steps - 1, falls),
        Scoring(lists - 1, steps - 1, falls) + Scoring(1, 1),
    )
    assert [part.rises for part in parts] == [rises, rises]
    assert parts[0] == parts[1] == (Scoring(falls=True) if falls else Scoring(lists, steps))


def test_parts_of_a_few_lists_tell_together_that_scores_rise():
    """A part has too few lists to tell, and one that answers nothing says nothing against it."""
    far = {f"q{i}": {doc: float(at) for at, doc in enumerate(DOCS)} for i in range(9)}
    qrels = {query: {"d0": 1} for query in far}
    parts = [tr.read(qrels, {query: docs}) for query, docs in far.items()] + [tr.read(qrels, {})]
    assert not any(part.rising for part in parts)
    saved = [tr.Reading.from_arrow(part.to_arrow()) for part in parts]
    summaries = [{None: Summary.of(tr.evaluate(part, measures="AP"), part)} for part in parts]
    near = tr.read(qrels, {"q0": ["d0", "d1"]})
    for some in (parts, saved):
        assert tr.merge(some).scoring == tr.read(qrels, far).scoring
        assert tr.evaluate(tr.merge(some), measures="AP").ledger.rising
        assert not tr.merge([*some[1:], near]).rising
    assert merged(summaries)[None].ledger.rising
    falling = {None: Summary.of(tr.evaluate(near, measures="AP"), near)}
    assert not merged([*summaries[1:], falling])[None].ledger.rising


def test_runs_without_scores_have_no_measure_of_one_list_by_score(tmp_path):
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    qrels = {"1": {"10": 1}, "2": {"20": 1}}
    rows = [(query, doc, rank) for query in qrels for rank, doc in enumerate(("10", "20"), 1)]
    table = pyarrow.table(
        dict(zip(("query_id", "doc_id", "rank"), map(list, zip(*rows, strict=True)), strict=True))
    )
    parquet.write_table(table, tmp_path / "ranks.parquet")
    text = "".join(f"{query}\t{doc}\t{rank}\n" for query, doc, rank in rows)
    (tmp_path / "ranks.tsv").write_text("query_id\tdoc_id\trank\n" + text)
    (tmp_path / "lists.json").write_text(json.dumps({query: ["10", "20"] for query in qrels}))
    (tmp_path / "mixed.jsonl").write_text(
        '{"query_id": "1", "results": ["10", "20"]}\n{"query_id": "2", "results": {"10": 0.9, "20": 0.8}}\n'
    )
    lists = {"1": ["10", "20"], "2": ["10", "20"]}
    calls = {query: [["10"], ["20"]] for query in qrels}
    concatenated = tr.Rules(calls="concatenated")
    runs = (lists, table, *tmp_path.iterdir())
    for run, rules in (*((run, None) for run in runs), (calls, concatenated)):
        reading = tr.read(qrels, run, rules=rules, keep="all")
        for saved in (reading, tr.Reading.from_arrow(reading.to_arrow()), tr.merge([reading])):
            for measure in ("GAP", "microAP@2"):
                with pytest.raises(tr.MeasureError, match="this run has ranks in place of scores"):
                    tr.evaluate(saved, measures=[measure, "AP"])
            assert tr.evaluate(saved, measures="AP").mean["AP"] == 0.75
    parts = [tr.read(qrels, {"1": {"10": 0.9}}, keep="all"), tr.read(qrels, {"2": ["20"]}, keep="all")]
    assert tr.evaluate(parts[0], measures="GAP").mean["GAP"] == 0.5
    with pytest.raises(tr.MeasureError, match="ranks in place of scores"):
        tr.evaluate(tr.merge(parts), measures="GAP")


def test_lists_without_documents_have_scores_enough():
    assert tr.evaluate({"q": {"a": 1}, "r": {"b": 1}}, {"q": [], "r": {"b": 0.5}}, "GAP").mean["GAP"] == 0.5


def test_of_a_saved_reading_that_is_changed_anywhere_nothing_else_is_read(tmp_path):
    """Not of one with a bit that is another, and not of one that is cut, or that another one follows."""
    pyarrow = pytest.importorskip("pyarrow")
    whole = tr.read({"q": {"a": 1, "b": 2}}, {"q": {"x": 3.0, "b": 1.0}, "r": ["y"]}, keep="all")
    bad = tmp_path / "bad"
    whole.save(tmp_path / "whole")
    data = (tmp_path / "whole").read_bytes()
    refused = []
    for place in range(0, len(data), 5):
        bad.write_bytes(data[:place] + bytes([data[place] ^ 1 << place % 8]) + data[place + 1 :])
        try:
            assert same(Reading.load(bad), whole)
        except tr.InputError:
            refused.append(place)
    assert len(refused) > len(data) / 10  # a footer repeats what stands before it
    with pyarrow.ipc.new_file(tmp_path / "own", (table := whole.to_arrow()).schema) as file:
        file.write_table(table)
    own = (tmp_path / "own").read_bytes()  # which nobody can tell from one that is damaged
    for other in (data[:-1], data[: len(data) // 2], data + b"\0", data + data, own):
        bad.write_bytes(other)
        with pytest.raises(tr.InputError, match="no reading that was saved, or it is damaged or cut short"):
            Reading.load(bad)


def test_readings_with_different_judgements_are_not_compared(tmp_path):
    mine, others = {"q": {"a": 1, "b": 1}}, {"q": {"b": 1, "c": 1}}
    judged = mine, others, {"q": {"b": 1, "a": 1}}
    one, two, same_too = (tr.read(qrels, {"q": ["a", "b"]}, keep="all") for qrels in judged)
    ways = [
        lambda qrels, *runs: tr.compare(qrels, list(runs), "RR"),
        lambda qrels, *runs: tr.diff(qrels, *runs, "RR"),
        lambda qrels, *runs: tr.judge_next(qrels, *runs, "RR"),
        lambda qrels, *runs: tr.write_report(qrels, list(runs), tmp_path / "report.json", "RR"),
    ]
    for way in ways:
        way(None, one, same_too)
        way(mine, one, {"q": ["b"]})
        for qrels, runs in ((None, (one, two)), (others, (one, one)), (mine, ({"q": ["b"]}, two))):
            with pytest.raises(tr.InputError, match="this reading was made with other judgements than"):
                way(qrels, *runs)


@pytest.mark.parametrize(
    ("own", "rules"),
    [
        ({"q": {"a": {"x": 1}, "b": {"y": 1}}}, {}),
        ({"q": {"q": 2, "a": 1}}, {"self_match": "remove-from-answers"}),
    ],
)
def test_a_saved_reading_is_of_its_judgements_alone_also_of_aspects_and_of_the_query_itself(own, rules, tmp_path):
    pytest.importorskip("pyarrow")
    tr.read(own, {"q": ["q", "a", "b"]}, rules=rules).save(tmp_path / "run.arrow")
    first, last = own["q"].items()
    in_another_order = {"q": dict([last, first])}
    for same_judgements in (own, in_another_order):
        tr.evaluate(same_judgements, tmp_path / "run.arrow", "AP", rules=rules)
    others = [{"q": {**own["q"], first[0]: {"x": 1, "y": 1} if not rules else 1}}, {**own, "r": own["q"]}]
    for other_judgements in others:
        with pytest.raises(tr.InputError, match="other judgements than"):
            tr.evaluate(other_judgements, tmp_path / "run.arrow", "AP", rules=rules)


@given(QRELS, RUN, st.integers(0, 6))
def test_within_a_budget_a_reading_is_that_of_lists_that_end_there(qrels, run, budget):
    order = {q: sorted(sorted(docs, reverse=True), key=lambda doc: -docs[doc]) for q, docs in run.items()}
    shorter = {q: {doc: run[q][doc] for doc in docs[:budget]} for q, docs in order.items()}
    lengths = dict.fromkeys([*DOCS, "u1", "u2", "u3"], 1)
    within = tr.read(qrels, run, keep="all").within(budget, lengths)
    assert same(within, tr.read(qrels, shorter, keep="all"))


@pytest.mark.parametrize("duplicates", ["count", "once"])
def test_within_a_budget_the_repeats_are_those_that_are_read(duplicates):
    rows = [("q", doc, -place) for place, doc in enumerate("xaabb")]
    reading = tr.read({"q": {"a": 1, "b": 1}}, rows, rules={"duplicates": duplicates}, keep="all")
    for budget, repeated in ((2, 0), (3, 1), (4, 1), (5, 2)):
        within = reading.within(budget, dict.fromkeys("xab", 1))
        assert tr.evaluate(within, measures="AP").ledger.duplicates == repeated
        again = tr.read({"q": {"a": 1, "b": 1}}, rows[:budget], rules=reading.rules, keep="all")
        assert tr.evaluate(within, measures="AP P@2").mean == tr.evaluate(again, measures="AP P@2").mean


def test_the_highest_grade_of_a_collection_goes_with_some_of_its_queries(tmp_path):
    judged = tr.Qrels.from_dict({"a": {"x": 1}, "b": {"y": 1}, "c": {"z": 4}})
    run, value = {"a": ["x"], "b": ["y"]}, 1 / 16
    parts = [tr.read(judged.select(np.array(keep)), run) for keep in ([True, False, False], [False, True, False])]
    parts[0].save(tmp_path / "part.reading")
    back = tr.Reading.load(tmp_path / "part.reading")
    assert tr.evaluate(back, measures="ERR").mean == {"ERR": value}
    assert tr.evaluate(tr.merge([back, parts[1]]), measures="ERR").mean == {"ERR": value}


def test_the_judgements_of_a_reading_still_find_what_left_the_answers(tmp_path: Path) -> None:
    qrels = {"q": {"q": 1, "a": 1}, "r": {"b": 1, "r": 2}, "s": {"s": IGNORED, "c": 1}}
    rules = tr.Rules(self_match="remove-from-answers")
    reading = tr.read(qrels, {"q": {"q": 3.0, "a": 1.0}}, rules=rules)
    reading.save(tmp_path / "one.arrow")
    run = {"q": {"q": 2.0, "a": 1.0}, "r": {"x": 3.0, "b": 2.0}, "s": {"s": 2.0, "c": 1.0}}
    for judged in (qrels, reading.qrels, tmp_path / "one.arrow"):
        assert tr.evaluate(judged, run, "R@5", rules=rules)["R@5"].tolist() == [0.5, 0.5, 1.0]
    again = tr.Reading.from_arrow(reading.to_arrow(judgements=False), reading.qrels)
    assert again.qrels.apart == {b"q": 1.0, b"r": 2.0}


@pytest.mark.parametrize("own", ["remove", "remove-from-answers"])
def test_the_judgements_of_a_reading_that_ignored_the_querys_own_document_are_of_that_rule_alone(own, tmp_path):
    pytest.importorskip("pyarrow")
    qrels, run = {"q": {"q": 2, "b": 1}, "r": {"b": 1}}, {"q": ["c", "q", "b"]}
    reading = tr.read(qrels, run, rules={"self_match": own})
    reading.save(tmp_path / "one.arrow")
    parts = [tr.read({query: grades}, run, rules={"self_match": own}) for query, grades in qrels.items()]
    for judged in (reading.qrels, tr.merge(parts).qrels, tmp_path / "one.arrow"):
        as_read = tr.evaluate(judged, run, "nDCG", rules={"self_match": own}).mean
        assert as_read == tr.evaluate(qrels, run, "nDCG", rules={"self_match": own}).mean
        for other in {"keep", "remove", "remove-from-answers"} - {own}:
            with pytest.raises(tr.RulesError, match=f"under self_match = '{own}'; for '{other}' give the qrels"):
                tr.evaluate(judged, run, "nDCG", rules={"self_match": other})


@pytest.mark.parametrize(
    "rows",
    ["q 1 a 1\nq 2 b 2\nr 1 b 1\n", "q 1 a 1\nq 2 a 2\nr 1 b 1\n", "q 0 a 1\nq 0 b 2\nr 0 b 1\n"],
    ids=["several", "twice", "one"],
)
@pytest.mark.parametrize("other", ["ignore", "aspect"])
def test_a_saved_reading_still_has_the_second_column_of_trec(rows, other, tmp_path):
    pytest.importorskip("pyarrow")
    (tmp_path / "own.qrels").write_text(rows)
    run = {"q": ["x", "b", "a"], "r": ["b"]}
    tr.read(tmp_path / "own.qrels", run, rules={"iteration": "aspect"}).save(tmp_path / "one.arrow")
    given = [tmp_path / "one.arrow", tmp_path / "own.qrels"]
    if "q 0" in rows:
        tr.read(tmp_path / "own.qrels", run).save(tmp_path / "other.arrow")
        given.append(tmp_path / "other.arrow")

    def said(qrels: Path) -> object:
        try:
            scores = tr.evaluate(qrels, run, "nDCG alpha_nDCG@10", rules={"iteration": other})
        except tr.TruerankError as error:
            return type(error), str(error).split(": ")[1:]
        return scores.mean

    assert len({str(said(qrels)) for qrels in given}) == 1


def test_judgements_of_documents_that_left_the_answers_alone_are_not_written_without_their_grades(tmp_path):
    pytest.importorskip("pyarrow")
    qrels, run = {"q": {"q": 2, "b": 1}}, {"q": ["c", "q", "b"]}
    tr.read(qrels, run, rules={"self_match": "remove-from-answers"}).save(tmp_path / "one.arrow")
    with pytest.raises(tr.InputError, match="which json cannot say: convert the qrels that it was made with"):
        convert(tmp_path / "one.arrow", tmp_path / "qrels.json", what="qrels")
