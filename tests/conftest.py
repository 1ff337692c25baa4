"""How hypothesis looks for trouble: no test depends on how fast the machine is."""

from __future__ import annotations

import gc
import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "truerank",
    parent=settings.get_profile(settings.get_current_profile_name()),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("truerank")

os.environ.setdefault("NUMBA_DISABLE_JIT", "1")  # compiling what ranx does takes a hundred times as long as doing it


def pytest_collection_finish() -> None:
    """Leave what was collected out of all collections of garbage: thousands of tests, and the modules they import."""
    gc.collect()
    gc.freeze()
