"""One Java for all test processes: what it has compiled for one of them, it need not compile for the others.

The process that conducts pytest-xdist starts it when the first test process asks, and ends it. Each test process has a
door of its own into it and a session of its own. Without pytest-xdist there is one process, and Java is its own.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Client, Listener
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DOOR = "org.apache.spark.api.python.Py4JServer"
SESSIONS = "org.apache.spark.sql.classic.SparkSession"
VARIABLES = ("PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET")


class SuiteJava:
    """Java that starts, by `start` for so many tests, when it is first asked for at `address`."""

    def __init__(self, start: Callable[[int], SparkSession]) -> None:
        self._place = TemporaryDirectory(prefix="airflow-nrt-")
        self.address = str(Path(self._place.name, "java"))
        self._start = start
        self._session: SparkSession | None = None
        self._listener = Listener(self.address)
        self._is_open = True
        Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        """One process after the other, until each has its session: PySpark knows one default session in a Java."""
        while self._is_open:
            with suppress(EOFError, OSError), self._listener.accept() as asking:
                asking.send(self._door(asking.recv()))
                asking.recv()

    def _door(self, tests: int) -> tuple[int, str] | Exception:
        """Port and secret of a new door."""
        try:
            self._session = self._session or self._start(tests)
            server = getattr(self._session._jvm, DOOR)(self._session.sparkContext.getConf()._jconf)
            server.start()
            return server.getListeningPort(), server.secret()
        except Exception as failure:
            return RuntimeError(f"the suite's Java does not start: {failure}")

    def end(self) -> None:
        self._is_open = False
        self._listener.close()
        if self._session is not None:
            from airflow_nrt.engine.spark.quick_session import end_java, end_session

            end_session(self._session)
            end_java()
        self._place.cleanup()


@contextmanager
def suite_java(address: str, tests: int) -> Iterator[None]:
    """Within it, the first session of this process is made in the suite's Java, which so many tests use."""
    from pyspark import SparkConf, SparkContext

    with Client(address) as asked:
        asked.send(tests)
        door = asked.recv()
        if isinstance(door, Exception):
            raise door
        os.environ.update(zip(VARIABLES, map(str, door)))
        SparkContext._ensure_initialized()
        # What a test starts is to have a Java of its own.
        for name in VARIABLES:
            del os.environ[name]
        # The context asks for it before a session is started.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        jvm: Any = SparkContext._jvm
        java = jvm.JavaSparkContext(jvm.org.apache.spark.SparkContext.getOrCreate())
        SparkContext(jsc=java, conf=SparkConf(_jconf=java.sc().conf()))
        # Else PySpark takes the session of another process for its own.
        getattr(jvm, SESSIONS).clearDefaultSession()
        yield
        asked.send("a session")
