"""Modules that register what they define: those of a package here, and those of other installed packages.

Others add measures, formats and adapters of retrievers by entry points: a package names a module under
`truerank.measures`, `truerank.formats` or `truerank.adapters`; imported, the module registers what it has, as the
modules here do. None is imported before a name is unknown here, or all are listed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from functools import cache, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Literal, ParamSpec, TypeVar

from truerank.core.errors import TruerankError
from truerank.core.messages import message

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Given = ParamSpec("Given")
Found = TypeVar("Found")

Kind = Literal["measures", "formats", "adapters"]

SPOKEN = {"measures": message("measures"), "formats": message("formats"), "adapters": message("adapters")}
"""What messages call each kind."""


@cache  # once a process: what is installed later needs a new one, as any import does
def load(kind: Kind) -> bool:
    """Import what other packages add; return whether they add anything.

    Raises:
        TruerankError: one of them cannot be imported.
    """
    from importlib.metadata import entry_points  # reads the metadata of all packages, so not before it is needed

    points = entry_points(group=f"truerank.{kind}")
    for point in points:
        _import(point, kind)
    return bool(points)


def load_own(package: str, folder: str, later: Collection[str] = ()) -> None:
    """Import each module of a package here, in the order of their names: a new file needs no line elsewhere.

    Args:
        later: modules that register nothing; who needs them imports them.
    """
    for file in sorted(os.listdir(folder)):  # pkgutil does much more, at every start
        name, ending = os.path.splitext(file)
        if ending == ".py" and name not in ("__init__", *later):
            import_module(f"{package}.{name}")


def _import(point: EntryPoint, kind: Kind) -> None:
    try:
        point.load()
    except Exception as error:  # whatever the module of another package raises
        package = point.dist.name if point.dist else point.name
        raise TruerankError(
            "the package {package} adds {what} by {point}, which cannot be imported ({kind}: {error}); "
            "update or remove the package",
            package=package,
            what=SPOKEN[kind],
            point=point.value,
            kind=type(error).__name__,
            error=error,
        ) from error


_forgetting: list[Callable[[], None]] = []
"""What forgets what was worked out from the names that there were."""


def remembered(function: Callable[Given, Found]) -> Callable[Given, Found]:
    """The function with its results cached until something is registered or unregistered."""
    kept = lru_cache(maxsize=1024)(function)
    _forgetting.append(kept.cache_clear)
    return kept  # type: ignore[return-value]


def forget() -> None:
    """Drop cached results: something was registered or unregistered."""
    for each in _forgetting:
        each()
