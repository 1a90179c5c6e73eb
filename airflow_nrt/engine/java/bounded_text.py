"""Text files of which no line is held that is longer than a limit: by `BoundedText.java`, which tasks run, too.

Spark reads lines with Hadoop's reader. That holds a line whatever its length, or with a limit of its own leaves it out
without a word, and fails at one of two gigabytes, to which some megabytes of gzip can grow.
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
    """The class, which all tasks have; None where this Spark is another, and lines of any length are held."""
    try:
        text = JavaClass(session, "BoundedText")
        text.ship()
        return text
    except (Py4JError, TypeError) as other:
        log.warning(_NO_EFFECT, other)
        return None


def bound_lines(session: SparkSession, text: JavaClass | None) -> None:
    """Makes a session that has planned nothing yet read lines with it."""
    ours: Any = session
    try:
        if text is not None:
            text.call(("use",), ours._jsparkSession.extensions())
    except (Py4JError, TypeError) as other:
        log.warning(_NO_EFFECT, other)
