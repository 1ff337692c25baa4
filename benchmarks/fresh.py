"""From nothing to the first number: builds the wheel, makes an empty environment, installs, evaluates; with times.

    python benchmarks/fresh.py

Packages that the wheel needs come from the index of packages, or from pip's cache where it has them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from timing import process

HERE = Path(__file__).parent.parent
ASKED = ("eval", "examples/search.qrels", "examples/search.run", "--measures", "nDCG@10")


def main() -> None:
    os.environ.pop("PYTHONPATH", None)
    os.chdir(HERE)
    with tempfile.TemporaryDirectory() as name:
        here = Path(name)
        pip = ("-m", "pip", "--quiet", "--disable-pip-version-check")
        build = process(sys.executable, *pip, "wheel", "--no-deps", "--wheel-dir", here, ".")
        (wheel,) = here.glob("*.whl")
        venv = process(sys.executable, "-m", "venv", here / "alone")
        inside = here / "alone" / ("Scripts" if os.name == "nt" else "bin")
        install = process(inside / "python", *pip, "install", wheel)
        start = time.perf_counter()
        shown = subprocess.run([inside / "truerank", *ASKED], capture_output=True, text=True, check=True).stdout
        first = time.perf_counter() - start
    print(shown)
    print(f"{wheel.name} built in {build.seconds:.0f} s, an empty environment made in {venv.seconds:.1f} s.")
    print(f"pip install {install.seconds:.1f} s, truerank eval {first:.2f} s:")
    print(f"from pip install to the first number {install.seconds + first:.1f} s.")


if __name__ == "__main__":
    main()
