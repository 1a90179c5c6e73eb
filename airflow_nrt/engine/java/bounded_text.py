"""A reader of text files that keeps no line longer than a limit in memory: `BoundedText.java`, which tasks run, too.

Spark reads lines with Hadoop's reader. It keeps lines of any length, or skips long ones silently by a limit of its own,
and fails at a line of two gigabytes, which some megabytes of gzip can contain.
"""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

from airflow_nrt.basics.java_sources import BOUNDED_TEXT
from airflow_nrt.engine.java.fitting import unless_unfit
from airflow_nrt.engine.java.java_class import JavaClass


def compiled_text(session: SparkSession) -> JavaClass | None:
    """The class, shipped to all tasks; None if it does not fit this Spark. Then lines have no limit."""
    with unless_unfit(session, BOUNDED_TEXT):
        text = JavaClass(session, BOUNDED_TEXT.name)
        text.ship()
        return text
    return None


def bound_lines(session: SparkSession, text: JavaClass | None) -> None:
    """Makes a session read lines with the class. The session must not have planned a query yet."""
    ours: Any = session
    if text is not None:
        with unless_unfit(session, BOUNDED_TEXT):
            text.call(("use",), ours._jsparkSession.extensions())
