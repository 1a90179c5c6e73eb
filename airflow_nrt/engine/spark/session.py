"""The Spark session of a report."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.jvm_options import DEFAULT_JAVA_OPTIONS
from airflow_nrt.basics.masters import LOCAL_ADDRESS, is_local
from airflow_nrt.engine.failures.failures import explained
from airflow_nrt.engine.java.bounded_text import bound_lines, compiled_text
from airflow_nrt.engine.java.local_files import use_local_files
from airflow_nrt.engine.java.plan_rules import use_plan_rules
from airflow_nrt.engine.spark.cluster import await_executors, cores, with_executors_java
from airflow_nrt.engine.spark.masters import check_master
from airflow_nrt.engine.spark.quick_session import quick_session
from airflow_nrt.engine.spark.quiet import quiet
from airflow_nrt.engine.spark.spark_parts import check_parts
from airflow_nrt.engine.spark.tuning import MOST_PARTITIONS, SHUFFLE_PARTITIONS
from airflow_nrt.model.options.settings import SECRET_NAMES

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
    "spark.driver.host": LOCAL_ADDRESS,
    "spark.driver.bindAddress": LOCAL_ADDRESS,
    # Spark makes a secret of its own for it, in memory: without one any user of the host could stop the driver.
    "spark.authenticate": "true",
    "spark.ui.enabled": "false",
    "spark.driver.memory": "2g",
    # Throughput counts, and a pause of some 50 ms does not.
    "spark.driver.extraJavaOptions": "-XX:+UseParallelGC",
}
_ALWAYS = {
    "spark.ui.showConsoleProgress": "false",
    # What Spark's pages and its event log leave out, by the names of settings.
    "spark.redaction.regex": f"(?i){SECRET_NAMES}",
}


def start_session(name: str, master: str | None, settings: Mapping[str, str]) -> SparkSession:
    """A session for one report. `master` is None where spark-submit chose one; `settings` win over the defaults.

    Raises InputError if SPARK_HOME or the master is wrong, parts of Spark are of different versions, or Spark can't
    start.
    """
    check_parts()
    if master is not None:
        check_master(master, settings)
    quiet()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    defaults = {"spark.app.name": f"airflow-nrt: {name}", **_ALWAYS, **SQL_SETTINGS}
    if master is not None:
        defaults = {"spark.master": master, **DEFAULT_JAVA_OPTIONS, **defaults}
        if is_local(master):
            defaults = {**_LOCAL_SETTINGS, **defaults}
    chosen = {**defaults, **settings}
    try:
        session = quick_session(chosen if is_local(master) else with_executors_java(chosen))
        _set_up(session, settings)
    except FileNotFoundError as missing:
        raise InputError(
            f"Spark can't be started, {missing.filename} is not there: correct SPARK_HOME, or unset it to use pyspark's"
        ) from None
    except Exception as failure:
        # A master that does not answer ends a session that stands already.
        known = explained(failure)
        if known is None:
            raise
        raise known from failure
    return session


def _set_up(session: SparkSession, settings: Mapping[str, str]) -> None:
    # What is compiled takes half a second of a start that leaves a core idle.
    with ThreadPoolExecutor(1) as beside:
        text = beside.submit(compiled_text, session)
        use_plan_rules(session)
        _remember_classes(session)
        use_local_files(session)
        bound_lines(session, text.result())
    # From here on Spark has the session's rules, and takes no more of them.
    for key, value in {**SQL_SETTINGS, **settings}.items():
        if session.conf.isModifiable(key):
            session.conf.set(key, value)
    partitions = settings.get(SHUFFLE_PARTITIONS) or session.sparkContext.getConf().get(SHUFFLE_PARTITIONS)
    if partitions is None:
        await_executors(session)
        session.conf.set(SHUFFLE_PARTITIONS, cores(session))
    else:
        session.conf.set(MOST_PARTITIONS, partitions)
    # Else Spark walks the stack for each RDD, to say where in its own code it was made.
    session.sparkContext.setLocalProperty("callSite.short", "airflow-nrt")
    session.sparkContext.setLocalProperty("callSite.long", "")


def _remember_classes(session: SparkSession) -> None:
    # Else the gateway looks for such a class in all packages that it knows, in some 250 jars, whenever it is named.
    classes = session._jvm
    for name in ("functions", "PythonUtils"):
        setattr(classes, name, getattr(classes, name))
