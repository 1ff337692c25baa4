"""How a JSON value holds one query's neighbours, at any depth: objects, parallel arrays, pairs, plain ids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from typing import Any

from truerank.core.errors import quoted
from truerank.core.messages import message
from truerank.formats.names import HIGHER, IDS, LOWER, NEIGHBOUR_LISTS, RANKS, folded

DEEPEST = 4
"""How many keys down the neighbours may stand."""

Way = tuple[str | int, ...]

UNNAMED = ""
"""What numbers are called that stand beside ids without a name."""

UNLIKE = (KeyError, IndexError, TypeError, ValueError)
"""What reading raises where a value is not of the shape."""


@dataclass(frozen=True)
class Shape:
    """Where the neighbours are in a value, and where each one's id and order are.

    Attributes:
        way: the keys that lead to the list of neighbours, or to the object that holds the arrays.
        kind: "objects", "arrays", "pairs", "ids" or "mapping" (id to value).
        id: the way to the id in each object, or to the array of ids.
        value: the key of what orders the neighbours, `UNNAMED` for numbers beside the ids; None: they stand in
            order.
        sign: 1 where a higher value is better, -1 where a lower one is, 0 where that is not known: then they must
            stand in order, with numbers that all rise or all fall.
    """

    way: Way
    kind: str
    id: Way = ()
    value: str | None = None
    sign: int = 1

    def neighbours(self, value: Any) -> tuple[list[Any], list[Any] | None]:
        """The ids and the numbers that order them.

        Raises:
            KeyError, IndexError, TypeError, ValueError: this value is not of this shape, or its numbers are not in
                order although it is not known which are better.
        """
        ids, values = _READERS[self.kind](self, at(value, self.way))
        _check_ids(ids)
        if not self.sign:
            _check_order(values)
            return ids, None
        if values is not None and len(values) != len(ids):
            raise ValueError(
                message(
                    "there are {n} ids, but {values} values of {name}",
                    n=len(ids),
                    values=len(values),
                    name=self.value,
                )
            )
        return ids, values

    def ids(self, value: Any) -> list[Any]:
        """Only the ids; none where the value is not of this shape."""
        try:
            ids: list[Any] = _READERS[self.kind](self, at(value, self.way))[0]
        except UNLIKE:
            return []
        return ids

    def __str__(self) -> str:
        """The way to an id, for people: results[].id"""
        inside = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.way).lstrip(".")
        named = ".".join(map(str, self.id))
        return (
            f"{inside}[].{named}".lstrip(".")
            if self.kind == "objects"
            else f"{inside}.{named}".strip(".") or "list"
        )


def at(value: Any, way: Way) -> Any:
    """The value to which a way leads."""
    for step in way:
        value = value[step]
    return value


def _objects(shape: Shape, node: Any) -> tuple[list[Any], list[Any] | None]:
    ids = map(itemgetter(shape.id[0]), node) if len(shape.id) == 1 else (at(item, shape.id) for item in node)
    return list(ids), None if shape.value is None else list(map(itemgetter(shape.value), node))


def _arrays(shape: Shape, node: Any) -> tuple[list[Any], list[Any] | None]:
    return _row(at(node, shape.id)), None if shape.value is None else _row(node[shape.value])


def _pairs(shape: Shape, node: Any) -> tuple[list[Any], list[Any] | None]:
    if not isinstance(node, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in node):
        raise TypeError("pairs should stand here")
    return [name for name, _ in node], None if shape.value is None else [value for _, value in node]


def _mapping(shape: Shape, node: Any) -> tuple[list[Any], list[Any] | None]:
    if not isinstance(node, dict):
        raise TypeError("an object should stand here")
    return list(node), None if shape.value is None else list(node.values())


def _ids(shape: Shape, node: Any) -> tuple[list[Any], None]:
    if not isinstance(node, list):
        raise TypeError("ids should stand here")
    return list(node), None


def _check_ids(ids: Sequence[Any]) -> None:
    """Raise where something is not an id, such as null or an inner list."""
    if {*map(type, ids)} <= {str, int}:
        return
    bad = next(name for name in ids if type(name) not in (str, int))
    if isinstance(bad, dict | list):
        raise TypeError("ids should stand here")
    raise ValueError(message("an id is text or a whole number, not {value}", value=quoted(bad)))


def _check_order(values: Sequence[Any]) -> None:
    """Raise where numbers neither all fall nor all rise, so that they do not order the list."""
    steps = list(pairwise(values))
    if any(a < b for a, b in steps) and any(a > b for a, b in steps):
        raise ValueError(
            message(
                "the numbers beside the ids are in no order, and nothing says which are better: say lower, higher, "
                "or order for the list as it stands (--better lower, better='lower')"
            )
        )


_READERS: Mapping[str, Any] = {
    "objects": _objects,
    "arrays": _arrays,
    "pairs": _pairs,
    "ids": _ids,
    "mapping": _mapping,
}


def _row(values: Any) -> list[Any]:
    """An array, or the one row of a table."""
    if not isinstance(values, list):
        raise TypeError("an array should stand here")
    return values[0] if len(values) == 1 and isinstance(values[0], list) else values


def shapes(value: Any, way: Way = ()) -> Iterator[Shape]:
    """Every way to read neighbours from a value, the likeliest first; none where there are no neighbours."""
    if isinstance(value, list) and value:
        yield from _list_shapes(value, way)
    elif isinstance(value, dict) and len(way) < DEEPEST:
        yield from _array_shapes(value, way)
        inner = [key for key in value if isinstance(value[key], list | dict)]
        for key in sorted(inner, key=lambda key: _place(key, NEIGHBOUR_LISTS)):
            yield from shapes(value[key], (*way, key))
        if value and all(_is_number(number) for number in value.values()):
            yield Shape(way, "mapping", value=UNNAMED, sign=0)


def is_empty(value: Any) -> bool:
    """Whether a value has an empty list in the place of neighbours."""
    return next(shapes(value), None) is None and _has_empty_list(value)


def _has_empty_list(value: Any) -> bool:
    if isinstance(value, dict):
        return not value or any(_has_empty_list(inner) for inner in value.values())
    return value in ([], [[]])


def _list_shapes(value: list[Any], way: Way) -> Iterator[Shape]:
    first = value[0]
    if isinstance(first, dict):
        order, sign = _order(first)
        ids = sorted(_id_ways(first), key=lambda inside: (len(inside), _place(inside[-1], IDS)))
        yield from (Shape(way, "objects", inside, order, sign) for inside in ids if inside != (order,))
    elif isinstance(first, list) and len(value) == 1:
        yield from shapes(first, (*way, 0))
    elif isinstance(first, list) and len(first) == 2 and _is_id(first[0]) and _is_number(first[1]):
        yield Shape(way, "pairs", value=UNNAMED, sign=0)
    elif _is_id(first):
        yield Shape(way, "ids")


def _array_shapes(value: dict[str, Any], way: Way) -> Iterator[Shape]:
    """{"ids": […], "distances": […]}; FAISS's (D, I) by these letters."""
    arrays = {key: _row(array) for key, array in value.items() if isinstance(array, list)}
    ids = [key for key, array in arrays.items() if array and folded(key) in IDS and _is_id(array[0])]
    for key in sorted(ids, key=lambda key: _place(key, IDS)):
        beside = {other: array[0] for other, array in arrays.items() if other != key and array}
        order, sign = _order(beside)
        yield Shape(way, "arrays", (key,), order, sign)


def _id_ways(item: Mapping[str, Any], before: Way = ()) -> Iterator[Way]:
    """The ways to everything in an object, or in one inside it, that may be an id."""
    for key, value in item.items():
        if isinstance(value, dict) and not before:
            yield from _id_ways(value, (key,))
        elif _is_id(value) and folded(key) not in (*LOWER, *HIGHER, *RANKS):
            yield (*before, key)


def _order(item: Mapping[str, Any]) -> tuple[str | None, int]:
    """The key of what orders objects like this one, and the sign of that order."""
    for words, sign in ((LOWER, -1), (HIGHER, 1), (RANKS, -1)):
        known = [key for key, value in item.items() if folded(key) in words and _is_number(value)]
        if known:
            return min(known, key=lambda key: _place(key, words)), sign
    return None, 1


def _place(key: str | int, words: Sequence[str]) -> int:
    word = folded(str(key))
    return words.index(word) if word in words else len(words)


def _is_id(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
