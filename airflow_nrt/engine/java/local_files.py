"""Faster local files for a Hadoop without its native library.

Such a Hadoop starts a `chmod` process for every file and every directory that it makes, and a micro-batch makes dozens.
It also writes a file of checksums for each file (parquet's pages have their own, which are checked), and sends a
thousand settings with each task, compressed one by one. `LocalFiles.java` replaces that
(docs/decisions/15-local-files.md).

It also looks where a file lies that it has opened: one of a source may have become a link since it was found.
"""

from __future__ import annotations

from collections.abc import Collection
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

from pyspark import SparkContext
from pyspark.sql import SparkSession

from airflow_nrt.basics.java_sources import LOCAL_FILES
from airflow_nrt.basics.masters import is_local
from airflow_nrt.engine.java.fitting import unless_unfit
from airflow_nrt.engine.java.java_class import call_java, ship_java

_CLOSED = "airflow-nrt.closed-directories"

_closed: WeakKeyDictionary[SparkContext, frozenset[str]] = WeakKeyDictionary()
_closing = Lock()


def use_local_files(session: SparkSession) -> None:
    """Makes local files faster in the JVM of a session. Does nothing but a warning if its Hadoop is another."""
    context: Any = session.sparkContext
    settings = context._jsc.hadoopConfiguration()
    with unless_unfit(session, LOCAL_FILES):
        if not is_local(context.master):
            ship_java(session, LOCAL_FILES.name)
            call_java(session, LOCAL_FILES.name, ("share",), settings)
        call_java(session, LOCAL_FILES.name, ("lighten", "use"), settings)


def close_directory(session: SparkSession, directory: str) -> None:
    """From now on a file that is opened by a path below this directory must lie in it, also for tasks."""
    with _closing:
        known = _closed.get(session.sparkContext, frozenset())
        if directory not in known:
            _keep_closed(session, known | {directory})


def open_directory(session: SparkSession, directory: str) -> None:
    """Files below this directory may be links again."""
    with _closing:
        known = _closed.get(session.sparkContext, frozenset())
        if directory in known:
            _keep_closed(session, known - {directory})


def _keep_closed(session: SparkSession, directories: Collection[str]) -> None:
    context: Any = session.sparkContext
    context._jsc.hadoopConfiguration().set(_CLOSED, "\n".join(sorted(directories)))
    _closed[session.sparkContext] = frozenset(directories)
