"""The demo: two real collections, searched by two real retrievers, and evaluated."""

from truerank.demo.collection import Collection
from truerank.demo.packages import PACKAGES, need
from truerank.demo.search import RETRIEVERS, Outcome, search

__all__ = ["PACKAGES", "RETRIEVERS", "Collection", "Outcome", "need", "search"]
