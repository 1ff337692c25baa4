"""What the tests of adapters ask a target."""

from __future__ import annotations

import asyncio

from truerank.live.adapters import adapt
from truerank.live.retriever import Answer


def asked(target, query="green tea", k=2, **options) -> Answer:
    """What a target answers to one query, in whichever way it is called."""
    retriever = adapt(target, **options)
    if not retriever.is_async:
        return retriever.read(retriever.call(query, k))

    async def once():
        return await retriever.call(query, k)

    return retriever.read(asyncio.run(once()))
