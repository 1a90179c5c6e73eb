"""Faster local files for a Hadoop without its native library.

Such a Hadoop starts a `chmod` process for every file and every directory that it makes, and a micro-batch makes dozens.
It also writes a file of checksums for each file (parquet's pages have their own, which are checked), and sends a
thousand settings with each task, compressed one by one. `LocalFiles.java` replaces that
(docs/decisions/15-local-files.md).

It also looks where a file lies that it has opened: one of a source may have become a link since it was found.
"""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

from airflow_nrt.basics.java_sources import LOCAL_FILES
from airflow_nrt.basics.masters import is_local
from airflow_nrt.engine.java.fitting import unless_unfit
from airflow_nrt.engine.java.java_class import call_java, ship_java

_CLOSED = "airflow-nrt.closed-directory:"
"""A setting for each, and no list: programs that share one Java close directories at the same time."""


def use_local_files(session: SparkSession) -> None:
    """Makes local files faster in the JVM of a session. Does nothing but a warning if its Hadoop is another."""
    settings = _settings(session)
    with unless_unfit(session, LOCAL_FILES):
        if not is_local(session.sparkContext.master):
            ship_java(session, LOCAL_FILES.name)
            call_java(session, LOCAL_FILES.name, ("share",), settings)
        call_java(session, LOCAL_FILES.name, ("lighten", "use"), settings)


def close_directory(session: SparkSession, directory: str) -> None:
    """From now on a file that is opened by a path below this directory must lie in it, also for tasks."""
    _settings(session).set(_CLOSED + directory, "true")


def open_directory(session: SparkSession, directory: str) -> None:
    """Files below this directory may be links again."""
    _settings(session).unset(_CLOSED + directory)


def _settings(session: SparkSession) -> Any:
    context: Any = session.sparkContext
    return context._jsc.hadoopConfiguration()
