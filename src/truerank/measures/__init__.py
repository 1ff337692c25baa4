"""Measures: one file per family. Importing this package registers those of these lines, in their order.

The others are the families in `registry.LATER`, which few evaluations ask for.
"""

# ruff: noqa: I001
import sys
from types import ModuleType

from truerank.measures import sets as sets
from truerank.measures import binary as binary
from truerank.measures import graded as graded
from truerank.measures import cascade as cascade
from truerank.measures import ranks as ranks
from truerank.measures import curves as curves
from truerank.measures import incomplete as incomplete
from truerank.measures import identity as identity
from truerank.measures import counts as counts
from truerank.measures.definition import Definition
from truerank.measures.parsing import known_measure, parse_measure, parse_measures
from truerank.measures.registry import Measure, MeasuresLike, measure, measures, unregister

__all__ = [
    "Definition",
    "Measure",
    "MeasuresLike",
    "known_measure",
    "measure",
    "measures",
    "parse_measure",
    "parse_measures",
    "unregister",
]


class _Callable(ModuleType):
    """This package, which lists the measures when it is called: both go by the name `truerank.measures`."""

    def __call__(self) -> dict[str, Definition]:
        return measures()


sys.modules[__name__].__class__ = _Callable
