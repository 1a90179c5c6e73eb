"""Faster local files for a Hadoop without its native library.

Such a Hadoop starts a `chmod` process for every file and every directory that it makes, and a micro-batch makes dozens.
It also writes a file of checksums for each file (parquet's pages have their own, which are checked), and sends a
thousand settings with each task, compressed one by one. `LocalFiles.java` replaces that
(docs/decisions/15-local-files.md).
"""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

from airflow_nrt.basics.java_sources import LOCAL_FILES
from airflow_nrt.basics.masters import is_local
from airflow_nrt.engine.java.fitting import unless_unfit
from airflow_nrt.engine.java.java_class import call_java, ship_java


def use_local_files(session: SparkSession) -> None:
    """Makes local files faster in the JVM of a session. Does nothing but a warning if its Hadoop is another."""
    context: Any = session.sparkContext
    settings = context._jsc.hadoopConfiguration()
    with unless_unfit(session, LOCAL_FILES):
        if not is_local(context.master):
            ship_java(session, LOCAL_FILES.name)
            call_java(session, LOCAL_FILES.name, ("share",), settings)
        call_java(session, LOCAL_FILES.name, ("lighten", "use"), settings)
