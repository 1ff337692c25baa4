"""The output: one row per topic and column, then the rows "all"."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from truerank.core.qrels import Floats
from truerank.interop.trec_eval import lines, zscores
from truerank.interop.trec_eval.columns import Column
from truerank.interop.trec_eval.options import Options
from truerank.interop.trec_eval.reading import Answers
from truerank.interop.trec_eval.values import all_values, relstrings, shown
from truerank.measures.sums import FLOOR, total


class Report:
    """The values of all columns, ready to be printed.

    Raises:
        TruerankError: the file of means and deviations cannot be read.
    """

    def __init__(self, columns: Sequence[Column], answers: Answers, options: Options):
        self.columns, self.answers, self.options = columns, answers, options
        self.norms = None if options.zscores is None else zscores.read(options.zscores)
        by_column = all_values(columns, answers, options)
        self.values = {column: self._shown(column, values) for column, values in by_column.items()}

    def _shown(self, column: Column, values: Floats) -> Floats:
        """The values of a column as they are printed."""
        values = shown(column, values)
        if self.norms is not None:
            values = zscores.standardized(values, column.name, self.answers.hits.queries, self.norms)
        return values

    def pieces(self) -> Iterator[bytes]:
        """The output, piece by piece."""
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
        """The text printed for each topic."""
        if column.listed.kind == "text":
            return relstrings(column, self.answers)
        values = self.values[column]
        return lines.wholes(values) if self._is_whole(column) else lines.decimals(values)

    def _is_whole(self, column: Column) -> bool:
        return column.listed.kind == "whole" and self.norms is None

    def _summary(self, column: Column) -> str:
        """The text printed for all topics."""
        if column.name == "runid":
            return self.answers.tag.decode("latin-1")
        average = self._average(column)
        return f"{average:.0f}" if self._is_whole(column) else lines.printed(average)

    def _average(self, column: Column) -> float:
        """One number for all topics; with -c these are the topics of the qrels."""
        evaluated = len(self.answers.hits.queries)
        topics = self.answers.judged if self.options.complete else evaluated
        if column.name == "num_q":
            return topics
        if column.name == "num_rel" and self.options.complete:
            return self.answers.relevant  # the reference counts grades above 0 here, whatever -l is
        summed = total(self.values[column])
        if column.listed.kind == "whole":
            return summed
        if column.listed.kind == "logarithm":
            return math.exp((summed + (topics - evaluated) * math.log(FLOOR)) / topics)
        return summed / topics
