"""Estimates of people's and a model's judgements as tables: what is known, how well, and what to judge next."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from truerank.analysis.compare.prediction_powered import Predicted, as_dict
from truerank.analysis.compare.sampling import Sign
from truerank.core.errors import InputError, printable
from truerank.core.messages import Message, joined, listed, message, plural, warned
from truerank.present import few, ledger
from truerank.present.comparison_cells import interval_heading, limits
from truerank.present.document import Document
from truerank.present.names import labels
from truerank.present.table import Cell, Table, drawn_digits
from truerank.stats import PredictedMean
from truerank.stats.predicted import FEWEST

LEAST = 1e-10
"""A sample that is rarer than this is not told from one that cannot be."""

FLAT = ("run", "measure", "judged", "queries")


def document(
    predictions: Sequence[Predicted],
    digits: int | None = None,
    *,
    width: float | None = None,
    to_judge: int | None = None,
    seed: int = 0,
) -> Document:
    """A row per run and measure; then, if asked for, how many judgements a width takes, and which to make next."""
    drawn = drawn_digits(digits)
    tables = estimates(predictions, drawn)
    plain: dict[str, object] = {"predicted": [{**one.to_dict(), "remarks": remarks_of(one)} for one in predictions]}
    if width is not None:
        tables.append(_needed(predictions, width))
        plain["needed"] = {"width": width, "estimates": _needed_plainly(predictions, width)}
    if to_judge is not None:
        queries = predictions[0].next_to_judge(to_judge, seed)
        tables.append(_next(queries, seed))
        plain["judge_next"] = list(queries)
    return Document(
        tables, _flat(predictions, digits), plain, _together(predictions, labels([one.run for one in predictions]))
    )


def document_of(predicted: Predicted, digits: int | None = None) -> Document:
    """The document of one estimate."""
    return document([predicted], digits)


def estimates(predictions: Sequence[Predicted], digits: int) -> list[Table]:
    """One table per run: the estimate beside what people alone, and the model alone, would say."""
    names = labels([one.run for one in predictions])
    tables = [
        _of_run(one, name if len(predictions) > 1 else "", digits)
        for one, name in zip(predictions, names, strict=True)
    ]
    return [*tables[:-1], replace(tables[-1], notes=tuple(_notes(predictions)))]


def _of_run(predicted: Predicted, title: str, digits: int) -> Table:
    columns = (
        message("measure"),
        message("estimate"),
        interval_heading(predicted.confidence),
        message("people alone"),
        message("model"),
        message("weight"),
        message("worth"),
    )
    rows: list[tuple[Cell, ...]] = []
    for measure, mean in predicted.items():
        people = joined(" ", [f"{mean.judged.estimate:.{digits}f}", limits(mean.judged, digits)])
        known = mean.interval.estimate, limits(mean.interval, digits)
        rows.append(
            (measure, *known, people, f"{mean.predicted:.{digits}f}", f"{mean.weight:.2f}", round(mean.worth))
        )
    return Table(columns, tuple(rows), title=title, digits=digits)


def _notes(estimates: Sequence[Predicted]) -> list[str]:
    names = labels([one.run for one in estimates])
    remarks = ledger.shared([one.model for one in estimates], names)
    by_model = [
        joined(" ", [message("By the model:"), joined(": ", [listed(who), joined(" ", sentences)])])
        for sentences, who in remarks.items()
    ]
    return [
        message("Rules: {rules}.", rules=printable(estimates[0].rules.name)),
        *made(estimates[0]),
        *by_model,
        *_together(estimates, names),
    ]


def _together(predictions: Sequence[Predicted], names: Sequence[str]) -> list[str]:
    """The remarks on all runs, each once; a remark that is not on all of them names the run."""
    plain = [remarks_of(one) for one in predictions]
    of_all = set(plain[0]).intersection(*plain)
    said: dict[str, None] = {}
    for one, name, own in zip(predictions, names, plain, strict=True):
        pairs = zip(own, remarks_of(one, name), strict=True)
        said |= dict.fromkeys(remark if remark in of_all else named for remark, named in pairs)
    return list(said)


def made(predicted: Predicted) -> list[str]:
    """Who judged what, and how the estimate is made."""
    chosen = (
        message("a random sample, as you say")
        if predicted.probability is None
        else message("drawn with the probabilities given")
    )
    return [
        message(
            "People judged {n:,} of {all:,} queries, {chosen}; the model judged all.",
            n=len(predicted.places),
            all=len(predicted.queries),
            chosen=chosen,
        ),
        message(
            "Estimate: prediction-powered (PPI++), right whatever the model's bias; intervals by Student's t, "
            "wider where scores are skewed. Model: its mean, taken for the truth. Weight: how far it is relied on. "
            "Worth: how many judged queries would say as much without it."
        ),
    ]


def made_of_systems(estimates: Mapping[str, Predicted]) -> list[str]:
    """`made` for systems side by side, if these are such estimates."""
    if not estimates:
        return []
    said = made(next(iter(estimates.values())))[:1]
    if len(estimates) > 1:
        said += [
            message(
                "A difference is estimated for itself, with a weight of its own: it need not be that of the means. "
                "Effects, wins, ties and losses are of the judged queries alone."
            )
        ]
    return said


def remarks_of_systems(estimates: Mapping[str, Predicted]) -> list[str]:
    """The remarks on such systems, each once."""
    return list(dict.fromkeys(said for one in estimates.values() for said in _of_judgements(one)))


def remarks_of(predicted: Predicted, who: str = "") -> list[str]:
    """How far the estimate can be trusted.

    Args:
        who: what the run is called beside others.
    """
    means = {joined(" ", [who, name]) if who else name: mean for name, mean in predicted.items()}
    doubts = few.doubts((name, mean.interval) for name, mean in means.items())
    return [*_of_judgements(predicted), *_biased(means), *doubts]


def _of_judgements(predicted: Predicted) -> list[str]:
    """The remarks on who judged what, which do not depend on a measure."""
    signs = [_sign(sign, predicted) for sign in predicted.signs]
    return [*_sizes(predicted), *signs, *_runs(predicted), *_documents(predicted)]


def _sizes(predicted: Predicted) -> list[str]:
    """Whether people judged enough."""
    judged = len(predicted.places)
    sentences: list[str] = []
    if judged < FEWEST:
        sentences.append(
            warned(
                plural(
                    "people judged {n} query; below {fewest} nothing is promised of the intervals.",
                    "people judged {n} queries; below {fewest} nothing is promised of the intervals.",
                    n=judged,
                    fewest=FEWEST,
                )
            )
        )
    if judged == len(predicted.queries):
        sentences.append(message("People judged every query: the model adds nothing."))
    return sentences


def _sign(sign: Sign, predicted: Predicted) -> Message:
    """What speaks against the sample."""
    if sign.what == "size":
        return warned(
            message(
                "people judged {n:,} queries, where these probabilities make about {expected:.1f}: are they those "
                "of being judged?",
                n=len(predicted.places),
                expected=sign.others,
            )
        )
    if sign.first:
        return warned(
            message(
                "people judged the first {n:,} queries in the order of their ids: that is no random sample, unless "
                "the ids are in random order.",
                n=len(predicted.places),
            )
        )
    what = (
        message("the place of ids in their order, from 0 to 1,")
        if sign.what == "order"
        else message("{m} by the model", m=sign.what)
    )
    values = {"what": what, "judged": sign.judged, "others": sign.others, "p": f"{max(sign.p, LEAST):.2g}"}
    if predicted.probability is None:
        return warned(
            message(
                "the judged queries do not look like a random sample: {what} is {judged:.3f} on average there, and "
                "{others:.3f} on the others (p = {p}).",
                **values,
            )
        )
    return warned(
        message(
            "the judged queries do not look drawn with these probabilities: {what} is {judged:.3f} on average "
            "there, and {others:.3f} on the others (p = {p} with the probabilities).",
            **values,
        )
    )


def _runs(predicted: Predicted) -> list[str]:
    """A remark where scores are of different runs."""
    one, other = (printable(each.run) for each in (predicted.people, predicted.model))
    if one == other:
        return []
    said = message("people's scores are of {one}, the model's of {other}: is this one run?", one=one, other=other)
    return [warned(said)]


def _documents(predicted: Predicted) -> list[str]:
    """Documents, or aspects of documents, that only one of the two judged."""
    unseen, unpredicted = {"n": predicted.unseen}, {"n": predicted.unpredicted}
    if predicted.is_by_aspect:
        said = [
            plural(
                "Remark: of the judged queries, people did not judge {n:,} aspect of a document that the model "
                "judged; in the estimate it counts as not answered, or not at all.",
                "Remark: of the judged queries, people did not judge {n:,} aspects of documents that the model "
                "judged; in the estimate these count as not answered, or not at all.",
                **unseen,
            ),
            plural(
                "Remark: people judged {n:,} aspect of a document that the model did not: no bias, but a less "
                "exact estimate.",
                "Remark: people judged {n:,} aspects of documents that the model did not: no bias, but a less "
                "exact estimate.",
                **unpredicted,
            ),
        ]
    else:
        said = [
            plural(
                "Remark: of the judged queries, people did not judge {n:,} document that the model judged; in the "
                "estimate it is unjudged.",
                "Remark: of the judged queries, people did not judge {n:,} documents that the model judged; in the "
                "estimate these are unjudged.",
                **unseen,
            ),
            plural(
                "Remark: people judged {n:,} document that the model did not: no bias, but a less exact estimate.",
                "Remark: people judged {n:,} documents that the model did not: no bias, but a less exact estimate.",
                **unpredicted,
            ),
        ]
    return [sentence for sentence, n in zip(said, (predicted.unseen, predicted.unpredicted), strict=True) if n]


def _biased(means: Mapping[str, PredictedMean]) -> list[str]:
    """Measures by which the model's judgements alone would be wrong."""
    off = [
        name
        for name, mean in means.items()
        if mean.interval.method != "constant" and not mean.interval.low <= mean.predicted <= mean.interval.high
    ]
    if not off:
        return []
    return [
        message(
            "Remark: {measures}: the model alone lies outside of the interval; it is biased.", measures=listed(off)
        )
    ]


def _needed_plainly(estimates: Sequence[Predicted], width: float) -> list[dict[str, object]]:
    """How many judged queries each run and measure needs for this width."""
    if len(estimates[0].places) < 3:
        raise InputError(
            plural(
                "people judged {n} query: too few to tell how many a width needs",
                "people judged {n} queries: too few to tell how many a width needs",
                n=len(estimates[0].places),
            )
        )
    return [
        {
            "run": one.run,
            "measure": name,
            "width": mean.interval.high - mean.interval.low if math.isfinite(mean.interval.low) else None,
            "judged": mean.needed(width) if mean.freedom > 0 else None,
            "judged_alone": mean.needed(width, alone=True) if mean.freedom > 0 else None,
        }
        for one in estimates
        for name, mean in one.items()
    ]


def _needed(estimates: Sequence[Predicted], width: float) -> Table:
    """How many queries people would have to judge, with the model and without."""
    columns = (
        message("run"),
        message("measure"),
        message("width now"),
        message("judged queries needed"),
        message("without the model"),
    )
    names = dict(zip([one.run for one in estimates], labels([one.run for one in estimates]), strict=True))
    more = message("more than all {n:,}", n=len(estimates[0].queries))
    rows: list[tuple[Cell, ...]] = []
    for row in _needed_plainly(estimates, width):
        counts = [more if row[key] is None else f"{row[key]:,}" for key in ("judged", "judged_alone")]
        said = message("unknown") if row["width"] is None else f"{row['width']:.3f}"
        rows.append((names[str(row["run"])], str(row["measure"]), said, *counts))
    title = message("For intervals of a width of {width:g}", width=width)
    table = Table(columns, tuple(rows), title=title)
    return table if len(estimates) > 1 else table.without_first_column()


def _next(queries: Sequence[str], seed: int) -> Table:
    """The queries that people judge next."""
    notes = (
        message(
            "Drawn at random (seed {seed}), so that the sample stays a random one: queries picked by their scores "
            "would make the estimate wrong. Of each, judge the documents that the model judged.",
            seed=seed,
        ),
    )
    rows = tuple((printable(query),) for query in queries)
    return Table((message("query"),), rows, title=message("To judge next"), notes=notes)


def _flat(estimates: Sequence[Predicted], digits: int | None) -> Table:
    """One row per run and measure, for programs."""
    rows = [
        (printable(one.run), name, len(one.places), len(one.queries), *as_dict(mean).values())
        for one in estimates
        for name, mean in one.items()
    ]
    keys = tuple(as_dict(next(iter(estimates[0].values()))))
    return Table((*FLAT, *keys), tuple(rows), digits=digits)
