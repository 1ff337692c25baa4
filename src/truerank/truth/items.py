"""Items: what is searched for and what is found, each with a place, a plane position, an identity or a vector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank.core.errors import InputError, printable
from truerank.core.messages import Message, did_you_mean, message
from truerank.truth.keys import unread

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Texts = tuple[str | None, ...]

_ABOUT = ("ids", "name", "aliases", "others", "remarks")
"""Attributes that are no columns of their own."""


@dataclass(frozen=True, eq=False)
class Items:
    """Queries or references, in their order; what an item does not have is None.

    Attributes:
        ids: their names, without repeats.
        name: where they came from.
        lat, lon: (items,) WGS84 degrees.
        x, y: (items,) metres on a plane.
        zone: the plane that x and y are measured on, such as "52N" in UTM.
        label, camera: who or what is seen, and by which camera.
        vector: (items, dimensions) embeddings.
        bounds: (items, 4) west, south, east and north of a tile, in degrees or in metres; west > east: it
            crosses the antimeridian.
        aliases: other columns that name the items, such as a file's path beside a number.
        others: the names of columns that were not read, for messages.
        remarks: how columns were read, where that was found out from their values.

    >>> Items(("a", "b"), lat=[37.5, 37.6], lon=[127.0, 127.1]).places.shape
    (2, 2)
    """

    ids: tuple[str, ...] = field(repr=False)
    name: str = "items"
    lat: Floats | None = field(default=None, repr=False)
    lon: Floats | None = field(default=None, repr=False)
    x: Floats | None = field(default=None, repr=False)
    y: Floats | None = field(default=None, repr=False)
    zone: Texts | None = field(default=None, repr=False)
    label: Texts | None = field(default=None, repr=False)
    camera: Texts | None = field(default=None, repr=False)
    vector: NDArray[Any] | None = field(default=None, repr=False)
    bounds: Floats | None = field(default=None, repr=False)
    aliases: Mapping[str, Texts] = field(default_factory=dict, repr=False)
    others: tuple[str, ...] = field(default=(), repr=False)
    remarks: tuple[str, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ids", tuple(self.ids))
        for column in ("lat", "lon", "x", "y", "bounds"):
            given = getattr(self, column)
            if given is not None:
                object.__setattr__(self, column, np.asarray(given, np.float64))
        for column, values in self.columns.items():
            if len(values) != len(self):
                raise InputError(
                    "there are {n} ids, but {values} values of {name}",
                    self.name,
                    n=len(self),
                    values=len(values),
                    name=column,
                )
        self._refuse_repeats()

    def _refuse_repeats(self) -> None:
        if len(self.rows) == len(self):
            return
        later = next(row for row, name in enumerate(self.ids) if self.rows[name] != row)
        raise InputError(
            "items {first} and {second} are both called {id!r}; ids must differ: name another column with id=…",
            self.name,
            first=later + 1,
            second=self.rows[self.ids[later]] + 1,
            id=printable(self.ids[later]),
        )

    def __len__(self) -> int:
        """The number of items."""
        return len(self.ids)

    @cached_property
    def rows(self) -> dict[str, int]:
        """Where each id stands."""
        return {name: row for row, name in enumerate(self.ids)}

    @property
    def columns(self) -> dict[str, Sequence[Any] | NDArray[Any]]:
        """What the items have, by the name of the attribute."""
        named = (f.name for f in fields(self) if f.name not in _ABOUT)
        return {name: getattr(self, name) for name in named if getattr(self, name) is not None}

    @property
    def places(self) -> Floats:
        """(items, 2) latitude and longitude; a tile without any is where its middle is.

        Raises:
            InputError: the items have none.
        """
        if self.lat is None and self.bounds is not None and self.x is None:
            lon, lat = middles(self.bounds, is_globe=True).T
            return np.column_stack([lat, np.where(lon > 180, lon - 360, lon)])
        return self._pair("lat", "lon", message("latitude and longitude"))

    @property
    def plane(self) -> Floats:
        """(items, 2) x and y; a tile without any is where its middle is.

        Raises:
            InputError: the items have none.
        """
        if self.x is None and self.bounds is not None and self.lat is None:
            return middles(self.bounds, is_globe=False)
        return self._pair("x", "y", message("x and y"))

    def _pair(self, one: str, other: str, what: Message) -> Floats:
        first, second = getattr(self, one), getattr(self, other)
        if first is None or second is None:
            raise InputError(
                "the items have no {what}, only {known}; name it: {one}=…, {other}=…{hint}",
                self.name,
                what=what,
                known=", ".join(["id", *self.columns]),
                one=one,
                other=other,
                hint=self._instead(one),
            )
        return np.column_stack([first, second])

    def _instead(self, lacking: str) -> Message | str:
        """What else may help where these coordinates are lacking."""
        if self.others:
            return message(" ({hint})", hint=unread(self.others))
        if lacking == "lat" and self.x is not None and self.y is not None:
            return message("; or measure by x and y: distance='xy' (--distance xy)")
        return ""

    def row(self, name: str) -> int:
        """Where an item stands.

        Raises:
            InputError: there is no such item; a near one is suggested.
        """
        if name not in self.rows:
            raise InputError(
                "there is no item {name!r}.{hint}",
                self.name,
                name=printable(name),
                hint=did_you_mean(name, self.ids),
            )
        return self.rows[name]

    def select(self, rows: Sequence[int] | Ints | Bools) -> Items:
        """Only these items, in this order."""
        index = np.arange(len(self))[np.asarray(rows)]
        kept = {name: _taken(values, index) for name, values in self.columns.items()}
        aliases = {name: _taken(values, index) for name, values in self.aliases.items()}
        return replace(self, ids=_taken(self.ids, index), aliases=aliases, **kept)


def _taken(values: Any, index: Ints) -> Any:
    return values[index] if isinstance(values, np.ndarray) else tuple(values[i] for i in index.tolist())


def sizes(bounds: Floats, is_globe: bool) -> Floats:
    """(tiles, 2) width and height; on the globe the width is counted eastwards."""
    wide: Floats = bounds[:, 2:] - bounds[:, :2]
    if is_globe:
        wide[:, 0] = np.where(wide[:, 0] >= 360, 360.0, wide[:, 0] % 360)
    return wide


def middles(bounds: Floats, is_globe: bool) -> Floats:
    """(tiles, 2) the x or longitude and the y or latitude of each tile's middle; longitudes up to 360 more."""
    return np.asarray(bounds[:, :2] + sizes(bounds, is_globe) / 2, np.float64)
