"""Systems against each other: means with intervals, differences, tests, and which cannot be told apart."""

from truerank.analysis.compare.comparing import compare
from truerank.analysis.compare.result import Comparison, Outcome, Pair, Procedure
from truerank.analysis.compare.slices import read_attribute

__all__ = ["Comparison", "Outcome", "Pair", "Procedure", "compare", "read_attribute"]
