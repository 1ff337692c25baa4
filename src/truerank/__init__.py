"""truerank: whether a retrieval system finds the right things, how sure that is, and how fast it answers.

A ranking is its hits: where the judged documents came back. A run is read once into that table (`hits.py`), a
measure is a few lines over it (`measures/binary.py`), `evaluate.py` puts both together, and all else stands on it.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from truerank.bench import Bench, bench, interleave
    from truerank.bench.sweep import sweep
    from truerank.bounds import Bounds, bounds, judge_next
    from truerank.check import Check, check
    from truerank.compare import Comparison, compare
    from truerank.compare.agreement import Agreement, agreement
    from truerank.errors import InputError, MeasureError, MissingPackage, RulesError, TruerankError
    from truerank.evaluate import evaluate, rank
    from truerank.explain import Explanation, explain, moved
    from truerank.formats import open_run, read_qrels
    from truerank.hits import Hits
    from truerank.measures import Measure, measure, measures, parse_measure, unregister
    from truerank.qrels import Qrels
    from truerank.report.making import write_report
    from truerank.rules import Rules
    from truerank.run import Run
    from truerank.scores import Ledger, Scores

__version__ = "0.1.0"

__all__ = [
    "Agreement",
    "Bench",
    "Bounds",
    "Check",
    "Comparison",
    "Explanation",
    "Hits",
    "InputError",
    "Ledger",
    "Measure",
    "MeasureError",
    "MissingPackage",
    "Qrels",
    "Rules",
    "RulesError",
    "Run",
    "Scores",
    "TruerankError",
    "agreement",
    "bench",
    "bounds",
    "check",
    "compare",
    "evaluate",
    "explain",
    "interleave",
    "judge_next",
    "measure",
    "measures",
    "moved",
    "open_run",
    "parse_measure",
    "rank",
    "read_qrels",
    "sweep",
    "unregister",
    "write_report",
]

_HOMES = {
    "bench": ("Bench", "bench", "interleave", "sweep"),
    "bounds": ("Bounds", "bounds", "judge_next"),
    "check": ("Check", "check"),
    "compare": ("Comparison", "compare"),
    "compare.agreement": ("Agreement", "agreement"),
    "errors": ("InputError", "MeasureError", "MissingPackage", "RulesError", "TruerankError"),
    "evaluate": ("evaluate", "rank"),
    "explain": ("Explanation", "explain", "moved"),
    "formats": ("open_run", "read_qrels"),
    "hits": ("Hits",),
    "measures": ("Measure", "measure", "measures", "parse_measure", "unregister"),
    "qrels": ("Qrels",),
    "report.making": ("write_report",),
    "rules": ("Rules",),
    "run": ("Run",),
    "scores": ("Ledger", "Scores"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


class _Package(ModuleType):
    """Imports a public name when it is first used: `truerank --help` need not wait for NumPy."""

    def __getattr__(self, name: str) -> Any:
        if name not in _HOME:
            raise AttributeError(f"module 'truerank' has no attribute {name!r}")
        value = getattr(import_module(f"truerank.{_HOME[name]}"), name)
        setattr(self, name, value)
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        # Importing the module truerank.evaluate would bind it here, over the function of that name.
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted([*__all__, *(name for name in super().__dir__() if name.startswith("__"))])


sys.modules[__name__].__class__ = _Package
