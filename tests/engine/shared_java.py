"""A Java that drivers of tests use one after the other, each a process of its own.

Most of a driver's processor time goes into a Java that is new: it loads and compiles what every driver needs. A driver
that is killed here is a real process that dies; its Java lives on, and the next driver begins with a session of its own
in it. That a Java ends with its driver is shown by `tests/cli/test_signals.py`, and where drivers have one each.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import subprocess
from collections.abc import Iterator
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from pyspark.java_gateway import launch_gateway

from airflow_nrt.basics.jvm_options import DEFAULT_JAVA_OPTIONS
from airflow_nrt.engine.java.finding import ensure_java
from airflow_nrt.engine.spark.gateway import BLOCKS

SETTINGS = {
    **DEFAULT_JAVA_OPTIONS,
    "spark.master": "local[1]",
    "spark.driver.memory": "768m",
    "spark.driver.extraJavaOptions": "-XX:+UseSerialGC",
}


class SharedJava:
    """`environment` has what a driver's process finds it by."""

    def __init__(self, gateway: Any, blocks: str) -> None:
        self._gateway = gateway
        java = gateway.java_parameters
        found_by = {"PYSPARK_GATEWAY_PORT": str(java.port), "PYSPARK_GATEWAY_SECRET": java.auth_token}
        # Java keeps the directories of its first session: they must not be a driver's, which may be killed.
        self.environment = {**found_by, BLOCKS: blocks}

    def end_session(self) -> None:
        """Ends the session of a driver that can't do it any more."""
        sessions = self._gateway.jvm.org.apache.spark.sql.classic.SparkSession
        left = sessions.getDefaultSession()
        if left.isDefined():
            left.get().stop()
        sessions.clearActiveSession()
        sessions.clearDefaultSession()

    def end(self) -> None:
        self._gateway.shutdown()
        self._gateway.proc.stdin.close()
        self._gateway.proc.wait(30)


@contextlib.contextmanager
def shared_java(jars: str = "") -> Iterator[SharedJava]:
    """A small one; `jars` are paths, with commas between them."""
    ensure_java()
    settings = {**SETTINGS, "spark.jars": jars} if jars else SETTINGS
    words = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with TemporaryDirectory(prefix="airflow-nrt-java-") as blocks:
        given = {"PYSPARK_SUBMIT_ARGS": shlex.join([*words, "pyspark-shell"]), BLOCKS: blocks}
        with patch.dict(os.environ, given):
            java = SharedJava(launch_gateway(popen_kwargs=quiet), blocks)  # type: ignore[no-untyped-call]
        try:
            yield java
        finally:
            java.end()
