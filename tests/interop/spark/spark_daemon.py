"""What forks the Python workers of an executor, with what all tasks import there already.

Workers that come after a task that was stopped need not import it again, and collect no garbage in it after each.
"""

from __future__ import annotations

import gc

import pyarrow
from pyspark import daemon

from truerank.interop.spark import tasks, values

LOADED = (pyarrow, tasks, values)

if __name__ == "__main__":
    gc.collect()
    gc.freeze()
    daemon.manager()
