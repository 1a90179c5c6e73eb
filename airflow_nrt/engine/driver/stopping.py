"""Signals that ask a driver to stop after its batch, whichever of its processes they reach.

A driver is Python and Java. `kill` signals one of them, a cluster's worker that which it started; Ctrl-C, `timeout` and
systemd signal both. So Java does not end by itself: it passes the signal on to Python, and ends after it
(docs/decisions/25-signals.md).
"""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SIGNALS = ("TERM", "INT", "HUP")
_LOGGERS = ("", "py4j.clientserver", "py4j.java_gateway")
"""Where py4j reports with a stack trace that Java is gone; nobody else logs to the root without a name."""

log = logging.getLogger(__name__)


class StopSignals:
    """`asked` is set by the first signal. Those that follow change nothing: `timeout` sends each twice."""

    def __init__(self) -> None:
        self.asked = threading.Event()

    def listen_in_java(self, session: SparkSession) -> None:
        """Takes the signals of a session's Java, which no longer end it. Where its options forbid that, they do."""
        from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
        from pyspark.java_gateway import ensure_callback_server_started

        context: Any = session.sparkContext
        misc = context._jvm.sun.misc
        ensure_callback_server_started(context._gateway)  # type: ignore[no-untyped-call]
        handler = _Handler(self)
        for name in SIGNALS:
            try:
                misc.Signal.handle(misc.Signal(name), handler)
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
    """Listens inside. What py4j logs of a Java that was ended, too, is left out. Only in a process's main thread."""
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
    """Without that of a terminal which goes away, where somebody wants the driver to outlive it (`nohup`)."""
    numbers = [signal.Signals[f"SIG{name}"] for name in SIGNALS]
    return [one for one in numbers if one != signal.SIGHUP or signal.getsignal(one) is not signal.SIG_IGN]
