"""Functions and coroutines as retrievers: every shape of answer, ids by rule, k, and what is refused."""

from __future__ import annotations

import asyncio
import functools
import hashlib
import subprocess
import sys
from decimal import Decimal
from types import SimpleNamespace
from uuid import UUID

import numpy as np
import pandas as pd
import pytest

from truerank.core.errors import InputError
from truerank.live.adapters import Adapter, adapt, adapter, adapters
from truerank.live.adapters.registry import _adapters
from truerank.live.retriever import Answer, Retriever


def asked(target, k=10, **options) -> Answer:
    """What a target answers to one query."""
    retriever = adapt(target, **options)
    try:
        raw = retriever.call("tea", k)
        return retriever.read(asyncio.run(_awaited(raw)) if retriever.is_async else raw)
    finally:
        retriever.close()


async def _awaited(raw):
    return await raw


def refused(target, **options) -> str:
    with pytest.raises(InputError) as caught:
        asked(target, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    "returned",
    [
        ["a", "b"],
        ("a", "b"),
        [("a", 2.0), ("b", 1)],
        [["a", np.float32(2)], ["b", np.int64(1)]],
        [["a", Decimal("2.0")], ["b", Decimal(1)]],
        {"b": Decimal(1), "a": Decimal("2.0")},
        {"b": 1.0, "a": 2.0},
        [{"id": "a", "score": 2.0}, {"id": "b", "score": 1.0}],
        [{"_id": "a", "score": 2.0}, {"doc_id": "b", "score": 1.0}],
        [SimpleNamespace(id="a", score=2.0), SimpleNamespace(id="b", score=1.0)],
        np.array(["a", "b"]),
        np.array(["a", "b"], object),
        pd.Series(["a", "b"]),
        pd.Series(["a", "b"], dtype="string"),
        pd.Series(["a", "b"], dtype="category"),
        pd.Index(["a", "b"]),
        [b"a", b"b"],
    ],
)
def test_every_shape_of_an_answer_is_the_same_answer(returned):
    assert asked(lambda query: returned) == Answer(("a", "b"), (2.0, 1.0))


@pytest.mark.parametrize("kind", [np.str_, object])
@pytest.mark.parametrize("are_ids_first", [False, True])
def test_ids_beside_distances_may_be_text_of_any_kind(kind, are_ids_first):
    distances, ids = np.array([0.25, 0.5]), np.array(["a", "b"], kind)
    returned = (ids, distances) if are_ids_first else (distances, ids)
    assert asked(lambda query: returned) == Answer(("a", "b"), (-0.25, -0.5))


@pytest.mark.parametrize(
    ("hole", "said"), [(None, "result 2 (a plain value) has no id"), (np.nan, "is nan: an id")]
)
def test_what_is_no_id_in_an_array_of_objects_is_named(hole, said):
    assert said in refused(lambda query: np.array(["a", hole], object))


@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("swapped", [False, True])
def test_faiss_arrays_are_told_apart_by_type_and_lose_their_padding(rows, swapped):
    distances = np.array([[0.25, 0.5, 3.4e38]][:rows] if rows == 1 else [0.25, 0.5, 3.4e38], np.float32)
    ids = np.array([[7, 3, -1]] if rows == 1 else [7, 3, -1])
    pair = (ids, distances) if swapped else (distances, ids)
    assert asked(lambda query, k: pair) == Answer(("7", "3"), (-0.25, -0.5))


def test_minus_one_in_numbers_without_a_sign_is_padding_and_other_numbers_below_zero_are_ids():
    assert asked(lambda query, k: np.array([7, -1]).astype(np.uint64)).docs == ("7",)
    assert asked(lambda query, k: np.array([7, -1, -5])).docs == ("7", "-5")


def test_similarities_keep_their_sign_and_distances_change_it():
    assert asked(lambda q: [("a", 0.5), ("b", 0.25)]).scores == (0.5, 0.25)
    assert asked(lambda q: [("a", 0.0), ("b", 0.25)]).scores == (0.0, -0.25)


def test_the_order_of_a_list_is_the_answer_whatever_its_scores_say():
    assert asked(lambda q: [("a", 1), ("b", 3), ("c", 2)]) == Answer(("a", "b", "c"), (1.0, 3.0, 2.0))
    assert asked(lambda q: [("a", 1), ("b", 1)]).scores == (1.0, 1.0)


def test_ranks_stand_in_for_scores_where_any_is_missing():
    assert asked(lambda q: [("a", 1), ("b", None)]).scores == (2.0, 1.0)


def test_equal_scores_in_a_dict_keep_its_order():
    assert asked(lambda q: {"b": 1, "a": 1, "c": 2}).docs == ("c", "b", "a")


def test_an_empty_answer_is_an_answer():
    for nothing in ([], {}, (), np.array([], int), (np.array([[]]), np.array([[]], int))):
        assert asked(lambda q, nothing=nothing: nothing) == Answer((), ())


def test_whole_numbers_and_uuids_are_ids():
    assert asked(lambda q: [7, np.int32(8)]).docs == ("7", "8")
    for two in (list(np.array([7, 8])), tuple(np.array([7, 8])), [np.str_("7"), np.str_("8")]):
        assert asked(lambda q, two=two: two) == Answer(("7", "8"), (2.0, 1.0))
    for one in (UUID(int=1), {"id": UUID(int=1)}, (UUID(int=1), 0.5)):
        assert asked(lambda q, one=one: [one]).docs == ("00000000-0000-0000-0000-000000000001",)
    assert asked(lambda q: {UUID(int=1): 0.5}).docs == ("00000000-0000-0000-0000-000000000001",)


def test_repeated_ids_are_kept_to_be_counted_unless_the_best_of_each_is_asked_for():
    chunks = [("a", 5), ("b", 4), ("a", 3), ("c", 2), ("b", 1)]
    assert asked(lambda q: chunks).docs == ("a", "b", "a", "c", "b")
    assert asked(lambda q: chunks, collapse=True) == Answer(("a", "b", "c"), (5.0, 4.0, 2.0))
    assert asked(lambda q: chunks, 2, collapse=True).docs == ("a", "b")


def test_chunks_are_their_documents_by_a_pattern_or_a_table_and_may_be_summed(tmp_path):
    chunks = [("a#1", 5), ("b#1", 4), ("a#2", 3), ("c#7", 2), ("b#9", 4.5)]
    assert asked(lambda q: chunks, ids=r"(.+)#\d").docs == ("a", "b", "a", "c", "b")
    assert asked(lambda q: chunks, ids=r"(.+)#\d", collapse="maxP") == Answer(("a", "b", "c"), (5.0, 4.5, 2.0))
    summed = Answer(("b", "a", "c"), (8.5, 8.0, 2.0))
    assert asked(lambda q: chunks, ids=r"(.+)#\d", collapse="sum") == summed
    table = tmp_path / "chunks.csv"
    table.write_text("chunk_id,file\n" + "".join(f"{chunk},{chunk[0]}\n" for chunk, _ in chunks))
    assert asked(lambda q: chunks, ids=f"{table}:file", collapse="sumP") == summed
    assert refused(lambda q: chunks, ids=f"{table}:name").startswith(f"{table}: there is no column 'name'")
    assert asked(lambda q: chunks, collapse="sum") == summed  # what the ids say, as in `truerank.collapse`
    assert asked(lambda q: chunks, ids="id", collapse="sum").docs == ("a#1", "b#9", "b#1", "a#2", "c#7")
    assert asked(lambda q: [7, {"id": UUID(int=1)}], collapse=True).docs == ("7", str(UUID(int=1)))
    for unsummed in (["a#1", "b#1"], [("a#1", 0.1), ("b#1", 0.2)]):  # no scores; distances
        assert "their sum says nothing of a document" in refused(lambda q, it=unsummed: it, collapse="sum")
        assert asked(lambda q, it=unsummed: it, ids=r"(.+)#\d", collapse="max").docs == ("a", "b")
    assert "collapsed by max or sum" in refused(lambda q: chunks, collapse="first")
    assert refused(lambda q: chunks, collapse="mean").startswith("chunks are collapsed by max, first or sum")


DOCUMENTS = [
    {"id": "a", "text": "green tea", "metadata": {"source": "leaf"}, "at": {"page": [3]}},
    {"id": "b", "text": "black tea", "metadata": {"source": "cup"}, "at": {"page": [4]}},
]


@pytest.mark.parametrize(
    ("rule", "docs"),
    [
        (None, ("a", "b")),
        ("id", ("a", "b")),
        ("text", ("green tea", "black tea")),
        ("metadata[source]", ("leaf", "cup")),
        ("metadata['source']", ("leaf", "cup")),
        ("at.page[0]", ("3", "4")),
        ("hash", tuple(hashlib.sha256(doc["text"].encode()).hexdigest()[:32] for doc in DOCUMENTS)),
        (lambda doc: doc["text"][:5], ("green", "black")),
    ],
)
def test_ids_come_by_rule(rule, docs):
    assert asked(lambda q: DOCUMENTS, ids=rule).docs == docs


def test_a_function_names_the_ids_of_arrays():
    names = ["zero", "one", "two"]
    assert asked(lambda q, k: (np.array([[2.0, 1.0]]), np.array([[2, 0]])), ids=names.__getitem__).docs == (
        "two",
        "zero",
    )


def test_a_missing_id_is_an_error_that_names_the_choices():
    said = refused(lambda q: [{"text": "tea", "metadata": {"source": "cup", "page": 3}}])
    assert said == (
        "result 1 (a plain value) has no id. Choose another: ids='metadata[key]', 'hash' (of the text), the name of"
        " a field, a pattern such as '(.+)#\\d+', FILE:COLUMN of a"
        " table of chunks, or a function of the result. Its metadata has: source, page"
    )
    assert "has no id under ids='metadata[sauce]'" in refused(lambda q: DOCUMENTS, ids="metadata[sauce]")
    assert "result 2 (a plain value) has no id" in refused(lambda q: ["a", None])
    assert "result 1 (a plain value) has no id" in refused(lambda q: [""])


@pytest.mark.parametrize("rule", ["", "metadata", "metadata[]", "metadata.source", 3])
def test_a_rule_that_means_nothing_is_refused_before_any_call(rule):
    with pytest.raises(InputError, match="ids is"):
        adapt(lambda q: [], ids=rule)


@pytest.mark.parametrize("score", [float("nan"), float("inf"), np.float32("nan"), "2", True])
def test_a_score_that_is_no_finite_number_is_refused(score):
    assert "the score of a is" in refused(lambda q: [{"id": "a", "score": score}])


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        (None, "the answer is NoneType, not a list of ids"),
        ("abc", "the answer is str, not a list of ids"),
        (3, "the answer is int"),
        ([1.5], "the id of result 1 is 1.5: an id is text or a whole number"),
        ([True], "the id of result 1 is True"),
        ([("a", 1, 2)], "a result is ('a', 1, 2), not (id, score)"),
        ([("a", "b")], "a result is ('a', 'b'), not (id, score)"),
        ({"documents": ["a"]}, "a dict is read as {id: score}, but 'documents' has list"),
        (np.zeros((2, 3), int), "an array of shape (2, 3) is not the answer to one query"),
        ((np.zeros(2), np.zeros(3, int)), "there are 3 ids and 2 distances"),
        (pd.DataFrame({"docno": [1], "score": [2]}), "the answer is DataFrame, not a list of ids"),
        (pd.DataFrame({"docno": ["a", "b"]}), "Its rows are dicts by to_dict('records'), of polars by to_dicts()"),
        (pd.Series({"a": 3, "b": 2}), "a Series of numbers: its to_dict() is {id: score}"),
        (pd.Series([0.5, 0.25]), "a Series of numbers: its to_dict() is {id: score}"),
    ],
)
def test_another_shape_is_refused_in_words(returned, said):
    assert said in refused(lambda q: returned)


class Index:
    """A retriever as people write them."""

    def __init__(self):
        self.asked = []

    def search(self, query, k):
        self.asked.append(k)
        return [f"{query}{at}" for at in range(k)]

    def __call__(self, query, limit=1):
        return self.search(query, limit)


def by_keyword(query, *, top_k=1):
    return [str(at) for at in range(top_k)]


def by_any_keyword(query, **options):
    return [str(at) for at in range(options["count"])]


def third(query, language="en", k=1):
    return [language] * k


@pytest.mark.parametrize(
    ("target", "options", "how"),
    [
        (Index().search, {}, "its parameter k"),
        (Index(), {}, "its parameter limit"),
        (by_keyword, {}, "its parameter top_k"),
        (third, {}, "its parameter k"),
        (by_any_keyword, {"k_as": "count"}, "its parameter count"),
        (lambda query, how_many: range(how_many), {}, "its parameter how_many"),
        (functools.partial(Index().search), {}, "its parameter k"),
    ],
)
def test_k_goes_where_the_function_takes_it(target, options, how):
    assert len(asked(target, 3, **options).docs) == 3
    assert adapt(target, **options).describe["k"] == how


def test_annotations_that_only_type_checkers_know_hide_no_parameter():
    flags = 0 if sys.version_info >= (3, 14) else annotations.compiler_flag  # both leave them unread
    names: dict[str, object] = {}
    source = "def find(query: Query, how_many: Count) -> Answers:\n    return range(how_many)"
    exec(compile(source, "find.py", "exec", flags, dont_inherit=True), names)
    assert len(asked(names["find"], 3).docs) == 3
    assert adapt(names["find"], k_as="how_many").describe["k"] == "its parameter how_many"


def test_a_function_that_takes_no_k_has_its_answers_cut_and_this_is_said():
    assert asked(lambda query: ["abcde", *"vwxyz"], 3).docs == ("abcde", "v", "w")
    assert asked(lambda query, cache=None: list("abcde"), 2) == Answer(("a", "b"), (5.0, 4.0))
    assert "cut at k" in adapt(lambda query: []).describe["k"]


def test_a_function_that_takes_k_and_returns_more_is_not_hidden():
    assert len(asked(lambda query, k: [str(at) for at in range(10_000)]).docs) == 10_000


def test_chunks_that_are_made_lazily_are_collapsed_as_a_list_of_them_is():
    chunks = [(f"d{at // 3}#{at % 3}", 30 - at) for at in range(30)]

    async def awaited(query):
        return iter(chunks)

    for lazily in (lambda query: iter(chunks), lambda query, k: iter(chunks), awaited):
        assert asked(lazily, 10, collapse="max") == asked(lambda query: chunks, 10, collapse="max")
    assert len(asked(lambda query: iter(chunks), 10, collapse="max").docs) == 10


def test_a_lazy_answer_is_made_by_the_timed_call():
    made = []

    def lazily(query, k):
        for at in range(k):
            made.append(at)
            yield str(at)

    retriever = adapt(lazily)
    raw = retriever.call("tea", 3)
    assert made == [0, 1, 2]
    assert retriever.read(raw).docs == ("0", "1", "2")


class Mapped:
    """As object mappers have it: the database is asked when it is iterated over, or its length is."""

    def __init__(self):
        self.is_asked = False

    def __iter__(self):
        self.is_asked = True
        return iter(["7", "8", "9"])

    def __len__(self):
        return len(list(self))

    def __getitem__(self, at):
        return list(self)[at]


@pytest.mark.parametrize("takes_k", [True, False])
def test_a_query_of_an_object_mapper_is_run_by_the_timed_call(takes_k):
    mapped = Mapped()
    retriever = adapt((lambda query, k: mapped) if takes_k else (lambda query: mapped))
    raw = retriever.call("tea", 2)
    assert mapped.is_asked
    assert retriever.read(raw).docs == ("7", "8")


async def coroutine(query, k):
    await asyncio.sleep(0)
    return [query] * k


class Callable:
    async def __call__(self, query):
        return ["a", "b", "c"]


@pytest.mark.parametrize("target", [coroutine, functools.partial(coroutine), Callable(), Callable().__call__])
def test_coroutines_are_found_and_awaited(target):
    assert adapt(target).is_async
    assert len(asked(target, 2).docs) == 2


def test_a_function_that_returns_a_coroutine_is_awaited_when_asked():
    assert asked(lambda query, k: coroutine(query, k), 2, asynchronous=True).docs == ("tea", "tea")
    with pytest.raises(InputError, match="function returned list, which cannot be awaited"):
        asked(lambda query, k: [], asynchronous=True)


def test_a_coroutine_by_mistake_is_named():
    retriever = adapt(lambda query, k: coroutine(query, k))
    raw = retriever.call("tea", 2)
    with pytest.raises(InputError, match="asynchronous=True awaits it"):
        retriever.read(raw)
    raw.close()


def test_a_coroutine_cannot_be_called_synchronously():
    with pytest.raises(InputError, match="coroutine is a coroutine function"):
        adapt(coroutine, asynchronous=False)


def test_what_the_function_raises_passes_through():
    def broken(query, k):
        raise KeyError(query)

    with pytest.raises(KeyError, match="tea"):
        adapt(broken).call("tea", 1)


@pytest.mark.parametrize(
    ("target", "options", "said"),
    [
        (Index, {}, "Index is a class: give an instance of it"),
        (17, {}, "17 cannot be benchmarked. Give a function of (query, k)"),
        ({"doc": "text" * 99}, {}, "textte… cannot be benchmarked. Give a function"),
        (coroutine, {"kas": 3}, "a function has no option 'kas'. Did you mean k_as? Its options: k_as"),
        (by_keyword, {"k_as": "topk"}, "by_keyword has no parameter 'topk'. Did you mean top_k?"),
    ],
)
def test_targets_and_options_that_do_not_fit_are_refused(target, options, said):
    with pytest.raises(InputError) as caught:
        adapt(target, **options)
    assert said in str(caught.value)


def test_names_are_those_that_people_gave():
    targets = [by_keyword, Index().search, Index(), lambda q: [], functools.partial(by_keyword)]
    assert [adapt(target).name for target in targets] == [
        "by_keyword",
        "Index.search",
        "Index",
        "function",
        "by_keyword",
    ]


def test_a_retriever_stays_as_it_is_and_takes_no_options():
    retriever = adapt(by_keyword)
    assert adapt(retriever) is retriever
    with pytest.raises(InputError, match="by_keyword is a Retriever already"):
        adapt(retriever, ids="hash")


def test_a_kind_of_target_is_added_by_one_function():
    class Shelf:
        docs = ("a", "b")

    @adapter("a shelf", lambda target: float(isinstance(target, Shelf)))
    def shelf(target, *, ids, asynchronous=None, side="left"):
        return Retriever(f"{side} shelf", lambda query, k: target.docs[:k], lambda docs: Answer(docs, (0.0,)))

    try:
        assert isinstance(adapters()["a shelf"], Adapter)
        assert asked(Shelf(), 1, side="right") == Answer(("a",), (0.0,))
        assert "Its options: side" in refused(Shelf(), sides="both")
    finally:
        del _adapters["a shelf"]


def test_no_library_is_imported_before_a_target_needs_it():
    code = (
        "import sys; from truerank.live.adapters import adapt; adapt(lambda q: []);"
        "print(sorted({m.split('.')[0] for m in sys.modules} & "
        "{'httpx', 'langchain_core', 'llama_index', 'haystack', 'pydantic', 'scipy'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
