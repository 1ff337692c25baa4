"""Spark on this machine: two executors, processes of their own, all of it on loopback."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOOPBACK = "127.0.0.1"

QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Virtual machines that start fast."""


def there_is_spark() -> None:
    """Skip where Java or PySpark is missing; under CI that is a failure."""
    lacking = [] if shutil.which("java") else ["Java (apt-get install openjdk-17-jre-headless)"]
    lacking += [] if importlib.util.find_spec("pyspark") else ["pyspark"]
    if lacking:
        said = f"Spark needs {' and '.join(lacking)}"
        pytest.fail(said) if os.environ.get("CI") == "true" else pytest.skip(said)


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    there_is_spark()
    folder = tmp_path_factory.mktemp("spark")
    place = {"SPARK_LOCAL_IP": LOOPBACK, "SPARK_WORKER_DIR": str(folder), "PYSPARK_PYTHON": sys.executable}
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        for name, value in place.items():
            patch.setenv(name, value)
        warnings.simplefilter("ignore")
        from pyspark.sql import SparkSession

        made = SparkSession.builder.master("local-cluster[2,1,1024]").config(map=options(str(folder))).getOrCreate()
        made.sparkContext.setLogLevel("ERROR")
        yield made
        made.stop()


def options(folder: str) -> dict[str, str]:
    return {
        "spark.driver.host": LOOPBACK,
        "spark.driver.bindAddress": LOOPBACK,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "3",
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
        "spark.local.dir": folder,
        "spark.sql.codegen.wholeStage": "false",  # compiling takes longer than these few rows
        "spark.driver.extraJavaOptions": f"-Dderby.system.home={folder} {QUICK}",
        "spark.executor.extraJavaOptions": QUICK,
    }
