"""Systems over several collections: means, Borda, rank intervals, and which cannot be told apart."""

from truerank.analysis.collections.files import read_collections, system_named
from truerank.analysis.collections.pooling import collections
from truerank.analysis.collections.result import Collections, Standings

__all__ = ["Collections", "Standings", "collections", "read_collections", "system_named"]
