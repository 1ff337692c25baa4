"""RePlay's metrics on Spark, in a process of its own, since RePlay needs other versions of pandas and Arrow.

    python benchmarks/spark_replay.py FOLDER CORES MEMORY

FOLDER has `whole` and `qrels.parquet`, as `spark.py` makes them, and stands beside `few`, on which all is done once
before. Prints a line of JSON: what it took, or what is missing here.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import cluster

RENAMED = {"query_id": "query_id", "doc_id": "item_id", "score": "rating"}


def means(session: Any, folder: Path) -> dict[str, float]:
    """Five measures in one call, as RePlay's own documents advise."""
    from replay.metrics import MAP, MRR, NDCG, OfflineMetrics, Precision, Recall

    answers = session.read.parquet(str(folder / "whole")).withColumnsRenamed(RENAMED)
    judged = session.read.parquet(str(folder / "qrels.parquet")).withColumnsRenamed(RENAMED)
    found = OfflineMetrics([NDCG(10), MAP(10), MRR(10), Precision(10), Recall(100)])
    return dict(found(answers, judged.select("query_id", "item_id")))


def main() -> None:
    folder, cores, memory = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    try:
        import replay.metrics  # noqa: F401

        session = cluster.session(folder, cores, memory)
    except ModuleNotFoundError as error:
        print(json.dumps({"missing": error.name}))
        return
    means(session, folder.parent / "few")
    print(json.dumps(cluster.timed(session, lambda: means(session, folder)).to_dict()))
    session.stop()


if __name__ == "__main__":
    main()
