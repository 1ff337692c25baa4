"""The names under which the field's files keep a query's id, a document's id, its score and its grade."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from truerank.core.errors import InputError, quoted
from truerank.core.messages import message

# Each as `folded` spells it, the surest first: a file may have "docno" beside "docid", "qid" beside "query".
QUERY = ("queryid", "qid", "evalid", "topicid", "questionid", "topic", "query", "q", "userid", "user")
DOC = (
    "docno",
    "docid",
    "documentid",
    "corpusid",
    "passageid",
    "pid",
    "itemid",
    "iid",
    "movieid",
    "productid",
    "articleid",
    "newsid",
    "doc",
    "document",
    "item",
    "id",
    "chunkid",
)
SCORE = ("score", "sim", "similarity", "relevancescore", "prediction")
RANK = ("rank", "position")
GRADE = (
    *("relevance", "grade", "rel", "relevant", "label", "relevancegrade", "judgment", "judgement", "gain"),
    "rating",
)

ASPECT = ("aspect", "subtopic", "subtopicid", "intent", "intentid", "nugget", "facet", "hop")
WEIGHTS = ("weights", "probabilities")
WEIGHT = ("weight", "probability", "prob", "importance")
CALL = ("call",)
"""Which of a query's lists a row is in, where a system was asked several times."""

_LISTED = ("docids", "chunkids", "passageids", "contextids", "ids")

# Lists of documents, one list a query.
ANSWERS = (
    "topk",
    "results",
    "docs",
    "ranking",
    "hits",
    "documents",
    "retrieved",
    *("retrieved" + ids for ids in (*_LISTED, "docs", "documents")),
    "docids",
    "items",
    "candidates",
)
SCORES = ("scores", "sims", "similarities")
RELEVANT = (
    "relevant",
    "relevantdocs",
    *(which + ids for which in ("relevant", "gold", "reference", "expected") for ids in _LISTED),
    "groundtruth",
    "truth",
    "gold",
    "positives",
    "qrels",
    "judgments",
)

IDS = (
    *("id", "image", "imageid", "filename", "file", "name", "imagename", "path", "filepath", "imagepath", "img"),
    *("reference", "referenceid", "ref", "refid", "key", *DOC, "index", "idx", "indices", "i", "faissid"),
    *("label", "labels", "ids", "names", "paths", "filenames", "images", "files", "keys", "references", "docids"),
)
"""What an id, or the array of the ids, is called."""

LOWER = ("distance", "distances", "dist", "dists", "d", "l2", "l2distance", "l2distances", "squareddistance")
HIGHER = (
    "similarity",
    "similarities",
    "sim",
    "sims",
    "cosine",
    "innerproduct",
    "ip",
    "score",
    "scores",
    "confidence",
)
"""What orders neighbours, the surest first: the lower the better, the higher the better."""

PATTERN = r"_(\d{12}_\d{5})_"
"""Where the name of a query's own file has its id: a date, a time and a number."""

NAME = "{}.jpg"
"""What that query is called: what the pattern found stands for {}."""


@lru_cache(maxsize=256)
def folded(name: str) -> str:
    """A name without case, blanks and punctuation: "query-id", "query_id" and "queryId" are one."""
    return re.sub(r"[\W_]+", "", name).lower()


def find(names: Sequence[str], wanted: Iterable[str]) -> int | None:
    """Where the first wanted name stands that is there at all."""
    places = {folded(name): i for i, name in reversed(list(enumerate(names)))}
    return next((places[name] for name in wanted if name in places), None)


class Layout(NamedTuple):
    """Which columns of a table hold what.

    Attributes:
        value: the column of the score or the grade.
        falling: the value is a rank: the lower, the better.
        unsure: a grade in a column named score, as BEIR has it; whole numbers are taken for grades.
        aspect, weight: of qrels: the columns of the part of its query that each judgement is about, and of that
            part's weight; None where there are none.
        call: the column of the call that returned a row; None where queries have one list.
    """

    query: int
    doc: int
    value: int
    falling: bool = False
    unsure: bool = False
    aspect: int | None = None
    weight: int | None = None
    call: int | None = None

    @property
    def places(self) -> tuple[int, ...]:
        """The columns that are read, in the order of `packed`."""
        more = (place for place in (self.aspect, self.weight, self.call) if place is not None)
        return self.query, self.doc, self.value, *more

    @property
    def packed(self) -> Layout:
        """The layout where no other columns are left."""
        aspect, weight = (None if place is None else 3 + i for i, place in enumerate((self.aspect, self.weight)))
        call = None if self.call is None else 3
        return self._replace(query=0, doc=1, value=2, aspect=aspect, weight=weight, call=call)


def layout(names: Sequence[str], what: str, path: str | None, line: int | None = None) -> Layout:
    """The columns of a run or of qrels.

    Raises:
        InputError: no column has a name that is known for what is needed, or two have the same.
    """
    columns = _layout(names, what, path, line)
    for place in columns.places:
        same = [name for name in names if folded(name) == folded(names[place])]
        if len(same) > 1:
            raise InputError(
                "{n} columns have one name, {names}: keep one of them", path, line, n=len(same), names=few(same)
            )
    return columns


def _layout(names: Sequence[str], what: str, path: str | None, line: int | None) -> Layout:
    query, doc, score, grade, rank = (find(names, wanted) for wanted in (QUERY, DOC, SCORE, GRADE, RANK))
    if query is None or doc is None:
        said = (
            message("no column holds the query ids; name it query_id (there is {known})", known=few(names))
            if query is None
            else message("no column holds the document ids; name it doc_id (there is {known})", known=few(names))
        )
        is_bare = what == "run" and len(names) == 3 and names[2].isdecimal()
        hint = message(
            "{fault}; the format msmarco reads query, document and rank without a header (--run-format msmarco)",
            fault=said,
        )
        raise InputError(hint if is_bare else said, path, line)
    if what == "run" and score is not None:
        return Layout(query, doc, score, call=find(names, CALL))
    if what == "run" and rank is not None:
        return Layout(query, doc, rank, falling=True, call=find(names, CALL))
    if what == "qrels" and (grade is not None or score is not None):
        aspect = find(names, ASPECT)
        weight = None if aspect is None else find(names, WEIGHT)
        value = score if grade is None else grade
        assert value is not None
        return Layout(query, doc, value, unsure=grade is None, aspect=aspect, weight=weight)
    known = few(names)
    if what == "run":
        fault = message("no column holds the scores; name it score (there is {known})", known=known)
        swapped = grade is not None and message(
            "{fault}; these look like qrels: are the two files swapped?", fault=fault
        )
    else:
        fault = message(
            "no column holds the grades; name it relevance, or where every row is relevant add a column relevance "
            "of 1 (there is {known})",
            known=known,
        )
        swapped = rank is not None and message(
            "{fault}; these look like a run: are the two files swapped?", fault=fault
        )
    raise InputError(swapped or fault, path, line)


def kind(names: Sequence[str]) -> str | None:
    """Whether a table with these columns holds a "run" or "qrels"; None when it may be either."""
    ranked, graded = (find(names, wanted) is not None for wanted in ((*SCORE, *RANK), GRADE))
    if ranked == graded:
        return None
    return "run" if ranked else "qrels"


def few(names: Sequence[str]) -> str:
    """The first names of columns, for messages."""
    return ", ".join(map(quoted, names[:8])) + (", …" if len(names) > 8 else "")
