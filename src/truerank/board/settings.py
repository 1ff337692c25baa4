"""board.toml: which contests there are, and how each is run. Paths are beside the file."""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone, tzinfo
from pathlib import Path
from typing import Any

from truerank.board.errors import BoardError, of_board
from truerank.core.errors import InputError
from truerank.core.messages import Message, did_you_mean, joined, message
from truerank.core.schema import (
    ANYTHING,
    LIST,
    NUMBER,
    POSITIVE,
    TEXT,
    TRUTH,
    Kind,
    is_number,
    is_whole,
    number,
    read_toml,
    whole,
    written_toml,
)

VISIBLE = ("everyone", "teams", "hosts")
"""Who may see a board."""

REVEAL = ("score", "measures", "queries")
"""What a team sees of its own submission: the score that ranks, all measures, every public query's value."""

SCORES = ("strict", "official")

ACCEPTABLE = ("missing-id", "too-many", "repeated-line", "repeated-document", "unknown-id")
"""Findings that a board may let pass; the strict score makes nothing of them."""

LEAST_MEMORY = 512 << 20
"""Bytes of a worker, which needs most of them before it reads anything."""

_UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


@dataclass(frozen=True, kw_only=True)
class BoardSettings:
    """One contest.

    Attributes:
        name: in addresses: small letters, digits and hyphens.
        rules: a preset's name or a rules file.
        truth: the hidden qrels; without it a host uploads them.
        queries: a file with the published queries: JSON lines, JSON, a table or one id per line; else the truth's.
        measures: what is evaluated; by default what the rules name.
        rank_by: the measure that ranks; the first one by default.
        score: whether the strict or the official score ranks.
        accept: findings that do not make a submission invalid.
        opens, closes: when submissions are taken.
        per_day, total: how many valid submissions a team has.
        zone: the time zone in which a day begins.
        upload, unpacked: the most bytes of a submission, as sent and decompressed.
        members: of how many compressed pieces (members of gzip, frames of zstd) a file may consist; 50,000 are 3 GB
            in the blocks of 64 KB that parallel packers write.
        ids: the most results that one line or query of JSON may list.
        public: the share of queries whose score is shown before closing; rounded to whole queries.
        ladder: None, a step (a new best shows only when it is higher by more than this, and rounded to a multiple
            of it), or 0 for the parameter-free Ladder (when the improvement exceeds its standard error, and rounded
            to a multiple of 1 by the number of public queries).
        digits: scores are shown and ranked rounded to this many digits.
        visible: who sees the board.
        reveal: what a team sees of its own submissions.
        finals: how many entries a team may choose to count at the end; None: its best public one counts.
        download: a file with the queries that everybody who sees the board may have, from when it opens.
    """

    name: str
    title: str = ""
    about: str = ""
    rules: str = "truerank"
    truth: Path | None = None
    queries: Path | None = None
    measures: tuple[str, ...] = ()
    rank_by: str = ""
    score: str = "strict"
    accept: tuple[str, ...] = ("missing-id", "too-many")
    opens: datetime | None = None
    closes: datetime | None = None
    per_day: int = 5
    total: int = 100
    zone: str = "UTC"
    upload: int = 256 * 10**6
    unpacked: int = 2 * 10**9
    members: int = 50_000
    ids: int = 100_000
    public: float = 1.0
    ladder: float | None = None
    digits: int | None = None
    visible: str = "everyone"
    reveal: str = "measures"
    finals: int | None = None
    download: Path | None = None

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,62}", self.name):
            raise self.wrong("name", message("small letters, digits and hyphens"), self.name)
        for field, choices in (("visible", VISIBLE), ("reveal", REVEAL), ("score", SCORES)):
            if getattr(self, field) not in choices:
                wanted = message("one of {choices}", choices=", ".join(choices))
                raise self.wrong(field, wanted, getattr(self, field))
        for kind in self.accept:
            if kind not in ACCEPTABLE:
                raise self.wrong("accept", message("a list of {kinds}", kinds=", ".join(ACCEPTABLE)), kind)
        if not 0 < self.public <= 1:
            raise self.wrong("public", message("a share above 0 and up to 1"), self.public)
        if self.ladder is not None and not 0 <= self.ladder < 1:
            wanted = message("a step from 0 to 1, or 0 for the parameter-free Ladder")
            raise self.wrong("ladder", wanted, self.ladder)
        if self.digits is not None and not 0 <= self.digits <= 15:
            raise self.wrong("digits", message("from 0 to 15"), self.digits)
        if self.finals is not None and self.finals < 1:
            raise self.wrong("finals", message("a positive whole number"), self.finals)
        if self.download and self.truth and self.download.resolve() == self.truth.resolve():
            wanted = message("the queries, and not the hidden truth")
            raise self.wrong("download", wanted, str(self.download))
        _zone(self.zone)
        if self.opens and self.closes and self.opens >= self.closes:
            raise self.wrong(
                "closes", message("later than opens ({opens})", opens=written_toml(self.opens)), self.closes
            )

    def wrong(self, field: str, wanted: Message, given: object) -> BoardError:
        """The error for a field that holds something else than it should."""
        said = message("{field} is {wanted}; not {given}", field=field, wanted=wanted, given=written_toml(given))
        return of_board(self.name, said)

    @property
    def hides(self) -> bool:
        """Whether single submissions' own scores stay hidden, so that they cannot be searched by."""
        return self.ladder is not None

    @property
    def clock(self) -> tzinfo:
        """The time zone whose midnight begins a day."""
        return _zone(self.zone)


@dataclass(frozen=True, kw_only=True)
class ServiceSettings:
    """The service and its boards.

    Attributes:
        path: of board.toml.
        data: the directory of submissions and, by default, the database.
        database: an address such as sqlite:///board.sqlite or postgresql+psycopg://…
        workers: processes that audit and score; 0 does it in a thread.
        memory: bytes that one of them may use.
        seconds: that auditing or scoring one submission may take by the clock.
        processor: seconds of processor time for auditing and scoring one submission, or for one check.
        team_processor: seconds of processor time that a team has an hour, checks included.
        waiting: submissions of one team that wait to be scored at once.
        patience: seconds that a request waits for its score; then it is answered with where to look.
        uploads: how many are received at once; more wait.
        registration: whether anybody may ask for an account, which a host then approves.
        is_secure: whether the service is reached by https, so that cookies are sent by nothing else.
    """

    path: Path
    boards: tuple[BoardSettings, ...]
    data: Path
    database: str
    title: str = "truerank"
    workers: int = 2
    memory: int = 4 << 30
    seconds: float = 300.0
    processor: float = 60.0
    team_processor: float = 600.0
    waiting: int = 20
    patience: float = 10.0
    uploads: int = 32
    registration: bool = False
    is_secure: bool = False

    def board(self, name: str) -> BoardSettings | None:
        """The board of this name."""
        return next((board for board in self.boards if board.name == name), None)


def load(path: Path, database: str | None = None) -> ServiceSettings:
    """The settings in a board.toml.

    Args:
        database: the address to use in place of the file's.

    Raises:
        BoardError: the file cannot be read, or a setting is not what it should be.
    """
    values = parsed(path)
    boards = values.pop("boards", [])
    if not isinstance(boards, list) or not boards or not all(isinstance(board, dict) for board in boards):
        said = message("there is no board; write one as [[boards]] with name, rules and truth")
        raise BoardError(joined(": ", [str(path), said]))
    folder = path.resolve().parent
    _refuse_unknown(values, OF_SERVICE, OF_BOARD, message(" It goes below [[boards]]."), str(path))
    _check_above(values, path)
    data = folder / _text(values.pop("data", "data"), "data")
    address = database or _text(values.pop("database", f"sqlite:///{data / 'board.sqlite'}"), "database")
    values.pop("database", None)
    if "memory" in values:
        values["memory"] = _size(values["memory"], "memory", LEAST_MEMORY)
    made = tuple(_board(board, folder) for board in boards)
    if twice := {board.name for board in made if sum(other.name == board.name for other in made) > 1}:
        said = message("two boards are called {name!r}", name=twice.pop())
        raise BoardError(joined(": ", [str(path), said]))
    return ServiceSettings(path=path.resolve(), boards=made, data=data, database=address, **values)


_SECONDS = number(message("a number of seconds from 1"), 1)

ABOVE: dict[str, Kind] = {
    "title": TEXT,
    "workers": whole(message("a whole number"), 0),
    "seconds": Kind(message("a number above 0"), lambda value: is_number(value) and value > 0),
    "processor": _SECONDS,
    "team_processor": _SECONDS,
    "waiting": POSITIVE,
    "patience": number(message("a number from 0"), 0),
    "uploads": POSITIVE,
    "registration": TRUTH,
    "is_secure": TRUTH,
}
"""What may stand above the boards."""

OF_SERVICE = {*ABOVE, "data", "database", "memory"}

OF_BOARD = {field.name for field in dataclasses.fields(BoardSettings)}


def _check_above(values: Mapping[str, Any], path: Path) -> None:
    for key, value in values.items():
        ABOVE.get(key, ANYTHING).checked(f"{path}: {key}", value, BoardError, written_toml)


def parsed(path: Path) -> dict[str, Any]:
    """What a board.toml says, not yet looked at.

    Raises:
        BoardError: it cannot be read.
    """
    try:
        return read_toml(path, message("the settings"), message("; `truerank board init` writes them"))
    except InputError as error:
        raise BoardError(joined("", [error.where, error.said])) from None


def _board(fields: Mapping[str, Any], folder: Path) -> BoardSettings:
    name = _text(fields.get("name", ""), "name")
    where = message("board {name!r}", name=name)
    types = {field.name: str(field.type) for field in dataclasses.fields(BoardSettings)}
    _refuse_unknown(fields, OF_BOARD, OF_SERVICE, message(" It goes above the boards."), where)
    made = {key: _value(key, types[key], value, folder, where) for key, value in fields.items()}
    rules = made.get("rules", "")
    if rules.endswith(".toml"):
        made["rules"] = str(folder / rules)
    for end in ("opens", "closes"):
        moment = made.get(end)
        if moment and moment.tzinfo is None:
            made[end] = moment.replace(tzinfo=_zone(made.get("zone", "UTC")))
    return BoardSettings(**{"name": name, **made})


def _value(key: str, kind: str, value: Any, folder: Path, where: str) -> Any:
    """A setting as the field takes it."""
    what = joined(": ", [where, key])
    if kind == "Path | None":
        return folder / _text(value, what)
    if kind == "tuple[str, ...]":
        entries = [value] if isinstance(value, str) else LIST.checked(what, value, BoardError, written_toml)
        return tuple(_text(entry, what) for entry in entries)
    if key in ("upload", "unpacked"):
        return _size(value, what)
    return OF_BOARDS[kind].checked(what, value, BoardError, written_toml)


OF_BOARDS: dict[str, Kind] = {
    "str": TEXT,
    "int": POSITIVE,
    "int | None": whole(message("a whole number"), -sys.maxsize),
    "float": NUMBER,
    "float | None": NUMBER,
    "datetime | None": Kind(
        message("a time such as 2030-01-31T09:00:00Z"), lambda value: isinstance(value, datetime)
    ),
}
"""What a board's settings may be, by the types of their fields."""


def _refuse_unknown(
    fields: Mapping[str, Any], known: set[str], elsewhere: set[str], place: Message, where: str
) -> None:
    """Raise where a setting is none here; of one that has its place elsewhere say which."""
    for key in fields:
        if key not in known:
            hint = place if key in elsewhere else did_you_mean(key, known)
            settings = ", ".join(sorted(known))
            said = message(
                "there is no setting {key!r}.{hint} Settings: {settings}",
                key=key,
                hint=hint,
                settings=settings,
            )
            raise BoardError(joined(": ", [where, said]))


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise BoardError("{what} is text; not {value}", what=what, value=written_toml(value))
    return value


def _size(value: Any, what: str, least: int = 1) -> int:
    """Bytes from a number or from text such as "256 MB"."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]+)\s*", value) if isinstance(value, str) else None
    if match and match[2] in _UNITS:
        size = int(float(match[1]) * _UNITS[match[2]])
    elif is_whole(value):
        size = int(value)
    else:
        raise BoardError("{what} is a size such as '256 MB'; not {value}", what=what, value=written_toml(value))
    if size < least:
        raise BoardError(
            "{what} is at least {least:,} bytes; not {value}", what=what, least=least, value=written_toml(value)
        )
    return size


def _zone(name: str) -> tzinfo:
    if name == "UTC":
        return timezone.utc
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        said = message("zone is a time zone such as UTC or Asia/Seoul; not {name}", name=written_toml(name))
        raise BoardError(said) from None
