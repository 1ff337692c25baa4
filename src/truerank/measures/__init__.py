"""Measures: a file a family. Importing this package registers them all, in the order of these lines."""

from truerank.measures import binary as binary
from truerank.measures import graded as graded
from truerank.measures.registry import Definition, Measure, measure, measures, parse_measure, parse_measures, unregister

__all__ = ["Definition", "Measure", "measure", "measures", "parse_measure", "parse_measures", "unregister"]
