"""Where a benchmark ran: what a reader needs to compare its figures, and nothing that names a person or a host."""

from __future__ import annotations

import gc
import os
import platform
import sys
from pathlib import Path

from truerank import __version__


def machine() -> dict[str, str]:
    """The processor, the system and the versions."""
    return {
        "processor": _processor(),
        "processors": str(_usable()),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "truerank": __version__,
        "collector": " ".join(map(str, gc.get_threshold())) if gc.isenabled() else "off",
        "switch interval": f"{sys.getswitchinterval() * 1000:g} ms",
    }


def _usable() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _processor() -> str:
    """The processor's own name, where the system tells it."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text("utf-8", "replace").splitlines() if cpuinfo.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())
