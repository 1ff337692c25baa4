"""The reader of TOML: rules, gates and boards."""

from __future__ import annotations

import os
import sys
from typing import Any

from truerank.core.errors import InputError


def parsed(text: str, path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a TOML text says.

    Raises:
        InputError: it is none; the message names the file.
    """
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also a number of thousands of digits, or too many brackets
        raise InputError("this is no TOML: {error}", path, error=error) from None


def read(path: str | os.PathLike[str], what: str, hint: str = "") -> dict[str, Any]:
    """What a TOML file says.

    Args:
        what: what it holds, for the message.
        hint: what to do where the file is not there.

    Raises:
        InputError: it cannot be read, or is no TOML.
    """
    return parsed(text_of(path, what, hint), path)


def text_of(path: str | os.PathLike[str], what: str, hint: str = "") -> str:
    """The text of a file.

    Raises:
        InputError: it cannot be read.
    """
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, ValueError) as error:
        more = hint if isinstance(error, FileNotFoundError) else ""
        why = getattr(error, "strerror", None) or error
        raise InputError("cannot read {what}: {why}{more}", path, what=what, why=why, more=more) from None
