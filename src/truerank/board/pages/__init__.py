"""Templates and what they need. Everything is escaped; nothing is inline."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from typing import Any

from fastapi import Request
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse, Response

from truerank import __version__
from truerank.board.pages.axes import numbers
from truerank.board.pages.findings import told
from truerank.board.pages.history import plot
from truerank.board.pages.sentences import faults, measure_in_words, rules_in_words
from truerank.board.pages.ties import first_place, moves, rivals, slots
from truerank.board.texts import LANGUAGES, Words, chosen
from truerank.board.upload import shown_size
from truerank.present import palette

LANGUAGE = "truerank-lang"


@lru_cache(maxsize=1)
def environment() -> Environment:
    """The templates."""
    made = Environment(
        loader=PackageLoader("truerank.board", "pages"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"moment": _moment, "digits": _digits, "size": shown_size, "fill": _fill, "share": _share}
    made.filters |= {"bare": _bare, "until": _until}
    parts = (faults, numbers, plot, slots, first_place, rivals, moves, rules_in_words, measure_in_words, told)
    made.globals |= {part.__name__: part for part in parts}
    made.globals |= {"version": __version__, "languages": LANGUAGES, "palette_mark": palette.mark}
    return made


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


def _until(at: datetime, now: float, t: Words) -> str:
    """How long until then, in the largest unit that fits; empty when it is past.

    >>> from datetime import timezone
    >>> _until(datetime.fromtimestamp(7200, timezone.utc), 0, Words("en"))
    'in 2 hours'
    """
    seconds = at.timestamp() - now
    units = (("in-days", 86400), ("in-hours", 3600), ("in-minutes", 60))
    return next((t(key).format(int(seconds // unit)) for key, unit in units if seconds >= 2 * unit), "")


def _digits(number: float, digits: int = 4) -> str:
    return f"{number:.{digits}f}"


def _share(part: float) -> str:
    """A share in per cent.

    >>> _share(0.3), _share(1 / 3)
    ('30%', '33.3%')
    """
    return f"{round(100 * part, 1):g}%"


def _fill(sentence: str, *given: object, **named: object) -> Markup:
    """A sentence with things filled in, each apart from the direction in which the sentence is written.

    >>> _fill("{team} is first", team="<b>")
    Markup('<bdi>&lt;b&gt;</bdi> is first')
    """
    apart = Markup("<bdi>{}</bdi>")
    return escape(sentence).format(
        *(apart.format(value) for value in given), **{key: apart.format(value) for key, value in named.items()}
    )


def render(request: Request, template: str, values: dict[str, Any], status: int = 200) -> Response:
    """A page in the viewer's language; ?lang= is remembered."""
    asked = request.query_params.get("lang")
    language = chosen(asked or request.cookies.get(LANGUAGE), request.headers.get("accept-language"))
    service = request.app.state.service
    given = {
        "t": Words(language),
        "path": request.url.path,
        "origin": f"{request.url.scheme}://{request.url.netloc}",
        "site": service.settings.title,
        "takes_registrations": service.settings.registration,
        "now": service.clock(),
        **values,
        "team": values["team"] or getattr(request.state, "team", None),
    }
    answer = HTMLResponse(environment().get_template(template).render(given), status)
    answer.headers["Vary"] = "Accept-Language, Cookie"
    answer.headers["Content-Language"] = language
    if asked in LANGUAGES:
        answer.set_cookie(LANGUAGE, language, max_age=31536000, samesite="lax", httponly=True, path="/")
    return answer
