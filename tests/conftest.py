"""How the tests are run: in which order, on how many workers, and how hypothesis looks for trouble.

No test depends on how fast the machine is.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Generator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "truerank",
    parent=settings.get_profile(settings.get_current_profile_name()),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("truerank")

os.environ.setdefault("NUMBA_DISABLE_JIT", "1")  # compiling what ranx does takes far longer than doing it

TOGETHER = ("tests/interop/spark/",)
"""Folders whose files share what takes long to start, and so a worker."""

LONG = (
    *TOGETHER,
    *(f"tests/browser/test_{name}.py" for name in ("report", "large_reports", "notebook")),
    *("tests/test_distribution.py", "tests/test_laws.py", "tests/board/test_browser.py", "tests/cli/test_demo.py"),
    *("tests/analysis/test_bounds.py", "tests/analysis/test_explain.py", "tests/test_docs.py"),
    *(f"tests/board/test_{name}.py" for name in ("fairness", "concurrency", "openapi", "following")),
    *("tests/peers/test_presets_recommenders.py", "tests/test_any_size.py", "tests/core/test_rules_by_hand.py"),
    *("tests/browser/test_site.py", "tests/live/test_hostile.py", "tests/cli/test_cli_process.py"),
)
"""What is begun first, so that nothing long is left when the other workers have ended."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the long files first."""
    place = {beginning: number for number, beginning in enumerate(LONG)}
    items.sort(key=lambda item: next((place[one] for one in LONG if item.nodeid.startswith(one)), len(LONG)))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """Look for no garbage while thousands of tests are found, all of which stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Leave thousands of tests, and the modules they import, out of all collections of garbage."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, Any, Any]:
    """Leave what a file has imported out of the collections of those after it: a benchmark collects each time."""
    done = yield
    if nextitem is not None and nextitem.path != item.path:
        pytest_collection_finish()
    return done


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are processors: some tests wait for a server, a browser or another machine."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """A worker gets a file, or a folder of TOGETHER, in the order of the collection."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class LongestFirst(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return next((folder for folder in TOGETHER if nodeid.startswith(folder)), super()._split_scope(nodeid))

    config.option.loadscopereorder = False
    return LongestFirst(config, log)
