"""Reading and writing judgements and runs: one file per format; compression, stdin and URLs once for all of them.

Importing this package finds them all.
"""

from typing import TYPE_CHECKING, Any

from truerank.core import plugins
from truerank.formats.opening import open_run, read_qrels
from truerank.formats.registry import Format, formats, register

if TYPE_CHECKING:
    from truerank.formats.converting import convert

__all__ = ["Format", "convert", "formats", "open_run", "read_qrels", "register"]

LATER = (
    "arrays",
    "assignments",
    "by_query",
    "columnar",
    "contexts",
    "converting",
    "digests",
    "exact",
    "footers",
    "idioms",
    "lakes",
    "lines",
    "matrices",
    "neighbours",
    "objects",
    "pages",
    "parallel",
    "ranges",
    "rank_eval",
    "repeats",
    "shapes",
    "stored",
    "texts",
    "topics",
    "vector_files",
    "weights",
)

plugins.load_own(__name__, __path__[0], later=LATER)


def __getattr__(name: str) -> Any:
    """`convert`, which reading does without."""
    if name != "convert":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from truerank.formats.converting import convert

    return convert
