"""A measure from how people write it, and the measures that a text names."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import Any

from truerank.core.errors import MeasureError, quoted
from truerank.measures.definition import WORD, Definition, positional, takes
from truerank.measures.parameters import canonical
from truerank.measures.registry import (
    Measure,
    MeasuresLike,
    checked,
    cutoff_of,
    find,
    fold,
    known_words,
    load_more,
)
from truerank.measures.spellings import QUOTED, SPELLINGS, SUFFIX, WORDS, persistence, split

_SHAPE = re.compile(
    rf"\s*({WORD}?)\s*(?:\((.*?)\))?\s*(?:@\s*([0-9.eE+-]+))?\s*(?:\((.*?)\))?\s*\Z", re.DOTALL | re.ASCII
)
_AT_R = re.compile(r"@\s*R(?![\w.])", re.IGNORECASE)
"""MAP@R: a cutoff that is no number."""

_GREEK = str.maketrans({"µ": "u", "μ": "u", "α": "alpha"})

_LEVEL = re.compile(r"(.+\S)-l([0-9]{1,18})\s*\Z", re.DOTALL | re.ASCII)


def parse_measure(text: str | Measure) -> Measure:
    """A measure from how people write it: "nDCG@10", "nDCG(gain='exp')@10", "ndcg_cut_10", "recall@5".

    Raises:
        MeasureError: no such measure or parameter; near misses are suggested.
    """
    if isinstance(text, Measure):
        return checked(text.definition, text.given) if text.lacks else text
    text = spelled(text)
    if not isinstance(text, str):
        raise _unreadable(text)
    words = QUOTED.split(text)
    words[::2] = [_AT_R.sub("_at_R", word.translate(_GREEK)) for word in words[::2]]
    text = "".join(words)
    text = _theirs().in_parentheses(text) if ":" in text else text
    if (levelled := _LEVEL.match(text)) and not find(text):
        return _at_level(levelled[1], int(levelled[2]), text)
    match = _SHAPE.match(text)
    if not match:
        raise _unreadable(text, _near().suggestion(text, ()))
    word, inside, cut, after = match.groups()
    if inside is not None and after is not None:
        raise MeasureError("cannot read the measure {text!r}: it has two sets of parameters", text=text)
    if not find(word) and (own := _theirs().DIALECTS.get(fold(word))):
        return _translated(own, cut, inside or after or "", text)
    definition, params = _resolve(word, cut, text)
    given = _arguments(inside or after or "", definition, text)
    for key, value in given.items():
        if params.get(key, value) != value:
            raise _twice(text, key, params[key], value)
        params[key] = value
    if "k" in definition.required and "k" not in params and (whole := _theirs().OF_ALL.get(fold(word))):
        raise MeasureError("{word} needs k: write {word}@10, or {whole} of all results", word=word, whole=whole)
    return _switched(definition, params)


def known_measure(text: str | Measure) -> Measure | None:
    """`parse_measure`, but None where no measure is written so."""
    try:
        return parse_measure(text)
    except MeasureError:
        return None


def _unreadable(text: object, hint: str = "") -> MeasureError:
    if hint:
        return MeasureError(
            "cannot read the measure {text!r}.{hint} Write it like nDCG@10 or AP(level=2)", text=text, hint=hint
        )
    return MeasureError("cannot read the measure {text!r}; write it like nDCG@10 or AP(level=2)", text=text)


def _near() -> ModuleType:
    """What was probably meant by a name that no measure has: only a wrong name asks for it."""
    from truerank.measures import suggestions

    return suggestions


def _theirs() -> ModuleType:
    """The names that only other tools have: few evaluations need them."""
    from truerank.measures import dialects

    return dialects


def _translated(own: tuple[str, str], cut: str | None, arguments: str, whole: str) -> Measure:
    """A measure that another tool calls by a name of its own; what is said beside it goes before its default."""
    within, rest = _theirs().cut_inside(arguments)
    if cut is not None and within is not None and _literal(cut, whole) != _literal(within, whole):
        raise _twice(whole, "k", _literal(cut, whole), _literal(within, whole))
    plain, at_k = own
    measure = parse_measure(plain if (cut or within) is None else f"{at_k}@{cut or within}")
    return measure(**_arguments(rest, measure.definition, whole))


def _switched(definition: Definition, params: dict[str, Any]) -> Measure:
    """The measure, or another one where a parameter of another tool makes it that."""
    switches = {} if set(params) <= set(definition.kinds) else _theirs().SWITCHES
    for (name, key), text in switches.items():
        if name == definition.name and isinstance(params.get(key), bool) and params.pop(key):
            return parse_measure(text + (f"@{params['k']}" if "k" in params else ""))(**params)
    return checked(definition, params)


def _at_level(text: str, level: int, whole: str) -> Measure:
    """A measure of grades from a level on, as ranx writes it: map-l2, ndcg@10-l2."""
    measure = parse_measure(text)
    definition, params = measure.definition, dict(measure.params)
    key = next((name for name in ("level", "gain_from") if name in definition.parameters), None)
    if key is None:
        raise MeasureError(
            "{text!r}: {measure} has no level; {takes}", text=whole, measure=measure.name, takes=takes(definition)
        )
    if params.get(key, level) != level:
        raise _twice(whole, key, params[key], level)
    return measure(**{key: level})


def _twice(text: str, key: str, one: object, other: object) -> MeasureError:
    return MeasureError(
        "{text!r} says {key} twice: {one!r} and {other!r}", text=text, key=key, one=one, other=other
    )


def spelled(measure: Any) -> Any:
    """ir_measures' own objects, which PyTerrier has too, print as they are written, but for three.

    The beta of its SetF is what trec_eval is given, which takes it for the square; its Accuracy@10 counts pairs,
    and not what others call accuracy@10; the highest grade of its ERR is 4, whatever the judgements hold.
    """
    if type(measure).__module__.partition(".")[0] != "ir_measures":
        return measure
    text = str(measure)
    if text.startswith("Accuracy") and "@" in text:
        name, _, cut = text.partition("@")
        return f"Accuracy(depth={cut}{name.removeprefix('Accuracy').replace('(', ', ') or ')'}"
    if text.partition("@")[0] == "ERR":
        return text.replace("ERR", "ERR(max_grade=4)")
    return text.replace("beta=", "beta_squared=") if text.startswith("SetF(") else text


def parse_measures(text: MeasuresLike) -> list[Measure]:
    """Measures from one text with blanks or commas between them, or from a list of such; without repeats.

    In a text, a number after a comma is another cutoff of the measure before:

    >>> [str(measure) for measure in parse_measures("P@1,5,AP nDCG(gain='exp')@10,20")]
    ['P@1', 'P@5', 'AP', "nDCG(gain='exp')@10", "nDCG(gain='exp')@20"]
    """
    return list({(m, m.said): m for _, m in each(text, parse_measure)}.values())


def each(text: MeasuresLike, read: Callable[[str | Measure], Measure]) -> list[tuple[str | Measure, Measure]]:
    """What is asked for, word by word, and what is read of each."""
    text = spelled(text)
    if isinstance(text, Mapping) or not isinstance(text, str | Measure | Iterable):  # {"ndcg": 10} is no cutoff
        raise MeasureError("measures are named by text, such as nDCG@10, not {text!r}", text=text)
    if isinstance(text, str | Measure):
        return _each(text, read)
    return [pair for one in text for pair in _each(one, read) or [(one, read(one))]]


def _each(text: str | Measure, read: Callable[[str | Measure], Measure]) -> list[tuple[str | Measure, Measure]]:
    words = split(text) if isinstance(text, str) else [text]
    try:
        return [(word, read(word)) for word in words]
    except MeasureError:
        if len(words) > 1 and _near().is_phrase(text):  # no measures each
            raise MeasureError(
                "unknown measure {text}.{hint}", text=quoted(text), hint=_near().suggestion(text, ())
            ) from None
        raise


def _resolve(word: str, cut: str | None, whole: str) -> tuple[Definition, dict[str, Any]]:
    """The measure that a word names, and the parameters that the word and the cutoff set."""
    suffix = SUFFIX.match(fold(word)) if cut is None else None
    entry = _entry(word, cut, suffix) or (_entry(word, cut, suffix) if load_more() else None)
    by_suffix = suffix is not None and not find(word)
    if by_suffix and suffix:
        cut = suffix["number"]
    if entry is None:
        bare = SUFFIX.sub(r"\g<word>", fold(word))
        if other := _theirs().NO_MEASURE.get(bare):
            raise MeasureError("{word} is {what}", word=word, what=other)
        hint = _near().suggestion(word, known_words(), cut)
        raise MeasureError(
            "unknown measure {text}.{hint} `truerank measures` lists them", text=quoted(word), hint=hint
        )
    definition = entry[0]
    params = {key: value for key, value in entry[1].items() if value is not ...}
    if by_suffix and suffix and "p" in definition.parameters and suffix["mark"] != "_at_":
        params["p"] = persistence(definition.name, suffix["mark"], suffix["number"], whole)
    elif cut is not None:
        open_keys = [key for key, value in entry[1].items() if value is ... and by_suffix]
        params[(open_keys or [cutoff_of(definition, word, cut)])[0]] = _literal(cut, whole)
    return definition, params


def _entry(word: str, cut: str | None, suffix: re.Match[str] | None) -> tuple[Definition, dict[str, Any]] | None:
    """The measure of a word, as it is with a cutoff; or of the word before a number at its end."""
    entry = (find(f"{word}@") if cut is not None else None) or find(word)
    return entry or (find(suffix["word"] + "@") or find(suffix["word"]) if suffix else None)


def _arguments(text: str, definition: Definition, whole: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        call = ast.parse(f"f({text})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        call = None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise MeasureError(
            "cannot read the parameters of {text!r}; write them like (level=2, gain='exp')", text=whole
        )
    if call.args or any(keyword.arg is None for keyword in call.keywords):
        raise positional(definition, whole)
    read = (_argument(word.arg or "", _value(word.value, whole), definition) for word in call.keywords)
    pairs = [pair for pair in read if pair is not None]
    if len(dict(pairs)) < len(pairs):
        raise MeasureError("{text!r} says a parameter twice; {takes}", text=whole, takes=takes(definition))
    return dict(pairs)


def _argument(key: str, value: Any, definition: Definition) -> tuple[str, Any] | None:
    if (kind := definition.kinds.get(key)) is not None:
        return key, None if value == "none" and not kind.allows(value) else value
    values = _theirs().VALUES.get(key, {})
    if isinstance(value, str | bool) and value in values:
        return values[value]  # type: ignore[no-any-return]
    return SPELLINGS.get(key, key), WORDS.get(value, value) if key == "dcg" else value


def _value(node: ast.expr, whole: str) -> Any:
    if isinstance(node, ast.Name):  # gain=exp
        return {"true": True, "false": False, "none": "none"}.get(node.id.lower(), node.id)
    try:
        value = ast.literal_eval(node)
        plain = canonical(value)
    except (ValueError, TypeError, OverflowError):
        raise MeasureError(
            "{text!r}: a parameter is a number, a word, or a mapping of numbers", text=whole
        ) from None
    if isinstance(node, ast.Dict) and len(value) < len(node.keys):
        raise MeasureError("{text!r} says twice what a grade is worth; a mapping names each grade once", text=whole)
    return plain


def _literal(text: str, whole: str) -> int | float:
    try:
        return int(text) if text.isdigit() else float(text)
    except ValueError:
        raise MeasureError("{text!r}: {cut!r} is no cutoff", text=whole, cut=text) from None


def named(word: str) -> str:
    """The name of the measure that a word alone stands for.

    >>> named("map")
    'AP'
    """
    definition, params = _resolve(word, None, word)
    if params:
        raise MeasureError(
            "{word} is {measure} with {params}; a name alone is needed here",
            word=word,
            measure=definition.name,
            params=", ".join(params),
        )
    return definition.name
