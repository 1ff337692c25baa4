"""The pictures of a document as files, from the same specifications as those in the page."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from truerank.core.errors import InputError, MissingPackage
from truerank.formats.target import writing
from truerank.present.charts import THEMES
from truerank.present.document import Document, Figure

VEGA_LITE = "6.1"
"""The version of Vega-Lite that the specifications are for."""

WIDTH = 640
SCALE = 2
"""Pixels of a PNG for each point."""


def save(document: Document, folder: str) -> None:
    """Write each figure as SVG and PNG into a folder, which is made if it is not there."""
    draw = drawing()
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise InputError(f"the folder cannot be made: {error.strerror}", folder) from None
    for figure in document.figures:
        for ending, data in draw(figure).items():
            with writing(Path(folder) / (figure.name + ending)) as file:
                file.write(data)


def drawing() -> Callable[[Figure], Mapping[str, bytes]]:
    """What draws a figure as {".svg": …, ".png": …}.

    Raises:
        MissingPackage: vl-convert is not installed.
    """
    converter = vl_convert()

    def draw(figure: Figure) -> Mapping[str, bytes]:
        options = {"vl_version": VEGA_LITE, "allowed_base_urls": []}
        svg = converter.vegalite_to_svg(static(figure), **options)
        png = converter.vegalite_to_png(static(figure), scale=SCALE, **options)
        return {".svg": svg.encode(), ".png": png}

    return draw


def is_drawing() -> bool:
    """Whether the package that draws is installed."""
    return find_spec("vl_convert") is not None


def inline(figure: Figure) -> str:
    """A figure as SVG, to stand in HTML."""
    svg: str = vl_convert().vegalite_to_svg(static(figure), vl_version=VEGA_LITE, allowed_base_urls=[])
    return svg + "\n"


def static(figure: Figure) -> dict[str, Any]:
    """The specification for paper: in light colours, on white, as wide as a column, with its title."""
    spec = dict(figure.specification)
    config = {**THEMES["light"], "background": "white"}
    return {**spec, "width": WIDTH, "title": figure.title, "config": config, "autosize": "pad", "padding": 12}


def vl_convert() -> Any:
    """The package that draws, and that carries Vega, Vega-Lite and vega-embed."""
    try:
        import vl_convert
    except ModuleNotFoundError:
        raise MissingPackage("a report with figures", "report") from None
    return vl_convert
