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
        raise InputError(f"this is no TOML: {error}", path) from None


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
        raise InputError(f"cannot read {what}: {getattr(error, 'strerror', None) or error}{more}", path) from None
