"""What else follows from a measure's reader: total gain, expected depth, cost, and the residuals of all.

They are called as cwl-eval's columns are; EU, the first of these, is the measure itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any

from truerank.core.hits import Hits
from truerank.core.messages import message
from truerank.core.schema import Kind
from truerank.measures.cwl import users as users
from truerank.measures.cwl.readers import READERS
from truerank.measures.cwl.walks import Reader, Walk
from truerank.measures.parameters import Cost
from truerank.measures.parsing import parse_measure
from truerank.measures.registry import measure
from truerank.measures.sums import PerQuery, ratio
from truerank.measures.terms import Terms, Words, per_row, wholes


def _has_reader(value: Any) -> bool:
    if not isinstance(value, str) or parse_measure(value).name not in READERS:
        return False
    read_as(value, 1, None)
    return True


Of = Annotated[
    str,
    Kind(
        message("a measure with a reader, written as text, such as 'INST(T=2)': {names}", names=", ".join(READERS)),
        _has_reader,
    ),
]
"""The parameter that names the measure whose reader is meant."""

SOURCE = "Azzopardi, Thomas and Moffat, cwl_eval: an evaluation tool for information retrieval, SIGIR 2019"


def read_as(of: str, level: float, cost: Cost | None) -> Reader:
    """The reader of a measure, at this level where the measure leaves it open, and at this cost in any case."""
    reader = _reader(of, level)
    return reader if cost is None else replace(reader, cost=cost)


@lru_cache
def _reader(of: str, level: float) -> Reader:
    """The reader of a measure, at this level where the measure leaves it open: the same one each time."""
    asked = parse_measure(of)
    default = {name: p.default for name, p in asked.definition.parameters.items()}
    own = {name: value for name, value in asked.params if name in default}
    reader = READERS[asked.name](**{**default, **({"level": level} if "level" in default else {}), **own})
    depths = [depth for depth in (reader.depth, asked.depth) if depth is not None]
    return replace(reader, depth=min(depths, default=None))


def _walk(hits: Hits, of: str, level: float, cost: Cost | None = None, *, hopeful: bool = False) -> Walk:
    """The walk of a measure's reader, of which many things are asked."""
    key = "walk", of, level, cost, hopeful
    return hits.once(key, lambda: read_as(of, level, cost).walk(hits, hopeful=hopeful))


def _open(
    column: Callable[[Walk], PerQuery], hits: Hits, of: str, level: float, cost: Cost | None = None
) -> PerQuery:
    """(queries,) how much more it is where everything unjudged or not returned has a gain of 1."""
    return column(_walk(hits, of, level, cost, hopeful=True)) - column(_walk(hits, of, level, cost))


def _rate(walk: Walk) -> PerQuery:
    return ratio(walk.utility, walk.items)


def _rate_of_cost(walk: Walk) -> PerQuery:
    return ratio(walk.price, walk.items)


@measure(
    "ETU",
    unit=False,
    formula="Σ V_i g_i; V_i = Π_{j<i} C_j: the chance that rank i is read",
    source=SOURCE,
    takes_unjudged_grades=True,
    monotone="no",
    sees_judged=False,
)
def total_utility(hits: Hits, *, of: Of = "RBP", level: float = 1) -> Terms:
    """The expected total gain of a measure's reader: the measure times the expected depth.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1}}, {"q": ["a", "x"]}, "P@2 ETU(of='P@2')").mean
    {'P@2': 0.5, "ETU(of='P@2')": 1.0}
    """
    walk = _walk(hits, of, level)

    def words() -> Words:
        of = message("the chance that it is read × its gain")
        return Words(of, per_row("{} × {}", walk.reaching, wholes(walk.gain)))

    return Terms(walk.rows, walk.reaching * walk.gain, words=words)


@measure(
    "ED",
    "expected_depth",
    unit=False,
    formula="Σ V_i; V_i = Π_{j<i} C_j: the chance that rank i is read",
    source=SOURCE,
    takes_unjudged_grades=True,
    monotone="no",
    sees_judged=False,
)
def depth(hits: Hits, *, of: Of = "RBP", level: float = 1) -> PerQuery:
    """The expected depth: how many documents the reader of a measure reads on average.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "ED(of='RBP(p=0.5)') ED(of='BPM(T=1)@9')").mean
    {"ED(of='RBP(p=0.5)')": 2.0, "ED(of='BPM(T=1)@9')": 1.0}
    """
    return _walk(hits, of, level).items


@measure(
    "EC",
    unit=False,
    formula="Σ V_i cost_i / Σ V_i",
    source=SOURCE,
    takes_unjudged_grades=True,
    monotone="no",
    sees_judged=False,
    lower_is_better=True,
)
def cost(hits: Hits, *, of: Of = "RBP", cost: Cost | None = None, level: float = 1) -> PerQuery:
    """The expected cost per document read by the reader of a measure; less is better.

    `cost` is a number, or {grade: cost}, from each grade on: what documents take, to the reader too, in place of a
    cost that the measure has; if not given, that one, or 1.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1}}, {"q": ["a", "x"]}, "EC(of='P@2', cost={1: 4})").mean
    {"EC(of='P@2', cost={1: 4})": 2.5}
    """
    return _rate_of_cost(_walk(hits, of, level, cost))


@measure(
    "ETC",
    unit=False,
    formula="Σ V_i cost_i",
    source=SOURCE,
    takes_unjudged_grades=True,
    monotone="no",
    sees_judged=False,
    lower_is_better=True,
)
def total_cost(hits: Hits, *, of: Of = "RBP", cost: Cost | None = None, level: float = 1) -> PerQuery:
    """The expected total cost of the reader of a measure; less is better.

    `cost` is as in EC.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1}}, {"q": ["a", "x"]}, "ETC(of='P@2', cost={1: 4})").mean
    {"ETC(of='P@2', cost={1: 4})": 5.0}
    """
    return _walk(hits, of, level, cost).price


@measure(
    "ResEU",
    unit=False,
    formula="the measure if everything unjudged or not returned had a gain of 1, minus the measure",
    source=SOURCE,
    monotone="no",
    sees_judged=True,
    lower_is_better=True,
)
def open_rate(hits: Hits, *, of: Of = "RBP", level: float = 1) -> PerQuery:
    """The residual: a measure's rise if everything unjudged or not returned had the best gain; less is better.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1}}, {"q": ["a", "x"]}, "ResEU(of='RBP(p=0.5)') RBPResidual(p=0.5)").mean
    {"ResEU(of='RBP(p=0.5)')": 0.5, 'RBPResidual(p=0.5)': 0.5}
    """
    return _open(_rate, hits, of, level)


@measure(
    "ResETU",
    unit=False,
    formula="as ResEU, of ETU",
    source=SOURCE,
    monotone="no",
    sees_judged=True,
    lower_is_better=True,
)
def open_utility(hits: Hits, *, of: Of = "RBP", level: float = 1) -> PerQuery:
    """The residual of ETU: its rise if everything unjudged or not returned had the best gain; less is better.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "ResETU(of='P@2')").mean
    {"ResETU(of='P@2')": 1.0}
    """
    return _open(lambda walk: walk.utility, hits, of, level)


@measure("ResED", unit=False, formula="as ResEU, of ED", source=SOURCE, monotone="no", sees_judged=True)
def open_depth(hits: Hits, *, of: Of = "RBP", level: float = 1) -> PerQuery:
    """The residual of ED: how much deeper one reads if everything unjudged or not returned had the best gain.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1}}, {"q": ["x", "a"]}, "ResED(of='BPM(T=1)')").mean
    {"ResED(of='BPM(T=1)')": -1.0}
    """
    return _open(lambda walk: walk.items, hits, of, level)


@measure("ResEC", unit=False, formula="as ResEU, of EC", source=SOURCE, monotone="no", sees_judged=True)
def open_rate_of_cost(hits: Hits, *, of: Of = "RBP", cost: Cost | None = None, level: float = 1) -> PerQuery:
    """The residual of EC: its rise if everything unjudged or not returned had the best grade.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1}}, {"q": ["a", "x"]}, "ResEC(of='P@2', cost={1: 4})").mean
    {"ResEC(of='P@2', cost={1: 4})": 1.5}
    """
    return _open(_rate_of_cost, hits, of, level, cost)


@measure("ResETC", unit=False, formula="as ResEU, of ETC", source=SOURCE, monotone="no", sees_judged=True)
def open_cost(hits: Hits, *, of: Of = "RBP", cost: Cost | None = None, level: float = 1) -> PerQuery:
    """The residual of ETC: its rise if everything unjudged or not returned had the best grade.

    >>> import truerank as tr
    >>> tr.evaluate({"q": {"a": 1}}, {"q": ["a", "x"]}, "ResETC(of='P@2', cost={1: 4})").mean
    {"ResETC(of='P@2', cost={1: 4})": 3.0}
    """
    return _open(lambda walk: walk.price, hits, of, level, cost)
