"""Everything that came back, judged or not: the rows that the engine itself has no need of.

This is the one idea again: a whole ranking is `Hits` too, once every document that came back passes for judged.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from truerank.core.evaluate import ranked
from truerank.core.hits import Hits
from truerank.core.qrels import Ints, Qrels
from truerank.core.rules import Rules
from truerank.core.run import Ranked, Run
from truerank.core.scan import Scan, scan

NOBODY = -math.inf
"""The grade of a document that nobody judged, while it stands among those that somebody did: below all others, so
that it leaves the list where unjudged ones do."""


def with_all(judged: Mapping[bytes, Mapping[bytes, float]], lists: Iterable[Ranked]) -> Qrels:
    """The judgements, and with the grade `NOBODY` all documents that came back for their queries without one.

    Args:
        judged: {query: {document: grade}}.
        lists: what came back, for these queries alone.

    >>> everything = with_all({b"q": {b"a": 2.0, b"b": 0.0}}, [Ranked(b"q", [b"x", b"a"])])
    >>> everything.to_dict()
    {b'q': {b'a': 2.0, b'b': 0.0, b'x': -inf}}
    """
    known = {query: dict(grades) for query, grades in judged.items()}
    for part in lists:
        for doc in part.docs:
            known[part.query].setdefault(doc, NOBODY)
    docs = [doc for each in known.values() for doc in each]
    grades = [grade for each in known.values() for grade in each.values()]
    query = np.repeat(np.arange(len(known)), [len(each) for each in known.values()])
    return Qrels.from_rows(list(known), query, docs, grades)


def scan_all(run: Run, everything: Qrels, rules: Rules) -> Scan:
    """Where all of a run's rows stand; those of a document that counts once too, as they take up ranks."""
    is_kept = rules.duplicates == "once" and rules.unjudged != "removed"
    return scan(run, everything.judged, rules.replace(duplicates="count") if is_kept else rules)


def ranked_rows(qrels: Qrels, found: Scan, rules: Rules, name: str) -> tuple[Hits, Ints]:
    """The hits of a run whose documents were found already, and (hits,) which row of the qrels each is."""
    table = found.table.copy()
    table["score"] = np.arange(len(table))  # so that the rows that the rules let through can be told
    rows = ranked(qrels, replace(found, table=table), rules, name).score.astype(np.int64)
    return ranked(qrels, found, rules, name), found.table["doc"][rows].astype(np.int64)
