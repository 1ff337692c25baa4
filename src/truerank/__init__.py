"""truerank: whether a retrieval system finds the right things, how sure that is, and how fast it answers.

A ranking is its hits: where the judged documents were returned. A run is read once into that table
(`core/hits.py`), a measure is a few lines over it (`measures/binary.py`), `core/evaluate.py` puts both together,
and all else stands on it.
"""

import re
from typing import Any

__version__ = "0.1.0"

_STUB = __spec__.loader.get_data(f"{__file__}i").decode()  # type: ignore[union-attr]  # __init__.pyi beside it
_HOME = {name: module for module, name in re.findall(r"^from (\S+) import (\w+) as", _STUB, re.M)}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    """A public name, imported when it is first used: `truerank --help` need not wait for NumPy (PEP 562)."""
    if name not in _HOME:
        return _measure(name)
    value = getattr(__import__(_HOME[name], fromlist=[name]), name)  # may be a module, as spark is
    return globals().setdefault(name, value)  # the package `measures` binds itself, and can be called


def _measure(name: str) -> Any:
    """A registered measure as a value: `tr.nDCG @ 10`. Modules are asked for here first."""
    from importlib.util import find_spec

    hint = ""
    if name.isidentifier() and not name.startswith("_") and not (name.islower() and find_spec(f"truerank.{name}")):
        from truerank.core.messages import did_you_mean
        from truerank.measures.registry import find, measure_named, measures

        if found := measure_named(name):
            return found
        known = find(name)
        hint = did_you_mean(known[0].name if known else name, [*__all__, *measures()])
    raise AttributeError(f"module 'truerank' has no attribute {name!r}.{hint}")


def __dir__() -> list[str]:
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])
