"""A reader of text files that keeps no line longer than a limit in memory: `BoundedText.java`, which tasks run, too.

Spark reads lines with Hadoop's reader. It keeps lines of any length, or skips long ones silently by a limit of its own,
and fails at a line of two gigabytes, which some megabytes of gzip can contain.
"""

from __future__ import annotations

import logging
from typing import Any

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.sql import SparkSession

from airflow_nrt.engine.java.java_class import JavaClass

_NO_EFFECT = "'source.max-line-length' has no effect, as BoundedText.java does not fit here: %s"

log = logging.getLogger(__name__)


def compiled_text(session: SparkSession) -> JavaClass | None:
    """The class, shipped to all tasks; None if it does not fit this Spark. Then lines have no limit."""
    try:
        text = JavaClass(session, "BoundedText")
        text.ship()
        return text
    except (Py4JError, TypeError) as other:
        log.warning(_NO_EFFECT, other)
        return None


def bound_lines(session: SparkSession, text: JavaClass | None) -> None:
    """Makes a session read lines with the class. The session must not have planned a query yet."""
    ours: Any = session
    try:
        if text is not None:
            text.call(("use",), ours._jsparkSession.extensions())
    except (Py4JError, TypeError) as other:
        log.warning(_NO_EFFECT, other)
