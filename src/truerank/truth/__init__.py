"""Ground truth: which references are right for which query, by rules over places, identities and lists.

from truerank import truth
right = truth.nearest("flight.json", "references.json", n=1, distance="geodesic")
scores = tr.evaluate(right, "model.run", ["R@1", "R@10"])

One file per rule; importing this package finds them all.
"""

from truerank.core import plugins
from truerank.truth.clicks import Clicks, read_clicks
from truerank.truth.coec import coec
from truerank.truth.contains import contains
from truerank.truth.distances import DISTANCES, Distance, distance_named, on_earth
from truerank.truth.identity import identity
from truerank.truth.items import Items
from truerank.truth.listed import listed
from truerank.truth.nearest import nearest
from truerank.truth.neighbours import neighbours
from truerank.truth.notes import TruthNote
from truerank.truth.overlaps import overlaps
from truerank.truth.reading import read_items
from truerank.truth.registry import Rule, build, parse, rule, rules, unregister
from truerank.truth.result import Pairs, Truth
from truerank.truth.spans import Spans, read_spans
from truerank.truth.within import within

__all__ = [
    "DISTANCES",
    "Clicks",
    "Distance",
    "Items",
    "Pairs",
    "Rule",
    "Spans",
    "Truth",
    "TruthNote",
    "build",
    "coec",
    "contains",
    "distance_named",
    "identity",
    "listed",
    "nearest",
    "neighbours",
    "on_earth",
    "overlaps",
    "parse",
    "read_clicks",
    "read_items",
    "read_spans",
    "rule",
    "rules",
    "unregister",
    "within",
]

plugins.load_own(__name__, __path__[0])
