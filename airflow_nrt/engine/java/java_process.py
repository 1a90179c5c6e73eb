"""Why the process of a session's Java has ended.

A driver's Java ends when it runs out of memory (`basics/jvm_options.py`). Python then finds a closed connection.
"""

from __future__ import annotations

import os
import subprocess
from typing import Any

from pyspark import SparkContext

_OF_JAVA, _OF_SPARK = 3, 52
"""Exit statuses: of `ExitOnOutOfMemoryError`, and of Spark if a task gets the error first."""
_STARTED_BY = os.getppid()
"""With spark-submit that is Java, whose exit status this process can't read."""
_PATIENCE = 10.0
"""Seconds. A connection closes before its process ends."""


def java_has_ended(within: float = 0.0) -> bool:
    """Whether Java has ended, or does within so many seconds: its connections close before it ends."""
    process = _process()
    if process is None:
        return "PYSPARK_GATEWAY_PORT" in os.environ and os.getppid() != _STARTED_BY
    try:
        process.wait(within)
    except subprocess.TimeoutExpired:
        return False
    return True


def said_of_end() -> str:
    """A message about why Java has ended, and what to do."""
    process = _process()
    if process is None:
        return f"Java has ended. If the driver's log says java.lang.OutOfMemoryError: {more_memory()}"
    try:
        status = process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        return "the connection to Java was lost, and Java still runs: the driver's log says why"
    if status in (_OF_JAVA, _OF_SPARK):
        return f"Java ran out of memory: {more_memory()}"
    killed = ", as Linux ends what takes more memory than its host or container has" if status == -9 else ""
    return f"Java has ended with status {status}{killed}: the driver's log says why. If for memory: {more_memory()}"


def more_memory() -> str:
    """What to do if there was not enough memory."""
    return (
        "raise spark.driver.memory, lower 'source.max-batch-size' or 'source.max-line-length', or find the row that is "
        "so large"
    )


def _process() -> Any:
    """The process of Java; None if Java has started this process."""
    return getattr(getattr(SparkContext, "_gateway", None), "proc", None)
