"""The pytest fixture `truerank`: gates on scores and latencies as assertions.

pytest imports this file in every project that it runs in, so that nothing but pytest is imported at its top.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import pytest

if TYPE_CHECKING:
    from truerank.analysis.check import Check
    from truerank.analysis.compare.slices import Attribute
    from truerank.measures import MeasuresLike


class UndecidedWarning(UserWarning):
    """A gate can neither be said to hold nor to fail: more queries are needed, or a wider margin."""


class Gates:
    """What the fixture `truerank` is.

    >>> found = Gates().check({"nDCG@10": 0.41}, min={"nDCG@10": 0.4})
    >>> found.outcome
    'pass'
    """

    def check(
        self,
        scores: Any = None,
        *,
        min: Mapping[str, Any] | None = None,
        max: Mapping[str, Any] | None = None,
        no_worse_than: Any = None,
        margin: float | Mapping[str, float] = 0.0,
        measures: MeasuresLike | None = None,
        bench: Any = None,
        sure: bool = False,
        strict: bool = False,
        confidence: float | None = None,
        samples: int = 10_000,
        seed: int = 0,
        percentiles: str | None = None,
        watch: str | os.PathLike[str] | None = None,
        looks: Literal["new", "same"] | None = None,
        range: Mapping[str, str] | None = None,
        by: Attribute | str | None = None,
        by_name: str = "slice",
        slices: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> Check:
        """Assert that every gate holds; the arguments are those of `truerank.check`.

        Args:
            strict: undecided is a failure too, and not only a warning.
            confidence: of the intervals; None: 0.95, or that of the first look.
            watch: a file of looks, which this one is added to whatever comes of it; then intervals decide that hold
                at all looks together.
            looks: what each look brings, said at the first: "new" queries, or the "same" and another system.
            range: {measure: "LOW:HIGH"} of measures that can lie outside of 0 to 1, for `watch`.

        Raises:
            AssertionError: a gate failed; the message has a line for each that does not hold.
            TruerankError: the gates, or what they are about, make no sense.
        """
        __tracebackhide__ = True
        from truerank.analysis.check import Settings, check
        from truerank.analysis.check.settings import watched
        from truerank.core.errors import TruerankError
        from truerank.present.check import failures

        path = None if watch is None else os.fspath(watch)
        try:
            settings = Settings(watch=path, looks=looks, range=range or {}, confidence=confidence)
            checked = check(
                scores,
                min=min,
                max=max,
                no_worse_than=no_worse_than,
                margin=margin,
                measures=measures,
                bench=bench,
                sure=sure,
                confidence=0.95 if confidence is None else confidence,
                samples=samples,
                seed=seed,
                percentiles=percentiles,
                watch=watched(settings),
                by=by,
                by_name=by_name,
                slices=slices,
            )
            if checked.watch and path:
                checked.watch.write(path)
        except TruerankError as wrong:
            raise wrong.with_traceback(None) from None  # the test's own line is where it went wrong
        text = "\n".join(failures(checked))
        if checked.outcome == "fail" or (strict and checked.outcome == "undecided"):
            raise AssertionError(text)
        if checked.outcome == "undecided":
            warnings.warn(text, UndecidedWarning, stacklevel=2)
        return checked


@pytest.fixture(scope="session")
def truerank() -> Gates:
    """Gates on scores: truerank.check(scores, min={"nDCG@10": 0.4}, no_worse_than="main.json", margin=0.01)."""
    return Gates()
