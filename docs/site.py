"""What the site has beside docs/: versions, the README as its first page, the reference, links to other files."""

from __future__ import annotations

import os
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


def on_config(config: Any) -> Any:
    """The menu of versions, where there are several: `mike deploy 0.1 latest` keeps one beside the others."""
    if "MIKE_DOCS_VERSION" in os.environ:
        config.extra["version"] = {"provider": "mike"}
    return config


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
    """Links to the site's own pages, else to the repository; empty lines where doctest has its marks."""
    name = page.file.src_uri
    folder = ROOT if name in ABOVE.values() else (ROOT / "docs" / name).parent
    linked = LINK.sub(lambda link: _to(link, folder, Path(name).parent, config), markdown)
    return linked.replace("<BLANKLINE>\n", "\n")


def _to(link: re.Match[str], folder: Path, where: Path, config: Any) -> str:
    """A link of a file in this folder, as the page that is in `where` of the site has it."""
    target, anchor = link[1], link[2] or ""
    inside = (folder / target).resolve().relative_to(ROOT)
    if str(inside) in ABOVE:
        page = Path(ABOVE[str(inside)])
    elif inside.parts[0] == "docs":
        page = Path(*inside.parts[1:])
    else:
        return f"]({config.repo_url}/tree/main/{inside})"
    return f"]({Path(os.path.relpath(page, where)).as_posix()}{anchor})"


def on_post_page(output: str, page: Any, config: Any) -> str:
    """The page without the mark by which the theme's script asks GitHub for numbers of stars and forks."""
    return output.replace(' data-md-component="source"', "")


def on_post_template(output_content: str, template_name: str, config: Any) -> str:
    """What is shown where there is no such page, without that mark too."""
    return on_post_page(output_content, None, config)
