"""Systems over several collections as tables and a picture: their ranking, and the mean of each cell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from truerank.analysis.collections import Collections, Standings
from truerank.core.equal import is_equal
from truerank.core.errors import printable
from truerank.core.messages import Message, listed, message, plural, warned
from truerank.core.presented import finite
from truerank.present import charts, few
from truerank.present.comparison_cells import interval_heading, limits, percent
from truerank.present.document import Document, Figure
from truerank.present.renderers.terminal import fits
from truerank.present.table import Cell, Table, drawn_digits
from truerank.stats import is_too_few

BARS = "▁▂▃▄▅▆▇█"

NAMED = 8
"""Names in a sentence, of which there may be many."""

FEW = 10
"""With fewer collections drawn from a population, intervals are wide and rest on how these are distributed."""

ROW, NARROW = 24, 12
"""Points of a row of the picture, and where there are more than 40."""

MOST = 400
"""Cells whose numbers can be read in the picture."""


def document_of(collections: Collections, digits: int | None = None, width: int | None = None) -> Document:
    """The ranking of the systems, the means of all cells, and what a reader should know.

    Args:
        width: of the terminal; a table of cells that is wider is shown as bars.
    """
    drawn = drawn_digits(digits)
    tables = [table for one in collections.standings for table in _of_measure(collections, one, drawn, width)]
    remarks = remarks_of(collections)
    tables[-1] = replace(tables[-1], notes=(*tables[-1].notes, *_made(collections), *remarks))
    plain = {**collections.to_dict(), "remarks": remarks}
    figures = [figure(collections, one, drawn) for one in collections.standings]
    return Document([*tables, *figures], _flat(collections, digits), plain, remarks)


def remarks_of(collections: Collections) -> list[str]:
    """What is missing, and how far the ranks can be trusted."""
    return [*_missing(collections), *_unanswered(collections), *_dropped(collections), *_sizes(collections)]


def _of_measure(collections: Collections, one: Standings, digits: int, width: int | None) -> list[Table]:
    standing = _standing(collections, one, digits)
    cells = _cells(collections, one, digits)
    return [standing, cells if fits(cells, width) else _bars(collections, one, digits)]


def _standing(collections: Collections, one: Standings, digits: int) -> Table:
    """One row per system, the best first; at the end systems without a rank, if their means are asked for."""
    groups = {name: [at for at, group in enumerate(one.groups, 1) if name in group] for name in one.ranked}
    ranks, votes, heights = one.ranks, one.borda, one.borda_ranks
    rows: list[tuple[Cell, ...]] = [
        (
            at,
            printable(name),
            interval.estimate,
            limits(interval, digits),
            span(ranks[name]),
            span((groups[name][0], groups[name][-1])),  # groups are consecutive systems
            f"{heights[name]} ({votes[name]:g})",
        )
        for at, (name, interval) in enumerate(one.overall.items(), 1)
    ]
    rows += [(None, f"{printable(name)} *", mean, "", "", "", "") for name, mean in one.partial.items()]
    columns = (
        "",
        message("run"),
        one.heading,
        interval_heading(collections.confidence),
        message("ranks"),
        message("group"),
        message("Borda"),
    )
    return Table(columns, tuple(rows), digits=digits)


def span(ranks: tuple[int, int]) -> str:
    """The ranks that a system may have, or the groups that it is in.

    >>> span((1, 1)), span((2, 4))
    ('1', '2-4')
    """
    first, last = ranks
    return str(first) if first == last else f"{first}-{last}"


def _listed_rows(collections: Collections, one: Standings) -> list[tuple[str, list[float]]]:
    """Each system with its means, the best first and the incomplete ones last."""
    place = {name: at for at, name in enumerate(collections.systems)}
    return [(name, one.means[place[name]].tolist()) for name in (*one.ranked, *collections.missing)]


def _cells(collections: Collections, one: Standings, digits: int) -> Table:
    """The mean of each system on each collection; the best of a collection in bold, unless all are equal."""
    rows = _listed_rows(collections, one)
    sign = -1 if one.measure.definition.lower_is_better else 1
    best, worst = np.nanmax(sign * one.means, axis=0), np.nanmin(sign * one.means, axis=0)
    stressed = frozenset(
        (r, c + 1)
        for r, (_, means) in enumerate(rows)
        for c, mean in enumerate(means)
        if is_equal(sign * mean, best[c]) and not is_equal(worst[c], best[c])
    )
    cells = tuple((printable(name), *(finite(mean) for mean in means)) for name, means in rows)
    heads = (one.heading, *map(printable, collections.names))
    return Table(heads, cells, best=stressed, across=message("collection"), digits=digits)


def _bars(collections: Collections, one: Standings, digits: int) -> Table:
    """The means as bars, where there is little room: one per collection, from its worst to its best mean."""
    low, high = np.nanmin(one.means, axis=0), np.nanmax(one.means, axis=0)
    share = (one.means - low) / np.where(high > low, high - low, 1.0)
    steps = np.where(np.isnan(share), -1, np.rint(share * (len(BARS) - 1))).astype(int)
    place = {name: at for at, name in enumerate(collections.systems)}
    rows = tuple(
        (printable(name), "".join(BARS[step] if step >= 0 else "·" for step in steps[place[name]].tolist()))
        for name, _ in _listed_rows(collections, one)
    )
    order = listed([printable(name) for name in collections.names])
    note = message(
        "One bar per collection, from its lowest mean to its highest; · is no run. In order: {names}.", names=order
    )
    return Table((one.heading, message("collections")), rows, notes=(note,), digits=digits)


def _made(collections: Collections) -> list[str]:
    """How all this was computed."""
    some = next(one for of in collections.scores.values() for one in of.values())
    rules = message("Rules: {rules}.", rules=printable(some.rules.name))
    return [rules, *_drawing(collections), *(line for one in collections.standings for line in _model(one))]


def _drawing(collections: Collections) -> list[str]:
    n = len(collections.names)
    fixed = plural(
        "Collections are fixed: all this is about this one alone; other queries of it are allowed for.",
        "Collections are fixed: all this is about these {n:,} alone; other queries of theirs are allowed for.",
        n=n,
    )
    random = message(
        "Collections are drawn: all this is about those that these {n:,} are a sample of, with their queries.",
        n=n,
    )
    resampled = plural(
        "{n:,} resample of the queries of each collection, seed {seed}",
        "{n:,} resamples of the queries of each collection, seed {seed}",
        n=collections.samples,
        seed=collections.seed,
    )
    return [
        fixed if collections.drawn == "fixed" else random,
        message(
            "Ranks: those that each system may have, all of them at once at {confidence} % (Mogstad et al. 2024); "
            "systems that share a group cannot be told apart. {how}.",
            confidence=percent(collections.confidence),
            how=resampled if collections.drawn == "fixed" else _flips(collections),
        ),
        message(
            "Means over collections: each counts alike; intervals of Student's t. Borda: rank, and in brackets the "
            "votes, as MTEB counts them."
        ),
    ]


def _flips(collections: Collections) -> Message:
    n = len(collections.names)
    if is_too_few(n, collections.confidence):
        return message("Paired t-tests with Holm's correction, as {n} collections are too few to resample", n=n)
    return message(
        "The differences of whole collections with random signs, up to {samples:,} times, seed {seed}",
        samples=collections.samples,
        seed=collections.seed,
    )


def _model(one: Standings) -> list[str]:
    """The mixed model, which should come to the same standard error."""
    variances, error, model = one.sample.variances, one.sample.error, one.sample.model_error
    if variances is None or error is None or model is None:
        return []
    parts = (variances.collections, variances.queries, variances.systems, variances.rest)
    shares = [f"{100 * part / (sum(parts) or 1):.0f} %" for part in parts]
    return [
        message(
            "Variance of {measure} by a mixed model: collections {collections}, queries {queries}, system × "
            "collection {systems}, rest {rest}. Standard error of a difference: {error:.4f} by the sample, "
            "{model:.4f} by the model.",
            measure=one.heading,
            collections=shares[0],
            queries=shares[1],
            systems=shares[2],
            rest=shares[3],
            error=error,
            model=model,
        )
    ]


def _missing(collections: Collections) -> list[str]:
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, where in collections.missing.items():
        alike.setdefault(where, []).append(printable(name))
    cells = [
        warned(
            plural(
                "{systems} has no run on {names}: it has no mean over all collections and no rank.",
                "{systems} have no run on {names}: they have no mean over all collections and no rank.",
                n=len(systems),
                systems=listed(systems, NAMED),
                names=listed([printable(each) for each in where], NAMED),
            )
        )
        for where, systems in alike.items()
    ]
    said: list[str] = [*cells[:NAMED]]
    if len(cells) > NAMED:
        rest = sum(map(len, list(alike.values())[NAMED:]))
        said.append(
            warned(
                plural(
                    "{n:,} more system lacks some collections, and has no rank.",
                    "{n:,} more systems lack some collections, and have no rank.",
                    n=rest,
                )
            )
        )
    if said and collections.standings[0].partial:
        said.append(message("* The mean over those collections alone that the system has a run on."))
    return said


def _unanswered(collections: Collections) -> list[str]:
    """Queries that a run does not answer, of the first few runs."""
    rule = next(one for of in collections.scores.values() for one in of.values()).rules.missing
    cells = [
        plural(
            "{system} does not answer {n:,} query of {collection} (missing = {rule}).",
            "{system} does not answer {n:,} queries of {collection} (missing = {rule}).",
            n=one.ledger.missing,
            system=printable(system),
            collection=printable(name),
            rule=rule,
        )
        for name, of in collections.scores.items()
        for system, one in of.items()
        if one.ledger.missing
    ]
    more = len(cells) - NAMED
    rest = (
        [plural("{n:,} more run leaves queries unanswered.", "{n:,} more runs leave queries unanswered.", n=more)]
        if more > 0
        else []
    )
    return [*cells[:NAMED], *rest]


def _dropped(collections: Collections) -> list[str]:
    return [
        plural(
            "{n:,} query of {collection} is left out: not every system has scores for it.",
            "{n:,} queries of {collection} are left out: not every system has scores for them.",
            n=n,
            collection=printable(name),
        )
        for name, n in collections.dropped.items()
    ]


def _sizes(collections: Collections) -> list[str]:
    """Where there are too few queries or collections."""
    single = [name for name, n in zip(collections.names, collections.standings[0].queries, strict=True) if n < 2]
    said: list[str] = []
    if single and collections.drawn == "fixed":
        said.append(
            warned(
                plural(
                    "One query of {names} says nothing of how its mean could vary, so intervals and ranks are "
                    "unknown: leave it out, or take collections as drawn from a population.",
                    "One query each of {names} says nothing of how their means could vary, so intervals and ranks "
                    "are unknown: leave them out, or take collections as drawn from a population.",
                    n=len(single),
                    names=listed([printable(name) for name in single], NAMED),
                )
            )
        )
    elif collections.standings[0].sample.overall[0].method == "none":
        said.append(warned(message("There are too few queries for intervals and ranks.")))
    elif collections.drawn == "fixed":
        said += few.remarks(sum(collections.standings[0].queries))
        said += few.resampled(collections.samples, collections.confidence)
        said += few.of_systems((one.heading, one.overall.items()) for one in collections.standings)
    if len(collections.names) == 1:
        said.append(message("Remark: one collection; `truerank compare` says more of it."))
    if collections.drawn == "random" and len(collections.names) < FEW:
        said.append(
            warned(
                message(
                    "{n} collections are few to stand for all others: the intervals are wide, and rest on how "
                    "collections vary; take at least {most}.",
                    n=len(collections.names),
                    most=FEW,
                )
            )
        )
    if len(collections.standings[0].ranked) == 1:
        said.append(message("Remark: one system has a run on every collection, so there are no ranks to tell."))
    return said


def _flat(collections: Collections, digits: int | None) -> Table:
    """For programs: a row per measure, system and collection; the row without a collection is over all of them."""
    of_all = ("low", "high", "rank_first", "rank_last", "borda", "borda_rank")
    columns = ("measure", "system", "collection", "queries", "mean", *of_all)
    rows: list[tuple[Cell, ...]] = []
    for one in collections.standings:
        overall, ranks, borda, heights = one.overall, one.ranks, one.borda, one.borda_ranks
        for name, means in _listed_rows(collections, one):
            who = (one.heading, printable(name))
            if name in overall:
                i = overall[name]
                rest = (finite(i.low), finite(i.high), *ranks[name], borda[name], heights[name])
                rows.append((*who, None, sum(one.queries), i.estimate, *rest))
            elif name in one.partial:
                rows.append((*who, None, None, one.partial[name], *[None] * 6))
            rows += [
                (*who, printable(where), n, mean, *[None] * 6)
                for where, n, mean in zip(collections.names, one.queries, means, strict=True)
                if math.isfinite(mean)
            ]
    return Table(columns, tuple(rows), digits=digits)


def figure(collections: Collections, one: Standings, digits: int = 4) -> Figure:
    """Systems × collections: how far each mean is from that of the collection; rank intervals beside the names."""
    ranks = one.ranks
    called = {
        name: f"{printable(name)} ({span(ranks[name])})" if name in ranks else printable(name)
        for name in (*one.ranked, *collections.missing)
    }
    centre = np.nanmean(one.means, axis=0)
    rows = [
        {
            "who": called[name],
            "collection": printable(where),
            "mean": mean,
            "apart": mean - float(middle),
            "text": f"{mean:.{min(digits, 2)}f}",
        }
        for name, means in _listed_rows(collections, one)
        for where, mean, middle in zip(collections.names, means, centre, strict=True)
        if math.isfinite(mean)
    ]
    title = message("{measure} of each system on each collection", measure=one.heading)
    alt = message(
        "One cell per system and collection, coloured by how far its mean is from that of all systems there; the "
        "systems with their rank intervals, the best on top."
    )
    names, where = list(called.values()), [printable(name) for name in collections.names]
    return Figure(f"collections-{one.heading}", title, alt, _heat(rows, names, where, one, digits))


def _heat(
    rows: charts.Rows, names: Sequence[str], where: Sequence[str], one: Standings, digits: int
) -> charts.Spec:
    widest = max((abs(row["apart"]) for row in rows), default=0.0) or 1.0
    row = ROW if len(names) <= 40 else NARROW
    look = {"title": None, "labelLimit": 220, "domain": False, "ticks": False}
    x = {
        "field": "collection",
        "type": "nominal",
        "sort": list(where),
        "axis": {**look, "orient": "top", "labelAngle": -40},
    }
    y = {"field": "who", "type": "nominal", "sort": list(names), "axis": look}
    hints: charts.Hints = {
        "who": message("run"),
        "collection": message("collection"),
        "mean": (one.heading, f".{digits}f"),
        "apart": (message("from the mean of all systems"), f"+.{digits}f"),
    }
    ends = [widest, -widest] if one.measure.definition.lower_is_better else [-widest, widest]
    colour = {
        "field": "apart",
        "type": "quantitative",
        "scale": {"scheme": "blueorange", "domain": ends, "reverse": True},
        "legend": {"title": message("from the mean of all systems"), "orient": "bottom", "gradientLength": 220},
    }
    rect = {"mark": {"type": "rect"}, "encoding": {"color": colour, "tooltip": charts.tooltip(hints)}}
    dark = f"abs(datum.apart) > {0.6 * widest}"
    text = {
        "mark": {"type": "text", "fontSize": 10},
        "encoding": {
            "text": {"field": "text"},
            "color": {"condition": {"test": dark, "value": "white"}, "value": "black"},
        },
    }
    return {
        **charts.canvas(row * len(names)),
        "data": {"values": list(rows)},
        "encoding": {"x": x, "y": y},
        "layer": [rect, *([text] if len(rows) <= MOST and len(where) <= 16 else [])],
    }
