"""Loggers of PySpark and py4j: what they say beside an error, or while a process ends, helps nobody."""

from __future__ import annotations

import atexit
import logging

from pyspark.logger import PySparkLogger

_CONTEXTS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
"""PySpark logs what it raises, as JSON with the stack of Java. Whoever catches it says it."""
_GATEWAY = "py4j"


def quiet() -> None:
    """Leaves of these loggers what goes wrong in py4j, until this process ends."""
    for name in _CONTEXTS:
        PySparkLogger.getLogger(name).disabled = True
    # It says that it closes a connection when Python takes the connection away: at the very end of a process, when the
    # streams that loggers write to may be closed.
    logging.getLogger(_GATEWAY).setLevel(logging.WARNING)
    atexit.register(logging.getLogger(_GATEWAY).setLevel, logging.CRITICAL + 1)
