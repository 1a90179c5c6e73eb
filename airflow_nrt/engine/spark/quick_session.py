"""A session that starts and ends a second faster, of six seconds with few rows, without parts that are not needed.

PySpark imports pandas at the first call of Java, to find out whether a value is numpy's. Spark's library for machine
learning registers its vectors in every session, which initializes Scala's reflection. At the end PySpark waits for a
server that checks twice a second whether to end (docs/decisions/20-quick-session.md).
"""

from __future__ import annotations

import contextlib
import logging
import signal
import socket
import subprocess
import sys
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from py4j.protocol import INPUT_CONVERTER, Py4JError, Py4JNetworkError  # type: ignore[import-untyped]
from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession
from pyspark.sql.types import NumpyArrayConverter, NumpyScalarConverter

from airflow_nrt.basics.spark_needs import EXTENSIONS, joined
from airflow_nrt.engine.java.objects import elements, java_class
from airflow_nrt.engine.spark.block_directories import private_blocks
from airflow_nrt.engine.spark.gateway import start_java
from airflow_nrt.engine.spark.quick_lists import QuickLists

_SESSION = "org.apache.spark.sql.classic.SparkSession"
_PROVIDERS = "META-INF/services/org.apache.spark.sql.SparkSessionExtensionsProvider"
_OF_LEARNING = "/spark-mllib_"
_JAVA_ENDS_SECONDS = 30

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _OfNumpyAlone:
    """A converter of numpy's values that is called for no others."""

    asked: Any

    def can_convert(self, value: object) -> bool:
        numpy = sys.modules.get("numpy")
        is_numpy = numpy is not None and isinstance(value, (numpy.generic, numpy.ndarray))
        return is_numpy and bool(self.asked.can_convert(value))

    def convert(self, value: object, gateway_client: object) -> object:
        return self.asked.convert(value, gateway_client)


def quick_session(settings: Mapping[str, str]) -> SparkSession:
    """The session of Spark's builder with these settings: an existing or a new one."""
    of_numpy = (NumpyScalarConverter, NumpyArrayConverter)
    given = (one for one in INPUT_CONVERTER if not isinstance(one, QuickLists))
    INPUT_CONVERTER[:] = [QuickLists(), *(_OfNumpyAlone(one) if isinstance(one, of_numpy) else one for one in given)]
    with _same_ctrl_c():
        start_java(settings)
        known = SparkConf()
        if EXTENSIONS in settings:
            # Spark-submit may have been given others, by a connection of Airflow.
            settings = {**settings, EXTENSIONS: joined(known.get(EXTENSIONS) or "", settings[EXTENSIONS])}
        known.setAll(list(settings.items()))
        known.setAll(list(private_blocks(SparkContext._jvm, dict(known.getAll())).items()))
        context: Any = SparkContext.getOrCreate(known)
    try:
        made = _made(context._jvm, context._jsc.sc())
    except (Py4JError, TypeError) as other:
        log.info("the session starts half a second later, as this Spark makes it in another way: %s", other)
        made = None
    return (
        SparkSession(context, made) if made is not None else SparkSession.builder.config(map={**settings}).getOrCreate()
    )


@contextlib.contextmanager
def _same_ctrl_c() -> Iterator[None]:
    """Restores the handler of Ctrl-C, which PySpark replaces, unless that was Python's own."""
    before = signal.getsignal(signal.SIGINT)
    yield
    if before not in (signal.default_int_handler, signal.getsignal(signal.SIGINT)):
        signal.signal(signal.SIGINT, before)


def end_session(session: SparkSession) -> None:
    """Stops a session, and its server of accumulators at once, which is notified and woken by a connection.

    A session whose Java has ended has ended already.
    """
    server: Any = getattr(session.sparkContext, "_accumulatorServer", None)
    if server is not None:
        server._BaseServer__shutdown_request = True
        with contextlib.suppress(OSError), socket.socket(server.address_family) as knock:
            knock.connect(server.server_address)
    with contextlib.suppress(Py4JNetworkError, OSError), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Unable to cleanly shutdown Spark JVM process")
        session.stop()


def end_java() -> None:
    """Ends the Java of this process, if there is one, and waits until it has removed its files."""
    gateway: Any = SparkContext._gateway
    if gateway is not None:
        gateway.shutdown()
        gateway.proc.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            gateway.proc.wait(_JAVA_ENDS_SECONDS)


def _made(jvm: Any, context: Any) -> Any:
    """A new session of Java, with only the extensions in the settings; None if it needs others.

    Libraries can add extensions. They are left out only if the one for machine learning is the only library.
    """
    kind, companion = getattr(jvm, _SESSION), getattr(getattr(jvm, f"{_SESSION}$"), "MODULE$")
    loader = jvm.Thread.currentThread().getContextClassLoader()
    found = java_class(jvm, "java.util.Collections").list(loader.getResources(_PROVIDERS))
    providers = [str(one.toString()) for one in elements(found)]
    if kind.getDefaultSession().isDefined() or not all(_OF_LEARNING in one for one in providers):
        return None
    named = getattr(companion, f"{_SESSION.replace('.', '$')}$$applyExtensions")
    extensions = named(context, java_class(jvm, "org.apache.spark.sql.SparkSessionExtensions")())
    none, empty = java_class(jvm, "scala.Option").empty(), java_class(jvm, "scala.collection.immutable.HashMap")()
    return kind(context, none, none, extensions, empty, empty)
