"""Signals that ask a driver to stop after its batch, whichever of its processes they reach.

A driver is a Python and a Java process. `kill` signals one of them, a cluster's worker the one that it started; Ctrl-C,
`timeout` and systemd signal both. So Java does not end on a signal: it passes the signal on to Python, and ends after
Python (docs/decisions/25-signals.md).
"""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from airflow_nrt.engine.java.objects import java_class

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SIGNALS = ("TERM", "INT", "HUP")
_LOGGERS = ("", "py4j.clientserver", "py4j.java_gateway")
"""The loggers to which py4j writes, with a stack trace, that Java is gone. Only py4j logs to the root logger."""

log = logging.getLogger(__name__)


class StopSignals:
    """`asked` is set by the first signal. Further ones change nothing: `timeout` sends each twice."""

    def __init__(self) -> None:
        self.asked = threading.Event()

    def listen_in_java(self, session: SparkSession) -> None:
        """Handles the signals of a session's Java, which then no longer end it, unless Java's options forbid that."""
        from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
        from pyspark.java_gateway import ensure_callback_server_started

        context: Any = session.sparkContext
        kind = java_class(context._jvm, "sun.misc.Signal")
        ensure_callback_server_started(context._gateway)  # type: ignore[no-untyped-call]
        handler = _Handler(self)
        for name in SIGNALS:
            try:
                kind.handle(kind(name), handler)
            except Py4JJavaError as refused:
                log.info("Java keeps SIG%s for itself: %s", name, refused.java_exception)

    def _ask(self, *_: object) -> None:
        self.asked.set()

    def _is_worth_a_word(self, record: logging.LogRecord) -> bool:
        return not self.asked.is_set()


class _Handler:
    """`sun.misc.SignalHandler` in Python."""

    def __init__(self, signals: StopSignals) -> None:
        self._signals = signals

    def handle(self, received: object) -> None:
        self._signals.asked.set()

    class Java:
        implements = ("sun.misc.SignalHandler",)


@contextlib.contextmanager
def stop_signals() -> Iterator[StopSignals]:
    """Handles signals inside the block, in the main thread of a process, and silences py4j after the first signal."""
    signals = StopSignals()
    before = {number: signal.getsignal(number) for number in _numbers()}
    for number in before:
        signal.signal(number, signals._ask)
    quiet = signals._is_worth_a_word
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(quiet)
    try:
        yield signals
    finally:
        for name in _LOGGERS:
            logging.getLogger(name).removeFilter(quiet)
        for number, handler in before.items():
            signal.signal(number, handler)


def _numbers() -> list[signal.Signals]:
    """The signals, without SIGHUP where it is ignored (`nohup`)."""
    numbers = [signal.Signals[f"SIG{name}"] for name in SIGNALS]
    return [one for one in numbers if one != signal.SIGHUP or signal.getsignal(one) is not signal.SIG_IGN]
