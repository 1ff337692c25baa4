"""What the site has beside docs/: the README as its first page, the reference, and links to files elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from types import FunctionType
from typing import Any

from mkdocs.structure.files import File, Files

import truerank

ROOT = Path(__file__).parents[1]
ABOVE = {"README.md": "index.md", "CHANGELOG.md": "changes.md", "CONTRIBUTING.md": "contributing.md"}


LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)(#[^)\s]*)?\)")

INTEROP = ("spark", "pytrec_eval", "ir_measures")

MODULES = ("truerank.stats", *(f"truerank.interop.{name}" for name in INTEROP))

INTRODUCTION = """\
`import truerank as tr`: all names here are `tr.…`. Measures are values too (`tr.nDCG @ 10`); [each is described
on its page](measures.md)."""


def on_files(files: Files, config: Any) -> Files:
    """The pages that stand above docs/, and the reference."""
    for name, page in ABOVE.items():
        files.append(File.generated(config, page, content=(ROOT / name).read_text("utf-8")))
    files.append(File.generated(config, "api.md", content=reference()))
    return files


def reference() -> str:
    """The public names, as their docstrings describe them."""
    public = [getattr(truerank, name) for name in truerank.__all__]
    classes = [each for each in public if isinstance(each, type)]
    kinds = {
        "Functions": [each for each in public if isinstance(each, FunctionType)],
        "Classes": [each for each in classes if not issubclass(each, Exception)],
        "Errors": [each for each in classes if issubclass(each, Exception)],
    }
    parts = [
        f"## {kind}\n\n" + _entries(f"{each.__module__}.{each.__qualname__}" for each in found)
        for kind, found in kinds.items()
    ]
    parts += [f"## {module}\n\n" + _entries([module]) for module in MODULES]
    return "\n\n".join([f"# Reference\n\n{INTRODUCTION}", *parts])


def _entries(names: Iterable[str]) -> str:
    return "\n\n".join(f"::: {name}\n    options:\n      heading_level: 3" for name in names)


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Links as the site has them: to its own pages, else to the repository."""
    home = page.file.src_uri in ABOVE.values()
    return re.sub(
        r"\]\((?!https?:|#|mailto:)([^)#\s]+)(#[^)\s]*)?\)", lambda link: _to(link, home, config), markdown
    )


def _to(link: re.Match[str], home: bool, config: Any) -> str:
    target, anchor = link[1], link[2] or ""
    path = (ROOT if home else ROOT / "docs") / target
    inside = path.resolve().relative_to(ROOT)
    if str(inside) in ABOVE:
        return f"]({ABOVE[str(inside)]}{anchor})"
    if inside.parts[0] == "docs":
        return f"]({Path(*inside.parts[1:])}{anchor})"
    return f"]({config.repo_url}/tree/main/{inside})"
