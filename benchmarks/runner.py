"""Runs commands for the benchmark in a process that stays small: a child's peak of memory begins with its parent's.

It reads a command a line, in JSON, and answers with a line.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time


def run(command: list[str]) -> dict[str, object]:
    """The seconds from start to exit, the peak of memory, the status and what was said; output is thrown away."""
    start = time.perf_counter()
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as child:
        assert child.stderr
        said = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
    return {"seconds": seconds, "peak": usage.ru_maxrss, "status": child.returncode, "said": said.decode()}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line))), flush=True)
