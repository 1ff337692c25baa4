"""Write the generated pages: the commands from their help, the measures, and their types, from the registry.

With --check, write nothing and fail if a page is not what it would be.
"""

from __future__ import annotations

import importlib
import inspect
import itertools
import sys
from collections.abc import Iterator
from pathlib import Path

from click.testing import CliRunner

from truerank.cli import COMMANDS, formats, rules, truerank
from truerank.measures import Definition, measures
from truerank.present.definitions import AVERAGES, NEEDS, aliases, parameters
from truerank.present.renderers import markdown

HERE = Path(__file__).parent
WIDTH = 100

CLI = """\
# The commands

`truerank COMMAND --help` prints what stands here; `make docs` writes it anew.

What goes wrong is told in one line on standard error, with exit status 2. Results go to standard output,
everything else to standard error. Colours show on a terminal only, and not where `NO_COLOR` is set.
"""

MEASURES = """\
# The measures

`truerank measures NAME` prints what stands here; `make docs` writes it anew.

A measure is written as its name, its cutoff after @ and its parameters in parentheses: `nDCG@10`,
`AP(level=2)`, `nDCG(gain='exp')@10`. Without a cutoff the whole list counts, unless the measure has one by
default. Case does not matter, and other tools' names are understood. Every measure takes `depth`:
`AP(depth=10)` sees the first 10 results and no more, as if the list ended there. Under a preset a plain name
means what [the preset's tool](tools.md#names-under-a-preset) takes it for; one with parameters means what it says.

Where a formula says nothing else, i is a rank, r_i the grade and g_i the gain of the document there, and rel_i is 1
where it is relevant and else 0; [ ] is 1 where what stands in it is so, else 0. Of a query, n documents were
returned, N of them relevant, R documents are relevant, found or not, and NR were judged not relevant. An aspect a
has the weight w_a. A reader goes on after rank i with the probability C_i; W_i is that rank's share of what they
read.
"""


def cli_page() -> str:
    """The help of every command, and the lists of what there is."""
    parts = [CLI, _help(), *map(_help, COMMANDS)]
    parts += ["## The formats\n", markdown.draw(formats.table())]
    parts += ["## The presets of rules\n", markdown.draw(rules.table())]
    return "\n".join(parts)


def _help(*command: str) -> str:
    """What -h prints."""
    printed = CliRunner().invoke(truerank, [*command, "-h"], prog_name="truerank", terminal_width=WIDTH).stdout
    return f"## {' '.join(['truerank', *command])}\n\n```text\n{printed.rstrip()}\n```\n"


def measures_page() -> str:
    """Every measure, a chapter a family."""
    ours = _ours()
    rows = [f"| [{d.name}](#{d.name.lower()}) | {d.meaning} |" for d in ours]
    parts = [MEASURES, "\n".join(["| measure | what it says |", "|:--|:--|", *rows, ""])]
    for family, members in itertools.groupby(ours, lambda d: d.function.__module__):
        title = (importlib.import_module(family).__doc__ or family).partition("\n")[0].rstrip(".")
        parts += [f"## {title}\n", *map(_measure, members)]
    return "\n".join(parts)


def _ours() -> list[Definition]:
    return [d for d in measures().values() if d.function.__module__.startswith("truerank.measures.")]


def _measure(definition: Definition) -> str:
    facts = [f"* written `{definition.spelling}`; over queries, {AVERAGES[definition.average]}"]
    facts += [f"* needs {NEEDS[definition.needs]}"] if definition.needs else []
    facts += [f"* formula: `{definition.formula}`"] if definition.formula else []
    facts += [f"* `{name}`: {text}" for name, text in parameters(definition).items()]
    names = ", ".join(f"`{alias}`" for alias in aliases(definition))
    facts += [f"* also known as {names}"] if names else []
    facts += [f"* source: {definition.source}"] if definition.source else []
    facts += [f"* with `{_parameter(sense)}`: {sentence}" for sense, sentence in definition.meanings.items()]
    parts = [f"### {definition.name}", definition.meaning, "\n".join(facts), *_more(definition)]
    return "\n\n".join(parts) + "\n"


def _parameter(sense: str) -> str:
    """A parameter with its value as it is written."""
    key, _, value = sense.partition("=")
    return sense if value in ("True", "False") else f"{key}={value!r}"


def _more(definition: Definition) -> Iterator[str]:
    """The rest of the docstring; its example is run by the tests."""
    rest = (inspect.getdoc(definition.function) or "").partition("\n")[2]
    text, prompt, example = rest.partition(">>> ")
    if text.strip():
        yield text.strip()
    if prompt:
        yield f"```python\n{prompt}{example.strip()}\n\n```"


def stub() -> str:
    """The public names, of which the last are the measures as values; a class of the same name (Hits) hides one."""
    known = (HERE / STUB).read_text("utf-8").partition(VALUES)[0]
    names = sorted(d.name for d in _ours() if f" as {d.name}\n" not in known)
    return known + VALUES + "".join(f"{name}: Measure\n" for name in names)


STUB = "../src/truerank/__init__.pyi"
VALUES = "\n# The measures as values, tr.nDCG @ 10: docs/generate.py writes them anew.\n# ruff: noqa: N816\n"
PAGES = {"cli.md": cli_page, "measures.md": measures_page, STUB: stub}


def main(arguments: list[str]) -> None:
    """Write the pages, or with --check say which ones should be written."""
    texts = {HERE / name: page() for name, page in PAGES.items()}
    stale = [path for path, text in texts.items() if not path.exists() or path.read_text("utf-8") != text]
    if "--check" in arguments and stale:
        sys.exit(f"not up to date: {', '.join(path.name for path in stale)}; `make docs` writes them anew")
    if "--check" not in arguments:
        for path in stale:
            path.write_text(texts[path], "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
