"""Whole rankings as hits: all that came back passes for judged."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from truerank.core.everything import NOBODY, ranked_rows, scan_all, with_all
from truerank.core.hits import Hits
from truerank.core.qrels import Qrels
from truerank.core.rankings import rankings
from truerank.core.rules import Rules
from truerank.core.run import Ranked, Run
from truerank.formats import open_run, read_qrels
from worlds import World, worlds

Named = list[tuple[str, str, int, float]]


def everything_of(qrels: object, run: Run) -> Qrels:
    return with_all(read_qrels(qrels).to_dict(), rankings(run.batches()))


def named(everything: Qrels, run: Run, rules: Rules) -> Named:
    """(query, document, rank, grade) of each hit."""
    hits, rows = ranked_rows(everything, scan_all(run, everything, rules), rules, run.name)
    docs = [everything.doc(row).decode() for row in rows.tolist()]
    columns = [hits.queries[q].decode() for q in hits.query.tolist()], docs, hits.rank.tolist(), hits.grade.tolist()
    return list(zip(*columns, strict=True))


@settings(deadline=None)
@given(worlds())
def test_a_whole_ranking_is_the_sorted_list(world: World) -> None:
    found = named(everything_of(world.qrels, world.lines()), world.lines(), Rules())
    assert found == [
        (query, doc, rank, world.qrels[query].get(doc, NOBODY))
        for query in sorted(world.qrels)
        for rank, doc in enumerate(world.ranked(query), 1)
    ]


@settings(deadline=None)
@given(worlds())
def test_what_nobody_judged_leaves_the_list_where_the_rules_say_so(world: World) -> None:
    rules = Rules(unjudged="removed", depth=3, without_relevant="skip")
    expected: Named = []
    for query in sorted(world.qrels):
        judged = [(query, doc, world.qrels[query][doc]) for doc in world.ranked(query) if doc in world.qrels[query]]
        kept = [each for each in judged if each[2] >= 0][:3]
        if max(world.qrels[query].values(), default=0) >= 1:
            expected += [(query, doc, rank, grade) for rank, (query, doc, grade) in enumerate(kept, 1)]
    assert named(everything_of(world.qrels, world.lines()), world.lines(), rules) == expected


@settings(deadline=None)
@given(worlds())
def test_of_judged_documents_alone_the_rows_are_those_of_the_qrels(world: World) -> None:
    qrels = read_qrels(world.qrels)
    for query, doc, _, grade in named(qrels, world.lines(), Rules(unjudged="removed")):
        assert world.qrels[query][doc] == grade


@pytest.mark.parametrize(("rules", "docs"), [({}, "aab"), ({"unjudged": "removed"}, "ab")])
def test_a_document_that_counts_once_keeps_its_later_ranks_while_unjudged_ones_do(
    rules: dict[str, str], docs: str
) -> None:
    run = open_run([("q", ["a", "a", "b"])])
    everything = everything_of({"q": {"a": 1, "b": 1}}, run)
    found = named(everything, run, Rules.of({"duplicates": "once", **rules}))
    assert [(doc, rank) for _, doc, rank, _ in found] == list(zip(docs, range(1, 4), strict=False))


def test_the_scores_of_the_hits_are_the_run_s_own() -> None:
    run = open_run({"q": {"a": 2.5, "x": 2.5, "b": -1.0}})
    everything = everything_of({"q": {"a": 1}}, run)
    hits: Hits = ranked_rows(everything, scan_all(run, everything, Rules()), Rules(), "run")[0]
    assert hits.score.tolist() == [2.5, 2.5, -1.0]
    assert (hits.first.tolist(), hits.last.tolist()) == ([1, 1, 3], [2, 2, 3])


def test_judgements_are_not_changed() -> None:
    judged = {b"q": {b"a": 1.0}}
    with_all(judged, [Ranked(b"q", [b"x"])])
    assert judged == {b"q": {b"a": 1.0}}
