"""What is printed: a row a topic and column, then the rows "all"."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from truerank.measures.sums import logarithm, total
from truerank.qrels import Floats
from truerank.trec import lines, zscores
from truerank.trec.columns import Column
from truerank.trec.options import Options
from truerank.trec.reading import Answers
from truerank.trec.values import FLOOR, relstrings, values


class Report:
    """The values of all columns, ready to be printed.

    Raises:
        TruerankError: the file of means and deviations cannot be read.
    """

    def __init__(self, columns: Sequence[Column], answers: Answers, options: Options):
        self.columns, self.answers, self.options = columns, answers, options
        self.norms = None if options.zscores is None else zscores.read(options.zscores)
        self.values = {c.name: self._values(c) for c in columns if c.listed.ours}

    def _values(self, column: Column) -> Floats:
        """One value a topic."""
        found = values(column, self.answers, self.options)
        if column.listed.kind == "logarithm":
            found = logarithm(np.maximum(found, FLOOR))
        if self.norms is not None:
            found = zscores.standardized(found, column.name, self.answers.hits.queries, self.norms)
        return found

    def pieces(self) -> Iterator[bytes]:
        """The output, a piece at a time."""
        if self.options.per_topic:
            shown = [c for c in self.columns if c.listed.shown != "all"]
            names = [self._title(c) for c in shown]
            yield from lines.rows(names, self.answers.hits.queries, [self._texts(c) for c in shown])
        if self.options.summary:
            shown = [c for c in self.columns if c.listed.shown != "topics"]
            names = [self._title(c) for c in shown]
            yield from lines.rows(names, [b"all"], [[self._summary(c)] for c in shown])

    def _title(self, column: Column) -> str:
        standardized = self.norms is not None and column.listed.kind != "text"
        return f"{'Z' if standardized else ''}{column.name:<22}"

    def _texts(self, column: Column) -> list[str]:
        """What is printed for each topic."""
        if column.listed.kind == "text":
            return relstrings(column, self.answers)
        return self._printed(column, self.values[column.name])

    def _printed(self, column: Column, numbers: Floats) -> list[str]:
        whole = column.listed.kind == "whole" and self.norms is None
        return lines.wholes(numbers) if whole else lines.decimals(numbers)

    def _summary(self, column: Column) -> str:
        """What is printed for all topics."""
        if column.name == "runid":
            return self.answers.tag.decode("latin-1")
        return self._printed(column, np.array([self._average(column)]))[0]

    def _average(self, column: Column) -> float:
        """One number for all topics, which are with -c those of the qrels."""
        evaluated = len(self.answers.hits.queries)
        topics = self.answers.judged if self.options.complete else evaluated
        if column.name == "num_q":
            return topics
        if column.name == "num_rel" and self.options.complete:
            return self.answers.relevant  # the reference counts grades above 0 here, whatever -l says
        summed = total(self.values[column.name])
        if column.listed.kind == "whole":
            return summed
        if column.listed.kind == "logarithm":
            return math.exp((summed + (topics - evaluated) * math.log(FLOOR)) / topics)
        return summed / topics
