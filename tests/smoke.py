"""What an installed truerank does with nothing but what it needs, run by the Python that has it.

../alone/bin/python tests/smoke.py
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

QRELS = "q1 0 a 1\nq1 0 b 2\nq2 0 c 1\n"
RUN = "q1 Q0 x 1 3.0 t\nq1 Q0 b 2 2.0 t\nq1 Q0 a 3 1.0 t\n"
MEANS = {"AP": 7 / 24, "RR": 0.25}


def main() -> None:
    import truerank as tr

    assert Path(sys.prefix) in Path(tr.__file__).parents, f"not the installed package, but {tr.__file__}"
    with tempfile.TemporaryDirectory() as name:
        qrels, run = Path(name) / "qrels", Path(name) / "run"
        qrels.write_text(QRELS)
        run.write_text(RUN)
        found = tr.evaluate(qrels, run, list(MEANS)).mean
        assert all(abs(found[measure] - value) < 1e-12 for measure, value in MEANS.items()), found
        command = Path(sysconfig.get_path("scripts")) / "truerank"
        done = subprocess.run(
            [command, "eval", qrels, run, "-m", "AP RR"], capture_output=True, text=True, check=True
        )
    assert "0.2917" in done.stdout, done.stdout
    assert "0.2500" in done.stdout, done.stdout
    loaded = {"scipy", "pyarrow", "pandas", "polars"} & set(sys.modules)
    assert not loaded, f"a plain evaluation loads {loaded}"
    sys.stdout.write(f"truerank {tr.__version__} in {Path(tr.__file__).parent}: {found}\n")


if __name__ == "__main__":
    main()
