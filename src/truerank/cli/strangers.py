"""Runs that have nothing to do with the qrels: their zeros would be taken for a system's."""

from __future__ import annotations

from collections.abc import Sequence

import click

from truerank._kernel import as_bytes
from truerank.errors import InputError, brief
from truerank.qrels import Qrels
from truerank.report.ledger import HasLedger


def refuse_or_warn(judged: Qrels, scores: Sequence[HasLedger], names: Sequence[str]) -> None:
    """Raise where a run answers queries, but none that is judged; say it loud where no document is judged.

    Raises:
        InputError: the run's queries are called otherwise than the judged ones; the message says how.
    """
    for one, name in zip(scores, names, strict=True):
        ledger = one.ledger
        if ledger.extra and not ledger.answered:
            others = list(map(as_bytes, ledger.examples["extra"]))
            raise InputError(f"no query of the run is judged: {_likely(judged, others)}", name)
        if not ledger.answered:
            _warn(f"{name} answers no query: is the run complete?")
        elif ledger.returned and ledger.unjudged == ledger.returned:
            _warn(f"no document of {name} is judged; `truerank lint` tells whether the ids are spelled otherwise")


def _likely(judged: Qrels, others: Sequence[bytes]) -> str:
    """What the queries are called here and there."""
    from truerank.lint.ids import difference, nearly

    for wanted, other in nearly(judged.queries, others):
        return f"it answers {brief(other)}, which is judged as {brief(wanted)} (other {difference(wanted, other)})"
    return f"it answers {brief(others[0])} and so on, judged are {brief(judged.queries[0])} and so on"


def _warn(text: str) -> None:
    click.echo(f"truerank: warning: {text}", err=True)
