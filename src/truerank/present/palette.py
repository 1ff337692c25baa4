"""The colours, dashes and marks of all pictures and pages: charts, the report's page and the board."""

from __future__ import annotations

LIGHT = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b07d00", "#3a8fc4", "#000000")
DARK = ("#56b4e9", "#f0803c", "#2bbd91", "#dd94bf", "#f0c030", "#a3d8f7", "#ffffff")
"""The colours of Okabe and Ito (2008), which the colour-blind can tell apart, darker or lighter for contrast."""

DASHES = [[1, 0], [7, 3], [2, 2], [9, 3, 2, 3], [14, 4], [5, 2, 1, 2, 1, 2], [2, 6], [12, 2, 6, 2]]

MARKS = {
    "circle": "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z",
    "square": "M-4.5-4.5h9v9h-9z",
    "triangle-up": "M0-6 6 4.5H-6z",
    "diamond": "M0-6 6 0 0 6-6 0z",
    "cross": "M-2-6H2V-2H6V2H2V6H-2V2H-6V-2H-2z",
    "triangle-down": "M0 6 6-4.5H-6z",
    "triangle-right": "M-4.5-4.5 6 0-4.5 4.5z",
    "triangle-left": "M4.5-4.5-6 0 4.5 4.5z",
}
"""Marks by their names in Vega, as paths of SVG.

Eight lines differ without their colours; with seven colours no two of fifty-six look the same.
"""

SURFACES = {
    "paper": ("#ffffff", "#14181d"),
    "panel": ("#f6f7f9", "#1c2229"),
    "ink": ("#1b1f24", "#eceff3"),
    "faint": ("#4d5560", "#b6bec9"),
    "line": ("#d9dde3", "#38414c"),
    "grid": ("#e3e6ea", "#333b46"),
    "edge": ("#7f8893", "#7c8794"),
    "link": ("#005a8f", "#7cc4f2"),
    "on-link": ("#ffffff", "#10151a"),
    "accent": ("#0072b2", "#56b4e9"),
    "tint": ("#e6f1f8", "#17313f"),
    "bar": ("#0072b21f", "#56b4e933"),
    "shade": ("#0000002e", "#ffffff2e"),
    "good": ("#00684c", "#54d3a8"),
    "good-tint": ("#e3f4ee", "#15332b"),
    "bad": ("#a03a00", "#ffa266"),
    "bad-tint": ("#fdeee4", "#3a2618"),
    "warn-line": ("#b35900", "#f0a060"),
    "warn": ("#fff5ea", "#2b2218"),
}
"""What pages are made of, in light and in dark."""


def css() -> str:
    """The colours as custom properties: those of the surfaces by name, those of the series as --s1, --s2, ….

    >>> css().splitlines()[:3]
    [':root {', '  color-scheme: light dark;', '  --paper: light-dark(#ffffff, #14181d);']
    """
    series = {f"s{place}": pair for place, pair in enumerate(zip(LIGHT, DARK, strict=True), 1)}
    colours = [f"  --{name}: light-dark({', '.join(pair)});" for name, pair in {**SURFACES, **series}.items()]
    return "\n".join([":root {", "  color-scheme: light dark;", *colours, "}", ""])


def mark(number: int) -> str:
    """The path of the first mark, the second, …; a dot for all others.

    >>> mark(2), mark(0)
    ('M-4.5-4.5h9v9h-9z', 'M-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0z')
    """
    return list(MARKS.values())[number - 1] if 0 < number <= len(MARKS) else "M-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0z"
