"""A session on a cluster: Java options of its executors, and their cores (docs/decisions/26-clusters.md)."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Mapping
from typing import Any

from pyspark import SparkConf
from pyspark.sql import SparkSession

from airflow_nrt.basics.jvm_options import DEFAULT_JAVA_OPTIONS
from airflow_nrt.basics.masters import is_local
from airflow_nrt.engine.java.class_archive import use_of_archive
from airflow_nrt.engine.spark.gateway import start_java

DEFAULT_OPTIONS, EXTRA_OPTIONS = "spark.executor.defaultJavaOptions", "spark.executor.extraJavaOptions"
MOST_EXECUTORS = 1_000
"""A higher bound is a limit, and does not say how many executors to expect."""
UNKNOWN_CORES = 200
"""Cores that are assumed for an unknown cluster: Spark's own default of partitions."""
WAIT_S, QUIET_S = 30.0, 0.5
"""Seconds that a session waits for executors, as Spark itself does; seconds without a new one that end the wait."""

log = logging.getLogger(__name__)


def with_executors_java(settings: Mapping[str, str]) -> dict[str, str]:
    """The settings with Java options for executors, unless settings, spark-submit or a file give some.

    Executors get the driver's class archive by its path, and ignore one that is missing or of another Java.
    """
    start_java(settings)
    conf = SparkConf().setAll(list(settings.items()))
    ours = DEFAULT_JAVA_OPTIONS[DEFAULT_OPTIONS]
    given = str(conf.get(DEFAULT_OPTIONS, ours))
    if not given.startswith(ours) or conf.contains(EXTRA_OPTIONS):
        return {**settings}
    archive = use_of_archive(os.environ.get("JAVA_HOME"))
    return {**settings, DEFAULT_OPTIONS: " ".join([given, *archive]), EXTRA_OPTIONS: "-XX:+UseParallelGC"}


def cores(session: SparkSession) -> int:
    """The number of cores of the current executors, or of the most executors with dynamic allocation."""
    context = session.sparkContext
    known = context.defaultParallelism if is_local(context.master) or _executors(session) else 0
    if _asks_as_tasks_wait(session):
        most = int(session.conf.get("spark.dynamicAllocation.maxExecutors", None) or "0")
        each = int(session.conf.get("spark.executor.cores", None) or "1")
        # For Spark the greatest INT means no bound.
        known = max(known, most * each) if 0 < most <= MOST_EXECUTORS else 0
    return known or UNKNOWN_CORES


def await_executors(session: SparkSession) -> None:
    """Waits for the first executors to register: before that no task can run, and their cores are unknown.

    YARN and Kubernetes are asked for a number of executors. A standalone master gives all that it has, without saying
    how many.
    """
    master = str(session.sparkContext.master)
    if is_local(master) or _asks_as_tasks_wait(session):
        return
    asked = None
    if master.startswith(("yarn", "k8s")):
        asked = int(session.conf.get("spark.executor.instances", None) or "2")
    began = changed = time.monotonic()
    known = 0
    while (now := time.monotonic()) - began < WAIT_S:
        count = _executors(session)
        if count != known:
            known, changed = count, now
        if known and (now - changed >= QUIET_S if asked is None else known >= asked):
            return
        time.sleep(0.05)
    log.warning("%d executors have registered within %d seconds", known, WAIT_S)


def _asks_as_tasks_wait(session: SparkSession) -> bool:
    return (session.conf.get("spark.dynamicAllocation.enabled", None) or "").lower() == "true"


def _executors(session: SparkSession) -> int:
    context: Any = session.sparkContext
    # The status includes the driver.
    return int(context._jsc.sc().getExecutorMemoryStatus().size()) - 1
