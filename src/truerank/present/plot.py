"""The pictures of a result as a value: to show in a notebook, save to files, or change with Altair."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from truerank.core.errors import InputError, truncated
from truerank.core.presented import Presented, refuse_other
from truerank.present.document import Figure
from truerank.present.renderers import figures as drawn
from truerank.present.renderers import fragment

NEEDS = 'to see it: pip install "truerank[plots]"'


@dataclass(frozen=True, repr=False)
class Plot:
    """Pictures, one below another.

    Attributes:
        figures: what is drawn; each has a `title`, an `alt` text and a `specification` in Vega-Lite.

    >>> import truerank as tr
    >>> from truerank.analysis.curve import precision_recall
    >>> precision_recall({"q": {"a": 1}}, {"q": ["x", "a"]}).plot().figures[0].title
    'Precision against recall'
    """

    figures: tuple[Figure, ...]

    def __repr__(self) -> str:
        """The titles, and what is missing where nothing can be drawn."""
        titles = truncated("; ".join(figure.title for figure in self.figures))
        return f"Plot({titles})" if drawn.is_drawing() else f"Plot({titles}; {NEEDS})"

    def _repr_html_(self) -> str | None:
        """What a notebook shows, without scripts, in the colours of its theme; the `repr` without vl-convert."""
        return self.to_html() if drawn.is_drawing() else None

    def _repr_svg_(self) -> str | None:
        """One picture on white, for frontends without HTML."""
        return self.to_svg() if len(self.figures) == 1 and drawn.is_drawing() else None

    def __len__(self) -> int:
        """How many pictures there are."""
        return len(self.figures)

    def __getitem__(self, place: int) -> Plot:
        """One of the pictures, as `to_svg` and `to_dict` need."""
        return Plot((self.figures[place],))

    def __iter__(self) -> Iterator[Plot]:
        """Each picture by itself."""
        return (Plot((figure,)) for figure in self.figures)

    def to_html(self) -> str:
        """The pictures as a piece of a page."""
        return "".join(map(fragment.figure, self.figures))

    def to_svg(self) -> str:
        """One picture on white.

        Raises:
            InputError: there are several.
            MissingPackage: vl-convert is not installed.
        """
        return drawn.svg(self._only())

    def to_dict(self) -> dict[str, Any]:
        """One picture in Vega-Lite, with its data: `altair.Chart.from_dict` takes it.

        Raises:
            InputError: there are several.
        """
        return drawn.static(self._only())

    def save(self, path: str | os.PathLike[str]) -> list[str]:
        """Write .svg, .png, or .html that works without a network; several go to x.1.svg, x.2.svg and so on.

        Returns:
            the paths of the files.

        Raises:
            InputError: the path ends in something else, or cannot be written.
            MissingPackage: vl-convert is not installed.
        """
        start, ending = os.path.splitext(os.fspath(path))
        numbers = [f".{number}" for number in range(1, len(self) + 1)] if len(self) > 1 else [""]
        paths = [f"{start}{number}{ending}" for number in numbers]
        for figure, each in zip(self.figures, paths, strict=True):
            drawn.draw(figure, each)
        return paths

    def _only(self) -> Figure:
        if len(self.figures) > 1:
            raise InputError("there are {n} pictures: take one, such as plot()[0]", n=len(self))
        return self.figures[0]


def plot_of(result: Presented, **options: Any) -> Plot:
    """The pictures of a result: those that its builder makes when asked, else those of its document.

    Raises:
        InputError: it has none.
    """
    builder = import_module(f"truerank.present.{result.built_by}")
    is_drawn = hasattr(builder, "figures_of")
    build = builder.figures_of if is_drawn else builder.document_of
    refuse_other(f"{type(result).__name__}: the pictures of plot()", build, options)
    figures = build(result, **options) if is_drawn else build(result, **options).figures
    if not figures:
        raise InputError("there is no picture of this {kind}: print it", kind=type(result).__name__)
    return Plot(tuple(figures))
