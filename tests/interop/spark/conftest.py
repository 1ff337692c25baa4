"""Spark on this machine: a master, two workers, and an executor of each, a process of its own; all on loopback."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import warnings
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

collect_ignore = ["spark_daemon.py"]  # a program, which imports pyspark

LOOPBACK = "127.0.0.1"

HOSTS = (LOOPBACK, "127.0.0.2")
"""Of the workers: a copy of a task runs on another host alone."""

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
    folder = str(tmp_path_factory.mktemp("spark"))
    place = {"SPARK_LOCAL_IP": LOOPBACK, "PYSPARK_PYTHON": sys.executable}
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings(), ExitStack() as running:
        for name, value in place.items():
            patch.setenv(name, value)
        warnings.simplefilter("ignore")
        from pyspark import SparkConf, SparkContext
        from pyspark.java_gateway import launch_gateway
        from pyspark.sql import SparkSession

        conf = SparkConf().setAll(list(options(folder).items()))
        gateway = launch_gateway(conf)
        conf.setMaster(cluster(gateway, folder, running))
        context = SparkContext(conf=conf, gateway=gateway)
        context.setLogLevel("ERROR")
        made = SparkSession.builder.getOrCreate()
        running.callback(made.stop)
        yield made


def cluster(gateway: Any, folder: str, running: ExitStack) -> str:
    """The address of a master with two workers, which run in the driver's virtual machine: executors do not."""
    java, conf = gateway.jvm, gateway.jvm.org.apache.spark.SparkConf(True)
    deploy, some = java.org.apache.spark.deploy, java.scala.Option
    master = deploy.master.Master.startRpcEnvAndEndpoint(LOOPBACK, 0, 0, conf)._1()
    running.callback(master.shutdown)
    urls = gateway.new_array(java.java.lang.String, 1)
    urls[0] = f"spark://{master.address().hostPort()}"
    for number, host in enumerate(HOSTS):
        limits = (1, 1024, urls, folder, some.apply(number), conf, some.empty())  # a core and as many megabytes
        running.callback(deploy.worker.Worker.startRpcEnvAndEndpoint(host, 0, 0, *limits).shutdown)
    return str(urls[0])


def options(folder: str) -> dict[str, str]:
    return {
        "spark.app.name": "tests",
        "spark.driver.host": LOOPBACK,
        "spark.driver.bindAddress": LOOPBACK,
        "spark.master.rest.enabled": "false",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "3",
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
        "spark.local.dir": folder,
        "spark.sql.codegen.wholeStage": "false",  # compiling takes longer than these few rows
        "spark.speculation": "true",
        "spark.speculation.quantile": "1",  # never, but in the test of it
        "spark.python.daemon.module": "spark_daemon",
        "spark.executorEnv.PYTHONPATH": f"{Path(__file__).parent}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
        "spark.driver.extraJavaOptions": f"-Dderby.system.home={folder} {QUICK}",
        "spark.executor.extraJavaOptions": QUICK,
    }
