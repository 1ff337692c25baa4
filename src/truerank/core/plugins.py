"""What other installed packages add, by entry points: measures, formats and adapters of retrievers.

A package names a module under `truerank.measures`, `truerank.formats` or `truerank.adapters`; imported, the module
registers what it has, as the modules here do. None is imported before a name is unknown here, or all are listed.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Literal

from truerank.core.errors import TruerankError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Kind = Literal["measures", "formats", "adapters"]


@cache  # once a process: what is installed later needs a new one, as any import does
def load(kind: Kind) -> bool:
    """Import what other packages add; whether there is any.

    Raises:
        TruerankError: one of them cannot be imported.
    """
    from importlib.metadata import entry_points  # reads the metadata of all packages, so not before it is needed

    points = entry_points(group=f"truerank.{kind}")
    for point in points:
        _import(point, kind)
    return bool(points)


def _import(point: EntryPoint, kind: Kind) -> None:
    try:
        point.load()
    except Exception as error:  # whatever somebody else's module raises
        package = point.dist.name if point.dist else point.name
        said = f"the package {package} adds {kind} by {point.value}, which cannot be imported"
        raise TruerankError(f"{said} ({type(error).__name__}: {error}); update or remove the package") from error
