"""A Spark session for one use case, which Ctrl-C interrupts also while Java works."""

from __future__ import annotations

import contextlib
import logging
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.spark_version import REINSTALL

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from airflow_nrt.model.plan import Plan

_LOGGERS = ("", "py4j.clientserver", "py4j.java_gateway")


@contextmanager
def needing_spark() -> Iterator[None]:
    """Raises InputError if Spark is needed inside and is not installed."""
    try:
        yield
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in ("pyspark", "py4j"):
            raise
        raise InputError(f"Spark is not here ({missing}): run `{REINSTALL}`") from missing


@contextmanager
def session(plan: Plan, master: str) -> Iterator[SparkSession]:
    """A Spark session, stopped at the end. Of Java's output, standard error has what no start of Spark says.

    Raises InputError if there is no Java.

    Only the main thread of a process can have one, because it takes Ctrl-C meanwhile.
    """
    from airflow_nrt.engine.java.finding import ensure_java

    ensure_java()
    from airflow_nrt.engine.java.brief_java import brief_java
    from airflow_nrt.engine.java.quiet_java import QuietJava
    from airflow_nrt.engine.spark.quick_session import end_session
    from airflow_nrt.engine.spark.report_settings import session_settings
    from airflow_nrt.engine.spark.session import start_session

    settings = {**brief_java(), **session_settings(plan)}
    output = QuietJava()
    with output.starting():
        spark = start_session(plan.name, master, settings)
    # Failures are reported once, in the words of the product.
    spark.sparkContext.setLogLevel("OFF")
    try:
        with interruption_of_java():
            yield spark
    except Exception as failure:
        from airflow_nrt.engine.failures.failures import explained

        meaning = explained(failure, plan.origins)
        if meaning is None or meaning is failure:
            raise
        raise meaning from failure
    finally:
        output.ended()
        end_session(spark)


@contextlib.contextmanager
def interruption_of_java() -> Iterator[None]:
    """Raises KeyboardInterrupt for a Ctrl-C inside, as anywhere else.

    py4j takes it for a failure of Java, and logs a stack trace to its loggers and to the root logger; nothing else logs
    to the root logger directly.
    """
    interruptions = []

    def interrupt(number: int, frame: object) -> None:
        interruptions.append(number)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupt)
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_nothing)
    try:
        yield
    except Exception:
        if interruptions:
            raise KeyboardInterrupt from None
        raise
    finally:
        for name in _LOGGERS:
            logging.getLogger(name).removeFilter(_nothing)
        signal.signal(signal.SIGINT, before)


def _nothing(record: logging.LogRecord) -> bool:
    return False
