"""Runs that have nothing to do with the qrels: their zeros would be taken for a system's."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING

from truerank.cli.output import say
from truerank.core.errors import InputError, truncated
from truerank.core.evaluate import score
from truerank.core.kernel.scanning import as_bytes
from truerank.core.messages import message
from truerank.core.qrels import Qrels
from truerank.core.rankings import rankings
from truerank.core.reading import Reading
from truerank.core.run import Run
from truerank.present.ledger import HasLedger

if TYPE_CHECKING:
    from truerank.live.result import Bench

FOUND = 0.01
"""Where a smaller share is found, of what is judged and of what the run has, the ids may differ."""

LOOK = 50
"""Queries that are read again to see how the ids differ."""


def refuse_or_warn(
    judged: Qrels, scores: Sequence[HasLedger], names: Sequence[str], runs: Sequence[Run] = ()
) -> None:
    """Raise where a run answers queries, but none that is judged; say it loud where no document is judged.

    Raises:
        InputError: the run's queries are called otherwise than the judged ones; the message says how.
    """
    for number, (one, name) in enumerate(zip(scores, names, strict=True)):
        ledger = one.ledger
        if ledger.extra and not ledger.answered:
            others = list(map(as_bytes, ledger.examples["extra"]))
            raise InputError("no query of the run is judged: {likely}", name, likely=_likely(judged, others))
        if not ledger.answered:
            _warn(message("{run} answers no query: is the run complete?", run=name))
        elif _is_strange(judged, ledger.returned, ledger.unjudged):
            overlap, why = ledger.returned - ledger.unjudged, _why(judged, runs[number : number + 1])
            none = message("no document of {run} is judged; {why}", run=name, why=why)
            few = message(
                "only {n:,} of {all:,} documents of {run} are judged; {why}",
                n=overlap,
                all=ledger.returned,
                run=name,
                why=why,
            )
            _warn(few if overlap else none)


def of_reading(judged: Qrels, reading: Reading, run: Run) -> None:
    """Refuse or warn as `refuse_or_warn` does, for a run that was read."""
    refuse_or_warn(judged, [score(reading, [])], [reading.name], [run])


def warn(judged: Qrels, benches: Sequence[Bench]) -> None:
    """Refuse or warn as `refuse_or_warn` does, for answers of retrievers that were asked the judged queries."""
    for one in benches:
        if one.scores and one.scores.ledger.answered:
            refuse_or_warn(judged, [one.scores], [one.name], [one.run])


def _is_strange(judged: Qrels, returned: int, unjudged: int) -> bool:
    overlap = returned - unjudged
    return returned > 0 and (not overlap or overlap < FOUND * min(returned, len(judged.grades)))


def _why(judged: Qrels, runs: Sequence[Run]) -> str:
    """That documents are parts of judged ones, or judged ones of them, where a look at the run shows it."""
    from truerank.analysis.lint.ids import HOW_PARTS, HOW_WHOLES, parts_of

    with suppress(InputError):
        for answer in (answer for run in runs for answer in islice(rankings(run.batches()), LOOK)):
            known, docs = _docs(judged, answer.query), answer.docs
            for doc, part in parts_of(known, docs).items():
                ids = {"doc": truncated(doc), "part": truncated(part)}
                return message("{part} is a part of {doc}, which is: {how}", **ids, how=HOW_PARTS)
            for doc, part in parts_of(set(docs), known).items():
                ids = {"doc": truncated(doc), "part": truncated(part)}
                return message("judged is {part}, a part of {doc}: {how}", **ids, how=HOW_WHOLES)
    return message("`truerank lint` tells whether the ids are spelled otherwise")


def _docs(judged: Qrels, query: bytes) -> dict[bytes, float]:
    """The judged documents of a query, in order, and their grades."""
    from truerank.core.judgements import grades_of

    return grades_of(judged, judged.queries.index(query)) if query in judged.queries else {}


def _likely(judged: Qrels, others: Sequence[bytes]) -> str:
    """What the queries are called here and there."""
    from truerank.analysis.lint.ids import difference, nearly

    for wanted, other in nearly(judged.queries, others):
        return message(
            "it answers {asked}, which is judged as {known} (other {difference})",
            asked=truncated(other),
            known=truncated(wanted),
            difference=difference(wanted, other),
        )
    return message(
        "it answers {asked} and so on, judged are {known} and so on",
        asked=truncated(others[0]),
        known=truncated(judged.queries[0]),
    )


def _warn(text: str) -> None:
    say(message("warning: {said}", said=text))
