"""Silences loggers of PySpark and py4j that repeat an error, or write while a process ends."""

from __future__ import annotations

import atexit
import logging

from pyspark.logger import PySparkLogger

_CONTEXTS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
"""These log every exception that PySpark raises, as JSON with Java's stack trace. Whoever catches it reports it."""
_GATEWAY = "py4j"


def quiet() -> None:
    """Keeps only the warnings of py4j, until this process ends."""
    for name in _CONTEXTS:
        PySparkLogger.getLogger(name).disabled = True
    # It logs when Python closes a connection: at the very end of a process, when the streams of loggers may be closed.
    logging.getLogger(_GATEWAY).setLevel(logging.WARNING)
    atexit.register(logging.getLogger(_GATEWAY).setLevel, logging.CRITICAL + 1)
