"""Whatever answers queries, made into a `Retriever`: a file a kind. Importing this package finds them all.

No library is imported here: which one a target belongs to is read from the names of its classes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from truerank.core import plugins
from truerank.core.errors import InputError
from truerank.live.adapters.ids import IdReader
from truerank.live.adapters.objects import load
from truerank.live.adapters.registry import Adapter, adapter, adapters, chosen
from truerank.live.retriever import Retriever

__all__ = ["Adapter", "adapt", "adapter", "adapters"]

plugins.load_own(__name__, __path__[0])


def named(target: object) -> object:
    """What "package.module:object" means; all else, URLs and commands too, as it is."""
    if not isinstance(target, str) or any(adapter.sure(target) for adapter in adapters().values()):
        return target
    return load(target)


def adapt(
    target: object,
    *,
    ids: str | Callable[[Any], object] | None = None,
    asynchronous: bool | None = None,
    collapse: bool | str = False,
    **options: Any,
) -> Retriever:
    """Something that can be asked a query and timed.

    Args:
        target: a function or coroutine, a retriever of LangChain, LlamaIndex or Haystack, the name of one as
            "package.module:object", the URL of an endpoint with {query} and {k}, or "cmd: COMMAND".
        ids: the id of a result: "id", "metadata[key]", "hash", the name of a field, a pattern with a group for what
            of the library's own id counts, FILE:COLUMN of a table of chunks, or a function of the result; if not
            given, the library's own.
        asynchronous: whether the library's asynchronous call is used; if not given, only for coroutine functions.
        collapse: make one of several results with one id, as chunks of one document are: the best ("max", or
            True), or the "sum" of their scores. Without `ids`, those such as d7#2 and d7_chunk_2 are of d7.
        options: of the kind of target; a wrong one is answered with the list.

    Raises:
        InputError: nothing that can be asked, or an option that it does not have.
        MissingPackage: an endpoint, and no httpx.

    >>> retriever = adapt(lambda query, k: ["a", "b"][:k])
    >>> retriever.read(retriever.call("tea", 1))
    Answer(docs=('a',), scores=(1.0,))
    """
    if isinstance(target, Retriever):
        if options or ids is not None:
            raise InputError("{target} is a Retriever already: it takes no options", target=target.name)
        return target
    target = named(target)
    if isinstance(target, Retriever):
        return target
    adapter = chosen(target)
    adapter.check(options)
    return adapter.build(target, ids=IdReader(ids, collapse), asynchronous=asynchronous, **options)
