"""What a session goes without: classes in Java that do not fit its Spark.

A class uses internals of Spark, so another release may lack what it needs. Then everything is done in Spark's own way,
the log says so, and a driver writes it into the notes of its home, where `airflow-nrt status` finds it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from weakref import WeakKeyDictionary

from py4j.protocol import Py4JError, Py4JJavaError  # type: ignore[import-untyped]
from pyspark import SparkContext
from pyspark.sql import SparkSession

from airflow_nrt.basics.java_sources import JavaSource

_MOST_LETTERS = 300

_unusable: WeakKeyDictionary[SparkContext, dict[str, str]] = WeakKeyDictionary()

log = logging.getLogger(__name__)


@contextmanager
def unless_unfit(session: SparkSession, source: JavaSource) -> Iterator[None]:
    """Runs a block that compiles or calls a class. If the class does not fit, the session goes on after the block."""
    try:
        yield
    except (Py4JError, TypeError) as other:
        reason = _reason(other)
        _unusable.setdefault(session.sparkContext, {})[source.name] = reason
        log.warning("%s, as %s.java does not fit here: %s", source.without, source.name, reason)


def unusable(session: SparkSession) -> Mapping[str, str]:
    """By the names of the classes that the session goes without, why they do not fit."""
    return dict(_unusable.get(session.sparkContext, {}))


def _reason(other: Exception) -> str:
    """The message of its first cause, in one line."""
    text = str(other)
    if isinstance(other, Py4JJavaError):
        cause = other.java_exception
        while cause.getCause() is not None:
            cause = cause.getCause()
        text = str(cause.toString())
    return text.partition("\n")[0][:_MOST_LETTERS]
