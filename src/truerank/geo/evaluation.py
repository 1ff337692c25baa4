"""Places found by pictures, evaluated: ground truth from coordinates, what was returned, and how far off it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from truerank.core.errors import InputError, RulesError
from truerank.core.evaluate import evaluate as evaluate_run
from truerank.core.messages import Message, did_you_mean, joined, message, plural
from truerank.core.reading import Keep, read
from truerank.core.rules import Rules, RulesLike
from truerank.core.schema import several_of
from truerank.core.vocabulary import measures_under
from truerank.geo import accuracy
from truerank.geo.landings import NOTHING, STRANGER, Leaving, errors, first, first_results, leaving
from truerank.geo.results import Results, read_results
from truerank.geo.view import Places, View
from truerank.measures import Measure, parse_measures
from truerank.truth import DISTANCES, Items, Truth, TruthNote, build, distance_named, on_earth, parse, read_items
from truerank.truth.distances import MARGIN, Distance
from truerank.truth.items import Ints
from truerank.truth.notes import EXAMPLES, examples
from truerank.truth.reading import name_of
from truerank.truth.search import nearest

RULES = Rules(name="geo", ties="input", missing="skip")
"""A list that is given best first stays so where scores are equal; queries without results are not evaluated."""

CUTS = (1, 5, 10)
WITHIN = (10.0, 25.0, 50.0)

TELLING = 5
"""With fewer queries than this, an id that is on both sides may be chance."""

METRICS = ("both", *DISTANCES)


def evaluate(
    queries: Any,
    references: Any,
    results: Any,
    *,
    metric: str | Iterable[str] = "both",
    k: Sequence[int] | int = CUTS,
    truth: str = "nearest",
    within: Sequence[float] | float = WITHIN,
    steepness: float = accuracy.STEEPNESS,
    earth_radius: float | None = None,
    measures: str | Iterable[str | Measure] = (),
    rules: RulesLike | None = None,
    keep: Keep = "judged",
    **reading: Any,
) -> Places:
    """How well results find the references that are right for each query's place, and how far off they are.

    Args:
        queries, references: what `truth.read_items` takes.
        results: a folder of JSON files, one per query, or what `open_run` takes, or `Results`.
        metric: geodesic, haversine, xy, several of them, or both: geodesic and, where there are x and y, xy.
        k: the cutoffs of R, P and Success.
        truth: a rule of truth as it is written: nearest, nearest(n=3), within(metres=25), contains, ...
        within: metres for R@k within t, the distribution of the error (MA@t) and the areas under it.
        steepness: what one metre costs in SDM.
        earth_radius: metres; latitude and longitude are then measured by haversine on a sphere of this radius.
        measures: more measures.
        rules: by default `RULES`.
        keep: which results are rows of the views' readings, as for `read`.
        reading: what `read_results` takes: pattern, name, better, format, progress.

    Raises:
        TruerankError: wrong input; the message says what, where and what now.

    >>> from truerank import geo
    >>> flight = [{"image": "q.jpg", "lat": 37.5, "lon": 127.0}]
    >>> references = [{"id": "a", "lat": 37.5001, "lon": 127.0}, {"id": "b", "lat": 37.6, "lon": 127.0}]
    >>> places = geo.evaluate(flight, references, {"q.jpg": ["b", "a"]}, k=[1, 2])
    >>> places["geo"].scores.mean["R@1"], places["geo"].scores.mean["R@2"], places["geo"].errors.round(2).tolist()
    (0.0, 1.0, [[11098.8, 11.1]])
    """
    asked = read_items(queries, name_of(queries, "queries"))
    there = read_items(references, name_of(references, "references"))
    ruled = RULES if rules is None else Rules.of(rules).by_query(message("places are evaluated query by query"))
    answers = _read(results, asked, there, reading)
    ks, metres, steep = accuracy.cutoffs(k), accuracy.distances(within), accuracy.checked_steepness(steepness)
    usual = [f"{name}@{cut}" for cut in ks for name in ("R", "P", "Success")]
    chosen = measures_under([*usual, *parse_measures(measures)], ruled)
    plan = _Plan(asked, there, answers, truth, tuple(chosen), ks, metres, steep, ruled, keep)
    names = several_of(metric)
    distances = _on_earth(_distances(names, asked, there), earth_radius, is_geodesic="geodesic" in names)
    views, notes = plan.views(distances, is_open="both" in names)
    return Places(views, (*answers.notes, *plan.unknown_ids(), *notes), answers)


def _read(results: Any, queries: Items, references: Items, how: Mapping[str, Any]) -> Results:
    """The results, unless they are read already."""
    if not isinstance(results, Results):
        return read_results(results, queries, references, **how)
    if said := [name for name, value in how.items() if value is not None and name != "progress"]:
        raise InputError("these results are read already, so {names} would be of no use", names=examples(said))
    return results


def _without_unplaced(queries: Items, by: Distance, results: Results) -> tuple[Items, list[TruthNote]]:
    """The queries without those that have neither a whole place nor results, and a note of how many these are."""
    answered = set(results.queries)
    bad = np.flatnonzero(~np.isfinite(by.places(queries)).all(axis=1)).tolist()
    gone = [row for row in bad if queries.ids[row] not in answered]
    if not gone:
        return queries, []
    names = [queries.ids[row] for row in gone]
    said = plural(
        "{n:,} query has neither a place nor results: {names}.",
        "{n:,} queries have neither a place nor results: {names}.",
        n=len(gone),
        names=examples(names),
    )
    kept = np.ones(len(queries), bool)
    kept[gone] = False
    return queries.select(kept), [TruthNote("unplaced", said)]


def _distances(names: Sequence[Any], queries: Items, references: Items) -> list[str]:
    """The distances that are asked for, or those that there are coordinates for."""
    if not names:
        raise RulesError("no metric is named; there is {known}", known=", ".join(METRICS))
    for name in names:
        if name not in METRICS:
            raise RulesError(
                "no metric is called {name!r}.{hint} There is {known}",
                name=name,
                hint=did_you_mean(name, METRICS),
                known=", ".join(METRICS),
            )
    wanted = [one for name in names for one in (_possible(queries, references) if name == "both" else (name,))]
    if "geodesic" in wanted and "haversine" in wanted:
        raise RulesError("geodesic and haversine are two ways to measure 'geo': take one of them")
    return list(dict.fromkeys(wanted))


def _on_earth(names: list[str], radius: float | None, *, is_geodesic: bool) -> list[str]:
    """The distances, with that over the globe on a sphere of this radius, if there is one."""
    if radius is None:
        return names
    if is_geodesic:
        raise RulesError("geodesic is measured on the ellipsoid, which has no one radius: leave out one of the two")
    return [name if name == "xy" else on_earth(radius) for name in names]


def _possible(queries: Items, references: Items) -> Sequence[str]:
    """Geodesic and xy, if all items have what it takes; geodesic, which will say what is missing, if neither."""
    has: Mapping[str, bool] = {
        "geodesic": all(items.lat is not None or _is_tiled(items) for items in (queries, references)),
        "xy": all(items.x is not None for items in (queries, references)),
    }
    return [name for name, there in has.items() if there] or ["geodesic"]


def _is_tiled(items: Items) -> bool:
    """Whether there are bounds and nothing else that says where the items are."""
    return items.bounds is not None and items.x is None


def _own(right: Truth) -> list[TruthNote]:
    """How many queries look like references of their own, if most of them do."""
    n = int((right.selves & (right.metres == 0) & (right.grades > 0)).sum())
    if n < TELLING or 2 * n <= len(right.queries):
        return []
    said = message(
        "{n:,} queries have the id and the very place of a reference, which is right for them. Where that is the "
        "same picture, take it out: self_match = 'remove' (--set self_match=remove).",
        n=n,
    )
    return [TruthNote("selves", said)]


@dataclass(frozen=True)
class _Plan:
    """What is the same for every distance."""

    queries: Items
    references: Items
    results: Results
    truth: str
    measures: tuple[Measure, ...]
    k: tuple[int, ...]
    within: tuple[float, ...]
    steepness: float
    rules: Rules
    keep: Keep

    def views(self, metrics: Sequence[str], is_open: bool) -> tuple[dict[str, View], list[TruthNote]]:
        """A view for each distance; where xy was not asked for, it is left out with a note if it cannot be."""
        views: dict[str, View] = {}
        notes = []
        for name in metrics:
            view = self.view(name) if name != "xy" or not (is_open and views) else self._if_possible(name)
            if isinstance(view, TruthNote):
                notes.append(view)
            else:
                views["xy" if name == "xy" else "geo"] = view
        return views, notes

    def _if_possible(self, distance: str) -> View | TruthNote:
        try:
            return self.view(distance)
        except InputError as error:
            said = message(
                "{distance} is left out: {why}.", distance=distance, why=joined("", [error.where, error.said])
            )
            return TruthNote(f"no {distance}", said)

    def view(self, distance: str) -> View:
        """Truth by this distance, the scores, and the errors of the first results."""
        queries, unplaced = self._placed(distance)
        right = build(self.truth, queries, self.references, distance=distance)
        own = _own(right) if self.shares_ids and self.rules.self_match == "keep" else []
        right = right.without_selves() if self.rules.self_match == "remove" else right
        cut = accuracy.percent_cut(len(self.references))
        percent = parse_measures(f"Success@{cut}")
        reading = read(right, self.results.run(), rules=self.rules, keep=self.keep)
        scores = evaluate_run(reading, measures=[*self.measures, *percent])
        if not set(scores.queries).difference(right.without_relevant):
            raise InputError(self._nothing_right(right, queries, distance))
        without = leaving(right, self.rules)
        table = self._aligned(scores.queries, self._first(without) if without else self.first)
        rows = np.array([queries.rows[name] for name in scores.queries], np.int64)
        metres = errors(distance_named(distance), queries, self.references, rows, table)
        return View(
            distance,
            right,
            reading,
            scores,
            self.measures,
            metres,
            table,
            self.references,
            longest=self.results.longest,
            k=self.k,
            within=self.within,
            steepness=self.steepness,
            notes=(*right.notes, *unplaced, *own, *self._on_the_sphere(right, queries)),
        )

    def _placed(self, distance: str) -> tuple[Items, list[TruthNote]]:
        """The queries but for those that no place and no results leave nothing to ask of, and a note of these."""
        by = self._measured(distance)
        return (self.queries, []) if by is None else _without_unplaced(self.queries, by, self.results)

    def _measured(self, distance: str) -> Distance | None:
        """How the truth is measured: as its rule says itself, or else by this distance; None where it is not."""
        rule, given = parse(self.truth)
        return distance_named(given.get("distance") or distance) if "distance" in rule.parameters else None

    def _nothing_right(self, right: Truth, queries: Items, distance: str) -> Message:
        """Why there is nothing to find, most likely."""
        if len(right.without_relevant) < len(right.queries):
            return message(
                "only queries without results have anything right by {rule}: "
                "are these the results of other queries?",
                rule=right.rule,
            )
        if self.rules.self_match == "remove" and self.shares_ids:
            return message(
                "no query has anything right by {rule} but itself, which self_match = 'remove' takes out; "
                "take a rule that finds others too, such as within(metres=25) or nearest(n=2)",
                rule=right.rule,
            )
        by = self._measured(distance)
        if by is None:
            return message(
                "no query has anything right by {rule}: are these the references of other queries?", rule=right.rule
            )
        metres = nearest(by, by.places(queries), by.places(self.references), 1)[1].min()
        return message(
            "no query has anything right by {rule}; no reference is nearer to a query than {metres:,.2f} m: "
            "is the rule too strict, or a place mistaken?",
            rule=right.rule,
            metres=metres,
        )

    @cached_property
    def shares_ids(self) -> bool:
        """Whether some query has the id of a reference."""
        return not self.references.rows.keys().isdisjoint(self.queries.ids)

    @cached_property
    def first(self) -> Ints:
        """The first results of each query that has some, whatever is right."""
        return self._first(None)

    def _first(self, without: Leaving | None) -> Ints:
        return first_results(self.results, self.rules, max(self.k), without)

    def unknown_ids(self) -> list[TruthNote]:
        """How many of the first results name no reference, and which."""
        at = np.argwhere(self.first == STRANGER)
        if not len(at):
            return []
        k, some = max(self.k), at[: EXAMPLES + 1].tolist()
        names = [str(first(self.results.one(q), self.rules, k, None)[place]) for q, place in some]
        said = plural(
            "{n:,} result among the first {k} of a query names no reference: {names}.",
            "{n:,} results among the first {k} of a query name no reference: {names}.",
            n=len(at),
            k=k,
            names=examples(names),
        )
        return [TruthNote("strangers", said)]

    def _aligned(self, queries: Sequence[str], found: Ints) -> Ints:
        """The first results of each evaluated query."""
        place = {name: row for row, name in enumerate(self.results.queries)}
        table = np.vstack([found, np.full((1, found.shape[1]), NOTHING)])
        return table[[place.get(name, -1) for name in queries]]

    def _on_the_sphere(self, right: Truth, queries: Items) -> list[TruthNote]:
        """How many queries have another nearest reference by haversine, where that is not what was measured."""
        if right.distance != "geodesic" or parse(self.truth)[0].name != "nearest":
            return []
        asked, there = queries.places, self.references.places
        chosen = nearest(DISTANCES["geodesic"], asked, there, 1)[0][:, 0]
        least = nearest(sphere := DISTANCES["haversine"], asked, there, 1)[1][:, 0]
        differ = int((sphere.metres(asked, there[chosen]) > least + MARGIN).sum())
        said = plural(
            "By haversine another reference would be the nearest for {n:,} query.",
            "By haversine another reference would be the nearest for {n:,} queries.",
            n=differ,
        )
        return [TruthNote("sphere", said)] if differ else []
