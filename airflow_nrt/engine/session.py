"""The Spark session of a report."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping

from pyspark.sql import SparkSession

from airflow_nrt.engine.local_files import use_local_files
from airflow_nrt.engine.plan_rules import use_plan_rules
from airflow_nrt.engine.quick_session import quick_session
from airflow_nrt.engine.tuning import MOST_PARTITIONS, SHUFFLE_PARTITIONS
from airflow_nrt.report.errors import InputError
from airflow_nrt.report.java import DEFAULT_JAVA_OPTIONS

SQL_SETTINGS = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "true",
    "spark.sql.session.timeZone": "UTC",
    # A micro-batch is small: adaptive execution costs a job at each exchange and gives nothing back.
    "spark.sql.adaptive.enabled": "false",
    # The driver names every file itself; listing them must not become a Spark job.
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "1000000",
    "spark.sql.parquet.compression.codec": "lz4_raw",
    "spark.sql.files.ignoreMissingFiles": "false",
    # Most groups of a distinct count have one row: a small map in front of the large one is asked in vain.
    "spark.sql.codegen.aggregate.map.twolevel.enabled": "false",
    "spark.sql.legacy.timeParserPolicy": "CORRECTED",
    # Files of Parquet and Python functions are given times in Spark's own type.
    "spark.sql.timeType.enabled": "true",
    # Results become visible by one rename of the product's own; no marker files, no second move by Spark.
    "spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
    "spark.hadoop.mapreduce.fileoutputcommitter.algorithm.version": "2",
    "spark.hadoop.parquet.summary.metadata.level": "NONE",
    "spark.hadoop.parquet.page.verify-checksum.enabled": "true",
    # Checkpoints of streaming queries are scratch: they go the way of all other files.
    "spark.sql.streaming.checkpointFileManagerClass": (
        "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
    ),
    "spark.sql.streaming.checkpoint.fileChecksum.enabled": "false",
    "spark.hadoop.io.file.buffer.size": "131072",
    # The lines of this package mean nothing to a user, and each of its expressions would carry its own to the JVM.
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    # A driver runs for months. Of each query Spark keeps what its pages would show, with the text of the plan.
    "spark.ui.retainedJobs": "100",
    "spark.ui.retainedStages": "100",
    "spark.ui.retainedTasks": "1000",
    "spark.sql.ui.retainedExecutions": "100",
}
_LOCAL_SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.driver.memory": "2g",
    # Throughput counts, and a pause of some 50 ms does not. Spark's parser goes down a sum of 200 terms by its stack.
    "spark.driver.extraJavaOptions": "-XX:+UseParallelGC -Xss4m",
}
_MASTER = re.compile(r"local(\[([1-9]\d*|\*)(, *\d+)?\])?|local-cluster\[.+\]|yarn|(spark|k8s)://.+")
_ALWAYS = {"spark.ui.showConsoleProgress": "false"}


def start_session(name: str, master: str | None, settings: Mapping[str, str]) -> SparkSession:
    """A session for one report. `master` is None where spark-submit chose one; `settings` win over the defaults.

    Raises InputError if SPARK_HOME is wrong, or the master none.
    """
    if master is not None and not _MASTER.fullmatch(master):
        raise InputError(
            f"there is no Spark master {master!r}: give local[*], local[N], spark://HOST:PORT, yarn or k8s://…"
        )
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    defaults = {"spark.app.name": f"airflow-nrt: {name}", **_ALWAYS, **SQL_SETTINGS}
    if master is not None:
        defaults = {"spark.master": master, **DEFAULT_JAVA_OPTIONS, **defaults}
        if master.startswith("local"):
            defaults = {**_LOCAL_SETTINGS, SHUFFLE_PARTITIONS: str(_cores(master)), **defaults}
    try:
        session = quick_session({**defaults, **settings})
    except FileNotFoundError as missing:
        raise InputError(
            f"Spark can't be started, {missing.filename} is not there: correct SPARK_HOME, or unset it to use pyspark's"
        ) from None
    use_plan_rules(session)
    for key, value in {**SQL_SETTINGS, **settings}.items():
        if session.conf.isModifiable(key):
            session.conf.set(key, value)
    chosen = settings.get(SHUFFLE_PARTITIONS) or session.sparkContext.getConf().get(SHUFFLE_PARTITIONS) or "200"
    session.conf.set(MOST_PARTITIONS, chosen)
    _remember_classes(session)
    if str(session.sparkContext.master).partition("[")[0] == "local":
        use_local_files(session)
    # Else Spark walks the stack for each RDD, to say where in its own code it was made.
    session.sparkContext.setLocalProperty("callSite.short", "airflow-nrt")
    session.sparkContext.setLocalProperty("callSite.long", "")
    return session


def _remember_classes(session: SparkSession) -> None:
    # Else the gateway looks for such a class in all packages that it knows, in some 250 jars, whenever it is named.
    classes = session._jvm
    for name in ("functions", "PythonUtils"):
        setattr(classes, name, getattr(classes, name))


def _cores(master: str) -> int:
    """The cores of `local`, `local[4]`, `local[*]`."""
    inside = master.partition("[")[2].rstrip("]").partition(",")[0]
    if not inside:
        return 1
    return (os.cpu_count() or 1) if inside == "*" else int(inside)
