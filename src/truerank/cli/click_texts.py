"""click's own sentences about a wrong call, in the language that is asked for."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from truerank.core.messages import Message, message

SAME = (
    message("Invalid value for {param_hint}: {message}"),
    message("Missing option"),
    message("{value!r} is not {choice}."),
    message("{value!r} is not one of {choices}."),
    message("{value} is not in the range {range}."),
    message("{value!r} is not a valid boolean. Recognized values: {states}"),
    message("Option {name!r} requires an argument."),
    message("Option {name!r} requires {nargs} arguments."),
    message("Option {name!r} does not take a value."),
    message("Argument {name!r} takes {nargs} values."),
    message("Got unexpected extra argument ({args})"),
    message("Got unexpected extra arguments ({args})"),
    message("{name} {filename!r} does not exist."),
    message("{name} {filename!r} is a file."),
    message("{name} {filename!r} is a directory."),
    message("{name} {filename!r} is not readable."),
    message("file"),
    message("directory"),
    message("path"),
)
"""What click says, word for word."""

TEXTS: dict[str, Message] = {
    **{text.text: text for text in SAME},
    "{value!r} is not a valid {number_type}.": message("{value!r} is not a number that can stand here."),
}
"""What there is a translation of, by click's text; the kinds of numbers have English names only."""


def translate(translated: Callable[[str], str]) -> None:
    """Let click look its texts up with ours: it asks gettext, for which it brings no files.

    Args:
        translated: a message in the language that is asked for.
    """

    def one(text: str) -> str:
        return translated(TEXTS.get(text, text))

    def several(text: str, many: str, n: int) -> str:
        return one(text if n == 1 else many)

    for name in ("core", "exceptions", "parser", "types"):
        vars(import_module(f"click.{name}")).update(_=one, ngettext=several)
