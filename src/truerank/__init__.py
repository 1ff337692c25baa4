"""truerank: whether a retrieval system finds the right things, how sure that is, and how fast it answers."""

from truerank.errors import InputError, MeasureError, MissingPackage, RulesError, TruerankError
from truerank.evaluate import evaluate, rank
from truerank.formats import open_run, read_qrels
from truerank.hits import Hits
from truerank.measures import Measure, measure, measures, parse_measure, unregister
from truerank.qrels import Qrels
from truerank.rules import Rules
from truerank.run import Run
from truerank.scores import Ledger, Scores

__version__ = "0.1.0"

__all__ = [
    "Hits",
    "InputError",
    "Ledger",
    "Measure",
    "MeasureError",
    "MissingPackage",
    "Qrels",
    "Rules",
    "RulesError",
    "Run",
    "Scores",
    "TruerankError",
    "evaluate",
    "measure",
    "measures",
    "open_run",
    "parse_measure",
    "rank",
    "read_qrels",
    "unregister",
]
