"""A table of means as it was published: CSV, TSV, Markdown or LaTeX, with bold type, letters and percentages."""

from __future__ import annotations

import csv
import itertools
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from truerank.analysis.claims.spreads import is_unbounded
from truerank.core.errors import InputError, truncated
from truerank.core.messages import did_you_mean, listed
from truerank.core.scores import distinct
from truerank.formats.source import Source, as_source

MOST = 100
"""No percentage is above it."""

SYSTEMS = ("system", "systems", "model", "models", "run", "method", "name", "retriever", "ranker", "approach")
"""What the column that names the systems is called, whatever is in it."""

NOTHING = ("", "-", "--", "---", "–", "—", "n/a", "na", "nan", "none", "null", "/")
_MARKUP = re.compile(
    r"\\([*_%#$])"  # escaped characters are literal; an underscore inside a word is part of it
    r"|\\cite[a-z]*\*?(?:\[[^]]*\])*\{[^}]*\}|\\(?:text(?:bf|it|rm|sc|sf|tt)?|underline|emph"
    r"|mathbf|mathrm|bf|rm|bfseries|itshape|small|footnotesize|scriptsize|tiny)\b|\\[!,;: ]"
    r"|[*`${}~]|</?[a-z]+>|(?<![^\W_])_|_(?![^\W_])"
)
_RAISED = re.compile(
    r"(?:[\^_]|\\text(?:super|sub)script)\{[^}]*\}|<su[bp]>[^<]*</su[bp]>|\^\\?\w+|\[\^?\w+\]|\([^)]*\)"
    r"|(?<=\d)\s*\[[^]]*\]|(?:±|\\pm|\+/-).*"
)
_NUMBER = re.compile(r"([-+]?(?:\d+(?:\.\d*)?|\.\d+))(?:[eE]([-+]?\d{1,3}))?\s*%?\s*[^\d\s.,]*\Z")
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(?:,\d{3})+\b(?!\.?,)")
_LETTERED = re.compile(r"\d+[A-Za-z]+\Z")
_SIZE = re.compile(r"\d+ ?[KMBT]\Z")
_BEGUN = re.compile(r"[-+]?\.?\d")
_RULE = re.compile(r"\\(?:top|mid|bottom|c?mid)rule\S*|\\hline|\\cline\S*|\\addlinespace(?:\[[^]]*\])?")
_LAYOUT = re.compile(
    r"%|\\(?:begin|end|caption|label|centering|setlength|renewcommand|vspace|resizebox|adjustbox)\b"
    r"|\\(?:small|footnotesize|scriptsize|tiny)\b(?!.*(?<!\\)&)|\}+%?\Z"  # also of a cell in a row
)
"""Lines of LaTeX that are about a table and none of its rows."""
_WIDE = re.compile(r"\\multi(?:column|row)\s*\{([^}]*)\}\s*\{[^}]*\}\s*\{(.*)\}\s*\Z")
_DASHES = re.compile(r"[\s|:+-]*-[\s|:+-]*")


@dataclass(frozen=True)
class Mean:
    """A published mean.

    Attributes:
        value: as a fraction where the column is in percent.
        unit: what its last digit is worth, on the same scale.
    """

    value: float
    unit: float


@dataclass(frozen=True)
class Published:
    """A table of systems and their means.

    Attributes:
        name: of the file.
        systems: in the order of the rows.
        columns: {measure: {system: mean}}, without cells that are empty.
        percent: the measures that were read as percentages.
        left_out: columns of other numbers, or with cells that are none.
    """

    name: str
    systems: tuple[str, ...]
    columns: Mapping[str, Mapping[str, Mean]]
    percent: frozenset[str]
    left_out: tuple[str, ...]


def published(table: Any, measures: Sequence[str] | None = None) -> Published:
    """The table from a path, "-", or {system: {measure: mean}}.

    Args:
        measures: the columns that matter; by default all that hold numbers only.

    Raises:
        InputError: there is no table, a row is too short, no column of numbers, or one system.
    """
    if isinstance(table, Mapping):
        name, rows = "table", _of_mapping(table)
    elif not isinstance(table, str | os.PathLike | Source):
        raise InputError("a table is a path or {system: {measure: mean}}")
    else:
        source = as_source(table)
        name = source.name
        try:
            text = source.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError("a table is text in UTF-8: {why}", name, why=error.reason) from None
        rows = list(_rows(text, name))
    return _table(name, rows, measures, isinstance(table, Mapping))


Row = tuple[int, list[str]]
"""The line, and its cells."""


def _of_mapping(table: Mapping[Any, Any]) -> list[Row]:
    try:
        named = {str(system): {str(key): row[key] for key in row} for system, row in table.items()}
        heads = list(dict.fromkeys(key for row in named.values() for key in row))
        cells = [[system, *(_text(row.get(head)) for head in heads)] for system, row in named.items()]
    except (AttributeError, TypeError):
        raise InputError("a table is a path or {system: {measure: mean}}") from None
    return [(0, ["system", *heads]), *((0, row) for row in cells)]


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _rows(text: str, name: str) -> Iterator[Row]:
    """The rows with their lines; all have as many cells as the first."""
    lines = [(n, line.strip("\r\n ")) for n, line in enumerate(text.splitlines(), 1)]
    lines = _first_markdown(lines) or [(n, _RULE.sub("", line).strip()) for n, line in lines if line]
    lines = [(n, line) for n, line in lines if line and not _LAYOUT.match(line)]
    if not lines:
        raise InputError("there is no table in it: give CSV, TSV, Markdown or LaTeX with one row per system", name)
    split = _splitter([line for _, line in lines])
    wide = 0
    for n, line in lines:
        if _DASHES.fullmatch(line) and split is not _by_comma:
            continue
        cells = [part for cell in split(line) for part in _unfolded(cell.strip())]
        wide = wide or len(cells)
        if len(cells) != wide:
            raise InputError(
                "this row has {found} cells, the first has {wide}", name, n, found=len(cells), wide=wide
            )
        yield n, cells


def _first_markdown(lines: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """The first table of a Markdown page: the lines with bars around one of dashes; none where there is none."""
    rule = next((i for i, (_, line) in enumerate(lines) if "|" in line and _DASHES.fullmatch(line)), None)
    if not rule:
        return []
    return [lines[rule - 1], *itertools.takewhile(lambda line: "|" in line[1], lines[rule + 1 :])]


def _splitter(lines: Sequence[str]) -> Any:
    """The function that splits a line into cells, by the separator that most lines have."""
    for sign, split in (("|", _by_bar), ("&", _by_ampersand), ("\t", _by_tab), (";", _by_semicolon)):
        if 2 * sum(sign in line for line in lines) > len(lines):
            return split
    return _by_comma


def _by_bar(line: str) -> list[str]:
    return line.strip().removeprefix("|").removesuffix("|").split("|")  # a last cell may be empty: a|0.4||


def _by_ampersand(line: str) -> list[str]:
    return re.sub(r"\\\\.*", "", line).replace(r"\&", "and").split("&")


def _unfolded(cell: str) -> list[str]:
    r"""The cells of a LaTeX multicolumn: its content repeated for each column that it spans.

    >>> _unfolded(r"\multicolumn{2}{c}{MS MARCO}"), _unfolded(r"\multirow{2}{*}{Model}"), _unfolded("0.4")
    (['MS MARCO', 'MS MARCO'], ['Model'], ['0.4'])
    """
    match = _WIDE.match(cell)
    if match is None:
        return [cell]
    is_column = cell.startswith("\\multicolumn") and match[1].strip().isdecimal()
    return [match[2].strip()] * (int(match[1]) if is_column else 1)


def _by_tab(line: str) -> list[str]:
    return line.split("\t")


def _by_semicolon(line: str) -> list[str]:
    return next(csv.reader([line], delimiter=";"))


def _by_comma(line: str) -> list[str]:
    return next(csv.reader([line]))


def _table(name: str, rows: Sequence[Row], measures: Sequence[str] | None, is_keyed: bool) -> Published:
    first, heads, body = _headed(rows, name)
    if any(_number(head) is not None for head in heads):
        raise InputError("the first row names the columns: the systems, then the measures", name, first or None)
    if len(body) < 2:
        raise InputError("a table of two systems or more is needed: one has nothing to be told apart from", name)
    cells = [[row[c] for _, row in body] for c in range(len(heads))]
    names = 0 if is_keyed else _names(heads, cells, name)
    systems = distinct([_plain(cell) or f"row {n}" for n, cell in enumerate(cells[names], 1)])
    columns, percent = {}, set()
    other = [c for c, column in enumerate(cells) if c != names and _has_numbers(column)]
    means = [c for c in other if _is_numeric(cells[c]) and not _is_wide(heads[c], cells[c])]
    for c in _chosen(heads, means, names, measures, name):
        own, is_percent = _column(heads[c], [(line, row[c]) for line, row in body], systems, name)
        columns[heads[c]] = own
        percent |= {heads[c]} if is_percent else set()
    left_out = tuple(heads[c] for c in other if c not in means) if measures is None else ()
    title = "standard input" if name == "-" else os.path.basename(name)
    return Published(title, tuple(systems), columns, frozenset(percent), left_out)


def _headed(rows: Sequence[Row], name: str) -> tuple[int, list[str], list[Row]]:
    """The line and the names of the columns, which may be in several rows, and the rows of systems."""
    kept = [row for row in rows if not _is_title(row[1])]
    if not kept:
        raise InputError("there is no table in it: give CSV, TSV, Markdown or LaTeX with one row per system", name)
    is_above = not _plain(kept[0][1][0])
    heads = [kept[0], *itertools.takewhile(lambda row: _is_head(row, is_above), kept[1:])]
    columns = zip(*(row for _, row in heads), strict=True)
    words = [dict.fromkeys(filter(None, map(_plain, cells))) for cells in columns]
    named = distinct([" ".join(each) or f"column {n}" for n, each in enumerate(words, 1)])
    return heads[0][0], named, kept[len(heads) :]


def _is_title(row: Sequence[str]) -> bool:
    """Whether a row is the title of a part of the table: one text over all columns, or only in the first one."""
    is_alone = len(row) > 2 and bool(_plain(row[0])) and not any(map(_plain, row[1:]))
    return is_alone or (len(row) > 1 and len(set(row)) == 1 and _number(row[0]) is None)


def _is_head(row: Row, is_above: bool) -> bool:
    """Whether the row below the first names columns too: it has no number, and one of the two names no system.

    Args:
        is_above: whether the first row names none, as where it only has headings over several columns.
    """
    first, *others = row[1]
    is_headed = not _plain(first) or (is_above and bool(_filled(others)))
    return is_headed and all(_number(cell) is None for cell in row[1])


def _chosen(
    heads: Sequence[str], numeric: Sequence[int], names: int, measures: Sequence[str] | None, name: str
) -> list[int]:
    """The places of the columns that matter."""
    if measures is None:
        if not numeric:
            raise InputError("there is no column of means from 0 to 1, nor of percentages", name)
        return list(numeric)
    places = {head.lower(): c for c, head in enumerate(heads) if c != names}
    for measure in map(str, measures):
        if measure.lower() not in places:
            raise no_column(measure, [head for c, head in enumerate(heads) if c != names], name)
    return [places[str(measure).lower()] for measure in measures]


def no_column(measure: str, known: Sequence[str], name: str) -> InputError:
    """The error for a column that does not exist."""
    hint = did_you_mean(measure, known)
    return InputError(
        "it has no column {measure!r}.{hint} It has {known}", name, measure=measure, hint=hint, known=listed(known)
    )


def _names(heads: Sequence[str], cells: Sequence[Sequence[str]], name: str) -> int:
    """The place of the column that names the systems: the first with such a name, of text, or of sizes (7B)."""
    called = (c for c, head in enumerate(heads) if head.lower() in SYSTEMS)
    texts = (c for c, column in enumerate(cells) if not _is_numeric(column) or (c == 0 and _are_lettered(column)))
    place = next(itertools.chain(called, texts), None)
    if place is None:
        raise InputError("there is no column that names the systems", name)
    return place


def _are_lettered(cells: Sequence[str]) -> bool:
    return all(_LETTERED.match(_plain(cell)) for cell in cells)


def _is_numeric(cells: Sequence[str]) -> bool:
    """Whether a column has numbers, and nothing else."""
    filled = _filled(cells)
    return bool(filled) and all(_number(cell) is not None for cell in filled)


def _has_numbers(cells: Sequence[str]) -> bool:
    """Whether some cell begins as a number does."""
    return any(_BEGUN.match(_plain(cell)) or _number(cell) for cell in _filled(cells))


def _is_wide(head: str, cells: Sequence[str]) -> bool:
    """Whether some number is not a mean (+1.9 is a difference), or the measure has no upper limit."""
    is_other = (_bare(cell).startswith("+") or not 0 <= (_number(cell) or (0,))[0] <= MOST for cell in cells)
    return _most(head, cells) < MOST or any(is_other)


def _most(head: str, cells: Sequence[str]) -> float:
    """The highest mean that a column may have; without an upper limit it is not a percentage unless it says so."""
    return 1 if is_unbounded(head) and not any("%" in _bare(cell) for cell in cells) else MOST


def _filled(cells: Sequence[str]) -> list[str]:
    return [cell for cell in cells if _plain(cell).lower() not in NOTHING]


def _column(
    head: str, cells: Sequence[tuple[int, str]], systems: Sequence[str], name: str
) -> tuple[dict[str, Mean], bool]:
    """The means of one column, and whether they are percentages."""
    numbers: dict[str, tuple[float, float]] = {}
    is_percent, most = False, _most(head, [cell for _, cell in cells])
    for system, (line, cell) in zip(systems, cells, strict=True):
        if _plain(cell).lower() in NOTHING:
            continue
        number = _number(cell)
        if number is None:
            raise InputError(
                "{cell!r} in column {head} is no number", name, line or None, cell=truncated(cell), head=head
            )
        if not 0 <= number[0] <= most:
            raise InputError(
                "{cell!r} in column {head} is no mean from 0 to 1, nor a percentage",
                name,
                line or None,
                cell=truncated(cell),
                head=head,
            )
        numbers[system] = number
        is_percent |= number[0] > 1 or "%" in _bare(cell)
    scale = 0.01 if is_percent else 1.0
    return {system: Mean(value * scale, unit * scale) for system, (value, unit) in numbers.items()}, is_percent


def _plain(cell: str) -> str:
    """A cell without markup."""
    return " ".join(_MARKUP.sub(lambda match: match[1] or "", cell).split())


def _bare(cell: str) -> str:
    """The content of a cell without markup, superscripts, subscripts, brackets, and anything after a ±."""
    return _plain(_RAISED.sub("", _RAISED.sub("", cell.replace(r"\%", "%"))))


def _number(cell: str) -> tuple[float, float] | None:
    """The number in a cell and what its last digit is worth; letters and signs around it are dropped.

    >>> _number("**0.412**†"), _number("$41.2_{\\\\pm 0.3}^{ab}$"), _number("BM25")
    ((0.412, 0.001), (41.2, 0.1), None)
    >>> _number("0,412"), _number("1,234"), _number("4.1e-3"), _number("0.41 [0.40, 0.43]")
    ((0.412, 0.001), (1234.0, 1.0), (0.0041, 0.0001), (0.41, 0.01))
    """
    bare = _THOUSANDS.sub(lambda match: match[0].replace(",", ""), _bare(cell))
    match = _NUMBER.match(bare.replace(",", ".") if bare.count(",") == 1 and "." not in bare else bare)
    if match is None or _SIZE.match(bare):
        return None
    power = int(match[2] or 0)
    value = float(f"{match[1]}e{power}")
    return (value, float(f"1e{power - len(match[1].partition('.')[2])}")) if math.isfinite(value) else None
