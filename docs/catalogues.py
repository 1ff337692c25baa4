"""The catalogues of translations, brought up to what the source says: run it after a message was added or changed.

python docs/catalogues.py           # extract all messages, update each .po; what is new has no translation yet
python docs/catalogues.py --check   # write nothing; status 1 if there is something to update or to translate
"""

from __future__ import annotations

import ast
import io
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.pofile import read_po, write_po

from truerank.core.rules import purposes
from truerank.measures import measures

SOURCE = Path(__file__).parents[1] / "src" / "truerank"
LOCALE = SOURCE / "present" / "locale"

ERRORS = ("TruerankError", "InputError", "MeasureError", "RulesError", "BoardError")
TEXTS = {"message": 1, "plural": 2, **dict.fromkeys(ERRORS, 1)}
"""What makes messages, and how many texts each takes first; an error may be given a message in place of a text."""

JINJA = {"_": None, "ngettext": (1, 2)}
"""The same in templates."""

Text = str | tuple[str, ...]


def said() -> Catalog:
    """All messages of the source."""
    found = Catalog()
    for path in sorted(SOURCE.rglob("*.py")):
        for call in calls(path):
            found.add(texts(path, call))
    for path in sorted(SOURCE.rglob("*.html")):
        with path.open("rb") as file:
            for _, text, _, _ in extract("jinja2.ext:babel_extract", file, JINJA, (), {"silent": "false"}):
                found.add(text)
    for definition in measures().values():  # what a measure means is its own first line
        if definition.function.__module__.startswith("truerank."):
            for sentence in (definition.meaning, *definition.meanings.values()):
                found.add(sentence)
    for purpose in purposes().values():  # of a preset, the first line of its file
        found.add(purpose.text)
    return found


def calls(path: Path) -> Iterator[ast.Call]:
    """Where messages are made; Babel's own extraction overlooks a call among the arguments of another."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        is_text = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in TEXTS
        if is_text and not _takes_message(node, node.func.id):
            yield node


def _takes_message(call: ast.Call, name: str) -> bool:
    """Whether an error is given a message, by its name or as what an expression yields."""
    literals = ast.Constant | ast.JoinedStr | ast.BinOp
    return name in ERRORS and not isinstance(call.args[0], literals)


def texts(path: Path, call: ast.Call) -> Text:
    """The text of a message, or its two by number.

    Raises:
        ValueError: they are no literals.
    """
    first = call.args[: TEXTS[call.func.id]] if isinstance(call.func, ast.Name) else []
    found = tuple(part.value for part in first if isinstance(part, ast.Constant) and isinstance(part.value, str))
    if not found or len(found) < len(first):
        raise ValueError(f"{path}:{call.lineno}: the text of a message must stand there as a literal")
    return found if len(found) > 1 else found[0]


def read(path: Path) -> Catalog:
    """The translations of a language."""
    with path.open("rb") as file:
        return read_po(file, locale=path.stem)


def updated(path: Path, messages: Catalog) -> str:
    """The file with an entry a message, sorted, a line each; the head stays as it is."""
    known, body = read(path), Catalog(locale=path.stem)
    for entry in messages:
        if entry.id:
            before = known.get(entry.id)
            empty = "" if isinstance(entry.id, str) else ("",) * body.num_plurals
            is_kept = before is not None and isinstance(before.string, str) == isinstance(empty, str)
            comments = before.user_comments if before and is_kept else ()  # such as that it is a draft
            body.add(entry.id, before.string if before and is_kept else empty, user_comments=comments)
    for entry in body:
        entry.flags.clear()
    text = io.BytesIO()
    write_po(text, body, width=0, sort_output=True, no_location=True, omit_header=True)
    head = path.read_text("utf-8").partition("\n\n")[0]
    return f"{head}\n\n{text.getvalue().decode().strip()}\n"


def faults(path: Path) -> list[str]:
    """What is missing of a language, and translations with other values than the text has."""
    found = []
    for entry in read(path):
        texts, ids = _forms(entry.string), _forms(entry.id)
        if ids[0] and not all(texts):
            found.append(f"{path.name}: no translation of {ids[0]!r}")
        elif ids[0]:
            values = set().union(*map(names, ids))
            found += [f"{path.name}: other values in {text!r}" for text in texts if names(text) != values]
    return found


def _forms(text: str | Sequence[str] | None) -> tuple[str, ...]:
    """A text, or its forms by number."""
    return (text or "",) if text is None or isinstance(text, str) else tuple(text)


def names(text: str) -> set[str]:
    """What the values of a text are called."""
    return set(re.findall(r"\{(\w+)", text))


def main(is_check: bool) -> int:
    """Update each catalogue, and tell what is left to do."""
    messages, told = said(), []
    for path in sorted(LOCALE.glob("*.po")):
        text = updated(path, messages)
        if is_check and text != path.read_text("utf-8"):
            told.append(f"{path.name} is not what the source says: python docs/catalogues.py")
        if not is_check:
            path.write_text(text, "utf-8")
        told += faults(path)
    print("\n".join(told) or "all is translated")  # noqa: T201
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv))
