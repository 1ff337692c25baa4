"""Imports point down: a module names only the layers below its own, and others of its room without a circle."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "truerank"

LAYERS = [
    {"__main__"},
    {"pytest_plugin", "cli"},
    {"board"},
    {"present"},
    {"interop"},
    {"analysis"},
    {"contest", "fusion", "geo", "live"},
    {"vectors"},
    {"core.evaluate"},
    {"core.scores", "core.swapped"},
    {"core.means"},
    {"core.vocabulary", "core.ledger"},
    {"core.merge"},
    {"core.reading"},
    {"core.call_lists"},
    {"measures"},
    {"truth"},
    {"core.found", "formats"},
    {"core.judgements", "core.saved", "core.unjudged"},
    {"core.hits"},
    {"core.lists"},
    {"core.scan"},
    {"core.rankings"},
    {"core.qrels", "core.run"},
    {"core.aspects", "core.mappings", "stats"},
    {"core.rules", "core.faults", "core.ids", "core.calls"} | {"core.kernel"},
    {"core.presented", "core.languages", "core.plugins", "core.schema", "core.catalogue"},
    {"core.errors"},
    {"core.equal", "core.messages"},
]
"""The packages of docs/how-it-works.md, from the top down; the modules of `core` stand on several layers."""

HEIGHT = {part: len(LAYERS) - i for i, layer in enumerate(LAYERS) for part in layer}
PACKAGES = (SOURCE / "__init__.py", SOURCE / "core" / "__init__.py")
FILES = sorted(path for path in SOURCE.rglob("*.py") if path not in PACKAGES)


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts)


def part_of(module: str) -> str:
    """The room of a module, or the module itself where it is one of `core`."""
    room, _, rest = module.partition(".")
    return f"core.{rest.partition('.')[0]}" if room == "core" and rest else room


def imports(path: Path, *, later: bool = True) -> set[str]:
    """The modules and names of truerank that a file imports, without "truerank."; in functions too if `later`."""
    tree = ast.parse(path.read_text("utf-8"))
    nodes = ast.walk(tree) if later else _at_import(tree)
    names = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert not node.level, f"{path}: a relative import"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name.partition(".")[2] for name in names if name.partition(".")[0] == "truerank"} - {"__version__"}


def _at_import(tree: ast.Module) -> list[ast.AST]:
    """The nodes that run when the module is imported: not those in functions, nor under TYPE_CHECKING."""
    found, waiting = [], list[ast.AST](tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        found.append(node)
        waiting += ast.iter_child_nodes(node)
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_file_names_only_what_is_below_it(path):
    part = part_of(module_of(path))
    assert part in HEIGHT, f"{part} has no layer yet"
    for name in imports(path):
        other = part_of(name)
        if other not in HEIGHT:  # a public name of truerank: only the top may use those
            assert part in set().union(*LAYERS[:3]), f"{path.name} imports truerank.{name}"
        else:
            is_below = other == part or HEIGHT[other] < HEIGHT[part]
            assert is_below, f"{path.name} imports {name}, which is not below it"


UP_BY_NAME = {
    "core.presented": {
        "present",
        "present.plot",
    },  # a result's tables and figures: `built_by` names the builder's file
    "core.reading": {"contest.lines"},  # a contest's own form of submission, where the rules say so
    "core.run": {"formats.idioms"},  # `Run.save`, `head`, `cut` and other things that ranx' runs can do
    "core.scores": {"interop.ir_measures"},  # `Scores.to_ir_measures`
}
"""What is imported by its name, when it is asked for, from above: no more than this."""


def named(path: Path) -> set[str]:
    """The modules of truerank that a file imports by name, up to what is filled in."""
    calls = (node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call))
    names = (ast.unparse(call.args[0]) for call in calls if ast.unparse(call.func).endswith("import_module"))
    known = (name.strip("f'").partition("{")[0].rstrip(".") for name in names)
    return {name.removeprefix("truerank.") for name in known if name.startswith("truerank.")}


def test_little_is_imported_by_name_from_above():
    up: dict[str, set[str]] = {}
    for path in FILES:
        part = part_of(module_of(path))
        if above := {name for name in named(path) if HEIGHT[part_of(name)] > HEIGHT[part]}:
            up[part] = up.get(part, set()) | above
    assert up == UP_BY_NAME


def test_every_layer_has_its_modules():
    assert set(HEIGHT) == {part_of(module_of(path)) for path in [*FILES, *SOURCE.glob("core/kernel/*.pyx")]}


ROOMS = sorted({path.relative_to(SOURCE).parts[0] for path in FILES if path.parent != SOURCE})


@pytest.mark.parametrize("room", ROOMS)
def test_no_circle_inside_a_room(room):
    modules = {module_of(path).removesuffix(".__init__"): path for path in (SOURCE / room).rglob("*.py")}
    graph = {}
    for module, path in modules.items():
        names = {name if name in modules else name.rpartition(".")[0] for name in imports(path)}
        graph[module] = {n for n in names if n in modules and n != module and not is_own_package(n, module)}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" → ".join(error.args[1]))


def is_own_package(name: str, module: str) -> bool:
    return module.startswith(f"{name}.")


def test_measures_know_only_hits_their_sums_and_numpy():
    core = ("hits", "aspects", "schema", "errors", "messages", "plugins", "kernel")
    allowed = ("measures", *(f"core.{module}" for module in core))
    for path in (SOURCE / "measures").rglob("*.py"):
        assert all(name.startswith(allowed) for name in imports(path)), path.name


def test_files_stay_short():
    assert {p.name: n for p in FILES if (n := len(p.read_text("utf-8").splitlines())) > 450} == {}
    assert len((SOURCE / "core" / "kernel" / "scanning.pyx").read_text("utf-8").splitlines()) <= 700


def test_functions_stay_short():
    long = []
    for path in FILES:
        text = path.read_text("utf-8")
        code = [bool(line.strip()) and not line.lstrip().startswith("#") for line in text.splitlines()]
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = sum(code[node.lineno - 1 : node.end_lineno])
                if ast.get_docstring(node):
                    lines -= sum(code[node.body[0].lineno - 1 : node.body[0].end_lineno])
                long += [f"{path.name}:{node.name}"] if lines > 60 else []
    assert long == []


def test_nothing_is_called_a_drawer():
    drawers = {"utils", "util", "helpers", "helper", "base", "common", "misc"}
    assert [path for path in FILES if path.stem.lstrip("_") in drawers] == []
