"""A folder of nearest neighbours: one JSON file per query, as scripts around FAISS write them."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank.core.errors import InputError, quoted, some, truncated
from truerank.core.messages import message
from truerank.core.run import Ranked, Run
from truerank.formats.compression import codec_for, unpacked_name
from truerank.formats.names import NAME, PATTERN
from truerank.formats.records import parsed
from truerank.formats.rows import FILL
from truerank.formats.shapes import UNLIKE, Shape, is_empty, shapes
from truerank.formats.source import MARK, as_source

SAMPLE = 8
"""Files that the shape is found out from."""

TELLING = 10
"""This many neighbouring values that all run against their name tell that the name is wrong."""

TWO_LINES = re.compile(rb"\s*\{[^\n]*\}[ \t\r]*\n\s*\{")
"""Two objects, each on a line of its own: one value has a comma between them."""

BETTER = {"lower": -1, "higher": 1}


def checked_better(which: str | None, name: str) -> str | None:
    """Which value is better, as checked; None where that is not said.

    Raises:
        InputError: it is neither lower, higher nor order.
    """
    if which is not None and which not in (*BETTER, "order"):
        raise InputError("better is lower, higher or order, not {value}", name, value=quoted(str(which)))
    return which


def sign_of(which: str | None) -> int:
    """-1 where the lower value is better, else 1."""
    return BETTER.get(which or "", 1)


@dataclass(frozen=True)
class Neighbours:
    """One file: the ids of the query's neighbours, and the numbers that order them; None: they stand in order."""

    file: str
    ids: list[Any]
    values: list[Any] | None


@dataclass(frozen=True)
class Folder:
    """The files of a folder, and how they are read.

    Attributes:
        name: the folder.
        files: the names of its JSON files, sorted.
        shape: where in each the neighbours stand; None where all files are empty.
    """

    name: str
    files: tuple[str, ...]
    shape: Shape | None

    def better(self, which: str | None) -> Folder:
        """The folder with the lower, or the higher, value as the better one, whatever its name; "order": as listed.

        Raises:
            InputError: there are no values to compare.
        """
        if checked_better(which, self.name) is None or self.shape is None:
            return self
        value = None if which == "order" else self.shape.value
        if value is None and which in BETTER:
            raise InputError(
                "better = {better} compares values, and nothing beside the ids ({where}) is called a distance, "
                "a score or a rank",
                self.name,
                where=self.shape,
                better=which,
            )
        return replace(self, shape=replace(self.shape, value=value, sign=sign_of(which)))

    def read(
        self, files: Iterable[str] | None = None, watch: Callable[[int], None] | None = None
    ) -> Iterator[Neighbours]:
        """The neighbours in each file.

        Args:
            files: only these.
            watch: called with how many bytes more were read.

        Raises:
            InputError: a file is not JSON, or not of a known shape, or what orders it is not a number.
        """
        for file in self.files if files is None else files:
            value = _value(os.path.join(self.name, file), watch)
            yield self._neighbours(value, file)

    def _neighbours(self, value: Any, file: str) -> Neighbours:
        try:
            if self.shape is None:
                raise KeyError
            ids, values = self.shape.neighbours(value)
        except UNLIKE as error:
            if is_empty(value):
                return Neighbours(file, [], None)
            raise self._unlike(file, error) from None
        if ids and ids[-1] == FILL:
            kept = [i for i, number in enumerate(ids) if number != FILL]
            ids, values = [ids[i] for i in kept], values and [values[i] for i in kept]
        return Neighbours(file, ids, values and _checked(values, os.path.join(self.name, file)))

    def _unlike(self, file: str, error: Exception) -> InputError:
        where = os.path.join(self.name, file)
        if self.shape is None or not isinstance(error, ValueError):
            return InputError(
                "no neighbours are where other files have them ({where})",
                where,
                where=self.shape or message("nowhere"),
            )
        return InputError(error.args[0], where)


def _value(path: str, watch: Callable[[int], None] | None = None) -> Any:
    import orjson

    if codec_for(path):
        text = as_source(path).read()
    else:
        with open(path, "rb", buffering=0) as file:
            text = file.read()
    if watch:
        watch(len(text))
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return parsed(text.removeprefix(MARK), path)


def open_folder(folder: str | os.PathLike[str], known: Callable[[list[Any]], float] = len) -> Folder:
    """A folder of JSON files, with the shape that these have.

    Args:
        known: the share of a shape's ids that are known documents, which decides between several things that could
            be ids; by default their names decide.

    Raises:
        InputError: there are no JSON files, or nothing in them looks like neighbours.
    """
    name = os.fspath(folder)
    files = tuple(sorted(file for file in os.listdir(name) if _is_json(file)))
    if not files:
        raise InputError("there are no .json files in this folder", name)
    samples = _samples(name, files)
    if samples is None:
        return Folder(name, files, None)
    likely = list(shapes(samples[0]))
    if not likely:
        raise InputError(
            "no list of neighbours is in it: a list of ids, of objects with ids, or arrays was looked for",
            os.path.join(name, files[0]),
        )
    return Folder(name, files, _best(likely, lambda shape: known(_ids(samples, shape))))


def _best(likely: Sequence[Shape], known: Callable[[Shape], float]) -> Shape:
    """The first shape whose ids are all known, else the one with the most known ids."""
    shares: dict[Shape, float] = {}
    for shape in likely:
        shares[shape] = known(shape)
        if shares[shape] >= 1:
            return shape
    return max(shares, key=shares.__getitem__)


def has_lists(folder: str) -> bool:
    """Whether a folder has JSON files that are not JSON lines, which engines write under this ending."""
    names = sorted(filter(_is_json, os.listdir(folder))) if os.path.isdir(folder) else []
    paths = (os.path.join(folder, name) for name in names)
    first = next((path for path in paths if os.path.isfile(path) and os.path.getsize(path)), None)
    return bool(names) and not (first and TWO_LINES.match(as_source(first).head))


def _is_json(file: str) -> bool:
    return not file.startswith(".") and unpacked_name(file).lower().endswith(".json")


def _samples(folder: str, files: Sequence[str]) -> list[Any] | None:
    """The values of some files that are not empty, spread over the folder; None if all are empty."""
    step = max(1, len(files) // SAMPLE)
    spread = itertools.chain(files[::step], files)
    values = (_value(os.path.join(folder, file)) for file in spread)
    return list(itertools.islice((value for value in values if not is_empty(value)), SAMPLE)) or None


def _ids(samples: Sequence[Any], shape: Shape) -> list[Any]:
    return [name for value in samples for name in shape.ids(value)]


def queries(files: Iterable[str], pattern: str = PATTERN, name: str = NAME) -> dict[str, str]:
    """{file: the id of its query}, for files whose names have one.

    Args:
        pattern: a regular expression that finds the id in a file's name.
        name: how the id is made: each {} stands for a group of the pattern (or for the whole match), {word} for
            the group of this name.

    Raises:
        InputError: the pattern is no regular expression, or does not fit the name.

    >>> queries(["top10_251124160703_00031_faiss.json"])
    {'top10_251124160703_00031_faiss.json': '251124160703_00031.jpg'}
    """
    try:
        compiled = re.compile(pattern)
        matches = {file: match for file in files if (match := compiled.search(file))}
        return {
            file: name.format(*(match.groups() or (match[0],)), **match.groupdict())
            for file, match in matches.items()
        }
    except re.error as error:
        raise InputError(
            "the pattern {pattern} is no regular expression: {error}", pattern=quoted(pattern), error=error
        ) from None
    except (IndexError, KeyError, ValueError):
        raise InputError(
            "the name {name} asks for more than the pattern {pattern} finds",
            name=quoted(name),
            pattern=quoted(pattern),
        ) from None


def one_file_each(files: Mapping[str, str], folder: str) -> None:
    """Raise where there are two files for one query.

    Raises:
        InputError: there are two.
    """
    first: dict[str, str] = {}
    for file, query in files.items():
        if query in first:
            raise InputError(
                "{first} and {file} are both query {query}",
                folder,
                first=truncated(first[query]),
                file=truncated(file),
                query=truncated(query),
            )
        first[query] = file


def folder_run(
    folder: str | os.PathLike[str],
    pattern: str = PATTERN,
    name: str = NAME,
    *,
    better: str | None = None,
    is_skipping: bool = False,
    watch: Callable[[int], None] | None = None,
) -> Run:
    """A folder as a run: documents as in the files, queries as the pattern makes them.

    Args:
        better: "lower", "higher" or "order", instead of what the value's key says.
        is_skipping: whether files whose names have no query's id are passed over.
        watch: called with how many bytes more were read.

    Raises:
        InputError: a file's name has no query's id; or, at the end, every list ran against the name of its values.
    """
    opened = open_folder(folder).better(better)
    files = queries(opened.files, pattern, name)
    strange = [file for file in opened.files if file not in files]
    if not files or (strange and not is_skipping):
        raise InputError(
            "no query's id is in a file's name ({names}) by {pattern}: say where the query's id is "
            "(the format \"faiss-folder(pattern='…', name='{{}}')\")",
            opened.name,
            names=some(strange, 1),
            pattern=quoted(pattern),
        )
    one_file_each(files, opened.name)
    return Run(opened.name, lambda: _ranked(opened, files, watch, is_sure=better is not None))


def _ranked(
    opened: Folder, files: Mapping[str, str], watch: Callable[[int], None] | None, is_sure: bool
) -> Iterator[Ranked]:
    """One ranking per file; at the end raise where all of them ran against the name of what orders them."""
    sign = opened.shape.sign if opened.shape else 1
    steps = np.zeros(2, np.int64)
    for each in opened.read(files, watch):
        if each.values is None:
            yield Ranked(files[each.file], each.ids)
            continue
        values = [sign * value for value in each.values]
        ranked = Ranked(files[each.file], each.ids, values, are_distances=sign < 0)
        steps += trend(np.array(ranked.scores), np.array([0, len(each.ids)]))
        yield ranked
    if opened.shape and not is_sure and is_against(*steps.tolist()):
        value = quoted(opened.shape.value)
        if sign < 0:
            raise InputError(
                "by its name the lower {value} is better, but it runs the other way in every list; "
                "say which it is: the format \"faiss-folder(better='higher')\" or better='lower'",
                opened.name,
                value=value,
            )
        raise InputError(
            "by its name the higher {value} is better, but it runs the other way in every list; "
            "say which it is: the format \"faiss-folder(better='lower')\" or better='higher'",
            opened.name,
            value=value,
        )


def _checked(values: list[Any], where: str) -> list[Any]:
    if not {*map(type, values)} <= {int, float}:
        bad = next(value for value in values if type(value) not in (int, float))
        raise InputError("a score or a distance is a number, not {value!r:.60}", where, value=bad)
    return values


def trend(scores: NDArray[np.float64], start: NDArray[np.int64]) -> tuple[int, int]:
    """How many scores are higher, and how many lower, than the one before them in their list.

    Args:
        start: (lists + 1,) list i's scores are start[i] to start[i + 1].
    """
    inside = np.ones(len(scores), bool)
    inside[start[:-1][np.diff(start) > 0]] = False
    steps = np.diff(scores, prepend=np.nan)[inside]
    return int((steps > 0).sum()), int((steps < 0).sum())


def is_against(rising: int, falling: int) -> bool:
    """Whether values run against their name: lists are best first, and yet all scores rise.

    FAISS calls inner products distances too.
    """
    return rising >= TELLING and not falling
