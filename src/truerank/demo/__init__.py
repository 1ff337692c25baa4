"""The demo: real collections, searched by real retrievers, and evaluated."""

from truerank.demo.collection import Collection, Outcome, Retriever
from truerank.demo.packages import PACKAGES, need
from truerank.demo.search import search

__all__ = ["PACKAGES", "Collection", "Outcome", "Retriever", "need", "search"]
