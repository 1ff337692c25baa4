"""Rules: under whose rules a number was made.

The same word means different numbers in different tools. Every evaluation happens under one explicit, printable
value, whose defaults are the safest reading and whose presets are named after whose numbers they reproduce.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from truerank.core import schema
from truerank.core.errors import RulesError, printable, quoted
from truerank.core.messages import Message, alternatives, did_you_mean, joined, message

CHOICES: dict[str, tuple[str, ...]] = {
    "ties": ("doc-descending", "doc-ascending", "input"),
    "score_precision": ("double", "single"),
    "unit": ("query", "line"),
    "missing": ("zero", "skip", "error"),
    "empty": ("answered", "missing"),
    "extra": ("skip", "error"),
    "without_relevant": ("zero", "skip", "empty-is-right", "one", "undefined", "error"),
    "unjudged": ("not-relevant", "removed", "graded"),
    "unreturned": ("count", "ignore"),
    "depth_of": ("left", "returned"),
    "duplicates": ("error", "first", "last", "count", "once"),
    "recall_points": ("round", "up", "definition"),
    "vocabulary": ("all", "readings"),
    "same_camera": ("ignore", "keep"),
    "self_match": ("keep", "remove", "remove-from-answers"),
    "iteration": ("ignore", "aspect"),
    "calls": ("error", "concatenated", "last"),
}

DEEPEST = 2**63 - 1
"""The highest rank that can be counted."""

_IDENTITIES = schema.list_of(
    schema.whole(message("a whole number"), -DEEPEST, DEEPEST), message("a list of whole numbers")
)
_COUNT = schema.whole(message("a whole number from 0 on"), 0, DEEPEST)

KINDS: dict[str, schema.Kind] = {
    "name": schema.TEXT,
    **{field: schema.one_of(choices) for field, choices in CHOICES.items()},
    "level": schema.NUMBER,
    "unjudged_grade": schema.NUMBER,
    "depth": schema.optional(schema.whole(message("a positive whole number"), 1, DEEPEST)),
    "junk_identities": _IDENTITIES,
    "distractor_identities": _IDENTITIES,
    "single_shot_galleries": _COUNT,
    "gallery_seed": _COUNT,
    "percent_ranks": schema.list_of(schema.number(message("a number"), 0), message("a list of numbers from 0 on")),
    "measures": schema.list_of(schema.TEXT, message("a list of names")),
}
"""What each field may be; `readings` is a table of its own."""

MEANINGS: dict[str, Message] = {
    "level": message("the lowest grade that counts as relevant"),
    "ties": message("the order of documents with equal scores"),
    "score_precision": message("how many bits of a score are compared"),
    "unit": message("what the mean is over (line: each line of a submission, as the contest's code has it)"),
    "missing": message("judged queries that the run does not answer"),
    "empty": message("answers without a document (missing: as if the query were not answered)"),
    "extra": message("answered queries that are unjudged"),
    "without_relevant": message(
        "queries without a relevant document (empty-is-right: 1 for an empty answer, else 0; "
        "one: 1 whatever is returned, both for measures from 0 to 1; "
        "undefined: left out of the means of measures that would divide by 0 there)"
    ),
    "unjudged": message("unjudged documents (graded: each gains as if it had the grade unjudged_grade)"),
    "unjudged_grade": message(
        "the grade of unjudged documents where unjudged = graded; the ideal is of judged ones"
    ),
    "unreturned": message("judged documents that were not returned (ignore: as if they were unjudged)"),
    "duplicates": message("a document that is returned twice for a query (once: counts where it came first)"),
    "depth": message("only this many results of each query count"),
    "depth_of": message(
        "what depth counts: results left when unjudged ones are removed, or all that were returned"
    ),
    "recall_points": message(
        "which hit stands for recall point x of R: x R rounded; up: floor(x R + 0.9); "
        "definition: the first at a recall of at least x"
    ),
    "same_camera": message(
        "vectors: the query's identity seen by the query's own camera (ignore: it leaves the list)"
    ),
    "junk_identities": message("vectors: identities that leave the gallery"),
    "distractor_identities": message("vectors: identities that stay in the gallery and are never right"),
    "single_shot_galleries": message(
        "vectors: rank-k is the mean over this many random galleries with one entry per identity (0: over the "
        "whole gallery)"
    ),
    "gallery_seed": message("vectors: the seed of these galleries"),
    "percent_ranks": message("vectors: also R@x%, for these percentages of the gallery"),
    "self_match": message("a document whose id is the query's own (remove-from-answers: its judgement stays)"),
    "iteration": message(
        "the second column of TREC qrels (aspect: which part of its query the document answers, such as a subtopic)"
    ),
    "calls": message(
        "several lists per query, to measures of one (concatenated: one after another; last: the last alone)"
    ),
    "measures": message("the measures to evaluate when none are given"),
    "vocabulary": message(
        "the measures that there are (readings: only those; any other is marked as truerank's own)"
    ),
    "readings": message(
        "what plain measure names mean: k is the cutoff asked for, a number the one where none is asked"
    ),
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
    unit: str = "query"
    missing: str = "zero"
    empty: str = "answered"
    extra: str = "skip"
    without_relevant: str = "zero"
    unjudged: str = "not-relevant"
    unjudged_grade: float = 0
    unreturned: str = "count"
    duplicates: str = "error"
    depth: int | None = None
    depth_of: str = "left"
    recall_points: str = "round"
    self_match: str = "keep"
    iteration: str = "ignore"
    calls: str = "error"
    same_camera: str = "ignore"
    junk_identities: tuple[int, ...] = ()
    distractor_identities: tuple[int, ...] = ()
    single_shot_galleries: int = 0
    gallery_seed: int = 0
    percent_ranks: tuple[float, ...] = ()
    measures: tuple[str, ...] = ()
    vocabulary: str = "all"
    readings: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        for field, kind in KINDS.items():
            object.__setattr__(self, field, kind.checked(field, getattr(self, field), RulesError))
        object.__setattr__(self, "readings", _readings(self.readings))
        if self.unit == "line" and self.missing != "skip":
            raise RulesError(
                "unit = line and missing = {missing} do not go together: a query without a line is not in "
                "the mean over lines; missing = skip says so",
                missing=self.missing,
            )
        if self.unjudged == "graded" and self.duplicates == "once":
            raise RulesError(
                "unjudged = graded and duplicates = once do not go together: a repeated document takes a rank that "
                "would pass for that of an unjudged one; duplicates = first removes the repeats"
            )

    @property
    def nameless(self) -> Rules:
        """The rules without what does not change the value of a measure: their name and what they say of names."""
        return dataclasses.replace(self, name="", measures=(), vocabulary="all", readings=())

    def by_query(self, what: str) -> Rules:
        """These rules, if their mean is over queries; `what` begins the refusal of others.

        Raises:
            RulesError: the mean is over submitted lines.
        """
        if self.unit == "line":
            raise RulesError("{what}; under these rules the mean is over submitted lines", what=what)
        return self

    def is_like(self, other: Rules) -> bool:
        """Whether both decide every question alike, whatever their names and their names for measures."""
        return self.nameless == other.nameless

    def refuse_unlike(self, name: str, others: Rules, other: str) -> None:
        """Raise where two things were read or scored under rules that are not alike.

        Args:
            name: what was made under these rules.
            others, other: the other rules, and what was made under them.

        Raises:
            RulesError: they are not alike.
        """
        if not self.is_like(others):
            names: list[str] = [self.name, others.name]
            if self.name == others.name:
                names = [name_with(a.name, _changes(a, b)) for a, b in ((self, others), (others, self))]
            raise RulesError(
                "{name} was made under the rules {rules}, {other} under {others}: scores can be compared only "
                "under the same rules; a reading takes others that are asked for (rules=; for a command: --rules)",
                name=name,
                rules=names[0],
                other=other,
                others=names[1],
            )

    @classmethod
    def of(cls, rules: RulesLike | None) -> Rules:
        """Rules from a preset's name, a TOML file, a dict of fields, or themselves; None is the default.

        Rules with the name of a preset that decide something else are named by what they change.

        >>> Rules.of(Rules.named("trec_eval-9").replace(level=2)).name
        'trec_eval-9 with level=2'
        """
        if rules is None:
            return _default()
        if isinstance(rules, Rules):
            return _told(rules)
        if isinstance(rules, Mapping):
            return cls.from_dict({"name": "custom", **rules})
        if not isinstance(rules, str | os.PathLike):
            raise RulesError("rules are a preset's name, a file, a dict or Rules, not {rules}", rules=quoted(rules))
        name = os.fspath(rules)
        if name.endswith(".toml") or os.sep in name:
            return cls.from_toml(schema.text_of(name, message("the rules")), name)
        return cls.named(name)

    @classmethod
    def named(cls, name: str) -> Rules:
        """The preset with this name."""
        if name not in presets():
            raise RulesError(
                "there are no rules named {name}.{hint} Presets: {known}; or a .toml file",
                name=quoted(name),
                hint=_meant(name),
                known=", ".join(presets()),
            )
        return _preset(name)

    @classmethod
    def from_toml(cls, text: str, path: str) -> Rules:
        """Rules from the text of a TOML file; `extends = "preset"` starts from a preset."""
        fields = schema.parsed_toml(text, path)
        try:
            start = cls._extended(fields.pop("extends")) if "extends" in fields else None
            return cls.from_dict({"name": os.path.splitext(os.path.basename(path))[0], **fields}, start)
        except RulesError as error:
            raise RulesError(joined(": ", [str(path), error.said])) from None

    @classmethod
    def _extended(cls, name: Any) -> Rules:
        if not isinstance(name, str) or name not in presets():
            raise RulesError(
                "extends is the name of a preset, not {name!r}.{hint} Presets: {known}",
                name=name,
                hint=_meant(name),
                known=", ".join(presets()),
            )
        return cls.named(name)

    @classmethod
    def from_dict(cls, fields: dict[str, Any], start: Rules | None = None) -> Rules:
        """Rules with these fields, the others as in `start` or the default; readings are added to those there."""
        known = {field.name for field in dataclasses.fields(cls)}
        for key in fields:
            if key == "extends":
                raise RulesError(
                    "extends is for files; in Python: Rules.named({name!r}).replace(level=2), or any other field",
                    name=fields[key],
                )
            if key not in known:
                raise RulesError(
                    "no rule is called {key}.{hint} Rules: {known}",
                    key=quoted(key),
                    hint=did_you_mean(str(key), known),
                    known=", ".join(sorted(known)),
                )
        start = start or cls()
        if "readings" in fields:
            fields = {**fields, "readings": {**dict(start.readings), **dict(_readings(fields["readings"]))}}
        return dataclasses.replace(start, **fields)

    def replace(self, **fields: Any) -> Rules:
        """These rules with some fields changed; None is a value like any other.

        >>> Rules(depth=10).replace(depth=None).depth
        >>> Rules.of(Rules.of(Rules(depth=10)).replace(level=2)).name
        'truerank with level=2, depth=10'
        """
        return self.from_dict(fields, _untold(self))

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain values, for JSON."""
        fields = dataclasses.asdict(self)
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()}
        return {**plain, "readings": dict(self.readings)}

    def to_toml(self) -> str:
        """The text of a rules file that says the same."""
        import json

        lines = []
        for key, value in self.to_dict().items():
            if key == "readings":
                lines += ["", f"# {MEANINGS[key]}", *_table(key, value)]
            elif key in MEANINGS:
                choices = f": {', '.join(CHOICES[key])}" if key in CHOICES else ""
                lines.append(f"# {MEANINGS[key]}{choices}")
                lines.append(f"{key} = {json.dumps(value)}" if value is not None else f"# {key} = 1000")
        return "\n".join(lines) + "\n"


def _readings(readings: Any) -> tuple[tuple[str, str], ...]:
    """The readings, sorted by name."""
    pairs = tuple(readings.items()) if isinstance(readings, Mapping) else readings
    if isinstance(pairs, tuple) and all(map(_is_reading, pairs)):
        return tuple(sorted(dict(pairs).items()))
    raise RulesError("readings is a table of measures by their names, not {readings!r}", readings=readings)


def _is_reading(pair: Any) -> bool:
    return isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(text, str) for text in pair)


def _table(name: str, texts: Mapping[str, str]) -> list[str]:
    """The lines of a TOML table, which must come after everything else."""
    import json

    if not texts:
        return [f"# [{name}]", "# AP = \"AP(divisor='hits')@k\""]
    return [f"[{name}]", *(f"{json.dumps(key)} = {json.dumps(text)}" for key, text in texts.items())]


def purposes() -> dict[str, Message]:
    """What each preset is for: the first comment in its file."""
    return {name: Message(_text(name).partition("\n")[0].lstrip("# ")) for name in presets()}


_FOLDER = os.path.join(os.path.dirname(__file__), "presets")


@cache
def _default() -> Rules:
    return Rules()


@cache
def _preset(name: str) -> Rules:
    return Rules.from_toml(_text(name), f"{name}.toml")


def _text(name: str) -> str:
    with open(os.path.join(_FOLDER, f"{name}.toml"), encoding="utf-8") as file:
        return file.read()


@cache
def presets() -> tuple[str, ...]:
    """The names of the presets, truerank's own first."""
    names = sorted(entry[:-5] for entry in os.listdir(_FOLDER) if entry.endswith(".toml"))
    return tuple(sorted(names, key=lambda name: name != "truerank"))


def _meant(name: object) -> str:
    """' Did you mean vpr?'; of a tool without its release, all that there are."""
    tool = str(name).lower().replace("-", "_")
    releases = [one for one in presets() if one.rpartition("-")[:2] == (tool, "-")]
    if not releases:
        return did_you_mean(name, presets())
    return message(" Did you mean {name}?", name=alternatives(releases))


@lru_cache(maxsize=64)  # small evaluations ask for it each time
def _told(rules: Rules) -> Rules:
    """The rules; where they have a preset's name and decide otherwise, they are named by what they change."""
    if rules == _default() or rules.name not in presets():  # the default is known without reading its file
        return rules
    changes = _changes(rules, _preset(rules.name))
    if not changes:
        return rules
    return dataclasses.replace(rules, name=name_with(rules.name, changes))


def _changes(rules: Rules, others: Rules) -> list[str]:
    """What the rules decide differently from others, in the form of `--set`."""
    return [
        f"{field}={_shown(getattr(rules, field))}"
        for field in KINDS
        if field not in ("name", "measures", "vocabulary") and getattr(rules, field) != getattr(others, field)
    ]


def name_with(name: str, changes: Iterable[str]) -> Message:
    """The name of rules that change others.

    >>> name_with("trec_eval-9", ["level=2", "depth=10"])
    'trec_eval-9 with level=2, depth=10'
    """
    return message("{rules} with {changes}", rules=printable(name), changes=printable(", ".join(changes)))


def _untold(rules: Rules) -> Rules:
    """The rules under the preset's name, where `_told` named them by what they change of it."""
    preset, changed, _ = rules.name.partition(" with ")
    plain = dataclasses.replace(rules, name=preset) if changed else rules
    return plain if _told(plain).name == rules.name else rules


def _shown(value: Any) -> str:
    """The value of a rule in the form of `--set`."""
    if isinstance(value, tuple):
        return ",".join(map(str, value)) or "none"
    return "none" if value is None else str(value)


def common(made: Iterable[tuple[str, Rules]]) -> Rules | None:
    """The rules under which all of these (name, rules) were read or scored; None where there are none.

    Raises:
        RulesError: they are not alike.
    """
    known = list(made)
    for name, own in known[1:]:
        own.refuse_unlike(name, known[0][1], known[0][0])
    return known[0][1] if known else None


RulesLike = Rules | str | os.PathLike[str] | Mapping[str, Any]
"""Rules, the name of a preset, the path of a rules file, or a mapping of fields."""
