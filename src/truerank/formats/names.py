"""The names of columns, keys and arrays of files, by what they hold; and which of them a run or qrels has.

Each list has names as `folded` spells them, the surest first: a file may have "docno" beside "docid".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from truerank.core.errors import InputError, quoted
from truerank.core.messages import Message, message

# Queries: of runs and qrels, of tables about queries, of texts, of arrays.
QUESTION = ("userinput", "question", "input", "request")
"""Its text, which is its id where it has no other, as of RAGAS, DeepEval and Databricks."""
_QUERY = ("queryid", "qid", "evalid", "topicid", "questionid", "query", "q")
_GROUP = ("topic", "userid", "user")  # of queries too, where their text stands beside it
QUERY = (*_QUERY, *QUESTION, *_GROUP, "querytext", "uid")
QUERY_OR_ID = (*_QUERY, *_GROUP, "id", "uid")
QUERY_OF_TEXT = ("queryid", "qid", "evalid", "topicid", "questionid", "id", "topic", "number")
ASKED = ("query", "querytext", *QUESTION)
"""What is a text where an id stands beside it, and both where there is none."""
QUERY_OF_DOC = ("queryid", "qid")
"""Which query a document was returned for, where its text stands there alone."""
QUERY_TEXT = ("text", *ASKED, "standalonequery", "content", "title", "description")
QUERIES = ("queries", "queryids", "qids", *QUERY, "users", "userids")
QUERY_VECTORS = (
    *("test", "queries", "query", "queryf", "qf", "queryvectors"),  # test is ann-benchmarks' name
    *("vectors", "embeddings", "features", "vector"),
)

# Documents: of runs and qrels, of texts; chunks, and what they are parts of.
_DOC_ID = (
    *("docno", "docid", "documentid", "corpusid", "passageid", "pid", "itemid", "iid", "movieid", "productid"),
    *("articleid", "newsid", "fileid", "docuri", "did", "doc"),
)
DOC = (*_DOC_ID, "document", "item", "id", "chunkid", "objectid")
LISTED_DOC = (*_DOC_ID, "item", "id", "chunkid", "objectid", "uuid", "document")
"""In the list of a query, where an id is no query's, and what is called the document beside it is its text."""
DOC_OF_TEXT = ("docno", "pid", "passageid", "docid", "documentid", "corpusid", "itemid", "chunkid", "id", "did")
DOC_TEXT = (
    *("text", "contents", "content", "body", "passage", "chunk", "abstract", "document", "doc", "description"),
    "title",
)
CHUNK = ("chunkid", "nodeid", "passageid", "segmentid", "pid", "id")
CHUNK_TEXT = ("text", "contents", "content", "pagecontent", "passage", "chunk", "body")
SOURCE = (
    *("docid", "docno", "documentid", "sourceid", "parentid", "refdocid", "doc", "document", "parent", "source"),
    *("metadatasource", "metadatadocid", "file", "filename", "filepath", "path", "corpusid", "title", "url"),
)
START = ("start", "startindex", "startchar", "startcharidx", "startoffset", "charstart", "begin", "offset")
END = ("end", "endindex", "endchar", "endcharidx", "endoffset", "charend", "stop")
PAGE = ("page", "pagestart", "startpage", "firstpage", "pagenumber", "pageno")
LAST_PAGE = ("pageend", "endpage", "lastpage")

# What orders documents: the higher the better, the lower the better, either.
_SCORE = ("score", "sim", "similarity", "relevancescore")
SCORE = (*_SCORE, "prediction", "est")
SCORES = (
    *("scores", "sims", "similarities"),
    *(of + "scores" for of in ("retrieved", "retrieval", "retrieve", "doc", "document", "relevance")),
)
DISTANCES = ("distances", "dists")
DISTANCE = (
    *("distance", "dist", "l2distance", "squareddistance", "cosinedistance", "euclideandistance"),
    "vectordistance",
)
RANK = ("rank", "position", "docposition")
RANKS = ("rank", "ranks", "position", "place")
LOWER = (*DISTANCE, *DISTANCES, "d", "l2", "l2distances")
HIGHER = (
    *("similarity", "similarities", "sim", "sims", "cosine", "innerproduct", "ip", "score", "scores"),
    "confidence",
)
ORDER = (*LOWER, *HIGHER, "values")
BESIDE = ((*SCORES, *_SCORE), (*DISTANCES, *DISTANCE), ("ranks", "rank"))
"""The list that stands beside a list of documents: of scores, of distances, of ranks."""
CALL = ("call",)
"""Which of a query's lists a row is in, where a system was asked several times."""

# Judgements.
GRADE = (
    *("relevance", "grade", "rel", "relevant", "label", "relevancegrade", "judgment", "judgement", "gain"),
    *("rating", "rui", "hasanswer", "queryrelevancelabel"),
)
GRADES = ("grades", "relevancegrades", "relevantgrades", "gains")
"""Names of a list of grades that stands beside a list of documents."""
OWN_GRADES = ("relevances", "rels", "ratings", "labels", "relevance", "rel", "grade", "rating", "label", "gain")
"""Names of such a list, too, where no answers stand beside it that the numbers could belong to."""
UNSURE_GRADES = ("scores", "relevancescores", "score")
"""Names of such a list, too; its numbers are grades only where they are whole, as BEIR's are."""
ASPECT = ("aspect", "subtopic", "subtopicid", "intent", "intentid", "nugget", "facet", "hop", "stratum")
WEIGHTS = ("weights", "probabilities")
WEIGHT = ("weight", "probability", "prob", "importance")
ANSWER = ("runid", "run", "system", "answerid")
"""Names of the system whose answer was judged by nuggets."""
PASSAGE = ("docid", "docno", "documentid", "passageid", "segmentid", "chunkid")
"""Names of the passage that was judged by nuggets."""

BEIR = ["query-id", "corpus-id", "score"]
"""BEIR's own, as they are written: there a score is a grade."""

# Lists of documents, one list per query; ids before what may be texts.
_IDS = (*(of + "ids" for of in ("doc", "document", "chunk", "passage", "context", "node", "item", "")), "pids")
_LISTED = (
    *("docs", "documents", "chunks", "passages", "nodes", "items", "sources", "files", "pages", "titles", "urls"),
)


def _each(which: Iterable[str], lists: Iterable[str]) -> tuple[str, ...]:
    """The names that lists of one kind may have, by what they hold."""
    return tuple(of + held for held in lists for of in which)


_RETURNED = ("retrieved", "ranked", "predicted", "recommended", "returned")
ANSWERS = (
    *("topk", "results", "ranking", "hits", *_each(_RETURNED, _IDS), "docids", "ids", "docs", "documents"),
    *("retrieved", *_each(_RETURNED, _LISTED), "items", "candidates", "matches", "points", "sourcenodes", "nodes"),
    *("rankedlist", "searchresults", "predictions", "preds", "recommendations", "sourcedocuments"),
    *("retrievedcontexts", "retrievalcontext", "retrievedcontext"),  # texts, if there are no ids
)
RESPONSES = ("retrievalresults", "result", "response", "value", "data", "rows")
"""Of what engines answer; rows may have a result, a value or data of another kind."""
NUGGETS = "nuggets"
"""Of an answer or a passage, as they are written: each says how far it is supported."""
CONTEXTS = "ctxs"
"""Of a question, as they are written: each says whether it has the answer."""
_RIGHT = (
    *("relevant", "gold", "golden", "reference", "expected", "groundtruth", "gt", "correct", "positive", "target"),
)
_ONE_ID = _each(_RIGHT, (of.removesuffix("s") for of in _IDS))
_ONE_LISTED = _each(_RIGHT, (of.removesuffix("s") for of in _LISTED if of != "pages"))
RELEVANT_ONE = frozenset((*_ONE_ID, *_ONE_LISTED))
"""Of one document that is right, which stands there without a list."""
RELEVANT = (
    *(*_each(_RIGHT, _IDS), *_ONE_ID, "answerpids", "relevant", *_each(_RIGHT, _LISTED), *_ONE_LISTED),
    *(*_each(_RIGHT, ("contexts",)), "expectedretrievedcontext", "answersessionids"),
    *("groundtruth", "retrievalgroundtruth", "retrievalgt", "truth", "gold", "expected", "positives", "positive"),
    *("qrels", "judgments"),
)

# Neighbours: their lists in JSON, the id of one or the array of the ids, and the array where all are ids.
NEIGHBOUR_LISTS = (
    *(*ANSWERS, "neighbors", "neighbours", "nearest", "retrieved", "predictions", "topkresults"),
    *("result", "response", "data", "images", "references", "faiss", "search"),
)
IDS = (
    *("id", "image", "imageid", "filename", "file", "name", "imagename", "path", "filepath", "imagepath", "img"),
    *("reference", "referenceid", "ref", "refid", "key", *DOC, "index", "idx", "indices", "i", "faissid"),
    *("label", "labels", "ids", "names", "paths", "filenames", "images", "files", "keys", "references", "docids"),
)
LIMITS = ("lims",)
"""Where the ids of each query begin, as FAISS calls it, where they all stand in one list."""
NEIGHBOURS = (*IDS, "docs", "neighbors", "neighbours", "nearest", "results", "groundtruth", "gt", "relevantids")

# Embeddings with what is known of each; a file with both sides has the side before it, as in query_f and g_pids.
VECTORS = ("vectors", "vector", "embeddings", "embedding", "features", "feature", "feats", "feat", "f")
LABELS = ("labels", "label", "pids", "pid", "identities", "identity", "classes", "class", "targets", "target", "y")
CAMERAS = ("cameras", "camera", "cams", "cam", "camids", "camid", "cameraids", "cameraid")
ENTRIES = (
    *("ids", "id", "paths", "path", "images", "image", "files", "file", "filenames", "filename"),
    *("names", "name"),
)
SIDES = {"query": ("query", "queries", "q"), "gallery": ("gallery", "g", "reference", "references")}

# Clicks, and what is known of each rank.
CLICKS: dict[str, Sequence[str]] = {
    "impression": ("impression", "impressionid", "serp", "serpid", "searchid", "requestid"),
    "query": QUERY,
    "user": ("user", "userid", "session", "sessionid", "visitor", "visitorid"),
    "docs": ANSWERS,
    "doc": DOC,
    "ranks": ("ranks", "rank", "positions", "position"),
    "rank": (*RANK, "pos", "place", "slot"),
    "systems": ("systems", "teams", "rankers", "sources"),
    "system": ("system", "team", "ranker", "source"),
    "clicks": ("clicks", "clicked", "clickeddocs", "clickedids"),
    "click": ("click", "clicked", "isclick", "isclicked", "clicks"),
    "rankings": ("rankings", "lists"),
}
CLICK_RATE = ("rate", "ctr", "clickrate", "clickthroughrate", "expected")
PROPENSITY = ("propensity", "propensities", "examination", "probability", "prob", "p", "theta")

# Items: places, identities, vectors and bounds; those that may be listed.
ITEM: dict[str, Sequence[str]] = {
    "id": (
        *("id", "imageid", "image", "filename", "file", "name", "imagename", "imgname", "img", "path"),
        *("filepath", "imagepath", "imgpath", "sourcefile", "key", "itemid", "docid", "tileid", "tile", "queryid"),
        *("referenceid", "refid", "uid", "uuid"),
    ),
    "lat": (
        *("lat", "latitude", "gpslatitude", "gpslat", "latdeg", "latitudedeg", "centerlat", "centrelat"),
        *("centerlatitude", "latlon0", "latlng0", "latlong0", "lonlat1", "lnglat1", "coordinates1"),
    ),
    "lon": (
        *("lon", "lng", "long", "longitude", "gpslongitude", "gpslon", "gpslng", "londeg", "longitudedeg"),
        *("centerlon", "centrelon", "centerlng", "centerlongitude", "lonlat0", "lnglat0", "coordinates0"),
        *("latlon1", "latlng1", "latlong1"),
    ),
    "lat_ref": ("gpslatituderef", "latituderef", "gpslatref", "latref"),
    "lon_ref": ("gpslongituderef", "longituderef", "gpslonref", "lonref", "lngref"),
    "x": (
        *("x", "easting", "utme", "utmeasting", "utmeast", "utmx", "east", "e", "xm", "xcoord", "coordx"),
        *("posx", "mapx", "localx", "xy0", "coordxy0", "utm0"),
    ),
    "y": (
        *("y", "northing", "utmn", "utmnorthing", "utmnorth", "utmy", "north", "n", "ym", "ycoord", "coordy"),
        *("posy", "mapy", "localy", "xy1", "coordxy1", "utm1"),
    ),
    "zone": ("zone", "utmzone", "utmzonenumber", "zonenumber", "epsg", "crs", "srid"),
    "letter": ("letter", "utmzoneletter", "zoneletter", "utmletter", "utmband", "hemisphere"),
    "label": ("label", "identity", "personid", "pid", "vehicleid", "vid", "placeid", "class", "classid"),
    "camera": ("camera", "cameraid", "camid", "cam"),
    "vector": ("vector", "embedding", "feature", "features", "descriptor", "vec", "emb"),
    "west": ("west", "minlon", "lonmin", "minlng", "lngmin", "minx", "xmin", "left", "bounds0", "bbox0", "extent0"),
    "south": ("south", "minlat", "latmin", "miny", "ymin", "bottom", "bounds1", "bbox1", "extent1"),
    "east": (
        *("east", "maxlon", "lonmax", "maxlng", "lngmax", "maxx", "xmax", "right", "bounds2", "bbox2"),
        "extent2",
    ),
    "north": ("north", "maxlat", "latmax", "maxy", "ymax", "top", "bounds3", "bbox3", "extent3"),
}
FILE = (
    *("filename", "file", "image", "imagename", "imgname", "img", "path", "filepath", "imagepath", "imgpath"),
    "sourcefile",
)
"""Names of a file: they may name an item beside its id."""
CATALOGUE: dict[str, Sequence[str]] = {
    "id": (*DOC, "sku", "asin", "key", "name"),
    "popularity": (
        *("popularity", "users", "nusers", "interactions", "count", "counts", "views", "frequency", "freq"),
    ),
    "groups": ("groups", "group", "categories", "category", "genres", "genre", "topics", "topic", "class"),
    "vectors": ("vector", "vectors", "embedding", "embeddings", "features", "vec", "emb"),
}

PATTERN = r"_(\d{12}_\d{5})_"
"""Where the name of a query's own file has its id: a date, a time and a number."""

NAME = "{}.jpg"
"""What that query is called: what the pattern found stands for {}."""


_WHOLE = r"([-+]?\d+(\.0*)?([eE]\+?\d+)?)?"
_NUMBER = r"([-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?)?"

WIDEST = 64
"""Columns that a table may have; more keys are those of queries or documents."""

SHOWN = 12
"""Names that a message has at most."""


@lru_cache(maxsize=256)
def folded(name: object) -> str:
    """A name without case, blanks and punctuation: "query-id", "query_id" and "queryId" are the same.

    The type that RecBole's files add is dropped too: "user_id:token" is "user_id".
    """
    return re.sub(r":(token|float)(_seq)?$|[\W_]+", "", str(name)).lower()


def find(names: Sequence[str], wanted: Iterable[str]) -> int | None:
    """The place of the first wanted name that occurs among the names."""
    places = {folded(name): i for i, name in reversed(list(enumerate(names)))}
    return next((places[name] for name in wanted if name in places), None)


def find_query(keys: Sequence[str]) -> int | None:
    """The place of the query's id in a record: `query` is its text where there is an `id` beside it.

    >>> find_query(["id", "query", "gold_ids"]), find_query(["query", "user"]), find_query(["user", "id"])
    (0, 0, 0)
    """
    place = find(keys, (*_QUERY, *_GROUP, "id", *QUERY))
    own = None if place is None or folded(keys[place]) not in ("query", "q") else find(keys, ("id",))
    return place if own is None else own


class Layout(NamedTuple):
    """Which columns of a table hold what.

    Attributes:
        value: the column of the score or the grade.
        falling: whether the value is a rank: the lower, the better.
        unsure: whether a grade is in a column named score, as in BEIR; whole numbers are taken for grades.
        aspect, weight: for qrels, the columns of the aspect that each judgement is about, and of its weight; None
            where there are none.
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
        """The layout of a table that has only the columns that are read."""
        aspect, weight = (None if place is None else 3 + i for i, place in enumerate((self.aspect, self.weight)))
        call = None if self.call is None else 3
        return self._replace(query=0, doc=1, value=2, aspect=aspect, weight=weight, call=call)


def layout(names: Sequence[str], what: str, path: str | None, line: int | None = None) -> Layout:
    """The columns of a run or of qrels.

    Raises:
        InputError: a column that is needed is missing or has no known name, or two columns have the same name.
    """
    if not names:
        raise InputError("the table has no columns", path, line)
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
        raise InputError(_without_id(names, what, query, doc), path, line)
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
    if folded(names[query]) in QUESTION and folded(names[doc]) == "id":  # of the question, in all likelihood
        raise InputError(_without_id(names, what, query, None), path, line)
    known = few(names)
    if what == "run":
        far = find(names, LOWER)
        fault = message("no column holds the scores; name it score (there is {known})", known=known)
        if far is not None:
            fault = message(
                "no column holds the scores; if a lower {column} is better, give its negative in a column "
                "score (there is {known})",
                column=quoted(names[far]),
                known=known,
            )
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


def _without_id(names: Sequence[str], what: str, query: int | None, doc: int | None) -> Message:
    """The fault of columns that lack the queries' or the documents' ids."""
    listed, value = ("docs", "score") if what == "run" else ("relevant", "relevance")
    known = few(names)
    fault = (
        message("no column holds the query ids; name it query_id (there is {known})", known=known)
        if query is None
        else message(
            "no column holds the document ids; name it doc_id, or {listed} where it has lists (there is {known})",
            listed=listed,
            known=known,
        )
    )
    if len(names) == 3 and str(names[2]).isdecimal() and what == "run":
        return message(
            "{fault}; the format msmarco reads query, document and rank without a header (--run-format msmarco)",
            fault=fault,
        )
    if query is not None:
        return fault
    if folded(names[0]) == "sep":
        return message(
            "this line tells a spreadsheet what stands between columns; delete it, so that their names come first"
        )
    if not may_name(names):
        return message(
            "{fault}: put a first line before it that names the columns, as {example}",
            fault=fault,
            example=f"query_id, doc_id, {value}",
        )
    if doc is None or folded(names[doc]) == "id":
        return message(
            "{fault}: a table has one document per row, or one query per row with its list as JSON, as {example}",
            fault=fault,
            example=f"query_id, {listed}",
        )
    return fault


def may_name(cells: Collection[str]) -> bool:
    """Whether cells may be the names of columns: all are text, and none is empty or a number."""
    return all(isinstance(cell, str) and cell.isprintable() and not re.fullmatch(_NUMBER, cell) for cell in cells)


def are_whole(scores: Iterable[str]) -> bool:
    """Whether scores, as written, may be grades: whole numbers, with or without a point, or empty.

    >>> are_whole(["1", "2.0", ""]), are_whole(["1", "0.5"])
    (True, False)
    """
    return all(re.fullmatch(_WHOLE, score) for score in scores)


def few(names: Collection[str]) -> str:
    """The first names of columns, for messages."""
    shown = ", ".join(map(quoted, islice(names, SHOWN)))
    return f"{shown}, …" if len(names) > SHOWN else shown
