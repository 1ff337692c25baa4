"""Rules: under whose rules a number was made.

The same word means different numbers in different tools. Every evaluation happens under one explicit, printable
value, whose defaults are the safest reading and whose presets are named after whose numbers they reproduce.
"""

from __future__ import annotations

import dataclasses
import json
import numbers
import operator
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from truerank.errors import InputError, RulesError, did_you_mean

CHOICES: dict[str, tuple[str, ...]] = {
    "ties": ("doc-descending", "doc-ascending", "input"),
    "score_precision": ("double", "single"),
    "missing": ("zero", "skip", "error", "lines"),
    "empty": ("answered", "missing"),
    "extra": ("skip", "error"),
    "without_relevant": ("zero", "skip", "empty-is-right", "error"),
    "unjudged": ("not-relevant", "removed"),
    "unreturned": ("count", "ignore"),
    "duplicates": ("error", "first", "last", "count", "once"),
    "recall_points": ("round", "up", "definition"),
    "self_match": ("keep", "remove"),
}

DEEPEST = 2**63 - 1
"""The highest rank that can be counted."""

MEANINGS: dict[str, str] = {
    "level": "the lowest grade that counts as relevant",
    "ties": "the order of documents with equal scores",
    "score_precision": "how many bits of a score are compared",
    "missing": "judged queries that the run does not answer (lines: the mean is over the submitted lines)",
    "empty": "answers without a document (missing: as if the query were not answered)",
    "extra": "answered queries that nobody judged",
    "without_relevant": "queries without a relevant document (empty-is-right: 1 for an empty answer, else 0)",
    "unjudged": "documents that nobody judged",
    "unreturned": "judged documents that did not come back (ignore: as if nobody had judged them)",
    "duplicates": "a document that comes back twice for a query (once: counts where it came first)",
    "depth": "only this many results of each query count",
    "recall_points": "which hit stands for recall point x of R: x R rounded; up: floor(x R + 0.9); "
    "definition: the first at a recall of at least x",
    "self_match": "a document whose id is the query's own",
    "measures": "the measures to evaluate when none are given",
}


@dataclass(frozen=True, kw_only=True)
class Rules:
    """One reading of every question that tools answer differently. `MEANINGS` says what each field decides.

    >>> Rules(level=2).level
    2
    >>> Rules.named("trec_eval-9").score_precision
    'single'
    """

    name: str = "truerank"
    level: float = 1
    ties: str = "doc-descending"
    score_precision: str = "double"
    missing: str = "zero"
    empty: str = "answered"
    extra: str = "skip"
    without_relevant: str = "zero"
    unjudged: str = "not-relevant"
    unreturned: str = "count"
    duplicates: str = "error"
    depth: int | None = None
    recall_points: str = "round"
    self_match: str = "keep"
    measures: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for field, choices in CHOICES.items():
            value = getattr(self, field)
            if not isinstance(value, str) or value not in choices:
                raise RulesError(f"{field} is one of {', '.join(choices)}, not {value!r}")
        if not isinstance(self.name, str):
            raise RulesError(f"name is a text, not {self.name!r}")
        object.__setattr__(self, "level", _level(self.level))
        object.__setattr__(self, "depth", None if self.depth is None else _depth(self.depth))
        object.__setattr__(self, "measures", _measures(self.measures))

    def is_like(self, other: Rules) -> bool:
        """Whether both read every question alike, whatever they are called and whichever measures they name."""
        return dataclasses.replace(self, name="", measures=()) == dataclasses.replace(other, name="", measures=())

    @classmethod
    def of(cls, rules: Rules | str | os.PathLike[str] | dict[str, Any] | None) -> Rules:
        """Rules from a preset's name, a TOML file, a dict of fields, or themselves; None is the default."""
        if rules is None:
            return cls()
        if isinstance(rules, Rules):
            return rules
        if isinstance(rules, dict):
            return cls.from_dict({"name": "custom", **rules})
        if not isinstance(rules, str | os.PathLike):
            raise RulesError(f"rules are a preset's name, a file, a dict or Rules, not {rules!r}")
        path = Path(rules)
        if path.suffix == ".toml" or os.sep in str(rules):
            return cls.from_toml(_read(path), path)
        return cls.named(str(rules))

    @classmethod
    def named(cls, name: str) -> Rules:
        """The preset with this name."""
        text = _presets().get(name)
        if text is None:
            hint = did_you_mean(name, _presets())
            raise RulesError(
                f"there are no rules named {name!r}.{hint} Presets: {', '.join(_presets())}; or a .toml file"
            )
        return cls.from_toml(text, Path(f"{name}.toml"))

    @classmethod
    def from_toml(cls, text: str, path: Path) -> Rules:
        """Rules from the text of a TOML file; `extends = "preset"` starts from a preset."""
        if sys.version_info >= (3, 11):
            import tomllib
        else:
            import tomli as tomllib

        try:
            fields = tomllib.loads(text)
        except (ValueError, RecursionError) as error:  # also a number of thousands of digits, or too many brackets
            raise InputError(f"this is no TOML: {error}", path) from None
        try:
            start = cls._extended(fields.pop("extends")) if "extends" in fields else None
            return cls.from_dict({"name": path.stem, **fields}, start)
        except RulesError as error:
            raise RulesError(f"{path}: {error}") from None

    @classmethod
    def _extended(cls, name: Any) -> Rules:
        if not isinstance(name, str):
            raise RulesError(f"extends is the name of a preset, not {name!r}")
        return cls.named(name)

    @classmethod
    def from_dict(cls, fields: dict[str, Any], start: Rules | None = None) -> Rules:
        """Rules with these fields, the others as in `start` or the default."""
        known = {field.name for field in dataclasses.fields(cls)}
        for key in fields:
            if key not in known:
                raise RulesError(
                    f"no rule is called {key!r}.{did_you_mean(str(key), known)} Rules: {', '.join(sorted(known))}"
                )
        fields = {key: tuple(value) if isinstance(value, list) else value for key, value in fields.items()}
        return dataclasses.replace(start or cls(), **fields)

    def replace(self, **fields: Any) -> Rules:
        """These rules with some fields changed."""
        return self.from_dict({key: value for key, value in fields.items() if value is not None}, self)

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain values, for JSON."""
        return {**dataclasses.asdict(self), "measures": list(self.measures)}

    def to_toml(self) -> str:
        """The text of a rules file that says the same."""
        lines = []
        for key, value in self.to_dict().items():
            if key in MEANINGS:
                choices = f": {', '.join(CHOICES[key])}" if key in CHOICES else ""
                lines.append(f"# {MEANINGS[key]}{choices}")
                lines.append(f"{key} = {json.dumps(value)}" if value is not None else f"# {key} = 1000")
        return "\n".join(lines) + "\n"


def _level(level: Any) -> float:
    """A finite number; NumPy's become Python's."""
    if isinstance(level, numbers.Real) and not isinstance(level, bool):
        number = operator.index(level) if isinstance(level, numbers.Integral) else float(level)
        if abs(number) <= sys.float_info.max:
            return number
    raise RulesError(f"level is a number, not {_short(level)}")


def _depth(depth: Any) -> int:
    """A whole number from 1 on that a rank can be; NumPy's become Python's."""
    is_whole = isinstance(depth, numbers.Integral) and not isinstance(depth, bool)
    if not is_whole or (number := operator.index(depth)) < 1:
        raise RulesError(f"depth is a positive whole number, not {_short(depth)}")
    if number > DEEPEST:
        raise RulesError(f"depth is {DEEPEST} at most, not {_short(depth)}")
    return number


def _measures(measures: Any) -> tuple[str, ...]:
    if isinstance(measures, Iterable) and not isinstance(measures, str | Mapping):
        names = tuple(measures)
        if all(isinstance(name, str) for name in names):
            return names
    raise RulesError(f"measures is a list of names, not {measures!r}")


def _short(value: Any) -> str:
    try:
        text = repr(value)
    except ValueError:  # Python writes no number of more than some thousand digits
        return "one of thousands of digits"
    return text if len(text) < 60 else text[:57] + "…"


def presets() -> dict[str, Rules]:
    """The presets by name, the default first."""
    return {name: Rules.named(name) for name in _presets()}


def purposes() -> dict[str, str]:
    """What each preset is for: the first comment in its file."""
    return {name: text.partition("\n")[0].lstrip("# ") for name, text in _presets().items()}


def _presets() -> dict[str, str]:
    folder = resources.files("truerank") / "rules"
    names = sorted(entry.name[:-5] for entry in folder.iterdir() if entry.name.endswith(".toml"))
    names.sort(key=lambda name: name != "truerank")
    return {name: (folder / f"{name}.toml").read_text("utf-8") for name in names}


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read the rules: {getattr(error, 'strerror', None) or error}", path) from None
