"""Systems on the same queries in one call: runs are read, retrievers asked and timed, and all compared."""

from truerank.analysis.experiment.experimenting import experiment
from truerank.analysis.experiment.result import Experiment

__all__ = ["Experiment", "experiment"]
