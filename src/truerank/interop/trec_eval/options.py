"""The reference's own arguments, read as it reads them."""

from __future__ import annotations

import getopt
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from truerank.core.rules import Rules
from truerank.interop.trec_eval.numerals import decimal, whole
from truerank.interop.trec_eval.status import FILES, USAGE, TrecEvalError

SHORT = "hvqm:cl:nD:JN:M:R:T:oZ:"

LONG = {
    "help": "-h",
    "version": "-v",
    "query_eval_wanted": "-q",
    "measure=": "-m",
    "complete_rel_info_wanted": "-c",
    "level_for_rel=": "-l",
    "nosummary": "-n",
    "Debug_level=": "-D",
    "Judged_docs_only": "-J",
    "Number_docs_in_coll=": "-N",
    "Max_retrieved_per_topic=": "-M",
    "Rel_info_format=": "-R",
    "Results_format=": "-T",
    "Output_old_results_format=": "-o",
    "Zscore=": "-Z",
}

OWN = "--compat"
"""What the reference has not."""

FORMATS = {"qrels": "qrels", "qrels_jg": "qrels_jg", "prefs": "prefs", "qrels_prefs": "prefs"}
"""What the formats of judgements hold, as `Listed.of` calls it."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """What was asked for.

    Attributes:
        qrels, run: the two files; "-" is standard input.
        wants: evaluation, help or version.
        compat: the version to reproduce, 9 or 10.
        measures: the words after each -m.
        per_topic: -q, also rows for each topic.
        summary: no -n, the rows "all".
        complete: -c, average over all topics of the qrels.
        judged_only: -J, drop unjudged documents.
        level: -l, the lowest grade that is relevant.
        depth: -M, only this many documents per topic.
        collection: -N, how many documents there are.
        zscores: -Z, a file of means and deviations.
        format: -R, what the judgements are: qrels, qrels_jg, prefs or qrels_prefs.
    """

    qrels: str = ""
    run: str = ""
    wants: str = "evaluation"
    compat: int = 10
    measures: tuple[str, ...] = ()
    per_topic: bool = False
    summary: bool = True
    complete: bool = False
    judged_only: bool = False
    level: float = 1
    depth: int | None = None
    collection: int = 0
    zscores: str | None = None
    format: str = "qrels"

    @classmethod
    def parse(cls, arguments: Sequence[str]) -> Options:
        """From the words after the command; options and files may be mixed, as with the reference.

        >>> Options.parse(["-qc", "-mmap", "-l2", "qrels", "run"]).level
        2

        Raises:
            TrecEvalError: an argument that the reference refuses, or that would mean nothing.
        """
        given, files = _split(arguments)
        options = cls(measures=tuple(value for name, value in given if name == "-m"))
        for name, value in given:
            options = replace(options, **_fields(name, value))
            if options.wants == "version":  # the reference ignores everything after it
                compat = [_compat(value) for name, value in given if name == OWN]
                return replace(options, **compat[-1]) if compat else options
        if options.wants == "help":
            return options
        if len(files) != 2:
            raise TrecEvalError(f"two files are needed, qrels and a run, and not {len(files)}", USAGE)
        if "" in files:
            raise TrecEvalError("an empty name is that of no file", FILES)
        return replace(options, qrels=files[0], run=files[1])

    @property
    def version(self) -> str:
        """The full number of the version to reproduce."""
        return "9.0.8" if self.compat == 9 else "10.0"

    @cached_property
    def rules(self) -> Rules:
        """The rules under which the run is read and measured; -c, -J and -M are not part of them."""
        ties = "doc-ascending" if self.holds == "prefs" else "doc-descending"
        return Rules.named(f"trec_eval-{self.compat}").replace(level=self.level, ties=ties)

    @property
    def holds(self) -> str:
        """What the judgements hold: "qrels", "qrels_jg" or "prefs"."""
        return FORMATS[self.format]


def _split(arguments: Sequence[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """Options by their short names, and files; `OWN` never makes an abbreviation of the others ambiguous."""
    own = [OWN[2:] + "="] if any(word.partition("=")[0] == OWN for word in arguments) else []
    try:
        given, files = getopt.gnu_getopt(list(arguments), SHORT, [*LONG, *own])
    except getopt.GetoptError as error:
        raise TrecEvalError(f"{error}; `truerank trec_eval -h` lists the options", USAGE) from None
    short = {"--" + name.rstrip("="): letter for name, letter in LONG.items()}
    return [(short.get(name, name), value) for name, value in given], files


_FLAGS: dict[str, dict[str, Any]] = {
    "-h": {"wants": "help"},
    "-v": {"wants": "version"},
    "-q": {"per_topic": True},
    "-n": {"summary": False},
    "-c": {"complete": True},
    "-J": {"judged_only": True},
    "-o": {},
    "-m": {},
}


def _fields(name: str, value: str) -> dict[str, Any]:
    """The fields that an option sets."""
    return _FLAGS[name] if name in _FLAGS else _VALUES[name](value)


def _level(value: str) -> dict[str, Any]:
    level = decimal(value)
    if level is None or level < 0:  # below 0 the reference would count unjudged documents as relevant
        raise TrecEvalError(f"-l is a grade of at least 0, not {value!r}", USAGE)
    return {"level": int(level) if level == int(level) else level}


def _depth(value: str) -> dict[str, Any]:
    depth = whole(value)
    if depth is None or depth < 1:
        raise TrecEvalError(f"-M is a number of documents, at least 1, not {value!r}", USAGE)
    return {"depth": depth}


def _collection(value: str) -> dict[str, Any]:
    collection = whole(value)
    if collection is None or collection < 0:
        raise TrecEvalError(f"-N is a number of documents, not {value!r}", USAGE)
    return {"collection": collection}


def _zscores(value: str) -> dict[str, Any]:
    return {"zscores": value}


def _compat(value: str) -> dict[str, Any]:
    if value not in ("9", "10"):
        raise TrecEvalError(f"--compat is 9 or 10, not {value!r}", USAGE)
    return {"compat": int(value)}


def _qrels_format(value: str) -> dict[str, Any]:
    if value not in FORMATS:
        raise TrecEvalError(f"-R {value}: the formats of judgements are {', '.join(FORMATS)}", FILES)
    return {"format": value}


def _run_format(value: str) -> dict[str, Any]:
    if value != "trec_results":
        raise TrecEvalError(f"-T {value}: the format of runs is trec_results", FILES)
    return {}


def _debug(value: str) -> dict[str, Any]:
    if value != "0":
        raise TrecEvalError(f"-D {value}: the reference's debugging output is not offered", USAGE)
    return {}


_VALUES = {
    "-l": _level,
    "-M": _depth,
    "-N": _collection,
    "-Z": _zscores,
    "-R": _qrels_format,
    "-T": _run_format,
    "-D": _debug,
    OWN: _compat,
}
