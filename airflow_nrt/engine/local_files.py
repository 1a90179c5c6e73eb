"""Hadoop for a local session, where its native library is missing: without a process for each file.

Such a Hadoop starts `chmod` for every file and every directory that it makes, and a micro-batch makes dozens. It also
writes a file of checksums beside each file (parquet's pages have their own, which are checked), and sends a thousand
settings with each task, compressed one by one. `LocalFiles.java` has what is done instead; Spark's own Java compiler
makes it a class when a session starts (docs/decisions/15-local-files.md).
"""

from __future__ import annotations

import logging
from importlib.resources import files
from typing import Any

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.sql import SparkSession

log = logging.getLogger(__name__)


def source() -> str:
    """The text of the class, also out of a zip."""
    return files("airflow_nrt.engine").joinpath("LocalFiles.java").read_text()


def use_local_files(session: SparkSession) -> None:
    """Makes local files cheap in the JVM of a session. Where its Hadoop is another, they stay as they were."""
    context: Any = session.sparkContext
    gateway, jvm, settings = context._gateway, context._jvm, context._jsc.hadoopConfiguration()

    def array(kind: Any, *values: Any) -> Any:
        made = gateway.new_array(kind, len(values))
        for n, value in enumerate(values):
            made[n] = value
        return made

    try:
        compiler = jvm.org.codehaus.janino.SimpleCompiler()
        compiler.cook(source())
        ours = compiler.getClassLoader().loadClass("airflow_nrt.LocalFiles")
        types = array(jvm.Class, settings.getClass())
        for step in ("lighten", "use"):
            ours.getMethod(step, types).invoke(None, array(jvm.Object, settings))
    except (Py4JError, TypeError) as other:
        # A TypeError: py4j takes a class that is not there for a package.
        log.warning("each file that Spark writes starts a process, as LocalFiles.java does not fit here: %s", other)
