"""Pictures as files and inside pages, all from the same specifications."""

from __future__ import annotations

import base64
import html
import json
import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from truerank.core.errors import InputError, needs
from truerank.core.languages import SOURCE, in_language
from truerank.core.messages import message
from truerank.formats.target import writing
from truerank.present.charts import THEMES
from truerank.present.document import Document, Figure
from truerank.present.palette import DARK, LIGHT, SURFACES

VEGA_LITE = "6.1"
"""The version of Vega-Lite that the specifications are for."""

OPTIONS: dict[str, Any] = {"vl_version": VEGA_LITE, "allowed_base_urls": []}

A_REPORT = message("a report with figures")

WIDTH = 640
SCALE = 2
"""Pixels of a PNG for each point."""

CLIPS = re.compile(r'(?<=id=")(?:clip|gradient_)\d+(?=")|(?<=url\(#)(?:clip|gradient_)\d+(?=\))')
"""The ids of clips and gradients in an SVG, where they stand and where they are named."""

IN_DARK = {
    **{SURFACES[name][0]: SURFACES[name][1] for name in ("ink", "faint", "grid")},
    **dict(zip(LIGHT, DARK, strict=True)),
}
"""The light colours of pictures, and the dark one in the place of each."""

AT_NIGHT = "".join(
    (
        "@media (prefers-color-scheme: dark) {",
        f"svg > rect {{ fill: {SURFACES['paper'][1]} }}",
        *(f'[{at}="{light}"] {{ {at}: {dark} }}' for light, dark in IN_DARK.items() for at in ("fill", "stroke")),
        "}",
    )
)
"""What makes an SVG dark where its surroundings are."""

PAGE = """\
<!DOCTYPE html>
<html lang="{language}">
<head>
<meta charset="UTF-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font-family: system-ui, sans-serif; overflow-wrap: anywhere; }}
h1 {{ font-size: 1.1rem; margin: .75rem 4rem .25rem .75rem; }}
p {{ font-size: .9rem; margin: .25rem 4rem .25rem .75rem; }}
#plot {{ width: 100%; }}
</style>
<script>{drawing}</script>
</head>
<body>
<main>
<h1>{heading}</h1>
<p>{subtitle}</p>
<div id="plot"></div>
</main>
<script>
vegaEmbed("#plot", {spec}, {options}).then(() => {{
  const menu = document.querySelector("details");
  menu.firstElementChild.ariaLabel = menu.title;
}});
</script>
</body>
</html>
"""

ESCAPE = """
addEventListener("keydown", ({ key, target }) => {
  const menu = key === "Escape" && target.closest(".vega-embed details[open]");
  if (!menu) return;
  menu.open = false;
  menu.firstElementChild.focus();
});
"""
"""What closes the menu of a picture by keyboard."""

ACTIONS = {"export": True, "source": False, "compiled": False, "editor": False}
"""What the page's menu offers: to save the picture, and nothing that opens another site."""


def save(document: Document, folder: str) -> None:
    """Write each figure as SVG and PNG into a folder, which is made if it is not there."""
    vl_convert()
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise InputError("the folder cannot be made: {why}", folder, why=error.strerror) from None
    for figure in document.figures:
        for ending in (".svg", ".png"):
            with writing(Path(folder) / (figure.name + ending)) as file:
                file.write(DRAWN[ending](figure, SOURCE))


def svg(figure: Figure) -> str:
    """A figure as SVG, on white, with its title and its `alt` text.

    Raises:
        MissingPackage: vl-convert is not installed.
    """
    text: str = vl_convert().vegalite_to_svg(static(figure), **OPTIONS)
    said = f"<title>{html.escape(_titled(figure))}</title><desc>{html.escape(figure.alt)}</desc>"
    return text.replace("<svg", '<svg role="img"', 1).replace(">", f">{said}", 1)


def _png(figure: Figure, language: str) -> bytes:
    pixels: bytes = vl_convert().vegalite_to_png(static(figure), scale=SCALE, **OPTIONS)
    return pixels


def is_drawing() -> bool:
    """Whether the package that draws is installed."""
    return find_spec("vl_convert") is not None


def inline(figure: Figure) -> str:
    """A figure as a data URL of an image for HTML: the same bytes each time, and dark where the page is.

    Untrusted notebooks keep images, but remove SVG tags.
    """
    drawn = svg(figure)
    places = {name: place for place, name in enumerate(dict.fromkeys(CLIPS.findall(drawn)))}
    named = CLIPS.sub(lambda clip: f"clip-{places[clip[0]]}", drawn)  # vl-convert counts these up from call to call
    adaptive = named.replace(">", f"><style>{AT_NIGHT}</style>", 1)
    return f"data:image/svg+xml;base64,{base64.b64encode(adaptive.encode()).decode()}"


def static(figure: Figure) -> dict[str, Any]:
    """The specification for paper: in light colours, on white, as wide as a column, with its title."""
    spec = dict(figure.specification)
    light = THEMES["light"]
    # readers' fonts may be wider than the one that labels were measured with
    config = {**light, "background": "white", "axis": {**light["axis"], "titlePadding": 12}}
    title: Any = {"text": figure.title, "subtitle": figure.subtitle} if figure.subtitle else figure.title
    look = {"width": WIDTH, "title": title, "config": config, "autosize": "pad", "padding": 12}
    return {**spec, "description": f"{figure.title}. {figure.alt}", **look}


def draw(figure: Figure, path: str, language: str = SOURCE) -> None:
    """Write one picture in a language, all or nothing: .svg, .png, or .html that works without a network.

    Raises:
        InputError: the path ends in something else, or cannot be written.
        MissingPackage: vl-convert is not installed.
    """
    ending = ending_of(path)
    vl_convert(message("drawing a plot"), "plots")
    data = DRAWN[ending](in_language(figure, language), language)
    with writing(path) as file:
        file.write(data)


def draw_each(figures: Mapping[str, Figure], path: str, language: str = SOURCE) -> None:
    """Write one picture per measure; with several measures plot.svg becomes plot-AP.svg and so on."""
    start, ending = os.path.splitext(path)
    for measure, figure in figures.items():
        draw(figure, path if len(figures) == 1 else f"{start}-{measure.replace('/', '_')}{ending}", language)


def ending_of(path: str) -> str:
    """The ending of a picture's file name.

    Raises:
        InputError: pictures do not have that ending.
    """
    ending = os.path.splitext(path)[1].lower()
    if ending not in DRAWN:
        raise InputError("a plot is a file that ends in {endings}", path, endings=", ".join(DRAWN))
    return ending


def _page(figure: Figure, language: str) -> bytes:
    """A page as wide as its window that contains everything it needs for drawing.

    A run's name may hold text that HTML would take for the end of a script.
    """
    wide = {"title": None, **{name: figure.specification[name] for name in ("width", "autosize")}}
    texts = {"title": _titled(figure), "heading": figure.title, "subtitle": figure.subtitle}
    parts = {
        "spec": json.dumps({**static(figure), **wide}).replace("<", "\\u003c"),
        "options": json.dumps({"mode": "vega-lite", "actions": ACTIONS}),
        "drawing": drawing(),
        "language": language,
    }
    return PAGE.format(**{name: html.escape(text) for name, text in texts.items()}, **parts).encode()


def _titled(figure: Figure) -> str:
    return "; ".join(filter(None, [figure.title, figure.subtitle]))


DRAWN: dict[str, Callable[[Figure, str], bytes]] = {
    ".svg": lambda figure, language: svg(figure).encode(),
    ".png": _png,
    ".html": _page,
}
"""What a picture is, by the ending of its file; its texts are in the language."""


def drawing() -> str:
    """The scripts that draw pictures in a page, and make their menus work with the keyboard."""
    return libraries() + ESCAPE


@lru_cache(maxsize=1)
def libraries() -> str:
    """Vega, Vega-Lite and vega-embed, which vl-convert carries; bundling takes seconds, so it is cached."""
    version = vl_convert().__version__
    with needs(A_REPORT, "report"):
        from platformdirs import user_cache_path
    kept = user_cache_path("truerank") / f"vega-{version}.js"
    return _bundled(kept).replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _bundled(kept: Path) -> str:
    """The cached bundle; where there is none it is made, and kept if possible."""
    with suppress(OSError, UnicodeError):
        return kept.read_text("utf-8")
    made = str(vl_convert().javascript_bundle())
    with suppress(OSError, InputError):
        if kept.is_absolute():  # there may be no home
            kept.parent.mkdir(parents=True, exist_ok=True)
            with writing(kept) as file:
                file.write(made.encode())
    return made


def vl_convert(what: str = A_REPORT, extra: str = "report") -> Any:
    """vl-convert, the package that draws and that carries Vega, Vega-Lite and vega-embed."""
    with needs(what, extra):
        import vl_convert
    return vl_convert
