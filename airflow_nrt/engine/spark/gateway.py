"""Starts the JVM of a session with its settings in a file that only its user can read.

PySpark itself passes all settings on the command line of Java, where every user of the host can read them.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark import SparkContext
from pyspark.errors import PySparkRuntimeError

from airflow_nrt.basics.masters import LOCAL_ADDRESS, is_local
from airflow_nrt.basics.spark_properties import LOAD_DEFAULTS, spark_properties
from airflow_nrt.engine.java.brief_java import heard
from airflow_nrt.files.private_files import write_private

_ARGUMENTS, _ADDRESS, BLOCKS = "PYSPARK_SUBMIT_ARGS", "SPARK_LOCAL_IP", "SPARK_LOCAL_DIRS"


def start_java(settings: Mapping[str, str]) -> None:
    """Starts the JVM of this process with these settings of Spark, unless there is one already."""
    if SparkContext._gateway is not None:
        return
    with TemporaryDirectory(prefix="airflow-nrt-") as place:
        file = Path(place, "spark.conf")
        write_private(file, spark_properties(settings))
        rest = os.environ.get(_ARGUMENTS, "pyspark-shell")
        variables: dict[str, str | None] = {
            _ARGUMENTS: f"{LOAD_DEFAULTS} --properties-file {shlex.quote(str(file))} {rest}"
        }
        if is_local(settings.get("spark.master")):
            # Spark's web UI listens there, if it is enabled.
            variables[_ADDRESS] = os.environ.get(_ADDRESS, LOCAL_ADDRESS)
        # It would win over the setting, by which the blocks of this session are private (block_directories.py).
        variables[BLOCKS] = None
        with _variables(variables):
            try:
                SparkContext._ensure_initialized()
            except PySparkRuntimeError:
                if (again := heard(settings)) is None:
                    raise
                # It ended without a word.
                write_private(file, spark_properties(again))
                SparkContext._ensure_initialized()


@contextmanager
def _variables(values: Mapping[str, str | None]) -> Iterator[None]:
    """Sets variables while a block runs. Those that are None are not there."""
    before = {name: os.environ.get(name) for name in values}
    _set(values)
    try:
        yield
    finally:
        _set(before)


def _set(values: Mapping[str, str | None]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
