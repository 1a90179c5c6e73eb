"""Faster local files for a Hadoop without its native library.

Such a Hadoop starts a `chmod` process for every file and every directory that it makes, and a micro-batch makes dozens.
It also writes a file of checksums for each file (parquet's pages have their own, which are checked), and sends a
thousand settings with each task, compressed one by one. `LocalFiles.java` replaces that
(docs/decisions/15-local-files.md).
"""

from __future__ import annotations

import logging
from typing import Any

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.sql import SparkSession

from airflow_nrt.basics.masters import is_local
from airflow_nrt.engine.java.java_class import call_java, ship_java

log = logging.getLogger(__name__)


def use_local_files(session: SparkSession) -> None:
    """Makes local files faster in the JVM of a session. Does nothing but a warning if its Hadoop is another."""
    context: Any = session.sparkContext
    settings = context._jsc.hadoopConfiguration()
    try:
        if not is_local(context.master):
            ship_java(session, "LocalFiles")
            call_java(session, "LocalFiles", ("share",), settings)
        call_java(session, "LocalFiles", ("lighten", "use"), settings)
    except (Py4JError, TypeError) as other:
        log.warning("each file that Spark writes starts a process, as LocalFiles.java does not fit here: %s", other)
