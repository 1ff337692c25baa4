"""Which measures have a worked form, and what is shown of those that have none."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

from truerank.analysis.explain.worked.case import Case
from truerank.analysis.explain.worked.derived import derive, hits_of
from truerank.analysis.explain.worked.form import Line, Worked
from truerank.core.messages import message
from truerank.core.rules import Rules
from truerank.measures import Measure
from truerank.measures.definition import DEPTH
from truerank.measures.terms import Terms

Form = Callable[..., Worked]

FORMS: dict[str, Form] = {}
"""By the measure's name: the query and every parameter of the measure in, the working out."""


MOST = 10
"""How many ranks are named where a measure is not worked out."""


def works(*names: str) -> Callable[[Form], Form]:
    """Register a function as the worked form of measures."""

    def register(form: Form) -> Form:
        FORMS.update(dict.fromkeys(names, form))
        return form

    return register


def parameters(measure: Measure, rules: Rules) -> dict[str, Any]:
    """Every parameter of a measure as it is used: given, left to the rules, or by default."""
    given = dict(measure.params)
    ruled = measure.definition.left_open({"level": rules.level, "rounding": rules.recall_points}, given)
    return {name: known.default for name, known in measure.definition.parameters.items()} | ruled | given


def work_out(measure: Measure, case: Case, rules: Rules, value: float) -> Worked:
    """The measure worked out for a query: by hand, from its terms, or else what goes in and the value."""
    chosen = parameters(measure, rules)
    form = FORMS.get(measure.name) if _is_ours(measure) else None
    known = _taken(form) if form else frozenset()
    if form and set(dict(measure.params)) - {DEPTH} <= known:
        return form(case, **{name: given for name, given in chosen.items() if name in known})
    given = {name: chosen[name] for name in measure.definition.parameters}
    result = measure.definition.function(hits_of(case), **given)
    return derive(case, result) if isinstance(result, Terms) else _inputs(case, chosen, rules, value)


@cache
def _taken(form: Form) -> frozenset[str]:
    """The parameters that a form takes; the same few forms are asked again and again."""
    return frozenset(inspect.signature(form).parameters)


def _is_ours(measure: Measure) -> bool:
    """Whether the measure is defined here, and not by a user under the same name."""
    module: str | None = measure.definition.function.__module__  # None of what `exec` defines
    return (module or "").startswith("truerank.measures.")


def _inputs(case: Case, chosen: dict[str, Any], rules: Rules, value: float) -> Worked:
    level = chosen.get("level", rules.level)
    ranks = [str(hit.rank) for hit in case.relevant(level)]
    at = f"{', '.join(ranks[:MOST])}{', …' if len(ranks) > MOST else ''}"
    found = message("of them found, at ranks {ranks}", ranks=at) if ranks else message("of them found")
    lines = [
        Line("n", message("documents were returned"), case.returned),
        Line("R", message("relevant documents, found or not"), case.total(level)),
        Line("N", found, len(ranks)),
        *(
            Line(name, message("as given"), number)
            for name, number in chosen.items()
            if isinstance(number, int | float)
        ),
        Line(case.measure, message("by the function that defines it"), value),
    ]
    return Worked((), tuple(lines), is_derived=False)
