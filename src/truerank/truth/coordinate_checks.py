"""What looks wrong with coordinates: swapped axes, radians, float32, several planes, (0, 0)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from truerank.core.errors import printable
from truerank.core.messages import Message, message, plural
from truerank.truth.distances import haversine
from truerank.truth.items import Bools, Floats, Items
from truerank.truth.notes import TruthNote, examples

DIGITS = 8
"""A number of more digits that fits into 32 bits was cut to them."""

SAMPLE = 1000


def coordinate_checks(queries: Items, references: Items, distance: str | None) -> tuple[TruthNote, ...]:
    """What looks wrong, a note each; nothing where nothing was measured."""
    if distance is None:
        return ()
    checks = _PLANE if distance == "xy" else _GLOBE
    return tuple(note for check in checks for note in check(queries, references))


def _orders(queries: Items, references: Items) -> Iterator[TruthNote]:
    """How coordinates were read whose names do not say it."""
    yield from (TruthNote("order", remark) for items in (queries, references) for remark in items.remarks)


def _swapped(queries: Items, references: Items) -> Iterator[TruthNote]:
    """The queries' box misses the references', but would meet it with the axes the other way round."""
    there = _box(references.places)
    if not _meet(_box(queries.places), there) and _meet(_box(queries.places[:, ::-1]), there):
        said = message(
            "Latitude and longitude look swapped in either the queries or the references: only with one of them "
            "the other way round they are in the same region."
        )
        yield TruthNote("swapped", said)


def _radians(queries: Items, references: Items) -> Iterator[TruthNote]:
    for items in (queries, references):
        lat, lon = np.abs(items.places).T
        if lat.max() <= np.pi / 2 and lon.max() <= np.pi and (lat + lon).max() > 0:
            said = message(
                "No coordinate of {name} is beyond pi: are they radians, not degrees?", name=printable(items.name)
            )
            yield TruthNote("radians", said)


def _beyond_180(queries: Items, references: Items) -> Iterator[TruthNote]:
    for items in (queries, references):
        lon = items.places[:, 1]
        if (beyond := np.flatnonzero(lon > 180)).size:
            said = plural(
                "{n:,} longitude is beyond 180 in {name} (the first is {lon:g} of {id}): "
                "read as degrees east of Greenwich.",
                "{n:,} longitudes are beyond 180 in {name} (the first is {lon:g} of {id}): "
                "read as degrees east of Greenwich.",
                n=len(beyond),
                name=printable(items.name),
                lon=lon[beyond[0]],
                id=printable(items.ids[beyond[0]]),
            )
            yield TruthNote("beyond 180", said)


def _float32(queries: Items, references: Items) -> Iterator[TruthNote]:
    for items in (queries, references):
        places = items.places
        if _is_cut(places[:SAMPLE]):
            step = np.spacing(np.abs(places).astype(np.float32)).astype(np.float64) / 2 * 111_320
            step[:, 1] *= np.cos(np.radians(places[:, 0]))
            said = message(
                "The degrees of {name} were rounded to 32 bits, which moves them by up to {metres:.2f} m.",
                name=printable(items.name),
                metres=step.max(),
            )
            yield TruthNote("float32", said)


def _is_cut(values: Floats) -> bool:
    """Whether all values fit into 32 bits though most have more digits than people write."""
    long = [len(repr(value).lstrip("-").replace(".", "")) > DIGITS for value in values.ravel().tolist()]
    return bool((values == values.astype(np.float32)).all()) and 2 * sum(long) > len(long)


def _nowhere(queries: Items, references: Items) -> Iterator[TruthNote]:
    for items in (queries, references):
        yield from _at_zero(items, (items.places == 0).all(axis=1), message("latitude and longitude"))


def _at_zero(items: Items, zero: Bools, what: Message) -> Iterator[TruthNote]:
    if there := [items.ids[row] for row in np.flatnonzero(zero).tolist()]:
        said = plural(
            "{n:,} of {all:,} in {name} stands at {what} (0, 0), where things without a place are put: {names}.",
            "{n:,} of {all:,} in {name} stand at {what} (0, 0), where things without a place are put: {names}.",
            n=len(there),
            all=len(items),
            name=printable(items.name),
            what=what,
            names=examples(there),
        )
        yield TruthNote("zero", said)


def _plane_zero(queries: Items, references: Items) -> Iterator[TruthNote]:
    for items in (queries, references):
        if len(items) > 1 and np.abs(items.plane).max() > 1:
            yield from _at_zero(items, (items.plane == 0).all(axis=1), message("x and y"))


def _disagreement(queries: Items, references: Items) -> Iterator[TruthNote]:
    """x and y against latitude and longitude: the same lengths, if both are right and in metres."""
    if any(items.lat is None or items.lon is None for items in (queries, references)):
        return
    ratios = _ratios(queries, references)
    if not len(ratios):
        return
    low, middle, high = np.quantile(ratios, [0.05, 0.5, 0.95])
    if high > 1.1 * low:
        said = message(
            "x and y do not fit latitude and longitude: their lengths are {low:.3g} to {high:.3g} times "
            "the others. Are there several UTM zones?",
            low=low,
            high=high,
        )
        yield TruthNote("planes", said)
    elif not 0.98 < middle < 1.02:
        said = message(
            "x and y are not metres: their lengths are {times:.4g} times those by latitude and longitude "
            "(a web map's plane stretches with the latitude).",
            times=middle,
        )
        yield TruthNote("scale", said)


def _ratios(queries: Items, references: Items) -> Floats:
    """Lengths on the plane as multiples of those on the globe, for pairs that are far enough apart to tell."""
    rng = np.random.default_rng(0)
    asked, there = (rng.integers(0, len(items), SAMPLE) for items in (queries, references))
    globe = haversine(queries.places[asked], references.places[there])
    plane = np.hypot(*(queries.plane[asked] - references.plane[there]).T)
    tell = np.isfinite(globe) & np.isfinite(plane) & (globe > 100)
    return np.asarray(plane[tell] / globe[tell], np.float64)


def _box(places: Floats) -> Floats:
    """South, west; north, east; a little wider than the places, so that near ones meet."""
    return np.array([places.min(axis=0) - 1, places.max(axis=0) + 1])


def _meet(one: Floats, other: Floats) -> bool:
    return bool((one[0] <= other[1]).all() and (other[0] <= one[1]).all())


Check = Callable[[Items, Items], Iterator[TruthNote]]

_GLOBE: tuple[Check, ...] = (_orders, _swapped, _radians, _beyond_180, _float32, _nowhere)
_PLANE: tuple[Check, ...] = (_disagreement, _plane_zero)
