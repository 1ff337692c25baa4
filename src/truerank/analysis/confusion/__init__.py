"""Counts in place of rankings: what was retrieved against what is relevant, and the numbers made of the counts."""

from truerank.analysis.confusion.counts import UNITS, Counts, confusion
from truerank.analysis.confusion.sweeping import Step, Sweep, sweep
from truerank.analysis.confusion.table import Confusion, counted, weight_on_precision

__all__ = ["UNITS", "Confusion", "Counts", "Step", "Sweep", "confusion", "counted", "sweep", "weight_on_precision"]
