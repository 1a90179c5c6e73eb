"""The Spark session of a report."""

from __future__ import annotations

import atexit
import logging
import os
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from threading import Thread
from typing import Any

from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.jvm_options import DEFAULT_JAVA_OPTIONS
from airflow_nrt.basics.masters import is_local
from airflow_nrt.engine.failures.failures import explained
from airflow_nrt.engine.java.bounded_text import bound_lines, compiled_text
from airflow_nrt.engine.java.local_files import use_local_files
from airflow_nrt.engine.java.plan_rules import switched_on, use_plan_rules
from airflow_nrt.engine.spark.block_directories import close_blocks
from airflow_nrt.engine.spark.cluster import await_executors, cores, with_executors_java
from airflow_nrt.engine.spark.default_settings import ALWAYS, LOCAL_SETTINGS, SQL_SETTINGS
from airflow_nrt.engine.spark.masters import check_master
from airflow_nrt.engine.spark.quick_session import quick_session
from airflow_nrt.engine.spark.spark_parts import check_parts
from airflow_nrt.engine.spark.tuning import MOST_PARTITIONS, SHUFFLE_PARTITIONS

_CONTEXTS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
"""These log every exception that PySpark raises, as JSON with Java's stack trace. Whoever catches it reports it."""
_GATEWAY = "py4j"
_FUNCTIONS = "org.apache.spark.sql.functions"


def start_session(
    name: str,
    master: str | None,
    settings: Mapping[str, str],
    meanwhile: Callable[[SparkSession], object] = lambda session: None,
) -> SparkSession:
    """A session for one report. `master` is None where spark-submit chose one; `settings` win over the defaults.

    `meanwhile` runs in a thread of its own while the session is set up, and may go on after it. It must plan nothing.

    Raises InputError if SPARK_HOME or the master is wrong, parts of Spark are of different versions, or Spark can't
    start.
    """
    check_parts()
    if master is not None:
        check_master(master, settings)
    _quiet()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    defaults = {"spark.app.name": f"airflow-nrt: {name}", **ALWAYS, **SQL_SETTINGS}
    if master is not None:
        defaults = {"spark.master": master, **DEFAULT_JAVA_OPTIONS, **defaults}
        if is_local(master):
            defaults = {**LOCAL_SETTINGS, **defaults}
    chosen = {**defaults, **settings}
    try:
        session = quick_session(chosen if is_local(master) else with_executors_java(chosen))
        close_blocks(session)
        Thread(target=meanwhile, args=(session,), daemon=True).start()
        _set_up(session, settings)
    except FileNotFoundError as missing:
        raise InputError(
            f"Spark can't be started, {missing.filename} is not there: correct SPARK_HOME, or unset it to use pyspark's"
        ) from None
    except Exception as failure:
        # A master that does not answer ends an existing session.
        known = explained(failure)
        if known is None:
            raise
        raise known from failure
    return session


def _set_up(session: SparkSession, settings: Mapping[str, str]) -> None:
    # Compiling takes half a second, while a core is idle.
    with ThreadPoolExecutor(1) as beside:
        text = beside.submit(compiled_text, session)
        use_plan_rules(session, switched_on(session))
        _remember_classes(session)
        use_local_files(session)
        bound_lines(session, text.result())
    # From here on the session's rules are fixed.
    for key, value in {**SQL_SETTINGS, **settings}.items():
        if session.conf.isModifiable(key):
            session.conf.set(key, value)
    partitions = settings.get(SHUFFLE_PARTITIONS) or session.sparkContext.getConf().get(SHUFFLE_PARTITIONS)
    if partitions is None:
        await_executors(session)
        session.conf.set(SHUFFLE_PARTITIONS, cores(session))
    else:
        session.conf.set(MOST_PARTITIONS, partitions)
    # Else Spark walks the stack for each RDD, to find the place in its own code.
    session.sparkContext.setLocalProperty("callSite.short", "airflow-nrt")
    session.sparkContext.setLocalProperty("callSite.long", "")


def _remember_classes(session: SparkSession) -> None:
    # Else each use of such a name is a question to Java, which searches all known packages, in some 250 jars.
    classes: Any = session._jvm
    functions, utils = getattr(classes, _FUNCTIONS), classes.PythonUtils
    for name, known in (("functions", functions), (_FUNCTIONS, functions), ("PythonUtils", utils)):
        setattr(classes, name, known)
    for known, methods in ((functions, ("col", "expr", "lit")), (utils, ("toArray", "toSeq"))):
        for method in methods:
            setattr(known, method, getattr(known, method))


def _quiet() -> None:
    """Keeps only the warnings of py4j, until this process ends."""
    for name in _CONTEXTS:
        PySparkLogger.getLogger(name).disabled = True
    # It logs when Python closes a connection: at the very end of a process, when the streams of loggers may be closed.
    logging.getLogger(_GATEWAY).setLevel(logging.WARNING)
    atexit.register(logging.getLogger(_GATEWAY).setLevel, logging.CRITICAL + 1)
