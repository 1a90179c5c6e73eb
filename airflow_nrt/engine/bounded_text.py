"""Text files of which no line is held that is longer than a limit: by `BoundedText.java`, which tasks run, too.

Spark reads lines with Hadoop's reader. That holds a line whatever its length, or with a limit of its own leaves it out
without a word, and fails at one of two gigabytes, to which some megabytes of gzip can grow.
"""

from __future__ import annotations

import logging
from typing import Any

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.sql import SparkSession

from airflow_nrt.engine.java_class import JavaClass

log = logging.getLogger(__name__)


def bound_lines(session: SparkSession) -> None:
    """For a session that has planned nothing yet. Where its Spark is another, lines of any length are held."""
    ours: Any = session
    try:
        text = JavaClass(session, "BoundedText")
        text.ship()
        text.call(("use",), ours._jsparkSession.extensions())
    except (Py4JError, TypeError) as other:
        log.warning("'source.max-line-length' has no effect, as BoundedText.java does not fit here: %s", other)
