"""Runs of any size on Spark: the same numbers, to the bit, as on one machine. Public as `truerank.spark`."""

from truerank.interop.spark.evaluation import evaluate, read

__all__ = ["evaluate", "read"]
