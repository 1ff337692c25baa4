"""On paper: which groups of documents get the attention of a list, and which should."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from truerank.analysis.explain.worked.case import Case
from truerank.analysis.explain.worked.derived import hits_of
from truerank.analysis.explain.worked.form import Line, Step, Sum, Worked, added
from truerank.analysis.explain.worked.registry import works
from truerank.core.errors import printable
from truerank.core.messages import message
from truerank.measures.sums import total


@works("AWRF")
def rank_fairness(
    case: Case,
    *,
    k: int | None,
    level: float,
    target: Literal["catalogue", "equal"] | Mapping[str, float],
    relevant: float,
    attention: Any,
    bits: bool,
) -> Worked:
    """The attention of each listed document that has a group; each group's share of it, and of the target."""
    from truerank.measures.fairness import Attention  # a family, which registers in its turn

    shared = Attention.of(hits_of(case), k, level, target, relevant, attention)
    value = float(shared.fairness(bits)[0])
    seen = _attended(case, shared)
    if not shared.is_there[0]:
        nothing = message("0, as nothing that is listed, or nothing that should be, has a group")
        return Worked((seen,), (Line(case.measure, nothing, value),))
    shares = (each[0].tolist() for each in (shared.got, shared.wanted, shared.divergence))
    rows = zip(shared.names, *shares, strict=True)
    how = message("it gets {a}, its target is {b}")
    groups = [Line(printable(name), how, adds, (got, wanted)) for name, got, wanted, adds in rows if got or wanted]
    apart = total(shared.divergence[0])
    divergence = Line("JS", message("the sum: how far the shares are from the target"), apart)
    last = Line(case.measure, "1 − {} / ln 2" if bits else "1 − {}", value, (apart,))
    return Worked((seen,), (*groups, divergence, last))


def _attended(case: Case, found: Any) -> Sum:
    """The documents that have a group."""
    by_rank = {hit.rank: hit for hit in case.hits}
    rows = zip(found.rows.rank.tolist(), found.weight.tolist(), found.members, strict=True)
    steps = []
    for rank, weight, own in rows:
        if names := [printable(name) for name, of in zip(found.names, own.tolist(), strict=False) if of]:
            told = ", ".join(names).replace("{", "{{").replace("}", "}}")
            steps.append(Step(by_rank[rank], told, (), weight))
    return replace(added(message("attention"), message("its groups"), steps), is_added=False)
