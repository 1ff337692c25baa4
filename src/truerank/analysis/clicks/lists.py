"""The lists of a run as documents in order, to look up where a document that was clicked stands."""

from __future__ import annotations

import itertools
import os

from truerank.core._kernel import as_text
from truerank.core.evaluate import as_one_list
from truerank.core.messages import message
from truerank.core.reading import Keep, read
from truerank.core.rules import RulesLike
from truerank.core.run import RunLike
from truerank.formats import open_run


def lists_of(
    run: RunLike, name: str | None = None, *, keep: Keep = "all", rules: RulesLike | None = None
) -> dict[str, list[str]]:
    """{query: its documents, best first}, in the order of the rules.

    >>> lists_of({"q": {"a": 1.0, "b": 2.0}})
    {'q': ['b', 'a']}
    """
    source = open_run(run, name=None if isinstance(run, str | os.PathLike) else name)
    reading = read(None, source, rules=rules, keep=keep)
    rows = as_one_list(reading.rows, reading.rules, message("what a list is"))
    docs = map(as_text, reading.docs(rows.doc))
    sizes = zip(rows.queries, rows.count.tolist(), strict=True)
    return {as_text(query): list(dict.fromkeys(itertools.islice(docs, size))) for query, size in sizes}
