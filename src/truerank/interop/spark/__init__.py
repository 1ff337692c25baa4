"""Runs of any size on Spark: the same numbers, to the bit, as on one machine. Public as `truerank.spark`."""

from truerank.interop.spark.evaluation import compare, evaluate, explain, read
from truerank.interop.spark.large import LargeScores
from truerank.interop.spark.plans import Plan

__all__ = ["LargeScores", "Plan", "compare", "evaluate", "explain", "read"]
