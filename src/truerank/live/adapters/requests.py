"""A request with places for the query and k: URL, method, JSON body, headers."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

import orjson

from truerank.core.errors import InputError

SECRET = (
    "[^=&#]*(?:token|secret|passw|signature|credential|apikey)[^=&#]*|(?:[^=&#]*[_-])?(?:key|sig|pwd|auth|code)"
)
"""Names of parameters whose values are nobody's business."""

Headers = Mapping[str, str] | Sequence[str]


@dataclass(frozen=True)
class Request:
    """What is asked of an endpoint; {query} and {k} stand for what changes.

    Attributes:
        url: http or https; the query goes into it percent-encoded.
        shown: the URL as it may be told: as it was written, without user and password, and without the values of
            parameters that are called like secrets.
        method: in capitals.
        body: parsed JSON, or None for no body.
    """

    url: str
    method: str
    body: Any = None
    shown: str = ""

    @staticmethod
    def of(url: str, method: str | None, body: Any) -> Request:
        """A request from what a user wrote; ${NAME} in the URL and the body comes from the environment.

        Raises:
            InputError: another scheme, no host, no {query}, a body that is no JSON, or a name that the environment
                does not have.
        """
        _check(url)
        template = _parsed(body) if isinstance(body, str) else body
        verb = (method or ("GET" if body is None else "POST")).upper()
        if not verb.isalpha():
            raise InputError("a method is a word such as GET or POST, not {method!r}", method=method)
        request = Request(filled_in(url), verb, _each_text(template, filled_in), _discreet(url))
        if not request.has("{query}"):
            raise InputError(
                "{url}: neither the URL nor the body has {{query}}, where the query goes", url=request.shown
            )
        return request

    def has(self, place: str) -> bool:
        """Whether {query} or {k} stands anywhere in it."""
        return place in self.url or place in orjson.dumps(self.body).decode()

    def filled(self, query: str, k: int) -> dict[str, Any]:
        """What an HTTP client is told, for one query.

        >>> Request("http://localhost/?q={query}&n={k}", "GET").filled("tea & milk", 3)["url"]
        'http://localhost/?q=tea%20%26%20milk&n=3'
        """
        url = self.url.replace("{k}", str(k)).replace("{query}", quote(query, safe=""))
        if self.body is None:
            return {"method": self.method, "url": url}
        content = orjson.dumps(_each_text(self.body, lambda text: _placed(text, query, k)))
        return {"method": self.method, "url": url, "content": content}

    def headers(self, given: Mapping[str, str]) -> dict[str, str]:
        """The headers of all requests: those that are given, and what the body is unless they say it."""
        is_said = self.body is None or any(name.lower() == "content-type" for name in given)
        return {**({} if is_said else {"content-type": "application/json"}), **given}


def _check(url: str) -> None:
    """Whether it is a URL that can be asked."""
    try:
        parts = urlsplit(url)
        is_endpoint = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError as error:  # brackets without an end, or a port that is none
        raise InputError("{url}: this is no URL: {error}", url=_discreet(url), error=error) from None
    if not is_endpoint:
        raise InputError("{url}: an endpoint is http://HOST… or https://HOST…", url=_discreet(url))


def _discreet(url: str) -> str:
    """The URL without user and password, and without the values of parameters that are called like secrets."""
    public = re.sub(r"(?<=://)[^/?#]*@", "", url)
    return re.sub(rf"([?&](?:{SECRET})=)(?!{{)[^&#]*", r"\1…", public, flags=re.IGNORECASE)


def _parsed(body: str) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise InputError(
            'the body is not JSON ({error}); "{{k}}" in quotes becomes a number: {body}', error=error, body=body
        ) from None


def _each_text(value: Any, change: Callable[[str], Any]) -> Any:
    """JSON with each text in it, but no key, changed."""
    if isinstance(value, dict):
        return {key: _each_text(inner, change) for key, inner in value.items()}
    if isinstance(value, list):
        return [_each_text(inner, change) for inner in value]
    return change(value) if isinstance(value, str) else value


def _placed(text: str, query: str, k: int) -> str | int:
    return k if text == "{k}" else text.replace("{k}", str(k)).replace("{query}", query)


def from_environment(headers: Headers) -> dict[str, str]:
    """Headers by name, ${NAME} in their values replaced from the environment.

    Raises:
        InputError: a header is not "Name: value", or the environment has no such name.
    """
    pairs = headers.items() if isinstance(headers, Mapping) else map(_split, headers)
    sent = {name: filled_in(value) for name, value in pairs}
    for name, value in sent.items():
        if not (f"{name}{value}".isascii() and f"{name}{value}".isprintable()):
            raise InputError("the header {name!r} has a character that headers cannot have", name=name)
    return sent


def filled_in(text: str) -> str:
    """The text, each ${NAME} in it replaced from the environment.

    Raises:
        InputError: the environment has no such name.
    """
    return re.sub(r"\$\{(\w+)\}", _variable, text)


def _split(header: str) -> tuple[str, str]:
    name, colon, value = header.partition(":")
    if not colon or not name.strip():
        raise InputError("a header is 'Name: value', not {name!r}", name=name)
    return name.strip(), value.strip()


def _variable(match: re.Match[str]) -> str:
    if match[1] not in os.environ:
        raise InputError("the request needs ${{{name}}}, which the environment does not have", name=match[1])
    return os.environ[match[1]]
