"""A command in any language that answers lines of JSON, benchmarked; it is ended when the benchmark is."""

import shlex
import sys
from pathlib import Path

from shelf import QRELS, QUERIES, show

import truerank as tr

script = Path(__file__).with_name("serve_lines.py")
command = f"cmd: {shlex.quote(sys.executable)} {shlex.quote(str(script))}"
show(tr.bench(command, QUERIES, QRELS, k=3, repeats=20, measures="nDCG@3 RR"))
