"""Modules of one's own, imported before a command runs: they register measures, formats, rules of truth."""

from __future__ import annotations

import os
import sys
from contextlib import redirect_stdout

import click

from truerank.core.errors import InputError

_ASKED = "truerank.imports"


def before(ctx: click.Context, param: click.Parameter, names: tuple[str, ...]) -> None:
    """Import what an option names, and remember it for those who tell how a command was called."""
    if not ctx.resilient_parsing:
        for name in names:
            import_named(name)
        ctx.meta[_ASKED] = names


def asked() -> tuple[str, ...]:
    """What this call of the command line was told to import."""
    names: tuple[str, ...] = click.get_current_context().meta.get(_ASKED, ())
    return names


def import_named(name: str) -> None:
    """Import package.module, also from the current directory, or path/to/file.py; what it prints is talk.

    Raises:
        InputError: there is no such module or file, or it raises.
    """
    from truerank.live.adapters.objects import imported

    with redirect_stdout(sys.stderr):
        imported(_beside(name) if name.endswith(".py") else name)


def _beside(path: str) -> str:
    """The module that a file is, found from now on in its folder."""
    if not os.path.isfile(path):
        raise InputError("there is no such file to import", path)
    folder, file = os.path.split(os.path.realpath(path))
    name = file.removesuffix(".py")
    there = sys.modules.get(name)
    if name in sys.stdlib_module_names or (there and os.path.dirname(str(there.__file__)) != folder):
        raise InputError("another module is called {name!r} already: rename the file", path, name=name)
    sys.path.insert(0, folder)
    return name
