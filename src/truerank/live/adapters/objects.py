"""Retrievers by name: package.module:object, also from the current directory."""

from __future__ import annotations

import importlib
import inspect
import os
import re
import sys
from types import ModuleType
from typing import Any

from truerank.core.errors import InputError
from truerank.core.messages import did_you_mean, message

NAME = re.compile(r"([\w.]+):([\w.]+)(\(\))?")

OFFERED = 10
"""How many names of a module an error lists."""


def load(name: str) -> object:
    """The object that a name means; a class is called without arguments, and so is what ends in ().

    Raises:
        InputError: no such module or object, or it cannot be made.
    """
    match = NAME.fullmatch(name)
    if not match:
        raise InputError(
            "{name!r} is no target: give 'package.module:object', a URL with {{query}}, or 'cmd: COMMAND'",
            name=name,
        )
    module, path, call = match.groups()
    target: Any = imported(module)
    for part in path.split("."):
        if not hasattr(target, part):
            near = did_you_mean(part, dir(target)) or _offered(target)
            raise InputError(
                "{name}: {owner} has no {part!r}.{near}",
                name=name,
                owner=getattr(target, "__name__", type(target).__name__),
                part=part,
                near=near,
            )
        target = getattr(target, part)
    return _made(target, f"{module}:{path}") if call or isinstance(target, type) else target


def imported(name: str) -> Any:
    """The module of this name, also from the current directory.

    Raises:
        InputError: there is no such module, or it raises.
    """
    if not name:
        raise InputError("an empty name is that of no module")
    here = os.getcwd()
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)  # and it stays: the module may import others from there later
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise InputError(
                "{name} imports {module}, which is not installed", name=name, module=error.name
            ) from error
        missing = message(
            "there is no module {name!r}, neither installed nor in the current directory", name=error.name
        )
        if name.endswith(".py"):
            raise InputError(
                "{missing}. Did you mean {name}, without .py?", missing=missing, name=name[:-3]
            ) from None
        raise InputError(missing) from None
    except (Exception, SystemExit) as error:
        raise InputError(
            "importing {name} failed: {kind}: {error}", name=name, kind=type(error).__name__, error=error
        ) from error


def _offered(target: Any) -> str:
    """' It has bm25, dense', the first of what a module defines, or '' for anything else."""
    if not inspect.ismodule(target):
        return ""
    own = [name for name, value in vars(target).items() if name[0] != "_" and _is_of(target, value)]
    names = ", ".join([*own[:OFFERED], *(["…"] if len(own) > OFFERED else [])])
    return message(" It has {names}", names=names) if own else ""


def _is_of(module: ModuleType, value: Any) -> bool:
    """Whether something in a module could be a retriever: no plain value, and nothing that is only imported."""
    if inspect.isroutine(value) or isinstance(value, type):
        return bool(value.__module__ == module.__name__)
    return type(value).__module__ not in ("builtins", "__future__", "typing")


def _made(target: Any, name: str) -> object:
    try:
        return target()
    except (Exception, SystemExit) as error:
        raise InputError(
            "{name}() failed: {kind}: {error}", name=name, kind=type(error).__name__, error=error
        ) from error
