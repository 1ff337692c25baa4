"""Places recognised in pictures: ground truth from coordinates, a folder of neighbours, recall and metres.

from truerank import geo
places = geo.evaluate("flight.json", "references.json", "results/", k=[1, 5, 10])
places["geo"].mean["R@1"]
"""

from truerank.geo.evaluation import evaluate
from truerank.geo.results import Results, read_results
from truerank.geo.view import Places, QueryView, View

__all__ = ["Places", "QueryView", "Results", "View", "evaluate", "read_results"]
