"""Templates and what they need. Everything is escaped; nothing is inline."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from gettext import NullTranslations
from typing import Any

from fastapi import Request
from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context, select_autoescape
from jinja2.runtime import Context
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse, Response

from truerank import __version__
from truerank.board.pages import kinds
from truerank.board.pages.axes import numbers
from truerank.board.pages.history import plot
from truerank.board.pages.rules import faults, measure_in_words, rules_in_words
from truerank.board.pages.ties import first_place, moves, rivals, slots
from truerank.board.service import service_of
from truerank.board.settings import BoardSettings
from truerank.board.upload import shown_size
from truerank.core.languages import SOURCE, catalogue, languages
from truerank.core.messages import Message, plural
from truerank.present import palette
from truerank.present.lines import named_cell
from truerank.present.table import as_text, drawn_digits

LANGUAGE = "truerank-lang"


@lru_cache(maxsize=64)
def environment(language: str = SOURCE) -> Environment:
    """The templates in a language."""
    made = Environment(
        loader=PackageLoader("truerank.board", "pages"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"moment": _moment, "digits": _digits, "size": shown_size, "apart": _apart, "share": _share}
    made.filters |= {"bare": _bare, "until": _until}
    parts = (faults, numbers, plot, slots, first_place, rivals, moves, rules_in_words, measure_in_words, unplaced)
    made.globals |= {part.__name__: part for part in parts}
    made.globals |= {name: table for name, table in vars(kinds).items() if name.isupper()}
    voice = Voice(NullTranslations() if language == SOURCE else catalogue(language))
    made.globals |= {"_": voice.text, "ngettext": voice.counted, "languages": _named}
    made.globals |= {"version": __version__, "language": language, "palette_mark": palette.mark}
    return made


@dataclass(frozen=True)
class Voice:
    """What templates say, by a catalogue.

    >>> voice = Voice(NullTranslations())
    >>> voice.text("{team} is first", team="<b>"), voice.counted("{n} team", "{n} teams", 2)
    (Markup('&lt;b&gt; is first'), Markup('2 teams'))
    """

    catalogue: NullTranslations

    def text(self, text: str, /, **values: object) -> Markup:
        """A message, or a literal with its values, which are escaped."""
        if isinstance(text, Message):
            return escape(text.into(self.catalogue))
        return self._filled(self.catalogue.gettext(text) if text else "", values)

    def counted(self, one: str, many: str, n: int, **values: object) -> Markup:
        """A literal that depends on a number."""
        return self._filled(self.catalogue.ngettext(one, many, n), {"n": n, **values})

    def _filled(self, text: str, values: dict[str, object]) -> Markup:
        into = self.catalogue
        own = {key: value.into(into) if isinstance(value, Message) else value for key, value in values.items()}
        return escape(text).format(**own) if own else escape(text)


@lru_cache(maxsize=64)
def _name(language: str) -> str:
    """What speakers of a language call it.

    >>> _name("en"), _name("ko"), _name("x-none")
    ('English', '한국어', 'x-none')
    """
    from babel import Locale, UnknownLocaleError

    try:
        return Locale.parse(language).display_name or language
    except (UnknownLocaleError, ValueError):
        return language


def _named() -> list[tuple[str, str]]:
    return [(language, _name(language)) for language in languages()]


def unplaced(text: str) -> str:
    """What a finding says, without the line where it is: the page shows its lines beside it.

    >>> from truerank.core.messages import message
    >>> unplaced(message("line {line}: {what}", line=7, what="it is no JSON")), unplaced("the file is empty")
    ('it is no JSON', 'the file is empty')
    """
    what: str = text.values.get("what", text) if isinstance(text, Message) else text
    return what


def _moment(at: datetime) -> Markup:
    """A time that machines can read too."""
    day, rest = _bare(at).split(" ", 1)
    whole = Markup('<time datetime="{}"><span>{}</span> <span>{}</span></time>')
    return whole.format(at.isoformat(timespec="seconds"), day, rest)


def _bare(at: datetime) -> str:
    """A time as text, in its own zone.

    >>> from datetime import timedelta, timezone
    >>> _bare(datetime(2030, 1, 31, 9, 0, tzinfo=timezone(timedelta(hours=9))))
    '2030-01-31 09:00 UTC+09:00'
    """
    return f"{at:%Y-%m-%d %H:%M} {at.tzname() if not at.utcoffset() else 'UTC' + at.isoformat()[-6:]}"


def _until(at: datetime, now: float) -> Message | str:
    """How long until then, in the largest unit that fits; empty when it is past.

    >>> from datetime import timezone
    >>> _until(datetime.fromtimestamp(7200, timezone.utc), 0)
    'in 2 hours'
    >>> _until(datetime.fromtimestamp(2305843009, timezone.utc), 0)
    'in 26,687 days'
    """
    seconds = at.timestamp() - now
    if seconds >= 2 * 86400:
        return plural("in {n:,} day", "in {n:,} days", n=int(seconds // 86400))
    if seconds >= 2 * 3600:
        return plural("in {n} hour", "in {n} hours", n=int(seconds // 3600))
    return plural("in {n} minute", "in {n} minutes", n=int(seconds // 60)) if seconds >= 120 else ""


@pass_context
def _digits(context: Context, number: float, measure: str = "", board: BoardSettings | None = None) -> str:
    """A value with the digits that its board shows; a host's are not rounded, and have four at least.

    Args:
        measure: whose value it is, where that may be a count.
        board: whose value it is, on a page of several boards.
    """
    settings, team = board or context.get("settings"), context.get("team")
    digits = drawn_digits(settings.digits if settings else None)
    digits = max(digits, 4) if team and team.is_host else digits
    return as_text(named_cell(measure, number) if measure else number, digits)


def _share(part: float) -> str:
    """A share in per cent.

    >>> _share(0.3), _share(1 / 3)
    ('30%', '33.3%')
    """
    return f"{round(100 * part, 1):g}%"


def _apart(value: object) -> Markup:
    """A name within a sentence, apart from the direction in which the sentence is written.

    >>> _apart("<b>")
    Markup('<bdi>&lt;b&gt;</bdi>')
    """
    return Markup("<bdi>{}</bdi>").format(value)


def chosen(asked: str | None, accepted: str | None) -> str:
    """The language to answer in.

    Args:
        asked: ?lang= or what a cookie remembers.
        accepted: the Accept-Language header.

    >>> chosen(None, "fr-CA, ko-KR;q=0.8, en;q=0.3"), chosen("en", "ko"), chosen("xx", None)
    ('ko', 'en', 'en')
    """
    known = languages()
    if asked in known:
        return str(asked)
    return next((word for word in _by_preference(accepted or "") if word in known), SOURCE)


def _by_preference(header: str) -> Iterable[str]:
    weighted = []
    for place, entry in enumerate(header.split(",")[:20]):
        word, _, rest = entry.partition(";")
        _, _, weight = rest.partition("q=")
        try:
            weighted.append((-float(weight or 1), place, word.strip().lower().partition("-")[0]))
        except ValueError:
            continue
    return [word for _, _, word in sorted(weighted)]


def render(request: Request, template: str, values: dict[str, Any], status: int = 200) -> Response:
    """A page in the viewer's language; ?lang= is remembered."""
    asked = request.query_params.get("lang")
    language = chosen(asked or request.cookies.get(LANGUAGE), request.headers.get("accept-language"))
    service = service_of(request)
    given = {
        "path": request.url.path,
        "origin": f"{request.url.scheme}://{request.url.netloc}",
        "site": service.settings.title,
        "takes_registrations": service.settings.registration,
        "now": service.clock(),
        **values,
        "team": values["team"] or getattr(request.state, "team", None),
    }
    answer = HTMLResponse(environment(language).get_template(template).render(given), status)
    answer.headers["Vary"] = "Accept-Language, Cookie"
    answer.headers["Content-Language"] = language
    if asked == language:
        answer.set_cookie(LANGUAGE, language, max_age=31536000, samesite="lax", httponly=True, path="/")
    return answer
